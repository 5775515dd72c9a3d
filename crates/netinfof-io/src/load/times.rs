//! Times of edges: a column of an edge list, or an array of an npz file.

use super::layout::EdgeLayout;
use super::list;
use crate::frame::days_of_date;
use crate::npz::Npz;
use crate::row::Row;
use crate::table::Table;
use netinfof::Result;
use netinfof::graph::{FeatureKind, Schema, TimeColumn};
use netinfof::{Graph, Pair};

/// Names of columns and arrays that probably hold times, in lower case and without punctuation.
const NAMES: [&str; 9] =
    ["timestamp", "time", "datetime", "date", "ts", "when", "created", "createdat", "edgetime"];

/// Whether a column of this name, in lower case and without punctuation, probably holds times.
pub(super) fn is_time_name(plain: &str) -> bool {
    NAMES.contains(&plain)
}

/// How a text or number gives a time.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Time {
    Number(f64),
    /// Days since 1970-01-01.
    Date(f64),
}

impl Time {
    fn of_cell(row: &Row, at: usize) -> Option<Self> {
        if row.stated_kind(at) == Some(FeatureKind::Date) {
            return row.double(at).map(Time::Date);
        }
        let number = row.double(at).filter(|value| value.is_finite());
        number.map(Time::Number).or_else(|| days_of_date(&row.cell(at)).map(Time::Date))
    }
}

/// Whether a cell holds a time.
pub(super) fn is_time(row: &Row, at: usize) -> bool {
    Time::of_cell(row, at).is_some()
}

const EXPECTED: &str = "a number or a date such as 2024-05-31 or 2024-05-31T13:05 was expected";

/// The times of the edges of a list, row by row.
#[derive(Debug)]
pub(super) struct TimesReader {
    column: usize,
    name: String,
    values: Vec<f64>,
    /// Whether the times are dates, once there is one.
    dates: Option<bool>,
}

impl TimesReader {
    /// For a list with a column of times.
    pub(super) fn of(layout: &EdgeLayout) -> Option<Self> {
        let column = layout.time?;
        Some(TimesReader { column, name: layout.column_name(column), values: Vec::new(), dates: None })
    }

    /// Reads the time of the next edge.
    pub(super) fn read(&mut self, row: &Row, rows: &Table) -> Result<()> {
        let (at, name) = (self.column, &self.name);
        let wrong = |what: String| rows.error(row.line, what);
        if row.is_missing(at) {
            return Err(wrong(format!("no time in `{name}`; {EXPECTED} for every edge")));
        }
        let Some(time) = Time::of_cell(row, at) else {
            return Err(wrong(format!("`{}` in `{name}` is not a time; {EXPECTED}", row.cell(at))));
        };
        let (value, date) = match time {
            Time::Number(value) => (value, false),
            Time::Date(value) => (value, true),
        };
        if *self.dates.get_or_insert(date) != date {
            let kinds = if date { ["date", "numbers"] } else { ["number", "dates"] };
            return Err(wrong(format!(
                "`{}` in `{name}` is a {}, but the rows before hold {}; all times must be of one kind",
                row.cell(at),
                kinds[0],
                kinds[1]
            )));
        }
        self.values.push(value);
        Ok(())
    }

    /// Puts the times on the graph of these edges, in the order of the rows, and records their column.
    pub(super) fn put_on(self, graph: Graph, edges: &[Pair], schema: &mut Schema) -> Result<Graph> {
        let graph = graph.with_times(self.name, edges, &self.values, self.dates == Some(true))?;
        Ok(with_column(graph, schema))
    }
}

/// Records the column of the times of a graph.
fn with_column(graph: Graph, schema: &mut Schema) -> Graph {
    let times = graph.times().expect("the times were read");
    let range = times.range().map(|time| times.text(time));
    schema.time = Some(TimeColumn::new(times.column(), range));
    graph
}

/// The array of all contacts, in both directions and with repeats.
const ALL: &str = "edge_index_directed";
/// Marks times that are dates, in files that this program writes.
pub(crate) const DATES: &str = "days since 1970-01-01";
/// The array with the unit of the times in [`EDGE_TIME`].
pub(crate) const EDGE_TIME_UNIT: &str = "edge_time_unit";
/// The array with the times of the edges in files that this program writes.
pub(crate) const EDGE_TIME: &str = "edge_time";

/// Reads the times of edges from an array of an npz file: one per entry of `edge_index`, or of
/// `edge_index_directed`, which lists all contacts.
pub(super) fn of_npz(
    npz: &mut Npz,
    name: &str,
    edges: &[Pair],
    graph: Graph,
    schema: &mut Schema,
) -> Result<Graph> {
    if !npz.has(name) {
        return Err(npz.error(format!("no array `{name}` of times; the file holds {}", list(&npz.names()))));
    }
    let array = npz.array(name)?;
    let (values, dates) = match (array.all_doubles(), array.texts()) {
        (Some(values), _) => {
            let unit = format!("{name}_unit");
            let dates = npz.has(&unit) && npz.array(&unit)?.text().is_some_and(|unit| unit == DATES);
            (values, dates)
        }
        (None, Some(texts)) => {
            let days: Option<Vec<f64>> = texts.iter().map(|text| days_of_date(text)).collect();
            let Some(days) = days else {
                let bad = texts.iter().find(|text| days_of_date(text).is_none()).expect("one is no date");
                return Err(npz.error(format!("`{bad}` in `{name}` is not a time; {EXPECTED}")));
            };
            (days, true)
        }
        (None, None) => return Err(npz.error(format!("array `{name}` must hold times; {EXPECTED}"))),
    };
    if values.len() != edges.len() && npz.has(ALL) {
        let contacts = super::arrays::npz_pairs(npz, ALL)?;
        if values.len() == contacts.len() {
            return Ok(with_column(graph.with_times(name, &contacts, &values, dates)?, schema));
        }
    }
    Ok(with_column(graph.with_times(name, edges, &values, dates)?, schema))
}
