//! The pairwise component X: what the neighbourhoods and features of two nodes say about a link between them.
//!
//! In: the training graph, the features and pairs. Out: one row a pair, of neighbours in common, degrees, paths of three
//! edges and cosines of features, the same for (i, j) and (j, i). If a pair is an edge of the graph, all is counted as if
//! that edge were not there: a test edge is not in the graph its features come from, so a training edge must not be
//! either.

use std::borrow::Cow;
use std::cell::RefCell;
use std::ops::Range;

use crate::component::{ComponentParams, Preparation, PreparedRows};
use crate::error::Result;
use crate::exec::Exec;
use crate::graph::{Csr, Features, NodeId, Pair};
use crate::kernel::{self, Blocks};
use crate::linalg::solve_spd;
use crate::matrix::{LARGE, Matrix};
use crate::spec::{Group, Weighting};

/// Columns of X. The logarithms of rates add a little first, so that none stays finite.
pub(crate) const COLUMNS: [&str; 19] = [
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
    "features, cosine",
    "features, cosine by rarity",
    "features of one and neighbours of the other",
    "features of one and nearest neighbour of the other",
    "features of the neighbours",
];

/// All columns.
pub(crate) const ALL: Range<usize> = 0..COLUMNS.len();
/// The columns that need no features.
const STRUCTURE: Range<usize> = 0..14;
/// The columns that need no edges.
const FEATURES: Range<usize> = 14..16;
/// The columns that need both: features of one end against those around the other.
const PROPAGATION: Range<usize> = 16..COLUMNS.len();

/// The columns that need degrees alone.
const DEGREES: Range<usize> = 4..7;

/// Neighbours of a node with more than this many are sampled when paths of three edges are counted.
pub(crate) const MAX_DEGREE: usize = 4096;
/// Neighbours whose features are compared for one pair at most; a sample where there are more.
const MAX_COMPARED: usize = 64;

/// Products of larger features may be beyond single precision.
const LARGEST_SQUARED: f32 = 1e15;

/// All that the columns of X are made from.
#[derive(Debug)]
pub struct PairwiseSource<'a> {
    graph: Cow<'a, Csr>,
    max_degree: usize,
    inverse: Vec<[f32; 2]>,
    /// Sum of `inverse` over the neighbours.
    around: Vec<[f64; 2]>,
    features: Option<FeatureSource<'a>>,
}

/// Rows of features of length 1, as they are and with rare columns given more weight.
#[derive(Debug)]
struct FeatureSource<'a> {
    plain: Rows<'a>,
    norms: Vec<f32>,
    rare: Rows<'a>,
    /// Whether a node has any features: the square of its row.
    own: Vec<f32>,
    /// With M the sum of a node's neighbours' rows: |M|² and M · its own row.
    square: Vec<f32>,
    with_own: Vec<f32>,
}

#[derive(Debug)]
enum Rows<'a> {
    Dense(Cow<'a, Matrix>),
    /// Dense ones that are too large to be copied, with a factor for every row.
    Large {
        prepared: PreparedRows<'a>,
        factors: Vec<f32>,
    },
    Sparse(Cow<'a, Csr>),
}

thread_local! {
    /// A row of large features, for the moment.
    static ROOM: RefCell<Vec<f32>> = const { RefCell::new(Vec::new()) };
}

impl<'a> Rows<'a> {
    fn of(features: Cow<'a, Features>) -> Self {
        match features {
            Cow::Borrowed(Features::Dense(x)) => Rows::Dense(Cow::Borrowed(x)),
            Cow::Borrowed(Features::Sparse(x)) => Rows::Sparse(Cow::Borrowed(x)),
            Cow::Owned(Features::Dense(x)) => Rows::Dense(Cow::Owned(x)),
            Cow::Owned(Features::Sparse(x)) => Rows::Sparse(Cow::Owned(x)),
            _ => unreachable!("there are features"),
        }
    }

    fn cols(&self) -> usize {
        match self {
            Rows::Dense(x) => x.cols(),
            Rows::Large { prepared, .. } => Blocks::cols(prepared),
            Rows::Sparse(x) => x.cols(),
        }
    }

    fn add(&self, row: usize, to: &mut [f32]) {
        match self {
            Rows::Dense(x) => kernel::axpy(1.0, x.row(row), to),
            Rows::Large { prepared, factors } => ROOM.with_borrow_mut(|room| {
                room.resize(to.len(), 0.0);
                prepared.row(row, room);
                kernel::axpy(factors[row], room, to);
            }),
            Rows::Sparse(x) => kernel::add_sparse_row(x, row, to),
        }
    }

    /// Sets `to` to zero where these rows are not.
    fn clear(&self, rows: impl Iterator<Item = usize>, to: &mut [f32]) {
        match self {
            Rows::Dense(_) | Rows::Large { .. } => to.fill(0.0),
            Rows::Sparse(x) => {
                for row in rows {
                    for &col in x.row(row) {
                        to[col as usize] = 0.0;
                    }
                }
            }
        }
    }

    fn dot(&self, row: usize, with: &[f32]) -> f32 {
        match self {
            Rows::Dense(x) => kernel::dot(x.row(row), with),
            Rows::Large { prepared, factors } => ROOM.with_borrow_mut(|room| {
                room.resize(with.len(), 0.0);
                prepared.row(row, room);
                factors[row] * kernel::dot(room, with)
            }),
            Rows::Sparse(x) => kernel::sparse_row_dot(x, row, with),
        }
    }
}

impl<'a> PairwiseSource<'a> {
    /// From the training graph and the features, which are prepared as the components' are.
    pub fn new(graph: &'a Csr, features: &'a Features, params: &ComponentParams, exec: &Exec) -> Self {
        let prepared =
            (features.cols() > 0).then(|| Preparation::learn(features, Weighting::Rare, graph, params, exec));
        PairwiseSource::prepared(Cow::Borrowed(graph), Cow::Borrowed(features), prepared.as_ref(), exec)
    }

    /// As [`PairwiseSource::new`], with features prepared as those of another graph were, rare words given more weight.
    pub(crate) fn prepared(
        graph: Cow<'a, Csr>,
        features: Cow<'a, Features>,
        preparation: Option<&Preparation>,
        exec: &Exec,
    ) -> Self {
        let n = graph.rows();
        let inverse: Vec<[f32; 2]> = (0..n)
            .map(|node| {
                let degree = graph.row(node).len().max(1) as f64;
                [1.0 / degree, degree.powf(-1.5)].map(|v| v as f32)
            })
            .collect();
        let around = (0..n)
            .map(|node| {
                let mut sums = [0.0f64; 2];
                for &k in graph.row(node) {
                    sums.iter_mut().zip(inverse[k as usize]).for_each(|(sum, v)| *sum += f64::from(v));
                }
                sums
            })
            .collect();
        let features = preparation.and_then(|how| FeatureSource::new(LARGE, &graph, features, how, exec));
        PairwiseSource { graph, max_degree: MAX_DEGREE, inverse, around, features }
    }

    pub(crate) fn graph(&self) -> &Csr {
        &self.graph
    }

    /// The columns by the group of the verdict that they belong to.
    pub(crate) fn parts(&self) -> Vec<(Group, Range<usize>)> {
        let mut parts = vec![(Group::Structure, STRUCTURE)];
        if self.features.is_some() {
            parts.extend([(Group::Features, FEATURES), (Group::Propagation, PROPAGATION)]);
        }
        parts
    }

    /// The columns of X for every pair, as they are.
    ///
    /// `O(Σ d)` over the neighbours of the busier end, once for each such end, and for each pair the smaller degree and
    /// the features of at most 64 neighbours; no product of matrices is formed. Nodes with more than [`MAX_DEGREE`]
    /// neighbours pass on a systematic sample of them: counts of paths stay right on average.
    pub fn columns(&self, pairs: &[Pair], exec: &Exec) -> Matrix {
        let degree = |node: NodeId| self.graph.row(node as usize).len();
        // The busier end is walked from once for all of its pairs; the other end's degree is what each pair costs.
        let ends = |[i, j]: Pair| if (degree(i), i) >= (degree(j), j) { [i, j] } else { [j, i] };
        let mut order: Vec<(Pair, u32)> = pairs.iter().map(|&pair| ends(pair)).zip(0..).collect();
        order.sort_unstable();
        let groups: Vec<&[(Pair, u32)]> = order.chunk_by(|a, b| a.0[0] == b.0[0]).collect();
        let blocks = exec.map_blocks(groups.len(), 64.max(groups.len().div_ceil(64)), |range| {
            let mut walker = Walker::new(self);
            let mut rows = Vec::new();
            for group in &groups[range] {
                walker.start(group[0].0[0]);
                rows.extend(group.iter().map(|&([_, other], at)| (at, walker.pair(other))));
            }
            rows
        });
        let mut out = Matrix::zeros(pairs.len(), COLUMNS.len());
        for (at, row) in blocks.into_iter().flatten() {
            out.row_mut(at as usize).copy_from_slice(&row);
        }
        out
    }
}

impl<'a> FeatureSource<'a> {
    /// Words are compared as they are, and with rare ones given more weight. Other features are compared as they are prepared for the
    /// components: on their own scales the largest column would decide alone.
    fn new(
        large: usize,
        graph: &Csr,
        features: Cow<'a, Features>,
        preparation: &Preparation,
        exec: &Exec,
    ) -> Option<Self> {
        let n = graph.rows();
        let unit = |square: f64| if square > 0.0 { (1.0 / square.sqrt()) as f32 } else { 0.0 };
        let squares = |row: &[f32]| row.iter().map(|&v| f64::from(v) * f64::from(v)).sum::<f64>();
        let scale = |features: &Features| -> Vec<f32> {
            match features {
                Features::None => Vec::new(),
                Features::Dense(x) => (0..n).map(|row| unit(squares(x.row(row)))).collect(),
                Features::Sparse(x) => (0..n)
                    .map(|row| unit(x.row_values(row).map_or(x.row(row).len() as f64, squares)))
                    .collect(),
            }
        };
        let large = matches!(&*features, Features::Dense(x) if x.rows() * preparation.width() >= large);
        let made = |x: Cow<'a, Matrix>| {
            let prepared = PreparedRows::new(x, Cow::Owned(preparation.clone()), exec);
            let factors = exec.map_blocks(n, 4096, |rows| {
                let mut room = vec![0.0; Blocks::cols(&prepared)];
                let of = |row| {
                    prepared.row(row, &mut room);
                    unit(squares(&room))
                };
                rows.map(of).collect::<Vec<_>>()
            });
            Rows::Large { prepared, factors: factors.concat() }
        };
        let dense = |features: &Cow<'a, Features>| match features {
            Cow::Borrowed(Features::Dense(x)) => Cow::Borrowed(x),
            Cow::Owned(Features::Dense(x)) => Cow::Owned(x.clone()),
            _ => unreachable!("they are dense"),
        };
        let (plain, norms, rare) = if preparation.keeps_words() {
            let features = Features::without_missing(features);
            let norms = scale(&features);
            let rare = if large {
                made(dense(&features))
            } else {
                let mut weighed = Features::clone(&features);
                if let Some(rarity) = &preparation.rarity {
                    weighed.weigh_cols(rarity);
                }
                let scales = scale(&weighed);
                unit_rows(&mut weighed, &scales, exec);
                Rows::of(Cow::Owned(weighed))
            };
            if features.largest() > LARGEST_SQUARED {
                let mut plain = Features::clone(&features);
                unit_rows(&mut plain, &norms, exec);
                (Rows::of(Cow::Owned(plain)), vec![1.0; n], rare)
            } else {
                (Rows::of(features), norms, rare)
            }
        } else if large {
            (made(dense(&features)), vec![1.0; n], made(dense(&features)))
        } else {
            let mut whole = match &*features {
                Features::None => return None,
                Features::Dense(x) => {
                    let rows = PreparedRows::new(Cow::Borrowed(x), Cow::Borrowed(preparation), exec);
                    Features::Dense(rows.whole(exec))
                }
                Features::Sparse(x) => preparation.sparse(x, exec),
            };
            let norms = scale(&whole);
            let plain = whole.clone();
            unit_rows(&mut whole, &norms, exec);
            (Rows::of(Cow::Owned(plain)), norms, Rows::of(Cow::Owned(whole)))
        };
        let sums = exec.map_blocks(n, 64.max(n.div_ceil(64)), |range| {
            let mut scratch = vec![0.0f32; rare.cols()];
            let mut out = Vec::with_capacity(range.len());
            for node in range {
                let neighbours = || graph.row(node).iter().map(|&k| k as usize);
                rare.add(node, &mut scratch);
                let own = rare.dot(node, &scratch);
                rare.clear(std::iter::once(node), &mut scratch);
                neighbours().for_each(|k| rare.add(k, &mut scratch));
                let square = neighbours().map(|k| rare.dot(k, &scratch)).sum();
                out.push([own, square, rare.dot(node, &scratch)]);
                rare.clear(neighbours(), &mut scratch);
            }
            out
        });
        let sums: Vec<[f32; 3]> = sums.into_iter().flatten().collect();
        let part = |at: usize| sums.iter().map(|sum| sum[at]).collect();
        Some(FeatureSource { plain, norms, rare, own: part(0), square: part(1), with_own: part(2) })
    }
}

/// Multiplies every row by its factor.
fn unit_rows(features: &mut Features, factors: &[f32], exec: &Exec) {
    match features {
        Features::None => {}
        Features::Dense(x) => {
            exec.fill_matrix(x, |row, values| values.iter_mut().for_each(|v| *v *= factors[row]));
        }
        Features::Sparse(x) => x.map_values(|row, v| v * factors[row]),
    }
}

/// Counts walks from one node at a time.
struct Walker<'a> {
    source: &'a PairwiseSource<'a>,
    start: NodeId,
    /// Whether a node is a neighbour of the start.
    near: Vec<bool>,
    /// Walks of two steps from the start to every other node: as they are, and weighed by the node between.
    two: Vec<[f32; 3]>,
    reached: Vec<NodeId>,
    /// Features of the start, plain and by rarity, and the sum of its neighbours'.
    plain: Vec<f32>,
    rare: Vec<f32>,
    neighbours: Vec<f32>,
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
        }
    }

    fn start(&mut self, node: NodeId) {
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
            // Every stride-th neighbour, from a place that depends on the two nodes alone.
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
            // Walks over the edge itself, to the other end and from there out and back. Those that come back to the start
            // in between were never counted.
            paths[0] -= e - 1.0;
            for k in 0..2 {
                let (wi, wj) = (f64::from(inverse[i][k]), f64::from(inverse[j][k]));
                paths[k + 1] -= wj * (around[j][k] - wi);
            }
            d -= 1.0;
            e -= 1.0;
        }
        let paths = paths.map(|v| v.max(0.0));
        let (log_d, log_e) = (d.ln_1p(), e.ln_1p());
        let cosines = features.as_ref().map_or([0.0; 5], |features| self.cosines(features, j, linked, d, e));
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
            cosines[0],
            cosines[1],
            cosines[2],
            cosines[3],
            cosines[4],
        ]
        .map(|v| v as f32)
    }

    fn cosines(&self, features: &FeatureSource<'_>, j: usize, linked: bool, d: f64, e: f64) -> [f64; 5] {
        let FeatureSource { plain, norms, rare, own, square, with_own } = features;
        let i = self.start as usize;
        let cosine = plain.dot(j, &self.plain) * norms[i] * norms[j];
        let alike = rare.dot(j, &self.rare);
        // Of the start's neighbours to the other end: all at once.
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

/// What degrees alone say about pairs, as X has it.
#[derive(Debug)]
pub(crate) struct DegreeScore<'a> {
    graph: &'a Csr,
    fitted: Pairwise,
}

impl<'a> DegreeScore<'a> {
    pub(crate) fn fit(graph: &'a Csr, pairs: &[Pair], labels: &[bool], exec: &Exec) -> Result<Self> {
        let fitted = Pairwise::fit(&degree_columns(graph, pairs), labels, DEGREES, exec)?;
        Ok(DegreeScore { graph, fitted })
    }

    pub(crate) fn similarities(&self, pairs: &[Pair], exec: &Exec) -> Vec<f32> {
        self.fitted.similarities(&degree_columns(self.graph, pairs), exec)
    }
}

/// The columns of X that need degrees alone, the others zero.
fn degree_columns(graph: &Csr, pairs: &[Pair]) -> Matrix {
    let mut out = Matrix::zeros(pairs.len(), COLUMNS.len());
    for (at, &[i, j]) in pairs.iter().enumerate() {
        let less = usize::from(graph.contains(i, j));
        let [d, e] = [i, j].map(|node| ((graph.row(node as usize).len() - less) as f64).ln_1p());
        let columns = [d + e, (d - e).abs(), d.min(e)].map(|v| v as f32);
        out.row_mut(at)[DEGREES].copy_from_slice(&columns);
    }
    out
}

/// X as models take it: standardised on training pairs, each column beside piecewise linear functions of itself, with a
/// linear score of them all.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Pairwise {
    pub(crate) columns: Vec<Column>,
    /// Mean and scale of every feature.
    pub(crate) standard: Vec<[f32; 2]>,
    /// Least-squares weights of the features against the labels.
    pub(crate) weights: Vec<f32>,
}

/// A column with its mean, one over its deviation, and the places at which its slope may change.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    pub(crate) mean: f32,
    pub(crate) scale: f32,
    pub(crate) knots: Vec<f32>,
}

/// Standardised values are cut here: counts have long tails.
const CLIP: f32 = 8.0;
/// Shares of the training pairs below each knot.
const KNOTS: [f64; 10] =
    [1.0 / 9.0, 2.0 / 9.0, 3.0 / 9.0, 4.0 / 9.0, 5.0 / 9.0, 6.0 / 9.0, 7.0 / 9.0, 8.0 / 9.0, 0.97, 0.99];
/// Training pairs that knots are placed by and the score is fitted on at most.
const FITTED_PAIRS: usize = 50_000;

/// Deviation of the features beside those of the other components: how lightly the penalty falls on X (docs/design/pairwise.md).
const DEVIATION: f32 = 0.2;

impl Pairwise {
    /// From some of the columns of training pairs and their labels; the others stay without weight.
    pub(crate) fn fit(columns: &Matrix, labels: &[bool], used: Range<usize>, exec: &Exec) -> Result<Self> {
        // A part of the pairs places the knots and weighs the score: there are few numbers to find.
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
            // Nothing changes at the ends.
            knots.retain(|&knot| knot > values[0] && knot < values[n - 1]);
            found.columns.push(Column { mean, scale, knots });
        }
        // As they are at first; then standardised.
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
mod tests {
    use super::*;
    use crate::kernel::SmallMatrix;
    use crate::seed::{Seed, Stream};

    /// A random graph with some isolated nodes, and sparse features with some empty rows.
    fn random(nodes: u32, edges: usize) -> (Vec<Pair>, Features) {
        let mut draw = Seed(3).stream(Stream::Synth, 0);
        let mut pairs: Vec<Pair> = (0..edges)
            .map(|_| [draw.below(nodes - 3), draw.below(nodes - 3)])
            .filter(|p| p[0] != p[1])
            .map(crate::graph::ordered)
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        let x = Matrix::from_fn(nodes as usize, 12, |row, _| {
            if row % 9 != 4 && draw.unit() < 0.4 { draw.unit() as f32 } else { 0.0 }
        });
        (pairs, Features::Sparse(Csr::from_dense(&x)))
    }

    /// Features are taken as words, few as they are.
    fn words() -> ComponentParams {
        ComponentParams { scaling: crate::component::FeatureScaling::Paper, ..ComponentParams::default() }
    }

    fn close(a: &[f32], b: &[f32], what: &str) {
        for (at, (a, b)) in a.iter().zip(b).enumerate() {
            assert!((a - b).abs() < 2e-4 * (1.0 + b.abs()), "{what}, {}: {a} {b}", COLUMNS[at]);
        }
    }

    #[test]
    fn an_edge_is_counted_as_if_it_were_not_there() {
        let exec = Exec::new(2).unwrap();
        let (edges, features) = random(30, 90);
        let params = words();
        let dense = match &features {
            Features::Sparse(x) => Features::Dense(x.to_dense()),
            _ => unreachable!(),
        };
        for features in [&features, &dense, &Features::None] {
            let graph = Csr::symmetric(30, &edges);
            let with = PairwiseSource::new(&graph, features, &params, &exec).columns(&edges, &exec);
            for (at, &edge) in edges.iter().enumerate() {
                let others: Vec<Pair> = edges.iter().copied().filter(|&e| e != edge).collect();
                let graph = Csr::symmetric(30, &others);
                let source = PairwiseSource::new(&graph, features, &params, &exec);
                close(with.row(at), source.columns(&[edge], &exec).row(0), &format!("{edge:?}"));
            }
        }
    }

    #[test]
    fn columns_equal_their_definitions_in_both_directions() {
        let exec = Exec::new(1).unwrap();
        let (edges, features) = random(25, 60);
        let n = 25;
        let graph = Csr::symmetric(n, &edges);
        let a = graph.to_dense();
        let a = SmallMatrix::from_fn(n, n, |i, j| f64::from(a.row(i)[j]));
        let degree = |i: usize| graph.row(i).len() as f64;
        let paths = |power: f64| {
            let weight = |i: usize| if degree(i) > 0.0 { degree(i).powf(-power) } else { 0.0 };
            let step = SmallMatrix::from_fn(n, n, |i, j| a[(i, j)] * weight(j));
            step.times(&step).times(&a)
        };
        let (p0, p1, p15) = (paths(0.0), paths(1.0), paths(1.5));
        let x = match &features {
            Features::Sparse(x) => x.to_dense(),
            _ => unreachable!(),
        };
        let cosine = |a: &[f64], b: &[f64]| {
            let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            let norms = (dot(a, a) * dot(b, b)).sqrt();
            if norms > 0.0 { dot(a, b) / norms } else { 0.0 }
        };
        let plain: Vec<Vec<f64>> = (0..n).map(|i| x.row(i).iter().map(|&v| f64::from(v)).collect()).collect();
        let rare: Vec<Vec<f64>> = plain
            .iter()
            .map(|row| {
                let weight = |col: usize| {
                    let used = plain.iter().filter(|row| row[col] != 0.0).count();
                    ((1.0 + n as f64) / used as f64).ln() + 0.1
                };
                let row: Vec<f64> = row.iter().enumerate().map(|(col, v)| v * weight(col)).collect();
                let norm = row.iter().map(|v| v * v).sum::<f64>().sqrt();
                row.iter().map(|v| if norm > 0.0 { v / norm } else { 0.0 }).collect()
            })
            .collect();
        let around = |i: usize| -> Vec<f64> {
            (0..12).map(|col| graph.row(i).iter().map(|&k| rare[k as usize][col]).sum()).collect()
        };
        let params = words();
        let source = PairwiseSource::new(&graph, &features, &params, &exec);
        let pairs: Vec<Pair> = (0..24).map(|i| [i, (i * 7 + 5) % 25]).collect();
        let pairs: Vec<Pair> =
            pairs.into_iter().filter(|p| p[0] != p[1] && !graph.contains(p[0], p[1])).collect();
        assert!(pairs.len() > 10);
        let found = source.columns(&pairs, &exec);
        let reversed: Vec<Pair> = pairs.iter().map(|&[i, j]| [j, i]).collect();
        assert_eq!(found, source.columns(&reversed, &exec));
        // Dense features that are copied, and such that are not.
        let dense = Features::Dense(x.clone());
        let mut source = PairwiseSource::new(&graph, &dense, &params, &exec);
        let copied = source.columns(&pairs, &exec);
        let how = Preparation::learn(&dense, Weighting::Rare, &graph, &params, &exec);
        source.features = FeatureSource::new(0, &graph, Cow::Borrowed(&dense), &how, &exec);
        assert!(matches!(source.features.as_ref().unwrap().rare, Rows::Large { .. }));
        let large = source.columns(&pairs, &exec);
        (0..pairs.len()).for_each(|at| close(large.row(at), copied.row(at), "large"));
        for (at, &[i, j]) in pairs.iter().enumerate() {
            let (i, j) = (i as usize, j as usize);
            let common: Vec<usize> = (0..n).filter(|&k| a[(i, k)] * a[(k, j)] > 0.0).collect();
            let (c, d, e) = (common.len() as f64, degree(i), degree(j));
            let ra: f64 = common.iter().map(|&k| 1.0 / degree(k)).sum();
            let aa: f64 = common.iter().map(|&k| 1.0 / degree(k).ln()).sum();
            let cos = |i: usize, j: usize| cosine(&rare[i], &rare[j]);
            let mean = |i: usize, j: usize| {
                let sum: f64 = graph.row(j).iter().map(|&k| cos(i, k as usize)).sum();
                sum / degree(j).max(1.0)
            };
            // The nearest neighbour of the end with fewer neighbours.
            let (busy, calm) = if (d, i) >= (e, j) { (i, j) } else { (j, i) };
            let nearest = graph.row(calm).iter().map(|&k| cos(busy, k as usize)).fold(0.0, f64::max);
            let (ld, le) = (d.ln_1p(), e.ln_1p());
            let expected = [
                c.ln_1p(),
                ra,
                aa.ln_1p(),
                c / (d + e - c).max(1.0),
                ld + le,
                (ld - le).abs(),
                ld.min(le),
                f64::from(u8::from(c >= 1.0)),
                f64::from(u8::from(c >= 2.0)),
                p0[(i, j)].ln_1p(),
                (p0[(i, j)] / (d * e).max(1.0)).ln_1p(),
                (ra + 1e-3).ln(),
                (p1[(i, j)] + 1e-4).ln(),
                (p15[(i, j)] + 1e-5).ln(),
                cosine(&plain[i], &plain[j]),
                cos(i, j),
                mean(i, j) + mean(j, i),
                nearest,
                cosine(&around(i), &around(j)),
            ]
            .map(|v| v as f32);
            close(found.row(at), &expected, &format!("({i}, {j})"));
        }
    }

    #[test]
    fn sampled_hubs_give_the_right_counts_on_average() {
        let exec = Exec::new(2).unwrap();
        let (edges, _) = random(300, 9000);
        let graph = Csr::symmetric(300, &edges);
        let pairs: Vec<Pair> = (0..2000).map(|at| [at % 297, (at * 13 + at / 297 + 1) % 297]).collect();
        let pairs: Vec<Pair> =
            pairs.into_iter().filter(|p| p[0] != p[1] && !graph.contains(p[0], p[1])).collect();
        let mut source = PairwiseSource::new(&graph, &Features::None, &ComponentParams::default(), &exec);
        let exact = source.columns(&pairs, &exec);
        // Nodes have about 55 neighbours: every node is a hub now.
        source.max_degree = 16;
        let sampled = source.columns(&pairs, &exec);
        let paths = |m: &Matrix, row: usize| f64::from(m.row(row)[9]).exp_m1();
        let ratios: Vec<f64> =
            (0..pairs.len()).map(|row| paths(&sampled, row) / paths(&exact, row)).collect();
        let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
        let spread = (ratios.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / ratios.len() as f64).sqrt();
        assert!((mean - 1.0).abs() < 0.02, "{mean}");
        // Every fourth neighbour: the error of one count.
        assert!(spread < 0.15, "{spread}");
    }

    #[test]
    fn constant_columns_and_labels_without_a_pattern_are_met() {
        let exec = Exec::new(1).unwrap();
        let columns = Matrix::from_fn(50, COLUMNS.len(), |row, col| if col == 0 { row as f32 } else { 7.0 });
        let labels: Vec<bool> = (0..50).map(|row| row >= 25).collect();
        let x = Pairwise::fit(&columns, &labels, ALL, &exec).unwrap();
        let scores = x.similarities(&columns, &exec);
        assert!(scores.iter().all(|score| score.is_finite()));
        assert!(scores[49] > scores[0]);
        // Values far outside the training data are cut, not followed.
        let mut row = vec![7.0; COLUMNS.len()];
        row[0] = 1e9;
        let mut far = vec![0.0; x.width()];
        x.expand(&row, &mut far);
        assert!(far.iter().all(|v| v.abs() <= CLIP), "{far:?}");
    }
}
