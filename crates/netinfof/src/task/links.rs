//! Link prediction: the samples are pairs of nodes, the target is whether there is an edge.

use super::{CommonParams, MeasuredInformation, Run, Task, control, part_of};
use crate::act::{self, ActReport, EndsFigures, KnownEdges, LinkResult, TestPairs};
use crate::component::{self, CommunityVectors, Component, NodePlacement};
use crate::csr::{Csr, NodeId, Pair};
use crate::error::{Error, Result};
use crate::findings::{ComponentReport, LEVEL};
use crate::information::{ComponentBlocks, Information, Part, SampleTarget};
use crate::link::{
    self, Evaluated, LearnParams, Learned, LearnedEmbeddings, LearnedLinks, PairSet, Recording,
};
use crate::matrix::Matrix;
use crate::model::{LinkWork, Model};
use crate::pairwise::PairwiseSource;
use crate::params::{Goal, LinkParams, RunParams};
use crate::plan::{self, Plan};
use crate::probe::{self, Probed, ProbedPairs};
use crate::seed::Seed;
use crate::spec::{Subject, TaskKind};
use crate::split::{self, LinkPairs, LinkSplit, Negatives, Pairs, TimeOrder};
use crate::training::Training;
use crate::verdict;
use crate::work_folder::ArrayDigest;

/// Link prediction.
pub(crate) struct Links;

/// Test pairs and their scores.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TestedLinks {
    /// Edges first.
    pub pairs: Vec<Pair>,
    /// Number of edges among them.
    pub edges: usize,
    /// Log-odds.
    pub scores: Vec<f64>,
}

/// The components learned from training pairs, and the pairs for their evaluation.
pub(crate) struct Work<'a> {
    split: &'a LinkSplit,
    training: Training,
    /// The source of the columns of X, if X is one of the components.
    source: Option<PairwiseSource<'a>>,
    learned: LearnedLinks<'a>,
    /// How embeddings place the nodes of other graphs, if the model is kept.
    placements: Vec<NodePlacement>,
    keep: bool,
    /// Whether only the values of components on evaluated pairs are kept.
    record: bool,
    valid: Evaluated,
    /// As many negatives as positives, if `valid` has more.
    balanced: Option<Evaluated>,
    /// Degree-matched negatives of the validation edges, if the others are uniform.
    matched: Option<PairSet>,
    /// The pairs of Act.
    tested: Option<TestPairs>,
}

impl Work<'_> {
    /// The validation pairs of Probe, which uses as many negatives as positives.
    fn evaluated(&self) -> &Evaluated {
        self.balanced.as_ref().unwrap_or(&self.valid)
    }

    /// All pairs on which components are evaluated.
    fn sets(&self) -> Vec<&PairSet> {
        let Work { valid, balanced, matched, tested, .. } = self;
        let evaluated = [Some(valid), balanced.as_ref()].into_iter().flatten();
        let mut sets: Vec<&PairSet> =
            evaluated.flat_map(|own| [&own.positives, &own.negatives]).chain(matched).collect();
        sets.extend(tested.iter().flat_map(TestPairs::sets));
        sets
    }

    /// The pairs on which components are recorded.
    fn recording(&self, run: &Run<'_, Links>) -> Recording<'_> {
        let (all, nodes) = (Recording::of(self.sets()), run.graph.nodes());
        let large = run.exec.is_thrifty() || run.params.component.is_large(nodes);
        if large { all.compact(nodes) } else { all }
    }

    /// All pairs on which components are evaluated, in the same order.
    fn sets_mut(&mut self) -> Vec<&mut PairSet> {
        let Work { valid, balanced, matched, tested, .. } = self;
        let evaluated = [Some(valid), balanced.as_mut()].into_iter().flatten();
        let mut sets: Vec<&mut PairSet> =
            evaluated.flat_map(|own| [&mut own.positives, &mut own.negatives]).chain(matched).collect();
        sets.extend(tested.iter_mut().flat_map(TestPairs::sets_mut));
        sets
    }
}

fn learn_params<'a>(run: &Run<'a, Links>) -> LearnParams<'a> {
    let LinkParams { compat, act, component, .. } = run.params;
    let pairwise = component.kinds.iter().filter(|kind| kind.is_pairwise()).count();
    LearnParams {
        compat,
        ordered_pairs: act.directed,
        for_act: run.goal == Goal::Act,
        width: Some((component.kinds.len() - pairwise) * component.dim + pairwise * link::PAIRWISE_WIDTH),
    }
}

impl Task for Links {
    type Given = LinkPairs;
    type Params = LinkParams;
    type Split = LinkSplit;
    type Work<'a> = Work<'a>;
    type Learned = LearnedEmbeddings;
    type Fit = LinkResult;
    type Tested = TestedLinks;

    const KIND: TaskKind = TaskKind::Links;
    const LEARNING_STAGE: Option<&'static str> = Some("compatibility");

    fn validate(params: &LinkParams) -> Result<()> {
        params.validate()
    }

    fn common(params: &LinkParams) -> CommonParams<'_> {
        let &LinkParams { splits, seed, ref component, smallest_gain, .. } = params;
        CommonParams { splits, seed, component, smallest_gain }
    }

    fn run_params(params: &LinkParams) -> RunParams {
        RunParams::Links(params.clone())
    }

    fn add_given(given: &LinkPairs, digest: &mut ArrayDigest) {
        digest.add("training edges", given.train.as_flattened());
        for set in [&given.valid, &given.test] {
            digest.add("edges", set.positives.as_flattened());
            digest.add("negatives", set.negatives.as_flattened());
        }
    }

    fn plan(run: &Run<'_, Self>) -> Plan {
        plan::links(run.graph, run.given, run.goal, run.params, run.exec)
    }

    fn split(run: &Run<'_, Self>, seed: Seed) -> Result<LinkSplit> {
        let &Run { graph, given, goal, params, exec } = run;
        let split = match given {
            None => split::links(graph, &params.split, seed, exec)?,
            Some(pairs) => split::links_given(graph, pairs.clone(), &params.split, seed, exec)?,
        };
        if goal == Goal::Act {
            // Reported now instead of at the end of the run.
            act::check_hits(&params.act, &split, exec)?;
        }
        Ok(split)
    }

    fn adjacency<'a>(_: &Run<'a, Self>, split: &'a LinkSplit) -> &'a Csr {
        split.structure()
    }

    fn begin<'a>(run: &'a Run<'a, Self>, split: &'a LinkSplit, keep: bool, seed: Seed) -> Result<Work<'a>> {
        let &Run { graph, goal, params, exec, .. } = run;
        let training = Training::draw(split, &params.training(), seed)?;
        let pairwise = params.component.kinds.iter().any(|kind| kind.is_pairwise());
        let source = pairwise.then(|| {
            PairwiseSource::new(split.structure(), graph.inputs().features, &params.component, exec)
                .across(split.sides())
                .with_context(graph.context().is_some())
        });
        let own_negatives = split.negatives_per_edge > 0;
        let valid = if goal == Goal::Act || !own_negatives { &split.valid } else { &Pairs::default() };
        let valid = Evaluated::new(valid, source.as_ref(), exec);
        let balanced = own_negatives.then(|| {
            Evaluated::new(
                &split.valid.thinned(split.negatives_per_edge, usize::MAX, 1),
                source.as_ref(),
                exec,
            )
        });
        // Degrees alone separate edges from uniform pairs on many graphs: the information beyond degrees is
        // measured too.
        let known = split.known_edges(graph);
        let matched = match split.negatives {
            Negatives::Uniform => split.matched(&known, &split.valid.positives, 0, seed),
            Negatives::Degree | Negatives::Heart => None,
        };
        let matched = matched.map(|pairs| PairSet::new(pairs, source.as_ref(), exec));
        let tested = match goal {
            Goal::Probe => None,
            Goal::Act => {
                let edges = KnownEdges { all: &known, source: source.as_ref(), seed };
                Some(TestPairs::new(split, edges, &params.act, exec)?)
            }
        };
        let learned = LearnedLinks { components: Vec::new(), parts: Vec::new() };
        let placements = Vec::new();
        let mut work = Work {
            split,
            training,
            source,
            learned,
            placements,
            keep,
            record: false,
            valid,
            balanced,
            matched,
            tested,
        };
        // The features of a pair need as much memory as the row of a node; Act needs two rows of every node.
        let pairs = work.sets().iter().map(|set| set.len()).sum::<usize>();
        work.record = goal == Goal::Probe || pairs < 2 * graph.nodes();
        Recording::number(&mut work.sets_mut());
        Ok(work)
    }

    fn learn(run: &Run<'_, Self>, work: &Work<'_>, components: Vec<Component>) -> Result<LearnedEmbeddings> {
        let recording = work.record.then(|| work.recording(run));
        let Work { split, training, keep, .. } = work;
        let mut params = learn_params(run);
        let pairwise = work.source.is_some();
        let all = run.params.component.kinds.len() - usize::from(pairwise);
        if components.len() == all {
            params.width = Some(link::columns_of(&components, pairwise));
        }
        link::learn_embedded(components, split, training, recording.as_ref(), &params, *keep, run.exec)
    }

    fn add(work: &mut Work<'_>, (learned, placements): LearnedEmbeddings) {
        work.learned.components.extend(learned);
        work.placements.extend(placements);
    }

    fn finish_learning(run: &Run<'_, Self>, work: &mut Work<'_>) -> Result<()> {
        let mut params = learn_params(run);
        if let Some(found) =
            work.learned.components.iter().map(|own| own.component.cols()).reduce(|a, b| a + b)
        {
            params.width = Some(found + link::PAIRWISE_WIDTH);
        }
        let Work { split, training, source, .. } = &*work;
        let (x, parts) = link::learn_pairs(split, training, source.as_ref(), &params, run.exec)?;
        work.learned.components.extend(x);
        work.learned.parts = parts;
        Ok(())
    }

    fn probe(run: &Run<'_, Self>, work: &Work<'_>, seed: Seed) -> Result<Probed> {
        let &Run { params, exec, .. } = run;
        let LearnedLinks { components, parts } = &work.learned;
        let pairs = ProbedPairs { valid: work.evaluated(), matched: work.matched.as_ref() };
        probe::links(components, parts, &work.training, pairs, &params.probe, seed, exec)
    }

    fn information(
        run: &Run<'_, Self>,
        work: &Work<'_>,
        probed: &Probed,
        seed: Seed,
    ) -> Result<MeasuredInformation> {
        let communities =
            CommunityVectors::new(&work.split.graph, work.split.sides().map(|own| &**own), seed, run.exec)?;
        let evaluated = work.evaluated();
        let measured = |negatives: &PairSet, control: &[Learned]| {
            let sets = [&evaluated.positives, negatives];
            information(run, &work.learned, control, &communities, sets, seed)
        };
        let mut all = measured(&evaluated.negatives, &[])?;
        // Where features alone show a signal, propagation is compared with them; otherwise with this control.
        let mut control = Vec::new();
        if verdict::needs_control(&all) {
            let Work { split, training, .. } = work;
            let learning = LearnParams { for_act: false, ..learn_params(run) };
            let recording = work.recording(run);
            let own = &run.params.component;
            control = run.exec.kept(control::stage_name("shuffled 0", seed), || {
                let mut found = Vec::new();
                control::shuffled(split.structure(), run.graph, own, seed, 0, run.exec, |components| {
                    let sets = Some(&recording);
                    let learned =
                        link::learn_embedded(components, split, training, sets, &learning, false, run.exec)?;
                    found.extend(learned.0);
                    Ok(())
                })?;
                Ok::<_, Error>(found)
            })?;
            all = measured(&evaluated.negatives, &control)?;
        }
        // Needed if no built-in component's bins show a signal beyond degrees.
        let kinds = work.learned.components.iter().map(|own| own.component.kind());
        let silent = kinds.zip(&probed.scores).filter(|(kind, _)| !kind.is_custom()).all(|(_, info)| {
            let beyond = info.beyond_degree.map_or(1.0, |beyond| beyond.p_value);
            info.p_value.max(beyond) > LEVEL / probed.scores.len() as f64
        });
        let matched = work.matched.as_ref().filter(|_| silent);
        let beyond_degree = matched.map(|matched| measured(matched, &control)).transpose()?;
        Ok(MeasuredInformation { information: all, beyond_degree })
    }

    fn act(run: &Run<'_, Self>, work: &Work<'_>, _: &Probed, _: Seed) -> Result<LinkResult> {
        let Work { split, training, learned, valid, tested, .. } = work;
        let tested = tested.as_ref().expect("drawn for Act");
        let mut fit =
            act::links(&learned.components, split, training, valid, tested, &run.params.act, run.exec)?;
        fit.report.by_ends = split.seen_ends().map(|seen| EndsFigures::of(&split.test, &fit.test, seen));
        Ok(fit)
    }

    fn act_report(fit: LinkResult) -> ActReport {
        fit.report
    }

    fn keep(
        run: &Run<'_, Self>,
        work: &Work<'_>,
        fit: &LinkResult,
        seed: Seed,
    ) -> Result<(Model, TestedLinks)> {
        let Work { split, placements, learned, .. } = work;
        let kept = LinkWork { split, placements, learned: &learned.components, result: fit };
        let model = Model::of_links(run.graph, &kept, run.params, seed.0, run.exec)?;
        let pairs = [&split.test.positives[..], &split.test.negatives[..]].concat();
        Ok((model, TestedLinks { pairs, edges: split.test.positives.len(), scores: fit.test.concat() }))
    }

    fn component_reports(work: &Work<'_>, probed: &Probed) -> Vec<(String, ComponentReport)> {
        let found = work.learned.components.iter().zip(&probed.scores).map(|(learned, info)| {
            let component = &learned.component;
            let report = ComponentReport::new(info, component.cols(), component.compatibility());
            (component.kind().name().into(), report)
        });
        found.collect()
    }

    fn degree_auc(work: &Work<'_>) -> Option<f64> {
        work.matched.is_some().then(|| work.split.degree_auc())
    }

    fn repeats(split: &LinkSplit, twins: &[NodeId]) -> usize {
        split.repeats(twins)
    }

    fn time_order(split: &LinkSplit) -> Option<TimeOrder> {
        split.time_order().cloned()
    }
}

/// Predictive information of the components about edges, alone and in groups, on validation pairs.
fn information(
    run: &Run<'_, Links>,
    learned: &LearnedLinks<'_>,
    control: &[Learned],
    communities: &CommunityVectors,
    sets: [&PairSet; 2],
    seed: Seed,
) -> Result<Information> {
    let &Run { graph, exec, .. } = run;
    let LearnedLinks { components, parts } = learned;
    let featureless = graph.features().cols() == 0;
    let mut labels = vec![1; sets[0].len()];
    labels.resize(sets[0].len() + sets[1].len(), 0);
    let mut blocks = ComponentBlocks::default();
    let hinged = |similarities: [Vec<f32>; 2]| {
        let similarities = similarities.concat();
        component::hinged(Matrix::from_vec(similarities.len(), 1, similarities), exec)
    };
    for own in components {
        let kind = own.component.kind();
        let rows = hinged(sets.map(|set| own.component.similarities(set, exec)));
        if kind.is_pairwise() {
            blocks.add_of_pairs(Part::Other, kind.name(), rows);
        } else {
            blocks.add(part_of(Subject::Component(kind), featureless), kind.name(), rows);
        }
    }
    for own in control {
        let rows = hinged(sets.map(|set| own.component.similarities(set, exec)));
        blocks.add(Part::Control, format!("{} shuffled", own.component.kind().name()), rows);
    }
    let structure = components.iter().any(|own| own.component.kind().is_structural());
    let pairwise = components.iter().any(|own| own.component.kind().is_pairwise());
    // Degrees are structure, and are included if structure is.
    for own in parts.iter().filter(|own| own.subject != Subject::Degrees || structure || pairwise) {
        let rows = hinged(sets.map(|set| own.similarities(set, exec)));
        blocks.add_of_pairs(part_of(own.subject, featureless), own.subject.name(), rows);
    }
    if structure {
        let rows = communities.similarities(&sets.map(PairSet::pairs).concat(), exec);
        blocks.add(Part::Structure, "communities", component::hinged(rows, exec));
    }
    let target = SampleTarget::Classes { labels: &labels, classes: 2 };
    blocks.measure(&target, &sets.map(PairSet::units).concat(), seed, exec)
}
