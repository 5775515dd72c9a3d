//! Arguments of the commands that use a saved model: `predict` and `recommend`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};

use super::input::{FormatArg, component_file};
use super::output::ProgressArgs;
use super::{INPUT, METHOD, OUTPUT, TASK};

/// A saved model, and the graph it is applied to.
#[derive(Debug, ClapArgs)]
pub(crate) struct ModelArgs {
    /// Model file that `act --save` wrote
    pub(crate) model: PathBuf,
    /// Newer graph to use [default: the graph of the model]
    ///
    /// Any format that `act` reads. Nodes are identified by their ids. The model is not fitted again.
    #[arg(long, value_name = "GRAPH", help_heading = INPUT)]
    pub(crate) graph: Option<String>,
    /// Node table of the newer graph, if that is an edge list
    ///
    /// Its columns are read as those of the model's table. May be given several times.
    #[arg(long, value_name = "FILE", requires = "graph", help_heading = INPUT)]
    pub(crate) node_table: Vec<PathBuf>,
    /// Id column of that table [default: id, node, name or the first]
    #[arg(long, value_name = "COLUMN", requires = "node_table", help_heading = INPUT)]
    pub(crate) id: Option<String>,
    /// Label column of that table [default: label, y or class]
    ///
    /// The label column is not a feature.
    #[arg(long, value_name = "COLUMN", requires = "node_table", help_heading = INPUT)]
    pub(crate) label: Option<String>,
    /// The two id columns of the newer graph's edge list
    #[arg(long, value_name = "A,B", value_delimiter = ',', num_args = 1, requires = "graph", help_heading = INPUT)]
    pub(crate) ends: Option<Vec<String>>,
    /// Weights of the newer graph's edges [default: as in the model]
    #[arg(long, value_name = "COLUMN", requires = "graph", help_heading = INPUT)]
    pub(crate) weight: Option<String>,
    /// Format of the newer graph [default: detected]
    #[arg(long, value_enum, requires = "graph", help_heading = INPUT)]
    pub(crate) format: Option<FormatArg>,
    /// Component of your own for the newer graph
    ///
    /// Needed for new nodes if the model was fitted with it.
    #[arg(long, value_name = "NAME=FILE", value_parser = component_file, requires = "graph", help_heading = INPUT)]
    pub(crate) component: Vec<(String, PathBuf)>,
    /// Links: edges that the model sees: training or all
    #[arg(long, value_enum, default_value = "training", conflicts_with = "graph", help_heading = METHOD)]
    pub(crate) edges: VisibleEdgesArg,
    /// Links: share of edges among the pairs to be scored
    ///
    /// Probabilities refer to this share. [default: 0.5 in predict, as among test pairs; the density of the graph in recommend]
    #[arg(long, value_name = "SHARE", help_heading = METHOD)]
    pub(crate) prior: Option<f64>,
    #[command(flatten)]
    pub(crate) progress: ProgressArgs,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum VisibleEdgesArg {
    /// Training edges, as in `act`
    Training,
    /// Held-out edges, too: for pairs whose answer is not known yet
    All,
}

#[derive(Debug, ClapArgs)]
#[command(group = clap::ArgGroup::new("what").required(true).args(["pairs", "nodes"]))]
pub(crate) struct PredictArgs {
    /// Score the pairs of a table; its first two columns are ids
    #[arg(long, value_name = "FILE", help_heading = TASK)]
    pub(crate) pairs: Option<PathBuf>,
    /// Write class probabilities of all nodes
    #[arg(long, help_heading = TASK)]
    pub(crate) nodes: bool,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Table to write [default: CSV on standard output]
    ///
    /// The name ends in .csv, .tsv, .jsonl or .parquet; `-` is standard output.
    #[arg(long, short, value_name = "FILE|-", help_heading = OUTPUT)]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RecommendArgs {
    /// Rank for every user of held-out edges, and measure the ranking
    ///
    /// For bipartite graphs. FILE holds pairs, as for `predict --pairs`. Edges that the model sees must not be among them. Prints recall,
    /// NDCG and hit rate of lists of length K.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["node", "all", "overall"], help_heading = TASK)]
    pub(crate) evaluate: Option<PathBuf>,
    /// Write the figures of `--evaluate` as JSON; `-` prints them
    #[arg(long, value_name = "FILE|-", requires = "evaluate", help_heading = OUTPUT)]
    pub(crate) json: Option<PathBuf>,
    /// Find partners for the nodes with these ids
    ///
    /// MODEL must come first, because all words after this option are ids.
    #[arg(long, value_name = "ID", num_args = 1.., allow_negative_numbers = true, conflicts_with_all = ["all", "overall"], help_heading = TASK)]
    pub(crate) node: Vec<String>,
    /// Find partners for every node
    #[arg(long, conflicts_with = "overall", help_heading = TASK)]
    pub(crate) all: bool,
    /// Find the K likeliest links of the whole graph
    #[arg(long, help_heading = TASK)]
    pub(crate) overall: bool,
    /// Number of partners per node, or of links
    #[arg(long, value_name = "K", default_value_t = 10, help_heading = TASK)]
    pub(crate) k: usize,
    /// Leave out known edges, including held-out ones
    ///
    /// In a bipartite graph they are always left out.
    #[arg(long, help_heading = TASK)]
    pub(crate) exclude_known: bool,
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Number of candidates per node that X ranks
    ///
    /// Applies if the model uses the component X. [default: such that there are ten million pairs; exact if that includes all nodes]
    #[arg(long, value_name = "N", help_heading = METHOD)]
    pub(crate) pool: Option<usize>,
    /// Write vectors whose inner products are the scores
    ///
    /// The npz file has the arrays queries, keys and ids. The scores do not include X and the intercept.
    #[arg(long, value_name = "NPZ", help_heading = OUTPUT)]
    pub(crate) vectors: Option<PathBuf>,
    /// Table to write [default: CSV on standard output]
    ///
    /// The name ends in .csv, .tsv, .jsonl or .parquet; `-` is standard output.
    #[arg(long, short, value_name = "FILE|-", help_heading = OUTPUT)]
    pub(crate) output: Option<PathBuf>,
}
