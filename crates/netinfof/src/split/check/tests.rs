//! Unit tests, compiled under `#[cfg(test)]` alone.

use super::*;
use crate::graph::{ContextNodes, Features, Relation};
use crate::matrix::Matrix;
use crate::seed::{Seed, Stream};

fn exec() -> Exec {
    Exec::new(1).unwrap()
}

fn kinds(checked: &Checked) -> Vec<(&str, usize)> {
    checked.findings.iter().map(|f| (f.kind, f.count)).collect()
}

/// A random graph with its edges assigned to the three sets, and as many non-edges.
fn sound() -> (Graph, LinkPairs) {
    let mut draw = Seed(1).stream(Stream::Synth, 0);
    let mut edges: HashSet<Pair> = HashSet::new();
    let mut pair = || [draw.below(200), draw.below(200)];
    while edges.len() < 1000 {
        edges.insert(ordered(pair()));
    }
    edges.retain(|e| e[0] != e[1]);
    let mut edges: Vec<Pair> = edges.into_iter().collect();
    edges.sort_unstable();
    let mut negatives: Vec<Pair> = (0..600).map(|_| ordered(pair())).collect();
    negatives.sort_unstable();
    negatives.dedup();
    negatives.retain(|p| p[0] != p[1] && edges.binary_search(p).is_err());
    let graph = Graph::from_edges("g", 200, &edges).unwrap();
    let mut draw = Seed(2).stream(Stream::Synth, 0);
    draw.shuffle(&mut edges);
    draw.shuffle(&mut negatives);
    let x = Matrix::from_fn(200, 6, |_, _| draw.unit() as f32);
    let pairs = LinkPairs {
        train: edges[..700].to_vec(),
        valid: Pairs { positives: edges[700..800].to_vec(), negatives: negatives[..100].to_vec() },
        test: Pairs { positives: edges[800..].to_vec(), negatives: negatives[100..300].to_vec() },
    };
    (graph.with_features(Features::Dense(x)).unwrap(), pairs)
}

#[test]
fn a_sound_split_is_let_through() {
    let (graph, pairs) = sound();
    let checked = links(&graph, &pairs, &exec()).unwrap();
    assert_eq!(checked.findings, []);
    assert!(checked.checks.len() >= 14 && checked.skipped.is_empty(), "{:?}", checked.checks);
    // Training edges in both directions are not a problem; missing negatives are reported.
    let (_, mut both) = sound();
    both.train.extend(pairs.train.iter().map(|p| [p[1], p[0]]));
    both.test.negatives.clear();
    let checked = links(&graph, &both, &exec()).unwrap();
    assert_eq!((checked.findings.len(), checked.skipped.len()), (0, 1));
}

#[test]
fn every_fault_of_link_splits_is_found() {
    let (graph, sound) = sound();
    let broken = |breaking: &dyn Fn(&mut LinkPairs)| {
        let mut pairs = sound.clone();
        breaking(&mut pairs);
        links(&graph, &pairs, &exec()).unwrap()
    };
    let flip = |p: Pair| [p[1], p[0]];
    let found = broken(&|p| p.train.extend([flip(sound.test.positives[0]), sound.test.positives[1]]));
    assert_eq!(kinds(&found), [("test-in-training", 2)]);
    assert!(found.findings[0].what.contains("1 of them in reverse direction"), "{:?}", found.findings);
    let found = broken(&|p| p.valid.positives.push(flip(p.train[5])));
    assert_eq!(kinds(&found), [("validation-in-training", 1)]);
    let found = broken(&|p| p.test.positives.push(p.valid.positives[0]));
    assert_eq!(kinds(&found), [("test-in-validation", 1)]);
    let found = broken(&|p| p.test.negatives.push(flip(p.valid.negatives[0])));
    assert_eq!(kinds(&found), [("shared-negatives", 1)]);
    let found = broken(&|p| p.test.negatives.extend([flip(p.train[0]), p.test.positives[0]]));
    assert_eq!(kinds(&found), [("test-negatives-are-edges", 2)]);
    let found = broken(&|p| p.valid.negatives.push(p.train[0]));
    assert_eq!(kinds(&found), [("validation-negatives-are-edges", 1)]);
    let other = sound.test.negatives[0];
    let found = broken(&|p| p.train.push(other));
    assert_eq!(kinds(&found), [("test-negatives-are-edges", 1), ("not-in-graph", 1)]);
    let found = broken(&|p| p.train.push([3, 3]));
    assert_eq!(kinds(&found), [("self-loops", 1)]);
    let found = broken(&|p| p.test.positives.push(flip(p.test.positives[0])));
    assert_eq!(kinds(&found), [("repeated-pairs", 1)]);
    // Negatives between nodes with very few edges.
    let mut quiet: Vec<NodeId> = (0..200).collect();
    quiet.sort_by_key(|&node| graph.degree(node as usize));
    let easy = |p: &mut LinkPairs| {
        let pairs =
            (0..20).flat_map(|i| (i + 1..20).map(move |j| [i, j])).map(|p: [usize; 2]| p.map(|at| quiet[at]));
        p.test.negatives = pairs.filter(|p| !graph.adjacency().contains(p[0], p[1])).take(150).collect();
    };
    let found = broken(&easy);
    assert!(kinds(&found).contains(&("test-negatives-too-easy", 150)), "{:?}", found.findings);
    let outside = LinkPairs { train: vec![[0, 999]], ..LinkPairs::default() };
    assert!(links(&graph, &outside, &exec()).unwrap_err().to_string().contains("below 200"));
}

/// A random graph whose nodes all have this many edges.
fn regular(nodes: u32, degree: u32) -> Graph {
    let mut draw = Seed(6).stream(Stream::Synth, 0);
    let mut ends: Vec<NodeId> = (0..nodes).flat_map(|node| (0..degree).map(move |_| node)).collect();
    draw.shuffle(&mut ends);
    // Self loops and duplicates swap an end with another edge, until there are none.
    loop {
        let mut seen = HashSet::new();
        let bad: Vec<usize> = (0..ends.len() / 2)
            .filter(|&at| {
                let pair = [ends[2 * at], ends[2 * at + 1]];
                pair[0] == pair[1] || !seen.insert(ordered(pair))
            })
            .collect();
        if bad.is_empty() {
            return Graph::from_edges("regular", nodes as usize, &seen.into_iter().collect::<Vec<_>>())
                .unwrap();
        }
        for at in bad {
            ends.swap(2 * at, draw.below(nodes * degree) as usize);
        }
    }
}

#[test]
fn a_split_that_marks_degrees_is_found() {
    use super::super::{Negatives, SplitParams};
    let graph = regular(1000, 6);
    let checked = |negatives| {
        let params = SplitParams { negatives, ..SplitParams::default() };
        let split = super::super::links(&graph, &params, Seed(0), &exec()).unwrap();
        let pairs = LinkPairs { train: split.train, valid: split.valid, test: split.test };
        links(&graph, &pairs, &exec()).unwrap()
    };
    let found = checked(Negatives::Uniform);
    assert_eq!(kinds(&found), [("split-marks-degrees", 600), ("split-marks-degrees", 300)]);
    let what = &found.findings[0].what;
    assert!(what.contains("edges with AUC 0.500") && what.contains("--negatives degree"), "{what}");
    assert_eq!(checked(Negatives::Degree).findings, []);
}

#[test]
fn separations_are_compared_in_both_directions() {
    let (low, high) =
        (Separation::new(&[1.0, 2.0, 3.0], &[4.0, 5.0]), Separation::new(&[9.0; 3], &[9.0, 8.0]));
    assert_eq!((low.auc, high.auc), (0.0, 0.75));
    assert!((low.excess(&high).0 - 0.25).abs() < 1e-12 && (high.excess(&low).0 + 0.25).abs() < 1e-12);
    // The first has no variance; in the second, the two negatives contribute 0.5 and 1.
    assert!((low.excess(&high).1 - 0.25).abs() < 1e-12, "{}", low.excess(&high).1);
    assert_eq!(Separation::new(&[], &[1.0]).auc, 0.5);
}

#[test]
fn every_check_is_listed() {
    let (graph, pairs) = sound();
    let edges = graph.edges();
    // Those of order need times.
    let timed = graph.clone().with_times("t", &edges, &vec![1.0; edges.len()], false).unwrap();
    let mut found = links(&timed, &pairs, &exec()).unwrap().checks;
    // Those of context need another relation.
    let relation = Relation { name: "other".into(), edges: vec![[0, 150], [1, 160], [2, 170]] };
    let (joined, _) = graph.clone().with_context(vec![relation], ContextNodes::default()).unwrap();
    found.extend(links(&joined, &pairs, &exec()).unwrap().checks);
    let mut listed = LINK_KINDS.to_vec();
    found.sort_unstable();
    found.dedup();
    listed.sort_unstable();
    assert_eq!(found, listed);
    let sets = NodeSets { train: (0..40).collect(), valid: (40..80).collect(), test: (80..200).collect() };
    let graph = graph.with_labels((0..200).map(|node| node % 4).collect()).unwrap();
    let mut found = nodes(&graph, &sets, &exec()).unwrap().checks;
    let mut listed = NODE_KINDS.to_vec();
    found.sort_unstable();
    listed.sort_unstable();
    assert_eq!(found, listed);
}

#[test]
fn features_that_hold_edges_are_found() {
    let (graph, pairs) = sound();
    // Column 0: the full degree. Column 1: the training degree, which is not a leak. Column 2: the neighbours
    // of a node.
    let hubs: Vec<usize> = (0..200).filter(|&node| (12..15).contains(&graph.degree(node))).take(12).collect();
    let training = Csr::symmetric(200, &pairs.train);
    let x = Matrix::from_fn(200, 3, |node, col| match col {
        0 => graph.degree(node) as f32,
        1 => training.row(node).len() as f32,
        _ => f32::from(u8::from(graph.adjacency().contains(hubs[0] as u32, node as u32))),
    });
    let one =
        links(&graph.clone().with_features(Features::Dense(x.clone())).unwrap(), &pairs, &exec()).unwrap();
    assert!(kinds(&one) == [("features-hold-degrees", 1)], "a few may be chance");
    // The neighbours of more nodes too.
    let x = Matrix::from_fn(200, 14, |node, col| match col {
        0..2 => x.row(node)[col],
        col => f32::from(u8::from(graph.adjacency().contains(hubs[col - 2] as u32, node as u32))),
    });
    let graph = graph.with_features(Features::Dense(x)).unwrap();
    let checked = links(&graph, &pairs, &exec()).unwrap();
    assert_eq!(kinds(&checked), [("features-hold-neighbours", 12), ("features-hold-degrees", 1)]);
    assert!(
        checked.findings[0].examples[0].contains("column 2")
            && checked.findings[1].examples[0].contains("column 0")
    );
}

#[test]
fn every_fault_of_node_splits_is_found() {
    let (graph, _) = sound();
    let mut labels: Vec<i32> = (0..200).map(|node| node % 4).collect();
    labels[199] = -1;
    let sets = NodeSets { train: (0..40).collect(), valid: (40..80).collect(), test: (80..199).collect() };
    let plain = graph.clone().with_labels(labels.clone()).unwrap();
    assert_eq!(nodes(&plain, &sets, &exec()).unwrap().findings, []);
    let broken = |breaking: &dyn Fn(&mut NodeSets)| {
        let mut sets = sets.clone();
        breaking(&mut sets);
        nodes(&plain, &sets, &exec()).unwrap()
    };
    assert_eq!(kinds(&broken(&|s| s.test.push(3))), [("test-in-training", 1)]);
    assert_eq!(kinds(&broken(&|s| s.valid.push(3))), [("validation-in-training", 1)]);
    assert_eq!(kinds(&broken(&|s| s.test.push(50))), [("test-in-validation", 1)]);
    assert_eq!(kinds(&broken(&|s| s.train.push(3))), [("repeated-nodes", 1)]);
    assert_eq!(kinds(&broken(&|s| s.test.push(199))), [("unlabelled", 1)]);
    let found = broken(&|s| s.train.retain(|node| node % 4 != 2));
    assert_eq!(kinds(&found), [("class-not-in-training", 30)]);
    // Columns: noise, the class as a number, a mark of class 2, and a node that repeats a training node.
    let Features::Dense(noise) = plain.features() else { unreachable!() };
    let x = Matrix::from_fn(200, 3, |node, col| match col {
        0 => noise.row(node)[0],
        1 => labels[node].max(0) as f32 + 0.01 * noise.row(node)[1],
        _ => f32::from(u8::from(labels[node] == 2)),
    });
    let told = nodes(&plain.clone().with_features(Features::Dense(x)).unwrap(), &sets, &exec()).unwrap();
    assert_eq!(kinds(&told), [("features-hold-classes", 2)]);
    // Hardly more labels than bins: noise still carries no information, and a copy of the class still does.
    let mut few = labels.clone();
    few[60..].fill(-1);
    let few_sets = NodeSets { train: (0..20).collect(), valid: (20..40).collect(), test: (40..60).collect() };
    let sparse = graph.clone().with_labels(few).unwrap();
    assert_eq!(nodes(&sparse, &few_sets, &exec()).unwrap().findings, []);
    let x =
        Matrix::from_fn(200, 2, |node, col| if col == 0 { noise.row(node)[0] } else { labels[node] as f32 });
    let told = nodes(&sparse.with_features(Features::Dense(x)).unwrap(), &few_sets, &exec()).unwrap();
    assert_eq!(kinds(&told), [("features-hold-classes", 1)]);
    let x = Matrix::from_fn(200, 6, |node, col| noise.row(if node == 100 { 0 } else { node })[col]);
    let told = nodes(&plain.with_features(Features::Dense(x)).unwrap(), &sets, &exec()).unwrap();
    assert_eq!(kinds(&told), [("test-repeats-training", 1)]);
}
