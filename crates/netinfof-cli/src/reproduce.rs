//! `netinfof reproduce`: the paper's experiments, published figures and ours side by side.

mod paper;
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

use crate::args::ReproduceArgs;
use crate::commands::write_whole;
use crate::printer::{self, Bars};
use render::Document;
use studies::{Results, STUDIES, Study};
use unit::{Shelf, Unit};

/// Runs what was asked for, or says what there is to ask for.
pub(crate) fn run(args: &ReproduceArgs, bars: &Arc<Bars>) -> Result<()> {
    let chosen = chosen(args)?;
    if chosen.is_empty() {
        let lines: Vec<String> = STUDIES.iter().map(|s| format!("  {:8} {}", s.id, s.title)).collect();
        return printer::out(&format!(
            "--all, or --table with one or more of (comma between them)\n{}",
            lines.join("\n")
        ));
    }
    if !(1..=1000).contains(&args.splits) {
        return Err(Error::InvalidParam {
            name: "splits",
            value: args.splits.to_string(),
            need: "1 to 1000".into(),
        });
    }
    let data = args
        .data
        .clone()
        .or_else(|| std::env::var_os("NETINFOF_DATA").map(PathBuf::from))
        .unwrap_or_else(|| "data".into());
    let place = Place::new(&args.output)?;
    let mut results = Results { splits: args.splits, ..Results::default() };
    let mut waiting: Vec<Unit> = Vec::new();
    let mut seen = BTreeSet::new();
    for unit in chosen.iter().flat_map(|study| study.units(args.splits)) {
        if !seen.insert(unit.key.clone()) {
            continue;
        }
        if !unit.available(&data) {
            results.missing.insert(unit.key);
        } else if let Some(outcome) = unit.kept(&data, &place.runs) {
            results.found.insert(unit.key, outcome);
        } else {
            waiting.push(unit);
        }
    }
    // Times are compared with each other: all of them are taken in one run, or none.
    if waiting.iter().any(|unit| unit.timed) {
        let again = chosen.iter().flat_map(|study| study.units(args.splits)).filter(|unit| unit.timed);
        waiting.extend(again.filter(|unit| results.found.remove(&unit.key).is_some()));
    }
    let missing = missing_graphs(&chosen, args.splits, &data);
    let document = |results: &Results| Document {
        sections: chosen.iter().map(|study| study.section(results)).collect(),
        missing: missing.clone(),
        splits: args.splits,
        command: command(args),
    };
    place.write(&document(&results))?;

    let kept = results.found.len();
    if kept > 0 {
        bars.notice(&format!(
            "{kept} runs of an earlier call are used; remove {} to run them again",
            place.runs.display()
        ));
    }
    let mut clock = Forecast::new(&waiting);
    let mut shelf = Shelf::default();
    let count = waiting.len();
    let mut failures = Vec::new();
    for (number, unit) in waiting.iter().enumerate() {
        bars.overall(number, count, &unit.key, clock.left());
        let exec = Exec::with_progress(args.threads.unwrap_or(0), Arc::new(Silent(Arc::clone(bars))))?;
        let start = Instant::now();
        match unit.run(&data, &place.runs, &mut shelf, &exec) {
            Ok(outcome) => {
                results.found.insert(unit.key.clone(), outcome);
                place.write(&document(&results))?;
            }
            Err(Error::Cancelled) => {
                bars.clear();
                bars.notice("stopped; what was done is kept, and the same command goes on from here");
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
    bars.clear();
    let document = document(&results);
    place.write(&document)?;
    printer::out(&document.summary(&place.folder))?;
    match failures.first() {
        None => Ok(()),
        Some(_) => Err(Error::Unsuitable {
            stage: "reproduce",
            why: format!("{} of {count} runs failed: {}", failures.len(), failures.join("; ")),
        }),
    }
}

fn chosen(args: &ReproduceArgs) -> Result<Vec<&'static Study>> {
    if args.all {
        return Ok(STUDIES.iter().collect());
    }
    let mut chosen: Vec<&Study> = Vec::new();
    for name in &args.table {
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
fn command(args: &ReproduceArgs) -> String {
    let what = if args.all { "--all".into() } else { format!("--table {}", args.table.join(",")) };
    format!("netinfof reproduce {what} --splits {}", args.splits)
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
struct Silent(Arc<Bars>);

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
