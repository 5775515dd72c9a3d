//! Edge lists and node tables with ids of any kind, from text or Parquet. Lists of plain numbers are read by
//! `numbered`.

use std::path::Path;

use super::ids::Ids;
use super::layout::EdgeLayout;
use super::nodes::{self, JoinChoice};
use super::times::TimesReader;
use super::{LoadParams, numbered, two_sides};
use crate::row::Row;
use crate::table::Table;
use crate::whole::{Written, written};
use netinfof::Exec;
use netinfof::graph::Schema;
use netinfof::{Error, Result};
use netinfof::{Graph, Pair};

/// Reads an edge list: two id columns, the first two unless they are named. Other columns are not used, with
/// a notice.
pub(super) fn from_edge_list(path: &Path, name: &str, params: &LoadParams, exec: &Exec) -> Result<Graph> {
    let konect = of_konect(path, name, params, exec)?;
    let params = konect.as_ref().unwrap_or(params);
    let layout = EdgeLayout::of(&mut Table::open(path)?, params, path)?;
    if two_sides::side_names(&layout, params).is_some() {
        return two_sides::read(path, name, params, exec);
    }
    // Parts of a table are left to the general reader.
    let plain = params.nodes.is_empty()
        && params.ends.is_none()
        && path.is_file()
        && layout.weight.is_none()
        && layout.time.is_none()
        && !params.directed;
    if plain && let Some(graph) = numbered::read(path, name, &layout, exec)? {
        let rows = graph.edge_count() + graph.duplicates() + graph.self_loops();
        layout.check_counts(rows, params, path)?;
        layout.notice(name, params, exec);
        return Ok(graph.with_schema(layout.schema()));
    }
    from_named_list(path, name, params, exec)
}

/// The parameters that the first comment of a list of KONECT implies: `% bip` means two kinds of nodes.
fn of_konect(path: &Path, name: &str, params: &LoadParams, exec: &Exec) -> Result<Option<LoadParams>> {
    let mut table = Table::open(path)?;
    if !params.directed && table.begins_with("% asym ")? {
        exec.notice(format!(
            "{name}: the first line declares directions, which are not used: give `directed` to use them"
        ));
    }
    let is_bipartite = params.bipartite.is_none() && table.begins_with("% bip ")?;
    Ok(is_bipartite.then(|| LoadParams { bipartite: Some(true), ..params.clone() }))
}

/// Every id of the edges.
fn ids_of_edges(path: &Path, params: &LoadParams) -> Result<Ids> {
    let mut rows = Table::open(path)?;
    let layout = EdgeLayout::of(&mut rows, params, path)?;
    rows.only(&layout.ends)?;
    let (mut ids, mut row) = (Ids::default(), Row::default());
    while rows.read(&mut row)? {
        for column in layout.ends {
            let cell = row.id(column).map_err(|what| rows.error(row.line, what))?;
            ids.number(&cell, row.line)?;
        }
    }
    Ok(ids)
}

/// The same for ids of any kind.
pub(super) fn from_named_list(path: &Path, name: &str, params: &LoadParams, exec: &Exec) -> Result<Graph> {
    let mut ids = Ids::default();
    let edge_ids = || ids_of_edges(path, params);
    let table =
        if params.nodes.is_empty() { None } else { Some(nodes::read(params, &mut ids, &edge_ids, exec)?) };
    // Edge ids that are written as floats can be looked up in a table of whole numbers.
    let whole_table = table.is_some() && ids.notation.all_numbers;
    let known = ids.names.len();
    let mut edges: Vec<Pair> = Vec::new();
    let mut weights: Vec<f32> = Vec::new();
    let mut first_unknown = Vec::new();
    let mut rows = Table::open(path)?;
    let mut layout = EdgeLayout::of(&mut rows, params, path)?;
    rows.only(&layout.used())?;
    let mut times = TimesReader::of(&layout);
    let mut row = Row::default();
    while rows.read(&mut row)? {
        if edges.len().is_multiple_of(1 << 20) {
            exec.check()?;
        }
        layout.check_row(&row, &rows)?;
        let mut edge = [0; 2];
        for (end, column) in edge.iter_mut().zip(layout.ends) {
            let mut cell = row.id(column).map_err(|what| rows.error(row.line, what))?;
            if whole_table && let Written::Float(Ok(value)) = written(&cell) {
                cell = value.to_string().into();
            }
            let before = ids.names.len();
            *end = ids.number(&cell, row.line)?;
            // Each is reported with its first line.
            if table.is_some() && ids.names.len() > before && first_unknown.len() < 3 {
                first_unknown.push(format!("`{cell}` ({})", rows.place(row.line)));
            }
        }
        weights.extend(layout.weight_in(&row).map_err(|what| rows.error(row.line, what))?);
        edges.push(edge);
        if let Some(times) = &mut times {
            times.read(&row, &rows)?;
        }
    }
    let first =
        settle_first_row(&mut layout, &mut edges, &mut weights, &mut ids, table.is_some(), name, exec)?;
    if let (Some(first), Some(times)) = (first, &mut times) {
        times.read(&first, &rows)?;
    }
    if edges.is_empty() {
        return Err(Error::Format { path: path.into(), what: "a header but no edges".into() });
    }
    if table.is_some() && ids.names.len() > known {
        let unknown = ids.names.len() - known;
        let advice = edge_ids().ok().and_then(|edges| JoinChoice::advice(params, &edges, exec));
        let what = format!(
            "{unknown} id{} of {} {} not in the node table, such as {}{}",
            if unknown == 1 { "" } else { "s" },
            path.display(),
            if unknown == 1 { "is" } else { "are" },
            first_unknown.join(", "),
            advice.map_or(String::new(), |advice| format!("; {advice}")),
        );
        return Err(Error::InvalidGraph { what });
    }
    layout.check_counts(edges.len(), params, path)?;
    layout.notice(name, params, exec);
    if table.is_none() {
        ids.notice_doubts(name, exec);
        if let Some((line, what)) = ids.notation.fault.take().filter(|_| ids.notation.all_numbers) {
            let what = format!(
                "{what}; ids that are numbers must be whole; a table of measurements is not an edge list"
            );
            return Err(rows.error(line, what));
        }
        ids.make_whole(&mut edges)?;
        ids.sort_numeric(&mut edges);
    }
    let names = ids.into_names();
    let list = EdgeRows { edges, weights, times };
    let (mut graph, mut schema) = list.graph(name, names.len(), &layout, params, exec)?;
    if let Some(table) = table {
        let isolated: Vec<usize> = (0..graph.nodes()).filter(|&node| graph.degree(node) == 0).collect();
        let some: Vec<String> = isolated.iter().take(3).map(|&node| format!("`{}`", names[node])).collect();
        let such = if some.is_empty() { String::new() } else { format!(", such as {}", some.join(", ")) };
        exec.notice(format!(
            "{known} nodes in the node table, {} of them without an edge{such}; it contains all {} ids of the edges",
            isolated.len(),
            known - isolated.len()
        ));
        graph = table.put_on(graph, &mut schema)?;
    }
    Ok(graph.with_ids(names).with_schema(schema))
}

/// The edges of a list, with what its other columns hold of them.
pub(super) struct EdgeRows {
    pub(super) edges: Vec<Pair>,
    /// One per edge, if weights are asked for.
    pub(super) weights: Vec<f32>,
    pub(super) times: Option<TimesReader>,
}

impl EdgeRows {
    /// The graph with weights, directions and times, as far as they are asked for, and what was read.
    pub(super) fn graph(
        self,
        name: &str,
        nodes: usize,
        layout: &EdgeLayout,
        params: &LoadParams,
        exec: &Exec,
    ) -> Result<(Graph, Schema)> {
        let EdgeRows { edges, weights, times } = self;
        let listed = (params.directed || layout.weight.is_some()).then(|| edges.clone());
        let contacts = if times.is_some() { edges.clone() } else { Vec::new() };
        let mut graph = numbered::joined(name, nodes, edges, exec)?;
        if let Some(listed) = listed {
            let part = layout.weight_name();
            let weights = part.as_deref().map(|part| (weights, part));
            graph = super::weights::of_edges(graph, listed, weights, params, exec)?;
        }
        let mut schema = layout.schema();
        if let Some(times) = times {
            graph = times.put_on(graph, &contacts, &mut schema)?;
        }
        Ok((graph, schema))
    }
}

/// The ids of the ends of edges: of one kind, or of two.
pub(super) trait EndIds {
    /// The number of a known id at this end.
    fn find_end(&self, end: usize, id: &str) -> Option<u32>;
    /// The number of an id at this end, which is added if it is new; `line` is its line.
    fn number_end(&mut self, end: usize, id: &str, line: usize) -> Result<u32>;
    /// How often the two nodes are ends.
    fn uses(&self, edges: &[Pair], pair: Pair) -> usize;
}

impl EndIds for Ids {
    fn find_end(&self, _: usize, id: &str) -> Option<u32> {
        self.find(id)
    }

    fn number_end(&mut self, _: usize, id: &str, line: usize) -> Result<u32> {
        self.number(id, line)
    }

    fn uses(&self, edges: &[Pair], pair: Pair) -> usize {
        edges.iter().flatten().filter(|end| pair.contains(end)).count()
    }
}

/// Decides whether the first row is a header or an edge, once all ids are known, and issues a notice. Returns the
/// row if it is an edge that was taken for a header.
pub(super) fn settle_first_row(
    layout: &mut EdgeLayout,
    edges: &mut Vec<Pair>,
    weights: &mut Vec<f32>,
    ids: &mut impl EndIds,
    table: bool,
    name: &str,
    exec: &Exec,
) -> Result<Option<Row>> {
    let mut edge_row = None;
    if let Some((row, _)) = layout.likely.take_if(|(row, _)| {
        let [i, j] = [0, 1].map(|end| ids.find_end(end, &row.cell(layout.ends[end])).is_some());
        // Every node is in the table, so at most one name of a header is in it by chance.
        if table { i && j } else { i || j }
    }) {
        layout.names = None;
        layout.header_lines = 0;
        let mut cells = [String::new(), String::new()];
        let mut edge = [0; 2];
        for (at, column) in layout.ends.into_iter().enumerate() {
            cells[at] = row.cell(column).into_owned();
            edge[at] = ids.number_end(at, &cells[at], row.line)?;
        }
        let fault = |what: String| Error::InvalidGraph { what: format!("line {}: {what}", row.line) };
        weights.extend(layout.weight_in(&row).map_err(fault)?);
        edges.push(edge);
        let [a, b] = cells;
        exec.notice(format!(
            "{name}: line {} (`{a}`, `{b}`) is read as an edge and not as column names, because these ids occur again",
            row.line
        ));
        edge_row = Some(row);
    }
    let Some((line, [a, b])) = &layout.doubtful_edge else { return Ok(edge_row) };
    let (Some(i), Some(j)) = (ids.find_end(0, a), ids.find_end(1, b)) else { return Ok(edge_row) };
    let uses = ids.uses(edges, [i, j]);
    if edges.len() > 1 && uses == 2 && !table {
        exec.notice(format!(
            "{name}: line {line} (`{a}`, `{b}`) is read as an edge; its ids occur nowhere else: if they name the columns, give them as `ends`"
        ));
    }
    Ok(edge_row)
}
