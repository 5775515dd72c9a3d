//! Models from the outside: saved, asked in another process, refused where they are damaged.

use std::collections::{HashMap, HashSet};

use super::{Folder, netinfof, stderr, stdout};

/// A ring with chords whose nodes have names, as an edge list; names of nodes before `from` are left out.
fn named(n: usize, from: usize) -> String {
    let name = |i: usize| format!("node {}", i % n);
    let line = |i: usize, j: usize| format!("{},\"{}\"\n", name(i), name(j));
    let chords =
        |i: usize| [1, 2, 3].map(|step| if i >= from { line(i, i + step) } else { String::new() }).concat();
    format!("source,target\n{}", (0..n).map(chords).collect::<String>())
}

fn well(args: &[&str]) -> String {
    let output = netinfof(args);
    assert!(output.status.success(), "{args:?}: {}", stderr(&output));
    stdout(&output)
}

/// The one line that a fault is told in.
fn fault(args: &[&str]) -> String {
    let output = netinfof(args);
    assert_eq!(output.status.code(), Some(1), "{args:?}: {}", stderr(&output));
    assert_eq!(stdout(&output), "", "{args:?}");
    stderr(&output)
}

/// Cells of a CSV without its header; names here have no commas and no quotes inside.
fn cells(text: &str) -> Vec<Vec<String>> {
    let cell = |cell: &str| cell.trim_matches('"').to_string();
    text.lines().skip(1).map(|line| line.split(',').map(cell).collect()).collect()
}

fn fitted(folder: &Folder) -> String {
    let graph = folder.file("g.csv", named(300, 0));
    let model = folder.path("links.model");
    let test = folder.path("test.csv");
    let shown = well(&["act", &graph, "--save", &model, "--predictions", &test, "-q"]);
    assert!(shown.contains("model: ") && shown.contains("components"), "{shown}");
    model
}

#[test]
fn pairs_score_as_they_did_in_the_run() {
    let folder = Folder::new();
    let model = fitted(&folder);
    let test = std::fs::read_to_string(folder.path("test.csv")).unwrap();
    let tested = cells(&test);
    assert!(tested.len() > 100 && tested.iter().any(|row| row[2] == "0"));
    let found = well(&["predict", &model, "--pairs", &folder.path("test.csv"), "-q", "--threads", "1"]);
    assert!(found.starts_with("source,target,score,probability,prior\n"));
    let found = cells(&found);
    assert_eq!(found.len(), tested.len());
    for (found, tested) in found.iter().zip(&tested) {
        assert_eq!(found[..2], tested[..2]);
        assert_eq!(found[2..], tested[3..], "not the same bits");
    }
    // A prior moves the probabilities, and only them.
    let rare =
        cells(&well(&["predict", &model, "--pairs", &folder.path("test.csv"), "-q", "--prior", "0.001"]));
    let p = |row: &[String]| row[3].parse::<f64>().unwrap();
    assert!(rare.iter().all(|row| row[4] == "0.001") && found.iter().all(|row| row[4] == "0.5"));
    assert!(rare.iter().zip(&found).all(|(a, b)| a[2] == b[2] && p(a) < p(b)));

    // The same rows in every form.
    let ask = |name: &str| {
        let path = folder.path(name);
        well(&["predict", &model, "--pairs", &folder.path("test.csv"), "-q", "-o", &path]);
        std::fs::read(path).unwrap()
    };
    let lines = String::from_utf8(ask("p.jsonl")).unwrap();
    for (line, row) in lines.lines().zip(&found) {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!((value["source"].as_str(), value["target"].as_str()), (Some(&*row[0]), Some(&*row[1])));
        assert_eq!(value["score"].as_f64().unwrap().to_string(), row[2]);
    }
    assert_eq!(lines.lines().count(), found.len());
    let tabs = String::from_utf8(ask("p.tsv")).unwrap();
    assert_eq!(tabs.lines().nth(1).unwrap().split('\t').nth(2).unwrap(), found[0][2]);
    assert!(ask("p.parquet").starts_with(b"PAR1"));
}

#[test]
fn nodes_are_classified() {
    let folder = Folder::new();
    let (model, test) = (folder.path("m"), folder.path("test.csv"));
    well(&["act", "synth:demo", "--task", "nodes", "--save", &model, "--predictions", &test, "-q"]);
    let tested = cells(&std::fs::read_to_string(&test).unwrap());
    let found: HashMap<String, Vec<String>> = cells(&well(&["predict", &model, "--nodes", "-q"]))
        .into_iter()
        .map(|row| (row[0].clone(), row))
        .collect();
    assert_eq!(found.len(), 1200);
    // The run's own table has the true class too.
    assert!(tested.iter().all(|row| found[&row[0]][1..] == row[2..]), "not the same bits");
    let right = tested.iter().filter(|row| row[1] == row[2]).count();
    assert!(2 * right > tested.len());
    let sum = |row: &[String]| row[2..].iter().map(|p| p.parse::<f64>().unwrap()).sum::<f64>();
    assert!(found.values().all(|row| (sum(row) - 1.0).abs() < 1e-9));
    assert!(fault(&["predict", &model, "--pairs", &test]).contains("it was fitted for nodes, not for links"));
}

#[test]
fn partners_are_recommended_by_name() {
    let folder = Folder::new();
    let model = fitted(&folder);
    let edges: HashSet<[String; 2]> = cells(&named(300, 0))
        .into_iter()
        .flat_map(|row| [[row[0].clone(), row[1].clone()], [row[1].clone(), row[0].clone()]])
        .collect();
    let one = cells(&well(&["recommend", &model, "--node", "node 7", "node 250", "--k", "4", "-q"]));
    assert_eq!(one.len(), 8);
    assert_eq!([&one[0][0], &one[0][1], &one[4][0], &one[7][1]], ["node 7", "1", "node 250", "4"]);
    // All nodes: the lists of single nodes among them, best first.
    let all = cells(&well(&["recommend", &model, "--all", "--k", "4", "-q"]));
    assert_eq!(all.len(), 1200);
    for row in &one {
        assert!(all.contains(row), "{row:?}");
    }
    let new = cells(&well(&["recommend", &model, "--all", "--k", "4", "--exclude-known", "-q"]));
    assert!(new.iter().all(|row| !edges.contains(&[row[0].clone(), row[2].clone()])));
    assert!(all.iter().any(|row| edges.contains(&[row[0].clone(), row[2].clone()])));
    // Overall: what predict says of the same pairs, best first.
    let path = folder.path("overall.csv");
    well(&[
        "recommend",
        &model,
        "--overall",
        "--k",
        "25",
        "--exclude-known",
        "--edges",
        "all",
        "-q",
        "-o",
        &path,
    ]);
    let overall = cells(&std::fs::read_to_string(&path).unwrap());
    assert_eq!(overall.len(), 25);
    let pairs: String = overall.iter().map(|row| format!("{},{}\n", row[1], row[2])).collect();
    let pairs = folder.file("pairs.csv", pairs);
    let scored =
        cells(&("\n".to_string() + &well(&["predict", &model, "--pairs", &pairs, "--edges", "all", "-q"])));
    for (row, scored) in overall.iter().zip(&scored[1..]) {
        assert_eq!([&row[1], &row[2], &row[3]], [&scored[0], &scored[1], &scored[2]]);
    }
    let plain = folder.path("plain.model");
    well(&["act", &folder.path("g.csv"), "--components", "U,R", "--save", &plain, "-q"]);
    let vectors = folder.path("v.npz");
    well(&["recommend", &plain, "--vectors", &vectors, "-q"]);
    let mut zip = zip::ZipArchive::new(std::fs::File::open(vectors).unwrap()).unwrap();
    for name in ["queries.npy", "keys.npy", "ids.npy"] {
        assert!(zip.by_name(name).is_ok(), "{name}");
    }
}

#[test]
fn a_newer_graph_is_looked_at() {
    let folder = Folder::new();
    let model = fitted(&folder);
    // Nodes 280 to 299 are new names, tied to the old ones.
    let newer = named(300, 0) + "newcomer,node 5\nnewcomer,node 6\nnewcomer,node 7\n";
    let newer = folder.file("newer.csv", newer);
    let output = netinfof(&[
        "recommend",
        &model,
        "--graph",
        &newer,
        "--node",
        "newcomer",
        "--k",
        "5",
        "--exclude-known",
    ]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("which has 1 new node (the first is `newcomer`)"),
        "{}",
        stderr(&output)
    );
    let found = cells(&stdout(&output));
    let near: Vec<String> = [2, 3, 4, 8, 9, 10].map(|i| format!("node {i}")).to_vec();
    assert!(found.iter().filter(|row| near.contains(&row[2])).count() >= 3, "{found:?}");
    let strangers = folder.file("strangers.csv", "a,b\nb,c\nc,a\n");
    let said = fault(&["recommend", &model, "--graph", &strangers, "--all"]);
    assert!(said.contains("none of its 3 nodes is known to the model"), "{said}");
}

#[test]
fn faults_are_told_in_a_line_and_leave_nothing() {
    let folder = Folder::new();
    let model = fitted(&folder);
    let pairs = folder.file("pairs.csv", "source,target\nnode 1,node 2\nnode 3,nobody\n");
    let out = folder.path("out.csv");
    let said = fault(&["predict", &model, "--pairs", &pairs, "-o", &out]);
    assert!(said.contains("pairs.csv:3: `nobody` is not a node of the graph"), "{said}");
    let twice = folder.file("twice.csv", "node 1,node 2\nnode 1,node 1\n");
    let said = fault(&["predict", &model, "--pairs", &twice]);
    assert!(said.contains("twice.csv:2: `node 1` is paired with itself"), "{said}");
    let said = fault(&["recommend", &model, "--node", "nobody", "-o", &out]);
    assert!(said.contains("`nobody`") && said.contains("such as `node 299`"), "{said}");
    assert!(fault(&["recommend", &model]).contains("--node ID, --all, --overall"));
    assert!(fault(&["recommend", &model, "--all", "--k", "0"]).contains("at least 1"));
    assert!(fault(&["predict", &model, "--nodes"]).contains("fitted for links, not for nodes"));
    assert!(fault(&["predict", &model, "--pairs", &pairs, "--prior", "1"]).contains("above 0 and below 1"));
    assert!(
        fault(&["predict", &model, "--pairs", &pairs, "-o", "x.xlsx"])
            .contains(".csv, .tsv, .jsonl or .parquet")
    );
    assert!(fault(&["predict", &pairs, "--pairs", &pairs]).contains("not a model"));
    let bytes = std::fs::read(&model).unwrap();
    let cut = folder.file("cut.model", &bytes[..bytes.len() / 2]);
    assert!(fault(&["predict", &cut, "--pairs", &pairs]).contains("cut off or damaged"));
    let mut changed = bytes.clone();
    *changed.last_mut().unwrap() ^= 1;
    let changed = folder.file("changed.model", changed);
    assert!(fault(&["predict", &changed, "--pairs", &pairs]).contains("its digest does not match"));
    assert!(!std::path::Path::new(&out).exists());
    assert_eq!(netinfof(&["predict", &model]).status.code(), Some(2));
    // Said before the work is done.
    let said = fault(&["act", "synth:demo", "--save", &folder.path("none/m")]);
    assert!(said.contains("no such file"), "{said}");
    let left: Vec<String> = std::fs::read_dir(&folder.0)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.contains(".tmp"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

/// As OGB's link graphs are: the graph lists the training edges alone, the split brings the others.
#[test]
fn held_out_edges_of_an_own_split_are_known() {
    let folder = Folder::new();
    let all: Vec<Vec<String>> = cells(&named(300, 0));
    let lines =
        |rows: &[Vec<String>]| rows.iter().map(|row| format!("{},{}\n", row[0], row[1])).collect::<String>();
    // Every tenth edge validates, every other tenth tests; none of the first 300 nodes is lost.
    let pick = |at: usize| move |(k, _): &(usize, &Vec<String>)| k % 10 == at;
    let part =
        |at: usize| all.iter().enumerate().filter(pick(at)).map(|(_, row)| row.clone()).collect::<Vec<_>>();
    let (valid, test) = (part(3), part(7));
    let train: Vec<Vec<String>> = all
        .iter()
        .enumerate()
        .filter(|(k, _)| ![3, 7].contains(&(k % 10)))
        .map(|(_, row)| row.clone())
        .collect();
    let train = folder.file("train.csv", lines(&train));
    let [valid_file, test_file] =
        [("valid.csv", &valid), ("test.csv", &test)].map(|(name, rows)| folder.file(name, lines(rows)));
    let model = folder.path("m");
    well(&[
        "act",
        &train,
        "--train",
        &train,
        "--valid",
        &valid_file,
        "--test",
        &test_file,
        "--save",
        &model,
        "-q",
    ]);
    let found = cells(&well(&["recommend", &model, "--all", "--k", "20", "--exclude-known", "-q"]));
    for row in valid.iter().chain(&test) {
        let known =
            |r: &&Vec<String>| (r[0] == row[0] && r[2] == row[1]) || (r[0] == row[1] && r[2] == row[0]);
        assert!(!found.iter().any(|r| known(&r)), "{row:?}");
    }
}

#[test]
fn classes_keep_their_names_and_numbers_stay_numbers() {
    let folder = Folder::new();
    let n = 240;
    let edges: String = (0..n).map(|i| format!("{i},{}\n{i},{}\n", (i + 3) % n, (i + 6) % n)).collect();
    let kinds = ["red", "green", "blue"];
    let nodes: String = (0..n).map(|i| format!("{i},{},{}\n", i % 3, kinds[i % 3])).collect();
    let edges = folder.file("e.csv", edges);
    let nodes = folder.file("n.csv", format!("id,x,kind\n{nodes}"));
    let (model, test) = (folder.path("m"), folder.path("t.jsonl"));
    let label = ["--nodes", nodes.as_str(), "--label", "kind"];
    well(
        &[&["act", &edges, "--task", "nodes", "--save", &model, "--predictions", &test, "-q"], &label[..]]
            .concat(),
    );
    let found = well(&["predict", &model, "--nodes", "-q"]);
    assert!(found.starts_with("id,class,probability_blue,probability_green,probability_red\n"), "{found}");
    let right =
        cells(&found).iter().filter(|row| row[1] == kinds[row[0].parse::<usize>().unwrap() % 3]).count();
    assert!(right > n * 2 / 3, "{right}");
    let first: serde_json::Value =
        serde_json::from_str(std::fs::read_to_string(&test).unwrap().lines().next().unwrap()).unwrap();
    assert!(first["id"].is_u64() && first["class"].is_string() && first["label"].is_string(), "{first}");
    // The newer graph is read with the same words.
    let newer = ["--graph", edges.as_str(), "--node-table", &nodes, "--label", "kind"];
    let again = well(&[&["predict", &model, "--nodes", "-q"], &newer[..]].concat());
    assert_eq!(again, found);
    // Ids that are numbers but no nodes are no header.
    let links = folder.path("links");
    well(&["act", &edges, "--save", &links, "-q"]);
    let pairs = folder.file("pairs.csv", "5000,6000\n7,8\n");
    assert!(fault(&["predict", &links, "--pairs", &pairs]).contains("pairs.csv:1: `5000` is not a node"));
    let both = folder.path("both.csv");
    for clash in [["--json", "--save"], ["--save", "--predictions"], ["--html", "--json"]] {
        let said = fault(&["act", &edges, clash[0], &both, clash[1], &both]);
        assert!(said.contains("a file that no other output uses"), "{said}");
    }
    assert!(fault(&["act", &edges, "--save", "-"]).contains("a file that no other output uses"));
}

/// A copy of the label as a component of the user's own: found, used, saved, and predicted with in another process.
#[test]
fn own_components_go_all_the_way() {
    let folder = Folder::new();
    let graph = folder.file("g.csv", named(600, 0));
    let class = |i: usize| (i * 7919 + i / 3) % 3;
    let rows = |cell: &dyn Fn(usize) -> String| -> String {
        (0..600).map(|i| format!("node {i},{}\n", cell(i))).collect()
    };
    let nodes = folder.file("n.csv", format!("id,label\n{}", rows(&|i| class(i).to_string())));
    let copy =
        folder.file("copy.csv", format!("id,a,b\n{}", rows(&|i| format!("{},{}", class(i), 2 - class(i)))));
    let coins = folder.file("coins.csv", format!("id,a\n{}", rows(&|i| ((i * 48271) % 997).to_string())));
    let (model, json) = (folder.path("own.model"), folder.path("own.json"));
    let (copy, coins) = (format!("copy={copy}"), format!("coins={coins}"));
    let own = ["--component", &copy, "--component", &coins];
    let mut words = vec!["act", &graph, "--nodes", &nodes, "--task", "nodes", "--shares", "0.4,0.2", "-q"];
    words.extend(own);
    words.extend(["--save", &model, "--json", &json]);
    well(&words);
    let report: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&json).unwrap()).unwrap();
    let reason = report["verdict"]["reason"].as_str().unwrap();
    assert_eq!(report["verdict"]["kind"], "features", "{reason}");
    assert!(reason.contains("The user-supplied component `copy` carries"), "{reason}");
    assert!(report["mean"]["test"]["accuracy"].as_f64().unwrap() > 0.95, "{}", report["mean"]);
    assert!(report["components"]["copy"]["score"].as_f64() > report["components"]["coins"]["score"].as_f64());
    let shown = well(&["report", &json]);
    assert!(shown.contains("user-supplied copy") && shown.contains("all together with coins"), "{shown}");
    let found = cells(&well(&["predict", &model, "--nodes", "-q"]));
    let right = (0..600).filter(|&i| found[i][1] == class(i).to_string()).count();
    assert!(right > 570, "{right} of 600 right");
    // What cannot be is said in one line.
    let bad = folder.file("bad.csv", "id,a\nnode 1,x\n");
    for (component, what) in [
        (format!("copy={bad}"), "column `a`: `x` is not a finite number"),
        ("copy=/no/such/file".into(), "no such file"),
        (format!("U={bad}"), "not built in"),
    ] {
        let line = fault(&["probe", &graph, "--component", &component, "-q"]);
        assert!(line.contains(what), "{line}");
    }
}
