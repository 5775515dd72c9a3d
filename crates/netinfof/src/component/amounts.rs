//! How many features each node has, and how large they are, as a table of numbers.
//!
//! The rows of words are divided by their sum before propagation and PCA, so no other component carries the
//! length of a row: the length of a document, or the number of keywords. These columns do.

use crate::graph::Features;
use crate::matrix::Matrix;

/// Number of columns of [`table`].
pub(super) const COLUMNS: usize = 2;

/// The logarithms of the number of nonzero features of every node, and of their mean size.
pub(super) fn table(features: &Features, nodes: usize) -> Matrix {
    let amounts = |values: &[f32]| -> [f32; COLUMNS] {
        let of = |(count, sum): (usize, f64), &v: &f32| {
            if v == 0.0 || v.is_nan() { (count, sum) } else { (count + 1, sum + f64::from(v.abs())) }
        };
        let (count, sum) = values.iter().fold((0, 0.0), of);
        // Sums are rounded, and equal values must lead to equal means: flags have a mean of exactly 1.
        let mean = if count > 0 { sum / count as f64 } else { 0.0 };
        [(count as f64).ln_1p() as f32, mean.ln_1p() as f32]
    };
    let mut table = Matrix::zeros(nodes, COLUMNS);
    for node in 0..nodes {
        let row = match features {
            Features::None => continue,
            Features::Dense(x) => amounts(x.row(node)),
            Features::Sparse(x) => match x.row_values(node) {
                Some(values) => amounts(values),
                None => amounts(&vec![1.0; x.row(node).len()]),
            },
        };
        table.row_mut(node).copy_from_slice(&row);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::csr::Csr;

    #[test]
    fn amounts_are_the_same_for_dense_and_sparse_features() {
        let rows = [[0.0, 2.0, -4.0], [0.0, 0.0, 0.0], [1.0, 1.0, 1.0]];
        let dense = Matrix::from_fn(3, 3, |row, col| rows[row][col]);
        let found = table(&Features::Dense(dense.clone()), 3);
        assert_eq!(found.row(0), [3f32.ln(), 4f32.ln()]);
        assert_eq!(found.row(1), [0.0, 0.0]);
        assert_eq!(found.row(2), [4f32.ln(), 2f32.ln()]);
        assert_eq!(table(&Features::Sparse(Csr::from_dense(&dense)), 3), found);
        assert_eq!(table(&Features::None, 2), Matrix::zeros(2, COLUMNS));
    }
}
