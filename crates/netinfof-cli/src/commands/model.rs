//! Commands that use a saved model: `predict` and `recommend`; also the files that `act` writes.

mod targets;

use std::borrow::Cow;
use std::path::Path;

use netinfof::graph::{SidesOrigin, TargetKind};
use netinfof::model::{self, LinkScorer, Model, RecommendParams, Recommended, Seen};
use netinfof::{Error, Exec, Fitted, Graph, Result, Seed, TestedLinks, TestedNodes};
use netinfof_io::parquet::Kind;
use netinfof_io::{load, save};

use crate::args::{
    ColumnArgs, LoadArgs, ModelArgs, PredictArgs, RecommendArgs, SidesArgs, TargetArgs, VisibleEdgesArg,
    WeightArgs,
};
use crate::printer;
use crate::result_table::{FieldValue, ResultTable};

impl ModelArgs {
    /// The newer graph, whose columns are read as those of the model's graph. It is bipartite if that is.
    fn newer(&self, model: &Model, exec: &Exec) -> Result<Option<Graph>> {
        let Some(source) = &self.graph else { return Ok(None) };
        let files = LoadArgs {
            nodes: self.node_table.clone(),
            id: self.id.clone(),
            label: self.label.clone(),
            ends: self.ends.clone(),
            time: None,
            context: Vec::new(),
            columns: ColumnArgs::default(),
            format: self.format,
            sides: SidesArgs::default(),
            weights: WeightArgs { weight: self.weight.clone(), ..WeightArgs::default() },
            target: TargetArgs::default(),
        };
        let mut files = files.params()?;
        files.directed = model.graph().is_directed();
        // Ids that name their side are read by side. Sides that only the structure showed are those of the model's
        // nodes: columns do not state them.
        let sides = model.graph().sides().filter(|_| !files.directed);
        files.bipartite = match sides.map(|sides| (sides.origin(), sides.has_qualified_ids())) {
            Some((SidesOrigin::Given, true)) => Some(true),
            Some((SidesOrigin::Given, false)) => None,
            Some((_, _)) | None => Some(false),
        };
        let schema = model.graph().schema();
        // The same column as in the model's graph.
        if model.uses_weights() && files.weight.is_none() {
            files.weight = schema.and_then(|schema| schema.weight.clone());
        }
        files.columns.like = schema.filter(|schema| !schema.columns.is_empty()).cloned();

        files.components.clone_from(&self.component);
        super::read_graph(source, &files, Seed(0), exec).map(Some)
    }

    fn seen(&self) -> Seen {
        match self.edges {
            VisibleEdgesArg::Training => Seen::Training,
            VisibleEdgesArg::All => Seen::All,
        }
    }

    fn links(&self, exec: &Exec) -> Result<LinkScorer> {
        let model = Model::load(&self.model)?;
        let newer = self.newer(&model, exec)?;
        model.links(self.seen(), newer.as_ref(), exec)
    }

    /// The value of `--prior`, checked.
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

/// Share of edges among test pairs; probabilities refer to it unless another prior is given.
const TEST_PRIOR: f64 = 0.5;

/// Notes when edges are rarer than among the pairs that the calibration used.
fn say_reach(scorer: &LinkScorer, prior: f64, exec: &Exec) {
    let calibration = scorer.calibration();
    if !calibration.reaches(prior) {
        exec.notice(format!(
            "probabilities at a prior of {prior:.1e} are extrapolated: they were calibrated on {} non-edges",
            calibration.negatives
        ));
    }
}

/// Scores pairs, or classifies nodes.
pub(super) fn predict(args: &PredictArgs, exec: &Exec) -> Result<()> {
    let (table, prior) = (ResultTable::new(args.output.as_deref())?, args.model.prior()?);
    if let Some(path) = table.path() {
        super::check_writable(path)?;
    }
    let Some(pairs) = &args.pairs else {
        let model = Model::load(&args.model.model)?;
        let newer = args.model.newer(&model, exec)?;
        if matches!(model.target_kind(), Some(TargetKind::Numbers | TargetKind::Labels)) {
            return targets::predict(&model, newer.as_ref(), &table, exec);
        }
        let found = model.nodes(newer.as_ref(), exec)?;
        let (ids, classes) = (IdColumn::new(&found.graph), ClassColumns::new(&found.names));
        return table.write(&classes.columns(&ids, false), |out| {
            found.probabilities.chunks(found.names.len()).enumerate().try_for_each(|(node, row)| {
                let name = ids.name(node);
                let mut values = vec![name.value(), classes.value(found.class(node))];
                values.extend(row.iter().map(|&p| FieldValue::Float(p)));
                out(&values)
            })
        });
    };
    let scorer = args.model.links(exec)?;
    let pairs = load::pairs(pairs, scorer.graph(), exec)?;
    let scores = scorer.scores(&pairs, exec)?;
    let ids = IdColumn::new(scorer.graph());
    let columns = [
        ("source", ids.kind),
        ("target", ids.kind),
        ("score", Kind::Float),
        ("probability", Kind::Float),
        ("prior", Kind::Float),
    ];
    let prior = prior.unwrap_or(TEST_PRIOR);
    say_reach(&scorer, prior, exec);
    table.write(&columns, |out| {
        pairs.iter().zip(&scores).try_for_each(|(pair, &score)| {
            let [i, j] = pair.map(|node| ids.name(node as usize));
            let probability = scorer.calibration().probability(score, prior);
            let [score, probability, prior] = [score, probability, prior].map(FieldValue::Float);
            out(&[i.value(), j.value(), score, probability, prior])
        })
    })
}

/// The column of node ids in a table; its type is integer if all ids are.
struct IdColumn<'a> {
    graph: &'a Graph,
    kind: Kind,
}

impl<'a> IdColumn<'a> {
    fn new(graph: &'a Graph) -> Self {
        IdColumn { graph, kind: save::id_kind(graph) }
    }

    fn name(&self, node: usize) -> IdValue<'a> {
        let name = self.graph.node_name(node);
        let number = if self.kind == Kind::Int { name.parse().ok() } else { None };
        number.map_or(IdValue::Text(name), IdValue::Number)
    }
}

enum IdValue<'a> {
    Number(i64),
    Text(Cow<'a, str>),
}

impl IdValue<'_> {
    fn value(&self) -> FieldValue<'_> {
        match self {
            IdValue::Number(number) => FieldValue::Int(*number),
            IdValue::Text(text) => FieldValue::Text(text),
        }
    }
}

/// The class columns of a table: the class itself, an integer if all names are, and one column of probabilities per class.
struct ClassColumns<'a> {
    names: &'a [String],
    numbers: Option<Vec<i64>>,
    columns: Vec<String>,
}

impl<'a> ClassColumns<'a> {
    fn new(names: &'a [String]) -> Self {
        ClassColumns {
            names,
            numbers: names.iter().map(|name| name.parse().ok()).collect(),
            columns: names.iter().map(|name| format!("probability_{name}")).collect(),
        }
    }

    fn value(&self, at: usize) -> FieldValue<'_> {
        self.numbers
            .as_ref()
            .map_or(FieldValue::Text(&self.names[at]), |numbers| FieldValue::Int(numbers[at]))
    }

    fn columns(&self, ids: &IdColumn<'_>, label: bool) -> Vec<(&str, Kind)> {
        let kind = if self.numbers.is_some() { Kind::Int } else { Kind::Text };
        let truth = label.then_some(("label", kind));
        let probabilities = self.columns.iter().map(|name| (name.as_str(), Kind::Float));
        std::iter::once(("id", ids.kind)).chain(truth).chain([("class", kind)]).chain(probabilities).collect()
    }
}

/// Writes the likeliest partners of nodes, or the likeliest links of the graph.
pub(super) fn recommend(args: &RecommendArgs, exec: &Exec) -> Result<()> {
    let (table, prior) = (ResultTable::new(args.output.as_deref())?, args.model.prior()?);
    for path in [table.path(), args.vectors.as_deref()].into_iter().flatten() {
        super::check_writable(path)?;
    }
    if args.node.is_empty() && !args.all && !args.overall && args.vectors.is_none() && args.evaluate.is_none()
    {
        return Err(Error::InvalidParam {
            name: "node",
            value: "none".into(),
            need: "--node ID, --all, --overall, --evaluate FILE or --vectors FILE".into(),
        });
    }
    let scorer = args.model.links(exec)?;
    if let Some(path) = &args.evaluate {
        let pairs = load::pairs(path, scorer.graph(), exec)?;
        let found = scorer.evaluate(&pairs, args.k, exec)?;
        let value = || serde_json::to_string_pretty(&found).expect("figures can always be written as JSON");
        super::finish(args.json.as_deref(), value, || printer::ranking(&found))?;
    }
    if let Some(path) = &args.vectors {
        let [queries, keys] = scorer.vectors(exec)?;
        save::vectors(scorer.graph(), &[("queries", &queries), ("keys", &keys)], path)?;
    }
    let mut params = RecommendParams::new(args.k);
    params.exclude_known = args.exclude_known;
    params.pool = args.pool;
    let ids = IdColumn::new(scorer.graph());
    let name = |node: u32| ids.name(node as usize);
    let prior = prior.unwrap_or_else(|| scorer.density());
    say_reach(&scorer, prior, exec);
    let probability = |score: f64| scorer.calibration().probability(score, prior);
    if args.overall {
        let found = scorer.recommend_overall(&params, exec)?;
        return table.write(
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
                    let [score, p, prior] = [r.score, probability(r.score), prior].map(FieldValue::Float);
                    out(&[FieldValue::Int(rank), i.value(), j.value(), score, p, prior])
                })
            },
        );
    }
    if args.node.is_empty() && !args.all {
        return Ok(());
    }
    let nodes = load::nodes_by_id(args.node.iter().map(String::as_str), scorer.graph())?;
    let nodes = (!args.all).then_some(&nodes[..]);
    table.write(
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
                    let [score, p, prior] = [r.score, probability(r.score), prior].map(FieldValue::Float);
                    out(&[i.value(), FieldValue::Int(rank), j.value(), score, p, prior])
                })
            })
        },
    )
}

/// Writes the predictions for the test pairs of the run.
pub(super) fn tested_links(fitted: &Fitted<TestedLinks>, path: &Path) -> Result<()> {
    let (tested, ids) = (&fitted.tested, IdColumn::new(fitted.model.graph()));
    let calibration = fitted.model.link_calibration().expect("a model of links");
    let columns = [
        ("source", ids.kind),
        ("target", ids.kind),
        ("label", Kind::Int),
        ("score", Kind::Float),
        ("probability", Kind::Float),
        ("prior", Kind::Float),
    ];
    ResultTable::new(Some(path))?.write(&columns, |out| {
        tested.pairs.iter().zip(&tested.scores).enumerate().try_for_each(|(at, (pair, &score))| {
            let [i, j] = pair.map(|node| ids.name(node as usize));
            let label = FieldValue::Int(i64::from(at < tested.edges));
            let probability = calibration.probability(score, TEST_PRIOR);
            let [score, probability, prior] = [score, probability, TEST_PRIOR].map(FieldValue::Float);
            out(&[i.value(), j.value(), label, score, probability, prior])
        })
    })
}

/// Writes the predictions for the test nodes of the run.
pub(super) fn tested_nodes(fitted: &Fitted<TestedNodes>, path: &Path) -> Result<()> {
    let nodes = fitted.model.graph().names_of_nodes();
    let (tested, ids) = (&fitted.tested, IdColumn::new(&nodes));
    if matches!(fitted.model.target_kind(), Some(TargetKind::Numbers | TargetKind::Labels)) {
        return targets::tested(fitted, path);
    }
    let (names, calibration) = fitted.model.node_calibration().expect("a model of nodes");
    let classes = ClassColumns::new(&names);
    ResultTable::new(Some(path))?.write(&classes.columns(&ids, true), |out| {
        let rows = tested.nodes.iter().zip(&tested.labels).zip(tested.scores.chunks(names.len()));
        rows.into_iter().try_for_each(|((&node, &label), scores)| {
            let mut row = scores.to_vec();
            calibration.probabilities(&mut row);
            let name = ids.name(node as usize);
            let mut values =
                vec![name.value(), classes.value(label as usize), classes.value(model::most_probable(&row))];
            values.extend(row.iter().map(|&p| FieldValue::Float(p)));
            out(&values)
        })
    })
}

/// Prints the line about the saved model.
pub(super) fn saved(model: &Model, path: &Path) -> Result<()> {
    let size = std::fs::metadata(path).map_or(0, |found| found.len());
    let names: Vec<&str> = model.components().iter().map(|kind| kind.name()).collect();
    printer::out(&format!(
        "\n  model: {} ({:.1} MB, components {})",
        path.display(),
        size as f64 / 1e6,
        names.join(", ")
    ))?;
    let Some(ranking) = model.ranking() else { return Ok(()) };
    let compared: Vec<String> =
        ranking.compared.iter().map(|own| format!("{} {:.4}", own.name(), own.recall)).collect();
    printer::out(&format!(
        "  recommendations: by {} (recall@20 of {} nodes on validation edges: {})",
        ranking.chosen.name(),
        ranking.nodes,
        compared.join("; ")
    ))
}
