//! One-hot degrees for graphs without features.

use std::borrow::Cow;

use crate::component::ComponentParams;
use crate::exec::Exec;
use crate::graph::{Csr, Features};

/// The number of one-hot columns for the degrees of a training graph.
pub(super) fn degree_columns(graph: &Csr, params: &ComponentParams, exec: &Exec) -> usize {
    let cap = params.degree_columns;
    let highest = (0..graph.rows()).map(|node| graph.row(node).len()).max().unwrap_or(0);
    let columns = (highest + 1).min(cap);
    if highest >= cap {
        exec.notice(format!("degrees from {} to {highest} share one column", cap - 1));
    }
    columns
}

/// Features with one appended column per degree; degrees beyond the last column share it.
pub(crate) fn append_degrees(features: &Features, graph: &Csr, columns: usize) -> Csr {
    let have = features.cols();
    let base = match features {
        Features::None => None,
        Features::Dense(x) => Some(Cow::Owned(Csr::from_dense(x))),
        Features::Sparse(x) => Some(Cow::Borrowed(x)),
    };
    let rows = (0..graph.rows()).map(|node| {
        let (mut indices, mut values) = base.as_ref().map_or_else(Default::default, |base| {
            let indices = base.row(node).to_vec();
            let values = base.row_values(node).map_or_else(|| vec![1.0; indices.len()], <[f32]>::to_vec);
            (indices, values)
        });
        let degree = graph.row(node).len();
        indices.push(u32::try_from(have + degree.min(columns - 1)).expect("columns fit in u32"));
        values.push(1.0);
        (indices, values)
    });
    Csr::from_rows(have + columns, rows)
}
