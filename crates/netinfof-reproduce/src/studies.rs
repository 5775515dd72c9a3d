//! The paper's tables and figures: which runs each needs, and what it shows of them.

use std::collections::{BTreeMap, BTreeSet};

use netinfof::compat::CompatKind;
use netinfof::component::{Averaging, FeatureScaling, Normalization};
use netinfof::{ComponentKind, Goal, LinkParams, NodeParams, Protocol};

use super::paper::{self, Known};
use super::section::{Check, Found, Row, Section, Shown, State};
use super::tables;
use super::unit::{Job, Outcome, Unit};

/// A table or a figure of the paper, or two that show the same runs.
pub(crate) struct Study {
    pub(crate) id: &'static str,
    pub(crate) title: &'static str,
    units: fn(usize) -> Vec<Unit>,
    show: fn(&Results) -> Shows,
}

/// What a study shows: protocol, rows, checks, plots.
pub(super) type Shows = (String, Vec<Row>, Vec<Check>, Vec<Shown>);

pub(crate) const STUDIES: [Study; 15] = [
    Study {
        id: "table2",
        title: "Table 2: link prediction on synthetic graphs",
        units: units2,
        show: tables::table2,
    },
    Study {
        id: "table3",
        title: "Table 3: link prediction on real graphs",
        units: units3,
        show: tables::table3,
    },
    Study {
        id: "table4",
        title: "Table 4: link prediction on OGB graphs",
        units: units4,
        show: tables::table4,
    },
    Study {
        id: "table5",
        title: "Table 5: ablation of the compatibility matrix",
        units: units5,
        show: tables::table5,
    },
    Study {
        id: "table6",
        title: "Table 6: link prediction on synthetic graphs, by component",
        units: units6,
        show: tables::table6,
    },
    Study {
        id: "table7",
        title: "Table 7: link prediction on real graphs, by component",
        units: units7,
        show: tables::table7,
    },
    Study {
        id: "table8",
        title: "Table 8 and Figure 7: sensitivity of the score to the number of bins",
        units: units8,
        show: tables::table8,
    },
    Study {
        id: "table9",
        title: "Table 9: beside SEAL, a subgraph GNN",
        units: units3,
        show: tables::table9,
    },
    Study {
        id: "table10",
        title: "Table 10: node classification on synthetic graphs",
        units: units10,
        show: tables::table10,
    },
    Study {
        id: "table11",
        title: "Table 11: node classification on synthetic graphs, by component",
        units: units11,
        show: tables::table11,
    },
    Study {
        id: "table12",
        title: "Table 12: node classification on real graphs",
        units: units12,
        show: tables::table12,
    },
    Study {
        id: "fig2",
        title: "Figure 2: score against test performance on real graphs",
        units: units_figure2,
        show: tables::figure2,
    },
    Study {
        id: "fig3",
        title: "Figure 3: the score never exceeds the accuracy (theorem 2)",
        units: units_figure3,
        show: tables::figure3,
    },
    Study {
        id: "fig4",
        title: "Figure 4: score against test performance on synthetic graphs",
        units: units_figure4,
        show: tables::figure4,
    },
    Study {
        id: "fig6",
        title: "Figure 6: seconds against edges",
        units: units_figure6,
        show: tables::figure6,
    },
];

impl Study {
    /// The study of this name; tables and figures that stand together go by either name.
    pub(crate) fn named(name: &str) -> Option<&'static Study> {
        let name = name.to_lowercase().replace([' ', '-', '.'], "").replace("figure", "fig");
        let name = if name == "fig7" { "table8" } else { &name };
        STUDIES.iter().find(|study| study.id == name)
    }

    pub(crate) fn units(&self, splits: usize) -> Vec<Unit> {
        (self.units)(splits)
    }

    pub(crate) fn section(&self, results: &Results) -> Section {
        let (protocol, rows, checks, plots) = (self.show)(results);
        Section { id: self.id, title: self.title, protocol, rows, checks, plots }
    }
}

/// What the runs found so far.
#[derive(Default)]
pub(crate) struct Results {
    pub(crate) splits: usize,
    pub(crate) found: BTreeMap<String, Outcome>,
    /// Keys of runs whose graph is not on disk.
    pub(crate) missing: BTreeSet<String>,
    /// Keys of runs that ended in an error.
    pub(crate) failed: BTreeSet<String>,
}

impl Results {
    pub(super) fn get(&self, key: &str) -> Found<'_> {
        let state = if self.missing.contains(key) {
            State::Missing
        } else if self.failed.contains(key) {
            State::Failed
        } else {
            State::Pending
        };
        Found::new(self.found.get(key), state)
    }

    /// Runs that are there.
    pub(super) fn done(&self, keys: impl IntoIterator<Item = String>) -> Vec<(String, &Outcome)> {
        keys.into_iter().filter_map(|key| self.found.get(&key).map(|outcome| (key, outcome))).collect()
    }
}

/// A configuration of the pipeline.
#[derive(Clone, Copy)]
pub(super) enum Variant {
    Full,
    Slimg,
    WithoutCm,
    OnlyH,
    Single(ComponentKind),
    /// A single component, told from negatives that are verified.
    Verified(ComponentKind),
    Bins(usize),
}

impl Variant {
    fn name(self) -> String {
        match self {
            Variant::Full => "full".into(),
            Variant::Slimg => "slimg".into(),
            Variant::WithoutCm => "without-cm".into(),
            Variant::OnlyH => "only-h".into(),
            Variant::Single(kind) => format!("only-{}", kind.name()),
            Variant::Verified(kind) => format!("only-{}-verified", kind.name()),
            Variant::Bins(k) => format!("bins-{k}"),
        }
    }

    fn share_of_cost(self) -> f64 {
        match self {
            Variant::Full => 1.0,
            Variant::Slimg | Variant::WithoutCm | Variant::OnlyH => 0.8,
            Variant::Single(_) | Variant::Verified(_) => 0.25,
            Variant::Bins(_) => 0.4,
        }
    }
}

pub(super) const SINGLES: [ComponentKind; 5] = ComponentKind::PAPER;
/// Walks from every node on synthetic graphs and on OGB's.
pub(super) const MANY_WALKS: usize = 1000;

pub(super) fn link_key(graph: &str, variant: Variant) -> String {
    format!("links-{}-{}", graph.trim_start_matches("synth:"), variant.name())
}

pub(super) fn node_key(graph: &str, variant: Variant) -> String {
    format!("nodes-{}-{}", graph.trim_start_matches("synth:"), variant.name())
}

fn link_params(variant: Variant, splits: usize) -> (Goal, LinkParams) {
    let mut params = LinkParams::paper();
    params.splits = splits;
    let mut goal = Goal::Act;
    match variant {
        Variant::Full => {}
        Variant::Slimg => params = params.slimg(),
        Variant::WithoutCm => params.compat.kind = CompatKind::None,
        Variant::OnlyH => params.compat.kind = CompatKind::H,
        Variant::Single(kind) => params.component.kinds = vec![kind],
        Variant::Verified(kind) => {
            params.component.kinds = vec![kind];
            params.split.protocol = Protocol::Clean;
        }
        Variant::Bins(k) => {
            params.probe.bins = k;
            goal = Goal::Probe;
        }
    }
    (goal, params)
}

fn real_links(known: &Known, variant: Variant, splits: usize) -> Unit {
    let (goal, mut params) = link_params(variant, splits);
    params.act.hits = Some(known.hits);
    Unit {
        key: link_key(known.name, variant),
        graph: known.name.into(),
        official_split: false,
        timed: false,
        cost: splits as f64 * known.cost * variant.share_of_cost(),
        job: Job::Links(goal, Box::new(params)),
    }
}

fn synth_links(scenario: &str, variant: Variant, splits: usize) -> Unit {
    let (goal, mut params) = link_params(variant, splits);
    params.component.walk_trials = MANY_WALKS;
    Unit {
        key: link_key(scenario, variant),
        graph: format!("synth:{scenario}"),
        official_split: false,
        timed: false,
        cost: 1.0 + splits as f64 * 1.3 * variant.share_of_cost(),
        job: Job::Links(goal, Box::new(params)),
    }
}

fn node_params(variant: Variant, splits: usize) -> NodeParams {
    let mut params = NodeParams::default();
    params.splits = splits;
    // The paper's features, whatever their kind.
    (params.component.scaling, params.act.normalization) = (FeatureScaling::Paper, Normalization::Rows);
    match variant {
        Variant::Slimg => params = params.slimg(),
        Variant::Single(kind) => params.component.kinds = vec![kind],
        _ => {}
    }
    params
}

fn synth_nodes(scenario: &str, variant: Variant, splits: usize) -> Unit {
    let mut params = node_params(variant, splits);
    params.component.walk_trials = MANY_WALKS;
    params.component.s_averaging = Averaging::Row;
    Unit {
        key: node_key(scenario, variant),
        graph: format!("synth:{scenario}"),
        official_split: false,
        timed: false,
        cost: 0.5 + splits as f64 * 0.7 * variant.share_of_cost(),
        job: Job::Nodes(Goal::Act, Box::new(params)),
    }
}

fn real_nodes(known: &Known, variant: Variant, splits: usize) -> Unit {
    Unit {
        key: node_key(known.name, variant),
        graph: known.name.into(),
        official_split: false,
        timed: false,
        cost: splits as f64 * known.cost * 0.7 * variant.share_of_cost(),
        job: Job::Nodes(Goal::Act, Box::new(node_params(variant, splits))),
    }
}

fn units2(splits: usize) -> Vec<Unit> {
    let both = |scenario: &&str| [Variant::Full, Variant::Slimg].map(|v| synth_links(scenario, v, splits));
    paper::LINK_SCENARIOS.iter().flat_map(both).collect()
}

fn units3(splits: usize) -> Vec<Unit> {
    let both = |known: &Known| [Variant::Full, Variant::Slimg].map(|v| real_links(known, v, splits));
    paper::GRAPHS.iter().flat_map(both).collect()
}

fn units5(splits: usize) -> Vec<Unit> {
    let all = |known: &Known| {
        [Variant::Full, Variant::WithoutCm, Variant::OnlyH].map(|v| real_links(known, v, splits))
    };
    paper::GRAPHS.iter().flat_map(all).collect()
}

fn units6(splits: usize) -> Vec<Unit> {
    let singles = |scenario: &&str| SINGLES.map(|kind| synth_links(scenario, Variant::Single(kind), splits));
    paper::LINK_SCENARIOS.iter().flat_map(singles).collect()
}

fn units7(splits: usize) -> Vec<Unit> {
    let singles = |known: &Known| SINGLES.map(|kind| real_links(known, Variant::Single(kind), splits));
    paper::GRAPHS.iter().flat_map(singles).collect()
}

fn units_figure2(splits: usize) -> Vec<Unit> {
    let verified = |known: &Known| SINGLES.map(|kind| real_links(known, Variant::Verified(kind), splits));
    let nodes = |known: &Known| SINGLES.map(|kind| real_nodes(known, Variant::Single(kind), splits));
    let mut units = units7(splits);
    units.extend(paper::GRAPHS.iter().flat_map(verified));
    units.extend(paper::GRAPHS.iter().flat_map(nodes));
    units
}

fn units8(splits: usize) -> Vec<Unit> {
    let computers = &paper::GRAPHS[3];
    paper::BINS.iter().map(|&k| real_links(computers, Variant::Bins(k), splits)).collect()
}

fn units10(splits: usize) -> Vec<Unit> {
    let both = |scenario: &&str| [Variant::Full, Variant::Slimg].map(|v| synth_nodes(scenario, v, splits));
    paper::NODE_SCENARIOS.iter().flat_map(both).collect()
}

fn units11(splits: usize) -> Vec<Unit> {
    let singles = |scenario: &&str| SINGLES.map(|kind| synth_nodes(scenario, Variant::Single(kind), splits));
    paper::NODE_SCENARIOS.iter().flat_map(singles).collect()
}

fn units12(splits: usize) -> Vec<Unit> {
    let both = |known: &Known| [Variant::Full, Variant::Slimg].map(|v| real_nodes(known, v, splits));
    paper::GRAPHS.iter().flat_map(both).collect()
}

pub(super) fn units_figure3(splits: usize) -> Vec<Unit> {
    let mut units = units2(splits);
    units.extend(units10(splits));
    units.extend(units3(splits));
    units.extend(units12(splits));
    units.retain(|unit| unit.key.ends_with("-full"));
    units
}

fn units_figure4(splits: usize) -> Vec<Unit> {
    [units6(splits), units11(splits)].concat()
}

/// How OGB's graphs are run: as the paper says, and as validation prefers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Ogb {
    Paper,
    Slimg,
    Lengths,
}

impl Ogb {
    pub(super) fn key(self, graph: &str) -> String {
        let name = match self {
            Ogb::Paper => "full",
            Ogb::Slimg => "slimg",
            Ogb::Lengths => "lengths",
        };
        format!("links-{graph}-{name}")
    }
}

fn units4(splits: usize) -> Vec<Unit> {
    let unit = |graph: &str, hits: usize, way: Ogb| {
        let mut params = LinkParams::paper();
        params.splits = splits;
        params.act.hits = Some(hits);
        params.component.dim = 256;
        params.component.walk_trials = MANY_WALKS;
        match way {
            Ogb::Paper => {}
            Ogb::Slimg => params = params.slimg(),
            Ogb::Lengths => {
                params.compat.unit_rows = false;
                params.compat.max_edges = 1_200_000;
                params.act.max_pairs = 2_400_000;
            }
        }
        Unit {
            key: way.key(graph),
            graph: graph.into(),
            official_split: true,
            timed: false,
            cost: splits as f64 * if way == Ogb::Lengths { 22.0 } else { 9.0 },
            job: Job::Links(Goal::Act, Box::new(params)),
        }
    };
    paper::OGB
        .iter()
        .flat_map(|&(graph, _, hits, ..)| {
            [Ogb::Paper, Ogb::Slimg, Ogb::Lengths].map(|way| unit(graph, hits, way))
        })
        .collect()
}

/// Nodes of the generated graphs of the scalability study; about ten edges each, after repeats fell away.
pub(super) const SCALE: [usize; 5] = [10_000, 31_623, 100_000, 316_228, 1_000_000];

const SCALE_DEGREE: u32 = 23;

pub(super) fn scale_key(nodes: usize) -> String {
    format!("links-large-{nodes}")
}

fn units_figure6(splits: usize) -> Vec<Unit> {
    let mut units: Vec<Unit> =
        paper::GRAPHS.iter().map(|known| real_links(known, Variant::Full, splits)).collect();
    for nodes in SCALE {
        // Short runs are repeated: a second more or less is much of them.
        let (goal, mut params) = link_params(Variant::Full, if nodes <= 100_000 { 3 } else { 1 });
        params.act.hits = Some(1000);
        units.push(Unit {
            key: scale_key(nodes),
            graph: format!("synth:large?nodes={nodes}&degree={SCALE_DEGREE}"),
            official_split: false,
            timed: false,
            cost: nodes as f64 * if nodes <= 100_000 { 4.5e-4 } else { 1.6e-4 } + 2.0,
            job: Job::Links(goal, Box::new(params)),
        });
    }
    units
}
