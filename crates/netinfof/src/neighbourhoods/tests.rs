//! Unit tests, compiled under `#[cfg(test)]` alone.

use super::*;
use crate::graph::Pair;

const COUNT: usize = 600;
const CLASSES: u32 = 4;

fn draw(unit: u64) -> Draw {
    Seed(11).stream(Stream::Synth, unit)
}

/// Nodes of four classes (by number), most edges within a class or, for `same` below a quarter, across.
fn blocks(same: f64, draw: &mut Draw) -> Graph {
    let nodes = COUNT as u32;
    let edges: Vec<Pair> = (0..4 * COUNT)
        .map(|_| {
            let node = draw.below(nodes);
            let step = if draw.unit() < same { 0 } else { 1 + draw.below(CLASSES - 1) };
            let class = (node + step) % CLASSES;
            [node, class + CLASSES * draw.below(nodes / CLASSES)]
        })
        .collect();
    Graph::from_edges("blocks", COUNT, &edges).unwrap()
}

/// Edges whose ends are drawn by very different weights.
fn hubs(draw: &mut Draw) -> Graph {
    let mut end = || ((draw.unit().powi(4)) * COUNT as f64) as NodeId;
    let edges: Vec<Pair> = (0..3 * COUNT).map(|_| [end(), end()]).collect();
    Graph::from_edges("hubs", COUNT, &edges).unwrap()
}

fn with(graph: &Graph, cols: usize, entry: impl FnMut(usize, usize) -> f32) -> Graph {
    let features = Features::Dense(Matrix::from_fn(graph.nodes(), cols, entry));
    graph.bare().with_features(features).unwrap()
}

fn found(graph: &Graph) -> FeatureSimilarity {
    graph.facts().feature_similarity.unwrap()
}

fn holds(estimate: Estimate, value: f64) -> bool {
    (estimate.interval[0]..=estimate.interval[1]).contains(&value)
}

/// Gaussian columns, with the class of a node in the first ones.
fn of_classes(graph: &Graph, cols: usize, strength: f32, draw: &mut Draw) -> Graph {
    with(graph, cols, |node, col| {
        draw.normal() as f32 + if node % CLASSES as usize == col { strength } else { 0.0 }
    })
}

#[test]
fn noise_is_unrelated_to_any_graph() {
    let graphs: [fn(&mut Draw) -> Graph; 3] = [|draw| blocks(0.9, draw), |draw| blocks(0.0, draw), hubs];
    for (kind, graph) in graphs.into_iter().enumerate() {
        let mut inside = [0; 2];
        for unit in 0..20 {
            let mut draw = draw(unit);
            let graph = graph(&mut draw);
            let noisy = match unit % 4 {
                0 => with(&graph, 16, |_, _| draw.normal() as f32),
                1 => with(&graph, 1, |_, _| draw.normal() as f32),
                2 => with(&graph, 1, |_, _| draw.below(2) as f32),
                _ => with(&graph, 200, |_, _| f32::from(draw.unit() < 0.05)),
            };
            let found = found(&noisy);
            assert!((found.neighbours.value - 0.5).abs() < 0.06, "{kind} {unit}: {found:?}");
            inside[0] += u32::from(holds(found.neighbours, 0.5));
            inside[1] += u32::from(holds(found.two_steps.unwrap(), 0.5));
        }
        assert!(inside.iter().all(|&count| count >= 17), "{kind}: {inside:?}");
    }
}

#[test]
fn features_that_follow_the_graph_are_alike() {
    let mut draw = draw(0);
    let graph = blocks(0.9, &mut draw);
    let strong = found(&of_classes(&graph, 16, 3.0, &mut draw));
    let weak = found(&of_classes(&graph, 16, 1.0, &mut draw));
    assert!(strong.neighbours.interval[0] > 0.6 && strong.two_steps.unwrap().above(0.5), "{strong:?}");
    assert!(weak.neighbours.above(0.5) && weak.neighbours.value < strong.neighbours.value, "{weak:?}");
    assert_eq!(strong.sampled, COUNT);
    // Each row a neighbour's, except for noise.
    let ring: Vec<Pair> = (0..COUNT as u32).map(|i| [i, (i + 1) % COUNT as u32]).collect();
    let ring = Graph::from_edges("ring", COUNT, &ring).unwrap();
    let angle = |node: usize| node as f32 / COUNT as f32 * std::f32::consts::TAU;
    let copied = with(&ring, 2, |node, col| [angle(node).cos(), angle(node).sin()][col]);
    assert!(found(&copied).neighbours.value > 0.97, "{:?}", found(&copied));
}

#[test]
fn opposite_neighbours_are_alike_at_two_steps() {
    let mut draw = draw(0);
    // A bipartite graph, with the side in the features.
    let edges: Vec<Pair> = (0..4 * COUNT).map(|_| [2 * draw.below(300), 2 * draw.below(300) + 1]).collect();
    let graph = Graph::from_edges("sides", COUNT, &edges).unwrap();
    let found = found(&with(&graph, 8, |node, col| {
        draw.normal() as f32 + if col == 0 { [3.0, -3.0][node % 2] } else { 0.0 }
    }));
    assert!(found.neighbours.interval[1] < 0.45, "{found:?}");
    assert!(found.two_steps.unwrap().interval[0] > 0.55, "{found:?}");
}

#[test]
fn one_column_and_ties() {
    let mut draw = draw(0);
    let graph = blocks(0.9, &mut draw);
    // A flag for two of the four classes: equal similarities count half.
    let flag = found(&with(&graph, 1, |node, _| f32::from(node % 4 < 2))).neighbours;
    let same = graph.edges().iter().filter(|[i, j]| (i % 4 < 2) == (j % 4 < 2)).count();
    let share = same as f64 / graph.edge_count() as f64;
    assert!((flag.value - (0.5 + (share - 0.5) / 2.0)).abs() < 0.03 && flag.above(0.6), "{flag:?} {share}");
    let number = found(&with(&graph, 1, |node, _| (node % 4) as f32 + 0.3 * draw.normal() as f32));
    assert!(number.neighbours.above(0.6), "{number:?}");
    // Only few different rows.
    let copies = found(&with(&graph, 5, |node, col| f32::from(node % 4 == col))).neighbours;
    assert!(copies.above(0.8), "{copies:?}");
}

#[test]
fn degrees_alone_are_not_a_relation() {
    let graph = hubs(&mut draw(3));
    let found = found(&with(&graph, 1, |node, _| (1.0 + graph.degree(node) as f32).ln())).neighbours;
    assert!((found.value - 0.5).abs() < 0.06, "{found:?}");
}

#[test]
fn nothing_to_compare() {
    let mut draw = draw(0);
    let none = |graph: &Graph| assert_eq!(graph.facts().feature_similarity, None, "{}", graph.name());
    let graph = blocks(0.5, &mut draw);
    none(&graph);
    none(&with(&graph, 3, |_, _| 1.0));
    let mut noise = |graph: &Graph| with(graph, 3, |_, _| draw.normal() as f32);
    none(&noise(&Graph::from_edges("no edges", 50, &[]).unwrap()));
    none(&noise(&Graph::from_edges("empty", 0, &[]).unwrap()));
    none(&noise(&Graph::from_edges("few", 4, &[[0, 1], [2, 3]]).unwrap()));
    let complete: Vec<Pair> = (0..30).flat_map(|i| (0..i).map(move |j| [i, j])).collect();
    none(&noise(&Graph::from_edges("complete", 30, &complete).unwrap()));
    // Nodes at two steps are neighbours or the node itself.
    let pairs: Vec<Pair> = (0..30).map(|i| [2 * i, 2 * i + 1]).collect();
    let pairs = found(&noise(&Graph::from_edges("pairs", 60, &pairs).unwrap()));
    assert!(pairs.two_steps.is_none() && holds(pairs.neighbours, 0.5), "{pairs:?}");
    // All edges at one node: no evidence.
    let star: Vec<Pair> = (1..60).map(|i| [0, i]).collect();
    let star = found(&noise(&Graph::from_edges("star", 60, &star).unwrap()));
    assert!(holds(star.neighbours, 0.5), "{star:?}");
}

#[test]
fn numbering_scale_and_storage_do_not_matter() {
    let mut draw = draw(5);
    let graph = blocks(0.8, &mut draw);
    let own = of_classes(&graph, 6, 1.0, &mut draw);
    let Features::Dense(x) = own.features() else { panic!("they are dense") };
    let expected = found(&own);
    assert_eq!(expected, found(&own));
    let scaled = found(&with(&graph, 6, |node, col| 7.0 * x.row(node)[col]));
    assert!((scaled.neighbours.value - expected.neighbours.value).abs() < 1e-4, "{scaled:?} {expected:?}");
    let mut order: Vec<NodeId> = (0..COUNT as NodeId).collect();
    draw.shuffle(&mut order);
    let edges: Vec<Pair> = graph.edges().iter().map(|pair| pair.map(|node| order[node as usize])).collect();
    let mut place = vec![0; COUNT];
    order.iter().enumerate().for_each(|(old, &new)| place[new as usize] = old);
    let permuted = Graph::from_edges("permuted", COUNT, &edges).unwrap();
    let permuted = found(&with(&permuted, 6, |node, col| x.row(place[node])[col]));
    assert!(holds(permuted.neighbours, expected.neighbours.value), "{permuted:?} {expected:?}");
    // Words, stored as a table and as a sparse matrix, binary and counted.
    let words = Matrix::from_fn(COUNT, 150, |node, col| {
        f32::from(draw.unit() < if node % 4 == col % 4 { 0.08 } else { 0.02 })
    });
    let dense = found(&with(&graph, 150, |node, col| words.row(node)[col]));
    let sparse = Features::Sparse(Csr::from_dense(&words));
    let sparse = found(&graph.bare().with_features(sparse).unwrap());
    let counted = found(&with(&graph, 150, |node, col| 3.0 * words.row(node)[col]));
    assert!(dense.neighbours.above(0.5), "{dense:?}");
    for other in [sparse, counted] {
        assert!((dense.neighbours.value - other.neighbours.value).abs() < 1e-3, "{dense:?} {other:?}");
    }
}

/// Larger graphs are sampled, and the interval holds the figure of other samples.
#[test]
fn a_sample_stands_for_the_graph() {
    let mut draw = draw(9);
    let nodes = 6000;
    let edges: Vec<Pair> = (0..6 * nodes)
        .map(|_| {
            let node = draw.below(nodes as u32);
            let class = if draw.unit() < 0.6 { node % 4 } else { draw.below(4) };
            [node, class + 4 * draw.below(nodes as u32 / 4)]
        })
        .collect();
    let graph = Graph::from_edges("large", nodes, &edges).unwrap();
    let first = found(&of_classes(&graph, 8, 1.5, &mut draw));
    let second = found(&of_classes(&graph, 8, 1.5, &mut draw));
    assert_eq!(first.sampled, NODES);
    assert!(holds(first.neighbours, second.neighbours.value), "{first:?} {second:?}");
    assert!(first.neighbours.interval[1] - first.neighbours.interval[0] < 0.05, "{first:?}");
}
