//! Division of edges into training, validation and test sets, with negatives (paper, section 5.1).
//!
//! Everything that is learned uses only the training graph. Two protocols for negatives exist and are never
//! mixed: see [`Protocol`].

pub mod check;
mod heart;
mod negatives;
mod nodes;
mod params;
mod targets;
mod time;

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use crate::distinct_pairs::DistinctPairs;
use crate::error::{Error, Result};
use crate::exec::Exec;
use crate::graph::{Context, Csr, Graph, NodeId, Pair, Sides, ordered};
use crate::metric;
use crate::seed::{Draw, Seed, Stream};

use negatives::{PairSpace, unverified};
pub use nodes::{NodeSets, NodeSplit, NodeSplitParams, nodes, nodes_given};
pub(crate) use params::usize_max;
pub use params::{HEART_EACH, Negatives, Protocol, SplitParams};
pub(crate) use targets::SplitTarget;
pub use time::TimeOrder;

/// Positives and negatives.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pairs {
    /// Edges.
    pub positives: Vec<Pair>,
    /// Pairs that should not be edges.
    pub negatives: Vec<Pair>,
}

impl Pairs {
    /// Limited numbers of positives and of negatives per positive, the latter from the hardest to the
    /// easiest.
    pub(crate) fn thinned(&self, each: usize, most: usize, kept: usize) -> Pairs {
        let count = self.positives.len().min(most);
        let kept = kept.min(each);
        // A different offset for each positive, so that all levels of difficulty are represented even if few
        // are kept.
        let of =
            |at: usize| (0..kept).map(move |k| self.negatives[at * each + (at + k * each / kept) % each]);
        Pairs { positives: self.positives[..count].to_vec(), negatives: (0..count).flat_map(of).collect() }
    }
}

/// A split supplied by the caller, as lists of pairs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LinkPairs {
    /// Training edges.
    pub train: Vec<Pair>,
    /// Validation pairs; negatives are drawn if there are none.
    pub valid: Pairs,
    /// Test pairs; negatives are drawn if there are none.
    pub test: Pairs,
}

impl LinkPairs {
    /// The edges of all sets.
    pub(crate) fn edges(&self) -> impl Iterator<Item = &Pair> {
        [&self.train, &self.valid.positives, &self.test.positives].into_iter().flatten()
    }
}

/// A split of the edges: the training graph, and the validation and test pairs.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LinkSplit {
    /// Adjacency of the training graph.
    pub graph: Csr,
    /// Its edges, smaller node first, in random order.
    pub train: Vec<Pair>,
    /// Validation pairs.
    pub valid: Pairs,
    /// Test pairs.
    pub test: Pairs,
    /// Number of own negatives per positive, one after the other; 0 if all positives share the negatives.
    pub negatives_per_edge: usize,
    /// Additional negatives for choices, so that they depend less on chance; none in the paper protocol, none
    /// of the hard kind, and none if the caller supplied validation or test negatives.
    pub choice: Vec<Pair>,
    /// How the negatives were drawn.
    pub protocol: Protocol,
    /// Which negatives were drawn.
    pub negatives: Negatives,
    /// Whether all edges of the split are known to be edges of the graph.
    within_graph: bool,
    /// The sides of a bipartite graph, which negatives join; none in the paper protocol.
    sides: Option<Arc<Sides>>,
    /// The periods of the sets, if the edges have times.
    periods: Option<Box<time::Periods>>,
    /// The edges of other relations, together with the training edges.
    structure: Option<Box<Structure>>,
}

/// Training edges together with the context of the graph.
#[derive(Clone, Debug)]
struct Structure {
    context: Arc<Context>,
    edges: Csr,
}

impl LinkSplit {
    /// The sides that every pair of the split joins, if the graph is bipartite.
    pub(crate) fn sides(&self) -> Option<&Arc<Sides>> {
        self.sides.as_ref()
    }

    /// The pairs that may be edges of this graph.
    fn space<'a>(&'a self, edges: &'a Csr) -> PairSpace<'a> {
        self.space_of(edges, 2)
    }

    /// The same among the nodes that have an edge by the end of a set's period, if the edges have times.
    fn space_of<'a>(&'a self, edges: &'a Csr, set: usize) -> PairSpace<'a> {
        let present = self.periods.as_deref().map(|periods| &periods.present[set]);
        PairSpace { edges, sides: self.sides.as_deref(), present }
    }

    /// The edges that components see: the training edges and, if the graph has context, its edges.
    pub(crate) fn structure(&self) -> &Csr {
        self.structure.as_ref().map_or(&self.graph, |own| &own.edges)
    }

    /// The same without some of the training edges. A context edge of the same nodes stays.
    pub(crate) fn structure_without(&self, taken: Vec<Pair>) -> Csr {
        let taken = match &self.structure {
            None => taken,
            Some(own) => own.context.without_own(taken),
        };
        self.structure().without(&taken)
    }

    /// The training edges over all nodes of the structure.
    pub(crate) fn padded(&self) -> Cow<'_, Csr> {
        match &self.structure {
            None => Cow::Borrowed(&self.graph),
            Some(own) => Cow::Owned(Csr::symmetric(own.edges.rows(), &self.train)),
        }
    }

    /// The adjacency of all known edges: those of the graph and of the three sets. A split may hold edges
    /// that the graph does not contain: OGB's graphs contain only the training edges.
    pub(crate) fn known_edges<'a>(&self, graph: &'a Graph) -> Cow<'a, Csr> {
        if self.within_graph {
            return Cow::Borrowed(graph.adjacency());
        }
        let sets = [&self.train, &self.valid.positives, &self.test.positives];
        graph.adjacency_with(sets.into_iter().flatten())
    }

    /// Test edges that repeat a training edge: both ends have the features of its ends, and at least one is a
    /// different node.
    pub(crate) fn repeats(&self, twins: &[NodeId]) -> usize {
        let mut shared = vec![false; twins.len()];
        for (node, &first) in (0..).zip(twins).filter(|(node, first)| node != *first) {
            shared[node as usize] = true;
            shared[first as usize] = true;
        }
        let features = |pair: &Pair| ordered(pair.map(|node| twins[node as usize]));
        let may = |pair: &&Pair| pair.iter().any(|&node| shared[node as usize]);
        let mut asked: HashMap<Pair, usize> = HashMap::new();
        self.test
            .positives
            .iter()
            .filter(may)
            .for_each(|pair| *asked.entry(features(pair)).or_default() += 1);
        // Every test edge counts once, however many training edges it repeats.
        let repeated = self.train.iter().filter(may).filter_map(|pair| asked.remove(&features(pair)));
        repeated.sum()
    }
}

/// Minimum number of edges for a useful split into three sets.
const FEWEST_EDGES: usize = 20;

/// Negatives for choices: number per test negative, and minimum and maximum in total.
const CHOICE_FACTOR: usize = 4;
const CHOICE_LEAST: usize = 20_000;
const CHOICE_MOST: usize = 400_000;

/// Splits the edges by a seeded permutation, or by time if they have times, and draws as many negatives as
/// positives for validation and test.
pub fn links(graph: &Graph, params: &SplitParams, seed: Seed, exec: &Exec) -> Result<LinkSplit> {
    params.validate()?;
    let graph = &*sided(graph, None, params.protocol, exec);
    let mut edges = graph.edges();
    if edges.len() < FEWEST_EDGES {
        return Err(Error::Unsuitable {
            stage: "split",
            why: format!(
                "the graph is too small: {} edge{}, at least {FEWEST_EDGES} are needed to train, validate and test",
                edges.len(),
                if edges.len() == 1 { "" } else { "s" }
            ),
        });
    }
    if graph.times().is_some() {
        return time::links(graph, params, seed, exec);
    }
    seed.stream(Stream::LinkSplit, 0).shuffle(&mut edges);
    let share = |ratio: f64| ((edges.len() as f64 * ratio).round() as usize).max(1);
    let valid_from = share(params.train).min(edges.len() - 2);
    let test_from = (valid_from + share(params.valid)).min(edges.len() - 1);
    exec.check()?;
    let training = graph.adjacency().without(&edges[valid_from..]);
    let [held_test, held_valid] = [edges.len() - test_from, test_from - valid_from];
    // The order is random already.
    let held_out = |mut positives: Vec<Pair>, most: usize| {
        positives.truncate(most);
        positives.shrink_to_fit();
        Pairs { positives, negatives: Vec::new() }
    };
    let test = held_out(edges.split_off(test_from), params.max_evaluated);
    let valid = held_out(edges.split_off(valid_from), params.max_evaluated / 2);
    if valid.positives.len() < held_valid || test.positives.len() < held_test {
        exec.notice(format!(
            "{} of {held_valid} validation edges and {} of {held_test} test edges are evaluated",
            valid.positives.len(),
            test.positives.len()
        ));
    }
    edges.shrink_to_fit();
    let split = LinkSplit {
        graph: training,
        train: edges,
        valid,
        test,
        negatives_per_edge: 0,
        choice: Vec::new(),
        protocol: params.protocol,
        negatives: params.negatives,
        within_graph: true,
        sides: sides_of(graph, params.protocol, exec),
        periods: None,
        structure: None,
    };
    with_negatives(split, graph, seed, exec)
}

/// A split supplied by the caller; negatives are drawn where they are missing.
pub fn links_given(
    graph: &Graph,
    pairs: LinkPairs,
    params: &SplitParams,
    seed: Seed,
    exec: &Exec,
) -> Result<LinkSplit> {
    params.check_negatives()?;
    let graph = &*sided(graph, Some(&pairs), params.protocol, exec);
    let bad = |what: String| Err(Error::InvalidSplit { what });
    let pairs = if graph.times().is_some() { time::without_repeats(pairs, exec) } else { pairs };
    let LinkPairs { train, valid, test } = pairs;
    for (name, set) in [
        ("training", &train),
        ("validation", &valid.positives),
        ("validation", &valid.negatives),
        ("test", &test.positives),
        ("test", &test.negatives),
    ] {
        if let Some([i, j]) = set.iter().find(|pair| pair.iter().any(|&v| v as usize >= graph.nodes())) {
            return bad(format!("{name} pair ({i}, {j}), but node ids must lie below {}", graph.nodes()));
        }
    }
    for (name, set) in [("training", &train), ("validation", &valid.positives), ("test", &test.positives)] {
        if set.is_empty() {
            return bad(format!("no {name} edges"));
        }
    }
    let name = |[i, j]: Pair| format!("({}, {})", graph.node_name(i as usize), graph.node_name(j as usize));
    let loops = |set: &[Pair]| set.iter().copied().filter(|pair| pair[0] == pair[1]).collect::<Vec<_>>();
    for (set, held_out) in [("validation", &valid), ("test", &test)] {
        if let Some(&pair) = loops(&held_out.positives).first() {
            return bad(format!(
                "{set} edge {} is a self loop; a held-out edge must join two different nodes; remove it",
                name(pair)
            ));
        }
        let self_negatives = loops(&held_out.negatives);
        if let [pair, ..] = self_negatives[..] {
            let count = self_negatives.len();
            exec.notice(format!(
                "{count} of {} {set} negatives {}, such as {}; edges are never self loops, so these negatives make the task easier",
                held_out.negatives.len(),
                if count == 1 { "is a self loop" } else { "are self loops" },
                name(pair)
            ));
        }
    }
    if let Some(sides) = graph.sides() {
        for (set, edges) in
            [("training", &train), ("validation", &valid.positives), ("test", &test.positives)]
        {
            if let Some(pair) = sides.inside(edges.iter().filter(|pair| pair[0] != pair[1])) {
                return bad(format!(
                    "{set} edge {} lies inside the side `{}` of a bipartite graph",
                    name(pair),
                    sides.names()[sides.of(pair[0])]
                ));
            }
        }
    }
    let mut edges: Vec<Pair> = train.iter().filter(|e| e[0] != e[1]).map(|&e| ordered(e)).collect();
    let mut seen = DistinctPairs::with_capacity(edges.len());
    edges.retain(|&edge| seen.insert(edge));
    if edges.is_empty() {
        return bad("all training edges are self loops".into());
    }
    if edges.len() < train.len() {
        exec.notice(format!(
            "self loops and duplicates dropped from the training edges: {}",
            train.len() - edges.len()
        ));
    }
    let leaked = valid.positives.iter().chain(&test.positives).filter(|&&e| seen.contains(e)).count();
    drop(seen);
    if leaked > 0 {
        return bad(format!("{leaked} validation or test edges are training edges too"));
    }
    if params.negatives != Negatives::Uniform && !(valid.negatives.is_empty() && test.negatives.is_empty()) {
        return bad("the split has negatives of its own, so none of the requested kind are drawn".into());
    }
    if let Some(context) = graph.context() {
        let held_out = [&valid.positives[..], &test.positives].concat();
        let all = held_out.len();
        let shared = all - context.without_own(held_out).len();
        if 2 * shared >= all {
            return bad(format!(
                "{shared} of {all} validation and test edges are context edges too, which would reveal them; leave that relation out of the context"
            ));
        }
    }
    let sides = sides_of(graph, params.protocol, exec);
    if let Some(sides) = &sides {
        for (set, held_out) in [("validation", &valid), ("test", &test)] {
            let bad: Vec<Pair> =
                held_out.negatives.iter().copied().filter(|&pair| !sides.across(pair)).collect();
            if let [pair, ..] = bad[..] {
                exec.notice(format!(
                    "{} of {} {set} negatives lie inside one side, such as {}; edges never do, so these negatives make the task easier",
                    bad.len(),
                    held_out.negatives.len(),
                    name(pair)
                ));
            }
        }
    }
    let periods = time::given(graph, [&edges, &valid.positives, &test.positives], sides.as_deref(), exec);
    let split = LinkSplit {
        graph: with_weights_of(graph, &edges, exec),
        train: edges,
        valid,
        test,
        negatives_per_edge: 0,
        choice: Vec::new(),
        protocol: params.protocol,
        negatives: params.negatives,
        within_graph: false,
        sides,
        periods,
        structure: None,
    };
    with_negatives(split, graph, seed, exec)
}

/// The adjacency of training edges with the weights that they have in the graph.
fn with_weights_of(graph: &Graph, edges: &[Pair], exec: &Exec) -> Csr {
    let pattern = Csr::symmetric(graph.nodes(), edges);
    let known = graph.adjacency();
    if known.values().is_some() {
        let unknown = edges.iter().filter(|[i, j]| !known.contains(*i, *j)).count();
        if unknown > 0 {
            exec.notice(format!(
                "{unknown} of {} training edges are not in the graph and have no weight: the median weight is used",
                edges.len()
            ));
        }
    }
    pattern.with_values_of(known, graph.usual_weight())
}

/// The graph with the sides that its structure shows, if nothing was stated. The paper protocol has no sides.
pub(crate) fn sided<'a>(
    graph: &'a Graph,
    own: Option<&LinkPairs>,
    protocol: Protocol,
    exec: &Exec,
) -> Cow<'a, Graph> {
    match protocol {
        Protocol::Paper => Cow::Borrowed(graph),
        Protocol::Clean => graph.with_sides_of(own.into_iter().flat_map(LinkPairs::edges), exec),
    }
}

/// The sides of a bipartite graph, if the protocol respects them.
fn sides_of(graph: &Graph, protocol: Protocol, exec: &Exec) -> Option<Arc<Sides>> {
    let sides = graph.shared_sides()?;
    if protocol == Protocol::Paper {
        exec.notice("the paper protocol ignores that the graph is bipartite: many negatives lie inside one side, which makes the task easier");
        return None;
    }
    Some(Arc::clone(sides))
}

/// Draws negatives for validation and test where there are none, and those for choices.
fn with_negatives(mut split: LinkSplit, graph: &Graph, seed: Seed, exec: &Exec) -> Result<LinkSplit> {
    if let Some(context) = graph.shared_context() {
        if graph.times().is_some() {
            graph.check_no_context("splits by time")?;
        }
        let edges = context.joined_with(&split.graph);
        split.structure = Some(Box::new(Structure { context: Arc::clone(context), edges }));
    }
    let wanted = |set: &Pairs| if set.negatives.is_empty() { set.positives.len() } else { 0 };
    let (for_valid, for_test) = (wanted(&split.valid), wanted(&split.test));
    let (protocol, negatives) = (split.protocol, split.negatives);
    let mut draw = seed.stream(Stream::EvaluationNegatives, 0);
    // A negative that is an edge in any set would penalise a model that predicts it correctly.
    let all = &*split.known_edges(graph);
    let (sides, periods) = (split.sides.clone(), split.periods.clone());
    // Without times, the two spaces are the same.
    let [space, test_space] = [1, 2].map(|set| PairSpace {
        edges: all,
        sides: sides.as_deref(),
        present: periods.as_deref().map(|periods| &periods.present[set]),
    });
    let LinkSplit { graph: training, valid, test, .. } = &mut split;
    match (protocol, negatives) {
        (Protocol::Clean, Negatives::Heart) => {
            let hard = |space, positives: [&[Pair]; 2]| {
                heart::hard(training, space, graph.features(), positives, HEART_EACH, seed, exec)
            };
            let found = if periods.is_none() {
                hard(space, [&valid.positives, &test.positives])?
            } else {
                let [of_valid, _] = hard(space, [&valid.positives, &[]])?;
                let [_, of_test] = hard(test_space, [&[], &test.positives])?;
                [of_valid, of_test]
            };
            [valid.negatives, test.negatives] = found;
            split.negatives_per_edge = HEART_EACH;
            return Ok(split);
        }
        (Protocol::Clean, Negatives::Degree) => {
            let mut seen = DistinctPairs::default();
            let periods = periods.as_deref();
            for (set, space, wanted) in [(valid, space, for_valid), (test, test_space, for_test)] {
                set.negatives = matched(periods, space, &set.positives, wanted, &mut seen, &mut draw)?;
            }
        }
        (Protocol::Clean, Negatives::Uniform) if periods.is_some() => {
            let periods = periods.as_deref().expect("there are periods");
            let mut taken = DistinctPairs::default();
            for (set, space, wanted) in [(valid, space, for_valid), (test, test_space, for_test)] {
                if wanted > 0 {
                    let of = time::PeriodNegatives::new(periods, space);
                    set.negatives = of.like(&set.positives, wanted, &mut taken, &mut draw)?;
                }
            }
        }
        (protocol, _) => {
            let mut drawn = match protocol {
                Protocol::Paper => unverified(graph.nodes(), for_valid + for_test, &mut draw),
                Protocol::Clean => space.distinct(for_valid + for_test, &mut draw)?,
            };
            if for_test > 0 {
                test.negatives = drawn.split_off(for_valid);
            }
            if for_valid > 0 {
                valid.negatives = drawn;
            }
        }
    }
    if protocol == Protocol::Clean && for_valid > 0 && for_test > 0 {
        let evaluated = || split.valid.negatives.iter().chain(&split.test.negatives);
        let free = space.free().saturating_sub(evaluated().count());
        // Those that validation or test use already are dropped again.
        let wanted = (CHOICE_FACTOR * for_test).clamp(CHOICE_LEAST, CHOICE_MOST).min(free / 2)
            + evaluated().count().min(CHOICE_MOST);
        let mut draw = seed.stream(Stream::ChoiceNegatives, 0);
        let mut choice = match negatives {
            Negatives::Degree => {
                let mut seen = DistinctPairs::default();
                matched(periods.as_deref(), space, &split.valid.positives, wanted, &mut seen, &mut draw)?
            }
            _ => match periods.as_deref() {
                None => space.distinct(wanted, &mut draw)?,
                Some(periods) => {
                    let of = time::PeriodNegatives::new(periods, space);
                    let mut taken = DistinctPairs::default();
                    let mut drawn = of.like(&split.valid.positives, wanted, &mut taken, &mut draw)?;
                    let mut distinct = DistinctPairs::default();
                    drawn.retain(|&pair| distinct.insert(pair));
                    drawn
                }
            },
        };
        // A set of the few new pairs needs less memory than one of all evaluated pairs.
        let drawn: DistinctPairs = choice.iter().collect();
        let used: DistinctPairs = evaluated().filter(|&&pair| drawn.contains(pair)).collect();
        choice.retain(|&pair| !used.contains(pair));
        choice.truncate(CHOICE_MOST);
        split.choice = choice;
    }
    Ok(split)
}

/// Degree-matched non-edges for these edges; if they have times, with as many ends without a training edge.
fn matched(
    periods: Option<&time::Periods>,
    space: PairSpace<'_>,
    edges: &[Pair],
    count: usize,
    seen: &mut DistinctPairs,
    draw: &mut Draw,
) -> Result<Vec<Pair>> {
    match periods {
        None => space.matched(edges, count, seen, draw),
        Some(periods) => {
            time::PeriodNegatives::of_edges(periods, space, edges).like(edges, count, seen, draw)
        }
    }
}

impl LinkSplit {
    /// For each of these held-out edges, one non-edge of `all` whose ends come from two of them: the
    /// frequency of a node, and the edges that the split removed from it, then do not separate negatives from
    /// edges. `None` if there are no such pairs.
    pub(crate) fn matched(&self, all: &Csr, edges: &[Pair], unit: u64, seed: Seed) -> Option<Vec<Pair>> {
        let mut draw = seed.stream(Stream::MatchedNegatives, unit);
        let periods = self.periods.as_deref();
        matched(periods, self.space(all), edges, edges.len(), &mut DistinctPairs::default(), &mut draw).ok()
    }

    /// Uniform non-edges of `all` for calibration: the negatives for choices, if those are uniform.
    pub(crate) fn calibration_pairs<'a>(&'a self, all: &Csr, seed: Seed) -> Cow<'a, [Pair]> {
        if self.negatives == Negatives::Uniform && self.choice.len() >= self.test.negatives.len() {
            return Cow::Borrowed(&self.choice);
        }
        let wanted = (CHOICE_FACTOR * self.test.positives.len()).clamp(CHOICE_LEAST, CHOICE_MOST);
        let mut draw = seed.stream(Stream::CalibrationNegatives, 0);
        let space = self.space(all);
        Cow::Owned(space.distinct(wanted.min(space.free() / 2), &mut draw).unwrap_or_default())
    }

    /// How well the degrees of the training graph alone separate validation edges from the other validation
    /// pairs. Below 0.5 if held-out edges join nodes of low training degree: on graphs with nearly equal
    /// degrees, the split itself causes this.
    pub(crate) fn degree_auc(&self) -> f64 {
        let degree = |node: u32| self.graph.row(node as usize).len() as f64;
        let score = |pair: &Pair| degree(pair[0]).ln_1p() + degree(pair[1]).ln_1p();
        let scores = |pairs: &[Pair]| pairs.iter().map(score).collect::<Vec<_>>();
        metric::auc(&scores(&self.valid.positives), &scores(&self.valid.negatives))
    }

    /// Random pairs for training. Only the training graph is used: a check against all edges would leak to
    /// the learner which pairs are not held-out edges.
    pub(crate) fn training_negatives(&self, count: usize, draw: &mut Draw) -> Result<Vec<Pair>> {
        let space = self.space_of(&self.graph, 0);
        match self.protocol {
            Protocol::Paper => Ok(unverified(self.graph.rows(), count, draw)),
            Protocol::Clean => {
                if space.free() == 0 {
                    return Err(space.too_dense(count));
                }
                if self.negatives == Negatives::Degree {
                    return Ok((0..count).map(|_| space.matched_pair(&self.train, draw)).collect());
                }
                Ok((0..count).map(|_| space.non_edge(draw)).collect())
            }
        }
    }
}

#[cfg(test)]
mod tests;
