//! Act on links: a logistic regression over symmetric pair features, chosen by validation Hits@K.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::{ActReport, Chosen, Grid, groups_of};
use crate::compat::AdjustedComponent;
use crate::error::{Error, Result};
use crate::exec::Exec;
use crate::graph::Pair;
use crate::kernel::{self, simd};
use crate::linalg::sgl::{Design, Solver, Target, Weights};
use crate::metric;
use crate::seed::{Seed, Stream};
use crate::split::{LinkSplit, Pairs};

/// Parameters of Act on links.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LinkActParams {
    /// Penalties to try (default λ₁ of 1e-4, 1e-5 and λ₂ of 1e-3, 1e-4, 1e-5, 1e-6).
    pub grid: Grid,
    /// The K of Hits@K; `None` takes 100, or less on small graphs.
    pub hits: Option<usize>,
    /// Training edges at the most (default 300 000), with as many negatives.
    pub max_edges: usize,
}

impl Default for LinkActParams {
    fn default() -> Self {
        LinkActParams {
            grid: Grid::new(vec![1e-4, 1e-5], vec![1e-3, 1e-4, 1e-5, 1e-6]),
            hits: None,
            max_edges: 300_000,
        }
    }
}

impl LinkActParams {
    pub(crate) fn validate(&self) -> Result<()> {
        self.grid.validate()?;
        if self.hits == Some(0) {
            return Err(Error::param("hits", 0, "at least 1"));
        }
        if self.max_edges == 0 {
            return Err(Error::param("max_edges", 0, "at least 1"));
        }
        Ok(())
    }
}

/// What Act found about the links of one split.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LinkResult {
    /// Metrics, weights and the chosen penalty.
    pub report: ActReport,
    /// The fitted model.
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
    params: &LinkActParams,
    seed: Seed,
    exec: &Exec,
) -> Result<LinkResult> {
    params.validate()?;
    let k = check_hits(params, split, exec)?;
    let positives = &split.train[..split.train.len().min(params.max_edges)];
    let mut pairs = positives.to_vec();
    pairs.extend(split.training_negatives(positives.len(), &mut seed.stream(Stream::TrainingNegatives, 0))?);
    let labels: Vec<bool> = (0..pairs.len()).map(|at| at < positives.len()).collect();
    let groups = groups_of(components.iter().map(|component| component.z.cols()));
    let design = PairDesign { components, pairs: &pairs };
    let (chosen, weights) = exec.stage("act", params.grid.len(), || {
        let mut solver = Solver::new(&design, Target::Binary(&labels), groups.clone(), exec);
        let mut best: Option<(f64, Chosen, Weights)> = None;
        for penalty in params.grid.penalties(pairs.len()) {
            let info = solver.fit(&penalty)?;
            let (positives, negatives) =
                score_sets(&LinkModel::new(solver.weights()), components, &split.valid, exec);
            let hits = metric::hits_at(k, &positives, &negatives);
            if best.as_ref().is_none_or(|(so_far, ..)| hits > *so_far) {
                best = Some((hits, Chosen::new(&penalty, info), solver.weights().clone()));
            }
            exec.step()?;
        }
        let (_, chosen, weights) = best.expect("the grid is not empty");
        Ok((chosen, weights))
    })?;
    let model = LinkModel::new(&weights);
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
    let names = components.iter().map(|component| component.kind.name());
    let report =
        ActReport::new(metrics(&split.valid), metrics(&split.test), &weights, names.zip(&groups), chosen);
    Ok(LinkResult { report, model })
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
pub(crate) fn check_hits(params: &LinkActParams, split: &LinkSplit, exec: &Exec) -> Result<usize> {
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
