//! Small cliques inside classes and words that depend on the class: the built-in graph.

use crate::error::{Error, Result};
use crate::graph::{Csr, Features, Graph, Pair};
use crate::seed::{Draw, Seed, Stream};

/// Shape of a graph of communities: small cliques inside classes, a few edges across classes, words that
/// depend on the class.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Communities {
    /// Number of nodes.
    pub nodes: usize,
    /// Number of classes.
    pub classes: usize,
    /// Mean number of cliques of 3 to 6 nodes that a node is in.
    pub cliques_per_node: f64,
    /// Edges across classes, as a share of all.
    pub noise: f64,
    /// Number of binary features.
    pub features: usize,
    /// Number of words per node.
    pub words: usize,
    /// Share of the words that are drawn from the class's part of the vocabulary.
    pub signal: f64,
}

impl Default for Communities {
    fn default() -> Self {
        Communities {
            nodes: 1200,
            classes: 4,
            cliques_per_node: 1.6,
            noise: 0.1,
            features: 400,
            words: 12,
            signal: 0.3,
        }
    }
}

impl Communities {
    /// The same shape with this many nodes.
    #[must_use]
    pub fn nodes(mut self, nodes: usize) -> Self {
        self.nodes = nodes;
        self
    }
}

/// Generates a graph of communities. Node ids carry no meaning: they are shuffled.
pub fn communities(shape: &Communities, seed: Seed) -> Result<Graph> {
    if !(2..=1000).contains(&shape.classes) {
        return Err(Error::param("classes", shape.classes, "2 to 1000"));
    }
    if shape.nodes < 8 * shape.classes || shape.nodes > 1_000_000 {
        return Err(Error::param("nodes", shape.nodes, "at least 8 per class, at most 1000000"));
    }
    if shape.features < shape.classes || shape.features > 100_000 {
        return Err(Error::param("features", shape.features, "at least 1 per class, at most 100000"));
    }
    if !(0.0..=1.0).contains(&shape.noise) {
        return Err(Error::param("edge_noise", shape.noise, "a share of the edges, 0 to 1"));
    }
    let mut draw = seed.stream(Stream::Synth, 0);
    let count = |n: usize| u32::try_from(n).expect("generated graphs have fewer than 2^32 nodes");
    let mut order: Vec<u32> = (0..count(shape.nodes)).collect();
    draw.shuffle(&mut order);
    // Position p in the order belongs to class p · c / n; a node's id is order[p].
    let bounds: Vec<u32> = (0..=shape.classes).map(|c| count(c * shape.nodes / shape.classes)).collect();
    let member =
        |class: usize, draw: &mut Draw| bounds[class] + draw.below(bounds[class + 1] - bounds[class]);
    let mut edges: Vec<Pair> = Vec::new();
    let cliques = (shape.cliques_per_node * shape.nodes as f64 / 4.5) as usize;
    for _ in 0..cliques {
        let class = draw.below(count(shape.classes)) as usize;
        let size = 3 + draw.below(4);
        let members: Vec<u32> = (0..size).map(|_| member(class, &mut draw)).collect();
        for (at, &i) in members.iter().enumerate() {
            edges.extend(members[..at].iter().map(|&j| [i, j]));
        }
    }
    let across = (shape.noise * edges.len() as f64) as usize;
    for _ in 0..across {
        edges.push([draw.below(count(shape.nodes)), draw.below(count(shape.nodes))]);
    }
    let mut rows: Vec<Vec<u32>> = vec![Vec::new(); shape.nodes];
    let mut labels = vec![0i32; shape.nodes];
    let own = shape.features / shape.classes;
    for class in 0..shape.classes {
        for position in bounds[class]..bounds[class + 1] {
            let node = order[position as usize] as usize;
            labels[node] = i32::try_from(class).expect("few classes");
            let words = &mut rows[node];
            for _ in 0..shape.words {
                words.push(if draw.unit() < shape.signal {
                    count(class * own) + draw.below(count(own))
                } else {
                    draw.below(count(shape.features))
                });
            }
            words.sort_unstable();
            words.dedup();
        }
    }
    let edges: Vec<Pair> =
        edges.iter().filter(|e| e[0] != e[1]).map(|&e| e.map(|end| order[end as usize])).collect();
    let features = Csr::from_rows(
        shape.features,
        rows.into_iter().map(|row| {
            let ones = vec![1.0; row.len()];
            (row, ones)
        }),
    );
    let graph = Graph::from_edges("demo", shape.nodes, &edges)?;
    graph.with_features(Features::Sparse(features))?.with_labels(labels)
}
