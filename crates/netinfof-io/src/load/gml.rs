//! GML: nested lists of keys and values, as networkx, igraph and many older collections write them.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use super::LoadParams;
use super::network::{Network, Value};
use super::xml::decoded;
use crate::table::whole_text;
use netinfof::{Error, Exec, Graph, Result};

/// Lists are never nested deeper.
const DEEPEST: usize = 32;

/// A value of GML.
enum Gml {
    Scalar(Value),
    List(Vec<(String, Gml)>),
}

/// Whether a text begins like GML, perhaps with `Creator` or comments before the graph.
pub(super) fn is(start: &[u8]) -> bool {
    let text = String::from_utf8_lossy(start);
    let mut tokens = Tokens { text: text.trim_start_matches('\u{feff}'), line: 1 };
    for _ in 0..8 {
        match (tokens.next(), tokens.next()) {
            (Some(Token::Word(key)), Some(Token::Open)) => return key.eq_ignore_ascii_case("graph"),
            (Some(Token::Word(key)), Some(Token::Text(_) | Token::Word(_)))
                if ["creator", "version", "comment"].iter().any(|own| key.eq_ignore_ascii_case(own)) => {}
            _ => return false,
        }
    }
    false
}

pub(super) fn graph(path: &Path, name: &str, params: &LoadParams, exec: &Exec) -> Result<Graph> {
    // Older files are in Latin-1.
    let bytes = whole_text(path)?;
    let text = String::from_utf8(bytes)
        .unwrap_or_else(|error| error.as_bytes().iter().map(|&byte| char::from(byte)).collect());
    exec.check()?;
    let mut tokens = Tokens { text: text.trim_start_matches('\u{feff}'), line: 1 };
    let parsed = list(&mut tokens, 0).and_then(|top| {
        let graph = top.into_iter().find(|(key, _)| key.eq_ignore_ascii_case("graph"));
        let Some((_, Gml::List(graph))) = graph else { return Err("no list `graph`".into()) };
        network(graph, params)
    });
    let line = tokens.line;
    let network = parsed.map_err(|what| Error::Parse { path: path.into(), line, what })?;
    network.finish(path, name, "GML", params, exec)
}

fn network(graph: Vec<(String, Gml)>, params: &LoadParams) -> std::result::Result<Network, String> {
    let mut network = Network::new("edge", params);
    let mut edges = Vec::new();
    for (key, value) in graph {
        match (key.as_str(), value) {
            ("directed", Gml::Scalar(Value::Number(directed))) => network.directed = directed != 0.0,
            ("node", Gml::List(node)) => {
                let id = node.iter().find(|(key, _)| key == "id");
                let Some((_, Gml::Scalar(id))) = id else { return Err("a node has no `id`".into()) };
                let id = id.text();
                if network.find(&id).is_some() {
                    return Err(format!("two nodes have the id `{id}`"));
                }
                let number = network.node(&id);
                let is_list = |own: &&(String, Gml)| matches!(own.1, Gml::List(_)) && own.0 != "graphics";
                network.unread.extend(node.iter().filter(is_list).map(|own| own.0.clone()));
                for (key, value) in merged(node) {
                    if key != "id" {
                        network.attribute(number, &key, value);
                    }
                }
            }
            ("edge", Gml::List(edge)) => edges.push(edge),
            _ => {}
        }
    }
    for edge in edges {
        let mut ends = [None; 2];
        for (key, value) in edge {
            match (key.as_str(), value) {
                ("source" | "target", Gml::Scalar(id)) => {
                    let id = id.text();
                    let node =
                        network.find(&id).ok_or_else(|| format!("node `{id}` of an edge does not exist"))?;
                    ends[usize::from(key == "target")] = Some(node);
                }
                (_, value) => {
                    let number =
                        if let Gml::Scalar(Value::Number(number)) = value { Some(number) } else { None };
                    network.edge_attribute(network.edge_count(), &key, number);
                }
            }
        }
        let [Some(i), Some(j)] = ends else { return Err("an edge has no `source` and `target`".into()) };
        network.edge(i, j);
    }
    network.rename_by("label");
    Ok(network)
}

/// The values of a node. A key that is repeated with numbers is a vector, as networkx writes lists; it marks
/// lists of one value with another one.
fn merged(node: Vec<(String, Gml)>) -> Vec<(String, Value)> {
    const MARK: &str = "_networkx_list_start";
    let mut found: Vec<(String, Value)> = Vec::new();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut marked = HashSet::new();
    for (key, value) in node {
        let Gml::Scalar(value) = value else { continue };
        if value == Value::Text(MARK.into()) {
            marked.insert(key);
            continue;
        }
        let value = match value {
            Value::Number(number) if marked.contains(&key) => Value::Numbers(vec![number]),
            other => other,
        };
        match (places.get(&key).map(|&at| &mut found[at].1), value) {
            (Some(Value::Numbers(all)), Value::Numbers(more)) => all.extend(more),
            (Some(Value::Numbers(all)), Value::Number(more)) => all.push(more),
            (Some(own @ Value::Number(_)), Value::Number(more)) => {
                let Value::Number(first) = *own else { unreachable!("it is a number") };
                *own = Value::Numbers(vec![first, more]);
            }
            // Refused later: a node has one value of an attribute.
            (_, value) => {
                places.entry(key.clone()).or_insert(found.len());
                found.push((key, value));
            }
        }
    }
    found
}

enum Token<'a> {
    Word(&'a str),
    Text(&'a str),
    Open,
    Close,
}

struct Tokens<'a> {
    text: &'a str,
    line: usize,
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            let trimmed = self.text.trim_start();
            self.skip(self.text.len() - trimmed.len());
            if !self.text.starts_with('#') {
                break;
            }
            self.skip(self.text.find('\n').unwrap_or(self.text.len()));
        }
        let first = self.text.chars().next()?;
        match first {
            '[' | ']' => {
                self.skip(1);
                Some(if first == '[' { Token::Open } else { Token::Close })
            }
            '"' => {
                let inside = &self.text[1..];
                let end = inside.find('"').unwrap_or(inside.len());
                self.skip((end + 2).min(self.text.len()));
                Some(Token::Text(&inside[..end]))
            }
            _ => {
                let stop = |c: char| c.is_whitespace() || ['[', ']', '"'].contains(&c);
                let end = self.text.find(stop).unwrap_or(self.text.len());
                let word = &self.text[..end];
                self.skip(end);
                Some(Token::Word(word))
            }
        }
    }
}

impl Tokens<'_> {
    fn skip(&mut self, bytes: usize) {
        let (before, after) = self.text.split_at(bytes);
        self.line += before.bytes().filter(|&byte| byte == b'\n').count();
        self.text = after;
    }
}

/// The keys and values up to the end of a list, or of the text.
fn list(tokens: &mut Tokens<'_>, depth: usize) -> std::result::Result<Vec<(String, Gml)>, String> {
    if depth > DEEPEST {
        return Err(format!("lists are nested deeper than {DEEPEST}"));
    }
    let mut entries = Vec::new();
    loop {
        let key = match tokens.next() {
            None if depth == 0 => return Ok(entries),
            None => return Err("`]` is missing".into()),
            Some(Token::Close) if depth > 0 => return Ok(entries),
            Some(Token::Word(key)) => key.to_string(),
            Some(_) => return Err("a key was expected".into()),
        };
        let value = match tokens.next() {
            Some(Token::Open) => Gml::List(list(tokens, depth + 1)?),
            Some(Token::Text(text)) => Gml::Scalar(Value::Text(decoded(text))),
            Some(Token::Word(word)) => {
                let number = word.parse::<f64>().ok();
                Gml::Scalar(number.map_or_else(|| Value::Text(word.into()), Value::Number))
            }
            Some(Token::Close) | None => return Err(format!("`{key}` has no value")),
        };
        entries.push((key, value));
    }
}
