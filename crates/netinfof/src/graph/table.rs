//! Text tables: edge lists and node tables, plain or gzipped.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use super::npz::is_bomb;
use crate::error::{Error, Result};

/// One row of a table: its line number and its cells.
pub(crate) struct Row {
    pub(crate) line: usize,
    pub(crate) cells: Vec<String>,
}

/// Reads a table row by row. The delimiter is found from the first row; comments (`#`, `%`) and blank lines are skipped;
/// every row must have as many cells as the first.
pub(crate) struct Table {
    path: PathBuf,
    reader: Box<dyn BufRead>,
    buffer: Vec<u8>,
    line: usize,
    /// Bytes of the file, and bytes of text read so far.
    size: [u64; 2],
    delimiter: Option<char>,
    width: Option<(usize, usize)>,
    even: bool,
}

/// A longer line is no edge and no node; it would be a binary file.
const MAX_LINE: u64 = 64 << 20;

/// The text of a file, unpacked where it is packed, and the bytes it is packed into (for what is not packed: as many as there can be).
pub(crate) fn opened(path: &Path) -> Result<(Box<dyn BufRead>, u64)> {
    let file = File::open(path).map_err(|e| Error::io(path, e))?;
    let length = file.metadata().map_err(|e| Error::io(path, e))?.len();
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let gzipped = reader.fill_buf().map_err(|e| Error::io(path, e))?.starts_with(&[0x1f, 0x8b]);
    if gzipped {
        return Ok((Box::new(BufReader::new(flate2::bufread::MultiGzDecoder::new(reader))), length));
    }
    // It may also be a stream without a size.
    Ok((Box::new(reader), u64::MAX))
}

impl Table {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let (reader, length) = opened(path)?;
        Ok(Table {
            path: path.to_path_buf(),
            reader,
            buffer: Vec::new(),
            line: 0,
            size: [length, 0],
            delimiter: None,
            width: None,
            even: true,
        })
    }

    /// Whether the text begins so; nothing of it is taken.
    pub(crate) fn begins_with(&mut self, words: &str) -> Result<bool> {
        let start = self.reader.fill_buf().map_err(|e| Error::io(&self.path, e))?;
        Ok(start.starts_with(words.as_bytes()))
    }

    /// Lets rows have different numbers of cells.
    pub(crate) fn uneven(mut self) -> Self {
        self.even = false;
        self
    }

    pub(crate) fn error(&self, line: usize, what: impl Into<String>) -> Error {
        Error::Parse { path: self.path.clone(), line, what: what.into() }
    }

    /// The next row, or `None` at the end.
    pub(crate) fn next_row(&mut self) -> Result<Option<Row>> {
        loop {
            self.buffer.clear();
            let read = (&mut self.reader)
                .take(MAX_LINE)
                .read_until(b'\n', &mut self.buffer)
                .map_err(|e| Error::io(&self.path, e))?;
            if read == 0 {
                return Ok(None);
            }
            self.line += 1;
            self.size[1] += read as u64;
            if is_bomb(self.size[1], self.size[0]) {
                let what =
                    format!("{} bytes unpack to more than {}; this is a trap", self.size[0], self.size[1]);
                return Err(self.error(self.line, what));
            }
            if read as u64 == MAX_LINE {
                return Err(self.error(self.line, "a line of more than 64 MiB; this is not a table"));
            }
            let Ok(text) = std::str::from_utf8(&self.buffer) else {
                return Err(self.error(self.line, "not valid UTF-8 text"));
            };
            let text = text.trim_start_matches('\u{feff}').trim_end_matches(['\n', '\r']);
            if text.trim().is_empty() || text.starts_with(['#', '%']) {
                continue;
            }
            let delimiter = *self.delimiter.get_or_insert_with(|| {
                [',', '\t', ';'].into_iter().find(|&c| text.contains(c)).unwrap_or(' ')
            });
            let cells = split(text, delimiter);
            let (width, first_line) = *self.width.get_or_insert((cells.len(), self.line));
            if self.even && cells.len() != width {
                let what = format!(
                    "{} {} where line {first_line} has {width}",
                    cells.len(),
                    if cells.len() == 1 { "column" } else { "columns" }
                );
                return Err(self.error(self.line, what));
            }
            return Ok(Some(Row { line: self.line, cells }));
        }
    }
}

/// Splits a line; a cell in double quotes may hold the delimiter, a doubled quote stands for one.
fn split(text: &str, delimiter: char) -> Vec<String> {
    if delimiter == ' ' {
        return text.split_whitespace().map(Into::into).collect();
    }
    if !text.contains('"') {
        return text.split(delimiter).map(|cell| cell.trim().into()).collect();
    }
    let mut cells = vec![String::new()];
    let mut quoted = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        let cell = cells.last_mut().expect("never empty");
        if c == '"' {
            if quoted && chars.peek() == Some(&'"') {
                chars.next();
                cell.push('"');
            } else {
                quoted = !quoted;
            }
        } else if c == delimiter && !quoted {
            cells.push(String::new());
        } else {
            cell.push(c);
        }
    }
    cells.iter().map(|cell| cell.trim().to_string()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells() {
        assert_eq!(split("a,b", ','), ["a", "b"]);
        assert_eq!(split(r#""a,1", "b""c""#, ','), ["a,1", "b\"c"]);
        assert_eq!(split("  1 \t 2 ", ' '), ["1", "2"]);
        assert_eq!(split("x\t\ty", '\t'), ["x", "", "y"]);
    }
}
