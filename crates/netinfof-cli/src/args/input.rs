//! Arguments that describe the graph and the user's own split.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};

use netinfof::graph::{TargetKind, WeightTransform};
use netinfof::{Error, Result};
use netinfof_io::load::{Format, LoadParams};

use super::INPUT;

#[derive(Debug, ClapArgs)]
pub(crate) struct GraphArgs {
    /// File, folder, `-`, synth:NAME or name of a downloaded dataset
    ///
    /// A file: npz; an edge list as CSV, TSV or separated by spaces, also compressed as .gz, .zst or .zip; Parquet, also in parts
    /// ('part-*.parquet'); an adjacency matrix; node-link JSON, GraphML, GML, Pajek; MatrixMarket; MATLAB 5; ind.NAME.graph of Planetoid.
    /// `-` is standard input. A folder: OGB, Geom-GCN, Planetoid or parts in Parquet. A generated graph: synth:demo, synth:SCENARIO,
    /// synth:large?nodes=1000000&degree=20. The name of a downloaded dataset, such as cora: see `netinfof datasets`.
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

/// How GRAPH is read, and the files that belong to it.
#[derive(Debug, ClapArgs)]
pub(crate) struct LoadArgs {
    /// Node table of an edge list: ids, features, labels
    ///
    /// Text or Parquet, one row per node: an id column, feature columns and optionally a label column; or lists of features in JSON. May
    /// be given several times: tables are joined by id.
    #[arg(long, value_name = "FILE", help_heading = INPUT)]
    pub(crate) nodes: Vec<PathBuf>,
    /// Id column of the node table [default: id, node, name or the first]
    ///
    /// A name or a number. `row` numbers the rows from 0.
    #[arg(long, value_name = "COLUMN", help_heading = INPUT)]
    pub(crate) id: Option<String>,
    /// Label column of the node table [default: label, y, class or target]
    ///
    /// A name or a number. Several, such as a,b,c: one label each, with cells 0 and 1.
    #[arg(long, value_name = "COLUMN", help_heading = INPUT)]
    pub(crate) label: Option<String>,
    /// The two id columns of an edge list, by name or number
    ///
    /// [default: source,target and other common names, else the first two columns]
    #[arg(long, value_name = "A,B", value_delimiter = ',', num_args = 1, help_heading = INPUT)]
    pub(crate) ends: Option<Vec<String>>,
    /// Links: column of times; the split is by time
    ///
    /// A name or number of a column of an edge list, or the name of an array of an npz file. Times are numbers or dates. Training edges
    /// are earlier than validation edges, and these earlier than test edges; an edge exists from the first contact of its nodes.
    #[arg(long, value_name = "COLUMN", help_heading = INPUT)]
    pub(crate) time: Option<String>,
    /// Links: edges of another relation that serve as structure
    ///
    /// A file with two columns of ids and a header, such as item,brand. Columns that are named like the ends of GRAPH hold its nodes, others hold nodes of
    /// another type. These edges are part of every training graph and are not predicted. May be given several times.
    #[arg(long, value_name = "FILE", help_heading = INPUT)]
    pub(crate) context: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) columns: ColumnArgs,
    /// Format of GRAPH [default: detected from the content]
    #[arg(long, value_enum, help_heading = INPUT)]
    pub(crate) format: Option<FormatArg>,
    #[command(flatten)]
    pub(crate) sides: SidesArgs,
    #[command(flatten)]
    pub(crate) weights: WeightArgs,
    #[command(flatten)]
    pub(crate) target: TargetArgs,
}

/// The weights of the edges.
#[derive(Clone, Debug, Default, ClapArgs)]
pub(crate) struct WeightArgs {
    /// Weights of the edges: a column of the edge list, at least 0
    ///
    /// A name or a number. Also the name of an attribute of edges (GraphML, GML, node-link, Pajek: `values`), of an array of an npz file, or `value` for the
    /// values of a matrix. Heavier edges count more in structure and in propagation. [default: edges have no weights]
    #[arg(long, value_name = "COLUMN", help_heading = INPUT)]
    pub(crate) weight: Option<String>,
    /// How weights are used: log or linear [default: log]
    ///
    /// Both are divided by their mean.
    #[arg(long, value_name = "SCALE", value_enum, requires = "weight", help_heading = INPUT)]
    pub(crate) weight_scale: Option<WeightScaleArg>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum WeightScaleArg {
    /// ln(1 + weight/median), for weights of several orders of magnitude
    Log,
    /// As they are
    Linear,
}

/// What is predicted of nodes.
#[derive(Clone, Debug, Default, ClapArgs)]
pub(crate) struct TargetArgs {
    /// Kind of the target of nodes [default: detected]
    ///
    /// A label column with many different numbers is numeric. In npz files `y`, `y_reg` and `y_multi` are the arrays of the three kinds.
    #[arg(long, value_enum, help_heading = INPUT)]
    pub(crate) target: Option<TargetArg>,
    /// Labels of nodes from a file of communities, such as .cmty
    ///
    /// Every line is one label: the ids of the nodes that have it.
    #[arg(long, value_name = "FILE", help_heading = INPUT)]
    pub(crate) communities: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum TargetArg {
    /// One class per node
    Classes,
    /// One number per node: regression
    Numbers,
    /// Any number of labels per node
    Labels,
}

/// Whether the graph is bipartite.
#[derive(Clone, Debug, Default, ClapArgs)]
pub(crate) struct SidesArgs {
    /// The graph is bipartite: links join users and items
    ///
    /// The two id columns of an edge list hold different nodes, even where ids are equal. [default: if the columns are called user and
    /// item or similar, or if the structure shows it]
    #[arg(long, conflicts_with = "no_bipartite", help_heading = INPUT)]
    pub(crate) bipartite: bool,
    /// Keep the directions of the edges
    ///
    /// A link i → j is then not a link j → i: in splits, negatives, scores and recommendations. Components describe every node as a source and as a
    /// target. [default: edges are undirected]
    #[arg(long, conflicts_with_all = ["bipartite", "no_bipartite"], help_heading = INPUT)]
    pub(crate) directed: bool,
    /// The graph is not bipartite: all pairs of nodes may be links
    #[arg(long, help_heading = INPUT)]
    pub(crate) no_bipartite: bool,
}

impl SidesArgs {
    fn stated(&self) -> Option<bool> {
        self.bipartite.then_some(true).or(self.no_bipartite.then_some(false))
    }
}

/// Which columns of tables are read, and how.
#[derive(Debug, Default, ClapArgs)]
pub(crate) struct ColumnArgs {
    /// Text tables begin with column names [default: detected]
    #[arg(long, conflicts_with = "no_header", help_heading = INPUT)]
    pub(crate) header: bool,
    /// Text tables do not begin with column names [default: detected]
    #[arg(long, help_heading = INPUT)]
    pub(crate) no_header: bool,
    /// The only columns of the node table to use as features
    ///
    /// `*` stands for any text, also in the next three options: age,income,score*
    #[arg(long = "features", id = "feature_columns", value_name = "COLUMN", value_delimiter = ',', help_heading = INPUT)]
    pub(crate) features: Vec<String>,
    /// Columns of the node table to leave out
    #[arg(long, value_name = "COLUMN", value_delimiter = ',', help_heading = INPUT)]
    pub(crate) drop: Vec<String>,
    /// Columns of categories, also if they are numbers
    #[arg(long, value_name = "COLUMN", value_delimiter = ',', help_heading = INPUT)]
    pub(crate) categorical: Vec<String>,
    /// Columns of numbers, also if they look like ids
    #[arg(long, value_name = "COLUMN", value_delimiter = ',', help_heading = INPUT)]
    pub(crate) numeric: Vec<String>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum FormatArg {
    /// Edge list as CSV, TSV or separated by spaces
    Edges,
    /// NumPy archive in one of four layouts
    Npz,
    /// Pickle files of Planetoid
    Planetoid,
    /// Folder of Geom-GCN
    GeomGcn,
    /// MATLAB 5 file
    Matlab,
    /// Folder of the Open Graph Benchmark
    Ogb,
    /// MatrixMarket in coordinate format
    MatrixMarket,
    /// Edge table in Parquet
    Parquet,
    /// A node and its neighbours per line, all of one kind
    Neighbours,
    /// Dense adjacency matrix as text
    AdjacencyMatrix,
    /// Lists of nodes and links in JSON
    NodeLink,
    /// GraphML
    Graphml,
    /// GML
    Gml,
    /// Pajek network
    Pajek,
}

impl LoadArgs {
    pub(crate) fn params(&self) -> Result<LoadParams> {
        let mut params = LoadParams::default();
        params.nodes.clone_from(&self.nodes);
        params.id.clone_from(&self.id);
        params.label.clone_from(&self.label);
        params.time.clone_from(&self.time);
        params.context.clone_from(&self.context);
        params.bipartite = self.sides.stated();
        params.directed = self.sides.directed;
        params.weight.clone_from(&self.weights.weight);
        params.weight_transform = match self.weights.weight_scale {
            None | Some(WeightScaleArg::Log) => WeightTransform::Log,
            Some(WeightScaleArg::Linear) => WeightTransform::Linear,
        };
        params.communities.clone_from(&self.target.communities);
        params.target = self.target.target.map(|target| match target {
            TargetArg::Classes => TargetKind::Classes,
            TargetArg::Numbers => TargetKind::Numbers,
            TargetArg::Labels => TargetKind::Labels,
        });
        let columns = &self.columns;
        params.header = (columns.header || columns.no_header).then_some(columns.header);
        params.columns.features.clone_from(&columns.features);
        params.columns.drop.clone_from(&columns.drop);
        params.columns.categorical.clone_from(&columns.categorical);
        params.columns.numeric.clone_from(&columns.numeric);
        params.format = self.format.map(|format| match format {
            FormatArg::Edges => Format::Edges,
            FormatArg::Npz => Format::Npz,
            FormatArg::Planetoid => Format::Planetoid,
            FormatArg::GeomGcn => Format::GeomGcn,
            FormatArg::Matlab => Format::Matlab,
            FormatArg::Ogb => Format::Ogb,
            FormatArg::MatrixMarket => Format::MatrixMarket,
            FormatArg::Parquet => Format::Parquet,
            FormatArg::Neighbours => Format::Neighbours,
            FormatArg::AdjacencyMatrix => Format::AdjacencyMatrix,
            FormatArg::NodeLink => Format::NodeLink,
            FormatArg::Graphml => Format::GraphMl,
            FormatArg::Gml => Format::Gml,
            FormatArg::Pajek => Format::Pajek,
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

/// Reads `NAME=FILE`.
pub(super) fn component_file(text: &str) -> std::result::Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((name, file)) if !name.is_empty() && !file.is_empty() => Ok((name.into(), file.into())),
        _ => Err("NAME=FILE was expected, such as text=embeddings.npy".into()),
    }
}

/// A split of the user's own.
#[derive(Debug, ClapArgs)]
pub(crate) struct SplitArgs {
    /// Your own split in one npz file or one folder of OGB
    ///
    /// The name of a downloaded dataset of OGB is accepted, too. docs/formats.md describes the files.
    #[arg(long, value_name = "NPZ", conflicts_with_all = ["train", "valid", "test"], help_heading = INPUT)]
    pub(crate) split: Option<PathBuf>,
    /// Your own split: training edges, or ids of training nodes
    #[arg(long, value_name = "FILE", requires = "valid", requires = "test", help_heading = INPUT)]
    pub(crate) train: Option<PathBuf>,
    /// Your own split: validation pairs, or ids of nodes
    ///
    /// A third column marks edges (1) and negatives (0). Without it all pairs are edges, and negatives are drawn.
    #[arg(long, value_name = "FILE", requires = "train", help_heading = INPUT)]
    pub(crate) valid: Option<PathBuf>,
    /// Your own split: test pairs, or ids of nodes
    #[arg(long, value_name = "FILE", requires = "train", help_heading = INPUT)]
    pub(crate) test: Option<PathBuf>,
}
