//! LSQR (Paige and Saunders 1982): damped least squares, matrix-free.

use serde::{Deserialize, Serialize};

use crate::error::Result;

/// Parameters of LSQR.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct LsqrParams {
    /// Weight of the penalty: `damp² ‖x − x₀‖²` (default 2; the paper has 1).
    pub damp: f64,
    /// Relative tolerance on the residual and on the normal equations (default 3e-3; the paper's code has
    /// 1e-2, which costs validation Hits on dense graphs, see docs/design/compatibility.md).
    pub tolerance: f64,
    /// Maximum number of iterations (default 100).
    pub max_iterations: usize,
}

impl Default for LsqrParams {
    fn default() -> Self {
        LsqrParams { damp: 2.0, tolerance: 3e-3, max_iterations: 100 }
    }
}

/// Convergence of an LSQR run.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct LsqrInfo {
    /// Iterations taken.
    pub iterations: usize,
    /// `‖Ax − b‖ / ‖b‖` at the end.
    pub residual: f64,
    /// Whether a tolerance was met.
    pub converged: bool,
}

/// The product that defines a least-squares problem.
pub(crate) trait LeastSquares {
    /// Sets `u ← A v − alpha u` and returns `Aᵀ u`: both products of an iteration in one pass over the rows.
    fn step(&self, v: &[f64], alpha: f64, u: &mut Vec<f64>) -> Vec<f64>;
}

/// Minimises `‖A x − b‖² + damp² ‖x − start‖²`.
///
/// `between` is called after every iteration and may stop the run with an error.
pub(crate) fn lsqr(
    a: &dyn LeastSquares,
    b: &[f64],
    start: &[f64],
    params: &LsqrParams,
    mut between: impl FnMut() -> Result<()>,
) -> Result<(Vec<f64>, LsqrInfo)> {
    let b_norm = norm(b);
    // Solve for the correction to the start, as the penalty is on the correction.
    let mut u = b.to_vec();
    let mut v = a.step(&start.iter().map(|s| -s).collect::<Vec<_>>(), -1.0, &mut u);
    let mut beta = normalize(&mut u);
    scale(&mut v, beta);
    let mut alpha = normalize(&mut v);
    let mut w = v.clone();
    let mut x = vec![0.0; start.len()];
    let (mut phi_bar, mut rho_bar) = (beta, alpha);
    let (mut a_norm2, mut damped2) = (0.0f64, 0.0f64);
    let r0_norm = beta;
    let mut info =
        LsqrInfo { residual: relative(beta, b_norm), converged: alpha * beta == 0.0, ..LsqrInfo::default() };

    while !info.converged && info.iterations < params.max_iterations {
        info.iterations += 1;
        // Golub–Kahan bidiagonalisation.
        let mut atu = a.step(&v, alpha, &mut u);
        beta = normalize(&mut u);
        scale(&mut atu, beta);
        a_norm2 += alpha * alpha + beta * beta + params.damp * params.damp;
        for (v, atu) in v.iter_mut().zip(&atu) {
            *v = atu - beta * *v;
        }
        alpha = normalize(&mut v);
        // Eliminate the damping by a rotation, then the subdiagonal.
        let rho_bar1 = rho_bar.hypot(params.damp);
        let (c1, s1) = (rho_bar / rho_bar1, params.damp / rho_bar1);
        let psi = s1 * phi_bar;
        phi_bar *= c1;
        let rho = rho_bar1.hypot(beta);
        let (c, s) = (rho_bar1 / rho, beta / rho);
        let theta = s * alpha;
        rho_bar = -c * alpha;
        let phi = c * phi_bar;
        phi_bar *= s;
        for ((x, w), v) in x.iter_mut().zip(&mut w).zip(&v) {
            *x += phi / rho * *w;
            *w = v - theta / rho * *w;
        }
        damped2 += psi * psi;
        // phi_bar and damped2 estimate the residual of the damped system; subtract the penalty to get the
        // residual of the original one.
        let damped_norm = phi_bar.hypot(damped2.sqrt());
        let x_norm = norm(&x);
        let plain = (damped_norm.powi(2) - (params.damp * x_norm).powi(2)).max(0.0).sqrt();
        info.residual = relative(plain, b_norm);
        let normal = alpha * (s * phi).abs();
        let a_norm = a_norm2.sqrt();
        let by_normal = normal <= params.tolerance * a_norm * damped_norm;
        let by_residual = damped_norm <= params.tolerance * (r0_norm + a_norm * x_norm);
        info.converged = by_normal || by_residual;
        between()?;
    }
    for (x, start) in x.iter_mut().zip(start) {
        *x += start;
    }
    Ok((x, info))
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|v| v * v).sum::<f64>().sqrt()
}

/// Scales to length 1 and returns the former length.
fn normalize(x: &mut [f64]) -> f64 {
    let length = norm(x);
    scale(x, length);
    length
}

/// Divides by a length, unless it is zero.
fn scale(x: &mut [f64], length: f64) {
    if length > 0.0 {
        for v in x {
            *v /= length;
        }
    }
}

fn relative(part: f64, whole: f64) -> f64 {
    if whole > 0.0 { part / whole } else { part }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::SmallMatrix;
    use crate::seed::{Seed, Stream};

    struct Dense(SmallMatrix);

    impl Dense {
        fn forward(&self, x: &[f64]) -> Vec<f64> {
            (0..self.0.rows()).map(|r| (0..x.len()).map(|c| self.0[(r, c)] * x[c]).sum()).collect()
        }
        fn adjoint(&self, r: &[f64]) -> Vec<f64> {
            (0..self.0.cols()).map(|c| (0..r.len()).map(|i| self.0[(i, c)] * r[i]).sum()).collect()
        }
    }

    impl LeastSquares for Dense {
        fn step(&self, v: &[f64], alpha: f64, u: &mut Vec<f64>) -> Vec<f64> {
            *u = self.forward(v).iter().zip(u.iter()).map(|(av, u)| av - alpha * u).collect();
            self.adjoint(u)
        }
    }

    #[test]
    fn equals_the_normal_equations() {
        let mut draw = Seed(9).stream(Stream::Synth, 0);
        let a = SmallMatrix::from_fn(30, 8, |_, _| draw.normal());
        let b: Vec<f64> = (0..30).map(|_| draw.normal()).collect();
        let start: Vec<f64> = (0..8).map(|_| draw.normal()).collect();
        for damp in [0.0, 1.5] {
            let params = LsqrParams { damp, tolerance: 1e-12, max_iterations: 200 };
            let (x, info) = lsqr(&Dense(a.clone()), &b, &start, &params, || Ok(())).unwrap();
            assert!(info.converged);
            // (AᵀA + damp² I) (x − start) = Aᵀ (b − A start)
            let ax = Dense(a.clone()).forward(&x);
            let residual: Vec<f64> = b.iter().zip(&ax).map(|(b, ax)| b - ax).collect();
            let gradient = Dense(a.clone()).adjoint(&residual);
            for k in 0..8 {
                assert!((gradient[k] - damp * damp * (x[k] - start[k])).abs() < 1e-8, "damp {damp}, {k}");
            }
            let r = residual.iter().map(|v| v * v).sum::<f64>().sqrt()
                / b.iter().map(|v| v * v).sum::<f64>().sqrt();
            assert!((info.residual - r).abs() < 1e-6, "{} {r}", info.residual);
        }
    }

    #[test]
    fn equals_scipys_with_damping_and_a_start() {
        let oracle = crate::oracle::read();
        let a = SmallMatrix::from_fn(20, 6, |r, c| oracle.a[r][c]);
        let params = LsqrParams { damp: 1.3, tolerance: 1e-13, max_iterations: 200 };
        let (x, _) = lsqr(&Dense(a), &oracle.b, &oracle.start, &params, || Ok(())).unwrap();
        for (found, expected) in x.iter().zip(&oracle.lsqr) {
            assert!((found - expected).abs() < 1e-8, "{found} {expected}");
        }
    }

    #[test]
    fn a_start_that_solves_is_kept() {
        let a = Dense(SmallMatrix::identity(3));
        let (x, info) =
            lsqr(&a, &[1.0, 2.0, 3.0], &[1.0, 2.0, 3.0], &LsqrParams::default(), || Ok(())).unwrap();
        assert_eq!((x, info.iterations, info.converged), (vec![1.0, 2.0, 3.0], 0, true));
    }
}
