//! What a package that carries the command may use of it, so that the same words mean the same: options and their faults, graphs by
//! name, reports as tables and pages.

use std::path::PathBuf;

use clap::Parser as _;
use clap::error::{ContextKind, ContextValue};
use netinfof::verdict::VerdictKind;
use netinfof::{Exec, Goal, Graph, LinkParams, NodeParams, Report, Result, Seed};

use crate::args::{Args, Command, RunArgs};
use crate::{commands, datasets, page, printer};

/// The options of `netinfof probe`, and the graph they are about.
#[derive(Debug)]
pub struct Options(RunArgs);

impl Options {
    /// Takes words as the command does, such as `cora.npz` and `--dim=64`; the fault is one line.
    pub fn parse(words: impl IntoIterator<Item = String>) -> std::result::Result<Self, String> {
        let command = ["netinfof", "probe"].map(String::from);
        let args = Args::try_parse_from(command.into_iter().chain(words)).map_err(|e| one_line(&e))?;
        match args.command {
            Command::Probe(run) => Ok(Options(run)),
            _ => unreachable!("probe was asked for"),
        }
    }

    /// The graph.
    pub fn graph(&self, exec: &Exec) -> Result<Graph> {
        let files = self.0.graph.load_params()?;
        commands::load_graph(&self.0.graph.graph, &files, Seed(self.0.seed), exec)
    }

    /// Parameters of link prediction.
    pub fn links(&self, goal: Goal, own_split: bool, graph: &Graph) -> Result<LinkParams> {
        let mut params = self.0.link_params()?;
        params.splits = self.0.splits(goal, own_split, graph);
        Ok(params)
    }

    /// Parameters of node classification.
    pub fn nodes(&self, goal: Goal, own_split: bool, graph: &Graph) -> Result<NodeParams> {
        let mut params = self.0.node_params()?;
        params.splits = self.0.splits(goal, own_split, graph);
        Ok(params)
    }

    /// Whether it is about node classification.
    pub fn is_nodes(&self) -> bool {
        matches!(self.0.task, crate::args::Task::Nodes)
    }
}

/// The fault in the words of a package: options are keywords there, not flags.
fn one_line(error: &clap::Error) -> String {
    let (arg, value) = (error.get(ContextKind::InvalidArg), error.get(ContextKind::InvalidValue));
    if let (Some(ContextValue::String(arg)), Some(ContextValue::String(value))) = (arg, value)
        && let Some(flag) = arg.strip_prefix("--")
    {
        let name = flag.split([' ', '=']).next().unwrap_or(flag).replace('-', "_");
        let need = match error.get(ContextKind::ValidValue) {
            Some(ContextValue::Strings(values)) if !values.is_empty() => {
                format!("need one of {}", values.join(", "))
            }
            _ => std::error::Error::source(error)
                .map_or_else(|| "need another value".into(), ToString::to_string),
        };
        return format!("invalid `{name}`: {value} ({need})");
    }
    let text = error.render().to_string();
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let told =
        lines.take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more information"));
    let told: Vec<&str> = told.map(|line| line.strip_prefix("error: ").unwrap_or(line)).collect();
    told.join(" ")
}

/// A run as a page that stands alone.
pub fn page(report: &Report) -> String {
    page::page(report)
}

/// A run as the command prints it.
pub fn table(report: &Report) -> String {
    printer::report(report)
}

/// What a graph is, as `netinfof inspect` prints it.
pub fn facts(graph: &Graph) -> String {
    printer::facts(&graph.facts())
}

/// A verdict in a few words.
pub fn headline(kind: VerdictKind) -> &'static str {
    printer::headline(kind)
}

/// The path that a word stands for: that of a downloaded dataset where it is one's name.
pub fn path(word: &str) -> Result<PathBuf> {
    Ok(datasets::resolve(word)?.map_or_else(|| word.into(), |(_, path)| path))
}
