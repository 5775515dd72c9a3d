//! Arguments of `probe` and `act`.

use std::path::PathBuf;

use clap::{Args as ClapArgs, ValueEnum};
use netinfof::params::CompatKind;
use netinfof::params::{Averaging, FeatureScaling, Normalization};
use netinfof::params::{Grid, Penalties};
use netinfof::split::Negatives;
use netinfof::{ComponentKind, ComponentParams, Error, Goal, Graph, LinkParams, NodeParams, Result, Seed};
use netinfof_io::load::LoadParams;

use super::input::{GraphArgs, SplitArgs, component_file};
use super::output::{DetailArgs, OutputArgs};
use super::{INPUT, METHOD, OUTPUT, TASK};

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

    pub(super) fn other(self) -> Self {
        match self {
            Task::Links => Task::Nodes,
            Task::Nodes => Task::Links,
        }
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum ProtocolArg {
    /// Negatives are verified not to be edges of the whole graph
    Clean,
    /// Negatives are unverified random pairs, as in the paper's published code
    Paper,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum NegativesArg {
    /// Uniform non-edges
    Uniform,
    /// Degree-matched non-edges: their ends have the degrees of the positives' ends
    Degree,
    /// Hard non-edges (HeaRT): for each positive, 500 similar pairs that share a node with it
    Heart,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum NodeModelArg {
    /// A softmax regression and ridge regressions, weighted by likelihood
    Mixture,
    /// The paper's softmax regression alone
    Softmax,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum PenaltiesArg {
    /// Decreasing penalties, from the smallest for which all weights are zero
    Path,
    /// The paper's penalties, or those given
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
    /// No normalisation
    None,
    /// Every row to length 1
    Rows,
    /// Every column to standard deviation 1
    Columns,
    /// Columns, then rows
    Both,
    /// Rows, except for components of tables with few columns
    ByKind,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum FeatureScalingArg {
    /// Every column by its kind
    ByKind,
    /// As in the paper's published code
    Paper,
    /// As in the paper's code, with one-hot degrees in addition, as in its experiments on Products, Twitch and Pokec
    PaperDegrees,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    pub(crate) graph: GraphArgs,
    /// Component of your own, such as a text embedding
    ///
    /// Rows of numbers for the nodes: npy or npz in the order of the nodes, or a table (CSV, TSV, Parquet) or npz with ids. It is
    /// measured, judged and used beside the built-in components, and saved with models. May be given several times.
    #[arg(long, value_name = "NAME=FILE", value_parser = component_file, help_heading = INPUT)]
    pub(crate) component: Vec<(String, PathBuf)>,
    #[command(flatten)]
    pub(crate) split: SplitArgs,
    /// Task: links or nodes
    #[arg(long, value_enum, default_value = "links", help_heading = TASK)]
    pub(crate) task: Task,
    /// Links: how negatives are drawn: clean or paper
    ///
    /// Results of the two protocols are not comparable.
    #[arg(long, value_enum, default_value = "clean", help_heading = TASK)]
    pub(crate) protocol: ProtocolArg,
    /// Links: negatives: uniform, degree or heart
    ///
    /// Non-edges that edges are compared with. Results with different negatives are not comparable.
    #[arg(long, value_name = "KIND", value_enum, default_value = "uniform", help_heading = TASK)]
    pub(crate) negatives: NegativesArg,
    /// Shares of the training and the validation set
    ///
    /// Shares of the edges, or of the labelled nodes of each class. The rest is the test set. [default: 0.7,0.1 for links,
    /// 0.025,0.025 for nodes]
    #[arg(long, value_name = "TRAIN,VALID", value_delimiter = ',', help_heading = TASK)]
    pub(crate) shares: Option<Vec<f64>>,
    /// Largest number of test edges or nodes to evaluate
    ///
    /// Half as many validation edges are evaluated. The rest are neither evaluated nor trained on. Own splits are evaluated
    /// completely. [default: 300000; all in the paper protocol]
    #[arg(long, value_name = "N", help_heading = TASK)]
    pub(crate) max_evaluated: Option<usize>,
    /// Number of splits, with seeds S, S+1, …
    ///
    /// [default: 1; for probe, 5 on graphs of at most 25000 edges and fewer up to 62500]
    #[arg(long, value_name = "N", help_heading = TASK)]
    pub(crate) splits: Option<usize>,
    /// Seed of the first split
    #[arg(long, value_name = "S", default_value_t = 0, help_heading = TASK)]
    pub(crate) seed: u64,
    /// Links: the K of Hits@K [default: 100, less on small graphs]
    #[arg(long, value_name = "K", help_heading = TASK)]
    pub(crate) hits: Option<usize>,
    /// Nodes: leave out classes with fewer labelled nodes
    #[arg(long, value_name = "N", default_value_t = 0, help_heading = TASK)]
    pub(crate) min_class: usize,
    /// Components to use, such as U,F,S
    ///
    /// Any of U,R,F,P,S,P1,S1,S3,S5,D,X,C,L. [default: U,R,F,P,S,D,X for links; U,R,F,P,S,S5,C for nodes, and L if features are words; U,R,F,P,S in the paper protocol]
    #[arg(long, value_name = "LIST", help_heading = METHOD)]
    pub(crate) components: Option<String>,
    /// Settings of a known model: slimg
    #[arg(long, value_enum, help_heading = METHOD)]
    pub(crate) preset: Option<PresetArg>,
    /// Dimension of a component's embedding
    #[arg(long, value_name = "D", default_value_t = 128, help_heading = METHOD)]
    pub(crate) dim: usize,
    /// Random walks from every node, for component R
    #[arg(long, value_name = "T", default_value_t = 200, help_heading = METHOD)]
    pub(crate) walk_trials: usize,
    /// Propagation steps of P and S
    #[arg(long, value_name = "K", default_value_t = 2, help_heading = METHOD)]
    pub(crate) steps: usize,
    /// Averaging of neighbours in S: row or symmetric
    #[arg(long, value_name = "KIND", value_enum, default_value = "symmetric", help_heading = METHOD)]
    pub(crate) s_averaging: AveragingArg,
    /// Scale columns of propagated features to length 1
    ///
    /// Before the PCA; the paper's `l`.
    #[arg(long, help_heading = METHOD)]
    pub(crate) column_norm: bool,
    /// Preparation of features: by-kind, paper or paper-degrees
    ///
    /// The paper's code subtracts the smallest value of all features and divides rows by their sums. [default: by-kind; paper in the
    /// paper protocol]
    #[arg(long, value_name = "KIND", value_enum, help_heading = METHOD)]
    pub(crate) feature_scaling: Option<FeatureScalingArg>,
    /// Subspace iterations of the randomised SVD
    ///
    /// [default: 4; 1 in the paper protocol, and for graphs of more than 450000 nodes]
    #[arg(long, value_name = "N", help_heading = METHOD)]
    pub(crate) power_iterations: Option<usize>,
    /// Links: compatibility matrix: none, h or hstar [default: hstar]
    #[arg(long, value_name = "KIND", value_enum, help_heading = METHOD)]
    pub(crate) compat: Option<CompatArg>,
    /// Links: largest number of edges to fit H* on
    #[arg(long, value_name = "N", default_value_t = 200_000, help_heading = METHOD)]
    pub(crate) compat_edges: usize,
    /// Links: do not scale rows of embeddings to length 1
    ///
    /// The lengths grow with the degree. The paper scales them to 1.
    #[arg(long, help_heading = METHOD)]
    pub(crate) keep_lengths: bool,
    /// Links: pair features that depend on the order of the nodes
    ///
    /// As in the paper. Directions of edges are used with --directed; by default the features of a pair are symmetric.
    #[arg(long, help_heading = METHOD)]
    pub(crate) ordered_pairs: bool,
    /// Links: folds of cross-fitting, or 0 [default: 5; paper: 0]
    #[arg(long, value_name = "K", help_heading = METHOD)]
    pub(crate) crossfit: Option<usize>,
    /// Links: number of similarity bins in Probe
    #[arg(long, value_name = "K", default_value_t = 8, help_heading = METHOD)]
    pub(crate) bins: usize,
    /// Nodes: number of clusters per class in Probe
    #[arg(long, value_name = "K", help_heading = METHOD)]
    pub(crate) clusters_per_class: Option<usize>,
    /// Nodes: how Act normalises embeddings [default: by-kind]
    #[arg(long, value_name = "KIND", value_enum, help_heading = METHOD)]
    pub(crate) normalization: Option<NormalizationArg>,
    /// Nodes: largest p-value of a component that Act uses
    ///
    /// The ridge regressions of the mixture use all components. The p-value is the share of shuffled labels that reach the component's score.
    #[arg(long, value_name = "P", help_heading = METHOD)]
    pub(crate) max_p: Option<f64>,
    /// Nodes: the model of Act [default: mixture]
    #[arg(long, value_name = "KIND", value_enum, help_heading = METHOD)]
    pub(crate) node_model: Option<NodeModelArg>,
    /// Links: negatives per training edge [default: 3; paper: 1]
    #[arg(long, value_name = "N", help_heading = METHOD)]
    pub(crate) train_negatives: Option<usize>,
    /// Links: largest number of training pairs
    ///
    /// [default: 300000; 600000 in the paper protocol]
    #[arg(long, value_name = "N", help_heading = METHOD)]
    pub(crate) max_pairs: Option<usize>,
    /// Links: penalties that Act tries: path or grid
    ///
    /// [default: path; grid in the paper protocol, or if penalties are given]
    #[arg(long, value_name = "KIND", value_enum, help_heading = METHOD)]
    pub(crate) penalties: Option<PenaltiesArg>,
    /// Smallest gain worth having
    ///
    /// As a share of the target's entropy, above 0 and at most 0.5. The verdict ignores smaller gains.
    #[arg(long, value_name = "SHARE", default_value_t = 0.05, help_heading = METHOD)]
    pub(crate) smallest_gain: f64,
    /// LASSO penalties that Act tries, such as 1e-4,1e-5
    #[arg(long, value_name = "LIST", value_delimiter = ',', help_heading = METHOD)]
    pub(crate) lambda1: Option<Vec<f64>>,
    /// Group penalties that Act tries
    #[arg(long, value_name = "LIST", value_delimiter = ',', help_heading = METHOD)]
    pub(crate) lambda2: Option<Vec<f64>>,
    /// Ridge penalties that Act tries
    ///
    /// They are divided by the number of training rows.
    #[arg(long, value_name = "LIST", value_delimiter = ',', help_heading = METHOD)]
    pub(crate) ridge: Option<Vec<f64>>,
    #[command(flatten)]
    pub(crate) needs: NeedsArgs,
    /// Write a self-contained page with verdict, charts and tables
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub(crate) html: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) detail: DetailArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// What a run may use, and what it would use.
#[derive(Debug, ClapArgs)]
pub(crate) struct NeedsArgs {
    /// Memory that the run may use, such as 8G or 500M
    ///
    /// A run that needs more is refused before it begins. [default: 80 % of the memory of the machine or its control group]
    #[arg(long, value_name = "SIZE", value_parser = memory_size, help_heading = OUTPUT)]
    pub(crate) memory: Option<u64>,
    /// Only print how much memory and time each stage will need
    #[arg(long, conflicts_with_all = ["html", "resume"], help_heading = OUTPUT)]
    pub(crate) plan: bool,
    /// Keep finished stages in a folder, to continue an ended run
    ///
    /// The same command continues after the last of them. A new or empty folder begins a run. It is deleted when the results are written.
    #[arg(long, value_name = "FOLDER", help_heading = OUTPUT)]
    pub(crate) resume: Option<PathBuf>,
}

/// Reads a size such as `8G`, `1.5GiB` or `500M`.
fn memory_size(text: &str) -> std::result::Result<u64, String> {
    let wanted = || "a size such as 8G or 500M".to_string();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let shift = match unit.to_ascii_lowercase().trim_end_matches("ib").trim_end_matches('b') {
        "k" => 10,
        "m" => 20,
        "g" => 30,
        "t" => 40,
        _ => return Err(wanted()),
    };
    let number: f64 = number.parse().map_err(|_| wanted())?;
    Ok((number * 2f64.powi(shift)) as u64)
}

/// The arguments of `act`: those of `probe`, and files to write.
#[derive(Debug, ClapArgs)]
pub(crate) struct ActArgs {
    #[command(flatten)]
    pub(crate) run: RunArgs,
    /// Write the model of the first split
    ///
    /// For `netinfof predict` and `netinfof recommend`.
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub(crate) save: Option<PathBuf>,
    /// Write predictions for the test data of the first split
    ///
    /// The name ends in .csv, .tsv, .jsonl or .parquet.
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub(crate) predictions: Option<PathBuf>,
}

impl RunArgs {
    /// The graph's files, with those of the user's own components.
    pub(crate) fn load_params(&self) -> Result<LoadParams> {
        let mut params = self.graph.load_params()?;
        params.components.clone_from(&self.component);
        Ok(params)
    }

    /// Several splits where they are cheap, unless a number was asked for, or the split is the user's own or by time,
    /// and so the same for every seed.
    pub(crate) fn splits(&self, goal: Goal, own_split: bool, graph: &Graph) -> usize {
        /// Edges of all splits together.
        const CHEAP: usize = 125_000;
        const MOST: usize = 5;
        let by_time = self.task == Task::Links && graph.times().is_some();
        let several = goal == Goal::Probe && !own_split && !by_time;
        let cheap = if several { (CHEAP / graph.edge_count().max(1)).clamp(1, MOST) } else { 1 };
        self.splits.unwrap_or(cheap)
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
        if let Some(edges) = self.max_evaluated {
            params.split.max_evaluated = edges;
        }
        self.set_component(&mut params.component)?;
        if let Some(compat) = self.compat {
            params.compat.kind = match compat {
                CompatArg::None => CompatKind::None,
                CompatArg::H => CompatKind::H,
                CompatArg::Hstar => CompatKind::Hstar,
            };
        }
        params.probe.bins = self.bins;
        params.smallest_gain = self.smallest_gain;
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
        params.act.directed = self.ordered_pairs;
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
        params.smallest_gain = self.smallest_gain;
        self.set_shares(&mut params.split.train, &mut params.split.valid)?;
        if let Some(nodes) = self.max_evaluated {
            params.split.max_evaluated = nodes;
        }
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
        if let Some(model) = self.node_model {
            params.act.mixture = matches!(model, NodeModelArg::Mixture);
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
            params.rsvd = params.rsvd.clone().power_iterations(iterations);
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

#[cfg(test)]
mod tests {
    use super::memory_size;

    #[test]
    fn sizes_are_read() {
        assert_eq!(memory_size("8G"), Ok(8 << 30));
        assert_eq!(memory_size("1.5GiB"), Ok(3 << 29));
        assert_eq!(memory_size("500mb"), Ok(500 << 20));
        assert!(["8", "G", "8X", "-1G", ""].iter().all(|text| memory_size(text).is_err()));
    }
}
