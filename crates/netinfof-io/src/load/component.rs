//! User-supplied components: one row of numbers per node, from npy, npz, or a table with ids.

use std::fs::File;
use std::io::{BufReader, Read as _};
use std::path::Path;

use super::layout::{id_column, is_id_name};
use super::list;
use super::parts::Input;
use super::splits::{IdColumns, by_id};
use crate::npz::{Array, Npz, npy};
use crate::parquet;
use crate::row::Row;
use crate::table::Table;
use netinfof::{Error, Exec, Graph, Matrix, Result};

/// Reads the rows of a user-supplied component, in the order of the graph's nodes.
///
/// A table has a column of ids and one or more columns of numbers; an npz file has one array of numbers and
/// optionally `ids`. Without ids, as in npy, there must be one row per node, in the order of the nodes, and
/// the nodes must not have ids of their own. Nodes without a row get missing values.
pub fn component(path: &Path, graph: &Graph, exec: &Exec) -> Result<Matrix> {
    let input = Input::of(path)?;
    read(input.path(), graph, exec).map_err(|error| input.renamed(error))
}

fn read(path: &Path, graph: &Graph, exec: &Exec) -> Result<Matrix> {
    let mut start = Vec::new();
    let opened = File::open(path).and_then(|file| {
        let mut file = BufReader::new(file);
        file.by_ref().take(6).read_to_end(&mut start)?;
        Ok(file)
    });
    let file = opened.map_err(|e| Error::io(path, e))?;
    if start.starts_with(b"\x93NUMPY") {
        let array = npy(&mut start.chain(file), path, "")?;
        return in_order(rows_of(&array, path, "the array")?, path, graph);
    }
    if start.starts_with(b"PK\x03\x04") && !parquet::is(path)? {
        return from_npz(path, graph, exec);
    }
    from_table(path, graph, exec)
}

/// The rows of an array of one or two dimensions.
fn rows_of(array: &Array, path: &Path, what: &str) -> Result<Matrix> {
    let fault = |why: String| Error::Format { path: path.into(), what: format!("{what} {why}") };
    let [rows, cols] = match array.shape[..] {
        [rows] => [rows, 1],
        [rows, cols] if cols > 0 => [rows, cols],
        _ => {
            return Err(fault(format!(
                "has the shape {:?}; one row of numbers per node was expected",
                array.shape
            )));
        }
    };
    let values = array.floats().ok_or_else(|| fault("must hold numbers".into()))?;
    Ok(Matrix::from_vec(rows, cols, values))
}

/// Rows without ids: they are in the order of the nodes.
fn in_order(rows: Matrix, path: &Path, graph: &Graph) -> Result<Matrix> {
    let fault = |what: String| Err(Error::Format { path: path.into(), what });
    if rows.rows() != graph.nodes() {
        return fault(format!(
            "{} rows for {} nodes; one row per node was expected",
            rows.rows(),
            graph.nodes()
        ));
    }
    if let Some([first, ..]) = graph.ids() {
        return fault(format!(
            "the rows have no ids, but the nodes have ids of their own (the first is `{first}`); use a table with an id column, or npz with \
             an array `ids`"
        ));
    }
    Ok(rows)
}

fn from_npz(path: &Path, graph: &Graph, exec: &Exec) -> Result<Matrix> {
    let mut npz = Npz::open(path)?;
    let names: Vec<String> = npz.names().into_iter().filter(|name| !is_ids(name)).collect();
    let [name] = &names[..] else {
        let what =
            format!("one array of numbers was expected in addition to `ids`; there are {}", list(&names));
        return Err(Error::Format { path: path.into(), what });
    };
    let rows = rows_of(&npz.array(name)?, path, &format!("array `{name}`"))?;
    let Some(ids) = npz.names().into_iter().find(|name| is_ids(name)) else {
        return in_order(rows, path, graph);
    };
    let array = npz.array(&ids)?;
    let texts = array.texts().or_else(|| {
        let numbers = array.integers()?;
        Some(numbers.iter().map(ToString::to_string).collect())
    });
    let fault = |what: String| Error::Format { path: path.into(), what };
    let texts = texts.ok_or_else(|| fault(format!("array `{ids}` must hold ids: texts or whole numbers")))?;
    if texts.len() != rows.rows() {
        return Err(fault(format!("{} ids for {} rows", texts.len(), rows.rows())));
    }
    let mut placed = Placed::new(graph, rows.cols());
    let find = by_id(graph);
    for (at, id) in texts.iter().enumerate() {
        placed.put(find(id), rows.row(at)).map_err(|()| fault(format!("id `{id}` occurs twice")))?;
    }
    Ok(placed.finish(path, exec))
}

fn from_table(path: &Path, graph: &Graph, exec: &Exec) -> Result<Matrix> {
    let mut rows = Table::open(path)?;
    let find = by_id(graph);
    let known = |names: &[String]| id_column(names).map(|at| [at]);
    let columns = IdColumns::<1>::of(&mut rows, known, |cell| find(cell).is_some())?;
    if columns.width < 2 {
        let what = "a column of ids and at least one column of numbers were expected".into();
        return Err(Error::Format { path: path.into(), what });
    }
    let [ids] = columns.ids;
    let numbers: Vec<usize> = (0..columns.width).filter(|&at| at != ids).collect();
    let mut placed = Placed::new(graph, numbers.len());
    let mut values = vec![0.0; numbers.len()];
    let mut row = Row::default();
    while rows.read(&mut row)? {
        let id = row.id(ids).map_err(|what| rows.error(row.line, what))?;
        for (value, &at) in values.iter_mut().zip(&numbers) {
            *value = if row.is_missing(at) {
                f32::NAN
            } else {
                let column =
                    columns.names.as_ref().map_or_else(|| (at + 1).to_string(), |n| format!("`{}`", n[at]));
                row.number(at).ok_or_else(|| {
                    rows.error(
                        row.line,
                        format!("column {column}: `{}` is not a finite number", row.cell(at)),
                    )
                })?
            };
        }
        placed
            .put(find(&id), &values)
            .map_err(|()| rows.error(row.line, format!("id `{id}` occurs twice")))?;
    }
    Ok(placed.finish(path, exec))
}

/// Collects the rows by node.
struct Placed {
    rows: Matrix,
    seen: Vec<bool>,
    /// Number of rows whose ids are not nodes of the graph.
    others: usize,
}

impl Placed {
    fn new(graph: &Graph, cols: usize) -> Self {
        let rows = Matrix::from_fn(graph.nodes(), cols, |_, _| f32::NAN);
        Placed { rows, seen: vec![false; graph.nodes()], others: 0 }
    }

    fn put(&mut self, node: Option<netinfof::NodeId>, row: &[f32]) -> std::result::Result<(), ()> {
        let Some(node) = node else {
            self.others += 1;
            return Ok(());
        };
        if std::mem::replace(&mut self.seen[node as usize], true) {
            return Err(());
        }
        self.rows.row_mut(node as usize).copy_from_slice(row);
        Ok(())
    }

    fn finish(self, path: &Path, exec: &Exec) -> Matrix {
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        let absent = self.seen.iter().filter(|seen| !**seen).count();
        if absent > 0 {
            let (nodes, have) = if absent == 1 { ("node", "has") } else { ("nodes", "have") };
            exec.notice(format!(
                "{file}: {absent} {nodes} of the graph {have} no row; the values count as missing"
            ));
        }
        if self.others > 0 {
            let (rows, are) = if self.others == 1 { ("row", "is") } else { ("rows", "are") };
            exec.notice(format!(
                "{file}: {} {rows} with an id that the graph does not have {are} not used",
                self.others
            ));
        }
        self.rows
    }
}

/// Whether an array holds the ids of the rows.
fn is_ids(name: &str) -> bool {
    name == "ids" || is_id_name(name)
}
