//! One run of an experiment: a graph, a task, its parameters. What it found is kept in a file, so that a run that was
//! stopped goes on where it was.

use std::collections::BTreeMap;
use std::path::Path;

use netinfof::report::SplitReport;
use netinfof::{Error, Exec, Goal, Graph, LinkParams, NodeParams, Result, Seed};
use netinfof_io::load::{self, LoadParams};
use serde::{Deserialize, Serialize};

/// A task with its parameters.
#[derive(Clone, Debug)]
pub(crate) enum Job {
    Links(Goal, Box<LinkParams>),
    Nodes(Goal, Box<NodeParams>),
}

/// One run.
#[derive(Clone, Debug)]
pub(crate) struct Unit {
    /// What tables ask for it by, and the name of its file.
    pub(crate) key: String,
    /// `synth:…`, or the name of a file in the data folder, without `.npz`.
    pub(crate) graph: String,
    /// Whether the graph comes with its official split, in `NAME_split.npz`.
    pub(crate) official_split: bool,
    pub(crate) job: Job,
    /// Rough seconds, to foretell the time left.
    pub(crate) cost: f64,
    /// Whether its seconds are what counts.
    pub(crate) timed: bool,
}

/// What a run found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Outcome {
    /// What exactly was run; a file of something else is not used.
    pub(crate) fingerprint: String,
    /// What times depend on.
    #[serde(default)]
    pub(crate) threads: usize,
    /// What the run had to change.
    #[serde(default)]
    pub(crate) notices: Vec<String>,
    pub(crate) edges: usize,
    pub(crate) splits: Vec<Split>,
}

/// What a run found on one split.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Split {
    pub(crate) seed: u64,
    pub(crate) test: BTreeMap<String, f64>,
    pub(crate) components: BTreeMap<String, Component>,
    pub(crate) seconds: BTreeMap<String, f64>,
}

/// What Probe found about a component.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Component {
    pub(crate) score: f64,
    pub(crate) corrected: f64,
    pub(crate) accuracy: f64,
    pub(crate) no_information: f64,
    pub(crate) p_value: Option<f64>,
}

impl Split {
    fn new(found: &SplitReport) -> Self {
        let component = |(name, c): (&str, &netinfof::report::ComponentReport)| {
            let kept = Component {
                score: c.score,
                corrected: c.corrected,
                accuracy: c.accuracy,
                no_information: c.no_information,
                p_value: Some(c.p_value),
            };
            (name.to_string(), kept)
        };
        let test = found.act.as_ref().map(|act| act.test.iter().map(|(k, v)| (k.into(), *v)).collect());
        Split {
            seed: found.seed,
            test: test.unwrap_or_default(),
            components: found.components.iter().map(component).collect(),
            seconds: found.seconds.iter().map(|(stage, seconds)| (stage.into(), *seconds)).collect(),
        }
    }
}

/// Raised by hand whenever the same parameters would give other figures.
const RUN_FORMAT: u32 = 2;

/// Size and FNV-1a hash of a file.
fn digest(path: &Path) -> String {
    let Ok(bytes) = std::fs::read(path) else { return "absent".into() };
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325u64, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{} {hash:016x}", bytes.len())
}

/// The graph of the last unit: the next often has the same.
#[derive(Default)]
pub(crate) struct Shelf(Option<(String, Graph)>);

impl Unit {
    /// What exactly would be run, and on which files.
    pub(crate) fn fingerprint(&self, data: &Path) -> String {
        let (goal, params) = match &self.job {
            Job::Links(goal, params) => (goal, serde_json::to_string(params)),
            Job::Nodes(goal, params) => (goal, serde_json::to_string(params)),
        };
        let params = params.expect("parameters hold nothing JSON cannot say");
        let mut files = String::new();
        if !self.graph.starts_with("synth:") {
            files.push_str(&digest(&data.join(format!("{}.npz", self.graph))));
        }
        if self.official_split {
            files.push_str(&digest(&data.join(format!("{}_split.npz", self.graph))));
        }
        format!(
            "netinfof {} format {RUN_FORMAT} | {} {files} | {goal:?} | {params}",
            env!("CARGO_PKG_VERSION"),
            self.graph
        )
    }

    /// Whether the files it needs are there.
    pub(crate) fn available(&self, data: &Path) -> bool {
        let file = |name: &str| data.join(format!("{name}.npz")).is_file();
        self.graph.starts_with("synth:")
            || (file(&self.graph) && (!self.official_split || file(&format!("{}_split", self.graph))))
    }

    /// What an earlier run kept of this unit.
    pub(crate) fn kept(&self, data: &Path, runs: &Path) -> Option<Outcome> {
        let text = std::fs::read_to_string(self.file(runs)).ok()?;
        let outcome: Outcome = serde_json::from_str(&text).ok()?;
        (outcome.fingerprint == self.fingerprint(data) && !outcome.splits.is_empty()).then_some(outcome)
    }

    /// Runs it and keeps what it found.
    pub(crate) fn run(&self, data: &Path, runs: &Path, shelf: &mut Shelf, exec: &Exec) -> Result<Outcome> {
        if shelf.0.as_ref().is_none_or(|(name, _)| *name != self.graph) {
            // One graph at a time.
            shelf.0 = None;
            let path = data.join(format!("{}.npz", self.graph));
            let source = if self.graph.starts_with("synth:") {
                self.graph.clone()
            } else {
                path.to_string_lossy().into_owned()
            };
            let graph = load::graph(&source, &LoadParams::default(), Seed(0), exec)?;
            shelf.0 = Some((self.graph.clone(), graph));
        }
        let graph = &shelf.0.as_ref().expect("just put there").1;
        let report = match &self.job {
            Job::Links(goal, params) => {
                let split = data.join(format!("{}_split.npz", self.graph));
                let own = if self.official_split { Some(load::link_split_npz(&split)?) } else { None };
                netinfof::links(graph, own.as_ref(), *goal, params, exec)?
            }
            Job::Nodes(goal, params) => netinfof::nodes(graph, None, *goal, params, exec)?,
        };
        let outcome = Outcome {
            fingerprint: self.fingerprint(data),
            threads: exec.threads(),
            notices: report.notices.clone(),
            edges: graph.edge_count(),
            splits: report.splits.iter().map(Split::new).collect(),
        };
        let text = serde_json::to_string_pretty(&outcome)
            .map_err(|e| Error::Numerical { solver: "JSON", why: e.to_string() })?;
        crate::write_whole(&self.file(runs), &text)?;
        Ok(outcome)
    }

    fn file(&self, runs: &Path) -> std::path::PathBuf {
        runs.join(format!("{}.json", self.key))
    }
}
