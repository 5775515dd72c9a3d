//! Every stage of the pipeline over three sizes of a generated graph; throughput in edges a second.
//!
//! Run with `cargo bench -p netinfof-bench`. Linear growth shows as a constant throughput.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use netinfof::act::{self, LinkActParams};
use netinfof::compat::{self, CompatParams};
use netinfof::component::{self, ComponentKind, ComponentParams};
use netinfof::graph::synth::{self, Communities};
use netinfof::probe::{self, LinkProbeParams};
use netinfof::split::{self, SplitParams};
use netinfof::{Exec, Seed};

const NODES: [usize; 3] = [4_000, 16_000, 64_000];
const SEED: Seed = Seed(0);

fn stages(criterion: &mut Criterion) {
    let exec = Exec::new(0).expect("a thread pool");
    for nodes in NODES {
        let graph = synth::communities(&Communities::default().nodes(nodes), SEED).expect("a graph");
        let edges = graph.edge_count();
        let split = split::links(&graph, &SplitParams::default(), SEED, &exec).expect("a split");
        let params = ComponentParams::default();
        let components =
            component::build(&split.graph, graph.features(), &params, SEED, &exec).expect("components");
        let adjusted =
            compat::fit(&components, &split, &CompatParams::default(), SEED, &exec).expect("matrices");

        let mut group = criterion.benchmark_group("stages");
        group.sample_size(10).throughput(Throughput::Elements(edges as u64));
        group.bench_function(BenchmarkId::new("split", edges), |b| {
            b.iter(|| split::links(black_box(&graph), &SplitParams::default(), SEED, &exec));
        });
        for kind in ComponentKind::ALL {
            let mut one = ComponentParams::default();
            one.kinds = vec![kind];
            group.bench_function(BenchmarkId::new(format!("component {}", kind.name()), edges), |b| {
                b.iter(|| component::build(black_box(&split.graph), graph.features(), &one, SEED, &exec));
            });
        }
        group.bench_function(BenchmarkId::new("compatibility", edges), |b| {
            b.iter(|| compat::fit(black_box(&components), &split, &CompatParams::default(), SEED, &exec));
        });
        group.bench_function(BenchmarkId::new("probe", edges), |b| {
            b.iter(|| probe::links(black_box(&adjusted), &split, &LinkProbeParams::default(), SEED, &exec));
        });
        group.bench_function(BenchmarkId::new("act", edges), |b| {
            b.iter(|| act::links(black_box(&adjusted), &split, &LinkActParams::default(), SEED, &exec));
        });
        group.finish();
    }
}

criterion_group!(benches, stages);
criterion_main!(benches);
