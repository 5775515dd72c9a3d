//! Trained baselines: the files that `python -m netinfof.baselines --json` writes, as rows beside the paper's.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use netinfof::{Error, Result};
use serde::Deserialize;

use crate::experiment::{RunOutcome, SplitOutcome};
use crate::paper::{self, PaperGraph, RealGraphValues};
use crate::section::ComparisonRow;
use crate::studies::StudyResults;

/// A model of the paper's tables: its name in the files, its title, and the published values.
pub(crate) type PublishedModel = (&'static str, &'static str, &'static RealGraphValues);

pub(crate) const LINK_MODELS: [PublishedModel; 5] = [
    ("gcn", "GCN", &paper::LINKS_GCN),
    ("sage", "SAGE", &paper::LINKS_SAGE),
    ("gat", "GAT", &paper::LINKS_GAT),
    ("h2gcn", "H2GCN", &paper::LINKS_H2GCN),
    ("gpr", "GPR-GNN", &paper::LINKS_GPR),
];
pub(crate) const SEAL: [PublishedModel; 1] = [("seal", "SEAL", &paper::SEAL)];
pub(crate) const NODE_MODELS: [PublishedModel; 5] = [
    ("gcn", "GCN", &paper::NODES_GCN),
    ("sage", "SAGE", &paper::NODES_SAGE),
    ("h2gcn", "H2GCN", &paper::NODES_H2GCN),
    ("gpr", "GPR-GNN", &paper::NODES_GPR),
    ("gat", "GAT", &paper::NODES_GAT),
];

#[derive(Deserialize)]
struct ResultsFile {
    baselines: u32,
    task: String,
    graph: GraphName,
    split: SplitSettings,
    runs: Vec<TrainedRun>,
}

#[derive(Deserialize)]
struct GraphName {
    name: String,
    #[serde(default)]
    edges: usize,
}

#[derive(Deserialize)]
struct SplitSettings {
    train: f64,
    valid: f64,
    protocol: Option<String>,
    negatives: Option<String>,
}

#[derive(Deserialize)]
struct TrainedRun {
    model: String,
    seed: u64,
    #[serde(default)]
    test: BTreeMap<String, f64>,
    #[serde(default)]
    seconds: f64,
}

/// The key that the runs of a model are kept under.
fn key(task: &str, model: &str, graph: &str) -> String {
    format!("baseline {task} {model} {graph}")
}

/// Reads the files, and adds their runs to the results.
///
/// # Errors
///
/// Fails if a file cannot be read, or holds other splits than those of the paper.
pub(crate) fn read(files: &[PathBuf], results: &mut StudyResults) -> Result<()> {
    for path in files {
        let (graph, task, outcomes) = read_one(path)?;
        for (model, outcome) in outcomes {
            results.outcomes.insert(key(&task, &model, &graph), outcome);
        }
    }
    Ok(())
}

type Outcomes = BTreeMap<String, RunOutcome>;

fn read_one(path: &Path) -> Result<(String, String, Outcomes)> {
    let wrong =
        |value: String, need: &str| Error::InvalidParam { name: "baselines", value, need: need.into() };
    let shown = path.display().to_string();
    let text = std::fs::read(path).map_err(|source| Error::Io { path: path.to_path_buf(), source })?;
    let wanted = "a file that `python -m netinfof.baselines --json` wrote";
    let file: ResultsFile =
        serde_json::from_slice(&text).map_err(|error| wrong(format!("{shown} ({error})"), wanted))?;
    if file.baselines != 1 {
        return Err(wrong(shown, wanted));
    }
    let split = &file.split;
    let (shares, protocol) =
        if file.task == "nodes" { ([0.025, 0.025], None) } else { ([0.7, 0.1], Some("paper")) };
    let negatives = split.negatives.as_deref().unwrap_or("uniform");
    if [split.train, split.valid] != shares || split.protocol.as_deref() != protocol || negatives != "uniform"
    {
        return Err(wrong(
            shown,
            "results on the paper's splits: `--task nodes`, or `--task links --protocol paper`, with default shares and negatives",
        ));
    }
    let mut outcomes = Outcomes::new();
    for run in file.runs.into_iter().filter(|run| !run.test.is_empty()) {
        let outcome = outcomes.entry(run.model).or_insert_with(|| RunOutcome {
            fingerprint: String::new(),
            threads: 0,
            notices: Vec::new(),
            edges: file.graph.edges,
            splits: Vec::new(),
        });
        outcome.splits.push(SplitOutcome {
            seed: run.seed,
            test: run.test,
            components: BTreeMap::new(),
            seconds: [("total".to_string(), run.seconds)].into(),
        });
    }
    Ok((file.graph.name, file.task, outcomes))
}

/// The rows of these models: graphs without a result are left out.
pub(crate) fn rows(
    results: &StudyResults,
    task: &str,
    models: &[PublishedModel],
    metric: impl Fn(&PaperGraph) -> (String, String),
) -> Vec<ComparisonRow> {
    let mut rows = Vec::new();
    for (model, title, published) in models {
        for (known, &published) in paper::GRAPHS.iter().zip(*published) {
            let key = key(task, model, known.name);
            let Some(outcome) = results.outcomes.get(&key) else { continue };
            let (name, figure) = metric(known);
            let what = match outcome.splits.len() {
                n if n == results.splits => format!("{title}, trained"),
                1 => format!("{title}, trained, 1 split"),
                n => format!("{title}, trained, {n} splits"),
            };
            rows.push(ComparisonRow::new(
                &what,
                known.title,
                &name,
                published,
                results.get(&key).test(&figure),
            ));
        }
    }
    rows
}

/// How trained models are described below a table that shows some.
pub(crate) const NOTE: &str = " Rows *trained*: `python -m netinfof.baselines` on the same splits (docs/baselines.md), with settings and \
     training stopped by validation.";

#[cfg(test)]
mod tests {
    use super::*;

    fn write(name: &str, text: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("netinfof-baselines-{}-{name}", std::process::id()));
        std::fs::write(&path, text).unwrap();
        path
    }

    #[test]
    fn files_become_rows_beside_the_published_ones() {
        let text = r#"{"baselines": 1, "task": "nodes", "graph": {"name": "cora", "edges": 5278}, "split": {"train": 0.025, "valid": 0.025},
            "runs": [{"model": "gcn", "seed": 0, "test": {"accuracy": 0.77}, "seconds": 1.0}, {"model": "gcn", "seed": 1, "test": {"accuracy": 0.75}},
                     {"model": "gat", "seed": 0, "status": "out of memory"}, {"model": "mlp", "seed": 0, "test": {"accuracy": 0.5}}]}"#;
        let path = write("nodes.json", text);
        let mut results = StudyResults { splits: 2, ..StudyResults::default() };
        read(&[path], &mut results).unwrap();
        let found = rows(&results, "nodes", &NODE_MODELS, |_| ("accuracy".into(), "accuracy".into()));
        let shown: Vec<_> = found.iter().map(|row| (row.what.as_str(), row.graph.as_str())).collect();
        assert_eq!(shown, [("GCN, trained", "Cora")]);
        assert_eq!(found[0].published, Some((76.0, 1.2)));
        assert!(found[0].difference.unwrap().abs() < 1e-9);
        assert!(rows(&results, "links", &LINK_MODELS, |_| (String::new(), String::new())).is_empty());
    }

    #[test]
    fn other_splits_are_refused() {
        for (name, split) in [
            ("clean", r#"{"train": 0.7, "valid": 0.1, "protocol": "clean", "negatives": "uniform"}"#),
            ("shares", r#"{"train": 0.8, "valid": 0.1, "protocol": "paper", "negatives": "uniform"}"#),
            ("hard", r#"{"train": 0.7, "valid": 0.1, "protocol": "paper", "negatives": "heart"}"#),
        ] {
            let text = format!(
                r#"{{"baselines": 1, "task": "links", "graph": {{"name": "cora"}}, "split": {split}, "runs": []}}"#
            );
            let error = read(&[write(name, &text)], &mut StudyResults::default()).unwrap_err().to_string();
            assert!(error.contains("--protocol paper"), "{error}");
        }
        let error = read(&[write("other", "{}")], &mut StudyResults::default()).unwrap_err().to_string();
        assert!(error.contains("python -m netinfof.baselines"), "{error}");
    }
}
