//! The input: an undirected simple graph with optional node features and labels (paper, section 2).
//!
//! In: edges, features and labels from a file, a generator or the caller. Out: a [`Graph`] whose parts agree: ids in
//! range, finite features, one row a node.

pub(crate) mod facts;
pub mod load;
mod mat;
mod npz;
pub mod parquet;
mod pickle;
pub mod save;
pub mod synth;
mod table;
mod whole;

use std::borrow::Cow;

use crate::error::{Error, Result};
use crate::matrix::Matrix;

pub use facts::{GraphFacts, Homophily};

/// A node: its row in every matrix.
pub type NodeId = u32;

/// A pair of nodes.
pub type Pair = [NodeId; 2];

/// A sparse matrix by rows.
///
/// Row `i` holds columns `indices[indptr[i]..indptr[i + 1]]`, ascending, and the values at the same places; a pattern
/// (`values` is `None`) has the value 1 everywhere.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Csr {
    cols: usize,
    indptr: Vec<usize>,
    indices: Vec<u32>,
    values: Option<Vec<f32>>,
}

impl Csr {
    /// Checks and takes the three arrays.
    pub fn new(cols: usize, indptr: Vec<usize>, indices: Vec<u32>, values: Option<Vec<f32>>) -> Result<Self> {
        let bad = |what: String| Err(Error::InvalidGraph { what });
        if indptr.first() != Some(&0) || indptr.last() != Some(&indices.len()) {
            return bad(format!("row pointers of a sparse matrix must run from 0 to {}", indices.len()));
        }
        if indptr.windows(2).any(|w| w[0] > w[1]) {
            return bad("row pointers of a sparse matrix must not decrease".into());
        }
        if let Some(&index) = indices.iter().find(|&&index| index as usize >= cols) {
            return bad(format!("column {index} of a sparse matrix with {cols} columns"));
        }
        if values.as_ref().is_some_and(|values| values.len() != indices.len()) {
            return bad(format!("a sparse matrix with {} indices needs as many values", indices.len()));
        }
        let mut csr = Csr { cols, indptr, indices, values };
        csr.sort_rows();
        Ok(csr)
    }

    /// Sorts the columns of every row; most files have them sorted already.
    fn sort_rows(&mut self) {
        for row in 0..self.rows() {
            let range = self.indptr[row]..self.indptr[row + 1];
            if self.indices[range.clone()].is_sorted() {
                continue;
            }
            match &mut self.values {
                None => self.indices[range].sort_unstable(),
                Some(values) => {
                    let mut entries: Vec<(u32, f32)> =
                        range.clone().map(|at| (self.indices[at], values[at])).collect();
                    entries.sort_by_key(|entry| entry.0);
                    for (at, (index, value)) in range.zip(entries) {
                        self.indices[at] = index;
                        values[at] = value;
                    }
                }
            }
        }
    }

    /// Adds entries that are stored twice and drops those that are zero.
    fn compact(&mut self) {
        let rising = (0..self.rows()).all(|row| self.row(row).windows(2).all(|w| w[0] < w[1]));
        if rising && self.values.as_ref().is_none_or(|values| !values.contains(&0.0)) {
            return;
        }
        let values = self.values.take().unwrap_or_else(|| vec![1.0; self.indices.len()]);
        let (mut kept, mut sums) = (Vec::with_capacity(self.indices.len()), Vec::with_capacity(values.len()));
        for row in 0..self.indptr.len() - 1 {
            let range = self.indptr[row]..self.indptr[row + 1];
            self.indptr[row] = kept.len();
            let entries: Vec<(u32, f32)> = range.map(|at| (self.indices[at], values[at])).collect();
            for own in entries.chunk_by(|a, b| a.0 == b.0) {
                let sum: f32 = own.iter().map(|entry| entry.1).sum();
                if sum != 0.0 {
                    kept.push(own[0].0);
                    sums.push(sum);
                }
            }
        }
        *self.indptr.last_mut().expect("there is always a first pointer") = kept.len();
        self.indices = kept;
        self.values = Some(sums);
    }

    /// The symmetric pattern of undirected edges, each given once. Self loops and repeated edges must be gone.
    pub(crate) fn symmetric(nodes: usize, edges: &[Pair]) -> Self {
        let mut indptr = vec![0usize; nodes + 1];
        for &[i, j] in edges {
            indptr[i as usize + 1] += 1;
            indptr[j as usize + 1] += 1;
        }
        for node in 0..nodes {
            indptr[node + 1] += indptr[node];
        }
        let mut next = indptr.clone();
        let mut indices = vec![0; indptr[nodes]];
        for &[i, j] in edges {
            indices[next[i as usize]] = j;
            next[i as usize] += 1;
            indices[next[j as usize]] = i;
            next[j as usize] += 1;
        }
        let mut csr = Csr { cols: nodes, indptr, indices, values: None };
        csr.sort_rows();
        csr
    }

    /// A pattern made elsewhere; columns ascending and in range by construction.
    pub(crate) fn pattern(cols: usize, indptr: Vec<usize>, indices: Vec<u32>) -> Self {
        Csr { cols, indptr, indices, values: None }
    }

    /// Joins rows made elsewhere; columns ascending and in range by construction.
    pub(crate) fn from_rows(cols: usize, rows: impl Iterator<Item = (Vec<u32>, Vec<f32>)>) -> Self {
        let (mut indptr, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
        for (row_indices, row_values) in rows {
            indices.extend(row_indices);
            values.extend(row_values);
            indptr.push(indices.len());
        }
        Csr { cols, indptr, indices, values: Some(values) }
    }

    /// The entries of a dense matrix that are not zero.
    pub(crate) fn from_dense(dense: &Matrix) -> Self {
        let row = |row: usize| {
            let stored = dense.row(row).iter().enumerate().filter(|(_, v)| **v != 0.0);
            stored.map(|(col, &v)| (u32::try_from(col).expect("columns fit in u32"), v)).unzip()
        };
        Csr::from_rows(dense.cols(), (0..dense.rows()).map(row))
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.indptr.len() - 1
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// Number of stored entries.
    pub fn nnz(&self) -> usize {
        self.indices.len()
    }

    /// Columns of one row, ascending.
    pub fn row(&self, row: usize) -> &[u32] {
        &self.indices[self.indptr[row]..self.indptr[row + 1]]
    }

    /// Values of one row; `None` where all are 1.
    pub fn row_values(&self, row: usize) -> Option<&[f32]> {
        self.values.as_ref().map(|values| &values[self.indptr[row]..self.indptr[row + 1]])
    }

    /// All values; `None` where all are 1.
    pub fn values(&self) -> Option<&[f32]> {
        self.values.as_deref()
    }

    /// Whether an entry is stored.
    pub fn contains(&self, row: u32, col: u32) -> bool {
        self.row(row as usize).binary_search(&col).is_ok()
    }

    /// The transpose. `O(nnz)`.
    #[must_use]
    pub fn transpose(&self) -> Csr {
        let mut indptr = vec![0usize; self.cols + 1];
        for &col in &self.indices {
            indptr[col as usize + 1] += 1;
        }
        for col in 0..self.cols {
            indptr[col + 1] += indptr[col];
        }
        let mut next = indptr.clone();
        let mut indices = vec![0u32; self.nnz()];
        let mut values = self.values.as_ref().map(|_| vec![0.0; self.nnz()]);
        for row in 0..self.rows() {
            for at in self.indptr[row]..self.indptr[row + 1] {
                let slot = &mut next[self.indices[at] as usize];
                indices[*slot] = u32::try_from(row).expect("rows fit in u32");
                if let (Some(values), Some(own)) = (&mut values, &self.values) {
                    values[*slot] = own[at];
                }
                *slot += 1;
            }
        }
        Csr { cols: self.rows(), indptr, indices, values }
    }

    /// The dense form.
    pub fn to_dense(&self) -> Matrix {
        let mut dense = Matrix::zeros(self.rows(), self.cols);
        for row in 0..self.rows() {
            let values = self.row_values(row);
            for (at, &col) in self.row(row).iter().enumerate() {
                dense.row_mut(row)[col as usize] += values.map_or(1.0, |values| values[at]);
            }
        }
        dense
    }

    pub(crate) fn map_values(&mut self, map: impl Fn(usize, f32) -> f32) {
        let values = self.values.get_or_insert_with(|| vec![1.0; self.indices.len()]);
        for row in 0..self.indptr.len() - 1 {
            for value in &mut values[self.indptr[row]..self.indptr[row + 1]] {
                *value = map(row, *value);
            }
        }
    }
}

/// Node features, one row a node, kept sparse where they came sparse.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Features {
    /// No features.
    #[default]
    None,
    /// Every entry stored.
    Dense(Matrix),
    /// Only the entries that are not zero stored.
    Sparse(Csr),
}

impl Features {
    /// Number of columns.
    pub fn cols(&self) -> usize {
        match self {
            Features::None => 0,
            Features::Dense(x) => x.cols(),
            Features::Sparse(x) => x.cols(),
        }
    }

    /// Share of the entries that are not zero; 0 without features.
    pub fn density(&self) -> f64 {
        let (nonzero, all) = match self {
            Features::None => return 0.0,
            Features::Dense(x) => (x.as_slice().iter().filter(|&&v| v != 0.0).count(), x.rows() * x.cols()),
            Features::Sparse(x) => (
                x.values().map_or(x.nnz(), |values| values.iter().filter(|&&v| v != 0.0).count()),
                x.rows() * x.cols(),
            ),
        };
        if all == 0 { 0.0 } else { nonzero as f64 / all as f64 }
    }

    /// Entries without a value (NaN).
    pub fn missing(&self) -> usize {
        match self {
            Features::Dense(x) => x.as_slice().iter().filter(|v| v.is_nan()).count(),
            Features::None | Features::Sparse(_) => 0,
        }
    }

    /// The same with zeros in the place of missing values.
    pub(crate) fn without_missing(features: Cow<'_, Features>) -> Cow<'_, Features> {
        if features.missing() == 0 {
            return features;
        }
        let mut features = features.into_owned();
        if let Features::Dense(x) = &mut features {
            x.as_mut_slice().iter_mut().filter(|v| v.is_nan()).for_each(|v| *v = 0.0);
        }
        Cow::Owned(features)
    }

    /// The largest size of a value.
    pub(crate) fn largest(&self) -> f32 {
        let values = match self {
            Features::None => &[],
            Features::Dense(x) => x.as_slice(),
            Features::Sparse(x) => x.values().unwrap_or(&[1.0]),
        };
        values.iter().fold(0.0, |top, v| v.abs().max(top))
    }

    /// Takes a dense matrix, as a sparse one where at most a tenth of it is not zero: tables cannot say that they are sparse, and
    /// most bags of words are.
    pub fn from_dense(dense: Matrix) -> Self {
        let nonzero = dense.as_slice().iter().filter(|&&v| v != 0.0).count();
        // What is missing must not become a stored entry among words.
        if nonzero * 10 > dense.as_slice().len() || dense.as_slice().iter().any(|v| v.is_nan()) {
            return Features::Dense(dense);
        }
        Features::Sparse(Csr::from_dense(&dense))
    }

    /// Some of the rows, in this order.
    pub(crate) fn rows_of(&self, rows: &[NodeId]) -> Features {
        match self {
            Features::None => Features::None,
            Features::Dense(x) => Features::Dense(Matrix::from_fn(rows.len(), x.cols(), |row, col| {
                x.row(rows[row] as usize)[col]
            })),
            Features::Sparse(x) => {
                let mut indptr = vec![0];
                let (mut indices, mut values) = (Vec::new(), x.values.as_ref().map(|_| Vec::new()));
                for &row in rows {
                    indices.extend_from_slice(x.row(row as usize));
                    if let (Some(values), Some(own)) = (&mut values, x.row_values(row as usize)) {
                        values.extend_from_slice(own);
                    }
                    indptr.push(indices.len());
                }
                Features::Sparse(Csr { cols: x.cols, indptr, indices, values })
            }
        }
    }

    /// A weight for every column: the logarithm of the share of nodes that have something else than zero in it, turned
    /// round. A column that all nodes have still weighs a little: it may be all there is.
    pub(crate) fn rarity(&self) -> Vec<f32> {
        let mut used = vec![0u32; self.cols()];
        let nodes = match self {
            Features::None => 0,
            Features::Dense(x) => {
                for row in 0..x.rows() {
                    used.iter_mut().zip(x.row(row)).for_each(|(used, &v)| *used += u32::from(v != 0.0));
                }
                x.rows()
            }
            Features::Sparse(x) => {
                x.indices.iter().for_each(|&col| used[col as usize] += 1);
                x.rows()
            }
        };
        used.iter().map(|&used| ((1.0 + nodes as f64) / f64::from(used.max(1))).ln() as f32 + 0.1).collect()
    }

    /// Multiplies every column by its weight.
    pub(crate) fn weigh_cols(&mut self, weights: &[f32]) {
        match self {
            Features::None => {}
            Features::Dense(x) => x.scale_cols(weights),
            Features::Sparse(x) => {
                let count = x.indices.len();
                let values = x.values.get_or_insert_with(|| vec![1.0; count]);
                values.iter_mut().zip(&x.indices).for_each(|(v, &col)| *v *= weights[col as usize]);
            }
        }
    }

    fn check(&self, nodes: usize) -> Result<()> {
        const MOST: usize = 1 << 26;
        if self.cols() > MOST {
            let what = format!("{} feature columns; at most {MOST} are possible", self.cols());
            return Err(Error::InvalidGraph { what });
        }
        let (rows, bad) = match self {
            Features::None => return Ok(()),
            Features::Dense(x) => (
                x.rows(),
                x.as_slice().iter().position(|v| v.is_infinite()).map(|at| (at / x.cols(), at % x.cols())),
            ),
            Features::Sparse(x) => (
                x.rows(),
                x.values().and_then(|values| values.iter().position(|v| !v.is_finite())).map(|at| {
                    let row = x.indptr.partition_point(|&start| start <= at) - 1;
                    (row, x.indices[at] as usize)
                }),
            ),
        };
        if rows != nodes {
            let what = format!("{rows} feature rows for {nodes} nodes; there must be one row a node");
            return Err(Error::InvalidGraph { what });
        }
        if let Some((row, col)) = bad {
            let what = match self {
                Features::Sparse(_) => format!(
                    "feature of node {row}, column {col} is not a finite number; only dense features can have missing values (NaN)"
                ),
                _ => format!("feature of node {row}, column {col} is infinite; a missing value is NaN"),
            };
            return Err(Error::InvalidGraph { what });
        }
        Ok(())
    }
}

/// An undirected simple graph with optional features and labels.
#[derive(Clone, Debug)]
pub struct Graph {
    name: String,
    adjacency: Csr,
    features: Features,
    labels: Option<Vec<i32>>,
    ids: Option<Vec<String>>,
    class_names: Option<Vec<String>>,
    truth: Option<synth::Truth>,
    self_loops: usize,
    duplicates: usize,
    strangers: bool,
}

impl Graph {
    /// Builds the graph of these edges: symmetrised, self loops and repeats dropped (and counted).
    ///
    /// ```
    /// use netinfof::Graph;
    /// let g = Graph::from_edges("path", 3, &[[0, 1], [1, 0], [1, 2], [2, 2]])?;
    /// assert_eq!((g.nodes(), g.edge_count(), g.self_loops(), g.duplicates()), (3, 2, 1, 1));
    /// # Ok::<(), netinfof::Error>(())
    /// ```
    pub fn from_edges(name: impl Into<String>, nodes: usize, edges: &[Pair]) -> Result<Self> {
        Graph::check_size(nodes, edges.len())?;
        let outside = |edge: &Pair| edge.iter().any(|&end| end as usize >= nodes);
        if let Some(at) = edges.iter().position(outside) {
            let [i, j] = edges[at];
            let what = format!("edge {at} is ({i}, {j}), but node ids must lie below {nodes}");
            return Err(Error::InvalidGraph { what });
        }
        let mut sorted: Vec<Pair> = edges.iter().filter(|e| e[0] != e[1]).map(|&e| ordered(e)).collect();
        let self_loops = edges.len() - sorted.len();
        let proper = sorted.len();
        sorted.sort_unstable();
        sorted.dedup();
        Ok(Graph {
            name: name.into(),
            adjacency: Csr::symmetric(nodes, &sorted),
            features: Features::None,
            labels: None,
            ids: None,
            class_names: None,
            truth: None,
            self_loops,
            duplicates: proper - sorted.len(),
            strangers: false,
        })
    }

    /// Whether a graph can have so many nodes for so many edges.
    pub(crate) fn check_size(nodes: usize, edges: usize) -> Result<()> {
        if nodes > u32::MAX as usize {
            return Err(Error::InvalidGraph {
                what: format!("{nodes} nodes; at most {} are possible", u32::MAX),
            });
        }
        // A file that claims more is damaged or means harm; memory is only asked for what edges can fill.
        if nodes > 1_000_000 && nodes / 1000 > edges {
            let what = format!("{nodes} nodes for {edges} edges: hardly a graph");
            return Err(Error::InvalidGraph { what });
        }
        Ok(())
    }

    /// Takes a symmetric pattern without self loops; `duplicates` repeated edges fell away on the way.
    pub(crate) fn from_pattern(name: impl Into<String>, adjacency: Csr, duplicates: usize) -> Self {
        Graph {
            name: name.into(),
            adjacency,
            features: Features::None,
            labels: None,
            ids: None,
            class_names: None,
            truth: None,
            self_loops: 0,
            duplicates,
            strangers: false,
        }
    }

    /// Notes self loops that were left out.
    pub(crate) fn with_self_loops(mut self, self_loops: usize) -> Self {
        self.self_loops = self_loops;
        self
    }

    /// Adds node features; one row per node, all finite. Zeros that a sparse matrix stores are dropped, and entries that it stores twice
    /// are added, so that equal matrices are equal features.
    pub fn with_features(mut self, mut features: Features) -> Result<Self> {
        if let Features::Sparse(x) = &mut features {
            x.compact();
        }
        features.check(self.nodes())?;
        self.features = if features.cols() == 0 { Features::None } else { features };
        Ok(self)
    }

    /// Adds class labels `0, 1, …`; −1 where unknown. All unknown means no labels.
    pub fn with_labels(mut self, labels: Vec<i32>) -> Result<Self> {
        if labels.len() != self.nodes() {
            let what = format!(
                "{} labels for {} nodes; there must be one for each node",
                labels.len(),
                self.nodes()
            );
            return Err(Error::InvalidGraph { what });
        }
        if let Some((node, label)) = labels.iter().enumerate().find(|&(_, &label)| label < -1) {
            let what = format!("label {label} of node {node}; labels are 0, 1, … or -1 where unknown");
            return Err(Error::InvalidGraph { what });
        }
        let most = i32::try_from(1_000_000 + 10 * labels.len()).unwrap_or(i32::MAX);
        if let Some((node, label)) = labels.iter().enumerate().find(|&(_, &label)| label > most) {
            let what = format!("label {label} of node {node}; classes are counted 0, 1, …");
            return Err(Error::InvalidGraph { what });
        }
        self.labels = labels.iter().any(|&label| label >= 0).then_some(labels);
        Ok(self)
    }

    /// Adds the users' own node ids. Panics where there is not one for each node; two nodes with one id cannot be told apart by it.
    #[must_use]
    pub fn with_ids(mut self, ids: Vec<String>) -> Self {
        assert_eq!(ids.len(), self.nodes(), "one id a node");
        self.ids = Some(ids);
        self
    }

    /// Says that its nodes are none that a model knows, whatever they are called.
    #[must_use]
    pub fn with_strangers(mut self) -> Self {
        self.strangers = true;
        self
    }

    /// Whether its nodes are none that a model knows.
    pub(crate) fn strangers(&self) -> bool {
        self.strangers
    }

    /// Takes features that others keep for its own, so that nothing they do can change it.
    #[must_use]
    pub(crate) fn on_its_own(mut self) -> Self {
        if let Features::Dense(x) = &mut self.features {
            x.as_mut_slice();
        }
        self
    }

    /// Gives it another name.
    #[must_use]
    pub fn with_name(mut self, name: impl Into<String>) -> Self {
        self.name = name.into();
        self
    }

    /// The same nodes, joined by other edges.
    pub(crate) fn with_adjacency(&self, adjacency: Csr) -> Self {
        assert_eq!(adjacency.rows(), self.nodes(), "the same nodes");
        Graph { adjacency, ..self.clone() }
    }

    /// The adjacency of the graph's edges together with these; self loops do not count. Borrowed where the graph has all of
    /// them. `O(m)` at most.
    pub(crate) fn adjacency_with<'a>(&self, more: impl Iterator<Item = &'a Pair>) -> Cow<'_, Csr> {
        let new = |edge: &Pair| edge[0] != edge[1] && !self.adjacency.contains(edge[0], edge[1]);
        let mut edges: Vec<Pair> = more.copied().filter(new).map(ordered).collect();
        if edges.is_empty() {
            return Cow::Borrowed(&self.adjacency);
        }
        edges.extend(self.edges());
        edges.sort_unstable();
        edges.dedup();
        Cow::Owned(Csr::symmetric(self.nodes(), &edges))
    }

    /// The same without features and labels.
    pub(crate) fn bare(&self) -> Self {
        Graph {
            name: self.name.clone(),
            adjacency: self.adjacency.clone(),
            features: Features::None,
            labels: None,
            ids: self.ids.clone(),
            class_names: None,
            truth: None,
            self_loops: self.self_loops,
            duplicates: self.duplicates,
            strangers: self.strangers,
        }
    }

    /// Adds what a generator planted.
    pub(crate) fn with_truth(mut self, truth: synth::Truth) -> Self {
        self.truth = Some(truth);
        self
    }

    /// What a generator planted; nothing is known of other graphs.
    pub fn truth(&self) -> Option<&synth::Truth> {
        self.truth.as_ref()
    }

    /// Name for reports.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.adjacency.rows()
    }

    /// Number of undirected edges.
    pub fn edge_count(&self) -> usize {
        self.adjacency.nnz() / 2
    }

    /// The symmetric adjacency pattern.
    pub fn adjacency(&self) -> &Csr {
        &self.adjacency
    }

    /// Node features.
    pub fn features(&self) -> &Features {
        &self.features
    }

    /// Class labels, −1 where unknown.
    pub fn labels(&self) -> Option<&[i32]> {
        self.labels.as_deref()
    }

    /// The users' own ids, where the file had names or gaps.
    pub fn ids(&self) -> Option<&[String]> {
        self.ids.as_deref()
    }

    /// What a node is called: the user's own id, or its number.
    pub fn node_name(&self, node: usize) -> Cow<'_, str> {
        match &self.ids {
            Some(ids) => Cow::Borrowed(&ids[node]),
            None => Cow::Owned(node.to_string()),
        }
    }

    /// What the classes are called, where the labels were names.
    pub fn class_names(&self) -> Option<&[String]> {
        self.class_names.as_deref()
    }

    /// Says what the classes are called: a name for each number that labels may have.
    #[must_use]
    pub fn with_class_names(mut self, names: Option<Vec<String>>) -> Self {
        self.class_names = names;
        self
    }

    /// Self loops dropped when the graph was built.
    pub fn self_loops(&self) -> usize {
        self.self_loops
    }

    /// Repeated edges dropped when the graph was built (an edge listed in both directions counts once here).
    pub fn duplicates(&self) -> usize {
        self.duplicates
    }

    /// Number of classes: one more than the largest label.
    pub fn classes(&self) -> usize {
        self.labels().and_then(|labels| labels.iter().max()).map_or(0, |&top| (top + 1) as usize)
    }

    /// Degree of a node.
    pub fn degree(&self, node: usize) -> usize {
        self.adjacency.row(node).len()
    }

    /// Every edge once, smaller node first, in ascending order.
    pub fn edges(&self) -> Vec<Pair> {
        let mut edges = Vec::with_capacity(self.edge_count());
        for node in 0..self.nodes() {
            let id = u32::try_from(node).expect("nodes fit in u32");
            edges.extend(
                self.adjacency.row(node).iter().filter(|&&other| other > id).map(|&other| [id, other]),
            );
        }
        edges
    }
}

/// The pair with its smaller node first.
pub(crate) fn ordered([i, j]: Pair) -> Pair {
    [i.min(j), i.max(j)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adjacency_is_symmetric_sorted_and_simple() {
        let g = Graph::from_edges("t", 4, &[[2, 0], [0, 1], [1, 0], [3, 3]]).unwrap();
        assert_eq!(g.adjacency().row(0), [1, 2]);
        assert_eq!(g.adjacency().row(1), [0]);
        assert_eq!(g.edges(), [[0, 1], [0, 2]]);
        assert_eq!(g.facts().isolated, 1);
    }

    #[test]
    fn transpose_moves_values() {
        let m = Csr::new(3, vec![0, 2, 3], vec![2, 0, 1], Some(vec![5.0, 4.0, 6.0])).unwrap();
        assert_eq!(m.row(0), [0, 2]);
        let t = m.transpose();
        assert_eq!((t.rows(), t.cols()), (3, 2));
        assert_eq!(t.to_dense().as_slice(), [4.0, 0.0, 0.0, 6.0, 5.0, 0.0]);
    }

    #[test]
    fn contradictions_are_named() {
        let e = Graph::from_edges("t", 2, &[[0, 5]]).unwrap_err().to_string();
        assert!(e.contains("edge 0 is (0, 5)") && e.contains("below 2"), "{e}");
        let g = Graph::from_edges("t", 2, &[[0, 1]]).unwrap();
        let e = g.clone().with_features(Features::Dense(Matrix::zeros(3, 1))).unwrap_err().to_string();
        assert!(e.contains("3 feature rows for 2 nodes"), "{e}");
        let infinite = Matrix::from_vec(2, 2, vec![0.0, f32::NAN, f32::INFINITY, 1.0]);
        let e = g.clone().with_features(Features::Dense(infinite)).unwrap_err().to_string();
        assert!(e.contains("node 1, column 0"), "{e}");
        let e = g.with_labels(vec![0]).unwrap_err().to_string();
        assert!(e.contains("1 labels for 2 nodes"), "{e}");
    }
}
