//! Graphs whose format names nodes and edges with attributes: node-link JSON, GraphML, GML and Pajek. Their
//! attributes have the meaning of the columns of a node table.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use super::targets::{self, NodeTarget};
use super::{LoadParams, list, weights};
use crate::frame::{ColumnValues, Frame, FrameColumn};
use netinfof::graph::{Dropped, FeatureKind, Schema};
use netinfof::{Error, Exec, Graph, Pair, Result};

/// A value of an attribute.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Number(f64),
    Bool(bool),
    Text(String),
    /// A vector: one column per number.
    Numbers(Vec<f64>),
}

impl Value {
    /// The value as an id or as a text in a list of texts.
    pub(super) fn text(&self) -> String {
        match self {
            Value::Number(number) => number.to_string(),
            Value::Bool(true) => "True".into(),
            Value::Bool(false) => "False".into(),
            Value::Text(text) => text.clone(),
            Value::Numbers(_) => String::new(),
        }
    }
}

/// A graph before it is built.
#[derive(Default)]
pub(super) struct Network {
    ids: Vec<String>,
    numbers: HashMap<String, u32>,
    edges: Vec<Pair>,
    /// Attributes of nodes by name, in order of first appearance: node and value.
    attributes: Vec<(String, Vec<(u32, Value)>)>,
    places: HashMap<String, usize>,
    pub(super) edge_attributes: BTreeSet<String>,
    pub(super) directed: bool,
    /// The attribute of edges that holds their weights, if it was asked for, and its values by edge.
    weight: Option<String>,
    weights: Vec<(usize, Option<f64>)>,
    /// The weight of edges without a value.
    usual_weight: f64,
    /// Attributes of nodes that cannot be features.
    pub(super) unread: BTreeSet<String>,
    /// What a user should know about the reading.
    pub(super) notices: Vec<String>,
    /// What holds the edges, for the schema.
    pub(super) element: &'static str,
}

impl Network {
    /// An empty graph whose edges are in this element.
    pub(super) fn new(element: &'static str, params: &LoadParams) -> Self {
        Network { element, weight: params.weight.clone(), usual_weight: f64::NAN, ..Network::default() }
    }

    /// The number of edges so far.
    pub(super) fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// Notes an attribute of an edge, by the number of the edge.
    pub(super) fn edge_attribute(&mut self, edge: usize, name: &str, value: Option<f64>) {
        if self.weight.as_deref() == Some(name) {
            self.weights.push((edge, value));
        }
        if !self.edge_attributes.contains(name) {
            self.edge_attributes.insert(name.to_string());
        }
    }

    /// Sets the weight of edges without a value of this attribute.
    pub(super) fn default_weight(&mut self, name: &str, value: f64) {
        if self.weight.as_deref() == Some(name) {
            self.usual_weight = value;
        }
    }

    /// The weight of every edge, and the attribute that holds it.
    fn edge_weights(&self) -> Result<Option<(Vec<f32>, String)>> {
        let Some(wanted) = &self.weight else { return Ok(None) };
        if !self.edge_attributes.contains(wanted) {
            let names: Vec<String> = self.edge_attributes.iter().cloned().collect();
            let have = if names.is_empty() { "there is none".into() } else { list(&names) };
            return Err(Error::param("weight", wanted, format!("an attribute of the edges: {have}")));
        }
        let mut values = vec![Some(self.usual_weight); self.edges.len()];
        for &(edge, value) in &self.weights {
            values[edge] = value;
        }
        let checked = |(at, value): (usize, Option<f64>)| {
            weights::weight_of("a text", value).map_err(|what| {
                let [i, j] = self.edges[at].map(|node| &self.ids[node as usize]);
                Error::InvalidGraph { what: format!("edge (`{i}`, `{j}`): {what}") }
            })
        };
        let values: Result<Vec<f32>> = values.into_iter().enumerate().map(checked).collect();
        Ok(Some((values?, wanted.clone())))
    }

    /// The node with this id, which is added if it is new.
    pub(super) fn node(&mut self, id: &str) -> u32 {
        if let Some(&number) = self.numbers.get(id) {
            return number;
        }
        let number = self.ids.len() as u32;
        self.ids.push(id.to_string());
        self.numbers.insert(id.to_string(), number);
        number
    }

    /// The node with this id, if there is one.
    pub(super) fn find(&self, id: &str) -> Option<u32> {
        self.numbers.get(id).copied()
    }

    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    pub(super) fn edge(&mut self, i: u32, j: u32) {
        self.edges.push([i, j]);
    }

    pub(super) fn has_attribute(&self, name: &str) -> bool {
        self.places.contains_key(name)
    }

    pub(super) fn attribute(&mut self, node: u32, name: &str, value: Value) {
        let next = self.attributes.len();
        let at = *self.places.entry(name.to_string()).or_insert(next);
        if at == next {
            self.attributes.push((name.to_string(), Vec::new()));
        }
        self.attributes[at].1.push((node, value));
    }

    /// Uses an attribute as the ids if it has another text for every node, as GML's `label`.
    pub(super) fn rename_by(&mut self, name: &str) {
        let Some(&at) = self.places.get(name) else { return };
        let values = &self.attributes[at].1;
        let texts: HashMap<u32, String> = values.iter().map(|(node, value)| (*node, value.text())).collect();
        let distinct: BTreeSet<&String> = texts.values().filter(|text| !text.is_empty()).collect();
        if distinct.len() < self.ids.len() || values.len() > self.ids.len() {
            return;
        }
        for (node, id) in (0..).zip(&mut self.ids) {
            if let Some(text) = texts.get(&node) {
                id.clone_from(text);
            }
        }
        self.attributes[at].1.clear();
    }

    /// The graph with features and classes from the attributes of its nodes.
    pub(super) fn finish(
        self,
        path: &Path,
        name: &str,
        format: &str,
        params: &LoadParams,
        exec: &Exec,
    ) -> Result<Graph> {
        let fault = |what: String| Error::Format { path: path.into(), what };
        let nodes = self.ids.len();
        for notice in &self.notices {
            exec.notice(format!("{name}: {notice}"));
        }
        let mut graph = Graph::from_edges(name, nodes, &self.edges)?;
        let weights = self.edge_weights()?;
        let is_weight = |name: &&String| weights.as_ref().is_some_and(|(_, part)| part == *name);
        let mut unused: Vec<String> =
            self.edge_attributes.iter().filter(|name| !is_weight(name)).cloned().collect();
        let mut schema = Schema::new(format);
        schema.weight = weights.as_ref().map(|(_, part)| part.clone());
        schema.ends = vec![self.element.into()];
        schema.dropped = unused.iter().map(|name| Dropped::new(name, "an attribute of edges")).collect();
        let lost = self.directed && !params.directed;
        if lost {
            unused.push("directions".into());
        }
        if !unused.is_empty() {
            let verb = if unused.len() == 1 { "is" } else { "are" };
            let reason = weights::unused_reason(params, unused.iter().map(String::as_str));
            let offer = if lost { weights::OFFER } else { "" };
            exec.notice(format!("{name}: {} of edges {verb} not used: {reason}{offer}", list(&unused)));
        }
        if params.directed && !self.directed {
            let need = "false: the file declares its edges as undirected";
            return Err(Error::param("directed", "true", need));
        }
        let part = schema.weight.clone().unwrap_or_default();
        let weights = weights.map(|(values, _)| (values, part.as_str()));
        graph = weights::of_edges(graph, self.edges, weights, params, exec)?;
        let given = |values: &Vec<(u32, Value)>| !values.is_empty();
        let attributes: Vec<_> = self.attributes.into_iter().filter(|(_, values)| given(values)).collect();
        let names: Vec<String> = attributes.iter().map(|(name, _)| name.clone()).collect();
        let say = |notice: String| exec.notice(format!("{name}: {notice}"));
        let place = |wanted: &str| names.iter().position(|name| name == wanted);
        let several = targets::several(params, &names, &place)?;
        let label = if several.is_empty() { targets::label_column(&names, params, |_| true) } else { None };
        if let Some(wanted) = params.label.as_ref().filter(|_| several.is_empty() && label.is_none()) {
            let need = format!("an attribute of the nodes: {}", list(&names));
            return Err(Error::param("label", wanted, need));
        }
        targets::second_label(&names, label, params, |_| true).into_iter().for_each(say);
        let mut texts = None;
        let mut columns_of_labels = vec![Vec::new(); several.len()];
        let mut frame = Frame::default();
        for (at, (attribute, values)) in attributes.into_iter().enumerate() {
            let mut seen = vec![false; nodes];
            if let Some((node, _)) =
                values.iter().find(|(node, _)| std::mem::replace(&mut seen[*node as usize], true))
            {
                let id = &self.ids[*node as usize];
                return Err(fault(format!(
                    "node `{id}` has several values of `{attribute}`; one was expected"
                )));
            }
            let by_node = || {
                let mut by_node = vec![String::new(); nodes];
                for (node, value) in &values {
                    by_node[*node as usize] = value.text();
                }
                by_node
            };
            if Some(at) == label {
                texts = Some((attribute, by_node()));
            } else if let Some(own) = several.iter().position(|&own| own == at) {
                columns_of_labels[own] = by_node();
            } else {
                frame.columns.extend(columns(attribute, &values, nodes).map_err(fault)?);
            }
        }
        let mut target = None;
        if let Some((attribute, texts)) = &texts {
            target = targets::of_label(attribute, texts, params, &say).map_err(fault)?;
            match target {
                Some(_) => schema.label = Some(attribute.clone()),
                // Names of the nodes, as drawing programs write them.
                None => schema.dropped.push(Dropped::new(attribute, targets::NO_TARGET)),
            }
        }
        if !several.is_empty() {
            let own = several.iter().map(|&at| names[at].clone()).collect();
            target = Some(NodeTarget::Labels(targets::of_columns(own, &columns_of_labels).map_err(fault)?));
            schema.label.clone_from(&params.label);
        }
        let is_classes = matches!(target, Some(NodeTarget::Classes { .. }));
        let labels = texts.as_ref().filter(|_| is_classes).map(|(_, texts)| &texts[..]);
        let found =
            frame.typed(nodes, &params.columns, Some(&self.ids), labels).map_err(|e| fault(e.what))?;
        for notice in found.notices {
            exec.notice(format!("{name}: {notice}"));
        }
        graph = graph.with_features(found.features)?;
        if let Some(target) = target {
            graph = target.put_on(graph)?;
        }
        let unread = self.unread.iter().map(|name| Dropped::new(name, "neither numbers nor texts"));
        schema.dropped.extend(unread);
        schema.columns = found.columns;
        schema.dropped.extend(found.dropped);
        let plain = self.ids.iter().enumerate().all(|(at, id)| *id == at.to_string());
        if !plain {
            graph = graph.with_ids(self.ids);
        }
        Ok(graph.with_schema(schema))
    }
}

/// The columns of an attribute: one, or one per number of a vector.
fn columns(
    name: String,
    values: &[(u32, Value)],
    nodes: usize,
) -> std::result::Result<Vec<FrameColumn>, String> {
    let vectors = values.iter().filter(|(_, value)| matches!(value, Value::Numbers(_))).count();
    if vectors > 0 {
        let widths: BTreeSet<usize> = values
            .iter()
            .map(|(_, value)| if let Value::Numbers(numbers) = value { numbers.len() } else { 0 })
            .collect();
        let (Some(&width), 1) = (widths.first(), widths.len()) else {
            return Err(format!("attribute `{name}` holds lists of different lengths"));
        };
        if width.saturating_mul(nodes) > 1 << 28 {
            return Err(format!("attribute `{name}` holds lists of {width} numbers; too many"));
        }
        let mut columns = vec![vec![f64::NAN; nodes]; width];
        for (node, value) in values {
            if let Value::Numbers(numbers) = value {
                columns.iter_mut().zip(numbers).for_each(|(column, &v)| column[*node as usize] = v);
            }
        }
        let column = |(at, values)| FrameColumn {
            name: format!("{name}{at}"),
            values: ColumnValues::Numbers(values),
            stated: None,
        };
        return Ok(columns.into_iter().enumerate().map(column).collect());
    }
    let number = |value: &Value| match value {
        Value::Number(number) => Some(*number),
        Value::Bool(value) => Some(f64::from(*value)),
        _ => None,
    };
    let booleans = values.iter().all(|(_, value)| matches!(value, Value::Bool(_)));
    if values.iter().all(|(_, value)| number(value).is_some()) {
        let mut column = vec![f64::NAN; nodes];
        for (node, value) in values {
            column[*node as usize] = number(value).unwrap_or(f64::NAN);
        }
        let stated = booleans.then_some(FeatureKind::Boolean);
        return Ok(vec![FrameColumn { name, values: ColumnValues::Numbers(column), stated }]);
    }
    let mut texts: Vec<Option<String>> = vec![None; nodes];
    for (node, value) in values {
        texts[*node as usize] = Some(value.text());
    }
    let values = ColumnValues::from_texts(texts.iter().map(Option::as_deref));
    Ok(vec![FrameColumn { name, values, stated: None }])
}
