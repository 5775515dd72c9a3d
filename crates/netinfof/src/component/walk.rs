//! Random walks: the count matrix behind component R.

use crate::csr::CsrBuilder;
use crate::exec::Exec;
use crate::graph::{Csr, NodeId};
use crate::seed::{Seed, Stream};

/// For every node, `trials` walks of two steps that do not step straight back; entry (i, j) counts the visits
/// of walks from i at j. Counts of one are dropped as noise. A walk that can only go back ends; isolated
/// nodes have empty rows. In a weighted graph steps are drawn in proportion to weights.
///
/// `O(n · trials)`, times the logarithm of degrees with weights; each node has its own random stream. The matrix is
/// returned in at most this many blocks of rows, at least one.
pub(crate) fn visit_counts(graph: &Csr, trials: usize, blocks: usize, seed: Seed, exec: &Exec) -> Vec<Csr> {
    let sums = WeightSums::of(graph);
    let rows = graph.rows();
    let each = rows.div_ceil(blocks).max(1);
    let block = |first: usize| {
        counts_of(graph, sums.as_ref(), each.min(rows - first), |at| first + at, trials, seed, exec)
    };
    (0..rows.max(1)).step_by(each).map(block).collect()
}

/// Some rows of [`visit_counts`], in this order.
pub(crate) fn visit_counts_from(
    graph: &Csr,
    starts: &[NodeId],
    trials: usize,
    seed: Seed,
    exec: &Exec,
) -> Csr {
    counts_of(
        graph,
        WeightSums::of(graph).as_ref(),
        starts.len(),
        |at| starts[at] as usize,
        trials,
        seed,
        exec,
    )
}

/// Rows that are counted at once: their lists are joined to the matrix before the next ones are counted, so
/// that the counts are not in memory twice.
const CHUNK: usize = 1 << 16;

fn counts_of(
    graph: &Csr,
    sums: Option<&WeightSums>,
    rows: usize,
    start_of: impl Fn(usize) -> usize + Sync,
    trials: usize,
    seed: Seed,
    exec: &Exec,
) -> Csr {
    let mut counts = CsrBuilder::new(graph.rows());
    for first in (0..rows).step_by(CHUNK) {
        let chunk = CHUNK.min(rows - first);
        let blocks = exec.map_blocks(chunk, 64, |range| {
            let mut own = CsrBuilder::new(graph.rows());
            for at in range {
                let start = start_of(first + at);
                let visits = match sums {
                    None => visits_from(graph, start, trials, seed, exec),
                    Some(sums) => sums.visits_from(graph, start, trials, seed, exec),
                };
                let counted = visits.chunk_by(|a, b| a == b).filter(|run| run.len() > 1);
                own.push_row(counted.map(|run| (run[0], run.len() as f32)));
            }
            own
        });
        for block in blocks {
            counts.append(block);
        }
    }
    counts.finish()
}

/// The nodes that walks from one node visit, sorted.
fn visits_from(graph: &Csr, start: usize, trials: usize, seed: Seed, exec: &Exec) -> Vec<u32> {
    let degree = |node: u32| u32::try_from(graph.row(node as usize).len()).expect("degrees fit in u32");
    let neighbours = graph.row(start);
    if neighbours.is_empty() || exec.stopped() {
        return Vec::new();
    }
    let mut draw = seed.stream(Stream::Walks, start as u64);
    let start = u32::try_from(start).expect("node ids fit in u32");
    let mut visits = Vec::with_capacity(2 * trials);
    for _ in 0..trials {
        let first = neighbours[draw.below(degree(start)) as usize];
        visits.push(first);
        let onward = degree(first);
        if onward < 2 {
            continue;
        }
        // At least half of the draws succeed, so the loop ends quickly.
        loop {
            let second = graph.row(first as usize)[draw.below(onward) as usize];
            if second != start {
                visits.push(second);
                break;
            }
        }
    }
    visits.sort_unstable();
    visits
}

/// Sums of the weights of each row up to each entry, for drawing neighbours in proportion to weights.
struct WeightSums {
    sums: Vec<f64>,
    starts: Vec<usize>,
}

impl WeightSums {
    /// None for a graph without weights.
    fn of(graph: &Csr) -> Option<Self> {
        graph.values()?;
        let (mut sums, mut starts) = (Vec::with_capacity(graph.nnz()), Vec::with_capacity(graph.rows() + 1));
        for row in 0..graph.rows() {
            starts.push(sums.len());
            let values = graph.row_values(row).unwrap_or_default();
            sums.extend(values.iter().scan(0.0, |sum, &v| {
                *sum += f64::from(v);
                Some(*sum)
            }));
        }
        starts.push(sums.len());
        Some(WeightSums { sums, starts })
    }

    fn row(&self, row: u32) -> &[f64] {
        &self.sums[self.starts[row as usize]..self.starts[row as usize + 1]]
    }

    /// The nodes that walks from one node visit, sorted.
    fn visits_from(&self, graph: &Csr, start: usize, trials: usize, seed: Seed, exec: &Exec) -> Vec<u32> {
        let neighbours = graph.row(start);
        if neighbours.is_empty() || exec.stopped() {
            return Vec::new();
        }
        let mut draw = seed.stream(Stream::Walks, start as u64);
        let start = u32::try_from(start).expect("node ids fit in u32");
        // The first entry whose sum is above the number. Rounding may put the number at the end.
        let find = |sums: &[f64], at: f64| sums.partition_point(|&sum| sum <= at).min(sums.len() - 1);
        let own = self.row(start);
        let mut visits = Vec::with_capacity(2 * trials);
        for _ in 0..trials {
            let first = neighbours[find(own, draw.unit() * own[own.len() - 1])];
            visits.push(first);
            let (onward, sums) = (graph.row(first as usize), self.row(first));
            if onward.len() < 2 {
                continue;
            }
            // The edge that leads back is cut out of the interval. A number at the end of the interval, by
            // rounding, may still select it, and the walk then ends.
            let back = onward.binary_search(&start).expect("the graph is symmetric");
            let before = if back == 0 { 0.0 } else { sums[back - 1] };
            let width = sums[back] - before;
            let mut at = draw.unit() * (sums[sums.len() - 1] - width);
            if at >= before {
                at += width;
            }
            let second = onward[find(sums, at)];
            if second != start {
                visits.push(second);
            }
        }
        visits.sort_unstable();
        visits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(graph: &Csr, trials: usize, seed: Seed, exec: &Exec) -> Csr {
        let [counts] = visit_counts(graph, trials, 1, seed, exec).try_into().unwrap();
        let blocks = visit_counts(graph, trials, 3, seed, exec);
        assert_eq!(blocks.into_iter().reduce(|a, b| a.followed_by(&b)).unwrap(), counts);
        counts
    }

    #[test]
    fn weighted_steps_are_drawn_in_proportion() {
        let exec = Exec::new(2).unwrap();
        // A path 0-1-2 with a leaf 3 on node 1; the way back from 1 to 0 has nearly all the weight.
        let graph = Csr::symmetric(4, &[[0, 1], [1, 2], [1, 3]]);
        let graph = graph.with_edge_values([1e6, 3.0, 1.0].into_iter());
        let counts = whole(&graph, 10_000, Seed(1), &exec);
        assert_eq!(counts.row(0), [1, 2, 3]);
        let values = counts.row_values(0).unwrap();
        assert_eq!(values[0], 10_000.0);
        assert!((values[1] - 7500.0).abs() < 200.0 && values[1] + values[2] == 10_000.0, "{values:?}");
        // From 2: to 1, then nearly always to 0.
        assert!(counts.row_values(2).unwrap()[0] >= 9_990.0);
        let some = visit_counts_from(&graph, &[3, 1], 10_000, Seed(1), &exec);
        assert_eq!(some, counts.rows_of(&[3, 1]));
    }

    #[test]
    fn counts_match_the_probabilities_of_a_small_graph() {
        let exec = Exec::new(2).unwrap();
        // A path 0-1-2 with a leaf 3 on node 1, and an isolated node 4.
        let graph = Csr::symmetric(5, &[[0, 1], [1, 2], [1, 3]]);
        let counts = whole(&graph, 10_000, Seed(1), &exec);
        // From 0: always to 1, then 2 or 3 with one half each, never back to 0.
        assert_eq!(counts.row(0), [1, 2, 3]);
        let values = counts.row_values(0).unwrap();
        assert_eq!(values[0], 10_000.0);
        assert!((values[1] - 5000.0).abs() < 200.0 && values[1] + values[2] == 10_000.0);
        // From 1: one step to a leaf, and the walk ends there.
        assert_eq!(counts.row_values(1).unwrap().iter().sum::<f32>(), 10_000.0);
        assert!(counts.row(4).is_empty());
        let some = visit_counts_from(&graph, &[4, 1], 10_000, Seed(1), &exec);
        assert_eq!(some, counts.rows_of(&[4, 1]));
    }

    #[test]
    fn single_visits_are_dropped() {
        let exec = Exec::new(1).unwrap();
        let star: Vec<[u32; 2]> = (1..500).map(|leaf| [0, leaf]).collect();
        let counts = whole(&Csr::symmetric(500, &star), 20, Seed(1), &exec);
        assert!((0..500).all(|row| counts.row_values(row).unwrap().iter().all(|&c| c >= 2.0)));
    }
}
