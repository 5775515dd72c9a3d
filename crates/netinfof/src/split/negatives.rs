//! Negatives: uniform, degree-matched, unverified.

use crate::distinct_pairs::DistinctPairs;
use crate::error::{Error, Result};
use crate::graph::{Csr, Pair};
use crate::seed::Draw;

/// A non-edge whose ends come from two edges: nodes occur as often as in edges. If that fails
/// repeatedly, any pair.
pub(super) fn matched_pair(adjacency: &Csr, edges: &[Pair], draw: &mut Draw) -> Pair {
    let count = u32::try_from(edges.len()).expect("edges of a split fit in u32");
    for _ in 0..1000 {
        let [i, j] = [(); 2].map(|()| edges[draw.below(count) as usize][draw.below(2) as usize]);
        if i != j && !adjacency.contains(i, j) {
            return [i, j];
        }
    }
    loop {
        let pair = random_pair(adjacency.rows(), draw);
        if !adjacency.contains(pair[0], pair[1]) {
            return pair;
        }
    }
}

/// `count` non-edges with the degrees of these edges; distinct while there are enough.
pub(super) fn matched_non_edges(
    adjacency: &Csr,
    edges: &[Pair],
    count: usize,
    seen: &mut DistinctPairs,
    draw: &mut Draw,
) -> Result<Vec<Pair>> {
    if free_pairs(adjacency) == 0 {
        return Err(too_dense(0, count));
    }
    let mut pairs = Vec::with_capacity(count);
    let mut tries = 0;
    while pairs.len() < count {
        let pair = matched_pair(adjacency, edges, draw);
        tries += 1;
        if seen.insert(pair) || tries > 20 * count {
            pairs.push(pair);
        }
    }
    Ok(pairs)
}

pub(super) fn random_pair(nodes: usize, draw: &mut Draw) -> Pair {
    let n = u32::try_from(nodes).expect("node ids fit in u32");
    let i = draw.below(n);
    // Skip i itself rather than reject it.
    let j = draw.below(n - 1);
    [i, j + u32::from(j >= i)]
}

pub(super) fn unverified(nodes: usize, count: usize, draw: &mut Draw) -> Vec<Pair> {
    (0..count).map(|_| random_pair(nodes, draw)).collect()
}

pub(super) fn free_pairs(adjacency: &Csr) -> usize {
    adjacency.rows() * (adjacency.rows() - 1) / 2 - adjacency.nnz() / 2
}

pub(super) fn too_dense(free: usize, wanted: usize) -> Error {
    Error::Unsuitable {
        stage: "split",
        why: format!("the graph is too dense: {free} pairs are not edges, but {wanted} negatives are needed"),
    }
}

/// `count` distinct non-edges.
pub(super) fn distinct_non_edges(adjacency: &Csr, count: usize, draw: &mut Draw) -> Result<Vec<Pair>> {
    let free = free_pairs(adjacency);
    if free < count {
        return Err(too_dense(free, count));
    }
    if free < 3 * count {
        // The graph is so dense that rejection would be slow; listing the non-edges is then as cheap as
        // listing the edges.
        let nodes = u32::try_from(adjacency.rows()).expect("node ids fit in u32");
        let mut all: Vec<Pair> = (0..nodes)
            .flat_map(|i| (i + 1..nodes).map(move |j| [i, j]))
            .filter(|p| !adjacency.contains(p[0], p[1]))
            .collect();
        draw.shuffle(&mut all);
        all.truncate(count);
        return Ok(all);
    }
    let mut seen = DistinctPairs::with_capacity(count);
    let mut pairs = Vec::with_capacity(count);
    while pairs.len() < count {
        let pair = random_pair(adjacency.rows(), draw);
        if !adjacency.contains(pair[0], pair[1]) && seen.insert(pair) {
            pairs.push(pair);
        }
    }
    Ok(pairs)
}
