//! Distances to the centres of clusters, and the sums of clusters.

use std::ops::Range;

use super::dense::{DenseRows, gemm_nt};
use super::reduction::{Reduction, reduce, wide_block};
use super::simd;
use super::vector::{dot, inline_dot};
use crate::exec::Exec;
use crate::matrix::Matrix;

/// Rows per block. Fixed, because sums are taken block by block.
const BLOCK: usize = 1024;

/// The nearest centre of every row and the squared distance to it; ties go to the first.
pub(crate) fn nearest_centres(x: &Matrix, centres: &Matrix, exec: &Exec) -> Vec<(u32, f32)> {
    let k = centres.rows();
    let norms: Vec<f32> = (0..k).map(|c| dot(centres.row(c), centres.row(c))).collect();
    let mut out = vec![(0, 0.0); x.rows()];
    exec.fill_rows(&mut out, 1, BLOCK, |first, out| {
        let mut products = vec![0.0; out.len() * k];
        gemm_nt(DenseRows::of(x, first..first + out.len()), DenseRows::all(centres), &mut products);
        simd(
            #[inline(always)]
            || {
                for (at, out) in out.iter_mut().enumerate() {
                    let row = x.row(first + at);
                    let mut nearest = (0, f32::INFINITY);
                    for (c, (product, norm)) in products[at * k..(at + 1) * k].iter().zip(&norms).enumerate()
                    {
                        let distance = norm - 2.0 * product;
                        if distance < nearest.1 {
                            nearest = (c as u32, distance);
                        }
                    }
                    *out = (nearest.0, (nearest.1 + inline_dot(row, row)).max(0.0));
                }
            },
        );
    });
    out
}

/// Updates the squared distance of every row to its nearest centre with one more centre.
pub(crate) fn lower_distances(x: &Matrix, centre: &[f32], distances: &mut [f32], exec: &Exec) {
    let norm = dot(centre, centre);
    exec.fill_rows(distances, 1, BLOCK, |first, distances| {
        simd(
            #[inline(always)]
            || {
                for (at, lowest) in distances.iter_mut().enumerate() {
                    let row = x.row(first + at);
                    let distance = norm + inline_dot(row, row) - 2.0 * inline_dot(row, centre);
                    *lowest = lowest.min(distance.max(0.0));
                }
            },
        );
    });
}

/// The sum and the number of the rows of each of `k` clusters, one after the other.
pub(crate) fn cluster_sums(
    x: &Matrix,
    assigned: &[(u32, f32)],
    k: usize,
    exec: &Exec,
) -> (Vec<f64>, Vec<u32>) {
    reduce(&ClusterSums { x, assigned, k }, exec)
}

struct ClusterSums<'a> {
    x: &'a Matrix,
    assigned: &'a [(u32, f32)],
    k: usize,
}

impl Reduction for ClusterSums<'_> {
    type Partial = (Vec<f64>, Vec<u32>);
    type Output = (Vec<f64>, Vec<u32>);

    fn rows(&self) -> usize {
        self.x.rows()
    }

    fn block(&self) -> usize {
        wide_block(self.x.rows(), BLOCK)
    }

    fn partial(&self, rows: Range<usize>) -> (Vec<f64>, Vec<u32>) {
        let d = self.x.cols();
        let mut sums = vec![0.0f64; self.k * d];
        let mut counts = vec![0u32; self.k];
        simd(
            #[inline(always)]
            || {
                for row in rows {
                    let cluster = self.assigned[row].0 as usize;
                    counts[cluster] += 1;
                    for (sum, &v) in sums[cluster * d..(cluster + 1) * d].iter_mut().zip(self.x.row(row)) {
                        *sum += f64::from(v);
                    }
                }
            },
        );
        (sums, counts)
    }

    fn merge(&self, partials: Vec<(Vec<f64>, Vec<u32>)>) -> (Vec<f64>, Vec<u32>) {
        let mut sums = vec![0.0f64; self.k * self.x.cols()];
        let mut counts = vec![0u32; self.k];
        for (partial, partial_counts) in &partials {
            sums.iter_mut().zip(partial).for_each(|(sum, v)| *sum += v);
            counts.iter_mut().zip(partial_counts).for_each(|(count, v)| *count += v);
        }
        (sums, counts)
    }
}
