//! The `netinfof` command as a function: arguments in, exit status out.
//!
//! Results go to standard output, everything else to standard error. Exit status 0: success; 1: invalid data or parameters, or a check
//! with findings; 2: invalid arguments, or an internal error; 130: interrupted by Ctrl-C.

mod args;
mod baselines;
pub mod bridge;
mod commands;
mod datasets;
mod next_step;
mod page;
mod printer;
mod progress;
mod result_table;

use std::ffi::OsString;
use std::sync::Arc;

use netinfof::{Error, Exec};

/// Runs the command. The first argument is the program's name.
pub fn run(args: impl IntoIterator<Item = OsString>) -> u8 {
    let words: Vec<OsString> = args.into_iter().collect();
    let (args, without_effect) = match args::Args::of_command(&words) {
        Ok(parsed) => parsed,
        Err(error) => {
            // Help and version are results, not errors: clap chooses the stream. A closed pipe is not an error.
            let _ = error.print();
            return if error.use_stderr() { 2 } else { 0 };
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
        for line in without_effect {
            exec.notice(line);
        }
        commands::dispatch(&args, &words, &progress, &exec)
    });
    progress.clear();
    match result {
        Ok(status) => status,
        Err(error) => {
            printer::error(&error);
            match error {
                Error::Cancelled => 130,
                error if error.is_users() => 1,
                _ => 2,
            }
        }
    }
}
