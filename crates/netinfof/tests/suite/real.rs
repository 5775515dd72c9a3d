//! Real graphs, where they are available: `NETINFOF_DATA`, else `../shared/data` beside the project.

use std::io::Write as _;

use netinfof::params::Averaging;
use netinfof::split::{self, Negatives, SplitParams, check};
use netinfof::{ComponentKind, Exec, Goal, Graph, LinkPairs, LinkParams, NodeParams, Protocol, Seed};
use netinfof_io::load::{self, LoadParams};

use crate::data::data;

fn graph(folder: &std::path::Path, name: &str, exec: &Exec) -> Graph {
    let path = folder.join(format!("{name}.npz"));
    load::graph(path.to_str().unwrap(), &LoadParams::default(), Seed(0), exec).unwrap()
}

/// Mean of a test metric over three splits.
fn hits(graph: &Graph, params: &LinkParams, exec: &Exec) -> f64 {
    let mut params = params.clone();
    params.splits = 3;
    let report = netinfof::links(graph, None, Goal::Act, &params, exec).unwrap();
    if params.split.protocol == Protocol::Paper {
        assert!(report.splits.iter().all(|split| split.act.as_ref().unwrap().chosen.info.converged));
    }
    *report.mean.test.get("hits@100").unwrap()
}

#[test]
fn facts_of_cora() {
    let Some(folder) = data("facts_of_cora") else { return };
    let facts = graph(&folder, "cora", &Exec::new(1).unwrap()).facts();
    assert_eq!((facts.nodes, facts.edges, facts.features, facts.classes), (2708, 5278, 1433, 7));
    assert!((facts.edge_homophily.unwrap() - 0.81).abs() < 0.005);
    assert!((facts.feature_density - 0.01268).abs() < 1e-5);
}

/// Ordinary splits of ordinary graphs leave no mark on degrees: whole-graph degrees separate edges from uniform pairs at least as well.
#[test]
fn random_splits_leave_no_mark_on_degrees() {
    let Some(folder) = data("random_splits_leave_no_mark_on_degrees") else { return };
    let exec = Exec::new(1).unwrap();
    for name in ["cora", "citeseer", "chameleon", "actor", "photo"] {
        let graph = graph(&folder, name, &exec);
        for (seed, negatives) in [(0, Negatives::Uniform), (1, Negatives::Uniform), (0, Negatives::Degree)] {
            let mut params = SplitParams::default();
            params.negatives = negatives;
            let split = split::links(&graph, &params, Seed(seed), &exec).unwrap();
            let pairs = LinkPairs { train: split.train, valid: split.valid, test: split.test };
            let found = check::links(&graph, &pairs, &exec).unwrap().findings;
            let marks: Vec<_> =
                found.iter().filter(|finding| finding.kind == "split-marks-degrees").collect();
            assert!(marks.is_empty(), "{name}, seed {seed}, {negatives:?}: {marks:?}");
        }
    }
}

/// Adjusted homophily and label informativeness as Platonov et al. (2023) publish them, to two decimals.
#[test]
fn homophily_is_the_published_one() {
    let Some(folder) = data("homophily_is_the_published_one") else { return };
    let exec = Exec::new(1).unwrap();
    for (name, edge, adjusted, informative) in [
        ("cora", 0.81, 0.77, 0.59),
        ("citeseer", 0.74, 0.67, 0.45),
        ("pubmed", 0.80, 0.69, 0.41),
        ("computers", 0.78, 0.68, 0.53),
        ("photo", 0.83, 0.79, 0.67),
        ("squirrel", 0.22, 0.01, 0.00),
        ("actor", 0.22, 0.00, 0.00),
    ] {
        let facts = graph(&folder, name, &exec).facts();
        let found = facts.homophily.unwrap();
        let near = |found: f64, published: f64| (found - published).abs() < 0.0051;
        assert!(near(facts.edge_homophily.unwrap(), edge), "{name} {facts:?}");
        assert!(near(found.adjusted_homophily, adjusted), "{name} {found:?}");
        assert!(near(found.label_informativeness, informative), "{name} {found:?}");
    }
}

/// The published code's own splits, with its variants of the components: scores within 0.03 of those it found.
#[test]
fn probe_agrees_with_the_published_code() {
    let Some(folder) = data("probe_agrees_with_the_published_code") else { return };
    let exec = Exec::new(0).unwrap();
    // U, R, F, P, S as stored with the splits.
    let published = [
        ("cora", [0.5451, 0.6004, 0.6086, 0.6219, 0.6834]),
        ("chameleon", [0.7852, 0.8001, 0.5428, 0.8285, 0.8212]),
    ];
    for (name, scores) in published {
        let pairs: LinkPairs =
            load::link_split_npz(&folder.join(format!("../cases/{name}_seed0.npz"))).unwrap();
        let mut params = LinkParams::paper();
        params.component.s_averaging = Averaging::Row;
        let report =
            netinfof::links(&graph(&folder, name, &exec), Some(&pairs), Goal::Probe, &params, &exec).unwrap();
        for (expected, (component, found)) in scores.iter().zip(report.mean.components.iter()) {
            assert!((found - expected).abs() < 0.03, "{name} {component}: {found} {expected}");
        }
    }
}

/// The paper's Hits@100 on Cora is 81.3; its code gave 78.0 here, ours stands above the floor of 79 over five splits.
#[test]
fn cora_reaches_the_paper() {
    let Some(folder) = data("cora_reaches_the_paper") else { return };
    let exec = Exec::new(0).unwrap();
    let cora = graph(&folder, "cora", &exec);
    let params = LinkParams::paper();
    let full = hits(&cora, &params, &exec);
    assert!(full > 0.78, "{full}");
    let slimg = hits(&cora, &params.slimg(), &exec);
    assert!(slimg < full, "{slimg} {full}");
}

/// Heterophily: without the compatibility matrix a linear model is blind.
#[test]
#[ignore = "slow: two fits of Chameleon"]
fn chameleon_needs_the_compatibility_matrix() {
    let Some(folder) = data("chameleon_needs_the_compatibility_matrix") else { return };
    let exec = Exec::new(0).unwrap();
    let chameleon = graph(&folder, "chameleon", &exec);
    let mut params = LinkParams::default();
    params.component.kinds = ComponentKind::PAPER.to_vec();
    params.crossfit = 0;
    let with = hits(&chameleon, &params, &exec);
    params.compat.kind = netinfof::params::CompatKind::None;
    let without = hits(&chameleon, &params, &exec);
    assert!(with > 0.90 && without < with - 0.03, "{with} {without}");
}

/// What stands in docs/method.md: far above the paper's 81.3, and no part of the model above the whole.
#[test]
fn cora_goes_beyond_the_paper() {
    let Some(folder) = data("cora_goes_beyond_the_paper") else { return };
    let exec = Exec::new(0).unwrap();
    let cora = graph(&folder, "cora", &exec);
    let full = hits(&cora, &LinkParams::default(), &exec);
    assert!(full > 0.865, "{full}");
    for kind in [ComponentKind::X, ComponentKind::S] {
        let mut params = LinkParams::default();
        params.component.kinds = vec![kind];
        let single = hits(&cora, &params, &exec);
        assert!(full > single - 0.005, "{kind:?}: {single} {full}");
    }
}

#[test]
#[ignore = "slow: 500 negatives per edge of Cora"]
fn hard_negatives_of_cora_are_harder() {
    let Some(folder) = data("hard_negatives_of_cora_are_harder") else { return };
    let exec = Exec::new(0).unwrap();
    let cora = graph(&folder, "cora", &exec);
    let full = hits(&cora, &LinkParams::default(), &exec);
    let mut hard = LinkParams::default();
    hard.split.negatives = Negatives::Heart;
    let report = netinfof::links(&cora, None, Goal::Act, &hard, &exec).unwrap();
    let found = |name: &str| *report.mean.test.get(name).unwrap();
    assert!(found("hits@10") < full && found("mrr") > 0.1, "{:?}", report.mean.test);
}

/// Node classification on Cora with 2.5 % of the labels: the paper has 77.5.
#[test]
fn cora_nodes_reach_the_paper() {
    let Some(folder) = data("cora_nodes_reach_the_paper") else { return };
    let exec = Exec::new(0).unwrap();
    let mut params = NodeParams::default();
    params.splits = 5;
    let report = netinfof::nodes(&graph(&folder, "cora", &exec), None, Goal::Act, &params, &exec).unwrap();
    let accuracy = *report.mean.test.get("accuracy").unwrap();
    assert!(accuracy > 0.765, "{accuracy}");
    let score = |name: &str| *report.mean.components.get(name).unwrap();
    assert!(score("S") > score("F") && score("F") > score("U"), "{:?}", report.mean.components);
}

/// On Actor features alone predict better than propagated features: Probe must show it and Act must follow.
#[test]
#[ignore = "slow: three fits of Actor"]
fn actor_nodes_are_told_by_their_features() {
    let Some(folder) = data("actor_nodes_are_told_by_their_features") else { return };
    let exec = Exec::new(0).unwrap();
    let mut params = NodeParams::default();
    params.splits = 3;
    let report = netinfof::nodes(&graph(&folder, "actor", &exec), None, Goal::Act, &params, &exec).unwrap();
    assert!(*report.mean.test.get("accuracy").unwrap() > 0.315, "{:?}", report.mean.test);
    for split in &report.splits {
        let act = split.act.as_ref().unwrap();
        let [f, u] = ["F", "U"].map(|name| act.weights.get(name).unwrap());
        assert!(*u < 0.1 * f, "U is noise here: {u} beside {f}");
    }
}

/// Every node of Cora: what is recommended is what sorting all scores gives, with X and without it.
#[test]
fn recommendations_on_cora_are_those_of_brute_force() {
    use netinfof::model::{RecommendParams, Seen};
    let Some(folder) = data("recommendations_on_cora_are_those_of_brute_force") else { return };
    let exec = Exec::new(0).unwrap();
    let cora = graph(&folder, "cora", &exec);
    let n = cora.nodes() as u32;
    let bilinear = [ComponentKind::U, ComponentKind::P, ComponentKind::S];
    for kinds in [&LinkParams::default().component.kinds[..], &bilinear] {
        let mut params = LinkParams::default();
        params.component.kinds = kinds.to_vec();
        let fitted = netinfof::fit_links(&cora, None, &params, &exec).unwrap();
        let scorer = fitted.model.links(Seen::Training, None, &exec).unwrap();
        let mut asked = RecommendParams::new(10);
        asked.exclude_known = true;
        let mut found = Vec::new();
        scorer
            .recommend(None, &asked, &exec, |part| {
                found.extend(part.to_vec());
                Ok(())
            })
            .unwrap();
        assert_eq!(found.len(), 10 * n as usize);
        // Every sixth node: brute force takes minutes.
        for node in (0..n).step_by(6) {
            let pairs: Vec<[u32; 2]> = (0..n)
                .filter(|&other| other != node && !cora.adjacency().contains(node, other))
                .map(|other| [node, other])
                .collect();
            let mut scored: Vec<(f64, u32)> =
                scorer.scores(&pairs, &exec).unwrap().into_iter().zip(pairs.iter().map(|p| p[1])).collect();
            scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            let own = &found[10 * node as usize..][..10];
            for (own, best) in own.iter().zip(&scored) {
                assert_eq!((own.node, own.score), (node, best.0), "{kinds:?}");
            }
        }
    }
}

/// Among all pairs of a graph, where one in a thousand or fewer is an edge, probabilities beat the constant share of edges, and their sum is
/// near the number of edges.
#[test]
fn probabilities_hold_among_all_pairs() {
    check_probabilities_among_all_pairs(&["cora"]);
}

#[test]
#[ignore = "slow: the same on three more graphs, a minute"]
fn probabilities_hold_among_all_pairs_of_more_graphs() {
    check_probabilities_among_all_pairs(&["citeseer", "actor", "chameleon"]);
}

fn check_probabilities_among_all_pairs(names: &[&str]) {
    use netinfof::model::Seen;
    let Some(folder) = data("probabilities_hold_among_all_pairs") else { return };
    let exec = Exec::new(0).unwrap();
    for name in names {
        let graph = graph(&folder, name, &exec);
        let fitted = netinfof::fit_links(&graph, None, &LinkParams::default(), &exec).unwrap();
        let scorer = fitted.model.links(Seen::Training, None, &exec).unwrap();
        let n = graph.nodes();
        let edges = fitted.tested.edges;
        // Pairs that are not edges, and how many pairs each of them represents.
        let mut state = 7u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % n as u64) as u32
        };
        let mut others = Vec::new();
        while others.len() < 300_000 {
            let pair = [next(), next()];
            if pair[0] != pair[1] && !graph.adjacency().contains(pair[0], pair[1]) {
                others.push(pair);
            }
        }
        let all = (n * (n - 1) / 2 - graph.edge_count()) as f64;
        let weight = all / others.len() as f64;
        let prior = edges as f64 / (all + edges as f64);
        let p = |score: &f64| scorer.calibration().probability(*score, prior);
        let edge_p: Vec<f64> = fitted.tested.scores[..edges].iter().map(p).collect();
        let other_p: Vec<f64> = scorer.scores(&others, &exec).unwrap().iter().map(p).collect();
        let expected = edge_p.iter().sum::<f64>() + weight * other_p.iter().sum::<f64>();
        let loss = -(edge_p.iter().map(|p| p.ln()).sum::<f64>()
            + weight * other_p.iter().map(|p| (-p).ln_1p()).sum::<f64>());
        let constant = -(edges as f64 * prior.ln() + all * (-prior).ln_1p());
        let line = format!(
            "{name}: log loss {:.5} against {:.5} of the constant prior, {expected:.0} edges expected, {edges} there\n",
            loss / all,
            constant / all
        );
        std::io::stderr().write_all(line.as_bytes()).unwrap();
        assert!(loss < constant, "{line}");
        assert!((expected / edges as f64).ln().abs() < 1.5f64.ln(), "{line}");
    }
}

/// Confidence and accuracy agree on Cora, split by split.
#[test]
#[ignore = "slow: ten fits of Cora"]
fn classes_of_cora_are_neither_too_sure_nor_too_unsure() {
    let Some(folder) = data("classes_of_cora_are_neither_too_sure_nor_too_unsure") else { return };
    let exec = Exec::new(0).unwrap();
    let graph = graph(&folder, "cora", &exec);
    let (mut below, mut gaps) = (0, 0.0);
    for seed in 0..10 {
        let mut params = NodeParams::default();
        params.seed = Seed(seed);
        let fitted = netinfof::fit_nodes(&graph, None, &params, &exec).unwrap();
        let found = fitted.model.nodes(None, &exec).unwrap();
        let classes = found.classes.len();
        let top = |node: u32| {
            let row = &found.probabilities[node as usize * classes..][..classes];
            row.iter().copied().fold(0.0, f64::max)
        };
        let tested = &fitted.tested;
        let confidence = tested.nodes.iter().map(|&node| top(node)).sum::<f64>() / tested.nodes.len() as f64;
        let accuracy = *fitted.report.mean.test.get("accuracy").unwrap();
        below += usize::from(confidence < accuracy);
        gaps += (confidence - accuracy) / 10.0;
    }
    assert!((1..=9).contains(&below) && gaps.abs() < 0.04, "{below} of 10 below, mean gap {gaps}");
}
