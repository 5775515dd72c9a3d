//! Unit tests, compiled under `#[cfg(test)]` alone.

use super::*;
use crate::pipeline::{fit_links, fit_nodes};
use crate::seed::Seed;
use crate::synth;
use std::collections::HashMap;

fn temporary(name: &str) -> std::path::PathBuf {
    std::env::temp_dir().join(format!("netinfof-{}-{name}", std::process::id()))
}

/// Dense and sparse features, with and without names, all components, and links whose order matters.
#[test]
fn a_saved_model_scores_as_the_fitted_one() {
    let exec = Exec::new(2).unwrap();
    let demo = synth::named("demo", Seed(0), &exec).unwrap();
    let sparse = match demo.features() {
        Features::Dense(x) => Features::Sparse(Csr::from_dense(x)),
        other => other.clone(),
    };
    let named = (0..demo.nodes()).map(|node| format!("näme\n{node}")).collect();
    let named = demo.clone().with_features(sparse).unwrap().with_ids(named);
    let bare = demo.bare();
    for (graph, directed) in [(&demo, false), (&named, false), (&bare, false), (&named, true)] {
        let mut params = LinkParams::default();
        params.component.kinds = ComponentKind::ALL.to_vec();
        params.component.kinds.retain(|kind| !kind.is_computed_table());
        params.component.dim = 16;
        params.act.directed = directed;
        let fitted = fit_links(graph, None, &params, &exec).unwrap();
        let path = temporary("links");
        fitted.model.save(&path).unwrap();
        let loaded = Model::load(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(loaded.graph().ids(), graph.ids());
        assert_eq!(loaded.about().test, fitted.report.splits[0].act.as_ref().unwrap().test);
        // With another number of threads.
        let one = Exec::new(1).unwrap();
        let scorer = loaded.links(Seen::Training, None, &one).unwrap();
        assert_eq!(scorer.scores(&fitted.tested.pairs, &one).unwrap(), fitted.tested.scores);
        let scorer = loaded.links(Seen::All, None, &exec).unwrap();
        assert_ne!(scorer.scores(&fitted.tested.pairs, &exec).unwrap(), fitted.tested.scores);
        // The newer graph is the training graph itself.
        let again = graph.with_adjacency(loaded.training.clone());
        let scorer = loaded.links(Seen::All, Some(&again), &exec).unwrap();
        assert_eq!(scorer.scores(&fitted.tested.pairs, &exec).unwrap(), fitted.tested.scores);
    }
}

#[test]
fn a_saved_node_model_scores_as_the_fitted_one() {
    let exec = Exec::new(2).unwrap();
    let graph = synth::named("demo", Seed(0), &exec).unwrap();
    let fitted = fit_nodes(&graph, None, &NodeParams::default(), &exec).unwrap();
    let path = temporary("nodes");
    fitted.model.save(&path).unwrap();
    let loaded = Model::load(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    let found = loaded.nodes(None, &exec).unwrap();
    let classes = found.classes.len();
    for (at, &node) in fitted.tested.nodes.iter().enumerate() {
        let row = |values: &[f64], at: usize| values[at * classes..(at + 1) * classes].to_vec();
        assert_eq!(row(&found.scores, node as usize), row(&fitted.tested.scores, at));
        let sum: f64 = row(&found.probabilities, node as usize).iter().sum();
        assert!((sum - 1.0).abs() < 1e-9);
    }
    assert!(loaded.links(Seen::All, None, &exec).unwrap_err().to_string().contains("fitted for nodes"));
}

#[test]
fn cut_and_changed_files_are_refused() {
    let exec = Exec::new(1).unwrap();
    let graph = synth::named("demo", Seed(0), &exec).unwrap();
    let mut params = LinkParams::default();
    params.component.dim = 8;
    let path = temporary("damaged");
    fit_links(&graph, None, &params, &exec).unwrap().model.save(&path).unwrap();
    let whole = std::fs::read(&path).unwrap();
    let header = u64::from_le_bytes(whole[..8].try_into().unwrap()) as usize;
    let refused = |bytes: &[u8]| {
        std::fs::write(&path, bytes).unwrap();
        Model::load(&path).unwrap_err().to_string()
    };
    for length in [0, 7, 8, 9, header, header + 8, header + 100, whole.len() - 1] {
        let error = refused(&whole[..length]);
        assert!(error.contains("not a model") || error.contains("cut off or damaged"), "{length}: {error}");
    }
    // A byte anywhere in the arrays, and a number in the head.
    for at in [header + 8, header + 8 + (whole.len() - header) / 2, whole.len() - 1] {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        assert!(refused(&bytes).contains("digest"), "{at}");
    }
    let text = String::from_utf8(whole[8..8 + header].to_vec()).unwrap();
    let edited = |from: &str, to: &str| {
        assert_eq!((text.matches(from).count(), from.len()), (1, to.len()), "{from}");
        refused(&[&whole[..8], text.replace(from, to).as_bytes(), &whole[8 + header..]].concat())
    };
    assert!(edited("\\\"pairwise\\\":true", "\\\"pairwise\\\":null").contains("cut off or damaged"));
    assert!(edited("\\\"seed\\\":0,\\\"test", "\\\"seed\\\":7,\\\"test").contains("digest"));
    assert!(edited("\\\"format\\\":2", "\\\"format\\\":9").contains("formats 2 to 6"));
    assert!(refused(b"source,target\n0,1\n").contains("not a model"));
    std::fs::remove_file(&path).unwrap();
    assert!(Model::load(&path).unwrap_err().to_string().contains("no such file"));
}

/// Components without a task: as computed, read from bytes, and on a newer graph.
#[test]
fn embeddings_outlive_their_run() {
    let exec = Exec::new(2).unwrap();
    let demo = synth::named("demo", Seed(0), &exec).unwrap();
    let mut params = NodeParams::default();
    params.component.dim = 8;
    params.component.kinds = ComponentKind::ALL[..10].to_vec();
    params.act.normalization = crate::component::Normalization::Columns;
    let model = crate::pipeline::embedding(&demo, &params, &exec).unwrap();
    let built =
        crate::component::build(demo.adjacency(), demo.features(), &params.component, params.seed, &exec)
            .unwrap();
    let found = model.embeddings(None, &exec).unwrap();
    for (component, (kind, rows)) in built.iter().zip(&found) {
        assert_eq!(component.kind, *kind);
        assert_eq!(&component.normalized(params.act.normalization, &exec), rows, "{kind:?}");
    }
    let again = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(again.embeddings(None, &exec).unwrap(), found);
    // The same graph as a newer one: every node is known.
    assert_eq!(again.embeddings(Some(&demo), &exec).unwrap(), found);
    let told = again.links(Seen::All, None, &exec).unwrap_err().to_string();
    assert!(told.contains("fitted for embedding, not for links"), "{told}");
    assert!(Model::from_bytes(&model.to_bytes().unwrap()[..100]).is_err());
}

/// A newer graph: known nodes keep their embedding if nothing changed around them, new nodes are embedded by
/// their neighbours and features, and the order of nodes does not matter.
#[test]
fn newer_graphs_are_met() {
    let exec = Exec::new(2).unwrap();
    let whole = synth::named("demo", Seed(0), &exec).unwrap();
    let mut params = LinkParams::default();
    // Many walks, so that R depends little on the random draws.
    (params.component.dim, params.component.walk_trials) = (16, 2000);
    let names = |nodes: &[u32]| nodes.iter().map(|node| format!("n{node}")).collect::<Vec<_>>();
    let part = |nodes: &[u32]| {
        let at: HashMap<u32, u32> = nodes.iter().copied().zip(0..).collect();
        let edges: Vec<Pair> =
            whole.edges().iter().filter_map(|[i, j]| Some([*at.get(i)?, *at.get(j)?])).collect();
        let graph = Graph::from_edges("part", nodes.len(), &edges).unwrap();
        graph.with_features(whole.features().rows_of(nodes)).unwrap().with_ids(names(nodes))
    };
    let n = whole.nodes() as u32;
    let old: Vec<u32> = (0..n - 40).collect();
    let model = fit_links(&part(&old), None, &params, &exec).unwrap().model;
    // The whole graph, in reverse order.
    let turned: Vec<u32> = (0..n).rev().collect();
    let scorer = model.links(Seen::All, Some(&part(&turned)), &exec).unwrap();
    let forth: Vec<u32> = (0..n).collect();
    let same = model.links(Seen::All, Some(&part(&forth)), &exec).unwrap();
    let pairs: Vec<Pair> = (0..n - 1).map(|i| [i, n - 1 - i / 2]).filter(|p| p[0] != p[1]).collect();
    let mirrored: Vec<Pair> = pairs.iter().map(|p| p.map(|node| n - 1 - node)).collect();
    let close = |a: &[f64], b: &[f64]| a.iter().zip(b).all(|(a, b)| (a - b).abs() < 0.05 * (1.0 + a.abs()));
    // Walks are drawn by a node's number, so R differs slightly.
    assert!(close(&scorer.scores(&mirrored, &exec).unwrap(), &same.scores(&pairs, &exec).unwrap()));
    assert!(exec.notices().iter().any(|n| n.contains("40 new nodes")));
    // U alone, whose axes follow the old numbers of nodes: the same except for the order of sums.
    let mut by_axes = params.clone();
    by_axes.component.kinds = vec![ComponentKind::U];
    let by_axes = fit_links(&part(&old), None, &by_axes, &exec).unwrap().model;
    let [one, other] =
        [&turned, &forth].map(|nodes| by_axes.links(Seen::All, Some(&part(nodes)), &exec).unwrap());
    let [one, other] = [one.scores(&mirrored, &exec).unwrap(), other.scores(&pairs, &exec).unwrap()];
    assert!(one.iter().zip(&other).all(|(a, b)| (a - b).abs() < 1e-3 * (1.0 + a.abs())));
    assert!(one.iter().any(|score| (score - one[0]).abs() > 0.1), "the model says something");
    // New nodes are embedded meaningfully: their edges score above other pairs.
    let edges: Vec<Pair> = whole.edges().into_iter().filter(|e| e[1] >= n - 40).collect();
    let others: Vec<Pair> = edges.iter().map(|e| [(e[0] + 137) % (n - 40), e[1]]).collect();
    let auc = crate::metric::auc(&same.scores(&edges, &exec).unwrap(), &same.scores(&others, &exec).unwrap());
    assert!(auc > 0.7, "{auc}");
    // Without features: allowed for known nodes, an error for new nodes.
    let bare = part(&old).bare();
    let own = model.links(Seen::All, Some(&bare), &exec).unwrap();
    let kept = model.links(Seen::All, None, &exec).unwrap();
    let inside: Vec<Pair> = pairs.iter().copied().filter(|p| p.iter().all(|&node| node < n - 40)).collect();
    assert_eq!(own.scores(&inside, &exec).unwrap(), kept.scores(&inside, &exec).unwrap());
    assert!(own.scores(&pairs, &exec).unwrap_err().to_string().contains("nodes below"));
    let itself = own.scores(&[inside[0], [3, 3]], &exec).unwrap_err().to_string();
    assert_eq!(
        itself,
        format!(
            "invalid `pairs`: ({0}, {0}) (need two different nodes in each pair)",
            own.graph().node_name(3)
        )
    );
    let fault = |graph: Graph| model.links(Seen::All, Some(&graph), &exec).unwrap_err().to_string();
    assert!(fault(part(&forth).bare()).contains("is new and has no features"));
    assert!(fault(whole.clone()).contains("none of its"));
    let narrow = Features::Dense(Matrix::zeros(old.len(), 3));
    assert!(fault(part(&old).with_features(narrow).unwrap()).contains("3 feature"));
}
