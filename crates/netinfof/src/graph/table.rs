//! Tables: edge lists and node tables, as text (plain, gzipped or in Zstandard) or as Parquet.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use super::npz::is_bomb;
use super::parquet::{self, Reader};
use crate::error::{Error, Result};

/// One row of a table: its number (the line of a text) and its cells. Rows are read into the same one again and again, so that
/// cells cost no memory of their own.
#[derive(Clone, Debug, Default)]
pub(crate) struct Row {
    pub(crate) line: usize,
    text: String,
    cells: Vec<Cell>,
}

/// A cell: where it stands in the row's text, or a number of a table that has numbers.
#[derive(Clone, Copy, Debug)]
enum Cell {
    Text(usize, usize),
    Int(i64),
    Float(f64),
}

impl Row {
    /// How many cells there are.
    pub(crate) fn len(&self) -> usize {
        self.cells.len()
    }

    /// A cell as text; what is missing is empty, beyond the end too.
    pub(crate) fn cell(&self, at: usize) -> Cow<'_, str> {
        match self.cells.get(at) {
            None => "".into(),
            Some(&Cell::Text(start, end)) => self.text[start..end].into(),
            Some(Cell::Int(value)) => value.to_string().into(),
            Some(Cell::Float(value)) => value.to_string().into(),
        }
    }

    /// All cells as text.
    pub(crate) fn cells(&self) -> impl Iterator<Item = Cow<'_, str>> {
        (0..self.len()).map(|at| self.cell(at))
    }

    /// A cell as a finite number.
    pub(crate) fn number(&self, at: usize) -> Option<f32> {
        let value = match *self.cells.get(at)? {
            Cell::Text(start, end) => self.text[start..end].parse().ok()?,
            Cell::Int(value) => value as f32,
            Cell::Float(value) => value as f32,
        };
        value.is_finite().then_some(value)
    }

    pub(crate) fn clear(&mut self) {
        self.text.clear();
        self.cells.clear();
    }

    pub(crate) fn push_text(&mut self, cell: &str) {
        let start = self.text.len();
        self.text.push_str(cell);
        self.cells.push(Cell::Text(start, self.text.len()));
    }

    pub(crate) fn push_int(&mut self, cell: i64) {
        self.cells.push(Cell::Int(cell));
    }

    pub(crate) fn push_float(&mut self, cell: f64) {
        self.cells.push(Cell::Float(cell));
    }
}

/// Reads a table row by row.
pub(crate) struct Table {
    path: PathBuf,
    source: Source,
    /// Rows that were looked at already and are still to be given.
    held: VecDeque<Row>,
}

enum Source {
    Text(Lines),
    Parquet(Box<Reader>),
}

/// A text. The delimiter is found from the first row; comments (`#`, `%`) and blank lines are skipped; every row must have as
/// many cells as the first.
struct Lines {
    reader: Box<dyn BufRead>,
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
    let io = |e| Error::io(path, e);
    let file = File::open(path).map_err(io)?;
    let length = file.metadata().map_err(io)?.len();
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let start = reader.fill_buf().map_err(io)?;
    if start.starts_with(&[0x1f, 0x8b]) {
        return Ok((Box::new(BufReader::new(flate2::bufread::MultiGzDecoder::new(reader))), length));
    }
    if start.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        let unpacked = zstd::stream::read::Decoder::with_buffer(reader).map_err(io)?;
        return Ok((Box::new(BufReader::with_capacity(1 << 16, unpacked)), length));
    }
    // It may also be a stream without a size.
    Ok((Box::new(reader), u64::MAX))
}

impl Table {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let source = if parquet::is(path)? {
            Source::Parquet(Box::new(Reader::open(path)?))
        } else {
            let (reader, length) = opened(path)?;
            let size = [length, 0];
            Source::Text(Lines { reader, line: 0, size, delimiter: None, width: None, even: true })
        };
        Ok(Table { path: path.into(), source, held: VecDeque::new() })
    }

    /// Whether the text begins so; nothing of it is taken.
    pub(crate) fn begins_with(&mut self, words: &str) -> Result<bool> {
        match &mut self.source {
            Source::Parquet(_) => Ok(false),
            Source::Text(lines) => {
                let start = lines.reader.fill_buf().map_err(|e| Error::io(&self.path, e))?;
                Ok(start.starts_with(words.as_bytes()))
            }
        }
    }

    /// Lets rows have different numbers of cells.
    pub(crate) fn uneven(mut self) -> Self {
        if let Source::Text(lines) = &mut self.source {
            lines.even = false;
        }
        self
    }

    pub(crate) fn error(&self, line: usize, what: impl Into<String>) -> Error {
        match self.source {
            Source::Text(_) => Error::Parse { path: self.path.clone(), line, what: what.into() },
            Source::Parquet(_) => {
                Error::Format { path: self.path.clone(), what: format!("row {line}: {}", what.into()) }
            }
        }
    }

    /// A row's place in words.
    pub(crate) fn place(&self, line: usize) -> String {
        match self.source {
            Source::Text(_) => format!("line {line}"),
            Source::Parquet(_) => format!("row {line}"),
        }
    }

    /// Whether the columns always have names, and rows are data alone.
    pub(crate) fn is_named(&self) -> bool {
        matches!(self.source, Source::Parquet(_))
    }

    /// How many columns there are, as far as that is known before a row was read, and their names where the table has names:
    /// always, or a first row that `is_header` takes for names, which gets the row after it too.
    pub(crate) fn header(
        &mut self,
        is_header: impl FnOnce(&Row, Option<&Row>) -> bool,
    ) -> Result<(usize, Option<Vec<String>>)> {
        if let Source::Parquet(reader) = &self.source {
            let names = reader.names();
            return Ok((names.len(), Some(names)));
        }
        let Some(first) = self.next_row()? else { return Ok((0, None)) };
        let second = self.next_row()?;
        let width = first.len();
        let names = is_header(&first, second.as_ref()).then(|| first.cells().map(Cow::into_owned).collect());
        let data = [names.is_none().then_some(first), second];
        self.held.extend(data.into_iter().flatten());
        Ok((width, names))
    }

    /// Says that no other columns are needed; their cells may then be empty. A column that cannot be read as cells is refused here.
    pub(crate) fn only(&mut self, columns: &[usize]) -> Result<()> {
        match &mut self.source {
            Source::Text(_) => Ok(()),
            Source::Parquet(reader) => reader.only(columns),
        }
    }

    /// The next row, or `None` at the end.
    pub(crate) fn next_row(&mut self) -> Result<Option<Row>> {
        let mut row = Row::default();
        Ok(self.read(&mut row)?.then_some(row))
    }

    /// Reads the next row into `row`; none is left where this is false.
    pub(crate) fn read(&mut self, row: &mut Row) -> Result<bool> {
        if let Some(held) = self.held.pop_front() {
            *row = held;
            return Ok(true);
        }
        match &mut self.source {
            Source::Text(lines) => lines.read(&self.path, row),
            Source::Parquet(reader) => reader.read(row),
        }
    }
}

impl Lines {
    fn read(&mut self, path: &Path, row: &mut Row) -> Result<bool> {
        loop {
            row.cells.clear();
            let mut bytes = std::mem::take(&mut row.text).into_bytes();
            bytes.clear();
            let read = (&mut self.reader)
                .take(MAX_LINE)
                .read_until(b'\n', &mut bytes)
                .map_err(|e| Error::io(path, e))?;
            if read == 0 {
                return Ok(false);
            }
            self.line += 1;
            self.size[1] += read as u64;
            let error = |what: String| Err(Error::Parse { path: path.into(), line: self.line, what });
            if is_bomb(self.size[1], self.size[0]) {
                return error(format!(
                    "{} bytes unpack to more than {}; this is a trap",
                    self.size[0], self.size[1]
                ));
            }
            if read as u64 == MAX_LINE {
                return error("a line of more than 64 MiB; this is not a table".into());
            }
            row.text = match String::from_utf8(bytes) {
                Ok(text) => text,
                Err(_) => return error("not valid UTF-8 text".into()),
            };
            let text = row.text.trim_start_matches('\u{feff}').trim_end_matches(['\n', '\r']);
            if text.trim().is_empty() || text.starts_with(['#', '%']) {
                continue;
            }
            let delimiter = *self.delimiter.get_or_insert_with(|| {
                [',', '\t', ';'].into_iter().find(|&c| text.contains(c)).unwrap_or(' ')
            });
            if delimiter != ' ' && text.contains('"') {
                let cells = unquoted(text, delimiter);
                row.clear();
                for cell in &cells {
                    row.push_text(cell);
                }
            } else {
                let start = row.text.as_ptr() as usize;
                let place = |cell: &str| {
                    let at = cell.as_ptr() as usize - start;
                    Cell::Text(at, at + cell.len())
                };
                if delimiter == ' ' {
                    row.cells.extend(text.split_whitespace().map(place));
                } else {
                    row.cells.extend(text.split(delimiter).map(|cell| place(cell.trim())));
                }
            }
            row.line = self.line;
            let count = row.len();
            let (width, first_line) = *self.width.get_or_insert((count, self.line));
            if self.even && count != width {
                return error(format!(
                    "{count} {} where line {first_line} has {width}",
                    if count == 1 { "column" } else { "columns" }
                ));
            }
            return Ok(true);
        }
    }
}

/// Splits a line in which a cell in double quotes may hold the delimiter; a doubled quote stands for one.
fn unquoted(text: &str, delimiter: char) -> Vec<String> {
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
        let path = std::env::temp_dir().join(format!("netinfof-cells-{}.txt", std::process::id()));
        for (text, expected) in [
            ("a,b", vec!["a", "b"]),
            (r#""a,1", "b""c""#, vec!["a,1", "b\"c"]),
            ("\u{feff}  1 \t 2 \r\n", vec!["1", "2"]),
            ("x\t\ty", vec!["x", "", "y"]),
            ("a ; b;ü ", vec!["a", "b", "ü"]),
        ] {
            std::fs::write(&path, text).unwrap();
            let row = Table::open(&path).unwrap().next_row().unwrap().unwrap();
            let found: Vec<String> = row.cells().map(Cow::into_owned).collect();
            assert_eq!(found, expected);
        }
        std::fs::remove_file(path).unwrap();
    }
}
