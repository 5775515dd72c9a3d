//! Reading of graphs from files and folders. The format is detected from the content, not from the name,
//! unless it is given.

mod arrays;
mod classes;
mod component;
mod context;
mod dense;
mod edges;
mod feature_lists;
mod geom_gcn;
mod gml;
mod graphml;
mod ids;
mod layout;
mod market;
mod matlab;
mod neighbours;
mod network;
mod node_link;
mod nodes;
mod numbered;
mod ogb;
mod pajek;
mod parts;
mod planetoid;
mod splits;
mod targets;
mod times;
mod torch;
mod two_sides;
mod weights;
mod xml;

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use crate::frame::ColumnChoices;
use crate::npz::Npz;
use crate::parquet;
use crate::row::Row;
use crate::table::{Table, is_json, is_json_features, start_of};
use crate::zipped;
use netinfof::Exec;
use netinfof::Seed;
use netinfof::graph::{Schema, TargetKind, WeightTransform};
use netinfof::params::CustomName;
use netinfof::synth;
use netinfof::{Error, Result};
use netinfof::{Graph, NodeId, Pair};

pub use component::component;
pub use splits::{
    SplitFiles, link_split, link_split_files, link_split_npz, node_split, node_split_files, node_split_npz,
    nodes_by_id, pairs,
};
pub(crate) use times::{DATES, EDGE_TIME, EDGE_TIME_UNIT};
pub use two_sides::{are_sides, sides_of_columns};

use arrays::from_npz;
use edges::from_edge_list;
use parts::Input;

/// Locations of the parts of a graph that the main file does not contain.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct LoadParams {
    /// Node tables of an edge list, joined by id: an id column, feature columns, optionally a label column; or
    /// lists of features in JSON.
    pub nodes: Vec<PathBuf>,
    /// Name or number of the id column of the node table; by default a common name, or the first column.
    pub id: Option<String>,
    /// Name or number of the label column of the node table; default `label`, `y`, `class` or `target`, if there is
    /// one. Several, separated by commas, are one label each, with cells 0 and 1.
    pub label: Option<String>,
    /// The kind of the target; by default detected: a column with many different numbers is numeric.
    pub target: Option<TargetKind>,
    /// A file of communities: one label per line, given by the ids of its nodes.
    pub communities: Option<PathBuf>,
    /// Names or numbers of the two id columns of an edge list; by default common names, or the first two
    /// columns.
    pub ends: Option<[String; 2]>,
    /// Name or number of the column of an edge list, or name of the array of an npz file, that holds the times of
    /// the edges: link prediction is then split by time.
    pub time: Option<String>,
    /// Whether the first line of every text table names its columns; by default detected.
    pub header: Option<bool>,
    /// Which columns of a node table become features, and how.
    pub columns: ColumnChoices,
    /// The format of the source; by default detected from the content.
    pub format: Option<Format>,
    /// User-supplied components: the name and the file of each ([`component()`]).
    pub components: Vec<(String, PathBuf)>,
    /// Whether the graph is bipartite: `Some(true)` if the two id columns of an edge list hold different nodes
    /// even where ids are equal; in other formats the sides come from the file or the structure. By default
    /// column names such as `user` and `item`, or the structure, decide.
    pub bipartite: Option<bool>,
    /// Where the weights of the edges are: the name or number of a column, an attribute of edges, or an array. By
    /// default edges have no weights.
    pub weight: Option<String>,
    /// Whether edges have directions, which are used (default: no).
    pub directed: bool,
    /// Files of edges of other relations, which are structure and are not predicted. The names of their two columns
    /// say which nodes they hold.
    pub context: Vec<PathBuf>,
    /// How weights are transformed (default `ln(1 + w / median)`).
    pub weight_transform: WeightTransform,
}

/// File formats of graphs (docs/formats.md).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// An edge list: CSV, TSV or separated by spaces, including SNAP's lists.
    Edges,
    /// NumPy's npz: our layout, PyG's names, gnn-benchmark (Shchur), the heterophilous collection.
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
    /// A node and its neighbours per line.
    Neighbours,
    /// A dense adjacency matrix as text.
    AdjacencyMatrix,
    /// Lists of nodes and links in JSON.
    NodeLink,
    /// GraphML.
    GraphMl,
    /// GML.
    Gml,
    /// A Pajek network.
    Pajek,
}

impl Format {
    /// The format as part of a sentence.
    fn noun(self) -> &'static str {
        match self {
            Format::Edges => "an edge list",
            Format::Npz => "npz",
            Format::Planetoid => "Planetoid's files",
            Format::GeomGcn => "a folder of Geom-GCN",
            Format::Matlab => "a MATLAB file",
            Format::Ogb => "a folder of OGB",
            Format::MatrixMarket => "MatrixMarket",
            Format::Parquet => "Parquet",
            Format::Neighbours => "lists of neighbours",
            Format::AdjacencyMatrix => "an adjacency matrix",
            Format::NodeLink => "node-link JSON",
            Format::GraphMl => "GraphML",
            Format::Gml => "GML",
            Format::Pajek => "a Pajek network",
        }
    }
}

impl LoadParams {
    /// Adds a node table.
    #[must_use]
    pub fn nodes(mut self, path: impl Into<PathBuf>) -> Self {
        self.nodes.push(path.into());
        self
    }

    /// Sets the label column.
    #[must_use]
    pub fn label(mut self, name: impl Into<String>) -> Self {
        self.label = Some(name.into());
        self
    }
}

/// The positions of the columns with known names: the two ends of an edge, ids of nodes, and classes.
pub fn known_columns(names: &[String]) -> (Option<[usize; 2]>, Option<usize>, Option<usize>) {
    (layout::known_ends(names), layout::id_column(names), layout::label_column(names))
}

/// Reads a graph from a file or folder, or generates one if `source` is `synth:NAME`.
pub fn graph(source: &str, params: &LoadParams, seed: Seed, exec: &Exec) -> Result<Graph> {
    for (option, asked) in [("directed", params.directed), ("time", params.time.is_some())] {
        if let Some(path) = params.context.first().filter(|_| asked) {
            let need = format!(
                "no context of a graph that is read with `{option}`: its edges have no directions and no times"
            );
            return Err(Error::param("context", path.display(), need));
        }
    }
    let mut graph = without_components(source, params, seed, exec)?;
    if graph.schema().is_some_and(|schema| schema.format == "npz") {
        arrays::notice_codes(&graph, exec);
    }
    if let (Some(time), None) = (&params.time, graph.times()) {
        let format = graph.schema().map_or("a generated graph", |schema| &schema.format);
        let need = format!(
            "an edge list with a column of times, or an npz file with such an array; {source} is {format}"
        );
        return Err(Error::param("time", time, need));
    }
    if let Some(path) = &params.communities {
        graph = targets::put_communities(path, graph, exec)?;
    }
    if let Some(wanted) = params.target.filter(|wanted| graph.target_kind().is_some_and(|own| own != *wanted))
    {
        let own = graph.target_kind().map_or("none", TargetKind::name);
        let need = format!(
            "the kind of the graph's target, {own}; only tables, npz files and communities have others"
        );
        return Err(Error::param("target", wanted.name(), need));
    }
    for (name, path) in &params.components {
        // A bad name is reported before a large file is read.
        CustomName::new(name)?;
        let rows = component(path, &graph, exec)?;
        graph = graph.with_component(name, rows)?;
    }
    let graph = context::put_on(graph, &params.context, exec)?;
    if params.directed { weights::in_roles(graph, source, exec) } else { Ok(graph) }
}

fn without_components(source: &str, params: &LoadParams, seed: Seed, exec: &Exec) -> Result<Graph> {
    if let Some(name) = source.strip_prefix("synth:") {
        check_applicable(None, params)?;
        weights::none_in(params, "a generated graph")?;
        weights::undirected(params, "a generated graph")?;
        return with_stated_sides(synth::named(name, seed, exec)?, params);
    }
    // Formats are detected by reading the beginning, and tables are read twice, so streams become files first.
    let tables: Vec<Input> = params.nodes.iter().map(|path| Input::of(path)).collect::<Result<_>>()?;
    let copied;
    let params = if tables.iter().any(Input::is_copy) {
        let nodes = tables.iter().map(|table| table.path().into()).collect();
        copied = LoadParams { nodes, ..params.clone() };
        &copied
    } else {
        params
    };
    let renamed =
        |input: &Input, error| tables.iter().fold(input.renamed(error), |error, table| table.renamed(error));
    if source == parts::STANDARD_INPUT {
        let input = Input::standard(params)?;
        return from_path(input.path(), "input", params, exec).map_err(|error| renamed(&input, error));
    }
    let input = Input::of(Path::new(source))?;
    let path = Path::new(source);
    let name = path.file_name().map_or(source.into(), |name| {
        let name = name.to_string_lossy();
        name.split('.').next().filter(|stem| !stem.is_empty()).unwrap_or(&name).to_string()
    });
    from_path(input.path(), &name, params, exec).map_err(|error| renamed(&input, error))
}

/// Reads a file, a folder, or the parts of a table.
fn from_path(path: &Path, name: &str, params: &LoadParams, exec: &Exec) -> Result<Graph> {
    let source = path.display();
    let asked =
        params.ends.is_some() || params.time.is_some() || params.header.is_some() || !params.nodes.is_empty();
    let (format, path) = if parts::is(path)? {
        (Format::Parquet, path.to_path_buf())
    } else {
        found(path, params.format, asked)?
    };
    check_applicable(Some(format), params)?;
    let path = &path;
    if matches!(
        format,
        Format::Planetoid | Format::GeomGcn | Format::Matlab | Format::Ogb | Format::Neighbours
    ) {
        weights::none_in(params, format.noun())?;
        weights::undirected(params, format.noun())?;
    }
    let graph = match format {
        Format::Edges | Format::Parquet => from_edge_list(path, name, params, exec)?,
        Format::Npz => from_npz(path, name, params, exec)?,
        Format::Planetoid => planetoid::graph(path)?,
        Format::GeomGcn => geom_gcn::graph(path, name)?,
        Format::Matlab => matlab::graph(path, name, exec)?,
        Format::Ogb => ogb::graph(path, name, exec)?,
        Format::MatrixMarket => market::graph(path, name, params, exec)?,
        Format::Neighbours => neighbours::graph(path, name, params.format.is_some(), params, exec)?,
        Format::AdjacencyMatrix => dense::graph(path, name, params, exec)?,
        Format::NodeLink => node_link::graph(path, name, params, exec)?,
        Format::GraphMl => graphml::graph(path, name, params, exec)?,
        Format::Gml => gml::graph(path, name, params, exec)?,
        Format::Pajek => pajek::graph(path, name, params, exec)?,
    };
    let graph = if graph.schema().is_none() { graph.with_schema(Schema::new(format.noun())) } else { graph };
    if graph.nodes() == 0 || graph.edge_count() == 0 {
        return Err(Error::Unsuitable {
            stage: "load",
            why: format!("{source} has {} nodes and no edges", graph.nodes()),
        });
    }
    let graph = with_stated_sides(graph, params)?;
    if graph.self_loops() > 0 {
        let loops = graph.self_loops();
        exec.notice(format!("{loops} self {} dropped", if loops == 1 { "loop" } else { "loops" }));
    }
    Ok(graph)
}

/// The format of a source, and the file or folder to read.
/// With `table`, options that only tables have were given.
fn found(path: &Path, asked: Option<Format>, table: bool) -> Result<(Format, PathBuf)> {
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
    } else if zipped::table_in(path)?.is_some() {
        // A table in a zip is read as the table.
        return Ok((of_text(path, table)?, path.into()));
    } else if start.starts_with(b"PK\x03\x04") || start.starts_with(b"PK\x05\x06") {
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
    } else {
        of_text(path, table)?
    };
    Ok((format, path.into()))
}

/// The graph with or without sides, as the caller states.
fn with_stated_sides(graph: Graph, params: &LoadParams) -> Result<Graph> {
    match params.bipartite {
        Some(false) => Ok(graph.without_sides()),
        Some(true) if graph.sides().is_none() => graph.with_structural_sides(),
        _ => Ok(graph),
    }
}

/// Refuses options that a format (`None`: a generated graph) cannot follow, because the graph would be another
/// one than was asked for.
fn check_applicable(format: Option<Format>, params: &LoadParams) -> Result<()> {
    let table = matches!(format, Some(Format::Edges | Format::Parquet));
    if !(table || params.nodes.is_empty()) {
        let need = "an edge list as GRAPH; other formats contain their own features";
        return Err(Error::param("nodes", "a node table", need));
    }
    let nodes = table && !params.nodes.is_empty();
    let network = matches!(format, Some(Format::NodeLink | Format::GraphMl | Format::Gml | Format::Pajek));
    let features = nodes || network || format == Some(Format::Npz);
    let columns = &params.columns;
    let first = |names: &Vec<String>| names.first().cloned();
    let of_nodes = "a node table";
    let of_features = "a node table, npz with names of features, or a format with attributes of nodes";
    let kinds = "a node table or a format with attributes of nodes";
    let checks = [
        ("ends", params.ends.as_ref().map(|ends| ends.join(",")), table, "an edge list"),
        ("header", params.header.map(|header| header.to_string()), table, "an edge list"),
        ("id", params.id.clone(), nodes, of_nodes),
        ("label", params.label.clone(), nodes || network, kinds),
        ("features", first(&columns.features), features, of_features),
        ("drop", first(&columns.drop), features, of_features),
        ("categorical", first(&columns.categorical), nodes || network, kinds),
        ("numeric", first(&columns.numeric), nodes || network, kinds),
    ];
    for (option, value, applies, need) in checks {
        if let Some(value) = value.filter(|_| !applies) {
            let source = match format {
                Some(_) if table => "an edge list without a node table",
                Some(format) => format.noun(),
                None => "a generated graph",
            };
            return Err(Error::param(option, value, format!("{need}; the graph is {source}")));
        }
    }
    Ok(())
}

/// The format of a text.
fn of_text(path: &Path, table: bool) -> Result<Format> {
    let start = start_of(path)?;
    let text = String::from_utf8_lossy(&start[..start.len().min(1 << 12)]).to_lowercase();
    let head = text.trim_start_matches('\u{feff}').trim_start();
    if head.starts_with("<?xml") && text.contains("<graphml") || head.starts_with("<graphml") {
        return Ok(Format::GraphMl);
    }
    if gml::is(&start) {
        return Ok(Format::Gml);
    }
    if pajek::is(&start) {
        return Ok(Format::Pajek);
    }
    if is_json(&start) && !is_json_features(&start) && node_link::is(&start) {
        return Ok(Format::NodeLink);
    }
    if Table::open(path)?.begins_with(market::BANNER)? {
        return Ok(Format::MatrixMarket);
    }
    if !table && dense::is(path)? {
        return Ok(Format::AdjacencyMatrix);
    }
    if !table && neighbours::is(path)? {
        return Ok(Format::Neighbours);
    }
    Ok(Format::Edges)
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
            Err(Error::Format { path: path.into(), what: format!("contains several graphs; name one of {}", list(&names)) })
        }
        _ => Err(Error::Format {
            path: path.into(),
            what: "is a folder; a graph file was expected, or a folder of OGB (raw/edge.csv.gz), Geom-GCN (out1_graph_edges.txt), Planetoid (ind.NAME.graph) or parts of a Parquet table".into(),
        }),
    }
}

/// An edge of node numbers below `nodes`.
fn node_pair(rows: &Table, row: &Row, nodes: usize) -> Result<Pair> {
    let end = |at: usize| -> Result<NodeId> {
        let cell = row.cell(at);
        let number = cell.parse::<NodeId>().ok().filter(|&node| (node as usize) < nodes);
        number.ok_or_else(|| rows.error(row.line, format!("`{cell}` is not a node number below {nodes}")))
    };
    Ok([end(0)?, end(1)?])
}

fn list(names: &[String]) -> String {
    if names.is_empty() {
        return "nothing".into();
    }
    let shown: Vec<String> = names.iter().take(12).map(|name| format!("`{name}`")).collect();
    shown.join(", ") + if names.len() > 12 { ", …" } else { "" }
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use super::*;
    use netinfof::Stream;

    /// Both readers give the same graph for lists of numbers, in any notation.
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
            let layout =
                layout::EdgeLayout::of(&mut Table::open(&path).unwrap(), &LoadParams::default(), &path)
                    .unwrap();
            let fast = numbered::read(&path, "g", &layout, &exec).unwrap().expect("plain numbers");
            let slow = edges::from_named_list(&path, "g", &LoadParams::default(), &exec).unwrap();
            assert_eq!(fast.adjacency(), slow.adjacency(), "case {case}");
            assert_eq!((fast.self_loops(), fast.duplicates()), (slow.self_loops(), slow.duplicates()));
            let names: Vec<String> = (0..fast.nodes()).map(|node| node.to_string()).collect();
            assert_eq!(fast.ids().unwrap_or(&names), slow.ids().unwrap(), "case {case}");
        }
        // Other lists are left to the general reader.
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
            let mut table = Table::open(&path).unwrap();
            if let Ok(layout) = layout::EdgeLayout::of(&mut table, &LoadParams::default(), &path) {
                assert!(numbered::read(&path, "g", &layout, &exec).unwrap().is_none(), "{text:?}");
            }
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
