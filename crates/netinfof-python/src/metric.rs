//! Metrics over arrays of scores.

use netinfof::{Contingency, metric};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

type Scores<'py> = PyReadonlyArray1<'py, f64>;

fn values(scores: &Scores<'_>) -> Vec<f64> {
    scores.as_array().to_vec()
}

#[pyfunction]
pub(crate) fn hits_at_k(positives: Scores<'_>, negatives: Scores<'_>, k: usize) -> f64 {
    metric::hits_at(k, &values(&positives), &values(&negatives))
}

#[pyfunction]
pub(crate) fn mrr(positives: Scores<'_>, negatives: Scores<'_>) -> f64 {
    metric::mrr(&values(&positives), &values(&negatives))
}

/// Hits@k and the mean reciprocal rank where each positive has negatives of its own.
#[pyfunction]
pub(crate) fn own_ranks(positives: Scores<'_>, negatives: Scores<'_>, k: usize, each: usize) -> (f64, f64) {
    metric::own_ranks(k, each, &values(&positives), &values(&negatives))
}

#[pyfunction]
pub(crate) fn auc(positives: Scores<'_>, negatives: Scores<'_>) -> f64 {
    metric::auc(&values(&positives), &values(&negatives))
}

#[pyfunction]
pub(crate) fn average_precision(positives: Scores<'_>, negatives: Scores<'_>) -> f64 {
    metric::average_precision(&values(&positives), &values(&negatives))
}

/// The NetInfoF score of groups about labels, both counted from 0.
#[pyfunction]
pub(crate) fn information(
    groups: PyReadonlyArray1<'_, i64>,
    labels: PyReadonlyArray1<'_, i64>,
    shape: (usize, usize),
) -> f64 {
    let mut table = Contingency::new(shape.0, shape.1);
    for (&group, &label) in groups.as_array().iter().zip(labels.as_array()) {
        table.add(group as usize, label as usize);
    }
    table.score()
}
