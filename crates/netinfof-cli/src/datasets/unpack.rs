//! Unpacks a zip archive into a folder, completely or not at all. Archives are untrusted input.

use std::fs::File;
use std::io::{BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};

use netinfof::{Error, Progress as _};
use zip::ZipArchive;

use super::is_inside;
use crate::progress::TerminalProgress;

/// Limits on the unpacked size: a multiple of the archive's size, plus a constant for small archives. They stop archives that expand
/// without bound; Deflate can compress zeros by a factor of 1000.
const GROWTH: u64 = 100;
const FREE: u64 = 32 << 20;
const ENTRIES: usize = 100_000;

/// Why an archive was not unpacked.
pub(super) enum UnpackError {
    /// The archive is damaged or unsafe.
    Archive(String),
    Other(Error),
}

type Result<T> = std::result::Result<T, UnpackError>;

/// Unpacks an archive to the folder `place`. A single top-level folder in the archive is left out.
pub(super) fn unpack(archive: &Path, place: &Path, progress: &TerminalProgress) -> Result<()> {
    let mut name = place.file_name().unwrap_or_default().to_os_string();
    name.push(".unpack");
    let beside = place.with_file_name(name);
    let _ = std::fs::remove_dir_all(&beside);
    let done = fill(archive, &beside, progress).and_then(|()| {
        let whole = inner(&beside).map_err(io(&beside))?;
        std::fs::rename(whole, place).map_err(io(place))
    });
    // It is empty now, or holds an incomplete result.
    let _ = std::fs::remove_dir_all(&beside);
    done
}

fn io(path: &Path) -> impl Fn(std::io::Error) -> UnpackError {
    let path = path.to_path_buf();
    move |source| UnpackError::Other(Error::Io { path: path.clone(), source })
}

/// The only entry of a folder if that is a folder, else the folder itself.
fn inner(folder: &Path) -> std::io::Result<PathBuf> {
    let mut found = std::fs::read_dir(folder)?;
    match (found.next().transpose()?, found.next()) {
        (Some(only), None) if only.file_type()?.is_dir() => Ok(only.path()),
        _ => Ok(folder.to_path_buf()),
    }
}

fn fill(archive: &Path, folder: &Path, progress: &TerminalProgress) -> Result<()> {
    let file = File::open(archive).map_err(io(archive))?;
    let size = file.metadata().map_err(io(archive))?.len();
    let bad = |error: zip::result::ZipError| UnpackError::Archive(format!("not a readable zip: {error}"));
    let mut zip = ZipArchive::new(BufReader::new(file)).map_err(bad)?;
    if zip.len() > ENTRIES {
        return Err(UnpackError::Archive(format!("{} files in an archive, more than {ENTRIES}", zip.len())));
    }
    let most = size.saturating_mul(GROWTH).saturating_add(FREE);
    let mut room = most;
    std::fs::create_dir_all(folder).map_err(io(folder))?;
    let mut chunk = vec![0; 1 << 16];
    progress.start("unpacking", zip.len());
    for at in 0..zip.len() {
        let mut entry = zip.by_index(at).map_err(bad)?;
        let name = entry.name().map_err(bad)?.into_owned();
        progress.advance(1);
        // macOS adds these entries; they are not part of the data.
        if name.starts_with("__MACOSX/") {
            continue;
        }
        if !is_inside(name.trim_end_matches('/')) || entry.is_symlink() {
            return Err(UnpackError::Archive(format!("`{name}` in the archive points outside its folder")));
        }
        let place = folder.join(name.trim_end_matches('/'));
        if entry.is_dir() {
            std::fs::create_dir_all(&place).map_err(io(&place))?;
            continue;
        }
        if let Some(parent) = place.parent() {
            std::fs::create_dir_all(parent).map_err(io(parent))?;
        }
        let mut out = File::create_new(&place).map_err(io(&place))?;
        loop {
            if progress.cancelled() {
                return Err(UnpackError::Other(Error::Cancelled));
            }
            let read = entry
                .read(&mut chunk)
                .map_err(|error| UnpackError::Archive(format!("`{name}` in the archive: {error}")))?;
            if read == 0 {
                break;
            }
            room = room.checked_sub(read as u64).ok_or_else(|| {
                UnpackError::Archive(format!("the unpacked size is more than {most} bytes"))
            })?;
            out.write_all(&chunk[..read]).map_err(io(&place))?;
        }
        out.sync_all().map_err(io(&place))?;
    }
    progress.finish();
    Ok(())
}
