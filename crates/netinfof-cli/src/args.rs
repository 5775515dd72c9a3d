//! What can be said on the command line. Doc comments are the help text; no logic beyond turning words into parameters.

mod applicability;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::error::ErrorKind;
use clap::error::{ContextKind, ContextValue};
use clap::{
    ArgMatches, Args as ClapArgs, CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueEnum,
};
use netinfof::act::{Grid, Penalties};
use netinfof::compat::CompatKind;
use netinfof::component::{Averaging, FeatureScaling, Normalization};
use netinfof::split::Negatives;
use netinfof::synth::Generator;
use netinfof::{ComponentKind, ComponentParams, Error, Goal, Graph, LinkParams, NodeParams, Result, Seed};
use netinfof_io::load::{Format, LoadParams};

/// Would a GNN work on this graph? Usable information, measured without training one.
#[derive(Debug, Parser)]
#[command(name = "netinfof", version, max_term_width = 100)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Measure how much each component of the graph knows about the task
    Probe(RunArgs),
    /// Solve the task with the same components, and say how well
    Act(ActArgs),
    /// Score pairs, or classify nodes, with a model that `act --save` wrote
    Predict(PredictArgs),
    /// Find the likeliest partners of nodes, or the likeliest links of all, with a saved model
    Recommend(RecommendArgs),
    /// Say what a graph is: nodes, edges, degrees, features, classes
    Inspect(InspectArgs),
    /// Find what is wrong with a split: leaks, overlaps, negatives that are edges or too easy, features that hold the answer
    CheckSplit(CheckSplitArgs),
    /// Show a run again from its JSON, and write its page
    Report(ReportArgs),
    /// Write a graph in another format: npz, tables (CSV, TSV, Parquet), MatrixMarket
    Convert(ConvertArgs),
    /// Generate a graph with planted information
    Synth(SynthArgs),
    /// List the graphs that are known by name, and download them
    ///
    /// Downloaded files are kept in $NETINFOF_CACHE [default: $XDG_CACHE_HOME/netinfof, else the system's usual place, such as
    /// ~/.cache/netinfof]. $NETINFOF_MIRROR takes the place of scheme and host in every address; $NETINFOF_CATALOGUE names a JSON file
    /// with datasets of your own (docs/datasets.md).
    Datasets(DatasetsArgs),
    /// Run the paper's experiments: published figures, ours, and the difference
    #[cfg(feature = "reproduce")]
    Reproduce(ReproduceArgs),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct SynthArgs {
    /// Links: random-, global- or local-, with diagonal or offdiagonal. Nodes: useful-uniform, random-homophily,
    /// random-heterophily, useful-homophily, useful-heterophily. For scale: large. Parameters may follow: large?nodes=1e6
    pub(crate) scenario: String,
    /// Write the graph as npz
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Number of nodes
    #[arg(long, value_name = "N")]
    pub(crate) nodes: Option<String>,
    /// Number of features
    #[arg(long, value_name = "F")]
    pub(crate) features: Option<String>,
    /// Number of classes
    #[arg(long, value_name = "C")]
    pub(crate) classes: Option<String>,
    /// Share of the pairs inside a class, or between joined classes, that are edges
    #[arg(long, value_name = "SHARE")]
    pub(crate) density: Option<String>,
    /// Share of the other pairs that are edges all the same
    #[arg(long, value_name = "SHARE")]
    pub(crate) edge_noise: Option<String>,
    /// Share of the entries replaced by noise; for useful features the deviation of their noise
    #[arg(long, value_name = "X")]
    pub(crate) feature_noise: Option<String>,
    /// Seed [default: 0]
    #[arg(long, value_name = "S")]
    pub(crate) seed: Option<u64>,
    /// Write what the graph is as JSON to a file, or to standard output with `-`
    #[arg(long, value_name = "FILE|-")]
    pub(crate) json: Option<PathBuf>,
    /// Threads; the graph does not depend on them [default: one for each core]
    #[arg(long, value_name = "T")]
    pub(crate) threads: Option<usize>,
    /// No progress and no notices on standard error
    #[arg(long, short)]
    pub(crate) quiet: bool,
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
    /// Write the list as JSON, with addresses and checksums, to a file, or to standard output with `-`
    #[arg(long, value_name = "FILE|-")]
    pub(crate) json: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum DatasetsAction {
    /// Download datasets into the cache; a download that broke off goes on where it was
    Get(DatasetsGetArgs),
}

#[derive(Debug, ClapArgs)]
pub(crate) struct DatasetsGetArgs {
    /// Names as `netinfof datasets` lists them
    #[arg(required = true, value_name = "NAME")]
    pub(crate) names: Vec<String>,
    /// No progress and no notices on standard error
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[cfg(feature = "reproduce")]
#[derive(Debug, ClapArgs)]
pub(crate) struct ReproduceArgs {
    /// Tables and figures to run, such as table2,fig4; without it and without --all, a list of them
    #[arg(long, value_name = "NAME", value_delimiter = ',', conflicts_with = "all")]
    pub(crate) table: Vec<String>,
    /// Run all of them
    #[arg(long)]
    pub(crate) all: bool,
    /// Folder with the graphs as npz [default: $NETINFOF_DATA, else data]
    #[arg(long, value_name = "DIR")]
    pub(crate) data: Option<PathBuf>,
    /// Number of splits
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) splits: usize,
    /// Folder for reproduction.md, .html and .json, plots, and what single runs found
    #[arg(long, short, value_name = "DIR", default_value = ".")]
    pub(crate) output: PathBuf,
    /// Threads; times depend on them, other figures do not [default: one for each core]
    #[arg(long, value_name = "T")]
    pub(crate) threads: Option<usize>,
    /// No progress and no notices on standard error
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct GraphArgs {
    /// A file (npz, an edge list as CSV, TSV or with spaces, .gz and .zst too, or as Parquet, MatrixMarket, MATLAB 5, ind.NAME.graph of
    /// Planetoid), a folder (OGB, Geom-GCN, Planetoid), a generated graph: synth:demo, synth:SCENARIO,
    /// synth:large?nodes=1000000&degree=20; or the name of a downloaded dataset, such as cora (`netinfof datasets`)
    #[arg(default_value = "synth:demo")]
    pub(crate) graph: String,
    #[command(flatten)]
    pub(crate) load: LoadArgs,
}

impl GraphArgs {
    pub(crate) fn load_params(&self) -> Result<LoadParams> {
        self.load.params()
    }
}

/// What is not in GRAPH itself.
#[derive(Debug, ClapArgs)]
pub(crate) struct LoadArgs {
    /// Node table of an edge list, as text or Parquet: an id column, feature columns, perhaps a label column
    #[arg(long, value_name = "FILE")]
    pub(crate) nodes: Option<PathBuf>,
    /// Label column of the node table [default: label, y or class, where there is one]
    #[arg(long, value_name = "COLUMN")]
    pub(crate) label: Option<String>,
    /// The two id columns of an edge list with a header [default: source,target and other usual names, else the first two]
    #[arg(long, value_name = "A,B", value_delimiter = ',', num_args = 1)]
    pub(crate) ends: Option<Vec<String>>,
    /// What GRAPH is [default: found from its content]
    #[arg(long, value_enum)]
    pub(crate) format: Option<FormatArg>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum FormatArg {
    /// An edge list: CSV, TSV, spaces
    Edges,
    /// NumPy's npz, in four layouts
    Npz,
    /// Planetoid's pickles
    Planetoid,
    /// A folder of Geom-GCN
    GeomGcn,
    /// A MATLAB 5 file
    Matlab,
    /// A folder of the Open Graph Benchmark
    Ogb,
    /// MatrixMarket's coordinates
    MatrixMarket,
    /// An edge table in Parquet
    Parquet,
}

impl LoadArgs {
    pub(crate) fn params(&self) -> Result<LoadParams> {
        let mut params = LoadParams::default();
        params.nodes.clone_from(&self.nodes);
        params.label.clone_from(&self.label);
        params.format = self.format.map(|format| match format {
            FormatArg::Edges => Format::Edges,
            FormatArg::Npz => Format::Npz,
            FormatArg::Planetoid => Format::Planetoid,
            FormatArg::GeomGcn => Format::GeomGcn,
            FormatArg::Matlab => Format::Matlab,
            FormatArg::Ogb => Format::Ogb,
            FormatArg::MatrixMarket => Format::MatrixMarket,
            FormatArg::Parquet => Format::Parquet,
        });
        if let Some(ends) = &self.ends {
            let [a, b] = &ends[..] else {
                return Err(Error::InvalidParam {
                    name: "ends",
                    value: ends.join(","),
                    need: "two names of columns, such as source,target".into(),
                });
            };
            params.ends = Some([a.clone(), b.clone()]);
        }
        Ok(params)
    }
}

#[derive(Debug, ClapArgs)]
pub(crate) struct OutputArgs {
    /// Write the result as JSON to a file, or to standard output with `-`
    #[arg(long, value_name = "FILE|-")]
    pub(crate) json: Option<PathBuf>,
    /// Threads; no result depends on them [default: one for each core]
    #[arg(long, value_name = "T")]
    pub(crate) threads: Option<usize>,
    /// No progress and no notices on standard error
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// A split of the user's own.
#[derive(Debug, ClapArgs)]
pub(crate) struct SplitArgs {
    /// Your own split as one npz file, a folder of OGB (docs/formats.md), or the name of a downloaded dataset of OGB
    #[arg(long, value_name = "NPZ", conflicts_with_all = ["train", "valid", "test"])]
    pub(crate) split: Option<PathBuf>,
    /// Your own split: training edges, or ids of training nodes
    #[arg(long, value_name = "FILE", requires = "valid", requires = "test")]
    pub(crate) train: Option<PathBuf>,
    /// Your own split: validation pairs, with a third column 1 or 0 where negatives are given; or ids
    #[arg(long, value_name = "FILE", requires = "train")]
    pub(crate) valid: Option<PathBuf>,
    /// Your own split: test pairs or ids
    #[arg(long, value_name = "FILE", requires = "train")]
    pub(crate) test: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct CheckSplitArgs {
    #[command(flatten)]
    pub(crate) graph: GraphArgs,
    /// What the split is for
    #[arg(long, value_enum, default_value = "links")]
    pub(crate) task: Task,
    #[command(flatten)]
    pub(crate) split: SplitArgs,
    /// Findings that are known and no fault here, such as duplicated-nodes: shown, but the exit status does not count them
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    pub(crate) allow: Vec<String>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// A saved model, and what it looks at.
#[derive(Debug, ClapArgs)]
pub(crate) struct ModelArgs {
    /// What `act --save` wrote
    pub(crate) model: PathBuf,
    /// A newer graph to look at, in any format, its nodes known by their ids; nothing is fitted again [default: the graph of the model]
    #[arg(long, value_name = "GRAPH")]
    pub(crate) graph: Option<String>,
    /// Node table of the newer graph, where that is an edge list
    #[arg(long, value_name = "FILE", requires = "graph")]
    pub(crate) node_table: Option<PathBuf>,
    /// Label column of that table, which is no feature [default: label, y or class, where there is one]
    #[arg(long, value_name = "COLUMN", requires = "node_table")]
    pub(crate) label: Option<String>,
    /// The two id columns of the newer graph, where that is an edge list with a header
    #[arg(long, value_name = "A,B", value_delimiter = ',', num_args = 1, requires = "graph")]
    pub(crate) ends: Option<Vec<String>>,
    /// What the newer graph is [default: found from its content]
    #[arg(long, value_enum, requires = "graph")]
    pub(crate) format: Option<FormatArg>,
    /// Links: which edges of its own graph the model sees
    #[arg(long, value_enum, default_value = "training", conflicts_with = "graph")]
    pub(crate) edges: VisibleEdgesArg,
    /// Links: the share of pairs that are edges where the probabilities will be used [default: 0.5 in predict, as among test
    /// pairs; the density of the graph in recommend]
    #[arg(long, value_name = "SHARE")]
    pub(crate) prior: Option<f64>,
    /// Threads; no result depends on them [default: one for each core]
    #[arg(long, value_name = "T")]
    pub(crate) threads: Option<usize>,
    /// No progress and no notices on standard error
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum VisibleEdgesArg {
    /// Those it was fitted on: the scores of `act`
    Training,
    /// Also those that were held out: for pairs nobody knows about yet
    All,
}

#[derive(Debug, ClapArgs)]
#[command(group = clap::ArgGroup::new("what").required(true).args(["pairs", "nodes"]))]
pub(crate) struct PredictArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Pairs to score: a table whose first two columns are ids
    #[arg(long, value_name = "FILE")]
    pub(crate) pairs: Option<PathBuf>,
    /// Class probabilities of all nodes
    #[arg(long)]
    pub(crate) nodes: bool,
    /// The table to write: .csv, .tsv, .jsonl or .parquet [default: standard output, as CSV]
    #[arg(long, short, value_name = "FILE|-")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RecommendArgs {
    #[command(flatten)]
    pub(crate) model: ModelArgs,
    /// Nodes to find partners for, by their ids; MODEL stands before them
    #[arg(long, value_name = "ID", num_args = 1.., allow_negative_numbers = true, conflicts_with_all = ["all", "overall"])]
    pub(crate) node: Vec<String>,
    /// Partners for every node
    #[arg(long, conflicts_with = "overall")]
    pub(crate) all: bool,
    /// The K likeliest links of the whole graph
    #[arg(long)]
    pub(crate) overall: bool,
    /// Partners of each node, or links in all
    #[arg(long, value_name = "K", default_value_t = 10)]
    pub(crate) k: usize,
    /// Leave out the edges of the graph, held-out ones too
    #[arg(long)]
    pub(crate) exclude_known: bool,
    /// Where X has a weight: candidates of each node that it ranks [default: as many as make ten million pairs; exact where these
    /// are all nodes]
    #[arg(long, value_name = "N")]
    pub(crate) pool: Option<usize>,
    /// Write vectors whose inner products are the scores (without X and the intercept) as npz: queries, keys, ids
    #[arg(long, value_name = "NPZ")]
    pub(crate) vectors: Option<PathBuf>,
    /// The table to write: .csv, .tsv, .jsonl or .parquet [default: standard output, as CSV]
    #[arg(long, short, value_name = "FILE|-")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ReportArgs {
    /// What `probe --json` or `act --json` wrote
    pub(crate) run: PathBuf,
    /// The page to write [default: the JSON's name with .html]
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ConvertArgs {
    /// The graph, as everywhere else
    pub(crate) graph: String,
    #[command(flatten)]
    pub(crate) load: LoadArgs,
    /// The file to write, its format by its ending: .npz, .parquet, .csv, .tsv, .txt or .mtx; .gz or .zst after the last four packs it. Beside an
    /// edge table NAME.csv stands the node table NAME.nodes.csv
    pub(crate) output: PathBuf,
    /// No progress and no notices on standard error
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct InspectArgs {
    #[command(flatten)]
    pub(crate) graph: GraphArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Task {
    /// Link prediction
    Links,
    /// Node classification
    Nodes,
}

impl Task {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Task::Links => "links",
            Task::Nodes => "nodes",
        }
    }

    fn other(self) -> Self {
        match self {
            Task::Links => Task::Nodes,
            Task::Nodes => Task::Links,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ProtocolArg {
    /// Negatives are verified non-edges of the whole graph
    Clean,
    /// Negatives are unverified random pairs, as in the paper's published code
    Paper,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum NegativesArg {
    /// Any pairs that are no edges
    Uniform,
    /// Pairs whose ends have the degrees of the positives' ends
    Degree,
    /// For each positive, 500 pairs that share an end with it and look like edges (HeaRT)
    Heart,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum PenaltiesArg {
    /// From the smallest that leaves all weights at zero downwards
    Path,
    /// The paper's, or those given
    Grid,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum CompatArg {
    /// No compatibility matrix (the paper's "w/o CM")
    None,
    /// H, by ridge regression
    H,
    /// H*, refitted on edges and non-edges
    Hstar,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum PresetArg {
    /// U, F, P, S without a compatibility matrix
    Slimg,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum AveragingArg {
    /// D⁻¹A
    Row,
    /// D^-½ A D^-½
    Symmetric,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum NormalizationArg {
    /// Not at all
    None,
    /// Every row to length 1
    Rows,
    /// Every column to deviation 1
    Columns,
    /// Columns, then rows
    Both,
    /// Rows; components of a table of few columns keep their lengths
    ByKind,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum FeatureScalingArg {
    /// Every column by its kind
    ByKind,
    /// As in the paper's published code
    Paper,
    /// The same with one-hot degrees beside the features, as in the paper's experiments on Products, Twitch and Pokec
    PaperDegrees,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) graph: GraphArgs,
    /// The task
    #[arg(long, value_enum, default_value = "links")]
    pub(crate) task: Task,
    /// Links: how negatives are drawn; figures of the two cannot be compared
    #[arg(long, value_enum, default_value = "clean")]
    pub(crate) protocol: ProtocolArg,
    /// Links: which pairs are told from edges; figures of different kinds cannot be compared
    #[arg(long, value_enum, default_value = "uniform")]
    pub(crate) negatives: NegativesArg,
    /// Shares of the edges, or of the labelled nodes of each class, that train and validate; the rest tests [default: 0.7,0.1 for
    /// links, 0.025,0.025 for nodes]
    #[arg(long, value_name = "TRAIN,VALID", value_delimiter = ',')]
    pub(crate) shares: Option<Vec<f64>>,
    /// Number of splits, with seeds S, S+1, … [default: 1; 3 for probe on graphs of at most 25000 edges]
    #[arg(long, value_name = "N")]
    pub(crate) splits: Option<usize>,
    /// Seed of the first split
    #[arg(long, value_name = "S", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Components to use, of U,R,F,P,S,P1,S1,S3,S5,D,X [default: U,R,F,P,S,D,X for links, U,R,F,P,S for nodes and in
    /// the paper protocol]
    #[arg(long, value_name = "LIST")]
    pub(crate) components: Option<String>,
    /// Links: compatibility matrix [default: hstar]
    #[arg(long, value_enum)]
    pub(crate) compat: Option<CompatArg>,
    /// A known model as a configuration of this one
    #[arg(long, value_enum)]
    pub(crate) preset: Option<PresetArg>,
    /// Links: the K of Hits@K [default: 100, less on small graphs]
    #[arg(long, value_name = "K")]
    pub(crate) hits: Option<usize>,
    /// Embedding size of a component
    #[arg(long, value_name = "D", default_value_t = 128)]
    pub(crate) dim: usize,
    /// Random walks from every node, for component R
    #[arg(long, value_name = "T", default_value_t = 200)]
    pub(crate) walk_trials: usize,
    /// Propagation steps of P and S
    #[arg(long, value_name = "K", default_value_t = 2)]
    pub(crate) steps: usize,
    /// Averaging over neighbours in S
    #[arg(long, value_enum, default_value = "symmetric")]
    pub(crate) s_averaging: AveragingArg,
    /// Scale the columns of propagated features to length 1 before the PCA (the paper's `l`)
    #[arg(long)]
    pub(crate) column_norm: bool,
    /// How features become input: every column by its kind, or as in the paper's code, less the lowest value of all and rows
    /// divided by their sum [default: by-kind; paper in the paper protocol]
    #[arg(long, value_enum)]
    pub(crate) feature_scaling: Option<FeatureScalingArg>,
    /// Subspace iterations of the randomised SVD [default: 4; 1 in the paper protocol]
    #[arg(long, value_name = "N")]
    pub(crate) power_iterations: Option<usize>,
    /// Links: bins of the similarity in Probe
    #[arg(long, value_name = "K", default_value_t = 8)]
    pub(crate) bins: usize,
    /// Nodes: clusters in Probe, for each class
    #[arg(long, value_name = "K")]
    pub(crate) clusters_per_class: Option<usize>,
    /// Nodes: how Act normalises embeddings [default: by-kind]
    #[arg(long, value_enum)]
    pub(crate) normalization: Option<NormalizationArg>,
    /// Nodes: drop classes with fewer labelled nodes
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) min_class: usize,
    /// LASSO penalties that Act tries, such as 1e-4,1e-5
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) lambda1: Option<Vec<f64>>,
    /// Links: folds of cross-fitting, 0 for none [default: 5; 0 in the paper protocol]
    #[arg(long, value_name = "K")]
    pub(crate) crossfit: Option<usize>,
    /// Links: negatives for each edge that Act learns from [default: 3; 1 in the paper protocol]
    #[arg(long, value_name = "N")]
    pub(crate) train_negatives: Option<usize>,
    /// Links: keep the lengths of the embeddings' rows, which grow with the degree; the paper sets them to 1
    #[arg(long)]
    pub(crate) keep_lengths: bool,
    /// Links: training pairs that Act learns from at most [default: 300000; 600000 in the paper protocol]
    #[arg(long, value_name = "N")]
    pub(crate) max_pairs: Option<usize>,
    /// Links: edges that H* is fitted on at most
    #[arg(long, value_name = "N", default_value_t = 200_000)]
    pub(crate) compat_edges: usize,
    /// Links: features of a pair as in the paper, which depend on the order of its nodes
    #[arg(long)]
    pub(crate) directed: bool,
    /// Links: penalties that Act tries [default: path; grid in the paper protocol, or where penalties are given]
    #[arg(long, value_enum)]
    pub(crate) penalties: Option<PenaltiesArg>,
    /// Group penalties that Act tries
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) lambda2: Option<Vec<f64>>,
    /// Ridge penalties that Act tries, to be divided by the number of training rows
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub(crate) ridge: Option<Vec<f64>>,
    /// Nodes: Act leaves components out whose score shuffled labels reach more often than this
    #[arg(long, value_name = "P")]
    pub(crate) max_p: Option<f64>,
    #[command(flatten)]
    pub(crate) split: SplitArgs,
    /// Write a self-contained page: verdict, figures, tables
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// `act` is a run that leaves something behind.
#[derive(Debug, ClapArgs)]
pub(crate) struct ActArgs {
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// Write the model of the first split, for `predict` and `recommend`
    #[arg(long, value_name = "FILE")]
    pub(crate) save: Option<PathBuf>,
    /// Write what it makes of the test data of the first split: .csv, .tsv, .jsonl or .parquet
    #[arg(long, value_name = "FILE")]
    pub(crate) predictions: Option<PathBuf>,
}

impl RunArgs {
    /// Several splits where they are cheap, unless a number was asked for or the split is the user's own.
    pub(crate) fn splits(&self, goal: Goal, own_split: bool, graph: &Graph) -> usize {
        const CHEAP: usize = 25_000;
        let cheap = goal == Goal::Probe && graph.edge_count() <= CHEAP && !own_split;
        self.splits.unwrap_or(if cheap { 3 } else { 1 })
    }

    pub(crate) fn has_split(&self) -> bool {
        self.split.split.is_some() || self.split.train.is_some()
    }

    pub(crate) fn link_params(&self) -> Result<LinkParams> {
        let mut params = match self.protocol {
            ProtocolArg::Clean => LinkParams::default(),
            ProtocolArg::Paper => LinkParams::paper(),
        };
        if let Some(PresetArg::Slimg) = self.preset {
            params = params.slimg();
        }
        params.splits = self.splits.unwrap_or(1);
        params.seed = Seed(self.seed);
        params.split.negatives = match self.negatives {
            NegativesArg::Uniform => Negatives::Uniform,
            NegativesArg::Degree => Negatives::Degree,
            NegativesArg::Heart => Negatives::Heart,
        };
        self.set_shares(&mut params.split.train, &mut params.split.valid)?;
        self.set_component(&mut params.component)?;
        if let Some(compat) = self.compat {
            params.compat.kind = match compat {
                CompatArg::None => CompatKind::None,
                CompatArg::H => CompatKind::H,
                CompatArg::Hstar => CompatKind::Hstar,
            };
        }
        params.probe.bins = self.bins;
        params.act.hits = self.hits;
        if let Some(folds) = self.crossfit {
            params.crossfit = folds;
        }
        if let Some(negatives) = self.train_negatives {
            params.act.negatives = negatives;
        }
        if let Some(pairs) = self.max_pairs {
            params.act.max_pairs = pairs;
        }
        params.compat.unit_rows = !self.keep_lengths;
        params.compat.max_edges = self.compat_edges;
        params.act.directed = self.directed;
        let asked = self.lambda1.is_some() || self.lambda2.is_some() || self.ridge.is_some();
        match self.penalties {
            Some(PenaltiesArg::Path) if asked => {
                return Err(Error::InvalidParam {
                    name: "penalties",
                    value: "path".into(),
                    need: "grid where --lambda1, --lambda2 or --ridge are given; a path finds its own".into(),
                });
            }
            Some(PenaltiesArg::Path) => params.act.penalties = LinkParams::default().act.penalties,
            Some(PenaltiesArg::Grid) => params.act.penalties = LinkParams::paper().act.penalties,
            None if asked => params.act.penalties = LinkParams::paper().act.penalties,
            None => {}
        }
        if let Penalties::Grid(grid) = &mut params.act.penalties {
            self.set_grid(grid);
        }
        Ok(params)
    }

    pub(crate) fn node_params(&self) -> Result<NodeParams> {
        let mut params = NodeParams::default();
        if let Some(PresetArg::Slimg) = self.preset {
            params = params.slimg();
        }
        params.splits = self.splits.unwrap_or(1);
        params.seed = Seed(self.seed);
        params.split.min_class = self.min_class;
        self.set_shares(&mut params.split.train, &mut params.split.valid)?;
        self.set_component(&mut params.component)?;
        if let Some(clusters) = self.clusters_per_class {
            params.probe.clusters_per_class = clusters;
        }
        if let Some(normalization) = self.normalization {
            params.act.normalization = match normalization {
                NormalizationArg::None => Normalization::None,
                NormalizationArg::Rows => Normalization::Rows,
                NormalizationArg::Columns => Normalization::Columns,
                NormalizationArg::Both => Normalization::Both,
                NormalizationArg::ByKind => Normalization::ByKind,
            };
        }
        if let Some(max_p) = self.max_p {
            params.act.max_p = max_p;
        }
        self.set_grid(&mut params.act.grid);
        Ok(params)
    }

    fn set_shares(&self, train: &mut f64, valid: &mut f64) -> Result<()> {
        let Some(shares) = &self.shares else { return Ok(()) };
        let [own_train, own_valid] = shares[..] else {
            return Err(Error::InvalidParam {
                name: "shares",
                value: format!("{shares:?}"),
                need: "two shares, to train and to validate on, such as 0.85,0.05".into(),
            });
        };
        (*train, *valid) = (own_train, own_valid);
        Ok(())
    }

    fn set_component(&self, params: &mut ComponentParams) -> Result<()> {
        if let Some(list) = &self.components {
            params.kinds = ComponentKind::parse_list(list)?;
        }
        params.dim = self.dim;
        params.walk_trials = self.walk_trials;
        params.steps = self.steps;
        params.s_averaging = match self.s_averaging {
            AveragingArg::Row => Averaging::Row,
            AveragingArg::Symmetric => Averaging::Symmetric,
        };
        params.column_norm = self.column_norm;
        match self.feature_scaling {
            Some(FeatureScalingArg::ByKind) => params.scaling = FeatureScaling::ByKind,
            Some(FeatureScalingArg::Paper) => params.scaling = FeatureScaling::Paper,
            Some(FeatureScalingArg::PaperDegrees) => {
                (params.scaling, params.append_degrees) = (FeatureScaling::Paper, true);
            }
            None => {}
        }
        if let Some(iterations) = self.power_iterations {
            params.rsvd.power_iterations = iterations;
        }
        Ok(())
    }

    fn set_grid(&self, grid: &mut Grid) {
        if let Some(lambda1) = &self.lambda1 {
            grid.lambda1.clone_from(lambda1);
        }
        if let Some(lambda2) = &self.lambda2 {
            grid.lambda2.clone_from(lambda2);
        }
        if let Some(ridge) = &self.ridge {
            grid.ridge.clone_from(ridge);
        }
    }
}

impl Args {
    /// Parses words as the command does and refuses options that cannot apply. Also a line for each option that has no effect.
    pub(crate) fn of_command(words: &[OsString]) -> std::result::Result<(Self, Vec<String>), clap::Error> {
        let usage = |what: String| clap::Error::raw(ErrorKind::ArgumentConflict, what + "\n");
        // A word that the command of other packages has should not be taken for a typing error.
        if cfg!(not(feature = "reproduce")) && words.get(1).is_some_and(|word| word == "reproduce") {
            let what = "reproduce is not part of the Python package; install the command with cargo\n";
            return Err(clap::Error::raw(ErrorKind::InvalidSubcommand, what));
        }
        let (args, matches) = Args::with_matches(words)?;
        let Some((name, command)) = matches.subcommand() else { return Ok((args, Vec::new())) };
        applicability::check(command).map_err(|misplaced| usage(misplaced.for_command()))?;
        if let Command::CheckSplit(check) = &args.command {
            applicability::check_allowed(&check.allow, check.task).map_err(usage)?;
        }
        Ok((args, applicability::without_effect(name, command)))
    }

    /// The same in the words of the Python package; the fault is one line.
    pub(crate) fn of_python(words: &[OsString]) -> std::result::Result<Self, String> {
        let (args, matches) = Args::with_matches(words).map_err(|error| one_line(&error))?;
        let command = matches.subcommand().map(|(_, command)| applicability::check(command));
        command.unwrap_or(Ok(())).map_err(|misplaced| misplaced.for_python())?;
        Ok(args)
    }

    fn with_matches(words: &[OsString]) -> std::result::Result<(Self, ArgMatches), clap::Error> {
        let matches = Args::command().try_get_matches_from(words)?;
        let args = Args::from_arg_matches(&matches).map_err(|error| error.format(&mut Args::command()))?;
        Ok((args, matches))
    }

    pub(crate) fn threads(&self) -> usize {
        let threads = match &self.command {
            Command::Probe(run) | Command::Act(ActArgs { run, .. }) => run.output.threads,
            Command::Predict(predict) => predict.model.threads,
            Command::Recommend(recommend) => recommend.model.threads,
            Command::Inspect(inspect) => inspect.output.threads,
            Command::CheckSplit(check) => check.output.threads,
            Command::Report(_) | Command::Convert(_) | Command::Datasets(_) => None,
            Command::Synth(synth) => synth.threads,
            #[cfg(feature = "reproduce")]
            Command::Reproduce(reproduce) => reproduce.threads,
        };
        threads.unwrap_or(0)
    }

    pub(crate) fn quiet(&self) -> bool {
        match &self.command {
            Command::Probe(run) | Command::Act(ActArgs { run, .. }) => run.output.quiet,
            Command::Predict(predict) => predict.model.quiet,
            Command::Recommend(recommend) => recommend.model.quiet,
            Command::Inspect(inspect) => inspect.output.quiet,
            Command::CheckSplit(check) => check.output.quiet,
            Command::Convert(convert) => convert.quiet,
            Command::Datasets(DatasetsArgs { action: Some(DatasetsAction::Get(get)), .. }) => get.quiet,
            Command::Report(_) | Command::Datasets(_) => false,
            Command::Synth(synth) => synth.quiet,
            #[cfg(feature = "reproduce")]
            Command::Reproduce(reproduce) => reproduce.quiet,
        }
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
