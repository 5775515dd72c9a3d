//! Trained baselines beside a report: the files that `python -m netinfof.baselines --json` writes.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use netinfof::report::Report;
use netinfof::{Error, Result, TaskKind};
use serde::Deserialize;

/// Version of the file format.
const FORMAT: u32 = 1;

/// Results of trained models on the splits of one graph.
#[derive(Debug, Deserialize)]
pub(crate) struct Baselines {
    #[serde(rename = "baselines")]
    format: u32,
    task: TaskKind,
    graph: BaselineGraph,
    #[serde(default)]
    split: BTreeMap<String, serde_json::Value>,
    runs: Vec<BaselineRun>,
}

#[derive(Debug, Deserialize)]
struct BaselineGraph {
    name: String,
    nodes: usize,
    edges: usize,
}

/// One model on one split.
#[derive(Debug, Deserialize)]
struct BaselineRun {
    model: String,
    #[serde(default)]
    family: String,
    seed: u64,
    status: String,
    #[serde(default)]
    device: String,
    #[serde(default)]
    test: BTreeMap<String, f64>,
    seconds: f64,
    peak_memory_bytes: u64,
}

/// A model as a row of the comparison. Metrics are means over the splits.
#[derive(Debug)]
pub(crate) struct ComparisonRow {
    pub(crate) model: String,
    /// What the model sees: features, structure, propagation or combination.
    pub(crate) sees: String,
    /// Mean and standard deviation of each metric of [`metrics`]; `None` without a result.
    pub(crate) values: Vec<Option<[f64; 2]>>,
    pub(crate) splits: usize,
    /// Seconds per split, with the choice of parameters.
    pub(crate) seconds: f64,
    pub(crate) memory: u64,
    pub(crate) device: String,
    /// Why splits are missing; empty if none is.
    pub(crate) failure: String,
    /// Set for the result of `act`.
    pub(crate) own: bool,
}

/// The metrics that are compared, the main one first.
pub(crate) fn metrics(report: &Report) -> Vec<&str> {
    let main = match report.task {
        TaskKind::Links => {
            report.mean.test.iter().map(|(name, _)| name).find(|name| name.starts_with("hits@"))
        }
        _ => Some("accuracy"),
    };
    let second = if report.task == TaskKind::Links { "auc" } else { "balanced_accuracy" };
    main.into_iter().chain([second]).filter(|name| report.mean.test.get(name).is_some()).collect()
}

impl Baselines {
    /// Reads a file and checks that it belongs to the same graph, task and split as the report.
    pub(crate) fn read(path: &Path, report: &Report) -> Result<Self> {
        let bytes = std::fs::read(path).map_err(|source| Error::Io { path: path.to_path_buf(), source })?;
        let invalid = |what: String, need: &str| Error::InvalidParam {
            name: "baselines",
            value: format!("{}: {what}", path.display()),
            need: need.into(),
        };
        let wanted = "a file that `python -m netinfof.baselines --json` wrote";
        let found: Baselines = serde_json::from_slice(&bytes).map_err(|e| invalid(e.to_string(), wanted))?;
        if found.format != FORMAT {
            return Err(invalid(format!("format {}", found.format), wanted));
        }
        if report.mean.test.iter().next().is_none() {
            return Err(invalid("the report has no test metrics".into(), "a report of `netinfof act`"));
        }
        let graph = &report.graph;
        let same = [
            (found.task.name().to_string(), report.task.name().to_string(), "task"),
            (found.graph.name.clone(), graph.name.clone(), "graph"),
            (found.graph.nodes.to_string(), graph.nodes.to_string(), "number of nodes"),
            (found.graph.edges.to_string(), graph.edges.to_string(), "number of edges"),
        ];
        for (theirs, ours, what) in same {
            if theirs != ours {
                return Err(invalid(
                    format!("{what} {theirs}"),
                    &format!("the same {what} as the report, {ours}"),
                ));
            }
        }
        let params = serde_json::to_value(&report.params).unwrap_or_default();
        for (name, value) in &found.split {
            if params["split"].get(name).is_some_and(|own| own != value) {
                return Err(invalid(
                    format!("{name} {value}"),
                    &format!("the same split as the report, with {name} {}", params["split"][name]),
                ));
            }
        }
        Ok(found)
    }

    /// One row per model and one for the report, the best first.
    pub(crate) fn rows(&self, report: &Report) -> Vec<ComparisonRow> {
        let names = metrics(report);
        let seconds: Vec<f64> =
            report.splits.iter().filter_map(|split| split.seconds.get("total").copied()).collect();
        let mut rows = vec![ComparisonRow {
            model: "netinfof act".into(),
            sees: "combination".into(),
            values: names
                .iter()
                .map(|name| {
                    Some([*report.mean.test.get(name)?, report.std.test.get(name).copied().unwrap_or(0.0)])
                })
                .collect(),
            splits: report.splits.len(),
            seconds: mean(&seconds),
            memory: report.peak_memory_bytes.unwrap_or(0),
            device: format!("cpu, {} threads", report.threads),
            failure: String::new(),
            own: true,
        }];
        let mut models: Vec<&str> = Vec::new();
        for run in &self.runs {
            if !models.contains(&run.model.as_str()) {
                models.push(&run.model);
            }
        }
        for model in models {
            let runs: Vec<&BaselineRun> = self.runs.iter().filter(|run| run.model == model).collect();
            let done: Vec<&BaselineRun> = runs.iter().copied().filter(|run| run.status == "ok").collect();
            let values = names
                .iter()
                .map(|name| {
                    let values: Vec<f64> =
                        done.iter().filter_map(|run| run.test.get(*name).copied()).collect();
                    let middle = mean(&values);
                    let spread =
                        mean(&values.iter().map(|v| (v - middle).powi(2)).collect::<Vec<_>>()).sqrt();
                    (!values.is_empty()).then_some([middle, spread])
                })
                .collect();
            rows.push(ComparisonRow {
                model: model.to_string(),
                sees: runs[0].family.clone(),
                values,
                splits: done.len(),
                seconds: mean(&runs.iter().map(|run| run.seconds).collect::<Vec<_>>()),
                memory: runs.iter().map(|run| run.peak_memory_bytes).max().unwrap_or(0),
                device: runs[0].device.clone(),
                failure: runs
                    .iter()
                    .find(|run| run.status != "ok")
                    .map_or_else(String::new, |run| format!("split {}: {}", run.seed, run.status)),
                own: false,
            });
        }
        let main = |row: &ComparisonRow| row.values.first().copied().flatten().map_or(-1.0, |v| v[0]);
        rows.sort_by(|a, b| main(b).total_cmp(&main(a)));
        rows
    }

    /// Whether the baselines have the same seeds as the splits of the report. Means of other splits can be compared, pairs cannot.
    pub(crate) fn same_splits(&self, report: &Report) -> bool {
        let mut seeds: Vec<u64> = self.runs.iter().map(|run| run.seed).collect();
        seeds.sort_unstable();
        seeds.dedup();
        seeds == report.splits.iter().map(|split| split.seed).collect::<Vec<_>>()
    }

    /// The comparison as text.
    pub(crate) fn text(&self, report: &Report) -> String {
        let mut lines = vec![
            ["model".to_string(), "sees".into()]
                .into_iter()
                .chain(metrics(report).into_iter().map(String::from))
                .chain(["s per split".into(), "memory".into()])
                .collect::<Vec<_>>(),
        ];
        for row in self.rows(report) {
            let mut line = vec![row.model, row.sees];
            line.extend(row.values.iter().map(|value| shown(*value)));
            line.extend([format!("{:.1}", row.seconds), format!("{} MiB", row.memory >> 20)]);
            if !row.failure.is_empty() {
                line.push(row.failure);
            }
            lines.push(line);
        }
        let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
        let width = |at: usize| {
            lines.iter().filter_map(|line| line.get(at)).map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let mut out = String::from("  Trained baselines on the same splits, best first\n");
        if !self.same_splits(report) {
            out = "  Trained baselines, best first; their splits are not all those of this report\n".into();
        }
        for line in &lines {
            out.push_str("  ");
            for (at, cell) in line.iter().enumerate() {
                let gap = widths[at] - cell.chars().count();
                let _ = if at < 2 || at > lines[0].len() - 1 {
                    write!(out, "{cell}{}  ", " ".repeat(gap))
                } else {
                    write!(out, "{}{cell}  ", " ".repeat(gap))
                };
            }
            out.truncate(out.trim_end().len());
            out.push('\n');
        }
        out.truncate(out.trim_end().len());
        out
    }
}

/// A metric in percent with its deviation.
pub(crate) fn shown(value: Option<[f64; 2]>) -> String {
    value.map_or_else(
        || "–".into(),
        |[mean, deviation]| format!("{:.1} ± {:.1}", 100.0 * mean, 100.0 * deviation),
    )
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}
