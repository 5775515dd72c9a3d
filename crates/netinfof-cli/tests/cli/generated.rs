//! `synth`, `synth:…` as a graph, and `reproduce`.

use super::{Folder, netinfof, stderr, stdout};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

fn json(args: &[&str]) -> Value {
    let output = netinfof(args);
    assert!(output.status.success(), "{}", stderr(&output));
    serde_json::from_str(&stdout(&output)).expect("stdout is pure JSON")
}

#[test]
fn synth_writes_the_graph_and_what_was_planted() {
    let folder = Folder::new();
    let path = folder.path("g.npz");
    let shape = ["--nodes", "400", "--features", "80", "--density", "0.04", "--seed", "3"];
    let made = json(&[&["synth", "random-offdiagonal", "-o", &path, "--json", "-"][..], &shape].concat());
    let truth = &made["graph"]["truth"];
    assert_eq!(truth["informative"], serde_json::json!(["U", "R", "P", "S"]));
    assert_eq!((truth["task"].as_str(), truth["seed"].as_u64()), (Some("links"), Some(3)));
    let read = json(&["inspect", &path, "--json", "-"]);
    for fact in ["nodes", "edges", "features", "classes", "edge_homophily", "truth"] {
        assert_eq!(read["graph"][fact], made["graph"][fact], "{fact}");
    }
    // The file and the name give the same graph, and so the same scores.
    let spec = "synth:random-offdiagonal?nodes=400&features=80&density=0.04&seed=3";
    let [a, b] = [path.as_str(), spec].map(|graph| json(&["probe", graph, "--json", "-", "-q"]));
    assert_eq!(a["mean"], b["mean"]);
    let text = stdout(&netinfof(&["synth", "useful-uniform", "--nodes", "300"]));
    assert!(text.contains("planted     F, P, S for nodes"), "{text}");
}

#[test]
fn wrong_scenarios_are_named() {
    for (args, word) in [
        (&["synth", "nosuch"][..], "local-offdiagonal"),
        (&["synth", "useful-uniform", "--edge-noise", "0.1"], "edge_noise"),
        (&["synth", "random-diagonal", "--density", "2"], "at most 0.5"),
        (&["synth", "random-diagonal", "--nodes", "many"], "a number of at least 0"),
        (&["probe", "synth:large?nodes=10"], "100 to"),
        (&["probe", "synth:large?size=10"], "nodes, degree"),
        (&["reproduce", "--table", "table1"], "table2"),
        (&["reproduce", "--all", "--splits", "0"], "1 to 1000"),
        (&["synth", "demo", "-o", "/no/such/folder/g.npz"], "/no/such/folder/g.npz"),
    ] {
        let output = netinfof(args);
        assert_eq!(output.status.code(), Some(1), "{args:?} {}", stderr(&output));
        assert!(stderr(&output).contains(word) && stdout(&output).is_empty(), "{args:?} {}", stderr(&output));
    }
}

#[test]
fn reproduce_lists_what_there_is() {
    let text = stdout(&netinfof(&["reproduce"]));
    for name in ["table2", "table12", "fig3", "fig6"] {
        assert!(text.contains(name), "{text}");
    }
}

#[test]
fn reproduce_names_missing_graphs_and_still_writes() {
    let folder = Folder::new();
    let data = folder.path("nothing");
    let out = folder.path("out");
    let output = netinfof(&["reproduce", "--table", "table4,table3", "--data", &data, "-o", &out]);
    assert!(output.status.success(), "{}", stderr(&output));
    assert!(
        stdout(&output).contains("missing: ogbl-ddi (ogbl_ddi.npz and ogbl_ddi_split.npz), from https://")
    );
    let read = |name: &str| std::fs::read_to_string(format!("{out}/{name}")).unwrap();
    assert!(read("reproduction.md").contains("| NetInfoF | Cora | Hits@100 | 81.3 ± 0.6 | graph missing |"));
    assert!(read("reproduction.html").starts_with("<!doctype html>"));
    let value: Value = serde_json::from_str(&read("reproduction.json")).unwrap();
    assert_eq!(value["sections"][0]["rows"][0]["state"], "missing");
}

#[test]
fn reproduce_goes_on_where_it_stopped() {
    let folder = Folder::new();
    // A small graph under the name of the one the study wants.
    let made = netinfof(&["synth", "demo", "-o", &folder.path("computers.npz")]);
    assert!(made.status.success());
    let out = folder.path("out");
    let run = || {
        let output = Command::new(env!("CARGO_BIN_EXE_netinfof"))
            .args(["reproduce", "--table", "fig7", "--splits", "2", "-o", &out])
            .env("NETINFOF_DATA", &folder.0)
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", stderr(&output));
        stderr(&output)
    };
    let first = run();
    assert!(first.contains("[1/5] links-computers-bins-4, about") && first.contains("[5/5]"), "{first}");
    let read = |name: &str| std::fs::read_to_string(format!("{out}/{name}")).unwrap();
    let before = read("reproduction.json");
    assert!(before.contains("\"state\": \"done\"") && read("reproduction/fig7.svg").starts_with("<svg"));
    std::fs::remove_file(format!("{out}/reproduction/runs/links-computers-bins-16.json")).unwrap();
    // A file cut short by a crash counts as none.
    std::fs::write(format!("{out}/reproduction/runs/links-computers-bins-64.json"), "{").unwrap();
    let second = run();
    assert!(second.contains("3 runs of an earlier call") && second.contains("[2/2]"), "{second}");
    assert_eq!(read("reproduction.json"), before, "same figures, whenever they were found");
}

/// The plan of a run is close to the memory that it needs. Its bounds are wider than a quarter because allocators keep
/// memory that is free.
#[test]
fn plans_predict_the_peak_memory() {
    if !cfg!(target_os = "linux") {
        return;
    }
    for (graph, task) in [
        ("synth:large?nodes=20000&features=64", "links"),
        ("synth:large?nodes=60000&features=64", "links"),
        ("synth:large?nodes=60000&features=64", "nodes"),
    ] {
        let run = ["probe", graph, "--task", task, "--splits", "1", "--threads", "2", "--json", "-", "-q"];
        let peak = json(&run)["peak_memory_bytes"].as_f64().unwrap();
        let plan = json(&[&run[..], &["--plan"]].concat());
        let ratio = plan["bytes"].as_f64().unwrap() / peak;
        assert!((0.7..1.4).contains(&ratio), "{graph} {task}: {ratio} of {peak}");
        assert!(plan["stages"].as_array().unwrap().len() >= 3 && plan["seconds"].as_f64().unwrap() > 0.0);
    }
}

/// A run that is killed again and again gets on, and its result is that of a run that was never killed.
#[test]
fn killed_runs_continue_with_the_same_result() {
    let folder = Folder::new();
    let work = folder.path("work");
    let run =
        ["act", "synth:large?nodes=1500&features=16", "--splits", "1", "--threads", "2", "--json", "-", "-q"];
    let timeless = |mut value: Value| {
        for key in ["command", "peak_memory_bytes"] {
            value[key].take();
        }
        value["splits"][0]["seconds"].take();
        value
    };
    let plain = timeless(json(&run));
    let resumed = [&run[..], &["--resume", &work]].concat();
    let mut killed = 0;
    let found = (0..20u32).find_map(|attempt| {
        let mut child = Command::new(env!("CARGO_BIN_EXE_netinfof"))
            .args(&resumed)
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        // Runs are killed in different stages; later ones live long enough to end.
        let mut left = 40 * 8u64.pow(attempt) / 5u64.pow(attempt);
        while left > 0 && child.try_wait().unwrap().is_none() {
            std::thread::sleep(std::time::Duration::from_millis(left.min(20)));
            left = left.saturating_sub(20);
        }
        if attempt < 14 {
            // SIGKILL, unless it has ended.
            let _ = child.kill();
        }
        let output = child.wait_with_output().unwrap();
        killed += usize::from(!output.status.success());
        output.status.success().then(|| serde_json::from_slice(&output.stdout).unwrap())
    });
    assert!(killed > 1, "it was never killed");
    assert_eq!(timeless(found.unwrap()), plain);
    assert!(!Path::new(&work).exists(), "nothing is left behind");
}

#[test]
fn folders_of_other_runs_are_refused_in_one_line() {
    let folder = Folder::new();
    folder.file("thesis.tex", "x");
    let output = netinfof(&["probe", "synth:demo", "--resume", &folder.path("."), "-q"]);
    let said = stderr(&output);
    assert!(
        output.status.code() == Some(1) && said.contains("not a work folder: it holds `thesis.tex`"),
        "{said}"
    );
    assert!(Path::new(&folder.path("thesis.tex")).exists());
}

#[test]
fn a_run_that_needs_too_much_memory_is_refused_in_one_line() {
    let output = netinfof(&["probe", "synth:demo", "--memory", "20M", "--json", "-"]);
    assert_eq!((output.status.code(), stdout(&output)), (Some(1), String::new()));
    let said = stderr(&output);
    let errors: Vec<&str> = said.lines().filter(|line| line.starts_with("error: ")).collect();
    assert!(errors.len() == 1 && errors[0].contains("may use 20 MiB"), "{said}");
    let output = netinfof(&["probe", "synth:demo", "--memory", "lots"]);
    assert!(output.status.code() == Some(2) && stderr(&output).contains("a size such as 8G"));
    let text = stdout(&netinfof(&["act", "synth:demo", "--plan", "-q"]));
    assert!(text.contains("compatibility") && text.contains("All splits: about"), "{text}");
}

#[test]
fn progress_is_written_for_programs() {
    let output = netinfof(&["probe", "synth:demo", "--splits", "1", "--progress", "json"]);
    let said = stderr(&output);
    let lines: Vec<Value> =
        said.lines().map(|line| serde_json::from_str(line).expect("one object per line")).collect();
    assert!(lines.iter().any(|line| line["stage"] == "components"), "{said}");
}
