//! Kernel ridge regression, with leave-one-out predictions in closed form.

use faer::linalg::solvers::{DenseSolveCore as _, Solve as _};
use faer::{Mat, Side};

use crate::error::{Error, Result};

/// Predictions for every training row by the model that was fitted without it: `y_i − α_i / (K + λI)⁻¹_ii`.
///
/// One inverse instead of a fit for every row.
pub(crate) fn leave_one_out(kernel: &Mat<f64>, lambda: f64, target: &Mat<f64>) -> Result<Mat<f64>> {
    let inverse = decomposed(kernel, lambda)?.inverse();
    let alpha = &inverse * target;
    Ok(Mat::from_fn(target.nrows(), target.ncols(), |row, col| {
        target[(row, col)] - alpha[(row, col)] / inverse[(row, row)]
    }))
}

/// The same where the kernel is the product of rows with fewer columns than there are rows: `(ŷ_i − h_i y_i) / (1 − h_i)`, with `h_i` the diagonal of
/// `Z (ZᵀZ + λI)⁻¹ Zᵀ`.
pub(crate) fn leave_one_out_of_rows(rows: &Mat<f64>, lambda: f64, target: &Mat<f64>) -> Result<Mat<f64>> {
    let inverse = decomposed(&(rows.transpose() * rows), lambda)?.inverse();
    let projected = rows * &inverse;
    let fitted = &projected * (rows.transpose() * target);
    let leverage =
        |row: usize| -> f64 { (0..rows.ncols()).map(|col| projected[(row, col)] * rows[(row, col)]).sum() };
    let leverages: Vec<f64> = (0..rows.nrows()).map(leverage).collect();
    Ok(Mat::from_fn(target.nrows(), target.ncols(), |row, col| {
        (fitted[(row, col)] - leverages[row] * target[(row, col)]) / (1.0 - leverages[row]).max(f64::EPSILON)
    }))
}

/// The coefficients α of `K α + λ α = y`.
pub(crate) fn kernel_ridge(kernel: &Mat<f64>, lambda: f64, target: &Mat<f64>) -> Result<Mat<f64>> {
    Ok(decomposed(kernel, lambda)?.solve(target))
}

fn decomposed(kernel: &Mat<f64>, lambda: f64) -> Result<faer::linalg::solvers::Llt<f64>> {
    let size = kernel.nrows();
    let shifted =
        Mat::from_fn(size, size, |row, col| kernel[(row, col)] + if row == col { lambda } else { 0.0 });
    shifted
        .llt(Side::Lower)
        .map_err(|e| Error::Numerical { solver: "kernel ridge regression", why: format!("{e:?}") })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::{Seed, Stream};

    /// The closed form equals as many fits as there are rows.
    #[test]
    fn leaving_one_out_equals_fitting_without_it() {
        let mut draw = Seed(5).stream(Stream::Synth, 3);
        let (rows, width) = (12, 4);
        let z = Mat::from_fn(rows, width, |_, _| draw.normal());
        let y = Mat::from_fn(rows, 2, |_, _| draw.normal());
        let kernel = &z * z.transpose();
        let found = leave_one_out(&kernel, 0.7, &y).unwrap();
        let of_rows = leave_one_out_of_rows(&z, 0.7, &y).unwrap();
        for left_out in 0..rows {
            let others: Vec<usize> = (0..rows).filter(|&row| row != left_out).collect();
            let own = Mat::from_fn(others.len(), others.len(), |a, b| kernel[(others[a], others[b])]);
            let target = Mat::from_fn(others.len(), 2, |row, col| y[(others[row], col)]);
            let alpha = kernel_ridge(&own, 0.7, &target).unwrap();
            for col in 0..2 {
                let predicted: f64 = others
                    .iter()
                    .enumerate()
                    .map(|(at, &row)| kernel[(left_out, row)] * alpha[(at, col)])
                    .sum();
                assert!((predicted - found[(left_out, col)]).abs() < 1e-9);
                assert!((predicted - of_rows[(left_out, col)]).abs() < 1e-9);
            }
        }
    }
}
