//! Which options apply to which task and command. An option that cannot apply is refused; for one without effect there is a notice.

use clap::ArgMatches;
use clap::parser::ValueSource;
use netinfof::split::check;

use super::Task;

/// Where an option applies. Options without an entry apply wherever clap accepts them.
struct OptionScope {
    /// The option's id in clap, which is its keyword in Python.
    option: &'static str,
    /// The only task it applies to.
    task: Option<Task>,
    /// Whether `probe` does not use it.
    act_only: bool,
    /// Options that leave it without effect: it is enough that all of one row are given.
    replaced_by: &'static [&'static [&'static str]],
    /// In one command it has an effect only together with one of some options.
    needs: Option<RequiredOptions>,
}

struct RequiredOptions {
    command: &'static str,
    one_of: &'static [&'static str],
}

const ANYWHERE: OptionScope =
    OptionScope { option: "", task: None, act_only: false, replaced_by: &[], needs: None };

const fn links(option: &'static str) -> OptionScope {
    OptionScope { option, task: Some(Task::Links), ..ANYWHERE }
}

const fn nodes(option: &'static str) -> OptionScope {
    OptionScope { option, task: Some(Task::Nodes), ..ANYWHERE }
}

const fn act_only(scope: OptionScope) -> OptionScope {
    OptionScope { act_only: true, ..scope }
}

const fn replaced(option: &'static str, by: &'static [&'static [&'static str]]) -> OptionScope {
    OptionScope { option, replaced_by: by, ..ANYWHERE }
}

/// An option about recommendations, which `recommend --vectors` alone does not compute.
const fn of_partners(option: &'static str) -> OptionScope {
    let needs = RequiredOptions { command: "recommend", one_of: &["node", "all", "overall"] };
    OptionScope { option, needs: Some(needs), ..ANYWHERE }
}

/// The same for options that also apply to the evaluation of a ranking.
const fn of_rankings(option: &'static str) -> OptionScope {
    let needs = RequiredOptions { command: "recommend", one_of: &["node", "all", "overall", "evaluate"] };
    OptionScope { option, needs: Some(needs), ..ANYWHERE }
}

/// Every option that does not apply everywhere.
const SCOPES: [OptionScope; 31] = [
    replaced("max_evaluated", &[&["train"], &["split"]]),
    links("time"),
    links("protocol"),
    links("context"),
    links("negatives"),
    links("compat"),
    links("bins"),
    links("crossfit"),
    links("train_negatives"),
    links("keep_lengths"),
    links("max_pairs"),
    links("compat_edges"),
    act_only(links("hits")),
    act_only(links("ordered_pairs")),
    act_only(links("penalties")),
    nodes("clusters_per_class"),
    nodes("min_class"),
    act_only(nodes("normalization")),
    act_only(nodes("max_p")),
    act_only(nodes("node_model")),
    act_only(OptionScope { option: "lambda1", ..ANYWHERE }),
    act_only(OptionScope { option: "lambda2", ..ANYWHERE }),
    act_only(OptionScope { option: "ridge", ..ANYWHERE }),
    replaced("shares", &[&["train"], &["split"]]),
    replaced("preset", &[&["components", "compat"]]),
    // `predict --nodes`; `recommend` has no such option.
    OptionScope { replaced_by: &[&["nodes"]], ..of_partners("prior") },
    replaced("edges", &[&["nodes"]]),
    of_rankings("k"),
    of_partners("exclude_known"),
    of_rankings("pool"),
    of_partners("output"),
];

/// The options given on the command line, without defaults.
struct GivenOptions<'a>(&'a ArgMatches);

impl GivenOptions<'_> {
    fn has(&self, option: &str) -> bool {
        // Not every command takes every option of the table.
        self.0.try_contains_id(option).unwrap_or(false)
            && self.0.value_source(option) == Some(ValueSource::CommandLine)
    }

    fn task(&self) -> Option<Task> {
        self.0.try_get_one::<Task>("task").ok().flatten().copied()
    }
}

/// Options that belong to the other task.
#[derive(Debug)]
pub(crate) struct MisplacedOptions {
    options: Vec<&'static str>,
    task: Task,
}

impl MisplacedOptions {
    /// The error, with flags of the command.
    pub(crate) fn for_command(&self) -> String {
        self.said(flag, |task| format!("`--task {task}`"))
    }

    /// The error, with keywords of the Python package.
    pub(crate) fn for_python(&self) -> String {
        self.said(|option| format!("`{option}`"), |task| format!("task='{task}'"))
    }

    fn said(&self, option: impl Fn(&str) -> String, task: impl Fn(&str) -> String) -> String {
        let names: Vec<String> = self.options.iter().map(|name| option(name)).collect();
        let (verb, them) = if names.len() == 1 { ("applies", "it") } else { ("apply", "them") };
        let [given, other] = [self.task, self.task.other()].map(|own| task(own.name()));
        format!("{} {verb} to {other}, not to {given}; remove {them}", listed(&names, "and"))
    }
}

/// Refuses options of the other task, among those of a command.
pub(crate) fn check(command: &ArgMatches) -> Result<(), MisplacedOptions> {
    let given = GivenOptions(command);
    let Some(task) = given.task() else { return Ok(()) };
    let misplaced =
        |scope: &&OptionScope| scope.task.is_some_and(|own| own != task) && given.has(scope.option);
    let options: Vec<&str> = SCOPES.iter().filter(misplaced).map(|scope| scope.option).collect();
    if options.is_empty() { Ok(()) } else { Err(MisplacedOptions { options, task }) }
}

/// Refuses findings to allow that a check of this task cannot have.
pub(crate) fn check_allowed(allowed: &[String], task: Task) -> Result<(), String> {
    let kinds = match task {
        Task::Links => &check::LINK_KINDS[..],
        Task::Nodes => &check::NODE_KINDS,
    };
    match allowed.iter().find(|kind| !kinds.contains(&kind.as_str())) {
        None => Ok(()),
        Some(kind) => Err(format!(
            "`--allow {kind}`: no such finding with `--task {}`; there are {}",
            task.name(),
            kinds.join(", ")
        )),
    }
}

/// A line for each option of a command that is given and has no effect.
pub(crate) fn without_effect(name: &str, command: &ArgMatches) -> Vec<String> {
    let given = GivenOptions(command);
    let names = |options: &[&str]| options.iter().map(|option| flag(option)).collect::<Vec<_>>();
    let when = |scope: &OptionScope| {
        if let Some(row) = scope.replaced_by.iter().find(|row| row.iter().all(|option| given.has(option))) {
            return Some(format!("with {}", listed(&names(row), "and")));
        }
        if scope.act_only && name == "probe" {
            return Some("in `probe`: only `act` uses it".to_string());
        }
        let needs = scope.needs.as_ref().filter(|needs| needs.command == name)?;
        let missing = !needs.one_of.iter().any(|option| given.has(option));
        missing.then(|| format!("without {}", listed(&names(needs.one_of), "or")))
    };
    let said =
        |scope: &OptionScope| when(scope).map(|when| format!("{} has no effect {when}", flag(scope.option)));
    SCOPES.iter().filter(|scope| given.has(scope.option)).filter_map(said).collect()
}

fn flag(option: &str) -> String {
    format!("`--{}`", option.replace('_', "-"))
}

/// Joins names for a sentence.
fn listed(names: &[String], joined_by: &str) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} {joined_by} {last}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::args::Args;

    fn parsed(words: &str) -> ArgMatches {
        Args::command().try_get_matches_from(words.split(' ')).unwrap()
    }

    #[test]
    fn every_option_of_the_table_exists() {
        let command = Args::command();
        let known = |option: &str| {
            command.get_subcommands().flat_map(clap::Command::get_arguments).any(|arg| arg.get_id() == option)
        };
        for scope in &SCOPES {
            let needed = scope.needs.iter().flat_map(|needs| needs.one_of);
            let others = scope.replaced_by.iter().copied().flatten().chain(needed);
            for option in others.copied().chain([scope.option]) {
                assert!(known(option), "{option}");
            }
        }
        // Help texts that begin with a task agree with the table.
        for arg in command.find_subcommand("act").unwrap().get_arguments() {
            let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
            let task = SCOPES.iter().find(|scope| arg.get_id() == scope.option).and_then(|scope| scope.task);
            for (name, of) in [("Links: ", Task::Links), ("Nodes: ", Task::Nodes)] {
                assert_eq!(help.starts_with(name), task == Some(of), "{}: {help}", arg.get_id());
            }
        }
    }

    #[test]
    fn options_of_the_other_task_are_named() {
        let fault = |words: &str| check(parsed(words).subcommand().unwrap().1).unwrap_err();
        let found = fault("netinfof probe --task nodes --negatives heart --hits 7 --crossfit 3");
        let said = "`--negatives`, `--crossfit` and `--hits` apply to `--task links`, not to `--task nodes`; remove them";
        assert_eq!(found.for_command(), said);
        let found = fault("netinfof act --min-class 3");
        assert_eq!(found.for_python(), "`min_class` applies to task='nodes', not to task='links'; remove it");
        // Values that are the defaults, given or not.
        assert!(check(parsed("netinfof act --task nodes").subcommand().unwrap().1).is_ok());
        fault("netinfof act --task nodes --protocol clean");
    }

    #[test]
    fn options_without_effect_are_said() {
        let said = |words: &str| {
            let matches = parsed(words);
            let (name, command) = matches.subcommand().unwrap();
            without_effect(name, command)
        };
        assert_eq!(
            said("netinfof probe --hits 7"),
            ["`--hits` has no effect in `probe`: only `act` uses it"]
        );
        assert!(said("netinfof act --hits 7 --shares 0.8,0.1 --preset slimg --components U").is_empty());
        assert_eq!(
            said("netinfof act --shares 0.8,0.1 --split s.npz"),
            ["`--shares` has no effect with `--split`"]
        );
        assert_eq!(
            said("netinfof act --preset slimg --components U --compat h"),
            ["`--preset` has no effect with `--components` and `--compat`"]
        );
        assert_eq!(said("netinfof predict m --nodes --prior 0.1 --edges all").len(), 2);
        assert!(said("netinfof predict m --pairs p --prior 0.1 --edges all -o out.csv").is_empty());
        assert_eq!(
            said("netinfof recommend m --vectors v.npz --k 3"),
            ["`--k` has no effect without `--node`, `--all`, `--overall` or `--evaluate`"]
        );
    }
}
