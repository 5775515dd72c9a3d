//! The context of a model's graph in its file.

use safetensors::Dtype;
use serde::{Deserialize, Serialize};

use super::reader::ArrayReader;
use super::writer::{ArrayWriter, put_features};
use crate::error::Result;
use crate::graph::{ContextNodes, Csr, Graph, Pair, RelationFacts};

/// The context, except its edges and features.
#[derive(Serialize, Deserialize)]
pub(super) struct ContextHead {
    relations: Vec<RelationFacts>,
    names: Vec<String>,
    types: Vec<u32>,
}

pub(super) fn put(graph: &Graph, arrays: &mut ArrayWriter) -> Option<ContextHead> {
    let context = graph.context()?;
    let edges = context.edges();
    let pairs: Vec<u32> = (0..edges.rows())
        .flat_map(|node| {
            edges
                .row(node)
                .iter()
                .filter(move |&&other| other as usize > node)
                .map(move |&other| [node as u32, other])
        })
        .flatten()
        .collect();
    arrays.numbers("context", &[pairs.len() / 2, 2], &pairs);
    let nodes = context.nodes();
    put_features(arrays, "context.features", &nodes.features);
    Some(ContextHead {
        relations: context.relations().to_vec(),
        names: nodes.names.clone(),
        types: nodes.types.clone(),
    })
}

/// The graph with its context.
pub(super) fn read(found: &ArrayReader<'_>, graph: Graph, head: ContextHead) -> Result<Graph> {
    let ContextHead { relations, names, types } = head;
    let all = graph.nodes() + names.len();
    let (shape, flat) = found.view("context", Dtype::U32, 2)?;
    found.check("context", shape[1], 2)?;
    found.check("context", types.len(), names.len())?;
    let flat: Vec<u32> = flat.into_iter().map(u32::from_le_bytes).collect();
    let edges: Vec<Pair> = flat.as_chunks::<2>().0.to_vec();
    let sound = |[i, j]: &Pair| i < j && (*j as usize) < all;
    if !edges.iter().all(sound) || !edges.is_sorted() || edges.windows(2).any(|w| w[0] == w[1]) {
        return found.fault("the context edges are inconsistent");
    }
    let features = super::features(found, "context.features")?;
    if features.cols() > 0 {
        found.check("context.features", features.cols(), graph.features().cols())?;
        features.check(names.len())?;
    }
    let nodes = ContextNodes { names, types, features };
    Ok(graph.with_known_context(relations, nodes, Csr::symmetric(all, &edges)))
}
