//! Directed graphs from the outside: a planted direction is found, chance is not called a signal, and models score
//! and recommend in one direction.

use netinfof::model::{RecommendParams, Seen};
use netinfof::report::VerdictKind::{Nothing, Undecided};
use netinfof::{Exec, Goal, Graph, LinkParams, Model, Pair, Report};

use crate::ordinary::Random;

const NODES: usize = 400;

/// Random ordered pairs for which this holds.
fn arcs(count: usize, random: &mut Random, may: impl Fn(usize, usize) -> bool) -> Vec<Pair> {
    let mut found: Vec<Pair> = Vec::new();
    while found.len() < count {
        let (i, j) = (random.below(NODES), random.below(NODES));
        if i != j && may(i, j) {
            found.push([i as u32, j as u32]);
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn directed(edges: &[Pair]) -> Graph {
    let graph = Graph::from_edges("directed", NODES, edges).unwrap();
    graph.with_directions(edges.to_vec(), None).in_roles().unwrap().0
}

fn act(graph: &Graph, exec: &Exec) -> Report {
    netinfof::links(graph, None, Goal::Act, &LinkParams::default(), exec).unwrap()
}

fn metric(report: &Report, name: &str) -> f64 {
    *report.mean.test.get(name).unwrap()
}

/// Three groups; edges lead from each to the next.
fn cyclic(random: &mut Random) -> Vec<Pair> {
    arcs(4000, random, |i, j| (i + 1) % 3 == j % 3)
}

#[test]
fn a_planted_direction_is_found() {
    let exec = Exec::new(0).unwrap();
    let report = act(&directed(&cyclic(&mut Random::new(1))), &exec);
    let (direction, auc) = (metric(&report, "direction"), metric(&report, "auc"));
    assert!(direction >= 0.95 && auc > 0.75, "{direction} {auc}");
    assert!(report.graph.directed && report.graph.nodes == 2 * NODES);
    assert!(![Nothing, Undecided].contains(&report.verdict.kind));
}

/// Any two nodes may be joined, and the edge leads from the lower to the higher of their ranks: without directions
/// the graph is random.
#[test]
fn direction_may_be_the_only_signal() {
    let exec = Exec::new(0).unwrap();
    let mut random = Random::new(2);
    let mut rank: Vec<usize> = (0..NODES).collect();
    (1..NODES).rev().for_each(|at| rank.swap(at, random.below(at + 1)));
    let edges = arcs(5000, &mut random, |i, j| rank[i] < rank[j]);
    let report = act(&directed(&edges), &exec);
    let direction = metric(&report, "direction");
    assert!(direction >= 0.9 && metric(&report, "auc") > 0.7);
    let plain = Graph::from_edges("undirected", NODES, &edges).unwrap();
    let report = act(&plain, &exec);
    assert!(metric(&report, "auc") < 0.6 && report.mean.test.get("direction").is_none());
}

#[test]
fn chance_is_no_signal() {
    let exec = Exec::new(0).unwrap();
    let mut wrong = Vec::new();
    for seed in 0..10 {
        let graph = directed(&arcs(2400, &mut Random::new(50 + seed), |_, _| true));
        let params = LinkParams::default();
        let report = netinfof::links(&graph, None, Goal::Probe, &params, &exec).unwrap();
        if ![Nothing, Undecided].contains(&report.verdict.kind) {
            wrong.push((seed, report.verdict.kind));
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

#[test]
fn negatives_are_ordered_pairs_of_different_nodes() {
    let exec = Exec::new(0).unwrap();
    let graph = directed(&cyclic(&mut Random::new(3)));
    let sides = graph.sides().unwrap();
    let params = netinfof::params::SplitParams::default();
    let split = netinfof::split::links(&graph, &params, netinfof::Seed(0), &exec).unwrap();
    let mut reverses = 0;
    for &pair in split.test.negatives.iter().chain(&split.valid.negatives).chain(&split.choice) {
        assert!(sides.across(pair) && !graph.adjacency().contains(pair[0], pair[1]));
        let [i, j] = sides.oriented(pair);
        let [a, b] = [sides.twin(j).unwrap(), sides.twin(i).unwrap()];
        reverses += usize::from(graph.adjacency().contains(a, b));
    }
    assert!(reverses > 0, "reverses of edges are negatives like others");
}

#[test]
fn models_keep_directions() {
    let exec = Exec::new(0).unwrap();
    let graph = directed(&cyclic(&mut Random::new(4)));
    let fitted = netinfof::fit_links(&graph, None, &LinkParams::default(), &exec).unwrap();
    let model = Model::from_bytes(&fitted.model.to_bytes().unwrap()).unwrap();
    assert!(model.graph().is_directed());
    let n = NODES as u32;
    // 0 → 1 is a possible direction, 1 → 0 is not.
    let pairs = [[0, n + 1], [1, n], [3, n + 7], [7, n + 3]];
    let scorer = model.links(Seen::All, None, &exec).unwrap();
    let scores = scorer.scores(&pairs, &exec).unwrap();
    let before = fitted.model.links(Seen::All, None, &exec).unwrap();
    assert_eq!(scores, before.scores(&pairs, &exec).unwrap());
    assert_eq!(scores, model.links(Seen::All, Some(&graph), &exec).unwrap().scores(&pairs, &exec).unwrap());
    assert!(scores[0] > scores[1] && scores[2] > scores[3], "{scores:?}");
    let fault = scorer.scores(&[[5, n + 5]], &exec).unwrap_err().to_string();
    assert!(fault.contains("two different nodes"), "{fault}");
    let plain = Graph::from_edges("plain", NODES, &[[0, 1], [1, 2]]).unwrap();
    assert!(model.links(Seen::All, Some(&plain), &exec).is_err());
    // Partners of a source are targets of the next group, never the node itself.
    let mut found = Vec::new();
    let asked: Vec<u32> = (0..30).collect();
    scorer
        .recommend(Some(&asked), &RecommendParams::new(10), &exec, |some| {
            found.extend(some.to_vec());
            Ok(())
        })
        .unwrap();
    assert_eq!(found.len(), 300);
    assert!(found.iter().all(|own| own.other >= n && own.other != n + own.node));
    let right = found.iter().filter(|own| (own.node + 1) % 3 == (own.other - n) % 3).count();
    assert!(right > 270, "{right} of 300");
}

/// A random log: the negatives of a period have as many new ends as its edges, in the same roles.
#[test]
fn directed_logs_are_split_by_time_without_leaks() {
    let exec = Exec::new(0).unwrap();
    let mut random = Random::new(11);
    let contacts: Vec<Pair> = (0..3000)
        .map(|_| [(); 2].map(|()| (500.0 * random.unit() * random.unit()) as u32))
        .filter(|pair| pair[0] != pair[1])
        .collect();
    let times: Vec<f64> = (0..contacts.len()).map(|at| at as f64).collect();
    let graph = Graph::from_edges("log", 500, &contacts).unwrap().with_directions(contacts.clone(), None);
    let graph = graph.with_times("t", &contacts, &times, false).unwrap().in_roles().unwrap().0;
    assert!(graph.is_directed() && graph.times().unwrap().first().len() == graph.edge_count());
    // The first contact of 7 → 3 and that of 3 → 7 are different edges.
    let split =
        netinfof::split::links(&graph, &netinfof::split::SplitParams::default(), netinfof::Seed(0), &exec);
    let split = split.unwrap();
    let order = split.time_order().unwrap();
    assert!(order.periods[0][1] < order.periods[1][0] && order.periods[1][1] < order.periods[2][0]);
    let report = netinfof::links(&graph, None, Goal::Act, &LinkParams::default(), &exec).unwrap();
    // Nodes with low numbers have more contacts, which is all that there is to predict.
    let auc = *report.mean.test.get("auc").unwrap();
    assert!(auc > 0.6, "{auc}");
    let uniform: Vec<Pair> = (0..3000)
        .map(|_| [(); 2].map(|()| random.below(500) as u32))
        .filter(|pair| pair[0] != pair[1])
        .collect();
    let times: Vec<f64> = (0..uniform.len()).map(|at| at as f64).collect();
    let graph = Graph::from_edges("noise", 500, &uniform).unwrap().with_directions(uniform.clone(), None);
    let graph = graph.with_times("t", &uniform, &times, false).unwrap().in_roles().unwrap().0;
    let report = netinfof::links(&graph, None, Goal::Act, &LinkParams::default(), &exec).unwrap();
    let auc = *report.mean.test.get("auc").unwrap();
    assert!((auc - 0.5).abs() < 0.07, "{auc}");
    assert!([Nothing, Undecided].contains(&report.verdict.kind), "{:?}", report.verdict);
}
