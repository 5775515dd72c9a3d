//! Filters that rank the partners of a node in a bipartite graph, in closed form.
//!
//! With R the matrix of users and items and R̃ = D_u^-½ R D_i^-½:
//!
//! - The low-pass filter scores user u by the row `R_u (R̃ᵀR̃ + share · D_i^-½ V Vᵀ D_i^½)`, V the leading right
//!   singular vectors of R̃ (GF-CF: Shen et al., CIKM 2021).
//! - The linear autoencoder scores by `R_u B`, where B regresses every item on the others with a zero
//!   diagonal: `B = −P / diag(P)`, `P = (RᵀR + penalty · I)⁻¹` (EASE: Steck, WWW 2019). The same over users if
//!   they are fewer.

use std::sync::Arc;

use super::ranking::Ranking;
use crate::error::Result;
use crate::exec::Exec;
use crate::graph::{Csr, NodeId, Sides};
use crate::kernel::{self, DenseRows, Scaled, SmallMatrix};
use crate::linalg::{LinearOperator, RsvdParams, SPARSE_COST, rsvd};
use crate::matrix::Matrix;
use crate::seed::Seed;

/// Number of singular vectors of the low-pass filter, as in GF-CF.
const RANK: usize = 256;
/// Its shares to try.
const SHARES: [f64; 4] = [0.0, 0.1, 0.3, 1.0];
/// Penalties of the autoencoder to try.
const PENALTIES: [f64; 4] = [20.0, 100.0, 300.0, 1000.0];
/// The autoencoder inverts a matrix of the smaller side, which must not have more nodes.
const MOST_INVERTED: usize = 4000;
/// Nodes per block.
const BLOCK: usize = 32;
/// Random stream of the sketch, different from those of the components.
const UNIT: u64 = 1001;

/// A filter on a graph.
#[derive(Clone, Debug)]
pub(super) struct Filter {
    graph: Csr,
    sides: Arc<Sides>,
    /// The position of every node among those of its side.
    place: Vec<u32>,
    /// One over a degree or over its root, as the weight of a path through the node.
    weight: Vec<f32>,
    method: Method,
}

#[derive(Clone, Debug)]
enum Method {
    /// Rows of both sides whose products are the low-pass part.
    LowPass([Matrix; 2]),
    /// B, and the side that its rows and columns belong to.
    Autoencoder(Matrix, usize),
}

/// R̃ as an operator.
struct Normalized<'a> {
    matrix: &'a Csr,
    transpose: &'a Csr,
    scale: &'a [Vec<f32>; 2],
}

impl LinearOperator for Normalized<'_> {
    fn rows(&self) -> usize {
        self.matrix.rows()
    }
    fn cols(&self) -> usize {
        self.matrix.cols()
    }
    fn apply(&self, x: &Matrix, exec: &Exec) -> Matrix {
        let [left, right] = self.scale.each_ref().map(|scale| Some(&scale[..]));
        kernel::spmm(Scaled { matrix: self.matrix, left, right, self_loops: false }, x, exec)
    }
    fn apply_transpose(&self, x: &Matrix, exec: &Exec) -> Matrix {
        let [right, left] = self.scale.each_ref().map(|scale| Some(&scale[..]));
        kernel::spmm(Scaled { matrix: self.transpose, left, right, self_loops: false }, x, exec)
    }
    fn cost(&self) -> f64 {
        self.matrix.nnz() as f64 * SPARSE_COST
    }
}

impl Filter {
    /// The filters to compare for a graph of this size.
    pub(super) fn rankings(sides: &Sides) -> Vec<Ranking> {
        let smaller = sides.nodes(0).len().min(sides.nodes(1).len());
        let filters = SHARES.map(|share| Ranking::Filter { share });
        let inverted = PENALTIES.map(|penalty| Ranking::Autoencoder { penalty });
        filters.into_iter().chain(inverted.into_iter().filter(|_| smaller <= MOST_INVERTED)).collect()
    }

    pub(super) fn new(ranking: Ranking, graph: &Csr, sides: &Arc<Sides>, exec: &Exec) -> Result<Self> {
        Filter::sharing(ranking, graph, sides, &mut None, exec)
    }

    /// The same. `vectors` are the singular vectors of the graph, once a low-pass filter has needed them.
    pub(super) fn sharing(
        ranking: Ranking,
        graph: &Csr,
        sides: &Arc<Sides>,
        vectors: &mut Option<Matrix>,
        exec: &Exec,
    ) -> Result<Self> {
        let mut place = vec![0; graph.rows()];
        for side in 0..2 {
            (0..).zip(sides.nodes(side)).for_each(|(at, &node)| place[node as usize] = at);
        }
        let degree = |node: usize| graph.row(node).len().max(1) as f32;
        let power = |node: usize| if sides.of(node as NodeId) == 0 { -1.0 } else { -0.5 };
        let weight = (0..graph.rows()).map(|node| degree(node).powf(power(node))).collect();
        let method = match ranking {
            Ranking::Autoencoder { penalty } => autoencoder(graph, sides, &place, penalty)?,
            Ranking::Filter { share } => low_pass(graph, sides, &place, share, vectors, exec)?,
            Ranking::Model => unreachable!("the model is no filter"),
        };
        Ok(Filter { graph: graph.clone(), sides: Arc::clone(sides), place, weight, method })
    }

    /// Whether a node has edges, without which all of its scores are equal.
    pub(super) fn reaches(&self, node: NodeId) -> bool {
        !self.graph.row(node as usize).is_empty()
    }

    /// The nodes that a node can have an edge to.
    pub(super) fn partners(&self, node: NodeId) -> &[NodeId] {
        self.sides.partners(node)
    }

    /// The scores of all partners of some nodes, in the order of the other side.
    pub(super) fn rows(&self, nodes: &[NodeId], exec: &Exec) -> Vec<Vec<f32>> {
        let blocks = exec.map_blocks(nodes.len(), BLOCK, |range| {
            let same_side = |a: &NodeId, b: &NodeId| self.sides.of(*a) == self.sides.of(*b);
            nodes[range].chunk_by(same_side).flat_map(|own| self.block(own)).collect::<Vec<_>>()
        });
        blocks.into_iter().flatten().collect()
    }

    /// The same for nodes of one side.
    fn block(&self, nodes: &[NodeId]) -> Vec<Vec<f32>> {
        let side = self.sides.of(nodes[0]);
        let count = self.sides.nodes(1 - side).len();
        match &self.method {
            Method::Autoencoder(b, of) => {
                nodes.iter().map(|&node| self.regressed(node, b, *of, count)).collect()
            }
            Method::LowPass(ends) => {
                let mut two = vec![0.0f32; self.graph.rows()];
                let [own, others] = [&ends[side], &ends[1 - side]];
                let mut smooth = vec![0.0; nodes.len() * count];
                if own.cols() > 0 {
                    let rows: Vec<f32> = nodes
                        .iter()
                        .flat_map(|&node| own.row(self.place[node as usize] as usize))
                        .copied()
                        .collect();
                    let queries = DenseRows::new(&rows, nodes.len(), own.cols());
                    kernel::gemm_nt(
                        queries,
                        DenseRows::new(others.as_slice(), count, others.cols()),
                        &mut smooth,
                    );
                }
                let rows = smooth.chunks_mut(count).zip(nodes);
                rows.map(|(row, &node)| {
                    self.add_paths(node, &mut two, row);
                    row.to_vec()
                })
                .collect()
            }
        }
    }

    /// Adds the normalised paths of three edges. `two` is zero before and after.
    fn add_paths(&self, node: NodeId, two: &mut [f32], out: &mut [f32]) {
        let mut reached: Vec<NodeId> = Vec::new();
        for &k in self.graph.row(node as usize) {
            let weight = self.weight[k as usize];
            for &other in self.graph.row(k as usize).iter().filter(|&&other| other != node) {
                if two[other as usize] == 0.0 {
                    reached.push(other);
                }
                two[other as usize] += weight;
            }
        }
        reached.sort_unstable();
        let mut paths = vec![0.0f32; out.len()];
        for other in reached {
            let through = std::mem::take(&mut two[other as usize]) * self.weight[other as usize];
            for &end in self.graph.row(other as usize) {
                paths[self.place[end as usize] as usize] += through;
            }
        }
        // The weight of an item is one over the root of its degree.
        let own = if self.sides.of(node) == 1 { Some(self.weight[node as usize]) } else { None };
        for ((out, paths), &end) in out.iter_mut().zip(paths).zip(self.sides.partners(node)) {
            *out += paths * own.unwrap_or(self.weight[end as usize]);
        }
    }

    fn regressed(&self, node: NodeId, b: &Matrix, of: usize, count: usize) -> Vec<f32> {
        let mut out = vec![0.0f32; count];
        if self.sides.of(node) != of {
            for &k in self.graph.row(node as usize) {
                let row = b.row(self.place[k as usize] as usize);
                out.iter_mut().zip(row).for_each(|(out, v)| *out += v);
            }
            return out;
        }
        let own = self.place[node as usize] as usize;
        for (at, &other) in self.sides.nodes(of).iter().enumerate() {
            let v = b.row(at)[own];
            for &end in self.graph.row(other as usize) {
                out[self.place[end as usize] as usize] += v;
            }
        }
        out
    }

    /// The best partners of every node that are no edges of `known`, best first; ties by number.
    pub(super) fn best_scored(
        &self,
        nodes: &[NodeId],
        known: &Csr,
        k: usize,
        exec: &Exec,
    ) -> Result<Vec<Vec<(NodeId, f32)>>> {
        let blocks = exec.map_blocks(nodes.len(), BLOCK, |range| {
            if exec.stopped() {
                return Vec::new();
            }
            let nodes = &nodes[range];
            let same_side = |a: &NodeId, b: &NodeId| self.sides.of(*a) == self.sides.of(*b);
            let rows = nodes.chunk_by(same_side).flat_map(|own| self.block(own));
            let best = |(&node, row): (&NodeId, Vec<f32>)| {
                let partners = self.sides.partners(node);
                let mut found: Vec<(NodeId, f32)> = partners.iter().copied().zip(row).collect();
                let edges = known.row(node as usize);
                found.retain(|(other, _)| edges.binary_search(other).is_err());
                let order = |a: &(NodeId, f32), b: &(NodeId, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
                if found.len() > k {
                    found.select_nth_unstable_by(k - 1, order);
                    found.truncate(k);
                }
                found.sort_unstable_by(order);
                found
            };
            nodes.iter().zip(rows).map(best).collect::<Vec<_>>()
        });
        exec.check()?;
        Ok(blocks.into_iter().flatten().collect())
    }

    /// The same without scores.
    pub(super) fn best(
        &self,
        nodes: &[NodeId],
        known: &Csr,
        k: usize,
        exec: &Exec,
    ) -> Result<Vec<Vec<NodeId>>> {
        let found = self.best_scored(nodes, known, k, exec)?;
        Ok(found.into_iter().map(|row| row.into_iter().map(|own| own.0).collect()).collect())
    }
}

/// R with the nodes of each side numbered on their own.
fn by_place(graph: &Csr, sides: &Sides, place: &[u32]) -> Csr {
    let (mut indptr, mut indices) = (vec![0], Vec::with_capacity(graph.nnz() / 2));
    for &node in sides.nodes(0) {
        indices.extend(graph.row(node as usize).iter().map(|&other| place[other as usize]));
        indptr.push(indices.len());
    }
    Csr::pattern(sides.nodes(1).len(), indptr, indices)
}

fn low_pass(
    graph: &Csr,
    sides: &Sides,
    place: &[u32],
    share: f64,
    vectors: &mut Option<Matrix>,
    exec: &Exec,
) -> Result<Method> {
    if share == 0.0 {
        return Ok(Method::LowPass([Matrix::zeros(0, 0), Matrix::zeros(0, 0)]));
    }
    let matrix = by_place(graph, sides, place);
    let transpose = matrix.transpose();
    let degree = |node: &NodeId| graph.row(*node as usize).len().max(1) as f32;
    let scale = [0, 1]
        .map(|side| sides.nodes(side).iter().map(|node| 1.0 / degree(node).sqrt()).collect::<Vec<f32>>());
    let operator = Normalized { matrix: &matrix, transpose: &transpose, scale: &scale };
    let rank = RANK.min(matrix.rows()).min(matrix.cols());
    let mut items = match vectors {
        Some(known) => known.clone(),
        None => vectors.insert(rsvd(&operator, rank, &RsvdParams::default(), Seed(0), UNIT, exec)?.v).clone(),
    };
    let right = Some(&scale[1][..]);
    let mut users =
        kernel::spmm(Scaled { matrix: &matrix, left: None, right, self_loops: false }, &items, exec);
    exec.fill_matrix(&mut users, |_, row| row.iter_mut().for_each(|v| *v *= share as f32));
    exec.fill_matrix(&mut items, |item, row| row.iter_mut().for_each(|v| *v /= scale[1][item]));
    Ok(Method::LowPass([users, items]))
}

fn autoencoder(graph: &Csr, sides: &Sides, place: &[u32], penalty: f64) -> Result<Method> {
    let of = usize::from(sides.nodes(1).len() <= sides.nodes(0).len());
    let nodes = sides.nodes(of);
    let mut gram = SmallMatrix::zeros(nodes.len(), nodes.len());
    for (at, &node) in nodes.iter().enumerate() {
        for &k in graph.row(node as usize) {
            for &other in graph.row(k as usize) {
                gram[(at, place[other as usize] as usize)] += 1.0;
            }
        }
        gram[(at, at)] += penalty;
    }
    let inverse = gram.cholesky("Cholesky factorisation")?.inverse();
    let entry = |i: usize, j: usize| if i == j { 0.0 } else { (-inverse[(i, j)] / inverse[(j, j)]) as f32 };
    Ok(Method::Autoencoder(Matrix::from_fn(nodes.len(), nodes.len(), entry), of))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Pair;
    use crate::seed::Stream;

    /// Users and items with interleaved numbers.
    fn graph() -> (Csr, Arc<Sides>) {
        let mut draw = Seed(4).stream(Stream::Synth, 0);
        let mut edges: Vec<Pair> = (0..90)
            .map(|_| {
                let [user, item] = [draw.below(12), draw.below(9)];
                crate::graph::ordered([2 * user, 2 * item + 1])
            })
            .collect();
        edges.sort_unstable();
        edges.dedup();
        let second = (0..24).map(|node| node % 2 == 1).collect();
        (Csr::symmetric(24, &edges), Arc::new(Sides::new(second)))
    }

    /// R as a dense matrix.
    fn dense(graph: &Csr, sides: &Sides) -> SmallMatrix {
        let [users, items] = [sides.nodes(0), sides.nodes(1)];
        SmallMatrix::from_fn(users.len(), items.len(), |i, j| {
            f64::from(u8::from(graph.contains(users[i], items[j])))
        })
    }

    /// The scores of pairs that are no edges equal the definition, from both ends.
    fn check(ranking: Ranking, expected: &SmallMatrix) {
        let exec = Exec::new(2).unwrap();
        let (graph, sides) = graph();
        let filter = Filter::new(ranking, &graph, &sides, &exec).unwrap();
        for (from, other) in [(0, 1), (1, 0)] {
            let rows = filter.rows(sides.nodes(from), &exec);
            for (at, &node) in sides.nodes(from).iter().enumerate() {
                for (to, &end) in sides.nodes(other).iter().enumerate() {
                    let (user, item) = if from == 0 { (at, to) } else { (to, at) };
                    let found = f64::from(rows[at][to]);
                    let known = graph.contains(node, end);
                    let expected = expected[(user, item)];
                    assert!(
                        known || (found - expected).abs() < 1e-4 * (1.0 + expected.abs()),
                        "{found} {expected}"
                    );
                }
            }
        }
    }

    #[test]
    fn the_low_pass_filter_equals_its_definition() {
        let (graph, sides) = graph();
        let r = dense(&graph, &sides);
        let sum = |of: &dyn Fn(usize) -> f64, n: usize| (0..n).map(of).sum::<f64>().max(1.0);
        let user = |i: usize| sum(&|j| r[(i, j)], r.cols());
        let item = |j: usize| sum(&|i| r[(i, j)], r.rows());
        let normalized =
            SmallMatrix::from_fn(r.rows(), r.cols(), |i, j| r[(i, j)] / (user(i) * item(j)).sqrt());
        let square = normalized.transpose_times(&normalized);
        check(Ranking::Filter { share: 0.0 }, &r.times(&square));
        // With all singular vectors V Vᵀ is the projection on the rows, here all of the items that have edges.
        let (_, values, v) = normalized.thin_svd();
        let kept = values.iter().filter(|&&value| value > 1e-5 * values[0]).count();
        let smooth = SmallMatrix::from_fn(r.cols(), r.cols(), |a, b| {
            (0..kept).map(|k| v[(a, k)] * v[(b, k)]).sum::<f64>() * (item(b) / item(a)).sqrt()
        });
        let mut both = square.clone();
        both.add_scaled(0.3, &smooth);
        check(Ranking::Filter { share: 0.3 }, &r.times(&both));
    }

    #[test]
    fn the_autoencoder_equals_the_regression_on_other_items() {
        let (graph, sides) = graph();
        let r = dense(&graph, &sides);
        let n = r.cols();
        let mut b = SmallMatrix::zeros(n, n);
        for item in 0..n {
            // Ridge regression of one column on the others.
            let others: Vec<usize> = (0..n).filter(|&other| other != item).collect();
            let x = SmallMatrix::from_fn(r.rows(), n - 1, |i, k| r[(i, others[k])]);
            let y = SmallMatrix::from_fn(r.rows(), 1, |i, _| r[(i, item)]);
            let mut left = x.transpose_times(&x);
            left.add_scaled(2.0, &SmallMatrix::identity(n - 1));
            let weights = crate::linalg::solve_spd(&left, &x.transpose_times(&y)).unwrap();
            others.iter().enumerate().for_each(|(k, &other)| b[(other, item)] = weights[(k, 0)]);
        }
        check(Ranking::Autoencoder { penalty: 2.0 }, &r.times(&b));
    }
}
