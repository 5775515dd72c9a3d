//! Unit tests, compiled under `#[cfg(test)]` alone.

use super::pca::{PrincipalAxes, pca};
use super::*;
use crate::graph::Features;
use crate::kernel::SmallMatrix;
use crate::linalg::{Dense, LinearOperator, rsvd};
use crate::synth;

/// The first singular vector of a regular graph is constant except for errors of the iteration, which scaling
/// must not amplify.
#[test]
fn the_constant_column_of_a_regular_graph_is_left_out() {
    let exec = Exec::new(2).unwrap();
    let n = 300;
    let edges: Vec<_> =
        (0..n).flat_map(|i| [1, 7, 31, 55, 80, 111, 137].map(|step| [i, (i + step) % n])).collect();
    let graph = Csr::symmetric(n as usize, &edges);
    assert!((0..n as usize).all(|node| graph.row(node).len() == 14));
    let params = ComponentParams { kinds: vec![ComponentKind::U], dim: 16, ..ComponentParams::default() };
    let built = build(&graph, &Features::None, &params, Seed(0), &exec).unwrap();
    let scale = built[0].for_links(true, &exec).scale.unwrap();
    assert_eq!(scale[0], 0.0);
    assert!(scale[1..].iter().all(|&factor| factor > 0.0), "{scale:?}");
}

/// P and S against dense algebra that follows the definitions.
#[test]
fn propagated_components_equal_the_dense_definitions() {
    let exec = Exec::new(2).unwrap();
    let graph = synth::named("demo", Seed(0), &Exec::new(1).unwrap()).unwrap();
    let n = 60;
    let edges: Vec<_> = graph.edges().into_iter().filter(|e| e[0] < n && e[1] < n).collect();
    let n = n as usize;
    let adjacency = Csr::symmetric(n, &edges);
    let mut draw = Seed(1).stream(crate::seed::Stream::Synth, 9);
    let x = Matrix::from_fn(n, 20, |_, _| draw.unit() as f32);
    for column_norm in [false, true] {
        let params = ComponentParams {
            kinds: vec![ComponentKind::F, ComponentKind::P, ComponentKind::S],
            dim: 8,
            column_norm,
            scaling: FeatureScaling::Paper,
            ..ComponentParams::default()
        };
        let built = build(&adjacency, &Features::Dense(x.clone()), &params, Seed(0), &exec).unwrap();
        let lowest = f64::from(x.as_slice().iter().copied().fold(f32::INFINITY, f32::min));
        let rows = SmallMatrix::from_fn(n, 20, |r, c| {
            let sum: f64 = x.row(r).iter().map(|&v| f64::from(v) - lowest).sum();
            (f64::from(x.row(r)[c]) - lowest) / sum
        });
        let a = adjacency.to_dense();
        let degree = |i: usize| adjacency.row(i).len() as f64;
        let row = SmallMatrix::from_fn(n, n, |i, j| {
            if degree(i) > 0.0 { f64::from(a.row(i)[j]) / degree(i) } else { 0.0 }
        });
        let sym = SmallMatrix::from_fn(n, n, |i, j| {
            (f64::from(a.row(i)[j]) + f64::from(u8::from(i == j)))
                / ((degree(i) + 1.0) * (degree(j) + 1.0)).sqrt()
        });
        for (component, propagated) in
            built.iter().zip([rows.clone(), row.times(&row).times(&rows), sym.times(&sym).times(&rows)])
        {
            let mut m = propagated;
            for c in 0..20 {
                let norm = (0..n).map(|r| m[(r, c)].powi(2)).sum::<f64>().sqrt();
                let mean = (0..n).map(|r| m[(r, c)]).sum::<f64>() / n as f64;
                let scale = if column_norm && component.kind != ComponentKind::F { 1.0 / norm } else { 1.0 };
                for r in 0..n {
                    m[(r, c)] = (m[(r, c)] - mean) * scale;
                }
            }
            let (u, s, _) = m.thin_svd();
            for k in 0..8 {
                let scores: Vec<f64> = (0..n).map(|r| u[(r, k)] * s[k]).collect();
                let dot: f64 = (0..n).map(|r| scores[r] * f64::from(component.embedding.row(r)[k])).sum();
                let square = s[k].powi(2);
                assert!(
                    (dot.abs() / square - 1.0).abs() < 1e-3,
                    "{:?} {k}: {}",
                    component.kind,
                    dot / square
                );
            }
        }
    }
}

/// Both algorithms of the PCA, the sketch and the covariance, against scikit-learn's exact PCA.
#[test]
fn pca_equals_scikit_learns() {
    let exec = Exec::new(1).unwrap();
    let oracle = crate::oracle::read();
    let x = crate::oracle::matrix(&oracle.x);
    let params = ComponentParams { dim: 5, ..ComponentParams::default() };
    let svd = |op: &dyn LinearOperator| rsvd(op, 5, &params.rsvd, Seed(0), 0, &exec);
    for cheap in [true, false] {
        let PrincipalAxes { axes, shift, .. } =
            pca(&Priced(Dense(&x), cheap), false, &params, &svd, &exec).unwrap();
        let mut scores = kernel::gemm(&x, &axes, &exec);
        exec.fill_matrix(&mut scores, |_, row| row.iter_mut().zip(&shift).for_each(|(v, s)| *v -= s));
        for k in 0..5 {
            let sign = (scores.row(0)[k] * oracle.pca_scores[0][k] as f32).signum();
            for row in 0..x.rows() {
                let difference = f64::from(sign * scores.row(row)[k]) - oracle.pca_scores[row][k];
                assert!(difference.abs() < 1e-4, "{cheap} {row} {k}: {difference}");
            }
        }
    }
}

/// An operator that reports a very low or a very high cost, so that each algorithm is tested.
struct Priced<'a>(Dense<'a, Matrix>, bool);

impl LinearOperator for Priced<'_> {
    fn rows(&self) -> usize {
        self.0.rows()
    }
    fn cols(&self) -> usize {
        self.0.cols()
    }
    fn apply(&self, x: &Matrix, exec: &Exec) -> Matrix {
        self.0.apply(x, exec)
    }
    fn apply_transpose(&self, x: &Matrix, exec: &Exec) -> Matrix {
        self.0.apply_transpose(x, exec)
    }
    fn cost(&self) -> f64 {
        if self.1 { -1e12 } else { 1e12 }
    }
}

/// Another graph is embedded in the same space, and the same graph gets the same embedding.
#[test]
fn the_own_graph_is_embedded_where_it_is() {
    let exec = Exec::new(2).unwrap();
    let graph = synth::named("demo", Seed(0), &Exec::new(1).unwrap()).unwrap();
    let kinds = ComponentKind::ALL.to_vec();
    let params = ComponentParams { kinds, dim: 8, ..ComponentParams::default() };
    let built = build(graph.adjacency(), graph.features(), &params, Seed(0), &exec).unwrap();
    assert_eq!(built.len(), ComponentKind::ALL.len() - 1, "X is made elsewhere");
    let fewer: Vec<_> = graph.edges().into_iter().skip(50).collect();
    let fewer = Csr::symmetric(graph.nodes(), &fewer);
    let some: Vec<NodeId> = (0..graph.nodes() as NodeId).rev().step_by(3).collect();
    for component in built {
        let Some(again) = component.embed_rows(graph.adjacency(), &some, &exec) else {
            // Only links are cross-fitted, and tables of roles and amounts are computed for nodes only.
            assert!(component.kind == ComponentKind::F || component.kind.is_computed_table());
            continue;
        };
        let own = kernel::gather_rows(&component.embedding, &some, &exec);
        assert_eq!(again, own, "{:?}", component.kind);
        assert_ne!(component.embed_rows(&fewer, &some, &exec).unwrap(), own);
    }
}

#[test]
fn isolated_node_keeps_a_zero_row_in_u_and_r() {
    let exec = Exec::new(1).unwrap();
    let graph = Csr::symmetric(6, &[[0, 1], [1, 2], [2, 3], [3, 4], [0, 4]]);
    let params = ComponentParams {
        kinds: vec![ComponentKind::U, ComponentKind::R],
        dim: 3,
        ..ComponentParams::default()
    };
    for component in build(&graph, &Features::None, &params, Seed(0), &exec).unwrap() {
        assert!(component.embedding.row(5).iter().all(|v| v.abs() < 1e-6), "{:?}", component.kind);
        assert!(component.normalized(Normalization::Both, &exec).row(0).iter().any(|&v| v != 0.0));
    }
}

#[test]
fn lists_of_letters() {
    assert_eq!(ComponentKind::parse_list("u, S,u").unwrap(), [ComponentKind::U, ComponentKind::S]);
    let error = ComponentKind::parse_list("U,Q").unwrap_err().to_string();
    assert!(error.contains("`components`: Q"), "{error}");
}
