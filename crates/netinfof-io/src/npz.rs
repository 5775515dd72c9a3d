//! NumPy's npz: a zip of npy arrays. Numbers and plain text only; arrays that need a pickle are never read.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use crate::whole::{self, EXACT_DOUBLE, EXACT_SINGLE};
use netinfof::{Error, Result};

/// Prefix of the names of arrays with user-supplied components.
pub(crate) const COMPONENT: &str = "component.";
/// A third entry of `side_names`: ids begin with the name of their side.
pub(crate) const QUALIFIED: &str = "SIDE:ID";
/// A fourth entry of `side_names`: the sides are the roles of the nodes of a directed graph.
pub(crate) const ROLES: &str = "ROLES";
/// Array of a saved graph that says how its weights are transformed, and thereby that they are used.
pub(crate) const WEIGHT_TRANSFORM: &str = "weight_transform";

/// An open npz file.
pub(crate) struct Npz {
    path: PathBuf,
    archive: zip::ZipArchive<BufReader<File>>,
}

/// A numeric array of an npz file, still as bytes.
pub(crate) struct Array {
    pub(crate) shape: Vec<usize>,
    kind: u8,
    size: usize,
    bytes: Vec<u8>,
}

/// Whether this ratio of unpacked to packed bytes indicates a decompression bomb: no regular data compresses
/// that well.
pub(crate) fn is_bomb(unpacked: u64, packed: u64) -> bool {
    unpacked > 1 << 30 && unpacked / 250 > packed
}

/// Maximum size of an array; a header that claims more is damaged or malicious.
const MAX_BYTES: u64 = 1 << 36;

impl Npz {
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(|e| Error::io(path, e))?;
        let archive = zip::ZipArchive::new(BufReader::new(file)).map_err(|e| Error::Format {
            path: path.to_path_buf(),
            what: format!("not a readable npz (zip) file: {e}"),
        })?;
        Ok(Npz { path: path.to_path_buf(), archive })
    }

    /// Names of the arrays, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self
            .archive
            .file_names()
            .flatten()
            .filter_map(|name| Some(name.strip_suffix(".npy")?.into()))
            .collect();
        names.sort_unstable();
        names
    }

    /// Names of everything in the zip.
    pub(crate) fn entries(&self) -> Vec<String> {
        self.archive.file_names().flatten().map(String::from).collect()
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.archive.index_for_name(&format!("{name}.npy")).is_some()
    }

    pub(crate) fn error(&self, what: impl Into<String>) -> Error {
        Error::Format { path: self.path.clone(), what: what.into() }
    }

    /// Reads one array.
    pub(crate) fn array(&mut self, name: &str) -> Result<Array> {
        let broken = |path: &Path, what: String| Error::Format {
            path: path.to_path_buf(),
            what: format!("array `{name}`: {what}"),
        };
        let path = self.path.clone();
        let mut entry = self
            .archive
            .by_name(&format!("{name}.npy"))
            .map_err(|e| broken(&path, format!("cannot be read: {e}")))?;
        if entry.size() > MAX_BYTES || is_bomb(entry.size(), entry.compressed_size()) {
            let (claimed, held) = (entry.size(), entry.compressed_size());
            return Err(broken(&path, format!("claims {claimed} bytes, compressed to {held}")));
        }
        npy(&mut entry, &path, &format!("array `{name}`: "))
    }

    /// Whether an array holds pickled Python objects instead of numbers or texts.
    pub(crate) fn is_pickled(&mut self, name: &str) -> bool {
        let mut start = Vec::new();
        let entry = self.archive.by_name(&format!("{name}.npy"));
        entry.is_ok_and(|entry| entry.take(256).read_to_end(&mut start).is_ok())
            && String::from_utf8_lossy(&start).contains("'descr': '|O'")
    }

    /// Reads an array of whole numbers.
    pub(crate) fn integers(&mut self, name: &str) -> Result<(Vec<usize>, Vec<i64>)> {
        let array = self.array(name)?;
        let Some(values) = array.integers() else {
            let found = array.first_inexact().map_or(String::new(), |what| format!("; {what}"));
            return Err(self.error(format!("array `{name}` must hold whole numbers{found}")));
        };
        Ok((array.shape, values))
    }

    /// Reads an array of numbers.
    pub(crate) fn floats(&mut self, name: &str) -> Result<(Vec<usize>, Vec<f32>)> {
        let array = self.array(name)?;
        let values = array.floats().ok_or_else(|| self.error(format!("array `{name}` must hold numbers")))?;
        Ok((array.shape, values))
    }
}

/// Reads an npy array; `named` is the prefix of error messages.
pub(crate) fn npy(entry: &mut dyn Read, path: &Path, named: &str) -> Result<Array> {
    let broken = |what: String| Error::Format { path: path.to_path_buf(), what: format!("{named}{what}") };
    let mut start = [0u8; 10];
    entry.read_exact(&mut start).map_err(|e| broken(format!("too short for an npy header ({e})")))?;
    if &start[..6] != b"\x93NUMPY" {
        return Err(broken("is not an npy array".into()));
    }
    let mut header_len = usize::from(u16::from_le_bytes([start[8], start[9]]));
    if start[6] >= 2 {
        let mut more = [0u8; 2];
        entry.read_exact(&mut more).map_err(|e| broken(e.to_string()))?;
        header_len |= usize::from(u16::from_le_bytes(more)) << 16;
    }
    if header_len > 1 << 16 {
        return Err(broken(format!("has a header of {header_len} bytes")));
    }
    let mut header = vec![0u8; header_len];
    entry.read_exact(&mut header).map_err(|e| broken(format!("header is cut off ({e})")))?;
    let header = String::from_utf8_lossy(&header).into_owned();
    if header.contains("'descr': '|O'") {
        return Err(broken(
            "holds pickled Python objects, which are never read because they can run code; save it with a numeric or text dtype".into(),
        ));
    }
    let Header { kind, size, shape, by_columns } = parse_header(&header).ok_or_else(|| {
        let way = "save it as numbers of 32 or 64 bits, smaller whole numbers, booleans or texts";
        broken(format!("has an unsupported header, {}; {way}", header.trim()))
    })?;
    let expected = shape
        .iter()
        .try_fold(size, |product, &n| product.checked_mul(n))
        .filter(|&bytes| bytes as u64 <= MAX_BYTES)
        .ok_or_else(|| broken(format!("claims the shape {shape:?}")))?;
    // Read the available bytes instead of allocating the claimed size.
    let mut bytes = Vec::new();
    entry
        .take(expected as u64 + 1)
        .read_to_end(&mut bytes)
        .map_err(|e| broken(format!("is damaged ({e})")))?;
    if bytes.len() != expected {
        let what = format!("shape {shape:?} needs {expected} bytes, the file has {}", bytes.len());
        return Err(broken(what));
    }
    Ok(Array::from_parts(Header { kind, size, shape, by_columns }, bytes))
}

impl Array {
    /// An array of this type, such as `<f4`, if it is numeric and has the right number of bytes.
    pub(crate) fn new(descr: &str, shape: Vec<usize>, by_columns: bool, bytes: Vec<u8>) -> Option<Self> {
        let (kind, size) = parse_kind(descr)?;
        let needed = shape.iter().try_fold(size, |product, &n| product.checked_mul(n))?;
        let fits = needed == bytes.len() && !(by_columns && shape.len() > 2);
        fits.then(|| Array::from_parts(Header { kind, size, shape, by_columns }, bytes))
    }

    /// The bytes in row-major order.
    fn from_parts(Header { kind, size, shape, by_columns }: Header, bytes: Vec<u8>) -> Self {
        let bytes = match (&shape[..], by_columns) {
            ([rows, cols], true) => {
                let mut turned = Vec::with_capacity(bytes.len());
                for row in 0..*rows {
                    for col in 0..*cols {
                        turned.extend_from_slice(&bytes[(col * rows + row) * size..][..size]);
                    }
                }
                turned
            }
            _ => bytes,
        };
        Array { shape, kind, size, bytes }
    }

    /// The value as text, if there is a single value.
    pub(crate) fn text(&self) -> Option<String> {
        if self.shape.is_empty() { self.texts()?.pop() } else { None }
    }

    /// The values as texts.
    pub(crate) fn texts(&self) -> Option<Vec<String>> {
        if self.kind != b'U' || self.size == 0 {
            return None;
        }
        let text = |bytes: &[u8]| {
            let letters = bytes.chunks_exact(4).map(|b| char::from_u32(u32::from_le_bytes(sized(b))));
            letters.take_while(|c| *c != Some('\0')).collect::<Option<String>>()
        };
        self.bytes.chunks_exact(self.size).map(text).collect()
    }

    fn each<T>(&self, convert: impl Fn(&[u8]) -> T) -> Vec<T> {
        self.bytes.chunks_exact(self.size).map(convert).collect()
    }

    /// The values as integers; floats are accepted if they are whole numbers in the range where their type
    /// holds every whole number.
    pub(crate) fn integers(&self) -> Option<Vec<i64>> {
        Some(match (self.kind, self.size) {
            (b'i', 1) => self.each(|b| i64::from(b[0] as i8)),
            (b'u' | b'b', 1) => self.each(|b| i64::from(b[0])),
            (b'i', 2) => self.each(|b| i64::from(i16::from_le_bytes(sized(b)))),
            (b'u', 2) => self.each(|b| i64::from(u16::from_le_bytes(sized(b)))),
            (b'i', 4) => self.each(|b| i64::from(i32::from_le_bytes(sized(b)))),
            (b'u', 4) => self.each(|b| i64::from(u32::from_le_bytes(sized(b)))),
            (b'i', 8) => self.each(|b| i64::from_le_bytes(sized(b))),
            (b'u', 8) => {
                let values = self.each(|b| i64::try_from(u64::from_le_bytes(sized(b))).ok());
                return values.into_iter().collect();
            }
            (b'f', _) => {
                let exact = self.exact_whole_numbers();
                let values = self.doubles()?;
                return values.into_iter().map(|v| is_whole(v, exact).then_some(v as i64)).collect();
            }
            _ => return None,
        })
    }

    /// The limit below which floats of this size hold every whole number.
    fn exact_whole_numbers(&self) -> f64 {
        if self.size == 4 { EXACT_SINGLE } else { EXACT_DOUBLE }
    }

    /// The stored floats of an array; `None` for other types.
    pub(crate) fn doubles(&self) -> Option<Vec<f64>> {
        match (self.kind, self.size) {
            (b'f', 4) => Some(self.each(|b| f64::from(f32::from_le_bytes(sized(b))))),
            (b'f', 8) => Some(self.each(|b| f64::from_le_bytes(sized(b)))),
            _ => None,
        }
    }

    /// The first float that is not an exact whole number, and the reason.
    fn first_inexact(&self) -> Option<String> {
        let exact = self.exact_whole_numbers();
        let value = self.doubles()?.into_iter().find(|&value| !is_whole(value, exact))?;
        Some(format!("{value} {}", whole::id(value.abs(), exact).err()?))
    }

    /// The first value above 2²⁴ in magnitude that [`Array::floats`] would change.
    pub(crate) fn first_rounded(&self) -> Option<f64> {
        let changed = |&value: &f64| value.abs() > EXACT_SINGLE && f64::from(value as f32) != value;
        match (self.kind, self.size) {
            (b'f', 8) => self.doubles()?.into_iter().find(changed),
            (b'i' | b'u', 4 | 8) => self.integers()?.into_iter().map(|v| v as f64).find(changed),
            _ => None,
        }
    }

    /// The values as double-precision numbers; `None` for texts.
    pub(crate) fn all_doubles(&self) -> Option<Vec<f64>> {
        self.doubles().or_else(|| Some(self.integers()?.into_iter().map(|value| value as f64).collect()))
    }

    /// The values as single-precision numbers.
    pub(crate) fn floats(&self) -> Option<Vec<f32>> {
        Some(match (self.kind, self.size) {
            (b'f', 4) => self.each(|b| f32::from_le_bytes(sized(b))),
            (b'f', 8) => self.each(|b| f64::from_le_bytes(sized(b)) as f32),
            (b'i' | b'u' | b'b', _) => self.integers()?.iter().map(|&v| v as f32).collect(),
            _ => return None,
        })
    }
}

/// Whether a float is a whole number in the range where its type holds all of them.
fn is_whole(value: f64, exact: f64) -> bool {
    value.fract() == 0.0 && value.abs() <= exact
}

/// A chunk of exactly `N` bytes as an array.
fn sized<const N: usize>(bytes: &[u8]) -> [u8; N] {
    bytes.try_into().expect("chunks have the element size")
}

#[derive(Debug, PartialEq)]
struct Header {
    kind: u8,
    size: usize,
    shape: Vec<usize>,
    /// Whether a matrix is stored column by column (NumPy's `fortran_order`).
    by_columns: bool,
}

/// Reads a header such as `{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }`.
fn parse_header(header: &str) -> Option<Header> {
    let after = |key: &str| header.split_once(key).map(|(_, rest)| rest.trim_start_matches([' ', ':']));
    let descr = after("'descr'")?.strip_prefix('\'')?.split('\'').next()?;
    let (kind, size) = parse_kind(descr)?;
    let shape_text = after("'shape'")?.strip_prefix('(')?.split(')').next()?;
    let numbers = shape_text.split(',').map(str::trim).filter(|s| !s.is_empty());
    let shape = numbers.map(|s| s.parse().ok()).collect::<Option<Vec<usize>>>()?;
    let by_columns = after("'fortran_order'")?.starts_with("True");
    (!(by_columns && shape.len() > 2)).then_some(Header { kind, size, shape, by_columns })
}

/// Letter and bytes of a type such as `<f4`; `None` for types that are neither numbers nor text.
fn parse_kind(descr: &str) -> Option<(u8, usize)> {
    let (order, rest) = descr.split_at_checked(1)?;
    let kind = *rest.as_bytes().first()?;
    let size: usize = rest.get(1..)?.parse().ok()?;
    // Text has four bytes per character.
    let size = if kind == b'U' { size.checked_mul(4)? } else { size };
    let known = matches!((kind, size), (b'f', 4 | 8) | (b'i' | b'u', 1 | 2 | 4 | 8) | (b'b', 1) | (b'U', _));
    (known && matches!(order, "<" | "|" | "=")).then_some((kind, size))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers() {
        let read = |text: &str| parse_header(text).map(|h| (h.kind, h.size, h.shape, h.by_columns));
        let good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 5278), }";
        assert_eq!(read(good), Some((b'f', 4, vec![2, 5278], false)));
        let scalar = "{'descr': '<i8', 'fortran_order': False, 'shape': (), }";
        assert_eq!(read(scalar), Some((b'i', 8, vec![], false)));
        let turned = "{'descr': '|b1', 'fortran_order': True, 'shape': (7, 2), }";
        assert_eq!(read(turned), Some((b'b', 1, vec![7, 2], true)));
        for bad in [
            "",
            "{'descr': '|O', 'fortran_order': False, 'shape': (1,)}",
            "{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (1, -2)}",
        ] {
            assert_eq!(read(bad), None, "{bad}");
        }
    }
    #[test]
    fn whole_numbers_in_floats_are_exact_or_refused() {
        let double = |values: &[f64]| {
            let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
            Array::new("<f8", vec![values.len()], false, bytes).unwrap()
        };
        let single = |values: &[f32]| {
            let bytes = values.iter().flat_map(|v| v.to_le_bytes()).collect();
            Array::new("<f4", vec![values.len()], false, bytes).unwrap()
        };
        let exact = [0.0, -1.0, 16_777_217.0, 16_777_219.0, EXACT_DOUBLE];
        assert_eq!(double(&exact).integers().unwrap(), exact.map(|v| v as i64));
        assert_eq!(single(&[16_777_215.0, 3.0]).integers().unwrap(), [16_777_215, 3]);
        for (array, why) in [
            (double(&[1.0, 1.5]), "1.5 is not a whole number"),
            (double(&[2.0 * EXACT_DOUBLE]), "not below 9007199254740992"),
            (double(&[f64::NAN]), "not finite"),
            (single(&[16_777_218.0]), "16777218 is not below 16777216; larger 32-bit floats"),
        ] {
            assert_eq!(array.integers(), None);
            assert!(array.first_inexact().unwrap().contains(why), "{why}");
        }
        assert_eq!(double(&[0.1, 16_777_217.0]).first_rounded(), Some(16_777_217.0));
        assert_eq!(double(&[0.1, 16_777_218.0]).first_rounded(), None);
    }
}
