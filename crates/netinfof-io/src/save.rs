//! Writing of graphs: the npz layout of `docs/formats.md`, which NumPy loads without a pickle; tables, as
//! text and Parquet; MatrixMarket.

mod arrays;

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use crate::parquet::{Column, Kind, Writer};
use netinfof::Result;
use netinfof::graph::{EdgeTimes, EdgeWeights, FeatureColumn, FeatureKind, Target, TimeUnit, day_text};
use netinfof::{Features, Graph};

pub use arrays::vectors;
pub use netinfof::internals::write_file as whole;

/// Writes a graph as npz, as a whole or not at all.
pub fn npz(graph: &Graph, path: &Path) -> Result<()> {
    if graph.context().is_some() {
        let need = "no context where a graph is written: the file would hold one relation only";
        return Err(netinfof::Error::param("context", "edges of other relations", need));
    }
    whole(path, |file| arrays::write(graph, file))
}

/// Writes the edges as a table with a header: each once, by the graph's own ids, and those of a directed graph from
/// their source to their target. Parquet for `.parquet`, tabs for `.tsv`, otherwise commas; compressed for `.gz` and
/// `.zst`.
pub fn edges(graph: &Graph, path: &Path) -> Result<()> {
    if is_parquet(path) {
        return whole(path, |file| parquet_edges(graph, file));
    }
    table(path, |out, delimiter| {
        let [source, target] = end_names(graph);
        let weight = if graph.weights().is_some() { format!("{delimiter}weight") } else { String::new() };
        write!(out, "{source}{delimiter}{target}{weight}")?;
        let mut times = graph.times().map(|times| times.first().iter().map(|&time| time_text(times, time)));
        if let Some(times) = graph.times() {
            write!(out, "{delimiter}{}", cell(times.column(), delimiter))?;
        }
        writeln!(out)?;
        each_edge(graph, |i, j, weight| {
            write!(out, "{}{delimiter}{}", name(graph, i, delimiter), name(graph, j, delimiter))?;
            weight.map_or(Ok(()), |weight| write!(out, "{delimiter}{weight}"))?;
            if let Some(time) = times.as_mut().and_then(Iterator::next) {
                write!(out, "{delimiter}{time}")?;
            }
            writeln!(out)
        })
    })
}

/// A time as it is read again.
fn time_text(times: &EdgeTimes, time: f64) -> String {
    match times.unit() {
        TimeUnit::Date => exact_day_text(time),
        _ => time.to_string(),
    }
}

/// A date with as many decimals of its seconds as double precision holds.
fn exact_day_text(days: f64) -> String {
    let seconds = (days - days.floor()) * 86_400.0;
    // Days of our time are stored to less than a microsecond.
    let micros = (seconds * 1e6).round() as u64;
    if micros.is_multiple_of(1_000_000) {
        return day_text(days);
    }
    let (whole, rest) = (micros / 1_000_000, micros % 1_000_000);
    let date = day_text(days.floor());
    format!("{date}T{:02}:{:02}:{:02}.{rest:06}", whole / 3600, whole / 60 % 60, whole % 60)
}

/// Names of the two id columns.
fn end_names(graph: &Graph) -> [&str; 2] {
    graph.sides().map_or(["source", "target"], |sides| sides.names().each_ref().map(String::as_str))
}

/// The target of a node as the text of a cell, empty if it is unknown: a number, or labels separated by `;`.
fn target_text(target: &Target, node: usize) -> String {
    match target {
        Target::Numbers(values) if values[node].is_nan() => String::new(),
        Target::Numbers(values) => values[node].to_string(),
        Target::Labels(sets) => sets.row(node).map_or_else(String::new, |row| {
            let own = sets.names().iter().zip(row).filter(|(_, has)| **has == 1);
            let names: Vec<&str> = own.map(|(name, _)| name.as_str()).collect();
            if names.is_empty() { "none".into() } else { names.join(";") }
        }),
        _ => String::new(),
    }
}

/// Writes the nodes as a table with a header: id, label if there are labels (empty if unknown), and every
/// feature.
pub fn nodes(graph: &Graph, path: &Path) -> Result<()> {
    if is_parquet(path) {
        return whole(path, |file| parquet_nodes(graph, file));
    }
    table(path, |out, delimiter| {
        write!(out, "id")?;
        if graph.labels().is_some() {
            write!(out, "{delimiter}label")?;
        }
        match graph.target() {
            Some(Target::Numbers(_)) => write!(out, "{delimiter}target")?,
            Some(_) => write!(out, "{delimiter}labels")?,
            None => {}
        }
        let columns = feature_columns(graph);
        columns.iter().try_for_each(|column| write!(out, "{delimiter}{}", cell(&column.name, delimiter)))?;
        writeln!(out)?;
        let mut row = vec![0.0f32; columns.len()];
        for node in 0..rows_of(graph) {
            write!(out, "{}", name(graph, node, delimiter))?;
            if let Some(labels) = graph.labels() {
                write!(out, "{delimiter}{}", cell(&class_text(graph, labels[node]), delimiter))?;
            }
            if let Some(target) = graph.target() {
                write!(out, "{delimiter}{}", cell(&target_text(target, node), delimiter))?;
            }
            fill_features(graph, node, &mut row);
            for (value, column) in row.iter().zip(&columns) {
                match feature_text(*value, column) {
                    Some(text) => write!(out, "{delimiter}{}", cell(&text, delimiter))?,
                    None if value.is_nan() => write!(out, "{delimiter}")?,
                    None => write!(out, "{delimiter}{value}")?,
                }
            }
            writeln!(out)?;
        }
        Ok(())
    })
}

/// Number of rows of the table of nodes: the sources stand for the nodes of a directed graph.
fn rows_of(graph: &Graph) -> usize {
    if graph.is_directed() { graph.nodes() / 2 } else { graph.nodes() }
}

/// A node's own id as tables write it: in a directed graph without its role.
fn written_id(graph: &Graph, node: usize) -> Option<&str> {
    let id = graph.ids()?[node].as_str();
    Some(match graph.sides() {
        Some(sides) if sides.are_roles() => sides.plain(node as u32, id),
        _ => id,
    })
}

/// The feature columns; those without a name are called `x0`, `x1`, ….
fn feature_columns(graph: &Graph) -> Vec<FeatureColumn> {
    match graph.schema().map(|schema| &schema.columns) {
        Some(columns) if !columns.is_empty() => columns.clone(),
        _ => {
            let cols = graph.features().cols();
            (0..cols).map(|col| FeatureColumn::new(format!("x{col}"), FeatureKind::Number)).collect()
        }
    }
}

/// A value of a category or of a date as text; `None` for numbers and missing values.
fn feature_text(value: f32, column: &FeatureColumn) -> Option<String> {
    match column.kind {
        _ if value.is_nan() => None,
        FeatureKind::Category => column.levels.get(value as usize).cloned(),
        FeatureKind::Date => Some(day_text(f64::from(value))),
        _ => None,
    }
}

/// The name of a class, or its number; empty if it is unknown.
fn class_text(graph: &Graph, label: i32) -> String {
    let Ok(class) = usize::try_from(label) else { return String::new() };
    graph.class_names().and_then(|names| names.get(class).cloned()).unwrap_or_else(|| label.to_string())
}

/// A node's features, including zeros.
fn fill_features(graph: &Graph, node: usize, row: &mut [f32]) {
    match graph.features() {
        Features::None => {}
        Features::Dense(x) => row.copy_from_slice(x.row(node)),
        Features::Sparse(x) => {
            row.fill(0.0);
            let values = x.row_values(node);
            for (at, &col) in x.row(node).iter().enumerate() {
                row[col as usize] = values.map_or(1.0, |values| values[at]);
            }
        }
    }
}

fn is_parquet(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("parquet"))
}

/// Number of values per row group, which determines its number of rows.
const GROUP: usize = 1 << 20;

/// The column type of the nodes' ids: whole numbers if all are plain numbers, otherwise text.
pub fn id_kind(graph: &Graph) -> Kind {
    let plain = |id: &String| id.parse::<i64>().is_ok_and(|number| number.to_string() == *id);
    if graph.ids().is_none_or(|ids| ids.iter().all(plain)) { Kind::Int } else { Kind::Text }
}

/// The column type of the ids that tables of the graph hold.
fn written_kind(graph: &Graph) -> Kind {
    if graph.is_directed() { id_kind(&graph.names_of_nodes()) } else { id_kind(graph) }
}

/// The nodes' ids as a column of this type.
fn id_column(graph: &Graph, kind: Kind, nodes: impl Iterator<Item = usize>) -> Column {
    let id = |node: usize| written_id(graph, node).expect("the graph has ids");
    match (graph.ids(), kind) {
        (None, _) => Column::Int(nodes.map(|node| node as i64).collect()),
        (Some(_), Kind::Int) => {
            Column::Int(nodes.map(|node| id(node).parse().expect("all ids are plain numbers")).collect())
        }
        (Some(_), _) => Column::Text(nodes.map(|node| id(node).to_string()).collect()),
    }
}

fn parquet_edges(graph: &Graph, file: &mut File) -> std::io::Result<()> {
    let kind = written_kind(graph);
    let mut columns = end_names(graph).map(|name| (name, kind)).to_vec();
    columns.extend(graph.weights().map(|_| ("weight", Kind::Float)));
    let times = graph.times();
    let dated = |times: &EdgeTimes| times.unit() == TimeUnit::Date;
    columns.extend(times.map(|times| (times.column(), if dated(times) { Kind::Text } else { Kind::Float })));
    let mut table = Writer::new(file, &columns)?;
    let mut rows: Vec<([usize; 2], Option<f32>)> = Vec::new();
    let mut written = 0;
    let mut flush = |rows: &mut Vec<([usize; 2], Option<f32>)>| {
        let ends = [0, 1].map(|end| id_column(graph, kind, rows.iter().map(|row| row.0[end])));
        let mut columns = ends.to_vec();
        let weights: Vec<f64> = rows.iter().filter_map(|row| row.1.map(f64::from)).collect();
        columns.extend(graph.weights().map(|_| Column::Float(weights)));
        if let Some(times) = times {
            let own = times.first()[written..written + rows.len()].iter();
            columns.push(if dated(times) {
                Column::Text(own.map(|&time| time_text(times, time)).collect())
            } else {
                Column::Float(own.copied().collect())
            });
        }
        written += rows.len();
        rows.clear();
        table.write(&columns)
    };
    each_edge(graph, |i, j, weight| {
        rows.push(([i, j], weight));
        if rows.len() == GROUP { flush(&mut rows) } else { Ok(()) }
    })?;
    flush(&mut rows)?;
    table.finish().map(|_| ())
}

fn parquet_nodes(graph: &Graph, file: &mut File) -> std::io::Result<()> {
    let (kind, features) = (written_kind(graph), feature_columns(graph));
    let mut columns = vec![("id", kind)];
    let named = graph.class_names().is_some();
    if graph.labels().is_some() {
        columns.push(("label", if named { Kind::Text } else { Kind::Int }));
    }
    columns.extend(graph.target().map(|target| match target {
        Target::Numbers(_) => ("target", Kind::Float),
        _ => ("labels", Kind::Text),
    }));
    let is_text = |column: &FeatureColumn| matches!(column.kind, FeatureKind::Category | FeatureKind::Date);
    columns.extend(
        features
            .iter()
            .map(|column| (column.name.as_str(), if is_text(column) { Kind::Text } else { Kind::Float })),
    );
    let mut table = Writer::new(file, &columns)?;
    let rows = (GROUP / columns.len()).max(1024);
    let mut row = vec![0.0f32; features.len()];
    for first in (0..rows_of(graph)).step_by(rows) {
        let group = first..(first + rows).min(rows_of(graph));
        let mut columns = vec![id_column(graph, kind, group.clone())];
        if let Some(labels) = graph.labels() {
            let own = &labels[group.clone()];
            columns.push(if named {
                Column::Text(own.iter().map(|&label| class_text(graph, label)).collect())
            } else {
                Column::Int(own.iter().map(|&label| label.into()).collect())
            });
        }
        columns.extend(graph.target().map(|target| match target {
            Target::Numbers(values) => Column::Float(values[group.clone()].to_vec()),
            _ => Column::Text(group.clone().map(|node| target_text(target, node)).collect()),
        }));
        let mut values: Vec<Column> = features
            .iter()
            .map(|column| if is_text(column) { Column::Text(Vec::new()) } else { Column::Float(Vec::new()) })
            .collect();
        for node in group {
            fill_features(graph, node, &mut row);
            for ((own, &value), column) in values.iter_mut().zip(&row).zip(&features) {
                match own {
                    Column::Text(texts) => texts.push(feature_text(value, column).unwrap_or_default()),
                    Column::Float(numbers) => numbers.push(f64::from(value)),
                    Column::Int(_) => unreachable!("features are floats or texts"),
                }
            }
        }
        columns.extend(values);
        table.write(&columns)?;
    }
    table.finish().map(|_| ())
}

/// Writes the adjacency matrix in MatrixMarket's coordinates, each edge once. Features and labels are not
/// written.
pub fn market(graph: &Graph, path: &Path) -> Result<()> {
    table(path, |out, _| {
        let field = if graph.weights().is_some() { "real" } else { "pattern" };
        let nodes = rows_of(graph);
        let form = if graph.is_directed() { "general" } else { "symmetric" };
        writeln!(out, "%%MatrixMarket matrix coordinate {field} {form}")?;
        writeln!(out, "{nodes} {nodes} {}", graph.edge_count())?;
        // Counted from 1: below the diagonal, or the row of the source and the column of the target.
        each_edge(graph, |i, j, weight| {
            let [row, column] = if graph.is_directed() { [i, j - nodes] } else { [i.max(j), i.min(j)] };
            write!(out, "{} {}", row + 1, column + 1)?;
            weight.map_or(Ok(()), |weight| write!(out, " {weight}"))?;
            writeln!(out)
        })
    })
}

/// Passes the ends of every edge, and its weight if there are any.
fn each_edge(
    graph: &Graph,
    mut each: impl FnMut(usize, usize, Option<f32>) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let mut weights = graph.weights().into_iter().flat_map(EdgeWeights::given).copied();
    for node in 0..graph.nodes() {
        for &other in graph.adjacency().row(node).iter().filter(|&&other| other as usize > node) {
            let pair = [node as u32, other];
            let [i, j] = graph.sides().map_or(pair, |sides| sides.oriented(pair));
            each(i as usize, j as usize, weights.next())?;
        }
    }
    Ok(())
}

/// A text file, compressed if its name ends in `.gz` or `.zst`; the delimiter also depends on the name.
fn table(path: &Path, fill: impl FnOnce(&mut dyn Write, char) -> std::io::Result<()>) -> Result<()> {
    let file_name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    let (gzip, zst) = (file_name.strip_suffix(".gz"), file_name.strip_suffix(".zst"));
    let stem = gzip.or(zst).unwrap_or(&file_name);
    let delimiter =
        if Path::new(stem).extension().is_some_and(|ending| ending == "tsv") { '\t' } else { ',' };
    whole(path, |file| {
        let mut out = BufWriter::with_capacity(1 << 16, file);
        if gzip.is_some() {
            let mut packer = flate2::write::GzEncoder::new(&mut out, flate2::Compression::fast());
            fill(&mut packer, delimiter)?;
            packer.finish()?;
        } else if zst.is_some() {
            packed_zstandard(&mut out, |pieces| fill(pieces, delimiter))?;
        } else {
            fill(&mut out, delimiter)?;
        }
        out.flush()
    })
}

#[cfg(feature = "zstd")]
fn packed_zstandard(
    out: &mut dyn Write,
    fill: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> std::io::Result<()> {
    // Level 1: as small as gzip in a fraction of the time. Large writes compress best.
    let mut packer = zstd::stream::write::Encoder::new(out, 1)?;
    let mut pieces = BufWriter::with_capacity(1 << 16, &mut packer);
    fill(&mut pieces)?;
    pieces.flush()?;
    drop(pieces);
    packer.finish().map(|_| ())
}

#[cfg(not(feature = "zstd"))]
fn packed_zstandard(
    _: &mut dyn Write,
    _: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> std::io::Result<()> {
    Err(std::io::Error::other("Zstandard is not part of this build; write .gz or plain text"))
}

/// A node's own id as a cell.
fn name(graph: &Graph, node: usize, delimiter: char) -> std::borrow::Cow<'_, str> {
    written_id(graph, node).map_or_else(|| node.to_string().into(), |id| cell(id, delimiter))
}

/// A text as a cell, in quotes if needed.
fn cell(text: &str, delimiter: char) -> std::borrow::Cow<'_, str> {
    let odd = text.contains([delimiter, '"', '\n', '\r'])
        || text.starts_with(['#', '%', ' '])
        || text.ends_with(' ');
    if odd { format!("\"{}\"", text.replace('"', "\"\"")).into() } else { text.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::{self, LoadParams};
    use netinfof::Exec;
    use netinfof::Seed;
    use netinfof::synth;

    #[test]
    fn tables_and_ids_are_read_again() {
        let exec = Exec::new(1).unwrap();
        let folder = std::env::temp_dir().join(format!("netinfof-tables-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let file = |name: &str| folder.join(name);
        std::fs::write(
            file("e.csv"),
            "source,target\n\"a,b\",\"#c\"\n\"#c\",\"say \"\"hi\"\"\"\nd,\"a,b\"\n",
        )
        .unwrap();
        std::fs::write(file("n.csv"), "id,label,x,y\nd,1,0.1,2\n\"a,b\",,3,0.3333333\n\"#c\",0,0,-1e-7\n\"say \"\"hi\"\"\",1,5,6\nalone,0,7,8\n").unwrap();
        let load = |source: &Path, nodes: Option<&Path>| {
            let params = nodes.map_or(LoadParams::default(), |nodes| LoadParams::default().nodes(nodes));
            load::graph(source.to_str().unwrap(), &params, Seed(0), &exec).unwrap()
        };
        let graph = load(&file("e.csv"), Some(&file("n.csv")));
        for (e, n) in [
            ("e2.csv", "n2.csv"),
            ("e2.tsv", "n2.tsv"),
            ("e2.csv.gz", "n2.csv.gz"),
            ("e2.csv.zst", "n2.tsv.zst"),
            ("e2.parquet", "n2.parquet"),
            ("e2.csv", "n2.parquet"),
            ("e2.parquet", "n2.csv.zst"),
        ] {
            edges(&graph, &file(e)).unwrap();
            nodes(&graph, &file(n)).unwrap();
            let again = load(&file(e), Some(&file(n)));
            assert_eq!(again.adjacency(), graph.adjacency(), "{e}");
            assert_eq!((again.features(), again.labels()), (graph.features(), graph.labels()), "{e}");
            assert_eq!(again.ids(), graph.ids(), "{e}");
        }
        npz(&graph, &file("g.npz")).unwrap();
        let again = load(&file("g.npz"), None);
        assert_eq!((again.ids(), again.labels()), (graph.ids(), graph.labels()));
        market(&graph, &file("g.mtx")).unwrap();
        assert_eq!(load(&file("g.mtx"), None).adjacency(), graph.adjacency());
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn what_is_written_is_read_again() {
        let exec = Exec::new(1).unwrap();
        let folder = std::env::temp_dir().join(format!("netinfof-save-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for spec in ["demo", "random-offdiagonal?nodes=200&features=20", "large?nodes=500&features=0&words=0"]
        {
            let graph = synth::named(spec, Seed(1), &exec).unwrap();
            let path = folder.join("g.npz");
            npz(&graph, &path).unwrap();
            let read = load::graph(path.to_str().unwrap(), &LoadParams::default(), Seed(0), &exec).unwrap();
            assert_eq!(read.adjacency(), graph.adjacency(), "{spec}");
            assert_eq!((read.features(), read.labels()), (graph.features(), graph.labels()), "{spec}");
            assert_eq!(read.truth(), graph.truth(), "{spec}");
        }
        let missing = npz(&synth::named("demo", Seed(1), &exec).unwrap(), &folder.join("no/such/g.npz"));
        assert!(missing.unwrap_err().to_string().contains("no such"));
        // A link is followed, not replaced.
        #[cfg(unix)]
        {
            let link = folder.join("link.npz");
            std::os::unix::fs::symlink(folder.join("g.npz"), &link).unwrap();
            let before = std::fs::metadata(folder.join("g.npz")).unwrap().len();
            npz(&synth::named("demo", Seed(1), &exec).unwrap(), &link).unwrap();
            assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
            assert_ne!(std::fs::metadata(folder.join("g.npz")).unwrap().len(), before);
            std::fs::remove_file(link).unwrap();
        }
        let left: Vec<_> = std::fs::read_dir(&folder).unwrap().collect();
        assert_eq!(left.len(), 1, "nothing half-written is left");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
