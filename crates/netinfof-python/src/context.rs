//! Edges of other relations, as arrays.

use netinfof::graph::{Context, ContextNodes, Relation};
use netinfof::{Error, Features, Graph, Matrix, Pair};
use numpy::{IntoPyArray as _, PyArray2, PyArrayMethods as _, PyReadonlyArray2};
use pyo3::prelude::*;

/// Relations, each with two rows of node numbers; the names, types and features of context nodes.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct ContextParts<'py> {
    relations: Vec<(String, PyReadonlyArray2<'py, i64>)>,
    names: Vec<String>,
    types: Vec<u32>,
    x: Option<PyReadonlyArray2<'py, f32>>,
}

/// The same on its way out.
pub(crate) type ContextArrays<'py> =
    (Vec<(String, Bound<'py, PyArray2<i64>>)>, Vec<String>, Vec<u32>, Option<Bound<'py, PyArray2<f32>>>);

pub(crate) fn put_on(graph: Graph, parts: ContextParts<'_>) -> netinfof::Result<(Graph, Vec<String>)> {
    let mut relations = Vec::with_capacity(parts.relations.len());
    for (name, index) in parts.relations {
        let index = index.as_array();
        let mut edges: Vec<Pair> = Vec::with_capacity(index.ncols());
        for at in 0..index.ncols() {
            let [i, j] = [index[(0, at)], index[(1, at)]];
            let (Ok(i), Ok(j)) = (u32::try_from(i), u32::try_from(j)) else {
                let what = format!("context edge ({i}, {j}) of `{name}`; node numbers are 0 or more");
                return Err(Error::InvalidGraph { what });
            };
            edges.push([i, j]);
        }
        relations.push(Relation { name, edges });
    }
    let features = match parts.x {
        None => Features::None,
        Some(x) => {
            let x = x.as_array();
            Features::Dense(Matrix::from_vec(x.nrows(), x.ncols(), x.iter().copied().collect()))
        }
    };
    graph.with_context(relations, ContextNodes { names: parts.names, types: parts.types, features })
}

pub(crate) fn arrays<'py>(py: Python<'py>, context: &Context) -> PyResult<ContextArrays<'py>> {
    let index = |edges: &[Pair]| {
        let ends = |end: usize| edges.iter().map(move |pair| i64::from(pair[end]));
        ends(0).chain(ends(1)).collect::<Vec<i64>>().into_pyarray(py).reshape([2, edges.len()])
    };
    let relations = context.listed().into_iter().map(|own| Ok((own.name, index(&own.edges)?)));
    let nodes = context.nodes();
    let rows = |x: &Matrix| x.as_slice().to_vec().into_pyarray(py).reshape([x.rows(), x.cols()]);
    let x = match &nodes.features {
        Features::None => None,
        Features::Dense(x) => Some(rows(x)?),
        Features::Sparse(x) => Some(rows(&x.to_dense())?),
    };
    Ok((relations.collect::<PyResult<_>>()?, nodes.names.clone(), nodes.types.clone(), x))
}
