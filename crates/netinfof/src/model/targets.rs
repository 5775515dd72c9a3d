//! Predictions of numbers and of label sets by a saved model.

use super::{FittedTask, Model, ModelKind};
use crate::act::{FittedTarget, NumberPrediction};
use crate::error::Result;
use crate::exec::Exec;
use crate::graph::{Graph, TargetKind};

/// Predicted numbers of all nodes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NumberPredictions {
    /// The nodes, with their names.
    pub graph: Graph,
    /// Predictions on the scale of the model: those of Act.
    pub scores: Vec<f64>,
    /// Predictions on the original scale, with 95 % intervals.
    pub values: Vec<NumberPrediction>,
}

/// Predicted labels of all nodes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LabelPredictions {
    /// The nodes, with their names.
    pub graph: Graph,
    /// Names of the labels.
    pub names: Vec<String>,
    /// Log-odds of every label, node after node: those of Act.
    pub scores: Vec<f64>,
    /// Probabilities of every label, node after node.
    pub probabilities: Vec<f64>,
    /// Labels with at least this probability are predicted.
    pub threshold: f64,
}

impl Model {
    /// Predicted numbers for every node of the model's own graph, or of a newer one (see [`Model::links`]).
    pub fn numbers(&self, newer: Option<&Graph>, exec: &Exec) -> Result<NumberPredictions> {
        let FittedTask::Nodes(fit) = &self.fit else { return Err(self.other_task(ModelKind::Nodes)) };
        let FittedTarget::Numbers(calibration) = &fit.fitted else {
            return Err(self.other_target(TargetKind::Numbers));
        };
        let scores = self.node_scores(fit, newer, exec)?;
        let values = scores.iter().map(|&score| calibration.predict(score)).collect();
        Ok(NumberPredictions { graph: newer.unwrap_or(&self.graph).bare(), scores, values })
    }

    /// Probabilities of labels for every node of the model's own graph, or of a newer one (see [`Model::links`]).
    pub fn label_sets(&self, newer: Option<&Graph>, exec: &Exec) -> Result<LabelPredictions> {
        let FittedTask::Nodes(fit) = &self.fit else { return Err(self.other_task(ModelKind::Nodes)) };
        let FittedTarget::Labels(calibration) = &fit.fitted else {
            return Err(self.other_target(TargetKind::Labels));
        };
        let scores = self.node_scores(fit, newer, exec)?;
        Ok(LabelPredictions {
            graph: newer.unwrap_or(&self.graph).bare(),
            names: calibration.names.clone(),
            probabilities: calibration.probabilities(&scores),
            threshold: calibration.threshold,
            scores,
        })
    }
}
