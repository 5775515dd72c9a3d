//! Components of which only their values on evaluated pairs are kept: their embeddings would need more memory.

use super::{Hadamard, LearnParams, PairSet};
use crate::compat::{AdjustedComponent, Compatibility};
use crate::exec::Exec;
use crate::graph::{NodeId, Pair};
use crate::linalg::sgl::Design as _;
use crate::matrix::Matrix;
use crate::spec::ComponentKind;
use crate::work_folder::{StageReader, StageWriter, Stored};

/// A component of which only its values on the pairs of an evaluation are kept: its embedding would need
/// more memory.
#[derive(Clone, Debug)]
pub struct RecordedComponent {
    /// Which component.
    pub(crate) kind: ComponentKind,
    pub(crate) compatibility: Compatibility,
    pub(super) cols: usize,
    /// By the number of the set.
    values: Vec<RecordedValues>,
}

/// The values of a component on a set of pairs.
#[derive(Clone, Debug)]
pub(super) struct RecordedValues {
    pub(super) similarities: Vec<f32>,
    /// The features of every pair, if Act follows.
    pub(super) features: Option<Matrix>,
}

impl Stored for RecordedComponent {
    fn write(&self, out: &mut StageWriter<'_>) -> std::io::Result<()> {
        out.value(&(self.kind, self.cols, self.values.len()))?;
        self.compatibility.write(out)?;
        self.values.iter().try_for_each(|values| {
            out.slice(&values.similarities)?;
            values.features.write(out)
        })
    }

    fn read(input: &mut StageReader<'_>) -> Option<Self> {
        let (kind, cols, sets): (_, _, usize) = input.value()?;
        let compatibility = Compatibility::read(input)?;
        let values = (0..sets).map(|_| {
            let similarities = input.slice()?;
            Some(RecordedValues { similarities, features: Stored::read(input)? })
        });
        Some(RecordedComponent { kind, cols, values: values.collect::<Option<_>>()?, compatibility })
    }
}

impl RecordedComponent {
    pub(super) fn new(
        component: AdjustedComponent,
        recording: &Recording<'_>,
        params: &LearnParams<'_>,
        exec: &Exec,
    ) -> Self {
        // Training pairs may have needed all rows.
        let compact = recording.compact.as_ref().filter(|compact| compact.nodes.len() == component.z.rows());
        let values = |(at, set): (usize, &&PairSet)| {
            let pairs = compact.map_or(&set.pairs, |compact| &compact.pairs[at]);
            let similarities = component.similarities(pairs, exec);
            let features = params.for_act.then(|| {
                let AdjustedComponent { z, zh, .. } = &component;
                let design = Hadamard { z, zh, pairs, ordered: params.ordered_pairs };
                let width = z.cols();
                let mut rows = Matrix::zeros(set.len(), width);
                exec.fill_rows(rows.as_mut_slice(), width, 64, |first, out| {
                    design.fill(first..first + out.len() / width, out);
                });
                rows
            });
            RecordedValues { similarities, features }
        };
        let values = recording.sets.iter().enumerate().map(values).collect();
        let AdjustedComponent { kind, z, compatibility, .. } = component;
        RecordedComponent { kind, compatibility, cols: z.cols(), values }
    }

    pub(super) fn of(&self, set: &PairSet) -> &RecordedValues {
        let number = set.number.expect("only recorded pairs are evaluated");
        &self.values[number]
    }
}

/// The sets of pairs on which components are recorded.
#[derive(Debug)]
pub(crate) struct Recording<'a> {
    sets: Vec<&'a PairSet>,
    compact: Option<CompactPairs>,
}

/// Pairs in terms of the rows of their nodes alone.
#[derive(Debug)]
struct CompactPairs {
    /// The nodes, ascending.
    nodes: Vec<NodeId>,
    /// The pairs of every set, as positions in this list.
    pairs: Vec<Vec<Pair>>,
}

impl<'a> Recording<'a> {
    /// Numbers the sets; all pairs that will be evaluated must be among them.
    pub(crate) fn number(sets: &mut [&mut PairSet]) {
        for (number, set) in sets.iter_mut().enumerate() {
            set.number = Some(number);
        }
    }

    /// Of sets that were numbered in this order.
    pub(crate) fn of(sets: Vec<&'a PairSet>) -> Self {
        assert!(sets.iter().enumerate().all(|(at, set)| set.number == Some(at)), "sets are in order");
        Recording { sets, compact: None }
    }

    /// The same, so that only the rows of these pairs are held in the end, if that is less than half of all rows.
    pub(crate) fn compact(mut self, rows: usize) -> Self {
        let mut nodes: Vec<NodeId> =
            self.sets.iter().flat_map(|set| set.pairs.as_flattened()).copied().collect();
        nodes.sort_unstable();
        nodes.dedup();
        if 2 * nodes.len() < rows {
            let at = |node: NodeId| nodes.binary_search(&node).expect("it is listed") as NodeId;
            let pairs =
                self.sets.iter().map(|set| set.pairs.iter().map(|pair| pair.map(at)).collect()).collect();
            self.compact = Some(CompactPairs { nodes, pairs });
        }
        self
    }

    /// The nodes whose rows suffice, if they are not all.
    pub(super) fn nodes(&self) -> Option<&[NodeId]> {
        self.compact.as_ref().map(|compact| &compact.nodes[..])
    }
}
