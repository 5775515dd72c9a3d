//! A table in a zip archive with a single file, as websites offer downloads.

use std::fs::File;
use std::io::{BufRead, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use netinfof::{Error, Result};

/// Where a file is in an archive.
pub(crate) struct Member {
    start: u64,
    packed: u64,
    deflated: bool,
}

/// The table in a zip archive that has no other files. `None` for other files and archives, such as npz.
pub(crate) fn table_in(path: &Path) -> Result<Option<Member>> {
    let io = |e| Error::io(path, e);
    if !std::fs::metadata(path).map_err(io)?.is_file() {
        return Ok(None);
    }
    let mut file = File::open(path).map_err(io)?;
    let mut start = Vec::new();
    (&mut file).take(4).read_to_end(&mut start).map_err(io)?;
    if start != b"PK\x03\x04" {
        return Ok(None);
    }
    let Ok(mut archive) = zip::ZipArchive::new(BufReader::new(file)) else { return Ok(None) };
    let files: Vec<String> =
        archive.file_names().flatten().filter(|name| is_content(name)).map(String::from).collect();
    let [name] = &files[..] else { return Ok(None) };
    let endings = ["csv", "tsv", "txt", "edges", "edgelist", "json", "graphml", "gml", "net", "mtx"];
    let ending = Path::new(name).extension().map(|ending| ending.to_string_lossy().to_lowercase());
    if !ending.is_some_and(|ending| endings.contains(&ending.as_str())) {
        return Ok(None);
    }
    let Ok(entry) = archive.by_name(name) else { return Ok(None) };
    let deflated = match entry.compression() {
        zip::CompressionMethod::Stored => false,
        zip::CompressionMethod::Deflated => true,
        _ => return Ok(None),
    };
    let Some(start) = entry.data_start() else { return Ok(None) };
    Ok((!entry.encrypted()).then(|| Member { start, packed: entry.compressed_size(), deflated }))
}

/// Whether a member of an archive is neither a folder nor what comes with the data: a text about it, or a file of the
/// system.
pub(crate) fn is_content(member: &str) -> bool {
    let name = member.rsplit('/').next().unwrap_or_default().to_lowercase();
    let stem = name.split('.').next().unwrap_or_default();
    !name.is_empty()
        && !name.starts_with('.')
        && !member.starts_with("__MACOSX/")
        && !["readme", "license", "licence", "copying"].contains(&stem)
}

impl Member {
    /// The text of the table, and its compressed size.
    pub(crate) fn opened(&self, path: &Path) -> Result<(Box<dyn BufRead>, u64)> {
        let io = |e| Error::io(path, e);
        let mut file = File::open(path).map_err(io)?;
        file.seek(SeekFrom::Start(self.start)).map_err(io)?;
        let packed = BufReader::with_capacity(1 << 16, file).take(self.packed);
        if self.deflated {
            return Ok((Box::new(BufReader::new(flate2::bufread::DeflateDecoder::new(packed))), self.packed));
        }
        Ok((Box::new(BufReader::new(packed)), u64::MAX))
    }
}
