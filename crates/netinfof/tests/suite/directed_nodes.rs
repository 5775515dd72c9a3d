//! Directions for targets of nodes: a label that depends on them is found, and models place nodes in both roles.

use netinfof::{Exec, Features, Goal, Graph, Matrix, Model, NodeParams, Pair};

use crate::ordinary::Random;

const NODES: usize = 800;

/// A random directed graph. The label of a node is the sign of a feature, summed over those that lead to it.
fn by_sources(random: &mut Random) -> (Graph, Vec<Pair>) {
    let edges: Vec<Pair> = (0..4 * NODES)
        .map(|_| [(); 2].map(|()| random.below(NODES) as u32))
        .filter(|pair| pair[0] != pair[1])
        .collect();
    let x = Matrix::from_fn(NODES, 6, |_, _| (random.unit() + random.unit() - 1.0) as f32);
    let mut sums = vec![0.0f32; NODES];
    for &[i, j] in &edges {
        sums[j as usize] += x.row(i as usize)[0];
    }
    let labels = sums.iter().map(|&sum| i32::from(sum > 0.0)).collect();
    let graph = Graph::from_edges("sources", NODES, &edges).unwrap();
    (graph.with_features(Features::Dense(x)).unwrap().with_labels(labels).unwrap(), edges)
}

fn params() -> NodeParams {
    let mut params = NodeParams::default();
    (params.split.train, params.split.valid) = (0.4, 0.1);
    params
}

fn accuracy(graph: &Graph, exec: &Exec) -> f64 {
    let report = netinfof::nodes(graph, None, Goal::Act, &params(), exec).unwrap();
    *report.mean.test.get("accuracy").unwrap()
}

#[test]
fn labels_that_depend_on_in_edges_are_predicted() {
    let exec = Exec::new(0).unwrap();
    let (graph, edges) = by_sources(&mut Random::new(1));
    let undirected = accuracy(&graph, &exec);
    let directed = graph.with_directions(edges, None).in_roles().unwrap().0;
    assert_eq!(directed.labels().unwrap()[NODES..], [-1; NODES]);
    let found = accuracy(&directed, &exec);
    assert!(found > undirected + 0.08, "{undirected} {found}");
    let notices = exec.notices();
    assert!(notices.iter().any(|notice| notice.contains("as a source by its out-edges")), "{notices:?}");
}

/// Sources and sinks: half of the nodes have most of the edges that leave, the others most of those that arrive.
#[test]
fn sources_and_sinks_are_told_apart_without_features() {
    let exec = Exec::new(0).unwrap();
    let mut random = Random::new(2);
    let label = |node: usize| node.is_multiple_of(2);
    let mut edges: Vec<Pair> = Vec::new();
    while edges.len() < 3 * NODES {
        let [i, j] = [(); 2].map(|()| random.below(NODES));
        if i != j && (label(i) && !label(j) || random.unit() < 0.3) {
            // The pair is as likely in the other direction, which an undirected reading cannot see.
            edges.push([i as u32, j as u32]);
        }
    }
    let labels = (0..NODES).map(|node| i32::from(label(node))).collect();
    let graph = Graph::from_edges("roles", NODES, &edges).unwrap().with_labels(labels).unwrap();
    let undirected = accuracy(&graph, &exec);
    let directed = graph.with_directions(edges, None).in_roles().unwrap().0;
    let found = accuracy(&directed, &exec);
    assert!(found > 0.8 && found > undirected + 0.03, "{undirected} {found}");
}

#[test]
fn models_place_nodes_in_both_roles() {
    let exec = Exec::new(0).unwrap();
    let (graph, edges) = by_sources(&mut Random::new(3));
    let undirected = graph.clone();
    let directed = graph.with_directions(edges, None).in_roles().unwrap().0;
    let fitted = netinfof::fit_nodes(&directed, None, &params(), &exec).unwrap();
    let model = Model::from_bytes(&fitted.model.to_bytes().unwrap()).unwrap();
    let found = model.nodes(None, &exec).unwrap();
    assert_eq!((found.graph.nodes(), found.probabilities.len()), (NODES, 2 * NODES));
    assert_eq!(found.graph.node_name(5), "5");
    for (at, &node) in fitted.tested.nodes.iter().enumerate() {
        let scores = &found.scores[2 * node as usize..][..2];
        assert_eq!(scores, &fitted.tested.scores[2 * at..][..2]);
    }
    let same = model.nodes(Some(&directed), &exec).unwrap();
    assert_eq!(same.probabilities, found.probabilities);
    let said = model.nodes(Some(&undirected), &exec).unwrap_err().to_string();
    assert!(said.contains("undirected"), "{said}");
}

#[test]
fn other_targets_have_directions_too() {
    let exec = Exec::new(0).unwrap();
    let (graph, edges) = by_sources(&mut Random::new(4));
    let Features::Dense(x) = graph.features().clone() else { panic!() };
    let mut sums = vec![0.0; NODES];
    for &[i, j] in &edges {
        sums[j as usize] += f64::from(x.row(i as usize)[0]);
    }
    let graph = graph.with_numbers(sums).unwrap();
    let r2 = |graph: &Graph| {
        let report = netinfof::nodes(graph, None, Goal::Act, &params(), &exec).unwrap();
        *report.mean.test.get("r2").unwrap()
    };
    let undirected = r2(&graph);
    let found = r2(&graph.with_directions(edges, None).in_roles().unwrap().0);
    assert!(found > undirected + 0.15, "{undirected} {found}");
}
