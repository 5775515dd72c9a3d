//! Predictive information: how many bits about the target a group of components carries, measured out of
//! sample.
//!
//! `I(G) = H(Y) − CE(G)`, where `CE(G)` is the mean of `−log₂ q(y | x)` over samples that the model `q` has
//! not seen: V-information (Xu et al., ICLR 2020) of the linear predictors over the group. `2^−CE(G)` is the
//! NetInfoF score, measured out of sample. There are no bins and no clusters, noise has no gain on average,
//! and two groups are compared sample by sample.
//!
//! The model is ridge regression on one-hot labels over a weighted sum of the components' kernels, in folds.
//! Inside a fold the weights, the penalty and the temperature that turns scores into probabilities are chosen
//! by leave-one-out likelihood of the training samples only, so the evaluated samples have no influence on
//! any choice. Weights and penalty are chosen on at most `MOST_CHOOSING` samples, and the model is fitted on at
//! most `MOST_TRAINING`: if there are more, several models are each evaluated on all samples that they were not
//! trained on.
//!
//! *Numbers*: the same with one column, and the model is a Gaussian around its prediction with the variance of
//! leave-one-out residuals, on a scale that is learned from the training samples ([`crate::linalg::TargetScale`]).
//! Bits are gained over the best constant Gaussian; since both are densities on one scale, the scale cancels. They
//! have no maximum, so shares are the R² of a Gaussian with as much information, `1 − 4^−I`. *Label sets*: one column
//! per label with weights that all labels share; bits are the mean over the labels, and a sample is a node.
//!
//! *Nodes*: the samples are the nodes of training and validation, a component's rows are its embedding.
//! *Links*: the samples are validation pairs, half of them edges, and a component's rows are its similarity,
//! `ẑ_i H* ẑ_j`, with hinges at its quantiles: its compatibility matrix was fitted on training pairs only.

mod fold;
mod refit;
mod target;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use self::fold::{Fold, MOST_CHOOSING, MOST_CHOOSING_WEIGHTS, folds};
use crate::error::Result;
use crate::evidence::{Estimate, NORMAL, mean_and_error};
use crate::exec::Exec;
use crate::graph::TargetKind;
use crate::matrix::Matrix;
use crate::seed::Seed;

pub(crate) use self::target::SampleTarget;

/// The default smallest gain worth having, as a share of all that there is to predict: of the target's entropy, or
/// of the variance of a numeric target.
pub(crate) const SMALLEST_GAIN: f64 = 0.05;
/// The signal that `nothing` must exclude, as a share of all that there is to predict: this share, or the smallest
/// gain worth having if that is smaller.
const SMALLEST_SIGNAL: f64 = 0.03;

/// A shown signal that is certainly below this share of all that there is to predict, or below the smallest gain
/// worth having if that is smaller, is not worth a model.
const SLIGHT_SIGNAL: f64 = 0.01;

/// The upper half of an interval that excludes a gain, as a multiple of that of the 95 % interval: that of a 97.5 %
/// interval.
const EXCLUDING: f64 = 2.241 / 1.96;

/// The groups of components in the verdict.
pub(crate) mod group {
    pub(crate) const STRUCTURE: &str = "structure";
    pub(crate) const FEATURES: &str = "features";
    pub(crate) const BOTH: &str = "structure and features";
    pub(crate) const PROPAGATION: &str = "propagation";
    pub(crate) const ALL: &str = "all";
    pub(crate) const CONTROL: &str = "control";
    pub(crate) const REWIRED: &str = "rewired";
    pub(crate) const NONLINEAR: &str = "features, nonlinear";
    // Nodes without any other signal: products of components.
    pub(crate) const INTERACTIONS: &str = "interactions";
    // Links: embeddings only, without statistics of pairs.
    pub(crate) const STRUCTURE_EMBEDDED: &str = "structure, embeddings";
    pub(crate) const FEATURES_EMBEDDED: &str = "features, embeddings";
    pub(crate) const PROPAGATION_EMBEDDED: &str = "propagation, embeddings";
}

/// Name prefix of the group of all components and a user-supplied one.
const ALL_WITH: &str = "all with ";

fn all_with(name: &str) -> String {
    format!("{ALL_WITH}{name}")
}

/// The information that a group of components carries about the target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct GroupInformation {
    /// The group, or a single component.
    pub name: Cow<'static, str>,
    /// Its components.
    pub components: Vec<String>,
    /// Bits about the target.
    pub bits: Estimate,
    /// `2^−CE`: the NetInfoF score, out of sample. Numbers: `1 − 4^−bits`, the R² of a Gaussian with as much
    /// information.
    pub score: f64,
}

/// Conclusion from the interval of a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// Shown: the interval lies above zero, and the gain is worth having.
    Shown,
    /// Excluded: the 97.5 % interval lies below the smallest gain worth having.
    Excluded,
    /// Neither.
    Open,
}

/// How many more bits one group carries than another, on the same samples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct InformationGain {
    /// The group.
    pub of: Cow<'static, str>,
    /// The group that it is compared with.
    pub over: Cow<'static, str>,
    /// Bits.
    pub bits: Estimate,
    /// Conclusion from the interval.
    pub answer: Answer,
}

/// Predictive information of all groups.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Information {
    /// The kind of the target.
    #[serde(default, skip_serializing_if = "TargetKind::is_classes")]
    pub target: TargetKind,
    /// Entropy of the target in bits: the maximum of predictive information. Labels: the mean over the labels.
    /// Numbers: that of a standard Gaussian, 2.05 bits, which is no maximum.
    pub entropy: f64,
    /// Number of predicted samples.
    pub samples: usize,
    /// Number of samples that each model was fitted on.
    pub training: usize,
    /// The smallest gain worth having, in bits.
    pub smallest_gain: f64,
    /// Groups, then single components.
    pub groups: Vec<GroupInformation>,
    /// Groups against each other.
    pub gains: Vec<InformationGain>,
    /// For every group, the bits gained on each sample.
    #[serde(skip)]
    pub(crate) values: Vec<Vec<f64>>,
    /// For every group and model, the mean of the bits gained on the samples that the model was evaluated on.
    #[serde(skip)]
    pub(crate) by_model: Vec<Vec<f64>>,
    /// Number of samples that these models were fitted and evaluated on.
    #[serde(skip)]
    pub(crate) fitting: Fitting,
    /// Identity of these samples.
    #[serde(skip)]
    pub(crate) units: Vec<u64>,
}

/// How much the squared standard error over the evaluated samples is too small, because models fitted on other
/// samples would differ: a factor, measured on generated samples (docs/design/information-and-verdict.md).
const BETWEEN_FITS: f64 = 1.3;

/// Divided by the samples per class, it is added to that factor: models that are fitted on few samples of a class differ
/// more.
const FEW_PER_CLASS: f64 = 8.0;

/// Nats of log-likelihood, over all training samples together, by which fitted models differ by chance: whether a
/// component gets a weight at all depends on as much. It is the smallest standard error of a measurement.
const RESOLUTION: f64 = 1.5;

/// The models that predictive information was measured with.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Fitting {
    /// Number of samples that each model was fitted on.
    training: usize,
    /// Number of samples that each model was evaluated on.
    judged: usize,
    /// Samples per class ([`SampleTarget::per_class`]).
    per_class: f64,
}

impl Fitting {
    /// The mean of values of samples with the 95 % interval of what models that are fitted on as many other samples
    /// gain on average; `models` are the means of the samples of each model.
    ///
    /// The variance of the mean over samples covers the samples that were evaluated, not those that the models were
    /// fitted on. Added are a factor, the variance between models beyond that between their samples, and the resolution
    /// of so many training samples, without which an interval has no width where a component has no weight.
    fn estimate(
        self,
        values: impl Iterator<Item = f64> + Clone,
        models: impl Iterator<Item = f64> + Clone,
    ) -> Estimate {
        let over_samples = Estimate::of_values(values.clone());
        let (samples, error) = (values.clone().count() as f64, mean_and_error(values).1);
        let (count, between) = (models.clone().count().max(1) as f64, mean_and_error(models).1);
        let expected = error * error * samples / (self.judged.max(1) as f64 * count);
        let excess = (between * between - expected).max(0.0);
        let resolution = RESOLUTION / (self.training.max(1) as f64 * std::f64::consts::LN_2);
        let factor = BETWEEN_FITS + FEW_PER_CLASS / self.per_class.max(1.0);
        let wide = (factor * error * error + excess + resolution * resolution).sqrt();
        // Student's quantile for few samples, the normal one where the resolution is all that there is.
        let quantile =
            if error > 0.0 { (over_samples.interval[1] - over_samples.value) / error } else { NORMAL };
        let half = quantile * wide;
        Estimate {
            value: over_samples.value,
            interval: [over_samples.value - half, over_samples.value + half],
        }
    }
}

/// The R² of a Gaussian with this information: `I = −½ log₂(1 − R²)`.
fn equivalent_r2(bits: f64) -> f64 {
    1.0 - (-2.0 * bits).exp2()
}

/// The bits of a share of all that there is to predict ([`Information::share`]).
fn bits_of_share(target: TargetKind, entropy: f64, share: f64) -> f64 {
    match target {
        TargetKind::Numbers => -0.5 * (1.0 - share.min(1.0 - 1e-9)).log2(),
        TargetKind::Classes | TargetKind::Labels => share * entropy,
    }
}

fn score(target: TargetKind, entropy: f64, bits: f64) -> f64 {
    match target {
        TargetKind::Numbers => equivalent_r2(bits),
        TargetKind::Classes | TargetKind::Labels => (bits - entropy).exp2(),
    }
}

/// The reported comparisons, which the verdict is based on.
const QUESTIONS: [[&str; 2]; 14] = [
    [group::PROPAGATION, group::FEATURES],
    [group::PROPAGATION, group::STRUCTURE],
    [group::ALL, group::FEATURES],
    [group::ALL, group::STRUCTURE],
    [group::ALL, group::BOTH],
    [group::ALL, group::PROPAGATION],
    [group::ALL, group::CONTROL],
    [group::ALL, group::REWIRED],
    [group::BOTH, group::STRUCTURE],
    [group::NONLINEAR, group::FEATURES],
    [group::NONLINEAR, group::ALL],
    [group::PROPAGATION, group::NONLINEAR],
    [group::PROPAGATION_EMBEDDED, group::FEATURES_EMBEDDED],
    [group::PROPAGATION_EMBEDDED, group::STRUCTURE_EMBEDDED],
];

impl Information {
    fn new(
        named: Vec<(Cow<'static, str>, Vec<String>)>,
        values: Vec<Vec<f64>>,
        by_model: Vec<Vec<f64>>,
        units: Vec<u64>,
        target: TargetKind,
        entropy: f64,
        fitting: Fitting,
    ) -> Self {
        let groups = named
            .into_iter()
            .zip(&values)
            .zip(&by_model)
            .map(|(((name, components), own), models)| {
                let bits = fitting.estimate(own.iter().copied(), models.iter().copied());
                GroupInformation { name, components, bits, score: score(target, entropy, bits.value) }
            })
            .collect();
        let mut found = Information {
            target,
            entropy,
            samples: units.len(),
            training: fitting.training,
            fitting,
            smallest_gain: bits_of_share(target, entropy, SMALLEST_GAIN),
            groups,
            gains: Vec::new(),
            values,
            by_model,
            units,
        };
        let questions = QUESTIONS.iter().map(|&[of, over]| [Cow::Borrowed(of), Cow::Borrowed(over)]);
        let with_own: Vec<Cow<'static, str>> = found
            .groups
            .iter()
            .map(|own| own.name.clone())
            .filter(|name| name.starts_with(ALL_WITH))
            .collect();
        let questions = questions.chain(with_own.into_iter().map(|of| [of, group::ALL.into()]));
        let gains = questions.filter_map(|[of, over]| {
            let bits = found.difference(&of, &over)?;
            Some(InformationGain { of, over, bits, answer: found.answer(bits) })
        });
        found.gains = gains.collect();
        found
    }

    /// The same with another smallest gain worth having, as a share of the target's entropy.
    pub(crate) fn with_smallest_gain(mut self, share: f64) -> Self {
        self.smallest_gain = bits_of_share(self.target, self.entropy, share);
        let answers: Vec<Answer> = self.gains.iter().map(|gain| self.answer(gain.bits)).collect();
        self.gains.iter_mut().zip(answers).for_each(|(gain, answer)| gain.answer = answer);
        self
    }

    /// These bits as a share of all that there is to predict. Classes and labels: of the entropy. Numbers: the R² of
    /// a Gaussian with as much information, `1 − 4^−bits`.
    pub fn share(&self, bits: f64) -> f64 {
        match self.target {
            TargetKind::Numbers => equivalent_r2(bits),
            TargetKind::Classes | TargetKind::Labels => bits / self.entropy.max(f64::MIN_POSITIVE),
        }
    }

    /// The signal that `nothing` must exclude, in bits.
    pub(crate) fn smallest_signal(&self) -> f64 {
        bits_of_share(self.target, self.entropy, SMALLEST_SIGNAL).min(self.smallest_gain)
    }

    /// The bits below which a shown signal is not worth a model.
    pub(crate) fn slight_signal(&self) -> f64 {
        bits_of_share(self.target, self.entropy, SLIGHT_SIGNAL).min(self.smallest_gain)
    }

    fn at(&self, name: &str) -> Option<usize> {
        self.groups.iter().position(|group| group.name == name)
    }

    fn difference(&self, of: &str, over: &str) -> Option<Estimate> {
        let (of, over) = (self.at(of)?, self.at(over)?);
        let paired = |all: &'_ [Vec<f64>]| -> Vec<f64> {
            all[of].iter().zip(&all[over]).map(|(a, b)| a - b).collect()
        };
        let (values, models) = (paired(&self.values), paired(&self.by_model));
        Some(self.fitting.estimate(values.iter().copied(), models.iter().copied()))
    }

    /// The bits of a group.
    pub fn bits(&self, name: &str) -> Option<Estimate> {
        self.at(name).map(|at| self.groups[at].bits)
    }

    /// The gain of every user-supplied component over all others: its name, its bits alone, and the gain.
    pub fn own_components(&self) -> impl Iterator<Item = (&str, Estimate, &InformationGain)> {
        self.gains.iter().filter(|gain| gain.over == group::ALL).filter_map(|gain| {
            let name = gain.of.strip_prefix(ALL_WITH)?;
            Some((name, self.bits(name)?, gain))
        })
    }

    /// How many more bits one group carries than another.
    pub(crate) fn gain(&self, of: &str, over: &str) -> Option<&InformationGain> {
        self.gains.iter().find(|gain| gain.of == of && gain.over == over)
    }

    /// Whether a gain of this many bits is excluded: the interval lies below it, and models were fitted on
    /// enough samples to find it. With fewer samples a model is constant, and its interval has no width.
    /// Log-likelihood ratios of mean δ have a variance of about 2δ, and δ must be larger than half the
    /// interval of that many samples.
    pub(crate) fn excludes(&self, bits: Estimate, smallest: f64) -> bool {
        let detectable =
            NORMAL * (2.0 * smallest / (std::f64::consts::LN_2 * self.training.max(1) as f64)).sqrt();
        // Several gains are excluded in one verdict: a 95 % interval is not enough to leave a part of the data out.
        let upper = bits.value + EXCLUDING * (bits.interval[1] - bits.value);
        upper.max(detectable) < smallest
    }

    fn answer(&self, bits: Estimate) -> Answer {
        if bits.above(0.0) && bits.value >= self.smallest_gain {
            Answer::Shown
        } else if self.excludes(bits, self.smallest_gain) {
            Answer::Excluded
        } else {
            Answer::Open
        }
    }

    /// The same with one more group, measured separately and not compared with others.
    pub(crate) fn with_group_of(mut self, other: &Information, name: &str) -> Information {
        self.groups.extend(other.at(name).map(|at| other.groups[at].clone()));
        self
    }

    /// This one or another that differs only in its control: the one whose control carries more.
    pub(crate) fn with_better_control(self, other: Information) -> Information {
        let control =
            |own: &Information| own.bits(group::CONTROL).map_or(f64::NEG_INFINITY, |bits| bits.value);
        if control(&other) > control(&self) { other } else { self }
    }

    /// The mean over several splits, which used each sample `repetition` times on average.
    pub(crate) fn mean(of: &[&Information], repetition: f64) -> Option<Information> {
        let first = *of.first()?;
        let count = of.len() as f64;
        let mut mean =
            Information { values: Vec::new(), by_model: Vec::new(), units: Vec::new(), ..first.clone() };
        mean.entropy = of.iter().map(|own| own.entropy).sum::<f64>() / count;
        mean.smallest_gain = of.iter().map(|own| own.smallest_gain).sum::<f64>() / count;
        // Number of different samples.
        mean.samples = (of.iter().map(|own| own.samples).sum::<usize>() as f64 / repetition).round() as usize;
        // A split measures a control only where its verdict depends on it: means are over the splits that have a
        // group or a gain.
        for own in &of[1..] {
            for group in &own.groups {
                if mean.at(&group.name).is_none() {
                    mean.groups.push(group.clone());
                }
            }
            for gain in &own.gains {
                if mean.gain(&gain.of, &gain.over).is_none() {
                    mean.gains.push(gain.clone());
                }
            }
        }
        let (target, entropy) = (mean.target, mean.entropy);
        for group in &mut mean.groups {
            let bits: Vec<Estimate> = of.iter().filter_map(|own| own.bits(&group.name)).collect();
            group.bits = Estimate::mean(&bits, repetition);
            group.score = score(target, entropy, group.bits.value);
        }
        for at in 0..mean.gains.len() {
            let InformationGain { of: group, over, .. } = &mean.gains[at];
            let bits: Vec<Estimate> =
                of.iter().filter_map(|own| own.gain(group, over)).map(|gain| gain.bits).collect();
            mean.gains[at].bits = Estimate::mean(&bits, repetition);
            mean.gains[at].answer = mean.answer(mean.gains[at].bits);
        }
        Some(mean)
    }
}

/// The role of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Structure,
    Features,
    Propagation,
    /// None of these.
    Other,
    /// Propagated features of other nodes: the structural information in propagation.
    Control,
    /// Features propagated over a graph of the same degrees: what smoothing over other edges carries.
    Rewired,
    /// Features, compared by distance instead of product: nonlinear relations.
    Nonlinear,
    /// Products of two components, measured only if nothing else shows a signal.
    Interaction,
    /// A user-supplied component: compared with all others, and in no other group.
    Custom,
}

/// The input of a component in the regression: one row per sample.
#[derive(Clone)]
struct ComponentBlock {
    name: String,
    rows: Matrix,
    part: Part,
    /// Whether it is computed for pairs instead of nodes.
    of_pairs: bool,
}

impl ComponentBlock {
    fn by_distance(&self) -> bool {
        self.part == Part::Nonlinear
    }
}

/// A group: its name and its blocks.
struct BlockGroup {
    name: Cow<'static, str>,
    blocks: Vec<usize>,
}

/// The components of a task as input of predictive information.
#[derive(Clone, Default)]
pub(crate) struct ComponentBlocks(Vec<ComponentBlock>);

impl ComponentBlocks {
    pub(crate) fn add(&mut self, part: Part, name: impl Into<String>, rows: Matrix) {
        self.0.push(ComponentBlock { name: name.into(), rows, part, of_pairs: false });
    }

    /// The same for statistics of pairs, which a GNN does not use.
    pub(crate) fn add_of_pairs(&mut self, part: Part, name: impl Into<String>, rows: Matrix) {
        self.0.push(ComponentBlock { name: name.into(), rows, part, of_pairs: true });
    }

    /// The groups, and the number of single components. Single components come first, because groups start
    /// from the choices for their parts.
    fn groups(&self) -> (Vec<BlockGroup>, usize) {
        let of =
            |part: Part| -> Vec<usize> { (0..self.0.len()).filter(|&at| self.0[at].part == part).collect() };
        let alone = |at: &usize| !matches!(self.0[*at].part, Part::Control | Part::Rewired | Part::Nonlinear);
        let single = |at: usize| BlockGroup { name: self.0[at].name.clone().into(), blocks: vec![at] };
        let mut groups: Vec<BlockGroup> = (0..self.0.len()).filter(alone).map(single).collect();
        let singles = groups.len();
        let [structure, features, propagation, others] =
            [Part::Structure, Part::Features, Part::Propagation, Part::Other].map(of);
        let [control, rewired, nonlinear] = [Part::Control, Part::Rewired, Part::Nonlinear].map(of);
        let mut form = |name: &'static str, wanted: bool, parts: &[&[usize]]| {
            let blocks = parts.concat();
            if wanted && !blocks.is_empty() {
                groups.push(BlockGroup { name: name.into(), blocks });
            }
        };
        form(group::STRUCTURE, true, &[&structure]);
        form(group::FEATURES, true, &[&features]);
        form(group::PROPAGATION, true, &[&propagation]);
        form(group::BOTH, !structure.is_empty() && !features.is_empty(), &[&structure, &features]);
        form(group::ALL, true, &[&structure, &features, &propagation, &others]);
        form(group::CONTROL, !control.is_empty(), &[&structure, &features, &control, &others]);
        form(group::REWIRED, !rewired.is_empty(), &[&structure, &features, &rewired, &others]);
        form(group::NONLINEAR, !nonlinear.is_empty(), &[&features, &nonlinear]);
        form(group::INTERACTIONS, true, &[&of(Part::Interaction)]);
        if self.0.iter().any(|block| block.of_pairs) {
            let embedded = |of: &[usize]| -> Vec<usize> {
                of.iter().copied().filter(|&at| !self.0[at].of_pairs).collect()
            };
            form(group::STRUCTURE_EMBEDDED, true, &[&embedded(&structure)]);
            form(group::FEATURES_EMBEDDED, true, &[&embedded(&features)]);
            form(group::PROPAGATION_EMBEDDED, true, &[&embedded(&propagation)]);
        }
        // Last: groups start from the choices for earlier groups.
        for own in of(Part::Custom) {
            let blocks = [&structure[..], &features, &propagation, &others, &[own]].concat();
            groups.push(BlockGroup { name: all_with(&self.0[own].name).into(), blocks });
        }
        (groups, singles)
    }

    /// Predictive information about the target of samples; `target` and `units` belong to the rows of the
    /// blocks.
    pub(crate) fn measure(
        &self,
        target: &SampleTarget<'_>,
        units: &[u64],
        seed: Seed,
        exec: &Exec,
    ) -> Result<Information> {
        let blocks = &self.0[..];
        let (groups, singles) = self.groups();
        let pairs = blocks.iter().any(|block| block.of_pairs);
        let most_choosing = if pairs { MOST_CHOOSING } else { MOST_CHOOSING_WEIGHTS };
        let folds = folds(&target.strata(), most_choosing, seed);
        let found = exec.stage("information", folds.len(), || {
            exec.try_map(&folds, |fold| {
                let gained = fold.gains(blocks, &groups, singles, target, exec)?;
                exec.step()?;
                Ok(gained)
            })
        })?;
        // The mean over the models that were not trained on a sample.
        let mut counts = vec![0usize; target.len()];
        let mut values = vec![vec![0.0; target.len()]; groups.len()];
        for (fold, gained) in folds.iter().zip(&found) {
            for (at, &sample) in fold.judged.iter().enumerate() {
                counts[sample] += 1;
                values.iter_mut().zip(gained).for_each(|(values, gained)| values[sample] += gained[at]);
            }
        }
        let judged: Vec<usize> = (0..target.len()).filter(|&at| counts[at] > 0).collect();
        let mut by_model: Vec<Vec<f64>> = (0..groups.len())
            .map(|group| found.iter().map(|gained| mean_and_error(gained[group].iter().copied()).0).collect())
            .collect();
        // Groups before single components.
        values.rotate_left(singles);
        by_model.rotate_left(singles);
        let values = values
            .into_iter()
            .map(|own| judged.iter().map(|&at| own[at] / counts[at] as f64).collect())
            .collect();
        let components = |group: &BlockGroup| {
            group.blocks.iter().map(|&at| blocks[at].name.clone()).collect::<Vec<String>>()
        };
        let ordered = groups[singles..].iter().chain(&groups[..singles]);
        let named = ordered.map(|group| (group.name.clone(), components(group))).collect();
        let most = |of: fn(&Fold) -> usize| folds.iter().map(of).max().unwrap_or(0);
        let fitting = Fitting {
            training: most(|fold| fold.training.len()),
            judged: most(|fold| fold.judged.len()),
            per_class: target.per_class(),
        };
        let units = judged.iter().map(|&at| units[at]).collect();
        let kind = match target {
            SampleTarget::Classes { .. } => TargetKind::Classes,
            SampleTarget::Numbers { .. } => TargetKind::Numbers,
            SampleTarget::Labels { .. } => TargetKind::Labels,
        };
        Ok(Information::new(named, values, by_model, units, kind, target.entropy(), fitting))
    }
}

#[cfg(test)]
mod tests;
