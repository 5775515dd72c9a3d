//! Splits of edges that have times: edges of an earlier set that are later than those of a later set.

use super::{EXAMPLES, SplitFindings};
use crate::graph::Pair;
use crate::split::LinkPairs;
use crate::split::time::PairTimes;

/// Finds training and validation edges from the future. Edges with the time of the earliest edge of the later set
/// are no finding, because their order is unknown.
pub(super) fn edges_from_the_future(findings: &mut SplitFindings<'_>, pairs: &LinkPairs) {
    let graph = findings.graph;
    let Some((times, of)) = graph.times().zip(PairTimes::of(graph)) else { return };
    let sets: [(&str, &[Pair]); 3] =
        [("training", &pairs.train), ("validation", &pairs.valid.positives), ("test", &pairs.test.positives)];
    for (kind, earlier, later) in
        [("training-after-validation", 0, 1), ("training-after-test", 0, 2), ("validation-after-test", 1, 2)]
    {
        let [(name, set), (other, held)] = [sets[earlier], sets[later]];
        let (Some([start, _]), Some([_, end])) = (of.range(held), of.range(set)) else {
            findings.found.skipped.push("time: a set has no edge whose time is known");
            return;
        };
        let time = |pair: &Pair| of.of_pair(*pair);
        let mut bad: Vec<(f64, Pair)> = set
            .iter()
            .filter_map(|pair| time(pair).map(|time| (time, *pair)))
            .filter(|&(time, _)| time > start)
            .collect();
        bad.sort_by(|a, b| b.0.total_cmp(&a.0));
        let before = held.iter().filter(|pair| time(pair).is_some_and(|time| time < end)).count();
        let examples = bad
            .iter()
            .take(EXAMPLES)
            .map(|&(time, pair)| format!("{} at {}", findings.pair(pair), times.text(time)));
        let examples = examples.collect();
        findings.note(kind, bad.len(), examples, |n| {
            format!(
                "{n} of {} {name} edges are later than the earliest {other} edge ({}); {before} of {} {other} edges are earlier than the latest {name} edge ({})",
                set.len(),
                times.text(start),
                held.len(),
                times.text(end)
            )
        });
    }
    let unknown = sets.iter().flat_map(|(_, set)| *set).filter(|pair| of.of_pair(**pair).is_none()).count();
    if unknown > 0 {
        findings.found.skipped.push("time: edges that are not in the graph have no time");
    }
}
