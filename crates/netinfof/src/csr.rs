//! Sparse matrices by rows, and the ids that name their rows.

use std::borrow::Cow;

use crate::error::{Error, Result};
use crate::matrix::Matrix;

/// A node id: the row of the node in every matrix.
pub type NodeId = u32;

/// A pair of nodes.
pub type Pair = [NodeId; 2];

/// A sparse matrix by rows.
///
/// Row `i` holds columns `indices[indptr[i]..indptr[i + 1]]`, ascending, and the values at the same places; a
/// pattern (`values` is `None`) has the value 1 everywhere.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Csr {
    cols: usize,
    indptr: Vec<usize>,
    indices: Vec<u32>,
    values: Option<Vec<f32>>,
}

impl Csr {
    /// A matrix from its three arrays, which are checked.
    pub fn new(cols: usize, indptr: Vec<usize>, indices: Vec<u32>, values: Option<Vec<f32>>) -> Result<Self> {
        let bad = |what: String| Err(Error::InvalidGraph { what });
        if indptr.first() != Some(&0) || indptr.last() != Some(&indices.len()) {
            return bad(format!("row pointers of a sparse matrix must run from 0 to {}", indices.len()));
        }
        if indptr.windows(2).any(|w| w[0] > w[1]) {
            return bad("row pointers of a sparse matrix must not decrease".into());
        }
        if let Some(&index) = indices.iter().find(|&&index| index as usize >= cols) {
            return bad(format!("column index {index} in a sparse matrix with {cols} columns"));
        }
        if values.as_ref().is_some_and(|values| values.len() != indices.len()) {
            return bad(format!("a sparse matrix with {} indices needs as many values", indices.len()));
        }
        let mut csr = Csr { cols, indptr, indices, values };
        csr.sort_rows();
        Ok(csr)
    }

    /// Starts of rows, columns and values.
    pub(crate) fn arrays(&self) -> (&[usize], &[u32], Option<&[f32]>) {
        (&self.indptr, &self.indices, self.values.as_deref())
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

    /// Sums duplicate entries and drops zeros.
    pub(crate) fn compact(&mut self) {
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

    /// The symmetric pattern of undirected edges, each given once. There must be no self loops and no
    /// duplicates.
    pub fn symmetric(nodes: usize, edges: &[Pair]) -> Self {
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

    /// A pattern from sorted input: columns must be ascending and in range, which is not checked again.
    pub fn pattern(cols: usize, indptr: Vec<usize>, indices: Vec<u32>) -> Self {
        Csr { cols, indptr, indices, values: None }
    }

    /// Joins rows of sorted input: columns must be ascending and in range, which is not checked again.
    pub fn from_rows(cols: usize, rows: impl Iterator<Item = (Vec<u32>, Vec<f32>)>) -> Self {
        let mut built = CsrBuilder::new(cols);
        rows.for_each(|(indices, values)| built.push_row(indices.into_iter().zip(values)));
        built.finish()
    }

    /// The nonzero entries of a dense matrix.
    pub fn from_dense(dense: &Matrix) -> Self {
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

    /// Columns of one row, and those of the rows after it.
    pub(crate) fn row_and_after(&self, row: usize) -> (&[u32], &[u32]) {
        let from = self.indptr[row];
        self.indices[from..].split_at(self.indptr[row + 1] - from)
    }

    /// Values of one row; `None` if all are 1.
    pub fn row_values(&self, row: usize) -> Option<&[f32]> {
        self.values.as_ref().map(|values| &values[self.indptr[row]..self.indptr[row + 1]])
    }

    /// All values; `None` if all are 1.
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
        self.transposed_among(0, self.rows())
    }

    /// The transpose of a matrix that has these rows from row `first` on, and is empty otherwise.
    pub(crate) fn transposed_among(&self, first: usize, rows: usize) -> Csr {
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
                indices[*slot] = u32::try_from(first + row).expect("rows fit in u32");
                if let (Some(values), Some(own)) = (&mut values, &self.values) {
                    values[*slot] = own[at];
                }
                *slot += 1;
            }
        }
        Csr { cols: rows, indptr, indices, values }
    }

    /// The symmetric matrix without some of its edges, each given once. `O(nnz)`, row by row, without sorting.
    pub(crate) fn without(&self, edges: &[Pair]) -> Csr {
        let removed = Csr::symmetric(self.rows(), edges);
        let mut indptr = Vec::with_capacity(self.rows() + 1);
        indptr.push(0);
        let left = self.nnz().saturating_sub(removed.nnz());
        let mut indices = Vec::with_capacity(left);
        let mut values = self.values.as_ref().map(|_| Vec::with_capacity(left));
        for row in 0..self.rows() {
            let mut gone = removed.row(row).iter().peekable();
            let own = self.row_values(row);
            for (at, &col) in self.row(row).iter().enumerate() {
                while gone.next_if(|&&other| other < col).is_some() {}
                if gone.peek() != Some(&&col) {
                    indices.push(col);
                    if let (Some(values), Some(own)) = (&mut values, own) {
                        values.push(own[at]);
                    }
                }
            }
            indptr.push(indices.len());
        }
        Csr { cols: self.cols, indptr, indices, values }
    }

    /// This symmetric pattern together with a matrix of its first rows and columns. An entry of both has the value 1 of
    /// the pattern. `O(nnz)`, row by row, without sorting.
    pub(crate) fn joined(&self, other: &Csr) -> Csr {
        assert!(self.values.is_none() && other.rows() <= self.rows(), "a pattern with at least as many rows");
        let mut built = CsrBuilder::new(self.cols);
        for row in 0..self.rows() {
            let (first, second) =
                if row < other.rows() { (other.row(row), other.row_values(row)) } else { (&[][..], None) };
            let mut left = self.row(row).iter().copied().peekable();
            let mut entries = Vec::with_capacity(left.len() + first.len());
            for (at, &col) in first.iter().enumerate() {
                while let Some(own) = left.next_if(|&own| own < col) {
                    entries.push((own, 1.0));
                }
                let both = left.next_if_eq(&col).is_some();
                entries.push((col, if both { 1.0 } else { second.map_or(1.0, |values| values[at]) }));
            }
            entries.extend(left.map(|own| (own, 1.0)));
            built.push_row(entries.into_iter());
        }
        let joined = built.finish();
        if other.values.is_none() { Csr { values: None, ..joined } } else { joined }
    }

    /// These rows followed by those of another matrix with the same columns.
    pub(crate) fn followed_by(&self, other: &Csr) -> Csr {
        assert_eq!(self.cols, other.cols, "the same columns");
        let mut indptr = self.indptr.clone();
        indptr.extend(other.indptr[1..].iter().map(|end| self.indices.len() + end));
        let indices = [&self.indices[..], &other.indices].concat();
        let values_of = |csr: &Csr| csr.values.clone().unwrap_or_else(|| vec![1.0; csr.nnz()]);
        let values = (self.values.is_some() || other.values.is_some())
            .then(|| [values_of(self), values_of(other)].concat());
        Csr { cols: self.cols, indptr, indices, values }
    }

    /// The value of an entry: 1 for every entry of a pattern, 0 where nothing is stored.
    pub(crate) fn value(&self, row: u32, col: u32) -> f32 {
        match self.row(row as usize).binary_search(&col) {
            Ok(at) => self.row_values(row as usize).map_or(1.0, |values| values[at]),
            Err(_) => 0.0,
        }
    }

    /// The matrix with ones in place of its values.
    pub(crate) fn as_pattern(&self) -> Cow<'_, Csr> {
        match self.values {
            None => Cow::Borrowed(self),
            Some(_) => Cow::Owned(Csr::pattern(self.cols, self.indptr.clone(), self.indices.clone())),
        }
    }

    /// A symmetric matrix with the value of each of its edges, in the order of the entries above its diagonal.
    pub(crate) fn with_edge_values(mut self, of_edges: impl Iterator<Item = f32>) -> Csr {
        let mut values = vec![0.0; self.nnz()];
        // Rows are filled in ascending order, and so are the entries below the diagonal of each row.
        let mut next = self.indptr.clone();
        let mut of_edges = of_edges;
        for row in 0..self.rows() {
            for at in self.indptr[row]..self.indptr[row + 1] {
                let other = self.indices[at] as usize;
                if other > row {
                    let value = of_edges.next().expect("one value per edge");
                    values[at] = value;
                    values[next[other]] = value;
                    next[other] += 1;
                }
            }
        }
        self.values = Some(values);
        self
    }

    /// The same pattern with the values of another symmetric matrix; `missing` where that stores nothing. A
    /// pattern if the other one is.
    pub(crate) fn with_values_of(self, other: &Csr, missing: f32) -> Csr {
        if other.values.is_none() {
            return self;
        }
        let value = |row: usize, col: u32| {
            let row = u32::try_from(row).expect("rows fit in u32");
            if other.contains(row, col) { other.value(row, col) } else { missing }
        };
        let values = (0..self.rows()).flat_map(|row| self.row(row).iter().map(move |&col| (row, col)));
        let values = Some(values.map(|(row, col)| value(row, col)).collect());
        Csr { values, ..self }
    }

    /// The sum of the values of a row: its length for a pattern.
    pub(crate) fn row_sum(&self, row: usize) -> f64 {
        match self.row_values(row) {
            None => self.row(row).len() as f64,
            Some(values) => values.iter().map(|&v| f64::from(v)).sum(),
        }
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

    /// Columns of all entries, row after row.
    pub(crate) fn indices(&self) -> &[u32] {
        &self.indices
    }

    /// The row of the entry at this position.
    pub(crate) fn row_of_entry(&self, entry: usize) -> usize {
        self.indptr.partition_point(|&start| start <= entry) - 1
    }

    /// Multiplies every column by a weight.
    pub(crate) fn scale_cols(&mut self, weights: &[f32]) {
        let count = self.indices.len();
        let values = self.values.get_or_insert_with(|| vec![1.0; count]);
        values.iter_mut().zip(&self.indices).for_each(|(v, &col)| *v *= weights[col as usize]);
    }

    /// Some of the rows, in this order.
    pub(crate) fn rows_of(&self, rows: &[NodeId]) -> Csr {
        let mut indptr = vec![0];
        let (mut indices, mut values) = (Vec::new(), self.values.as_ref().map(|_| Vec::new()));
        for &row in rows {
            indices.extend_from_slice(self.row(row as usize));
            if let (Some(values), Some(own)) = (&mut values, self.row_values(row as usize)) {
                values.extend_from_slice(own);
            }
            indptr.push(indices.len());
        }
        Csr { cols: self.cols, indptr, indices, values }
    }
}

/// A sparse matrix that is built row by row.
#[derive(Debug)]
pub(crate) struct CsrBuilder {
    cols: usize,
    indptr: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f32>,
}

impl CsrBuilder {
    pub(crate) fn new(cols: usize) -> Self {
        CsrBuilder { cols, indptr: vec![0], indices: Vec::new(), values: Vec::new() }
    }

    /// Adds a row; columns must be ascending and in range, which is not checked again.
    pub(crate) fn push_row(&mut self, entries: impl Iterator<Item = (u32, f32)>) {
        for (index, value) in entries {
            self.indices.push(index);
            self.values.push(value);
        }
        self.indptr.push(self.indices.len());
    }

    /// Adds the rows of another one.
    pub(crate) fn append(&mut self, other: CsrBuilder) {
        let before = self.indices.len();
        self.indices.extend(other.indices);
        self.values.extend(other.values);
        self.indptr.extend(other.indptr[1..].iter().map(|end| before + end));
    }

    pub(crate) fn finish(self) -> Csr {
        let CsrBuilder { cols, indptr, indices, values } = self;
        Csr { cols, indptr, indices, values: Some(values) }
    }
}

/// The pair with its smaller node first.
pub fn ordered([i, j]: Pair) -> Pair {
    [i.min(j), i.max(j)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_removed_in_both_directions() {
        let edges = [[0, 1], [0, 2], [1, 2], [2, 3], [1, 3]];
        let graph = Csr::symmetric(5, &edges);
        assert_eq!(graph.without(&[[2, 1], [0, 2]]), Csr::symmetric(5, &[[0, 1], [2, 3], [1, 3]]));
        assert_eq!(graph.without(&edges), Csr::symmetric(5, &[]));
        // Edges that are not there change nothing.
        assert_eq!(graph.without(&[[0, 4], [0, 3]]), graph);
    }

    #[test]
    fn edge_values_are_symmetric_and_survive_removal() {
        let edges = [[0, 1], [0, 2], [1, 2], [2, 3]];
        let graph = Csr::symmetric(4, &edges).with_edge_values([1.0, 2.0, 3.0, 4.0].into_iter());
        assert_eq!(graph, graph.transpose());
        assert_eq!([graph.value(2, 1), graph.value(3, 2), graph.value(0, 3)], [3.0, 4.0, 0.0]);
        assert_eq!(graph.row_sum(2), 9.0);
        let left = graph.without(&[[2, 0]]);
        let expected = Csr::symmetric(4, &[[0, 1], [1, 2], [2, 3]]);
        assert_eq!(left, expected.clone().with_edge_values([1.0, 3.0, 4.0].into_iter()));
        assert_eq!(*left.as_pattern(), expected);
        let more = Csr::symmetric(4, &[[0, 1], [0, 3]]).with_values_of(&graph, 0.5);
        assert_eq!([more.value(1, 0), more.value(3, 0)], [1.0, 0.5]);
        assert_eq!(expected.clone().with_values_of(&Csr::symmetric(4, &edges), 0.5), expected);
    }

    #[test]
    fn matrices_are_joined_row_by_row() {
        let context = Csr::symmetric(5, &[[0, 1], [1, 4], [2, 4]]);
        let target = Csr::symmetric(4, &[[0, 1], [0, 3], [1, 2]]);
        let all = Csr::symmetric(5, &[[0, 1], [0, 3], [1, 2], [1, 4], [2, 4]]);
        assert_eq!(context.joined(&target), all);
        let weighted = target.clone().with_edge_values([5.0, 6.0, 7.0].into_iter());
        let expected = all.with_edge_values([1.0, 6.0, 7.0, 1.0, 1.0].into_iter());
        assert_eq!(context.joined(&weighted), expected);
        let below = Csr::pattern(4, vec![0, 2, 2], vec![0, 3]);
        let stacked = weighted.followed_by(&below);
        assert_eq!((stacked.rows(), stacked.row(4), stacked.row(5)), (6, &[0, 3][..], &[][..]));
        assert_eq!((stacked.row_values(4), stacked.row_values(3)), (Some(&[1.0, 1.0][..]), Some(&[6.0][..])));
    }

    #[test]
    fn transpose_moves_values() {
        let m = Csr::new(3, vec![0, 2, 3], vec![2, 0, 1], Some(vec![5.0, 4.0, 6.0])).unwrap();
        assert_eq!(m.row(0), [0, 2]);
        let t = m.transpose();
        assert_eq!((t.rows(), t.cols()), (3, 2));
        assert_eq!(t.to_dense().as_slice(), [4.0, 0.0, 0.0, 6.0, 5.0, 0.0]);
    }
}
