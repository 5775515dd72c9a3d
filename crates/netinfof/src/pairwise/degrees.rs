//! Degrees alone as a score of pairs.

use super::{COLUMNS, DEGREES, Pairwise};
use crate::csr::{Csr, Pair};
use crate::error::Result;
use crate::exec::Exec;
use crate::graph::Sides;
use crate::matrix::Matrix;

/// The degree columns of X as a score of pairs.
#[derive(Debug)]
pub(crate) struct DegreeScore<'a> {
    pub(super) graph: &'a Csr,
    pub(super) sides: Option<&'a Sides>,
    pub(super) fitted: Pairwise,
}

impl<'a> DegreeScore<'a> {
    /// With the sides of a bipartite graph, the degrees on each side count on their own.
    pub(crate) fn fit(
        graph: &'a Csr,
        sides: Option<&'a Sides>,
        pairs: &[Pair],
        labels: &[bool],
        exec: &Exec,
    ) -> Result<Self> {
        let used: Vec<usize> = DEGREES.collect();
        let fitted = Pairwise::fit(&degree_columns(graph, sides, pairs), labels, &used, exec)?;
        Ok(DegreeScore { graph, sides, fitted })
    }

    pub(crate) fn similarities(&self, pairs: &[Pair], exec: &Exec) -> Vec<f32> {
        self.fitted.similarities(&degree_columns(self.graph, self.sides, pairs), exec)
    }
}

/// The columns of X that need only degrees; the others are zero.
pub(super) fn degree_columns(graph: &Csr, sides: Option<&Sides>, pairs: &[Pair]) -> Matrix {
    let mut out = Matrix::zeros(pairs.len(), COLUMNS.len());
    for (at, &pair) in pairs.iter().enumerate() {
        let [i, j] = sides.map_or(pair, |sides| sides.oriented(pair));
        let less = usize::from(graph.contains(i, j));
        let [d, e] = [i, j].map(|node| ((graph.row(node as usize).len() - less) as f64).ln_1p());
        let columns =
            [d + e, if sides.is_some() { d - e } else { (d - e).abs() }, d.min(e)].map(|v| v as f32);
        out.row_mut(at)[DEGREES].copy_from_slice(&columns);
    }
    out
}
