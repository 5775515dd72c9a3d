//! Edge lists of plain numbers, which most large ones are: read twice, in blocks on all threads, straight into the finished graph.
//!
//! The first pass counts, the second fills; beside the graph there is one counter a node. Whatever does not look like a plain list of
//! numbers (names, quotes, ragged rows, numbers beyond 32 bits) is left to the general reader, which knows how to speak of it.

use std::io::{BufRead as _, Read};
use std::path::Path;

use super::usual_columns;
use crate::error::{Error, Result};
use crate::exec::Exec;
use crate::graph::npz::is_bomb;
use crate::graph::table::opened;
use crate::graph::{Csr, Graph, NodeId};

/// A graph from an edge list of numbers, and whether the list has more columns than it needs.
pub(super) struct Numbered {
    pub(super) graph: Graph,
    pub(super) more_columns: bool,
}

const BLOCK: usize = 1 << 20;
/// Nodes are dealt to threads by pages of so many: each thread counts and fills for its own, without locks.
const PAGE: usize = 1 << 16;
/// A node's counter also says that it was seen at all: a self loop makes a node, too.
const SEEN: u32 = 1 << 31;

/// Which thread counts and fills for a node.
fn owner(node: NodeId, owners: usize) -> usize {
    node as usize / PAGE % owners
}

/// Deals pages to their owners.
fn dealt<T>(pages: impl Iterator<Item = T>, owners: usize) -> Vec<Vec<T>> {
    let mut parts: Vec<Vec<T>> = (0..owners).map(|_| Vec::new()).collect();
    pages.enumerate().for_each(|(page, own)| parts[page % owners].push(own));
    parts
}

/// What one block holds: ends of edges by owner, self loops, lines, and the largest number.
struct Ends {
    by_owner: Vec<Vec<[NodeId; 2]>>,
    loops: Vec<NodeId>,
    lines: usize,
    top: NodeId,
}

/// Reads the list if it is one of plain numbers.
pub(super) fn read(path: &Path, name: &str, exec: &Exec) -> Result<Option<Numbered>> {
    let Some(shape) = Shape::of(path)? else { return Ok(None) };
    let owners = exec.threads();
    // The ends of all edges of a batch: each end with the other one, at the owner of the first.
    let ends = |batch: &[Vec<u8>]| -> Option<Vec<Ends>> {
        let of = |at: std::ops::Range<usize>| {
            let block = &batch[at.start];
            let room = block.len() / (8 * owners);
            let mut found = Ends {
                by_owner: (0..owners).map(|_| Vec::with_capacity(room)).collect(),
                loops: Vec::new(),
                lines: 0,
                top: 0,
            };
            shape.parse(block, |i, j| {
                found.lines += 1;
                found.top = found.top.max(i).max(j);
                if i == j {
                    found.loops.push(i);
                } else {
                    found.by_owner[owner(i, owners)].push([i, j]);
                    found.by_owner[owner(j, owners)].push([j, i]);
                }
            })?;
            Some(found)
        };
        exec.map_blocks(batch.len(), 1, of).into_iter().collect()
    };

    let mut counters: Vec<u32> = Vec::new();
    let (mut loops, mut lines) = (0, 0);
    let plain = shape.each_batch(path, exec, |batch| {
        let Some(found) = ends(batch) else { return false };
        lines += found.iter().map(|f| f.lines).sum::<usize>();
        let top = found.iter().map(|f| f.top as usize + 1).max().unwrap_or(0);
        // Numbers far apart want a table of names, not an array.
        if top > (1 << 20) + 64 * lines {
            return false;
        }
        if top > counters.len() {
            counters.resize(top.next_multiple_of(PAGE).max(2 * counters.len()), 0);
        }
        for &node in found.iter().flat_map(|f| &f.loops) {
            counters[node as usize] |= SEEN;
            loops += 1;
        }
        let mut parts = dealt(counters.chunks_mut(PAGE), owners);
        exec.fill_rows(&mut parts, 1, 1, |own, pages| {
            for &[node, _] in found.iter().flat_map(|f| &f.by_owner[own]) {
                let node = node as usize;
                let counter = &mut pages[0][node / PAGE / owners][node % PAGE];
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
    // Where the next neighbour of a number goes, within its page.
    let mut next = vec![0usize; used];
    let mut sizes = Vec::new();
    for (next, counters) in next.chunks_mut(PAGE).zip(counters.chunks(PAGE)) {
        let mut size = 0;
        for (next, counter) in next.iter_mut().zip(counters) {
            *next = size;
            size += (counter & !SEEN) as usize;
        }
        sizes.push(size);
    }
    let mut indptr = Vec::with_capacity(nodes + 1);
    indptr.push(0usize);
    for counter in counters.iter().filter(|&&c| c != 0) {
        indptr.push(indptr.last().expect("it begins with 0") + (counter & !SEEN) as usize);
    }
    let mut indices = vec![0u32; indptr[nodes]];
    let mut changed = false;
    let same = shape.each_batch(path, exec, |batch| {
        let Some(found) = ends(batch) else { return false };
        let mut rest = &mut indices[..];
        let pages = next.chunks_mut(PAGE).zip(&sizes).map(|(next, &size)| {
            let (own, more) = std::mem::take(&mut rest).split_at_mut(size);
            rest = more;
            (next, own)
        });
        let mut parts: Vec<(Vec<_>, bool)> =
            dealt(pages, owners).into_iter().map(|part| (part, true)).collect();
        exec.fill_rows(&mut parts, 1, 1, |own, parts| {
            let (pages, sound) = &mut parts[0];
            for &[node, other] in found.iter().flat_map(|f| &f.by_owner[own]) {
                let node = node as usize;
                let page = pages.get_mut(node / PAGE / owners);
                let place = page.and_then(|(next, own)| {
                    let next = next.get_mut(node % PAGE)?;
                    *next += 1;
                    own.get_mut(*next - 1)
                });
                match place {
                    Some(place) if (other as usize) < used => *place = rank(other),
                    _ => *sound = false,
                }
            }
        });
        changed |= parts.iter().any(|(_, sound)| !sound);
        !changed
    })?;
    // Every row must have been filled to its end, neither less nor more.
    let ends = next.chunks(PAGE).zip(counters.chunks(PAGE)).all(|(next, counters)| {
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
    Ok(Some(Numbered { graph, more_columns: shape.columns > 2 }))
}

/// Sorts every row and takes repeats out of it; also how many there were.
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

/// How the lines of a list are made.
struct Shape {
    /// A comma, tab, semicolon, or a space for any white space.
    delimiter: u8,
    columns: usize,
    /// Whether the first line names the columns.
    header: bool,
}

impl Shape {
    /// The shape of a list of plain numbers; none if it begins otherwise.
    fn of(path: &Path) -> Result<Option<Self>> {
        let (mut reader, _) = opened(path)?;
        let mut header = false;
        let mut line = Vec::new();
        loop {
            line.clear();
            // Longer lines are no edges; a byte-order mark or an odd letter is for the general reader.
            let read =
                (&mut reader).take(1 << 16).read_until(b'\n', &mut line).map_err(|e| Error::io(path, e))?;
            if read == 0 || read == 1 << 16 || !line.is_ascii() {
                return Ok(None);
            }
            if skipped(&line) {
                continue;
            }
            let text = String::from_utf8_lossy(&line).trim().to_string();
            let delimiter =
                [b',', b'\t', b';'].into_iter().find(|d| text.as_bytes().contains(d)).unwrap_or(b' ');
            let cells: Vec<&str> = match delimiter {
                b' ' => text.split_whitespace().collect(),
                d => text.split(char::from(d)).collect(),
            };
            let shape = Shape { delimiter, columns: cells.len(), header };
            if cells.len() < 2 || text.contains('"') {
                return Ok(None);
            }
            if shape.parse(&line, |_, _| ()).is_some() {
                return Ok(Some(shape));
            }
            // Words above numbers are a header, as long as no word is a number, and the ids stand below the first two.
            let names: Vec<String> = cells.iter().map(|cell| cell.trim().to_string()).collect();
            let elsewhere = usual_columns(&names).is_some_and(|columns| columns != [0, 1]);
            if header || elsewhere || names.iter().any(|name| name.parse::<f64>().is_ok()) {
                return Ok(None);
            }
            header = true;
        }
    }

    /// Gives every edge of a block of whole lines; none if a line is anything else than expected.
    fn parse(&self, block: &[u8], mut each: impl FnMut(NodeId, NodeId)) -> Option<()> {
        let mut rest = block;
        while !rest.is_empty() {
            let end = rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
            let (line, after) = (&rest[..end], &rest[(end + 1).min(rest.len())..]);
            rest = after;
            let (i, tail) = number(self.blank(line));
            let Some(i) = i else {
                if skipped(line) {
                    continue;
                }
                return None;
            };
            let (j, mut tail) = number(self.next(tail)?);
            let j = j?;
            let mut columns = 2;
            // Of further columns only the number matters.
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

    fn ends_cell(&self, byte: u8) -> bool {
        byte == self.delimiter || self.delimiter == b' ' && byte == b'\t'
    }

    /// The text without white space before it, as far as that does not part cells.
    fn blank<'a>(&self, text: &'a [u8]) -> &'a [u8] {
        let tab = self.delimiter != b'\t';
        let start = text.iter().position(|&b| !(b == b' ' || b == b'\r' || b == b'\t' && tab));
        &text[start.unwrap_or(text.len())..]
    }

    /// What comes after the delimiter that must stand here.
    fn next<'a>(&self, text: &'a [u8]) -> Option<&'a [u8]> {
        let after = self.blank(text);
        if self.delimiter == b' ' {
            return (after.len() < text.len()).then_some(after);
        }
        after.strip_prefix(&[self.delimiter]).map(|after| self.blank(after))
    }

    /// Hands over batches of blocks of whole lines until one is refused; whether none was.
    fn each_batch(&self, path: &Path, exec: &Exec, mut take: impl FnMut(&[Vec<u8>]) -> bool) -> Result<bool> {
        let (mut reader, size) = opened(path)?;
        let io = |e| Error::io(path, e);
        if self.header {
            let mut line = Vec::new();
            while {
                line.clear();
                reader.read_until(b'\n', &mut line).map_err(io)? > 0 && skipped(&line)
            } {}
        }
        let (mut carry, mut total, mut done) = (Vec::new(), 0u64, false);
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
                    // A line longer than a block is no edge.
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

/// Whether a line holds nothing: blank, or a comment.
fn skipped(line: &[u8]) -> bool {
    matches!(line.first(), Some(b'#' | b'%')) || line.iter().all(u8::is_ascii_whitespace)
}

/// The number that text begins with, and the rest. Numbers as one would write them: no sign, no zeros in front.
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
