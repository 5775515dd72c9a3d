//! Splits, as arrays.

use netinfof::split::{self, NodeSplitParams};
use netinfof::{Error, Goal, LinkPairs, NodeSets, Pair, Pairs, Seed};
use netinfof_cli::bridge::{self, Options};
use netinfof_io::load;
use numpy::PyUntypedArrayMethods as _;
use numpy::{IntoPyArray as _, PyArray1, PyArray2, PyArrayMethods as _, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::graph::Graph;
use crate::work::{self, RunSettings, raise};

/// Pairs as an array of two columns.
pub(crate) fn to_array<'py>(py: Python<'py>, pairs: &[Pair]) -> PyResult<Bound<'py, PyArray2<i64>>> {
    let flat: Vec<i64> = pairs.iter().flatten().map(|&node| i64::from(node)).collect();
    flat.into_pyarray(py).reshape([pairs.len(), 2])
}

/// An array of two columns as pairs; `what` says whose.
pub(crate) fn to_pairs(py: Python<'_>, array: &PyReadonlyArray2<'_, i64>, what: &str) -> PyResult<Vec<Pair>> {
    let fault = |what: String| raise(py, &Error::InvalidSplit { what });
    if array.shape()[1] != 2 {
        return Err(fault(format!("{what} pairs of {} columns; there must be two", array.shape()[1])));
    }
    let pair = |row: numpy::ndarray::ArrayView1<'_, i64>| {
        let end = |node: i64| {
            u32::try_from(node).map_err(|_| {
                fault(format!("{what} pair ({}, {}), but nodes are numbers from 0", row[0], row[1]))
            })
        };
        Ok([end(row[0])?, end(row[1])?])
    };
    array.as_array().outer_iter().map(pair).collect()
}

/// An array of node numbers.
pub(crate) fn to_nodes(py: Python<'_>, array: &PyReadonlyArray1<'_, i64>, what: &str) -> PyResult<Vec<u32>> {
    let node = |&node: &i64| {
        u32::try_from(node).map_err(|_| {
            let what = format!("{what} node {node}, but nodes are numbers from 0");
            raise(py, &Error::InvalidSplit { what })
        })
    };
    array.as_array().iter().map(node).collect()
}

/// The caller's own split: five arrays of pairs, or three of nodes.
#[derive(FromPyObject)]
pub(crate) enum OwnSplit<'py> {
    #[pyo3(transparent)]
    Links([PyReadonlyArray2<'py, i64>; 5]),
    #[pyo3(transparent)]
    Nodes([PyReadonlyArray1<'py, i64>; 3]),
}

impl OwnSplit<'_> {
    pub(crate) fn links(&self, py: Python<'_>) -> PyResult<LinkPairs> {
        let OwnSplit::Links([train, valid, valid_none, test, test_none]) = self else {
            return Err(PyValueError::new_err("a split of nodes cannot split links; `link_split` can"));
        };
        let pairs = |own, none, what: &str| -> PyResult<Pairs> {
            Ok(Pairs {
                positives: to_pairs(py, own, what)?,
                negatives: to_pairs(py, none, &format!("{what} negative"))?,
            })
        };
        Ok(LinkPairs {
            train: to_pairs(py, train, "training")?,
            valid: pairs(valid, valid_none, "validation")?,
            test: pairs(test, test_none, "test")?,
        })
    }

    pub(crate) fn nodes(&self, py: Python<'_>) -> PyResult<NodeSets> {
        let OwnSplit::Nodes([train, valid, test]) = self else {
            return Err(PyValueError::new_err("a split of links cannot split nodes; `node_split` can"));
        };
        Ok(NodeSets {
            train: to_nodes(py, train, "training")?,
            valid: to_nodes(py, valid, "validation")?,
            test: to_nodes(py, test, "test")?,
        })
    }
}

/// Training edges; validation edges and negatives; test edges and negatives; how many negatives each positive has of its own.
type LinkArrays<'py> = ([Bound<'py, PyArray2<i64>>; 5], usize);

/// The split of links that these options ask for.
#[pyfunction]
pub(crate) fn link_split<'py>(
    py: Python<'py>,
    graph: &Graph,
    words: Vec<String>,
    how: RunSettings<'_>,
) -> PyResult<LinkArrays<'py>> {
    let options = Options::parse(words).map_err(PyValueError::new_err)?;
    let graph = graph.checked(py)?;
    let split = work::run(py, how, move |exec| {
        let params = options.links(Goal::Act, false, &graph)?;
        split::links(&graph, &params.split, params.seed, exec)
    })?;
    let parts = [
        &split.train,
        &split.valid.positives,
        &split.valid.negatives,
        &split.test.positives,
        &split.test.negatives,
    ];
    let [a, b, c, d, e] = parts.map(|part| to_array(py, part));
    Ok(([a?, b?, c?, d?, e?], split.negatives_per_edge))
}

/// The split of nodes with these shares.
#[pyfunction]
pub(crate) fn node_split<'py>(
    py: Python<'py>,
    graph: &Graph,
    train: f64,
    valid: f64,
    rest: (usize, u64),
    how: RunSettings<'_>,
) -> PyResult<[Bound<'py, PyArray1<i64>>; 3]> {
    let graph = graph.inner.clone();
    let (min_class, seed) = rest;
    let split = work::run(py, how, move |exec| {
        let mut params = NodeSplitParams::default();
        (params.train, params.valid, params.min_class) = (train, valid, min_class);
        split::nodes(&graph, &params, Seed(seed), exec)
    })?;
    let NodeSets { train, valid, test } = split.sets;
    Ok([train, valid, test].map(|nodes| node_array(py, nodes)))
}

/// A split of the command's `--split`: five arrays of pairs, or three of nodes.
#[pyfunction]
pub(crate) fn load_split<'py>(
    py: Python<'py>,
    graph: &Graph,
    path: &str,
    nodes: bool,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let path = bridge::path(path).map_err(|e| raise(py, &e))?;
    if nodes {
        let sets = load::node_split(&path).map_err(|e| raise(py, &e))?;
        return Ok([sets.train, sets.valid, sets.test].map(|nodes| node_array(py, nodes).into_any()).into());
    }
    let pairs = load::link_split(&path, &graph.inner).map_err(|e| raise(py, &e))?;
    let parts = [
        &pairs.train,
        &pairs.valid.positives,
        &pairs.valid.negatives,
        &pairs.test.positives,
        &pairs.test.negatives,
    ];
    parts.iter().map(|part| Ok(to_array(py, part)?.into_any())).collect()
}

fn node_array(py: Python<'_>, nodes: Vec<u32>) -> Bound<'_, PyArray1<i64>> {
    nodes.into_iter().map(i64::from).collect::<Vec<_>>().into_pyarray(py)
}

/// What is wrong with a split, as JSON.
#[pyfunction]
pub(crate) fn check_split(
    py: Python<'_>,
    graph: &Graph,
    own: OwnSplit<'_>,
    how: RunSettings<'_>,
) -> PyResult<String> {
    let graph = graph.checked(py)?;
    let checked = match &own {
        OwnSplit::Links(_) => {
            let pairs = own.links(py)?;
            work::run(py, how, move |exec| split::check::links(&graph, &pairs, exec))
        }
        OwnSplit::Nodes(_) => {
            let sets = own.nodes(py)?;
            work::run(py, how, move |exec| split::check::nodes(&graph, &sets, exec))
        }
    }?;
    Ok(serde_json::to_string(&checked).expect("findings hold nothing JSON cannot say"))
}
