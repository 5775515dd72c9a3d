//! Targets of nodes from tables, npz files and files of communities: classes, numbers or sets of labels.

use std::io::BufRead as _;
use std::path::Path;

use super::classes::{self, LabelColumn, is_unknown as is_unknown_cell};
use super::{LoadParams, layout, list, nodes_by_id};
use crate::frame::{Sentinel, is_chosen, plain_decimals, sentinels, unread_notation};
use crate::npz::{Array, Npz};
use netinfof::graph::{LabelSets, TargetKind};
use netinfof::{Error, Exec, Graph, Result};

/// The target of the nodes of a table.
pub(super) enum NodeTarget {
    Classes { labels: Vec<i32>, names: Option<Vec<String>> },
    Numbers(Vec<f64>),
    Labels(LabelSets),
}

impl NodeTarget {
    /// The same for these rows, in their order.
    pub(super) fn rows_of(self, order: &[usize]) -> Result<Self> {
        Ok(match self {
            NodeTarget::Classes { labels, names } => {
                NodeTarget::Classes { labels: order.iter().map(|&row| labels[row]).collect(), names }
            }
            NodeTarget::Numbers(values) => {
                NodeTarget::Numbers(order.iter().map(|&row| values[row]).collect())
            }
            NodeTarget::Labels(sets) => {
                let width = sets.names().len();
                let row = |&row: &usize| match sets.row(row) {
                    Some(own) => own.iter().map(|&has| has as i8).collect(),
                    None => vec![-1i8; width],
                };
                let rows: Vec<i8> = order.iter().flat_map(row).collect();
                NodeTarget::Labels(LabelSets::new(sets.names().to_vec(), &rows)?)
            }
        })
    }

    pub(super) fn put_on(self, graph: Graph) -> Result<Graph> {
        match self {
            NodeTarget::Classes { labels, names } => Ok(graph.with_labels(labels)?.with_class_names(names)),
            NodeTarget::Numbers(values) => graph.with_numbers(values),
            NodeTarget::Labels(sets) => graph.with_label_sets(sets),
        }
    }
}

/// The target in a column of texts; an error says why it is none.
pub(super) fn of_column(
    name: &str,
    texts: &[String],
    kind: Option<TargetKind>,
    say: &dyn Fn(String),
) -> std::result::Result<NodeTarget, String> {
    // Marks of unknown labels are empty in what follows.
    let distinct: std::collections::BTreeSet<&String> =
        texts.iter().filter(|text| !is_unknown_cell(text)).collect();
    let distinct: Vec<String> = distinct.into_iter().cloned().collect();
    if distinct.is_empty() {
        say(format!("column `{name}` has no values"));
    }
    let converted;
    let mut texts = texts;
    match plain_decimals(&distinct) {
        Some(Err(text)) => {
            return Err(format!(
                "column `{name}`: `{text}` could have decimals or a sign between thousands; write the numbers without signs between thousands and with a decimal point"
            ));
        }
        Some(Ok(plain)) => {
            say(format!("column `{name}` has decimal commas"));
            let place = |text: &String| distinct.binary_search(text).ok();
            converted = texts
                .iter()
                .map(|text| place(text).map_or_else(String::new, |at| plain[at].clone()))
                .collect::<Vec<_>>();
            texts = &converted;
        }
        None => {}
    }
    let found = match kind {
        Some(TargetKind::Numbers) => return numbers(name, texts, say).map(NodeTarget::Numbers),
        Some(TargetKind::Labels) => return sets_of_cells(name, texts).map(NodeTarget::Labels),
        Some(TargetKind::Classes) => classes::forced(texts),
        _ => classes::of(texts),
    };
    match found {
        LabelColumn::Classes { labels, names, minus_ones } => {
            if let Some([a, b]) = names.as_deref().and_then(classes::nearly_equal) {
                say(format!(
                    "the classes `{a}` and `{b}` of column `{name}` differ in upper and lower case or spaces only; they are two classes"
                ));
            }
            let lists = || names.iter().flatten().find(|class| class.contains([';', '|']));
            if let Some(class) = lists().filter(|_| kind.is_none()) {
                say(format!(
                    "class `{class}` of column `{name}` looks like a list of labels: `target` labels reads it as one"
                ));
            }
            if let Some(class) = names.as_deref().and_then(classes::like_unknown) {
                say(format!(
                    "class `{class}` of column `{name}` may mean unknown: leave such cells empty if it does"
                ));
            }
            if minus_ones > 0 {
                say(format!(
                    "label -1 means unknown: {minus_ones} node{} no label; rename it if it is a class",
                    if minus_ones == 1 { " has" } else { "s have" }
                ));
            }
            Ok(NodeTarget::Classes { labels, names })
        }
        LabelColumn::Numbers { distinct } => {
            say(format!(
                "column `{name}` holds {distinct} different numbers: the target is numeric, and nodes are predicted by regression (`target` classes makes them classes)"
            ));
            numbers(name, texts, say).map(NodeTarget::Numbers)
        }
        LabelColumn::Texts { distinct } => {
            let texts: Vec<String> = texts.iter().filter(|text| !is_unknown_cell(text)).cloned().collect();
            Err(match unread_notation(&texts) {
                Some(way) => format!("column `{name}` holds {way}"),
                None => format!("column `{name}` holds {distinct} different texts: names, not classes"),
            })
        }
    }
}

/// Why a column that is named like a label is not used.
pub(super) const NO_TARGET: &str = "too many texts for classes";

/// The target in a label column; none if it is only named like one.
pub(super) fn of_label(
    name: &str,
    texts: &[String],
    params: &LoadParams,
    say: &dyn Fn(String),
) -> std::result::Result<Option<NodeTarget>, String> {
    match of_column(name, texts, params.target, say) {
        Ok(found) => Ok(Some(found)),
        Err(what) if params.label.is_some() || params.target.is_some() => {
            Err(format!("{what}; name another column as `label`"))
        }
        Err(what) => {
            say(format!("{what}; it is not used"));
            Ok(None)
        }
    }
}

/// The label column that was asked for, or the one that is named like a label, of those that may be it.
pub(super) fn label_column(
    names: &[String],
    params: &LoadParams,
    may_be: impl Fn(usize) -> bool,
) -> Option<usize> {
    match &params.label {
        Some(wanted) => layout::named_or_numbered(wanted, Some(names), names.len()),
        None => layout::label_column(names).filter(|&at| may_be(at)),
    }
}

/// What is said where a feature is named like a label, too, and the label was not asked for.
pub(super) fn second_label(
    names: &[String],
    label: Option<usize>,
    params: &LoadParams,
    may_be: impl Fn(usize) -> bool,
) -> Option<String> {
    let label = label.filter(|_| params.label.is_none())?;
    let choices = &params.columns;
    let is_used = |name: &String| {
        !is_chosen(&choices.drop, name) && (choices.features.is_empty() || is_chosen(&choices.features, name))
    };
    let is_label = |at: usize| layout::label_column(&names[at..=at]).is_some();
    let other = (0..names.len()).find(|&at| at != label && may_be(at) && is_used(&names[at]) && is_label(at));
    other.map(|other| {
        format!(
            "`{}` is the label; `{}` is also named like one and is used as a feature: leave it out with `drop` if it is not known before the label is",
            names[label], names[other]
        )
    })
}

/// What is said where no column is the label, and a feature has a name with `label`, `target` or `class` in it.
pub(super) fn hidden_label(
    names: &[String],
    params: &LoadParams,
    may_be: impl Fn(usize) -> bool,
) -> Option<String> {
    const WORDS: [&str; 3] = ["label", "target", "class"];
    let choices = &params.columns;
    let is_named_so = |name: &String| {
        name.to_lowercase().split(|c: char| !c.is_alphanumeric()).any(|word| WORDS.contains(&word))
    };
    let asked = params.label.is_some() || !choices.drop.is_empty() || !choices.features.is_empty();
    let found = (0..names.len()).find(|&at| !asked && may_be(at) && is_named_so(&names[at]))?;
    Some(format!(
        "`{}` is used as a feature: give it as `label` if it is the label, or leave it out with `drop`",
        names[found]
    ))
}

/// Numbers of a column; empty cells and the usual marks of missing values are unknown.
fn numbers(name: &str, texts: &[String], say: &dyn Fn(String)) -> std::result::Result<Vec<f64>, String> {
    let number = |text: &String| {
        if is_unknown_cell(text) {
            return Ok(f64::NAN);
        }
        let value = text.trim().parse::<f64>().ok().filter(|value| value.is_finite());
        value.ok_or_else(|| format!("column `{name}` holds `{text}`; a numeric target needs finite numbers"))
    };
    let mut values = texts.iter().map(number).collect::<std::result::Result<Vec<f64>, String>>()?;
    for Sentinel { value, rows, is_certain } in sentinels(&values) {
        if is_certain {
            values.iter_mut().filter(|own| **own == value as f64).for_each(|own| *own = f64::NAN);
        }
        let meaning =
            if is_certain { "counts as unknown" } else { "may mean unknown: leave the cell empty then" };
        say(format!(
            "target `{name}`: {value}, in {} row{}, {meaning}",
            rows,
            if rows == 1 { "" } else { "s" }
        ));
    }
    Ok(values)
}

/// Lists of labels in the cells of one column, separated by `;`, `|`, `,` or spaces. An empty cell is unknown, and
/// `none` or `[]` means no label.
fn sets_of_cells(name: &str, texts: &[String]) -> std::result::Result<LabelSets, String> {
    let separator = [';', '|', ','].into_iter().find(|own| texts.iter().any(|text| text.contains(*own)));
    let labels_of = |text: &str| -> Vec<String> {
        let inner = text.trim().trim_start_matches('[').trim_end_matches(']');
        let parts: Vec<&str> = match separator {
            Some(separator) => inner.split(separator).collect(),
            None => inner.split_whitespace().collect(),
        };
        let plain = |part: &str| part.trim().trim_matches(['\'', '"']).to_string();
        parts.into_iter().map(plain).filter(|part| !part.is_empty() && part != "none").collect()
    };
    let rows: Vec<Option<Vec<String>>> =
        texts.iter().map(|text| (!is_unknown_cell(text)).then(|| labels_of(text))).collect();
    let mut names: Vec<String> = rows.iter().flatten().flatten().cloned().collect();
    names.sort_unstable();
    names.dedup();
    if names.iter().all(|name| name.parse::<i64>().is_ok()) {
        names.sort_by_key(|name| name.parse::<i64>().unwrap_or_default());
    }
    if names.len() > MOST_LABELS {
        return Err(format!(
            "column `{name}` holds {} different labels; at most {MOST_LABELS} are possible",
            names.len()
        ));
    }
    let place: std::collections::HashMap<&str, usize> =
        names.iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
    let mut flat = vec![0i8; names.len() * rows.len()];
    for (row, own) in rows.iter().zip(flat.chunks_exact_mut(names.len().max(1))) {
        match row {
            None => own.fill(-1),
            Some(labels) => labels.iter().for_each(|label| own[place[label.as_str()]] = 1),
        }
    }
    drop(place);
    LabelSets::new(names, &flat).map_err(|e| format!("column `{name}`: {e}"))
}

/// Maximum number of labels.
const MOST_LABELS: usize = 10_000;

/// The columns of several labels, separated by commas; none if the label is one column.
pub(super) fn several(
    params: &LoadParams,
    names: &[String],
    place: &dyn Fn(&str) -> Option<usize>,
) -> Result<Vec<usize>> {
    let Some(wanted) = params.label.as_ref().filter(|own| own.contains(',') && place(own).is_none()) else {
        return Ok(Vec::new());
    };
    let one = |name: &str| {
        let need = || format!("columns of the node table: {}", list(names));
        place(name.trim()).ok_or_else(|| Error::param("label", name, need()))
    };
    wanted.split(',').map(one).collect()
}

/// One label per column, with cells 0 and 1.
pub(super) fn of_columns(
    names: Vec<String>,
    columns: &[Vec<String>],
) -> std::result::Result<LabelSets, String> {
    let nodes = columns.first().map_or(0, Vec::len);
    let mut flat = vec![0i8; nodes * names.len()];
    for (label, (name, texts)) in names.iter().zip(columns).enumerate() {
        for (node, text) in texts.iter().enumerate() {
            flat[node * names.len() + label] = match text.trim().to_lowercase().as_str() {
                "0" | "0.0" | "false" | "no" => 0,
                "1" | "1.0" | "true" | "yes" => 1,
                own if own == "-1" || is_unknown_cell(own) => -1,
                _ => {
                    return Err(format!(
                        "column `{name}` holds `{text}`; a label column holds 0 and 1, or nothing where unknown"
                    ));
                }
            };
        }
    }
    LabelSets::new(names, &flat).map_err(|e| e.to_string())
}

/// Names of the arrays of targets in npz files.
pub(super) const NUMBERS: &str = "y_reg";
pub(super) const LABELS: &str = "y_multi";
pub(super) const LABEL_NAMES: &str = "label_names";

/// The array of the target of an npz file, if it is not classes in `y`.
pub(super) fn of_npz(npz: &mut Npz, kind: Option<TargetKind>) -> Result<Option<(&'static str, TargetKind)>> {
    let lacks =
        |npz: &Npz, array: &str| Err(npz.error(format!("no array `{array}`, which the chosen target needs")));
    let own = if npz.has("y") { Some(npz.array("y")?) } else { None };
    let two = own.as_ref().is_some_and(|array| array.shape.len() == 2 && array.shape[1] > 1);
    let fraction = |value: &f64| value.is_finite() && value.fract() != 0.0;
    let doubles = own.as_ref().filter(|array| array.integers().is_none()).and_then(Array::doubles);
    let fractions = doubles.is_some_and(|values| values.iter().any(fraction));
    match kind {
        Some(TargetKind::Numbers) if npz.has(NUMBERS) => Ok(Some((NUMBERS, TargetKind::Numbers))),
        Some(TargetKind::Numbers) if own.is_some() => Ok(Some(("y", TargetKind::Numbers))),
        Some(TargetKind::Numbers) => lacks(npz, NUMBERS),
        Some(TargetKind::Labels) if npz.has(LABELS) => Ok(Some((LABELS, TargetKind::Labels))),
        Some(TargetKind::Labels) if two => Ok(Some(("y", TargetKind::Labels))),
        Some(TargetKind::Labels) => lacks(npz, LABELS),
        Some(TargetKind::Classes) if own.is_none() => lacks(npz, "y"),
        Some(TargetKind::Classes) => Ok(None),
        _ if two => Ok(Some(("y", TargetKind::Labels))),
        _ if fractions => Ok(Some(("y", TargetKind::Numbers))),
        _ if own.is_some() => Ok(None),
        _ if npz.has(NUMBERS) => Ok(Some((NUMBERS, TargetKind::Numbers))),
        _ if npz.has(LABELS) => Ok(Some((LABELS, TargetKind::Labels))),
        _ => Ok(None),
    }
}

/// Puts the target of an npz file on a graph.
pub(super) fn put_npz(npz: &mut Npz, array: &str, kind: TargetKind, graph: Graph) -> Result<Graph> {
    let found = npz.array(array)?;
    if kind == TargetKind::Numbers {
        let values =
            found.doubles().ok_or_else(|| npz.error(format!("array `{array}` must hold numbers")))?;
        return graph.with_numbers(values);
    }
    let [nodes, labels] = found.shape[..] else {
        return Err(npz.error(format!("`{array}` has shape {:?}; nodes × labels was expected", found.shape)));
    };
    let values = found
        .integers()
        .and_then(|values| values.iter().map(|&value| i8::try_from(value).ok()).collect::<Option<Vec<i8>>>())
        .ok_or_else(|| npz.error(format!("array `{array}` must hold 0, 1 and -1 (unknown)")))?;
    if nodes != graph.nodes() {
        return Err(npz.error(format!("`{array}` has {nodes} rows for {} nodes", graph.nodes())));
    }
    let names = if npz.has(LABEL_NAMES) { npz.array(LABEL_NAMES)?.texts() } else { None };
    let names = names.filter(|names| names.len() == labels);
    let names = names.unwrap_or_else(|| (0..labels).map(|label| label.to_string()).collect());
    graph.with_label_sets(LabelSets::new(names, &values)?)
}

/// Puts the labels of a file of communities on a graph: one label per line, given by the ids of its nodes. Nodes on
/// no line have no label.
pub(super) fn put_communities(path: &Path, graph: Graph, exec: &Exec) -> Result<Graph> {
    let file = std::fs::File::open(path).map_err(|e| Error::io(path, e))?;
    let mut lines = Vec::new();
    for line in std::io::BufReader::new(file).lines() {
        let line = line.map_err(|e| Error::io(path, e))?;
        if !line.trim().is_empty() && !line.starts_with('#') {
            lines.push(line);
        }
    }
    let fault = |what: String| Error::Format { path: path.to_path_buf(), what };
    if lines.is_empty() || lines.len() > MOST_LABELS {
        return Err(fault(format!("{} lines; 1 to {MOST_LABELS} labels were expected", lines.len())));
    }
    let width = lines.len();
    let mut flat = vec![0i8; graph.nodes() * width];
    for (label, line) in lines.iter().enumerate() {
        let ids = line.split(|c: char| c.is_whitespace() || c == ',').filter(|id| !id.is_empty());
        let nodes = nodes_by_id(ids, &graph).map_err(|e| match e {
            Error::InvalidParam { value, need, .. } => {
                fault(format!("line {}: {value} ({need} was expected)", label + 1))
            }
            other => other,
        })?;
        for node in nodes {
            flat[node as usize * width + label] = 1;
        }
    }
    let without = flat.chunks_exact(width).filter(|row| !row.contains(&1)).count();
    if without > 0 {
        exec.notice(format!("{without} of {} nodes have none of the {width} labels", graph.nodes()));
    }
    let names = (0..width).map(|label| label.to_string()).collect();
    graph.with_label_sets(LabelSets::new(names, &flat)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(of: &[&str]) -> Vec<String> {
        of.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn numbers_may_be_unknown_but_not_infinite() {
        let found = numbers("v", &texts(&["1.5", "", "NA", "-2e3"]), &|_| ()).unwrap();
        assert!(found[0] == 1.5 && found[1].is_nan() && found[2].is_nan() && found[3] == -2000.0);
        let e = numbers("v", &texts(&["1", "inf"]), &|_| ()).unwrap_err();
        assert!(e.contains("column `v` holds `inf`"), "{e}");
        assert!(numbers("v", &texts(&["1", "x"]), &|_| ()).is_err());
    }

    #[test]
    fn cells_hold_lists_of_labels() {
        let sets = sets_of_cells("l", &texts(&["b;a", "a", "", "none"])).unwrap();
        assert_eq!(sets.names(), ["a", "b"]);
        assert_eq!(
            [0, 1, 2, 3].map(|node| sets.row(node)),
            [Some(&[1, 1][..]), Some(&[1, 0]), None, Some(&[0, 0])]
        );
        let sets = sets_of_cells("l", &texts(&["[10, 2]", "2", "10"])).unwrap();
        assert_eq!(sets.names(), ["2", "10"]);
    }

    #[test]
    fn columns_hold_one_label_each() {
        let columns = [texts(&["1", "0", "true"]), texts(&["0.0", "", "1"])];
        let sets = of_columns(texts(&["a", "b"]), &columns).unwrap();
        assert_eq!([0, 1, 2].map(|node| sets.row(node)), [Some(&[1, 0][..]), None, Some(&[1, 1])]);
        let e = of_columns(texts(&["a"]), &[texts(&["7"])]).unwrap_err();
        assert!(e.contains("column `a` holds `7`"), "{e}");
    }

    #[test]
    fn many_numbers_are_a_regression_unless_classes_are_asked_for() {
        let visits: Vec<String> = (0..200).map(|at| (at * at % 9973).to_string()).collect();
        let found = |kind| of_column("visits", &visits, kind, &|_| ());
        assert!(matches!(found(None), Ok(NodeTarget::Numbers(values)) if values[3] == 9.0));
        assert!(matches!(found(Some(TargetKind::Classes)), Ok(NodeTarget::Classes { .. })));
        let few = texts(&["1", "2", "2", "3"]);
        let found = |kind| of_column("grade", &few, kind, &|_| ());
        assert!(matches!(found(None), Ok(NodeTarget::Classes { .. })));
        assert!(matches!(found(Some(TargetKind::Numbers)), Ok(NodeTarget::Numbers(_))));
    }
}
