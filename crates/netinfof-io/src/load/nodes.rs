//! Node tables: ids, features and classes of the nodes of an edge list, from one or more files.

mod join;
mod rows;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::ids::Ids;
use super::layout::{self, FirstRow, first_row};
use super::targets::{self, NodeTarget};
use super::{LoadParams, feature_lists, list};
use crate::frame::{ColumnFault, ColumnValues, Frame, FrameColumn, MISSING};
use crate::row::Row;
use crate::table::Table;
use netinfof::graph::{Dropped, FeatureColumn, Schema};
use netinfof::{Csr, Error, Exec, Features, Graph, Matrix, Result};

pub(super) use join::JoinChoice;
use rows::whole;

/// The nodes of a graph.
pub(super) struct NodeTable {
    pub(super) features: Features,
    pub(super) columns: Vec<FeatureColumn>,
    pub(super) target: Option<NodeTarget>,
    pub(super) dropped: Vec<Dropped>,
    /// Names of the id column and the label column.
    pub(super) id: String,
    pub(super) label: Option<String>,
    pub(super) header_lines: usize,
}

impl NodeTable {
    /// Adds features and classes to a graph, and what was read to its schema.
    pub(super) fn put_on(self, graph: Graph, schema: &mut Schema) -> Result<Graph> {
        let mut graph = graph.with_features(self.features)?;
        if let Some(target) = self.target {
            graph = target.put_on(graph)?;
        }
        schema.id = Some(self.id);
        schema.label = self.label;
        schema.node_header_lines = Some(self.header_lines);
        schema.columns = self.columns;
        schema.dropped.extend(self.dropped);
        Ok(graph)
    }
}

/// Name of the id column of rows that are numbered from 0.
pub(super) const ROW_NUMBERS: &str = "row";

/// One file, with all its columns.
struct RawTable {
    ids: Vec<String>,
    lines: Vec<usize>,
    frame: Frame,
    labels: Option<(String, Vec<String>)>,
    /// Several label columns: their names, and the cells of each.
    label_columns: Vec<(String, Vec<String>)>,
    /// Features as lists of columns, instead of columns.
    lists: Option<Csr>,
    id: String,
    header_lines: usize,
    /// Rows without any value, which are not used.
    blank: usize,
}

/// The columns of a table and their use.
struct Columns {
    names: Vec<String>,
    named: bool,
    /// `None`: rows are numbered.
    id: Option<usize>,
    /// Whether the id column has a known name or was asked for.
    id_is_sure: bool,
    label: Option<usize>,
    /// Several label columns, one for each label.
    several_labels: Vec<usize>,
}

/// The ids of the edges, read only where the id column of a table is in doubt.
pub(super) type EdgeIds<'a> = &'a dyn Fn() -> Result<Ids>;

/// Reads the node tables; their ids are added to `ids`.
pub(super) fn read(params: &LoadParams, ids: &mut Ids, edges: EdgeIds<'_>, exec: &Exec) -> Result<NodeTable> {
    let tables =
        params.nodes.iter().map(|path| one(path, params, edges, exec)).collect::<Result<Vec<_>>>()?;
    if let Some(label) = &params.label
        && tables.iter().all(|table| table.labels.is_none() && table.label_columns.is_empty())
    {
        let need = format!("a column of {}", list_paths(params));
        return Err(Error::param("label", label, need));
    }
    let several = tables.len() > 1;
    let mut rows = Vec::new();
    for (table, path) in tables.iter().zip(&params.nodes) {
        if table.blank > 0 {
            exec.notice(format!(
                "{}: {} without any value {} not used",
                path.file_name().unwrap_or_default().to_string_lossy(),
                if table.blank == 1 { "1 row".into() } else { format!("{} rows", table.blank) },
                if table.blank == 1 { "is" } else { "are" }
            ));
        }
        let (before, mut own) = (ids.names.len(), Vec::with_capacity(table.ids.len()));
        let mut seen = HashSet::new();
        for (id, &line) in table.ids.iter().zip(&table.lines) {
            let node = ids.number(id, line)?;
            let twice = if several { !seen.insert(node) } else { (node as usize) < before + own.len() };
            if twice {
                return Err(Error::Parse {
                    path: path.clone(),
                    line,
                    what: format!("id `{id}` occurs twice in the node table"),
                });
            }
            own.push(node as usize);
        }
        rows.push(own);
    }
    let path = &params.nodes[0];
    if let Some((line, what)) = ids.notation.fault.take().filter(|_| ids.notation.all_numbers) {
        let what = format!("{what}; ids that are numbers must be whole");
        return Err(Error::Parse { path: path.clone(), line, what });
    }
    if !ids.make_whole(&mut [])? {
        let what = "two ids are the same number in different notations".into();
        return Err(Error::Format { path: path.into(), what });
    }
    joined(tables, &rows, params, ids, exec)
}

/// All columns of several tables, by node.
fn joined(
    tables: Vec<RawTable>,
    rows: &[Vec<usize>],
    params: &LoadParams,
    ids: &Ids,
    exec: &Exec,
) -> Result<NodeTable> {
    let nodes = ids.names.len();
    let path = &params.nodes[0];
    let fault = |what: String| Error::Format { path: path.clone(), what };
    let (id, header_lines) = (tables[0].id.clone(), tables[0].header_lines);
    let first_lines = tables[0].lines.clone();
    let in_order = tables.len() == 1;
    // Which columns are in which file.
    let columns_of = |table: &RawTable| table.frame.columns.iter().map(|own| own.name.clone()).collect();
    let owned: Vec<Vec<String>> = tables.iter().map(columns_of).collect();
    let (mut frame, mut labels, mut lists) = (Frame::default(), None, None);
    let mut label_columns: Vec<(String, Vec<String>)> = Vec::new();
    for (table, rows) in tables.into_iter().zip(rows) {
        for column in table.frame.columns {
            if frame.columns.iter().any(|own: &FrameColumn| own.name == column.name && !own.name.is_empty()) {
                return Err(fault(format!("column `{}` is in two node tables", column.name)));
            }
            let values = if in_order { column.values } else { spread(column.values, rows, nodes) };
            frame.columns.push(FrameColumn { values, ..column });
        }
        if let Some((name, texts)) = table.labels {
            let mut by_node = vec![String::new(); nodes];
            rows.iter().zip(texts).for_each(|(&row, text)| by_node[row] = text);
            if labels.replace((name, by_node)).is_some() {
                return Err(fault("two node tables have a label column; name one with `label`".into()));
            }
        }
        for (name, texts) in table.label_columns {
            let mut by_node = vec![String::new(); nodes];
            rows.iter().zip(texts).for_each(|(&row, text)| by_node[row] = text);
            label_columns.push((name, by_node));
        }
        if let Some(own) = table.lists {
            let mut places = vec![None; nodes];
            rows.iter().zip(0u32..).for_each(|(&row, at)| places[row] = Some(at));
            let row = |place: Option<u32>| match place {
                Some(at) => {
                    let columns = own.row(at as usize).to_vec();
                    let ones = || vec![1.0; columns.len()];
                    let values = own.row_values(at as usize).map_or_else(ones, <[f32]>::to_vec);
                    (columns, values)
                }
                None => (Vec::new(), Vec::new()),
            };
            if lists.replace(Csr::from_rows(own.cols(), places.into_iter().map(row))).is_some() {
                return Err(fault("two node tables hold lists of features; one was expected".into()));
            }
        }
    }
    let file = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut dropped = Vec::new();
    let (label, texts) = labels.unzip();
    let mut target = None;
    if let (Some(name), Some(texts)) = (&label, &texts) {
        let say = |notice: String| exec.notice(format!("{file}: {notice}"));
        target = targets::of_label(name, texts, params, &say).map_err(fault)?;
        if target.is_none() {
            dropped.push(Dropped::new(name, targets::NO_TARGET));
        }
    }
    if !label_columns.is_empty() {
        let (names, columns): (Vec<String>, Vec<Vec<String>>) = label_columns.into_iter().unzip();
        target = Some(NodeTarget::Labels(targets::of_columns(names, &columns).map_err(fault)?));
    }
    let used_label =
        label.filter(|_| target.is_some()).or_else(|| target.is_some().then(|| params.label.clone())?);
    let has_labels = matches!(target, Some(NodeTarget::Classes { .. }));
    let found = frame
        .typed(nodes, &params.columns, Some(&ids.names), texts.as_deref().filter(|_| has_labels))
        .map_err(|ColumnFault { what, row }| {
            match row.and_then(|row| first_lines.get(row)).filter(|_| in_order) {
                Some(&line) if line > 0 => Error::Parse { path: path.clone(), line, what },
                _ => Error::Format { path: params.nodes[file_of(&owned, &what)].clone(), what },
            }
        })?;
    for notice in found.notices {
        let file = params.nodes[file_of(&owned, &notice)].file_name().unwrap_or_default().to_string_lossy();
        exec.notice(format!("{file}: {notice}"));
    }
    dropped.extend(found.dropped);
    if let Some(lists) = lists.as_ref().filter(|_| !found.columns.is_empty()) {
        let names: Vec<String> = found.columns.iter().map(|column| column.name.clone()).collect();
        exec.notice(format!(
            "{file}: {} features are read from lists, and further ones from {}",
            lists.cols(),
            list(&names)
        ));
    }
    let (features, columns) = match lists {
        None => (found.features, found.columns),
        Some(lists) => (with_lists(found.features, lists, nodes).map_err(fault)?, Vec::new()),
    };
    Ok(NodeTable { features, columns, target, dropped, id, label: used_label, header_lines })
}

/// The position of the file that has the column of a message.
fn file_of(owned: &[Vec<String>], message: &str) -> usize {
    let has = |names: &Vec<String>| names.iter().any(|name| message.contains(&format!("`{name}`")));
    owned.iter().position(has).unwrap_or(0)
}

/// Features from lists, beside further columns.
fn with_lists(features: Features, lists: Csr, nodes: usize) -> std::result::Result<Features, String> {
    const MOST: usize = 1 << 28;
    let (width, further) = (lists.cols(), features.cols());
    if further == 0 {
        return Ok(Features::Sparse(lists));
    }
    if nodes.saturating_mul(width + further) > MOST {
        return Err(
            "too many features to put lists and columns side by side; leave the columns out with `drop`"
                .into(),
        );
    }
    let mut dense = Matrix::from_fn(nodes, width + further, |_, _| 0.0);
    for node in 0..nodes {
        let row = dense.row_mut(node);
        let values = lists.row_values(node);
        for (at, &col) in lists.row(node).iter().enumerate() {
            row[col as usize] = values.map_or(1.0, |values| values[at]);
        }
        match &features {
            Features::None => {}
            Features::Dense(x) => row[width..].copy_from_slice(x.row(node)),
            Features::Sparse(x) => {
                let values = x.row_values(node);
                for (at, &col) in x.row(node).iter().enumerate() {
                    row[width + col as usize] = values.map_or(1.0, |values| values[at]);
                }
            }
        }
    }
    Ok(Features::from_dense(dense))
}

/// The values of a column in the order of the nodes; others are missing.
fn spread(values: ColumnValues, rows: &[usize], nodes: usize) -> ColumnValues {
    match values {
        ColumnValues::Numbers(values) => {
            let mut by_node = vec![f64::NAN; nodes];
            rows.iter().zip(values).for_each(|(&row, value)| by_node[row] = value);
            ColumnValues::Numbers(by_node)
        }
        ColumnValues::Texts { codes, distinct } => {
            let mut by_node = vec![MISSING; nodes];
            rows.iter().zip(codes).for_each(|(&row, code)| by_node[row] = code);
            ColumnValues::Texts { codes: by_node, distinct }
        }
    }
}

fn list_paths(params: &LoadParams) -> String {
    params.nodes.iter().map(|path| path.display().to_string()).collect::<Vec<_>>().join(" or ")
}

/// Reads one file; a table whose id column is in doubt is compared with the edges.
fn one(path: &Path, params: &LoadParams, edges: EdgeIds<'_>, exec: &Exec) -> Result<RawTable> {
    if feature_lists::is(path)? {
        let (ids, lists) = feature_lists::read(path, exec)?;
        let lines = vec![0; ids.len()];
        let id = "key".to_string();
        return Ok(RawTable {
            ids,
            lines,
            frame: Frame::default(),
            labels: None,
            label_columns: Vec::new(),
            lists: Some(lists),
            id,
            header_lines: 0,
            blank: 0,
        });
    }
    let mut columns = Columns::of(&mut Table::open(path)?, path, params)?;
    let mut table = whole(path, &columns, params, exec)?;
    let doubtful = columns.id.filter(|_| !columns.id_is_sure);
    if let Some(id) = doubtful {
        let twice = first_repeated(&table.ids);
        let choice = JoinChoice::of(path, &columns, &edges()?, exec)?;
        let fits = choice.columns.contains(&id);
        let others: Vec<String> =
            choice.columns.iter().filter(|&&at| at != id).map(|&at| columns.shown(at)).collect();
        let own = columns.shown(id);
        let fault = |what: String| Err(Error::Format { path: path.into(), what });
        if fits && !others.is_empty() {
            return fault(format!(
                "{own} and {} could both be the ids of the edges; name the right one as `id`",
                others.join(", ")
            ));
        }
        if !fits && !others.is_empty() {
            return fault(format!(
                "{own} does not hold the ids of the edges, but {} does: give it as `id`",
                others.join(", ")
            ));
        }
        if !fits && choice.by_row {
            exec.notice(format!(
                "{}: no column holds the ids of the edges, which are the numbers of the rows from 0: rows are nodes in this order",
                path.file_name().unwrap_or_default().to_string_lossy()
            ));
            columns.id = None;
            // The column may be the label or a feature.
            columns.label = columns.label_column(params, path)?;
            table = whole(path, &columns, params, exec)?;
        } else if let Some((row, id)) = twice {
            let what = format!(
                "id `{id}` occurs twice in {own} of the node table, and no other column holds the ids of the edges; name the id column as `id`"
            );
            return Err(Error::Parse { path: path.into(), line: table.lines[row], what });
        }
    }
    let may_be = |at: usize| columns.may_be_label(at);
    let second = match columns.label {
        Some(_) => targets::second_label(&columns.names, columns.label, params, may_be),
        None => targets::hidden_label(&columns.names, params, may_be),
    };
    if let Some(notice) = second {
        exec.notice(format!("{}: {notice}", path.file_name().unwrap_or_default().to_string_lossy()));
    }
    Ok(table)
}

fn first_repeated(ids: &[String]) -> Option<(usize, &String)> {
    let mut seen = HashSet::with_capacity(ids.len());
    ids.iter().enumerate().find(|(_, id)| !seen.insert(id.as_str()))
}

impl Columns {
    /// The columns of a table; a header is consumed.
    fn of(rows: &mut Table, path: &Path, params: &LoadParams) -> Result<Self> {
        let (width, header) = node_header(rows, params)?;
        if width == 0 {
            let what = "empty; one node per line was expected".into();
            return Err(Error::Format { path: path.into(), what });
        }
        let named = header.is_some();
        let names = header.unwrap_or_else(|| (1..=width).map(|c| format!("column {c}")).collect());
        let several_labels = Vec::new();
        let mut columns =
            Columns { names, named, id: Some(0), id_is_sure: true, label: None, several_labels };
        columns.several_labels = targets::several(params, &columns.names, &|name| columns.place(name))?;
        if let Some(wanted) = &params.id {
            columns.id = columns.place(wanted);
            if columns.id.is_none() && wanted != ROW_NUMBERS {
                let have = list(&columns.names);
                let need = format!(
                    "a column of {}: {have}; or `{ROW_NUMBERS}` for the numbers of the rows",
                    path.display()
                );
                return Err(Error::param("id", wanted, need));
            }
        } else if let Some(at) = layout::id_column(&columns.names).filter(|_| named) {
            columns.id = Some(at);
            let names = || columns.names.iter().filter(|name| layout::is_id_name(name));
            columns.id_is_sure = names().count() == 1;
        } else {
            let label = params.label.as_deref().and_then(|label| columns.place(label));
            columns.id = (0..width).find(|&at| Some(at) != label);
            // Without a header two columns are ids and one more: there is no choice.
            columns.id_is_sure = width <= 2 && !named;
        }
        columns.label = columns.label_column(params, path)?;
        Ok(columns)
    }

    /// The column with this name or, if there is none, with this number, counted from 1.
    fn place(&self, wanted: &str) -> Option<usize> {
        layout::named_or_numbered(wanted, Some(&self.names), self.names.len())
    }

    fn label_column(&self, params: &LoadParams, path: &Path) -> Result<Option<usize>> {
        if !self.several_labels.is_empty() {
            return Ok(None);
        }
        if let Some(wanted) = &params.label {
            let found = self.place(wanted);
            if found.is_none() && params.nodes.len() == 1 {
                let need = format!("a column of {}: {}", path.display(), list(&self.names));
                return Err(Error::param("label", wanted, need));
            }
            if found.is_some() && found == self.id {
                return Err(Error::param("label", wanted, "another column than the ids"));
            }
            return Ok(found);
        }
        Ok(targets::label_column(&self.names, params, |at| self.may_be_label(at)))
    }

    fn may_be_label(&self, at: usize) -> bool {
        self.named && Some(at) != self.id
    }

    fn shown(&self, at: usize) -> String {
        if self.named { format!("column `{}`", self.names[at]) } else { self.names[at].clone() }
    }
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
    let again = below.iter().find(|row| column.is_some() && names.len() > 1 && row.cells().eq(first.cells()));
    if let Some(line) = again.map(|row| row.line) {
        return Err(rows.error(line, rows::REPEATED));
    }
    // Feature columns may have numbers as names.
    let known = column.is_some_and(|at| below.iter().all(|row| row.cell(at) != names[at]));
    // A number is the position of a column, although it may occur in the first row.
    let is_name = |name: &String| name.parse::<f64>().is_err() && names.contains(name);
    let asked = [&params.label, &params.id].into_iter().flatten();
    let asked = asked
        .flat_map(|own| own.split(',').map(str::to_string).chain([own.clone()]))
        .any(|name| is_name(&name));
    let is_header = params.header.unwrap_or_else(|| {
        asked
            || known
            || first_row(first, below, &[column.unwrap_or(0)]) != FirstRow::Data
            || is_unnamed_index(&names, below)
    });
    if !is_header {
        return Ok((names.len(), None));
    }
    rows.next_row()?;
    let mut names = names;
    let mut seen = HashMap::new();
    for (at, name) in names.iter_mut().enumerate() {
        if let Some(before) = seen.insert(name.clone(), at)
            && !name.is_empty()
        {
            return Err(
                rows.error(1, format!("columns {} and {} have the same name `{name}`", before + 1, at + 1))
            );
        }
    }
    Ok((names.len(), Some(names)))
}

/// Whether the first row names all columns but the first, as pandas writes an index without a name.
fn is_unnamed_index(names: &[String], below: &[Row]) -> bool {
    names.len() > 1
        && names[0].is_empty()
        && names[1..].iter().all(|name| layout::is_word(name))
        && below.iter().all(|row| !row.is_missing(0))
}
