//! Unit tests, compiled under `#[cfg(test)]` alone.

use super::*;
use crate::matrix::Matrix;
use crate::seed::{Seed, Stream};

impl Design for Matrix {
    fn rows(&self) -> usize {
        Matrix::rows(self)
    }
    fn cols(&self) -> usize {
        Matrix::cols(self)
    }
    fn fill(&self, rows: Range<usize>, out: &mut [f32]) {
        let p = Matrix::cols(self);
        out.copy_from_slice(&self.as_slice()[rows.start * p..rows.end * p]);
    }
}

/// Three groups of four columns; only the first and one column of the second carry information.
fn planted(n: usize) -> (Matrix, Vec<bool>) {
    let mut draw = Seed(4).stream(Stream::Synth, 0);
    let x = Matrix::from_fn(n, 12, |_, _| draw.normal() as f32);
    let y = (0..n)
        .map(|row| {
            let r = x.row(row);
            let score = 1.5 * r[0] - r[1] + 0.8 * r[2] + r[3] + 0.7 * r[5] + 0.3;
            draw.unit() < 1.0 / (1.0 + f64::from(-score).exp())
        })
        .collect();
    (x, y)
}

fn block(x: &Matrix) -> DesignBlock {
    DesignBlock::collect(x, x.cols(), &Exec::new(1).unwrap())
}

fn groups() -> Vec<Range<usize>> {
    vec![0..4, 4..8, 8..12]
}

#[test]
fn optimality_holds_and_useless_groups_are_exactly_zero() {
    let exec = Exec::new(2).unwrap();
    let (x, y) = planted(3000);
    let rows = block(&x);
    let mut solver = Solver::new(vec![&rows], Target::Binary(&y), groups(), &exec);
    for (lambda1, lambda2, ridge) in
        [(1e-2, 3e-2, 0.0), (1e-2, 1e-3, 0.0), (1e-3, 3e-2, 0.01), (1e-4, 1e-4, 0.0), (1e-3, 1e-3, 0.1)]
    {
        let params = SglParams { tolerance: 1e-3, ridge, ..SglParams::new(lambda1, lambda2) };
        let info = solver.fit(&params).unwrap();
        assert!(info.converged, "{info:?}");
        // The same conditions, implemented independently of the solver, in f64.
        let w = solver.weights().outputs[0].clone();
        let mut gradient = [0.0f64; 13];
        for row in 0..3000 {
            let score: f64 = (0..12).map(|k| w[k] * f64::from(x.row(row)[k])).sum::<f64>() + w[12];
            let residual = 1.0 / (1.0 + (-score).exp()) - f64::from(u8::from(y[row]));
            for k in 0..12 {
                gradient[k] += residual * f64::from(x.row(row)[k]) / 3000.0;
            }
            gradient[12] += residual / 3000.0;
        }
        let slack = 2e-3 * (lambda1 + lambda2);
        assert!(gradient[12].abs() < slack);
        for g in groups() {
            let norm = w[g.clone()].iter().map(|v| v * v).sum::<f64>().sqrt();
            for k in g {
                if w[k] != 0.0 {
                    let s = gradient[k] + lambda1 * w[k].signum() + (ridge + lambda2 / norm) * w[k];
                    assert!(s.abs() < slack, "weight {k}: {s}");
                } else if norm > 0.0 {
                    assert!(gradient[k].abs() <= lambda1 + slack, "zero {k}");
                }
            }
        }
        if lambda2 > 1e-2 {
            assert_eq!(solver.weights().norm(&(8..12)), 0.0, "noise group at {lambda1}, {lambda2}");
            assert!(solver.weights().norm(&(0..4)) > 0.5);
        }
    }
}

#[test]
fn a_large_penalty_leaves_only_the_intercept() {
    let exec = Exec::new(1).unwrap();
    let (x, y) = planted(500);
    let rows = block(&x);
    let mut solver = Solver::new(vec![&rows], Target::Binary(&y), groups(), &exec);
    let info = solver.fit(&SglParams { tolerance: 1e-6, ..SglParams::new(1.0, 1.0) }).unwrap();
    assert!(info.converged);
    assert_eq!(solver.weights().norm(&(0..12)), 0.0);
    let share = y.iter().filter(|&&y| y).count() as f64 / 500.0;
    assert!((solver.weights().outputs[0][12] - (share / (1.0 - share)).ln()).abs() < 1e-4);
}

#[test]
fn the_path_begins_where_the_first_group_comes_in() {
    let exec = Exec::new(2).unwrap();
    let (x, y) = planted(2000);
    let rows = block(&x);
    let mut solver = Solver::new(vec![&rows], Target::Binary(&y), groups(), &exec);
    for ratio in [0.0, 0.1, 1.0] {
        let top = solver.lambda_max(ratio).unwrap();
        let at =
            |share: f64| SglParams { tolerance: 1e-5, ..SglParams::new(ratio * share * top, share * top) };
        solver.fit(&at(1.001)).unwrap();
        assert_eq!(solver.weights().norm(&(0..12)), 0.0, "{ratio}");
        solver.fit(&at(0.98)).unwrap();
        assert!(solver.weights().norm(&(0..4)) > 0.0, "{ratio}");
        assert_eq!(solver.weights().norm(&(8..12)), 0.0, "{ratio}");
    }
}

/// Columns in several blocks, packed or not, give the same result as in one block.
#[test]
fn blocks_side_by_side_are_one_design() {
    let exec = Exec::new(2).unwrap();
    let (x, y) = planted(1500);
    let part = |range: Range<usize>| {
        Matrix::from_fn(x.rows(), range.len(), |row, col| x.row(row)[range.start + col])
    };
    let params = SglParams { tolerance: 1e-4, ..SglParams::new(1e-3, 1e-2) };
    let whole = block(&x);
    let mut one = Solver::new(vec![&whole], Target::Binary(&y), groups(), &exec);
    one.fit(&params).unwrap();
    // A width that makes the first block pack its numbers.
    let blocks =
        [DesignBlock::collect(&part(0..4), 1 << 20, &exec), DesignBlock::collect(&part(4..12), 12, &exec)];
    let mut two = Solver::new(blocks.iter().collect(), Target::Binary(&y), groups(), &exec);
    two.fit(&params).unwrap();
    for (a, b) in one.weights().outputs[0].iter().zip(&two.weights().outputs[0]) {
        assert!((a - b).abs() < 2e-3, "{a} {b}");
    }
}

#[test]
fn softmax_of_two_classes_is_logistic() {
    let exec = Exec::new(2).unwrap();
    let (x, y) = planted(2000);
    let labels: Vec<u32> = y.iter().map(|&y| u32::from(y)).collect();
    // With only the group penalty, the softmax optimum is ±w/2 and its group norms are w/√2.
    let tight = |l2| SglParams { tolerance: 1e-4, ..SglParams::new(0.0, l2) };
    let rows = block(&x);
    let mut binary = Solver::new(vec![&rows], Target::Binary(&y), groups(), &exec);
    assert!(binary.fit(&tight(0.01)).unwrap().converged);
    let rows = block(&x);
    let mut soft = Solver::new(vec![&rows], Target::Classes { labels: &labels, classes: 2 }, groups(), &exec);
    assert!(soft.fit(&tight(0.01 * 2f64.sqrt())).unwrap().converged);
    for k in 0..12 {
        let difference = soft.weights().outputs[1][k] - soft.weights().outputs[0][k];
        assert!((difference - binary.weights().outputs[0][k]).abs() < 1e-3, "weight {k}");
    }
}

#[test]
fn separable_data_and_constant_columns_are_met() {
    let exec = Exec::new(1).unwrap();
    let x = Matrix::from_fn(64, 2, |row, col| if col == 1 { 1.0 } else { row as f32 / 32.0 - 1.0 });
    let y: Vec<bool> = (0..64).map(|row| row >= 32).collect();
    let rows = block(&x);
    let mut solver = Solver::new(vec![&rows], Target::Binary(&y), vec![0..1, 1..2], &exec);
    let info = solver.fit(&SglParams::new(1e-4, 1e-4)).unwrap();
    assert!(info.converged && info.objective < 0.1, "{info:?}");
}
