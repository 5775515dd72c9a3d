//! What is read is what the file says: exact ids, no header among the edges, nothing that is no graph, and a notice for what is not used.

use std::io::Write as _;
use std::path::Path;

use netinfof::{Exec, Graph, Seed};
use netinfof_io::load::{self, LoadParams, SplitFiles};
use netinfof_io::parquet::{Column, Kind, Writer};

use crate::data::data;
use crate::folder::Folder;

/// The graph in a file and the notices, or the error in one line.
fn read_with(path: &Path, params: &LoadParams) -> Result<(Graph, Vec<String>), String> {
    let exec = Exec::new(1).unwrap();
    let graph = load::graph(path.to_str().unwrap(), params, Seed(0), &exec).map_err(|e| e.to_string())?;
    Ok((graph, exec.notices()))
}

fn read(path: &Path) -> Result<(Graph, Vec<String>), String> {
    read_with(path, &LoadParams::default())
}

fn size(path: &Path) -> (usize, usize) {
    let (graph, _) = read(path).unwrap();
    (graph.nodes(), graph.edge_count())
}

fn refused(path: &Path, words: &[&str]) {
    let error = read(path).map(|(graph, _)| (graph.nodes(), graph.edge_count())).unwrap_err();
    for word in words {
        assert!(error.contains(word), "{word:?} is not in {error:?}");
    }
    assert_eq!(error.lines().count(), 1, "{error}");
}

fn parquet(path: &Path, columns: &[(&str, Kind)], values: Vec<Column>) {
    let mut table = Writer::new(std::fs::File::create(path).unwrap(), columns).unwrap();
    table.write(&values).unwrap();
    table.finish().unwrap();
}

fn npz(path: &Path, arrays: &[(&str, &str, &str, Vec<u8>)]) {
    let mut zip = zip::ZipWriter::new(std::fs::File::create(path).unwrap());
    for (name, descr, shape, bytes) in arrays {
        let options =
            zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        zip.start_file(format!("{name}.npy"), options).unwrap();
        let header = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}\n");
        zip.write_all(b"\x93NUMPY\x01\x00").unwrap();
        zip.write_all(&u16::try_from(header.len()).unwrap().to_le_bytes()).unwrap();
        zip.write_all(header.as_bytes()).unwrap();
        zip.write_all(bytes).unwrap();
    }
    zip.finish().unwrap();
}

fn doubles(values: &[f64]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

/// A path through so many nodes whose ids begin above 2²⁴, where floats of 32 bits hold even numbers alone.
const FIRST: usize = 1 << 24;
const COUNT: usize = 500;

#[test]
fn float_ids_are_exact_in_every_kind_of_file() {
    let folder = Folder::new("exact");
    let ids: Vec<String> = (FIRST..=FIRST + COUNT).map(|id| id.to_string()).collect();
    let float = |id: &usize| format!("{:e}", *id as f64);
    let text: String = (FIRST..FIRST + COUNT).map(|id| format!("{} {}.0\n", float(&id), id + 1)).collect();
    let file = folder.0.join("g.parquet");
    let column = |shift: usize| Column::Float((0..COUNT).map(|at| (FIRST + at + shift) as f64).collect());
    parquet(&file, &[("source", Kind::Float), ("target", Kind::Float)], vec![column(0), column(1)]);
    for path in [folder.file("g.txt", text), file] {
        let (graph, _) = read(&path).unwrap();
        assert_eq!((graph.nodes(), graph.edge_count()), (COUNT + 1, COUNT), "{}", path.display());
        assert_eq!(graph.ids().unwrap(), ids, "{}", path.display());
        // Pairs and splits find the same ids, however they are written.
        let exec = Exec::new(1).unwrap();
        let pairs = folder.file("pairs.csv", format!("{FIRST},1.6777217e7\n16777217.0,{}\n", FIRST + 3));
        assert_eq!(load::pairs(&pairs, &graph, &exec).unwrap(), [[0, 1], [1, 3]]);
        let set = folder.file("set.txt", "1.6777219e7\n16777217\n");
        let sets = load::node_split_files(&SplitFiles::new(&set, &set, &set), &graph, &exec).unwrap();
        assert_eq!(sets.train, [3, 1]);
    }
    // A table of nodes may write its ids otherwise than the edges do.
    let edges = folder.file("e.txt", "0.000e+00 1.000e+00\n1.000e+00 2.000e+00\n");
    let nodes = folder.file("n.csv", "id,x\n2,0.5\n0,1\n1,2\n");
    let (graph, _) = read_with(&edges, &LoadParams::default().nodes(&nodes)).unwrap();
    assert_eq!((graph.ids().unwrap().concat().as_str(), graph.degree(0), graph.degree(2)), ("201", 1, 2));
    // In a list of names, a name that could be a float is a name.
    let (graph, _) = read(&folder.file("names.txt", "1e3 ab\nab 1000\n1000 1e3\n")).unwrap();
    assert_eq!((graph.nodes(), graph.edge_count()), (3, 3));
}

#[test]
fn float_ids_that_are_not_exact_are_refused() {
    let folder = Folder::new("inexact");
    for (text, words) in [
        ("0.0 1.0\n1.0 2.5\n", ["g.txt:2", "`2.5` is not a whole number"]),
        ("0.0 1.0\n-1.0 2.0\n", ["g.txt:2", "`-1.0` is negative"]),
        ("0.0 1.0\n1.0 2e16\n", ["g.txt:2", "`2e16` is not below 9007199254740992"]),
    ] {
        refused(&folder.file("g.txt", text), &words);
    }
    let file = folder.0.join("g.parquet");
    for (value, why) in
        [(0.5, "not a whole number"), (-1.0, "negative"), (2e16, "not below 9007199254740992")]
    {
        let columns = [("source", Kind::Float), ("target", Kind::Float)];
        parquet(&file, &columns, vec![Column::Float(vec![0.0, 1.0]), Column::Float(vec![1.0, value])]);
        refused(&file, &["row 2", &value.to_string(), why]);
    }
    let file = folder.0.join("g.npz");
    npz(&file, &[("edge_index", "<f8", "(2, 2)", doubles(&[0.0, 1.0, 1.0, 2.5]))]);
    refused(&file, &["`edge_index`", "2.5 is not a whole number"]);
    let singles: Vec<u8> = [0.0f32, 1.0, 1.0, 20_000_000.0].iter().flat_map(|v| v.to_le_bytes()).collect();
    npz(&file, &[("edge_index", "<f4", "(2, 2)", singles)]);
    refused(&file, &["`edge_index`", "20000000 is not below 16777216"]);
}

#[test]
fn headers_of_text_ids_are_no_edges() {
    let folder = Folder::new("headers");
    for header in ["user,item", "follower,followee", "User ID,Item ID", "u,v", "lender,borrower,amount"] {
        let more = if header.ends_with("amount") { ",5" } else { "" };
        let rows: String =
            ["ann,dune", "bob,dune", "bob,emma"].iter().map(|row| format!("{row}{more}\n")).collect();
        let (graph, notices) = read(&folder.file("g.csv", format!("{header}\n{rows}"))).unwrap();
        assert_eq!((graph.nodes(), graph.edge_count()), (4, 3), "{header}");
        let [a, b] = [0, 1].map(|at| header.split(',').nth(at).unwrap());
        let said = format!("edges are read from columns `{a}` and `{b}`");
        assert_eq!(notices.iter().filter(|notice| notice.contains(&said)).count(), 1, "{notices:?}");
    }
    // Pairs, splits and node tables have the same headers.
    let graph = read(&folder.file("g.csv", "user,item\nann,dune\nbob,dune\nbob,emma\n")).unwrap().0;
    let exec = Exec::new(1).unwrap();
    let pairs = folder.file("p.csv", "score,follower,followee\n0.5,ann,emma\n");
    assert_eq!(load::pairs(&pairs, &graph, &exec).unwrap(), [[0, 3]]);
    let said = "p.csv: pairs are read from columns `follower` and `followee`; column `score` is not used";
    assert!(exec.notices().contains(&said.to_string()), "{:?}", exec.notices());
    let labelled = folder.file("l.csv", "label,user,item\n1,ann,dune\n0,ann,emma\n");
    let train = folder.file("t.csv", "user,item\nbob,dune\n");
    let files = SplitFiles::new(&train, &labelled, &labelled);
    let split = load::link_split_files(&files, &graph, &exec).unwrap();
    assert_eq!(
        (split.train, split.valid.positives, split.valid.negatives),
        (vec![[1, 2]], vec![[0, 2]], vec![[0, 3]])
    );
    let nodes = folder.file("n.csv", "id,0,1,label\nann,1,2,a\nbob,1,2,a\ndune,0,1,b\nemma,0,1,b\n");
    let edges = folder.file("g.csv", "ann,dune\nbob,dune\nbob,emma\n");
    let (graph, notices) = read_with(&edges, &LoadParams::default().nodes(&nodes)).unwrap();
    assert_eq!((graph.nodes(), graph.features().cols()), (4, 2));
    let schema = graph.schema().unwrap();
    assert_eq!((schema.id.as_deref(), schema.label.as_deref()), (Some("id"), Some("label")), "{notices:?}");
}

#[test]
fn first_edges_of_names_are_not_lost() {
    let folder = Folder::new("names");
    assert_eq!(size(&folder.file("a.csv", "ann,bob\nbob,cyd\ncyd,ann\n")), (3, 3));
    assert_eq!(size(&folder.file("b.csv", "u,v\nv,w\nw,u\n")), (3, 3));
    // The word comes again beyond the rows that are looked at first.
    let many: String = (0..3000).map(|at| format!("w{at},w{}\n", at + 1)).collect();
    let (graph, notices) = read(&folder.file("c.csv", format!("node,edge\n{many}edge,w1\n"))).unwrap();
    assert_eq!((graph.nodes(), graph.edge_count()), (3003, 3002));
    assert!(notices.iter().any(|n| n.contains("line 1 (`node`, `edge`) is read as an edge")), "{notices:?}");
    // What cannot be decided is said.
    let (graph, notices) = read(&folder.file("d.csv", "who,whom\nann,bob\nbob,cyd\n")).unwrap();
    assert_eq!((graph.nodes(), graph.edge_count()), (5, 3));
    assert!(
        notices.iter().any(|n| n.contains("(`who`, `whom`) is read as an edge") && n.contains("`ends`")),
        "{notices:?}"
    );
}

#[test]
fn files_that_are_no_edge_lists_are_refused() {
    let folder = Folder::new("others");
    let file = |name: &str, text: &str| folder.file(name, text);
    for text in [
        "id,target\n0,171\n1,8089\n",
        "node label\n0 1\n1 1\n",
        "id,x,y2,label\na,1,2,red\nb,0,1,blue\n",
        "age,height,weight,income,class\n3,4,5,6,1\n4,5,6,7,0\n",
    ] {
        refused(&file("n.csv", text), &["looks like a node table", "`nodes`", "`ends`"]);
    }
    refused(&file("a.txt", "0 1 1\n1 0 1\n1 1 0\n"), &["adjacency matrix of 3 × 3"]);
    refused(
        &file("m.txt", "1 0 0 2 3 1\n0 1 2 0 0 1\n"),
        &["looks like a matrix or a node table", "6 columns"],
    );
    refused(&file("x.txt", "0.1 0.5 0.2\n0.3 0.1 0.9\n"), &["`0.1` is not a whole number"]);
    let mut zip = zip::ZipWriter::new(std::fs::File::create(folder.0.join("g.zip")).unwrap());
    for name in ["edges.csv", "nodes.csv"] {
        zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
        zip.write_all(b"0,1\n1,2\n").unwrap();
    }
    zip.finish().unwrap();
    refused(&folder.0.join("g.zip"), &["zip archive, not an npz", "`edges.csv`"]);
    // Edge lists that look like some of these.
    for (text, expected) in [
        ("7188,1,10,1407470400\n430,1,10,1376539200\n", (3, 2)),
        ("userId,movieId,rating,timestamp,tag\n1,20,4,5,x\n2,20,3,6,y\n", (3, 2)),
        ("id,source,target,weight,kind\n0,a,b,1,x\n1,b,c,1,x\n", (3, 2)),
        ("0 1 5\n1 2 4\n2 0 3\n", (3, 3)),
        ("PKM2 PKLR\nPKLR LDHA\n", (3, 2)),
        ("[deleted] bob\nbob cyd\n", (3, 2)),
    ] {
        assert_eq!(size(&file("e.csv", text)), expected, "{text}");
    }
    // Whoever names the columns or the format has decided.
    let wide = file("w.csv", "a,b,c,d,e\nx,y,1,2,3\ny,z,1,2,3\n");
    let mut params = LoadParams::default();
    params.ends = Some(["a".into(), "b".into()]);
    assert_eq!(read_with(&wide, &params).unwrap().0.edge_count(), 2);
}

#[test]
fn published_edge_lists_are_read() {
    let Some(folder) = data("published_edge_lists_are_read") else { return };
    let raw = folder.join("raw");
    if !raw.is_dir() {
        return;
    }
    for (file, expected) in [
        ("chameleon-traffic/edges.csv", (2277, 31_371)),
        ("bitcoin-alpha/soc-sign-bitcoinalpha.csv", (3783, 14_124)),
        ("income/income_edges.txt", (14_821, 42_831)),
        ("german/german_edges.txt", (1000, 21_742)),
        ("airports/usa-airports.edgelist", (1190, 13_599)),
        ("email-eu-core/email.txt", (1005, 16_064)),
        ("ppi-homo/PPI.ungraph", (3890, 37_845)),
    ] {
        assert_eq!(size(&raw.join(file)), expected, "{file}");
    }
}

#[test]
fn what_is_given_and_not_used_is_said() {
    let folder = Folder::new("unused");
    let treated = "the graph is treated as undirected and unweighted";
    let said = |path: &Path, words: &[&str]| {
        let notices = read(path).unwrap().1;
        let one =
            notices.iter().any(|notice| words.iter().chain([&treated]).all(|word| notice.contains(word)));
        assert!(one, "{words:?}: {notices:?}");
    };
    said(
        &folder.file("r.csv", "7,1,10,140\n4,1,10,137\n"),
        &["columns 1 and 2", "columns 3, 4 are not used"],
    );
    said(&folder.file("w.csv", "a,b,5\nb,c,6\n"), &["column 3 is not used"]);
    said(
        &folder.file("t.csv", "from,to,time\n0,1,5\n1,2,6\n"),
        &["`from` and `to`", "column `time` is not used"],
    );
    let edges = ("edge_index", "<f8", "(2, 2)", doubles(&[0.0, 1.0, 1.0, 2.0]));
    let file = folder.0.join("g.npz");
    let more = |name| (name, "<f8", "(2,)", doubles(&[1.0, 2.0]));
    npz(&file, &[edges.clone(), more("edge_weight"), more("edge_time"), more("test_mask")]);
    said(&file, &["`edge_time`, `edge_weight` are in the file and not used"]);
    npz(&file, &[edges.clone(), more("feature_names")]);
    let notices = read(&file).unwrap().1;
    assert_eq!(notices, ["g: `feature_names` is in the file and not used"]);
    npz(&file, &[edges]);
    assert!(read(&file).unwrap().1.is_empty());
    let market = |head: &str, rows: &str| {
        folder.file(
            "g.mtx",
            format!("%%MatrixMarket matrix coordinate {head}\n3 3 {}\n{rows}", rows.lines().count()),
        )
    };
    said(&market("real general", "1 2 0.5\n2 3 1\n"), &["values", "and", "directions of a `general` matrix"]);
    said(&market("real symmetric", "2 1 0.5\n3 2 1\n"), &["values of the entries are not used"]);
    said(&market("pattern general", "1 2\n2 3\n"), &["directions of a `general` matrix are not used"]);
    assert!(read(&market("pattern general", "1 2\n2 1\n")).unwrap().1.is_empty());
    assert!(read(&market("pattern symmetric", "2 1\n3 2\n")).unwrap().1.is_empty());
}

#[test]
fn the_first_id_of_a_split_is_not_dropped() {
    let folder = Folder::new("firsts");
    let exec = Exec::new(1).unwrap();
    for (edges, unknown, known) in
        [("a,b\nb,c\nc,a\n", "zed", ["a", "b"]), ("0,1\n1,2\n2,0\n", "77", ["0", "1"])]
    {
        let graph = read(&folder.file("g.csv", edges)).unwrap().0;
        let nodes = |text: String| {
            let file = folder.file("s.txt", text);
            load::node_split_files(&SplitFiles::new(&file, &file, &file), &graph, &exec)
                .map(|sets| sets.train.len())
                .map_err(|error| error.to_string())
        };
        let [a, b] = known;
        let error = nodes(format!("{unknown}\n{a}\n{b}\n")).unwrap_err();
        assert!(error.contains(&format!("s.txt:1: `{unknown}` is not a node")), "{error}");
        for header in ["id", "node", "node_id", "User"] {
            assert_eq!(nodes(format!("{header}\n{a}\n{b}\n")), Ok(2), "{header}");
        }
        let file = folder.file("p.txt", format!("{unknown},{unknown}x\n{a},{b}\n"));
        let error = load::pairs(&file, &graph, &exec).unwrap_err().to_string();
        assert!(error.contains(&format!("p.txt:1: `{unknown}` is not a node")), "{error}");
    }
}

#[test]
fn large_features_that_are_rounded_are_said() {
    let folder = Folder::new("rounded");
    let edges = folder.file("e.csv", "a,b\nb,c\n");
    let table = |value: &str| {
        let nodes = folder.file("n.csv", format!("id,x\na,{value}\nb,2\nc,3\n"));
        read_with(&edges, &LoadParams::default().nodes(nodes)).map(|(_, notices)| notices)
    };
    let rounded = |notices: &[String]| notices.iter().any(|n| n.contains("16777217 becomes 16777216"));
    assert!(rounded(&table("16777217").unwrap()));
    assert!(!table("16777216").unwrap().iter().any(|n| n.contains("becomes")));
    assert!(table("1e39").unwrap_err().contains("`1e39` is beyond single precision"));
    let file = folder.0.join("g.npz");
    let edges = ("edge_index", "<f8", "(2, 2)", doubles(&[0.0, 1.0, 1.0, 2.0]));
    npz(&file, &[edges, ("x", "<f8", "(3, 1)", doubles(&[16_777_217.0, 1.0, 2.0]))]);
    assert!(rounded(&read(&file).unwrap().1));
}

/// The process's panic hook belongs to the program.
#[test]
fn reading_parquet_leaves_the_panic_hook_alone() {
    let folder = Folder::new("hook");
    let file = folder.0.join("g.parquet");
    let columns = [("source", Kind::Int), ("target", Kind::Int)];
    parquet(&file, &columns, vec![Column::Int(vec![0, 1]), Column::Int(vec![1, 2])]);
    // A closure of an odd size, by which it is known again.
    let before = std::panic::take_hook();
    let mark = [7u8; 37];
    std::panic::set_hook(Box::new(move |_| assert_eq!(mark.len(), 37)));
    let found = read(&file);
    let hook = std::panic::take_hook();
    std::panic::set_hook(before);
    assert_eq!(size_of_val(&*hook), 37);
    assert_eq!(found.unwrap().0.edge_count(), 2);
}

/// Rows of a component are those of the file, whatever it is stored as; nodes without one get missing values.
#[test]
fn own_components_in_every_format() {
    let folder = Folder::new("components");
    let exec = Exec::new(1).unwrap();
    let plain = Graph::from_edges("plain", 4, &[[0, 1], [1, 2], [2, 3]]).unwrap();
    let named = plain.clone().with_ids(["a", "b", "c", "d"].map(String::from).to_vec());
    let values: Vec<f32> = vec![0.5, -1.0, 2.0, 3.5, 4.0, 5.0, 6.25, 7.0];
    let npy = |shape: &str| {
        let header = format!("{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}\n");
        let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
        bytes.extend(u16::try_from(header.len()).unwrap().to_le_bytes());
        bytes.extend(header.as_bytes());
        bytes.extend(values.iter().flat_map(|v| v.to_le_bytes()));
        bytes
    };
    let two = folder.file("two.npy", npy("(4, 2)"));
    let rows = load::component(&two, &plain, &exec).unwrap();
    assert_eq!((rows.rows(), rows.as_slice()), (4, &values[..]));
    let said = |path: &Path, graph: &Graph| load::component(path, graph, &exec).unwrap_err().to_string();
    assert!(said(&two, &named).contains("the rows have no ids, but the nodes have ids of their own"));
    assert!(said(&folder.file("one.npy", npy("(8,)")), &plain).contains("8 rows for 4 nodes"));
    // By id, in any order; `d` has no row, and `x` is no node.
    let table = folder.file("t.csv", "name,u,v\nc,4,5\na,0.5,-1\nb,2,?\nx,1,1\n");
    let rows = load::component(&table, &named, &exec).unwrap();
    assert_eq!((rows.row(0), rows.row(2)), (&[0.5, -1.0][..], &[4.0, 5.0][..]));
    assert!(rows.row(1)[0] == 2.0 && rows.row(1)[1].is_nan() && rows.row(3)[0].is_nan());
    let notices = exec.notices().join("\n");
    assert!(
        notices.contains("1 node of the graph has no row") && notices.contains("1 row with an id"),
        "{notices}"
    );
    assert!(said(&folder.file("twice.csv", "a,1\nb,2\na,3\n"), &named).contains("id `a` occurs twice"));
    assert!(said(&folder.file("alone.csv", "a\nb\nc\n"), &named).contains("at least one column of numbers"));
    let path = folder.0.join("t.parquet");
    let columns = [("id", Kind::Text), ("u", Kind::Float)];
    let mut file = Writer::new(std::fs::File::create(&path).unwrap(), &columns).unwrap();
    file.write(&[
        Column::Text(["d", "c", "b", "a"].map(String::from).to_vec()),
        Column::Float(vec![4.0, 3.0, 2.0, 1.0]),
    ])
    .unwrap();
    file.finish().unwrap();
    assert_eq!(load::component(&path, &named, &exec).unwrap().as_slice(), [1.0, 2.0, 3.0, 4.0]);
    // A graph that is saved keeps them.
    let graph = named.with_component("text", netinfof::Matrix::from_vec(4, 2, values.clone())).unwrap();
    let path = folder.0.join("g.npz");
    netinfof_io::save::npz(&graph, &path).unwrap();
    let (again, _) = read_with(&path, &LoadParams::default()).unwrap();
    assert_eq!(again.custom_components(), graph.custom_components());
    let mut params = LoadParams::default();
    params.components = vec![("text".into(), path.clone())];
    assert!(read_with(&path, &params).unwrap_err().contains("one array of numbers was expected"));
    // The arrays that `recommend --vectors` writes have ids.
    let vectors = folder.0.join("v.npz");
    netinfof_io::save::vectors(&graph, &[("keys", graph.custom_components()[0].rows())], &vectors).unwrap();
    assert_eq!(load::component(&vectors, &graph, &exec).unwrap().as_slice(), values);
}

#[test]
fn two_id_columns_may_be_two_kinds_of_nodes() {
    let folder = Folder::new("sides");
    let sizes = |graph: &Graph| graph.sides().map(|sides| [0, 1].map(|side| sides.nodes(side).len()));
    let names =
        |graph: &Graph| (0..graph.nodes()).map(|node| graph.node_name(node).into_owned()).collect::<Vec<_>>();
    // Numbers are ordered on each side, and ids of both sides get the name of their side. A known pair of names
    // has its own order.
    let text = "movieId,userId,rating\n7,2,5\n7,10,4\n10,2,1\n";
    let (graph, notices) = read(&folder.file("a.csv", text)).unwrap();
    assert_eq!(sizes(&graph), Some([2, 2]));
    assert_eq!(names(&graph), ["user:2", "user:10", "movie:7", "movie:10"]);
    assert_eq!(graph.edges(), [[0, 2], [0, 3], [1, 2]]);
    assert!(notices.iter().any(|n| n.contains("written as `user:10` and `movie:10`")), "{notices:?}");
    // Ids of one side only stay as they are.
    let (graph, _) = read(&folder.file("b.csv", "user,item\nu2,i1\nu1,i1\n")).unwrap();
    assert_eq!(names(&graph), ["u2", "u1", "i1"]);
    // Other names, and stated otherwise.
    let other = folder.file("c.csv", "source,target\n1,1\n1,2\n");
    let mut params = LoadParams::default();
    assert_eq!(sizes(&read_with(&other, &params).unwrap().0), None);
    params.bipartite = Some(true);
    let (graph, _) = read_with(&other, &params).unwrap();
    assert_eq!((sizes(&graph), graph.self_loops()), (Some([1, 2]), 0));
    assert_eq!(names(&graph), ["source:1", "target:1", "target:2"]);
    let bare = folder.file("d.csv", "1,1\n1,2\n");
    assert_eq!(names(&read_with(&bare, &params).unwrap().0), ["user:1", "item:1", "item:2"]);
    params.bipartite = Some(false);
    let (graph, _) = read_with(&folder.file("e.csv", "user,item\n1,1\n1,2\n"), &params).unwrap();
    assert_eq!((sizes(&graph), graph.nodes(), graph.self_loops()), (None, 2, 1));
    // Sides in npz files.
    let file = folder.0.join("g.npz");
    let numbers = |values: &[i32]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    let edges = ("edge_index", "<i4", "(2, 3)", numbers(&[0, 0, 1, 2, 3, 4]));
    let count = |name, value| (name, "<i4", "()", numbers(&[value]));
    npz(&file, &[edges.clone(), count("num_nodes", 5), count("num_users", 2), count("num_items", 3)]);
    assert_eq!(sizes(&read(&file).unwrap().0), Some([2, 3]));
    npz(&file, &[edges.clone(), count("num_nodes", 5), count("num_users", 2), count("num_items", 4)]);
    refused(&file, &["do not add up to 5 nodes"]);
    npz(&file, &[edges, ("side", "<i4", "(5,)", numbers(&[0, 0, 0, 1, 1]))]);
    refused(&file, &["edge (0, 2) lies inside the side `user`"]);
}
