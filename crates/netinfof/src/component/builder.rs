//! Builds components of a training graph, all at once or in batches.

use std::borrow::Cow;
use std::slice;
use std::sync::OnceLock;

use super::features::Filtered;
use super::pca::{PrincipalAxes, Sparse, pca};
use super::{
    Basis, Component, ComponentParams, FeatureOperator, FeatureScaling, Filter, Preparation, amounts, roles,
    walk,
};
use crate::error::{Error, Result};
use crate::exec::Exec;
use crate::graph::{Csr, CustomComponent, Features, NodeInputs};
use crate::kernel;
use crate::linalg::{LinearOperator, Svd, rsvd};
use crate::matrix::Matrix;
use crate::seed::Seed;
use crate::spec::{ComponentKind, ComponentSource, CustomName, FilterSpec, Weighting};

/// How the features of a graph are prepared for its components.
pub(crate) struct Preparations([Option<Preparation>; 2]);

impl Preparations {
    /// Those that the components need.
    pub(crate) fn learn(
        graph: &Csr,
        features: &Features,
        params: &ComponentParams,
        exec: &Exec,
    ) -> Result<Self> {
        params.validate()?;
        Ok(Preparations(Weighting::ALL.map(|weighting| {
            params
                .kinds
                .iter()
                .any(|kind| kind.uses_features() && kind.spec().weighting == weighting)
                .then(|| Preparation::learn(features, weighting, graph, params, exec))
        })))
    }
}

/// The name of the stage in which these components are built.
pub(crate) fn stage_name(kinds: &[ComponentKind]) -> String {
    match kinds {
        [one] => format!("component {}", one.name()),
        _ => "components".into(),
    }
}

/// Builds components of a training graph, all at once or in batches.
pub(crate) struct ComponentBuilder<'a> {
    graph: &'a Csr,
    inputs: NodeInputs<'a>,
    preparations: &'a Preparations,
    /// Prepared features, by weighting; made when the first component needs them.
    prepared: [OnceLock<FeatureOperator<'a>>; 2],
    params: &'a ComponentParams,
    seed: Seed,
}

impl<'a> ComponentBuilder<'a> {
    pub(crate) fn new(
        graph: &'a Csr,
        inputs: impl Into<NodeInputs<'a>>,
        preparations: &'a Preparations,
        params: &'a ComponentParams,
        seed: Seed,
    ) -> Self {
        let prepared = [OnceLock::new(), OnceLock::new()];
        ComponentBuilder { graph, inputs: inputs.into(), preparations, prepared, params, seed }
    }

    /// The components of the parameters that are embeddings, in batches that are in memory at once: all, or one
    /// after the other if embeddings are large.
    pub(crate) fn batches(&self, exec: &Exec) -> Vec<Vec<ComponentKind>> {
        // X is computed for pairs, not here.
        let kinds = self.params.kinds.iter().copied().filter(|kind| !kind.is_pairwise());
        if exec.is_thrifty() || self.params.is_large(self.graph.rows()) {
            kinds.map(|kind| vec![kind]).collect()
        } else {
            vec![kinds.collect()]
        }
    }

    /// Builds all components and passes on one batch after the other.
    pub(crate) fn each_batch(
        &self,
        exec: &Exec,
        mut use_batch: impl FnMut(Vec<Component>) -> Result<()>,
    ) -> Result<()> {
        self.batches(exec).iter().try_for_each(|batch| use_batch(self.build(batch, exec)?))
    }

    /// Builds some of the components.
    ///
    /// `O(m d)` and `O(nnz(X) d)` for a few passes; memory of a few n × d matrices per component.
    pub(crate) fn build(&self, kinds: &[ComponentKind], exec: &Exec) -> Result<Vec<Component>> {
        let used = |weighting: Weighting| {
            kinds.iter().any(|kind| kind.uses_features() && kind.spec().weighting == weighting)
        };
        for weighting in Weighting::ALL {
            let at = weighting.index();
            if let Some(how) = self.preparations.0[at].as_ref().filter(|_| used(weighting)) {
                self.prepared[at].get_or_init(|| how.apply(self.inputs.features, self.graph, exec));
            }
        }
        let components = exec.stage(&stage_name(kinds), kinds.len(), || {
            exec.try_map(kinds, |&kind| {
                let component = self.build_kind(kind, exec)?;
                exec.step()?;
                Ok(component)
            })
        })?;
        for component in &components {
            let (name, found) = (component.kind.name(), component.embedding.cols());
            // The number of these columns is fixed, so their rank is no news.
            let expected = component.kind.is_computed_table();
            if found < self.params.dim && !expected && !matches!(component.basis, Basis::Nothing) {
                exec.notice(format!(
                    "component {name} has {found} dimension{} instead of {}: its rank is {found}",
                    if found == 1 { "" } else { "s" },
                    self.params.dim
                ));
            }
        }
        Ok(components)
    }

    fn build_kind(&self, kind: ComponentKind, exec: &Exec) -> Result<Component> {
        let &ComponentBuilder { graph, inputs: NodeInputs { features, custom }, params, seed, .. } = self;
        let table = match kind.spec().source {
            ComponentSource::Custom(name) => Some(Cow::Borrowed(custom_rows(name, custom)?)),
            ComponentSource::Roles | ComponentSource::Amounts => {
                Some(Cow::Owned(computed_table(kind, graph, features, exec)))
            }
            _ => None,
        };
        if let Some(rows) = table {
            return build_from_table(kind, &rows, graph, params, seed, exec);
        }
        let which = kind.spec().weighting.index();
        let mut component = build_one(kind, graph, self.prepared[which].get(), params, seed, exec)?;
        let table = self.preparations.0[which].as_ref().is_some_and(Preparation::lengths_matter);
        component.lengths_matter = table && kind.uses_features();
        Ok(component)
    }
}

/// Builds all components of a training graph.
pub fn build<'a>(
    graph: &'a Csr,
    inputs: impl Into<NodeInputs<'a>>,
    params: &ComponentParams,
    seed: Seed,
    exec: &Exec,
) -> Result<Vec<Component>> {
    let inputs = inputs.into();
    let preparations = Preparations::learn(graph, inputs.features, params, exec)?;
    let builder = ComponentBuilder::new(graph, inputs, &preparations, params, seed);
    let kinds: Vec<ComponentKind> = params.kinds.iter().copied().filter(|kind| !kind.is_pairwise()).collect();
    builder.build(&kinds, exec)
}

/// Blocks of the counts of walks if memory is to be saved.
pub(crate) const WALK_BLOCKS: usize = 16;

fn build_one(
    kind: ComponentKind,
    graph: &Csr,
    features: Option<&FeatureOperator<'_>>,
    params: &ComponentParams,
    seed: Seed,
    exec: &Exec,
) -> Result<Component> {
    let svd = |op: &dyn LinearOperator| rsvd(op, params.dim, &params.rsvd, seed, kind.spec().stream, exec);
    let structure = |svd: Svd| {
        let mut axes = svd.v;
        axes.scale_cols(&svd.s.iter().map(|s| (1.0 / s.sqrt()) as f32).collect::<Vec<_>>());
        axes
    };
    let saves_memory = exec.is_thrifty();
    // Where it was computed together with the basis.
    let mut embedding = None;
    let basis = match kind.spec().source {
        ComponentSource::Adjacency => {
            let blocks = slice::from_ref(graph);
            Basis::Adjacency(structure(svd(&Sparse { blocks, transpose: Some(blocks), saves_memory })?))
        }
        ComponentSource::Walks => {
            let blocks = if saves_memory { WALK_BLOCKS } else { 1 };
            let counts = walk::visit_counts(graph, params.walk_trials, blocks, seed, exec);
            exec.check()?;
            let transpose = (!saves_memory).then(|| [counts[0].transpose()]);
            let transposed = transpose.as_ref().map(|own| &own[..]);
            let axes = structure(svd(&Sparse { blocks: &counts, transpose: transposed, saves_memory })?);
            drop(transpose);
            embedding = Some(kernel::spmm_blocks(counts, graph.rows(), &axes, exec));
            Basis::Walks { axes, trials: params.walk_trials, seed }
        }
        ComponentSource::Features(_)
        | ComponentSource::Custom(_)
        | ComponentSource::Roles
        | ComponentSource::Amounts => {
            let spec = match kind.spec().source {
                ComponentSource::Features(spec) => spec,
                _ => FilterSpec::None,
            };
            let features = features.expect("features are prepared where a component needs them");
            let filter = Filter::new(spec, params);
            let filtered = Filtered { propagation: filter.on(graph), features };
            let column_norm = params.column_norm && spec != FilterSpec::None;
            let found = pca(&filtered, column_norm, params, &svd, exec)?;
            embedding = found.embedding;
            let PrincipalAxes { axes, shift, .. } = found;
            Basis::Features { projected: features.apply(&axes, exec), axes, filter, shift }
        }
        ComponentSource::Pairs => unreachable!("pairs have no embedding"),
    };
    let embedding =
        embedding.or_else(|| basis.embed(graph, exec)).expect("every component is made from a graph");
    if embedding.cols() > 0 {
        return Ok(Component { kind, embedding, lengths_matter: false, basis, preparation: None });
    }
    // A column of zeros carries no information and needs no special case later.
    exec.notice(format!("component {} is the same for every node and carries no information", kind.name()));
    let embedding = Matrix::zeros(graph.rows(), 1);
    Ok(Component { kind, embedding, lengths_matter: false, basis: Basis::Nothing, preparation: None })
}

fn custom_rows(name: CustomName, custom: &[CustomComponent]) -> Result<&Features> {
    match custom.iter().find(|own| own.name == name) {
        Some(own) => Ok(&own.rows),
        None => Err(Error::param("components", name.as_str(), "a component that the graph carries")),
    }
}

/// The columns of a table that the library computes.
pub(super) fn computed_table(kind: ComponentKind, graph: &Csr, features: &Features, exec: &Exec) -> Features {
    Features::Dense(match kind.spec().source {
        ComponentSource::Amounts => amounts::table(features, graph.rows()),
        _ => roles::table(graph, exec),
    })
}

/// The number of columns of such a table.
pub(crate) fn computed_columns(kind: ComponentKind, weighted: bool) -> Option<usize> {
    match kind.spec().source {
        ComponentSource::Roles => Some(roles::COLUMNS + usize::from(weighted)),
        ComponentSource::Amounts => Some(amounts::COLUMNS),
        _ => None,
    }
}

/// A user-supplied component, structural roles or amounts: like F, but from another table. Rows are always prepared by
/// the kinds of their columns, whatever the preparation of the features.
fn build_from_table(
    kind: ComponentKind,
    rows: &Features,
    graph: &Csr,
    params: &ComponentParams,
    seed: Seed,
    exec: &Exec,
) -> Result<Component> {
    let own_params = ComponentParams {
        scaling: FeatureScaling::ByKind,
        append_degrees: false,
        column_norm: false,
        ..params.clone()
    };
    let preparation = Preparation::learn(rows, kind.spec().weighting, graph, &own_params, exec);
    let prepared = preparation.apply(rows, graph, exec);
    let mut component = build_one(kind, graph, Some(&prepared), &own_params, seed, exec)?;
    component.lengths_matter = preparation.lengths_matter();
    drop(prepared);
    component.preparation = Some(Box::new(preparation));
    Ok(component)
}
