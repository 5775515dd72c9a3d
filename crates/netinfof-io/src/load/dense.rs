//! Dense adjacency matrices as text: as many lines as columns, optionally with names of the nodes above and
//! to the left.

use std::collections::HashSet;
use std::path::Path;

use super::LoadParams;
use super::layout::is_adjacency;
use super::weights;
use crate::row::Row;
use crate::table::Table;
use netinfof::graph::Schema;
use netinfof::{Error, Exec, Graph, Pair, Result};

/// Matrices with fewer nodes could also be lists of edges.
const FEWEST_NODES: usize = 4;

/// Whether a table is certainly an adjacency matrix: symmetric or of 0 and 1, or with the same names above and
/// to the left.
pub(super) fn is(path: &Path) -> Result<bool> {
    if !std::fs::metadata(path).map_err(|e| Error::io(path, e))?.is_file() {
        return Ok(false);
    }
    let mut rows = Table::open(path)?;
    if rows.is_named() {
        return Ok(false);
    }
    let (sample, all) = rows.peek();
    let Some(width) = sample.first().map(Row::len) else { return Ok(false) };
    if width < FEWEST_NODES {
        return Ok(false);
    }
    if named(&sample[0]) {
        let shown = sample.len() - 1;
        let same = (1..=shown.min(width - 1)).all(|at| sample[at].cell(0) == sample[0].cell(at));
        return Ok(same && shown >= 2 && (!all || shown == width - 1));
    }
    if !all {
        // The first rows of a large matrix: nothing but 0 and 1, in many columns.
        let bit = |row: &Row| (0..width).all(|at| matches!(row.double(at), Some(v) if v == 0.0 || v == 1.0));
        return Ok(width > sample.len() && sample.iter().all(bit));
    }
    Ok(is_adjacency(sample))
}

/// Whether the first row names the nodes: an empty corner, or a word that is no number, before other names.
fn named(first: &Row) -> bool {
    first.len() > 2 && !first.is_number(0) && (first.cell(0).is_empty() || !first.is_number(1))
}

/// What the values of the matrix are called.
const VALUES: &str = "value";

pub(super) fn graph(path: &Path, name: &str, params: &LoadParams, exec: &Exec) -> Result<Graph> {
    let fault = |what: String| Error::Format { path: path.into(), what };
    if !params.nodes.is_empty() {
        return Err(Error::param("nodes", "a node table", "an edge list as GRAPH, with one edge per line"));
    }
    let weighted = weights::of_matrix(params, &[VALUES])?;
    let mut values: Vec<f32> = Vec::new();
    let mut rows = Table::open(path)?;
    let has_names = {
        let (sample, _) = rows.peek();
        sample.first().is_some_and(named)
    };
    let header = if has_names { rows.next_row()? } else { None };
    let names: Option<Vec<String>> =
        header.map(|header| (1..header.len()).map(|at| header.cell(at).into_owned()).collect());
    let shift = usize::from(names.is_some());
    if let Some(names) = &names {
        let mut seen = HashSet::new();
        if let Some(twice) = names.iter().find(|name| !seen.insert(name.as_str())) {
            return Err(fault(format!(
                "two columns have the name `{twice}`; another name per node was expected"
            )));
        }
    }
    let (mut edges, mut node, mut width): (Vec<Pair>, usize, usize) = (Vec::new(), 0, 0);
    let (mut has_values, mut both_ways) = (false, true);
    let mut row = Row::default();
    while rows.read(&mut row)? {
        if node.is_multiple_of(1 << 10) {
            exec.check()?;
        }
        width = row.len() - shift.min(row.len());
        if node >= width {
            return Err(rows.error(
                row.line,
                format!("more than {width} rows for {width} columns; a square was expected"),
            ));
        }
        if let Some(names) = &names
            && names.get(node).is_none_or(|name| *name != row.cell(0))
        {
            let (found, expected) = (row.cell(0), names.get(node).map_or("nothing", String::as_str));
            return Err(
                rows.error(row.line, format!("row `{found}`; `{expected}` was expected, as in the header"))
            );
        }
        for col in 0..width {
            let value = row.double(col + shift).filter(|value| value.is_finite());
            let Some(value) = value else {
                return Err(rows.error(row.line, format!("`{}` is not a number", row.cell(col + shift))));
            };
            if value != 0.0 {
                edges.push([node as u32, col as u32]);
                has_values |= value != 1.0;
                if weighted {
                    let weight = weights::weight_of("", Some(value));
                    values.push(weight.map_err(|what| rows.error(row.line, what))?);
                }
            }
        }
        node += 1;
    }
    if node != width {
        return Err(fault(format!("{node} rows for {width} columns; a square was expected")));
    }
    let mut graph = Graph::from_edges(name, node, &edges)?;
    let doubled = 2 * graph.edge_count() + graph.self_loops();
    both_ways &= doubled == edges.len();
    let lost: Vec<&str> =
        [(has_values && !weighted, "values"), (!both_ways && !params.directed, "directions")]
            .into_iter()
            .filter(|(lost, _)| *lost)
            .map(|(_, what)| what)
            .collect();
    let offer = if lost.contains(&"directions") { weights::OFFER } else { "" };
    if !lost.is_empty() {
        exec.notice(format!(
            "{name}: {} of the matrix are not used: {}{offer}",
            lost.join(" and "),
            weights::unused_reason(params, [])
        ));
    }
    graph = weights::of_edges(graph, edges, weighted.then_some((values, VALUES)), params, exec)?;
    let mut schema = Schema::new("an adjacency matrix");
    schema.header_lines = shift;
    schema.weight = weighted.then(|| VALUES.into());
    let graph = match names {
        Some(names) => graph.with_ids(names),
        None => graph,
    };
    Ok(graph.with_schema(schema))
}
