//! Columns of data frames as features, by the rules for files.

use netinfof::graph::FeatureKind;
use netinfof::{Error, Features, Matrix};
use netinfof_io::frame::{ColumnChoices, ColumnValues, Frame, FrameColumn};
use netinfof_io::load;
use numpy::{IntoPyArray as _, PyArray2, PyArrayMethods as _, PyReadonlyArray1};
use pyo3::prelude::*;

use crate::work::raise;

/// A column of a frame: numbers, or texts.
#[derive(FromPyObject)]
pub(crate) enum GivenValues<'py> {
    Numbers(PyReadonlyArray1<'py, f64>),
    Texts(Vec<Option<String>>),
}

/// Which columns become features, and how.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub(crate) struct GivenChoices {
    drop: Vec<String>,
    categorical: Vec<String>,
    numeric: Vec<String>,
    features: Vec<String>,
    like: Option<String>,
}

/// Features, their columns and the columns without use as JSON, and notices.
type Typed<'py> = (Bound<'py, PyArray2<f32>>, String, String, Vec<String>);

/// The features of columns, given by name, stated kind and values.
#[pyfunction]
pub(crate) fn typed<'py>(
    py: Python<'py>,
    columns: Vec<(String, Option<String>, GivenValues<'py>)>,
    choices: GivenChoices,
    ids: Vec<String>,
    labels: Option<Vec<String>>,
) -> PyResult<Typed<'py>> {
    let fault = |what: String| raise(py, &Error::InvalidGraph { what });
    let like = choices.like.map(|json| serde_json::from_str(&json)).transpose();
    let like = like.map_err(|e| fault(format!("the schema is invalid: {e}")))?;
    let choices = ColumnChoices {
        drop: choices.drop,
        categorical: choices.categorical,
        numeric: choices.numeric,
        features: choices.features,
        like,
    };
    let columns = columns.into_iter().map(|(name, kind, values)| {
        let values = match values {
            GivenValues::Numbers(values) => ColumnValues::Numbers(values.as_array().to_vec()),
            GivenValues::Texts(texts) => {
                ColumnValues::from_texts(texts.iter().map(|text| text.as_deref().map(str::trim)))
            }
        };
        let stated = match kind.as_deref() {
            Some("boolean") => Some(FeatureKind::Boolean),
            Some("category") => Some(FeatureKind::Category),
            Some("date") => Some(FeatureKind::Date),
            _ => None,
        };
        FrameColumn { name, values, stated }
    });
    let frame = Frame { columns: columns.collect() };
    let rows = ids.len();
    let found = py.detach(|| frame.typed(rows, &choices, Some(&ids), labels.as_deref()));
    let found = found.map_err(|e| fault(e.what))?;
    let width = found.features.cols();
    let dense = match found.features {
        Features::Dense(x) => x,
        Features::Sparse(x) => {
            let mut dense = Matrix::from_fn(rows, width, |_, _| 0.0);
            for row in 0..rows {
                let values = x.row_values(row);
                for (at, &col) in x.row(row).iter().enumerate() {
                    dense.row_mut(row)[col as usize] = values.map_or(1.0, |values| values[at]);
                }
            }
            dense
        }
        Features::None => Matrix::from_fn(rows, 0, |_, _| 0.0),
    };
    let json = "columns hold nothing JSON cannot say";
    let columns = serde_json::to_string(&found.columns).expect(json);
    let dropped = serde_json::to_string(&found.dropped).expect(json);
    let x = dense.as_slice().to_vec().into_pyarray(py).reshape([rows, width])?;
    Ok((x, columns, dropped, found.notices))
}

/// The positions of the columns with known names: the two ends of an edge, ids of nodes, and classes.
#[pyfunction]
pub(crate) fn known_columns(names: Vec<String>) -> (Option<[usize; 2]>, Option<usize>, Option<usize>) {
    load::known_columns(&names)
}

/// The names of the two sides, if the names of two columns mean two kinds of nodes.
#[pyfunction]
pub(crate) fn sides_of_columns(first: &str, second: &str) -> Option<[String; 2]> {
    load::sides_of_columns([first, second])
}
