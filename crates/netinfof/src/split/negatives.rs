//! Negatives: uniform, degree-matched, unverified; across the two sides of a bipartite graph.

use crate::distinct_pairs::DistinctPairs;
use crate::error::{Error, Result};
use crate::graph::{Csr, NodeId, Pair, Sides, ordered};
use crate::seed::Draw;
use crate::split::time::PresentNodes;

/// The pairs of nodes that may be edges, and those of them that are: all pairs, or those across the two sides.
#[derive(Clone, Copy)]
pub(super) struct PairSpace<'a> {
    pub(super) edges: &'a Csr,
    pub(super) sides: Option<&'a Sides>,
    /// The only nodes of the pairs, if the edges have times.
    pub(super) present: Option<&'a PresentNodes>,
}

impl PairSpace<'_> {
    /// Number of pairs that are not edges.
    pub(super) fn free(&self) -> usize {
        if let Some(present) = self.present {
            return self.free_among(present);
        }
        let nodes = self.edges.rows();
        self.sides.map_or(nodes * (nodes - 1) / 2, Sides::pairs) - self.edges.nnz() / 2
    }

    /// The same for the pairs of these nodes. `O(m)`.
    fn free_among(&self, present: &PresentNodes) -> usize {
        let [first, second] = [0, 1].map(|side| present.nodes(side));
        let pairs = match self.sides {
            Some(_) => first.len() * second.len(),
            None => first.len() * first.len().saturating_sub(1) / 2,
        };
        let degree = |&node: &NodeId| {
            self.edges.row(node as usize).iter().filter(|&&other| present.has(other)).count()
        };
        let ends: usize = [first, second].into_iter().flatten().map(degree).sum();
        pairs - ends / 2
    }

    /// The nodes that a node may have an edge to, itself included if there are no sides; `None` for all.
    pub(super) fn partners(&self, node: NodeId) -> Option<&[NodeId]> {
        match (self.present, self.sides) {
            (None, sides) => sides.map(|sides| sides.partners(node)),
            (Some(present), None) => Some(present.nodes(0)),
            (Some(present), Some(sides)) => Some(present.nodes(1 - sides.of(node))),
        }
    }

    fn random(&self, draw: &mut Draw) -> Pair {
        if let Some(present) = self.present {
            if self.sides.is_some() {
                return ordered([0, 1].map(|side| random_of(present.nodes(side), draw)));
            }
            let nodes = present.nodes(0);
            return random_pair(nodes.len(), draw).map(|at| nodes[at as usize]);
        }
        let Some(sides) = self.sides else { return random_pair(self.edges.rows(), draw) };
        // In the order of edges, so that the order of a pair does not identify negatives.
        ordered([0, 1].map(|side| random_of(sides.nodes(side), draw)))
    }

    /// Whether a pair of the two sides is no negative: an edge, or the two roles of one node.
    pub(super) fn is_edge(&self, [i, j]: Pair) -> bool {
        self.edges.contains(i, j) || self.sides.is_some_and(|sides| sides.twin(i) == Some(j))
    }

    /// A pair that is not an edge. There must be one.
    pub(super) fn non_edge(&self, draw: &mut Draw) -> Pair {
        loop {
            let pair = self.random(draw);
            if !self.is_edge(pair) {
                return pair;
            }
        }
    }

    /// A non-edge whose ends come from two edges: nodes occur as often as in edges. If that fails
    /// repeatedly, any pair.
    pub(super) fn matched_pair(&self, edges: &[Pair], draw: &mut Draw) -> Pair {
        let count = u32::try_from(edges.len()).expect("edges of a split fit in u32");
        for _ in 0..1000 {
            let [i, j] = match self.sides {
                None => [(); 2].map(|()| edges[draw.below(count) as usize][draw.below(2) as usize]),
                Some(sides) => {
                    ordered([0, 1].map(|side| sides.oriented(edges[draw.below(count) as usize])[side]))
                }
            };
            if i != j && !self.is_edge([i, j]) {
                return [i, j];
            }
        }
        self.non_edge(draw)
    }

    /// `count` non-edges with the degrees of these edges; distinct while there are enough.
    pub(super) fn matched(
        &self,
        edges: &[Pair],
        count: usize,
        seen: &mut DistinctPairs,
        draw: &mut Draw,
    ) -> Result<Vec<Pair>> {
        if self.free() == 0 {
            return Err(self.too_dense(count));
        }
        let mut pairs = Vec::with_capacity(count);
        let mut tries = 0;
        while pairs.len() < count {
            let pair = self.matched_pair(edges, draw);
            tries += 1;
            if seen.insert(pair) || tries > 20 * count {
                pairs.push(pair);
            }
        }
        Ok(pairs)
    }

    /// `count` distinct non-edges.
    pub(super) fn distinct(&self, count: usize, draw: &mut Draw) -> Result<Vec<Pair>> {
        let free = self.free();
        if free < count {
            return Err(self.too_dense(count));
        }
        if free < 3 * count {
            // The graph is so dense that rejection would be slow; listing the non-edges is then as cheap as
            // listing the edges.
            let mut all = self.list();
            draw.shuffle(&mut all);
            all.truncate(count);
            return Ok(all);
        }
        let mut seen = DistinctPairs::with_capacity(count);
        let mut pairs = Vec::with_capacity(count);
        while pairs.len() < count {
            let pair = self.random(draw);
            if !self.is_edge(pair) && seen.insert(pair) {
                pairs.push(pair);
            }
        }
        Ok(pairs)
    }

    /// All non-edges.
    fn list(&self) -> Vec<Pair> {
        let is_present = |node: &NodeId| self.present.is_none_or(|present| present.has(*node));
        let is_free = |pair: &Pair| !self.is_edge(*pair) && pair.iter().all(is_present);
        if let Some(sides) = self.sides {
            let of = |&i: &NodeId| sides.nodes(1).iter().map(move |&j| ordered([i, j]));
            return sides.nodes(0).iter().flat_map(of).filter(is_free).collect();
        }
        let nodes = u32::try_from(self.edges.rows()).expect("node ids fit in u32");
        (0..nodes).flat_map(|i| (i + 1..nodes).map(move |j| [i, j])).filter(is_free).collect()
    }

    pub(super) fn too_dense(&self, wanted: usize) -> Error {
        let free = self.free();
        let across = if self.sides.is_some() { " across the two sides" } else { "" };
        Error::Unsuitable {
            stage: "split",
            why: format!(
                "the graph is too dense: {free} pairs{across} are not edges, but {wanted} negatives are needed"
            ),
        }
    }
}

pub(super) fn random_of(nodes: &[NodeId], draw: &mut Draw) -> NodeId {
    nodes[draw.below(u32::try_from(nodes.len()).expect("node ids fit in u32")) as usize]
}

fn random_pair(nodes: usize, draw: &mut Draw) -> Pair {
    let n = u32::try_from(nodes).expect("node ids fit in u32");
    let i = draw.below(n);
    // Skip i itself rather than reject it.
    let j = draw.below(n - 1);
    [i, j + u32::from(j >= i)]
}

pub(super) fn unverified(nodes: usize, count: usize, draw: &mut Draw) -> Vec<Pair> {
    (0..count).map(|_| random_pair(nodes, draw)).collect()
}
