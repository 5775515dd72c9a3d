//! Which items a user of a bipartite graph gets: the ranking by the model, or by a filter in closed form,
//! whichever has the higher recall on validation edges.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::filter::Filter;
use super::recommend::{RecommendParams, Recommended};
use super::{LinkScorer, Model, Seen};
use crate::act::LinkCalibration;
use crate::error::{Error, Result};
use crate::exec::Exec;
use crate::graph::{Csr, NodeId, Pair, Sides};
use crate::split::LinkSplit;

/// How the partners of a node are ranked.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "lowercase")]
#[non_exhaustive]
pub enum Ranking {
    /// By the log-odds of the model.
    Model,
    /// By paths of three edges, normalised by degrees, plus a share of the similarity in the leading singular
    /// vectors: GF-CF (Shen et al., CIKM 2021).
    Filter {
        /// The share.
        share: f64,
    },
    /// By a linear autoencoder: EASE (Steck, WWW 2019) on the smaller side.
    Autoencoder {
        /// The ridge penalty.
        penalty: f64,
    },
}

/// A ranking with its recall on validation edges.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RankingFigure {
    /// The ranking.
    #[serde(flatten)]
    pub ranking: Ranking,
    /// Weight of the model in the mean of its log-odds with those of the filter, among the filter's best
    /// candidates: 0 for a filter alone, 1 for the model alone.
    pub weight: f64,
    /// Recall among the first 20, mean over nodes of the first side.
    pub recall: f64,
}

impl RankingFigure {
    /// Name for people.
    pub fn name(&self) -> String {
        let filter = match self.ranking {
            Ranking::Model => return "the model".into(),
            Ranking::Filter { share } => format!("a low-pass filter (share {share})"),
            Ranking::Autoencoder { penalty } => format!("a linear autoencoder (penalty {penalty})"),
        };
        if self.weight > 0.0 { format!("{filter} and the model (weight {})", self.weight) } else { filter }
    }
}

/// The ranking that was chosen on validation edges.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RankingChoice {
    /// The ranking.
    pub chosen: RankingFigure,
    /// All that were compared, best first.
    pub compared: Vec<RankingFigure>,
    /// Number of nodes of the first side that they were compared on.
    pub nodes: usize,
    /// From the logarithm of a filter's score to log-odds of the model: slope and shift.
    pub(super) log_odds: [f64; 2],
}

/// Quality of a ranking on held-out edges.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct RankingMetrics {
    /// Length of the lists.
    pub k: usize,
    /// Nodes of the first side with held-out edges.
    pub nodes: usize,
    /// Their held-out edges.
    pub edges: usize,
    /// Share of a node's held-out partners that are in its list, mean over nodes.
    pub recall: f64,
    /// Normalised discounted cumulative gain of the list, mean over nodes.
    pub ndcg: f64,
    /// Share of the nodes with at least one held-out partner in the list.
    pub hit_rate: f64,
}

/// Length of the lists by which rankings are chosen.
const LENGTH: usize = 20;
/// Maximum number of nodes that rankings are compared on.
const COMPARED: usize = 1000;
/// Candidates per node that are scored by the model for the comparison.
const POOL: usize = 500;
/// Weights of the model beside a filter to try.
const WEIGHTS: [f64; 3] = [0.25, 0.5, 0.75];
/// Candidates per node of a filter that the model scores too: at least as many, and ten times the length of the
/// list.
const CANDIDATES: usize = 200;
/// Other partners per node whose scores a filter is calibrated on.
const OTHERS: usize = 200;
/// Filter scores below this are equal.
const FLOOR: f32 = 1e-6;

impl RankingChoice {
    /// The log-odds of the model for a score of the filter.
    pub(super) fn log_odds(&self, score: f32) -> f64 {
        self.log_odds[0] * f64::from(score.max(FLOOR)).ln() + self.log_odds[1]
    }

    /// Whether the values are valid; those from a file may not be.
    pub(super) fn is_sound(&self) -> bool {
        let penalty = match self.chosen.ranking {
            Ranking::Model => 1.0,
            Ranking::Filter { share } => 1.0 + share,
            Ranking::Autoencoder { penalty } => penalty,
        };
        penalty > 0.0
            && penalty.is_finite()
            && (0.0..=1.0).contains(&self.chosen.weight)
            && self.log_odds[0] > 0.0
            && self.log_odds.iter().all(|v| v.is_finite())
    }

    /// Compares the rankings on the validation edges of the split that the model was fitted on.
    pub(super) fn of(model: &Model, split: &LinkSplit, exec: &Exec) -> Result<Option<Self>> {
        // Filters would rank a node of a directed graph as its own partner: the model ranks alone.
        let Some(sides) = split.sides().filter(|sides| !sides.are_roles()) else { return Ok(None) };
        let mut held_out = HeldOut::new(&split.valid.positives, sides);
        held_out.thin(COMPARED);
        let mut scorer = model.links(Seen::Training, None, exec)?;
        // Edges of validation and test are no known edges here.
        let excluded = Some(Arc::new(split.graph.clone()));
        let params = RecommendParams { pool: Some(POOL), excluded, ..RecommendParams::new(LENGTH) };
        let by_model = scorer.ranked(&held_out, &params, exec)?.recall;
        let mut compared = vec![RankingFigure { ranking: Ranking::Model, weight: 1.0, recall: by_model }];
        let mut vectors = None;
        for ranking in Filter::rankings(sides) {
            let filter = Filter::sharing(ranking, &split.graph, sides, &mut vectors, exec)?;
            let found =
                held_out.measured(LENGTH, exec, |nodes| filter.best(nodes, &split.graph, LENGTH, exec));
            compared.push(RankingFigure { ranking, weight: 0.0, recall: found?.recall });
        }
        // Of equal recall, the first.
        let better = |a: RankingFigure, b: &RankingFigure| if b.recall > a.recall { *b } else { a };
        let best = compared[2..].iter().fold(compared[1], better);
        let filter = Filter::sharing(best.ranking, &split.graph, sides, &mut vectors, exec)?;
        let scores = held_out.scores(&filter, sides, &split.graph, exec);
        let [positives, negatives] = scores
            .map(|own| own.into_iter().map(|score| f64::from(score.max(FLOOR)).ln()).collect::<Vec<_>>());
        let own = LinkCalibration::fit(&positives, &negatives).fits[0];
        let models = scorer.calibration.fits[0];
        // A model without information has no scale of its own.
        let slope = models.slope.max(1e-3);
        let log_odds = [own.slope.max(1e-6) / slope, (own.shift - models.shift) / slope];
        let nodes = held_out.nodes.len();
        let mut choice = RankingChoice { chosen: best, compared: Vec::new(), nodes, log_odds };
        scorer.filter = Some((filter, choice.clone()));
        for weight in WEIGHTS {
            let mixed = RankingFigure { weight, ..best };
            if let Some((_, choice)) = &mut scorer.filter {
                choice.chosen = mixed;
            }
            let recall = scorer.ranked(&held_out, &params, exec)?.recall;
            compared.push(RankingFigure { recall, ..mixed });
        }
        // Stable: of equal recall, the first.
        compared.sort_by(|a, b| b.recall.total_cmp(&a.recall));
        choice.chosen = compared[0];
        choice.compared = compared;
        Ok(Some(choice))
    }
}

/// Held-out edges by node of the first side.
struct HeldOut {
    nodes: Vec<NodeId>,
    partners: Vec<Vec<NodeId>>,
}

impl HeldOut {
    fn new(edges: &[Pair], sides: &Sides) -> Self {
        let mut sorted: Vec<Pair> = edges.iter().map(|&pair| sides.oriented(pair)).collect();
        sorted.sort_unstable();
        sorted.dedup();
        let groups = || sorted.chunk_by(|a, b| a[0] == b[0]);
        HeldOut {
            nodes: groups().map(|own| own[0][0]).collect(),
            partners: groups().map(|own| own.iter().map(|pair| pair[1]).collect()).collect(),
        }
    }

    /// Keeps at most this many nodes, evenly spaced.
    fn thin(&mut self, most: usize) {
        let count = self.nodes.len();
        if count > most {
            let kept = |at: usize| at * count / most;
            self.nodes = (0..most).map(|at| self.nodes[kept(at)]).collect();
            self.partners = (0..most).map(|at| std::mem::take(&mut self.partners[kept(at)])).collect();
        }
    }

    /// The metrics of lists, which `lists` returns for some nodes.
    fn measured(
        &self,
        k: usize,
        exec: &Exec,
        mut lists: impl FnMut(&[NodeId]) -> Result<Vec<Vec<NodeId>>>,
    ) -> Result<RankingMetrics> {
        const PART: usize = 512;
        let discount = |rank: usize| 1.0 / ((rank + 2) as f64).log2();
        let (mut recall, mut ndcg, mut hit) = (0.0, 0.0, 0.0);
        for (nodes, partners) in self.nodes.chunks(PART).zip(self.partners.chunks(PART)) {
            exec.check()?;
            for (list, partners) in lists(nodes)?.iter().zip(partners) {
                let found: Vec<usize> = (0..list.len().min(k))
                    .filter(|&rank| partners.binary_search(&list[rank]).is_ok())
                    .collect();
                let best: f64 = (0..partners.len().min(k)).map(discount).sum();
                recall += found.len() as f64 / partners.len() as f64;
                ndcg += found.iter().map(|&rank| discount(rank)).sum::<f64>() / best;
                hit += f64::from(u8::from(!found.is_empty()));
            }
        }
        let count = self.nodes.len().max(1) as f64;
        Ok(RankingMetrics {
            k,
            nodes: self.nodes.len(),
            edges: self.partners.iter().map(Vec::len).sum(),
            recall: recall / count,
            ndcg: ndcg / count,
            hit_rate: hit / count,
        })
    }

    /// Scores of a filter for held-out edges, and for other pairs of the same nodes.
    fn scores(&self, filter: &Filter, sides: &Sides, known: &Csr, exec: &Exec) -> [Vec<f32>; 2] {
        let items = sides.nodes(1);
        let (mut positives, mut negatives) = (Vec::new(), Vec::new());
        let step = items.len().div_ceil(OTHERS).max(1);
        // A row holds a score for every item, so only as many as have few million scores are in memory at once.
        let part = (4_000_000 / items.len().max(1)).clamp(32, 1024);
        for (nodes, partners) in self.nodes.chunks(part).zip(self.partners.chunks(part)) {
            let rows = filter.rows(nodes, exec);
            for ((&node, own), row) in nodes.iter().zip(partners).zip(&rows) {
                let place = |item| items.binary_search(item).expect("on the other side");
                positives.extend(own.iter().map(|item| row[place(item)]));
                let spread = items.iter().zip(row).skip(node as usize % step).step_by(step);
                let other = spread
                    .filter(|(item, _)| !known.contains(node, **item) && own.binary_search(item).is_err());
                negatives.extend(other.map(|(_, &score)| score));
            }
        }
        [positives, negatives]
    }
}

impl LinkScorer {
    /// Ranks the partners of every node of the first side that has held-out edges, and compares the lists with
    /// these edges. Known edges are left out of the lists, except held-out ones. An error if the model sees
    /// held-out edges.
    pub fn evaluate(&self, held_out: &[Pair], k: usize, exec: &Exec) -> Result<RankingMetrics> {
        let mut params = RecommendParams::new(k);
        params.validate()?;
        let (Some(sides), Some(visible)) = (self.graph.shared_sides().cloned(), self.visible.clone()) else {
            let why = "rankings are evaluated on bipartite graphs".into();
            return Err(Error::Unsuitable { stage: "evaluate", why });
        };
        if let Some([i, j]) = sides.inside(held_out) {
            let [i, j] = [i, j].map(|node| self.graph.node_name(node as usize));
            return Err(Error::param("evaluate", format!("({i}, {j})"), "pairs that join the two sides"));
        }
        let seen = held_out.iter().filter(|pair| visible.contains(pair[0], pair[1])).count();
        if seen > 0 {
            return Err(Error::Unsuitable {
                stage: "evaluate",
                why: format!(
                    "{seen} of {} held-out edges are edges that the model sees, so it would be evaluated on its own input",
                    held_out.len()
                ),
            });
        }
        let mut own: Vec<Pair> = held_out.iter().map(|&pair| crate::graph::ordered(pair)).collect();
        own.sort_unstable();
        own.dedup();
        own.retain(|pair| self.graph.adjacency().contains(pair[0], pair[1]));
        params.excluded = Some(Arc::new(self.graph.adjacency().without(&own)));
        self.ranked(&HeldOut::new(held_out, &sides), &params, exec)
    }

    /// The metrics of this scorer's own lists.
    fn ranked(&self, held_out: &HeldOut, params: &RecommendParams, exec: &Exec) -> Result<RankingMetrics> {
        held_out.measured(params.k, exec, |nodes| {
            let mut lists: Vec<Vec<NodeId>> = vec![Vec::new(); nodes.len()];
            self.recommend(Some(nodes), params, exec, |found: &[Recommended]| {
                for own in found {
                    let at = nodes.binary_search(&own.node).expect("nodes are ascending");
                    lists[at].push(own.other);
                }
                Ok(())
            })?;
            Ok(lists)
        })
    }

    /// The best partners of these nodes by the filter that was chosen, if one was: alone, or together with the
    /// model among its best candidates.
    pub(super) fn by_filter(
        &self,
        nodes: &[NodeId],
        params: &RecommendParams,
        exec: &Exec,
    ) -> Option<Result<Vec<Recommended>>> {
        let (filter, choice) = self.filter.as_ref()?;
        Some(self.filtered(filter, choice, nodes, params, exec))
    }

    fn filtered(
        &self,
        filter: &Filter,
        choice: &RankingChoice,
        nodes: &[NodeId],
        params: &RecommendParams,
        exec: &Exec,
    ) -> Result<Vec<Recommended>> {
        let known = params.excluded.as_deref().unwrap_or_else(|| self.graph.adjacency());
        let weight = choice.chosen.weight;
        let count = if weight > 0.0 { CANDIDATES.max(params.k.saturating_mul(10)) } else { params.k };
        let rows = filter.best_scored(nodes, known, count, exec)?;
        let list = |(&node, row): (&NodeId, Vec<(NodeId, f32)>)| {
            let scored = |(other, score)| Recommended { node, other, score: choice.log_odds(score) };
            row.into_iter().map(scored).collect::<Vec<_>>()
        };
        let mut lists: Vec<Vec<Recommended>> = nodes.iter().zip(rows).map(list).collect();
        // A filter has only edges to go by.
        for (list, &node) in lists.iter_mut().zip(nodes).filter(|(_, node)| !filter.reaches(**node)) {
            let partners = filter.partners(node).iter().filter(|&&other| !known.contains(node, other));
            let pairs: Vec<Pair> = partners.map(|&other| [node, other]).collect();
            *list = self.best_of(&pairs, count, exec)?;
        }
        if weight > 0.0 {
            let pairs: Vec<Pair> = lists.iter().flatten().map(|own| [own.node, own.other]).collect();
            let mut by_model = self.scores(&pairs, exec)?.into_iter();
            for list in &mut lists {
                for (own, score) in list.iter_mut().zip(by_model.by_ref()) {
                    own.score += weight * (score - own.score);
                }
                list.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.other.cmp(&b.other)));
                list.truncate(params.k);
            }
        }
        Ok(lists.concat())
    }
}

/// The filter of a model on the edges that it sees, if its ranking is one.
pub(super) fn filter_of(
    choice: Option<&RankingChoice>,
    visible: &Csr,
    sides: Option<&Arc<Sides>>,
    exec: &Exec,
) -> Result<Option<(Filter, RankingChoice)>> {
    match choice.zip(sides) {
        Some((choice, sides)) if choice.chosen.ranking != Ranking::Model => {
            Ok(Some((Filter::new(choice.chosen.ranking, visible, sides, exec)?, choice.clone())))
        }
        _ => Ok(None),
    }
}
