//! The command line. Doc comments are help texts: `-h` shows the first paragraph, `--help` all of them. The only logic here is turning
//! arguments into parameters.

mod applicability;
mod input;
mod model;
mod output;
mod run;
mod tools;

pub(crate) use input::{ColumnArgs, LoadArgs, SidesArgs, SplitArgs, TargetArgs, WeightArgs};
pub(crate) use model::{ModelArgs, PredictArgs, RecommendArgs, VisibleEdgesArg};
pub(crate) use run::{ActArgs, RunArgs, Task};
#[cfg(feature = "reproduce")]
pub(crate) use tools::ReproduceArgs;
pub(crate) use tools::{
    CheckSplitArgs, CompletionsArgs, ConfigArgs, ConvertArgs, DatasetsAction, DatasetsArgs, InspectArgs,
    ManualArgs, PlotArgs, ReportArgs, SynthArgs,
};

use std::ffi::OsString;
use std::path::Path;

use clap::error::ErrorKind;
use clap::error::{ContextKind, ContextValue};
use clap::{ArgMatches, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use crate::defaults::Defaults;
use crate::progress::ProgressFormat;

/// Headings of the help, in the order in which a reader decides.
const INPUT: &str = "Input";
const TASK: &str = "Task";
const METHOD: &str = "Method";
const OUTPUT: &str = "Output";

const PROBE_EXAMPLES: &str = "\
Examples:
  Would a GNN predict the edges of this graph? Write the answer as a page, too:
    netinfof probe edges.csv --nodes nodes.csv --html report.html

  Classify nodes, on three splits, for a script:
    netinfof probe cora.npz --task nodes --splits 3 --json -

  Compare features alone with propagated features, on degree-matched negatives:
    netinfof probe edges.csv --nodes nodes.csv --components F,P,S --negatives degree";

const ACT_EXAMPLES: &str = "\
Examples:
  Predict links and keep the model:
    netinfof act edges.csv --nodes nodes.csv --save links.model

  Classify nodes with your own split, and write the predictions:
    netinfof act graph.npz --task nodes --split split.npz --predictions test.csv

  Repeat the paper's protocol on five splits:
    netinfof act cora.npz --protocol paper --splits 5 --json cora.json";

/// Would a GNN work on this graph? Usable information, measured without training one.
#[derive(Debug, Parser)]
#[command(name = "netinfof", version, max_term_width = 100)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Measure how much information each component of the graph carries about the task
    #[command(after_long_help = PROBE_EXAMPLES)]
    Probe(RunArgs),
    /// Solve the task with the same components, and measure how well
    #[command(after_long_help = ACT_EXAMPLES)]
    Act(ActArgs),
    /// Score pairs or classify nodes with a saved model
    Predict(PredictArgs),
    /// Find the likeliest partners of nodes, or the likeliest links, with a saved model
    Recommend(RecommendArgs),
    /// Show facts about a graph: nodes, edges, degrees, features, classes
    Inspect(InspectArgs),
    /// Check a split for leaks, overlaps, unsuitable negatives and features that hold the answer
    CheckSplit(CheckSplitArgs),
    /// Show a report again from its JSON, and write its page
    Report(ReportArgs),
    /// Draw a graph's nodes by an embedding, or the scores of a report, as an SVG file
    ///
    /// GRAPH is a graph or a file that `probe --json` or `act --json` wrote. Of large graphs, 3000 nodes are drawn.
    Plot(PlotArgs),
    /// Write a graph in another format: npz, tables (CSV, TSV, Parquet), MatrixMarket
    Convert(ConvertArgs),
    /// Generate a graph with known information
    Synth(SynthArgs),
    /// List the graphs that are known by name, and download them
    ///
    /// Downloaded files are kept in $NETINFOF_CACHE [default: $XDG_CACHE_HOME/netinfof, else the cache folder of the system, such as
    /// ~/.cache/netinfof]. $NETINFOF_MIRROR replaces scheme and host of every address. $NETINFOF_CATALOGUE names a JSON file with
    /// datasets of your own (docs/datasets.md).
    Datasets(DatasetsArgs),
    /// Show the defaults of your own: environment variables and the configuration file
    ///
    /// The file is $NETINFOF_CONFIG [default: $XDG_CONFIG_HOME/netinfof/config.json, else the configuration folder of the system, such as
    /// ~/.config/netinfof/config.json]: a JSON object of options, such as {"threads": 4, "memory": "8G"}. A variable such as
    /// NETINFOF_THREADS comes before the file, an option on the command line before both.
    Config(ConfigArgs),
    /// Write the completion script of a shell
    ///
    /// For bash: netinfof completions bash > ~/.local/share/bash-completion/completions/netinfof
    Completions(CompletionsArgs),
    /// Show the manual page, or write the pages of all commands
    Manual(ManualArgs),
    /// Run the paper's experiments: published figures, ours, and the difference
    #[cfg(feature = "reproduce")]
    Reproduce(ReproduceArgs),
}

/// A parsed command line.
pub(crate) struct CommandLine {
    pub(crate) args: Args,
    /// Its words, and those of the defaults that it uses.
    pub(crate) words: Vec<OsString>,
    /// One for each option without effect.
    pub(crate) notices: Vec<String>,
}

impl Args {
    /// Parses the command line and refuses options that cannot apply.
    pub(crate) fn of_command(
        words: &[OsString],
        defaults: &Defaults,
    ) -> std::result::Result<CommandLine, clap::Error> {
        let usage = |what: String| clap::Error::raw(ErrorKind::ArgumentConflict, what + "\n");
        // The command has this word elsewhere, so clap's message about an unknown one would mislead.
        if cfg!(not(feature = "reproduce")) && words.get(1).is_some_and(|word| word == "reproduce") {
            let what = "reproduce is not part of the Python package; install the command with cargo\n";
            return Err(clap::Error::raw(ErrorKind::InvalidSubcommand, what));
        }
        let (args, matches) = Args::with_matches(words, defaults)?;
        let mut line = CommandLine { args, words: words.to_vec(), notices: Vec::new() };
        let Some((name, command)) = matches.subcommand() else { return Ok(line) };
        line.words.extend(defaults.used(&Args::command(), &matches).into_iter().map(OsString::from));
        applicability::check(command).map_err(|misplaced| usage(misplaced.for_command()))?;
        if let Command::CheckSplit(check) = &line.args.command {
            applicability::check_allowed(&check.allow, check.task).map_err(usage)?;
        }
        line.notices = applicability::without_effect(name, command);
        Ok(line)
    }

    /// The same for the Python package: an error is one line and names keywords instead of flags.
    pub(crate) fn of_python(words: &[OsString]) -> std::result::Result<Self, String> {
        let (args, matches) =
            Args::with_matches(words, &Defaults::default()).map_err(|error| one_line(&error))?;
        let command = matches.subcommand().map(|(_, command)| applicability::check(command));
        command.unwrap_or(Ok(())).map_err(|misplaced| misplaced.for_python())?;
        Ok(args)
    }

    fn with_matches(
        words: &[OsString],
        defaults: &Defaults,
    ) -> std::result::Result<(Self, ArgMatches), clap::Error> {
        let mut command = defaults.apply(Args::command());
        // The short help has one line per option, without room for lists of values.
        if words.iter().any(|word| word == "-h") {
            command = command.mut_subcommands(|sub| sub.mut_args(|arg| arg.hide_possible_values(true)));
        }
        let matches = command.try_get_matches_from(words)?;
        let args = Args::from_arg_matches(&matches).map_err(|error| error.format(&mut Args::command()))?;
        Ok((args, matches))
    }

    pub(crate) fn threads(&self) -> usize {
        let threads = match &self.command {
            Command::Probe(run) | Command::Act(ActArgs { run, .. }) => run.output.progress.threads,
            Command::Predict(predict) => predict.model.progress.threads,
            Command::Recommend(recommend) => recommend.model.progress.threads,
            Command::Inspect(inspect) => inspect.output.progress.threads,
            Command::Plot(plot) => plot.progress.threads,
            Command::CheckSplit(check) => check.output.progress.threads,
            Command::Report(_)
            | Command::Convert(_)
            | Command::Datasets(_)
            | Command::Config(_)
            | Command::Completions(_)
            | Command::Manual(_) => None,
            Command::Synth(synth) => synth.progress.threads,
            #[cfg(feature = "reproduce")]
            Command::Reproduce(reproduce) => reproduce.threads,
        };
        threads.unwrap_or(0)
    }

    /// The form in which progress is shown.
    pub(crate) fn progress(&self) -> ProgressFormat {
        match &self.command {
            Command::Probe(run) | Command::Act(ActArgs { run, .. }) => run.output.progress.progress,
            Command::Predict(predict) => predict.model.progress.progress,
            Command::Recommend(recommend) => recommend.model.progress.progress,
            Command::Inspect(inspect) => inspect.output.progress.progress,
            Command::Plot(plot) => plot.progress.progress,
            Command::CheckSplit(check) => check.output.progress.progress,
            Command::Synth(synth) => synth.progress.progress,
            _ => ProgressFormat::Text,
        }
    }

    /// The memory that a run may use, if it was given.
    pub(crate) fn memory(&self) -> Option<u64> {
        match &self.command {
            Command::Probe(run) | Command::Act(ActArgs { run, .. }) => run.needs.memory,
            _ => None,
        }
    }

    /// The folder in which finished stages are kept, if one was given.
    pub(crate) fn work_folder(&self) -> Option<&Path> {
        match &self.command {
            Command::Probe(run) | Command::Act(ActArgs { run, .. }) => run.needs.resume.as_deref(),
            _ => None,
        }
    }

    pub(crate) fn quiet(&self) -> bool {
        match &self.command {
            Command::Probe(run) | Command::Act(ActArgs { run, .. }) => run.output.progress.quiet,
            Command::Predict(predict) => predict.model.progress.quiet,
            Command::Recommend(recommend) => recommend.model.progress.quiet,
            Command::Inspect(inspect) => inspect.output.progress.quiet,
            Command::Plot(plot) => plot.progress.quiet,
            Command::CheckSplit(check) => check.output.progress.quiet,
            Command::Convert(convert) => convert.quiet,
            Command::Datasets(DatasetsArgs { action: Some(DatasetsAction::Get(get)), .. }) => get.quiet,
            Command::Report(_)
            | Command::Datasets(_)
            | Command::Config(_)
            | Command::Completions(_)
            | Command::Manual(_) => false,
            Command::Synth(synth) => synth.progress.quiet,
            #[cfg(feature = "reproduce")]
            Command::Reproduce(reproduce) => reproduce.quiet,
        }
    }
}

/// An error of clap as one line for the Python package, where options are keywords, not flags.
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
    let message =
        lines.take_while(|line| !line.starts_with("Usage:") && !line.starts_with("For more information"));
    let message: Vec<&str> = message.map(|line| line.strip_prefix("error: ").unwrap_or(line)).collect();
    message.join(" ")
}
