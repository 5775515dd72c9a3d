//! Rows of features by which pairs are compared, in their stored form.

use std::borrow::Cow;
use std::cell::RefCell;

use crate::component::PreparedRows;
use crate::csr::Csr;
use crate::graph::Features;
use crate::kernel::{self, Blocks};
use crate::matrix::Matrix;

thread_local! {
    /// A temporary row of large features.
    static ROOM: RefCell<Vec<f32>> = const { RefCell::new(Vec::new()) };
}

#[derive(Debug)]
pub(super) enum FeatureRows<'a> {
    Dense(Cow<'a, Matrix>),
    /// Dense features that are too large to be copied, with a factor for every row.
    Large {
        prepared: PreparedRows<'a>,
        factors: Vec<f32>,
    },
    Sparse(Cow<'a, Csr>),
}

impl<'a> FeatureRows<'a> {
    pub(super) fn of(features: Cow<'a, Features>) -> Self {
        match features {
            Cow::Borrowed(Features::Dense(x)) => FeatureRows::Dense(Cow::Borrowed(x)),
            Cow::Borrowed(Features::Sparse(x)) => FeatureRows::Sparse(Cow::Borrowed(x)),
            Cow::Owned(Features::Dense(x)) => FeatureRows::Dense(Cow::Owned(x)),
            Cow::Owned(Features::Sparse(x)) => FeatureRows::Sparse(Cow::Owned(x)),
            _ => unreachable!("there are features"),
        }
    }

    pub(super) fn cols(&self) -> usize {
        match self {
            FeatureRows::Dense(x) => x.cols(),
            FeatureRows::Large { prepared, .. } => Blocks::cols(prepared),
            FeatureRows::Sparse(x) => x.cols(),
        }
    }

    pub(super) fn add(&self, row: usize, to: &mut [f32]) {
        match self {
            FeatureRows::Dense(x) => kernel::axpy(1.0, x.row(row), to),
            FeatureRows::Large { prepared, factors } => ROOM.with_borrow_mut(|room| {
                room.resize(to.len(), 0.0);
                prepared.row(row, room);
                kernel::axpy(factors[row], room, to);
            }),
            FeatureRows::Sparse(x) => kernel::add_sparse_row(x, row, to),
        }
    }

    /// Sets `to` to zero at the nonzero entries of these rows.
    pub(super) fn clear(&self, rows: impl Iterator<Item = usize>, to: &mut [f32]) {
        match self {
            FeatureRows::Dense(_) | FeatureRows::Large { .. } => to.fill(0.0),
            FeatureRows::Sparse(x) => {
                for row in rows {
                    for &col in x.row(row) {
                        to[col as usize] = 0.0;
                    }
                }
            }
        }
    }

    pub(super) fn dot(&self, row: usize, with: &[f32]) -> f32 {
        match self {
            FeatureRows::Dense(x) => kernel::dot(x.row(row), with),
            FeatureRows::Large { prepared, factors } => ROOM.with_borrow_mut(|room| {
                room.resize(with.len(), 0.0);
                prepared.row(row, room);
                factors[row] * kernel::dot(room, with)
            }),
            FeatureRows::Sparse(x) => kernel::sparse_row_dot(x, row, with),
        }
    }
}
