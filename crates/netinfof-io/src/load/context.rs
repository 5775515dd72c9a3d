//! Context: files of edges of other relations, such as the brands of items, that serve as structure.
//!
//! The names of a file's two columns say which nodes they hold: those of a side of a bipartite graph, those of the
//! graph, or nodes of another type, whose ids are independent of those of the graph. Ids alone cannot say this: item 5
//! and brand 5 are different nodes.

use std::collections::HashMap;
use std::path::Path;

use super::layout::is_id_name;
use super::splits::{IdColumns, by_side};
use super::two_sides;
use crate::row::Row;
use crate::table::Table;
use netinfof::Exec;
use netinfof::graph::{ContextNodes, Relation};
use netinfof::{Error, Result};
use netinfof::{Graph, NodeId};

/// The nodes that a column holds.
enum ColumnNodes {
    /// Those of the graph, which all must be known.
    Own,
    /// Those of a side of the graph. Others of the same kind are context nodes.
    Side(usize),
    /// Those of another type, by its name.
    Other,
}

/// Context nodes, by type and id.
#[derive(Default)]
struct Numbers {
    types: Vec<String>,
    nodes: HashMap<(usize, String), NodeId>,
    found: ContextNodes,
}

impl Numbers {
    fn of(&mut self, kind: &str, id: &str, first: usize) -> Result<NodeId> {
        let at = self.types.iter().position(|own| own == kind).unwrap_or_else(|| {
            self.types.push(kind.into());
            self.types.len() - 1
        });
        if let Some(&node) = self.nodes.get(&(at, id.to_string())) {
            return Ok(node);
        }
        let count = first + self.found.names.len();
        let node = NodeId::try_from(count).map_err(|_| Error::InvalidGraph {
            what: format!("{count} nodes with context; at most {} are possible", NodeId::MAX),
        })?;
        self.nodes.insert((at, id.to_string()), node);
        self.found.names.push(format!("{kind}:{id}"));
        self.found.types.push(at as u32);
        Ok(node)
    }
}

/// The graph with the relations of these files as context.
pub(super) fn put_on(graph: Graph, paths: &[impl AsRef<Path>], exec: &Exec) -> Result<Graph> {
    if paths.is_empty() {
        return Ok(graph);
    }
    let mut numbers = Numbers::default();
    let relations = paths
        .iter()
        .map(|path| relation(&graph, path.as_ref(), &mut numbers, exec))
        .collect::<Result<_>>()?;
    let (graph, notices) = graph.with_context(relations, numbers.found)?;
    for notice in notices {
        exec.notice(notice);
    }
    if let Some(context) = graph.context() {
        let of = |own: &netinfof::graph::RelationFacts| format!("`{}` ({})", own.name, own.edges);
        let relations: Vec<String> = context.relations().iter().map(of).collect();
        exec.notice(format!(
            "context: {} edges of {}; they are structure, and are not predicted",
            context.edge_count(),
            relations.join(", ")
        ));
    }
    Ok(graph)
}

/// Reads a file of two columns of ids.
fn relation(graph: &Graph, path: &Path, numbers: &mut Numbers, exec: &Exec) -> Result<Relation> {
    let number = by_side(graph);
    let mut rows = Table::open(path)?;
    let is_node = |id: &str| (0..2).any(|side| number(id, side).is_some());
    let columns = match named_columns(graph, &mut rows, is_node)? {
        Some(columns) => columns,
        None => IdColumns::<2>::of(&mut rows, |_| None, is_node)?,
    };
    if columns.width < 2 {
        let what = format!("{} column; an edge of the context needs two ids", columns.width);
        return Err(Error::Format { path: path.into(), what });
    }
    let (kinds, held) = column_nodes(graph, &columns, path)?;
    let mut edges = Vec::new();
    let mut unknown = [0usize; 2];
    let mut row = Row::default();
    while rows.read(&mut row)? {
        if edges.len().is_multiple_of(1 << 20) {
            exec.check()?;
        }
        if row.len() < 2 {
            return Err(rows.error(row.line, "one column; an edge of the context needs two ids"));
        }
        let mut edge = [0; 2];
        for at in 0..2 {
            let id = row.id(columns.ids[at]).map_err(|what| rows.error(row.line, what))?;
            edge[at] = match held[at] {
                ColumnNodes::Own => number(&id, 0).ok_or_else(|| {
                    let what = format!(
                        "`{id}` is not a node of the graph; give the file a header that names its columns if it holds nodes of another type"
                    );
                    rows.error(row.line, what)
                })?,
                ColumnNodes::Side(side) => {
                    let is_of_side = |node: &NodeId| graph.sides().is_some_and(|own| own.of(*node) == side);
                    if let Some(node) = number(&id, side).filter(is_of_side) {
                        node
                    } else {
                        unknown[at] += 1;
                        numbers.of(&kinds[at], &id, graph.nodes())?
                    }
                }
                ColumnNodes::Other => numbers.of(&kinds[at], &id, graph.nodes())?,
            };
        }
        edges.push(edge);
    }
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    columns.notice(path, "context edges", None, exec);
    for at in 0..2 {
        if unknown[at] > 0 {
            exec.notice(format!(
                "context `{name}`: {} of {} ids in column `{}` have no edge in the graph; they are structure only",
                unknown[at],
                edges.len(),
                kinds[at]
            ));
        }
    }
    Ok(Relation { name, edges })
}

/// The columns of a text whose first line names one of the graph's nodes, whatever the others look like.
fn named_columns(
    graph: &Graph,
    rows: &mut Table,
    is_node: impl Fn(&str) -> bool,
) -> Result<Option<IdColumns<2>>> {
    if rows.own_names().is_some() {
        return Ok(None);
    }
    let Some(first) = rows.peek().0.first() else { return Ok(None) };
    let names: Vec<String> = first.cells().map(std::borrow::Cow::into_owned).collect();
    if names.len() < 2 || !names[..2].iter().any(|name| names_own_nodes(graph, name) && !is_node(name)) {
        return Ok(None);
    }
    rows.next_row()?;
    Ok(Some(IdColumns { ids: [0, 1], width: names.len(), names: Some(names) }))
}

/// Whether a column of this name holds nodes of the graph.
fn names_own_nodes(graph: &Graph, name: &str) -> bool {
    match graph.sides() {
        Some(sides) => sides.names().iter().any(|side| two_sides::is_of_side(name, side)),
        None => {
            graph.schema().is_some_and(|schema| schema.ends.iter().any(|end| end == name)) || is_id_name(name)
        }
    }
}

/// What the two columns hold, with the names of the types.
fn column_nodes(
    graph: &Graph,
    columns: &IdColumns<2>,
    path: &Path,
) -> Result<([String; 2], [ColumnNodes; 2])> {
    let fault = |what: String| Err(Error::Format { path: path.into(), what });
    let Some(names) = &columns.names else {
        return match graph.sides() {
            None => Ok(([String::new(), String::new()], [ColumnNodes::Own, ColumnNodes::Own])),
            Some(sides) => {
                let [a, b] = sides.names();
                fault(format!(
                    "no names of columns; a first line such as `{b},brand` must say which nodes they hold (the graph's are `{a}` and `{b}`)"
                ))
            }
        };
    };
    let names = columns.ids.map(|at| names[at].clone());
    let own_ends = graph.schema().map_or(&[][..], |schema| &schema.ends);
    let held = names.each_ref().map(|name| match graph.sides() {
        Some(sides) => {
            let side = (0..2).find(|&side| two_sides::is_of_side(name, &sides.names()[side]));
            side.map_or(ColumnNodes::Other, ColumnNodes::Side)
        }
        None if names_own_nodes(graph, name) => ColumnNodes::Own,
        None => ColumnNodes::Other,
    });
    if held.iter().all(|own| matches!(own, ColumnNodes::Other)) {
        let [a, b] = &names;
        let wanted = match (graph.sides(), own_ends) {
            (Some(sides), _) => format!("`{}` or `{}`", sides.names()[0], sides.names()[1]),
            (None, [first, second]) => format!("`{first}` or `{second}`"),
            (None, _) => "`source` or `target`".into(),
        };
        return fault(format!(
            "neither column, `{a}` or `{b}`, is named like one of the graph's nodes; call the column with their ids {wanted}"
        ));
    }
    Ok((names.map(|name| two_sides::kind(&name)), held))
}
