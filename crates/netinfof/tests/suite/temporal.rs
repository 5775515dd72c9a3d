//! Splits by time from the outside: communities that change make the future harder than a random split says, chance
//! is not called a signal although nodes appear over time, and edges from the future are found.

use netinfof::graph::Csr;
use netinfof::report::VerdictKind::{Nothing, Undecided};
use netinfof::split::{Negatives, check};
use netinfof::{Exec, Features, Goal, Graph, LinkPairs, LinkParams, Matrix, Pair, Pairs};

use crate::ordinary::Random;

const NODES: usize = 400;
const CONTACTS: usize = 4000;

/// Contacts inside communities; from `change` of the time on, the communities are others.
fn communities(change: f64, random: &mut Random) -> (Vec<Pair>, Vec<f64>) {
    let mut contacts = Vec::new();
    for at in 0..CONTACTS {
        let late = at as f64 >= change * CONTACTS as f64;
        let community = |node: usize| if late { node / 8 % 8 } else { node % 8 };
        loop {
            let pair = [random.below(NODES), random.below(NODES)];
            if pair[0] != pair[1] && (community(pair[0]) == community(pair[1]) || random.unit() < 0.02) {
                contacts.push(pair.map(|node| node as u32));
                break;
            }
        }
    }
    (contacts, (0..CONTACTS).map(|at| at as f64).collect())
}

fn timed(nodes: usize, contacts: &[Pair], times: &[f64]) -> Graph {
    Graph::from_edges("log", nodes, contacts).unwrap().with_times("time", contacts, times, false).unwrap()
}

#[test]
fn the_future_is_harder_if_communities_change() {
    let exec = Exec::new(0).unwrap();
    let auc = |graph: &Graph| {
        let report = netinfof::links(graph, None, Goal::Act, &LinkParams::default(), &exec).unwrap();
        let order = report.splits[0].time.clone();
        (*report.mean.test.get("auc").unwrap(), order)
    };
    let (contacts, times) = communities(0.7, &mut Random::new(1));
    let graph = timed(NODES, &contacts, &times);
    let ((by_time, order), (at_random, none)) = (auc(&graph), auc(&graph.clone().without_times()));
    let order = order.unwrap();
    assert!(
        none.is_none()
            && order.periods[0][1] < order.periods[1][0]
            && order.periods[1][1] < order.periods[2][0]
    );
    assert!(by_time < at_random - 0.1, "{by_time} {at_random}");
    // If nothing changes, the two agree.
    let (contacts, times) = communities(1.0, &mut Random::new(2));
    let graph = timed(NODES, &contacts, &times);
    let (by_time, at_random) = (auc(&graph).0, auc(&graph.clone().without_times()).0);
    assert!((by_time - at_random).abs() < 0.04, "{by_time} {at_random}");
}

#[test]
fn chance_is_no_signal_while_nodes_appear() {
    let exec = Exec::new(0).unwrap();
    let mut wrong = Vec::new();
    for seed in 0..4 {
        let mut random = Random::new(300 + seed);
        // Any two of the nodes that are there; a tenth of them at the start.
        let contacts: Vec<Pair> = (0..CONTACTS)
            .map(|at| {
                let there = NODES / 10 + NODES * 9 / 10 * at / CONTACTS;
                let first = random.below(there);
                [first, (first + 1 + random.below(there - 1)) % there].map(|node| node as u32)
            })
            .collect();
        let times: Vec<f64> = (0..CONTACTS).map(|at| at as f64).collect();
        let graph = timed(NODES, &contacts, &times);
        let report = netinfof::links(&graph, None, Goal::Act, &LinkParams::default(), &exec).unwrap();
        if ![Nothing, Undecided].contains(&report.verdict.kind) {
            wrong.push((seed, report.verdict.kind, report.verdict.reason.clone()));
        }
        let [seen, unseen] = report.splits[0].act.as_ref().unwrap().by_ends.unwrap();
        assert_eq!(seen.edges + unseen.edges, report.splits[0].time.as_ref().unwrap().edges[2]);
        assert!(unseen.edges > 0 && seen.auc.is_some_and(|auc| (auc - 0.5).abs() < 0.1), "{seen:?}");
    }
    assert!(wrong.len() <= 1, "{wrong:?}");
}

/// Every new node joins four older ones, so all held-out edges have exactly one end without a training edge.
#[test]
fn growth_by_chance_is_no_signal() {
    let exec = Exec::new(0).unwrap();
    for seed in 0..2 {
        let mut random = Random::new(500 + seed);
        let contacts: Vec<Pair> = (5..800)
            .flat_map(|node| [(); 4].map(|()| node))
            .map(|node| [node as u32, random.below(node) as u32])
            .collect();
        let times: Vec<f64> = contacts.iter().map(|contact| f64::from(contact[0])).collect();
        let graph = timed(800, &contacts, &times);
        for negatives in [Negatives::Uniform, Negatives::Degree] {
            let mut params = LinkParams::default();
            params.split.negatives = negatives;
            let report = netinfof::links(&graph, None, Goal::Probe, &params, &exec).unwrap();
            let verdict = report.verdict;
            assert!([Nothing, Undecided].contains(&verdict.kind), "{seed} {negatives:?}: {verdict:?}");
        }
    }
}

#[test]
fn edges_from_the_future_are_found() {
    let exec = Exec::new(1).unwrap();
    let (contacts, times) = communities(1.0, &mut Random::new(5));
    let graph = timed(NODES, &contacts, &times);
    let mut order: Vec<usize> = (0..graph.edge_count()).collect();
    order.sort_by(|&a, &b| graph.times().unwrap().first()[a].total_cmp(&graph.times().unwrap().first()[b]));
    let edges: Vec<Pair> = order.iter().map(|&at| graph.edges()[at]).collect();
    let (valid_from, test_from) = (edges.len() * 7 / 10, edges.len() * 8 / 10);
    let held =
        |range: std::ops::Range<usize>| Pairs { positives: edges[range].to_vec(), negatives: Vec::new() };
    let mut pairs = LinkPairs {
        train: edges[..valid_from].to_vec(),
        valid: held(valid_from..test_from),
        test: held(test_from..edges.len()),
    };
    let kinds = |graph: &Graph, pairs: &LinkPairs| -> Vec<(&'static str, usize)> {
        let checked = check::links(graph, pairs, &exec).unwrap();
        checked.findings.iter().map(|finding| (finding.kind, finding.count)).collect()
    };
    assert_eq!(kinds(&graph, &pairs), []);
    // Features that hold the neighbours of the whole period.
    let adjacency: &Csr = graph.adjacency();
    let known = graph.clone().with_features(Features::Sparse(adjacency.clone())).unwrap();
    assert!(kinds(&known, &pairs).iter().any(|(kind, _)| *kind == "features-hold-neighbours"));
    // Only those of the test period, and their number.
    let late = Graph::from_edges("late", NODES, &pairs.test.positives).unwrap().adjacency().clone();
    let numbers = Matrix::from_fn(NODES, 1, |node, _| late.row(node).len() as f32);
    for (kind, features) in [
        ("features-hold-neighbours", Features::Sparse(late)),
        ("features-hold-degrees", Features::Dense(numbers)),
    ] {
        let known = graph.clone().with_features(features).unwrap();
        assert!(kinds(&known, &pairs).iter().any(|(own, _)| *own == kind), "{kind}");
    }
    // Without the edges of the future, the same features are no leak.
    let past = Graph::from_edges("past", NODES, &pairs.train).unwrap().adjacency().clone();
    let known = graph.clone().with_features(Features::Sparse(past)).unwrap();
    assert_eq!(kinds(&known, &pairs), []);
    // One edge from the future in the training graph.
    let last = pairs.test.positives.pop().unwrap();
    pairs.train.push(last);
    assert_eq!(kinds(&graph, &pairs), [("training-after-validation", 1), ("training-after-test", 1)]);
    let finding = &check::links(&graph, &pairs, &exec).unwrap().findings[0];
    assert!(finding.examples[0].starts_with(&format!("({}, {}) at ", last[0], last[1])), "{finding:?}");
    // Without times, nothing can be said about their order.
    assert_eq!(kinds(&graph.clone().without_times(), &pairs), []);
}
