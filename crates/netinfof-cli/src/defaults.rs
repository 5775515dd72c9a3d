//! Defaults of the user's own for options, from environment variables and a configuration file.
//!
//! Only options that do not name data may have them. An option on the command line comes first, then its
//! variable, then the file. Values from either are written into the command line that a report holds, so that
//! it repeats the run on any machine. The Python package reads neither.

use std::env;
use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{ArgAction, ArgMatches, Command};
use netinfof::{Error, Result};
use serde_json::Value;

/// Names the file, instead of the usual place.
const FILE: &str = "NETINFOF_CONFIG";

/// The options that may have defaults.
const OPTIONS: [&str; 9] =
    ["threads", "memory", "progress", "quiet", "verbose", "seed", "splits", "dim", "smallest-gain"];

/// The source of a default.
#[derive(Clone, Debug, PartialEq)]
enum Origin {
    Variable(String),
    File,
}

/// The defaults of the user's own.
#[derive(Debug, Default)]
pub(crate) struct Defaults {
    file: Option<PathBuf>,
    found: Vec<(&'static str, String, Origin)>,
}

impl Defaults {
    /// Reads the variables and the file, if there is one.
    pub(crate) fn read() -> Result<Self> {
        let stated = env::var_os(FILE).filter(|name| !name.is_empty()).map(PathBuf::from);
        let file = stated.clone().or_else(usual_file);
        let text = match &file {
            None => None,
            Some(path) => match std::fs::read_to_string(path) {
                Ok(text) => Some(text),
                Err(source) if source.kind() == std::io::ErrorKind::NotFound && stated.is_none() => None,
                Err(source) => return Err(Error::Io { path: path.clone(), source }),
            },
        };
        let mut defaults = Defaults { file, found: Vec::new() };
        if let (Some(path), Some(text)) = (&defaults.file, text) {
            defaults.found = of_file(path, &text)?;
        }
        for name in OPTIONS {
            let variable = variable_of(name);
            let Some(value) = env::var_os(&variable).filter(|value| !value.is_empty()) else { continue };
            let value = value.to_string_lossy().into_owned();
            defaults.found.retain(|(own, ..)| *own != name);
            defaults.found.push((name, value, Origin::Variable(variable)));
        }
        Ok(defaults)
    }

    /// The same command, in which these are the defaults of the options.
    pub(crate) fn apply(&self, command: Command) -> Command {
        self.found.iter().fold(command, |command, (name, value, _)| {
            command.mut_subcommands(|sub| {
                let id = sub
                    .get_arguments()
                    .find(|arg| arg.get_long() == Some(name))
                    .map(|arg| arg.get_id().clone());
                match id {
                    Some(id) => sub.mut_arg(id, |arg| arg.default_value(value.clone())),
                    None => sub,
                }
            })
        })
    }

    /// The options whose defaults the command used, as words of its command line.
    pub(crate) fn used(&self, command: &Command, matches: &ArgMatches) -> Vec<String> {
        let Some((name, of_sub)) = matches.subcommand() else { return Vec::new() };
        let Some(sub) = command.find_subcommand(name) else { return Vec::new() };
        let word = |(name, value, _): &(&'static str, String, Origin)| {
            let arg = sub.get_arguments().find(|arg| arg.get_long() == Some(name))?;
            let used = of_sub.value_source(arg.get_id().as_str()) == Some(ValueSource::DefaultValue);
            let flag = matches!(arg.get_action(), ArgAction::SetTrue);
            match (used, flag) {
                (false, _) => None,
                (true, true) => (value == "true").then(|| format!("--{name}")),
                (true, false) => Some(format!("--{name}={value}")),
            }
        };
        self.found.iter().filter_map(word).collect()
    }

    /// Explains an error of a value that is not on the command line.
    pub(crate) fn explain(&self, words: &[std::ffi::OsString], message: &str) -> Option<String> {
        let quoted = |(name, value, origin): &(&'static str, String, Origin)| {
            let given = words.iter().any(|word| word.to_string_lossy().starts_with(&format!("--{name}")));
            (!given && message.contains(&format!("--{name} ")) && message.contains(value.as_str()))
                .then(|| format!("`{name}` = `{value}` comes from {}", self.place(origin)))
        };
        self.found.iter().find_map(quoted)
    }

    fn place(&self, origin: &Origin) -> String {
        match origin {
            Origin::Variable(name) => format!("the environment variable {name}"),
            Origin::File => self.file.as_deref().unwrap_or(Path::new("")).display().to_string(),
        }
    }

    /// The options with their values and sources.
    pub(crate) fn table(&self) -> String {
        let mut lines = Vec::new();
        let file = self.file.as_deref().map_or_else(|| "none".into(), |path| path.display().to_string());
        let state = if self.file.as_deref().is_some_and(Path::is_file) { "" } else { " (not there)" };
        lines.push(format!("file: {file}{state}"));
        lines.push(String::new());
        lines.push(format!("{:<14}  {:<22}  {:<10}  source", "option", "variable", "value"));
        for name in OPTIONS {
            let own = self.found.iter().find(|(own, ..)| *own == name);
            let (value, source) = match own {
                Some((_, value, Origin::File)) => (value.as_str(), "file"),
                Some((_, value, Origin::Variable(_))) => (value.as_str(), "variable"),
                None => ("–", "built in"),
            };
            lines.push(format!("{name:<14}  {:<22}  {value:<10}  {source}", variable_of(name)));
        }
        lines.join("\n")
    }

    /// The same as JSON.
    pub(crate) fn json(&self) -> String {
        let own = |(name, value, origin): &(&'static str, String, Origin)| {
            let source = if *origin == Origin::File { "file" } else { "variable" };
            ((*name).to_string(), serde_json::json!({ "value": value, "source": source }))
        };
        let options: serde_json::Map<String, Value> = self.found.iter().map(own).collect();
        let value = serde_json::json!({ "file": self.file, "options": options });
        serde_json::to_string_pretty(&value).expect("a configuration holds nothing JSON cannot say")
    }
}

/// Its environment variable.
fn variable_of(option: &str) -> String {
    format!("NETINFOF_{}", option.replace('-', "_").to_uppercase())
}

/// The place of the file by the conventions of the operating system.
fn usual_file() -> Option<PathBuf> {
    let at = |name: &str, rest: &str| {
        env::var_os(name).filter(|folder| !folder.is_empty()).map(|folder| Path::new(&folder).join(rest))
    };
    let xdg = at("XDG_CONFIG_HOME", "netinfof/config.json").filter(|path| path.is_absolute());
    xdg.or_else(|| match env::consts::OS {
        "macos" => at("HOME", "Library/Application Support/netinfof/config.json"),
        "windows" => at("APPDATA", "netinfof/config.json"),
        _ => at("HOME", ".config/netinfof/config.json"),
    })
}

fn of_file(path: &Path, text: &str) -> Result<Vec<(&'static str, String, Origin)>> {
    let fault = |what: String| Error::InvalidParam {
        name: "configuration",
        value: format!("{}: {what}", path.display()),
        need: format!("a JSON object of options: {}", OPTIONS.join(", ")),
    };
    let value: Value = serde_json::from_str(text).map_err(|e| fault(e.to_string()))?;
    let Value::Object(entries) = value else { return Err(fault("not an object".into())) };
    let own = |(key, value): (String, Value)| {
        let known = OPTIONS.into_iter().find(|name| *name == key.replace('_', "-"));
        let name = known.ok_or_else(|| fault(format!("unknown option `{key}`")))?;
        let value = match value {
            Value::String(text) => text,
            Value::Number(number) => number.to_string(),
            Value::Bool(flag) => flag.to_string(),
            other => return Err(fault(format!("`{key}` is {other}"))),
        };
        Ok((name, value, Origin::File))
    };
    entries.into_iter().map(own).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_holds_options_only() {
        let read = |text: &str| of_file(Path::new("config.json"), text);
        let found = read(r#"{"threads": 2, "smallest_gain": 0.02, "quiet": true, "memory": "8G"}"#).unwrap();
        let pairs: Vec<(&str, &str)> = found.iter().map(|(name, value, _)| (*name, value.as_str())).collect();
        assert_eq!(pairs, [("threads", "2"), ("smallest-gain", "0.02"), ("quiet", "true"), ("memory", "8G")]);
        for (text, part) in [
            ("[1]", "not an object"),
            (r#"{"thread": 2}"#, "unknown option `thread`"),
            (r#"{"nodes": "a.csv"}"#, "unknown option `nodes`"),
            (r#"{"dim": [64]}"#, "`dim` is [64]"),
            ("{", "EOF"),
        ] {
            let message = read(text).unwrap_err().to_string();
            assert!(message.contains(part) && message.contains("smallest-gain"), "{message}");
        }
    }
}
