//! Bipartite edge lists: the two id columns hold two kinds of nodes, such as users and items. Ids of different
//! columns are different nodes, even if they are written alike.

use std::collections::HashSet;
use std::path::Path;

use super::ids::Ids;
use super::layout::{EdgeLayout, plain};
use super::nodes::{self, NodeTable};
use super::times::TimesReader;
use super::{LoadParams, numbered};
use crate::row::Row;
use crate::table::Table;
use netinfof::Exec;
use netinfof::graph::Sides;
use netinfof::{Error, Result};
use netinfof::{Features, Graph, NodeId, Pair};

/// Names of columns that hold the two kinds of nodes of a bipartite graph, without `id` and punctuation.
const ACTORS: [&str; 7] = ["user", "customer", "reviewer", "reader", "viewer", "listener", "author"];
const OBJECTS: [&str; 16] = [
    "item",
    "movie",
    "film",
    "artist",
    "product",
    "book",
    "song",
    "track",
    "business",
    "restaurant",
    "venue",
    "shop",
    "store",
    "place",
    "paper",
    "article",
];

/// The names of the two sides, if the list is bipartite: because that was stated, or by the names of its columns.
pub(super) fn side_names(layout: &EdgeLayout, params: &LoadParams) -> Option<[String; 2]> {
    let names = layout.names.as_ref().map(|names| layout.ends.map(|at| kind(&names[at])));
    match params.bipartite {
        Some(false) => None,
        // Names that are equal, or that are no names, do not name sides.
        Some(true) => {
            let distinct = |[a, b]: &[String; 2]| a != b && !a.is_empty() && !b.is_empty();
            Some(names.filter(distinct).unwrap_or_else(|| ["user", "item"].map(String::from)))
        }
        None => names.filter(|[a, b]| {
            let are = |first: &String, second: &String| {
                ACTORS.contains(&first.as_str()) && OBJECTS.contains(&second.as_str())
            };
            are(a, b) || are(b, a)
        }),
    }
}

/// The name of a side from the name of its column: `User ID` and `userId` are `user`.
fn kind(column: &str) -> String {
    let name = plain(column);
    name.strip_suffix("id").filter(|rest| !rest.is_empty()).unwrap_or(&name).to_string()
}

/// The nodes of one side: their ids in order of appearance, and at the end in order of numbers.
#[derive(Default)]
struct Side {
    ids: Ids,
}

impl Side {
    /// Sorts ids that are numbers, and returns for each node its new number.
    fn settle(&mut self) -> Result<Vec<NodeId>> {
        let mut numbers: Vec<Pair> = (0..self.ids.len() as NodeId).map(|node| [node, node]).collect();
        self.ids.make_whole(&mut numbers)?;
        self.ids.sort_numeric(&mut numbers);
        Ok(numbers.into_iter().map(|pair| pair[0]).collect())
    }
}

/// Reads the list. Nodes of the first column come first.
pub(super) fn read(
    path: &Path,
    name: &str,
    sides: [String; 2],
    params: &LoadParams,
    exec: &Exec,
) -> Result<Graph> {
    let mut rows = Table::open(path)?;
    let layout = EdgeLayout::of(&mut rows, params, path)?;
    rows.only(&layout.used())?;
    let mut times = TimesReader::of(&layout);
    let mut found = [Side::default(), Side::default()];
    let mut edges: Vec<Pair> = Vec::new();
    let mut weights: Vec<f32> = Vec::new();
    let mut row = Row::default();
    while rows.read(&mut row)? {
        if edges.len().is_multiple_of(1 << 20) {
            exec.check()?;
        }
        let mut edge = [0; 2];
        for ((end, side), column) in edge.iter_mut().zip(&mut found).zip(layout.ends) {
            let cell = row.id(column).map_err(|what| rows.error(row.line, what))?;
            *end = side.ids.number(&cell, row.line)?;
        }
        weights.extend(layout.weight_in(&row).map_err(|what| rows.error(row.line, what))?);
        edges.push(edge);
        if let Some(times) = &mut times {
            times.read(&row, &rows)?;
        }
    }
    if edges.is_empty() {
        return Err(Error::Format { path: path.into(), what: "a header but no edges".into() });
    }
    for side in &mut found {
        if let Some((line, what)) = side.ids.number_fault() {
            return Err(rows.error(line, format!("{what}; ids that are numbers must be whole")));
        }
    }
    layout.notice(name, params, exec);
    let numbers = [found[0].settle()?, found[1].settle()?];
    let count = found[0].ids.len() as NodeId;
    for [i, j] in &mut edges {
        *i = numbers[0][*i as usize];
        *j = count + numbers[1][*j as usize];
    }
    let second: HashSet<&String> = found[1].ids.names().iter().collect();
    let shared = found[0].ids.names().iter().find(|id| second.contains(id));
    let qualified = shared.is_some();
    let sizes = [0, 1].map(|side| found[side].ids.len());
    let written = shared.map_or(String::new(), |id| {
        let [a, b] = &sides;
        format!("; ids occur on both sides, so nodes are written as `{a}:{id}` and `{b}:{id}`")
    });
    exec.notice(format!(
        "{name}: bipartite, {} nodes on the side `{}` and {} on the side `{}`{written}",
        sizes[0], sides[0], sizes[1], sides[1]
    ));
    let second = (0..sizes[0] + sizes[1]).map(|node| node >= sizes[0]).collect();
    let known = Sides::new(second).named(sides).with_qualified_ids(qualified);
    let sides_of = [0, 1].map(|side| (side, found[side].ids.names()));
    let ids: Vec<String> = sides_of
        .into_iter()
        .flat_map(|(side, ids)| ids.iter().map(move |id| (side, id)))
        .map(|(side, id)| known.qualified(side, id))
        .collect();
    let nodes = Nodes { ids, known };
    let plain_ids = || {
        let mut all = Ids::default();
        for id in found.iter().flat_map(|side| side.ids.names()) {
            all.number(id, 0)?;
        }
        Ok(all)
    };
    let table = if params.nodes.is_empty() { None } else { Some(nodes.table(params, &plain_ids, exec)?) };
    let Nodes { mut ids, mut known } = nodes;
    if let Some((_, more)) = &table {
        let second = known.second().iter().copied().chain(more.iter().map(|own| own.1)).collect();
        known = Sides::new(second).named(known.names().clone()).with_qualified_ids(qualified);
        ids.extend(more.iter().map(|own| own.0.clone()));
    }
    let listed = (params.directed || layout.weight.is_some()).then(|| edges.clone());
    let contacts = if times.is_some() { edges.clone() } else { Vec::new() };
    let mut graph = numbered::joined(name, ids.len(), edges, exec)?;
    if let Some(listed) = listed {
        let part = layout.weight_name();
        let weights = part.as_deref().map(|part| (weights, part));
        graph = super::weights::of_edges(graph, listed, weights, params, exec)?;
    }
    let mut schema = layout.schema();
    if let Some(times) = times {
        graph = times.put_on(graph, &contacts, &mut schema)?;
    }
    if let Some((table, _)) = table {
        graph = table.put_on(graph, &mut schema)?;
    }
    graph.with_ids(ids).with_schema(schema).with_sides(known)
}

/// The nodes of the edges.
struct Nodes {
    ids: Vec<String>,
    known: Sides,
}

impl Nodes {
    /// The node table in the order of the nodes, followed by nodes without edges, each with its id and whether
    /// it is on the second side.
    fn table(
        &self,
        params: &LoadParams,
        edges: nodes::EdgeIds<'_>,
        exec: &Exec,
    ) -> Result<(NodeTable, Vec<(String, bool)>)> {
        let mut ids = Ids::default();
        let mut table = nodes::read(params, &mut ids, edges, exec)?;
        let path = &params.nodes[0];
        let fault = |what: String| Error::Format { path: path.clone(), what };
        let mut numbers = Ids::default();
        for id in &self.ids {
            numbers.number(id, 0)?;
        }
        let mut row_of: Vec<Option<usize>> = vec![None; self.ids.len()];
        let mut more = Vec::new();
        let mut rows_of_more = Vec::new();
        let names = self.known.names();
        for (row, id) in ids.names().iter().enumerate() {
            let side =
                (0..2).find(|&side| id.strip_prefix(&names[side]).is_some_and(|rest| rest.starts_with(':')));
            let plain = side.map_or(id.as_str(), |side| &id[names[side].len() + 1..]);
            let wanted: Vec<usize> = side.map_or(vec![0, 1], |side| vec![side]);
            let mut nodes: Vec<NodeId> = wanted
                .iter()
                .filter_map(|&side| {
                    let node = numbers.find(&self.known.qualified(side, plain))?;
                    (self.known.of(node) == side).then_some(node)
                })
                .collect();
            nodes.dedup();
            match (nodes[..].split_first(), side) {
                (Some((_, [_, ..])), _) => {
                    let [a, b] = names;
                    return Err(fault(format!("id `{id}` is on both sides; write `{a}:{id}` or `{b}:{id}`")));
                }
                (Some((&node, [])), _) => {
                    if row_of[node as usize].replace(row).is_some() {
                        return Err(fault(format!("id `{id}` occurs twice in the node table")));
                    }
                }
                (None, Some(side)) => {
                    more.push((self.known.qualified(side, plain), side == 1));
                    rows_of_more.push(row);
                }
                (None, None) => {
                    let [a, b] = names;
                    return Err(fault(format!(
                        "id `{id}` is not in the edge list, so its side is unknown; write `{a}:{id}` or `{b}:{id}`"
                    )));
                }
            }
        }
        if let Some(missing) = row_of.iter().position(Option::is_none) {
            let count = row_of.iter().filter(|row| row.is_none()).count();
            return Err(fault(format!(
                "{count} of {} nodes of the edges are not in the node table, such as `{}`",
                self.ids.len(),
                self.ids[missing]
            )));
        }
        let order: Vec<usize> = row_of.into_iter().flatten().chain(rows_of_more).collect();
        let rows: Vec<NodeId> = order.iter().map(|&row| row as NodeId).collect();
        table.target = table.target.map(|target| target.rows_of(&order)).transpose()?;
        table.features = match table.features {
            Features::None => Features::None,
            features => features.rows_of(&rows),
        };
        Ok((table, more))
    }
}
