//! Tables of predicted numbers and of predicted labels.

use std::path::Path;

use netinfof::graph::TargetKind;
use netinfof::model::Model;
use netinfof::{Exec, Fitted, Graph, Result, TestedNodes};
use netinfof_io::parquet::Kind;

use super::IdColumn;
use crate::result_table::{FieldValue, ResultTable};

/// Writes the predictions for all nodes.
pub(super) fn predict(model: &Model, newer: Option<&Graph>, table: &ResultTable, exec: &Exec) -> Result<()> {
    if model.target_kind() == Some(TargetKind::Numbers) {
        let found = model.numbers(newer, exec)?;
        let ids = IdColumn::new(&found.graph);
        let columns = [
            ("id", ids.kind),
            ("value", Kind::Float),
            ("median", Kind::Float),
            ("low", Kind::Float),
            ("high", Kind::Float),
        ];
        return table.write(&columns, |out| {
            found.values.iter().enumerate().try_for_each(|(node, own)| {
                let name = ids.name(node);
                let [value, median, low, high] =
                    [own.value, own.median, own.low, own.high].map(FieldValue::Float);
                out(&[name.value(), value, median, low, high])
            })
        });
    }
    let found = model.label_sets(newer, exec)?;
    let ids = IdColumn::new(&found.graph);
    let names = LabelColumns::new(&found.names);
    table.write(&names.columns(&ids, false), |out| {
        found.probabilities.chunks(found.names.len()).enumerate().try_for_each(|(node, row)| {
            let (name, labels) = (ids.name(node), names.predicted(row, found.threshold));
            let probabilities = row.iter().map(|&p| FieldValue::Float(p));
            let values: Vec<FieldValue<'_>> =
                [name.value(), FieldValue::Text(&labels)].into_iter().chain(probabilities).collect();
            out(&values)
        })
    })
}

/// The columns of labels: those that are predicted, separated by `;`, and one column of probabilities per label.
struct LabelColumns<'a> {
    names: &'a [String],
    columns: Vec<String>,
}

impl<'a> LabelColumns<'a> {
    fn new(names: &'a [String]) -> Self {
        LabelColumns { names, columns: names.iter().map(|name| format!("probability_{name}")).collect() }
    }

    fn columns(&self, ids: &IdColumn<'_>, truth: bool) -> Vec<(&str, Kind)> {
        let truth = truth.then_some(("target", Kind::Text));
        let probabilities = self.columns.iter().map(|name| (name.as_str(), Kind::Float));
        let first = [("id", ids.kind)].into_iter().chain(truth).chain([("labels", Kind::Text)]);
        first.chain(probabilities).collect()
    }

    fn joined(&self, wanted: impl Fn(usize) -> bool) -> String {
        let own = self.names.iter().enumerate().filter(|(at, _)| wanted(*at));
        own.map(|(_, name)| name.as_str()).collect::<Vec<_>>().join(";")
    }

    fn predicted(&self, probabilities: &[f64], threshold: f64) -> String {
        self.joined(|at| probabilities[at] >= threshold)
    }
}

/// Writes the predictions for the test nodes of the run.
pub(super) fn tested(fitted: &Fitted<TestedNodes>, path: &Path) -> Result<()> {
    let nodes = fitted.model.graph().names_of_nodes();
    let (tested, ids) = (&fitted.tested, IdColumn::new(&nodes));
    let table = ResultTable::new(Some(path))?;
    if let Some(calibration) = fitted.model.number_calibration() {
        let columns = [
            ("id", ids.kind),
            ("target", Kind::Float),
            ("value", Kind::Float),
            ("median", Kind::Float),
            ("low", Kind::Float),
            ("high", Kind::Float),
        ];
        return table.write(&columns, |out| {
            let rows = tested.nodes.iter().zip(&tested.numbers).zip(&tested.scores);
            rows.into_iter().try_for_each(|((&node, &truth), &score)| {
                let own = calibration.predict(score);
                let [truth, value, median, low, high] =
                    [truth, own.value, own.median, own.low, own.high].map(FieldValue::Float);
                out(&[ids.name(node as usize).value(), truth, value, median, low, high])
            })
        });
    }
    let calibration = fitted.model.label_calibration().expect("the target is numbers or labels");
    let names = LabelColumns::new(&calibration.names);
    let width = calibration.names.len();
    table.write(&names.columns(&ids, true), |out| {
        let rows = tested.label_rows.chunks(width).zip(tested.scores.chunks(width));
        tested.nodes.iter().zip(rows).try_for_each(|(&node, (truth, scores))| {
            let row = calibration.probabilities(scores);
            let (name, labels) = (ids.name(node as usize), names.predicted(&row, calibration.threshold));
            let truth = names.joined(|at| truth[at] == 1);
            let first = [name.value(), FieldValue::Text(&truth), FieldValue::Text(&labels)];
            let values: Vec<FieldValue<'_>> =
                first.into_iter().chain(row.iter().map(|&p| FieldValue::Float(p))).collect();
            out(&values)
        })
    })
}
