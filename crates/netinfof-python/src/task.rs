//! Probe, Act and embeddings.

use netinfof::report::VerdictKind;
use netinfof::{Goal, Report};
use netinfof_cli::bridge::{self, Options};
use numpy::{IntoPyArray as _, PyArray2, PyArrayMethods as _};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use crate::graph::Graph;
use crate::model::Model;
use crate::split::{OwnSplit, to_array};
use crate::work::{self, RunSettings};

/// What came out of a run.
enum Outcome {
    Probed(Box<Report>),
    Links(Box<netinfof::Fitted<netinfof::TestedLinks>>),
    Nodes(Box<netinfof::Fitted<netinfof::TestedNodes>>),
}

/// Test pairs or nodes, what is true of them, and their scores.
type Tested<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyArray2<f64>>);

/// Probe, or Act: the report as JSON, the model, and the test data.
#[pyfunction]
pub(crate) fn run<'py>(
    py: Python<'py>,
    graph: &Graph,
    words: Vec<String>,
    act: bool,
    own: Option<OwnSplit<'_>>,
    command: String,
    how: RunSettings<'_>,
) -> PyResult<(String, Option<Model>, Option<Tested<'py>>)> {
    let options = Options::parse(words).map_err(PyValueError::new_err)?;
    let goal = if act { Goal::Act } else { Goal::Probe };
    let graph = graph.checked(py)?;
    let has_own = own.is_some();
    let outcome = if options.is_nodes() {
        let own = own.map(|own| own.nodes(py)).transpose()?;
        work::run(py, how, move |exec| {
            let params = options.nodes(goal, has_own, &graph)?;
            match goal {
                Goal::Probe => netinfof::nodes(&graph, own.as_ref(), goal, &params, exec)
                    .map(|report| Outcome::Probed(Box::new(report))),
                Goal::Act => netinfof::fit_nodes(&graph, own.as_ref(), &params, exec)
                    .map(|fitted| Outcome::Nodes(Box::new(fitted))),
            }
        })
    } else {
        let own = own.map(|own| own.links(py)).transpose()?;
        work::run(py, how, move |exec| {
            let params = options.links(goal, has_own, &graph)?;
            match goal {
                Goal::Probe => netinfof::links(&graph, own.as_ref(), goal, &params, exec)
                    .map(|report| Outcome::Probed(Box::new(report))),
                Goal::Act => netinfof::fit_links(&graph, own.as_ref(), &params, exec)
                    .map(|fitted| Outcome::Links(Box::new(fitted))),
            }
        })
    }?;
    let json = |mut report: Report| {
        report.command = Some(command);
        report.to_json()
    };
    Ok(match outcome {
        Outcome::Probed(report) => (json(*report), None, None),
        Outcome::Links(fitted) => {
            let tested = fitted.tested;
            let pairs = to_array(py, &tested.pairs)?.into_any();
            let edge = |at: usize| i64::from(at < tested.edges);
            let truth = (0..tested.pairs.len()).map(edge).collect::<Vec<_>>().into_pyarray(py).into_any();
            let scores = tested.scores.into_pyarray(py).reshape([tested.pairs.len(), 1])?;
            (json(fitted.report), Some(Model::new(fitted.model)), Some((pairs, truth, scores)))
        }
        Outcome::Nodes(fitted) => {
            let tested = fitted.tested;
            let count = tested.nodes.len();
            let width = tested.scores.len() / count.max(1);
            let nodes: Vec<i64> = tested.nodes.into_iter().map(i64::from).collect();
            let truth = if !tested.numbers.is_empty() {
                tested.numbers.into_pyarray(py).into_any()
            } else if !tested.label_rows.is_empty() {
                let rows: Vec<i64> = tested.label_rows.into_iter().map(i64::from).collect();
                rows.into_pyarray(py).reshape([count, width])?.into_any()
            } else {
                tested.labels.into_iter().map(i64::from).collect::<Vec<_>>().into_pyarray(py).into_any()
            };
            let scores = tested.scores.into_pyarray(py).reshape([count, width])?;
            let tested = (nodes.into_pyarray(py).into_any(), truth, scores);
            (json(fitted.report), Some(Model::new(fitted.model)), Some(tested))
        }
    })
}

/// A model that gives components.
#[pyfunction]
pub(crate) fn embedding(
    py: Python<'_>,
    graph: &Graph,
    words: Vec<String>,
    how: RunSettings<'_>,
) -> PyResult<Model> {
    let options = Options::parse(words).map_err(PyValueError::new_err)?;
    let graph = graph.checked(py)?;
    let model = work::run(py, how, move |exec| {
        let params = options.nodes(Goal::Act, false, &graph)?;
        netinfof::embedding(&graph, &params, exec)
    })?;
    Ok(Model::new(model))
}

fn report(json: &str) -> PyResult<Report> {
    Report::from_json(json).map_err(|e| PyValueError::new_err(format!("not a report of netinfof: {e}")))
}

/// A report as a page.
#[pyfunction]
pub(crate) fn page(py: Python<'_>, json: &str) -> PyResult<String> {
    py.detach(|| Ok(bridge::page(&report(json)?)))
}

/// A report as the command prints it.
#[pyfunction]
pub(crate) fn table(py: Python<'_>, json: &str) -> PyResult<String> {
    py.detach(|| Ok(bridge::table(&report(json)?)))
}

/// A kind of verdict in a few words.
#[pyfunction]
pub(crate) fn headline(kind: &str) -> PyResult<&'static str> {
    let kind: VerdictKind = serde_json::from_value(kind.into())
        .map_err(|_| PyValueError::new_err(format!("no verdict is called {kind}")))?;
    Ok(bridge::headline(kind))
}
