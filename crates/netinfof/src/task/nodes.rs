//! Prediction of nodes: the samples are nodes, the target is their class, a number or a set of labels.

use super::interactions::{self, Factor};
use super::{CommonParams, MeasuredInformation, Run, Task, control, part_of};
use crate::act::{self, ActReport, NodeResult};
use crate::component::{
    self, Component, ComponentBuilder, ComponentParams, NodePlacement, Norm, Normalization, Preparations,
};
use crate::csr::{Csr, NodeId};
use crate::error::{Error, Result};
use crate::exec::Exec;
use crate::findings::ComponentReport;
use crate::information::{ComponentBlocks, Information, Part, SampleTarget, group};
use crate::kernel;
use crate::matrix::Matrix;
use crate::model::{Model, NodeWork};
use crate::params::{NodeParams, RunParams};
use crate::plan::{self, Plan};
use crate::probe::{self, Probed};
use crate::seed::Seed;
use crate::spec::{ComponentKind, Group, Subject, TaskKind};
use crate::split::{self, NodeSets, NodeSplit, SplitTarget};
use crate::verdict;
use crate::work_folder::ArrayDigest;

/// Classification and regression of nodes.
pub(crate) struct Nodes;

/// Test nodes and their scores.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TestedNodes {
    /// The nodes.
    pub nodes: Vec<NodeId>,
    /// Their true classes, as indices of the model's classes; empty for other targets.
    pub labels: Vec<u32>,
    /// Their true numbers; empty for other targets.
    pub numbers: Vec<f64>,
    /// Their true labels as 0 and 1, node after node; empty for other targets.
    pub label_rows: Vec<u8>,
    /// Scores of every output, node after node: log-odds of classes or labels, or numbers on the scale of the model.
    pub scores: Vec<f64>,
}

/// The components, and the nodes for their evaluation.
pub(crate) struct Work<'a> {
    split: &'a NodeSplit,
    /// Where embeddings are large, the nodes whose rows are kept, and the split in terms of these rows.
    compact: Option<(Vec<NodeId>, NodeSplit)>,
    components: Vec<Component>,
    /// How components place the nodes of other graphs, if the model is kept.
    placements: Vec<NodePlacement>,
    keep: bool,
    /// Whether the graph is directed: nodes are described in both roles.
    both_roles: bool,
}

impl Work<'_> {
    /// The split, in terms of the rows of the components.
    fn rows(&self) -> &NodeSplit {
        self.compact.as_ref().map_or(self.split, |(_, split)| split)
    }

    /// What is kept of a component: its rows, and how it places other nodes if the model is kept.
    fn kept(
        &self,
        run: &Run<'_, Nodes>,
        component: Component,
        placements: &mut Vec<NodePlacement>,
    ) -> Component {
        let &Run { params, exec, .. } = run;
        if self.keep {
            let mut placement = NodePlacement::of(&component, Norm::none());
            let described = self.described(component, exec);
            placement.norm = described.norm(params.act.normalization, exec);
            placement.both_roles = self.both_roles;
            placements.push(placement);
            return described.embedding_only(self.kept_nodes(), exec);
        }
        self.described(component, exec).embedding_only(self.kept_nodes(), exec)
    }

    /// The component with one row per node: in a directed graph for both roles.
    fn described(&self, component: Component, exec: &Exec) -> Component {
        if self.both_roles { component.of_both_roles(exec) } else { component }
    }

    /// Rows of all nodes of the graph as rows of nodes.
    fn described_rows(&self, rows: Matrix, exec: &Exec) -> Matrix {
        if self.both_roles { component::both_roles(&rows, exec) } else { rows }
    }

    /// The nodes of these rows, if they are not all.
    fn kept_nodes(&self) -> Option<&[NodeId]> {
        self.compact.as_ref().map(|(nodes, _)| &nodes[..])
    }
}

/// Products of components on some of the labelled nodes.
struct Products {
    blocks: ComponentBlocks,
    /// These nodes, as rows of the components.
    samples: Vec<NodeId>,
}

impl Products {
    /// Maximum number of nodes: products have hundreds of columns.
    const MOST_SAMPLES: usize = 6000;

    /// Products of the features with those of the neighbours, of the nodes at two steps and with the place in the graph.
    fn of(run: &Run<'_, Nodes>, work: &Work<'_>, known: &[NodeId], seed: Seed) -> Result<Option<Self>> {
        let &Run { graph, params, exec, .. } = run;
        let find = |kind: ComponentKind| work.components.iter().find(|own| own.kind == kind);
        let Some(features) = find(ComponentKind::F).filter(|_| graph.features().cols() > 0) else {
            return Ok(None);
        };
        let taken = known.len().min(Self::MOST_SAMPLES);
        let samples: Vec<NodeId> = (0..taken).map(|at| known[at * known.len() / taken]).collect();
        let factor =
            |name, embedding: &Matrix| Factor { name, rows: kernel::gather_rows(embedding, &samples, exec) };
        let propagated = work.components.iter().any(|own| own.kind.spec().group == Group::Propagation);
        let mut neighbours = Vec::new();
        if propagated {
            let own = ComponentParams { kinds: vec![ComponentKind::P1], ..params.component.clone() };
            let edges = graph.adjacency();
            let preparations = Preparations::learn(edges, graph.features(), &own, exec)?;
            let builder = ComponentBuilder::new(edges, graph.features(), &preparations, &own, seed);
            builder.each_batch(exec, |built| {
                for component in built {
                    let component = work.described(component, exec).embedding_only(work.kept_nodes(), exec);
                    neighbours.push(factor(component.kind.name(), &component.embedding));
                }
                Ok(())
            })?;
        }
        let places = [ComponentKind::P, ComponentKind::U, ComponentKind::C];
        let places: Vec<Factor> = places
            .into_iter()
            .filter_map(|kind| find(kind).map(|own| factor(kind.name(), &own.embedding)))
            .collect();
        let blocks =
            interactions::blocks(&factor(features.kind.name(), &features.embedding), &neighbours, &places);
        Ok(Some(Products { blocks, samples }))
    }
}

/// The fit of Act, and how all of its components place other nodes if the model is kept.
pub(crate) struct NodeFit {
    result: NodeResult,
    placements: Vec<NodePlacement>,
}

impl Task for Nodes {
    type Given = NodeSets;
    type Params = NodeParams;
    type Split = NodeSplit;
    type Work<'a> = Work<'a>;
    /// Components and how they place other nodes.
    type Learned = (Vec<Component>, Vec<NodePlacement>);
    type Fit = NodeFit;
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

    fn add_given(given: &NodeSets, digest: &mut ArrayDigest) {
        for (name, nodes) in [("train", &given.train), ("valid", &given.valid), ("test", &given.test)] {
            digest.add(name, nodes);
        }
    }

    fn plan(run: &Run<'_, Self>) -> Plan {
        plan::nodes(run.graph, run.goal, run.params, run.exec)
    }

    fn split(run: &Run<'_, Self>, seed: Seed) -> Result<NodeSplit> {
        let &Run { graph, given, params, exec, .. } = run;
        act::check_target(&params.act, graph.target_kind())?;
        graph.check_no_context("targets of nodes")?;
        match given {
            None => split::nodes(graph, &params.split, seed, exec),
            Some(sets) => split::nodes_given(graph, sets, &params.split, exec),
        }
    }

    fn adjacency<'a>(run: &Run<'a, Self>, _: &'a NodeSplit) -> &'a Csr {
        run.graph.adjacency()
    }

    fn begin<'a>(run: &'a Run<'a, Self>, split: &'a NodeSplit, keep: bool, _: Seed) -> Result<Work<'a>> {
        let large = run.params.component.is_large(run.graph.nodes());
        let compact = large.then(|| split.compact());
        let both_roles = run.graph.is_directed();
        Ok(Work { split, compact, components: Vec::new(), placements: Vec::new(), keep, both_roles })
    }

    fn learn(run: &Run<'_, Self>, work: &Work<'_>, components: Vec<Component>) -> Result<Self::Learned> {
        let mut placements = Vec::new();
        let kept = components.into_iter().map(|component| work.kept(run, component, &mut placements));
        Ok((kept.collect(), placements))
    }

    fn add(work: &mut Work<'_>, (components, placements): Self::Learned) {
        work.components.extend(components);
        work.placements.extend(placements);
    }

    fn finish_learning(_: &Run<'_, Self>, _: &mut Work<'_>) -> Result<()> {
        Ok(())
    }

    fn probe(run: &Run<'_, Self>, work: &Work<'_>, seed: Seed) -> Result<Probed> {
        probe::nodes(&work.components, work.rows(), &run.params.probe, seed, run.exec)
    }

    /// Predictive information of the components about the target, alone, in groups and against controls.
    /// Only labels of training and validation nodes are used.
    fn information(
        run: &Run<'_, Self>,
        work: &Work<'_>,
        _: &Probed,
        seed: Seed,
    ) -> Result<MeasuredInformation> {
        let &Run { graph, exec, .. } = run;
        let Work { components, .. } = work;
        let (split, kept) = (work.rows(), work.kept_nodes());
        let known = [&split.sets.train[..], &split.sets.valid].concat();
        let featureless = graph.features().cols() == 0;
        let gathered = |z: &Matrix| kernel::gather_rows(z, &known, exec);
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
            let roles = work.described_rows(component::roles(graph.adjacency(), exec), exec);
            let roles = kept.map_or_else(|| roles.clone(), |nodes| kernel::gather_rows(&roles, nodes, exec));
            blocks.add(Part::Structure, "roles", gathered(&roles));
        }
        let features = components.iter().find(|own| own.kind == ComponentKind::F && !featureless);
        if let Some(features) = features {
            blocks.add(Part::Nonlinear, "F by distance", normalized(features));
        }
        let node_of = |row: NodeId| kept.map_or(row, |nodes| nodes[row as usize]);
        let units: Vec<u64> = known.iter().map(|&row| u64::from(node_of(row))).collect();
        let values = TargetValues::of(split, &known);
        let measure = |blocks: &ComponentBlocks| blocks.measure(&values.target(split), &units, seed, exec);
        let own = &run.params.component;
        if featureless {
            return Ok(MeasuredInformation { information: measure(&blocks)?, beyond_degree: None });
        }
        let edges = graph.adjacency();
        // The rows of a control on the known nodes.
        let gather = |suffix: &str, built: Vec<Component>, out: &mut Vec<(String, Matrix)>| {
            out.extend(built.into_iter().map(|component| {
                let name = format!("{} {suffix}", component.kind.name());
                let component = work.described(component, exec);
                (name, normalized(&component.embedding_only(kept, exec)))
            }));
            Ok(())
        };
        let rewired = exec.kept(control::stage_name("rewired", seed), || {
            let mut found = Vec::new();
            control::rewired(edges, graph, own, seed, exec, |built| gather("rewired", built, &mut found))?;
            Ok::<_, Error>(found)
        })?;
        for (name, rows) in rewired {
            blocks.add(Part::Rewired, name, rows);
        }
        let with_control = |number: u64| -> Result<Information> {
            let mut blocks = blocks.clone();
            let name = format!("shuffled {number}");
            let shuffled = exec.kept(control::stage_name(&name, seed), || {
                let mut found = Vec::new();
                control::shuffled(edges, graph, own, seed, number, exec, |built| {
                    gather("shuffled", built, &mut found)
                })?;
                Ok::<_, Error>(found)
            })?;
            for (name, rows) in shuffled {
                blocks.add(Part::Control, name, rows);
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
        if !verdict::has_signal(&information) {
            // `nothing` also excludes relations between components of which none predicts anything alone.
            if let Some(Products { blocks, samples }) = Products::of(run, work, &known, seed)? {
                let values = TargetValues::of(split, &samples);
                let units: Vec<u64> = samples.iter().map(|&row| u64::from(node_of(row))).collect();
                let found = blocks.measure(&values.target(split), &units, seed, exec)?;
                information = information.with_group_of(&found, group::INTERACTIONS);
            }
        }
        Ok(MeasuredInformation { information, beyond_degree: None })
    }

    fn act(run: &Run<'_, Self>, work: &Work<'_>, probed: &Probed, seed: Seed) -> Result<NodeFit> {
        let &Run { graph, params, exec, .. } = run;
        let (mut also, mut placements) = (Vec::new(), work.placements.clone());
        if params.act.mixture && !params.act.also.is_empty() {
            let own = ComponentParams { kinds: params.act.also.clone(), ..params.component.clone() };
            let edges = graph.adjacency();
            let (built, placed) = exec.kept(
                || format!("{} more components", seed.0),
                || {
                    let (mut built, mut placed) = (Vec::new(), Vec::new());
                    let preparations = Preparations::learn(edges, graph.features(), &own, exec)?;
                    let builder = ComponentBuilder::new(edges, graph, &preparations, &own, seed);
                    builder.each_batch(exec, |components| {
                        for component in components {
                            built.push(work.kept(run, component, &mut placed));
                        }
                        Ok(())
                    })?;
                    Ok::<_, Error>((built, placed))
                },
            )?;
            also = built;
            placements.extend(placed);
        }
        let components: Vec<&Component> = work.components.iter().chain(&also).collect();
        let result = act::nodes(&components, &probed.scores, work.rows(), &params.act, seed, exec)?;
        Ok(NodeFit { result, placements })
    }

    fn act_report(fit: NodeFit) -> ActReport {
        fit.result.report
    }

    fn keep(run: &Run<'_, Self>, work: &Work<'_>, fit: &NodeFit, seed: Seed) -> Result<(Model, TestedNodes)> {
        let kept = NodeWork { split: work.split, placements: &fit.placements, result: &fit.result };
        let model = Model::of_nodes(run.graph, &kept, run.params, seed.0, run.exec);
        let nodes = work.split.sets.test.clone();
        let target = &work.split.target;
        let labels = match target {
            SplitTarget::Classes => work.split.labels_of(&nodes),
            SplitTarget::Numbers(_) | SplitTarget::Labels { .. } => Vec::new(),
        };
        let (numbers, label_rows) = (target.numbers(&nodes), target.label_rows(&nodes));
        Ok((model, TestedNodes { nodes, labels, numbers, label_rows, scores: fit.result.test.clone() }))
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

/// The target of some nodes, whatever its kind.
struct TargetValues {
    labels: Vec<u32>,
    numbers: Vec<f64>,
    label_rows: Vec<u8>,
}

impl TargetValues {
    fn of(split: &NodeSplit, nodes: &[NodeId]) -> Self {
        TargetValues {
            labels: split.labels_of(nodes),
            numbers: split.target.numbers(nodes),
            label_rows: split.target.label_rows(nodes),
        }
    }

    fn target<'a>(&'a self, split: &'a NodeSplit) -> SampleTarget<'a> {
        let TargetValues { labels, numbers, label_rows } = self;
        match &split.target {
            SplitTarget::Classes => SampleTarget::Classes { labels, classes: split.classes.len() },
            SplitTarget::Numbers(_) => SampleTarget::Numbers { values: numbers, strata: labels },
            SplitTarget::Labels { names, .. } => {
                SampleTarget::Labels { rows: label_rows, labels: names.len() }
            }
        }
    }
}
