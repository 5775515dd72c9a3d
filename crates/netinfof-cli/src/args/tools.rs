//! Arguments of the commands around the main ones: graphs, splits, reports, datasets and experiments.

use std::path::PathBuf;

use clap::{Args as ClapArgs, Subcommand};
use netinfof::Result;
use netinfof::synth::Generator;

use super::input::{GraphArgs, LoadArgs, SplitArgs};
use super::output::{DetailArgs, OutputArgs, ProgressArgs};
use super::run::Task;
use super::{INPUT, METHOD, OUTPUT, TASK};
use crate::plot::NodeColour;

#[derive(Debug, ClapArgs)]
pub(crate) struct InspectArgs {
    #[command(flatten)]
    pub(crate) graph: GraphArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct CheckSplitArgs {
    #[command(flatten)]
    pub(crate) graph: GraphArgs,
    /// Task of the split: links or nodes
    #[arg(long, value_enum, default_value = "links", help_heading = TASK)]
    pub(crate) task: Task,
    #[command(flatten)]
    pub(crate) split: SplitArgs,
    /// Findings to accept, such as duplicated-nodes
    ///
    /// They are shown but do not change the exit status.
    #[arg(long, value_name = "KIND", value_delimiter = ',', help_heading = TASK)]
    pub(crate) allow: Vec<String>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ReportArgs {
    /// File that `probe --json` or `act --json` wrote
    pub(crate) run: PathBuf,
    /// Results of trained models to compare with
    ///
    /// A file that `python -m netinfof.baselines --json FILE` wrote for the same graph, task and splits.
    #[arg(long, value_name = "FILE", help_heading = INPUT)]
    pub(crate) baselines: Option<PathBuf>,
    /// Page to write [default: the name of the JSON file with .html]
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub(crate) html: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) detail: DetailArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct PlotArgs {
    #[command(flatten)]
    pub(crate) graph: GraphArgs,
    /// SVG file to write
    #[arg(short, long, value_name = "FILE", help_heading = OUTPUT)]
    pub(crate) output: PathBuf,
    /// Component that places the nodes, such as U, R, F, P or S [default: S with features, U without]
    #[arg(long, value_name = "NAME", help_heading = METHOD)]
    pub(crate) by: Option<String>,
    /// What colours the nodes [default: class where there is one target per node, else degree]
    #[arg(long, value_name = "WHAT", value_enum, help_heading = METHOD)]
    pub(crate) color: Option<NodeColour>,
    #[command(flatten)]
    pub(crate) progress: ProgressArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ConvertArgs {
    /// File, folder, synth:NAME or name of a downloaded dataset
    pub(crate) graph: String,
    #[command(flatten)]
    pub(crate) load: LoadArgs,
    /// File to write; its ending selects the format
    ///
    /// .npz, .parquet, .csv, .tsv, .txt or .mtx; .gz or .zst after the last four compresses it. Beside an edge table NAME.csv there is a
    /// node table NAME.nodes.csv.
    pub(crate) output: PathBuf,
    /// Do not show progress and notices on standard error
    #[arg(long, short, help_heading = OUTPUT)]
    pub(crate) quiet: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct SynthArgs {
    /// Scenario, such as local-offdiagonal or useful-uniform
    ///
    /// Links: random-, global- or local-, with diagonal or offdiagonal. Nodes: useful-uniform, random-homophily, random-heterophily,
    /// useful-homophily, useful-heterophily. For scale: large. Parameters may follow: large?nodes=1e6
    pub(crate) scenario: String,
    /// Number of nodes
    #[arg(long, value_name = "N", help_heading = INPUT)]
    pub(crate) nodes: Option<String>,
    /// Number of features
    #[arg(long, value_name = "F", help_heading = INPUT)]
    pub(crate) features: Option<String>,
    /// Number of classes
    #[arg(long, value_name = "C", help_heading = INPUT)]
    pub(crate) classes: Option<String>,
    /// Share of edges among pairs in a class or connected classes
    #[arg(long, value_name = "SHARE", help_heading = INPUT)]
    pub(crate) density: Option<String>,
    /// Share of edges among all other pairs
    #[arg(long, value_name = "SHARE", help_heading = INPUT)]
    pub(crate) edge_noise: Option<String>,
    /// Noise of the features
    ///
    /// The share of entries that are replaced by noise; for useful features, the standard deviation of the noise.
    #[arg(long, value_name = "X", help_heading = INPUT)]
    pub(crate) feature_noise: Option<String>,
    /// Seed [default: 0]
    #[arg(long, value_name = "S", help_heading = INPUT)]
    pub(crate) seed: Option<u64>,
    /// Write the graph as npz
    #[arg(long, short, value_name = "FILE", help_heading = OUTPUT)]
    pub(crate) output: Option<PathBuf>,
    /// Write facts as JSON to a file, or `-` for standard output
    #[arg(long, value_name = "FILE|-", help_heading = OUTPUT)]
    pub(crate) json: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) progress: ProgressArgs,
}

impl SynthArgs {
    pub(crate) fn generator(&self) -> Result<Generator> {
        let name = self.scenario.strip_prefix("synth:").unwrap_or(&self.scenario);
        let mut generator = Generator::parse(name)?;
        let seed = self.seed.map(|seed| seed.to_string());
        let given = [
            ("seed", &seed),
            ("nodes", &self.nodes),
            ("features", &self.features),
            ("classes", &self.classes),
            ("density", &self.density),
            ("edge_noise", &self.edge_noise),
            ("feature_noise", &self.feature_noise),
        ];
        for (key, value) in given {
            if let Some(value) = value {
                generator.set(key, value)?;
            }
        }
        Ok(generator)
    }
}

#[derive(Debug, ClapArgs)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct DatasetsArgs {
    #[command(subcommand)]
    pub(crate) action: Option<DatasetsAction>,
    /// Write the list as JSON to a file, or `-` for standard output
    ///
    /// The JSON includes addresses and checksums.
    #[arg(long, value_name = "FILE|-", help_heading = OUTPUT)]
    pub(crate) json: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DatasetsAction {
    /// Download datasets into the cache
    ///
    /// An interrupted download continues where it stopped.
    Get(DatasetsGetArgs),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DatasetsGetArgs {
    /// Names as `netinfof datasets` lists them
    #[arg(required = true, value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// Do not show progress and notices on standard error
    #[arg(long, short, help_heading = OUTPUT)]
    pub(crate) quiet: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ConfigArgs {
    /// Write the defaults as JSON to a file, or `-` for standard output
    #[arg(long, value_name = "FILE|-", help_heading = OUTPUT)]
    pub(crate) json: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ManualArgs {
    /// Write netinfof.1 and one page per command to a folder
    ///
    /// Without it, the page of the whole command goes to standard output.
    #[arg(long, value_name = "DIR", help_heading = OUTPUT)]
    pub(crate) folder: Option<PathBuf>,
}

#[cfg(feature = "reproduce")]
#[derive(Debug, ClapArgs)]
pub(crate) struct ReproduceArgs {
    /// Folder with the graphs as npz [default: $NETINFOF_DATA, else data]
    #[arg(long, value_name = "DIR", help_heading = INPUT)]
    pub(crate) data: Option<PathBuf>,
    /// Tables and figures to run, such as table2,fig4
    ///
    /// Without this option and without --all, the command lists them.
    #[arg(long, value_name = "NAME", value_delimiter = ',', conflicts_with = "all", help_heading = TASK)]
    pub(crate) table: Vec<String>,
    /// Run all tables and figures
    #[arg(long, help_heading = TASK)]
    pub(crate) all: bool,
    /// Number of splits
    #[arg(long, value_name = "N", default_value_t = 5, help_heading = TASK)]
    pub(crate) splits: usize,
    /// Folder to write to
    ///
    /// It receives reproduction.md, reproduction.html, reproduction.json, the plots and the outcomes of single runs.
    #[arg(long, short, value_name = "DIR", default_value = ".", help_heading = OUTPUT)]
    pub(crate) output: PathBuf,
    /// Trained models, for table3, table9 and table12
    ///
    /// Files on the paper's splits that `python -m netinfof.baselines GRAPH --task links --protocol paper --json FILE` or `--task nodes` wrote.
    #[arg(long, value_name = "FILE", num_args = 1.., help_heading = INPUT)]
    pub(crate) baselines: Vec<PathBuf>,
    /// Number of threads [default: one per core]
    ///
    /// Times depend on it, other results do not.
    #[arg(long, value_name = "T", help_heading = OUTPUT)]
    pub(crate) threads: Option<usize>,
    /// Do not show progress and notices on standard error
    #[arg(long, short, help_heading = OUTPUT)]
    pub(crate) quiet: bool,
}
