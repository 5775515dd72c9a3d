//! Checks of splits: leaks, overlaps, negatives that are edges or too easy, features that leak the target.
//!
//! Nothing is fitted. Eight limits define leaks and negatives that are too easy; they are public constants
//! and stated in every finding.

mod leaks;
mod order;

use std::collections::HashSet;

use serde::Serialize;

use self::leaks::{features_that_know_classes, features_that_know_edges};
use super::{LinkPairs, NodeSets, Pairs};
use crate::error::{Error, Result};
use crate::exec::Exec;
use crate::graph::{Csr, Graph, NodeId, Pair, Target, facts, ordered};
use crate::metric;

/// AUC of the training degrees alone from which negatives count as far too easy.
pub const EASY_AUC: f64 = 0.8;
/// Partial correlation of a feature with the held-out degree, given the training degree, from which it counts
/// as a leak.
pub const LEAK_CORRELATION: f64 = 0.9;
/// Normalised score about the classes from which a single feature counts as a leak.
pub const LEAK_SCORE: f64 = 0.9;
/// F1 of a nonzero feature against one class from which it counts as a leak.
pub const LEAK_F1: f64 = 0.99;
/// Minimum number of held-out edges that feature columns, each marking exactly the neighbours of a node, must
/// contain together to count as a leak: a rare word may mark a few by chance.
pub const LEAK_EDGES: usize = 20;
/// Minimum share of all held-out edges for the same finding.
pub const LEAK_SHARE: f64 = 0.05;

/// How much further from 0.5 the AUC of training degrees must lie than the AUC of degrees in all known edges,
/// on the same pairs, for the split itself to count as the cause.
pub const MARK_AUC: f64 = 0.05;
/// Minimum of the same difference in standard errors.
pub const MARK_ERRORS: f64 = 3.0;

/// Every kind of finding about a split of links.
pub const LINK_KINDS: [&str; 21] = [
    "empty-set",
    "test-in-training",
    "validation-in-training",
    "test-in-validation",
    "shared-negatives",
    "test-negatives-are-edges",
    "validation-negatives-are-edges",
    "not-in-graph",
    "self-loops",
    "inside-one-side",
    "held-out-in-context",
    "repeated-pairs",
    "duplicated-nodes",
    "test-negatives-too-easy",
    "validation-negatives-too-easy",
    "split-marks-degrees",
    "features-hold-neighbours",
    "features-hold-degrees",
    "training-after-validation",
    "training-after-test",
    "validation-after-test",
];
/// Every kind of finding about a split of nodes.
pub const NODE_KINDS: [&str; 10] = [
    "empty-set",
    "test-in-training",
    "validation-in-training",
    "test-in-validation",
    "repeated-nodes",
    "unlabelled",
    "class-not-in-training",
    "duplicated-nodes",
    "test-repeats-training",
    "features-hold-classes",
];

/// Minimum number of nodes of a class, or of neighbours of a node, for a feature that marks them to be
/// evidence.
const FEWEST: usize = 3;
/// Number of bins of a feature for its information about the classes.
const BINS: usize = 32;
/// Number of examples per finding.
const EXAMPLES: usize = 3;

/// A problem of a split.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// An identifier for scripts, such as `test-in-training`.
    pub kind: &'static str,
    /// Description of the problem, without the examples.
    pub what: String,
    /// Number of cases.
    pub count: usize,
    /// A few examples, by the users' own ids.
    pub examples: Vec<String>,
}

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Checked {
    /// The problems that were found.
    pub findings: Vec<Finding>,
    /// The checks that were run.
    pub checks: Vec<&'static str>,
    /// The checks that could not be run, and why.
    pub skipped: Vec<&'static str>,
}

/// Pairs in ascending order, each once. A hash set of all training edges would need more than twice the memory.
struct SortedPairs(Vec<Pair>);

impl SortedPairs {
    fn contains(&self, pair: Pair) -> bool {
        self.0.binary_search(&pair).is_ok()
    }

    fn iter(&self) -> impl Iterator<Item = &Pair> {
        self.0.iter()
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}

impl FromIterator<Pair> for SortedPairs {
    fn from_iter<I: IntoIterator<Item = Pair>>(pairs: I) -> Self {
        let mut sorted: Vec<Pair> = pairs.into_iter().collect();
        sorted.sort_unstable();
        sorted.dedup();
        SortedPairs(sorted)
    }
}

/// Collects findings.
struct SplitFindings<'a> {
    graph: &'a Graph,
    found: Checked,
}

impl SplitFindings<'_> {
    fn name(&self, node: NodeId) -> String {
        self.graph.ids().map_or_else(|| node.to_string(), |ids| ids[node as usize].clone())
    }

    fn pair(&self, pair: Pair) -> String {
        format!("({}, {})", self.name(pair[0]), self.name(pair[1]))
    }

    /// Adds a finding about pairs, if there are any.
    fn pairs(&mut self, kind: &'static str, bad: &[Pair], what: impl FnOnce(usize) -> String) {
        let examples = bad.iter().take(EXAMPLES).map(|&pair| self.pair(pair)).collect();
        self.note(kind, bad.len(), examples, what);
    }

    /// Adds a finding about nodes, if there are any.
    fn nodes(&mut self, kind: &'static str, bad: &[NodeId], what: impl FnOnce(usize) -> String) {
        let examples = bad.iter().take(EXAMPLES).map(|&node| self.name(node)).collect();
        self.note(kind, bad.len(), examples, what);
    }

    fn note(
        &mut self,
        kind: &'static str,
        count: usize,
        examples: Vec<String>,
        what: impl FnOnce(usize) -> String,
    ) {
        if !self.found.checks.contains(&kind) {
            self.found.checks.push(kind);
        }
        if count > 0 {
            self.found.findings.push(Finding { kind, what: what(count), count, examples });
        }
    }
}

/// Checks a split of the edges of a graph.
pub fn links(graph: &Graph, pairs: &LinkPairs, exec: &Exec) -> Result<Checked> {
    let graph = &*graph.with_sides_of(pairs.edges(), exec);
    let mut findings = SplitFindings {
        graph,
        found: Checked { findings: Vec::new(), checks: Vec::new(), skipped: Vec::new() },
    };
    let parts: [(&str, &[Pair]); 5] = [
        ("training", &pairs.train),
        ("validation", &pairs.valid.positives),
        ("test", &pairs.test.positives),
        ("validation negative", &pairs.valid.negatives),
        ("test negative", &pairs.test.negatives),
    ];
    for (name, part) in parts {
        if let Some([i, j]) = part.iter().find(|pair| pair.iter().any(|&v| v as usize >= graph.nodes())) {
            let what = format!("{name} pair ({i}, {j}), but node ids must lie below {}", graph.nodes());
            return Err(Error::InvalidSplit { what });
        }
    }
    for (name, part) in &parts[..3] {
        findings.note("empty-set", usize::from(part.is_empty()), Vec::new(), |_| {
            format!("there are no {name} edges")
        });
    }
    exec.check()?;
    let sets: Vec<SortedPairs> =
        parts.iter().map(|(_, part)| part.iter().map(|&pair| ordered(pair)).collect()).collect();
    let shared = |part: &[Pair], other: &SortedPairs| -> Vec<Pair> {
        part.iter().copied().filter(|&pair| other.contains(ordered(pair))).collect()
    };

    for (at, kind) in [(2, "test-in-training"), (1, "validation-in-training")] {
        let (name, part) = parts[at];
        let bad = shared(part, &sets[0]);
        let listed: HashSet<Pair> = bad.iter().copied().collect();
        let listed: HashSet<Pair> =
            pairs.train.iter().copied().filter(|pair| listed.contains(pair)).collect();
        let reversed = bad.iter().filter(|&pair| !listed.contains(pair)).count();
        findings.pairs(kind, &bad, |n| {
            let side = if reversed > 0 {
                format!(", {reversed} of them in reverse direction")
            } else {
                String::new()
            };
            format!("{n} of {} {name} edges are training edges{side}", part.len())
        });
    }
    findings.pairs("test-in-validation", &shared(parts[2].1, &sets[1]), |n| {
        format!("{n} of {} test edges are validation edges too", parts[2].1.len())
    });
    findings.pairs("shared-negatives", &shared(parts[4].1, &sets[3]), |n| {
        format!("{n} of {} test negatives are validation negatives too", parts[4].1.len())
    });
    if let Some(sides) = graph.sides().filter(|sides| sides.are_roles()) {
        let reversed = |&&[i, j]: &&Pair| {
            let twins = sides.twin(i).zip(sides.twin(j));
            twins.is_some_and(|(i, j)| sets[0].contains(ordered([i, j])))
        };
        for (name, part) in &parts[1..3] {
            let count = part.iter().filter(reversed).count();
            if count > 0 {
                exec.notice(format!(
                    "{count} of {} {name} edges have their reverse among the training edges: copying reverse edges predicts them",
                    part.len()
                ));
            }
        }
    }
    let known = graph.adjacency_with(parts[..3].iter().flat_map(|(_, part)| part.iter()));
    for (at, kind) in [(4, "test-negatives-are-edges"), (3, "validation-negatives-are-edges")] {
        let (name, part) = parts[at];
        let bad: Vec<Pair> = part.iter().copied().filter(|pair| known.contains(pair[0], pair[1])).collect();
        findings.pairs(kind, &bad, |n| format!("{n} of {} {name}s are edges", part.len()));
    }
    for (name, part) in &parts[..3] {
        let bad: Vec<Pair> = part
            .iter()
            .copied()
            .filter(|p| !graph.adjacency().contains(p[0], p[1]) && p[0] != p[1])
            .collect();
        findings.pairs("not-in-graph", &bad, |n| {
            format!("{n} of {} {name} edges are not edges of the graph", part.len())
        });
    }
    for (at, (name, part)) in parts.iter().enumerate() {
        let loops: Vec<Pair> = part.iter().copied().filter(|pair| pair[0] == pair[1]).collect();
        findings.pairs("self-loops", &loops, |n| {
            format!("{n} of {} {name} pairs join a node with itself", part.len())
        });
        let inside = |pair: &Pair| pair[0] != pair[1] && graph.sides().is_some_and(|own| !own.across(*pair));
        let bad: Vec<Pair> = part.iter().copied().filter(inside).collect();
        findings.pairs("inside-one-side", &bad, |n| {
            format!(
                "{n} of {} {name} pairs lie inside one side of the bipartite graph, where no edge does",
                part.len()
            )
        });
        let repeated = part.len() - sets[at].len();
        // Training edges are often listed in both directions, which is not an error.
        if at > 0 && repeated == 0 {
            findings.pairs("repeated-pairs", &[], |_| String::new());
        } else if at > 0 {
            let mut seen = HashSet::new();
            let bad: Vec<Pair> = part.iter().copied().filter(|&pair| !seen.insert(ordered(pair))).collect();
            findings.pairs("repeated-pairs", &bad, |_| {
                format!("{repeated} of {} {name} pairs are duplicates", part.len())
            });
        }
    }
    if let Some(context) = graph.context() {
        for (name, part) in &parts[1..3] {
            let known = context.without_own(part.to_vec());
            let shared = part.len() - known.len();
            // A few are a signal of the context; most of them would be copies of the edges.
            let few = 2 * shared < part.len().max(1);
            if few && shared > 0 {
                exec.notice(format!("{shared} of {} {name} edges are context edges, too", part.len()));
            }
            let known: HashSet<Pair> = known.into_iter().collect();
            let bad: Vec<Pair> = part.iter().copied().filter(|pair| !few && !known.contains(pair)).collect();
            findings.pairs("held-out-in-context", &bad, |n| {
                format!(
                    "{n} of {} {name} edges are context edges, which every training graph has",
                    part.len()
                )
            });
        }
    }
    exec.check()?;
    let twins = graph.feature_twins();
    duplicated(&mut findings, &twins);
    exec.check()?;
    let training: Vec<Pair> = sets[0].iter().copied().filter(|pair| pair[0] != pair[1]).collect();
    let training = Csr::symmetric(graph.nodes(), &training);
    for (at, kind, set) in
        [(4, "test-negatives-too-easy", &pairs.test), (3, "validation-negatives-too-easy", &pairs.valid)]
    {
        if parts[at].1.is_empty() {
            findings.found.skipped.push(if at == 4 {
                "test negatives: none are given"
            } else {
                "validation negatives: none are given"
            });
        } else {
            easy(&mut findings, kind, parts[at].0, set, &training);
            let name = if at == 4 { "test" } else { "validation" };
            marked_degrees(&mut findings, name, set, &training, &known);
        }
    }
    exec.check()?;
    features_that_know_edges(&mut findings, &training, [&sets[1], &sets[2]]);
    exec.check()?;
    order::edges_from_the_future(&mut findings, pairs);
    Ok(findings.found)
}

/// Nodes that are copies of others: training on one leaks the other.
fn duplicated(findings: &mut SplitFindings<'_>, twins: &[NodeId]) {
    let copies = facts::copies(findings.graph.adjacency(), twins);
    let nodes = findings.graph.nodes();
    let examples = copies
        .iter()
        .take(EXAMPLES)
        .map(|&[node, first]| format!("{} of {}", findings.name(node), findings.name(first)));
    let examples = examples.collect();
    findings.note("duplicated-nodes", copies.len(), examples, |n| {
        format!("{n} of {nodes} nodes have the features and the neighbours of another")
    });
}

/// The products of the degrees of every pair's ends, for positives and negatives. Degrees are increased by
/// one, so that nodes without edges do not make all products zero.
fn degree_products(set: &Pairs, adjacency: &Csr) -> [Vec<f64>; 2] {
    let degree = |node: NodeId| 1.0 + adjacency.row(node as usize).len() as f64;
    [&set.positives, &set.negatives].map(|pairs| pairs.iter().map(|p| degree(p[0]) * degree(p[1])).collect())
}

/// The part of the separation by training degrees that comes from the split: every end of a held-out edge has
/// lost that edge, so the same pairs are compared by training degrees and by degrees in all known edges.
fn marked_degrees(findings: &mut SplitFindings<'_>, name: &str, set: &Pairs, training: &Csr, known: &Csr) {
    let [train, whole] = [training, known].map(|adjacency| {
        let [positives, negatives] = degree_products(set, adjacency);
        Separation::new(&positives, &negatives)
    });
    let (excess, error) = train.excess(&whole);
    let marked = excess >= MARK_AUC && excess > MARK_ERRORS * error;
    let count = if marked { set.negatives.len() } else { 0 };
    findings.note("split-marks-degrees", count, Vec::new(), |n| {
        format!(
            "the split leaves a trace in the degrees of {name} edges: training degrees separate them from {n} negatives with AUC {:.3}, degrees in all known \
             edges with AUC {:.3} (limits: {MARK_AUC} and {MARK_ERRORS} standard errors further from 0.5); evaluate with `--negatives degree`",
            train.auc, whole.auc
        )
    });
}

/// The AUC of scores, with the contribution of each sample (DeLong et al. 1988).
struct Separation {
    auc: f64,
    /// 1, or -1 if negatives score higher.
    sign: f64,
    /// For each positive the share of negatives below it, for each negative the share of positives above it;
    /// ties count one half.
    shares: [Vec<f64>; 2],
}

impl Separation {
    fn new(positives: &[f64], negatives: &[f64]) -> Self {
        let below = |scores: &[f64], others: &[f64]| -> Vec<f64> {
            let mut others = others.to_vec();
            others.sort_unstable_by(f64::total_cmp);
            let share = |&score: &f64| {
                let less = others.partition_point(|&other| other < score);
                let not_more = others.partition_point(|&other| other <= score);
                (less + not_more) as f64 / (2 * others.len().max(1)) as f64
            };
            scores.iter().map(share).collect()
        };
        let above = |share: f64| 1.0 - share;
        let shares = [
            below(positives, negatives),
            below(negatives, positives).into_iter().map(above).collect::<Vec<_>>(),
        ];
        let auc = if positives.is_empty() || negatives.is_empty() { 0.5 } else { mean(&shares[0]) };
        Separation { auc, sign: if auc < 0.5 { -1.0 } else { 1.0 }, shares }
    }

    /// The difference between the distances of two AUCs on the same pairs from 0.5, and its standard error.
    fn excess(&self, other: &Separation) -> (f64, f64) {
        let excess = (self.auc - 0.5).abs() - (other.auc - 0.5).abs();
        let variance = |[own, others]: [&[f64]; 2]| {
            let terms: Vec<f64> =
                own.iter().zip(others).map(|(a, b)| self.sign * a - other.sign * b).collect();
            let centre = mean(&terms);
            let squares: f64 = terms.iter().map(|term| (term - centre).powi(2)).sum();
            squares / (terms.len().saturating_sub(1).max(1) * terms.len().max(1)) as f64
        };
        let variances = [0, 1].map(|side| variance([&self.shares[side][..], &other.shares[side]]));
        (excess, variances.iter().sum::<f64>().sqrt())
    }
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

/// How well the product of the training degrees alone separates positives from negatives.
fn easy(findings: &mut SplitFindings<'_>, kind: &'static str, name: &str, set: &Pairs, training: &Csr) {
    let [positives, negatives] = degree_products(set, training);
    let auc = if positives.is_empty() { 0.5 } else { metric::auc(&positives, &negatives) };
    let bare = |pair: &&Pair| pair.iter().any(|&node| training.row(node as usize).is_empty());
    let without = set.negatives.iter().filter(bare).count();
    let count = if auc >= EASY_AUC { set.negatives.len() } else { 0 };
    findings.note(kind, count, Vec::new(), |n| {
        format!(
            "{n} {name}s are far easier than edges: training degrees alone separate them with AUC {auc:.3} (limit {EASY_AUC}); {without} have a \
             node without a training edge; `--negatives degree` of probe and act draws degree-matched ones"
        )
    });
}

/// Checks a split of the labelled nodes of a graph.
pub fn nodes(graph: &Graph, sets: &NodeSets, exec: &Exec) -> Result<Checked> {
    let mut findings = SplitFindings {
        graph,
        found: Checked { findings: Vec::new(), checks: Vec::new(), skipped: Vec::new() },
    };
    let codes = graph.target().map(Target::codes);
    let Some(labels) = codes.as_deref().or_else(|| graph.labels()) else {
        return Err(Error::Unsuitable {
            stage: "check-split",
            why: "the graph has no labels; is it a split of links?".into(),
        });
    };
    let parts = [("training", &sets.train), ("validation", &sets.valid), ("test", &sets.test)];
    for (name, part) in parts {
        if let Some(node) = part.iter().find(|&&node| node as usize >= graph.nodes()) {
            let what = format!("{name} node {node}, but node ids must lie below {}", graph.nodes());
            return Err(Error::InvalidSplit { what });
        }
    }
    for (name, part) in parts {
        findings.note("empty-set", usize::from(part.is_empty()), Vec::new(), |_| {
            format!("there are no {name} nodes")
        });
    }
    let members: Vec<HashSet<NodeId>> =
        parts.iter().map(|(_, part)| part.iter().copied().collect()).collect();
    for (at, other, kind) in
        [(2, 0, "test-in-training"), (1, 0, "validation-in-training"), (2, 1, "test-in-validation")]
    {
        let bad: Vec<NodeId> =
            parts[at].1.iter().copied().filter(|node| members[other].contains(node)).collect();
        findings.nodes(kind, &bad, |n| {
            format!("{n} of {} {} nodes are {} nodes too", parts[at].1.len(), parts[at].0, parts[other].0)
        });
    }
    for (name, part) in parts {
        let mut seen = HashSet::new();
        let bad: Vec<NodeId> = part.iter().copied().filter(|&node| !seen.insert(node)).collect();
        findings
            .nodes("repeated-nodes", &bad, |n| format!("{n} of {} {name} nodes are duplicates", part.len()));
        let bad: Vec<NodeId> = part.iter().copied().filter(|&node| labels[node as usize] < 0).collect();
        findings.nodes("unlabelled", &bad, |n| format!("{n} of {} {name} nodes have no label", part.len()));
    }
    let taught: HashSet<i32> = sets.train.iter().map(|&node| labels[node as usize]).collect();
    let untaught: Vec<NodeId> = sets
        .test
        .iter()
        .copied()
        .filter(|&node| labels[node as usize] >= 0 && !taught.contains(&labels[node as usize]))
        .collect();
    if codes.is_none() {
        findings.nodes("class-not-in-training", &untaught, |n| {
            format!("{n} of {} test nodes have a class without training nodes", sets.test.len())
        });
    }
    let twins = graph.feature_twins();
    duplicated(&mut findings, &twins);
    let known: HashSet<(NodeId, i32)> =
        sets.train.iter().map(|&node| (twins[node as usize], labels[node as usize])).collect();
    let bad: Vec<NodeId> = sets
        .test
        .iter()
        .copied()
        .filter(|node| {
            !members[0].contains(node) && known.contains(&(twins[*node as usize], labels[*node as usize]))
        })
        .collect();
    findings.nodes("test-repeats-training", &bad, |n| {
        format!("{n} of {} test nodes have the features and the label of a training node", sets.test.len())
    });
    exec.check()?;
    if codes.is_none() {
        features_that_know_classes(&mut findings, labels);
    } else {
        findings.found.skipped.push("leaking features: the target is not classes");
    }
    exec.check()?;
    Ok(findings.found)
}

#[cfg(test)]
mod tests;
