//! Splits of nodes whose target is a number or a set of labels: random, by one seeded permutation.

use super::nodes::{NodeSets, NodeSplit, NodeSplitParams};
use crate::error::{Error, Result};
use crate::exec::Exec;
use crate::graph::{Graph, LabelSets, NodeId, Target};
use crate::seed::{Seed, Stream};

/// The target of the nodes of a split, if it is not a class.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) enum SplitTarget {
    #[default]
    Classes,
    /// A number per node; NaN if unknown.
    Numbers(Vec<f64>),
    /// 0 or 1 per node and label, node after node.
    Labels { rows: Vec<u8>, names: Vec<String> },
}

impl SplitTarget {
    /// The same for these nodes, in their order.
    pub(super) fn of(&self, nodes: &[NodeId]) -> Self {
        match self {
            SplitTarget::Classes => SplitTarget::Classes,
            SplitTarget::Numbers(_) => SplitTarget::Numbers(self.numbers(nodes)),
            SplitTarget::Labels { names, .. } => {
                SplitTarget::Labels { rows: self.label_rows(nodes), names: names.clone() }
            }
        }
    }

    /// The numbers of these nodes; none if the target is another.
    pub(crate) fn numbers(&self, nodes: &[NodeId]) -> Vec<f64> {
        let SplitTarget::Numbers(values) = self else { return Vec::new() };
        nodes.iter().map(|&node| values[node as usize]).collect()
    }

    /// The labels of these nodes as 0 and 1; none if the target is another.
    pub(crate) fn label_rows(&self, nodes: &[NodeId]) -> Vec<u8> {
        let SplitTarget::Labels { rows, names } = self else { return Vec::new() };
        let width = names.len();
        nodes.iter().flat_map(|&node| rows[node as usize * width..][..width].iter().copied()).collect()
    }
}

/// Minimum number of nodes with a known target.
const FEWEST: usize = 20;
/// Minimum number of nodes in each set.
const FEWEST_OF_A_SET: usize = 5;
/// Number of ranges of a numeric target in Probe: fifths.
const RANGES: usize = 5;

/// Splits the nodes with a known target.
pub(super) fn random(
    graph: &Graph,
    target: &Target,
    params: &NodeSplitParams,
    seed: Seed,
    exec: &Exec,
) -> Result<NodeSplit> {
    check(params)?;
    let mut known: Vec<NodeId> =
        (0..graph.nodes() as u32).filter(|&node| target.is_known(node as usize)).collect();
    let count = known.len();
    if count < FEWEST {
        return Err(unsuitable(format!(
            "{count} nodes have a known target; at least {FEWEST} are needed to train, validate and test"
        )));
    }
    seed.stream(Stream::NodeSplit, 0).shuffle(&mut known);
    let share = |ratio: f64| ((count as f64 * ratio).round() as usize).max(FEWEST_OF_A_SET);
    let valid_from = share(params.train).min(count - 2 * FEWEST_OF_A_SET);
    let test_from = (valid_from + share(params.valid)).min(count - FEWEST_OF_A_SET);
    let held_out = count - test_from;
    let mut sets = NodeSets {
        train: known[..valid_from].to_vec(),
        valid: known[valid_from..test_from].to_vec(),
        test: known[test_from..].iter().copied().take(params.max_evaluated).collect(),
    };
    if sets.test.len() < held_out {
        exec.notice(format!("{} of {held_out} test nodes are evaluated", sets.test.len()));
    }
    for set in [&mut sets.train, &mut sets.valid, &mut sets.test] {
        set.sort_unstable();
    }
    with_target(sets, target, graph)
}

/// A parameter of classes has no meaning for other targets.
pub(super) fn check(params: &NodeSplitParams) -> Result<()> {
    if params.min_class > 0 {
        return Err(Error::param("min_class", params.min_class, "a target of classes; this target has none"));
    }
    Ok(())
}

fn unsuitable(why: String) -> Error {
    Error::Unsuitable { stage: "split", why }
}

/// The split of these sets with its target. Numbers: `labels` are fifths of the training and validation targets,
/// which Probe scores.
pub(super) fn with_target(sets: NodeSets, target: &Target, graph: &Graph) -> Result<NodeSplit> {
    let learned = [&sets.train[..], &sets.valid].concat();
    let known = |node: usize| target.is_known(node);
    let split = |labels: Vec<Option<u32>>, classes: usize, target: SplitTarget| NodeSplit {
        sets: sets.clone(),
        labels,
        classes: (0..classes as i32).collect(),
        target,
    };
    match target {
        Target::Numbers(values) => {
            let own: Vec<f64> = learned.iter().map(|&node| values[node as usize]).collect();
            let borders = ranges(&own);
            if borders.is_empty() {
                let (value, all) = (own.first().copied().unwrap_or(0.0), own.len());
                return Err(unsuitable(format!(
                    "the target of all {all} training and validation nodes is {value}; different values are needed to learn from"
                )));
            }
            let range = |value: f64| borders.partition_point(|&border| border < value) as u32;
            let labels = (0..graph.nodes()).map(|node| known(node).then(|| range(values[node]))).collect();
            Ok(split(labels, borders.len() + 1, SplitTarget::Numbers(values.clone())))
        }
        Target::Labels(sets_of) => {
            let varies = |label: usize| {
                let mut own = learned.iter().filter_map(|&node| Some(sets_of.row(node as usize)?[label]));
                let first = own.next();
                own.any(|has| Some(has) != first)
            };
            if !(0..sets_of.names().len()).any(varies) {
                return Err(unsuitable(format!(
                    "all {} training and validation nodes have the same labels; different ones are needed to learn from",
                    learned.len()
                )));
            }
            let labels = (0..graph.nodes()).map(|node| known(node).then_some(0)).collect();
            Ok(split(labels, 1, rows_of(sets_of)))
        }
    }
}

fn rows_of(sets: &LabelSets) -> SplitTarget {
    let width = sets.names().len();
    let row = |node: usize| sets.row(node).map_or_else(|| vec![0; width], <[u8]>::to_vec);
    SplitTarget::Labels { rows: (0..sets.nodes()).flat_map(row).collect(), names: sets.names().to_vec() }
}

/// Upper borders of the fifths of these values, except the last; fewer if values are equal, and none if all are.
fn ranges(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let Some(&top) = sorted.last() else { return Vec::new() };
    let mut borders: Vec<f64> =
        (1..RANGES).map(|fifth| sorted[(fifth * sorted.len() / RANGES).saturating_sub(1)]).collect();
    borders.dedup();
    borders.retain(|&border| border < top);
    if borders.is_empty() {
        // Most values are the largest.
        borders.extend(sorted.iter().rev().find(|&&value| value < top));
    }
    borders
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(values: Vec<f64>) -> Graph {
        let edges: Vec<[u32; 2]> = (1..values.len() as u32).map(|node| [node - 1, node]).collect();
        Graph::from_edges("path", values.len(), &edges).unwrap().with_numbers(values).unwrap()
    }

    fn split(graph: &Graph) -> Result<NodeSplit> {
        super::super::nodes(graph, &NodeSplitParams::default(), Seed(0), &Exec::new(1).unwrap())
    }

    #[test]
    fn borders_follow_the_values() {
        let values: Vec<f64> = (0..10).map(f64::from).collect();
        assert_eq!(ranges(&values), [1.0, 3.0, 5.0, 7.0]);
        assert_eq!(ranges(&[0.0, 0.0, 0.0, 0.0, 5.0]), [0.0]);
        assert_eq!(ranges(&[1.0, 5.0, 5.0, 5.0, 5.0, 5.0, 5.0]), [1.0]);
        assert!(ranges(&[2.0; 9]).is_empty());
    }

    #[test]
    fn unknown_targets_are_in_no_set() {
        let values: Vec<f64> =
            (0..200).map(|at| if at % 4 == 0 { f64::NAN } else { f64::from(at) }).collect();
        let split = split(&graph(values)).unwrap();
        let NodeSets { train, valid, test } = &split.sets;
        // 2.5 % of 150 are 4, but at least 5 are needed.
        assert_eq!((train.len(), valid.len(), test.len()), (5, 5, 140));
        let mut all = [&train[..], valid, test].concat();
        all.sort_unstable();
        all.dedup();
        assert!(all.len() == 150 && all.iter().all(|node| node % 4 != 0));
        assert_eq!(split.target.numbers(&[1, 7]), [1.0, 7.0]);
        assert_eq!(split.classes.len(), 5);
    }

    #[test]
    fn targets_that_teach_nothing_are_refused() {
        let equal = split(&graph(vec![3.5; 50])).unwrap_err().to_string();
        assert!(equal.contains("training and validation nodes is 3.5"), "{equal}");
        let few = split(&graph((0..50).map(|at| if at < 9 { f64::from(at) } else { f64::NAN }).collect()));
        let few = few.unwrap_err().to_string();
        assert!(few.contains("9 nodes have a known target; at least 20"), "{few}");
        let params = NodeSplitParams { min_class: 3, ..NodeSplitParams::default() };
        let graph = graph((0..50).map(f64::from).collect());
        let e =
            super::super::nodes(&graph, &params, Seed(0), &Exec::new(1).unwrap()).unwrap_err().to_string();
        assert!(e.contains("min_class"), "{e}");
        let names = vec!["a".into()];
        let same = graph.with_label_sets(LabelSets::new(names, &[1; 50]).unwrap()).unwrap();
        let same = split(&same).unwrap_err().to_string();
        assert!(same.contains("the same labels"), "{same}");
    }
}
