//! Act on nodes whose target is a number or a set of labels: a mixture of ridge regressions over the normalised
//! embeddings, as for classes, without the softmax regression.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::calibrate::{LabelCalibration, NumberCalibration, NumberPrediction};
use super::nodes::{NodeActParams, NodeDesign, NodeModel, NodeResult};
use super::ridge::{self, RidgeMixture, Training};
use super::{ActReport, Chosen, FittedTarget, groups_of};
use crate::component::Component;
use crate::error::{Error, Result};
use crate::evidence::Estimate;
use crate::exec::Exec;
use crate::graph::{NodeId, TargetKind};
use crate::linalg::sgl::Weights;
use crate::linalg::{Outcome, RidgeTarget, ScoreFit, SglInfo, TargetScale};
use crate::matrix::Matrix;
use crate::metric;
use crate::ordered_map::OrderedMap;
use crate::seed::{Seed, Stream};
use crate::spec::Group;
use crate::split::{NodeSplit, SplitTarget};

/// Results on a numeric target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NumberResults {
    /// What was done to the target before the fit: `none`, `signed logarithm` or `normal scores`. Metrics are on the
    /// original scale.
    pub transformation: String,
    /// Share of test nodes whose target lies in the 95 % interval of its prediction.
    pub coverage: f64,
    /// Test nodes by predicted value, in ten groups of equal size: mean prediction and mean target.
    pub tenths: Vec<[f64; 2]>,
}

/// Results on label sets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LabelResults {
    /// Names of the labels.
    pub names: Vec<String>,
    /// Labels with at least this probability are predicted; chosen on validation nodes for the highest micro F1.
    pub threshold: f64,
    /// Number of test nodes that have each label.
    pub nodes: Vec<u64>,
    /// AUC of each label on the test nodes; null for a label that all or none of them have.
    pub auc: Vec<Option<f64>>,
    /// F1 of each label on the test nodes; null for a label that is neither present nor predicted.
    pub f1: Vec<Option<f64>>,
}

/// Parameters of the softmax regression have no meaning for these targets.
pub(crate) fn check_target(params: &NodeActParams, kind: Option<TargetKind>) -> Result<()> {
    if kind.is_none_or(|kind| kind == TargetKind::Classes) {
        return Ok(());
    }
    let defaults = NodeActParams::default();
    if !params.mixture {
        return Err(Error::param("node_model", "softmax", "mixture: only classes have a softmax regression"));
    }
    if params.max_p != defaults.max_p {
        let need = "no value: it belongs to the softmax regression, which only classes have";
        return Err(Error::param("max_p", params.max_p, need));
    }
    Ok(())
}

/// Number of folds for predictions of training nodes by models that were fitted without them.
const FOLDS: usize = 5;

/// Fits the mixture on the training nodes, learns its errors on others, and measures it on test nodes.
pub(super) fn fit(
    components: &[&Component],
    split: &NodeSplit,
    params: &NodeActParams,
    seed: Seed,
    exec: &Exec,
) -> Result<NodeResult> {
    let normalized: Vec<Matrix> =
        components.iter().map(|component| component.normalized(params.normalization, exec)).collect();
    let all: Vec<&Matrix> = normalized.iter().collect();
    let kinds: Vec<Group> = components.iter().map(|component| component.kind.spec().group).collect();
    let scale = match &split.target {
        SplitTarget::Numbers(_) => TargetScale::learn(&split.target.numbers(&split.sets.train)),
        SplitTarget::Classes | SplitTarget::Labels { .. } => TargetScale::learn(&[]),
    };
    let target = |nodes: &[NodeId]| -> RidgeTarget {
        match &split.target {
            SplitTarget::Labels { names, .. } => {
                RidgeTarget::labels(split.target.label_rows(nodes), names.len())
            }
            SplitTarget::Numbers(_) | SplitTarget::Classes => {
                let numbers = split.target.numbers(nodes);
                RidgeTarget::Numbers(numbers.iter().map(|&value| scale.standardised(value)).collect())
            }
        }
    };
    let train = &split.sets.train;
    let training = Training { nodes: train, target: target(train) };
    let outputs = training.target.outputs();
    let (mixture, fitted, unseen) = exec.stage("act", 2 + FOLDS, || {
        let mixture = RidgeMixture::choose(&all, &kinds, &training, seed, exec)?;
        exec.step()?;
        let fitted = mixture.fit(&all, &training, seed)?;
        exec.step()?;
        // Predictions of training nodes by models that were fitted on the others.
        let mut order = train.clone();
        seed.stream(Stream::CalibrationFolds, 0).shuffle(&mut order);
        let mut unseen: (Vec<NodeId>, Vec<f64>) = Default::default();
        for fold in 0..FOLDS {
            let own: Vec<NodeId> = order.iter().skip(fold).step_by(FOLDS).copied().collect();
            let others = (0..order.len()).filter(|at| at % FOLDS != fold);
            let mut others: Vec<NodeId> = others.map(|at| order[at]).collect();
            others.sort_unstable();
            let training = Training { nodes: &others, target: target(&others) };
            let model = ridge::model(&mixture.fit(&all, &training, seed)?);
            unseen.1.extend(model.scores(&NodeDesign { embeddings: &all, nodes: &own }, exec));
            unseen.0.extend(own);
            exec.step()?;
        }
        Ok((mixture, fitted, unseen))
    })?;
    let groups = groups_of(all.iter().map(|embedding| embedding.cols()));
    let weights = Weights {
        outputs: fitted
            .iter()
            .map(|(own, intercept)| own.iter().copied().chain([*intercept]).collect())
            .collect(),
    };
    let used: Vec<usize> = (0..groups.len()).filter(|&at| weights.norm(&groups[at]) > 0.0).collect();
    let every: Vec<&Range<usize>> = used.iter().map(|&at| &groups[at]).collect();
    let model = NodeModel::new(&weights, &every);
    let weighing: Vec<&Matrix> = used.iter().map(|&at| all[at]).collect();
    let score = |nodes: &[NodeId]| model.scores(&NodeDesign { embeddings: &weighing, nodes }, exec);
    let (valid, test) = (score(&split.sets.valid), score(&split.sets.test));
    let (mut unseen_nodes, mut unseen) = unseen;
    unseen_nodes.extend(&split.sets.valid);
    unseen.extend(&valid);

    let chosen = Chosen {
        lambda1: 0.0,
        lambda2: 0.0,
        ridge: mixture.main_penalty(),
        info: SglInfo { iterations: 0, kkt: 0.0, converged: true, objective: 0.0 },
    };
    let names = components.iter().map(|component| component.kind.name());
    let report = |valid: OrderedMap<f64>, test: OrderedMap<f64>| {
        ActReport::new(valid, test, &weights, names.zip(&groups), chosen)
    };
    let on = |nodes: &[NodeId]| split.target.numbers(nodes);
    let (report, fitted) = match &split.target {
        SplitTarget::Labels { names: labels, .. } => {
            let rows = |nodes: &[NodeId]| split.target.label_rows(nodes);
            let truth = rows(&split.sets.test);
            let calibration = LabelCalibration::fit(
                labels,
                &unseen,
                &rows(&unseen_nodes),
                &valid,
                &rows(&split.sets.valid),
            );
            let probable = |scores: &[f64]| calibration.probabilities(scores);
            let metrics = |probabilities: &[f64], truth: &[u8], threshold: f64| {
                label_metrics(probabilities, truth, outputs, threshold)
            };
            let found = probable(&test);
            let mut report = report(
                metrics(&probable(&valid), &rows(&split.sets.valid), calibration.threshold),
                metrics(&found, &truth, calibration.threshold),
            );
            let RidgeTarget::Labels { shares, rows: own } = &training.target else {
                unreachable!("labels are the target")
            };
            let constant = shares.repeat(split.sets.test.len());
            let threshold = super::calibrate::best_threshold(&shares.repeat(train.len()), own);
            report.no_information = metrics(&constant, &truth, threshold);
            report.baseline = Some(0.5);
            let fit = ScoreFit { temperature: 1.0, loss: 0.0 };
            let gained = truth.chunks_exact(outputs).zip(test.chunks_exact(outputs)).map(|(row, scores)| {
                // Scores contain the intercepts and the factors, which `bits` adds.
                let plain = |label: usize| {
                    (scores[label] / calibration.temperature - training.target.intercept(label))
                        / training.target.factor(label)
                };
                training.target.bits(&Outcome::Labels(row), &plain, fit)
            });
            report.information = Estimate::of_values(gained.collect::<Vec<_>>().into_iter());
            report.labels = Some(label_results(labels, &found, &truth, calibration.threshold));
            (report, FittedTarget::Labels(calibration))
        }
        SplitTarget::Numbers(_) | SplitTarget::Classes => {
            let calibration = NumberCalibration::fit(scale.clone(), &unseen, &on(&unseen_nodes));
            let truth = on(&split.sets.test);
            let predicted = |scores: &[f64]| -> PredictedNumbers {
                let own: Vec<NumberPrediction> =
                    scores.iter().map(|&score| calibration.predict(score)).collect();
                PredictedNumbers {
                    values: own.iter().map(|own| own.value).collect(),
                    medians: own.iter().map(|own| own.median).collect(),
                    scores: scores.to_vec(),
                }
            };
            let found = predicted(&test);
            let mut report = report(
                predicted(&valid).metrics(&on(&split.sets.valid), &scale),
                found.metrics(&truth, &scale),
            );
            // The best constant for each metric.
            let (mean, median) = constants(&on(train));
            let constant = |value: f64| vec![value; truth.len()];
            let constant =
                PredictedNumbers { values: constant(mean), medians: constant(median), scores: constant(0.0) };
            report.no_information = constant.metrics(&truth, &scale);
            report.baseline = report.no_information.get("r2").copied();
            let fit = ScoreFit { temperature: 1.0, loss: 0.5 * calibration.variance.ln() };
            let gained = truth.iter().zip(&test).map(|(&value, &score)| {
                training.target.bits(&Outcome::Number(scale.standardised(value)), &|_| score, fit)
            });
            report.information = Estimate::of_values(gained.collect::<Vec<_>>().into_iter());
            let inside = truth.iter().zip(&test).filter(|&(&value, &score)| {
                let own = calibration.predict(score);
                own.low <= value && value <= own.high
            });
            report.numbers = Some(NumberResults {
                transformation: scale.transformation().unwrap_or("none").into(),
                coverage: inside.count() as f64 / truth.len() as f64,
                tenths: tenths(&found.values, &truth),
            });
            (report, FittedTarget::Numbers(calibration))
        }
    };
    Ok(NodeResult { report, model, used, fitted, test })
}

/// Mean and median.
fn constants(values: &[f64]) -> (f64, f64) {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let at = sorted.len() / 2;
    let median =
        if sorted.len().is_multiple_of(2) { 0.5 * (sorted[at - 1] + sorted[at]) } else { sorted[at] };
    (sorted.iter().sum::<f64>() / sorted.len() as f64, median)
}

/// Predictions of some nodes.
struct PredictedNumbers {
    /// Expected values, which squared errors are measured of.
    values: Vec<f64>,
    /// Medians, which absolute errors are measured of.
    medians: Vec<f64>,
    /// On the scale of the model.
    scores: Vec<f64>,
}

impl PredictedNumbers {
    /// Metrics on the original scale; if the target was transformed, also R² on the scale of the model.
    fn metrics(&self, truth: &[f64], scale: &TargetScale) -> OrderedMap<f64> {
        let mut metrics: OrderedMap<f64> = [
            ("r2".to_string(), metric::r2(&self.values, truth)),
            ("mae".to_string(), metric::mean_absolute_error(&self.medians, truth)),
            ("rmse".to_string(), metric::root_mean_squared_error(&self.values, truth)),
            ("spearman".to_string(), metric::spearman(&self.scores, truth)),
        ]
        .into_iter()
        .collect();
        if scale.transformation().is_some() {
            let on_scale: Vec<f64> = truth.iter().map(|&value| scale.standardised(value)).collect();
            metrics.push("r2_transformed", metric::r2(&self.scores, &on_scale));
        }
        metrics
    }
}

fn tenths(found: &[f64], truth: &[f64]) -> Vec<[f64; 2]> {
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_by(|&a, &b| found[a].total_cmp(&found[b]));
    let groups = order.len().min(10);
    let mean = |own: &[usize], of: &[f64]| own.iter().map(|&at| of[at]).sum::<f64>() / own.len() as f64;
    (0..groups)
        .map(|at| &order[at * order.len() / groups..(at + 1) * order.len() / groups])
        .map(|own| [mean(own, found), mean(own, truth)])
        .collect()
}

/// Scores of one label, of nodes that have it and of the others.
fn sides(values: &[f64], truth: &[u8], labels: usize, label: usize) -> [Vec<f64>; 2] {
    let of = |wanted: u8| {
        let pairs = values.iter().zip(truth).skip(label).step_by(labels);
        pairs.filter(|(_, has)| **has == wanted).map(|(&value, _)| value).collect()
    };
    [of(1), of(0)]
}

/// For every label, the numbers of nodes that have it and are predicted, that are predicted, and that have it.
fn counts(probabilities: &[f64], truth: &[u8], labels: usize, threshold: f64) -> Vec<[u64; 3]> {
    let mut counts = vec![[0; 3]; labels];
    for (at, (&p, &has)) in probabilities.iter().zip(truth).enumerate() {
        let (found, has) = (p >= threshold, has == 1);
        let own = &mut counts[at % labels];
        own[0] += u64::from(found && has);
        own[1] += u64::from(found);
        own[2] += u64::from(has);
    }
    counts
}

fn f1([both, found, has]: [u64; 3]) -> Option<f64> {
    (found + has > 0).then(|| 2.0 * both as f64 / (found + has) as f64)
}

/// F1 over all pairs of a node and a label, and means over the labels: of F1, AUC and average precision. Labels that
/// all or no nodes have do not count for the last two.
fn label_metrics(probabilities: &[f64], truth: &[u8], labels: usize, threshold: f64) -> OrderedMap<f64> {
    let counted = counts(probabilities, truth, labels, threshold);
    let sum = counted.iter().fold([0; 3], |sum, own| [0, 1, 2].map(|at| sum[at] + own[at]));
    let mean = |values: Vec<f64>| values.iter().sum::<f64>() / values.len().max(1) as f64;
    let mut metrics: OrderedMap<f64> = [
        ("micro_f1".to_string(), f1(sum).unwrap_or(0.0)),
        ("macro_f1".to_string(), mean(counted.into_iter().filter_map(f1).collect())),
    ]
    .into_iter()
    .collect();
    let ranked: Vec<[f64; 2]> = (0..labels)
        .map(|label| sides(probabilities, truth, labels, label))
        .filter(|[positives, negatives]| !positives.is_empty() && !negatives.is_empty())
        .map(|[p, n]| [metric::auc(&p, &n), metric::average_precision(&p, &n)])
        .collect();
    if !ranked.is_empty() {
        metrics.push("macro_auc", mean(ranked.iter().map(|own| own[0]).collect()));
        metrics.push("macro_ap", mean(ranked.iter().map(|own| own[1]).collect()));
    }
    metrics
}

fn label_results(names: &[String], probabilities: &[f64], truth: &[u8], threshold: f64) -> LabelResults {
    let labels = names.len();
    let counted = counts(probabilities, truth, labels, threshold);
    let auc = |label: usize| {
        let [positives, negatives] = sides(probabilities, truth, labels, label);
        (!positives.is_empty() && !negatives.is_empty()).then(|| metric::auc(&positives, &negatives))
    };
    LabelResults {
        names: names.to_vec(),
        threshold,
        nodes: counted.iter().map(|own| own[2]).collect(),
        auc: (0..labels).map(auc).collect(),
        f1: counted.into_iter().map(f1).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: label 0 is predicted for nodes 0 and 1 (one of them has it), label 1 for node 2, which has it, and
    /// node 0 has it unpredicted.
    #[test]
    fn label_metrics_are_those_of_a_small_table() {
        let probabilities = [0.9, 0.2, 0.6, 0.1, 0.3, 0.7];
        let truth = [1, 1, 0, 0, 0, 1];
        let found = label_metrics(&probabilities, &truth, 2, 0.5);
        let get = |name: &str| *found.get(name).unwrap();
        assert!((get("micro_f1") - 2.0 * 2.0 / 6.0).abs() < 1e-12);
        assert!((get("macro_f1") - 0.5 * (2.0 / 3.0 + 2.0 / 3.0)).abs() < 1e-12);
        assert!((get("macro_auc") - 1.0).abs() < 1e-12 && (get("macro_ap") - 1.0).abs() < 1e-12);
        let each = label_results(&["a".into(), "b".into()], &probabilities, &truth, 0.5);
        assert_eq!((each.nodes, each.auc), (vec![1, 2], vec![Some(1.0), Some(1.0)]));
        // A label without nodes counts for no mean.
        let without = label_metrics(&[0.9, 0.1, 0.2, 0.1], &[1, 0, 0, 0], 2, 0.5);
        assert_eq!((without.get("macro_f1"), without.get("macro_auc")), (Some(&1.0), Some(&1.0)));
    }

    #[test]
    fn tenths_are_sorted_by_prediction() {
        let found: Vec<f64> = (0..20).rev().map(f64::from).collect();
        let truth: Vec<f64> = found.iter().map(|value| 2.0 * value).collect();
        let tenths = tenths(&found, &truth);
        assert_eq!((tenths.len(), tenths[0], tenths[9]), (10, [0.5, 1.0], [18.5, 37.0]));
        assert_eq!(constants(&[4.0, 1.0, 2.0, 9.0]), (4.0, 3.0));
    }
}
