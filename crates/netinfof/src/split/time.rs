//! Splits by time: training edges before validation edges before test edges.
//!
//! An edge exists from the first contact of its nodes, so a contact that repeats an edge is no new edge and is
//! evaluated nowhere. Edges of one time are never separated. The two ends of a negative have an edge by the end
//! of its period: nodes that appear later would be trivial negatives. For the same reason as many of its ends are
//! without a training edge as of a positive.

use serde::{Deserialize, Serialize};

use super::negatives::{PairSpace, random_of};
use super::{LinkPairs, LinkSplit, Pairs, SplitParams, with_negatives};
use crate::distinct_pairs::DistinctPairs;
use crate::error::{Error, Result};
use crate::exec::Exec;
use crate::graph::{Graph, NodeId, Pair, Sides, TimeUnit, ordered};
use crate::seed::{Draw, Seed, Stream};
use crate::split::Protocol;

/// How the sets of a split lie in time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TimeOrder {
    /// The column or array that holds the times.
    pub column: String,
    /// What the numbers mean; units other than dates are recognised by their range.
    pub unit: TimeUnit,
    /// First and last time of the training, the validation and the test edges.
    pub periods: [[f64; 2]; 3],
    /// The same for people.
    pub texts: [[String; 2]; 3],
    /// Numbers of training, validation and test edges.
    pub edges: [usize; 3],
    /// Contacts of the validation and of the test period that repeat an edge of an earlier period: they are no
    /// new edges and are not evaluated.
    pub repeats: [usize; 2],
    /// Validation and test edges with at least one end that has no training edge.
    pub unseen: [usize; 2],
    /// Whether the caller supplied the split.
    pub own: bool,
    /// Training edges that are later than a held-out edge, and validation edges that are later than a test edge:
    /// only in splits that the caller supplied.
    pub misplaced: usize,
}

/// The nodes that have an edge by the end of a period: all, or by side in a bipartite graph.
#[derive(Clone, Debug)]
pub(super) struct PresentNodes {
    is: Vec<bool>,
    nodes: [Vec<NodeId>; 2],
}

impl PresentNodes {
    fn new(is: Vec<bool>, sides: Option<&Sides>) -> Self {
        let mut nodes = [Vec::new(), Vec::new()];
        for (node, _) in (0..).zip(&is).filter(|(_, present)| **present) {
            nodes[sides.map_or(0, |sides| sides.of(node))].push(node);
        }
        PresentNodes { is, nodes }
    }

    pub(super) fn has(&self, node: NodeId) -> bool {
        self.is[node as usize]
    }

    /// All of them, or those of one side.
    pub(super) fn nodes(&self, side: usize) -> &[NodeId] {
        &self.nodes[side]
    }
}

/// The periods of a split.
#[derive(Clone, Debug)]
pub(super) struct Periods {
    pub(super) order: TimeOrder,
    /// The nodes with an edge by the end of the training, the validation and the test period.
    pub(super) present: [PresentNodes; 3],
}

impl Periods {
    fn new(order: TimeOrder, sets: [&[Pair]; 3], nodes: usize, sides: Option<&Sides>) -> Self {
        let mut is = vec![false; nodes];
        let present = sets.map(|set| {
            for &node in set.iter().flatten() {
                is[node as usize] = true;
            }
            PresentNodes::new(is.clone(), sides)
        });
        let mut order = order;
        let unseen =
            |set: &[Pair]| set.iter().filter(|pair| pair.iter().any(|&node| !present[0].has(node))).count();
        order.unseen = [unseen(sets[1]), unseen(sets[2])];
        Periods { order, present }
    }
}

/// The edges of one time are not separated: both borders lie between two different times, as near as possible to
/// the requested shares, and a border between two equally near ones is the later one. `None` if there are fewer
/// than three different times.
fn borders(sorted: &[f64], params: &SplitParams) -> Option<[usize; 2]> {
    let cuts: Vec<usize> = (1..sorted.len()).filter(|&at| sorted[at - 1] < sorted[at]).collect();
    let nearest = |cuts: &[usize], wanted: f64| {
        let distance = |at: usize| (cuts[at] as f64 - wanted).abs();
        let after = cuts.partition_point(|&cut| (cut as f64) < wanted).min(cuts.len() - 1);
        if after > 0 && distance(after - 1) < distance(after) { after - 1 } else { after }
    };
    let count = sorted.len() as f64;
    let (_, all_but_last) = cuts.split_last().filter(|(_, rest)| !rest.is_empty())?;
    let first = nearest(all_but_last, (count * params.train).round());
    let later = &cuts[first + 1..];
    let second = nearest(later, (count * (params.train + params.valid)).round());
    Some([cuts[first], later[second]])
}

/// Splits the edges by the time of their first contact.
pub(super) fn links(graph: &Graph, params: &SplitParams, seed: Seed, exec: &Exec) -> Result<LinkSplit> {
    let times = graph.times().expect("only graphs with times are split by time");
    if params.protocol == Protocol::Paper {
        return Err(Error::param(
            "protocol",
            "paper",
            "the clean protocol for a graph with times: the paper protocol splits at random",
        ));
    }
    let edges = graph.edges();
    let mut order: Vec<usize> = (0..edges.len()).collect();
    order.sort_by(|&a, &b| times.first()[a].total_cmp(&times.first()[b]));
    let sorted: Vec<f64> = order.iter().map(|&at| times.first()[at]).collect();
    let Some([valid_from, test_from]) = borders(&sorted, params) else {
        let mut distinct = sorted.clone();
        distinct.dedup();
        let count = distinct.len();
        return Err(Error::Unsuitable {
            stage: "split",
            why: format!(
                "the edges begin at only {count} different {} in `{}`; a split by time needs at least 3",
                if count == 1 { "time" } else { "times" },
                times.column()
            ),
        });
    };
    let bounds = [0, valid_from, test_from, edges.len()];
    let ranges = [0, 1, 2].map(|set| bounds[set]..bounds[set + 1]);
    let [mut train, mut valid, mut test] =
        ranges.clone().map(|range| order[range].iter().map(|&at| edges[at]).collect::<Vec<Pair>>());
    let periods = ranges.map(|range| [sorted[range.start], sorted[range.end - 1]]);
    let [valid_start, test_start] = [periods[1][0], periods[2][0]];
    let repeats_in = |from: f64, to: f64| {
        let later = |[first, own]: &&[f64; 2]| *own >= from && *own < to && *first < from;
        times.repeats().iter().filter(later).count()
    };
    let found = TimeOrder {
        column: times.column().into(),
        unit: times.unit(),
        periods,
        texts: periods.map(|period| period.map(|time| times.text(time))),
        edges: [train.len(), valid.len(), test.len()],
        repeats: [repeats_in(valid_start, test_start), repeats_in(test_start, f64::INFINITY)],
        unseen: [0; 2],
        own: false,
        misplaced: 0,
    };
    let sides = super::sides_of(graph, params.protocol, exec);
    let periods = Periods::new(found, [&train, &valid, &test], graph.nodes(), sides.as_deref());
    notices(&periods.order, params, exec);
    exec.check()?;
    let mut draw = seed.stream(Stream::LinkSplit, 0);
    for set in [&mut train, &mut valid, &mut test] {
        draw.shuffle(set);
    }
    let [held_valid, held_test] = [valid.len(), test.len()];
    valid.truncate((params.max_evaluated / 2).max(1));
    test.truncate(params.max_evaluated);
    if valid.len() < held_valid || test.len() < held_test {
        exec.notice(format!(
            "{} of {held_valid} validation edges and {} of {held_test} test edges are evaluated",
            valid.len(),
            test.len()
        ));
    }
    let held_out = |positives| Pairs { positives, negatives: Vec::new() };
    let split = LinkSplit {
        graph: graph
            .adjacency()
            .without(&order[valid_from..].iter().map(|&at| edges[at]).collect::<Vec<_>>()),
        train,
        valid: held_out(valid),
        test: held_out(test),
        negatives_per_edge: 0,
        choice: Vec::new(),
        protocol: params.protocol,
        negatives: params.negatives,
        within_graph: true,
        sides,
        periods: Some(Box::new(periods)),
        structure: None,
    };
    with_negatives(split, graph, seed, exec)
}

/// What users should know about a split by time.
fn notices(order: &TimeOrder, params: &SplitParams, exec: &Exec) {
    let count: usize = order.edges.iter().sum();
    let shares = order.edges.map(|own| own as f64 / count as f64);
    let wanted = [params.train, params.valid, 1.0 - params.train - params.valid];
    if shares.iter().zip(wanted).any(|(share, wanted)| (share - wanted).abs() > FAR) {
        let list = |shares: [f64; 3]| shares.map(|share| format!("{:.0} %", 100.0 * share)).join(", ");
        exec.notice(format!(
            "edges of one time stay in one set, so the shares of training, validation and test edges are {} instead of {}",
            list(shares),
            list(wanted)
        ));
    }
    let [valid, test] = order.repeats;
    if valid + test > 0 {
        exec.notice(format!(
            "repeated contacts are no new edges and are not evaluated: {valid} of the validation period and {test} of the test period"
        ));
    }
    if order.unseen[1] > 0 {
        exec.notice(format!(
            "{} of {} test edges have an end without a training edge",
            order.unseen[1], order.edges[2]
        ));
    }
}

/// A share of a set that differs from the requested one by more than this is reported.
const FAR: f64 = 0.02;

/// The times of the edges of a graph, by pair.
pub(super) struct PairTimes<'a> {
    edges: Vec<Pair>,
    times: &'a [f64],
}

impl<'a> PairTimes<'a> {
    pub(super) fn of(graph: &'a Graph) -> Option<Self> {
        Some(PairTimes { times: graph.times()?.first(), edges: graph.edges() })
    }

    /// When a pair became an edge; `None` if the graph does not contain it.
    pub(super) fn of_pair(&self, pair: Pair) -> Option<f64> {
        self.edges.binary_search(&ordered(pair)).ok().map(|at| self.times[at])
    }

    /// The earliest and the latest time of these pairs.
    pub(super) fn range(&self, pairs: &[Pair]) -> Option<[f64; 2]> {
        let mut times = pairs.iter().filter_map(|&pair| self.of_pair(pair));
        let first = times.next()?;
        Some(times.fold([first; 2], |[low, high], time| [low.min(time), high.max(time)]))
    }
}

/// Removes from a split that the caller supplied the held-out edges that repeat an edge of an earlier set, or of
/// the same set.
pub(super) fn without_repeats(mut pairs: LinkPairs, exec: &Exec) -> LinkPairs {
    let mut seen: DistinctPairs = DistinctPairs::with_capacity(pairs.train.len());
    for &pair in &pairs.train {
        seen.insert(pair);
    }
    let [valid, test] = [&mut pairs.valid.positives, &mut pairs.test.positives].map(|set| {
        let before = set.len();
        set.retain(|&pair| pair[0] == pair[1] || seen.insert(pair));
        before - set.len()
    });
    if valid + test > 0 {
        exec.notice(format!(
            "contacts that repeat an earlier edge are no new edges and are not evaluated: {valid} validation and {test} test edges left out"
        ));
    }
    pairs
}

/// The periods of a split that the caller supplied, if the graph has times.
pub(super) fn given(
    graph: &Graph,
    sets: [&[Pair]; 3],
    sides: Option<&Sides>,
    exec: &Exec,
) -> Option<Box<Periods>> {
    let (times, of) = (graph.times()?, PairTimes::of(graph)?);
    let [Some(train), Some(valid), Some(test)] = sets.map(|set| of.range(set)) else {
        exec.notice("the split has a set without a single edge of the graph, so its times are not known");
        return None;
    };
    let after = |set: &[Pair], start: f64| {
        set.iter().filter(|&&pair| of.of_pair(pair).is_some_and(|time| time > start)).count()
    };
    let misplaced = after(sets[0], valid[0].min(test[0])) + after(sets[1], test[0]);
    if misplaced > 0 {
        exec.notice(format!(
            "the split does not respect time: {misplaced} edges are later than the earliest edge of a later set; `netinfof check-split` lists them"
        ));
    }
    let periods = [train, valid, test];
    let order = TimeOrder {
        column: times.column().into(),
        unit: times.unit(),
        periods,
        texts: periods.map(|period| period.map(|time| times.text(time))),
        edges: sets.map(<[Pair]>::len),
        repeats: [0; 2],
        unseen: [0; 2],
        own: true,
        misplaced,
    };
    Some(Box::new(Periods::new(order, sets, graph.nodes(), sides)))
}

/// Negatives of one set. A node without a training edge is among the present nodes because it has an edge in
/// the set's period, so that alone would separate positives from negatives: every negative has as many ends without
/// a training edge as its positive.
pub(super) struct PeriodNegatives<'a> {
    space: PairSpace<'a>,
    /// By side; all in the first without sides.
    seen: [Vec<NodeId>; 2],
    new: [Vec<NodeId>; 2],
}

impl<'a> PeriodNegatives<'a> {
    pub(super) fn new(periods: &Periods, space: PairSpace<'a>) -> Self {
        let present = space.present.expect("edges with times have periods");
        let is_seen = |node: &NodeId| periods.present[0].has(*node);
        let parts =
            [0, 1].map(|side| present.nodes(side).iter().copied().partition::<Vec<NodeId>, _>(is_seen));
        let [first, second] = parts;
        PeriodNegatives { space, seen: [first.0, second.0], new: [first.1, second.1] }
    }

    /// The same with the ends of these edges, each as often as it occurs: degree-matched negatives. Without regard to
    /// training edges, an edge of a new node with a known one would have negatives of two new or of two known nodes.
    pub(super) fn of_edges(periods: &Periods, space: PairSpace<'a>, edges: &[Pair]) -> Self {
        let mut own = PeriodNegatives { space, seen: Default::default(), new: Default::default() };
        for &edge in edges {
            let ends = space.sides.map_or(edge, |sides| sides.oriented(edge));
            for (at, node) in ends.into_iter().enumerate() {
                let parts = if periods.present[0].has(node) { &mut own.seen } else { &mut own.new };
                parts[if space.sides.is_some() { at } else { 0 }].push(node);
            }
        }
        own.new.iter_mut().for_each(|nodes| nodes.sort_unstable());
        own
    }

    /// A pair whose ends are drawn from the nodes that are as seen as those of the positive.
    fn candidate(&self, positive: Pair, draw: &mut Draw) -> Pair {
        let ends = self.space.sides.map_or(positive, |sides| sides.oriented(positive));
        let side = |at: usize| if self.space.sides.is_some() { at } else { 0 };
        ordered([0, 1].map(|at| {
            let (seen, new) = (&self.seen[side(at)], &self.new[side(at)]);
            random_of(if new.binary_search(&ends[at]).is_ok() { new } else { seen }, draw)
        }))
    }

    /// As many negatives as wanted, one after the other for each positive; distinct from each other and from those
    /// taken as long as there are enough.
    pub(super) fn like(
        &self,
        positives: &[Pair],
        wanted: usize,
        taken: &mut DistinctPairs,
        draw: &mut Draw,
    ) -> Result<Vec<Pair>> {
        const TRIES: usize = 100;
        if self.space.free() == 0 {
            return Err(self.space.too_dense(wanted));
        }
        let one = |(_, &positive): (usize, &Pair)| {
            let mut repeated = None;
            for _ in 0..TRIES {
                let pair = self.candidate(positive, draw);
                if pair[0] == pair[1] || self.space.is_edge(pair) {
                    continue;
                }
                if taken.insert(pair) {
                    return pair;
                }
                repeated = Some(pair);
            }
            repeated.unwrap_or_else(|| self.space.non_edge(draw))
        };
        Ok((0..wanted).zip(positives.iter().cycle()).map(one).collect())
    }
}

impl LinkSplit {
    /// How the sets lie in time, if the edges have times.
    pub fn time_order(&self) -> Option<&TimeOrder> {
        self.periods.as_deref().map(|own| &own.order)
    }

    /// Whether both ends of a pair have a training edge, if the edges have times.
    pub(crate) fn seen_ends(&self) -> Option<impl Fn(&Pair) -> bool> {
        let present = &self.periods.as_deref()?.present[0];
        Some(move |pair: &Pair| pair.iter().all(|&node| present.has(node)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn borders_lie_between_different_times() {
        let params = SplitParams { train: 0.5, valid: 0.25, ..SplitParams::default() };
        let found = |times: &[f64]| borders(times, &params);
        assert_eq!(found(&[1., 2., 3., 4., 5., 6., 7., 8.]), Some([4, 6]));
        // The border at 4 lies among equal times: 3 and 6 are the next ones.
        assert_eq!(found(&[1., 2., 3., 4., 4., 4., 7., 8.]), Some([3, 6]));
        // Equally near: the edges of that time go to the earlier set.
        assert_eq!(found(&[1., 2., 3., 4., 4., 6., 7., 8.]), Some([5, 6]));
        // Every set keeps an edge.
        assert_eq!(found(&[1., 1., 1., 1., 1., 1., 2., 3.]), Some([6, 7]));
        assert_eq!(found(&[1., 2., 3., 3., 3., 3., 3., 3.]), Some([1, 2]));
        assert_eq!(found(&[1., 1., 2., 2.]), None);
        assert_eq!(found(&[1., 1., 1., 1.]), None);
    }

    /// A log of contacts: a path that grows by an edge per hour, with repeats.
    fn log() -> (Graph, Vec<Pair>, Vec<f64>) {
        let mut contacts: Vec<Pair> = (0..40).map(|at| [at, at + 1]).collect();
        let mut times: Vec<f64> = (0..40).map(f64::from).collect();
        // The first edge again in every period; an edge of the test period twice in it.
        contacts.extend([[1, 0], [0, 1], [0, 1], [39, 38]]);
        times.extend([5.0, 30.0, 39.5, 39.7]);
        // The order of the log does not matter.
        let order: Vec<usize> = (0..contacts.len()).map(|at| at * 17 % contacts.len()).collect();
        let contacts: Vec<Pair> = order.iter().map(|&at| contacts[at]).collect();
        let times: Vec<f64> = order.iter().map(|&at| times[at]).collect();
        let graph = Graph::from_edges("log", 45, &contacts).unwrap();
        (graph.with_times("t", &contacts, &times, false).unwrap(), contacts, times)
    }

    #[test]
    fn sets_follow_each_other_in_time() {
        let exec = Exec::new(2).unwrap();
        let (graph, ..) = log();
        let split = super::super::links(&graph, &SplitParams::default(), Seed(3), &exec).unwrap();
        let sorted = |set: &[Pair]| {
            let mut set = set.to_vec();
            set.sort_unstable();
            set
        };
        let edges = |range: std::ops::Range<u32>| range.map(|at| [at, at + 1]).collect::<Vec<Pair>>();
        assert_eq!(sorted(&split.train), edges(0..28));
        assert_eq!(sorted(&split.valid.positives), edges(28..32));
        assert_eq!(sorted(&split.test.positives), edges(32..40));
        assert_eq!(split.graph.nnz(), 2 * 28);
        let order = split.time_order().unwrap();
        assert_eq!(order.periods, [[0.0, 27.0], [28.0, 31.0], [32.0, 39.0]]);
        // The repeat of an edge in its own period is not counted.
        assert_eq!((order.edges, order.repeats, order.unseen), ([28, 4, 8], [1, 1], [4, 8]));
        assert_eq!((order.own, order.misplaced), (false, 0));
        // The two ends of a negative have an edge by the end of its period; nodes 41 to 44 never have one.
        let most = |pairs: &[Pair]| pairs.iter().flatten().max().copied();
        let train =
            split.training_negatives(2000, &mut Seed(0).stream(Stream::TrainingNegatives, 0)).unwrap();
        assert_eq!(most(&train), Some(28));
        assert_eq!(most(&split.choice), Some(32));
        assert!(most(&split.valid.negatives) <= Some(32) && most(&split.test.negatives) <= Some(40));
        for pair in [&split.valid.negatives, &split.test.negatives, &split.choice].into_iter().flatten() {
            assert!(!graph.adjacency().contains(pair[0], pair[1]), "{pair:?}");
        }
        // As many new ends as the positives have: 28-29 has one, the others of validation and test two.
        let new = |pairs: &[Pair]| pairs.iter().flatten().filter(|&&node| node > 28).count();
        assert_eq!((new(&split.valid.positives), new(&split.valid.negatives)), (7, 7));
        assert_eq!((new(&split.test.positives), new(&split.test.negatives)), (16, 16));
        // The same sets for every seed; other negatives.
        let other = super::super::links(&graph, &SplitParams::default(), Seed(4), &exec).unwrap();
        assert_eq!(sorted(&other.test.positives), sorted(&split.test.positives));
        assert_ne!(other.test.negatives, split.test.negatives);
        let again =
            super::super::links(&graph, &SplitParams::default(), Seed(3), &Exec::new(1).unwrap()).unwrap();
        assert_eq!((again.train, again.test), (split.train, split.test));
    }

    #[test]
    fn other_negatives_respect_time_too() {
        let exec = Exec::new(1).unwrap();
        let (graph, ..) = log();
        for negatives in [super::super::Negatives::Degree, super::super::Negatives::Heart] {
            let params = SplitParams { negatives, ..SplitParams::default() };
            let split = super::super::links(&graph, &params, Seed(1), &exec).unwrap();
            let most = |pairs: &[Pair]| pairs.iter().flatten().max().copied();
            assert!(most(&split.valid.negatives) <= Some(32), "{negatives:?}");
            assert!(most(&split.test.negatives) <= Some(40), "{negatives:?}");
        }
        let paper = SplitParams::default().protocol(Protocol::Paper);
        let refused = super::super::links(&graph, &paper, Seed(1), &exec).unwrap_err().to_string();
        assert!(refused.contains("the paper protocol splits at random"), "{refused}");
        let once = graph.clone().with_times("t", &graph.edges(), &[7.0; 40], false).unwrap();
        let refused =
            super::super::links(&once, &SplitParams::default(), Seed(1), &exec).unwrap_err().to_string();
        assert!(refused.contains("only 1 different time in `t`"), "{refused}");
    }

    #[test]
    fn without_times_the_split_is_random() {
        let exec = Exec::new(1).unwrap();
        let (graph, contacts, _) = log();
        let plain = Graph::from_edges("log", 45, &contacts).unwrap();
        let params = SplitParams::default();
        let expected = super::super::links(&plain, &params, Seed(3), &exec).unwrap();
        let found = super::super::links(&graph.without_times(), &params, Seed(3), &exec).unwrap();
        assert_eq!((expected.train, expected.test, expected.choice), (found.train, found.test, found.choice));
    }

    #[test]
    fn repeated_contacts_of_an_own_split_are_left_out() {
        let exec = Exec::new(1).unwrap();
        let (graph, ..) = log();
        let edges = |range: std::ops::Range<u32>| range.map(|at| [at, at + 1]).collect::<Vec<Pair>>();
        let held = |positives| Pairs { positives, negatives: Vec::new() };
        let own = LinkPairs {
            train: edges(0..28),
            valid: held([edges(28..32), vec![[1, 0]]].concat()),
            test: held([edges(32..40), vec![[0, 1], [29, 28], [33, 32]]].concat()),
        };
        let split =
            super::super::links_given(&graph, own.clone(), &SplitParams::default(), Seed(0), &exec).unwrap();
        assert_eq!((split.valid.positives.len(), split.test.positives.len()), (4, 8));
        let order = split.time_order().unwrap();
        assert_eq!((order.own, order.misplaced, order.unseen), (true, 0, [4, 8]));
        assert!(
            exec.notices().iter().any(|notice| notice.contains("1 validation and 3 test edges left out"))
        );
        // An edge of the test period among the training edges.
        let mut future = own;
        future.train.push([34, 35]);
        future.test.positives.retain(|&pair| pair != [34, 35]);
        let split =
            super::super::links_given(&graph, future, &SplitParams::default(), Seed(0), &exec).unwrap();
        assert_eq!(split.time_order().unwrap().misplaced, 1);
    }
}
