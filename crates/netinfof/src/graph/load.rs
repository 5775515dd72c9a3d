//! Files and folders to graphs. What they are is found from their content, not from their names, unless it is said.

mod geom_gcn;
mod market;
mod matlab;
mod numbered;
mod ogb;
mod planetoid;
mod torch;

use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::Read;
use std::path::{Path, PathBuf};

use super::npz::Npz;
use super::table::{Row, Table};
use super::{Csr, Features, Graph, NodeId, Pair, parquet, synth};
use crate::error::{Error, Result};
use crate::exec::Exec;
use crate::matrix::Matrix;
use crate::seed::Seed;
use crate::split::{LinkPairs, NodeSets, Pairs};

/// Where the parts of a graph are that the main file does not hold.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct LoadParams {
    /// Node table of an edge list: an id column, feature columns, perhaps a label column.
    pub nodes: Option<PathBuf>,
    /// Name of the label column of the node table; default `label`, `y` or `class`, where there is one.
    pub label: Option<String>,
    /// Names of the two id columns of an edge list; usual names are found, else they are the first two.
    pub ends: Option<[String; 2]>,
    /// What the source is; found from its content by default.
    pub format: Option<Format>,
}

/// What graphs are stored as (docs/formats.md).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// An edge list: CSV, TSV, spaces; SNAP's lists too.
    Edges,
    /// NumPy's npz: ours, PyG's names, gnn-benchmark's (Shchur), the heterophilous collection's.
    Npz,
    /// Planetoid's pickles, by `ind.NAME.graph`.
    Planetoid,
    /// A folder of Geom-GCN.
    GeomGcn,
    /// A MATLAB 5 file.
    Matlab,
    /// A folder of the Open Graph Benchmark.
    Ogb,
    /// MatrixMarket's coordinates.
    MatrixMarket,
    /// An edge table in Parquet.
    Parquet,
}

impl LoadParams {
    /// Sets the node table.
    #[must_use]
    pub fn nodes(mut self, path: impl Into<PathBuf>) -> Self {
        self.nodes = Some(path.into());
        self
    }

    /// Sets the label column.
    #[must_use]
    pub fn label(mut self, name: impl Into<String>) -> Self {
        self.label = Some(name.into());
        self
    }
}

/// Reads a graph from a file or folder, or generates one where `source` is `synth:NAME`.
pub fn graph(source: &str, params: &LoadParams, seed: Seed, exec: &Exec) -> Result<Graph> {
    if let Some(name) = source.strip_prefix("synth:") {
        return synth::named(name, seed, exec);
    }
    let path = Path::new(source);
    let name = path.file_name().map_or(source.into(), |name| {
        let name = name.to_string_lossy();
        name.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or(&name).to_string()
    });
    let (format, path) = found(path, params.format)?;
    if params.nodes.is_some() && !matches!(format, Format::Edges | Format::Parquet) {
        let need = "an edge list as GRAPH; other formats hold their own features";
        return Err(Error::param("nodes", "a node table", need));
    }
    let path = &path;
    let graph = match format {
        Format::Edges | Format::Parquet => from_edge_list(path, &name, params, exec)?,
        Format::Npz => from_npz(path, &name)?,
        Format::Planetoid => planetoid::graph(path)?,
        Format::GeomGcn => geom_gcn::graph(path, &name)?,
        Format::Matlab => matlab::graph(path, &name)?,
        Format::Ogb => ogb::graph(path, &name, exec)?,
        Format::MatrixMarket => market::graph(path, &name, exec)?,
    };
    if graph.nodes() == 0 || graph.edge_count() == 0 {
        return Err(Error::Unsuitable {
            stage: "load",
            why: format!("{source} has {} nodes and no edges", graph.nodes()),
        });
    }
    if graph.self_loops() > 0 {
        exec.notice(format!("{} self loops dropped", graph.self_loops()));
    }
    Ok(graph)
}

/// What a source is, and the file or folder to read.
fn found(path: &Path, asked: Option<Format>) -> Result<(Format, PathBuf)> {
    let metadata = std::fs::metadata(path).map_err(|e| Error::io(path, e))?;
    if metadata.is_dir() {
        return folder(path, asked);
    }
    if let Some(format) = asked {
        if format == Format::Parquet && !parquet::is(path)? {
            let what = "not a Parquet file; those begin and end with PAR1".into();
            return Err(Error::Format { path: path.into(), what });
        }
        return Ok((format, path.into()));
    }
    let pickled = path.file_name().is_some_and(|name| {
        let name = name.to_string_lossy();
        name.starts_with("ind.") && name.ends_with(".graph")
    });
    let mut start = Vec::new();
    File::open(path).and_then(|f| f.take(64).read_to_end(&mut start)).map_err(|e| Error::io(path, e))?;
    let format = if pickled {
        Format::Planetoid
    } else if start.starts_with(b"PK") {
        Format::Npz
    } else if parquet::is(path)? {
        Format::Parquet
    } else if start.starts_with(b"MATLAB 5.0") {
        Format::Matlab
    } else if start.starts_with(b"\x89HDF") || start.starts_with(b"MATLAB 7.3") {
        return Err(Error::Format {
            path: path.into(),
            what: "HDF5 (MATLAB 7.3); save it with -v7, or as npz".into(),
        });
    } else if Table::open(path)?.begins_with(market::BANNER)? {
        Format::MatrixMarket
    } else {
        Format::Edges
    };
    Ok((format, path.into()))
}

fn folder(path: &Path, asked: Option<Format>) -> Result<(Format, PathBuf)> {
    let is = |format: Format| asked.is_none_or(|asked| asked == format);
    if is(Format::Ogb) && ogb::raw(path).is_some() {
        return Ok((Format::Ogb, path.into()));
    }
    if is(Format::GeomGcn) && path.join(geom_gcn::EDGES).is_file() {
        return Ok((Format::GeomGcn, path.into()));
    }
    let mut graphs: Vec<PathBuf> = std::fs::read_dir(path)
        .map_err(|e| Error::io(path, e))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|file| file.file_name().is_some_and(|n| n.to_string_lossy().starts_with("ind.")))
        .filter(|file| file.extension().is_some_and(|e| e == "graph"))
        .collect();
    graphs.sort();
    match (graphs.len(), is(Format::Planetoid)) {
        (1, true) => Ok((Format::Planetoid, graphs.remove(0))),
        (2.., true) => {
            let names: Vec<String> = graphs.iter().map(|file| file.display().to_string()).collect();
            Err(Error::Format { path: path.into(), what: format!("holds several graphs; name one of {}", list(&names)) })
        }
        _ => Err(Error::Format {
            path: path.into(),
            what: "is a folder; a graph file was expected, or a folder of OGB (raw/edge.csv.gz), Geom-GCN (out1_graph_edges.txt) or Planetoid (ind.NAME.graph)".into(),
        }),
    }
}

/// An edge of node numbers below `nodes`.
fn node_pair(rows: &Table, row: &Row, nodes: usize) -> Result<Pair> {
    let end = |at: usize| -> Result<NodeId> {
        let cell = row.cell(at);
        let number = cell.parse::<NodeId>().ok().filter(|&node| (node as usize) < nodes);
        number.ok_or_else(|| rows.error(row.line, format!("`{cell}` is no node number below {nodes}")))
    };
    Ok([end(0)?, end(1)?])
}

/// The npz layouts of `docs/formats.md`. Ours and PyG's names: `edge_index`, `num_nodes`, `x` or
/// `x_indptr`/`x_indices`/`x_data`/`x_shape`, `y`.
fn from_npz(path: &Path, name: &str) -> Result<Graph> {
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
fn npz_pairs(npz: &mut Npz, name: &str) -> Result<Vec<Pair>> {
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

const WEIGHTS: &str = "columns after the second ignored (edges have no weights here)";

/// Reads an edge list: two id columns first, more columns ignored with a notice.
fn from_edge_list(path: &Path, name: &str, params: &LoadParams, exec: &Exec) -> Result<Graph> {
    // A list that can be read only once, such as a pipe, cannot be read twice.
    let again = std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file());
    if params.nodes.is_none()
        && params.ends.is_none()
        && again
        && let Some(found) = numbered::read(path, name, exec)?
    {
        if found.more_columns {
            exec.notice(format!("{name}: {WEIGHTS}"));
        }
        return Ok(found.graph);
    }
    from_named_list(path, name, params, exec)
}

/// The same for ids of any kind.
fn from_named_list(path: &Path, name: &str, params: &LoadParams, exec: &Exec) -> Result<Graph> {
    let mut ids = Ids::default();
    let table = params.nodes.as_deref().map(|path| node_table(path, params, &mut ids)).transpose()?;
    let known = ids.names.len();
    let mut edges: Vec<Pair> = Vec::new();
    let mut first_unknown = Vec::new();
    let mut rows = Table::open(path)?;
    let (width, header) = rows.header(|first, second| params.ends.is_some() || is_header(first, second))?;
    if width == 0 {
        return Err(Error::Format { path: path.into(), what: "empty; one edge a line was expected".into() });
    }
    if width < 2 {
        let what = "1 column; an edge needs two ids";
        return Err(match rows.next_row()? {
            Some(row) if !rows.is_named() => rows.error(row.line, what),
            _ => Error::Format { path: path.into(), what: what.into() },
        });
    }
    if width > 2 {
        exec.notice(format!("{name}: {WEIGHTS}"));
    }
    let columns = end_columns(header.as_deref(), params, path)?;
    rows.only(&columns)?;
    let mut row = Row::default();
    while rows.read(&mut row)? {
        if edges.len().is_multiple_of(1 << 20) {
            exec.check()?;
        }
        let mut edge = [0; 2];
        for (end, cell) in edge.iter_mut().zip(columns.map(|column| row.cell(column))) {
            if cell.is_empty() {
                return Err(rows.error(row.line, "an empty id"));
            }
            let before = ids.names.len();
            *end = ids.number(&cell)?;
            // Each is named where it first stands.
            if table.is_some() && ids.names.len() > before && first_unknown.len() < 3 {
                first_unknown.push(format!("`{cell}` ({})", rows.place(row.line)));
            }
        }
        edges.push(edge);
    }
    if edges.is_empty() {
        return Err(Error::Format { path: path.into(), what: "a header but no edges".into() });
    }
    if table.is_some() && ids.names.len() > known {
        let what = format!(
            "{} ids of {} are not in the node table, such as {}",
            ids.names.len() - known,
            path.display(),
            first_unknown.join(", ")
        );
        return Err(Error::InvalidGraph { what });
    }
    if table.is_none() {
        ids.sort_numeric(&mut edges);
    }
    let names = ids.into_names();
    let mut graph = numbered::joined(name, names.len(), edges, exec)?;
    if let Some(table) = table {
        let isolated: Vec<usize> = (0..graph.nodes()).filter(|&node| graph.degree(node) == 0).collect();
        let some: Vec<String> = isolated.iter().take(3).map(|&node| format!("`{}`", names[node])).collect();
        let such = if some.is_empty() { String::new() } else { format!(", such as {}", some.join(", ")) };
        exec.notice(format!(
            "{known} nodes in the node table, {} of them without an edge{such}; all {} ids of the edges are among them",
            isolated.len(),
            known - isolated.len()
        ));
        graph = graph.with_features(table.features)?.with_labels(table.labels)?;
        graph = graph.with_class_names(table.classes);
    }
    Ok(graph.with_ids(names))
}

/// Which columns hold the two ends of an edge.
fn end_columns(header: Option<&[String]>, params: &LoadParams, path: &Path) -> Result<[usize; 2]> {
    match (&params.ends, header) {
        (Some(ends), header) => named_columns(ends, header.unwrap_or(&[]), path),
        (None, Some(header)) => Ok(usual_columns(header).unwrap_or([0, 1])),
        (None, None) => Ok([0, 1]),
    }
}

struct NodeTable {
    features: Features,
    labels: Vec<i32>,
    /// What the labels are called, where they are no numbers.
    classes: Option<Vec<String>>,
}

fn node_table(path: &Path, params: &LoadParams, ids: &mut Ids) -> Result<NodeTable> {
    let mut rows = Table::open(path)?;
    let empty = || Error::Format { path: path.into(), what: "empty; one node a line was expected".into() };
    let (width, header) = rows.header(|first, second| params.label.is_some() || is_header(first, second))?;
    if width == 0 {
        return Err(empty());
    }
    let column = |wanted: &[&str]| {
        header
            .as_ref()
            .and_then(|names| names.iter().position(|n| wanted.contains(&n.to_lowercase().as_str())))
    };
    let id_column = column(&["id", "node", "node_id", "nodeid", "name"]).unwrap_or(0);
    let label_column = match &params.label {
        Some(name) => {
            Some(header.as_ref().and_then(|names| names.iter().position(|n| n == name)).ok_or_else(|| {
                let have = header.as_ref().map_or(String::new(), |names| list(names));
                Error::param("label", name, format!("a column of {}: {have}", path.display()))
            })?)
        }
        None => column(&["label", "y", "class", "target"]),
    };
    let names = header.unwrap_or_else(|| (1..=width).map(|c| format!("column {c}")).collect());
    rows.only(&(0..width).collect::<Vec<_>>())?;
    let feature_columns: Vec<usize> =
        (0..width).filter(|&c| c != id_column && Some(c) != label_column).collect();
    let mut values = Vec::new();
    let mut labels: Vec<String> = Vec::new();
    let mut row = Row::default();
    while rows.read(&mut row)? {
        let before = ids.names.len();
        let id = row.cell(id_column);
        if id.is_empty() {
            return Err(rows.error(row.line, "an empty id"));
        }
        let node = ids.number(&id)?;
        if (node as usize) < before {
            return Err(rows.error(row.line, format!("id `{id}` stands twice in the node table")));
        }
        for &c in &feature_columns {
            let Some(value) = row.number(c) else {
                let what = format!("column `{}`: `{}` is not a finite number", names[c], row.cell(c));
                return Err(rows.error(row.line, what));
            };
            values.push(value);
        }
        labels.push(label_column.map_or(String::new(), |c| row.cell(c).into_owned()));
    }
    if labels.is_empty() {
        return Err(empty());
    }
    let features = Matrix::from_vec(labels.len(), feature_columns.len(), values);
    let (labels, classes) = number_labels(&labels);
    Ok(NodeTable { features: sparse_where_sparse(features), labels, classes })
}

/// Text tables cannot say that they are sparse; most bag-of-words tables are.
fn sparse_where_sparse(dense: Matrix) -> Features {
    let nonzero = dense.as_slice().iter().filter(|&&v| v != 0.0).count();
    if nonzero * 10 > dense.as_slice().len() {
        return Features::Dense(dense);
    }
    Features::Sparse(Csr::from_dense(&dense))
}

/// Classes in ascending order of their names (as numbers where all are); empty, `nan` and −1 mean unknown. With the names, unless they
/// are the numbers themselves.
fn number_labels(labels: &[String]) -> (Vec<i32>, Option<Vec<String>>) {
    let known = |label: &str| !(label.is_empty() || label == "-1" || label.eq_ignore_ascii_case("nan"));
    let mut names: Vec<&String> = labels.iter().filter(|label| known(label)).collect();
    names.sort_unstable();
    names.dedup();
    if names.iter().all(|name| name.parse::<i64>().is_ok()) {
        names.sort_by_key(|name| name.parse::<i64>().expect("checked"));
    }
    let number: HashMap<&str, i32> =
        names.iter().zip(0..).map(|(name, number)| (name.as_str(), number)).collect();
    let plain = (0..).zip(&names).all(|(number, name): (i32, _)| **name == number.to_string());
    let classes = (!plain).then(|| names.iter().map(|name| (*name).clone()).collect());
    (labels.iter().map(|label| number.get(label.as_str()).copied().unwrap_or(-1)).collect(), classes)
}

/// Names of nodes in order of first appearance. Each is kept once; a table of their numbers, open at its ends, finds them.
#[derive(Default)]
struct Ids {
    names: Vec<String>,
    /// Numbers of names, plus one, at or after the place that their hash gives; 0 where there is none. A power of two long.
    slots: Vec<u32>,
    hasher: RandomState,
}

impl Ids {
    fn number(&mut self, name: &str) -> Result<u32> {
        // At most half full, so that runs stay short.
        if 2 * self.names.len() >= self.slots.len() {
            self.slots = vec![0; (2 * self.slots.len()).max(1024)];
            for (at, name) in self.names.iter().enumerate() {
                let slot = self.slot(name);
                self.slots[slot] = at as u32 + 1;
            }
        }
        let slot = self.slot(name);
        if self.slots[slot] > 0 {
            return Ok(self.slots[slot] - 1);
        }
        let number = u32::try_from(self.names.len())
            .ok()
            .filter(|&number| number < u32::MAX)
            .ok_or_else(|| Error::InvalidGraph { what: format!("more than {} different ids", u32::MAX) })?;
        self.names.push(name.into());
        self.slots[slot] = number + 1;
        Ok(number)
    }

    /// Where a name is, or would go.
    fn slot(&self, name: &str) -> usize {
        let mask = self.slots.len() - 1;
        let mut slot = self.hasher.hash_one(name) as usize & mask;
        while self.slots[slot] > 0 && self.names[self.slots[slot] as usize - 1] != name {
            slot = (slot + 1) & mask;
        }
        slot
    }

    fn into_names(self) -> Vec<String> {
        self.names
    }

    /// Where all names are whole numbers, nodes go in their order: then ids 0, 1, … are the rows people expect.
    fn sort_numeric(&mut self, edges: &mut [Pair]) {
        let Some(values) =
            self.names.iter().map(|name| name.parse::<i128>().ok()).collect::<Option<Vec<_>>>()
        else {
            return;
        };
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by_key(|&at| values[at]);
        let mut rank = vec![0u32; order.len()];
        for (new, &old) in order.iter().enumerate() {
            rank[old] = u32::try_from(new).expect("as many as before");
        }
        for edge in edges {
            *edge = edge.map(|end| rank[end as usize]);
        }
        self.names = order.iter().map(|&old| std::mem::take(&mut self.names[old])).collect();
    }
}

/// Usual names of the two id columns of an edge list.
const ENDS: [[&str; 2]; 8] = [
    ["source", "target"],
    ["src", "dst"],
    ["from", "to"],
    ["fromnodeid", "tonodeid"],
    ["u", "v"],
    ["node1", "node2"],
    ["id1", "id2"],
    ["head", "tail"],
];

/// The places of usual names in a header.
fn usual_columns(header: &[String]) -> Option<[usize; 2]> {
    let place = |wanted: &str| header.iter().position(|name| name.to_lowercase() == wanted);
    ENDS.iter().find_map(|[a, b]| Some([place(a)?, place(b)?]))
}

/// The places of the names asked for.
fn named_columns(ends: &[String; 2], header: &[String], path: &Path) -> Result<[usize; 2]> {
    let place = |name: &String| {
        let found = header.iter().position(|own| own == name);
        found.ok_or_else(|| {
            Error::param("ends", name, format!("two columns of {}: {}", path.display(), list(header)))
        })
    };
    Ok([place(&ends[0])?, place(&ends[1])?])
}

/// Whether the first row holds names of columns: usual names, or words above numbers.
fn is_header(first: &Row, second: Option<&Row>) -> bool {
    const USUAL: [&str; 22] = [
        "source",
        "target",
        "src",
        "dst",
        "from",
        "to",
        "u",
        "v",
        "node1",
        "node2",
        "id1",
        "id2",
        "node_1",
        "node_2",
        "id",
        "node",
        "node_id",
        "head",
        "tail",
        "fromnodeid",
        "tonodeid",
        "label",
    ];
    let numeric = |row: &Row| row.cells().any(|cell| cell.parse::<f64>().is_ok());
    let usual = |cell: Cow<'_, str>| USUAL.contains(&cell.to_lowercase().as_str());
    let all_usual = first.len() >= 2 && first.cells().take(2).all(usual);
    let names: Vec<String> = first.cells().map(Cow::into_owned).collect();
    all_usual || usual_columns(&names).is_some() || (!numeric(first) && second.is_some_and(numeric))
}

fn list(names: &[String]) -> String {
    if names.is_empty() {
        return "nothing".into();
    }
    let shown: Vec<String> = names.iter().take(12).map(|name| format!("`{name}`")).collect();
    shown.join(", ") + if names.len() > 12 { ", …" } else { "" }
}

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

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use crate::seed::Stream;

    /// Lists of numbers give the same graph to both readers, however they are written.
    #[test]
    fn numbers_and_names_agree() {
        let exec = Exec::new(2).unwrap();
        let folder = std::env::temp_dir().join(format!("netinfof-lists-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let mut draw = Seed(3).stream(Stream::Synth, 0);
        for (case, (delimiter, head, ending, weight, gap)) in [
            (" ", "# a comment\n", "\n", "", 1),
            (",", "source,target\n", "\r\n", "", 1),
            ("\t", "", "\n", "\t0.5", 3),
            ("  ", "\n\n", "\n", " w x", 7),
            (";", "from;to;since\n", "\n\n", ";2020", 1),
        ]
        .into_iter()
        .enumerate()
        {
            let mut text = head.to_string();
            for _ in 0..40_000 {
                let [i, j] = [draw.below(5000) * gap, draw.below(5000) * gap];
                let _ = write!(text, "{i}{delimiter}{j}{weight}{ending}");
            }
            // The last line may end with the file.
            let _ = write!(text, "0{delimiter}1{weight}");
            let path = folder.join(format!("{case}.txt"));
            std::fs::write(&path, text).unwrap();
            let fast = numbered::read(&path, "g", &exec).unwrap().expect("plain numbers").graph;
            let slow = from_named_list(&path, "g", &LoadParams::default(), &exec).unwrap();
            assert_eq!(fast.adjacency(), slow.adjacency(), "case {case}");
            assert_eq!((fast.self_loops(), fast.duplicates()), (slow.self_loops(), slow.duplicates()));
            let names: Vec<String> = (0..fast.nodes()).map(|node| node.to_string()).collect();
            assert_eq!(fast.ids().unwrap_or(&names), slow.ids().unwrap(), "case {case}");
        }
        // What is not plain is left to the general reader.
        for (case, text) in [
            "a b\nb c\n",
            "1 2\n2 x\n",
            "1,2\n1,2,3\n",
            "01 2\n2 3\n",
            "1 2\n-1 3\n",
            "1,\"2\"\n",
            "1 99999999999\n",
            "1 4000000000\n",
            "1\n2\n",
            "1\t2\n1\t\t2\n",
            "",
            "\u{feff}1 2\n",
            "1 2 a\n3 4\n",
            "1.5 2\n",
        ]
        .into_iter()
        .enumerate()
        {
            let path = folder.join(format!("odd{case}.txt"));
            std::fs::write(&path, text).unwrap();
            assert!(numbered::read(&path, "g", &exec).unwrap().is_none(), "{text:?}");
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
