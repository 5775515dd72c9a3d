//! Columns of X from the weights of edges, beside those that count edges.
//!
//! As there, a pair that is an edge of the graph is described as if that edge were absent.

use super::WEIGHTED;
use crate::graph::{Csr, NodeId, Sides};

/// What the columns need of every node.
#[derive(Debug)]
pub(super) struct WeightedSource {
    /// Sum of the weights of its edges.
    sums: Vec<f64>,
    /// Sum of `w² / sum` over its edges, with the sum of the neighbour.
    around: Vec<f64>,
}

impl WeightedSource {
    /// `None` for a graph without weights.
    pub(super) fn new(graph: &Csr) -> Option<Self> {
        graph.values()?;
        let sums: Vec<f64> = (0..graph.rows()).map(|node| graph.row_sum(node)).collect();
        let around = (0..graph.rows()).map(|node| {
            let values = graph.row_values(node).unwrap_or_default();
            let own = graph.row(node).iter().zip(values);
            own.map(|(&k, &w)| f64::from(w) * f64::from(w) / sums[k as usize]).sum()
        });
        Some(WeightedSource { around: around.collect(), sums })
    }
}

/// Walks from one node at a time, each with the product of its weights, over the weights of the nodes between.
pub(super) struct WeightedWalker<'a> {
    source: &'a WeightedSource,
    graph: &'a Csr,
    max_degree: usize,
    start: NodeId,
    /// Weights of the start's edges.
    near: Vec<f32>,
    /// Walks of two steps from the start to every other node.
    two: Vec<f32>,
    reached: Vec<NodeId>,
}

impl<'a> WeightedWalker<'a> {
    pub(super) fn new(source: &'a WeightedSource, graph: &'a Csr, max_degree: usize) -> Self {
        let n = graph.rows();
        WeightedWalker {
            source,
            graph,
            max_degree,
            start: 0,
            near: vec![0.0; n],
            two: vec![0.0; n],
            reached: Vec::new(),
        }
    }

    pub(super) fn start(&mut self, node: NodeId) {
        let graph = self.graph;
        for &k in graph.row(self.start as usize) {
            self.near[k as usize] = 0.0;
        }
        for &k in &self.reached {
            self.two[k as usize] = 0.0;
        }
        self.reached.clear();
        self.start = node;
        let own = graph.row_values(node as usize).unwrap_or_default();
        for (&k, &first) in graph.row(node as usize).iter().zip(own) {
            self.near[k as usize] = first;
            let (onward, values) = (graph.row(k as usize), graph.row_values(k as usize).unwrap_or_default());
            // The same sample of the neighbours of large nodes as for counts.
            let stride = onward.len().div_ceil(self.max_degree).max(1);
            let offset = (node as usize + k as usize) % stride;
            let share = stride as f32 * first / self.source.sums[k as usize] as f32;
            for at in (offset..onward.len()).step_by(stride).filter(|&at| onward[at] != node) {
                let two = &mut self.two[onward[at] as usize];
                if *two == 0.0 {
                    self.reached.push(onward[at]);
                }
                *two += share * values[at];
            }
        }
    }

    /// The columns of the pair of the start and another node.
    pub(super) fn pair(&self, other: NodeId, sides: Option<&Sides>) -> [f32; WEIGHTED.len()] {
        let WeightedSource { sums, around } = self.source;
        let (i, j) = (self.start as usize, other as usize);
        let values = self.graph.row_values(j).unwrap_or_default();
        let (mut common, mut paths) = (0.0f64, 0.0f64);
        for (&k, &w) in self.graph.row(j).iter().zip(values) {
            let (at, w) = (k as usize, f64::from(w));
            common += f64::from(self.near[at]) * w / sums[at];
            paths += f64::from(self.two[at]) * w / sums[at];
        }
        // Walks over the edge itself, to the other end and from there out and back.
        let direct = f64::from(self.near[j]);
        paths -= direct / sums[j].max(f64::MIN_POSITIVE)
            * (around[j] - direct * direct / sums[i].max(f64::MIN_POSITIVE));
        let [own, theirs] = [i, j].map(|node| (sums[node] - direct).max(0.0).ln_1p());
        let difference = match sides {
            None => (own - theirs).abs(),
            Some(sides) if sides.of(self.start) == 0 => own - theirs,
            Some(_) => theirs - own,
        };
        // Differences of almost equal sums are rounding errors.
        let paths = paths.max(0.0);
        [own + theirs, difference, common, (common + 1e-3).ln(), (paths + 1e-3).ln()].map(|v| v as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{COLUMNS, PairwiseSource};
    use super::*;
    use crate::component::ComponentParams;
    use crate::exec::Exec;
    use crate::graph::{Features, Pair, ordered};
    use crate::seed::{Seed, Stream};

    fn random() -> (Csr, Vec<Pair>) {
        let mut draw = Seed(4).stream(Stream::Synth, 0);
        let mut edges: Vec<Pair> = (0..150).map(|_| ordered([draw.below(30), draw.below(30)])).collect();
        edges.retain(|[i, j]| i != j);
        edges.sort_unstable();
        edges.dedup();
        let weights: Vec<f32> = edges.iter().map(|_| (0.1 + 3.0 * draw.unit()) as f32).collect();
        (Csr::symmetric(30, &edges).with_edge_values(weights.into_iter()), edges)
    }

    /// Against sums over dense matrices of the graph without the pair; the weights of nodes between are those of
    /// the whole graph.
    #[test]
    fn columns_equal_dense_sums() {
        let (graph, _) = random();
        let dense = graph.to_dense();
        let exec = Exec::new(2).unwrap();
        let source = PairwiseSource::new(&graph, &Features::None, &ComponentParams::default(), &exec);
        let pairs: Vec<Pair> = (0..30).flat_map(|i| (0..i).map(move |j| [i, j])).collect();
        let columns = source.columns(&pairs, &exec);
        assert_eq!(columns.cols(), COLUMNS.len() + WEIGHTED.len());
        let sum: Vec<f64> = (0..30).map(|k| dense.row(k).iter().map(|&w| f64::from(w)).sum()).collect();
        for (at, &[i, j]) in pairs.iter().enumerate() {
            let (i, j) = (i as usize, j as usize);
            let w = |a: usize, b: usize| {
                if [a, b] == [i, j] || [a, b] == [j, i] { 0.0 } else { f64::from(dense.row(a)[b]) }
            };
            let own = |node: usize| (0..30).map(|k| w(node, k)).sum::<f64>().ln_1p();
            let common: f64 = (0..30).map(|k| w(i, k) * w(k, j) / sum[k]).sum();
            let paths: f64 = (0..30)
                .flat_map(|a| (0..30).map(move |b| (a, b)))
                .filter(|&(a, b)| b != i && a != j)
                .map(|(a, b)| w(i, a) * w(a, b) * w(b, j) / sum[a] / sum[b])
                .sum();
            let expected =
                [own(i) + own(j), (own(i) - own(j)).abs(), common, (common + 1e-3).ln(), (paths + 1e-3).ln()];
            for (found, expected) in columns.row(at)[COLUMNS.len()..].iter().zip(expected) {
                assert!((f64::from(*found) - expected).abs() < 1e-3, "{i} {j}: {found} {expected}");
            }
        }
    }

    /// The counting columns do not depend on weights.
    #[test]
    fn counts_stay_as_they_are() {
        let (graph, edges) = random();
        let plain = graph.as_pattern().into_owned();
        let exec = Exec::new(2).unwrap();
        let params = ComponentParams::default();
        let [with, without] = [&graph, &plain]
            .map(|graph| PairwiseSource::new(graph, &Features::None, &params, &exec).columns(&edges, &exec));
        for at in 0..edges.len() {
            assert_eq!(&with.row(at)[..COLUMNS.len()], without.row(at));
        }
    }
}
