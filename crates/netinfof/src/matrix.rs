//! Dense row-major `f32` matrices: embeddings, features, compatibility matrices.

use std::sync::Arc;

#[cfg(target_os = "linux")]
use memmap2::Advice;
use memmap2::MmapMut;

/// A dense matrix of `f32` in row-major order, NumPy's default.
///
/// ```
/// use netinfof::Matrix;
/// let m = Matrix::from_vec(2, 3, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
/// assert_eq!(m.row(1), [4.0, 5.0, 6.0]);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matrix {
    rows: usize,
    cols: usize,
    data: Data,
}

/// Dense features with at least this many entries (a quarter of a gigabyte) are prepared again whenever they
/// are used. That takes more time than keeping a prepared copy, but saves as much memory as the features
/// need.
pub(crate) const LARGE: usize = 1 << 26;

/// Entries owned by another object, such as a NumPy array. They must not change while a matrix refers to
/// them.
pub type Lent = Arc<dyn AsRef<[f32]> + Send + Sync>;

/// Storage of the entries.
enum Data {
    Own(Vec<f32>),
    /// Many entries, in large pages where the system has them: reading rows in random order would otherwise
    /// spend most of its time on the translation of addresses. With their number.
    Mapped(MmapMut, usize),
    Lent(Lent),
}

/// Matrices of at least this many entries are stored in large pages.
const MAPPED: usize = 1 << 23;

impl Data {
    #[inline]
    fn as_slice(&self) -> &[f32] {
        match self {
            Data::Own(values) => values,
            Data::Mapped(bytes, entries) => &bytemuck::cast_slice(bytes)[..*entries],
            Data::Lent(values) => (**values).as_ref(),
        }
    }

    fn zeros(entries: usize) -> Self {
        if entries < MAPPED {
            return Data::Own(vec![0.0; entries]);
        }
        match MmapMut::map_anon(entries * size_of::<f32>()) {
            Ok(bytes) => {
                // Where it is refused, pages are small, and everything else is the same.
                #[cfg(target_os = "linux")]
                let _ = bytes.advise(Advice::HugePage);
                Data::Mapped(bytes, entries)
            }
            // Reported as any allocation that fails.
            Err(_) => Data::Own(vec![0.0; entries]),
        }
    }

    /// Lent values are copied before they are changed.
    fn as_mut_slice(&mut self) -> &mut [f32] {
        if let Data::Lent(values) = self {
            *self = Data::Own((**values).as_ref().to_vec());
        }
        match self {
            Data::Own(values) => values,
            Data::Mapped(bytes, entries) => &mut bytemuck::cast_slice_mut(bytes)[..*entries],
            Data::Lent(_) => unreachable!("they are our own by now"),
        }
    }
}

impl Clone for Data {
    fn clone(&self) -> Self {
        match self {
            Data::Own(values) => Data::Own(values.clone()),
            Data::Mapped(..) => {
                let mut copy = Data::zeros(self.as_slice().len());
                copy.as_mut_slice().copy_from_slice(self.as_slice());
                copy
            }
            Data::Lent(values) => Data::Lent(values.clone()),
        }
    }
}

impl Default for Data {
    fn default() -> Self {
        Data::Own(Vec::new())
    }
}

impl PartialEq for Data {
    fn eq(&self, other: &Self) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl std::fmt::Debug for Data {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.as_slice().fmt(f)
    }
}

impl Matrix {
    /// A matrix of zeros.
    pub fn zeros(rows: usize, cols: usize) -> Self {
        Matrix { rows, cols, data: Data::zeros(rows * cols) }
    }

    /// The identity.
    pub fn identity(size: usize) -> Self {
        Matrix::from_fn(size, size, |row, col| if row == col { 1.0 } else { 0.0 })
    }

    /// A matrix from its rows, one after the other. Panics if the length of `data` is not `rows * cols`.
    pub fn from_vec(rows: usize, cols: usize, data: Vec<f32>) -> Self {
        assert_eq!(data.len(), rows * cols, "data length and shape disagree");
        Matrix { rows, cols, data: Data::Own(data) }
    }

    /// A matrix that refers to rows owned by another object, one after the other. They are copied on the
    /// first write. Panics if their length is not `rows * cols`.
    ///
    /// ```
    /// use netinfof::Matrix;
    /// let kept = std::sync::Arc::new(vec![1.0, 2.0, 3.0, 4.0]);
    /// let mut m = Matrix::lent(2, 2, kept.clone());
    /// assert_eq!(m.as_slice().as_ptr(), kept.as_ptr());
    /// m.row_mut(0)[0] = 5.0;
    /// assert_eq!((m.row(0), kept[0]), (&[5.0, 2.0][..], 1.0));
    /// ```
    pub fn lent(rows: usize, cols: usize, data: Lent) -> Self {
        assert_eq!((*data).as_ref().len(), rows * cols, "data length and shape disagree");
        Matrix { rows, cols, data: Data::Lent(data) }
    }

    /// Computes every entry.
    pub fn from_fn(rows: usize, cols: usize, mut entry: impl FnMut(usize, usize) -> f32) -> Self {
        let mut data = Vec::with_capacity(rows * cols);
        for row in 0..rows {
            data.extend((0..cols).map(|col| entry(row, col)));
        }
        Matrix { rows, cols, data: Data::Own(data) }
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
    #[inline]
    pub fn row(&self, row: usize) -> &[f32] {
        &self.data.as_slice()[row * self.cols..(row + 1) * self.cols]
    }

    /// One row, mutable.
    pub fn row_mut(&mut self, row: usize) -> &mut [f32] {
        &mut self.data.as_mut_slice()[row * self.cols..(row + 1) * self.cols]
    }

    /// All entries, row after row.
    pub fn as_slice(&self) -> &[f32] {
        self.data.as_slice()
    }

    /// All entries, mutable.
    pub fn as_mut_slice(&mut self) -> &mut [f32] {
        self.data.as_mut_slice()
    }

    /// All entries, row after row; owned entries are not copied.
    pub fn into_vec(self) -> Vec<f32> {
        match self.data {
            Data::Own(values) => values,
            Data::Mapped(..) | Data::Lent(_) => self.data.as_slice().to_vec(),
        }
    }

    /// The matrix of as many rows whose entries come first. The memory of the others is not released at once if there
    /// are many.
    pub(crate) fn with_fewer_columns(mut self, cols: usize) -> Self {
        let entries = self.rows * cols;
        assert!(cols <= self.cols, "fewer columns");
        match &mut self.data {
            Data::Own(values) => values.truncate(entries),
            Data::Mapped(_, used) => *used = entries,
            Data::Lent(_) => self.data = Data::Own(self.data.as_slice()[..entries].to_vec()),
        }
        Matrix { cols, ..self }
    }

    /// Multiplies column `j` by `scale[j]`.
    pub(crate) fn scale_cols(&mut self, scale: &[f32]) {
        assert_eq!(scale.len(), self.cols, "one scale per column");
        for row in self.data.as_mut_slice().chunks_exact_mut(self.cols.max(1)) {
            for (v, s) in row.iter_mut().zip(scale) {
                *v *= s;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_matrices_are_zero_and_copied() {
        let (rows, cols) = (MAPPED / 16 + 1, 16);
        let mut large = Matrix::zeros(rows, cols);
        assert!(matches!(large.data, Data::Mapped(..)) && large.as_slice().iter().all(|&v| v == 0.0));
        large.row_mut(rows - 1)[15] = 3.0;
        let copy = large.clone();
        large.row_mut(0)[0] = 1.0;
        let fewer = copy.clone().with_fewer_columns(3);
        assert_eq!((fewer.as_slice().len(), fewer.clone() == fewer), (3 * rows, true));
        assert_eq!((copy.row(0)[0], copy.row(rows - 1)[15], copy.as_slice().len()), (0.0, 3.0, rows * cols));
        assert_eq!(large.into_vec()[0], 1.0);
    }
}
