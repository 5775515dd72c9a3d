//! Tables: edge lists and node tables, as text (plain, gzipped or in Zstandard) or as Parquet.

mod content;
mod line;

use std::collections::VecDeque;
use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use crate::frame::is_chosen;
use crate::npz::is_bomb;
use crate::parquet::{self, Reader};
use crate::row::{Cell, Row};
use crate::zipped;
use content::other_format;
pub(crate) use content::{is_json, is_json_features};
use line::{cells_in, could_be_row, unclear_row, unquoted};
use netinfof::{Error, Result};

/// Reads a table row by row.
pub(crate) struct Table {
    path: PathBuf,
    source: TableSource,
    /// Rows that were read ahead, and the error after them.
    held: VecDeque<Row>,
    fault: Option<Error>,
    /// Further files of a table in parts, the columns that are read, and the rows of the parts before.
    rest: VecDeque<PathBuf>,
    needed: Option<Vec<usize>>,
    before: usize,
}

/// The files of a table in several Parquet files: a name with `*`, or a folder with nothing else. In the order
/// of their names.
pub(crate) fn parts(path: &Path) -> Result<Option<Vec<PathBuf>>> {
    let pattern = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let is_pattern = pattern.contains('*') && !path.exists();
    let folder = if is_pattern {
        path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
    } else if path.is_dir() {
        path
    } else {
        return Ok(None);
    };
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|e| Error::io(folder, e))? {
        let file = entry.map_err(|e| Error::io(folder, e))?.path();
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let parquet = Path::new(&name).extension().is_some_and(|ending| ending == "parquet");
        // Other programs leave files such as `_SUCCESS` and `.part-0.crc` beside the parts.
        if is_pattern && is_chosen(std::slice::from_ref(&pattern), &name) {
            files.push(file);
        } else if !is_pattern && !name.starts_with(['_', '.']) {
            if !parquet {
                return Ok(None);
            }
            files.push(file);
        }
    }
    if files.is_empty() {
        if is_pattern {
            return Err(Error::io(path, std::io::ErrorKind::NotFound.into()));
        }
        return Ok(None);
    }
    files.sort();
    for file in &files {
        if !parquet::is(file)? {
            let what = "not a Parquet file; only parts of a Parquet table can be read together".into();
            return Err(Error::Format { path: file.clone(), what });
        }
    }
    Ok(Some(files))
}

enum TableSource {
    Text(Lines),
    Parquet(Box<Reader>),
}

/// A text. The delimiter is detected from the first row; comments (`#`, `%`) and blank lines are skipped;
/// every row must have as many cells as the first.
struct Lines {
    reader: Box<dyn BufRead>,
    line: usize,
    /// The first comments above the first row that may also be rows, each with its line.
    unclear: Vec<(usize, String)>,
    /// Bytes of the file, and bytes of text read so far.
    size: [u64; 2],
    delimiter: Option<char>,
    width: Option<(usize, usize)>,
    /// Number of rows so far.
    rows: usize,
    even: bool,
}

/// Maximum length of a line; longer lines occur only in binary files.
const MAX_LINE: u64 = 64 << 20;

/// The text of a file, decompressed if needed, and its compressed size (the maximum if it is not compressed).
pub(crate) fn opened(path: &Path) -> Result<(Box<dyn BufRead>, u64)> {
    let io = |e| Error::io(path, e);
    let file = File::open(path).map_err(io)?;
    let length = file.metadata().map_err(io)?.len();
    let mut reader = BufReader::with_capacity(1 << 16, file);
    let start = reader.fill_buf().map_err(io)?;
    if start.starts_with(b"PK\x03\x04")
        && let Some(member) = zipped::table_in(path)?
    {
        return member.opened(path);
    }
    if start.starts_with(&[0x1f, 0x8b]) {
        return Ok((Box::new(BufReader::new(flate2::bufread::MultiGzDecoder::new(reader))), length));
    }
    if start.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        return unpacked_zstandard(reader, path).map(|unpacked| (unpacked, length));
    }
    // It may also be a stream of unknown size.
    Ok((Box::new(reader), u64::MAX))
}

/// The first bytes of a text, decompressed if needed.
pub(crate) fn start_of(path: &Path) -> Result<Vec<u8>> {
    let (mut reader, _) = opened(path)?;
    reader.fill_buf().map(<[u8]>::to_vec).map_err(|e| Error::io(path, e))
}

/// A whole text, decompressed if needed, for formats that cannot be read row by row.
pub(crate) fn whole_text(path: &Path) -> Result<Vec<u8>> {
    let (mut reader, packed) = opened(path)?;
    let mut text = Vec::new();
    while (&mut reader).take(1 << 24).read_to_end(&mut text).map_err(|e| Error::io(path, e))? > 0 {
        if is_bomb(text.len() as u64, packed) {
            let what =
                format!("{packed} bytes unpack to more than {}; refused as a decompression bomb", text.len());
            return Err(Error::Format { path: path.into(), what });
        }
    }
    Ok(text)
}

#[cfg(feature = "zstd")]
fn unpacked_zstandard(reader: BufReader<File>, path: &Path) -> Result<Box<dyn BufRead>> {
    let unpacked = zstd::stream::read::Decoder::with_buffer(reader).map_err(|e| Error::io(path, e))?;
    Ok(Box::new(BufReader::with_capacity(1 << 16, unpacked)))
}

#[cfg(not(feature = "zstd"))]
fn unpacked_zstandard(_: BufReader<File>, path: &Path) -> Result<Box<dyn BufRead>> {
    let what = "Zstandard is not part of this build; unpack the file first, or pack it with gzip".into();
    Err(Error::Format { path: path.into(), what })
}

impl Table {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let (mut rest, mut path) = (VecDeque::new(), path);
        let mut first = PathBuf::new();
        if let Some(files) = parts(path)? {
            rest = files.into();
            first = rest.pop_front().unwrap_or(first);
            path = &first;
        }
        let source = if parquet::is(path)? {
            TableSource::Parquet(Box::new(Reader::open(path)?))
        } else {
            let (mut reader, length) = opened(path)?;
            let start = reader.fill_buf().map_err(|e| Error::io(path, e))?;
            if let Some(what) = other_format(start) {
                return Err(Error::Format { path: path.into(), what: what.into() });
            }
            let size = [length, 0];
            let unclear = Vec::new();
            TableSource::Text(Lines {
                reader,
                line: 0,
                unclear,
                size,
                delimiter: None,
                width: None,
                rows: 0,
                even: true,
            })
        };
        let path = path.into();
        Ok(Table { path, source, held: VecDeque::new(), fault: None, rest, needed: None, before: 0 })
    }

    /// Whether the text begins like this; nothing is consumed.
    pub(crate) fn begins_with(&mut self, words: &str) -> Result<bool> {
        match &mut self.source {
            TableSource::Parquet(_) => Ok(false),
            TableSource::Text(lines) => {
                let start = lines.reader.fill_buf().map_err(|e| Error::io(&self.path, e))?;
                Ok(start.starts_with(words.as_bytes()))
            }
        }
    }

    /// Whether these words are in the first line of a text, ignoring case; nothing is consumed.
    pub(crate) fn first_line_contains(&mut self, words: &str) -> Result<bool> {
        match &mut self.source {
            TableSource::Parquet(_) => Ok(false),
            TableSource::Text(lines) => {
                let start = lines.reader.fill_buf().map_err(|e| Error::io(&self.path, e))?;
                let line = start.split(|&byte| byte == b'\n').next().unwrap_or_default();
                Ok(String::from_utf8_lossy(line).to_lowercase().contains(words))
            }
        }
    }

    /// Allows rows with different numbers of cells.
    pub(crate) fn uneven(mut self) -> Self {
        if let TableSource::Text(lines) = &mut self.source {
            lines.even = false;
        }
        self
    }

    pub(crate) fn error(&self, line: usize, what: impl Into<String>) -> Error {
        match self.source {
            TableSource::Text(_) => Error::Parse { path: self.path.clone(), line, what: what.into() },
            TableSource::Parquet(_) => {
                Error::Format { path: self.path.clone(), what: format!("row {line}: {}", what.into()) }
            }
        }
    }

    /// The position of a row as text.
    pub(crate) fn place(&self, line: usize) -> String {
        match self.source {
            TableSource::Text(_) => format!("line {line}"),
            TableSource::Parquet(_) => format!("row {line}"),
        }
    }

    /// The error for a comment above the first row that is a row, because one of its further cells is an id.
    pub(crate) fn hidden_row(&mut self, is_id: impl Fn(&Row, &str) -> bool) -> Option<Error> {
        let TableSource::Text(lines) = &self.source else { return None };
        let ([(line, text)], Some(delimiter)) = (&lines.unclear[..], lines.delimiter) else { return None };
        let cells = unquoted(text, delimiter)?;
        let is_row = cells[1..].iter().any(|cell| self.held.iter().any(|row| is_id(row, cell)));
        is_row.then(|| self.error(*line, unclear_row(text)))
    }

    /// Whether the format has column names, so that all rows are data.
    pub(crate) fn is_named(&self) -> bool {
        matches!(self.source, TableSource::Parquet(_))
    }

    /// Whether a column of a typed table holds texts; false for texts, whose columns have no types.
    pub(crate) fn is_text(&self, column: usize) -> bool {
        match &self.source {
            TableSource::Text(_) => false,
            TableSource::Parquet(reader) => reader.is_text(column),
        }
    }

    /// The column names, if the format stores them separately from the rows.
    pub(crate) fn own_names(&self) -> Option<Vec<String>> {
        match &self.source {
            TableSource::Text(_) => None,
            TableSource::Parquet(reader) => Some(reader.names()),
        }
    }

    /// Whether there is an error after the rows that were read ahead.
    pub(crate) fn is_faulty(&self) -> bool {
        self.fault.is_some()
    }

    /// Reads ahead the first rows of a text, as many as fit in a sample; nothing is consumed. Also returns
    /// whether these are all rows. An error in them is reported when the rows before it have been read.
    pub(crate) fn peek(&mut self) -> (&[Row], bool) {
        const ROWS: usize = 1000;
        const BYTES: usize = 1 << 20;
        let mut bytes = 0;
        let mut whole = false;
        assert!(!self.is_named(), "columns are chosen before the first row of a table that has names");
        while self.fault.is_none() && self.held.len() < ROWS && bytes < BYTES {
            let mut row = Row::default();
            match self.read_source(&mut row) {
                Ok(true) => {
                    bytes += row.text.len() + size_of::<Cell>() * row.len();
                    self.held.push_back(row);
                }
                Ok(false) => {
                    whole = true;
                    break;
                }
                Err(error) => self.fault = Some(error),
            }
        }
        (self.held.make_contiguous(), whole)
    }

    /// The first rows of a table with typed columns, with the cells of the first `columns` columns; none if they cannot
    /// be read as cells.
    pub(crate) fn sample(path: &Path, columns: usize) -> Result<Vec<Row>> {
        const ROWS: usize = 1000;
        let mut table = Table::open(path)?;
        let columns: Vec<usize> = (0..columns).collect();
        if table.only(&columns).is_err() {
            return Ok(Vec::new());
        }
        let mut rows = Vec::new();
        while rows.len() < ROWS
            && let Some(row) = table.next_row()?
        {
            rows.push(row);
        }
        Ok(rows)
    }

    /// Restricts reading to these columns; other cells may then be empty. A column that cannot be read as
    /// cells is refused here.
    pub(crate) fn only(&mut self, columns: &[usize]) -> Result<()> {
        match &mut self.source {
            TableSource::Text(_) => Ok(()),
            TableSource::Parquet(reader) => {
                self.needed = Some(columns.to_vec());
                reader.only(columns)
            }
        }
    }

    /// The next row, or `None` at the end.
    pub(crate) fn next_row(&mut self) -> Result<Option<Row>> {
        let mut row = Row::default();
        Ok(self.read(&mut row)?.then_some(row))
    }

    /// Reads the next row into `row`; returns false at the end.
    pub(crate) fn read(&mut self, row: &mut Row) -> Result<bool> {
        if let Some(held) = self.held.pop_front() {
            *row = held;
            return Ok(true);
        }
        if let Some(error) = self.fault.take() {
            return Err(error);
        }
        self.read_source(row)
    }

    fn read_source(&mut self, row: &mut Row) -> Result<bool> {
        let reader = match &mut self.source {
            TableSource::Text(lines) => return lines.read(&self.path, row),
            TableSource::Parquet(reader) => reader,
        };
        loop {
            if reader.read(row)? {
                row.line += self.before;
                return Ok(true);
            }
            let Some(next) = self.rest.pop_front() else { return Ok(false) };
            self.before += reader.rows();
            let names = reader.names();
            **reader = Reader::open(&next)?;
            if reader.names() != names {
                let what = format!(
                    "other columns than in {}; parts of one table were expected",
                    self.path.display()
                );
                return Err(Error::Format { path: next, what });
            }
            if let Some(columns) = &self.needed {
                reader.only(columns)?;
            }
            self.path = next;
        }
    }
}

impl Lines {
    /// The cells of a row with quotes, which may continue on the next lines: a line break in a cell is read as
    /// a space. Where white space separates the cells, a quote that is not closed in its line is a letter.
    fn quoted(&mut self, mut text: String, delimiter: char, path: &Path) -> Result<Vec<String>> {
        const LONGEST: usize = 1 << 20;
        let line = self.line;
        let error =
            |line: usize, what: &str| Err(Error::Parse { path: path.into(), line, what: what.into() });
        loop {
            if let Some(cells) = unquoted(&text, delimiter) {
                return Ok(cells);
            }
            if delimiter == ' ' {
                return Ok(text.split_whitespace().map(String::from).collect());
            }
            loop {
                let mut bytes = Vec::new();
                let read = (&mut self.reader)
                    .take(LONGEST as u64)
                    .read_until(b'\n', &mut bytes)
                    .map_err(|e| Error::io(path, e))?;
                if read == 0 || text.len() + read > LONGEST {
                    return error(
                        line,
                        "a double quote begins a cell and is never closed; double it if it is part of the text",
                    );
                }
                self.line += 1;
                self.size[1] += read as u64;
                let Ok(more) = String::from_utf8(bytes) else {
                    return error(self.line, "not valid UTF-8 text");
                };
                text.push(' ');
                text.push_str(more.trim_end_matches(['\n', '\r']));
                if more.contains('"') {
                    break;
                }
            }
        }
    }

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
                    "{} bytes unpack to more than {}; refused as a decompression bomb",
                    self.size[0], self.size[1]
                ));
            }
            if read as u64 == MAX_LINE {
                return error("a line of more than 64 MiB; not a table".into());
            }
            row.text = match String::from_utf8(bytes) {
                Ok(text) => text,
                Err(fault) => {
                    let wide = fault.as_bytes().starts_with(&[0xff, 0xfe])
                        || fault.as_bytes().starts_with(&[0xfe, 0xff]);
                    return error(format!(
                        "not valid UTF-8 text{}; save the file as UTF-8",
                        if wide { " (it begins as UTF-16 does)" } else { "" }
                    ));
                }
            };
            if row.text.contains('\0') {
                let what = "has a zero byte: the file is damaged, is no text, or is UTF-16; save it as UTF-8";
                return error(what.into());
            }
            let text = row.text.trim_start_matches('\u{feff}').trim_end_matches(['\n', '\r']);
            if text.trim().is_empty() {
                continue;
            }
            if text.starts_with(['#', '%']) {
                if self.even && could_be_row(text) {
                    match (self.delimiter, self.width) {
                        (Some(delimiter), Some((width, _))) if cells_in(text, delimiter) == width => {
                            return error(unclear_row(text));
                        }
                        (None, _) if self.unclear.len() < 2 => {
                            self.unclear.push((self.line, text.to_string()));
                        }
                        _ => {}
                    }
                }
                continue;
            }
            let first_line = self.line;
            let delimiter = if let Some(delimiter) = self.delimiter {
                delimiter
            } else {
                let ahead = self.reader.fill_buf().map_err(|e| Error::io(path, e))?;
                *self.delimiter.insert(delimiter_of(text, ahead))
            };
            if text.contains('"') {
                let start = text.to_string();
                let cells = self.quoted(start, delimiter, path)?;
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
            row.line = first_line;
            let count = row.len();
            // One comment may name the columns; more of them would be rows.
            if self.width.is_none() {
                self.unclear.retain(|(_, text)| cells_in(text, delimiter) == count);
            }
            if let [(line, text), _] = &self.unclear[..] {
                return Err(Error::Parse { path: path.into(), line: *line, what: unclear_row(text) });
            }
            let (width, row_line) = *self.width.get_or_insert((count, first_line));
            if self.even && count != width {
                let neighbours = count.max(width) > 4 && (0..count).all(|at| row.is_number(at));
                let line = first_line;
                let error = |what: String| Err(Error::Parse { path: path.into(), line, what });
                // R's write.table names all columns but that of the row names.
                let row_names = count == width + 1 && self.rows == 1;
                return error(format!(
                    "{count} {} where line {row_line} has {width}{}",
                    if count == 1 { "column" } else { "columns" },
                    if row_names {
                        "; if line 1 names the columns, name each of them (R: `row.names = FALSE`)"
                    } else if neighbours {
                        "; write lists of neighbours as one edge per line"
                    } else {
                        ""
                    }
                ));
            }
            self.rows += 1;
            return Ok(true);
        }
    }
}

/// The delimiter of a text, from its first row and the rows after it. Of several signs in the first row, the
/// right one is in every row as often; a comma may then be a decimal comma.
fn delimiter_of(first: &str, ahead: &[u8]) -> char {
    const LINES: usize = 20;
    let count = |text: &str, delimiter: char| {
        // A quote begins a cell, or follows another quote.
        let (mut quoted, mut may_open) = (false, true);
        text.chars()
            .filter(|&c| {
                let ends = c == delimiter && !quoted;
                if c == '"' && (quoted || may_open) {
                    quoted = !quoted;
                    may_open = true;
                } else {
                    may_open = ends || may_open && c.is_whitespace();
                }
                ends
            })
            .count()
    };
    let present: Vec<char> = [',', '\t', ';'].into_iter().filter(|&c| count(first, c) > 0).collect();
    if let [] | [_] = present[..] {
        return present.first().copied().unwrap_or(' ');
    }
    let mut lines: Vec<&[u8]> = ahead.split(|&byte| byte == b'\n').take(LINES + 1).collect();
    // The last piece may end within a line.
    lines.pop();
    let lines: Vec<String> = lines
        .into_iter()
        .map(|line| String::from_utf8_lossy(line).into_owned())
        .filter(|line| !line.trim().is_empty() && !line.starts_with(['#', '%']))
        .collect();
    let even = |&c: &char| lines.iter().all(|line| count(line, c) == count(first, c));
    ['\t', ';', ','].into_iter().filter(|c| present.contains(c)).find(even).unwrap_or(present[0])
}

#[cfg(test)]
mod tests;
