//! Weights of edges: where formats hold them, and notices about those that are not used.

use super::layout::plain;
use super::{LoadParams, list};
use netinfof::graph::{Schema, checked_weight};
use netinfof::{Error, Exec, Graph, Pair, Result};

/// What is lost of the edges, and how a column called `weight` could be used. `names` are the unused parts.
pub(super) fn unused_reason<'a>(weighted: bool, names: impl IntoIterator<Item = &'a str>) -> String {
    if weighted {
        return "the graph is treated as undirected".into();
    }
    let known = ["weight", "weights", "edgeweight", "edgeweights"];
    let weight = names.into_iter().find(|name| known.contains(&plain(name).as_str()));
    let offer = weight.map_or(String::new(), |name| format!("; give `{name}` as `weight` to use it"));
    format!("the graph is treated as undirected and unweighted{offer}")
}

/// Adds the weights of the listed edges, which come from the named part of the source.
pub(super) fn put(
    graph: Graph,
    listed: &[Pair],
    weights: &[f32],
    part: &str,
    params: &LoadParams,
    exec: &Exec,
) -> Result<Graph> {
    let name = graph.name().to_string();
    let (graph, notices) = graph.with_weights(listed, weights, params.weight_transform)?;
    let notices = if notices.is_empty() { String::new() } else { format!("; {}", notices.join("; ")) };
    exec.notice(format!("{name}: the weights of edges are read from `{part}`{notices}"));
    Ok(graph)
}

/// The schema of a graph with weights from the named part of the source.
pub(super) fn noted(mut schema: Schema, part: &str) -> Schema {
    schema.weight = Some(part.to_string());
    schema
}

/// A number of a text as a weight.
pub(super) fn weight_of(text: &str, value: Option<f64>) -> std::result::Result<f32, String> {
    match value {
        Some(value) => checked_weight(value),
        None if text.trim().is_empty() => checked_weight(f64::NAN),
        None => Err(format!("`{text}` is not a number; the weight of an edge was expected")),
    }
}

/// Whether weights are asked for, where a format has one kind of values: those of the matrix.
pub(super) fn of_matrix(params: &LoadParams, names: &[&str]) -> Result<bool> {
    let Some(wanted) = &params.weight else { return Ok(false) };
    if names.contains(&wanted.as_str()) {
        return Ok(true);
    }
    let names: Vec<String> = names.iter().map(ToString::to_string).collect();
    Err(Error::param("weight", wanted, format!("the values of the matrix: {}", list(&names))))
}

/// Refuses weights of a format that has none.
pub(super) fn none_in(params: &LoadParams, format: &str) -> Result<()> {
    match &params.weight {
        None => Ok(()),
        Some(wanted) => {
            let need = format!("another format: weights are not read from {format}; an edge list may have a column of weights");
            Err(Error::param("weight", wanted, need))
        }
    }
}
