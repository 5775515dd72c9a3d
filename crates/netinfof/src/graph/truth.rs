//! The truth that a generator planted in a graph.

use serde::{Deserialize, Serialize};

use crate::spec::{ComponentKind, TaskKind};

/// The truth that a generator planted: the answer that Probe should find.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Truth {
    /// Name of the generator.
    pub scenario: String,
    /// The task it was made for.
    pub task: TaskKind,
    /// The components that carry information about that task, of U, R, F, P, S.
    pub informative: Vec<ComponentKind>,
    /// The seed it was made with.
    pub seed: u64,
}
