//! The pairwise component X: statistics of the neighbourhoods and features of two nodes.
//!
//! In: the training graph, the features and pairs. Out: one row per pair, with common neighbours, degrees,
//! paths of three edges and cosines of features, the same for (i, j) and (j, i). If a pair is an edge of the
//! graph, everything is counted as if that edge were absent: a test edge is not in the graph that its
//! features come from, so a training edge must not be either.

mod across;
mod connected;
mod degrees;
mod directed;
mod feature_rows;
mod feature_source;
mod weighted;

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use self::connected::Connections;
pub(crate) use self::degrees::DegreeScore;
use self::feature_source::FeatureSource;
use self::weighted::{WeightedSource, WeightedWalker};
use crate::component::{ComponentParams, Preparation};
use crate::error::Result;
use crate::exec::Exec;
use crate::graph::{Csr, Features, NodeId, Pair, Sides};
use crate::kernel;
use crate::linalg::solve_spd;
use crate::matrix::{LARGE, Matrix};
use crate::spec::{Group, Weighting};

/// Columns of X. A small constant is added before the logarithm of a rate, so that zero stays finite.
pub(crate) const COLUMNS: [&str; 20] = [
    "log common neighbours",
    "resource allocation",
    "log Adamic-Adar",
    "Jaccard",
    "log degrees, sum",
    "log degrees, difference",
    "log smaller degree",
    "a common neighbour",
    "two common neighbours",
    "log paths of 3",
    "log paths of 3 over degrees",
    "log resource allocation",
    "log paths of 3, by degree",
    "log paths of 3, by degree^1.5",
    "connected at any distance",
    "features, cosine",
    "features, cosine by rarity",
    "features of one and neighbours of the other",
    "features of one and nearest neighbour of the other",
    "features of the neighbours",
];

/// Columns of a weighted graph in addition, from the weights of edges.
pub(crate) const WEIGHTED: [&str; 5] = [
    "log weights of the ends, sum",
    "log weights of the ends, difference",
    "resource allocation by weight",
    "log resource allocation by weight",
    "log paths of 3, by weight",
];

/// Columns of a directed graph in addition, from both roles of the nodes.
pub(crate) const DIRECTED: [&str; 11] = [
    "reverse edge",
    "log paths i → k → j",
    "log shared paths i → k → j",
    "log paths j → k → i",
    "log shared paths j → k → i",
    "log common targets",
    "log shared common targets",
    "log common sources",
    "log shared common sources",
    "log edges to i",
    "log edges from j",
];

/// The columns that need no features.
const STRUCTURE: Range<usize> = 0..15;
/// The columns that need no edges.
const FEATURES: Range<usize> = 15..17;
/// The columns that need both: features of one end compared with those of the other end's neighbours.
const PROPAGATION: Range<usize> = 17..COLUMNS.len();

/// The columns that need only degrees.
const DEGREES: Range<usize> = 4..7;

/// Neighbours of a node with more than this many are sampled when paths of three edges are counted.
pub(crate) const MAX_DEGREE: usize = 4096;
/// Maximum number of neighbours whose features are compared per pair; more are sampled.
const MAX_COMPARED: usize = 64;

/// Number of columns of a graph.
pub(crate) fn width(weighted: bool, directed: bool) -> usize {
    let weighted = if weighted { WEIGHTED.len() } else { 0 };
    COLUMNS.len() + weighted + if directed { DIRECTED.len() } else { 0 }
}

/// The source of the columns of X.
#[derive(Debug)]
pub struct PairwiseSource<'a> {
    graph: Cow<'a, Csr>,
    max_degree: usize,
    inverse: Vec<[f32; 2]>,
    /// Sum of `inverse` over the neighbours.
    around: Vec<[f64; 2]>,
    connections: Connections,
    features: Option<FeatureSource<'a>>,
    /// Of a bipartite graph; the columns are then those of [`across`].
    sides: Option<Arc<Sides>>,
    /// Of a weighted graph.
    weighted: Option<WeightedSource>,
    /// Whether edges of other relations make common neighbours of pairs across the sides possible.
    context: bool,
}

impl<'a> PairwiseSource<'a> {
    /// From the training graph and the features, which are prepared as for the components.
    pub fn new(graph: &'a Csr, features: &'a Features, params: &ComponentParams, exec: &Exec) -> Self {
        let prepared =
            (features.cols() > 0).then(|| Preparation::learn(features, Weighting::Rare, graph, params, exec));
        PairwiseSource::prepared(Cow::Borrowed(graph), Cow::Borrowed(features), prepared.as_ref(), exec)
    }

    /// As [`PairwiseSource::new`], with features prepared as for another graph, and rare words given more
    /// weight.
    pub(crate) fn prepared(
        graph: Cow<'a, Csr>,
        features: Cow<'a, Features>,
        preparation: Option<&Preparation>,
        exec: &Exec,
    ) -> Self {
        let (inverse, around) = across::middle_weights(&graph, None);
        let features = preparation.and_then(|how| FeatureSource::new(LARGE, &graph, features, how, exec));
        let connections = Connections::new(&graph);
        let max_degree = MAX_DEGREE;
        let weighted = WeightedSource::new(&graph);
        PairwiseSource {
            graph,
            max_degree,
            inverse,
            around,
            connections,
            features,
            sides: None,
            weighted,
            context: false,
        }
    }

    /// The same for pairs across the two sides, if there are sides.
    #[must_use]
    pub fn across(mut self, sides: Option<&Arc<Sides>>) -> Self {
        if let Some(sides) = sides {
            (self.inverse, self.around) = across::middle_weights(&self.graph, Some(sides));
            self.sides = Some(Arc::clone(sides));
        }
        self
    }

    /// Declares that the graph has edges of other relations, so that the ends of a pair across two sides may have
    /// common neighbours.
    #[must_use]
    pub(crate) fn with_context(mut self, context: bool) -> Self {
        self.context = context;
        self
    }

    pub(crate) fn graph(&self) -> &Csr {
        &self.graph
    }

    /// Number of columns.
    pub(crate) fn width(&self) -> usize {
        width(self.weighted.is_some(), self.directed())
    }

    /// Whether the graph is directed.
    fn directed(&self) -> bool {
        self.sides.as_ref().is_some_and(|sides| sides.are_roles())
    }

    /// The columns by group of the verdict.
    pub(crate) fn parts(&self) -> Vec<(Group, Vec<usize>)> {
        let structure = STRUCTURE.chain(COLUMNS.len()..self.width());
        let mut parts = vec![(Group::Structure, structure.collect())];
        if self.features.is_some() {
            let columns = [(Group::Features, FEATURES), (Group::Propagation, PROPAGATION)];
            parts.extend(columns.map(|(group, own)| (group, own.collect())));
        }
        parts
    }

    /// The raw columns of X for every pair.
    ///
    /// `O(Σ d)` over the neighbours of the end with more pairs, once per such end, and for each pair the
    /// smaller degree and the features of at most 64 neighbours; no product of matrices is formed. Nodes with
    /// more than [`MAX_DEGREE`] neighbours are represented by a systematic sample: counts of paths stay
    /// unbiased.
    pub fn columns(&self, pairs: &[Pair], exec: &Exec) -> Matrix {
        let degree = |node: NodeId| self.graph.row(node as usize).len();
        // Walks start once from the end with more pairs, for all of its pairs; each pair then costs the other
        // end's degree.
        let ends = |[i, j]: Pair| if (degree(i), i) >= (degree(j), j) { [i, j] } else { [j, i] };
        let mut order: Vec<(Pair, u32)> = pairs.iter().map(|&pair| ends(pair)).zip(0..).collect();
        order.sort_unstable();
        let groups: Vec<&[(Pair, u32)]> = order.chunk_by(|a, b| a.0[0] == b.0[0]).collect();
        let blocks = exec.map_blocks(groups.len(), 64.max(groups.len().div_ceil(64)), |range| {
            let mut walker = Walker::new(self);
            let mut rows = Vec::new();
            for group in &groups[range] {
                walker.start(group[0].0[0]);
                rows.extend(
                    group
                        .iter()
                        .map(|&([_, other], at)| (at, walker.pair(other), walker.weighted_pair(other))),
                );
            }
            rows
        });
        let mut out = Matrix::zeros(pairs.len(), self.width());
        for (at, row, weighted) in blocks.into_iter().flatten() {
            let (plain, more) = out.row_mut(at as usize).split_at_mut(COLUMNS.len());
            plain.copy_from_slice(&row);
            let weighted = weighted.as_ref().map_or(&[][..], |row| &row[..]);
            let (own, roles) = more.split_at_mut(weighted.len());
            own.copy_from_slice(weighted);
            if let Some(sides) = self.sides.as_ref().filter(|_| !roles.is_empty()) {
                roles.copy_from_slice(&directed::columns(&self.graph, sides, pairs[at as usize]));
            }
        }
        out
    }
}

/// Counts walks from one node at a time.
struct Walker<'a> {
    source: &'a PairwiseSource<'a>,
    start: NodeId,
    /// Whether a node is a neighbour of the start.
    near: Vec<bool>,
    /// Walks of two steps from the start to every other node: unweighted, and weighted by the middle node.
    two: Vec<[f32; 3]>,
    reached: Vec<NodeId>,
    /// Features of the start, unweighted and by rarity, and the sum of its neighbours' features.
    plain: Vec<f32>,
    rare: Vec<f32>,
    neighbours: Vec<f32>,
    weighted: Option<WeightedWalker<'a>>,
}

impl<'a> Walker<'a> {
    fn new(source: &'a PairwiseSource<'a>) -> Self {
        let n = source.graph.rows();
        let columns = source.features.as_ref().map_or(0, |features| features.rare.cols());
        Walker {
            source,
            start: 0,
            near: vec![false; n],
            two: vec![[0.0; 3]; n],
            reached: Vec::new(),
            plain: vec![0.0; columns],
            rare: vec![0.0; columns],
            neighbours: vec![0.0; columns],
            weighted: source
                .weighted
                .as_ref()
                .map(|own| WeightedWalker::new(own, &source.graph, source.max_degree)),
        }
    }

    fn start(&mut self, node: NodeId) {
        if let Some(weighted) = &mut self.weighted {
            weighted.start(node);
        }
        let PairwiseSource { graph, inverse, max_degree, features, .. } = self.source;
        for &k in graph.row(self.start as usize) {
            self.near[k as usize] = false;
        }
        for &k in &self.reached {
            self.two[k as usize] = [0.0; 3];
        }
        self.reached.clear();
        let before = std::mem::replace(&mut self.start, node);
        for &k in graph.row(node as usize) {
            self.near[k as usize] = true;
            let onward = graph.row(k as usize);
            // Every stride-th neighbour, from an offset that depends only on the two nodes.
            let stride = onward.len().div_ceil(*max_degree).max(1);
            let offset = (node as usize + k as usize) % stride;
            let weight = stride as f32;
            let [one, more] = inverse[k as usize];
            for &other in onward[offset..].iter().step_by(stride).filter(|&&other| other != node) {
                let two = &mut self.two[other as usize];
                if two[0] == 0.0 {
                    self.reached.push(other);
                }
                two[0] += weight;
                two[1] += weight * one;
                two[2] += weight * more;
            }
        }
        if let Some(features) = features {
            let neighbours = |node: NodeId| graph.row(node as usize).iter().map(|&k| k as usize);
            for (scratch, rows) in [(&mut self.plain, &features.plain), (&mut self.rare, &features.rare)] {
                rows.clear(std::iter::once(before as usize), scratch);
                rows.add(node as usize, scratch);
            }
            features.rare.clear(neighbours(before), &mut self.neighbours);
            neighbours(node).for_each(|k| features.rare.add(k, &mut self.neighbours));
        }
    }

    /// The columns of the pair of the start and another node.
    fn pair(&self, other: NodeId) -> [f32; COLUMNS.len()] {
        let PairwiseSource { graph, inverse, around, features, .. } = self.source;
        let (i, j) = (self.start as usize, other as usize);
        let (own, theirs) = (graph.row(i), graph.row(j));
        let linked = self.near[j];
        let (mut common, mut ra, mut aa) = (0.0f64, 0.0f64, 0.0f64);
        let mut paths = [0.0f64; 3];
        for &k in theirs {
            let at = k as usize;
            if self.near[at] {
                let degree = graph.row(at).len() as f64;
                common += 1.0;
                ra += 1.0 / degree;
                aa += 1.0 / degree.ln().max(std::f64::consts::LN_2);
            }
            let two = self.two[at];
            paths[0] += f64::from(two[0]);
            paths[1] += f64::from(two[1] * inverse[at][0]);
            paths[2] += f64::from(two[2] * inverse[at][1]);
        }
        let (mut d, mut e) = (own.len() as f64, theirs.len() as f64);
        if linked {
            // Walks over the edge itself, to the other end and from there out and back. Walks that return to
            // the start in between were never counted.
            paths[0] -= e - 1.0;
            for k in 0..2 {
                let (wi, wj) = (f64::from(inverse[i][k]), f64::from(inverse[j][k]));
                paths[k + 1] -= wj * (around[j][k] - wi);
            }
            d -= 1.0;
            e -= 1.0;
        }
        let paths = paths.map(|v| v.max(0.0));
        let cosines = features.as_ref().map_or([0.0; 5], |features| self.cosines(features, j, linked, d, e));
        let closeness = self.source.connections.closeness(i, j, linked);
        if let Some(sides) = &self.source.sides {
            let degrees = if sides.of(self.start) == 0 { [d, e] } else { [e, d] };
            let mut columns = across::columns(paths, degrees, closeness, cosines);
            if self.source.context {
                columns[across::COMMON].copy_from_slice(&[common.ln_1p() as f32, aa.ln_1p() as f32]);
            }
            return columns;
        }
        let (log_d, log_e) = (d.ln_1p(), e.ln_1p());
        [
            common.ln_1p(),
            ra,
            aa.ln_1p(),
            common / (d + e - common).max(1.0),
            log_d + log_e,
            (log_d - log_e).abs(),
            log_d.min(log_e),
            f64::from(u8::from(common >= 1.0)),
            f64::from(u8::from(common >= 2.0)),
            paths[0].ln_1p(),
            (paths[0] / (d * e).max(1.0)).ln_1p(),
            (ra + 1e-3).ln(),
            (paths[1] + 1e-4).ln(),
            (paths[2] + 1e-5).ln(),
            closeness,
            cosines[0],
            cosines[1],
            cosines[2],
            cosines[3],
            cosines[4],
        ]
        .map(|v| v as f32)
    }

    /// The columns of the same pair from weights, if the graph has any.
    fn weighted_pair(&self, other: NodeId) -> Option<[f32; WEIGHTED.len()]> {
        self.weighted.as_ref().map(|weighted| weighted.pair(other, self.source.sides.as_deref()))
    }

    fn cosines(&self, features: &FeatureSource<'_>, j: usize, linked: bool, d: f64, e: f64) -> [f64; 5] {
        let FeatureSource { plain, norms, rare, own, square, with_own } = features;
        let i = self.start as usize;
        let cosine = plain.dot(j, &self.plain) * norms[i] * norms[j];
        let alike = rare.dot(j, &self.rare);
        // The start's neighbours against the other end, all at once.
        let toward_j = rare.dot(j, &self.neighbours);
        let theirs = self.source.graph.row(j);
        let stride = theirs.len().div_ceil(MAX_COMPARED).max(1);
        let (mut toward_i, mut nearest, mut both) = (0.0f32, 0.0f32, 0.0f32);
        for &k in theirs[(i + j) % stride.min(theirs.len().max(1))..].iter().step_by(stride) {
            if k as usize == i {
                continue;
            }
            let to_i = rare.dot(k as usize, &self.rare);
            toward_i += to_i * stride as f32;
            nearest = nearest.max(to_i);
            both += rare.dot(k as usize, &self.neighbours) * stride as f32;
        }
        let less = f32::from(u8::from(linked));
        let mean = (toward_j - less * own[j]) / d.max(1.0) as f32 + toward_i / e.max(1.0) as f32;
        let product = both - less * (with_own[j] - alike);
        let first = square[i] - less * (2.0 * toward_j - own[j]);
        let second = square[j] - less * (2.0 * toward_i + own[i]);
        let around = if first > 1e-6 && second > 1e-6 { product / (first * second).sqrt() } else { 0.0 };
        [cosine, alike, mean, nearest, around.clamp(-1.0, 1.0)].map(f64::from)
    }
}

/// X as input of models: standardised on training pairs, each column with piecewise linear functions of
/// itself, and a linear score of them all.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Pairwise {
    pub(crate) columns: Vec<Column>,
    /// Mean and scale of every feature.
    pub(crate) standard: Vec<[f32; 2]>,
    /// Least-squares weights of the features against the labels.
    pub(crate) weights: Vec<f32>,
}

/// A column with its mean, one over its deviation, and the knots at which its slope may change.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) mean: f32,
    pub(crate) scale: f32,
    pub(crate) knots: Vec<f32>,
}

/// Standardised values are clipped here: counts have long tails.
const CLIP: f32 = 8.0;
/// Shares of the training pairs below each knot.
const KNOTS: [f64; 10] =
    [1.0 / 9.0, 2.0 / 9.0, 3.0 / 9.0, 4.0 / 9.0, 5.0 / 9.0, 6.0 / 9.0, 7.0 / 9.0, 8.0 / 9.0, 0.97, 0.99];
/// Maximum number of training pairs for placing knots and fitting the score.
const FITTED_PAIRS: usize = 50_000;

/// Deviation of the features relative to those of the other components: the larger, the weaker the penalty on
/// X (docs/design/pairwise.md).
const DEVIATION: f32 = 0.2;

impl Pairwise {
    /// From some of the columns of training pairs and their labels; other columns get no weight.
    pub(crate) fn fit(columns: &Matrix, labels: &[bool], used: &[usize], exec: &Exec) -> Result<Self> {
        // A part of the pairs is enough for the knots and the score, which have few parameters.
        let stride = columns.rows().div_ceil(FITTED_PAIRS).max(1);
        let picked: Vec<usize> = (0..columns.rows()).step_by(stride).collect();
        let n = picked.len();
        let columns = Matrix::from_fn(n, columns.cols(), |row, col| {
            if used.contains(&col) { columns.row(picked[row])[col] } else { 0.0 }
        });
        let moments = |m: &Matrix| -> Vec<[f32; 2]> {
            let ones = Matrix::from_vec(n, 1, vec![1.0; n]);
            let sums = kernel::gemm_tn(&ones, m, exec);
            let deviations = kernel::column_deviations(m, exec);
            (0..m.cols())
                .map(|col| {
                    let (mean, d) = (sums[(0, col)] / n as f64, deviations[col]);
                    [mean as f32, if d > 1e-6 * mean.abs() { (1.0 / d) as f32 } else { 0.0 }]
                })
                .collect()
        };
        let mut found = Pairwise { columns: Vec::new(), standard: Vec::new(), weights: Vec::new() };
        for (col, [mean, scale]) in moments(&columns).into_iter().enumerate() {
            let mut values: Vec<f32> =
                (0..n).map(|row| ((columns.row(row)[col] - mean) * scale).clamp(-CLIP, CLIP)).collect();
            values.sort_unstable_by(f32::total_cmp);
            let mut knots: Vec<f32> =
                KNOTS.iter().map(|share| values[((n - 1) as f64 * share) as usize]).collect();
            knots.dedup();
            // Knots at the extremes have no effect.
            knots.retain(|&knot| knot > values[0] && knot < values[n - 1]);
            found.columns.push(Column { mean, scale, knots });
        }
        // First unscaled, then standardised.
        let mut rows = found.expanded(&columns, exec);
        found.standard = moments(&rows).into_iter().map(|[mean, scale]| [mean, scale * DEVIATION]).collect();
        exec.fill_matrix(&mut rows, |_, row| standardize(&found.standard, row));
        let mut left = kernel::gram(&rows, None, exec);
        for k in 0..left.rows() {
            left[(k, k)] += 1e-4 * n as f64;
        }
        let label = |row: usize| f64::from(u8::from(labels[picked[row]]));
        let centre = (0..n).map(label).sum::<f64>() / n as f64;
        let target = Matrix::from_fn(n, 1, |row, _| (label(row) - centre) as f32);
        let right = kernel::gemm_tn(&rows, &target, exec);
        let weights = solve_spd(&left, &right)?;
        found.weights = (0..weights.rows()).map(|k| weights[(k, 0)] as f32).collect();
        Ok(found)
    }

    /// Number of features of a pair.
    pub(crate) fn width(&self) -> usize {
        self.columns.iter().map(|column| 1 + column.knots.len()).sum()
    }

    /// The features of a pair from its columns.
    pub(crate) fn expand(&self, columns: &[f32], out: &mut [f32]) {
        let mut at = 0;
        for (v, Column { mean, scale, knots }) in columns.iter().zip(&self.columns) {
            let v = ((v - mean) * scale).clamp(-CLIP, CLIP);
            out[at] = v;
            for (out, knot) in out[at + 1..].iter_mut().zip(knots) {
                *out = (v - knot).max(0.0);
            }
            at += 1 + knots.len();
        }
        standardize(&self.standard, out);
    }

    fn expanded(&self, columns: &Matrix, exec: &Exec) -> Matrix {
        let mut out = Matrix::zeros(columns.rows(), self.width());
        exec.fill_matrix(&mut out, |row, out| self.expand(columns.row(row), out));
        out
    }

    /// The linear score of every pair.
    pub(crate) fn similarities(&self, columns: &Matrix, exec: &Exec) -> Vec<f32> {
        let width = self.width();
        let mut out = vec![0.0; columns.rows()];
        exec.fill_rows(&mut out, 1, 1024, |first, out| {
            let mut features = vec![0.0; width];
            for (offset, out) in out.iter_mut().enumerate() {
                self.expand(columns.row(first + offset), &mut features);
                *out = kernel::dot(&features, &self.weights);
            }
        });
        out
    }
}

fn standardize(standard: &[[f32; 2]], row: &mut [f32]) {
    for (v, [mean, scale]) in row.iter_mut().zip(standard) {
        *v = ((*v - mean) * scale).clamp(-CLIP * DEVIATION, CLIP * DEVIATION);
    }
}

/// Features of pairs under X, block by block.
pub(crate) struct PairwiseDesign<'a> {
    pub(crate) pairwise: &'a Pairwise,
    pub(crate) columns: &'a Matrix,
}

impl crate::linalg::sgl::Design for PairwiseDesign<'_> {
    fn rows(&self) -> usize {
        self.columns.rows()
    }
    fn cols(&self) -> usize {
        self.pairwise.width()
    }
    fn fill(&self, rows: Range<usize>, out: &mut [f32]) {
        for (row, out) in rows.zip(out.chunks_exact_mut(self.pairwise.width())) {
            self.pairwise.expand(self.columns.row(row), out);
        }
    }
}

#[cfg(test)]
mod tests;
