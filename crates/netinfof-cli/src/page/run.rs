//! The last sections of the page: facts about the graph, and how to repeat the run.

use std::fmt::Write as _;

use netinfof::Report;
use netinfof::report::Estimate;

use super::chart;
use super::table::{TableCell, count, escape, number, table, words};
use crate::printer::context_relations;

pub(super) fn facts(out: &mut String, report: &Report) {
    let g = &report.graph;
    let share = |part: usize| if g.nodes == 0 { 0.0 } else { part as f64 / g.nodes as f64 };
    let edges = match (g.directed, g.weighted) {
        (false, false) => "undirected, without self loops and duplicates",
        (false, true) => "undirected and weighted, without self loops and duplicates",
        (true, false) => {
            "directed, without self loops and duplicates; a node counts once as source and once as target"
        }
        (true, true) => {
            "directed and weighted, without self loops and duplicates; a node counts once as source and once as target"
        }
    };
    let context = g
        .context
        .as_ref()
        .map(|own| format!("{}; they are structure, and are not predicted", context_relations(own)));
    let sides = g
        .sides
        .as_ref()
        .filter(|_| !g.directed)
        .map(|own| own.names.each_ref().map(|name| format!("side {name}")));
    let mut rows = vec![
        (
            "nodes",
            count("nodes", g.nodes as u64),
            if g.directed { "each node as source and as target" } else { "" },
        ),
        ("edges", count("edges", g.edges as u64), edges),
        ("features", count("features", g.features as u64), "columns"),
        ("features not zero", number("feature_density", g.feature_density, 4), "share of all entries"),
        ("classes", count("classes", g.classes as u64), ""),
        ("labelled nodes", count("labelled", g.labelled as u64), ""),
        ("mean degree", number("mean_degree", g.mean_degree, 2), ""),
        ("largest degree", count("max_degree", g.max_degree as u64), ""),
        ("isolated nodes", count("isolated", g.isolated as u64), "without an edge"),
        ("share isolated", number("isolated_share", share(g.isolated), 4), ""),
        ("connected components", count("connected_components", g.connected_components as u64), ""),
        ("largest component", count("largest_component", g.largest_component as u64), "nodes"),
        (
            "repeated features",
            count("repeated_features", g.repeated_features as u64),
            "nodes with the same features as an earlier one",
        ),
        (
            "duplicated nodes",
            count("duplicated_nodes", g.duplicated_nodes as u64),
            "with the same neighbours, too",
        ),
    ];
    if let (Some(names), Some(own)) = (&sides, &g.sides) {
        rows.extend((0..2).map(|side| {
            (names[side].as_str(), count(["side_0", "side_1"][side], own.nodes[side] as u64), "nodes")
        }));
    }
    if let (Some(what), Some(own)) = (&context, &g.context) {
        rows.push(("context edges", count("context_edges", own.edges as u64), what.as_str()));
        rows.push(("context nodes", count("context_nodes", own.nodes as u64), "that only the context has"));
    }
    if let Some(split) = report.splits.first() {
        let what = "test samples of the first split with the same features as a training sample";
        rows.push(("repeats across the split", count("repeats", split.repeats as u64), what));
    }
    if let Some(clustering) = g.clustering {
        let what = "share of the pairs of a node's neighbours that are joined, averaged over the nodes";
        rows.push(("clustering", number("clustering", clustering, 3), what));
    }
    if let Some(r) = g.degree_assortativity {
        let what = "correlation of the degrees at the ends of an edge";
        rows.push(("degree assortativity", number("degree_assortativity", r, 3), what));
    }
    let similarity = g.feature_similarity.map(|own| (own.neighbours, own.two_steps));
    let described = |own: Estimate| {
        let [low, high] = own.interval;
        format!(
            "share of comparisons that find them closer than those of another node; 0.5: unrelated; 95 % interval {low:.3} – {high:.3}"
        )
    };
    let described = similarity.map(|(near, two)| (described(near), two.map(described)));
    if let (Some((near, two)), Some((of_near, of_two))) = (similarity, &described) {
        rows.push((
            "features of neighbours",
            number("feature_similarity.neighbours.value", near.value, 3),
            of_near,
        ));
        if let (Some(two), Some(of_two)) = (two, of_two) {
            rows.push((
                "features at two steps",
                number("feature_similarity.two_steps.value", two.value, 3),
                of_two,
            ));
        }
    }
    if let (Some(edge), Some(h)) = (g.edge_homophily, &g.homophily) {
        rows.extend([
            ("edge homophily", number("edge_homophily", edge, 3), "share of edges within a class"),
            (
                "node homophily",
                number("node_homophily", h.node_homophily, 3),
                "share of neighbours in the same class, mean over nodes",
            ),
            (
                "class-insensitive homophily",
                number("class_insensitive_homophily", h.class_insensitive_homophily, 3),
                "in excess of the classes' sizes",
            ),
            (
                "adjusted homophily",
                number("adjusted_homophily", h.adjusted_homophily, 3),
                "0 where edges carry no information about classes",
            ),
            (
                "label informativeness",
                number("label_informativeness", h.label_informativeness, 3),
                "share of a label's entropy that a neighbour's label explains",
            ),
        ]);
    }
    let rows: Vec<(String, Vec<TableCell>)> =
        rows.into_iter().map(|(name, cell, what)| (name.into(), vec![cell, words("what", what)])).collect();
    out.push_str("<section id=\"graph\"><details><summary><h2>The graph</h2></summary>");
    table(out, "fact-table", "Facts", &[("fact", false), ("value", true), ("what it is", false)], &rows);
    let _ = writeln!(
        out,
        "<figure class=\"chart\" tabindex=\"0\">{}<figcaption>Nodes by degree, in steps of powers of two</figcaption></figure></details></section>",
        chart::degrees(&g.degrees)
    );
}

pub(super) fn again(out: &mut String, report: &Report) {
    out.push_str("<section id=\"again\"><h2>Run it again</h2>");
    if let Some(command) = &report.command {
        let _ = write!(
            out,
            "<p class=\"note\">The same input, parameters and seed give the same bits, whatever the number of threads.</p><pre id=\"command\">{}</pre>",
            escape(command)
        );
    }
    let mut params = Vec::new();
    flatten("", &serde_json::to_value(&report.params).unwrap_or_default(), &mut params);
    let rows: Vec<(String, Vec<TableCell>)> =
        params.into_iter().map(|(name, value)| (name, vec![words("value", value)])).collect();
    out.push_str("<details><summary>Parameters</summary>");
    table(
        out,
        "param-table",
        "All parameters, as in the JSON",
        &[("parameter", false), ("value", false)],
        &rows,
    );
    out.push_str("</details>");
    let stages: Vec<&str> =
        report.splits.first().map(|s| s.seconds.iter().map(|(stage, _)| stage).collect()).unwrap_or_default();
    let mut heads = vec![("seed", false)];
    heads.extend(stages.iter().map(|stage| (*stage, true)));
    let rows: Vec<(String, Vec<TableCell>)> = report
        .splits
        .iter()
        .map(|split| {
            (split.seed.to_string(), split.seconds.iter().map(|(_, &s)| number("seconds", s, 3)).collect())
        })
        .collect();
    table(out, "time-table", "Seconds of every stage, by split", &heads, &rows);
    let memory =
        report.peak_memory_bytes.map_or(String::new(), |b| format!(" · peak memory {} MiB", b >> 20));
    let _ = writeln!(
        out,
        "<p class=\"note\">netinfof {} · {} · {} threads{memory}</p></section>",
        escape(&report.netinfof),
        escape(&report.platform),
        report.threads
    );
}

/// Lists nested values with their paths, joined by dots.
fn flatten(prefix: &str, value: &serde_json::Value, out: &mut Vec<(String, String)>) {
    match value {
        serde_json::Value::Object(map) => {
            for (key, value) in map {
                let name = if prefix.is_empty() { key.clone() } else { format!("{prefix}.{key}") };
                flatten(&name, value, out);
            }
        }
        serde_json::Value::String(text) => out.push((prefix.into(), text.clone())),
        value => out.push((prefix.into(), value.to_string())),
    }
}
