//! Act on nodes: the mean of a softmax regression and a mixture of ridge regressions over the normalised
//! embeddings, weighted by validation likelihood.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::ridge::{self, RidgeMixture, Training};
use super::{ActReport, Chosen, FittedTarget, Grid, NodeCalibration, groups_of, targets};
use crate::component::{Component, Normalization};
use crate::error::{Error, Result};
use crate::evidence::Estimate;
use crate::exec::Exec;
use crate::graph::NodeId;
use crate::kernel;
use crate::linalg::sgl::{Design, DesignBlock, Solver, Target, Weights, log_sum_exp};
use crate::linalg::{SglParams, shares};
use crate::matrix::Matrix;
use crate::metric;
use crate::ordered_map::OrderedMap;
use crate::probe::InfoScore;
use crate::seed::{Seed, Stream};
use crate::spec::{ComponentKind, Group};
use crate::split::{NodeSplit, SplitTarget};

/// Parameters of Act on nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NodeActParams {
    /// Penalties to try.
    pub grid: Grid,
    /// How embeddings are normalised (default by kind).
    pub normalization: Normalization,
    /// Components with a higher p-value in Probe are left out (default 0.05): components without a detectable
    /// signal only add noise to a model with few labels. If this would leave out all of them, all stay.
    pub max_p: f64,
    /// Whether a mixture of ridge regressions is added to the softmax regression, with a share by validation
    /// likelihood (default true).
    #[serde(default)]
    pub mixture: bool,
    /// Components that the mixture uses beside the default ones (default P1 and S1). They are left out if other
    /// components are requested, and on graphs without features. Probe does not use them.
    #[serde(default)]
    pub also: Vec<ComponentKind>,
}

impl Default for NodeActParams {
    fn default() -> Self {
        NodeActParams {
            grid: Grid::new(vec![1e-4], vec![3e-2, 1e-2]).ridge(vec![0.01, 0.1, 1.0]),
            normalization: Normalization::ByKind,
            max_p: 0.05,
            mixture: true,
            also: vec![ComponentKind::P1, ComponentKind::S1],
        }
    }
}

impl NodeActParams {
    pub(crate) fn validate(&self) -> Result<()> {
        if !(0.0..=1.0).contains(&self.max_p) {
            return Err(Error::param("max_p", self.max_p, "0 to 1"));
        }
        self.grid.validate()
    }
}

/// Results per class on the test nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Confusion {
    /// The numbers of the classes in the graph.
    pub classes: Vec<i32>,
    /// Recall of each class; null for a class without test nodes.
    pub recall: Vec<Option<f64>>,
    /// Nodes by true class (row) and predicted class (column).
    pub confusion: Vec<Vec<u64>>,
}

/// Results of Act on the nodes of one split.
#[derive(Clone, Debug)]
pub(crate) struct NodeResult {
    /// Metrics, weights and the chosen penalty.
    pub report: ActReport,
    /// The fitted model, over the components that have weights.
    pub model: NodeModel,
    /// Indices of these components.
    pub used: Vec<usize>,
    /// From scores to predictions.
    pub fitted: FittedTarget,
    /// Scores of every output, test node after test node: log-odds, or numbers on the scale of the model.
    pub test: Vec<f64>,
}

/// Weights of every class over the normalised embeddings of components.
#[derive(Clone, Debug)]
pub(crate) struct NodeModel {
    /// For each class, its weights and its intercept.
    pub(crate) outputs: Vec<(Vec<f32>, f64)>,
}

impl NodeModel {
    pub(super) fn new(weights: &Weights, groups: &[&Range<usize>]) -> Self {
        let output = |w: &Vec<f64>| {
            let (intercept, weights) = w.split_last().expect("the intercept is always there");
            let own = groups.iter().flat_map(|&group| &weights[group.clone()]);
            (own.map(|&w| w as f32).collect(), *intercept)
        };
        NodeModel { outputs: weights.outputs.iter().map(output).collect() }
    }

    /// Scores of every output, node after node.
    pub(crate) fn scores(&self, design: &NodeDesign<'_>, exec: &Exec) -> Vec<f64> {
        let (width, classes) = (design.cols(), self.outputs.len());
        let mut scores = vec![0.0; design.rows() * classes];
        exec.fill_rows(&mut scores, classes, 256, |first, scores| {
            let count = scores.len() / classes;
            if width == 0 {
                let intercepts = self.outputs.iter().map(|output| output.1).cycle();
                scores.iter_mut().zip(intercepts).for_each(|(score, intercept)| *score = intercept);
                return;
            }
            let mut block = vec![0.0; count * width];
            design.fill(first..first + count, &mut block);
            kernel::affine_scores(&block, width, &self.outputs, scores);
        });
        scores
    }
}

/// The most probable class of every node; ties go to the first.
fn most_probable(scores: &[f64], classes: usize) -> Vec<u32> {
    let best = |scores: &[f64]| {
        let first_best = |best: usize, class: usize| if scores[class] > scores[best] { class } else { best };
        (1..classes).fold(0, first_best) as u32
    };
    scores.chunks_exact(classes).map(best).collect()
}

/// Of two classes, the one with fewer training nodes; the first if they have as many.
fn rarer_class(labels: &[u32], classes: usize) -> Option<u32> {
    let of_second = labels.iter().filter(|&&label| label == 1).count();
    (classes == 2).then(|| u32::from(2 * of_second < labels.len()))
}

/// Metrics of these scores. With two classes, also how well the rarer class is ranked: accuracy says little
/// if one class is rare.
fn metrics(scores: &[f64], truth: &[u32], classes: usize, rare: Option<u32>) -> OrderedMap<f64> {
    let found = most_probable(scores, classes);
    let mut metrics: OrderedMap<f64> = [
        ("accuracy".to_string(), metric::accuracy(&found, truth)),
        ("macro_f1".to_string(), metric::macro_f1(&found, truth, classes)),
        ("balanced_accuracy".to_string(), metric::balanced_accuracy(&found, truth, classes)),
    ]
    .into_iter()
    .collect();
    if let Some(rare) = rare {
        let of = |wanted: bool| -> Vec<f64> {
            let own = scores.chunks_exact(2).zip(truth).filter(|&(_, &label)| (label == rare) == wanted);
            own.map(|(row, _)| row[rare as usize] - row[1 - rare as usize]).collect()
        };
        let (positives, negatives) = (of(true), of(false));
        if !positives.is_empty() && !negatives.is_empty() {
            metrics.push("auc", metric::auc(&positives, &negatives));
            metrics.push("ap", metric::average_precision(&positives, &negatives));
        }
    }
    metrics
}

/// Mean log-likelihood of the true classes.
fn log_likelihood(scores: &[f64], truth: &[u32], classes: usize) -> f64 {
    let of = |(scores, &class): (&[f64], &u32)| scores[class as usize] - log_sum_exp(scores);
    scores.chunks_exact(classes).zip(truth).map(of).sum::<f64>() / truth.len() as f64
}

/// Fits a node classifier on the training nodes, chooses its penalty on validation nodes, and measures it on
/// test nodes.
///
/// `probed` holds Probe's results on the first components: the softmax regression leaves out those without a
/// detectable signal, and the last ones, which Probe did not use. The ridge regressions use all components, since their
/// weights are chosen one by one.
pub(crate) fn nodes(
    components: &[&Component],
    probed: &[InfoScore],
    split: &NodeSplit,
    params: &NodeActParams,
    seed: Seed,
    exec: &Exec,
) -> Result<NodeResult> {
    params.validate()?;
    if split.target != SplitTarget::Classes {
        return targets::fit(components, split, params, seed, exec);
    }
    let labels = split.labels_of(&split.sets.train);
    let valid_labels = split.labels_of(&split.sets.valid);
    let classes = split.classes.len();
    let table = components.iter().any(|component| is_table(component));
    let sets = component_sets(components, probed, params.max_p);
    let mut grid = params.grid.clone();
    if table && grid == NodeActParams::default().grid {
        grid.lambda2.extend(TABLE_PENALTIES);
    }
    let normalized: Vec<Matrix> = components
        .iter()
        .enumerate()
        .map(|(at, component)| {
            let used = sets.iter().any(|set| set[at]);
            if used || params.mixture {
                component.normalized(params.normalization, exec)
            } else {
                Matrix::default()
            }
        })
        .collect();
    let left_out = Matrix::default();
    let fitted = exec.stage("act", sets.len() * grid.len(), || {
        let mut best: Option<TriedFit<'_>> = None;
        for set in &sets {
            let embeddings = of_set(&normalized, set, &left_out);
            let of = |nodes| NodeDesign { embeddings: &embeddings, nodes };
            let groups = groups_of(embeddings.iter().map(|embedding| embedding.cols()));
            let every: Vec<&Range<usize>> = groups.iter().collect();
            let used: Vec<Range<usize>> = groups.iter().filter(|group| !group.is_empty()).cloned().collect();
            let training = of(&split.sets.train);
            let rows = DesignBlock::collect(&training, training.cols(), exec);
            let target = Target::Classes { labels: &labels, classes };
            let mut solver = Solver::new(vec![&rows], target, used, exec);
            for penalty in grid.penalties(labels.len()) {
                let info = solver.fit(&penalty)?;
                let scores = NodeModel::new(solver.weights(), &every).scores(&of(&split.sets.valid), exec);
                // The likelihood decides, accuracy breaks ties: on a few dozen nodes accuracies are noise
                // (docs/design/act.md).
                let quality = (
                    log_likelihood(&scores, &valid_labels, classes),
                    metric::accuracy(&most_probable(&scores, classes), &valid_labels),
                );
                if best.as_ref().is_none_or(|best| quality > best.quality) {
                    let chosen = Chosen::new(&penalty, info);
                    best = Some(TriedFit { quality, set, chosen, weights: solver.weights().clone() });
                }
                exec.step()?;
            }
        }
        Ok(best.expect("the grid is not empty"))
    })?;
    let TriedFit { set, chosen, weights: softmax, .. } = fitted;
    let in_softmax = of_set(&normalized, set, &left_out);
    let softmax_groups = groups_of(in_softmax.iter().map(|embedding| embedding.cols()));
    let training = Training::of_classes(&split.sets.train, &labels, classes);
    let all: Vec<&Matrix> = normalized.iter().collect();
    let mixture = if params.mixture && all.iter().any(|embedding| embedding.cols() > 0) {
        let kinds: Vec<Group> = components.iter().map(|component| component.kind.spec().group).collect();
        Some(RidgeMixture::choose(&all, &kinds, &training, seed, exec)?)
    } else {
        None
    };
    let mut share = 1.0;
    let (embeddings, groups, mut weights) = if let Some(mixture) = &mixture {
        let ridge = mixture.fit(&all, &training, seed)?;
        let every: Vec<&Range<usize>> = softmax_groups.iter().collect();
        let valid = &split.sets.valid;
        let of_softmax = NodeModel::new(&softmax, &every)
            .scores(&NodeDesign { embeddings: &in_softmax, nodes: valid }, exec);
        let of_ridge = ridge::model(&ridge).scores(&NodeDesign { embeddings: &all, nodes: valid }, exec);
        let likelihood =
            |share: f64| log_likelihood(&ridge::mixed(share, &of_softmax, &of_ridge), &valid_labels, classes);
        share = ridge::softmax_share(likelihood, valid.len());
        let groups = groups_of(all.iter().map(|embedding| embedding.cols()));
        let weights = joined(share, (&softmax, &softmax_groups), &ridge, &groups);
        (all.clone(), groups, weights)
    } else {
        (in_softmax.clone(), softmax_groups.clone(), softmax.clone())
    };
    // Validation nodes are few, so training nodes are used for calibration too, each scored by a model that
    // was fitted without it.
    let penalty = SglParams {
        lambda1: chosen.lambda1,
        lambda2: chosen.lambda2,
        ridge: chosen.ridge,
        tolerance: grid.tolerance,
        max_iterations: grid.max_iterations,
    };
    let for_refit: Vec<&Matrix> = in_softmax
        .iter()
        .copied()
        .zip(&softmax_groups)
        .filter(|(_, group)| softmax.norm(group) > 0.0)
        .map(|(embedding, _)| embedding)
        .collect();
    let refit = Refit { softmax: &for_refit, penalty: &penalty, share, mixture: mixture.as_ref(), all: &all };
    let (mut unseen, mut truth) = cross_fitted(&refit, split, seed, exec)?;
    let every: Vec<&Range<usize>> = groups.iter().collect();
    let of_valid = NodeModel::new(&weights, &every)
        .scores(&NodeDesign { embeddings: &embeddings, nodes: &split.sets.valid }, exec);
    let log_shares: Vec<f64> = shares(&labels, classes, 0.5).into_iter().map(f64::ln).collect();
    let (scores, own) = ([&unseen[..], &of_valid].concat(), [&truth[..], &valid_labels].concat());
    let kept = if params.mixture { shrinkage(&scores, &own, &log_shares) } else { 1.0 };
    if kept < 1.0 {
        shrink(&mut unseen, kept, &log_shares);
        for (output, log_share) in weights.outputs.iter_mut().zip(&log_shares) {
            let (intercept, rest) = output.split_last_mut().expect("the intercept is always there");
            for weight in rest {
                *weight *= kept;
            }
            *intercept = kept * *intercept + (1.0 - kept) * log_share;
        }
    }
    // Components without weights are dropped from here on, so that a saved model does not contain them.
    let used: Vec<usize> = (0..groups.len()).filter(|&at| weights.norm(&groups[at]) > 0.0).collect();
    let model = NodeModel::new(&weights, &used.iter().map(|&at| &groups[at]).collect::<Vec<_>>());
    let weighing: Vec<&Matrix> = used.iter().map(|&at| embeddings[at]).collect();
    let score = |nodes: &[NodeId]| model.scores(&NodeDesign { embeddings: &weighing, nodes }, exec);
    let (valid, test) = (score(&split.sets.valid), score(&split.sets.test));
    let test_labels = split.labels_of(&split.sets.test);
    let found = most_probable(&test, classes);
    let rare = rarer_class(&labels, classes);
    let on_valid = metrics(&valid, &valid_labels, classes, rare);
    let names = components.iter().map(|component| component.kind.name());
    let mut report = ActReport::new(
        on_valid,
        metrics(&test, &test_labels, classes, rare),
        &weights,
        names.zip(&groups),
        chosen,
    );
    let confusion = metric::confusion(&found, &test_labels, classes);
    report.confusion = Some(Confusion {
        classes: split.classes.clone(),
        recall: confusion
            .iter()
            .enumerate()
            .map(|(class, row)| {
                let all: u64 = row.iter().sum();
                (all > 0).then(|| row[class] as f64 / all as f64)
            })
            .collect(),
        confusion,
    });
    report.softmax_share = mixture.as_ref().map(|_| share);
    report.shrinkage = (kept < 1.0).then_some(kept);
    unseen.extend(&valid);
    truth.extend(&valid_labels);
    let calibration = NodeCalibration::fit(&unseen, &truth, classes);
    let gained = gained_bits(&test, &test_labels, calibration, &shares(&labels, classes, 0.5));
    report.information = Estimate::of_values(gained.into_iter());
    let prior = shares(&labels, classes, 0.0).repeat(test_labels.len());
    report.no_information = metrics(&prior, &test_labels, classes, rare);
    report.baseline = report.no_information.get("accuracy").copied();
    Ok(NodeResult { report, model, used, fitted: FittedTarget::Classes(calibration), test })
}

/// The factor of the distance between the scores and the log-shares of the classes. It is 1 unless the shares alone
/// could predict as well: with a few dozen labels, a model without any information would otherwise be trusted.
///
/// Otherwise it is the mean of several factors, weighted by the likelihood of nodes that the weights were not fitted
/// on.
fn shrinkage(scores: &[f64], truth: &[u32], log_shares: &[f64]) -> f64 {
    const FACTORS: [f64; 5] = [0.0, 0.25, 0.5, 0.75, 1.0];
    if truth.is_empty() {
        return 1.0;
    }
    let found = FACTORS.map(|factor| {
        let mut shrunk = scores.to_vec();
        shrink(&mut shrunk, factor, log_shares);
        log_likelihood(&shrunk, truth, log_shares.len())
    });
    let most = found.into_iter().fold(f64::NEG_INFINITY, f64::max);
    let weights = found.map(|own| (ridge::TRUST * truth.len() as f64 * (own - most)).exp());
    let total: f64 = weights.iter().sum();
    if weights[0] < ridge::SMALLEST_SHARE * total {
        return 1.0;
    }
    FACTORS.iter().zip(weights).map(|(factor, weight)| factor * weight).sum::<f64>() / total
}

/// Moves scores towards the log-shares of the classes.
fn shrink(scores: &mut [f64], factor: f64, log_shares: &[f64]) {
    for (score, log_share) in scores.iter_mut().zip(log_shares.iter().cycle()) {
        *score = factor * *score + (1.0 - factor) * log_share;
    }
}

/// A fit of one set of components under one penalty.
struct TriedFit<'a> {
    /// Likelihood and accuracy on validation nodes.
    quality: (f64, f64),
    set: &'a [bool],
    chosen: Chosen,
    weights: Weights,
}

/// The weights of the mean of both models, over the columns of all components.
fn joined(
    share: f64,
    softmax: (&Weights, &[Range<usize>]),
    ridge: &[(Vec<f64>, f64)],
    groups: &[Range<usize>],
) -> Weights {
    let outputs = ridge.iter().zip(&softmax.0.outputs).map(|((of_ridge, intercept), of_softmax)| {
        let mut sum: Vec<f64> = of_ridge.iter().map(|weight| (1.0 - share) * weight).collect();
        // The softmax regression has no columns for components that it leaves out.
        for (from, to) in softmax.1.iter().zip(groups).filter(|(from, _)| !from.is_empty()) {
            for (from, to) in from.clone().zip(to.clone()) {
                sum[to] += share * of_softmax[from];
            }
        }
        let last = of_softmax.last().expect("the intercept is always there");
        sum.push(share * last + (1.0 - share) * intercept);
        sum
    });
    Weights { outputs: outputs.collect() }
}

/// Additional group penalties for tables: a few columns that determine the class need larger weights than
/// words do.
const TABLE_PENALTIES: [f64; 2] = [3e-3, 1e-3];

/// The sets of components that are tried. Components without a detectable signal in Probe are left out,
/// unless none has one. Clusters of a table's rows are a coarse measure, so for tables all components, and
/// features alone, are tried as well.
fn component_sets(components: &[&Component], probed: &[InfoScore], max_p: f64) -> Vec<Vec<bool>> {
    let of = |wanted: &dyn Fn(&InfoScore) -> bool| -> Vec<bool> {
        (0..components.len()).map(|at| probed.get(at).is_some_and(wanted)).collect()
    };
    let (signals, all) = (of(&|info| info.p_value <= max_p), of(&|_| true));
    let mut sets = vec![if signals.contains(&true) { signals } else { all.clone() }];
    if components.iter().any(|component| is_table(component)) {
        let features: Vec<bool> = components.iter().map(|c| c.kind == ComponentKind::F).collect();
        for set in [all, features] {
            if set.contains(&true) && !sets.contains(&set) {
                sets.push(set);
            }
        }
    }
    sets
}

/// Whether it comes from a user's table of few columns.
fn is_table(component: &Component) -> bool {
    component.lengths_matter && !component.kind.is_computed_table()
}

/// The embeddings of a set, with an empty one for each component that is left out.
fn of_set<'a>(embeddings: &'a [Matrix], set: &[bool], left_out: &'a Matrix) -> Vec<&'a Matrix> {
    embeddings.iter().zip(set).map(|(embedding, &used)| if used { embedding } else { left_out }).collect()
}

/// Number of folds for calibration on training nodes.
const CALIBRATION_FOLDS: usize = 5;

/// The chosen model, to be fitted on other nodes.
struct Refit<'a> {
    /// The embeddings of the softmax regression.
    softmax: &'a [&'a Matrix],
    penalty: &'a SglParams,
    /// The share of the softmax regression.
    share: f64,
    mixture: Option<&'a RidgeMixture>,
    /// The embeddings of the mixture.
    all: &'a [&'a Matrix],
}

/// Scores of the training nodes by models that were fitted without them, and their classes. Empty if there
/// are too few nodes, or no component has weights.
fn cross_fitted(
    refit: &Refit<'_>,
    split: &NodeSplit,
    seed: Seed,
    exec: &Exec,
) -> Result<(Vec<f64>, Vec<u32>)> {
    let Refit { softmax: embeddings, penalty, .. } = refit;
    let classes = split.classes.len();
    let groups = groups_of(embeddings.iter().map(|embedding| embedding.cols()));
    let mut nodes = split.sets.train.clone();
    if groups.is_empty() && refit.mixture.is_none() || nodes.len() < 2 * CALIBRATION_FOLDS {
        return Ok((Vec::new(), Vec::new()));
    }
    // Class by class, so that the folds are stratified.
    seed.stream(Stream::CalibrationFolds, 0).shuffle(&mut nodes);
    nodes.sort_by_key(|&node| split.labels[node as usize]);
    let (mut scores, mut truth) = (Vec::new(), Vec::new());
    for fold in 0..CALIBRATION_FOLDS {
        let (own, others): (Vec<_>, Vec<_>) =
            nodes.iter().enumerate().partition(|(at, _)| at % CALIBRATION_FOLDS == fold);
        let [own, others] =
            [own, others].map(|part| part.into_iter().map(|(_, &n)| n).collect::<Vec<NodeId>>());
        let labels = split.labels_of(&others);
        let softmax = if groups.is_empty() {
            let log_shares = shares(&labels, classes, 0.5).into_iter().map(f64::ln);
            log_shares.collect::<Vec<f64>>().repeat(own.len())
        } else {
            let design = NodeDesign { embeddings, nodes: &others };
            let rows = DesignBlock::collect(&design, design.cols(), exec);
            let target = Target::Classes { labels: &labels, classes };
            let mut solver = Solver::new(vec![&rows], target, groups.clone(), exec);
            // The ridge was divided by the number of rows.
            let ridge = penalty.ridge * nodes.len() as f64 / others.len() as f64;
            solver.fit(&SglParams { ridge, ..(*penalty).clone() })?;
            let model = NodeModel::new(solver.weights(), &groups.iter().collect::<Vec<_>>());
            model.scores(&NodeDesign { embeddings, nodes: &own }, exec)
        };
        if let Some(mixture) = refit.mixture {
            let training = Training::of_classes(&others, &labels, classes);
            let model = ridge::model(&mixture.fit(refit.all, &training, seed)?);
            let of_ridge = model.scores(&NodeDesign { embeddings: refit.all, nodes: &own }, exec);
            scores.extend(ridge::mixed(refit.share, &softmax, &of_ridge));
        } else {
            scores.extend(softmax);
        }
        truth.extend(split.labels_of(&own));
    }
    Ok((scores, truth))
}

/// For every node, log₂ of the ratio between the model's probability of its class and the share of that
/// class.
fn gained_bits(scores: &[f64], truth: &[u32], calibration: NodeCalibration, shares: &[f64]) -> Vec<f64> {
    let of = |(row, &class): (&[f64], &u32)| {
        let cooled: Vec<f64> = row.iter().map(|s| s / calibration.temperature).collect();
        let log_p = cooled[class as usize] - log_sum_exp(&cooled);
        (log_p - shares[class as usize].ln()) / std::f64::consts::LN_2
    };
    scores.chunks_exact(shares.len()).zip(truth).map(of).collect()
}

/// Features of nodes: their rows in all embeddings, concatenated.
pub(crate) struct NodeDesign<'a> {
    pub(crate) embeddings: &'a [&'a Matrix],
    pub(crate) nodes: &'a [NodeId],
}

impl Design for NodeDesign<'_> {
    fn rows(&self) -> usize {
        self.nodes.len()
    }

    fn cols(&self) -> usize {
        self.embeddings.iter().map(|embedding| embedding.cols()).sum()
    }

    fn fill(&self, rows: Range<usize>, out: &mut [f32]) {
        let width = self.cols();
        for (&node, mut out) in self.nodes[rows].iter().zip(out.chunks_exact_mut(width)) {
            for embedding in self.embeddings.iter().filter(|embedding| embedding.cols() > 0) {
                let (own, rest) = out.split_at_mut(embedding.cols());
                own.copy_from_slice(embedding.row(node as usize));
                out = rest;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Scores without a relation to the class are moved to the shares of the classes, others are not touched.
    #[test]
    fn scores_shrink_where_class_shares_predict_as_well() {
        // In both classes, half of the nodes have odds above their share by as much as the others are below.
        let truth: Vec<u32> = (0..50).map(|node| u32::from(node < 16)).collect();
        let log_shares = [0.68f64.ln(), 0.32f64.ln()];
        let scores = |own: &dyn Fn(usize) -> f64| -> Vec<f64> {
            (0..50).flat_map(|node| [log_shares[0] - own(node), log_shares[1] + own(node)]).collect()
        };
        let noise = scores(&|node| if node % 2 == 0 { 1.0 } else { -1.0 });
        let clear = scores(&|node| if node < 16 { 2.0 } else { -2.0 });
        let factor = shrinkage(&noise, &truth, &log_shares);
        assert!(factor < 0.25, "{factor}");
        assert_eq!(shrinkage(&clear, &truth, &log_shares), 1.0);
        // The same scores, of so many nodes that noise is excluded.
        let (many, classes) = (clear.repeat(20), truth.repeat(20));
        assert_eq!(shrinkage(&many, &classes, &log_shares), 1.0);
        assert_eq!(shrinkage(&[], &[], &log_shares), 1.0);
        let mut none = noise.clone();
        shrink(&mut none, 0.0, &log_shares);
        assert!(none.chunks(2).all(|row| row == log_shares));
        let before = log_likelihood(&noise, &truth, 2);
        let mut some = noise;
        shrink(&mut some, factor, &log_shares);
        assert!(log_likelihood(&some, &truth, 2) > before);
    }
}
