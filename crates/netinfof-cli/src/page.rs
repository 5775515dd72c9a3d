//! A report as one self-contained page: it loads nothing and is readable without its script.
//!
//! Every number comes unchanged from the [`Report`]. Cells show rounded numbers; the attribute `data-v` holds the full ones, for sorting.

mod baselines;
mod chart;
mod evidence;
mod run;
mod table;
mod targets;

use std::fmt::Write as _;

use netinfof::report::ActReport;
use netinfof::report::Answer;
use netinfof::report::ComponentSummary;
use netinfof::report::Estimate;
use netinfof::report::Group;
use netinfof::report::TargetKind;
use netinfof::{ComponentKind, Report};

use crate::baselines::Baselines;
use crate::next_step;
use crate::printer::{self, headline, meaning};
use evidence::{clusters, compatibility, similarities};
use run::{again, facts};
pub(crate) use table::escape;
use table::{TableCell, code, count, counts, number, range, table, term, words};

/// The page of a report, with trained baselines to compare with, and a map of the nodes.
pub(crate) fn page(report: &Report, trained: Option<&Baselines>, map: Option<&str>) -> String {
    let mut body = String::new();
    header(&mut body, report, trained.is_some(), map.is_some());
    information(&mut body, report);
    let first = report.splits.first();
    if let Some(act) = first.and_then(|split| split.act.as_ref()) {
        solved(&mut body, report, act);
    }
    if let Some(trained) = trained {
        baselines::compared(&mut body, report, trained);
    }
    components(&mut body, report);
    if let Some(split) = first {
        if report.task == netinfof::TaskKind::Links {
            similarities(&mut body, report, split);
            compatibility(&mut body, report, split);
        } else {
            clusters(&mut body, report, split);
        }
    }
    if let Some(map) = map {
        let _ = writeln!(
            body,
            "<section id=\"map\"><details><summary><h2>Map of the nodes</h2></summary><p class=\"note\">Nodes on the two axes along which one \
             component differs most between them. Nodes that lie together are alike for this component; the other axes may separate nodes that \
             lie together here.</p><figure class=\"chart\" tabindex=\"0\">{map}</figure></details></section>"
        );
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

/// How the split lies in time, if the edges have times.
fn time_paragraph(report: &Report) -> String {
    let lines = printer::time_lines(report);
    if lines.is_empty() {
        return String::new();
    }
    format!("<p class=\"note\" id=\"time\">{}</p>", code(&lines.join(" ")))
}

fn header(out: &mut String, report: &Report, compared: bool, mapped: bool) {
    let kind = serde_json::to_value(report.verdict.kind).ok();
    let _ = write!(
        out,
        "<header><h1>{}</h1><p>{}</p>{}</header>\n\
         <section id=\"verdict\" class=\"{}\" aria-label=\"Verdict\"><h2>{}</h2><p id=\"reason\">{}</p>{}<p id=\"next\"><b>Next.</b> {}</p>{}</section>\n",
        escape(&report.graph.name),
        escape(&printer::run_line(report)),
        time_paragraph(report),
        kind.as_ref().and_then(|kind| kind.as_str()).unwrap_or(""),
        escape(headline(report.verdict.kind)),
        code(&report.verdict.reason),
        printer::result_line(report).map_or_else(String::new, |line| format!(
            "<p id=\"result\"><b>Baseline.</b> {}</p>",
            escape(&line)
        )),
        code(&report.verdict.next),
        next_step::command(report)
            .map_or_else(String::new, |line| format!("<pre id=\"next-command\">{}</pre>", escape(&line)))
    );
    let mut places = Vec::new();
    if report.predictive_information.is_some() {
        places.push(("information", "Predictive information"));
    }
    if report.splits.first().is_some_and(|split| split.act.is_some()) {
        places.push(("act", "Baseline (Act)"));
    }
    if compared {
        places.push(("baselines", "Trained baselines"));
    }
    places.push(("components", "Components"));
    places.extend(if report.task == netinfof::TaskKind::Links {
        vec![("similarities", "Similarities"), ("compatibility", "Compatibility")]
    } else {
        vec![("clusters", "Clusters and classes")]
    });
    if mapped {
        places.push(("map", "Map"));
    }
    places.extend([("graph", "The graph"), ("again", "Run it again")]);
    out.push_str("<nav aria-label=\"Contents\"><ul>");
    for (id, name) in places {
        let _ = write!(out, "<li><a href=\"#{id}\">{name}</a></li>");
    }
    out.push_str("</ul></nav>\n");
    let preparation = printer::preparation_line(report);
    let schema = report.graph.schema.as_ref();
    if preparation.is_none() && report.notices.is_empty() && schema.is_none() {
        return;
    }
    out.push_str("<details id=\"data\"><summary>How the data were read</summary>");
    if let Some(schema) = schema {
        let target = report.graph.target.as_ref().map(|target| target.kind);
        let line = schema.line(report.graph.features, report.graph.classes, target);
        let _ = write!(out, "<p class=\"note\" id=\"schema\">{}</p>", code(&line));
    }
    if let Some(line) = preparation {
        let _ = write!(out, "<p class=\"note\" id=\"preparation\">{}</p>", escape(&line));
    }
    if !report.notices.is_empty() {
        out.push_str("<ul class=\"note\" id=\"notices\">");
        for notice in &report.notices {
            let _ = write!(out, "<li>{}</li>", code(notice));
        }
        out.push_str("</ul>");
    }
    out.push_str("</details>\n");
}

/// Predictive information of groups of components, and the gains of one group over another.
fn information(out: &mut String, report: &Report) {
    let Some(found) = &report.predictive_information else { return };
    let groups = printer::INFORMATION_GROUPS.iter().filter_map(|&(name, words)| {
        let class = match name {
            "structure" | "features" | "propagation" => name,
            "all" => "other",
            _ => "pale",
        };
        Some((words.to_string(), class, found.bits(name)?))
    });
    let shown: Vec<(String, &str, Estimate)> = groups
        .chain(found.own_components().map(|(name, bits, _)| (format!("user-supplied {name}"), "other", bits)))
        .chain(found.own_components().filter_map(|(name, _, gain)| {
            Some((format!("all together with {name}"), "other", found.bits(&gain.of)?))
        }))
        .collect();
    let mut pale = String::new();
    let controls: Vec<&str> = [
        ("control", "with the propagated features of other nodes"),
        ("rewired", "with features propagated over other edges between nodes of the same degrees"),
    ]
    .into_iter()
    .filter(|(name, _)| found.bits(name).is_some())
    .map(|(_, what)| what)
    .collect();
    if !controls.is_empty() {
        let _ = write!(
            pale,
            " Pale bars are controls: all together, but {}. If a control does as well, propagation does no more than smooth or sketch the structure.",
            controls.join(", or ")
        );
    }
    if found.bits("features, nonlinear").is_some() {
        pale.push_str(" Features by distance: a model that also finds relations that are not linear.");
    }
    if found.bits("interactions").is_some() {
        pale.push_str(
            " Products of components: a relation between two parts of the data where neither predicts anything alone.",
        );
    }
    if shown.iter().any(|(_, _, bits)| bits.value < 0.0) {
        pale.push_str(
            " Below zero: worse than without information, as happens by chance where there is none.",
        );
    }
    let _ = write!(
        out,
        "<section id=\"information\"><h2>Predictive information</h2><p class=\"note\">Information about the target, in {}, that a linear model \
         finds, measured on samples it has not seen; {}.{}</p><figure class=\"chart\" tabindex=\"0\">{}</figure>\
         <details><summary>All groups and comparisons</summary><p class=\"note\">{} samples; each model was fitted on {} of them.</p>",
        term("bits", "one bit halves the number of equally likely answers; a component with as many bits as the target predicts it without error"),
        match found.target {
            TargetKind::Numbers => "a numeric target has no maximum, and shares are the R² of a Gaussian with as much information".to_string(),
            TargetKind::Labels => format!("figures are means over the labels, which have {:.2} bits each", found.entropy),
            _ => format!("the target has {:.2} bits", found.entropy),
        },
        pale,
        chart::information(&shown, found),
        found.samples,
        found.training
    );
    let rows: Vec<(String, Vec<TableCell>)> = found
        .groups
        .iter()
        .map(|own| {
            let share = found.share(own.bits.value);
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
        match found.target {
            TargetKind::Numbers => {
                "Groups, then single components; score and share are the R² of a Gaussian with as much information"
            }
            _ => "Groups, then single components; the score is 2 to the power of minus the cross entropy",
        },
        &heads,
        &rows,
    );
    let rows: Vec<(String, Vec<TableCell>)> = found
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
    out.push_str("</details></section>\n");
}

/// The scores of the components as a chart for wide screens and files.
pub(crate) fn scores(report: &Report) -> String {
    scores_in(report, &chart::WIDE)
}

fn scores_in(report: &Report, layout: &chart::RowLayout) -> String {
    let all: Vec<(&str, &ComponentSummary)> = report.components.iter().collect();
    chart::scores(&all, |name: &str| format!("{name}  {}", meaning(name, report)), layout)
}

fn components(out: &mut String, report: &Report) {
    let all: Vec<(&str, &ComponentSummary)> = report.components.iter().collect();
    let _ = write!(
        out,
        "<section id=\"components\"><details><summary><h2>Information in each component</h2></summary><p class=\"note\">The score 2<sup>−H(Y|X)</sup> measures how well a \
         component alone predicts the answer: a lower bound on accuracy, found without training. Bars begin at the score of no information; \
         whiskers are 95 % intervals; diamonds show the accuracy on held-out samples. For links a component counts as a signal only if it also \
         predicts edges against degree-matched negatives.</p><figure class=\"chart\" tabindex=\"0\">{}<figcaption>{}</figcaption></figure>",
        chart::for_all_widths(|layout| scores_in(report, layout)),
        [
            (Group::Structure, "structure"),
            (Group::Features, "features"),
            (Group::Propagation, "propagated"),
            (Group::Other, "other"),
        ]
        .into_iter()
        .filter(|(group, _)| all.iter().any(|(_, c)| c.group == *group))
        .map(|(group, name)| {
            format!("<span class=\"{} legend\"><span class=\"key\"></span>{name}</span>", chart::class(group))
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
    let rows: Vec<(String, Vec<TableCell>)> = all
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
            chart::for_all_widths(|layout| chart::differences(
                &report.comparisons,
                &report.components,
                layout
            ))
        );
    }
    if !report.additions.is_empty() {
        let rows: Vec<(String, Vec<TableCell>)> = report
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
            "Gain of a second component: how much higher both together score than the first alone",
            &heads,
            &rows,
        );
    }
    out.push_str("</details></section>\n");
}

fn solved(out: &mut String, report: &Report, act: &ActReport) {
    out.push_str("<section id=\"act\"><h2>Baseline: the linear model of Act</h2>");
    let several = report.splits.len() > 1;
    let mut heads = vec![("metric", false), ("test", true)];
    if several {
        heads.push(("deviation", true));
    }
    heads.push((printer::without_information(report), true));
    heads.push((if several { "validation, first split" } else { "validation" }, true));
    let rows: Vec<(String, Vec<TableCell>)> = report
        .mean
        .test
        .iter()
        .map(|(name, &value)| {
            let mut cells = vec![number("test", value, 4)];
            if several {
                cells.push(number("std", report.std.test.get(name).copied().unwrap_or(0.0), 4));
            }
            cells.push(match report.mean.no_information.get(name) {
                Some(&without) => number("no_information", without, 4),
                None => words("no_information", "–"),
            });
            cells.push(number("valid", act.valid.get(name).copied().unwrap_or(f64::NAN), 4));
            (name.to_string(), cells)
        })
        .collect();
    let target = report.graph.target.as_ref().map(|target| target.kind);
    let caption = if target == Some(TargetKind::Numbers) {
        "Metrics on the original scale of the target; test figures are means of the splits. Constant: the training mean, or for mae the training median, for every node"
    } else if target == Some(TargetKind::Labels) {
        "Metrics; test figures are means of the splits. Constant: every node gets the shares of the labels among training nodes as probabilities"
    } else if report.task == netinfof::TaskKind::Nodes {
        "Metrics; test figures are means of the splits. Majority class: the same for a model that predicts the most frequent training class"
    } else {
        "Metrics; test figures are means of the splits. Chance: the same for a random ranking"
    };
    table(out, "metric-table", caption, &heads, &rows);
    let weights: Vec<(String, &str, f64, String)> = act
        .weights
        .iter()
        .map(|(name, &norm)| {
            let group = report.components.get(name).map(|component| component.group);
            let group = group.or_else(|| Some(ComponentKind::named(name)?.spec().group));
            let group = group.map_or("other", chart::class);
            let kept = act.nonzero.get(name).copied().unwrap_or(0);
            let said =
                if norm == 0.0 { "0: not used".into() } else { format!("{norm:.3} ({kept} not zero)") };
            (format!("{name}  {}", meaning(name, report)), group, norm, said)
        })
        .collect();
    let shrunk = act.shrinkage.map_or(String::new(), |factor| {
        format!(
            " Weights were multiplied by {factor:.2}, because the shares of the classes alone could predict as well."
        )
    });
    let of_what = match act.softmax_share {
        Some(share) => format!(
            "The model is the mean of a softmax regression (share {share:.2}; sparse-group LASSO, λ₁ {:.2e}, λ₂ {:.2e}) and of ridge regressions \
             with one weight per component; the share was chosen by validation likelihood.",
            act.chosen.lambda1, act.chosen.lambda2
        ),
        None if act.numbers.is_some() || act.labels.is_some() => {
            "The model is a mean of ridge regressions with one weight per component, weighted by the likelihood of leave-one-out predictions.".to_string()
        }
        None => format!(
            "The sparse-group LASSO sets whole components to exactly 0; the penalty was chosen on validation data (λ₁ {:.2e}, λ₂ {:.2e}).",
            act.chosen.lambda1, act.chosen.lambda2
        ),
    };
    let _ = write!(
        out,
        "<h3>Weights of the components</h3><p class=\"note\">L2 norm of each component's weights in the first split, and how many are not zero. {of_what}{shrunk}</p>\
         <figure class=\"chart\" tabindex=\"0\">{}</figure>",
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
                ["false-positive rate", "true-positive rate"],
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
    targets::results(out, act);
    if let Some(confusion) = &act.confusion {
        let names: Vec<String> = confusion.classes.iter().map(|class| format!("class {class}")).collect();
        let rows: Vec<(String, &[u64])> =
            names.iter().cloned().zip(confusion.confusion.iter().map(Vec::as_slice)).collect();
        out.push_str("<details><summary>True and predicted classes</summary>");
        counts(
            out,
            "Test nodes of the first split by true class (rows) and predicted class (columns)",
            "true \\ predicted",
            &names,
            &rows,
        );
        out.push_str("</details>");
    }
    out.push_str("</section>\n");
}
