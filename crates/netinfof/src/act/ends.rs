//! Test figures of links by whether both ends have a training edge.

use serde::{Deserialize, Serialize};

use crate::graph::Pair;
use crate::metric;
use crate::split::Pairs;

/// Test figures of the pairs with a training edge at both ends, or of the others.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct EndsFigures {
    /// Whether both ends have a training edge.
    pub seen: bool,
    /// Number of test edges.
    pub edges: usize,
    /// Number of other test pairs.
    pub others: usize,
    /// AUC among these pairs; `None` if edges or other pairs are missing.
    pub auc: Option<f64>,
    /// Average precision among these pairs.
    pub ap: Option<f64>,
}

impl EndsFigures {
    /// The figures of pairs whose ends are both seen, and of the others. `scores` are those of the positives and
    /// of the negatives.
    pub(crate) fn of(pairs: &Pairs, scores: &[Vec<f64>; 2], is_seen: impl Fn(&Pair) -> bool) -> [Self; 2] {
        [true, false].map(|seen| {
            let part = |pairs: &[Pair], scores: &[f64]| -> Vec<f64> {
                pairs
                    .iter()
                    .zip(scores)
                    .filter(|(pair, _)| is_seen(pair) == seen)
                    .map(|(_, &score)| score)
                    .collect()
            };
            let (edges, others) = (part(&pairs.positives, &scores[0]), part(&pairs.negatives, &scores[1]));
            let both = !edges.is_empty() && !others.is_empty();
            EndsFigures {
                seen,
                edges: edges.len(),
                others: others.len(),
                auc: both.then(|| metric::auc(&edges, &others)),
                ap: both.then(|| metric::average_precision(&edges, &others)),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_divided_by_their_ends() {
        let pairs = Pairs { positives: vec![[0, 1], [0, 5], [2, 3]], negatives: vec![[1, 2], [5, 6]] };
        let scores = [vec![3.0, 0.5, 1.0], vec![2.0, 0.7]];
        let [seen, unseen] = EndsFigures::of(&pairs, &scores, |pair| pair.iter().all(|&node| node < 5));
        assert_eq!((seen.edges, seen.others, seen.auc), (2, 1, Some(0.5)));
        assert_eq!((unseen.edges, unseen.others, unseen.auc), (1, 1, Some(0.0)));
        let [_, none] = EndsFigures::of(&pairs, &scores, |_| true);
        assert_eq!((none.edges, none.others, none.auc, none.ap), (0, 0, None, None));
    }
}
