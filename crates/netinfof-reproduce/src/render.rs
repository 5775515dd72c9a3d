//! The same document as Markdown, JSON and a self-contained page.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::json;

use super::paper::MeanAndDeviation;
use super::section::{Agreement, ComparisonRow, RunState, Section};
use crate::plot::escape;

/// The content of the documents.
pub(crate) struct Document {
    pub(crate) sections: Vec<Section>,
    /// Graphs that are not on disk: title, files, source.
    pub(crate) missing: Vec<[String; 3]>,
    pub(crate) splits: usize,
    pub(crate) command: String,
}

const TITLE: &str = "The paper's tables and figures, and ours";

const RULE: &str = "Figures are percentages, mean ± standard deviation of the splits. *Within* says whether the difference lies within \
                    two standard deviations, those of the paper and ours taken together: 2 √(published² + ours²), which is generous to a difference of means; with one split it \
                    says nothing.";

fn shown(value: MeanAndDeviation) -> String {
    value.map_or("–".into(), |(mean, deviation)| format!("{mean:.1} ± {deviation:.1}"))
}

impl ComparisonRow {
    fn cells(&self) -> [String; 7] {
        let ours = match self.state {
            RunState::Done => shown(self.ours),
            RunState::Missing => "graph missing".into(),
            RunState::Pending => "to come".into(),
            RunState::Failed => "failed".into(),
        };
        let within = match self.within {
            Some(Agreement::Within) => "within",
            Some(Agreement::Above) => "above",
            Some(Agreement::Below) => "below",
            None => "",
        };
        [
            self.what.clone(),
            self.graph.clone(),
            self.metric.clone(),
            shown(self.published),
            ours,
            self.difference.map_or(String::new(), |d| format!("{d:+.1}")),
            within.into(),
        ]
    }
}

const HEAD: [&str; 7] = ["model", "graph", "figure", "published", "ours", "difference", "two deviations"];

impl Document {
    fn intro(&self) -> String {
        let pending = self.count(RunState::Pending);
        let failed = self.count(RunState::Failed);
        let mut rest = String::new();
        if pending > 0 {
            let _ = write!(rest, " {pending} figures are still to come.");
        }
        if failed > 0 {
            let _ = write!(rest, " {failed} figures are missing because their runs failed.");
        }
        format!(
            "netinfof {}, `{}`. NetInfoF: Lee et al., ICLR 2024; tables are numbered as in the paper's text.{rest}",
            env!("CARGO_PKG_VERSION"),
            self.command
        )
    }

    fn count(&self, state: RunState) -> usize {
        self.sections.iter().flat_map(|section| &section.rows).filter(|row| row.state == state).count()
    }

    fn tally(&self, agreement: Agreement) -> usize {
        // Table 9 compares with another model, and the last rows of Table 5 repeat those of Table 3.
        let counted = |s: &&Section| s.id != "table9";
        let own = |s: &&Section, row: &&ComparisonRow| !(s.id == "table5" && row.what == "NetInfoF");
        let rows = self.sections.iter().filter(counted).flat_map(|s| s.rows.iter().map(move |row| (s, row)));
        rows.filter(|(s, row)| own(s, row) && row.within == Some(agreement)).count()
    }

    pub(crate) fn json(&self) -> String {
        let value = json!({
            "netinfof": env!("CARGO_PKG_VERSION"),
            "command": self.command,
            "splits": self.splits,
            "sections": self.sections,
            "missing": self.missing.iter().map(|[graph, files, source]| json!({
                "graph": graph, "files": files, "source": source
            })).collect::<Vec<_>>(),
        });
        serde_json::to_string_pretty(&value).expect("figures hold nothing JSON cannot say") + "\n"
    }

    pub(crate) fn markdown(&self) -> String {
        let mut text = format!("# {TITLE}\n\n{}\n\n{RULE}\n", self.intro());
        let _ = writeln!(
            text,
            "\nOf our figures {} lie within two deviations of the published ones, {} above and {} below (without Table 9 and what Table 5 repeats).",
            self.tally(Agreement::Within),
            self.tally(Agreement::Above),
            self.tally(Agreement::Below)
        );
        if self.sections.iter().any(|section| !section.checks.is_empty()) {
            text.push_str("\n| | claim | holds | found |\n|---|---|---|---|\n");
            for section in &self.sections {
                for check in &section.checks {
                    let _ = writeln!(
                        text,
                        "| {} | {} | {} | {} |",
                        section.id,
                        cell(&check.claim),
                        if check.holds { "yes" } else { "**no**" },
                        cell(&check.found)
                    );
                }
            }
        }
        if !self.missing.is_empty() {
            text.push_str("\n## Graphs that are not here\n\n| graph | files in the data folder | where to get it |\n|---|---|---|\n");
            for [graph, files, source] in &self.missing {
                let _ = writeln!(text, "| {graph} | {files} | {source} |");
            }
        }
        for section in &self.sections {
            let _ = writeln!(text, "\n## {}\n\n{}", section.title, section.protocol.trim_end());
            for shown in &section.plots {
                let _ = writeln!(
                    text,
                    "\n![{}. {}](reproduction/{})",
                    shown.title, shown.description, shown.file
                );
            }
            if !section.rows.is_empty() {
                let _ = writeln!(text, "\n| {} |\n|{}", HEAD.join(" | "), "---|".repeat(HEAD.len()));
                for row in &section.rows {
                    let _ = writeln!(text, "| {} |", row.cells().map(|c| cell(&c)).join(" | "));
                }
            }
        }
        text
    }

    pub(crate) fn html(&self) -> String {
        let mut text = format!(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\
             <title>{TITLE}</title><style>{STYLE}</style></head><body><main><h1>{TITLE}</h1><p>{}</p><p>{}</p>",
            prose(&self.intro()),
            prose(RULE)
        );
        let _ = write!(
            text,
            "<p class=\"tally\"><span class=\"within\">{} within</span> <span class=\"above\">{} above</span> \
             <span class=\"below\">{} below</span></p>",
            self.tally(Agreement::Within),
            self.tally(Agreement::Above),
            self.tally(Agreement::Below)
        );
        text.push_str("<nav><ul>");
        for section in &self.sections {
            let _ = write!(text, "<li><a href=\"#{}\">{}</a></li>", section.id, escape(section.title));
        }
        text.push_str("</ul></nav>");
        if !self.missing.is_empty() {
            text.push_str("<section><h2>Graphs that are not here</h2><ul>");
            for [graph, files, source] in &self.missing {
                let _ = write!(
                    text,
                    "<li>{}: {} in the data folder, from {}</li>",
                    escape(graph),
                    escape(files),
                    escape(source)
                );
            }
            text.push_str("</ul></section>");
        }
        for section in &self.sections {
            let _ = write!(
                text,
                "<section id=\"{}\"><h2>{}</h2><p>{}</p>",
                section.id,
                escape(section.title),
                prose(&section.protocol)
            );
            if !section.checks.is_empty() {
                text.push_str("<ul class=\"checks\">");
                for check in &section.checks {
                    let _ = write!(
                        text,
                        "<li class=\"{}\"><b>{}</b> {} <i>{}</i></li>",
                        if check.holds { "yes" } else { "no" },
                        if check.holds { "✓ holds" } else { "✗ does not hold" },
                        escape(&check.claim),
                        escape(&check.found)
                    );
                }
                text.push_str("</ul>");
            }
            for shown in &section.plots {
                let _ = write!(text, "<figure>{}</figure>", shown.svg);
            }
            if !section.rows.is_empty() {
                text.push_str("<div class=\"wide\"><table><thead><tr>");
                for (number, name) in HEAD.iter().enumerate() {
                    let _ = write!(text, "<th scope=\"col\"{}>{name}</th>", numeric(number));
                }
                text.push_str("</tr></thead><tbody>");
                for row in &section.rows {
                    let cells = row.cells();
                    let _ = write!(text, "<tr class=\"{}\">", cells[6]);
                    for (number, cell) in cells.iter().enumerate() {
                        let _ = write!(text, "<td{}>{}</td>", numeric(number), escape(cell));
                    }
                    text.push_str("</tr>");
                }
                text.push_str("</tbody></table></div>");
            }
            text.push_str("</section>");
        }
        text.push_str("</main></body></html>\n");
        text
    }

    /// The summary that the terminal shows at the end.
    pub(crate) fn summary(&self, folder: &Path) -> String {
        let mut text = String::new();
        for section in &self.sections {
            let of = |agreement: Agreement| {
                section.rows.iter().filter(|row| row.within == Some(agreement)).count()
            };
            let counts = if section.rows.is_empty() {
                String::new()
            } else {
                format!(
                    "{} within, {} above, {} below",
                    of(Agreement::Within),
                    of(Agreement::Above),
                    of(Agreement::Below)
                )
            };
            let _ = writeln!(text, "{}\n  {counts}", section.title);
            for check in &section.checks {
                let _ = writeln!(
                    text,
                    "  {} {}: {}",
                    if check.holds { "holds" } else { "DOES NOT HOLD" },
                    check.claim,
                    check.found
                );
            }
        }
        for [graph, files, source] in &self.missing {
            let _ = writeln!(text, "missing: {graph} ({files}), from {source}");
        }
        let _ = write!(text, "\n  {}", folder.join("reproduction.{md,html,json}").display());
        text
    }
}

/// The class that aligns columns of numbers to the right.
fn numeric(column: usize) -> &'static str {
    if (3..6).contains(&column) { " class=\"n\"" } else { "" }
}

/// Text as a cell of a Markdown table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|")
}

/// Text with `code` and *emphasis* as HTML.
fn prose(text: &str) -> String {
    let mut out = String::new();
    for (number, part) in escape(text).split('`').enumerate() {
        if number % 2 == 1 {
            let _ = write!(out, "<code>{part}</code>");
            continue;
        }
        for (inner, part) in part.split('*').enumerate() {
            let _ = if inner % 2 == 1 { write!(out, "<em>{part}</em>") } else { write!(out, "{part}") };
        }
    }
    out
}

const STYLE: &str = ":root{color-scheme:light dark;--bg:#fff;--ink:#1c1c1e;--soft:#5f6368;--rule:#e2e2e6;--good:#00705a;--bad:#b3450a;--up:#005a9c}\
@media(prefers-color-scheme:dark){:root{--bg:#16171a;--ink:#e8e8ea;--soft:#a2a6ad;--rule:#33353b;--good:#4fd1ae;--bad:#ff9d62;--up:#7cc4ff}}\
body{background:var(--bg);color:var(--ink);font:16px/1.55 system-ui,sans-serif;margin:0}\
main{max-width:56rem;margin:0 auto;padding:2rem 1.2rem 5rem}h1{font-size:1.7rem}h2{font-size:1.2rem;margin-top:2.8rem}\
p{color:var(--soft);max-width:46rem}code{font-size:.9em}nav ul{columns:2;padding-left:1.1rem}a{color:var(--up)}\
.wide{overflow-x:auto}table{border-collapse:collapse;font-size:.92rem;width:100%}\
th{text-align:left;font-weight:600;border-bottom:2px solid var(--rule);padding:.35rem .6rem}\
td{border-bottom:1px solid var(--rule);padding:.28rem .6rem}td.n,th.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}\
tr.above td:last-child,.tally .above{color:var(--up)}tr.below td:last-child,.tally .below{color:var(--bad)}tr.within td:last-child,.tally .within{color:var(--good)}\
.tally span{margin-right:1.2rem;font-weight:600}.checks{list-style:none;padding:0}.checks li{margin:.4rem 0}\
.checks .yes b{color:var(--good)}.checks .no b{color:var(--bad)}.checks i{color:var(--soft)}\
figure{margin:1.2rem 0}figure svg{width:100%;max-width:44rem;height:auto}@media print{nav{display:none}}";

#[cfg(test)]
mod tests {
    use super::super::studies::{STUDIES, StudyResults};
    use super::*;

    #[test]
    fn documents_without_results_list_pending_rows() {
        let results = StudyResults { splits: 5, ..StudyResults::default() };
        let document = Document {
            sections: STUDIES.iter().map(|study| study.section(&results)).collect(),
            missing: vec![["<Pokec>".into(), "pokec.npz".into(), "https://example.org/?a&b".into()]],
            splits: 5,
            command: "netinfof reproduce --all --splits 5".into(),
        };
        let markdown = document.markdown();
        assert!(
            markdown.contains("to come") && markdown.contains("| NetInfoF | Cora | Hits@100 | 81.3 ± 0.6 |")
        );
        let html = document.html();
        assert!(html.contains("&lt;Pokec&gt;") && !html.contains("<Pokec>"));
        assert!(!html.contains("src=") && !html.contains("href=\"http"), "nothing is loaded from outside");
        let json: serde_json::Value = serde_json::from_str(&document.json()).unwrap();
        assert_eq!(json["sections"].as_array().unwrap().len(), STUDIES.len());
        assert_eq!(json["sections"][1]["rows"][0]["published"], serde_json::json!([81.3, 0.6]));
    }

    #[test]
    fn prose_marks_code_and_emphasis() {
        assert_eq!(prose("a `b<c` *d*"), "a <code>b&lt;c</code> <em>d</em>");
    }
}
