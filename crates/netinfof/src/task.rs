//! Tasks: the steps of a run that differ between links and nodes.
//!
//! The pipeline runs them in order and depends on the task only through this trait. A new task is a
//! new file here, with its [`TaskKind`].

mod control;
mod interactions;
mod links;
mod nodes;

pub(crate) use links::Links;
pub(crate) use nodes::Nodes;

pub use links::TestedLinks;
pub use nodes::TestedNodes;

use crate::act::ActReport;
use crate::component::{Component, ComponentParams};
use crate::csr::Csr;
use crate::error::Result;
use crate::exec::Exec;
use crate::findings::ComponentReport;
use crate::graph::{Graph, NodeId};
use crate::information::{Information, Part};
use crate::model::Model;
use crate::params::{Goal, RunParams};
use crate::plan::Plan;
use crate::probe::Probed;
use crate::seed::Seed;
use crate::spec::{Group, Subject, TaskKind};
use crate::split::TimeOrder;
use crate::work_folder::{ArrayDigest, Stored};

/// The inputs of a run, the same for every split.
pub(crate) struct Run<'a, T: Task> {
    pub(crate) graph: &'a Graph,
    /// The split supplied by the caller.
    pub(crate) given: Option<&'a T::Given>,
    pub(crate) goal: Goal,
    pub(crate) params: &'a T::Params,
    pub(crate) exec: &'a Exec,
}

/// The parameters that every task has.
pub(crate) struct CommonParams<'a> {
    pub(crate) splits: usize,
    pub(crate) seed: Seed,
    pub(crate) component: &'a ComponentParams,
    /// As a share of the target's entropy.
    pub(crate) smallest_gain: f64,
}

/// Bits about the target, and the same against degree-matched negatives.
pub(crate) struct MeasuredInformation {
    pub(crate) information: Information,
    pub(crate) beyond_degree: Option<Information>,
}

/// The steps of a run, in the order in which the pipeline calls them.
pub(crate) trait Task: Sized {
    /// The split supplied by the caller.
    type Given;
    /// The parameters of all steps.
    type Params: Clone;
    /// Training, validation and test data.
    type Split;
    /// The components learned from the training data, with the samples for their evaluation.
    type Work<'a>;
    /// What is learned by some of the components.
    type Learned: Stored;
    /// The fit of Act.
    type Fit;
    /// Test data and their scores.
    type Tested;

    const KIND: TaskKind;
    /// Name of the timed stage between components and Probe, if the task has one.
    const LEARNING_STAGE: Option<&'static str>;

    fn validate(params: &Self::Params) -> Result<()>;
    fn common(params: &Self::Params) -> CommonParams<'_>;
    fn run_params(params: &Self::Params) -> RunParams;

    /// Adds a split supplied by the caller to the identity of a run.
    fn add_given(given: &Self::Given, digest: &mut ArrayDigest);

    /// The expected memory and time.
    fn plan(run: &Run<'_, Self>) -> Plan;

    fn split(run: &Run<'_, Self>, seed: Seed) -> Result<Self::Split>;
    /// The edges from which components are computed.
    fn adjacency<'a>(run: &Run<'a, Self>, split: &'a Self::Split) -> &'a Csr;
    /// Prepares the samples. `keep`: whether the fitted model is kept.
    fn begin<'a>(
        run: &'a Run<'a, Self>,
        split: &'a Self::Split,
        keep: bool,
        seed: Seed,
    ) -> Result<Self::Work<'a>>;
    /// Learns from the training data by some of the components.
    fn learn(run: &Run<'_, Self>, work: &Self::Work<'_>, components: Vec<Component>)
    -> Result<Self::Learned>;
    /// Adds what was learned, now or by an earlier process.
    fn add(work: &mut Self::Work<'_>, learned: Self::Learned);
    /// Ends learning, after all components.
    fn finish_learning(run: &Run<'_, Self>, work: &mut Self::Work<'_>) -> Result<()>;
    fn probe(run: &Run<'_, Self>, work: &Self::Work<'_>, seed: Seed) -> Result<Probed>;
    fn information(
        run: &Run<'_, Self>,
        work: &Self::Work<'_>,
        probed: &Probed,
        seed: Seed,
    ) -> Result<MeasuredInformation>;
    fn act(run: &Run<'_, Self>, work: &Self::Work<'_>, probed: &Probed, seed: Seed) -> Result<Self::Fit>;

    /// The reported results of Act.
    fn act_report(fit: Self::Fit) -> ActReport;
    /// The fitted model, and the test data with its predictions.
    fn keep(
        run: &Run<'_, Self>,
        work: &Self::Work<'_>,
        fit: &Self::Fit,
        seed: Seed,
    ) -> Result<(Model, Self::Tested)>;
    /// The reported results of every component.
    fn component_reports(work: &Self::Work<'_>, probed: &Probed) -> Vec<(String, ComponentReport)>;
    /// How well degrees alone separate the samples, for tasks where this applies.
    fn degree_auc(work: &Self::Work<'_>) -> Option<f64>;
    /// Test samples that repeat a training sample.
    fn repeats(split: &Self::Split, twins: &[NodeId]) -> usize;
    /// How the sets lie in time, for tasks and splits where this applies.
    fn time_order(_: &Self::Split) -> Option<TimeOrder> {
        None
    }
}

/// The role of a subject in predictive information. On a graph without features, propagated degrees are
/// structure.
fn part_of(subject: Subject, featureless: bool) -> Part {
    match (subject, subject.group(featureless)) {
        (Subject::Component(kind), _) if kind.is_custom() => Part::Custom,
        (Subject::Degrees, _) | (_, Group::Structure) => Part::Structure,
        (_, Group::Propagation) if featureless => Part::Structure,
        (_, Group::Features) => Part::Features,
        (_, Group::Propagation) => Part::Propagation,
        (_, Group::Other) => Part::Other,
    }
}
