//! One function per command: it turns arguments into parameters, calls the library and prints the result.

mod model;
#[cfg(feature = "reproduce")]
mod reproduce;

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use netinfof::graph::Sides;
use netinfof::plan::{self, Plan};
use netinfof::split::check;
use netinfof::{ComponentKind, Error, Exec, Goal, Graph, Report, Result, Seed};
use netinfof_io::load::{self, LoadParams, SplitFiles};
use netinfof_io::save;

use crate::args::{
    ActArgs, Args, CheckSplitArgs, Command, ConvertArgs, DatasetsAction, DatasetsArgs, InspectArgs, PlotArgs,
    ReportArgs, RunArgs, SplitArgs, SynthArgs, Task,
};
use crate::baselines::Baselines;
use crate::datasets::{self, DatasetList};
use crate::defaults::Defaults;
use crate::page::page;
use crate::plot::{self, NodeColour};
use crate::printer::{self, ReportDetail};
use crate::progress::TerminalProgress;
use crate::result_table::ResultTable;
use crate::shell;

/// Runs the chosen command; `words` is the whole command line, for the report. Returns the exit status.
pub(crate) fn dispatch(
    args: &Args,
    words: &[OsString],
    defaults: &Defaults,
    progress: &Arc<TerminalProgress>,
    exec: &Exec,
) -> Result<u8> {
    let done = match &args.command {
        Command::CheckSplit(check) => return check_split(check, exec),
        Command::Probe(run) => task(run, None, words, exec),
        Command::Act(act) => task(&act.run, Some(act), words, exec),
        Command::Predict(predict) => model::predict(predict, exec),
        Command::Recommend(recommend) => model::recommend(recommend, exec),
        Command::Inspect(inspect) => inspect_graph(inspect, exec),
        Command::Plot(args) => draw(args, exec),
        Command::Report(report) => show_again(report),
        Command::Convert(args) => convert(args, exec),
        Command::Synth(synth) => generate(synth, exec),
        Command::Datasets(args) => datasets(args, progress),
        Command::Config(args) => finish(args.json.as_deref(), || defaults.json(), || defaults.table()),
        Command::Completions(args) => shell::completions(args),
        Command::Manual(args) => shell::manual(args),
        #[cfg(feature = "reproduce")]
        Command::Reproduce(args) => reproduce::run(args, progress),
    };
    done.map(|()| 0)
}

/// Loads a graph from a file or folder, generates it, or opens a downloaded dataset by its name.
pub(crate) fn load_graph(source: &str, params: &LoadParams, seed: Seed, exec: &Exec) -> Result<Graph> {
    match datasets::resolve(source)? {
        None => load::graph(source, params, seed, exec),
        Some((name, path)) => {
            load::graph(&path.to_string_lossy(), params, seed, exec).map(|graph| graph.with_name(name))
        }
    }
}

/// The same, and says what was read.
pub(crate) fn read_graph(source: &str, params: &LoadParams, seed: Seed, exec: &Exec) -> Result<Graph> {
    let graph = load_graph(source, params, seed, exec)?;
    if let Some(schema) = graph.schema() {
        let line = schema.line(graph.features().cols(), graph.classes(), graph.target_kind());
        exec.message(&format!("{}: {line}", graph.name()));
    }
    Ok(graph)
}

/// Lists the datasets, or downloads those that were named.
fn datasets(args: &DatasetsArgs, progress: &TerminalProgress) -> Result<()> {
    if let Some(DatasetsAction::Get(get)) = &args.action {
        return printer::out(&datasets::get(&get.names, progress)?);
    }
    let list = DatasetList::read()?;
    finish(args.json.as_deref(), || list.json(), || list.table())
}

/// Runs Probe or Act. `act` holds the arguments for what Act writes besides the report.
fn task(run: &RunArgs, act: Option<&ActArgs>, words: &[OsString], exec: &Exec) -> Result<()> {
    let goal = if act.is_some() { Goal::Act } else { Goal::Probe };
    let keep = act.filter(|act| act.save.is_some() || act.predictions.is_some());
    let [save, predictions] = keep.map_or([None; 2], |act| [act.save.as_deref(), act.predictions.as_deref()]);
    // Outputs that cannot be written are reported before the work, not after it.
    let written = [run.html.as_deref(), run.output.json.as_deref(), save, predictions];
    for (at, path) in written.iter().flatten().enumerate() {
        check_writable(path)?;
        // Two outputs with the same path would overwrite each other.
        if written.iter().flatten().take(at).any(|before| before == path) {
            return Err(own_file("output", path));
        }
    }
    if let Some(path) = [save, predictions].into_iter().flatten().find(|path| *path == Path::new("-")) {
        return Err(own_file("output", path));
    }
    if let Some(path) = predictions {
        ResultTable::new(Some(path))?;
    }
    if let Some(path) = run.html.as_deref().filter(|path| *path == Path::new("-")) {
        return Err(own_file("html", path));
    }
    let files = run.load_params()?;
    let load = || read_graph(&run.graph.graph, &files, Seed(run.seed), exec);
    let mut kept = None;
    let mut map = None;
    let mut drawn = |graph: &Graph| -> Result<()> {
        if run.html.is_some() {
            map = plot::on_page(graph, exec)?;
        }
        Ok(())
    };
    let mut report = match run.task {
        Task::Links => {
            let mut params = run.link_params()?;
            let graph = load()?;
            params.splits = run.splits(goal, run.has_split(), &graph);
            let own = own_split(
                &run.split,
                |path| load::link_split(path, &graph),
                |files| load::link_split_files(files, &graph, exec),
            )?;
            if run.needs.plan {
                return show_plan(&plan::links(&graph, own.as_ref(), goal, &params, exec), run);
            }
            let report = if keep.is_none() {
                netinfof::links(&graph, own.as_ref(), goal, &params, exec)?
            } else {
                let fitted = netinfof::fit_links(&graph, own.as_ref(), &params, exec)?;
                if let Some(path) = predictions {
                    model::tested_links(&fitted, path)?;
                }
                kept = Some(fitted.model);
                fitted.report
            };
            drawn(&graph)?;
            report
        }
        Task::Nodes => {
            let mut params = run.node_params()?;
            let graph = load()?;
            params.splits = run.splits(goal, run.has_split(), &graph);
            let own =
                own_split(&run.split, load::node_split, |files| load::node_split_files(files, &graph, exec))?;
            if run.needs.plan {
                return show_plan(&plan::nodes(&graph, goal, &params, exec), run);
            }
            let report = if keep.is_none() {
                netinfof::nodes(&graph, own.as_ref(), goal, &params, exec)?
            } else {
                let fitted = netinfof::fit_nodes(&graph, own.as_ref(), &params, exec)?;
                if let Some(path) = predictions {
                    model::tested_nodes(&fitted, path)?;
                }
                kept = Some(fitted.model);
                fitted.report
            };
            drawn(&graph)?;
            report
        }
    };
    report.command = Some(command_line(words));
    if let Some(path) = &run.html {
        write_whole(path, &page(&report, None, map.as_deref()))?;
    }
    if let (Some(path), Some(model)) = (save, &kept) {
        model.save(path)?;
    }
    finish(run.output.json.as_deref(), || report.to_json(), || printed(&report, run.detail.verbose))?;
    exec.finish_work_folder()?;
    match (save, &kept) {
        (Some(path), Some(model)) if run.output.json.as_deref() != Some(Path::new("-")) => {
            model::saved(model, path)
        }
        _ => Ok(()),
    }
}

/// Prints how much memory and time a run will need.
fn show_plan(plan: &Plan, run: &RunArgs) -> Result<()> {
    let json = || serde_json::to_string_pretty(plan).expect("a plan holds nothing JSON cannot say");
    finish(run.output.json.as_deref(), json, || printer::plan(plan))
}

/// The report for the terminal.
fn printed(report: &Report, verbose: bool) -> String {
    printer::report(report, if verbose { ReportDetail::Components } else { ReportDetail::Answer })
}

fn own_file(name: &'static str, path: &Path) -> Error {
    Error::InvalidParam {
        name,
        value: path.display().to_string(),
        need: "a file that no other output uses".into(),
    }
}

/// The command line with shell quoting.
fn command_line(words: &[OsString]) -> String {
    let safe = |c: char| c.is_alphanumeric() || "-_./=,:@%+".contains(c);
    let quoted = words.iter().skip(1).map(|arg| {
        let arg = arg.to_string_lossy().into_owned();
        if !arg.is_empty() && arg.chars().all(safe) {
            arg
        } else {
            format!("'{}'", arg.replace('\'', r"'\''"))
        }
    });
    std::iter::once("netinfof".to_string()).chain(quoted).collect::<Vec<_>>().join(" ")
}

/// Prints a report from its JSON file, and writes the page.
fn show_again(args: &ReportArgs) -> Result<()> {
    let bytes = std::fs::read(&args.run).map_err(|source| Error::Io { path: args.run.clone(), source })?;
    let no_run = |what: String| Error::InvalidParam {
        name: "RUN",
        value: format!("{}: {what}", args.run.display()),
        need: "a file that `netinfof probe --json` or `netinfof act --json` wrote".into(),
    };
    let text = String::from_utf8(bytes).map_err(|_| no_run("not UTF-8 text".into()))?;
    let report = Report::from_json(&text).map_err(|e| no_run(e.to_string()))?;
    let html = args.html.clone().unwrap_or_else(|| args.run.with_extension("html"));
    let baselines = args.baselines.as_deref().map(|path| Baselines::read(path, &report)).transpose()?;
    write_whole(&html, &page(&report, baselines.as_ref(), None))?;
    let compared = baselines.map_or_else(String::new, |baselines| format!("\n\n{}", baselines.text(&report)));
    printer::out(&format!(
        "{}{compared}\n\n  page: {}",
        printed(&report, args.detail.verbose),
        html.display()
    ))
}

/// Refuses a path that is a folder or whose folder does not exist.
fn check_writable(path: &Path) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let fault = match (path.is_dir(), folder.is_dir()) {
        (true, _) => ErrorKind::IsADirectory,
        (_, false) => ErrorKind::NotFound,
        _ => return Ok(()),
    };
    let missing = if path.is_dir() { path } else { folder };
    Err(Error::Io { path: missing.to_path_buf(), source: fault.into() })
}

fn own_split<T>(
    args: &SplitArgs,
    from_one: impl Fn(&Path) -> Result<T>,
    from_files: impl Fn(&SplitFiles) -> Result<T>,
) -> Result<Option<T>> {
    if let Some(path) = &args.split {
        let known = datasets::resolve(&path.to_string_lossy())?;
        return from_one(known.as_ref().map_or(path, |(_, path)| path)).map(Some);
    }
    let (Some(train), Some(valid), Some(test)) = (&args.train, &args.valid, &args.test) else {
        return Ok(None);
    };
    from_files(&SplitFiles::new(train, valid, test)).map(Some)
}

/// Prints the findings about a split. Status 1 if there are any that are not allowed.
fn check_split(args: &CheckSplitArgs, exec: &Exec) -> Result<u8> {
    let graph = read_graph(&args.graph.graph, &args.graph.load_params()?, Seed(0), exec)?;
    let missing = || Error::InvalidParam {
        name: "split",
        value: "none".into(),
        need: "--train, --valid and --test, or --split".into(),
    };
    let (sizes, checked) = match args.task {
        Task::Links => {
            let own = own_split(
                &args.split,
                |path| load::link_split(path, &graph),
                |files| load::link_split_files(files, &graph, exec),
            )?;
            let pairs = own.ok_or_else(missing)?;
            let sizes = [pairs.train.len(), pairs.valid.positives.len(), pairs.test.positives.len()];
            (sizes, check::links(&graph, &pairs, exec)?)
        }
        Task::Nodes => {
            let own = own_split(&args.split, load::node_split, |files| {
                load::node_split_files(files, &graph, exec)
            })?;
            let sets = own.ok_or_else(missing)?;
            ([sets.train.len(), sets.valid.len(), sets.test.len()], check::nodes(&graph, &sets, exec)?)
        }
    };
    let value = || {
        let value = serde_json::json!({ "netinfof": env!("CARGO_PKG_VERSION"), "graph": graph.name(), "sizes": sizes, "split": checked });
        serde_json::to_string_pretty(&value).expect("findings hold nothing JSON cannot say")
    };
    finish(args.output.json.as_deref(), value, || printer::checked(sizes, &checked, &args.allow))?;
    let allowed = |finding: &check::Finding| args.allow.iter().any(|kind| kind == finding.kind);
    Ok(u8::from(!checked.findings.iter().all(allowed)))
}

fn inspect_graph(inspect: &InspectArgs, exec: &Exec) -> Result<()> {
    let start = Instant::now();
    let graph = read_graph(&inspect.graph.graph, &inspect.graph.load_params()?, Seed(0), exec)?;
    let graph = graph.with_detected_sides(exec);
    show_facts(inspect.output.json.as_deref(), &graph, start)
}

/// Draws a graph or a report.
fn draw(args: &PlotArgs, exec: &Exec) -> Result<()> {
    if args.output.extension().is_none_or(|ending| !ending.eq_ignore_ascii_case("svg")) {
        return Err(Error::InvalidParam {
            name: "output",
            value: args.output.display().to_string(),
            need: "a file name ending in .svg".into(),
        });
    }
    check_writable(&args.output)?;
    if let Some(report) = plot::report_in(Path::new(&args.graph.graph)) {
        if args.by.is_some() || args.color.is_some() {
            return Err(Error::InvalidParam {
                name: "by and color",
                value: "given".into(),
                need: "a graph; a report has the scores of all components".into(),
            });
        }
        write_whole(&args.output, &plot::of_report(&report))?;
        return printer::out(&format!("scores of {}: {}", report.graph.name, args.output.display()));
    }
    let graph = read_graph(&args.graph.graph, &args.graph.load_params()?, Seed(0), exec)?;
    let name = args.by.as_deref().unwrap_or(plot::usual(&graph).name());
    let kind = ComponentKind::named(name).filter(|kind| *kind != ComponentKind::X);
    let kind = kind.ok_or_else(|| Error::InvalidParam {
        name: "by",
        value: name.into(),
        need: "a component that embeds nodes: U, R, F, P, S, D or C".into(),
    })?;
    let usual = plot::usual_colour(&graph);
    let colour = args.color.unwrap_or(usual);
    if colour == NodeColour::Class && usual != colour {
        return Err(Error::InvalidParam {
            name: "color",
            value: "class".into(),
            need: "a graph with classes or a numeric target, or degree".into(),
        });
    }
    write_whole(&args.output, &plot::map(&graph, kind, colour, exec)?)?;
    printer::out(&format!("{} by {name}: {}", graph.name(), args.output.display()))
}

/// Writes a graph in the format given by the output's file name.
fn convert(args: &ConvertArgs, exec: &Exec) -> Result<()> {
    let name = args.output.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let stem = [".gz", ".zst"].iter().find_map(|packed| name.strip_suffix(packed)).unwrap_or(&name);
    let ending = stem.rsplit_once('.').map_or("", |(_, ending)| ending).to_lowercase();
    let text = ["csv", "tsv", "txt", "mtx"].contains(&ending.as_str());
    if !text && (!["npz", "parquet"].contains(&ending.as_str()) || stem != name) {
        return Err(Error::InvalidParam {
            name: "OUTPUT",
            value: args.output.display().to_string(),
            need: "a file name ending in .npz, .parquet, .csv, .tsv, .txt or .mtx; .gz or .zst may follow the last four"
                .into(),
        });
    }
    check_writable(&args.output)?;
    if let Some(path) = args.load.context.first() {
        return Err(Error::InvalidParam {
            name: "context",
            value: path.display().to_string(),
            need: "no context where a graph is written: formats hold one relation; give the file to the command that uses it".into(),
        });
    }
    let graph = read_graph(&args.graph, &args.load.params()?, Seed(0), exec)?;
    if graph.is_directed() && ending != "npz" {
        exec.notice("only .npz states that edges have directions: give --directed where this file is read");
    }
    let (features, labels) = (graph.features().cols() > 0, graph.target_kind().is_some());
    // A directed graph holds every node as a source and as a target.
    let nodes = if graph.is_directed() { graph.nodes() / 2 } else { graph.nodes() };
    if let Some(times) = graph.times().filter(|times| !times.repeats().is_empty()) {
        exec.notice(format!(
            "{} repeated contacts are not written: each edge is written once, with the time of its first contact",
            times.repeats().len()
        ));
    }
    let mut written = vec![args.output.clone()];
    match ending.as_str() {
        "npz" => save::npz(&graph, &args.output)?,
        "mtx" => {
            let names = graph.ids().is_some() || graph.sides().is_some();
            if features || labels || names || graph.times().is_some() {
                exec.notice(
                    "MatrixMarket cannot store features, labels, names and sides, or times: only the edges are written",
                );
            }
            save::market(&graph, &args.output)?;
        }
        _ => {
            save::edges(&graph, &args.output)?;
            let unstated = |sides: &&Sides| !sides.are_roles() && !load::are_sides(sides.names());
            if let Some(sides) = graph.sides().filter(unstated) {
                let [a, b] = sides.names();
                exec.notice(format!(
                    "a table cannot state that `{a}` and `{b}` are two sides: give --bipartite where it is read, or write .npz"
                ));
            }
            // Isolated nodes appear only in the node table.
            let degree = |node: usize| {
                let target = if graph.is_directed() { graph.degree(nodes + node) } else { 0 };
                graph.degree(node) + target
            };
            if features || labels || (0..nodes).any(|node| degree(node) == 0) {
                let (base, rest) = name.split_once('.').unwrap_or((&name, ""));
                let table = args.output.with_file_name(format!("{base}.nodes.{rest}"));
                save::nodes(&graph, &table)?;
                written.push(table);
            }
        }
    }
    let written: Vec<String> = written.iter().map(|path| path.display().to_string()).collect();
    printer::out(&format!("{nodes} nodes, {} edges: {}", graph.edge_count(), written.join(", ")))
}

fn generate(synth: &SynthArgs, exec: &Exec) -> Result<()> {
    let start = Instant::now();
    let graph = synth.generator()?.graph(Seed(0), exec)?;
    if let Some(path) = &synth.output {
        save::npz(&graph, path)?;
    }
    show_facts(synth.json.as_deref(), &graph, start)
}

fn show_facts(json: Option<&Path>, graph: &Graph, start: Instant) -> Result<()> {
    let seconds = start.elapsed().as_secs_f64();
    let facts = graph.facts();
    let value = || {
        let value =
            serde_json::json!({ "netinfof": env!("CARGO_PKG_VERSION"), "graph": facts, "seconds": seconds });
        serde_json::to_string_pretty(&value).expect("facts hold nothing JSON cannot say")
    };
    finish(json, value, || printer::facts(&facts))
}

/// Writes the JSON to its file, if any, and prints the table; `-` prints the JSON instead of the table.
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
