//! Sources that are not one file: streams such as standard input and pipes, and tables in several Parquet files.

use std::fs::File;
use std::io::{Read, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::LoadParams;
use netinfof::{Error, Result};

/// The name of standard input.
pub(super) const STANDARD_INPUT: &str = "-";

/// A source that may be read several times: a file or folder, or the copy of a stream, which is removed when it
/// is dropped.
pub(super) struct Input {
    path: PathBuf,
    /// What the user called it, if it is a copy.
    copy_of: Option<PathBuf>,
}

impl Input {
    /// The source itself, or a copy of it if it can be read only once, such as a pipe.
    pub(super) fn of(path: &Path) -> Result<Self> {
        let stream = std::fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir());
        if stream {
            let mut file = File::open(path).map_err(|e| Error::io(path, e))?;
            return Self::copy(&mut file, path);
        }
        Ok(Input { path: path.into(), copy_of: None })
    }

    /// A copy of standard input.
    pub(super) fn standard(params: &LoadParams) -> Result<Self> {
        if params.nodes.iter().any(|path| path == Path::new(STANDARD_INPUT)) {
            return Err(Error::param("nodes", STANDARD_INPUT, "a file: standard input is the graph"));
        }
        Self::copy(&mut std::io::stdin().lock(), Path::new("standard input"))
    }

    fn copy(stream: &mut dyn Read, name: &Path) -> Result<Self> {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("netinfof-input-{}-{number}", std::process::id()));
        let own = |e| Error::io(&path, e);
        // Not readable for other users.
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&path).map_err(own)?;
        let copy = Input { path: path.clone(), copy_of: Some(name.into()) };
        std::io::copy(stream, &mut file).map_err(|e| Error::io(name, e))?;
        file.flush().map_err(own)?;
        Ok(copy)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn is_copy(&self) -> bool {
        self.copy_of.is_some()
    }

    /// An error about the copy as one about the source.
    pub(super) fn renamed(&self, error: Error) -> Error {
        let Some(name) = &self.copy_of else { return error };
        match error {
            Error::Parse { path, line, what } if path == self.path => {
                Error::Parse { path: name.clone(), line, what }
            }
            Error::Format { path, what } if path == self.path => Error::Format { path: name.clone(), what },
            Error::Io { path, source } if path == self.path => Error::Io { path: name.clone(), source },
            other => other,
        }
    }
}

impl Drop for Input {
    fn drop(&mut self) {
        if self.is_copy() {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Whether a source names several Parquet files: a pattern with `*`, or a folder of parts.
pub(super) fn is(path: &Path) -> Result<bool> {
    crate::table::parts(path).map(|parts| parts.is_some())
}
