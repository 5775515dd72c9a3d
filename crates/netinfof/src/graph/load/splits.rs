//! Splits, pairs and nodes of the caller's own, by the graph's own ids: tables, npz, folders of the Open Graph Benchmark.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::super::npz::Npz;
use super::super::table::{Row, Table};
use super::super::{Graph, NodeId, Pair};
use super::arrays::npz_pairs;
use super::{list, ogb};
use crate::error::{Error, Result};
use crate::split::{LinkPairs, NodeSets, Pairs};

/// Files of a user's own link split.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct SplitFiles {
    /// Training edges.
    pub train: PathBuf,
    /// Validation pairs: edges, or pairs with a third column of 1 (edge) and 0 (no edge).
    pub valid: PathBuf,
    /// Test pairs, in the same form.
    pub test: PathBuf,
}

impl SplitFiles {
    /// Three pair files.
    pub fn new(train: impl Into<PathBuf>, valid: impl Into<PathBuf>, test: impl Into<PathBuf>) -> Self {
        SplitFiles { train: train.into(), valid: valid.into(), test: test.into() }
    }
}

/// Reads a user's own link split from pair files, by the graph's own ids.
pub fn link_split_files(files: &SplitFiles, graph: &Graph) -> Result<LinkPairs> {
    let train = pair_file(&files.train, graph)?;
    if !train.negatives.is_empty() {
        let what = format!("{} holds pairs labelled 0; training pairs are edges", files.train.display());
        return Err(Error::InvalidSplit { what });
    }
    Ok(LinkPairs {
        train: train.positives,
        valid: pair_file(&files.valid, graph)?,
        test: pair_file(&files.test, graph)?,
    })
}

/// Finds nodes by the graph's own ids.
fn by_id(graph: &Graph) -> impl Fn(&str) -> Option<NodeId> {
    let numbers: Option<HashMap<&str, u32>> =
        graph.ids().map(|ids| ids.iter().map(String::as_str).zip(0..).collect());
    move |cell| match &numbers {
        Some(numbers) => numbers.get(cell).copied(),
        None => cell.parse::<u32>().ok().filter(|&id| (id as usize) < graph.nodes()),
    }
}

/// Goes through a table whose first two columns are ids; `each` gets the pair and the row, and says what is wrong with it.
fn each_pair(
    path: &Path,
    graph: &Graph,
    mut each: impl FnMut(Pair, &Row) -> std::result::Result<(), String>,
) -> Result<()> {
    let number = by_id(graph);
    let mut rows = Table::open(path)?;
    // The first row may be a header, unless names are kept elsewhere.
    let mut first = !rows.is_named();
    let mut row = Row::default();
    while rows.read(&mut row)? {
        if row.len() < 2 {
            return Err(rows.error(row.line, "one column; a pair needs two ids"));
        }
        let ends = (number(&row.cell(0)), number(&row.cell(1)));
        let (Some(i), Some(j)) = ends else {
            // Names of columns are no numbers: those would be ids that are not there.
            let number = |at: usize| row.cell(at).parse::<f64>().is_ok();
            if std::mem::take(&mut first) && ends == (None, None) && !number(0) && !number(1) {
                continue;
            }
            let cell = row.cell(usize::from(ends.0.is_some()));
            return Err(rows.error(row.line, format!("`{cell}` is not a node of the graph")));
        };
        first = false;
        each([i, j], &row).map_err(|what| rows.error(row.line, what))?;
    }
    Ok(())
}

fn pair_file(path: &Path, graph: &Graph) -> Result<Pairs> {
    let mut pairs = Pairs::default();
    each_pair(path, graph, |pair, row| {
        if row.len() > 3 {
            return Err(format!("{} columns; a pair needs two or three", row.len()));
        }
        let label = if row.len() == 3 { row.cell(2) } else { "1".into() };
        match label.as_ref() {
            "1" => pairs.positives.push(pair),
            "0" => pairs.negatives.push(pair),
            other => return Err(format!("label `{other}`; 1 (edge) or 0 (no edge) was expected")),
        }
        Ok(())
    })?;
    Ok(pairs)
}

/// Reads pairs by the graph's own ids: the first two columns of a table; there may be more.
pub fn pairs(path: &Path, graph: &Graph) -> Result<Vec<Pair>> {
    let mut pairs = Vec::new();
    each_pair(path, graph, |pair, row| {
        if pair[0] == pair[1] {
            return Err(format!("`{}` with itself is no pair", row.cell(0)));
        }
        pairs.push(pair);
        Ok(())
    })?;
    Ok(pairs)
}

/// Nodes by the graph's own ids.
pub fn nodes_by_id<'a>(ids: impl Iterator<Item = &'a str>, graph: &Graph) -> Result<Vec<NodeId>> {
    let number = by_id(graph);
    ids.map(|id| {
        let last = graph.node_name(graph.nodes().max(1) - 1);
        let need = || format!("a node of the graph, such as `{last}`");
        number(id.trim()).ok_or_else(|| Error::param("node", format!("`{id}`"), need()))
    })
    .collect()
}

/// Reads a user's own link split from an npz file or a folder of the Open Graph Benchmark.
pub fn link_split(path: &Path, graph: &Graph) -> Result<LinkPairs> {
    if path.is_dir() { ogb::link_split(path, graph) } else { link_split_npz(path) }
}

/// Reads a user's own node split from the masks of an npz file or a folder of the Open Graph Benchmark.
pub fn node_split(path: &Path) -> Result<NodeSets> {
    if path.is_dir() { ogb::node_split(path) } else { node_split_npz(path) }
}

/// Reads a user's own node split from files of ids, one a line, by the graph's own ids.
pub fn node_split_files(files: &SplitFiles, graph: &Graph) -> Result<NodeSets> {
    let read = |path: &Path| -> Result<Vec<NodeId>> {
        let number = by_id(graph);
        let mut rows = Table::open(path)?;
        let mut nodes = Vec::new();
        // The first row may be a header, unless names are kept elsewhere.
        let mut first = !rows.is_named();
        let mut row = Row::default();
        while rows.read(&mut row)? {
            match number(&row.cell(0)) {
                Some(node) => nodes.push(node),
                None if first => {}
                None => {
                    return Err(rows.error(row.line, format!("`{}` is not a node of the graph", row.cell(0))));
                }
            }
            first = false;
        }
        Ok(nodes)
    };
    Ok(NodeSets { train: read(&files.train)?, valid: read(&files.valid)?, test: read(&files.test)? })
}

/// Reads a user's own node split from the masks of an npz file: `train_mask`, `val_mask` (or `valid_mask`), `test_mask`.
pub fn node_split_npz(path: &Path) -> Result<NodeSets> {
    let mut npz = Npz::open(path)?;
    let mut mask = |names: &[&str]| -> Result<Vec<NodeId>> {
        let Some(name) = names.iter().find(|name| npz.has(name)) else {
            let what = format!("no array `{}`; the file holds {}", names[0], list(&npz.names()));
            return Err(npz.error(what));
        };
        let (shape, values) = npz.integers(name)?;
        if shape.len() != 1 {
            return Err(npz.error(format!("`{name}` has shape {shape:?}; one entry a node was expected")));
        }
        Ok((0..).zip(values).filter(|&(_, inside)| inside != 0).map(|(node, _)| node).collect())
    };
    Ok(NodeSets {
        train: mask(&["train_mask"])?,
        valid: mask(&["val_mask", "valid_mask"])?,
        test: mask(&["test_mask"])?,
    })
}

/// Reads a user's own link split from an npz file.
///
/// Two layouts: `train_edges`, `valid_edges` + `y_valid`, `test_edges` + `y_test`; or, as OGB names them, `train_edge`,
/// `valid_edge`, `valid_edge_neg`, `test_edge`, `test_edge_neg`.
pub fn link_split_npz(path: &Path) -> Result<LinkPairs> {
    let mut npz = Npz::open(path)?;
    if npz.has("train_edge") {
        let mut pairs = |name: &str| npz_pairs(&mut npz, name);
        return Ok(LinkPairs {
            train: pairs("train_edge")?,
            valid: Pairs { positives: pairs("valid_edge")?, negatives: pairs("valid_edge_neg")? },
            test: Pairs { positives: pairs("test_edge")?, negatives: pairs("test_edge_neg")? },
        });
    }
    if !npz.has("train_edges") {
        let what = format!("no array `train_edges` or `train_edge`; the file holds {}", list(&npz.names()));
        return Err(npz.error(what));
    }
    let train = npz_pairs(&mut npz, "train_edges")?;
    let mut labelled = |edges: &str, labels: &str| -> Result<Pairs> {
        let pairs = npz_pairs(&mut npz, edges)?;
        let (_, labels_array) = npz.integers(labels)?;
        if labels_array.len() != pairs.len() {
            let what = format!("`{labels}` has {} entries for {} pairs", labels_array.len(), pairs.len());
            return Err(npz.error(what));
        }
        let of = |wanted: bool| {
            pairs.iter().zip(&labels_array).filter(|&(_, &y)| (y > 0) == wanted).map(|(&p, _)| p).collect()
        };
        Ok(Pairs { positives: of(true), negatives: of(false) })
    };
    Ok(LinkPairs {
        train,
        valid: labelled("valid_edges", "y_valid")?,
        test: labelled("test_edges", "y_test")?,
    })
}
