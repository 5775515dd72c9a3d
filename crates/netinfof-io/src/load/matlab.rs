//! Graphs in MATLAB files: those of LINKX (`edge_index`, `node_feat`, `label`), Facebook 100 (`A`,
//! `local_info`) and fraud graphs (`homo`, `features`, `label`).

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::Path;

use super::arrays::unused;
use super::layout::UNUSED;
use crate::mat::{self, Variable};
use crate::whole::{self, EXACT_DOUBLE};
use netinfof::Exec;
use netinfof::Matrix;
use netinfof::graph::{Csr, Features, Graph, NodeId, Pair};
use netinfof::{Error, Result};

/// The graph in this file.
pub(super) fn graph(path: &Path, name: &str, exec: &Exec) -> Result<Graph> {
    from_variables(name, &mat::read(path)?, exec).map_err(|fault| match fault {
        Fault::What(what) => Error::Format { path: path.into(), what },
        Fault::Error(error) => error,
    })
}

/// The graph of these variables; a notice names those that are not used.
fn from_variables(
    name: &str,
    variables: &BTreeMap<String, Variable>,
    exec: &Exec,
) -> std::result::Result<Graph, Fault> {
    let used = RefCell::new(Vec::new());
    let get = |names: &[&'static str]| {
        let name = names.iter().copied().find(|name| variables.contains_key(*name))?;
        used.borrow_mut().push(name);
        Some((name, &variables[name]))
    };
    let graph = read(name, variables, &get, exec)?;
    let names: Vec<String> = variables.keys().cloned().collect();
    unused(&names, &used.borrow(), name, &super::LoadParams::default(), exec);
    Ok(graph)
}

enum Fault {
    What(String),
    Error(Error),
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Fault::Error(error)
    }
}

impl From<String> for Fault {
    fn from(what: String) -> Self {
        Fault::What(what)
    }
}

fn read<'a>(
    name: &str,
    variables: &BTreeMap<String, Variable>,
    named: &impl Fn(&[&'static str]) -> Option<(&'static str, &'a Variable)>,
    exec: &Exec,
) -> std::result::Result<Graph, Fault> {
    let get = |names: &[&'static str]| named(names).map(|(_, variable)| variable);
    if let Some((own, adjacency)) = named(&["A", "homo", "adj", "Problem"]) {
        let (nodes, edges) = entries(adjacency)?;
        let (Variable::Dense { values, .. } | Variable::Sparse { values, .. }) = adjacency;
        if values.iter().any(|&value| value != 0.0 && value != 1.0) {
            exec.notice(format!("{name}: the values of `{own}` are not used: {UNUSED}"));
        }
        let graph = Graph::from_edges(name, nodes, &edges)?;
        if let Some(info) = get(&["local_info"]) {
            return facebook(graph, info);
        }
        return with_nodes(graph, get(&["features", "node_feat", "X"]), get(&["label", "labels", "y", "Y"]));
    }
    let Some(Variable::Dense { rows, cols, values }) = get(&["edge_index"]) else {
        let names: Vec<String> = variables.keys().cloned().collect();
        return Err(format!("no `edge_index` and no `A`; the file holds {}", super::list(&names)).into());
    };
    let id = |&value: &f64| {
        let id = whole::id(value, EXACT_DOUBLE).map_err(|why| format!("`edge_index`: {value} {why}"))?;
        let beyond = |_| format!("`edge_index`: {value} does not fit in 32 bits");
        NodeId::try_from(id).map_err(beyond)
    };
    let ids: Vec<NodeId> = values.iter().map(id).collect::<std::result::Result<_, _>>()?;
    // Column by column: 2 × m has the ends of an edge side by side.
    let edges: Vec<Pair> = match (rows, cols) {
        (2, _) => ids.chunks_exact(2).map(|pair| [pair[0], pair[1]]).collect(),
        (m, 2) => (0..*m).map(|at| [ids[at], ids[m + at]]).collect(),
        _ => return Err(format!("`edge_index` is {rows} × {cols}; 2 × edges was expected").into()),
    };
    let features = get(&["node_feat", "features"]);
    let height = features.map_or(0, |features| match features {
        Variable::Dense { rows, .. } | Variable::Sparse { rows, .. } => *rows,
    });
    let stated = match get(&["num_nodes"]) {
        Some(Variable::Dense { values, .. }) => {
            let value = values.first().copied().unwrap_or(0.0);
            let count =
                whole::id(value, EXACT_DOUBLE).map_err(|why| format!("`num_nodes`: {value} {why}"))?;
            usize::try_from(count).map_err(|_| format!("`num_nodes` is {count}"))?
        }
        _ => 0,
    };
    let top = edges.iter().flatten().max().map_or(0, |&top| top as usize + 1);
    let nodes = if stated.max(height) == 0 { top } else { stated.max(height) };
    with_nodes(Graph::from_edges(name, nodes, &edges)?, features, get(&["label", "labels", "y"]))
}

/// The positions of the nonzero entries of an adjacency matrix.
fn entries(matrix: &Variable) -> std::result::Result<(usize, Vec<Pair>), String> {
    let mut edges = Vec::new();
    let (rows, cols) = match matrix {
        Variable::Sparse { rows, starts, indices, values } => {
            for (col, ends) in starts.windows(2).enumerate() {
                let own = indices[ends[0]..ends[1]].iter().zip(&values[ends[0]..ends[1]]);
                edges.extend(own.filter(|(_, v)| **v != 0.0).map(|(&row, _)| [row, col as NodeId]));
            }
            (*rows, starts.len() - 1)
        }
        Variable::Dense { rows, cols, values } => {
            let place = |at: usize| [(at % rows) as NodeId, (at / rows) as NodeId];
            edges.extend(values.iter().enumerate().filter(|(_, v)| **v != 0.0).map(|(at, _)| place(at)));
            (*rows, *cols)
        }
    };
    if rows != cols {
        return Err(format!("the adjacency matrix is {rows} × {cols}, not square"));
    }
    Ok((rows, edges))
}

fn with_nodes(
    mut graph: Graph,
    features: Option<&Variable>,
    labels: Option<&Variable>,
) -> std::result::Result<Graph, Fault> {
    if let Some(features) = features {
        graph = graph.with_features(match features {
            Variable::Dense { rows, cols, values } => {
                Features::from_dense(Matrix::from_fn(*rows, *cols, |row, col| {
                    values[col * rows + row] as f32
                }))
            }
            Variable::Sparse { rows, starts, indices, values } => {
                let values = values.iter().map(|&v| v as f32).collect();
                Features::Sparse(Csr::new(*rows, starts.clone(), indices.clone(), Some(values))?.transpose())
            }
        })?;
    }
    if let Some(Variable::Dense { values, .. }) = labels {
        let label = |&v: &f64| if v.is_nan() || v < 0.0 { -1 } else { v as i32 };
        graph = graph.with_labels(values.iter().map(label).collect())?;
    }
    Ok(graph)
}

/// Facebook 100: of the seven facts about a person the second is the class, where 0 means unknown, and the
/// others are features, with one column per value.
fn facebook(graph: Graph, info: &Variable) -> std::result::Result<Graph, Fault> {
    const GENDER: usize = 1;
    let Variable::Dense { rows, cols, values } = info else {
        return Err("`local_info` is sparse; a table of facts was expected".to_string().into());
    };
    if *cols <= GENDER {
        return Err(format!("`local_info` has {cols} columns; seven were expected").into());
    }
    let column = |col: usize| &values[col * rows..(col + 1) * rows];
    let mut places: Vec<Vec<u32>> = vec![Vec::new(); *rows];
    let mut width = 0u32;
    for col in (0..*cols).filter(|&col| col != GENDER) {
        let mut distinct: Vec<f64> = column(col).to_vec();
        distinct.sort_unstable_by(f64::total_cmp);
        distinct.dedup();
        for (row, value) in column(col).iter().enumerate() {
            let at = distinct.partition_point(|other| other.total_cmp(value).is_lt());
            places[row].push(width + at as u32);
        }
        width += distinct.len() as u32;
    }
    let ones = places.into_iter().map(|own| {
        let ones = vec![1.0; own.len()];
        (own, ones)
    });
    let features = Features::Sparse(Csr::from_rows(width as usize, ones));
    let labels = column(GENDER).iter().map(|&v| v as i32 - 1).collect();
    Ok(graph.with_features(features)?.with_labels(labels)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_whole_and_unused_variables_are_said() {
        let exec = Exec::new(1).unwrap();
        let read = |variables: &[(&str, usize, &[f64])]| {
            let variable = |&(name, rows, values): &(&str, usize, &[f64])| {
                let cols = values.len() / rows;
                (name.to_string(), Variable::Dense { rows, cols, values: values.to_vec() })
            };
            from_variables("g", &variables.iter().map(variable).collect(), &exec)
                .map(|graph| (graph.nodes(), graph.edge_count()))
                .map_err(|fault| match fault {
                    Fault::What(what) => what,
                    Fault::Error(error) => error.to_string(),
                })
        };
        let edges = ("edge_index", 2, &[0.0, 1.0, 1.0, 2.0][..]);
        assert_eq!(read(&[edges]), Ok((3, 2)));
        assert!(exec.notices().is_empty());
        assert_eq!(read(&[edges, ("edge_weight", 1, &[0.5, 2.0])]), Ok((3, 2)));
        assert_eq!(read(&[("A", 2, &[0.0, 0.5, 0.5, 0.0])]), Ok((2, 1)));
        let treated = "the graph is treated as undirected and unweighted";
        assert_eq!(
            exec.notices(),
            [
                format!(
                    "g: `edge_weight` is in the file and not used: {treated}; give `edge_weight` as `weight` to use it"
                ),
                format!("g: the values of `A` are not used: {treated}"),
            ]
        );
        for (variables, why) in [
            (&[("edge_index", 2, &[0.0, 1.5][..])][..], "`edge_index`: 1.5 is not a whole number"),
            (&[("edge_index", 2, &[0.0, -1.0])], "`edge_index`: -1 is negative"),
            (&[("edge_index", 2, &[0.0, 5e9])], "`edge_index`: 5000000000 does not fit in 32 bits"),
            (&[edges, ("num_nodes", 1, &[3.5])], "`num_nodes`: 3.5 is not a whole number"),
        ] {
            assert_eq!(read(variables), Err(why.into()));
        }
    }
}
