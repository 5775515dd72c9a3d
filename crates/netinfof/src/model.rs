//! A fitted model that outlives its run: saved, loaded, asked about pairs and nodes, on its own graph or on a newer one.
//!
//! In: what Act fitted. Out: one file ([`Model::save`]) and, from it, log-odds and probabilities that are those of Act bit by
//! bit. A model holds no embeddings, only what they are made from: the graph, the features and the bases of the components
//! that have weights. So a graph that has grown is treated like the one it was fitted on ([`Model::links`]).

mod file;
mod recommend;

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::act::{
    ActReport, LinkCalibration, LinkModel, LinkResult, NodeCalibration, NodeDesign, NodeModel, NodeResult,
};
use crate::compat::{AdjustedComponent, Compatibility};
use crate::component::{Component, ComponentParams, Ground, Place, Preparation};
use crate::error::{Error, Result};
use crate::exec::Exec;
use crate::graph::{Csr, CustomComponent, Features, Graph, NodeId, NodeInputs, Pair};
use crate::kernel;
use crate::link::{Learned, LinkComponent, PairSet};
use crate::matrix::Matrix;
use crate::ordered_map::OrderedMap;
use crate::pairwise::{Pairwise, PairwiseSource};
use crate::params::{LinkParams, NodeParams, RunParams};
use crate::spec::{ComponentKind, Weighting};
use crate::split::{LinkSplit, NodeSplit};

pub use recommend::{RecommendParams, Recommended};

/// What a model does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ModelKind {
    /// Scores pairs of nodes.
    Links,
    /// Classifies nodes.
    Nodes,
    /// Gives embeddings for other models.
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

/// What a model is, as its file says.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[non_exhaustive]
pub struct About {
    /// The version that fitted it.
    pub netinfof: String,
    /// What it does.
    pub task: ModelKind,
    /// Name of the graph it was fitted on.
    pub graph: String,
    /// Nodes of that graph.
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

/// Which edges a model sees when it looks at its own graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Seen {
    /// Those it was fitted on: scores are those of Act, and edges that were held out are unknown to it.
    #[default]
    Training,
    /// All: for pairs nobody knows about yet.
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
    /// How features become those of the paper's components, and of ours.
    preparations: [Option<Preparation>; 2],
    fit: Fit,
}

#[derive(Clone, Debug)]
enum Fit {
    Links(LinkFit),
    Nodes(NodeFit),
    /// Components for others to learn from.
    Embedding(Vec<Place>),
}

#[derive(Clone, Debug)]
struct LinkFit {
    /// Components with their compatibility matrices.
    embedded: Vec<(Place, Matrix)>,
    x: Option<Pairwise>,
    model: LinkModel,
    calibration: LinkCalibration,
}

#[derive(Clone, Debug)]
struct NodeFit {
    embedded: Vec<Place>,
    /// The graph's own numbers of the classes.
    classes: Vec<i32>,
    model: NodeModel,
    calibration: NodeCalibration,
}

/// What Act on links worked with.
pub(crate) struct LinkWork<'a> {
    pub(crate) split: &'a LinkSplit,
    pub(crate) components: &'a [Component],
    pub(crate) learned: &'a [Learned],
    pub(crate) result: &'a LinkResult,
}

/// What Act on nodes worked with.
pub(crate) struct NodeWork<'a> {
    pub(crate) split: &'a NodeSplit,
    pub(crate) components: &'a [Component],
    pub(crate) result: &'a NodeResult,
}

impl Model {
    /// What Act fitted on the links of a split.
    pub(crate) fn of_links(
        graph: &Graph,
        work: &LinkWork<'_>,
        params: &LinkParams,
        seed: u64,
        exec: &Exec,
    ) -> Self {
        let LinkWork { split, components, learned, result } = work;
        let used = || result.used.iter().map(|&at| &learned[at].component);
        let embedded = used()
            .filter_map(|component| match component {
                LinkComponent::Embedded(own) => {
                    let built = components.iter().find(|built| built.kind == own.kind)?;
                    let norm = built.for_links(params.compat.unit_rows, exec);
                    Some((Place::of(built, norm), own.compatibility.matrix.clone()))
                }
                LinkComponent::Pairwise(_) => None,
            })
            .collect();
        let x = used().find_map(|component| match component {
            LinkComponent::Embedded(_) => None,
            LinkComponent::Pairwise(x) => Some(x.clone()),
        });
        let kinds: Vec<ComponentKind> = used().map(LinkComponent::kind).collect();
        let about =
            About::new(graph, ModelKind::Links, seed, &result.report, RunParams::Links(params.clone()));
        Model {
            about,
            graph: graph
                .with_adjacency(split.known_edges(graph).into_owned())
                .keep_components(&kinds)
                .on_its_own(),
            training: split.graph.clone(),
            preparations: preparations(&kinds, graph.features(), &split.graph, &params.component, exec),
            fit: Fit::Links(LinkFit {
                embedded,
                x,
                model: result.model.clone(),
                calibration: result.calibration.clone(),
            }),
        }
    }

    /// What Act fitted on the nodes of a split.
    pub(crate) fn of_nodes(
        graph: &Graph,
        work: &NodeWork<'_>,
        params: &NodeParams,
        seed: u64,
        exec: &Exec,
    ) -> Self {
        let NodeWork { split, components, result } = work;
        let used = || result.used.iter().map(|&at| &components[at]);
        let kinds: Vec<ComponentKind> = used().map(|component| component.kind).collect();
        let place =
            |component: &Component| Place::of(component, component.norm(params.act.normalization, exec));
        let about =
            About::new(graph, ModelKind::Nodes, seed, &result.report, RunParams::Nodes(params.clone()));
        Model {
            about,
            graph: graph.clone().keep_components(&kinds).on_its_own(),
            training: graph.adjacency().clone(),
            preparations: preparations(&kinds, graph.features(), graph.adjacency(), &params.component, exec),
            fit: Fit::Nodes(NodeFit {
                embedded: used().map(place).collect(),
                classes: split.classes.clone(),
                model: result.model.clone(),
                calibration: result.calibration,
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
        let place =
            |component: &Component| Place::of(component, component.norm(params.act.normalization, exec));
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
            fit: Fit::Embedding(components.iter().map(place).collect()),
        }
    }

    /// What the model is.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// The graph it was fitted on, with the edges that were held out.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// The components that have weights.
    pub fn components(&self) -> Vec<ComponentKind> {
        match &self.fit {
            Fit::Links(fit) => {
                let x = fit.x.as_ref().map(|_| ComponentKind::X);
                fit.embedded.iter().map(|(place, _)| place.kind).chain(x).collect()
            }
            Fit::Nodes(NodeFit { embedded, .. }) | Fit::Embedding(embedded) => {
                embedded.iter().map(|place| place.kind).collect()
            }
        }
    }

    /// From log-odds to probabilities of links; `None` for other models.
    pub fn link_calibration(&self) -> Option<&LinkCalibration> {
        match &self.fit {
            Fit::Links(fit) => Some(&fit.calibration),
            Fit::Nodes(_) | Fit::Embedding(_) => None,
        }
    }

    /// Names of the classes, and from log-odds to their probabilities; `None` for other models.
    pub fn node_calibration(&self) -> Option<(Vec<String>, &NodeCalibration)> {
        match &self.fit {
            Fit::Links(_) | Fit::Embedding(_) => None,
            Fit::Nodes(fit) => {
                let name = |&class: &i32| class_name(self.graph.class_names(), class);
                Some((fit.classes.iter().map(name).collect(), &fit.calibration))
            }
        }
    }

    /// Writes the model to one file, as a whole or not at all.
    pub fn save(&self, path: &Path) -> Result<()> {
        file::save(self, path)
    }

    /// Reads a model; what was cut off or changed is refused.
    pub fn load(path: &Path) -> Result<Self> {
        file::load(path)
    }

    /// The bytes that [`Model::save`] writes, for whoever keeps models elsewhere.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        file::to_bytes(self, Path::new(BYTES))
    }

    /// The model in such bytes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        file::from_bytes(bytes, Path::new(BYTES))
    }

    /// The model of links, ready to be asked about the nodes of its own graph, or of a newer one.
    ///
    /// A newer graph may have more nodes and edges, or fewer; nodes are known by their ids. Nothing is fitted again: features
    /// are propagated along the edges of the newer graph, in the space of the old one. Where it has no features and no new
    /// nodes, the old ones hold.
    pub fn links(&self, seen: Seen, newer: Option<&Graph>, exec: &Exec) -> Result<LinkScorer> {
        let Fit::Links(fit) = &self.fit else { return Err(self.other_task(ModelKind::Links)) };
        let View { graph, features, custom, known } = self.view(seen, newer, exec)?;
        let ground = {
            let inputs = NodeInputs { features: &features, custom: &custom };
            Ground::new(&graph, inputs, known.as_deref(), &self.preparations, exec)
        };
        let mut components = exec.stage("components", fit.embedded.len(), || {
            let place = |(place, h): &(Place, Matrix)| {
                let z = place.rows(&ground, exec);
                let zh = kernel::gemm(&z, h.faer(), exec);
                let compatibility = Compatibility { matrix: h.clone(), coefficients: 0, lsqr: None };
                exec.step()?;
                Ok(LinkComponent::Embedded(AdjustedComponent { kind: place.kind, z, zh, compatibility }))
            };
            exec.try_map(&fit.embedded, place)
        })?;
        drop(ground);
        components.extend(fit.x.clone().map(LinkComponent::Pairwise));
        let source = fit.x.as_ref().map(|_| {
            let (graph, features) = (Cow::Owned(graph.into_owned()), Cow::Owned(features.into_owned()));
            PairwiseSource::prepared(graph, features, self.preparations[1].as_ref(), exec)
        });
        Ok(LinkScorer {
            graph: newer.unwrap_or(&self.graph).bare(),
            components,
            source,
            model: fit.model.clone(),
            calibration: fit.calibration.clone(),
        })
    }

    /// Probabilities of classes for every node of the model's own graph, or of a newer one (see [`Model::links`]).
    pub fn nodes(&self, newer: Option<&Graph>, exec: &Exec) -> Result<NodePredictions> {
        let Fit::Nodes(fit) = &self.fit else { return Err(self.other_task(ModelKind::Nodes)) };
        let View { graph, features, custom, known } = self.view(Seen::Training, newer, exec)?;
        let ground = {
            let inputs = NodeInputs { features: &features, custom: &custom };
            Ground::new(&graph, inputs, known.as_deref(), &self.preparations, exec)
        };
        let embeddings = rows_of(&fit.embedded, &ground, exec)?;
        let nodes: Vec<NodeId> = (0..graph.rows()).map(|node| node as NodeId).collect();
        let embeddings: Vec<&Matrix> = embeddings.iter().collect();
        let scores = fit.model.scores(&NodeDesign { embeddings: &embeddings, nodes: &nodes }, exec);
        let mut probabilities = scores.clone();
        exec.fill_rows(&mut probabilities, fit.classes.len(), 1024, |_, rows| {
            rows.chunks_exact_mut(fit.classes.len()).for_each(|row| fit.calibration.probabilities(row));
        });
        let names = self.graph.class_names();
        Ok(NodePredictions {
            graph: newer.unwrap_or(&self.graph).bare(),
            names: fit.classes.iter().map(|&class| class_name(names, class)).collect(),
            classes: fit.classes.clone(),
            scores,
            probabilities,
        })
    }

    /// The components of a model that [`crate::embedding`] made, one row a node of its own graph, or of a newer one (see
    /// [`Model::links`]).
    pub fn embeddings(&self, newer: Option<&Graph>, exec: &Exec) -> Result<Vec<(ComponentKind, Matrix)>> {
        let Fit::Embedding(places) = &self.fit else { return Err(self.other_task(ModelKind::Embedding)) };
        let View { graph, features, custom, known } = self.view(Seen::Training, newer, exec)?;
        let ground = {
            let inputs = NodeInputs { features: &features, custom: &custom };
            Ground::new(&graph, inputs, known.as_deref(), &self.preparations, exec)
        };
        Ok(self.components().into_iter().zip(rows_of(places, &ground, exec)?).collect())
    }

    fn other_task(&self, asked: ModelKind) -> Error {
        Error::Unsuitable {
            stage: "model",
            why: format!("it was fitted for {}, not for {}", self.about.task.name(), asked.name()),
        }
    }

    /// The model's own graph, or a newer one beside what the model knows of its nodes.
    fn view<'a>(&'a self, seen: Seen, newer: Option<&'a Graph>, exec: &Exec) -> Result<View<'a>> {
        let Some(newer) = newer else {
            let edges = match seen {
                Seen::Training => &self.training,
                Seen::All => self.graph.adjacency(),
            };
            let features = Cow::Borrowed(self.graph.features());
            let custom = Cow::Borrowed(self.graph.custom_components());
            return Ok(View { graph: Cow::Borrowed(edges), features, custom, known: None });
        };
        let unsuitable = |why: String| Err(Error::Unsuitable { stage: "newer graph", why });
        if newer.strangers() {
            return self.strangers(newer, exec);
        }
        let numbers: HashMap<Cow<'_, str>, NodeId> =
            (0..self.graph.nodes()).map(|node| self.graph.node_name(node)).zip(0..).collect();
        let known: Vec<Option<NodeId>> =
            (0..newer.nodes()).map(|node| numbers.get(&newer.node_name(node)).copied()).collect();
        let count = known.iter().flatten().count();
        let first_new = || known.iter().position(Option::is_none).map(|node| newer.node_name(node));
        if count == 0 {
            let name = first_new().unwrap_or_default();
            return unsuitable(format!(
                "none of its {} nodes is known to the model (the first is `{name}`, the model's first `{}`)",
                newer.nodes(),
                self.graph.node_name(0)
            ));
        }
        if count < newer.nodes().max(self.graph.nodes()) {
            exec.notice(format!(
                "{count} of the model's {} nodes are in the newer graph, with {} new ones{}",
                self.graph.nodes(),
                newer.nodes() - count,
                first_new().map_or(String::new(), |name| format!(" (the first is `{name}`)")),
            ));
        }
        let (have, need) = (newer.features().cols(), self.graph.features().cols());
        let features = if have == need {
            Cow::Borrowed(newer.features())
        } else if need == 0 {
            exec.notice("the model was fitted without features: those of the newer graph are not looked at");
            Cow::Owned(Features::None)
        } else if have == 0 && count == newer.nodes() {
            exec.notice("the newer graph has no features: those of the model's own graph hold");
            let rows: Vec<NodeId> = known.iter().flatten().copied().collect();
            Cow::Owned(self.graph.features().rows_of(&rows))
        } else if have == 0 {
            let name = first_new().unwrap_or_default();
            return unsuitable(format!("node `{name}` is new and has no features; the model needs {need}"));
        } else {
            return unsuitable(format!("it has {have} features, the model was fitted on {need}"));
        };
        let custom = self.custom_of(newer, &known, exec)?;
        Ok(View { graph: Cow::Borrowed(newer.adjacency()), features, custom, known: Some(known) })
    }
}

impl Model {
    /// A graph of nodes that the model does not know: their features alone can place them, and those of their neighbours.
    fn strangers<'a>(&'a self, newer: &'a Graph, exec: &Exec) -> Result<View<'a>> {
        let (have, need) = (newer.features().cols(), self.graph.features().cols());
        if have != need {
            let why = format!("it has {have} features, the model was fitted on {need}");
            return Err(Error::Unsuitable { stage: "newer graph", why });
        }
        if self.components().iter().any(|kind| kind.is_structural()) && newer.edge_count() > 0 {
            exec.notice("the model knows none of these nodes: structure (U, R) says nothing about them");
        }
        let features = Cow::Borrowed(newer.features());
        let known = vec![None; newer.nodes()];
        let custom = self.custom_of(newer, &known, exec)?;
        Ok(View { graph: Cow::Borrowed(newer.adjacency()), features, custom, known: Some(known) })
    }

    /// The components of the user's own that the model needs, for the nodes of a newer graph: its own, or those of the model where all
    /// nodes are known to it.
    fn custom_of<'a>(
        &self,
        newer: &'a Graph,
        known: &[Option<NodeId>],
        exec: &Exec,
    ) -> Result<Cow<'a, [CustomComponent]>> {
        let unsuitable = |why: String| Err(Error::Unsuitable { stage: "newer graph", why });
        let mut found = Vec::new();
        for own in self.graph.custom_components() {
            let name = own.name();
            match newer.custom_components().iter().find(|other| other.name == own.name) {
                Some(other) if other.cols() == own.cols() => found.push(other.clone()),
                Some(other) => {
                    let (have, need) = (other.cols(), own.cols());
                    return unsuitable(format!(
                        "component `{name}` has {have} columns, the model was fitted on {need}"
                    ));
                }
                None if known.iter().all(Option::is_some) => {
                    exec.notice(format!(
                        "the newer graph has no component `{name}`: the rows of the model's own graph hold"
                    ));
                    let rows: Vec<NodeId> = known.iter().flatten().copied().collect();
                    found.push(CustomComponent { name: own.name, rows: own.rows.rows_of(&rows) });
                }
                None => {
                    let new = known.iter().position(Option::is_none).map(|node| newer.node_name(node));
                    return unsuitable(format!(
                        "node `{}` is new and has no row of the component `{name}`, which the model needs",
                        new.unwrap_or_default()
                    ));
                }
            }
        }
        Ok(Cow::Owned(found))
    }
}

/// What a model looks at.
struct View<'a> {
    graph: Cow<'a, Csr>,
    features: Cow<'a, Features>,
    custom: Cow<'a, [CustomComponent]>,
    /// For each node its number in the model's own graph; the same where there is none.
    known: Option<Vec<Option<NodeId>>>,
}

/// Where messages find a model that is no file.
const BYTES: &str = "model";

fn rows_of(places: &[Place], ground: &Ground<'_>, exec: &Exec) -> Result<Vec<Matrix>> {
    exec.stage("components", places.len(), || {
        exec.try_map(places, |place| {
            let rows = place.rows(ground, exec);
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
        // X looks at features where there are any.
        let uses = |kind: &ComponentKind| kind.uses_features() || (kind.is_pairwise() && features.cols() > 0);
        let asks = |kind: &ComponentKind| kind.spec().weighting == weighting && uses(kind);
        kinds.iter().any(asks).then(|| Preparation::learn(features, weighting, graph, params, exec))
    })
}

/// A model of links with the nodes it is asked about.
#[derive(Debug)]
pub struct LinkScorer {
    /// Names and known edges.
    graph: Graph,
    components: Vec<LinkComponent>,
    source: Option<PairwiseSource<'static>>,
    model: LinkModel,
    calibration: LinkCalibration,
}

impl LinkScorer {
    /// The nodes it knows, and the edges that are known between them.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// From log-odds to probabilities.
    pub fn calibration(&self) -> &LinkCalibration {
        &self.calibration
    }

    /// The share of all pairs that are known edges: how common edges are among pairs that nobody chose.
    pub fn density(&self) -> f64 {
        let n = self.graph.nodes() as f64;
        (self.graph.edge_count() as f64 / (0.5 * n * (n - 1.0)).max(1.0)).clamp(1e-12, 1.0 - 1e-12)
    }

    /// Log-odds of an edge for every pair, the same as Act's for the same graph. An edge of the graph is looked at as if it
    /// were not there, as far as X is concerned. A pair of a node with itself is an error: links join different nodes.
    pub fn scores(&self, pairs: &[Pair], exec: &Exec) -> Result<Vec<f64>> {
        // A part at a time: X needs room for every pair.
        const PART: usize = 1 << 18;
        let n = self.graph.nodes();
        if let Some([i, j]) = pairs.iter().find(|pair| pair.iter().any(|&node| node as usize >= n)) {
            return Err(Error::param("pairs", format!("({i}, {j})"), format!("nodes below {n}")));
        }
        // A node is closest to itself in every component, so such a score would look like a certain link.
        if let Some(&[node, _]) = pairs.iter().find(|pair| pair[0] == pair[1]) {
            let name = self.graph.node_name(node as usize);
            return Err(Error::param(
                "pairs",
                format!("({name}, {name})"),
                "two different nodes in each pair",
            ));
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

/// Classes of all nodes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NodePredictions {
    /// The nodes, with their names.
    pub graph: Graph,
    /// The graph's own numbers of the classes.
    pub classes: Vec<i32>,
    /// What they are called.
    pub names: Vec<String>,
    /// Log-odds of every class, node after node: those of Act.
    pub scores: Vec<f64>,
    /// Probabilities of every class, node after node.
    pub probabilities: Vec<f64>,
}

impl NodePredictions {
    /// The place of the most probable class of a node.
    pub fn class(&self, node: usize) -> usize {
        most_probable(&self.probabilities[node * self.classes.len()..][..self.classes.len()])
    }
}

/// The place of the largest; of equal ones the first.
pub fn most_probable(row: &[f64]) -> usize {
    (1..row.len()).fold(0, |best, class| if row[class] > row[best] { class } else { best })
}

/// What a class is called where the data has names for them; its number where not.
fn class_name(names: Option<&[String]>, class: i32) -> String {
    names.and_then(|names| names.get(class as usize)).cloned().unwrap_or_else(|| class.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pipeline::{fit_links, fit_nodes};
    use crate::seed::Seed;
    use crate::synth;

    fn temporary(name: &str) -> std::path::PathBuf {
        std::env::temp_dir().join(format!("netinfof-{}-{name}", std::process::id()))
    }

    /// Dense features and sparse ones, with names and without, all components, and links whose order means something.
    #[test]
    fn a_saved_model_scores_as_the_fitted_one() {
        let exec = Exec::new(2).unwrap();
        let demo = synth::named("demo", Seed(0), &exec).unwrap();
        let sparse = match demo.features() {
            Features::Dense(x) => Features::Sparse(Csr::from_dense(x)),
            other => other.clone(),
        };
        let named = (0..demo.nodes()).map(|node| format!("näme\n{node}")).collect();
        let named = demo.clone().with_features(sparse).unwrap().with_ids(named);
        let bare = demo.bare();
        for (graph, directed) in [(&demo, false), (&named, false), (&bare, false), (&named, true)] {
            let mut params = LinkParams::default();
            params.component.kinds = ComponentKind::ALL.to_vec();
            params.component.dim = 16;
            params.act.directed = directed;
            let fitted = fit_links(graph, None, &params, &exec).unwrap();
            let path = temporary("links");
            fitted.model.save(&path).unwrap();
            let loaded = Model::load(&path).unwrap();
            std::fs::remove_file(&path).unwrap();
            assert_eq!(loaded.graph().ids(), graph.ids());
            assert_eq!(loaded.about().test, fitted.report.splits[0].act.as_ref().unwrap().test);
            // On another number of threads.
            let one = Exec::new(1).unwrap();
            let scorer = loaded.links(Seen::Training, None, &one).unwrap();
            assert_eq!(scorer.scores(&fitted.tested.pairs, &one).unwrap(), fitted.tested.scores);
            let scorer = loaded.links(Seen::All, None, &exec).unwrap();
            assert_ne!(scorer.scores(&fitted.tested.pairs, &exec).unwrap(), fitted.tested.scores);
            // The newer graph is the training graph itself.
            let again = graph.with_adjacency(loaded.training.clone());
            let scorer = loaded.links(Seen::All, Some(&again), &exec).unwrap();
            assert_eq!(scorer.scores(&fitted.tested.pairs, &exec).unwrap(), fitted.tested.scores);
        }
    }

    #[test]
    fn a_saved_node_model_scores_as_the_fitted_one() {
        let exec = Exec::new(2).unwrap();
        let graph = synth::named("demo", Seed(0), &exec).unwrap();
        let fitted = fit_nodes(&graph, None, &NodeParams::default(), &exec).unwrap();
        let path = temporary("nodes");
        fitted.model.save(&path).unwrap();
        let loaded = Model::load(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        let found = loaded.nodes(None, &exec).unwrap();
        let classes = found.classes.len();
        for (at, &node) in fitted.tested.nodes.iter().enumerate() {
            let row = |values: &[f64], at: usize| values[at * classes..(at + 1) * classes].to_vec();
            assert_eq!(row(&found.scores, node as usize), row(&fitted.tested.scores, at));
            let sum: f64 = row(&found.probabilities, node as usize).iter().sum();
            assert!((sum - 1.0).abs() < 1e-9);
        }
        assert!(loaded.links(Seen::All, None, &exec).unwrap_err().to_string().contains("fitted for nodes"));
    }

    #[test]
    fn cut_and_changed_files_are_refused() {
        let exec = Exec::new(1).unwrap();
        let graph = synth::named("demo", Seed(0), &exec).unwrap();
        let mut params = LinkParams::default();
        params.component.dim = 8;
        let path = temporary("damaged");
        fit_links(&graph, None, &params, &exec).unwrap().model.save(&path).unwrap();
        let whole = std::fs::read(&path).unwrap();
        let header = u64::from_le_bytes(whole[..8].try_into().unwrap()) as usize;
        let refused = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            Model::load(&path).unwrap_err().to_string()
        };
        for length in [0, 7, 8, 9, header, header + 8, header + 100, whole.len() - 1] {
            let error = refused(&whole[..length]);
            assert!(
                error.contains("not a model") || error.contains("cut off or damaged"),
                "{length}: {error}"
            );
        }
        // A byte anywhere in the arrays, and a number in the head.
        for at in [header + 8, header + 8 + (whole.len() - header) / 2, whole.len() - 1] {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            assert!(refused(&bytes).contains("digest"), "{at}");
        }
        let text = String::from_utf8(whole[8..8 + header].to_vec()).unwrap();
        let edited = |from: &str, to: &str| {
            assert_eq!((text.matches(from).count(), from.len()), (1, to.len()), "{from}");
            refused(&[&whole[..8], text.replace(from, to).as_bytes(), &whole[8 + header..]].concat())
        };
        assert!(edited("\\\"pairwise\\\":true", "\\\"pairwise\\\":null").contains("cut off or damaged"));
        assert!(edited("\\\"seed\\\":0,\\\"test", "\\\"seed\\\":7,\\\"test").contains("digest"));
        assert!(edited("\\\"format\\\":2", "\\\"format\\\":3").contains("format 2"));
        assert!(refused(b"source,target\n0,1\n").contains("not a model"));
        std::fs::remove_file(&path).unwrap();
        assert!(Model::load(&path).unwrap_err().to_string().contains("no such file"));
    }

    /// Components without a task: as they were built, from bytes again, and on a graph that has grown.
    #[test]
    fn embeddings_outlive_their_run() {
        let exec = Exec::new(2).unwrap();
        let demo = synth::named("demo", Seed(0), &exec).unwrap();
        let mut params = NodeParams::default();
        params.component.dim = 8;
        params.component.kinds = ComponentKind::ALL[..10].to_vec();
        params.act.normalization = crate::component::Normalization::Columns;
        let model = crate::pipeline::embedding(&demo, &params, &exec).unwrap();
        let built =
            crate::component::build(demo.adjacency(), demo.features(), &params.component, params.seed, &exec)
                .unwrap();
        let found = model.embeddings(None, &exec).unwrap();
        for (component, (kind, rows)) in built.iter().zip(&found) {
            assert_eq!(component.kind, *kind);
            assert_eq!(&component.normalized(params.act.normalization, &exec), rows, "{kind:?}");
        }
        let again = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!(again.embeddings(None, &exec).unwrap(), found);
        // The same graph as a newer one: every node is known.
        assert_eq!(again.embeddings(Some(&demo), &exec).unwrap(), found);
        let told = again.links(Seen::All, None, &exec).unwrap_err().to_string();
        assert!(told.contains("fitted for embedding, not for links"), "{told}");
        assert!(Model::from_bytes(&model.to_bytes().unwrap()[..100]).is_err());
    }

    /// A graph that has grown: known nodes keep their place where nothing changed around them, new ones are placed by
    /// their neighbours and features, the order of nodes does not matter.
    #[test]
    fn newer_graphs_are_met() {
        let exec = Exec::new(2).unwrap();
        let whole = synth::named("demo", Seed(0), &exec).unwrap();
        let mut params = LinkParams::default();
        // Many walks, so that R depends little on which they are.
        (params.component.dim, params.component.walk_trials) = (16, 2000);
        let names = |nodes: &[u32]| nodes.iter().map(|node| format!("n{node}")).collect::<Vec<_>>();
        let part = |nodes: &[u32]| {
            let at: HashMap<u32, u32> = nodes.iter().copied().zip(0..).collect();
            let edges: Vec<Pair> =
                whole.edges().iter().filter_map(|[i, j]| Some([*at.get(i)?, *at.get(j)?])).collect();
            let graph = Graph::from_edges("part", nodes.len(), &edges).unwrap();
            graph.with_features(whole.features().rows_of(nodes)).unwrap().with_ids(names(nodes))
        };
        let n = whole.nodes() as u32;
        let old: Vec<u32> = (0..n - 40).collect();
        let model = fit_links(&part(&old), None, &params, &exec).unwrap().model;
        // All of it, the other way round.
        let turned: Vec<u32> = (0..n).rev().collect();
        let scorer = model.links(Seen::All, Some(&part(&turned)), &exec).unwrap();
        let forth: Vec<u32> = (0..n).collect();
        let same = model.links(Seen::All, Some(&part(&forth)), &exec).unwrap();
        let pairs: Vec<Pair> = (0..n - 1).map(|i| [i, n - 1 - i / 2]).filter(|p| p[0] != p[1]).collect();
        let mirrored: Vec<Pair> = pairs.iter().map(|p| p.map(|node| n - 1 - node)).collect();
        let close =
            |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 0.05 * (1.0 + a.abs()));
        // Walks are drawn by a node's number, so R differs a little.
        assert!(close(&scorer.scores(&mirrored, &exec).unwrap(), &same.scores(&pairs, &exec).unwrap()));
        assert!(exec.notices().iter().any(|n| n.contains("40 new ones")));
        // U alone, whose axes go by the old numbers of nodes: the same but for the order of sums.
        let mut by_axes = params.clone();
        by_axes.component.kinds = vec![ComponentKind::U];
        let by_axes = fit_links(&part(&old), None, &by_axes, &exec).unwrap().model;
        let [one, other] =
            [&turned, &forth].map(|nodes| by_axes.links(Seen::All, Some(&part(nodes)), &exec).unwrap());
        let [one, other] = [one.scores(&mirrored, &exec).unwrap(), other.scores(&pairs, &exec).unwrap()];
        assert!(one.iter().zip(&other).all(|(a, b)| (a - b).abs() < 1e-3 * (1.0 + a.abs())));
        assert!(one.iter().any(|score| (score - one[0]).abs() > 0.1), "the model says something");
        // New nodes are told from strangers: their edges score above other pairs.
        let edges: Vec<Pair> = whole.edges().into_iter().filter(|e| e[1] >= n - 40).collect();
        let others: Vec<Pair> = edges.iter().map(|e| [(e[0] + 137) % (n - 40), e[1]]).collect();
        let auc =
            crate::metric::auc(&same.scores(&edges, &exec).unwrap(), &same.scores(&others, &exec).unwrap());
        assert!(auc > 0.7, "{auc}");
        // Without features: fine for known nodes, not for new ones.
        let bare = part(&old).bare();
        let own = model.links(Seen::All, Some(&bare), &exec).unwrap();
        let kept = model.links(Seen::All, None, &exec).unwrap();
        let inside: Vec<Pair> =
            pairs.iter().copied().filter(|p| p.iter().all(|&node| node < n - 40)).collect();
        assert_eq!(own.scores(&inside, &exec).unwrap(), kept.scores(&inside, &exec).unwrap());
        assert!(own.scores(&pairs, &exec).unwrap_err().to_string().contains("nodes below"));
        let itself = own.scores(&[inside[0], [3, 3]], &exec).unwrap_err().to_string();
        assert_eq!(
            itself,
            format!(
                "invalid `pairs`: ({0}, {0}) (need two different nodes in each pair)",
                own.graph().node_name(3)
            )
        );
        let fault = |graph: Graph| model.links(Seen::All, Some(&graph), &exec).unwrap_err().to_string();
        assert!(fault(part(&forth).bare()).contains("is new and has no features"));
        assert!(fault(whole.clone()).contains("none of its"));
        let narrow = Features::Dense(Matrix::zeros(old.len(), 3));
        assert!(fault(part(&old).with_features(narrow).unwrap()).contains("3 features"));
    }
}
