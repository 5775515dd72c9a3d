//! Graphs from arrays and from files.

use std::sync::Arc;

use netinfof::graph::{
    LabelSets, Schema, Sides, Target, TimeColumn, TimeUnit, WeightTransform, checked_weight,
};
use netinfof::{Csr, Error, Features, Matrix, Pair};
use netinfof_cli::bridge::{self, Options};
use numpy::{IntoPyArray as _, PyArray1, PyArray2, PyArrayMethods as _, PyReadonlyArray1, PyReadonlyArray2};
use numpy::{PyUntypedArrayMethods as _, ToPyArray as _};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::context::{self, ContextArrays, ContextParts};
use crate::work::{self, RunSettings, raise};

/// An undirected simple graph. It never changes.
#[pyclass(frozen, module = "netinfof._native")]
pub(crate) struct Graph {
    pub(crate) inner: Arc<netinfof::Graph>,
    /// Whether the features are the caller's own array, which may have changed since the graph was made.
    lent: bool,
}

/// Rows of features that NumPy keeps.
struct LentRows {
    /// Keeps the memory alive.
    _array: Py<PyArray2<f32>>,
    start: *const f32,
    len: usize,
}

#[allow(unsafe_code, reason = "gigabytes of features are read in place, without a copy")]
mod lent {
    use super::LentRows;

    // SAFETY: the memory belongs to an array that `_array` keeps alive; it is only read, and `_array` itself is not touched
    // outside of Python but to be dropped, which PyO3 allows on any thread.
    unsafe impl Send for LentRows {}
    // SAFETY: as above.
    unsafe impl Sync for LentRows {}

    impl AsRef<[f32]> for LentRows {
        fn as_ref(&self) -> &[f32] {
            // SAFETY: `start` and `len` are those of a C-contiguous array (checked where a `LentRows` is made) that lives as long as
            // `self`. Nobody may write to it during a run, as with BLAS; the documentation says so.
            unsafe { std::slice::from_raw_parts(self.start, self.len) }
        }
    }
}

/// A sparse matrix: starts of rows, columns, values.
type SparseRows<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f32>>);
/// The same on its way in, with the number of columns.
type SparseRowsInput<'py> =
    (PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, f32>, usize);

impl Graph {
    pub(crate) fn new(inner: netinfof::Graph) -> Self {
        Graph { inner: Arc::new(inner), lent: false }
    }

    /// The graph for a run. Features in the caller's own array are checked again: values that were in order when the graph was made
    /// may have been overwritten since.
    pub(crate) fn checked(&self, py: Python<'_>) -> PyResult<Arc<netinfof::Graph>> {
        const PART: usize = 1 << 12;
        let Features::Dense(x) = self.inner.features() else { return Ok(Arc::clone(&self.inner)) };
        let bad = |part: &[f32]| part.iter().fold(false, |bad, value| bad | value.is_infinite());
        if self.lent && py.detach(|| x.as_slice().chunks(PART).any(bad)) {
            let at = x.as_slice().iter().position(|value| value.is_infinite()).unwrap_or_default();
            let what = format!(
                "feature of node {}, column {} is infinite; the array `x` was changed after \
                 the graph was made",
                at / x.cols(),
                at % x.cols()
            );
            return Err(raise(py, &Error::InvalidGraph { what }));
        }
        Ok(Arc::clone(&self.inner))
    }
}

#[pymethods]
impl Graph {
    #[getter]
    fn name(&self) -> &str {
        self.inner.name()
    }

    #[getter]
    fn num_nodes(&self) -> usize {
        self.inner.nodes()
    }

    #[getter]
    fn num_edges(&self) -> usize {
        self.inner.edge_count()
    }

    #[getter]
    fn num_features(&self) -> usize {
        self.inner.features().cols()
    }

    #[getter]
    fn num_classes(&self) -> usize {
        self.inner.classes()
    }

    /// Whether nodes are called otherwise than by their numbers.
    #[getter]
    fn named(&self) -> bool {
        self.inner.ids().is_some()
    }

    /// Ids where they are not the numbers 0, 1, ….
    #[getter]
    fn ids(&self) -> Option<Vec<String>> {
        self.inner.ids().map(<[String]>::to_vec)
    }

    #[getter]
    fn class_names(&self) -> Option<Vec<String>> {
        self.inner.class_names().map(<[String]>::to_vec)
    }

    /// Whether each node is on the second side, and the names of the two sides; None unless it is bipartite.
    #[getter]
    fn sides(&self) -> Option<(Vec<bool>, [String; 2])> {
        self.inner.sides().map(|sides| (sides.second().to_vec(), sides.names().clone()))
    }

    /// Every edge once: a row of smaller ends and a row of larger ends.
    fn edges<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i64>>> {
        let edges = self.inner.edges();
        let flat: Vec<i64> =
            edges.iter().map(|e| i64::from(e[0])).chain(edges.iter().map(|e| i64::from(e[1]))).collect();
        flat.into_pyarray(py).reshape([2, edges.len()])
    }

    /// Whether the graph is directed: every node as a source and as a target.
    #[getter]
    fn directed(&self) -> bool {
        self.inner.is_directed()
    }

    /// How the weights are transformed; None without weights.
    #[getter]
    fn weight_scale(&self) -> Option<&'static str> {
        Some(self.inner.weights()?.scale().transform().name())
    }

    /// The weights of the edges in this order, as they were given.
    fn weights<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f32>>> {
        Some(self.inner.weights()?.given().to_pyarray(py))
    }

    /// The column of the times, the first time of every edge, and whether they are days since 1970-01-01.
    fn times<'py>(&self, py: Python<'py>) -> Option<(String, Bound<'py, PyArray1<f64>>, bool)> {
        let times = self.inner.times()?;
        let dates = times.unit() == TimeUnit::Date;
        Some((times.column().into(), times.first().to_vec().into_pyarray(py), dates))
    }

    fn labels<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<i64>>> {
        let labels = self.inner.labels()?;
        Some(labels.iter().map(|&label| i64::from(label)).collect::<Vec<_>>().into_pyarray(py))
    }

    /// The kind of the target: classes, numbers or labels.
    #[getter]
    fn target_kind(&self) -> Option<&'static str> {
        self.inner.target_kind().map(netinfof::graph::TargetKind::name)
    }

    /// The numeric target, NaN where it is unknown.
    fn numbers<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<f64>>> {
        match self.inner.target()? {
            Target::Numbers(values) => Some(values.clone().into_pyarray(py)),
            _ => None,
        }
    }

    /// Labels as 0 and 1, -1 where they are unknown.
    fn label_rows<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<i8>>>> {
        let Some(Target::Labels(sets)) = self.inner.target() else { return Ok(None) };
        let width = sets.names().len();
        let row = |node: usize| match sets.row(node) {
            Some(own) => own.iter().map(|&has| i8::from(has == 1)).collect(),
            None => vec![-1; width],
        };
        let rows: Vec<i8> = (0..sets.nodes()).flat_map(row).collect();
        rows.into_pyarray(py).reshape([sets.nodes(), width]).map(Some)
    }

    #[getter]
    fn label_names(&self) -> Option<Vec<String>> {
        match self.inner.target()? {
            Target::Labels(sets) => Some(sets.names().to_vec()),
            _ => None,
        }
    }

    /// Dense features, copied.
    fn dense<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f32>>>> {
        let Features::Dense(x) = self.inner.features() else { return Ok(None) };
        x.as_slice().to_pyarray(py).reshape([x.rows(), x.cols()]).map(Some)
    }

    /// Sparse features: starts of rows, columns, values.
    fn sparse<'py>(&self, py: Python<'py>) -> Option<SparseRows<'py>> {
        let Features::Sparse(x) = self.inner.features() else { return None };
        let (mut starts, mut columns) = (vec![0], Vec::with_capacity(x.nnz()));
        for row in 0..x.rows() {
            columns.extend(x.row(row).iter().map(|&col| i64::from(col)));
            starts.push(columns.len() as i64);
        }
        let values = x.values().map_or_else(|| vec![1.0; x.nnz()], <[f32]>::to_vec);
        Some((starts.into_pyarray(py), columns.into_pyarray(py), values.into_pyarray(py)))
    }

    /// Names of the components of the user's own.
    #[getter]
    fn components(&self) -> Vec<&'static str> {
        self.inner.custom_components().iter().map(netinfof::graph::CustomComponent::name).collect()
    }

    /// The same graph with one more component of the user's own; the rows are copied.
    fn with_component(&self, py: Python<'_>, name: &str, rows: PyReadonlyArray2<'_, f32>) -> PyResult<Self> {
        let (count, cols) = (rows.shape()[0], rows.shape()[1]);
        let rows = Matrix::from_vec(count, cols, rows.as_array().iter().copied().collect());
        let graph = netinfof::Graph::clone(&self.inner).with_component(name, rows);
        Ok(Graph { inner: Arc::new(graph.map_err(|e| raise(py, &e))?), lent: self.lent })
    }

    /// The same graph with edges of other relations as structure. Also returns notices.
    fn with_context(&self, py: Python<'_>, context: ContextParts<'_>) -> PyResult<(Self, Vec<String>)> {
        let graph = context::put_on(netinfof::Graph::clone(&self.inner), context);
        let (graph, notices) = graph.map_err(|e| raise(py, &e))?;
        Ok((Graph { inner: Arc::new(graph), lent: self.lent }, notices))
    }

    /// Edges of other relations that are structure, and the nodes that only they have.
    fn context<'py>(&self, py: Python<'py>) -> PyResult<Option<ContextArrays<'py>>> {
        self.inner.context().map(|own| context::arrays(py, own)).transpose()
    }

    /// The same graph with another target of its nodes.
    fn with_target(&self, py: Python<'_>, target: TargetParts<'_>) -> PyResult<Self> {
        let graph = netinfof::Graph::clone(&self.inner);
        let graph = GivenTarget::of(target).and_then(|target| target.put_on(graph));
        Ok(Graph { inner: Arc::new(graph.map_err(|e| raise(py, &e))?), lent: self.lent })
    }

    /// The same nodes with only these edges. Sides that the structure of all edges shows are kept.
    fn with_edges(
        &self,
        py: Python<'_>,
        pairs: PyReadonlyArray2<'_, i64>,
        how: RunSettings<'_>,
    ) -> PyResult<Self> {
        let ends = |row: numpy::ndarray::ArrayView1<'_, i64>| -> Option<Pair> {
            Some([u32::try_from(row[0]).ok()?, u32::try_from(row[1]).ok()?])
        };
        let edges: Option<Vec<Pair>> = pairs.as_array().outer_iter().map(ends).collect();
        let edges = edges.ok_or_else(|| PyValueError::new_err("invalid pairs: a negative node number"))?;
        let whole = Arc::clone(&self.inner);
        let graph = work::run(py, how, move |exec| {
            netinfof::Graph::clone(&whole).with_detected_sides(exec).with_edges(&edges)
        })?;
        Ok(Graph { inner: Arc::new(graph), lent: self.lent })
    }

    /// What was read, as JSON.
    #[getter]
    fn schema(&self) -> Option<String> {
        let schema = self.inner.schema()?;
        Some(serde_json::to_string(schema).expect("a schema holds nothing JSON cannot say"))
    }

    fn facts(&self, py: Python<'_>) -> String {
        py.detach(|| serde_json::to_string(&self.inner.facts()).expect("facts hold nothing JSON cannot say"))
    }

    fn table(&self, py: Python<'_>) -> String {
        py.detach(|| bridge::facts(&self.inner))
    }

    /// Writes it as npz, for the command and for later.
    fn save(&self, py: Python<'_>, path: std::path::PathBuf) -> PyResult<()> {
        let graph = self.checked(py)?;
        py.detach(|| netinfof_io::save::npz(&graph, &path)).map_err(|e| raise(py, &e))
    }
}

/// The graph that the command would take for these words.
#[pyfunction]
pub(crate) fn load(py: Python<'_>, words: Vec<String>, how: RunSettings<'_>) -> PyResult<Graph> {
    let options = Options::parse(words).map_err(PyValueError::new_err)?;
    work::run(py, how, move |exec| options.graph(exec)).map(Graph::new)
}

/// Everything a graph may be built from.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct Parts<'py> {
    name: String,
    nodes: usize,
    source: PyReadonlyArray1<'py, i64>,
    target: PyReadonlyArray1<'py, i64>,
    weights: Option<PyReadonlyArray1<'py, f64>>,
    linear_weights: bool,
    directed: bool,
    x: Option<PyReadonlyArray2<'py, f32>>,
    sparse: Option<SparseRowsInput<'py>>,
    y: Option<PyReadonlyArray1<'py, i64>>,
    class_names: Option<Vec<String>>,
    numbers: Option<PyReadonlyArray1<'py, f64>>,
    label_rows: Option<PyReadonlyArray2<'py, i8>>,
    label_names: Option<Vec<String>>,
    ids: Option<Vec<String>>,
    schema: Option<String>,
    unknown_nodes: bool,
    sides: SidesInput,
    side_names: Option<[String; 2]>,
    times: Option<TimesInput<'py>>,
}

/// The column of the times of the edges, the times, and whether they are days since 1970-01-01.
type TimesInput<'py> = (String, PyReadonlyArray1<'py, f64>, bool);

/// Which nodes are on the second side of a bipartite graph, or whether the graph is bipartite at all.
#[derive(FromPyObject)]
enum SidesInput {
    Stated(Option<bool>),
    Second(Vec<bool>),
}

/// A target of nodes: classes with or without names, numbers, or rows of labels. All but one are None.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct TargetParts<'py> {
    y: Option<PyReadonlyArray1<'py, i64>>,
    class_names: Option<Vec<String>>,
    numbers: Option<PyReadonlyArray1<'py, f64>>,
    label_rows: Option<PyReadonlyArray2<'py, i8>>,
    label_names: Option<Vec<String>>,
}

/// The same in Rust's types.
enum GivenTarget {
    Unknown,
    Classes(Vec<i32>, Option<Vec<String>>),
    Numbers(Vec<f64>),
    Labels(LabelSets),
}

impl GivenTarget {
    fn of(parts: TargetParts<'_>) -> netinfof::Result<Self> {
        Ok(match parts {
            TargetParts { y: Some(y), class_names, .. } => GivenTarget::Classes(labels(&y)?, class_names),
            TargetParts { numbers: Some(values), .. } => GivenTarget::Numbers(values.as_array().to_vec()),
            TargetParts { label_rows: Some(rows), label_names, .. } => {
                let rows = rows.as_array();
                let names =
                    label_names.unwrap_or_else(|| (0..rows.ncols()).map(|at| at.to_string()).collect());
                let rows: Vec<i8> = rows.iter().copied().collect();
                GivenTarget::Labels(LabelSets::new(names, &rows)?)
            }
            _ => GivenTarget::Unknown,
        })
    }

    fn put_on(self, graph: netinfof::Graph) -> netinfof::Result<netinfof::Graph> {
        match self {
            GivenTarget::Unknown => Ok(graph),
            GivenTarget::Classes(labels, names) => Ok(graph.with_labels(labels)?.with_class_names(names)),
            GivenTarget::Numbers(values) => graph.with_numbers(values),
            GivenTarget::Labels(sets) => graph.with_label_sets(sets),
        }
    }
}

/// Builds a graph from arrays. Also returns notices about its weights.
#[pyfunction]
pub(crate) fn build(py: Python<'_>, parts: Parts<'_>) -> PyResult<(Graph, Vec<String>)> {
    let fault = |what: String| raise(py, &Error::InvalidGraph { what });
    let nodes = parts.nodes;
    let (source, target) = (parts.source.as_array(), parts.target.as_array());
    if source.len() != target.len() {
        return Err(fault(format!("{} sources for {} targets of edges", source.len(), target.len())));
    }
    let mut edges: Vec<Pair> = Vec::with_capacity(source.len());
    for (at, (&i, &j)) in source.iter().zip(target).enumerate() {
        match (u32::try_from(i), u32::try_from(j)) {
            (Ok(i), Ok(j)) => edges.push([i, j]),
            _ => {
                return Err(fault(format!("edge {at} is ({i}, {j}), but node ids must lie below {nodes}")));
            }
        }
    }
    let weights: Option<Vec<f32>> = match &parts.weights {
        None => None,
        Some(weights) => {
            let weights = weights.as_array();
            let checked = weights.iter().zip(&edges).map(|(&weight, [i, j])| {
                checked_weight(weight).map_err(|what| fault(format!("edge ({i}, {j}): {what}")))
            });
            Some(checked.collect::<PyResult<_>>()?)
        }
    };
    let directed = parts.directed;
    let transform = if parts.linear_weights { WeightTransform::Linear } else { WeightTransform::Log };
    let lent = parts.x.is_some();
    let features = match (parts.x, parts.sparse) {
        (Some(x), _) => Some(dense(x)),
        (None, Some((starts, columns, values, width))) => {
            Some(sparse(&starts, &columns, &values, width).map_err(|e| raise(py, &e))?)
        }
        (None, None) => None,
    };
    let target = TargetParts {
        y: parts.y,
        class_names: parts.class_names,
        numbers: parts.numbers,
        label_rows: parts.label_rows,
        label_names: parts.label_names,
    };
    let target = GivenTarget::of(target).map_err(|e| raise(py, &e))?;
    let (name, ids, unknown_nodes) = (parts.name, parts.ids, parts.unknown_nodes);
    let (sides, side_names) = (parts.sides, parts.side_names);
    let mut schema: Option<Schema> = parts
        .schema
        .map(|json| serde_json::from_str(&json))
        .transpose()
        .map_err(|e| fault(format!("the schema is invalid: {e}")))?;
    let times = parts.times.map(|(column, times, dates)| (column, times.as_array().to_vec(), dates));
    if let Some(ids) = ids.as_ref().filter(|ids| ids.len() != nodes) {
        return Err(fault(format!("{} ids for {nodes} nodes; there must be one for each node", ids.len())));
    }
    let built = py.detach(move || -> netinfof::Result<(netinfof::Graph, Vec<String>)> {
        let mut graph = netinfof::Graph::from_edges(name, nodes, &edges)?;
        let mut notices = Vec::new();
        if directed {
            graph = graph.with_directions(edges.clone(), weights.map(|weights| (weights, transform)));
        } else if let Some(weights) = weights {
            (graph, notices) = graph.with_weights(&edges, &weights, transform)?;
        }
        if let Some((column, times, dates)) = times {
            graph = graph.with_times(column, &edges, &times, dates)?;
        }
        drop(edges);
        if let (Some(schema), Some(times)) = (&mut schema, graph.times()) {
            schema.time = Some(TimeColumn::new(times.column(), times.range().map(|time| times.text(time))));
        }
        if let Some(features) = features {
            let features = match features {
                Features::Dense(x) => Features::from_dense(x),
                features => features,
            };
            graph = graph.with_features(features)?;
        }
        graph = target.put_on(graph)?;
        if let Some(ids) = ids {
            graph = graph.with_ids(ids);
        }
        if unknown_nodes {
            graph = graph.with_unknown_nodes();
        }
        graph = match sides {
            SidesInput::Stated(None) => graph,
            SidesInput::Stated(Some(false)) => graph.without_sides(),
            SidesInput::Stated(Some(true)) => graph.with_structural_sides()?,
            SidesInput::Second(second) => {
                let sides = Sides::new(second);
                graph.with_sides(match side_names {
                    Some(names) => sides.named(names),
                    None => sides,
                })?
            }
        };
        if directed {
            (graph, notices) = graph.in_roles()?;
        }
        // Other features may have replaced those that the schema describes.
        let fits =
            |schema: &Schema| schema.columns.is_empty() || schema.columns.len() == graph.features().cols();
        if let Some(schema) = schema.filter(fits) {
            graph = graph.with_schema(schema);
        }
        Ok((graph, notices))
    });
    let (inner, notices) = built.map_err(|e| raise(py, &e))?;
    Ok((Graph { inner: Arc::new(inner), lent }, notices))
}

/// The rows where they are if they lie one after the other; a copy of them if not.
fn dense(x: PyReadonlyArray2<'_, f32>) -> Features {
    let (rows, cols) = (x.shape()[0], x.shape()[1]);
    let Ok(values) = x.as_slice() else {
        return Features::Dense(Matrix::from_vec(rows, cols, x.as_array().iter().copied().collect()));
    };
    let (start, len) = (values.as_ptr(), values.len());
    let kept = LentRows { _array: (*x).clone().unbind(), start, len };
    Features::Dense(Matrix::lent(rows, cols, Arc::new(kept)))
}

fn sparse(
    starts: &PyReadonlyArray1<'_, i64>,
    columns: &PyReadonlyArray1<'_, i64>,
    values: &PyReadonlyArray1<'_, f32>,
    width: usize,
) -> netinfof::Result<Features> {
    let fault = |what: &str| Error::InvalidGraph { what: what.into() };
    let starts = starts.as_array().iter().map(|&v| usize::try_from(v)).collect::<Result<Vec<_>, _>>();
    let columns = columns.as_array().iter().map(|&v| u32::try_from(v)).collect::<Result<Vec<_>, _>>();
    let (starts, columns) = starts
        .ok()
        .zip(columns.ok())
        .ok_or_else(|| fault("the sparse features have a negative place, or one that is too large"))?;
    Csr::new(width, starts, columns, Some(values.as_array().to_vec())).map(Features::Sparse)
}

fn labels(y: &PyReadonlyArray1<'_, i64>) -> netinfof::Result<Vec<i32>> {
    let label = |(node, &label): (usize, &i64)| {
        i32::try_from(label).map_err(|_| {
            let what = format!("label {label} of node {node}; labels are 0, 1, … or -1 where unknown");
            Error::InvalidGraph { what }
        })
    };
    y.as_array().iter().enumerate().map(label).collect()
}
