//! Folders of the Open Graph Benchmark: `raw/` with gzipped tables or one npz, and `split/NAME/` with gzipped
//! ids or Torch's pickles.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::arrays::{npz_dense, npz_pairs, unused};
use super::{Npz, Table, node_pair, numbered, torch};
use netinfof::Exec;
use netinfof::Matrix;
use netinfof::graph::{Features, Graph, NodeId, Pair, ordered};
use netinfof::{Error, Result};
use netinfof::{LinkPairs, NodeSets, Pairs};

/// The folder of the tables, if this is a folder of OGB.
pub(super) fn raw(folder: &Path) -> Option<PathBuf> {
    let has = |raw: &Path| raw.join("edge.csv.gz").is_file() || raw.join("data.npz").is_file();
    [folder.join("raw"), folder.to_path_buf()].into_iter().find(|raw| has(raw))
}

/// The graph of this folder.
pub(super) fn graph(folder: &Path, name: &str, exec: &Exec) -> Result<Graph> {
    let raw = raw(folder).ok_or_else(|| Error::Format {
        path: folder.into(),
        what: "no raw/edge.csv.gz and no raw/data.npz".into(),
    })?;
    let mut graph =
        if raw.join("data.npz").is_file() { binary(&raw, name, exec)? } else { tables(&raw, name, exec)? };
    let labels = raw.join("node-label.csv.gz");
    if labels.is_file() {
        graph = graph.with_labels(label_column(&labels, exec)?)?;
    } else if raw.join("node-label.npz").is_file() {
        let mut npz = Npz::open(&raw.join("node-label.npz"))?;
        let (_, values) = npz.floats("node_label")?;
        graph = graph.with_labels(values.iter().map(|&v| class(f64::from(v))).collect())?;
    }
    Ok(graph)
}

/// A label as a class; NaN means unknown.
fn class(value: f64) -> i32 {
    if value.is_nan() || value < 0.0 { -1 } else { value as i32 }
}

fn tables(raw: &Path, name: &str, exec: &Exec) -> Result<Graph> {
    let nodes = single(&raw.join("num-node-list.csv.gz"))?;
    let graph = match numbered::read_below(nodes, &raw.join("edge.csv.gz"), name, exec)? {
        Some(graph) => graph,
        // Reports what is wrong, and where.
        None => edge_by_edge(&raw.join("edge.csv.gz"), name, nodes, exec)?,
    };
    let mut files: Vec<String> = std::fs::read_dir(raw)
        .map_err(|e| Error::io(raw, e))?
        .filter_map(|entry| {
            Some(entry.ok()?.file_name().to_string_lossy().strip_suffix(".csv.gz")?.to_string())
        })
        .collect();
    files.sort_unstable();
    unused(
        &files,
        &["edge", "num-node-list", "num-edge-list", "node-feat", "node-label"],
        name,
        &super::LoadParams::default(),
        exec,
    );
    let features = raw.join("node-feat.csv.gz");
    if !features.is_file() {
        return Ok(graph);
    }
    let mut rows = Table::open(&features)?;
    let mut values = Vec::new();
    let (mut count, mut width) = (0, 0);
    while let Some(row) = rows.next_row()? {
        for at in 0..row.len() {
            let value = row.number(at);
            let what = || rows.error(row.line, format!("`{}` is not a finite number", row.cell(at)));
            values.push(value.ok_or_else(what)?);
        }
        (count, width) = (count + 1, row.len());
        exec.check()?;
    }
    graph.with_features(Features::from_dense(Matrix::from_vec(count, width, values)))
}

fn edge_by_edge(path: &Path, name: &str, nodes: usize, exec: &Exec) -> Result<Graph> {
    let mut rows = Table::open(path)?;
    let mut edges = Vec::new();
    while let Some(row) = rows.next_row()? {
        edges.push(node_pair(&rows, &row, nodes)?);
        exec.check()?;
    }
    Graph::from_edges(name, nodes, &edges)
}

fn binary(raw: &Path, name: &str, exec: &Exec) -> Result<Graph> {
    let mut npz = Npz::open(&raw.join("data.npz"))?;
    let edges = npz_pairs(&mut npz, "edge_index")?;
    let (_, nodes) = npz.integers("num_nodes_list")?;
    let nodes = match nodes[..] {
        [n] => usize::try_from(n).map_err(|_| npz.error(format!("`num_nodes_list` is {n}")))?,
        _ => return Err(npz.error(format!("{} graphs; one was expected", nodes.len()))),
    };
    unused(
        &npz.names(),
        &["edge_index", "num_nodes_list", "num_edges_list", "node_feat"],
        name,
        &super::LoadParams::default(),
        exec,
    );
    let mut graph = Graph::from_edges(name, nodes, &edges)?;
    if npz.has("node_feat") {
        graph = graph.with_features(npz_dense(&mut npz, "node_feat", exec)?)?;
    }
    Ok(graph)
}

/// The single number in a file.
fn single(path: &Path) -> Result<usize> {
    let mut rows = Table::open(path)?;
    let row = rows.next_row()?;
    let value = row.as_ref().and_then(|row| row.cell(0).parse().ok());
    match (value, rows.next_row()?) {
        (Some(value), None) => Ok(value),
        (_, Some(row)) => Err(rows.error(row.line, "a second graph; one was expected")),
        (None, None) => Err(rows.error(1, "the number of nodes was expected")),
    }
}

fn label_column(path: &Path, exec: &Exec) -> Result<Vec<i32>> {
    let mut rows = Table::open(path)?;
    let mut labels = Vec::new();
    let mut more = false;
    while let Some(row) = rows.next_row()? {
        let value: f64 = row
            .cell(0)
            .parse()
            .map_err(|_| rows.error(row.line, format!("label `{}` is not a number", row.cell(0))))?;
        labels.push(class(value));
        more |= row.len() > 1;
    }
    if more {
        exec.notice(format!("{}: labels after the first column ignored", path.display()));
    }
    Ok(labels)
}

/// The link split of this folder. If training edges have no file, they are the edges of the graph without the
/// others.
pub(super) fn link_split(folder: &Path, graph: &Graph) -> Result<LinkPairs> {
    let folder = split_folder(folder)?;
    let part = |name: &str| torch::pairs(&folder.join(name));
    let pairs = |(positives, negatives)| Pairs { positives, negatives };
    let (valid, test) = (pairs(part("valid.pt")?), pairs(part("test.pt")?));
    let train = if folder.join("train.pt").is_file() {
        part("train.pt")?.0
    } else {
        let held: HashSet<Pair> =
            valid.positives.iter().chain(&test.positives).map(|&pair| ordered(pair)).collect();
        graph.edges().into_iter().filter(|edge| !held.contains(edge)).collect()
    };
    Ok(LinkPairs { train, valid, test })
}

/// The node split of this folder.
pub(super) fn node_split(folder: &Path) -> Result<NodeSets> {
    let folder = split_folder(folder)?;
    let part = |name: &str| ids(&folder.join(name));
    Ok(NodeSets { train: part("train.csv.gz")?, valid: part("valid.csv.gz")?, test: part("test.csv.gz")? })
}

/// The folder of the split: the only folder in `split/`, or this one.
fn split_folder(folder: &Path) -> Result<PathBuf> {
    let inside = folder.join("split");
    if !inside.is_dir() {
        return Ok(folder.to_path_buf());
    }
    let mut found: Vec<PathBuf> = std::fs::read_dir(&inside)
        .map_err(|e| Error::io(&inside, e))?
        .filter_map(|entry| Some(entry.ok()?.path()).filter(|path| path.is_dir()))
        .collect();
    found.sort();
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => Err(Error::Format { path: inside, what: "contains no split".into() }),
        _ => {
            let names: Vec<String> = found.iter().map(|path| path.display().to_string()).collect();
            Err(Error::Format {
                path: inside,
                what: format!("contains several splits; name one of {}", names.join(", ")),
            })
        }
    }
}

/// Ids of one part of a node split.
fn ids(path: &Path) -> Result<Vec<NodeId>> {
    let mut rows = Table::open(path)?;
    let mut ids = Vec::new();
    while let Some(row) = rows.next_row()? {
        ids.push(
            row.cell(0)
                .parse()
                .map_err(|_| rows.error(row.line, format!("`{}` is not a node number", row.cell(0))))?,
        );
    }
    Ok(ids)
}
