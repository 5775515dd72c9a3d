//! Planetoid's eight pickles `ind.NAME.*`: rows of `allx` come first, row k of `tx` belongs to the k-th node
//! of `test.index`.

use std::path::Path;

use crate::pickle::{self, Id, Pickle};
use netinfof::graph::{Csr, Features, Graph, NodeId, Pair};
use netinfof::{Error, Result};

/// The graph of this `ind.NAME.graph`.
pub(super) fn graph(path: &Path) -> Result<Graph> {
    let part = |ending: &str| path.with_extension(ending);
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let name = name.trim_start_matches("ind.").trim_end_matches(".graph").to_string();
    let (known, known_labels) = (rows(&part("allx"))?, classes(&part("ally"))?);
    let (test, test_labels) = (rows(&part("tx"))?, classes(&part("ty"))?);
    let (order_path, order) = (part("test.index"), numbers(&part("test.index"))?);
    for (ending, rows, wanted) in [
        ("ally", known_labels.len(), known.rows()),
        ("ty", test_labels.len(), test.rows()),
        ("test.index", order.len(), test.rows()),
    ] {
        if rows != wanted {
            return Err(broken(&part(ending), format!("{rows} rows, but the features have {wanted}")));
        }
    }
    if known.cols() != test.cols() {
        return Err(broken(&part("tx"), format!("{} columns, but `allx` has {}", test.cols(), known.cols())));
    }
    let (neighbours, edges) = adjacency(path)?;
    let top = order.iter().max().map_or(0, |&top| top + 1);
    let nodes = neighbours.max(known.rows()).max(top);
    // Checked before memory is allocated for all nodes.
    if nodes > 1000 * (known.rows() + test.rows() + edges.len()) {
        return Err(broken(
            &order_path,
            format!("node {} in a graph of {} rows", nodes - 1, known.rows() + test.rows()),
        ));
    }
    // Nodes in neither file (CiteSeer has fifteen, all without edges) have no features and no label.
    let mut source: Vec<Option<(&Csr, usize)>> =
        (0..nodes).map(|node| (node < known.rows()).then_some((&known, node))).collect();
    let mut labels: Vec<i32> = (0..nodes).map(|node| known_labels.get(node).copied().unwrap_or(-1)).collect();
    for (row, &node) in order.iter().enumerate() {
        if node < known.rows() {
            return Err(broken(
                &order_path,
                format!("test node {node} is also one of the first {} nodes", known.rows()),
            ));
        }
        source[node] = Some((&test, row));
        labels[node] = test_labels[row];
    }
    let row = |source: &Option<(&Csr, usize)>| match source {
        Some((x, row)) => {
            let values = x.row_values(*row).map_or_else(|| vec![1.0; x.row(*row).len()], <[f32]>::to_vec);
            (x.row(*row).to_vec(), values)
        }
        None => (Vec::new(), Vec::new()),
    };
    let features = Csr::from_rows(known.cols(), source.iter().map(row));
    Graph::from_edges(name, nodes, &edges)?.with_features(Features::Sparse(features))?.with_labels(labels)
}

fn broken(path: &Path, what: String) -> Error {
    Error::Format { path: path.to_path_buf(), what }
}

fn open(path: &Path) -> Result<Pickle> {
    let bytes = std::fs::read(path).map_err(|e| Error::io(path, e))?;
    pickle::read(&bytes).map_err(|what| broken(path, format!("not a readable pickle: {what}")))
}

/// A sparse matrix of SciPy.
fn rows(path: &Path) -> Result<Csr> {
    let pickle = open(path)?;
    sparse(&pickle, pickle.root)
        .ok_or_else(|| broken(path, "a pickle, but not of a sparse matrix of SciPy".into()))?
}

fn sparse(pickle: &Pickle, id: Id) -> Option<Result<Csr>> {
    let (_, state) = pickle.made(id, "csr_matrix").or_else(|| pickle.made(id, "_reconstructor"))?;
    let entry = |key: &str| pickle.entry(state?, key);
    let shape = pickle.values(entry("_shape")?)?;
    let cols = usize::try_from(pickle.int(*shape.get(1)?)?).ok()?;
    let rows = usize::try_from(pickle.int(*shape.first()?)?).ok()?;
    let whole = |key: &str| pickle.array(entry(key)?)?.integers();
    let indptr: Vec<usize> =
        whole("indptr")?.into_iter().map(usize::try_from).collect::<std::result::Result<_, _>>().ok()?;
    let indices: Vec<u32> =
        whole("indices")?.into_iter().map(u32::try_from).collect::<std::result::Result<_, _>>().ok()?;
    let values = pickle.array(entry("data")?)?.floats()?;
    (indptr.len() == rows + 1).then(|| Csr::new(cols, indptr, indices, Some(values)))
}

/// Classes from one-hot rows; −1 for rows of zeros.
fn classes(path: &Path) -> Result<Vec<i32>> {
    let pickle = open(path)?;
    let array = pickle.array(pickle.root);
    let found = array.and_then(|array| {
        let [rows, cols] = array.shape[..] else { return None };
        let values = array.integers()?;
        let class = |row: &[i64]| row.iter().position(|&v| v != 0).map_or(-1, |class| class as i32);
        Some(if cols == 0 { vec![-1; rows] } else { values.chunks_exact(cols).map(class).collect() })
    });
    found.ok_or_else(|| broken(path, "a pickle, but not of a table of classes".into()))
}

/// The number of nodes that have a list of neighbours, and all edges.
fn adjacency(path: &Path) -> Result<(usize, Vec<Pair>)> {
    let pickle = open(path)?;
    let lists = pickle
        .items(pickle.root)
        .ok_or_else(|| broken(path, "a pickle, but not of lists of neighbours".into()))?;
    let node = |id: Id| {
        let number = pickle.int(id).and_then(|value| NodeId::try_from(value).ok());
        number.ok_or_else(|| broken(path, "a neighbour that is not a node number".into()))
    };
    let mut edges = Vec::new();
    let mut top = 0;
    for &(own, others) in lists {
        let own = node(own)?;
        let others = pickle
            .values(others)
            .ok_or_else(|| broken(path, format!("node {own} has no list of neighbours")))?;
        for &other in others {
            edges.push([own, node(other)?]);
        }
        top = top.max(own as usize + 1);
    }
    // A number far beyond the lists would create a huge graph of isolated nodes.
    let beyond = edges.iter().flatten().find(|&&end| end as usize >= 16 * (lists.len() + 1));
    if let Some(end) = beyond {
        return Err(broken(path, format!("node {end} in a graph of {} lists", lists.len())));
    }
    Ok((edges.iter().flatten().map(|&end| end as usize + 1).max().unwrap_or(0).max(top), edges))
}

fn numbers(path: &Path) -> Result<Vec<usize>> {
    let text = std::fs::read_to_string(path).map_err(|e| Error::io(path, e))?;
    let number = |(at, line): (usize, &str)| {
        let what = || format!("`{}` is not a node number", line.trim());
        line.trim().parse::<u32>().map(|v| v as usize).map_err(|_| Error::Parse {
            path: path.to_path_buf(),
            line: at + 1,
            what: what(),
        })
    };
    text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).map(number).collect()
}
