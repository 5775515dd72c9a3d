//! One row of a table, independent of the file format.

use std::borrow::Cow;

use netinfof::graph::{FeatureKind, day_text};

use crate::frame::is_missing_text;
use crate::whole::{self, EXACT_DOUBLE, EXACT_SINGLE};

/// One row of a table: its number (the line of a text) and its cells. A row is reused, so that
/// cells need no allocation.
#[derive(Clone, Debug, Default)]
pub(crate) struct Row {
    pub(crate) line: usize,
    pub(crate) text: String,
    pub(crate) cells: Vec<Cell>,
}

/// A cell: its range in the row's text, or a number from a typed table.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Cell {
    Text(usize, usize),
    Int(i64),
    Single(f32),
    Float(f64),
    Bool(bool),
    /// A date or time as days since 1970-01-01.
    Day(f64),
}

impl Row {
    /// Number of cells.
    pub(crate) fn len(&self) -> usize {
        self.cells.len()
    }

    /// A cell as text; missing cells are empty, also beyond the end.
    pub(crate) fn cell(&self, at: usize) -> Cow<'_, str> {
        match self.cells.get(at) {
            None => "".into(),
            Some(&Cell::Text(start, end)) => self.text[start..end].into(),
            Some(Cell::Int(value)) => value.to_string().into(),
            Some(Cell::Single(value)) => value.to_string().into(),
            Some(Cell::Float(value)) => value.to_string().into(),
            Some(Cell::Bool(true)) => "True".into(),
            Some(Cell::Bool(false)) => "False".into(),
            Some(&Cell::Day(days)) => day_text(days).into(),
        }
    }

    /// The kind that a typed table states for a cell.
    pub(crate) fn stated_kind(&self, at: usize) -> Option<FeatureKind> {
        match self.cells.get(at) {
            Some(Cell::Bool(_)) => Some(FeatureKind::Boolean),
            Some(Cell::Day(_)) => Some(FeatureKind::Date),
            _ => None,
        }
    }

    /// A cell as an id, or the reason why it is not one: it must not be empty, and a float must represent
    /// exactly one whole number.
    pub(crate) fn id(&self, at: usize) -> std::result::Result<Cow<'_, str>, String> {
        let (value, exact) = match self.cells.get(at) {
            Some(&Cell::Single(value)) => (f64::from(value), EXACT_SINGLE),
            Some(&Cell::Float(value)) => (value, EXACT_DOUBLE),
            Some(Cell::Day(_)) => return Err("a date or time as id; numbers or texts were expected".into()),
            _ => {
                let cell = self.cell(at);
                return if cell.is_empty() { Err("an empty id".into()) } else { Ok(cell) };
            }
        };
        match whole::id(value, exact) {
            Ok(id) => Ok(id.to_string().into()),
            Err(why) => Err(format!("id {value} {why}")),
        }
    }

    /// Whether a cell is a number.
    pub(crate) fn is_number(&self, at: usize) -> bool {
        match self.cells.get(at) {
            Some(&Cell::Text(start, end)) => self.text[start..end].parse::<f64>().is_ok(),
            Some(_) => true,
            None => false,
        }
    }

    /// A cell of a text; `None` for a typed cell.
    pub(crate) fn text_at(&self, at: usize) -> Option<&str> {
        match *self.cells.get(at)? {
            Cell::Text(start, end) => Some(&self.text[start..end]),
            _ => None,
        }
    }

    /// Whether a cell is a number such as `007`, which may be a code.
    pub(crate) fn has_leading_zero(&self, at: usize) -> bool {
        let is_code = |text: &str| {
            text.len() > 1 && text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit())
        };
        self.text_at(at).is_some_and(is_code)
    }

    /// A cell as a number, as exact as it is stored.
    pub(crate) fn double(&self, at: usize) -> Option<f64> {
        match *self.cells.get(at)? {
            Cell::Text(start, end) => self.text[start..end].parse().ok(),
            Cell::Int(value) => Some(value as f64),
            Cell::Single(value) => Some(f64::from(value)),
            Cell::Float(value) | Cell::Day(value) => Some(value),
            Cell::Bool(value) => Some(f64::from(value)),
        }
    }

    /// All cells as text.
    pub(crate) fn cells(&self) -> impl Iterator<Item = Cow<'_, str>> {
        (0..self.len()).map(|at| self.cell(at))
    }

    /// Whether a cell marks a missing value in one of the common ways.
    pub(crate) fn is_missing(&self, at: usize) -> bool {
        match self.cells.get(at) {
            None => true,
            Some(&Cell::Text(start, end)) => is_missing_text(&self.text[start..end]),
            Some(Cell::Single(value)) => value.is_nan(),
            Some(Cell::Float(value) | Cell::Day(value)) => value.is_nan(),
            Some(Cell::Int(_) | Cell::Bool(_)) => false,
        }
    }

    /// A cell as a finite number.
    pub(crate) fn number(&self, at: usize) -> Option<f32> {
        let value = match *self.cells.get(at)? {
            Cell::Text(start, end) => self.text[start..end].parse().ok()?,
            Cell::Int(value) => value as f32,
            Cell::Single(value) => value,
            Cell::Float(value) | Cell::Day(value) => value as f32,
            Cell::Bool(value) => f32::from(value),
        };
        value.is_finite().then_some(value)
    }

    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.cells.clear();
    }

    pub(crate) fn push_text(&mut self, cell: &str) {
        let start = self.text.len();
        self.text.push_str(cell);
        self.cells.push(Cell::Text(start, self.text.len()));
    }

    #[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "typed cells come from Parquet"))]
    pub(crate) fn push_int(&mut self, cell: i64) {
        self.cells.push(Cell::Int(cell));
    }

    #[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "typed cells come from Parquet"))]
    pub(crate) fn push_single(&mut self, cell: f32) {
        self.cells.push(Cell::Single(cell));
    }

    #[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "typed cells come from Parquet"))]
    pub(crate) fn push_float(&mut self, cell: f64) {
        self.cells.push(Cell::Float(cell));
    }

    #[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "typed cells come from Parquet"))]
    pub(crate) fn push_bool(&mut self, cell: bool) {
        self.cells.push(Cell::Bool(cell));
    }

    #[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "typed cells come from Parquet"))]
    pub(crate) fn push_day(&mut self, cell: f64) {
        self.cells.push(Cell::Day(cell));
    }
}
