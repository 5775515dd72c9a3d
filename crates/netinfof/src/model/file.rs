//! Model files: safetensors with one metadata entry, which holds everything that is not an array, and a
//! digest of the whole.

mod context;
mod reader;
mod writer;

use std::io::Write as _;
use std::path::Path;

use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use self::context::ContextHead;
use self::reader::ArrayReader;
use self::writer::{ArrayWriter, put_graph, put_pairwise};
use super::{About, FittedTask, LinkFit, Model, ModelKind, NodeFit, RankingChoice};
use crate::act::{
    FittedTarget, LabelCalibration, LinkCalibration, LinkModel, NodeCalibration, NodeModel, NumberCalibration,
};
use crate::atomic_file;
use crate::component::{self, Filter, NodePlacement, Norm, PlacementBasis, Preparation};
use crate::error::{Error, Result};
use crate::graph::{Csr, Features, Graph, Pair, Schema, Sides, WeightScale, ordered};
use crate::matrix::Matrix;
use crate::pairwise::{self, Column, Pairwise};
use crate::seed::Seed;
use crate::spec::ComponentKind;

/// Format version; incremented when older programs can no longer read new files.
const VERSION: u32 = 6;
/// The version of files without context, which older programs can read.
const WITHOUT_CONTEXT: u32 = 5;
/// The version of files without weights and directions of edges and whose target is classes, if it is of nodes, which
/// older programs can read.
const OF_CLASSES: u32 = 4;
/// The version of files without sides and without the columns of a table, which older programs can read.
const WITHOUT_SIDES: u32 = 3;
/// The version of files without user-supplied components and roles either.
const WITHOUT_TABLES: u32 = 2;
/// Name of the metadata entry.
const ENTRY: &str = "netinfof";

/// The metadata entry. The first two fields show whether the file can be read.
#[derive(Serialize, Deserialize)]
struct MetadataEntry {
    format: u32,
    /// SHA-256 over the head and all arrays.
    digest: String,
    head: ModelHead,
}

/// Everything that is not an array.
#[derive(Serialize, Deserialize)]
struct ModelHead {
    about: About,
    components: Vec<StoredComponent>,
    preparations: [Option<Preparation>; 2],
    /// Of a bipartite graph.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    sides: Option<SidesHead>,
    /// Of a graph with weights: the scale on which they are used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    weights: Option<WeightScale>,
    /// The columns of the model's graph, by which those of newer graphs are matched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    schema: Option<Schema>,
    /// The edges of other relations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    context: Option<ContextHead>,
    #[serde(skip_serializing_if = "Option::is_none")]
    links: Option<LinkHead>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<NodeHead>,
}

/// The two sides of a bipartite graph, except which node is on which.
#[derive(Serialize, Deserialize)]
struct SidesHead {
    names: [String; 2],
    qualified: bool,
    /// Whether they are the roles of the nodes of a directed graph.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    roles: bool,
}

#[derive(Serialize, Deserialize)]
struct LinkHead {
    directed: bool,
    calibration: LinkCalibration,
    pairwise: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    ranking: Option<RankingChoice>,
}

#[derive(Serialize, Deserialize)]
struct NodeHead {
    classes: Vec<i32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    names: Option<Vec<String>>,
    /// One of these three, by the kind of the target.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    calibration: Option<NodeCalibration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    numbers: Option<NumberCalibration>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    labels: Option<LabelCalibration>,
}

/// How one component is computed.
#[derive(Serialize, Deserialize)]
struct StoredComponent {
    kind: ComponentKind,
    #[serde(flatten)]
    basis: StoredBasis,
    unit_rows: bool,
    /// Shorter rows become zero.
    shortest_row: f32,
    scaled_columns: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(tag = "from", rename_all = "lowercase")]
enum StoredBasis {
    Nothing,
    Adjacency,
    Walks { trials: usize, seed: Seed },
    Features { filter: Filter },
    Custom { preparation: Box<Preparation> },
}

pub(super) fn save(model: &Model, path: &Path) -> Result<()> {
    let bytes = to_bytes(model, path)?;
    atomic_file::write(path, |out| out.write_all(&bytes))
}

/// The file's bytes; `path` is only for messages.
pub(super) fn to_bytes(model: &Model, path: &Path) -> Result<Vec<u8>> {
    let mut arrays = ArrayWriter::default();
    put_graph(&mut arrays, model);
    if let Some(rarity) = model.preparations[1].as_ref().and_then(|rare| rare.rarity.as_ref()) {
        arrays.floats("features.rarity", &[rarity.len()], rarity);
    }
    let mut components = Vec::new();
    let mut put = |place: &NodePlacement, arrays: &mut ArrayWriter| {
        let name = place.kind.name();
        let basis = match &place.basis {
            PlacementBasis::Nothing => StoredBasis::Nothing,
            PlacementBasis::Adjacency { axes } => {
                arrays.matrix(format!("{name}.axes"), axes);
                StoredBasis::Adjacency
            }
            PlacementBasis::Walks { axes, trials, seed } => {
                arrays.matrix(format!("{name}.axes"), axes);
                StoredBasis::Walks { trials: *trials, seed: *seed }
            }
            PlacementBasis::Features { axes, shift, filter } => {
                arrays.matrix(format!("{name}.axes"), axes);
                arrays.floats(format!("{name}.shift"), &[shift.len()], shift);
                StoredBasis::Features { filter: *filter }
            }
            PlacementBasis::Custom { axes, shift, preparation } => {
                arrays.matrix(format!("{name}.axes"), axes);
                arrays.floats(format!("{name}.shift"), &[shift.len()], shift);
                StoredBasis::Custom { preparation: preparation.clone() }
            }
        };
        if let Some(scale) = &place.norm.scale {
            arrays.floats(format!("{name}.scale"), &[scale.len()], scale);
        }
        let scaled_columns = place.norm.scale.is_some();
        components.push(StoredComponent {
            kind: place.kind,
            basis,
            unit_rows: place.norm.unit,
            shortest_row: place.norm.shortest,
            scaled_columns,
        });
    };
    let (mut links, mut nodes) = (None, None);
    match &model.fit {
        FittedTask::Links(fit) => {
            for (place, h) in &fit.embedded {
                put(place, &mut arrays);
                arrays.matrix(format!("{}.compatibility", place.kind.name()), h);
            }
            if let Some(x) = &fit.x {
                put_pairwise(&mut arrays, x);
            }
            arrays.floats("weights", &[fit.model.weights.len()], &fit.model.weights);
            arrays.doubles("intercept", &[fit.model.intercept]);
            let (directed, calibration) = (fit.model.directed, fit.calibration.clone());
            let ranking = fit.ranking.clone();
            links = Some(LinkHead { directed, calibration, pairwise: fit.x.is_some(), ranking });
        }
        FittedTask::Nodes(fit) => {
            fit.embedded.iter().for_each(|place| put(place, &mut arrays));
            let (weights, intercepts): (Vec<&[f32]>, Vec<f64>) =
                fit.model.outputs.iter().map(|(weights, intercept)| (&weights[..], *intercept)).unzip();
            let width = weights.first().map_or(0, |weights| weights.len());
            arrays.floats("weights", &[weights.len(), width], &weights.concat());
            arrays.doubles("intercept", &intercepts);
            let names = model.graph.class_names().map(<[String]>::to_vec);
            let mut head = NodeHead {
                classes: fit.classes.clone(),
                names,
                calibration: None,
                numbers: None,
                labels: None,
            };
            match &fit.fitted {
                FittedTarget::Classes(own) => head.calibration = Some(*own),
                FittedTarget::Numbers(own) => head.numbers = Some(own.clone()),
                FittedTarget::Labels(own) => head.labels = Some(own.clone()),
            }
            nodes = Some(head);
        }
        FittedTask::Embedding(places) => places.iter().for_each(|place| put(place, &mut arrays)),
    }
    let context = context::put(&model.graph, &mut arrays);
    let head = ModelHead {
        about: model.about.clone(),
        components,
        preparations: model.preparations.clone(),
        sides: model.graph.sides().map(|sides| SidesHead {
            names: sides.names().clone(),
            qualified: sides.has_qualified_ids(),
            roles: sides.are_roles(),
        }),
        weights: model.weight_scale(),
        schema: model.graph.schema().cloned(),
        context,
        links,
        nodes,
    };
    let fault = |what: String| Error::Format { path: path.to_path_buf(), what };
    let views: Vec<(&str, TensorView<'_>)> = arrays
        .0
        .iter()
        .map(|(name, dtype, shape, data)| {
            let view = TensorView::new(*dtype, shape.clone(), data);
            view.map(|view| (name.as_str(), view)).map_err(|e| fault(e.to_string()))
        })
        .collect::<Result<_>>()?;
    let from_table = |made: &StoredComponent| matches!(made.basis, StoredBasis::Custom { .. });
    let tables = head.components.iter().any(from_table) || !model.graph.custom_components().is_empty();
    let of_classes = head.nodes.as_ref().is_none_or(|nodes| nodes.calibration.is_some());
    let format = match (head.sides.is_some() || head.schema.is_some(), tables) {
        _ if head.context.is_some() => VERSION,
        _ if !of_classes || head.weights.is_some() || model.graph.is_directed() => WITHOUT_CONTEXT,
        (true, _) => OF_CLASSES,
        (false, true) => WITHOUT_SIDES,
        (false, false) => WITHOUT_TABLES,
    };
    let entry = MetadataEntry { format, digest: digest(&head, &views), head };
    let entry = serde_json::to_string(&entry).expect("a head can always be written as JSON");
    safetensors::serialize(views, Some([(ENTRY.to_string(), entry)].into_iter().collect()))
        .map_err(|e| fault(e.to_string()))
}

/// Digest of the head as JSON and of the kind, shape and bytes of every array, by name.
fn digest(head: &ModelHead, views: &[(&str, TensorView<'_>)]) -> String {
    let mut sha = Sha256::new();
    sha.update(serde_json::to_vec(head).expect("a head can always be written as JSON"));
    let mut views: Vec<&(&str, TensorView<'_>)> = views.iter().collect();
    views.sort_by_key(|view| view.0);
    for (name, view) in views {
        sha.update(format!("\n{name} {:?} {:?}\n", view.dtype(), view.shape()));
        sha.update(view.data());
    }
    sha.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(super) fn load(path: &Path) -> Result<Model> {
    let bytes = std::fs::read(path).map_err(|e| Error::io(path, e))?;
    from_bytes(&bytes, path)
}

/// Reads the bytes of [`to_bytes`]; `path` is only for messages.
pub(super) fn from_bytes(bytes: &[u8], path: &Path) -> Result<Model> {
    let fault = |what: String| Error::Format { path: path.to_path_buf(), what };
    let refused = |what: &str| fault(format!("{what}; `netinfof act --save` writes models"));
    let damaged = |e: &dyn std::fmt::Display| {
        if bytes.get(8) == Some(&b'{') {
            fault(format!("the model is cut off or damaged ({e})"))
        } else {
            refused("not a model")
        }
    };
    let (_, header) = SafeTensors::read_metadata(bytes).map_err(|e| damaged(&e))?;
    let entry = header.metadata().as_ref().and_then(|entries| entries.get(ENTRY));
    let entry = entry.ok_or_else(|| refused("a safetensors file, but not a model of netinfof"))?;
    // The version first: later fields may have another format.
    let value: serde_json::Value = serde_json::from_str(entry).map_err(|e| damaged(&e))?;
    let version = value.get("format").and_then(serde_json::Value::as_u64);
    if !version.is_some_and(|version| (u64::from(WITHOUT_TABLES)..=u64::from(VERSION)).contains(&version)) {
        let version = version.map_or("an unknown format".into(), |version| format!("format {version}"));
        return Err(fault(format!(
            "the model has {version}; this version of netinfof reads formats {WITHOUT_TABLES} to {VERSION}"
        )));
    }
    let entry: MetadataEntry = serde_json::from_value(value).map_err(|e| damaged(&e))?;
    let tensors = SafeTensors::deserialize(bytes).map_err(|e| damaged(&e))?;
    let found = ArrayReader { path, tensors };
    let views: Vec<(&str, TensorView<'_>)> = found.tensors.iter().collect();
    if digest(&entry.head, &views) != entry.digest {
        return Err(fault("the model was changed or damaged: its digest does not match".into()));
    }
    model(&found, entry.head)
}

fn model(found: &ArrayReader<'_>, head: ModelHead) -> Result<Model> {
    let ModelHead { about, components, mut preparations, sides, weights, schema, context, links, nodes } =
        head;
    let (mut graph, training) = graph(found, &about, weights)?;
    let weighted = training.values().is_some();
    if let Some(SidesHead { names, qualified, roles }) = sides {
        let second: Vec<bool> = found.bytes("sides")?.into_iter().map(|side| side == 1).collect();
        found.check("sides", second.len(), about.nodes)?;
        let mut sides = Sides::new(second).named(names).with_qualified_ids(qualified);
        if roles {
            let Some(own) = sides.of_roles() else {
                return found.fault("the roles of the nodes are inconsistent");
            };
            sides = own;
        }
        graph = graph.with_sides(sides)?;
    }
    if let Some(schema) = schema {
        if !schema.columns.is_empty() {
            found.check("features", graph.features().cols(), schema.columns.len())?;
        }
        graph = graph.with_schema(schema);
    }
    if let Some(head) = context {
        graph = context::read(found, graph, head)?;
    }
    if let Some(rare) = &mut preparations[1] {
        let rarity = found.floats("features.rarity")?;
        found.check("features.rarity", rarity.len(), graph.features().cols())?;
        rare.rarity = Some(rarity);
    }
    for preparation in preparations.iter().flatten() {
        found.check("features", graph.features().cols(), preparation.columns)?;
        if !preparation.is_sound() {
            return found.fault("the preparation of the features is inconsistent");
        }
    }
    for made in components.iter().filter(|made| made.kind.is_custom()) {
        let name = made.kind.name();
        graph = graph.with_component(name, found.matrix(&format!("{name}.rows"))?)?;
    }
    let rows = graph.context().map_or(about.nodes, |context| context.edges().rows());
    let both_roles = nodes.is_some() && graph.is_directed();
    let places: Vec<NodePlacement> = components
        .into_iter()
        .map(|made| place(found, made, rows, weighted, both_roles, &preparations))
        .collect::<Result<_>>()?;
    let fit = match (links, nodes) {
        (Some(links), None) => {
            FittedTask::Links(link_fit(found, places, links, weighted, graph.is_directed())?)
        }
        (None, Some(mut nodes)) => {
            graph = graph.with_class_names(nodes.names.take());
            FittedTask::Nodes(node_fit(found, places, nodes)?)
        }
        (None, None) if about.task == ModelKind::Embedding => FittedTask::Embedding(places),
        _ => return found.fault("the task is neither links nor nodes"),
    };
    Ok(Model { about, graph, training, preparations, fit })
}

fn graph(found: &ArrayReader<'_>, about: &About, scale: Option<WeightScale>) -> Result<(Graph, Csr)> {
    let (shape, flat) = found.view("edges", Dtype::U32, 2)?;
    found.check("edges", shape[1], 2)?;
    let flat: Vec<u32> = flat.into_iter().map(u32::from_le_bytes).collect();
    let edges: Vec<Pair> = flat.as_chunks::<2>().0.iter().map(|&pair| ordered(pair)).collect();
    let mut graph = Graph::from_edges(&about.graph, about.nodes, &edges)?;
    found.check("edges", graph.edge_count(), edges.len())?;
    if let Some(scale) = scale {
        let weights = found.floats("edges.weights")?;
        found.check("edges.weights", weights.len(), edges.len())?;
        let sound = |weight: &f32| weight.is_finite() && *weight > 0.0;
        if !scale.is_sound() || !weights.iter().all(sound) || !edges.is_sorted() {
            return found.fault("the weights of the edges are inconsistent");
        }
        graph = graph.with_known_weights(weights, scale);
    }
    let training = if found.has("edges.training") {
        let trained = found.bytes("edges.training")?;
        found.check("edges.training", trained.len(), edges.len())?;
        let own: Vec<Pair> = edges.iter().zip(&trained).filter(|t| *t.1 == 1).map(|t| *t.0).collect();
        Csr::symmetric(about.nodes, &own).with_values_of(graph.adjacency(), 1.0)
    } else {
        graph.adjacency().clone()
    };
    graph = graph.with_features(features(found, "features")?)?;
    if found.has("ids.ends") {
        let (ends, text) = (found.counts("ids.ends")?, found.bytes("ids")?);
        found.check("ids.ends", ends.len(), about.nodes)?;
        let mut start = 0;
        let mut ids = Vec::with_capacity(ends.len());
        for end in ends {
            let id = text.get(start..end).and_then(|id| std::str::from_utf8(id).ok());
            let Some(id) = id else { return found.fault("an id is not text") };
            ids.push(id.to_string());
            start = end;
        }
        graph = graph.with_ids(ids);
    }
    Ok((graph, training))
}

/// Features, dense or sparse; none if there are no such arrays.
fn features(found: &ArrayReader<'_>, name: &str) -> Result<Features> {
    let part = |end: &str| format!("{name}.{end}");
    if found.has(name) {
        return Ok(Features::Dense(found.matrix(name)?));
    }
    if !found.has(&part("indptr")) {
        return Ok(Features::None);
    }
    let columns = found.counts(&part("columns"))?;
    found.check(&part("columns"), columns.len(), 1)?;
    let values = if found.has(&part("values")) { Some(found.floats(&part("values"))?) } else { None };
    let (indptr, indices) = (found.counts(&part("indptr"))?, found.numbers(&part("indices"))?);
    Ok(Features::Sparse(Csr::new(columns[0], indptr, indices, values)?))
}

fn place(
    found: &ArrayReader<'_>,
    made: StoredComponent,
    nodes: usize,
    weighted: bool,
    both_roles: bool,
    preparations: &[Option<Preparation>; 2],
) -> Result<NodePlacement> {
    let name = made.kind.name();
    let axes = |rows: usize| -> Result<Matrix> {
        let axes = found.matrix(&format!("{name}.axes"))?;
        found.check(&format!("{name}.axes"), axes.rows(), rows)?;
        Ok(axes)
    };
    let basis = match made.basis {
        StoredBasis::Nothing => PlacementBasis::Nothing,
        StoredBasis::Adjacency => PlacementBasis::Adjacency { axes: axes(nodes)? },
        StoredBasis::Walks { trials, seed } => PlacementBasis::Walks { axes: axes(nodes)?, trials, seed },
        StoredBasis::Features { filter } => {
            let Some(preparation) = &preparations[made.kind.spec().weighting.index()] else {
                return found.fault(format!("{name} has no preparation of its features"));
            };
            let axes = axes(preparation.width())?;
            let shift = found.floats(&format!("{name}.shift"))?;
            found.check(&format!("{name}.shift"), shift.len(), axes.cols())?;
            PlacementBasis::Features { axes, shift, filter }
        }
        StoredBasis::Custom { preparation } => {
            let computed = component::computed_columns(made.kind, weighted);
            if !(made.kind.is_custom() || computed.is_some()) || !preparation.is_sound() {
                return found.fault(format!("the preparation of {name} is inconsistent"));
            }
            let columns = match computed {
                Some(columns) => columns,
                None => found.view::<4>(&format!("{name}.rows"), Dtype::F32, 2)?.0[1],
            };
            found.check(&format!("{name}.rows"), columns, preparation.columns)?;
            let axes = axes(preparation.width())?;
            let shift = found.floats(&format!("{name}.shift"))?;
            found.check(&format!("{name}.shift"), shift.len(), axes.cols())?;
            PlacementBasis::Custom { axes, shift, preparation }
        }
    };
    let scale = made.scaled_columns.then(|| found.floats(&format!("{name}.scale"))).transpose()?;
    let place = NodePlacement {
        kind: made.kind,
        basis,
        norm: Norm { scale, unit: made.unit_rows, shortest: made.shortest_row },
        both_roles,
    };
    if let Some(scale) = &place.norm.scale {
        found.check(&format!("{name}.scale"), scale.len(), place.cols())?;
    }
    Ok(place)
}

fn link_fit(
    found: &ArrayReader<'_>,
    places: Vec<NodePlacement>,
    head: LinkHead,
    weighted: bool,
    directed: bool,
) -> Result<LinkFit> {
    let mut embedded = Vec::with_capacity(places.len());
    for place in places {
        let name = format!("{}.compatibility", place.kind.name());
        let h = found.matrix(&name)?;
        found.check(&name, h.rows(), place.cols())?;
        found.check(&name, h.cols(), place.cols())?;
        embedded.push((place, h));
    }
    let x = if head.pairwise { Some(pairwise(found, weighted, directed)?) } else { None };
    let weights = found.floats("weights")?;
    let width =
        embedded.iter().map(|(place, _)| place.cols()).sum::<usize>() + x.as_ref().map_or(0, Pairwise::width);
    found.check("weights", weights.len(), width)?;
    let intercept = found.doubles("intercept")?;
    found.check("intercept", intercept.len(), 1)?;
    if !head.calibration.is_sound() {
        return found.fault("the calibration is not an increasing function");
    }
    if !head.ranking.as_ref().is_none_or(RankingChoice::is_sound) {
        return found.fault("the ranking is inconsistent");
    }
    let model = LinkModel { weights, intercept: intercept[0], directed: head.directed };
    Ok(LinkFit { embedded, x, model, calibration: head.calibration, ranking: head.ranking })
}

fn pairwise(found: &ArrayReader<'_>, weighted: bool, directed: bool) -> Result<Pairwise> {
    let columns = found.matrix("X.columns")?;
    found.check("X.columns", columns.rows(), pairwise::width(weighted, directed))?;
    found.check("X.columns", columns.cols(), 2)?;
    let (counts, knots) = (found.numbers("X.knots.counts")?, found.floats("X.knots")?);
    found.check("X.knots.counts", counts.len(), columns.rows())?;
    found.check("X.knots", knots.len(), counts.iter().map(|&count| count as usize).sum())?;
    let mut knots = knots.into_iter();
    let columns = (0..columns.rows())
        .map(|at| Column {
            mean: columns.row(at)[0],
            scale: columns.row(at)[1],
            knots: knots.by_ref().take(counts[at] as usize).collect(),
        })
        .collect();
    let mut x = Pairwise { columns, standard: Vec::new(), weights: found.floats("X.similarity")? };
    let standard = found.matrix("X.standard")?;
    found.check("X.standard", standard.rows(), x.width())?;
    found.check("X.standard", standard.cols(), 2)?;
    found.check("X.similarity", x.weights.len(), x.width())?;
    x.standard = (0..standard.rows()).map(|row| [standard.row(row)[0], standard.row(row)[1]]).collect();
    Ok(x)
}

fn node_fit(found: &ArrayReader<'_>, embedded: Vec<NodePlacement>, head: NodeHead) -> Result<NodeFit> {
    let (weights, intercepts) = (found.matrix("weights")?, found.doubles("intercept")?);
    let (fitted, outputs) = match (head.calibration, head.numbers, head.labels) {
        (Some(own), None, None) => (FittedTarget::Classes(own), head.classes.len()),
        (None, Some(own), None) => (FittedTarget::Numbers(own), 1),
        (None, None, Some(own)) => {
            let labels = own.names.len();
            (FittedTarget::Labels(own), labels)
        }
        _ => return found.fault("the target is neither classes nor numbers nor labels"),
    };
    found.check("weights", weights.rows(), outputs)?;
    found.check("weights", weights.cols(), embedded.iter().map(NodePlacement::cols).sum())?;
    found.check("intercept", intercepts.len(), outputs)?;
    if outputs == 0 {
        return found.fault("no classes");
    }
    let sound = match &fitted {
        FittedTarget::Classes(_) => true,
        FittedTarget::Numbers(own) => own.is_sound() && head.classes.is_empty(),
        FittedTarget::Labels(own) => own.temperature > 0.0 && head.classes.is_empty(),
    };
    if !sound {
        return found.fault("the calibration is inconsistent");
    }
    let outputs = (0..outputs).map(|at| (weights.row(at).to_vec(), intercepts[at])).collect();
    Ok(NodeFit { embedded, classes: head.classes, model: NodeModel { outputs }, fitted })
}

#[cfg(test)]
mod tests;
