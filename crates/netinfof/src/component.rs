//! The components of network usable information (paper, section 3.2): embeddings of structure and features.
//!
//! | | what | recipe |
//! |---|---|---|
//! | U | structure | SVD of A |
//! | R | neighbourhood | SVD of random-walk counts |
//! | F | features | PCA of X |
//! | P | features propagated without self loops | PCA of `(D⁻¹A)² X` |
//! | S | features propagated with self loops | PCA of `((D+I)^-½ (A+I) (D+I)^-½)² X` |
//!
//! In: the training graph and the features. Out: one n × d [`Component`] for each kind. No n × f product is formed: SVD
//! and PCA see matrices only as operators.

mod walk;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::exec::Exec;
use crate::graph::{Csr, Features};
use crate::kernel::{self, Scaled};
use crate::linalg::{DENSE_COST, Dense, LinearOperator, RsvdParams, SPARSE_COST, Svd, rsvd};
use crate::matrix::Matrix;
use crate::seed::Seed;

/// The components, by the paper's letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum ComponentKind {
    /// Structure: the adjacency matrix.
    U,
    /// Structure: random walks.
    R,
    /// Features alone.
    F,
    /// Features propagated by row-normalised adjacency.
    P,
    /// Features propagated by symmetric adjacency with self loops.
    S,
}

impl ComponentKind {
    /// All components in the paper's order.
    pub const ALL: [ComponentKind; 5] =
        [ComponentKind::U, ComponentKind::R, ComponentKind::F, ComponentKind::P, ComponentKind::S];

    /// The paper's letter.
    pub fn name(self) -> &'static str {
        match self {
            ComponentKind::U => "U",
            ComponentKind::R => "R",
            ComponentKind::F => "F",
            ComponentKind::P => "P",
            ComponentKind::S => "S",
        }
    }

    /// Reads a comma-separated list of letters such as `U,R,F`.
    pub fn parse_list(text: &str) -> Result<Vec<ComponentKind>> {
        let mut kinds = Vec::new();
        for name in text.split(',').map(str::trim) {
            let kind = ComponentKind::ALL
                .into_iter()
                .find(|kind| kind.name().eq_ignore_ascii_case(name))
                .ok_or_else(|| {
                    Error::param("components", name, "letters of U, R, F, P, S, separated by commas")
                })?;
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        Ok(kinds)
    }
}

/// How neighbours are averaged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Averaging {
    /// `D⁻¹ A`: the mean over neighbours.
    Row,
    /// `D^-½ A D^-½`.
    Symmetric,
}

/// Parameters of the components.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ComponentParams {
    /// Which components (default all five).
    pub kinds: Vec<ComponentKind>,
    /// Embedding size d (default 128).
    pub dim: usize,
    /// Walks from every node, T (default 200; the paper has 1000 for synthetic graphs and OGB).
    pub walk_trials: usize,
    /// Propagation steps of P and S (default 2).
    pub steps: usize,
    /// Averaging of S (default symmetric, as in the paper's text; its published code has row).
    pub s_averaging: Averaging,
    /// Whether columns of propagated features are scaled to length 1 before the PCA: the paper's `l` (default off, as in
    /// its published code; DESIGN.md has the measurements).
    pub column_norm: bool,
    /// One-hot degree columns at the most, where features are missing or narrow (default 512).
    pub degree_columns: usize,
    /// The randomised SVD behind every component.
    pub rsvd: RsvdParams,
}

impl Default for ComponentParams {
    fn default() -> Self {
        ComponentParams {
            kinds: ComponentKind::ALL.to_vec(),
            dim: 128,
            walk_trials: 200,
            steps: 2,
            s_averaging: Averaging::Symmetric,
            column_norm: false,
            degree_columns: 512,
            rsvd: RsvdParams::default(),
        }
    }
}

impl ComponentParams {
    pub(crate) fn validate(&self) -> Result<()> {
        let need = |name, value: usize, low: usize, high: usize| {
            if (low..=high).contains(&value) {
                Ok(())
            } else {
                Err(Error::param(name, value, format!("{low} to {high}")))
            }
        };
        need("dim", self.dim, 1, 4096)?;
        need("walk_trials", self.walk_trials, 2, 1_000_000)?;
        need("steps", self.steps, 0, 64)?;
        need("degree_columns", self.degree_columns, 1, 1 << 20)?;
        need("power_iterations", self.rsvd.power_iterations, 0, 100)?;
        need("oversampling", self.rsvd.oversampling, 0, 4096)?;
        if self.kinds.is_empty() {
            return Err(Error::param("components", "none", "at least one of U, R, F, P, S"));
        }
        Ok(())
    }
}

/// How an embedding is normalised before a model sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Normalization {
    /// Not at all.
    None,
    /// Every row to length 1.
    Rows,
    /// Every column to deviation 1.
    Columns,
    /// Columns, then rows: ẑ, as link prediction takes it.
    Both,
}

/// One embedding of the nodes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Component {
    /// Which component.
    pub kind: ComponentKind,
    /// One row a node; at most `dim` columns, fewer where the rank is smaller.
    pub embedding: Matrix,
}

impl Component {
    /// The embedding, normalised. Nothing is centred; rows and columns of zeros stay.
    pub fn normalized(&self, normalization: Normalization, exec: &Exec) -> Matrix {
        let mut z = self.embedding.clone();
        if matches!(normalization, Normalization::Columns | Normalization::Both) {
            let scale: Vec<f32> = kernel::column_deviations(&z, exec)
                .iter()
                .map(|&deviation| if deviation > 0.0 { (1.0 / deviation) as f32 } else { 0.0 })
                .collect();
            z.scale_cols(&scale);
        }
        if matches!(normalization, Normalization::Rows | Normalization::Both) {
            kernel::normalize_rows(&mut z, exec);
        }
        z
    }
}

/// Builds the components of a training graph.
///
/// `O(m d)` and `O(nnz(X) d)` for a handful of passes; memory `n · d` a component beyond the input.
pub fn build(
    graph: &Csr,
    features: &Features,
    params: &ComponentParams,
    seed: Seed,
    exec: &Exec,
) -> Result<Vec<Component>> {
    params.validate()?;
    let uses_features = |kind: &ComponentKind| !matches!(kind, ComponentKind::U | ComponentKind::R);
    let prepared = params
        .kinds
        .iter()
        .any(uses_features)
        .then(|| FeatureOperator::prepare(features, graph, params, exec));
    exec.stage("components", params.kinds.len(), || {
        exec.try_map(&params.kinds, |&kind| {
            let component = build_one(kind, graph, prepared.as_ref(), params, seed, exec)?;
            exec.step()?;
            Ok(component)
        })
    })
    .inspect(|components: &Vec<Component>| {
        for component in components {
            let (name, found) = (component.kind.name(), component.embedding.cols());
            if found < params.dim {
                exec.notice(format!(
                    "component {name} has {found} dimensions, not {}: its rank allows no more",
                    params.dim
                ));
            }
        }
    })
}

fn build_one(
    kind: ComponentKind,
    graph: &Csr,
    features: Option<&FeatureOperator>,
    params: &ComponentParams,
    seed: Seed,
    exec: &Exec,
) -> Result<Component> {
    let svd = |op: &dyn LinearOperator| rsvd(op, params.dim, &params.rsvd, seed, kind as u64, exec);
    let features = || features.expect("features are prepared where a component needs them");
    let embedding = match kind {
        ComponentKind::U | ComponentKind::R => {
            let svd = if kind == ComponentKind::U {
                svd(&Sparse { matrix: graph, transpose: graph })?
            } else {
                let counts = walk::visit_counts(graph, params.walk_trials, seed, exec);
                svd(&Sparse { matrix: &counts, transpose: &counts.transpose() })?
            };
            let mut embedding = svd.u;
            embedding.scale_cols(&svd.s.iter().map(|s| s.sqrt() as f32).collect::<Vec<_>>());
            embedding
        }
        ComponentKind::F => pca(features(), false, params, &svd, exec)?,
        ComponentKind::P | ComponentKind::S => {
            let averaging = if kind == ComponentKind::P { Averaging::Row } else { params.s_averaging };
            let propagation = Propagation::new(graph, averaging, kind == ComponentKind::S);
            let propagated = Propagated { propagation, steps: params.steps, features: features() };
            pca(&propagated, params.column_norm, params, &svd, exec)?
        }
    };
    if embedding.cols() > 0 {
        return Ok(Component { kind, embedding });
    }
    // A column of zeros knows nothing, and needs no special case anywhere after this.
    exec.notice(format!("component {} is the same for every node and knows nothing", kind.name()));
    Ok(Component { kind, embedding: Matrix::zeros(graph.rows(), 1) })
}

/// Scores of the principal components: the left singular vectors times the singular values of the centred matrix.
fn pca(
    op: &dyn LinearOperator,
    column_norm: bool,
    params: &ComponentParams,
    svd: &dyn Fn(&dyn LinearOperator) -> Result<Svd>,
    exec: &Exec,
) -> Result<Matrix> {
    let scale = column_norm.then(|| inverse_column_norms(op, exec));
    let ones = Matrix::from_vec(op.rows(), 1, vec![1.0 / op.rows() as f32; op.rows()]);
    let mut mean = op.apply_transpose(&ones, exec);
    if let Some(scale) = &scale {
        for (mean, scale) in mean.as_mut_slice().iter_mut().zip(scale) {
            *mean *= scale;
        }
    }
    let centred = Centred { base: op, scale, mean };
    let (n, f) = (op.rows() as f64, op.cols() as f64);
    let width = (params.dim + params.rsvd.oversampling) as f64;
    let products = (2 * (params.rsvd.power_iterations + 1)) as f64 * width;
    let sketched = products * op.cost() + products * n * width * DENSE_COST;
    let written_out = f * op.cost() + 2.0 * n * f * f * DENSE_COST + products * f * f * DENSE_COST;
    let scores = if sketched <= written_out {
        let svd = svd(&centred)?;
        let mut scores = svd.u;
        scores.scale_cols(&svd.s.iter().map(|&s| s as f32).collect::<Vec<_>>());
        scores
    } else {
        // Few columns: write the matrix out, and let the iterations run on the small covariance matrix instead.
        let table = centred.apply(&Matrix::identity(op.cols()), exec);
        let covariance = kernel::gram(&table, None, exec);
        let covariance = Matrix::from_fn(op.cols(), op.cols(), |row, col| covariance[(row, col)] as f32);
        let axes = svd(&Dense(&covariance))?.u;
        kernel::gemm(&table, axes.faer(), exec)
    };
    // Rows that are all alike leave only the rounding of their mean.
    let square = |m: &Matrix| m.as_slice().iter().map(|&v| f64::from(v) * f64::from(v)).sum::<f64>();
    let constant = square(&scores) <= 1e-12 * n * square(&centred.mean);
    Ok(if constant { Matrix::zeros(op.rows(), 0) } else { scores })
}

/// One over the length of every column, 0 for columns of zeros; by blocks of columns.
fn inverse_column_norms(op: &dyn LinearOperator, exec: &Exec) -> Vec<f32> {
    const BLOCK: usize = 128;
    let cols = op.cols();
    let mut inverse = Vec::with_capacity(cols);
    for first in (0..cols).step_by(BLOCK) {
        let width = BLOCK.min(cols - first);
        let mut pick = Matrix::zeros(cols, width);
        for at in 0..width {
            pick.row_mut(first + at)[at] = 1.0;
        }
        let columns = op.apply(&pick, exec);
        let mut squares = vec![0.0f64; width];
        for row in 0..columns.rows() {
            for (square, &v) in squares.iter_mut().zip(columns.row(row)) {
                *square += f64::from(v) * f64::from(v);
            }
        }
        inverse.extend(squares.iter().map(|&s| if s > 0.0 { (1.0 / s.sqrt()) as f32 } else { 0.0 }));
    }
    inverse
}

/// A sparse matrix with its transpose at hand.
struct Sparse<'a> {
    matrix: &'a Csr,
    transpose: &'a Csr,
}

impl LinearOperator for Sparse<'_> {
    fn rows(&self) -> usize {
        self.matrix.rows()
    }
    fn cols(&self) -> usize {
        self.matrix.cols()
    }
    fn apply(&self, x: &Matrix, exec: &Exec) -> Matrix {
        kernel::spmm(Scaled::plain(self.matrix), x, exec)
    }
    fn apply_transpose(&self, x: &Matrix, exec: &Exec) -> Matrix {
        kernel::spmm(Scaled::plain(self.transpose), x, exec)
    }
    fn cost(&self) -> f64 {
        self.matrix.nnz() as f64 * SPARSE_COST
    }
}

/// Features ready for propagation: shifted to a minimum of 0, rows summing to 1, one-hot degrees beside them where they
/// are missing or narrower than the embedding.
enum FeatureOperator {
    Dense(Matrix),
    Sparse { matrix: Csr, transpose: Csr },
}

/// Above this share of entries that are not zero, the dense product is the faster one.
const DENSE_FROM: f64 = 0.1;

impl FeatureOperator {
    fn prepare(features: &Features, graph: &Csr, params: &ComponentParams, exec: &Exec) -> Self {
        let mut prepared = features.clone();
        let lowest = match &prepared {
            Features::None => 0.0,
            Features::Dense(x) => x.as_slice().iter().copied().fold(f32::INFINITY, f32::min),
            Features::Sparse(x) => {
                x.values().map_or(0.0, |values| values.iter().copied().fold(0.0, f32::min))
            }
        };
        if lowest != 0.0 {
            // A shift fills the zeros of a sparse matrix.
            if let Features::Sparse(x) = &prepared {
                prepared = Features::Dense(x.to_dense());
            }
            if let Features::Dense(x) = &mut prepared {
                x.as_mut_slice().iter_mut().for_each(|v| *v -= lowest);
            }
        }
        match &mut prepared {
            Features::None => {}
            Features::Dense(x) => exec.fill_matrix(x, |_, row| {
                let sum: f64 = row.iter().map(|&v| f64::from(v)).sum();
                if sum > 0.0 {
                    for v in row {
                        *v = (f64::from(*v) / sum) as f32;
                    }
                }
            }),
            Features::Sparse(x) => {
                let sums: Vec<f64> = (0..x.rows())
                    .map(|row| {
                        x.row_values(row)
                            .map_or(x.row(row).len() as f64, |v| v.iter().map(|&v| f64::from(v)).sum())
                    })
                    .collect();
                x.map_values(|row, v| if sums[row] > 0.0 { (f64::from(v) / sums[row]) as f32 } else { 0.0 });
            }
        }
        if prepared.cols() < params.dim {
            prepared = Features::Sparse(append_degrees(&prepared, graph, params.degree_columns, exec));
        }
        let dense = prepared.density() > DENSE_FROM;
        match prepared {
            Features::Dense(x) if dense => FeatureOperator::Dense(x),
            Features::Sparse(x) if dense => FeatureOperator::Dense(x.to_dense()),
            Features::Sparse(matrix) => FeatureOperator::Sparse { transpose: matrix.transpose(), matrix },
            Features::Dense(x) => {
                let matrix = Csr::from_dense(&x);
                FeatureOperator::Sparse { transpose: matrix.transpose(), matrix }
            }
            Features::None => unreachable!("degrees were appended"),
        }
    }
}

/// Features with one column a degree beside them; degrees beyond the cap share the last column.
fn append_degrees(features: &Features, graph: &Csr, cap: usize, exec: &Exec) -> Csr {
    let degree = |node: usize| graph.row(node).len();
    let highest = (0..graph.rows()).map(degree).max().unwrap_or(0);
    let columns = (highest + 1).min(cap);
    let have = features.cols();
    exec.notice(if have == 0 {
        format!("no features: {columns} one-hot degree columns take their place")
    } else {
        format!(
            "{have} features are fewer than the dimensions asked for: {columns} one-hot degree columns added"
        )
    });
    if highest >= cap {
        exec.notice(format!("degrees from {} to {highest} share one column", cap - 1));
    }
    let base = match features {
        Features::None => None,
        Features::Dense(x) => Some(Csr::from_dense(x)),
        Features::Sparse(x) => Some(x.clone()),
    };
    let rows = (0..graph.rows()).map(|node| {
        let (mut indices, mut values) = base.as_ref().map_or_else(Default::default, |base| {
            let indices = base.row(node).to_vec();
            let values = base.row_values(node).map_or_else(|| vec![1.0; indices.len()], <[f32]>::to_vec);
            (indices, values)
        });
        indices.push(u32::try_from(have + degree(node).min(columns - 1)).expect("columns fit in u32"));
        values.push(1.0);
        (indices, values)
    });
    Csr::from_rows(have + columns, rows)
}

impl LinearOperator for FeatureOperator {
    fn rows(&self) -> usize {
        match self {
            FeatureOperator::Dense(x) => x.rows(),
            FeatureOperator::Sparse { matrix, .. } => matrix.rows(),
        }
    }
    fn cols(&self) -> usize {
        match self {
            FeatureOperator::Dense(x) => x.cols(),
            FeatureOperator::Sparse { matrix, .. } => matrix.cols(),
        }
    }
    fn apply(&self, x: &Matrix, exec: &Exec) -> Matrix {
        match self {
            FeatureOperator::Dense(own) => Dense(own).apply(x, exec),
            FeatureOperator::Sparse { matrix, .. } => kernel::spmm(Scaled::plain(matrix), x, exec),
        }
    }
    fn apply_transpose(&self, x: &Matrix, exec: &Exec) -> Matrix {
        match self {
            FeatureOperator::Dense(own) => Dense(own).apply_transpose(x, exec),
            FeatureOperator::Sparse { transpose, .. } => kernel::spmm(Scaled::plain(transpose), x, exec),
        }
    }
    fn cost(&self) -> f64 {
        match self {
            FeatureOperator::Dense(own) => Dense(own).cost(),
            FeatureOperator::Sparse { matrix, .. } => matrix.nnz() as f64 * SPARSE_COST,
        }
    }
}

/// One averaging step over the graph: `diag(left) (A [+ I]) diag(right)`.
struct Propagation<'a> {
    graph: &'a Csr,
    left: Vec<f32>,
    right: Vec<f32>,
    self_loops: bool,
}

impl<'a> Propagation<'a> {
    fn new(graph: &'a Csr, averaging: Averaging, self_loops: bool) -> Self {
        let power = |exponent: f64| -> Vec<f32> {
            (0..graph.rows())
                .map(|node| {
                    let degree = graph.row(node).len() + usize::from(self_loops);
                    if degree == 0 { 0.0 } else { (degree as f64).powf(exponent) as f32 }
                })
                .collect()
        };
        let (left, right) = match averaging {
            Averaging::Row => (power(-1.0), vec![1.0; graph.rows()]),
            Averaging::Symmetric => (power(-0.5), power(-0.5)),
        };
        Propagation { graph, left, right, self_loops }
    }

    fn apply(&self, x: &Matrix, exec: &Exec) -> Matrix {
        kernel::spmm(self.scaled(&self.left, &self.right), x, exec)
    }

    fn apply_transpose(&self, x: &Matrix, exec: &Exec) -> Matrix {
        kernel::spmm(self.scaled(&self.right, &self.left), x, exec)
    }

    fn scaled<'b>(&'b self, left: &'b [f32], right: &'b [f32]) -> Scaled<'b> {
        Scaled { matrix: self.graph, left: Some(left), right: Some(right), self_loops: self.self_loops }
    }
}

/// Features after some propagation steps; never formed.
struct Propagated<'a> {
    propagation: Propagation<'a>,
    steps: usize,
    features: &'a FeatureOperator,
}

impl LinearOperator for Propagated<'_> {
    fn rows(&self) -> usize {
        self.features.rows()
    }
    fn cols(&self) -> usize {
        self.features.cols()
    }
    fn apply(&self, x: &Matrix, exec: &Exec) -> Matrix {
        let mut y = self.features.apply(x, exec);
        for _ in 0..self.steps {
            y = self.propagation.apply(&y, exec);
        }
        y
    }
    fn apply_transpose(&self, x: &Matrix, exec: &Exec) -> Matrix {
        if self.steps == 0 {
            return self.features.apply_transpose(x, exec);
        }
        let mut y = self.propagation.apply_transpose(x, exec);
        for _ in 1..self.steps {
            y = self.propagation.apply_transpose(&y, exec);
        }
        self.features.apply_transpose(&y, exec)
    }
    fn cost(&self) -> f64 {
        self.features.cost() + (self.steps * self.propagation.graph.nnz()) as f64 * SPARSE_COST
    }
}

/// A matrix with scaled columns and their means taken out.
struct Centred<'a> {
    base: &'a dyn LinearOperator,
    scale: Option<Vec<f32>>,
    mean: Matrix,
}

impl LinearOperator for Centred<'_> {
    fn rows(&self) -> usize {
        self.base.rows()
    }
    fn cols(&self) -> usize {
        self.base.cols()
    }
    fn apply(&self, x: &Matrix, exec: &Exec) -> Matrix {
        let shift = kernel::gemm_tn(&self.mean, x, exec);
        let mut y = match &self.scale {
            None => self.base.apply(x, exec),
            Some(scale) => {
                let scaled = Matrix::from_fn(x.rows(), x.cols(), |row, col| x.row(row)[col] * scale[row]);
                self.base.apply(&scaled, exec)
            }
        };
        exec.fill_matrix(&mut y, |_, row| {
            for (col, v) in row.iter_mut().enumerate() {
                *v -= shift[(0, col)] as f32;
            }
        });
        y
    }
    fn apply_transpose(&self, x: &Matrix, exec: &Exec) -> Matrix {
        let mut y = self.base.apply_transpose(x, exec);
        let ones = Matrix::from_vec(x.rows(), 1, vec![1.0; x.rows()]);
        let sums = kernel::gemm_tn(&ones, x, exec);
        exec.fill_matrix(&mut y, |row, values| {
            let scale = self.scale.as_ref().map_or(1.0, |scale| scale[row]);
            let mean = f64::from(self.mean.row(row)[0]);
            for (col, v) in values.iter_mut().enumerate() {
                *v = *v * scale - (mean * sums[(0, col)]) as f32;
            }
        });
        y
    }
    fn cost(&self) -> f64 {
        self.base.cost()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::synth;
    use faer::Mat;

    /// P and S against dense algebra written out from the definitions.
    #[test]
    fn propagated_components_equal_the_dense_definitions() {
        let exec = Exec::new(2).unwrap();
        let graph = synth::named("demo", Seed(0)).unwrap();
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
                ..ComponentParams::default()
            };
            let built = build(&adjacency, &Features::Dense(x.clone()), &params, Seed(0), &exec).unwrap();
            let lowest = f64::from(x.as_slice().iter().copied().fold(f32::INFINITY, f32::min));
            let rows = Mat::from_fn(n, 20, |r, c| {
                let sum: f64 = x.row(r).iter().map(|&v| f64::from(v) - lowest).sum();
                (f64::from(x.row(r)[c]) - lowest) / sum
            });
            let a = adjacency.to_dense();
            let degree = |i: usize| adjacency.row(i).len() as f64;
            let row =
                Mat::from_fn(
                    n,
                    n,
                    |i, j| if degree(i) > 0.0 { f64::from(a.row(i)[j]) / degree(i) } else { 0.0 },
                );
            let sym = Mat::from_fn(n, n, |i, j| {
                (f64::from(a.row(i)[j]) + f64::from(u8::from(i == j)))
                    / ((degree(i) + 1.0) * (degree(j) + 1.0)).sqrt()
            });
            for (component, propagated) in
                built.iter().zip([rows.clone(), &row * &row * &rows, &sym * &sym * &rows])
            {
                let mut m = propagated;
                for c in 0..20 {
                    let norm = (0..n).map(|r| m[(r, c)].powi(2)).sum::<f64>().sqrt();
                    let mean = (0..n).map(|r| m[(r, c)]).sum::<f64>() / n as f64;
                    let scale =
                        if column_norm && component.kind != ComponentKind::F { 1.0 / norm } else { 1.0 };
                    for r in 0..n {
                        m[(r, c)] = (m[(r, c)] - mean) * scale;
                    }
                }
                let exact = m.thin_svd().unwrap();
                for k in 0..8 {
                    let scores: Vec<f64> = (0..n).map(|r| exact.U()[(r, k)] * exact.S()[k]).collect();
                    let dot: f64 = (0..n).map(|r| scores[r] * f64::from(component.embedding.row(r)[k])).sum();
                    let square = exact.S()[k].powi(2);
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

    /// Both roads of the PCA, the sketch and the covariance, against scikit-learn's exact one.
    #[test]
    fn pca_equals_scikit_learns() {
        let exec = Exec::new(1).unwrap();
        let oracle = crate::oracle::read();
        let x = crate::oracle::matrix(&oracle.x);
        let params = ComponentParams { dim: 5, ..ComponentParams::default() };
        let svd = |op: &dyn LinearOperator| rsvd(op, 5, &params.rsvd, Seed(0), 0, &exec);
        for cheap in [true, false] {
            let scores = pca(&Priced(Dense(&x), cheap), false, &params, &svd, &exec).unwrap();
            for k in 0..5 {
                let sign = (scores.row(0)[k] * oracle.pca_scores[0][k] as f32).signum();
                for row in 0..x.rows() {
                    let difference = f64::from(sign * scores.row(row)[k]) - oracle.pca_scores[row][k];
                    assert!(difference.abs() < 1e-4, "{cheap} {row} {k}: {difference}");
                }
            }
        }
    }

    /// An operator that claims to cost nothing, or a fortune: so each road is taken once.
    struct Priced<'a>(Dense<'a>, bool);

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
    fn degrees_stand_in_for_missing_features() {
        let exec = Exec::new(1).unwrap();
        let graph = Csr::symmetric(4, &[[0, 1], [0, 2], [0, 3]]);
        let x = append_degrees(&Features::None, &graph, 3, &exec).to_dense();
        assert_eq!(x.row(0), [0.0, 0.0, 1.0]);
        assert_eq!(x.row(1), [0.0, 1.0, 0.0]);
        assert!(exec.notices().iter().any(|n| n.contains("share one column")));
    }

    #[test]
    fn lists_of_letters() {
        assert_eq!(ComponentKind::parse_list("u, S,u").unwrap(), [ComponentKind::U, ComponentKind::S]);
        let error = ComponentKind::parse_list("U,Q").unwrap_err().to_string();
        assert!(error.contains("`components`: Q"), "{error}");
    }
}
