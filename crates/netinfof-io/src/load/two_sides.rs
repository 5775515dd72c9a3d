//! Bipartite edge lists: the two id columns hold two kinds of nodes, such as users and items. Ids of different
//! columns are different nodes, even if they are written alike.

use std::collections::HashSet;
use std::path::Path;

use super::LoadParams;
use super::edges::{EdgeRows, EndIds, from_named_list, settle_first_row};
use super::ids::Ids;
use super::layout::{EdgeLayout, plain, stem};
use super::nodes::{self, NodeTable};
use super::times::TimesReader;
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
            Some(names.filter(distinct).unwrap_or_else(default_names))
        }
        None => names.filter(are_sides),
    }
}

/// The names of the two sides, if the names of two columns mean two kinds of nodes, such as `user_id` and `item`.
pub fn sides_of_columns(names: [&str; 2]) -> Option<[String; 2]> {
    Some(names.map(kind)).filter(are_sides)
}

/// Names of sides that have no names of their own.
pub(super) fn default_names() -> [String; 2] {
    ["user", "item"].map(String::from)
}

/// Whether these names of columns, without `id`, mean two kinds of nodes.
pub fn are_sides([a, b]: &[String; 2]) -> bool {
    let are = |first: &String, second: &String| {
        ACTORS.contains(&first.as_str()) && OBJECTS.contains(&second.as_str())
    };
    are(a, b) || are(b, a)
}

/// Whether this is the name of a kind of nodes of a bipartite graph.
pub(super) fn is_kind(name: &str) -> bool {
    ACTORS.contains(&name) || OBJECTS.contains(&name)
}

/// The name of a side from the name of its column: `User ID` and `userId` are `user`.
pub(super) fn kind(column: &str) -> String {
    let name = plain(column);
    let known = |stem: &&str| is_kind(stem);
    let stem = stem(&name).filter(known).or_else(|| name.strip_suffix("id"));
    stem.filter(|rest| !rest.is_empty()).unwrap_or(&name).to_string()
}

/// Whether a column holds nodes of this side, by its name.
pub(super) fn is_of_side(column: &str, side: &str) -> bool {
    let (name, side) = (plain(column), plain(side));
    name == side || kind(column) == side || stem(&name) == Some(&side)
}

/// The nodes of one side: their ids in order of appearance, and at the end in order of numbers.
#[derive(Default)]
pub(super) struct Side {
    pub(super) ids: Ids,
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

impl EndIds for [Side; 2] {
    fn find_end(&self, end: usize, id: &str) -> Option<u32> {
        self[end].ids.find(id)
    }

    fn number_end(&mut self, end: usize, id: &str, line: usize) -> Result<u32> {
        self[end].ids.number(id, line)
    }

    fn uses(&self, edges: &[Pair], pair: Pair) -> usize {
        edges.iter().map(|edge| (0..2).filter(|&end| edge[end] == pair[end]).count()).sum()
    }
}

/// Reads the list. Nodes of the first column come first.
pub(super) fn read(path: &Path, name: &str, params: &LoadParams, exec: &Exec) -> Result<Graph> {
    let mut rows = Table::open(path)?;
    let mut layout = EdgeLayout::of(&mut rows, params, path)?;
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
        layout.check_row(&row, &rows)?;
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
    let first = settle_first_row(&mut layout, &mut edges, &mut weights, &mut found, false, name, exec)?;
    if let (Some(first), Some(times)) = (first, &mut times) {
        times.read(&first, &rows)?;
    }
    if edges.is_empty() {
        return Err(Error::Format { path: path.into(), what: "a header but no edges".into() });
    }
    for side in &mut found {
        if let Some((line, what)) = side.ids.number_fault() {
            return Err(rows.error(line, format!("{what}; ids that are numbers must be whole")));
        }
    }
    layout.check_counts(edges.len(), params, path)?;
    layout.notice(name, params, exec);
    for side in &found {
        side.ids.notice_doubts(name, exec);
    }
    number_nodes(&mut found, &mut edges)?;
    // Without a header nothing names the sides.
    let Some(names) = side_names(&layout, params) else {
        return from_named_list(path, name, params, exec);
    };
    let table = if params.nodes.is_empty() { None } else { Some(table(&found, &names, params, exec)?) };
    let (table, more) = table.unzip();
    let (ids, sides) = named(found, more.unwrap_or_default(), names, name, exec);
    let list = EdgeRows { edges, weights, times };
    let (mut graph, mut schema) = list.graph(name, ids.len(), &layout, params, exec)?;
    if let Some(table) = table {
        graph = table.put_on(graph, &mut schema)?;
    }
    graph.with_ids(ids).with_schema(schema).with_sides(sides)
}

/// Numbers the nodes of both sides: those of the first come first.
pub(super) fn number_nodes(found: &mut [Side; 2], edges: &mut [Pair]) -> Result<()> {
    let numbers = [found[0].settle()?, found[1].settle()?];
    let first = found[0].ids.len() as NodeId;
    for [i, j] in edges {
        *i = numbers[0][*i as usize];
        *j = first + numbers[1][*j as usize];
    }
    Ok(())
}

/// The ids of all nodes and their sides; `more` are nodes without edges.
pub(super) fn named(
    found: [Side; 2],
    more: Vec<(bool, String)>,
    names: [String; 2],
    name: &str,
    exec: &Exec,
) -> (Vec<String>, Sides) {
    let sizes = [0, 1].map(|side| found[side].ids.len());
    let mut ids: Vec<(bool, String)> = Vec::with_capacity(sizes[0] + sizes[1]);
    for (second, side) in [false, true].into_iter().zip(found) {
        ids.extend(side.ids.into_names().into_iter().map(|id| (second, id)));
    }
    ids.extend(more);
    // Nodes without edges may also have the id of a node of the other side.
    let of_first: HashSet<&String> = ids.iter().filter(|own| !own.0).map(|own| &own.1).collect();
    let shared = ids.iter().find(|own| own.0 && of_first.contains(&own.1)).map(|own| &own.1);
    let written = shared.map_or(String::new(), |id| {
        let [a, b] = &names;
        format!("; ids occur on both sides, so nodes are written as `{a}:{id}` and `{b}:{id}`")
    });
    exec.notice(format!(
        "{name}: bipartite, {} nodes on the side `{}` and {} on the side `{}`{written}",
        sizes[0], names[0], sizes[1], names[1]
    ));
    let sides = Sides::new(ids.iter().map(|own| own.0).collect());
    let sides = sides.named(names).with_qualified_ids(shared.is_some());
    let ids = ids.iter().map(|(second, id)| sides.qualified(usize::from(*second), id)).collect();
    (ids, sides)
}

/// The node table in the order of the nodes of the edges, followed by nodes without edges, each with its id and
/// whether it is on the second side.
fn table(
    found: &[Side; 2],
    names: &[String; 2],
    params: &LoadParams,
    exec: &Exec,
) -> Result<(NodeTable, Vec<(bool, String)>)> {
    let plain_ids = || {
        let mut all = Ids::default();
        for id in found.iter().flat_map(|side| side.ids.names()) {
            all.number(id, 0)?;
        }
        Ok(all)
    };
    let mut ids = Ids::default();
    let mut table = nodes::read(params, &mut ids, &plain_ids, exec)?;
    let path = &params.nodes[0];
    let fault = |what: String| Error::Format { path: path.clone(), what };
    let count = found[0].ids.len();
    // Ids that are numbers are in another order than when they were found.
    let mut known = [Ids::default(), Ids::default()];
    for (known, side) in known.iter_mut().zip(found) {
        for id in side.ids.names() {
            known.number(id, 0)?;
        }
    }
    let node = |side: usize, id: &str| Some(known[side].find(id)? as usize + side * count);
    let prefixed = |side: usize, id: &str| {
        let rest = id.strip_prefix(names[side].as_str())?.strip_prefix(':')?;
        (!rest.is_empty()).then(|| rest.to_string())
    };
    // Ids of the edges may already begin with the name of their side.
    let are_prefixed =
        [0, 1].map(|side| found[side].ids.names().iter().all(|id| prefixed(side, id).is_some()));
    let nodes = count + found[1].ids.len();
    let mut row_of: Vec<Option<usize>> = vec![None; nodes];
    let (mut more, mut rows_of_more) = (Vec::new(), Vec::new());
    for (row, id) in ids.names().iter().enumerate() {
        let side = (0..2).find_map(|side| Some((side, prefixed(side, id)?)));
        let [a, b] = names;
        let own = match ([node(0, id), node(1, id)], &side) {
            ([Some(_), Some(_)], _) => {
                return Err(fault(format!("id `{id}` is on both sides; write `{a}:{id}` or `{b}:{id}`")));
            }
            ([Some(own), None] | [None, Some(own)], _) => Some(own),
            ([None, None], Some((side, rest))) => node(*side, rest),
            ([None, None], None) => {
                return Err(fault(format!(
                    "id `{id}` is not in the edge list, so its side is unknown; write `{a}:{id}` or `{b}:{id}`"
                )));
            }
        };
        match (own, side) {
            (Some(own), _) => {
                if row_of[own].replace(row).is_some() {
                    return Err(fault(format!("id `{id}` occurs twice in the node table")));
                }
            }
            (None, Some((side, rest))) => {
                more.push((side == 1, if are_prefixed[side] { id.clone() } else { rest }));
                rows_of_more.push(row);
            }
            (None, None) => unreachable!("such rows are refused above"),
        }
    }
    if let Some(missing) = row_of.iter().position(Option::is_none) {
        let side = usize::from(missing >= count);
        let id = &found[side].ids.names()[missing - side * count];
        let shared = known[1 - side].find(id).is_some();
        let id = if shared { format!("{}:{id}", names[side]) } else { id.clone() };
        let missing = row_of.iter().filter(|row| row.is_none()).count();
        return Err(fault(format!(
            "{missing} of {nodes} nodes of the edges are not in the node table, such as `{id}`"
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
