//! Node features: dense or sparse, one row per node.

use std::borrow::Cow;

use crate::csr::{Csr, NodeId};
use crate::error::{Error, Result};
use crate::matrix::Matrix;

/// Node features, one row per node. Sparse input stays sparse.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Features {
    /// No features.
    #[default]
    None,
    /// Every entry stored.
    Dense(Matrix),
    /// Only nonzero entries stored.
    Sparse(Csr),
}

impl Features {
    /// Number of columns.
    pub fn cols(&self) -> usize {
        match self {
            Features::None => 0,
            Features::Dense(x) => x.cols(),
            Features::Sparse(x) => x.cols(),
        }
    }

    /// Share of nonzero entries; 0 without features.
    pub fn density(&self) -> f64 {
        let (nonzero, all) = match self {
            Features::None => return 0.0,
            Features::Dense(x) => (x.as_slice().iter().filter(|&&v| v != 0.0).count(), x.rows() * x.cols()),
            Features::Sparse(x) => (
                x.values().map_or(x.nnz(), |values| values.iter().filter(|&&v| v != 0.0).count()),
                x.rows() * x.cols(),
            ),
        };
        if all == 0 { 0.0 } else { nonzero as f64 / all as f64 }
    }

    /// Number of missing values (NaN).
    pub fn missing(&self) -> usize {
        match self {
            Features::Dense(x) => x.as_slice().iter().filter(|v| v.is_nan()).count(),
            Features::None | Features::Sparse(_) => 0,
        }
    }

    /// The same with missing values replaced by zeros.
    pub(crate) fn without_missing(features: Cow<'_, Features>) -> Cow<'_, Features> {
        if features.missing() == 0 {
            return features;
        }
        let mut features = features.into_owned();
        if let Features::Dense(x) = &mut features {
            x.as_mut_slice().iter_mut().filter(|v| v.is_nan()).for_each(|v| *v = 0.0);
        }
        Cow::Owned(features)
    }

    /// The largest magnitude of a value.
    pub(crate) fn largest(&self) -> f32 {
        let values = match self {
            Features::None => &[],
            Features::Dense(x) => x.as_slice(),
            Features::Sparse(x) => x.values().unwrap_or(&[1.0]),
        };
        values.iter().fold(0.0, |top, v| v.abs().max(top))
    }

    /// Features from a dense matrix, stored as sparse if at most a tenth of the entries are nonzero: table
    /// formats cannot mark sparsity, and most bags of words are sparse.
    pub fn from_dense(dense: Matrix) -> Self {
        let nonzero = dense.as_slice().iter().filter(|&&v| v != 0.0).count();
        // Missing values must not become stored entries among words.
        if nonzero * 10 > dense.as_slice().len() || dense.as_slice().iter().any(|v| v.is_nan()) {
            return Features::Dense(dense);
        }
        Features::Sparse(Csr::from_dense(&dense))
    }

    /// Some of the rows, in this order.
    #[must_use]
    pub fn rows_of(&self, rows: &[NodeId]) -> Features {
        match self {
            Features::None => Features::None,
            Features::Dense(x) => Features::Dense(Matrix::from_fn(rows.len(), x.cols(), |row, col| {
                x.row(rows[row] as usize)[col]
            })),
            Features::Sparse(x) => Features::Sparse(x.rows_of(rows)),
        }
    }

    /// A weight for every column: the inverse document frequency, the logarithm of one over the share of
    /// nodes with a nonzero value. A column that all nodes have keeps a small weight: it may be the only one.
    pub(crate) fn rarity(&self) -> Vec<f32> {
        let mut used = vec![0u32; self.cols()];
        let nodes = match self {
            Features::None => 0,
            Features::Dense(x) => {
                for row in 0..x.rows() {
                    used.iter_mut().zip(x.row(row)).for_each(|(used, &v)| *used += u32::from(v != 0.0));
                }
                x.rows()
            }
            Features::Sparse(x) => {
                x.indices().iter().for_each(|&col| used[col as usize] += 1);
                x.rows()
            }
        };
        used.iter().map(|&used| ((1.0 + nodes as f64) / f64::from(used.max(1))).ln() as f32 + 0.1).collect()
    }

    /// Multiplies every column by its weight.
    pub(crate) fn weigh_cols(&mut self, weights: &[f32]) {
        match self {
            Features::None => {}
            Features::Dense(x) => x.scale_cols(weights),
            Features::Sparse(x) => x.scale_cols(weights),
        }
    }

    pub(crate) fn check(&self, nodes: usize) -> Result<()> {
        const MOST: usize = 1 << 26;
        if self.cols() > MOST {
            let what = format!("{} feature columns; at most {MOST} are possible", self.cols());
            return Err(Error::InvalidGraph { what });
        }
        let (rows, bad) = match self {
            Features::None => return Ok(()),
            Features::Dense(x) => (
                x.rows(),
                x.as_slice().iter().position(|v| v.is_infinite()).map(|at| (at / x.cols(), at % x.cols())),
            ),
            Features::Sparse(x) => (
                x.rows(),
                x.values()
                    .and_then(|values| values.iter().position(|v| !v.is_finite()))
                    .map(|at| (x.row_of_entry(at), x.indices()[at] as usize)),
            ),
        };
        if rows != nodes {
            let what = format!("{rows} feature rows for {nodes} nodes; one row per node was expected");
            return Err(Error::InvalidGraph { what });
        }
        if let Some((row, col)) = bad {
            let what = match self {
                Features::Sparse(_) => format!(
                    "feature of node {row}, column {col} is not a finite number; only dense features can have missing values (NaN)"
                ),
                _ => format!("feature of node {row}, column {col} is infinite; a missing value is NaN"),
            };
            return Err(Error::InvalidGraph { what });
        }
        Ok(())
    }
}
