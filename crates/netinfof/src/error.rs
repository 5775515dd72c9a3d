//! The one error type. Variants are grouped by what the caller can do about them.

use std::path::PathBuf;

/// A result whose error is [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

/// All errors, with the facts that a user needs to fix them.
///
/// [`Error::hint`] gives the next step. Failure to converge is not an error: solvers report it in their
/// results.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file could not be read or written.
    #[error("{}: {}", path.display(), io_reason(source))]
    Io {
        /// The file.
        path: PathBuf,
        /// The message of the operating system.
        source: std::io::Error,
    },
    /// A text file has unexpected content in a line.
    #[error("{}:{line}: {what}", path.display())]
    Parse {
        /// The file.
        path: PathBuf,
        /// Line, counted from 1.
        line: usize,
        /// What was found and what was expected.
        what: String,
    },
    /// A file does not have the expected format.
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
        /// The valid values.
        need: String,
    },
    /// The graph is valid, but unsuitable for this stage.
    #[error("{stage}: {why}")]
    Unsuitable {
        /// The stage that failed.
        stage: &'static str,
        /// Why it cannot continue.
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
    /// A named dataset is not available. The library downloads nothing; programs that use it may.
    #[error("{name}: {what}")]
    Dataset {
        /// The dataset's name.
        name: String,
        /// The reason and the next step.
        what: String,
    },
    /// The caller cancelled the run.
    #[error("stopped on request")]
    Cancelled,
}

impl Error {
    /// The next step for the user, if there is one.
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
            Error::Unsuitable { stage, .. } if !["model", "newer graph", "memory"].contains(stage) => {
                Some("`netinfof inspect GRAPH` shows what the graph holds")
            }
            Error::Numerical { .. } => Some("this is a bug in netinfof; please report it with the graph"),
            Error::InvalidParam { .. }
            | Error::Unsuitable { .. }
            | Error::Dataset { .. }
            | Error::Cancelled => None,
        }
    }

    /// Whether the data or the parameters are the cause, not netinfof itself.
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

/// A plain message for common cases; that of the operating system otherwise.
fn io_reason(e: &std::io::Error) -> String {
    match e.kind() {
        std::io::ErrorKind::NotFound => "no such file".into(),
        std::io::ErrorKind::PermissionDenied => "permission denied".into(),
        std::io::ErrorKind::IsADirectory => "is a folder; a file was expected".into(),
        _ => e.to_string(),
    }
}
