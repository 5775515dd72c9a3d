//! What is done with a saved model: predictions, recommendations.

use std::borrow::Cow;
use std::path::Path;

use netinfof::model::{self, LinkScorer, Model, RecommendParams, Recommended, Seen};
use netinfof::pipeline::{Fitted, TestedLinks, TestedNodes};
use netinfof::{Error, Exec, Graph, Result, Seed};
use netinfof_io::parquet::Kind;
use netinfof_io::{load, save};

use crate::args::{LoadArgs, ModelArgs, PredictArgs, RecommendArgs, SeenArg};
use crate::printer;
use crate::sheet::{Cell, Sheet};

impl ModelArgs {
    fn newer(&self, exec: &Exec) -> Result<Option<Graph>> {
        let Some(source) = &self.graph else { return Ok(None) };
        let files = LoadArgs {
            nodes: self.node_table.clone(),
            label: self.label.clone(),
            ends: self.ends.clone(),
            format: self.format,
        };
        super::load_graph(source, &files.params()?, Seed(0), exec).map(Some)
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

    /// The share of edges that was asked for.
    fn prior(&self) -> Result<Option<f64>> {
        match self.prior {
            Some(prior) if !(prior > 0.0 && prior < 1.0) => Err(Error::InvalidParam {
                name: "prior",
                value: prior.to_string(),
                need: "a share above 0 and below 1".into(),
            }),
            prior => Ok(prior),
        }
    }
}

/// Share of edges among test pairs, for which probabilities hold unless another is asked for.
const TEST_PRIOR: f64 = 0.5;

/// Says where edges are rarer than the calibration could see.
fn say_reach(scorer: &LinkScorer, prior: f64, exec: &Exec) {
    let calibration = scorer.calibration();
    if !calibration.reaches(prior) {
        exec.notice(format!(
            "probabilities at a prior of {prior:.1e} are extrapolated: they were calibrated on {} pairs that are no edges",
            calibration.negatives
        ));
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
        let (ids, classes) = (Ids::new(&found.graph), Classes::new(&found.names));
        return sheet.write(&classes.columns(&ids, false), |out| {
            found.probabilities.chunks(found.names.len()).enumerate().try_for_each(|(node, row)| {
                let name = ids.name(node);
                let mut cells = vec![name.cell(), classes.cell(found.class(node))];
                cells.extend(row.iter().map(|&p| Cell::Float(p)));
                out(&cells)
            })
        });
    };
    let scorer = args.model.links(exec)?;
    let pairs = load::pairs(pairs, scorer.graph(), exec)?;
    let scores = scorer.scores(&pairs, exec)?;
    let ids = Ids::new(scorer.graph());
    let columns = [
        ("source", ids.kind),
        ("target", ids.kind),
        ("score", Kind::Float),
        ("probability", Kind::Float),
        ("prior", Kind::Float),
    ];
    let prior = prior.unwrap_or(TEST_PRIOR);
    say_reach(&scorer, prior, exec);
    sheet.write(&columns, |out| {
        pairs.iter().zip(&scores).try_for_each(|(pair, &score)| {
            let [i, j] = pair.map(|node| ids.name(node as usize));
            let probability = scorer.calibration().probability(score, prior);
            let [score, probability, prior] = [score, probability, prior].map(Cell::Float);
            out(&[i.cell(), j.cell(), score, probability, prior])
        })
    })
}

/// Ids of nodes in a table: numbers where all are.
struct Ids<'a> {
    graph: &'a Graph,
    kind: Kind,
}

impl<'a> Ids<'a> {
    fn new(graph: &'a Graph) -> Self {
        Ids { graph, kind: save::id_kind(graph) }
    }

    fn name(&self, node: usize) -> Name<'a> {
        let name = self.graph.node_name(node);
        let number = if self.kind == Kind::Int { name.parse().ok() } else { None };
        number.map_or(Name::Text(name), Name::Number)
    }
}

enum Name<'a> {
    Number(i64),
    Text(Cow<'a, str>),
}

impl Name<'_> {
    fn cell(&self) -> Cell<'_> {
        match self {
            Name::Number(number) => Cell::Int(*number),
            Name::Text(text) => Cell::Text(text),
        }
    }
}

/// Classes in a table: numbers where all are, each with a column of its probabilities.
struct Classes<'a> {
    names: &'a [String],
    numbers: Option<Vec<i64>>,
    columns: Vec<String>,
}

impl<'a> Classes<'a> {
    fn new(names: &'a [String]) -> Self {
        Classes {
            names,
            numbers: names.iter().map(|name| name.parse().ok()).collect(),
            columns: names.iter().map(|name| format!("probability_{name}")).collect(),
        }
    }

    fn cell(&self, at: usize) -> Cell<'_> {
        self.numbers.as_ref().map_or(Cell::Text(&self.names[at]), |numbers| Cell::Int(numbers[at]))
    }

    fn columns(&self, ids: &Ids<'_>, label: bool) -> Vec<(&str, Kind)> {
        let kind = if self.numbers.is_some() { Kind::Int } else { Kind::Text };
        let truth = label.then_some(("label", kind));
        let probabilities = self.columns.iter().map(|name| (name.as_str(), Kind::Float));
        std::iter::once(("id", ids.kind)).chain(truth).chain([("class", kind)]).chain(probabilities).collect()
    }
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
        let [queries, keys] = scorer.vectors(exec)?;
        save::vectors(scorer.graph(), &[("queries", &queries), ("keys", &keys)], path)?;
    }
    let mut params = RecommendParams::new(args.k);
    params.exclude_known = args.exclude_known;
    params.pool = args.pool;
    let ids = Ids::new(scorer.graph());
    let name = |node: u32| ids.name(node as usize);
    let prior = prior.unwrap_or_else(|| scorer.density());
    say_reach(&scorer, prior, exec);
    let probability = |score: f64| scorer.calibration().probability(score, prior);
    if args.overall {
        let found = scorer.recommend_overall(&params, exec)?;
        return sheet.write(
            &[
                ("rank", Kind::Int),
                ("source", ids.kind),
                ("target", ids.kind),
                ("score", Kind::Float),
                ("probability", Kind::Float),
                ("prior", Kind::Float),
            ],
            |out| {
                found.iter().zip(1..).try_for_each(|(r, rank)| {
                    let (i, j) = (name(r.node), name(r.other));
                    let [score, p, prior] = [r.score, probability(r.score), prior].map(Cell::Float);
                    out(&[Cell::Int(rank), i.cell(), j.cell(), score, p, prior])
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
            ("node", ids.kind),
            ("rank", Kind::Int),
            ("partner", ids.kind),
            ("score", Kind::Float),
            ("probability", Kind::Float),
            ("prior", Kind::Float),
        ],
        |out| {
            scorer.recommend(nodes, &params, exec, |found: &[Recommended]| {
                let mut before: Option<(u32, i64)> = None;
                found.iter().try_for_each(|r| {
                    let rank = before.map_or(1, |(node, rank)| if node == r.node { rank + 1 } else { 1 });
                    before = Some((r.node, rank));
                    let (i, j) = (name(r.node), name(r.other));
                    let [score, p, prior] = [r.score, probability(r.score), prior].map(Cell::Float);
                    out(&[i.cell(), Cell::Int(rank), j.cell(), score, p, prior])
                })
            })
        },
    )
}

/// What the model made of the test pairs, in the run itself.
pub(super) fn tested_links(fitted: &Fitted<TestedLinks>, path: &Path) -> Result<()> {
    let (tested, ids) = (&fitted.tested, Ids::new(fitted.model.graph()));
    let calibration = fitted.model.link_calibration().expect("a model of links");
    let columns = [
        ("source", ids.kind),
        ("target", ids.kind),
        ("label", Kind::Int),
        ("score", Kind::Float),
        ("probability", Kind::Float),
        ("prior", Kind::Float),
    ];
    Sheet::new(Some(path))?.write(&columns, |out| {
        tested.pairs.iter().zip(&tested.scores).enumerate().try_for_each(|(at, (pair, &score))| {
            let [i, j] = pair.map(|node| ids.name(node as usize));
            let label = Cell::Int(i64::from(at < tested.edges));
            let probability = calibration.probability(score, TEST_PRIOR);
            let [score, probability, prior] = [score, probability, TEST_PRIOR].map(Cell::Float);
            out(&[i.cell(), j.cell(), label, score, probability, prior])
        })
    })
}

/// What the model made of the test nodes, in the run itself.
pub(super) fn tested_nodes(fitted: &Fitted<TestedNodes>, path: &Path) -> Result<()> {
    let (tested, ids) = (&fitted.tested, Ids::new(fitted.model.graph()));
    let (names, calibration) = fitted.model.node_calibration().expect("a model of nodes");
    let classes = Classes::new(&names);
    Sheet::new(Some(path))?.write(&classes.columns(&ids, true), |out| {
        let rows = tested.nodes.iter().zip(&tested.labels).zip(tested.scores.chunks(names.len()));
        rows.into_iter().try_for_each(|((&node, &label), scores)| {
            let mut row = scores.to_vec();
            calibration.probabilities(&mut row);
            let name = ids.name(node as usize);
            let mut cells =
                vec![name.cell(), classes.cell(label as usize), classes.cell(model::most_probable(&row))];
            cells.extend(row.iter().map(|&p| Cell::Float(p)));
            out(&cells)
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
