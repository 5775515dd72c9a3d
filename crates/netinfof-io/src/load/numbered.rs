//! Edge lists of plain numbers, as most large lists are: read twice, in blocks on all threads, directly into
//! the finished graph.
//!
//! The first pass counts, the second fills; additional memory is one counter per node. Anything that is not a
//! plain list of numbers (names, quotes, ragged rows, numbers beyond 32 bits) is left to the general reader,
//! which reports errors precisely. Parquet tables of whole numbers use the same algorithm with another
//! reader.

use std::io::{BufRead as _, Read};
use std::path::Path;

use super::layout::{EdgeLayout, known_ends};
use crate::npz::is_bomb;
use crate::parquet;
use crate::parquet::Pairs;
use crate::table::opened;
use netinfof::Exec;
use netinfof::{Csr, Graph, NodeId, Pair};
use netinfof::{Error, Result};

const BLOCK: usize = 1 << 20;
/// Minimum number of nodes per bucket for counting and filling: a bucket's rows are close together in memory,
/// and one thread at a time works on them, without locks.
const BUCKET: u32 = 14;
/// Sorting into more buckets would be slow.
const BUCKETS: usize = 512;
/// Bit of a node's counter that marks that it occurred: a self loop also makes a node.
const SEEN: u32 = 1 << 31;

/// Contents of one block: edges between different nodes, self loops, and the largest number plus one.
struct Edges {
    pairs: Vec<Pair>,
    loops: Vec<NodeId>,
    top: usize,
}

/// Ends of edges, each followed by the other end, sorted by the bucket of the first.
struct Ends {
    ends: Vec<Pair>,
    starts: Vec<usize>,
}

impl Ends {
    fn new(pairs: &[Pair], shift: u32, buckets: usize) -> Self {
        let bucket = |node: NodeId| (node >> shift) as usize;
        let mut starts = vec![0usize; buckets + 1];
        for &[i, j] in pairs {
            starts[bucket(i) + 1] += 1;
            starts[bucket(j) + 1] += 1;
        }
        for bucket in 0..buckets {
            starts[bucket + 1] += starts[bucket];
        }
        let mut next = starts.clone();
        let mut ends = vec![[0; 2]; 2 * pairs.len()];
        for &[i, j] in pairs {
            for end in [[i, j], [j, i]] {
                let place = &mut next[bucket(end[0])];
                ends[*place] = end;
                *place += 1;
            }
        }
        Ends { ends, starts }
    }

    fn of(&self, bucket: usize) -> &[Pair] {
        &self.ends[self.starts[bucket]..self.starts[bucket + 1]]
    }
}

/// How far node numbers are shifted to give their bucket.
fn shift(nodes: usize) -> u32 {
    let mut shift = BUCKET;
    while nodes >> shift >= BUCKETS {
        shift += 1;
    }
    shift
}

/// A list that can be read more than once, in batches of blocks that are parsed in parallel.
trait EdgeSource: Sync {
    type Block: Sync;

    /// Passes batches of blocks until one is refused; returns whether none was.
    fn each_batch(&self, exec: &Exec, take: impl FnMut(&[Self::Block]) -> bool) -> Result<bool>;

    /// Passes every edge of a block; `None` if it contains anything else.
    fn edges(&self, block: &Self::Block, each: impl FnMut(NodeId, NodeId)) -> Option<()>;

    /// Approximate number of edges per block.
    fn guess(block: &Self::Block) -> usize;
}

/// Reads the list if it contains only plain numbers.
pub(super) fn read(path: &Path, name: &str, layout: &EdgeLayout, exec: &Exec) -> Result<Option<Graph>> {
    if parquet::is(path)? {
        return twice(&StoredPairs { path, ends: layout.ends }, path, name, exec);
    }
    match Shape::of(path)? {
        Some(shape) if shape.header == layout.names.is_some() && layout.ends == [0, 1] => {
            twice(&Text { path, shape }, path, name, exec)
        }
        _ => Ok(None),
    }
}

fn twice<S: EdgeSource>(source: &S, path: &Path, name: &str, exec: &Exec) -> Result<Option<Graph>> {
    let edges = |batch: &[S::Block]| -> Option<Vec<Edges>> {
        let of = |at: std::ops::Range<usize>| {
            let block = &batch[at.start];
            let mut found = Edges { pairs: Vec::with_capacity(S::guess(block)), loops: Vec::new(), top: 0 };
            let mut top = 0;
            source.edges(block, |i, j| {
                top = top.max(i).max(j);
                if i == j {
                    found.loops.push(i);
                } else {
                    found.pairs.push([i, j]);
                }
            })?;
            found.top = if found.pairs.is_empty() && found.loops.is_empty() { 0 } else { top as usize + 1 };
            Some(found)
        };
        exec.map_blocks(batch.len(), 1, of).into_iter().collect()
    };
    let sorted = |found: Vec<Edges>, nodes: usize| -> (u32, Vec<Ends>) {
        let shift = shift(nodes);
        let buckets = (nodes >> shift) + 1;
        let of = |at: std::ops::Range<usize>| Ends::new(&found[at.start].pairs, shift, buckets);
        (shift, exec.map_blocks(found.len(), 1, of))
    };

    let mut counters: Vec<u32> = Vec::new();
    let (mut loops, mut lines) = (0, 0);
    let plain = source.each_batch(exec, |batch| {
        let Some(found) = edges(batch) else { return false };
        lines += found.iter().map(|f| f.pairs.len() + f.loops.len()).sum::<usize>();
        let top = found.iter().map(|f| f.top).max().unwrap_or(0);
        // Sparse numbers need a table of names instead of an array.
        if top > (1 << 20) + 64 * lines {
            return false;
        }
        if top > counters.len() {
            counters.resize(top.next_multiple_of(1 << BUCKET).max(2 * counters.len()), 0);
        }
        for &node in found.iter().flat_map(|f| &f.loops) {
            counters[node as usize] |= SEEN;
            loops += 1;
        }
        let (shift, ends) = sorted(found, counters.len());
        let mut parts: Vec<&mut [u32]> = counters.chunks_mut(1 << shift).collect();
        exec.fill_rows(&mut parts, 1, 1, |bucket, parts| {
            for &[node, _] in ends.iter().flat_map(|ends| ends.of(bucket)) {
                let counter = &mut parts[0][node as usize & ((1 << shift) - 1)];
                *counter = (*counter + 1) | SEEN;
            }
        });
        true
    })?;
    if !plain || lines == 0 {
        return Ok(None);
    }
    // Nodes are the numbers that occur, in their order.
    let used = counters.iter().rposition(|&c| c != 0).map_or(0, |top| top + 1);
    counters.truncate(used);
    let nodes = counters.iter().filter(|&&c| c != 0).count();
    let ranks: Option<Vec<NodeId>> = (nodes < used).then(|| {
        let before = |rank: &mut NodeId, counter: &u32| {
            let own = *rank;
            *rank += NodeId::from(*counter != 0);
            Some(own)
        };
        counters.iter().scan(0, before).collect()
    });
    let rank = |id: NodeId| ranks.as_ref().map_or(id, |ranks| ranks[id as usize]);
    let ids: Option<Vec<String>> =
        ranks.is_some().then(|| (0..used).filter(|&id| counters[id] != 0).map(|id| id.to_string()).collect());
    // Position of the next neighbour of a number, within its bucket.
    let size = 1 << shift(used);
    let mut next = vec![0usize; used];
    let mut sizes = Vec::new();
    for (next, counters) in next.chunks_mut(size).zip(counters.chunks(size)) {
        let mut total = 0;
        for (next, counter) in next.iter_mut().zip(counters) {
            *next = total;
            total += (counter & !SEEN) as usize;
        }
        sizes.push(total);
    }
    let mut indptr = Vec::with_capacity(nodes + 1);
    indptr.push(0usize);
    for counter in counters.iter().filter(|&&c| c != 0) {
        indptr.push(indptr.last().expect("it begins with 0") + (counter & !SEEN) as usize);
    }
    let mut indices = vec![0u32; indptr[nodes]];
    let mut changed = false;
    let same = source.each_batch(exec, |batch| {
        let Some(found) = edges(batch) else { return false };
        if found.iter().any(|f| f.top > used) {
            return false;
        }
        let (shift, ends) = sorted(found, used);
        let mut rest = &mut indices[..];
        let mut parts = Vec::with_capacity(sizes.len());
        for (next, &size) in next.chunks_mut(1 << shift).zip(&sizes) {
            let (own, more) = std::mem::take(&mut rest).split_at_mut(size);
            rest = more;
            parts.push((next, own, true));
        }
        exec.fill_rows(&mut parts, 1, 1, |bucket, parts| {
            let (next, own, sound) = &mut parts[0];
            for &[node, other] in ends.iter().flat_map(|ends| ends.of(bucket)) {
                let next = &mut next[node as usize & ((1 << shift) - 1)];
                match own.get_mut(*next) {
                    Some(place) => *place = rank(other),
                    None => *sound = false,
                }
                *next += 1;
            }
        });
        changed |= parts.iter().any(|(_, _, sound)| !sound);
        !changed
    })?;
    // Every row must have been filled exactly.
    let ends = next.chunks(size).zip(counters.chunks(size)).all(|(next, counters)| {
        let mut size = 0;
        next.iter().zip(counters).all(|(&next, counter)| {
            size += (counter & !SEEN) as usize;
            next == size
        })
    });
    if !same || !ends {
        return Err(Error::Format { path: path.into(), what: "changed while it was read".into() });
    }
    drop((counters, next));
    let (adjacency, repeats) = simple(nodes, indptr, indices, exec);
    let mut graph = Graph::from_pattern(name, adjacency, repeats / 2).with_self_loops(loops);
    if let Some(ids) = ids {
        graph = graph.with_ids(ids);
    }
    Ok(Some(graph))
}

/// Sorts every row and removes duplicates; also returns their number.
fn simple(nodes: usize, indptr: Vec<usize>, mut indices: Vec<u32>, exec: &Exec) -> (Csr, usize) {
    const ROWS: usize = 4096;
    let mut lengths = vec![0u32; nodes];
    let mut parts = Vec::new();
    let (mut rest, mut rest_lengths) = (&mut indices[..], &mut lengths[..]);
    for first in (0..nodes).step_by(ROWS) {
        let last = (first + ROWS).min(nodes);
        let (own, more) = rest.split_at_mut(indptr[last] - indptr[first]);
        let (own_lengths, more_lengths) = rest_lengths.split_at_mut(last - first);
        parts.push((first, own, own_lengths));
        (rest, rest_lengths) = (more, more_lengths);
    }
    exec.fill_rows(&mut parts, 1, 1, |_, parts| {
        for (first, own, lengths) in parts {
            let start = indptr[*first];
            for (at, length) in lengths.iter_mut().enumerate() {
                let row = &mut own[indptr[*first + at] - start..indptr[*first + at + 1] - start];
                row.sort_unstable();
                let mut kept = 0;
                for from in 0..row.len() {
                    if kept == 0 || row[from] != row[kept - 1] {
                        row[kept] = row[from];
                        kept += 1;
                    }
                }
                *length = kept as u32;
            }
        }
    });
    let kept: usize = lengths.iter().map(|&length| length as usize).sum();
    let repeats = indices.len() - kept;
    if repeats == 0 {
        return (Csr::pattern(nodes, indptr, indices), 0);
    }
    let mut packed = Vec::with_capacity(nodes + 1);
    packed.push(0);
    let mut to = 0;
    for (node, &length) in lengths.iter().enumerate() {
        indices.copy_within(indptr[node]..indptr[node] + length as usize, to);
        to += length as usize;
        packed.push(to);
    }
    indices.truncate(to);
    indices.shrink_to_fit();
    (Csr::pattern(nodes, packed, indices), repeats)
}

/// The format of the lines of a list.
struct Shape {
    /// A comma, a tab, a semicolon, or a space, which means any white space.
    delimiter: u8,
    columns: usize,
    /// Whether the first line names the columns.
    header: bool,
}

impl Shape {
    /// The format of a list of plain numbers; `None` if it begins differently.
    fn of(path: &Path) -> Result<Option<Self>> {
        let (mut reader, _) = opened(path)?;
        let (mut header, mut comments) = (None, 0);
        let mut line = Vec::new();
        loop {
            line.clear();
            // Longer lines are not edges; a byte-order mark or an unusual character is left to the general
            // reader.
            let read =
                (&mut reader).take(1 << 16).read_until(b'\n', &mut line).map_err(|e| Error::io(path, e))?;
            if read == 0 || read == 1 << 16 || !line.is_ascii() {
                return Ok(None);
            }
            if skipped(&line) {
                comments += usize::from(could_be_row(&line));
                continue;
            }
            // The general reader decides whether these are rows.
            if comments > 1 {
                return Ok(None);
            }
            let text = String::from_utf8_lossy(&line).trim().to_string();
            let delimiter =
                [b',', b'\t', b';'].into_iter().find(|d| text.as_bytes().contains(d)).unwrap_or(b' ');
            let cells: Vec<&str> = match delimiter {
                b' ' => text.split_whitespace().collect(),
                d => text.split(char::from(d)).collect(),
            };
            let shape = Shape { delimiter, columns: cells.len(), header: header.is_some() };
            let delimiters = [',', '\t', ';'].into_iter().filter(|&d| text.contains(d)).count();
            if cells.len() < 2 || text.contains('"') || delimiters > 1 {
                return Ok(None);
            }
            if shape.parse(&line, |_, _| ()).is_some() {
                return Ok(Some(shape).filter(|shape| header.is_none_or(|width| width == shape.columns)));
            }
            // Words above numbers are a header, if no word is a number and the ids are below the first two.
            let names: Vec<String> = cells.iter().map(|cell| cell.trim().to_string()).collect();
            let elsewhere = known_ends(&names).is_some_and(|columns| columns != [0, 1]);
            if header.is_some() || elsewhere || names.iter().any(|name| name.parse::<f64>().is_ok()) {
                return Ok(None);
            }
            header = Some(cells.len());
        }
    }

    /// Passes every edge of a block of whole lines; `None` if a line has another format.
    fn parse(&self, block: &[u8], mut each: impl FnMut(NodeId, NodeId)) -> Option<()> {
        let mut rest = block;
        while !rest.is_empty() {
            if let Some((i, j, after)) = self.plain(rest) {
                each(i, j);
                rest = &rest[after..];
                continue;
            }
            let end = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
            let (line, after) = (&rest[..end], &rest[(end + 1).min(rest.len())..]);
            rest = after;
            let (i, tail) = number(self.blank(line));
            let Some(i) = i else {
                if skipped(line) && !could_be_row(line) {
                    continue;
                }
                return None;
            };
            let (j, mut tail) = number(self.next(tail)?);
            let j = j?;
            let mut columns = 2;
            // Other columns are only counted.
            while !self.blank(tail).is_empty() {
                let cell = self.next(tail)?;
                let end = cell.iter().position(|&b| self.ends_cell(b)).unwrap_or(cell.len());
                if cell[..end].contains(&b'"') {
                    return None;
                }
                tail = &cell[end..];
                columns += 1;
            }
            if columns != self.columns {
                return None;
            }
            each(i, j);
        }
        Some(())
    }

    /// The edge of the most common kind of line, two short numbers, and the length of the line.
    #[inline]
    fn plain(&self, text: &[u8]) -> Option<(NodeId, NodeId, usize)> {
        let (i, length) = short(text)?;
        if self.columns != 2 || text.get(length) != Some(&self.delimiter) {
            return None;
        }
        let (j, more) = short(&text[length + 1..])?;
        let end = length + 1 + more;
        match text.get(end..)? {
            [b'\n', ..] => Some((i, j, end + 1)),
            [b'\r', b'\n', ..] => Some((i, j, end + 2)),
            _ => None,
        }
    }

    fn ends_cell(&self, byte: u8) -> bool {
        byte == self.delimiter || self.delimiter == b' ' && byte == b'\t'
    }

    /// The text without leading white space, unless white space is the delimiter.
    fn blank<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        let tab = self.delimiter != b'\t';
        let start = text.iter().position(|&b| !(b == b' ' || b == b'\r' || b == b'\t' && tab));
        &text[start.unwrap_or(text.len())..]
    }

    /// The text after the delimiter, which must be here.
    fn next<'a>(&self, text: &'a [u8]) -> Option<&'a [u8]> {
        let after = self.blank(text);
        if self.delimiter == b' ' {
            return (after.len() < text.len()).then_some(after);
        }
        after.strip_prefix(&[self.delimiter]).map(|after| self.blank(after))
    }
}

/// A text in blocks of whole lines.
struct Text<'a> {
    path: &'a Path,
    shape: Shape,
}

impl EdgeSource for Text<'_> {
    type Block = Vec<u8>;

    fn guess(block: &Vec<u8>) -> usize {
        block.len() / 12
    }

    fn edges(&self, block: &Vec<u8>, each: impl FnMut(NodeId, NodeId)) -> Option<()> {
        self.shape.parse(block, each)
    }

    fn each_batch(&self, exec: &Exec, mut take: impl FnMut(&[Vec<u8>]) -> bool) -> Result<bool> {
        let (mut reader, size) = opened(self.path)?;
        let io = |e| Error::io(self.path, e);
        // Comments above the first row.
        let mut line = Vec::new();
        while {
            line.clear();
            reader.read_until(b'\n', &mut line).map_err(io)? > 0 && skipped(&line)
        } {}
        if self.shape.header {
            line.clear();
        }
        let (mut carry, mut total, mut done) = (line, 0u64, false);
        while !done {
            let mut batch = Vec::new();
            while batch.len() < 4 * exec.threads() && !done {
                let mut block = std::mem::take(&mut carry);
                let before = block.len();
                (&mut reader).take(BLOCK as u64).read_to_end(&mut block).map_err(io)?;
                total += (block.len() - before) as u64;
                done = block.len() == before;
                match block.iter().rposition(|&b| b == b'\n') {
                    Some(end) if !done => carry = block.split_off(end + 1),
                    // A line longer than a block is not an edge.
                    None if !done => return Ok(false),
                    _ => {}
                }
                batch.push(block);
            }
            if is_bomb(total, size) {
                return Ok(false);
            }
            exec.check()?;
            if !take(&batch) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// A Parquet table, decoded in blocks of rows.
struct StoredPairs<'a> {
    path: &'a Path,
    ends: [usize; 2],
}

impl EdgeSource for StoredPairs<'_> {
    type Block = Vec<[NodeId; 2]>;

    fn guess(block: &Self::Block) -> usize {
        block.len()
    }

    fn edges(&self, block: &Self::Block, mut each: impl FnMut(NodeId, NodeId)) -> Option<()> {
        for &[i, j] in block {
            each(i, j);
        }
        Some(())
    }

    fn each_batch(&self, exec: &Exec, mut take: impl FnMut(&[Self::Block]) -> bool) -> Result<bool> {
        let mut reader = parquet::Reader::open(self.path)?;
        reader.only(&self.ends)?;
        let mut done = false;
        while !done {
            let mut batch = Vec::new();
            while batch.len() < 4 * exec.threads() && !done {
                match reader.pairs(self.ends)? {
                    Pairs::End => done = true,
                    Pairs::Other => return Ok(false),
                    Pairs::Numbers(pairs) => batch.push(pairs),
                }
            }
            exec.check()?;
            if !take(&batch) {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The graph of pairs of known nodes.
pub(super) fn joined(name: &str, nodes: usize, pairs: Vec<Pair>, exec: &Exec) -> Result<Graph> {
    Graph::check_size(nodes, pairs.len())?;
    let mut indptr = vec![0usize; nodes + 1];
    let mut loops = 0;
    for &[i, j] in &pairs {
        if i == j {
            loops += 1;
        } else {
            indptr[i as usize + 1] += 1;
            indptr[j as usize + 1] += 1;
        }
    }
    for node in 0..nodes {
        indptr[node + 1] += indptr[node];
    }
    let mut next = indptr.clone();
    let mut indices = vec![0u32; indptr[nodes]];
    for [i, j] in pairs.into_iter().filter(|[i, j]| i != j) {
        for (own, other) in [(i, j), (j, i)] {
            indices[next[own as usize]] = other;
            next[own as usize] += 1;
        }
    }
    drop(next);
    let (adjacency, repeats) = simple(nodes, indptr, indices, exec);
    Ok(Graph::from_pattern(name, adjacency, repeats / 2).with_self_loops(loops))
}

/// Whether a line is blank or a comment.
fn skipped(line: &[u8]) -> bool {
    matches!(line.first(), Some(b'#' | b'%')) || line.iter().all(u8::is_ascii_whitespace)
}

/// Whether a comment may also be a row, such as one of hashtags.
fn could_be_row(comment: &[u8]) -> bool {
    matches!(comment.first(), Some(b'#' | b'%'))
        && comment.get(1).is_some_and(|byte| byte.is_ascii_alphanumeric() || !byte.is_ascii())
}

/// The number of up to seven digits at the start of the text, and its length: eight bytes at once, without a
/// branch per byte.
#[inline]
fn short(text: &[u8]) -> Option<(NodeId, usize)> {
    let bytes = u64::from_le_bytes(*text.first_chunk::<8>()?);
    // Digits become 0 to 9; the lowest larger byte ends the number (carries into higher bytes do not matter).
    let digits = bytes ^ 0x3030_3030_3030_3030;
    let other = (digits.wrapping_add(0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080;
    let length = other.trailing_zeros() as usize / 8;
    if !(1..8).contains(&length) || length > 1 && text[0] == b'0' {
        return None;
    }
    // Leading zeros are shifted in; then pairs of digits, pairs of pairs, and their pairs are combined.
    let digits = digits << (64 - 8 * length);
    let pairs = digits.wrapping_mul((10 << 8) + 1) >> 8 & 0x00ff_00ff_00ff_00ff;
    let fours = pairs.wrapping_mul((100 << 16) + 1) >> 16 & 0x0000_ffff_0000_ffff;
    let value = fours.wrapping_mul((10_000 << 32) + 1) >> 32;
    Some((value as NodeId, length))
}

/// The number at the start of the text, and the rest. Plain notation only: no sign, no leading zeros.
fn number(text: &[u8]) -> (Option<NodeId>, &[u8]) {
    let mut value = 0u64;
    let mut length = 0;
    while let Some(digit) = text.get(length).map(|b| b.wrapping_sub(b'0')).filter(|d| *d < 10) {
        value = value * 10 + u64::from(digit);
        length += 1;
        if length > 10 {
            return (None, text);
        }
    }
    let plain = length > 0 && (length == 1 || text[0] != b'0');
    (plain.then(|| NodeId::try_from(value).ok()).flatten(), &text[length..])
}
