//! Trained models beside Act.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use netinfof::Report;

use super::chart;
use super::table::{TableCell, count, escape, number, table, words};
use crate::baselines::{self, Baselines};

/// Test metrics, time and memory of trained models beside those of Act.
pub(super) fn compared(out: &mut String, report: &Report, trained: &Baselines) {
    let names = baselines::metrics(report);
    let found = trained.rows(report);
    let bars: Vec<(String, &str, f64, String)> = found
        .iter()
        .filter_map(|row| {
            let [mean, _] = row.values.first().copied().flatten()?;
            let class = match row.sees.as_str() {
                _ if row.own => "mine",
                "structure" | "features" | "propagation" => row.sees.as_str(),
                _ => "other",
            };
            Some((row.model.clone(), class, mean, baselines::shown(row.values[0])))
        })
        .collect();
    let splits = if trained.same_splits(report) {
        "the same splits"
    } else {
        "splits that are not all those of this report"
    };
    let devices: BTreeSet<&str> =
        found.iter().filter(|row| !row.own).map(|row| row.device.as_str()).collect();
    let legend = [
        ("structure", "structure"),
        ("features", "features"),
        ("propagation", "features passed along edges"),
        ("other", "structure and features"),
        ("mine", "netinfof act"),
    ];
    let _ = write!(
        out,
        "<section id=\"baselines\"><h2>Trained baselines</h2><p class=\"note\">Models trained on {splits} ({}), with parameters chosen on validation data. \
         Bars show {} on test data in percent, with standard deviations; colours show what a model sees.</p>\
         <figure class=\"chart\" tabindex=\"0\">{}<figcaption>{}</figcaption></figure>",
        escape(&devices.into_iter().collect::<Vec<_>>().join("; ")),
        names.first().copied().unwrap_or("the metric"),
        chart::bars("baseline-bars", "Test metric of trained models", &bars),
        legend
            .into_iter()
            .filter(|(class, _)| bars.iter().any(|bar| bar.1 == *class))
            .map(|(class, name)| format!("<span class=\"{class}\"><span class=\"key\"></span>{name}</span>"))
            .collect::<Vec<_>>()
            .join(" &nbsp; ")
    );
    let failed = found.iter().any(|row| !row.failure.is_empty());
    let rows: Vec<(String, Vec<TableCell>)> = found
        .iter()
        .map(|row| {
            let mut cells = vec![words("sees", row.sees.as_str())];
            cells.extend(row.values.iter().map(|value| match value {
                Some([mean, _]) => number("test", *mean, 4),
                None => words("test", "–"),
            }));
            cells.extend([
                count("splits", row.splits as u64),
                number("seconds", row.seconds, 1),
                number("memory", row.memory as f64 / f64::from(1 << 20), 0),
            ]);
            if failed {
                cells.push(words("failure", row.failure.as_str()));
            }
            (row.model.clone(), cells)
        })
        .collect();
    let mut heads = vec![("model", false), ("sees", false)];
    heads.extend(names.iter().map(|name| (*name, true)));
    heads.extend([("splits", true), ("seconds per split", true), ("memory, MiB", true)]);
    if failed {
        heads.push(("failures", false));
    }
    let caption = "Test metrics as means of the splits. Seconds include the choice of parameters; memory is the peak, of the GPU where one was used.";
    table(out, "baseline-table", caption, &heads, &rows);
    out.push_str("</section>\n");
}
