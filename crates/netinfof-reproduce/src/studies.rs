//! The paper's tables and figures: which runs each needs, and which function turns their outcomes into a section.

use std::collections::{BTreeMap, BTreeSet};

use netinfof::params::CompatKind;
use netinfof::params::{Averaging, FeatureScaling, Normalization};
use netinfof::{ComponentKind, Goal, LinkParams, NodeParams, Protocol};

use super::experiment::{ExperimentRun, RunOutcome, RunTask};
use super::paper::{self, PaperGraph};
use super::section::{ClaimCheck, ComparisonRow, MeasuredValue, RenderedPlot, RunState, Section};
use super::tables;

/// A table or a figure of the paper, or a table and a figure that show the same runs.
pub(crate) struct Study {
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
    runs: fn(usize) -> Vec<ExperimentRun>,
    show: fn(&StudyResults) -> SectionContent,
}

/// The content of a study. Fields are those of [`Section`].
#[derive(Default)]
pub(super) struct SectionContent {
    pub(super) protocol: String,
    pub(super) rows: Vec<ComparisonRow>,
    pub(super) checks: Vec<ClaimCheck>,
    pub(super) plots: Vec<RenderedPlot>,
}

pub(crate) const STUDIES: [Study; 15] = [
    Study {
        id: "table2",
        title: "Table 2: link prediction on synthetic graphs",
        runs: table2_runs,
        show: tables::table2,
    },
    Study {
        id: "table3",
        title: "Table 3: link prediction on real graphs",
        runs: table3_runs,
        show: tables::table3,
    },
    Study {
        id: "table4",
        title: "Table 4: link prediction on OGB graphs",
        runs: table4_runs,
        show: tables::table4,
    },
    Study {
        id: "table5",
        title: "Table 5: ablation of the compatibility matrix",
        runs: table5_runs,
        show: tables::table5,
    },
    Study {
        id: "table6",
        title: "Table 6: link prediction on synthetic graphs, by component",
        runs: table6_runs,
        show: tables::table6,
    },
    Study {
        id: "table7",
        title: "Table 7: link prediction on real graphs, by component",
        runs: table7_runs,
        show: tables::table7,
    },
    Study {
        id: "table8",
        title: "Table 8 and Figure 7: sensitivity of the score to the number of bins",
        runs: table8_runs,
        show: tables::table8,
    },
    Study {
        id: "table9",
        title: "Table 9: comparison with SEAL, a subgraph GNN",
        runs: table3_runs,
        show: tables::table9,
    },
    Study {
        id: "table10",
        title: "Table 10: node classification on synthetic graphs",
        runs: table10_runs,
        show: tables::table10,
    },
    Study {
        id: "table11",
        title: "Table 11: node classification on synthetic graphs, by component",
        runs: table11_runs,
        show: tables::table11,
    },
    Study {
        id: "table12",
        title: "Table 12: node classification on real graphs",
        runs: table12_runs,
        show: tables::table12,
    },
    Study {
        id: "fig2",
        title: "Figure 2: score against test performance on real graphs",
        runs: figure2_runs,
        show: tables::figure2,
    },
    Study {
        id: "fig3",
        title: "Figure 3: the score never exceeds the accuracy (theorem 2)",
        runs: figure3_runs,
        show: tables::figure3,
    },
    Study {
        id: "fig4",
        title: "Figure 4: score against test performance on synthetic graphs",
        runs: figure4_runs,
        show: tables::figure4,
    },
    Study { id: "fig6", title: "Figure 6: seconds against edges", runs: figure6_runs, show: tables::figure6 },
];

impl Study {
    /// The study of this name. A table and a figure that share a study are found by either name.
    pub(crate) fn named(name: &str) -> Option<&'static Study> {
        let name = name.to_lowercase().replace([' ', '-', '.'], "").replace("figure", "fig");
        let name = if name == "fig7" { "table8" } else { &name };
        STUDIES.iter().find(|study| study.id == name)
    }

    pub(crate) fn runs(&self, splits: usize) -> Vec<ExperimentRun> {
        (self.runs)(splits)
    }

    pub(crate) fn section(&self, results: &StudyResults) -> Section {
        let SectionContent { protocol, rows, checks, plots } = (self.show)(results);
        Section { id: self.id, title: self.title, protocol, rows, checks, plots }
    }
}

/// Outcomes of the runs so far.
#[derive(Default)]
pub(crate) struct StudyResults {
    pub(crate) splits: usize,
    /// By the key of the run.
    pub(crate) outcomes: BTreeMap<String, RunOutcome>,
    /// Keys of runs whose graph is not on disk.
    pub(crate) missing: BTreeSet<String>,
    /// Keys of runs that ended in an error.
    pub(crate) failed: BTreeSet<String>,
}

impl StudyResults {
    /// The outcome of a run, or the reason why it is absent.
    pub(super) fn get(&self, key: &str) -> MeasuredValue<'_> {
        let state = if self.missing.contains(key) {
            RunState::Missing
        } else if self.failed.contains(key) {
            RunState::Failed
        } else {
            RunState::Pending
        };
        MeasuredValue::new(self.outcomes.get(key), state)
    }

    /// Those of these runs that are finished.
    pub(super) fn finished(&self, keys: impl IntoIterator<Item = String>) -> Vec<(String, &RunOutcome)> {
        keys.into_iter().filter_map(|key| self.outcomes.get(&key).map(|outcome| (key, outcome))).collect()
    }
}

/// A configuration of the pipeline that the paper names or that a study compares.
#[derive(Clone, Copy)]
pub(super) enum ModelVariant {
    Full,
    Slimg,
    WithoutCm,
    OnlyH,
    Single(ComponentKind),
    /// A single component, with negatives that are verified not to be edges.
    Verified(ComponentKind),
    Bins(usize),
}

impl ModelVariant {
    fn name(self) -> String {
        match self {
            ModelVariant::Full => "full".into(),
            ModelVariant::Slimg => "slimg".into(),
            ModelVariant::WithoutCm => "without-cm".into(),
            ModelVariant::OnlyH => "only-h".into(),
            ModelVariant::Single(kind) => format!("only-{}", kind.name()),
            ModelVariant::Verified(kind) => format!("only-{}-verified", kind.name()),
            ModelVariant::Bins(k) => format!("bins-{k}"),
        }
    }

    fn share_of_cost(self) -> f64 {
        match self {
            ModelVariant::Full => 1.0,
            ModelVariant::Slimg | ModelVariant::WithoutCm | ModelVariant::OnlyH => 0.8,
            ModelVariant::Single(_) | ModelVariant::Verified(_) => 0.25,
            ModelVariant::Bins(_) => 0.4,
        }
    }
}

pub(super) const SINGLES: [ComponentKind; 5] = ComponentKind::PAPER;
/// Number of random walks per node on synthetic graphs and on those of OGB.
pub(super) const MANY_WALKS: usize = 1000;

pub(super) fn link_key(graph: &str, variant: ModelVariant) -> String {
    format!("links-{}-{}", graph.trim_start_matches("synth:"), variant.name())
}

pub(super) fn node_key(graph: &str, variant: ModelVariant) -> String {
    format!("nodes-{}-{}", graph.trim_start_matches("synth:"), variant.name())
}

fn link_params(variant: ModelVariant, splits: usize) -> (Goal, LinkParams) {
    let mut params = LinkParams::paper();
    params.splits = splits;
    let mut goal = Goal::Act;
    match variant {
        ModelVariant::Full => {}
        ModelVariant::Slimg => params = params.slimg(),
        ModelVariant::WithoutCm => params.compat.kind = CompatKind::None,
        ModelVariant::OnlyH => params.compat.kind = CompatKind::H,
        ModelVariant::Single(kind) => params.component.kinds = vec![kind],
        ModelVariant::Verified(kind) => {
            params.component.kinds = vec![kind];
            params.split.protocol = Protocol::Clean;
        }
        ModelVariant::Bins(k) => {
            params.probe.bins = k;
            goal = Goal::Probe;
        }
    }
    (goal, params)
}

fn real_links(known: &PaperGraph, variant: ModelVariant, splits: usize) -> ExperimentRun {
    let (goal, mut params) = link_params(variant, splits);
    params.act.hits = Some(known.hits);
    ExperimentRun {
        key: link_key(known.name, variant),
        graph: known.name.into(),
        official_split: false,
        timed: false,
        cost: splits as f64 * known.cost * variant.share_of_cost(),
        job: RunTask::Links(goal, Box::new(params)),
    }
}

fn synth_links(scenario: &str, variant: ModelVariant, splits: usize) -> ExperimentRun {
    let (goal, mut params) = link_params(variant, splits);
    params.component.walk_trials = MANY_WALKS;
    ExperimentRun {
        key: link_key(scenario, variant),
        graph: format!("synth:{scenario}"),
        official_split: false,
        timed: false,
        cost: 1.0 + splits as f64 * 1.3 * variant.share_of_cost(),
        job: RunTask::Links(goal, Box::new(params)),
    }
}

fn node_params(variant: ModelVariant, splits: usize) -> NodeParams {
    let mut params = NodeParams::paper();
    params.splits = splits;
    // Features are prepared as in the paper, not by the kind of their columns.
    (params.component.scaling, params.act.normalization) = (FeatureScaling::Paper, Normalization::Rows);
    match variant {
        ModelVariant::Slimg => params = params.slimg(),
        ModelVariant::Single(kind) => params.component.kinds = vec![kind],
        _ => {}
    }
    params
}

fn synth_nodes(scenario: &str, variant: ModelVariant, splits: usize) -> ExperimentRun {
    let mut params = node_params(variant, splits);
    params.component.walk_trials = MANY_WALKS;
    params.component.s_averaging = Averaging::Row;
    ExperimentRun {
        key: node_key(scenario, variant),
        graph: format!("synth:{scenario}"),
        official_split: false,
        timed: false,
        cost: 0.5 + splits as f64 * 0.7 * variant.share_of_cost(),
        job: RunTask::Nodes(Goal::Act, Box::new(params)),
    }
}

fn real_nodes(known: &PaperGraph, variant: ModelVariant, splits: usize) -> ExperimentRun {
    ExperimentRun {
        key: node_key(known.name, variant),
        graph: known.name.into(),
        official_split: false,
        timed: false,
        cost: splits as f64 * known.cost * 0.7 * variant.share_of_cost(),
        job: RunTask::Nodes(Goal::Act, Box::new(node_params(variant, splits))),
    }
}

fn table2_runs(splits: usize) -> Vec<ExperimentRun> {
    let both =
        |scenario: &&str| [ModelVariant::Full, ModelVariant::Slimg].map(|v| synth_links(scenario, v, splits));
    paper::LINK_SCENARIOS.iter().flat_map(both).collect()
}

fn table3_runs(splits: usize) -> Vec<ExperimentRun> {
    let both =
        |known: &PaperGraph| [ModelVariant::Full, ModelVariant::Slimg].map(|v| real_links(known, v, splits));
    paper::GRAPHS.iter().flat_map(both).collect()
}

fn table5_runs(splits: usize) -> Vec<ExperimentRun> {
    let all = |known: &PaperGraph| {
        [ModelVariant::Full, ModelVariant::WithoutCm, ModelVariant::OnlyH]
            .map(|v| real_links(known, v, splits))
    };
    paper::GRAPHS.iter().flat_map(all).collect()
}

fn table6_runs(splits: usize) -> Vec<ExperimentRun> {
    let singles =
        |scenario: &&str| SINGLES.map(|kind| synth_links(scenario, ModelVariant::Single(kind), splits));
    paper::LINK_SCENARIOS.iter().flat_map(singles).collect()
}

fn table7_runs(splits: usize) -> Vec<ExperimentRun> {
    let singles =
        |known: &PaperGraph| SINGLES.map(|kind| real_links(known, ModelVariant::Single(kind), splits));
    paper::GRAPHS.iter().flat_map(singles).collect()
}

fn figure2_runs(splits: usize) -> Vec<ExperimentRun> {
    let verified =
        |known: &PaperGraph| SINGLES.map(|kind| real_links(known, ModelVariant::Verified(kind), splits));
    let nodes =
        |known: &PaperGraph| SINGLES.map(|kind| real_nodes(known, ModelVariant::Single(kind), splits));
    let mut runs = table7_runs(splits);
    runs.extend(paper::GRAPHS.iter().flat_map(verified));
    runs.extend(paper::GRAPHS.iter().flat_map(nodes));
    runs
}

fn table8_runs(splits: usize) -> Vec<ExperimentRun> {
    let computers = &paper::GRAPHS[3];
    paper::BINS.iter().map(|&k| real_links(computers, ModelVariant::Bins(k), splits)).collect()
}

fn table10_runs(splits: usize) -> Vec<ExperimentRun> {
    let both =
        |scenario: &&str| [ModelVariant::Full, ModelVariant::Slimg].map(|v| synth_nodes(scenario, v, splits));
    paper::NODE_SCENARIOS.iter().flat_map(both).collect()
}

fn table11_runs(splits: usize) -> Vec<ExperimentRun> {
    let singles =
        |scenario: &&str| SINGLES.map(|kind| synth_nodes(scenario, ModelVariant::Single(kind), splits));
    paper::NODE_SCENARIOS.iter().flat_map(singles).collect()
}

fn table12_runs(splits: usize) -> Vec<ExperimentRun> {
    let both =
        |known: &PaperGraph| [ModelVariant::Full, ModelVariant::Slimg].map(|v| real_nodes(known, v, splits));
    paper::GRAPHS.iter().flat_map(both).collect()
}

pub(super) fn figure3_runs(splits: usize) -> Vec<ExperimentRun> {
    let mut runs = table2_runs(splits);
    runs.extend(table10_runs(splits));
    runs.extend(table3_runs(splits));
    runs.extend(table12_runs(splits));
    runs.retain(|run| run.key.ends_with("-full"));
    runs
}

fn figure4_runs(splits: usize) -> Vec<ExperimentRun> {
    [table6_runs(splits), table11_runs(splits)].concat()
}

/// How the graphs of OGB are run: as the paper states, and with the settings that validation prefers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum OgbVariant {
    Paper,
    Slimg,
    Lengths,
}

impl OgbVariant {
    pub(super) fn key(self, graph: &str) -> String {
        let name = match self {
            OgbVariant::Paper => "full",
            OgbVariant::Slimg => "slimg",
            OgbVariant::Lengths => "lengths",
        };
        format!("links-{graph}-{name}")
    }
}

fn table4_runs(splits: usize) -> Vec<ExperimentRun> {
    let run = |graph: &str, hits: usize, way: OgbVariant| {
        let mut params = LinkParams::paper();
        params.splits = splits;
        params.act.hits = Some(hits);
        params.component.dim = 256;
        params.component.walk_trials = MANY_WALKS;
        match way {
            OgbVariant::Paper => {}
            OgbVariant::Slimg => params = params.slimg(),
            OgbVariant::Lengths => {
                params.compat.unit_rows = false;
                params.compat.max_edges = 1_200_000;
                params.act.max_pairs = 2_400_000;
            }
        }
        ExperimentRun {
            key: way.key(graph),
            graph: graph.into(),
            official_split: true,
            timed: false,
            cost: splits as f64 * if way == OgbVariant::Lengths { 22.0 } else { 9.0 },
            job: RunTask::Links(Goal::Act, Box::new(params)),
        }
    };
    paper::OGB
        .iter()
        .flat_map(|&(graph, _, hits, ..)| {
            [OgbVariant::Paper, OgbVariant::Slimg, OgbVariant::Lengths].map(|way| run(graph, hits, way))
        })
        .collect()
}

/// Numbers of nodes of the generated graphs of the scalability study. They have about ten edges per node after duplicates are removed.
pub(super) const SCALE: [usize; 5] = [10_000, 31_623, 100_000, 316_228, 1_000_000];

const SCALE_DEGREE: u32 = 23;

pub(super) fn scale_key(nodes: usize) -> String {
    format!("links-large-{nodes}")
}

fn figure6_runs(splits: usize) -> Vec<ExperimentRun> {
    let mut runs: Vec<ExperimentRun> =
        paper::GRAPHS.iter().map(|known| real_links(known, ModelVariant::Full, splits)).collect();
    for nodes in SCALE {
        // Short runs are repeated, because a second of noise is a large share of their time.
        let (goal, mut params) = link_params(ModelVariant::Full, if nodes <= 100_000 { 3 } else { 1 });
        params.act.hits = Some(1000);
        runs.push(ExperimentRun {
            key: scale_key(nodes),
            graph: format!("synth:large?nodes={nodes}&degree={SCALE_DEGREE}"),
            official_split: false,
            timed: false,
            cost: nodes as f64 * if nodes <= 100_000 { 4.5e-4 } else { 1.6e-4 } + 2.0,
            job: RunTask::Links(goal, Box::new(params)),
        });
    }
    runs
}
