//! The compatibility matrix (paper, section 4.1): how the embedding dimensions at the two ends of an edge
//! relate.
//!
//! In: the normalised embedding ẑ of a component and the training graph. Out: a symmetric d × d matrix H, so
//! that `ẑ_i H ẑ_jᵀ` is the similarity of i and j. Without it (H = I) a linear model cannot represent
//! heterophily.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::component::{Component, NodePlacement};
use crate::error::{Error, Result};
use crate::exec::Exec;
use crate::graph::{Csr, NodeId, Pair};
use crate::kernel::{self, GroupedPairs, Scaled, SmallMatrix};
use crate::linalg::{LeastSquares, LsqrInfo, LsqrParams, lsqr, solve_spd};
use crate::matrix::Matrix;
use crate::spec::ComponentKind;
use crate::split::LinkSplit;
use crate::training::{Labelled, Training};
use crate::work_folder::{StageReader, StageWriter, Stored};

/// Which compatibility matrix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CompatKind {
    /// The identity: the paper's "w/o CM".
    None,
    /// H: ridge regression of one end of every edge on the other (paper, lemma 1), made symmetric.
    H,
    /// H*: H cut to its strongest entries and refitted on edges and non-edges (paper, section 4.2).
    #[default]
    Hstar,
}

/// Parameters of the compatibility matrix.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CompatParams {
    /// Which matrix (default H*).
    pub kind: CompatKind,
    /// Whether rows of ẑ have length 1, as in the paper (default), or keep their lengths, which grow with the
    /// degree: on dense graphs without features, such as ogbl-ddi, the degree is informative.
    pub unit_rows: bool,
    /// Ridge penalty α of H (default 1).
    pub alpha: f64,
    /// Share of Σ|H_ij| that the entries kept for H* carry (default 0.95).
    pub energy: f64,
    /// Maximum number of edges that H* is fitted on, S (default 200 000).
    pub max_edges: usize,
    /// Random negatives per edge (default 2).
    pub negatives: usize,
    /// Whether H* is fitted on edges of the 2-core only, as in the paper (default: no).
    pub core: bool,
    /// The least-squares solver of H*.
    pub lsqr: LsqrParams,
}

impl Default for CompatParams {
    fn default() -> Self {
        CompatParams {
            kind: CompatKind::Hstar,
            unit_rows: true,
            alpha: 1.0,
            energy: 0.95,
            max_edges: 200_000,
            negatives: 2,
            core: false,
            lsqr: LsqrParams::default(),
        }
    }
}

impl CompatParams {
    pub(crate) fn validate(&self) -> Result<()> {
        if !(self.alpha > 0.0 && self.alpha.is_finite()) {
            return Err(Error::param("alpha", self.alpha, "a number above 0"));
        }
        if !(self.energy > 0.0 && self.energy <= 1.0) {
            return Err(Error::param("energy", self.energy, "a share above 0, at most 1"));
        }
        if self.max_edges == 0 || self.negatives == 0 {
            return Err(Error::param("max_edges", self.max_edges, "at least 1 edge and 1 negative per edge"));
        }
        if !(self.lsqr.damp >= 0.0 && self.lsqr.tolerance > 0.0) {
            return Err(Error::param(
                "lsqr",
                format!("{:?}", self.lsqr),
                "damp of at least 0, tolerance above 0",
            ));
        }
        Ok(())
    }
}

/// A fitted compatibility matrix.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Compatibility {
    /// The symmetric d × d matrix.
    pub matrix: Matrix,
    /// Free entries on and above the diagonal.
    pub coefficients: usize,
    /// Convergence of the least-squares fit, if there was one.
    pub lsqr: Option<LsqrInfo>,
}

impl Stored for Compatibility {
    fn write(&self, out: &mut StageWriter<'_>) -> std::io::Result<()> {
        let convergence = |info: &LsqrInfo| (info.iterations, info.residual.to_bits(), info.converged);
        out.value(&(self.coefficients, self.lsqr.as_ref().map(convergence)))?;
        self.matrix.write(out)
    }

    fn read(input: &mut StageReader<'_>) -> Option<Self> {
        let (coefficients, convergence): (usize, Option<(usize, u64, bool)>) = input.value()?;
        let lsqr = convergence.map(|(iterations, residual, converged)| LsqrInfo {
            iterations,
            residual: f64::from_bits(residual),
            converged,
        });
        Some(Compatibility { matrix: Matrix::read(input)?, coefficients, lsqr })
    }
}

/// A component with its compatibility matrix: everything needed to predict links.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AdjustedComponent {
    /// Which component.
    pub kind: ComponentKind,
    /// The normalised embedding ẑ.
    pub z: Matrix,
    /// ẑ H.
    pub zh: Matrix,
    /// H.
    pub compatibility: Compatibility,
}

impl AdjustedComponent {
    /// Similarity `ẑ_i H ẑ_jᵀ` of every pair; symmetric in i and j.
    pub fn similarities(&self, pairs: &[Pair], exec: &Exec) -> Vec<f32> {
        kernel::pair_dots(&self.zh, &self.z, pairs, exec)
    }
}

/// ẑ and ẑ H of the nodes of training pairs, each in the graph of its pair's fold.
pub(crate) struct TrainingRows {
    pub(crate) z: Matrix,
    /// With the H of the component.
    pub(crate) zh: Matrix,
    /// With an H that was fitted on other folds, so that the similarity of a training pair is as uncertain as
    /// that of a new pair; `None` if it was not asked for, or if H has fewer coefficients than there are edges,
    /// so that the difference is small.
    pub(crate) crossed: Option<Matrix>,
}

/// Number of groups of folds for that.
const CROSSED_GROUPS: usize = 2;

/// A component fitted to training pairs.
pub(crate) struct Fitted {
    pub(crate) adjusted: AdjustedComponent,
    /// ẑ and ẑ H of the training pairs, if they differ from those of the training graph.
    pub(crate) seen: Option<TrainingRows>,
    /// How the component embeds the nodes of other graphs, if it was asked for.
    pub(crate) placement: Option<NodePlacement>,
}

/// What a fit is needed for, in addition to similarities.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FitGoal<'a> {
    /// Whether training pairs need ẑ H with an H fitted on other folds.
    pub(crate) cross: bool,
    /// Whether the component will embed the nodes of other graphs.
    pub(crate) place: bool,
    /// The nodes whose rows are wanted, if they are not all.
    pub(crate) only: Option<&'a [NodeId]>,
}

/// Normalises a component and fits its compatibility matrix on training pairs.
///
/// `O(m d + n d²)` for H, `O(pairs · d + n d²)` per iteration for H*; memory `pairs + n d`: the design matrix
/// of the least-squares problem, pairs × d²/2, is never formed.
pub(crate) fn fit(
    mut component: Component,
    split: &LinkSplit,
    training: &Training,
    params: &CompatParams,
    goal: FitGoal<'_>,
    exec: &Exec,
) -> Result<Fitted> {
    let norm = component.for_links(params.unit_rows, exec);
    let placement = goal.place.then(|| NodePlacement::of(&component, norm.clone()));
    let z = norm.apply(std::mem::take(&mut component.embedding), exec);
    let rows = training.rows(&component, &norm, &z, exec);
    let kind = component.kind;
    drop(component);
    let seen = rows.as_ref().unwrap_or(&z);
    let edges = &training.act.rows[..training.act.edges];
    let folded = rows.as_ref().map(|rows| Csr::symmetric(rows.rows(), edges));
    let graph = folded.map_or_else(|| split.padded(), Cow::Owned);
    let compatibility = matrix(seen, &graph, &training.compat, params, exec)?;
    let z = match goal.only.filter(|_| rows.is_some()) {
        Some(nodes) => kernel::gather_rows(&z, nodes, exec),
        None => z,
    };
    let times_h = |z: &Matrix| kernel::gemm(z, &compatibility.matrix, exec);
    let zh = times_h(&z);
    let seen = match rows {
        None => None,
        Some(rows) => {
            let coefficients = rows.cols() * (rows.cols() + 1) / 2;
            let cross = goal.cross && params.kind != CompatKind::None && training.compat.edges < coefficients;
            let crossed = if cross { crossed(&rows, edges, training, params, exec)? } else { None };
            let zh = times_h(&rows);
            Some(TrainingRows { z: rows, zh, crossed })
        }
    };
    Ok(Fitted { adjusted: AdjustedComponent { kind, z, zh, compatibility }, seen, placement })
}

/// The compatibility matrix of these rows, from the edges of a graph over them and pairs.
fn matrix(
    rows: &Matrix,
    graph: &Csr,
    pairs: &Labelled,
    params: &CompatParams,
    exec: &Exec,
) -> Result<Compatibility> {
    let d = rows.cols();
    match params.kind {
        CompatKind::Hstar => hstar(rows, graph, &Sample::new(rows.rows(), pairs), params, exec),
        CompatKind::None => Ok(Compatibility { matrix: Matrix::identity(d), coefficients: d, lsqr: None }),
        CompatKind::H => {
            let h = ridge(rows, graph, params.alpha, exec)?;
            let matrix = Matrix::from_fn(d, d, |i, j| (0.5 * (h[(i, j)] + h[(j, i)])) as f32);
            Ok(Compatibility { matrix, coefficients: d * (d + 1) / 2, lsqr: None })
        }
    }
}

/// ẑ H of the rows of every fold, with an H that was fitted on the pairs of other folds; `None` if there is one
/// fold.
fn crossed(
    rows: &Matrix,
    edges: &[Pair],
    training: &Training,
    params: &CompatParams,
    exec: &Exec,
) -> Result<Option<Matrix>> {
    let groups = training.fold_groups(rows.rows(), CROSSED_GROUPS);
    if groups.len() < 2 {
        return Ok(None);
    }
    let mut all = Matrix::zeros(rows.rows(), rows.cols());
    for own in groups {
        let outside = |pair: &Pair| !own.contains(&(pair[0] as usize));
        let others: Vec<Pair> = edges.iter().copied().filter(outside).collect();
        let graph = Csr::symmetric(rows.rows(), &others);
        let h = matrix(rows, &graph, &training.compat.filtered(outside), params, exec)?.matrix;
        let places: Vec<u32> = own.clone().map(|row| row as u32).collect();
        let product = kernel::gemm(&kernel::gather_rows(rows, &places, exec), &h, exec);
        for (at, row) in own.enumerate() {
            all.row_mut(row).copy_from_slice(product.row(at));
        }
    }
    Ok(Some(all))
}

/// H: ridge regression of ẑ_j on ẑ_i over both directions of the edges, no intercept, from two d × d
/// matrices. Every edge counts once, whatever its weight: what is predicted is whether there is an edge.
fn ridge(z: &Matrix, graph: &Csr, alpha: f64, exec: &Exec) -> Result<SmallMatrix> {
    let graph = &*graph.as_pattern();
    let degrees: Vec<f32> = (0..graph.rows()).map(|node| graph.row(node).len() as f32).collect();
    let mut left = kernel::gram(z, Some(&degrees), exec);
    for k in 0..left.rows() {
        left[(k, k)] += alpha;
    }
    let right = kernel::gemm_tn(z, &kernel::spmm(Scaled::plain(graph), z, exec), exec);
    solve_spd(&left, &right)
}

/// H*: the strongest entries of H, refitted to separate edges (1) from non-edges (0).
fn hstar(
    z: &Matrix,
    graph: &Csr,
    sample: &Sample,
    params: &CompatParams,
    exec: &Exec,
) -> Result<Compatibility> {
    let h = ridge(z, graph, params.alpha, exec)?;
    let free = strongest(&h, params.energy);
    let start: Vec<f64> = free
        .iter()
        .map(|&[i, j]| 0.5 * (h[(i as usize, j as usize)] + h[(j as usize, i as usize)]))
        .collect();
    let problem = PairFit::new(z, sample, &free, exec);
    let (solution, info) = lsqr(&problem, &sample.labels, &start, &params.lsqr, || exec.check())?;
    let matrix = problem.matrix(&solution);
    Ok(Compatibility { matrix, coefficients: free.len(), lsqr: Some(info) })
}

/// Positions (i ≤ j) of the largest entries of the symmetric part of H that carry this share of their sum;
/// ties by position.
fn strongest(h: &SmallMatrix, energy: f64) -> Vec<Pair> {
    let size = u32::try_from(h.rows()).expect("embeddings are narrow");
    let value = |[i, j]: Pair| 0.5 * (h[(i as usize, j as usize)] + h[(j as usize, i as usize)]).abs();
    let mut places: Vec<Pair> = (0..size).flat_map(|i| (i..size).map(move |j| [i, j])).collect();
    places.sort_by(|&a, &b| value(b).total_cmp(&value(a)).then(a.cmp(&b)));
    let total: f64 = places.iter().map(|&p| value(p)).sum();
    let mut carried = 0.0;
    let count = places
        .iter()
        .take_while(|&&p| {
            let more = carried < energy * total;
            carried += value(p);
            more
        })
        .count();
    places.truncate(count);
    places.sort_unstable();
    places
}

/// Pairs that H* is fitted on, gathered by their first node: products over them walk through memory in order,
/// and only first nodes need their row of ẐH. Pairs are unordered, so the node with more pairs goes first;
/// this keeps the number of first nodes small.
struct Sample {
    pairs: Vec<Pair>,
    labels: Vec<f64>,
    /// First nodes of pairs, ascending.
    firsts: Vec<u32>,
    /// Start of the pairs of each first node.
    starts: Vec<usize>,
}

impl Sample {
    fn new(rows: usize, pairs: &Labelled) -> Self {
        let mut uses = vec![0u32; rows];
        pairs.rows.iter().flatten().for_each(|&node| uses[node as usize] += 1);
        let led = |[i, j]: Pair| if uses[i as usize] >= uses[j as usize] { [i, j] } else { [j, i] };
        let label = |at: usize| if at < pairs.edges { 1.0 } else { 0.0 };
        let mut labelled: Vec<(Pair, f64)> =
            pairs.rows.iter().enumerate().map(|(at, &pair)| (led(pair), label(at))).collect();
        labelled.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
        let (mut firsts, mut starts) = (Vec::new(), vec![0]);
        for own in labelled.chunk_by(|a, b| a.0[0] == b.0[0]) {
            firsts.push(own[0].0[0]);
            starts.push(starts.last().expect("it begins with 0") + own.len());
        }
        let (pairs, labels) = labelled.into_iter().unzip();
        Sample { pairs, labels, firsts, starts }
    }
}

/// The least-squares problem of H*: coefficients of a symmetric matrix against the labels of pairs.
///
/// For coefficients c, `A c` is `ẑ_i H(c) ẑ_jᵀ` over the pairs, and `Aᵀ u` collects `ẐᵀW_u Ẑ`, with `W_u` the
/// sparse matrix of u on the pairs.
struct PairFit<'a> {
    z: &'a Matrix,
    /// Rows of the first nodes of pairs.
    led: Matrix,
    sample: &'a Sample,
    free: &'a [Pair],
    exec: &'a Exec,
}

impl<'a> PairFit<'a> {
    fn new(z: &'a Matrix, sample: &'a Sample, free: &'a [Pair], exec: &'a Exec) -> Self {
        let led = kernel::gather_rows(z, &sample.firsts, exec);
        PairFit { z, led, sample, free, exec }
    }

    fn matrix(&self, coefficients: &[f64]) -> Matrix {
        let d = self.z.cols();
        let mut matrix = Matrix::zeros(d, d);
        for (&[i, j], &c) in self.free.iter().zip(coefficients) {
            matrix.row_mut(i as usize)[j as usize] = c as f32;
            matrix.row_mut(j as usize)[i as usize] = c as f32;
        }
        matrix
    }
}

impl LeastSquares for PairFit<'_> {
    fn step(&self, v: &[f64], alpha: f64, u: &mut Vec<f64>) -> Vec<f64> {
        let d = self.z.cols();
        let Sample { pairs, starts, .. } = self.sample;
        let grouped = GroupedPairs { z: self.z, firsts: &self.led, pairs, starts };
        let m = kernel::pair_fit_step(&grouped, &self.matrix(v), alpha, u, self.exec);
        self.free
            .iter()
            .map(|&[i, j]| {
                let (i, j) = (i as usize, j as usize);
                if i == j { m[i * d + i] } else { m[i * d + j] + m[j * d + i] }
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::{Seed, Stream};

    fn random(rows: usize, cols: usize) -> Matrix {
        let mut draw = Seed(8).stream(Stream::Synth, 0);
        Matrix::from_fn(rows, cols, |_, _| draw.normal() as f32)
    }

    #[test]
    fn ridge_equals_the_regression_over_gathered_edges() {
        let exec = Exec::new(2).unwrap();
        let edges = [[0, 1], [1, 2], [2, 3], [3, 0], [0, 2], [4, 5]];
        let graph = Csr::symmetric(6, &edges);
        let z = random(6, 3);
        let h = ridge(&z, &graph, 1.0, &exec).unwrap();
        let both: Vec<[usize; 2]> =
            edges.iter().flat_map(|&[i, j]| [[i as usize, j as usize], [j as usize, i as usize]]).collect();
        // Normal equations: Σ z_i (z_j − z_i H) = α H.
        for a in 0..3 {
            for b in 0..3 {
                let mut sum = 0.0;
                for &[i, j] in &both {
                    let predicted: f64 = (0..3).map(|k| f64::from(z.row(i)[k]) * h[(k, b)]).sum();
                    sum += f64::from(z.row(i)[a]) * (f64::from(z.row(j)[b]) - predicted);
                }
                assert!((sum - h[(a, b)]).abs() < 1e-5, "{a} {b}: {sum} {}", h[(a, b)]);
            }
        }
    }

    #[test]
    fn ridge_equals_scikit_learns() {
        let exec = Exec::new(1).unwrap();
        let oracle = crate::oracle::read();
        let z = crate::oracle::matrix(&oracle.z);
        let h = ridge(&z, &Csr::symmetric(z.rows(), &oracle.edges), 1.0, &exec).unwrap();
        for (i, row) in oracle.ridge.iter().enumerate() {
            for (j, expected) in row.iter().enumerate() {
                assert!((h[(i, j)] - expected).abs() < 1e-5, "{i} {j}: {} {expected}", h[(i, j)]);
            }
        }
    }

    #[test]
    fn structured_operator_equals_the_design_matrix_and_hstar_the_dense_solution() {
        let exec = Exec::new(2).unwrap();
        let z = random(9, 4);
        let positives: Vec<Pair> = vec![[0, 1], [1, 2], [3, 2], [5, 8], [8, 7], [6, 0]];
        let negatives: Vec<Pair> = (0..8).flat_map(|i| [[i, i + 1], [i, (i + 4) % 9]]).collect();
        let edges = positives.len();
        let pairs: Vec<Pair> = positives.into_iter().chain(negatives).collect();
        let sample = Sample::new(9, &Labelled { rows: pairs.clone(), pairs, edges });
        let graph = Csr::symmetric(9, &[[0, 1], [1, 2], [2, 3], [5, 8], [7, 8], [0, 6]]);
        let h = ridge(&z, &graph, 1.0, &exec).unwrap();
        let free = strongest(&h, 0.95);
        assert!(free.len() < 10, "the cut takes entries away");
        let problem = PairFit::new(&z, &sample, &free, &exec);
        let n = sample.pairs.len();
        let design = SmallMatrix::from_fn(n, free.len(), |row, col| {
            let [i, j] = sample.pairs[row].map(|v| v as usize);
            let [a, b] = free[col].map(|v| v as usize);
            let (zi, zj) = (z.row(i), z.row(j));
            let one = f64::from(zi[a]) * f64::from(zj[b]);
            if a == b { one } else { one + f64::from(zi[b]) * f64::from(zj[a]) }
        });
        let c: Vec<f64> = (0..free.len()).map(|k| 0.3 * k as f64 - 1.0).collect();
        let before: Vec<f64> = (0..n).map(|k| (k as f64).sin()).collect();
        let mut u = before.clone();
        let adjoint = problem.step(&c, 0.7, &mut u);
        for row in 0..n {
            let expected: f64 =
                (0..c.len()).map(|k| design[(row, k)] * c[k]).sum::<f64>() - 0.7 * before[row];
            assert!((u[row] - expected).abs() < 1e-5);
        }
        for (col, value) in adjoint.iter().enumerate() {
            let expected: f64 = (0..n).map(|k| design[(k, col)] * u[k]).sum();
            assert!((value - expected).abs() < 1e-5);
        }
        // H* against the normal equations of the damped problem, solved densely.
        let params = CompatParams {
            lsqr: LsqrParams { damp: 1.0, tolerance: 1e-9, max_iterations: 100 },
            ..CompatParams::default()
        };
        let fitted = hstar(&z, &graph, &sample, &params, &exec).unwrap();
        let start: Vec<f64> = free
            .iter()
            .map(|&[i, j]| 0.5 * (h[(i as usize, j as usize)] + h[(j as usize, i as usize)]))
            .collect();
        let mut normal = design.transpose_times(&design);
        for k in 0..free.len() {
            normal[(k, k)] += 1.0;
        }
        let right = SmallMatrix::from_fn(free.len(), 1, |k, _| {
            (0..n)
                .map(|row| {
                    let at_start: f64 = (0..free.len()).map(|c| design[(row, c)] * start[c]).sum();
                    design[(row, k)] * (sample.labels[row] - at_start)
                })
                .sum()
        });
        let correction = solve_spd(&normal, &right).unwrap();
        for (k, &[i, j]) in free.iter().enumerate() {
            let expected = start[k] + correction[(k, 0)];
            let found = f64::from(fitted.matrix.row(i as usize)[j as usize]);
            assert!((found - expected).abs() < 1e-4, "{i} {j}: {found} {expected}");
            assert_eq!(fitted.matrix.row(j as usize)[i as usize], fitted.matrix.row(i as usize)[j as usize]);
        }
    }
}
