//! Act on nodes: a softmax regression over the normalised embeddings, chosen by validation accuracy.

use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::{ActReport, Chosen, Grid, groups_of};
use crate::component::{Component, Normalization};
use crate::error::Result;
use crate::exec::Exec;
use crate::graph::NodeId;
use crate::kernel::{self, simd};
use crate::linalg::sgl::{Design, Solver, Target, Weights};
use crate::matrix::Matrix;
use crate::metric;
use crate::report::OrderedMap;
use crate::split::NodeSplit;

/// Parameters of Act on nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NodeActParams {
    /// Penalties to try.
    pub grid: Grid,
    /// How embeddings are normalised (default rows).
    pub normalization: Normalization,
}

impl Default for NodeActParams {
    fn default() -> Self {
        NodeActParams {
            grid: Grid::new(vec![1e-4, 1e-5], vec![1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 1e-5]),
            normalization: Normalization::Rows,
        }
    }
}

impl NodeActParams {
    pub(crate) fn validate(&self) -> Result<()> {
        self.grid.validate()
    }
}

/// How the classes were told apart on the test nodes.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Confusion {
    /// The graph's own numbers of the classes.
    pub classes: Vec<i32>,
    /// Share of each class's nodes that were found; null for a class without test nodes.
    pub recall: Vec<Option<f64>>,
    /// Nodes by true class (row) and predicted class (column).
    pub confusion: Vec<Vec<u64>>,
}

/// What Act found about the nodes of one split.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NodeResult {
    /// Metrics, weights and the chosen penalty.
    pub report: ActReport,
    /// The fitted model.
    pub model: NodeModel,
}

/// Weights of every class over the normalised embeddings of components.
#[derive(Clone, Debug)]
pub struct NodeModel {
    /// For each class its weights and its intercept.
    outputs: Vec<(Vec<f32>, f64)>,
}

impl NodeModel {
    fn new(weights: &Weights) -> Self {
        let output = |w: &Vec<f64>| {
            let (intercept, weights) = w.split_last().expect("the intercept is always there");
            (weights.iter().map(|&w| w as f32).collect(), *intercept)
        };
        NodeModel { outputs: weights.outputs.iter().map(output).collect() }
    }

    /// The most probable class of every node; of equally probable ones the first.
    fn classes(&self, design: &NodeDesign<'_>, exec: &Exec) -> Vec<u32> {
        let width = design.cols();
        let mut classes = vec![0u32; design.rows()];
        exec.fill_rows(&mut classes, 1, 256, |first, classes| {
            let mut block = vec![0.0; classes.len() * width];
            design.fill(first..first + classes.len(), &mut block);
            simd(
                #[inline(always)]
                || {
                    for (class, row) in classes.iter_mut().zip(block.chunks_exact(width)) {
                        let mut best = f64::NEG_INFINITY;
                        for (output, (weights, intercept)) in self.outputs.iter().enumerate() {
                            let score = f64::from(kernel::dot(row, weights)) + intercept;
                            if score > best {
                                best = score;
                                *class = output as u32;
                            }
                        }
                    }
                },
            );
        });
        classes
    }
}

/// Fits a node classifier on the training nodes, chooses its penalty on validation nodes, and measures it on test nodes.
pub fn nodes(
    components: &[Component],
    split: &NodeSplit,
    params: &NodeActParams,
    exec: &Exec,
) -> Result<NodeResult> {
    params.validate()?;
    let embeddings: Vec<Matrix> =
        components.iter().map(|c| c.normalized(params.normalization, exec)).collect();
    let groups = groups_of(embeddings.iter().map(Matrix::cols));
    let of = |nodes| NodeDesign { embeddings: &embeddings, nodes };
    let labels = split.labels_of(&split.sets.train);
    let valid_labels = split.labels_of(&split.sets.valid);
    let classes = split.classes.len();
    let training = of(&split.sets.train);
    let (chosen, weights) = exec.stage("act", params.grid.len(), || {
        let target = Target::Classes { labels: &labels, classes };
        let mut solver = Solver::new(&training, target, groups.clone(), exec);
        let mut best: Option<(f64, Chosen, Weights)> = None;
        for penalty in params.grid.penalties(labels.len()) {
            let info = solver.fit(&penalty)?;
            let found = NodeModel::new(solver.weights()).classes(&of(&split.sets.valid), exec);
            let accuracy = metric::accuracy(&found, &valid_labels);
            if best.as_ref().is_none_or(|(so_far, ..)| accuracy > *so_far) {
                best = Some((accuracy, Chosen::new(&penalty, info), solver.weights().clone()));
            }
            exec.step()?;
        }
        let (_, chosen, weights) = best.expect("the grid is not empty");
        Ok((chosen, weights))
    })?;
    let model = NodeModel::new(&weights);
    let test_labels = split.labels_of(&split.sets.test);
    let found = model.classes(&of(&split.sets.test), exec);
    let metrics = |found: &[u32], labels: &[u32]| -> OrderedMap<f64> {
        [
            ("accuracy".to_string(), metric::accuracy(found, labels)),
            ("macro_f1".to_string(), metric::macro_f1(found, labels, classes)),
        ]
        .into_iter()
        .collect()
    };
    let on_valid = metrics(&model.classes(&of(&split.sets.valid), exec), &valid_labels);
    let names = components.iter().map(|component| component.kind.name());
    let mut report =
        ActReport::new(on_valid, metrics(&found, &test_labels), &weights, names.zip(&groups), chosen);
    let confusion = metric::confusion(&found, &test_labels, classes);
    report.confusion = Some(Confusion {
        classes: split.classes.clone(),
        recall: confusion
            .iter()
            .enumerate()
            .map(|(class, row)| {
                let all: u64 = row.iter().sum();
                (all > 0).then(|| row[class] as f64 / all as f64)
            })
            .collect(),
        confusion,
    });
    Ok(NodeResult { report, model })
}

/// Features of nodes: their rows in all embeddings, one after the other.
struct NodeDesign<'a> {
    embeddings: &'a [Matrix],
    nodes: &'a [NodeId],
}

impl Design for NodeDesign<'_> {
    fn rows(&self) -> usize {
        self.nodes.len()
    }

    fn cols(&self) -> usize {
        self.embeddings.iter().map(Matrix::cols).sum()
    }

    fn fill(&self, rows: Range<usize>, out: &mut [f32]) {
        let width = self.cols();
        for (&node, mut out) in self.nodes[rows].iter().zip(out.chunks_exact_mut(width)) {
            for embedding in self.embeddings {
                let (own, rest) = out.split_at_mut(embedding.cols());
                own.copy_from_slice(embedding.row(node as usize));
                out = rest;
            }
        }
    }
}
