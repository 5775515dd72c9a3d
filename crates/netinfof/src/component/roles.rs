//! Structural roles of nodes: degree, core number, clustering and the like, as a table of numbers.
//!
//! U and R represent which nodes are close to each other. They do not represent which nodes have the same
//! role (hub, bridge, member of a clique) in different parts of a graph. These columns do.

use std::borrow::Cow;

use super::prepare::Preparation;
use super::{ComponentParams, PreparedRows};
use crate::exec::Exec;
use crate::graph::{Csr, Features};
use crate::matrix::Matrix;
use crate::spec::Weighting;

/// Maximum number of neighbour pairs per edge, on average, for counting triangles; on denser graphs triangles
/// are left out.
const MOST_TRIANGLE_WORK: usize = 2000;
/// Number of PageRank iterations.
const RANK_STEPS: usize = 30;
/// Number of columns of [`table`] without weights.
pub(super) const COLUMNS: usize = 8;

/// The roles of all nodes, with quantile hinges for each column, so that a linear model can fit a curve.
///
/// `O(m)` except for triangles, which need `O(Σ_edges min degree)`.
pub(crate) fn roles(graph: &Csr, exec: &Exec) -> Matrix {
    hinged(table(graph, exec), exec)
}

/// A table of numbers, prepared like any narrow table: columns on one scale, with hinges at their quantiles.
pub(crate) fn hinged(table: Matrix, exec: &Exec) -> Matrix {
    let features = Features::Dense(table);
    let how = Preparation::learn(
        &features,
        Weighting::Equal,
        &Csr::symmetric(0, &[]),
        &ComponentParams::default(),
        exec,
    );
    let Features::Dense(table) = features else { unreachable!("a table is dense") };
    PreparedRows::new(Cow::Owned(table), Cow::Owned(how), exec).whole(exec)
}

/// Logarithms of degree, core number, triangles and PageRank, the clustering coefficient, and the mean of the
/// neighbours' degrees, the mean of their neighbours' degrees and the largest. In a weighted graph PageRank
/// follows edges in proportion to their weights, and a last column holds the logarithm of the sum of weights.
pub(super) fn table(graph: &Csr, exec: &Exec) -> Matrix {
    let nodes = graph.rows();
    let degree = |node: usize| graph.row(node).len();
    let mean = |of: &[f64]| -> Vec<f64> {
        let own = |node: usize| {
            let sum: f64 = graph.row(node).iter().map(|&other| of[other as usize]).sum();
            if degree(node) > 0 { sum / degree(node) as f64 } else { 0.0 }
        };
        (0..nodes).map(own).collect()
    };
    let degrees: Vec<f64> = (0..nodes).map(|node| (degree(node) as f64).ln_1p()).collect();
    let near = mean(&degrees);
    let nearer = mean(&near);
    let largest =
        |node: usize| graph.row(node).iter().map(|&other| degrees[other as usize]).fold(0.0, f64::max);
    let (cores, triangles, ranks) = (cores(graph), triangles(graph, exec), ranks(graph));
    let columns = COLUMNS + usize::from(graph.values().is_some());
    Matrix::from_fn(nodes, columns, |node, col| {
        let pairs = (degree(node) * degree(node).saturating_sub(1)) as f64 / 2.0;
        let value = match col {
            0 => degrees[node],
            1 => near[node],
            2 => nearer[node],
            3 => largest(node),
            4 => f64::from(cores[node]).ln_1p(),
            5 => (triangles[node] as f64).ln_1p(),
            6 => triangles[node] as f64 / pairs.max(1.0),
            7 => (ranks[node] * nodes as f64).ln(),
            _ => graph.row_sum(node).ln_1p(),
        };
        value as f32
    })
}

/// For every node the largest k such that it belongs to a subgraph in which all nodes have at least k
/// neighbours. Nodes are removed in the order of their remaining degrees (Batagelj and Zaveršnik 2003).
fn cores(graph: &Csr) -> Vec<u32> {
    let nodes = graph.rows();
    let mut left: Vec<u32> = (0..nodes).map(|node| graph.row(node).len() as u32).collect();
    let top = left.iter().copied().max().unwrap_or(0) as usize;
    let mut queues: Vec<Vec<u32>> = vec![Vec::new(); top + 1];
    left.iter().zip(0..).for_each(|(&degree, node)| queues[degree as usize].push(node));
    let (mut core, mut taken) = (vec![0; nodes], vec![false; nodes]);
    let (mut k, mut at) = (0, 0);
    while at <= top {
        let Some(node) = queues[at].pop() else {
            at += 1;
            continue;
        };
        // A node is in one queue for each degree that it had.
        if taken[node as usize] || left[node as usize] as usize != at {
            continue;
        }
        k = k.max(at as u32);
        core[node as usize] = k;
        taken[node as usize] = true;
        for &other in graph.row(node as usize).iter().filter(|&&other| !taken[other as usize]) {
            let degree = &mut left[other as usize];
            *degree -= 1;
            queues[*degree as usize].push(other);
            at = at.min(*degree as usize);
        }
    }
    core
}

/// Triangles at every node; `None` if counting them would take too long.
fn triangles(graph: &Csr, exec: &Exec) -> Vec<u64> {
    let nodes = graph.rows();
    let work = |node: usize| -> usize {
        let own = graph.row(node).len();
        graph.row(node).iter().map(|&other| own.min(graph.row(other as usize).len())).sum()
    };
    if (0..nodes).map(work).sum::<usize>() > MOST_TRIANGLE_WORK.saturating_mul(graph.nnz().max(1)) {
        return vec![0; nodes];
    }
    let mut found = vec![0u64; nodes];
    exec.fill_rows(&mut found, 1, 256, |first, found| {
        let mut near = vec![false; nodes];
        for (offset, found) in found.iter_mut().enumerate() {
            let own = graph.row(first + offset);
            for &other in own {
                near[other as usize] = true;
            }
            let closing = |&other: &u32| -> u64 {
                let theirs = graph.row(other as usize);
                if theirs.len() <= own.len() {
                    theirs.iter().filter(|&&third| near[third as usize]).count() as u64
                } else {
                    own.iter().filter(|third| theirs.binary_search(third).is_ok()).count() as u64
                }
            };
            *found = own.iter().map(closing).sum::<u64>() / 2;
            for &other in own {
                near[other as usize] = false;
            }
        }
    });
    found
}

/// PageRank with damping 0.85.
fn ranks(graph: &Csr) -> Vec<f64> {
    let nodes = graph.rows();
    let mut rank = vec![1.0 / nodes as f64; nodes];
    for _ in 0..RANK_STEPS {
        let weight = |node: usize| {
            let sum = graph.row_sum(node);
            if sum > 0.0 { sum } else { 1.0 }
        };
        let passed: Vec<f64> = rank.iter().enumerate().map(|(node, r)| r / weight(node)).collect();
        let next = |node: usize| {
            let from = graph.row(node);
            let sum: f64 = match graph.row_values(node) {
                None => from.iter().map(|&other| passed[other as usize]).sum(),
                Some(values) => {
                    from.iter().zip(values).map(|(&other, &w)| passed[other as usize] * f64::from(w)).sum()
                }
            };
            0.15 / nodes as f64 + 0.85 * sum
        };
        rank = (0..nodes).map(next).collect();
    }
    rank
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A clique of four with a tail of two, and an isolated node.
    #[test]
    fn roles_of_a_small_graph() {
        let graph = Csr::symmetric(7, &[[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3], [3, 4], [4, 5]]);
        let exec = Exec::new(1).unwrap();
        assert_eq!(cores(&graph), [3, 3, 3, 3, 1, 1, 0]);
        assert_eq!(triangles(&graph, &exec), [3, 3, 3, 3, 0, 0, 0]);
        let table = table(&graph, &exec);
        assert_eq!(table.row(0)[6], 1.0);
        assert_eq!(table.row(3)[6], 0.5);
        assert_eq!(table.row(5)[1], 3.0f32.ln());
        let rank = ranks(&graph);
        assert!(rank[3] > rank[0] && rank[0] > rank[5] && rank[5] > rank[6]);
        assert!(roles(&graph, &exec).as_slice().iter().all(|v| v.is_finite()));
    }

    #[test]
    fn weights_change_ranks_and_add_a_column() {
        let edges = [[0, 1], [0, 2], [0, 3]];
        let graph = Csr::symmetric(4, &edges).with_edge_values([1.0, 1.0, 4.0].into_iter());
        let exec = Exec::new(1).unwrap();
        let table = table(&graph, &exec);
        assert_eq!(table.cols(), COLUMNS + 1);
        assert_eq!(table.row(0)[8], 7.0f32.ln());
        // Beside the share that every node has, node 3 receives four times what nodes 1 and 2 do.
        let rank = ranks(&graph);
        let received = |node: usize| rank[node] - 0.15 / 4.0;
        assert!((received(3) - 4.0 * received(1)).abs() < 1e-12 && rank[1] == rank[2]);
        assert_eq!(table.row(0)[0], 4.0f32.ln());
    }
}
