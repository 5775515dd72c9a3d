//! Components of the user's own: found where they carry something, harmless where they do not, saved and predicted with.

use netinfof::model::{Model, Seen};
use netinfof::report::Answer;
use netinfof::report::VerdictKind;
use netinfof::{
    Exec, Features, Goal, Graph, LinkParams, Matrix, NodeParams, Report, Seed, Stream, fit_links, fit_nodes,
    links, nodes,
};

/// Random edges, features and classes: the built-in components have nothing to find.
fn noise(nodes: u32, seed: u64) -> (Graph, Vec<i32>) {
    let mut draw = Seed(seed).stream(Stream::Synth, 0);
    let edges: Vec<[u32; 2]> = (0..5 * nodes).map(|_| [draw.below(nodes), draw.below(nodes)]).collect();
    let features = Matrix::from_fn(nodes as usize, 8, |_, _| draw.normal() as f32);
    let labels: Vec<i32> = (0..nodes).map(|_| draw.below(3).cast_signed()).collect();
    let graph = Graph::from_edges("noise", nodes as usize, &edges).unwrap();
    let graph = graph.with_features(Features::Dense(features)).unwrap().with_labels(labels.clone()).unwrap();
    (graph, labels)
}

fn random(nodes: usize, seed: u64) -> Matrix {
    let mut draw = Seed(seed).stream(Stream::Synth, 9);
    Matrix::from_fn(nodes, 6, |_, _| draw.normal() as f32)
}

fn many_labels() -> NodeParams {
    let mut params = NodeParams::default();
    (params.split.train, params.split.valid) = (0.4, 0.2);
    params
}

fn gain(report: &Report, name: &str) -> Answer {
    let information = report.predictive_information.as_ref().unwrap();
    information.own_components().find(|own| own.0 == name).unwrap().2.answer
}

#[test]
fn a_copy_of_the_label_is_found_and_noise_is_not() {
    copy_is_found_and_noise_is_not(0..1);
}

#[test]
#[ignore = "slow: the same with other seeds"]
fn a_copy_of_the_label_is_found_with_other_seeds() {
    copy_is_found_and_noise_is_not(1..4);
}

fn copy_is_found_and_noise_is_not(seeds: std::ops::Range<u64>) {
    let exec = Exec::new(2).unwrap();
    for seed in seeds {
        let (graph, labels) = noise(900, seed);
        let bare = nodes(&graph, None, Goal::Act, &many_labels(), &exec).unwrap();
        assert_eq!(bare.verdict.kind, VerdictKind::Nothing, "{}", bare.verdict.reason);
        let copy = Matrix::from_vec(900, 1, labels.iter().map(|&label| label as f32).collect());
        let with = graph
            .clone()
            .with_component("copy", copy)
            .unwrap()
            .with_component("coins", random(900, seed))
            .unwrap();
        let report = nodes(&with, None, Goal::Act, &many_labels(), &exec).unwrap();
        assert_eq!(report.verdict.kind, VerdictKind::Features, "{}", report.verdict.reason);
        assert!(report.verdict.next.contains("`copy`") && !report.verdict.next.contains("coins"));
        assert_eq!(gain(&report, "copy"), Answer::Shown);
        assert_ne!(gain(&report, "coins"), Answer::Shown);
        assert!(*report.mean.test.get("accuracy").unwrap() > 0.95, "{:?}", report.mean.test);
        assert!(
            report.components.get("copy").unwrap().tells && !report.components.get("coins").unwrap().tells
        );
        // Noise alone changes nothing about the verdict.
        let with = graph.with_component("coins", random(900, seed)).unwrap();
        let report = nodes(&with, None, Goal::Act, &many_labels(), &exec).unwrap();
        assert_eq!(report.verdict.kind, bare.verdict.kind, "{}", report.verdict.reason);
    }
}

/// Edges join nodes of the same hidden team, which only the user-supplied component shows.
#[test]
fn hidden_teams_are_found_for_links() {
    let exec = Exec::new(2).unwrap();
    let (nodes, teams) = (600u32, 100u32);
    let mut draw = Seed(4).stream(Stream::Synth, 0);
    let edges: Vec<[u32; 2]> = (0..900)
        .map(|_| {
            let team = draw.below(teams);
            [team + teams * draw.below(nodes / teams), team + teams * draw.below(nodes / teams)]
        })
        .filter(|e| e[0] != e[1])
        .collect();
    let graph = Graph::from_edges("teams", nodes as usize, &edges).unwrap();
    let place: Vec<[f32; 8]> = (0..teams).map(|_| std::array::from_fn(|_| draw.normal() as f32)).collect();
    let team = Matrix::from_fn(nodes as usize, 8, |node, col| place[node % teams as usize][col]);
    let mut params = LinkParams::default();
    params.component.kinds = netinfof::ComponentKind::parse_list("U,R").unwrap();
    let bare = links(&graph, None, Goal::Act, &params, &exec).unwrap();
    let with = graph.with_component("team", team).unwrap();
    let report = links(&with, None, Goal::Act, &params, &exec).unwrap();
    assert_eq!(gain(&report, "team"), Answer::Shown, "{}", report.verdict.reason);
    let auc = |report: &Report| *report.mean.test.get("auc").unwrap();
    assert!(auc(&report) > 0.9 && auc(&report) > auc(&bare) + 0.02, "{} {}", auc(&report), auc(&bare));
}

#[test]
fn models_keep_own_components() {
    let exec = Exec::new(2).unwrap();
    let (graph, labels) = noise(400, 7);
    let copy = Matrix::from_fn(400, 2, |node, col| (labels[node] as f32 - 1.0) * (col as f32 + 0.5));
    let graph = graph.with_component("copy", copy.clone()).unwrap();
    let fitted = fit_nodes(&graph, None, &many_labels(), &exec).unwrap();
    let model = Model::from_bytes(&fitted.model.to_bytes().unwrap()).unwrap();
    assert!(model.components().iter().any(|kind| kind.name() == "copy"));
    let found = model.nodes(None, &exec).unwrap();
    for (at, &node) in fitted.tested.nodes.iter().enumerate() {
        let own = &found.scores[node as usize * 3..][..3];
        assert_eq!(own, &fitted.tested.scores[at * 3..][..3], "bit for bit");
    }
    // A newer graph brings its own rows; without them the old ones hold for known nodes alone.
    let mut edges = graph.edges();
    edges.push([0, 400]);
    let newer = Graph::from_edges("newer", 401, &edges).unwrap();
    let rows = |from: &Matrix| Matrix::from_fn(401, from.cols(), |node, col| from.row(node.min(399))[col]);
    let Features::Dense(x) = graph.features() else { unreachable!() };
    let newer = newer.with_features(Features::Dense(rows(x))).unwrap();
    let e = model.nodes(Some(&newer), &exec).unwrap_err().to_string();
    assert!(e.contains("node `400` is new and has no row of the component `copy`"), "{e}");
    let newer = newer.with_component("copy", rows(&copy)).unwrap();
    let found = model.nodes(Some(&newer), &exec).unwrap();
    assert_eq!(found.class(400) as i32, labels[399]);
    // Links too.
    let mut params = LinkParams::default();
    params.component.dim = 16;
    let fitted = fit_links(&graph, None, &params, &exec).unwrap();
    let model = Model::from_bytes(&fitted.model.to_bytes().unwrap()).unwrap();
    let scores =
        model.links(Seen::Training, None, &exec).unwrap().scores(&fitted.tested.pairs, &exec).unwrap();
    assert_eq!(scores, fitted.tested.scores);
}

#[test]
fn own_components_are_checked() {
    let (graph, _) = noise(100, 1);
    let fails = |name: &str, rows: Matrix, what: &str| {
        let e = graph.clone().with_component(name, rows).unwrap_err().to_string();
        assert!(e.contains(what), "{e}");
    };
    fails("U", random(100, 1), "not built in");
    fails("two words", random(100, 1), "letters");
    fails("short", random(99, 1), "component `short`: 99 rows for 100 nodes");
    fails("empty", Matrix::zeros(100, 0), "at least one column");
    let mut infinite = random(100, 1);
    infinite.row_mut(3)[2] = f32::INFINITY;
    fails("infinite", infinite, "value of node 3, column 2 is infinite");
    let twice = graph.with_component("text", random(100, 1)).unwrap().with_component("text", random(100, 2));
    assert!(twice.unwrap_err().to_string().contains("a different name for each"));
}
