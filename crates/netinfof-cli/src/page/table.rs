//! Text and tables as HTML.

use std::fmt::Write as _;

use crate::printer::fixed;

/// A term with its meaning, which is shown when it is pointed at or has the focus.
pub(super) fn term(word: &str, meaning: &str) -> String {
    format!("<dfn tabindex=\"0\" title=\"{}\">{}</dfn>", escape(meaning), escape(word))
}

/// Text as HTML that shows exactly this text.
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

/// Text with `code` marked.
pub(super) fn code(text: &str) -> String {
    let parts = escape(text);
    let marked = parts
        .split('`')
        .enumerate()
        .map(|(at, part)| if at % 2 == 1 { format!("<code>{part}</code>") } else { part.to_string() });
    marked.collect()
}

/// A cell of a table: its text, the number behind it, and the key of that number in the JSON.
pub(super) struct TableCell {
    shown: String,
    value: Option<f64>,
    key: &'static str,
}

pub(super) fn number(key: &'static str, value: f64, digits: usize) -> TableCell {
    TableCell { shown: fixed(value, digits), value: Some(value), key }
}

pub(super) fn count(key: &'static str, value: u64) -> TableCell {
    TableCell { shown: value.to_string(), value: Some(value as f64), key }
}

/// An interval; its lower end sorts.
pub(super) fn range(key: &'static str, [low, high]: [f64; 2]) -> TableCell {
    TableCell { shown: format!("{} – {}", fixed(low, 3), fixed(high, 3)), value: Some(low), key }
}

pub(super) fn words(key: &'static str, shown: impl Into<String>) -> TableCell {
    TableCell { shown: shown.into(), value: None, key }
}

/// A sortable table. `heads` are column names with whether the column is numeric; rows have names.
pub(super) fn table(
    out: &mut String,
    id: &str,
    caption: &str,
    heads: &[(&str, bool)],
    rows: &[(String, Vec<TableCell>)],
) {
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
        for (cell, (_, numeric)) in cells.iter().zip(heads.iter().skip(1)) {
            let class = if *numeric { " class=\"n\"" } else { "" };
            let value = cell.value.map_or_else(String::new, |value| format!(" data-v=\"{value}\""));
            let _ = write!(out, "<td{class} data-key=\"{}\"{value}>", cell.key);
            let _ = write!(out, "{}</td>", escape(&cell.shown));
        }
        out.push_str("</tr>");
    }
    out.push_str("</tbody></table></div>\n");
}

/// A table of counts. Each cell is shaded by its share of the row.
pub(super) fn counts(
    out: &mut String,
    caption: &str,
    corner: &str,
    columns: &[String],
    rows: &[(String, &[u64])],
) {
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
