//! Controls of propagation: what propagated features would carry without the features, or without the edges.
//!
//! Controls are prepared like the components that they control: the same kinds, depths and number of columns. On
//! a graph without edges they equal them.

use crate::component::{Component, ComponentBuilder, ComponentParams, Preparations};
use crate::csr::{Csr, NodeId, Pair, ordered};
use crate::distinct_pairs::DistinctPairs;
use crate::error::Result;
use crate::exec::Exec;
use crate::graph::{Features, Graph, Sides};
use crate::seed::{Draw, Seed, Stream};
use crate::spec::Group;

/// The name under which the work folder keeps a control.
pub(super) fn stage_name(control: &str, seed: Seed) -> impl FnOnce() -> String {
    move || format!("{} control {control}", seed.0)
}

/// The propagated components among the kinds of a run.
fn propagated(params: &ComponentParams) -> Option<ComponentParams> {
    let mut own = params.clone();
    own.kinds.retain(|kind| kind.spec().group == Group::Propagation);
    (!own.kinds.is_empty()).then_some(own)
}

/// Propagated features of other nodes: propagation turns random features into a sketch of the structure, and this
/// control measures that part of the information in propagation. Each `number` is another draw.
pub(super) fn shuffled(
    edges: &Csr,
    graph: &Graph,
    params: &ComponentParams,
    seed: Seed,
    number: u64,
    exec: &Exec,
    use_batch: impl FnMut(Vec<Component>) -> Result<()>,
) -> Result<()> {
    let Some(own) = propagated(params) else { return Ok(()) };
    let mut order: Vec<NodeId> = (0..graph.nodes()).map(|node| node as NodeId).collect();
    let mut draw = seed.stream(Stream::ControlFeatures, number);
    match graph.sides() {
        None => draw.shuffle(&mut order),
        // The two sides of a bipartite graph may have different kinds of features.
        Some(sides) => {
            for side in [0, 1].map(|side| sides.nodes(side)) {
                let mut shuffled = side.to_vec();
                draw.shuffle(&mut shuffled);
                side.iter().zip(shuffled).for_each(|(&node, other)| order[node as usize] = other);
            }
        }
    }
    if let Some(context) = graph.context() {
        order.extend(shuffled_by_type(&context.nodes().types, graph.nodes() as NodeId, &mut draw));
    }
    each_batch(edges, &graph.inputs().features.rows_of(&order), &own, seed, exec, use_batch)
}

/// Numbers of context nodes, shuffled among those of the same type: types may have different kinds of features.
fn shuffled_by_type(types: &[u32], first: NodeId, draw: &mut Draw) -> Vec<NodeId> {
    let mut order: Vec<NodeId> = (first..).take(types.len()).collect();
    let mut kinds = types.to_vec();
    kinds.sort_unstable();
    kinds.dedup();
    for kind in kinds {
        let own: Vec<usize> = (0..types.len()).filter(|&at| types[at] == kind).collect();
        let mut shuffled: Vec<NodeId> = own.iter().map(|&at| order[at]).collect();
        draw.shuffle(&mut shuffled);
        own.into_iter().zip(shuffled).for_each(|(at, other)| order[at] = other);
    }
    order
}

/// Features propagated over other edges, between nodes of the same degrees: what smoothing over any edges carries.
pub(super) fn rewired(
    edges: &Csr,
    graph: &Graph,
    params: &ComponentParams,
    seed: Seed,
    exec: &Exec,
    use_batch: impl FnMut(Vec<Component>) -> Result<()>,
) -> Result<()> {
    let Some(own) = propagated(params) else { return Ok(()) };
    let second = graph.sides().map(Sides::second);
    each_batch(&with_same_degrees(edges, second, seed), graph.features(), &own, seed, exec, use_batch)
}

/// Builds components and passes on as many at once as memory should hold.
fn each_batch(
    edges: &Csr,
    features: &Features,
    params: &ComponentParams,
    seed: Seed,
    exec: &Exec,
    use_batch: impl FnMut(Vec<Component>) -> Result<()>,
) -> Result<()> {
    let preparations = Preparations::learn(edges, features, params, exec)?;
    ComponentBuilder::new(edges, features, &preparations, params, seed).each_batch(exec, use_batch)
}

/// Rounds in which edges that would be loops or duplicates exchange ends with others; after them they are dropped.
const ROUNDS: usize = 30;

/// A random graph with the same degrees, except for the few ends of edges that find no partner. `second`: for
/// every node of a bipartite graph, whether it is on the second side; its edges join the two sides again.
fn with_same_degrees(edges: &Csr, second: Option<&[bool]>, seed: Seed) -> Csr {
    let mut draw = seed.stream(Stream::Rewired, 0);
    let nodes = edges.rows();
    let mut ends: Vec<NodeId> =
        (0..nodes).flat_map(|node| std::iter::repeat_n(node as NodeId, edges.row(node).len())).collect();
    shuffle_ends(&mut ends, second, &mut draw);
    let mut kept: Vec<Pair> = Vec::with_capacity(ends.len() / 2);
    let mut known = DistinctPairs::with_capacity(ends.len() / 2);
    for _ in 0..ROUNDS {
        let mut free: Vec<NodeId> = Vec::new();
        for pair in ends.chunks_exact(2) {
            let pair = ordered([pair[0], pair[1]]);
            if pair[0] != pair[1] && known.insert(pair) {
                kept.push(pair);
            } else {
                free.extend(pair);
            }
        }
        if free.is_empty() {
            break;
        }
        release(&mut kept, &mut known, &mut free, &mut draw);
        shuffle_ends(&mut free, second, &mut draw);
        ends = free;
    }
    kept.sort_unstable();
    let rewired = Csr::symmetric(nodes, &kept);
    if edges.values().is_none() {
        return rewired;
    }
    // The same weights on other edges.
    let mut weights: Vec<f32> = (0..nodes)
        .flat_map(|node| {
            let own = edges.row_values(node).unwrap_or_default();
            edges.row(node).iter().zip(own).filter(move |(other, _)| **other as usize > node)
        })
        .map(|(_, &weight)| weight)
        .collect();
    draw.shuffle(&mut weights);
    rewired.with_edge_values(weights.into_iter())
}

/// Shuffles the ends of edges: two that follow each other are a new edge, across the sides if there are sides.
fn shuffle_ends(ends: &mut [NodeId], second: Option<&[bool]>, draw: &mut Draw) {
    draw.shuffle(ends);
    let Some(second) = second else { return };
    // As many ends are on one side as on the other, because every edge joins the two.
    let of =
        |side: bool| ends.iter().copied().filter(|&end| second[end as usize] == side).collect::<Vec<_>>();
    let sides = [of(false), of(true)];
    for (at, end) in ends.iter_mut().enumerate() {
        *end = sides[at % 2][at / 2];
    }
}

/// Gives back as many random edges as there are pairs of free ends.
fn release(kept: &mut Vec<Pair>, known: &mut DistinctPairs, free: &mut Vec<NodeId>, draw: &mut Draw) {
    for _ in 0..(free.len() / 2).min(kept.len()) {
        let pair = kept.swap_remove(draw.below(kept.len() as u32) as usize);
        known.remove(pair);
        free.extend(pair);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rewired_graphs_keep_degrees_and_little_else() {
        let mut draw = Seed(3).stream(Stream::Synth, 0);
        let nodes = 600;
        // Two communities and a hub.
        let mut pairs: Vec<Pair> = (0..3000)
            .map(|at| {
                let first = if at % 2 == 0 { 0 } else { 300 };
                ordered([first + draw.below(300), first + draw.below(300)])
            })
            .chain((1..200).map(|node| [0, node]))
            .filter(|[i, j]| i != j)
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        let graph = Csr::symmetric(nodes, &pairs);
        let found = with_same_degrees(&graph, None, Seed(1));
        let lost: usize = (0..nodes).map(|node| graph.row(node).len().abs_diff(found.row(node).len())).sum();
        assert!(lost * 100 <= graph.nnz(), "{lost} ends lost of {}", graph.nnz());
        for node in 0..nodes {
            assert!(
                found.row(node).windows(2).all(|w| w[0] < w[1]) && !found.row(node).contains(&(node as u32))
            );
        }
        let inside = |graph: &Csr| {
            let own = |node: usize| graph.row(node).iter().filter(|&&j| (j < 300) == (node < 300)).count();
            (0..nodes).map(own).sum::<usize>() as f64 / graph.nnz() as f64
        };
        assert!(inside(&graph) > 0.99 && inside(&found) < 0.6, "{}", inside(&found));
        assert_eq!(found, with_same_degrees(&graph, None, Seed(1)));
        assert_ne!(found, with_same_degrees(&graph, None, Seed(2)));
    }

    #[test]
    fn rewired_bipartite_graphs_join_their_sides() {
        let mut draw = Seed(5).stream(Stream::Synth, 0);
        let mut pairs: Vec<Pair> = (0..2000).map(|_| [draw.below(200), 200 + draw.below(50)]).collect();
        pairs.sort_unstable();
        pairs.dedup();
        let graph = Csr::symmetric(250, &pairs);
        let second: Vec<bool> = (0..250).map(|node| node >= 200).collect();
        let found = with_same_degrees(&graph, Some(&second), Seed(1));
        assert_ne!(found, graph);
        for node in 0..250 {
            assert!(found.row(node).iter().all(|&other| second[other as usize] != second[node]), "{node}");
        }
        let lost: usize = (0..250).map(|node| graph.row(node).len().abs_diff(found.row(node).len())).sum();
        assert!(lost * 100 <= graph.nnz(), "{lost} ends lost of {}", graph.nnz());
    }

    /// Graphs on which hardly any or no other edges are possible.
    #[test]
    fn small_and_complete_graphs_are_rewired_too() {
        for (nodes, pairs) in [(0, vec![]), (3, vec![]), (2, vec![[0, 1]]), (3, vec![[0, 1], [0, 2], [1, 2]])]
        {
            let graph = Csr::symmetric(nodes, &pairs);
            let found = with_same_degrees(&graph, None, Seed(0));
            assert!(found.rows() == nodes && found.nnz() <= graph.nnz());
        }
    }
}
