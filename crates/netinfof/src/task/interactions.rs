//! Products of components: relations between the features of a node and those of its neighbours, or between its
//! features and its place in the graph, where no part alone predicts anything.
//!
//! A class that says whether a node agrees with its neighbours is an example: the mean of the class is the same for all
//! features, for all neighbours and for all places, so no linear model on them predicts it. `nothing` must not be the
//! answer there, because a GNN may find the relation.

use crate::information::{ComponentBlocks, Part};
use crate::matrix::Matrix;

/// Number of columns of a component, in order of their variance, that products are made of.
const LEADING: usize = 16;
/// Standardised values are clipped here: products amplify heavy tails.
const CLIP: f64 = 3.0;
/// A column with this share of the largest deviation is a rounding error.
const ROUNDING: f64 = 1e-4;

/// The rows of one component.
pub(super) struct Factor {
    pub(super) name: &'static str,
    pub(super) rows: Matrix,
}

/// Products of the features with themselves and with every other factor, and of the neighbours' features with
/// themselves.
pub(super) fn blocks(features: &Factor, neighbours: &[Factor], places: &[Factor]) -> ComponentBlocks {
    let own = standardized(&features.rows);
    let mut blocks = ComponentBlocks::default();
    let mut add = |names: [&str; 2], rows: Matrix| {
        if rows.cols() > 0 {
            blocks.add(Part::Interaction, names.join(" × "), rows);
        }
    };
    add([features.name; 2], products(&own, None));
    for factor in neighbours.iter().chain(places) {
        let other = standardized(&factor.rows);
        add([features.name, factor.name], products(&own, Some(&other)));
    }
    for factor in neighbours {
        add([factor.name; 2], products(&standardized(&factor.rows), None));
    }
    blocks
}

/// The leading columns with mean 0 and deviation 1, clipped; columns that are constant but for rounding become 0.
fn standardized(rows: &Matrix) -> Matrix {
    let moments: Vec<[f64; 2]> = (0..rows.cols().min(LEADING)).map(|col| moments(rows, col)).collect();
    let size = moments.iter().map(|[_, deviation]| *deviation).fold(0.0, f64::max);
    Matrix::from_fn(rows.rows(), moments.len(), |row, col| {
        let [mean, deviation] = moments[col];
        if deviation <= ROUNDING * size {
            return 0.0;
        }
        ((f64::from(rows.row(row)[col]) - mean) / deviation).clamp(-CLIP, CLIP) as f32
    })
}

/// Mean and deviation of a column.
fn moments(rows: &Matrix, col: usize) -> [f64; 2] {
    let count = rows.rows().max(1) as f64;
    let values = || (0..rows.rows()).map(|row| f64::from(rows.row(row)[col]));
    let mean = values().sum::<f64>() / count;
    let square = values().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
    [mean, square.sqrt()]
}

/// Products of every column with every column of another matrix, or with itself and later ones; centred.
fn products(own: &Matrix, other: Option<&Matrix>) -> Matrix {
    let pairs: Vec<[usize; 2]> = match other {
        Some(other) => (0..own.cols()).flat_map(|a| (0..other.cols()).map(move |b| [a, b])).collect(),
        None => (0..own.cols()).flat_map(|a| (a..own.cols()).map(move |b| [a, b])).collect(),
    };
    let other = other.unwrap_or(own);
    let raw = Matrix::from_fn(own.rows(), pairs.len(), |row, col| {
        let [a, b] = pairs[col];
        own.row(row)[a] * other.row(row)[b]
    });
    let means: Vec<f64> = (0..raw.cols()).map(|col| moments(&raw, col)[0]).collect();
    Matrix::from_fn(raw.rows(), raw.cols(), |row, col| raw.row(row)[col] - means[col] as f32)
}
