//! Weights and directions of edges: where formats hold them, and notices about those that are not used.

use super::layout::plain;
use super::{LoadParams, list};
use netinfof::graph::{Schema, checked_weight};
use netinfof::{Error, Exec, Graph, Pair, Result};

/// What is lost of the edges, and how a column called `weight` could be used. `names` are the unused parts.
pub(super) fn unused_reason<'a>(params: &LoadParams, names: impl IntoIterator<Item = &'a str>) -> String {
    match (params.directed, params.weight.is_some()) {
        (true, true) => return "the graph is directed and weighted".into(),
        (false, true) => return "the graph is treated as undirected".into(),
        (_, false) => {}
    }
    let kind = if params.directed { "unweighted" } else { "undirected and unweighted" };
    let known = ["weight", "weights", "edgeweight", "edgeweights"];
    let weight = names.into_iter().find(|name| known.contains(&plain(name).as_str()));
    let offer = weight.map_or(String::new(), |name| format!("; give `{name}` as `weight` to use it"));
    format!("the graph is treated as {kind}{offer}")
}

/// What is said where directions are lost.
pub(super) const OFFER: &str = "; read it as `directed` to keep the directions";

/// Notes directions and adds weights, as far as they are asked for; `part` of the source holds the weights.
pub(super) fn of_edges(
    graph: Graph,
    listed: Vec<Pair>,
    weights: Option<(Vec<f32>, &str)>,
    params: &LoadParams,
    exec: &Exec,
) -> Result<Graph> {
    if params.directed {
        if let Some((_, part)) = &weights {
            let meaning = meaning_of(part);
            exec.notice(format!("{}: the weights of edges are read from `{part}`{meaning}", graph.name()));
        }
        let weights = weights.map(|(values, _)| (values, params.weight_transform));
        return Ok(graph.with_directions(listed, weights));
    }
    match weights {
        None => Ok(graph),
        Some((values, part)) => put(graph, &listed, &values, part, params, exec),
    }
}

/// The graph with its directions.
pub(super) fn in_roles(graph: Graph, source: &str, exec: &Exec) -> Result<Graph> {
    if !graph.has_directions() {
        let need = "false for this source, whose edges have no directions";
        return Err(Error::param("directed", format!("true, for {source}"), need));
    }
    let (name, count) = (graph.name().to_string(), graph.nodes());
    let (graph, notices) = graph.in_roles()?;
    let notices: Vec<String> = notices.into_iter().map(|notice| format!("; {notice}")).collect();
    exec.notice(format!(
        "{name}: directed, {count} nodes, each as `source:ID` and as `target:ID`{}",
        notices.concat()
    ));
    Ok(graph)
}

/// Refuses directions of a format from which they are not read.
pub(super) fn undirected(params: &LoadParams, format: &str) -> Result<()> {
    if !params.directed {
        return Ok(());
    }
    let need = format!("another format: directions are not read from {format}; an edge list has them");
    Err(Error::param("directed", "true", need))
}

/// The share of edges that are listed in both directions, if that is neither none nor all.
pub(super) fn reciprocal(listed: &[Pair]) -> Option<f64> {
    let mut sorted: Vec<Pair> = listed.iter().copied().filter(|[i, j]| i != j).collect();
    sorted.sort_unstable();
    sorted.dedup();
    let both = sorted.iter().filter(|[i, j]| sorted.binary_search(&[*j, *i]).is_ok()).count();
    (both > 0 && both < sorted.len()).then(|| both as f64 / sorted.len() as f64)
}

/// Adds the weights of the listed edges, which come from the named part of the source.
fn put(
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
    let meaning = meaning_of(part);
    exec.notice(format!("{name}: the weights of edges are read from `{part}`{notices}{meaning}"));
    Ok(graph)
}

/// What is said of weights that are called like distances: heavier edges are stronger everywhere.
fn meaning_of(part: &str) -> &'static str {
    const DISTANCES: [&str; 12] = [
        "distance",
        "distances",
        "dist",
        "length",
        "cost",
        "costs",
        "km",
        "miles",
        "duration",
        "latency",
        "delay",
        "traveltime",
    ];
    if DISTANCES.contains(&plain(part).as_str()) {
        "; larger weights are stronger edges: if these are distances, turn them round first, for example into 1/(1 + d)"
    } else {
        ""
    }
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
            let need = format!(
                "another format: weights are not read from {format}; an edge list may have a column of weights"
            );
            Err(Error::param("weight", wanted, need))
        }
    }
}
