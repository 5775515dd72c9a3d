//! Read first: the whole method, stage after stage, nothing hidden.

use std::time::Instant;

use serde::{Deserialize, Serialize};

use crate::act::{self, ActParams};
use crate::compat::{self, CompatKind, CompatParams};
use crate::component::{self, ComponentKind, ComponentParams};
use crate::error::{Error, Result};
use crate::exec::Exec;
use crate::graph::Graph;
use crate::probe::{self, ProbeParams};
use crate::report::{ComponentReport, OrderedMap, Report, SplitReport};
use crate::seed::Seed;
use crate::split::{self, LinkPairs, SplitParams};

/// The parameters of every stage; the defaults are the paper's where it has one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Params {
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
    pub probe: ProbeParams,
    /// Act.
    pub act: ActParams,
}

impl Default for Params {
    fn default() -> Self {
        Params {
            splits: 1,
            seed: Seed(0),
            split: SplitParams::default(),
            component: ComponentParams::default(),
            compat: CompatParams::default(),
            probe: ProbeParams::default(),
            act: ActParams::default(),
        }
    }
}

impl Params {
    /// SlimG (KDD 2023) as a configuration of the same pipeline: U, F, P, S and no compatibility matrix.
    #[must_use]
    pub fn slimg(mut self) -> Self {
        use ComponentKind::{F, P, S, U};
        self.component.kinds = vec![U, F, P, S];
        self.compat.kind = CompatKind::None;
        self
    }

    fn validate(&self) -> Result<()> {
        if !(1..=10_000).contains(&self.splits) {
            return Err(Error::param("splits", self.splits, "1 to 10000"));
        }
        self.component.validate()?;
        self.compat.validate()?;
        self.probe.validate()?;
        self.act.validate()
    }
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
/// use netinfof::{Exec, Goal, Params, Seed, graph::synth, links};
/// let graph = synth::named("demo", Seed(0))?;
/// let report = links(&graph, None, Goal::Probe, &Params::default(), &Exec::new(0)?)?;
/// let scores = &report.mean.components;
/// assert!(scores.get("S").unwrap() > scores.get("F").unwrap());
/// # Ok::<(), netinfof::Error>(())
/// ```
pub fn links(
    graph: &Graph,
    own: Option<&LinkPairs>,
    goal: Goal,
    params: &Params,
    exec: &Exec,
) -> Result<Report> {
    params.validate()?;
    if own.is_some() && params.splits > 1 {
        exec.notice("the split is the same for every seed: only walks, sketches and negatives differ");
    }
    let mut splits = Vec::with_capacity(params.splits);
    for number in 0..params.splits {
        let seed = Seed(params.seed.0.wrapping_add(number as u64));
        splits.push(link_split(graph, own, goal, params, seed, exec)?);
    }
    Ok(Report::new(graph, params, splits, exec.notices(), exec.threads()))
}

fn link_split(
    graph: &Graph,
    own: Option<&LinkPairs>,
    goal: Goal,
    params: &Params,
    seed: Seed,
    exec: &Exec,
) -> Result<SplitReport> {
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

    let adjusted = compat::fit(&components, &split, &params.compat, seed, exec)?;
    drop(components);
    clock.lap("compatibility");

    let scores = probe::links(&adjusted, &split, &params.probe, seed, exec)?;
    clock.lap("probe");

    let act = match goal {
        Goal::Probe => None,
        Goal::Act => Some(act::links(&adjusted, &split, &params.act, seed, exec)?),
    };
    if act.is_some() {
        clock.lap("act");
    }

    let by_component = adjusted.iter().zip(&scores);
    Ok(SplitReport {
        seed: seed.0,
        components: by_component
            .map(|(component, info)| (component.kind.name().into(), ComponentReport::new(component, info)))
            .collect(),
        act: act.map(Into::into),
        seconds: clock.finish(),
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
