//! Scatter and line plots as self-contained SVG, for light and dark backgrounds. Marks differ in shape and colour.

use std::fmt::Write as _;

/// Spacing of values on an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scale {
    Linear,
    Log,
}

/// One axis.
#[derive(Clone, Debug)]
pub(crate) struct Axis {
    pub(crate) label: String,
    pub(crate) scale: Scale,
    /// First and last value; `None` fits the points.
    pub(crate) range: Option<[f64; 2]>,
}

impl Axis {
    pub(crate) fn new(label: &str) -> Self {
        Axis { label: label.into(), scale: Scale::Linear, range: None }
    }

    pub(crate) fn log(label: &str) -> Self {
        Axis { scale: Scale::Log, ..Axis::new(label) }
    }

    pub(crate) fn range(mut self, from: f64, to: f64) -> Self {
        self.range = Some([from, to]);
        self
    }
}

/// Points with a common name, colour and mark.
#[derive(Clone, Debug)]
pub(crate) struct Series {
    pub(crate) name: String,
    pub(crate) points: Vec<[f64; 2]>,
    /// Whether a line connects them.
    pub(crate) joined: bool,
}

/// A plot with one pair of axes.
#[derive(Clone, Debug)]
pub(crate) struct Plot {
    pub(crate) title: String,
    /// Text alternative for readers who cannot see the plot.
    pub(crate) description: String,
    pub(crate) x: Axis,
    pub(crate) y: Axis,
    pub(crate) series: Vec<Series>,
    /// A straight line (on these axes) from point to point, with its name.
    pub(crate) line: Option<(String, [[f64; 2]; 2])>,
}

const WIDTH: f64 = 560.0;
const HEIGHT: f64 = 380.0;
const LEFT: f64 = 62.0;
const RIGHT: f64 = 112.0;
const TOP: f64 = 38.0;
const BOTTOM: f64 = 52.0;

/// Colours of Okabe and Ito, which are distinguishable with colour-vision deficiencies.
const COLOURS: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f7f7f"];

const STYLE: &str = "text{font:12px system-ui,sans-serif;fill:#222}.t{font-size:14px;font-weight:600}\
.a{stroke:#888;fill:none}.g{stroke:#ddd;fill:none}.l{stroke:#555;stroke-dasharray:5 4;fill:none}\
@media(prefers-color-scheme:dark){text{fill:#ddd}.a{stroke:#999}.g{stroke:#3a3a3a}.l{stroke:#bbb}}";

/// Maps values on an axis to pixels.
struct AxisProjection {
    scale: Scale,
    range: [f64; 2],
    pixels: [f64; 2],
}

impl AxisProjection {
    fn new(axis: &Axis, values: impl Iterator<Item = f64>, pixels: [f64; 2]) -> Self {
        let range = axis.range.unwrap_or_else(|| {
            let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
            for value in values.filter(|v| v.is_finite() && (axis.scale == Scale::Linear || *v > 0.0)) {
                (low, high) = (low.min(value), high.max(value));
            }
            match axis.scale {
                _ if low > high => [0.5, 1.0],
                Scale::Linear => {
                    let margin = ((high - low) * 0.06).max(1e-9);
                    [low - margin, high + margin]
                }
                Scale::Log => [low / 1.4, high * 1.4],
            }
        });
        AxisProjection { scale: axis.scale, range, pixels }
    }

    fn at(&self, value: f64) -> f64 {
        let [from, to] = self.range;
        let share = match self.scale {
            Scale::Linear => (value - from) / (to - from),
            Scale::Log => (value / from).ln() / (to / from).ln(),
        };
        self.pixels[0] + share * (self.pixels[1] - self.pixels[0])
    }

    /// Round values inside the range.
    fn ticks(&self) -> Vec<f64> {
        let [from, to] = self.range;
        match self.scale {
            Scale::Linear => {
                let rough = (to - from) / 5.0;
                let power = 10f64.powf(rough.log10().floor());
                let step = [1.0, 2.0, 5.0, 10.0].map(|m| m * power).into_iter().find(|s| *s >= rough);
                let step = step.unwrap_or(rough);
                let first = (from / step).ceil() as i64;
                let last = (to / step + 1e-9).floor() as i64;
                (first..=last).map(|k| k as f64 * step).collect()
            }
            Scale::Log => {
                let decades = to.log10() - from.log10();
                let marks: &[f64] = if decades < 2.5 { &[1.0, 2.0, 5.0] } else { &[1.0] };
                let powers = from.log10().floor() as i32..=to.log10().ceil() as i32;
                let all = powers.flat_map(|p| marks.iter().map(move |m| m * 10f64.powi(p)));
                all.filter(|v| (from..=to).contains(v)).collect()
            }
        }
    }
}

fn number(value: f64, scale: Scale) -> String {
    match scale {
        Scale::Log if value >= 1e4 => {
            let power = value.log10().floor() as i32;
            let factor = (value / 10f64.powi(power)).round();
            let factor = if factor > 1.0 { format!("{factor}·") } else { String::new() };
            format!("{factor}10{}", superscript(power))
        }
        _ => {
            let text = format!("{value:.3}");
            text.trim_end_matches('0').trim_end_matches('.').to_string()
        }
    }
}

fn superscript(power: i32) -> String {
    power
        .to_string()
        .chars()
        .map(|c| c.to_digit(10).map_or('⁻', |d| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(d as usize).unwrap_or(c)))
        .collect()
}

/// A mark whose shape depends on the number of its series.
fn mark(shape: usize, x: f64, y: f64, colour: &str) -> String {
    let points = |offsets: &[[f64; 2]]| {
        offsets.iter().map(|[dx, dy]| format!("{:.1},{:.1}", x + dx, y + dy)).collect::<Vec<_>>().join(" ")
    };
    let style = format!("fill=\"{colour}\" fill-opacity=\".75\"");
    match shape % 5 {
        0 => format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.6\" {style}/>"),
        1 => {
            format!("<rect x=\"{:.1}\" y=\"{:.1}\" width=\"6.6\" height=\"6.6\" {style}/>", x - 3.3, y - 3.3)
        }
        2 => format!("<polygon points=\"{}\" {style}/>", points(&[[0.0, -4.4], [4.2, 3.2], [-4.2, 3.2]])),
        3 => format!(
            "<polygon points=\"{}\" {style}/>",
            points(&[[0.0, -4.6], [4.6, 0.0], [0.0, 4.6], [-4.6, 0.0]])
        ),
        _ => format!("<polygon points=\"{}\" {style}/>", points(&[[0.0, 4.4], [4.2, -3.2], [-4.2, -3.2]])),
    }
}

impl Plot {
    /// The plot as an SVG document.
    pub(crate) fn svg(&self) -> String {
        let points = || self.series.iter().flat_map(|s| s.points.iter().copied());
        let line_points = || self.line.iter().flat_map(|(_, ends)| ends.iter().copied());
        let all = || points().chain(line_points());
        let x = AxisProjection::new(&self.x, all().map(|p| p[0]), [LEFT, WIDTH - RIGHT]);
        let y = AxisProjection::new(&self.y, all().map(|p| p[1]), [HEIGHT - BOTTOM, TOP]);
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\">\
             <title>{}</title><desc>{}</desc><style>{STYLE}</style>",
            escape(&self.title),
            escape(&self.description)
        );
        let _ = write!(svg, "<text class=\"t\" x=\"{LEFT}\" y=\"20\">{}</text>", escape(&self.title));
        for tick in x.ticks() {
            let at = x.at(tick);
            let _ = write!(
                svg,
                "<path class=\"g\" d=\"M{at:.1} {TOP}V{:.1}\"/><text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                HEIGHT - BOTTOM,
                HEIGHT - BOTTOM + 17.0,
                number(tick, x.scale)
            );
        }
        for tick in y.ticks() {
            let at = y.at(tick);
            let _ = write!(
                svg,
                "<path class=\"g\" d=\"M{LEFT} {at:.1}H{:.1}\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                WIDTH - RIGHT,
                LEFT - 7.0,
                at + 4.0,
                number(tick, y.scale)
            );
        }
        let _ = write!(
            svg,
            "<path class=\"a\" d=\"M{LEFT} {TOP}V{:.1}H{:.1}\"/>",
            HEIGHT - BOTTOM,
            WIDTH - RIGHT
        );
        let middle = (LEFT + WIDTH - RIGHT) / 2.0;
        let _ = write!(
            svg,
            "<text x=\"{middle}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            HEIGHT - 12.0,
            escape(&self.x.label)
        );
        let centre = (TOP + HEIGHT - BOTTOM) / 2.0;
        let _ = write!(
            svg,
            "<text transform=\"translate(16 {centre}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            escape(&self.y.label)
        );
        if let Some((_, [from, to])) = &self.line {
            let _ = write!(
                svg,
                "<path class=\"l\" d=\"M{:.1} {:.1}L{:.1} {:.1}\"/>",
                x.at(from[0]),
                y.at(from[1]),
                x.at(to[0]),
                y.at(to[1])
            );
        }
        let legend = WIDTH - RIGHT + 16.0;
        let mut row = TOP + 8.0;
        for (number, series) in self.series.iter().enumerate() {
            let colour = COLOURS[number % COLOURS.len()];
            let place = |p: &[f64; 2]| [x.at(p[0]), y.at(p[1])];
            if series.joined && series.points.len() > 1 {
                let path: Vec<String> =
                    series.points.iter().map(place).map(|[x, y]| format!("{x:.1} {y:.1}")).collect();
                let _ = write!(
                    svg,
                    "<path d=\"M{}\" stroke=\"{colour}\" stroke-width=\"1.6\" fill=\"none\"/>",
                    path.join("L")
                );
            }
            for [px, py] in series.points.iter().map(place) {
                svg.push_str(&mark(number, px, py, colour));
            }
            svg.push_str(&mark(number, legend, row - 4.0, colour));
            let _ = write!(
                svg,
                "<text x=\"{:.1}\" y=\"{row:.1}\">{}</text>",
                legend + 10.0,
                escape(&series.name)
            );
            row += 18.0;
        }
        if let Some((name, _)) = &self.line {
            let _ = write!(
                svg,
                "<path class=\"l\" d=\"M{:.1} {:.1}h14\"/><text x=\"{:.1}\" y=\"{row:.1}\">{}</text>",
                legend - 6.0,
                row - 4.0,
                legend + 12.0,
                escape(name)
            );
        }
        svg.push_str("</svg>");
        svg
    }
}

/// Escapes text for XML.
pub(crate) fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot() -> Plot {
        Plot {
            title: "<script>".into(),
            description: "a & b".into(),
            x: Axis::new("x").range(0.0, 1.0),
            y: Axis::log("seconds"),
            series: vec![Series {
                name: "\"U\"".into(),
                points: vec![[0.0, 1.0], [1.0, 100.0]],
                joined: true,
            }],
            line: Some(("y = x".into(), [[0.0, 1.0], [1.0, 100.0]])),
        }
    }

    #[test]
    fn text_is_escaped() {
        let svg = plot().svg();
        assert!(svg.contains("&lt;script&gt;") && svg.contains("a &amp; b") && svg.contains("&quot;U&quot;"));
        assert!(!svg.contains("<script"));
    }

    #[test]
    fn positions_follow_the_scale() {
        let log = AxisProjection::new(&Axis::log("").range(1.0, 100.0), std::iter::empty(), [0.0, 10.0]);
        assert!((log.at(10.0) - 5.0).abs() < 1e-12);
        let linear = AxisProjection::new(&Axis::new("").range(0.0, 4.0), std::iter::empty(), [10.0, 0.0]);
        assert!((linear.at(1.0) - 7.5).abs() < 1e-12);
        assert_eq!(linear.ticks(), [0.0, 1.0, 2.0, 3.0, 4.0]);
        assert_eq!(log.ticks(), [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0]);
        assert_eq!([1e4, 2e4, 1e7, 500.0].map(|v| number(v, Scale::Log)), ["10⁴", "2·10⁴", "10⁷", "500"]);
    }

    #[test]
    fn empty_plots_are_drawn() {
        let empty = Plot { series: Vec::new(), line: None, x: Axis::new(""), ..plot() };
        assert!(empty.svg().ends_with("</svg>"));
    }
}
