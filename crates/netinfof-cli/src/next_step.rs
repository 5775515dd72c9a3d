//! The command to run after a report, from its verdict and the command that made it.

use netinfof::report::VerdictKind;
use netinfof::{Report, TaskKind};

/// Options of `probe` and `act` about output, which the next command does not repeat.
const OUTPUT: [&str; 5] = ["--json", "--html", "--save", "--predictions", "--resume"];
/// Options that `python -m netinfof.baselines` has too.
const SHARED: [&str; 5] = ["--task", "--splits", "--seed", "--protocol", "--negatives"];
/// Options that decide which components are used.
const CHOSEN: [&str; 4] = ["--components", "--component", "--preset", "--protocol"];

/// The next command; `None` if none follows from the verdict, or the report came from the library.
pub(crate) fn command(report: &Report) -> Option<String> {
    let words = CommandWords::of(report.command.as_deref()?)?;
    let links = report.task == TaskKind::Links;
    let verdict = &report.verdict;
    let acted = report.splits.iter().any(|split| split.act.is_some());
    // Act with the components of one part, unless the components were chosen.
    let alone = |components: &str| {
        let chosen = words.options.iter().any(|option| CHOSEN.contains(&option.name()));
        let all: &[&str] = if chosen { &[] } else { &["--components", components] };
        (!acted || !chosen).then(|| words.act(all))
    };
    match verdict.kind {
        VerdictKind::Undecided => {
            let (_, rest) = verdict.next.split_once("`--shares ")?;
            let (shares, _) = rest.split_once('`')?;
            let own = ["--shares", "--split", "--train"];
            let possible = !words.options.iter().any(|option| own.contains(&option.name()));
            possible.then(|| words.again(&["--shares", shares]))
        }
        VerdictKind::Structure if verdict.degree_only => {
            let given = words.options.iter().any(|option| option.name() == "--negatives");
            (!given).then(|| words.act(&["--negatives", "degree"]))
        }
        VerdictKind::Features if verdict.nonlinear => words.baselines("mlp", report),
        VerdictKind::Gnn if acted => words.baselines("gcn,sage", report),
        VerdictKind::Combine if acted => {
            words.baselines(if links { "ncn,buddy" } else { "gcn-skip,linkx" }, report)
        }
        VerdictKind::Features | VerdictKind::Any if acted => words.baselines("mlp", report),
        VerdictKind::Gnn | VerdictKind::Combine => Some(words.act(&[])),
        VerdictKind::Structure => alone(if links { "U,R,X" } else { "U,R,C" }),
        VerdictKind::Features | VerdictKind::Any => alone("F"),
        _ => None,
    }
}

/// A word of the command line, with its value if it is an option that has one.
struct CommandOption<'a> {
    word: &'a str,
    value: Option<&'a str>,
}

impl CommandOption<'_> {
    /// The option without a value after `=`.
    fn name(&self) -> &str {
        self.word.split('=').next().unwrap_or(self.word)
    }
}

/// The words of a command line of `probe` or `act`, quoted as they were.
struct CommandWords<'a> {
    command: &'a str,
    options: Vec<CommandOption<'a>>,
}

impl<'a> CommandWords<'a> {
    fn of(line: &'a str) -> Option<Self> {
        let mut words = words(line).into_iter();
        let (Some("netinfof"), Some(command)) = (words.next(), words.next()) else { return None };
        let mut options = Vec::new();
        let mut rest = words.peekable();
        while let Some(word) = rest.next() {
            let valued = OUTPUT.contains(&word) || SHARED.contains(&word);
            let value = if valued { rest.next() } else { None };
            options.push(CommandOption { word, value });
        }
        let quiet = |word: &str| {
            ["--quiet", "--verbose"].contains(&word)
                || word
                    .strip_prefix('-')
                    .is_some_and(|of| !of.is_empty() && of.chars().all(|c| "qv".contains(c)))
        };
        options.retain(|option| !OUTPUT.contains(&option.name()) && !quiet(option.word));
        Some(CommandWords { command, options })
    }

    /// The command with these options and `more`.
    fn with(&self, command: &str, more: &[&str]) -> String {
        let own = self.options.iter().flat_map(|option| [Some(option.word), option.value]).flatten();
        ["netinfof", command].into_iter().chain(own).chain(more.iter().copied()).collect::<Vec<_>>().join(" ")
    }

    fn again(&self, more: &[&str]) -> String {
        self.with(self.command, more)
    }

    fn act(&self, more: &[&str]) -> String {
        self.with("act", more)
    }

    /// Trains models on the splits of the report, if the trainer has all options.
    fn baselines(&self, models: &str, report: &Report) -> Option<String> {
        let (options, graph): (Vec<_>, Vec<_>) =
            self.options.iter().partition(|option| option.word.starts_with('-'));
        let known = options.iter().all(|option| SHARED.contains(&option.name()));
        let graph = match graph[..] {
            [] => "synth:demo",
            [graph] => graph.word,
            _ => return None,
        };
        let mut line = format!("python -m netinfof.baselines {graph}");
        for word in options.iter().flat_map(|option| [Some(option.word), option.value]).flatten() {
            line = format!("{line} {word}");
        }
        line = format!("{line} --models {models}");
        if !options.iter().any(|option| option.name() == "--splits") {
            line = format!("{line} --splits {}", report.splits.len());
        }
        known.then_some(line)
    }
}

/// Splits a command line at blanks that are not quoted.
fn words(line: &str) -> Vec<&str> {
    let (mut words, mut start, mut quoted, mut escaped) = (Vec::new(), 0, false, false);
    for (at, c) in line.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if !quoted => escaped = true,
            '\'' => quoted = !quoted,
            ' ' if !quoted => {
                words.push(&line[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    words.push(&line[start..]);
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use netinfof::{Exec, Goal, LinkParams, Seed};

    use super::*;

    fn report(goal: Goal) -> Report {
        let exec = Exec::new(1).unwrap();
        let graph = netinfof::synth::named("demo", Seed(0), &exec).unwrap();
        let mut params = LinkParams::default();
        params.component.dim = 8;
        netinfof::links(&graph, None, goal, &params, &exec).unwrap()
    }

    #[test]
    fn the_next_command_follows_from_the_verdict() {
        let mut report = report(Goal::Probe);
        let mut next = |kind: VerdictKind, line: Option<&str>| {
            report.verdict.kind = kind;
            report.verdict.next = "Set their shares, such as `--shares 0.5,0.3`.".into();
            report.command = line.map(ToString::to_string);
            command(&report)
        };
        let line =
            "netinfof probe 'a '\\''b.csv' --nodes n.csv --splits 2 --html=a.html --json - -qv --threads 2";
        let kept = "'a '\\''b.csv' --nodes n.csv --splits 2 --threads 2";
        for (kind, expected) in [
            (VerdictKind::Gnn, format!("netinfof act {kept}")),
            (VerdictKind::Structure, format!("netinfof act {kept} --components U,R,X")),
            (VerdictKind::Features, format!("netinfof act {kept} --components F")),
            (VerdictKind::Undecided, format!("netinfof probe {kept} --shares 0.5,0.3")),
        ] {
            assert_eq!(next(kind, Some(line)), Some(expected));
        }
        assert_eq!(next(VerdictKind::Nothing, Some(line)), None);
        assert_eq!(next(VerdictKind::Gnn, None), None);
        let chosen = "netinfof probe g.npz --components U,F,S";
        let expected = "netinfof act g.npz --components U,F,S";
        assert_eq!(next(VerdictKind::Structure, Some(chosen)).as_deref(), Some(expected));
        assert_eq!(next(VerdictKind::Undecided, Some("netinfof probe g.npz --shares=0.4,0.1")), None);
    }

    #[test]
    fn models_are_trained_on_the_same_splits() {
        let mut report = report(Goal::Act);
        report.command = Some("netinfof act g.npz".into());
        for (kind, expected) in [
            (VerdictKind::Gnn, Some("python -m netinfof.baselines g.npz --models gcn,sage --splits 1")),
            (VerdictKind::Combine, Some("python -m netinfof.baselines g.npz --models ncn,buddy --splits 1")),
            (VerdictKind::Features, Some("python -m netinfof.baselines g.npz --models mlp --splits 1")),
            (VerdictKind::Structure, Some("netinfof act g.npz --components U,R,X")),
            (VerdictKind::Nothing, None),
        ] {
            report.verdict.kind = kind;
            assert_eq!(command(&report).as_deref(), expected, "{kind:?}");
        }
        // The run was that of structure alone.
        report.command = Some("netinfof act g.npz --components U,R,X".into());
        report.verdict.kind = VerdictKind::Structure;
        assert_eq!(command(&report), None);
        let trained = |line: &str| CommandWords::of(line).unwrap().baselines("gcn", &report);
        let expected = "python -m netinfof.baselines g.npz --task nodes --seed=3 --models gcn --splits 1";
        let found = trained("netinfof act --json r.json g.npz --task nodes --seed=3 --save m");
        assert_eq!(found.as_deref(), Some(expected));
        let expected = "python -m netinfof.baselines synth:demo --splits 5 --models gcn";
        assert_eq!(trained("netinfof act --splits 5 -q").as_deref(), Some(expected));
        // The trainer cannot read a node table.
        assert_eq!(trained("netinfof act g.csv --nodes n.csv"), None);
    }
}
