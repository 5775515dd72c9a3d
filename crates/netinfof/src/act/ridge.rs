//! Mixture of ridge regressions for nodes: the second model of Act beside the softmax regression.
//!
//! Each regression has one weight per component. With few labels several choices of weights are about
//! equally likely; the mixture is their mean, weighted by the likelihood of their leave-one-out predictions.
//! A mean of linear models is a linear model.

use super::NodeModel;
use crate::error::Result;
use crate::exec::Exec;
use crate::graph::NodeId;
use crate::kernel::SmallMatrix;
use crate::linalg::{BlockRidge, Choice, RidgeBlock, RidgeTarget};
use crate::matrix::Matrix;
use crate::seed::{Seed, Stream};
use crate::spec::Group;

/// Maximum number of nodes for choosing weights and penalties: time grows with the cube.
const MOST_FOR_CHOICE: usize = 400;
/// Maximum number of nodes for the final fit.
const MOST_FOR_FIT: usize = 2000;
/// Penalties for equal weights of the components of a set.
const PENALTIES: [f64; 3] = [0.01, 0.1, 1.0];
/// Samples are correlated, so a likelihood counts half.
pub(super) const TRUST: f64 = 0.5;
/// The largest share of the regression whose weights were changed one by one: its loss was minimised, so it is
/// more optimistic than those of the others.
const MOST_OF_CHOSEN: f64 = 0.5;
/// Regressions with a smaller share are left out; where no share is large, those with less than a tenth of the
/// largest one.
pub(super) const SMALLEST_SHARE: f64 = 0.01;

/// Regressions and their shares in the mixture.
pub(super) struct RidgeMixture {
    regressions: Vec<(f64, Choice)>,
}

impl RidgeMixture {
    /// Chooses the regressions by leave-one-out predictions of the training nodes.
    pub(super) fn choose(
        embeddings: &[&Matrix],
        groups: &[Group],
        training: &Training<'_>,
        seed: Seed,
        exec: &Exec,
    ) -> Result<Self> {
        let (nodes, target) = training.sample(MOST_FOR_CHOICE, seed);
        let rows = rows_of(embeddings, &nodes);
        let ridge = regression(&rows, target);
        let count = embeddings.len();
        let sets = sets(groups);
        let tried = |weights: &[Vec<f64>]| -> Result<Vec<Choice>> {
            let with_penalties = |weights: &Vec<f64>| PENALTIES.map(|penalty| (weights.clone(), penalty));
            let tries: Vec<(Vec<f64>, f64)> = weights.iter().flat_map(with_penalties).collect();
            exec.try_map(&tries, |(weights, penalty)| ridge.tried(weights.clone(), *penalty))
        };
        let weights = |set: &Vec<usize>, of: &dyn Fn(usize) -> f64| -> Option<Vec<f64>> {
            let total: f64 = set.iter().map(|&at| of(at)).sum();
            let own = |at: usize| if set.contains(&at) { of(at) / total } else { 0.0 };
            (total > 0.0).then(|| (0..count).map(own).collect())
        };
        let equal: Vec<Vec<f64>> = sets.iter().filter_map(|set| weights(set, &|_| 1.0)).collect();
        let mut found = tried(&equal)?;
        // Weights by the information that each component carries alone.
        let without = ridge.outcome.loss_without();
        let alone: Vec<f64> = found[..count * PENALTIES.len()]
            .chunks(PENALTIES.len())
            .map(|own| own.iter().map(|choice| (without - choice.loss).max(0.0)).fold(0.0, f64::max))
            .collect();
        let several = sets.iter().filter(|set| set.len() > 1);
        let informed: Vec<Vec<f64>> = several.filter_map(|set| weights(set, &|at| alone[at])).collect();
        found.extend(tried(&informed)?);
        let all: Vec<usize> = (0..count).collect();
        let chosen = ridge.choose(&all, &found)?;
        let mut regressions = shares_of(found, chosen, nodes.len());
        keep_large(&mut regressions);
        let total: f64 = regressions.iter().map(|(share, _)| share).sum();
        for (share, _) in &mut regressions {
            *share /= total;
        }
        Ok(RidgeMixture { regressions })
    }

    /// The penalty of the regression with the largest share.
    pub(super) fn main_penalty(&self) -> f64 {
        let main = self.regressions.iter().max_by(|a, b| a.0.total_cmp(&b.0));
        main.map_or(0.0, |(_, choice)| choice.penalty)
    }

    /// Fits the mixture: for every output its weights over all columns of the embeddings, and its intercept.
    pub(super) fn fit(
        &self,
        embeddings: &[&Matrix],
        training: &Training<'_>,
        seed: Seed,
    ) -> Result<Vec<(Vec<f64>, f64)>> {
        let classes = matches!(training.target, RidgeTarget::Classes { .. });
        if !classes && training.nodes.len() > MOST_FOR_FIT {
            return self.fit_all(embeddings, training);
        }
        let (nodes, target) = training.sample(MOST_FOR_FIT, seed);
        let rows = rows_of(embeddings, &nodes);
        let ridge = regression(&rows, target);
        let width = embeddings.iter().map(|embedding| embedding.cols()).sum();
        let outputs = training.target.outputs();
        let mut sum = SmallMatrix::zeros(width, outputs);
        for (share, choice) in &self.regressions {
            sum.add_scaled(*share, &ridge.coefficients(choice)?);
        }
        let of = |output: usize| (0..width).map(|col| sum[(col, output)]).collect();
        Ok((0..outputs).map(|output| (of(output), ridge.outcome.intercept(output))).collect())
    }
}

/// Leaves out regressions with a small share.
fn keep_large(regressions: &mut Vec<(f64, Choice)>) {
    let largest = regressions.iter().map(|(share, _)| *share).fold(0.0, f64::max);
    regressions.retain(|(share, _)| *share >= SMALLEST_SHARE.min(0.1 * largest));
}

impl RidgeMixture {
    /// Fits the mixture on all nodes, by the products of the columns with each other. For classes, the softmax
    /// regression uses all nodes.
    fn fit_all(&self, embeddings: &[&Matrix], training: &Training<'_>) -> Result<Vec<(Vec<f64>, f64)>> {
        let widths: Vec<usize> = embeddings.iter().map(|embedding| embedding.cols()).collect();
        let block_of: Vec<usize> =
            widths.iter().enumerate().flat_map(|(at, &width)| std::iter::repeat_n(at, width)).collect();
        let first: Vec<usize> = (0..widths.len()).map(|at| widths[..at].iter().sum()).collect();
        let (width, outputs) = (block_of.len(), training.target.outputs());
        let mut gram = SmallMatrix::zeros(width, width);
        let mut right = SmallMatrix::zeros(width, outputs);
        for start in (0..training.nodes.len()).step_by(CHUNK) {
            let own: Vec<usize> = (start..(start + CHUNK).min(training.nodes.len())).collect();
            let rows = SmallMatrix::from_fn(own.len(), width, |row, col| {
                let (block, node) = (block_of[col], training.nodes[own[row]] as usize);
                f64::from(embeddings[block].row(node)[col - first[block]])
            });
            gram.add_scaled(1.0, &rows.transpose_times(&rows));
            right.add_scaled(1.0, &rows.transpose_times(&training.target.matrix_of(&own)));
        }
        // A mean squared row length of 1 for every block, as in `BlockRidge`.
        let mut squares = vec![0.0; widths.len()];
        block_of.iter().enumerate().for_each(|(col, &block)| squares[block] += gram[(col, col)]);
        let count = training.nodes.len() as f64;
        let scales: Vec<f64> = squares.iter().map(|&sum| if sum > 0.0 { count / sum } else { 0.0 }).collect();
        let mut sum = SmallMatrix::zeros(width, outputs);
        for (share, choice) in &self.regressions {
            let root = |col: usize| (choice.weights[block_of[col]] * scales[block_of[col]]).sqrt();
            let active: Vec<usize> = (0..width).filter(|&col| root(col) > 0.0).collect();
            let shifted = SmallMatrix::from_fn(active.len(), active.len(), |a, b| {
                let (i, j) = (active[a], active[b]);
                root(i) * root(j) * gram[(i, j)] + if a == b { choice.penalty } else { 0.0 }
            });
            let own = SmallMatrix::from_fn(active.len(), outputs, |row, output| {
                root(active[row]) * right[(active[row], output)]
            });
            let found = shifted.cholesky("ridge regression")?.solve(&own);
            for (row, &col) in active.iter().enumerate() {
                for output in 0..outputs {
                    let factor = share * choice.temperature * training.target.factor(output);
                    sum[(col, output)] += factor * root(col) * found[(row, output)];
                }
            }
        }
        let of = |output: usize| (0..width).map(|col| sum[(col, output)]).collect();
        Ok((0..outputs).map(|output| (of(output), training.target.intercept(output))).collect())
    }
}

/// Rows whose products are added at once.
const CHUNK: usize = 1024;

/// The shares of the regressions, by their leave-one-out likelihoods. `chosen`, whose loss is at most that of
/// the others, is the last.
fn shares_of(found: Vec<Choice>, chosen: Choice, samples: usize) -> Vec<(f64, Choice)> {
    let trust = TRUST * samples as f64;
    let least = found.iter().map(|choice| choice.loss).fold(f64::INFINITY, f64::min);
    let likelihood = |choice: &Choice| (-trust * (choice.loss - least)).exp();
    let total: f64 = found.iter().map(likelihood).sum();
    let odds_of_others = total * (-trust * (least - chosen.loss)).exp();
    let of_chosen = (1.0 / (1.0 + odds_of_others)).min(MOST_OF_CHOSEN);
    let share = |choice: &Choice| (1.0 - of_chosen) * likelihood(choice) / total;
    let mut shares: Vec<(f64, Choice)> = found.into_iter().map(|choice| (share(&choice), choice)).collect();
    shares.push((of_chosen, chosen));
    shares
}

/// The training nodes and their target.
pub(super) struct Training<'a> {
    pub(super) nodes: &'a [NodeId],
    pub(super) target: RidgeTarget,
}

impl<'a> Training<'a> {
    /// Nodes with their classes.
    pub(super) fn of_classes(nodes: &'a [NodeId], labels: &[u32], classes: usize) -> Self {
        Training { nodes, target: RidgeTarget::classes(labels.to_vec(), classes) }
    }

    /// At most this many nodes, with the shares of the classes kept.
    fn sample(&self, most: usize, seed: Seed) -> (Vec<NodeId>, RidgeTarget) {
        let count = self.nodes.len();
        if count <= most {
            return (self.nodes.to_vec(), self.target.clone());
        }
        let mut order: Vec<u32> = (0..count as u32).collect();
        seed.stream(Stream::RidgeSample, 0).shuffle(&mut order);
        if let RidgeTarget::Classes { labels, .. } = &self.target {
            order.sort_by_key(|&at| labels[at as usize]);
        }
        let mut taken: Vec<usize> = (0..most).map(|at| order[at * count / most] as usize).collect();
        taken.sort_unstable();
        (taken.iter().map(|&at| self.nodes[at]).collect(), self.target.of(&taken))
    }
}

/// Sets of components that get equal weights: each component alone, the groups and their unions.
fn sets(groups: &[Group]) -> Vec<Vec<usize>> {
    let of = |wanted: &[Group]| -> Vec<usize> {
        (0..groups.len()).filter(|&at| wanted.contains(&groups[at])).collect()
    };
    let (structure, features, propagation) = (Group::Structure, Group::Features, Group::Propagation);
    let mut sets: Vec<Vec<usize>> = (0..groups.len()).map(|at| vec![at]).collect();
    let unions = [
        of(&[structure]),
        of(&[propagation]),
        of(&[structure, features]),
        of(&[features, propagation]),
        of(&[structure, propagation]),
        (0..groups.len()).collect(),
    ];
    for union in unions {
        if !union.is_empty() && !sets.contains(&union) {
            sets.push(union);
        }
    }
    sets
}

fn rows_of(embeddings: &[&Matrix], nodes: &[NodeId]) -> Vec<SmallMatrix> {
    let rows = |z: &&Matrix| {
        SmallMatrix::from_fn(nodes.len(), z.cols(), |row, col| f64::from(z.row(nodes[row] as usize)[col]))
    };
    embeddings.iter().map(rows).collect()
}

fn regression(rows: &[SmallMatrix], target: RidgeTarget) -> BlockRidge {
    let block = |rows| RidgeBlock { rows, kernel: SmallMatrix::times_transpose(rows, rows), products: true };
    BlockRidge::new(target, rows.iter().map(block).collect(), false)
}

/// The share of the softmax regression in its mean with the mixture, by the likelihood of validation nodes
/// for one, the other and their mean.
pub(super) fn softmax_share(likelihood: impl Fn(f64) -> f64, validation_nodes: usize) -> f64 {
    const SHARES: [f64; 3] = [0.0, 0.5, 1.0];
    if validation_nodes == 0 {
        return 0.5;
    }
    let found = SHARES.map(likelihood);
    let most = found.into_iter().fold(f64::NEG_INFINITY, f64::max);
    let weights = found.map(|own| (TRUST * validation_nodes as f64 * (own - most)).exp());
    let total: f64 = weights.iter().sum();
    SHARES.iter().zip(weights).map(|(share, weight)| share * weight).sum::<f64>() / total
}

/// Scores of the softmax regression and of the mixture, with this share of the first.
pub(super) fn mixed(share: f64, softmax: &[f64], ridge: &[f64]) -> Vec<f64> {
    softmax.iter().zip(ridge).map(|(a, b)| share * a + (1.0 - share) * b).collect()
}

/// The mixture as a model of all columns.
pub(super) fn model(outputs: &[(Vec<f64>, f64)]) -> NodeModel {
    let single = |(weights, intercept): &(Vec<f64>, f64)| {
        (weights.iter().map(|&weight| weight as f32).collect(), *intercept)
    };
    NodeModel { outputs: outputs.iter().map(single).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::accuracy;

    /// A column that holds the class is found among components of noise.
    #[test]
    fn noise_does_not_drown_a_strong_component() {
        let mut draw = Seed(4).stream(Stream::Synth, 0);
        let labels: Vec<u32> = (0..300).map(|_| draw.below(3)).collect();
        let strong = Matrix::from_fn(300, 3, |row, col| {
            f32::from(u8::from(labels[row] as usize == col)) + 0.3 * draw.normal() as f32
        });
        let noise: Vec<Matrix> =
            (0..6).map(|_| Matrix::from_fn(300, 64, |_, _| draw.normal() as f32 / 8.0)).collect();
        let embeddings: Vec<&Matrix> = noise.iter().chain([&strong]).collect();
        let groups: Vec<Group> = embeddings.iter().map(|_| Group::Structure).collect();
        let nodes: Vec<NodeId> = (0..60).collect();
        let training = Training::of_classes(&nodes, &labels[..60], 3);
        let exec = Exec::new(1).unwrap();
        let mixture = RidgeMixture::choose(&embeddings, &groups, &training, Seed(0), &exec).unwrap();
        let of_noise = mixture.regressions.iter().filter(|(_, choice)| choice.weights[6] == 0.0);
        let of_noise: f64 = of_noise.map(|(share, _)| share).sum();
        assert!(of_noise < 0.05, "regressions without the strong component have {of_noise}");
        let fitted = mixture.fit(&embeddings, &training, Seed(0)).unwrap();
        let found: Vec<u32> = (60..300)
            .map(|node| {
                let row: Vec<f32> = embeddings.iter().flat_map(|z| z.row(node).to_vec()).collect();
                let score = |(weights, intercept): &(Vec<f64>, f64)| {
                    intercept + row.iter().zip(weights).map(|(&v, w)| f64::from(v) * w).sum::<f64>()
                };
                let scores: Vec<f64> = fitted.iter().map(score).collect();
                (0..3).max_by(|&a, &b| scores[a].total_cmp(&scores[b])).unwrap() as u32
            })
            .collect();
        let reached = accuracy(&found, &labels[60..]);
        assert!(reached > 0.93, "{reached}");
    }

    /// Products of all rows give the same weights as the regression itself.
    #[test]
    fn many_nodes_are_fitted_by_the_same_regression() {
        let mut draw = Seed(5).stream(Stream::Synth, 0);
        let embeddings = [4, 3].map(|width| Matrix::from_fn(60, width, |_, _| draw.normal() as f32));
        let all: Vec<&Matrix> = embeddings.iter().collect();
        let nodes: Vec<NodeId> = (0..60).collect();
        let choice = |weights| Choice { loss: 0.0, weights, penalty: 0.3, temperature: 0.9 };
        let regressions = vec![(0.7, choice(vec![1.0, 0.25])), (0.3, choice(vec![0.0, 1.0]))];
        let mixture = RidgeMixture { regressions };
        let rows: Vec<u8> = (0..120).map(|_| u8::from(draw.unit() < 0.3)).collect();
        let values = (0..60).map(|_| draw.normal()).collect();
        for target in [RidgeTarget::Numbers(values), RidgeTarget::labels(rows, 2)] {
            let training = Training { nodes: &nodes, target };
            let expected = mixture.fit(&all, &training, Seed(0)).unwrap();
            let found = mixture.fit_all(&all, &training).unwrap();
            for (a, b) in found.iter().zip(&expected) {
                assert!(a.0.iter().zip(&b.0).all(|(x, y)| (x - y).abs() < 1e-9), "{a:?} {b:?}");
                assert_eq!(a.1, b.1);
            }
        }
    }

    #[test]
    fn a_minimised_loss_leaves_at_least_half_to_the_others() {
        let choice = |loss| Choice { loss, weights: vec![1.0], penalty: 1.0, temperature: 1.0 };
        let shares = |others: [f64; 2], own: f64| -> Vec<f64> {
            let found = shares_of(others.map(choice).to_vec(), choice(own), 1000);
            found.iter().map(|(share, _)| *share).collect()
        };
        let close = |found: Vec<f64>, expected: [f64; 3]| {
            assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9), "{found:?}");
        };
        close(shares([0.5, 9.0], 0.1), [0.5, 0.0, 0.5]);
        close(shares([0.5, 0.5], 0.5), [1.0 / 3.0; 3]);
        // Far less likely than the chosen one, but not equally likely.
        close(shares([8.0, 9.0], 0.1), [0.5, 0.0, 0.5]);
    }

    #[test]
    fn many_equal_regressions_are_all_kept() {
        let of = |share| (share, Choice { loss: 1.0, weights: vec![1.0], penalty: 1.0, temperature: 1.0 });
        let mut equal: Vec<_> = (0..200).map(|_| of(0.005)).collect();
        keep_large(&mut equal);
        assert_eq!(equal.len(), 200);
        let mut one: Vec<_> = [0.9, 0.05, 0.009].into_iter().map(of).collect();
        keep_large(&mut one);
        assert_eq!(one.len(), 2);
    }

    #[test]
    fn shares_follow_the_likelihood_of_many_nodes_and_stay_even_with_few() {
        let likelihood = |share: f64| -0.5 + 0.1 * share;
        assert!(softmax_share(likelihood, 2000) > 0.999);
        let even = softmax_share(likelihood, 2);
        assert!((0.5..0.6).contains(&even), "{even}");
        assert_eq!(softmax_share(likelihood, 0), 0.5);
    }

    #[test]
    fn samples_keep_the_shares_of_the_classes() {
        let nodes: Vec<NodeId> = (0..1000).collect();
        let labels: Vec<u32> = (0..1000).map(|at| u32::from(at % 10 == 0)).collect();
        let training = Training::of_classes(&nodes, &labels, 2);
        let (taken, target) = training.sample(100, Seed(1));
        let RidgeTarget::Classes { labels: classes, .. } = target else { panic!("classes") };
        assert_eq!((taken.len(), classes.iter().sum::<u32>()), (100, 10));
        assert!(taken.iter().zip(&classes).all(|(&node, &class)| labels[node as usize] == class));
    }
}
