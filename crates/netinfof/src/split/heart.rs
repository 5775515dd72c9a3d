//! Hard negatives for each positive (HeaRT: Li et al., NeurIPS 2023): pairs that share an end with the
//! positive and resemble edges by common heuristics.
//!
//! Candidates for an end are ranked by resource allocation, by personalised PageRank and by the cosine of
//! features; a candidate's rank is the best of the three. Half of the negatives keep one end of the positive,
//! half the other.
//!
//! Work and memory grow with nodes, edges and negatives, never with pairs of nodes: each heuristic has a
//! limit per end ([`REST`], [`HUB`], [`PRODUCTS`]), and missing candidates are filled with random nodes.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::error::{Error, Result};
use crate::exec::Exec;
use crate::graph::{Csr, Features, NodeId, Pair};
use crate::seed::{Draw, Seed, Stream};

use super::negatives::PairSpace;

/// Restart probability of PageRank, as in HeaRT.
const RETURN: f64 = 0.15;
/// Residual per edge of a node below which PageRank does not push it.
const REST: f64 = 1e-5;

/// Resource allocation skips nodes with at least this many neighbours: they would contribute less than
/// 1/[`HUB`] each.
const HUB: usize = 1 << 14;
/// Mean number of feature products per end above which cosines are computed with a random sample of the
/// nodes.
const PRODUCTS: f64 = 2e6;

/// For each positive of each set, `each` non-edges of the space; heuristics use only the training graph. If an
/// end has too few non-neighbours, they are repeated.
///
/// For each end `O(Σ min(d, HUB))` over its neighbours, a PageRank of bounded work, and at most about
/// `PRODUCTS` products of features; `each / 2` nodes are kept per end.
pub(super) fn hard<const SETS: usize>(
    training: &Csr,
    space: PairSpace<'_>,
    features: &Features,
    sets: [&[Pair]; SETS],
    each: usize,
    seed: Seed,
    exec: &Exec,
) -> Result<[Vec<Pair>; SETS]> {
    let mut ends: Vec<NodeId> = sets.into_iter().flatten().flatten().copied().collect();
    ends.sort_unstable();
    ends.dedup();
    let all = Partners(space);
    if let Some(&full) = ends.iter().find(|&&end| all.free(end) == 0) {
        let others = if space.sides.is_some() { "all nodes of the other side" } else { "all others" };
        return Err(Error::Unsuitable {
            stage: "split",
            why: format!("node {full} is linked to {others}, so none of its pairs can be a negative"),
        });
    }
    let half = each.div_ceil(2);
    let features = UnitFeatures::new(features, seed);
    let mut found: Vec<NodeId> = vec![0; ends.len() * half];
    exec.fill_rows(&mut found, half, 64.max(ends.len().div_ceil(64)), |first, rows| {
        let mut search = Search::new(training, &features);
        for (&end, row) in ends[first..].iter().zip(rows.chunks_exact_mut(half)) {
            row.copy_from_slice(&search.candidates(end, all, half, seed));
        }
    });
    let of = |end: NodeId| {
        let at = ends.binary_search(&end).expect("ends are listed");
        &found[at * half..(at + 1) * half]
    };
    Ok(sets.map(|positives| {
        let mut negatives = Vec::with_capacity(positives.len() * each);
        for &[i, j] in positives {
            negatives.extend(of(i).iter().map(|&other| [i, other]));
            negatives.extend(of(j)[..each - half].iter().map(|&other| [j, other]));
        }
        negatives
    }))
}

/// The nodes that a node has no edge to, but could have.
#[derive(Clone, Copy)]
struct Partners<'a>(PairSpace<'a>);

impl Partners<'_> {
    fn has(self, end: NodeId, node: NodeId) -> bool {
        let possible = self.0.sides.map_or(node != end, |sides| sides.across([end, node]));
        let present = self.0.present.is_none_or(|present| present.has(node));
        possible && present && !self.0.edges.contains(end, node)
    }

    /// Number of nodes that a node could have an edge to.
    fn possible(self, end: NodeId) -> usize {
        let own = usize::from(self.0.sides.is_none_or(crate::graph::Sides::are_roles));
        self.0.partners(end).map_or(self.0.edges.rows(), <[NodeId]>::len) - own
    }

    /// Number of those that it has no edge to.
    fn free(self, end: NodeId) -> usize {
        let row = self.0.edges.row(end as usize);
        let linked =
            self.0.present.map_or(row.len(), |own| row.iter().filter(|&&node| own.has(node)).count());
        self.possible(end) - linked
    }
}

/// Rows of features of length 1, and the candidates' rows by columns.
struct UnitFeatures {
    rows: Option<[Csr; 2]>,
}

impl UnitFeatures {
    fn new(features: &Features, seed: Seed) -> Self {
        let rows = match features {
            Features::None => return UnitFeatures { rows: None },
            features => match &*Features::without_missing(Cow::Borrowed(features)) {
                Features::Dense(x) => Csr::from_dense(x),
                Features::Sparse(x) => x.clone(),
                Features::None => unreachable!("there are features"),
            },
        };
        let unit = |row: usize| {
            let indices = rows.row(row).to_vec();
            let mut values = rows.row_values(row).map_or_else(|| vec![1.0; indices.len()], <[f32]>::to_vec);
            let norm = values.iter().map(|&v| f64::from(v) * f64::from(v)).sum::<f64>().sqrt();
            for v in &mut values {
                *v = (f64::from(*v) / norm.max(f64::MIN_POSITIVE)) as f32;
            }
            (indices, values)
        };
        let unit = Csr::from_rows(rows.cols(), (0..rows.rows()).map(unit));
        let columns = unit.transpose();
        let products: f64 = (0..columns.rows()).map(|col| (columns.row(col).len() as f64).powi(2)).sum();
        let share = PRODUCTS * unit.rows() as f64 / products;
        if share >= 1.0 {
            return UnitFeatures { rows: Some([unit, columns]) };
        }
        let mut draw = seed.stream(Stream::HardNegatives, 1 << 32);
        let candidate = |row: usize| match unit.row_values(row) {
            Some(values) if draw.unit() < share => (unit.row(row).to_vec(), values.to_vec()),
            _ => (Vec::new(), Vec::new()),
        };
        let columns = Csr::from_rows(unit.cols(), (0..unit.rows()).map(candidate)).transpose();
        UnitFeatures { rows: Some([unit, columns]) }
    }
}

/// Scores of all nodes with respect to one node, in reused memory.
struct Search<'a> {
    graph: &'a Csr,
    features: &'a UnitFeatures,
    score: Vec<f64>,
    touched: Vec<NodeId>,
    rest: Vec<f64>,
}

impl<'a> Search<'a> {
    fn new(graph: &'a Csr, features: &'a UnitFeatures) -> Self {
        let n = graph.rows();
        Search { graph, features, score: vec![0.0; n], touched: Vec::new(), rest: vec![0.0; n] }
    }

    fn add(&mut self, node: NodeId, by: f64) {
        let score = &mut self.score[node as usize];
        if *score == 0.0 {
            self.touched.push(node);
        }
        *score += by;
    }

    /// The non-neighbours of `end` that resemble its neighbours most, best first.
    fn candidates(&mut self, end: NodeId, all: Partners<'_>, count: usize, seed: Seed) -> Vec<NodeId> {
        let mut best = std::collections::HashMap::<NodeId, usize>::new();
        for heuristic in [Self::resource_allocation, Self::page_rank, Self::cosine] {
            heuristic(self, end);
            let mut touched = std::mem::take(&mut self.touched);
            // A sum of features of both signs may have passed through zero and been recorded twice.
            touched.sort_unstable();
            touched.dedup();
            let mut nodes: Vec<NodeId> = touched.iter().copied().filter(|&node| all.has(end, node)).collect();
            // Ties are ordered by a hash, so that no node is favoured.
            let order = |&node: &NodeId| (node ^ end).wrapping_mul(0x9E37_79B1);
            let by_score = |a: &NodeId, b: &NodeId| {
                self.score[*b as usize].total_cmp(&self.score[*a as usize]).then(order(a).cmp(&order(b)))
            };
            if nodes.len() > count {
                nodes.select_nth_unstable_by(count - 1, by_score);
                nodes.truncate(count);
            }
            nodes.sort_unstable_by(by_score);
            nodes.retain(|&node| self.score[node as usize] > 0.0);
            for (rank, &node) in nodes.iter().enumerate() {
                best.entry(node).and_modify(|known| *known = rank.min(*known)).or_insert(rank);
            }
            for node in touched {
                self.score[node as usize] = 0.0;
            }
        }
        let mut ranked: Vec<(usize, NodeId)> = best.into_iter().map(|(node, rank)| (rank, node)).collect();
        ranked.sort_unstable();
        let mut found: Vec<NodeId> = ranked.into_iter().map(|(_, node)| node).take(count).collect();
        if found.len() < count {
            fill_up(&mut found, end, all, count, &mut seed.stream(Stream::HardNegatives, u64::from(end)));
        }
        found
    }

    fn resource_allocation(&mut self, end: NodeId) {
        let graph = self.graph;
        for &k in graph.row(end as usize) {
            let onward = graph.row(k as usize);
            if onward.len() > HUB {
                continue;
            }
            for &other in onward {
                self.add(other, 1.0 / onward.len() as f64);
            }
        }
    }

    /// Personalised PageRank by pushing residuals of nodes to their neighbours (Andersen, Chung, Lang 2006).
    fn page_rank(&mut self, end: NodeId) {
        let graph = self.graph;
        let mut queue = std::collections::VecDeque::from([end]);
        self.rest[end as usize] = 1.0;
        let mut seen = vec![end];
        while let Some(node) = queue.pop_front() {
            let neighbours = graph.row(node as usize);
            let amount = std::mem::take(&mut self.rest[node as usize]);
            self.add(node, RETURN * amount);
            if neighbours.is_empty() {
                continue;
            }
            let share = (1.0 - RETURN) * amount / neighbours.len() as f64;
            for &other in neighbours {
                let limit = REST * graph.row(other as usize).len() as f64;
                let rest = &mut self.rest[other as usize];
                let before = *rest;
                *rest += share;
                if before == 0.0 {
                    seen.push(other);
                }
                if before < limit && *rest >= limit {
                    queue.push_back(other);
                }
            }
        }
        for node in seen {
            self.rest[node as usize] = 0.0;
        }
    }

    fn cosine(&mut self, end: NodeId) {
        let features = self.features;
        let Some([rows, columns]) = &features.rows else { return };
        let values = rows.row_values(end as usize).expect("made with values");
        for (&col, &v) in rows.row(end as usize).iter().zip(values) {
            let values = columns.row_values(col as usize).expect("made with values");
            for (&other, &w) in columns.row(col as usize).iter().zip(values) {
                self.add(other, f64::from(v) * f64::from(w));
            }
        }
    }
}

/// Adds random non-neighbours of `end` up to `count`: new ones while there are any, then repetitions.
fn fill_up(found: &mut Vec<NodeId>, end: NodeId, all: Partners<'_>, count: usize, draw: &mut Draw) {
    let nodes = u32::try_from(all.0.edges.rows()).expect("node ids fit in u32");
    let free = all.free(end);
    let mut taken: HashSet<NodeId> = found.iter().copied().collect();
    let mut is_new = |node: NodeId| all.has(end, node) && taken.insert(node);
    if free >= 2 * count && 2 * free > all.possible(end) {
        let partners = all.0.partners(end);
        let choices = partners.map_or(nodes, |own| own.len() as u32);
        // At least a quarter of all draws are new nodes.
        while found.len() < count {
            let at = draw.below(choices);
            let node = partners.map_or(at, |own| own[at as usize]);
            if is_new(node) {
                found.push(node);
            }
        }
        return;
    }
    // Few nodes, or most of them neighbours: listing them costs no more than `count` or the row of `end`.
    let mut others: Vec<NodeId> = (0..nodes).filter(|&node| is_new(node)).collect();
    draw.shuffle(&mut others);
    others.truncate(count - found.len());
    found.extend(others);
    let distinct = found.len();
    for at in found.len()..count {
        found.push(found[at % distinct]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filled_up_nodes_are_distinct_and_no_neighbours() {
        let draw = || Seed(3).stream(Stream::HardNegatives, 0);
        // By rejection; by listing, because there are few nodes; and because most are neighbours.
        for (nodes, degree, count) in [(5000, 10, 250), (300, 10, 250), (5000, 4000, 250), (40, 10, 250)] {
            let edges: Vec<Pair> = (1..=degree).map(|other| [0, other]).collect();
            let all = Csr::symmetric(nodes, &edges);
            let partners = Partners(PairSpace { edges: &all, sides: None, present: None });
            let mut found = vec![degree + 3, degree + 1];
            fill_up(&mut found, 0, partners, count, &mut draw());
            assert_eq!((found.len(), &found[..2]), (count, &[degree + 3, degree + 1][..]));
            assert!(found.iter().all(|&node| node > degree && (node as usize) < nodes));
            let free = nodes - 1 - degree as usize;
            let distinct: HashSet<NodeId> = found.iter().copied().collect();
            assert_eq!(distinct.len(), count.min(free), "{nodes} nodes, {degree} neighbours");
            // Memory for `count` nodes, not for all.
            assert!(found.capacity() <= 2 * count, "{}", found.capacity());
            let mut again = vec![degree + 3, degree + 1];
            fill_up(&mut again, 0, partners, count, &mut draw());
            assert_eq!(found, again);
        }
    }

    #[test]
    fn cosines_are_bounded_on_dense_features() {
        use crate::matrix::Matrix;
        let columns = |nodes: usize, cols: usize| {
            let x = Features::Dense(Matrix::from_fn(nodes, cols, |i, j| ((i * 7 + j * 3) % 5) as f32 + 1.0));
            let [rows, columns] = UnitFeatures::new(&x, Seed(0)).rows.unwrap();
            assert_eq!(rows.nnz(), nodes * cols);
            columns.nnz()
        };
        assert_eq!(columns(500, 20), 500 * 20);
        // 20 000 nodes and 200 columns: 4 million products for each end, half of them too many.
        let share = columns(20_000, 200) as f64 / (20_000.0 * 200.0);
        assert!((share - 0.5).abs() < 0.02, "{share}");
    }

    #[test]
    fn resource_allocation_passes_hubs_over() {
        let neighbours = |edges: u32| {
            let edges: Vec<Pair> = (1..=edges).map(|leaf| [0, leaf]).collect();
            let (graph, features) = (Csr::symmetric(20_000, &edges), UnitFeatures { rows: None });
            let mut search = Search::new(&graph, &features);
            search.resource_allocation(5);
            search.touched.len()
        };
        assert_eq!((neighbours(16_384), neighbours(16_385)), (16_384, 0));
    }

    #[test]
    fn page_rank_equals_the_fixed_point() {
        let edges = [[0, 1], [1, 2], [2, 3], [3, 4], [4, 0], [1, 4], [5, 6]];
        let graph = Csr::symmetric(8, &edges);
        let features = UnitFeatures::new(&Features::None, Seed(0));
        let mut search = Search::new(&graph, &features);
        search.page_rank(1);
        let mut expected = [0.0f64; 8];
        for _ in 0..200 {
            let mut next = [0.0; 8];
            next[1] = RETURN;
            for node in 0..8 {
                for &other in graph.row(node) {
                    next[other as usize] += (1.0 - RETURN) * expected[node] / graph.row(node).len() as f64;
                }
            }
            expected = next;
        }
        for node in 0..8 {
            assert!((search.score[node] - expected[node]).abs() < 1e-4, "{node}: {}", search.score[node]);
        }
        assert!(search.rest.iter().all(|&rest| rest == 0.0));
    }
}
