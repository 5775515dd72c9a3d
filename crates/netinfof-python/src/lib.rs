//! The native part of the Python package: arrays in, the library's work, arrays and JSON out. What users see is written in Python
//! (`python/netinfof`); nothing is decided here.

mod columns;
mod context;
mod graph;
mod ids;
mod metric;
mod model;
mod split;
mod task;
mod work;

use pyo3::prelude::*;

/// The command, with its words: exit status out.
#[pyfunction]
fn main(py: Python<'_>, words: Vec<std::ffi::OsString>) -> u8 {
    py.detach(|| netinfof_cli::run(words))
}

#[pymodule]
#[pyo3(name = "_native")]
fn native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<graph::Graph>()?;
    module.add_class::<model::Model>()?;
    module.add_class::<model::Scorer>()?;
    module.add_function(wrap_pyfunction!(main, module)?)?;
    module.add_function(wrap_pyfunction!(graph::load, module)?)?;
    module.add_function(wrap_pyfunction!(graph::build, module)?)?;
    module.add_function(wrap_pyfunction!(columns::typed, module)?)?;
    module.add_function(wrap_pyfunction!(columns::known_columns, module)?)?;
    module.add_function(wrap_pyfunction!(columns::sides_of_columns, module)?)?;
    module.add_function(wrap_pyfunction!(ids::number_texts, module)?)?;
    module.add_function(wrap_pyfunction!(task::run, module)?)?;
    module.add_function(wrap_pyfunction!(task::embedding, module)?)?;
    module.add_function(wrap_pyfunction!(task::page, module)?)?;
    module.add_function(wrap_pyfunction!(task::table, module)?)?;
    module.add_function(wrap_pyfunction!(task::headline, module)?)?;
    module.add_function(wrap_pyfunction!(split::link_split, module)?)?;
    module.add_function(wrap_pyfunction!(split::node_split, module)?)?;
    module.add_function(wrap_pyfunction!(split::load_split, module)?)?;
    module.add_function(wrap_pyfunction!(split::check_split, module)?)?;
    module.add_function(wrap_pyfunction!(metric::hits_at_k, module)?)?;
    module.add_function(wrap_pyfunction!(metric::node_metrics, module)?)?;
    module.add_function(wrap_pyfunction!(metric::mrr, module)?)?;
    module.add_function(wrap_pyfunction!(metric::own_ranks, module)?)?;
    module.add_function(wrap_pyfunction!(metric::auc, module)?)?;
    module.add_function(wrap_pyfunction!(metric::average_precision, module)?)?;
    module.add_function(wrap_pyfunction!(metric::information, module)?)?;
    Ok(())
}
