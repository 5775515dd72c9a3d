//! Tables of results: CSV, TSV, JSON lines or Parquet, by the name of the file; CSV to standard output.
//!
//! Rows are written as they come, so that tables may be longer than memory; a file appears as a whole or not at all.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use netinfof::{Error, Result};
use netinfof_io::parquet::{Column, Kind, Writer};
use netinfof_io::save;

/// One value.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Cell<'a> {
    Text(&'a str),
    Int(i64),
    Float(f64),
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Delimited(char),
    Lines,
    Parquet,
}

/// Where a table goes.
#[derive(Debug)]
pub(crate) struct Sheet {
    path: Option<PathBuf>,
    form: Form,
}

/// Rows of Parquet that are gathered before they are written.
const GROUP: usize = 1 << 17;

impl Sheet {
    /// By the name of the file; `None` and `-` are standard output.
    pub(crate) fn new(path: Option<&Path>) -> Result<Self> {
        let Some(path) = path.filter(|path| *path != Path::new("-")) else {
            return Ok(Sheet { path: None, form: Form::Delimited(',') });
        };
        let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
        let form = match ending.as_str() {
            "csv" | "txt" => Form::Delimited(','),
            "tsv" => Form::Delimited('\t'),
            "jsonl" | "ndjson" => Form::Lines,
            "parquet" => Form::Parquet,
            _ => {
                return Err(Error::InvalidParam {
                    name: "output",
                    value: path.display().to_string(),
                    need: "a name that ends in .csv, .tsv, .jsonl or .parquet".into(),
                });
            }
        };
        Ok(Sheet { path: Some(path.to_path_buf()), form })
    }

    /// Writes a table of these columns; `fill` is handed what takes the rows.
    pub(crate) fn write(
        &self,
        columns: &[(&str, Kind)],
        fill: impl FnOnce(&mut dyn FnMut(&[Cell<'_>]) -> Result<()>) -> Result<()>,
    ) -> Result<()> {
        // What goes wrong inside is kept here: the file is given up for any fault, and the first one is told.
        let mut fault = None;
        let run = |out: &mut (dyn Write + Send)| -> std::io::Result<()> {
            let mut rows = Rows::new(self.form, columns, out);
            let filled =
                fill(&mut |cells| rows.row(cells).map_err(|source| Error::Io { path: self.shown(), source }));
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
            // Whoever reads has had enough.
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

    /// Where it went, for a last line.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }
}

/// Rows on their way out.
struct Rows<'a> {
    form: Form,
    columns: &'a [(&'a str, Kind)],
    begun: bool,
    out: Option<&'a mut (dyn Write + Send)>,
    group: Vec<Column>,
    gathered: usize,
    parquet: Option<Writer<&'a mut (dyn Write + Send)>>,
}

impl<'a> Rows<'a> {
    fn new(form: Form, columns: &'a [(&'a str, Kind)], out: &'a mut (dyn Write + Send)) -> Self {
        Rows { form, columns, begun: false, out: Some(out), group: Vec::new(), gathered: 0, parquet: None }
    }

    fn row(&mut self, cells: &[Cell<'_>]) -> std::io::Result<()> {
        assert_eq!(cells.len(), self.columns.len(), "a cell a column");
        match self.form {
            Form::Delimited(delimiter) => {
                self.begin_text(delimiter)?;
                let line: Vec<String> = cells.iter().map(|&cell| text(cell, delimiter)).collect();
                self.line(&line.join(&delimiter.to_string()))
            }
            Form::Lines => {
                let fields: Vec<String> = self
                    .columns
                    .iter()
                    .zip(cells)
                    .map(|((name, _), &cell)| {
                        let value = match cell {
                            Cell::Text(text) => serde_json::Value::from(text),
                            Cell::Int(number) => number.into(),
                            Cell::Float(number) => number.into(),
                        };
                        format!("{}:{value}", serde_json::Value::from(*name))
                    })
                    .collect();
                self.line(&format!("{{{}}}", fields.join(",")))
            }
            Form::Parquet => {
                if self.group.is_empty() {
                    let empty = |&(_, kind): &(&str, Kind)| match kind {
                        Kind::Text => Column::Text(Vec::new()),
                        Kind::Int => Column::Int(Vec::new()),
                        Kind::Float => Column::Float(Vec::new()),
                    };
                    self.group = self.columns.iter().map(empty).collect();
                    self.gathered = 0;
                }
                for (column, &cell) in self.group.iter_mut().zip(cells) {
                    match (column, cell) {
                        (Column::Text(values), Cell::Text(text)) => values.push(text.into()),
                        (Column::Int(values), Cell::Int(number)) => values.push(number),
                        (Column::Float(values), Cell::Float(number)) => values.push(number),
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
            self.columns.iter().map(|(name, _)| text(Cell::Text(name), delimiter)).collect();
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
        match self.form {
            Form::Delimited(delimiter) => self.begin_text(delimiter),
            Form::Lines => Ok(()),
            Form::Parquet => {
                self.write_group()?;
                self.parquet.take().map_or(Ok(()), |parquet| parquet.finish().map(|_| ()))
            }
        }
    }
}

/// A cell of a delimited table, quoted where it must be. Numbers are the shortest that read back the same.
fn text(cell: Cell<'_>, delimiter: char) -> String {
    match cell {
        Cell::Text(text) => {
            let odd = text.contains([delimiter, '"', '\n', '\r'])
                || text.starts_with(['#', '%', ' '])
                || text.ends_with(' ');
            if odd { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.into() }
        }
        Cell::Int(number) => number.to_string(),
        Cell::Float(number) => number.to_string(),
    }
}
