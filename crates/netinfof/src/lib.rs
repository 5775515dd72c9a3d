//! Network usable information: would a GNN work on this graph, and can the answer be had without training one?
//!
//! An implementation of NetInfoF (Lee et al., ICLR 2024). The modules stand in the order the data flows through them:
//!
//! ```text
//! graph (load, synth) → split → component → compat → probe, act → metric → report, model
//! ```
//!
//! [`pipeline`] runs them in that order and is the place to start reading. A run is reproducible bit by bit: same graph,
//! parameters and [`Seed`] give the same [`Report`] for any number of threads.
//!
//! ```
//! use netinfof::{Exec, Goal, LinkParams, Seed, graph::synth, links};
//! let exec = Exec::new(0)?;
//! let graph = synth::named("demo", Seed(0), &exec)?;
//! let report = links(&graph, None, Goal::Act, &LinkParams::default(), &exec)?;
//! assert!(report.mean.test.get("auc").unwrap() > &0.7);
//! # Ok::<(), netinfof::Error>(())
//! ```

pub mod pipeline;

pub mod graph;

pub mod split;

pub mod component;

pub mod compat;

pub mod pairwise;

pub mod training;

pub mod link;

pub mod score;

pub mod evidence;

pub mod information;

pub mod probe;

pub mod verdict;

pub mod act;

pub mod model;

pub mod metric;

pub mod report;

pub mod linalg;

mod kernel;

pub mod matrix;

pub mod exec;

pub mod seed;

pub mod error;

#[cfg(test)]
mod oracle;

/// The README's Rust is compiled and run with the documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// So is that of docs/models.md.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/models.md")]
struct Models;

pub use component::{ComponentKind, ComponentParams};
pub use error::{Error, Result};
pub use exec::{Exec, Progress};
pub use graph::{Csr, Features, Graph, NodeId, Pair};
pub use matrix::Matrix;
pub use model::Model;
pub use pipeline::{Goal, LinkParams, NodeParams, embedding, fit_links, fit_nodes, links, nodes};
pub use report::Report;
pub use score::Contingency;
pub use seed::Seed;
pub use split::{LinkPairs, LinkSplit, NodeSets, NodeSplit, Pairs, Protocol};
