//! Runs that were ended continue with the same results, and runs in little memory have them too.

use std::path::{Path, PathBuf};

use netinfof::{Exec, Goal, Graph, LinkParams, NodeParams, Report, Result, Seed, WorkFolder, synth};

fn scratch(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("netinfof-resume-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    path
}

/// A report without its times.
fn timeless(report: &Report) -> serde_json::Value {
    let mut value = serde_json::to_value(report).unwrap();
    value
        .as_object_mut()
        .unwrap()
        .retain(|key, _| !["peak_memory_bytes", "threads", "mean", "std"].contains(&key.as_str()));
    for split in value["splits"].as_array_mut().unwrap() {
        split["seconds"].take();
    }
    value
}

fn stages(path: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path());
    let mut stages: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|ending| ending == "stage")).collect();
    stages.sort();
    stages
}

/// Runs without a folder, in a new one, and in folders that lack some of the stages.
fn same_results(name: &str, run: impl Fn(&Exec) -> Result<Report>) {
    let path = scratch(name);
    let resumed = || Exec::new(2).unwrap().with_work_folder(WorkFolder::open(&path).unwrap());
    let plain = timeless(&run(&Exec::new(2).unwrap()).unwrap());
    assert_eq!(timeless(&run(&resumed()).unwrap()), plain, "{name}: a new folder");
    let all = stages(&path);
    assert!(all.len() >= 2, "{name}: {all:?}");
    assert_eq!(timeless(&run(&resumed()).unwrap()), plain, "{name}: all stages");
    // Every second stage is missing, and one is damaged.
    for stage in all.iter().step_by(2) {
        std::fs::remove_file(stage).unwrap();
    }
    std::fs::write(&all[1], "half").unwrap();
    let exec = resumed();
    assert_eq!(timeless(&run(&exec).unwrap()), plain, "{name}: every second stage");
    assert_eq!(stages(&path), all, "{name}");
    exec.finish_work_folder().unwrap();
    assert!(!path.exists());
}

fn demo() -> Graph {
    let mut shape = synth::Large::default();
    (shape.nodes, shape.features) = (500, 24);
    synth::large(&shape, Seed(0), &Exec::new(2).unwrap()).unwrap()
}

/// Parameters under which embeddings count as large, so that components are built one after the other.
fn link_params(large: bool) -> LinkParams {
    let mut params = LinkParams::default();
    if large {
        params.component.large_entries = 1;
    }
    params
}

#[test]
fn link_runs_continue_with_the_same_results() {
    let graph = demo();
    for (large, goal) in [(false, Goal::Probe), (true, Goal::Act)] {
        let params = link_params(large);
        same_results(&format!("links-{large}"), |exec| netinfof::links(&graph, None, goal, &params, exec));
    }
}

#[test]
fn node_runs_continue_with_the_same_results() {
    let graph = demo();
    for large in [false, true] {
        let mut params = NodeParams::default();
        if large {
            params.component.large_entries = 1;
        }
        same_results(&format!("nodes-{large}"), |exec| {
            netinfof::nodes(&graph, None, Goal::Act, &params, exec)
        });
    }
}

#[test]
fn models_of_continued_runs_are_the_same() {
    let (graph, path) = (demo(), scratch("model"));
    let file = |name: &str| std::env::temp_dir().join(format!("netinfof-{name}-{}", std::process::id()));
    let run = |exec: &Exec, place: &Path| {
        let fitted = netinfof::fit_links(&graph, None, &link_params(true), exec).unwrap();
        fitted.model.save(place).unwrap();
        std::fs::read(place).unwrap()
    };
    let place = file("model");
    let plain = run(&Exec::new(2).unwrap(), &place);
    for _ in 0..2 {
        let exec = Exec::new(2).unwrap().with_work_folder(WorkFolder::open(&path).unwrap());
        assert!(run(&exec, &place) == plain);
    }
    // The same run without a model keeps less, so it is another run.
    let exec = Exec::new(2).unwrap().with_work_folder(WorkFolder::open(&path).unwrap());
    let other = netinfof::links(&graph, None, Goal::Act, &link_params(true), &exec).unwrap_err().to_string();
    assert!(other.contains("belongs to another run, with another task"), "{other}");
    std::fs::remove_dir_all(&path).unwrap();
    std::fs::remove_file(&place).unwrap();
}

/// A limit below the usual plan changes how a run is done, and not what it finds.
#[test]
fn runs_in_little_memory_have_the_same_results() {
    let graph = demo();
    let (links, nodes) = (LinkParams::default(), NodeParams::default());
    let plain = || Exec::new(2).unwrap().with_memory_limit(1 << 40);
    let plans = [
        netinfof::plan::links(&graph, None, Goal::Probe, &links, &plain()),
        netinfof::plan::nodes(&graph, Goal::Probe, &nodes, &plain()),
    ];
    for (at, plan) in plans.iter().enumerate() {
        assert!(!plan.saves_memory);
        let tight = Exec::new(2).unwrap().with_memory_limit(plan.bytes - 1);
        let run = |exec: &Exec| match at {
            0 => netinfof::links(&graph, None, Goal::Probe, &links, exec),
            _ => netinfof::nodes(&graph, None, Goal::Probe, &nodes, exec),
        };
        let saving = match at {
            0 => netinfof::plan::links(&graph, None, Goal::Probe, &links, &tight),
            _ => netinfof::plan::nodes(&graph, Goal::Probe, &nodes, &tight),
        };
        assert!(saving.saves_memory && saving.bytes < plan.bytes, "{} {}", saving.bytes, plan.bytes);
        let [saved, usual] = [&tight, &plain()].map(|exec| timeless(&run(exec).unwrap()));
        for (key, value) in usual.as_object().unwrap() {
            assert_eq!(&saved[key], value, "{at} {key}");
        }
    }
}
