//! The experiments of the NetInfoF paper (Lee et al., ICLR 2024): published figures and ours side by side.
//!
//! The command `netinfof reproduce` calls [`run()`]. The crate writes files but never writes to the terminal: all output for the user
//! goes through a [`Console`], so that the crate does not depend on the command.

mod baselines;
mod experiment;
mod paper;
mod plot;
mod render;
mod section;
mod studies;
mod tables;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use netinfof::{Error, Exec, Progress, Result};
use netinfof_io::save;

use experiment::{ExperimentRun, GraphCache};
use render::Document;
use studies::{STUDIES, Study, StudyResults};

/// Which experiments to run, and how.
#[derive(Clone, Debug)]
pub struct ReproduceParams {
    /// Names of tables and figures, such as `table2` and `fig4`.
    pub tables: Vec<String>,
    /// Whether to run all of them, regardless of `tables`.
    pub all: bool,
    /// Folder with the graphs as npz files.
    pub data: PathBuf,
    /// Number of splits of each graph, 1 to 1000.
    pub splits: usize,
    /// Folder for the documents, plots and the results of single runs.
    pub output: PathBuf,
    /// Number of threads; 0 means one per core.
    pub threads: usize,
    /// Files that `python -m netinfof.baselines --json` wrote: trained models on the paper's splits, as rows of Tables 3, 9 and 12.
    pub baselines: Vec<PathBuf>,
}

/// Shows output and progress to the user, and reports a request to stop.
pub trait Console: Send + Sync {
    /// Prints a result to standard output.
    fn print(&self, text: &str) -> Result<()>;

    /// Shows a notice.
    fn notice(&self, text: &str);

    /// Shows that the run named `run` begins, that `finished` of `total` runs are finished, and that about `seconds_left` seconds remain.
    fn run_begins(&self, finished: usize, total: usize, run: &str, seconds_left: f64);

    /// Removes the progress shown so far.
    fn clear(&self);

    /// Whether the user asked to stop.
    fn cancelled(&self) -> bool;
}

/// Runs the chosen experiments and writes their documents. If none is chosen, prints the list of experiments.
///
/// The result of every run is kept in the output folder. After an interruption, the next call continues with the first unfinished run.
pub fn run(params: &ReproduceParams, console: &Arc<dyn Console>) -> Result<()> {
    let chosen = chosen(params)?;
    if chosen.is_empty() {
        let lines: Vec<String> = STUDIES.iter().map(|s| format!("  {:8} {}", s.id, s.title)).collect();
        return console.print(&format!(
            "Use --all, or --table with one or more of these names, separated by commas:\n{}",
            lines.join("\n")
        ));
    }
    if !(1..=1000).contains(&params.splits) {
        return Err(Error::InvalidParam {
            name: "splits",
            value: params.splits.to_string(),
            need: "1 to 1000".into(),
        });
    }
    let data = &params.data;
    let folder = OutputFolder::new(&params.output)?;
    let mut results = StudyResults { splits: params.splits, ..StudyResults::default() };
    baselines::read(&params.baselines, &mut results)?;
    let trained = results.outcomes.len();
    let mut waiting: Vec<ExperimentRun> = Vec::new();
    let mut seen = BTreeSet::new();
    for run in chosen.iter().flat_map(|study| study.runs(params.splits)) {
        if !seen.insert(run.key.clone()) {
            continue;
        }
        if !run.available(data) {
            results.missing.insert(run.key);
        } else if let Some(outcome) = run.kept(data, &folder.runs) {
            results.outcomes.insert(run.key, outcome);
        } else {
            waiting.push(run);
        }
    }
    // Times are compared with each other, so they are either all measured in this call or all kept.
    if waiting.iter().any(|run| run.timed) {
        let again = chosen.iter().flat_map(|study| study.runs(params.splits)).filter(|run| run.timed);
        waiting.extend(again.filter(|run| results.outcomes.remove(&run.key).is_some()));
    }
    let missing = missing_graphs(&chosen, params.splits, data);
    let document = |results: &StudyResults| Document {
        sections: chosen.iter().map(|study| study.section(results)).collect(),
        missing: missing.clone(),
        splits: params.splits,
        command: command(params),
    };
    folder.write(&document(&results))?;

    let kept = results.outcomes.len() - trained;
    if kept > 0 {
        let runs = if kept == 1 { "run" } else { "runs" };
        console.notice(&format!(
            "reusing {kept} {runs} of an earlier call; delete {} to run everything again",
            folder.runs.display()
        ));
    }
    let mut forecast = TimeForecast::new(&waiting);
    let mut cache = GraphCache::default();
    let count = waiting.len();
    let mut failures = Vec::new();
    for (number, run) in waiting.iter().enumerate() {
        console.run_begins(number, count, &run.key, forecast.seconds_left());
        let exec = Exec::with_progress(params.threads, Arc::new(CancellationOnly(Arc::clone(console))))?;
        let start = Instant::now();
        match run.run(data, &folder.runs, &mut cache, &exec) {
            Ok(outcome) => {
                results.outcomes.insert(run.key.clone(), outcome);
                folder.write(&document(&results))?;
            }
            Err(Error::Cancelled) => {
                console.clear();
                console.notice("stopped; finished runs are kept, and the same command continues from here");
                return Err(Error::Cancelled);
            }
            // A graph that cannot be read does not stop the runs on the other graphs.
            Err(error) => {
                failures.push(format!("{}: {error}", run.key));
                results.failed.insert(run.key.clone());
            }
        }
        forecast.finished(run.cost, start.elapsed().as_secs_f64());
    }
    console.clear();
    let document = document(&results);
    folder.write(&document)?;
    console.print(&document.summary(&folder.path))?;
    match failures.first() {
        None => Ok(()),
        Some(_) => Err(Error::Unsuitable {
            stage: "reproduce",
            why: format!("{} of {count} runs failed: {}", failures.len(), failures.join("; ")),
        }),
    }
}

fn chosen(params: &ReproduceParams) -> Result<Vec<&'static Study>> {
    if params.all {
        return Ok(STUDIES.iter().collect());
    }
    let mut chosen: Vec<&Study> = Vec::new();
    for name in &params.tables {
        let study = Study::named(name).ok_or_else(|| Error::InvalidParam {
            name: "table",
            value: name.clone(),
            need: format!("one of {}", STUDIES.map(|s| s.id).join(", ")),
        })?;
        if !chosen.iter().any(|other| other.id == study.id) {
            chosen.push(study);
        }
    }
    Ok(chosen)
}

/// The command as the documents show it, without paths and other settings of this machine.
fn command(params: &ReproduceParams) -> String {
    let what = if params.all { "--all".into() } else { format!("--table {}", params.tables.join(",")) };
    format!("netinfof reproduce {what} --splits {}", params.splits)
}

/// Graphs that are not on disk: title, files and download address.
fn missing_graphs(chosen: &[&Study], splits: usize, data: &Path) -> Vec<[String; 3]> {
    let runs = chosen.iter().flat_map(|study| study.runs(splits));
    let absent: BTreeSet<(String, bool)> =
        runs.filter(|run| !run.available(data)).map(|run| (run.graph, run.official_split)).collect();
    let known = paper::GRAPHS.iter().map(|k| (k.name, k.title, k.source));
    let ogb = paper::OGB.iter().map(|o| (o.0, o.1, paper::OGB_LINKS));
    known
        .chain(ogb)
        .filter_map(|(name, title, source)| {
            let (_, split) = absent.iter().find(|(graph, _)| graph == name)?;
            let files =
                if *split { format!("{name}.npz and {name}_split.npz") } else { format!("{name}.npz") };
            Some([title.to_string(), files, source.to_string()])
        })
        .collect()
}

/// Writes a text file completely or not at all.
fn write_whole(path: &Path, text: &str) -> Result<()> {
    save::whole(path, |file| std::io::Write::write_all(file, text.as_bytes()))
}

/// The folder that documents, plots and results are written to.
struct OutputFolder {
    path: PathBuf,
    plots: PathBuf,
    /// One JSON file with the outcome of each run.
    runs: PathBuf,
}

impl OutputFolder {
    fn new(path: &Path) -> Result<Self> {
        let plots = path.join("reproduction");
        let runs = plots.join("runs");
        std::fs::create_dir_all(&runs).map_err(|source| Error::Io { path: runs.clone(), source })?;
        Ok(OutputFolder { path: path.to_path_buf(), plots, runs })
    }

    fn write(&self, document: &Document) -> Result<()> {
        for plot in document.sections.iter().flat_map(|section| &section.plots) {
            write_whole(&self.plots.join(&plot.file), &plot.svg)?;
        }
        write_whole(&self.path.join("reproduction.json"), &document.json())?;
        write_whole(&self.path.join("reproduction.md"), &document.markdown())?;
        write_whole(&self.path.join("reproduction.html"), &document.html())
    }
}

/// Estimates the time left from the expected cost of every run and the measured times of the finished ones.
struct TimeForecast {
    /// Expected seconds of the runs that are not finished.
    cost_left: f64,
    cost_done: f64,
    /// Measured seconds of the finished runs.
    seconds: f64,
}

impl TimeForecast {
    fn new(runs: &[ExperimentRun]) -> Self {
        TimeForecast { cost_left: runs.iter().map(|run| run.cost).sum(), cost_done: 0.0, seconds: 0.0 }
    }

    fn finished(&mut self, cost: f64, seconds: f64) {
        self.cost_left -= cost;
        self.cost_done += cost;
        self.seconds += seconds;
    }

    /// Seconds left. A constant prior weight keeps the first few measurements from dominating the estimate.
    fn seconds_left(&self) -> f64 {
        const PRIOR_WEIGHT: f64 = 20.0;
        self.cost_left * (self.seconds + PRIOR_WEIGHT) / (self.cost_done + PRIOR_WEIGHT)
    }
}

/// Reports a request to stop but shows no stages, because the progress bar counts runs.
struct CancellationOnly(Arc<dyn Console>);

impl Progress for CancellationOnly {
    fn cancelled(&self) -> bool {
        self.0.cancelled()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forecasts_follow_measured_times() {
        let mut forecast = TimeForecast { cost_left: 100.0, cost_done: 0.0, seconds: 0.0 };
        assert_eq!(forecast.seconds_left(), 100.0);
        forecast.finished(80.0, 180.0);
        assert_eq!(forecast.seconds_left(), 20.0 * 2.0);
    }

    #[test]
    fn studies_are_found_by_name() {
        for (name, id) in
            [("table2", "table2"), ("Table-12", "table12"), ("fig7", "table8"), ("Figure 3", "fig3")]
        {
            assert_eq!(Study::named(name).unwrap().id, id);
        }
        assert!(Study::named("table1").is_none());
    }

    #[test]
    fn runs_with_the_same_key_are_the_same_run() {
        let mut seen = std::collections::BTreeMap::new();
        for run in STUDIES.iter().flat_map(|study| study.runs(5)) {
            let fingerprint = run.fingerprint(Path::new("nowhere"));
            let earlier = seen.insert(run.key.clone(), fingerprint.clone());
            assert!(earlier.is_none_or(|earlier| earlier == fingerprint), "{}", run.key);
        }
        assert!(seen.len() > 150, "{}", seen.len());
    }
}
