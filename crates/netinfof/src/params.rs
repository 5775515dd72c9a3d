//! The parameters of a run, for each task and each stage.

use serde::{Deserialize, Serialize};

use crate::component::are_words;
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::information::SMALLEST_GAIN;
use crate::seed::Seed;
use crate::split::Protocol;
use crate::training::TrainingParams;

pub use crate::act::{Grid, LinkActParams, NodeActParams, Penalties, PenaltyPath};
pub use crate::compat::{CompatKind, CompatParams};
pub use crate::component::{Averaging, ComponentParams, FeatureScaling, Normalization};
pub use crate::linalg::{KMeansParams, LsqrParams, RsvdParams, SglParams};
pub use crate::probe::{LinkProbeParams, NodeProbeParams};
pub use crate::spec::{
    ComponentKind, ComponentSource, ComponentSpec, CustomName, Depth, FilterSpec, Group, Weighting,
};
pub use crate::split::{NodeSplitParams, SplitParams};

/// The parameters of every stage of link prediction. The default extends the paper (docs/method.md);
/// [`LinkParams::paper`] does not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LinkParams {
    /// Number of splits (default 1); they use the seeds `seed`, `seed + 1`, ….
    pub splits: usize,
    /// The first seed (default 0).
    pub seed: Seed,
    /// How edges are split.
    pub split: SplitParams,
    /// The components.
    pub component: ComponentParams,
    /// The compatibility matrix.
    pub compat: CompatParams,
    /// Probe.
    pub probe: LinkProbeParams,
    /// Act.
    pub act: LinkActParams,
    /// Number of folds of cross-fitting (default 5; see the module `training`); 0 turns it off.
    pub crossfit: usize,
    /// The smallest gain worth having, as a share of the target's entropy (default 0.05): the verdict ignores
    /// smaller gains.
    #[serde(default = "default_smallest_gain")]
    pub smallest_gain: f64,
}

impl Default for LinkParams {
    fn default() -> Self {
        LinkParams {
            splits: 1,
            seed: Seed(0),
            split: SplitParams::default(),
            component: ComponentParams {
                kinds: LINKS.to_vec(),
                weigh_columns: true,
                ..ComponentParams::default()
            },
            compat: CompatParams::default(),
            probe: LinkProbeParams::default(),
            act: LinkActParams::default(),
            crossfit: 5,
            smallest_gain: SMALLEST_GAIN,
        }
    }
}

impl LinkParams {
    /// The same with the user-supplied components of the graph.
    pub(crate) fn with_own_of(&self, graph: &Graph) -> Self {
        LinkParams { component: self.component.with_own_of(graph), ..self.clone() }
    }

    /// The paper and the protocol of its published code: only its five components, unverified negatives, no
    /// cross-fitting, its grid of penalties, and an SVD as approximate as its scores suggest. Where the two
    /// differ or the code has an error, the paper's text is followed, pair features are symmetric, and LSQR
    /// runs longer (docs/design/compatibility.md).
    #[must_use]
    pub fn paper() -> Self {
        let mut params = LinkParams::default();
        params.split.protocol = Protocol::Paper;
        params.split.max_evaluated = usize::MAX;
        params.component.kinds = ComponentKind::PAPER.to_vec();
        params.component.rsvd = RsvdParams::default().power_iterations(1);
        params.component.scaling = FeatureScaling::Paper;
        params.compat.core = true;
        params.compat.lsqr.damp = 1.0;
        params.act.penalties = Penalties::Grid(Grid::new(vec![1e-4, 1e-5], vec![1e-3, 1e-4, 1e-5, 1e-6]));
        params.act.negatives = 1;
        params.act.max_pairs = 600_000;
        params.crossfit = 0;
        params
    }

    #[doc(hidden)]
    pub fn training(&self) -> TrainingParams {
        TrainingParams {
            folds: self.crossfit,
            act: [self.act.max_pairs, self.act.negatives],
            probe_negatives: self.probe.negatives,
            compat: [self.compat.max_edges, self.compat.negatives],
            compat_core: self.compat.core,
        }
    }

    /// SlimG (KDD 2023) as a configuration of the same pipeline: U, F, P, S and no compatibility matrix.
    #[must_use]
    pub fn slimg(mut self) -> Self {
        self.component.kinds = SLIMG.to_vec();
        self.compat.kind = CompatKind::None;
        self
    }

    pub(crate) fn validate(&self) -> Result<()> {
        check_splits(self.splits)?;
        check_smallest_gain(self.smallest_gain)?;
        self.component.validate()?;
        if let Some(kind) = self.component.kinds.iter().find(|kind| kind.is_computed_table()) {
            let need = format!("components of links; {} is computed for nodes", kind.name());
            return Err(Error::param("components", kind.name(), need));
        }
        self.compat.validate()?;
        self.probe.validate()?;
        if self.crossfit == 1 || self.crossfit > 1000 {
            return Err(Error::param("crossfit", self.crossfit, "0 for none, or 2 to 1000 folds"));
        }
        self.act.validate()
    }
}

/// The parameters of every stage of node classification.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NodeParams {
    /// Number of splits (default 1); they use the seeds `seed`, `seed + 1`, ….
    pub splits: usize,
    /// The first seed (default 0).
    pub seed: Seed,
    /// How nodes are split.
    pub split: NodeSplitParams,
    /// The components.
    pub component: ComponentParams,
    /// Probe.
    pub probe: NodeProbeParams,
    /// Act.
    pub act: NodeActParams,
    /// The smallest gain worth having, as a share of the target's entropy (default 0.05): the verdict ignores
    /// smaller gains.
    #[serde(default = "default_smallest_gain")]
    pub smallest_gain: f64,
}

impl Default for NodeParams {
    fn default() -> Self {
        NodeParams {
            splits: 1,
            seed: Seed(0),
            split: NodeSplitParams::default(),
            component: ComponentParams { kinds: NODES.to_vec(), ..ComponentParams::default() },
            probe: NodeProbeParams::default(),
            act: NodeActParams::default(),
            smallest_gain: SMALLEST_GAIN,
        }
    }
}

impl NodeParams {
    /// The same with the user-supplied components of the graph. Amounts of features join the default
    /// components if all features are words: only their rows lose their length. Where other components are
    /// requested, Act uses no more than these.
    pub(crate) fn with_own_of(&self, graph: &Graph) -> Self {
        let mut params = NodeParams { component: self.component.with_own_of(graph), ..self.clone() };
        let default = self.component.kinds == NODES;
        if default && !are_words(graph.features()) {
            params.component.kinds.retain(|&kind| kind != ComponentKind::L);
        }
        if default && graph.is_directed() {
            // Two steps of a directed graph lead to nodes of the same role: one step shows sources and targets alone.
            let after =
                params.component.kinds.iter().position(|&kind| kind == ComponentKind::P).expect("a default");
            params.component.kinds.insert(after, ComponentKind::P1);
            params.act.also.retain(|&kind| kind != ComponentKind::P1);
        }
        if !default || graph.features().cols() == 0 {
            params.act.also.clear();
        }
        params
    }

    /// The paper: its five components, and the softmax regression alone.
    pub fn paper() -> Self {
        let mut params = NodeParams::default();
        params.split.max_evaluated = usize::MAX;
        params.component.kinds = ComponentKind::PAPER.to_vec();
        params.act.mixture = false;
        params
    }

    /// SlimG (KDD 2023) as a configuration of the same pipeline: U, F, P, S, and the softmax regression alone.
    #[must_use]
    pub fn slimg(mut self) -> Self {
        self.component.kinds = SLIMG.to_vec();
        self.act.mixture = false;
        self
    }

    pub(crate) fn validate(&self) -> Result<()> {
        check_splits(self.splits)?;
        check_smallest_gain(self.smallest_gain)?;
        self.split.validate()?;
        self.component.validate()?;
        if self.component.kinds.iter().any(|kind| kind.is_pairwise()) {
            return Err(Error::param("components", "X", "components of nodes; X is computed for pairs"));
        }
        self.probe.validate()?;
        self.act.validate()
    }
}

/// The components of link prediction: the paper's, and those that improve validation results.
const LINKS: [ComponentKind; 7] = [
    ComponentKind::U,
    ComponentKind::R,
    ComponentKind::F,
    ComponentKind::P,
    ComponentKind::S,
    ComponentKind::D,
    ComponentKind::X,
];

/// The components of node classification: the paper's, propagation with five steps, structural roles, and
/// amounts of features.
const NODES: [ComponentKind; 8] = [
    ComponentKind::U,
    ComponentKind::R,
    ComponentKind::F,
    ComponentKind::P,
    ComponentKind::S,
    ComponentKind::S5,
    ComponentKind::C,
    ComponentKind::L,
];

const SLIMG: [ComponentKind; 4] = [ComponentKind::U, ComponentKind::F, ComponentKind::P, ComponentKind::S];

fn check_splits(splits: usize) -> Result<()> {
    if (1..=10_000).contains(&splits) { Ok(()) } else { Err(Error::param("splits", splits, "1 to 10000")) }
}

// For reports of earlier versions.
fn default_smallest_gain() -> f64 {
    SMALLEST_GAIN
}

fn check_smallest_gain(share: f64) -> Result<()> {
    if share > 0.0 && share <= 0.5 {
        Ok(())
    } else {
        Err(Error::param("smallest_gain", share, "a share of the entropy above 0, at most 0.5"))
    }
}

/// The goal of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Measure the information of the components.
    Probe,
    /// Measure it, then solve the task with the components.
    Act,
}

/// The parameters of a run, for either task.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum RunParams {
    /// Of link prediction.
    Links(LinkParams),
    /// Of node classification.
    Nodes(NodeParams),
}

impl RunParams {
    /// The parameters of the components.
    pub(crate) fn component(&self) -> &ComponentParams {
        match self {
            RunParams::Links(params) => &params.component,
            RunParams::Nodes(params) => &params.component,
        }
    }

    /// Links: how negatives were drawn.
    pub(crate) fn protocol(&self) -> Option<Protocol> {
        match self {
            RunParams::Links(params) => Some(params.split.protocol),
            RunParams::Nodes(_) => None,
        }
    }
}
