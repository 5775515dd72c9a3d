//! Hard negatives for each positive (HeaRT: Li et al., NeurIPS 2023): pairs that share an end with the positive and look
//! like edges to common heuristics.
//!
//! Candidates for an end are ranked by resource allocation, by personalised PageRank and by the cosine of features; a
//! candidate's rank is the best of the three. Half of the negatives keep one end of the positive, half the other.

use crate::error::{Error, Result};
use crate::exec::Exec;
use crate::graph::{Csr, Features, NodeId, Pair};
use crate::seed::{Seed, Stream};

/// Chance of PageRank to return to its start, as HeaRT's authors have it.
const RETURN: f64 = 0.15;
/// Rest of a node below which PageRank lets it be, for each of its edges.
const REST: f64 = 1e-5;

/// For each positive, `each` pairs that are no edges of `all`; heuristics see the training graph alone. Where an end has
/// fewer nodes that are not its neighbours than pairs are needed, they come again.
///
/// For each end `O(Σ d)` over its neighbours, a PageRank of bounded work, and all nodes that share a feature with it.
pub(super) fn hard(
    training: &Csr,
    all: &Csr,
    features: &Features,
    positives: &[Pair],
    each: usize,
    seed: Seed,
    exec: &Exec,
) -> Result<Vec<Pair>> {
    let mut ends: Vec<NodeId> = positives.iter().flatten().copied().collect();
    ends.sort_unstable();
    ends.dedup();
    if let Some(&full) = ends.iter().find(|&&end| all.row(end as usize).len() + 1 >= all.rows()) {
        return Err(Error::Unsuitable {
            stage: "split",
            why: format!("node {full} is linked to all others, so no pair with it can be a negative"),
        });
    }
    let half = each.div_ceil(2);
    let features = Alike::new(features);
    let found = exec.map_blocks(ends.len(), 64.max(ends.len().div_ceil(64)), |range| {
        let mut search = Search::new(training, &features);
        ends[range].iter().map(|&end| search.candidates(end, all, half, seed)).collect::<Vec<_>>()
    });
    let found: Vec<Vec<NodeId>> = found.into_iter().flatten().collect();
    let of = |end: NodeId| &found[ends.binary_search(&end).expect("ends are listed")];
    Ok(positives
        .iter()
        .flat_map(|&[i, j]| {
            let kept_i = of(i)[..half].iter().map(move |&other| [i, other]);
            let kept_j = of(j)[..each - half].iter().map(move |&other| [j, other]);
            kept_i.chain(kept_j).collect::<Vec<_>>()
        })
        .collect())
}

/// Rows of features of length 1, and the same by columns.
struct Alike {
    rows: Option<[Csr; 2]>,
}

impl Alike {
    fn new(features: &Features) -> Self {
        let rows = match features {
            Features::None => return Alike { rows: None },
            Features::Dense(x) => Csr::from_dense(x),
            Features::Sparse(x) => x.clone(),
        };
        let unit = (0..rows.rows()).map(|row| {
            let indices = rows.row(row).to_vec();
            let mut values = rows.row_values(row).map_or_else(|| vec![1.0; indices.len()], <[f32]>::to_vec);
            let norm = values.iter().map(|&v| f64::from(v) * f64::from(v)).sum::<f64>().sqrt();
            for v in &mut values {
                *v = (f64::from(*v) / norm.max(f64::MIN_POSITIVE)) as f32;
            }
            (indices, values)
        });
        let unit = Csr::from_rows(rows.cols(), unit);
        let columns = unit.transpose();
        Alike { rows: Some([unit, columns]) }
    }
}

/// Scores of all nodes seen from one, in memory that is used again and again.
struct Search<'a> {
    graph: &'a Csr,
    features: &'a Alike,
    score: Vec<f64>,
    touched: Vec<NodeId>,
    rest: Vec<f64>,
}

impl<'a> Search<'a> {
    fn new(graph: &'a Csr, features: &'a Alike) -> Self {
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

    /// The nodes that look most like neighbours of `end` and are none, best first.
    fn candidates(&mut self, end: NodeId, all: &Csr, count: usize, seed: Seed) -> Vec<NodeId> {
        let mut best = std::collections::HashMap::<NodeId, usize>::new();
        for heuristic in [Self::resource_allocation, Self::page_rank, Self::cosine] {
            heuristic(self, end);
            let mut touched = std::mem::take(&mut self.touched);
            // A sum of features of both signs may have passed through zero and been noted twice.
            touched.sort_unstable();
            touched.dedup();
            let mut nodes: Vec<NodeId> =
                touched.iter().copied().filter(|&node| node != end && !all.contains(end, node)).collect();
            // Ties in an order that favours no node.
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
            // Too few that look like anything: any others will do.
            let n = u32::try_from(self.graph.rows()).expect("node ids fit in u32");
            let mut others: Vec<NodeId> = (0..n)
                .filter(|&node| node != end && !all.contains(end, node) && !found.contains(&node))
                .collect();
            seed.stream(Stream::HardNegatives, u64::from(end)).shuffle(&mut others);
            found.extend(others);
            let distinct = found.len();
            found.extend(
                (0..count.saturating_sub(distinct)).map(|at| found[at % distinct]).collect::<Vec<_>>(),
            );
            found.truncate(count);
        }
        found
    }

    fn resource_allocation(&mut self, end: NodeId) {
        let graph = self.graph;
        for &k in graph.row(end as usize) {
            let onward = graph.row(k as usize);
            for &other in onward {
                self.add(other, 1.0 / onward.len() as f64);
            }
        }
    }

    /// Personalised PageRank by pushing what rests at nodes to their neighbours (Andersen, Chung, Lang 2006).
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_rank_equals_the_fixed_point() {
        let edges = [[0, 1], [1, 2], [2, 3], [3, 4], [4, 0], [1, 4], [5, 6]];
        let graph = Csr::symmetric(8, &edges);
        let features = Alike::new(&Features::None);
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
