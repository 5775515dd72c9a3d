//! MatrixMarket's coordinate format: `%%MatrixMarket matrix coordinate …`, a line of sizes, one entry per
//! line, numbered from 1.

use std::path::Path;

use super::Table;
use super::layout::UNUSED;
use netinfof::Exec;
use netinfof::graph::{Graph, NodeId, Pair};
use netinfof::{Error, Result};

pub(super) const BANNER: &str = "%%MatrixMarket";

/// The graph with this adjacency matrix.
pub(super) fn graph(path: &Path, name: &str, exec: &Exec) -> Result<Graph> {
    // Lines that begin with % are skipped as comments, the banner among them.
    let mut rows = Table::open(path)?.uneven();
    let general = rows.first_line_contains(" general")?;
    let Some(sizes) = rows.next_row()? else {
        return Err(Error::Format { path: path.into(), what: "no line of sizes".into() });
    };
    let number = |cell: &str| cell.parse::<usize>().ok();
    let [Some(height), Some(width), Some(count)] = [0, 1, 2].map(|at| number(&sizes.cell(at))) else {
        return Err(rows.error(
            sizes.line,
            "rows, columns and entries were expected (a dense `array` is not supported)",
        ));
    };
    if height != width {
        return Err(
            rows.error(sizes.line, format!("{height} × {width}; the adjacency matrix of a graph is square"))
        );
    }
    let mut edges: Vec<Pair> = Vec::new();
    let mut weights = false;
    while let Some(row) = rows.next_row()? {
        let end = |at: usize| {
            let found = number(&row.cell(at)).filter(|&v| (1..=height).contains(&v));
            found.and_then(|v| NodeId::try_from(v - 1).ok())
        };
        let (Some(i), Some(j)) = (end(0), end(1)) else {
            return Err(rows.error(row.line, format!("two numbers from 1 to {height} were expected")));
        };
        edges.push([i, j]);
        weights |= row.len() > 2;
        exec.check()?;
    }
    if edges.len() != count {
        let what = format!("{} entries, but the line of sizes announces {count}", edges.len());
        return Err(Error::Format { path: path.into(), what });
    }
    let mut lost = Vec::new();
    if weights {
        lost.push("the values of the entries");
    }
    if general && !is_symmetric(&edges) {
        lost.push("the directions of a `general` matrix");
    }
    if !lost.is_empty() {
        exec.notice(format!("{name}: {} are not used: {UNUSED}", lost.join(" and ")));
    }
    Graph::from_edges(name, height, &edges)
}

/// Whether every entry has its mirror image.
fn is_symmetric(edges: &[Pair]) -> bool {
    let mut sorted = edges.to_vec();
    sorted.sort_unstable();
    edges.iter().all(|&[i, j]| sorted.binary_search(&[j, i]).is_ok())
}
