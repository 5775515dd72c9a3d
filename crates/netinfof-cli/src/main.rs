//! The `netinfof` command. The work is done in the library target, so that other packages can include the command.

fn main() -> std::process::ExitCode {
    netinfof_cli::run(std::env::args_os()).into()
}
