//! Files as others wrote them, where they are at hand: each gives the graph that its npz holds.

use std::path::{Path, PathBuf};

use netinfof::graph::load::{self, LoadParams};
use netinfof::{Exec, Features, Graph, Seed};

use crate::real::data;

fn load(path: &Path) -> Graph {
    let exec = Exec::new(1).unwrap();
    load::graph(path.to_str().unwrap(), &LoadParams::default(), Seed(0), &exec).unwrap()
}

/// Entries of the features, row by row, without zeros.
fn entries(graph: &Graph) -> Vec<(usize, u32, f32)> {
    let sparse = |row: usize| match graph.features() {
        Features::None => Vec::new(),
        Features::Dense(x) => (0..).zip(x.row(row)).map(|(col, &v)| (row, col, v)).collect(),
        Features::Sparse(x) => {
            let values = x.row_values(row);
            let value = |at: usize| values.map_or(1.0, |values| values[at]);
            x.row(row).iter().enumerate().map(|(at, &col)| (row, col, value(at))).collect()
        }
    };
    (0..graph.nodes()).flat_map(sparse).filter(|entry| entry.2 != 0.0).collect()
}

fn raw(test: &str) -> Option<(PathBuf, PathBuf)> {
    let folder = data(test)?;
    let raw = folder.join("raw");
    raw.is_dir().then_some((folder, raw))
}

#[test]
fn original_files_give_the_graphs_of_our_npz() {
    let Some((folder, raw)) = raw("original_files_give_the_graphs_of_our_npz") else { return };
    for (file, npz) in [
        ("planetoid/ind.cora.graph", "cora"),
        ("planetoid/ind.citeseer.graph", "citeseer"),
        ("geom-gcn/film", "actor"),
    ] {
        let (found, expected) = (load(&raw.join(file)), load(&folder.join(format!("{npz}.npz"))));
        assert_eq!(found.nodes(), expected.nodes(), "{file}");
        assert_eq!(found.edges(), expected.edges(), "{file}");
        assert_eq!(found.features().cols(), expected.features().cols(), "{file}");
        assert_eq!(entries(&found), entries(&expected), "{file}");
        assert_eq!(found.labels(), expected.labels(), "{file}");
    }
}

/// gnn-benchmark numbers the nodes of Cora in its own order: sizes, degrees and classes agree, whatever the order.
#[test]
fn the_same_graph_in_another_order() {
    let Some((folder, raw)) = raw("the_same_graph_in_another_order") else { return };
    let (found, expected) = (load(&raw.join("shchur/cora.npz")), load(&folder.join("cora.npz")));
    let degrees = |g: &Graph| {
        let mut degrees: Vec<usize> = (0..g.nodes()).map(|node| g.degree(node)).collect();
        degrees.sort_unstable();
        degrees
    };
    assert_eq!(degrees(&found), degrees(&expected));
    let sizes = |g: &Graph| {
        let mut sizes = vec![0; g.classes()];
        g.labels().unwrap().iter().for_each(|&label| sizes[label as usize] += 1);
        sizes.sort_unstable();
        sizes
    };
    assert_eq!(sizes(&found), sizes(&expected));
    assert_eq!(found.features().cols(), expected.features().cols());
    assert_eq!(entries(&found).len(), entries(&expected).len());
}

#[test]
fn linkx_and_ogb() {
    let Some((folder, raw)) = raw("linkx_and_ogb") else { return };
    let texas = load(&raw.join("linkx/texas.mat"));
    assert_eq!(
        (texas.nodes(), texas.edge_count(), texas.features().cols(), texas.classes()),
        (183, 279, 1703, 5)
    );
    let ddi = load(&raw.join("ogb/ogbl_ddi"));
    let split = load::link_split(&raw.join("ogb/ogbl_ddi"), &ddi).unwrap();
    let expected = load::link_split_npz(&folder.join("ogbl_ddi_split.npz")).unwrap();
    assert_eq!((ddi.nodes(), ddi.edge_count()), (4267, expected.train.len()));
    assert_eq!((split.valid, split.test), (expected.valid, expected.test));
    let sorted = |mut pairs: Vec<[u32; 2]>| {
        for pair in &mut pairs {
            pair.sort_unstable();
        }
        pairs.sort_unstable();
        pairs
    };
    assert_eq!(sorted(split.train), sorted(expected.train));
}
