//! Predictions of classes, numbers and label sets by a saved model.

use super::{FittedTask, Model, ModelKind, NodeFit};
use crate::act::{FittedTarget, LabelCalibration, NumberCalibration, NumberPrediction};
use crate::error::{Error, Result};
use crate::exec::Exec;
use crate::graph::{Graph, TargetKind};

/// Classes of all nodes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NodePredictions {
    /// The nodes, with their names.
    pub graph: Graph,
    /// The numbers of the classes in the graph.
    pub classes: Vec<i32>,
    /// The names of the classes.
    pub names: Vec<String>,
    /// Log-odds of every class, node after node: those of Act.
    pub scores: Vec<f64>,
    /// Probabilities of every class, node after node.
    pub probabilities: Vec<f64>,
}

impl NodePredictions {
    /// The index of the most probable class of a node.
    pub fn class(&self, node: usize) -> usize {
        most_probable(&self.probabilities[node * self.classes.len()..][..self.classes.len()])
    }
}

/// The index of the largest value; ties go to the first.
pub fn most_probable(row: &[f64]) -> usize {
    (1..row.len()).fold(0, |best, class| if row[class] > row[best] { class } else { best })
}

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
    /// From scores to predictions of a numeric target; `None` for other models.
    pub fn number_calibration(&self) -> Option<&NumberCalibration> {
        match &self.fit {
            FittedTask::Nodes(NodeFit { fitted: FittedTarget::Numbers(calibration), .. }) => {
                Some(calibration)
            }
            _ => None,
        }
    }

    /// From log-odds to probabilities of labels; `None` for other models.
    pub fn label_calibration(&self) -> Option<&LabelCalibration> {
        match &self.fit {
            FittedTask::Nodes(NodeFit { fitted: FittedTarget::Labels(calibration), .. }) => Some(calibration),
            _ => None,
        }
    }

    /// The kind of the target of a model of nodes; `None` for other models.
    pub fn target_kind(&self) -> Option<TargetKind> {
        match &self.fit {
            FittedTask::Nodes(fit) => Some(match fit.fitted {
                FittedTarget::Classes(_) => TargetKind::Classes,
                FittedTarget::Numbers(_) => TargetKind::Numbers,
                FittedTarget::Labels(_) => TargetKind::Labels,
            }),
            FittedTask::Links(_) | FittedTask::Embedding(_) => None,
        }
    }

    pub(super) fn other_target(&self, asked: TargetKind) -> Error {
        let own = self.target_kind().map_or("none", TargetKind::name);
        Error::Unsuitable { stage: "model", why: format!("its target is {own}, not {}", asked.name()) }
    }

    /// Predicted numbers for every node of the model's own graph, or of a newer one (see [`Model::links`]).
    pub fn numbers(&self, newer: Option<&Graph>, exec: &Exec) -> Result<NumberPredictions> {
        let FittedTask::Nodes(fit) = &self.fit else { return Err(self.other_task(ModelKind::Nodes)) };
        let FittedTarget::Numbers(calibration) = &fit.fitted else {
            return Err(self.other_target(TargetKind::Numbers));
        };
        let scores = self.node_scores(fit, newer, exec)?;
        let values = scores.iter().map(|&score| calibration.predict(score)).collect();
        Ok(NumberPredictions { graph: newer.unwrap_or(&self.graph).names_of_nodes(), scores, values })
    }

    /// Probabilities of labels for every node of the model's own graph, or of a newer one (see [`Model::links`]).
    pub fn label_sets(&self, newer: Option<&Graph>, exec: &Exec) -> Result<LabelPredictions> {
        let FittedTask::Nodes(fit) = &self.fit else { return Err(self.other_task(ModelKind::Nodes)) };
        let FittedTarget::Labels(calibration) = &fit.fitted else {
            return Err(self.other_target(TargetKind::Labels));
        };
        let scores = self.node_scores(fit, newer, exec)?;
        Ok(LabelPredictions {
            graph: newer.unwrap_or(&self.graph).names_of_nodes(),
            names: calibration.names.clone(),
            probabilities: calibration.probabilities(&scores),
            threshold: calibration.threshold,
            scores,
        })
    }
}
