//! Every stage of the pipeline over three sizes of a generated graph; throughput in edges a second.
//!
//! Run with `cargo bench -p netinfof-bench`. Linear growth shows as a constant throughput.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use netinfof::internals::{
    Evaluated, KnownEdges, LearnParams, LearnedLinks, PairwiseSource, ProbedPairs, TestPairs, Training,
    act_links, build_components, learn as learn_links, probe_links,
};
use netinfof::synth::{self, Communities};
use netinfof::{ComponentKind, ComponentParams, Exec, LinkParams, Seed, split};

const NODES: [usize; 3] = [4_000, 16_000, 64_000];
const SEED: Seed = Seed(0);

fn stages(criterion: &mut Criterion) {
    let exec = Exec::new(0).expect("a thread pool");
    for nodes in NODES {
        let graph = synth::communities(&Communities::default().nodes(nodes), SEED).expect("a graph");
        let edges = graph.edge_count();
        let params = LinkParams::default();
        let split = split::links(&graph, &params.split, SEED, &exec).expect("a split");
        let components = build_components(&split.graph, graph.features(), &params.component, SEED, &exec)
            .expect("components");
        let training = Training::draw(&split, &params.training(), SEED).expect("training pairs");
        let source = PairwiseSource::new(&split.graph, graph.features(), &ComponentParams::default(), &exec);
        let learning =
            LearnParams { compat: &params.compat, ordered_pairs: false, for_act: true, width: None };
        let learn = || learn_links(components.clone(), &split, &training, Some(&source), &learning, &exec);
        let learned = learn().expect("matrices");
        let valid = Evaluated::new(&split.valid, Some(&source), &exec);

        let mut group = criterion.benchmark_group("stages");
        group.sample_size(10).throughput(Throughput::Elements(edges as u64));
        group.bench_function(BenchmarkId::new("split", edges), |b| {
            b.iter(|| split::links(black_box(&graph), &params.split, SEED, &exec));
        });
        for kind in ComponentKind::ALL.into_iter().filter(|kind| !kind.is_pairwise()) {
            let mut one = ComponentParams::default();
            one.kinds = vec![kind];
            group.bench_function(BenchmarkId::new(format!("component {}", kind.name()), edges), |b| {
                b.iter(|| build_components(black_box(&split.graph), graph.features(), &one, SEED, &exec));
            });
        }
        group.bench_function(BenchmarkId::new("training pairs", edges), |b| {
            b.iter(|| Training::draw(black_box(&split), &params.training(), SEED));
        });
        group.bench_function(BenchmarkId::new("columns of X, training edges", edges), |b| {
            b.iter(|| source.columns(black_box(&split.train), &exec));
        });
        group.bench_function(BenchmarkId::new("compatibility and X", edges), |b| b.iter(learn));
        group.bench_function(BenchmarkId::new("probe", edges), |b| {
            let pairs = ProbedPairs { valid: &valid, matched: None };
            b.iter(|| {
                let LearnedLinks { components, parts } = black_box(&learned);
                probe_links(components, parts, &training, pairs, &params.probe, SEED, &exec)
            });
        });
        group.bench_function(BenchmarkId::new("act", edges), |b| {
            b.iter(|| {
                let edges = KnownEdges { all: graph.adjacency(), source: Some(&source), seed: SEED };
                let tested = TestPairs::new(&split, edges, &params.act, &exec)?;
                let learned = black_box(&learned.components);
                act_links(learned, &split, &training, &valid, &tested, &params.act, &exec)
            });
        });
        group.finish();
    }
}

criterion_group!(benches, stages);
criterion_main!(benches);
