//! Numbers of ids: equal texts have equal numbers, in the order in which they first occur.

use std::collections::HashMap;
use std::hash::{BuildHasher, BuildHasherDefault, Hasher, RandomState};

use netinfof::Exec;
use numpy::{IntoPyArray as _, PyArray1, PyReadonlyArray1};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::work::{self, RunSettings};

/// Texts per task.
const BLOCK: usize = 1 << 16;
/// Parts into which texts are divided by their hash, so that the table of a part fits into a processor's cache.
const PARTS: usize = 64;

/// The texts of one column, one after the other.
struct Texts {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Texts {
    /// `None` if a value is not exactly a string, or cannot be written as UTF-8.
    fn of(column: &PyReadonlyArray1<'_, Py<PyAny>>) -> PyResult<Option<Self>> {
        let py = column.py();
        let column = column.as_array();
        let mut texts = Texts { bytes: Vec::new(), ends: Vec::with_capacity(column.len()) };
        for (at, value) in column.iter().enumerate() {
            if at % BLOCK == 0 {
                py.check_signals()?;
            }
            let Ok(value) = value.bind(py).cast_exact::<PyString>() else { return Ok(None) };
            let Ok(text) = value.to_str() else { return Ok(None) };
            texts.bytes.extend_from_slice(text.as_bytes());
            texts.ends.push(texts.bytes.len());
        }
        Ok(Some(texts))
    }

    fn len(&self) -> usize {
        self.ends.len()
    }

    fn get(&self, row: usize) -> &[u8] {
        &self.bytes[if row == 0 { 0 } else { self.ends[row - 1] }..self.ends[row]]
    }
}

/// Where texts of several columns follow each other: row by row, or column by column.
struct Sequence {
    columns: Vec<Texts>,
    by_row: bool,
}

impl Sequence {
    fn len(&self) -> usize {
        self.columns.iter().map(Texts::len).sum()
    }

    fn get(&self, mut at: usize) -> &[u8] {
        if self.by_row {
            let width = self.columns.len();
            return self.columns[at % width].get(at / width);
        }
        for column in &self.columns {
            if at < column.len() {
                return column.get(at);
            }
            at -= column.len();
        }
        unreachable!("a position beyond the end of all columns")
    }
}

/// A text of a block with its hash.
struct Hashed {
    hash: u64,
    offset: u32,
}

/// A text as the key of a table. The hash is computed once and compared first.
#[derive(PartialEq, Eq)]
struct Key<'a>(u64, &'a [u8]);

impl std::hash::Hash for Key<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0);
    }
}

/// Passes on the hash of a [`Key`].
#[derive(Default)]
struct KnownHash(u64);

impl Hasher for KnownHash {
    fn finish(&self) -> u64 {
        self.0
    }
    fn write(&mut self, _: &[u8]) {
        unreachable!("keys write one number")
    }
    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// The numbers of one part: where each of its different texts first occurs, and the numbers of its texts in each block.
struct Part {
    first: Vec<usize>,
    blocks: Vec<Vec<u32>>,
}

/// The number of every text in the sequence, and the position at which each of the different texts first occurs.
fn numbered(texts: &Sequence, exec: &Exec) -> (Vec<i64>, Vec<usize>) {
    // A secret key for each call: no list of ids can be made so that all hashes are equal. Numbers do not depend on it.
    let keys = RandomState::new();
    let part_of = |hash: u64| (hash >> 32) as usize % PARTS;
    let blocks = exec.map_blocks(texts.len(), BLOCK, |range| {
        let mut parts: Vec<Vec<Hashed>> = (0..PARTS).map(|_| Vec::with_capacity(BLOCK / PARTS)).collect();
        let mut part_of_each = Vec::with_capacity(range.len());
        for (offset, at) in range.enumerate() {
            let hash = keys.hash_one(texts.get(at));
            let part = part_of(hash);
            parts[part].push(Hashed { hash, offset: offset as u32 });
            part_of_each.push(part as u8);
        }
        (parts, part_of_each)
    });
    let parts = exec.map_blocks(PARTS, 1, |range| {
        let mut numbers: HashMap<Key<'_>, u32, BuildHasherDefault<KnownHash>> = HashMap::default();
        let mut first = Vec::new();
        let number = |block: usize, own: &Hashed| {
            let at = block * BLOCK + own.offset as usize;
            *numbers.entry(Key(own.hash, texts.get(at))).or_insert_with(|| {
                first.push(at);
                first.len() as u32 - 1
            })
        };
        let mut number = number;
        let blocks = blocks.iter().enumerate();
        let blocks = blocks
            .map(|(block, (parts, _))| parts[range.start].iter().map(|own| number(block, own)).collect())
            .collect();
        Part { first, blocks }
    });
    let mut order: Vec<(usize, u32, u32)> = Vec::new();
    for (part, own) in parts.iter().enumerate() {
        order.extend(own.first.iter().enumerate().map(|(number, &at)| (at, part as u32, number as u32)));
    }
    order.sort_unstable();
    let mut place: Vec<Vec<i64>> = parts.iter().map(|own| vec![0; own.first.len()]).collect();
    for (number, &(_, part, own)) in order.iter().enumerate() {
        place[part as usize][own as usize] = number as i64;
    }
    let mut found = vec![0; texts.len()];
    exec.fill_rows(&mut found, 1, BLOCK, |start, out| {
        let block = start / BLOCK;
        let mut next = [0; PARTS];
        for (out, &part) in out.iter_mut().zip(&blocks[block].1) {
            let part = usize::from(part);
            *out = place[part][parts[part].blocks[block][next[part]] as usize];
            next[part] += 1;
        }
    });
    (found, order.into_iter().map(|(at, _, _)| at).collect())
}

type Numbers<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>);

/// Numbers the texts of columns in the order in which they first occur, row by row or column by column. Returns the
/// numbers in this order, and the positions at which different texts first occur; `None` if not all values are strings.
#[pyfunction]
pub(crate) fn number_texts<'py>(
    py: Python<'py>,
    columns: Vec<PyReadonlyArray1<'py, Py<PyAny>>>,
    by_row: bool,
    how: RunSettings<'py>,
) -> PyResult<Option<Numbers<'py>>> {
    let mut texts = Sequence { columns: Vec::with_capacity(columns.len()), by_row };
    for column in &columns {
        let Some(own) = Texts::of(column)? else { return Ok(None) };
        texts.columns.push(own);
    }
    let (numbers, first) = work::run(py, how, move |exec| Ok(numbered(&texts, exec)))?;
    let first = first.into_iter().map(|at| at as i64).collect::<Vec<_>>();
    Ok(Some((numbers.into_pyarray(py), first.into_pyarray(py))))
}
