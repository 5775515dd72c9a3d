//! Lists of neighbours: a node and its neighbours per line, as networkx and recommenders write them.

use std::collections::HashSet;
use std::path::Path;

use super::ids::Ids;
use super::layout::UNUSED;
use super::{LoadParams, numbered, two_sides};
use crate::row::Row;
use crate::table::Table;
use netinfof::graph::Schema;
use netinfof::{Error, Exec, Graph, Pair, Result};

/// Whether a text without a header has lines of different lengths, some of them long, of whole numbers.
pub(super) fn is(path: &Path) -> Result<bool> {
    if !std::fs::metadata(path).map_err(|e| Error::io(path, e))?.is_file() {
        return Ok(false);
    }
    let mut rows = Table::open(path)?.uneven();
    if rows.is_named() {
        return Ok(false);
    }
    let (sample, _) = rows.peek();
    let lengths: HashSet<usize> = sample.iter().map(Row::len).collect();
    let whole = |row: &Row| row.cells().all(|cell| cell.bytes().all(|byte| byte.is_ascii_digit()));
    Ok(lengths.len() > 1 && lengths.iter().any(|&length| length > 3) && sample.iter().all(whole))
}

/// Reads lists of two kinds of nodes, such as users and their items, as recommenders write them.
fn of_two_kinds(path: &Path, name: &str, exec: &Exec) -> Result<Graph> {
    let mut found: [two_sides::Side; 2] = Default::default();
    let mut edges: Vec<Pair> = Vec::new();
    let mut rows = Table::open(path)?.uneven();
    let mut row = Row::default();
    while rows.read(&mut row)? {
        if edges.len().is_multiple_of(1 << 16) {
            exec.check()?;
        }
        let id = row.id(0).map_err(|what| rows.error(row.line, what))?;
        let own = found[0].ids.number(&id, row.line)?;
        for cell in row.cells().skip(1).filter(|cell| !cell.is_empty()) {
            edges.push([own, found[1].ids.number(&cell, row.line)?]);
        }
    }
    for side in &mut found {
        if let Some((line, what)) = side.ids.number_fault() {
            return Err(rows.error(line, format!("{what}; ids that are numbers must be whole")));
        }
    }
    two_sides::number_nodes(&mut found, &mut edges)?;
    exec.notice(format!("{name}: every line is read as a node of one side and its neighbours of the other"));
    let (ids, sides) = two_sides::named(found, Vec::new(), two_sides::default_names(), name, exec);
    let graph = numbered::joined(name, ids.len(), edges, exec)?;
    graph.with_ids(ids).with_schema(schema()).with_sides(sides)
}

fn schema() -> Schema {
    let mut schema = Schema::new("lists of neighbours");
    schema.ends = vec!["column 1".into(), "the other columns".into()];
    schema
}

/// Reads lists in one id space, unless the graph is declared as bipartite. Unless `asked`, lists are refused whose first ids and neighbours could be of
/// two kinds, such as users and items: user 5 and item 5 would become one node.
pub(super) fn graph(path: &Path, name: &str, asked: bool, params: &LoadParams, exec: &Exec) -> Result<Graph> {
    if params.bipartite == Some(true) {
        return of_two_kinds(path, name, exec);
    }
    let mut ids = Ids::default();
    let mut edges: Vec<Pair> = Vec::new();
    let mut firsts = HashSet::new();
    let mut repeated = None;
    let mut rows = Table::open(path)?.uneven();
    let mut row = Row::default();
    while rows.read(&mut row)? {
        if edges.len().is_multiple_of(1 << 16) {
            exec.check()?;
        }
        let id = row.id(0).map_err(|what| rows.error(row.line, what))?;
        let own = ids.number(&id, row.line)?;
        if !firsts.insert(own) && repeated.is_none() {
            repeated = Some((row.line, id.into_owned()));
        }
        for at in 1..row.len() {
            let cell = row.cell(at);
            if !cell.is_empty() {
                edges.push([own, ids.number(&cell, row.line)?]);
            }
        }
    }
    if !asked {
        if let Some((line, id)) = repeated {
            let what = format!(
                "lines of different lengths; `{id}` begins several of them, so they are not lists of neighbours: write one edge per line, or give the format `neighbours`"
            );
            return Err(rows.error(line, what));
        }
        let all: HashSet<Pair> = edges.iter().copied().collect();
        let both_ways = all.iter().filter(|[i, j]| all.contains(&[*j, *i])).count();
        let one_kind =
            edges.iter().all(|[_, j]| firsts.contains(j)) && (both_ways == all.len() || both_ways == 0);
        if !one_kind {
            let what = "looks like lists of neighbours whose first ids and other ids may be of two kinds, such as users and items; declare the graph as bipartite if they are, or give the format `neighbours` if all ids are of one kind";
            return Err(Error::Format { path: path.into(), what: what.into() });
        }
    }
    if !params.nodes.is_empty() {
        return Err(Error::param("nodes", "a node table", "an edge list as GRAPH, with one edge per line"));
    }
    if let Some((line, what)) = ids.notation.fault.take().filter(|_| ids.notation.all_numbers) {
        return Err(rows.error(line, format!("{what}; ids that are numbers must be whole")));
    }
    ids.make_whole(&mut edges)?;
    ids.sort_numeric(&mut edges);
    exec.notice(format!("{name}: every line is read as a node and its neighbours; {UNUSED}"));
    let names = ids.into_names();
    Ok(numbered::joined(name, names.len(), edges, exec)?.with_ids(names).with_schema(schema()))
}
