//! `netinfof reproduce`: hands arguments and the terminal to the crate that holds the experiments.

use std::path::PathBuf;
use std::sync::Arc;

use netinfof::{Progress as _, Result};
use netinfof_reproduce::{Console, ReproduceParams};

use crate::args::ReproduceArgs;
use crate::printer;
use crate::progress::TerminalProgress;

pub(super) fn run(args: &ReproduceArgs, progress: &Arc<TerminalProgress>) -> Result<()> {
    let from_environment = || std::env::var_os("NETINFOF_DATA").map(PathBuf::from);
    let params = ReproduceParams {
        tables: args.table.clone(),
        all: args.all,
        data: args.data.clone().or_else(from_environment).unwrap_or_else(|| "data".into()),
        splits: args.splits,
        output: args.output.clone(),
        threads: args.threads.unwrap_or(0),
        baselines: args.baselines.clone(),
    };
    let console: Arc<dyn Console> = Arc::new(Terminal(Arc::clone(progress)));
    netinfof_reproduce::run(&params, &console)
}

/// The terminal as the experiments see it.
struct Terminal(Arc<TerminalProgress>);

impl Console for Terminal {
    fn print(&self, text: &str) -> Result<()> {
        printer::out(text)
    }

    fn notice(&self, text: &str) {
        self.0.notice(text);
    }

    fn run_begins(&self, finished: usize, total: usize, run: &str, seconds_left: f64) {
        self.0.overall(finished, total, run, seconds_left);
    }

    fn clear(&self) {
        self.0.clear();
    }

    fn cancelled(&self) -> bool {
        self.0.cancelled()
    }
}
