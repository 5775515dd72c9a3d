//! Act: solve the task with the same embeddings (paper, section 4.3).
//!
//! Links: the features of a pair are, for each component, `½ (ẑ_i H ⊙ ẑ_j + ẑ_j H ⊙ ẑ_i)`, the same in both directions;
//! a logistic regression with sparse-group LASSO weighs them, one group a component, chosen by validation Hits@K.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::compat::AdjustedComponent;
use crate::error::{Error, Result};
use crate::exec::Exec;
use crate::graph::Pair;
use crate::kernel::{self, simd};
use crate::linalg::sgl::{Design, Solver, Target, Weights};
use crate::linalg::{SglInfo, SglParams};
use crate::metric;
use crate::report::OrderedMap;
use crate::seed::{Seed, Stream};
use crate::split::{LinkSplit, Pairs};

/// Parameters of Act.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ActParams {
    /// LASSO penalties λ₁ to try (default 1e-4, 1e-5).
    pub lambda1: Vec<f64>,
    /// Group penalties λ₂ to try (default 1e-3, 1e-4, 1e-5, 1e-6).
    pub lambda2: Vec<f64>,
    /// The K of Hits@K; `None` takes 100, or less on small graphs.
    pub hits: Option<usize>,
    /// Training edges at the most (default 300 000), with as many negatives.
    pub max_edges: usize,
    /// The KKT residual to reach, as a share of λ₁ + λ₂ (default 0.1).
    pub tolerance: f64,
    /// Newton steps for each penalty at the most (default 50).
    pub max_iterations: usize,
}

impl Default for ActParams {
    fn default() -> Self {
        ActParams {
            lambda1: vec![1e-4, 1e-5],
            lambda2: vec![1e-3, 1e-4, 1e-5, 1e-6],
            hits: None,
            max_edges: 300_000,
            tolerance: 0.1,
            max_iterations: 50,
        }
    }
}

impl ActParams {
    pub(crate) fn validate(&self) -> Result<()> {
        for (name, values) in [("lambda1", &self.lambda1), ("lambda2", &self.lambda2)] {
            if values.is_empty() || values.iter().any(|v| !(v.is_finite() && *v >= 0.0)) {
                return Err(Error::param(name, format!("{values:?}"), "one or more numbers from 0"));
            }
        }
        if self.hits == Some(0) {
            return Err(Error::param("hits", 0, "at least 1"));
        }
        if self.max_edges == 0 {
            return Err(Error::param("max_edges", 0, "at least 1"));
        }
        Ok(())
    }
}

/// The penalty that validation chose, and how its fit went.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Chosen {
    /// λ₁.
    pub lambda1: f64,
    /// λ₂.
    pub lambda2: f64,
    /// How the fit went.
    #[serde(flatten)]
    pub info: SglInfo,
}

/// What Act found on one split.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ActResult {
    /// Metrics on the validation pairs.
    pub valid: OrderedMap<f64>,
    /// Metrics on the test pairs.
    pub test: OrderedMap<f64>,
    /// Length of each component's weights; exactly 0 where the component is of no use.
    pub weights: OrderedMap<f64>,
    /// How many of each component's weights are not zero.
    pub nonzero: OrderedMap<usize>,
    /// The chosen penalty.
    pub chosen: Chosen,
    /// The fitted model.
    #[serde(skip)]
    pub model: LinkModel,
}

/// Weights over the pair features of components.
#[derive(Clone, Debug)]
pub struct LinkModel {
    weights: Vec<f32>,
    intercept: f64,
}

impl LinkModel {
    fn new(weights: &Weights) -> Self {
        let (intercept, weights) = weights.outputs[0].split_last().expect("the intercept is always there");
        LinkModel { weights: weights.iter().map(|&w| w as f32).collect(), intercept: *intercept }
    }

    /// Log-odds of an edge for every pair; the components must be those the model was fitted on.
    pub fn scores(&self, components: &[AdjustedComponent], pairs: &[Pair], exec: &Exec) -> Vec<f64> {
        let design = PairDesign { components, pairs };
        let width = design.cols();
        assert_eq!(width, self.weights.len(), "model and components disagree");
        let mut scores = vec![0.0; pairs.len()];
        exec.fill_rows(&mut scores, 1, 256, |first, scores| {
            let mut block = vec![0.0; scores.len() * width];
            design.fill(first..first + scores.len(), &mut block);
            simd(
                #[inline(always)]
                || {
                    for (score, row) in scores.iter_mut().zip(block.chunks_exact(width)) {
                        *score = f64::from(kernel::dot(row, &self.weights)) + self.intercept;
                    }
                },
            );
        });
        scores
    }
}

/// Fits a link model on the training pairs, chooses its penalty on validation pairs, and measures it on test pairs.
pub fn links(
    components: &[AdjustedComponent],
    split: &LinkSplit,
    params: &ActParams,
    seed: Seed,
    exec: &Exec,
) -> Result<ActResult> {
    params.validate()?;
    let k = check_hits(params, split, exec)?;
    let positives = &split.train[..split.train.len().min(params.max_edges)];
    let mut pairs = positives.to_vec();
    pairs.extend(split.training_negatives(positives.len(), &mut seed.stream(Stream::TrainingNegatives, 0))?);
    let labels: Vec<bool> = (0..pairs.len()).map(|at| at < positives.len()).collect();
    let groups: Vec<Range<usize>> = components
        .iter()
        .scan(0, |start, component| {
            let range = *start..*start + component.z.cols();
            *start = range.end;
            Some(range)
        })
        .collect();
    let design = PairDesign { components, pairs: &pairs };
    let grid: Vec<(f64, f64)> =
        params.lambda1.iter().flat_map(|&l1| params.lambda2.iter().map(move |&l2| (l1, l2))).collect();
    let (model, chosen, weights) = exec.stage("act", grid.len(), || {
        let mut solver = Solver::new(&design, Target::Binary(&labels), groups.clone(), exec);
        let mut best: Option<(f64, Chosen, Weights)> = None;
        for (lambda1, lambda2) in grid {
            let sgl = SglParams {
                lambda1,
                lambda2,
                tolerance: params.tolerance,
                max_iterations: params.max_iterations,
            };
            let info = solver.fit(&sgl)?;
            let (positives, negatives) =
                score_sets(&LinkModel::new(solver.weights()), components, &split.valid, exec);
            let hits = metric::hits_at(k, &positives, &negatives);
            if best.as_ref().is_none_or(|(so_far, ..)| hits > *so_far) {
                best = Some((hits, Chosen { lambda1, lambda2, info }, solver.weights().clone()));
            }
            exec.step()?;
        }
        let (_, chosen, weights) = best.expect("the grid is not empty");
        Ok((LinkModel::new(&weights), chosen, weights))
    })?;
    let metrics = |set: &Pairs| {
        let (positives, negatives) = score_sets(&model, components, set, exec);
        [
            (format!("hits@{k}"), metric::hits_at(k, &positives, &negatives)),
            ("auc".into(), metric::auc(&positives, &negatives)),
            ("ap".into(), metric::average_precision(&positives, &negatives)),
            ("mrr".into(), metric::mrr(&positives, &negatives)),
        ]
        .into_iter()
        .collect()
    };
    let by_component = components.iter().zip(&groups);
    Ok(ActResult {
        valid: metrics(&split.valid),
        test: metrics(&split.test),
        weights: by_component.clone().map(|(c, g)| (c.kind.name().into(), weights.norm(g))).collect(),
        nonzero: by_component.map(|(c, g)| (c.kind.name().into(), weights.nonzero(g))).collect(),
        chosen,
        model,
    })
}

/// Scores of the positives and of the negatives.
fn score_sets(
    model: &LinkModel,
    components: &[AdjustedComponent],
    pairs: &Pairs,
    exec: &Exec,
) -> (Vec<f64>, Vec<f64>) {
    (model.scores(components, &pairs.positives, exec), model.scores(components, &pairs.negatives, exec))
}

/// The K to use: the one asked for, if there are enough negatives; else 100, or the largest of 50, 20, 10, … that fits.
pub(crate) fn check_hits(params: &ActParams, split: &LinkSplit, exec: &Exec) -> Result<usize> {
    let fewest = split.valid.negatives.len().min(split.test.negatives.len());
    if let Some(k) = params.hits {
        return if k <= fewest {
            Ok(k)
        } else {
            Err(Error::param("hits", k, format!("at most {fewest}, the number of negatives")))
        };
    }
    let k = [100, 50, 20, 10, 5, 2].into_iter().find(|&k| k <= fewest).unwrap_or(1);
    if k < 100 {
        exec.notice(format!("Hits@{k} instead of Hits@100: there are only {fewest} negatives"));
    }
    Ok(k)
}

/// Features of pairs, produced block by block.
struct PairDesign<'a> {
    components: &'a [AdjustedComponent],
    pairs: &'a [Pair],
}

impl Design for PairDesign<'_> {
    fn rows(&self) -> usize {
        self.pairs.len()
    }

    fn cols(&self) -> usize {
        self.components.iter().map(|component| component.z.cols()).sum()
    }

    fn fill(&self, rows: Range<usize>, out: &mut [f32]) {
        let width = self.cols();
        simd(
            #[inline(always)]
            || {
                for (&[i, j], out) in self.pairs[rows].iter().zip(out.chunks_exact_mut(width)) {
                    let (i, j) = (i as usize, j as usize);
                    let mut start = 0;
                    for component in self.components {
                        let d = component.z.cols();
                        let out = &mut out[start..start + d];
                        let (zi, zj) = (&component.z.row(i)[..d], &component.z.row(j)[..d]);
                        let (hi, hj) = (&component.zh.row(i)[..d], &component.zh.row(j)[..d]);
                        for k in 0..d {
                            out[k] = 0.5 * (hi[k] * zj[k] + hj[k] * zi[k]);
                        }
                        start += d;
                    }
                }
            },
        );
    }
}
