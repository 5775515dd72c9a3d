//! A zip archive into a folder that is there whole or not at all. Archives come from elsewhere: nothing in them is trusted.

use std::fs::File;
use std::io::{BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};

use netinfof::{Error, Progress as _};
use zip::ZipArchive;

use super::is_inside;
use crate::printer::Bars;

/// How much an archive may hold: so much more than its own size, and a little on top for small ones. Deflate packs zeros 1000 times.
const GROWTH: u64 = 100;
const FREE: u64 = 32 << 20;
const ENTRIES: usize = 100_000;

/// What went wrong.
pub(super) enum Fault {
    /// The archive is not to be used.
    Archive(String),
    Other(Error),
}

type Result<T> = std::result::Result<T, Fault>;

/// Makes the folder `place` of an archive's content, without the one folder that most archives put around everything.
pub(super) fn unpack(archive: &Path, place: &Path, bars: &Bars) -> Result<()> {
    let mut name = place.file_name().unwrap_or_default().to_os_string();
    name.push(".unpack");
    let beside = place.with_file_name(name);
    let _ = std::fs::remove_dir_all(&beside);
    let done = fill(archive, &beside, bars).and_then(|()| {
        let whole = inner(&beside).map_err(io(&beside))?;
        std::fs::rename(whole, place).map_err(io(place))
    });
    // Holds nothing any more, or what nobody wants.
    let _ = std::fs::remove_dir_all(&beside);
    done
}

fn io(path: &Path) -> impl Fn(std::io::Error) -> Fault {
    let path = path.to_path_buf();
    move |source| Fault::Other(Error::Io { path: path.clone(), source })
}

/// The only folder in a folder, or this one.
fn inner(folder: &Path) -> std::io::Result<PathBuf> {
    let mut found = std::fs::read_dir(folder)?;
    match (found.next().transpose()?, found.next()) {
        (Some(only), None) if only.file_type()?.is_dir() => Ok(only.path()),
        _ => Ok(folder.to_path_buf()),
    }
}

fn fill(archive: &Path, folder: &Path, bars: &Bars) -> Result<()> {
    let file = File::open(archive).map_err(io(archive))?;
    let size = file.metadata().map_err(io(archive))?.len();
    let bad = |error: zip::result::ZipError| Fault::Archive(format!("not a readable zip: {error}"));
    let mut zip = ZipArchive::new(BufReader::new(file)).map_err(bad)?;
    if zip.len() > ENTRIES {
        return Err(Fault::Archive(format!("{} files in an archive, more than {ENTRIES}", zip.len())));
    }
    let most = size.saturating_mul(GROWTH).saturating_add(FREE);
    let mut room = most;
    std::fs::create_dir_all(folder).map_err(io(folder))?;
    let mut chunk = vec![0; 1 << 16];
    bars.start("unpacking", zip.len());
    for at in 0..zip.len() {
        let mut entry = zip.by_index(at).map_err(bad)?;
        let name = entry.name().map_err(bad)?.into_owned();
        bars.advance(1);
        // What a Mac adds of its own.
        if name.starts_with("__MACOSX/") {
            continue;
        }
        if !is_inside(name.trim_end_matches('/')) || entry.is_symlink() {
            return Err(Fault::Archive(format!("`{name}` in the archive would lie outside its folder")));
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
            if bars.cancelled() {
                return Err(Fault::Other(Error::Cancelled));
            }
            let read = entry
                .read(&mut chunk)
                .map_err(|error| Fault::Archive(format!("`{name}` in the archive: {error}")))?;
            if read == 0 {
                break;
            }
            room = room
                .checked_sub(read as u64)
                .ok_or_else(|| Fault::Archive(format!("unpacked it would take more than {most} bytes")))?;
            out.write_all(&chunk[..read]).map_err(io(&place))?;
        }
        out.sync_all().map_err(io(&place))?;
    }
    bars.finish();
    Ok(())
}
