//! Arguments that most commands share: where results go, and how the work is shown.

use std::path::PathBuf;

use clap::Args as ClapArgs;

use super::OUTPUT;
use crate::progress::ProgressFormat;

#[derive(Debug, ClapArgs)]
pub(crate) struct OutputArgs {
    /// Write the result as JSON to a file, or `-` for standard output
    #[arg(long, value_name = "FILE|-", help_heading = OUTPUT)]
    pub(crate) json: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) progress: ProgressArgs,
}

#[derive(Debug, ClapArgs)]
pub(crate) struct ProgressArgs {
    /// Number of threads [default: one per core]
    ///
    /// Results do not depend on it.
    #[arg(long, value_name = "T", help_heading = OUTPUT)]
    pub(crate) threads: Option<usize>,
    /// Form of progress: text or json
    ///
    /// Progress and notices go to standard error. JSON: one object per line, with the stage, or a notice; for long runs also the percentage and the seconds left.
    #[arg(long, value_name = "FORM", value_enum, default_value = "text", help_heading = OUTPUT)]
    pub(crate) progress: ProgressFormat,
    /// Do not show progress and notices on standard error
    #[arg(long, short, help_heading = OUTPUT)]
    pub(crate) quiet: bool,
}

/// How much of a report is printed.
#[derive(Debug, ClapArgs)]
pub(crate) struct DetailArgs {
    /// Print every component, too
    ///
    /// The paper's scores, the weights of the model, and the controls of predictive information.
    #[arg(long, short, help_heading = OUTPUT)]
    pub(crate) verbose: bool,
}
