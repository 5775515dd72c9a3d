//! Every fault of the README's table: one clear line, exit status 1 (2 for options that cannot apply), nothing on standard output.

use super::{Folder, floats, ints, netinfof, npz, ring, stderr};

/// Runs the command and returns the line that says what is wrong.
fn fault(args: &[&str]) -> String {
    let output = netinfof(args);
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{args:?}: {said}");
    assert!(output.stdout.is_empty(), "{args:?} printed to stdout");
    assert!(!said.contains("panicked"), "{said}");
    let errors: Vec<&str> = said.lines().filter(|line| line.starts_with("error: ")).collect();
    assert_eq!(errors.len(), 1, "{said}");
    errors[0].to_string()
}

fn says(args: &[&str], words: &[&str]) {
    let line = fault(args);
    for word in words {
        assert!(line.contains(word), "{line:?} should say {word:?}");
    }
}

#[test]
fn missing_file() {
    says(&["probe", "/no/such/graph.npz"], &["/no/such/graph.npz", "no such file"]);
}

#[test]
fn folder_instead_of_a_file() {
    let folder = Folder::new();
    says(&["probe", folder.0.to_str().unwrap()], &["is a folder"]);
}

#[test]
fn not_an_npz() {
    let folder = Folder::new();
    says(&["probe", &folder.file("a.npz", b"PK\x03\x04junk")], &["a.npz", "not a readable npz"]);
    let empty = folder.path("b.npz");
    npz(empty.as_ref(), &[("other", "<i4", "(1,)", ints(&[1]))]);
    says(&["probe", &empty], &["no array `edge_index`", "`other`"]);
}

#[test]
fn damaged_and_boasting_npz_arrays() {
    let folder = Folder::new();
    for (name, shape, bytes) in [
        ("short.npz", "(2, 3)", ints(&[0, 1])),
        ("long.npz", "(2, 1)", ints(&[0, 1, 2])),
        ("huge.npz", "(2, 1000000000000000)", ints(&[0, 1])),
        ("overflow.npz", "(4611686018427387904, 8)", ints(&[0, 1])),
    ] {
        let path = folder.path(name);
        npz(path.as_ref(), &[("edge_index", "<i4", shape, bytes)]);
        says(&["probe", &path], &["array `edge_index`"]);
    }
}

#[test]
fn ragged_rows_name_the_line() {
    let folder = Folder::new();
    says(&["probe", &folder.file("r.csv", "1,2\n3\n4,5\n")], &["r.csv:2:", "1 column where line 1 has 2"]);
    says(&["probe", &folder.file("one.csv", "1\n2\n")], &["one.csv:1:", "an edge needs two ids"]);
    says(&["probe", &folder.file("gap.csv", "1,2\n3,\n")], &["gap.csv:2:", "empty id"]);
}

#[test]
fn text_that_is_no_text() {
    let folder = Folder::new();
    says(&["probe", &folder.file("n.csv", b"a,b\n\xff\xfe,c\n")], &["n.csv:2:", "UTF-8"]);
    says(&["probe", &folder.file("t.gz", b"\x1f\x8bjunk")], &["t.gz"]);
}

#[test]
fn features_that_are_no_numbers() {
    let folder = Folder::new();
    let path = folder.path("nan.npz");
    npz(
        path.as_ref(),
        &[
            ("edge_index", "<i4", "(2, 1)", ints(&[0, 1])),
            ("x", "<f4", "(2, 2)", floats(&[0.0, 1.0, f32::INFINITY, 0.0])),
        ],
    );
    says(&["probe", &path], &["node 1, column 0", "infinite; a missing value is NaN"]);
    let edges = folder.file("e.csv", "a,b\n");
    let nodes = folder.file("n.csv", "id,height\na,1.5\nb,tall\n");
    // Two different texts in two rows could be names; a column of numbers is one by its rows, or as asked.
    says(&["probe", &edges, "--nodes", &nodes, "--numeric", "height"], &["n.csv: column `height`", "`tall`"]);
    let rows: String = (0..40).map(|at| format!("n{at},{at}.5\n")).collect();
    let nodes = folder.file("l.csv", format!("id,height\n{rows}a,1\nb,tall\n"));
    says(&["probe", &edges, "--nodes", &nodes], &["l.csv:43:", "`height`", "`tall`"]);
    let nodes = folder.file("m.csv", "id,height\na,1.5\nb,inf\n");
    says(&["probe", &edges, "--nodes", &nodes, "--numeric", "height"], &["m.csv", "`inf`"]);
}

#[test]
fn feature_rows_and_nodes_disagree() {
    let folder = Folder::new();
    let path = folder.path("rows.npz");
    npz(
        path.as_ref(),
        &[("edge_index", "<i4", "(2, 1)", ints(&[0, 1])), ("x", "<f4", "(3, 1)", floats(&[0.0, 1.0, 2.0]))],
    );
    says(&["probe", &path], &["3 feature rows for 2 nodes"]);
}

#[test]
fn ids_out_of_range() {
    let folder = Folder::new();
    let path = folder.path("range.npz");
    npz(
        path.as_ref(),
        &[("edge_index", "<i4", "(2, 2)", ints(&[0, 1, 1, 9])), ("num_nodes", "<i4", "()", ints(&[5]))],
    );
    says(&["probe", &path], &["edge 1 is (1, 9)", "below 5"]);
    let path = folder.path("negative.npz");
    npz(path.as_ref(), &[("edge_index", "<i4", "(2, 1)", ints(&[0, -1]))]);
    says(&["probe", &path], &["negative"]);
}

#[test]
fn ids_that_the_node_table_does_not_know() {
    let folder = Folder::new();
    let edges = folder.file("e.csv", "source,target\na,b\nb,zed\n");
    let nodes = folder.file("n.csv", "id,x\na,1\nb,2\n");
    says(&["probe", &edges, "--nodes", &nodes], &["1 id of", "is not in the node table", "`zed` (line 3)"]);
    let twice = folder.file("t.csv", "id,x\na,1\na,2\n");
    says(&["probe", &edges, "--nodes", &twice], &["t.csv:3:", "`a` occurs twice"]);
    says(&["probe", &edges, "--nodes", &nodes, "--label", "colour"], &["`label`: colour", "`x`"]);
}

#[test]
fn empty_graphs() {
    let folder = Folder::new();
    says(&["probe", &folder.file("e.csv", "")], &["e.csv", "empty"]);
    says(&["probe", &folder.file("loops.csv", "1,1\n2,2\n")], &["no edges"]);
    says(&["probe", &folder.file("header.csv", "source,target\n")], &["no edges"]);
}

#[test]
fn too_small_or_too_dense_to_split() {
    let folder = Folder::new();
    says(&["probe", &folder.file("one.csv", "0,1\n")], &["too small", "1 edge,"]);
    let complete: String = (0..12).flat_map(|i| (0..i).map(move |j| format!("{i},{j}\n"))).collect();
    says(&["probe", &folder.file("complete.csv", complete)], &["too dense"]);
}

#[test]
fn labels_that_cannot_be_learned() {
    let folder = Folder::new();
    let edges = folder.file("ring.csv", ring(40, ","));
    says(&["probe", &edges, "--task", "nodes"], &["no labels"]);
    let table = |label: &dyn Fn(usize) -> usize| -> String {
        (0..40).fold("id,label\n".into(), |text, node| text + &format!("{node},{}\n", label(node)))
    };
    let one = folder.file("one.csv", table(&|_| 1));
    says(&["probe", &edges, "--nodes", &one, "--task", "nodes"], &["only one class"]);
    let lone = folder.file("lone.csv", table(&|node| usize::from(node == 3)));
    says(
        &["probe", &edges, "--nodes", &lone, "--task", "nodes"],
        &["class 1 has 1 labelled node", "--min-class"],
    );
    let two = folder.file("two.csv", table(&|node| node % 2));
    let ids = |from: usize, to: usize| (from..to).map(|id| format!("{id}\n")).collect::<String>();
    let (train, valid) = (folder.file("t.txt", ids(0, 10)), folder.file("v.txt", ids(5, 20)));
    let test = folder.file("e.txt", ids(20, 40));
    let own = [
        "act", &edges, "--nodes", &two, "--task", "nodes", "--train", &train, "--valid", &valid, "--test",
        &test,
    ];
    says(&own, &["node 5 is in the training set and in the validation set"]);
}

#[test]
fn more_hits_than_negatives() {
    let folder = Folder::new();
    let graph = folder.file("ring.csv", ring(100, ","));
    says(&["act", &graph, "--hits", "500"], &["`hits`: 500", "at most 20"]);
}

#[test]
fn parameters_out_of_range() {
    says(&["probe", "--components", "U,Q"], &["`components`: Q", "U, R, F, P, S"]);
    says(
        &["probe", "--task", "nodes", "--components", "U,X"],
        &["`components`: X", "X is computed for pairs"],
    );
    says(
        &["act", "--negatives", "heart", "--protocol", "paper"],
        &["`negatives`", "uniform in the paper protocol"],
    );
    says(&["act", "--penalties", "path", "--lambda1", "1e-3"], &["`penalties`", "grid where"]);
    says(&["act", "--shares", "0.5"], &["`shares`", "0.85,0.05"]);
    says(&["act", "--shares", "0.9,0.2"], &["`valid`: 0.2"]);
    says(&["act", "--crossfit", "5000"], &["`crossfit`: 5000"]);
    says(&["act", "--crossfit", "1"], &["`crossfit`: 1", "2 to 1000"]);
    says(&["act", "--train-negatives", "0"], &["`train_negatives`: 0"]);
    says(&["probe", "--dim", "0"], &["`dim`: 0"]);
    says(&["probe", "--splits", "0"], &["`splits`: 0"]);
    says(&["probe", "--bins", "1"], &["`bins`: 1"]);
    says(&["act", "--hits", "0"], &["`hits`: 0"]);
    says(&["probe", "synth:nosuch"], &["synth:nosuch"]);
}

/// Runs the command with options that make no sense together and returns the line that says so.
fn misuse(args: &[&str]) -> String {
    let output = netinfof(args);
    let said = stderr(&output);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{args:?}: {said}");
    assert_eq!(said.lines().filter(|line| !line.is_empty()).count(), 1, "{said}");
    said.trim().to_string()
}

#[test]
fn options_of_the_other_task() {
    let links = [
        ["--protocol", "clean"],
        ["--negatives", "heart"],
        ["--compat", "h"],
        ["--bins", "4"],
        ["--crossfit", "3"],
        ["--train-negatives", "2"],
        ["--max-pairs", "900"],
        ["--compat-edges", "900"],
        ["--hits", "7"],
        ["--penalties", "grid"],
    ];
    let nodes =
        [["--clusters-per-class", "3"], ["--normalization", "both"], ["--min-class", "0"], ["--max-p", "1"]];
    for command in ["probe", "act"] {
        for (options, task, own) in [(&links[..], "nodes", "links"), (&nodes[..], "links", "nodes")] {
            for [option, value] in options {
                let expected =
                    format!("error: `{option}` applies to `--task {own}`, not to `--task {task}`; remove it");
                assert_eq!(misuse(&[command, "--task", task, option, value]), expected);
            }
        }
    }
    let said =
        misuse(&["probe", "--task", "nodes", "--negatives", "heart", "--keep-lengths", "--ordered-pairs"]);
    assert!(
        said.contains("`--negatives`, `--keep-lengths` and `--ordered-pairs` apply to `--task links`"),
        "{said}"
    );
    let said = misuse(&["check-split", "--task", "nodes", "--allow", "unlabelled,not-in-graph"]);
    assert!(said.contains("`--allow not-in-graph`: no such finding with `--task nodes`"), "{said}");
}

#[test]
fn options_without_effect() {
    let folder = Folder::new();
    let graph = folder.file("ring.csv", ring(60, ","));
    let notices = |args: &[&str]| {
        let output = netinfof(args);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stderr(&output)
    };
    let said = notices(&["probe", &graph, "--hits", "7", "--components", "U"]);
    assert!(said.contains("`--hits` has no effect in `probe`: only `act` uses it"), "{said}");
    let edges: Vec<String> = ring(60, ",").lines().map(String::from).collect();
    let part = |name: &str, from: usize, to: usize| folder.file(name, edges[from..to].join("\n"));
    let (train, valid, test) = (part("a", 0, 80), part("b", 80, 95), part("c", 95, 120));
    let own = ["--train", &train, "--valid", &valid, "--test", &test, "--components", "U"];
    let said = notices(&[&["probe", &graph, "--shares", "0.8,0.1"][..], &own].concat());
    assert!(said.contains("`--shares` has no effect with `--train`"), "{said}");
    let model = folder.path("classes.model");
    notices(&["act", "--task", "nodes", "--components", "S", "--save", &model]);
    let said = notices(&["predict", &model, "--nodes", "--prior", "0.1"]);
    assert!(said.contains("`--prior` has no effect with `--nodes`"), "{said}");
}

#[test]
fn self_loops_among_held_out_edges() {
    let folder = Folder::new();
    let graph = folder.file("ring.csv", ring(60, ","));
    let edges: Vec<String> = ring(60, ",").lines().map(String::from).collect();
    let part = |name: &str, from: usize, to: usize| folder.file(name, edges[from..to].join("\n"));
    let (train, valid) = (part("a", 0, 80), part("b", 80, 95));
    let test = folder.file("c", edges[95..].join("\n") + "\n7,7\n");
    says(
        &["probe", &graph, "--train", &train, "--valid", &valid, "--test", &test],
        &["test edge (7, 7) is a self loop", "remove it"],
    );
}
