//! The command from the outside: what it prints, what it writes, how it exits.

mod bipartite;
mod context;
mod contract;
mod datasets;
mod directed;
mod faults;
mod generated;
mod input;
mod models;
mod reports;
mod shell;
mod tables;
mod times;
mod weights;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A folder of one test, gone at its end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("netinfof-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.0.join(name);
        std::fs::write(&path, content).unwrap();
        path.to_str().unwrap().into()
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().into()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn netinfof(args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_netinfof")).args(args).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// What a successful run prints on standard output and standard error.
fn well(args: &[&str]) -> (String, String) {
    let output = netinfof(args);
    assert!(output.status.success(), "{args:?}: {}", stderr(&output));
    (stdout(&output), stderr(&output))
}

/// What a run that fails prints on standard error.
fn fault(args: &[&str]) -> String {
    let output = netinfof(args);
    assert!(matches!(output.status.code(), Some(1 | 2)), "{args:?}: {}", stderr(&output));
    stderr(&output)
}

/// A ring of `n` nodes with chords, as lines of an edge list.
fn ring(n: usize, separator: &str) -> String {
    let edge = |i: usize, j: usize| format!("{i}{separator}{}\n", j % n);
    (0..n).map(|i| edge(i, i + 1) + &edge(i, i + 2)).collect()
}

/// An npz file of arrays given as (name, descr, shape, bytes).
fn npz(path: &Path, arrays: &[(&str, &str, &str, Vec<u8>)]) {
    let mut zip = zip::ZipWriter::new(std::fs::File::create(path).unwrap());
    for (name, descr, shape, bytes) in arrays {
        let options =
            zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        zip.start_file(format!("{name}.npy"), options).unwrap();
        let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
        zip.write_all(b"\x93NUMPY\x01\x00").unwrap();
        zip.write_all(&u16::try_from(header.len()).unwrap().to_le_bytes()).unwrap();
        zip.write_all(header.as_bytes()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap();
}

fn ints(values: &[i32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

fn floats(values: &[f32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}
