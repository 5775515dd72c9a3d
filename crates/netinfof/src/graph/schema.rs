//! What was read of a source, and from which parts of it. A graph keeps it, and a model saves it, so that the
//! same columns of newer rows get the same meaning.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::{Features, TargetKind};

/// What was read of a source, and from which parts of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Schema {
    /// The format, such as `edges` or `npz`.
    pub format: String,
    /// The columns with the two ends of an edge, or the array or element that holds the edges.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ends: Vec<String>,
    /// The column, attribute or array with the weights of the edges; `None` if none are used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weight: Option<String>,
    /// The columns of the edge table, in order; empty for other formats.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edge_columns: Vec<String>,
    /// The column or array with the times of the edges.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<TimeColumn>,
    /// Number of header lines of the edge table.
    #[serde(default)]
    pub header_lines: usize,
    /// The column with the ids of the nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The column with the classes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Number of header lines of the node table; `None` without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node_header_lines: Option<usize>,
    /// The feature columns, in order; empty if they have no names.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub columns: Vec<FeatureColumn>,
    /// What was not used, and why.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dropped: Vec<Dropped>,
}

/// A feature column of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FeatureColumn {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub kind: FeatureKind,
    /// Categories: the text of every level. The value of a feature is the number of its level.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<String>,
    /// Categories: whether the last level stands for all other texts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_other: bool,
    /// Numbers: those that stand for a missing value, such as -999.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing_codes: Vec<i64>,
}

impl FeatureColumn {
    /// A column without levels.
    pub fn new(name: impl Into<String>, kind: FeatureKind) -> Self {
        FeatureColumn {
            name: name.into(),
            kind,
            levels: Vec::new(),
            has_other: false,
            missing_codes: Vec::new(),
        }
    }
}

/// What a feature column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum FeatureKind {
    /// Numbers.
    Number,
    /// True and false, as 1 and 0.
    Boolean,
    /// One of several texts, as its number.
    Category,
    /// Dates or times, as days since 1970-01-01.
    Date,
}

impl FeatureKind {
    /// All kinds, in the order in which they are listed.
    pub const ALL: [FeatureKind; 4] =
        [FeatureKind::Number, FeatureKind::Boolean, FeatureKind::Category, FeatureKind::Date];

    /// The name of one column of this kind, or of several.
    pub fn noun(self, several: bool) -> &'static str {
        match (self, several) {
            (FeatureKind::Number, false) => "number",
            (FeatureKind::Number, true) => "numbers",
            (FeatureKind::Boolean, false) => "boolean",
            (FeatureKind::Boolean, true) => "booleans",
            (FeatureKind::Category, false) => "category",
            (FeatureKind::Category, true) => "categories",
            (FeatureKind::Date, false) => "date",
            (FeatureKind::Date, true) => "dates",
        }
    }
}

/// The column or array with the times of the edges.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TimeColumn {
    /// Its name.
    pub name: String,
    /// The earliest and the latest time at which an edge begins, as dates where the times are dates or are in the
    /// range of seconds since 1970.
    pub range: [String; 2],
}

impl TimeColumn {
    /// A column of times in this range.
    pub fn new(name: impl Into<String>, range: [String; 2]) -> Self {
        TimeColumn { name: name.into(), range }
    }
}

/// A part of a source that is not used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Dropped {
    /// Its name.
    pub name: String,
    /// The reason.
    pub why: String,
}

impl Dropped {
    /// A part and the reason.
    pub fn new(name: impl Into<String>, why: impl Into<String>) -> Self {
        Dropped { name: name.into(), why: why.into() }
    }
}

/// One feature column, for users: what it holds and how complete it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ColumnSummary {
    /// Its name, or its number if it has none.
    pub name: String,
    /// What it holds.
    pub kind: FeatureKind,
    /// The smallest and the largest value; `None` without values. Numbers of levels for categories.
    pub range: Option<[f32; 2]>,
    /// Share of nodes without a value.
    pub missing: f64,
    /// Categories: the levels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub levels: Vec<String>,
}

/// Tables with more feature columns are summarised by kind only.
const LISTED_COLUMNS: usize = 256;

impl Schema {
    /// A source of this format.
    pub fn new(format: impl Into<String>) -> Self {
        Schema { format: format.into(), ..Schema::default() }
    }

    /// The same without the list of columns, if that is long.
    pub(crate) fn shortened(&self) -> Self {
        let mut short = self.clone();
        if short.columns.len() > LISTED_COLUMNS {
            short.columns.clear();
        }
        short
    }

    /// One line: what is read as what, and what is not used. `features` and `classes` are their numbers.
    pub fn line(&self, features: usize, classes: usize, target: Option<TargetKind>) -> String {
        let lines = |count: usize| match count {
            0 => " (no header)".to_string(),
            1 => " (1 header line)".to_string(),
            count => format!(" ({count} header lines)"),
        };
        let mut text = format!("read as {}", self.format);
        match &self.ends[..] {
            [a, b] => {
                let _ = write!(text, ": ends from `{a}` and `{b}`{}", lines(self.header_lines));
            }
            [one] => {
                let _ = write!(text, ": edges from `{one}`");
            }
            _ => {}
        }
        if let Some(weight) = &self.weight {
            let _ = write!(text, "; weights from `{weight}`");
        }
        if let Some(TimeColumn { name, range: [first, last] }) = &self.time {
            let _ = write!(text, "; times from `{name}` ({first} to {last})");
        }
        if let Some(id) = &self.id {
            let header = self.node_header_lines.map_or(String::new(), lines);
            let _ = write!(text, "; ids from `{id}`{header}");
        }
        let label = self.label.as_ref().map_or(String::new(), |label| format!(" from `{label}`"));
        let _ = match (target, classes) {
            (Some(TargetKind::Numbers), _) => write!(text, "; numeric target{label}"),
            (Some(TargetKind::Labels), _) => write!(text, "; sets of labels{label}"),
            (_, 0) => write!(text, "; no classes"),
            (_, 1) => write!(text, "; 1 class{label}"),
            (_, count) => write!(text, "; {count} classes{label}"),
        };
        let _ = match features {
            0 => write!(text, "; no features"),
            1 => write!(text, "; 1 feature"),
            count => write!(text, "; {count} features"),
        };
        let kinds: Vec<String> = FeatureKind::ALL
            .into_iter()
            .filter_map(|kind| {
                let count = self.columns.iter().filter(|column| column.kind == kind).count();
                (count > 0).then(|| format!("{count} {}", kind.noun(count > 1)))
            })
            .collect();
        if !kinds.is_empty() {
            let _ = write!(text, ": {}", kinds.join(", "));
        }
        if !self.dropped.is_empty() {
            let mut parts: Vec<String> =
                self.dropped.iter().take(8).map(|part| format!("`{}` ({})", part.name, part.why)).collect();
            if self.dropped.len() > parts.len() {
                parts.push(format!("and {} more", self.dropped.len() - parts.len()));
            }
            let _ = write!(text, "; not used: {}", parts.join(", "));
        }
        text
    }

    /// The feature columns with their ranges; empty if there are too many to list.
    pub(crate) fn summaries(schema: Option<&Schema>, features: &Features) -> Vec<ColumnSummary> {
        let (cols, known) = (features.cols(), schema.map_or(&[][..], |schema| &schema.columns));
        if cols == 0 || cols > LISTED_COLUMNS {
            return Vec::new();
        }
        let mut rows = 0usize;
        let mut ranges = vec![[f32::INFINITY, f32::NEG_INFINITY]; cols];
        let (mut present, mut missing, mut flags) =
            (vec![0usize; cols], vec![0usize; cols], vec![true; cols]);
        let mut add = |col: usize, value: f32| {
            if value.is_nan() {
                missing[col] += 1;
                return;
            }
            present[col] += 1;
            flags[col] &= value == 0.0 || value == 1.0;
            ranges[col] = [ranges[col][0].min(value), ranges[col][1].max(value)];
        };
        match features {
            Features::None => {}
            Features::Dense(x) => {
                rows = x.rows();
                (0..rows).for_each(|row| x.row(row).iter().enumerate().for_each(|(col, &v)| add(col, v)));
            }
            Features::Sparse(x) => {
                rows = x.rows();
                for row in 0..rows {
                    let values = x.row_values(row);
                    for (at, &col) in x.row(row).iter().enumerate() {
                        add(col as usize, values.map_or(1.0, |values| values[at]));
                    }
                }
            }
        }
        if matches!(features, Features::Sparse(_)) {
            // Values that are not stored are zero.
            for (range, &count) in ranges.iter_mut().zip(&present) {
                if count < rows {
                    *range = [range[0].min(0.0), range[1].max(0.0)];
                }
            }
        }
        (0..cols)
            .map(|col| {
                let [low, high] = ranges[col];
                let kind = if flags[col] { FeatureKind::Boolean } else { FeatureKind::Number };
                let own = known.get(col);
                ColumnSummary {
                    name: own.map_or_else(|| format!("x{col}"), |own| own.name.clone()),
                    kind: own.map_or(kind, |own| own.kind),
                    range: (low <= high).then_some([low, high]),
                    missing: missing[col] as f64 / rows.max(1) as f64,
                    levels: own.map_or_else(Vec::new, |own| own.levels.clone()),
                }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Matrix;

    #[test]
    fn the_line_says_what_was_read() {
        let mut schema = Schema::new("edges");
        schema.ends = vec!["user".into(), "item".into()];
        schema.header_lines = 1;
        schema.id = Some("id".into());
        schema.node_header_lines = Some(0);
        schema.label = Some("class".into());
        schema.columns = vec![
            FeatureColumn::new("age", FeatureKind::Number),
            FeatureColumn::new("height", FeatureKind::Number),
            FeatureColumn::new("member", FeatureKind::Boolean),
        ];
        schema.dropped.push(Dropped::new("name", "an id"));
        assert_eq!(
            schema.line(3, 2, None),
            "read as edges: ends from `user` and `item` (1 header line); ids from `id` (no header); 2 classes \
             from `class`; 3 features: 2 numbers, 1 boolean; not used: `name` (an id)"
        );
    }

    #[test]
    fn summaries_by_hand() {
        let x = Matrix::from_vec(3, 2, vec![1.0, f32::NAN, 0.0, 4.0, 1.0, 2.0]);
        let found = Schema::summaries(None, &Features::Dense(x));
        assert_eq!((found[0].kind, found[1].kind), (FeatureKind::Boolean, FeatureKind::Number));
        assert_eq!((found[1].range, &found[1].name[..]), (Some([2.0, 4.0]), "x1"));
        assert!((found[1].missing - 1.0 / 3.0).abs() < 1e-12 && found[0].missing == 0.0);
    }
}
