//! Which columns of a table matter to edges: their correlation with the columns at the other ends.
//!
//! A table may hold many columns that have nothing to do with the edges. In the components of link prediction
//! they would be noise, and most of it if they are many. Only training edges are used.

use crate::exec::Exec;
use crate::graph::{Csr, NodeId, Pair};
use crate::kernel;
use crate::matrix::Matrix;

/// Maximum number of edges.
const MOST_EDGES: usize = 20_000;
/// Maximum number of multiplications: edges times columns squared.
const MOST_PRODUCTS: f64 = 5e9;
/// Standard errors above chance from which a correlation counts.
const DEVIATIONS: f64 = 3.0;
/// Smallest relevance of the most relevant column: otherwise all columns stay as they are.
pub(super) const CLEAR: f64 = 0.5;
/// Smallest weight of a column: relevance is measured on a sample.
const SMALLEST: f64 = 0.05;

/// Edges of a graph, evenly spaced over its rows, few enough for this many columns, and their nodes.
pub(super) fn sample(graph: &Csr, columns: usize) -> (Vec<NodeId>, Vec<Pair>) {
    let affordable = (MOST_PRODUCTS / (columns * columns).max(1) as f64) as usize;
    let total = graph.nnz() / 2;
    let wanted = MOST_EDGES.min(affordable).max(1000).min(total);
    let mut edges: Vec<Pair> = Vec::with_capacity(wanted);
    let mut seen = 0;
    for node in 0..graph.rows() {
        for &other in graph.row(node).iter().filter(|&&other| other as usize > node) {
            if (seen * wanted) / total != ((seen + 1) * wanted) / total {
                edges.push([node as NodeId, other]);
            }
            seen += 1;
        }
    }
    let mut nodes: Vec<NodeId> = edges.iter().flatten().copied().collect();
    nodes.sort_unstable();
    nodes.dedup();
    let row = |node: NodeId| nodes.binary_search(&node).expect("it is an end of an edge") as NodeId;
    let edges = edges.iter().map(|edge| edge.map(row)).collect();
    (nodes, edges)
}

/// A weight for every column of `z`, whose rows are the nodes of edges; `None` if no column matters this
/// clearly.
///
/// The products of a column with all columns at the other ends have, by chance, mean zero and a variance that is
/// known. The weight is the share of their sum of squares that exceeds chance.
pub(super) fn weights(z: &Matrix, edges: &[Pair], clear: f64, exec: &Exec) -> Option<Vec<f64>> {
    let (width, count) = (z.cols(), edges.len() as f64);
    if edges.is_empty() || width == 0 {
        return None;
    }
    let ends = [0, 1].map(|end| edges.iter().map(|edge| edge[end]).collect::<Vec<NodeId>>());
    let mut rows = ends.map(|own| kernel::gather_rows(z, &own, exec));
    // Both ends together have mean 0 and deviation 1.
    let (mut mean, mut square) = (vec![0.0f64; width], vec![0.0f64; width]);
    for row in rows.iter().flat_map(|rows| (0..rows.rows()).map(|at| rows.row(at))) {
        for (col, &v) in row.iter().enumerate() {
            mean[col] += f64::from(v);
            square[col] += f64::from(v) * f64::from(v);
        }
    }
    let scale: Vec<f64> = (0..width)
        .map(|col| {
            mean[col] /= 2.0 * count;
            let variance = square[col] / (2.0 * count) - mean[col] * mean[col];
            if variance > 1e-6 * mean[col] * mean[col] { 1.0 / variance.sqrt() } else { 0.0 }
        })
        .collect();
    for rows in &mut rows {
        exec.fill_matrix(rows, |_, row| {
            for (col, v) in row.iter_mut().enumerate() {
                *v = ((f64::from(*v) - mean[col]) * scale[col]) as f32;
            }
        });
    }
    let products = kernel::gemm_tn(&rows[0], &rows[1], exec);
    let both = |a: usize, b: usize| products[(a, b)] + products[(b, a)];
    let others = width as f64 - 1.0;
    let above = |found: f64, chance: f64| if found > chance { 1.0 - chance / found } else { 0.0 };
    let relevance: Vec<f64> = (0..width)
        .map(|col| {
            let own = above(both(col, col).powi(2), DEVIATIONS * DEVIATIONS * 4.0 * count);
            let sum: f64 =
                (0..width).filter(|&other| other != col).map(|other| both(col, other).powi(2)).sum();
            let chance = 2.0 * count * others * (1.0 + DEVIATIONS * (2.0 / others.max(1.0)).sqrt());
            own.max(above(sum, chance))
        })
        .collect();
    let most = relevance.iter().copied().fold(0.0, f64::max);
    (most >= clear).then(|| relevance.into_iter().map(|own| own.max(SMALLEST)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::{Draw, Seed, Stream};

    fn drawn(edges: usize, draw: &mut Draw) -> Vec<Pair> {
        (0..edges).map(|_| [draw.below(500), draw.below(500)]).collect()
    }

    /// Columns that ends share, or that predict another column at the other end, keep their weight.
    #[test]
    fn related_columns_outweigh_noise() {
        let mut draw = Seed(2).stream(Stream::Synth, 0);
        let side: Vec<f64> = (0..500).map(|_| draw.normal()).collect();
        let mut edges = drawn(60_000, &mut draw);
        // Alike in `side`, and column 1 belongs to the opposite side in column 2.
        edges.retain(|&[i, j]| (side[i as usize] - side[j as usize]).abs() < 0.2);
        edges.truncate(2000);
        let z = Matrix::from_fn(500, 60, |row, col| {
            let noise = draw.normal();
            let v = match col {
                0 => side[row] + 0.5 * noise,
                1 => (side[row] > 0.5).into(),
                2 => (side[row].powi(2) > 1.0).into(),
                _ => noise,
            };
            (10.0 * v + 3.0) as f32
        });
        let exec = Exec::new(2).unwrap();
        let found = weights(&z, &edges, CLEAR, &exec).unwrap();
        assert!(found[..3].iter().all(|&w| w > 0.8), "{found:?}");
        let noise = found[3..].iter().sum::<f64>() / 57.0;
        assert!(noise < 0.1, "{noise}");
    }

    #[test]
    fn noise_is_left_as_it_is() {
        let exec = Exec::new(1).unwrap();
        let weighed = (0..50)
            .filter(|&seed| {
                let mut draw = Seed(seed).stream(Stream::Synth, 1);
                let edges = drawn(1500, &mut draw);
                let z = Matrix::from_fn(500, 30, |_, _| draw.normal() as f32);
                weights(&z, &edges, CLEAR, &exec).is_some()
            })
            .count();
        assert!(weighed <= 5, "{weighed} of 50");
        let one = Matrix::from_fn(3, 1, |row, _| row as f32);
        assert!(weights(&one, &[[0, 1]], CLEAR, &exec).is_none());
        let constant = Matrix::from_fn(3, 2, |_, _| 1.0);
        assert!(weights(&constant, &[[0, 1], [1, 2]], CLEAR, &exec).is_none());
        assert!(weights(&constant, &[], CLEAR, &exec).is_none());
    }

    #[test]
    fn samples_of_edges_are_edges() {
        let mut draw = Seed(2).stream(Stream::Synth, 2);
        let mut pairs = drawn(5000, &mut draw);
        pairs.retain(|[i, j]| i < j);
        pairs.sort_unstable();
        pairs.dedup();
        let graph = Csr::symmetric(500, &pairs);
        for columns in [3, 1600] {
            let (nodes, edges) = sample(&graph, columns);
            assert_eq!(edges.len(), if columns == 3 { pairs.len() } else { 1953 });
            assert!(edges.iter().all(|edge| pairs.binary_search(&edge.map(|v| nodes[v as usize])).is_ok()));
        }
        assert!(sample(&Csr::symmetric(3, &[]), 5).1.is_empty());
    }
}
