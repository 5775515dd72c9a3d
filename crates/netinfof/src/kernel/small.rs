//! Small dense matrices in `f64`, and their decompositions.

use std::borrow::Cow;
use std::ops::{Index, IndexMut};

use faer::linalg::solvers::{DenseSolveCore as _, Llt, Solve as _};
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Mat, MatRef, Par, Scale, Side};

use crate::error::{Error, Result};

/// A dense matrix of `f64`, column by column in memory, small enough to be decomposed on one thread.
#[derive(Clone, Debug)]
pub(crate) struct SmallMatrix(Mat<f64>);

impl SmallMatrix {
    /// Computes every entry, column by column.
    pub(crate) fn from_fn(rows: usize, cols: usize, entry: impl FnMut(usize, usize) -> f64) -> Self {
        SmallMatrix(Mat::from_fn(rows, cols, entry))
    }

    /// Copies columns that lie one after the other.
    pub(super) fn from_columns(values: &[f64], rows: usize, cols: usize) -> Self {
        SmallMatrix(MatRef::from_column_major_slice(values, rows, cols).to_owned())
    }

    /// A matrix of zeros.
    pub(crate) fn zeros(rows: usize, cols: usize) -> Self {
        SmallMatrix(Mat::zeros(rows, cols))
    }

    /// The identity.
    pub(crate) fn identity(size: usize) -> Self {
        SmallMatrix(Mat::identity(size, size))
    }

    /// Number of rows.
    pub(crate) fn rows(&self) -> usize {
        self.0.nrows()
    }

    /// Number of columns.
    pub(crate) fn cols(&self) -> usize {
        self.0.ncols()
    }

    /// The product `self · other`.
    pub(crate) fn times(&self, other: &SmallMatrix) -> SmallMatrix {
        SmallMatrix(&self.0 * &other.0)
    }

    /// The product of `self` with some rows of `other`.
    #[cfg(test)]
    pub(crate) fn times_rows(&self, other: &SmallMatrix, rows: std::ops::Range<usize>) -> SmallMatrix {
        SmallMatrix(&self.0 * other.0.subrows(rows.start, rows.len()))
    }

    /// The product `selfᵀ · other`.
    pub(crate) fn transpose_times(&self, other: &SmallMatrix) -> SmallMatrix {
        SmallMatrix(self.0.transpose() * &other.0)
    }

    /// The product `self · otherᵀ`.
    pub(crate) fn times_transpose(&self, other: &SmallMatrix) -> SmallMatrix {
        SmallMatrix(&self.0 * other.0.transpose())
    }

    /// The transpose.
    pub(crate) fn transposed(&self) -> SmallMatrix {
        SmallMatrix(self.0.transpose().to_owned())
    }

    /// Multiplies every entry by a factor.
    pub(crate) fn scale(&mut self, factor: f64) {
        self.0 *= Scale(factor);
    }

    /// Adds `factor · other`.
    pub(crate) fn add_scaled(&mut self, factor: f64, other: &SmallMatrix) {
        self.0 += Scale(factor) * &other.0;
    }

    /// The Cholesky factorisation of a symmetric positive definite matrix, from its lower triangle. An error
    /// names `solver`.
    pub(crate) fn cholesky(&self, solver: &'static str) -> Result<Cholesky> {
        let llt = self.0.llt(Side::Lower);
        llt.map(Cholesky).map_err(|e| Error::Numerical { solver, why: format!("{e:?}") })
    }

    /// Eigenvalues (largest first) and eigenvectors of a symmetric matrix, from its lower triangle.
    pub(crate) fn symmetric_eigen(&self) -> Result<(Vec<f64>, SmallMatrix)> {
        let size = self.rows();
        let largest = (0..size).flat_map(|i| (0..=i).map(move |j| (i, j)));
        let largest = largest.fold(0.0f64, |top, (i, j)| top.max(self[(i, j)].abs()));
        // Rarely the solver does not converge, for example with many eigenvalues that are nearly zero; with a
        // multiple of the identity added it does.
        let mut fault = String::new();
        for shift in [0.0, 1e-3, 1.0].map(|share| share * largest) {
            let mut shifted = Cow::Borrowed(&self.0);
            if shift > 0.0 {
                (0..size).for_each(|k| shifted.to_mut()[(k, k)] += shift);
            }
            match shifted.self_adjoint_eigen(Side::Lower) {
                Ok(evd) => {
                    // The library sorts ascending.
                    let values = (0..size).rev().map(|i| evd.S()[i] - shift).collect();
                    let vectors = SmallMatrix::from_fn(size, size, |row, col| evd.U()[(row, size - 1 - col)]);
                    return Ok((values, vectors));
                }
                Err(e) => fault = format!("{e:?}"),
            }
        }
        Err(Error::Numerical { solver: "symmetric eigenproblem", why: fault })
    }

    /// Left singular vectors, singular values (largest first) and right singular vectors.
    #[cfg(test)]
    pub(crate) fn thin_svd(&self) -> (SmallMatrix, Vec<f64>, SmallMatrix) {
        let svd = self.0.thin_svd().unwrap();
        let values = (0..self.rows().min(self.cols())).map(|k| svd.S()[k]).collect();
        (SmallMatrix(svd.U().to_owned()), values, SmallMatrix(svd.V().to_owned()))
    }
}

impl Index<(usize, usize)> for SmallMatrix {
    type Output = f64;

    #[inline]
    fn index(&self, (row, col): (usize, usize)) -> &f64 {
        &self.0[(row, col)]
    }
}

impl IndexMut<(usize, usize)> for SmallMatrix {
    #[inline]
    fn index_mut(&mut self, (row, col): (usize, usize)) -> &mut f64 {
        &mut self.0[(row, col)]
    }
}

/// The Cholesky factorisation `L Lᵀ` of a symmetric positive definite matrix.
#[derive(Clone, Debug)]
pub(crate) struct Cholesky(Llt<f64>);

impl Cholesky {
    /// The solution `x` of `L Lᵀ x = b`.
    pub(crate) fn solve(&self, b: &SmallMatrix) -> SmallMatrix {
        SmallMatrix(self.0.solve(&b.0))
    }

    /// The inverse of the matrix.
    pub(crate) fn inverse(&self) -> SmallMatrix {
        SmallMatrix(self.0.inverse())
    }

    /// The smallest entry on the diagonal of `L`.
    pub(crate) fn smallest_pivot(&self) -> f64 {
        let l = self.0.L();
        (0..l.nrows()).map(|i| l[(i, i)]).fold(f64::INFINITY, f64::min)
    }

    /// The inverse of `L`.
    pub(crate) fn factor_inverse(&self) -> SmallMatrix {
        let l = self.0.L();
        let mut inverse = SmallMatrix::identity(l.nrows());
        solve_lower_triangular_in_place(l, inverse.0.as_mut(), Par::Seq);
        inverse
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A symmetric positive definite matrix.
    fn positive() -> SmallMatrix {
        SmallMatrix::from_fn(4, 4, |i, j| if i == j { 4.0 } else { 1.0 / (1 + i + j) as f64 })
    }

    fn close(a: &SmallMatrix, b: &SmallMatrix) -> bool {
        assert_eq!((a.rows(), a.cols()), (b.rows(), b.cols()));
        (0..a.rows()).all(|i| (0..a.cols()).all(|j| (a[(i, j)] - b[(i, j)]).abs() < 1e-12))
    }

    #[test]
    fn products_agree_with_each_other() {
        let a = SmallMatrix::from_fn(3, 4, |i, j| (2 * i + j) as f64);
        let transposed = SmallMatrix::from_fn(4, 3, |i, j| a[(j, i)]);
        assert!(close(&a.transpose_times(&a), &transposed.times(&a)));
        assert!(close(&a.times_transpose(&a), &a.times(&transposed)));
        let one = SmallMatrix::from_fn(3, 1, |i, _| i as f64);
        let last = SmallMatrix::from_fn(1, 4, |_, j| a[(2, j)]);
        assert!(close(&one.times_rows(&a, 2..3), &one.times(&last)));
        let mut sum = SmallMatrix::zeros(3, 4);
        sum.add_scaled(3.0, &a);
        sum.scale(1.0 / 3.0);
        assert!(close(&sum, &a));
    }

    #[test]
    fn decompositions_give_the_matrix_back() {
        let a = positive();
        let identity = SmallMatrix::identity(4);
        let cholesky = a.cholesky("test").unwrap();
        assert!(close(&a.times(&cholesky.inverse()), &identity));
        assert!(close(&a.times(&cholesky.solve(&identity)), &identity));
        let factor_inverse = cholesky.factor_inverse();
        assert!(close(&factor_inverse.times(&a).times_transpose(&factor_inverse), &identity));
        let largest = (0..4).map(|i| factor_inverse[(i, i)]).fold(0.0, f64::max);
        assert!((1.0 / cholesky.smallest_pivot() - largest).abs() < 1e-12);
        let (values, vectors) = a.symmetric_eigen().unwrap();
        assert!(values.is_sorted_by(|a, b| a >= b));
        let scaled = SmallMatrix::from_fn(4, 4, |i, j| vectors[(i, j)] * values[j]);
        assert!(close(&scaled.times_transpose(&vectors), &a));
        let indefinite = SmallMatrix::from_fn(2, 2, |_, _| -1.0);
        assert!(indefinite.cholesky("test").unwrap_err().to_string().contains("test"));
    }
}
