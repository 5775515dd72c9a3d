//! The training pairs of a link model, and the graphs in which they are embedded.
//!
//! A training edge is part of the graph on which its own features are propagated; a test edge is not. So
//! training pairs and test pairs have different distributions. Cross-fitting removes the difference: training
//! pairs are assigned to K folds, and the features of a fold's pairs come from the training graph *without
//! that fold's edges*, in the space of the whole training graph (`Component::embed`). That costs K
//! propagations and no decomposition. K = 0 turns it off.

use std::ops::Range;

use crate::component::{Component, Norm};
use crate::error::Result;
use crate::exec::Exec;
use crate::graph::{Csr, NodeId, Pair};
use crate::matrix::Matrix;
use crate::seed::{Seed, Stream};
use crate::split::LinkSplit;

/// Which training pairs are drawn.
#[derive(Clone, Copy, Debug)]
pub struct TrainingParams {
    /// Number of folds of cross-fitting; 0 turns it off.
    pub folds: usize,
    /// Maximum number of training pairs of Act, and negatives per edge.
    pub act: [usize; 2],
    /// Negatives per edge for placing the bins of Probe.
    pub probe_negatives: usize,
    /// Maximum number of edges for the compatibility matrix, and negatives per edge.
    pub compat: [usize; 2],
    /// Whether the compatibility matrix is fitted on edges of the 2-core only.
    pub compat_core: bool,
}

/// Pairs with labels: edges first, then negatives.
#[derive(Clone, Debug, Default)]
pub(crate) struct Labelled {
    /// The pairs, as nodes.
    pub(crate) pairs: Vec<Pair>,
    /// The same pairs as rows of [`Training::rows`].
    pub(crate) rows: Vec<Pair>,
    /// Number of edges among them.
    pub(crate) edges: usize,
}

impl Labelled {
    /// Those of the pairs whose rows are wanted.
    pub(crate) fn filtered(&self, wanted: impl Fn(&Pair) -> bool) -> Labelled {
        let kept: Vec<usize> = (0..self.rows.len()).filter(|&at| wanted(&self.rows[at])).collect();
        Labelled {
            pairs: kept.iter().map(|&at| self.pairs[at]).collect(),
            rows: kept.iter().map(|&at| self.rows[at]).collect(),
            edges: kept.iter().filter(|&&at| at < self.edges).count(),
        }
    }

    pub(crate) fn labels(&self) -> Vec<bool> {
        (0..self.pairs.len()).map(|at| at < self.edges).collect()
    }
}

/// The training data of a link model.
#[derive(Debug)]
pub struct Training {
    /// For the weights of Act.
    pub(crate) act: Labelled,
    /// For the compatibility matrix.
    pub(crate) compat: Labelled,
    /// For the bins of Probe.
    pub(crate) probe: Labelled,
    folds: Vec<CrossFitFold>,
}

/// A graph without some of the edges, and the nodes of the pairs that are embedded in it.
#[derive(Debug)]
struct CrossFitFold {
    graph: Csr,
    nodes: Vec<NodeId>,
    first_row: usize,
}

impl Training {
    /// Draws negatives and assigns all pairs to folds. `O(m)` per fold.
    pub fn draw(split: &LinkSplit, params: &TrainingParams, seed: Seed) -> Result<Self> {
        let mut edges = split.train.clone();
        let most = params.act[0] / (1 + params.act[1]);
        if edges.len() > most || params.folds > 0 {
            // The order of a split supplied by the caller may not be random.
            seed.stream(Stream::Folds, 0).shuffle(&mut edges);
            edges.truncate(most.max(1));
        }
        // Each fold removes at most a K-th of all edges; a small sample of many edges needs few folds.
        let folds = (edges.len() * params.folds).div_ceil(split.train.len()).min(edges.len());
        let negatives = |count: usize, stream| split.training_negatives(count, &mut seed.stream(stream, 0));

        let mut compat: Vec<(Pair, usize)> = dealt(&edges, folds).collect();
        if params.compat_core {
            let core = two_core(&split.graph);
            let inside = |e: &Pair| core[e[0] as usize] && core[e[1] as usize];
            // A forest has no 2-core; all edges are used instead.
            if compat.iter().any(|(edge, _)| inside(edge)) {
                compat.retain(|(edge, _)| inside(edge));
            }
        }
        if compat.len() > params.compat[0] {
            seed.stream(Stream::CompatEdges, 0).shuffle(&mut compat);
            compat.truncate(params.compat[0]);
        }
        let for_compat = negatives(params.compat[1] * compat.len(), Stream::CompatNegatives)?;
        let for_probe = negatives(params.probe_negatives * edges.len(), Stream::ProbeNegatives)?;
        let for_act = negatives(params.act[1] * edges.len(), Stream::TrainingNegatives)?;

        let sets = [
            (compat.len(), compat.into_iter().chain(dealt(&for_compat, folds)).collect()),
            (edges.len(), dealt(&edges, folds).chain(dealt(&for_probe, folds)).collect()),
            (edges.len(), dealt(&edges, folds).chain(dealt(&for_act, folds)).collect::<Vec<(Pair, usize)>>()),
        ];
        let folds: Vec<CrossFitFold> = {
            let mut first_row = 0;
            (0..folds)
                .map(|fold| {
                    let mut touched = vec![false; split.graph.rows()];
                    for (pair, _) in sets.iter().flat_map(|(_, set)| set).filter(|(_, own)| *own == fold) {
                        for &node in pair {
                            touched[node as usize] = true;
                        }
                    }
                    let nodes: Vec<NodeId> = (0..).zip(&touched).filter(|t| *t.1).map(|t| t.0).collect();
                    let found = CrossFitFold { graph: without(split, &edges, fold, folds), nodes, first_row };
                    first_row += found.nodes.len();
                    found
                })
                .collect()
        };
        let [compat, probe, act] = sets.map(|(edges, set)| Labelled {
            rows: set.iter().map(|&(pair, fold)| pair.map(|node| row_of(&folds, fold, node))).collect(),
            pairs: set.into_iter().map(|(pair, _)| pair).collect(),
            edges,
        });
        Ok(Training { act, compat, probe, folds })
    }

    /// Number of rows of [`Training::rows`] for a graph with this many nodes.
    pub(crate) fn row_count(&self, nodes: usize) -> usize {
        self.folds.last().map_or(nodes, |last| last.first_row + last.nodes.len())
    }

    /// The rows of [`Training::rows`] in a few groups of folds.
    pub(crate) fn fold_groups(&self, rows: usize, groups: usize) -> Vec<Range<usize>> {
        let groups = groups.min(self.folds.len());
        let start = |group: usize| {
            let fold = group * self.folds.len() / groups.max(1);
            self.folds.get(fold).map_or(rows, |fold| fold.first_row)
        };
        (0..groups).map(|group| start(group)..start(group + 1)).collect()
    }

    /// The normalised embedding of every node of a training pair in the graph of its fold; `None` if there
    /// are no folds and `z`, the embedding of the training graph itself, is used.
    pub(crate) fn rows(&self, component: &Component, norm: &Norm, z: &Matrix, exec: &Exec) -> Option<Matrix> {
        if self.folds.is_empty() {
            return None;
        }
        let mut rows = Matrix::zeros(self.row_count(z.rows()), z.cols());
        let width = z.cols();
        for fold in &self.folds {
            let own = component.embed_rows(&fold.graph, &fold.nodes, exec).map(|own| norm.apply(own, exec));
            let to = &mut rows.as_mut_slice()[fold.first_row * width..][..fold.nodes.len() * width];
            match &own {
                Some(own) => to.copy_from_slice(own.as_slice()),
                None => {
                    for (to, &node) in to.chunks_exact_mut(width.max(1)).zip(&fold.nodes) {
                        to.copy_from_slice(z.row(node as usize));
                    }
                }
            }
        }
        Some(rows)
    }
}

/// Pairs assigned to folds, one after the other.
fn dealt(pairs: &[Pair], folds: usize) -> impl Iterator<Item = (Pair, usize)> + '_ {
    pairs.iter().enumerate().map(move |(at, &pair)| (pair, at % folds.max(1)))
}

/// The training graph without the edges of one fold.
fn without(split: &LinkSplit, edges: &[Pair], fold: usize, folds: usize) -> Csr {
    let taken: Vec<Pair> =
        dealt(edges, folds).filter(|(_, own)| *own == fold).map(|(edge, _)| edge).collect();
    split.structure_without(taken)
}

fn row_of(folds: &[CrossFitFold], fold: usize, node: NodeId) -> u32 {
    let Some(fold) = folds.get(fold) else { return node };
    let at = fold.nodes.binary_search(&node).expect("nodes of a fold's pairs are listed");
    u32::try_from(fold.first_row + at).expect("rows of training pairs fit in u32")
}

/// Nodes of the 2-core: what remains when nodes with fewer than two neighbours are removed repeatedly.
fn two_core(graph: &Csr) -> Vec<bool> {
    let mut degree: Vec<usize> = (0..graph.rows()).map(|node| graph.row(node).len()).collect();
    let mut inside = vec![true; graph.rows()];
    let mut leaving: Vec<usize> = (0..graph.rows()).filter(|&node| degree[node] < 2).collect();
    while let Some(node) = leaving.pop() {
        if !std::mem::take(&mut inside[node]) {
            continue;
        }
        for &other in graph.row(node) {
            let other = other as usize;
            degree[other] -= 1;
            if inside[other] && degree[other] < 2 {
                leaving.push(other);
            }
        }
    }
    inside
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compat::{self, CompatKind};
    use crate::component::{self, ComponentParams};
    use crate::graph::Graph;
    use crate::kernel;
    use crate::params::LinkParams;
    use crate::spec::ComponentKind;
    use crate::split::{self, SplitParams};

    /// A random graph: all links are equally likely.
    fn noise() -> Graph {
        let mut draw = Seed(5).stream(Stream::Synth, 0);
        let mut edges: Vec<Pair> = (0..2400)
            .map(|_| [draw.below(400), draw.below(400)])
            .filter(|p| p[0] != p[1])
            .map(crate::graph::ordered)
            .collect();
        edges.sort_unstable();
        edges.dedup();
        let x = Matrix::from_fn(400, 40, |_, _| draw.unit() as f32);
        Graph::from_edges("noise", 400, &edges)
            .unwrap()
            .with_features(crate::graph::Features::Dense(x))
            .unwrap()
    }

    #[test]
    fn every_edge_is_seen_from_a_graph_without_it() {
        let exec = Exec::new(2).unwrap();
        let graph = noise();
        let params = LinkParams::default().training();
        let split = split::links(&graph, &SplitParams::default(), Seed(0), &exec).unwrap();
        let training = Training::draw(&split, &params, Seed(0)).unwrap();
        assert_eq!(training.folds.len(), 5);
        assert_eq!(training.act.edges, split.train.len());
        for set in [&training.act, &training.compat, &training.probe] {
            for (at, (&pair, rows)) in set.pairs.iter().zip(&set.rows).enumerate() {
                let fold = training.folds.iter().rfind(|fold| fold.first_row <= rows[0] as usize).unwrap();
                let node = |row: u32| fold.nodes[row as usize - fold.first_row];
                assert_eq!(pair, rows.map(node));
                assert!(!fold.graph.contains(pair[0], pair[1]), "pair {at}");
            }
        }
        let missing: usize = training.folds.iter().map(|f| split.graph.nnz() - f.graph.nnz()).sum();
        assert_eq!(missing, split.graph.nnz(), "every edge is missing from one fold");
        // A small sample of edges: no fold removes more than a fifth of all, and one fold is enough.
        let mut few = params;
        few.act[0] = 4 * split.train.len() / 6;
        assert_eq!(Training::draw(&split, &few, Seed(0)).unwrap().folds.len(), 1);
        let off = TrainingParams { folds: 0, ..params };
        let training = Training::draw(&split, &off, Seed(0)).unwrap();
        assert_eq!((training.folds.len(), &training.act.pairs), (0, &training.act.rows));
    }

    /// The reason for cross-fitting: in a random graph, training edges differ from held-out edges only by
    /// their own presence. Cross-fitting must remove this difference.
    #[test]
    fn training_edges_look_like_held_out_edges() {
        let exec = Exec::new(2).unwrap();
        let graph = noise();
        let split = split::links(&graph, &SplitParams::default(), Seed(0), &exec).unwrap();
        let kinds = [ComponentKind::U, ComponentKind::P, ComponentKind::S, ComponentKind::D];
        let params = ComponentParams { kinds: kinds.to_vec(), dim: 16, ..ComponentParams::default() };
        let components = component::build(&split.graph, graph.features(), &params, Seed(0), &exec).unwrap();
        for component in &components {
            let surprise = |folds: usize| {
                let mut params = LinkParams { crossfit: folds, ..LinkParams::default() };
                params.compat.kind = CompatKind::H;
                let training = Training::draw(&split, &params.training(), Seed(0)).unwrap();
                let goal = compat::FitGoal::default();
                let compat::Fitted { adjusted: own, seen, .. } =
                    compat::fit(component.clone(), &split, &training, &params.compat, goal, &exec).unwrap();
                let [z, zh] = seen.as_ref().map_or([&own.z, &own.zh], |seen| [&seen.z, &seen.zh]);
                let edges = &training.act.rows[..training.act.edges];
                let seen = kernel::pair_dots(zh, z, edges, &exec);
                let held_out = own.similarities(&split.test.positives, &exec);
                let mean = |v: &[f32]| v.iter().map(|&v| f64::from(v)).sum::<f64>() / v.len() as f64;
                mean(&seen) - mean(&held_out)
            };
            let (without, with) = (surprise(0), surprise(5));
            assert!(without > 0.03, "{:?}: {without}", component.kind);
            assert!(with.abs() < 0.4 * without, "{:?}: {with} {without}", component.kind);
        }
    }

    #[test]
    fn two_core_is_iterated() {
        // A triangle 0 1 2 with a tail 2-3-4-5: one pass would keep 3 and 4.
        let graph = Csr::symmetric(6, &[[0, 1], [1, 2], [0, 2], [2, 3], [3, 4], [4, 5]]);
        assert_eq!(two_core(&graph), [true, true, true, false, false, false]);
    }
}
