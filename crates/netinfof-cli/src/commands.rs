//! One function a command: arguments to parameters, the library's work, the printer.

use std::path::Path;
use std::sync::Arc;

use netinfof::graph::load::{self, SplitFiles};
use netinfof::graph::save;
use netinfof::{Exec, Goal, Graph, Result, Seed};

use crate::args::{Args, Command, InspectArgs, RunArgs, SynthArgs, Task};
use crate::printer::{self, Bars};

pub(crate) fn dispatch(args: &Args, bars: &Arc<Bars>, exec: &Exec) -> Result<()> {
    match &args.command {
        Command::Probe(run) => task(run, Goal::Probe, exec),
        Command::Act(run) => task(run, Goal::Act, exec),
        Command::Inspect(inspect) => inspect_graph(inspect, exec),
        Command::Synth(synth) => generate(synth, exec),
        Command::Reproduce(reproduce) => crate::reproduce::run(reproduce, bars),
    }
}

fn task(run: &RunArgs, goal: Goal, exec: &Exec) -> Result<()> {
    let load = || load::graph(&run.graph.graph, &run.graph.load_params(), Seed(run.seed), exec);
    let report = match run.task {
        Task::Links => {
            let mut params = run.link_params()?;
            let graph = load()?;
            params.splits = splits(run, goal, &graph);
            let own = own_split(run, load::link_split_npz, |files| load::link_split_files(files, &graph))?;
            netinfof::links(&graph, own.as_ref(), goal, &params, exec)?
        }
        Task::Nodes => {
            let mut params = run.node_params()?;
            let graph = load()?;
            params.splits = splits(run, goal, &graph);
            let own = own_split(run, load::node_split_npz, |files| load::node_split_files(files, &graph))?;
            netinfof::nodes(&graph, own.as_ref(), goal, &params, exec)?
        }
    };
    finish(run.output.json.as_deref(), || report.to_json(), || printer::report(&report))
}

/// Several splits where they are cheap, unless a number was asked for or the split is the user's own.
fn splits(run: &RunArgs, goal: Goal, graph: &Graph) -> usize {
    const CHEAP: usize = 25_000;
    let own = run.split.is_some() || run.train.is_some();
    let cheap = goal == Goal::Probe && graph.edge_count() <= CHEAP && !own;
    run.splits.unwrap_or(if cheap { 3 } else { 1 })
}

fn own_split<T>(
    run: &RunArgs,
    from_npz: impl Fn(&Path) -> Result<T>,
    from_files: impl Fn(&SplitFiles) -> Result<T>,
) -> Result<Option<T>> {
    if let Some(path) = &run.split {
        return from_npz(path).map(Some);
    }
    let (Some(train), Some(valid), Some(test)) = (&run.train, &run.valid, &run.test) else { return Ok(None) };
    from_files(&SplitFiles::new(train, valid, test)).map(Some)
}

fn inspect_graph(inspect: &InspectArgs, exec: &Exec) -> Result<()> {
    let graph = load::graph(&inspect.graph.graph, &inspect.graph.load_params(), Seed(0), exec)?;
    show_facts(inspect.output.json.as_deref(), &graph)
}

fn generate(synth: &SynthArgs, exec: &Exec) -> Result<()> {
    let graph = synth.generator()?.graph(Seed(0), exec)?;
    if let Some(path) = &synth.output {
        save::npz(&graph, path)?;
    }
    show_facts(synth.json.as_deref(), &graph)
}

fn show_facts(json: Option<&Path>, graph: &Graph) -> Result<()> {
    let facts = graph.facts();
    let value = || {
        let value = serde_json::json!({ "netinfof": env!("CARGO_PKG_VERSION"), "graph": facts });
        serde_json::to_string_pretty(&value).expect("facts hold nothing JSON cannot say")
    };
    finish(json, value, || printer::facts(&facts))
}

/// JSON to where it was asked for; a table to standard output unless the JSON went there.
fn finish(to: Option<&Path>, json: impl Fn() -> String, table: impl Fn() -> String) -> Result<()> {
    match to {
        Some(path) if path == Path::new("-") => return printer::out(&json()),
        Some(path) => write_whole(path, &(json() + "\n"))?,
        None => {}
    }
    printer::out(&table())
}

/// Writes a text file as a whole or not at all.
pub(crate) fn write_whole(path: &Path, text: &str) -> Result<()> {
    save::whole(path, |file| std::io::Write::write_all(file, text.as_bytes()))
}
