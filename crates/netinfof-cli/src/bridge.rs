//! The functions of the command that the Python package uses, so that both share one meaning of options, dataset names, tables and pages.

use std::ffi::OsString;
use std::path::PathBuf;

use netinfof::report::VerdictKind;
use netinfof::{Exec, Goal, Graph, LinkParams, NodeParams, Report, Result, Seed};

use crate::args::{Args, Command, RunArgs};
use crate::{commands, datasets, page, printer};

/// The options of `netinfof probe`, and the graph they are about.
#[derive(Debug)]
pub struct Options(RunArgs);

impl Options {
    /// Parses arguments as the command does, such as `cora.npz` and `--dim=64`. Options of the other task are an error. An error is
    /// one line, in the terms of the Python package.
    pub fn parse(words: impl IntoIterator<Item = String>) -> std::result::Result<Self, String> {
        let command = ["netinfof", "probe"].map(String::from);
        let words: Vec<OsString> = command.into_iter().chain(words).map(OsString::from).collect();
        match Args::of_python(&words)?.command {
            Command::Probe(run) => Ok(Options(run)),
            _ => unreachable!("probe was asked for"),
        }
    }

    /// Loads the graph.
    pub fn graph(&self, exec: &Exec) -> Result<Graph> {
        let files = self.0.load_params()?;
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

    /// Whether the task is node classification.
    pub fn is_nodes(&self) -> bool {
        matches!(self.0.task, crate::args::Task::Nodes)
    }
}

/// A report as a self-contained page.
pub fn page(report: &Report) -> String {
    page::page(report, None, None)
}

/// A report as the command prints it.
pub fn table(report: &Report) -> String {
    printer::report(report, printer::ReportDetail::Components)
}

/// The facts about a graph, as `netinfof inspect` prints them.
pub fn facts(graph: &Graph) -> String {
    printer::facts(&graph.facts())
}

/// The headline of a verdict.
pub fn headline(kind: VerdictKind) -> &'static str {
    printer::headline(kind)
}

/// The path of the downloaded dataset with this name; other words are returned as paths.
pub fn path(word: &str) -> Result<PathBuf> {
    Ok(datasets::resolve(word)?.map_or_else(|| word.into(), |(_, path)| path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_the_other_task_are_refused_with_names_of_python() {
        let parse = |words: &[&str]| Options::parse(words.iter().map(ToString::to_string));
        let fault = parse(&["--task=nodes", "--negatives=heart"]).unwrap_err();
        assert_eq!(fault, "`negatives` applies to task='links', not to task='nodes'; remove it");
        assert!(parse(&["--task=nodes", "--min-class=3"]).is_ok());
        assert!(parse(&["--dim=x"]).unwrap_err().contains("invalid `dim`: x"));
    }
}
