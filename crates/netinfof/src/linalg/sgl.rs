//! Logistic and softmax regression with the sparse-group LASSO, by a proximal Newton method.
//!
//! Minimises `mean loss + λ₁ ‖w‖₁ + λ₂ Σ_g ‖w_g‖₂ + ½ ridge ‖w‖²` (paper, section 4.3, which has no ridge;
//! the intercept is free). Each outer step builds a quadratic model of the loss from a Hessian that is
//! computed on a sample of the rows and reused while it is effective, and minimises model plus penalty by
//! cyclic coordinate descent, which sets weights and whole groups to exact zeros. The gradient is always
//! exact, so the fixed point is the true optimum for any Hessian; the optimality (KKT) residual of the result
//! is reported.

mod model;
mod rows;

use std::ops::Range;

use serde::{Deserialize, Serialize};

use self::model::{Hessian, soft};
use self::rows::{DesignRows, TASK};
use crate::error::Result;
use crate::exec::Exec;
use crate::kernel::{Reduction, reduce};

pub(crate) use self::rows::{Design, DesignBlock};

/// The penalty and the stopping criteria.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SglParams {
    /// Weight of the LASSO penalty λ₁.
    pub lambda1: f64,
    /// Weight of the group penalty λ₂.
    pub lambda2: f64,
    /// Weight of an additional ridge penalty `½ ridge ‖w‖²`.
    pub ridge: f64,
    /// Target KKT residual, as a share of λ₁ + λ₂ (default 0.1).
    pub tolerance: f64,
    /// Maximum number of Newton steps (default 50).
    pub max_iterations: usize,
}

impl SglParams {
    /// This penalty, with the default tolerance.
    pub fn new(lambda1: f64, lambda2: f64) -> Self {
        SglParams { lambda1, lambda2, ridge: 0.0, tolerance: 0.1, max_iterations: 50 }
    }
}

/// Convergence of a fit.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SglInfo {
    /// Number of Newton steps.
    pub iterations: usize,
    /// Largest violation of the optimality conditions, in units of the gradient.
    pub kkt: f64,
    /// Whether the tolerance was met.
    pub converged: bool,
    /// Loss plus penalty at the end.
    pub objective: f64,
}

/// The target: a class for each row. Binary targets have one output, others one output per class.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Target<'a> {
    /// Binary: logistic loss, one output.
    Binary(&'a [bool]),
    /// Several classes: softmax loss, one output per class.
    Classes { labels: &'a [u32], classes: usize },
}

impl Target<'_> {
    fn outputs(&self) -> usize {
        match self {
            Target::Binary(_) => 1,
            Target::Classes { classes, .. } => *classes,
        }
    }
}

/// Weights of one or more outputs over the columns of a design.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Weights {
    /// For each output, its weights and then its intercept.
    pub(crate) outputs: Vec<Vec<f64>>,
}

impl Weights {
    /// Norm of the weights of these columns, over all outputs.
    pub(crate) fn norm(&self, columns: &Range<usize>) -> f64 {
        let square = |w: &Vec<f64>| w[columns.clone()].iter().map(|v| v * v).sum::<f64>();
        self.outputs.iter().map(square).sum::<f64>().sqrt()
    }

    /// Number of nonzero weights of these columns.
    pub(crate) fn nonzero(&self, columns: &Range<usize>) -> usize {
        self.outputs.iter().map(|w| w[columns.clone()].iter().filter(|&&v| v != 0.0).count()).sum()
    }
}

/// Minimum and maximum number of rows for the Hessian, as multiples of the number of columns. Between these
/// limits half of the rows are used: most have almost no curvature. See
/// docs/design/numerics-and-determinism.md for the effect of more and fewer rows.
const HESSIAN_ROWS_PER_COLUMN: [usize; 2] = [4, 32];

/// A problem with its current weights: fitting again with another penalty starts from them.
pub(crate) struct Solver<'a> {
    rows: DesignRows<'a>,
    n: usize,
    p: usize,
    target: Target<'a>,
    groups: Vec<Range<usize>>,
    weights: Weights,
    /// Scores of the current weights, `outputs` per row.
    scores: Vec<f64>,
    hessian: Option<Vec<Hessian>>,
    exec: &'a Exec,
}

impl<'a> Solver<'a> {
    /// Starts at zero weights. Groups are disjoint ranges of columns that cover all of them.
    pub(crate) fn new(
        blocks: Vec<&'a DesignBlock>,
        target: Target<'a>,
        groups: Vec<Range<usize>>,
        exec: &'a Exec,
    ) -> Self {
        let rows = DesignRows::new(blocks);
        let (n, p, outputs) = (rows.len(), rows.cols(), target.outputs());
        assert_eq!(groups.iter().map(Range::len).sum::<usize>(), p, "groups must cover the columns");
        Solver {
            rows,
            n,
            p,
            target,
            groups,
            weights: Weights { outputs: vec![vec![0.0; p + 1]; outputs] },
            scores: vec![0.0; n * outputs],
            hessian: None,
            exec,
        }
    }

    /// The current weights.
    pub(crate) fn weights(&self) -> &Weights {
        &self.weights
    }

    /// The smallest λ₂ that leaves all groups at zero, with `ratio` λ₂ as λ₁: the top of a regularisation
    /// path. Resets the weights.
    pub(crate) fn lambda_max(&mut self, ratio: f64) -> Result<f64> {
        self.weights.outputs.iter_mut().for_each(|w| w.fill(0.0));
        self.scores.fill(0.0);
        self.fit(&SglParams { tolerance: 1e-3 / f64::MAX.sqrt(), ..SglParams::new(f64::MAX.sqrt(), 0.0) })?;
        let gradient = self.gradient();
        let pull = |group: &Range<usize>, lambda: f64| {
            let slopes = gradient.iter().flat_map(|g| &g[group.clone()]);
            slopes.map(|&slope| soft(slope, ratio * lambda).powi(2)).sum::<f64>().sqrt()
        };
        let top = self.groups.iter().map(|group| pull(group, 0.0)).fold(0.0, f64::max);
        // The gradient term decreases and λ increases, so there is one crossing.
        let (mut low, mut high) = (0.0, top);
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            let quiet = self.groups.iter().all(|group| pull(group, middle) <= middle);
            *if quiet { &mut high } else { &mut low } = middle;
        }
        Ok(high)
    }

    /// Finds the optimum for this penalty, starting from the current weights.
    pub(crate) fn fit(&mut self, params: &SglParams) -> Result<SglInfo> {
        let tolerance = params.tolerance * (params.lambda1 + params.lambda2);
        let mut info = SglInfo::default();
        let mut objective = self.loss(&self.scores) + self.penalty(&self.weights, params);
        let mut fresh = false;
        let mut last_kkt = f64::INFINITY;
        loop {
            self.exec.check()?;
            let gradient = self.gradient();
            info.kkt = self.kkt(&gradient, params);
            info.objective = objective;
            info.converged = info.kkt <= tolerance;
            if info.converged || info.iterations >= params.max_iterations {
                return Ok(info);
            }
            info.iterations += 1;
            if self.hessian.is_none() || (!fresh && self.outdated(info.kkt / last_kkt, info.kkt / tolerance))
            {
                self.hessian = Some(self.curvature());
                fresh = true;
            } else {
                fresh = false;
            }
            last_kkt = info.kkt;
            let hessian = self.hessian.as_ref().expect("set above");
            let target =
                model::minimize(hessian, &gradient, &self.weights, &self.groups, params, 1e-3 * info.kkt);
            let step = Weights {
                outputs: target
                    .outputs
                    .iter()
                    .zip(&self.weights.outputs)
                    .map(|(new, old)| new.iter().zip(old).map(|(new, old)| new - old).collect())
                    .collect(),
            };
            let moves = self.forward(&step);
            let slope: f64 = gradient
                .iter()
                .zip(&step.outputs)
                .map(|(g, s)| g.iter().zip(s).map(|(g, s)| g * s).sum::<f64>())
                .sum::<f64>()
                + self.penalty(&target, params)
                - self.penalty(&self.weights, params);
            match self.line_search(&step, &moves, &target, objective, slope, params) {
                Some((weights, scores, value)) => {
                    self.weights = weights;
                    self.scores = scores;
                    objective = value;
                }
                // No descent with an outdated model: build a new one. With a new model: only rounding errors
                // remain.
                None if !fresh => {
                    self.hessian = None;
                    last_kkt = f64::INFINITY;
                }
                None => return Ok(info),
            }
        }
    }

    /// Number of rows for the Hessian.
    fn sampled(&self) -> usize {
        let [least, most] = HESSIAN_ROWS_PER_COLUMN.map(|rows| rows * (self.p + 1));
        (self.n / 2).clamp(least, most).min(self.n)
    }

    /// Whether a new Hessian costs less than the steps that the old one would still need, if the residual
    /// continues to shrink by `ratio` per step and has to shrink by `excess` in total.
    ///
    /// Costs are approximate nanoseconds (a pass over the rows is bound by memory, the Hessian by
    /// arithmetic). They depend on sizes, never on a clock, so that runs are reproducible.
    fn outdated(&self, ratio: f64, excess: f64) -> bool {
        let (n, p, outputs) = (self.n as f64, self.p as f64, self.target.outputs() as f64);
        let step = outputs * (0.4 * n * p + 8.0 * p * p);
        let hessian = outputs * 0.012 * self.sampled() as f64 * p * p;
        let steps_left = excess.ln() / -ratio.min(0.95).ln();
        steps_left * step > hessian + 2.0 * step
    }

    fn line_search(
        &self,
        step: &Weights,
        moves: &[f64],
        target: &Weights,
        objective: f64,
        slope: f64,
        params: &SglParams,
    ) -> Option<(Weights, Vec<f64>, f64)> {
        let mut length = 1.0;
        for _ in 0..12 {
            let scores: Vec<f64> = self.scores.iter().zip(moves).map(|(s, m)| s + length * m).collect();
            // For a full step use the minimiser itself: its zeros are exact, those of a sum may not be.
            let weights = if length == 1.0 {
                target.clone()
            } else {
                let along = |(old, step): (&Vec<f64>, &Vec<f64>)| -> Vec<f64> {
                    old.iter().zip(step).map(|(old, step)| old + length * step).collect()
                };
                Weights { outputs: self.weights.outputs.iter().zip(&step.outputs).map(along).collect() }
            };
            let value = self.loss(&scores) + self.penalty(&weights, params);
            if value <= objective + 1e-4 * length * slope {
                return Some((weights, scores, value));
            }
            length *= 0.5;
        }
        None
    }

    /// Mean loss of these scores.
    fn loss(&self, scores: &[f64]) -> f64 {
        reduce(&Loss { target: self.target, scores, rows: self.n }, self.exec)
    }

    fn penalty(&self, weights: &Weights, params: &SglParams) -> f64 {
        let p = self.p;
        let l1: f64 = weights.outputs.iter().map(|w| w[..p].iter().map(|v| v.abs()).sum::<f64>()).sum();
        let group: f64 = self.groups.iter().map(|g| weights.norm(g)).sum();
        let square: f64 = weights.outputs.iter().map(|w| w[..p].iter().map(|v| v * v).sum::<f64>()).sum();
        params.lambda1 * l1 + params.lambda2 * group + 0.5 * params.ridge * square
    }

    /// Predicted probability of each output in a row.
    fn probabilities(&self, row: usize, out: &mut [f64]) {
        let outputs = out.len();
        let scores = &self.scores[row * outputs..(row + 1) * outputs];
        match self.target {
            Target::Binary(_) => out[0] = 1.0 / (1.0 + (-scores[0]).exp()),
            Target::Classes { .. } => {
                let total = log_sum_exp(scores);
                for (out, score) in out.iter_mut().zip(scores) {
                    *out = (score - total).exp();
                }
            }
        }
    }

    fn is_class(&self, row: usize, output: usize) -> bool {
        match self.target {
            Target::Binary(labels) => labels[row],
            Target::Classes { labels, .. } => labels[row] as usize == output,
        }
    }

    /// Scores of every row under these weights.
    fn forward(&self, weights: &Weights) -> Vec<f64> {
        let (p, outputs) = (self.p, weights.outputs.len());
        let mut scores = vec![0.0; self.n * outputs];
        self.exec.fill_rows(&mut scores, outputs, TASK, |first, scores| {
            let dots = self.rows.dots(first..first + scores.len() / outputs, &weights.outputs);
            for (scores, dots) in scores.chunks_exact_mut(outputs).zip(dots.chunks_exact(outputs)) {
                for ((score, &dot), weights) in scores.iter_mut().zip(dots).zip(&weights.outputs) {
                    *score = f64::from(dot) + weights[p];
                }
            }
        });
        scores
    }

    /// Gradient of the mean loss: for each output, its columns and then its intercept.
    fn gradient(&self) -> Vec<Vec<f64>> {
        reduce(&Gradient(self), self.exec)
    }

    /// The curvature of the loss at the current scores, output by output, on a sample of the rows.
    fn curvature(&self) -> Vec<Hessian> {
        (0..self.target.outputs()).map(|output| self.curvature_of(output)).collect()
    }

    fn curvature_of(&self, output: usize) -> Hessian {
        let (n, outputs) = (self.n, self.target.outputs());
        let mut probabilities = vec![0.0; outputs];
        let curvatures: Vec<f64> = (0..n)
            .map(|row| {
                self.probabilities(row, &mut probabilities);
                let q = probabilities[output];
                // Twice the block-diagonal part of the softmax curvature is an upper bound of the full
                // curvature.
                q * (1.0 - q) * if outputs == 1 { 1.0 } else { 2.0 } / n as f64
            })
            .collect();
        Hessian::new(&self.rows, self.p, &pick(&curvatures, self.sampled()), self.exec)
    }

    /// Largest violation of the optimality conditions, over weights, groups and intercepts.
    fn kkt(&self, gradient: &[Vec<f64>], params: &SglParams) -> f64 {
        let p = self.p;
        let mut worst = gradient.iter().map(|g| g[p].abs()).fold(0.0, f64::max);
        for group in &self.groups {
            let norm = self.weights.norm(group);
            if norm == 0.0 {
                let pull = gradient
                    .iter()
                    .flat_map(|g| &g[group.clone()])
                    .map(|&g| soft(g, params.lambda1).powi(2))
                    .sum::<f64>()
                    .sqrt();
                worst = worst.max(pull - params.lambda2);
            } else {
                for (w, g) in self.weights.outputs.iter().zip(gradient) {
                    for k in group.clone() {
                        let violation = if w[k] == 0.0 {
                            g[k].abs() - params.lambda1
                        } else {
                            let pull = params.ridge + params.lambda2 / norm;
                            (g[k] + params.lambda1 * w[k].signum() + pull * w[k]).abs()
                        };
                        worst = worst.max(violation);
                    }
                }
            }
        }
        worst
    }
}

/// The mean loss of scores.
struct Loss<'a> {
    target: Target<'a>,
    scores: &'a [f64],
    rows: usize,
}

impl Reduction for Loss<'_> {
    type Partial = f64;
    type Output = f64;

    fn rows(&self) -> usize {
        self.rows
    }

    fn block(&self) -> usize {
        8192
    }

    fn partial(&self, range: Range<usize>) -> f64 {
        let (scores, outputs) = (self.scores, self.target.outputs());
        range
            .map(|row| match self.target {
                Target::Binary(labels) => {
                    let margin = if labels[row] { scores[row] } else { -scores[row] };
                    // log(1 + e^-m) without overflow.
                    (-margin.abs()).exp().ln_1p() + (-margin).max(0.0)
                }
                Target::Classes { labels, .. } => {
                    let scores = &scores[row * outputs..(row + 1) * outputs];
                    log_sum_exp(scores) - scores[labels[row] as usize]
                }
            })
            .sum()
    }

    fn merge(&self, partials: Vec<f64>) -> f64 {
        partials.iter().sum::<f64>() / self.rows as f64
    }
}

/// The gradient of the mean loss at a solver's scores.
struct Gradient<'s, 'a>(&'s Solver<'a>);

impl Reduction for Gradient<'_, '_> {
    /// For each output, the sums of its columns; and the sums of the intercepts.
    type Partial = (Vec<Vec<f32>>, Vec<f64>);
    type Output = Vec<Vec<f64>>;

    fn rows(&self) -> usize {
        self.0.n
    }

    fn block(&self) -> usize {
        TASK
    }

    fn partial(&self, range: Range<usize>) -> (Vec<Vec<f32>>, Vec<f64>) {
        let solver = self.0;
        let outputs = solver.target.outputs();
        let mut intercepts = vec![0.0f64; outputs];
        let mut residuals = vec![0.0; range.len() * outputs];
        for (row, residuals) in range.clone().zip(residuals.chunks_exact_mut(outputs)) {
            solver.probabilities(row, residuals);
            for (output, residual) in residuals.iter_mut().enumerate() {
                *residual -= f64::from(u8::from(solver.is_class(row, output)));
                intercepts[output] += *residual;
            }
        }
        (solver.rows.sums(range, outputs, &residuals), intercepts)
    }

    fn merge(&self, partials: Vec<(Vec<Vec<f32>>, Vec<f64>)>) -> Vec<Vec<f64>> {
        let &Solver { n, p, target, .. } = self.0;
        (0..target.outputs())
            .map(|output| {
                let mut gradient = vec![0.0f64; p + 1];
                for (sums, intercepts) in &partials {
                    for (g, &s) in gradient.iter_mut().zip(&sums[output]) {
                        *g += f64::from(s);
                    }
                    gradient[p] += intercepts[output];
                }
                for g in &mut gradient {
                    *g /= n as f64;
                }
                gradient
            })
            .collect()
    }
}

/// Rows whose weighted sum estimates the sum over all rows: about `count` of them, sampled systematically
/// with probabilities proportional to their curvatures, so that every important row is included. All rows if
/// there are no more than `count`.
fn pick(curvatures: &[f64], count: usize) -> Vec<(usize, f64)> {
    let all = || curvatures.iter().copied().enumerate().filter(|&(_, c)| c > 0.0);
    let total: f64 = curvatures.iter().sum();
    if curvatures.len() <= count || total <= 0.0 {
        return all().collect();
    }
    let step = total / count as f64;
    let mut passed = 0.5 * step;
    let mut picked = Vec::with_capacity(count);
    for (row, curvature) in all() {
        passed += curvature;
        if curvature >= step {
            picked.push((row, curvature));
            passed -= curvature;
        } else if passed >= step {
            picked.push((row, step));
            passed -= step;
        }
    }
    picked
}

/// log Σ exp, without overflow.
pub(crate) fn log_sum_exp(scores: &[f64]) -> f64 {
    let top = scores.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    top + scores.iter().map(|s| (s - top).exp()).sum::<f64>().ln()
}

#[cfg(test)]
mod tests;
