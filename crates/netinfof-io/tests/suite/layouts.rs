//! The layouts of other programs: the same small graph in each of them.

use std::io::Write as _;
use std::path::Path;

use netinfof::{Exec, Features, Graph, Seed};
use netinfof_io::load::{self, Format, LoadParams};
use netinfof_io::parquet::{Column, Kind, Writer};

use crate::folder::Folder;

fn read(path: &Path) -> Result<(Graph, String), String> {
    let exec = Exec::new(1).unwrap();
    let graph = load::graph(path.to_str().unwrap(), &LoadParams::default(), Seed(0), &exec);
    Ok((graph.map_err(|e| e.to_string())?, exec.notices().join("\n")))
}

fn refused(path: &Path, words: &[&str]) {
    let error = read(path).map(|(graph, _)| (graph.nodes(), graph.edge_count())).unwrap_err();
    assert!(words.iter().all(|word| error.contains(word)), "{words:?}: {error}");
    assert_eq!(error.lines().count(), 1, "{error}");
}

/// Four people in a ring with ages and classes.
fn check(path: &Path, format: &str) {
    let (graph, _) = read(path).unwrap();
    assert_eq!(graph.ids().unwrap(), ["ann", "bob", "cyd", "dan"], "{format}");
    assert_eq!(graph.edges(), [[0, 1], [0, 3], [1, 2], [2, 3]], "{format}");
    let Features::Dense(x) = graph.features() else { panic!("{format}: {:?}", graph.features()) };
    assert_eq!(x.as_slice(), &[30.5, 41.0, 7.0, 8.0], "{format}");
    assert_eq!(graph.labels().unwrap(), [1, 0, 1, 0], "{format}");
    let schema = graph.schema().unwrap();
    assert_eq!((&schema.format[..], &schema.columns[0].name[..]), (format, "age"));
    assert_eq!(schema.label.as_deref(), Some("class"), "{format}");
}

const NODE_LINK: &str = r#"{"directed": false, "multigraph": false, "graph": {},
 "nodes": [{"id": "ann", "age": 30.5, "class": "b"}, {"id": "bob", "age": 41, "class": "a"},
           {"id": "cyd", "age": 7, "class": "b"}, {"id": "dan", "age": 8, "class": "a"}],
 "links": [{"source": "ann", "target": "bob", "weight": 2}, {"source": "bob", "target": "cyd"},
           {"source": "cyd", "target": "dan"}, {"source": "dan", "target": "ann"}]}"#;

const GRAPHML: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="d0" for="node" attr.name="age" attr.type="double"/>
  <key id="d1" for="node" attr.name="class" attr.type="string"><default>a</default></key>
  <key id="d2" for="edge" attr.name="weight" attr.type="double"/>
  <graph edgedefault="undirected">
    <node id="ann"><data key="d0">30.5</data><data key="d1">b</data></node>
    <node id="bob"><data key="d0">41</data></node>
    <node id="cyd"><data key="d0">7</data><data key="d1">b</data></node>
    <node id="dan"><data key="d0">8</data></node>
    <edge source="ann" target="bob"><data key="d2">2</data></edge>
    <edge source="bob" target="cyd"/><edge source="cyd" target="dan"/>
    <edge source="dan" target="ann"/>
  </graph>
</graphml>"#;

const GML: &str = r#"Creator "someone"
graph [
  directed 0
  node [ id 10 label "ann" age 30.5 class "b" graphics [ x 1.0 y 2.0 ] ]
  node [ id 11 label "bob" age 41 class "a" ]
  node [ id 12 label "cyd" age 7 class "b" ]
  node [ id 13 label "dan" age 8 class "a" ]
  edge [ source 10 target 11 value 2 ]
  edge [ source 11 target 12 ]
  edge [ source 12 target 13 ]
  edge [ source 13 target 10 ]
]
"#;

#[test]
fn formats_of_other_programs() {
    let folder = Folder::new("programs");
    check(&folder.file("a.json", NODE_LINK), "node-link JSON");
    check(&folder.file("a.graphml", GRAPHML), "GraphML");
    check(&folder.file("a.gml", GML), "GML");
    for (text, format) in [(NODE_LINK, "a"), (GRAPHML, "b"), (GML, "c")] {
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gz.write_all(text.as_bytes()).unwrap();
        let (graph, notices) = read(&folder.file(format, gz.finish().unwrap())).unwrap();
        assert_eq!(graph.edge_count(), 4);
        assert!(notices.contains("of edges is not used"), "{notices}");
    }
    let pajek = "*Vertices 4\n1 \"ann\" 0.1 0.2\n2 \"bob\"\n3 cyd\n4 \"dan\"\n*Arcs\n1 2 1\n*Edges\n2 3\n*Edgeslist\n4 1 3\n";
    let (graph, notices) = read(&folder.file("a.net", pajek)).unwrap();
    assert_eq!(graph.ids().unwrap(), ["ann", "bob", "cyd", "dan"]);
    assert_eq!(graph.edges(), [[0, 1], [0, 3], [1, 2], [2, 3]]);
    assert!(notices.contains("`directions`"), "{notices}");
    let (graph, _) = read(&folder.file("b.net", "*Vertices 3\n*Matrix\n0 1 0\n1 0 2\n0 2 0\n")).unwrap();
    assert_eq!(graph.edges(), [[0, 1], [1, 2]]);
}

#[test]
fn further_kinds_of_json() {
    let folder = Folder::new("json");
    let (graph, _) = read(&folder.file("pairs.json", "[[0, 1], [1, 2], [9007199254740993, 0]]")).unwrap();
    assert_eq!((graph.nodes(), graph.edge_count()), (4, 3));
    assert_eq!(graph.ids().unwrap()[3], "9007199254740993");
    // Links of D3 are positions; networkx has lists of neighbours; vectors are several features.
    let d3 = r#"{"nodes": [{"name": "x", "v": [1, 2]}, {"name": "y", "v": [3, 4]}], "links": [{"source": 0, "target": 1}]}"#;
    let (graph, _) = read(&folder.file("d3.json", d3)).unwrap();
    assert_eq!((graph.ids().unwrap(), graph.features().cols()), (&["x".to_string(), "y".into()][..], 2));
    let adjacency = r#"{"directed": true, "nodes": [{"id": 5}, {"id": 6}], "adjacency": [[{"id": 6}], []]}"#;
    assert_eq!(read(&folder.file("adj.json", adjacency)).unwrap().0.edge_count(), 1);
    let cytoscape = r#"{"elements": {"nodes": [{"data": {"id": "a"}}, {"data": {"id": "b"}}], "edges": [{"data": {"source": "a", "target": "b"}}]}}"#;
    assert_eq!(read(&folder.file("cy.json", cytoscape)).unwrap().0.edge_count(), 1);
    // Features are no graph, and neither is anything else.
    refused(&folder.file("f.json", r#"{"0": [1, 2], "1": [2, 3]}"#), &["node features in JSON", "`nodes`"]);
    refused(&folder.file("g.json", r#"{"a": 1}"#), &["JSON"]);
    refused(
        &folder.file("h.json", r#"{"nodes": [{"id": 1}], "links": [{"source": 1, "target": 7}]}"#),
        &["`7`"],
    );
    refused(
        &folder.file("i.json", r#"{"nodes": [{"id": 1}, {"id": 1}], "links": []}"#),
        &["two nodes have the id `1`"],
    );
}

#[test]
fn adjacency_matrices_and_lists_of_neighbours() {
    let folder = Folder::new("dense");
    let (graph, _) = read(&folder.file("a.csv", "0,1,0,1\n1,0,1,0\n0,1,0,1\n1,0,1,0\n")).unwrap();
    assert_eq!(graph.edges(), [[0, 1], [0, 3], [1, 2], [2, 3]]);
    let named = ",ann,bob,cyd,dan\nann,0,0.5,0,1\nbob,0,0,1,0\ncyd,0,1,0,1\ndan,1,0,1,0\n";
    let (graph, notices) = read(&folder.file("b.csv", named)).unwrap();
    assert_eq!((graph.ids().unwrap()[1].as_str(), graph.edge_count()), ("bob", 4));
    assert!(notices.contains("values and directions of the matrix are not used"), "{notices}");
    // Three rows of three columns may be edges.
    refused(&folder.file("d.txt", "0 1 1\n1 0 1\n1 1 0\n"), &["`adjacency-matrix`", "`edges`"]);
    // Every neighbour is listed back: one kind of nodes.
    let lists = "0 1 2 3\n1 0 2\n2 0 1\n3 0\n";
    let (graph, notices) = read(&folder.file("e.txt", lists)).unwrap();
    assert_eq!(graph.edges(), [[0, 1], [0, 2], [0, 3], [1, 2]]);
    assert!(notices.contains("a node and its neighbours"), "{notices}");
    // Users and items: user 1 and item 1 are not one node.
    let items = folder.file("f.txt", "0 7 1 2\n1 5 7\n2 1 9 4 6\n");
    refused(&items, &["users and items", "`neighbours`"]);
    let exec = Exec::new(1).unwrap();
    let mut params = LoadParams::default();
    params.format = Some(Format::Neighbours);
    let graph = load::graph(items.to_str().unwrap(), &params, Seed(0), &exec).unwrap();
    assert_eq!((graph.nodes(), graph.edge_count()), (8, 9));
}

#[test]
fn tables_in_archives_and_in_parts() {
    let folder = Folder::new("archives");
    for (name, method) in
        [("a.zip", zip::CompressionMethod::Deflated), ("b.zip", zip::CompressionMethod::Stored)]
    {
        let mut archive = zip::ZipWriter::new(std::fs::File::create(folder.0.join(name)).unwrap());
        let options = zip::write::SimpleFileOptions::default().compression_method(method);
        archive.start_file("data/edges.csv", options).unwrap();
        archive.write_all(b"source,target\nann,bob\nbob,cyd\n").unwrap();
        archive.finish().unwrap();
        assert_eq!(read(&folder.0.join(name)).unwrap().0.edge_count(), 2, "{name}");
    }
    let parts = folder.0.join("parts");
    std::fs::create_dir_all(&parts).unwrap();
    for (at, ends) in [[0i64, 1], [1, 2], [2, 3]].into_iter().enumerate() {
        let file = std::fs::File::create(parts.join(format!("part-{at}.parquet"))).unwrap();
        let mut table = Writer::new(file, &[("source", Kind::Int), ("target", Kind::Int)]).unwrap();
        table.write(&[Column::Int(vec![ends[0]]), Column::Int(vec![ends[1]])]).unwrap();
        table.finish().unwrap();
    }
    std::fs::write(parts.join("_SUCCESS"), "").unwrap();
    for source in [parts.clone(), parts.join("part-*.parquet")] {
        let (graph, _) = read(&source).unwrap();
        assert_eq!(graph.edges(), [[0, 1], [1, 2], [2, 3]], "{}", source.display());
    }
    refused(&parts.join("other-*.parquet"), &["no such file"]);
    let mut table =
        Writer::new(std::fs::File::create(parts.join("part-9.parquet")).unwrap(), &[("x", Kind::Int)])
            .unwrap();
    table.write(&[Column::Int(vec![1])]).unwrap();
    table.finish().unwrap();
    refused(&parts, &["other columns"]);
}

#[test]
fn pickled_arrays_are_named() {
    let folder = Folder::new("pickled");
    let path = folder.0.join("g.npz");
    let mut archive = zip::ZipWriter::new(std::fs::File::create(&path).unwrap());
    archive.start_file("graph.npy", zip::write::SimpleFileOptions::default()).unwrap();
    let header = "{'descr': '|O', 'fortran_order': False, 'shape': (), }\n";
    archive.write_all(b"\x93NUMPY\x01\x00").unwrap();
    archive.write_all(&u16::try_from(header.len()).unwrap().to_le_bytes()).unwrap();
    archive.write_all(header.as_bytes()).unwrap();
    archive.write_all(b"\x80\x04N.").unwrap();
    archive.finish().unwrap();
    refused(&path, &["pickled Python objects", "`graph`"]);
}

fn pickled(arrays: &[(&str, Vec<usize>, Vec<i64>)]) -> Vec<u8> {
    let mut p = b"\x80\x02}(".to_vec();
    let text = |p: &mut Vec<u8>, text: &str| {
        p.push(b'X');
        p.extend((text.len() as u32).to_le_bytes());
        p.extend(text.as_bytes());
    };
    for (key, shape, values) in arrays {
        text(&mut p, key);
        p.extend(b"cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85U\x01b\x87R(K\x01");
        for &n in shape {
            p.extend([b'K', n as u8]);
        }
        p.push(if shape.len() == 1 { 0x85 } else { 0x86 });
        p.extend(b"cnumpy\ndtype\nU\x02i8K\x00K\x01\x87R(K\x03U\x01<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb\x89T");
        p.extend((8 * values.len() as u32).to_le_bytes());
        for v in values {
            p.extend(v.to_le_bytes());
        }
        p.extend(b"tb");
    }
    // As an old file of Torch: a magic number, a version, facts about the machine, the object, keys of storages.
    [&b"\x80\x02K\x01.\x80\x02K\x01.\x80\x02}."[..], &p, b"u.\x80\x02]."].concat()
}

/// The files of ogbl-ppa, ogbl-citation2 and ogbn-products, with few nodes: one of them without edges, a duplicate in
/// the reverse direction.
#[test]
fn folders_of_ogb_have_splits_by_their_names() {
    let folder = Folder::new("ogb");
    let gz = |bytes: &[u8]| {
        let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        out.write_all(bytes).unwrap();
        out.finish().unwrap()
    };
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    };
    for (name, edges) in
        [("ppa", "0,1\n1,0\n1,2\n0,3\n"), ("citation2", "1,0\n2,1\n3,0\n"), ("products", "0,1\n1,2\n0,3\n")]
    {
        write(&format!("{name}/raw/edge.csv.gz"), &gz(edges.as_bytes()));
        write(&format!("{name}/raw/num-node-list.csv.gz"), &gz(b"6\n"));
        write(&format!("{name}/raw/num-edge-list.csv.gz"), &gz(b"3\n"));
    }
    write("ppa/raw/node-feat.csv.gz", &gz("1,0\n0,1\n1,0\n1,0\n0,1\n0,1\n".as_bytes()));
    write("citation2/raw/node_year.csv.gz", &gz("2001\n2002\n2003\n2004\n2005\n2006\n".as_bytes()));
    write("products/raw/node-label.csv.gz", &gz("0\n1\n2\n1\n0\n0\n".as_bytes()));
    let graph = |name: &str| {
        let (graph, _) = read(&folder.0.join(name)).unwrap();
        assert_eq!((graph.nodes(), graph.edges()), (6, vec![[0, 1], [0, 3], [1, 2]]), "{name}");
        graph
    };
    let edges = |key, pairs: &[i64]| (key, vec![pairs.len() / 2, 2], pairs.to_vec());
    for part in ["train", "valid", "test"] {
        write(
            &format!("ppa/split/throughput/{part}.pt"),
            &pickled(&[edges("edge", &[0, 4, 1, 2]), edges("edge_neg", &[3, 4])]),
        );
        let ends = |key, ids: &[i64]| (key, vec![ids.len()], ids.to_vec());
        let mut of_citations = vec![ends("source_node", &[1, 2]), ends("target_node", &[0, 1])];
        if part != "train" {
            of_citations.push(("target_node_neg", vec![2, 3], vec![4, 5, 3, 3, 5, 4]));
        }
        write(&format!("citation2/split/time/{part}.pt"), &pickled(&of_citations));
        write(&format!("products/split/sales_ranking/{part}.csv.gz"), &gz(b"3\n1\n"));
    }
    let ppa = load::link_split(&folder.0.join("ppa"), &graph("ppa")).unwrap();
    assert_eq!((ppa.train, ppa.valid.negatives), (vec![[0, 4], [1, 2]], vec![[3, 4]]));
    let citations = load::link_split(&folder.0.join("citation2"), &graph("citation2")).unwrap();
    assert_eq!(citations.test.positives, [[1, 0], [2, 1]]);
    // The first of the three negatives of each edge.
    assert_eq!(citations.test.negatives, [[1, 4], [2, 3]]);
    assert_eq!(graph("products").labels().unwrap(), [0, 1, 2, 1, 0, 0]);
    let nodes = load::node_split(&folder.0.join("products")).unwrap();
    assert_eq!((nodes.train, nodes.test), (vec![3, 1], vec![3, 1]));
    write("products/raw/edge.csv.gz", &gz(b"0,1\n1,9\n"));
    refused(&folder.0.join("products"), &["edge.csv.gz:2:", "`9`"]);
}
