//! Sources that are not one file: standard input, and tables in several Parquet files.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use super::LoadParams;
use netinfof::{Error, Result};

/// The name of standard input.
pub(super) const STANDARD_INPUT: &str = "-";

/// A copy of standard input, removed when it is dropped.
pub(super) struct StandardInput(PathBuf);

impl StandardInput {
    pub(super) fn copy(params: &LoadParams) -> Result<Self> {
        if params.nodes.iter().any(|path| path == Path::new(STANDARD_INPUT)) {
            return Err(Error::param("nodes", STANDARD_INPUT, "a file: standard input is the graph"));
        }
        let path = std::env::temp_dir().join(format!("netinfof-input-{}", std::process::id()));
        let io = |e| Error::io(Path::new("standard input"), e);
        let own = |e| Error::io(&path, e);
        // Not readable for other users.
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&path).map_err(own)?;
        let copy = StandardInput(path.clone());
        std::io::copy(&mut std::io::stdin().lock(), &mut file).map_err(io)?;
        file.flush().map_err(own)?;
        Ok(copy)
    }

    pub(super) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for StandardInput {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Whether a source names several Parquet files: a pattern with `*`, or a folder of parts.
pub(super) fn is(path: &Path) -> bool {
    crate::table::parts(path).is_ok_and(|parts| parts.is_some())
}
