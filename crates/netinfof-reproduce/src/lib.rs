//! The experiments of the NetInfoF paper (Lee et al., ICLR 2024): published figures and ours side by side.
//!
//! [`run()`] is what the command `netinfof reproduce` calls. The crate writes files but never to the terminal itself: what a user is
//! shown goes through a [`Console`], so that it does not depend on the command that carries it.

mod paper;
mod plot;
mod render;
mod section;
mod studies;
mod tables;
mod unit;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use netinfof::{Error, Exec, Progress, Result};
use netinfof_io::save;

use render::Document;
use studies::{Results, STUDIES, Study};
use unit::{Shelf, Unit};

/// Which experiments to run, and how.
#[derive(Clone, Debug)]
pub struct ReproduceParams {
    /// Names of tables and figures, such as `table2` and `fig4`.
    pub tables: Vec<String>,
    /// Whether to run all of them, whatever `tables` holds.
    pub all: bool,
    /// Folder with the graphs as npz files.
    pub data: PathBuf,
    /// Number of splits of each graph, 1 to 1000.
    pub splits: usize,
    /// Folder for the documents, plots and the results of single runs.
    pub output: PathBuf,
    /// Number of threads; 0 is one for each core.
    pub threads: usize,
}

/// Shows a user what happens, and passes on the request to stop.
pub trait Console: Send + Sync {
    /// Prints a result to standard output.
    fn print(&self, text: &str) -> Result<()>;

    /// Shows a notice.
    fn notice(&self, text: &str);

    /// Shows that the run named `run` begins, after `finished` of `total` runs, with about `seconds_left` to go.
    fn run_begins(&self, finished: usize, total: usize, run: &str, seconds_left: f64);

    /// Removes the progress shown so far.
    fn clear(&self);

    /// Whether the user asked to stop.
    fn cancelled(&self) -> bool;
}

/// Runs the chosen experiments and writes their documents. Where none is chosen, prints the list of experiments.
///
/// The result of every single run is kept in the output folder. A call that was interrupted continues after the last one.
pub fn run(params: &ReproduceParams, console: &Arc<dyn Console>) -> Result<()> {
    let chosen = chosen(params)?;
    if chosen.is_empty() {
        let lines: Vec<String> = STUDIES.iter().map(|s| format!("  {:8} {}", s.id, s.title)).collect();
        return console.print(&format!(
            "--all, or --table with one or more of (comma between them)\n{}",
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
    let place = Place::new(&params.output)?;
    let mut results = Results { splits: params.splits, ..Results::default() };
    let mut waiting: Vec<Unit> = Vec::new();
    let mut seen = BTreeSet::new();
    for unit in chosen.iter().flat_map(|study| study.units(params.splits)) {
        if !seen.insert(unit.key.clone()) {
            continue;
        }
        if !unit.available(data) {
            results.missing.insert(unit.key);
        } else if let Some(outcome) = unit.kept(data, &place.runs) {
            results.found.insert(unit.key, outcome);
        } else {
            waiting.push(unit);
        }
    }
    // Times are compared with each other: all of them are taken in one run, or none.
    if waiting.iter().any(|unit| unit.timed) {
        let again = chosen.iter().flat_map(|study| study.units(params.splits)).filter(|unit| unit.timed);
        waiting.extend(again.filter(|unit| results.found.remove(&unit.key).is_some()));
    }
    let missing = missing_graphs(&chosen, params.splits, data);
    let document = |results: &Results| Document {
        sections: chosen.iter().map(|study| study.section(results)).collect(),
        missing: missing.clone(),
        splits: params.splits,
        command: command(params),
    };
    place.write(&document(&results))?;

    let kept = results.found.len();
    if kept > 0 {
        console.notice(&format!(
            "{kept} runs of an earlier call are used; remove {} to run them again",
            place.runs.display()
        ));
    }
    let mut clock = Forecast::new(&waiting);
    let mut shelf = Shelf::default();
    let count = waiting.len();
    let mut failures = Vec::new();
    for (number, unit) in waiting.iter().enumerate() {
        console.run_begins(number, count, &unit.key, clock.left());
        let exec = Exec::with_progress(params.threads, Arc::new(Silent(Arc::clone(console))))?;
        let start = Instant::now();
        match unit.run(data, &place.runs, &mut shelf, &exec) {
            Ok(outcome) => {
                results.found.insert(unit.key.clone(), outcome);
                place.write(&document(&results))?;
            }
            Err(Error::Cancelled) => {
                console.clear();
                console.notice("stopped; what was done is kept, and the same command goes on from here");
                return Err(Error::Cancelled);
            }
            // One graph that cannot be read must not cost the others their figures.
            Err(error) => {
                failures.push(format!("{}: {error}", unit.key));
                results.failed.insert(unit.key.clone());
            }
        }
        clock.done(unit.cost, start.elapsed().as_secs_f64());
    }
    console.clear();
    let document = document(&results);
    place.write(&document)?;
    console.print(&document.summary(&place.folder))?;
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

/// The call, without what only this machine knows.
fn command(params: &ReproduceParams) -> String {
    let what = if params.all { "--all".into() } else { format!("--table {}", params.tables.join(",")) };
    format!("netinfof reproduce {what} --splits {}", params.splits)
}

/// Graphs that are not on disk, with where to get them.
fn missing_graphs(chosen: &[&Study], splits: usize, data: &Path) -> Vec<[String; 3]> {
    let units = chosen.iter().flat_map(|study| study.units(splits));
    let absent: BTreeSet<(String, bool)> =
        units.filter(|unit| !unit.available(data)).map(|unit| (unit.graph, unit.official_split)).collect();
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

/// Writes a text file as a whole or not at all.
fn write_whole(path: &Path, text: &str) -> Result<()> {
    save::whole(path, |file| std::io::Write::write_all(file, text.as_bytes()))
}

/// Where everything goes.
struct Place {
    folder: PathBuf,
    /// Plots.
    plots: PathBuf,
    /// What single runs found.
    runs: PathBuf,
}

impl Place {
    fn new(folder: &Path) -> Result<Self> {
        let plots = folder.join("reproduction");
        let runs = plots.join("runs");
        std::fs::create_dir_all(&runs).map_err(|source| Error::Io { path: runs.clone(), source })?;
        Ok(Place { folder: folder.to_path_buf(), plots, runs })
    }

    fn write(&self, document: &Document) -> Result<()> {
        for shown in document.sections.iter().flat_map(|section| &section.plots) {
            write_whole(&self.plots.join(&shown.file), &shown.svg)?;
        }
        write_whole(&self.folder.join("reproduction.json"), &document.json())?;
        write_whole(&self.folder.join("reproduction.md"), &document.markdown())?;
        write_whole(&self.folder.join("reproduction.html"), &document.html())
    }
}

/// Foretells the time left from rough costs and what they came to.
struct Forecast {
    /// Of the runs to come.
    cost_left: f64,
    cost_done: f64,
    seconds: f64,
}

impl Forecast {
    fn new(units: &[Unit]) -> Self {
        Forecast { cost_left: units.iter().map(|unit| unit.cost).sum(), cost_done: 0.0, seconds: 0.0 }
    }

    fn done(&mut self, cost: f64, seconds: f64) {
        self.cost_left -= cost;
        self.cost_done += cost;
        self.seconds += seconds;
    }

    /// Seconds left. The first runs weigh little against the guess.
    fn left(&self) -> f64 {
        const TRUST: f64 = 20.0;
        self.cost_left * (self.seconds + TRUST) / (self.cost_done + TRUST)
    }
}

/// Lets a run be stopped, and says nothing of its stages: the bar shows the runs.
struct Silent(Arc<dyn Console>);

impl Progress for Silent {
    fn cancelled(&self) -> bool {
        self.0.cancelled()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forecasts_learn_from_what_runs_cost() {
        let mut clock = Forecast { cost_left: 100.0, cost_done: 0.0, seconds: 0.0 };
        assert_eq!(clock.left(), 100.0);
        clock.done(80.0, 180.0);
        assert_eq!(clock.left(), 20.0 * 2.0);
    }

    #[test]
    fn studies_go_by_their_names() {
        for (name, id) in
            [("table2", "table2"), ("Table-12", "table12"), ("fig7", "table8"), ("Figure 3", "fig3")]
        {
            assert_eq!(Study::named(name).unwrap().id, id);
        }
        assert!(Study::named("table1").is_none());
    }

    #[test]
    fn keys_of_runs_are_unique_to_what_they_run() {
        let mut seen = std::collections::BTreeMap::new();
        for unit in STUDIES.iter().flat_map(|study| study.units(5)) {
            let fingerprint = unit.fingerprint(Path::new("nowhere"));
            let earlier = seen.insert(unit.key.clone(), fingerprint.clone());
            assert!(earlier.is_none_or(|earlier| earlier == fingerprint), "{}", unit.key);
        }
        assert!(seen.len() > 150, "{}", seen.len());
    }
}
