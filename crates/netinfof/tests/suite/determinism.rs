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
