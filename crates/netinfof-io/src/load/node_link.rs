//! Graphs in JSON: lists of nodes and links, as networkx, D3 and others write them, or a list of pairs of ids.

use std::path::Path;

use serde_json::{Map, Value as Json};

use super::LoadParams;
use super::network::{Network, Value};
use crate::table::whole_text;
use netinfof::{Error, Exec, Graph, Result};

/// Names of the keys of links, of the ends of a link, and of the id of a node.
const LINKS: [&str; 3] = ["links", "edges", "adjacency"];
const ENDS: [[&str; 2]; 4] = [["source", "target"], ["from", "to"], ["src", "dst"], ["u", "v"]];
const IDS: [&str; 4] = ["id", "key", "name", "label"];

/// Whether the beginning of a JSON text has a list of nodes or of links, or is a list of pairs.
pub(super) fn is(start: &[u8]) -> bool {
    let start = start.strip_prefix("\u{feff}".as_bytes()).unwrap_or(start).trim_ascii_start();
    let text = String::from_utf8_lossy(start);
    match start.first() {
        Some(b'{') => ["\"nodes\"", "\"links\"", "\"edges\""].iter().any(|key| text.contains(key)),
        Some(b'[') => start[1..].trim_ascii_start().starts_with(b"["),
        _ => false,
    }
}

pub(super) fn graph(path: &Path, name: &str, params: &LoadParams, exec: &Exec) -> Result<Graph> {
    let fault = |what: String| Error::Format { path: path.into(), what };
    let json: Json =
        serde_json::from_slice(&whole_text(path)?).map_err(|e| fault(format!("not a JSON text: {e}")))?;
    exec.check()?;
    let network = read(&json, params).map_err(fault)?;
    network.finish(path, name, "node-link JSON", params, exec)
}

fn read(json: &Json, params: &LoadParams) -> std::result::Result<Network, String> {
    let mut network = Network::new("links", params);
    if let Json::Array(pairs) = json {
        network.element = "pairs";
        for pair in pairs {
            let ends = pair.as_array().map(Vec::as_slice);
            let Some([i, j, ..]) = ends else { return Err("a list of pairs of ids was expected".into()) };
            links_of(&mut network, &[[i, j]], false)?;
        }
        return Ok(network);
    }
    // Cytoscape puts both lists into `elements`.
    let top = json.get("elements").unwrap_or(json);
    let Some(top) = top.as_object() else { return Err("an object or a list of pairs was expected".into()) };
    network.directed = json.get("directed").and_then(Json::as_bool).unwrap_or(false);
    let nodes = top.get("nodes").and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
    let own = |node: &Json| node.as_object().and_then(id_of);
    let named = nodes.iter().all(|node| own(node).is_some() || !node.is_object());
    for (at, node) in nodes.iter().enumerate() {
        let id = match node {
            Json::Object(_) if named => own(node).unwrap_or_default(),
            Json::Object(_) => at.to_string(),
            other => id_text(other).ok_or("a node is neither an object nor an id")?,
        };
        if network.find(&id).is_some() {
            return Err(format!("two nodes have the id `{id}`"));
        }
        let number = network.node(&id);
        let data = node.get("data").and_then(Json::as_object).or_else(|| node.as_object());
        for (key, value) in data.into_iter().flatten() {
            let is_id = IDS.contains(&key.as_str()) && id_text(value).is_some_and(|value| value == id);
            // Places on a drawing are no features.
            if is_id || ["index", "px", "py", "position"].contains(&key.as_str()) || value.is_null() {
                continue;
            }
            match attribute(value) {
                Some(value) => network.attribute(number, key, value),
                None => {
                    network.unread.insert(key.clone());
                }
            }
        }
    }
    let Some((key, links)) = LINKS.iter().find_map(|key| Some((*key, top.get(*key)?.as_array()?))) else {
        return Err("no list `links` or `edges`".into());
    };
    network.element = key;
    let closed = network.len() > 0;
    if key == "adjacency" {
        for (at, neighbours) in links.iter().enumerate() {
            for other in neighbours.as_array().map_or(&[][..], Vec::as_slice) {
                let id = other.as_object().and_then(id_of).ok_or("a neighbour has no id")?;
                let end =
                    network.find(&id).ok_or_else(|| format!("neighbour `{id}` is not among the nodes"))?;
                if at >= network.len() {
                    return Err("more lists of neighbours than nodes".into());
                }
                network.edge(at as u32, end);
            }
        }
        return Ok(network);
    }
    let mut pairs = Vec::with_capacity(links.len());
    for one in links {
        if let Some([i, j, ..]) = one.as_array().map(Vec::as_slice) {
            pairs.push([i, j]);
            continue;
        }
        let data = one.get("data").and_then(Json::as_object).or_else(|| one.as_object());
        let ends = data.and_then(|data| {
            ENDS.iter().find_map(|ends| Some((ends, data.get(ends[0])?, data.get(ends[1])?)))
        });
        let Some((keys, i, j)) = ends else { return Err("a link has no `source` and `target`".into()) };
        pairs.push([i, j]);
        for key in data.into_iter().flat_map(Map::keys) {
            if !keys.contains(&key.as_str()) && !["id", "key", "index"].contains(&key.as_str()) {
                let number = data.and_then(|data| data.get(key)).and_then(Json::as_f64);
                // Edges are added in the order of these pairs.
                network.edge_attribute(pairs.len() - 1, key, number);
            }
        }
    }
    links_of(&mut network, &pairs, closed)?;
    Ok(network)
}

/// Adds links. Their ends are ids of nodes or, if some are not but all are positions in the list of nodes,
/// positions. Unless the nodes are `closed`, other ids are further nodes.
fn links_of(network: &mut Network, links: &[[&Json; 2]], closed: bool) -> std::result::Result<(), String> {
    let id = |json: &Json| {
        let own = json.as_object().and_then(id_of);
        own.or_else(|| id_text(json)).ok_or("an end of a link is no id")
    };
    if !closed {
        for [i, j] in links {
            let ends = [network.node(&id(i)?), network.node(&id(j)?)];
            network.edge(ends[0], ends[1]);
        }
        return Ok(());
    }
    let (mut unknown, mut known) = (None, false);
    for &json in links.iter().flatten() {
        let id = id(json)?;
        match network.find(&id) {
            Some(_) => known = true,
            None => unknown = unknown.or(Some(id)),
        }
    }
    let nodes = network.len() as u64;
    let position = |json: &Json| json.as_u64().filter(|&at| at < nodes).map(|at| at as u32);
    if let Some(id) = &unknown {
        if links.iter().flatten().any(|json| position(json).is_none()) {
            return Err(format!("`{id}` is an end of a link, but not among the nodes"));
        }
        if known {
            network.notices.push(format!(
                "ends of links are positions in the list of nodes, from 0, because `{id}` is not an id of a node"
            ));
        }
    }
    for [i, j] in links {
        let end = |json: &Json| match &unknown {
            Some(_) => position(json),
            None => id(json).ok().and_then(|id| network.find(&id)),
        };
        let (Some(i), Some(j)) = (end(i), end(j)) else { unreachable!("all ends were found above") };
        network.edge(i, j);
    }
    Ok(())
}

fn id_of(node: &Map<String, Json>) -> Option<String> {
    let node = node.get("data").and_then(Json::as_object).unwrap_or(node);
    IDS.iter().find_map(|key| id_text(node.get(*key)?))
}

/// An id; whole numbers exactly.
fn id_text(json: &Json) -> Option<String> {
    match json {
        Json::Number(number) if number.is_i64() || number.is_u64() => Some(number.to_string()),
        other => scalar(other).map(|value| value.text()),
    }
}

fn scalar(json: &Json) -> Option<Value> {
    match json {
        Json::Number(number) => number.as_f64().map(Value::Number),
        Json::String(text) => Some(Value::Text(text.trim().to_string())),
        Json::Bool(value) => Some(Value::Bool(*value)),
        _ => None,
    }
}

fn attribute(json: &Json) -> Option<Value> {
    match json {
        Json::Array(values) => {
            let numbers: Option<Vec<f64>> = values.iter().map(Json::as_f64).collect();
            numbers.filter(|numbers| !numbers.is_empty()).map(Value::Numbers)
        }
        other => scalar(other),
    }
}
