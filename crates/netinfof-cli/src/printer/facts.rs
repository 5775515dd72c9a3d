//! The facts about a graph, for a terminal.

use std::fmt::Write as _;

use netinfof::graph::{ContextFacts, GraphFacts, SidesOrigin, TargetFacts};
use netinfof::report::Estimate;

use super::{plural, share};

/// The relations of a context with their edges.
pub(crate) fn context_relations(context: &ContextFacts) -> String {
    let of = |own: &netinfof::graph::RelationFacts| format!("{}: {}", own.name, own.edges);
    context.relations.iter().map(of).collect::<Vec<_>>().join(", ")
}

/// The facts about a graph, as lines for a terminal.
pub(crate) fn facts(facts: &GraphFacts) -> String {
    let mut lines = vec![
        format!("{}", facts.name),
        format!("  nodes       {}", facts.nodes),
        format!("  edges       {}", facts.edges),
        format!(
            "  degree      mean {:.2}, median {}, largest {}",
            facts.mean_degree, facts.median_degree, facts.max_degree
        ),
        format!("  isolated    {}{}", facts.isolated, share(facts.isolated, facts.nodes)),
    ];
    lines.push(format!(
        "  components  {}, the largest with {}{}{}",
        plural(facts.connected_components, "connected component"),
        plural(facts.largest_component, "node"),
        share(facts.largest_component, facts.nodes),
        if facts.bipartite && facts.sides.is_none() {
            "; bipartite: two sides without edges inside"
        } else {
            ""
        }
    ));
    if let Some(sides) = facts.sides.as_ref().filter(|_| facts.directed) {
        lines.push(format!("  directed    {} nodes, each as source and as target of edges", sides.nodes[0]));
    } else if let Some(sides) = &facts.sides {
        let [(a, first), (b, second)] = [0, 1].map(|side| (&sides.names[side], sides.nodes[side]));
        let origin = match sides.origin {
            SidesOrigin::Given => "",
            SidesOrigin::Structure => ", by structure",
        };
        lines.push(format!(
            "  bipartite   {first} nodes on the side `{a}`, {second} on the side `{b}`{origin}"
        ));
    }
    if let Some(clustering) = facts.clustering {
        lines.push(format!(
            "  clustering  {clustering:.3} of the pairs of a node's neighbours are joined, on average"
        ));
    }
    let directed = if facts.directed { "directed" } else { "undirected" };
    lines.push(match &facts.weights {
        None => format!("  edges are   {directed}, unweighted"),
        Some(own) => format!(
            "  edges are   {directed}, with weights from {} to {}, median {} ({} scale)",
            own.smallest,
            own.largest,
            own.median,
            own.transform.name()
        ),
    });
    if let Some(times) = &facts.times {
        let [first, last] = &times.range;
        lines.push(format!(
            "  times       `{}`: edges begin from {first} to {last}, at {}; {}",
            times.column,
            plural(times.distinct, "different time"),
            plural(times.repeats, "repeated contact")
        ));
    }
    if let Some(context) = &facts.context {
        lines.push(format!(
            "  context     {} of {} ({}), not predicted",
            plural(context.edges, "edge"),
            plural(context.relations.len(), "other relation"),
            context_relations(context)
        ));
        if context.nodes > 0 {
            lines.push(format!("              {} that only the context has", plural(context.nodes, "node")));
        }
    }
    if let Some(r) = facts.degree_assortativity {
        lines.push(format!("  assortative {r:+.3} (correlation of the degrees at the ends of an edge)"));
    }
    if facts.features > 0 {
        lines.push(format!(
            "  features    {}, stored {}, {:.2} % not zero",
            facts.features,
            facts.feature_storage,
            100.0 * facts.feature_density
        ));
        if facts.missing_features > 0 {
            lines.push(format!("  missing     {}", plural(facts.missing_features, "feature value")));
        }
        if facts.repeated_features > 0 {
            lines.push(format!(
                "  repeated    {} with the same features as another{}, {} of them with the same neighbours",
                plural(facts.repeated_features, "node"),
                share(facts.repeated_features, facts.nodes),
                facts.duplicated_nodes
            ));
        }
    } else {
        lines.push("  features    none".into());
    }
    if let Some(similarity) = &facts.feature_similarity {
        let shown =
            |own: Estimate| format!("{:.3} [{:.3}, {:.3}]", own.value, own.interval[0], own.interval[1]);
        let two_steps =
            similarity.two_steps.map_or_else(String::new, |own| format!(", at two steps {}", shown(own)));
        lines.push(format!(
            "  similarity  {} of the time a neighbour's features are closer than another node's{two_steps} (0.5: unrelated)",
            shown(similarity.neighbours)
        ));
    }
    if let Some(target) = &facts.target {
        lines.extend(target_lines(facts, target));
    } else if facts.classes > 0 {
        lines.push(format!(
            "  classes     {}, {} of {} nodes labelled",
            facts.classes,
            facts.labelled,
            if facts.directed { facts.nodes / 2 } else { facts.nodes }
        ));
    } else {
        lines.push("  classes     none".into());
    }
    if !facts.class_sizes.is_empty() {
        lines.push(format!("  sizes       {}", class_sizes(facts)));
    }
    if let (Some(edge), Some(h)) = (facts.edge_homophily, &facts.homophily) {
        lines.push(format!(
            "  homophily   {edge:.3} of the edges connect nodes of the same class; by node {:.3}, class-insensitive {:.3}, adjusted {:.3}",
            h.node_homophily, h.class_insensitive_homophily, h.adjusted_homophily
        ));
        lines.push(format!(
            "  informative {:.3} of a label's entropy is explained by a neighbour's label",
            h.label_informativeness
        ));
    }
    lines.extend(columns(facts));
    if let Some(truth) = &facts.truth {
        let names: Vec<&str> = truth.informative.iter().map(|kind| kind.name()).collect();
        let names = if names.is_empty() { "nothing".into() } else { names.join(", ") };
        let task = truth.task.name();
        lines.push(format!("  planted     {names} for {task}"));
    }
    if facts.self_loops_dropped + facts.duplicates_dropped > 0 {
        lines.push(format!(
            "  dropped     {}, {}",
            plural(facts.self_loops_dropped, "self loop"),
            plural(facts.duplicates_dropped, "repeated edge")
        ));
    }
    lines.join("\n")
}

/// A target that is not classes.
fn target_lines(facts: &GraphFacts, target: &TargetFacts) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some([least, lower, median, upper, top]) = target.quartiles {
        lines.push(format!("  target      numeric, known for {} of {} nodes", facts.labelled, facts.nodes));
        lines.push(format!("  quartiles   {least} | {lower} | {median} | {upper} | {top}"));
        if let Some(correlation) = target.edge_correlation {
            lines.push(format!("  neighbours  correlation {correlation:.3} of the target along edges"));
        }
        return lines;
    }
    lines.push(format!(
        "  labels      {}, {:.2} per node, known for {} of {} nodes",
        target.label_sizes.len(),
        target.mean_labels.unwrap_or(0.0),
        facts.labelled,
        facts.nodes
    ));
    lines
}

/// The largest classes with their sizes.
fn class_sizes(facts: &GraphFacts) -> String {
    const SHOWN: usize = 8;
    let name = |class: usize| facts.class_names.get(class).cloned().unwrap_or_else(|| class.to_string());
    let mut order: Vec<usize> = (0..facts.class_sizes.len()).collect();
    order.sort_by_key(|&class| std::cmp::Reverse(facts.class_sizes[class]));
    let one = |&class: &usize| format!("{}: {}", name(class), facts.class_sizes[class]);
    let mut shown: Vec<String> = order.iter().take(SHOWN).map(one).collect();
    if order.len() > SHOWN {
        let rest: usize = order[SHOWN..].iter().map(|&class| facts.class_sizes[class]).sum();
        shown.push(format!("{} others: {rest}", order.len() - SHOWN));
    }
    shown.join(", ")
}

/// A table of the feature columns, if they have names.
fn columns(facts: &GraphFacts) -> Vec<String> {
    const SHOWN: usize = 40;
    if facts.schema.as_ref().is_none_or(|schema| schema.columns.is_empty()) || facts.columns.is_empty() {
        return Vec::new();
    }
    let wide = facts.columns.iter().map(|column| column.name.chars().count()).max().unwrap_or(0).clamp(6, 32);
    let mut lines = vec![format!("  {:wide$}  kind      missing  values", "column")];
    for column in facts.columns.iter().take(SHOWN) {
        let values = match (&column.levels[..], column.range) {
            ([], Some([low, high])) => format!("{low} to {high}"),
            ([], None) => "none".into(),
            (levels, _) => {
                let mut shown = levels.iter().take(4).cloned().collect::<Vec<_>>().join(", ");
                if levels.len() > 4 {
                    let _ = write!(shown, " and {} more levels", levels.len() - 4);
                }
                shown
            }
        };
        let (name, kind) = (&column.name, column.kind.noun(false));
        lines.push(format!("  {name:wide$}  {kind:8}  {:5.1} %  {values}", 100.0 * column.missing));
    }
    if facts.columns.len() > SHOWN {
        lines.push(format!("  and {} more columns", facts.columns.len() - SHOWN));
    }
    lines
}
