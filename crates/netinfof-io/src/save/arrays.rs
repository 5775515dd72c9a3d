//! Graphs and vectors as the arrays of an npz file.

use std::fs::File;
use std::io::{BufWriter, Error as IoError, Write};
use std::path::Path;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::whole;
use crate::load::{DATES, EDGE_TIME, EDGE_TIME_UNIT};
use crate::npz::{COMPONENT, QUALIFIED, ROLES, WEIGHT_TRANSFORM};
use netinfof::Matrix;
use netinfof::Result;
use netinfof::graph::{Target, TimeUnit};
use netinfof::{Features, Graph};

/// Writes all parts of a graph.
pub(super) fn write(graph: &Graph, file: &mut File) -> std::io::Result<()> {
    let mut file = Arrays { zip: ZipWriter::new(BufWriter::new(file)) };
    let (nodes, edges) = (graph.nodes(), graph.edge_count());
    // The two rows one after the other, straight from the adjacency: the edges are never listed.
    file.array("edge_index", "<u4", &[2, edges], |out| {
        for end in 0..2 {
            for (node, id) in (0..nodes).zip(0u32..) {
                for &other in graph.adjacency().row(node).iter().filter(|&&other| other > id) {
                    out.write_all(&[id, other][end].to_le_bytes())?;
                }
            }
        }
        Ok(())
    })?;
    if let Some(weights) = graph.weights() {
        file.array("edge_weight", "<f4", &[edges], |out| {
            weights.given().iter().try_for_each(|v| out.write_all(&v.to_le_bytes()))
        })?;
        file.text(WEIGHT_TRANSFORM, weights.scale().transform().name())?;
    }
    file.array("num_nodes", "<i8", &[], |out| out.write_all(&(nodes as u64).to_le_bytes()))?;
    if let Some(times) = graph.times() {
        file.array(EDGE_TIME, "<f8", &[edges], |out| {
            times.first().iter().try_for_each(|time| out.write_all(&time.to_le_bytes()))
        })?;
        if times.unit() == TimeUnit::Date {
            file.text(EDGE_TIME_UNIT, DATES)?;
        }
    }
    match graph.features() {
        Features::None => {}
        Features::Dense(x) => {
            file.array("x", "<f4", &[x.rows(), x.cols()], |out| {
                x.as_slice().iter().try_for_each(|v| out.write_all(&v.to_le_bytes()))
            })?;
        }
        Features::Sparse(x) => {
            file.array("x_shape", "<i8", &[2], |out| {
                [x.rows(), x.cols()].iter().try_for_each(|&n| out.write_all(&(n as u64).to_le_bytes()))
            })?;
            file.array("x_indptr", "<i8", &[x.rows() + 1], |out| {
                let mut at = 0u64;
                out.write_all(&at.to_le_bytes())?;
                (0..x.rows()).try_for_each(|row| {
                    at += x.row(row).len() as u64;
                    out.write_all(&at.to_le_bytes())
                })
            })?;
            file.array("x_indices", "<u4", &[x.nnz()], |out| {
                (0..x.rows()).flat_map(|row| x.row(row)).try_for_each(|v| out.write_all(&v.to_le_bytes()))
            })?;
            file.array("x_data", "<f4", &[x.nnz()], |out| {
                (0..x.nnz())
                    .map(|at| x.values().map_or(1.0, |values| values[at]))
                    .try_for_each(|v| out.write_all(&v.to_le_bytes()))
            })?;
        }
    }
    if let Some(labels) = graph.labels() {
        file.array("y", "<i4", &[nodes], |out| {
            labels.iter().try_for_each(|label| out.write_all(&label.to_le_bytes()))
        })?;
    }
    if let Some(names) = graph.class_names() {
        file.texts("class_names", names)?;
    }
    match graph.target() {
        Some(Target::Numbers(values)) => {
            file.array("y_reg", "<f8", &[nodes], |out| {
                values.iter().try_for_each(|value| out.write_all(&value.to_le_bytes()))
            })?;
        }
        Some(Target::Labels(sets)) => {
            let width = sets.names().len();
            file.array("y_multi", "|i1", &[nodes, width], |out| {
                (0..nodes).try_for_each(|node| match sets.row(node) {
                    Some(row) => out.write_all(row),
                    None => out.write_all(&vec![255; width]),
                })
            })?;
            file.texts("label_names", sets.names())?;
        }
        _ => {}
    }
    if let Some(schema) = graph.schema().filter(|schema| !schema.columns.is_empty()) {
        let names: Vec<String> = schema.columns.iter().map(|column| column.name.clone()).collect();
        file.texts("feature_names", &names)?;
        let json = serde_json::to_string(&schema.columns).expect("columns can always be written as JSON");
        file.text("feature_columns", &json)?;
    }
    if let Some(ids) = graph.ids() {
        file.texts("ids", ids)?;
    }
    if let Some(sides) = graph.sides() {
        file.array("side", "|u1", &[nodes], |out| {
            sides.second().iter().try_for_each(|&second| out.write_all(&[u8::from(second)]))
        })?;
        let mut names = sides.names().to_vec();
        names.extend(sides.has_qualified_ids().then(|| QUALIFIED.to_string()));
        names.extend(sides.are_roles().then(|| ROLES.to_string()));
        file.texts("side_names", &names)?;
    }
    for own in graph.custom_components() {
        let rows = own.rows();
        file.array(&format!("{COMPONENT}{}", own.name()), "<f4", &[rows.rows(), rows.cols()], |out| {
            rows.as_slice().iter().try_for_each(|v| out.write_all(&v.to_le_bytes()))
        })?;
    }
    if let Some(truth) = graph.truth() {
        let json = serde_json::to_string(truth).expect("a truth can always be written as JSON");
        file.text("truth", &json)?;
    }
    file.zip.finish().map_err(IoError::other)?.flush()
}

/// Writes one row of numbers per node as npz, with the nodes' own ids if they have any.
pub fn vectors(graph: &Graph, arrays: &[(&str, &Matrix)], path: &Path) -> Result<()> {
    whole(path, |file| {
        let mut file = Arrays { zip: ZipWriter::new(BufWriter::new(file)) };
        for (name, m) in arrays {
            file.array(name, "<f4", &[m.rows(), m.cols()], |out| {
                m.as_slice().iter().try_for_each(|v| out.write_all(&v.to_le_bytes()))
            })?;
        }
        if let Some(ids) = graph.ids() {
            file.texts("ids", ids)?;
        }
        file.zip.finish().map_err(IoError::other)?.flush()
    })
}

/// The arrays of an npz file, one after the other.
struct Arrays<W: Write + std::io::Seek> {
    zip: ZipWriter<W>,
}

impl<W: Write + std::io::Seek> Arrays<W> {
    /// Texts, as NumPy's UTF-32.
    fn texts(&mut self, name: &str, ids: &[String]) -> std::io::Result<()> {
        let width = ids.iter().map(|id| id.chars().count()).max().unwrap_or(0).max(1);
        self.array(name, &format!("<U{width}"), &[ids.len()], |out| {
            ids.iter().try_for_each(|id| {
                let letters = id.chars().map(u32::from).chain(std::iter::repeat(0)).take(width);
                letters.into_iter().try_for_each(|letter| out.write_all(&letter.to_le_bytes()))
            })
        })
    }

    fn array(
        &mut self,
        name: &str,
        kind: &str,
        shape: &[usize],
        fill: impl FnOnce(&mut BufWriter<&mut ZipWriter<W>>) -> std::io::Result<()>,
    ) -> std::io::Result<()> {
        // Level 1: half the size in a tenth of the time of the default level.
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .compression_level(Some(1))
            .large_file(true);
        self.zip.start_file(format!("{name}.npy"), options).map_err(IoError::other)?;
        let mut out = BufWriter::with_capacity(1 << 16, &mut self.zip);
        let shape = match shape {
            [] => "()".into(),
            [n] => format!("({n},)"),
            _ => format!("({})", shape.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
        };
        let header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
        // Ten bytes before the header and a line feed after it; data begin at a multiple of 64.
        let padded = (10 + header.len() + 1).next_multiple_of(64) - 10;
        let length = u16::try_from(padded).expect("headers are short");
        out.write_all(b"\x93NUMPY\x01\x00")?;
        out.write_all(&length.to_le_bytes())?;
        writeln!(out, "{header:width$}", width = padded - 1)?;
        fill(&mut out)?;
        out.flush()
    }

    /// A single text, as NumPy's UTF-32.
    fn text(&mut self, name: &str, text: &str) -> std::io::Result<()> {
        self.array(name, &format!("<U{}", text.chars().count()), &[], |out| {
            text.chars().try_for_each(|c| out.write_all(&u32::from(c).to_le_bytes()))
        })
    }
}
