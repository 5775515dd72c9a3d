//! Files that could be taken for something else: they are read as they are meant, or refused with the reason.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use netinfof::graph::Target;
use netinfof::{Exec, Features, Graph};
use netinfof_io::frame::ColumnChoices;
use netinfof_io::load::{self, Format, LoadParams, SplitFiles};
use netinfof_io::parquet::{Column, Kind, Writer};
use netinfof_io::save;

use crate::folder::{Folder, read, refused};

fn plain(path: &Path) -> (Graph, String) {
    read(path, &LoadParams::default()).unwrap()
}

/// The edges by the names of their nodes, each with the smaller name first.
fn edges(graph: &Graph) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for node in 0..graph.nodes() {
        for &other in graph.adjacency().row(node).iter().filter(|&&other| other as usize > node) {
            let [a, b] = [node, other as usize].map(|node| graph.node_name(node).to_string());
            found.push(if a < b { (a, b) } else { (b, a) });
        }
    }
    found.sort();
    found
}

fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
    list.iter().map(|(a, b)| ((*a).to_string(), (*b).to_string())).collect()
}

fn bipartite() -> LoadParams {
    let mut params = LoadParams::default();
    params.bipartite = Some(true);
    params
}

/// A named pipe that holds a text; a thread writes it.
#[cfg(unix)]
fn pipe(folder: &Folder, name: &str, text: String) -> PathBuf {
    let path = folder.0.join(name);
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    let own = path.clone();
    std::thread::spawn(move || std::fs::write(own, text));
    path
}

#[cfg(unix)]
#[test]
fn pipes_are_read_from_their_first_byte() {
    let folder = Folder::new("pipes");
    let chain: String = (10_000..11_000).fold(String::new(), |mut text, node| {
        let _ = writeln!(text, "{node} {}", node + 1);
        text
    });
    let (graph, _) = plain(&pipe(&folder, "chain", chain.clone()));
    assert_eq!((graph.nodes(), graph.edge_count()), (1001, 1000));
    // Formats, sides, node tables and components are found in a pipe as in a file.
    let (graph, _) = plain(&pipe(&folder, "pairs", "[[1, 2], [2, 3]]".into()));
    assert_eq!(graph.edge_count(), 2);
    let (graph, _) = plain(&pipe(&folder, "sides", "user,item\n5,5\n5,6\n".into()));
    assert_eq!((graph.nodes(), graph.edge_count()), (3, 2));
    let table = (10_000..=11_000).fold("key,x\n".to_string(), |mut text, node| {
        let _ = writeln!(text, "{node},{}", node % 7);
        text
    });
    let params = LoadParams::default().nodes(pipe(&folder, "nodes", table.clone()));
    let (graph, _) = read(&pipe(&folder, "again", chain), &params).unwrap();
    assert_eq!((graph.nodes(), graph.features().cols()), (1001, 1));
    let exec = Exec::new(1).unwrap();
    let rows = load::component(&pipe(&folder, "rows", table.replace("key", "id")), &graph, &exec).unwrap();
    assert_eq!(rows.row(0), [(10_000 % 7) as f32]);
    // The message names the pipe, not the copy.
    refused(&pipe(&folder, "broken", "1,2\n3\n".into()), &LoadParams::default(), &["broken:2: 1 column"]);
}

#[test]
fn cells_in_quotes_may_hold_line_breaks_and_spaces() {
    let folder = Folder::new("quotes");
    let chain = folder.file("e.csv", "a,b\nb,c\nc,a\n");
    let nodes = folder.file("n.csv", "id,note,x\na,\"x\nz,\"\"y\",1\nb,u,2\nc,u,3\n");
    let (graph, _) = read(&chain, &LoadParams::default().nodes(nodes)).unwrap();
    let columns = &graph.schema().unwrap().columns;
    assert_eq!((columns.len(), &columns[0].levels[..]), (2, &["u".to_string(), "x z,\"y".into()][..]));
    assert_eq!(graph.nodes(), 3);
    let open = folder.file("open.csv", "a,\"b\nb,c\n");
    refused(&open, &LoadParams::default(), &["open.csv:1", "never closed"]);
    let spaces = folder.file("names.txt", "\"Ann Lee\" \"Bob Ray\"\n\"Bob Ray\" \"Cyd Fox\"\n");
    assert_eq!(edges(&plain(&spaces).0), pairs(&[("Ann Lee", "Bob Ray"), ("Bob Ray", "Cyd Fox")]));
    let inch = folder.file("inch.csv", "source,target\n5\" disk,rack\nrack,7\" disk\n");
    assert_eq!(edges(&plain(&inch).0), pairs(&[("5\" disk", "rack"), ("7\" disk", "rack")]));
}

#[test]
fn rows_that_begin_like_comments_are_not_skipped() {
    let folder = Folder::new("comments");
    let inside = folder.file("g.csv", "tag1,tag2\n#cats,dogs\nbirds,dogs\n");
    let words = ["g.csv:2", "begins with `#`", "space after `#`", "double quotes"];
    refused(&inside, &LoadParams::default(), &words);
    refused(&folder.file("n.txt", "1 2\n2 3\n#3 4\n"), &LoadParams::default(), &["n.txt:3", "`#`"]);
    refused(&folder.file("p.csv", "%a,b\n%b,c\nc,d\nd,e\n"), &LoadParams::default(), &["p.csv:1", "`%`"]);
    refused(
        &folder.file("o.csv", "#cats,dogs\nbirds,dogs\nbirds,fish\n"),
        &LoadParams::default(),
        &["o.csv:1"],
    );
    // Comments and quoted ids.
    for (at, text) in [
        "#source,target\n1,2\n2,3\n",
        "#source target\n1 2\n2 3\n",
        "# a,b\n# c,d\n1,2\n# 5,6\n##7,8\n#end\n2,3\n",
        "% sym\n1 2\n# 4 5\n2 3\n",
    ]
    .into_iter()
    .enumerate()
    {
        let (graph, _) = plain(&folder.file(&format!("c{at}.csv"), text));
        assert_eq!(edges(&graph), pairs(&[("1", "2"), ("2", "3")]), "{text}");
    }
    let quoted = folder.file("q.csv", "source,target\n\"#cats\",dogs\n\"#cats\",birds\n");
    assert_eq!(edges(&plain(&quoted).0), pairs(&[("#cats", "birds"), ("#cats", "dogs")]));
}

#[test]
fn options_that_a_format_cannot_follow_are_refused() {
    let folder = Folder::new("options");
    let table = folder.file("e.csv", "a,b\nb,c\nc,a\n");
    let nodes = folder.file("n.csv", "id,leak,noise,label\na,1,5,0\nb,2,6,1\nc,3,7,0\n");
    let (graph, _) = read(&table, &LoadParams::default().nodes(&nodes)).unwrap();
    let npz = folder.0.join("g.npz");
    save::npz(&graph, &npz).unwrap();
    let list = |name: &str| vec![name.to_string()];
    let columns = |columns: ColumnChoices| {
        let mut params = LoadParams::default();
        params.columns = columns;
        params
    };
    let drop = || columns(ColumnChoices { drop: list("leak"), ..ColumnChoices::default() });
    let (dropped, _) = read(&npz, &drop()).unwrap();
    let schema = dropped.schema().unwrap();
    assert_eq!((schema.columns.len(), schema.dropped[0].name.as_str()), (1, "leak"));
    let Features::Dense(x) = dropped.features() else { panic!("dense") };
    assert_eq!(x.as_slice(), [5.0, 6.0, 7.0]);
    let (only, _) =
        read(&npz, &columns(ColumnChoices { features: list("l*"), ..ColumnChoices::default() })).unwrap();
    assert_eq!(only.schema().unwrap().columns[0].name, "leak");
    let unknown = columns(ColumnChoices { drop: list("height"), ..ColumnChoices::default() });
    refused(&npz, &unknown, &["invalid `drop`: height", "`leak`, `noise`"]);
    let mut id = LoadParams::default();
    id.id = Some("leak".into());
    let mut ends = LoadParams::default();
    ends.ends = Some(["a".into(), "b".into()]);
    let mut header = LoadParams::default();
    header.header = Some(true);
    let label = LoadParams::default().label("noise");
    let levels = columns(ColumnChoices { categorical: list("leak"), ..ColumnChoices::default() });
    for (params, name) in
        [(&id, "id"), (&ends, "ends"), (&header, "header"), (&label, "label"), (&levels, "categorical")]
    {
        refused(&npz, params, &[&format!("invalid `{name}`"), "the graph is npz"]);
    }
    let market =
        folder.file("g.mtx", "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n");
    refused(&market, &label, &["invalid `label`", "MatrixMarket"]);
    refused(&market, &drop(), &["invalid `drop`", "MatrixMarket"]);
    let json =
        folder.file("g.json", r#"{"nodes": [{"id": 1}, {"id": 2}], "links": [{"source": 1, "target": 2}]}"#);
    refused(&json, &ends, &["invalid `ends`", "node-link JSON"]);
    refused(&json, &id, &["invalid `id`", "node-link JSON"]);
    refused(&table, &label, &["invalid `label`", "an edge list without a node table"]);
    refused(Path::new("synth:demo"), &drop(), &["invalid `drop`", "a generated graph"]);
}

#[test]
fn a_missing_id_is_not_a_row_number() {
    let folder = Folder::new("rows");
    let ring = (1..=58).fold(String::new(), |mut text, node| {
        let _ = writeln!(text, "{node},{}", node % 58 + 1);
        text
    });
    let ring = folder.file("e.csv", ring);
    let people = (1..=60).filter(|&id| id != 30).fold("person,age\n".to_string(), |mut text, id| {
        let _ = writeln!(text, "{id},{}", 20 + id % 30);
        text
    });
    let params = LoadParams::default().nodes(folder.file("n.csv", people));
    refused(&ring, &params, &["1 id of", "not in the node table, such as `30` (line 29)"]);
    // Another column that happens to hold a few of the ids does not count.
    let rows = (0..60).fold("visits,age\n".to_string(), |mut text, row| {
        let _ = writeln!(text, "{},{}", 7 * row + 3, 20 + row % 30);
        text
    });
    let params = LoadParams::default().nodes(folder.file("r.csv", rows));
    let (_, notices) = read(&ring, &params).unwrap();
    assert!(notices.contains("rows are nodes in this order"), "{notices}");
}

#[test]
fn ends_of_links_are_all_ids_or_all_positions() {
    let folder = Folder::new("links");
    let graph = |links: &str| {
        let nodes: Vec<String> = (1..=6).map(|id| format!(r#"{{"id": {id}, "h": {}}}"#, id * 10)).collect();
        format!(r#"{{"nodes": [{}], "links": [{links}]}}"#, nodes.join(", "))
    };
    let link = |i: &str, j: &str| format!(r#"{{"source": {i}, "target": {j}}}"#);
    let positions = folder.file("p.json", graph(&[link("0", "1"), link("1", "2"), link("4", "5")].join(",")));
    let (read_graph, notices) = plain(&positions);
    assert_eq!(edges(&read_graph), pairs(&[("1", "2"), ("2", "3"), ("5", "6")]));
    assert!(
        notices.contains("positions in the list of nodes, from 0, because `0` is not an id"),
        "{notices}"
    );
    let ids = folder.file("i.json", graph(&[link("1", "2"), link("5", "6")].join(",")));
    assert_eq!(edges(&plain(&ids).0), pairs(&[("1", "2"), ("5", "6")]));
    for (i, j) in [("0", "6"), ("1", "\"x\""), ("0", "\"1\"")] {
        let mixed = folder.file("m.json", graph(&[link("1", "2"), link(i, j)].join(",")));
        refused(&mixed, &LoadParams::default(), &["is an end of a link, but not among the nodes"]);
    }
}

#[test]
fn labels_of_attributes_follow_the_rules_of_node_tables() {
    let folder = Folder::new("labels");
    let graph = |label: &dyn Fn(usize) -> String| {
        let nodes: Vec<String> =
            (0..60).map(|id| format!(r#"{{"id": {id}, "y": {}, "tags": ["a"]}}"#, label(id))).collect();
        format!(r#"{{"nodes": [{}], "links": [{{"source": 0, "target": 1}}]}}"#, nodes.join(", "))
    };
    let some = |id: usize| if id < 4 { "-1".to_string() } else { (id % 2).to_string() };
    let (known, notices) = plain(&folder.file("some.json", graph(&some)));
    assert_eq!((known.classes(), known.labels().unwrap()[..5].to_vec()), (2, vec![-1, -1, -1, -1, 0]));
    assert!(notices.contains("label -1 means unknown: 4 nodes have no label"), "{notices}");
    let dropped = &known.schema().unwrap().dropped;
    assert!(dropped.iter().any(|part| part.name == "tags"), "{dropped:?}");
    let numbers = folder.file("numbers.json", graph(&|id| format!("{id}.5")));
    let (target, notices) = plain(&numbers);
    assert!(target.labels().is_none() && notices.contains("the target is numeric"), "{notices}");
    let names = folder.file("names.json", graph(&|id| format!("\"name {id}\"")));
    refused(&names, &LoadParams::default().label("y"), &["`y` holds 60 different texts: names, not classes"]);
}

#[test]
fn nodes_without_edges_never_share_an_id() {
    let folder = Folder::new("sides");
    let list = (0..10).rev().fold("user,item\n".to_string(), |mut text, user| {
        let _ = writeln!(text, "{user},{}\n{user},{}", 100 + user, 100 + (user + 1) % 10);
        text
    });
    let table = |more: &str| {
        let ids = (0..10).chain(100..110).fold("id,x\n".to_string(), |mut text, id| {
            let _ = writeln!(text, "{id},{id}");
            text
        });
        ids + more
    };
    let list = folder.file("e.csv", list);
    let params = LoadParams::default().nodes(folder.file("n.csv", table("item:7,70\n")));
    let (graph, notices) = read(&list, &params).unwrap();
    assert_eq!(graph.nodes(), 21);
    assert!(notices.contains("ids occur on both sides"), "{notices}");
    assert_eq!((graph.node_name(7), graph.node_name(20)), ("user:7".into(), "item:7".into()));
    let Features::Dense(x) = graph.features() else { panic!("dense") };
    assert_eq!((x.row(7), x.row(20)), (&[7.0][..], &[70.0][..]));
    let params = LoadParams::default().nodes(folder.file("f.csv", table("item:200,70\n")));
    assert_eq!(read(&list, &params).unwrap().0.node_name(20), "200");
    let twice = LoadParams::default().nodes(folder.file("t.csv", table("item:105,70\n")));
    refused(&list, &twice, &["`item:105` occurs twice"]);
    // Ids that begin with the name of their side are ids as they are.
    let written = "user,item\nuser:3,item:4\nuser:4,item:3\nuser:3,item:3\n";
    let written = folder.file("w.csv", written);
    let nodes = "id,x\nitem:3,1\nitem:4,2\nuser:3,3\nuser:4,4\nuser:9,5\n";
    let (graph, _) = read(&written, &LoadParams::default().nodes(folder.file("wn.csv", nodes))).unwrap();
    let names: Vec<String> = (0..5).map(|node| graph.node_name(node).to_string()).collect();
    assert_eq!(names, ["user:3", "user:4", "item:4", "item:3", "user:9"]);
    let Features::Dense(x) = graph.features() else { panic!("dense") };
    assert_eq!(x.as_slice(), [3.0, 4.0, 2.0, 1.0, 5.0]);
}

#[test]
fn numbers_of_edges_are_not_ends() {
    let folder = Folder::new("numbers");
    let rows = "0,5,7\n1,7,9\n2,9,5\n3,5,2\n";
    let expected = pairs(&[("2", "5"), ("5", "7"), ("5", "9"), ("7", "9")]);
    for names in
        ["id,sender_id,receiver_id", "edge_id,sender_no,receiver_no", ",sender_id,receiver_id", "edge_id,x,y"]
    {
        let (graph, _) = plain(&folder.file("e.csv", format!("{names}\n{rows}")));
        assert_eq!(edges(&graph), expected, "{names}");
    }
    for names in ["id,p,q\n", ""] {
        let path = folder.file("u.csv", format!("{names}{rows}"));
        refused(&path, &LoadParams::default(), &["may number edges", "`ends`"]);
    }
    // Lists of neighbours of one length, as of nearest neighbours.
    let lists = (0..60).fold(String::new(), |mut text, node| {
        let _ = writeln!(text, "{node} {} {} {}", (node + 1) % 60, (node + 7) % 60, (node + 13) % 60);
        text
    });
    refused(&folder.file("knn.txt", lists), &LoadParams::default(), &["lists of neighbours"]);
    // A weight shares numbers with the ids, too.
    let weighted = (0..60).fold(String::new(), |mut text, node| {
        let _ = writeln!(text, "{node} {} {}", (node + 1) % 60, node % 5);
        text
    });
    assert_eq!(plain(&folder.file("w.txt", weighted)).0.edge_count(), 60);
}

#[test]
fn pairs_may_have_the_second_side_first() {
    let folder = Folder::new("swapped");
    let list = folder.file("e.csv", "reader,book\n0,4\n0,8\n4,0\n4,8\n8,4\n8,0\n");
    let (graph, _) = plain(&list);
    let exec = Exec::new(1).unwrap();
    for names in ["book_id,reader_id", "Book,Reader", "bookId,who"] {
        let path = folder.file("p.csv", format!("{names}\n4,0\n0,8\n"));
        let found = load::pairs(&path, &graph, &exec).unwrap();
        let found: Vec<[String; 2]> =
            found.iter().map(|pair| pair.map(|node| graph.node_name(node as usize).to_string())).collect();
        assert_eq!(found, [["book:4", "reader:0"], ["book:0", "reader:8"]], "{names}");
    }
    let train = folder.file("train.csv", "book_id,reader_id\n4,0\n8,0\n0,4\n");
    let valid = folder.file("valid.csv", "reader_id,book_id\n4,8\n");
    let split = load::link_split_files(&SplitFiles::new(&train, &valid, &valid), &graph, &exec).unwrap();
    let sides = graph.sides().unwrap();
    let first: Vec<String> =
        split.train.iter().map(|&pair| graph.node_name(sides.oriented(pair)[0] as usize).into()).collect();
    assert_eq!(first, ["reader:0", "reader:0", "reader:4"]);
    assert!(split.train.iter().chain(&split.valid.positives).all(|&pair| {
        let [i, j] = pair;
        graph.adjacency().row(i as usize).contains(&j)
    }));
}

#[test]
fn the_first_edge_of_a_bipartite_list_is_kept() {
    let folder = Folder::new("first");
    // More rows than the reader looks at before it decides.
    let rows = (0..1100).fold("ann,dune\n".to_string(), |mut text, at| {
        let _ = writeln!(text, "P{at},Film{}", at % 9);
        text
    });
    let again = folder.file("e.csv", format!("{rows}ann,Film3\n"));
    let (graph, notices) = read(&again, &bipartite()).unwrap();
    assert_eq!((graph.edge_count(), graph.nodes()), (1102, 1101 + 10));
    assert!(notices.contains("is read as an edge and not as column names"), "{notices}");
    assert_eq!(graph.schema().unwrap().header_lines, 0);
    assert_eq!(graph.sides().unwrap().names(), &["user".to_string(), "item".into()]);
    // In a list of one kind, too, the line is no header.
    let (graph, _) = plain(&again);
    assert_eq!((graph.edge_count(), graph.schema().unwrap().header_lines), (1102, 0));
    // A header that occurs nowhere else names the sides.
    let (graph, _) = read(&folder.file("h.csv", rows.replace("ann,dune", "fan,film")), &bipartite()).unwrap();
    assert_eq!((graph.edge_count(), graph.sides().unwrap().names()[0].as_str()), (1100, "fan"));
}

#[test]
fn parts_in_parquet_are_read_like_one_table() {
    let folder = Folder::new("parts");
    let part = |name: &str, users: Vec<i64>, items: Vec<i64>| {
        let mut file = std::fs::File::create(folder.0.join(name)).unwrap();
        let mut writer = Writer::new(&mut file, &[("user", Kind::Int), ("item", Kind::Int)]).unwrap();
        writer.write(&[Column::Int(users), Column::Int(items)]).unwrap();
        writer.finish().unwrap();
    };
    part("p0.parquet", vec![5, 5], vec![5, 6]);
    part("p1.parquet", vec![6, 7], vec![5, 6]);
    let (graph, notices) = plain(&folder.0);
    assert_eq!((graph.nodes(), graph.edge_count(), graph.sides().is_some()), (5, 4, true), "{notices}");
    std::fs::write(folder.0.join("p2.parquet"), "broken").unwrap();
    refused(&folder.0, &LoadParams::default(), &["p2.parquet", "not a Parquet file"]);
}

#[test]
fn repeated_values_of_a_node_are_a_vector_or_refused() {
    let folder = Folder::new("repeated");
    let gml = |values: [&str; 3]| {
        let nodes: Vec<String> =
            values.iter().enumerate().map(|(id, own)| format!("node [ id {id} {own} ]")).collect();
        format!("graph [\n{}\nedge [ source 0 target 1 ]\nedge [ source 1 target 2 ]\n]\n", nodes.join("\n"))
    };
    let vectors = folder.file("v.gml", gml(["x 0.5 x 1 x 7", "x 1 x 2 x 8", "x 2 x 3 x 9"]));
    let (graph, _) = plain(&vectors);
    let Features::Dense(x) = graph.features() else { panic!("dense") };
    assert_eq!(x.as_slice(), [0.5, 1.0, 7.0, 1.0, 2.0, 8.0, 2.0, 3.0, 9.0]);
    let single = gml(["x 1 x 2", "x \"_networkx_list_start\" x 3", "x 4 x 5"]);
    refused(&folder.file("s.gml", single), &LoadParams::default(), &["lists of different lengths"]);
    refused(
        &folder.file("d.gml", gml(["x 1 x 2", "x 3", "x 4 x 5"])),
        &LoadParams::default(),
        &["lists of different lengths"],
    );
    refused(
        &folder.file("t.gml", gml(["x \"a\" x \"b\"", "x \"c\"", "x \"d\""])),
        &LoadParams::default(),
        &["node `0` has several values of `x`"],
    );
}

#[test]
fn graphml_is_one_graph_of_declared_nodes() {
    let folder = Folder::new("graphml");
    let one = |name: &str, ends: [&str; 2]| {
        let [i, j] = ends;
        format!(
            "<graph id=\"{name}\" edgedefault=\"undirected\"><edge source=\"{i}\" target=\"{j}\"/><node id=\"{i}\"/><node id=\"{j}\"/></graph>"
        )
    };
    let two = format!("<graphml>{}{}</graphml>", one("A", ["n0", "n1"]), one("B", ["n0", "n2"]));
    refused(&folder.file("two.graphml", two), &LoadParams::default(), &["a second graph"]);
    // Edges may stand above their nodes, and graphs inside nodes.
    let nested = "<graphml><graph edgedefault=\"undirected\"><node id=\"a\"><graph edgedefault=\"undirected\"><node id=\"b\"/></graph></node><edge source=\"a\" target=\"b\"/></graph></graphml>";
    assert_eq!(plain(&folder.file("nested.graphml", nested)).0.nodes(), 2);
    assert_eq!(
        plain(&folder.file("one.graphml", format!("<graphml>{}</graphml>", one("A", ["x", "y"])))).0.nodes(),
        2
    );
    let unknown = "<graphml><graph edgedefault=\"undirected\"><node id=\"a\"/><edge source=\"a\" target=\"b\"/></graph></graphml>";
    let words = ["edge (`a`, `b`)", "there is no node `b`"];
    refused(&folder.file("unknown.graphml", unknown), &LoadParams::default(), &words);
}

#[test]
fn matrices_have_one_row_per_node_and_zeros_are_no_edges() {
    let folder = Folder::new("matrices");
    let twice = folder.file("m.csv", ",a,a,b,c\na,0,1,1,0\na,1,0,0,1\nb,1,0,0,1\nc,0,1,1,0\n");
    refused(&twice, &LoadParams::default(), &["two columns have the name `a`"]);
    let market = "%%MatrixMarket matrix coordinate real symmetric\n4 4 3\n2 1 1.5\n3 2 0\n4 3 -1\n";
    let (graph, _) = plain(&folder.file("m.mtx", market));
    assert_eq!(edges(&graph), pairs(&[("0", "1"), ("2", "3")]));
}

#[test]
fn newer_tables_keep_the_columns_of_a_wide_model() {
    let folder = Folder::new("wide");
    let ring = folder.file("e.csv", "a,b\nb,c\nc,d\nd,a\n");
    let table = |colours: [&str; 4], day: &str| {
        let mut text = "id,colour,day".to_string();
        for at in 0..64 {
            let _ = write!(text, ",x{at}");
        }
        for (at, (id, colour)) in ["a", "b", "c", "d"].iter().zip(colours).enumerate() {
            let _ = write!(text, "\n{id},{colour},{day}{at}");
            for x in 0..64 {
                let _ = write!(text, ",{}.5", at * 64 + x);
            }
        }
        text
    };
    let with = |name: &str, text: String| LoadParams::default().nodes(folder.file(name, text));
    let model = with("m.csv", table(["blue", "red", "green", "red"], "2020-01-1"));
    let (model, _) = read(&ring, &model).unwrap();
    let own = model.schema().unwrap().clone();
    let names: Vec<&str> = own.columns[..4].iter().map(|column| column.name.as_str()).collect();
    assert_eq!(names, ["colour=blue", "colour=green", "colour=red", "day"]);
    let like = |mut params: LoadParams| {
        params.columns.like = Some(own.clone());
        params
    };
    // A level less, and a level that the model does not have.
    let newer = like(with("n.csv", table(["red", "pink", "green", "red"], "2020-01-1")));
    let (newer, notices) = read(&ring, &newer).unwrap();
    assert_eq!(newer.schema().unwrap().columns, own.columns);
    let Features::Dense(x) = newer.features() else { panic!("dense") };
    assert_eq!(x.row(0)[..3], [0.0, 0.0, 1.0]);
    assert!(x.row(1)[..3].iter().all(|value| value.is_nan()));
    assert!(notices.contains("1 level is not known to the model"), "{notices}");
    // Days as plain numbers are another quantity.
    let numbers = like(with("d.csv", table(["red", "blue", "green", "red"], "2020071")));
    refused(&ring, &numbers, &["column `day` holds no dates, but the model was fitted on dates"]);
}

#[test]
fn formats_can_still_be_forced() {
    let folder = Folder::new("forced");
    let path = folder.file("e.csv", "id,p,q\n0,5,7\n1,7,9\n2,9,5\n");
    let mut params = LoadParams::default();
    params.format = Some(Format::Edges);
    assert_eq!(read(&path, &params).unwrap().0.edge_count(), 3);
}

#[test]
fn signs_and_brackets_are_no_ids() {
    let folder = Folder::new("signs");
    let none = LoadParams::default();
    let arrows = folder.file("a.txt", "1 -> 2\n2 -> 3\n3 -> 1\n");
    refused(&arrows, &none, &["column 2 holds only signs such as `->`", "such as 1,3"]);
    let mut ends = LoadParams::default();
    ends.ends = Some(["1".into(), "3".into()]);
    assert_eq!(read(&arrows, &ends).unwrap().0.edge_count(), 3);
    for rows in ["(1, 2)\n(2, 3)\n", "{a,b}\n{b,c}\n", "<a b>\n<b c>\n"] {
        refused(&folder.file("b.txt", rows), &none, &["rows are written in brackets", "without brackets"]);
    }
    // Ids may hold signs.
    assert_eq!(plain(&folder.file("c.txt", "a->b c->d\nc->d (e)\n")).0.nodes(), 3);
    assert_eq!(plain(&folder.file("u.txt", "<a> <b>\n<b> <c>\n")).0.nodes(), 3);
    refused(&folder.file("d.gv", "graph g {\n a -- b;\n b -- c;\n}\n"), &none, &["Graphviz"]);
    refused(&folder.file("e.csv", "source,target\ra,b\rb,c\r"), &none, &["carriage return alone"]);
    refused(&folder.file("f.txt", "a|b\nb|c\n"), &none, &["1 column", "separated by a comma"]);
}

#[test]
fn delimiters_at_the_end_of_rows_are_no_columns() {
    let folder = Folder::new("trailing");
    let chain = folder.file("e.csv", "source,target,\na,b,\nb,c,\nc,a,\n");
    let nodes = folder.file("n.csv", "id,x,label,\na,1,u,\nb,2,v,\nc,4,u,\n");
    let (graph, notices) = read(&chain, &LoadParams::default().nodes(nodes)).unwrap();
    let schema = graph.schema().unwrap();
    assert_eq!((schema.columns.len(), graph.features().cols()), (1, 1));
    assert!(schema.dropped.iter().any(|own| own.name == "column 3"), "{:?}", schema.dropped);
    assert!(
        schema.dropped.iter().any(|own| own.why.contains("no name and no values")),
        "{:?}",
        schema.dropped
    );
    assert!(notices.contains("column 3 is not used") && !notices.contains("column ``"), "{notices}");
}

#[test]
fn numbers_that_stand_for_missing_values_are_not_measurements() {
    let folder = Folder::new("codes");
    let chain: String = (0..30).map(|at| format!("{at},{}\n", (at + 1) % 30)).collect();
    let chain = folder.file("e.csv", chain);
    let mut table = "id,temp,age,label\n".to_string();
    for at in 0..30 {
        let temp = if at % 9 == 0 { "-999".into() } else { format!("{}.5", 10 + at % 17) };
        let _ = writeln!(table, "{at},{temp},{},{}", if [4, 5].contains(&at) { -9 } else { 20 + at }, at % 2);
    }
    let nodes = folder.file("n.csv", table);
    let (graph, notices) = read(&chain, &LoadParams::default().nodes(nodes.clone())).unwrap();
    let Features::Dense(x) = graph.features() else { panic!("dense") };
    assert!(x.row(9)[0].is_nan() && x.row(10)[0] == 20.5 && !x.row(4)[1].is_nan());
    assert_eq!(graph.schema().unwrap().columns[0].missing_codes, [-999]);
    let said = "these numbers count as missing values: -999 in 4 rows of `temp`; give a column as `numeric`";
    assert!(notices.contains(said), "{notices}");
    assert!(
        notices.contains("may stand for missing values, but are used as numbers: -9 in 2 rows"),
        "{notices}"
    );
    // Asked for as numbers, and there and back.
    let mut params = LoadParams::default().nodes(nodes.clone());
    params.columns.numeric = vec!["temp".into()];
    let Features::Dense(x) = read(&chain, &params).unwrap().0.features().clone() else { panic!("dense") };
    assert_eq!(x.row(9)[0], -999.0);
    let copy = folder.0.join("copy.npz");
    save::npz(&graph, &copy).unwrap();
    let (again, _) = plain(&copy);
    assert_eq!(again.schema().unwrap().columns, graph.schema().unwrap().columns);
    // Newer rows are read by the codes of the model, and only by these.
    let newer = folder.file("newer.csv", "id,temp,age,label\n0,-999,9999,0\n1,5,9999,1\n");
    let edge = folder.file("edge.csv", "0,1\n");
    let mut params = LoadParams::default().nodes(newer);
    params.columns.like = graph.schema().cloned();
    let Features::Dense(x) = read(&edge, &params).unwrap().0.features().clone() else { panic!("dense") };
    assert!(x.row(0)[0].is_nan() && x.row(0)[1] == 9999.0 && x.row(1)[0] == 5.0);
    // Arrays are used as they are.
    let mut params = LoadParams::default().nodes(folder.0.join("n.csv"));
    params.columns.numeric = vec!["temp".into()];
    save::npz(&read(&chain, &params).unwrap().0, &copy).unwrap();
    let (_, notices) = plain(&copy);
    assert!(notices.contains("-999 in 4 of 30 rows of column 1 may stand for missing values"), "{notices}");
    // A numeric target.
    let mut table = "id,x,target\n".to_string();
    for at in 0..30 {
        let _ = writeln!(table, "{at},{},{}", at % 3, if at < 3 { -9999.0 } else { f64::from(at) + 0.5 });
    }
    let nodes = folder.file("t.csv", table);
    let (graph, notices) = read(&chain, &LoadParams::default().nodes(nodes)).unwrap();
    assert!(notices.contains("target `target`: -9999, in 3 rows, counts as unknown"), "{notices}");
    assert_eq!(graph.labelled(), 27);
}

#[test]
fn a_second_label_and_classes_that_mean_unknown_are_said() {
    let folder = Folder::new("labels");
    let chain = folder.file("e.csv", "a,b\nb,c\nc,a\n");
    let nodes = folder.file("n.csv", "id,class,x,label\na,u,1,0\nb,None,2,1\nc,v,4,0\n");
    let (_, notices) = read(&chain, &LoadParams::default().nodes(nodes.clone())).unwrap();
    assert!(notices.contains("`class` is the label; `label` is also named like one"), "{notices}");
    assert!(notices.contains("class `None` of column `class` may mean unknown"), "{notices}");
    for (drop, label) in [(vec!["label".into()], None), (Vec::new(), Some("class".into()))] {
        let mut params = LoadParams::default().nodes(nodes.clone());
        (params.columns.drop, params.label) = (drop, label);
        let (_, notices) = read(&chain, &params).unwrap();
        assert!(!notices.contains("also named like one"), "{notices}");
    }
    let gml = "graph [ node [ id 1 y 0 label \"q\" a 1 b 0 ] node [ id 2 y 1 label \"q\" a 1 b 1 ] edge [ source 1 target 2 ] ]";
    let gml = folder.file("g.gml", gml);
    assert!(plain(&gml).1.contains("`y` is the label; `label` is also named like one"));
    // Several labels from attributes, as from columns.
    let mut params = LoadParams::default();
    params.label = Some("a,b".into());
    let (graph, _) = read(&gml, &params).unwrap();
    let Some(Target::Labels(sets)) = graph.target() else { panic!("label sets") };
    assert_eq!(sets.row(1), Some(&[1, 1][..]));
}

#[test]
fn archives_and_nested_graphs() {
    let folder = Folder::new("archives");
    let archive = |name: &str, members: &[(&str, &str)]| {
        let path = folder.0.join(name);
        let mut zip = zip::ZipWriter::new(std::fs::File::create(&path).unwrap());
        for (member, text) in members {
            zip.start_file(*member, zip::write::SimpleFileOptions::default()).unwrap();
            std::io::Write::write_all(&mut zip, text.as_bytes()).unwrap();
        }
        zip.finish().unwrap();
        path
    };
    let edges = ("data/edges.csv", "a,b\nb,c\n");
    let beside = [("__MACOSX/data/._edges.csv", "x"), (".DS_Store", "x"), ("README.md", "x"), edges];
    assert_eq!(plain(&archive("one.zip", &beside)).0.edge_count(), 2);
    let two = archive("two.zip", &[edges, ("nodes.csv", "id,x\na,1\n"), ("LICENSE", "x")]);
    refused(&two, &LoadParams::default(), &["give a file of `data/edges.csv`, `nodes.csv`"]);
    refused(&archive("none.zip", &[]), &LoadParams::default(), &["empty zip archive"]);
    let graphml = "<graphml><graph edgedefault='undirected'><node id='a'/><node id='b'/><node id='g'><graph><node id='c'/></graph></node><edge source='a' target='b'/><edge source='b' target='c'/></graph></graphml>";
    let (graph, notices) = plain(&folder.file("g.graphml", graphml));
    assert_eq!(graph.nodes(), 4);
    assert!(notices.contains("1 graph is part of a node"), "{notices}");
}
