//! npz files, in the layouts that graphs come in: ours and PyG-like keys, gnn-benchmark's, the heterophilous collection's.

use std::path::Path;

use super::super::npz::Npz;
use super::super::{Csr, Features, Graph, NodeId, Pair};
use super::list;
use crate::error::Result;
use crate::matrix::Matrix;

/// The npz layouts of `docs/formats.md`. Ours and PyG's names: `edge_index`, `num_nodes`, `x` or
/// `x_indptr`/`x_indices`/`x_data`/`x_shape`, `y`.
pub(super) fn from_npz(path: &Path, name: &str) -> Result<Graph> {
    let mut npz = Npz::open(path)?;
    if npz.has("adj_indptr") || npz.has("adj_matrix.indptr") {
        return from_shchur(&mut npz, name);
    }
    if npz.has("edges") && npz.has("node_features") {
        return from_heterophilous(&mut npz, name);
    }
    if !npz.has("edge_index") {
        let what = format!("no array `edge_index`; the file holds {}", list(&npz.names()));
        return Err(npz.error(what));
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
    let mut graph = Graph::from_edges(name, nodes, &edges)?;
    if npz.has("x_indptr") {
        graph = graph.with_features(Features::Sparse(npz_csr(&mut npz, "x_")?))?;
    } else if npz.has("x") {
        graph = graph.with_features(npz_dense(&mut npz, "x")?)?;
    }
    if npz.has("y") {
        graph = graph.with_labels(npz_labels(&mut npz, "y")?)?;
    }
    if npz.has("ids") {
        // Some other file's `ids` need not be ours.
        let ids =
            npz.array("ids").ok().and_then(|array| array.texts()).filter(|ids| ids.len() == graph.nodes());
        let distinct =
            |ids: &Vec<String>| ids.iter().collect::<std::collections::HashSet<_>>().len() == ids.len();
        if let Some(ids) = ids.filter(distinct) {
            graph = graph.with_ids(ids);
        }
    }
    if npz.has("truth") {
        // Some other file's `truth` is none of our business.
        let text = npz.array("truth").ok().and_then(|array| array.text());
        if let Some(truth) = text.and_then(|text| serde_json::from_str(&text).ok()) {
            graph = graph.with_truth(truth);
        }
    }
    Ok(graph)
}

/// gnn-benchmark's (Shchur et al. 2018): adjacency and attributes as sparse matrices.
fn from_shchur(npz: &mut Npz, name: &str) -> Result<Graph> {
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
        let own = NodeId::try_from(row).map_err(|_| npz.error("more nodes than 32 bits count"))?;
        edges.extend(adjacency.row(row).iter().map(|&other| [own, other]));
    }
    let mut graph = Graph::from_edges(name, adjacency.rows(), &edges)?;
    if npz.has(&format!("{attr}indptr")) {
        graph = graph.with_features(Features::Sparse(npz_csr(npz, &attr)?))?;
    } else if npz.has("attr_matrix") {
        graph = graph.with_features(npz_dense(npz, "attr_matrix")?)?;
    }
    if npz.has("labels") {
        graph = graph.with_labels(npz_labels(npz, "labels")?)?;
    }
    Ok(graph)
}

/// The heterophilous collection's (Platonov et al. 2023): every edge once.
fn from_heterophilous(npz: &mut Npz, name: &str) -> Result<Graph> {
    let edges = npz_pairs(npz, "edges")?;
    let features = npz_dense(npz, "node_features")?;
    let nodes = match &features {
        Features::Dense(x) => x.rows(),
        _ => 0,
    };
    let graph = Graph::from_edges(name, nodes, &edges)?.with_features(features)?;
    if npz.has("node_labels") { graph.with_labels(npz_labels(npz, "node_labels")?) } else { Ok(graph) }
}

fn npz_dense(npz: &mut Npz, name: &str) -> Result<Features> {
    let (shape, values) = npz.floats(name)?;
    let [rows, cols] = shape[..] else {
        return Err(npz.error(format!("`{name}` has shape {shape:?}; nodes × features was expected")));
    };
    Ok(Features::Dense(Matrix::from_vec(rows, cols, values)))
}

fn npz_labels(npz: &mut Npz, name: &str) -> Result<Vec<i32>> {
    let (_, values) = npz.integers(name)?;
    let labels: Option<Vec<i32>> = values.iter().map(|&v| i32::try_from(v).ok()).collect();
    labels.ok_or_else(|| npz.error(format!("`{name}` holds labels beyond 32 bits")))
}

/// A sparse matrix of four arrays whose names begin alike.
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
    let ids: Vec<u32> = values
        .iter()
        .map(|&v| u32::try_from(v))
        .collect::<std::result::Result<_, _>>()
        .map_err(|_| npz.error(format!("`{name}` holds a node id that is negative or beyond 32 bits")))?;
    match shape[..] {
        [2, m] => Ok((0..m).map(|at| [ids[at], ids[m + at]]).collect()),
        [_, 2] => Ok(ids.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect()),
        _ => Err(npz.error(format!("`{name}` has shape {shape:?}; 2 × edges was expected"))),
    }
}
