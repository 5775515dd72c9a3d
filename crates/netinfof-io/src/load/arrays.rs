//! Graphs in npz files: our layout and PyG-like keys, gnn-benchmark, the heterophilous collection.

use std::path::Path;

use super::layout::plain;
use super::times::{self, is_time_name};
use super::{LoadParams, list, targets, weights};
use crate::frame::{is_chosen, sentinels};
use crate::npz::{COMPONENT, Npz, QUALIFIED, ROLES, WEIGHT_TRANSFORM};
use crate::zipped::is_content;
use netinfof::Exec;
use netinfof::Matrix;
use netinfof::graph::{Dropped, FeatureColumn, FeatureKind, Schema, Sides, TargetKind};
use netinfof::{Csr, Features, Graph, NodeId, Pair};
use netinfof::{Error, Result};

/// The npz layouts of `docs/formats.md`. Our layout and PyG's names: `edge_index`, `num_nodes`, `x` or
/// `x_indptr`/`x_indices`/`x_data`/`x_shape`, `y`.
pub(super) fn from_npz(path: &Path, name: &str, params: &LoadParams, exec: &Exec) -> Result<Graph> {
    let graph = read(path, name, params, exec)?;
    let (drop, only) = (&params.columns.drop, &params.columns.features);
    if drop.is_empty() && only.is_empty() { Ok(graph) } else { with_columns(graph, drop, only) }
}

/// The graph with the chosen feature columns.
fn with_columns(graph: Graph, drop: &[String], only: &[String]) -> Result<Graph> {
    let mut schema = graph.schema().cloned().unwrap_or_else(|| Schema::new("npz"));
    let have: Vec<String> = schema.columns.iter().map(|column| column.name.clone()).collect();
    for (option, patterns) in [("drop", drop), ("features", only)] {
        let known =
            |pattern: &&String| have.iter().any(|name| is_chosen(std::slice::from_ref(*pattern), name));
        if let Some(unknown) = patterns.iter().find(|pattern| !known(pattern)) {
            let need = if have.is_empty() {
                "a file with names of features (`feature_names`)".into()
            } else {
                format!("a feature of the file: {}", list(&have))
            };
            return Err(Error::param(option, unknown, need));
        }
    }
    let why = |name: &str| {
        if is_chosen(drop, name) {
            return Some("as asked");
        }
        (!only.is_empty() && !is_chosen(only, name)).then_some("not among the chosen features")
    };
    let mut places = Vec::with_capacity(have.len());
    let mut columns = Vec::new();
    for column in std::mem::take(&mut schema.columns) {
        if let Some(why) = why(&column.name) {
            schema.dropped.push(Dropped::new(&column.name, why));
            places.push(None);
        } else {
            places.push(Some(columns.len() as u32));
            columns.push(column);
        }
    }
    let features = match graph.features() {
        Features::None => Features::None,
        Features::Dense(x) => {
            let kept: Vec<usize> = (0..places.len()).filter(|&at| places[at].is_some()).collect();
            Features::from_dense(Matrix::from_fn(x.rows(), kept.len(), |row, col| x.row(row)[kept[col]]))
        }
        Features::Sparse(x) => {
            let row = |row: usize| {
                let values = x.row_values(row);
                let kept = x.row(row).iter().enumerate().filter_map(|(at, &col)| {
                    Some((places[col as usize]?, values.map_or(1.0, |values| values[at])))
                });
                kept.unzip()
            };
            Features::Sparse(Csr::from_rows(columns.len(), (0..x.rows()).map(row)))
        }
    };
    schema.columns = columns;
    Ok(graph.with_features(features)?.with_schema(schema))
}

fn read(path: &Path, name: &str, params: &LoadParams, exec: &Exec) -> Result<Graph> {
    let mut npz = Npz::open(path)?;
    if npz.has("adj_indptr") || npz.has("adj_matrix.indptr") {
        return from_shchur(&mut npz, name, params, exec);
    }
    if npz.has("edges") && npz.has("node_features") {
        weights::none_in(params, "this layout of npz")?;
        weights::undirected(params, "this layout of npz")?;
        return from_heterophilous(&mut npz, name, params, exec);
    }
    if npz.names().is_empty() {
        return Err(npz.error(no_npz(&npz.entries())));
    }
    if ["indptr", "indices", "data", "shape"].iter().all(|part| npz.has(part)) {
        return from_scipy(&mut npz, name, params, exec);
    }
    if !npz.has("edge_index") {
        let what = format!("no array `edge_index`; the file holds {}", list(&npz.names()));
        let objects: Vec<String> = npz.names().into_iter().filter(|name| npz.is_pickled(name)).collect();
        let pickled = if objects.is_empty() {
            String::new()
        } else {
            format!("; pickled Python objects, which are never read, are in {}", list(&objects))
        };
        return Err(npz.error(what + &pickled));
    }
    let edges = npz_pairs(&mut npz, "edge_index")?;
    let nodes = if npz.has("num_nodes") {
        let (_, values) = npz.integers("num_nodes")?;
        match values[..] {
            [n] => usize::try_from(n).map_err(|_| npz.error(format!("`num_nodes` is {n}")))?,
            _ => return Err(npz.error("`num_nodes` must be a single number")),
        }
    } else {
        edges.iter().flatten().max().map_or(0, |&top| top as usize + 1)
    };
    let own_weights = own_weights(&mut npz, params);
    let params = own_weights.as_ref().unwrap_or(params);
    let listed = npz_weights(&mut npz, &edges, params)?;
    let other = npz_directed(&mut npz, listed.as_ref(), params)?;
    let listing = match &listed {
        Some(own) => own.edges.as_ref().unwrap_or(&edges),
        None => other.as_ref().unwrap_or(&edges),
    };
    // The graph of roles of a saved directed graph has the direction from source to target.
    if !params.directed
        && let Some(share) = weights::reciprocal(listing)
    {
        exec.notice(format!(
            "{name}: {:.0} % of the directed edges have their reverse: the graph is treated as undirected{}",
            100.0 * share,
            weights::OFFER
        ));
    }
    let mut graph = Graph::from_edges(name, nodes, listing)?;
    let mut schema = Schema::new("npz");
    if let Some(time) = &params.time {
        graph = times::of_npz(&mut npz, time, &edges, graph, &mut schema)?;
    }
    let unit = params.time.as_ref().map(|time| format!("{time}_unit"));
    let target = targets::of_npz(&mut npz, params.target)?;
    let mut used =
        vec!["edge_index", "num_nodes", "ids", "truth", "side", "side_names", "num_users", "num_items"];
    used.push(target.map_or("y", |(array, _)| array));
    used.extend(target.filter(|(_, kind)| *kind == TargetKind::Labels).map(|_| targets::LABEL_NAMES));
    let columns = feature_columns(&mut npz);
    let class_names = texts(&mut npz, "class_names");
    used.extend(columns.as_ref().map(|_| "feature_names"));
    used.extend(columns.as_ref().filter(|_| npz.has("feature_columns")).map(|_| "feature_columns"));
    used.extend(class_names.as_ref().map(|_| "class_names"));
    if npz.has("x_indptr") {
        graph = graph.with_features(Features::Sparse(npz_csr(&mut npz, "x_")?))?;
        used.extend(["x_indptr", "x_indices", "x_data", "x_shape"]);
    } else if npz.has("x") {
        graph = graph.with_features(npz_dense(&mut npz, "x", exec)?)?;
        used.push("x");
    }
    used.extend(params.time.as_deref().into_iter().chain(unit.as_deref()));
    let own: Vec<String> = npz.names().into_iter().filter(|name| name.starts_with(COMPONENT)).collect();
    used.extend(own.iter().map(String::as_str));
    if params.directed || listed.is_some() {
        let own = listed.as_ref().map(|own| (own.values.clone(), own.array.as_str()));
        graph = weights::of_edges(graph, listing.clone(), own, params, exec)?;
        used.extend(listed.iter().flat_map(|own| [own.array.as_str(), WEIGHT_TRANSFORM]));
        used.extend(other.as_ref().map(|_| DIRECTED_EDGES));
    }
    unused(&npz.names(), &used, name, params, exec);
    for array in &own {
        let (shape, values) = npz.floats(array)?;
        let [rows, cols] = shape[..] else {
            return Err(npz.error(format!("array `{array}` must have one row of numbers per node")));
        };
        graph = graph.with_component(&array[COMPONENT.len()..], Matrix::from_vec(rows, cols, values))?;
    }
    if let Some((array, kind)) = target {
        graph = targets::put_npz(&mut npz, array, kind, graph)?;
    } else if npz.has("y") {
        graph = graph.with_labels(npz_labels(&mut npz, "y")?)?;
        let names = class_names.filter(|names| names.len() >= graph.classes());
        graph = graph.with_class_names(names);
    }
    for (array, kind) in [(targets::NUMBERS, "numbers"), (targets::LABELS, "labels")] {
        if target.is_none_or(|(own, _)| own != array) && npz.has(array) {
            exec.notice(format!("{name}: `{array}` is another target; choose it as `target` {kind}"));
        }
    }
    schema.ends = vec!["edge_index".into()];
    schema.weight = listed.as_ref().map(|own| own.array.clone());
    schema.label = graph.target_kind().map(|_| target.map_or("y", |(array, _)| array).into());
    schema.columns = columns.filter(|columns| columns.len() == graph.features().cols()).unwrap_or_default();
    schema.dropped = dropped(&npz.names(), &used);
    graph = graph.with_schema(schema);
    let objects: Vec<String> = npz.names().into_iter().filter(|name| npz.is_pickled(name)).collect();
    if !objects.is_empty() {
        exec.notice(format!(
            "{name}: pickled Python objects, which are never read, are in {}; save names as texts, as `.astype(str)` gives them",
            list(&objects)
        ));
    }
    if npz.has("ids") {
        // Arrays named `ids` in files of other programs may have another meaning.
        let ids =
            npz.array("ids").ok().and_then(|array| array.texts()).filter(|ids| ids.len() == graph.nodes());
        let distinct =
            |ids: &Vec<String>| ids.iter().collect::<std::collections::HashSet<_>>().len() == ids.len();
        match ids.filter(distinct) {
            Some(ids) => graph = graph.with_ids(ids),
            None => exec.notice(format!(
                "{name}: `ids` is not used: {} different texts were expected",
                graph.nodes()
            )),
        }
    }
    if let Some(sides) = npz_sides(&mut npz, graph.nodes())? {
        graph = graph.with_sides(sides)?;
    }
    if npz.has("truth") {
        // Arrays named `truth` in files of other programs are ignored.
        let text = npz.array("truth").ok().and_then(|array| array.text());
        if let Some(truth) = text.and_then(|text| serde_json::from_str(&text).ok()) {
            graph = graph.with_truth(truth);
        }
    }
    Ok(graph)
}

/// Weights of edges in an npz file.
struct NpzWeights {
    /// The array that holds them.
    array: String,
    values: Vec<f32>,
    /// Their edges, if those are not in `edge_index`.
    edges: Option<Vec<Pair>>,
}

/// In files of this program: weights are used as the graph used them that was saved.
fn own_weights(npz: &mut Npz, params: &LoadParams) -> Option<LoadParams> {
    if params.weight.is_some() || !(npz.has(WEIGHT_TRANSFORM) && npz.has("edge_weight")) {
        return None;
    }
    let text = npz.array(WEIGHT_TRANSFORM).ok()?.text()?;
    let weight_transform = serde_json::from_value(text.into()).ok()?;
    Some(LoadParams { weight: Some("edge_weight".into()), weight_transform, ..params.clone() })
}

/// Array of directed edges beside `edge_index`, which then lists each edge in both directions.
const DIRECTED_EDGES: &str = "edge_index_directed";

/// The directed edges beside `edge_index`, if directions are asked for and the weights are not those of other edges.
fn npz_directed(
    npz: &mut Npz,
    weights: Option<&NpzWeights>,
    params: &LoadParams,
) -> Result<Option<Vec<Pair>>> {
    let wanted = params.directed && weights.is_none() && npz.has(DIRECTED_EDGES);
    wanted.then(|| npz_pairs(npz, DIRECTED_EDGES)).transpose()
}

/// The weights that are asked for: one number per edge of `edge_index`, or of the directed edges beside it.
fn npz_weights(npz: &mut Npz, edges: &[Pair], params: &LoadParams) -> Result<Option<NpzWeights>> {
    let Some(array) = params.weight.clone() else { return Ok(None) };
    if !npz.has(&array) {
        let need = format!("an array with one number per edge; the file holds {}", list(&npz.names()));
        return Err(netinfof::Error::param("weight", array, need));
    }
    let (shape, values) = npz.floats(&array)?;
    if !matches!(shape[..], [_] | [_, 1]) {
        return Err(npz.error(format!("`{array}` has shape {shape:?}; one weight per edge was expected")));
    }
    if values.len() == edges.len() {
        return Ok(Some(NpzWeights { array, values, edges: None }));
    }
    if npz.has(DIRECTED_EDGES) {
        let directed = npz_pairs(npz, DIRECTED_EDGES)?;
        if directed.len() == values.len() {
            return Ok(Some(NpzWeights { array, values, edges: Some(directed) }));
        }
    }
    let what = format!("`{array}` has {} weights, but `edge_index` has {} edges", values.len(), edges.len());
    Err(npz.error(what))
}

/// The sides of a bipartite graph: `side` (0 or 1 per node) and `side_names` as this program writes them, or
/// `num_users` and `num_items`, where items follow users.
fn npz_sides(npz: &mut Npz, nodes: usize) -> Result<Option<Sides>> {
    if npz.has("side") {
        let (_, values) = npz.integers("side")?;
        if values.len() != nodes || values.iter().any(|value| ![0, 1].contains(value)) {
            let what = format!(
                "`side` has {} entries; a 0 or 1 for each of {nodes} nodes was expected",
                values.len()
            );
            return Err(npz.error(what));
        }
        let mut sides = Sides::new(values.iter().map(|&value| value == 1).collect());
        let names = if npz.has("side_names") { npz.array("side_names")?.texts() } else { None };
        if let Some([first, second, rest @ ..]) = names.as_deref() {
            let qualified = rest.first().is_some_and(|mark| mark == QUALIFIED);
            sides = sides.named([first.clone(), second.clone()]).with_qualified_ids(qualified);
            if rest.iter().any(|mark| mark == ROLES) {
                let of_roles = sides.of_roles();
                sides = of_roles.ok_or_else(|| npz.error("`side` is not that of a directed graph"))?;
            }
        }
        return Ok(Some(sides));
    }
    if !(npz.has("num_users") && npz.has("num_items")) {
        return Ok(None);
    }
    let mut count = |name: &str| -> Result<Option<usize>> {
        Ok(npz.integers(name)?.1.first().and_then(|&value| usize::try_from(value).ok()))
    };
    let (users, items) = (count("num_users")?, count("num_items")?);
    match users.zip(items) {
        Some((users, items)) if users.checked_add(items) == Some(nodes) => {
            Ok(Some(Sides::new((0..nodes).map(|node| node >= users).collect())))
        }
        _ => Err(npz.error(format!("`num_users` and `num_items` do not add up to {nodes} nodes"))),
    }
}

/// Arrays of a split, which is read from the same file if requested.
const SPLIT: [&str; 15] = [
    "train_mask",
    "val_mask",
    "valid_mask",
    "test_mask",
    "train_edges",
    "valid_edges",
    "test_edges",
    "y_valid",
    "y_test",
    "train_edge",
    "valid_edge",
    "valid_edge_neg",
    "test_edge",
    "test_edge_neg",
    "train_edge_neg",
];

/// Arrays that are not used.
fn dropped(names: &[String], used: &[&str]) -> Vec<Dropped> {
    let is_used = |name: &&String| used.contains(&name.as_str()) || SPLIT.contains(&name.as_str());
    names.iter().filter(|name| !is_used(name)).map(|name| Dropped::new(name, "not part of a graph")).collect()
}

/// An array of texts, if there is one of this name.
fn texts(npz: &mut Npz, name: &str) -> Option<Vec<String>> {
    if npz.has(name) { npz.array(name).ok()?.texts() } else { None }
}

/// The names of the feature columns, with their kinds if the file has them.
fn feature_columns(npz: &mut Npz) -> Option<Vec<FeatureColumn>> {
    let names = texts(npz, "feature_names")?;
    let kinds = npz.has("feature_columns").then(|| npz.array("feature_columns").ok()?.text()).flatten();
    let columns: Option<Vec<FeatureColumn>> = kinds.and_then(|json| serde_json::from_str(&json).ok());
    let agree = |columns: &Vec<FeatureColumn>| columns.iter().map(|column| &column.name).eq(&names);
    let plain = || names.iter().map(|name| FeatureColumn::new(name, FeatureKind::Number)).collect();
    Some(columns.filter(agree).unwrap_or_else(plain))
}

/// Issues a notice with the names of unused parts of a file; information about edges in them is lost.
pub(super) fn unused(names: &[String], used: &[&str], graph: &str, params: &LoadParams, exec: &Exec) {
    let is_used = |name: &String| used.contains(&name.as_str()) || SPLIT.contains(&name.as_str());
    let rest: Vec<String> = names.iter().filter(|name| !is_used(name)).cloned().collect();
    if rest.is_empty() {
        return;
    }
    let edges =
        rest.iter().any(|name| name.contains("edge") || name.contains("weight") || name == "directed");
    let reason = || weights::unused_reason(params, rest.iter().map(String::as_str));
    let offer = if rest.iter().any(|name| name == DIRECTED_EDGES) { weights::OFFER } else { "" };
    let edges = if edges { format!(": {}{offer}", reason()) } else { String::new() };
    let time = rest.iter().find(|name| is_time_name(&plain(name)));
    let time = time.map_or(String::new(), |name| format!("; give `{name}` as `time` for a split by time"));
    let verb = if rest.len() == 1 { "is" } else { "are" };
    exec.notice(format!("{graph}: {} {verb} in the file and not used{edges}{time}", list(&rest)));
}

/// Names numbers in features that may stand for missing values: an array is used as it is.
pub(super) fn notice_codes(graph: &Graph, exec: &Exec) {
    const MOST_COLUMNS: usize = 256;
    let Features::Dense(x) = graph.features() else { return };
    if x.cols() > MOST_COLUMNS {
        return;
    }
    let of = |col: usize| {
        let values: Vec<f64> = (0..x.rows()).map(|row| f64::from(x.row(row)[col])).collect();
        sentinels(&values).first().copied()
    };
    let found = exec.map_blocks(x.cols(), 1, |range| of(range.start));
    let count = found.iter().flatten().count();
    if let Some((col, own)) = found.into_iter().enumerate().find_map(|(col, own)| Some((col, own?))) {
        let more = if count > 1 { format!(", and numbers in {} more", count - 1) } else { String::new() };
        exec.notice(format!(
            "features: {} in {} of {} rows of column {} may stand for missing values{more}; they are used as numbers: write NaN if they do",
            own.value,
            own.rows,
            x.rows(),
            col + 1
        ));
    }
}

/// Description of a zip file without arrays, and the next step.
fn no_npz(entries: &[String]) -> String {
    let has = |part: &str| entries.iter().any(|name| name.ends_with(part));
    if has("xl/workbook.xml") {
        "looks like an Excel workbook, not an npz; save the sheet of edges as CSV".into()
    } else if has("data.pkl") {
        "looks like a Torch file, not an npz; save the edges with np.savez(FILE, edge_index=…)".into()
    } else if entries.is_empty() {
        "looks like an empty zip archive".into()
    } else {
        let content: Vec<String> = entries.iter().filter(|name| is_content(name)).cloned().collect();
        let files = if content.is_empty() { entries } else { &content };
        format!("looks like a zip archive, not an npz; unpack it and give a file of {}", list(files))
    }
}

/// gnn-benchmark's (Shchur et al. 2018): adjacency and attributes as sparse matrices.
fn from_shchur(npz: &mut Npz, name: &str, params: &LoadParams, exec: &Exec) -> Result<Graph> {
    let prefix = |kind: &str| {
        if npz.has(&format!("{kind}_indptr")) { format!("{kind}_") } else { format!("{kind}_matrix.") }
    };
    let (adj, attr) = (prefix("adj"), prefix("attr"));
    let adjacency = npz_csr(npz, &adj)?;
    if adjacency.rows() != adjacency.cols() {
        return Err(npz.error(format!(
            "the adjacency matrix is {} × {}, not square",
            adjacency.rows(),
            adjacency.cols()
        )));
    }
    let mut edges = Vec::with_capacity(adjacency.nnz());
    for row in 0..adjacency.rows() {
        let own = NodeId::try_from(row).map_err(|_| npz.error("more nodes than 32-bit ids allow"))?;
        edges.extend(adjacency.row(row).iter().map(|&other| [own, other]));
    }
    let data = format!("{adj}data");
    let weighted = weights::of_matrix(params, &[&data])?;
    if !weighted && adjacency.values().is_some_and(|values| values.iter().any(|&value| value != 1.0)) {
        let reason = weights::unused_reason(params, []);
        exec.notice(format!("{name}: the values of `{data}` are not used: {reason}"));
    }
    let mut graph = Graph::from_edges(name, adjacency.rows(), &edges)?;
    let values = adjacency.values().filter(|_| weighted).map(|values| (values.to_vec(), data.as_str()));
    graph = weights::of_edges(graph, edges, values, params, exec)?;
    if weighted {
        graph = graph.with_schema(weights::noted(Schema::new("npz"), &data));
    }
    let parts = |prefix: &str| ["indptr", "indices", "data", "shape"].map(|part| format!("{prefix}{part}"));
    let used: Vec<String> = [parts(&adj), parts(&attr)].concat();
    let used = used.iter().map(String::as_str).chain(["labels", "attr_matrix"]).collect::<Vec<_>>();
    unused(&npz.names(), &used, name, params, exec);
    if npz.has(&format!("{attr}indptr")) {
        graph = graph.with_features(Features::Sparse(npz_csr(npz, &attr)?))?;
    } else if npz.has("attr_matrix") {
        graph = graph.with_features(npz_dense(npz, "attr_matrix", exec)?)?;
    }
    if npz.has("labels") {
        graph = graph.with_labels(npz_labels(npz, "labels")?)?;
    }
    Ok(graph)
}

/// A sparse adjacency matrix as SciPy's `save_npz` writes it, by rows or by columns.
fn from_scipy(npz: &mut Npz, name: &str, params: &LoadParams, exec: &Exec) -> Result<Graph> {
    let (_, shape) = npz.integers("shape")?;
    let [rows, cols] = shape[..] else { return Err(npz.error("`shape` must hold two numbers")) };
    if rows != cols {
        return Err(npz.error(format!(
            "a sparse matrix of {rows} × {cols}, not square; an adjacency matrix was expected"
        )));
    }
    let adjacency = npz_csr(npz, "")?;
    let mut edges = Vec::with_capacity(adjacency.nnz());
    let used = weights::of_matrix(params, &["data"])?;
    let mut listed = Vec::new();
    let (mut weighted, mut both_ways) = (false, true);
    for row in 0..adjacency.rows() {
        let own = NodeId::try_from(row).map_err(|_| npz.error("more nodes than 32-bit ids allow"))?;
        let values = adjacency.row_values(row);
        for (at, &other) in adjacency.row(row).iter().enumerate() {
            let value = values.map_or(1.0, |values| values[at]);
            if value != 0.0 {
                edges.push([own, other]);
                listed.push(value);
                weighted |= value != 1.0;
            }
        }
    }
    let mut graph = Graph::from_edges(name, adjacency.rows(), &edges)?;
    both_ways &= 2 * graph.edge_count() + graph.self_loops() == edges.len();
    let lost: Vec<&str> = [(weighted && !used, "values"), (!both_ways && !params.directed, "directions")]
        .into_iter()
        .filter(|(lost, _)| *lost)
        .map(|(_, what)| what)
        .collect();
    if !lost.is_empty() {
        let reason = weights::unused_reason(params, []);
        let offer = if lost.contains(&"directions") { weights::OFFER } else { "" };
        exec.notice(format!(
            "{name}: {} of the sparse matrix are not used: {reason}{offer}",
            lost.join(" and ")
        ));
    }
    let mut schema = Schema::new("a sparse adjacency matrix of SciPy");
    graph = weights::of_edges(graph, edges, used.then_some((listed, "data")), params, exec)?;
    schema.weight = used.then(|| "data".into());
    schema.ends = vec!["indices".into()];
    Ok(graph.with_schema(schema))
}

/// The heterophilous collection's (Platonov et al. 2023): every edge once.
fn from_heterophilous(npz: &mut Npz, name: &str, params: &LoadParams, exec: &Exec) -> Result<Graph> {
    let edges = npz_pairs(npz, "edges")?;
    unused(&npz.names(), &["edges", "node_features", "node_labels"], name, params, exec);
    let features = npz_dense(npz, "node_features", exec)?;
    let nodes = match &features {
        Features::Dense(x) => x.rows(),
        _ => 0,
    };
    let graph = Graph::from_edges(name, nodes, &edges)?.with_features(features)?;
    if npz.has("node_labels") { graph.with_labels(npz_labels(npz, "node_labels")?) } else { Ok(graph) }
}

pub(super) fn npz_dense(npz: &mut Npz, name: &str, exec: &Exec) -> Result<Features> {
    let array = npz.array(name)?;
    let values = array.floats().ok_or_else(|| npz.error(format!("array `{name}` must hold numbers")))?;
    let shape = &array.shape;
    let [rows, cols] = shape[..] else {
        return Err(npz.error(format!("`{name}` has shape {shape:?}; nodes × features was expected")));
    };
    if let Some(value) = array.first_rounded() {
        exec.notice(format!(
            "`{name}`: features have single precision, so {value} becomes {}; subtract or divide by a constant",
            value as f32
        ));
    }
    Ok(Features::Dense(Matrix::from_vec(rows, cols, values)))
}

fn npz_labels(npz: &mut Npz, name: &str) -> Result<Vec<i32>> {
    let (_, values) = npz.integers(name)?;
    let labels: Option<Vec<i32>> = values.iter().map(|&v| i32::try_from(v).ok()).collect();
    labels.ok_or_else(|| npz.error(format!("`{name}` holds labels that do not fit in 32 bits")))
}

/// A sparse matrix of four arrays with a common prefix.
fn npz_csr(npz: &mut Npz, prefix: &str) -> Result<Csr> {
    let name = |part: &str| format!("{prefix}{part}");
    let (_, shape) = npz.integers(&name("shape"))?;
    let [rows, cols] = shape[..] else {
        return Err(npz.error(format!("`{}` must hold two numbers", name("shape"))));
    };
    let (_, indptr) = npz.integers(&name("indptr"))?;
    let (_, indices) = npz.integers(&name("indices"))?;
    let (_, values) = npz.floats(&name("data"))?;
    if i64::try_from(indptr.len()).ok() != rows.checked_add(1) {
        return Err(npz.error(format!("`{}` has {} entries for {rows} rows", name("indptr"), indptr.len())));
    }
    let cols =
        usize::try_from(cols).map_err(|_| npz.error(format!("`{}` has {cols} columns", name("shape"))))?;
    let indptr: Option<Vec<usize>> = indptr.iter().map(|&v| usize::try_from(v).ok()).collect();
    let indices: Option<Vec<u32>> = indices.iter().map(|&v| u32::try_from(v).ok()).collect();
    match (indptr, indices) {
        (Some(indptr), Some(indices)) => Csr::new(cols, indptr, indices, Some(values)),
        _ => Err(npz.error(format!("`{}` and `{}` must not be negative", name("indptr"), name("indices")))),
    }
}

/// Pairs stored as 2 × m or m × 2.
pub(super) fn npz_pairs(npz: &mut Npz, name: &str) -> Result<Vec<Pair>> {
    let (shape, values) = npz.integers(name)?;
    let ids: Vec<u32> =
        values.iter().map(|&v| u32::try_from(v)).collect::<std::result::Result<_, _>>().map_err(|_| {
            npz.error(format!("`{name}` holds a node id that is negative or does not fit in 32 bits"))
        })?;
    match shape[..] {
        [2, m] => Ok((0..m).map(|at| [ids[at], ids[m + at]]).collect()),
        [_, 2] => Ok(ids.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect()),
        _ => Err(npz.error(format!("`{name}` has shape {shape:?}; 2 × edges was expected"))),
    }
}
