//! Which edges train, validate and test, and which pairs are the negatives (paper, section 5.1).
//!
//! Everything that is learned sees the training graph alone. Two protocols for negatives exist and are never mixed: see
//! [`Protocol`].

pub mod check;
mod heart;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::exec::Exec;
use crate::graph::{Csr, Graph, NodeId, Pair, ordered};
use crate::metric;
use crate::seed::{Draw, Seed, Stream};

/// What counts as a negative. Numbers of the two protocols cannot be compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// Negatives are verified: distinct pairs that are no edges of the graph or of any set of the split.
    #[default]
    Clean,
    /// Negatives are unverified uniform pairs, as in the published code: on dense graphs many are true edges.
    Paper,
}

/// Which pairs a model has to tell from edges. Numbers of different kinds cannot be compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Negatives {
    /// Any pairs: most have ends of low degree that are far from each other.
    #[default]
    Uniform,
    /// Pairs whose ends have the degrees of the positives' ends.
    Degree,
    /// For each positive, [`HEART_EACH`] pairs that share an end with it and look like edges (HeaRT).
    Heart,
}

/// Hard negatives for each positive, as HeaRT's authors have it.
pub const HEART_EACH: usize = 500;

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
    /// Which negatives are drawn (default uniform).
    pub negatives: Negatives,
}

impl Default for SplitParams {
    fn default() -> Self {
        SplitParams { train: 0.7, valid: 0.1, protocol: Protocol::Clean, negatives: Negatives::Uniform }
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
        self.check_negatives()
    }

    fn check_negatives(&self) -> Result<()> {
        if self.protocol == Protocol::Paper && self.negatives != Negatives::Uniform {
            return Err(Error::param(
                "negatives",
                format!("{:?}", self.negatives),
                "uniform in the paper protocol",
            ));
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
    /// The first positives at most, and of the negatives that each of them has, some from the hardest to the easiest.
    pub(crate) fn thinned(&self, each: usize, most: usize, kept: usize) -> Pairs {
        let count = self.positives.len().min(most);
        let kept = kept.min(each);
        // A different place in the order for each positive: all grades of hardness are met, however few are kept.
        let of =
            |at: usize| (0..kept).map(move |k| self.negatives[at * each + (at + k * each / kept) % each]);
        Pairs { positives: self.positives[..count].to_vec(), negatives: (0..count).flat_map(of).collect() }
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
    /// How many negatives each positive has of its own, one after the other; 0 where all share them.
    pub each: usize,
    /// More negatives to make choices on, so that they hang less on chance; none in the paper protocol, none of the hard
    /// kind, and none where validation or test negatives are the caller's own.
    pub choice: Vec<Pair>,
    /// How the negatives were drawn.
    pub protocol: Protocol,
    /// Which negatives were drawn.
    pub negatives: Negatives,
}

impl LinkSplit {
    /// The adjacency of every edge that is known of: those of the graph and of the three sets. A split may hold edges that the
    /// graph does not list: OGB's graphs hold the training edges alone.
    pub(crate) fn known_edges<'a>(&self, graph: &'a Graph) -> Cow<'a, Csr> {
        let sets = [&self.train, &self.valid.positives, &self.test.positives];
        graph.adjacency_with(sets.into_iter().flatten())
    }

    /// Test edges that a training edge repeats: both ends have the features of its ends, and one at least is another node.
    pub(crate) fn repeats(&self, twins: &[NodeId]) -> usize {
        let mut shared = vec![false; twins.len()];
        for (node, &first) in (0..).zip(twins).filter(|(node, first)| node != *first) {
            shared[node as usize] = true;
            shared[first as usize] = true;
        }
        let features = |pair: &Pair| ordered(pair.map(|node| twins[node as usize]));
        let may = |pair: &&Pair| pair.iter().any(|&node| shared[node as usize]);
        let mut asked: HashMap<Pair, usize> = HashMap::new();
        self.test
            .positives
            .iter()
            .filter(may)
            .for_each(|pair| *asked.entry(features(pair)).or_default() += 1);
        // Every test edge is found once, however many training edges repeat it.
        let repeated = self.train.iter().filter(may).filter_map(|pair| asked.remove(&features(pair)));
        repeated.sum()
    }
}

/// How nodes are split, class by class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NodeSplitParams {
    /// Share of the labelled nodes of each class that trains (default 0.025).
    pub train: f64,
    /// Share that validates (default 0.025); the rest tests.
    pub valid: f64,
    /// Classes with fewer labelled nodes are dropped, their nodes counting as unlabelled (default 0: none are).
    pub min_class: usize,
}

impl Default for NodeSplitParams {
    fn default() -> Self {
        NodeSplitParams { train: 0.025, valid: 0.025, min_class: 0 }
    }
}

impl NodeSplitParams {
    pub(crate) fn validate(&self) -> Result<()> {
        if !(self.train > 0.0 && self.train < 1.0) {
            return Err(Error::param("train", self.train, "a share between 0 and 1"));
        }
        if !(self.valid > 0.0 && self.train + self.valid < 1.0) {
            return Err(Error::param("valid", self.valid, "a share above 0 that leaves nodes to test"));
        }
        Ok(())
    }
}

/// A split of the labelled nodes as lists, from the caller's own files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeSets {
    /// Training nodes.
    pub train: Vec<NodeId>,
    /// Validation nodes.
    pub valid: Vec<NodeId>,
    /// Test nodes.
    pub test: Vec<NodeId>,
}

/// A split of the labelled nodes. All nodes and all edges are seen; only labels are held out.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NodeSplit {
    /// Which nodes train, validate and test; ascending.
    pub sets: NodeSets,
    /// Class of every node, counted 0, 1, … without gaps; `None` where unknown or dropped.
    pub labels: Vec<Option<u32>>,
    /// The graph's own numbers of these classes.
    pub classes: Vec<i32>,
}

impl NodeSplit {
    /// Test nodes with the features of a training node.
    pub(crate) fn repeats(&self, twins: &[NodeId]) -> usize {
        let known: HashSet<NodeId> = self.sets.train.iter().map(|&node| twins[node as usize]).collect();
        self.sets.test.iter().filter(|&&node| known.contains(&twins[node as usize])).count()
    }

    /// Classes of these nodes.
    pub(crate) fn labels_of(&self, nodes: &[NodeId]) -> Vec<u32> {
        nodes.iter().map(|&node| self.labels[node as usize].expect("nodes of a split have labels")).collect()
    }
}

/// Fewest labelled nodes of a class: one to train, one to validate, one to test.
const FEWEST_OF_A_CLASS: usize = 3;

/// Splits the labelled nodes class by class, by seeded permutations.
pub fn nodes(graph: &Graph, params: &NodeSplitParams, seed: Seed, exec: &Exec) -> Result<NodeSplit> {
    params.validate()?;
    let (labels, classes) = known_labels(graph, params, exec)?;
    let mut sets = NodeSets::default();
    for (class, &own) in (0..).zip(&classes) {
        let mut members: Vec<NodeId> =
            (0..).zip(&labels).filter(|&(_, &label)| label == Some(class)).map(|(node, _)| node).collect();
        let count = members.len();
        if count < FEWEST_OF_A_CLASS {
            return Err(Error::Unsuitable {
                stage: "split",
                why: format!(
                    "class {own} has {count} labelled node{}, at least {FEWEST_OF_A_CLASS} are needed to train, validate \
                     and test; --min-class {FEWEST_OF_A_CLASS} drops such classes",
                    if count == 1 { "" } else { "s" }
                ),
            });
        }
        seed.stream(Stream::NodeSplit, u64::from(class)).shuffle(&mut members);
        let share = |ratio: f64| ((count as f64 * ratio).round() as usize).max(1);
        let valid_from = share(params.train).min(count - 2);
        let test_from = (valid_from + share(params.valid)).min(count - 1);
        sets.train.extend(&members[..valid_from]);
        sets.valid.extend(&members[valid_from..test_from]);
        sets.test.extend(&members[test_from..]);
    }
    for set in [&mut sets.train, &mut sets.valid, &mut sets.test] {
        set.sort_unstable();
    }
    Ok(NodeSplit { sets, labels, classes })
}

/// Takes the caller's own split of the nodes. Nodes without a label are left out of the sets with a notice.
pub fn nodes_given(
    graph: &Graph,
    sets: &NodeSets,
    params: &NodeSplitParams,
    exec: &Exec,
) -> Result<NodeSplit> {
    let bad = |what: String| Err(Error::InvalidSplit { what });
    let (labels, classes) = known_labels(graph, params, exec)?;
    let mut owner = vec![None; graph.nodes()];
    let mut unlabelled = 0;
    let mut kept = NodeSets::default();
    for (name, own, out) in [
        ("training", &sets.train, &mut kept.train),
        ("validation", &sets.valid, &mut kept.valid),
        ("test", &sets.test, &mut kept.test),
    ] {
        for &node in own {
            let Some(slot) = owner.get_mut(node as usize) else {
                return bad(format!("{name} node {node}, but node ids must lie below {}", graph.nodes()));
            };
            if let Some(other) = slot.replace(name) {
                return bad(format!("node {node} stands in the {other} set and in the {name} set"));
            }
            if labels[node as usize].is_some() {
                out.push(node);
            } else {
                unlabelled += 1;
            }
        }
        if out.is_empty() {
            return bad(format!("no labelled {name} nodes"));
        }
        out.sort_unstable();
    }
    if unlabelled > 0 {
        exec.notice(format!("{unlabelled} nodes of the split have no label and are left out"));
    }
    let split = NodeSplit { sets: kept, labels, classes };
    let mut seen = vec![false; split.classes.len()];
    for class in split.labels_of(&split.sets.train) {
        seen[class as usize] = true;
    }
    let learned = split.labels_of(&[&split.sets.train[..], &split.sets.valid].concat());
    if learned.iter().all(|&class| class == learned[0]) {
        return bad(format!(
            "all training and validation nodes have class {}; at least two classes are needed to learn from",
            split.classes[learned[0] as usize]
        ));
    }
    if let Some(missing) = seen.iter().position(|&seen| !seen) {
        exec.notice(format!(
            "class {} has no training node and can never be predicted",
            split.classes[missing]
        ));
    }
    Ok(split)
}

/// Labels counted without gaps, and the graph's own numbers for them; small classes dropped.
fn known_labels(
    graph: &Graph,
    params: &NodeSplitParams,
    exec: &Exec,
) -> Result<(Vec<Option<u32>>, Vec<i32>)> {
    let unsuitable = |why: String| Err(Error::Unsuitable { stage: "split", why });
    let Some(own) = graph.labels() else {
        return unsuitable("the graph has no labels; node classification needs them".into());
    };
    let mut counts = vec![0usize; graph.classes()];
    for &label in own.iter().filter(|&&label| label >= 0) {
        counts[label as usize] += 1;
    }
    let kept = |&class: &i32| counts[class as usize] >= params.min_class.max(1);
    let top = i32::try_from(counts.len()).expect("labels are 32 bits");
    let classes: Vec<i32> = (0..top).filter(kept).collect();
    let dropped: Vec<String> =
        (0..top).filter(|c| counts[*c as usize] > 0 && !kept(c)).map(|c| c.to_string()).collect();
    if !dropped.is_empty() {
        exec.notice(format!(
            "classes with fewer than {} labelled nodes dropped: {}",
            params.min_class,
            dropped.join(", ")
        ));
    }
    if classes.len() < 2 {
        return unsuitable(format!(
            "{} with labelled nodes; at least two classes are needed{}",
            if classes.is_empty() { "no class" } else { "only one class" },
            if own.iter().any(|&label| label < 0) { " (a label of -1 means unknown)" } else { "" }
        ));
    }
    let number = |label: &i32| classes.binary_search(label).ok().map(|at| at as u32);
    Ok((own.iter().map(number).collect(), classes))
}

/// Fewer edges cannot be split three ways in any useful sense.
const FEWEST_EDGES: usize = 20;

/// Negatives that choices are made on, for each test negative, and in all at least and at most.
const CHOICE_FACTOR: usize = 4;
const CHOICE_LEAST: usize = 20_000;
const CHOICE_MOST: usize = 400_000;

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
    let valid_from = share(params.train).min(edges.len() - 2);
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
    params.check_negatives()?;
    let bad = |what: String| Err(Error::InvalidSplit { what });
    let LinkPairs { train, valid, test } = pairs;
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
    let name = |[i, j]: Pair| format!("({}, {})", graph.node_name(i as usize), graph.node_name(j as usize));
    let loops = |set: &[Pair]| set.iter().copied().filter(|pair| pair[0] == pair[1]).collect::<Vec<_>>();
    for (set, held_out) in [("validation", &valid), ("test", &test)] {
        if let Some(&pair) = loops(&held_out.positives).first() {
            return bad(format!(
                "{set} edge {} is a self loop; a held-out edge joins two different nodes: remove it",
                name(pair)
            ));
        }
        let self_negatives = loops(&held_out.negatives);
        if let [pair, ..] = self_negatives[..] {
            let count = self_negatives.len();
            exec.notice(format!(
                "{count} of {} {set} negatives {}, such as {}; no edge is one, so they make the task easier",
                held_out.negatives.len(),
                if count == 1 { "is a self loop" } else { "are self loops" },
                name(pair)
            ));
        }
    }
    let mut edges: Vec<Pair> = train.iter().filter(|e| e[0] != e[1]).map(|&e| ordered(e)).collect();
    let mut seen = HashSet::with_capacity(edges.len());
    edges.retain(|&edge| seen.insert(edge));
    if edges.is_empty() {
        return bad("all training edges are self loops".into());
    }
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
    if params.negatives != Negatives::Uniform && (for_valid == 0 || for_test == 0) {
        return bad(
            "the split has negatives of its own, so there are none to draw of the kind asked for".into()
        );
    }
    let training = Csr::symmetric(graph.nodes(), &edges);
    let mut draw = seed.stream(Stream::EvaluationNegatives, 0);
    let mut split = LinkSplit {
        graph: training,
        train: edges,
        valid,
        test,
        each: 0,
        choice: Vec::new(),
        protocol: params.protocol,
        negatives: params.negatives,
    };
    // A drawn negative that is an edge anywhere would count against the model that finds it.
    let all = &*split.known_edges(graph);
    let LinkSplit { graph: training, valid, test, .. } = &mut split;
    match (params.protocol, params.negatives) {
        (Protocol::Clean, Negatives::Heart) => {
            let positives = [&valid.positives[..], &test.positives];
            let found = heart::hard(training, all, graph.features(), positives, HEART_EACH, seed, exec)?;
            [valid.negatives, test.negatives] = found;
            split.each = HEART_EACH;
            return Ok(split);
        }
        (Protocol::Clean, Negatives::Degree) => {
            let mut seen = HashSet::new();
            valid.negatives = matched_non_edges(all, &valid.positives, for_valid, &mut seen, &mut draw)?;
            test.negatives = matched_non_edges(all, &test.positives, for_test, &mut seen, &mut draw)?;
        }
        (protocol, _) => {
            let mut drawn = match protocol {
                Protocol::Paper => unverified(graph.nodes(), for_valid + for_test, &mut draw),
                Protocol::Clean => distinct_non_edges(all, for_valid + for_test, &mut draw)?,
            };
            if for_test > 0 {
                test.negatives = drawn.split_off(for_valid);
            }
            if for_valid > 0 {
                valid.negatives = drawn;
            }
        }
    }
    if params.protocol == Protocol::Clean && for_valid > 0 && for_test > 0 {
        let known: HashSet<Pair> =
            split.valid.negatives.iter().chain(&split.test.negatives).map(|&pair| ordered(pair)).collect();
        let free = free_pairs(all) - known.len();
        let wanted = (CHOICE_FACTOR * for_test).clamp(CHOICE_LEAST, CHOICE_MOST).min(free / 2) + known.len();
        let mut draw = seed.stream(Stream::ChoiceNegatives, 0);
        split.choice = match params.negatives {
            Negatives::Degree => {
                matched_non_edges(all, &split.valid.positives, wanted, &mut HashSet::new(), &mut draw)?
            }
            _ => distinct_non_edges(all, wanted, &mut draw)?,
        };
        split.choice.retain(|&pair| !known.contains(&ordered(pair)));
    }
    Ok(split)
}

impl LinkSplit {
    /// For each of these held-out edges one pair that is no edge of `all`, its ends taken from two of them: how often a node occurs, and the edges
    /// that the split took from it, separate these from edges no longer. None where there are no such pairs.
    pub(crate) fn matched(all: &Csr, edges: &[Pair], unit: u64, seed: Seed) -> Option<Vec<Pair>> {
        let mut draw = seed.stream(Stream::MatchedNegatives, unit);
        matched_non_edges(all, edges, edges.len(), &mut HashSet::new(), &mut draw).ok()
    }

    /// Uniform pairs that are no edges of `all`, to calibrate probabilities on: the negatives that choices are made on where they are such.
    pub(crate) fn calibration_pairs<'a>(&'a self, all: &Csr, seed: Seed) -> Cow<'a, [Pair]> {
        if self.negatives == Negatives::Uniform && self.choice.len() >= self.test.negatives.len() {
            return Cow::Borrowed(&self.choice);
        }
        let wanted = (CHOICE_FACTOR * self.test.positives.len()).clamp(CHOICE_LEAST, CHOICE_MOST);
        let mut draw = seed.stream(Stream::CalibrationNegatives, 0);
        Cow::Owned(distinct_non_edges(all, wanted.min(free_pairs(all) / 2), &mut draw).unwrap_or_default())
    }

    /// How well the degrees of the training graph alone separate validation edges from the other validation pairs. Below 0.5 where held-out
    /// edges join nodes of low training degree: the mark of the split itself on graphs whose degrees are all alike.
    pub(crate) fn degree_auc(&self) -> f64 {
        let degree = |node: u32| self.graph.row(node as usize).len() as f64;
        let score = |pair: &Pair| degree(pair[0]).ln_1p() + degree(pair[1]).ln_1p();
        let scores = |pairs: &[Pair]| pairs.iter().map(score).collect::<Vec<_>>();
        metric::auc(&scores(&self.valid.positives), &scores(&self.valid.negatives))
    }

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
                if self.negatives == Negatives::Degree {
                    return Ok((0..count).map(|_| matched_pair(&self.graph, &self.train, draw)).collect());
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

/// A pair that is no edge, its ends taken from two edges: nodes come up as often as in edges. Where that fails again and
/// again, any pair.
fn matched_pair(adjacency: &Csr, edges: &[Pair], draw: &mut Draw) -> Pair {
    let count = u32::try_from(edges.len()).expect("edges of a split fit in u32");
    for _ in 0..1000 {
        let [i, j] = [(); 2].map(|()| edges[draw.below(count) as usize][draw.below(2) as usize]);
        if i != j && !adjacency.contains(i, j) {
            return [i, j];
        }
    }
    loop {
        let pair = random_pair(adjacency.rows(), draw);
        if !adjacency.contains(pair[0], pair[1]) {
            return pair;
        }
    }
}

/// `count` pairs that are no edges, with the degrees of these edges; ones not seen before, as long as there are any.
fn matched_non_edges(
    adjacency: &Csr,
    edges: &[Pair],
    count: usize,
    seen: &mut HashSet<Pair>,
    draw: &mut Draw,
) -> Result<Vec<Pair>> {
    if free_pairs(adjacency) == 0 {
        return Err(too_dense(0, count));
    }
    let mut pairs = Vec::with_capacity(count);
    let mut tries = 0;
    while pairs.len() < count {
        let pair = matched_pair(adjacency, edges, draw);
        tries += 1;
        if seen.insert(ordered(pair)) || tries > 20 * count {
            pairs.push(pair);
        }
    }
    Ok(pairs)
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
    fn repeats_are_counted_once() {
        let exec = Exec::new(1).unwrap();
        // 0, 1 and 2 have the same features, and so have 3 and 4.
        let twins = [0, 0, 0, 3, 3, 5, 6];
        let graph = Graph::from_edges("g", 7, &[[0, 3], [1, 4], [5, 6], [0, 5]]).unwrap();
        let pairs = LinkPairs {
            train: vec![[0, 3], [0, 5], [1, 5]],
            valid: Pairs { positives: vec![[0, 1]], negatives: vec![[2, 6]] },
            test: Pairs { positives: vec![[4, 1], [2, 5], [5, 6], [3, 5]], negatives: vec![[2, 6]] },
        };
        let split = links_given(&graph, pairs, &SplitParams::default(), Seed(0), &exec).unwrap();
        assert_eq!(split.repeats(&twins), 2);
        let sets = NodeSets { train: vec![0, 5], valid: vec![3], test: vec![1, 2, 4, 6] };
        let split = NodeSplit { sets, labels: Vec::new(), classes: Vec::new() };
        assert_eq!(split.repeats(&twins), 2);
    }

    #[test]
    fn matched_negatives_have_the_degrees_of_edges() {
        let exec = Exec::new(2).unwrap();
        // A hub with 120 neighbours among nodes with two or three.
        let mut edges: Vec<Pair> = (0..400).map(|i| [i, (i + 1) % 400]).collect();
        edges.extend((2..122).map(|i| [0, i]));
        let graph = Graph::from_edges("hub", 400, &edges).unwrap();
        let share = |pairs: &[Pair]| {
            pairs.iter().filter(|pair| pair.contains(&0)).count() as f64 / pairs.len() as f64
        };
        let with = |negatives| {
            let params = SplitParams { negatives, ..SplitParams::default() };
            links(&graph, &params, Seed(1), &exec).unwrap()
        };
        let (uniform, degree) = (with(Negatives::Uniform), with(Negatives::Degree));
        assert!(share(&uniform.choice) < 0.02);
        assert!((share(&degree.choice) - share(&edges)).abs() < 0.15, "{}", share(&degree.choice));
        let train =
            degree.training_negatives(500, &mut Seed(0).stream(Stream::TrainingNegatives, 0)).unwrap();
        assert!(share(&train) > 0.1);
        for pair in degree.test.negatives.iter().chain(&degree.choice) {
            assert!(!graph.adjacency().contains(pair[0], pair[1]));
        }
    }

    #[test]
    fn shares_near_one_leave_something_for_every_set() {
        let exec = Exec::new(1).unwrap();
        let params = SplitParams { train: 0.98, valid: 0.01, ..SplitParams::default() };
        let split = links(&ring(20), &params, Seed(0), &exec).unwrap();
        let sizes = (split.train.len(), split.valid.positives.len(), split.test.positives.len());
        assert_eq!(sizes, (18, 1, 1));
    }

    #[test]
    fn hubs_and_small_graphs_under_hard_negatives() {
        let exec = Exec::new(1).unwrap();
        let params = SplitParams { negatives: Negatives::Heart, ..SplitParams::default() };
        let star: Vec<Pair> = (1..40).map(|leaf| [0, leaf]).collect();
        let star = Graph::from_edges("star", 40, &star).unwrap();
        let error = links(&star, &params, Seed(0), &exec).unwrap_err().to_string();
        assert!(error.contains("linked to all others"), "{error}");
        // Fewer nodes than pairs are needed: they come again, and are never edges.
        let split = links(&ring(30), &params, Seed(0), &exec).unwrap();
        assert_eq!(split.test.negatives.len(), split.test.positives.len() * HEART_EACH);
        let ring = ring(30);
        assert!(split.test.negatives.iter().all(|p| p[0] != p[1] && !ring.adjacency().contains(p[0], p[1])));
        let loops = LinkPairs {
            train: vec![[1, 1]],
            valid: Pairs { positives: vec![[1, 0]], negatives: vec![] },
            test: Pairs { positives: vec![[3, 4]], negatives: vec![] },
        };
        let error =
            links_given(&ring, loops, &SplitParams::default(), Seed(0), &exec).unwrap_err().to_string();
        assert!(error.contains("self loops"), "{error}");
    }

    #[test]
    fn hard_negatives_share_an_end_with_their_edge_and_look_like_edges() {
        let exec = Exec::new(2).unwrap();
        let graph = crate::synth::named("demo", Seed(0), &Exec::new(1).unwrap()).unwrap();
        let params = SplitParams { negatives: Negatives::Heart, ..SplitParams::default() };
        let split = links(&graph, &params, Seed(1), &exec).unwrap();
        assert_eq!(split.each, HEART_EACH);
        let common = |[i, j]: Pair| {
            split.graph.row(i as usize).iter().filter(|k| split.graph.row(j as usize).contains(k)).count()
        };
        let mut near = 0;
        for set in [&split.valid, &split.test] {
            assert_eq!(set.negatives.len(), set.positives.len() * HEART_EACH);
            for (positive, own) in set.positives.iter().zip(set.negatives.chunks_exact(HEART_EACH)) {
                assert!(own[..HEART_EACH / 2].iter().all(|pair| pair.contains(&positive[0])));
                assert!(own[HEART_EACH / 2..].iter().all(|pair| pair.contains(&positive[1])));
                assert!(own.iter().all(|pair| !graph.adjacency().contains(pair[0], pair[1])));
                near += own.iter().take(10).map(|&pair| common(pair)).sum::<usize>();
            }
        }
        let positives = split.valid.positives.len() + split.test.positives.len();
        assert!(near as f64 > 0.5 * 10.0 * positives as f64, "the first ones have neighbours in common");
        let thin = split.valid.thinned(HEART_EACH, 5, 7);
        assert_eq!((thin.positives.len(), thin.negatives.len()), (5, 35));
        assert!(
            thin.negatives
                .chunks_exact(7)
                .zip(&thin.positives)
                .all(|(own, p)| { own.iter().all(|pair| pair.contains(&p[0]) || pair.contains(&p[1])) })
        );
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
    fn nodes_are_split_class_by_class() {
        let exec = Exec::new(1).unwrap();
        let labels: Vec<i32> = (0..200).map(|i| if i == 7 { -1 } else { [0, 0, 0, 3][i % 4] }).collect();
        let g = ring(200).with_labels(labels).unwrap();
        let params = NodeSplitParams { train: 0.1, valid: 0.2, min_class: 0 };
        let split = nodes(&g, &params, Seed(1), &exec).unwrap();
        assert_eq!(split.classes, [0, 3]);
        // 150 nodes of class 0, 49 of class 3; node 7 has no label and is nowhere.
        assert_eq!(
            (split.sets.train.len(), split.sets.valid.len(), split.sets.test.len()),
            (15 + 5, 30 + 10, 105 + 34)
        );
        let mut all = [&split.sets.train[..], &split.sets.valid, &split.sets.test].concat();
        all.sort_unstable();
        assert_eq!(all, (0..200).filter(|&i| i != 7).collect::<Vec<_>>());
        let of_three = |nodes: &[NodeId]| split.labels_of(nodes).iter().filter(|&&c| c == 1).count();
        assert_eq!((of_three(&split.sets.train), of_three(&split.sets.valid)), (5, 10));
    }

    #[test]
    fn labels_that_cannot_be_split_are_named() {
        let exec = Exec::new(1).unwrap();
        let error = |labels: Option<Vec<i32>>, params: NodeSplitParams| {
            let g = ring(30);
            let g = labels.map_or(g.clone(), |labels| g.with_labels(labels).unwrap());
            nodes(&g, &params, Seed(0), &exec).unwrap_err().to_string()
        };
        let plain = NodeSplitParams::default();
        assert!(error(None, plain.clone()).contains("no labels"));
        assert!(error(Some(vec![2; 30]), plain.clone()).contains("only one class"));
        let mut lone = vec![0; 30];
        lone[4] = 1;
        let said = error(Some(lone.clone()), plain);
        assert!(said.contains("class 1 has 1 labelled node,") && said.contains("--min-class 3"), "{said}");
        let dropping = NodeSplitParams { min_class: 3, ..NodeSplitParams::default() };
        assert!(error(Some(lone), dropping).contains("only one class"));
        assert!(exec.notices().iter().any(|n| n.contains("dropped: 1")));
    }

    #[test]
    fn own_node_sets_of_one_class_are_refused() {
        let exec = Exec::new(1).unwrap();
        let g = ring(30).with_labels((0..30).map(|i| i % 2).collect()).unwrap();
        let given = |valid: Vec<NodeId>| {
            let sets = NodeSets { train: vec![0, 2, 4], valid, test: vec![5, 7, 10] };
            nodes_given(&g, &sets, &NodeSplitParams::default(), &exec)
        };
        let error = given(vec![6, 8]).unwrap_err().to_string();
        assert!(error.contains("all training and validation nodes have class 0"), "{error}");
        assert!(given(vec![6, 9]).is_ok());
    }

    #[test]
    fn own_node_sets_must_not_overlap() {
        let exec = Exec::new(1).unwrap();
        let g = ring(30).with_labels((0..30).map(|i| i % 2).collect()).unwrap();
        let sets = NodeSets { train: vec![0, 1, 2], valid: vec![3, 4], test: vec![5, 2] };
        let error = nodes_given(&g, &sets, &NodeSplitParams::default(), &exec).unwrap_err().to_string();
        assert!(error.contains("node 2 stands in the training set and in the test set"), "{error}");
    }

    /// A graph of training edges alone, as OGB has it: the other edges stand in the split.
    fn training_only() -> (Graph, LinkPairs, HashSet<Pair>) {
        let (n, mut draw) = (60, Seed(4).stream(Stream::Synth, 0));
        let mut edges: Vec<Pair> = (0..n).flat_map(|i| (i + 1..n).map(move |j| [i, j])).collect();
        draw.shuffle(&mut edges);
        edges.truncate(900);
        let graph = Graph::from_edges("training", n as usize, &edges[..400]).unwrap();
        let held_out = |own: &[Pair]| Pairs { positives: own.to_vec(), negatives: Vec::new() };
        let pairs = LinkPairs {
            train: edges[..400].to_vec(),
            valid: held_out(&edges[400..600]),
            test: held_out(&edges[600..]),
        };
        (graph, pairs, edges.into_iter().map(ordered).collect())
    }

    #[test]
    fn drawn_negatives_are_no_edges_of_any_set() {
        let exec = Exec::new(1).unwrap();
        let (graph, pairs, edges) = training_only();
        for negatives in [Negatives::Uniform, Negatives::Degree, Negatives::Heart] {
            let params = SplitParams { negatives, ..SplitParams::default() };
            let split = links_given(&graph, pairs.clone(), &params, Seed(0), &exec).unwrap();
            let drawn = [&split.valid.negatives, &split.test.negatives, &split.choice];
            assert!(drawn[..2].iter().all(|drawn| !drawn.is_empty()));
            let bad = drawn.into_iter().flatten().filter(|&&pair| edges.contains(&ordered(pair))).count();
            assert_eq!(bad, 0, "{negatives:?}");
        }
        // 1770 pairs, 900 of them edges: the rest cannot serve 500 held-out edges twice.
        let mut more = pairs;
        let free =
            (0..60).flat_map(|i| (i + 1..60).map(move |j| [i, j])).filter(|pair| !edges.contains(pair));
        more.test.positives.extend(free.take(500));
        let error =
            links_given(&graph, more, &SplitParams::default(), Seed(0), &exec).unwrap_err().to_string();
        assert!(error.contains("370 pairs are no edges, 1000 negatives"), "{error}");
    }

    #[test]
    fn self_loops_among_held_out_pairs_are_named() {
        let exec = Exec::new(1).unwrap();
        let names = (0..10).map(|node| format!("n{node}")).collect();
        let graph = ring(10).with_ids(names);
        let given = |positive: Pair, negative: Pair| {
            let pairs = LinkPairs {
                train: vec![[0, 1], [1, 2]],
                valid: Pairs { positives: vec![[2, 3]], negatives: vec![[0, 5]] },
                test: Pairs { positives: vec![[3, 4], positive], negatives: vec![[1, 6], negative] },
            };
            links_given(&graph, pairs, &SplitParams::default(), Seed(0), &exec)
        };
        let error = given([7, 7], [2, 6]).unwrap_err().to_string();
        assert!(error.contains("test edge (n7, n7) is a self loop"), "{error}");
        given([4, 5], [8, 8]).unwrap();
        let notices = exec.notices();
        assert!(
            notices.iter().any(|n| n.contains("1 of 2 test negatives is a self loop, such as (n8, n8)")),
            "{notices:?}"
        );
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
