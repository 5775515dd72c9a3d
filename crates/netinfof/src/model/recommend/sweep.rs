//! The bilinear part of the scores of all pairs, block by block. Only the best pairs are kept.

use std::ops::Range;

use crate::compat::AdjustedComponent;
use crate::error::Result;
use crate::exec::Exec;
use crate::graph::{Csr, NodeId, Pair, Sides};
use crate::kernel::{self, DenseRows};
use crate::linalg::solve_spd;
use crate::link::LinkComponent;
use crate::matrix::Matrix;
use crate::model::LinkScorer;

/// The best partners so far of one node. Ties go to the earlier candidate; candidates come in the order of
/// their numbers.
#[derive(Clone, Debug)]
pub(super) struct TopPartners {
    keep: usize,
    pub(super) entries: Vec<(f32, NodeId)>,
    /// The threshold that an entry must exceed.
    threshold: f32,
}

impl TopPartners {
    pub(super) fn new(keep: usize) -> Self {
        TopPartners { keep, entries: Vec::new(), threshold: f32::NEG_INFINITY }
    }

    fn push(&mut self, score: f32, node: NodeId) {
        if score > self.threshold {
            self.entries.push((score, node));
            // Collect some entries, then drop half of them at once.
            if self.entries.len() >= 2 * self.keep {
                self.shrink();
            }
        }
    }

    fn shrink(&mut self) {
        if self.entries.len() > self.keep {
            self.entries
                .select_nth_unstable_by(self.keep - 1, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            self.entries.truncate(self.keep);
        }
        if self.entries.len() == self.keep {
            self.threshold = self.entries.iter().map(|entry| entry.0).fold(f32::INFINITY, f32::min);
        }
    }
}

/// The threshold of a node with equal scores for all partners, such as an isolated node: no score exceeds it.
pub(super) const FLAT: f32 = f32::INFINITY;

/// Sizes of the blocks. Results do not depend on them, except for ties.
#[derive(Clone, Copy)]
pub(super) struct SearchBlocks {
    /// Requested nodes per task.
    pub(super) rows: usize,
    /// Partners per product.
    pub(super) columns: usize,
    /// Number of tasks after which results are shared.
    pub(super) wave: usize,
    /// Number of partners that give the first thresholds.
    pub(super) sample: usize,
}

pub(super) const BLOCKS: SearchBlocks = SearchBlocks { rows: 256, columns: 1024, wave: 8, sample: 1024 };

/// The bilinear part of the scores, block by block.
pub(super) struct Sweep<'a> {
    /// Its edges are left out.
    graph: &'a Csr,
    sides: Option<&'a Sides>,
    exclude_known: bool,
    /// The components, each with its M.
    parts: Vec<(&'a AdjustedComponent, Matrix)>,
    /// The mean contribution of X per node, if the products select candidates for X.
    popularity: Vec<f32>,
    pub(super) width: usize,
    /// Whether a pair has the same score from both ends.
    pub(super) symmetric: bool,
    blocks: SearchBlocks,
}

impl<'a> Sweep<'a> {
    pub(super) fn new(scorer: &'a LinkScorer, exclude_known: bool, blocks: SearchBlocks) -> Self {
        let mut weights = &scorer.model.weights[..];
        let mut parts = Vec::new();
        for component in &scorer.components {
            let (w, rest) = weights.split_at(component.cols());
            weights = rest;
            if let LinkComponent::Embedded(component) = component {
                let h = &component.compatibility.matrix;
                let m = Matrix::from_fn(h.rows(), h.cols(), |i, j| {
                    let h = h.row(i)[j];
                    if scorer.model.directed { h * w[j] } else { 0.5 * h * (w[i] + w[j]) }
                });
                parts.push((component, m));
            }
        }
        let width = parts.iter().map(|(component, _)| component.z.cols()).sum();
        let symmetric = !scorer.model.directed;
        let (graph, sides) = (scorer.graph.adjacency(), scorer.graph.sides());
        Sweep { graph, sides, exclude_known, parts, popularity: Vec::new(), width, symmetric, blocks }
    }

    /// The same without these edges, if there are any, instead of the known ones.
    pub(super) fn excluding(mut self, edges: Option<&'a Csr>) -> Self {
        if let Some(edges) = edges {
            (self.graph, self.exclude_known) = (edges, true);
        }
        self
    }

    /// With a bilinear approximation of X, so that the pool contains pairs that X ranks high: for every
    /// component a multiple of ẑ_i · ẑ_j and of ẑ_i H · ẑ_j, and for every node the mean contribution of X.
    /// Fitted to X on the pools of some nodes.
    pub(super) fn with_x(mut self, scorer: &LinkScorer, pool: usize, exec: &Exec) -> Result<Self> {
        const NODES: usize = 200;
        const MOST: usize = 500;
        let popularity = scorer.popularity(exec);
        if popularity.is_empty() {
            return Ok(self);
        }
        let n = self.graph.rows();
        let asked: Vec<NodeId> = (0..n as NodeId).step_by(n.div_ceil(NODES)).collect();
        let mut pairs: Vec<Pair> = Vec::new();
        self.run(Some(&asked), pool.min(MOST), exec, |rows| {
            for (node, best) in rows {
                let near = scorer.source.as_ref().map(|source| scorer.near(source, *node, MOST));
                let spread = (0..MOST as u32).map(|at| (node + 1 + at * (n / MOST).max(1) as u32) % n as u32);
                let found =
                    best.entries.iter().map(|entry| entry.1).chain(near.unwrap_or_default()).chain(spread);
                pairs.extend(found.map(|other| [*node, other]).filter(|&[i, j]| self.wanted(i, j)));
            }
            Ok(())
        })?;
        let x = scorer.x_alone(&pairs, exec);
        let width = 2 * self.parts.len() + 2;
        let mut design = Matrix::zeros(pairs.len(), width);
        exec.fill_matrix(&mut design, |row, out| {
            let [i, j] = pairs[row].map(|node| node as usize);
            for (at, (component, _)) in self.parts.iter().enumerate() {
                out[2 * at] = kernel::dot(component.z.row(i), component.z.row(j));
                out[2 * at + 1] = kernel::dot(component.zh.row(i), component.z.row(j));
            }
            out[width - 2] = popularity[i] + popularity[j];
            out[width - 1] = 1.0;
        });
        let mut left = kernel::gram(&design, None, exec);
        for k in 0..width {
            left[(k, k)] += 1e-6 * (pairs.len() as f64 + left[(k, k)]);
        }
        let target = Matrix::from_vec(pairs.len(), 1, x.iter().map(|&v| v as f32).collect());
        let found = solve_spd(&left, &kernel::gemm_tn(&design, &target, exec))?;
        for (at, (component, m)) in self.parts.iter_mut().enumerate() {
            let [plain, by_h] = [found[(2 * at, 0)], found[(2 * at + 1, 0)]].map(|v| v as f32);
            let h = &component.compatibility.matrix;
            for row in 0..m.rows() {
                for (col, entry) in m.row_mut(row).iter_mut().enumerate() {
                    *entry += by_h * h.row(row)[col] + if row == col { plain } else { 0.0 };
                }
            }
        }
        self.popularity = popularity.iter().map(|v| v * found[(width - 2, 0)] as f32).collect();
        self.width += 2;
        Ok(self)
    }

    /// `ẑ M` of some nodes, components side by side.
    pub(super) fn queries(&self, nodes: &[NodeId], out: &mut [f32]) {
        let mut start = 0;
        for (component, m) in &self.parts {
            let (z, own) = (&component.z, m.cols());
            let rows: Vec<f32> = nodes.iter().flat_map(|&node| z.row(node as usize)).copied().collect();
            let rows = DenseRows::new(&rows, nodes.len(), own);
            kernel::gemm_into_columns(rows, m, out, self.width, start);
            start += own;
        }
        if !self.popularity.is_empty() {
            for (out, &node) in out.chunks_exact_mut(self.width).zip(nodes) {
                out[start..].copy_from_slice(&[self.popularity[node as usize], 1.0]);
            }
        }
    }

    /// ẑ of some nodes, components side by side.
    pub(super) fn keys(&self, nodes: Range<usize>, out: &mut [f32]) {
        for (node, out) in nodes.zip(out.chunks_exact_mut(self.width)) {
            let mut start = 0;
            for (component, m) in &self.parts {
                out[start..start + m.cols()].copy_from_slice(component.z.row(node));
                start += m.cols();
            }
            if let Some(&popularity) = self.popularity.get(node) {
                out[start..].copy_from_slice(&[1.0, popularity]);
            }
        }
    }

    /// Products of queries with the keys of a range of nodes, row after row.
    fn products(
        &self,
        queries: &[f32],
        rows: usize,
        nodes: Range<usize>,
        keys: &mut Vec<f32>,
        out: &mut Vec<f32>,
    ) {
        let count = nodes.len();
        out.clear();
        out.resize(rows * count, 0.0);
        if self.width == 0 {
            return;
        }
        keys.resize(count * self.width, 0.0);
        self.keys(nodes, keys);
        let queries = DenseRows::new(queries, rows, self.width);
        kernel::gemm_nt(queries, DenseRows::new(keys, count, self.width), out);
    }

    fn wanted(&self, i: NodeId, j: NodeId) -> bool {
        let possible = self.sides.map_or(i != j, |sides| sides.across([i, j]));
        possible && !(self.exclude_known && self.graph.contains(i, j))
    }

    /// Finds the best partners of nodes, and returns them wave by wave, in order.
    pub(super) fn run(
        &self,
        nodes: Option<&[NodeId]>,
        keep: usize,
        exec: &Exec,
        mut done: impl FnMut(&[(NodeId, TopPartners)]) -> Result<()>,
    ) -> Result<()> {
        let n = self.graph.rows();
        let keep = keep.min(n).max(1);
        let SearchBlocks { rows, wave, sample, .. } = self.blocks;
        // Symmetry saves half of the products, which pays off only if there are many, and thresholds from a
        // sample are useful.
        let both =
            nodes.is_none() && self.symmetric && self.width > 0 && n > 8 * sample && 4 * keep <= sample;
        let all: Vec<NodeId> = if nodes.is_none() { (0..n as NodeId).collect() } else { Vec::new() };
        let asked = nodes.unwrap_or(&all);
        let mut shared = if both { vec![TopPartners::new(keep); n] } else { Vec::new() };
        let mut thresholds = vec![f32::INFINITY; if both { n } else { 0 }];
        let waves = asked.len().div_ceil(rows * wave);
        exec.stage("recommend", waves + usize::from(both), || {
            if both {
                self.first_thresholds(keep, &mut thresholds, exec);
                exec.step()?;
            }
            for (number, part) in asked.chunks(rows * wave).enumerate() {
                let tasks: Vec<&[NodeId]> = part.chunks(rows).collect();
                let found = exec.map_blocks(tasks.len(), 1, |task| {
                    let nodes = tasks[task.start];
                    let own = if both {
                        nodes.iter().map(|&node| shared[node as usize].clone()).collect()
                    } else {
                        vec![TopPartners::new(keep); nodes.len()]
                    };
                    self.task(nodes, own, &thresholds, both, exec)
                });
                let mut rows: Vec<(NodeId, TopPartners)> = Vec::with_capacity(part.len());
                let mut emitted = Vec::new();
                for (nodes, found) in tasks.iter().zip(found) {
                    rows.extend(nodes.iter().copied().zip(found.own));
                    emitted.extend(found.sent);
                }
                // Update the nodes of this wave and the later ones.
                let (first, end) =
                    (number * self.blocks.rows * wave, number * self.blocks.rows * wave + part.len());
                for PartnerOffer { to, from, score } in emitted {
                    if (to as usize) < end {
                        rows[to as usize - first].1.push(score, from);
                    } else {
                        let best = &mut shared[to as usize];
                        best.push(score, from);
                        let threshold = &mut thresholds[to as usize];
                        *threshold = threshold.max(best.threshold);
                    }
                }
                for (node, best) in &mut rows {
                    if both && thresholds[*node as usize] == FLAT {
                        // All scores are equal: the first candidates are as good as any.
                        let others = (0..n as NodeId).filter(|&other| self.wanted(*node, other));
                        best.entries = others.take(keep).map(|other| (0.0, other)).collect();
                    }
                    best.shrink();
                    if both {
                        shared[*node as usize] = TopPartners::new(0);
                    }
                }
                done(&rows)?;
                exec.step()?;
            }
            Ok(())
        })
    }

    /// Thresholds for the best of every node, from a sample of partners spread over all nodes.
    fn first_thresholds(&self, keep: usize, thresholds: &mut [f32], exec: &Exec) {
        let n = self.graph.rows();
        let stride = n.div_ceil(self.blocks.sample);
        let picked: Vec<NodeId> = (0..n as NodeId).step_by(stride).collect();
        let mut sampled = vec![0.0; picked.len() * self.width];
        for (at, &node) in picked.iter().enumerate() {
            let node = node as usize;
            self.keys(node..node + 1, &mut sampled[at * self.width..(at + 1) * self.width]);
        }
        let keys = DenseRows::new(&sampled, picked.len(), self.width);
        exec.fill_rows(thresholds, 1, self.blocks.rows, |first, thresholds| {
            let nodes: Vec<NodeId> = (first..first + thresholds.len()).map(|node| node as NodeId).collect();
            let mut queries = vec![0.0; nodes.len() * self.width];
            self.queries(&nodes, &mut queries);
            let flat: Vec<bool> =
                queries.chunks_exact(self.width).map(|row| row.iter().all(|&v| v == 0.0)).collect();
            let mut scores = vec![0.0; nodes.len() * picked.len()];
            kernel::gemm_nt(DenseRows::new(&queries, nodes.len(), self.width), keys, &mut scores);
            for ((threshold, row), &node) in
                thresholds.iter_mut().zip(scores.chunks(picked.len())).zip(&nodes)
            {
                let mut best = TopPartners::new(keep);
                for (&score, &other) in row.iter().zip(&picked) {
                    if self.wanted(node, other) {
                        best.push(score, other);
                    }
                }
                best.shrink();
                // Slightly lower, because the partner that gave it occurs again in a product that may round
                // differently.
                *threshold = best.threshold - best.threshold.abs() * 1e-4 - 1e-6;
                if flat[node as usize - first] {
                    *threshold = FLAT;
                }
            }
        });
    }

    /// The best partners of some nodes and, if pairs count for both ends, the candidates that these nodes are
    /// for others.
    fn task(
        &self,
        nodes: &[NodeId],
        mut own: Vec<TopPartners>,
        thresholds: &[f32],
        both: bool,
        exec: &Exec,
    ) -> SweepOutcome {
        let n = self.graph.rows();
        let mut queries = vec![0.0; nodes.len() * self.width];
        self.queries(nodes, &mut queries);
        let (mut keys, mut scores, mut sent) = (Vec::new(), Vec::new(), Vec::new());
        // Earlier nodes have already covered these pairs.
        let mut start = if both { nodes[0] as usize } else { 0 };
        let past = if both { nodes[0] as usize + nodes.len() } else { n };
        let never = vec![f32::INFINITY; self.blocks.columns];
        while start < n && exec.check().is_ok() {
            let end = (start + self.blocks.columns).min(n);
            self.products(&queries, nodes.len(), start..end, &mut keys, &mut scores);
            let others = if both { &thresholds[start..end] } else { &never[..end - start] };
            for ((&node, best), row) in nodes.iter().zip(&mut own).zip(scores.chunks_exact(end - start)) {
                let first = if both { best.threshold.max(thresholds[node as usize]) } else { best.threshold };
                best.threshold = first;
                for (at, (row, others)) in row.chunks(64).zip(others.chunks(64)).enumerate() {
                    if !kernel::any_above(row, best.threshold, others) {
                        continue;
                    }
                    for (offset, (&score, &other_threshold)) in row.iter().zip(others).enumerate() {
                        if score <= best.threshold && score <= other_threshold {
                            continue;
                        }
                        let other = start + at * 64 + offset;
                        if !self.wanted(node, other as NodeId) {
                            continue;
                        }
                        best.push(score, other as NodeId);
                        if other >= past && score > other_threshold {
                            sent.push(PartnerOffer { to: other as NodeId, from: node, score });
                        }
                    }
                }
            }
            start = end;
        }
        SweepOutcome { own, sent }
    }

    /// The best pairs overall.
    pub(super) fn overall(&self, keep: usize, exec: &Exec) -> Result<Vec<Pair>> {
        let n = self.graph.rows();
        let SearchBlocks { rows, columns, wave, .. } = self.blocks;
        let mut best: Vec<(f32, Pair)> = Vec::new();
        let mut threshold = f32::NEG_INFINITY;
        let shrink = |best: &mut Vec<(f32, Pair)>, threshold: &mut f32| {
            if best.len() >= keep {
                best.select_nth_unstable_by(keep - 1, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
                best.truncate(keep);
                *threshold = best.iter().map(|entry| entry.0).fold(f32::INFINITY, f32::min);
            }
        };
        let starts: Vec<usize> = (0..n).step_by(rows).collect();
        exec.stage("recommend", starts.len().div_ceil(wave), || {
            for part in starts.chunks(wave) {
                let found = exec.map_blocks(part.len(), 1, |task| {
                    let first = part[task.start];
                    let nodes: Vec<NodeId> =
                        (first..(first + rows).min(n)).map(|node| node as NodeId).collect();
                    let mut queries = vec![0.0; nodes.len() * self.width];
                    self.queries(&nodes, &mut queries);
                    let (mut keys, mut scores) = (Vec::new(), Vec::new());
                    let (mut own, mut limit) = (Vec::new(), threshold);
                    // A pair counts once: from its smaller node, or from its source if the order matters.
                    let mut start = if self.symmetric { first } else { 0 };
                    while start < n && exec.check().is_ok() {
                        let end = (start + columns).min(n);
                        self.products(&queries, nodes.len(), start..end, &mut keys, &mut scores);
                        for (&node, row) in nodes.iter().zip(scores.chunks_exact(end - start)) {
                            for (&score, other) in row.iter().zip(start as NodeId..) {
                                let again = self.symmetric && other <= node;
                                if score > limit && !again && self.wanted(node, other) {
                                    own.push((score, [node, other]));
                                    if own.len() >= 2 * keep.max(1024) {
                                        shrink(&mut own, &mut limit);
                                    }
                                }
                            }
                        }
                        start = end;
                    }
                    own
                });
                best.extend(found.into_iter().flatten());
                shrink(&mut best, &mut threshold);
                exec.step()?;
            }
            Ok(())
        })?;
        Ok(best.into_iter().map(|entry| entry.1).collect())
    }
}

/// The results of a task: the best partners of its own nodes, and candidates for other nodes.
struct SweepOutcome {
    own: Vec<TopPartners>,
    sent: Vec<PartnerOffer>,
}

/// A pair found from one end that may be among the best of the other end.
struct PartnerOffer {
    to: NodeId,
    from: NodeId,
    score: f32,
}
