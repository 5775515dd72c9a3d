//! Metrics over arrays of scores.

use netinfof::{Contingency, metric};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use crate::work::{self, RunSettings};

type Scores<'py> = PyReadonlyArray1<'py, f64>;

/// Copies the scores and works on them beside Python.
fn of<T: Send + 'static>(
    py: Python<'_>,
    positives: &Scores<'_>,
    negatives: &Scores<'_>,
    metric: impl FnOnce(&[f64], &[f64]) -> T + Send + 'static,
) -> PyResult<T> {
    let [positives, negatives] = [positives, negatives].map(|scores| scores.as_array().to_vec());
    work::run(py, RunSettings::short(), move |_| Ok(metric(&positives, &negatives)))
}

#[pyfunction]
pub(crate) fn hits_at_k(
    py: Python<'_>,
    positives: Scores<'_>,
    negatives: Scores<'_>,
    k: usize,
) -> PyResult<f64> {
    of(py, &positives, &negatives, move |positives, negatives| metric::hits_at(k, positives, negatives))
}

#[pyfunction]
pub(crate) fn mrr(py: Python<'_>, positives: Scores<'_>, negatives: Scores<'_>) -> PyResult<f64> {
    of(py, &positives, &negatives, metric::mrr)
}

/// Hits@k and the mean reciprocal rank where each positive has negatives of its own.
#[pyfunction]
pub(crate) fn own_ranks(
    py: Python<'_>,
    positives: Scores<'_>,
    negatives: Scores<'_>,
    k: usize,
    each: usize,
) -> PyResult<(f64, f64)> {
    of(py, &positives, &negatives, move |positives, negatives| {
        metric::own_ranks(k, each, positives, negatives)
    })
}

#[pyfunction]
pub(crate) fn auc(py: Python<'_>, positives: Scores<'_>, negatives: Scores<'_>) -> PyResult<f64> {
    of(py, &positives, &negatives, metric::auc)
}

#[pyfunction]
pub(crate) fn average_precision(
    py: Python<'_>,
    positives: Scores<'_>,
    negatives: Scores<'_>,
) -> PyResult<f64> {
    of(py, &positives, &negatives, metric::average_precision)
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

/// Accuracy, macro F1 and balanced accuracy of predicted classes.
#[pyfunction]
pub(crate) fn node_metrics(
    found: PyReadonlyArray1<'_, i64>,
    truth: PyReadonlyArray1<'_, i64>,
    classes: usize,
) -> (f64, f64, f64) {
    let [found, truth] =
        [found, truth].map(|list| list.as_array().iter().map(|&class| class as u32).collect::<Vec<_>>());
    (
        metric::accuracy(&found, &truth),
        metric::macro_f1(&found, &truth, classes),
        metric::balanced_accuracy(&found, &truth, classes),
    )
}
