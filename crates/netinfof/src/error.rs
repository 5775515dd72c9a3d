//! The one error type. Variants are grouped by what the caller can do about them.

use std::path::PathBuf;

/// A result whose error is [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// Everything that can go wrong, with the facts a person needs to mend it.
///
/// [`Error::hint`] gives the next step. Not converging is no error: solvers return it as information.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be read or written.
    #[error("{}: {}", path.display(), io_reason(source))]
    Io {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// A text file has something unexpected at a place.
    #[error("{}:{line}: {what}", path.display())]
    Parse {
        /// The file.
        path: PathBuf,
        /// Line, counted from 1.
        line: usize,
        /// What was found and what was expected.
        what: String,
    },
    /// A binary file is not what its name promises.
    #[error("{}: {what}", path.display())]
    Format {
        /// The file.
        path: PathBuf,
        /// What was found and what was expected.
        what: String,
    },
    /// The parts of a graph contradict each other.
    #[error("invalid graph: {what}")]
    InvalidGraph {
        /// The contradiction.
        what: String,
    },
    /// A split contradicts its graph.
    #[error("invalid split: {what}")]
    InvalidSplit {
        /// The contradiction.
        what: String,
    },
    /// A parameter is out of its range.
    #[error("invalid `{name}`: {value} (need {need})")]
    InvalidParam {
        /// Name as in the parameter struct and on the command line.
        name: &'static str,
        /// The value given.
        value: String,
        /// The values that would do.
        need: String,
    },
    /// The graph is sound, but this stage has nothing to work on.
    #[error("{stage}: {why}")]
    Unsuitable {
        /// The stage that stopped.
        stage: &'static str,
        /// Why it cannot go on.
        why: String,
    },
    /// A numerical routine failed on finite input.
    #[error("{solver} failed: {why}")]
    Numerical {
        /// The solver.
        solver: &'static str,
        /// What happened.
        why: String,
    },
    /// A graph that is known by name could not be had. The library itself downloads nothing; programs around it may.
    #[error("{name}: {what}")]
    Dataset {
        /// The dataset's name.
        name: String,
        /// What stands in the way, and what to do about it.
        what: String,
    },
    /// The caller asked to stop.
    #[error("stopped on request")]
    Cancelled,
}

impl Error {
    /// What the user may do next, where there is something to do.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Error::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound => {
                Some("check the path")
            }
            Error::Io { .. } => Some("check the path and its permissions"),
            Error::Parse { .. } => Some("docs/formats.md describes the tables that can be read"),
            Error::Format { .. } => Some("docs/formats.md lists the layouts that can be read"),
            Error::InvalidGraph { .. } => Some("`netinfof inspect GRAPH` shows what was read"),
            Error::InvalidSplit { .. } => {
                Some("split files must hold ids of this graph, and no pair or node may be in two of them")
            }
            Error::Unsuitable { stage, .. } if !["model", "newer graph"].contains(stage) => {
                Some("`netinfof inspect GRAPH` shows what the graph holds")
            }
            Error::Numerical { .. } => Some("this is a bug in netinfof; please report it with the graph"),
            Error::InvalidParam { .. }
            | Error::Unsuitable { .. }
            | Error::Dataset { .. }
            | Error::Cancelled => None,
        }
    }

    /// Whether the data or the parameters are at fault, rather than netinfof itself.
    pub fn is_users(&self) -> bool {
        !matches!(self, Error::Numerical { .. })
    }

    /// A file that could not be read or written.
    pub fn io(path: &std::path::Path, source: std::io::Error) -> Self {
        Error::Io { path: path.to_path_buf(), source }
    }

    /// A parameter that is out of its range.
    pub fn param(name: &'static str, value: impl std::fmt::Display, need: impl Into<String>) -> Self {
        Error::InvalidParam { name, value: value.to_string(), need: need.into() }
    }
}

/// The plain words for the common cases; the operating system's own for the rest.
fn io_reason(e: &std::io::Error) -> String {
    match e.kind() {
        std::io::ErrorKind::NotFound => "no such file".into(),
        std::io::ErrorKind::PermissionDenied => "permission denied".into(),
        std::io::ErrorKind::IsADirectory => "is a folder; a file was expected".into(),
        _ => e.to_string(),
    }
}
