//! Edge lists of plain numbers, as most large lists are: read twice, in blocks on all threads, directly into
//! the finished graph.
//!
//! The first pass counts, the second fills; additional memory is one counter per node. Anything that is not a
//! plain list of numbers (names, quotes, ragged rows, numbers beyond 32 bits) is left to the general reader,
//! which reports errors precisely. Parquet tables of whole numbers use the same algorithm with another
//! reader.

mod line;

use std::io::{BufRead as _, Read};
use std::path::Path;

use self::line::{Shape, skipped};
use super::layout::EdgeLayout;
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
        return twice(&StoredPairs { path, ends: layout.ends }, path, name, None, exec);
    }
    match Shape::of(path)? {
        Some(shape) if shape.header == layout.names.is_some() && layout.ends == [0, 1] => {
            twice(&Text { path, shape }, path, name, None, exec)
        }
        _ => Ok(None),
    }
}

/// Reads a list of two columns without a header whose numbers lie below the number of nodes, if it contains nothing
/// else.
pub(super) fn read_below(nodes: usize, path: &Path, name: &str, exec: &Exec) -> Result<Option<Graph>> {
    match Shape::of(path)? {
        Some(shape) if !shape.header && shape.columns == 2 => {
            twice(&Text { path, shape }, path, name, Some(nodes), exec)
        }
        _ => Ok(None),
    }
}

/// `given`: the number of nodes, if all numbers below it are nodes, whether they occur or not.
fn twice<S: EdgeSource>(
    source: &S,
    path: &Path,
    name: &str,
    given: Option<usize>,
    exec: &Exec,
) -> Result<Option<Graph>> {
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
    let top = counters.iter().rposition(|&c| c != 0).map_or(0, |top| top + 1);
    let used = given.unwrap_or(top);
    if used < top || Graph::check_size(used, lines).is_err() {
        return Ok(None);
    }
    counters.resize(used, 0);
    if given.is_some() {
        for counter in &mut counters {
            *counter |= SEEN;
        }
    }
    // Nodes are the numbers that occur, in their order.
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
