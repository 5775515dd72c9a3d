//! Whether two nodes are connected, possibly at a distance, and in how large a part of the graph.

use crate::graph::{Csr, NodeId};

const NONE: u32 = u32::MAX;

/// The connected components of a graph, and the edges without which they would fall apart.
#[derive(Debug)]
pub(super) struct Connections {
    /// For every node, the first node that was found in its component.
    first: Vec<NodeId>,
    /// By that node, the number of nodes in the component.
    size: Vec<u32>,
    /// The node from which each node was reached; itself at the start of a component.
    parent: Vec<NodeId>,
    /// Whether the edge to that node is a bridge: no other path connects its ends.
    bridge: Vec<bool>,
}

impl Connections {
    /// One depth-first search (Tarjan 1974): `O(n + m)` time, five numbers per node.
    pub(super) fn new(graph: &Csr) -> Self {
        let nodes = graph.rows();
        let mut first = vec![NONE; nodes];
        let mut size = vec![0; nodes];
        let mut parent: Vec<NodeId> = (0..nodes as NodeId).collect();
        let mut bridge = vec![false; nodes];
        // The order of discovery, and the earliest node that the descendants of a node have an edge to.
        let (mut found, mut lowest) = (vec![NONE; nodes], vec![NONE; nodes]);
        let mut next = vec![0u32; nodes];
        let mut time = 0;
        for start in 0..nodes as NodeId {
            if found[start as usize] != NONE {
                continue;
            }
            let mut path = vec![start];
            let mut members = 0;
            while let Some(&node) = path.last() {
                let at = node as usize;
                if found[at] == NONE {
                    (found[at], lowest[at], first[at]) = (time, time, start);
                    time += 1;
                    members += 1;
                }
                if let Some(&other) = graph.row(at).get(next[at] as usize) {
                    next[at] += 1;
                    let there = other as usize;
                    if found[there] == NONE {
                        parent[there] = node;
                        path.push(other);
                    } else if other != parent[at] {
                        lowest[at] = lowest[at].min(found[there]);
                    }
                } else {
                    path.pop();
                    let above = parent[at] as usize;
                    if above != at {
                        bridge[at] = lowest[at] > found[above];
                        lowest[above] = lowest[above].min(lowest[at]);
                    }
                }
            }
            size[start as usize] = members;
        }
        Connections { first, size, parent, bridge }
    }

    /// The logarithm of one plus the number of nodes of the graph per node of the component that holds both,
    /// without the edge between them; 0 if they are not connected.
    pub(super) fn closeness(&self, i: usize, j: usize, linked: bool) -> f64 {
        let bridge = |a: usize, b: usize| self.parent[a] as usize == b && a != b && self.bridge[a];
        if self.first[i] != self.first[j] || linked && (bridge(i, j) || bridge(j, i)) {
            return 0.0;
        }
        let size = self.size[self.first[i] as usize];
        (self.first.len() as f64 / f64::from(size)).ln_1p()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Pair;
    use crate::seed::{Seed, Stream};

    /// Against a search from one end, without the edge.
    #[test]
    fn connections_equal_those_of_a_search() {
        for seed in 0..20 {
            let mut draw = Seed(seed).stream(Stream::Synth, 0);
            let mut edges: Vec<Pair> = (0..30)
                .map(|_| [draw.below(30), draw.below(30)])
                .filter(|p| p[0] != p[1])
                .map(crate::graph::ordered)
                .collect();
            edges.sort_unstable();
            edges.dedup();
            let graph = Csr::symmetric(30, &edges);
            let found = Connections::new(&graph);
            for i in 0..30usize {
                for j in (0..30).filter(|&j| j != i) {
                    let linked = graph.contains(i as u32, j as u32);
                    let own = crate::graph::ordered([i as u32, j as u32]);
                    let mut seen = vec![i];
                    let mut at = 0;
                    while at < seen.len() {
                        for &k in graph.row(seen[at]) {
                            let used = crate::graph::ordered([seen[at] as u32, k]) == own;
                            if !used && !seen.contains(&(k as usize)) {
                                seen.push(k as usize);
                            }
                        }
                        at += 1;
                    }
                    let expected = if seen.contains(&j) { (30.0 / seen.len() as f64).ln_1p() } else { 0.0 };
                    assert!((found.closeness(i, j, linked) - expected).abs() < 1e-12, "{seed}: {i} {j}");
                }
            }
        }
        assert!(Connections::new(&Csr::symmetric(0, &[])).first.is_empty());
    }
}
