//! What the components rest on: similarities of pairs, compatibility matrices, clusters of nodes.

use std::fmt::Write as _;

use netinfof::Report;
use netinfof::report::{ComponentReport, SplitReport, TargetKind};

use super::chart;
use super::table::{TableCell, count, counts, escape, number, table, words};
use crate::printer::meaning;

pub(super) fn similarities(out: &mut String, report: &Report, split: &SplitReport) {
    out.push_str(
        "<section id=\"similarities\"><details><summary><h2>Similarities of edges and other pairs</h2></summary><p class=\"note\">Similarities of validation pairs in the first split: \
         edges filled, other pairs as a line. The further apart they lie, the better the component separates them. Vertical lines are the borders of Probe's \
         bins, placed on training pairs.</p><div class=\"grid\">",
    );
    for (name, component) in split.components.iter() {
        let Some(histogram) = &component.histogram else { continue };
        let _ = write!(
            out,
            "<figure>{}<figcaption><b>{}</b> {} · score in this split {:.3}</figcaption></figure>",
            chart::histogram(name, histogram, &component.borders),
            escape(name),
            meaning(name, report),
            component.score
        );
    }
    out.push_str("</div><details><summary>Counts in the bins</summary>");
    for (name, component) in split.components.iter() {
        let heads = [
            ("bin", false),
            ("from", true),
            ("other pairs", true),
            ("edges", true),
            ("share of edges", true),
        ];
        let rows: Vec<(String, Vec<TableCell>)> = component
            .table
            .iter()
            // Equal borders are merged, so there can be fewer bins than rows.
            .take(component.borders.len() + 1)
            .enumerate()
            .map(|(bin, row)| {
                let all: u64 = row.iter().sum();
                let from = match bin.checked_sub(1).and_then(|at| component.borders.get(at)) {
                    Some(&border) => number("from", f64::from(border), 3),
                    None => words("from", ""),
                };
                let share = row.get(1).copied().unwrap_or(0) as f64 / all.max(1) as f64;
                let cells = [from]
                    .into_iter()
                    .chain(row.iter().map(|&c| count("count", c)))
                    .chain([number("share", share, 3)]);
                ((bin + 1).to_string(), cells.collect())
            })
            .collect();
        table(
            out,
            &format!("bins-{}", escape(name)),
            &format!("{name}: {}", meaning(name, report)),
            &heads,
            &rows,
        );
    }
    out.push_str("</details></details></section>\n");
}

pub(super) fn compatibility(out: &mut String, report: &Report, split: &SplitReport) {
    let fitted = || split.components.iter().filter_map(|(name, c)| Some((name, c, c.compat.as_ref()?)));
    let block = fitted().map(|(_, _, compat)| compat.block).max().unwrap_or(1);
    let _ = write!(
        out,
        "<section id=\"compatibility\"><details><summary><h2>Compatibility: which dimensions join</h2></summary><p class=\"note\">The compatibility matrix H* of each component in the first \
         split{}. Weight on the diagonal: like joins like (homophily) where it is blue, a dimension joins its own opposite where it is orange. \
         Off the diagonal, different dimensions join (heterophily).</p><div class=\"grid\">",
        if block > 1 {
            format!(", in blocks of {block} × {block} of which the strongest entry is shown")
        } else {
            String::new()
        }
    );
    for (name, component, compat) in fitted() {
        if compat.pooled.is_empty() {
            continue;
        }
        let possible = component.dim * (component.dim + 1) / 2;
        let shown = escape(name);
        let _ = write!(
            out,
            "<figure>{}<figcaption><b>{shown}</b> {} · <span data-key=\"{shown}.diagonal_share\" data-v=\"{}\">{:.0} %</span> on the diagonal\
             {}, where an even spread has {:.1} % · {} of {possible} coefficients kept</figcaption></figure>",
            chart::heat(name, compat),
            meaning(name, report),
            compat.diagonal_share,
            100.0 * compat.diagonal_share,
            if compat.opposed_share > 0.005 {
                format!(" ({:.0} % below zero)", 100.0 * compat.opposed_share)
            } else {
                String::new()
            },
            100.0 / component.dim.max(1) as f64,
            compat.coefficients
        );
    }
    out.push_str("</div></details></section>\n");
}

pub(super) fn clusters(out: &mut String, report: &Report, split: &SplitReport) {
    let best = report.components.iter().max_by(|a, b| a.1.corrected.total_cmp(&b.1.corrected));
    let best = best.map(|(name, _)| name);
    out.push_str(
        "<section id=\"clusters\"><details><summary><h2>Clusters and classes</h2></summary><p class=\"note\">Labelled nodes by cluster (rows) and class (columns), in the first \
         split. Clusters are found without labels; the more a cluster holds of one class, the better the component predicts it.",
    );
    out.push_str(match report.graph.target.as_ref().map(|target| target.kind) {
        Some(TargetKind::Numbers) => " Classes are ranges of the target with equal numbers of nodes.</p>",
        Some(TargetKind::Labels) => " A node counts once for each of its labels.</p>",
        _ => "</p>",
    });
    for (name, component) in split.components.iter() {
        let columns = class_names(split, component);
        let rows: Vec<(String, &[u64])> =
            component.table.iter().enumerate().map(|(at, row)| ((at + 1).to_string(), &row[..])).collect();
        let _ = write!(
            out,
            "<details{}><summary>{} {} · score in this split {:.3}</summary>",
            if best == Some(name) { " open" } else { "" },
            escape(name),
            meaning(name, report),
            component.score
        );
        let caption = format!("{name}: nodes by cluster and class");
        counts(out, &caption, "cluster", &columns, &rows);
        out.push_str("</details>");
    }
    out.push_str("</details></section>\n");
}

/// Names of the classes: the numbers that the graph uses, if they are known.
fn class_names(split: &SplitReport, component: &ComponentReport) -> Vec<String> {
    let classes = component.table.first().map_or(0, Vec::len);
    let own = split.act.as_ref().and_then(|act| act.confusion.as_ref()).map(|confusion| &confusion.classes);
    (0..classes)
        .map(|at| match own.and_then(|own| own.get(at)) {
            Some(class) => format!("class {class}"),
            None => format!("class {at}"),
        })
        .collect()
}
