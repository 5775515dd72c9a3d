//! The table of components: the paper's scores, and the weights in Act.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use netinfof::Report;

use super::{gauge, meaning, terminal_width};

/// Characters of a line without the name of the component: with all columns, and without the bar.
const WITH_BAR: usize = 98;
const WITHOUT_BAR: usize = 67;
/// Characters of the column of weights.
const WEIGHT: usize = 9;

/// Adds the score of every component. Narrow terminals get fewer columns instead of broken lines; the page has all
/// of them.
pub(super) fn table(text: &mut String, report: &Report) {
    let with_act = report.splits.first().is_some_and(|split| split.act.is_some());
    let floor = report.components.iter().next().map_or(0.0, |(_, c)| c.no_information);
    // Components that only Act uses.
    let fits = report.splits.iter().filter_map(|split| split.act.as_ref());
    let weighted: BTreeSet<&str> = fits.flat_map(|act| act.weights.iter().map(|(name, _)| name)).collect();
    let only_weighted: Vec<&str> =
        weighted.into_iter().filter(|&name| report.components.get(name).is_none()).collect();
    let names = report.components.iter().map(|(name, _)| name).chain(only_weighted.iter().copied());
    let wide = names.map(|name| name.chars().count()).max().unwrap_or(0).max(2);
    let room = terminal_width().unwrap_or(usize::MAX);
    let fits = |width: usize| wide + width + if with_act { WEIGHT } else { 0 } <= room;
    let (bar, tests) = (fits(WITH_BAR), fits(WITHOUT_BAR));
    let weight = |name: &str| {
        let norms = report.splits.iter().filter_map(|s| s.act.as_ref()?.weights.get(name));
        let norm = norms.sum::<f64>() / report.splits.len() as f64;
        if norm == 0.0 { format!(" {:>8}", 0) } else { format!(" {norm:8.2}") }
    };
    let _ = write!(text, "\n  {:first$} score  95 % interval", "component", first = wide + 19);
    match (bar, tests) {
        (true, _) => {
            let _ = write!(text, "    {:20} held-out accuracy      p  signal", format!("{floor:.2} … 1"));
        }
        (false, true) => text.push_str("  held-out      p  signal"),
        (false, false) => text.push_str(" signal"),
    }
    let _ = writeln!(text, "{}", if with_act { "   weight" } else { "" });
    for (name, component) in report.components.iter() {
        let ([low, high], score) = (component.interval, component.corrected);
        let _ = write!(text, "  {name:wide$} {:18} {score:.3}  {low:.3} – {high:.3}", meaning(name, report));
        let (held, p) = (component.held_out.value, component.p_value);
        let _ = match (bar, tests) {
            (true, _) => write!(text, "   {} {held:17.3} {p:6.3} ", gauge(score, floor, 20)),
            (false, true) => write!(text, "  {held:8.3} {p:6.3} "),
            (false, false) => Ok(()),
        };
        let _ = write!(text, "{:>7}", if component.tells { "yes" } else { "no" });
        let _ = writeln!(text, "{}", if with_act { weight(name) } else { String::new() });
    }
    let blank = if bar {
        77
    } else if tests {
        46
    } else {
        28
    };
    for name in only_weighted {
        let _ = writeln!(text, "  {name:wide$} {:18}{:blank$}{}", meaning(name, report), "", weight(name));
    }
}
