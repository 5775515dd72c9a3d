//! Output for people: tables on standard output, errors on standard error.

mod components;
mod facts;
mod time;

use std::fmt::Write as _;
use std::io::{ErrorKind, IsTerminal as _, Write as _};

use netinfof::model::RankingMetrics;
use netinfof::plan::{self, Plan};
use netinfof::report::RunParams;
use netinfof::report::TargetKind;
use netinfof::report::VerdictKind;
use netinfof::report::{ColumnKind, ColumnTreatment};
use netinfof::split::Negatives;
use netinfof::split::check::Checked;
use netinfof::{ComponentKind, Error, Protocol, Report, Result, TaskKind};

use crate::next_step;

pub(crate) use facts::{context_relations, facts};
pub(crate) use time::time_lines;

/// How much memory and time each stage of a run will need.
pub(crate) fn plan(plan: &Plan) -> String {
    let mut out = format!("  {:<24} {:>10} {:>8}", "stage", "memory", "time");
    for stage in &plan.stages {
        let _ = write!(
            out,
            "\n  {:<24} {:>10} {:>8}",
            stage.name,
            plan::size(stage.bytes),
            plan::duration(stage.seconds)
        );
    }
    let _ = write!(
        out,
        "\n\n  All splits: about {} and at most {}",
        plan::duration(plan.seconds),
        plan::size(plan.bytes)
    );
    match plan.limit {
        None => out,
        Some(limit) if plan.bytes <= limit => {
            let how =
                if plan.saves_memory { " The run is slower than it would be with more memory." } else { "" };
            out + &format!(" of the {} allowed.{how}", plan::size(limit))
        }
        Some(limit) => {
            out + &format!(", but only {} is allowed: the run would be refused.", plan::size(limit))
        }
    }
}

/// Prints to standard output. A closed pipe is not an error.
pub(crate) fn out(text: &str) -> Result<()> {
    let mut stdout = std::io::stdout().lock();
    let written = stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.write_all(b"\n"))
        .and_then(|()| stdout.flush());
    match written {
        Err(source) if source.kind() != ErrorKind::BrokenPipe => {
            Err(Error::Io { path: "standard output".into(), source })
        }
        _ => Ok(()),
    }
}

/// Prints a line to standard error. If that is closed, the line is lost, because there is nowhere else to report it.
pub(crate) fn err(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// Prints an error on one line, and a hint about what to do on the next.
pub(crate) fn error(error: &Error) {
    err(&format!("error: {error}"));
    if let Some(hint) = error.hint() {
        err(&format!("hint: {hint}"));
    }
}

/// Prints a note that belongs to an error.
pub(crate) fn note(text: &str) {
    err(&format!("note: {text}"));
}

/// A number with this many decimals; what rounds to zero has no sign.
pub(crate) fn fixed(value: f64, digits: usize) -> String {
    let shown = format!("{value:.digits$}");
    match shown.strip_prefix('-') {
        Some(rest) if rest.bytes().all(|c| matches!(c, b'0' | b'.')) => rest.into(),
        _ => shown,
    }
}

/// A score as a text bar: empty at the no-information level, full at 1.
fn gauge(score: f64, floor: f64, width: usize) -> String {
    let share = ((score - floor) / (1.0 - floor)).clamp(0.0, 1.0);
    let eighths = (share * (width * 8) as f64).round() as usize;
    let mut bar = "█".repeat(eighths / 8);
    if !eighths.is_multiple_of(8) {
        bar.push(['▏', '▎', '▍', '▌', '▋', '▊', '▉'][eighths % 8 - 1]);
    }
    format!("{bar:width$}")
}

/// Graph, task and number of splits on one line.
pub(crate) fn run_line(report: &Report) -> String {
    let graph = &report.graph;
    let task = match &report.params {
        RunParams::Links(params) => {
            let protocol = match params.split.protocol {
                Protocol::Clean => "clean protocol",
                Protocol::Paper => "paper protocol",
            };
            let negatives = match params.split.negatives {
                Negatives::Uniform => "",
                Negatives::Degree => ", negatives matched by degree",
                Negatives::Heart => ", hard negatives",
            };
            let bipartite = graph.sides.as_ref().map_or(String::new(), |sides| {
                let [(a, first), (b, second)] = [0, 1].map(|side| (&sides.names[side], sides.nodes[side]));
                if graph.directed {
                    format!(" · directed ({first} nodes as source and target)")
                } else {
                    format!(" · bipartite ({first} {a}, {second} {b})")
                }
            });
            let context = graph.context.as_ref().map_or(String::new(), |context| {
                format!(" · with {} of context", plural(context.edges, "edge"))
            });
            let by_time = match report.splits.first().and_then(|split| split.time.as_ref()) {
                Some(order) if !order.own => " · split by time",
                _ => "",
            };
            format!("link prediction{bipartite}{context} · {protocol}{negatives}{by_time}")
        }
        RunParams::Nodes(_) => {
            let task = match &graph.target {
                Some(target) if target.kind == TargetKind::Numbers => "regression of nodes".into(),
                Some(target) => format!("labels of nodes · {}", plural(target.label_sizes.len(), "label")),
                None => format!("node classification · {}", plural(graph.classes, "class")),
            };
            let sides = graph.sides.as_ref().filter(|_| graph.directed);
            let directed = sides.map_or(String::new(), |sides| {
                format!(" · directed ({} nodes as source and target)", sides.nodes[0])
            });
            format!("{task}{directed}")
        }
    };
    format!(
        "{}, {}, {} · {task} · {}",
        plural(graph.nodes, "node"),
        plural(graph.edges, "edge"),
        plural(graph.features, "feature"),
        plural(report.splits.len(), "split"),
    )
}

/// How feature columns were prepared, on one line. `None` if all are words, as in most benchmarks.
pub(crate) fn preparation_line(report: &Report) -> Option<String> {
    let treated = &report.preparation;
    if treated.iter().all(|t| matches!(t.kind, None | Some(ColumnKind::Word))) {
        return None;
    }
    let name = |kind| match kind {
        Some(ColumnKind::Word | ColumnKind::Hashed) => "word",
        Some(ColumnKind::Flag) => "flag",
        Some(ColumnKind::Category) => "category",
        Some(ColumnKind::Constant) => "constant column",
        _ => "number",
    };
    let one = |t: &ColumnTreatment| {
        let many = if t.columns == 1 { String::new() } else { plural_of(name(t.kind)) };
        let what = if many.is_empty() { name(t.kind) } else { &many };
        format!("{} {what} ({})", t.columns, t.treatment)
    };
    Some(format!("feature columns: {}", treated.iter().map(one).collect::<Vec<_>>().join("; ")))
}

fn plural_of(noun: &str) -> String {
    noun.strip_suffix('y').map_or_else(|| format!("{noun}s"), |stem| format!("{stem}ies"))
}

/// How much of a report is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReportDetail {
    /// The answer, its evidence, and how to see more.
    Answer,
    /// Every component, too.
    Components,
}

/// The report for a terminal.
pub(crate) fn report(report: &Report, detail: ReportDetail) -> String {
    let line = format!("{}: {}", report.graph.name, run_line(report));
    // One line for programs that read it.
    let width = terminal_width().map_or(usize::MAX, |columns| columns.max(NARROWEST));
    let mut text = wrapped(&line, width).join("\n  ") + "\n";
    for line in time_lines(report) {
        paragraph(&mut text, &line);
    }
    let verdict = &report.verdict;
    let _ = writeln!(text, "\n  {}", emphasis(headline(verdict.kind)));
    paragraph(&mut text, &verdict.reason);
    text.push_str(&information(report, detail));
    text.push('\n');
    paragraph(&mut text, &format!("Next: {}", verdict.next));
    if let Some(command) = next_step::command(report) {
        let _ = writeln!(text, "    {command}");
    }
    if detail == ReportDetail::Components {
        if let Some(line) = preparation_line(report) {
            text.push('\n');
            paragraph(&mut text, &line);
        }
        components::table(&mut text, report);
    }
    metrics(&mut text, report);
    let seconds: f64 = report.splits.iter().filter_map(|s| s.seconds.get("total")).sum();
    let memory =
        report.peak_memory_bytes.map_or(String::new(), |b| format!(" · peak memory {} MiB", b >> 20));
    let line = format!("{seconds:.2} s on {}{memory}", plural(report.threads, "thread"));
    let hint = if detail == ReportDetail::Answer { " · -v shows every component" } else { "" };
    text.push('\n');
    paragraph(&mut text, &(line + hint));
    text.truncate(text.trim_end().len());
    text
}

/// Test metrics, beside those of a model without information.
fn metrics(text: &mut String, report: &Report) {
    if report.mean.test.iter().next().is_none() {
        return;
    }
    let splits = report.splits.len();
    let wide = if splits == 1 { 6 } else { 15 };
    let of_what = without_information(report);
    let _ = writeln!(text, "\n  {:18} {:>wide$}   {of_what}", "test metric", "Act");
    for (name, value) in report.mean.test.iter() {
        let spread = report.std.test.get(name).copied().unwrap_or(0.0);
        let value = if splits == 1 { format!("{value:.4}") } else { format!("{value:.4} ± {spread:.4}") };
        let without = report.mean.no_information.get(name);
        let without = without.map_or_else(String::new, |without| format!("   {without:.4}"));
        let _ = writeln!(text, "  {name:18} {value}{without}");
    }
    let acts = report.splits.iter().filter_map(|split| split.act.as_ref());
    let transformed = acts.filter_map(|act| act.numbers.as_ref()).find(|own| own.transformation != "none");
    if let Some(own) = transformed {
        let note = format!(
            "The model is fitted on the {} of the target, because its tail is heavy. `r2_transformed` is on that \
             scale, the other metrics are on the original one.",
            own.transformation
        );
        let _ = writeln!(text);
        paragraph(text, &note);
    }
}

/// The first test metric, beside that of a model without information, on one line.
pub(crate) fn result_line(report: &Report) -> Option<String> {
    let known = |(name, value): (&str, &f64)| {
        Some((name.to_string(), *value, *report.mean.no_information.get(name)?))
    };
    let (name, value, without) = report.mean.test.iter().find_map(known)?;
    let spread = match (report.splits.len(), report.std.test.get(&name)) {
        (1, _) | (_, None) => String::new(),
        (_, Some(spread)) => format!(" ± {spread:.3}"),
    };
    let reached = format!("Act's linear model reaches {name} {value:.3}{spread} on test data");
    Some(format!("{reached}; {} {without:.3}.", without_information(report)))
}

/// The model without information that metrics are compared with.
pub(crate) fn without_information(report: &Report) -> &'static str {
    match (report.task, &report.graph.target) {
        (TaskKind::Nodes, Some(_)) => "constant",
        (TaskKind::Nodes, None) => "majority class",
        _ => "chance",
    }
}

/// The bits that groups of components carry, as a table.
fn information(report: &Report, detail: ReportDetail) -> String {
    let Some(information) = &report.predictive_information else { return String::new() };
    let target = match information.target {
        _ if matches!(report.params, RunParams::Links(_)) => "a pair",
        TargetKind::Numbers => "a number",
        TargetKind::Labels => "a label",
        _ => "a class",
    };
    let share = match information.target {
        TargetKind::Numbers => "as R² of a Gaussian".to_string(),
        _ => format!("share of {:.2} bits", information.entropy),
    };
    // What remains beside the name, the figures and the share; too narrow ones say nothing.
    let bar = line_width().saturating_sub(61).min(20);
    let (bar, share) = if bar < 6 { (0, "share".to_string()) } else { (bar, share) };
    let gap = if bar == 0 { "" } else { "  " };
    let mut text = format!("\n  information about {target:10} bits  95 % interval  {gap}{share}\n");
    // In short: the parts of the data, and what the reason rests on.
    let positive = |name: &str| information.bits(name).is_some_and(|bits| bits.interval[0] > 0.0);
    let shown = |at: usize, name: &str| {
        detail == ReportDetail::Components || at < PARTS || name == INTERACTIONS && positive(name)
    };
    let groups = INFORMATION_GROUPS.iter().enumerate().filter(|&(at, &(name, _))| shown(at, name));
    let groups = groups.map(|(_, &(name, words))| (name, words.to_string()));
    let own = information.own_components().map(|(name, ..)| (name, format!("user-supplied {name}")));
    let with_own = information
        .own_components()
        .map(|(name, _, gain)| (gain.of.as_ref(), format!("all together with {name}")));
    for (name, words) in groups.chain(own).chain(with_own) {
        let Some(bits) = information.bits(name) else { continue };
        let share = information.share(bits.value).max(0.0);
        let _ = writeln!(
            text,
            "  {words:27} {:>6}  {:>6} – {:<6}{gap}{} {:3.0} %",
            fixed(bits.value, 3),
            fixed(bits.interval[0], 3),
            fixed(bits.interval[1], 3),
            gauge(share, 0.0, bar),
            100.0 * share
        );
    }
    text
}

/// Groups of components with their names for people: the parts of the data, then what they are compared with.
pub(crate) const INFORMATION_GROUPS: [(&str, &str); 8] = [
    ("structure", "structure"),
    ("features", "features"),
    ("propagation", "propagated features"),
    ("all", "all together"),
    ("control", "control, other features"),
    ("rewired", "control, other edges"),
    ("features, nonlinear", "features, by distance"),
    (INTERACTIONS, "products of components"),
];
/// Measured only if no other group shows a signal.
const INTERACTIONS: &str = "interactions";
/// Number of groups that are parts of the data.
const PARTS: usize = 3;

pub(crate) fn headline(kind: VerdictKind) -> &'static str {
    match kind {
        VerdictKind::Gnn => "A GNN should help.",
        VerdictKind::Combine => "Features and structure together: each adds to the other.",
        VerdictKind::Structure => "Structure is enough.",
        VerdictKind::Features => "Features are enough.",
        VerdictKind::Any => "Structure alone or features alone: each is enough.",
        VerdictKind::Nothing => "No usable signal.",
        VerdictKind::Undecided => "Undecided.",
        _ => "",
    }
}

/// Bold text on a terminal, unless `NO_COLOR` is set.
fn emphasis(text: &str) -> String {
    let plain =
        std::env::var_os("NO_COLOR").is_some_and(|v| !v.is_empty()) || !std::io::stdout().is_terminal();
    if plain { text.into() } else { format!("\x1b[1m{text}\x1b[0m") }
}

/// Characters per line: those of the terminal, and no more than are easy to read. `COLUMNS` comes first.
fn line_width() -> usize {
    terminal_width().unwrap_or(WIDEST).clamp(NARROWEST, WIDEST)
}

fn terminal_width() -> Option<usize> {
    let stated = std::env::var("COLUMNS").ok().and_then(|text| text.parse().ok());
    stated.or_else(|| terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| width.0.into()))
}

/// Lines that are not for a terminal are as long as the longest ones for a terminal.
const WIDEST: usize = 98;
/// Narrower terminals break lines by themselves.
const NARROWEST: usize = 40;

/// Paragraphs are indented by two characters.
fn paragraph(out: &mut String, text: &str) {
    for line in wrapped(text, line_width() - 2) {
        let _ = writeln!(out, "  {line}");
    }
}

/// Text in lines of at most `width` characters.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("there is always a line");
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > width {
            lines.push(word.into());
        } else {
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
    }
    lines
}

fn plural(count: usize, noun: &str) -> String {
    let ending = match (count, noun.ends_with('s')) {
        (1, _) => "",
        (_, true) => "es",
        (_, false) => "s",
    };
    format!("{count} {noun}{ending}")
}

pub(crate) fn meaning(component: &str, report: &Report) -> &'static str {
    match ComponentKind::named(component) {
        Some(ComponentKind::F) if report.graph.features == 0 => "degrees",
        Some(kind) => kind.spec().long_name,
        None => "",
    }
}

/// The share of a count in brackets; empty if the count is 0.
fn share(count: usize, all: usize) -> String {
    if count == 0 { String::new() } else { format!(" ({:.1} %)", 100.0 * count as f64 / all as f64) }
}

/// The findings about a split, one per line, and a summary.
pub(crate) fn checked(sizes: [usize; 3], checked: &Checked, allowed: &[String]) -> String {
    let mut lines: Vec<String> = checked
        .findings
        .iter()
        .map(|finding| {
            let such = if finding.examples.is_empty() {
                String::new()
            } else {
                format!(", such as {}", finding.examples.join(", "))
            };
            let known = if allowed.iter().any(|kind| kind == finding.kind) { " (allowed)" } else { "" };
            format!("{}{known}: {}{such}", finding.kind, finding.what)
        })
        .collect();
    lines.extend(checked.skipped.iter().map(|skipped| format!("not checked: {skipped}")));
    let [train, valid, test] = sizes;
    let found = match checked.findings.len() {
        0 => "no findings".to_string(),
        n => plural(n, "finding"),
    };
    lines.push(format!(
        "{found}: {train} training, {valid} validation, {test} test; {} made",
        plural(checked.checks.len(), "check")
    ));
    lines.join("\n")
}

/// How good a ranking is on held-out edges.
pub(crate) fn ranking(found: &RankingMetrics) -> String {
    format!(
        "{} on {}\n  recall@{k}    {:.4}\n  ndcg@{k}      {:.4}\n  hit rate@{k}  {:.4}",
        plural(found.nodes, "node"),
        plural(found.edges, "held-out edge"),
        found.recall,
        found.ndcg,
        found.hit_rate,
        k = found.k
    )
}
