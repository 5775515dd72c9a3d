//! MATLAB 5 files: numeric matrices, dense and sparse, compressed or not. Cells, structures and text are
//! skipped.

use std::collections::BTreeMap;
use std::io::Read as _;
use std::path::Path;

use netinfof::{Error, Result};

/// A matrix of a MATLAB file.
#[derive(Debug, PartialEq)]
pub(crate) enum Variable {
    /// Values column by column.
    Dense { rows: usize, cols: usize, values: Vec<f64> },
    /// Row of every entry, column by column, and the start of each column.
    Sparse { rows: usize, starts: Vec<usize>, indices: Vec<u32>, values: Vec<f64> },
}

/// Maximum size of a matrix in bytes.
const MAX_BYTES: u64 = 1 << 34;

const MATRIX: u32 = 14;
const COMPRESSED: u32 = 15;
const SPARSE: u8 = 5;

/// Reads all matrices of a file, by name.
pub(crate) fn read(path: &Path) -> Result<BTreeMap<String, Variable>> {
    let bytes = std::fs::read(path).map_err(|e| Error::io(path, e))?;
    variables(&bytes).map_err(|what| Error::Format { path: path.into(), what })
}

/// An element's kind and content.
struct Element<'a> {
    kind: u32,
    data: &'a [u8],
}

/// Removes the next element from the front.
fn element<'a>(rest: &mut &'a [u8]) -> std::result::Result<Element<'a>, String> {
    let word =
        |at: usize| rest.get(at..at + 4).map(|b| u32::from_le_bytes(b.try_into().expect("four bytes")));
    let first = word(0).ok_or("the file ends within a tag")?;
    // Up to four bytes are stored in the tag itself.
    if first >> 16 != 0 {
        let (kind, length) = (first & 0xffff, (first >> 16) as usize);
        let data = rest
            .get(4..8)
            .and_then(|data| data.get(..length))
            .ok_or("a small element of more than four bytes")?;
        *rest = &rest[8..];
        return Ok(Element { kind, data });
    }
    let length = word(4).ok_or("the file ends within a tag")? as usize;
    let data = rest.get(8..).and_then(|data| data.get(..length));
    let data = data.ok_or_else(|| {
        format!("an element of {length} bytes, but {} are left", rest.len().saturating_sub(8))
    })?;
    let padded = if first == COMPRESSED { length } else { length.next_multiple_of(8) };
    *rest = rest.get(8 + padded..).unwrap_or(&[]);
    Ok(Element { kind: first, data })
}

fn variables(bytes: &[u8]) -> std::result::Result<BTreeMap<String, Variable>, String> {
    let header = bytes.get(..128).ok_or("too short for a MATLAB file")?;
    if !header.starts_with(b"MATLAB 5.0 MAT-file") {
        return Err("not a MATLAB 5 file (files of version 7.3 are HDF5: save with -v7)".into());
    }
    if &header[126..] != b"IM" {
        return Err("big-endian files are not supported".into());
    }
    let mut found = BTreeMap::new();
    let mut rest = &bytes[128..];
    while !rest.is_empty() {
        let outer = element(&mut rest)?;
        let unpacked;
        let inner = match outer.kind {
            COMPRESSED => {
                unpacked = inflated(outer.data)?;
                element(&mut &unpacked[..])?
            }
            _ => outer,
        };
        if inner.kind == MATRIX {
            found.extend(matrix(inner.data)?);
        }
    }
    Ok(found)
}

fn inflated(data: &[u8]) -> std::result::Result<Vec<u8>, String> {
    let mut unpacked = Vec::new();
    let most = MAX_BYTES.min((1 << 30).max(250 * data.len() as u64));
    let mut decoder = flate2::read::ZlibDecoder::new(data).take(most + 1);
    decoder.read_to_end(&mut unpacked).map_err(|e| format!("a compressed element is damaged ({e})"))?;
    if unpacked.len() as u64 > most {
        return Err(format!("a compressed element of {} bytes unpacks to more than {most}", data.len()));
    }
    Ok(unpacked)
}

/// The name and values of a matrix; `None` if it contains no numbers.
fn matrix(mut rest: &[u8]) -> std::result::Result<Option<(String, Variable)>, String> {
    let rest = &mut rest;
    let flags = element(rest)?.data;
    let &[class, ..] = flags else { return Err("a matrix without flags".into()) };
    let dims = numbers(&element(rest)?)?;
    let name = String::from_utf8_lossy(element(rest)?.data).into_owned();
    let numeric = (6..=15).contains(&class);
    if !(numeric || class == SPARSE) {
        return Ok(None);
    }
    let size = |value: f64| {
        if (0.0..=1e15).contains(&value) {
            Ok(value as usize)
        } else {
            Err(format!("`{name}`: invalid size {value}"))
        }
    };
    let [rows, cols] = dims[..] else { return Ok(None) };
    let (rows, cols) = (size(rows)?, size(cols)?);
    if numeric {
        let values = numbers(&element(rest)?)?;
        if rows.checked_mul(cols) != Some(values.len()) {
            return Err(format!("`{name}`: {} values for {rows} × {cols}", values.len()));
        }
        return Ok(Some((name, Variable::Dense { rows, cols, values })));
    }
    let indices = numbers(&element(rest)?)?;
    let starts: Vec<usize> =
        numbers(&element(rest)?)?.into_iter().map(size).collect::<std::result::Result<_, _>>()?;
    let values = numbers(&element(rest)?)?;
    let stored = starts.last().copied().unwrap_or(0);
    let sound = starts.len() == cols + 1
        && starts[0] == 0
        && starts.is_sorted()
        && stored <= indices.len()
        && stored <= values.len();
    if !sound {
        return Err(format!("`{name}`: the parts of the sparse matrix do not match"));
    }
    let index = |&row: &f64| {
        if row >= 0.0 && row < rows as f64 && row.fract() == 0.0 {
            Ok(row as u32)
        } else {
            Err(format!("`{name}`: row {row} of {rows}"))
        }
    };
    let indices = indices[..stored].iter().map(index).collect::<std::result::Result<_, _>>()?;
    let values = values[..stored].to_vec();
    Ok(Some((name, Variable::Sparse { rows, starts, indices, values })))
}

/// The numbers of an element, in any storage type.
fn numbers(element: &Element<'_>) -> std::result::Result<Vec<f64>, String> {
    let of = |size: usize, value: fn(&[u8]) -> f64| element.data.chunks_exact(size).map(value).collect();
    Ok(match element.kind {
        1 => of(1, |b| f64::from(b[0] as i8)),
        2 => of(1, |b| f64::from(b[0])),
        3 => of(2, |b| f64::from(i16::from_le_bytes(sized(b)))),
        4 => of(2, |b| f64::from(u16::from_le_bytes(sized(b)))),
        5 => of(4, |b| f64::from(i32::from_le_bytes(sized(b)))),
        6 => of(4, |b| f64::from(u32::from_le_bytes(sized(b)))),
        7 => of(4, |b| f64::from(f32::from_le_bytes(sized(b)))),
        9 => of(8, |b| f64::from_le_bytes(sized(b))),
        12 => of(8, |b| i64::from_le_bytes(sized(b)) as f64),
        13 => of(8, |b| u64::from_le_bytes(sized(b)) as f64),
        kind => return Err(format!("numbers of kind {kind} are not supported")),
    })
}

/// A chunk of exactly `N` bytes as an array.
fn sized<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.try_into().expect("chunks have the element size")
}
