//! Folders of single tests, and the graphs in their files.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use netinfof::{Exec, Graph, Seed};
use netinfof_io::load::{self, LoadParams};

/// A folder of one test, gone at its end.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.join(name);
        std::fs::write(&path, content).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The graph in a file and the notices, one per line, or the error.
pub(crate) fn read(path: &Path, params: &LoadParams) -> Result<(Graph, String), String> {
    let exec = Exec::new(1).unwrap();
    let graph = load::graph(path.to_str().unwrap(), params, Seed(0), &exec).map_err(|e| e.to_string())?;
    Ok((graph, exec.notices().join("\n")))
}

/// Refused in one line with these words.
pub(crate) fn refused(path: &Path, params: &LoadParams, words: &[&str]) {
    let error = read(path, params).map(|(graph, _)| graph.nodes()).unwrap_err();
    for word in words {
        assert!(error.contains(word), "{word:?} is not in {error:?}");
    }
    assert_eq!(error.lines().count(), 1, "{error}");
}
