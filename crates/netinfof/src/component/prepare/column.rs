//! Columns of a table: their statistics, and their encoding as input of a linear model.

use serde::{Deserialize, Serialize};

use super::scatter;
use crate::graph::Features;

/// Maximum number of rows from which quantiles and levels are estimated; larger tables are sampled.
pub(super) const SAMPLED_ROWS: usize = 50_000;

/// Whole numbers with at most this many levels are categories.
pub(super) const MOST_LEVELS: usize = 32;

/// Levels with fewer sampled nodes get no column.
pub(super) const FEWEST_OF_A_LEVEL: usize = 5;

/// Robustly standardised numbers are clipped here.
pub(super) const CLIP: f32 = 6.0;

/// The function of a rank may bend at the quantiles between this number of equal parts.
pub(super) const PARTS: usize = 10;

/// Number of quantiles that represent the distribution of a number.
pub(super) const QUANTILES: usize = 41;

/// Deviations below this share of a column's largest value are rounding errors.
pub(super) const ROUNDING: f64 = 1e-6;

/// Minimum divisor of a flag or a level: otherwise rare ones would become outliers.
pub(super) const LEAST_SPREAD: f64 = 0.15;

/// Scales within this factor of the median count as equal.
pub(super) const ALIKE: f64 = 20.0;

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct TableColumn {
    pub(super) column: usize,
    pub(super) encoding: Encoding,
    /// Mean and factor of every output.
    pub(super) standard: Vec<[f64; 2]>,
    /// The replacement of a missing value.
    pub(super) fill: f32,
    /// Mean and factor of the output that marks missing values, if the training graph has any.
    pub(super) missing: Option<[f64; 2]>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Encoding {
    /// The value.
    Flag,
    /// The value, and one output for each of these levels.
    Category { levels: Vec<f32> },
    /// The value, robustly standardised and clipped; with quantiles, also hinges of its rank.
    Number { centre: f32, scale: f64, quantiles: Vec<f32> },
}

impl Encoding {
    pub(super) fn width(&self) -> usize {
        match self {
            Encoding::Flag => 1,
            Encoding::Category { levels } => 1 + levels.len(),
            Encoding::Number { quantiles, .. } if quantiles.is_empty() => 1,
            Encoding::Number { .. } => 1 + PARTS,
        }
    }

    /// The outputs, before they are standardised.
    pub(super) fn expand(&self, v: f32, out: &mut [f32]) {
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

/// The share of values below `v`, between these evenly spaced quantiles; of several equal quantiles the
/// middle one is used.
pub(super) fn rank(quantiles: &[f32], v: f32) -> f32 {
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

/// Statistics of a column that determine its kind.
pub(super) struct ColumnFacts {
    pub(super) zero_share: f64,
    /// Number of nodes without a value.
    pub(super) missing: usize,
    pub(super) lowest: f32,
    pub(super) highest: f32,
    /// Mean magnitude of the nonzero values.
    pub(super) size: f64,
}

impl ColumnFacts {
    pub(super) fn all(features: &Features) -> Vec<ColumnFacts> {
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
                // Values that are not stored are zero.
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
    pub(super) fn is_constant(&self) -> bool {
        self.lowest > self.highest || self.lowest == self.highest && self.missing == 0
    }
}

pub(super) fn expand(table: &[TableColumn], values: &[f32], out: &mut [f32]) {
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

/// The values of these columns on at most [`SAMPLED_ROWS`] rows.
pub(super) fn sampled_columns(features: &Features, columns: &[usize]) -> Vec<Vec<f32>> {
    let rows = match features {
        Features::None => 0,
        Features::Dense(x) => x.rows(),
        Features::Sparse(x) => x.rows(),
    };
    // Rows of several kinds may alternate, so a fixed stride could sample only one kind.
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

impl TableColumn {
    /// From the values of a sample of nodes.
    pub(super) fn learn(column: usize, sample: &[f32], narrow: bool, category: bool) -> Self {
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
        // The value itself has as much weight as all other outputs together.
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

    /// A constant column.
    pub(super) fn unused(column: usize) -> Self {
        TableColumn { column, encoding: Encoding::Flag, standard: vec![[0.0; 2]], fill: 0.0, missing: None }
    }

    /// Number of outputs.
    pub(super) fn width(&self) -> usize {
        self.encoding.width() + usize::from(self.missing.is_some())
    }

    /// Whether it differs between nodes.
    pub(super) fn is_used(&self) -> bool {
        self.standard.iter().chain(&self.missing).any(|[_, factor]| *factor != 0.0)
    }

    /// Whether the values that are present differ.
    pub(super) fn varies(&self) -> bool {
        self.standard[0][1] != 0.0
    }
}

/// Restores a common scale for the columns of a wide table if their scales are similar: the scales of an
/// embedding or of principal components are meaningful, and enlarging the smallest column would amplify
/// noise. Columns with different units do not have similar scales.
pub(super) fn share_scale(table: &mut [TableColumn]) -> bool {
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
pub(super) fn is_coded(sample: &[f32]) -> bool {
    let mut values: Vec<f32> = sample.iter().copied().filter(|v| !v.is_nan()).collect();
    values.sort_unstable_by(f32::total_cmp);
    levels(&values).is_some_and(|levels| levels.len() > 2 && levels.iter().all(|(v, _)| v.fract() == 0.0))
}

/// The distinct values of a sorted sample with their counts, if there are few.
pub(super) fn levels(sorted: &[f32]) -> Option<Vec<(f32, usize)>> {
    let mut found: Vec<(f32, usize)> = Vec::new();
    for run in sorted.chunk_by(|a, b| a == b) {
        if found.len() == MOST_LEVELS {
            return None;
        }
        found.push((run[0], run.len()));
    }
    Some(found)
}

pub(super) fn number(sorted: &[f32], narrow: bool) -> Encoding {
    let n = sorted.len();
    let at = |share: f64| sorted[((n - 1) as f64 * share).round() as usize];
    let quartile = |share: f64| f64::from(at(share));
    let (mut centre, mut spread) = (quartile(0.5), (quartile(0.75) - quartile(0.25)) / 1.349);
    let inner = &sorted[(n as f64 * 0.005) as usize..n - (n as f64 * 0.005) as usize];
    let (mean, inner_spread) = deviation(inner);
    // Quartiles are poor estimates of the scale if at least half of the values are equal, or tails are very
    // heavy.
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
pub(super) fn deviation(values: &[f32]) -> (f64, f64) {
    let n = values.len().max(1) as f64;
    let mean = values.iter().map(|&v| f64::from(v)).sum::<f64>() / n;
    let square = values.iter().map(|&v| (f64::from(v) - mean).powi(2)).sum::<f64>() / n;
    (mean, square.sqrt())
}
