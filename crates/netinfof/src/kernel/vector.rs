//! Loops over vectors and rows of vectors.

use super::simd;

/// `y += a x`, to be inlined into a loop under [`simd`].
#[inline(always)]
pub(super) fn inline_axpy<T: Copy + Into<f32>>(a: f32, x: &[T], y: &mut [f32]) {
    for (y, &x) in y.iter_mut().zip(x) {
        *y += a * x.into();
    }
}

/// The dot product, in 32 independent lanes that are added in a fixed order, to be inlined into a loop under
/// [`simd`].
#[inline(always)]
pub(super) fn inline_dot<T: Copy + Into<f32>>(x: &[T], y: &[f32]) -> f32 {
    const LANES: usize = 32;
    let mut lanes = [0.0f32; LANES];
    let (xs, ys) = (x.chunks_exact(LANES), y.chunks_exact(LANES));
    let tail: f32 = xs.remainder().iter().zip(ys.remainder()).map(|(&a, b)| a.into() * b).sum();
    for (x, y) in xs.zip(ys) {
        for lane in 0..LANES {
            lanes[lane] += x[lane].into() * y[lane];
        }
    }
    lanes.iter().sum::<f32>() + tail
}

/// `y += a x`.
pub(crate) fn axpy(a: f32, x: &[f32], y: &mut [f32]) {
    simd(
        #[inline(always)]
        || inline_axpy(a, x, y),
    );
}

/// `y += a x`, in `f64`.
pub(crate) fn axpy_f64(a: f64, x: &[f32], y: &mut [f64]) {
    simd(
        #[inline(always)]
        || {
            for (y, &x) in y.iter_mut().zip(x) {
                *y += f64::from(x) * a;
            }
        },
    );
}

/// The dot product.
pub(crate) fn dot(x: &[f32], y: &[f32]) -> f32 {
    simd(
        #[inline(always)]
        || inline_dot(x, y),
    )
}

/// `row · weights + intercept` of every row and every output, row after row.
pub(crate) fn affine_scores<W: AsRef<[f32]>>(
    rows: &[f32],
    width: usize,
    outputs: &[(W, f64)],
    scores: &mut [f64],
) {
    simd(
        #[inline(always)]
        || {
            for (scores, row) in scores.chunks_exact_mut(outputs.len()).zip(rows.chunks_exact(width)) {
                for (score, (weights, intercept)) in scores.iter_mut().zip(outputs) {
                    *score = f64::from(inline_dot(row, weights.as_ref())) + intercept;
                }
            }
        },
    );
}

/// Adds to `totals` the dot product of every row with each of the weights, row after row.
pub(crate) fn add_row_dots<T: Copy + Into<f32>>(rows: &[T], weights: &[Vec<f32>], totals: &mut [f32]) {
    let (width, outputs) = (weights[0].len().max(1), weights.len());
    simd(
        #[inline(always)]
        || {
            for (row, totals) in rows.chunks_exact(width).zip(totals.chunks_exact_mut(outputs)) {
                for (total, weights) in totals.iter_mut().zip(weights) {
                    *total += inline_dot(row, weights);
                }
            }
        },
    );
}

/// For each output, the sum of the rows times their weights; `weights` holds one number per row and output,
/// row after row.
pub(crate) fn weighted_row_sums<T: Copy + Into<f32>>(
    rows: &[T],
    width: usize,
    weights: &[f64],
    outputs: usize,
) -> Vec<Vec<f32>> {
    simd(
        #[inline(always)]
        || {
            let mut sums = vec![vec![0.0f32; width]; outputs];
            for (row, weights) in rows.chunks_exact(width.max(1)).zip(weights.chunks_exact(outputs)) {
                for (sum, &weight) in sums.iter_mut().zip(weights) {
                    inline_axpy(weight as f32, row, sum);
                }
            }
            sums
        },
    )
}

/// Raises `largest` to the magnitudes of the entries of each column.
pub(crate) fn raise_to_magnitudes(rows: &[f32], largest: &mut [f32]) {
    simd(
        #[inline(always)]
        || {
            for row in rows.chunks_exact(largest.len()) {
                for (largest, v) in largest.iter_mut().zip(row) {
                    *largest = largest.max(v.abs());
                }
            }
        },
    );
}

/// Writes rows as 16-bit multiples of their columns' units, given the inverse of each unit.
pub(crate) fn round_to_shares(rows: &[f32], inverse_units: &[f32], out: &mut [i16]) {
    let width = inverse_units.len();
    simd(
        #[inline(always)]
        || {
            for (out, row) in out.chunks_exact_mut(width).zip(rows.chunks_exact(width)) {
                for k in 0..width {
                    let share = row[k] * inverse_units[k];
                    // Rounds half away from zero; the cast truncates and cannot overflow.
                    out[k] = (share + 0.5f32.copysign(share)) as i16;
                }
            }
        },
    );
}

/// Whether any score is above the threshold of its row or that of its column.
pub(crate) fn any_above(scores: &[f32], row_threshold: f32, column_thresholds: &[f32]) -> bool {
    simd(
        #[inline(always)]
        || {
            let mut hits = 0u32;
            for (&score, &threshold) in scores.iter().zip(column_thresholds) {
                hits |= u32::from(score > row_threshold) | u32::from(score > threshold);
            }
            hits > 0
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dots_and_sums_equal_plain_loops() {
        let x: Vec<f32> = (0..75).map(|k| (k % 7) as f32 - 3.0).collect();
        let y: Vec<f32> = (0..75).map(|k| (k % 5) as f32).collect();
        let expected: f32 = x.iter().zip(&y).map(|(a, b)| a * b).sum();
        assert_eq!(dot(&x, &y), expected);
        let mut scores = [0.0; 4];
        let outputs = [(&y[..2], 1.0), (&y[2..4], -1.0)];
        affine_scores(&[1.0, 2.0, 3.0, 4.0], 2, &outputs, &mut scores);
        assert_eq!(scores, [3.0, 7.0, 5.0, 17.0]);
        let shares: [i16; 4] = [1, 2, 3, 4];
        let mut totals = [1.0, 1.0];
        add_row_dots(&shares, &[vec![1.0, 10.0]], &mut totals);
        assert_eq!(totals, [22.0, 44.0]);
        assert_eq!(weighted_row_sums(&shares, 2, &[1.0, -1.0], 1), [[-2.0, -2.0]]);
    }

    #[test]
    fn shares_round_half_away_from_zero() {
        let mut largest = [0.0, 0.0];
        raise_to_magnitudes(&[1.0, -4.0, -2.0, 3.0], &mut largest);
        assert_eq!(largest, [2.0, 4.0]);
        let mut shares = [0; 4];
        round_to_shares(&[1.0, -2.5, -0.4, 2.4], &[1.0, 1.0], &mut shares);
        assert_eq!(shares, [1, -3, 0, 2]);
        assert!(any_above(&[1.0, 2.0], 3.0, &[5.0, 1.0]) && !any_above(&[1.0, 2.0], 3.0, &[5.0, 2.0]));
    }
}
