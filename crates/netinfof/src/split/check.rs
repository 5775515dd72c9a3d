//! What splits get wrong: leaks, overlaps, negatives that are none or that give themselves away, features that hold the answer.
//!
//! Nothing is fitted. Eight numbers decide what counts as a leak or as far too easy, all public constants here and said with every
//! finding.

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use super::{LinkPairs, NodeSets, Pairs};
use crate::error::{Error, Result};
use crate::exec::Exec;
use crate::graph::{Csr, Features, Graph, NodeId, Pair, facts, ordered};
use crate::metric;
use crate::score::{Contingency, bin, normalized, quantile_borders};
use crate::seed::{Seed, Stream};

/// Area under the ROC curve of the training degrees alone, from which on negatives are called far too easy.
pub const EASY_AUC: f64 = 0.8;
/// Correlation of a feature with the held-out degree, beyond what the training degree explains, from which on it is called a leak.
pub const LEAK_CORRELATION: f64 = 0.9;
/// Share of what there is to know about the classes (the normalised score) from which on a single feature is called a leak.
pub const LEAK_SCORE: f64 = 0.9;
/// F1 of a feature that is not zero against one class, from which on it is called a leak.
pub const LEAK_F1: f64 = 0.99;
/// Held-out edges that feature columns, each marking all neighbours of a node and nothing else, must hold together to be called a
/// leak: a rare word may mark a few by chance.
pub const LEAK_EDGES: usize = 20;
/// And the share of all held-out edges.
pub const LEAK_SHARE: f64 = 0.05;

/// How much further from 0.5 the AUC of training degrees must lie than the AUC of degrees in all known edges, on the same pairs,
/// for the split itself to be called the cause.
pub const MARK_AUC: f64 = 0.05;
/// And by how many standard errors of that difference.
pub const MARK_ERRORS: f64 = 3.0;

/// Every kind of finding about a split of links.
pub const LINK_KINDS: [&str; 16] = [
    "empty-set",
    "test-in-training",
    "validation-in-training",
    "test-in-validation",
    "shared-negatives",
    "test-negatives-are-edges",
    "validation-negatives-are-edges",
    "not-in-graph",
    "self-loops",
    "repeated-pairs",
    "duplicated-nodes",
    "test-negatives-too-easy",
    "validation-negatives-too-easy",
    "split-marks-degrees",
    "features-hold-neighbours",
    "features-hold-degrees",
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

/// Nodes of a class, or neighbours of a node, below which a feature that marks them says nothing.
const FEWEST: usize = 3;
/// Bins of a feature when its information about the classes is measured.
const BINS: usize = 32;
/// Examples of each finding.
const EXAMPLES: usize = 3;

/// Something that is wrong with a split.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// A word for scripts, such as `test-in-training`.
    pub kind: &'static str,
    /// What is wrong, in words, without the examples.
    pub what: String,
    /// How many.
    pub count: usize,
    /// A few of them, by the users' own ids.
    pub examples: Vec<String>,
}

/// What a check found, and what it looked at.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Checked {
    /// What is wrong; nothing, one hopes.
    pub findings: Vec<Finding>,
    /// What was looked for.
    pub checks: Vec<&'static str>,
    /// What could not be looked at, and why.
    pub skipped: Vec<&'static str>,
}

/// Collects findings.
struct Book<'a> {
    graph: &'a Graph,
    found: Checked,
}

impl Book<'_> {
    fn name(&self, node: NodeId) -> String {
        self.graph.ids().map_or_else(|| node.to_string(), |ids| ids[node as usize].clone())
    }

    fn pair(&self, pair: Pair) -> String {
        format!("({}, {})", self.name(pair[0]), self.name(pair[1]))
    }

    /// Notes pairs, if there are any.
    fn pairs(&mut self, kind: &'static str, bad: &[Pair], what: impl FnOnce(usize) -> String) {
        let examples = bad.iter().take(EXAMPLES).map(|&pair| self.pair(pair)).collect();
        self.note(kind, bad.len(), examples, what);
    }

    /// Notes nodes, if there are any.
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
    let mut book =
        Book { graph, found: Checked { findings: Vec::new(), checks: Vec::new(), skipped: Vec::new() } };
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
        book.note("empty-set", usize::from(part.is_empty()), Vec::new(), |_| {
            format!("there are no {name} edges")
        });
    }
    exec.check()?;
    let sets: Vec<HashSet<Pair>> =
        parts.iter().map(|(_, part)| part.iter().map(|&pair| ordered(pair)).collect()).collect();
    let given: HashSet<Pair> = pairs.train.iter().copied().collect();
    let shared = |part: &[Pair], other: &HashSet<Pair>| -> Vec<Pair> {
        part.iter().copied().filter(|&pair| other.contains(&ordered(pair))).collect()
    };

    for (at, kind) in [(2, "test-in-training"), (1, "validation-in-training")] {
        let (name, part) = parts[at];
        let bad = shared(part, &sets[0]);
        let reversed = bad.iter().filter(|&&pair| !given.contains(&pair)).count();
        book.pairs(kind, &bad, |n| {
            let side = if reversed > 0 {
                format!(", {reversed} of them the other way round")
            } else {
                String::new()
            };
            format!("{n} of {} {name} edges are training edges{side}", part.len())
        });
    }
    book.pairs("test-in-validation", &shared(parts[2].1, &sets[1]), |n| {
        format!("{n} of {} test edges are validation edges too", parts[2].1.len())
    });
    book.pairs("shared-negatives", &shared(parts[4].1, &sets[3]), |n| {
        format!("{n} of {} test negatives are validation negatives too", parts[4].1.len())
    });
    let known = graph.adjacency_with(parts[..3].iter().flat_map(|(_, part)| part.iter()));
    for (at, kind) in [(4, "test-negatives-are-edges"), (3, "validation-negatives-are-edges")] {
        let (name, part) = parts[at];
        let bad: Vec<Pair> = part.iter().copied().filter(|pair| known.contains(pair[0], pair[1])).collect();
        book.pairs(kind, &bad, |n| format!("{n} of {} {name}s are edges", part.len()));
    }
    for (name, part) in &parts[..3] {
        let bad: Vec<Pair> = part
            .iter()
            .copied()
            .filter(|p| !graph.adjacency().contains(p[0], p[1]) && p[0] != p[1])
            .collect();
        book.pairs("not-in-graph", &bad, |n| {
            format!("{n} of {} {name} edges are no edges of the graph", part.len())
        });
    }
    for (at, (name, part)) in parts.iter().enumerate() {
        let loops: Vec<Pair> = part.iter().copied().filter(|pair| pair[0] == pair[1]).collect();
        book.pairs("self-loops", &loops, |n| {
            format!("{n} of {} {name} pairs join a node with itself", part.len())
        });
        let repeated = part.len() - sets[at].len();
        // Training edges are often listed in both directions, and mean the same then.
        if at > 0 {
            let mut seen = HashSet::new();
            let bad: Vec<Pair> = part.iter().copied().filter(|&pair| !seen.insert(ordered(pair))).collect();
            book.pairs("repeated-pairs", &bad, |_| {
                format!("{repeated} of {} {name} pairs are duplicates", part.len())
            });
        }
    }
    exec.check()?;
    let twins = graph.features().twins(graph.nodes());
    duplicated(&mut book, &twins);
    exec.check()?;
    let training: Vec<Pair> = sets[0].iter().copied().filter(|pair| pair[0] != pair[1]).collect();
    let training = Csr::symmetric(graph.nodes(), &training);
    for (at, kind, set) in
        [(4, "test-negatives-too-easy", &pairs.test), (3, "validation-negatives-too-easy", &pairs.valid)]
    {
        if parts[at].1.is_empty() {
            book.found.skipped.push(if at == 4 {
                "test negatives: none are given"
            } else {
                "validation negatives: none are given"
            });
        } else {
            easy(&mut book, kind, parts[at].0, set, &training);
            let name = if at == 4 { "test" } else { "validation" };
            marked_degrees(&mut book, name, set, &training, &known);
        }
    }
    exec.check()?;
    features_that_know_edges(&mut book, &training, [&sets[1], &sets[2]]);
    exec.check()?;
    Ok(book.found)
}

/// Nodes that are copies of others: what is learned of one is known of the other.
fn duplicated(book: &mut Book<'_>, twins: &[NodeId]) {
    let copies = facts::copies(book.graph.adjacency(), twins);
    let nodes = book.graph.nodes();
    let examples = copies
        .iter()
        .take(EXAMPLES)
        .map(|&[node, first]| format!("{} of {}", book.name(node), book.name(first)));
    let examples = examples.collect();
    book.note("duplicated-nodes", copies.len(), examples, |n| {
        format!("{n} of {nodes} nodes have the features and the neighbours of another")
    });
}

/// The products of the degrees of every pair's ends, for positives and negatives; a node without an edge is not the same as none.
fn degree_products(set: &Pairs, adjacency: &Csr) -> [Vec<f64>; 2] {
    let degree = |node: NodeId| 1.0 + adjacency.row(node as usize).len() as f64;
    [&set.positives, &set.negatives].map(|pairs| pairs.iter().map(|p| degree(p[0]) * degree(p[1])).collect())
}

/// How much of what training degrees separate comes from the split: every end of a held-out edge has lost that edge, so the same
/// pairs are compared by training degrees and by degrees in all known edges.
fn marked_degrees(book: &mut Book<'_>, name: &str, set: &Pairs, training: &Csr, known: &Csr) {
    let [train, whole] = [training, known].map(|adjacency| {
        let [positives, negatives] = degree_products(set, adjacency);
        Separation::new(&positives, &negatives)
    });
    let (excess, error) = train.excess(&whole);
    let marked = excess >= MARK_AUC && excess > MARK_ERRORS * error;
    let count = if marked { set.negatives.len() } else { 0 };
    book.note("split-marks-degrees", count, Vec::new(), |n| {
        format!(
            "the split marks the ends of {name} edges: training degrees separate them from {n} negatives with AUC {:.3}, degrees in all known \
             edges with AUC {:.3} (further from 0.5 by {MARK_AUC} and {MARK_ERRORS} standard errors); evaluate with `--negatives degree`",
            train.auc, whole.auc
        )
    });
}

/// How scores separate positives from negatives, with what each of them contributes (DeLong et al. 1988).
struct Separation {
    auc: f64,
    /// 1, or -1 where negatives score higher.
    sign: f64,
    /// For each positive the share of negatives below it, for each negative the share of positives above it; ties count one half.
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

    /// How much further its AUC lies from 0.5 than another on the same pairs, and the standard error of that.
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

/// How well the product of the training degrees alone tells positives from negatives.
fn easy(book: &mut Book<'_>, kind: &'static str, name: &str, set: &Pairs, training: &Csr) {
    let [positives, negatives] = degree_products(set, training);
    let auc = if positives.is_empty() { 0.5 } else { metric::auc(&positives, &negatives) };
    let bare = |pair: &&Pair| pair.iter().any(|&node| training.row(node as usize).is_empty());
    let without = set.negatives.iter().filter(bare).count();
    let count = if auc >= EASY_AUC { set.negatives.len() } else { 0 };
    book.note(kind, count, Vec::new(), |n| {
        format!(
            "{n} {name}s are far easier than edges: training degrees alone tell them apart with AUC {auc:.3} (from {EASY_AUC}); {without} have a \
             node without a training edge; `--negatives degree` of probe and act draws fairer ones"
        )
    });
}

/// Features that hold held-out edges: the neighbours of a node as a column, or a degree that counts them.
fn features_that_know_edges(book: &mut Book<'_>, training: &Csr, held_out: [&HashSet<Pair>; 2]) {
    let graph = book.graph;
    let columns = match graph.features() {
        Features::None => {
            book.found.skipped.push("leaking features: the graph has none");
            return;
        }
        Features::Dense(x) => Csr::from_dense(x).transpose(),
        Features::Sparse(x) => x.transpose(),
    };
    // Only nodes with enough neighbours, some of them held out, can be known by their neighbours.
    let mut held = vec![0.0f64; graph.nodes()];
    for pair in held_out.into_iter().flatten() {
        for &node in pair {
            held[node as usize] += 1.0;
        }
    }
    let mut by_row: HashMap<Vec<u32>, NodeId> = HashMap::new();
    for node in (0..).take(graph.nodes()) {
        let own = graph.adjacency().row(node as usize);
        if own.len() >= FEWEST && held[node as usize] > 0.0 {
            let mut with_self = own.to_vec();
            with_self.insert(own.partition_point(|&other| other < node), node);
            by_row.insert(own.to_vec(), node);
            by_row.insert(with_self, node);
        }
    }
    // Rare words of one circle of papers often mark the same one; each is counted once, by its held-out edges.
    let known: Vec<(usize, NodeId)> = (0..columns.rows())
        .filter(|&col| columns.row(col).len() >= FEWEST)
        .filter_map(|col| by_row.get(columns.row(col)).map(|&node| (col, node)))
        .collect();
    let examples =
        known.iter().take(EXAMPLES).map(|&(col, node)| format!("column {col} of node {}", book.name(node)));
    let examples = examples.collect();
    let all: usize = held_out.iter().map(|set| set.len()).sum();
    let is_held =
        |node: NodeId, other: NodeId| held_out.iter().any(|set| set.contains(&ordered([node, other])));
    let marked: HashSet<Pair> = known
        .iter()
        .flat_map(|&(_, node)| graph.adjacency().row(node as usize).iter().map(move |&other| (node, other)))
        .filter(|&(node, other)| is_held(node, other))
        .map(|(node, other)| ordered([node, other]))
        .collect();
    let leaks = marked.len() >= LEAK_EDGES && marked.len() as f64 >= LEAK_SHARE * all as f64;
    book.note("features-hold-neighbours", if leaks { known.len() } else { 0 }, examples, |n| {
        format!(
            "{n} of {} feature columns mark exactly the neighbours of a node, and so {} of {all} held-out edges (from {LEAK_EDGES} and {:.0} %)",
            columns.rows(),
            marked.len(),
            100.0 * LEAK_SHARE
        )
    });
    let degrees: Vec<f64> = (0..graph.nodes()).map(|node| training.row(node).len() as f64).collect();
    let held = rest(&held, &degrees);
    let mut column = vec![0.0; graph.nodes()];
    let mut knowing = Vec::new();
    for col in 0..columns.rows() {
        // A column that few nodes have cannot follow the degrees of all.
        if columns.row(col).len() * 2 < graph.nodes() {
            continue;
        }
        column.fill(0.0);
        let values = columns.row_values(col);
        for (at, &node) in columns.row(col).iter().enumerate() {
            column[node as usize] = values.map_or(1.0, |values| f64::from(values[at]));
        }
        let r = cosine(&rest(&column, &degrees), &held);
        if r.abs() >= LEAK_CORRELATION {
            knowing.push((col, r));
        }
    }
    let examples = knowing.iter().take(EXAMPLES).map(|(col, r)| format!("column {col} ({r:+.3})")).collect();
    book.note("features-hold-degrees", knowing.len(), examples, |n| {
        format!(
            "{n} of {} feature columns follow the number of held-out edges beyond the training degree (correlation from {LEAK_CORRELATION})",
            columns.rows()
        )
    });
}

/// What is left of values when a constant and a multiple of others are taken away.
fn rest(values: &[f64], by: &[f64]) -> Vec<f64> {
    let n = values.len().max(1) as f64;
    let centred = |v: &[f64]| {
        let mean = v.iter().sum::<f64>() / n;
        v.iter().map(|x| x - mean).collect::<Vec<f64>>()
    };
    let (values, by) = (centred(values), centred(by));
    let squares: f64 = by.iter().map(|b| b * b).sum();
    let slope =
        if squares > 0.0 { values.iter().zip(&by).map(|(v, b)| v * b).sum::<f64>() / squares } else { 0.0 };
    values.iter().zip(&by).map(|(v, b)| v - slope * b).collect()
}

fn cosine(a: &[f64], b: &[f64]) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let lengths = (dot(a, a) * dot(b, b)).sqrt();
    // What rounding leaves of a column that the degrees explain says nothing.
    if lengths > 1e-9 * a.len() as f64 { dot(a, b) / lengths } else { 0.0 }
}

/// Checks a split of the labelled nodes of a graph.
pub fn nodes(graph: &Graph, sets: &NodeSets, exec: &Exec) -> Result<Checked> {
    let mut book =
        Book { graph, found: Checked { findings: Vec::new(), checks: Vec::new(), skipped: Vec::new() } };
    let Some(labels) = graph.labels() else {
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
        book.note("empty-set", usize::from(part.is_empty()), Vec::new(), |_| {
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
        book.nodes(kind, &bad, |n| {
            format!("{n} of {} {} nodes are {} nodes too", parts[at].1.len(), parts[at].0, parts[other].0)
        });
    }
    for (name, part) in parts {
        let mut seen = HashSet::new();
        let bad: Vec<NodeId> = part.iter().copied().filter(|&node| !seen.insert(node)).collect();
        book.nodes("repeated-nodes", &bad, |n| format!("{n} of {} {name} nodes are duplicates", part.len()));
        let bad: Vec<NodeId> = part.iter().copied().filter(|&node| labels[node as usize] < 0).collect();
        book.nodes("unlabelled", &bad, |n| format!("{n} of {} {name} nodes have no label", part.len()));
    }
    let taught: HashSet<i32> = sets.train.iter().map(|&node| labels[node as usize]).collect();
    let untaught: Vec<NodeId> = sets
        .test
        .iter()
        .copied()
        .filter(|&node| labels[node as usize] >= 0 && !taught.contains(&labels[node as usize]))
        .collect();
    book.nodes("class-not-in-training", &untaught, |n| {
        format!("{n} of {} test nodes are of a class that no training node has", sets.test.len())
    });
    let twins = graph.features().twins(graph.nodes());
    duplicated(&mut book, &twins);
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
    book.nodes("test-repeats-training", &bad, |n| {
        format!("{n} of {} test nodes have the features and the label of a training node", sets.test.len())
    });
    exec.check()?;
    features_that_know_classes(&mut book, labels);
    exec.check()?;
    Ok(book.found)
}

/// Features that hold the class: one column that knows all of them, or one that marks one of them.
fn features_that_know_classes(book: &mut Book<'_>, labels: &[i32]) {
    let columns = match book.graph.features() {
        Features::None => {
            book.found.skipped.push("leaking features: the graph has none");
            return;
        }
        Features::Dense(x) => Csr::from_dense(x).transpose(),
        Features::Sparse(x) => x.transpose(),
    };
    let labelled: Vec<usize> = (0..labels.len()).filter(|&node| labels[node] >= 0).collect();
    let classes = book.graph.classes();
    let mut sizes = vec![0usize; classes];
    for &node in &labelled {
        sizes[labels[node] as usize] += 1;
    }
    let mut column = vec![0.0f32; labels.len()];
    let mut known = Vec::new();
    for col in 0..columns.rows() {
        let (nodes, values) = (columns.row(col), columns.row_values(col));
        let mut inside = vec![0usize; classes];
        let with = nodes.iter().map(|&node| node as usize).filter(|&node| labels[node] >= 0);
        with.for_each(|node| inside[labels[node] as usize] += 1);
        let all: usize = inside.iter().sum();
        let marks = |class: usize| 2.0 * inside[class] as f64 / (all + sizes[class]).max(1) as f64;
        let marked = (0..classes).find(|&class| sizes[class] >= FEWEST && marks(class) >= LEAK_F1);
        if let Some(class) = marked {
            known.push((col, format!("column {col} marks class {class}")));
            continue;
        }
        // The best that can be: all but the zeros told apart. For most columns of words that settles it.
        let mut best = Contingency::new(1 + classes, classes);
        for (class, (&size, &inside)) in sizes.iter().zip(&inside).enumerate() {
            best.add_many(0, class, (size - inside) as u64);
            best.add_many(1 + class, class, inside as u64);
        }
        if normalized(best.score(), best.no_information()) < LEAK_SCORE {
            continue;
        }
        column.fill(0.0);
        for (at, &node) in nodes.iter().enumerate() {
            column[node as usize] = values.map_or(1.0, |values| values[at]);
        }
        let own: Vec<f32> = labelled.iter().map(|&node| column[node]).collect();
        let borders = value_borders(&own);
        let table = |labels: &[usize]| {
            let mut table = Contingency::new(borders.len() + 1, classes);
            own.iter().zip(labels).for_each(|(&value, &label)| table.add(bin(&borders, value), label));
            table
        };
        // Where almost every node has a value of its own, shuffled classes are known as well.
        let mut dealt: Vec<usize> = labelled.iter().map(|&node| labels[node] as usize).collect();
        let found = table(&dealt);
        Seed(0).stream(Stream::Permutations, col as u64).shuffle(&mut dealt);
        let share = normalized(found.score(), table(&dealt).score().max(found.no_information()));
        if share >= LEAK_SCORE {
            known.push((col, format!("column {col} knows {:.0} %", 100.0 * share)));
        }
    }
    let examples = known.iter().take(EXAMPLES).map(|(_, said)| said.clone()).collect();
    book.note("features-hold-classes", known.len(), examples, |n| {
        format!(
            "{n} of {} feature columns hold the answer: alone they mark a class (F1 from {LEAK_F1}) or know all classes (from {:.0} %)",
            columns.rows(),
            100.0 * LEAK_SCORE
        )
    });
}

/// Between the values where they are few, else at their quantiles.
fn value_borders(values: &[f32]) -> Vec<f32> {
    let mut distinct = values.to_vec();
    distinct.sort_unstable_by(f32::total_cmp);
    distinct.dedup();
    if distinct.len() <= 4 * BINS {
        distinct[1.min(distinct.len())..].to_vec()
    } else {
        quantile_borders(values, BINS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Matrix;

    fn exec() -> Exec {
        Exec::new(1).unwrap()
    }

    fn kinds(checked: &Checked) -> Vec<(&str, usize)> {
        checked.findings.iter().map(|f| (f.kind, f.count)).collect()
    }

    /// A graph without a pattern, its edges dealt to the three sets, and as many pairs that are no edges.
    fn sound() -> (Graph, LinkPairs) {
        let mut draw = Seed(1).stream(Stream::Synth, 0);
        let mut edges: HashSet<Pair> = HashSet::new();
        let mut pair = || [draw.below(200), draw.below(200)];
        while edges.len() < 1000 {
            edges.insert(ordered(pair()));
        }
        edges.retain(|e| e[0] != e[1]);
        let mut edges: Vec<Pair> = edges.into_iter().collect();
        edges.sort_unstable();
        let mut negatives: Vec<Pair> = (0..600).map(|_| ordered(pair())).collect();
        negatives.sort_unstable();
        negatives.dedup();
        negatives.retain(|p| p[0] != p[1] && edges.binary_search(p).is_err());
        let graph = Graph::from_edges("g", 200, &edges).unwrap();
        let mut draw = Seed(2).stream(Stream::Synth, 0);
        draw.shuffle(&mut edges);
        draw.shuffle(&mut negatives);
        let x = Matrix::from_fn(200, 6, |_, _| draw.unit() as f32);
        let pairs = LinkPairs {
            train: edges[..700].to_vec(),
            valid: Pairs { positives: edges[700..800].to_vec(), negatives: negatives[..100].to_vec() },
            test: Pairs { positives: edges[800..].to_vec(), negatives: negatives[100..300].to_vec() },
        };
        (graph.with_features(Features::Dense(x)).unwrap(), pairs)
    }

    #[test]
    fn a_sound_split_is_let_through() {
        let (graph, pairs) = sound();
        let checked = links(&graph, &pairs, &exec()).unwrap();
        assert_eq!(checked.findings, []);
        assert!(checked.checks.len() >= 14 && checked.skipped.is_empty(), "{:?}", checked.checks);
        // Training edges in both directions are no fault; missing negatives are said.
        let (_, mut both) = sound();
        both.train.extend(pairs.train.iter().map(|p| [p[1], p[0]]));
        both.test.negatives.clear();
        let checked = links(&graph, &both, &exec()).unwrap();
        assert_eq!((checked.findings.len(), checked.skipped.len()), (0, 1));
    }

    #[test]
    fn every_fault_of_link_splits_is_found() {
        let (graph, sound) = sound();
        let broken = |breaking: &dyn Fn(&mut LinkPairs)| {
            let mut pairs = sound.clone();
            breaking(&mut pairs);
            links(&graph, &pairs, &exec()).unwrap()
        };
        let flip = |p: Pair| [p[1], p[0]];
        let found = broken(&|p| p.train.extend([flip(sound.test.positives[0]), sound.test.positives[1]]));
        assert_eq!(kinds(&found), [("test-in-training", 2)]);
        assert!(found.findings[0].what.contains("1 of them the other way round"), "{:?}", found.findings);
        let found = broken(&|p| p.valid.positives.push(flip(p.train[5])));
        assert_eq!(kinds(&found), [("validation-in-training", 1)]);
        let found = broken(&|p| p.test.positives.push(p.valid.positives[0]));
        assert_eq!(kinds(&found), [("test-in-validation", 1)]);
        let found = broken(&|p| p.test.negatives.push(flip(p.valid.negatives[0])));
        assert_eq!(kinds(&found), [("shared-negatives", 1)]);
        let found = broken(&|p| p.test.negatives.extend([flip(p.train[0]), p.test.positives[0]]));
        assert_eq!(kinds(&found), [("test-negatives-are-edges", 2)]);
        let found = broken(&|p| p.valid.negatives.push(p.train[0]));
        assert_eq!(kinds(&found), [("validation-negatives-are-edges", 1)]);
        let other = sound.test.negatives[0];
        let found = broken(&|p| p.train.push(other));
        assert_eq!(kinds(&found), [("test-negatives-are-edges", 1), ("not-in-graph", 1)]);
        let found = broken(&|p| p.train.push([3, 3]));
        assert_eq!(kinds(&found), [("self-loops", 1)]);
        let found = broken(&|p| p.test.positives.push(flip(p.test.positives[0])));
        assert_eq!(kinds(&found), [("repeated-pairs", 1)]);
        // Negatives between nodes that have hardly an edge.
        let mut quiet: Vec<NodeId> = (0..200).collect();
        quiet.sort_by_key(|&node| graph.degree(node as usize));
        let easy = |p: &mut LinkPairs| {
            let pairs = (0..20)
                .flat_map(|i| (i + 1..20).map(move |j| [i, j]))
                .map(|p: [usize; 2]| p.map(|at| quiet[at]));
            p.test.negatives = pairs.filter(|p| !graph.adjacency().contains(p[0], p[1])).take(150).collect();
        };
        let found = broken(&easy);
        assert!(kinds(&found).contains(&("test-negatives-too-easy", 150)), "{:?}", found.findings);
        let outside = LinkPairs { train: vec![[0, 999]], ..LinkPairs::default() };
        assert!(links(&graph, &outside, &exec()).unwrap_err().to_string().contains("below 200"));
    }

    /// A random graph whose nodes all have this many edges.
    fn regular(nodes: u32, degree: u32) -> Graph {
        let mut draw = Seed(6).stream(Stream::Synth, 0);
        let mut ends: Vec<NodeId> = (0..nodes).flat_map(|node| (0..degree).map(move |_| node)).collect();
        draw.shuffle(&mut ends);
        // Self loops and repeated edges trade an end with another edge, until there are none.
        loop {
            let mut seen = HashSet::new();
            let bad: Vec<usize> = (0..ends.len() / 2)
                .filter(|&at| {
                    let pair = [ends[2 * at], ends[2 * at + 1]];
                    pair[0] == pair[1] || !seen.insert(ordered(pair))
                })
                .collect();
            if bad.is_empty() {
                return Graph::from_edges("regular", nodes as usize, &seen.into_iter().collect::<Vec<_>>())
                    .unwrap();
            }
            for at in bad {
                ends.swap(2 * at, draw.below(nodes * degree) as usize);
            }
        }
    }

    #[test]
    fn a_split_that_marks_degrees_is_found() {
        use super::super::{Negatives, SplitParams};
        let graph = regular(1000, 6);
        let checked = |negatives| {
            let params = SplitParams { negatives, ..SplitParams::default() };
            let split = super::super::links(&graph, &params, Seed(0), &exec()).unwrap();
            let pairs = LinkPairs { train: split.train, valid: split.valid, test: split.test };
            links(&graph, &pairs, &exec()).unwrap()
        };
        let found = checked(Negatives::Uniform);
        assert_eq!(kinds(&found), [("split-marks-degrees", 600), ("split-marks-degrees", 300)]);
        let what = &found.findings[0].what;
        assert!(what.contains("edges with AUC 0.500") && what.contains("--negatives degree"), "{what}");
        assert_eq!(checked(Negatives::Degree).findings, []);
    }

    #[test]
    fn separations_are_compared_in_both_directions() {
        let (low, high) =
            (Separation::new(&[1.0, 2.0, 3.0], &[4.0, 5.0]), Separation::new(&[9.0; 3], &[9.0, 8.0]));
        assert_eq!((low.auc, high.auc), (0.0, 0.75));
        assert!((low.excess(&high).0 - 0.25).abs() < 1e-12 && (high.excess(&low).0 + 0.25).abs() < 1e-12);
        // Of the first, nothing varies; of the second, the two negatives contribute 0.5 and 1.
        assert!((low.excess(&high).1 - 0.25).abs() < 1e-12, "{}", low.excess(&high).1);
        assert_eq!(Separation::new(&[], &[1.0]).auc, 0.5);
    }

    #[test]
    fn every_check_is_listed() {
        let (graph, pairs) = sound();
        let mut found = links(&graph, &pairs, &exec()).unwrap().checks;
        let mut listed = LINK_KINDS.to_vec();
        found.sort_unstable();
        listed.sort_unstable();
        assert_eq!(found, listed);
        let sets =
            NodeSets { train: (0..40).collect(), valid: (40..80).collect(), test: (80..200).collect() };
        let graph = graph.with_labels((0..200).map(|node| node % 4).collect()).unwrap();
        let mut found = nodes(&graph, &sets, &exec()).unwrap().checks;
        let mut listed = NODE_KINDS.to_vec();
        found.sort_unstable();
        listed.sort_unstable();
        assert_eq!(found, listed);
    }

    #[test]
    fn features_that_hold_edges_are_found() {
        let (graph, pairs) = sound();
        // Column 0: the full degree. Column 1: the training degree, which is no leak. Column 2: the neighbours of a node.
        let hubs: Vec<usize> =
            (0..200).filter(|&node| (12..15).contains(&graph.degree(node))).take(12).collect();
        let training = Csr::symmetric(200, &pairs.train);
        let x = Matrix::from_fn(200, 3, |node, col| match col {
            0 => graph.degree(node) as f32,
            1 => training.row(node).len() as f32,
            _ => f32::from(u8::from(graph.adjacency().contains(hubs[0] as u32, node as u32))),
        });
        let one = links(&graph.clone().with_features(Features::Dense(x.clone())).unwrap(), &pairs, &exec())
            .unwrap();
        assert!(kinds(&one) == [("features-hold-degrees", 1)], "a few may be chance");
        // The neighbours of more nodes too.
        let x = Matrix::from_fn(200, 14, |node, col| match col {
            0..2 => x.row(node)[col],
            col => f32::from(u8::from(graph.adjacency().contains(hubs[col - 2] as u32, node as u32))),
        });
        let graph = graph.with_features(Features::Dense(x)).unwrap();
        let checked = links(&graph, &pairs, &exec()).unwrap();
        assert_eq!(kinds(&checked), [("features-hold-neighbours", 12), ("features-hold-degrees", 1)]);
        assert!(
            checked.findings[0].examples[0].contains("column 2")
                && checked.findings[1].examples[0].contains("column 0")
        );
    }

    #[test]
    fn every_fault_of_node_splits_is_found() {
        let (graph, _) = sound();
        let mut labels: Vec<i32> = (0..200).map(|node| node % 4).collect();
        labels[199] = -1;
        let sets =
            NodeSets { train: (0..40).collect(), valid: (40..80).collect(), test: (80..199).collect() };
        let plain = graph.clone().with_labels(labels.clone()).unwrap();
        assert_eq!(nodes(&plain, &sets, &exec()).unwrap().findings, []);
        let broken = |breaking: &dyn Fn(&mut NodeSets)| {
            let mut sets = sets.clone();
            breaking(&mut sets);
            nodes(&plain, &sets, &exec()).unwrap()
        };
        assert_eq!(kinds(&broken(&|s| s.test.push(3))), [("test-in-training", 1)]);
        assert_eq!(kinds(&broken(&|s| s.valid.push(3))), [("validation-in-training", 1)]);
        assert_eq!(kinds(&broken(&|s| s.test.push(50))), [("test-in-validation", 1)]);
        assert_eq!(kinds(&broken(&|s| s.train.push(3))), [("repeated-nodes", 1)]);
        assert_eq!(kinds(&broken(&|s| s.test.push(199))), [("unlabelled", 1)]);
        let found = broken(&|s| s.train.retain(|node| node % 4 != 2));
        assert_eq!(kinds(&found), [("class-not-in-training", 30)]);
        // Columns: noise, the class as a number, a mark of class 2, and a node that repeats a training node.
        let Features::Dense(noise) = plain.features() else { unreachable!() };
        let x = Matrix::from_fn(200, 3, |node, col| match col {
            0 => noise.row(node)[0],
            1 => labels[node].max(0) as f32 + 0.01 * noise.row(node)[1],
            _ => f32::from(u8::from(labels[node] == 2)),
        });
        let told = nodes(&plain.clone().with_features(Features::Dense(x)).unwrap(), &sets, &exec()).unwrap();
        assert_eq!(kinds(&told), [("features-hold-classes", 2)]);
        // Hardly more labels than bins: noise knows nothing all the same, and a copy of the class still does.
        let mut few = labels.clone();
        few[60..].fill(-1);
        let few_sets =
            NodeSets { train: (0..20).collect(), valid: (20..40).collect(), test: (40..60).collect() };
        let sparse = graph.clone().with_labels(few).unwrap();
        assert_eq!(nodes(&sparse, &few_sets, &exec()).unwrap().findings, []);
        let x = Matrix::from_fn(
            200,
            2,
            |node, col| if col == 0 { noise.row(node)[0] } else { labels[node] as f32 },
        );
        let told = nodes(&sparse.with_features(Features::Dense(x)).unwrap(), &few_sets, &exec()).unwrap();
        assert_eq!(kinds(&told), [("features-hold-classes", 1)]);
        let x = Matrix::from_fn(200, 6, |node, col| noise.row(if node == 100 { 0 } else { node })[col]);
        let told = nodes(&plain.with_features(Features::Dense(x)).unwrap(), &sets, &exec()).unwrap();
        assert_eq!(kinds(&told), [("test-repeats-training", 1)]);
    }
}
