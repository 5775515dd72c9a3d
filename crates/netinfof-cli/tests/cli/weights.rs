//! Weights of edges through the command: which column, what is refused, and there and back through files.

use std::fmt::Write as _;

use super::{Folder, fault, well};

/// A ring with chords; each edge has a weight.
fn table(nodes: usize) -> String {
    let mut text = String::from("source,target,weight,year\n");
    for node in 0..nodes {
        for step in [1, 2, 5] {
            let other = (node + step) % nodes;
            let _ = writeln!(text, "n{node},n{other},{},2020", 1 + (node * step) % 7);
        }
    }
    text
}

fn graph_of(args: &[&str]) -> serde_json::Value {
    let (json, _) = well(&[&["inspect"], args, &["--json", "-", "-q"]].concat());
    serde_json::from_str::<serde_json::Value>(&json).unwrap()["graph"].clone()
}

#[test]
fn a_column_of_weights_is_offered_and_used() {
    let folder = Folder::new();
    let edges = folder.file("edges.csv", table(40));
    let (_, notes) = well(&["inspect", &edges]);
    assert!(notes.contains("give `weight` as `weight` to use it"), "{notes}");
    let plain = graph_of(&[&edges]);
    assert_eq!((&plain["weighted"], &plain["weights"]), (&false.into(), &serde_json::Value::Null));
    for column in ["weight", "3"] {
        let own = graph_of(&[&edges, "--weight", column]);
        assert_eq!(own["weighted"], true);
        let expected =
            serde_json::json!({"transform": "log", "smallest": 1.0, "median": 4.0, "largest": 7.0});
        assert_eq!(own["weights"], expected);
        assert_eq!(own["schema"]["weight"], "weight");
    }
    let (shown, notes) = well(&["inspect", &edges, "--weight", "weight", "--weight-scale", "linear"]);
    assert!(shown.contains("with weights from 1 to 7, median 4 (linear scale)"), "{shown}");
    assert!(notes.contains("column `year` is not used: the graph is treated as undirected"), "{notes}");
}

#[test]
fn parallel_edges_and_directions_are_counted() {
    let folder = Folder::new();
    let edges = folder
        .file("edges.csv", "source,target,weight\na,b,1\na,b,2\nb,c,2\nc,b,4\nc,d,5\nd,c,5\nd,e,0\ne,a,3\n");
    let copy = folder.path("copy.csv");
    let (_, notes) = well(&["convert", &edges, &copy, "--weight", "weight"]);
    for part in [
        "1 edge listed several times: the weights are summed",
        "the mean is used",
        "1 edge of weight 0 dropped",
    ] {
        assert!(notes.contains(part), "{notes}");
    }
    let written = std::fs::read_to_string(&copy).unwrap();
    assert_eq!(written, "source,target,weight\na,b,3\na,e,3\nb,c,3\nc,d,5\n");
}

#[test]
fn bad_weights_are_refused_with_their_line() {
    let folder = Folder::new();
    let with =
        |weight: &str| folder.file("edges.csv", format!("source,target,weight\na,b,1\nb,c,{weight}\n"));
    let said = fault(&["inspect", &with("-10"), "--weight", "weight"]);
    assert!(
        said.contains("edges.csv:3: weight -10 is negative") && said.contains("leave `weight` out"),
        "{said}"
    );
    assert!(fault(&["inspect", &with(""), "--weight", "weight"]).contains("edges.csv:3: no weight"));
    assert!(fault(&["inspect", &with("heavy"), "--weight", "weight"]).contains("`heavy` is not a number"));
    let said = fault(&["inspect", &with("2"), "--weight", "strength"]);
    assert!(said.contains("strength") && said.contains("`weight`"), "{said}");
    assert!(fault(&["inspect", &with("2"), "--weight", "source"]).contains("holds no ids"));
    let said = fault(&["inspect", "synth:demo", "--weight", "weight"]);
    assert!(said.contains("weights are not read from a generated graph"), "{said}");
}

#[test]
fn weights_that_are_called_distances_are_questioned() {
    let folder = Folder::new();
    for (name, questioned) in [("distance", true), ("Travel_Time", true), ("weight", false)] {
        let edges = folder.file("edges.csv", format!("source,target,{name}\na,b,1\nb,c,2\n"));
        for options in [&[][..], &["--directed"]] {
            let (_, notes) = well(&[&["inspect", &edges, "--weight", name], options].concat());
            assert_eq!(notes.contains("turn them round first"), questioned, "{name}: {notes}");
        }
    }
}

#[test]
fn weights_survive_every_format() {
    let folder = Folder::new();
    let edges = folder.file("edges.csv", table(30));
    let own = graph_of(&[&edges, "--weight", "weight"])["weights"].clone();
    for (file, options) in [
        ("copy.npz", &[][..]),
        ("copy.csv", &["--weight", "weight"]),
        ("copy.parquet", &["--weight", "weight"]),
        ("copy.mtx", &["--weight", "value"]),
    ] {
        let copy = folder.path(file);
        well(&["convert", &edges, &copy, "--weight", "weight", "-q"]);
        assert_eq!(graph_of(&[&[copy.as_str()], options].concat())["weights"], own, "{file}");
    }
    let gml = folder.file("g.gml", "graph [ node [ id 0 ] node [ id 1 ] node [ id 2 ] edge [ source 0 target 1 weight 2 ] edge [ source 1 target 2 weight 6.5 ] ]");
    assert_eq!(graph_of(&[&gml, "--weight", "weight"])["weights"]["largest"], 6.5);
    let links = folder.file(
        "g.json",
        r#"{"nodes":[{"id":"a"},{"id":"b"},{"id":"c"}],"links":[{"source":"a","target":"b","value":2},{"source":"b","target":"c","value":3}]}"#,
    );
    assert_eq!(graph_of(&[&links, "--weight", "value"])["weights"]["largest"], 3.0);
    assert!(fault(&["inspect", &links, "--weight", "weight"]).contains("an attribute of the edges: `value`"));
    let pajek = folder.file("g.net", "*Vertices 3\n*Edges\n1 2 5\n2 3\n");
    let own = graph_of(&[&pajek, "--weight", "values"])["weights"].clone();
    assert_eq!((&own["smallest"], &own["largest"]), (&1.0.into(), &5.0.into()));
    let graphml = folder.file(
        "g.graphml",
        r#"<graphml><key id="w" for="edge" attr.name="weight" attr.type="double"><default>4</default></key><graph edgedefault="undirected"><node id="a"/><node id="b"/><node id="c"/><edge source="a" target="b"><data key="w">1.5</data></edge><edge source="b" target="c"/></graph></graphml>"#,
    );
    let own = graph_of(&[&graphml, "--weight", "weight"])["weights"].clone();
    assert_eq!((&own["smallest"], &own["largest"]), (&1.5.into(), &4.0.into()));
}

#[test]
fn models_read_the_weights_of_newer_graphs() {
    let folder = Folder::new();
    let edges = folder.file("edges.csv", table(120));
    let model = folder.path("g.model");
    well(&["act", &edges, "--weight", "weight", "--save", &model, "-q"]);
    let pairs = folder.file("pairs.csv", "n1,n2\nn5,n50\n");
    let (own, _) = well(&["predict", &model, "--edges", "all", "--pairs", &pairs, "-q"]);
    let newer = |edges: &str| well(&["predict", &model, "--pairs", &pairs, "--graph", edges, "-q"]).0;
    assert_eq!(newer(&edges), own);
    let other = folder.file("other.csv", table(120).replace(",3,2020", ",9,2020"));
    assert_ne!(newer(&other), own);
    let bare = folder.file("bare.csv", table(120).replace("weight", "amount"));
    let said = fault(&["predict", &model, "--pairs", &pairs, "--graph", &bare, "-q"]);
    assert!(said.contains("`weight`") || said.contains("weight: weight"), "{said}");
    let own_column =
        well(&["predict", &model, "--pairs", &pairs, "--graph", &bare, "--weight", "amount", "-q"]).0;
    assert_eq!(own_column, own);
    // Bipartite lists have weights, too.
    let named = folder.file("ratings.csv", "user,item,rating\n1,1,5\n1,2,1\n2,1,3\n2,3,2\n");
    assert_eq!(graph_of(&[&named, "--weight", "rating"])["weights"]["largest"], 5.0);
}
