//! Act: solve the task with the same embeddings (paper, section 4.3).
//!
//! A logistic (links) or softmax (nodes) regression with sparse-group LASSO weights the components, one group
//! per component; its penalty is chosen on validation data. Links: the features of a pair are, for each
//! embedding, `½ (ẑ_i H ⊙ ẑ_j + ẑ_j H ⊙ ẑ_i)`, the same in both directions, and the columns of X. Nodes: the
//! features are the normalised embeddings themselves.

mod calibrate;
mod ends;
mod links;
mod nodes;
mod ridge;
mod targets;

use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::evidence::Estimate;
use crate::linalg::sgl::Weights;
use crate::linalg::{SglInfo, SglParams};
use crate::metric::Curves;
use crate::ordered_map::OrderedMap;

pub(crate) use calibrate::{
    LabelCalibration, LinkCalibration, LogOdds, NodeCalibration, NumberCalibration, NumberPrediction,
};
pub(crate) use links::{LinkModel, LinkResult};
pub(crate) use nodes::{NodeModel, NodeResult, nodes};
pub(crate) use targets::check_target;
pub use targets::{LabelResults, NumberResults};

pub use ends::EndsFigures;
pub use links::{KnownEdges, LinkActParams, Penalties, PenaltyPath, TestPairs, links};
pub use nodes::{Confusion, NodeActParams};

pub(crate) use links::check_hits;
pub(crate) use nodes::NodeDesign;

/// Penalties to try: every combination of ridge, λ₁ and λ₂, in this order. Each fit starts from the previous
/// one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Grid {
    /// LASSO penalties λ₁.
    pub lambda1: Vec<f64>,
    /// Group penalties λ₂; from large to small is fastest.
    pub lambda2: Vec<f64>,
    /// Ridge penalties `½ ridge ‖w‖²`, divided by the number of training rows before use (default: only 0).
    pub ridge: Vec<f64>,
    /// Target KKT residual, as a share of λ₁ + λ₂ (default 0.1).
    pub tolerance: f64,
    /// Maximum number of Newton steps per penalty (default 50).
    pub max_iterations: usize,
}

impl Grid {
    /// These penalties, with the default tolerance.
    pub fn new(lambda1: Vec<f64>, lambda2: Vec<f64>) -> Self {
        let SglParams { tolerance, max_iterations, .. } = SglParams::new(0.0, 0.0);
        Grid { lambda1, lambda2, ridge: vec![0.0], tolerance, max_iterations }
    }

    /// Sets the ridge penalties.
    #[must_use]
    pub fn ridge(mut self, ridge: Vec<f64>) -> Self {
        self.ridge = ridge;
        self
    }

    fn validate(&self) -> Result<()> {
        for (name, values) in [("lambda1", &self.lambda1), ("lambda2", &self.lambda2), ("ridge", &self.ridge)]
        {
            if values.is_empty() || values.iter().any(|v| !(v.is_finite() && *v >= 0.0)) {
                return Err(Error::param(name, format!("{values:?}"), "one or more numbers of at least 0"));
            }
        }
        if self.tolerance.is_nan() || self.tolerance <= 0.0 {
            return Err(Error::param("tolerance", self.tolerance, "a number above 0"));
        }
        Ok(())
    }

    fn len(&self) -> usize {
        self.ridge.len() * self.lambda1.len() * self.lambda2.len()
    }

    /// The penalties for a fit on this many rows.
    fn penalties(&self, rows: usize) -> impl Iterator<Item = SglParams> {
        self.ridge.iter().flat_map(move |&ridge| {
            self.lambda1.iter().flat_map(move |&lambda1| {
                self.lambda2.iter().map(move |&lambda2| SglParams {
                    lambda1,
                    lambda2,
                    ridge: ridge / rows as f64,
                    tolerance: self.tolerance,
                    max_iterations: self.max_iterations,
                })
            })
        })
    }
}

/// The penalty chosen on validation data, and the convergence of its fit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Chosen {
    /// λ₁.
    pub lambda1: f64,
    /// λ₂.
    pub lambda2: f64,
    /// The ridge penalty, already divided by the number of training rows.
    pub ridge: f64,
    /// Convergence of the fit.
    #[serde(flatten)]
    pub info: SglInfo,
}

impl Chosen {
    fn new(penalty: &SglParams, info: SglInfo) -> Self {
        Chosen { lambda1: penalty.lambda1, lambda2: penalty.lambda2, ridge: penalty.ridge, info }
    }
}

/// A penalty and its result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PathStep {
    /// λ₁.
    pub lambda1: f64,
    /// λ₂.
    pub lambda2: f64,
    /// The ridge penalty, already divided by the number of training rows.
    pub ridge: f64,
    /// The validation figure by which penalties are chosen.
    pub figure: f64,
    /// Number of components with weights.
    pub components: usize,
}

/// Results of Act on one split.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ActReport {
    /// Metrics on the validation data.
    pub valid: OrderedMap<f64>,
    /// Metrics on the test data.
    pub test: OrderedMap<f64>,
    /// The same for a model without information. Nodes: one that predicts the most frequent training class for
    /// all nodes. Links: AUC and average precision of a random ranking.
    #[serde(default, skip_serializing_if = "OrderedMap::is_empty")]
    pub no_information: OrderedMap<f64>,
    /// Bits that the calibrated model gains per test sample over the label frequencies.
    pub information: Estimate,
    /// What a model without information reaches on the test data: AUC 0.5, or the accuracy of the most
    /// frequent training class.
    pub baseline: Option<f64>,
    /// Links with uniform negatives: AUC on the test edges against degree-matched negatives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beyond_degree_auc: Option<Estimate>,
    /// Links split by time: the test pairs by whether both ends have a training edge.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_ends: Option<[EndsFigures; 2]>,
    /// Every penalty that was tried, with its result on the data used for the choice.
    pub path: Vec<PathStep>,
    /// Norm of each component's weights; exactly 0 if the component is not used.
    pub weights: OrderedMap<f64>,
    /// Number of nonzero weights per component.
    pub nonzero: OrderedMap<usize>,
    /// The chosen penalty and the convergence of its fit.
    pub chosen: Chosen,
    /// Nodes: the share of the softmax regression in its mean with the mixture of ridge regressions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub softmax_share: Option<f64>,
    /// Nodes: the factor of the weights where the shares of the classes alone could predict as well.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shrinkage: Option<f64>,
    /// Links, first split: ROC and precision-recall curves of the test pairs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub curves: Option<Curves>,
    /// Nodes: results on a numeric target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numbers: Option<NumberResults>,
    /// Nodes: results on label sets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub labels: Option<LabelResults>,
    /// Nodes: results per class on the test nodes.
    #[serde(flatten)]
    pub confusion: Option<Confusion>,
}

/// How the scores of a model of nodes become predictions, by the kind of the target.
#[derive(Clone, Debug)]
pub(crate) enum FittedTarget {
    Classes(NodeCalibration),
    Numbers(NumberCalibration),
    Labels(LabelCalibration),
}

impl ActReport {
    fn new<'a>(
        valid: OrderedMap<f64>,
        test: OrderedMap<f64>,
        weights: &Weights,
        groups: impl Iterator<Item = (&'static str, &'a Range<usize>)> + Clone,
        chosen: Chosen,
    ) -> Self {
        ActReport {
            valid,
            test,
            no_information: OrderedMap::default(),
            information: Estimate { value: 0.0, interval: [0.0; 2] },
            baseline: None,
            beyond_degree_auc: None,
            by_ends: None,
            path: Vec::new(),
            weights: groups.clone().map(|(name, group)| (name.into(), weights.norm(group))).collect(),
            nonzero: groups.map(|(name, group)| (name.into(), weights.nonzero(group))).collect(),
            chosen,
            softmax_share: None,
            shrinkage: None,
            curves: None,
            numbers: None,
            labels: None,
            confusion: None,
        }
    }
}

/// Consecutive ranges of these widths.
fn groups_of(widths: impl Iterator<Item = usize>) -> Vec<Range<usize>> {
    widths
        .scan(0, |start, width| {
            let range = *start..*start + width;
            *start = range.end;
            Some(range)
        })
        .collect()
}
