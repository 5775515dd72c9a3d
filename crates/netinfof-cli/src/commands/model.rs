//! What is done with a saved model: predictions, recommendations.

use std::path::Path;

use netinfof::graph::parquet::Kind;
use netinfof::graph::{load, save};
use netinfof::model::{LinkScorer, Model, RecommendParams, Recommended, Seen};
use netinfof::pipeline::{Fitted, TestedLinks, TestedNodes};
use netinfof::{Error, Exec, Graph, Result, Seed};

use crate::args::{ModelArgs, PredictArgs, RecommendArgs, SeenArg};
use crate::printer;
use crate::sheet::{Cell, Sheet};

impl ModelArgs {
    fn newer(&self, exec: &Exec) -> Result<Option<Graph>> {
        let Some(source) = &self.graph else { return Ok(None) };
        let mut params = load::LoadParams::default();
        params.nodes.clone_from(&self.node_table);
        super::load_graph(source, &params, Seed(0), exec).map(Some)
    }

    fn seen(&self) -> Seen {
        match self.edges {
            SeenArg::Training => Seen::Training,
            SeenArg::All => Seen::All,
        }
    }

    fn links(&self, exec: &Exec) -> Result<LinkScorer> {
        Model::load(&self.model)?.links(self.seen(), self.newer(exec)?.as_ref(), exec)
    }

    fn prior(&self) -> Result<f64> {
        if self.prior > 0.0 && self.prior < 1.0 {
            return Ok(self.prior);
        }
        Err(Error::InvalidParam {
            name: "prior",
            value: self.prior.to_string(),
            need: "a share above 0 and below 1".into(),
        })
    }
}

/// Scores pairs, or classifies nodes.
pub(super) fn predict(args: &PredictArgs, exec: &Exec) -> Result<()> {
    let (sheet, prior) = (Sheet::new(args.output.as_deref())?, args.model.prior()?);
    if let Some(path) = sheet.path() {
        super::check_writable(path)?;
    }
    let Some(pairs) = &args.pairs else {
        let found = Model::load(&args.model.model)?.nodes(args.model.newer(exec)?.as_ref(), exec)?;
        let nodes: Vec<usize> = (0..found.graph.nodes()).collect();
        let row = |at: usize| &found.probabilities[at * found.classes.len()..][..found.classes.len()];
        return sheet.write(&node_columns(&class_names(&found.classes)), |out| {
            nodes.iter().try_for_each(|&node| {
                let name = found.graph.node_name(node);
                let cells = [Cell::Text(&name), Cell::Int(found.class(node).into())];
                out(&[&cells[..], &row(node).iter().map(|&p| Cell::Float(p)).collect::<Vec<_>>()].concat())
            })
        });
    };
    let scorer = args.model.links(exec)?;
    let pairs = load::pairs(pairs, scorer.graph())?;
    let scores = scorer.scores(&pairs, exec)?;
    sheet.write(
        &[
            ("source", Kind::Text),
            ("target", Kind::Text),
            ("score", Kind::Float),
            ("probability", Kind::Float),
        ],
        |out| {
            pairs.iter().zip(&scores).try_for_each(|(pair, &score)| {
                let [i, j] = pair.map(|node| scorer.graph().node_name(node as usize));
                let probability = scorer.calibration().probability(score, prior);
                out(&[Cell::Text(&i), Cell::Text(&j), Cell::Float(score), Cell::Float(probability)])
            })
        },
    )
}

/// Names of the columns of class probabilities.
fn class_names(classes: &[i32]) -> Vec<String> {
    classes.iter().map(|class| format!("probability_{class}")).collect()
}

fn node_columns(names: &[String]) -> Vec<(&str, Kind)> {
    let probabilities = names.iter().map(|name| (name.as_str(), Kind::Float));
    [("id", Kind::Text), ("class", Kind::Int)].into_iter().chain(probabilities).collect()
}

/// The likeliest partners.
pub(super) fn recommend(args: &RecommendArgs, exec: &Exec) -> Result<()> {
    let (sheet, prior) = (Sheet::new(args.output.as_deref())?, args.model.prior()?);
    for path in [sheet.path(), args.vectors.as_deref()].into_iter().flatten() {
        super::check_writable(path)?;
    }
    if args.node.is_empty() && !args.all && !args.overall && args.vectors.is_none() {
        return Err(Error::InvalidParam {
            name: "node",
            value: "none".into(),
            need: "--node ID, --all, --overall or --vectors FILE".into(),
        });
    }
    let scorer = args.model.links(exec)?;
    if let Some(path) = &args.vectors {
        let [queries, keys] = scorer.vectors(exec);
        save::vectors(scorer.graph(), &[("queries", &queries), ("keys", &keys)], path)?;
    }
    let mut params = RecommendParams::new(args.k);
    params.exclude_known = args.exclude_known;
    params.pool = args.pool;
    let name = |node: u32| scorer.graph().node_name(node as usize);
    let probability = |score: f64| scorer.calibration().probability(score, prior);
    if args.overall {
        let found = scorer.recommend_overall(&params, exec)?;
        return sheet.write(
            &[
                ("rank", Kind::Int),
                ("source", Kind::Text),
                ("target", Kind::Text),
                ("score", Kind::Float),
                ("probability", Kind::Float),
            ],
            |out| {
                found.iter().zip(1..).try_for_each(|(r, rank)| {
                    let (i, j) = (name(r.node), name(r.other));
                    let [score, p] = [r.score, probability(r.score)].map(Cell::Float);
                    out(&[Cell::Int(rank), Cell::Text(&i), Cell::Text(&j), score, p])
                })
            },
        );
    }
    if args.node.is_empty() && !args.all {
        return Ok(());
    }
    let nodes = load::nodes_by_id(args.node.iter().map(String::as_str), scorer.graph())?;
    let nodes = (!args.all).then_some(&nodes[..]);
    sheet.write(
        &[
            ("node", Kind::Text),
            ("rank", Kind::Int),
            ("partner", Kind::Text),
            ("score", Kind::Float),
            ("probability", Kind::Float),
        ],
        |out| {
            scorer.recommend(nodes, &params, exec, |found: &[Recommended]| {
                let mut before: Option<(u32, i64)> = None;
                found.iter().try_for_each(|r| {
                    let rank = before.map_or(1, |(node, rank)| if node == r.node { rank + 1 } else { 1 });
                    before = Some((r.node, rank));
                    let (i, j) = (name(r.node), name(r.other));
                    let [score, p] = [r.score, probability(r.score)].map(Cell::Float);
                    out(&[Cell::Text(&i), Cell::Int(rank), Cell::Text(&j), score, p])
                })
            })
        },
    )
}

/// What the model made of the test pairs, in the run itself.
pub(super) fn tested_links(fitted: &Fitted<TestedLinks>, path: &Path) -> Result<()> {
    let (tested, graph) = (&fitted.tested, fitted.model.graph());
    let calibration = fitted.model.link_calibration().expect("a model of links");
    Sheet::new(Some(path))?.write(
        &[
            ("source", Kind::Text),
            ("target", Kind::Text),
            ("label", Kind::Int),
            ("score", Kind::Float),
            ("probability", Kind::Float),
        ],
        |out| {
            tested.pairs.iter().zip(&tested.scores).enumerate().try_for_each(|(at, (pair, &score))| {
                let [i, j] = pair.map(|node| graph.node_name(node as usize));
                let label = Cell::Int(i64::from(at < tested.edges));
                let probability = Cell::Float(calibration.probability(score, 0.5));
                out(&[Cell::Text(&i), Cell::Text(&j), label, Cell::Float(score), probability])
            })
        },
    )
}

/// What the model made of the test nodes, in the run itself.
pub(super) fn tested_nodes(fitted: &Fitted<TestedNodes>, path: &Path) -> Result<()> {
    let (tested, graph) = (&fitted.tested, fitted.model.graph());
    let (classes, calibration) = fitted.model.node_calibration().expect("a model of nodes");
    Sheet::new(Some(path))?.write(&node_columns(&class_names(classes)), |out| {
        tested.nodes.iter().zip(tested.scores.chunks(classes.len())).try_for_each(|(&node, scores)| {
            let mut row = scores.to_vec();
            calibration.probabilities(&mut row);
            let best = (1..row.len()).fold(0, |best, at| if row[at] > row[best] { at } else { best });
            let name = graph.node_name(node as usize);
            let cells = [Cell::Text(&name), Cell::Int(classes[best].into())];
            out(&[&cells[..], &row.iter().map(|&p| Cell::Float(p)).collect::<Vec<_>>()].concat())
        })
    })
}

/// What was saved, for the last line of a run.
pub(super) fn saved(model: &Model, path: &Path) -> Result<()> {
    let size = std::fs::metadata(path).map_or(0, |found| found.len());
    let names: Vec<&str> = model.components().iter().map(|kind| kind.name()).collect();
    printer::out(&format!(
        "\n  model: {} ({:.1} MB, components {})",
        path.display(),
        size as f64 / 1e6,
        names.join(", ")
    ))
}
