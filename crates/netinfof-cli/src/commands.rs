//! One function a command: arguments to parameters, the library's work, the printer.

use std::path::Path;

use netinfof::graph::load::{self, SplitFiles};
use netinfof::{Error, Exec, Goal, Graph, LinkPairs, Result, Seed};

use crate::args::{Args, Command, InspectArgs, OutputArgs, RunArgs};
use crate::printer;

pub(crate) fn dispatch(args: &Args, exec: &Exec) -> Result<()> {
    match &args.command {
        Command::Probe(run) => links(run, Goal::Probe, exec),
        Command::Act(run) => links(run, Goal::Act, exec),
        Command::Inspect(inspect) => inspect_graph(inspect, exec),
    }
}

fn links(run: &RunArgs, goal: Goal, exec: &Exec) -> Result<()> {
    let params = run.params()?;
    let graph = load::graph(&run.graph.graph, &run.graph.load_params(), Seed(run.seed), exec)?;
    let own = own_split(run, &graph)?;
    let report = netinfof::links(&graph, own.as_ref(), goal, &params, exec)?;
    finish(&run.output, || report.to_json(), || printer::report(&report))
}

fn own_split(run: &RunArgs, graph: &Graph) -> Result<Option<LinkPairs>> {
    if let Some(path) = &run.split {
        return load::link_split_npz(path).map(Some);
    }
    let (Some(train), Some(valid), Some(test)) = (&run.train, &run.valid, &run.test) else { return Ok(None) };
    load::link_split_files(&SplitFiles::new(train, valid, test), graph).map(Some)
}

fn inspect_graph(inspect: &InspectArgs, exec: &Exec) -> Result<()> {
    let graph = load::graph(&inspect.graph.graph, &inspect.graph.load_params(), Seed(0), exec)?;
    let facts = graph.facts();
    let json = || {
        let value = serde_json::json!({ "netinfof": env!("CARGO_PKG_VERSION"), "graph": facts });
        serde_json::to_string_pretty(&value).expect("facts hold nothing JSON cannot say")
    };
    finish(&inspect.output, json, || printer::facts(&facts))
}

/// JSON to where it was asked for; a table to standard output unless the JSON went there.
fn finish(output: &OutputArgs, json: impl Fn() -> String, table: impl Fn() -> String) -> Result<()> {
    match &output.json {
        Some(path) if path == Path::new("-") => return printer::out(&json()),
        Some(path) => write_whole(path, &(json() + "\n"))?,
        None => {}
    }
    printer::out(&table())
}

/// Writes a file as a whole or not at all: first beside it, then into its place.
fn write_whole(path: &Path, text: &str) -> Result<()> {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.tmp", std::process::id()));
    let beside = path.with_file_name(name);
    std::fs::write(&beside, text).and_then(|()| std::fs::rename(&beside, path)).map_err(|source| {
        let _ = std::fs::remove_file(&beside);
        Error::Io { path: path.to_path_buf(), source }
    })
}
