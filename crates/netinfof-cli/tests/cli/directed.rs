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
    assert!(fault(&["probe", &edges, "--directed", "--task", "nodes"]).contains("--directed"));
    assert!(fault(&["inspect", &edges, "--directed", "--bipartite"]).contains("--bipartite"));
}
