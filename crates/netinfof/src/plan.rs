//! The plan of a run: how much memory and time each stage is expected to need, from sizes and parameters alone.
//!
//! Memory is the sum of the large arrays that are held at the same time; each term below names one. It is a
//! prediction of the process's peak and is tested against it. Time is a rough guide for planning: its constants
//! were measured on two cores of one machine.

mod needs;

use serde::Serialize;

use self::needs::{ComponentNeeds, DENSE, GraphSizes, SPARSE, needs_of};
use crate::error::{Error, Result};
use crate::exec::Exec;
use crate::graph::Graph;
use crate::link::{PAIRWISE_WIDTH, WEIGHTED_WIDTH};
use crate::params::{Goal, LinkParams, NodeParams};
use crate::spec::{ComponentKind, ComponentSource, FilterSpec};
use crate::split::LinkPairs;

/// The process itself: code, threads and small objects.
const PROCESS: f64 = 30e6;
/// Smaller embedding sizes are not suggested.
const LEAST_DIM: usize = 16;
/// Threads beyond this number do not make products faster: memory is the limit.
const USEFUL_THREADS: usize = 8;

/// The expected needs of a stage.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PlannedStage {
    /// Its name.
    pub name: String,
    /// Peak memory of the process during the stage.
    pub bytes: u64,
    /// Seconds for one split.
    pub seconds: f64,
}

/// The expected needs of a run.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Plan {
    /// The stages of one split, in order.
    pub stages: Vec<PlannedStage>,
    /// Peak memory of the process.
    pub bytes: u64,
    /// Seconds for all splits.
    pub seconds: f64,
    /// The memory that the run may use; `None` if it is not limited.
    pub limit: Option<u64>,
    /// Whether the run takes more time in order to fit: components are built one after the other, and no matrix is
    /// kept beside its transpose. Results are the same but for rounding errors.
    pub saves_memory: bool,
    /// If that is not enough: the largest embedding size, halved repeatedly, for which it is, and what that needs.
    pub smaller: Option<(usize, u64)>,
}

impl Plan {
    fn fits(&self) -> bool {
        self.limit.is_none_or(|limit| self.bytes <= limit)
    }

    /// This plan if it fits, or one that saves memory if that fits or is the smaller one.
    fn or_saving(self, saving: impl FnOnce() -> Plan) -> Plan {
        if self.fits() {
            return self;
        }
        let other = Plan { saves_memory: true, ..saving() };
        if other.bytes < self.bytes { other } else { self }
    }

    /// Refuses a run that needs more memory than it may use.
    pub(crate) fn check(&self) -> Result<()> {
        let Some(limit) = self.limit.filter(|&limit| self.bytes > limit) else { return Ok(()) };
        let most = self.stages.iter().max_by_key(|stage| stage.bytes).expect("a run has stages");
        let advice = match self.smaller {
            Some((dim, bytes)) => format!("`dim` {dim} instead needs about {}", size(bytes)),
            None => "fewer `components` or a part of the graph need less".into(),
        };
        Err(Error::Unsuitable {
            stage: "memory",
            why: format!(
                "the run needs about {}, mostly for {}, but may use {}; {advice}",
                size(self.bytes),
                most.name,
                size(limit)
            ),
        })
    }

    /// Adds the largest embedding size that fits, if this one does not.
    fn with_smaller(mut self, dim: usize, plan: impl Fn(usize) -> Plan) -> Plan {
        if !self.fits() && dim / 2 >= LEAST_DIM {
            let half = plan(dim / 2);
            self.smaller = if half.fits() { Some((dim / 2, half.bytes)) } else { half.smaller };
        }
        self
    }

    /// One line about a run that takes long or needs much memory.
    pub(crate) fn warning(&self) -> Option<String> {
        (self.seconds >= 60.0 || self.bytes >= 4 << 30 || self.saves_memory).then(|| {
            let how = if self.saves_memory { ", in a slower way that fits into the memory" } else { "" };
            format!("this run takes about {} and {} of memory{how}", duration(self.seconds), size(self.bytes))
        })
    }
}

/// A number of bytes for people.
pub fn size(bytes: u64) -> String {
    let gib = bytes as f64 / f64::from(1 << 30);
    if gib >= 1.0 { format!("{gib:.1} GiB") } else { format!("{} MiB", bytes >> 20) }
}

/// A number of seconds for people.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 90.0 => format!("{:.0} s", s.max(1.0)),
        s if s < 5400.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

/// Stages with the memory that is held between them.
struct Planner {
    held: f64,
    stages: Vec<PlannedStage>,
}

impl Planner {
    /// A stage that needs this much in addition to what is held.
    fn stage(&mut self, name: impl Into<String>, needed: f64, seconds: f64) {
        let bytes = (PROCESS + self.held + needed) as u64;
        self.stages.push(PlannedStage { name: name.into(), bytes, seconds });
    }

    fn plan(self, splits: usize, exec: &Exec) -> Plan {
        let bytes = self.stages.iter().map(|stage| stage.bytes).max().unwrap_or(0);
        let seconds = splits as f64 * self.stages.iter().map(|stage| stage.seconds).sum::<f64>();
        Plan {
            stages: self.stages,
            bytes,
            seconds,
            limit: exec.memory_limit(),
            saves_memory: false,
            smaller: None,
        }
    }
}

fn useful(exec: &Exec) -> f64 {
    exec.threads().min(USEFUL_THREADS) as f64
}

/// The plan of link prediction.
pub fn links(graph: &Graph, own: Option<&LinkPairs>, goal: Goal, params: &LinkParams, exec: &Exec) -> Plan {
    let plan = |saving| links_in_one_way(graph, own, goal, params, saving, exec);
    plan(false).or_saving(|| plan(true)).with_smaller(params.component.dim, |dim| {
        let mut params = params.clone();
        params.component.dim = dim;
        links(graph, own, goal, &params, exec)
    })
}

fn links_in_one_way(
    graph: &Graph,
    own: Option<&LinkPairs>,
    goal: Goal,
    params: &LinkParams,
    saving: bool,
    exec: &Exec,
) -> Plan {
    let sizes = GraphSizes::of(graph, &params.component);
    let GraphSizes { nodes, entries, .. } = sizes;
    let threads = useful(exec);
    let edges = graph.edge_count() as f64;
    let act = goal == Goal::Act;
    let (train, valid, test) = if let Some(own) = own {
        let count = |positives: usize, negatives: usize| (positives + negatives.max(positives)) as f64;
        let sizes = [&own.valid, &own.test].map(|set| count(set.positives.len(), set.negatives.len()));
        (own.train.len() as f64, sizes[0], sizes[1])
    } else {
        let most = params.split.max_evaluated as f64;
        let [train, valid] = [params.split.train, params.split.valid];
        let test = (edges * (1.0 - train - valid)).max(0.0);
        (edges * train, 2.0 * (edges * valid).min(most / 2.0), 2.0 * test.min(most))
    };
    // Validation with degree-matched negatives; for Act, test as well, and negatives for choices.
    let choice = (2.0 * test).clamp(20_000.0, 400_000.0);
    let pairs = 1.5 * valid + if act { 1.5 * test + choice } else { 0.0 };
    let fitted = (params.act.max_pairs as f64).min(train * (1.0 + params.act.negatives as f64));
    let fitted_edges = fitted / (1.0 + params.act.negatives as f64);
    let folds = if params.crossfit == 0 {
        0.0
    } else {
        (fitted_edges * params.crossfit as f64 / train.max(1.0)).ceil().max(1.0)
    };
    // Rows of the nodes of training pairs, in the graphs of their folds.
    let touched = 2.0 * fitted + 8.0 * fitted_edges;
    let rows = if folds == 0.0 { 0.0 } else { folds * nodes * -(-touched / (folds * nodes)).exp_m1() };
    let training = sizes.adjacency(2.0 * train);

    let mut planner = Planner { held: sizes.graph(), stages: Vec::new() };
    let listed = 8.0 * edges;
    let held_out = if own.is_some() { 0.0 } else { sizes.pattern(entries - 2.0 * train) };
    let per_edge = 60e-9;
    planner.stage("split", listed + held_out + training, edges * per_edge);
    planner.held += training + 8.0 * train + 8.0 * (valid + test);

    let pairwise = params.component.kinds.iter().any(|kind| kind.is_pairwise());
    let featureless = graph.features().cols() == 0;
    planner.held += folds * training + 8.0 * 3.0 * fitted;
    let mut seconds = 0.0;
    if pairwise {
        let features = if featureless { 0.0 } else { sizes.prepared() + 24.0 * nodes };
        planner.held += 37.0 * nodes + features + 80.0 * pairs;
        planner.held += sizes.if_weighted(16.0 * nodes + 20.0 * pairs);
        // Two-step neighbourhoods of the ends of pairs, and features of neighbours.
        let degree = entries / nodes.max(1.0);
        let looked_at = (pairs + 2.0 * fitted) * (degree * degree).min(4e6) * 4e-9;
        let compared = if featureless { 0.0 } else { entries * (sizes.stored / nodes) * 2e-9 };
        seconds = (looked_at + compared) / threads;
    }
    let samples = valid * 10.0 * (params.component.kinds.len() + 6) as f64 * 4.0;

    let kinds: Vec<ComponentKind> =
        params.component.kinds.iter().copied().filter(|kind| !kind.is_pairwise()).collect();
    let needs: Vec<(ComponentKind, ComponentNeeds)> = kinds
        .iter()
        .map(|&kind| (kind, needs_of(kind, &sizes, 2.0 * train, &params.component, saving, threads)))
        .collect();
    let large = saving || params.component.is_large(graph.nodes());
    let record = !act || pairs < 2.0 * nodes;
    let width = needs.iter().map(|need| need.1.columns).sum::<f64>()
        + PAIRWISE_WIDTH as f64
        + sizes.if_weighted(WEIGHTED_WIDTH as f64);
    let entry = if fitted * width * 4.0 <= f64::from(128 << 20) { 4.0 } else { 2.0 };
    // Kept of a component that was learned.
    let kept = |columns: f64| {
        let values = pairs * 4.0 * if act { 1.0 + columns } else { 1.0 };
        let design = if act { fitted * columns * entry } else { 0.0 };
        design + 4.0 * fitted + if record { values } else { 2.0 * sizes.rows(columns) }
    };
    // While it is learned: basis, ẑ, ẑ H, and the same for the rows of training pairs.
    let learning =
        |columns: f64| 3.0 * sizes.rows(columns) + (2.0 + 1.0 / folds.max(1.0)) * 4.0 * rows * columns;
    // The same where only rows of evaluated pairs are wanted in the end.
    let compact = record && 4.0 * pairs < nodes && rows > 0.0;
    let learning_large = |columns: f64| {
        let later = if compact { 1.0 } else { 2.0 };
        let before = 2.0 * sizes.rows(columns) + 4.0 * rows * columns;
        before.max(later * sizes.rows(columns) + (2.0 + 1.0 / folds.max(1.0)) * 4.0 * rows * columns)
    };
    // Features are prepared in up to two ways, when the first component needs them.
    let mut ways = Vec::new();
    let mut prepare = |kind: ComponentKind| {
        let first = kind.uses_features() && !ways.contains(&kind.group_is_paper());
        if first {
            ways.push(kind.group_is_paper());
        }
        if first { sizes.prepared() } else { 0.0 }
    };
    let fitting = |columns: f64| {
        (nodes + rows) * columns * columns * DENSE * 1e-9 / threads + 6.0 * fitted * columns * 2e-9 / threads
    };
    let parallel = if large { 1 } else { exec.threads().min(needs.len().max(1)) };
    if large {
        for (kind, need) in &needs {
            planner.held += prepare(*kind);
            // What a basis in the memory of a decomposition holds in addition.
            let more = (need.built - 2.0 * sizes.rows(need.columns)).max(0.0);
            let needed = need.building.max(need.built).max(learning_large(need.columns) + more);
            let seconds = need.seconds + folds * need.again + fitting(need.columns);
            planner.stage(format!("component {}", kind.name()), needed, seconds);
            planner.held += kept(need.columns);
        }
    } else {
        planner.held += kinds.iter().map(|&kind| prepare(kind)).sum::<f64>();
        let all = |of: &dyn Fn(&ComponentNeeds) -> f64| needs.iter().map(|need| of(&need.1)).sum::<f64>();
        let largest = |of: &dyn Fn(&ComponentNeeds) -> f64| {
            let mut sizes: Vec<f64> = needs.iter().map(|need| of(&need.1)).collect();
            sizes.sort_by(|a, b| b.total_cmp(a));
            sizes.iter().take(parallel).sum::<f64>()
        };
        let built = all(&|need| need.built);
        let seconds = all(&|need| need.seconds);
        // Those that are built last are not yet among the built ones.
        let building = largest(&|need| need.building.max(need.built) - need.built);
        planner.stage("components", built + building, seconds);
        let learned = all(&|need| kept(need.columns));
        let seconds = all(&|need| folds * need.again + fitting(need.columns));
        // ẑ takes the place of the embedding, and the basis is released.
        let growing = largest(&|need| learning(need.columns) - need.built);
        // H counts edges without their weights.
        let counted = sizes.if_weighted(parallel as f64 * sizes.pattern(2.0 * train));
        planner.stage("compatibility", built.max(learned) + growing + counted, seconds);
        planner.held += learned;
    }
    if pairwise {
        planner.stage("pairs", 80.0 * fitted + sizes.if_weighted(20.0 * fitted), seconds);
    }
    let vectors = 3.0 * sizes.rows(52.0);
    let iterations = params.component.rsvd.iterations(nodes as usize, 52) as f64;
    let seconds = (2.0 * iterations + 3.0) * 2.0 * train * 52.0 * SPARSE * 1e-9 / threads + 1.0;
    planner.stage("information", vectors + 2.0 * samples, seconds);
    if act {
        let passes = 60.0 * fitted * width * 0.1e-9 + 15.0 * (choice + valid) * width * 0.5e-9;
        planner.stage("act", 100.0 * fitted, passes / threads);
    }
    planner.plan(params.splits, exec)
}

/// The plan of node classification.
pub fn nodes(graph: &Graph, goal: Goal, params: &NodeParams, exec: &Exec) -> Plan {
    let plan = |saving| nodes_in_one_way(graph, goal, params, saving, exec);
    plan(false).or_saving(|| plan(true)).with_smaller(params.component.dim, |dim| {
        let mut params = params.clone();
        params.component.dim = dim;
        nodes(graph, goal, &params, exec)
    })
}

fn nodes_in_one_way(graph: &Graph, goal: Goal, params: &NodeParams, saving: bool, exec: &Exec) -> Plan {
    let sizes = GraphSizes::of(graph, &params.component);
    let GraphSizes { nodes, entries, .. } = sizes;
    let threads = useful(exec);
    let labelled = graph.labelled() as f64;
    let known = labelled * (params.split.train + params.split.valid);
    let test = (labelled - known).clamp(0.0, params.split.max_evaluated as f64);
    let large = params.component.is_large(graph.nodes());
    let one_by_one = large || saving;
    // Rows of components that are kept.
    let rows = if large { (known + test).min(nodes) } else { nodes };

    let mut planner = Planner { held: sizes.graph() + 20.0 * nodes, stages: Vec::new() };
    let ways = [true, false].map(|plain| {
        let own = |kind: &&ComponentKind| kind.uses_features() && kind.group_is_paper() == plain;
        params.component.kinds.iter().any(|kind| own(&kind))
    });
    planner.held += ways.iter().filter(|&&used| used).count() as f64 * sizes.prepared();
    let needs: Vec<(ComponentKind, ComponentNeeds)> = params
        .component
        .kinds
        .iter()
        .map(|&kind| (kind, needs_of(kind, &sizes, entries, &params.component, saving, threads)))
        .collect();
    let kept = |columns: f64| 4.0 * rows * columns;
    let all = |of: &dyn Fn(&ComponentNeeds) -> f64| needs.iter().map(|need| of(&need.1)).sum::<f64>();
    let width = all(&|need| need.columns);
    if one_by_one {
        for (kind, need) in &needs {
            planner.stage(format!("component {}", kind.name()), need.building.max(need.built), need.seconds);
            planner.held += kept(need.columns);
        }
    } else {
        let parallel = exec.threads().min(needs.len().max(1));
        let building = |need: &ComponentNeeds| need.building.max(need.built) - need.built;
        let mut building: Vec<f64> = needs.iter().map(|need| building(&need.1)).collect();
        building.sort_by(|a, b| b.total_cmp(a));
        let building = building.iter().take(parallel).sum::<f64>();
        planner.stage("components", all(&|need| need.built) + building, all(&|need| need.seconds));
        planner.held += all(&|need| kept(need.columns));
    }
    let widest = needs.iter().map(|need| need.1.columns).fold(0.0, f64::max);
    let clusters = test * widest * 64.0 * 20.0 * needs.len() as f64 * DENSE * 1e-9 / threads;
    planner.stage("probe", 2.0 * 2.0 * kept(widest), clusters);
    // Propagation is built again for its two controls.
    let propagated: Vec<&ComponentNeeds> = needs
        .iter()
        .filter(
            |(kind, _)| matches!(kind.spec().source, ComponentSource::Features(f) if f != FilterSpec::None),
        )
        .map(|(_, need)| need)
        .collect();
    let largest = propagated.iter().map(|need| need.building.max(need.built)).fold(0.0, f64::max);
    let controls = if graph.features().cols() == 0 { 0.0 } else { 2.0 };
    let seconds = controls * propagated.iter().map(|need| need.seconds).sum::<f64>();
    let at_once =
        if one_by_one { largest } else { propagated.iter().map(|need| need.built).sum::<f64>() + largest };
    // Another graph of the same size, made from a list of edges and a set of them.
    let rewired = if controls > 0.0 { sizes.adjacency(entries) + 20.0 * entries } else { 0.0 };
    planner.stage("information", at_once.max(rewired) + rewired / 3.0, seconds + entries * controls * 60e-9);
    if goal == Goal::Act {
        planner.stage("act", 4.0 * rows * width, known * width * width * 4.0 * DENSE * 1e-9 / threads + 1.0);
    }
    planner.plan(params.splits, exec)
}

impl ComponentKind {
    /// Whether it uses features as the paper prepares words.
    fn group_is_paper(self) -> bool {
        self.spec().weighting.index() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::Seed;
    use crate::synth;

    #[test]
    fn plans_grow_with_the_graph_and_refuse_what_does_not_fit() {
        let exec = Exec::new(2).unwrap();
        let plan = |nodes: usize, exec: &Exec| {
            let shape = synth::Large { nodes, features: 64, ..synth::Large::default() };
            let graph = synth::large(&shape, Seed(0), exec).unwrap();
            links(&graph, None, Goal::Act, &LinkParams::default(), exec)
        };
        let [small, large] = [2_000, 20_000].map(|nodes| plan(nodes, &exec));
        assert!(small.bytes < large.bytes && small.seconds < large.seconds);
        assert!(small.check().is_ok() && small.warning().is_none());
        let tight = Exec::new(2).unwrap().with_memory_limit(large.bytes / 2);
        let refused = plan(20_000, &tight);
        let (dim, bytes) = refused.smaller.expect("a smaller size fits");
        assert!(dim < 128 && bytes <= large.bytes / 2);
        let said = refused.check().unwrap_err().to_string();
        assert!(
            said.starts_with("memory: the run needs about") && said.contains(&format!("`dim` {dim}")),
            "{said}"
        );
        let hopeless = plan(2_000, &Exec::new(2).unwrap().with_memory_limit(1 << 20));
        assert!(hopeless.smaller.is_none() && hopeless.check().is_err());
    }

    #[test]
    fn sizes_and_times_are_readable() {
        assert_eq!([size(5 << 20), size(3 << 29)], ["5 MiB", "1.5 GiB"]);
        assert_eq!([duration(0.2), duration(100.0), duration(7200.0)], ["1 s", "2 min", "2.0 h"]);
    }
}
