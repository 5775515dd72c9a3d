//! Same input, parameters and seed give the same bits for any number of threads.

use netinfof::graph::synth;
use netinfof::{Exec, Goal, LinkParams, Seed};

/// The report without what may differ between runs: times, memory, threads.
fn result(threads: usize, seed: u64) -> serde_json::Value {
    let graph = synth::named("demo", Seed(0)).unwrap();
    let mut params = LinkParams::default();
    params.seed = Seed(seed);
    let report = netinfof::links(&graph, None, Goal::Act, &params, &Exec::new(threads).unwrap()).unwrap();
    let mut value = serde_json::to_value(&report).unwrap();
    value["threads"].take();
    value["peak_memory_bytes"].take();
    value["splits"][0]["seconds"].take();
    value
}

#[test]
fn bits_do_not_depend_on_threads() {
    let one = result(1, 0);
    assert_eq!(one, result(2, 0));
    assert_eq!(one, result(7, 0));
}

#[test]
fn the_seed_matters() {
    assert_ne!(result(2, 0)["splits"], result(2, 1)["splits"]);
}
