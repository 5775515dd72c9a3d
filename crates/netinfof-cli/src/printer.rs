//! Output for people: tables on standard output; progress, notices and errors on standard error.

mod facts;

use std::fmt::Write as _;
use std::io::{ErrorKind, IsTerminal as _, Write as _};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{ProgressBar, ProgressStyle};
use netinfof::report::RunParams;
use netinfof::report::VerdictKind;
use netinfof::report::{ColumnKind, ColumnTreatment};
use netinfof::split::Negatives;
use netinfof::split::check::Checked;
use netinfof::{ComponentKind, Error, Progress, Protocol, Report, Result, TaskKind};

use crate::next_step;

pub(crate) use facts::facts;

/// Shows progress as a bar on a terminal and as plain lines elsewhere.
pub(crate) struct TerminalProgress {
    quiet: bool,
    terminal: bool,
    bar: Mutex<Option<ProgressBar>>,
    interrupted: AtomicBool,
}

impl TerminalProgress {
    pub(crate) fn new(quiet: bool) -> Self {
        let terminal = std::io::stderr().is_terminal();
        TerminalProgress { quiet, terminal, bar: Mutex::default(), interrupted: AtomicBool::new(false) }
    }

    /// Asks the run to stop. The second call ends the process at once.
    pub(crate) fn interrupt(&self) {
        if self.interrupted.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
    }

    pub(crate) fn clear(&self) {
        if let Some(bar) = self.slot().take() {
            bar.finish_and_clear();
        }
    }

    /// Shows the progress of a sequence of runs: `done` of `total`, the one that begins, and the seconds left.
    #[cfg(feature = "reproduce")]
    pub(crate) fn overall(&self, done: usize, total: usize, part: &str, left: f64) {
        if self.quiet {
            return;
        }
        let left = match left {
            left if left < 90.0 => format!("{left:.0} s"),
            left => format!("{:.0} min", left / 60.0),
        };
        if !self.terminal {
            return err(&format!("[{}/{total}] {part}, about {left} left", done + 1));
        }
        let mut slot = self.slot();
        let bar = slot.get_or_insert_with(|| {
            let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}")
                .expect("the template is a constant");
            ProgressBar::new(total as u64).with_style(style)
        });
        bar.set_position(done as u64);
        bar.set_message(format!("{part}, about {left} left"));
    }

    /// Shows a download at `done` bytes of `total`; [`Progress::advance`] continues from there.
    pub(crate) fn transfer(&self, file: &str, done: u64, total: Option<u64>) {
        if self.quiet {
            return;
        }
        if !self.terminal {
            return err(&format!("{file} …"));
        }
        let template = match total {
            Some(_) => "{msg} {bar:30} {bytes}/{total_bytes} {bytes_per_sec} {eta}",
            None => "{msg} {bytes} {bytes_per_sec}",
        };
        let style = ProgressStyle::with_template(template).expect("the template is a constant");
        let bar = ProgressBar::new(total.unwrap_or(0)).with_style(style).with_message(file.to_string());
        bar.set_position(done);
        bar.reset_eta();
        *self.slot() = Some(bar);
    }

    fn slot(&self) -> std::sync::MutexGuard<'_, Option<ProgressBar>> {
        self.bar.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Progress for TerminalProgress {
    fn start(&self, stage: &str, total: usize) {
        if self.quiet {
            return;
        }
        if self.terminal {
            let style = ProgressStyle::with_template("{msg:14} {bar:30} {pos}/{len} {elapsed}")
                .expect("the template is a constant");
            let bar = ProgressBar::new(total as u64).with_style(style).with_message(stage.to_string());
            bar.tick();
            *self.slot() = Some(bar);
        } else {
            err(&format!("{stage} …"));
        }
    }

    fn advance(&self, steps: usize) {
        if let Some(bar) = self.slot().as_ref() {
            bar.inc(steps as u64);
        }
    }

    fn finish(&self) {
        self.clear();
    }

    fn notice(&self, text: &str) {
        if self.quiet {
            return;
        }
        match self.slot().as_ref() {
            Some(bar) => bar.println(format!("note: {text}")),
            None => err(&format!("note: {text}")),
        }
    }

    fn cancelled(&self) -> bool {
        self.interrupted.load(Ordering::SeqCst)
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
fn err(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// Prints an error on one line, and a hint about what to do on the next.
pub(crate) fn error(error: &Error) {
    err(&format!("error: {error}"));
    if let Some(hint) = error.hint() {
        err(&format!("hint: {hint}"));
    }
}

/// A score as a text bar: empty at the no-information level, full at 1.
fn gauge(score: f64, floor: f64) -> String {
    const WIDTH: usize = 20;
    let share = ((score - floor) / (1.0 - floor)).clamp(0.0, 1.0);
    let eighths = (share * (WIDTH * 8) as f64).round() as usize;
    let mut bar = "█".repeat(eighths / 8);
    if !eighths.is_multiple_of(8) {
        bar.push(['▏', '▎', '▍', '▌', '▋', '▊', '▉'][eighths % 8 - 1]);
    }
    format!("{bar:WIDTH$}")
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
            format!("link prediction · {protocol}{negatives}")
        }
        RunParams::Nodes(_) => format!("node classification · {}", plural(graph.classes, "class")),
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
    /// The answer and its evidence.
    Answer,
    /// Every component, too.
    Components,
}

/// The report for a terminal.
pub(crate) fn report(report: &Report, detail: ReportDetail) -> String {
    let mut text = format!("{}: {}\n", report.graph.name, run_line(report));
    let verdict = &report.verdict;
    let _ = writeln!(text, "\n  {}", emphasis(headline(verdict.kind)));
    for line in wrapped(&verdict.reason, 96) {
        let _ = writeln!(text, "  {line}");
    }
    text.push_str(&information(report, detail));
    text.push('\n');
    for line in wrapped(&format!("Next: {}", verdict.next), 96) {
        let _ = writeln!(text, "  {line}");
    }
    if let Some(command) = next_step::command(report) {
        let _ = writeln!(text, "    {command}");
    }
    if detail == ReportDetail::Components {
        if let Some(line) = preparation_line(report) {
            text.push('\n');
            for line in wrapped(&line, 96) {
                let _ = writeln!(text, "  {line}");
            }
        }
        components(&mut text, report);
    }
    metrics(&mut text, report);
    let seconds: f64 = report.splits.iter().filter_map(|s| s.seconds.get("total")).sum();
    let memory =
        report.peak_memory_bytes.map_or(String::new(), |b| format!(" · peak memory {} MiB", b >> 20));
    let _ = write!(text, "\n  {seconds:.2} s on {}{memory}", plural(report.threads, "thread"));
    text
}

/// The paper's score of every component, and its weights in Act.
fn components(text: &mut String, report: &Report) {
    let splits = report.splits.len();
    let with_act = report.splits.first().is_some_and(|split| split.act.is_some());
    let floor = report.components.iter().next().map_or(0.0, |(_, c)| c.no_information);
    let wide = report.components.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).max(2);
    let _ = write!(
        text,
        "\n  {:first$} score  95 % interval    {:20} held-out accuracy      p  signal",
        "component",
        format!("{floor:.2} … 1"),
        first = wide + 19
    );
    let _ = writeln!(text, "{}", if with_act { "   weight" } else { "" });
    for (name, component) in report.components.iter() {
        let [low, high] = component.interval;
        let _ = write!(
            text,
            "  {name:wide$} {:18} {:.3}  {low:.3} – {high:.3}   {} {:17.3} {:6.3} {:>7}",
            meaning(name, report),
            component.corrected,
            gauge(component.corrected, floor),
            component.held_out.value,
            component.p_value,
            if component.tells { "yes" } else { "no" }
        );
        if with_act {
            let norms = report.splits.iter().filter_map(|s| s.act.as_ref()?.weights.get(name));
            let norm = norms.sum::<f64>() / splits as f64;
            let _ = write!(text, " {}", if norm == 0.0 { "       0".into() } else { format!("{norm:8.2}") });
        }
        text.push('\n');
    }
}

/// Test metrics, beside those of a model without information.
fn metrics(text: &mut String, report: &Report) {
    if report.mean.test.iter().next().is_none() {
        return;
    }
    let splits = report.splits.len();
    let wide = if splits == 1 { 6 } else { 15 };
    let of_what = match report.task {
        TaskKind::Nodes => "majority class",
        _ => "chance",
    };
    let _ = writeln!(text, "\n  {:18} {:wide$}   {of_what}", "test", "");
    for (name, value) in report.mean.test.iter() {
        let spread = report.std.test.get(name).copied().unwrap_or(0.0);
        let value = if splits == 1 { format!("{value:.4}") } else { format!("{value:.4} ± {spread:.4}") };
        let without = report.mean.no_information.get(name);
        let without = without.map_or_else(String::new, |without| format!("   {without:.4}"));
        let _ = writeln!(text, "  {name:18} {value}{without}");
    }
}

/// The bits that groups of components carry, as a table.
fn information(report: &Report, detail: ReportDetail) -> String {
    let Some(information) = &report.predictive_information else { return String::new() };
    let target = if matches!(report.params, RunParams::Links(_)) { "a pair" } else { "a class" };
    let mut text = format!(
        "\n  information about {target:10} bits  95 % interval    share of {:.2} bits\n",
        information.entropy
    );
    let shown = if detail == ReportDetail::Answer { PARTS } else { INFORMATION_GROUPS.len() };
    let groups = INFORMATION_GROUPS[..shown].iter().map(|&(name, words)| (name, words.to_string()));
    let own = information.own_components().map(|(name, ..)| (name, format!("user-supplied {name}")));
    let with_own = information
        .own_components()
        .map(|(name, _, gain)| (gain.of.as_ref(), format!("all together with {name}")));
    for (name, words) in groups.chain(own).chain(with_own) {
        let Some(bits) = information.bits(name) else { continue };
        let share = (bits.value / information.entropy.max(f64::MIN_POSITIVE)).max(0.0);
        let _ = writeln!(
            text,
            "  {words:27} {:6.3}  {:6.3} – {:<6.3}  {} {:3.0} %",
            bits.value,
            bits.interval[0],
            bits.interval[1],
            gauge(share, 0.0),
            100.0 * share
        );
    }
    text
}

/// Groups of components with their names for people: the parts of the data, then what they are compared with.
pub(crate) const INFORMATION_GROUPS: [(&str, &str); 7] = [
    ("structure", "structure"),
    ("features", "features"),
    ("propagation", "propagated features"),
    ("all", "all together"),
    ("control", "control, other features"),
    ("rewired", "control, other edges"),
    ("features, nonlinear", "features, by distance"),
];
/// Number of groups that are parts of the data.
const PARTS: usize = 3;

pub(crate) fn headline(kind: VerdictKind) -> &'static str {
    match kind {
        VerdictKind::Gnn => "A GNN should help.",
        VerdictKind::Combine => "Features and structure together: each adds to the other.",
        VerdictKind::Structure => "Structure is enough.",
        VerdictKind::Features => "Features are enough.",
        VerdictKind::Any => "Structure alone or features alone: each is enough.",
        VerdictKind::Nothing => "No detectable signal.",
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
