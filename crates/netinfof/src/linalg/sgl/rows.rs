//! The feature rows of a regression in memory.

use std::ops::Range;

use crate::exec::Exec;
use crate::kernel::{self, simd};

/// Rows of features that can be produced block by block, so that they need not all be in memory.
pub(crate) trait Design: Sync {
    /// Number of rows.
    fn rows(&self) -> usize;
    /// Number of columns.
    fn cols(&self) -> usize;
    /// Writes these rows, one after the other.
    fn fill(&self, rows: Range<usize>, out: &mut [f32]);
}

/// Rows that are unpacked at a time; small enough for the cache.
const BLOCK: usize = 64;
/// Rows of one task; sums are taken task by task, so it is fixed.
pub(super) const TASK: usize = 1024;
/// A design up to this size is kept in single precision; a larger one is packed into half the space.
const UNPACKED_BYTES: usize = 128 << 20;
/// The rows of a design in memory.
pub(super) enum Rows {
    /// As they are.
    Plain(Vec<f32>),
    /// As 16-bit shares of the largest entry of their column. The rounding, 1/65536 of that entry, is far below what the
    /// sampling of the pairs adds, and passes over the data are bound by memory.
    Packed { shares: Vec<i16>, unit: Vec<f32> },
}

impl Rows {
    pub(super) fn collect(design: &dyn Design, exec: &Exec) -> Self {
        let (n, p) = (design.rows(), design.cols());
        if n * p * 4 <= UNPACKED_BYTES {
            let mut rows = vec![0.0; n * p];
            exec.fill_rows(&mut rows, p, BLOCK, |first, out| design.fill(first..first + out.len() / p, out));
            return Rows::Plain(rows);
        }
        let in_blocks = |range: Range<usize>, work: &mut dyn FnMut(usize, &[f32])| {
            let mut block = vec![0.0; BLOCK * p];
            for first in range.clone().step_by(BLOCK) {
                let count = BLOCK.min(range.end - first);
                let block = &mut block[..count * p];
                design.fill(first..first + count, block);
                work(first, block);
            }
        };
        let partials = exec.map_blocks(n, TASK, |range| {
            let mut largest = vec![0.0f32; p];
            in_blocks(range, &mut |_, block| {
                simd(
                    #[inline(always)]
                    || {
                        for row in block.chunks_exact(p) {
                            for (largest, v) in largest.iter_mut().zip(row) {
                                *largest = largest.max(v.abs());
                            }
                        }
                    },
                );
            });
            largest
        });
        let mut unit = vec![0.0f32; p];
        for partial in &partials {
            for (unit, v) in unit.iter_mut().zip(partial) {
                *unit = unit.max(v / 32767.0);
            }
        }
        let inverse: Vec<f32> = unit.iter().map(|&u| if u > 0.0 { 1.0 / u } else { 0.0 }).collect();
        let mut shares = vec![0i16; n * p];
        exec.fill_rows(&mut shares, p, TASK, |first, out| {
            in_blocks(first..first + out.len() / p, &mut |at, block| {
                let out = &mut out[(at - first) * p..][..block.len()];
                simd(
                    #[inline(always)]
                    || {
                        for (out, row) in out.chunks_exact_mut(p).zip(block.chunks_exact(p)) {
                            for k in 0..p {
                                let share = row[k] * inverse[k];
                                // Rounds half away from zero; the cast truncates and cannot overflow.
                                out[k] = (share + 0.5f32.copysign(share)) as i16;
                            }
                        }
                    },
                );
            });
        });
        Rows::Packed { shares, unit }
    }

    /// Weights for the stored numbers instead of the true ones.
    pub(super) fn for_stored(&self, weights: &[f64]) -> Vec<f32> {
        match self {
            Rows::Plain(_) => weights.iter().map(|&w| w as f32).collect(),
            Rows::Packed { unit, .. } => {
                weights.iter().zip(unit).map(|(&w, &u)| (w * f64::from(u)) as f32).collect()
            }
        }
    }

    /// The dot product of every row of the range with each of the weights, which are for the stored numbers.
    pub(super) fn dots(
        &self,
        range: Range<usize>,
        weights: &[Vec<f32>],
        mut each: impl FnMut(usize, usize, f32),
    ) {
        let p = weights[0].len();
        let at = range.start * p..range.end * p;
        simd(
            #[inline(always)]
            || match self {
                Rows::Plain(rows) => dots(&rows[at], weights, &mut each),
                Rows::Packed { shares, .. } => dots(&shares[at], weights, &mut each),
            },
        );
    }

    /// The sums of the rows of the range, each weighed by one number for each output.
    pub(super) fn sums(
        &self,
        p: usize,
        range: Range<usize>,
        outputs: usize,
        weigh: impl FnMut(usize, &mut [f64]),
    ) -> Vec<Vec<f32>> {
        let at = range.start * p..range.end * p;
        simd(
            #[inline(always)]
            || match self {
                Rows::Plain(rows) => sums(p, &rows[at], outputs, weigh),
                Rows::Packed { shares, unit } => {
                    let mut sums = sums(p, &shares[at], outputs, weigh);
                    for sum in &mut sums {
                        sum.iter_mut().zip(unit).for_each(|(sum, unit)| *sum *= unit);
                    }
                    sums
                }
            },
        )
    }

    /// Copies one row.
    pub(super) fn copy_row(&self, row: usize, out: &mut [f32]) {
        let at = row * out.len()..(row + 1) * out.len();
        match self {
            Rows::Plain(rows) => out.copy_from_slice(&rows[at]),
            Rows::Packed { shares, unit } => {
                for ((out, &share), unit) in out.iter_mut().zip(&shares[at]).zip(unit) {
                    *out = f32::from(share) * unit;
                }
            }
        }
    }
}

#[inline(always)]
fn dots<T: Copy + Into<f32>>(rows: &[T], weights: &[Vec<f32>], each: &mut impl FnMut(usize, usize, f32)) {
    for (row, features) in rows.chunks_exact(weights[0].len()).enumerate() {
        for (output, weights) in weights.iter().enumerate() {
            each(row, output, kernel::dot(features, weights));
        }
    }
}

#[inline(always)]
fn sums<T: Copy + Into<f32>>(
    p: usize,
    rows: &[T],
    outputs: usize,
    mut weigh: impl FnMut(usize, &mut [f64]),
) -> Vec<Vec<f32>> {
    let mut sums = vec![vec![0.0f32; p]; outputs];
    let mut weights = vec![0.0; outputs];
    for (row, features) in rows.chunks_exact(p).enumerate() {
        weigh(row, &mut weights);
        for (sum, &weight) in sums.iter_mut().zip(&weights) {
            kernel::axpy(weight as f32, features, sum);
        }
    }
    sums
}
