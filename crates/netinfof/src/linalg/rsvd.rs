//! Randomised truncated SVD (Halko, Martinsson, Tropp 2011, algorithms 4.4 and 5.1) of any linear operator.

use serde::{Deserialize, Serialize};

use super::LinearOperator;
use crate::error::{Error, Result};
use crate::exec::Exec;
use crate::kernel::{self, SmallMatrix};
use crate::matrix::{LARGE, Matrix};
use crate::seed::{Seed, Stream};

/// Parameters of the randomised SVD.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RsvdParams {
    /// Subspace iterations after the first pass (default 4).
    pub power_iterations: usize,
    /// The same for large matrices, those whose sketch has at least 2²⁶ entries (default 1): every iteration
    /// passes twice over the data, and a sketch of many rows is accurate enough (docs/scale.md).
    #[serde(default = "one")]
    pub power_iterations_large: usize,
    /// Columns of the sketch beyond the rank (default 20).
    pub oversampling: usize,
}

impl Default for RsvdParams {
    fn default() -> Self {
        RsvdParams { power_iterations: 4, power_iterations_large: 1, oversampling: 20 }
    }
}

impl RsvdParams {
    /// The same number of iterations for matrices of all sizes.
    #[must_use]
    pub fn power_iterations(mut self, iterations: usize) -> Self {
        (self.power_iterations, self.power_iterations_large) = (iterations, iterations);
        self
    }

    /// The number of iterations for a sketch of this size.
    pub(crate) fn iterations(&self, rows: usize, width: usize) -> usize {
        if rows * width < LARGE { self.power_iterations } else { self.power_iterations_large }
    }
}

// For parameters of earlier versions.
fn one() -> usize {
    1
}

/// Singular values and right singular vectors of a truncated SVD, largest first. Signs are fixed: the entry
/// of largest magnitude in each column is positive. The left singular vectors are the operator's product with
/// `v`, divided by `s`.
#[derive(Clone, Debug)]
pub(crate) struct Svd {
    pub(crate) s: Vec<f64>,
    pub(crate) v: Matrix,
}

/// Singular values below this share of the largest are rounding noise of `f32` data and are dropped.
const RANK_TOLERANCE: f64 = 1e-5;

/// The leading `rank` singular triplets; fewer if the operator has a smaller rank.
///
/// Costs `2 (iterations + 1)` products with `rank + oversampling` vectors and `O(n · rank²)` for
/// orthonormalisation. `unit` names the random stream.
pub(crate) fn rsvd(
    op: &dyn LinearOperator,
    rank: usize,
    params: &RsvdParams,
    seed: Seed,
    unit: u64,
    exec: &Exec,
) -> Result<Svd> {
    match attempt(op, rank, params, false, seed, unit, exec)? {
        Some(svd) => Ok(svd),
        None => Ok(attempt(op, rank, params, true, seed, unit, exec)?.expect("nothing is computed again")),
    }
}

/// As [`rsvd`]. `steep`: whether all products are orthonormalised. Otherwise `None`, if that is necessary and the
/// factors of the products were not kept, in order to save memory.
fn attempt(
    op: &dyn LinearOperator,
    rank: usize,
    params: &RsvdParams,
    mut steep: bool,
    seed: Seed,
    unit: u64,
    exec: &Exec,
) -> Result<Option<Svd>> {
    let width = (rank + params.oversampling).min(op.rows()).min(op.cols());
    let empty = || Some(Svd { s: Vec::new(), v: Matrix::zeros(op.cols(), 0) });
    if width == 0 {
        return Ok(empty());
    }
    // Uniform numbers are as good as Gaussians here (both are sub-Gaussian) and are cheaper. Random signs are
    // cheaper still, but small matrices of them are singular too often.
    let mut draw = seed.stream(Stream::Sketch, unit);
    let mut test = Matrix::zeros(op.cols(), width);
    for two in test.as_mut_slice().chunks_mut(2) {
        let bits = draw.bits();
        for (value, half) in two.iter_mut().zip([bits as u32, (bits >> 32) as u32]) {
            *value = half.cast_signed() as f32 / 2f32.powi(31);
        }
    }
    let mut y = op.apply_owned(test, exec);
    // Between two orthonormalisations lie two products, which square the spectrum. If that loses directions,
    // the products are computed again with one orthonormalisation each.
    // What `y` is the product of; without entries if it was not kept. At most two tall matrices are in memory at once.
    let mut back: Option<Matrix> = None;
    let mut basis = |y: Matrix, back: Option<Matrix>| -> Result<Option<(Matrix, bool)>> {
        let width = y.cols();
        let q = orthonormalize(y, exec)?;
        if q.cols() == width || steep {
            return Ok(Some((q, steep)));
        }
        steep = true;
        match back {
            None => Ok(Some((q, steep))),
            Some(back) if back.cols() == 0 => Ok(None),
            Some(back) => {
                drop(q);
                let again = orthonormalize(op.apply(&orthonormalize(back, exec)?, exec), exec)?;
                Ok(Some((again, steep)))
            }
        }
    };
    for _ in 0..params.iterations(op.rows().max(op.cols()), width) {
        exec.check()?;
        let Some((q, steep)) = basis(y, back.take())? else { return Ok(None) };
        if q.cols() == 0 {
            return Ok(empty());
        }
        let next = op.apply_transpose_owned(q, exec);
        exec.check()?;
        if steep {
            y = op.apply_owned(orthonormalize(next, exec)?, exec);
        } else if op.saves_memory() {
            y = op.apply_owned(next, exec);
            back = Some(Matrix::zeros(0, 0));
        } else {
            y = op.apply(&next, exec);
            back = Some(next);
        }
    }
    exec.check()?;
    // Twice: the first pass leaves the rounding error times the condition number, the second only rounding
    // error.
    let Some((q, _)) = basis(y, back)? else { return Ok(None) };
    let q = orthonormalize(q, exec)?;
    if q.cols() == 0 {
        return Ok(empty());
    }
    exec.check()?;
    let width = q.cols();
    let b = op.apply_transpose_owned(q, exec);
    exec.check()?;
    let (values, vectors) = kernel::gram(&b, None, exec).symmetric_eigen()?;
    let largest = values[0].max(0.0).sqrt();
    let kept: Vec<f64> = values
        .iter()
        .take(rank)
        .map(|&value| value.max(0.0).sqrt())
        .take_while(|&s| s > RANK_TOLERANCE * largest)
        .collect();
    let k = kept.len();
    let rotation = SmallMatrix::from_fn(width, k, |row, col| vectors[(row, col)]);
    let mut v = if op.saves_memory() {
        kernel::gemm_small_in_place(b, &rotation, exec)
    } else {
        kernel::gemm_small(&b, &rotation, exec)
    };
    let signs = fix_signs(&v);
    v.scale_cols(&kept.iter().zip(&signs).map(|(&s, &sign)| sign / s as f32).collect::<Vec<_>>());
    Ok(Some(Svd { s: kept, v }))
}

/// The leading eigenvectors of a symmetric positive matrix, exactly; the singular values are its eigenvalues.
pub(crate) fn symmetric_svd(a: &SmallMatrix, rank: usize) -> Result<Svd> {
    let (values, vectors) = a.symmetric_eigen()?;
    // Eigenvalues of a covariance are squares of the singular values that determine the rank.
    let kept =
        values.iter().take(rank).take_while(|&&v| v > RANK_TOLERANCE.powi(2) * values[0].max(0.0)).count();
    let mut v = Matrix::from_fn(a.rows(), kept, |row, col| vectors[(row, col)] as f32);
    v.scale_cols(&fix_signs(&v));
    Ok(Svd { s: values[..kept].to_vec(), v })
}

/// An orthonormal basis of the columns of `y`, in its place, by the Cholesky factor of its Gram matrix;
/// columns that are dependent to working precision are dropped (by eigenvectors, if Cholesky fails).
fn orthonormalize(y: Matrix, exec: &Exec) -> Result<Matrix> {
    let gram = kernel::gram(&y, None, exec);
    let size = gram.rows();
    let largest = (0..size).map(|i| gram[(i, i)]).fold(0.0, f64::max);
    if !largest.is_finite() {
        return Err(Error::Numerical {
            solver: "randomised SVD",
            why: "the operator gave infinite values".into(),
        });
    }
    if largest == 0.0 {
        return Ok(Matrix::zeros(y.rows(), 0));
    }
    if let Ok(cholesky) = gram.cholesky("Cholesky factorisation") {
        let smallest = cholesky.smallest_pivot();
        if smallest * smallest > 1e-12 * largest {
            // y L⁻ᵀ; the inverse of a small triangle is cheap and allows a single dense product.
            let inverse = cholesky.factor_inverse();
            let r = SmallMatrix::from_fn(size, size, |row, col| inverse[(col, row)]);
            return Ok(kernel::gemm_small_in_place(y, &r, exec));
        }
    }
    let (values, vectors) = gram.symmetric_eigen()?;
    let kept = values.iter().take_while(|&&value| value > 1e-12 * values[0]).count();
    let r = SmallMatrix::from_fn(size, kept, |row, col| vectors[(row, col)] / values[col].sqrt());
    Ok(kernel::gemm_small(&y, &r, exec))
}

/// +1 or −1 for each column, so that its entry of largest magnitude becomes positive (the first one if tied).
fn fix_signs(v: &Matrix) -> Vec<f32> {
    let mut best = vec![0.0f32; v.cols()];
    for row in 0..v.rows() {
        for (best, &v) in best.iter_mut().zip(v.row(row)) {
            if v.abs() > best.abs() {
                *best = v;
            }
        }
    }
    best.iter().map(|&v| if v < 0.0 { -1.0 } else { 1.0 }).collect()
}

/// Solves `a x = b` for a symmetric positive definite `a`.
pub(crate) fn solve_spd(a: &SmallMatrix, b: &SmallMatrix) -> Result<SmallMatrix> {
    Ok(a.cholesky("Cholesky factorisation")?.inverse().times(b))
}

#[cfg(test)]
mod tests {
    use super::super::Dense;
    use super::*;

    fn random(rows: usize, cols: usize, unit: u64) -> Matrix {
        let mut draw = Seed(5).stream(Stream::Synth, unit);
        Matrix::from_fn(rows, cols, |_, _| draw.normal() as f32)
    }

    #[test]
    fn agrees_with_the_exact_svd() {
        let exec = Exec::new(2).unwrap();
        // Singular values 10, 9, …: a gap at every rank.
        let (left, right) = (random(90, 12, 0), random(12, 40, 1));
        let mut scaled = left;
        scaled.scale_cols(&(0..12).map(|k| 10.0 / (1 << k) as f32).collect::<Vec<_>>());
        let a = kernel::gemm(&scaled, &right, &exec);
        let exact = SmallMatrix::from_fn(90, 40, |r, c| f64::from(a.row(r)[c]));
        let (_, exact_values, exact_v) = exact.thin_svd();
        let svd = rsvd(&Dense(&a), 6, &RsvdParams::default(), Seed(0), 0, &exec).unwrap();
        assert_eq!(svd.s.len(), 6);
        for k in 0..6 {
            let s = exact_values[k];
            assert!((svd.s[k] - s).abs() < 1e-4 * s, "value {k}: {} {s}", svd.s[k]);
            let cos: f64 = (0..40).map(|r| exact_v[(r, k)] * f64::from(svd.v.row(r)[k])).sum();
            assert!(cos.abs() > 1.0 - 1e-5, "vector {k}: {cos}");
        }
        // Sign rule.
        for k in 0..6 {
            let top = (0..40).map(|r| svd.v.row(r)[k]).max_by(|a, b| a.abs().total_cmp(&b.abs())).unwrap();
            assert!(top > 0.0);
        }
    }

    /// A matrix whose products are computed in the memory of their factor.
    struct InPlace<'a>(Dense<'a, Matrix>);

    impl LinearOperator for InPlace<'_> {
        fn rows(&self) -> usize {
            self.0.rows()
        }
        fn cols(&self) -> usize {
            self.0.cols()
        }
        fn apply(&self, x: &Matrix, exec: &Exec) -> Matrix {
            self.0.apply(x, exec)
        }
        fn apply_transpose(&self, x: &Matrix, exec: &Exec) -> Matrix {
            self.0.apply_transpose(x, exec)
        }
        fn saves_memory(&self) -> bool {
            true
        }
        fn cost(&self) -> f64 {
            self.0.cost()
        }
    }

    #[test]
    fn little_memory_gives_the_same_vectors() {
        let exec = Exec::new(2).unwrap();
        let plain = random(40, 40, 0);
        let svd = |op: &dyn LinearOperator| rsvd(op, 6, &RsvdParams::default(), Seed(0), 0, &exec).unwrap();
        let [usual, saved] = [svd(&Dense(&plain)), svd(&InPlace(Dense(&plain)))];
        assert_eq!((usual.s, usual.v), (saved.s, saved.v));
        // A spectrum so steep that two products lose directions, so that everything is computed again.
        let mut steep = random(200, 40, 1);
        steep.scale_cols(&(0..40).map(|k| 0.75f32.powi(k)).collect::<Vec<_>>());
        let op = InPlace(Dense(&steep));
        assert!(attempt(&op, 6, &RsvdParams::default(), false, Seed(0), 0, &exec).unwrap().is_none());
        let [usual, saved] = [svd(&Dense(&steep)), svd(&op)];
        for k in 0..6 {
            assert!(
                (usual.s[k] - saved.s[k]).abs() < 1e-4 * usual.s[k],
                "{k}: {} {}",
                usual.s[k],
                saved.s[k]
            );
        }
    }

    #[test]
    fn rank_is_found_and_zero_is_met() {
        let exec = Exec::new(1).unwrap();
        let a = kernel::gemm(&random(50, 3, 2), &random(3, 30, 3), &exec);
        let svd = rsvd(&Dense(&a), 10, &RsvdParams::default(), Seed(0), 0, &exec).unwrap();
        assert_eq!(svd.s.len(), 3, "{:?}", svd.s);
        let svd = rsvd(&Dense(&Matrix::zeros(5, 4)), 3, &RsvdParams::default(), Seed(0), 0, &exec).unwrap();
        assert_eq!((svd.s.len(), svd.v.rows(), svd.v.cols()), (0, 4, 0));
    }
}
