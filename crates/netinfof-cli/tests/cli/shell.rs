//! Defaults of the user's own, completion scripts and manual pages.

use std::process::{Command, Output};

use crate::{Folder, stderr, stdout};

/// The command with these environment variables.
fn with(variables: &[(&str, &str)], words: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_netinfof"));
    command.args(words).env_remove("XDG_CONFIG_HOME").env("HOME", "/nowhere").env("COLUMNS", "100");
    command.envs(variables.iter().copied()).output().unwrap()
}

#[test]
fn defaults_come_from_the_file_then_variables_then_the_command_line() {
    let folder = Folder::new();
    let file = folder.file("config.json", r#"{"dim": 8, "seed": 5, "splits": 2, "quiet": true}"#);
    let config = ("NETINFOF_CONFIG", file.as_str());
    let words = ["probe", "--components", "U,F", "--json", "-", "--splits", "1"];
    let output = with(&[config, ("NETINFOF_SEED", "7")], &words);
    assert_eq!(stderr(&output), "", "quiet comes from the file");
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["params"]["component"]["dim"], 8);
    assert_eq!((&found["params"]["seed"], &found["params"]["splits"]), (&7.into(), &1.into()));
    // The command in the report repeats the run without file and variables.
    let command = found["command"].as_str().unwrap();
    assert!(command.ends_with("--splits 1 --dim=8 --quiet --seed=7"), "{command}");

    let output = with(&[config, ("NETINFOF_SEED", "7")], &["config"]);
    let text = stdout(&output);
    assert!(text.contains(&file) && text.contains("NETINFOF_SMALLEST_GAIN"), "{text}");
    let line = |name: &str| text.lines().find(|line| line.starts_with(name)).unwrap().to_string();
    assert!(line("dim ").ends_with("file") && line("seed ").ends_with("variable"), "{text}");
    assert!(line("threads ").ends_with("built in"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80 || line.starts_with("file: ")), "{text}");
}

#[test]
fn wrong_defaults_name_their_source() {
    let output = with(&[("NETINFOF_THREADS", "many")], &["probe"]);
    assert_eq!(output.status.code(), Some(2));
    let said = stderr(&output);
    assert!(
        said.contains("`threads` = `many` comes from the environment variable NETINFOF_THREADS"),
        "{said}"
    );
    let output = with(&[("NETINFOF_CONFIG", "/nowhere/config.json")], &["probe"]);
    assert_eq!((output.status.code(), stdout(&output)), (Some(1), String::new()));
    assert!(stderr(&output).contains("/nowhere/config.json"), "{}", stderr(&output));
    // Options of a command that has none of them stay out of its way.
    assert!(with(&[("NETINFOF_DIM", "8")], &["datasets"]).status.success());
}

#[test]
fn completions_know_commands_and_options() {
    for (shell, part) in
        [("bash", "complete -F _netinfof"), ("zsh", "#compdef netinfof"), ("fish", "complete -c netinfof")]
    {
        let output = with(&[], &["completions", shell]);
        let text = stdout(&output);
        assert!(output.status.success() && text.contains(part) && text.contains("smallest-gain"), "{shell}");
    }
    let output = with(&[], &["completions", "cmd"]);
    assert!(output.status.code() == Some(2) && stderr(&output).contains("powershell"));
}

#[test]
fn every_command_has_a_manual_page() {
    let folder = Folder::new();
    let output = with(&[], &["manual", "--folder", &folder.path("")]);
    assert!(output.status.success(), "{}", stderr(&output));
    for page in ["netinfof", "netinfof-probe", "netinfof-check-split", "netinfof-completions"] {
        let text = std::fs::read_to_string(folder.path(&format!("{page}.1"))).unwrap();
        assert!(text.contains(".TH") && text.contains(".SH NAME"), "{page}");
    }
    let page = std::fs::read_to_string(folder.path("netinfof-probe.1")).unwrap();
    assert!(page.contains("smallest\\-gain") && page.contains("Would a GNN predict the edges"), "{page}");
    assert!(stdout(&with(&[], &["manual"])).contains(".TH netinfof 1"));
}
