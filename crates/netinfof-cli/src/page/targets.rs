//! Results on numeric targets and on label sets, as sections of the page.

use std::fmt::Write as _;

use netinfof::report::ActReport;

use super::table::{TableCell, count, number, table};

/// Labels that are listed.
const LISTED: usize = 200;

pub(super) fn results(out: &mut String, act: &ActReport) {
    if let Some(own) = &act.numbers {
        let done = match own.transformation.as_str() {
            "none" => "The target was not transformed.".to_string(),
            other => format!(
                "The model is fitted on the {other} of the target, because its tail is heavy; predictions and metrics are on the original scale."
            ),
        };
        let _ = write!(
            out,
            "<h3>Predicted values</h3><p class=\"note\">{done} {:.1} % of the test nodes lie in the 95 % interval of their prediction.</p>",
            100.0 * own.coverage
        );
        let rows: Vec<(String, Vec<TableCell>)> = own
            .tenths
            .iter()
            .enumerate()
            .map(|(at, &[found, truth])| {
                ((at + 1).to_string(), vec![number("predicted", found, 4), number("target", truth, 4)])
            })
            .collect();
        let heads = [("tenth", false), ("mean prediction", true), ("mean target", true)];
        table(
            out,
            "tenths-table",
            "Test nodes of the first split, by predicted value in groups of equal size",
            &heads,
            &rows,
        );
    }
    if let Some(own) = &act.labels {
        let rows: Vec<(String, Vec<TableCell>)> = own
            .names
            .iter()
            .zip(&own.nodes)
            .zip(own.auc.iter().zip(&own.f1))
            .take(LISTED)
            .map(|((name, &nodes), (&auc, &f1))| {
                let figure = |key, value: Option<f64>| number(key, value.unwrap_or(f64::NAN), 3);
                (name.clone(), vec![count("nodes", nodes), figure("auc", auc), figure("f1", f1)])
            })
            .collect();
        let _ = write!(
            out,
            "<details><summary>Labels</summary><p class=\"note\">Labels with a probability of at least {:.3} are predicted; the threshold was chosen on validation nodes.</p>",
            own.threshold
        );
        let heads = [("label", false), ("nodes", true), ("AUC", true), ("F1", true)];
        table(out, "label-table", "Test nodes of the first split, label by label", &heads, &rows);
        out.push_str("</details>");
    }
}
