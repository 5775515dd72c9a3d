//! Principal components of linear operators, and the operators themselves.

use super::{ComponentParams, RELATIVE_ROUNDING};
use crate::csr::Csr;
use crate::error::Result;
use crate::exec::Exec;
use crate::kernel;
use crate::linalg::{DENSE_COST, Dense, LinearOperator, SPARSE_COST, Svd, symmetric_svd};
use crate::matrix::Matrix;

/// Covariance matrices of at most this many columns are decomposed exactly: iterations would take as long.
pub(super) const EXACT_COLUMNS: usize = 384;

/// Eigenvalues below this share of the largest are not resolved by iterations in single precision.
pub(super) const RESOLVED: f64 = 1e-4;

/// Principal axes: a row of the operator times `axes`, minus `shift`, is the row's embedding.
pub(super) struct PrincipalAxes {
    pub(super) axes: Matrix,
    pub(super) shift: Vec<f32>,
    /// The embedding of all rows, if the filtered features were written out and are large: to filter them
    /// again would take longer than this product.
    pub(super) embedding: Option<Matrix>,
}

/// The leading right singular vectors of the centred matrix; none if all rows are equal.
pub(super) fn pca(
    op: &dyn LinearOperator,
    column_norm: bool,
    params: &ComponentParams,
    svd: &dyn Fn(&dyn LinearOperator) -> Result<Svd>,
    exec: &Exec,
) -> Result<PrincipalAxes> {
    let scale = column_norm.then(|| inverse_column_norms(op, exec));
    let ones = Matrix::from_vec(op.rows(), 1, vec![1.0 / op.rows() as f32; op.rows()]);
    let mut mean = op.apply_transpose(&ones, exec);
    if let Some(scale) = &scale {
        for (mean, scale) in mean.as_mut_slice().iter_mut().zip(scale) {
            *mean *= scale;
        }
    }
    let centred = Centred { base: op, scale, mean };
    let n = op.rows() as f64;
    let (mut axes, squares, mut embedding) = if writes_out([op.rows(), op.cols()], op.cost(), params) {
        // Few columns: form the matrix and decompose its small covariance matrix instead. Its eigenvalues are
        // squares, so a steep spectrum is beyond what iterations in single precision resolve: then the
        // decomposition is exact.
        let table = centred.apply(&Matrix::identity(op.cols()), exec);
        let covariance = kernel::gram(&table, None, exec);
        let wanted = params.dim.min(op.cols());
        let iterated = if op.cols() > EXACT_COLUMNS {
            let single = Matrix::from_fn(op.cols(), op.cols(), |row, col| covariance[(row, col)] as f32);
            let svd = svd(&Dense(&single))?;
            let resolved = svd.s.len() == wanted && svd.s[wanted - 1] > RESOLVED * svd.s[0];
            resolved.then_some(svd)
        } else {
            None
        };
        let svd = match iterated {
            Some(svd) => svd,
            None => symmetric_svd(&covariance, params.dim)?,
        };
        let embedding = params.is_large(op.rows()).then(|| kernel::gemm(&table, &svd.v, exec));
        (svd.v, svd.s.iter().sum::<f64>(), embedding)
    } else {
        let svd = svd(&centred)?;
        (svd.v, svd.s.iter().map(|s| s * s).sum::<f64>(), None)
    };
    // If all rows are equal, only the rounding error of their mean remains.
    let square = |m: &Matrix| m.as_slice().iter().map(|&v| f64::from(v) * f64::from(v)).sum::<f64>();
    if squares <= 1e-12 * n * square(&centred.mean) {
        axes = Matrix::zeros(op.cols(), 0);
        embedding = None;
    }
    let shift = kernel::gemm_tn(&centred.mean, &axes, exec);
    let shift = (0..axes.cols()).map(|col| shift[(0, col)] as f32).collect();
    if let Some(scale) = &centred.scale {
        exec.fill_matrix(&mut axes, |row, values| values.iter_mut().for_each(|v| *v *= scale[row]));
    }
    Ok(PrincipalAxes { axes, shift, embedding })
}

/// Whether a matrix of this shape, whose product with a vector takes this many nanoseconds, is written out for its
/// PCA. Otherwise it is accessed by products only.
pub(crate) fn writes_out(shape: [usize; 2], cost: f64, params: &ComponentParams) -> bool {
    let [n, f] = shape.map(|size| size as f64);
    let width = params.dim + params.rsvd.oversampling;
    let products = (2 * (params.rsvd.iterations(shape[0], width) + 1)) as f64 * width as f64;
    let sketched = products * cost + products * n * width as f64 * DENSE_COST;
    let written_out = f * cost + 2.0 * n * f * f * DENSE_COST + products * f * f * DENSE_COST;
    sketched > written_out
}

/// One over the length of every column, 0 for columns of zeros or of rounding errors; by blocks of columns.
pub(super) fn inverse_column_norms(op: &dyn LinearOperator, exec: &Exec) -> Vec<f32> {
    const BLOCK: usize = 128;
    let cols = op.cols();
    let mut lengths = Vec::with_capacity(cols);
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
        lengths.extend(squares.iter().map(|s| s.sqrt()));
    }
    let longest = lengths.iter().copied().fold(0.0, f64::max);
    let inverse = |&s: &f64| if s > f64::from(RELATIVE_ROUNDING) * longest { (1.0 / s) as f32 } else { 0.0 };
    lengths.iter().map(inverse).collect()
}

/// A square sparse matrix in blocks of rows, with its transpose. Without it, and with products in the memory of one
/// factor if memory is to be saved, products take longer.
pub(super) struct Sparse<'a> {
    pub(super) blocks: &'a [Csr],
    pub(super) transpose: Option<&'a [Csr]>,
    pub(super) saves_memory: bool,
}

impl LinearOperator for Sparse<'_> {
    fn rows(&self) -> usize {
        self.cols()
    }
    fn cols(&self) -> usize {
        self.blocks[0].cols()
    }
    fn apply(&self, x: &Matrix, exec: &Exec) -> Matrix {
        kernel::spmm_blocks(self.blocks, self.rows(), x, exec)
    }
    fn apply_transpose(&self, x: &Matrix, exec: &Exec) -> Matrix {
        match self.transpose {
            Some(transpose) => kernel::spmm_blocks(transpose, self.cols(), x, exec),
            None => kernel::spmm_transposed(self.blocks, x, exec),
        }
    }
    fn saves_memory(&self) -> bool {
        self.saves_memory
    }
    fn apply_owned(&self, x: Matrix, exec: &Exec) -> Matrix {
        if self.saves_memory { kernel::spmm_in_place(self.blocks, x, exec) } else { self.apply(&x, exec) }
    }
    fn apply_transpose_owned(&self, x: Matrix, exec: &Exec) -> Matrix {
        match self.transpose {
            _ if !self.saves_memory => self.apply_transpose(&x, exec),
            Some(transpose) => kernel::spmm_in_place(transpose, x, exec),
            None => kernel::spmm_transposed_in_place(self.blocks, x, exec),
        }
    }
    fn cost(&self) -> f64 {
        self.blocks.iter().map(Csr::nnz).sum::<usize>() as f64 * SPARSE_COST
    }
}

/// A matrix with scaled and centred columns.
pub(super) struct Centred<'a> {
    pub(super) base: &'a dyn LinearOperator,
    pub(super) scale: Option<Vec<f32>>,
    pub(super) mean: Matrix,
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
