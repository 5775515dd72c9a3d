//! Targets of nodes that are not one class each: numbers, and sets of labels.

use std::collections::HashMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Graph;
use crate::error::{Error, Result};
use crate::work_folder::ArrayDigest;

/// The kind of the target of nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum TargetKind {
    /// One class per node: classification.
    #[default]
    Classes,
    /// One number per node: regression.
    Numbers,
    /// Any number of labels per node: multi-label classification.
    Labels,
}

impl TargetKind {
    /// The name in parameters and results.
    pub fn name(self) -> &'static str {
        match self {
            TargetKind::Classes => "classes",
            TargetKind::Numbers => "numbers",
            TargetKind::Labels => "labels",
        }
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    pub(crate) fn is_classes(&self) -> bool {
        *self == TargetKind::Classes
    }
}

/// Any number of labels for each node.
#[derive(Clone, Debug, PartialEq)]
pub struct LabelSets {
    names: Vec<String>,
    /// Node after node: 1 if it has the label, 0 if not.
    rows: Vec<u8>,
    /// Whether the labels of a node are known.
    known: Vec<bool>,
}

impl LabelSets {
    /// One row per node and one column per label: 1 if the node has the label, 0 if not; −1 in any column means
    /// that the labels of the node are unknown.
    pub fn new(names: Vec<String>, rows: &[i8]) -> Result<Self> {
        let bad = |what: String| Err(Error::InvalidGraph { what });
        if names.is_empty() {
            return bad("no label columns; at least one was expected".into());
        }
        let width = names.len();
        if !rows.len().is_multiple_of(width) {
            return bad(format!("{} label values for {width} labels; whole rows were expected", rows.len()));
        }
        if let Some(at) = rows.iter().position(|value| !(-1..=1).contains(value)) {
            return bad(format!(
                "label `{}` of node {} is {}; 0, 1 or -1 (unknown) was expected",
                names[at % width],
                at / width,
                rows[at]
            ));
        }
        let known = rows.chunks_exact(width).map(|row| !row.contains(&-1)).collect();
        let rows = rows.iter().map(|&value| u8::from(value == 1)).collect();
        Ok(LabelSets { names, rows, known })
    }

    /// Names of the labels.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The labels of a node, as 0 and 1; `None` if they are unknown.
    pub fn row(&self, node: usize) -> Option<&[u8]> {
        let width = self.names.len();
        self.known[node].then(|| &self.rows[node * width..][..width])
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.known.len()
    }
}

/// A target that is not one class per node.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Target {
    /// One number per node; NaN if unknown.
    Numbers(Vec<f64>),
    /// Any number of labels per node.
    Labels(LabelSets),
}

impl LabelSets {
    pub(super) fn add_to(&self, digest: &mut ArrayDigest) {
        digest.add("label rows", &self.rows);
        let known: Vec<u8> = self.known.iter().map(|&known| u8::from(known)).collect();
        digest.add("known labels", &known);
    }
}

impl Target {
    /// Whether the target of a node is known.
    pub(crate) fn is_known(&self, node: usize) -> bool {
        match self {
            Target::Numbers(values) => !values[node].is_nan(),
            Target::Labels(sets) => sets.known[node],
        }
    }

    /// Equal targets as equal numbers from 0, -1 where unknown.
    pub(crate) fn codes(&self) -> Vec<i32> {
        let key = |node: usize| match self {
            Target::Numbers(values) => {
                (!values[node].is_nan()).then(|| values[node].to_bits().to_le_bytes().to_vec())
            }
            Target::Labels(sets) => sets.row(node).map(<[u8]>::to_vec),
        };
        let mut seen = HashMap::new();
        (0..self.nodes())
            .map(|node| {
                let Some(key) = key(node) else { return -1 };
                let next = seen.len() as i32;
                *seen.entry(key).or_insert(next)
            })
            .collect()
    }

    fn nodes(&self) -> usize {
        match self {
            Target::Numbers(values) => values.len(),
            Target::Labels(sets) => sets.nodes(),
        }
    }

    pub(crate) fn kind(&self) -> TargetKind {
        match self {
            Target::Numbers(_) => TargetKind::Numbers,
            Target::Labels(_) => TargetKind::Labels,
        }
    }
}

/// Facts about a target that is not one class per node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TargetFacts {
    /// Its kind.
    pub kind: TargetKind,
    /// Numbers: minimum, lower quartile, median, upper quartile and maximum.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quartiles: Option<[f64; 5]>,
    /// Numbers: correlation between the two ends of edges; `None` without edges between nodes of different values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edge_correlation: Option<f64>,
    /// Labels: number of nodes that have each label, by name; only the first 1000.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub label_sizes: Vec<(String, usize)>,
    /// Labels: mean number of labels of a node.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean_labels: Option<f64>,
}

/// Labels that are listed in facts.
const LISTED_LABELS: usize = 1000;

impl Graph {
    /// Adds a target of one number per node; NaN means unknown. Infinite values are refused. Classes are dropped:
    /// a graph has one target.
    ///
    /// ```
    /// use netinfof::Graph;
    /// let graph = Graph::from_edges("path", 3, &[[0, 1], [1, 2]])?.with_numbers(vec![1.5, f64::NAN, 3.0])?;
    /// assert_eq!(graph.labelled(), 2);
    /// # Ok::<(), netinfof::Error>(())
    /// ```
    pub fn with_numbers(self, values: Vec<f64>) -> Result<Self> {
        if let Some(node) = values.iter().position(|value| value.is_infinite()) {
            let what = format!(
                "the target of node {} is {}; finite numbers were expected, or NaN where it is unknown",
                self.node_name(node),
                values[node]
            );
            return Err(Error::InvalidGraph { what });
        }
        self.with_target(Target::Numbers(values))
    }

    /// Adds a target of any number of labels per node. Classes are dropped: a graph has one target.
    pub fn with_label_sets(self, sets: LabelSets) -> Result<Self> {
        self.with_target(Target::Labels(sets))
    }

    fn with_target(mut self, target: Target) -> Result<Self> {
        let (own, nodes) = (target.nodes(), self.nodes());
        if own != nodes {
            let what = format!("{own} targets for {nodes} nodes; one per node was expected");
            return Err(Error::InvalidGraph { what });
        }
        self.labels = None;
        self.class_names = None;
        self.target = (0..nodes).any(|node| target.is_known(node)).then(|| Arc::new(target));
        Ok(self)
    }

    /// The target, if it is not one class per node.
    pub fn target(&self) -> Option<&Target> {
        self.target.as_deref()
    }

    /// The kind of the target; `None` without one.
    pub fn target_kind(&self) -> Option<TargetKind> {
        self.target().map(Target::kind).or_else(|| self.labels().map(|_| TargetKind::Classes))
    }

    /// Number of nodes whose target is known.
    pub fn labelled(&self) -> usize {
        match self.target() {
            Some(target) => (0..self.nodes()).filter(|&node| target.is_known(node)).count(),
            None => self.labels().map_or(0, |own| own.iter().filter(|&&label| label >= 0).count()),
        }
    }

    /// Facts about a target that is not one class per node.
    pub(crate) fn target_facts(&self) -> Option<TargetFacts> {
        let target = self.target()?;
        let mut facts = TargetFacts {
            kind: target.kind(),
            quartiles: None,
            edge_correlation: None,
            label_sizes: Vec::new(),
            mean_labels: None,
        };
        match target {
            Target::Numbers(values) => {
                let mut known: Vec<f64> = values.iter().copied().filter(|value| !value.is_nan()).collect();
                known.sort_unstable_by(f64::total_cmp);
                let last = known.len() - 1;
                facts.quartiles = Some([0, 1, 2, 3, 4].map(|quarter| known[quarter * last / 4]));
                facts.edge_correlation = self.edge_correlation(values);
            }
            Target::Labels(sets) => {
                let rows = || (0..sets.nodes()).filter_map(|node| sets.row(node));
                let size = |label: usize| rows().filter(|row| row[label] == 1).count();
                let listed = sets.names().iter().take(LISTED_LABELS).enumerate();
                facts.label_sizes = listed.map(|(label, name)| (name.clone(), size(label))).collect();
                let all: usize =
                    rows().map(|row| row.iter().map(|&has| usize::from(has)).sum::<usize>()).sum();
                facts.mean_labels = Some(all as f64 / rows().count().max(1) as f64);
            }
        }
        Some(facts)
    }

    /// Pearson's correlation of the numbers at both ends of edges, each edge in both directions.
    fn edge_correlation(&self, values: &[f64]) -> Option<f64> {
        let ends: Vec<[f64; 2]> = self
            .edges()
            .into_iter()
            .map(|edge| edge.map(|node| values[node as usize]))
            .filter(|ends| ends.iter().all(|value| !value.is_nan()))
            .collect();
        let count = 2.0 * ends.len() as f64;
        let mean = ends.iter().flatten().sum::<f64>() / count;
        let variance = ends.iter().flatten().map(|value| (value - mean).powi(2)).sum::<f64>();
        let covariance = 2.0 * ends.iter().map(|[a, b]| (a - mean) * (b - mean)).sum::<f64>();
        (variance > 0.0).then(|| covariance / variance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path() -> Graph {
        Graph::from_edges("path", 4, &[[0, 1], [1, 2], [2, 3]]).unwrap()
    }

    #[test]
    fn numbers_are_checked_and_described() {
        let infinite = path().with_numbers(vec![0.0, 1.0, f64::INFINITY, 2.0]).unwrap_err().to_string();
        assert!(infinite.contains("target of node 2 is inf"), "{infinite}");
        let short = path().with_numbers(vec![0.0]).unwrap_err().to_string();
        assert!(short.contains("1 targets for 4 nodes"), "{short}");
        let graph = path().with_labels(vec![0, 1, 0, 1]).unwrap();
        let graph = graph.with_numbers(vec![1.0, 2.0, 3.0, f64::NAN]).unwrap();
        assert_eq!((graph.labels(), graph.target_kind()), (None, Some(TargetKind::Numbers)));
        assert_eq!(graph.labelled(), 3);
        let facts = graph.target_facts().unwrap();
        assert_eq!(facts.quartiles, Some([1.0, 1.0, 2.0, 2.0, 3.0]));
        // Edges (1, 2) and (2, 3): mean 2, covariance 2 (−1·0 + 0·1) = 0.
        assert_eq!(facts.edge_correlation, Some(0.0));
        assert!(path().with_numbers(vec![f64::NAN; 4]).unwrap().target().is_none());
    }

    #[test]
    fn label_sets_are_checked_and_described() {
        let names = || vec!["a".to_string(), "b".into()];
        let wrong = LabelSets::new(names(), &[0, 1, 2, 0]).unwrap_err().to_string();
        assert!(wrong.contains("label `a` of node 1 is 2"), "{wrong}");
        let sets = LabelSets::new(names(), &[0, 1, 1, 1, -1, 0, 0, 0]).unwrap();
        let graph = path().with_label_sets(sets).unwrap();
        assert_eq!((graph.labelled(), graph.target_kind()), (3, Some(TargetKind::Labels)));
        let facts = graph.target_facts().unwrap();
        assert_eq!(facts.label_sizes, [("a".to_string(), 1), ("b".into(), 2)]);
        assert_eq!(facts.mean_labels, Some(1.0));
    }
}
