//! Which edges train, validate and test, and which pairs are the negatives (paper, section 5.1).
//!
//! Everything that is learned sees the training graph alone. Two protocols for negatives exist and are never mixed: see
//! [`Protocol`].

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::exec::Exec;
use crate::graph::{Csr, Graph, Pair, ordered};
use crate::seed::{Draw, Seed, Stream};

/// What counts as a negative. Numbers of the two protocols cannot be compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// Negatives are verified: distinct pairs that are no edges of the whole graph.
    #[default]
    Clean,
    /// Negatives are unverified uniform pairs, as in the published code: on dense graphs many are true edges.
    Paper,
}

/// How edges are split.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SplitParams {
    /// Share of the edges that train (default 0.7).
    pub train: f64,
    /// Share of the edges that validate (default 0.1); the rest tests.
    pub valid: f64,
    /// What counts as a negative (default clean).
    pub protocol: Protocol,
}

impl Default for SplitParams {
    fn default() -> Self {
        SplitParams { train: 0.7, valid: 0.1, protocol: Protocol::Clean }
    }
}

impl SplitParams {
    /// Sets the protocol.
    #[must_use]
    pub fn protocol(mut self, protocol: Protocol) -> Self {
        self.protocol = protocol;
        self
    }

    fn validate(&self) -> Result<()> {
        if !(self.train > 0.0 && self.train < 1.0) {
            return Err(Error::param("train", self.train, "a share between 0 and 1"));
        }
        if !(self.valid > 0.0 && self.train + self.valid < 1.0) {
            return Err(Error::param("valid", self.valid, "a share above 0 that leaves edges to test"));
        }
        Ok(())
    }
}

/// Pairs to tell apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pairs {
    /// Edges.
    pub positives: Vec<Pair>,
    /// Pairs that should be no edges.
    pub negatives: Vec<Pair>,
}

impl Pairs {
    /// Positives, then negatives.
    pub(crate) fn all(&self) -> Vec<Pair> {
        self.positives.iter().chain(&self.negatives).copied().collect()
    }
}

/// A split as lists of pairs, from the caller's own files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkPairs {
    /// Training edges.
    pub train: Vec<Pair>,
    /// Validation pairs; negatives are drawn where there are none.
    pub valid: Pairs,
    /// Test pairs; negatives are drawn where there are none.
    pub test: Pairs,
}

/// A split of the edges: the training graph, and the pairs to validate and test on.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LinkSplit {
    /// Adjacency of the training graph.
    pub graph: Csr,
    /// Its edges, smaller node first, in random order.
    pub train: Vec<Pair>,
    /// Validation pairs.
    pub valid: Pairs,
    /// Test pairs.
    pub test: Pairs,
    /// How the negatives were drawn.
    pub protocol: Protocol,
}

/// Fewer edges cannot be split three ways in any useful sense.
const FEWEST_EDGES: usize = 20;

/// Splits the edges by a seeded permutation and draws as many negatives as positives for validation and test.
pub fn links(graph: &Graph, params: &SplitParams, seed: Seed, exec: &Exec) -> Result<LinkSplit> {
    params.validate()?;
    let mut edges = graph.edges();
    if edges.len() < FEWEST_EDGES {
        return Err(Error::Unsuitable {
            stage: "split",
            why: format!(
                "the graph is too small: {} edges, at least {FEWEST_EDGES} are needed to train, validate and test",
                edges.len()
            ),
        });
    }
    seed.stream(Stream::LinkSplit, 0).shuffle(&mut edges);
    let share = |ratio: f64| ((edges.len() as f64 * ratio).round() as usize).max(1);
    let valid_from = share(params.train);
    let test_from = (valid_from + share(params.valid)).min(edges.len() - 1);
    let pairs = LinkPairs {
        train: edges[..valid_from].to_vec(),
        valid: Pairs { positives: edges[valid_from..test_from].to_vec(), negatives: Vec::new() },
        test: Pairs { positives: edges[test_from..].to_vec(), negatives: Vec::new() },
    };
    links_given(graph, pairs, params, seed, exec)
}

/// Takes the caller's own split; draws negatives where it has none.
pub fn links_given(
    graph: &Graph,
    pairs: LinkPairs,
    params: &SplitParams,
    seed: Seed,
    exec: &Exec,
) -> Result<LinkSplit> {
    let bad = |what: String| Err(Error::InvalidSplit { what });
    let LinkPairs { train, mut valid, mut test } = pairs;
    for (name, set) in [
        ("training", &train),
        ("validation", &valid.positives),
        ("validation", &valid.negatives),
        ("test", &test.positives),
        ("test", &test.negatives),
    ] {
        if let Some([i, j]) = set.iter().find(|pair| pair.iter().any(|&v| v as usize >= graph.nodes())) {
            return bad(format!("{name} pair ({i}, {j}), but node ids must lie below {}", graph.nodes()));
        }
    }
    for (name, set) in [("training", &train), ("validation", &valid.positives), ("test", &test.positives)] {
        if set.is_empty() {
            return bad(format!("no {name} edges"));
        }
    }
    let mut edges: Vec<Pair> = train.iter().filter(|e| e[0] != e[1]).map(|&e| ordered(e)).collect();
    let mut seen = HashSet::with_capacity(edges.len());
    edges.retain(|&edge| seen.insert(edge));
    if edges.len() < train.len() {
        exec.notice(format!(
            "{} self loops or repeats among the training edges dropped",
            train.len() - edges.len()
        ));
    }
    let leaked =
        valid.positives.iter().chain(&test.positives).filter(|&&e| seen.contains(&ordered(e))).count();
    if leaked > 0 {
        return bad(format!("{leaked} validation or test edges are training edges too"));
    }
    let wanted = |set: &Pairs| if set.negatives.is_empty() { set.positives.len() } else { 0 };
    let (for_valid, for_test) = (wanted(&valid), wanted(&test));
    let mut draw = seed.stream(Stream::EvaluationNegatives, 0);
    let mut drawn = match params.protocol {
        Protocol::Paper => unverified(graph.nodes(), for_valid + for_test, &mut draw),
        Protocol::Clean => distinct_non_edges(graph.adjacency(), for_valid + for_test, &mut draw)?,
    };
    if for_test > 0 {
        test.negatives = drawn.split_off(for_valid);
    }
    if for_valid > 0 {
        valid.negatives = drawn;
    }
    let graph = Csr::symmetric(graph.nodes(), &edges);
    Ok(LinkSplit { graph, train: edges, valid, test, protocol: params.protocol })
}

impl LinkSplit {
    /// Random pairs to learn from. Only the training graph is looked at: a check against all edges would tell the
    /// learner where held-out edges are not.
    pub(crate) fn training_negatives(&self, count: usize, draw: &mut Draw) -> Result<Vec<Pair>> {
        let nodes = self.graph.rows();
        match self.protocol {
            Protocol::Paper => Ok(unverified(nodes, count, draw)),
            Protocol::Clean => {
                if free_pairs(&self.graph) == 0 {
                    return Err(too_dense(0, count));
                }
                Ok((0..count)
                    .map(|_| {
                        loop {
                            let pair = random_pair(nodes, draw);
                            if !self.graph.contains(pair[0], pair[1]) {
                                return pair;
                            }
                        }
                    })
                    .collect())
            }
        }
    }
}

fn random_pair(nodes: usize, draw: &mut Draw) -> Pair {
    let n = u32::try_from(nodes).expect("node ids fit in u32");
    let i = draw.below(n);
    // Skip i itself rather than reject it.
    let j = draw.below(n - 1);
    [i, j + u32::from(j >= i)]
}

fn unverified(nodes: usize, count: usize, draw: &mut Draw) -> Vec<Pair> {
    (0..count).map(|_| random_pair(nodes, draw)).collect()
}

fn free_pairs(adjacency: &Csr) -> usize {
    adjacency.rows() * (adjacency.rows() - 1) / 2 - adjacency.nnz() / 2
}

fn too_dense(free: usize, wanted: usize) -> Error {
    Error::Unsuitable {
        stage: "split",
        why: format!("the graph is too dense: {free} pairs are no edges, {wanted} negatives are needed"),
    }
}

/// `count` different pairs, none of them an edge.
fn distinct_non_edges(adjacency: &Csr, count: usize, draw: &mut Draw) -> Result<Vec<Pair>> {
    let free = free_pairs(adjacency);
    if free < count {
        return Err(too_dense(free, count));
    }
    if free < 3 * count {
        // So dense that rejection would crawl; listing the non-edges is then as cheap as listing the edges.
        let nodes = u32::try_from(adjacency.rows()).expect("node ids fit in u32");
        let mut all: Vec<Pair> = (0..nodes)
            .flat_map(|i| (i + 1..nodes).map(move |j| [i, j]))
            .filter(|p| !adjacency.contains(p[0], p[1]))
            .collect();
        draw.shuffle(&mut all);
        all.truncate(count);
        return Ok(all);
    }
    let mut seen = HashSet::with_capacity(count);
    let mut pairs = Vec::with_capacity(count);
    while pairs.len() < count {
        let pair = random_pair(adjacency.rows(), draw);
        if !adjacency.contains(pair[0], pair[1]) && seen.insert(ordered(pair)) {
            pairs.push(pair);
        }
    }
    Ok(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring(nodes: u32) -> Graph {
        let edges: Vec<Pair> = (0..nodes).map(|i| [i, (i + 1) % nodes]).collect();
        Graph::from_edges("ring", nodes as usize, &edges).unwrap()
    }

    #[test]
    fn a_split_is_a_partition_and_its_negatives_are_no_edges() {
        let exec = Exec::new(1).unwrap();
        let g = ring(100);
        let split = links(&g, &SplitParams::default(), Seed(3), &exec).unwrap();
        let sizes = (split.train.len(), split.valid.positives.len(), split.test.positives.len());
        assert_eq!(sizes, (70, 10, 20));
        assert_eq!((split.valid.negatives.len(), split.test.negatives.len()), (10, 20));
        let mut all: Vec<Pair> = [&split.train[..], &split.valid.positives, &split.test.positives].concat();
        all.sort_unstable();
        assert_eq!(all, g.edges());
        let mut negatives: Vec<Pair> =
            split.valid.negatives.iter().chain(&split.test.negatives).map(|&p| ordered(p)).collect();
        assert!(negatives.iter().all(|p| p[0] != p[1] && !g.adjacency().contains(p[0], p[1])));
        negatives.sort_unstable();
        negatives.dedup();
        assert_eq!(negatives.len(), 30);
        assert!(split.valid.positives.iter().all(|p| !split.graph.contains(p[0], p[1])));
    }

    #[test]
    fn dense_graphs_get_all_their_non_edges_or_a_clear_no() {
        let exec = Exec::new(1).unwrap();
        let all = |n: u32| (0..n).flat_map(move |i| (i + 1..n).map(move |j| [i, j]));
        // 15 nodes: 105 pairs, 75 edges, 30 free; the split needs 7 or 8 + 15 negatives.
        let edges: Vec<Pair> = all(15).take(75).collect();
        let g = Graph::from_edges("dense", 15, &edges).unwrap();
        let split = links(&g, &SplitParams::default(), Seed(0), &exec).unwrap();
        assert_eq!(split.test.negatives.len(), split.test.positives.len());
        let complete = Graph::from_edges("complete", 15, &all(15).collect::<Vec<_>>()).unwrap();
        let error = links(&complete, &SplitParams::default(), Seed(0), &exec).unwrap_err().to_string();
        assert!(error.contains("too dense"), "{error}");
        let small = links(&ring(8), &SplitParams::default(), Seed(0), &exec).unwrap_err().to_string();
        assert!(small.contains("too small") && small.contains("8 edges"), "{small}");
    }

    #[test]
    fn a_leaking_split_is_refused() {
        let exec = Exec::new(1).unwrap();
        let pairs = LinkPairs {
            train: vec![[0, 1], [1, 2]],
            valid: Pairs { positives: vec![[1, 0]], negatives: vec![] },
            test: Pairs { positives: vec![[3, 4]], negatives: vec![] },
        };
        let error = links_given(&ring(10), pairs, &SplitParams::default(), Seed(0), &exec).unwrap_err();
        assert!(error.to_string().contains("1 validation or test edges are training edges"), "{error}");
    }
}
