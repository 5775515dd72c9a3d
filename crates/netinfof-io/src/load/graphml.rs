//! GraphML, as networkx, igraph, Gephi and yEd write it. A file holds one graph; nodes of nested graphs count as
//! nodes of that graph.

use std::collections::HashMap;
use std::path::Path;

use super::LoadParams;
use super::network::{Network, Value};
use super::xml::{self, Part};
use crate::table::whole_text;
use netinfof::{Error, Exec, Graph, Result};

/// What an attribute is called, and the type of its values.
struct Key {
    name: String,
    kind: String,
    default: Option<String>,
}

/// The element that `data` belongs to.
enum Owner {
    Node(u32),
    Edge,
    Other,
}

pub(super) fn graph(path: &Path, name: &str, params: &LoadParams, exec: &Exec) -> Result<Graph> {
    let text = String::from_utf8(whole_text(path)?)
        .map_err(|_| Error::Format { path: path.into(), what: "not valid UTF-8 text".into() })?;
    exec.check()?;
    let mut network = Network::new("edge", params);
    read(&text, &mut network).map_err(|(line, what)| Error::Parse { path: path.into(), line, what })?;
    network.finish(path, name, "GraphML", params, exec)
}

fn read(text: &str, network: &mut Network) -> std::result::Result<(), (usize, String)> {
    let mut keys: HashMap<String, Key> = HashMap::new();
    let mut owner = Owner::Other;
    let (mut open_key, mut open_data): (Option<String>, Option<String>) = (None, None);
    let mut in_default = false;
    let (mut graphs, mut depth, mut nested) = (0, 0usize, 0usize);
    // Edges may stand above their nodes.
    let mut edges: Vec<[String; 2]> = Vec::new();
    let mut given: HashMap<u32, Vec<String>> = HashMap::new();
    xml::each(text, |part| {
        match part {
            Part::Start(element, attributes) => {
                let get = |name: &str| {
                    attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone())
                };
                let need = |name: &str| get(name).ok_or_else(|| format!("<{element}> has no `{name}`"));
                match element.as_str() {
                    "graph" => {
                        graphs += 1;
                        depth += 1;
                        if graphs > 1 && depth == 1 {
                            return Err("a second graph; one graph per file was expected".into());
                        }
                        nested += usize::from(depth > 1);
                        network.directed |= get("edgedefault").as_deref() == Some("directed");
                    }
                    "key" => {
                        let id = need("id")?;
                        // Programs' own data, such as yEd's drawings, have no name.
                        if let Some(name) = get("attr.name") {
                            let kind = get("attr.type").unwrap_or_default();
                            keys.insert(id.clone(), Key { name, kind, default: None });
                        }
                        open_key = Some(id);
                    }
                    "default" => in_default = true,
                    "node" => owner = Owner::Node(network.node(&need("id")?)),
                    "edge" => {
                        edges.push([need("source")?, need("target")?]);
                        owner = Owner::Edge;
                    }
                    "hyperedge" => {
                        return Err("hyperedges are not supported; write edges of two nodes".into());
                    }
                    "data" => open_data = Some(need("key")?),
                    _ => {}
                }
            }
            Part::Text(text) => {
                if in_default && let Some(key) = open_key.as_ref().and_then(|id| keys.get_mut(id)) {
                    key.default = Some(text);
                } else if let Some(key) = open_data.as_ref().and_then(|id| keys.get(id)) {
                    match owner {
                        Owner::Node(node) => {
                            network.attribute(node, &key.name, value(&text, &key.kind));
                            if key.default.is_some() {
                                given.entry(node).or_default().push(key.name.clone());
                            }
                        }
                        Owner::Edge => {
                            let number = text.trim().parse().ok();
                            // Edges are added in this order below.
                            network.edge_attribute(edges.len() - 1, &key.name, number);
                        }
                        Owner::Other => {}
                    }
                }
            }
            Part::End(element) => match element.as_str() {
                "graph" => depth = depth.saturating_sub(1),
                "key" => open_key = None,
                "default" => in_default = false,
                "data" => open_data = None,
                "node" | "edge" => owner = Owner::Other,
                _ => {}
            },
        }
        Ok(())
    })?;
    if graphs == 0 {
        return Err((1, "no <graph>".into()));
    }
    if nested > 0 {
        network.notices.push(format!(
            "{nested} {} of a node: the nodes inside and the node itself are nodes of the graph",
            if nested == 1 { "graph is part" } else { "graphs are parts" }
        ));
    }
    for ends in &edges {
        let [Some(i), Some(j)] = ends.each_ref().map(|id| network.find(id)) else {
            let unknown = ends.iter().find(|id| network.find(id).is_none()).map_or("", String::as_str);
            let [i, j] = ends;
            return Err((1, format!("edge (`{i}`, `{j}`): there is no node `{unknown}`")));
        };
        network.edge(i, j);
    }
    let mut defaults: Vec<&Key> = keys.values().filter(|key| key.default.is_some()).collect();
    defaults.sort_by(|a, b| a.name.cmp(&b.name));
    for key in defaults {
        if let Some(value) = key.default.as_deref().and_then(|text| text.trim().parse().ok()) {
            network.default_weight(&key.name, value);
        }
        if network.has_attribute(&key.name) {
            for node in 0..network.len() as u32 {
                if !given.get(&node).is_some_and(|names| names.contains(&key.name)) {
                    let text = key.default.as_deref().unwrap_or_default();
                    network.attribute(node, &key.name, value(text, &key.kind));
                }
            }
        }
    }
    Ok(())
}

fn value(text: &str, kind: &str) -> Value {
    let number = || text.trim().parse::<f64>().ok();
    match kind {
        "int" | "long" | "float" | "double" => number().map_or(Value::Text(text.into()), Value::Number),
        "boolean" => match text.trim() {
            "true" | "True" | "1" => Value::Bool(true),
            "false" | "False" | "0" => Value::Bool(false),
            other => Value::Text(other.into()),
        },
        _ => Value::Text(text.into()),
    }
}
