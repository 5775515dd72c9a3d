//! Feature columns that leak the target.

use std::collections::{HashMap, HashSet};

use super::{
    BINS, EXAMPLES, FEWEST, LEAK_CORRELATION, LEAK_EDGES, LEAK_F1, LEAK_SCORE, LEAK_SHARE, SortedPairs,
    SplitFindings,
};
use crate::graph::{Csr, Features, NodeId, Pair, ordered};
use crate::score::{Contingency, bin, normalized, quantile_borders};
use crate::seed::{Seed, Stream};

/// Features that leak held-out edges: a column that marks the neighbours of a node, or a degree that counts
/// them.
pub(super) fn features_that_know_edges(
    findings: &mut SplitFindings<'_>,
    training: &Csr,
    held_out: [&SortedPairs; 2],
) {
    let graph = findings.graph;
    let columns = match graph.features() {
        Features::None => {
            findings.found.skipped.push("leaking features: the graph has no features");
            return;
        }
        Features::Dense(x) => Csr::from_dense(x).transpose(),
        Features::Sparse(x) => x.transpose(),
    };
    // Only nodes with enough neighbours, some of them held out, can be identified by their neighbours.
    let mut held = vec![0.0f64; graph.nodes()];
    for pair in held_out.into_iter().flat_map(SortedPairs::iter) {
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
    // Rare words of a group of papers often mark the same node; each node counts once, by its held-out edges.
    let known: Vec<(usize, NodeId)> = (0..columns.rows())
        .filter(|&col| columns.row(col).len() >= FEWEST)
        .filter_map(|col| by_row.get(columns.row(col)).map(|&node| (col, node)))
        .collect();
    let examples = known
        .iter()
        .take(EXAMPLES)
        .map(|&(col, node)| format!("column {col} of node {}", findings.name(node)));
    let examples = examples.collect();
    let all: usize = held_out.iter().map(|set| set.len()).sum();
    let is_held =
        |node: NodeId, other: NodeId| held_out.iter().any(|set| set.contains(ordered([node, other])));
    let marked: HashSet<Pair> = known
        .iter()
        .flat_map(|&(_, node)| graph.adjacency().row(node as usize).iter().map(move |&other| (node, other)))
        .filter(|&(node, other)| is_held(node, other))
        .map(|(node, other)| ordered([node, other]))
        .collect();
    let leaks = marked.len() >= LEAK_EDGES && marked.len() as f64 >= LEAK_SHARE * all as f64;
    findings.note("features-hold-neighbours", if leaks { known.len() } else { 0 }, examples, |n| {
        format!(
            "{n} of {} feature columns mark exactly the neighbours of a node, and thereby {} of {all} held-out edges (limits: {LEAK_EDGES} edges and {:.0} %)",
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
        // A column with few nonzero entries cannot follow the degrees of all nodes.
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
    findings.note("features-hold-degrees", knowing.len(), examples, |n| {
        format!(
            "{n} of {} feature columns follow the number of held-out edges beyond the training degree (limit: correlation {LEAK_CORRELATION})",
            columns.rows()
        )
    });
}

/// The residuals of values after linear regression on other values.
pub(super) fn rest(values: &[f64], by: &[f64]) -> Vec<f64> {
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

pub(super) fn cosine(a: &[f64], b: &[f64]) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let lengths = (dot(a, a) * dot(b, b)).sqrt();
    // If the degrees explain a column, the residuals are rounding errors.
    if lengths > 1e-9 * a.len() as f64 { dot(a, b) / lengths } else { 0.0 }
}

/// Features that leak the class: a column that predicts all classes, or one that marks a class.
pub(super) fn features_that_know_classes(findings: &mut SplitFindings<'_>, labels: &[i32]) {
    let columns = match findings.graph.features() {
        Features::None => {
            findings.found.skipped.push("leaking features: the graph has no features");
            return;
        }
        Features::Dense(x) => Csr::from_dense(x).transpose(),
        Features::Sparse(x) => x.transpose(),
    };
    let labelled: Vec<usize> = (0..labels.len()).filter(|&node| labels[node] >= 0).collect();
    let classes = findings.graph.classes();
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
        // Upper bound: all nonzero entries predicted correctly. It rules out most columns of words.
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
        // If almost every node has a unique value, shuffled classes are predicted as well.
        let mut dealt: Vec<usize> = labelled.iter().map(|&node| labels[node] as usize).collect();
        let found = table(&dealt);
        Seed(0).stream(Stream::Permutations, col as u64).shuffle(&mut dealt);
        let share = normalized(found.score(), table(&dealt).score().max(found.no_information()));
        if share >= LEAK_SCORE {
            known.push((col, format!("column {col} predicts {:.0} %", 100.0 * share)));
        }
    }
    let examples = known.iter().take(EXAMPLES).map(|(_, said)| said.clone()).collect();
    findings.note("features-hold-classes", known.len(), examples, |n| {
        format!(
            "{n} of {} feature columns leak the class: alone they mark a class (limit: F1 {LEAK_F1}) or predict all classes (limit: {:.0} %)",
            columns.rows(),
            100.0 * LEAK_SCORE
        )
    });
}

/// Borders between the values if they are few, otherwise at their quantiles.
pub(super) fn value_borders(values: &[f32]) -> Vec<f32> {
    let mut distinct = values.to_vec();
    distinct.sort_unstable_by(f32::total_cmp);
    distinct.dedup();
    if distinct.len() <= 4 * BINS {
        distinct[1.min(distinct.len())..].to_vec()
    } else {
        quantile_borders(values, BINS)
    }
}
