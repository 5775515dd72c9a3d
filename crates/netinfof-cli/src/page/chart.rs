//! The page's figures: inline SVG in the page's own colours, each with a title and a description in words.

use std::fmt::Write as _;

use netinfof::report::Estimate;
use netinfof::report::{Comparison, Group};
use netinfof::report::{CompatReport, ComponentSummary, Histogram, OrderedMap};
use netinfof::report::{Information, TargetKind};

use super::table::{escape, term};
use crate::printer::fixed;

/// An SVG of this size with title and description. `id` must be unique on the page and may hold any text.
fn drawn(id: &str, [width, height]: [f64; 2], title: &str, description: &str, inside: &str) -> String {
    let id = escape(id);
    format!(
        "<svg viewBox=\"0 0 {width} {height}\" role=\"img\" aria-labelledby=\"{id}-t {id}-d\">\
         <title id=\"{id}-t\">{}</title><desc id=\"{id}-d\">{}</desc>{inside}</svg>",
        escape(title),
        escape(description)
    )
}

fn text(svg: &mut String, x: f64, y: f64, anchor: &str, class: &str, words: &str) {
    let _ = write!(
        svg,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" class=\"{class}\">{}</text>",
        escape(words)
    );
}

/// Maps values to pixels.
#[derive(Clone, Copy)]
struct AxisProjection {
    values: [f64; 2],
    pixels: [f64; 2],
}

impl AxisProjection {
    fn at(self, value: f64) -> f64 {
        let share = (value - self.values[0]) / (self.values[1] - self.values[0]);
        self.pixels[0] + share * (self.pixels[1] - self.pixels[0])
    }
}

pub(super) fn class(group: Group) -> &'static str {
    match group {
        Group::Structure => "structure",
        Group::Features => "features",
        Group::Propagation => "propagation",
        _ => "other",
    }
}

/// Where a chart with one row per value puts names and figures: beside the bars, or above them on narrow screens.
pub(super) struct RowLayout {
    id_ending: &'static str,
    width: f64,
    name: [f64; 2],
    anchor: &'static str,
    bars: [f64; 2],
    figure_up: f64,
    row: f64,
}

pub(super) const WIDE: RowLayout = RowLayout {
    id_ending: "",
    width: 770.0,
    name: [168.0, 4.0],
    anchor: "end",
    bars: [176.0, 720.0],
    figure_up: 4.0,
    row: 32.0,
};
const NARROW: RowLayout = RowLayout {
    id_ending: "-narrow",
    width: 340.0,
    name: [4.0, -14.0],
    anchor: "start",
    bars: [10.0, 330.0],
    figure_up: -14.0,
    row: 48.0,
};

/// A chart in both layouts, of which the page shows the one that fits the window.
pub(super) fn for_all_widths(chart: impl Fn(&RowLayout) -> String) -> String {
    format!("<div class=\"if-wide\">{}</div><div class=\"if-narrow\">{}</div>", chart(&WIDE), chart(&NARROW))
}

/// Scores as bars from the no-information line, with their intervals and the accuracy on held-out samples.
pub(super) fn scores(
    components: &[(&str, &ComponentSummary)],
    label: impl Fn(&str) -> String,
    layout: &RowLayout,
) -> String {
    let floor = components.first().map_or(0.0, |(_, c)| c.no_information);
    let lowest = components.iter().map(|(_, c)| c.interval[0]).fold(floor, f64::min);
    let from = ((lowest - 0.005) * 20.0).floor().max(0.0) / 20.0;
    let first = 20.0 + layout.row / 2.0 + (layout.row - WIDE.row) / 2.0;
    let height = 46.0 + layout.row * components.len() as f64;
    let x = AxisProjection { values: [from, 1.0], pixels: layout.bars };
    let bottom = height - 24.0;
    let mut svg = String::new();
    let step = if 1.0 - from > 0.6 { 0.2 } else { 0.1 };
    let mut tick = (from / step).ceil() * step;
    while tick < 1.0 + 1e-9 {
        let at = x.at(tick);
        let _ = write!(svg, "<path class=\"line\" d=\"M{at:.1} 18V{bottom:.1}\"/>");
        text(&mut svg, at, bottom + 16.0, "middle", "soft", &format!("{tick:.1}"));
        tick += step;
    }
    let mut said = Vec::new();
    for (row, (name, c)) in components.iter().enumerate() {
        let y = first + layout.row * row as f64;
        let (start, end) = (x.at(floor), x.at(c.corrected));
        let [low, high] = c.interval.map(|v| x.at(v.clamp(from, 1.0)));
        text(&mut svg, layout.name[0], y + layout.name[1], layout.anchor, "", &label(name));
        let _ = write!(
            svg,
            "<g class=\"{}\"><rect class=\"bar\" x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"18\"/></g>\
             <path class=\"whisker\" d=\"M{low:.1} {y:.1}H{high:.1}M{low:.1} {:.1}v8M{high:.1} {:.1}v8\"/>",
            class(c.group),
            start.min(end),
            y - 9.0,
            (end - start).abs().max(0.5),
            y - 4.0,
            y - 4.0
        );
        let held = x.at(c.held_out.value.clamp(from, 1.0));
        let _ = write!(svg, "<path class=\"held\" d=\"M{held:.1} {:.1}l5 5l-5 5l-5 -5z\"/>", y - 5.0);
        text(&mut svg, layout.width - 8.0, y + layout.figure_up, "end", "", &fixed(c.corrected, 3));
        said.push(format!("{name} {:.3} from {:.3} to {:.3}", c.corrected, c.interval[0], c.interval[1]));
    }
    let at = x.at(floor);
    let _ = write!(svg, "<path class=\"dash\" d=\"M{at:.1} 18V{bottom:.1}\"/>");
    text(
        &mut svg,
        at,
        12.0,
        if at < 260.0 { "start" } else { "middle" },
        "",
        &format!("no information {floor:.2}"),
    );
    drawn(
        &format!("scores{}", layout.id_ending),
        [layout.width, height],
        "Scores of the components with 95 % intervals",
        &said.join("; "),
        &svg,
    )
}

/// Bits about the target as bars from zero, with their intervals and their share of the entropy. Made of
/// text, not SVG, so that it fits small screens.
pub(super) fn information(rows: &[(String, &str, Estimate)], found: &Information) -> String {
    // A numeric target has no maximum: the axis ends at the largest interval.
    let entropy = match found.target {
        TargetKind::Numbers => rows.iter().map(|(_, _, bits)| bits.interval[1]).fold(0.05, f64::max),
        _ => found.entropy.max(f64::MIN_POSITIVE),
    };
    let lowest = rows.iter().map(|(_, _, bits)| bits.interval[0]).fold(0.0, f64::min);
    let from = lowest.max(-0.2 * entropy);
    let x = AxisProjection { values: [from, entropy], pixels: [0.0, 100.0] };
    let at = |bits: f64| x.at(bits.clamp(from, entropy));
    let zero = at(0.0);
    let mut inside = String::new();
    let mut said = Vec::new();
    for (name, group, bits) in rows {
        let ([low, high], end) = (bits.interval.map(at), at(bits.value));
        let share = (100.0 * found.share(bits.value)).max(0.0);
        let [from, to] = bits.interval;
        let _ = write!(
            inside,
            "<div class=\"row {group}\"><span>{}</span><span class=\"track\"><i class=\"zero\" style=\"left:{zero:.2}%\"></i>\
             <i class=\"bar\" style=\"left:{:.2}%;width:{:.2}%\"></i><i class=\"span\" style=\"left:{low:.2}%;width:{:.2}%\"></i></span>\
             <span class=\"figure\"><b>{}</b> <span>{} – {}</span> <b>{share:.0} %</b></span></div>",
            explained(name),
            zero.min(end),
            (end - zero).abs().max(0.2),
            high - low,
            fixed(bits.value, 3),
            fixed(from, 3),
            fixed(to, 3),
        );
        said.push(format!("{name} {:.3} from {from:.3} to {to:.3}, {share:.0} %", bits.value));
    }
    // Quarters of the entropy, which are the shares beside the bars; a numeric target has none.
    let (unit, ticks): (&str, Vec<(f64, String)>) = match found.target {
        TargetKind::Numbers => (
            "bits",
            (0..=4)
                .map(|at| entropy * f64::from(at) / 4.0)
                .map(|bits| (bits, format!("{bits:.2}")))
                .collect(),
        ),
        _ => ("share", (0..=4).map(|at| (entropy * f64::from(at) / 4.0, format!("{} %", 25 * at))).collect()),
    };
    let ticks: String =
        ticks.iter().map(|(bits, name)| format!("<i style=\"left:{:.2}%\">{name}</i>", at(*bits))).collect();
    format!(
        "<div class=\"bits\" role=\"img\" aria-label=\"Bits about the target by group of components, with 95 % intervals and share of the entropy: \
         {}\"><div class=\"row heads\"><span></span><span></span><span class=\"figure\"><b>bits</b> <span>95 % interval</span> <b>share</b></span></div>\
         {inside}<div class=\"row\"><span class=\"unit\">{unit}</span><span class=\"track ticks\">{ticks}</span><span></span></div></div>",
        escape(&said.join("; "))
    )
}

/// The name of a group of components, with its meaning.
fn explained(name: &str) -> String {
    let meaning = match name {
        "structure" => {
            "what edges alone show: embeddings of the adjacency (U) and of random walks (R), communities, roles of nodes (C), \
             for links also statistics of pairs (X)"
        }
        "features" => "what the features of the nodes alone show, without any edge (F)",
        "propagated features" => {
            "averages of the features of neighbours (P) and of nodes with their neighbours (S), as in the layers of a GNN"
        }
        "all together" => "all components in one model",
        "control, other features" => {
            "all together, but with propagated features of other nodes: what propagation adds without the features"
        }
        "control, other edges" => {
            "all together, but with features propagated over random edges between nodes of the same degrees"
        }
        "features, by distance" => "a model of the features that also finds relations that are not linear",
        "products of components" => {
            "relations between two parts of the data where neither predicts anything alone"
        }
        _ => return escape(name),
    };
    term(name, meaning)
}

/// Differences with their intervals, and a line at zero.
pub(super) fn differences(
    comparisons: &[Comparison],
    components: &OrderedMap<ComponentSummary>,
    layout: &RowLayout,
) -> String {
    let ends = comparisons.iter().flat_map(|c| c.difference.interval);
    let (low, high) = ends.fold((0.0f64, 0.0f64), |(low, high), v| (low.min(v), high.max(v)));
    let room = (0.06 * (high - low)).max(0.01);
    // Beside the bars, figures need more room than those of scores.
    let right = if layout.figure_up > 0.0 { layout.bars[1] - 160.0 } else { layout.bars[1] };
    let x = AxisProjection { values: [low - room, high + room], pixels: [layout.bars[0], right] };
    let height = 24.0 + layout.row * comparisons.len() as f64;
    let first = 18.0 + layout.row / 2.0 + (layout.row - WIDE.row) / 2.0;
    let mut svg = String::new();
    let zero = x.at(0.0);
    let _ = write!(svg, "<path class=\"dash\" d=\"M{zero:.1} 16V{:.1}\"/>", height - 6.0);
    let anchor = if zero < layout.bars[0] + 40.0 { "start" } else { "middle" };
    text(&mut svg, zero, 11.0, anchor, "soft", "no difference");
    let mut said = Vec::new();
    for (row, c) in comparisons.iter().enumerate() {
        let y = first + layout.row * row as f64;
        let [low, high] = c.difference.interval;
        let (from, to, at) = (x.at(low), x.at(high), x.at(c.difference.value));
        let name = format!("{} over {}", c.better, c.worse);
        text(&mut svg, layout.name[0], y + layout.name[1], layout.anchor, "", &name);
        let _ = write!(
            svg,
            "<path class=\"whisker\" d=\"M{from:.1} {y:.1}H{to:.1}M{from:.1} {:.1}v8M{to:.1} {:.1}v8\"/>\
             <g class=\"{}\"><circle class=\"bar\" cx=\"{at:.1}\" cy=\"{y:.1}\" r=\"5\"/></g>",
            y - 4.0,
            y - 4.0,
            components.get(&c.better).map_or("other", |own| class(own.group))
        );
        let words = format!("{:+.3} [{low:+.3}, {high:+.3}]", c.difference.value);
        text(&mut svg, layout.width - 8.0, y + layout.figure_up, "end", "", &words);
        said.push(format!("{name} {words}"));
    }
    drawn(
        &format!("differences{}", layout.id_ending),
        [layout.width, height],
        "Differences between the best of each kind",
        &said.join("; "),
        &svg,
    )
}

/// Similarities of edges (filled) and of other pairs (a line), with the borders of the bins.
pub(super) fn histogram(name: &str, histogram: &Histogram, borders: &[f32]) -> String {
    let [width, height] = [300.0, 150.0];
    let (low, high) = (f64::from(histogram.range[0]), f64::from(histogram.range[1]));
    let x = AxisProjection { values: [low, high], pixels: [8.0, width - 8.0] };
    let shares = |counts: &[u64]| {
        let all = counts.iter().sum::<u64>().max(1) as f64;
        counts.iter().map(|&c| c as f64 / all).collect::<Vec<f64>>()
    };
    let (edges, others) = (shares(&histogram.positives), shares(&histogram.negatives));
    let top = edges.iter().chain(&others).copied().fold(1e-9, f64::max);
    let y = AxisProjection { values: [0.0, top], pixels: [height - 22.0, 8.0] };
    let step = (high - low) / edges.len() as f64;
    let outline = |shares: &[f64]| {
        let mut path = format!("M{:.1} {:.1}", x.at(low), y.at(0.0));
        for (at, &share) in shares.iter().enumerate() {
            let right = x.at(low + (at + 1) as f64 * step);
            let _ = write!(path, "V{:.1}H{right:.1}", y.at(share));
        }
        let _ = write!(path, "V{:.1}", y.at(0.0));
        path
    };
    let mut svg = String::new();
    for border in borders.iter().map(|&b| f64::from(b)).filter(|b| (low..=high).contains(b)) {
        let _ = write!(svg, "<path class=\"line\" d=\"M{:.1} 4V{:.1}\"/>", x.at(border), y.at(0.0) + 5.0);
    }
    let _ = write!(
        svg,
        "<path class=\"edges\" d=\"{}z\"/><path class=\"pairs\" d=\"{}\"/><path class=\"axis\" d=\"M8 {:.1}H{:.1}\"/>",
        outline(&edges),
        outline(&others),
        y.at(0.0),
        width - 8.0
    );
    text(&mut svg, 8.0, height - 6.0, "start", "soft", &short(low));
    text(&mut svg, width - 8.0, height - 6.0, "end", "soft", &short(high));
    let middle = |shares: &[f64]| {
        let mut sum = 0.0;
        let at = shares.iter().position(|s| {
            sum += s;
            sum >= 0.5
        });
        short(low + (at.unwrap_or(0) as f64 + 0.5) * step)
    };
    let said = format!(
        "Half of the edges lie above {}, half of the other pairs above {}; the range is {} to {}.",
        middle(&edges),
        middle(&others),
        short(low),
        short(high)
    );
    let title = format!("Similarities by {name}: edges and other pairs");
    drawn(&format!("histogram-{name}"), [width, height], &title, &said, &svg)
}

/// A compatibility matrix in blocks: positive entries in one colour, negative ones in another, stronger ones denser.
pub(super) fn heat(name: &str, compat: &CompatReport) -> String {
    const LEVELS: usize = 8;
    let size = compat.pooled.len();
    let top = compat.pooled.iter().flatten().fold(0.0f32, |top, v| top.max(v.abs())).max(f32::MIN_POSITIVE);
    let mut paths = vec![String::new(); 2 * LEVELS];
    for (row, values) in compat.pooled.iter().enumerate() {
        for (col, &value) in values.iter().enumerate() {
            // The square root of the share keeps weak entries visible.
            let level = ((value.abs() / top).sqrt() * LEVELS as f32).round() as usize;
            if level > 0 {
                let path = &mut paths[level - 1 + if value < 0.0 { LEVELS } else { 0 }];
                let _ = write!(path, "M{col} {row}h1v1h-1z");
            }
        }
    }
    let mut svg = String::new();
    for (at, path) in paths.iter().enumerate().filter(|(_, path)| !path.is_empty()) {
        let side = if at < LEVELS { "up" } else { "down" };
        let opacity = (at % LEVELS + 1) as f64 / LEVELS as f64;
        let _ = write!(svg, "<path class=\"{side}\" fill-opacity=\"{opacity:.2}\" d=\"{path}\"/>");
    }
    let side = size as f64;
    let _ = write!(
        svg,
        "<path d=\"M0 0H{side}V{side}H0z\" fill=\"none\" stroke=\"currentColor\" stroke-width=\".06\" stroke-opacity=\".5\"/>"
    );
    let said = format!(
        "{:.0} % of the matrix's weight lies on the diagonal, {:.0} % on the diagonal below zero.",
        100.0 * compat.diagonal_share,
        100.0 * compat.opposed_share
    );
    let title = format!("Compatibility matrix of {name} in {size} × {size} blocks");
    drawn(&format!("compat-{name}"), [side, side], &title, &said, &svg)
}

/// Horizontal bars; each row is name, class, value and the text beside the bar. Made of text, not SVG, so that it
/// fits small screens.
pub(super) fn bars(id: &str, title: &str, rows: &[(String, &str, f64, String)]) -> String {
    let top = rows.iter().map(|row| row.2).fold(1e-12, f64::max);
    let mut inside = String::new();
    for (name, class, value, words) in rows {
        let _ = write!(
            inside,
            "<div class=\"row {class}\"><span>{}</span><span class=\"track\"><i class=\"bar\" style=\"left:0;width:{:.2}%\"></i></span>\
             <span class=\"beside\">{}</span></div>",
            escape(name),
            100.0 * value.max(0.0) / top,
            escape(words)
        );
    }
    let said: Vec<String> = rows.iter().map(|(name, _, _, words)| format!("{name} {words}")).collect();
    format!(
        "<div id=\"{id}-t\" class=\"bits plain\" role=\"img\" aria-label=\"{}: {}\">{inside}</div>",
        escape(title),
        escape(&said.join("; "))
    )
}

/// A curve in the unit square; `chance` is the line of a model without information.
pub(super) fn curve(
    id: &str,
    title: &str,
    axes: [&str; 2],
    points: &[[f64; 2]],
    chance: [[f64; 2]; 2],
) -> String {
    let x = AxisProjection { values: [0.0, 1.0], pixels: [44.0, 330.0] };
    let y = AxisProjection { values: [0.0, 1.0], pixels: [290.0, 12.0] };
    let mut svg = String::new();
    for tick in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let (px, py) = (x.at(tick), y.at(tick));
        let _ = write!(svg, "<path class=\"line\" d=\"M{px:.1} 12V290M44 {py:.1}H330\"/>");
        text(&mut svg, px, 306.0, "middle", "soft", &short(tick));
        text(&mut svg, 38.0, py + 4.0, "end", "soft", &short(tick));
    }
    let place = |p: &[f64; 2]| format!("{:.1} {:.1}", x.at(p[0]), y.at(p[1]));
    let path = |points: &[[f64; 2]]| points.iter().map(place).collect::<Vec<_>>().join("L");
    let _ = write!(
        svg,
        "<path class=\"dash\" stroke-opacity=\".5\" d=\"M{}\"/><path class=\"curve\" d=\"M{}\"/>",
        path(&chance),
        path(points)
    );
    text(&mut svg, 187.0, 324.0, "middle", "", axes[0]);
    let _ = write!(
        svg,
        "<text transform=\"translate(10 151) rotate(-90)\" text-anchor=\"middle\">{}</text>",
        escape(axes[1])
    );
    // Points of the curve as text, for screen readers.
    let at = |share: f64| points.iter().find(|p| p[0] >= share).map(|p| format!("{:.2} at {share}", p[1]));
    let said: Vec<String> = [0.01, 0.1, 0.5, 0.9].into_iter().filter_map(at).collect();
    let said = format!("{} by {}: {}", axes[1], axes[0], said.join(", "));
    drawn(id, [340.0, 330.0], title, &said, &svg)
}

/// Nodes by degree, in steps of powers of two.
pub(super) fn degrees(steps: &[[usize; 3]]) -> String {
    let rows: Vec<(String, &str, f64, String)> = steps
        .iter()
        .map(|&[from, to, count]| {
            let range = if from == to { format!("degree {from}") } else { format!("degree {from} – {to}") };
            (range, "structure", count as f64, count.to_string())
        })
        .collect();
    bars("degrees", "Nodes by degree", &rows)
}

/// A number for an axis: no more digits than it needs.
fn short(value: f64) -> String {
    let rounded = format!("{value:.2}");
    let short = rounded.trim_end_matches('0').trim_end_matches('.');
    if short == "-0" { "0".into() } else { short.into() }
}
