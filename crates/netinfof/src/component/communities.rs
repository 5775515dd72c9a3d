//! Communities: the leading eigenvectors of the normalised adjacency, and the similarity of two nodes in a
//! few of them.
//!
//! Most of the dimensions of U are noise on a small sparse graph, and its compatibility matrix fits that
//! noise. A few leading eigenvectors of the normalised adjacency, compared without fitting anything,
//! represent communities and connected components.

use crate::error::Result;
use crate::exec::Exec;
use crate::graph::{Csr, Pair, Sides};
use crate::kernel::{self, Scaled};
use crate::linalg::{LinearOperator, RsvdParams, SPARSE_COST, rsvd};
use crate::matrix::Matrix;
use crate::seed::Seed;

/// Number of eigenvectors by which two nodes are compared.
const DEPTHS: [usize; 4] = [4, 8, 16, 32];
/// Random stream of the sketch, different from those of the components.
const UNIT: u64 = 1000;

/// `D^-½ A D^-½`, with the mean degree added to all degrees: otherwise nodes with few edges would dominate.
struct Normalized<'a> {
    graph: &'a Csr,
    scale: Vec<f32>,
}

impl LinearOperator for Normalized<'_> {
    fn rows(&self) -> usize {
        self.graph.rows()
    }
    fn cols(&self) -> usize {
        self.graph.rows()
    }
    fn apply(&self, x: &Matrix, exec: &Exec) -> Matrix {
        let scale = Some(&self.scale[..]);
        kernel::spmm(Scaled { matrix: self.graph, left: scale, right: scale, self_loops: false }, x, exec)
    }
    fn apply_transpose(&self, x: &Matrix, exec: &Exec) -> Matrix {
        self.apply(x, exec)
    }
    fn cost(&self) -> f64 {
        self.graph.nnz() as f64 * SPARSE_COST
    }
}

/// The leading eigenvectors of a graph.
pub(crate) struct CommunityVectors {
    vectors: Matrix,
}

impl CommunityVectors {
    /// In a bipartite graph the vectors of the second side are multiplied by the adjacency once more: of every
    /// eigenvector there is a second one with the opposite sign on one side, so products of plain rows across
    /// the sides would cancel out.
    pub(crate) fn new(graph: &Csr, sides: Option<&Sides>, seed: Seed, exec: &Exec) -> Result<Self> {
        let total: f64 = match graph.values() {
            None => graph.nnz() as f64,
            Some(_) => (0..graph.rows()).map(|node| graph.row_sum(node)).sum(),
        };
        let mean = total / graph.rows().max(1) as f64;
        let of = |node: usize| (1.0 / (graph.row_sum(node) + mean).max(1.0).sqrt()) as f32;
        let operator = Normalized { graph, scale: (0..graph.rows()).map(of).collect() };
        let most = DEPTHS[DEPTHS.len() - 1].min(graph.rows());
        let found = rsvd(&operator, most, &RsvdParams::default(), seed, UNIT, exec)?;
        let mut vectors = operator.apply(&found.v, exec);
        if let Some(sides) = sides {
            let again = operator.apply(&vectors, exec);
            for &node in sides.nodes(1) {
                vectors.row_mut(node as usize).copy_from_slice(again.row(node as usize));
            }
        }
        // Removes the effect of the degree from the rows.
        exec.fill_matrix(&mut vectors, |node, row| row.iter_mut().for_each(|v| *v *= operator.scale[node]));
        Ok(CommunityVectors { vectors })
    }

    /// For every pair, the cosines of its nodes in the first few eigenvectors.
    pub(crate) fn similarities(&self, pairs: &[Pair], exec: &Exec) -> Matrix {
        let mut out = Matrix::zeros(pairs.len(), DEPTHS.len());
        exec.fill_matrix(&mut out, |at, out| {
            let [a, b] = pairs[at].map(|node| self.vectors.row(node as usize));
            let (mut product, mut squares, mut done) = (0.0, [0.0; 2], 0);
            for (depth, out) in DEPTHS.iter().zip(out) {
                for k in done..(*depth).min(a.len()) {
                    let [x, y] = [a[k], b[k]].map(f64::from);
                    product += x * y;
                    squares = [squares[0] + x * x, squares[1] + y * y];
                }
                done = (*depth).min(a.len());
                let length = (squares[0] * squares[1]).sqrt();
                *out = if length > 0.0 { (product / length) as f32 } else { 0.0 };
            }
        });
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nodes of one clique are similar, nodes of two cliques are not, and a node without edges is similar to
    /// none.
    #[test]
    fn cliques_are_communities() {
        let mut edges = Vec::new();
        for clique in 0..3 {
            for i in 0..8 {
                edges.extend((0..i).map(|j| [8 * clique + i, 8 * clique + j]));
            }
        }
        let graph = Csr::symmetric(25, &edges);
        let exec = Exec::new(1).unwrap();
        let found = CommunityVectors::new(&graph, None, Seed(0), &exec).unwrap();
        let alike = found.similarities(&[[0, 7], [0, 8], [0, 24]], &exec);
        assert!(alike.row(0)[0] > 0.9 && alike.row(1)[0].abs() < 0.1 && alike.row(2)[0] == 0.0, "{alike:?}");
    }
}
