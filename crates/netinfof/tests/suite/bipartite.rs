//! Bipartite graphs from the outside: chance is not called a signal, a planted signal is found, and models score
//! and recommend across the two sides only.

use netinfof::graph::{Sides, SidesOrigin};
use netinfof::model::Seen;
use netinfof::report::VerdictKind::{Nothing, Structure, Undecided};
use netinfof::{Exec, Goal, Graph, LinkParams, Model, Pair};

use crate::ordinary::Random;

const USERS: usize = 600;
const ITEMS: usize = 150;

/// Users and items in four blocks; edges inside a block are kept, and others with this chance.
fn edges(kept: f64, random: &mut Random) -> Vec<Pair> {
    let mut found: Vec<Pair> = Vec::new();
    while found.len() < 4500 {
        let (user, item) = (random.below(USERS), random.below(ITEMS));
        if user % 4 == item % 4 || random.unit() < kept {
            found.push([user as u32, (USERS + item) as u32]);
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

fn sided(edges: &[Pair]) -> Graph {
    let graph = Graph::from_edges("bipartite", USERS + ITEMS, edges).unwrap();
    graph.with_sides(Sides::new((0..USERS + ITEMS).map(|node| node >= USERS).collect())).unwrap()
}

#[test]
fn chance_is_no_signal_and_blocks_are() {
    let exec = Exec::new(0).unwrap();
    let params = LinkParams::default();
    let mut wrong = Vec::new();
    for seed in 0..6 {
        let mut random = Random::new(100 + seed);
        let graph = sided(&edges(1.0, &mut random));
        // Stated, and by structure.
        let bare = Graph::from_edges("bare", USERS + ITEMS, &graph.edges()).unwrap();
        for graph in [graph, bare] {
            let report = netinfof::links(&graph, None, Goal::Probe, &params, &exec).unwrap();
            assert_eq!(report.graph.sides.as_ref().unwrap().nodes, [USERS, ITEMS]);
            if ![Nothing, Undecided].contains(&report.verdict.kind) {
                wrong.push((seed, report.verdict.kind));
            }
        }
    }
    assert!(wrong.len() <= 1, "{wrong:?}");
    for seed in 0..3 {
        let graph = sided(&edges(0.1, &mut Random::new(200 + seed)));
        let report = netinfof::links(&graph, None, Goal::Act, &params, &exec).unwrap();
        assert_eq!(report.verdict.kind, Structure, "{seed}");
        // The blocks alone give 0.78.
        assert!(report.mean.test.get("auc").unwrap() > &0.65, "{seed}: {:?}", report.mean.test);
    }
}

/// Items whose popularity has a heavy tail: one of them may join most users, and negatives cannot be matched to its
/// degree. Only degrees predict, and no part of the structure is called a signal beyond them.
#[test]
fn hubs_that_most_users_share_are_no_signal_beyond_degrees() {
    let exec = Exec::new(0).unwrap();
    let mut wrong = Vec::new();
    for seed in 0..6 {
        let mut random = Random::new(300 + seed);
        let tails: Vec<f64> = (0..ITEMS).map(|_| 1.0 / (1.0 - random.unit())).collect();
        let total: f64 = tails.iter().sum();
        let mut found: Vec<Pair> = Vec::new();
        for _ in 0..5000 {
            let mut left = random.unit() * total;
            let drawn = |own: &&f64| {
                left -= **own;
                left > 0.0
            };
            let item = tails.iter().take_while(drawn).count().min(ITEMS - 1);
            found.push([random.below(USERS) as u32, (USERS + item) as u32]);
        }
        found.sort_unstable();
        found.dedup();
        let report = netinfof::links(&sided(&found), None, Goal::Probe, &LinkParams::default(), &exec);
        let verdict = report.unwrap().verdict;
        if ![Nothing, Undecided].contains(&verdict.kind) && !verdict.degree_only {
            wrong.push((seed, verdict));
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// What the negatives inside one side did to the verdict.
#[test]
fn without_sides_chance_looks_like_a_signal() {
    let exec = Exec::new(0).unwrap();
    let graph = sided(&edges(1.0, &mut Random::new(100))).without_sides();
    let report = netinfof::links(&graph, None, Goal::Act, &LinkParams::default(), &exec).unwrap();
    assert!(report.graph.sides.is_none() && report.mean.test.get("auc").unwrap() > &0.8);
}

#[test]
fn models_score_and_recommend_across_the_sides() {
    let exec = Exec::new(0).unwrap();
    let graph = sided(&edges(0.1, &mut Random::new(7)));
    let fitted = netinfof::fit_links(&graph, None, &LinkParams::default(), &exec).unwrap();
    let ranking = fitted.model.ranking().unwrap();
    assert!(ranking.compared.len() > 2 && ranking.compared[0].recall >= ranking.compared[1].recall);
    assert!(ranking.compared[0].recall > 2.0 * 20.0 / ITEMS as f64, "{ranking:?}");
    let model = Model::from_bytes(&fitted.model.to_bytes().unwrap()).unwrap();
    assert_eq!(model.graph().sides().unwrap().second(), graph.sides().unwrap().second());
    assert_eq!(model.ranking(), fitted.model.ranking());
    let scorer = model.links(Seen::Training, None, &exec).unwrap();
    let before = fitted.model.links(Seen::Training, None, &exec).unwrap();
    let pairs = [[0, USERS as u32], [(USERS + 3) as u32, 17]];
    assert_eq!(scorer.scores(&pairs, &exec).unwrap(), before.scores(&pairs, &exec).unwrap());
    let fault = scorer.scores(&[[0, 1]], &exec).unwrap_err().to_string();
    assert!(fault.contains("both nodes are on the side `user`"), "{fault}");
    // Items for users, users for items, none of them known.
    let asked = [3, 8, (USERS + 2) as u32];
    let mut found = Vec::new();
    let params = netinfof::model::RecommendParams::new(5);
    scorer
        .recommend(Some(&asked), &params, &exec, |some| {
            found.extend(some.to_vec());
            Ok(())
        })
        .unwrap();
    assert_eq!(found.len(), 15);
    let sides = graph.sides().unwrap();
    for own in &found {
        assert!(sides.across([own.node, own.other]) && !graph.adjacency().contains(own.node, own.other));
        assert!(own.score.is_finite());
    }
    let overall = scorer.recommend_overall(&params, &exec).unwrap();
    assert!(overall.len() == 5 && overall.iter().all(|own| sides.across([own.node, own.other])));
    // Test edges are unknown to the model: they are evaluated, and training edges are refused.
    let test = &fitted.tested.pairs[..fitted.tested.edges];
    let metrics = scorer.evaluate(test, 20, &exec).unwrap();
    assert!(metrics.recall > 2.0 * 20.0 / ITEMS as f64 && metrics.ndcg > 0.1, "{metrics:?}");
    assert_eq!(metrics.edges, test.len());
    let fault = scorer.evaluate(&graph.edges(), 20, &exec).unwrap_err().to_string();
    assert!(fault.contains("edges that the model sees"), "{fault}");
    let all = model.links(Seen::All, None, &exec).unwrap();
    assert!(all.evaluate(test, 20, &exec).is_err());
}

/// A newer graph without stated sides: known nodes keep theirs, and edges place the new ones.
#[test]
fn newer_graphs_take_the_sides_of_the_model() {
    let exec = Exec::new(0).unwrap();
    let old = edges(0.1, &mut Random::new(9));
    let fitted = netinfof::fit_links(&sided(&old), None, &LinkParams::default(), &exec).unwrap();
    let new = (USERS + ITEMS) as u32;
    let mut more = old.clone();
    more.push([new, USERS as u32]);
    let newer = Graph::from_edges("newer", USERS + ITEMS + 1, &more).unwrap();
    let scorer = fitted.model.links(Seen::Training, Some(&newer), &exec).unwrap();
    assert_eq!(scorer.graph().sides().unwrap().of(new), 0);
    assert!(scorer.scores(&[[new, USERS as u32 + 1]], &exec).is_ok());
    let alone = Graph::from_edges("alone", USERS + ITEMS + 1, &old).unwrap();
    let fault = fitted.model.links(Seen::Training, Some(&alone), &exec).unwrap_err().to_string();
    assert!(fault.contains("its side is unknown"), "{fault}");
}

/// A graph that happens to be bipartite is not taken for one without evidence.
#[test]
fn trees_and_rings_keep_all_pairs() {
    let exec = Exec::new(0).unwrap();
    let ring: Vec<Pair> = (0..200).map(|i| [i, (i + 1) % 200]).collect();
    let tree: Vec<Pair> = (1..200).map(|i| [(i - 1) / 3, i]).collect();
    for edges in [ring, tree] {
        let graph = Graph::from_edges("g", 200, &edges).unwrap();
        let report = netinfof::links(&graph, None, Goal::Probe, &LinkParams::default(), &exec).unwrap();
        assert!(report.graph.sides.is_none());
        assert!(
            report.notices.iter().any(|notice| notice.contains("may be bipartite")),
            "{:?}",
            report.notices
        );
    }
    let mut random = Random::new(3);
    let graph = Graph::from_edges("g", USERS + ITEMS, &edges(1.0, &mut random)).unwrap();
    let found = graph.with_detected_sides(&exec);
    assert_eq!(found.sides().unwrap().origin(), SidesOrigin::Structure);
}
