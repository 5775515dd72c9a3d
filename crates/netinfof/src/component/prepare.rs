//! Features by kind: what every column is, and what a linear model gets to see of it.
//!
//! Linear models see words, numbers, flags and category codes well only in different forms, so every column is prepared by
//! its kind ([`ColumnKind`]):
//!
//! - *Words*, many columns that are mostly zero, are divided by their row's sum, as in the paper. Where some are negative
//!   (hashed words), by the row's length. Nothing is shifted and nothing is written out, so sparse stays sparse.
//! - *Numbers* are centred and scaled column by column, with robust estimates of both. Tables of few columns also get
//!   piecewise linear functions of each number's rank, so that a linear model can bend.
//! - *Flags* (two values) are centred and scaled; *categories* (few whole numbers) get a column for each level.
//! - *Missing values* (NaN) become the column's median, or its most common value, and an extra column marks them.
//!
//! A graph without features gets one-hot degrees in their place. They are structure and never stand beside real features,
//! unless the paper's preparation is asked for with them.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::ComponentParams;
use crate::exec::Exec;
use crate::graph::{Csr, Features};
use crate::matrix::Matrix;
use crate::spec::Weighting;

/// How features become input of the components.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FeatureScaling {
    /// Every column by its kind.
    #[default]
    ByKind,
    /// As in the paper's published code: less the lowest value of all, every row divided by its sum.
    Paper,
}

/// What a feature column is taken for.
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

/// What was done with the feature columns of one kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ColumnTreatment {
    /// What they are taken for; none where the paper's preparation does not ask.
    pub kind: Option<ColumnKind>,
    /// How many columns.
    pub columns: usize,
    /// The first of them.
    pub first: Vec<usize>,
    /// What was done.
    pub treatment: Cow<'static, str>,
}

/// From this many columns on, sparse ones are words and numbers are an embedding rather than a table.
const MANY: usize = 64;
/// Least share of zeros in a column of words.
const MOSTLY_ZERO: f64 = 0.5;
/// The same for a column whose values are of the size of the words' values.
const OFTEN_ZERO: f64 = 0.2;
/// How much larger than the middle column of words the values of a column of words may be, in the mean.
const WORD_SIZE: f64 = 10.0;
/// Rows that quantiles and levels are found from; a sample where there are more.
const SAMPLED_ROWS: usize = 50_000;
/// Whole numbers with at most this many levels are categories.
const MOST_LEVELS: usize = 32;
/// Levels with fewer sampled nodes get no column.
const FEWEST_OF_A_LEVEL: usize = 5;
/// Robustly standardised numbers are cut here.
const CLIP: f32 = 6.0;
/// Places at which the function of a rank may bend: the quantiles between these many equal parts.
const PARTS: usize = 10;
/// Places at which the distribution of a number is kept.
const QUANTILES: usize = 41;
/// Deviations below this share of a column's largest value are rounding.
const ROUNDING: f64 = 1e-6;
/// Least deviation that a flag or a level is divided by: rare ones would become outliers.
const LEAST_SPREAD: f64 = 0.15;
/// Scales within this factor of the middle one are alike.
const ALIKE: f64 = 20.0;
/// Examples of columns in a report.
const LISTED: usize = 8;

/// How the features of a training graph were prepared; those of another graph are prepared the same way.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Preparation {
    /// A weight for every column, where rare words count more.
    #[serde(skip)]
    pub(crate) rarity: Option<Vec<f32>>,
    /// Columns of the features.
    pub(crate) columns: usize,
    method: Method,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Method {
    /// One-hot degrees in the place of features.
    Degrees { columns: usize },
    /// The paper's; with one-hot degrees beside it where the user asked for them.
    Paper { lowest: f32, degrees: usize },
    /// Every column by its kind. Words are all columns that are not in the table.
    Kinds {
        words: Option<WordColumns>,
        table: Vec<TableColumn>,
        /// Whether the table has few columns.
        narrow: bool,
        /// Whether all columns of the table share one scale.
        common_scale: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
struct WordColumns {
    /// Whether some are negative: rows are then divided by their length.
    signed: bool,
    /// Factor that puts them on a par with the table.
    scale: f32,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct TableColumn {
    column: usize,
    encoding: Encoding,
    /// Mean and factor of every output.
    standard: Vec<[f64; 2]>,
    /// What stands for a missing value.
    fill: f32,
    /// Mean and factor of the output that marks missing values, where the training graph has some.
    missing: Option<[f64; 2]>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Encoding {
    /// The value.
    Flag,
    /// The value, and one output for each of these levels.
    Category { levels: Vec<f32> },
    /// The value, robustly standardised and cut; where there are quantiles, hinges of its rank too.
    Number { centre: f32, scale: f64, quantiles: Vec<f32> },
}

impl Encoding {
    fn width(&self) -> usize {
        match self {
            Encoding::Flag => 1,
            Encoding::Category { levels } => 1 + levels.len(),
            Encoding::Number { quantiles, .. } if quantiles.is_empty() => 1,
            Encoding::Number { .. } => 1 + PARTS,
        }
    }

    /// The outputs, before they are standardised.
    fn expand(&self, v: f32, out: &mut [f32]) {
        match self {
            Encoding::Flag => out[0] = v,
            Encoding::Category { levels } => {
                out[0] = v;
                out[1..].iter_mut().zip(levels).for_each(|(out, &level)| *out = f32::from(v == level));
            }
            Encoding::Number { centre, scale, quantiles } => {
                // In double precision: the difference of two large numbers may be larger than either.
                let standard = (f64::from(v) - f64::from(*centre)) * scale;
                out[0] = (standard as f32).clamp(-CLIP, CLIP);
                if !quantiles.is_empty() {
                    let rank = rank(quantiles, v);
                    for (part, out) in out[1..].iter_mut().enumerate() {
                        *out = (rank - part as f32 / PARTS as f32).max(0.0);
                    }
                }
            }
        }
    }
}

/// The share of values below `v`, between these evenly spaced quantiles; of several equal quantiles the middle one counts.
fn rank(quantiles: &[f32], v: f32) -> f32 {
    let last = quantiles.len() - 1;
    let below = quantiles.partition_point(|&q| q < v);
    let up_to = quantiles.partition_point(|&q| q <= v);
    if below < up_to {
        return (below + up_to - 1) as f32 / (2 * last) as f32;
    }
    if below == 0 {
        return 0.0;
    }
    if below > last {
        return 1.0;
    }
    let [low, high, v] = [quantiles[below - 1], quantiles[below], v].map(f64::from);
    ((below as f64 - 1.0 + (v - low) / (high - low)) / last as f64) as f32
}

/// What is known of a column before its kind is.
struct ColumnFacts {
    zero_share: f64,
    /// Nodes without a value.
    missing: usize,
    lowest: f32,
    highest: f32,
    /// Mean size of the values that are not zero.
    size: f64,
}

impl ColumnFacts {
    fn all(features: &Features) -> Vec<ColumnFacts> {
        let cols = features.cols();
        let (mut nonzero, mut sizes) = (vec![0usize; cols], vec![0.0f64; cols]);
        let mut missing = vec![0usize; cols];
        let (mut lowest, mut highest) = (vec![f32::INFINITY; cols], vec![f32::NEG_INFINITY; cols]);
        let mut add = |col: usize, v: f32| {
            if v.is_nan() {
                missing[col] += 1;
                return;
            }
            nonzero[col] += usize::from(v != 0.0);
            sizes[col] += f64::from(v.abs());
            lowest[col] = lowest[col].min(v);
            highest[col] = highest[col].max(v);
        };
        let rows = match features {
            Features::None => 0,
            Features::Dense(x) => {
                (0..x.rows()).for_each(|row| x.row(row).iter().enumerate().for_each(|(col, &v)| add(col, v)));
                x.rows()
            }
            Features::Sparse(x) => {
                for row in 0..x.rows() {
                    match x.row_values(row) {
                        None => x.row(row).iter().for_each(|&col| add(col as usize, 1.0)),
                        Some(values) => {
                            x.row(row).iter().zip(values).for_each(|(&col, &v)| add(col as usize, v));
                        }
                    }
                }
                x.rows()
            }
        };
        (0..cols)
            .map(|col| {
                // What is not stored is zero.
                let zeros = rows - nonzero[col] - missing[col];
                let with_zero =
                    |v: f32| if zeros > 0 && matches!(features, Features::Sparse(_)) { 0.0 } else { v };
                ColumnFacts {
                    zero_share: zeros as f64 / rows.max(1) as f64,
                    missing: missing[col],
                    lowest: lowest[col].min(with_zero(lowest[col])),
                    highest: highest[col].max(with_zero(highest[col])),
                    size: sizes[col] / nonzero[col].max(1) as f64,
                }
            })
            .collect()
    }

    /// Whether all nodes have the same value, or none has one.
    fn is_constant(&self) -> bool {
        self.lowest > self.highest || self.lowest == self.highest && self.missing == 0
    }
}

impl Preparation {
    /// How these features are prepared. Degrees are those of `graph`.
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
            exec.notice(format!("no features: {degrees} one-hot degree columns take their place"));
            let method = Method::Degrees { columns: degrees };
            return Preparation { rarity: rare.then(Vec::new), columns, method };
        }
        let facts = ColumnFacts::all(features);
        let missing: usize = facts.iter().map(|fact| fact.missing).sum();
        if missing > 0 {
            let columns = facts.iter().filter(|fact| fact.missing > 0).count();
            let done = match params.scaling {
                FeatureScaling::Paper => "count as 0 in the paper's preparation",
                FeatureScaling::ByKind => {
                    "are replaced by the column's median or most common value, and marked in a column of their own"
                }
            };
            exec.notice(format!(
                "{missing} missing feature value{} in {columns} column{} {done}",
                if missing == 1 { "" } else { "s" },
                if columns == 1 { "" } else { "s" },
            ));
        }
        if params.scaling == FeatureScaling::Paper {
            return Preparation::paper(features, &facts, weighting, graph, params, exec);
        }
        let (words, table) = kinds_of(&facts);
        // Rarity belongs to words.
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
                method: Method::Kinds { words, table: Vec::new(), narrow: false, common_scale: false },
            };
        }
        let varied: Vec<usize> = table.iter().copied().filter(|&col| !facts[col].is_constant()).collect();
        let narrow = varied.len() < MANY;
        let sampled = sampled_columns(features, &varied);
        // Codes of a few categories get a column for each level; where many columns are whole numbers, they are counts or grades.
        let coded = exec.map_blocks(varied.len(), 1, |range| is_coded(&sampled[range.start]));
        let categories = coded.iter().filter(|&&coded| coded).count() < MANY;
        let mut learned = exec.map_blocks(varied.len(), 1, |range| {
            let at = range.start;
            TableColumn::learn(varied[at], &sampled[at], narrow, coded[at] && categories)
        });
        let constant = table.iter().filter(|&&col| facts[col].is_constant());
        learned.extend(constant.map(|&col| TableColumn::unused(col)));
        learned.sort_by_key(|column| column.column);
        // Columns that are not listed are words, so beside words the useless ones are listed too. One column there must be.
        if words.is_none() {
            let used = learned.iter().any(TableColumn::is_used);
            learned.retain(|column| column.is_used() || !used);
            learned.truncate(if used { usize::MAX } else { 1 });
        }
        let common_scale = !narrow && share_scale(&mut learned);
        let words = words.map(|own| {
            // Both parts of a row are of the same length, in the mean.
            let count = learned.iter().filter(|column| column.is_used()).count().max(1) as f64;
            let factors =
                learned.iter_mut().flat_map(|column| column.standard.iter_mut().chain(&mut column.missing));
            factors.for_each(|[_, factor]| *factor /= count.sqrt());
            WordColumns { scale: 1.0 / root_mean_square(features, &table, own.signed), ..own }
        });
        Preparation { rarity, columns, method: Method::Kinds { words, table: learned, narrow, common_scale } }
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
                method: Method::Kinds { words, table: Vec::new(), narrow: false, common_scale: false },
            };
        }
        // A shift would fill what is not stored.
        let lowest = if matches!(features, Features::Sparse(_)) { 0.0 } else { lowest };
        let degrees = if params.append_degrees { degree_columns(graph, params, exec) } else { 0 };
        Preparation { rarity, columns, method: Method::Paper { lowest, degrees } }
    }

    /// Whether its parts fit each other; a file may hold anything.
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

    /// Width of what [`Preparation::apply`] gives.
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

    /// One-hot degree columns, alone or beside the features.
    pub(crate) fn degrees(&self) -> usize {
        match self.method {
            Method::Degrees { columns } => columns,
            Method::Paper { degrees, .. } => degrees,
            Method::Kinds { .. } => 0,
        }
    }

    /// Whether how long a node's row is says something: it does in a table of few columns, where direction alone would erase it.
    pub(crate) fn lengths_matter(&self) -> bool {
        matches!(&self.method, Method::Kinds { words: None, narrow: true, .. })
    }

    /// Whether the features are words alone, so that their own zeros and signs mean something.
    pub(crate) fn keeps_words(&self) -> bool {
        match &self.method {
            Method::Degrees { .. } => false,
            Method::Paper { .. } => true,
            Method::Kinds { words, table, .. } => words.is_some() && table.is_empty(),
        }
    }

    /// What was done with which columns.
    pub(crate) fn treatments(&self) -> Vec<ColumnTreatment> {
        // The kind, what was done, and whether values are missing.
        type Group = (ColumnKind, &'static str, bool);
        let all = |kind, treatment: &'static str| {
            let first = (0..self.columns.min(LISTED)).collect();
            vec![ColumnTreatment { kind, columns: self.columns, first, treatment: treatment.into() }]
        };
        let (words, table, common_scale) = match &self.method {
            Method::Degrees { .. } => return Vec::new(),
            Method::Paper { degrees, .. } => {
                let mut found = all(None, "less the lowest value of all, rows divided by their sum");
                if *degrees > 0 {
                    found[0].treatment.to_mut().push_str(", one-hot degrees beside them");
                }
                return found;
            }
            Method::Kinds { words, table, common_scale, .. } => (words, table, *common_scale),
        };
        let describe = |own: Option<&TableColumn>| match (own, words) {
            (None, Some(WordColumns { signed: false, .. })) => {
                (ColumnKind::Word, "rows divided by their sum")
            }
            (None, Some(_)) => (ColumnKind::Hashed, "rows divided by their length"),
            (Some(own), _) if own.varies() => match &own.encoding {
                Encoding::Flag if common_scale => (ColumnKind::Flag, "centred"),
                Encoding::Flag => (ColumnKind::Flag, "centred and scaled"),
                Encoding::Category { .. } => (ColumnKind::Category, "scaled, and a column for each level"),
                Encoding::Number { .. } if common_scale => {
                    (ColumnKind::Number, "centred by the median, all on one scale")
                }
                Encoding::Number { quantiles, .. } if quantiles.is_empty() => {
                    (ColumnKind::Number, "centred by the median, scaled by the interquartile range")
                }
                Encoding::Number { .. } => (
                    ColumnKind::Number,
                    "centred by the median, scaled by the interquartile range, with hinges at nine quantiles",
                ),
            },
            (Some(own), _) if own.is_used() => (ColumnKind::Constant, "where it is known"),
            _ => (ColumnKind::Constant, "not used"),
        };
        let mut found: Vec<(Group, Vec<usize>)> = Vec::new();
        let mut listed = table.iter().peekable();
        for column in 0..self.columns {
            let own = listed.next_if(|own| own.column == column);
            let (kind, treatment) = describe(own);
            let group = (kind, treatment, own.is_some_and(|own| own.missing.is_some()));
            match found.iter_mut().find(|found| found.0 == group) {
                Some(same) => same.1.push(column),
                None => found.push((group, vec![column])),
            }
        }
        let report = |((kind, treatment, missing), columns): (Group, Vec<usize>)| ColumnTreatment {
            kind: Some(kind),
            columns: columns.len(),
            first: columns.into_iter().take(LISTED).collect(),
            treatment: if missing {
                format!("{treatment}; missing values replaced and marked").into()
            } else {
                treatment.into()
            },
        };
        found.into_iter().map(report).collect()
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

    /// What the words of a dense row are divided by.
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

    /// A row with rare columns given more weight and, in the paper's preparation, less the lowest value.
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
                // Words as they are stored, then the outputs of the table, of which there are few.
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

/// Sum of a row of words, or its Euclidean length where words have signs.
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

/// A word, or nothing where it is missing.
pub(crate) fn or_zero(v: f32) -> f32 {
    if v.is_nan() { 0.0 } else { v }
}

fn expand(table: &[TableColumn], values: &[f32], out: &mut [f32]) {
    let mut at = 0;
    for column in table {
        let width = column.encoding.width();
        let (v, is_missing) = match values[column.column] {
            v if v.is_nan() => (column.fill, 1.0),
            v => (v, 0.0),
        };
        let own = &mut out[at..at + width];
        column.encoding.expand(v, own);
        for (v, [mean, factor]) in own.iter_mut().zip(&column.standard) {
            *v = ((f64::from(*v) - mean) * factor) as f32;
        }
        if let Some([mean, factor]) = column.missing {
            out[at + width] = ((is_missing - mean) * factor) as f32;
        }
        at += column.width();
    }
}

/// Which columns are words, where there are many, and which belong to a table. Words are of one size: a column of amounts that are mostly zero is
/// none, and would take the whole row.
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

/// The values of these columns on at most [`SAMPLED_ROWS`] rows.
fn sampled_columns(features: &Features, columns: &[usize]) -> Vec<Vec<f32>> {
    let rows = match features {
        Features::None => 0,
        Features::Dense(x) => x.rows(),
        Features::Sparse(x) => x.rows(),
    };
    // Rows of several kinds may alternate, so a fixed stride could see one kind alone.
    let stride = rows.div_ceil(SAMPLED_ROWS).max(1) as u64;
    let mixed = |row: usize| (row as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20;
    let picked = (0..rows).filter(move |&row| stride == 1 || mixed(row).is_multiple_of(stride));
    match features {
        Features::None => vec![Vec::new(); columns.len()],
        Features::Dense(x) => {
            columns.iter().map(|&col| picked.clone().map(|row| x.row(row)[col]).collect()).collect()
        }
        Features::Sparse(x) => {
            let mut found = vec![Vec::new(); columns.len()];
            let mut dense = vec![0.0; x.cols()];
            for row in picked {
                scatter(x, row, &mut dense);
                found.iter_mut().zip(columns).for_each(|(found, &col)| found.push(dense[col]));
                x.row(row).iter().for_each(|&col| dense[col as usize] = 0.0);
            }
            found
        }
    }
}

/// The root of the mean square length of the words of a row, once divided by their sum or length.
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

impl TableColumn {
    /// From the values of a sample of nodes.
    fn learn(column: usize, sample: &[f32], narrow: bool, category: bool) -> Self {
        let known = |sample: &[f32]| sample.iter().copied().filter(|v| !v.is_nan()).collect::<Vec<f32>>();
        let mut values = known(sample);
        values.sort_unstable_by(f32::total_cmp);
        let n = values.len();
        let missing = (sample.len() > n).then(|| {
            let share = (sample.len() - n) as f64 / sample.len() as f64;
            [share, 1.0 / (share * (1.0 - share)).sqrt().max(LEAST_SPREAD)]
        });
        let top = values.iter().fold(0.0, |top, v| v.abs().max(top));
        if n == 0 || deviation(&values).1 <= ROUNDING * f64::from(top) {
            let fill = values.first().copied().unwrap_or(0.0);
            return TableColumn { fill, missing: missing.filter(|_| n > 0), ..TableColumn::unused(column) };
        }
        let encoding = match levels(&values) {
            Some(levels) if levels.len() <= 2 => Encoding::Flag,
            Some(levels) if category => Encoding::Category {
                levels: levels.into_iter().filter(|l| l.1 >= FEWEST_OF_A_LEVEL).map(|l| l.0).collect(),
            },
            _ => number(&values, narrow),
        };
        let fill = match &encoding {
            Encoding::Number { .. } => values[n / 2],
            _ => values.chunk_by(|a, b| a == b).rev().max_by_key(|run| run.len()).map_or(0.0, |run| run[0]),
        };
        let width = encoding.width();
        let mut rows = vec![0.0; n * width];
        for (v, out) in known(sample).into_iter().zip(rows.chunks_exact_mut(width)) {
            encoding.expand(v, out);
        }
        let spread_floor = match encoding {
            Encoding::Flag => LEAST_SPREAD * (f64::from(values[n - 1]) - f64::from(values[0])),
            _ => 0.0,
        };
        // The value itself weighs as much as all that stands beside it.
        let beside = 1.0 / ((width - 1).max(1) as f64).sqrt();
        let standard = (0..width)
            .map(|at| {
                let own: Vec<f32> = rows.iter().skip(at).step_by(width).copied().collect();
                let (mean, spread) = deviation(&own);
                let (floor, weight) = match (&encoding, at) {
                    (_, 0) => (spread_floor, 1.0),
                    (Encoding::Category { .. }, _) => (LEAST_SPREAD, beside),
                    _ => (0.0, beside),
                };
                let factor = if spread > 0.0 { weight / spread.max(floor) } else { 0.0 };
                [mean, factor]
            })
            .collect();
        TableColumn { column, encoding, standard, fill, missing }
    }

    /// A column that is the same for all nodes.
    fn unused(column: usize) -> Self {
        TableColumn { column, encoding: Encoding::Flag, standard: vec![[0.0; 2]], fill: 0.0, missing: None }
    }

    /// Outputs.
    fn width(&self) -> usize {
        self.encoding.width() + usize::from(self.missing.is_some())
    }

    /// Whether it differs between nodes.
    fn is_used(&self) -> bool {
        self.standard.iter().chain(&self.missing).any(|[_, factor]| *factor != 0.0)
    }

    /// Whether its values differ, where it has them.
    fn varies(&self) -> bool {
        self.standard[0][1] != 0.0
    }
}

/// Puts the columns of a wide table back on one scale, where theirs are alike: those of an embedding or of principal components mean something,
/// and to blow up the smallest would be to blow up noise. Scales of different units are not alike.
fn share_scale(table: &mut [TableColumn]) -> bool {
    let natural = |column: &TableColumn| {
        let unit = match &column.encoding {
            Encoding::Number { scale, .. } => 1.0 / scale,
            Encoding::Flag | Encoding::Category { .. } => 1.0,
        };
        unit / column.standard[0][1]
    };
    let mut scales: Vec<f64> = table.iter().filter(|column| column.varies()).map(natural).collect();
    scales.sort_unstable_by(f64::total_cmp);
    let Some(&middle) = scales.get(scales.len() / 2) else { return false };
    if scales[0] * ALIKE < middle || scales[scales.len() - 1] > ALIKE * middle {
        return false;
    }
    let common = (scales.iter().map(|s| s * s).sum::<f64>() / scales.len() as f64).sqrt();
    for column in table.iter_mut().filter(|column| column.varies()) {
        let own = natural(column);
        column.standard.iter_mut().for_each(|[_, factor]| *factor *= own / common);
    }
    true
}

/// Whether a column holds a few whole numbers, more than two.
fn is_coded(sample: &[f32]) -> bool {
    let mut values: Vec<f32> = sample.iter().copied().filter(|v| !v.is_nan()).collect();
    values.sort_unstable_by(f32::total_cmp);
    levels(&values).is_some_and(|levels| levels.len() > 2 && levels.iter().all(|(v, _)| v.fract() == 0.0))
}

/// The different values of a sorted sample with their counts, if there are few.
fn levels(sorted: &[f32]) -> Option<Vec<(f32, usize)>> {
    let mut found: Vec<(f32, usize)> = Vec::new();
    for run in sorted.chunk_by(|a, b| a == b) {
        if found.len() == MOST_LEVELS {
            return None;
        }
        found.push((run[0], run.len()));
    }
    Some(found)
}

fn number(sorted: &[f32], narrow: bool) -> Encoding {
    let n = sorted.len();
    let at = |share: f64| sorted[((n - 1) as f64 * share).round() as usize];
    let quartile = |share: f64| f64::from(at(share));
    let (mut centre, mut spread) = (quartile(0.5), (quartile(0.75) - quartile(0.25)) / 1.349);
    let inner = &sorted[(n as f64 * 0.005) as usize..n - (n as f64 * 0.005) as usize];
    let (mean, inner_spread) = deviation(inner);
    // Quartiles say little about the rest where half of the values and more are the same, or tails are very heavy.
    if spread < 0.05 * inner_spread {
        (centre, spread) = (mean, inner_spread);
    }
    if spread <= 0.0 {
        (centre, spread) = deviation(sorted);
    }
    let quantiles = if narrow {
        (0..QUANTILES).map(|k| at(k as f64 / (QUANTILES - 1) as f64)).collect()
    } else {
        Vec::new()
    };
    Encoding::Number { centre: centre as f32, scale: 1.0 / spread, quantiles }
}

/// Mean and deviation.
fn deviation(values: &[f32]) -> (f64, f64) {
    let n = values.len().max(1) as f64;
    let mean = values.iter().map(|&v| f64::from(v)).sum::<f64>() / n;
    let square = values.iter().map(|&v| (f64::from(v) - mean).powi(2)).sum::<f64>() / n;
    (mean, square.sqrt())
}

/// How many one-hot columns the degrees of a training graph need.
fn degree_columns(graph: &Csr, params: &ComponentParams, exec: &Exec) -> usize {
    let cap = params.degree_columns;
    let highest = (0..graph.rows()).map(|node| graph.row(node).len()).max().unwrap_or(0);
    let columns = (highest + 1).min(cap);
    if highest >= cap {
        exec.notice(format!("degrees from {} to {highest} share one column", cap - 1));
    }
    columns
}

/// Features with one column a degree beside them; degrees beyond the last column share it.
pub(crate) fn append_degrees(features: &Features, graph: &Csr, columns: usize) -> Csr {
    let have = features.cols();
    let base = match features {
        Features::None => None,
        Features::Dense(x) => Some(Cow::Owned(Csr::from_dense(x))),
        Features::Sparse(x) => Some(Cow::Borrowed(x)),
    };
    let rows = (0..graph.rows()).map(|node| {
        let (mut indices, mut values) = base.as_ref().map_or_else(Default::default, |base| {
            let indices = base.row(node).to_vec();
            let values = base.row_values(node).map_or_else(|| vec![1.0; indices.len()], <[f32]>::to_vec);
            (indices, values)
        });
        let degree = graph.row(node).len();
        indices.push(u32::try_from(have + degree.min(columns - 1)).expect("columns fit in u32"));
        values.push(1.0);
        (indices, values)
    });
    Csr::from_rows(have + columns, rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::component::features::PreparedRows;
    use crate::seed::{Draw, Seed, Stream};

    fn draw() -> Draw {
        Seed(3).stream(Stream::Synth, 4)
    }

    fn learn(features: &Features) -> Preparation {
        let rows = match features {
            Features::Dense(x) => x.rows(),
            Features::Sparse(x) => x.rows(),
            Features::None => 4,
        };
        let graph = Csr::symmetric(rows, &[[0, 1]]);
        let found = Preparation::learn(
            features,
            Weighting::Equal,
            &graph,
            &ComponentParams::default(),
            &Exec::new(1).unwrap(),
        );
        assert!(found.is_sound());
        found
    }

    fn prepared(x: &Matrix) -> Matrix {
        let how = learn(&Features::Dense(x.clone()));
        PreparedRows::new(Cow::Borrowed(x), Cow::Owned(how), &Exec::new(1).unwrap())
            .whole(&Exec::new(1).unwrap())
    }

    #[test]
    fn ranks_lie_between_quantiles_and_in_the_middle_of_ties() {
        let quantiles = [0.0, 1.0, 1.0, 1.0, 5.0];
        for (v, expected) in
            [(-3.0, 0.0), (0.0, 0.0), (0.5, 0.125), (1.0, 0.5), (3.0, 0.875), (5.0, 1.0), (9.0, 1.0)]
        {
            assert!((rank(&quantiles, v) - expected).abs() < 1e-6, "{v}: {}", rank(&quantiles, v));
        }
    }

    #[test]
    fn every_column_is_taken_for_what_it_is() {
        let mut draw = draw();
        let n = 500;
        let x = Matrix::from_fn(n, 6, |row, col| match col {
            0 => 1990.0 + draw.below(30) as f32 + draw.unit() as f32,
            1 => f32::from(u8::from(row % 3 == 0)),
            2 => draw.below(7) as f32,
            3 => 4.0,
            4 => (9.0 * draw.normal()).exp() as f32,
            _ => draw.normal() as f32,
        });
        let how = learn(&Features::Dense(x.clone()));
        let kinds: Vec<(Option<ColumnKind>, Vec<usize>)> =
            how.treatments().into_iter().map(|t| (t.kind, t.first)).collect();
        assert_eq!(
            kinds,
            [
                (Some(ColumnKind::Number), vec![0, 4, 5]),
                (Some(ColumnKind::Flag), vec![1]),
                (Some(ColumnKind::Category), vec![2]),
                (Some(ColumnKind::Constant), vec![3]),
            ]
        );
        assert!(how.lengths_matter() && !how.keeps_words());
        // Three numbers with hinges, a flag, a category with its seven levels.
        assert_eq!(how.width(), 3 * (1 + PARTS) + 1 + 8);
        let out = prepared(&x);
        assert!(out.as_slice().iter().all(|v| v.is_finite() && v.abs() < 20.0), "outliers are cut");
    }

    /// What stands for a column depends neither on its unit nor on where its scale begins.
    #[test]
    fn units_do_not_matter() {
        let mut draw = draw();
        let x = Matrix::from_fn(300, 3, |_, _| draw.normal() as f32);
        let moved = Matrix::from_fn(300, 3, |row, col| {
            x.row(row)[col] * [1e-5, 3e4, 1.0][col] + [0.0, 7e4, -2.0][col]
        });
        for (a, b) in prepared(&x).as_slice().iter().zip(prepared(&moved).as_slice()) {
            assert!((a - b).abs() < 2e-3, "{a} {b}");
        }
    }

    #[test]
    fn many_numbers_share_a_scale_where_theirs_are_alike() {
        let mut draw = draw();
        let mut deviations = |sizes: &dyn Fn(usize) -> f64| {
            let x = Matrix::from_fn(400, 80, |_, col| (sizes(col) * draw.normal()) as f32);
            let out = prepared(&x);
            assert_eq!(out.cols(), 80, "no hinges");
            [0, 79].map(|col| deviation(&(0..400).map(|row| out.row(row)[col]).collect::<Vec<_>>()).1)
        };
        // Principal components: their sizes mean something.
        let [first, last] = deviations(&|col| 5.0 / (1.0 + col as f64 / 10.0));
        assert!(first / last > 5.0, "{first} {last}");
        // Units: they do not.
        let [first, last] = deviations(&|col| if col == 0 { 1e4 } else { 1.0 });
        assert!((first / last - 1.0).abs() < 0.1, "{first} {last}");
    }

    /// One negative value neither shifts words nor fills their zeros.
    #[test]
    fn hashed_words_stay_sparse() {
        let mut draw = draw();
        let rows = (0..200).map(|_| {
            let mut columns: Vec<u32> = (0..30).map(|_| draw.below(100_000)).collect();
            columns.sort_unstable();
            columns.dedup();
            let values = columns.iter().map(|_| if draw.unit() < 0.5 { -1.0 } else { 1.0 }).collect();
            (columns, values)
        });
        let x = Csr::from_rows(100_000, rows);
        let how = learn(&Features::Sparse(x.clone()));
        assert_eq!(how.treatments().last().unwrap().kind, Some(ColumnKind::Hashed));
        let Features::Sparse(out) = how.sparse(&x, &Exec::new(1).unwrap()) else {
            panic!("they were filled")
        };
        assert_eq!(out.nnz(), x.nnz());
        let squares = |row: usize| out.row_values(row).unwrap().iter().map(|v| v * v).sum::<f32>();
        assert!((0..200).all(|row| (squares(row) - 1.0).abs() < 1e-5));
    }

    /// Words and a few numbers beside them: both are seen, dense and sparse alike.
    #[test]
    fn words_and_numbers_stand_side_by_side() {
        let mut draw = draw();
        let n = 300;
        let x = Matrix::from_fn(n, 102, |_, col| match col {
            0 => 40.0 + 12.0 * draw.normal() as f32,
            101 => (10.0 + draw.normal()).exp() as f32,
            _ => f32::from(u8::from(draw.unit() < 0.05)),
        });
        let how = learn(&Features::Dense(x.clone()));
        let kinds: Vec<_> = how.treatments().into_iter().map(|t| (t.kind.unwrap(), t.columns)).collect();
        assert_eq!(kinds, [(ColumnKind::Number, 2), (ColumnKind::Word, 100)]);
        let dense = prepared(&x);
        let Features::Sparse(sparse) = how.sparse(&Csr::from_dense(&x), &Exec::new(1).unwrap()) else {
            panic!("words stay sparse")
        };
        assert_eq!(sparse.to_dense(), dense);
        let square = |from: usize, to: usize| {
            let row =
                |row: usize| dense.row(row)[from..to].iter().map(|&v| f64::from(v).powi(2)).sum::<f64>();
            (0..n).map(row).sum::<f64>() / n as f64
        };
        let (words, numbers) = (square(0, 102), square(102, how.width()));
        assert!((words - 1.0).abs() < 1e-3 && numbers > 0.7 && numbers < 2.5, "{words} {numbers}");
    }

    /// A missing value is seen as missing, and otherwise as an ordinary one.
    #[test]
    fn missing_values_are_replaced_and_marked() {
        let mut draw = draw();
        let n = 400;
        let gone = |row: usize, col: usize| match col {
            0 => row % 4 == 1,
            1 => row % 10 == 3,
            2 => row % 5 == 2,
            4 => true,
            _ => false,
        };
        let x = Matrix::from_fn(n, 5, |row, col| {
            let v = match col {
                0 => 50.0 + 10.0 * draw.normal() as f32,
                1 => f32::from(u8::from(row % 3 == 0)),
                2 => 7.0,
                _ => draw.normal() as f32,
            };
            if gone(row, col) { f32::NAN } else { v }
        });
        let how = learn(&Features::Dense(x.clone()));
        let found: Vec<_> = how.treatments().into_iter().map(|t| (t.kind.unwrap(), t.first)).collect();
        let expected = [
            (ColumnKind::Number, vec![0]),
            (ColumnKind::Flag, vec![1]),
            (ColumnKind::Constant, vec![2]),
            (ColumnKind::Number, vec![3]),
            (ColumnKind::Constant, vec![4]),
        ];
        assert_eq!(found, expected);
        let out = prepared(&x);
        assert_eq!(out.cols(), (1 + PARTS + 1) + 2 + 2 + (1 + PARTS));
        assert!(out.as_slice().iter().all(|v| v.is_finite()));
        for row in 0..n {
            let value = out.row(row)[0];
            assert!(!gone(row, 0) || value.abs() < 0.1, "the middle stands for a missing number: {value}");
            for (col, mark) in [(0, PARTS + 1), (1, PARTS + 3), (2, PARTS + 5)] {
                assert_eq!(out.row(row)[mark] > 0.0, gone(row, col), "column {col} of node {row}");
            }
        }
        // A graph whose other columns have missing values is prepared all the same, without a mark.
        let mut other = x.clone();
        other.row_mut(0)[3] = f32::NAN;
        let rows = PreparedRows::new(Cow::Borrowed(&other), Cow::Borrowed(&how), &Exec::new(1).unwrap());
        assert!(rows.whole(&Exec::new(1).unwrap()).as_slice().iter().all(|v| v.is_finite()));
    }

    #[test]
    fn nothing_but_constants_is_met() {
        let x = Matrix::from_fn(20, 3, |_, col| col as f32);
        let how = learn(&Features::Dense(x.clone()));
        assert!(how.width() > 0 && prepared(&x).as_slice().iter().all(|&v| v == 0.0));
        assert_eq!(how.treatments()[0].treatment, "not used");
    }
}
