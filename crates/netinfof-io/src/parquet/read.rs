//! Reading of Parquet files row by row.
//!
//! The decoding library trusts some of the sizes that a file declares, and panics on some inconsistencies. So
//! these sizes are checked against the file first. Remaining panics are caught and reported as an invalid
//! file; the process's panic hook belongs to the caller and is never changed.

mod cells;

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use parquet::basic::{ConvertedType, LogicalType, TimeUnit, Type as Physical};
use parquet::column::page::PageReader;
use parquet::column::reader::ColumnReaderImpl;
use parquet::data_type::{
    BoolType, ByteArrayType, DataType, DoubleType, FixedLenByteArrayType, FloatType, Int32Type, Int64Type,
};
use parquet::errors::{ParquetError, Result as Decoded};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::schema::types::{ColumnDescPtr, SchemaDescriptor};

use cells::{decimal, half, text};

use super::pages::CheckedPages;
use super::{MAGIC, Pairs};
use crate::npz::is_bomb;
use crate::row::Row;
use netinfof::{Error, Result};

/// Reads a Parquet file row by row.
pub(crate) struct Reader {
    path: PathBuf,
    length: u64,
    file: SerializedFileReader<File>,
    fields: Vec<Field>,
    /// The reader of each field; `None` for fields that are not needed.
    columns: Vec<Option<Values>>,
    /// The row group, the number of rows not yet decoded, the decoded rows, and how many of them were
    /// returned.
    group: usize,
    left: usize,
    decoded: usize,
    given: usize,
    row: usize,
}

/// A column of the table: its name, and its index among the leaves of the schema unless it is nested.
struct Field {
    name: String,
    leaf: Option<usize>,
}

impl Reader {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let io = |e| Error::io(path, e);
        let mut file = File::open(path).map_err(io)?;
        let length = file.metadata().map_err(io)?.len();
        check_footer(&mut file, length).map_err(|what| Error::Format { path: path.into(), what })?;
        let file = sound(path, || SerializedFileReader::new(file))?;
        let metadata = file.metadata();
        let fields = fields(metadata.file_metadata().schema_descr());
        let error = |what: String| Err(Error::Format { path: path.into(), what });
        let mut rows = 0u64;
        for group in metadata.row_groups() {
            let Ok(own) = u64::try_from(group.num_rows()) else {
                return error(format!("damaged: a row group claims {} rows", group.num_rows()));
            };
            rows = rows.saturating_add(own);
        }
        // Ids differ between rows, so they cannot compress arbitrarily well; other columns may compress more,
        // within limits.
        if is_bomb(rows.saturating_mul(8), length)
            || is_bomb(rows.saturating_mul(fields.len() as u64), length)
        {
            return error(format!("claims {rows} rows in {length} bytes; refused as a decompression bomb"));
        }
        let columns = fields.iter().map(|_| None).collect();
        let path = path.to_path_buf();
        let mut reader =
            Reader { path, length, file, fields, columns, group: 0, left: 0, decoded: 0, given: 0, row: 0 };
        // By default, all columns that can be read are needed.
        let readable: Vec<usize> =
            (0..reader.fields.len()).filter(|&at| reader.meaning(at).is_ok()).collect();
        reader.only(&readable)?;
        Ok(reader)
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.fields.iter().map(|field| field.name.clone()).collect()
    }

    /// Number of rows read so far.
    pub(crate) fn rows(&self) -> usize {
        self.row
    }

    /// Whether a column holds texts.
    pub(crate) fn is_text(&self, column: usize) -> bool {
        self.fields[column].leaf.is_some_and(|leaf| {
            self.descriptor(leaf).physical_type() == Physical::BYTE_ARRAY
                && self.meaning(column).is_ok_and(|meaning| meaning == Meaning::Plain)
        })
    }

    fn error(&self, what: impl Into<String>) -> Error {
        Error::Format { path: self.path.clone(), what: what.into() }
    }

    fn descriptor(&self, leaf: usize) -> ColumnDescPtr {
        self.file.metadata().file_metadata().schema_descr().column(leaf)
    }

    /// How the values of a column are to be read.
    fn meaning(&self, column: usize) -> Result<Meaning> {
        let Field { name, leaf } = &self.fields[column];
        let need = "numbers or texts were expected (`drop` leaves a feature out)";
        let refused = |what: &str| self.error(format!("column `{name}` holds {what}; {need}"));
        let Some(leaf) = leaf else { return Err(refused("lists, maps or structs")) };
        let column = self.descriptor(*leaf);
        let plain = match column.physical_type() {
            Physical::INT96 => return Err(refused("times of 96 bits")),
            Physical::FIXED_LEN_BYTE_ARRAY => None,
            _ => Some(Meaning::Plain),
        };
        let meaning = match (column.logical_type_ref(), column.converted_type()) {
            (Some(LogicalType::Decimal(decimal)), _) => Some(Meaning::Decimal(decimal.scale)),
            (None, ConvertedType::DECIMAL) => Some(Meaning::Decimal(column.type_scale())),
            (Some(LogicalType::Integer(int)), _) if !int.is_signed => Some(Meaning::Unsigned),
            (
                None,
                ConvertedType::UINT_8
                | ConvertedType::UINT_16
                | ConvertedType::UINT_32
                | ConvertedType::UINT_64,
            ) => Some(Meaning::Unsigned),
            (Some(LogicalType::Float16), _) if column.type_length() == 2 => Some(Meaning::Half),
            (Some(LogicalType::Date), _) | (None, ConvertedType::DATE) => Some(Meaning::Days(1.0)),
            (Some(LogicalType::Timestamp(time)), _) => Some(Meaning::Days(match time.unit {
                TimeUnit::MILLIS => 86_400e3,
                TimeUnit::MICROS => 86_400e6,
                TimeUnit::NANOS => 86_400e9,
            })),
            (None, ConvertedType::TIMESTAMP_MILLIS) => Some(Meaning::Days(86_400e3)),
            (None, ConvertedType::TIMESTAMP_MICROS) => Some(Meaning::Days(86_400e6)),
            (Some(LogicalType::Time(_)), _)
            | (None, ConvertedType::TIME_MILLIS | ConvertedType::TIME_MICROS) => {
                return Err(refused("times of day"));
            }
            _ => plain,
        };
        meaning.ok_or_else(|| refused("bytes"))
    }

    /// Restricts reading to these columns; must be called before the first row.
    pub(crate) fn only(&mut self, columns: &[usize]) -> Result<()> {
        for column in &mut self.columns {
            *column = None;
        }
        for &column in columns {
            let meaning = self.meaning(column)?;
            let leaf = self.fields[column].leaf.expect("what is nested has no meaning");
            let values = Values::new(self.descriptor(leaf).physical_type(), meaning);
            self.columns[column] = Some(values);
        }
        Ok(())
    }

    /// Reads the next row; returns false at the end.
    pub(crate) fn read(&mut self, row: &mut Row) -> Result<bool> {
        row.clear();
        if self.given == self.decoded && !self.decode()? {
            return Ok(false);
        }
        self.given += 1;
        self.row += 1;
        row.line = self.row;
        for (column, field) in self.columns.iter_mut().zip(&self.fields) {
            let Some(values) = column else {
                row.push_text("");
                continue;
            };
            if !values.push_to(row) {
                let what = format!("row {}: column `{}` is not valid UTF-8 text", self.row, field.name);
                return Err(Error::Format { path: self.path.clone(), what });
            }
        }
        Ok(true)
    }

    /// Pairs from two columns, many at a time.
    pub(crate) fn pairs(&mut self, ends: [usize; 2]) -> Result<Pairs> {
        if self.given == self.decoded && !self.decode()? {
            return Ok(Pairs::End);
        }
        self.given = self.decoded;
        self.row += self.decoded;
        let ends = ends.map(|end| self.columns[end].as_ref().and_then(Values::nodes));
        let [Some(i), Some(j)] = ends else { return Ok(Pairs::Other) };
        Ok(Pairs::Numbers(i.into_iter().zip(j).map(|(i, j)| [i, j]).collect()))
    }

    /// Decodes more rows; returns whether there were any.
    fn decode(&mut self) -> Result<bool> {
        while self.left == 0 {
            if self.group == self.file.num_row_groups() {
                return Ok(false);
            }
            self.begin()?;
            self.group += 1;
        }
        // Keeps the memory roughly independent of the number of columns.
        let used = self.columns.iter().flatten().count();
        let count = ((1 << 20) / used.max(1)).clamp(64, 1 << 16).min(self.left);
        let columns = &mut self.columns;
        let short = sound(&self.path, || {
            let mut short = false;
            for values in columns.iter_mut().flatten() {
                short |= values.decode(count)? != count;
            }
            Ok(short)
        })?;
        if short {
            return Err(self.error(format!("damaged: row group {} has fewer rows than declared", self.group)));
        }
        (self.left, self.decoded, self.given) = (self.left - count, count, 0);
        Ok(true)
    }

    /// Begins a row group.
    fn begin(&mut self) -> Result<()> {
        self.check_pages()?;
        let (file, group) = (&self.file, self.group);
        let leaves = self.columns.iter_mut().zip(&self.fields);
        self.left = sound(&self.path, || {
            let group = file.get_row_group(group)?;
            for (values, field) in leaves {
                let (Some(values), Some(leaf)) = (values, field.leaf) else { continue };
                let column = group.metadata().schema_descr().column(leaf);
                let optional = column.max_def_level() > 0;
                let texts = column.physical_type() == Physical::BYTE_ARRAY;
                let pages = CheckedPages { pages: group.get_column_page_reader(leaf)?, optional, texts };
                values.begin(column, Box::new(pages));
            }
            Ok(group.metadata().num_rows() as usize)
        })?;
        Ok(())
    }

    /// Checks that the pages of a row group are inside the file and that none unpacks to an implausible size:
    /// the library allocates as much memory as a page declares.
    fn check_pages(&self) -> Result<()> {
        let group = self.file.metadata().row_group(self.group);
        let damaged =
            |name: &str| self.error(format!("damaged: column `{name}` has pages of inconsistent size"));
        let file = File::open(&self.path).map_err(|e| Error::io(&self.path, e))?;
        let mut input = BufReader::new(file);
        let mut all = 0u64;
        for (values, field) in self.columns.iter().zip(&self.fields) {
            let (Some(_), Some(leaf)) = (values, field.leaf) else { continue };
            let chunk = group.columns().get(leaf).ok_or_else(|| damaged(&field.name))?;
            let start = chunk.dictionary_page_offset().unwrap_or(chunk.data_page_offset());
            let range = u64::try_from(start).ok().zip(u64::try_from(chunk.compressed_size()).ok());
            let range = range.and_then(|(start, size)| Some((start, start.checked_add(size)?)));
            let (mut at, end) =
                range.filter(|range| range.1 <= self.length).ok_or_else(|| damaged(&field.name))?;
            let mut largest = 0;
            while at < end {
                input.seek(SeekFrom::Start(at)).map_err(|e| Error::io(&self.path, e))?;
                let (mut packed, mut unpacked, mut read) = (None, 0, 0);
                let walked = walk(&mut input, &mut read, &mut |path, value| match path {
                    [2] => unpacked = value,
                    [3] => packed = u64::try_from(value).ok(),
                    _ => {}
                });
                let next = packed.and_then(|packed| at.checked_add(read)?.checked_add(packed));
                at = walked.and(next).filter(|&next| next <= end).ok_or_else(|| damaged(&field.name))?;
                largest = largest.max(u64::try_from(unpacked).map_err(|_| damaged(&field.name))?);
            }
            all = all.saturating_add(largest);
        }
        if is_bomb(all, self.length) {
            return Err(self.error(format!(
                "{} bytes unpack to more than {all} at once; refused as a decompression bomb",
                self.length
            )));
        }
        Ok(())
    }
}

/// The columns at the top of a schema.
fn fields(schema: &SchemaDescriptor) -> Vec<Field> {
    let mut leaf = 0;
    let root = schema.root_schema().get_fields();
    let field = |(at, field): (usize, &parquet::schema::types::TypePtr)| {
        let first = leaf;
        while leaf < schema.num_columns() && schema.get_column_root_idx(leaf) == at {
            leaf += 1;
        }
        let flat = field.is_primitive() && leaf == first + 1 && schema.column(first).max_rep_level() == 0;
        Field { name: field.name().to_string(), leaf: flat.then_some(first) }
    };
    root.iter().enumerate().map(field).collect()
}

/// Runs the library on a file; its errors and panics become errors about the file.
fn sound<T>(path: &Path, decode: impl FnOnce() -> Decoded<T>) -> Result<T> {
    let outcome = catch_unwind(AssertUnwindSafe(decode));
    let what = match outcome {
        Ok(Ok(value)) => return Ok(value),
        Ok(Err(ParquetError::External(source))) => source.to_string(),
        Ok(Err(ParquetError::General(what))) if what.starts_with("Disabled feature") => {
            "its compression is not supported; write it with Snappy, Zstandard, gzip or LZ4".into()
        }
        Ok(Err(error)) => error.to_string(),
        Err(_) => "its parts are inconsistent".into(),
    };
    // One line, whatever the message of the library.
    let what = what.split_whitespace().collect::<Vec<_>>().join(" ");
    Err(Error::Format { path: path.into(), what: format!("not a readable Parquet file: {what}") })
}

/// Checks the metadata at the end of the file: it must be inside the file, and nodes of the schema must have
/// as many children as there are nodes, because the library allocates memory for them.
fn check_footer(file: &mut File, length: u64) -> std::result::Result<(), String> {
    let damaged = || "not a readable Parquet file: it does not end with a description of itself".to_string();
    let mut tail = [0; 8];
    let read = file.seek(SeekFrom::End(-8)).and_then(|_| file.read_exact(&mut tail));
    let size = u64::from(u32::from_le_bytes([tail[0], tail[1], tail[2], tail[3]]));
    if read.is_err() || size + 8 > length || &tail[4..] != MAGIC {
        return Err(damaged());
    }
    file.seek(SeekFrom::Start(length - 8 - size)).map_err(|e| e.to_string())?;
    let mut input = BufReader::new(file.take(size));
    let (mut nodes, mut children, mut read) = (0i64, 1i64, 0);
    let walked = walk(&mut input, &mut read, &mut |path, value| match path {
        // The name is the one thing that every node has.
        [2, 4] => nodes += 1,
        [2, 5] => children = children.saturating_add(value.max(0)),
        _ => {}
    });
    if walked.is_none() || children > nodes { Err(damaged()) } else { Ok(()) }
}

/// Parses a structure in Thrift's compact protocol and passes on every number with the path of its field, and
/// the length of texts; `read` is the number of bytes. Lists have the path of their field. `None` if it is
/// invalid.
fn walk(input: &mut impl BufRead, read: &mut u64, each: &mut impl FnMut(&[i16], i64)) -> Option<()> {
    fn byte(input: &mut impl BufRead, read: &mut u64) -> Option<u8> {
        let mut byte = [0];
        input.read_exact(&mut byte).ok()?;
        *read += 1;
        Some(byte[0])
    }
    fn varint(input: &mut impl BufRead, read: &mut u64) -> Option<u64> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let next = byte(input, read)?;
            value |= u64::from(next & 127) << shift;
            if next < 128 {
                return Some(value);
            }
        }
        None
    }
    fn skip(input: &mut impl BufRead, read: &mut u64, count: u64) -> Option<()> {
        let skipped = std::io::copy(&mut input.take(count), &mut std::io::sink()).ok()?;
        *read += skipped;
        (skipped == count).then_some(())
    }
    fn value(
        kind: u8,
        inside: bool,
        input: &mut impl BufRead,
        read: &mut u64,
        path: &mut Vec<i16>,
        each: &mut impl FnMut(&[i16], i64),
    ) -> Option<()> {
        match kind {
            // Booleans are part of their field header, but have one byte in lists.
            1 | 2 if !inside => Some(()),
            1..=3 => byte(input, read).map(|_| ()),
            4..=6 => {
                let raw = varint(input, read)?;
                each(path, (raw >> 1) as i64 ^ -((raw & 1) as i64));
                Some(())
            }
            7 => skip(input, read, 8),
            8 => {
                let length = varint(input, read)?;
                each(path, i64::try_from(length).ok()?);
                skip(input, read, length)
            }
            9 | 10 => {
                let head = byte(input, read)?;
                let count = if head >> 4 == 15 { varint(input, read)? } else { u64::from(head >> 4) };
                // Parquet metadata has no maps and no lists of lists, which could overflow the stack.
                if matches!(head & 15, 9..=11) {
                    return None;
                }
                for _ in 0..count {
                    value(head & 15, true, input, read, path, each)?;
                }
                Some(())
            }
            12 => fields(input, read, path, each),
            _ => None,
        }
    }
    fn fields(
        input: &mut impl BufRead,
        read: &mut u64,
        path: &mut Vec<i16>,
        each: &mut impl FnMut(&[i16], i64),
    ) -> Option<()> {
        // Parquet metadata is never nested deeper.
        if path.len() > 16 {
            return None;
        }
        path.push(0);
        loop {
            let head = byte(input, read)?;
            if head == 0 {
                path.pop();
                return Some(());
            }
            let last = path.last_mut()?;
            *last = match head >> 4 {
                0 => {
                    let raw = varint(input, read)?;
                    i16::try_from((raw >> 1) as i64 ^ -((raw & 1) as i64)).ok()?
                }
                step => last.checked_add(i16::from(step))?,
            };
            value(head & 15, false, input, read, path, each)?;
        }
    }
    fields(input, read, &mut Vec::new(), each)
}

/// The meaning of the stored values.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Meaning {
    Plain,
    Unsigned,
    /// Decimals: whole numbers with this many digits after the point.
    Decimal(i32),
    /// Numbers of 16 bits.
    Half,
    /// Dates or times, with this many units per day.
    Days(f64),
}

/// Decoded values of one column: the present values, and which rows have one if some are missing.
struct Values {
    stored: StoredColumn,
    meaning: Meaning,
    levels: Vec<i16>,
    row: usize,
    value: usize,
}

/// The reader of a column in the current row group, and the last values it read.
struct Typed<T: DataType> {
    reader: Option<ColumnReaderImpl<T>>,
    values: Vec<T::T>,
}

enum StoredColumn {
    Bool(Typed<BoolType>),
    Int32(Typed<Int32Type>),
    Int64(Typed<Int64Type>),
    Float(Typed<FloatType>),
    Double(Typed<DoubleType>),
    Bytes(Typed<ByteArrayType>),
    Fixed(Typed<FixedLenByteArrayType>),
}

impl<T: DataType> Typed<T> {
    fn new() -> Self {
        Typed { reader: None, values: Vec::new() }
    }

    fn decode(&mut self, count: usize, levels: &mut Vec<i16>) -> Decoded<usize> {
        self.values.clear();
        let reader = self.reader.as_mut().expect("a row group has begun");
        Ok(reader.read_records(count, Some(levels), None, &mut self.values)?.0)
    }
}

/// The same for a column of any type.
macro_rules! each {
    ($stored:expr, $typed:ident => $do:expr) => {
        match $stored {
            StoredColumn::Bool($typed) => $do,
            StoredColumn::Int32($typed) => $do,
            StoredColumn::Int64($typed) => $do,
            StoredColumn::Float($typed) => $do,
            StoredColumn::Double($typed) => $do,
            StoredColumn::Bytes($typed) => $do,
            StoredColumn::Fixed($typed) => $do,
        }
    };
}

impl Values {
    fn new(physical: Physical, meaning: Meaning) -> Self {
        let stored = match physical {
            Physical::BOOLEAN => StoredColumn::Bool(Typed::new()),
            Physical::INT32 => StoredColumn::Int32(Typed::new()),
            Physical::INT64 => StoredColumn::Int64(Typed::new()),
            Physical::FLOAT => StoredColumn::Float(Typed::new()),
            Physical::DOUBLE => StoredColumn::Double(Typed::new()),
            Physical::BYTE_ARRAY => StoredColumn::Bytes(Typed::new()),
            // 96-bit timestamps are not supported.
            Physical::FIXED_LEN_BYTE_ARRAY | Physical::INT96 => StoredColumn::Fixed(Typed::new()),
        };
        Values { stored, meaning, levels: Vec::new(), row: 0, value: 0 }
    }

    fn begin(&mut self, column: ColumnDescPtr, pages: Box<dyn PageReader>) {
        each!(&mut self.stored, typed => typed.reader = Some(ColumnReaderImpl::new(column, pages)));
    }

    /// Decodes up to this many rows; returns their number.
    fn decode(&mut self, count: usize) -> Decoded<usize> {
        self.levels.clear();
        (self.row, self.value) = (0, 0);
        each!(&mut self.stored, typed => typed.decode(count, &mut self.levels))
    }

    /// Writes the cell of the next row; returns false if it is not valid text.
    fn push_to(&mut self, row: &mut Row) -> bool {
        let missing = self.levels.get(self.row).is_some_and(|&level| level == 0);
        self.row += 1;
        if missing {
            row.push_text("");
            return true;
        }
        let at = self.value;
        self.value += 1;
        match (&self.stored, self.meaning) {
            (StoredColumn::Bool(typed), _) => row.push_bool(typed.values[at]),
            (StoredColumn::Int32(typed), Meaning::Days(units)) => {
                row.push_day(f64::from(typed.values[at]) / units);
            }
            (StoredColumn::Int64(typed), Meaning::Days(units)) => {
                row.push_day(typed.values[at] as f64 / units);
            }
            (StoredColumn::Int32(typed), Meaning::Unsigned) => {
                row.push_int(i64::from(typed.values[at] as u32));
            }
            (StoredColumn::Int64(typed), Meaning::Unsigned) => match i64::try_from(typed.values[at] as u64) {
                Ok(value) => row.push_int(value),
                Err(_) => row.push_text(&(typed.values[at] as u64).to_string()),
            },
            (StoredColumn::Int32(typed), Meaning::Decimal(scale)) if scale != 0 => {
                row.push_float(f64::from(typed.values[at]) / 10f64.powi(scale));
            }
            (StoredColumn::Int64(typed), Meaning::Decimal(scale)) if scale != 0 => {
                row.push_float(typed.values[at] as f64 / 10f64.powi(scale));
            }
            (StoredColumn::Int32(typed), _) => row.push_int(i64::from(typed.values[at])),
            (StoredColumn::Int64(typed), _) => row.push_int(typed.values[at]),
            (StoredColumn::Float(typed), _) => row.push_single(typed.values[at]),
            (StoredColumn::Double(typed), _) => row.push_float(typed.values[at]),
            (StoredColumn::Bytes(typed), Meaning::Decimal(scale)) => {
                row.push_float(decimal(typed.values[at].data(), scale));
            }
            (StoredColumn::Fixed(typed), Meaning::Decimal(scale)) => {
                row.push_float(decimal(typed.values[at].data(), scale));
            }
            (StoredColumn::Fixed(typed), _) => row.push_float(half(&typed.values[at])),
            (StoredColumn::Bytes(typed), _) => return text(&typed.values[at], row),
        }
        true
    }

    /// All values as node numbers; `None` if some are missing or not node numbers.
    fn nodes(&self) -> Option<Vec<u32>> {
        if self.levels.contains(&0) {
            return None;
        }
        match (&self.stored, self.meaning) {
            (StoredColumn::Int32(typed), Meaning::Unsigned) => {
                Some(typed.values.iter().map(|&v| v as u32).collect())
            }
            (StoredColumn::Int32(typed), Meaning::Plain) => {
                typed.values.iter().map(|&v| u32::try_from(v).ok()).collect()
            }
            (StoredColumn::Int64(typed), Meaning::Plain | Meaning::Unsigned) => {
                typed.values.iter().map(|&v| u32::try_from(v).ok()).collect()
            }
            _ => None,
        }
    }
}
