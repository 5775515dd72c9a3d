//! What scripts rely on: the JSON, the streams, the exit status.

use super::{Folder, netinfof, ring, stderr, stdout};
use serde_json::Value;

fn json(args: &[&str]) -> Value {
    let output = netinfof(args);
    assert!(output.status.success(), "{}", stderr(&output));
    serde_json::from_str(&stdout(&output)).expect("stdout is pure JSON")
}

#[test]
fn probe_without_arguments_answers_on_a_built_in_graph() {
    let output = netinfof(&["probe"]);
    assert!(output.status.success());
    let text = stdout(&output);
    assert!(text.contains("demo: 1200 nodes") && text.contains("clean protocol"), "{text}");
    // One headline, three labelled lines, the next step with its command, and a hint at the rest.
    for part in
        ["\n  Structure is enough.\n", "\n  structure   ", "\n  features   ", "\n  propagated features "]
    {
        assert!(text.contains(part), "{text}");
    }
    assert!(
        text.contains("\n  Next: ") && text.contains("\n    netinfof act --components U,R,X\n"),
        "{text}"
    );
    assert!(text.ends_with(" · -v shows every component\n") && !text.contains("held-out"), "{text}");
    let text = stdout(&netinfof(&["probe", "-v"]));
    assert!(text.contains("\n  all together ") && !text.contains("-v shows"), "{text}");
    for name in ["U  structure", "R  random walks", "F  features", "S  prop. with self", "X  pair"] {
        assert!(text.contains(name), "{text}");
    }
}

#[test]
fn act_writes_the_documented_json() {
    let value = json(&["act", "--splits", "2", "--seed", "5", "--json", "-"]);
    assert_eq!(value["netinfof"], env!("CARGO_PKG_VERSION"));
    assert_eq!((value["task"].as_str(), value["protocol"].as_str()), (Some("links"), Some("clean")));
    for key in ["name", "nodes", "edges", "features", "classes"] {
        assert!(!value["graph"][key].is_null(), "graph.{key}");
    }
    assert!(value["params"].is_object() && value["peak_memory_bytes"].as_u64().is_some_and(|b| b > 1 << 20));
    let splits = value["splits"].as_array().unwrap();
    assert_eq!(splits.iter().map(|s| s["seed"].as_u64().unwrap()).collect::<Vec<_>>(), [5, 6]);
    for split in splits {
        for name in ["U", "R", "F", "P", "S"] {
            let component = &split["components"][name];
            let score = component["score"].as_f64().unwrap();
            assert!((0.5..=component["accuracy"].as_f64().unwrap()).contains(&score));
            let at = |path: &str| component.pointer(path).and_then(Value::as_f64).unwrap();
            assert!((at("/interval/0")..=at("/interval/1")).contains(&at("/corrected")), "{component}");
            assert!(
                (at("/held_out/interval/0")..=at("/held_out/interval/1")).contains(&at("/held_out/value"))
            );
            assert!(
                (0.0..=1.0).contains(&at("/p_value"))
                    && (at("/normalized") - (2.0 * score - 1.0)).abs() < 1e-9
            );
            let cells: u64 = component["table"]
                .as_array()
                .unwrap()
                .iter()
                .flat_map(|row| row.as_array().unwrap())
                .map(|count| count.as_u64().unwrap())
                .sum();
            assert_eq!(component["samples"].as_u64(), Some(cells));
            assert!(component["iterations"].is_u64() && component["coefficients"].is_u64());
            assert!(split["weights"][name].is_number());
        }
        for set in ["valid", "test"] {
            for metric in ["hits@100", "auc", "ap", "mrr"] {
                assert!((0.0..=1.0).contains(&split[set][metric].as_f64().unwrap()), "{set} {metric}");
            }
        }
        assert!(split["chosen"]["lambda1"].is_number() && split["chosen"]["kkt"].is_number());
        assert_eq!(split["chosen"]["converged"], true);
        assert!(split["seconds"]["act"].as_f64().unwrap() >= 0.0);
    }
    assert_eq!(value["mean"]["no_information"], serde_json::json!({ "auc": 0.5, "ap": 0.5 }));
    assert!(value["verdict"]["kind"].is_string() && value["verdict"]["reason"].as_str().unwrap().len() > 20);
    assert_eq!(value["comparisons"].as_array().unwrap().len(), 3);
    // Six to the best one, and propagation to features.
    assert_eq!(value["additions"].as_array().unwrap().len(), 7);
    assert_eq!(
        (value["components"]["U"]["group"].as_str(), value["components"]["X"]["tells"].as_bool()),
        (Some("structure"), Some(true))
    );
    // What pictures need stands in the first split alone.
    for (split, wanted) in splits.iter().zip([true, false]) {
        assert_eq!(split["components"]["U"]["histogram"].is_object(), wanted);
        assert_eq!(split["components"]["U"]["pooled"].is_array(), wanted);
        assert_eq!(split["curves"]["roc"].is_array(), wanted);
        assert!(split["repeats"].is_u64() && split["components"]["U"]["borders"].is_array());
    }
    assert_eq!(value["command"], "netinfof act --splits 2 --seed 5 --json -");
    let mean = |path: &str| value.pointer(path).and_then(Value::as_f64).unwrap();
    let by_hand = splits.iter().map(|s| s["test"]["auc"].as_f64().unwrap()).sum::<f64>() / 2.0;
    assert!((mean("/mean/test/auc") - by_hand).abs() < 1e-12);
    assert!(
        mean("/mean/components/S") > 0.5 && mean("/std/test/auc") >= 0.0 && mean("/std/components/S") >= 0.0
    );
}

#[test]
fn act_on_nodes_has_the_same_shape() {
    let value = json(&["act", "--task", "nodes", "--json", "-"]);
    assert_eq!((value["task"].as_str(), value["protocol"].is_null()), (Some("nodes"), true));
    let split = &value["splits"][0];
    for name in ["U", "R", "F", "P", "S"] {
        let component = &split["components"][name];
        let score = component["score"].as_f64().unwrap();
        assert!(score <= component["accuracy"].as_f64().unwrap());
        assert!(component["no_information"].is_number() && component["p_value"].is_number());
        assert!(split["weights"][name].is_number());
    }
    let test = &split["test"];
    assert!(test["accuracy"].as_f64().unwrap() > 0.5 && test["macro_f1"].as_f64().unwrap() > 0.4, "{test}");
    let confusion: u64 = split["confusion"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|row| row.as_array().unwrap())
        .map(|count| count.as_u64().unwrap())
        .sum();
    assert_eq!(confusion, 1200 - 2 * 32, "every test node is counted");
    assert_eq!(
        (split["recall"].as_array().unwrap().len(), split["classes"].as_array().unwrap().len()),
        (4, 4)
    );
    let text = stdout(&netinfof(&["act", "--task", "nodes"]));
    assert!(text.contains("node classification · 4 classes") && text.contains("macro_f1"), "{text}");
    // A model without information, beside the test metrics.
    let without = &split["no_information"];
    assert_eq!((&value["mean"]["no_information"], &split["baseline"]), (without, &without["accuracy"]));
    assert_eq!((without["balanced_accuracy"].as_f64(), without.as_object().unwrap().len()), (Some(0.25), 3));
    let majority = without["accuracy"].as_f64().unwrap();
    let lines: Vec<&str> = text.lines().skip_while(|line| !line.starts_with("  test")).collect();
    assert!(lines[0].ends_with(" majority class"), "{text}");
    assert!(lines[1].starts_with("  accuracy") && lines[1].ends_with(&format!("   {majority:.4}")), "{text}");
}

#[test]
fn the_smallest_gain_decides_what_is_worth_having() {
    let kind = |share: &str| {
        let value = json(&["probe", "--task", "nodes", "--smallest-gain", share, "--json", "-"]);
        assert_eq!(value["params"]["smallest_gain"].as_f64().unwrap().to_string(), share);
        let information = &value["predictive_information"];
        let at = |key: &str| information[key].as_f64().unwrap();
        assert!((at("smallest_gain") - share.parse::<f64>().unwrap() * at("entropy")).abs() < 1e-12);
        value["verdict"]["kind"].as_str().unwrap().to_string()
    };
    assert_eq!((kind("0.05").as_str(), kind("0.45").as_str()), ("gnn", "undecided"));
    for (command, task) in [("probe", "links"), ("act", "nodes")] {
        for (share, shown) in [("0", "0"), ("0.6", "0.6"), ("nan", "NaN")] {
            let output = netinfof(&[command, "--task", task, "--smallest-gain", share]);
            assert_eq!(output.status.code(), Some(1));
            let expected = format!(
                "error: invalid `smallest_gain`: {shown} (need a share of the entropy above 0, at most 0.5)\n"
            );
            assert!(stderr(&output).ends_with(&expected), "{}", stderr(&output));
        }
    }
    let value = json(&["probe", "--components", "U,F", "--json", "-"]);
    assert_eq!(value["params"]["smallest_gain"], 0.05);
}

#[test]
fn probe_has_no_test_figures() {
    let value = json(&["probe", "--components", "U,F", "--json", "-"]);
    assert!(value["splits"][0]["test"].is_null() && value["mean"]["test"].is_null());
    assert_eq!(value["mean"]["components"].as_object().unwrap().len(), 2);
}

#[test]
fn inspect_tells_what_a_graph_is() {
    let folder = Folder::new();
    let graph = folder.file("ring.csv", ring(30, ",") + "4,4\n");
    let value = json(&["inspect", &graph, "--json", "-"]);
    let facts = &value["graph"];
    assert_eq!((facts["nodes"].as_u64(), facts["edges"].as_u64()), (Some(30), Some(60)));
    assert_eq!((facts["max_degree"].as_u64(), facts["self_loops_dropped"].as_u64()), (Some(4), Some(1)));
    let text = stdout(&netinfof(&["inspect", &graph]));
    assert!(text.contains("edges       60") && text.contains("1 self loop,"), "{text}");
}

#[test]
fn inspect_compares_features_with_edges() {
    let value = json(&["inspect", "synth:demo", "--json", "-"]);
    let found = &value["graph"]["feature_similarity"];
    assert_eq!(found["sampled"], 1000);
    for key in ["neighbours", "two_steps"] {
        let at = |path: &str| found.pointer(&format!("/{key}/{path}")).and_then(Value::as_f64).unwrap();
        assert!(at("interval/0") <= at("value") && at("value") <= at("interval/1"), "{found}");
    }
    let shown = format!("  similarity  {:.3} [", found["neighbours"]["value"].as_f64().unwrap());
    let text = stdout(&netinfof(&["inspect", "synth:demo"]));
    assert!(text.contains(&shown) && text.contains(", at two steps "), "{text}");
    assert_eq!(json(&["probe", "--json", "-"])["graph"]["feature_similarity"], *found);
    // Without features there is nothing to compare.
    let folder = Folder::new();
    let graph = folder.file("ring.csv", ring(30, ","));
    assert!(json(&["inspect", &graph, "--json", "-"])["graph"]["feature_similarity"].is_null());
    assert!(!stdout(&netinfof(&["inspect", &graph])).contains("similarity"));
}

#[test]
fn switches_change_the_model() {
    let slimg = json(&["act", "--preset", "slimg", "--json", "-"]);
    assert_eq!(slimg["params"]["compat"]["kind"], "none");
    let names: Vec<&String> = slimg["mean"]["components"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["U", "F", "P", "S"]);
    let h = json(&["probe", "--compat", "h", "--json", "-"]);
    assert_eq!(
        (h["params"]["compat"]["kind"].as_str(), h["splits"][0]["components"]["U"]["iterations"].as_u64()),
        (Some("h"), Some(0))
    );
    let paper = json(&["probe", "--protocol", "paper", "--dim", "16", "--json", "-"]);
    assert_eq!(
        (paper["protocol"].as_str(), paper["splits"][0]["components"]["U"]["dim"].as_u64()),
        (Some("paper"), Some(16))
    );
}

#[test]
fn links_go_beyond_the_paper_unless_told_not_to() {
    let value = json(&["act", "--json", "-"]);
    let names: Vec<&String> = value["mean"]["components"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["U", "R", "F", "P", "S", "D", "X"]);
    assert_eq!(
        (value["params"]["crossfit"].as_u64(), value["params"]["act"]["negatives"].as_u64()),
        (Some(5), Some(3))
    );
    let split = &value["splits"][0];
    assert!(split["components"]["X"]["coefficients"].is_null(), "X has no matrix");
    let path = split["path"].as_array().unwrap();
    let lambdas: Vec<f64> = path.iter().map(|step| step["lambda2"].as_f64().unwrap()).collect();
    assert!(lambdas.is_sorted_by(|a, b| a > b), "from the top down: {lambdas:?}");
    let best = path.iter().map(|step| step["figure"].as_f64().unwrap()).fold(0.0, f64::max);
    let chosen = path.iter().find(|step| step["lambda2"] == split["chosen"]["lambda2"]).unwrap();
    assert_eq!(chosen["figure"].as_f64(), Some(best));
    let paper = json(&["act", "--protocol", "paper", "--json", "-"]);
    let names: Vec<&String> = paper["mean"]["components"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["U", "R", "F", "P", "S"]);
    assert_eq!(paper["params"]["crossfit"].as_u64(), Some(0));
    assert_eq!(paper["splits"][0]["path"].as_array().unwrap().len(), 8);
}

#[test]
fn negatives_of_every_kind() {
    let degree =
        json(&["act", "--negatives", "degree", "--crossfit", "2", "--components", "U,X", "--json", "-"]);
    assert_eq!(degree["params"]["split"]["negatives"], "degree");
    let heart = netinfof(&["act", "--negatives", "heart", "--shares", "0.85,0.05", "--components", "S,X"]);
    let text = stdout(&heart);
    assert!(text.contains("hard negatives") && text.contains("hits@10 "), "{text}");
    let uniform = json(&["act", "--crossfit", "2", "--components", "U,X", "--json", "-"]);
    let hits = |value: &Value| value["mean"]["test"]["hits@100"].as_f64().unwrap();
    assert!(hits(&degree) < hits(&uniform), "matched negatives are harder");
}

#[test]
fn shares_are_of_nodes_too() {
    let words = ["act", "--task", "nodes", "--shares", "0.6,0.2", "--components", "S", "--json", "-"];
    let most = json(&words);
    assert_eq!(
        (&most["params"]["split"]["train"], &most["params"]["split"]["valid"]),
        (&Value::from(0.6), &Value::from(0.2))
    );
    let few = json(&["act", "--task", "nodes", "--components", "S", "--json", "-"]);
    let accuracy = |value: &Value| value["mean"]["test"]["accuracy"].as_f64().unwrap();
    assert!(accuracy(&most) > accuracy(&few), "more labels teach more");
}

#[test]
fn json_goes_to_a_file_as_a_whole_and_the_table_to_stdout() {
    let folder = Folder::new();
    let file = folder.path("run.json");
    let output = netinfof(&["probe", "--json", &file]);
    assert!(stdout(&output).contains("component"));
    let value: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(value["task"], "links");
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 1, "no temporary file is left");
    let output = netinfof(&["probe", "--json", &folder.path("no/such/folder/run.json")]);
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn progress_and_notices_go_to_stderr_and_can_be_turned_off() {
    let folder = Folder::new();
    let graph = folder.file("ring.csv", ring(60, ","));
    let loud = netinfof(&["act", &graph]);
    let said = stderr(&loud);
    assert!(said.contains("components …") && said.contains("note: no features"), "{said}");
    assert!(said.contains("instead of Hits@100"), "{said}");
    assert_eq!(stderr(&netinfof(&["act", &graph, "--quiet"])), "");
}

#[test]
fn help_and_version_are_answers() {
    for args in [&["--help"][..], &["probe", "--help"], &["--version"]] {
        let output = netinfof(args);
        assert!(output.status.success() && !output.stdout.is_empty() && output.stderr.is_empty());
    }
    assert_eq!(netinfof(&["prob"]).status.code(), Some(2));
}

/// The help of a command at a width of 100 columns.
fn help(words: &[&str]) -> String {
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_netinfof"))
        .args(words)
        .env("COLUMNS", "100")
        .output()
        .unwrap();
    assert!(output.status.success());
    stdout(&output)
}

#[test]
fn short_help_has_one_line_per_option() {
    for command in [
        "probe",
        "act",
        "predict",
        "recommend",
        "inspect",
        "check-split",
        "report",
        "convert",
        "synth",
        "datasets",
        "config",
        "completions",
        "manual",
        "reproduce",
    ] {
        let text = help(&[command, "-h"]);
        let (_, options) = text.split_once("\nOptions:").unwrap();
        for line in options.lines().filter(|line| line.starts_with("    ")) {
            assert!(line.trim_start().starts_with('-'), "{command}: {line:?} continues another line");
        }
        assert!(help(&[command, "--help"]).len() >= text.len(), "{command}");
    }
}

#[test]
fn long_help_is_grouped_and_ends_with_examples() {
    for command in ["probe", "act"] {
        let text = help(&[command, "--help"]);
        let places = ["\nInput:", "\nTask:", "\nMethod:", "\nOutput:", "\nExamples:"]
            .map(|heading| text.find(heading));
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{text}");
        let (_, examples) = text.split_once("\nExamples:").unwrap();
        assert_eq!(examples.matches(&format!("netinfof {command} ")).count(), 3, "{examples}");
        assert!(text.contains("--ordered-pairs") && text.contains("--directed"), "{text}");
    }
}

#[test]
fn ordered_pairs_are_not_directions() {
    let words = ["act", "--components", "U", "--dim", "8", "--json", "-", "-q", "--ordered-pairs"];
    let value = json(&words);
    assert_eq!(
        (&value["params"]["act"]["directed"], &value["graph"]["directed"]),
        (&true.into(), &false.into())
    );
}

#[test]
fn hard_negatives_need_memory_for_the_graph_not_for_its_square() {
    let folder = Folder::new();
    let cycle: String = (0..20_000).map(|i| format!("{i},{}\n", (i + 1) % 20_000)).collect();
    let graph = folder.file("ring.csv", cycle);
    let value = json(&[
        "probe",
        &graph,
        "--negatives",
        "heart",
        "--components",
        "U",
        "--dim",
        "8",
        "--splits",
        "1",
        "--json",
        "-",
        "-q",
    ]);
    // 6000 held-out edges with 500 negatives of 8 bytes each are 24 MB; a list of all nodes for each end would be 800 MB.
    let peak = value["peak_memory_bytes"].as_u64().unwrap();
    assert!(peak < 150_000_000, "{peak}");
}
