//! Preparation of features: the kind of every column, and its form as input of a linear model.
//!
//! Words, numbers, flags and category codes need different forms as input of a linear model, so every column
//! is prepared by its kind ([`ColumnKind`]):
//!
//! - *Words*, many columns that are mostly zero, are divided by their row's sum, as in the paper. Where some
//!   are negative (hashed words), by the row's length. Values are not shifted, so sparse features stay
//!   sparse.
//! - *Numbers* are centred and scaled column by column, with robust estimates of both. Tables of few columns
//!   also get piecewise linear functions of each number's rank, so that a linear model can fit a curve.
//! - *Flags* (two values) are centred and scaled; *categories* (few whole numbers) get one column per level.
//! - *Missing values* (NaN) become the column's median, or its most common value, and an extra column marks
//!   them.
//!
//! For link prediction, the columns of a table are weighted by what they share across edges
//! ([`relevance`]), so that many columns without a relation to the edges do not drown the others.
//!
//! A graph without features gets one-hot degrees instead. They count as structure and are never combined with
//! real features, unless the paper's preparation is requested with them.

mod column;
mod degrees;
mod relevance;
mod treatments;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use self::column::{ColumnFacts, Encoding, TableColumn, expand, is_coded, sampled_columns, share_scale};
use self::degrees::degree_columns;
use super::ComponentParams;
use crate::exec::Exec;
use crate::graph::{Csr, Features};
use crate::linalg::LinearOperator as _;
use crate::matrix::Matrix;
use crate::spec::Weighting;

pub(crate) use self::degrees::append_degrees;

/// How features are prepared as input of the components.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FeatureScaling {
    /// Every column by its kind.
    #[default]
    ByKind,
    /// As in the paper's published code: the overall minimum is subtracted, and every row is divided by its
    /// sum.
    Paper,
}

/// The kind of a feature column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ColumnKind {
    /// The same value for every node.
    Constant,
    /// One of many columns that are mostly zero and never negative.
    Word,
    /// The same, with negative values.
    Hashed,
    /// Two values.
    Flag,
    /// A few whole numbers.
    Category,
    /// Anything else.
    Number,
}

/// How the feature columns of one kind were prepared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ColumnTreatment {
    /// Their kind; `None` with the paper's preparation, which does not use kinds.
    pub kind: Option<ColumnKind>,
    /// Number of columns.
    pub columns: usize,
    /// The first of them.
    pub first: Vec<usize>,
    /// How they were prepared.
    pub treatment: Cow<'static, str>,
}

/// From this number of columns, sparse columns are words, and numbers are an embedding instead of a table.
const MANY: usize = 64;
/// Minimum share of zeros in a column of words.
const MOSTLY_ZERO: f64 = 0.5;
/// The same for a column whose values are as large as those of the words.
const OFTEN_ZERO: f64 = 0.2;
/// Maximum ratio between the mean value of a column of words and that of the median column.
const WORD_SIZE: f64 = 10.0;

/// How the features of a training graph were prepared. Features of another graph are prepared in the same
/// way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Preparation {
    /// A weight for every column, if rare words count more.
    #[serde(skip)]
    pub(crate) rarity: Option<Vec<f32>>,
    /// Number of feature columns.
    pub(crate) columns: usize,
    method: Method,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Method {
    /// One-hot degrees instead of features.
    Degrees { columns: usize },
    /// The paper's, with one-hot degrees appended if requested.
    Paper { lowest: f32, degrees: usize },
    /// Every column by its kind. Words are all columns that are not in the table.
    Kinds {
        words: Option<WordColumns>,
        table: Vec<TableColumn>,
        /// Whether the table has few columns.
        narrow: bool,
        /// Whether all columns of the table share one scale.
        common_scale: bool,
        /// Whether columns of the table are weighted by what they share across edges.
        #[serde(default)]
        weighed: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct WordColumns {
    /// Set if some are negative: rows are then divided by their length.
    signed: bool,
    /// Factor that gives them the same mean length as the table.
    scale: f32,
}

impl Preparation {
    /// Determines how these features are prepared. Degrees are those of `graph`.
    pub(crate) fn learn(
        features: &Features,
        weighting: Weighting,
        graph: &Csr,
        params: &ComponentParams,
        exec: &Exec,
    ) -> Self {
        let rare = weighting == Weighting::Rare;
        let columns = features.cols();
        if columns == 0 {
            let degrees = degree_columns(graph, params, exec);
            let plural = if degrees == 1 { "" } else { "s" };
            exec.notice(format!("no features: using {degrees} one-hot degree column{plural} instead"));
            let method = Method::Degrees { columns: degrees };
            return Preparation { rarity: rare.then(Vec::new), columns, method };
        }
        let facts = ColumnFacts::all(features);
        let missing: usize = facts.iter().map(|fact| fact.missing).sum();
        if missing > 0 {
            let columns = facts.iter().filter(|fact| fact.missing > 0).count();
            let done = match params.scaling {
                FeatureScaling::Paper => "counted as 0, as in the paper's preparation",
                FeatureScaling::ByKind => {
                    "replaced by the column's median or most common value, and marked in an extra column"
                }
            };
            exec.notice(format!(
                "{missing} missing feature value{} in {columns} column{}: {done}",
                if missing == 1 { "" } else { "s" },
                if columns == 1 { "" } else { "s" },
            ));
        }
        if params.scaling == FeatureScaling::Paper {
            return Preparation::paper(features, &facts, weighting, graph, params, exec);
        }
        let (words, table) = kinds_of(&facts);
        // Only words are weighted by rarity.
        let rarity = rare.then(|| {
            let mut rarity = if words.is_some() { features.rarity() } else { vec![1.0; columns] };
            for &col in &table {
                rarity[col] = 1.0;
            }
            rarity
        });
        if table.is_empty() {
            return Preparation {
                rarity,
                columns,
                method: Method::Kinds {
                    words,
                    table: Vec::new(),
                    narrow: false,
                    common_scale: false,
                    weighed: false,
                },
            };
        }
        let varied: Vec<usize> = table.iter().copied().filter(|&col| !facts[col].is_constant()).collect();
        let narrow = varied.len() < MANY;
        let sampled = sampled_columns(features, &varied);
        // Codes of a few categories get one column per level; if many columns are whole numbers, they are
        // counts or grades.
        let coded = exec.map_blocks(varied.len(), 1, |range| is_coded(&sampled[range.start]));
        let categories = coded.iter().filter(|&&coded| coded).count() < MANY;
        let mut learned = exec.map_blocks(varied.len(), 1, |range| {
            let at = range.start;
            TableColumn::learn(varied[at], &sampled[at], narrow, coded[at] && categories)
        });
        let constant = table.iter().filter(|&&col| facts[col].is_constant());
        learned.extend(constant.map(|&col| TableColumn::unused(col)));
        learned.sort_by_key(|column| column.column);
        // Columns that are not listed are words, so if there are words, constant columns must be listed too.
        // At least one column must remain.
        if words.is_none() {
            let used = learned.iter().any(TableColumn::is_used);
            learned.retain(|column| column.is_used() || !used);
            learned.truncate(if used { usize::MAX } else { 1 });
        }
        let common_scale = !narrow && share_scale(&mut learned);
        let words = words.map(|own| {
            // Both parts of a row have the same length on average.
            let count = learned.iter().filter(|column| column.is_used()).count().max(1) as f64;
            let factors =
                learned.iter_mut().flat_map(|column| column.standard.iter_mut().chain(&mut column.missing));
            factors.for_each(|[_, factor]| *factor /= count.sqrt());
            WordColumns { scale: 1.0 / root_mean_square(features, &table, own.signed), ..own }
        });
        let method = Method::Kinds { words, table: learned, narrow, common_scale, weighed: false };
        let mut found = Preparation { rarity, columns, method };
        if params.weigh_columns {
            found.weigh_columns(features, graph, exec);
        }
        found
    }

    /// Multiplies the columns of the table by what they share across the edges of the training graph.
    fn weigh_columns(&mut self, features: &Features, graph: &Csr, exec: &Exec) {
        let Method::Kinds { words, .. } = &self.method else { return };
        let first = if words.is_some() { self.columns } else { 0 };
        let width = self.width();
        let (nodes, edges) = relevance::sample(graph, width - first);
        let rows = features.rows_of(&nodes);
        let prepared = self.apply(&rows, graph, exec);
        let own = Matrix::from_fn(width, width - first, |row, col| f32::from(u8::from(row == first + col)));
        // Beside words, a table may be without relevance as a whole.
        let clear = if words.is_some() { 0.0 } else { relevance::CLEAR };
        let found = relevance::weights(&prepared.apply(&own, exec), &edges, clear, exec);
        drop(prepared);
        let (Some(weights), Method::Kinds { table, weighed, .. }) = (found, &mut self.method) else { return };
        *weighed = true;
        let mut at = 0;
        for column in table {
            // All outputs of a column have the weight of the best of them.
            let most = weights[at..at + column.width()].iter().copied().fold(0.0, f64::max);
            at += column.width();
            for [_, factor] in column.standard.iter_mut().chain(&mut column.missing) {
                *factor *= most;
            }
        }
    }

    fn paper(
        features: &Features,
        facts: &[ColumnFacts],
        weighting: Weighting,
        graph: &Csr,
        params: &ComponentParams,
        exec: &Exec,
    ) -> Self {
        let columns = features.cols();
        let rarity = (weighting == Weighting::Rare).then(|| features.rarity());
        let weight = |col: usize| rarity.as_ref().map_or(1.0, |rarity| rarity[col]);
        let lowest = facts.iter().enumerate().map(|(col, fact)| fact.lowest * weight(col));
        let lowest = lowest.fold(f32::INFINITY, f32::min);
        if lowest < 0.0 && matches!(features, Features::Sparse(_)) {
            exec.notice(
                "sparse features with negative values: rows are divided by their length, not shifted as in the paper, and degrees are \
                 not appended",
            );
            let words = Some(WordColumns { signed: true, scale: 1.0 });
            return Preparation {
                rarity,
                columns,
                method: Method::Kinds {
                    words,
                    table: Vec::new(),
                    narrow: false,
                    common_scale: false,
                    weighed: false,
                },
            };
        }
        // A shift would turn implicit zeros into stored values.
        let lowest = if matches!(features, Features::Sparse(_)) { 0.0 } else { lowest };
        let degrees = if params.append_degrees { degree_columns(graph, params, exec) } else { 0 };
        Preparation { rarity, columns, method: Method::Paper { lowest, degrees } }
    }

    /// Whether its parts are consistent; those from a file may not be.
    pub(crate) fn is_sound(&self) -> bool {
        let columns = self.rarity.as_ref().is_none_or(|rarity| rarity.len() == self.columns);
        columns
            && match &self.method {
                Method::Degrees { columns } => *columns > 0 && self.columns == 0,
                Method::Paper { .. } => self.columns > 0,
                Method::Kinds { words, table, .. } => {
                    let rising = table.windows(2).all(|two| two[0].column < two[1].column);
                    let sound = |own: &TableColumn| {
                        let ranked = match &own.encoding {
                            Encoding::Number { quantiles, .. } => quantiles.len() != 1,
                            _ => true,
                        };
                        ranked
                            && own.fill.is_finite()
                            && own.column < self.columns
                            && own.standard.len() == own.encoding.width()
                    };
                    rising && table.iter().all(sound) && (words.is_some() || !table.is_empty())
                }
            }
    }

    /// Number of columns that [`Preparation::apply`] returns.
    pub(crate) fn width(&self) -> usize {
        match &self.method {
            Method::Degrees { columns } => *columns,
            Method::Paper { degrees, .. } => self.columns + degrees,
            Method::Kinds { words, table, .. } => {
                let table = table.iter().map(TableColumn::width).sum::<usize>();
                if words.is_some() { self.columns + table } else { table }
            }
        }
    }

    /// Number of one-hot degree columns, alone or appended to the features.
    pub(crate) fn degrees(&self) -> usize {
        match self.method {
            Method::Degrees { columns } => columns,
            Method::Paper { degrees, .. } => degrees,
            Method::Kinds { .. } => 0,
        }
    }

    /// Whether the length of a node's row carries information: true for a table of few columns.
    pub(crate) fn lengths_matter(&self) -> bool {
        matches!(&self.method, Method::Kinds { words: None, narrow: true, .. })
    }

    /// Whether all features are words, so that their zeros and signs are meaningful.
    pub(crate) fn keeps_words(&self) -> bool {
        match &self.method {
            Method::Degrees { .. } => false,
            Method::Paper { .. } => true,
            Method::Kinds { words, table, .. } => words.is_some() && table.is_empty(),
        }
    }

    /// One prepared row from a dense one; `total` is [`Preparation::total`] of the same row.
    pub(crate) fn row(&self, values: &[f32], total: f64, out: &mut [f32]) {
        match &self.method {
            Method::Degrees { .. } => unreachable!("there are no features"),
            Method::Paper { .. } => {
                self.weighed(values, out);
                divide(out, total);
            }
            Method::Kinds { words: Some(own), table, .. } => {
                let (words, rest) = out.split_at_mut(self.columns);
                self.weighed(values, words);
                for column in table {
                    words[column.column] = 0.0;
                }
                divide(words, total / f64::from(own.scale));
                expand(table, values, rest);
            }
            Method::Kinds { words: None, table, .. } => expand(table, values, out),
        }
    }

    /// The divisor of the words in a dense row.
    pub(crate) fn total(&self, values: &[f32], room: &mut [f32]) -> f64 {
        let room = &mut room[..self.columns];
        match &self.method {
            Method::Degrees { .. } | Method::Kinds { words: None, .. } => 0.0,
            Method::Paper { .. } => {
                self.weighed(values, room);
                length(room, false)
            }
            Method::Kinds { words: Some(own), table, .. } => {
                self.weighed(values, room);
                for column in table {
                    room[column.column] = 0.0;
                }
                length(room, own.signed)
            }
        }
    }

    /// A row with rare columns given more weight and, in the paper's preparation, the minimum subtracted.
    fn weighed(&self, values: &[f32], out: &mut [f32]) {
        let lowest = if let Method::Paper { lowest, .. } = self.method { lowest } else { 0.0 };
        match &self.rarity {
            None => out.iter_mut().zip(values).for_each(|(out, &v)| *out = or_zero(v) - lowest),
            Some(rarity) => {
                let weighed = values.iter().zip(rarity).map(|(&v, weight)| or_zero(v) * weight);
                out.iter_mut().zip(weighed).for_each(|(out, v)| *out = v - lowest);
            }
        }
    }

    /// Prepared rows of sparse features.
    pub(crate) fn sparse(&self, x: &Csr, exec: &Exec) -> Features {
        let Method::Kinds { words, table, .. } = &self.method else {
            return Features::Sparse(self.sparse_words(x.clone(), false));
        };
        match words {
            Some(own) if table.is_empty() => Features::Sparse(self.sparse_words(x.clone(), own.signed)),
            Some(own) => {
                // Words in their stored form, then the few outputs of the table.
                let mut place = vec![u32::MAX; self.columns];
                table.iter().zip(0..).for_each(|(column, at)| place[column.column] = at);
                let packed: Vec<TableColumn> =
                    table.iter().enumerate().map(|(at, c)| TableColumn { column: at, ..c.clone() }).collect();
                let width = self.width() - self.columns;
                let rows = exec.map_blocks(x.rows(), 1024, |range| {
                    let (mut values, mut out) = (vec![0.0; table.len()], vec![0.0; width]);
                    let kept = |row: usize| {
                        values.fill(0.0);
                        let (mut indices, mut words) = (Vec::new(), Vec::new());
                        for (at, &col) in x.row(row).iter().enumerate() {
                            let v = x.row_values(row).map_or(1.0, |values| values[at]);
                            match place[col as usize] {
                                u32::MAX => {
                                    indices.push(col);
                                    let weight =
                                        self.rarity.as_ref().map_or(1.0, |rarity| rarity[col as usize]);
                                    words.push(v * weight);
                                }
                                at => values[at as usize] = v,
                            }
                        }
                        let total = length(&words, own.signed) / f64::from(own.scale);
                        divide(&mut words, total);
                        expand(&packed, &values, &mut out);
                        let first = u32::try_from(self.columns).expect("columns fit in u32");
                        for (at, &v) in (0..).zip(&out).filter(|(_, v)| **v != 0.0) {
                            indices.push(first + at);
                            words.push(v);
                        }
                        (indices, words)
                    };
                    range.map(kept).collect::<Vec<(Vec<u32>, Vec<f32>)>>()
                });
                Features::Sparse(Csr::from_rows(self.width(), rows.into_iter().flatten()))
            }
            None => {
                let mut out = Matrix::zeros(x.rows(), self.width());
                let width = self.width();
                exec.fill_rows(out.as_mut_slice(), width.max(1), 256, |first, rows| {
                    let mut dense = vec![0.0; self.columns];
                    for (offset, out) in rows.chunks_exact_mut(width.max(1)).enumerate() {
                        scatter(x, first + offset, &mut dense);
                        expand(table, &dense, out);
                        x.row(first + offset).iter().for_each(|&col| dense[col as usize] = 0.0);
                    }
                });
                Features::Dense(out)
            }
        }
    }

    /// Sparse words, divided by the sum or the length of their row.
    fn sparse_words(&self, x: Csr, signed: bool) -> Csr {
        let mut features = Features::Sparse(x);
        if let Some(rarity) = &self.rarity {
            features.weigh_cols(rarity);
        }
        let Features::Sparse(mut x) = features else { unreachable!("they were sparse") };
        let totals: Vec<f64> = (0..x.rows())
            .map(|row| match x.row_values(row) {
                None if signed => (x.row(row).len() as f64).sqrt(),
                None => x.row(row).len() as f64,
                Some(values) => length(values, signed),
            })
            .collect();
        x.map_values(|row, v| if totals[row] > 0.0 { (f64::from(v) / totals[row]) as f32 } else { 0.0 });
        x
    }
}

/// Sum of a row of words, or its Euclidean length if words have signs.
fn length(row: &[f32], signed: bool) -> f64 {
    let values = row.iter().map(|&v| f64::from(v));
    if signed { values.map(|v| v * v).sum::<f64>().sqrt() } else { values.sum() }
}

fn divide(row: &mut [f32], total: f64) {
    if total > 0.0 {
        for v in row {
            *v = (f64::from(*v) / total) as f32;
        }
    }
}

fn scatter(x: &Csr, row: usize, to: &mut [f32]) {
    match x.row_values(row) {
        None => x.row(row).iter().for_each(|&col| to[col as usize] = 1.0),
        Some(values) => x.row(row).iter().zip(values).for_each(|(&col, &v)| to[col as usize] = v),
    }
}

/// The value of a word; 0 if it is missing.
pub(crate) fn or_zero(v: f32) -> f32 {
    if v.is_nan() { 0.0 } else { v }
}

/// Whether all features are words.
pub(crate) fn are_words(features: &Features) -> bool {
    let (words, table) = kinds_of(&ColumnFacts::all(features));
    words.is_some() && table.is_empty()
}

/// Which columns are words, if there are many, and which belong to a table. Words have similar sizes: a
/// column of amounts that are mostly zero is not a word; it would dominate the sum of its row.
fn kinds_of(facts: &[ColumnFacts]) -> (Option<WordColumns>, Vec<usize>) {
    let sparse =
        |fact: &&ColumnFacts| fact.zero_share >= MOSTLY_ZERO && !fact.is_constant() && fact.missing == 0;
    let mut sizes: Vec<f64> = facts.iter().filter(sparse).map(|fact| fact.size).collect();
    sizes.sort_unstable_by(f64::total_cmp);
    let limit = sizes.get(sizes.len() / 2).map_or(0.0, |middle| WORD_SIZE * middle);
    let words: Vec<&ColumnFacts> = facts.iter().filter(sparse).filter(|fact| fact.size <= limit).collect();
    if words.len() < MANY {
        return (None, (0..facts.len()).collect());
    }
    let signed = words.iter().any(|fact| fact.lowest < 0.0);
    let is_word = |fact: &ColumnFacts| {
        let alike = fact.size <= limit && (signed || fact.lowest >= 0.0);
        fact.missing == 0
            && (fact.is_constant() && fact.highest == 0.0
                || alike && fact.zero_share >= OFTEN_ZERO
                || fact.size <= limit && fact.zero_share >= MOSTLY_ZERO)
    };
    let table = (0..facts.len()).filter(|&col| !is_word(&facts[col])).collect();
    (Some(WordColumns { signed, scale: 1.0 }), table)
}

/// The root mean square length of the words in a row, after division by their sum or length.
fn root_mean_square(features: &Features, table: &[usize], signed: bool) -> f32 {
    let mut is_word = vec![true; features.cols()];
    for &col in table {
        is_word[col] = false;
    }
    let of = |words: &[f32]| {
        let total = length(words, signed);
        if total > 0.0 { (length(words, true) / total).powi(2) } else { 0.0 }
    };
    let mut words = Vec::new();
    let (rows, sum) = match features {
        Features::None => (0, 0.0),
        Features::Dense(x) => {
            let sum = (0..x.rows()).map(|row| {
                words.clear();
                words.extend(x.row(row).iter().zip(&is_word).filter(|(_, word)| **word).map(|(v, _)| *v));
                of(&words)
            });
            (x.rows(), sum.sum::<f64>())
        }
        Features::Sparse(x) => {
            let sum = (0..x.rows()).map(|row| {
                words.clear();
                let stored = x.row(row).iter().enumerate().filter(|(_, col)| is_word[**col as usize]);
                words.extend(stored.map(|(at, _)| x.row_values(row).map_or(1.0, |values| values[at])));
                of(&words)
            });
            (x.rows(), sum.sum::<f64>())
        }
    };
    let mean = sum / rows.max(1) as f64;
    if mean > 0.0 { mean.sqrt() as f32 } else { 1.0 }
}

#[cfg(test)]
mod tests;
