//! A run as one self-contained page: everything inside it, nothing loaded, readable without its script.
//!
//! Every number comes from the [`Report`] as it is; what is shown rounded stands in full in `data-v`, which sorting uses too.

mod chart;

use std::fmt::Write as _;

use netinfof::Report;
use netinfof::act::ActReport;
use netinfof::evidence::Estimate;
use netinfof::information::Answer;
use netinfof::report::{ComponentReport, ComponentSummary, SplitReport};
use netinfof::verdict::Group;

use crate::printer::{self, headline, meaning};

/// The page of a report.
pub(crate) fn page(report: &Report) -> String {
    let mut body = String::new();
    header(&mut body, report);
    information(&mut body, report);
    components(&mut body, report);
    let first = report.splits.first();
    if let Some(split) = first {
        if report.task == netinfof::TaskKind::Links {
            similarities(&mut body, report, split);
            compatibility(&mut body, report, split);
        } else {
            clusters(&mut body, report, split);
        }
    }
    if let Some(act) = first.and_then(|split| split.act.as_ref()) {
        solved(&mut body, report, act);
    }
    facts(&mut body, report);
    again(&mut body, report);
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\
         <title>{} · {} · {}</title>\n<style>\n{}</style></head>\n<body><a class=\"skip\" href=\"#verdict\">To the verdict</a><main>\n{body}\
         <footer>netinfof {} · scores after NetInfoF (Lee et al., ICLR 2024)</footer></main>\n<script>\n{}</script></body></html>\n",
        escape(&report.graph.name),
        report.task.name(),
        escape(headline(report.verdict.kind)),
        include_str!("page/style.css"),
        escape(&report.netinfof),
        include_str!("page/sort.js"),
    )
}

fn header(out: &mut String, report: &Report) {
    let kind = serde_json::to_value(report.verdict.kind).ok();
    let _ = write!(
        out,
        "<header><h1>{}</h1><p>{}</p></header>\n\
         <section id=\"verdict\" class=\"{}\" aria-label=\"Verdict\"><h2>{}</h2><p id=\"reason\">{}</p><p id=\"next\"><b>Next.</b> {}</p></section>\n",
        escape(&report.graph.name),
        escape(&printer::run_line(report)),
        kind.as_ref().and_then(|kind| kind.as_str()).unwrap_or(""),
        escape(headline(report.verdict.kind)),
        code(&report.verdict.reason),
        code(&report.verdict.next)
    );
    if let Some(line) = printer::preparation_line(report) {
        let _ = write!(out, "<p class=\"note\" id=\"preparation\">{}</p>", escape(&line));
    }
    if !report.notices.is_empty() {
        out.push_str("<ul class=\"note\" id=\"notices\">");
        for notice in &report.notices {
            let _ = write!(out, "<li>{}</li>", escape(notice));
        }
        out.push_str("</ul>\n");
    }
    let mut places = Vec::new();
    if report.predictive_information.is_some() {
        places.push(("information", "Predictive information"));
    }
    places.push(("components", "Components"));
    places.extend(if report.task == netinfof::TaskKind::Links {
        vec![("similarities", "Similarities"), ("compatibility", "Compatibility")]
    } else {
        vec![("clusters", "Clusters and classes")]
    });
    if report.splits.first().is_some_and(|split| split.act.is_some()) {
        places.push(("act", "Solved"));
    }
    places.extend([("graph", "The graph"), ("again", "Run it again")]);
    out.push_str("<nav aria-label=\"Contents\"><ul>");
    for (id, name) in places {
        let _ = write!(out, "<li><a href=\"#{id}\">{name}</a></li>");
    }
    out.push_str("</ul></nav>\n");
}

/// Text as HTML that shows exactly this text.
fn escape(text: &str) -> String {
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

/// Text with `code` marked.
fn code(text: &str) -> String {
    let parts = escape(text);
    let marked = parts
        .split('`')
        .enumerate()
        .map(|(at, part)| if at % 2 == 1 { format!("<code>{part}</code>") } else { part.to_string() });
    marked.collect()
}

/// A cell: what it says, and the number behind it.
struct Cell {
    shown: String,
    value: Option<f64>,
    key: &'static str,
}

fn number(key: &'static str, value: f64, digits: usize) -> Cell {
    Cell { shown: format!("{value:.digits$}"), value: Some(value), key }
}

fn count(key: &'static str, value: u64) -> Cell {
    Cell { shown: value.to_string(), value: Some(value as f64), key }
}

/// An interval; its lower end sorts.
fn range(key: &'static str, [low, high]: [f64; 2]) -> Cell {
    Cell { shown: format!("{low:.3} – {high:.3}"), value: Some(low), key }
}

fn words(key: &'static str, shown: impl Into<String>) -> Cell {
    Cell { shown: shown.into(), value: None, key }
}

/// A sortable table: heads with whether numbers stand below them, rows by name.
fn table(out: &mut String, id: &str, caption: &str, heads: &[(&str, bool)], rows: &[(String, Vec<Cell>)]) {
    let _ = write!(
        out,
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{}\"><table id=\"{id}\" class=\"sortable\"><caption>{}</caption><thead><tr>",
        escape(caption),
        escape(caption)
    );
    for (name, numeric) in heads {
        let class = if *numeric { " class=\"n\"" } else { "" };
        let _ = write!(out, "<th scope=\"col\"{class}>{}</th>", escape(name));
    }
    out.push_str("</tr></thead><tbody>");
    for (name, cells) in rows {
        let _ = write!(out, "<tr data-row=\"{0}\"><th scope=\"row\">{0}</th>", escape(name));
        for cell in cells {
            let _ = match cell.value {
                Some(value) => write!(out, "<td class=\"n\" data-key=\"{}\" data-v=\"{value}\">", cell.key),
                None => write!(out, "<td data-key=\"{}\">", cell.key),
            };
            let _ = write!(out, "{}</td>", escape(&cell.shown));
        }
        out.push_str("</tr>");
    }
    out.push_str("</tbody></table></div>\n");
}

/// Bits about the target, by groups of components and against each other.
fn information(out: &mut String, report: &Report) {
    let Some(found) = &report.predictive_information else { return };
    let shown: Vec<(String, &str, Estimate)> = [
        ("structure", "structure", "structure"),
        ("features", "features", "features"),
        ("propagation", "propagated features", "propagation"),
        ("all", "all together", "other"),
        ("control", "control: shuffled features", "pale"),
        ("features, nonlinear", "features, nonlinear", "pale"),
    ]
    .into_iter()
    .filter_map(|(name, words, class)| Some((words.to_string(), class, found.bits(name)?)))
    .collect();
    let _ = write!(
        out,
        "<section id=\"information\"><h2>Predictive information</h2><p class=\"note\">Bits about the target that a linear model over a group of components \
         predicts on samples it has not seen, of {:.2} bits in all. Whiskers are 95 % intervals. {} samples; each model was fitted on {} of them. Pale bars are controls.</p>\
         <figure class=\"chart\" tabindex=\"0\">{}</figure>",
        found.entropy,
        found.samples,
        found.training,
        chart::information(&shown, found.entropy)
    );
    let rows: Vec<(String, Vec<Cell>)> = found
        .groups
        .iter()
        .map(|own| {
            let share = own.bits.value / found.entropy.max(f64::MIN_POSITIVE);
            let cells = vec![
                number("bits.value", own.bits.value, 3),
                range("bits.interval", own.bits.interval),
                number("share", share, 3),
                number("score", own.score, 3),
                words("components", own.components.join(", ")),
            ];
            (own.name.to_string(), cells)
        })
        .collect();
    let heads = [
        ("group", false),
        ("bits", true),
        ("95 % interval", true),
        ("share", true),
        ("score", true),
        ("components", false),
    ];
    table(
        out,
        "information-table",
        "Groups, then single components; the score is 2 to the power of minus the cross entropy",
        &heads,
        &rows,
    );
    let rows: Vec<(String, Vec<Cell>)> = found
        .gains
        .iter()
        .map(|gain| {
            let answer = match gain.answer {
                Answer::Shown => "shown",
                Answer::Excluded => "excluded",
                Answer::Open => "open",
            };
            let cells = vec![
                number("bits.value", gain.bits.value, 3),
                range("bits.interval", gain.bits.interval),
                words("answer", answer),
            ];
            (format!("{} over {}", gain.of, gain.over), cells)
        })
        .collect();
    let heads = [("gain", false), ("bits", true), ("95 % interval", true), ("answer", false)];
    let caption = format!(
        "Groups compared on the same samples. Shown: above zero and at least {:.3} bits, the smallest gain worth having. Excluded: below it.",
        found.smallest_gain
    );
    table(out, "gain-table", &caption, &heads, &rows);
    out.push_str("</section>\n");
}

fn components(out: &mut String, report: &Report) {
    let all: Vec<(&str, &ComponentSummary)> = report.components.iter().collect();
    let label = |name: &str| format!("{name}  {}", meaning(name, report));
    let _ = write!(
        out,
        "<section id=\"components\"><h2>Information in each component</h2><p class=\"note\">The score 2<sup>−H(Y|X)</sup> measures how well a \
         component alone predicts the answer: a lower bound on accuracy, found without training. Bars begin at the score of no information; \
         whiskers are 95 % intervals; diamonds show the accuracy on held-out samples. For links a component counts as a signal only if it also \
         predicts edges against degree-matched negatives.</p><figure class=\"chart\" tabindex=\"0\">{}<figcaption>{}</figcaption></figure>",
        chart::scores(&all, label),
        [
            (Group::Structure, "structure"),
            (Group::Features, "features"),
            (Group::Propagation, "propagated"),
            (Group::Other, "other"),
        ]
        .into_iter()
        .filter(|(group, _)| all.iter().any(|(_, c)| c.group == *group))
        .map(|(group, name)| {
            format!("<span class=\"{}\"><span class=\"key\"></span>{name}</span>", chart::class(group))
        })
        .collect::<Vec<_>>()
        .join(" &nbsp; ")
    );
    let heads = [
        ("component", false),
        ("corrected", true),
        ("95 % interval", true),
        ("score", true),
        ("normalised", true),
        ("accuracy", true),
        ("held-out", true),
        ("95 % interval", true),
        ("p", true),
        ("degree-matched", true),
        ("signal", false),
        ("samples", true),
        ("bins", true),
        ("dim", true),
    ];
    let first = &report.splits.first().map(|split| &split.components);
    let rows: Vec<(String, Vec<Cell>)> = all
        .iter()
        .map(|(name, c)| {
            let own = first.and_then(|components| components.get(name));
            let cells = vec![
                number("corrected", c.corrected, 3),
                range("interval", c.interval),
                number("score", c.score, 3),
                number("normalized", c.normalized, 3),
                number("accuracy", c.accuracy, 3),
                number("held_out.value", c.held_out.value, 3),
                range("held_out.interval", c.held_out.interval),
                number("p_value", c.p_value, 3),
                match c.beyond_degree {
                    Some(matched) => number("beyond_degree.corrected", matched.corrected, 3),
                    None => words("beyond_degree.corrected", "–"),
                },
                words("tells", if c.tells { "yes" } else { "no" }),
                count("samples", own.map_or(0, |own| own.samples)),
                count("bins", own.map_or(0, |own| own.bins as u64)),
                count("dim", own.map_or(0, |own| own.dim as u64)),
            ];
            (name.to_string(), cells)
        })
        .collect();
    let caption = format!(
        "All figures, {}; samples, bins (k) and columns of the first. Corrected is the score less its bias from few samples, with its interval.",
        match report.splits.len() {
            1 => "of one split".to_string(),
            n => format!("means of {n} splits (the median for p)"),
        }
    );
    table(out, "component-table", &caption, &heads, &rows);
    if !report.comparisons.is_empty() {
        let _ = write!(
            out,
            "<h3>Structure, features and propagation against each other</h3><p class=\"note\">How much higher the best of one kind scores than \
             the best of another on the same samples. Where the whiskers do not reach zero, the difference holds at 95 %.</p><figure class=\"chart\" tabindex=\"0\">{}</figure>",
            chart::differences(&report.comparisons, &report.components)
        );
    }
    if !report.additions.is_empty() {
        let rows: Vec<(String, Vec<Cell>)> = report
            .additions
            .iter()
            .map(|a| {
                let cells = vec![
                    words("given", a.given.as_str()),
                    number("gain", a.gain, 3),
                    number("p_value", a.p_value, 3),
                ];
                (a.component.clone(), cells)
            })
            .collect();
        let heads = [("component", false), ("added to", false), ("gain", true), ("p", true)];
        table(
            out,
            "addition-table",
            "What a second component adds to one that is known already: how much higher both together score",
            &heads,
            &rows,
        );
    }
    out.push_str("</section>\n");
}

fn similarities(out: &mut String, report: &Report, split: &SplitReport) {
    out.push_str(
        "<section id=\"similarities\"><h2>How edges and other pairs look</h2><p class=\"note\">Similarities of validation pairs in the first split: \
         edges filled, other pairs as a line. The further apart they lie, the better the component separates them. Upright lines are the borders of Probe's \
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
        let rows: Vec<(String, Vec<Cell>)> = component
            .table
            .iter()
            // Equal borders are merged; the bins between them do not exist.
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
    out.push_str("</details></section>\n");
}

fn compatibility(out: &mut String, report: &Report, split: &SplitReport) {
    let fitted = || split.components.iter().filter_map(|(name, c)| Some((name, c, c.compat.as_ref()?)));
    let block = fitted().map(|(_, _, compat)| compat.block).max().unwrap_or(1);
    let _ = write!(
        out,
        "<section id=\"compatibility\"><h2>Which dimensions join</h2><p class=\"note\">The compatibility matrix H* of each component in the first \
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
    out.push_str("</div></section>\n");
}

/// A table of counts with shades, rows summing to their darkest.
fn counts(out: &mut String, caption: &str, corner: &str, columns: &[String], rows: &[(String, &[u64])]) {
    const MOST: usize = 4000;
    if columns.len() * rows.len() > MOST {
        let _ = write!(
            out,
            "<p class=\"note\">{}: {} × {}, too many to show; the JSON has them.</p>",
            escape(caption),
            rows.len(),
            columns.len()
        );
        return;
    }
    let _ = write!(
        out,
        "<div class=\"wide\" tabindex=\"0\" role=\"region\" aria-label=\"{0}\"><table class=\"sortable\"><caption>{0}</caption><thead><tr><th scope=\"col\">{1}</th>",
        escape(caption),
        escape(corner)
    );
    for column in columns {
        let _ = write!(out, "<th scope=\"col\" class=\"n\">{}</th>", escape(column));
    }
    out.push_str("</tr></thead><tbody>");
    for (name, row) in rows {
        let all = row.iter().sum::<u64>().max(1) as f64;
        let _ = write!(out, "<tr><th scope=\"row\">{}</th>", escape(name));
        for &count in *row {
            let share = count as f64 / all;
            let _ =
                write!(out, "<td class=\"n shade\" style=\"--s:{share:.2}\" data-v=\"{count}\">{count}</td>");
        }
        out.push_str("</tr>");
    }
    out.push_str("</tbody></table></div>\n");
}

fn clusters(out: &mut String, report: &Report, split: &SplitReport) {
    let best = report.components.iter().max_by(|a, b| a.1.corrected.total_cmp(&b.1.corrected));
    let best = best.map(|(name, _)| name);
    out.push_str(
        "<section id=\"clusters\"><h2>Clusters and classes</h2><p class=\"note\">Labelled nodes by cluster (rows) and class (columns), in the first \
         split. Clusters are found without labels; the more a cluster holds of one class, the better the component predicts it.</p>",
    );
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
    out.push_str("</section>\n");
}

/// Names of the classes: the graph's own numbers where they are known.
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

fn solved(out: &mut String, report: &Report, act: &ActReport) {
    out.push_str("<section id=\"act\"><h2>Solved with the same components</h2>");
    let several = report.splits.len() > 1;
    let mut heads = vec![("metric", false), ("test", true)];
    if several {
        heads.push(("deviation", true));
    }
    heads.push((if several { "validation, first split" } else { "validation" }, true));
    let rows: Vec<(String, Vec<Cell>)> = report
        .mean
        .test
        .iter()
        .map(|(name, &value)| {
            let mut cells = vec![number("test", value, 4)];
            if several {
                cells.push(number("std", report.std.test.get(name).copied().unwrap_or(0.0), 4));
            }
            cells.push(number("valid", act.valid.get(name).copied().unwrap_or(f64::NAN), 4));
            (name.to_string(), cells)
        })
        .collect();
    table(out, "metric-table", "Metrics; test figures are means of the splits", &heads, &rows);
    let weights: Vec<(String, &str, f64, String)> = act
        .weights
        .iter()
        .map(|(name, &norm)| {
            let group = report.components.get(name).map_or("other", |c| chart::class(c.group));
            let kept = act.nonzero.get(name).copied().unwrap_or(0);
            let said =
                if norm == 0.0 { "0: of no use".into() } else { format!("{norm:.3} ({kept} weights)") };
            (format!("{name}  {}", meaning(name, report)), group, norm, said)
        })
        .collect();
    let _ = write!(
        out,
        "<h3>Weights of the components</h3><p class=\"note\">Length of each component's weights in the first split. The sparse-group LASSO sets \
         whole components to exactly 0; the penalty was chosen on validation data (λ₁ {:.2e}, λ₂ {:.2e}).</p><figure class=\"chart\" tabindex=\"0\">{}</figure>",
        act.chosen.lambda1,
        act.chosen.lambda2,
        chart::bars("weights", "Weights of the components", &weights)
    );
    if let Some(curves) = &act.curves {
        let share = curves.precision_recall.last().map_or(0.5, |last| last[1]);
        let figure = |name: &str| act.test.get(name).map_or(String::new(), |v| format!(" · {name} {v:.4}"));
        let _ = write!(
            out,
            "<h3>Test pairs by rank</h3><div class=\"pair\"><figure>{}<figcaption><b>ROC</b>{}</figcaption></figure>\
             <figure>{}<figcaption><b>Precision and recall</b>{}</figcaption></figure></div>",
            chart::curve(
                "roc",
                "ROC curve of the test pairs",
                ["other pairs passed", "edges passed"],
                &curves.roc,
                [[0.0, 0.0], [1.0, 1.0]]
            ),
            figure("auc"),
            chart::curve(
                "pr",
                "Precision and recall of the test pairs",
                ["recall", "precision"],
                &curves.precision_recall,
                [[0.0, share], [1.0, share]]
            ),
            figure("ap")
        );
    }
    if let Some(confusion) = &act.confusion {
        let names: Vec<String> = confusion.classes.iter().map(|class| format!("class {class}")).collect();
        let rows: Vec<(String, &[u64])> =
            names.iter().cloned().zip(confusion.confusion.iter().map(Vec::as_slice)).collect();
        out.push_str("<h3>True and predicted classes</h3>");
        counts(
            out,
            "Test nodes of the first split by true class (rows) and predicted class (columns)",
            "true \\ predicted",
            &names,
            &rows,
        );
    }
    out.push_str("</section>\n");
}

fn facts(out: &mut String, report: &Report) {
    let g = &report.graph;
    let share = |part: usize| if g.nodes == 0 { 0.0 } else { part as f64 / g.nodes as f64 };
    let mut rows = vec![
        ("nodes", count("nodes", g.nodes as u64), ""),
        ("edges", count("edges", g.edges as u64), "undirected, without self loops and repeats"),
        ("features", count("features", g.features as u64), "columns"),
        ("features not zero", number("feature_density", g.feature_density, 4), "share of all entries"),
        ("classes", count("classes", g.classes as u64), ""),
        ("labelled nodes", count("labelled", g.labelled as u64), ""),
        ("mean degree", number("mean_degree", g.mean_degree, 2), ""),
        ("largest degree", count("max_degree", g.max_degree as u64), ""),
        ("isolated nodes", count("isolated", g.isolated as u64), "without an edge"),
        ("share isolated", number("isolated_share", share(g.isolated), 4), ""),
        (
            "repeated features",
            count("repeated_features", g.repeated_features as u64),
            "nodes with the features of an earlier one",
        ),
        ("duplicated nodes", count("duplicated_nodes", g.duplicated_nodes as u64), "with its neighbours too"),
    ];
    if let Some(split) = report.splits.first() {
        let what = "test samples of the first split with the features of a training sample";
        rows.push(("repeats across the split", count("repeats", split.repeats as u64), what));
    }
    if let Some(r) = g.degree_assortativity {
        let what = "correlation of the degrees at the ends of an edge";
        rows.push(("degree assortativity", number("degree_assortativity", r, 3), what));
    }
    if let (Some(edge), Some(h)) = (g.edge_homophily, &g.homophily) {
        rows.extend([
            ("edge homophily", number("edge_homophily", edge, 3), "edges inside a class"),
            (
                "node homophily",
                number("node_homophily", h.node_homophily, 3),
                "neighbours of one's class, mean of the nodes",
            ),
            (
                "class-insensitive homophily",
                number("class_insensitive_homophily", h.class_insensitive_homophily, 3),
                "above the classes' sizes",
            ),
            (
                "adjusted homophily",
                number("adjusted_homophily", h.adjusted_homophily, 3),
                "0 where edges know nothing of classes",
            ),
            (
                "label informativeness",
                number("label_informativeness", h.label_informativeness, 3),
                "share of a label's entropy that a neighbour's label takes away",
            ),
        ]);
    }
    let rows: Vec<(String, Vec<Cell>)> =
        rows.into_iter().map(|(name, cell, what)| (name.into(), vec![cell, words("what", what)])).collect();
    out.push_str("<section id=\"graph\"><h2>The graph</h2>");
    table(out, "fact-table", "Facts", &[("fact", false), ("value", true), ("what it is", false)], &rows);
    let _ = writeln!(
        out,
        "<figure class=\"chart\" tabindex=\"0\">{}<figcaption>Nodes by degree, in steps of powers of two</figcaption></figure></section>",
        chart::degrees(&g.degrees)
    );
}

fn again(out: &mut String, report: &Report) {
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
    let rows: Vec<(String, Vec<Cell>)> =
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
    let rows: Vec<(String, Vec<Cell>)> = report
        .splits
        .iter()
        .map(|split| {
            (split.seed.to_string(), split.seconds.iter().map(|(_, &s)| number("seconds", s, 3)).collect())
        })
        .collect();
    table(out, "time-table", "Seconds of every stage, by split", &heads, &rows);
    let memory =
        report.peak_memory_bytes.map_or(String::new(), |b| format!(" · {} MiB of memory at most", b >> 20));
    let _ = writeln!(
        out,
        "<p class=\"note\">netinfof {} · {} · {} threads{memory}</p></section>",
        escape(&report.netinfof),
        escape(&report.platform),
        report.threads
    );
}

/// Names with dots and values of all that is nested.
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
