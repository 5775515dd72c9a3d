//! The `netinfof` command as a function: arguments in, exit status out.
//!
//! Data goes to standard output, everything else to standard error. Exit status 0: done; 1: the data or the parameters
//! are at fault, or a check found something; 2: the arguments make no sense, or netinfof itself is at fault; 130: stopped by Ctrl-C.

mod args;
pub mod bridge;
mod commands;
mod datasets;
mod page;
mod printer;
mod sheet;

use std::ffi::OsString;
use std::sync::Arc;

use netinfof::{Error, Exec};

/// Runs the command. The first argument is the program's name.
pub fn run(args: impl IntoIterator<Item = OsString>) -> u8 {
    let words: Vec<OsString> = args.into_iter().collect();
    let (args, without_effect) = match args::Args::of_command(&words) {
        Ok(parsed) => parsed,
        Err(error) => {
            // Help and version are answers, not faults; clap knows where each goes. A closed pipe is no fault either.
            let _ = error.print();
            return if error.use_stderr() { 2 } else { 0 };
        }
    };
    let progress = Arc::new(printer::Bars::new(args.quiet()));
    let on_interrupt = Arc::clone(&progress);
    // Fails only where a handler is set already, as in tests that run the command twice in one process.
    let _ = ctrlc::set_handler(move || on_interrupt.interrupt());
    let result = Exec::with_progress(args.threads(), progress.clone()).and_then(|exec| {
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
