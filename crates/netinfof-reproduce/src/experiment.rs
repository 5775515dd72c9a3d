//! One run of an experiment: a graph, a task and its parameters. The outcome is kept in a file, so that the next call can reuse it.

use std::collections::BTreeMap;
use std::path::Path;

use netinfof::report::SplitReport;
use netinfof::{Error, Exec, Goal, Graph, LinkParams, NodeParams, Result, Seed};
use netinfof_io::load::{self, LoadParams};
use serde::{Deserialize, Serialize};

/// A task with its goal and parameters.
#[derive(Clone, Debug)]
pub(crate) enum RunTask {
    Links(Goal, Box<LinkParams>),
    Nodes(Goal, Box<NodeParams>),
}

/// One graph, one task, one set of parameters, on several splits.
#[derive(Clone, Debug)]
pub(crate) struct ExperimentRun {
    /// The name under which tables look up the outcome; also the name of its file.
    pub(crate) key: String,
    /// `synth:…`, or the name of a file in the data folder without `.npz`.
    pub(crate) graph: String,
    /// Whether the graph comes with its official split, in `NAME_split.npz`.
    pub(crate) official_split: bool,
    pub(crate) job: RunTask,
    /// Approximate seconds, for the estimate of the time left.
    pub(crate) cost: f64,
    /// Whether the measured seconds are a result of the study.
    pub(crate) timed: bool,
}

/// The result of a run, as it is kept in a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RunOutcome {
    /// Identifies version, data and parameters; an outcome with another fingerprint is not reused.
    pub(crate) fingerprint: String,
    /// Number of threads, on which the times depend.
    #[serde(default)]
    pub(crate) threads: usize,
    /// Notices of the run, such as parameters that were reduced for a small graph.
    #[serde(default)]
    pub(crate) notices: Vec<String>,
    pub(crate) edges: usize,
    pub(crate) splits: Vec<SplitOutcome>,
}

/// The result of a run on one split.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct SplitOutcome {
    pub(crate) seed: u64,
    pub(crate) test: BTreeMap<String, f64>,
    pub(crate) components: BTreeMap<String, ComponentOutcome>,
    pub(crate) seconds: BTreeMap<String, f64>,
}

/// Probe's result for a component.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ComponentOutcome {
    pub(crate) score: f64,
    pub(crate) corrected: f64,
    pub(crate) accuracy: f64,
    pub(crate) no_information: f64,
    pub(crate) p_value: Option<f64>,
}

impl SplitOutcome {
    fn new(report: &SplitReport) -> Self {
        let component = |(name, c): (&str, &netinfof::report::ComponentReport)| {
            let kept = ComponentOutcome {
                score: c.score,
                corrected: c.corrected,
                accuracy: c.accuracy,
                no_information: c.no_information,
                p_value: Some(c.p_value),
            };
            (name.to_string(), kept)
        };
        let test = report.act.as_ref().map(|act| act.test.iter().map(|(k, v)| (k.into(), *v)).collect());
        SplitOutcome {
            seed: report.seed,
            test: test.unwrap_or_default(),
            components: report.components.iter().map(component).collect(),
            seconds: report.seconds.iter().map(|(stage, seconds)| (stage.into(), *seconds)).collect(),
        }
    }
}

/// Version of the outcome files. It must be increased whenever the same parameters give different results.
const RUN_FORMAT: u32 = 2;

/// Size and FNV-1a hash of a file.
fn digest(path: &Path) -> String {
    let Ok(bytes) = std::fs::read(path) else { return "absent".into() };
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325u64, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{} {hash:016x}", bytes.len())
}

/// Holds the graph of the last run, because consecutive runs often use the same one.
#[derive(Default)]
pub(crate) struct GraphCache(Option<(String, Graph)>);

impl ExperimentRun {
    /// Version, parameters and file contents that determine the outcome.
    pub(crate) fn fingerprint(&self, data: &Path) -> String {
        let (goal, params) = match &self.job {
            RunTask::Links(goal, params) => (goal, serde_json::to_string(params)),
            RunTask::Nodes(goal, params) => (goal, serde_json::to_string(params)),
        };
        let params = params.expect("parameters can be written as JSON");
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

    /// Whether the files of the graph and its split exist.
    pub(crate) fn available(&self, data: &Path) -> bool {
        let file = |name: &str| data.join(format!("{name}.npz")).is_file();
        self.graph.starts_with("synth:")
            || (file(&self.graph) && (!self.official_split || file(&format!("{}_split", self.graph))))
    }

    /// The outcome of an earlier call, if it has the same fingerprint.
    pub(crate) fn kept(&self, data: &Path, runs: &Path) -> Option<RunOutcome> {
        let text = std::fs::read_to_string(self.file(runs)).ok()?;
        let outcome: RunOutcome = serde_json::from_str(&text).ok()?;
        (outcome.fingerprint == self.fingerprint(data) && !outcome.splits.is_empty()).then_some(outcome)
    }

    /// Runs the experiment and writes the outcome to its file.
    pub(crate) fn run(
        &self,
        data: &Path,
        runs: &Path,
        cache: &mut GraphCache,
        exec: &Exec,
    ) -> Result<RunOutcome> {
        if cache.0.as_ref().is_none_or(|(name, _)| *name != self.graph) {
            // The old graph is dropped before the new one is loaded, so that memory holds only one.
            cache.0 = None;
            let path = data.join(format!("{}.npz", self.graph));
            let source = if self.graph.starts_with("synth:") {
                self.graph.clone()
            } else {
                path.to_string_lossy().into_owned()
            };
            let graph = load::graph(&source, &LoadParams::default(), Seed(0), exec)?;
            cache.0 = Some((self.graph.clone(), graph));
        }
        let graph = &cache.0.as_ref().expect("the graph was just loaded").1;
        let report = match &self.job {
            RunTask::Links(goal, params) => {
                let split = data.join(format!("{}_split.npz", self.graph));
                let own = if self.official_split { Some(load::link_split_npz(&split)?) } else { None };
                netinfof::links(graph, own.as_ref(), *goal, params, exec)?
            }
            RunTask::Nodes(goal, params) => netinfof::nodes(graph, None, *goal, params, exec)?,
        };
        let outcome = RunOutcome {
            fingerprint: self.fingerprint(data),
            threads: exec.threads(),
            notices: report.notices.clone(),
            edges: graph.edge_count(),
            splits: report.splits.iter().map(SplitOutcome::new).collect(),
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
