//! Parquet files: columnar tables, as written by data frame libraries.

#[cfg(not(feature = "parquet"))]
mod absent;
#[cfg(feature = "parquet")]
mod pages;
#[cfg(feature = "parquet")]
mod read;
#[cfg(feature = "parquet")]
mod write;

use std::fs::File;
use std::io::{Read, Seek as _, SeekFrom};
use std::path::Path;

use netinfof::{Error, Result};

#[cfg(not(feature = "parquet"))]
pub(crate) use absent::Reader;
#[cfg(not(feature = "parquet"))]
pub use absent::Writer;
#[cfg(feature = "parquet")]
pub(crate) use read::Reader;
#[cfg(feature = "parquet")]
pub use write::Writer;

const MAGIC: &[u8] = b"PAR1";

/// Whether a file is Parquet, possibly truncated. An edge list may also begin with these letters.
pub(crate) fn is(path: &Path) -> Result<bool> {
    let io = |e| Error::io(path, e);
    // A source that can be read only once, such as a pipe, must not be opened: Parquet is read from its end.
    if !std::fs::metadata(path).map_err(io)?.is_file() {
        return Ok(false);
    }
    let mut file = File::open(path).map_err(io)?;
    let mut start = Vec::new();
    (&mut file).take(5).read_to_end(&mut start).map_err(io)?;
    if !start.starts_with(MAGIC) {
        return Ok(false);
    }
    let mut end = Vec::new();
    file.seek(SeekFrom::End(-4)).and_then(|_| file.read_to_end(&mut end)).map_err(io)?;
    Ok(end == MAGIC || start.get(4).is_none_or(|&byte| byte.is_ascii_control() && !b"\t\r\n".contains(&byte)))
}

/// Some pairs of a table.
#[cfg_attr(not(feature = "parquet"), expect(dead_code, reason = "made by the reader alone"))]
pub(crate) enum Pairs {
    /// Whole numbers below 2³², none of them missing.
    Numbers(Vec<[u32; 2]>),
    /// Anything else.
    Other,
    /// The end of the table.
    End,
}

/// Values of one column.
#[derive(Clone, Debug, PartialEq)]
pub enum Column {
    /// Texts.
    Text(Vec<String>),
    /// Whole numbers.
    Int(Vec<i64>),
    /// Numbers.
    Float(Vec<f64>),
}

impl Column {
    #[cfg(feature = "parquet")]
    fn kind(&self) -> Kind {
        match self {
            Column::Text(_) => Kind::Text,
            Column::Int(_) => Kind::Int,
            Column::Float(_) => Kind::Float,
        }
    }

    #[cfg(feature = "parquet")]
    fn len(&self) -> usize {
        match self {
            Column::Text(values) => values.len(),
            Column::Int(values) => values.len(),
            Column::Float(values) => values.len(),
        }
    }
}

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Texts.
    Text,
    /// Whole numbers of 64 bits.
    Int,
    /// Numbers of 64 bits.
    Float,
}
