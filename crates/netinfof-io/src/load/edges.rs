//! Edge lists and node tables with ids of any kind, from text or Parquet. Lists of plain numbers are read by
//! `numbered`.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::path::Path;

use super::layout::{self, EdgeLayout, FirstRow, first_row};
use super::{LoadParams, list, numbered, two_sides};
use crate::row::Row;
use crate::table::Table;
use crate::whole::{EXACT_SINGLE, Written, written};
use netinfof::Exec;
use netinfof::Matrix;
use netinfof::{Error, Result};
use netinfof::{Features, Graph, Pair};

/// Reads an edge list: two id columns, the first two unless they are named. Other columns are not used, with
/// a notice.
pub(super) fn from_edge_list(path: &Path, name: &str, params: &LoadParams, exec: &Exec) -> Result<Graph> {
    // A source that can be read only once, such as a pipe, is left to the general reader.
    let again = std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
    let layout = again.then(|| EdgeLayout::of(&mut Table::open(path)?, params, path)).transpose()?;
    if let Some(sides) = layout.as_ref().and_then(|layout| two_sides::side_names(layout, params)) {
        return two_sides::read(path, name, sides, params, exec);
    }
    if let Some(layout) = layout.filter(|_| params.nodes.is_none() && params.ends.is_none())
        && let Some(graph) = numbered::read(path, name, &layout, exec)?
    {
        layout.notice(name, exec);
        return Ok(graph);
    }
    from_named_list(path, name, params, exec)
}

/// The same for ids of any kind.
pub(super) fn from_named_list(path: &Path, name: &str, params: &LoadParams, exec: &Exec) -> Result<Graph> {
    let mut ids = Ids::default();
    let table = params.nodes.as_deref().map(|path| node_table(path, params, &mut ids, exec)).transpose()?;
    // Edge ids that are written as floats can be looked up in a table of whole numbers.
    let whole_table = table.is_some() && ids.notation.all_numbers;
    let known = ids.names.len();
    let mut edges: Vec<Pair> = Vec::new();
    let mut first_unknown = Vec::new();
    let mut rows = Table::open(path)?;
    let mut layout = EdgeLayout::of(&mut rows, params, path)?;
    rows.only(&layout.ends)?;
    let mut row = Row::default();
    while rows.read(&mut row)? {
        if edges.len().is_multiple_of(1 << 20) {
            exec.check()?;
        }
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
        edges.push(edge);
    }
    settle_first_row(&mut layout, &mut edges, &mut ids, table.is_some(), name, exec)?;
    if edges.is_empty() {
        return Err(Error::Format { path: path.into(), what: "a header but no edges".into() });
    }
    if table.is_some() && ids.names.len() > known {
        let what = format!(
            "{} id{} of {} {} not in the node table, such as {}",
            ids.names.len() - known,
            if ids.names.len() - known == 1 { "" } else { "s" },
            path.display(),
            if ids.names.len() - known == 1 { "is" } else { "are" },
            first_unknown.join(", ")
        );
        return Err(Error::InvalidGraph { what });
    }
    layout.notice(name, exec);
    if table.is_none() {
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
    let mut graph = numbered::joined(name, names.len(), edges, exec)?;
    if let Some(table) = table {
        let isolated: Vec<usize> = (0..graph.nodes()).filter(|&node| graph.degree(node) == 0).collect();
        let some: Vec<String> = isolated.iter().take(3).map(|&node| format!("`{}`", names[node])).collect();
        let such = if some.is_empty() { String::new() } else { format!(", such as {}", some.join(", ")) };
        exec.notice(format!(
            "{known} nodes in the node table, {} of them without an edge{such}; it contains all {} ids of the edges",
            isolated.len(),
            known - isolated.len()
        ));
        graph = graph.with_features(table.features)?.with_labels(table.labels)?;
        graph = graph.with_class_names(table.classes);
    }
    Ok(graph.with_ids(names))
}

/// Decides whether the first row is a header or an edge, once all ids are known, and issues a notice.
fn settle_first_row(
    layout: &mut EdgeLayout,
    edges: &mut Vec<Pair>,
    ids: &mut Ids,
    table: bool,
    name: &str,
    exec: &Exec,
) -> Result<()> {
    if let Some((row, _)) = layout.likely.take_if(|(row, _)| {
        let [i, j] = layout.ends.map(|at| ids.find(&row.cell(at)).is_some());
        // Every node is in the table, so at most one name of a header is in it by chance.
        if table { i && j } else { i || j }
    }) {
        layout.names = None;
        let mut cells = [String::new(), String::new()];
        let mut edge = [0; 2];
        for (at, column) in layout.ends.into_iter().enumerate() {
            cells[at] = row.cell(column).into_owned();
            edge[at] = ids.number(&cells[at], row.line)?;
        }
        edges.push(edge);
        let [a, b] = cells;
        exec.notice(format!(
            "{name}: line {} (`{a}`, `{b}`) is read as an edge and not as column names, because these ids occur again",
            row.line
        ));
    }
    let Some((line, [a, b])) = &layout.doubtful_edge else { return Ok(()) };
    let (Some(i), Some(j)) = (ids.find(a), ids.find(b)) else { return Ok(()) };
    let uses = edges.iter().flatten().filter(|end| [i, j].contains(end)).count();
    if edges.len() > 1 && uses == 2 && !table {
        exec.notice(format!(
            "{name}: line {line} (`{a}`, `{b}`) is read as an edge; its ids occur nowhere else: if they name the columns, give them as `ends`"
        ));
    }
    Ok(())
}

pub(super) struct NodeTable {
    pub(super) features: Features,
    pub(super) labels: Vec<i32>,
    /// The names of the labels, if they are not numbers.
    pub(super) classes: Option<Vec<String>>,
}

pub(super) fn node_table(path: &Path, params: &LoadParams, ids: &mut Ids, exec: &Exec) -> Result<NodeTable> {
    let mut rows = Table::open(path)?;
    let empty = || Error::Format { path: path.into(), what: "empty; one node per line was expected".into() };
    let (width, header) = node_header(&mut rows, params)?;
    if width == 0 {
        return Err(empty());
    }
    let column = |find: fn(&[String]) -> Option<usize>| header.as_deref().and_then(find);
    let id_column = column(layout::id_column).unwrap_or(0);
    let label_column = match &params.label {
        Some(name) => {
            Some(header.as_ref().and_then(|names| names.iter().position(|n| n == name)).ok_or_else(|| {
                let have = header.as_ref().map_or(String::new(), |names| list(names));
                Error::param("label", name, format!("a column of {}: {have}", path.display()))
            })?)
        }
        None => column(layout::label_column).filter(|&at| at != id_column),
    };
    let named = header.is_some();
    let names = header.unwrap_or_else(|| (1..=width).map(|c| format!("column {c}")).collect());
    rows.only(&(0..width).collect::<Vec<_>>())?;
    let feature_columns: Vec<usize> =
        (0..width).filter(|&c| c != id_column && Some(c) != label_column).collect();
    let mut values = Vec::new();
    let mut labels: Vec<String> = Vec::new();
    let mut rounded = None;
    let mut row = Row::default();
    while rows.read(&mut row)? {
        let before = ids.names.len();
        let id = row.id(id_column).map_err(|what| rows.error(row.line, what))?;
        let node = ids.number(&id, row.line)?;
        if (node as usize) < before {
            return Err(rows.error(row.line, format!("id `{id}` occurs twice in the node table")));
        }
        for &c in &feature_columns {
            if row.is_missing(c) {
                values.push(f32::NAN);
                continue;
            }
            let Some(value) = row.number(c) else {
                let beyond = row.double(c).is_some_and(f64::is_finite);
                let what = if beyond { "is beyond single precision" } else { "is not a finite number" };
                let what = format!("column `{}`: `{}` {what}", names[c], row.cell(c));
                return Err(rows.error(row.line, what));
            };
            if value.abs() >= EXACT_SINGLE as f32
                && rounded.is_none()
                && row.double(c).is_some_and(|exact| exact != f64::from(value))
            {
                rounded = Some((c, row.cell(c).into_owned(), value));
            }
            values.push(value);
        }
        labels.push(label_column.map_or(String::new(), |c| row.cell(c).into_owned()));
    }
    if labels.is_empty() {
        return Err(empty());
    }
    if let Some((line, what)) = ids.notation.fault.take().filter(|_| ids.notation.all_numbers) {
        return Err(rows.error(line, format!("{what}; ids that are numbers must be whole")));
    }
    if !ids.make_whole(&mut [])? {
        let what = "two ids are the same number in different notations".into();
        return Err(Error::Format { path: path.into(), what });
    }
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    if named || width > 1 {
        let column = |c: usize| if named { format!("column `{}`", names[c]) } else { names[c].clone() };
        let classes = label_column.map_or("no classes".into(), |c| format!("classes from {}", column(c)));
        let count = feature_columns.len();
        let features = if count == 1 { "1 feature".into() } else { format!("{count} features") };
        exec.notice(format!("{file}: ids are read from {}, {classes}, {features}", column(id_column)));
    }
    if let Some((c, cell, value)) = rounded {
        exec.notice(format!(
            "{file}: column `{}`: features have single precision, so {cell} becomes {value}; subtract or divide by a constant",
            names[c]
        ));
    }
    let features = Matrix::from_vec(labels.len(), feature_columns.len(), values);
    // In a table, -1 may be a class, such as a sentiment or a fraud label.
    let minus_ones = labels.iter().filter(|label| *label == "-1").count();
    if minus_ones > 0 {
        exec.notice(format!(
            "label -1 means unknown: {minus_ones} node{} no label; rename it if it is a class",
            if minus_ones == 1 { " has" } else { "s have" }
        ));
    }
    let (labels, classes) = number_labels(&labels);
    Ok(NodeTable { features: Features::from_dense(features), labels, classes })
}

/// The number of columns of a node table, and their names if it has a header. The header is consumed.
fn node_header(rows: &mut Table, params: &LoadParams) -> Result<(usize, Option<Vec<String>>)> {
    if let Some(names) = rows.own_names() {
        return Ok((names.len(), Some(names)));
    }
    let (sample, _) = rows.peek();
    let Some((first, below)) = sample.split_first() else {
        // Returns the error of the first row, if there is one.
        rows.next_row()?;
        return Ok((0, None));
    };
    let names: Vec<String> = first.cells().map(Cow::into_owned).collect();
    let column = layout::id_column(&names);
    // Feature columns may have numbers as names.
    let known = column.is_some_and(|at| below.iter().all(|row| row.cell(at) != names[at]));
    if params.label.is_none() && !known && first_row(first, below, &[column.unwrap_or(0)]) == FirstRow::Data {
        return Ok((names.len(), None));
    }
    rows.next_row()?;
    Ok((names.len(), Some(names)))
}

/// Classes in ascending order of their names (numerically if all are numbers); empty, `nan` and −1 mean
/// unknown. Also returns the names, unless they are the numbers themselves.
pub(super) fn number_labels(labels: &[String]) -> (Vec<i32>, Option<Vec<String>>) {
    let known = |label: &str| !(label.is_empty() || label == "-1" || label.eq_ignore_ascii_case("nan"));
    let mut names: Vec<&String> = labels.iter().filter(|label| known(label)).collect();
    names.sort_unstable();
    names.dedup();
    if names.iter().all(|name| name.parse::<i64>().is_ok()) {
        names.sort_by_key(|name| name.parse::<i64>().expect("checked"));
    }
    let number: HashMap<&str, i32> =
        names.iter().zip(0..).map(|(name, number)| (name.as_str(), number)).collect();
    let plain = (0..).zip(&names).all(|(number, name): (i32, _)| **name == number.to_string());
    let classes = (!plain).then(|| names.iter().map(|name| (*name).clone()).collect());
    (labels.iter().map(|label| number.get(label.as_str()).copied().unwrap_or(-1)).collect(), classes)
}

/// Names of nodes in order of first appearance. Each is stored once; a hash table with open addressing finds
/// them.
#[derive(Default)]
pub(super) struct Ids {
    names: Vec<String>,
    /// Numbers of names, plus one, at or after the position of their hash; 0 means empty. The length is a
    /// power of two.
    slots: Vec<u32>,
    hasher: RandomState,
    notation: Notation,
}

/// The notation of the names.
struct Notation {
    all_numbers: bool,
    some_floats: bool,
    /// The line of the first float that is not a valid id, and the reason. In a list of names it may be
    /// valid.
    fault: Option<(usize, String)>,
}

impl Default for Notation {
    fn default() -> Self {
        Notation { all_numbers: true, some_floats: false, fault: None }
    }
}

impl Ids {
    /// The number of a name, which is added if it is new; `line` is its line.
    pub(super) fn number(&mut self, name: &str, line: usize) -> Result<u32> {
        // At most half full, so that probe sequences stay short.
        if 2 * self.names.len() >= self.slots.len() {
            self.slots = vec![0; (2 * self.slots.len()).max(1024)];
            for (at, name) in self.names.iter().enumerate() {
                let slot = self.slot(name);
                self.slots[slot] = at as u32 + 1;
            }
        }
        let slot = self.slot(name);
        if self.slots[slot] > 0 {
            return Ok(self.slots[slot] - 1);
        }
        let number = u32::try_from(self.names.len())
            .ok()
            .filter(|&number| number < u32::MAX)
            .ok_or_else(|| Error::InvalidGraph { what: format!("more than {} different ids", u32::MAX) })?;
        if self.notation.all_numbers {
            match written(name) {
                Written::Name => self.notation.all_numbers = false,
                Written::Whole => {}
                Written::Float(id) => {
                    self.notation.some_floats = true;
                    if let (Err(why), None) = (id, &self.notation.fault) {
                        self.notation.fault = Some((line, format!("id `{name}` {why}")));
                    }
                }
            }
        }
        self.names.push(name.into());
        self.slots[slot] = number + 1;
        Ok(number)
    }

    /// The number of a known name.
    pub(super) fn find(&self, name: &str) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        self.slots[self.slot(name)].checked_sub(1)
    }

    /// Where all ids are numbers and some are written as floats, such as `4.0`, they become the whole numbers
    /// that they represent. Returns whether different ids are still different.
    pub(super) fn make_whole(&mut self, edges: &mut [Pair]) -> Result<bool> {
        if !(self.notation.all_numbers && self.notation.some_floats) {
            return Ok(true);
        }
        let mut whole = Ids::default();
        let mut numbers = Vec::with_capacity(self.names.len());
        for name in std::mem::take(&mut self.names) {
            let name = match written(&name) {
                Written::Float(Ok(value)) => value.to_string(),
                _ => name,
            };
            numbers.push(whole.number(&name, 0)?);
        }
        for edge in edges {
            *edge = edge.map(|end| numbers[end as usize]);
        }
        let distinct = whole.names.len() == numbers.len();
        *self = whole;
        Ok(distinct)
    }

    /// The position of a name, or the empty position for it.
    fn slot(&self, name: &str) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = self.hasher.hash_one(name) as usize & mask;
        while self.slots[slot] > 0 && self.names[self.slots[slot] as usize - 1] != name {
            slot = (slot + 1) & mask;
        }
        slot
    }

    pub(super) fn names(&self) -> &[String] {
        &self.names
    }

    pub(super) fn len(&self) -> usize {
        self.names.len()
    }

    /// If all ids are numbers: the line of one that is not a valid id, and the reason.
    pub(super) fn number_fault(&mut self) -> Option<(usize, String)> {
        self.notation.fault.take().filter(|_| self.notation.all_numbers)
    }

    fn into_names(self) -> Vec<String> {
        self.names
    }

    /// If all names are whole numbers, nodes are sorted by them, so that ids 0, 1, … equal the row numbers.
    pub(super) fn sort_numeric(&mut self, edges: &mut [Pair]) {
        let Some(values) =
            self.names.iter().map(|name| name.parse::<i128>().ok()).collect::<Option<Vec<_>>>()
        else {
            return;
        };
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by_key(|&at| values[at]);
        let mut rank = vec![0u32; order.len()];
        for (new, &old) in order.iter().enumerate() {
            rank[old] = u32::try_from(new).expect("as many as before");
        }
        for edge in edges {
            *edge = edge.map(|end| rank[end as usize]);
        }
        self.names = order.iter().map(|&old| std::mem::take(&mut self.names[old])).collect();
    }
}
