//! The quadratic model of a Newton step, and its minimum under the penalty.

use std::ops::Range;

use super::rows::DesignRows;
use super::{SglParams, Weights};
use crate::exec::Exec;
use crate::kernel::{self, DenseRows, Reduction};

/// The symmetric curvature of one output over its columns and its intercept.
pub(super) enum Hessian {
    /// As a dense matrix: best with more rows than columns.
    Dense { size: usize, entries: Vec<f32> },
    /// As the product of a matrix with its transpose, column by column: best with few rows.
    Factored { rows: usize, columns: Vec<f32> },
}

impl Hessian {
    /// The sum of `weight · x xᵀ` over the picked rows, x being the features and a one.
    pub(super) fn new(data: &DesignRows<'_>, p: usize, picked: &[(usize, f64)], exec: &Exec) -> Self {
        if 2 * picked.len() < p {
            Hessian::factored(data, p, picked)
        } else {
            kernel::reduce(&DenseHessian { data, p, picked }, exec)
        }
    }

    fn factored(data: &DesignRows<'_>, p: usize, picked: &[(usize, f64)]) -> Self {
        let rows = picked.len();
        let mut columns = vec![0.0f32; (p + 1) * rows];
        let mut features = vec![0.0; p];
        for (at, &(row, weight)) in picked.iter().enumerate() {
            data.copy_row(row, &mut features);
            let root = weight.sqrt() as f32;
            for (k, v) in features.iter().chain(&[1.0]).enumerate() {
                columns[k * rows + at] = v * root;
            }
        }
        Hessian::Factored { rows, columns }
    }

    fn diagonal(&self) -> Vec<f64> {
        match self {
            Hessian::Dense { size, entries } => {
                (0..*size).map(|k| f64::from(entries[k * size + k])).collect()
            }
            Hessian::Factored { rows, columns } => columns
                .chunks_exact((*rows).max(1))
                .map(|column| column.iter().map(|&v| f64::from(v) * f64::from(v)).sum())
                .collect(),
        }
    }
}

/// The sum of `weight · x xᵀ` over the picked rows, as a dense matrix.
struct DenseHessian<'a> {
    data: &'a DesignRows<'a>,
    p: usize,
    picked: &'a [(usize, f64)],
}

impl Reduction for DenseHessian<'_> {
    /// The lower triangle, row after row.
    type Partial = Vec<f32>;
    type Output = Hessian;

    fn rows(&self) -> usize {
        self.picked.len()
    }

    /// Few partial sums, because each is as large as the Hessian.
    fn block(&self) -> usize {
        self.picked.len().div_ceil(4).max(256)
    }

    fn partial(&self, range: Range<usize>) -> Vec<f32> {
        let (p, size) = (self.p, self.p + 1);
        let mut sum = vec![0.0f32; size * size];
        let mut scaled = vec![0.0f32; 256 * size];
        for rows in self.picked[range].chunks(256) {
            let scaled = &mut scaled[..rows.len() * size];
            for (&(row, weight), out) in rows.iter().zip(scaled.chunks_exact_mut(size)) {
                self.data.copy_row(row, &mut out[..p]);
                out[p] = 1.0;
                let root = weight.sqrt() as f32;
                for v in out {
                    *v *= root;
                }
            }
            kernel::add_gram_lower(DenseRows::new(scaled, rows.len(), size), &mut sum);
        }
        sum
    }

    fn merge(&self, partials: Vec<Vec<f32>>) -> Hessian {
        let size = self.p + 1;
        let mut entries = vec![0.0f32; size * size];
        for partial in &partials {
            for (entry, v) in entries.iter_mut().zip(partial) {
                *entry += v;
            }
        }
        for row in 0..size {
            for col in row + 1..size {
                entries[row * size + col] = entries[col * size + row];
            }
        }
        Hessian::Dense { size, entries }
    }
}

/// The smooth part of the model along one output: `gradient·(v − w) + ½ (v − w)ᵀ H (v − w)`, updated as v
/// changes.
struct Smooth<'a> {
    hessian: &'a Hessian,
    /// Curvature of each weight, kept above zero if columns are dependent or all probabilities are 0 or 1.
    curvature: Vec<f64>,
    /// Dense: the slopes at v. Factored: the slopes at w.
    slopes: Vec<f64>,
    /// Factored: the square root of H times (v − w).
    moved: Vec<f32>,
}

impl<'a> Smooth<'a> {
    fn new(hessian: &'a Hessian, gradient: &[f64]) -> Self {
        let mut curvature = hessian.diagonal();
        let mean = curvature.iter().sum::<f64>() / curvature.len() as f64;
        for c in &mut curvature {
            *c += 1e-5 * mean + f64::MIN_POSITIVE;
        }
        let moved = match hessian {
            Hessian::Dense { .. } => Vec::new(),
            Hessian::Factored { rows, .. } => vec![0.0; *rows],
        };
        Smooth { hessian, curvature, slopes: gradient.to_vec(), moved }
    }

    /// Slope along one weight at v.
    fn slope(&self, k: usize) -> f64 {
        match self.hessian {
            Hessian::Dense { .. } => self.slopes[k],
            Hessian::Factored { rows, columns } => {
                let column = &columns[k * rows..(k + 1) * rows];
                self.slopes[k] + f64::from(kernel::dot(column, &self.moved))
            }
        }
    }

    /// Changes one weight.
    fn shift(&mut self, k: usize, by: f64) {
        match self.hessian {
            Hessian::Dense { size, entries } => {
                kernel::axpy_f64(by, &entries[k * size..(k + 1) * size], &mut self.slopes);
            }
            Hessian::Factored { rows, columns } => {
                kernel::axpy(by as f32, &columns[k * rows..(k + 1) * rows], &mut self.moved);
            }
        }
    }

    /// Slopes of a group of weights if all of them were zero.
    fn slopes_without(&self, group: &Range<usize>, weights: &[f64]) -> Vec<f64> {
        match self.hessian {
            Hessian::Dense { size, entries } => {
                let mut slopes = self.slopes[group.clone()].to_vec();
                for k in group.clone().filter(|&k| weights[k] != 0.0) {
                    let row = &entries[k * size..(k + 1) * size][group.clone()];
                    kernel::axpy_f64(-weights[k], row, &mut slopes);
                }
                slopes
            }
            Hessian::Factored { rows, columns } => {
                let column = |k: usize| &columns[k * rows..(k + 1) * rows];
                let mut moved = self.moved.clone();
                for k in group.clone().filter(|&k| weights[k] != 0.0) {
                    kernel::axpy(-weights[k] as f32, column(k), &mut moved);
                }
                group.clone().map(|k| self.slopes[k] + f64::from(kernel::dot(column(k), &moved))).collect()
            }
        }
    }
}

/// Minimises model plus penalty by coordinate descent, group by group, starting at `start`; stops when no
/// weight changes by more than a slope of `tolerance`.
pub(super) fn minimize(
    hessians: &[Hessian],
    gradient: &[Vec<f64>],
    start: &Weights,
    groups: &[Range<usize>],
    params: &SglParams,
    tolerance: f64,
) -> Weights {
    let p = gradient[0].len() - 1;
    let mut v = start.clone();
    let mut smooth: Vec<Smooth<'_>> = hessians.iter().zip(gradient).map(|(h, g)| Smooth::new(h, g)).collect();
    for pass in 0..1000 {
        let mut largest = 0.0f64;
        for group in groups {
            let active = v.norm(group) > 0.0;
            // Whether zero is optimal for the whole group: checked for groups at zero, and occasionally for
            // the others, which shrink towards zero without reaching it.
            if !active || pass % 8 == 0 {
                let without: Vec<Vec<f64>> = smooth
                    .iter()
                    .zip(&v.outputs)
                    .map(|(smooth, w)| smooth.slopes_without(group, w))
                    .collect();
                let slopes = || without.iter().flatten().map(|&slope| soft(slope, params.lambda1));
                let pull = slopes().map(|slope| slope.powi(2)).sum::<f64>().sqrt();
                if pull <= params.lambda2 {
                    if active {
                        for (smooth, w) in smooth.iter_mut().zip(&mut v.outputs) {
                            for k in group.clone().filter(|&k| w[k] != 0.0).collect::<Vec<_>>() {
                                largest = largest.max((smooth.curvature[k] * w[k]).abs());
                                smooth.shift(k, -std::mem::take(&mut w[k]));
                            }
                        }
                    }
                    continue;
                }
                if !active {
                    // A first proximal step off zero; the trace bounds the curvature of the group.
                    let trace =
                        smooth.iter().map(|s| s.curvature[group.clone()].iter().sum::<f64>()).sum::<f64>();
                    let scale = (1.0 - params.lambda2 / pull) / (trace + params.ridge);
                    for ((smooth, w), slopes) in smooth.iter_mut().zip(&mut v.outputs).zip(&without) {
                        for (k, &slope) in group.clone().zip(slopes) {
                            w[k] = -soft(slope, params.lambda1) * scale;
                            if w[k] != 0.0 {
                                smooth.shift(k, w[k]);
                            }
                        }
                    }
                }
            }
            // Coordinate descent inside the group. The group's norm is fixed at its last value (a quadratic
            // that lies above the norm and touches it there), so every update has a closed form.
            let mut square = v.norm(group).powi(2);
            for (smooth, w) in smooth.iter_mut().zip(&mut v.outputs) {
                for k in group.clone() {
                    let curvature = smooth.curvature[k];
                    let held = params.ridge + params.lambda2 / square.max(1e-30).sqrt();
                    let new = soft(curvature * w[k] - smooth.slope(k), params.lambda1) / (curvature + held);
                    let change = new - w[k];
                    if change != 0.0 {
                        smooth.shift(k, change);
                        square = (square + new * new - w[k] * w[k]).max(0.0);
                        w[k] = new;
                        largest = largest.max((change * curvature).abs());
                    }
                }
            }
        }
        for (smooth, w) in smooth.iter_mut().zip(&mut v.outputs) {
            let slope = smooth.slope(p);
            let change = -slope / smooth.curvature[p];
            smooth.shift(p, change);
            w[p] += change;
            largest = largest.max(slope.abs());
        }
        if largest <= tolerance {
            break;
        }
    }
    v
}

/// Soft thresholding: shrinks towards zero by `by`.
pub(super) fn soft(v: f64, by: f64) -> f64 {
    if v > by {
        v - by
    } else if v < -by {
        v + by
    } else {
        0.0
    }
}
