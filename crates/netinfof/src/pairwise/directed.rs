//! Columns of X for directed graphs, beside those across the two roles: what needs both roles of a node.

use super::DIRECTED;
use crate::graph::{Csr, NodeId, Pair, Sides};

/// The columns of the pair i → j. None of them depends on that edge itself.
pub(super) fn columns(graph: &Csr, sides: &Sides, pair: Pair) -> [f32; DIRECTED.len()] {
    let [i, j] = sides.oriented(pair);
    let twin = |node: NodeId| sides.twin(node).expect("the sides are roles");
    // The source i also is a target, and the target j a source.
    let (i_in, j_out) = (twin(i), twin(j));
    let row = |node: NodeId| graph.row(node as usize);
    let count = sides.nodes(0).len() as NodeId;
    // Rows of sources hold targets, whose numbers are larger by `count`.
    let paths = |sources: &[NodeId], targets: &[NodeId]| {
        let (mut number, mut shared, mut at) = (0.0f64, 0.0f64, 0);
        for &k in sources {
            while targets.get(at).is_some_and(|&other| other - count < k) {
                at += 1;
            }
            if targets.get(at).is_some_and(|&other| other - count == k) {
                number += 1.0;
                shared += 1.0 / (row(k).len() + row(k + count).len()) as f64;
            }
        }
        [number.ln_1p(), (shared + 1e-3).ln()]
    };
    let common = |a: &[NodeId], b: &[NodeId]| {
        let (mut number, mut shared, mut at) = (0.0f64, 0.0f64, 0);
        for &k in a {
            while b.get(at).is_some_and(|&other| other < k) {
                at += 1;
            }
            if b.get(at) == Some(&k) {
                number += 1.0;
                shared += 1.0 / row(k).len() as f64;
            }
        }
        [number.ln_1p(), (shared + 1e-3).ln()]
    };
    // i → k → j and j → k → i.
    let there = paths(row(j), row(i));
    let back = paths(row(i_in), row(j_out));
    let [out, into] = [common(row(i), row(j_out)), common(row(i_in), row(j))];
    let [i_degree, j_degree] = [i_in, j_out].map(|node| (row(node).len() as f64).ln_1p());
    let reverse = f64::from(u8::from(graph.contains(j_out, i_in)));
    [reverse, there[0], there[1], back[0], back[1], out[0], out[1], into[0], into[1], i_degree, j_degree]
        .map(|v| v as f32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Graph;

    #[test]
    fn columns_of_a_small_graph() {
        let edges = vec![[0, 1], [1, 0], [0, 2], [2, 1], [3, 0], [3, 1], [1, 4], [4, 0]];
        let graph =
            Graph::from_edges("g", 5, &edges).unwrap().with_directions(edges, None).in_roles().unwrap().0;
        let of = |i: u32, j: u32| columns(graph.adjacency(), graph.sides().unwrap(), [i, 5 + j]);
        let own = of(0, 1);
        assert_eq!(own[0], 1.0);
        // 0 → 2 → 1; 1 → 4 → 0; both have 3 as a common source, and no common target.
        assert_eq!([own[1], own[3], own[5], own[7]], [2f32.ln(), 2f32.ln(), 0.0, 2f32.ln()]);
        assert_eq!(own[2], (0.5f64 + 1e-3).ln() as f32);
        // Three edges lead to 0, two leave 1.
        assert_eq!([own[9], own[10]], [4f32.ln(), 3f32.ln()]);
        // 3 and 0 have 1 as a common target; nothing leads to 3.
        let other = of(3, 0);
        assert_eq!((other[0], other[5], other[9]), (0.0, 2f32.ln(), 0.0));
        assert_eq!(of(2, 0)[1], 2f32.ln());
    }

    #[test]
    fn the_order_of_a_pair_has_no_effect_but_its_direction_has() {
        let edges = vec![[0, 1], [2, 1], [1, 3], [3, 2]];
        let graph =
            Graph::from_edges("g", 4, &edges).unwrap().with_directions(edges, None).in_roles().unwrap().0;
        let of = |pair: Pair| columns(graph.adjacency(), graph.sides().unwrap(), pair);
        assert_eq!(of([0, 5]), of([5, 0]));
        assert_ne!(of([0, 5]), of([1, 4]));
    }
}
