//! Writing of tables to Parquet files.

use std::io::{Result, Write};
use std::sync::Arc;

use parquet::basic::{Compression, ConvertedType, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use super::{Column, Kind};

/// Writes a table to `out`, row group by row group. A file is readable only after [`Writer::finish`].
///
/// ```
/// use netinfof_io::parquet::{Column, Kind, Writer};
/// let mut table = Writer::new(Vec::new(), &[("id", Kind::Text), ("degree", Kind::Int)])?;
/// table.write(&[Column::Text(vec!["a".into(), "b".into()]), Column::Int(vec![3, 1])])?;
/// assert!(table.finish()?.starts_with(b"PAR1"));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Writer<W: Write + Send> {
    file: SerializedFileWriter<W>,
    kinds: Vec<Kind>,
}

impl<W: Write + Send> Writer<W> {
    /// Begins a table with these columns; missing values are not supported.
    pub fn new(out: W, columns: &[(&str, Kind)]) -> Result<Self> {
        let field = |&(name, kind): &(&str, Kind)| {
            let physical = match kind {
                Kind::Text => Physical::BYTE_ARRAY,
                Kind::Int => Physical::INT64,
                Kind::Float => Physical::DOUBLE,
            };
            let field = Type::primitive_type_builder(name, physical).with_repetition(Repetition::REQUIRED);
            let field = match kind {
                Kind::Text => field
                    .with_logical_type(Some(LogicalType::String))
                    .with_converted_type(ConvertedType::UTF8),
                Kind::Int | Kind::Float => field,
            };
            field.build().map(Arc::new)
        };
        let fields = columns.iter().map(field).collect::<std::result::Result<_, _>>().map_err(io)?;
        let schema = Type::group_type_builder("schema").with_fields(fields).build().map_err(io)?;
        // Level 1: ids and sparse features compress about as well as at higher levels.
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_created_by(concat!("netinfof ", env!("CARGO_PKG_VERSION")).into())
            .build();
        let file = SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties)).map_err(io)?;
        Ok(Writer { file, kinds: columns.iter().map(|&(_, kind)| kind).collect() })
    }

    /// Writes some rows as one row group: all columns, of equal length. Groups of at least 100 000 rows are
    /// fast to read; memory grows with the number of rows per call.
    pub fn write(&mut self, columns: &[Column]) -> Result<()> {
        assert!(
            columns.iter().map(Column::kind).eq(self.kinds.iter().copied())
                && columns.windows(2).all(|pair| pair[0].len() == pair[1].len()),
            "as many columns as the table has, of its kinds and of one length"
        );
        let mut group = self.file.next_row_group().map_err(io)?;
        for column in columns {
            let mut out = group.next_column().map_err(io)?.expect("as many columns as the schema has");
            match column {
                Column::Text(values) => {
                    let texts: Vec<ByteArray> = values.iter().map(|text| text.as_str().into()).collect();
                    out.typed::<ByteArrayType>().write_batch(&texts, None, None).map_err(io)?;
                }
                Column::Int(values) => {
                    out.typed::<Int64Type>().write_batch(values, None, None).map_err(io)?;
                }
                Column::Float(values) => {
                    out.typed::<DoubleType>().write_batch(values, None, None).map_err(io)?;
                }
            }
            out.close().map_err(io)?;
        }
        group.close().map_err(io)?;
        Ok(())
    }

    /// Ends the table and returns the output.
    pub fn finish(self) -> Result<W> {
        self.file.into_inner().map_err(io)
    }
}

/// Converts an error of the library to an I/O error, which it usually is.
fn io(error: ParquetError) -> std::io::Error {
    match error {
        ParquetError::External(inner) => match inner.downcast::<std::io::Error>() {
            Ok(inner) => *inner,
            Err(inner) => std::io::Error::other(inner),
        },
        other => std::io::Error::other(other),
    }
}
