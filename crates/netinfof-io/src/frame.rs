//! Columns of a node table, independent of where they come from, and their conversion to features: numbers,
//! booleans, categories and dates. Files and data frames share these rules, so the same table gives the same
//! features.

mod cells;
mod like;
mod numbers;
mod sentinel;

use std::collections::HashMap;

use netinfof::graph::{Dropped, FeatureColumn, FeatureKind, Schema};
use netinfof::{Features, Matrix};

pub(crate) use cells::{PointGroups, days_of_date, is_missing_text, plain_decimals, unread_notation};
pub(crate) use sentinel::{Sentinel, sentinels};

use cells::{TextKind, boolean, decimal_comma, kind_of_texts};
use like::{by_level, category_of, check_dates, is_level_of};
use numbers::numbers;
use sentinel::SentinelNotes;

/// Categories have at most this many levels; rarer ones share the last.
const MOST_LEVELS: usize = 32;
/// Tables with at least this many feature columns have one column per level, because a number in a wide table
/// is not recognised as a category.
const WIDE: usize = 64;
/// Properties such as "another value in every row" mean nothing in tables of fewer rows.
const FEWEST_ROWS: usize = 20;

/// A table: columns of the same length.
#[derive(Clone, Debug, Default)]
pub struct Frame {
    /// The columns, in order.
    pub columns: Vec<FrameColumn>,
}

/// A column with a name.
#[derive(Clone, Debug)]
pub struct FrameColumn {
    /// The name; may be empty.
    pub name: String,
    /// The values.
    pub values: ColumnValues,
    /// The kind, if the source states it.
    pub stated: Option<FeatureKind>,
}

/// Values of a column.
#[derive(Clone, Debug)]
pub enum ColumnValues {
    /// Numbers; NaN is missing.
    Numbers(Vec<f64>),
    /// Texts: for every row the number of its text, or [`MISSING`].
    Texts {
        /// The number of each row's text.
        codes: Vec<u32>,
        /// The different texts.
        distinct: Vec<String>,
    },
}

/// The code of a missing text.
pub const MISSING: u32 = u32::MAX;

/// Which columns become features, and how. Names may end in `*`, which stands for any text.
#[derive(Clone, Debug, Default)]
pub struct ColumnChoices {
    /// Columns to leave out.
    pub drop: Vec<String>,
    /// Columns whose values are levels.
    pub categorical: Vec<String>,
    /// Columns whose values are numbers, also if they look like an id.
    pub numeric: Vec<String>,
    /// The only columns to use; empty: all.
    pub features: Vec<String>,
    /// The columns of an earlier table, whose names, kinds and levels are used.
    pub like: Option<Schema>,
}

/// The features of a table.
#[derive(Clone, Debug)]
pub struct TypedFeatures {
    /// One row per node.
    pub features: Features,
    /// The columns.
    pub columns: Vec<FeatureColumn>,
    /// Columns without use, and why.
    pub dropped: Vec<Dropped>,
    /// What a user should know.
    pub notices: Vec<String>,
}

/// What is wrong with a column, on one line, and the row (counted from 0), if it is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnFault {
    /// The fault.
    pub what: String,
    /// The row.
    pub row: Option<usize>,
}

impl From<String> for ColumnFault {
    fn from(what: String) -> Self {
        ColumnFault { what, row: None }
    }
}

/// The class of every row as text, for finding columns that repeat it; empty texts are unknown.
pub type LabelTexts<'a> = Option<&'a [String]>;

impl ColumnValues {
    /// Texts, of which `None` and the usual marks are missing.
    pub fn from_texts<'a>(texts: impl Iterator<Item = Option<&'a str>>) -> Self {
        let mut interner = TextInterner::default();
        let codes = texts.map(|text| text.map_or(MISSING, |text| interner.code(text))).collect();
        ColumnValues::Texts { codes, distinct: interner.distinct }
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        match self {
            ColumnValues::Numbers(values) => values.len(),
            ColumnValues::Texts { codes, .. } => codes.len(),
        }
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Numbers texts in order of first appearance.
#[derive(Default)]
pub(crate) struct TextInterner {
    pub(crate) distinct: Vec<String>,
    codes: HashMap<String, u32>,
}

impl TextInterner {
    pub(crate) fn code(&mut self, text: &str) -> u32 {
        if is_missing_text(text) {
            return MISSING;
        }
        if let Some(&code) = self.codes.get(text) {
            return code;
        }
        let code = self.distinct.len() as u32;
        self.distinct.push(text.to_string());
        self.codes.insert(text.to_string(), code);
        code
    }
}

/// Whether a name is chosen by a list in which `*` stands for any text.
pub(crate) fn is_chosen(list: &[String], name: &str) -> bool {
    list.iter().any(|pattern| matches(pattern, name))
}

fn matches(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = name.strip_prefix(parts.next().unwrap_or_default()) else { return false };
    if !pattern.contains('*') {
        return rest.is_empty();
    }
    let parts: Vec<&str> = parts.collect();
    let (last, middle) = parts.split_last().expect("a pattern with a star has a part after it");
    for part in middle {
        let Some(at) = rest.find(part) else { return false };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// A column as features have it.
struct Encoded {
    column: FeatureColumn,
    values: Vec<f32>,
}

/// What becomes of a column.
enum Outcome {
    Feature(Encoded),
    Dropped(String),
}

impl Frame {
    /// Converts the columns to features.
    ///
    /// `ids` are those of the rows: a column that repeats them is not a feature.
    pub fn typed(
        self,
        rows: usize,
        choices: &ColumnChoices,
        ids: Option<&[String]>,
        labels: LabelTexts<'_>,
    ) -> Result<TypedFeatures, ColumnFault> {
        self.check_choices(choices)?;
        let (mut encoded, mut dropped, mut notices) = (Vec::new(), Vec::new(), Vec::new());
        let mut codes = SentinelNotes::default();
        for column in self.columns {
            let name = column.name.clone();
            if is_chosen(&choices.drop, &name) {
                dropped.push(Dropped::new(name, "as asked"));
                continue;
            }
            let like = choices.like.as_ref().map(|schema| &schema.columns[..]).filter(|own| !own.is_empty());
            let unasked = !choices.features.is_empty() && !is_chosen(&choices.features, &name)
                || like
                    .is_some_and(|like| like.iter().all(|own| own.name != name && !is_level_of(own, &name)));
            if unasked {
                dropped.push(Dropped::new(name, "not among the chosen features"));
                continue;
            }
            let own = like.and_then(|like| like.iter().find(|own| own.name == name));
            // A model of a wide table has a column per level.
            let category = if own.is_none() { like.and_then(|like| category_of(like, &name)) } else { None };
            let by_level_of_model = category.is_some();
            match column.encoded(choices, own.or(category.as_ref()), ids, labels, &mut codes, &mut notices)? {
                Outcome::Feature(feature) if by_level_of_model => encoded.extend(by_level(feature)),
                Outcome::Feature(feature) => encoded.push(feature),
                Outcome::Dropped(why) => dropped.push(Dropped::new(name, why)),
            }
        }
        let wide = encoded.len() >= WIDE;
        if wide && choices.like.as_ref().is_none_or(|like| like.columns.is_empty()) {
            encoded = encoded.into_iter().flat_map(by_level).collect();
        }
        for feature in &encoded {
            let known = feature.values.iter().filter(|value| !value.is_nan());
            let mut distinct: Option<f32> = None;
            let constant = known.clone().all(|&value| *distinct.get_or_insert(value) == value);
            if constant && rows > 1 && !wide {
                let marked = distinct.is_some() && feature.values.iter().any(|value| value.is_nan());
                let what = match distinct {
                    Some(_) if marked => "has one value; only whether it is missing carries information",
                    Some(_) => "has one value and carries no information",
                    None => "has no values and carries no information",
                };
                notices.push(format!("column `{}` {what}", feature.column.name));
            }
        }
        notices.extend(codes.notices());
        let mut matrix = Matrix::from_fn(rows, encoded.len(), |_, _| 0.0);
        let (mut columns, width) = (Vec::with_capacity(encoded.len()), encoded.len());
        let cells = matrix.as_mut_slice();
        for (at, feature) in encoded.into_iter().enumerate() {
            for (row, value) in feature.values.into_iter().enumerate() {
                cells[row * width + at] = value;
            }
            columns.push(feature.column);
        }
        Ok(TypedFeatures { features: Features::from_dense(matrix), columns, dropped, notices })
    }

    /// Every name that was asked for must exist.
    fn check_choices(&self, choices: &ColumnChoices) -> Result<(), String> {
        let lists = [
            ("drop", &choices.drop),
            ("categorical", &choices.categorical),
            ("numeric", &choices.numeric),
            ("features", &choices.features),
        ];
        for (option, patterns) in lists {
            for pattern in patterns {
                if !self.columns.iter().any(|column| matches(pattern, &column.name)) {
                    let have: Vec<String> =
                        self.columns.iter().take(12).map(|column| format!("`{}`", column.name)).collect();
                    let have = if have.is_empty() { "none".into() } else { have.join(", ") };
                    return Err(format!("`{option}`: no feature column `{pattern}`; there are {have}"));
                }
            }
        }
        let both = self.columns.iter().find(|column| {
            is_chosen(&choices.categorical, &column.name) && is_chosen(&choices.numeric, &column.name)
        });
        match both {
            Some(column) => Err(format!(
                "column `{}` is both in `categorical` and in `numeric`; one of them was expected",
                column.name
            )),
            None => Ok(()),
        }
    }
}

impl FrameColumn {
    fn encoded(
        self,
        choices: &ColumnChoices,
        like: Option<&FeatureColumn>,
        ids: Option<&[String]>,
        labels: LabelTexts<'_>,
        codes_found: &mut SentinelNotes,
        notices: &mut Vec<String>,
    ) -> Result<Outcome, ColumnFault> {
        let name = self.name.clone();
        let numeric = is_chosen(&choices.numeric, &name);
        let asked = numeric
            || is_chosen(&choices.categorical, &name)
            || choices.features.contains(&name)
            || like.is_some();
        if let Some(own) = like {
            check_dates(&self, own)?;
        }
        let kind = like.map(|own| own.kind).or(self.stated);
        let category =
            is_chosen(&choices.categorical, &name) || kind == Some(FeatureKind::Category) && !numeric;
        if !asked && let Some(why) = self.is_redundant(ids) {
            return Ok(Outcome::Dropped(why));
        }
        // Used all the same: it may be known for new nodes, too.
        if !asked && labels.is_some_and(|labels| self.repeats(labels)) {
            notices.push(format!(
                "column `{name}` is a copy of the label; drop it if it is not known before the label is"
            ));
        }
        if category {
            let (codes, distinct) = self.levels();
            return Ok(Outcome::Feature(by_levels(name, &codes, distinct, like, notices)));
        }
        // Sets apart the numbers that stand for missing values.
        let mut measured = |mut values: Vec<f64>, notices: &mut Vec<String>| {
            let missing_codes = codes_found.take_out(&name, &mut values, kind, like, numeric);
            let mut found = numbers(&name, values, kind, notices)?;
            found.column.missing_codes = missing_codes;
            Ok(Outcome::Feature(found))
        };
        let (codes, distinct) = match self.values {
            ColumnValues::Numbers(values) => return measured(values, notices),
            ColumnValues::Texts { codes, distinct } => (codes, distinct),
        };
        let per_text = |value: &dyn Fn(&str) -> f64| -> Vec<f64> {
            let values: Vec<f64> = distinct.iter().map(|text| value(text)).collect();
            codes.iter().map(|&code| values.get(code as usize).copied().unwrap_or(f64::NAN)).collect()
        };
        if distinct.is_empty() {
            return numbers(&name, vec![f64::NAN; codes.len()], kind, notices).map(Outcome::Feature);
        }
        match kind_of_texts(&distinct) {
            TextKind::Numbers => {
                let zeros = |text: &&String| {
                    text.len() > 1 && text.starts_with('0') && text.bytes().all(|byte| byte.is_ascii_digit())
                };
                if let Some(text) = distinct.iter().find(zeros).filter(|_| !numeric && like.is_none()) {
                    notices.push(format!(
                        "column `{name}`: `{text}` is read as a number; give the column as `categorical` if it holds codes"
                    ));
                }
                return measured(per_text(&|text| text.parse().unwrap_or(f64::NAN)), notices);
            }
            TextKind::DecimalCommas => {
                let values = per_text(&|text| decimal_comma(text).unwrap_or(f64::NAN));
                notices.push(format!("column `{name}` has decimal commas"));
                return measured(values, notices);
            }
            TextKind::Ambiguous(text) => {
                return Err(format!(
                    "column `{name}`: `{text}` could have decimals or a sign between thousands; write the numbers without signs between thousands and with a decimal point, or leave the column out with `drop`"
                )
                .into());
            }
            TextKind::Booleans if !numeric => {
                let values = per_text(&|text| boolean(text).map_or(f64::NAN, f64::from));
                return numbers(&name, values, Some(FeatureKind::Boolean), notices).map(Outcome::Feature);
            }
            TextKind::Dates if !numeric => {
                let values = per_text(&|text| days_of_date(text).unwrap_or(f64::NAN));
                return numbers(&name, values, Some(FeatureKind::Date), notices).map(Outcome::Feature);
            }
            TextKind::MostlyNumbers(text) => {
                let code = distinct.iter().position(|own| *own == text).map(|at| at as u32);
                let what = format!(
                    "column `{name}`: `{text}` is not a finite number, but most of its values are; leave such cells empty, or give the column as `categorical`"
                );
                return Err(ColumnFault { what, row: codes.iter().position(|own| Some(*own) == code) });
            }
            TextKind::Booleans | TextKind::Dates | TextKind::Texts => {}
        }
        if numeric {
            let odd = distinct.iter().find(|text| text.parse::<f64>().is_err()).expect("not all are numbers");
            return Err(
                format!("column `{name}`: `{odd}` is not a number, but the column is in `numeric`").into()
            );
        }
        let present = codes.iter().filter(|&&code| code != MISSING).count();
        let words = distinct.iter().map(|text| text.split_whitespace().count()).sum::<usize>();
        let letters = distinct.iter().map(|text| text.chars().count()).sum::<usize>();
        let free = words > 3 * distinct.len() || letters > 40 * distinct.len();
        let advice = format!(
            "leave it out with `drop`, or embed the texts and give the vectors as a component of your own (`component`); `categorical` uses its {MOST_LEVELS} commonest texts"
        );
        // A few of them may be categories.
        let way = unread_notation(&distinct).filter(|_| distinct.len() > MOST_LEVELS.min(present / 2));
        if let Some(way) = way {
            return Err(format!("column `{name}` holds {way}, or leave it out with `drop`").into());
        }
        if distinct.len() == present && present >= FEWEST_ROWS && !free && words < 2 * distinct.len() {
            return Ok(Outcome::Dropped("another text in every row: an id".into()));
        }
        if free && distinct.len() > MOST_LEVELS.min(present / 2) {
            return Err(format!(
                "column `{name}` holds free text, such as `{}`; {advice}",
                shortened(&distinct[0])
            )
            .into());
        }
        if distinct.len() > MOST_LEVELS && distinct.len() > present / 2 {
            return Err(format!(
                "column `{name}` holds {} different texts in {present} rows, such as `{}`; {advice}",
                distinct.len(),
                shortened(&distinct[0])
            )
            .into());
        }
        Ok(Outcome::Feature(by_levels(name, &codes, distinct, None, notices)))
    }

    /// The values as levels. Numbers are levels in their shortest notation.
    fn levels(self) -> (Vec<u32>, Vec<String>) {
        match self.values {
            ColumnValues::Texts { codes, distinct } => {
                // The same numbers are the same levels, however they are written.
                let all_numbers = distinct.iter().all(|text| text.parse::<f64>().is_ok_and(f64::is_finite));
                if !all_numbers {
                    return (codes, distinct);
                }
                let mut interner = TextInterner::default();
                let renamed: Vec<u32> = distinct
                    .iter()
                    .map(|text| interner.code(&text.parse::<f64>().expect("checked").to_string()))
                    .collect();
                let code = |&code: &u32| renamed.get(code as usize).copied().unwrap_or(MISSING);
                (codes.iter().map(code).collect(), interner.distinct)
            }
            ColumnValues::Numbers(values) => {
                let mut interner = TextInterner::default();
                let codes = values
                    .iter()
                    .map(|value| if value.is_nan() { MISSING } else { interner.code(&value.to_string()) })
                    .collect();
                (codes, interner.distinct)
            }
        }
    }

    /// Why a column is not a feature: it numbers the rows, or repeats the ids.
    fn is_redundant(&self, ids: Option<&[String]>) -> Option<String> {
        // Dates are numbers in some formats and texts in others.
        if self.stated == Some(FeatureKind::Date) {
            return None;
        }
        let rows = self.values.len();
        let lower = self.name.trim().to_lowercase();
        let unnamed = lower.is_empty() || lower.starts_with("unnamed:") || lower == "__index_level_0__";
        let is_blank = match &self.values {
            ColumnValues::Numbers(values) => values.iter().all(|value| value.is_nan()),
            ColumnValues::Texts { distinct, .. } => distinct.is_empty(),
        };
        if unnamed && is_blank {
            return Some("no name and no values: a delimiter at the end of every row".into());
        }
        if let ColumnValues::Numbers(values) = &self.values {
            let whole = values.iter().all(|value| value.fract() == 0.0);
            let counts = rows > 1 && values.windows(2).all(|pair| pair[1] == pair[0] + 1.0);
            if unnamed && whole && (counts || all_different(values)) {
                return Some("an index without a name".into());
            }
            if counts && rows >= FEWEST_ROWS {
                return Some("it numbers the rows".into());
            }
            let same = |(id, value): (&String, &f64)| id.parse::<f64>().is_ok_and(|id| id == *value);
            if rows >= FEWEST_ROWS && ids.is_some_and(|ids| ids.iter().zip(values).all(same)) {
                return Some("a copy of the ids".into());
            }
            let id_name = lower == "id"
                || lower.ends_with("_id")
                || lower.ends_with(" id")
                || self.name.ends_with("Id");
            if id_name && whole && rows >= FEWEST_ROWS && all_different(values) {
                return Some("another number in every row: an id".into());
            }
        }
        None
    }

    /// Whether every value stands for one class, and every class for one value.
    fn repeats(&self, labels: &[String]) -> bool {
        let mut classes: HashMap<&str, u64> = HashMap::new();
        let mut values: HashMap<u64, &str> = HashMap::new();
        let mut counted = 0;
        for (row, label) in labels.iter().enumerate() {
            if label.is_empty() {
                continue;
            }
            let value = match &self.values {
                ColumnValues::Numbers(numbers) if numbers[row].is_nan() => return false,
                ColumnValues::Numbers(numbers) => numbers[row].to_bits(),
                ColumnValues::Texts { codes, .. } if codes[row] == MISSING => return false,
                ColumnValues::Texts { codes, .. } => u64::from(codes[row]),
            };
            counted += 1;
            if *classes.entry(label).or_insert(value) != value
                || *values.entry(value).or_insert(label) != label.as_str()
            {
                return false;
            }
        }
        counted >= FEWEST_ROWS && classes.len() >= 2 && classes.len() <= counted / 2
    }
}

fn all_different(values: &[f64]) -> bool {
    let mut sorted: Vec<u64> = values.iter().map(|value| value.to_bits()).collect();
    sorted.sort_unstable();
    sorted.windows(2).all(|pair| pair[0] != pair[1])
}

/// A category: numbers of levels in ascending order, numerically if all are numbers.
fn by_levels(
    name: String,
    codes: &[u32],
    distinct: Vec<String>,
    like: Option<&FeatureColumn>,
    notices: &mut Vec<String>,
) -> Encoded {
    let mut counts = vec![0usize; distinct.len()];
    codes.iter().filter(|&&code| code != MISSING).for_each(|&code| counts[code as usize] += 1);
    let mut column = FeatureColumn::new(name, FeatureKind::Category);
    if let Some(own) = like.filter(|own| !own.levels.is_empty()) {
        column.levels.clone_from(&own.levels);
        column.has_other = own.has_other;
    } else {
        let mut order: Vec<usize> = (0..distinct.len()).filter(|&at| counts[at] > 0).collect();
        if order.len() > MOST_LEVELS {
            order.sort_by(|&a, &b| counts[b].cmp(&counts[a]).then_with(|| distinct[a].cmp(&distinct[b])));
            order.truncate(MOST_LEVELS - 1);
            column.has_other = true;
            notices.push(format!(
                "column `{}` has {} levels: the {} commonest have a level of their own, the others share one",
                column.name,
                distinct.len(),
                MOST_LEVELS - 1
            ));
        }
        let number = |at: usize| distinct[at].parse::<f64>().ok();
        let all_numbers = order.iter().all(|&at| number(at).is_some());
        order.sort_by(|&a, &b| match (number(a), number(b)) {
            (Some(a), Some(b)) if all_numbers => a.total_cmp(&b),
            _ => distinct[a].cmp(&distinct[b]),
        });
        column.levels = order.iter().map(|&at| distinct[at].clone()).collect();
        if column.has_other {
            column.levels.push("other".into());
        }
    }
    let named = column.levels.len() - usize::from(column.has_other);
    let places: HashMap<&str, f32> = column.levels[..named]
        .iter()
        .zip(0u16..)
        .map(|(level, at)| (level.as_str(), f32::from(at)))
        .collect();
    let rest = if column.has_other { named as f32 } else { f32::NAN };
    let unknown = distinct.iter().filter(|text| !places.contains_key(text.as_str())).count();
    if unknown > 0 && !column.has_other {
        notices.push(format!(
            "column `{}`: {unknown} {} as missing",
            column.name,
            if unknown == 1 {
                "level is not known to the model and counts"
            } else {
                "levels are not known to the model and count"
            }
        ));
    }
    let per_text: Vec<f32> =
        distinct.iter().map(|text| places.get(text.as_str()).copied().unwrap_or(rest)).collect();
    drop(places);
    let value = |&code: &u32| per_text.get(code as usize).copied().unwrap_or(f32::NAN);
    Encoded { values: codes.iter().map(value).collect(), column }
}

/// The beginning of a long text, on one line.
fn shortened(text: &str) -> String {
    let mut short: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(40).collect();
    if text.chars().count() > 40 {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests;
