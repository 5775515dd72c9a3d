//! The feature rows of a regression in memory.

use std::ops::Range;

use crate::exec::Exec;
use crate::kernel;
use crate::work_folder::{StageReader, StageWriter, Stored};

/// Rows of features that are produced block by block, so that not all of them need to be in memory.
pub(crate) trait Design: Sync {
    /// Number of rows.
    fn rows(&self) -> usize;
    /// Number of columns.
    fn cols(&self) -> usize;
    /// Writes these rows, one after the other.
    fn fill(&self, rows: Range<usize>, out: &mut [f32]);
}

/// Rows that are unpacked at once; small enough for the cache.
const BLOCK: usize = 64;
/// Rows per task. Fixed, because sums are taken task by task.
pub(super) const TASK: usize = 1024;
/// Designs up to this size are kept in single precision; larger ones are packed into half the space.
const UNPACKED_BYTES: usize = 128 << 20;

/// Some columns of all rows, in memory. A regression uses one or more of these, so that columns can be
/// computed one component at a time and regressions over some of the components need no copies.
#[derive(Clone, Debug)]
pub(crate) struct DesignBlock {
    width: usize,
    data: DesignData,
}

#[derive(Clone, Debug)]
enum DesignData {
    /// In single precision.
    Plain(Vec<f32>),
    /// As 16-bit shares of the largest entry of their column. The rounding error, 1/65536 of that entry, is
    /// far below the sampling error of the pairs, and passes over the data are bound by memory.
    Packed { shares: Vec<i16>, unit: Vec<f32> },
}

impl Stored for DesignBlock {
    fn write(&self, out: &mut StageWriter<'_>) -> std::io::Result<()> {
        out.value(&(self.width, matches!(self.data, DesignData::Plain(_))))?;
        match &self.data {
            DesignData::Plain(rows) => out.slice(rows),
            DesignData::Packed { shares, unit } => {
                out.slice(shares)?;
                out.slice(unit)
            }
        }
    }

    fn read(input: &mut StageReader<'_>) -> Option<Self> {
        let (width, plain) = input.value()?;
        let data = if plain {
            DesignData::Plain(input.slice()?)
        } else {
            DesignData::Packed { shares: input.slice()?, unit: input.slice()? }
        };
        Some(DesignBlock { width, data })
    }
}

impl DesignBlock {
    /// Stores a design in memory; `width` is that of the whole regression, which determines the precision.
    pub(crate) fn collect(design: &dyn Design, width: usize, exec: &Exec) -> Self {
        let (n, p) = (design.rows(), design.cols());
        if n * width * 4 <= UNPACKED_BYTES {
            let mut rows = vec![0.0; n * p];
            exec.fill_rows(&mut rows, p, BLOCK, |first, out| design.fill(first..first + out.len() / p, out));
            return DesignBlock { width: p, data: DesignData::Plain(rows) };
        }
        let in_blocks = |range: Range<usize>, work: &mut dyn FnMut(usize, &[f32])| {
            let mut block = vec![0.0; BLOCK * p];
            for first in range.clone().step_by(BLOCK) {
                let count = BLOCK.min(range.end - first);
                let block = &mut block[..count * p];
                design.fill(first..first + count, block);
                work(first, block);
            }
        };
        let partials = exec.map_blocks(n, TASK, |range| {
            let mut largest = vec![0.0f32; p];
            in_blocks(range, &mut |_, block| kernel::raise_to_magnitudes(block, &mut largest));
            largest
        });
        let mut unit = vec![0.0f32; p];
        for partial in &partials {
            for (unit, v) in unit.iter_mut().zip(partial) {
                *unit = unit.max(v / 32767.0);
            }
        }
        let inverse: Vec<f32> = unit.iter().map(|&u| if u > 0.0 { 1.0 / u } else { 0.0 }).collect();
        let mut shares = vec![0i16; n * p];
        exec.fill_rows(&mut shares, p, TASK, |first, out| {
            in_blocks(first..first + out.len() / p, &mut |at, block| {
                let out = &mut out[(at - first) * p..][..block.len()];
                kernel::round_to_shares(block, &inverse, out);
            });
        });
        DesignBlock { width: p, data: DesignData::Packed { shares, unit } }
    }

    fn rows(&self) -> usize {
        let entries = match &self.data {
            DesignData::Plain(rows) => rows.len(),
            DesignData::Packed { shares, .. } => shares.len(),
        };
        entries / self.width.max(1)
    }

    /// Adds the dot product of every row of the range with each of the weights.
    fn add_dots(&self, range: Range<usize>, weights: &[Vec<f64>], first: usize, totals: &mut [f32]) {
        let p = self.width;
        let weights: Vec<Vec<f32>> = weights
            .iter()
            .map(|weights| {
                let own = weights[first..first + p].iter();
                match &self.data {
                    DesignData::Plain(_) => own.map(|&w| w as f32).collect(),
                    DesignData::Packed { unit, .. } => {
                        own.zip(unit).map(|(&w, &u)| (w * f64::from(u)) as f32).collect()
                    }
                }
            })
            .collect();
        let at = range.start * p..range.end * p;
        match &self.data {
            DesignData::Plain(rows) => kernel::add_row_dots(&rows[at], &weights, totals),
            DesignData::Packed { shares, .. } => kernel::add_row_dots(&shares[at], &weights, totals),
        }
    }

    /// The sums of the rows of the range, each weighted by one number per output.
    fn sums(&self, range: Range<usize>, outputs: usize, weights: &[f64]) -> Vec<Vec<f32>> {
        let p = self.width;
        let at = range.start * p..range.end * p;
        match &self.data {
            DesignData::Plain(rows) => kernel::weighted_row_sums(&rows[at], p, weights, outputs),
            DesignData::Packed { shares, unit } => {
                let mut sums = kernel::weighted_row_sums(&shares[at], p, weights, outputs);
                for sum in &mut sums {
                    sum.iter_mut().zip(unit).for_each(|(sum, unit)| *sum *= unit);
                }
                sums
            }
        }
    }

    fn copy_row(&self, row: usize, out: &mut [f32]) {
        let at = row * self.width..(row + 1) * self.width;
        match &self.data {
            DesignData::Plain(rows) => out.copy_from_slice(&rows[at]),
            DesignData::Packed { shares, unit } => {
                for ((out, &share), unit) in out.iter_mut().zip(&shares[at]).zip(unit) {
                    *out = f32::from(share) * unit;
                }
            }
        }
    }
}

/// The rows of a regression: blocks side by side.
pub(super) struct DesignRows<'a> {
    blocks: Vec<&'a DesignBlock>,
}

impl<'a> DesignRows<'a> {
    pub(super) fn new(blocks: Vec<&'a DesignBlock>) -> Self {
        assert!(blocks.windows(2).all(|two| two[0].rows() == two[1].rows()), "blocks of the same rows");
        DesignRows { blocks }
    }

    pub(super) fn len(&self) -> usize {
        self.blocks.first().map_or(0, |block| block.rows())
    }

    pub(super) fn cols(&self) -> usize {
        self.blocks.iter().map(|block| block.width).sum()
    }

    /// Every block with its first column.
    fn placed(&self) -> impl Iterator<Item = (usize, &'a DesignBlock)> {
        self.blocks.iter().scan(0, |next, block| {
            let first = *next;
            *next += block.width;
            Some((first, *block))
        })
    }

    /// The dot product of every row of the range with each of the weights, row after row.
    pub(super) fn dots(&self, range: Range<usize>, weights: &[Vec<f64>]) -> Vec<f32> {
        let mut totals = vec![0.0; range.len() * weights.len()];
        for (first, block) in self.placed() {
            block.add_dots(range.clone(), weights, first, &mut totals);
        }
        totals
    }

    /// The sums of the rows of the range, each weighted by one number per output.
    pub(super) fn sums(&self, range: Range<usize>, outputs: usize, weights: &[f64]) -> Vec<Vec<f32>> {
        let mut all = vec![Vec::with_capacity(self.cols()); outputs];
        for block in &self.blocks {
            for (all, own) in all.iter_mut().zip(block.sums(range.clone(), outputs, weights)) {
                all.extend(own);
            }
        }
        all
    }

    /// Copies one row.
    pub(super) fn copy_row(&self, row: usize, out: &mut [f32]) {
        for (first, block) in self.placed() {
            block.copy_row(row, &mut out[first..first + block.width]);
        }
    }
}
