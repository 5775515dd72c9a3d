//! Tables of results: CSV, TSV, JSON lines or Parquet, chosen by the file name; CSV on standard output.
//!
//! Rows are written as they are computed, so that a table may be larger than memory. A file is written as a whole or not at all.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use netinfof::{Error, Result};
use netinfof_io::parquet::{Column, Kind, Writer};
use netinfof_io::save;

/// One value of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) enum FieldValue<'a> {
    Text(&'a str),
    Int(i64),
    Float(f64),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum TableFormat {
    Delimited(char),
    Lines,
    Parquet,
}

/// The destination of a table and its format.
#[derive(Debug)]
pub(crate) struct ResultTable {
    path: Option<PathBuf>,
    format: TableFormat,
}

/// Rows in one row group of Parquet.
const GROUP: usize = 1 << 17;

impl ResultTable {
    /// Chooses the format by the file name; `None` and `-` are standard output.
    pub(crate) fn new(path: Option<&Path>) -> Result<Self> {
        let Some(path) = path.filter(|path| *path != Path::new("-")) else {
            return Ok(ResultTable { path: None, format: TableFormat::Delimited(',') });
        };
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        let format = match ending.as_str() {
            "csv" | "txt" => TableFormat::Delimited(','),
            "tsv" => TableFormat::Delimited('\t'),
            "jsonl" | "ndjson" => TableFormat::Lines,
            "parquet" => TableFormat::Parquet,
            _ => {
                return Err(Error::InvalidParam {
                    name: "output",
                    value: path.display().to_string(),
                    need: "a file name ending in .csv, .tsv, .jsonl or .parquet".into(),
                });
            }
        };
        Ok(ResultTable { path: Some(path.to_path_buf()), format })
    }

    /// Writes a table with these columns; `fill` is called with the function that takes one row.
    pub(crate) fn write(
        &self,
        columns: &[(&str, Kind)],
        fill: impl FnOnce(&mut dyn FnMut(&[FieldValue<'_>]) -> Result<()>) -> Result<()>,
    ) -> Result<()> {
        // `save::whole` can only report I/O errors. Another error is kept here, the file is discarded, and the error is returned.
        let mut fault = None;
        let run = |out: &mut (dyn Write + Send)| -> std::io::Result<()> {
            let mut rows = RowWriter::new(self.format, columns, out);
            let filled = fill(&mut |values| {
                rows.row(values).map_err(|source| Error::Io { path: self.shown(), source })
            });
            match filled {
                Ok(()) => rows.finish(),
                Err(error) => {
                    fault = Some(error);
                    Err(std::io::ErrorKind::Other.into())
                }
            }
        };
        let written = if let Some(path) = &self.path {
            save::whole(path, |file| {
                let mut out = BufWriter::with_capacity(1 << 16, file);
                run(&mut out)?;
                out.flush()
            })
        } else {
            let mut out = BufWriter::with_capacity(1 << 16, std::io::stdout());
            let written = run(&mut out).and_then(|()| out.flush());
            written.map_err(|source| Error::Io { path: self.shown(), source })
        };
        let error = match (fault, written) {
            (None, Ok(())) => return Ok(()),
            (Some(error), _) | (None, Err(error)) => error,
        };
        match &error {
            // The reader closed the pipe.
            Error::Io { source, .. }
                if self.path.is_none() && source.kind() == std::io::ErrorKind::BrokenPipe =>
            {
                Ok(())
            }
            _ => Err(error),
        }
    }

    fn shown(&self) -> PathBuf {
        self.path.clone().unwrap_or_else(|| "standard output".into())
    }

    /// The file, if the table does not go to standard output.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }
}

/// Writes rows in one of the formats.
struct RowWriter<'a> {
    format: TableFormat,
    columns: &'a [(&'a str, Kind)],
    begun: bool,
    out: Option<&'a mut (dyn Write + Send)>,
    group: Vec<Column>,
    gathered: usize,
    parquet: Option<Writer<&'a mut (dyn Write + Send)>>,
}

impl<'a> RowWriter<'a> {
    fn new(format: TableFormat, columns: &'a [(&'a str, Kind)], out: &'a mut (dyn Write + Send)) -> Self {
        RowWriter {
            format,
            columns,
            begun: false,
            out: Some(out),
            group: Vec::new(),
            gathered: 0,
            parquet: None,
        }
    }

    fn row(&mut self, values: &[FieldValue<'_>]) -> std::io::Result<()> {
        assert_eq!(values.len(), self.columns.len(), "a value a column");
        match self.format {
            TableFormat::Delimited(delimiter) => {
                self.begin_text(delimiter)?;
                let line: Vec<String> = values.iter().map(|&value| text(value, delimiter)).collect();
                self.line(&line.join(&delimiter.to_string()))
            }
            TableFormat::Lines => {
                let fields: Vec<String> = self
                    .columns
                    .iter()
                    .zip(values)
                    .map(|((name, _), &value)| {
                        let value = match value {
                            FieldValue::Text(text) => serde_json::Value::from(text),
                            FieldValue::Int(number) => number.into(),
                            FieldValue::Float(number) => number.into(),
                        };
                        format!("{}:{value}", serde_json::Value::from(*name))
                    })
                    .collect();
                self.line(&format!("{{{}}}", fields.join(",")))
            }
            TableFormat::Parquet => {
                if self.group.is_empty() {
                    let empty = |&(_, kind): &(&str, Kind)| match kind {
                        Kind::Text => Column::Text(Vec::new()),
                        Kind::Int => Column::Int(Vec::new()),
                        Kind::Float => Column::Float(Vec::new()),
                    };
                    self.group = self.columns.iter().map(empty).collect();
                    self.gathered = 0;
                }
                for (column, &value) in self.group.iter_mut().zip(values) {
                    match (column, value) {
                        (Column::Text(values), FieldValue::Text(text)) => values.push(text.into()),
                        (Column::Int(values), FieldValue::Int(number)) => values.push(number),
                        (Column::Float(values), FieldValue::Float(number)) => values.push(number),
                        _ => unreachable!("a column holds one kind"),
                    }
                }
                self.gathered += 1;
                if self.gathered >= GROUP { self.write_group() } else { Ok(()) }
            }
        }
    }

    fn line(&mut self, line: &str) -> std::io::Result<()> {
        let out = self.out.as_mut().expect("texts are written here");
        out.write_all(line.as_bytes())?;
        out.write_all(b"\n")
    }

    fn begin_text(&mut self, delimiter: char) -> std::io::Result<()> {
        if std::mem::replace(&mut self.begun, true) {
            return Ok(());
        }
        let names: Vec<String> =
            self.columns.iter().map(|(name, _)| text(FieldValue::Text(name), delimiter)).collect();
        self.line(&names.join(&delimiter.to_string()))
    }

    fn write_group(&mut self) -> std::io::Result<()> {
        if let Some(out) = self.out.take() {
            self.parquet = Some(Writer::new(out, self.columns)?);
        }
        let group = std::mem::take(&mut self.group);
        match &mut self.parquet {
            Some(parquet) if !group.is_empty() => parquet.write(&group),
            _ => Ok(()),
        }
    }

    fn finish(mut self) -> std::io::Result<()> {
        match self.format {
            TableFormat::Delimited(delimiter) => self.begin_text(delimiter),
            TableFormat::Lines => Ok(()),
            TableFormat::Parquet => {
                self.write_group()?;
                self.parquet.take().map_or(Ok(()), |parquet| parquet.finish().map(|_| ()))
            }
        }
    }
}

/// A value in a delimited table, quoted if necessary. Numbers are the shortest texts that parse to the same value.
fn text(value: FieldValue<'_>, delimiter: char) -> String {
    match value {
        FieldValue::Text(text) => {
            let odd = text.contains([delimiter, '"', '\n', '\r'])
                || text.starts_with(['#', '%', ' '])
                || text.ends_with(' ');
            if odd { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.into() }
        }
        FieldValue::Int(number) => number.to_string(),
        FieldValue::Float(number) => number.to_string(),
    }
}
