//! Act on links: a logistic regression over symmetric pair features, chosen by validation Hits@K.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::{ActReport, Chosen, Grid, LinkCalibration, LogOdds, PathStep, groups_of};
use crate::error::{Error, Result};
use crate::evidence::Estimate;
use crate::exec::Exec;
use crate::graph::{Csr, Pair, ordered};
use crate::kernel;
use crate::linalg::sgl::{Design, DesignBlock, Solver, Target, Weights};
use crate::linalg::{SglInfo, SglParams};
use crate::link::{Evaluated, Learned, LinkComponent, PairDesign, PairSet};
use crate::metric::{self, Curves};
use crate::ordered_map::OrderedMap;
use crate::pairwise::PairwiseSource;
use crate::seed::Seed;
use crate::split::{LinkSplit, Negatives};
use crate::training::Training;

/// Which penalties are tried.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Penalties {
    /// From the smallest penalty that leaves all weights at zero downwards, until validation no longer
    /// improves: one strong component may be best alone, and the others enter one by one.
    Path(PenaltyPath),
    /// A grid, as in the paper.
    Grid(Grid),
}

/// A regularisation path.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PenaltyPath {
    /// λ₁ as a share of λ₂ (default 0.1).
    pub ratio: f64,
    /// Penalties per decade (default 2).
    pub per_decade: usize,
    /// Decades below the top (default 5).
    pub decades: usize,
    /// The path ends after this many penalties without improvement (default 2).
    pub patience: usize,
    /// Maximum number of Newton steps per penalty (default 12).
    pub max_iterations: usize,
}

impl Default for PenaltyPath {
    fn default() -> Self {
        PenaltyPath { ratio: 0.1, per_decade: 2, decades: 5, patience: 2, max_iterations: 12 }
    }
}

/// Parameters of Act on links.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LinkActParams {
    /// Penalties to try (default a path).
    pub penalties: Penalties,
    /// The K of Hits@K; `None` means 100, less on small graphs, and 10 if each positive has its own
    /// negatives.
    pub hits: Option<usize>,
    /// Whether features of a pair depend on the order of its nodes, as in the paper (default: no, because in
    /// most data the order identifies edges).
    pub directed: bool,
    /// Negatives per training edge (default 3).
    pub negatives: usize,
    /// Maximum number of training pairs (default 300 000). Edges beyond that are not used for training,
    /// neither by the compatibility matrices nor by the bins of Probe.
    pub max_pairs: usize,
}

impl Default for LinkActParams {
    fn default() -> Self {
        LinkActParams {
            penalties: Penalties::Path(PenaltyPath::default()),
            hits: None,
            directed: false,
            negatives: 3,
            max_pairs: 300_000,
        }
    }
}

impl LinkActParams {
    pub(crate) fn validate(&self) -> Result<()> {
        match &self.penalties {
            Penalties::Grid(grid) => grid.validate()?,
            Penalties::Path(path) => {
                if !(path.ratio >= 0.0 && path.ratio.is_finite()) {
                    return Err(Error::param("ratio", path.ratio, "a number of at least 0"));
                }
                if [path.per_decade, path.decades, path.max_iterations, path.patience].contains(&0) {
                    return Err(Error::param(
                        "path",
                        0,
                        "at least 1 penalty per decade, decade, step and patience",
                    ));
                }
            }
        }
        if self.hits == Some(0) {
            return Err(Error::param("hits", 0, "at least 1"));
        }
        if !(1..=100).contains(&self.negatives) {
            return Err(Error::param("train_negatives", self.negatives, "1 to 100"));
        }
        if self.max_pairs < 1 + self.negatives {
            return Err(Error::param("max_pairs", self.max_pairs, "at least one edge and its negatives"));
        }
        Ok(())
    }
}

/// Results of Act on the links of one split.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LinkResult {
    /// Metrics, weights and the chosen penalty.
    pub report: ActReport,
    /// The fitted model, over the components that have weights.
    pub model: LinkModel,
    /// Indices of these components.
    pub used: Vec<usize>,
    /// From log-odds to probabilities.
    pub calibration: LinkCalibration,
    /// Log-odds of the test edges and of the other test pairs.
    pub test: [Vec<f64>; 2],
}

/// Weights over the pair features of components.
#[derive(Clone, Debug)]
pub struct LinkModel {
    pub(crate) weights: Vec<f32>,
    pub(crate) intercept: f64,
    pub(crate) directed: bool,
}

impl LinkModel {
    fn new<'g>(
        weights: &Weights,
        groups: impl Iterator<Item = &'g Range<usize>>,
        params: &LinkActParams,
    ) -> Self {
        let (intercept, weights) = weights.outputs[0].split_last().expect("the intercept is always there");
        let weights = groups.flat_map(|group| &weights[group.clone()]).map(|&w| w as f32).collect();
        LinkModel { weights, intercept: *intercept, directed: params.directed }
    }

    /// Log-odds of an edge for every pair; the components must be those the model was fitted on.
    pub(crate) fn scores(&self, components: &[&LinkComponent], set: &PairSet, exec: &Exec) -> Vec<f64> {
        let design = PairDesign { components, set, ordered: self.directed };
        let width = design.cols();
        assert_eq!(width, self.weights.len(), "model and components disagree");
        let mut scores = vec![self.intercept; set.len()];
        if width == 0 {
            return scores;
        }
        exec.fill_rows(&mut scores, 1, 256, |first, scores| {
            let mut block = vec![0.0; scores.len() * width];
            design.fill(first..first + scores.len(), &mut block);
            kernel::affine_scores(&block, width, &[(&self.weights, self.intercept)], scores);
        });
        scores
    }
}

/// The pairs used for choices: validation positives, and as many negatives as are available.
#[derive(Debug)]
struct JudgePairs {
    /// Others than all validation edges.
    positives: Option<PairSet>,
    /// Others than the validation negatives.
    negatives: Option<PairSet>,
    measure: Measure,
}

#[derive(Clone, Copy, Debug)]
enum Measure {
    /// Share of the positives above the negative of this rank.
    Hits(usize),
    /// Mean reciprocal rank of each positive among this many negatives of its own.
    OwnRanks(usize),
}

/// Maximum numbers of positives with their own hard negatives, and of these negatives, that are used for
/// choices.
const JUDGED: [usize; 2] = [1000, 100];

impl JudgePairs {
    fn new(split: &LinkSplit, k: usize, source: Option<&PairwiseSource<'_>>, exec: &Exec) -> Self {
        if split.negatives_per_edge > 0 {
            let thin = split.valid.thinned(split.negatives_per_edge, JUDGED[0], JUDGED[1]);
            let Evaluated { positives, negatives } = Evaluated::new(&thin, source, exec);
            let measure = Measure::OwnRanks(JUDGED[1].min(split.negatives_per_edge));
            return JudgePairs { positives: Some(positives), negatives: Some(negatives), measure };
        }
        if split.choice.len() <= split.valid.negatives.len() {
            return JudgePairs { positives: None, negatives: None, measure: Measure::Hits(k) };
        }
        // The share of negatives that Hits@K lets through on the test pairs, so that the choice optimises the
        // same threshold.
        let rank = (k * split.choice.len()).div_ceil(split.test.negatives.len()).max(1);
        let negatives = Some(PairSet::new(split.choice.clone(), source, exec));
        JudgePairs { positives: None, negatives, measure: Measure::Hits(rank) }
    }

    fn figure(
        &self,
        valid: &Evaluated,
        model: &LinkModel,
        components: &[&LinkComponent],
        exec: &Exec,
    ) -> f64 {
        let positives = self.positives.as_ref().unwrap_or(&valid.positives);
        let negatives = self.negatives.as_ref().unwrap_or(&valid.negatives);
        let [positives, negatives] =
            [positives, negatives].map(|pairs| model.scores(components, pairs, exec));
        match self.measure {
            Measure::Hits(rank) => metric::hits_at(rank, &positives, &negatives),
            Measure::OwnRanks(each) => metric::own_ranks(1, each, &positives, &negatives).1,
        }
    }
}

/// The data that pairs are looked up in and drawn from.
#[derive(Clone, Copy, Debug)]
pub struct KnownEdges<'a> {
    /// All known edges, held-out edges included: negatives are never among them.
    pub all: &'a Csr,
    /// The source of the columns of X, if X is one of the components.
    pub source: Option<&'a PairwiseSource<'a>>,
    /// Seed of the random draws.
    pub seed: Seed,
}

/// The pairs on which models are chosen and measured, beside the validation pairs.
#[derive(Debug)]
pub struct TestPairs {
    /// The K of Hits@K.
    k: usize,
    judge: JudgePairs,
    test: Evaluated,
    /// Many uniform pairs sample the top of the ranking of all pairs, whichever negatives the model is tested
    /// on; `None` if those of the judge do.
    others: Option<PairSet>,
    /// Degree-matched negatives of the test edges, if the others are uniform.
    matched: Option<PairSet>,
    /// Directed graphs: the reverses of the test edges that are no edges themselves, and the numbers of these test
    /// edges.
    reverse: Option<(PairSet, Vec<usize>)>,
}

impl TestPairs {
    /// Draws and prepares the pairs.
    pub fn new(
        split: &LinkSplit,
        known: KnownEdges<'_>,
        params: &LinkActParams,
        exec: &Exec,
    ) -> Result<Self> {
        let KnownEdges { all, source, seed } = known;
        let k = check_hits(params, split, exec)?;
        let prepared = |pairs: Vec<Pair>| PairSet::new(pairs, source, exec);
        let judge = JudgePairs::new(split, k, source, exec);
        let others = match split.calibration_pairs(all, seed) {
            Cow::Borrowed(_) if judge.negatives.is_some() => None,
            pairs => Some(prepared(pairs.into_owned())),
        };
        // Shows whether the model improves on degrees and on the trace that the split leaves in them.
        let matched = match split.negatives {
            Negatives::Uniform => split.matched(all, &split.test.positives, 1, seed),
            Negatives::Degree | Negatives::Heart => None,
        };
        let test = Evaluated::new(&split.test, source, exec);
        let reverse = split.sides().filter(|sides| sides.are_roles()).and_then(|sides| {
            let reverses = split.test.positives.iter().enumerate().filter_map(|(at, &pair)| {
                let [i, j] = sides.oriented(pair);
                let reverse = ordered([sides.twin(j)?, sides.twin(i)?]);
                (!all.contains(reverse[0], reverse[1])).then_some((reverse, at))
            });
            let (pairs, numbers): (Vec<Pair>, Vec<usize>) = reverses.unzip();
            (!pairs.is_empty()).then(|| (prepared(pairs), numbers))
        });
        Ok(TestPairs { k, judge, test, others, matched: matched.map(prepared), reverse })
    }

    /// All sets of pairs.
    pub(crate) fn sets(&self) -> impl Iterator<Item = &PairSet> {
        let TestPairs { judge, test, others, matched, reverse, .. } = self;
        let reverse = reverse.as_ref().map(|own| &own.0);
        let own =
            [judge.positives.as_ref(), judge.negatives.as_ref(), others.as_ref(), matched.as_ref(), reverse];
        [&test.positives, &test.negatives].into_iter().chain(own.into_iter().flatten())
    }

    /// All sets of pairs, in the same order.
    pub(crate) fn sets_mut(&mut self) -> impl Iterator<Item = &mut PairSet> {
        let TestPairs { judge, test, others, matched, reverse, .. } = self;
        let reverse = reverse.as_mut().map(|own| &mut own.0);
        let own =
            [judge.positives.as_mut(), judge.negatives.as_mut(), others.as_mut(), matched.as_mut(), reverse];
        [&mut test.positives, &mut test.negatives].into_iter().chain(own.into_iter().flatten())
    }

    fn others(&self) -> &PairSet {
        let choice = || self.judge.negatives.as_ref().expect("else there are others");
        self.others.as_ref().unwrap_or_else(choice)
    }
}

/// Fits a link model on the training pairs, chooses its penalty on validation pairs, and measures it on test
/// pairs. The components must have been learned for Act.
pub fn links(
    learned: &[Learned],
    split: &LinkSplit,
    training: &Training,
    valid: &Evaluated,
    pairs: &TestPairs,
    params: &LinkActParams,
    exec: &Exec,
) -> Result<LinkResult> {
    let k = pairs.k;
    let labels = training.act.labels();
    let all: Vec<&LinkComponent> = learned.iter().map(|learned| &learned.component).collect();
    // What was learned in the folds may not generalise: a component that ranks validation edges below other
    // pairs is left out.
    let holds = |component: &&LinkComponent| {
        let [edges, others] = [&valid.positives, &valid.negatives]
            .map(|set| component.similarities(set, exec).iter().map(|&s| f64::from(s)).collect::<Vec<_>>());
        metric::auc(&edges, &others) >= 0.5
    };
    let kept: Vec<usize> = (0..all.len()).filter(|&at| holds(&all[at])).collect();
    let left_out: Vec<&str> =
        (0..all.len()).filter(|at| !kept.contains(at)).map(|at| all[at].kind().name()).collect();
    if !left_out.is_empty() {
        exec.notice(format!(
            "components left out of the model because they rank validation edges below other pairs: {}",
            left_out.join(", ")
        ));
    }
    let components: Vec<&LinkComponent> = kept.iter().map(|&at| all[at]).collect();
    let groups = groups_of(components.iter().map(|component| component.cols()));
    let blocks: Vec<&DesignBlock> =
        kept.iter().map(|&at| learned[at].act.as_ref().expect("made for Act")).collect();
    let mut solver = Solver::new(blocks, Target::Binary(&labels), groups.clone(), exec);
    let (penalties, patience) = match &params.penalties {
        _ if components.is_empty() => (Vec::new(), 0),
        Penalties::Grid(grid) => (grid.penalties(labels.len()).collect::<Vec<_>>(), usize::MAX),
        Penalties::Path(path) => (path.penalties(solver.lambda_max(path.ratio)?), path.patience),
    };
    let mut path = Vec::new();
    let mut best: Option<(f64, Chosen, Weights)> = None;
    exec.stage("act", penalties.len(), || {
        let mut without_gain = 0;
        for penalty in penalties {
            let info = solver.fit(&penalty)?;
            let weights = solver.weights();
            let model = LinkModel::new(weights, groups.iter(), params);
            let figure = pairs.judge.figure(valid, &model, &components, exec);
            let rising = path.last().is_some_and(|last: &PathStep| figure > last.figure);
            path.push(PathStep {
                lambda1: penalty.lambda1,
                lambda2: penalty.lambda2,
                ridge: penalty.ridge,
                figure,
                components: groups.iter().filter(|group| weights.norm(group) > 0.0).count(),
            });
            if best.as_ref().is_none_or(|(so_far, ..)| figure > *so_far) {
                best = Some((figure, Chosen::new(&penalty, info), weights.clone()));
                without_gain = 0;
            } else {
                // A value below the best that still rises may exceed it later: a strong component may need
                // several penalties to enter.
                without_gain = if rising { 0 } else { without_gain + 1 };
            }
            exec.step()?;
            // The figure may fall before the second component enters.
            let several = groups.len() == 1 || path.last().is_some_and(|step| step.components > 1);
            if without_gain >= patience && several {
                break;
            }
        }
        Ok(())
    })?;
    // Without a component there is nothing to fit: all pairs have the same score.
    let nothing =
        || (0.0, Chosen::new(&SglParams::new(0.0, 0.0), SglInfo::default()), solver.weights().clone());
    let (_, chosen, weights) = best.unwrap_or_else(nothing);
    // Components without weights are dropped from here on, so that a saved model does not contain them.
    let used: Vec<usize> = (0..groups.len()).filter(|&at| weights.norm(&groups[at]) > 0.0).collect();
    let model = LinkModel::new(&weights, used.iter().map(|&at| &groups[at]), params);
    let weighing: Vec<&LinkComponent> = used.iter().map(|&at| components[at]).collect();
    let used: Vec<usize> = used.into_iter().map(|at| kept[at]).collect();
    let scores =
        |set: &Evaluated| [&set.positives, &set.negatives].map(|pairs| model.scores(&weighing, pairs, exec));
    let metrics = |[positives, negatives]: &[Vec<f64>; 2]| -> OrderedMap<f64> {
        let (hits, mrr) = if split.negatives_per_edge > 0 {
            metric::own_ranks(k, split.negatives_per_edge, positives, negatives)
        } else {
            (metric::hits_at(k, positives, negatives), metric::mrr(positives, negatives))
        };
        [
            (format!("hits@{k}"), hits),
            ("auc".into(), metric::auc(positives, negatives)),
            ("ap".into(), metric::average_precision(positives, negatives)),
            ("mrr".into(), mrr),
        ]
        .into_iter()
        .collect()
    };
    // Components that were left out have zero weights.
    let ranges: Vec<Range<usize>> = (0..all.len())
        .map(|at| kept.iter().position(|&own| own == at).map_or(0..0, |own| groups[own].clone()))
        .collect();
    let names = all.iter().map(|component| component.kind().name());
    let valid_scores = scores(valid);
    let test = scores(&pairs.test);
    let mut report =
        ActReport::new(metrics(&valid_scores), metrics(&test), &weights, names.zip(&ranges), chosen);
    if let Some((reverse, numbers)) = &pairs.reverse {
        let back = model.scores(&weighing, reverse, exec);
        let above = numbers.iter().zip(&back).map(|(&at, &back)| match test[0][at].total_cmp(&back) {
            Ordering::Greater => 1.0,
            Ordering::Equal => 0.5,
            Ordering::Less => 0.0,
        });
        report.test.push(DIRECTION, above.sum::<f64>() / numbers.len() as f64);
    }
    report.path = path;
    report.curves = Some(Curves::new(&test[0], &test[1]));
    let others = model.scores(&weighing, pairs.others(), exec);
    let calibration = LinkCalibration::fit(&valid_scores[0], &others);
    if calibration.is_flat() {
        exec.notice(
            "the model ranks validation edges below other pairs: its probabilities carry no information",
        );
    }
    // Both kinds of pairs have the same total weight, whatever their numbers: the maximum is one bit.
    let balanced = LogOdds::fit(&valid_scores[0], &valid_scores[1], 0.5);
    let bits = |scores: &[f64], edge: bool| {
        let gained = scores.iter().map(|&score| {
            let z = balanced.slope * score + balanced.shift;
            1.0 - (if edge { -z } else { z }).exp().ln_1p().min(700.0) / std::f64::consts::LN_2
        });
        Estimate::of_values(gained.collect::<Vec<_>>().into_iter())
    };
    let halves = [bits(&test[0], true), bits(&test[1], false)];
    report.information = Estimate::mean(&halves, 1.0);
    let prior = test[0].len() as f64 / (test[0].len() + test[1].len()).max(1) as f64;
    report.no_information = [("auc".into(), 0.5), ("ap".into(), prior)].into_iter().collect();
    if pairs.reverse.is_some() {
        report.no_information.push(DIRECTION, 0.5);
    }
    report.baseline = Some(0.5);
    report.beyond_degree_auc = pairs
        .matched
        .as_ref()
        .map(|matched| metric::auc_estimate(&test[0], &model.scores(&weighing, matched, exec)));
    Ok(LinkResult { report, model, used, calibration, test })
}

impl PenaltyPath {
    /// The penalties below the top, largest first.
    fn penalties(&self, top: f64) -> Vec<SglParams> {
        (1..=self.per_decade * self.decades)
            .map(|step| top * 10f64.powf(-(step as f64) / self.per_decade as f64))
            .map(|lambda2| SglParams {
                max_iterations: self.max_iterations,
                ..SglParams::new(self.ratio * lambda2, lambda2)
            })
            .collect()
    }
}

/// The share of test edges whose reverse is no edge and has a lower score; ties count half.
const DIRECTION: &str = "direction";

/// The K to use: the requested one if there are enough negatives; by default 100, or the largest of 50, 20,
/// 10, … that fits.
pub(crate) fn check_hits(params: &LinkActParams, split: &LinkSplit, exec: &Exec) -> Result<usize> {
    if split.negatives_per_edge > 0 {
        return match params.hits {
            None => Ok(10),
            Some(k) if k <= split.negatives_per_edge => Ok(k),
            Some(k) => Err(Error::param(
                "hits",
                k,
                format!("at most {}, the number of negatives per edge", split.negatives_per_edge),
            )),
        };
    }
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
        exec.notice(format!("Hits@{k} instead of Hits@100: the smallest set of negatives has {fewest}"));
    }
    Ok(k)
}
