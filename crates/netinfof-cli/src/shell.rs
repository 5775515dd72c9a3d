//! Completion scripts and manual pages, made from the definition of the arguments.

use clap::CommandFactory as _;
use netinfof::{Error, Result};
use netinfof_io::save;

use crate::args::{Args, CompletionsArgs, ManualArgs};
use crate::printer;

/// Prints the completion script of a shell.
pub(crate) fn completions(args: &CompletionsArgs) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "netinfof", &mut script);
    printer::out(String::from_utf8_lossy(&script).trim_end())
}

/// Prints the manual page of the command, or writes it with those of its subcommands to a folder.
pub(crate) fn manual(args: &ManualArgs) -> Result<()> {
    let mut command = Args::command();
    command.build();
    let Some(folder) = &args.folder else {
        return printer::out(String::from_utf8_lossy(&rendered(command)?).trim_end());
    };
    if !folder.is_dir() {
        return Err(Error::Io { path: folder.clone(), source: std::io::ErrorKind::NotFound.into() });
    }
    let mut written = 0;
    for page in pages(command) {
        let path = folder.join(format!("{}.1", page.get_name()));
        let page = rendered(page)?;
        save::whole(&path, |file| std::io::Write::write_all(file, &page))?;
        written += 1;
    }
    printer::out(&format!("{written} manual pages: {}", folder.display()))
}

/// The command and its subcommands, each under the name of its page.
fn pages(command: clap::Command) -> Vec<clap::Command> {
    let named = |sub: &clap::Command| sub.clone().name(format!("netinfof-{}", sub.get_name()));
    let subcommands: Vec<clap::Command> =
        command.get_subcommands().filter(|sub| sub.get_name() != "help").map(named).collect();
    std::iter::once(command).chain(subcommands).collect()
}

fn rendered(command: clap::Command) -> Result<Vec<u8>> {
    let mut page = Vec::new();
    clap_mangen::Man::new(command)
        .render(&mut page)
        .map_err(|source| Error::Io { path: "manual page".into(), source })?;
    Ok(page)
}
