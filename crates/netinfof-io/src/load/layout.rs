//! Layout of a table: which columns hold ids, whether the first row is a header, and whether it is an edge
//! list.

mod doubts;
mod names;

use std::borrow::Cow;
use std::path::Path;

use super::times::{is_time, is_time_name};
use super::{LoadParams, list, weights};
use crate::row::Row;
use crate::table::Table;
use netinfof::Exec;
use netinfof::graph::{Dropped, Schema};
use netinfof::{Error, Result};

use doubts::{Sample, counts_of};
use names::{ATTRIBUTES, MANY_NAMED, MANY_UNNAMED, both, default_ends, known_pair};
pub(super) use names::{
    UNUSED, id_column, is_id_name, is_label_name, known_ends, label_column, named_or_numbered, plain, stem,
};

/// The meaning of the first row of a table.
#[derive(Debug, PartialEq)]
pub(super) enum FirstRow {
    /// Certainly names of columns.
    Names,
    /// Probably names of columns, for this reason, unless one of them is an id elsewhere.
    LikelyNames(String),
    Data,
}

/// The meaning of the first row, from its content and the rows below it; `columns` hold ids.
pub(super) fn first_row(first: &Row, below: &[Row], columns: &[usize]) -> FirstRow {
    let names: Vec<String> = first.cells().map(Cow::into_owned).collect();
    let words = columns.iter().all(|&at| !first.is_number(at) && !first.cell(at).is_empty());
    if !words {
        return FirstRow::Data;
    }
    let pair = known_pair(&names).filter(|(ends, _)| columns == &ends[..]);
    if pair.is_some_and(|(_, short)| !short) {
        return FirstRow::Names;
    }
    let numbers = |at: usize| {
        let mut cells = below.iter().filter(|row| !row.is_missing(at)).peekable();
        cells.peek().is_some() && cells.all(|row| row.is_number(at))
    };
    if columns.iter().any(|&at| numbers(at)) {
        return FirstRow::Names;
    }
    let again = |name: &str| below.iter().any(|row| columns.iter().any(|&at| row.cell(at) == *name));
    let own: Vec<&String> = columns.iter().map(|&at| &names[at]).collect();
    if own.iter().any(|name| again(name)) {
        return FirstRow::Data;
    }
    let known = own.iter().filter(|name| is_id_name(name)).count();
    if known == own.len() || label_column(&names).is_some() && known > 0 {
        return FirstRow::LikelyNames("the names are common column names and occur nowhere else".into());
    }
    let above_numbers =
        |&at: &usize| !names[at].is_empty() && !first.is_number(at) && is_word(&names[at]) && numbers(at);
    if let Some(at) = (0..names.len()).find(above_numbers) {
        return FirstRow::LikelyNames(format!("`{}` is above a column of numbers", names[at]));
    }
    let different = |&at: &usize| {
        let cells: Vec<Cow<'_, str>> = below.iter().map(|row| row.cell(at)).collect();
        is_word(&names[at]) && written_differently(&names[at], &cells)
    };
    if columns.iter().all(different) {
        return FirstRow::LikelyNames("all ids below are written differently".into());
    }
    if known > 0 && below.len() >= 2 && own.iter().all(|name| is_word(name)) {
        return FirstRow::LikelyNames("one of them is a common column name and neither occurs again".into());
    }
    FirstRow::Data
}

/// Whether a text could be a column name: letters, with optional punctuation between them and a number at the
/// end.
pub(super) fn is_word(name: &str) -> bool {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    name.len() - stem.len() <= 1
        && stem.starts_with(|c: char| c.is_alphabetic())
        && stem.chars().all(|c| c.is_alphabetic() || " _-.".contains(c))
}

/// Whether all cells have a property that the name lacks: digits, punctuation, an initial capital.
fn written_differently(name: &str, cells: &[Cow<'_, str>]) -> bool {
    if cells.len() < 2 {
        return false;
    }
    let digit = |text: &str| text.contains(|c: char| c.is_ascii_digit());
    let capital = |text: &str| text.starts_with(char::is_uppercase);
    let all = |has: &dyn Fn(&str) -> bool| !has(name) && cells.iter().all(|cell| has(cell));
    all(&digit) || all(&capital) || "@/:.".chars().any(|sign| all(&|text: &str| text.contains(sign)))
}

/// The layout of an edge list.
pub(super) struct EdgeLayout {
    /// Number of columns.
    pub(super) width: usize,
    /// Names of the columns, if the table has a header.
    pub(super) names: Option<Vec<String>>,
    /// The two id columns.
    pub(super) ends: [usize; 2],
    /// The column with the weights of edges, if it was asked for.
    pub(super) weight: Option<usize>,
    /// The column of times, if one was named.
    pub(super) time: Option<usize>,
    /// Number of lines of the header in the file.
    pub(super) header_lines: usize,
    /// The header row and the reason for taking it as a header, if that is not certain.
    pub(super) likely: Option<(Row, String)>,
    /// A first row of words that is read as an edge, and its line.
    pub(super) doubtful_edge: Option<(usize, [String; 2])>,
    /// The line of a first row of numbers, and the last of them, which may be the number of the rows below it.
    counts: Option<(usize, usize)>,
}

impl EdgeLayout {
    /// Finds the layout; a header is consumed. A table that is not an edge list is refused.
    pub(super) fn of(rows: &mut Table, params: &LoadParams, path: &Path) -> Result<Self> {
        let mut layout = EdgeLayout {
            width: 0,
            names: None,
            ends: [0, 1],
            weight: None,
            time: None,
            header_lines: 0,
            likely: None,
            doubtful_edge: None,
            counts: None,
        };
        let time_in = |names: &[String]| named_or_numbered(params.time.as_ref()?, Some(names), names.len());
        let mut doubt = None;
        let mut reason = None;
        let mut matrix = false;
        if let Some(names) = rows.own_names() {
            layout.width = names.len();
            if params.ends.is_none() && params.format.is_none() {
                let ends = default_ends(&names, time_in(&names));
                let sample = Table::sample(path, names.len().min(4))?;
                let timed = params.time.is_some();
                doubt = Sample { rows: &sample, names: Some(&names), named: true, ends, timed }.doubt();
            }
            layout.names = Some(names);
        } else {
            rows.peek();
            if let Some(error) = rows.hidden_row(|row, id| (0..2).any(|end| row.cell(end) == id)) {
                return Err(error);
            }
            let (sample, all) = rows.peek();
            if let Some((first, below)) = sample.split_first() {
                layout.width = first.len();
                let names: Vec<String> = first.cells().map(Cow::into_owned).collect();
                let columns = params
                    .ends
                    .as_ref()
                    .and_then(|ends| {
                        both(ends.each_ref().map(|end| named_or_numbered(end, Some(&names), names.len())))
                    })
                    .unwrap_or_else(|| default_ends(&names, time_in(&names)));
                // A word above times names their column.
                let times_below = time_in(&names).is_some_and(|at| {
                    !is_time(first, at)
                        && !first.is_missing(at)
                        && below.first().is_some_and(|row| is_time(row, at))
                });
                // A number is the position of a column, although it may occur in the first row.
                let is_name = |column: &String| column.parse::<f64>().is_err() && names.contains(column);
                let by_name = |ends: &[String; 2]| ends.iter().any(is_name);
                let found = if let Some(header) = params.header {
                    if header { FirstRow::Names } else { FirstRow::Data }
                } else if params.ends.as_ref().is_some_and(by_name)
                    || [&params.weight, &params.time].into_iter().flatten().any(is_name)
                    || times_below
                {
                    FirstRow::Names
                } else if first.len() < 2 {
                    FirstRow::Data
                } else {
                    first_row(first, below, &columns)
                };
                let header = found != FirstRow::Data;
                let rows = if header { below } else { sample };
                let ends = if header { default_ends(&names, time_in(&names)) } else { [0, 1] };
                let timed = params.time.is_some();
                let (named, names_below) = (found == FirstRow::Names, header.then_some(&names[..]));
                doubt = Sample { rows, names: names_below, named, ends, timed }.doubt();
                match found {
                    FirstRow::Names => layout.names = Some(names),
                    FirstRow::LikelyNames(why) => {
                        layout.names = Some(names);
                        reason = Some(why);
                    }
                    FirstRow::Data => {
                        matrix = all && is_adjacency(sample);
                        layout.counts = counts_of(first).map(|count| (first.line, count));
                        let words = params.header.is_none() && names.iter().take(2).all(|name| is_word(name));
                        let ends = || [0, 1].map(|at| first.cell(at).into_owned());
                        layout.doubtful_edge = words.then(|| (first.line, ends()));
                    }
                }
            }
            if layout.names.is_some() || layout.width == 0 {
                // The header, or the error of the first row.
                let header = rows.next_row()?;
                layout.header_lines = usize::from(layout.names.is_some());
                layout.likely = header.zip(reason);
            }
        }
        let broken = |what: String| Error::Format { path: path.into(), what };
        if layout.width == 0 {
            return Err(broken("empty; one edge per line was expected".into()));
        }
        if layout.width < 2 {
            let what = "1 column; an edge needs two ids, separated by a comma, tab, semicolon or spaces";
            return Err(match rows.next_row()? {
                Some(row) if !rows.is_named() => rows.error(row.line, what.to_string() + &another_sign(&row)),
                _ => broken(what.into()),
            });
        }
        if let Some(ends) = &params.ends {
            layout.ends = named_columns(ends, layout.names.as_deref(), layout.width, path)?;
        } else {
            // Rows of different lengths are reported by the reader.
            if params.format.is_none()
                && !rows.is_faulty()
                && let Some(what) = layout.no_edge_list(matrix)
            {
                return Err(broken(what));
            }
            if let Some(what) = doubt.filter(|_| params.format.is_none()) {
                return Err(broken(what));
            }
            let unnamed = || (0..layout.width).map(|_| String::new()).collect();
            let names = layout.names.clone().unwrap_or_else(unnamed);
            layout.ends = default_ends(&names, time_in(&names));
        }
        if let Some(wanted) = &params.weight {
            layout.weight = Some(layout.column_of("weight", wanted, path)?);
        }
        if let Some(wanted) = &params.time {
            layout.time = Some(layout.column_of("time", wanted, path)?);
        }
        Ok(layout)
    }

    /// The column with the requested name or number, which must not be an end.
    fn column_of(&self, option: &'static str, wanted: &str, path: &Path) -> Result<usize> {
        let found = named_or_numbered(wanted, self.names.as_deref(), self.width);
        found.filter(|at| !self.ends.contains(at)).ok_or_else(|| {
            let names = self.names.as_deref();
            let have = names
                .map_or_else(|| format!("numbers from 1 to {}, because it has no header", self.width), list);
            Error::param(option, wanted, format!("a column of {} that holds no ids: {have}", path.display()))
        })
    }

    /// The error for a row that repeats the names of the columns, as files that were joined have it.
    pub(super) fn check_row(&self, row: &Row, rows: &Table) -> Result<()> {
        let Some(names) = self.names.as_ref().filter(|_| self.header_lines > 0 && self.likely.is_none())
        else {
            return Ok(());
        };
        if names.iter().enumerate().all(|(at, name)| row.cell(at) == *name) {
            let what =
                "repeats the column names of the first line; remove such lines of files that were joined";
            return Err(rows.error(row.line, what));
        }
        Ok(())
    }

    /// The error for a first line that is no edge but holds the numbers of nodes and of the other rows; `rows` is the
    /// number of edges that were read.
    pub(super) fn check_counts(&self, rows: usize, params: &LoadParams, path: &Path) -> Result<()> {
        const ENOUGH: usize = 10;
        let Some((line, count)) = self.counts.filter(|_| params.format.is_none() && params.ends.is_none())
        else {
            return Ok(());
        };
        if count < ENOUGH || count + 1 != rows {
            return Ok(());
        }
        let what = format!(
            "its last number, {count}, is the number of the rows below it, so it is probably no edge but holds the numbers of nodes and edges: remove this line, or give the format `edges`"
        );
        Err(Error::Parse { path: path.into(), line, what })
    }

    /// The columns that are read, ascending.
    pub(super) fn used(&self) -> Vec<usize> {
        let mut columns: Vec<usize> = self.ends.into_iter().chain(self.weight).chain(self.time).collect();
        columns.sort_unstable();
        columns.dedup();
        columns
    }

    /// The weight of a row's edge, if weights are asked for.
    pub(super) fn weight_in(&self, row: &Row) -> std::result::Result<Option<f32>, String> {
        self.weight.map(|at| weights::weight_of(&row.cell(at), row.double(at))).transpose()
    }

    /// The name of the column with the weights.
    pub(super) fn weight_name(&self) -> Option<String> {
        self.weight.map(|at| self.column_name(at))
    }

    /// The name of a column, or its number from 1.
    pub(super) fn column_name(&self, at: usize) -> String {
        match &self.names {
            Some(names) if !names[at].trim().is_empty() => names[at].clone(),
            _ => format!("column {}", at + 1),
        }
    }

    /// What the table looks like, if it is not an edge list.
    fn no_edge_list(&self, matrix: bool) -> Option<String> {
        let width = self.width;
        if matrix {
            return Some(format!(
                "looks like an adjacency matrix of {width} × {width} numbers; give the format `adjacency-matrix` if it is one, or `edges` if it is a list of edges"
            ));
        }
        let Some(names) = &self.names else {
            return (width >= MANY_UNNAMED).then(|| {
                format!("looks like a matrix or a node table: {width} columns and no header; give a node table as `nodes` together with an edge list, name the two id columns of an edge list with `ends`, such as 1,2, or give the format `neighbours` if lines are a node and its neighbours")
            });
        };
        if known_ends(names).is_some() {
            return None;
        }
        let id = id_column(names);
        let attribute = (0..width).any(|at| {
            Some(at) != id
                && (ATTRIBUTES.contains(&plain(&names[at]).as_str()) || plain(&names[at]) == "name")
        });
        let nodes = id.is_some() && (attribute || width + 1 >= MANY_NAMED) || width >= MANY_NAMED;
        let shown = list(&names[..width.min(4)]) + if width > 4 { ", …" } else { "" };
        nodes.then(|| {
            format!("looks like a node table (columns {shown}); give it as `nodes` together with an edge list, or name the two id columns with `ends`")
        })
    }

    /// What is read of the table.
    pub(super) fn schema(&self) -> Schema {
        let column = |at: usize| self.column_name(at);
        let mut schema = Schema::new("an edge list");
        schema.ends = self.ends.map(column).to_vec();
        schema.weight = self.weight_name();
        schema.edge_columns = (0..self.width).map(column).collect();
        schema.header_lines = self.header_lines;
        let used = self.used();
        let rest = (0..self.width).filter(|at| !used.contains(at));
        schema.dropped = rest.map(|at| Dropped::new(column(at), "a column of edges")).collect();
        schema
    }

    /// Issues a notice about the columns that are read and not used, if there is a choice.
    pub(super) fn notice(&self, name: &str, params: &LoadParams, exec: &Exec) {
        if self.names.is_none() && self.width == 2 {
            return;
        }
        let column = |at: usize| match &self.names {
            Some(names) if !names[at].trim().is_empty() => format!("`{}`", names[at]),
            _ => (at + 1).to_string(),
        };
        let [a, b] = self.ends.map(column);
        // Known names tell whether both columns hold one kind of nodes.
        let is_known = self.names.as_ref().is_some_and(|names| known_ends(names) == Some(self.ends));
        let kinds = match params.bipartite {
            None if !is_known => {
                "; equal ids in both columns are one node, unless the graph is declared as bipartite"
            }
            _ => "",
        };
        let why = match &self.likely {
            Some((row, why)) => format!("line {} is taken as column names ({why}); ", row.line),
            None => String::new(),
        };
        let used = self.used();
        let unused = || (0..self.width).filter(|at| !used.contains(at));
        let names: Vec<&str> = unused().filter_map(|at| Some(self.names.as_ref()?[at].as_str())).collect();
        let reason = weights::unused_reason(params, names);
        let mut rest: Vec<String> = unused().map(column).collect();
        let is_time = |at: &usize| is_time_name(&plain(&self.column_name(*at)));
        let hint = unused().find(is_time).filter(|_| self.time.is_none()).map(column);
        let hint = hint.map_or(String::new(), |name| format!("; give {name} as `time` for a split by time"));
        let time = self.time.map_or(String::new(), |at| format!(", times from column {}", column(at)));
        let count = rest.len();
        if count > 6 {
            rest.truncate(5);
            rest.push(format!("and {} more", count - 5));
        }
        let rest = match count {
            0 => String::new(),
            1 => format!("; column {} is not used: {reason}", rest[0]),
            _ => format!("; columns {} are not used: {reason}", rest.join(", ")),
        };
        exec.notice(format!("{name}: {why}edges are read from columns {a} and {b}{time}{kinds}{rest}{hint}"));
    }
}

/// The columns with the requested names or numbers.
fn named_columns(
    ends: &[String; 2],
    header: Option<&[String]>,
    width: usize,
    path: &Path,
) -> Result<[usize; 2]> {
    let place = |name: &String| {
        named_or_numbered(name, header, width).ok_or_else(|| {
            let have =
                header.map_or_else(|| format!("numbers from 1 to {width}, because it has no header"), list);
            Error::param("ends", name, format!("two columns of {}: {have}", path.display()))
        })
    };
    let columns = [place(&ends[0])?, place(&ends[1])?];
    if columns[0] == columns[1] {
        return Err(Error::param("ends", ends.join(","), "two different columns"));
    }
    Ok(columns)
}

/// Advice for a row of one cell, which may hold further cells behind an unusual sign.
fn another_sign(row: &Row) -> String {
    let cell = row.cell(0);
    if cell.bytes().all(|byte| byte.is_ascii_digit()) {
        return "; if the line holds the number of rows, remove it".into();
    }
    let sign = ["::", "|", "^", "~"].into_iter().find(|sign| cell.contains(sign));
    sign.map_or(String::new(), |sign| {
        format!("; the cells seem to be separated by `{sign}`: replace it, as in `sed 's/{sign}/\\t/g'`")
    })
}

/// Whether these are all rows of a square matrix of numbers that is symmetric, or all zeros and ones.
pub(super) fn is_adjacency(rows: &[Row]) -> bool {
    let width = rows.len();
    if width < 3 || rows.iter().any(|row| row.len() != width) {
        return false;
    }
    let value = |row: usize, col: usize| rows[row].double(col);
    let places = || (0..width).flat_map(|row| (0..width).map(move |col| (row, col)));
    let numbers = places().all(|(row, col)| value(row, col).is_some());
    let binary = || places().all(|(row, col)| matches!(value(row, col), Some(v) if v == 0.0 || v == 1.0));
    let symmetric = || places().all(|(row, col)| value(row, col) == value(col, row));
    numbers && (binary() || symmetric())
}

#[cfg(test)]
mod tests;
