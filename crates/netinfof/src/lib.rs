//! Network usable information: answers whether a GNN would work on a graph, without training one.
//!
//! An implementation of NetInfoF (Lee et al., ICLR 2024). A tour:
//!
//! 1. **A graph.** [`Graph::from_edges`], then [`Graph::with_features`] and [`Graph::with_labels`]; or a
//!    file, with the crate `netinfof-io`; or a generated graph, with [`synth`].
//! 2. **A run.** [`links`] and [`nodes`] run Probe, and also Act with [`Goal::Act`]. Parameters are
//!    [`LinkParams`] and [`NodeParams`], described with those of every stage in [`params`]; [`Exec`] holds
//!    threads, progress and cancellation.
//! 3. **The answer.** A [`Report`]: its [`verdict`](Report::verdict), the scores of the components,
//!    predictive information, the metrics of the fitted model; its parts are in [`report`]. It is written and
//!    read as JSON.
//! 4. **A model.** [`fit_links`] and [`fit_nodes`] also return a [`Model`], which can be saved, loaded and
//!    applied to pairs and nodes of its own graph or of a newer one. [`embedding`] returns the components for
//!    other models.
//! 5. **A user-supplied component.** [`Graph::with_component`] adds a matrix, such as a text embedding. It is
//!    probed, judged and used like the built-in components.
//!
//! ```
//! use netinfof::{Exec, Goal, LinkParams, Seed, links, synth};
//! let exec = Exec::new(0)?;
//! let graph = synth::named("demo", Seed(0), &exec)?;
//! let report = links(&graph, None, Goal::Act, &LinkParams::default(), &exec)?;
//! assert!(report.mean.test.get("auc").unwrap() > &0.7);
//! # Ok::<(), netinfof::Error>(())
//! ```
//!
//! A run is bitwise reproducible: the same graph, parameters and [`Seed`] give the same [`Report`] for any
//! number of threads.
//!
//! The modules follow the data flow, and dependencies go in one direction only:
//!
//! ```text
//! graph → split → component → compat → probe, information, act → findings → verdict → report, model → task → pipeline
//! ```

mod pipeline;

mod task;

pub mod plan;

pub mod report;

pub mod model;

mod verdict;

mod findings;

pub mod params;

mod act;

mod information;

mod probe;

mod link;

mod compat;

mod training;

mod pairwise;

pub mod synth;

mod neighbourhoods;

mod component;

pub mod split;

pub mod metric;

mod evidence;

mod score;

pub mod graph;

mod linalg;

mod kernel;

mod spec;

mod ordered_map;

mod distinct_pairs;

mod csr;

mod matrix;

mod exec;

mod seed;

mod memory;

mod work_folder;

mod atomic_file;

mod error;

#[cfg(test)]
mod oracle;

/// Runs the Rust examples of the README as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// Runs the Rust examples of docs/models.md as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/models.md")]
struct Models;

pub use error::{Error, Result};
pub use exec::{Exec, Progress};
pub use graph::{Csr, Features, Graph, NodeId, Pair};
pub use matrix::{Lent, Matrix};
pub use metric::Contingency;
pub use model::Model;
pub use params::{ComponentKind, ComponentParams, Goal, LinkParams, NodeParams};
pub use pipeline::{Fitted, TestedLinks, TestedNodes, embedding, fit_links, fit_nodes, links, nodes};
pub use report::Report;
pub use seed::{Draw, Seed, Stream};
pub use spec::TaskKind;
pub use split::{LinkPairs, LinkSplit, NodeSets, NodeSplit, Pairs, Protocol};
pub use work_folder::WorkFolder;

/// Single stages, for the other crates of this workspace; they may change in any version.
#[doc(hidden)]
pub mod internals {
    pub use crate::act::{KnownEdges, TestPairs, links as act_links};
    pub use crate::atomic_file::write as write_file;
    pub use crate::component::{Component, build as build_components};
    pub use crate::linalg::kmeans;
    pub use crate::link::{Evaluated, LearnParams, LearnedLinks, learn};
    pub use crate::pairwise::PairwiseSource;
    pub use crate::probe::{ProbedPairs, links as probe_links};
    pub use crate::training::Training;

    use crate::{Csr, Exec, Matrix};

    /// The product of a sparse and a dense matrix.
    pub fn spmm(matrix: &Csr, x: &Matrix, exec: &Exec) -> Matrix {
        crate::kernel::spmm(crate::kernel::Scaled::plain(matrix), x, exec)
    }
}
