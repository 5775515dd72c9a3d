//! How edges are split and negatives are drawn.

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};

/// What counts as a negative. Figures of the two protocols must not be compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// Negatives are verified: distinct non-edges of the graph and of every set of the split.
    #[default]
    Clean,
    /// Negatives are unverified uniform pairs, as in the published code: on dense graphs many are true edges.
    Paper,
}

/// The kind of negatives. Figures of different kinds must not be compared.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Negatives {
    /// Uniform random pairs: most have ends of low degree that are far from each other.
    #[default]
    Uniform,
    /// Degree-matched: pairs whose ends have the degrees of the positives' ends.
    Degree,
    /// For each positive, [`HEART_EACH`] pairs that share an end with it and resemble edges (HeaRT).
    Heart,
}

/// Hard negatives per positive, as in HeaRT.
pub const HEART_EACH: usize = 500;

/// How edges are split.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SplitParams {
    /// Share of training edges (default 0.7).
    pub train: f64,
    /// Share of validation edges (default 0.1); the rest are test edges.
    pub valid: f64,
    /// What counts as a negative (default clean).
    pub protocol: Protocol,
    /// Which negatives are drawn (default uniform).
    pub negatives: Negatives,
    /// Maximum number of test edges, and of twice the validation edges (default 300 000). Other held-out edges
    /// are neither evaluated nor trained on: on large graphs a sample of them measures as well.
    #[serde(default = "usize_max")]
    pub max_evaluated: usize,
}

impl Default for SplitParams {
    fn default() -> Self {
        SplitParams {
            train: 0.7,
            valid: 0.1,
            protocol: Protocol::Clean,
            negatives: Negatives::Uniform,
            max_evaluated: 300_000,
        }
    }
}

// For parameters of earlier versions, which evaluated all held-out edges.
pub(crate) fn usize_max() -> usize {
    usize::MAX
}

impl SplitParams {
    /// Sets the protocol.
    #[must_use]
    pub fn protocol(mut self, protocol: Protocol) -> Self {
        self.protocol = protocol;
        self
    }

    pub(super) fn validate(&self) -> Result<()> {
        if !(self.train > 0.0 && self.train < 1.0) {
            return Err(Error::param("train", self.train, "a share between 0 and 1"));
        }
        if !(self.valid > 0.0 && self.train + self.valid < 1.0) {
            return Err(Error::param("valid", self.valid, "a share above 0 that leaves edges to test"));
        }
        if self.max_evaluated < 2 {
            return Err(Error::param("max_evaluated", self.max_evaluated, "at least 2 edges"));
        }
        self.check_negatives()
    }

    pub(super) fn check_negatives(&self) -> Result<()> {
        if self.protocol == Protocol::Paper && self.negatives != Negatives::Uniform {
            return Err(Error::param(
                "negatives",
                format!("{:?}", self.negatives),
                "uniform in the paper protocol",
            ));
        }
        Ok(())
    }
}
