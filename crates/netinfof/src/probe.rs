//! Probe: how much usable information each component carries, without training a model (paper, algorithm 2).

use serde::{Deserialize, Serialize};

use crate::compat::AdjustedComponent;
use crate::error::{Error, Result};
use crate::exec::Exec;
use crate::score::{Contingency, bin, quantile_borders};
use crate::seed::{Seed, Stream};
use crate::split::LinkSplit;

/// Parameters of Probe.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProbeParams {
    /// Bins of the similarity, k (default 8).
    pub bins: usize,
    /// Random negatives for each training edge when the bins are placed (default 2).
    pub negatives: usize,
}

impl Default for ProbeParams {
    fn default() -> Self {
        ProbeParams { bins: 8, negatives: 2 }
    }
}

impl ProbeParams {
    pub(crate) fn validate(&self) -> Result<()> {
        if !(2..=65_536).contains(&self.bins) {
            return Err(Error::param("bins", self.bins, "2 to 65536"));
        }
        Ok(())
    }
}

/// The information of one component about the links.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct InfoScore {
    /// NetInfoF score on the validation pairs; 0.5 where positives and negatives are as many and nothing is known.
    pub score: f64,
    /// Accuracy of the same table; never below the score.
    pub accuracy: f64,
    /// The table: bins by (negative, positive).
    pub table: Contingency,
}

/// Scores every component: bins placed on training pairs, counted on validation pairs.
pub fn links(
    components: &[AdjustedComponent],
    split: &LinkSplit,
    params: &ProbeParams,
    seed: Seed,
    exec: &Exec,
) -> Result<Vec<InfoScore>> {
    params.validate()?;
    let mut training = split.train.clone();
    let negatives = params.negatives * split.train.len();
    training.extend(split.training_negatives(negatives, &mut seed.stream(Stream::ProbeNegatives, 0))?);
    let validation = split.valid.all();
    exec.stage("probe", components.len(), || {
        components
            .iter()
            .map(|component| {
                // Borders from training pairs only: validation pairs would leak the class balance.
                let borders = quantile_borders(&component.similarities(&training, exec), params.bins);
                let mut table = Contingency::new(params.bins, 2);
                for (at, similarity) in component.similarities(&validation, exec).into_iter().enumerate() {
                    table.add(bin(&borders, similarity), usize::from(at < split.valid.positives.len()));
                }
                exec.step()?;
                Ok(InfoScore { score: table.score(), accuracy: table.accuracy(), table })
            })
            .collect()
    })
}
