//! Numeric targets and label sets on generated graphs with a known truth: right or undecided, never confidently
//! wrong; and models that are saved and read again.

use netinfof::graph::{Features, LabelSets};
use netinfof::report::VerdictKind::{
    self, Combine, Features as FeaturesKind, Gnn, Nothing, Structure, Undecided,
};
use netinfof::{Exec, Goal, Graph, Matrix, Model, NodeParams, Report};

use crate::ordinary::{Random, random_edges};

const NODES: usize = 800;

fn noise(columns: usize, random: &mut Random) -> Matrix {
    Matrix::from_fn(NODES, columns, |_, _| random.normal() as f32)
}

/// Edges with a few hubs.
fn uneven_edges(random: &mut Random) -> Vec<[u32; 2]> {
    let end = |random: &mut Random| (NODES as f64 * random.unit().powi(3)) as u32;
    (0..6 * NODES).map(|_| [end(random), random.below(NODES) as u32]).filter(|[i, j]| i != j).collect()
}

/// The mean of a column over the neighbours of a node.
fn neighbours_mean(graph: &Graph, x: &Matrix, node: usize, col: usize) -> f64 {
    let near = graph.adjacency().row(node);
    near.iter().map(|&other| f64::from(x.row(other as usize)[col])).sum::<f64>() / near.len().max(1) as f64
}

/// A graph whose score of every node is planted in this way; noise is added to it.
fn planted(kind: &str, random: &mut Random) -> (Graph, Vec<f64>) {
    let edges = if kind == "degree" { uneven_edges(random) } else { random_edges(NODES, 5 * NODES, random) };
    let x = noise(6, random);
    let graph = Graph::from_edges(kind, NODES, &edges).unwrap();
    let score = |node: usize| -> f64 {
        let row = x.row(node);
        match kind {
            "noise" => 0.0,
            "features" => f64::from(row[0] - 0.7 * row[1]),
            "neighbours" => 2.5 * neighbours_mean(&graph, &x, node, 0),
            "degree" => (1.0 + graph.degree(node) as f64).ln() * 1.5,
            _ => unreachable!("no such kind"),
        }
    };
    let scores: Vec<f64> = (0..NODES).map(score).collect();
    (graph.with_features(Features::Dense(x)).unwrap(), scores)
}

fn params() -> NodeParams {
    let mut params = NodeParams::default();
    params.component.dim = 32;
    (params.split.train, params.split.valid) = (0.5, 0.25);
    params
}

fn judged(graph: &Graph) -> Report {
    netinfof::nodes(graph, None, Goal::Act, &params(), &Exec::new(2).unwrap()).unwrap()
}

fn checked(name: &str, report: &Report, allowed: &[VerdictKind]) {
    let verdict = &report.verdict;
    assert!(allowed.contains(&verdict.kind), "{name}: {:?} {}", verdict.kind, verdict.reason);
}

const PLANTED: [(&str, &[VerdictKind]); 4] = [
    ("noise", &[Nothing, Undecided]),
    ("features", &[FeaturesKind]),
    ("neighbours", &[Gnn, Combine, Undecided]),
    ("degree", &[Structure]),
];

#[test]
fn verdicts_on_numbers_are_right() {
    for (kind, allowed) in PLANTED {
        let mut random = Random::new(1);
        let (graph, scores) = planted(kind, &mut random);
        let numbers = scores.iter().map(|score| 10.0 + 3.0 * (score + 0.5 * random.normal())).collect();
        let graph = graph.with_numbers(numbers).unwrap();
        let report = judged(&graph);
        checked(kind, &report, allowed);
        let (r2, without) =
            (report.mean.test.get("r2").unwrap(), report.mean.no_information.get("r2").unwrap());
        assert!(without.abs() < 0.05, "{kind}: {without}");
        assert!(if kind == "noise" { *r2 < 0.05 } else { *r2 > 0.45 }, "{kind}: {r2}");
        let act = report.splits[0].act.as_ref().unwrap();
        let own = act.numbers.as_ref().unwrap();
        assert_eq!(own.transformation, "none", "{kind}");
        assert!((0.88..=0.99).contains(&own.coverage), "{kind}: {}", own.coverage);
        // ½ log₂ of the ratio of variances. Act also uses propagation with one step, which is what is planted there.
        let information = report.predictive_information.as_ref().unwrap();
        let all = information.bits("all").unwrap().value;
        let share = information.share(all);
        assert!(
            kind == "neighbours" || (share - r2).abs() < 0.12,
            "{kind}: {share} of the variance, R² {r2}"
        );
    }
}

#[test]
fn verdicts_on_labels_are_right() {
    for (kind, allowed) in PLANTED {
        let mut random = Random::new(2);
        let (graph, scores) = planted(kind, &mut random);
        // Three labels with other thresholds and noise of their own.
        let centre = scores.iter().sum::<f64>() / NODES as f64;
        let mut rows = Vec::new();
        for score in &scores {
            for border in [-0.5, 0.0, 1.0] {
                rows.push(i8::from(score - centre + 0.4 * random.normal() > border));
            }
        }
        let names = ["a", "b", "c"].map(String::from).to_vec();
        let graph = graph.with_label_sets(LabelSets::new(names, &rows).unwrap()).unwrap();
        let report = judged(&graph);
        checked(kind, &report, allowed);
        let auc = report.mean.test.get("macro_auc").unwrap();
        assert!(if kind == "noise" { (auc - 0.5).abs() < 0.15 } else { *auc > 0.8 }, "{kind}: {auc}");
        let (f1, without) =
            (report.mean.test.get("micro_f1").unwrap(), report.mean.no_information.get("micro_f1").unwrap());
        assert!(kind == "noise" || f1 > &(without + 0.05), "{kind}: {f1} against {without}");
    }
}

/// Heavy tails: the scale is learned, bits do not depend on the unit, and metrics are on the original scale.
#[test]
fn heavy_tails_are_transformed() {
    let mut random = Random::new(3);
    let (graph, scores) = planted("features", &mut random);
    let numbers: Vec<f64> = scores.iter().map(|score| (1.5 * score + 0.5 * random.normal()).exp()).collect();
    let report = judged(&graph.clone().with_numbers(numbers.clone()).unwrap());
    checked("heavy tails", &report, &[FeaturesKind]);
    let own = report.splits[0].act.as_ref().unwrap().numbers.clone().unwrap();
    assert_eq!(own.transformation, "signed logarithm");
    assert!(report.mean.test.get("r2_transformed").unwrap() > &0.8, "{:?}", report.mean.test);
    let thousand = judged(&graph.with_numbers(numbers.iter().map(|value| 1000.0 * value).collect()).unwrap());
    let bits = |report: &Report| report.predictive_information.as_ref().unwrap().bits("all").unwrap().value;
    assert!((bits(&report) - bits(&thousand)).abs() < 1e-3);
    let mae = |report: &Report| report.mean.test.get("mae").copied().unwrap();
    assert!((mae(&thousand) / mae(&report) / 1000.0 - 1.0).abs() < 1e-3);
}

/// A saved model predicts the same bits, with another number of threads, and the report can be read again.
#[test]
fn saved_models_predict_the_same() {
    let mut random = Random::new(4);
    let (graph, scores) = planted("neighbours", &mut random);
    let (one, two) = (Exec::new(1).unwrap(), Exec::new(2).unwrap());
    let numbers = scores.iter().map(|score| (score + 0.2 * random.normal()).exp()).collect();
    let rows: Vec<i8> =
        scores.iter().flat_map(|&score| [i8::from(score > 0.0), i8::from(score > 1.0)]).collect();
    let names = vec!["low".to_string(), "high".into()];
    let of_numbers = graph.clone().with_numbers(numbers).unwrap();
    let fitted = netinfof::fit_nodes(&of_numbers, None, &params(), &two).unwrap();
    let loaded = Model::from_bytes(&fitted.model.to_bytes().unwrap()).unwrap();
    let found = loaded.numbers(None, &one).unwrap();
    for (&node, &score) in fitted.tested.nodes.iter().zip(&fitted.tested.scores) {
        assert_eq!(found.scores[node as usize], score);
        let own = found.values[node as usize];
        assert!(own.low <= own.median && own.median <= own.high, "{own:?}");
    }
    assert_eq!(found.values, fitted.model.numbers(None, &two).unwrap().values);
    let refused = loaded.nodes(None, &one).unwrap_err().to_string();
    assert!(refused.contains("its target is numbers, not classes"), "{refused}");
    let json = fitted.report.to_json();
    assert_eq!(Report::from_json(&json).unwrap().to_json(), json);

    let of_labels = graph.with_label_sets(LabelSets::new(names, &rows).unwrap()).unwrap();
    let fitted = netinfof::fit_nodes(&of_labels, None, &params(), &two).unwrap();
    let loaded = Model::from_bytes(&fitted.model.to_bytes().unwrap()).unwrap();
    let found = loaded.label_sets(None, &one).unwrap();
    for (&node, scores) in fitted.tested.nodes.iter().zip(fitted.tested.scores.chunks(2)) {
        assert_eq!(&found.scores[2 * node as usize..][..2], scores);
    }
    assert_eq!(found.names, ["low", "high"]);
    let json = fitted.report.to_json();
    assert_eq!(Report::from_json(&json).unwrap().to_json(), json);
}
