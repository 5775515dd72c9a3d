//! The most likely partners of nodes: an exact maximum inner product search, and re-ranking of a pool by X.
//!
//! Without X the score of a pair is bilinear: with `M = ½ (H W + W H)`, W the weights of a component, it is
//! the sum of `ẑ_i M · ẑ_j` over the components. So all partners of a block of nodes need one matrix product;
//! of each product only the best of every row are kept. If all nodes are requested, a pair counts for both of
//! its ends, and half of the products is enough. X is not bilinear: it re-ranks the results of the products,
//! together with the nodes with common neighbours.
//!
//! Memory is that of the embeddings, a few blocks and the kept pairs; results are returned block by block.

mod sweep;

use std::collections::HashSet;
use std::sync::Arc;

use self::sweep::{BLOCKS, Sweep};
use super::LinkScorer;
use crate::act::LinkModel;
use crate::error::{Error, Result};
use crate::exec::Exec;
use crate::graph::{Csr, NodeId, Pair, ordered};
use crate::link::{LinkComponent, PairSet};
use crate::matrix::Matrix;
use crate::pairwise::PairwiseSource;

/// Parameters of a recommendation.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RecommendParams {
    /// Partners per node, or total number of pairs.
    pub k: usize,
    /// Whether edges of the graph are excluded (default: no). In a bipartite graph they always are: the items
    /// that a user has are no recommendations.
    pub exclude_known: bool,
    /// If X is one of the components: the number of candidates per node that it re-ranks. `None` uses as many
    /// as give ten million pairs in total, and at least fifty and ten times k. With the number of nodes the
    /// result is exact.
    pub pool: Option<usize>,
    /// The edges that are left out, if not the known ones.
    pub(super) excluded: Option<Arc<Csr>>,
}

impl RecommendParams {
    /// Parameters for this many partners.
    pub fn new(k: usize) -> Self {
        RecommendParams { k, exclude_known: false, pool: None, excluded: None }
    }

    pub(super) fn validate(&self) -> Result<()> {
        if self.k == 0 {
            return Err(Error::param("k", 0, "at least 1"));
        }
        if self.pool == Some(0) {
            return Err(Error::param("pool", 0, "at least 1"));
        }
        Ok(())
    }

    fn pool(&self, queries: usize) -> usize {
        let share = BUDGET / queries.max(1);
        self.pool.unwrap_or_else(|| share.max(50).max(self.k.saturating_mul(10))).max(self.k)
    }
}

/// Default number of pairs that X re-ranks.
const BUDGET: usize = 10_000_000;
/// Nanoseconds per multiply-add of the products and per pair that X re-ranks, on one thread (docs/models.md).
const PRODUCT: f64 = 0.025;
const RERANKED: f64 = 7000.0;
/// Seconds from which the expected time is said before the search.
const SAID_FROM: f64 = 60.0;
/// Products and scores differ in their last digits: this many additional pairs are scored before the best are
/// selected.
const SLACK: usize = 16;

/// A pair and its log-odds.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Recommended {
    /// The requested node; for the best pairs overall, the smaller node, or the source if the order matters.
    pub node: NodeId,
    /// Its partner.
    pub other: NodeId,
    /// Log-odds of an edge.
    pub score: f64,
}

impl LinkScorer {
    /// The `k` most likely partners of each of these nodes (`None`: of all nodes), best first; `each` gets
    /// them as they are found, node after node.
    pub fn recommend(
        &self,
        nodes: Option<&[NodeId]>,
        params: &RecommendParams,
        exec: &Exec,
        mut each: impl FnMut(&[Recommended]) -> Result<()>,
    ) -> Result<()> {
        params.validate()?;
        let n = self.graph.nodes();
        if let Some(&node) = nodes.and_then(|nodes| nodes.iter().find(|&&node| node as usize >= n)) {
            return Err(Error::param("node", node, format!("below {n}")));
        }
        // A node that is requested twice is answered once.
        let once: Option<Vec<NodeId>> = nodes.map(|nodes| {
            let mut met = HashSet::new();
            nodes.iter().copied().filter(|&node| met.insert(node)).collect()
        });
        let nodes = once.as_deref();
        if self.filter.is_some() {
            const PART: usize = 1024;
            let all: Vec<NodeId> = (0..n as NodeId).collect();
            let asked = nodes.unwrap_or(&all);
            return exec.stage("recommend", asked.len().div_ceil(PART), || {
                for part in asked.chunks(PART) {
                    each(&self.by_filter(part, params, exec).expect("there is a filter")?)?;
                    exec.step()?;
                }
                Ok(())
            });
        }
        let params = &RecommendParams { exclude_known: self.excludes(params), ..params.clone() };
        let count = nodes.map_or(n, <[NodeId]>::len);
        let pool = params.pool(count);
        if self.source.is_some() && pool.saturating_add(1) >= n {
            let all: Vec<NodeId> = (0..n as NodeId).collect();
            let rows = nodes.unwrap_or(&all);
            // As many nodes at a time as give a million pairs.
            let part = (1_000_000 / n).max(1);
            return exec.stage("recommend", rows.len().div_ceil(part), || {
                for rows in rows.chunks(part) {
                    let pairs: Vec<Pair> = rows
                        .iter()
                        .flat_map(|&node| all.iter().map(move |&other| [node, other]))
                        .filter(|&pair| self.kept(pair, params))
                        .collect();
                    each(&self.best_of(&pairs, params.k, exec)?)?;
                    exec.step()?;
                }
                Ok(())
            });
        }
        if self.source.is_some() {
            exec.notice(format!(
                "X re-ranks the {pool} best candidates per node, and as many nodes with common neighbours"
            ));
        }
        let keep = if self.source.is_some() { pool } else { params.k.saturating_add(SLACK) };
        let sweep = Sweep::new(self, params.exclude_known, BLOCKS).excluding(params.excluded.as_deref());
        let sweep = sweep.with_x(self, pool, exec)?;
        // If all nodes are requested, a pair serves both of its ends.
        let products = count as f64 * n as f64 * if nodes.is_none() && sweep.symmetric { 0.5 } else { 1.0 };
        let reranked = if self.source.is_some() { 2.0 * pool as f64 * count as f64 } else { 0.0 };
        let work = products * sweep.width as f64 * PRODUCT + reranked * RERANKED;
        let seconds = work * 1e-9 / exec.threads() as f64;
        if seconds >= SAID_FROM {
            exec.tell(&format!("partners of {count} nodes take about {:.0} min", seconds / 60.0));
        }
        sweep.run(nodes, keep, exec, |rows| {
            // As many nodes at a time as give a million pairs.
            for rows in rows.chunks((500_000 / pool).max(1)) {
                let pairs = exec.map_blocks(rows.len(), 32, |range| {
                    let mut pairs: Vec<Pair> = Vec::new();
                    for (node, best) in &rows[range] {
                        let mut others: Vec<NodeId> = best.entries.iter().map(|entry| entry.1).collect();
                        if let Some(source) = &self.source {
                            others.extend(self.near(source, *node, pool));
                        }
                        others.sort_unstable();
                        others.dedup();
                        let own = others.into_iter().map(|other| [*node, other]);
                        pairs.extend(own.filter(|&pair| self.kept(pair, params)));
                    }
                    pairs
                });
                each(&self.best_of(&pairs.concat(), params.k, exec)?)?;
            }
            Ok(())
        })
    }

    /// The `k` most likely pairs overall, best first.
    pub fn recommend_overall(&self, params: &RecommendParams, exec: &Exec) -> Result<Vec<Recommended>> {
        params.validate()?;
        let params = &RecommendParams { exclude_known: self.excludes(params), ..params.clone() };
        let n = self.graph.nodes();
        let mut best: Vec<Recommended> = Vec::new();
        let mut take = |mut found: Vec<Recommended>| {
            best.append(&mut found);
            // A pair may have been found from both of its ends.
            best.sort_by(|a, b| order(a, b).then((a.node, a.other).cmp(&(b.node, b.other))));
            best.dedup_by_key(|found| (found.node, found.other));
            best.truncate(params.k);
        };
        if let Some(sides) = self.graph.sides().filter(|_| self.filter.is_some()) {
            self.recommend(Some(sides.nodes(0)), params, exec, |found| {
                take(found.to_vec());
                Ok(())
            })?;
            return Ok(best);
        }
        if self.source.is_none() {
            let pairs = Sweep::new(self, params.exclude_known, BLOCKS)
                .overall(params.k.saturating_add(SLACK), exec)?;
            let scores = self.scores(&pairs, exec)?;
            take(pairs.iter().zip(scores).map(|(&pair, score)| recommended(pair, score)).collect());
            return Ok(best);
        }
        // The best pairs are among the best of their nodes, and usually few of them share a node.
        let share = (BUDGET / n.max(1)).max(50).max(params.k.div_ceil(n.max(1)));
        let each = if n * (n - 1) / 2 <= BUDGET { n } else { params.pool.unwrap_or(share).min(n) };
        let each = RecommendParams { k: each, pool: Some(each), ..params.clone() };
        self.recommend(None, &each, exec, |found| {
            let pair = |r: &Recommended| {
                if self.model.directed { [r.node, r.other] } else { ordered([r.node, r.other]) }
            };
            take(found.iter().map(|r| recommended(pair(r), r.score)).collect());
            Ok(())
        })?;
        Ok(best)
    }

    /// Vectors for a vector database: the inner product of one node's query and another's key is the log-odds
    /// of an edge without X and without the intercept.
    pub fn vectors(&self, exec: &Exec) -> Result<[Matrix; 2]> {
        let sweep = Sweep::new(self, false, BLOCKS);
        if sweep.width == 0 {
            let why = "only X has weights, and X has no vectors".into();
            return Err(Error::Unsuitable { stage: "model", why });
        }
        let n = self.graph.nodes();
        let mut out = [Matrix::zeros(n, sweep.width), Matrix::zeros(n, sweep.width)];
        let [queries, keys] = &mut out;
        exec.fill_rows(queries.as_mut_slice(), sweep.width, 256, |first, rows| {
            let nodes: Vec<NodeId> =
                (first..first + rows.len() / sweep.width).map(|node| node as NodeId).collect();
            sweep.queries(&nodes, rows);
        });
        exec.fill_rows(keys.as_mut_slice(), sweep.width, 256, |first, rows| {
            sweep.keys(first..first + rows.len() / sweep.width, rows);
        });
        Ok(out)
    }

    /// The contribution of X to the scores of pairs; `None` without X.
    fn x_alone(&self, pairs: &[Pair], exec: &Exec) -> Vec<f64> {
        let (Some(source), Some(x @ LinkComponent::Pairwise(_))) = (&self.source, self.components.last())
        else {
            return vec![0.0; pairs.len()];
        };
        let weights = self.model.weights[self.model.weights.len() - x.cols()..].to_vec();
        let alone = LinkModel { weights, intercept: 0.0, directed: self.model.directed };
        alone.scores(&[x], &PairSet::new(pairs.to_vec(), Some(source), exec), exec)
    }

    /// The mean contribution of X to the pairs of every node, minus the overall mean; `None` without X.
    fn popularity(&self, exec: &Exec) -> Vec<f32> {
        const PARTNERS: usize = 16;
        let n = self.graph.nodes();
        if self.source.is_none() || n <= PARTNERS {
            return Vec::new();
        }
        let mut means = Vec::with_capacity(n);
        for first in (0..n).step_by(1 << 14) {
            let end = (first + (1 << 14)).min(n);
            // Evenly spaced partners have all degrees and are rarely neighbours.
            let sides = self.graph.sides();
            let partner = |node: usize, at: usize| match sides.map(|sides| sides.partners(node as NodeId)) {
                None => ((node + 1 + at * n / PARTNERS) % n) as NodeId,
                Some(others) => others[(node + at * others.len() / PARTNERS) % others.len()],
            };
            let pairs: Vec<Pair> = (first..end)
                .flat_map(|node| (0..PARTNERS).map(move |at| [node as NodeId, partner(node, at)]))
                .collect();
            let scores = self.x_alone(&pairs, exec);
            means.extend(scores.chunks(PARTNERS).map(|own| own.iter().sum::<f64>() / PARTNERS as f64));
        }
        let all = means.iter().sum::<f64>() / n as f64;
        means.into_iter().map(|mean| (mean - all) as f32).collect()
    }

    fn wanted(&self, [i, j]: Pair, exclude_known: bool) -> bool {
        let possible = self.graph.sides().map_or(i != j, |sides| sides.across([i, j]));
        possible && !(exclude_known && self.graph.adjacency().contains(i, j))
    }

    fn kept(&self, pair: Pair, params: &RecommendParams) -> bool {
        match &params.excluded {
            None => self.wanted(pair, params.exclude_known),
            Some(excluded) => self.wanted(pair, false) && !excluded.contains(pair[0], pair[1]),
        }
    }

    fn excludes(&self, params: &RecommendParams) -> bool {
        params.exclude_known || self.graph.sides().is_some()
    }

    /// Nodes that may be partners of this one because they are close to it.
    fn near(&self, source: &PairwiseSource<'_>, node: NodeId, most: usize) -> Vec<NodeId> {
        let mut found = if self.graph.sides().is_some() {
            across(source.graph(), node, most)
        } else {
            around(source.graph(), node, most)
        };
        // Context nodes are no partners.
        found.retain(|&other| (other as usize) < self.graph.nodes());
        found
    }

    /// The best partners of every first node, in the order of the nodes.
    pub(super) fn best_of(&self, pairs: &[Pair], k: usize, exec: &Exec) -> Result<Vec<Recommended>> {
        let scores = self.scores(pairs, exec)?;
        let found: Vec<Recommended> = pairs
            .iter()
            .zip(scores)
            .map(|(&[node, other], score)| Recommended { node, other, score })
            .collect();
        let mut best = Vec::new();
        for own in found.chunk_by(|a, b| a.node == b.node) {
            let mut own = own.to_vec();
            own.sort_unstable_by(|a, b| order(a, b).then(a.other.cmp(&b.other)));
            own.truncate(k);
            best.extend(own);
        }
        Ok(best)
    }
}

fn recommended([node, other]: Pair, score: f64) -> Recommended {
    Recommended { node, other, score }
}

fn order(a: &Recommended, b: &Recommended) -> std::cmp::Ordering {
    b.score.total_cmp(&a.score)
}

/// Nodes with neighbours in common with this one, by decreasing weight; common neighbours of low degree weigh
/// more.
fn around(graph: &Csr, node: NodeId, most: usize) -> Vec<NodeId> {
    heaviest(shared(graph, node), most).into_iter().map(|entry| entry.0).collect()
}

/// The same with paths of three edges, for bipartite graphs.
fn across(graph: &Csr, node: NodeId, most: usize) -> Vec<NodeId> {
    // Nodes at two steps that are walked on from.
    const NEAR: usize = 256;
    let mut ends: Vec<(NodeId, f32)> = Vec::new();
    for (between, weight) in heaviest(shared(graph, node), NEAR) {
        let onward = graph.row(between as usize);
        let weight = weight / onward.len().max(1) as f32;
        ends.extend(onward.iter().map(|&end| (end, weight)));
    }
    heaviest(ends, most).into_iter().map(|entry| entry.0).collect()
}

/// The nodes at two steps with their weights, one entry per path.
fn shared(graph: &Csr, node: NodeId) -> Vec<(NodeId, f32)> {
    // A common neighbour of high degree is weak evidence.
    const WALKED: usize = 1024;
    let mut shared: Vec<(NodeId, f32)> = Vec::new();
    for &between in graph.row(node as usize) {
        let onward = graph.row(between as usize);
        let stride = onward.len().div_ceil(WALKED).max(1);
        let weight = 1.0 / onward.len() as f32;
        shared.extend(onward.iter().step_by(stride).filter(|&&k| k != node).map(|&k| (k, weight)));
    }
    shared
}

/// The nodes with the largest sums of weights.
fn heaviest(mut shared: Vec<(NodeId, f32)>, most: usize) -> Vec<(NodeId, f32)> {
    shared.sort_unstable_by_key(|entry| entry.0);
    let mut summed: Vec<(NodeId, f32)> = shared
        .chunk_by(|a, b| a.0 == b.0)
        .map(|own| (own[0].0, own.iter().map(|entry| entry.1).sum()))
        .collect();
    if summed.len() > most {
        summed.select_nth_unstable_by(most - 1, |a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        summed.truncate(most);
    }
    summed
}

#[cfg(test)]
mod tests {
    use super::sweep::SearchBlocks;
    use super::*;
    use crate::model::{Model, Seen};
    use crate::params::LinkParams;
    use crate::pipeline::fit_links;
    use crate::seed::Seed;
    use crate::spec::ComponentKind;
    use crate::synth;

    fn fitted(kinds: &[ComponentKind], directed: bool, exec: &Exec) -> Model {
        let graph = synth::named("demo", Seed(0), exec).unwrap();
        let mut params = LinkParams::default();
        params.component.kinds = kinds.to_vec();
        params.component.dim = 24;
        params.act.directed = directed;
        fit_links(&graph, None, &params, exec).unwrap().model
    }

    /// Every pair, scored and sorted.
    fn brute(
        scorer: &LinkScorer,
        node: NodeId,
        k: usize,
        exclude_known: bool,
        exec: &Exec,
    ) -> Vec<Recommended> {
        let n = scorer.graph.nodes() as NodeId;
        let pairs: Vec<Pair> =
            (0..n).map(|other| [node, other]).filter(|&p| scorer.wanted(p, exclude_known)).collect();
        scorer.best_of(&pairs, k, exec).unwrap()
    }

    /// The same scores, and the same partners except for ties.
    fn same(found: &[Recommended], expected: &[Recommended]) {
        let scores = |list: &[Recommended]| list.iter().map(|r| r.score).collect::<Vec<_>>();
        assert_eq!(scores(found), scores(expected));
    }

    #[test]
    fn products_find_what_brute_force_finds() {
        let exec = Exec::new(2).unwrap();
        let kinds = [ComponentKind::U, ComponentKind::P, ComponentKind::S];
        for directed in [false, true] {
            let model = fitted(&kinds, directed, &exec);
            let scorer = model.links(Seen::Training, None, &exec).unwrap();
            let n = scorer.graph.nodes();
            for exclude_known in [false, true] {
                // Small enough for several waves, and for pairs that count for both ends.
                let blocks = SearchBlocks { rows: 16, columns: 40, wave: 3, sample: n / 9 };
                let sweep = Sweep::new(&scorer, exclude_known, blocks);
                let keep = 5 + SLACK;
                assert!(n > 8 * blocks.sample && 4 * keep <= blocks.sample, "{n}");
                let mut asked = 0;
                sweep
                    .run(None, keep, &exec, |rows| {
                        for (node, best) in rows {
                            assert_eq!(*node as usize, asked);
                            asked += 1;
                            let pairs: Vec<Pair> = best.entries.iter().map(|e| [*node, e.1]).collect();
                            let found = scorer.best_of(&pairs, 5, &exec).unwrap();
                            same(&found, &brute(&scorer, *node, 5, exclude_known, &exec));
                        }
                        Ok(())
                    })
                    .unwrap();
                assert_eq!(asked, n);
                let params = RecommendParams { exclude_known, ..RecommendParams::new(7) };
                let few = [3, 250, 250, 3];
                let mut lists = Vec::new();
                scorer
                    .recommend(Some(&few), &params, &exec, |found| {
                        lists.extend(found.to_vec());
                        Ok(())
                    })
                    .unwrap();
                let once = [3, 250];
                same(&lists, &once.map(|node| brute(&scorer, node, 7, exclude_known, &exec)).concat());
            }
        }
    }

    #[test]
    fn the_best_pairs_of_all_are_found() {
        let exec = Exec::new(2).unwrap();
        let [plain, with_x] =
            [&[ComponentKind::U, ComponentKind::S][..], &[ComponentKind::S, ComponentKind::X]];
        for (kinds, directed) in [(plain, false), (plain, true), (with_x, false), (with_x, true)] {
            let model = fitted(kinds, directed, &exec);
            let scorer = model.links(Seen::All, None, &exec).unwrap();
            let params = RecommendParams { exclude_known: true, ..RecommendParams::new(50) };
            let found = scorer.recommend_overall(&params, &exec).unwrap();
            let n = scorer.graph.nodes() as NodeId;
            let mut all: Vec<Recommended> = (0..n)
                .flat_map(|i| brute(&scorer, i, n as usize, true, &exec))
                .filter(|r| directed || r.node < r.other)
                .collect();
            all.sort_by(order);
            same(&found, &all[..50]);
            assert!(found.iter().all(|r| !scorer.graph.adjacency().contains(r.node, r.other)));
            let pairs: Vec<Pair> = found.iter().map(|r| [r.node, r.other]).collect();
            let scores: Vec<f64> = found.iter().map(|r| r.score).collect();
            assert_eq!(scorer.scores(&pairs, &exec).unwrap(), scores);
        }
    }

    /// Nodes without edges and without features: all partners have the same score, and they still get
    /// partners.
    #[test]
    fn isolated_nodes_and_models_of_x_alone_are_met() {
        let exec = Exec::new(2).unwrap();
        let demo = synth::named("demo", Seed(0), &exec).unwrap();
        let graph = crate::graph::Graph::from_edges("isolated", demo.nodes() + 300, &demo.edges()).unwrap();
        for kinds in [&[ComponentKind::U, ComponentKind::R][..], &[ComponentKind::X]] {
            let mut params = LinkParams::default();
            params.component.kinds = kinds.to_vec();
            params.component.dim = 12;
            let model = fit_links(&graph, None, &params, &exec).unwrap().model;
            let scorer = model.links(Seen::Training, None, &exec).unwrap();
            let n = graph.nodes();
            let blocks = SearchBlocks { rows: 16, columns: 40, wave: 3, sample: n / 9 };
            let sweep = Sweep::new(&scorer, true, blocks).with_x(&scorer, 20, &exec).unwrap();
            let mut met = 0;
            sweep
                .run(None, 20, &exec, |rows| {
                    met += rows.iter().filter(|(_, best)| best.entries.len() >= 20).count();
                    Ok(())
                })
                .unwrap();
            assert_eq!(met, n);
            let asked = RecommendParams { pool: Some(20), ..RecommendParams::new(5) };
            let mut found = 0;
            scorer
                .recommend(None, &asked, &exec, |part| {
                    found += part.len();
                    Ok(())
                })
                .unwrap();
            assert_eq!(found, 5 * n);
            assert_eq!(scorer.vectors(&exec).is_err(), kinds == [ComponentKind::X]);
        }
    }

    #[test]
    fn x_ranks_a_pool_and_all_of_it_is_exact() {
        let exec = Exec::new(2).unwrap();
        let model = fitted(&[ComponentKind::S, ComponentKind::X], false, &exec);
        let scorer = model.links(Seen::Training, None, &exec).unwrap();
        assert!(scorer.source.is_some());
        let lists = |pool: Option<usize>| {
            let params = RecommendParams { pool, ..RecommendParams::new(5) };
            let mut found = Vec::new();
            scorer
                .recommend(None, &params, &exec, |part| {
                    found.extend(part.to_vec());
                    Ok(())
                })
                .unwrap();
            found
        };
        let n = scorer.graph.nodes() as NodeId;
        let exact: Vec<Recommended> = (0..n).flat_map(|node| brute(&scorer, node, 5, false, &exec)).collect();
        same(&lists(None), &exact);
        let pooled = lists(Some(100));
        let hits =
            pooled.iter().filter(|r| exact.iter().any(|e| (e.node, e.other) == (r.node, r.other))).count();
        assert!(hits as f64 > 0.92 * exact.len() as f64, "{hits} of {}", exact.len());
    }

    #[test]
    fn vectors_give_the_bilinear_part() {
        let exec = Exec::new(1).unwrap();
        let model = fitted(&[ComponentKind::F, ComponentKind::S], false, &exec);
        let scorer = model.links(Seen::Training, None, &exec).unwrap();
        let [queries, keys] = scorer.vectors(&exec).unwrap();
        let pairs: Vec<Pair> = (0..40).map(|i| [i, 3 * i + 1]).collect();
        for (&[i, j], score) in pairs.iter().zip(scorer.scores(&pairs, &exec).unwrap()) {
            let dot: f32 = queries.row(i as usize).iter().zip(keys.row(j as usize)).map(|(a, b)| a * b).sum();
            let found = f64::from(dot) + scorer.model.intercept;
            assert!((found - score).abs() < 1e-4 * (1.0 + score.abs()), "{found} {score}");
        }
    }
}
