//! Turns outcomes into the section of each table and figure. This module holds the functions that several of them share.

mod figures;
mod links;
mod nodes;

pub(super) use figures::{figure2, figure3, figure4, figure6};
pub(super) use links::{table2, table3, table4, table5, table6, table7, table8, table9};
pub(super) use nodes::{table10, table11, table12};

use super::paper::{self, PaperGraph};
use super::section::{ClaimCheck, ComparisonRow};
use super::studies::StudyResults;

fn paper_protocol(walks: usize, splits: usize, more: &str) -> String {
    format!(
        "Paper protocol: negatives are not checked against edges, components U, R, F, P, S, no cross-fitting, penalties from the paper's \
         grid chosen on validation. Symmetric pair features, edges split 70/10/20, {}, d = 128, T = {walks}. {more}",
        seeds(splits)
    )
}

fn seeds(splits: usize) -> String {
    match splits {
        1 => "1 split (seed 0)".into(),
        _ => format!("{splits} splits (seeds 0–{})", splits - 1),
    }
}

/// Checks that one model is at least as good as another on every graph, given the rows of both.
fn ahead(claim: &str, one: &[ComparisonRow], other: &[ComparisonRow]) -> Option<ClaimCheck> {
    let pairs = one.iter().zip(other).filter_map(|(a, b)| Some((a, a.ours?.0, b.ours?.0)));
    let pairs: Vec<(&ComparisonRow, f64, f64)> = pairs.collect();
    let behind: Vec<String> = pairs
        .iter()
        .filter(|(_, a, b)| a < b)
        .map(|(row, a, b)| format!("{} ({a:.1} against {b:.1})", row.graph))
        .collect();
    (!pairs.is_empty()).then(|| ClaimCheck {
        claim: claim.into(),
        holds: behind.is_empty(),
        found: if behind.is_empty() {
            format!("on all {}", pairs.len())
        } else {
            format!("not on {}", behind.join(", "))
        },
    })
}

fn synthetic_graphs(more: &str) -> String {
    format!(
        "Graphs come from `netinfof synth` with its defaults (4000 nodes, 800 features, 4 classes), seed 0, shuffled node ids. {more}"
    )
}

/// The rows of a model, one per real graph.
fn real_rows(
    results: &StudyResults,
    what: &str,
    published: &paper::RealGraphValues,
    key: impl Fn(&PaperGraph) -> String,
    metric: impl Fn(&PaperGraph) -> (String, String),
) -> Vec<ComparisonRow> {
    paper::GRAPHS
        .iter()
        .zip(published)
        .map(|(known, &published)| {
            let (name, figure) = metric(known);
            ComparisonRow::new(what, known.title, &name, published, results.get(&key(known)).test(&figure))
        })
        .collect()
}

fn hits(known: &PaperGraph) -> (String, String) {
    (format!("Hits@{}", known.hits), format!("hits@{}", known.hits))
}
