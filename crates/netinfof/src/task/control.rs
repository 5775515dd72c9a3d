//! Controls of propagation: what propagated features would carry without the features, or without the edges.
//!
//! Controls are prepared like the components that they control: the same kinds, depths and number of columns. On
//! a graph without edges they equal them.

use crate::component::{Component, ComponentBuilder, ComponentParams, Preparations};
use crate::csr::{Csr, NodeId, Pair, ordered};
use crate::distinct_pairs::DistinctPairs;
use crate::error::Result;
use crate::exec::Exec;
use crate::graph::{Features, Graph};
use crate::seed::{Draw, Seed, Stream};
use crate::spec::Group;

/// The propagated components among the kinds of a run.
fn propagated(params: &ComponentParams) -> Option<ComponentParams> {
    let mut own = params.clone();
    own.kinds.retain(|kind| kind.spec().group == Group::Propagation);
    (!own.kinds.is_empty()).then_some(own)
}

/// Propagated features of other nodes: propagation turns random features into a sketch of the structure, and this
/// control measures that part of the information in propagation. `number` tells several draws apart.
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
    each_batch(edges, &graph.features().rows_of(&order), &own, seed, exec, use_batch)
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
    each_batch(&with_same_degrees(edges, seed), graph.features(), &own, seed, exec, use_batch)
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
    ComponentBuilder::new(edges, features, &preparations, params, seed, exec).each_batch(exec, use_batch)
}

/// Rounds in which edges that would be loops or duplicates exchange ends with others; after them they are dropped.
const ROUNDS: usize = 30;

/// A random graph with the same degrees, except for the few ends of edges that find no partner.
fn with_same_degrees(edges: &Csr, seed: Seed) -> Csr {
    let mut draw = seed.stream(Stream::Rewired, 0);
    let nodes = edges.rows();
    let mut ends: Vec<NodeId> =
        (0..nodes).flat_map(|node| std::iter::repeat_n(node as NodeId, edges.row(node).len())).collect();
    draw.shuffle(&mut ends);
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
        draw.shuffle(&mut free);
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
        let found = with_same_degrees(&graph, Seed(1));
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
        assert_eq!(found, with_same_degrees(&graph, Seed(1)));
        assert_ne!(found, with_same_degrees(&graph, Seed(2)));
    }

    /// Graphs on which hardly any or no other edges are possible.
    #[test]
    fn small_and_complete_graphs_are_rewired_too() {
        for (nodes, pairs) in [(0, vec![]), (3, vec![]), (2, vec![[0, 1]]), (3, vec![[0, 1], [0, 2], [1, 2]])]
        {
            let graph = Csr::symmetric(nodes, &pairs);
            let found = with_same_degrees(&graph, Seed(0));
            assert!(found.rows() == nodes && found.nnz() <= graph.nnz());
        }
    }
}
