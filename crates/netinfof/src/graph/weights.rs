//! Weights of edges: how strong the relation is that an edge stands for.
//!
//! A graph keeps the weights as they were given, and its adjacency holds them on the scale on which they are
//! used: transformed, and divided by their mean. An average edge then counts as an edge of an unweighted graph,
//! the unit of the weights has no effect, and equal weights are no weights.
//!
//! The default transform is `ln(1 + w / median)`. Most weights are counts or amounts with a heavy tail: without a
//! transform the average over a node's neighbours is little more than its heaviest neighbour, and singular
//! vectors describe a few heavy edges. Weights of one order of magnitude are changed little by it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Csr, Graph, Pair};
use crate::error::{Error, Result};

/// How weights are transformed before they are divided by their mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum WeightTransform {
    /// `ln(1 + w / median)`: heavy edges count more, but do not drown the others.
    #[default]
    Log,
    /// Not at all.
    Linear,
}

/// The scale on which weights are used. A model keeps it for the weights of newer graphs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct WeightScale {
    transform: WeightTransform,
    /// The median weight.
    median: f64,
    /// Mean of the transformed weights.
    mean: f64,
}

impl WeightTransform {
    /// The name in options and files.
    pub fn name(self) -> &'static str {
        match self {
            WeightTransform::Log => "log",
            WeightTransform::Linear => "linear",
        }
    }
}

impl WeightScale {
    /// How weights are transformed.
    pub fn transform(&self) -> WeightTransform {
        self.transform
    }

    fn of(weights: &[f32], transform: WeightTransform) -> Self {
        let mut sorted = weights.to_vec();
        sorted.sort_unstable_by(f32::total_cmp);
        let median = sorted.get(sorted.len() / 2).map_or(1.0, |&weight| f64::from(weight));
        let raw = WeightScale { transform, median, mean: 1.0 };
        let sum: f64 = weights.iter().map(|&weight| raw.transformed(weight)).sum();
        WeightScale { mean: if weights.is_empty() { 1.0 } else { sum / weights.len() as f64 }, ..raw }
    }

    fn transformed(&self, weight: f32) -> f64 {
        match self.transform {
            WeightTransform::Log => (f64::from(weight) / self.median).ln_1p(),
            WeightTransform::Linear => f64::from(weight),
        }
    }

    /// A weight on this scale: above 0, and 1 on average.
    fn apply(&self, weight: f32) -> f32 {
        ((self.transformed(weight) / self.mean) as f32).clamp(f32::MIN_POSITIVE, f32::MAX)
    }

    /// Whether the scale can be that of a graph.
    pub(crate) fn is_sound(&self) -> bool {
        [self.median, self.mean].iter().all(|v| v.is_finite() && *v > 0.0)
    }
}

/// The weights of a graph's edges.
#[derive(Clone, Debug)]
pub struct EdgeWeights {
    /// As they were given, in the order of [`Graph::edges`].
    given: Arc<Vec<f32>>,
    scale: WeightScale,
}

impl EdgeWeights {
    /// The weights as they were given, in the order of [`Graph::edges`].
    pub fn given(&self) -> &[f32] {
        &self.given
    }

    /// The scale on which they are used.
    pub fn scale(&self) -> WeightScale {
        self.scale
    }

    /// The weights for reports.
    pub(super) fn facts(&self) -> WeightFacts {
        let range = self.given.iter().fold([f32::MAX, 0.0], |[low, high], &w| [w.min(low), w.max(high)]);
        WeightFacts {
            transform: self.scale.transform,
            smallest: range[0],
            median: self.scale.median as f32,
            largest: range[1],
        }
    }
}

/// The weights of a graph, for reports.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WeightFacts {
    /// How they are transformed.
    pub transform: WeightTransform,
    /// The smallest weight.
    pub smallest: f32,
    /// The median weight.
    pub median: f32,
    /// The largest weight.
    pub largest: f32,
}

/// Checks a weight; the error says what is wrong with it, and what to do.
pub fn checked_weight(weight: f64) -> std::result::Result<f32, String> {
    if weight.is_nan() {
        return Err(
            "no weight; every edge needs one, or leave `weight` out to use the edges without weights".into(),
        );
    }
    if weight < 0.0 {
        return Err(format!(
            "weight {weight} is negative; a weight is the strength of an edge, at least 0: keep the edges of one sign, or leave `weight` out to use the edges without weights"
        ));
    }
    let single = weight as f32;
    if !single.is_finite() {
        return Err(format!("weight {weight:e} is too large; weights must be finite numbers below 3e38"));
    }
    Ok(if weight > 0.0 { single.max(f32::MIN_POSITIVE) } else { 0.0 })
}

/// What became of a list of weighted edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Merged {
    /// Edges with parallel edges in one direction.
    summed: usize,
    /// Edges with different weights in the two directions.
    averaged: usize,
    /// Edges of weight zero.
    zeros: usize,
}

impl Merged {
    fn notices(self, equal: bool) -> Vec<String> {
        let edges = |count: usize| format!("{count} edge{}", if count == 1 { "" } else { "s" });
        let mut notices = Vec::new();
        if self.summed > 0 {
            notices.push(format!("{} listed several times: the weights are summed", edges(self.summed)));
        }
        if self.averaged > 0 {
            notices.push(format!(
                "{} with different weights in the two directions: the mean is used",
                edges(self.averaged)
            ));
        }
        if self.zeros > 0 {
            notices.push(format!("{} of weight 0 dropped", edges(self.zeros)));
        }
        if equal {
            notices.push("all weights are equal, so they have no effect".into());
        }
        notices
    }
}

/// One weight for each edge of a list, in the order of the edges; self loops are ignored.
fn merged(listed: &[Pair], weights: &[f32]) -> (Vec<(Pair, f32)>, Merged) {
    let proper = listed.iter().zip(weights).filter(|([i, j], _)| i != j);
    // A stable sort keeps the order of parallel edges, on which a sum depends.
    let mut sorted: Vec<(Pair, bool, f32)> =
        proper.map(|(&edge, &weight)| (super::ordered(edge), edge[0] > edge[1], weight)).collect();
    sorted.sort_by_key(|&(edge, turned, _)| (edge, turned));
    let mut found = Merged::default();
    let mut edges = Vec::with_capacity(sorted.len());
    for own in sorted.chunk_by(|a, b| a.0 == b.0) {
        let mut directions = [None; 2];
        for part in own.chunk_by(|a, b| a.1 == b.1) {
            directions[usize::from(part[0].1)] = Some(part.iter().map(|own| f64::from(own.2)).sum::<f64>());
        }
        found.summed += usize::from(own.len() > directions.iter().flatten().count());
        let weight = match directions {
            [Some(one), Some(other)] => {
                found.averaged += usize::from(one != other);
                0.5 * (one + other)
            }
            [one, other] => one.or(other).expect("the edge is listed"),
        };
        found.zeros += usize::from(weight == 0.0);
        edges.push((own[0].0, weight.min(f64::from(f32::MAX)) as f32));
    }
    (edges, found)
}

impl Graph {
    /// Adds weights: one for each edge of the list from which the graph was built. Parallel edges are summed; an
    /// edge that is listed in both directions has the mean of the two weights; edges of weight zero are dropped.
    /// Also returns notices that say so.
    ///
    /// ```
    /// use netinfof::{Graph, graph::WeightTransform};
    /// let edges = [[0, 1], [1, 2], [1, 2], [2, 1]];
    /// let graph = Graph::from_edges("path", 3, &edges)?;
    /// let (graph, _) = graph.with_weights(&edges, &[2.0, 1.0, 1.0, 4.0], WeightTransform::Log)?;
    /// assert_eq!(graph.weights().unwrap().given(), [2.0, 3.0]);
    /// # Ok::<(), netinfof::Error>(())
    /// ```
    pub fn with_weights(
        mut self,
        listed: &[Pair],
        weights: &[f32],
        transform: WeightTransform,
    ) -> Result<(Self, Vec<String>)> {
        if weights.len() != listed.len() {
            let what =
                format!("{} weights for {} edges; one per edge was expected", weights.len(), listed.len());
            return Err(Error::InvalidGraph { what });
        }
        for (&[i, j], &weight) in listed.iter().zip(weights) {
            checked_weight(f64::from(weight)).map_err(|what| {
                let [i, j] = [i, j].map(|node| self.node_name(node as usize));
                Error::InvalidGraph { what: format!("edge ({i}, {j}): {what}") }
            })?;
        }
        let (mut edges, found) = merged(listed, weights);
        if found.zeros > 0 {
            let zeros: Vec<Pair> = edges.iter().filter(|edge| edge.1 == 0.0).map(|edge| edge.0).collect();
            self.adjacency = self.adjacency.without(&zeros);
            edges.retain(|edge| edge.1 != 0.0);
        }
        assert_eq!(edges.len(), self.edge_count(), "the list is that of the graph");
        let given: Vec<f32> = edges.into_iter().map(|edge| edge.1).collect();
        let equal = given.windows(2).all(|w| w[0] == w[1]);
        let scale = WeightScale::of(&given, transform);
        if !equal {
            self.adjacency = scaled(self.adjacency, &given, &scale);
        }
        self.weights = Some(EdgeWeights { given: Arc::new(given), scale });
        Ok((self, found.notices(equal)))
    }

    /// The weights of the edges, if the graph has any.
    pub fn weights(&self) -> Option<&EdgeWeights> {
        self.weights.as_ref()
    }

    /// The adjacency with the weights on another scale; a pattern without weights.
    pub(crate) fn adjacency_on(&self, scale: &WeightScale) -> Csr {
        let pattern = self.adjacency.as_pattern().into_owned();
        match &self.weights {
            None => pattern,
            Some(weights) => scaled(pattern, &weights.given, scale),
        }
    }

    /// The median weight on the scale of the graph: for edges of unknown weight.
    pub(crate) fn usual_weight(&self) -> f32 {
        self.weights.as_ref().map_or(1.0, |weights| weights.scale.apply(weights.scale.median as f32))
    }

    /// The weights of the edges of another adjacency over the same nodes; the median for new edges.
    pub(super) fn weights_of(&self, adjacency: &Csr) -> Option<EdgeWeights> {
        let weights = self.weights.as_ref()?;
        let scale = weights.scale;
        let pattern = self.adjacency.as_pattern().into_owned();
        let own = pattern.with_edge_values(weights.given.iter().copied());
        let median = scale.median as f32;
        let edges = (0..adjacency.rows()).flat_map(|node| {
            let id = u32::try_from(node).expect("nodes fit in u32");
            adjacency.row(node).iter().filter(move |&&other| other > id).map(move |&other| [id, other])
        });
        let given = edges.map(|[i, j]| if own.contains(i, j) { own.value(i, j) } else { median });
        Some(EdgeWeights { given: Arc::new(given.collect()), scale })
    }

    /// Adds weights in the order of [`Graph::edges`], on a scale that is known, such as that of a model.
    pub(crate) fn with_known_weights(mut self, given: Vec<f32>, scale: WeightScale) -> Self {
        assert_eq!(given.len(), self.edge_count(), "one weight per edge");
        if given.windows(2).any(|w| w[0] != w[1]) {
            self.adjacency = scaled(self.adjacency, &given, &scale);
        }
        self.weights = Some(EdgeWeights { given: Arc::new(given), scale });
        self
    }
}

fn scaled(pattern: Csr, given: &[f32], scale: &WeightScale) -> Csr {
    pattern.with_edge_values(given.iter().map(|&weight| scale.apply(weight)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weighted(edges: &[Pair], weights: &[f32], transform: WeightTransform) -> (Graph, Vec<String>) {
        Graph::from_edges("g", 4, edges).unwrap().with_weights(edges, weights, transform).unwrap()
    }

    #[test]
    fn parallel_edges_are_summed_and_directions_averaged() {
        let edges = [[0, 1], [2, 1], [1, 2], [0, 1], [2, 3], [3, 2], [3, 3], [0, 2], [1, 3]];
        let weights = [1.0, 2.0, 6.0, 3.0, 5.0, 5.0, 9.0, 0.0, 2.0];
        let (graph, notices) = weighted(&edges, &weights, WeightTransform::Linear);
        assert_eq!(graph.edges(), [[0, 1], [1, 2], [1, 3], [2, 3]]);
        assert_eq!(graph.weights().unwrap().given(), [4.0, 4.0, 2.0, 5.0]);
        assert_eq!(graph.adjacency().value(1, 3), 2.0 / 3.75);
        assert_eq!(notices.len(), 3, "{notices:?}");
        assert!(notices[0].starts_with("1 edge listed several times") && notices[1].contains("mean"));
        assert!(notices[2].starts_with("1 edge of weight 0"));
    }

    #[test]
    fn equal_weights_are_no_weights() {
        let edges = [[0, 1], [1, 0], [1, 2]];
        for transform in [WeightTransform::Log, WeightTransform::Linear] {
            let (graph, notices) = weighted(&edges, &[0.1; 3], transform);
            assert!(graph.adjacency().values().is_none() && graph.weights().is_some());
            assert_eq!(notices, ["all weights are equal, so they have no effect"]);
        }
    }

    #[test]
    fn the_unit_of_weights_has_no_effect() {
        let edges = [[0, 1], [1, 2], [2, 3]];
        for transform in [WeightTransform::Log, WeightTransform::Linear] {
            let [grams, kilos] = [[1000.0, 3000.0, 64000.0], [1.0, 3.0, 64.0]]
                .map(|weights| weighted(&edges, &weights, transform).0.adjacency);
            for (a, b) in grams.values().unwrap().iter().zip(kilos.values().unwrap()) {
                assert!((a - b).abs() < 1e-6);
            }
            let mean = kilos.values().unwrap().iter().sum::<f32>() / 6.0;
            assert!((mean - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn bad_weights_are_named() {
        let edges = [[0, 1], [1, 2]];
        let message = |weights: &[f32]| {
            let graph = Graph::from_edges("g", 3, &edges).unwrap();
            graph.with_weights(&edges, weights, WeightTransform::Log).unwrap_err().to_string()
        };
        let said = message(&[1.0, -2.0]);
        assert!(said.contains("edge (1, 2)") && said.contains("-2 is negative") && said.contains("`weight`"));
        assert!(message(&[f32::NAN, 1.0]).contains("no weight"));
        assert!(message(&[f32::INFINITY, 1.0]).contains("too large"));
        assert!(message(&[1.0]).contains("1 weights for 2 edges"));
    }
}
