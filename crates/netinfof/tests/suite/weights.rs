//! Weights of edges from the outside: they help where they carry the signal, equal weights change no bit, and
//! models need them again.

use netinfof::graph::WeightTransform;
use netinfof::model::Seen;
use netinfof::{Exec, Goal, Graph, LinkParams, Model, NodeParams, Pair, Report};

use crate::ordinary::Random;

const NODES: usize = 600;

/// Random edges, each with its weight.
type Edges = (Vec<Pair>, Vec<f32>);

/// Four communities: `inside` edges each join two nodes of one community, and `outside` edges any two nodes. The
/// former are heavy, the latter light.
fn communities(inside: usize, outside: usize, seed: u64) -> Edges {
    let mut random = Random::new(seed);
    let mut drawn = std::collections::BTreeMap::new();
    for at in 0..inside + outside {
        let (i, mut j) = (random.below(NODES), random.below(NODES));
        if at < inside {
            j = (j / 4) * 4 + i % 4;
        }
        let weight = (2.0 * random.unit()).exp() as f32;
        let heavy = i % 4 == j % 4;
        if i != j {
            drawn.insert([i.min(j) as u32, i.max(j) as u32], if heavy { 20.0 * weight } else { weight });
        }
    }
    drawn.into_iter().unzip()
}

fn shuffled((edges, weights): &Edges) -> Edges {
    let mut weights = weights.clone();
    let mut random = Random::new(77);
    for at in (1..weights.len()).rev() {
        weights.swap(at, random.below(at + 1));
    }
    (edges.clone(), weights)
}

fn plain(edges: &Edges) -> Graph {
    Graph::from_edges("weighted", NODES, &edges.0).unwrap()
}

fn weighted(edges: &Edges) -> Graph {
    scaled(edges, WeightTransform::Log)
}

fn scaled(edges: &Edges, transform: WeightTransform) -> Graph {
    plain(edges).with_weights(&edges.0, &edges.1, transform).unwrap().0
}

fn with_classes(graph: Graph) -> Graph {
    graph.with_labels((0..NODES as i32).map(|node| node % 4).collect()).unwrap()
}

fn accuracy(graph: Graph, exec: &Exec) -> f64 {
    let mut params = NodeParams::default();
    params.split.train = 0.1;
    params.split.valid = 0.1;
    let report = netinfof::nodes(&with_classes(graph), None, Goal::Act, &params, exec).unwrap();
    *report.mean.test.get("accuracy").unwrap()
}

fn auc(graph: &Graph, exec: &Exec) -> f64 {
    let report = netinfof::links(graph, None, Goal::Act, &LinkParams::default(), exec).unwrap();
    *report.mean.test.get("auc").unwrap()
}

/// Which nodes are joined does not depend on the classes at all; only weights do.
#[test]
fn weights_alone_carry_classes() {
    let exec = Exec::new(0).unwrap();
    let edges = communities(0, 4800, 1);
    let [none, own, other] =
        [plain(&edges), weighted(&edges), weighted(&shuffled(&edges))].map(|graph| accuracy(graph, &exec));
    let linear = accuracy(scaled(&edges, WeightTransform::Linear), &exec);
    // Here the scale matters: community edges are 20 times as heavy as others, and a logarithm reduces that.
    assert!(own > 0.5 && linear > 0.7 && none < 0.4 && other < 0.4, "{none} {own} {linear} {other}");
}

/// Edges between communities are light noise.
#[test]
fn weights_separate_edges_from_noise() {
    let exec = Exec::new(0).unwrap();
    let edges = communities(2400, 3600, 2);
    let [none, own, other] =
        [plain(&edges), weighted(&edges), weighted(&shuffled(&edges))].map(|graph| auc(&graph, &exec));
    assert!(own > none + 0.02 && own > other + 0.04 && other > none - 0.05, "{none} {own} {other}");
}

/// The report without times, memory and what was read.
fn strip(report: &Report) -> serde_json::Value {
    let mut value = serde_json::to_value(report).unwrap();
    for key in ["threads", "peak_memory_bytes"] {
        value[key].take();
    }
    value["splits"][0]["seconds"].take();
    if let Some(graph) = value["graph"].as_object_mut() {
        graph.remove("weights");
    }
    value
}

#[test]
fn equal_weights_change_no_bit() {
    let exec = Exec::new(0).unwrap();
    let (edges, _) = communities(1500, 500, 3);
    // Also listed in both directions.
    let both: Vec<Pair> = edges.iter().flat_map(|&[i, j]| [[i, j], [j, i]]).collect();
    let plain = Graph::from_edges("equal", NODES, &both).unwrap();
    let equal = plain.clone().with_weights(&both, &vec![1.0; both.len()], WeightTransform::Log).unwrap().0;
    let links = |graph: &Graph| {
        strip(&netinfof::links(graph, None, Goal::Act, &LinkParams::default(), &exec).unwrap())
    };
    assert_eq!(links(&plain), links(&equal));
    let nodes = |graph: &Graph| {
        let graph = with_classes(graph.clone());
        strip(&netinfof::nodes(&graph, None, Goal::Act, &NodeParams::default(), &exec).unwrap())
    };
    assert_eq!(nodes(&plain), nodes(&equal));
}

#[test]
fn weighted_runs_do_not_depend_on_threads() {
    let graph = weighted(&communities(1500, 500, 4));
    let run = |threads: usize| {
        let exec = Exec::new(threads).unwrap();
        strip(&netinfof::links(&graph, None, Goal::Act, &LinkParams::default(), &exec).unwrap())
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn models_use_the_weights_of_newer_graphs() {
    let exec = Exec::new(0).unwrap();
    let edges = communities(1500, 500, 5);
    let graph = weighted(&edges);
    let fitted = netinfof::fit_links(&graph, None, &LinkParams::default(), &exec).unwrap();
    let model = Model::from_bytes(&fitted.model.to_bytes().unwrap()).unwrap();
    assert!(model.uses_weights());
    assert_eq!(model.graph().weights().unwrap().given(), graph.weights().unwrap().given());
    assert_eq!(model.graph().adjacency(), graph.adjacency());
    let pairs: Vec<Pair> = (0..50).map(|at| [at, 599 - 3 * at]).collect();
    let scores = |model: &Model, newer: Option<&Graph>| {
        model.links(Seen::All, newer, &exec).unwrap().scores(&pairs, &exec).unwrap()
    };
    let own = scores(&fitted.model, None);
    assert_eq!(scores(&model, None), own);
    // The same edges and weights as a newer graph, in other units of nothing: the scale is the model's.
    assert_eq!(scores(&model, Some(&graph)), own);
    let heavier: Edges = (edges.0.clone(), edges.1.iter().map(|weight| 10.0 * weight).collect());
    assert_ne!(scores(&model, Some(&weighted(&heavier))), own);
    assert_ne!(scores(&model, Some(&weighted(&shuffled(&edges)))), own);
    let fault = model.links(Seen::All, Some(&plain(&edges)), &exec).unwrap_err().to_string();
    assert!(fault.contains("its edges have no weights") && fault.contains("`weight`"), "{fault}");
    // The other way around: weights that the model does not use.
    let unweighted = netinfof::fit_links(&plain(&edges), None, &LinkParams::default(), &exec).unwrap().model;
    assert_eq!(scores(&unweighted, Some(&graph)), scores(&unweighted, None));
    assert!(exec.notices().iter().any(|own| own.contains("without weights")), "{:?}", exec.notices());
}

#[test]
fn models_of_nodes_use_weights() {
    let exec = Exec::new(0).unwrap();
    let graph = with_classes(weighted(&communities(1500, 500, 6)));
    let params = NodeParams::default();
    let fitted = netinfof::fit_nodes(&graph, None, &params, &exec).unwrap().model;
    let model = Model::from_bytes(&fitted.to_bytes().unwrap()).unwrap();
    let [before, after, newer] = [(&fitted, None), (&model, None), (&model, Some(&graph))]
        .map(|(model, newer)| model.nodes(newer, &exec).unwrap().probabilities);
    assert_eq!((&before, &before), (&after, &newer));
}

/// Plans contain the weights, and more memory for a weighted graph than for the same graph without.
#[test]
fn plans_count_weights() {
    let exec = Exec::new(2).unwrap();
    let edges = communities(4000, 4000, 7);
    let bytes =
        |graph: &Graph| netinfof::plan::links(graph, None, Goal::Act, &LinkParams::default(), &exec).bytes;
    let (plain, with) = (bytes(&plain(&edges)), bytes(&weighted(&edges)));
    assert!(with > plain + 6 * 4 * edges.0.len() as u64, "{plain} {with}");
}
