//! Fitted models, and what can be asked of them.

use std::path::PathBuf;
use std::sync::Arc;

use netinfof::model::{LinkScorer, RecommendParams, Recommended, Seen};
use numpy::{IntoPyArray as _, PyArray1, PyArray2, PyArrayMethods as _, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::graph::Graph;
use crate::split::{to_nodes, to_pairs};
use crate::work::{self, RunSettings, raise};

/// A fitted model.
#[pyclass(frozen, module = "netinfof._native")]
pub(crate) struct Model {
    inner: Arc<netinfof::Model>,
}

impl Model {
    pub(crate) fn new(inner: netinfof::Model) -> Self {
        Model { inner: Arc::new(inner) }
    }
}

/// Scores and probabilities of all nodes, a row each.
type Predictions<'py> = (Bound<'py, PyArray2<f64>>, Bound<'py, PyArray2<f64>>);

/// A component by its name.
type NamedArray<'py> = (&'static str, Bound<'py, PyArray2<f32>>);

#[pymethods]
impl Model {
    /// Reads a model that was saved.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        py.detach(|| netinfof::Model::load(&path)).map(Model::new).map_err(|e| raise(py, &e))
    }

    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        py.detach(|| netinfof::Model::from_bytes(bytes)).map(Model::new).map_err(|e| raise(py, &e))
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.inner.to_bytes()).map_err(|e| raise(py, &e))?;
        Ok(PyBytes::new(py, &bytes))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (Bound<'py, PyBytes>,))> {
        Ok((py.get_type::<Model>().getattr("from_bytes")?, (self.to_bytes(py)?,)))
    }

    /// Writes the file that `netinfof predict` and `netinfof recommend` read.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| self.inner.save(&path)).map_err(|e| raise(py, &e))
    }

    /// What it is, as JSON.
    fn about(&self) -> String {
        serde_json::to_string(self.inner.about()).expect("it holds nothing JSON cannot say")
    }

    /// The graph it was fitted on.
    #[getter]
    fn graph(&self) -> Graph {
        Graph::new(self.inner.graph().clone())
    }

    /// Names of the components that it uses.
    #[getter]
    fn components(&self) -> Vec<&'static str> {
        self.inner.components().into_iter().map(netinfof::ComponentKind::name).collect()
    }

    /// Names of the classes.
    #[getter]
    fn classes(&self) -> Option<Vec<String>> {
        self.inner.node_calibration().map(|(names, _)| names)
    }

    /// The kind of the target of a model of nodes.
    #[getter]
    fn target_kind(&self) -> Option<&'static str> {
        self.inner.target_kind().map(netinfof::graph::TargetKind::name)
    }

    /// Names of the labels, and the probability from which they are predicted.
    #[getter]
    fn labels(&self) -> Option<(Vec<String>, f64)> {
        self.inner.label_calibration().map(|own| (own.names.clone(), own.threshold))
    }

    /// Predicted numbers of all nodes: value, median, lower and upper end of the 95 %
    /// interval.
    fn numbers<'py>(
        &self,
        py: Python<'py>,
        newer: Option<&Graph>,
        how: RunSettings<'_>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let newer = newer.map(|graph| graph.checked(py)).transpose()?;
        let model = Arc::clone(&self.inner);
        let found = work::run(py, how, move |exec| model.numbers(newer.as_deref(), exec))?;
        let rows: Vec<f64> =
            found.values.iter().flat_map(|own| [own.value, own.median, own.low, own.high]).collect();
        rows.into_pyarray(py).reshape([found.values.len(), 4])
    }

    /// Scores and probabilities of labels for all nodes.
    fn label_sets<'py>(
        &self,
        py: Python<'py>,
        newer: Option<&Graph>,
        how: RunSettings<'_>,
    ) -> PyResult<Predictions<'py>> {
        let newer = newer.map(|graph| graph.checked(py)).transpose()?;
        let model = Arc::clone(&self.inner);
        let found = work::run(py, how, move |exec| model.label_sets(newer.as_deref(), exec))?;
        let shape = [found.graph.nodes(), found.names.len()];
        Ok((
            found.scores.into_pyarray(py).reshape(shape)?,
            found.probabilities.into_pyarray(py).reshape(shape)?,
        ))
    }

    /// The model of links, ready to be asked.
    fn scorer(
        &self,
        py: Python<'_>,
        all_edges: bool,
        newer: Option<&Graph>,
        how: RunSettings<'_>,
    ) -> PyResult<Scorer> {
        let newer = newer.map(|graph| graph.checked(py)).transpose()?;
        let model = Arc::clone(&self.inner);
        let seen = if all_edges { Seen::All } else { Seen::Training };
        let scorer = work::run(py, how, move |exec| model.links(seen, newer.as_deref(), exec))?;
        Ok(Scorer { inner: Arc::new(scorer) })
    }

    /// Scores and probabilities of classes for all nodes.
    fn nodes<'py>(
        &self,
        py: Python<'py>,
        newer: Option<&Graph>,
        how: RunSettings<'_>,
    ) -> PyResult<Predictions<'py>> {
        let newer = newer.map(|graph| graph.checked(py)).transpose()?;
        let model = Arc::clone(&self.inner);
        let found = work::run(py, how, move |exec| model.nodes(newer.as_deref(), exec))?;
        let shape = [found.graph.nodes(), found.classes.len()];
        Ok((
            found.scores.into_pyarray(py).reshape(shape)?,
            found.probabilities.into_pyarray(py).reshape(shape)?,
        ))
    }

    /// Components by name, a row for each node.
    fn embeddings<'py>(
        &self,
        py: Python<'py>,
        newer: Option<&Graph>,
        how: RunSettings<'_>,
    ) -> PyResult<Vec<NamedArray<'py>>> {
        let newer = newer.map(|graph| graph.checked(py)).transpose()?;
        let model = Arc::clone(&self.inner);
        let found = work::run(py, how, move |exec| model.embeddings(newer.as_deref(), exec))?;
        found
            .into_iter()
            .map(|(kind, matrix)| {
                let (rows, cols) = (matrix.rows(), matrix.cols());
                Ok((kind.name(), matrix.into_vec().into_pyarray(py).reshape([rows, cols])?))
            })
            .collect()
    }
}

/// A model of links with the nodes it is asked about.
#[pyclass(frozen, module = "netinfof._native")]
pub(crate) struct Scorer {
    inner: Arc<LinkScorer>,
}

/// Nodes, partners and scores.
type Found<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>);

#[pymethods]
impl Scorer {
    /// Log-odds of an edge for every pair.
    fn scores<'py>(
        &self,
        py: Python<'py>,
        pairs: PyReadonlyArray2<'_, i64>,
        how: RunSettings<'_>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let pairs = to_pairs(py, &pairs, "asked")?;
        let scorer = Arc::clone(&self.inner);
        let scores = work::run(py, how, move |exec| scorer.scores(&pairs, exec))?;
        Ok(scores.into_pyarray(py))
    }

    /// Probabilities for log-odds, where this share of the pairs are edges.
    fn probabilities<'py>(
        &self,
        scores: PyReadonlyArray1<'py, f64>,
        prior: f64,
    ) -> Bound<'py, PyArray1<f64>> {
        mapped(&scores, |score| self.inner.calibration().probability(score, prior))
    }

    /// The number of non-edges of the calibration, if probabilities at this prior go beyond it.
    fn extrapolates(&self, prior: f64) -> Option<usize> {
        let calibration = self.inner.calibration();
        (!calibration.reaches(prior)).then_some(calibration.negatives)
    }

    /// The share of all pairs that are known edges.
    #[getter]
    fn density(&self) -> f64 {
        self.inner.density()
    }

    /// How good the rankings of the first side's nodes are on held-out edges, as JSON.
    fn evaluate(
        &self,
        py: Python<'_>,
        pairs: PyReadonlyArray2<'_, i64>,
        k: usize,
        how: RunSettings<'_>,
    ) -> PyResult<String> {
        let pairs = to_pairs(py, &pairs, "held-out")?;
        let scorer = Arc::clone(&self.inner);
        let found = work::run(py, how, move |exec| scorer.evaluate(&pairs, k, exec))?;
        Ok(serde_json::to_string(&found).expect("figures can always be written as JSON"))
    }

    /// Calibrated log-odds, where this share of the pairs are edges.
    fn log_odds<'py>(&self, scores: PyReadonlyArray1<'py, f64>, prior: f64) -> Bound<'py, PyArray1<f64>> {
        mapped(&scores, |score| self.inner.calibration().log_odds(score, prior))
    }

    /// The likeliest partners of nodes (of all without any), or the likeliest pairs of all. Wanted: how many, whether
    /// known edges are left out, the pool, whether pairs of all are meant.
    fn recommend<'py>(
        &self,
        py: Python<'py>,
        nodes: Option<PyReadonlyArray1<'_, i64>>,
        wanted: (usize, bool, Option<usize>, bool),
        how: RunSettings<'_>,
    ) -> PyResult<Found<'py>> {
        let nodes = nodes.map(|nodes| to_nodes(py, &nodes, "asked")).transpose()?;
        let (k, exclude_known, pool, overall) = wanted;
        let mut params = RecommendParams::new(k);
        (params.exclude_known, params.pool) = (exclude_known, pool);
        let scorer = Arc::clone(&self.inner);
        let found: Vec<Recommended> = work::run(py, how, move |exec| {
            if overall {
                return scorer.recommend_overall(&params, exec);
            }
            let mut found = Vec::new();
            scorer.recommend(nodes.as_deref(), &params, exec, |some| {
                found.extend_from_slice(some);
                Ok(())
            })?;
            Ok(found)
        })?;
        let of = |end: fn(&Recommended) -> u32| {
            found.iter().map(|pair| i64::from(end(pair))).collect::<Vec<_>>().into_pyarray(py)
        };
        let scores: Vec<f64> = found.iter().map(|pair| pair.score).collect();
        Ok((of(|pair| pair.node), of(|pair| pair.other), scores.into_pyarray(py)))
    }

    /// A query and a key for every node: their inner products are log-odds without X and without the intercept.
    fn vectors<'py>(
        &self,
        py: Python<'py>,
        how: RunSettings<'_>,
    ) -> PyResult<[Bound<'py, PyArray2<f32>>; 2]> {
        let scorer = Arc::clone(&self.inner);
        let [queries, keys] = work::run(py, how, move |exec| scorer.vectors(exec))?;
        let array = |m: netinfof::Matrix| {
            let shape = [m.rows(), m.cols()];
            m.into_vec().into_pyarray(py).reshape(shape)
        };
        Ok([array(queries)?, array(keys)?])
    }
}

fn mapped<'py>(scores: &PyReadonlyArray1<'py, f64>, map: impl Fn(f64) -> f64) -> Bound<'py, PyArray1<f64>> {
    scores.as_array().iter().map(|&score| map(score)).collect::<Vec<_>>().into_pyarray(scores.py())
}
