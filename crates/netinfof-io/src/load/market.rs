//! MatrixMarket's coordinate format: `%%MatrixMarket matrix coordinate …`, a line of sizes, one entry per
//! line, numbered from 1.

use std::path::Path;

use super::Table;
use super::{LoadParams, weights};
use netinfof::Exec;
use netinfof::graph::{Graph, NodeId, Pair, Schema, Sides};
use netinfof::{Error, Result};

/// What the third numbers of the entries are called.
const VALUES: &str = "value";

pub(super) const BANNER: &str = "%%MatrixMarket";

/// The graph with this adjacency matrix.
pub(super) fn graph(path: &Path, name: &str, params: &LoadParams, exec: &Exec) -> Result<Graph> {
    let weighted = weights::of_matrix(params, &[VALUES, "3"])?;
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
    // A matrix that is not square is that of a bipartite graph; nodes of the columns follow those of the rows.
    let bipartite = height != width;
    let nodes = if bipartite { height.saturating_add(width) } else { height };
    if NodeId::try_from(nodes).is_err() {
        return Err(
            rows.error(sizes.line, format!("{height} × {width}; at most {} nodes are possible", NodeId::MAX))
        );
    }
    let mut edges: Vec<Pair> = Vec::new();
    let (mut has_values, mut values, mut entries) = (false, Vec::new(), 0usize);
    while let Some(row) = rows.next_row()? {
        let end = |at: usize, most: usize| {
            let found = number(&row.cell(at)).filter(|&v| (1..=most).contains(&v));
            found.and_then(|v| NodeId::try_from(v - 1).ok())
        };
        let (Some(i), Some(j)) = (end(0, height), end(1, width)) else {
            let most = if bipartite { format!("{height} and {width}") } else { height.to_string() };
            return Err(rows.error(row.line, format!("two numbers from 1 to {most} were expected")));
        };
        entries += 1;
        // An entry of zero is no edge, as in other matrices.
        if row.len() > 2 && (2..row.len()).all(|at| row.double(at) == Some(0.0)) {
            continue;
        }
        edges.push([i, if bipartite { height as NodeId + j } else { j }]);
        has_values |= row.len() > 2;
        if weighted {
            let weight = weights::weight_of(&row.cell(2), row.double(2));
            values.push(weight.map_err(|what| rows.error(row.line, what))?);
        }
        exec.check()?;
    }
    if entries != count {
        let what = format!("{entries} entries, but the line of sizes announces {count}");
        return Err(Error::Format { path: path.into(), what });
    }
    let mut lost = Vec::new();
    if has_values && !weighted {
        lost.push("the values of the entries");
    }
    if general && !bipartite && !params.directed && !is_symmetric(&edges) {
        lost.push("the directions of a `general` matrix");
    }
    let offer = if lost.iter().any(|own| own.contains("directions")) { weights::OFFER } else { "" };
    if !lost.is_empty() {
        exec.notice(format!(
            "{name}: {} are not used: {}{offer}",
            lost.join(" and "),
            weights::unused_reason(params, [])
        ));
    }
    let mut graph = Graph::from_edges(name, nodes, &edges)?;
    graph = weights::of_edges(graph, edges, weighted.then_some((values, VALUES)), params, exec)?;
    if weighted {
        graph = graph.with_schema(weights::noted(Schema::new("MatrixMarket"), VALUES));
    }
    if bipartite {
        graph.with_sides(Sides::new((0..nodes).map(|node| node >= height).collect()))
    } else {
        Ok(graph)
    }
}

/// Whether every entry has its mirror image.
fn is_symmetric(edges: &[Pair]) -> bool {
    let mut sorted = edges.to_vec();
    sorted.sort_unstable();
    edges.iter().all(|&[i, j]| sorted.binary_search(&[j, i]).is_ok())
}
