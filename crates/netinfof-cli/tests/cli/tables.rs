//! What the command says about tables: what was read, which columns, and what to do about those that cannot be used.

use std::io::Write as _;
use std::process::{Command, Stdio};

use super::{Folder, netinfof, ring, stderr, stdout};
use serde_json::Value;

/// People in two groups that their town and age predict, as a node table.
fn people(count: usize) -> String {
    let line = |at: usize| {
        let group = at % 2;
        let town = [["Rome", "Oslo"], ["Bern", "Kiel"]][group][at / 2 % 2];
        format!(
            "{at},p{at},{}.5,{town},{},g{group}\n",
            30 + 7 * group + at * 5 % 11,
            ["yes", "no"][at * at % 2]
        )
    };
    (0..count).map(line).collect::<String>()
}

const HEADER: &str = "person,nick,age,town,member,group\n";

#[test]
fn what_was_read_is_said_everywhere() {
    let folder = Folder::new();
    let edges = folder.file("e.csv", format!("source,target\n{}", ring(60, ",")));
    let nodes = folder.file("n.csv", format!("{HEADER}{}", people(60)));
    let args = ["inspect", &edges, "--nodes", &nodes, "--id", "person", "--label", "group"];
    let output = netinfof(&args);
    let said = stderr(&output);
    let line = "note: e: read as an edge list: ends from `source` and `target` (1 header line); ids from `person` (1 header line); 2 classes from \
                `group`; 3 features: 1 number, 1 boolean, 1 category; not used: `nick` (another text in every row: an id)";
    assert!(said.contains(line), "{said}");
    let shown = stdout(&output);
    for words in ["1 connected component", "g0: 30, g1: 30", "town", "Bern, Kiel, Oslo, Rome", "0.0 %"] {
        assert!(shown.contains(words), "{words}: {shown}");
    }
    let output = netinfof(&[&args[..], &["--json", "-", "--quiet"]].concat());
    assert_eq!(stderr(&output), "");
    let facts = serde_json::from_str::<Value>(&stdout(&output)).unwrap()["graph"].take();
    assert_eq!(
        (&facts["schema"]["id"], &facts["schema"]["dropped"][0]["name"]),
        (&"person".into(), &"nick".into())
    );
    assert_eq!(
        (&facts["columns"][1]["kind"], &facts["columns"][1]["levels"][0]),
        (&"category".into(), &"Bern".into())
    );
    assert_eq!((&facts["connected_components"], &facts["bipartite"]), (&1.into(), &false.into()));
    // The page, too.
    let page = folder.path("run.html");
    let run = [&["probe"], &args[1..], &["--task", "nodes", "--splits", "1", "--html", &page]].concat();
    let output = netinfof(&run);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = std::fs::read_to_string(&page).unwrap();
    assert!(text.contains("id=\"schema\"") && text.contains("1 category"), "the page says what was read");
}

#[test]
fn newer_rows_are_read_like_those_of_the_model() {
    let folder = Folder::new();
    let edges = folder.file("e.csv", ring(120, ","));
    let nodes = folder.file("n.csv", format!("{HEADER}{}", people(120)));
    let model = folder.path("groups.model");
    let args = [
        "act", &edges, "--nodes", &nodes, "--id", "person", "--label", "group", "--task", "nodes", "--save",
        &model,
    ];
    let output = netinfof(&[&args[..], &["--shares", "0.5,0.25"]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    // Other columns, in another order, with an unknown town; too few rows to see the kinds.
    let newer = folder.file("new.csv", "0,1\n1,2\n2,300\n");
    let table = folder.file(
        "new-nodes.csv",
        "person,town,age,member,extra\n0,Rome,31.5,yes,9\n1,Bern,42.5,no,8\n2,Oslo,35.5,yes,7\n300,Nowhere,40.5,no,6\n",
    );
    let predict = ["predict", &model, "--nodes", "--graph", &newer, "--node-table", &table, "--id", "person"];
    let output = netinfof(&predict);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(stderr(&output).contains("1 level is not known to the model"), "{}", stderr(&output));
    let classes: Vec<String> =
        stdout(&output).lines().skip(1).map(|line| line.split(',').nth(1).unwrap().to_string()).collect();
    assert_eq!(classes[..3], ["g0", "g1", "g0"]);
    // A column that the model needs cannot be missing.
    let table =
        folder.file("less.csv", "person,town,member\n0,Rome,yes\n1,Bern,no\n2,Oslo,yes\n300,Rome,no\n");
    let output = netinfof(&[
        "predict",
        &model,
        "--nodes",
        "--graph",
        &newer,
        "--node-table",
        &table,
        "--id",
        "person",
    ]);
    assert!(stderr(&output).contains("no feature column `age`"), "{}", stderr(&output));
}

#[test]
fn a_numeric_target_is_predicted_by_regression() {
    let folder = Folder::new();
    let edges = folder.file("e.csv", ring(60, ","));
    let table: String = (0..60).map(|at| format!("{at},{},{}\n", at % 7, at * at)).collect();
    let nodes = folder.file("n.csv", format!("id,x,target\n{table}"));
    let (model, predictions) = (folder.path("m.model"), folder.path("p.csv"));
    let page = folder.path("p.html");
    let run = ["--nodes", &nodes, "--task", "nodes", "--shares", "0.5,0.25", "--save", &model];
    let more = ["--predictions", &predictions, "--html", &page, "--seed", "1"];
    let output = netinfof(&[&["act", &edges], &run[..], &more[..]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).contains("60 different numbers: the target is numeric"), "{}", stderr(&output));
    let said = stdout(&output);
    for part in ["regression of nodes", "as R² of a Gaussian", "spearman", "constant"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(std::fs::read_to_string(&page).unwrap().contains("Predicted values"));
    let tested = std::fs::read_to_string(&predictions).unwrap();
    assert!(tested.starts_with("id,target,value,median,low,high\n"), "{tested}");
    // The saved model predicts the same, bit by bit.
    let all = stdout(&netinfof(&["predict", &model, "--nodes"]));
    let of = |id: &str| all.lines().find(|line| line.split(',').next() == Some(id)).unwrap().to_string();
    for line in tested.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        assert_eq!(of(cells[0]), [&cells[..1], &cells[2..]].concat().join(","));
    }
    let output = netinfof(&["inspect", &edges, "--nodes", &nodes]);
    assert!(stdout(&output).contains("target      numeric, known for 60 of 60"), "{}", stdout(&output));
    let args = ["probe", &edges, "--nodes", &nodes, "--task", "nodes", "--min-class", "2"];
    let output = netinfof(&args);
    assert!(stderr(&output).contains("this target has none"), "{}", stderr(&output));
    let args = ["act", &edges, "--nodes", &nodes, "--task", "nodes", "--node-model", "softmax"];
    assert!(stderr(&netinfof(&args)).contains("only classes have a softmax"), "{}", stderr(&netinfof(&args)));
}

#[test]
fn sets_of_labels_are_predicted() {
    let folder = Folder::new();
    let edges = folder.file("e.csv", ring(60, ","));
    let table: String =
        (0..60).map(|at| format!("{at},{},{},{}\n", at % 7, at / 30, u8::from(at % 7 < 3))).collect();
    let nodes = folder.file("n.csv", format!("id,x,half,small\n{table}"));
    let (model, page) = (folder.path("m.model"), folder.path("p.html"));
    let args = [
        "act",
        &edges,
        "--nodes",
        &nodes,
        "--label",
        "half,small",
        "--task",
        "nodes",
        "--shares",
        "0.5,0.25",
    ];
    let output = netinfof(&[&args[..], &["--save", &model, "--html", &page]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    for part in ["labels of nodes · 2 labels", "micro_f1", "macro_auc", "information about a label"] {
        assert!(stdout(&output).contains(part), "{part}: {}", stdout(&output));
    }
    assert!(std::fs::read_to_string(&page).unwrap().contains("label-table"));
    let found = stdout(&netinfof(&["predict", &model, "--nodes"]));
    assert!(found.starts_with("id,labels,probability_half,probability_small\n"), "{found}");
    assert_eq!(found.lines().count(), 61);
}

#[test]
fn columns_are_chosen_by_options() {
    let folder = Folder::new();
    let edges = folder.file("e.csv", ring(60, ","));
    let nodes = folder.file("n.csv", format!("{HEADER}{}", people(60)));
    let features = |options: &[&str]| {
        let args =
            ["inspect", &edges, "--nodes", &nodes, "--id", "person", "--label", "group", "--json", "-"];
        let output = netinfof(&[&args[..], options].concat());
        let facts = serde_json::from_str::<Value>(&stdout(&output)).map(|mut value| value["graph"].take());
        let names = |facts: Value| -> Vec<String> {
            facts["columns"]
                .as_array()
                .unwrap()
                .iter()
                .map(|c| c["name"].as_str().unwrap().to_string())
                .collect()
        };
        facts.map(names).map_err(|_| stderr(&output))
    };
    assert_eq!(features(&["--features", "a*,town"]).unwrap(), ["age", "town"]);
    assert_eq!(features(&["--drop", "age,nick"]).unwrap(), ["town", "member"]);
    assert!(features(&["--drop", "height"]).unwrap_err().contains("no feature column `height`"));
    assert!(features(&["--numeric", "town"]).unwrap_err().contains("is not a number"));
}

#[test]
fn standard_input_is_a_graph() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_netinfof"))
        .args(["inspect", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"source,target\nann,bob\nbob,cyd\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && stdout(&output).contains("nodes       3"), "{}", stderr(&output));
}
