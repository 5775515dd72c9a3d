//! User-supplied splits, pairs and nodes, by the graph's own ids: tables, npz, folders of the Open Graph
//! Benchmark.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::arrays::npz_pairs;
use super::layout::{FirstRow, first_row, id_column, is_id_name, is_label_name, is_word, known_ends, plain};
use super::times::is_time_name;
use super::{list, ogb, two_sides};
use crate::npz::Npz;
use crate::row::Row;
use crate::table::Table;
use crate::whole::{Written, written};
use netinfof::Exec;
use netinfof::{Error, Result};
use netinfof::{Graph, NodeId, Pair};
use netinfof::{LinkPairs, NodeSets, Pairs};

/// Files of a user-supplied link split.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SplitFiles {
    /// Training edges.
    pub train: PathBuf,
    /// Validation pairs: edges, or pairs with a third column of 1 (edge) and 0 (no edge).
    pub valid: PathBuf,
    /// Test pairs, in the same form.
    pub test: PathBuf,
}

impl SplitFiles {
    /// Three pair files.
    pub fn new(train: impl Into<PathBuf>, valid: impl Into<PathBuf>, test: impl Into<PathBuf>) -> Self {
        SplitFiles { train: train.into(), valid: valid.into(), test: test.into() }
    }
}

/// Reads a user-supplied link split from pair files, by the graph's own ids.
pub fn link_split_files(files: &SplitFiles, graph: &Graph, exec: &Exec) -> Result<LinkPairs> {
    let train = pair_file(&files.train, graph, exec)?;
    if !train.negatives.is_empty() {
        let what =
            format!("{} contains pairs labelled 0; all training pairs must be edges", files.train.display());
        return Err(Error::InvalidSplit { what });
    }
    Ok(LinkPairs {
        train: train.positives,
        valid: pair_file(&files.valid, graph, exec)?,
        test: pair_file(&files.test, graph, exec)?,
    })
}

/// Finds nodes by the graph's own ids. Where all of them are whole numbers, an id may be written as a float.
pub(super) fn by_id(graph: &Graph) -> impl Fn(&str) -> Option<NodeId> {
    let numbers: Option<HashMap<&str, u32>> =
        graph.ids().map(|ids| ids.iter().map(String::as_str).zip(0..).collect());
    let whole = graph.ids().is_none_or(|ids| ids.iter().all(|id| written(id) == Written::Whole));
    let exact = move |cell: &str| match &numbers {
        Some(numbers) => numbers.get(cell).copied(),
        None => cell.parse::<u32>().ok().filter(|&id| (id as usize) < graph.nodes()),
    };
    move |cell| {
        exact(cell).or_else(|| match written(cell) {
            Written::Float(Ok(id)) if whole => exact(&id.to_string()),
            _ => None,
        })
    }
}

/// Finds nodes by their ids; in a bipartite graph an id without the name of its side belongs to the side that is
/// given.
pub(super) fn by_side(graph: &Graph) -> impl Fn(&str, usize) -> Option<NodeId> {
    let number = by_id(graph);
    move |cell, side| {
        let qualified = graph.sides().filter(|sides| sides.has_qualified_ids());
        number(cell).or_else(|| number(&qualified?.qualified(side, cell)))
    }
}

/// The columns of a table that hold ids of the graph, and the names of all columns if it has a header. The
/// header is consumed.
pub(super) struct IdColumns<const N: usize> {
    pub(super) ids: [usize; N],
    pub(super) names: Option<Vec<String>>,
    pub(super) width: usize,
}

impl<const N: usize> IdColumns<N> {
    /// `known` finds the columns by their names; by default they are the first. A first row of words that are
    /// not nodes is a header if it looks like one; otherwise it is read as data and refused.
    pub(super) fn of(
        rows: &mut Table,
        known: impl Fn(&[String]) -> Option<[usize; N]>,
        is_node: impl Fn(&str) -> bool,
    ) -> Result<Self> {
        let first = std::array::from_fn(|at| at);
        if let Some(names) = rows.own_names() {
            let (ids, width) = (known(&names).unwrap_or(first), names.len());
            rows.only(&(0..width).collect::<Vec<_>>())?;
            return Ok(IdColumns { ids, names: Some(names), width });
        }
        let (sample, _) = rows.peek();
        let Some((row, below)) = sample.split_first() else {
            // Returns the error of the first row, if there is one.
            rows.next_row()?;
            return Ok(IdColumns { ids: first, names: None, width: 0 });
        };
        let (names, width): (Vec<String>, _) = (row.cells().map(Cow::into_owned).collect(), row.len());
        let ids = known(&names).unwrap_or(first);
        let words = width >= N && ids.iter().all(|&at| is_word(&names[at]) && !is_node(&names[at]));
        let header = words
            && match first_row(row, below, &ids) {
                FirstRow::Names => true,
                // One word is not enough evidence, unless it is a common column name.
                FirstRow::LikelyNames(_) => N > 1 || ids.iter().all(|&at| is_id_name(&names[at])),
                FirstRow::Data => width == 1 && is_id_name(&names[0]),
            };
        if !header {
            return Ok(IdColumns { ids: first, names: None, width });
        }
        rows.next_row()?;
        Ok(IdColumns { ids, names: Some(names), width })
    }

    /// Issues a notice about the columns that are read, if there is a choice.
    pub(super) fn notice(&self, path: &Path, what: &str, label: Option<usize>, exec: &Exec) {
        if self.names.is_none() && self.width <= N {
            return;
        }
        let column = |at: usize| match &self.names {
            Some(names) => format!("`{}`", names[at]),
            None => (at + 1).to_string(),
        };
        let ids = self.ids.map(column).join(" and ");
        let columns = if N == 1 { "column" } else { "columns" };
        let labels = label.map_or(String::new(), |at| format!(", labels from column {}", column(at)));
        let rest: Vec<String> =
            (0..self.width).filter(|at| !self.ids.contains(at) && Some(*at) != label).map(column).collect();
        let rest = match rest.len() {
            0 => String::new(),
            1 => format!("; column {} is not used", rest[0]),
            _ => format!("; columns {} are not used", rest.join(", ")),
        };
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        exec.notice(format!("{file}: {what} are read from {columns} {ids}{labels}{rest}"));
    }
}

/// The columns of the graph's own edge table, which files of pairs may have too.
struct PairLayout<'a> {
    columns: &'a [String],
    ends: &'a [String],
    header: bool,
}

impl<'a> PairLayout<'a> {
    fn of(graph: &'a Graph) -> Self {
        match graph.schema() {
            Some(own) => {
                PairLayout { columns: &own.edge_columns, ends: &own.ends, header: own.header_lines > 0 }
            }
            None => PairLayout { columns: &[], ends: &[], header: false },
        }
    }

    /// The id columns of a header: those of the graph's own table, otherwise those with common names.
    fn ends(&self, names: &[String]) -> Option<[usize; 2]> {
        let place = |end: &String| names.iter().position(|name| name == end);
        match self.ends {
            [a, b] => place(a).zip(place(b)).map(|(a, b)| [a, b]).or_else(|| known_ends(names)),
            _ => known_ends(names),
        }
    }

    /// The id columns of a file without a header that is as wide as the graph's own table without a header.
    fn unnamed_ends(&self, found: &IdColumns<2>) -> Option<[usize; 2]> {
        if found.names.is_some() || self.header || found.width != self.columns.len() || found.width < 3 {
            return None;
        }
        self.ends(self.columns)
    }

    /// The column that marks edges (1) and negatives (0). A column that the graph's own table has too is none,
    /// and neither is one with the name of a time.
    fn label(&self, rows: &mut Table, found: &IdColumns<2>, path: &Path) -> Result<Option<usize>> {
        let rest: Vec<usize> = (0..found.width).filter(|at| !found.ids.contains(at)).collect();
        let wrong = |what: String| Error::Format { path: path.into(), what };
        let Some(names) = &found.names else {
            let own = !self.header && found.width == self.columns.len();
            return match rest[..] {
                [one] => {
                    let marks = |row: &Row| matches!(row.double(one), Some(0.0 | 1.0));
                    Ok((!own || rows.peek().0.iter().all(marks)).then_some(one))
                }
                [] => Ok(None),
                _ if own => Ok(None),
                _ => Err(wrong(format!("{} columns; a pair needs two or three", found.width))),
            };
        };
        let is_label = |at: &usize| is_label_name(&names[*at]);
        if let Some(label) = rest.iter().copied().find(is_label) {
            return Ok(Some(label));
        }
        let attribute = |at: &usize| self.columns.contains(&names[*at]) || is_time_name(&plain(&names[*at]));
        let unknown: Vec<usize> = rest.iter().copied().filter(|at| !attribute(at)).collect();
        match (&unknown[..], &rest[..]) {
            ([], _) => Ok(None),
            ([one], [_]) => Ok(Some(*one)),
            _ => Err(wrong(format!(
                "{} columns; a pair needs two ids, and `label` for a column of 1 (edge) and 0 (no edge); column `{}` is not in the graph",
                found.width, names[unknown[0]]
            ))),
        }
    }
}

/// The error for an id that is not a node.
fn unknown(rows: &Table, row: &Row, id: &str, first: bool) -> Error {
    let header = if first && is_word(id) { ", and the line does not look like column names" } else { "" };
    rows.error(row.line, format!("`{id}` is not a node of the graph{header}"))
}

/// Iterates over a table with two columns of ids; `each` gets the pair, the row and the label column in
/// tables of three columns, and returns the problem of the row, if any.
fn each_pair(
    path: &Path,
    graph: &Graph,
    labelled: bool,
    exec: &Exec,
    mut each: impl FnMut(Pair, &Row, Option<usize>) -> std::result::Result<(), String>,
) -> Result<()> {
    let number = by_side(graph);
    let mut rows = Table::open(path)?;
    let is_node = |id: &str| (0..2).any(|side| number(id, side).is_some());
    let layout = PairLayout::of(graph);
    let mut columns = IdColumns::<2>::of(&mut rows, |names| layout.ends(names), is_node)?;
    if let Some(ends) = layout.unnamed_ends(&columns) {
        columns.ids = ends;
    }
    // By default the first column holds the first side.
    let second_first = graph.sides().zip(columns.names.as_ref()).is_some_and(|(sides, names)| {
        let is = |column: usize, side: usize| {
            two_sides::is_of_side(&names[columns.ids[column]], &sides.names()[side])
        };
        (is(0, 1) || is(1, 0)) && !is(0, 0) && !is(1, 1)
    });
    let label = if labelled { layout.label(&mut rows, &columns, path)? } else { None };
    let mut row = Row::default();
    let mut first = true;
    while rows.read(&mut row)? {
        if row.len() < 2 {
            return Err(rows.error(row.line, "one column; a pair needs two ids"));
        }
        let mut pair = [0; 2];
        for ((end, at), column) in pair.iter_mut().zip(columns.ids).zip(0..) {
            let id = row.id(at).map_err(|what| rows.error(row.line, what))?;
            let side = if second_first { 1 - column } else { column };
            *end = number(&id, side)
                .ok_or_else(|| unknown(&rows, &row, &id, first && columns.names.is_none()))?;
        }
        first = false;
        each(pair, &row, label).map_err(|what| rows.error(row.line, what))?;
    }
    columns.notice(path, "pairs", label, exec);
    Ok(())
}

fn pair_file(path: &Path, graph: &Graph, exec: &Exec) -> Result<Pairs> {
    let mut pairs = Pairs::default();
    each_pair(path, graph, true, exec, |pair, row, label| {
        match label.map_or(Some(1.0), |at| row.double(at)) {
            Some(1.0) => pairs.positives.push(pair),
            Some(0.0) => pairs.negatives.push(pair),
            _ => {
                let other = label.map_or("".into(), |at| row.cell(at));
                return Err(format!("label `{other}`; 1 (edge) or 0 (no edge) was expected"));
            }
        }
        Ok(())
    })?;
    Ok(pairs)
}

/// Reads pairs by the graph's own ids: two columns of a table, by common names or the first two; other
/// columns are ignored.
pub fn pairs(path: &Path, graph: &Graph, exec: &Exec) -> Result<Vec<Pair>> {
    let mut pairs = Vec::new();
    each_pair(path, graph, false, exec, |pair, _, _| {
        if pair[0] == pair[1] {
            return Err(format!(
                "`{}` is paired with itself; a pair needs two different nodes",
                graph.node_name(pair[0] as usize)
            ));
        }
        pairs.push(pair);
        Ok(())
    })?;
    Ok(pairs)
}

/// Nodes by the graph's own ids. In a bipartite graph the name of the side may be left out if the id occurs on one
/// side only.
pub fn nodes_by_id<'a>(ids: impl Iterator<Item = &'a str>, graph: &Graph) -> Result<Vec<NodeId>> {
    let number = by_side(graph);
    ids.map(|id| {
        let found = [0, 1].map(|side| number(id.trim(), side));
        if let ([Some(a), Some(b)], Some(sides)) = (found, graph.sides())
            && a != b
        {
            let [a, b] = [0, 1].map(|side| sides.qualified(side, id.trim()));
            return Err(Error::param(
                "node",
                format!("`{id}`"),
                format!("`{a}` or `{b}`: the id is on both sides"),
            ));
        }
        let last = graph.node_name(graph.nodes().max(1) - 1);
        let need = || format!("a node of the graph, such as `{last}`");
        found.into_iter().flatten().next().ok_or_else(|| Error::param("node", format!("`{id}`"), need()))
    })
    .collect()
}

/// Reads a user-supplied link split from an npz file or a folder of the Open Graph Benchmark.
pub fn link_split(path: &Path, graph: &Graph) -> Result<LinkPairs> {
    let mut pairs = if path.is_dir() { ogb::link_split(path, graph)? } else { link_split_npz(path)? };
    if graph.is_directed() {
        // Numbers of nodes, first the source and then the target.
        let count = (graph.nodes() / 2) as NodeId;
        let sets = [&mut pairs.valid, &mut pairs.test].into_iter();
        let sets = sets.flat_map(|set| [&mut set.positives, &mut set.negatives]).chain([&mut pairs.train]);
        for [i, j] in sets.flatten() {
            if let Some(i) = [*i, *j].into_iter().find(|&node| node >= count) {
                let what = format!("a pair with node {i}, but node numbers must lie below {count}");
                return Err(Error::InvalidSplit { what });
            }
            *j += count;
        }
    }
    Ok(pairs)
}

/// Reads a user-supplied node split from the masks of an npz file or a folder of the Open Graph Benchmark.
pub fn node_split(path: &Path) -> Result<NodeSets> {
    if path.is_dir() { ogb::node_split(path) } else { node_split_npz(path) }
}

/// Reads a user-supplied node split from files of ids, one per line, by the graph's own ids.
pub fn node_split_files(files: &SplitFiles, graph: &Graph, exec: &Exec) -> Result<NodeSets> {
    // In a directed graph the source stands for the node.
    let of_side = by_side(graph);
    let number =
        |id: &str| of_side(id, 0).filter(|&node| !graph.is_directed() || (node as usize) < graph.nodes() / 2);
    let read = |path: &Path| -> Result<Vec<NodeId>> {
        let mut rows = Table::open(path)?;
        let known = |names: &[String]| id_column(names).map(|at| [at]);
        let columns = IdColumns::<1>::of(&mut rows, known, |id| number(id).is_some())?;
        let mut nodes = Vec::new();
        let mut row = Row::default();
        while rows.read(&mut row)? {
            let id = row.id(columns.ids[0]).map_err(|what| rows.error(row.line, what))?;
            let first = nodes.is_empty() && columns.names.is_none();
            nodes.push(number(&id).ok_or_else(|| unknown(&rows, &row, &id, first))?);
        }
        columns.notice(path, "ids", None, exec);
        Ok(nodes)
    };
    Ok(NodeSets { train: read(&files.train)?, valid: read(&files.valid)?, test: read(&files.test)? })
}

/// Reads a user-supplied node split from the masks of an npz file: `train_mask`, `val_mask` (or
/// `valid_mask`), `test_mask`.
pub fn node_split_npz(path: &Path) -> Result<NodeSets> {
    let mut npz = Npz::open(path)?;
    let mut mask = |names: &[&str]| -> Result<Vec<NodeId>> {
        let Some(name) = names.iter().find(|name| npz.has(name)) else {
            let what = format!("no array `{}`; the file holds {}", names[0], list(&npz.names()));
            return Err(npz.error(what));
        };
        let (shape, values) = npz.integers(name)?;
        if shape.len() != 1 {
            return Err(npz.error(format!("`{name}` has shape {shape:?}; one entry per node was expected")));
        }
        Ok((0..).zip(values).filter(|&(_, inside)| inside != 0).map(|(node, _)| node).collect())
    };
    Ok(NodeSets {
        train: mask(&["train_mask"])?,
        valid: mask(&["val_mask", "valid_mask"])?,
        test: mask(&["test_mask"])?,
    })
}

/// Reads a user-supplied link split from an npz file.
///
/// Two layouts: `train_edges`, `valid_edges` + `y_valid`, `test_edges` + `y_test`; or, as OGB names them,
/// `train_edge`, `valid_edge`, `valid_edge_neg`, `test_edge`, `test_edge_neg`.
pub fn link_split_npz(path: &Path) -> Result<LinkPairs> {
    let mut npz = Npz::open(path)?;
    if npz.has("train_edge") {
        let mut pairs = |name: &str| npz_pairs(&mut npz, name);
        return Ok(LinkPairs {
            train: pairs("train_edge")?,
            valid: Pairs { positives: pairs("valid_edge")?, negatives: pairs("valid_edge_neg")? },
            test: Pairs { positives: pairs("test_edge")?, negatives: pairs("test_edge_neg")? },
        });
    }
    if !npz.has("train_edges") {
        let what = format!("no array `train_edges` or `train_edge`; the file holds {}", list(&npz.names()));
        return Err(npz.error(what));
    }
    let train = npz_pairs(&mut npz, "train_edges")?;
    let mut labelled = |edges: &str, labels: &str| -> Result<Pairs> {
        let pairs = npz_pairs(&mut npz, edges)?;
        let (_, labels_array) = npz.integers(labels)?;
        if labels_array.len() != pairs.len() {
            let what = format!("`{labels}` has {} entries for {} pairs", labels_array.len(), pairs.len());
            return Err(npz.error(what));
        }
        let of = |wanted: bool| {
            pairs.iter().zip(&labels_array).filter(|&(_, &y)| (y > 0) == wanted).map(|(&p, _)| p).collect()
        };
        Ok(Pairs { positives: of(true), negatives: of(false) })
    };
    Ok(LinkPairs {
        train,
        valid: labelled("valid_edges", "y_valid")?,
        test: labelled("test_edges", "y_test")?,
    })
}
