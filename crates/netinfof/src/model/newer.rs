//! A model and a newer graph: which nodes are known, and which features are used.

use std::borrow::Cow;
use std::collections::HashMap;

use super::{Model, Seen, recipe};
use crate::error::{Error, Result};
use crate::exec::Exec;
use crate::graph::{Csr, CustomComponent, Features, Graph, NodeId, Sides};

/// The inputs of a model.
pub(super) struct View<'a> {
    pub(super) graph: Cow<'a, Csr>,
    pub(super) features: Cow<'a, Features>,
    pub(super) custom: Cow<'a, [CustomComponent]>,
    /// For each node, its number in the model's own graph; `None` if that is the same graph.
    pub(super) known: Option<Vec<Option<NodeId>>>,
}

impl Model {
    /// The model's own graph, or a newer one with the model's data about its nodes.
    pub(super) fn view<'a>(&'a self, seen: Seen, newer: Option<&'a Graph>, exec: &Exec) -> Result<View<'a>> {
        let Some(newer) = newer else {
            let edges = match seen {
                Seen::Training => &self.training,
                Seen::All => self.graph.adjacency(),
            };
            let inputs = self.graph.inputs();
            let (features, custom) = (Cow::Borrowed(inputs.features), Cow::Borrowed(inputs.custom));
            return Ok(View { graph: Cow::Borrowed(edges), features, custom, known: None });
        };
        let unsuitable = |why: String| Err(Error::Unsuitable { stage: "newer graph", why });
        if self.graph.context().is_some() || newer.context().is_some() {
            return unsuitable(
                "a model of a graph with context predicts for its own graph only; fit it again on the newer graph with its context".into(),
            );
        }
        if newer.has_unknown_nodes() {
            return self.view_of_unknown(newer, exec);
        }
        let name = names(&self.graph, newer);
        let numbers: HashMap<(usize, Cow<'_, str>), NodeId> =
            (0..self.graph.nodes()).map(|node| name(&self.graph, node)).zip(0..).collect();
        let known: Vec<Option<NodeId>> =
            (0..newer.nodes()).map(|node| numbers.get(&name(newer, node)).copied()).collect();
        let count = known.iter().flatten().count();
        let first_new = || known.iter().position(Option::is_none).map(|node| newer.node_name(node));
        if count == 0 {
            let name = first_new().unwrap_or_default();
            return unsuitable(format!(
                "none of its {} nodes is known to the model (its first node is `{name}`, the model's is `{}`)",
                newer.nodes(),
                self.graph.node_name(0)
            ));
        }
        if count < newer.nodes().max(self.graph.nodes()) {
            exec.notice(format!(
                "{count} of the model's {} nodes are in the newer graph, which has {} new node{}{}",
                self.graph.nodes(),
                newer.nodes() - count,
                if newer.nodes() - count == 1 { "" } else { "s" },
                first_new().map_or(String::new(), |name| format!(" (the first is `{name}`)")),
            ));
        }
        let need = self.graph.features().cols();
        let given = if need == 0 || newer.features().cols() == 0 {
            Cow::Borrowed(newer.features())
        } else {
            recipe::aligned(self.graph.schema(), newer, exec)?
        };
        let have = given.cols();
        let features = if have == need {
            given
        } else if need == 0 {
            exec.notice(
                "the model was fitted without features: the features of the newer graph are not used",
            );
            Cow::Owned(Features::None)
        } else if have == 0 && count == newer.nodes() {
            exec.notice("the newer graph has no features: the features of the model's graph are used");
            let rows: Vec<NodeId> = known.iter().flatten().copied().collect();
            Cow::Owned(self.graph.features().rows_of(&rows))
        } else if have == 0 {
            let name = first_new().unwrap_or_default();
            return unsuitable(format!("node `{name}` is new and has no features; the model needs {need}"));
        } else {
            return unsuitable(format!("it has {have} feature columns, but the model was fitted on {need}"));
        };
        let custom = self.custom_of(newer, &known, exec)?;
        Ok(View { graph: self.weighted(newer, exec)?, features, custom, known: Some(known) })
    }

    /// The edges of a newer graph, with weights on the model's scale if the model uses weights.
    fn weighted<'a>(&self, newer: &'a Graph, exec: &Exec) -> Result<Cow<'a, Csr>> {
        match (self.weight_scale(), newer.weights()) {
            (None, None) => Ok(Cow::Borrowed(newer.adjacency())),
            (None, Some(_)) => {
                exec.notice("the model was fitted without weights: the weights of the newer graph are not used");
                Ok(newer.adjacency().as_pattern())
            }
            (Some(scale), Some(_)) => Ok(Cow::Owned(newer.adjacency_on(&scale))),
            (Some(_), None) if newer.edge_count() == 0 => {
                Ok(Cow::Owned(newer.adjacency().clone().with_edge_values(std::iter::empty())))
            }
            (Some(_), None) => Err(Error::Unsuitable {
                stage: "newer graph",
                why: "its edges have no weights, but the model was fitted with weights; name its column of weights as `weight`".into(),
            }),
        }
    }

    /// A graph in which all nodes are new to the model: they are embedded by their own features and those of
    /// their neighbours.
    fn view_of_unknown<'a>(&'a self, newer: &'a Graph, exec: &Exec) -> Result<View<'a>> {
        let features = recipe::aligned(self.graph.schema(), newer, exec)?;
        let (have, need) = (features.cols(), self.graph.features().cols());
        if have != need {
            let why = format!("it has {have} feature columns, but the model was fitted on {need}");
            return Err(Error::Unsuitable { stage: "newer graph", why });
        }
        if self.components().iter().any(|kind| kind.is_structural()) && newer.edge_count() > 0 {
            exec.notice("all nodes are new to the model: structure (U, R) carries no information about them");
        }
        let known = vec![None; newer.nodes()];
        let custom = self.custom_of(newer, &known, exec)?;
        Ok(View { graph: self.weighted(newer, exec)?, features, custom, known: Some(known) })
    }

    /// The newer graph with the sides of the model's bipartite graph: known nodes keep theirs, and new nodes are on
    /// the side that the newer graph states or its edges imply. Without features and labels.
    pub(super) fn with_sides_of_model(
        &self,
        newer: &Graph,
        known: Option<&[Option<NodeId>]>,
    ) -> Result<Graph> {
        let (Some(own), Some(known)) = (self.graph.sides(), known) else {
            return Ok(newer.bare().without_sides());
        };
        let unsuitable = |why: String| Err(Error::Unsuitable { stage: "newer graph", why });
        match (own.are_roles(), newer.is_directed()) {
            (true, true) => return Ok(newer.bare()),
            (true, false) => return unsuitable("its edges have no directions, but the model was fitted on a directed graph; read it as `directed`".into()),
            (false, true) => return unsuitable("it is directed, but the model was fitted on a graph that is not; leave `directed` out".into()),
            (false, false) => {}
        }
        let of_known = known.iter().map(|node| node.map(|node| own.of(node) == 1));
        let mut second: Vec<Option<bool>> = of_known.collect();
        if let Some(stated) = newer.sides() {
            let turned = second.iter().zip(stated.second()).any(|(own, other)| *own == Some(!*other));
            let agrees = second.iter().zip(stated.second()).any(|(own, other)| *own == Some(*other));
            if turned && agrees {
                return unsuitable("some of its nodes are on the other side in the model's graph".into());
            }
            for (own, other) in second.iter_mut().zip(stated.second()) {
                own.get_or_insert(*other != turned);
            }
        }
        let mut queue: Vec<NodeId> =
            (0..).zip(&second).filter(|own| own.1.is_some()).map(|own| own.0).collect();
        while let Some(node) = queue.pop() {
            let other_side = second[node as usize].map(|side| !side);
            for &other in newer.adjacency().row(node as usize) {
                if second[other as usize].is_none() {
                    second[other as usize] = other_side;
                    queue.push(other);
                }
            }
        }
        if let Some(node) = second.iter().position(Option::is_none) {
            let name = newer.node_name(node);
            return unsuitable(format!(
                "node `{name}` is new and has no edge to a known node, so its side is unknown"
            ));
        }
        let qualified = newer.sides().is_some_and(Sides::has_qualified_ids);
        let sides = Sides::new(second.into_iter().flatten().collect()).named(own.names().clone());
        newer.bare().with_sides(sides.with_qualified_ids(qualified))
    }

    /// The user-supplied components that the model needs, for the nodes of a newer graph: its own, or those
    /// of the model if all nodes are in the model's graph.
    fn custom_of<'a>(
        &self,
        newer: &'a Graph,
        known: &[Option<NodeId>],
        exec: &Exec,
    ) -> Result<Cow<'a, [CustomComponent]>> {
        let unsuitable = |why: String| Err(Error::Unsuitable { stage: "newer graph", why });
        let mut found = Vec::new();
        for own in self.graph.custom_components() {
            let name = own.name();
            match newer.custom_components().iter().find(|other| other.name == own.name) {
                Some(other) if other.cols() == own.cols() => found.push(other.clone()),
                Some(other) => {
                    let (have, need) = (other.cols(), own.cols());
                    return unsuitable(format!(
                        "component `{name}` has {have} columns, but the model was fitted on {need}"
                    ));
                }
                None if known.iter().all(Option::is_some) => {
                    exec.notice(format!(
                        "the newer graph has no component `{name}`: the rows of the model's graph are used"
                    ));
                    let rows: Vec<NodeId> = known.iter().flatten().copied().collect();
                    found.push(CustomComponent { name: own.name, rows: own.rows.rows_of(&rows) });
                }
                None => {
                    let new = known.iter().position(Option::is_none).map(|node| newer.node_name(node));
                    return unsuitable(format!(
                        "node `{}` is new and has no row of the component `{name}`, which the model needs",
                        new.unwrap_or_default()
                    ));
                }
            }
        }
        Ok(Cow::Owned(found))
    }
}

/// How nodes of two graphs are identified: by their names; where ids of the two sides overlap in one of the graphs,
/// by side and id.
fn names<'a>(own: &Graph, newer: &Graph) -> impl Fn(&'a Graph, usize) -> (usize, Cow<'a, str>) + use<'a> {
    let both = own.sides().zip(newer.sides());
    let by_side = both.is_some_and(|(a, b)| a.has_qualified_ids() || b.has_qualified_ids());
    move |graph, node| {
        let name = graph.node_name(node);
        match graph.sides().filter(|_| by_side) {
            None => (0, name),
            Some(sides) => {
                let plain = sides.plain(node as NodeId, &name).to_string();
                (sides.of(node as NodeId), plain.into())
            }
        }
    }
}
