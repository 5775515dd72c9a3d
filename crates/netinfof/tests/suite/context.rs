//! Edges of other relations as structure: a planted signal is used, chance is no signal, and copies of the target do
//! not leak.

use netinfof::graph::{ContextNodes, Relation, Sides};
use netinfof::model::{RecommendParams, Seen};
use netinfof::report::VerdictKind::{Nothing, Undecided};
use netinfof::{Exec, Features, Goal, Graph, LinkParams, Model, NodeParams, Pair};

use crate::ordinary::Random;

const USERS: usize = 400;
const ITEMS: usize = 300;
const BRANDS: usize = 25;

/// Users and items. Every user likes two brands; this share of the edges is of them.
fn purchases(liked: f64, random: &mut Random) -> (Graph, Relation) {
    let brands: Vec<usize> = (0..ITEMS).map(|_| random.below(BRANDS)).collect();
    let likes: Vec<[usize; 2]> = (0..USERS).map(|_| [(); 2].map(|()| random.below(BRANDS))).collect();
    let mut edges: Vec<Pair> = Vec::new();
    while edges.len() < 1800 {
        let (user, item) = (random.below(USERS), random.below(ITEMS));
        if likes[user].contains(&brands[item]) || random.unit() >= liked {
            edges.push([user as u32, (USERS + item) as u32]);
        }
    }
    let graph = Graph::from_edges("purchases", USERS + ITEMS, &edges).unwrap();
    let sides = Sides::new((0..USERS + ITEMS).map(|node| node >= USERS).collect());
    let made = (0..ITEMS).map(|item| [(USERS + item) as u32, (USERS + ITEMS + brands[item]) as u32]);
    (graph.with_sides(sides).unwrap(), Relation { name: "made by".into(), edges: made.collect() })
}

fn brands() -> ContextNodes {
    let names = (0..BRANDS).map(|brand| format!("brand:{brand}")).collect();
    ContextNodes { names, types: vec![0; BRANDS], features: Features::None }
}

fn auc(graph: &Graph, seed: u64, exec: &Exec) -> f64 {
    let mut params = LinkParams::default();
    params.splits = 1;
    params.seed = netinfof::Seed(seed);
    let report = netinfof::links(graph, None, Goal::Act, &params, exec).unwrap();
    *report.mean.test.get("auc").unwrap()
}

#[test]
fn context_that_carries_signal_raises_the_auc() {
    let exec = Exec::new(0).unwrap();
    let (graph, made) = purchases(0.97, &mut Random::new(1));
    let alone = auc(&graph, 0, &exec);
    let (graph, notices) = graph.with_context(vec![made], brands()).unwrap();
    assert!(notices.is_empty());
    let with = auc(&graph, 0, &exec);
    assert!(with > alone + 0.05, "{alone} {with}");
}

#[test]
fn random_context_is_no_signal() {
    let exec = Exec::new(0).unwrap();
    let mut params = LinkParams::default();
    params.splits = 2;
    for seed in 0..2 {
        let (graph, made) = purchases(0.0, &mut Random::new(10 + seed));
        let (graph, _) = graph.with_context(vec![made], brands()).unwrap();
        let report = netinfof::links(&graph, None, Goal::Probe, &params, &exec).unwrap();
        assert!([Nothing, Undecided].contains(&report.verdict.kind), "{seed}: {:?}", report.verdict);
        assert_eq!(report.graph.context.unwrap().nodes, BRANDS);
    }
}

/// Also when the copy is hidden behind a few pairs of its own.
#[test]
fn copies_of_the_target_do_not_leak() {
    let exec = Exec::new(0).unwrap();
    let mut random = Random::new(3);
    let (graph, made) = purchases(0.0, &mut random);
    let copy: Vec<Pair> = graph.edges().iter().map(|&[i, j]| [j, i]).collect();
    let mut more = copy.clone();
    more.extend((0..400).map(|_| [random.below(USERS) as u32, (USERS + random.below(ITEMS)) as u32]));
    for edges in [copy, more] {
        let reverse = Relation { name: "rev".into(), edges };
        let (graph, notices) = graph.clone().with_context(vec![made.clone(), reverse], brands()).unwrap();
        assert!(notices[0].contains("`rev` is left out"), "{notices:?}");
        let found = auc(&graph, 0, &exec);
        assert!((found - 0.5).abs() < 0.06, "{found}");
    }
}

/// Pairs of another relation between the same nodes: a random quarter of the edges, and as many other pairs.
#[test]
fn edges_that_are_context_too_look_the_same_when_held_out() {
    let exec = Exec::new(0).unwrap();
    let mut random = Random::new(4);
    let (graph, _) = purchases(0.0, &mut random);
    let shared = graph.edges().into_iter().filter(|_| random.unit() < 0.1);
    let mut edges: Vec<Pair> = shared.collect();
    edges.extend(
        (0..9 * edges.len()).map(|_| [random.below(USERS) as u32, (USERS + random.below(ITEMS)) as u32]),
    );
    let seen = Relation { name: "seen".into(), edges };
    let (graph, notices) = graph.with_context(vec![seen], ContextNodes::default()).unwrap();
    assert!(notices[0].contains("context edges of `seen`, too"), "{notices:?}");
    // A tenth of the edges and a hundredth of the other pairs are context edges: at most 0.55 is a signal.
    let found = auc(&graph, 0, &exec);
    assert!((found - 0.5).abs() < 0.08, "{found}");
}

#[test]
fn models_keep_their_context() {
    let exec = Exec::new(0).unwrap();
    let (graph, made) = purchases(0.97, &mut Random::new(5));
    let x = netinfof::Matrix::from_fn(USERS + ITEMS, 3, |i, j| ((i * 7 + j * 3) % 11) as f32);
    let graph = graph.with_features(Features::Dense(x)).unwrap();
    let own = ContextNodes {
        features: Features::Dense(netinfof::Matrix::from_fn(BRANDS, 3, |i, _| i as f32)),
        ..brands()
    };
    let (graph, _) = graph.with_context(vec![made], own).unwrap();
    let mut params = LinkParams::default();
    params.splits = 1;
    let fitted = netinfof::fit_links(&graph, None, &params, &exec).unwrap();
    let model = Model::from_bytes(&fitted.model.to_bytes().unwrap()).unwrap();
    let scorer = model.links(Seen::Training, None, &exec).unwrap();
    let scores = scorer.scores(&fitted.tested.pairs, &exec).unwrap();
    assert_eq!(scores, fitted.tested.scores);
    let mut found = 0;
    scorer
        .recommend(Some(&[0, 500]), &RecommendParams::new(5), &exec, |rows| {
            assert!(rows.iter().all(|own| (own.other as usize) < USERS + ITEMS));
            assert!(rows.iter().all(|own| (own.other as usize >= USERS) != (own.node as usize >= USERS)));
            found += rows.len();
            Ok(())
        })
        .unwrap();
    assert_eq!(found, 10);
    let newer = model.links(Seen::All, Some(&graph.clone().without_context()), &exec).unwrap_err();
    assert!(newer.to_string().contains("its own graph only"), "{newer}");
}

/// The two ends of a pair may be of one type.
#[test]
fn context_of_a_graph_without_sides() {
    let exec = Exec::new(0).unwrap();
    let mut random = Random::new(6);
    let topic: Vec<usize> = (0..500).map(|_| random.below(20)).collect();
    let mut edges: Vec<Pair> = Vec::new();
    while edges.len() < 1000 {
        let [i, j] = [(); 2].map(|()| random.below(500));
        if i != j && (topic[i] == topic[j] || random.unit() < 0.02) {
            edges.push([i as u32, j as u32]);
        }
    }
    let graph = Graph::from_edges("papers", 500, &edges).unwrap().without_sides();
    let alone = auc(&graph, 0, &exec);
    let about = (0..500).map(|paper| [paper as u32, (500 + topic[paper]) as u32]).collect();
    let nodes = ContextNodes {
        names: (0..20).map(|own| format!("topic:{own}")).collect(),
        types: vec![0; 20],
        features: Features::None,
    };
    let (graph, _) =
        graph.with_context(vec![Relation { name: "about".into(), edges: about }], nodes).unwrap();
    let with = auc(&graph, 0, &exec);
    assert!(with > alone + 0.05, "{alone} {with}");
    let said =
        netinfof::nodes(&graph, None, Goal::Probe, &NodeParams::default(), &exec).unwrap_err().to_string();
    assert!(said.contains("link prediction only"), "{said}");
}

/// The paper's parameters have no cross-fitting.
#[test]
fn without_folds_and_with_weights() {
    let exec = Exec::new(0).unwrap();
    let (graph, made) = purchases(0.97, &mut Random::new(7));
    let edges = graph.edges();
    let weights: Vec<f32> = (0..edges.len()).map(|at| 1.0 + (at % 5) as f32).collect();
    let graph = graph.with_weights(&edges, &weights, netinfof::graph::WeightTransform::Log).unwrap().0;
    let (graph, _) = graph.with_context(vec![made], brands()).unwrap();
    let mut params = LinkParams::paper();
    params.splits = 1;
    let report = netinfof::links(&graph, None, Goal::Act, &params, &exec).unwrap();
    assert!(report.mean.test.get("auc").unwrap() > &0.5);
}
