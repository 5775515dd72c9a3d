//! Division of nodes into training, validation and test sets, class by class.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};

use super::targets::{self, SplitTarget};
use crate::error::{Error, Result};
use crate::exec::Exec;
use crate::graph::{Graph, NodeId};
use crate::seed::{Seed, Stream};

/// How nodes are split, class by class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct NodeSplitParams {
    /// Share of training nodes per class (default 0.025).
    pub train: f64,
    /// Share of validation nodes per class (default 0.025); the rest are test nodes.
    pub valid: f64,
    /// Classes with fewer labelled nodes are dropped, and their nodes count as unlabelled (default 0: none).
    pub min_class: usize,
    /// Maximum number of test nodes (default 300 000): the same share of each class is evaluated.
    #[serde(default = "super::usize_max")]
    pub max_evaluated: usize,
}

impl Default for NodeSplitParams {
    fn default() -> Self {
        NodeSplitParams { train: 0.025, valid: 0.025, min_class: 0, max_evaluated: 300_000 }
    }
}

impl NodeSplitParams {
    pub(crate) fn validate(&self) -> Result<()> {
        if !(self.train > 0.0 && self.train < 1.0) {
            return Err(Error::param("train", self.train, "a share between 0 and 1"));
        }
        if !(self.valid > 0.0 && self.train + self.valid < 1.0) {
            return Err(Error::param("valid", self.valid, "a share above 0 that leaves nodes to test"));
        }
        if self.max_evaluated == 0 {
            return Err(Error::param("max_evaluated", 0, "at least 1 node"));
        }
        Ok(())
    }
}

/// A split of the labelled nodes supplied by the caller, as lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NodeSets {
    /// Training nodes.
    pub train: Vec<NodeId>,
    /// Validation nodes.
    pub valid: Vec<NodeId>,
    /// Test nodes.
    pub test: Vec<NodeId>,
}

/// A split of the labelled nodes. All nodes and all edges are used; only labels are held out.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NodeSplit {
    /// Training, validation and test nodes, ascending.
    pub sets: NodeSets,
    /// Class of every node, numbered 0, 1, … without gaps; `None` if unknown or dropped.
    pub labels: Vec<Option<u32>>,
    /// The numbers of these classes in the graph.
    pub classes: Vec<i32>,
    /// The target, if it is not a class. Numbers: classes are ranges of them. Labels: there is one class.
    pub(crate) target: SplitTarget,
}

impl NodeSplit {
    /// Test nodes with the same features as a training node.
    pub(crate) fn repeats(&self, twins: &[NodeId]) -> usize {
        let known: HashSet<NodeId> = self.sets.train.iter().map(|&node| twins[node as usize]).collect();
        self.sets.test.iter().filter(|&&node| known.contains(&twins[node as usize])).count()
    }

    /// The nodes of all sets, ascending, and the same split with nodes numbered by their places among them.
    pub(crate) fn compact(&self) -> (Vec<NodeId>, NodeSplit) {
        let NodeSets { train, valid, test } = &self.sets;
        let mut nodes = [&train[..], valid, test].concat();
        nodes.sort_unstable();
        nodes.dedup();
        let place = |node: &NodeId| nodes.binary_search(node).expect("listed above") as NodeId;
        let set = |own: &[NodeId]| own.iter().map(place).collect::<Vec<_>>();
        let sets = NodeSets { train: set(train), valid: set(valid), test: set(test) };
        let labels = nodes.iter().map(|&node| self.labels[node as usize]).collect();
        let target = self.target.of(&nodes);
        let split = NodeSplit { sets, labels, classes: self.classes.clone(), target };
        (nodes, split)
    }

    /// Classes of these nodes.
    pub(crate) fn labels_of(&self, nodes: &[NodeId]) -> Vec<u32> {
        nodes.iter().map(|&node| self.labels[node as usize].expect("nodes of a split have labels")).collect()
    }
}

/// Minimum number of labelled nodes per class: one for each of training, validation and test.
pub(super) const FEWEST_OF_A_CLASS: usize = 3;

/// Splits the labelled nodes class by class, by seeded permutations. Other targets are split at random.
pub fn nodes(graph: &Graph, params: &NodeSplitParams, seed: Seed, exec: &Exec) -> Result<NodeSplit> {
    params.validate()?;
    if let Some(target) = graph.target() {
        return targets::random(graph, target, params, seed, exec);
    }
    let (labels, classes) = known_labels(graph, params, exec)?;
    let mut sets = NodeSets::default();
    let mut held_out = 0;
    // The share of the test nodes that is evaluated.
    let labelled = labels.iter().flatten().count() as f64;
    let evaluated = params.max_evaluated as f64 / (labelled * (1.0 - params.train - params.valid)).max(1.0);
    for (class, &own) in (0..).zip(&classes) {
        let mut members: Vec<NodeId> =
            (0..).zip(&labels).filter(|&(_, &label)| label == Some(class)).map(|(node, _)| node).collect();
        let count = members.len();
        if count < FEWEST_OF_A_CLASS {
            return Err(Error::Unsuitable {
                stage: "split",
                why: format!(
                    "class {own} has {count} labelled node{}, at least {FEWEST_OF_A_CLASS} are needed to train, validate \
                     and test; --min-class {FEWEST_OF_A_CLASS} drops such classes",
                    if count == 1 { "" } else { "s" }
                ),
            });
        }
        seed.stream(Stream::NodeSplit, u64::from(class)).shuffle(&mut members);
        let share = |ratio: f64| ((count as f64 * ratio).round() as usize).max(1);
        let valid_from = share(params.train).min(count - 2);
        let test_from = (valid_from + share(params.valid)).min(count - 1);
        sets.train.extend(&members[..valid_from]);
        sets.valid.extend(&members[valid_from..test_from]);
        held_out += count - test_from;
        let most = ((count - test_from) as f64 * evaluated.min(1.0)).ceil() as usize;
        sets.test.extend(members[test_from..].iter().take(most));
    }
    if sets.test.len() < held_out {
        exec.notice(format!("{} of {held_out} test nodes are evaluated", sets.test.len()));
    }
    for set in [&mut sets.train, &mut sets.valid, &mut sets.test] {
        set.sort_unstable();
    }
    Ok(NodeSplit { sets, labels, classes, target: SplitTarget::Classes })
}

/// A split of the nodes supplied by the caller. Nodes without a label are left out of the sets with a notice.
pub fn nodes_given(
    graph: &Graph,
    sets: &NodeSets,
    params: &NodeSplitParams,
    exec: &Exec,
) -> Result<NodeSplit> {
    let bad = |what: String| Err(Error::InvalidSplit { what });
    let (labels, classes) = match graph.target() {
        None => known_labels(graph, params, exec)?,
        Some(target) => {
            targets::check(params)?;
            ((0..graph.nodes()).map(|node| target.is_known(node).then_some(0)).collect(), Vec::new())
        }
    };
    let mut owner = vec![None; graph.nodes()];
    let mut unlabelled = 0;
    let mut kept = NodeSets::default();
    for (name, own, out) in [
        ("training", &sets.train, &mut kept.train),
        ("validation", &sets.valid, &mut kept.valid),
        ("test", &sets.test, &mut kept.test),
    ] {
        for &node in own {
            let Some(slot) = owner.get_mut(node as usize) else {
                return bad(format!("{name} node {node}, but node ids must lie below {}", graph.nodes()));
            };
            if let Some(other) = slot.replace(name) {
                return bad(format!("node {node} is in the {other} set and in the {name} set"));
            }
            if labels[node as usize].is_some() {
                out.push(node);
            } else {
                unlabelled += 1;
            }
        }
        if out.is_empty() {
            return bad(format!("no labelled {name} nodes"));
        }
        out.sort_unstable();
    }
    if unlabelled > 0 {
        let (nodes, have, are) =
            if unlabelled == 1 { ("node", "has", "is") } else { ("nodes", "have", "are") };
        exec.notice(format!("{unlabelled} {nodes} of the split {have} no label and {are} left out"));
    }
    if let Some(target) = graph.target() {
        return targets::with_target(kept, target, graph);
    }
    let split = NodeSplit { sets: kept, labels, classes, target: SplitTarget::Classes };
    let mut seen = vec![false; split.classes.len()];
    for class in split.labels_of(&split.sets.train) {
        seen[class as usize] = true;
    }
    let learned = split.labels_of(&[&split.sets.train[..], &split.sets.valid].concat());
    if learned.iter().all(|&class| class == learned[0]) {
        return bad(format!(
            "all training and validation nodes have class {}; at least two classes are needed to learn from",
            split.classes[learned[0] as usize]
        ));
    }
    if let Some(missing) = seen.iter().position(|&seen| !seen) {
        exec.notice(format!(
            "class {} has no training node and can never be predicted",
            split.classes[missing]
        ));
    }
    Ok(split)
}

/// Labels numbered without gaps, and their numbers in the graph; small classes are dropped.
pub(super) fn known_labels(
    graph: &Graph,
    params: &NodeSplitParams,
    exec: &Exec,
) -> Result<(Vec<Option<u32>>, Vec<i32>)> {
    let unsuitable = |why: String| Err(Error::Unsuitable { stage: "split", why });
    let Some(own) = graph.labels() else {
        return unsuitable("the graph has no labels; node classification needs them".into());
    };
    let mut counts = vec![0usize; graph.classes()];
    for &label in own.iter().filter(|&&label| label >= 0) {
        counts[label as usize] += 1;
    }
    let kept = |&class: &i32| counts[class as usize] >= params.min_class.max(1);
    let top = i32::try_from(counts.len()).expect("labels are 32 bits");
    let classes: Vec<i32> = (0..top).filter(kept).collect();
    let dropped: Vec<String> =
        (0..top).filter(|c| counts[*c as usize] > 0 && !kept(c)).map(|c| c.to_string()).collect();
    if !dropped.is_empty() {
        exec.notice(format!(
            "classes with fewer than {} labelled nodes dropped: {}",
            params.min_class,
            dropped.join(", ")
        ));
    }
    if classes.len() < 2 {
        return unsuitable(format!(
            "{} with labelled nodes; at least two classes are needed{}",
            if classes.is_empty() { "no class" } else { "only one class" },
            if own.iter().any(|&label| label < 0) { " (a label of -1 means unknown)" } else { "" }
        ));
    }
    let number = |label: &i32| classes.binary_search(label).ok().map(|at| at as u32);
    Ok((own.iter().map(number).collect(), classes))
}
