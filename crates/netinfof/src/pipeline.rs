//! Read first: the whole method, stage after stage, nothing hidden.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::act::{self, Grid, KnownEdges, LinkActParams, NodeActParams, Penalties};
use crate::compat::{CompatKind, CompatParams};
use crate::component::{
    self, Communities, Component, ComponentKind, ComponentParams, FeatureScaling, Normalization,
};
use crate::error::{Error, Result};
use crate::exec::Exec;
use crate::graph::{Graph, NodeId, Pair};
use crate::information::{Blocks, Information, Part};
use crate::link::{self, Evaluated, Learned, LearnedLinks, PairScore, PairSet};
use crate::matrix::Matrix;
use crate::model::{LinkWork, Model, NodeWork};
use crate::pairwise::Source;
use crate::probe::{self, LinkProbeParams, NodeProbeParams, ProbedPairs};
use crate::report::{ComponentReport, OrderedMap, Report, RunParams, SplitReport};
use crate::seed::{Seed, Stream};
use crate::split::{
    self, LinkPairs, LinkSplit, Negatives, NodeSets, NodeSplit, NodeSplitParams, Pairs, Protocol, SplitParams,
};
use crate::training::Training;
use crate::verdict::{DEGREES, Group, LEVEL};

/// The parameters of every stage of link prediction. The default goes further than the paper (docs/method.md);
/// [`LinkParams::paper`] does not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LinkParams {
    /// Number of splits (default 1); they use the seeds `seed`, `seed + 1`, ….
    pub splits: usize,
    /// The first seed (default 0).
    pub seed: Seed,
    /// How edges are split.
    pub split: SplitParams,
    /// The components.
    pub component: ComponentParams,
    /// The compatibility matrix.
    pub compat: CompatParams,
    /// Probe.
    pub probe: LinkProbeParams,
    /// Act.
    pub act: LinkActParams,
    /// Folds of cross-fitting (default 5; [`crate::training`] says what it is); 0 turns it off.
    pub crossfit: usize,
}

impl Default for LinkParams {
    fn default() -> Self {
        LinkParams {
            splits: 1,
            seed: Seed(0),
            split: SplitParams::default(),
            component: ComponentParams { kinds: LINKS.to_vec(), ..ComponentParams::default() },
            compat: CompatParams::default(),
            probe: LinkProbeParams::default(),
            act: LinkActParams::default(),
            crossfit: 5,
        }
    }
}

impl LinkParams {
    /// The paper and the protocol of its published code: its five components and nothing beside them, unverified
    /// negatives, no cross-fitting, its grid of penalties, an SVD as rough as its scores show. Where the two differ or the code is at fault the paper's text
    /// holds, pair features are symmetric, and LSQR goes further (DESIGN.md).
    #[must_use]
    pub fn paper() -> Self {
        let mut params = LinkParams::default();
        params.split.protocol = Protocol::Paper;
        params.component.kinds = ComponentKind::PAPER.to_vec();
        params.component.rsvd.power_iterations = 1;
        params.component.scaling = FeatureScaling::Paper;
        params.compat.core = true;
        params.compat.lsqr.damp = 1.0;
        params.act.penalties = Penalties::Grid(Grid::new(vec![1e-4, 1e-5], vec![1e-3, 1e-4, 1e-5, 1e-6]));
        params.act.negatives = 1;
        params.act.max_pairs = 600_000;
        params.crossfit = 0;
        params
    }

    /// SlimG (KDD 2023) as a configuration of the same pipeline: U, F, P, S and no compatibility matrix.
    #[must_use]
    pub fn slimg(mut self) -> Self {
        self.component.kinds = SLIMG.to_vec();
        self.compat.kind = CompatKind::None;
        self
    }

    fn validate(&self) -> Result<()> {
        check_splits(self.splits)?;
        self.component.validate()?;
        self.compat.validate()?;
        self.probe.validate()?;
        if self.crossfit == 1 || self.crossfit > 1000 {
            return Err(Error::param("crossfit", self.crossfit, "0 for none, or 2 to 1000 folds"));
        }
        self.act.validate()
    }
}

/// The parameters of every stage of node classification.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NodeParams {
    /// Number of splits (default 1); they use the seeds `seed`, `seed + 1`, ….
    pub splits: usize,
    /// The first seed (default 0).
    pub seed: Seed,
    /// How nodes are split.
    pub split: NodeSplitParams,
    /// The components.
    pub component: ComponentParams,
    /// Probe.
    pub probe: NodeProbeParams,
    /// Act.
    pub act: NodeActParams,
}

impl Default for NodeParams {
    fn default() -> Self {
        NodeParams {
            splits: 1,
            seed: Seed(0),
            split: NodeSplitParams::default(),
            component: ComponentParams::default(),
            probe: NodeProbeParams::default(),
            act: NodeActParams::default(),
        }
    }
}

impl NodeParams {
    /// SlimG (KDD 2023) as a configuration of the same pipeline: U, F, P, S.
    #[must_use]
    pub fn slimg(mut self) -> Self {
        self.component.kinds = SLIMG.to_vec();
        self
    }

    fn validate(&self) -> Result<()> {
        check_splits(self.splits)?;
        self.split.validate()?;
        self.component.validate()?;
        if self.component.kinds.contains(&ComponentKind::X) {
            return Err(Error::param("components", "X", "components of nodes; X belongs to pairs"));
        }
        self.probe.validate()?;
        self.act.validate()
    }
}

/// The components of link prediction: the paper's, and those of ours that validation data ask for.
const LINKS: [ComponentKind; 7] = [
    ComponentKind::U,
    ComponentKind::R,
    ComponentKind::F,
    ComponentKind::P,
    ComponentKind::S,
    ComponentKind::D,
    ComponentKind::X,
];

const SLIMG: [ComponentKind; 4] = [ComponentKind::U, ComponentKind::F, ComponentKind::P, ComponentKind::S];

fn check_splits(splits: usize) -> Result<()> {
    if (1..=10_000).contains(&splits) { Ok(()) } else { Err(Error::param("splits", splits, "1 to 10000")) }
}

/// What to do with the components.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Measure what they know.
    Probe,
    /// Measure, then solve the task with them.
    Act,
}

/// Link prediction on a graph: Probe, or Probe and Act, over one or more splits.
///
/// ```
/// use netinfof::{Exec, Goal, LinkParams, Seed, graph::synth, links};
/// let exec = Exec::new(0)?;
/// let graph = synth::named("demo", Seed(0), &exec)?;
/// let report = links(&graph, None, Goal::Probe, &LinkParams::default(), &exec)?;
/// let scores = &report.mean.components;
/// assert!(scores.get("S").unwrap() > scores.get("F").unwrap());
/// # Ok::<(), netinfof::Error>(())
/// ```
pub fn links(
    graph: &Graph,
    own: Option<&LinkPairs>,
    goal: Goal,
    params: &LinkParams,
    exec: &Exec,
) -> Result<Report> {
    run_links(&Run { graph, own, goal, params, exec }, None)
}

/// A run of Act with what it leaves behind, from its first split.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Fitted<T> {
    /// What the run found.
    pub report: Report,
    /// The model.
    pub model: Model,
    /// What the model made of the test data.
    pub tested: T,
}

/// Test pairs and their scores.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TestedLinks {
    /// Edges first.
    pub pairs: Vec<Pair>,
    /// How many of them are edges.
    pub edges: usize,
    /// Log-odds.
    pub scores: Vec<f64>,
}

/// Test nodes and their scores.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TestedNodes {
    /// The nodes.
    pub nodes: Vec<NodeId>,
    /// Their true classes, by their places among the model's.
    pub labels: Vec<u32>,
    /// Log-odds of every class, node after node.
    pub scores: Vec<f64>,
}

/// Act on links, as [`links`] does it, with the model of the first split.
///
/// ```
/// use netinfof::model::Seen;
/// use netinfof::{Exec, LinkParams, Seed, fit_links, graph::synth};
/// let exec = Exec::new(0)?;
/// let graph = synth::named("demo", Seed(0), &exec)?;
/// let fitted = fit_links(&graph, None, &LinkParams::default(), &exec)?;
/// let scores = fitted.model.links(Seen::Training, None, &exec)?.scores(&fitted.tested.pairs, &exec)?;
/// assert_eq!(scores, fitted.tested.scores);
/// # Ok::<(), netinfof::Error>(())
/// ```
pub fn fit_links(
    graph: &Graph,
    own: Option<&LinkPairs>,
    params: &LinkParams,
    exec: &Exec,
) -> Result<Fitted<TestedLinks>> {
    let mut kept = None;
    let mut keep = |seed: Seed, work: &LinkWork<'_>| {
        let LinkWork { split, result, .. } = work;
        let model = Model::of_links(graph, work, params, seed.0, exec);
        let pairs = [&split.test.positives[..], &split.test.negatives[..]].concat();
        let edges = split.test.positives.len();
        kept = Some((model, TestedLinks { pairs, edges, scores: result.test.concat() }));
    };
    let report = run_links(&Run { graph, own, goal: Goal::Act, params, exec }, Some(&mut keep))?;
    let (model, tested) = kept.expect("there is a split at least");
    Ok(Fitted { report, model, tested })
}

/// Act on nodes, as [`nodes`] does it, with the model of the first split.
pub fn fit_nodes(
    graph: &Graph,
    own: Option<&NodeSets>,
    params: &NodeParams,
    exec: &Exec,
) -> Result<Fitted<TestedNodes>> {
    let mut kept = None;
    let mut keep = |seed: Seed, work: &NodeWork<'_>| {
        let NodeWork { split, result, .. } = work;
        let model = Model::of_nodes(graph, work, params, seed.0, exec);
        let nodes = split.sets.test.clone();
        let labels = split.labels_of(&nodes);
        kept = Some((model, TestedNodes { nodes, labels, scores: result.test.clone() }));
    };
    let report = run_nodes(&Run { graph, own, goal: Goal::Act, params, exec }, Some(&mut keep))?;
    let (model, tested) = kept.expect("there is a split at least");
    Ok(Fitted { report, model, tested })
}

/// The components of a graph for other models to learn from, normalised as Act on nodes has them. The model gives the nodes of newer
/// graphs their places in the same space.
///
/// ```
/// use netinfof::{Exec, NodeParams, Seed, embedding, graph::synth};
/// let exec = Exec::new(0)?;
/// let graph = synth::named("demo", Seed(0), &exec)?;
/// let components = embedding(&graph, &NodeParams::default(), &exec)?.embeddings(None, &exec)?;
/// assert_eq!((components.len(), components[0].1.rows()), (5, graph.nodes()));
/// # Ok::<(), netinfof::Error>(())
/// ```
pub fn embedding(graph: &Graph, params: &NodeParams, exec: &Exec) -> Result<Model> {
    params.validate()?;
    let built = component::build(graph.adjacency(), graph.features(), &params.component, params.seed, exec)?;
    Ok(Model::of_components(graph, &built, params, exec))
}

/// Takes what it needs of the work on the first split.
type KeepLinks<'a> = &'a mut dyn FnMut(Seed, &LinkWork<'_>);
type KeepNodes<'a> = &'a mut dyn FnMut(Seed, &NodeWork<'_>);

/// Node classification on a graph: Probe, or Probe and Act, over one or more splits.
///
/// ```
/// use netinfof::{Exec, Goal, NodeParams, Seed, graph::synth, nodes};
/// let exec = Exec::new(0)?;
/// let graph = synth::named("demo", Seed(0), &exec)?;
/// let report = nodes(&graph, None, Goal::Act, &NodeParams::default(), &exec)?;
/// assert!(report.mean.test.get("accuracy").unwrap() > &0.5);
/// # Ok::<(), netinfof::Error>(())
/// ```
pub fn nodes(
    graph: &Graph,
    own: Option<&NodeSets>,
    goal: Goal,
    params: &NodeParams,
    exec: &Exec,
) -> Result<Report> {
    run_nodes(&Run { graph, own, goal, params, exec }, None)
}

const SAME_SPLIT: &str =
    "the split is the same for every seed: only walks, sketches and random choices differ";

/// What a run works on, for every split.
struct Run<'a, Own, Params> {
    graph: &'a Graph,
    /// The caller's own split.
    own: Option<&'a Own>,
    goal: Goal,
    params: &'a Params,
    exec: &'a Exec,
}

fn run_links(run: &Run<'_, LinkPairs, LinkParams>, mut keep: Option<KeepLinks<'_>>) -> Result<Report> {
    run.params.validate()?;
    let params = RunParams::Links(run.params.clone());
    run.over_splits(params, run.params.splits, run.params.seed, |seed, twins| {
        link_split(run, seed, twins, keep.take())
    })
}

fn run_nodes(run: &Run<'_, NodeSets, NodeParams>, mut keep: Option<KeepNodes<'_>>) -> Result<Report> {
    run.params.validate()?;
    let params = RunParams::Nodes(run.params.clone());
    run.over_splits(params, run.params.splits, run.params.seed, |seed, twins| {
        node_split(run, seed, twins, keep.take())
    })
}

impl<Own, Params> Run<'_, Own, Params> {
    /// One split after the other, and what they say together. `split` gets the seed and, for every node, the first one with its
    /// features.
    fn over_splits(
        &self,
        params: RunParams,
        count: usize,
        first: Seed,
        mut split: impl FnMut(Seed, &[NodeId]) -> Result<SplitReport>,
    ) -> Result<Report> {
        if self.own.is_some() && count > 1 {
            self.exec.notice(SAME_SPLIT);
        }
        let twins = self.graph.features().twins(self.graph.nodes());
        let seeds = (0..count as u64).map(|number| Seed(first.0.wrapping_add(number)));
        let splits = seeds.map(|seed| split(seed, &twins)).collect::<Result<_>>()?;
        Ok(Report::new(self.graph, &twins, params, splits, self.exec))
    }
}

fn link_split(
    run: &Run<'_, LinkPairs, LinkParams>,
    seed: Seed,
    twins: &[NodeId],
    keep: Option<KeepLinks<'_>>,
) -> Result<SplitReport> {
    let &Run { graph, own, goal, params, exec } = run;
    let mut clock = Clock::new();

    let split = match own {
        None => split::links(graph, &params.split, seed, exec)?,
        Some(pairs) => split::links_given(graph, pairs.clone(), &params.split, seed, exec)?,
    };
    if goal == Goal::Act {
        // Said now rather than after all the work.
        act::check_hits(&params.act, &split, exec)?;
    }
    clock.lap("split");

    let components = component::build(&split.graph, graph.features(), &params.component, seed, exec)?;
    clock.lap("components");

    let training = Training::draw(&split, params, seed)?;
    let source = params
        .component
        .kinds
        .contains(&ComponentKind::X)
        .then(|| Source::new(&split.graph, graph.features(), &params.component, exec));
    let source = source.as_ref();
    let LearnedLinks { components: learned, parts } =
        link::learn(&components, &split, &training, source, goal, params, exec)?;
    // Room for what follows, unless someone wants them afterwards.
    let components = if keep.is_some() { components } else { Vec::new() };
    clock.lap("compatibility");

    let valid = if goal == Goal::Act || split.each == 0 { &split.valid } else { &Pairs::default() };
    let valid = Evaluated::new(valid, source, exec);
    // Probe weighs as many negatives as positives.
    let balanced = (split.each > 0)
        .then(|| Evaluated::new(&split.valid.thinned(split.each, usize::MAX, 1), source, exec));
    let evaluated = balanced.as_ref().unwrap_or(&valid);
    // Degrees alone separate edges from uniform pairs on many graphs: what goes beyond them is measured too.
    let known = split.known_edges(graph);
    let matched = match split.negatives {
        Negatives::Uniform => LinkSplit::matched(&known, &split.valid.positives, 0, seed),
        Negatives::Degree | Negatives::Heart => None,
    };
    let matched = matched.map(|pairs| PairSet::new(pairs, source, exec));
    let pairs = ProbedPairs { valid: evaluated, matched: matched.as_ref() };
    let probed = probe::links(&learned, &parts, &training, pairs, &params.probe, seed, exec)?;
    let degree_auc = matched.is_some().then(|| split.degree_auc());
    clock.lap("probe");

    let communities = Communities::new(&split.graph, seed, exec)?;
    let measured = |pairs: [&PairSet; 2]| link_information(&learned, &parts, &communities, pairs, run, seed);
    let information = measured([&evaluated.positives, &evaluated.negatives])?;
    // Asked for where no component's bins show a signal beyond degrees.
    let silent = probed.scores.iter().all(|info| {
        let beyond = info.beyond_degree.map_or(1.0, |beyond| beyond.p_value);
        info.p_value.max(beyond) > LEVEL / probed.scores.len() as f64
    });
    let asked = matched.as_ref().filter(|_| silent);
    let beyond_degree = asked.map(|matched| measured([&evaluated.positives, matched])).transpose()?;
    clock.lap("information");

    let act = match goal {
        Goal::Probe => None,
        Goal::Act => {
            let edges = KnownEdges { all: &known, source, seed };
            let result = act::links(&learned, &split, &training, &valid, edges, &params.act, exec)?;
            if let Some(keep) = keep {
                let work =
                    LinkWork { split: &split, components: &components, learned: &learned, result: &result };
                keep(seed, &work);
            }
            Some(result.report)
        }
    };
    clock.lap("act");

    let found = learned.iter().zip(&probed.scores).map(|(learned, info)| {
        let component = &learned.component;
        let report = ComponentReport::new(info, component.cols(), component.compatibility());
        (component.kind().name().into(), report)
    });
    let parts =
        probed.parts.iter().map(|(name, info)| (name.to_string(), ComponentReport::new(info, 0, None)));
    Ok(SplitReport {
        seed: seed.0,
        components: found.collect(),
        parts: parts.collect(),
        degree_auc,
        act,
        repeats: split.repeats(twins),
        seconds: clock.finish(),
        samples: probed.samples,
        matched: probed.matched,
        predictive_information: Some(information),
        beyond_degree_information: beyond_degree,
    })
}

fn node_split(
    run: &Run<'_, NodeSets, NodeParams>,
    seed: Seed,
    twins: &[NodeId],
    keep: Option<KeepNodes<'_>>,
) -> Result<SplitReport> {
    let &Run { graph, own, goal, params, exec } = run;
    let mut clock = Clock::new();

    let split = match own {
        None => split::nodes(graph, &params.split, seed, exec)?,
        Some(sets) => split::nodes_given(graph, sets, &params.split, exec)?,
    };
    clock.lap("split");

    let components = component::build(graph.adjacency(), graph.features(), &params.component, seed, exec)?;
    clock.lap("components");

    let probed = probe::nodes(&components, &split, &params.probe, seed, exec)?;
    clock.lap("probe");

    let information = node_information(&components, &split, run, seed)?;
    clock.lap("information");

    let act = match goal {
        Goal::Probe => None,
        Goal::Act => {
            let result = act::nodes(&components, &probed.scores, &split, &params.act, seed, exec)?;
            if let Some(keep) = keep {
                keep(seed, &NodeWork { split: &split, components: &components, result: &result });
            }
            Some(result.report)
        }
    };
    clock.lap("act");

    let found = components.iter().zip(&probed.scores).map(|(component, info)| {
        let report = ComponentReport::new(info, component.embedding.cols(), None);
        (component.kind.name().into(), report)
    });
    Ok(SplitReport {
        seed: seed.0,
        components: found.collect(),
        parts: OrderedMap::default(),
        degree_auc: None,
        act,
        repeats: split.repeats(twins),
        seconds: clock.finish(),
        samples: probed.samples,
        matched: probed.matched,
        predictive_information: Some(information),
        beyond_degree_information: None,
    })
}

/// What a component stands for in predictive information. On a graph without features, propagated degrees are structure.
fn part(name: &str, featureless: bool) -> Part {
    match Group::of(name, featureless) {
        Group::Structure => Part::Structure,
        Group::Other if name == DEGREES => Part::Structure,
        Group::Propagation if featureless => Part::Structure,
        Group::Features => Part::Features,
        Group::Propagation => Part::Propagation,
        Group::Other => Part::Other,
    }
}

/// How many bits the components carry about whether a pair is an edge, alone and in groups, on validation pairs.
fn link_information(
    learned: &[Learned],
    parts: &[PairScore<'_>],
    communities: &Communities,
    sets: [&PairSet; 2],
    run: &Run<'_, LinkPairs, LinkParams>,
    seed: Seed,
) -> Result<Information> {
    let &Run { graph, exec, .. } = run;
    let featureless = graph.features().cols() == 0;
    let mut labels = vec![1; sets[0].len()];
    labels.resize(sets[0].len() + sets[1].len(), 0);
    let mut blocks = Blocks::default();
    let hinged = |similarities: [Vec<f32>; 2]| {
        let similarities = similarities.concat();
        component::hinged(Matrix::from_vec(similarities.len(), 1, similarities), exec)
    };
    for own in learned {
        let (kind, rows) =
            (own.component.kind(), hinged(sets.map(|set| own.component.similarities(set, exec))));
        if kind == ComponentKind::X {
            blocks.add_of_pairs(Part::Other, kind.name(), rows);
        } else {
            blocks.add(part(kind.name(), featureless), kind.name(), rows);
        }
    }
    let find = |kind| learned.iter().any(|own| own.component.kind() == kind);
    let structure = find(ComponentKind::U) || find(ComponentKind::R);
    // Degrees are structure, and are looked at where structure is.
    for own in parts.iter().filter(|own| own.name != DEGREES || structure || find(ComponentKind::X)) {
        let rows = hinged(sets.map(|set| own.similarities(set, exec)));
        blocks.add_of_pairs(part(own.name, featureless), own.name, rows);
    }
    if structure {
        let rows = communities.similarities(&sets.map(PairSet::pairs).concat(), exec);
        blocks.add(Part::Structure, "communities", component::hinged(rows, exec));
    }
    blocks.measure(&labels, 2, &sets.map(PairSet::units).concat(), seed, exec)
}

/// How many bits the components carry about the classes, alone, in groups and against controls. Labels of training and validation nodes alone are
/// looked at.
fn node_information(
    components: &[Component],
    split: &NodeSplit,
    run: &Run<'_, NodeSets, NodeParams>,
    seed: Seed,
) -> Result<Information> {
    let &Run { graph, exec, .. } = run;
    let known = [&split.sets.train[..], &split.sets.valid].concat();
    let featureless = graph.features().cols() == 0;
    let gathered = |z: &Matrix| {
        let mut rows = Matrix::zeros(known.len(), z.cols());
        exec.fill_matrix(&mut rows, |at, row| row.copy_from_slice(z.row(known[at] as usize)));
        rows
    };
    let normalized = |component: &Component| gathered(&component.normalized(Normalization::ByKind, exec));
    let mut blocks = Blocks::default();
    for component in components {
        let name = component.kind.name();
        blocks.add(part(name, featureless), name, normalized(component));
    }
    let find = |kind| components.iter().find(|component| component.kind == kind);
    if find(ComponentKind::U).is_some() || find(ComponentKind::R).is_some() {
        blocks.add(Part::Structure, "roles", gathered(&component::roles(graph.adjacency(), exec)));
    }
    if !featureless {
        if let Some(features) = find(ComponentKind::F) {
            blocks.add(Part::Nonlinear, "F by distance", normalized(features));
        }
        for component in shuffled_control(run, seed)? {
            blocks.add(Part::Control, format!("{} shuffled", component.kind.name()), normalized(&component));
        }
    }
    let units: Vec<u64> = known.iter().map(|&node| u64::from(node)).collect();
    blocks.measure(&split.labels_of(&known), split.classes.len(), &units, seed, exec)
}

/// Propagated components of features that belong to other nodes: random features become a sketch of the structure on their way through a
/// graph, and these show how much of what propagation carries is that. Prepared as the components that they control.
fn shuffled_control(run: &Run<'_, NodeSets, NodeParams>, seed: Seed) -> Result<Vec<Component>> {
    let &Run { graph, params, exec, .. } = run;
    let mut own = params.component.clone();
    own.kinds.retain(|kind| Group::of(kind.name(), false) == Group::Propagation);
    if own.kinds.is_empty() {
        return Ok(Vec::new());
    }
    let mut order: Vec<NodeId> = (0..graph.nodes()).map(|node| node as NodeId).collect();
    seed.stream(Stream::ControlFeatures, 0).shuffle(&mut order);
    component::build(graph.adjacency(), &graph.features().rows_of(&order), &own, seed, exec)
}

/// Times the stages of a split.
struct Clock {
    start: Instant,
    last: Instant,
    laps: OrderedMap<f64>,
}

impl Clock {
    fn new() -> Self {
        let now = Instant::now();
        Clock { start: now, last: now, laps: OrderedMap::default() }
    }

    fn lap(&mut self, stage: &str) {
        let now = Instant::now();
        self.laps.push(stage, (now - self.last).as_secs_f64());
        self.last = now;
    }

    fn finish(mut self) -> OrderedMap<f64> {
        self.laps.push("total", self.start.elapsed().as_secs_f64());
        self.laps
    }
}
