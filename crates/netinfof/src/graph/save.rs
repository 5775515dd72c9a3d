//! Graphs to files: the npz layout of `docs/formats.md`, which NumPy loads without a pickle.

use std::fs::File;
use std::io::{BufWriter, Error as IoError, Write};
use std::path::Path;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::{Features, Graph};
use crate::error::{Error, Result};

/// Writes a graph as npz, as a whole or not at all.
pub fn npz(graph: &Graph, path: &Path) -> Result<()> {
    whole(path, |file| write(graph, file))
}

/// Writes a file as a whole or not at all: first beside its place, then into it. A link is followed; what is no file, such as a
/// pipe, is written to as it is.
pub fn whole(path: &Path, write: impl FnOnce(&mut File) -> std::io::Result<()>) -> Result<()> {
    let place = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    if std::fs::metadata(&place).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        let opened = File::options().write(true).open(&place);
        return opened.and_then(|mut file| write(&mut file)).map_err(|source| Error::io(path, source));
    }
    let mut name = place.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.tmp", std::process::id()));
    let beside = place.with_file_name(name);
    let written = File::create(&beside).and_then(|mut file| write(&mut file));
    written.and_then(|()| std::fs::rename(&beside, &place)).map_err(|source| {
        let _ = std::fs::remove_file(&beside);
        Error::io(path, source)
    })
}

fn write(graph: &Graph, file: &mut File) -> std::io::Result<()> {
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
    file.array("num_nodes", "<i8", &[], |out| out.write_all(&(nodes as u64).to_le_bytes()))?;
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
    if let Some(truth) = graph.truth() {
        let json = serde_json::to_string(truth).expect("a truth holds nothing JSON cannot say");
        file.text("truth", &json)?;
    }
    file.zip.finish().map_err(IoError::other)?.flush()
}

/// The arrays of an npz file, one after the other.
struct Arrays<W: Write + std::io::Seek> {
    zip: ZipWriter<W>,
}

impl<W: Write + std::io::Seek> Arrays<W> {
    fn array(
        &mut self,
        name: &str,
        kind: &str,
        shape: &[usize],
        fill: impl FnOnce(&mut BufWriter<&mut ZipWriter<W>>) -> std::io::Result<()>,
    ) -> std::io::Result<()> {
        // Level 1: half the size for a tenth of the time of the default.
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
        // Ten bytes before it and a line feed after it; data begin at a multiple of 64.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::Exec;
    use crate::graph::load::{self, LoadParams};
    use crate::graph::synth;
    use crate::seed::Seed;

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
