//! Edge lists and node tables with ids of any kind, from text or Parquet. Lists of plain numbers go to `numbered`.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::path::Path;

use super::super::table::{Row, Table};
use super::super::{Features, Graph, Pair};
use super::{LoadParams, list, numbered};
use crate::error::{Error, Result};
use crate::exec::Exec;
use crate::matrix::Matrix;

pub(super) const WEIGHTS: &str = "columns after the second ignored (edges have no weights here)";

/// Reads an edge list: two id columns first, more columns ignored with a notice.
pub(super) fn from_edge_list(path: &Path, name: &str, params: &LoadParams, exec: &Exec) -> Result<Graph> {
    // A list that can be read only once, such as a pipe, cannot be read twice.
    let again = std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
    if params.nodes.is_none()
        && params.ends.is_none()
        && again
        && let Some(found) = numbered::read(path, name, exec)?
    {
        if found.more_columns {
            exec.notice(format!("{name}: {WEIGHTS}"));
        }
        return Ok(found.graph);
    }
    from_named_list(path, name, params, exec)
}

/// The same for ids of any kind.
pub(super) fn from_named_list(path: &Path, name: &str, params: &LoadParams, exec: &Exec) -> Result<Graph> {
    let mut ids = Ids::default();
    let table = params.nodes.as_deref().map(|path| node_table(path, params, &mut ids)).transpose()?;
    let known = ids.names.len();
    let mut edges: Vec<Pair> = Vec::new();
    let mut first_unknown = Vec::new();
    let mut rows = Table::open(path)?;
    let (width, header) = rows.header(|first, second| params.ends.is_some() || is_header(first, second))?;
    if width == 0 {
        return Err(Error::Format { path: path.into(), what: "empty; one edge a line was expected".into() });
    }
    if width < 2 {
        let what = "1 column; an edge needs two ids";
        return Err(match rows.next_row()? {
            Some(row) if !rows.is_named() => rows.error(row.line, what),
            _ => Error::Format { path: path.into(), what: what.into() },
        });
    }
    if width > 2 {
        exec.notice(format!("{name}: {WEIGHTS}"));
    }
    let columns = end_columns(header.as_deref(), params, path)?;
    rows.only(&columns)?;
    let mut row = Row::default();
    while rows.read(&mut row)? {
        if edges.len().is_multiple_of(1 << 20) {
            exec.check()?;
        }
        let mut edge = [0; 2];
        for (end, cell) in edge.iter_mut().zip(columns.map(|column| row.cell(column))) {
            if cell.is_empty() {
                return Err(rows.error(row.line, "an empty id"));
            }
            let before = ids.names.len();
            *end = ids.number(&cell)?;
            // Each is named where it first stands.
            if table.is_some() && ids.names.len() > before && first_unknown.len() < 3 {
                first_unknown.push(format!("`{cell}` ({})", rows.place(row.line)));
            }
        }
        edges.push(edge);
    }
    if edges.is_empty() {
        return Err(Error::Format { path: path.into(), what: "a header but no edges".into() });
    }
    if table.is_some() && ids.names.len() > known {
        let what = format!(
            "{} ids of {} are not in the node table, such as {}",
            ids.names.len() - known,
            path.display(),
            first_unknown.join(", ")
        );
        return Err(Error::InvalidGraph { what });
    }
    if table.is_none() {
        ids.sort_numeric(&mut edges);
    }
    let names = ids.into_names();
    let mut graph = numbered::joined(name, names.len(), edges, exec)?;
    if let Some(table) = table {
        let isolated: Vec<usize> = (0..graph.nodes()).filter(|&node| graph.degree(node) == 0).collect();
        let some: Vec<String> = isolated.iter().take(3).map(|&node| format!("`{}`", names[node])).collect();
        let such = if some.is_empty() { String::new() } else { format!(", such as {}", some.join(", ")) };
        exec.notice(format!(
            "{known} nodes in the node table, {} of them without an edge{such}; all {} ids of the edges are among them",
            isolated.len(),
            known - isolated.len()
        ));
        graph = graph.with_features(table.features)?.with_labels(table.labels)?;
        graph = graph.with_class_names(table.classes);
    }
    Ok(graph.with_ids(names))
}

/// Which columns hold the two ends of an edge.
pub(super) fn end_columns(header: Option<&[String]>, params: &LoadParams, path: &Path) -> Result<[usize; 2]> {
    match (&params.ends, header) {
        (Some(ends), header) => named_columns(ends, header.unwrap_or(&[]), path),
        (None, Some(header)) => Ok(usual_columns(header).unwrap_or([0, 1])),
        (None, None) => Ok([0, 1]),
    }
}

struct NodeTable {
    features: Features,
    labels: Vec<i32>,
    /// What the labels are called, where they are no numbers.
    classes: Option<Vec<String>>,
}

fn node_table(path: &Path, params: &LoadParams, ids: &mut Ids) -> Result<NodeTable> {
    let mut rows = Table::open(path)?;
    let empty = || Error::Format { path: path.into(), what: "empty; one node a line was expected".into() };
    let (width, header) = rows.header(|first, second| params.label.is_some() || is_header(first, second))?;
    if width == 0 {
        return Err(empty());
    }
    let column = |wanted: &[&str]| {
        header
            .as_ref()
            .and_then(|names| names.iter().position(|n| wanted.contains(&n.to_lowercase().as_str())))
    };
    let id_column = column(&["id", "node", "node_id", "nodeid", "name"]).unwrap_or(0);
    let label_column = match &params.label {
        Some(name) => {
            Some(header.as_ref().and_then(|names| names.iter().position(|n| n == name)).ok_or_else(|| {
                let have = header.as_ref().map_or(String::new(), |names| list(names));
                Error::param("label", name, format!("a column of {}: {have}", path.display()))
            })?)
        }
        None => column(&["label", "y", "class", "target"]),
    };
    let names = header.unwrap_or_else(|| (1..=width).map(|c| format!("column {c}")).collect());
    rows.only(&(0..width).collect::<Vec<_>>())?;
    let feature_columns: Vec<usize> =
        (0..width).filter(|&c| c != id_column && Some(c) != label_column).collect();
    let mut values = Vec::new();
    let mut labels: Vec<String> = Vec::new();
    let mut row = Row::default();
    while rows.read(&mut row)? {
        let before = ids.names.len();
        let id = row.cell(id_column);
        if id.is_empty() {
            return Err(rows.error(row.line, "an empty id"));
        }
        let node = ids.number(&id)?;
        if (node as usize) < before {
            return Err(rows.error(row.line, format!("id `{id}` stands twice in the node table")));
        }
        for &c in &feature_columns {
            let Some(value) = row.number(c) else {
                let what = format!("column `{}`: `{}` is not a finite number", names[c], row.cell(c));
                return Err(rows.error(row.line, what));
            };
            values.push(value);
        }
        labels.push(label_column.map_or(String::new(), |c| row.cell(c).into_owned()));
    }
    if labels.is_empty() {
        return Err(empty());
    }
    let features = Matrix::from_vec(labels.len(), feature_columns.len(), values);
    let (labels, classes) = number_labels(&labels);
    Ok(NodeTable { features: Features::from_dense(features), labels, classes })
}

/// Classes in ascending order of their names (as numbers where all are); empty, `nan` and −1 mean unknown. With the names, unless they
/// are the numbers themselves.
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

/// Names of nodes in order of first appearance. Each is kept once; a table of their numbers, open at its ends, finds them.
#[derive(Default)]
pub(super) struct Ids {
    names: Vec<String>,
    /// Numbers of names, plus one, at or after the place that their hash gives; 0 where there is none. A power of two long.
    slots: Vec<u32>,
    hasher: RandomState,
}

impl Ids {
    fn number(&mut self, name: &str) -> Result<u32> {
        // At most half full, so that runs stay short.
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
        self.names.push(name.into());
        self.slots[slot] = number + 1;
        Ok(number)
    }

    /// Where a name is, or would go.
    fn slot(&self, name: &str) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = self.hasher.hash_one(name) as usize & mask;
        while self.slots[slot] > 0 && self.names[self.slots[slot] as usize - 1] != name {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn into_names(self) -> Vec<String> {
        self.names
    }

    /// Where all names are whole numbers, nodes go in their order: then ids 0, 1, … are the rows people expect.
    fn sort_numeric(&mut self, edges: &mut [Pair]) {
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

/// Usual names of the two id columns of an edge list.
const ENDS: [[&str; 2]; 8] = [
    ["source", "target"],
    ["src", "dst"],
    ["from", "to"],
    ["fromnodeid", "tonodeid"],
    ["u", "v"],
    ["node1", "node2"],
    ["id1", "id2"],
    ["head", "tail"],
];

/// The places of usual names in a header.
pub(super) fn usual_columns(header: &[String]) -> Option<[usize; 2]> {
    let place = |wanted: &str| header.iter().position(|name| name.to_lowercase() == wanted);
    ENDS.iter().find_map(|[a, b]| Some([place(a)?, place(b)?]))
}

/// The places of the names asked for.
fn named_columns(ends: &[String; 2], header: &[String], path: &Path) -> Result<[usize; 2]> {
    let place = |name: &String| {
        let found = header.iter().position(|own| own == name);
        found.ok_or_else(|| {
            Error::param("ends", name, format!("two columns of {}: {}", path.display(), list(header)))
        })
    };
    Ok([place(&ends[0])?, place(&ends[1])?])
}

/// Whether the first row holds names of columns: usual names, or words above numbers.
pub(super) fn is_header(first: &Row, second: Option<&Row>) -> bool {
    const USUAL: [&str; 22] = [
        "source",
        "target",
        "src",
        "dst",
        "from",
        "to",
        "u",
        "v",
        "node1",
        "node2",
        "id1",
        "id2",
        "node_1",
        "node_2",
        "id",
        "node",
        "node_id",
        "head",
        "tail",
        "fromnodeid",
        "tonodeid",
        "label",
    ];
    let numeric = |row: &Row| row.cells().any(|cell| cell.parse::<f64>().is_ok());
    let usual = |cell: Cow<'_, str>| USUAL.contains(&cell.to_lowercase().as_str());
    let all_usual = first.len() >= 2 && first.cells().take(2).all(usual);
    let names: Vec<String> = first.cells().map(Cow::into_owned).collect();
    all_usual || usual_columns(&names).is_some() || (!numeric(first) && second.is_some_and(numeric))
}
