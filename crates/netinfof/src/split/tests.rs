//! Unit tests, compiled under `#[cfg(test)]` alone.

use std::collections::HashSet;

use super::*;

fn ring(nodes: u32) -> Graph {
    let edges: Vec<Pair> = (0..nodes).map(|i| [i, (i + 1) % nodes]).collect();
    Graph::from_edges("ring", nodes as usize, &edges).unwrap()
}

#[test]
fn repeats_are_counted_once() {
    let exec = Exec::new(1).unwrap();
    // 0, 1 and 2 have the same features, and so do 3 and 4.
    let twins = [0, 0, 0, 3, 3, 5, 6];
    let graph = Graph::from_edges("g", 7, &[[0, 3], [1, 4], [5, 6], [0, 5]]).unwrap();
    let pairs = LinkPairs {
        train: vec![[0, 3], [0, 5], [1, 5]],
        valid: Pairs { positives: vec![[0, 1]], negatives: vec![[2, 6]] },
        test: Pairs { positives: vec![[4, 1], [2, 5], [5, 6], [3, 5]], negatives: vec![[2, 6]] },
    };
    let split = links_given(&graph, pairs, &SplitParams::default(), Seed(0), &exec).unwrap();
    assert_eq!(split.repeats(&twins), 2);
    let sets = NodeSets { train: vec![0, 5], valid: vec![3], test: vec![1, 2, 4, 6] };
    let target = crate::split::targets::SplitTarget::Classes;
    let split = NodeSplit { sets, labels: Vec::new(), classes: Vec::new(), target };
    assert_eq!(split.repeats(&twins), 2);
}

#[test]
fn matched_negatives_have_the_degrees_of_edges() {
    let exec = Exec::new(2).unwrap();
    // A hub with 120 neighbours among nodes with two or three.
    let mut edges: Vec<Pair> = (0..400).map(|i| [i, (i + 1) % 400]).collect();
    edges.extend((2..122).map(|i| [0, i]));
    let graph = Graph::from_edges("hub", 400, &edges).unwrap();
    let share =
        |pairs: &[Pair]| pairs.iter().filter(|pair| pair.contains(&0)).count() as f64 / pairs.len() as f64;
    let with = |negatives| {
        let params = SplitParams { negatives, ..SplitParams::default() };
        links(&graph, &params, Seed(1), &exec).unwrap()
    };
    let (uniform, degree) = (with(Negatives::Uniform), with(Negatives::Degree));
    assert!(share(&uniform.choice) < 0.02);
    assert!((share(&degree.choice) - share(&edges)).abs() < 0.15, "{}", share(&degree.choice));
    let train = degree.training_negatives(500, &mut Seed(0).stream(Stream::TrainingNegatives, 0)).unwrap();
    assert!(share(&train) > 0.1);
    for pair in degree.test.negatives.iter().chain(&degree.choice) {
        assert!(!graph.adjacency().contains(pair[0], pair[1]));
    }
}

#[test]
fn shares_near_one_leave_something_for_every_set() {
    let exec = Exec::new(1).unwrap();
    let params = SplitParams { train: 0.98, valid: 0.01, ..SplitParams::default() };
    let split = links(&ring(20), &params, Seed(0), &exec).unwrap();
    let sizes = (split.train.len(), split.valid.positives.len(), split.test.positives.len());
    assert_eq!(sizes, (18, 1, 1));
}

#[test]
fn hubs_and_small_graphs_under_hard_negatives() {
    let exec = Exec::new(1).unwrap();
    let params = SplitParams { negatives: Negatives::Heart, ..SplitParams::default() };
    let star: Vec<Pair> = (1..40).map(|leaf| [0, leaf]).collect();
    let star = Graph::from_edges("star", 40, &star).unwrap();
    let error = links(&star, &params, Seed(0), &exec).unwrap_err().to_string();
    assert!(error.contains("linked to all others"), "{error}");
    // Fewer nodes than needed pairs: negatives repeat, and are never edges.
    let split = links(&ring(30), &params, Seed(0), &exec).unwrap();
    assert_eq!(split.test.negatives.len(), split.test.positives.len() * HEART_EACH);
    let ring = ring(30);
    assert!(split.test.negatives.iter().all(|p| p[0] != p[1] && !ring.adjacency().contains(p[0], p[1])));
    let loops = LinkPairs {
        train: vec![[1, 1]],
        valid: Pairs { positives: vec![[1, 0]], negatives: vec![] },
        test: Pairs { positives: vec![[3, 4]], negatives: vec![] },
    };
    let error = links_given(&ring, loops, &SplitParams::default(), Seed(0), &exec).unwrap_err().to_string();
    assert!(error.contains("self loops"), "{error}");
}

#[test]
fn hard_negatives_share_an_end_with_their_edge_and_look_like_edges() {
    let exec = Exec::new(2).unwrap();
    let graph = crate::synth::named("demo", Seed(0), &Exec::new(1).unwrap()).unwrap();
    let params = SplitParams { negatives: Negatives::Heart, ..SplitParams::default() };
    let split = links(&graph, &params, Seed(1), &exec).unwrap();
    assert_eq!(split.negatives_per_edge, HEART_EACH);
    let common = |[i, j]: Pair| {
        split.graph.row(i as usize).iter().filter(|k| split.graph.row(j as usize).contains(k)).count()
    };
    let mut near = 0;
    for set in [&split.valid, &split.test] {
        assert_eq!(set.negatives.len(), set.positives.len() * HEART_EACH);
        for (positive, own) in set.positives.iter().zip(set.negatives.chunks_exact(HEART_EACH)) {
            assert!(own[..HEART_EACH / 2].iter().all(|pair| pair.contains(&positive[0])));
            assert!(own[HEART_EACH / 2..].iter().all(|pair| pair.contains(&positive[1])));
            assert!(own.iter().all(|pair| !graph.adjacency().contains(pair[0], pair[1])));
            near += own.iter().take(10).map(|&pair| common(pair)).sum::<usize>();
        }
    }
    let positives = split.valid.positives.len() + split.test.positives.len();
    assert!(near as f64 > 0.5 * 10.0 * positives as f64, "the first ones have neighbours in common");
    let thin = split.valid.thinned(HEART_EACH, 5, 7);
    assert_eq!((thin.positives.len(), thin.negatives.len()), (5, 35));
    assert!(
        thin.negatives
            .chunks_exact(7)
            .zip(&thin.positives)
            .all(|(own, p)| { own.iter().all(|pair| pair.contains(&p[0]) || pair.contains(&p[1])) })
    );
}

#[test]
fn a_split_is_a_partition_and_its_negatives_are_no_edges() {
    let exec = Exec::new(1).unwrap();
    let g = ring(100);
    let split = links(&g, &SplitParams::default(), Seed(3), &exec).unwrap();
    let sizes = (split.train.len(), split.valid.positives.len(), split.test.positives.len());
    assert_eq!(sizes, (70, 10, 20));
    assert_eq!((split.valid.negatives.len(), split.test.negatives.len()), (10, 20));
    let mut all: Vec<Pair> = [&split.train[..], &split.valid.positives, &split.test.positives].concat();
    all.sort_unstable();
    assert_eq!(all, g.edges());
    let mut negatives: Vec<Pair> =
        split.valid.negatives.iter().chain(&split.test.negatives).map(|&p| ordered(p)).collect();
    assert!(negatives.iter().all(|p| p[0] != p[1] && !g.adjacency().contains(p[0], p[1])));
    negatives.sort_unstable();
    negatives.dedup();
    assert_eq!(negatives.len(), 30);
    assert!(split.valid.positives.iter().all(|p| !split.graph.contains(p[0], p[1])));
}

#[test]
fn dense_graphs_get_all_their_non_edges_or_a_clear_no() {
    let exec = Exec::new(1).unwrap();
    let all = |n: u32| (0..n).flat_map(move |i| (i + 1..n).map(move |j| [i, j]));
    // 15 nodes: 105 pairs, 75 edges, 30 free; the split needs 7 or 8 + 15 negatives.
    let edges: Vec<Pair> = all(15).take(75).collect();
    let g = Graph::from_edges("dense", 15, &edges).unwrap();
    let split = links(&g, &SplitParams::default(), Seed(0), &exec).unwrap();
    assert_eq!(split.test.negatives.len(), split.test.positives.len());
    let complete = Graph::from_edges("complete", 15, &all(15).collect::<Vec<_>>()).unwrap();
    let error = links(&complete, &SplitParams::default(), Seed(0), &exec).unwrap_err().to_string();
    assert!(error.contains("too dense"), "{error}");
    let small = links(&ring(8), &SplitParams::default(), Seed(0), &exec).unwrap_err().to_string();
    assert!(small.contains("too small") && small.contains("8 edges"), "{small}");
}

#[test]
fn nodes_are_split_class_by_class() {
    let exec = Exec::new(1).unwrap();
    let labels: Vec<i32> = (0..200).map(|i| if i == 7 { -1 } else { [0, 0, 0, 3][i % 4] }).collect();
    let g = ring(200).with_labels(labels).unwrap();
    let params = NodeSplitParams { train: 0.1, valid: 0.2, ..NodeSplitParams::default() };
    let split = nodes(&g, &params, Seed(1), &exec).unwrap();
    assert_eq!(split.classes, [0, 3]);
    // 150 nodes of class 0, 49 of class 3; node 7 has no label and is in no set.
    assert_eq!(
        (split.sets.train.len(), split.sets.valid.len(), split.sets.test.len()),
        (15 + 5, 30 + 10, 105 + 34)
    );
    let mut all = [&split.sets.train[..], &split.sets.valid, &split.sets.test].concat();
    all.sort_unstable();
    assert_eq!(all, (0..200).filter(|&i| i != 7).collect::<Vec<_>>());
    let of_three = |nodes: &[NodeId]| split.labels_of(nodes).iter().filter(|&&c| c == 1).count();
    assert_eq!((of_three(&split.sets.train), of_three(&split.sets.valid)), (5, 10));
}

#[test]
fn labels_that_cannot_be_split_are_named() {
    let exec = Exec::new(1).unwrap();
    let error = |labels: Option<Vec<i32>>, params: NodeSplitParams| {
        let g = ring(30);
        let g = labels.map_or(g.clone(), |labels| g.with_labels(labels).unwrap());
        nodes(&g, &params, Seed(0), &exec).unwrap_err().to_string()
    };
    let plain = NodeSplitParams::default();
    assert!(error(None, plain.clone()).contains("no labels"));
    assert!(error(Some(vec![2; 30]), plain.clone()).contains("only one class"));
    let mut lone = vec![0; 30];
    lone[4] = 1;
    let said = error(Some(lone.clone()), plain);
    assert!(said.contains("class 1 has 1 labelled node,") && said.contains("--min-class 3"), "{said}");
    let dropping = NodeSplitParams { min_class: 3, ..NodeSplitParams::default() };
    assert!(error(Some(lone), dropping).contains("only one class"));
    assert!(exec.notices().iter().any(|n| n.contains("dropped: 1")));
}

#[test]
fn own_node_sets_of_one_class_are_refused() {
    let exec = Exec::new(1).unwrap();
    let g = ring(30).with_labels((0..30).map(|i| i % 2).collect()).unwrap();
    let given = |valid: Vec<NodeId>| {
        let sets = NodeSets { train: vec![0, 2, 4], valid, test: vec![5, 7, 10] };
        nodes_given(&g, &sets, &NodeSplitParams::default(), &exec)
    };
    let error = given(vec![6, 8]).unwrap_err().to_string();
    assert!(error.contains("all training and validation nodes have class 0"), "{error}");
    assert!(given(vec![6, 9]).is_ok());
}

#[test]
fn own_node_sets_must_not_overlap() {
    let exec = Exec::new(1).unwrap();
    let g = ring(30).with_labels((0..30).map(|i| i % 2).collect()).unwrap();
    let sets = NodeSets { train: vec![0, 1, 2], valid: vec![3, 4], test: vec![5, 2] };
    let error = nodes_given(&g, &sets, &NodeSplitParams::default(), &exec).unwrap_err().to_string();
    assert!(error.contains("node 2 is in the training set and in the test set"), "{error}");
}

/// A graph that contains only training edges, as in OGB: the other edges are in the split.
fn training_only() -> (Graph, LinkPairs, HashSet<Pair>) {
    let (n, mut draw) = (60, Seed(4).stream(Stream::Synth, 0));
    let mut edges: Vec<Pair> = (0..n).flat_map(|i| (i + 1..n).map(move |j| [i, j])).collect();
    draw.shuffle(&mut edges);
    edges.truncate(900);
    let graph = Graph::from_edges("training", n as usize, &edges[..400]).unwrap();
    let held_out = |own: &[Pair]| Pairs { positives: own.to_vec(), negatives: Vec::new() };
    let pairs = LinkPairs {
        train: edges[..400].to_vec(),
        valid: held_out(&edges[400..600]),
        test: held_out(&edges[600..]),
    };
    (graph, pairs, edges.into_iter().map(ordered).collect())
}

#[test]
fn drawn_negatives_are_no_edges_of_any_set() {
    let exec = Exec::new(1).unwrap();
    let (graph, pairs, edges) = training_only();
    for negatives in [Negatives::Uniform, Negatives::Degree, Negatives::Heart] {
        let params = SplitParams { negatives, ..SplitParams::default() };
        let split = links_given(&graph, pairs.clone(), &params, Seed(0), &exec).unwrap();
        let drawn = [&split.valid.negatives, &split.test.negatives, &split.choice];
        assert!(drawn[..2].iter().all(|drawn| !drawn.is_empty()));
        let bad = drawn.into_iter().flatten().filter(|&&pair| edges.contains(&ordered(pair))).count();
        assert_eq!(bad, 0, "{negatives:?}");
    }
    // 1770 pairs, 900 of them edges: the rest is too small for 500 held-out edges twice.
    let mut more = pairs;
    let free = (0..60).flat_map(|i| (i + 1..60).map(move |j| [i, j])).filter(|pair| !edges.contains(pair));
    more.test.positives.extend(free.take(500));
    let error = links_given(&graph, more, &SplitParams::default(), Seed(0), &exec).unwrap_err().to_string();
    assert!(error.contains("370 pairs are not edges, but 1000 negatives"), "{error}");
}

#[test]
fn self_loops_among_held_out_pairs_are_named() {
    let exec = Exec::new(1).unwrap();
    let names = (0..10).map(|node| format!("n{node}")).collect();
    let graph = ring(10).with_ids(names);
    let given = |positive: Pair, negative: Pair| {
        let pairs = LinkPairs {
            train: vec![[0, 1], [1, 2]],
            valid: Pairs { positives: vec![[2, 3]], negatives: vec![[0, 5]] },
            test: Pairs { positives: vec![[3, 4], positive], negatives: vec![[1, 6], negative] },
        };
        links_given(&graph, pairs, &SplitParams::default(), Seed(0), &exec)
    };
    let error = given([7, 7], [2, 6]).unwrap_err().to_string();
    assert!(error.contains("test edge (n7, n7) is a self loop"), "{error}");
    given([4, 5], [8, 8]).unwrap();
    let notices = exec.notices();
    assert!(
        notices.iter().any(|n| n.contains("1 of 2 test negatives is a self loop, such as (n8, n8)")),
        "{notices:?}"
    );
}

#[test]
fn a_leaking_split_is_refused() {
    let exec = Exec::new(1).unwrap();
    let pairs = LinkPairs {
        train: vec![[0, 1], [1, 2]],
        valid: Pairs { positives: vec![[1, 0]], negatives: vec![] },
        test: Pairs { positives: vec![[3, 4]], negatives: vec![] },
    };
    let error = links_given(&ring(10), pairs, &SplitParams::default(), Seed(0), &exec).unwrap_err();
    assert!(error.to_string().contains("1 validation or test edges are training edges"), "{error}");
}

/// Users and items with interleaved numbers.
fn bipartite() -> Graph {
    let mut draw = Seed(2).stream(Stream::Synth, 0);
    let edges: Vec<Pair> = (0..900).map(|_| [2 * draw.below(90), 2 * draw.below(40) + 1]).collect();
    let graph = Graph::from_edges("bipartite", 180, &edges).unwrap();
    let second = (0..180).map(|node| node % 2 == 1).collect();
    graph.with_sides(Sides::new(second)).unwrap()
}

#[test]
fn negatives_of_a_bipartite_graph_join_its_sides() {
    let exec = Exec::new(2).unwrap();
    let graph = bipartite();
    let sides = graph.sides().unwrap().clone();
    for negatives in [Negatives::Uniform, Negatives::Degree, Negatives::Heart] {
        let params = SplitParams { negatives, ..SplitParams::default() };
        let split = links(&graph, &params, Seed(1), &exec).unwrap();
        let mut drawn = [&split.valid.negatives[..], &split.test.negatives, &split.choice].concat();
        drawn.extend(split.matched(graph.adjacency(), &split.valid.positives, 0, Seed(1)).unwrap());
        drawn.extend(split.calibration_pairs(graph.adjacency(), Seed(1)).iter());
        for pair in &drawn {
            assert!(sides.across(*pair) && !graph.adjacency().contains(pair[0], pair[1]), "{negatives:?}");
        }
        let train = split.training_negatives(500, &mut Seed(0).stream(Stream::TrainingNegatives, 0)).unwrap();
        assert!(train.iter().all(|&pair| sides.across(pair) && !split.graph.contains(pair[0], pair[1])));
        if negatives != Negatives::Heart {
            // Their order is that of edges, so it does not identify them.
            assert!(drawn.iter().chain(&train).all(|pair| pair[0] < pair[1]));
            let distinct: HashSet<Pair> = split.test.negatives.iter().copied().collect();
            assert_eq!(distinct.len(), split.test.negatives.len());
        }
    }
    // The paper protocol knows no sides.
    let paper = SplitParams::default().protocol(Protocol::Paper);
    let split = links(&graph, &paper, Seed(1), &exec).unwrap();
    assert!(split.sides().is_none() && sides.inside(&split.test.negatives).is_some());
    assert!(exec.notices().iter().any(|notice| notice.contains("ignores that the graph is bipartite")));
}

/// A dense bipartite graph, whose non-edges are listed.
#[test]
fn few_pairs_across_the_sides_are_all_found() {
    let exec = Exec::new(1).unwrap();
    let edges: Vec<Pair> =
        (0..12).flat_map(|i| (12..24).filter(move |j| (i + j) % 3 > 0).map(move |j| [i, j])).collect();
    let second = (0..24).map(|node| node >= 12).collect();
    let graph = Graph::from_edges("dense", 24, &edges).unwrap().with_sides(Sides::new(second)).unwrap();
    let split = links(&graph, &SplitParams::default(), Seed(0), &exec).unwrap();
    let sides = graph.sides().unwrap();
    let drawn = split.valid.negatives.iter().chain(&split.test.negatives);
    assert!(drawn.clone().all(|&pair| sides.across(pair) && !graph.adjacency().contains(pair[0], pair[1])));
    let full: Vec<Pair> = (0..8).flat_map(|i| (8..16).map(move |j| [i, j])).collect();
    let second = (0..16).map(|node| node >= 8).collect();
    let graph = Graph::from_edges("full", 16, &full).unwrap().with_sides(Sides::new(second)).unwrap();
    let fault = links(&graph, &SplitParams::default(), Seed(0), &exec).unwrap_err().to_string();
    assert!(fault.contains("0 pairs across the two sides are not edges"), "{fault}");
}

#[test]
fn own_splits_inside_a_side_are_met() {
    let exec = Exec::new(1).unwrap();
    let graph = bipartite();
    let edges = graph.edges();
    let pairs = |valid: Pair, negative: Pair| LinkPairs {
        train: edges[20..].to_vec(),
        valid: Pairs { positives: [&edges[..9], &[valid]].concat(), negatives: vec![negative] },
        test: Pairs { positives: edges[10..20].to_vec(), negatives: Vec::new() },
    };
    let params = SplitParams::default();
    let fault = links_given(&graph, pairs([0, 2], [1, 2]), &params, Seed(0), &exec).unwrap_err();
    assert!(fault.to_string().contains("validation edge (0, 2) lies inside the side `user`"), "{fault}");
    links_given(&graph, pairs(edges[9], [1, 3]), &params, Seed(0), &exec).unwrap();
    let notices = exec.notices();
    assert!(
        notices.iter().any(|n| n.contains("1 of 1 validation negatives lie inside one side")),
        "{notices:?}"
    );
    let found = check::links(&graph, &pairs(edges[9], [1, 3]), &exec).unwrap();
    let finding = found.findings.iter().find(|own| own.kind == "inside-one-side").unwrap();
    assert_eq!((finding.count, &finding.examples[0][..]), (1, "(1, 3)"));
}
