//! Predictive information: how many bits about the target a group of components carries, measured out of sample.
//!
//! `I(G) = H(Y) − CE(G)`, where `CE(G)` is the mean of `−log₂ q(y | x)` over samples that the model `q` has not seen: V-information
//! (Xu et al., ICLR 2020) of the linear predictors over the group. `2^−CE(G)` is the NetInfoF score, measured out of sample. There are no bins
//! and no clusters, noise gains nothing on average, and two groups are compared sample by sample.
//!
//! The model is ridge regression on one-hot labels over a weighted sum of the components' kernels, in folds. Inside a fold the weights, the
//! penalty and the temperature that turns scores into probabilities are chosen by leave-one-out likelihood of the training samples alone, so what
//! is judged has had no part in any choice. At most [`MOST_TRAINING`] samples train each model: where there are more, several models are
//! each tried on all samples that they have not seen.
//!
//! *Nodes*: the samples are the nodes of training and validation, a component's rows are its embedding. *Links*: the samples are validation pairs, half of them
//! edges, and a component's rows are its similarity, `ẑ_i H* ẑ_j`, bent at its quantiles: its compatibility matrix has seen training pairs alone.

use std::borrow::Cow;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::error::Result;
use crate::evidence::{Estimate, NORMAL};
use crate::exec::Exec;
use crate::kernel::SmallMatrix;
use crate::linalg::sgl::log_sum_exp;
use crate::linalg::{kernel_ridge, leave_one_out, leave_one_out_of_rows};
use crate::matrix::Matrix;
use crate::seed::{Seed, Stream};

/// Models that are fitted for every group.
const FOLDS: usize = 5;
/// Samples that a model is fitted on, at most: time grows with the cube.
pub const MOST_TRAINING: usize = 400;
/// Samples that each model is tried on, at most.
const MOST_JUDGED: usize = 5000;
/// Ridge penalties, where the mean diagonal of a kernel is 1.
const PENALTIES: [f64; 4] = [0.01, 0.1, 1.0, 10.0];
/// The smallest gain worth having, as a share of the target's entropy.
pub const SMALLEST_GAIN: f64 = 0.05;
/// A signal is excluded only if it is smaller than this share of the target's entropy.
pub const SMALLEST_SIGNAL: f64 = 0.03;

/// What a group of components stands for in the verdict.
pub(crate) mod group {
    pub(crate) const STRUCTURE: &str = "structure";
    pub(crate) const FEATURES: &str = "features";
    pub(crate) const BOTH: &str = "structure and features";
    pub(crate) const PROPAGATION: &str = "propagation";
    pub(crate) const ALL: &str = "all";
    pub(crate) const CONTROL: &str = "control";
    pub(crate) const NONLINEAR: &str = "features, nonlinear";
    // Links: embeddings alone, without statistics of pairs.
    pub(crate) const STRUCTURE_EMBEDDED: &str = "structure, embeddings";
    pub(crate) const FEATURES_EMBEDDED: &str = "features, embeddings";
    pub(crate) const PROPAGATION_EMBEDDED: &str = "propagation, embeddings";
}

/// How the group of all components and one of the user's own begins.
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
    /// `2^−CE`: the NetInfoF score, out of sample.
    pub score: f64,
}

/// What the interval of a difference says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// It lies above zero, and the gain is worth having.
    Shown,
    /// It lies below the smallest gain worth having.
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
    /// What the interval says.
    pub answer: Answer,
}

/// Predictive information of all groups.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Information {
    /// Entropy of the target, in bits: what there is to know.
    pub entropy: f64,
    /// Samples that were predicted.
    pub samples: usize,
    /// Samples that each model was fitted on.
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
    /// Which samples these are.
    #[serde(skip)]
    pub(crate) units: Vec<u64>,
}

/// The comparisons that are reported: the verdict's questions.
const QUESTIONS: [[&str; 2]; 12] = [
    [group::PROPAGATION, group::FEATURES],
    [group::PROPAGATION, group::STRUCTURE],
    [group::ALL, group::FEATURES],
    [group::ALL, group::STRUCTURE],
    [group::ALL, group::BOTH],
    [group::ALL, group::CONTROL],
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
        units: Vec<u64>,
        entropy: f64,
        training: usize,
    ) -> Self {
        let groups = named
            .into_iter()
            .zip(&values)
            .map(|((name, components), own)| {
                let bits = Estimate::of_values(own.iter().copied());
                GroupInformation { name, components, bits, score: (bits.value - entropy).exp2() }
            })
            .collect();
        let mut found = Information {
            entropy,
            samples: units.len(),
            training,
            smallest_gain: SMALLEST_GAIN * entropy,
            groups,
            gains: Vec::new(),
            values,
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

    fn at(&self, name: &str) -> Option<usize> {
        self.groups.iter().position(|group| group.name == name)
    }

    fn difference(&self, of: &str, over: &str) -> Option<Estimate> {
        let (of, over) = (self.at(of)?, self.at(over)?);
        let pairs = self.values[of].iter().zip(&self.values[over]);
        Some(Estimate::of_values(pairs.map(|(a, b)| a - b)))
    }

    /// The bits of a group.
    pub fn bits(&self, name: &str) -> Option<Estimate> {
        self.at(name).map(|at| self.groups[at].bits)
    }

    /// What every component of the user's own adds to all the others: its name, its bits alone, and the gain.
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

    /// Whether a gain of this many bits is excluded: the interval lies below it, and models were fitted on samples enough to find it. With fewer a model
    /// learns nothing, and its interval has no width. Log-likelihood ratios of mean δ have a variance of about 2δ, and δ must be larger than
    /// half an interval of so many of them.
    pub(crate) fn excludes(&self, bits: Estimate, smallest: f64) -> bool {
        let detectable =
            NORMAL * (2.0 * smallest / (std::f64::consts::LN_2 * self.training.max(1) as f64)).sqrt();
        bits.interval[1].max(detectable) < smallest
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

    /// The mean over several splits, which used each sample `repetition` times on average.
    pub(crate) fn mean(of: &[&Information], repetition: f64) -> Option<Information> {
        let first = *of.first()?;
        let count = of.len() as f64;
        let mut mean = Information { values: Vec::new(), units: Vec::new(), ..first.clone() };
        mean.entropy = of.iter().map(|own| own.entropy).sum::<f64>() / count;
        mean.smallest_gain = SMALLEST_GAIN * mean.entropy;
        // So many different samples.
        mean.samples = (of.iter().map(|own| own.samples).sum::<usize>() as f64 / repetition).round() as usize;
        for (at, group) in mean.groups.iter_mut().enumerate() {
            let bits: Vec<Estimate> = of.iter().map(|own| own.groups[at].bits).collect();
            group.bits = Estimate::mean(&bits, repetition);
            group.score = (group.bits.value - mean.entropy).exp2();
        }
        for at in 0..mean.gains.len() {
            let bits: Vec<Estimate> = of.iter().map(|own| own.gains[at].bits).collect();
            mean.gains[at].bits = Estimate::mean(&bits, repetition);
            mean.gains[at].answer = mean.answer(mean.gains[at].bits);
        }
        Some(mean)
    }
}

/// What a block stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Structure,
    Features,
    Propagation,
    /// None of them.
    Other,
    /// Propagated features of other nodes: what propagation carries of the structure alone.
    Control,
    /// Features, compared by their distance instead of their product: what no straight line finds.
    Nonlinear,
    /// A component of the user's own: compared with all the others, and part of no other group.
    Custom,
}

/// A component's part in the regression: one row for every sample.
struct Block {
    name: String,
    rows: Matrix,
    part: Part,
    /// Whether it belongs to pairs and to no node.
    of_pairs: bool,
}

impl Block {
    fn by_distance(&self) -> bool {
        self.part == Part::Nonlinear
    }
}

/// A group: its name and its blocks.
struct Group {
    name: Cow<'static, str>,
    blocks: Vec<usize>,
}

/// The components of a task, as predictive information looks at them.
#[derive(Default)]
pub(crate) struct Blocks(Vec<Block>);

impl Blocks {
    pub(crate) fn add(&mut self, part: Part, name: impl Into<String>, rows: Matrix) {
        self.0.push(Block { name: name.into(), rows, part, of_pairs: false });
    }

    /// The same for what belongs to pairs and to no node: a GNN does not see it.
    pub(crate) fn add_of_pairs(&mut self, part: Part, name: impl Into<String>, rows: Matrix) {
        self.0.push(Block { name: name.into(), rows, part, of_pairs: true });
    }

    /// Single components first, since groups begin with what was chosen for their parts; with how many these are.
    fn groups(&self) -> (Vec<Group>, usize) {
        let of =
            |part: Part| -> Vec<usize> { (0..self.0.len()).filter(|&at| self.0[at].part == part).collect() };
        let alone = |at: &usize| !matches!(self.0[*at].part, Part::Control | Part::Nonlinear);
        let single = |at: usize| Group { name: self.0[at].name.clone().into(), blocks: vec![at] };
        let mut groups: Vec<Group> = (0..self.0.len()).filter(alone).map(single).collect();
        let singles = groups.len();
        let [structure, features, propagation, others, control, nonlinear] =
            [Part::Structure, Part::Features, Part::Propagation, Part::Other, Part::Control, Part::Nonlinear]
                .map(of);
        let mut form = |name: &'static str, wanted: bool, parts: &[&[usize]]| {
            let blocks = parts.concat();
            if wanted && !blocks.is_empty() {
                groups.push(Group { name: name.into(), blocks });
            }
        };
        form(group::STRUCTURE, true, &[&structure]);
        form(group::FEATURES, true, &[&features]);
        form(group::PROPAGATION, true, &[&propagation]);
        form(group::BOTH, !structure.is_empty() && !features.is_empty(), &[&structure, &features]);
        form(group::ALL, true, &[&structure, &features, &propagation, &others]);
        form(group::CONTROL, !control.is_empty(), &[&structure, &features, &control, &others]);
        form(group::NONLINEAR, !nonlinear.is_empty(), &[&features, &nonlinear]);
        if self.0.iter().any(|block| block.of_pairs) {
            let embedded = |of: &[usize]| -> Vec<usize> {
                of.iter().copied().filter(|&at| !self.0[at].of_pairs).collect()
            };
            form(group::STRUCTURE_EMBEDDED, true, &[&embedded(&structure)]);
            form(group::FEATURES_EMBEDDED, true, &[&embedded(&features)]);
            form(group::PROPAGATION_EMBEDDED, true, &[&embedded(&propagation)]);
        }
        // Last: groups begin with what was chosen for those before them.
        for own in of(Part::Custom) {
            let blocks = [&structure[..], &features, &propagation, &others, &[own]].concat();
            groups.push(Group { name: all_with(&self.0[own].name).into(), blocks });
        }
        (groups, singles)
    }

    /// Predictive information about the classes of samples; `labels` and `units` belong to the rows of the blocks.
    pub(crate) fn measure(
        &self,
        labels: &[u32],
        classes: usize,
        units: &[u64],
        seed: Seed,
        exec: &Exec,
    ) -> Result<Information> {
        let blocks = &self.0[..];
        let (groups, singles) = self.groups();
        let folds = folds(labels, seed);
        let found = exec.stage("information", folds.len(), || {
            exec.try_map(&folds, |fold| {
                let gained = fold.gains(blocks, &groups, labels, classes, exec)?;
                exec.step()?;
                Ok(gained)
            })
        })?;
        // The mean over the models that have not seen a sample.
        let mut counts = vec![0usize; labels.len()];
        let mut values = vec![vec![0.0; labels.len()]; groups.len()];
        for (fold, gained) in folds.iter().zip(&found) {
            for (at, &sample) in fold.judged.iter().enumerate() {
                counts[sample] += 1;
                values.iter_mut().zip(gained).for_each(|(values, gained)| values[sample] += gained[at]);
            }
        }
        let judged: Vec<usize> = (0..labels.len()).filter(|&at| counts[at] > 0).collect();
        // Groups before single components.
        values.rotate_left(singles);
        let values = values
            .into_iter()
            .map(|own| judged.iter().map(|&at| own[at] / counts[at] as f64).collect())
            .collect();
        let components =
            |group: &Group| group.blocks.iter().map(|&at| blocks[at].name.clone()).collect::<Vec<String>>();
        let ordered = groups[singles..].iter().chain(&groups[..singles]);
        let named = ordered.map(|group| (group.name.clone(), components(group))).collect();
        let entropy = shares(labels, classes, 0.0).iter().filter(|&&p| p > 0.0).map(|p| -p * p.log2()).sum();
        let training = folds.iter().map(|fold| fold.training.len()).max().unwrap_or(0);
        let units = judged.iter().map(|&at| units[at]).collect();
        Ok(Information::new(named, values, units, entropy, training))
    }
}

/// Shares of the classes, each with so many more samples.
pub(crate) fn shares(labels: &[u32], classes: usize, more: f64) -> Vec<f64> {
    let mut counts = vec![more; classes];
    for &label in labels {
        counts[label as usize] += 1.0;
    }
    let all: f64 = counts.iter().sum();
    counts.iter().map(|count| count / all).collect()
}

/// Samples that a model is fitted on, and those it is tried on.
struct Fold {
    training: Vec<usize>,
    judged: Vec<usize>,
}

/// Every fold has its share of each class. Few samples are all used: each fold is judged by a model of the others. Of many, each model is fitted on
/// [`MOST_TRAINING`], and judges all others.
fn folds(labels: &[u32], seed: Seed) -> Vec<Fold> {
    let count = labels.len();
    let mut order: Vec<u32> = (0..count as u32).collect();
    seed.stream(Stream::InformationFolds, 0).shuffle(&mut order);
    order.sort_by_key(|&at| labels[at as usize]);
    let many = count * (FOLDS - 1) / FOLDS > MOST_TRAINING;
    (0..FOLDS)
        .map(|fold| {
            let mut trains = vec![!many; count];
            if many {
                // Evenly spaced over the order, so that the shares of the classes stay, and others in each fold.
                for at in 0..MOST_TRAINING {
                    trains[(at * FOLDS + fold) * count / (MOST_TRAINING * FOLDS)] = true;
                }
            } else {
                (fold..count).step_by(FOLDS).for_each(|at| trains[at] = false);
            }
            let part = |wanted: bool| -> Vec<usize> {
                (0..count).filter(|&at| trains[at] == wanted).map(|at| order[at] as usize).collect()
            };
            let (mut training, mut judged) = (part(true), part(false));
            if judged.len() > MOST_JUDGED {
                judged = (0..MOST_JUDGED).map(|at| judged[at * judged.len() / MOST_JUDGED]).collect();
            }
            training.sort_unstable();
            judged.sort_unstable();
            Fold { training, judged }
        })
        .collect()
}

/// What was chosen for a group in a fold.
#[derive(Clone, Debug)]
struct Choice {
    /// Cross entropy of the training samples, each left out once, in nats.
    loss: f64,
    /// A weight for every block.
    weights: Vec<f64>,
    penalty: f64,
    temperature: f64,
}

/// The training samples of a fold.
struct Training<'a> {
    labels: &'a [u32],
    /// One-hot labels less the classes' shares.
    target: SmallMatrix,
    log_shares: Vec<f64>,
    /// For every block, products of the training samples' rows; the mean diagonal is 1.
    kernels: Vec<SmallMatrix>,
    /// Rows of all blocks that are compared by products, on the same scale, and their columns by block.
    rows: SmallMatrix,
    columns: Vec<Option<Range<usize>>>,
    /// Whether blocks are single scores with their hinges, as those of pairs are.
    single_scores: bool,
}

impl Fold {
    /// Bits gained by every group on every judged sample.
    fn gains(
        &self,
        blocks: &[Block],
        groups: &[Group],
        labels: &[u32],
        classes: usize,
        exec: &Exec,
    ) -> Result<Vec<Vec<f64>>> {
        let own: Vec<u32> = self.training.iter().map(|&at| labels[at]).collect();
        let shares = shares(&own, classes, 0.5);
        let target = SmallMatrix::from_fn(own.len(), classes, |row, col| {
            f64::from(u8::from(own[row] as usize == col)) - shares[col]
        });
        let rows = |block: &Block, of: &[usize]| {
            SmallMatrix::from_fn(of.len(), block.rows.cols(), |row, col| {
                f64::from(block.rows.row(of[row])[col])
            })
        };
        let trained: Vec<SmallMatrix> = blocks.iter().map(|block| rows(block, &self.training)).collect();
        let mut scales = Vec::new();
        let kernels: Vec<SmallMatrix> = blocks
            .iter()
            .zip(&trained)
            .map(|(block, z)| {
                let width = if block.by_distance() { middle_distance(z) } else { 0.0 };
                let mut kernel = compared(block, z, z, width);
                let mean =
                    (0..kernel.rows()).map(|i| kernel[(i, i)]).sum::<f64>() / kernel.rows().max(1) as f64;
                let scale = if mean > 0.0 { 1.0 / mean } else { 0.0 };
                kernel.scale(scale);
                scales.push((scale, width));
                kernel
            })
            .collect();
        let log_shares: Vec<f64> = shares.iter().map(|share| share.ln()).collect();
        let mut width = 0;
        let columns: Vec<Option<Range<usize>>> = blocks
            .iter()
            .map(|block| {
                (!block.by_distance()).then(|| {
                    width += block.rows.cols();
                    width - block.rows.cols()..width
                })
            })
            .collect();
        let mut rows_of_all = SmallMatrix::zeros(own.len(), width);
        for (at, columns) in columns.iter().enumerate().filter_map(|(at, c)| Some((at, c.clone()?))) {
            let root = scales[at].0.sqrt();
            for (from, to) in columns.enumerate() {
                for row in 0..own.len() {
                    rows_of_all[(row, to)] = root * trained[at][(row, from)];
                }
            }
        }
        let single_scores = blocks.iter().any(|block| block.of_pairs);
        let training =
            Training { labels: &own, target, log_shares, kernels, rows: rows_of_all, columns, single_scores };
        let mut chosen: Vec<Choice> = Vec::new();
        let mut found = Vec::new();
        for group in groups {
            exec.check()?;
            let choice = training.choose(&group.blocks, &chosen)?;
            let mut scores = SmallMatrix::zeros(self.judged.len(), classes);
            if let Some(rows_of_group) = training.active_rows(&choice.weights) {
                // Few columns: the coefficients of the columns themselves.
                let gram = rows_of_group.transpose_times(&rows_of_group);
                let target = rows_of_group.transpose_times(&training.target);
                let coefficients = kernel_ridge(&gram, choice.penalty, &target)?;
                let mut first = 0;
                for at in (0..blocks.len()).filter(|&at| choice.weights[at] > 0.0) {
                    let judged = rows(&blocks[at], &self.judged);
                    let own = first..first + judged.cols();
                    first = own.end;
                    let part = judged.times_rows(&coefficients, own);
                    scores.add_scaled((choice.weights[at] * scales[at].0).sqrt(), &part);
                }
            } else {
                let alpha =
                    kernel_ridge(&training.kernel(&choice.weights), choice.penalty, &training.target)?;
                for at in (0..blocks.len()).filter(|&at| choice.weights[at] > 0.0) {
                    let (scale, width) = scales[at];
                    let judged = rows(&blocks[at], &self.judged);
                    let part = if blocks[at].by_distance() {
                        compared(&blocks[at], &judged, &trained[at], width).times(&alpha)
                    } else {
                        judged.times(&trained[at].transpose_times(&alpha))
                    };
                    scores.add_scaled(choice.weights[at] * scale, &part);
                }
            }
            let of = |(row, &node): (usize, &usize)| {
                let class = labels[node] as usize;
                let log_odds: Vec<f64> = (0..classes)
                    .map(|c| training.log_shares[c] + choice.temperature * scores[(row, c)])
                    .collect();
                (log_odds[class] - log_sum_exp(&log_odds) - training.log_shares[class])
                    / std::f64::consts::LN_2
            };
            found.push(self.judged.iter().enumerate().map(of).collect());
            chosen.push(choice);
        }
        Ok(found)
    }
}

impl Training<'_> {
    fn kernel(&self, weights: &[f64]) -> SmallMatrix {
        let size = self.labels.len();
        let mut sum = SmallMatrix::zeros(size, size);
        for (kernel, &weight) in self.kernels.iter().zip(weights).filter(|(_, weight)| **weight > 0.0) {
            sum.add_scaled(weight, kernel);
        }
        sum
    }

    /// The rows of the blocks with weights, side by side and weighted; none where there are more columns than rows, or a block is compared by distance. Of the
    /// two forms of the same regression this is the one with the smaller matrix then.
    fn active_rows(&self, weights: &[f64]) -> Option<SmallMatrix> {
        let active = || weights.iter().enumerate().filter(|(_, weight)| **weight > 0.0);
        let width: Option<usize> =
            active().map(|(at, _)| self.columns[at].as_ref().map(ExactSizeIterator::len)).sum();
        width.filter(|&width| width < self.labels.len())?;
        let columns: Vec<(usize, f64)> = active()
            .flat_map(|(at, weight)| self.columns[at].clone().unwrap_or(0..0).map(|col| (col, weight.sqrt())))
            .collect();
        Some(SmallMatrix::from_fn(self.labels.len(), columns.len(), |row, col| {
            let (own, root) = columns[col];
            root * self.rows[(row, own)]
        }))
    }

    /// The loss of these weights and this penalty, each sample left out once.
    fn tried(&self, weights: Vec<f64>, penalty: f64) -> Result<Choice> {
        let scores = match self.active_rows(&weights) {
            Some(rows) => leave_one_out_of_rows(&rows, penalty, &self.target)?,
            None => leave_one_out(&self.kernel(&weights), penalty, &self.target)?,
        };
        let (temperature, loss) = temperature(&scores, self.labels, &self.log_shares);
        Ok(Choice { loss, weights, penalty, temperature })
    }

    /// Weights, penalty and temperature for a group: from equal weights, from every block alone and from what was chosen for its parts, one
    /// weight after the other is changed as long as the loss falls.
    fn choose(&self, blocks: &[usize], parts: &[Choice]) -> Result<Choice> {
        let none = vec![0.0; self.kernels.len()];
        let mut equal = none.clone();
        for &at in blocks {
            equal[at] = 1.0 / blocks.len() as f64;
        }
        let mut best = self.tried(equal.clone(), PENALTIES[0])?;
        let better = |best: &mut Choice, weights: Vec<f64>, penalty: f64| -> Result<()> {
            if weights.iter().any(|&weight| weight > 0.0) {
                let other = self.tried(weights, penalty)?;
                if other.loss < best.loss {
                    *best = other;
                }
            }
            Ok(())
        };
        for &penalty in &PENALTIES[1..] {
            better(&mut best, equal.clone(), penalty)?;
        }
        if blocks.len() == 1 {
            return Ok(best);
        }
        // What was chosen for smaller groups of the same blocks is known already.
        for part in parts {
            let within = part.weights.iter().enumerate().all(|(at, &w)| w == 0.0 || blocks.contains(&at));
            if within && part.loss < best.loss {
                best = part.clone();
            }
        }
        // Columns of a single score need no weights of their own.
        if self.single_scores {
            return Ok(best);
        }
        for &at in blocks {
            let known =
                parts.iter().any(|part| (0..none.len()).all(|b| (part.weights[b] > 0.0) == (b == at)));
            if !known {
                let mut alone = none.clone();
                alone[at] = 1.0;
                better(&mut best, alone, PENALTIES[2])?;
            }
        }
        for &at in blocks {
            let base = best.clone();
            let factors: &[f64] = if base.weights[at] > 0.0 { &[0.0, 0.25, 4.0] } else { &[0.25, 1.0] };
            for factor in factors {
                let mut weights = base.weights.clone();
                weights[at] = if weights[at] > 0.0 { weights[at] * factor } else { *factor };
                better(&mut best, weights, base.penalty)?;
            }
        }
        for factor in [0.3, 3.0] {
            let (weights, penalty) = (best.weights.clone(), best.penalty * factor);
            better(&mut best, weights, penalty)?;
        }
        Ok(best)
    }
}

/// Products of rows, or how near they are to each other.
fn compared(block: &Block, a: &SmallMatrix, b: &SmallMatrix, width: f64) -> SmallMatrix {
    let products = a.times_transpose(b);
    if !block.by_distance() {
        return products;
    }
    let squares = |z: &SmallMatrix| -> Vec<f64> {
        (0..z.rows()).map(|row| (0..z.cols()).map(|col| z[(row, col)].powi(2)).sum()).collect()
    };
    let (left, right) = (squares(a), squares(b));
    SmallMatrix::from_fn(a.rows(), b.rows(), |i, j| {
        let square = (left[i] + right[j] - 2.0 * products[(i, j)]).max(0.0);
        if width > 0.0 { (-square / width).exp() } else { 1.0 }
    })
}

/// The median of the squared distances between rows.
fn middle_distance(z: &SmallMatrix) -> f64 {
    let rows = z.rows();
    let square = |i: usize, j: usize| (0..z.cols()).map(|c| (z[(i, c)] - z[(j, c)]).powi(2)).sum::<f64>();
    // Neighbours at several strides stand for all pairs.
    let mut all: Vec<f64> = (1..rows.min(40))
        .flat_map(|stride| (0..rows).map(move |i| (i, (i + stride * 7) % rows)))
        .map(|(i, j)| square(i, j))
        .filter(|&square| square > 0.0)
        .collect();
    all.sort_unstable_by(f64::total_cmp);
    all.get(all.len() / 2).copied().unwrap_or(0.0)
}

/// The temperature at which these scores predict best, and the mean of −ln p then. Newton's method on a convex function. As if one sample more had been
/// predicted wrong: where all are right, nothing else would keep the temperature from being certain of the next.
fn temperature(scores: &SmallMatrix, labels: &[u32], log_shares: &[f64]) -> (f64, f64) {
    const HOTTEST: f64 = 200.0;
    let classes = log_shares.len();
    let wrong = 1.0 / (labels.len() as f64 + 2.0);
    let others = wrong / (classes.max(2) - 1) as f64;
    let mut log_odds = vec![0.0; classes];
    let mut at = |t: f64| {
        let (mut loss, mut slope, mut curve) = (0.0, 0.0, 0.0);
        for (row, &label) in labels.iter().enumerate() {
            for (class, value) in log_odds.iter_mut().enumerate() {
                *value = log_shares[class] + t * scores[(row, class)];
            }
            let total = log_sum_exp(&log_odds);
            let (mut mean, mut square, mut expected) = (0.0, 0.0, 0.0);
            for (class, value) in log_odds.iter().enumerate() {
                let (p, score) = ((value - total).exp(), scores[(row, class)]);
                mean += p * score;
                square += p * score * score;
                let share = if class == label as usize { 1.0 - wrong } else { others };
                expected += share * score;
                loss += share * (total - value);
            }
            slope += mean - expected;
            curve += square - mean * mean;
        }
        let n = labels.len().max(1) as f64;
        (loss / n, slope / n, curve / n)
    };
    let mut t = 1.0;
    for _ in 0..30 {
        let (_, slope, curve) = at(t);
        let step = (slope / curve.max(1e-12)).clamp(-4.0, 4.0);
        let next = (t - step).clamp(0.0, HOTTEST);
        if (next - t).abs() < 1e-6 {
            t = next;
            break;
        }
        t = next;
    }
    (t, at(t).0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::Draw;

    fn measured(blocks: &Blocks, labels: &[u32], seed: u64) -> Information {
        let units: Vec<u64> = (0..labels.len() as u64).collect();
        blocks.measure(labels, 2, &units, Seed(seed), &Exec::new(1).unwrap()).unwrap()
    }

    fn normal(rows: usize, cols: usize, draw: &mut Draw) -> Matrix {
        Matrix::from_fn(rows, cols, |_, _| draw.normal() as f32)
    }

    /// A column that agrees with the label but for a share of errors.
    fn copy(labels: &[u32], errors: f64, draw: &mut Draw) -> Matrix {
        let values: Vec<f32> = labels
            .iter()
            .map(|&label| {
                let flipped = draw.unit() < errors;
                if (label == 1) == flipped { -1.0 } else { 1.0 }
            })
            .collect();
        Matrix::from_vec(labels.len(), 1, values)
    }

    /// What is chosen is chosen without the samples that it is judged by, so noise gains nothing.
    #[test]
    fn noise_gains_nothing() {
        let (mut signals, mut sum) = (0, 0.0);
        for seed in 0..60 {
            let mut draw = Seed(seed).stream(Stream::Synth, 0);
            let labels: Vec<u32> = (0..120).map(|_| draw.below(2)).collect();
            let mut blocks = Blocks::default();
            for part in [Part::Structure, Part::Features, Part::Propagation] {
                blocks.add(part, format!("{part:?}"), normal(120, 20, &mut draw));
            }
            let found = measured(&blocks, &labels, seed);
            let all = found.bits(group::ALL).unwrap();
            signals += usize::from(all.above(0.0));
            sum += all.value;
            assert!(!found.excludes(all, 0.03), "96 training samples exclude no small signal");
        }
        assert!(signals <= 3 && sum < 0.0, "{signals} of 60 above zero, {sum} bits in all");
    }

    /// The information of a binary symmetric channel is `1 − h(errors)`, and the intervals hold it.
    #[test]
    fn a_noisy_copy_carries_what_its_channel_does() {
        let h = |p: f64| -p * p.log2() - (1.0 - p) * (1.0 - p).log2();
        for errors in [0.05, 0.2, 0.35] {
            let truth = 1.0 - h(errors);
            let mut held = 0;
            for seed in 0..50 {
                let mut draw = Seed(seed).stream(Stream::Synth, 1);
                let labels: Vec<u32> = (0..800).map(|_| draw.below(2)).collect();
                let mut blocks = Blocks::default();
                blocks.add(Part::Features, "F", copy(&labels, errors, &mut draw));
                let bits = measured(&blocks, &labels, seed).bits(group::FEATURES).unwrap();
                assert!((bits.value - truth).abs() < 0.12, "{errors}: {bits:?} for {truth}");
                held += usize::from(bits.interval[0] <= truth && truth <= bits.interval[1]);
            }
            assert!(held >= 44, "{errors}: {held} of 50 intervals hold {truth:.3}");
        }
    }

    /// Two groups that say the same are level, two that say different things add to each other.
    #[test]
    fn groups_are_compared_sample_by_sample() {
        let mut draw = Seed(3).stream(Stream::Synth, 2);
        let labels: Vec<u32> = (0..1500).map(|_| draw.below(2)).collect();
        let features = copy(&labels, 0.2, &mut draw);
        let mut blocks = Blocks::default();
        blocks.add(Part::Structure, "U", copy(&labels, 0.25, &mut draw));
        blocks.add(Part::Propagation, "S", features.clone());
        blocks.add(Part::Features, "F", features);
        let found = measured(&blocks, &labels, 0);
        let answer = |of, over| found.gain(of, over).unwrap().answer;
        assert_eq!(answer(group::PROPAGATION, group::FEATURES), Answer::Excluded);
        assert_eq!(answer(group::ALL, group::FEATURES), Answer::Shown);
        assert_eq!(answer(group::ALL, group::STRUCTURE), Answer::Shown);
        assert_eq!(answer(group::ALL, group::BOTH), Answer::Excluded);
        let both = found.bits(group::BOTH).unwrap().value;
        assert!(both > found.bits(group::FEATURES).unwrap().value + 0.06, "{both}");
        assert!((found.entropy - 1.0).abs() < 0.01 && found.training == MOST_TRAINING);
    }

    /// Twenty samples that are all right do not make the next one certain: it is right in about 21 of 22 cases.
    #[test]
    fn temperatures_leave_a_doubt() {
        let labels: Vec<u32> = (0..20).map(|at| at % 2).collect();
        let scores =
            SmallMatrix::from_fn(20, 2, |row, col| if labels[row] as usize == col { 0.5 } else { -0.5 });
        let (t, loss) = temperature(&scores, &labels, &[0.5f64.ln(); 2]);
        let right = 1.0 / (1.0 + (-t).exp());
        assert!((right - 21.0 / 22.0).abs() < 1e-3 && loss > 0.0, "{t}: {right}");
        // Scores that say nothing have no weight.
        let wrong: Vec<u32> = (0..20).map(|at| at / 2 % 2).collect();
        assert!(temperature(&scores, &wrong, &[0.5f64.ln(); 2]).0 < 1e-6);
    }

    /// An exclusive or of two columns is no sum of them.
    #[test]
    fn distance_sees_what_no_line_does() {
        let mut draw = Seed(4).stream(Stream::Synth, 3);
        let x = normal(700, 2, &mut draw);
        let labels: Vec<u32> =
            (0..700).map(|row| u32::from((x.row(row)[0] > 0.0) != (x.row(row)[1] > 0.0))).collect();
        let mut blocks = Blocks::default();
        blocks.add(Part::Features, "F", x.clone());
        blocks.add(Part::Nonlinear, "F by distance", x);
        let found = measured(&blocks, &labels, 0);
        assert!(found.bits(group::FEATURES).unwrap().value < 0.02);
        assert!(found.bits(group::NONLINEAR).unwrap().value > 0.4, "{:?}", found.bits(group::NONLINEAR));
    }
}
