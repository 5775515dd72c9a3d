//! Components as input of link prediction: an embedding with its compatibility matrix, or X.
//!
//! In: components, the split, the training pairs and the pairs for evaluation. Out: for each component, the
//! input of Probe and Act. Components are learned one or a few at a time, and an embedding is released as soon
//! as its values on the evaluated pairs are recorded.

mod recorded;

use std::convert::Infallible;
use std::ops::Range;

use crate::compat::{self, AdjustedComponent, CompatParams, Compatibility, FitGoal, Fitted};
use crate::component::{Component, NodePlacement};
use crate::error::Result;
use crate::exec::Exec;
use crate::graph::{Pair, ordered};
use crate::kernel;
use crate::linalg::sgl::{Design, DesignBlock};
use crate::matrix::Matrix;
use crate::pairwise::{self, DegreeScore, Pairwise, PairwiseDesign, PairwiseSource};
use crate::spec::{ComponentKind, Subject};
use crate::split::{LinkSplit, Pairs};
use crate::training::Training;
use crate::work_folder::{ArrayDigest, StageReader, StageWriter, Stored};

pub(crate) use self::recorded::{RecordedComponent, Recording};

/// A component that scores pairs.
#[derive(Clone, Debug)]
pub enum LinkComponent {
    /// An embedding of the nodes with its compatibility matrix.
    Embedded(AdjustedComponent),
    /// The values of such a component on the pairs of an evaluation.
    Recorded(RecordedComponent),
    /// X.
    Pairwise(Pairwise),
}

impl LinkComponent {
    /// Which component.
    pub fn kind(&self) -> ComponentKind {
        match self {
            LinkComponent::Embedded(component) => component.kind,
            LinkComponent::Recorded(component) => component.kind,
            LinkComponent::Pairwise(_) => ComponentKind::X,
        }
    }

    /// Features of a pair.
    pub fn cols(&self) -> usize {
        match self {
            LinkComponent::Embedded(component) => component.z.cols(),
            LinkComponent::Recorded(component) => component.cols,
            LinkComponent::Pairwise(x) => x.width(),
        }
    }

    /// The compatibility matrix; X has none.
    pub fn compatibility(&self) -> Option<&Compatibility> {
        match self {
            LinkComponent::Embedded(component) => Some(&component.compatibility),
            LinkComponent::Recorded(component) => Some(&component.compatibility),
            LinkComponent::Pairwise(_) => None,
        }
    }

    /// One number per pair: the similarity by the component.
    pub fn similarities(&self, set: &PairSet, exec: &Exec) -> Vec<f32> {
        match self {
            LinkComponent::Embedded(component) => component.similarities(&set.pairs, exec),
            LinkComponent::Recorded(component) => component.of(set).similarities.clone(),
            LinkComponent::Pairwise(x) => x.similarities(set.columns(), exec),
        }
    }
}

/// The columns of X of fewer pairs take no time worth mentioning.
const KEPT_PAIRS: usize = 20_000;

/// The columns of X of pairs; those of many pairs are kept in the work folder under a name made from the pairs, which
/// differ from split to split.
fn pair_columns(source: &PairwiseSource<'_>, pairs: &[Pair], exec: &Exec) -> Matrix {
    if pairs.len() < KEPT_PAIRS {
        return source.columns(pairs, exec);
    }
    let name = || {
        let mut digest = ArrayDigest::default();
        digest.add("pairs", pairs.as_flattened());
        format!("columns of pairs {}", digest.finish())
    };
    let Ok(columns) = exec.kept(name, || Ok::<_, Infallible>(source.columns(pairs, exec)));
    columns
}

/// Pairs, prepared for scoring by components.
#[derive(Clone, Debug)]
pub struct PairSet {
    pairs: Vec<Pair>,
    /// The columns of X, if X is one of the components.
    columns: Option<Matrix>,
    /// The number of the set where components are recorded.
    number: Option<usize>,
}

impl PairSet {
    /// Prepares pairs of nodes of the training graph.
    pub(crate) fn new(pairs: Vec<Pair>, source: Option<&PairwiseSource<'_>>, exec: &Exec) -> Self {
        let columns = source.map(|source| pair_columns(source, &pairs, exec));
        PairSet { pairs, columns, number: None }
    }

    /// A number for each pair, the same in both directions.
    pub(crate) fn units(&self) -> Vec<u64> {
        let unit = |&pair: &Pair| {
            let [i, j] = ordered(pair);
            u64::from(i) << 32 | u64::from(j)
        };
        self.pairs.iter().map(unit).collect()
    }

    pub(crate) fn pairs(&self) -> &[Pair] {
        &self.pairs
    }

    /// Number of pairs.
    pub fn len(&self) -> usize {
        self.pairs.len()
    }

    /// Whether there are no pairs.
    pub fn is_empty(&self) -> bool {
        self.pairs.is_empty()
    }

    fn columns(&self) -> &Matrix {
        self.columns.as_ref().expect("pairs were prepared for X")
    }
}

/// Positives and negatives to be separated.
#[derive(Clone, Debug)]
pub struct Evaluated {
    pub(crate) positives: PairSet,
    pub(crate) negatives: PairSet,
}

impl Evaluated {
    /// Prepares both; `source` if X is one of the components.
    pub fn new(pairs: &Pairs, source: Option<&PairwiseSource<'_>>, exec: &Exec) -> Self {
        Evaluated {
            positives: PairSet::new(pairs.positives.clone(), source, exec),
            negatives: PairSet::new(pairs.negatives.clone(), source, exec),
        }
    }
}

/// A component with its values on the training pairs.
#[derive(Debug)]
pub struct Learned {
    /// The component.
    pub component: LinkComponent,
    /// Similarities of the pairs that place the bins of Probe.
    pub(crate) probe: Vec<f32>,
    /// Features of the training pairs of Act; `None` without Act.
    pub(crate) act: Option<DesignBlock>,
}

impl Stored for Learned {
    fn write(&self, out: &mut StageWriter<'_>) -> std::io::Result<()> {
        let recorded = matches!(self.component, LinkComponent::Recorded(_));
        out.value(&recorded)?;
        match &self.component {
            LinkComponent::Recorded(component) => component.write(out)?,
            LinkComponent::Embedded(AdjustedComponent { kind, z, zh, compatibility }) => {
                out.value(kind)?;
                z.write(out)?;
                zh.write(out)?;
                compatibility.write(out)?;
            }
            LinkComponent::Pairwise(_) => unreachable!("X is learned after the embeddings"),
        }
        out.slice(&self.probe)?;
        self.act.write(out)
    }

    fn read(input: &mut StageReader<'_>) -> Option<Self> {
        let component = if input.value()? {
            LinkComponent::Recorded(RecordedComponent::read(input)?)
        } else {
            let kind = input.value()?;
            let [z, zh] = [Matrix::read(input)?, Matrix::read(input)?];
            LinkComponent::Embedded(AdjustedComponent { kind, z, zh, compatibility: Stored::read(input)? })
        };
        Some(Learned { component, probe: input.slice()?, act: Stored::read(input)? })
    }
}

/// A score of pairs that Probe measures in addition to the components: the columns of X in one group of the
/// verdict, or degrees alone.
#[derive(Debug)]
pub struct PairScore<'a> {
    /// The subject of the score.
    pub(crate) subject: Subject,
    score: PairScoreKind<'a>,
    /// Similarities of the pairs that place the bins of Probe.
    pub(crate) probe: Vec<f32>,
}

#[derive(Debug)]
enum PairScoreKind<'a> {
    Columns(Pairwise),
    Degrees(DegreeScore<'a>),
}

impl PairScore<'_> {
    pub(crate) fn similarities(&self, set: &PairSet, exec: &Exec) -> Vec<f32> {
        match &self.score {
            PairScoreKind::Columns(x) => x.similarities(set.columns(), exec),
            PairScoreKind::Degrees(degrees) => degrees.similarities(&set.pairs, exec),
        }
    }
}

/// The learned components of link prediction.
#[derive(Debug)]
pub struct LearnedLinks<'a> {
    /// By component.
    pub components: Vec<Learned>,
    /// Degrees, and the columns of X by group if X is one of the components.
    pub parts: Vec<PairScore<'a>>,
}

/// How components learn from training pairs.
#[derive(Clone, Copy, Debug)]
pub struct LearnParams<'a> {
    /// The compatibility matrix.
    pub compat: &'a CompatParams,
    /// Whether features of a pair depend on the order of its nodes.
    pub ordered_pairs: bool,
    /// Whether the features of Act's training pairs are kept.
    pub for_act: bool,
    /// Maximum number of columns of all components together, if they are not learned all at once; it
    /// determines the precision in which features of training pairs are kept.
    pub width: Option<usize>,
}

/// Learned embeddings, and how they embed the nodes of other graphs if that was asked for.
pub(crate) type LearnedEmbeddings = (Vec<Learned>, Vec<NodePlacement>);

/// Fits the compatibility matrices, and X if there is a source for it.
pub fn learn<'a>(
    components: Vec<Component>,
    split: &'a LinkSplit,
    training: &Training,
    source: Option<&PairwiseSource<'_>>,
    params: &LearnParams<'_>,
    exec: &Exec,
) -> Result<LearnedLinks<'a>> {
    let width = columns_of(&components, source.is_some());
    let params = LearnParams { width: Some(width), ..*params };
    let (mut learned, _) = learn_embedded(components, split, training, None, &params, false, exec)?;
    let (x, parts) = learn_pairs(split, training, source, &params, exec)?;
    learned.extend(x);
    Ok(LearnedLinks { components: learned, parts })
}

/// Number of columns of all components together.
pub(crate) fn columns_of(components: &[Component], pairwise: bool) -> usize {
    components.iter().map(|component| component.embedding.cols()).sum::<usize>()
        + if pairwise { PAIRWISE_WIDTH } else { 0 }
}

/// Estimated number of features of X.
pub(crate) const PAIRWISE_WIDTH: usize = 10 * pairwise::COLUMNS.len();
/// The same in addition for a weighted graph.
pub(crate) const WEIGHTED_WIDTH: usize = 10 * pairwise::WEIGHTED.len();

/// Fits the compatibility matrices of some components. With a recording, only the values on its pairs are
/// kept. `place`: whether the components will embed the nodes of other graphs.
pub(crate) fn learn_embedded(
    components: Vec<Component>,
    split: &LinkSplit,
    training: &Training,
    recording: Option<&Recording<'_>>,
    params: &LearnParams<'_>,
    place: bool,
    exec: &Exec,
) -> Result<LearnedEmbeddings> {
    let name = match &components[..] {
        [one] => format!("compatibility of {}", one.kind.name()),
        _ => "compatibility".into(),
    };
    let width = params.width.unwrap_or_else(|| columns_of(&components, true));
    let only = recording.and_then(Recording::nodes);
    let goal = FitGoal { cross: params.for_act, place, only };
    let found = exec.stage(&name, components.len(), || {
        exec.try_map_owned(components, |component| {
            let Fitted { adjusted, seen, placement } =
                compat::fit(component, split, training, params.compat, goal, exec)?;
            let [z, zh] = seen.as_ref().map_or([&adjusted.z, &adjusted.zh], |seen| [&seen.z, &seen.zh]);
            let probe = kernel::pair_dots(zh, z, &training.probe.rows, exec);
            let act = params.for_act.then(|| {
                let crossed = seen.as_ref().and_then(|seen| seen.crossed.as_ref());
                let (zh, pairs) = (crossed.unwrap_or(zh), &training.act.rows[..]);
                DesignBlock::collect(&Hadamard { z, zh, pairs, ordered: params.ordered_pairs }, width, exec)
            });
            drop(seen);
            let component = match recording {
                None => LinkComponent::Embedded(adjusted),
                Some(sets) => LinkComponent::Recorded(RecordedComponent::new(adjusted, sets, params, exec)),
            };
            exec.step()?;
            Ok((Learned { component, probe, act }, placement))
        })
    })?;
    let (learned, placements): (Vec<_>, Vec<_>) = found.into_iter().unzip();
    Ok((learned, placements.into_iter().flatten().collect()))
}

/// Fits X, if there is a source for it, and what Probe measures on pairs in addition.
pub(crate) fn learn_pairs<'a>(
    split: &'a LinkSplit,
    training: &Training,
    source: Option<&PairwiseSource<'_>>,
    params: &LearnParams<'_>,
    exec: &Exec,
) -> Result<(Option<Learned>, Vec<PairScore<'a>>)> {
    let labels = training.act.labels();
    let sides = split.sides().map(|own| &**own);
    let degrees = DegreeScore::fit(&split.graph, sides, &training.act.pairs, &labels, exec)?;
    let probe = degrees.similarities(&training.probe.pairs, exec);
    let mut parts =
        vec![PairScore { subject: Subject::Degrees, score: PairScoreKind::Degrees(degrees), probe }];
    let Some(source) = source else { return Ok((None, parts)) };
    exec.stage("pairs", 1, || {
        let columns = pair_columns(source, &training.act.pairs, exec);
        let negatives = pair_columns(source, &training.probe.pairs[training.probe.edges..], exec);
        // Both sets begin with the same edges, whose columns are already computed.
        let probe = |x: &Pairwise| {
            let mut probe = x.similarities(&columns, exec);
            probe.truncate(training.act.edges);
            probe.extend(x.similarities(&negatives, exec));
            probe
        };
        let all: Vec<usize> = (0..source.width()).collect();
        let x = Pairwise::fit(&columns, &labels, &all, exec)?;
        let width = params.width.unwrap_or(PAIRWISE_WIDTH);
        let design = PairwiseDesign { pairwise: &x, columns: &columns };
        let act = params.for_act.then(|| DesignBlock::collect(&design, width, exec));
        for (group, own) in source.parts() {
            let x = Pairwise::fit(&columns, &labels, &own, exec)?;
            parts.push(PairScore {
                subject: Subject::PairColumns(group),
                probe: probe(&x),
                score: PairScoreKind::Columns(x),
            });
        }
        exec.step()?;
        Ok((Some(Learned { probe: probe(&x), component: LinkComponent::Pairwise(x), act }), parts))
    })
}

/// The features `½ (ẑ_i H ⊙ ẑ_j + ẑ_j H ⊙ ẑ_i)` of pairs, or only the first half as in the paper, produced
/// block by block.
struct Hadamard<'a> {
    z: &'a Matrix,
    zh: &'a Matrix,
    pairs: &'a [Pair],
    ordered: bool,
}

impl Design for Hadamard<'_> {
    fn rows(&self) -> usize {
        self.pairs.len()
    }

    fn cols(&self) -> usize {
        self.z.cols()
    }

    fn fill(&self, rows: Range<usize>, out: &mut [f32]) {
        let factors = if self.ordered { [1.0, 0.0] } else { [0.5, 0.5] };
        kernel::hadamard_features(self.zh, self.z, &self.pairs[rows], factors, out);
    }
}

/// Features of a set of pairs under several components, side by side.
pub(crate) struct PairDesign<'a> {
    pub(crate) components: &'a [&'a LinkComponent],
    pub(crate) set: &'a PairSet,
    pub(crate) ordered: bool,
}

impl Design for PairDesign<'_> {
    fn rows(&self) -> usize {
        self.set.len()
    }

    fn cols(&self) -> usize {
        self.components.iter().map(|component| component.cols()).sum()
    }

    fn fill(&self, rows: Range<usize>, out: &mut [f32]) {
        let width = self.cols();
        let mut part = Vec::new();
        let mut start = 0;
        for component in self.components {
            let own = component.cols();
            part.resize(rows.len() * own, 0.0);
            match component {
                LinkComponent::Embedded(component) => {
                    let AdjustedComponent { z, zh, .. } = component;
                    Hadamard { z, zh, pairs: &self.set.pairs, ordered: self.ordered }
                        .fill(rows.clone(), &mut part);
                }
                LinkComponent::Recorded(component) => {
                    let features = component.of(self.set).features.as_ref();
                    let features = features.expect("features are recorded for Act").as_slice();
                    part.copy_from_slice(&features[rows.start * own..rows.end * own]);
                }
                LinkComponent::Pairwise(x) => {
                    PairwiseDesign { pairwise: x, columns: self.set.columns() }.fill(rows.clone(), &mut part);
                }
            }
            for (out, part) in out.chunks_exact_mut(width).zip(part.chunks_exact(own)) {
                out[start..start + own].copy_from_slice(part);
            }
            start += own;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::component;
    use crate::params::LinkParams;
    use crate::seed::Seed;
    use crate::split;
    use crate::synth;

    /// Recorded components have the similarities and the features of those with an embedding.
    #[test]
    fn recorded_values_are_those_of_the_embedding() {
        let exec = Exec::new(2).unwrap();
        let graph = synth::named("demo", Seed(0), &exec).unwrap();
        let params = LinkParams::default();
        let split = split::links(&graph, &params.split, Seed(0), &exec).unwrap();
        let training = Training::draw(&split, &params.training(), Seed(0)).unwrap();
        let mut own = params.component.clone();
        own.kinds = vec![ComponentKind::U, ComponentKind::S];
        let built = component::build(&split.graph, &graph, &own, Seed(0), &exec).unwrap();
        let Evaluated { mut positives, mut negatives } = Evaluated::new(&split.valid, None, &exec);
        Recording::number(&mut [&mut positives, &mut negatives]);
        let recording = Recording::of(vec![&positives, &negatives]);
        let learning =
            LearnParams { compat: &params.compat, ordered_pairs: false, for_act: true, width: Some(256) };
        let learn = |recording: Option<&Recording<'_>>| {
            learn_embedded(built.clone(), &split, &training, recording, &learning, false, &exec).unwrap().0
        };
        let few = Recording::of(vec![&positives, &negatives]).compact(10 * split.graph.rows());
        assert!(few.nodes().is_some_and(|nodes| nodes.len() < split.graph.rows()));
        for (compact, recorded) in learn(Some(&few)).iter().zip(&learn(Some(&recording))) {
            assert_eq!(compact.component.cols(), recorded.component.cols());
            for set in [&positives, &negatives] {
                let [a, b] = [compact, recorded].map(|own| own.component.similarities(set, &exec));
                assert_eq!(a, b);
            }
        }
        for (recorded, resident) in learn(Some(&recording)).iter().zip(&learn(None)) {
            assert!(matches!(recorded.component, LinkComponent::Recorded(_)));
            for set in [&positives, &negatives] {
                let [a, b] = [recorded, resident].map(|own| own.component.similarities(set, &exec));
                assert_eq!(a, b);
                let [a, b] = [recorded, resident].map(|own| {
                    let components = &[&own.component][..];
                    let design = PairDesign { components, set, ordered: false };
                    let mut rows = vec![0.0; 7 * design.cols()];
                    design.fill(3..10, &mut rows);
                    rows
                });
                assert_eq!(a, b);
            }
        }
    }
}
