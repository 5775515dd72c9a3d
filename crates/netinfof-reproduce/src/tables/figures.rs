//! Plots of the paper: Figures 2, 3, 4 and 6. Figure 7 shows the runs of Table 8 and is part of that study.

use netinfof::ComponentKind;

use super::{hits, paper_protocol};
use crate::experiment::{RunOutcome, SplitOutcome};
use crate::paper::{self, PaperGraph};
use crate::plot::{Axis, Plot, Series};
use crate::section::{ClaimCheck, RenderedPlot, least_squares, r_squared, spearman};
use crate::studies::{
    ModelVariant, SCALE, SINGLES, SectionContent, StudyResults, figure3_runs, link_key, node_key, scale_key,
};

/// Points of single-component runs, by component: score and test metric of every split, or averaged over the splits. `runs` returns the
/// keys of the runs and the names of the metrics.
fn score_points(
    results: &StudyResults,
    runs: impl Fn(ComponentKind) -> Vec<(String, String)>,
    averaged: bool,
) -> Vec<Series> {
    let points = |kind: ComponentKind| {
        let mut points = Vec::new();
        for (key, metric) in runs(kind) {
            let own = results.outcomes.get(&key).map_or(Vec::new(), |outcome| point(outcome, kind, &metric));
            match mean(&own) {
                Some(mean) if averaged => points.push(mean),
                _ => points.extend(own),
            }
        }
        points
    };
    SINGLES
        .iter()
        .map(|&kind| Series { name: kind.name().into(), points: points(kind), joined: false })
        .collect()
}

/// Score and test metric of every split.
fn point(outcome: &RunOutcome, kind: ComponentKind, metric: &str) -> Vec<[f64; 2]> {
    let of =
        |split: &SplitOutcome| Some([split.components.get(kind.name())?.score, *split.test.get(metric)?]);
    outcome.splits.iter().filter_map(of).collect()
}

fn mean(points: &[[f64; 2]]) -> Option<[f64; 2]> {
    let mean = |k: usize| points.iter().map(|p| p[k]).sum::<f64>() / points.len() as f64;
    (!points.is_empty()).then(|| [mean(0), mean(1)])
}

fn all_points(series: &[Series]) -> Vec<[f64; 2]> {
    series.iter().flat_map(|s| s.points.iter().copied()).collect()
}

fn fit_check(series: &[Series], what: &str, least: Option<f64>) -> Option<ClaimCheck> {
    let points = all_points(series);
    if points.len() < 3 {
        return None;
    }
    let r2 = r_squared(&points);
    let bound = least.map_or(String::new(), |least| format!(" of at least {least}"));
    Some(ClaimCheck {
        claim: format!("The score correlates with {what}: R²{bound}"),
        holds: least.is_none_or(|least| r2 >= least),
        found: format!("R² = {r2:.3} over {} points", points.len()),
    })
}

fn score_plot(title: &str, series: Vec<Series>, floor: f64, y: &str) -> Plot {
    let points = all_points(&series);
    let line = (points.len() > 2).then(|| {
        let [intercept, slope] = least_squares(&points);
        let end = |x: f64| [x, intercept + slope * x];
        // The line is cut where it leaves the frame.
        let inside = |y: f64| ((y - intercept) / slope).clamp(floor, 1.0);
        ("fitted".to_string(), [end(inside(0.0)), end(inside(1.0))])
    });
    Plot {
        title: title.into(),
        description: format!("Each point is a component: its score and its {y}."),
        x: Axis::new("NetInfoF score").range(floor, 1.0),
        y: Axis::new(y).range(0.0, 1.02),
        series,
        line,
    }
}

/// Returns the key of the run on a graph with one component.
type RunKey = fn(&PaperGraph, ComponentKind) -> String;

pub(crate) fn figure2(results: &StudyResults) -> SectionContent {
    let (mut checks, mut plots) = (Vec::new(), Vec::new());
    let links: [(&str, RunKey, &str); 2] = [
        (
            "paper",
            |k, kind| link_key(k.name, ModelVariant::Single(kind)),
            "Links of real graphs, paper protocol",
        ),
        (
            "clean",
            |k, kind| link_key(k.name, ModelVariant::Verified(kind)),
            "Links of real graphs, clean negatives",
        ),
    ];
    let nodes: (&str, RunKey, &str) =
        ("nodes", |k, kind| node_key(k.name, ModelVariant::Single(kind)), "Nodes of real graphs");
    for (name, key, title) in links.into_iter().chain([nodes]) {
        let metric = |known: &PaperGraph| if name == "nodes" { "accuracy".into() } else { hits(known).1 };
        let runs = |kind| paper::GRAPHS.iter().map(|k| (key(k, kind), metric(k))).collect();
        let series = score_points(results, runs, true);
        let what = if name == "nodes" { "test accuracy" } else { "test Hits" };
        // A graph counts only if all of its components were run.
        let ranked: Vec<f64> = paper::GRAPHS
            .iter()
            .filter_map(|known| {
                let of = |kind: &ComponentKind| {
                    mean(&point(results.outcomes.get(&key(known, *kind))?, *kind, &metric(known)))
                };
                SINGLES.iter().map(of).collect::<Option<Vec<_>>>()
            })
            .map(|points| spearman(&points))
            .collect();
        if !ranked.is_empty() {
            let mean = ranked.iter().sum::<f64>() / ranked.len() as f64;
            checks.push(ClaimCheck {
                claim: format!(
                    "{title}: within a graph, the score ranks components like their {what}; mean Spearman correlation of at least 0.7"
                ),
                holds: mean >= 0.7,
                found: format!(
                    "{mean:.2}: {}",
                    ranked.iter().map(|r| format!("{r:.1}")).collect::<Vec<_>>().join(", ")
                ),
            });
        }
        checks.extend(fit_check(&series, &format!("{what} across graphs ({title})"), Some(0.5)));
        let floor = if name == "nodes" { 0.15 } else { 0.48 };
        plots.push(RenderedPlot::new(&format!("fig2-{name}"), &score_plot(title, series, floor, what)));
    }
    let more = "The runs of Table 7. Each point is a component on a graph, averaged over the splits. In the paper protocol, true edges among the \
                negatives limit the Hits of the dense graphs, however informative a component is. The same runs are therefore repeated with \
                clean negatives, which are verified not to be edges, and no other change. Nodes: each component is used alone, as in Table 12.";
    SectionContent {
        protocol: paper_protocol(200, results.splits, more),
        checks,
        plots,
        ..SectionContent::default()
    }
}

pub(crate) fn figure3(results: &StudyResults) -> SectionContent {
    let mut plots = Vec::new();
    let mut checks = Vec::new();
    let tasks = [("links", "Link prediction", 0.48), ("nodes", "Node classification", 0.15)];
    for (task, title, floor) in tasks {
        let (mut count, mut broken) = (0, Vec::new());
        let series: Vec<Series> = SINGLES
            .iter()
            .map(|kind| {
                let keys = figure3_runs(1).into_iter().map(|run| run.key).filter(|k| k.starts_with(task));
                let mut points = Vec::new();
                for (key, outcome) in results.finished(keys) {
                    for split in &outcome.splits {
                        let Some(component) = split.components.get(kind.name()) else { continue };
                        count += 1;
                        if component.score > component.accuracy + 1e-12 {
                            broken.push(format!("{key} {} seed {}", kind.name(), split.seed));
                        }
                        points.push([component.score, component.accuracy]);
                    }
                }
                Series { name: kind.name().into(), points, joined: false }
            })
            .collect();
        if count > 0 {
            checks.push(ClaimCheck {
                claim: format!("Theorem 2 holds at every point ({})", title.to_lowercase()),
                holds: broken.is_empty(),
                found: format!(
                    "{} of {count} points with a score above the accuracy {}",
                    broken.len(),
                    broken.join(", ")
                )
                .trim_end()
                .into(),
            });
        }
        let plot = Plot {
            title: format!("{title}: score and accuracy of the same table"),
            description:
                "Each point is a component on a split; the line is where score and accuracy are equal.".into(),
            x: Axis::new("NetInfoF score").range(floor, 1.0),
            y: Axis::new("accuracy").range(floor, 1.0),
            series,
            line: Some(("equal".into(), [[floor, floor], [1.0, 1.0]])),
        };
        plots.push(RenderedPlot::new(&format!("fig3-{task}"), &plot));
    }
    let protocol = "The full runs of Tables 2, 3, 10 and 12: all synthetic and real graphs, all components, all splits. Links are evaluated \
                    on validation pairs, nodes on training and validation nodes.";
    SectionContent { protocol: protocol.into(), checks, plots, ..SectionContent::default() }
}

pub(crate) fn figure4(results: &StudyResults) -> SectionContent {
    let links = score_points(
        results,
        |kind| {
            let key = |s: &&str| (link_key(s, ModelVariant::Single(kind)), "hits@100".to_string());
            paper::LINK_SCENARIOS.iter().map(key).collect()
        },
        false,
    );
    let nodes = score_points(
        results,
        |kind| {
            let key = |s: &&str| (node_key(s, ModelVariant::Single(kind)), "accuracy".to_string());
            paper::NODE_SCENARIOS.iter().map(key).collect()
        },
        false,
    );
    let checks = [
        fit_check(&links, "test Hits@100 on synthetic graphs", Some(0.85)),
        fit_check(&nodes, "test accuracy on synthetic graphs", Some(0.85)),
    ];
    let plots = vec![
        RenderedPlot::new(
            "fig4-links",
            &score_plot("Synthetic links: score and test Hits@100", links, 0.48, "test Hits@100"),
        ),
        RenderedPlot::new(
            "fig4-nodes",
            &score_plot("Synthetic nodes: score and test accuracy", nodes, 0.2, "test accuracy"),
        ),
    ];
    let protocol = "The runs of Tables 6 and 11. Each point is a component on a split.".to_string();
    SectionContent {
        protocol,
        checks: checks.into_iter().flatten().collect(),
        plots,
        ..SectionContent::default()
    }
}

pub(crate) fn figure6(results: &StudyResults) -> SectionContent {
    let total = |outcome: &RunOutcome, act: bool| {
        let seconds = outcome.splits.iter().map(|split| {
            let of = |stage: &str| split.seconds.get(stage).copied().unwrap_or(0.0);
            if act { of("total") } else { of("total") - of("act") }
        });
        [outcome.edges as f64, seconds.sum::<f64>() / outcome.splits.len() as f64]
    };
    let generated = results.finished(SCALE.iter().map(|&nodes| scale_key(nodes)));
    let real = results.finished(paper::GRAPHS.iter().map(|k| link_key(k.name, ModelVariant::Full)));
    let points =
        |runs: &[(String, &RunOutcome)], act| runs.iter().map(|(_, o)| total(o, act)).collect::<Vec<_>>();
    let probe = points(&generated, false);
    let act = points(&generated, true);
    let mut checks = Vec::new();
    let mut line = None;
    if probe.len() == SCALE.len() {
        let log =
            |points: &[[f64; 2]]| least_squares(&points.iter().map(|p| p.map(f64::ln)).collect::<Vec<_>>());
        let [intercept, slope] = log(&probe);
        let listed = |points: &[[f64; 2]]| {
            points
                .iter()
                .map(|p| format!("{:.0} edges in {:.1} s", p[0], p[1]))
                .collect::<Vec<_>>()
                .join(", ")
        };
        checks.push(ClaimCheck {
            claim:
                "Probe, from the split to the scores: the slope of log seconds against log edges is 1.0 ± 0.1"
                    .into(),
            holds: (slope - 1.0).abs() <= 0.1,
            found: format!("{slope:.2}: {}", listed(&probe)),
        });
        checks.push(ClaimCheck {
            claim: "Probe and Act: the slope is no steeper, because Act learns from at most 600 000 pairs"
                .into(),
            holds: log(&act)[1] <= slope + 0.05,
            found: format!("{:.2}: {}", log(&act)[1], listed(&act)),
        });
        let end = |edges: f64| [edges, (intercept + slope * edges.ln()).exp()];
        line = Some((format!("slope {slope:.2}"), [end(probe[0][0]), end(probe[probe.len() - 1][0])]));
    }
    let plot = Plot {
        title: "Seconds against edges".into(),
        description:
            "Seconds against edges, both axes logarithmic; the line is fitted to Probe on generated graphs."
                .into(),
        x: Axis::log("edges"),
        y: Axis::log("seconds"),
        series: vec![
            Series { name: "Probe".into(), points: probe, joined: false },
            Series { name: "Probe + Act".into(), points: act, joined: false },
            Series { name: "real graphs".into(), points: points(&real, true), joined: false },
        ],
        line,
    };
    let protocol = paper_protocol(
        200,
        1,
        "Graphs of `synth:large?nodes=N&degree=23` with 10⁵ to 10⁷ edges, one after the other in one run; the three smaller ones are means of \
         three splits. For comparison, the real graphs of Table 3 (mean over their splits, Probe and Act).",
    );
    SectionContent {
        protocol,
        checks,
        plots: vec![RenderedPlot::new("fig6", &plot)],
        ..SectionContent::default()
    }
}
