//! Reference results of scikit-learn and SciPy on small problems, written by `tests/golden/make.py`, for
//! tests.

use serde::Deserialize;

use crate::graph::Pair;
use crate::matrix::Matrix;

#[derive(Deserialize)]
pub(crate) struct Oracle {
    pub(crate) z: Vec<Vec<f32>>,
    pub(crate) edges: Vec<Pair>,
    pub(crate) ridge: Vec<Vec<f64>>,
    pub(crate) x: Vec<Vec<f32>>,
    pub(crate) pca_scores: Vec<Vec<f64>>,
    pub(crate) positives: Vec<f64>,
    pub(crate) negatives: Vec<f64>,
    pub(crate) auc: f64,
    pub(crate) average_precision: f64,
    pub(crate) a: Vec<Vec<f64>>,
    pub(crate) b: Vec<f64>,
    pub(crate) start: Vec<f64>,
    pub(crate) lsqr: Vec<f64>,
}

pub(crate) fn read() -> Oracle {
    serde_json::from_str(include_str!("../tests/golden/oracle.json")).expect("the fixture is valid")
}

pub(crate) fn matrix(rows: &[Vec<f32>]) -> Matrix {
    Matrix::from_vec(rows.len(), rows[0].len(), rows.concat())
}
