//! Geom-GCN's two text files: edges, and for each node its features and its label. Features are a list of
//! numbers, or (Actor) the list of the columns that are 1, marked by `feature_amount` in the header.

use std::path::Path;

use super::{Table, node_pair};
use netinfof::Matrix;
use netinfof::graph::{Csr, Features, Graph, Pair};
use netinfof::{Error, Result};

pub(super) const EDGES: &str = "out1_graph_edges.txt";
const NODES: &str = "out1_node_feature_label.txt";

/// The graph in this folder.
pub(super) fn graph(folder: &Path, name: &str) -> Result<Graph> {
    let mut rows = Table::open(&folder.join(NODES))?;
    let empty =
        || Error::Format { path: folder.join(NODES), what: "empty; one node per line was expected".into() };
    let header = rows.next_row()?.ok_or_else(empty)?;
    if header.len() != 3 {
        return Err(rows
            .error(header.line, format!("{} columns; id, features and label were expected", header.len())));
    }
    // `feature(feature_amount:931)`: the features are columns.
    let amount = header
        .cell(1)
        .split_once("feature_amount:")
        .map(|(_, rest)| rest.trim_end_matches(')').parse::<usize>());
    let mut nodes: Vec<(usize, Vec<f32>, i32)> = Vec::new();
    while let Some(row) = rows.next_row()? {
        let id = row
            .cell(0)
            .parse()
            .map_err(|_| rows.error(row.line, format!("id `{}` is not a number", row.cell(0))))?;
        let value = |cell: &str| {
            let found: Option<f32> = cell.trim().parse().ok().filter(|v: &f32| v.is_finite());
            found.ok_or_else(|| rows.error(row.line, format!("feature `{cell}` is not a finite number")))
        };
        let features =
            row.cell(1).split(',').filter(|cell| !cell.is_empty()).map(value).collect::<Result<_>>()?;
        let label = row
            .cell(2)
            .parse()
            .map_err(|_| rows.error(row.line, format!("label `{}` is not a number", row.cell(2))))?;
        nodes.push((id, features, label));
    }
    let count = nodes.len();
    nodes.sort_by_key(|node| node.0);
    if let Some(at) = (0..count).find(|&at| nodes[at].0 != at) {
        return Err(Error::Format {
            path: folder.join(NODES),
            what: format!("{count} nodes, but node {at} is missing or occurs twice"),
        });
    }
    let broken = |what| Error::Format { path: folder.join(NODES), what };
    let features = if let Some(amount) = amount {
        marked(&nodes, amount.unwrap_or(0)).map_err(broken)?
    } else {
        let width = nodes.first().map_or(0, |node| node.1.len());
        if let Some(node) = nodes.iter().find(|node| node.1.len() != width) {
            return Err(broken(format!(
                "node {} has {} features, but node 0 has {width}",
                node.0,
                node.1.len()
            )));
        }
        let values = nodes.iter().flat_map(|node| node.1.clone()).collect();
        Features::from_dense(Matrix::from_vec(count, width, values))
    };
    let edges = edges(folder, count)?;
    Graph::from_edges(name, count, &edges)?
        .with_features(features)?
        .with_labels(nodes.iter().map(|node| node.2.max(-1)).collect())
}

/// Rows that are 1 in the listed columns. The amount in Actor's header is one too small for its largest
/// column.
fn marked(nodes: &[(usize, Vec<f32>, i32)], amount: usize) -> std::result::Result<Features, String> {
    const MOST: usize = 1 << 24;
    let mut width = amount;
    let mut rows = Vec::with_capacity(nodes.len());
    for (id, columns, _) in nodes {
        let column = |&c: &f32| {
            if c >= 0.0 && c.fract() == 0.0 && c < MOST as f32 {
                Ok(c as u32)
            } else {
                Err(format!("node {id} has column {c}"))
            }
        };
        let mut own: Vec<u32> = columns.iter().map(column).collect::<std::result::Result<_, _>>()?;
        own.sort_unstable();
        own.dedup();
        width = width.max(own.last().map_or(0, |&top| top as usize + 1));
        rows.push(own);
    }
    let ones = rows.into_iter().map(|own| {
        let ones = vec![1.0; own.len()];
        (own, ones)
    });
    Ok(Features::Sparse(Csr::from_rows(width, ones)))
}

fn edges(folder: &Path, nodes: usize) -> Result<Vec<Pair>> {
    let mut rows = Table::open(&folder.join(EDGES))?;
    let mut edges = Vec::new();
    let mut first = true;
    while let Some(row) = rows.next_row()? {
        // The first line names the columns.
        if std::mem::take(&mut first) && row.cell(0).parse::<f64>().is_err() {
            continue;
        }
        edges.push(node_pair(&rows, &row, nodes)?);
    }
    Ok(edges)
}
