//! Kernel ridge regression, with leave-one-out predictions in closed form.

use crate::error::Result;
use crate::kernel::{Cholesky, SmallMatrix};

/// Predictions for every training row by the model that was fitted without it: `y_i − α_i / (K + λI)⁻¹_ii`.
///
/// Needs one inverse instead of one fit per row.
pub(crate) fn leave_one_out(kernel: &SmallMatrix, lambda: f64, target: &SmallMatrix) -> Result<SmallMatrix> {
    let inverse = decomposed(kernel, lambda)?.inverse();
    let alpha = inverse.times(target);
    Ok(SmallMatrix::from_fn(target.rows(), target.cols(), |row, col| {
        target[(row, col)] - alpha[(row, col)] / inverse[(row, row)]
    }))
}

/// The same if the kernel is the product of rows with fewer columns than rows: `(ŷ_i − h_i y_i) / (1 − h_i)`,
/// with `h_i` the diagonal of `Z (ZᵀZ + λI)⁻¹ Zᵀ`.
pub(crate) fn leave_one_out_of_rows(
    rows: &SmallMatrix,
    lambda: f64,
    target: &SmallMatrix,
) -> Result<SmallMatrix> {
    let inverse = decomposed(&rows.transpose_times(rows), lambda)?.inverse();
    let projected = rows.times(&inverse);
    let fitted = projected.times(&rows.transpose_times(target));
    let leverage =
        |row: usize| -> f64 { (0..rows.cols()).map(|col| projected[(row, col)] * rows[(row, col)]).sum() };
    let leverages: Vec<f64> = (0..rows.rows()).map(leverage).collect();
    Ok(SmallMatrix::from_fn(target.rows(), target.cols(), |row, col| {
        (fitted[(row, col)] - leverages[row] * target[(row, col)]) / (1.0 - leverages[row]).max(f64::EPSILON)
    }))
}

/// The coefficients α of `K α + λ α = y`.
pub(crate) fn kernel_ridge(kernel: &SmallMatrix, lambda: f64, target: &SmallMatrix) -> Result<SmallMatrix> {
    Ok(decomposed(kernel, lambda)?.solve(target))
}

fn decomposed(kernel: &SmallMatrix, lambda: f64) -> Result<Cholesky> {
    let size = kernel.rows();
    let shifted = SmallMatrix::from_fn(size, size, |row, col| {
        kernel[(row, col)] + if row == col { lambda } else { 0.0 }
    });
    shifted.cholesky("kernel ridge regression")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::{Seed, Stream};

    /// The closed form equals separate fits without each row.
    #[test]
    fn leaving_one_out_equals_fitting_without_it() {
        let mut draw = Seed(5).stream(Stream::Synth, 3);
        let (rows, width) = (12, 4);
        let z = SmallMatrix::from_fn(rows, width, |_, _| draw.normal());
        let y = SmallMatrix::from_fn(rows, 2, |_, _| draw.normal());
        let kernel = z.times_transpose(&z);
        let found = leave_one_out(&kernel, 0.7, &y).unwrap();
        let of_rows = leave_one_out_of_rows(&z, 0.7, &y).unwrap();
        for left_out in 0..rows {
            let others: Vec<usize> = (0..rows).filter(|&row| row != left_out).collect();
            let own = SmallMatrix::from_fn(others.len(), others.len(), |a, b| kernel[(others[a], others[b])]);
            let target = SmallMatrix::from_fn(others.len(), 2, |row, col| y[(others[row], col)]);
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
