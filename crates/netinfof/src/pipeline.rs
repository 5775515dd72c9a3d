//! The whole method, stage by stage, the same for every task. Start reading here.
//!
//! The differences between links and nodes are in the module `task`.

use std::time::Instant;

use crate::component::{self, ComponentBuilder, Preparations};
use crate::error::Result;
use crate::exec::Exec;
use crate::findings::{ComponentReport, SplitReport};
use crate::graph::{Graph, NodeId};
use crate::model::Model;
use crate::ordered_map::OrderedMap;
use crate::params::{Goal, LinkParams, NodeParams};
use crate::report::Report;
use crate::seed::Seed;
use crate::spec::TaskKind;
use crate::split::{self, LinkPairs, NodeSets};
use crate::task::{Links, Nodes, Run, Task};
use crate::work_folder::{ArrayDigest, RunIdentity};

pub use crate::task::{TestedLinks, TestedNodes};

/// Link prediction on a graph: Probe, or Probe and Act, over one or more splits.
///
/// ```
/// use netinfof::{Exec, Goal, LinkParams, Seed, synth, links};
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
    let params = &params.with_own_of(graph);
    let graph = &split::sided(graph, own, params.split.protocol, exec);
    report::<Links>(&Run { graph, given: own, goal, params, exec }, None)
}

/// Node classification on a graph: Probe, or Probe and Act, over one or more splits.
///
/// ```
/// use netinfof::{Exec, Goal, NodeParams, Seed, synth, nodes};
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
    let params = &params.with_own_of(graph);
    without_use_of_times(graph, exec);
    with_use_of_directions(graph, exec);
    report::<Nodes>(&Run { graph, given: own, goal, params, exec }, None)
}

/// The results of a run of Act, with the model of its first split.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Fitted<T> {
    /// The report of the run.
    pub report: Report,
    /// The model.
    pub model: Model,
    /// The test data with the model's predictions.
    pub tested: T,
}

/// Act on links, as in [`links`]; also returns the model of the first split.
///
/// ```
/// use netinfof::model::Seen;
/// use netinfof::{Exec, LinkParams, Seed, fit_links, synth};
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
    let params = &params.with_own_of(graph);
    let graph = &split::sided(graph, own, params.split.protocol, exec);
    fit::<Links>(&Run { graph, given: own, goal: Goal::Act, params, exec })
}

/// Act on nodes, as in [`nodes`]; also returns the model of the first split.
pub fn fit_nodes(
    graph: &Graph,
    own: Option<&NodeSets>,
    params: &NodeParams,
    exec: &Exec,
) -> Result<Fitted<TestedNodes>> {
    let params = &params.with_own_of(graph);
    without_use_of_times(graph, exec);
    with_use_of_directions(graph, exec);
    fit::<Nodes>(&Run { graph, given: own, goal: Goal::Act, params, exec })
}

/// The components of a graph as input of other models, normalised as in Act on nodes. The model embeds the
/// nodes of newer graphs in the same space.
///
/// ```
/// use netinfof::{Exec, NodeParams, Seed, embedding, synth};
/// let exec = Exec::new(0)?;
/// let graph = synth::named("demo", Seed(0), &exec)?;
/// let components = embedding(&graph, &NodeParams::default(), &exec)?.embeddings(None, &exec)?;
/// assert_eq!((components.len(), components[0].1.rows()), (8, graph.nodes()));
/// # Ok::<(), netinfof::Error>(())
/// ```
pub fn embedding(graph: &Graph, params: &NodeParams, exec: &Exec) -> Result<Model> {
    let params = params.with_own_of(graph);
    params.validate()?;
    graph.check_no_context("embeddings")?;
    let built = component::build(graph.adjacency(), graph, &params.component, params.seed, exec)?;
    Ok(Model::of_components(graph, &built, &params, exec))
}

/// Says how directions of edges are used for nodes.
fn with_use_of_directions(graph: &Graph, exec: &Exec) {
    if graph.is_directed() {
        exec.notice(
            "directed: every component describes a node twice, as a source by its out-edges, and as a target by its in-edges",
        );
    }
}

/// Says that a split of nodes does not use the times of edges.
fn without_use_of_times(graph: &Graph, exec: &Exec) {
    if let Some(times) = graph.times() {
        exec.notice(format!(
            "the times of edges in `{}` are not used: only link prediction is split by time",
            times.column()
        ));
    }
}

const SAME_SPLIT: &str =
    "the split is the same for every seed: only walks, sketches and random choices differ";

/// The fitted model, and the test data with its predictions.
type Kept<T> = Option<(Model, <T as Task>::Tested)>;

/// Act, with the model of the first split.
fn fit<T: Task>(run: &Run<'_, T>) -> Result<Fitted<T::Tested>> {
    let mut kept = None;
    let report = report(run, Some(&mut kept))?;
    let (model, tested) = kept.expect("there is at least one split");
    Ok(Fitted { report, model, tested })
}

/// What the results of all stages follow from.
fn identity<T: Task>(run: &Run<'_, T>, keeps_model: bool) -> RunIdentity {
    let &Run { graph, given, goal, params, .. } = run;
    let split = given.map_or_else(String::new, |given| {
        let mut digest = ArrayDigest::default();
        T::add_given(given, &mut digest);
        digest.finish()
    });
    let parameters = serde_json::to_value(T::run_params(params)).expect("parameters can be written as JSON");
    RunIdentity {
        program: format!("{} on {}", env!("CARGO_PKG_VERSION"), std::env::consts::ARCH),
        task: format!("{} {goal:?}{}", T::KIND.name(), if keeps_model { " with a model" } else { "" }),
        graph: graph.digest(),
        split,
        parameters,
    }
}

/// Runs all splits and summarises them. `kept` receives the model of the first split.
fn report<T: Task>(run: &Run<'_, T>, mut kept: Option<&mut Kept<T>>) -> Result<Report> {
    let &Run { graph, given, params, exec, .. } = run;
    T::validate(params)?;
    let common = T::common(params);
    let plan = T::plan(run);
    plan.check()?;
    exec.set_thrifty(plan.saves_memory);
    if let Some(warning) = plan.warning() {
        exec.message(&warning);
    }
    let stages: Vec<(String, f64)> =
        plan.stages.iter().map(|stage| (stage.name.clone(), stage.seconds)).collect();
    exec.planned(&stages, common.splits);
    exec.begin_run(|| identity(run, kept.is_some()))?;
    if (given.is_some() || T::KIND == TaskKind::Links && graph.times().is_some()) && common.splits > 1 {
        exec.notice(SAME_SPLIT);
    }
    // For every node, the first node with the same features.
    let twins = graph.feature_twins();
    let seeds = (0..common.splits as u64).map(|number| Seed(common.seed.0.wrapping_add(number)));
    let splits = seeds.map(|seed| split(run, seed, &twins, kept.take())).collect::<Result<_>>()?;
    Ok(Report::new(graph, &twins, T::KIND, T::run_params(params), splits, exec))
}

/// All stages on one split.
fn split<T: Task>(
    run: &Run<'_, T>,
    seed: Seed,
    twins: &[NodeId],
    kept: Option<&mut Kept<T>>,
) -> Result<SplitReport> {
    let mut clock = Clock::new();

    let split = T::split(run, seed)?;
    clock.lap("split");

    let common = T::common(run.params);
    let mut work = T::begin(run, &split, kept.is_some(), seed)?;
    // Stages are reported in this order.
    clock.laps.entry("components");
    clock.lap_if(T::LEARNING_STAGE);
    {
        let adjacency = T::adjacency(run, &split);
        let preparations =
            Preparations::learn(adjacency, run.graph.inputs().features, common.component, run.exec)?;
        let builder = ComponentBuilder::new(adjacency, run.graph, &preparations, common.component, seed);
        for batch in builder.batches(run.exec) {
            let name = || format!("{} {}", seed.0, component::stage_name(&batch));
            let learned = run.exec.kept(name, || {
                let components = builder.build(&batch, run.exec)?;
                clock.lap("components");
                T::learn(run, &work, components)
            })?;
            T::add(&mut work, learned);
            clock.lap_if(T::LEARNING_STAGE);
        }
    }
    T::finish_learning(run, &mut work)?;
    clock.lap_if(T::LEARNING_STAGE);

    let probed = T::probe(run, &work, seed)?;
    clock.lap("probe");

    let measured = T::information(run, &work, &probed, seed)?;
    clock.lap("information");

    let act = match run.goal {
        Goal::Probe => None,
        Goal::Act => {
            let fit = T::act(run, &work, &probed, seed)?;
            if let Some(kept) = kept {
                *kept = Some(T::keep(run, &work, &fit, seed)?);
            }
            Some(T::act_report(fit))
        }
    };
    clock.lap("act");

    let beyond_degree = measured.beyond_degree.map(|own| own.with_smallest_gain(common.smallest_gain));
    let parts = probed
        .parts
        .iter()
        .map(|(subject, info)| (subject.name().to_string(), ComponentReport::new(info, 0, None)));
    Ok(SplitReport {
        seed: seed.0,
        components: T::component_reports(&work, &probed).into_iter().collect(),
        parts: parts.collect(),
        degree_auc: T::degree_auc(&work),
        act,
        repeats: T::repeats(&split, twins),
        time: T::time_order(&split),
        seconds: clock.finish(),
        samples: probed.samples,
        matched: probed.matched,
        predictive_information: Some(measured.information.with_smallest_gain(common.smallest_gain)),
        beyond_degree_information: beyond_degree,
    })
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

    /// The same for a stage that only some tasks have.
    fn lap_if(&mut self, stage: Option<&str>) {
        if let Some(stage) = stage {
            self.lap(stage);
        }
    }

    /// Adds the time since the last lap to a stage.
    fn lap(&mut self, stage: &str) {
        let now = Instant::now();
        *self.laps.entry(stage) += (now - self.last).as_secs_f64();
        self.last = now;
    }

    fn finish(mut self) -> OrderedMap<f64> {
        self.laps.push("total", self.start.elapsed().as_secs_f64());
        self.laps
    }
}
