//! Pages, reports from JSON, and checks of splits.

use super::{Folder, netinfof, ring, stderr, stdout};
use serde_json::Value;

#[test]
fn a_page_from_the_json_is_the_page_of_the_run() {
    let folder = Folder::new();
    let (page, run) = (folder.path("page.html"), folder.path("run.json"));
    for args in [&["act", "--splits", "2"][..], &["probe", "--task", "nodes"]] {
        let output = netinfof(&[args, &["--html", &page, "--json", &run]].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        let again = netinfof(&["report", &run]);
        assert!(
            stdout(&again).contains("run.html") && stdout(&again).starts_with(&stdout(&output)),
            "{}",
            stdout(&again)
        );
        let read = |path: &str| std::fs::read_to_string(path).unwrap();
        // The map needs the graph, which a report does not hold.
        let (before, rest) = read(&page)
            .split_once("<section id=\"map\">")
            .map(|(a, b)| (a.to_string(), b.to_string()))
            .unwrap();
        let after = rest.split_once("</section>\n").unwrap().1;
        let before = before.replace("<li><a href=\"#map\">Map</a></li>", "");
        assert_eq!(format!("{before}{after}"), read(&folder.path("run.html")));
        let html = read(&page);
        assert!(
            !html.contains("src=") && !html.contains("href=\"http") && !html.contains("@import"),
            "nothing is loaded"
        );
        let json: Value = serde_json::from_str(&read(&run)).unwrap();
        let command = json["command"].as_str().unwrap();
        assert!(command.starts_with("netinfof ") && command.contains("--html"), "{command}");
    }
}

#[test]
fn plots_are_written_or_refused_in_one_line() {
    let folder = Folder::new();
    let (svg, run) = (folder.path("plot.svg"), folder.path("run.json"));
    assert!(netinfof(&["probe", "--splits", "1", "--json", &run, "-q"]).status.success());
    for (args, wanted) in [
        (&["plot", "synth:demo"][..], "class 0"),
        (&["plot", "synth:demo", "--color", "degree", "--by", "U"], "degree 1"),
        (&["plot", &run], "no information 0.50"),
    ] {
        let output = netinfof(&[args, &["-o", &svg]].concat());
        assert!(output.status.success(), "{}", stderr(&output));
        let text = std::fs::read_to_string(&svg).unwrap();
        assert!(
            text.starts_with("<svg xmlns") && text.ends_with("</svg>\n") && text.contains(wanted),
            "{args:?}"
        );
    }
    let ring = folder.file("ring.csv", ring(60, ","));
    for (args, wanted) in [
        (&["plot", &ring, "--color", "class", "-o", &svg][..], "a graph with classes"),
        (&["plot", "synth:demo", "--by", "X", "-o", &svg], "a component that embeds nodes"),
        (&["plot", &run, "--by", "U", "-o", &svg], "need a graph"),
        (&["plot", "synth:demo", "-o", "plot.png"], "a file name ending in .svg"),
    ] {
        let output = netinfof(args);
        assert!(output.status.code() == Some(1) && stderr(&output).contains(wanted), "{}", stderr(&output));
    }
}

/// Lines fit narrow terminals, with and without the table of components. Commands, which are copied, are not broken.
#[test]
fn reports_fit_the_width_of_the_terminal() {
    for (columns, detail) in [("60", "-q"), ("60", "-qv"), ("80", "-qv"), ("120", "-qv")] {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_netinfof"))
            .args(["act", "--task", "nodes", "--splits", "1", detail])
            .env("COLUMNS", columns)
            .output()
            .unwrap();
        let text = stdout(&output);
        let wide = |line: &&str| {
            line.chars().count() > columns.parse::<usize>().unwrap() && !line.starts_with("    ")
        };
        assert_eq!(text.lines().find(wide), None, "{columns} {detail}");
        assert!(text.contains("propagated features"), "{text}");
        assert_eq!(text.contains("held-out"), detail == "-qv" && columns != "60", "{text}");
    }
}

#[test]
fn names_stay_text() {
    let folder = Folder::new();
    let run = folder.path("run.json");
    assert!(netinfof(&["probe", "--splits", "1", "--json", &run]).status.success());
    let mut json: Value = serde_json::from_str(&std::fs::read_to_string(&run).unwrap()).unwrap();
    let evil = "</title></style><script>alert('x')</script><img src=\"x\">&amp;";
    json["graph"]["name"] = evil.into();
    json["verdict"]["reason"] = format!("{evil} `{evil}`").into();
    json["command"] = evil.into();
    json["notices"] = vec![evil].into();
    json["task"] = "links".into();
    // Component names are ours, but the file is anyone's.
    let own = json["splits"][0]["components"]["U"].take();
    json["splits"][0]["components"][evil] = own;
    let own = json["components"]["U"].take();
    json["components"].as_object_mut().unwrap().remove("U");
    json["components"][evil] = own;
    json["splits"][0]["components"].as_object_mut().unwrap().remove("U");
    std::fs::write(&run, json.to_string()).unwrap();
    assert!(netinfof(&["report", &run]).status.success());
    let html = std::fs::read_to_string(folder.path("run.html")).unwrap();
    assert_eq!(html.matches("<script").count(), 1, "only the page's own");
    assert!(!html.contains("<img") && html.contains("&lt;/title&gt;&lt;/style&gt;&lt;script&gt;"));
}

#[test]
fn what_is_no_run_is_refused() {
    let folder = Folder::new();
    for (name, text, word) in [
        ("broken.json", &b"{\n\"verdict\": {"[..], "broken.json: EOF while parsing an object at line 2"),
        ("other.json", b"{\"netinfof\": \"0.1.0\"}", "missing field"),
        ("list.json", b"[1, 2]", "need a file that `netinfof probe --json`"),
        ("graph.npz", b"PK\xff\xfe", "not UTF-8 text"),
    ] {
        let output = netinfof(&["report", &folder.file(name, text)]);
        let said = stderr(&output);
        assert!(output.status.code() == Some(1) && said.contains(word), "{said}");
    }
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 4, "no page is left");
    // A page that cannot be written is refused before the work.
    let output = netinfof(&["act", "--html", &folder.path("no/page.html")]);
    assert!(output.status.code() == Some(1) && output.stdout.is_empty());
    assert!(!stderr(&output).contains("components"), "{}", stderr(&output));
    let output = netinfof(&["probe", "--html", folder.0.to_str().unwrap()]);
    assert!(stderr(&output).contains("folder"), "{}", stderr(&output));
}

/// A split of a ring by names: edges by their number modulo 10.
fn split_of_a_ring(folder: &Folder) -> (String, [String; 3], Vec<String>) {
    let named = |line: &str| line.split(',').map(|cell| format!("n{cell}")).collect::<Vec<_>>().join(",");
    let edges: Vec<String> = ring(80, ",").lines().map(named).collect();
    let graph = folder.file("ring.csv", edges.join("\n"));
    let part = |wanted: fn(usize) -> bool| -> Vec<&String> {
        edges.iter().enumerate().filter(|(at, _)| wanted(at % 10)).map(|(_, edge)| edge).collect()
    };
    let labelled = |edges: Vec<&String>, shift: usize| {
        let negatives = (0..edges.len()).map(|at| format!("n{at},n{},0", (at + shift) % 80));
        edges.iter().map(|edge| format!("{edge},1")).chain(negatives).collect::<Vec<_>>().join("\n")
    };
    let train = part(|at| at < 7).into_iter().cloned().collect::<Vec<_>>().join("\n");
    let files = [
        folder.file("train.csv", train),
        folder.file("valid.csv", labelled(part(|at| at == 7), 30)),
        folder.file("test.csv", labelled(part(|at| at > 7), 40)),
    ];
    (graph, files, edges)
}

#[test]
fn check_split_names_what_is_wrong() {
    let folder = Folder::new();
    let (graph, [train, valid, test], edges) = split_of_a_ring(&folder);
    let check = |train: &str, more: &[&str]| {
        netinfof(
            &[&["check-split", &graph, "--train", train, "--valid", &valid, "--test", &test][..], more]
                .concat(),
        )
    };
    let sound = check(&train, &[]);
    assert_eq!(sound.status.code(), Some(0), "{}", stdout(&sound));
    assert!(
        stdout(&sound).contains("no findings: 112 training, 16 validation, 32 test"),
        "{}",
        stdout(&sound)
    );
    // A test edge and one turned round slip into the training file.
    let turned: Vec<&str> = edges[9].split(',').collect();
    let leaky =
        format!("{}\n{}\n{},{}\n", std::fs::read_to_string(&train).unwrap(), edges[8], turned[1], turned[0]);
    let leaky = folder.file("leaky.csv", leaky);
    let found = check(&leaky, &[]);
    assert_eq!(found.status.code(), Some(1));
    let lines = stdout(&found);
    assert_eq!(lines.lines().count(), 3, "{lines}");
    assert!(
        lines.starts_with("test-in-training: 2 of 32 test edges are training edges, 1 of them in reverse direction, such as (n"),
        "{lines}"
    );
    let found = check(&leaky, &["--json", "-"]);
    let json: Value = serde_json::from_str(&stdout(&found)).unwrap();
    assert_eq!(json["split"]["findings"][0]["kind"], "test-in-training");
    assert_eq!((json["split"]["findings"][0]["count"].as_u64(), found.status.code()), (Some(2), Some(1)));
    let allowed = check(&leaky, &["--allow", "test-in-training,test-negatives-are-edges,not-in-graph"]);
    assert!(allowed.status.code() == Some(0) && stdout(&allowed).contains("test-in-training (allowed):"));
    let nothing = folder.file("nothing.csv", "# none\n");
    let found = netinfof(&["check-split", &graph, "--train", &train, "--valid", &valid, "--test", &nothing]);
    assert!(
        found.status.code() == Some(1) && stdout(&found).starts_with("empty-set: there are no test edges")
    );
    let none = netinfof(&["check-split", &graph]);
    assert!(none.status.code() == Some(1) && stderr(&none).contains("--train, --valid and --test"));
}

#[test]
fn check_split_of_nodes() {
    let folder = Folder::new();
    let rows: String = (0..80).map(|i| format!("{i},{},{}\n", i % 2, (i * 7) % 11)).collect();
    let graph = folder.file("ring.csv", ring(80, ","));
    let nodes = folder.file("nodes.csv", format!("id,label,x\n{rows}"));
    let ids = |name: &str, from: usize, to: usize| {
        folder.file(name, (from..to).map(|i| format!("{i}\n")).collect::<String>())
    };
    let (train, valid, test) = (ids("a", 0, 20), ids("b", 20, 40), ids("c", 38, 80));
    let found = netinfof(&[
        "check-split",
        &graph,
        "--nodes",
        &nodes,
        "--task",
        "nodes",
        "--train",
        &train,
        "--valid",
        &valid,
        "--test",
        &test,
    ]);
    let text = stdout(&found);
    assert_eq!(found.status.code(), Some(1));
    assert!(
        text.contains("test-in-validation: 2 of 42 test nodes are validation nodes too, such as 38, 39"),
        "{text}"
    );
    assert!(text.contains("test-repeats-training:"), "{text}");
}

/// Trained models beside a run, in the terminal and on the page; files of other work are refused.
#[test]
fn baselines_stand_beside_a_run() {
    let folder = Folder::new();
    let (run, baselines) = (folder.path("run.json"), folder.path("baselines.json"));
    let output = netinfof(&["act", "--task", "nodes", "--components", "F", "--splits", "2", "--json", &run]);
    assert!(output.status.success(), "{}", stderr(&output));
    let entry = |model: &str, seed: u64, status: &str, accuracy: f64| {
        serde_json::json!({"model": model, "family": "propagation", "seed": seed, "status": status, "device": "cpu: test",
            "test": {"accuracy": accuracy, "balanced_accuracy": accuracy}, "seconds": 2.5, "peak_memory_bytes": 3 << 20})
    };
    let mut file = serde_json::json!({"baselines": 1, "task": "nodes", "graph": {"name": "demo", "nodes": 1200, "edges": 4023},
        "split": {"train": 0.025, "valid": 0.025},
        "runs": [entry("gcn", 0, "ok", 0.9), entry("gcn", 1, "ok", 0.8), entry("gat", 0, "out of memory", 0.0), entry("gat", 1, "ok", 0.1)]});
    std::fs::write(&baselines, file.to_string()).unwrap();
    let output = netinfof(&["report", &run, "--baselines", &baselines]);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = stdout(&output);
    let places: Vec<usize> =
        ["\n  gcn ", "\n  netinfof act ", "\n  gat "].iter().map(|row| text.find(row).unwrap()).collect();
    assert!(places.is_sorted(), "the best first: {text}");
    assert!(text.contains("85.0 ± 5.0") && text.contains("split 0: out of memory"), "{text}");
    assert!(text.contains("on the same splits"), "{text}");
    let html = std::fs::read_to_string(folder.path("run.html")).unwrap();
    assert!(
        html.contains("id=\"baselines\"") && html.contains("85.0 ± 5.0") && html.contains("data-row=\"gat\"")
    );
    for (key, wrong, said) in [
        ("task", serde_json::json!("links"), "the same task"),
        ("split", serde_json::json!({"train": 0.5}), "the same split"),
        ("baselines", serde_json::json!(2), "netinfof.baselines"),
    ] {
        let right = std::mem::replace(&mut file[key], wrong);
        std::fs::write(&baselines, file.to_string()).unwrap();
        let output = netinfof(&["report", &run, "--baselines", &baselines]);
        assert_eq!(output.status.code(), Some(1));
        assert!(
            stderr(&output).contains(said) && stderr(&output).lines().count() == 1,
            "{}",
            stderr(&output)
        );
        file[key] = right;
    }
    file["runs"][1]["seed"] = serde_json::json!(7);
    std::fs::write(&baselines, file.to_string()).unwrap();
    assert!(
        stdout(&netinfof(&["report", &run, "--baselines", &baselines]))
            .contains("not all those of this report")
    );
}
