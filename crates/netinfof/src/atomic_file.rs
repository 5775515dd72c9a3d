//! Files that are written as a whole or not at all.

use std::fs::File;
use std::path::Path;

use crate::error::{Error, Result};

/// Writes a file as a whole or not at all: first under a temporary name in the same folder, which then
/// replaces it. A symbolic link is followed; a target that is not a regular file, such as a pipe, is written
/// to directly.
pub fn write(path: &Path, write: impl FnOnce(&mut File) -> std::io::Result<()>) -> Result<()> {
    let place = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    if std::fs::metadata(&place).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
        let opened = File::options().write(true).open(&place);
        return opened.and_then(|mut file| write(&mut file)).map_err(|source| Error::io(path, source));
    }
    let mut name = place.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.tmp", std::process::id()));
    let beside = place.with_file_name(name);
    let written = File::create(&beside).and_then(|mut file| write(&mut file));
    written.and_then(|()| std::fs::rename(&beside, &place)).map_err(|source| {
        let _ = std::fs::remove_file(&beside);
        Error::io(path, source)
    })
}
