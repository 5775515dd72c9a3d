//! Same input, parameters and seed give the same bits for any number of threads.

use netinfof::synth;
use netinfof::{Exec, Goal, LinkParams, NodeParams, Report, Seed};

/// The report without what may differ between runs: times, memory, threads.
fn strip(report: &Report) -> serde_json::Value {
    let mut value = serde_json::to_value(report).unwrap();
    value["threads"].take();
    value["peak_memory_bytes"].take();
    value["splits"][0]["seconds"].take();
    value
}

fn links(threads: usize, seed: u64) -> serde_json::Value {
    let graph = synth::named("demo", Seed(0), &Exec::new(1).unwrap()).unwrap();
    let mut params = LinkParams::default();
    params.seed = Seed(seed);
    strip(&netinfof::links(&graph, None, Goal::Act, &params, &Exec::new(threads).unwrap()).unwrap())
}

fn nodes(threads: usize, seed: u64) -> serde_json::Value {
    let graph = synth::named("demo", Seed(0), &Exec::new(1).unwrap()).unwrap();
    let mut params = NodeParams::default();
    params.seed = Seed(seed);
    strip(&netinfof::nodes(&graph, None, Goal::Act, &params, &Exec::new(threads).unwrap()).unwrap())
}

#[test]
fn bits_do_not_depend_on_threads() {
    for run in [links, nodes] {
        let one = run(1, 0);
        assert_eq!(one, run(2, 0));
        assert_eq!(one, run(7, 0));
    }
}

#[test]
fn the_seed_matters() {
    assert_ne!(links(2, 0)["splits"], links(2, 1)["splits"]);
    assert_ne!(nodes(2, 0)["splits"], nodes(2, 1)["splits"]);
}

/// Components that are built one after the other give the same results as all at once.
#[test]
fn batches_of_components_change_nothing() {
    let exec = Exec::new(2).unwrap();
    let graph = synth::named("demo", Seed(0), &exec).unwrap();
    let close = |a: &Report, b: &Report, tolerance: f64| {
        for (name, value) in a.mean.components.iter().chain(a.mean.test.iter()) {
            let other = b.mean.components.get(name).or(b.mean.test.get(name)).unwrap();
            assert!((value - other).abs() <= tolerance, "{name}: {value} {other}");
        }
        assert_eq!(a.verdict.kind, b.verdict.kind);
    };
    for goal in [Goal::Probe, Goal::Act] {
        let run = |large: usize| {
            let mut params = LinkParams::default();
            params.component.large_entries = large;
            netinfof::links(&graph, None, goal, &params, &exec).unwrap()
        };
        close(&run(usize::MAX), &run(0), 0.01);
        let run = |large: usize| {
            let mut params = NodeParams::default();
            params.component.large_entries = large;
            netinfof::nodes(&graph, None, goal, &params, &exec).unwrap()
        };
        close(&run(usize::MAX), &run(0), 0.01);
    }
}

/// A saved model of a run with large components is that of any other run.
#[test]
fn models_of_large_components_score_as_the_fit() {
    let exec = Exec::new(2).unwrap();
    let graph = synth::named("demo", Seed(0), &exec).unwrap();
    let mut params = NodeParams::default();
    params.component.large_entries = 0;
    let fitted = netinfof::fit_nodes(&graph, None, &params, &exec).unwrap();
    let found = fitted.model.nodes(None, &exec).unwrap();
    let classes = found.classes.len();
    for (at, &node) in fitted.tested.nodes.iter().enumerate() {
        let own = &fitted.tested.scores[at * classes..][..classes];
        let again = &found.scores[node as usize * classes..][..classes];
        assert!(own.iter().zip(again).all(|(a, b)| (a - b).abs() < 0.02), "{own:?} {again:?}");
    }
}
