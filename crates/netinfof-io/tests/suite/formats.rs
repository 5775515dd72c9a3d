//! Published files, where they are available: each gives the graph that its npz holds.

use std::path::{Path, PathBuf};

use netinfof::{Exec, Features, Graph, Seed};
use netinfof_io::load::{self, Format, LoadParams, SplitFiles};
use netinfof_io::parquet::{Column, Kind, Writer};
use netinfof_io::save;

use crate::data::data;

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
    // Geom-GCN's own split of Cora: the nodes of its largest part, by masks.
    let sets = load::node_split(&raw.join("geom-gcn/cora_split_0.6_0.2_0.npz")).unwrap();
    assert_eq!((sets.train.len(), sets.valid.len(), sets.test.len()), (1192, 796, 497));
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

fn fresh(name: &str) -> PathBuf {
    let folder =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("formats-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn parquet(path: &Path, columns: &[(&str, Kind)], groups: &[Vec<Column>]) {
    let mut table = Writer::new(std::fs::File::create(path).unwrap(), columns).unwrap();
    for group in groups {
        table.write(group).unwrap();
    }
    table.finish().unwrap();
}

/// Tables hold the same graph in every kind of file, and in any mixture of them.
#[test]
fn tables_of_every_kind_agree() {
    let folder = fresh("kinds");
    let exec = Exec::new(2).unwrap();
    for source in ["synth:demo", "synth:global-diagonal?nodes=300&features=20"] {
        let graph = load::graph(source, &LoadParams::default(), Seed(1), &exec).unwrap();
        let kinds = ["csv", "csv.gz", "tsv.zst", "parquet"];
        for kind in kinds {
            save::edges(&graph, &folder.join(format!("e.{kind}"))).unwrap();
            save::nodes(&graph, &folder.join(format!("n.{kind}"))).unwrap();
        }
        for (edges, nodes) in kinds.iter().flat_map(|e| kinds.iter().map(move |n| (e, n))) {
            let params = LoadParams::default().nodes(folder.join(format!("n.{nodes}")));
            let path = folder.join(format!("e.{edges}"));
            let found = load::graph(path.to_str().unwrap(), &params, Seed(0), &exec).unwrap();
            assert_eq!(found.adjacency(), graph.adjacency(), "{edges} {nodes}");
            assert_eq!(found.features(), graph.features(), "{edges} {nodes}");
            assert_eq!(found.labels(), graph.labels(), "{edges} {nodes}");
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

/// Whole numbers go straight into the graph, whatever holds them and however many threads there are.
#[test]
fn numbers_are_the_same_for_any_number_of_threads() {
    let folder = fresh("threads");
    let mut state = 1u64;
    let mut draw = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // Gaps, repeats and self loops.
        (state >> 33) as i64 % 50_000 * 7
    };
    let pairs: Vec<[i64; 2]> = (0..300_000).map(|_| [draw(), draw()]).chain([[7, 7], [14, 14]]).collect();
    let text: String = pairs.iter().map(|[i, j]| format!("{i} {j}\n")).collect();
    std::fs::write(folder.join("g.txt"), text).unwrap();
    let columns = |pairs: &[[i64; 2]]| {
        let end = |at: usize| Column::Int(pairs.iter().map(|pair| pair[at]).collect());
        vec![Column::Float(vec![0.5; pairs.len()]), end(0), end(1)]
    };
    parquet(
        &folder.join("g.parquet"),
        &[("weight", Kind::Float), ("src", Kind::Int), ("dst", Kind::Int)],
        &pairs.chunks(70_001).map(columns).collect::<Vec<_>>(),
    );
    let mut first: Option<Graph> = None;
    for (file, threads) in [("g.txt", 1), ("g.txt", 2), ("g.txt", 5), ("g.parquet", 1), ("g.parquet", 3)] {
        let exec = Exec::new(threads).unwrap();
        let path = folder.join(file);
        let graph = load::graph(path.to_str().unwrap(), &LoadParams::default(), Seed(0), &exec).unwrap();
        let first = first.get_or_insert_with(|| graph.clone());
        assert_eq!(graph.adjacency(), first.adjacency(), "{file}, {threads} threads");
        assert_eq!((graph.ids(), graph.self_loops()), (first.ids(), first.self_loops()));
        assert_eq!(graph.duplicates(), first.duplicates());
        assert_eq!(exec.notices().iter().any(|notice| notice.contains("not used")), file == "g.parquet");
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn splits_in_parquet() {
    let folder = fresh("splits");
    std::fs::write(folder.join("g.csv"), "a,b\nb,c\nc,d\nd,a\n").unwrap();
    let graph = load(&folder.join("g.csv"));
    let text = |words: &str| Column::Text(words.split(' ').map(Into::into).collect());
    let ends = [("u", Kind::Text), ("v", Kind::Text)];
    let labelled = [ends[0], ends[1], ("label", Kind::Int)];
    parquet(&folder.join("train"), &ends, &[vec![text("a b"), text("b c")]]);
    parquet(&folder.join("valid"), &labelled, &[vec![text("c a"), text("d c"), Column::Int(vec![1, 0])]]);
    std::fs::write(folder.join("test"), zstd::encode_all(&b"d a 1\nb d 0\n"[..], 3).unwrap()).unwrap();
    let files = SplitFiles::new(folder.join("train"), folder.join("valid"), folder.join("test"));
    let pairs = load::link_split_files(&files, &graph, &Exec::new(1).unwrap()).unwrap();
    assert_eq!(pairs.train, [[0, 1], [1, 2]]);
    assert_eq!((&pairs.valid.positives[..], &pairs.valid.negatives[..]), (&[[2, 3]][..], &[[0, 2]][..]));
    assert_eq!((&pairs.test.positives[..], &pairs.test.negatives[..]), (&[[3, 0]][..], &[[1, 3]][..]));
    // Names of columns are never rows.
    parquet(&folder.join("train"), &ends, &[vec![text("x"), text("y")]]);
    let error = load::link_split_files(&files, &graph, &Exec::new(1).unwrap()).unwrap_err().to_string();
    assert!(error.contains("row 1: `x` is not a node"), "{error}");
    std::fs::remove_dir_all(&folder).unwrap();
}

/// What a Parquet file says of itself is not believed.
#[test]
fn claims_of_parquet_files() {
    let folder = fresh("claims");
    let file = folder.join("g.parquet");
    let said = |bytes: &[u8]| {
        std::fs::write(&file, bytes).unwrap();
        let mut params = LoadParams::default();
        params.format = Some(Format::Parquet);
        let exec = Exec::new(1).unwrap();
        load::graph(file.to_str().unwrap(), &params, Seed(0), &exec).unwrap_err().to_string()
    };
    let footer = |inside: &[u8]| {
        let length = u32::try_from(inside.len()).unwrap().to_le_bytes();
        [b"PAR1", inside, &length, b"PAR1"].concat()
    };
    assert!(said(b"0 1\n").contains("begin and end with PAR1"));
    assert!(said(b"PAR1").contains("description of itself"));
    assert!(said(b"PAR1\xff\xff\xff\x7fPAR1").contains("description of itself"));
    // A schema whose root has 2³⁰ children, and lists in lists.
    let children = b"\x15\x02\x19\x1c\x48\x01s\x15\x80\x80\x80\x80\x08\x00\x16\x00\x19\x0c\x00";
    assert!(said(&footer(children)).contains("description of itself"));
    assert!(said(&footer(&vec![0x19; 1 << 20])).contains("description of itself"));
    // A table whose pages end early.
    let columns = [("source", Kind::Int), ("target", Kind::Int)];
    parquet(&file, &columns, &[vec![Column::Int((0..999).collect()), Column::Int((1..1000).collect())]]);
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[8..200].fill(0xff);
    let error = said(&bytes);
    assert!(error.contains("damaged") || error.contains("not a readable"), "{error}");
    assert_eq!(error.lines().count(), 1, "{error}");
    std::fs::remove_dir_all(&folder).unwrap();
}
