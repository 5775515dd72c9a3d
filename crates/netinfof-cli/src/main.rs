//! The `netinfof` command. Everything is in the library part, so that other packages can carry the command too.

fn main() -> std::process::ExitCode {
    netinfof_cli::run(std::env::args_os()).into()
}
