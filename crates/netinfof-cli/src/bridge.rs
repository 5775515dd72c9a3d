//! What a package that carries the command may use of it, so that the same words mean the same: options and their faults, graphs by
//! name, reports as tables and pages.

use std::ffi::OsString;
use std::path::PathBuf;

use netinfof::verdict::VerdictKind;
use netinfof::{Exec, Goal, Graph, LinkParams, NodeParams, Report, Result, Seed};

use crate::args::{Args, Command, RunArgs};
use crate::{commands, datasets, page, printer};

/// The options of `netinfof probe`, and the graph they are about.
#[derive(Debug)]
pub struct Options(RunArgs);

impl Options {
    /// Takes words as the command does, such as `cora.npz` and `--dim=64`; the fault is one line. Options of the other task
    /// are one.
    pub fn parse(words: impl IntoIterator<Item = String>) -> std::result::Result<Self, String> {
        let command = ["netinfof", "probe"].map(String::from);
        let words: Vec<OsString> = command.into_iter().chain(words).map(OsString::from).collect();
        match Args::of_python(&words)?.command {
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

/// A run as a self-contained page.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_the_other_task_are_refused_in_the_words_of_python() {
        let parse = |words: &[&str]| Options::parse(words.iter().map(ToString::to_string));
        let fault = parse(&["--task=nodes", "--negatives=heart"]).unwrap_err();
        assert_eq!(fault, "`negatives` applies to task='links', not to task='nodes'; remove it");
        assert!(parse(&["--task=nodes", "--min-class=3"]).is_ok());
        assert!(parse(&["--dim=x"]).unwrap_err().contains("invalid `dim`: x"));
    }
}
