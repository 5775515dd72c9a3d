//! What a task is: the steps of a run that links and nodes do differently.
//!
//! The pipeline runs them in order and knows nothing of the task beyond this trait. A new task is a new file here,
//! with its [`TaskKind`].

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
use crate::probe::Probed;
use crate::seed::Seed;
use crate::spec::{Group, Subject, TaskKind};

/// What a run works on, the same for every split.
pub(crate) struct Run<'a, T: Task> {
    pub(crate) graph: &'a Graph,
    /// The caller's own split.
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
}

/// Bits about the target, and the same where degrees are of no help.
pub(crate) struct MeasuredInformation {
    pub(crate) information: Information,
    pub(crate) beyond_degree: Option<Information>,
}

/// The steps of a run, in the order in which the pipeline calls them.
pub(crate) trait Task: Sized {
    /// The caller's own split.
    type Given;
    /// The parameters of all steps.
    type Params: Clone;
    /// Training, validation and test data.
    type Split;
    /// What was learned from the training data, with the samples that it is judged on.
    type Work<'a>;
    /// What Act fitted.
    type Fit;
    /// Test data and their scores.
    type Tested;

    const KIND: TaskKind;
    /// The stage between components and Probe that is timed, where the task has one.
    const LEARNING_STAGE: Option<&'static str>;

    fn validate(params: &Self::Params) -> Result<()>;
    fn common(params: &Self::Params) -> CommonParams<'_>;
    fn run_params(params: &Self::Params) -> RunParams;

    fn split(run: &Run<'_, Self>, seed: Seed) -> Result<Self::Split>;
    /// The edges that components are built on.
    fn adjacency<'a>(run: &Run<'a, Self>, split: &'a Self::Split) -> &'a Csr;
    /// Learns from the training data. `keep`: whether the components are wanted after that.
    fn learn<'a>(
        run: &'a Run<'a, Self>,
        split: &'a Self::Split,
        components: Vec<Component>,
        keep: bool,
        seed: Seed,
    ) -> Result<Self::Work<'a>>;
    fn probe(run: &Run<'_, Self>, work: &Self::Work<'_>, seed: Seed) -> Result<Probed>;
    fn information(
        run: &Run<'_, Self>,
        work: &Self::Work<'_>,
        probed: &Probed,
        seed: Seed,
    ) -> Result<MeasuredInformation>;
    fn act(run: &Run<'_, Self>, work: &Self::Work<'_>, probed: &Probed, seed: Seed) -> Result<Self::Fit>;

    /// What Act reports of its fit.
    fn act_report(fit: Self::Fit) -> ActReport;
    /// The model that outlives the run, and what it made of the test data.
    fn keep(run: &Run<'_, Self>, work: &Self::Work<'_>, fit: &Self::Fit, seed: Seed)
    -> (Model, Self::Tested);
    /// What is reported of every component.
    fn component_reports(work: &Self::Work<'_>, probed: &Probed) -> Vec<(String, ComponentReport)>;
    /// How well degrees alone do, where that is a question.
    fn degree_auc(work: &Self::Work<'_>) -> Option<f64>;
    /// Test samples that a training sample repeats.
    fn repeats(split: &Self::Split, twins: &[NodeId]) -> usize;
}

/// What a subject stands for in predictive information. On a graph without features, propagated degrees are structure.
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
