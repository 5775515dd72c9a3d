//! Pajek networks: `*Vertices`, then `*Arcs`, `*Edges`, `*Arcslist`, `*Edgeslist` or `*Matrix`.

use std::path::Path;

use super::LoadParams;
use super::network::Network;
use crate::table::whole_text;
use netinfof::{Error, Exec, Graph, Result};

/// What the third numbers of edges are called.
const VALUES: &str = "values";

/// Whether a text begins like a Pajek network, perhaps after comments and `*Network`.
pub(super) fn is(start: &[u8]) -> bool {
    let text = String::from_utf8_lossy(start);
    let lines = text.trim_start_matches('\u{feff}').lines().map(|line| line.trim().to_lowercase());
    let mut lines =
        lines.filter(|line| !line.is_empty() && !line.starts_with('%') && !line.starts_with("*network"));
    lines.next().is_some_and(|line| line.starts_with("*vertices"))
}

/// What the lines of a section hold.
#[derive(Clone, Copy, PartialEq)]
enum Section {
    Vertices,
    Pairs,
    Lists,
    Matrix,
    Other,
}

pub(super) fn graph(path: &Path, name: &str, params: &LoadParams, exec: &Exec) -> Result<Graph> {
    // Older files are in Latin-1.
    let text = String::from_utf8(whole_text(path)?)
        .unwrap_or_else(|error| error.as_bytes().iter().map(|&byte| char::from(byte)).collect());
    exec.check()?;
    let mut network = Network::new("edges", params);
    let mut pajek = Reader { names: Vec::new(), count: 0, section: Section::Other, row: 0, sides: None };
    for (at, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('%') {
            continue;
        }
        pajek.line(line, &mut network).map_err(|what| Error::Parse {
            path: path.into(),
            line: at + 1,
            what,
        })?;
    }
    // Edges without a value have the value 1.
    network.default_weight(VALUES, 1.0);
    if let Some(sides) = pajek.sides {
        exec.notice(format!(
            "{name}: the file declares two sides, of {sides} and {} nodes; negatives are drawn from all pairs of nodes",
            network.len().saturating_sub(sides)
        ));
    }
    network.finish(path, name, "a Pajek network", params, exec)
}

struct Reader {
    /// Nodes by number, in the order of the file.
    names: Vec<u32>,
    /// The declared number of nodes.
    count: usize,
    section: Section,
    /// The row of a matrix.
    row: usize,
    /// Size of the first side of a two-mode network.
    sides: Option<usize>,
}

impl Reader {
    fn line(&mut self, line: &str, network: &mut Network) -> std::result::Result<(), String> {
        if line.starts_with('*') {
            return self.begin(line, network);
        }
        let cells: Vec<&str> = line.split_whitespace().collect();
        match self.section {
            Section::Other => Ok(()),
            Section::Vertices => self.vertex(line, network),
            Section::Pairs => {
                let [i, j, rest @ ..] = &cells[..] else { return Err("an edge needs two numbers".into()) };
                let (i, j) = (self.node(i)?, self.node(j)?);
                network.edge(i, j);
                if let Some(value) = rest.first().filter(|value| **value != "1" && **value != "1.0") {
                    network.edge_attribute(network.edge_count() - 1, VALUES, value.parse().ok());
                }
                Ok(())
            }
            Section::Lists => {
                let (first, rest) = cells.split_first().ok_or("a list of nodes is empty")?;
                let own = self.node(first)?;
                for other in rest {
                    let other = self.node(other)?;
                    network.edge(own, other);
                }
                Ok(())
            }
            Section::Matrix => {
                let size = self.names.len().max(self.count);
                if self.row >= size || cells.len() != size {
                    return Err(format!("{} values; a square of {size} was expected", cells.len()));
                }
                self.name_rest(network)?;
                for (col, cell) in cells.iter().enumerate() {
                    let value: f64 = cell.parse().map_err(|_| format!("`{cell}` is not a number"))?;
                    if value != 0.0 {
                        network.edge(self.names[self.row], self.names[col]);
                        if value != 1.0 {
                            network.edge_attribute(network.edge_count() - 1, VALUES, Some(value));
                        }
                    }
                }
                self.row += 1;
                Ok(())
            }
        }
    }

    fn begin(&mut self, line: &str, network: &mut Network) -> std::result::Result<(), String> {
        // Nodes may have no lines of their own. A file that declares more without any is damaged.
        const UNNAMED: usize = 1_000_000;
        // The rows of a matrix show how many there are.
        let is_matrix = line.get(..7).is_some_and(|word| word.eq_ignore_ascii_case("*matrix"));
        let is_likely = self.count <= UNNAMED.max(2 * self.names.len());
        if self.section == Section::Vertices && is_likely && !is_matrix {
            self.name_rest(network)?;
        }
        let mut words = line.split_whitespace();
        let word = words.next().unwrap_or_default().to_lowercase();
        self.section = match word.as_str() {
            "*vertices" => {
                if !self.names.is_empty() {
                    return Err("a second `*Vertices`; one network per file was expected".into());
                }
                let numbers: Vec<usize> = words.filter_map(|word| word.parse().ok()).collect();
                let count = *numbers.first().ok_or("`*Vertices` needs the number of nodes")?;
                self.count = count;
                self.sides = numbers.get(1).copied();
                Section::Vertices
            }
            "*arcs" => {
                network.directed = true;
                Section::Pairs
            }
            "*edges" => Section::Pairs,
            "*arcslist" => {
                network.directed = true;
                Section::Lists
            }
            "*edgeslist" => Section::Lists,
            "*matrix" => Section::Matrix,
            _ => Section::Other,
        };
        Ok(())
    }

    /// Adds the declared nodes without a line of their own, with their numbers as names.
    fn name_rest(&mut self, network: &mut Network) -> std::result::Result<(), String> {
        while self.names.len() < self.count {
            self.add(&(self.names.len() + 1).to_string(), network)?;
        }
        Ok(())
    }

    /// A line such as `3 "Ann" 0.5 0.5`: the place on a drawing is not used.
    fn vertex(&mut self, line: &str, network: &mut Network) -> std::result::Result<(), String> {
        let (number, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let expected = self.names.len() + 1;
        let number: usize = number.parse().map_err(|_| format!("`{number}` is not the number of a node"))?;
        if number < expected || number > self.count.min(expected + (1 << 20)) {
            return Err(format!("node {number}; {expected} was expected"));
        }
        // Nodes without a line of their own have their number as name.
        while self.names.len() + 1 < number {
            self.add(&(self.names.len() + 1).to_string(), network)?;
        }
        let rest = rest.trim();
        let label = match rest.strip_prefix('"') {
            Some(inside) => inside.split('"').next().unwrap_or_default(),
            None => rest.split_whitespace().next().unwrap_or_default(),
        };
        let own = number.to_string();
        self.add(if label.is_empty() { &own } else { label }, network)
    }

    fn add(&mut self, label: &str, network: &mut Network) -> std::result::Result<(), String> {
        if network.find(label).is_some() {
            // Labels of drawings may repeat; numbers do not.
            let label = format!("{label} ({})", self.names.len() + 1);
            if network.find(&label).is_some() {
                return Err(format!("two nodes have the name `{label}`"));
            }
            self.names.push(network.node(&label));
        } else {
            self.names.push(network.node(label));
        }
        Ok(())
    }

    fn node(&self, number: &str) -> std::result::Result<u32, String> {
        // A minus marks a removed arc in files with times.
        let at = number.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
        at.and_then(|at| self.names.get(at).copied())
            .ok_or_else(|| format!("`{number}` is not a node from 1 to {}", self.names.len()))
    }
}
