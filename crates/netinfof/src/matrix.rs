//! Dense row-major `f32` matrices: embeddings, features, compatibility matrices.

use serde::{Deserialize, Serialize};

/// A dense matrix of `f32`, row after row, as NumPy's default order has it.
///
/// ```
/// use netinfof::Matrix;
/// let m = Matrix::from_vec(2, 3, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
/// assert_eq!(m.row(1), [4.0, 5.0, 6.0]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Matrix {
    rows: usize,
    cols: usize,
    data: Vec<f32>,
}

impl Matrix {
    /// A matrix of zeros.
    pub fn zeros(rows: usize, cols: usize) -> Self {
        Matrix { rows, cols, data: vec![0.0; rows * cols] }
    }

    /// The identity.
    pub fn identity(size: usize) -> Self {
        Matrix::from_fn(size, size, |row, col| if row == col { 1.0 } else { 0.0 })
    }

    /// Takes `data` as the rows, one after the other. Panics if its length is not `rows * cols`.
    pub fn from_vec(rows: usize, cols: usize, data: Vec<f32>) -> Self {
        assert_eq!(data.len(), rows * cols, "data length and shape disagree");
        Matrix { rows, cols, data }
    }

    /// Computes every entry.
    pub fn from_fn(rows: usize, cols: usize, mut entry: impl FnMut(usize, usize) -> f32) -> Self {
        let mut data = Vec::with_capacity(rows * cols);
        for row in 0..rows {
            data.extend((0..cols).map(|col| entry(row, col)));
        }
        Matrix { rows, cols, data }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// One row.
    pub fn row(&self, row: usize) -> &[f32] {
        &self.data[row * self.cols..(row + 1) * self.cols]
    }

    /// One row, to write to.
    pub fn row_mut(&mut self, row: usize) -> &mut [f32] {
        &mut self.data[row * self.cols..(row + 1) * self.cols]
    }

    /// All entries, row after row.
    pub fn as_slice(&self) -> &[f32] {
        &self.data
    }

    /// All entries, to write to.
    pub fn as_mut_slice(&mut self) -> &mut [f32] {
        &mut self.data
    }

    /// Multiplies column `j` by `scale[j]`.
    pub(crate) fn scale_cols(&mut self, scale: &[f32]) {
        assert_eq!(scale.len(), self.cols, "one scale a column");
        for row in self.data.chunks_exact_mut(self.cols.max(1)) {
            for (v, s) in row.iter_mut().zip(scale) {
                *v *= s;
            }
        }
    }

    /// The same matrix for the dense-algebra library, without copying.
    pub(crate) fn faer(&self) -> faer::MatRef<'_, f32> {
        faer::MatRef::from_row_major_slice(&self.data, self.rows, self.cols)
    }
}
