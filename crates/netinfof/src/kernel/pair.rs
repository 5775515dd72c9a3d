//! Loops over pairs of rows.

use std::ops::Range;

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, Par};

use super::dense::DenseRows;
use super::reduction::{Reduction, add_in_order, reduce, wide_block};
use super::simd;
use super::vector::{inline_axpy, inline_dot};
use crate::csr::Pair;
use crate::exec::Exec;
use crate::matrix::Matrix;

/// `left[i] · right[j]` for every pair (i, j).
pub(crate) fn pair_dots(left: &Matrix, right: &Matrix, pairs: &[Pair], exec: &Exec) -> Vec<f32> {
    let mut out = vec![0.0; pairs.len()];
    exec.fill_rows(&mut out, 1, 2048, |first, out| {
        simd(
            #[inline(always)]
            || {
                for (value, &[i, j]) in out.iter_mut().zip(&pairs[first..]) {
                    *value = inline_dot(left.row(i as usize), right.row(j as usize));
                }
            },
        );
    });
    out
}

/// Writes `a · left[i] ⊙ right[j] + b · left[j] ⊙ right[i]` for every pair (i, j), row after row, where `[a,
/// b]` is `factors`. On this thread.
pub(crate) fn hadamard_features(
    left: &Matrix,
    right: &Matrix,
    pairs: &[Pair],
    factors: [f32; 2],
    out: &mut [f32],
) {
    let d = right.cols();
    let [own, other] = factors;
    simd(
        #[inline(always)]
        || {
            for (&[i, j], out) in pairs.iter().zip(out.chunks_exact_mut(d)) {
                let (i, j) = (i as usize, j as usize);
                let (zi, zj) = (&right.row(i)[..d], &right.row(j)[..d]);
                let (hi, hj) = (&left.row(i)[..d], &left.row(j)[..d]);
                for k in 0..d {
                    out[k] = own * hi[k] * zj[k] + other * hj[k] * zi[k];
                }
            }
        },
    );
}

/// Pairs of rows of a matrix Z, grouped by their first row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupedPairs<'a> {
    /// Z.
    pub(crate) z: &'a Matrix,
    /// Copies of the first rows, one per group of pairs.
    pub(crate) firsts: &'a Matrix,
    /// The pairs, group after group.
    pub(crate) pairs: &'a [Pair],
    /// Start of the pairs of each group, and the end of the last.
    pub(crate) starts: &'a [usize],
}

/// Sets `u ← (z_i H z_jᵀ over the pairs) − alpha u` and returns `ZᵀW_u Z`, row by row in `f64`, with `W_u`
/// the sparse matrix of the new u on the pairs.
pub(crate) fn pair_fit_step(
    pairs: &GroupedPairs<'_>,
    h: &Matrix,
    alpha: f64,
    u: &mut Vec<f64>,
    exec: &Exec,
) -> Vec<f64> {
    let (parts, product) = reduce(&PairFitStep { pairs, h, alpha, u }, exec);
    u.clear();
    for part in parts {
        u.extend(part);
    }
    product
}

struct PairFitStep<'a> {
    pairs: &'a GroupedPairs<'a>,
    h: &'a Matrix,
    alpha: f64,
    u: &'a [f64],
}

impl Reduction for PairFitStep<'_> {
    /// Part of the new u, and the block's contribution to the product.
    type Partial = (Vec<f64>, Vec<f32>);
    /// The parts of the new u, and the product.
    type Output = (Vec<Vec<f64>>, Vec<f64>);

    fn rows(&self) -> usize {
        self.pairs.firsts.rows()
    }

    fn block(&self) -> usize {
        wide_block(self.rows(), 256)
    }

    /// One block of first rows at a time: its part of ZH, of u, of W_u Z and of ZᵀW_u Z stays in the cache,
    /// and the second row of a pair is loaded once for both products.
    fn partial(&self, range: Range<usize>) -> (Vec<f64>, Vec<f32>) {
        let GroupedPairs { z, firsts, pairs, starts } = *self.pairs;
        let d = z.cols();
        let rows = DenseRows::of(firsts, range.clone()).view();
        let mut zh = vec![0.0f32; range.len() * d];
        let to = MatMut::from_row_major_slice_mut(&mut zh, range.len(), d);
        matmul(to, Accum::Replace, rows, DenseRows::all(self.h).view(), 1.0, Par::Seq);
        let mut new = self.u[starts[range.start]..starts[range.end]].to_vec();
        let alpha = self.alpha;
        simd(
            #[inline(always)]
            || {
                for (node, row) in range.clone().zip(zh.chunks_exact_mut(d)) {
                    let mut gathered = vec![0.0f32; d];
                    for at in starts[node]..starts[node + 1] {
                        let other = z.row(pairs[at][1] as usize);
                        let u = &mut new[at - starts[range.start]];
                        *u = f64::from(inline_dot(row, other)) - alpha * *u;
                        inline_axpy(*u as f32, other, &mut gathered);
                    }
                    // ZH of this row is no longer needed; the accumulated values overwrite it.
                    row.copy_from_slice(&gathered);
                }
            },
        );
        let gathered = DenseRows::new(&zh, range.len(), d).view();
        let mut product = vec![0.0f32; d * d];
        let to = MatMut::from_row_major_slice_mut(&mut product, d, d);
        matmul(to, Accum::Replace, rows.transpose(), gathered, 1.0, Par::Seq);
        (new, product)
    }

    fn merge(&self, partials: Vec<(Vec<f64>, Vec<f32>)>) -> (Vec<Vec<f64>>, Vec<f64>) {
        let d = self.pairs.z.cols();
        let mut product = vec![0.0f64; d * d];
        let (parts, products): (Vec<_>, Vec<_>) = partials.into_iter().unzip();
        add_in_order(&mut product, &products);
        (parts, product)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_of_pairs_and_their_dots_follow_the_formula() {
        let exec = Exec::new(1).unwrap();
        let left = Matrix::from_vec(2, 2, vec![1.0, 2.0, 3.0, 4.0]);
        let right = Matrix::from_vec(2, 2, vec![5.0, 6.0, 7.0, 8.0]);
        assert_eq!(pair_dots(&left, &right, &[[0, 1], [1, 0]], &exec), [23.0, 39.0]);
        let mut out = [0.0; 2];
        hadamard_features(&left, &right, &[[0, 1]], [0.5, 0.5], &mut out);
        assert_eq!(out, [11.0, 20.0]);
    }
}
