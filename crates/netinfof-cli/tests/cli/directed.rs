//! Directed graphs through the command.

use std::fmt::Write as _;

use super::{Folder, fault, well};

/// Three groups; edges lead from each to the next.
fn table() -> String {
    let mut text = String::from("source,target\n");
    for node in 0..120usize {
        for step in 0..8 {
            let other = (node + 1 + 3 * ((node * 7 + step * step * 5) % 40)) % 120;
            let _ = writeln!(text, "n{node},n{other}");
        }
    }
    text
}

#[test]
fn directions_are_kept_where_they_are_asked_for() {
    let folder = Folder::new();
    let edges = folder.file("edges.csv", table());
    let model = folder.path("g.model");
    let (shown, notes) = well(&["act", &edges, "--directed", "--save", &model]);
    assert!(notes.contains("directed, 120 nodes, each as `source:ID` and as `target:ID`"), "{notes}");
    assert!(
        shown.contains("directed (120 nodes as source and target)") && shown.contains("direction"),
        "{shown}"
    );
    let pairs = folder.file("pairs.csv", "n0,n1\nn1,n0\n");
    let (there, _) = well(&["predict", &model, "--pairs", &pairs, "-q"]);
    let score =
        |line: usize| -> f64 { there.lines().nth(line).unwrap().split(',').nth(2).unwrap().parse().unwrap() };
    assert!(score(1) > score(2), "{there}");
    let (newer, _) = well(&["predict", &model, "--pairs", &pairs, "--graph", &edges, "-q"]);
    assert_eq!(newer.lines().count(), 3);
    let (partners, _) = well(&["recommend", &model, "--node", "source:n0", "--k", "5", "-q"]);
    assert!(partners.contains("target:n") && !partners.contains("target:n0,"), "{partners}");
    assert!(fault(&["recommend", &model, "--node", "n0"]).contains("`source:n0` or `target:n0`"));
    // Saved as npz and read again.
    let copy = folder.path("copy.npz");
    well(&["convert", &edges, &copy, "--directed", "-q"]);
    let (facts, _) = well(&["inspect", &copy]);
    assert!(facts.contains("120 nodes, each as source and as target"), "{facts}");
}

/// The rows of a table without its header, in order.
fn rows(path: &str) -> Vec<String> {
    let text = std::fs::read_to_string(path).unwrap();
    let mut rows: Vec<String> = text.lines().skip(1).map(String::from).collect();
    rows.sort();
    rows
}

#[test]
fn directed_graphs_are_written_in_every_format_and_read_again() {
    let folder = Folder::new();
    let edges = folder.file("edges.csv", "source,target,weight\na,b,2\nb,a,3\nc,a,5\n");
    let nodes = folder.file("nodes.csv", "id,x,label\na,1,0\nb,2,1\nc,3,0\nalone,4,1\n");
    let [csv, table] = ["copy.csv", "copy.nodes.csv"].map(|name| folder.path(name));
    let given = ["--directed", "--weight", "weight", "--nodes"];
    let (shown, notes) = well(&[&["convert", &edges, &csv][..], &given, &[&nodes]].concat());
    assert!(shown.starts_with("4 nodes, 3 edges") && shown.contains("copy.nodes.csv"), "{shown}");
    assert!(notes.contains("give --directed where this file is read"), "{notes}");
    assert!(!notes.contains("--bipartite"), "{notes}");
    assert_eq!(rows(&csv), rows(&edges));
    assert_eq!(rows(&table), ["a,0,1", "alone,1,4", "b,1,2", "c,0,3"]);
    for name in ["copy.parquet", "copy.tsv", "copy.npz"] {
        let copy = folder.path(name);
        well(&[&["convert", &csv, &copy, "-q"][..], &given, &[&table]].concat());
        let (again, ids) = (folder.path("again.csv"), folder.path(&name.replace('.', ".nodes.")));
        let how = if name.ends_with("npz") { vec![] } else { [&given[..], &[&ids]].concat() };
        well(&[&["convert", &copy, &again, "-q"][..], &how].concat());
        assert_eq!(rows(&again), rows(&edges), "{name}");
        assert_eq!(rows(&folder.path("again.nodes.csv")), rows(&table), "{name}");
    }
    let market = folder.path("copy.mtx");
    well(&[&["convert", &edges, &market, "-q"][..], &given[..3]].concat());
    assert_eq!(rows(&market), ["1 2 2", "2 1 3", "3 1 5", "3 3 3"]);
}

#[test]
fn directed_input_is_named() {
    let folder = Folder::new();
    let gml = "graph [ directed 1 node [ id 0 ] node [ id 1 ] node [ id 2 ] edge [ source 0 target 1 ] edge [ source 2 target 1 ] ]";
    let gml = folder.file("g.gml", gml);
    let (_, notes) = well(&["inspect", &gml]);
    assert!(
        notes.contains("undirected and unweighted; read it as `directed` to keep the directions"),
        "{notes}"
    );
    let (_, notes) = well(&["inspect", &gml, "--directed"]);
    assert!(!notes.contains("not used: the graph") && notes.contains("directed, 3 nodes"), "{notes}");
    assert!(
        fault(&["inspect", "synth:demo", "--directed"])
            .contains("directions are not read from a generated graph")
    );
    let edges = folder.file("edges.csv", table());
    assert!(fault(&["inspect", &edges, "--directed", "--bipartite"]).contains("--bipartite"));
}

#[test]
fn nodes_of_directed_graphs_are_predicted_by_their_own_ids() {
    let folder = Folder::new();
    let edges = folder.file("edges.csv", table());
    let mut nodes = String::from("id,value,label\n");
    for node in 0..120 {
        let _ = writeln!(nodes, "n{node},{},{}", node % 7, ["a", "b", "c"][node % 3]);
    }
    let nodes = folder.file("nodes.csv", nodes);
    let [train, valid, test] = [("train", 0..60), ("valid", 60..80), ("test", 80..120)].map(|(name, own)| {
        let ids: Vec<String> = own.map(|node| format!("n{node}")).collect();
        folder.file(&format!("{name}.txt"), ids.join("\n"))
    });
    let (model, tested, all) = (folder.path("n.model"), folder.path("tested.csv"), folder.path("all.csv"));
    let own = ["--nodes", &nodes, "--directed", "--task", "nodes"];
    let split = ["--train", &train, "--valid", &valid, "--test", &test];
    let args = [&["act", &edges][..], &own, &split, &["--save", &model, "--predictions", &tested]].concat();
    let (shown, notes) = well(&args);
    assert!(shown.contains("3 classes · directed (120 nodes as source and target)"), "{shown}");
    assert!(notes.contains("as a source by its out-edges, and as a target by its in-edges"), "{notes}");
    let rows = |path: &str| -> Vec<String> {
        let text = std::fs::read_to_string(path).unwrap();
        text.lines().skip(1).map(|row| row.split(',').next().unwrap().to_string()).collect()
    };
    assert_eq!(rows(&tested).len(), 40);
    assert!(rows(&tested).contains(&"n85".to_string()));
    well(&["predict", &model, "--nodes", "-o", &all]);
    assert_eq!((rows(&all).len(), &rows(&all)[5][..]), (120, "n5"));
    // A newer graph is read with directions, too.
    well(&["predict", &model, "--nodes", "--graph", &edges, "--node-table", &nodes, "-o", &all]);
    assert_eq!(rows(&all).len(), 120);
    let (text, _) = well(&["inspect", &edges, "--nodes", &nodes, "--directed"]);
    assert!(text.contains("3, 120 of 120 nodes labelled") && text.contains("homophily"), "{text}");
}
