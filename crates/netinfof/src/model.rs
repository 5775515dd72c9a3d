//! A fitted model: it can be saved, loaded and applied to pairs and nodes of its own graph or of a newer one.
//!
//! In: the fit of Act. Out: one file ([`Model::save`]) and, from it, log-odds and probabilities that are
//! bitwise those of Act. A model stores no embeddings, only their sources: the graph, the features and the
//! bases of the components that have weights. So a newer version of the graph is treated like the one it was
//! fitted on ([`Model::links`]).

mod file;
mod filter;
mod newer;
mod ranking;
mod recipe;
mod recommend;
mod targets;

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::act::{
    ActReport, FittedTarget, LinkCalibration, LinkModel, LinkResult, NodeCalibration, NodeDesign, NodeModel,
    NodeResult,
};
use crate::compat::{AdjustedComponent, Compatibility};
use crate::component::{Component, ComponentParams, NodePlacement, PlacementInput, Preparation};
use crate::error::{Error, Result};
use crate::exec::Exec;
use crate::graph::{Csr, EdgeWeights, Features, Graph, NodeId, NodeInputs, Pair, TargetKind, WeightScale};
use crate::kernel;
use crate::link::{Learned, LinkComponent, PairSet};
use crate::matrix::Matrix;
use crate::ordered_map::OrderedMap;
use crate::pairwise::{Pairwise, PairwiseSource};
use crate::params::{LinkParams, NodeParams, RunParams};
use crate::spec::{ComponentKind, Weighting};
use crate::split::{LinkSplit, NodeSplit};
use filter::Filter;
use newer::View;

pub use ranking::{Ranking, RankingChoice, RankingFigure, RankingMetrics};
pub use recommend::{RecommendParams, Recommended};
pub use targets::{LabelPredictions, NodePredictions, NumberPredictions, most_probable};

/// The task of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ModelKind {
    /// Scores pairs of nodes.
    Links,
    /// Classifies nodes.
    Nodes,
    /// Computes embeddings for other models.
    Embedding,
}

impl ModelKind {
    /// The name in files and messages.
    pub fn name(self) -> &'static str {
        match self {
            ModelKind::Links => "links",
            ModelKind::Nodes => "nodes",
            ModelKind::Embedding => "embedding",
        }
    }
}

/// Description of a model, as stored in its file.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct About {
    /// The version of netinfof that fitted it.
    pub netinfof: String,
    /// Its task.
    pub task: ModelKind,
    /// Name of the graph it was fitted on.
    pub graph: String,
    /// Number of nodes of that graph.
    pub nodes: usize,
    /// Seed of the split it was fitted on.
    pub seed: u64,
    /// Metrics on the test data.
    pub test: OrderedMap<f64>,
    /// All parameters.
    pub params: RunParams,
}

impl About {
    fn new(graph: &Graph, task: ModelKind, seed: u64, report: &ActReport, params: RunParams) -> Self {
        About {
            netinfof: env!("CARGO_PKG_VERSION").into(),
            task,
            graph: graph.name().into(),
            nodes: graph.nodes(),
            seed,
            test: report.test.clone(),
            params,
        }
    }
}

/// The edges that a model uses for predictions on its own graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Seen {
    /// Training edges: scores are those of Act, and held-out edges are not used.
    #[default]
    Training,
    /// All edges: for pairs whose status is unknown.
    All,
}

/// A fitted model.
#[derive(Clone, Debug)]
pub struct Model {
    about: About,
    /// The graph it was fitted on, with all of its edges.
    graph: Graph,
    /// The edges that its components were built on.
    training: Csr,
    /// How features are prepared for the paper's components, and for the others.
    preparations: [Option<Preparation>; 2],
    fit: FittedTask,
}

#[derive(Clone, Debug)]
enum FittedTask {
    Links(LinkFit),
    Nodes(NodeFit),
    /// Components for other models.
    Embedding(Vec<NodePlacement>),
}

#[derive(Clone, Debug)]
struct LinkFit {
    /// Components with their compatibility matrices.
    embedded: Vec<(NodePlacement, Matrix)>,
    x: Option<Pairwise>,
    model: LinkModel,
    calibration: LinkCalibration,
    /// Bipartite graphs: how partners are ranked.
    ranking: Option<RankingChoice>,
}

#[derive(Clone, Debug)]
struct NodeFit {
    embedded: Vec<NodePlacement>,
    /// The numbers of the classes in the graph; empty for other targets.
    classes: Vec<i32>,
    model: NodeModel,
    fitted: FittedTarget,
}

/// The inputs of Act on links.
pub(crate) struct LinkWork<'a> {
    pub(crate) split: &'a LinkSplit,
    /// Of the embeddings among the learned components.
    pub(crate) placements: &'a [NodePlacement],
    pub(crate) learned: &'a [Learned],
    pub(crate) result: &'a LinkResult,
}

/// The inputs of Act on nodes.
pub(crate) struct NodeWork<'a> {
    pub(crate) split: &'a NodeSplit,
    /// Of all components.
    pub(crate) placements: &'a [NodePlacement],
    pub(crate) result: &'a NodeResult,
}

impl Model {
    /// The model from Act on the links of a split; in a bipartite graph with the ranking of partners that has the
    /// highest recall on validation edges.
    pub(crate) fn of_links(
        graph: &Graph,
        work: &LinkWork<'_>,
        params: &LinkParams,
        seed: u64,
        exec: &Exec,
    ) -> Result<Self> {
        let LinkWork { split, placements, learned, result } = work;
        let used = || result.used.iter().map(|&at| &learned[at].component);
        let embedded = used()
            .filter_map(|component| {
                let place = placements.iter().find(|place| place.kind == component.kind())?;
                Some((place.clone(), component.compatibility()?.matrix.clone()))
            })
            .collect();
        let x = used().find_map(|component| match component {
            LinkComponent::Embedded(_) | LinkComponent::Recorded(_) => None,
            LinkComponent::Pairwise(x) => Some(x.clone()),
        });
        let kinds: Vec<ComponentKind> = used().map(LinkComponent::kind).collect();
        let about =
            About::new(graph, ModelKind::Links, seed, &result.report, RunParams::Links(params.clone()));
        let known = graph.with_adjacency(split.known_edges(graph).into_owned());
        // The paper protocol ignores sides, and so does its model.
        let known = if split.sides().is_some() { known } else { known.without_sides() };
        let mut model = Model {
            about,
            graph: known.keep_components(&kinds).on_its_own(),
            training: split.graph.clone(),
            preparations: preparations(
                &kinds,
                graph.inputs().features,
                split.structure(),
                &params.component,
                exec,
            ),
            fit: FittedTask::Links(LinkFit {
                embedded,
                x,
                model: result.model.clone(),
                calibration: result.calibration.clone(),
                ranking: None,
            }),
        };
        let ranking = RankingChoice::of(&model, split, exec)?;
        if let FittedTask::Links(fit) = &mut model.fit {
            fit.ranking = ranking;
        }
        Ok(model)
    }

    /// The model from Act on the nodes of a split.
    pub(crate) fn of_nodes(
        graph: &Graph,
        work: &NodeWork<'_>,
        params: &NodeParams,
        seed: u64,
        exec: &Exec,
    ) -> Self {
        let NodeWork { split, placements, result } = work;
        let used = || result.used.iter().map(|&at| &placements[at]);
        let kinds: Vec<ComponentKind> = used().map(|place| place.kind).collect();
        let about =
            About::new(graph, ModelKind::Nodes, seed, &result.report, RunParams::Nodes(params.clone()));
        Model {
            about,
            graph: graph.clone().keep_components(&kinds).on_its_own(),
            training: graph.adjacency().clone(),
            preparations: preparations(&kinds, graph.features(), graph.adjacency(), &params.component, exec),
            fit: FittedTask::Nodes(NodeFit {
                embedded: used().cloned().collect(),
                classes: match result.fitted {
                    FittedTarget::Classes(_) => split.classes.clone(),
                    FittedTarget::Numbers(_) | FittedTarget::Labels(_) => Vec::new(),
                },
                model: result.model.clone(),
                fitted: result.fitted.clone(),
            }),
        }
    }

    /// Components alone.
    pub(crate) fn of_components(
        graph: &Graph,
        components: &[Component],
        params: &NodeParams,
        exec: &Exec,
    ) -> Self {
        let kinds: Vec<ComponentKind> = components.iter().map(|component| component.kind).collect();
        let place = |component: &Component| {
            NodePlacement::of(component, component.norm(params.act.normalization, exec))
        };
        Model {
            about: About {
                netinfof: env!("CARGO_PKG_VERSION").into(),
                task: ModelKind::Embedding,
                graph: graph.name().into(),
                nodes: graph.nodes(),
                seed: params.seed.0,
                test: OrderedMap::default(),
                params: RunParams::Nodes(params.clone()),
            },
            graph: graph.clone().keep_components(&kinds).on_its_own(),
            training: graph.adjacency().clone(),
            preparations: preparations(&kinds, graph.features(), graph.adjacency(), &params.component, exec),
            fit: FittedTask::Embedding(components.iter().map(place).collect()),
        }
    }

    /// Whether the model uses weights of edges, so that newer graphs need them, too.
    pub fn uses_weights(&self) -> bool {
        self.weight_scale().is_some()
    }

    /// The scale of the weights that the model uses, if it uses any.
    pub(crate) fn weight_scale(&self) -> Option<WeightScale> {
        self.training.values()?;
        self.graph.weights().map(EdgeWeights::scale)
    }

    /// Description of the model.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// The graph it was fitted on, including held-out edges.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The components that have weights.
    pub fn components(&self) -> Vec<ComponentKind> {
        match &self.fit {
            FittedTask::Links(fit) => {
                let x = fit.x.as_ref().map(|_| ComponentKind::X);
                fit.embedded.iter().map(|(place, _)| place.kind).chain(x).collect()
            }
            FittedTask::Nodes(NodeFit { embedded, .. }) | FittedTask::Embedding(embedded) => {
                embedded.iter().map(|place| place.kind).collect()
            }
        }
    }

    /// From log-odds to probabilities of links; `None` for other models.
    pub fn link_calibration(&self) -> Option<&LinkCalibration> {
        match &self.fit {
            FittedTask::Links(fit) => Some(&fit.calibration),
            FittedTask::Nodes(_) | FittedTask::Embedding(_) => None,
        }
    }

    /// How the partners of a node are ranked; `None` for models of other tasks and graphs that are not
    /// bipartite.
    pub fn ranking(&self) -> Option<&RankingChoice> {
        match &self.fit {
            FittedTask::Links(fit) => fit.ranking.as_ref(),
            FittedTask::Nodes(_) | FittedTask::Embedding(_) => None,
        }
    }

    /// Names of the classes, and from log-odds to their probabilities; `None` for other models.
    pub fn node_calibration(&self) -> Option<(Vec<String>, &NodeCalibration)> {
        match &self.fit {
            FittedTask::Nodes(NodeFit { fitted: FittedTarget::Classes(calibration), classes, .. }) => {
                let name = |&class: &i32| class_name(self.graph.class_names(), class);
                Some((classes.iter().map(name).collect(), calibration))
            }
            FittedTask::Links(_) | FittedTask::Embedding(_) | FittedTask::Nodes(_) => None,
        }
    }

    /// Writes the model to one file, as a whole or not at all.
    pub fn save(&self, path: &Path) -> Result<()> {
        file::save(self, path)
    }

    /// Reads a model; truncated or changed files are refused.
    pub fn load(path: &Path) -> Result<Self> {
        file::load(path)
    }

    /// The bytes that [`Model::save`] writes, for storage elsewhere.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        file::to_bytes(self, Path::new(BYTES))
    }

    /// Reads a model from the bytes of [`Model::to_bytes`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        file::from_bytes(bytes, Path::new(BYTES))
    }

    /// A link model for the nodes of its own graph, or of a newer one.
    ///
    /// A newer graph may have more nodes and edges, or fewer; nodes are identified by their ids. Nothing is
    /// refitted: features are propagated along the edges of the newer graph, in the space of the old one. If
    /// it has no features and no new nodes, the old features are used.
    pub fn links(&self, seen: Seen, newer: Option<&Graph>, exec: &Exec) -> Result<LinkScorer> {
        let FittedTask::Links(fit) = &self.fit else { return Err(self.other_task(ModelKind::Links)) };
        let View { graph: visible_edges, features, custom, known } = self.view(seen, newer, exec)?;
        let graph = self.graph.joined_with_context(visible_edges.clone());
        let input = {
            let inputs = NodeInputs { features: &features, custom: &custom };
            PlacementInput::new(&graph, inputs, known.as_deref(), &self.preparations, exec)
        };
        let mut components = exec.stage("components", fit.embedded.len(), || {
            let place = |(place, h): &(NodePlacement, Matrix)| {
                let z = place.rows(&input, exec);
                let zh = kernel::gemm(&z, h, exec);
                let compatibility = Compatibility { matrix: h.clone(), coefficients: 0, lsqr: None };
                exec.step()?;
                Ok(LinkComponent::Embedded(AdjustedComponent { kind: place.kind, z, zh, compatibility }))
            };
            exec.try_map(&fit.embedded, place)
        })?;
        drop(input);
        components.extend(fit.x.clone().map(LinkComponent::Pairwise));
        let seen_graph = match newer {
            None => self.graph.bare(),
            Some(newer) => self.with_sides_of_model(newer, known.as_deref())?,
        };
        let sides = seen_graph.shared_sides().cloned();
        let filter = ranking::filter_of(fit.ranking.as_ref(), &visible_edges, sides.as_ref(), exec)?;
        let visible = sides.is_some().then(|| Arc::new(visible_edges.into_owned()));
        let source = fit.x.as_ref().map(|_| {
            let (graph, features) = (Cow::Owned(graph.into_owned()), Cow::Owned(features.into_owned()));
            PairwiseSource::prepared(graph, features, self.preparations[1].as_ref(), exec)
                .across(sides.as_ref())
                .with_context(self.graph.context().is_some())
        });
        Ok(LinkScorer {
            graph: seen_graph,
            visible,
            filter,
            components,
            source,
            model: fit.model.clone(),
            calibration: fit.calibration.clone(),
        })
    }

    /// Probabilities of classes for every node of the model's own graph, or of a newer one (see
    /// [`Model::links`]).
    pub fn nodes(&self, newer: Option<&Graph>, exec: &Exec) -> Result<NodePredictions> {
        let FittedTask::Nodes(fit) = &self.fit else { return Err(self.other_task(ModelKind::Nodes)) };
        let FittedTarget::Classes(calibration) = &fit.fitted else {
            return Err(self.other_target(TargetKind::Classes));
        };
        let scores = self.node_scores(fit, newer, exec)?;
        let mut probabilities = scores.clone();
        exec.fill_rows(&mut probabilities, fit.classes.len(), 1024, |_, rows| {
            rows.chunks_exact_mut(fit.classes.len()).for_each(|row| calibration.probabilities(row));
        });
        let names = self.graph.class_names();
        Ok(NodePredictions {
            graph: newer.unwrap_or(&self.graph).names_of_nodes(),
            names: fit.classes.iter().map(|&class| class_name(names, class)).collect(),
            classes: fit.classes.clone(),
            scores,
            probabilities,
        })
    }

    /// The scores of every output for all nodes: log-odds of classes or labels, or numbers on the scale of the model.
    fn node_scores(&self, fit: &NodeFit, newer: Option<&Graph>, exec: &Exec) -> Result<Vec<f64>> {
        if let Some(newer) = newer.filter(|newer| newer.is_directed() != self.graph.is_directed()) {
            let [own, other] = [self.graph.is_directed(), newer.is_directed()]
                .map(|directed| if directed { "directed" } else { "undirected" });
            let why = format!("it is {other}, but the model was fitted on a graph that is {own}");
            return Err(Error::Unsuitable { stage: "newer graph", why });
        }
        let View { graph, features, custom, known } = self.view(Seen::Training, newer, exec)?;
        let input = {
            let inputs = NodeInputs { features: &features, custom: &custom };
            PlacementInput::new(&graph, inputs, known.as_deref(), &self.preparations, exec)
        };
        let embeddings = rows_of(&fit.embedded, &input, exec)?;
        let count = if self.graph.is_directed() { graph.rows() / 2 } else { graph.rows() };
        let nodes: Vec<NodeId> = (0..count).map(|node| node as NodeId).collect();
        let embeddings: Vec<&Matrix> = embeddings.iter().collect();
        Ok(fit.model.scores(&NodeDesign { embeddings: &embeddings, nodes: &nodes }, exec))
    }

    /// The components of a model that [`crate::embedding`] made, one row per node of its own graph, or of a
    /// newer one (see [`Model::links`]).
    pub fn embeddings(&self, newer: Option<&Graph>, exec: &Exec) -> Result<Vec<(ComponentKind, Matrix)>> {
        let FittedTask::Embedding(places) = &self.fit else {
            return Err(self.other_task(ModelKind::Embedding));
        };
        let View { graph, features, custom, known } = self.view(Seen::Training, newer, exec)?;
        let input = {
            let inputs = NodeInputs { features: &features, custom: &custom };
            PlacementInput::new(&graph, inputs, known.as_deref(), &self.preparations, exec)
        };
        Ok(self.components().into_iter().zip(rows_of(places, &input, exec)?).collect())
    }

    fn other_task(&self, asked: ModelKind) -> Error {
        Error::Unsuitable {
            stage: "model",
            why: format!("it was fitted for {}, not for {}", self.about.task.name(), asked.name()),
        }
    }
}

/// Path in messages about a model that is not a file.
const BYTES: &str = "model";

fn rows_of(places: &[NodePlacement], input: &PlacementInput<'_>, exec: &Exec) -> Result<Vec<Matrix>> {
    exec.stage("components", places.len(), || {
        exec.try_map(places, |place| {
            let rows = place.rows(input, exec);
            exec.step()?;
            Ok(rows)
        })
    })
}

/// The preparations that these components need.
fn preparations(
    kinds: &[ComponentKind],
    features: &Features,
    graph: &Csr,
    params: &ComponentParams,
    exec: &Exec,
) -> [Option<Preparation>; 2] {
    Weighting::ALL.map(|weighting| {
        // X uses features if there are any.
        let uses = |kind: &ComponentKind| kind.uses_features() || (kind.is_pairwise() && features.cols() > 0);
        let asks = |kind: &ComponentKind| kind.spec().weighting == weighting && uses(kind);
        kinds.iter().any(asks).then(|| Preparation::learn(features, weighting, graph, params, exec))
    })
}

/// A link model with the nodes that it scores.
#[derive(Debug)]
pub struct LinkScorer {
    /// Names and known edges.
    graph: Graph,
    /// Bipartite graphs: the edges that the components see.
    visible: Option<Arc<Csr>>,
    /// Bipartite graphs: the filter that ranks partners, if it is not the model.
    filter: Option<(Filter, RankingChoice)>,
    components: Vec<LinkComponent>,
    source: Option<PairwiseSource<'static>>,
    model: LinkModel,
    calibration: LinkCalibration,
}

impl LinkScorer {
    /// The nodes that it scores, and the known edges between them.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// From log-odds to probabilities.
    pub fn calibration(&self) -> &LinkCalibration {
        &self.calibration
    }

    /// The share of known edges among all pairs that may be edges: the prior for random pairs.
    pub fn density(&self) -> f64 {
        let n = self.graph.nodes() as f64;
        let pairs = self.graph.sides().map_or(0.5 * n * (n - 1.0), |sides| sides.pairs() as f64);
        (self.graph.edge_count() as f64 / pairs.max(1.0)).clamp(1e-12, 1.0 - 1e-12)
    }

    /// Log-odds of an edge for every pair, the same as Act's for the same graph. X is computed for an edge of
    /// the graph as if it were absent. A pair of a node with itself is an error.
    pub fn scores(&self, pairs: &[Pair], exec: &Exec) -> Result<Vec<f64>> {
        // One part at a time: X needs memory for every pair.
        const PART: usize = 1 << 18;
        let n = self.graph.nodes();
        if let Some([i, j]) = pairs.iter().find(|pair| pair.iter().any(|&node| node as usize >= n)) {
            return Err(Error::param("pairs", format!("({i}, {j})"), format!("nodes below {n}")));
        }
        // A node is most similar to itself in every component, so such a score would look like a certain
        // link.
        if let Some(&[node, _]) = pairs.iter().find(|pair| pair[0] == pair[1]) {
            let name = self.graph.node_name(node as usize);
            return Err(Error::param(
                "pairs",
                format!("({name}, {name})"),
                "two different nodes in each pair",
            ));
        }
        if let Some((sides, [i, j])) = self.graph.sides().and_then(|own| Some((own, own.inside(pairs)?))) {
            let side = &sides.names()[sides.of(i)];
            let loops = sides.twin(i) == Some(j);
            let [i, j] = [i, j].map(|node| self.graph.node_name(node as usize));
            let need = if loops {
                "two different nodes in each pair".into()
            } else {
                format!("pairs across the two sides; both nodes are on the side `{side}`")
            };
            return Err(Error::param("pairs", format!("({i}, {j})"), need));
        }
        let components: Vec<&LinkComponent> = self.components.iter().collect();
        let mut scores = Vec::with_capacity(pairs.len());
        for part in pairs.chunks(PART) {
            exec.check()?;
            let set = PairSet::new(part.to_vec(), self.source.as_ref(), exec);
            scores.extend(self.model.scores(&components, &set, exec));
        }
        Ok(scores)
    }
}

/// The name of a class if the data has names, otherwise its number.
fn class_name(names: Option<&[String]>, class: i32) -> String {
    names.and_then(|names| names.get(class as usize)).cloned().unwrap_or_else(|| class.to_string())
}

#[cfg(test)]
mod tests;
