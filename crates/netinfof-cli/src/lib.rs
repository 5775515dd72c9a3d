//! The `netinfof` command as a function: arguments in, exit status out.
//!
//! Results go to standard output, everything else to standard error. Exit status 0: success; 1: invalid data or parameters, or a check
//! with findings; 2: invalid arguments, or an internal error; 130: interrupted by Ctrl-C.

mod args;
mod baselines;
pub mod bridge;
mod commands;
mod datasets;
mod defaults;
mod next_step;
mod page;
mod plot;
mod printer;
mod progress;
mod result_table;
mod shell;

use std::ffi::OsString;
use std::sync::Arc;

use netinfof::{Error, Exec, WorkFolder};

use args::CommandLine;

/// Runs the command. The first argument is the program's name.
pub fn run(args: impl IntoIterator<Item = OsString>) -> u8 {
    let words: Vec<OsString> = args.into_iter().collect();
    let defaults = match defaults::Defaults::read() {
        Ok(defaults) => defaults,
        Err(error) => {
            printer::error(&error);
            return 1;
        }
    };
    let CommandLine { args, words, notices } = match args::Args::of_command(&words, &defaults) {
        Ok(line) => line,
        Err(error) => {
            // Help and version are results, not errors: clap chooses the stream. A closed pipe is not an error.
            let _ = error.print();
            if !error.use_stderr() {
                return 0;
            }
            if let Some(source) = defaults.explain(&words, &error.to_string()) {
                printer::note(&source);
            }
            return 2;
        }
    };
    let progress = Arc::new(progress::TerminalProgress::new(args.quiet(), args.progress()));
    let on_interrupt = Arc::clone(&progress);
    // This fails only if a handler is already set, as in tests that run the command twice in one process.
    let _ = ctrlc::set_handler(move || on_interrupt.interrupt());
    let result = Exec::with_progress(args.threads(), progress.clone()).and_then(|exec| {
        let exec = match args.memory() {
            Some(bytes) => exec.with_memory_limit(bytes),
            None => exec,
        };
        let exec = match args.work_folder() {
            Some(path) => exec.with_work_folder(WorkFolder::open(path)?),
            None => exec,
        };
        for line in notices {
            exec.notice(line);
        }
        commands::dispatch(&args, &words, &defaults, &progress, &exec)
    });
    progress.clear();
    match result {
        Ok(status) => status,
        Err(error) => {
            printer::error(&error);
            if let Some(path) = args.work_folder().filter(|path| WorkFolder::holds_stages(path)) {
                printer::note(&format!(
                    "finished stages are kept in {}: repeat the command to continue after them",
                    path.display()
                ));
            }
            match error {
                Error::Cancelled => 130,
                error if error.is_users() => 1,
                _ => 2,
            }
        }
    }
}
