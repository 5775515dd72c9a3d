//! Random walks: the count matrix behind component R.

use crate::csr::CsrBuilder;
use crate::exec::Exec;
use crate::graph::{Csr, NodeId};
use crate::seed::{Seed, Stream};

/// For every node, `trials` walks of two steps that do not step straight back; entry (i, j) counts the visits
/// of walks from i at j. Counts of one are dropped as noise. A walk that can only go back ends; isolated
/// nodes have empty rows.
///
/// `O(n · trials)`; each node has its own random stream.
pub(crate) fn visit_counts(graph: &Csr, trials: usize, seed: Seed, exec: &Exec) -> Csr {
    counts_of(graph, graph.rows(), |at| at, trials, seed, exec)
}

/// Some rows of [`visit_counts`], in this order.
pub(crate) fn visit_counts_from(
    graph: &Csr,
    starts: &[NodeId],
    trials: usize,
    seed: Seed,
    exec: &Exec,
) -> Csr {
    counts_of(graph, starts.len(), |at| starts[at] as usize, trials, seed, exec)
}

/// Rows that are counted at once: their lists are joined to the matrix before the next ones are counted, so
/// that the counts are not in memory twice.
const CHUNK: usize = 1 << 16;

fn counts_of(
    graph: &Csr,
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
                let visits = visits_from(graph, start_of(first + at), trials, seed, exec);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_match_the_probabilities_of_a_small_graph() {
        let exec = Exec::new(2).unwrap();
        // A path 0-1-2 with a leaf 3 on node 1, and an isolated node 4.
        let graph = Csr::symmetric(5, &[[0, 1], [1, 2], [1, 3]]);
        let counts = visit_counts(&graph, 10_000, Seed(1), &exec);
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
        let counts = visit_counts(&Csr::symmetric(500, &star), 20, Seed(1), &exec);
        assert!((0..500).all(|row| counts.row_values(row).unwrap().iter().all(|&c| c >= 2.0)));
    }
}
