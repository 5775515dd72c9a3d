//! Node classification: the samples are nodes, the target is their class.

use super::{CommonParams, MeasuredInformation, Run, Task, control, part_of};
use crate::act::{self, ActReport, NodeResult};
use crate::component::{self, Component, Normalization};
use crate::csr::{Csr, NodeId};
use crate::error::Result;
use crate::findings::ComponentReport;
use crate::information::{ComponentBlocks, Information, Part};
use crate::matrix::Matrix;
use crate::model::{Model, NodeWork};
use crate::params::{NodeParams, RunParams};
use crate::probe::{self, Probed};
use crate::seed::Seed;
use crate::spec::{ComponentKind, Subject, TaskKind};
use crate::split::{self, NodeSets, NodeSplit};
use crate::verdict;

/// Node classification.
pub(crate) struct Nodes;

/// Test nodes and their scores.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TestedNodes {
    /// The nodes.
    pub nodes: Vec<NodeId>,
    /// Their true classes, as indices of the model's classes.
    pub labels: Vec<u32>,
    /// Log-odds of every class, node after node.
    pub scores: Vec<f64>,
}

/// The components, and the nodes for their evaluation.
pub(crate) struct Work<'a> {
    split: &'a NodeSplit,
    components: Vec<Component>,
}

impl Task for Nodes {
    type Given = NodeSets;
    type Params = NodeParams;
    type Split = NodeSplit;
    type Work<'a> = Work<'a>;
    type Fit = NodeResult;
    type Tested = TestedNodes;

    const KIND: TaskKind = TaskKind::Nodes;
    const LEARNING_STAGE: Option<&'static str> = None;

    fn validate(params: &NodeParams) -> Result<()> {
        params.validate()
    }

    fn common(params: &NodeParams) -> CommonParams<'_> {
        let &NodeParams { splits, seed, ref component, smallest_gain, .. } = params;
        CommonParams { splits, seed, component, smallest_gain }
    }

    fn run_params(params: &NodeParams) -> RunParams {
        RunParams::Nodes(params.clone())
    }

    fn split(run: &Run<'_, Self>, seed: Seed) -> Result<NodeSplit> {
        let &Run { graph, given, params, exec, .. } = run;
        match given {
            None => split::nodes(graph, &params.split, seed, exec),
            Some(sets) => split::nodes_given(graph, sets, &params.split, exec),
        }
    }

    fn adjacency<'a>(run: &Run<'a, Self>, _: &'a NodeSplit) -> &'a Csr {
        run.graph.adjacency()
    }

    fn learn<'a>(
        _: &'a Run<'a, Self>,
        split: &'a NodeSplit,
        components: Vec<Component>,
        _: bool,
        _: Seed,
    ) -> Result<Work<'a>> {
        Ok(Work { split, components })
    }

    fn probe(run: &Run<'_, Self>, work: &Work<'_>, seed: Seed) -> Result<Probed> {
        probe::nodes(&work.components, work.split, &run.params.probe, seed, run.exec)
    }

    /// Predictive information of the components about the classes, alone, in groups and against controls.
    /// Only labels of training and validation nodes are used.
    fn information(
        run: &Run<'_, Self>,
        work: &Work<'_>,
        _: &Probed,
        seed: Seed,
    ) -> Result<MeasuredInformation> {
        let &Run { graph, exec, .. } = run;
        let Work { split, components } = work;
        let known = [&split.sets.train[..], &split.sets.valid].concat();
        let featureless = graph.features().cols() == 0;
        let gathered = |z: &Matrix| crate::kernel::gather_rows(z, &known, exec);
        let normalized = |component: &Component| {
            component.norm(Normalization::ByKind, exec).apply(gathered(&component.embedding), exec)
        };
        let mut blocks = ComponentBlocks::default();
        for component in components {
            let part = part_of(Subject::Component(component.kind), featureless);
            blocks.add(part, component.kind.name(), normalized(component));
        }
        // The control of structure includes roles even if Act does not use them.
        let has_roles = components.iter().any(|component| component.kind == ComponentKind::C);
        if !has_roles && components.iter().any(|component| component.kind.is_structural()) {
            blocks.add(Part::Structure, "roles", gathered(&component::roles(graph.adjacency(), exec)));
        }
        let features = components.iter().find(|own| own.kind == ComponentKind::F && !featureless);
        if let Some(features) = features {
            blocks.add(Part::Nonlinear, "F by distance", normalized(features));
        }
        let units: Vec<u64> = known.iter().map(|&node| u64::from(node)).collect();
        let labels = split.labels_of(&known);
        let measure =
            |blocks: &ComponentBlocks| blocks.measure(&labels, split.classes.len(), &units, seed, exec);
        let own = &run.params.component;
        if featureless {
            return Ok(MeasuredInformation { information: measure(&blocks)?, beyond_degree: None });
        }
        let edges = graph.adjacency();
        for component in control::rewired(edges, graph, own, seed, exec)? {
            blocks.add(Part::Rewired, format!("{} rewired", component.kind.name()), normalized(&component));
        }
        let with_control = |number: u64| -> Result<Information> {
            let mut blocks = blocks.clone();
            for component in control::shuffled(edges, graph, own, seed, number, exec)? {
                let name = format!("{} shuffled", component.kind.name());
                blocks.add(Part::Control, name, normalized(&component));
            }
            measure(&blocks)
        };
        let mut information = with_control(0)?;
        // Features without a signal of their own are compared with several draws of the control, because some
        // random features sketch the structure better than others.
        for number in 1..CONTROL_DRAWS {
            if !verdict::depends_on_control(&information) {
                break;
            }
            information = information.with_better_control(with_control(number)?);
        }
        Ok(MeasuredInformation { information, beyond_degree: None })
    }

    fn act(run: &Run<'_, Self>, work: &Work<'_>, probed: &Probed, seed: Seed) -> Result<NodeResult> {
        act::nodes(&work.components, &probed.scores, work.split, &run.params.act, seed, run.exec)
    }

    fn act_report(fit: NodeResult) -> ActReport {
        fit.report
    }

    fn keep(
        run: &Run<'_, Self>,
        work: &Work<'_>,
        fit: &NodeResult,
        seed: Seed,
    ) -> Result<(Model, TestedNodes)> {
        let Work { split, components } = work;
        let kept = NodeWork { split, components, result: fit };
        let model = Model::of_nodes(run.graph, &kept, run.params, seed.0, run.exec);
        let nodes = split.sets.test.clone();
        let labels = split.labels_of(&nodes);
        Ok((model, TestedNodes { nodes, labels, scores: fit.test.clone() }))
    }

    fn component_reports(work: &Work<'_>, probed: &Probed) -> Vec<(String, ComponentReport)> {
        let found = work.components.iter().zip(&probed.scores).map(|(component, info)| {
            let report = ComponentReport::new(info, component.embedding.cols(), None);
            (component.kind.name().into(), report)
        });
        found.collect()
    }

    fn degree_auc(_: &Work<'_>) -> Option<f64> {
        None
    }

    fn repeats(split: &NodeSplit, twins: &[NodeId]) -> usize {
        split.repeats(twins)
    }
}

/// Number of draws of a control that decides.
const CONTROL_DRAWS: u64 = 5;
