//! Where real graphs are: `NETINFOF_DATA`, else `../shared/data` beside the project.

use std::io::Write as _;
use std::path::PathBuf;

/// The data folder. Where there is none, one line past the test harness says so; in CI that is a failure.
pub(crate) fn data(test: &str) -> Option<PathBuf> {
    let default = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("NETINFOF_DATA").map_or_else(default, PathBuf::from);
    if folder.join("cora.npz").exists() {
        return Some(folder);
    }
    assert!(
        std::env::var_os("CI").is_none_or(|ci| ci != "true"),
        "{test}: no graphs at {} (set NETINFOF_DATA)",
        folder.display()
    );
    let line = format!("skipped {test}: no graphs at {} (set NETINFOF_DATA)\n", folder.display());
    std::io::stderr().write_all(line.as_bytes()).unwrap();
    None
}
