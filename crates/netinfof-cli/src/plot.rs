//! Pictures as SVG files: a map of the nodes by one component, and the scores of a report.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use netinfof::graph::Target;
use netinfof::{ComponentKind, Error, Exec, Graph, Matrix, NodeParams, Report, Result};

use crate::page::{escape, scores};

/// Nodes that are drawn at most; more would cover each other.
const MOST_NODES: usize = 3000;
/// Columns of the embedding from which the map is made.
const COLUMNS: usize = 32;
/// Width and height of the map, and the place of its legend.
const SIDE: f64 = 560.0;
const LEGEND: f64 = SIDE + 16.0;
/// Colours that can be told apart, also by people with colour blindness.
const COLOURS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d1f", "#5b4ea3"];
const REST: &str = "#9aa0a8";
/// From few to many neighbours.
const SHADES: [&str; 5] = ["#c7dcef", "#8fbadb", "#5596c5", "#2470a8", "#083d6e"];

/// What colours the nodes of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum NodeColour {
    /// The classes, or fifths of a numeric target.
    Class,
    /// The number of neighbours.
    Degree,
}

/// The scores of the components of a report, with their intervals.
pub(crate) fn of_report(report: &Report) -> String {
    let chart = scores(report);
    let size =
        chart.split("viewBox=\"0 0 ").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or("770 400");
    let (width, height) = size.split_once(' ').unwrap_or(("770", "400"));
    let head = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" style=\"background:#fff\" "
    );
    let style = format!(
        "<style>{} svg text{{font:12px system-ui,sans-serif;fill:var(--ink)}}</style>",
        include_str!("page/style.css").split("@media").next().unwrap_or_default()
    );
    let drawn = chart.replacen("<svg ", &head, 1);
    let at = drawn.find('>').map_or(0, |at| at + 1);
    format!("{}{style}{}{}\n", &drawn[..at], chart_rules(), &drawn[at..])
}

/// The rules of the page that its charts need.
fn chart_rules() -> String {
    let rules = include_str!("page/style.css").lines().filter(|line| {
        line.starts_with("svg .") || line.starts_with(".structure") || line.starts_with(".propagation")
    });
    format!("<style>{}</style>", rules.collect::<String>())
}

/// A map of the nodes in the plane: the first two principal axes of a component.
pub(crate) fn map(graph: &Graph, kind: ComponentKind, colour: NodeColour, exec: &Exec) -> Result<String> {
    let mut params = NodeParams::default();
    params.component.kinds = vec![kind];
    params.component.dim = COLUMNS;
    let built = netinfof::embedding(graph, &params, exec)?.embeddings(None, exec)?;
    let (_, rows) = built.into_iter().next().ok_or_else(|| Error::InvalidParam {
        name: "component",
        value: kind.name().into(),
        need: "a component that embeds nodes".into(),
    })?;
    // Evenly spaced, if not all.
    let drawn_nodes = graph.nodes().min(MOST_NODES);
    let nodes: Vec<usize> = (0..drawn_nodes).map(|at| at * graph.nodes() / drawn_nodes).collect();
    let places = plane(&rows, &nodes);
    let groups = groups(graph, &nodes, colour);
    let sampled = if nodes.len() < graph.nodes() {
        format!(", {} of {} nodes", nodes.len(), graph.nodes())
    } else {
        String::new()
    };
    let title = format!("{}: {} {}{sampled}", graph.name(), kind.name(), kind.spec().long_name);
    Ok(drawn(&title, &places, &groups))
}

/// Larger graphs have no map on their page, because it takes time to build the component again.
const MOST_ON_PAGE: usize = 50_000;

/// The map for the page of a run.
pub(crate) fn on_page(graph: &Graph, exec: &Exec) -> Result<Option<String>> {
    if graph.is_directed()
        || graph.context().is_some()
        || graph.nodes() > MOST_ON_PAGE
        || graph.edge_count() == 0
    {
        return Ok(None);
    }
    let map = map(graph, usual(graph), usual_colour(graph), exec)?;
    Ok(Some(map.replacen("background:#fff;color:#1b1c20;font:13px system-ui,sans-serif", "", 1)))
}

/// The component that places nodes, if none was chosen.
pub(crate) fn usual(graph: &Graph) -> ComponentKind {
    if graph.features().cols() > 0 { ComponentKind::S } else { ComponentKind::U }
}

/// What colours the nodes, if nothing was chosen: the target, if it is one value per node.
pub(crate) fn usual_colour(graph: &Graph) -> NodeColour {
    let numeric = matches!(graph.target(), Some(Target::Numbers(_)));
    if numeric || graph.labels().is_some() { NodeColour::Class } else { NodeColour::Degree }
}

/// Nodes of one colour, as positions in the list of nodes.
struct ColourGroup {
    name: String,
    colour: &'static str,
    members: Vec<usize>,
}

fn groups(graph: &Graph, nodes: &[usize], colour: NodeColour) -> Vec<ColourGroup> {
    let labels = graph.labels().filter(|_| colour == NodeColour::Class);
    if let Some(labels) = labels {
        let mut classes: BTreeMap<i32, Vec<usize>> = BTreeMap::new();
        for (at, &node) in nodes.iter().enumerate() {
            classes.entry(labels[node]).or_default().push(at);
        }
        let unknown = classes.remove(&-1);
        let mut classes: Vec<(i32, Vec<usize>)> = classes.into_iter().collect();
        classes.sort_by_key(|(class, members)| (std::cmp::Reverse(members.len()), *class));
        let rest: Vec<usize> =
            classes.split_off(classes.len().min(COLOURS.len())).into_iter().flat_map(|own| own.1).collect();
        let name = |class: i32| {
            let names = graph.class_names().and_then(|names| names.get(usize::try_from(class).ok()?));
            names.map_or_else(|| format!("class {class}"), String::clone)
        };
        let own = classes.into_iter().zip(COLOURS).map(|((class, members), colour)| ColourGroup {
            name: name(class),
            colour,
            members,
        });
        let other = [("other classes", rest), ("unlabelled", unknown.unwrap_or_default())];
        let other = other
            .into_iter()
            .filter(|(_, members)| !members.is_empty())
            .map(|(name, members)| ColourGroup { name: name.into(), colour: REST, members });
        own.chain(other).collect()
    } else {
        fifths(graph, nodes, colour)
    }
}

/// Fifths of the nodes by their number, if the target is numeric and colours are asked for by it, otherwise by degree.
/// Equal values stay together.
fn fifths(graph: &Graph, nodes: &[usize], colour: NodeColour) -> Vec<ColourGroup> {
    let numbers = match graph.target() {
        Some(Target::Numbers(numbers)) if colour == NodeColour::Class => Some(numbers),
        _ => None,
    };
    let value = |node: usize| numbers.map_or(graph.degree(node) as f64, |numbers| numbers[node]);
    let what = if numbers.is_some() { "target" } else { "degree" };
    let mut known: Vec<f64> = nodes.iter().map(|&node| value(node)).filter(|value| !value.is_nan()).collect();
    known.sort_unstable_by(f64::total_cmp);
    let last = known.len().saturating_sub(1);
    let borders: Vec<f64> =
        (1..SHADES.len()).filter_map(|fifth| known.get(fifth * last / SHADES.len()).copied()).collect();
    let mut members = vec![Vec::new(); SHADES.len()];
    let mut unknown = Vec::new();
    for (at, &node) in nodes.iter().enumerate() {
        let value = value(node);
        if value.is_nan() {
            unknown.push(at);
        } else {
            members[borders.iter().filter(|&&border| value > border).count()].push(at);
        }
    }
    let range = |own: &[usize]| {
        let values = || own.iter().map(|&at| value(nodes[at]));
        let (low, high) =
            (values().fold(f64::INFINITY, f64::min), values().fold(f64::NEG_INFINITY, f64::max));
        let shown =
            |value: f64| if value.fract() == 0.0 { format!("{value}") } else { format!("{value:.3}") };
        if low == high {
            format!("{what} {}", shown(low))
        } else {
            format!("{what} {} to {}", shown(low), shown(high))
        }
    };
    let named = members.into_iter().zip(SHADES).filter(|(members, _)| !members.is_empty());
    let mut found: Vec<ColourGroup> =
        named.map(|(members, colour)| ColourGroup { name: range(&members), colour, members }).collect();
    if !unknown.is_empty() {
        found.push(ColourGroup { name: "unlabelled".into(), colour: REST, members: unknown });
    }
    found
}

/// The places of nodes on the two axes along which their rows differ most, each between 0 and 1.
fn plane(rows: &Matrix, nodes: &[usize]) -> Vec<[f64; 2]> {
    let width = rows.cols();
    let count = nodes.len().max(1) as f64;
    let value = |node: usize, col: usize| f64::from(rows.row(node)[col]);
    let mean: Vec<f64> =
        (0..width).map(|col| nodes.iter().map(|&node| value(node, col)).sum::<f64>() / count).collect();
    let mut covariance = vec![vec![0.0; width]; width];
    for &node in nodes {
        for i in 0..width {
            let own = value(node, i) - mean[i];
            for j in 0..width {
                covariance[i][j] += own * (value(node, j) - mean[j]) / count;
            }
        }
    }
    let axes = leading_axes(&covariance);
    let mut places: Vec<[f64; 2]> = nodes
        .iter()
        .map(|&node| {
            axes.each_ref().map(|axis| (0..width).map(|col| axis[col] * (value(node, col) - mean[col])).sum())
        })
        .collect();
    for axis in 0..2 {
        let low = places.iter().map(|place| place[axis]).fold(f64::INFINITY, f64::min);
        let high = places.iter().map(|place| place[axis]).fold(f64::NEG_INFINITY, f64::max);
        for place in &mut places {
            place[axis] = if high > low { (place[axis] - low) / (high - low) } else { 0.5 };
        }
    }
    places
}

/// The two leading eigenvectors of a covariance matrix, by power iterations; zeros if there are none.
fn leading_axes(covariance: &[Vec<f64>]) -> [Vec<f64>; 2] {
    let width = covariance.len();
    let mut found: Vec<Vec<f64>> = Vec::new();
    for _ in 0..2 {
        // Any start that no axis is likely to be orthogonal to.
        let mut axis: Vec<f64> = (0..width).map(|col| 1.0 + (col as f64 * 0.7).sin()).collect();
        for _ in 0..500 {
            for own in &found {
                let along: f64 = own.iter().zip(&axis).map(|(a, b)| a * b).sum();
                axis.iter_mut().zip(own).for_each(|(v, own)| *v -= along * own);
            }
            let next: Vec<f64> =
                covariance.iter().map(|row| row.iter().zip(&axis).map(|(a, b)| a * b).sum()).collect();
            let length = next.iter().map(|v: &f64| v * v).sum::<f64>().sqrt();
            if length <= f64::MIN_POSITIVE {
                axis = vec![0.0; width];
                break;
            }
            axis = next.into_iter().map(|v| v / length).collect();
        }
        found.push(axis);
    }
    let second = found.pop().unwrap_or_default();
    [found.pop().unwrap_or_default(), second]
}

fn drawn(title: &str, places: &[[f64; 2]], groups: &[ColourGroup]) -> String {
    let (width, height) = (SIDE + 220.0, SIDE + 40.0);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" role=\"img\" \
         style=\"background:#fff;color:#1b1c20;font:13px system-ui,sans-serif\" fill=\"currentColor\"><title>{title}</title>\
         <desc>{} nodes in {} colours.</desc><text x=\"12\" y=\"22\">{title}</text>",
        places.len(),
        groups.len(),
        title = escape(title)
    );
    for group in groups {
        let mut path = String::new();
        for [x, y] in group.members.iter().map(|&at| places[at]) {
            let _ =
                write!(path, "M{:.1} {:.1}h0", 12.0 + x * (SIDE - 24.0), 34.0 + (1.0 - y) * (SIDE - 24.0));
        }
        let _ = write!(
            svg,
            "<path d=\"{path}\" stroke=\"{}\" stroke-width=\"5\" stroke-linecap=\"round\" stroke-opacity=\".75\" fill=\"none\"/>",
            group.colour
        );
    }
    for (row, group) in groups.iter().enumerate() {
        let y = 48.0 + 22.0 * row as f64;
        let mut name: String = group.name.chars().take(22).collect();
        if name.len() < group.name.len() {
            name.push('…');
        }
        let _ = write!(
            svg,
            "<circle cx=\"{LEGEND}\" cy=\"{y}\" r=\"5\" fill=\"{}\"/><text x=\"{}\" y=\"{}\">{} ({})</text>",
            group.colour,
            LEGEND + 12.0,
            y + 4.5,
            escape(&name),
            group.members.len()
        );
    }
    svg + "</svg>\n"
}

/// Whether a file is a report.
pub(crate) fn report_in(path: &Path) -> Option<Report> {
    let text = std::fs::read_to_string(path).ok()?;
    text.trim_start().starts_with('{').then(|| Report::from_json(&text).ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points on a line of slope one, and far less across it.
    #[test]
    fn the_axes_are_those_of_the_largest_spread() {
        let rows = Matrix::from_fn(50, 3, |row, col| {
            let along = row as f32 - 25.0;
            let across = if row % 2 == 0 { 1.0 } else { -1.0 };
            [along + across, along - across, 0.0][col]
        });
        let nodes: Vec<usize> = (0..50).collect();
        let places = plane(&rows, &nodes);
        let rising = places.windows(2).all(|two| two[0][0] < two[1][0]);
        let falling = places.windows(2).all(|two| two[0][0] > two[1][0]);
        assert!(rising || falling, "{places:?}");
        assert!(places.iter().all(|place| place[1] < 0.1 || place[1] > 0.9));
        // Rows that are all equal lie in the middle.
        assert_eq!(plane(&Matrix::zeros(4, 3), &[0, 1, 2, 3]), vec![[0.5, 0.5]; 4]);
    }

    #[test]
    fn small_classes_share_a_colour_and_degrees_fall_into_ranges() {
        let edges: Vec<[u32; 2]> = (1..40).map(|node| [0, node]).collect();
        let labels: Vec<i32> = (0..40).map(|node| if node == 39 { -1 } else { node % 11 }).collect();
        let graph = Graph::from_edges("star", 40, &edges).unwrap().with_labels(labels).unwrap();
        let nodes: Vec<usize> = (0..40).collect();
        let classes = groups(&graph, &nodes, NodeColour::Class);
        assert_eq!(classes.len(), COLOURS.len() + 2);
        assert_eq!(classes.iter().map(|group| group.members.len()).sum::<usize>(), 40);
        assert_eq!(classes[COLOURS.len() + 1].name, "unlabelled");
        let degrees = groups(&graph, &nodes, NodeColour::Degree);
        let names: Vec<&str> = degrees.iter().map(|group| group.name.as_str()).collect();
        assert_eq!(names, ["degree 1", "degree 39"]);
        let numbers = (0..40).map(|node| if node == 0 { f64::NAN } else { f64::from(node) / 2.0 }).collect();
        let graph = Graph::from_edges("star", 40, &edges).unwrap().with_numbers(numbers).unwrap();
        assert_eq!(usual_colour(&graph), NodeColour::Class);
        let names: Vec<String> =
            groups(&graph, &nodes, NodeColour::Class).into_iter().map(|own| own.name).collect();
        assert_eq!((names.len(), names[0].as_str()), (6, "target 0.500 to 4"));
        assert_eq!(names[5], "unlabelled");
    }
}
