//! Bipartite graphs through the command: ids of two spaces, pairs across the sides, rankings on held-out pairs.

use std::fmt::Write as _;

use super::{Folder, fault, netinfof, stderr, stdout};

/// Users and items with the same numbers, in blocks of three; those of a block are linked with a few exceptions.
fn ratings(separator: &str) -> (String, String) {
    let (mut train, mut test) = (String::new(), String::new());
    for user in 0..120usize {
        for item in (0..60usize).filter(|item| item % 3 == user % 3) {
            let chance = (user * user * 31 + item * item * 17 + user * item * 7 + 5) % 97;
            if chance < 45 {
                let _ = writeln!(train, "{user}{separator}{item}");
            } else if chance < 50 {
                let _ = writeln!(test, "{user}{separator}{item}");
            }
        }
    }
    (train, test)
}

fn well(args: &[&str]) -> String {
    let output = netinfof(args);
    assert!(output.status.success(), "{args:?}: {}", stderr(&output));
    stdout(&output)
}

#[test]
fn equal_ids_of_users_and_items_are_different_nodes() {
    let folder = Folder::new();
    let (train, test) = ratings(",");
    let plain = folder.file("plain.csv", &train);
    let named = folder.file("named.csv", format!("user,item\n{train}"));
    let held_out = folder.file("test.csv", &test);
    let sizes = |args: &[&str]| {
        let json = well(&[&["inspect"], args, &["--json", "-", "-q"]].concat());
        let value: serde_json::Value = serde_json::from_str(&json).unwrap();
        (value["graph"]["nodes"].as_u64().unwrap(), value["graph"]["sides"]["nodes"].clone())
    };
    assert_eq!(sizes(&[&named]), (180, serde_json::json!([120, 60])));
    assert_eq!(sizes(&[&plain, "--bipartite"]), (180, serde_json::json!([120, 60])));
    assert_eq!(sizes(&[&plain]), (120, serde_json::Value::Null));
    assert_eq!(sizes(&[&named, "--no-bipartite"]), (120, serde_json::Value::Null));
    // There and back through every format that keeps sides.
    for file in ["copy.npz", "copy.csv", "copy.parquet"] {
        let copy = folder.path(file);
        well(&["convert", &named, &copy, "-q"]);
        assert_eq!(sizes(&[&copy]), (180, serde_json::json!([120, 60])), "{file}");
    }
    let model = folder.path("m.model");
    let shown = well(&["act", &named, "--save", &model, "-q"]);
    assert!(
        shown.contains("bipartite (120 user, 60 item)") && shown.contains("recommendations: by"),
        "{shown}"
    );
    // An id may lack the name of its side in files of pairs, and must have it where it is ambiguous.
    let scores = well(&["predict", &model, "--pairs", &held_out, "-q"]);
    assert!(scores.contains("user:0,item:") && !scores.contains("item:0,user:"), "{scores}");
    let found = well(&["recommend", &model, "--k", "3", "-q", "--node", "user:5", "item:5", "100"]);
    let rows: Vec<&str> = found.lines().skip(1).collect();
    assert_eq!(rows.len(), 9);
    for row in rows {
        let cells: Vec<&str> = row.split(',').collect();
        assert_ne!(cells[0].split(':').next(), cells[2].split(':').next(), "{row}");
    }
    let said = fault(&["recommend", &model, "-q", "--node", "5"]);
    assert!(said.contains("`user:5` or `item:5`"), "{said}");
    let inside = folder.file("inside.csv", "source,target\nuser:1,user:2\n");
    let said = fault(&["predict", &model, "--pairs", &inside, "-q"]);
    assert!(said.contains("both nodes are on the side `user`"), "{said}");
    // Held-out pairs are ranked far better than by chance (20 of 60), and pairs that the model sees are refused.
    let json = well(&[
        "recommend",
        &model,
        "--edges",
        "all",
        "--evaluate",
        &held_out,
        "--k",
        "20",
        "--json",
        "-",
        "-q",
    ]);
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert!(value["recall"].as_f64().unwrap() > 0.6 && value["edges"].as_u64().unwrap() > 50, "{json}");
    let said = fault(&["recommend", &model, "--edges", "all", "--evaluate", &named, "-q"]);
    assert!(said.contains("edges that the model sees"), "{said}");
}

#[test]
fn splits_inside_a_side_are_found() {
    let folder = Folder::new();
    let (train, test) = ratings(",");
    let graph = folder.file("g.csv", format!("user,item\n{train}{test}"));
    let train = folder.file("train.csv", train);
    let lines: Vec<&str> = test.lines().collect();
    let (first, second) = lines.split_at(lines.len() / 2);
    let valid = folder.file("valid.csv", first.join("\n"));
    let rest: String = second.iter().map(|line| format!("{line},1\n")).collect();
    let negatives = "user:1,user:2,0\nuser:4,item:6,0\n";
    let test = folder.file("test.csv", rest + negatives);
    let output =
        netinfof(&["check-split", &graph, "--train", &train, "--valid", &valid, "--test", &test, "-q"]);
    assert_eq!(output.status.code(), Some(1));
    let shown = stdout(&output);
    assert!(shown.contains("1 of 2 test negative pairs lie inside one side"), "{shown}");
}

/// A node table for both sides; ids that are on both sides need the name of their side.
#[test]
fn node_tables_of_two_sides_are_read() {
    let folder = Folder::new();
    let graph = folder.file("g.csv", "user,item\n1,1\n1,2\n2,7\n");
    let table = folder.file("n.csv", "id,a\nuser:1,0.5\nitem:1,1\nuser:2,2\nitem:2,3\n7,4\nuser:9,5\n");
    let json = well(&["inspect", &graph, "--nodes", &table, "--json", "-", "-q"]);
    let value: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(value["graph"]["sides"]["nodes"], serde_json::json!([3, 3]));
    for (content, said) in [
        ("id,a\n1,0.5\n", "id `1` is on both sides; write `user:1` or `item:1`"),
        ("id,a\nuser:1,0\nitem:1,0\nuser:2,0\nitem:2,0\nitem:7,0\n8,1\n", "its side is unknown"),
        ("id,a\nuser:1,0\n", "4 of 5 nodes of the edges are not in the node table"),
        ("id,a\nuser:1,0\nitem:7,0\n7,0\n", "id `7` occurs twice"),
    ] {
        let table = folder.file("bad.csv", content);
        let shown = fault(&["inspect", &graph, "--nodes", &table, "-q"]);
        assert!(shown.contains(said), "{shown}");
    }
}

/// A filter has no scores for a user without edges: the model ranks its items by features.
#[test]
fn users_without_edges_get_items_by_their_features() {
    let folder = Folder::new();
    // Six blocks of which features show three: a filter ranks better than the model where there are edges.
    let mut edges = String::from("user,item\n");
    for (user, item) in (0..240usize).flat_map(|user| (0..90usize).map(move |item| (user, item))) {
        let chance = (user * user * 31 + item * item * 17 + user * item * 7 + 5) % 97;
        if user % 6 == item % 6 && chance < 60 {
            let _ = writeln!(edges, "u{user},i{item}");
        }
    }
    let mut nodes = String::from("id,height,width\n");
    let mut row = |id: String, block: usize| {
        let _ = writeln!(nodes, "{id},{},{}", [0.0, 5.0, 9.0][block], [7.0, 1.0, 3.0][block]);
    };
    (0..240).for_each(|user| row(format!("u{user}"), user % 3));
    (0..90).for_each(|item| row(format!("i{item}"), item % 3));
    row("user:u999".into(), 1);
    let (edges, nodes) = (folder.file("e.csv", edges), folder.file("n.csv", nodes));
    let model = folder.path("m.model");
    let shown = well(&["act", &edges, "--nodes", &nodes, "--components", "F", "--save", &model, "-q"]);
    assert!(shown.contains("recommendations: by a"), "a filter was chosen: {shown}");
    let found = well(&["recommend", &model, "--k", "9", "-q", "--node", "u999", "u4"]);
    // u4 has no edge to three items of its block.
    for (user, count) in [("u999", 9), ("u4", 3)] {
        let own = found.lines().filter(|row| row.starts_with(&format!("{user},"))).take(count);
        let item = |row: &str| -> usize {
            row.split(',').find_map(|cell| cell.strip_prefix('i')).unwrap().parse().unwrap()
        };
        assert!(own.clone().count() == count && own.clone().all(|row| item(row) % 3 == 1), "{user}: {found}");
    }
}

#[test]
fn a_newer_graph_is_read_like_that_of_the_model() {
    let folder = Folder::new();
    // Only the structure shows the sides: either kind of node may be in either column.
    let all = (0..60usize).flat_map(|user| (0..30usize).map(move |item| (user, item)));
    let edges =
        all.filter(|(user, item)| (user * user * 31 + item * item * 17 + user * item * 7 + 5) % 97 < 30);
    let lines = edges.enumerate().map(|(at, (user, item))| {
        if at % 2 == 0 { format!("u{user},v{item}\n") } else { format!("v{item},u{user}\n") }
    });
    let graph = folder.file("g.csv", format!("source,target\n{}", lines.collect::<String>()));
    let model = folder.path("g.model");
    assert!(well(&["act", &graph, "--save", &model, "-q"]).contains("bipartite"));
    let output = netinfof(&["recommend", &model, "--graph", &graph, "--node", "u5", "--k", "2"]);
    let (said, found) = (stderr(&output), stdout(&output));
    assert!(output.status.success() && !said.contains("new node"), "{said}");
    let partners: Vec<&str> = found.lines().skip(1).map(|row| row.split(',').nth(2).unwrap()).collect();
    assert!(partners.len() == 2 && partners.iter().all(|id| id.starts_with('v')), "{found}");
}

#[test]
fn sides_that_a_format_cannot_state_are_said() {
    let folder = Folder::new();
    let list = folder.file("lend.csv", "lender,shop\n1,1\n1,2\n2,1\n2,3\n");
    let said = |file: &str| {
        let output = netinfof(&["convert", &list, &folder.path(file), "--bipartite"]);
        assert!(output.status.success(), "{}", stderr(&output));
        stderr(&output)
    };
    assert!(said("a.csv").contains("`lender` and `shop` are two sides: give --bipartite"));
    assert!(said("a.mtx").contains("cannot store features, labels, names and sides"));
    assert!(!said("a.npz").contains("sides: "));
    let known = folder.file("known.csv", "user,shop\n1,1\n1,2\n2,1\n2,3\n");
    assert!(!stderr(&netinfof(&["convert", &known, &folder.path("b.csv")])).contains("give --bipartite"));
}
