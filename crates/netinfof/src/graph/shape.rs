//! Facts about the shape of a graph that need a search: connected components, two sides, clustering.

use super::Csr;

/// The shape of a graph.
pub(super) struct GraphShape {
    pub(super) components: usize,
    /// Number of nodes of the largest component.
    pub(super) largest: usize,
    pub(super) bipartite: bool,
    pub(super) clustering: Option<f64>,
}

/// Number of nodes, and of pairs of neighbours of a node, from which clustering is estimated.
const SAMPLED_NODES: usize = 20_000;
const SAMPLED_PAIRS: usize = 200;

/// `O(n + m)`, and the sample.
pub(super) fn of(graph: &Csr) -> GraphShape {
    const UNSEEN: u8 = 2;
    let nodes = graph.rows();
    let mut side = vec![UNSEEN; nodes];
    let (mut components, mut largest, mut bipartite) = (0, 0, graph.nnz() > 0);
    let mut queue: Vec<u32> = Vec::new();
    for first in 0..nodes {
        if side[first] != UNSEEN {
            continue;
        }
        components += 1;
        side[first] = 0;
        queue.clear();
        queue.push(first as u32);
        let mut next = 0;
        while let Some(&node) = queue.get(next) {
            next += 1;
            let own = side[node as usize];
            for &other in graph.row(node as usize) {
                let other_side = &mut side[other as usize];
                if *other_side == UNSEEN {
                    *other_side = 1 - own;
                    queue.push(other);
                } else if *other_side == own {
                    bipartite = false;
                }
            }
        }
        largest = largest.max(queue.len());
    }
    GraphShape { components, largest, bipartite, clustering: clustering(graph) }
}

/// Mean local clustering coefficient. On large graphs of evenly spaced nodes and pairs of neighbours, so that
/// it is the same on every run.
fn clustering(graph: &Csr) -> Option<f64> {
    let step = graph.rows().div_ceil(SAMPLED_NODES).max(1);
    let (mut sum, mut counted) = (0.0, 0usize);
    for node in (0..graph.rows()).step_by(step) {
        let row = graph.row(node);
        let degree = row.len();
        if degree < 2 {
            continue;
        }
        let pairs = degree * (degree - 1) / 2;
        let (mut joined, mut tried) = (0usize, 0usize);
        if pairs <= SAMPLED_PAIRS {
            for (at, &i) in row.iter().enumerate() {
                for &j in &row[at + 1..] {
                    tried += 1;
                    joined += usize::from(graph.contains(i, j));
                }
            }
        } else {
            // A multiplier without a relation to the degree spreads the pairs over the row.
            for draw in 0..SAMPLED_PAIRS {
                let pair = (draw as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) % (degree * (degree - 1)) as u64;
                let (at, mut other) = (pair as usize / (degree - 1), pair as usize % (degree - 1));
                other += usize::from(other >= at);
                tried += 1;
                joined += usize::from(graph.contains(row[at], row[other]));
            }
        }
        sum += joined as f64 / tried as f64;
        counted += 1;
    }
    (counted > 0).then(|| sum / counted as f64)
}

#[cfg(test)]
mod tests {
    use super::super::Graph;

    #[test]
    fn shapes_by_hand() {
        // A triangle with a tail, and a separate edge.
        let graph = Graph::from_edges("t", 7, &[[0, 1], [1, 2], [0, 2], [2, 3], [4, 5]]).unwrap();
        let shape = super::of(graph.adjacency());
        assert_eq!((shape.components, shape.largest, shape.bipartite), (3, 4, false));
        // Nodes 0 and 1: 1 of 1 pairs; node 2: 1 of 3.
        assert!((shape.clustering.unwrap() - (1.0 + 1.0 + 1.0 / 3.0) / 3.0).abs() < 1e-12);
        let path = Graph::from_edges("p", 4, &[[0, 1], [1, 2], [2, 3]]).unwrap();
        let shape = super::of(path.adjacency());
        assert!(shape.bipartite && shape.components == 1 && shape.clustering == Some(0.0));
        let empty = Graph::from_edges("e", 2, &[]).unwrap();
        assert!(!super::of(empty.adjacency()).bipartite);
        // A clique of 40: every sampled pair is joined.
        let edges: Vec<[u32; 2]> = (0..40).flat_map(|i| (0..i).map(move |j| [i, j])).collect();
        let clique = Graph::from_edges("c", 40, &edges).unwrap();
        assert_eq!(super::of(clique.adjacency()).clustering, Some(1.0));
    }
}
