//! `netinfof datasets`: graphs that are known by name and downloaded once into a cache. Nothing is downloaded without a request.
//!
//! A dataset is a list of files in the layout of their authors, which the readers support. It counts as downloaded when all of its files
//! exist. A file is downloaded as `.part`, checked and then renamed, so that a file under its final name is complete.

mod fetch;
mod unpack;

use std::collections::HashSet;
use std::env;
use std::fmt::Write as _;
use std::path::{Component, Path, PathBuf};

use indicatif::DecimalBytes;
use netinfof::{Error, Progress as _, Result};
use serde::{Deserialize, Serialize};

use crate::progress::TerminalProgress;

/// Environment variable with the path of a catalogue that extends the built-in one.
const CATALOGUE: &str = "NETINFOF_CATALOGUE";
/// Environment variable with the folder for downloaded files.
const CACHE: &str = "NETINFOF_CACHE";
/// Environment variable that replaces scheme and host of every address.
const MIRROR: &str = "NETINFOF_MIRROR";

/// All datasets that are known by name.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Catalogue {
    datasets: Vec<Dataset>,
}

/// A graph that can be downloaded. Facts that are not known are absent.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Dataset {
    name: String,
    nodes: Option<u64>,
    edges: Option<u64>,
    features: Option<u64>,
    classes: Option<u64>,
    licence: Option<String>,
    /// Address of a page about the dataset.
    source: Option<String>,
    note: Option<String>,
    /// The file or folder to open, relative to the dataset's folder; `.` is the folder itself.
    open: String,
    files: Vec<RemoteFile>,
}

/// A file of a dataset and its address.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
struct RemoteFile {
    address: String,
    /// Path in the dataset's folder; for an archive, the folder to unpack it to.
    path: String,
    bytes: Option<u64>,
    sha256: Option<String>,
    #[serde(default)]
    unpack: bool,
}

impl Catalogue {
    /// The user's catalogue, if there is one, followed by the built-in one. The user's datasets replace built-in ones of the same name.
    pub(crate) fn read() -> Result<Self> {
        let mut all = Catalogue::parse(include_str!("datasets/catalogue.json"))
            .expect("the built-in catalogue is tested to be sound");
        if let Some(path) = variable(CATALOGUE).map(PathBuf::from) {
            let text =
                std::fs::read_to_string(&path).map_err(|source| Error::Io { path: path.clone(), source })?;
            let own = Catalogue::parse(&text).map_err(|what| Error::InvalidParam {
                name: CATALOGUE,
                value: format!("{}: {what}", path.display()),
                need: "a catalogue as in docs/datasets.md".into(),
            })?;
            all.datasets.retain(|dataset| own.find(&dataset.name).is_none());
            all.datasets.splice(0..0, own.datasets);
        }
        Ok(all)
    }

    fn parse(text: &str) -> std::result::Result<Self, String> {
        let catalogue: Catalogue = serde_json::from_str(text).map_err(|e| e.to_string())?;
        let mut names = HashSet::new();
        for dataset in &catalogue.datasets {
            dataset.check().map_err(|what| format!("dataset `{}`: {what}", dataset.name))?;
            if !names.insert(&dataset.name) {
                return Err(format!("dataset `{}` is defined twice", dataset.name));
            }
        }
        Ok(catalogue)
    }

    fn find(&self, name: &str) -> Option<&Dataset> {
        self.datasets.iter().find(|dataset| dataset.name.eq_ignore_ascii_case(name))
    }

    /// The dataset of this name; the error suggests similar names.
    fn named(&self, name: &str) -> Result<&Dataset> {
        self.find(name).ok_or_else(|| {
            let names = || self.datasets.iter().map(|dataset| dataset.name.as_str());
            let wanted = name.to_lowercase();
            let near: Vec<&str> = names()
                .filter(|known| distance(known, &wanted) <= 2 || wanted.len() > 2 && known.contains(&wanted))
                .collect();
            let need = if near.is_empty() {
                format!("one of {}", names().collect::<Vec<_>>().join(", "))
            } else {
                format!("the name of a dataset, such as {}", near.join(" or "))
            };
            Error::InvalidParam { name: "NAME", value: name.into(), need }
        })
    }
}

impl Dataset {
    /// Refuses entries that could write outside the cache or that can never be downloaded.
    fn check(&self) -> std::result::Result<(), String> {
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "._-".contains(c);
        if self.name.is_empty() || self.name.starts_with('.') || !self.name.chars().all(plain) {
            return Err("a name consists of lower-case letters, digits, `-`, `_` and `.`, and does not begin with `.`".into());
        }
        if self.files.is_empty() {
            return Err("no files".into());
        }
        if self.open != "." && !is_inside(&self.open) {
            return Err(format!("`open` is {}, not a path inside the dataset's folder", self.open));
        }
        for file in &self.files {
            if !is_inside(&file.path) {
                return Err(format!("`path` is {}, not a path inside the dataset's folder", file.path));
            }
            if split_address(&file.address).is_none() {
                return Err(format!("`address` is {}, not https://HOST/PATH", file.address));
            }
            if file.unpack && (!is_inside(file.last_name()) || file.path == file.last_name()) {
                return Err(format!("`address` is {}, not an archive with a name of its own", file.address));
            }
            let hex = |sum: &str| sum.len() == 64 && sum.chars().all(|c| c.is_ascii_hexdigit());
            if file.sha256.as_ref().is_some_and(|sum| !hex(sum)) {
                return Err(format!("`sha256` of {} is not 64 hexadecimal digits", file.path));
            }
        }
        Ok(())
    }

    fn folder(&self, cache: &Path) -> PathBuf {
        cache.join(&self.name)
    }

    /// The path that a reader opens.
    fn opened(&self, cache: &Path) -> PathBuf {
        let folder = self.folder(cache);
        if self.open == "." { folder } else { folder.join(&self.open) }
    }

    /// Whether all files exist with the right sizes.
    fn complete(&self, cache: &Path) -> bool {
        let folder = self.folder(cache);
        let here = |file: &RemoteFile| {
            let place = folder.join(&file.path);
            match std::fs::metadata(place) {
                Ok(found) if file.unpack => found.is_dir(),
                Ok(found) => found.is_file() && file.bytes.is_none_or(|bytes| bytes == found.len()),
                Err(_) => false,
            }
        };
        self.files.iter().all(here) && self.opened(cache).exists()
    }

    /// Bytes to download, if the sizes of all files are known.
    fn bytes(&self) -> Option<u64> {
        self.files.iter().map(|file| file.bytes).sum()
    }

    fn fault(&self, what: String) -> Error {
        Error::Dataset { name: self.name.clone(), what }
    }

    /// Downloads the missing files into the cache.
    fn get(&self, cache: &Path, progress: &TerminalProgress) -> Result<()> {
        let folder = self.folder(cache);
        for file in &self.files {
            let place = folder.join(&file.path);
            let parent = place.parent().unwrap_or(&folder);
            std::fs::create_dir_all(parent)
                .map_err(|source| Error::Io { path: parent.to_path_buf(), source })?;
            if file.unpack && place.is_dir() {
                continue;
            }
            let target = if file.unpack { folder.join(file.last_name()) } else { place.clone() };
            let what = fetch::FileDownload {
                dataset: &self.name,
                address: mirrored(&file.address)?,
                place: &target,
                bytes: file.bytes,
                sha256: file.sha256.as_deref(),
            };
            if !what.is_here(progress)? {
                what.fetch(progress)?;
            }
            if file.unpack {
                unpack::unpack(&target, &place, progress).map_err(|fault| match fault {
                    unpack::UnpackError::Archive(what) => {
                        // Otherwise the next call would find the same archive again.
                        let _ = std::fs::remove_file(&target);
                        self.fault(format!("{}: {what}; the archive is removed", file.address))
                    }
                    unpack::UnpackError::Other(error) => error,
                })?;
                let _ = std::fs::remove_file(&target);
            }
        }
        if self.complete(cache) {
            return Ok(());
        }
        let what = format!("all files are downloaded, but {} does not exist", self.opened(cache).display());
        Err(self.fault(what))
    }
}

impl RemoteFile {
    fn last_name(&self) -> &str {
        self.address.rsplit('/').next().unwrap_or_default()
    }
}

/// Whether a relative path stays inside its folder.
fn is_inside(path: &str) -> bool {
    let plain = !path.is_empty() && !path.contains(['\\', ':']) && !path.ends_with('/');
    plain && Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
}

/// The value of an environment variable, if it is not empty.
fn variable(name: &str) -> Option<std::ffi::OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

/// The folder for downloaded files, by the conventions of the operating system.
fn cache() -> Result<PathBuf> {
    let at = |name: &str, rest: &str| variable(name).map(|folder| Path::new(&folder).join(rest));
    let xdg = || at("XDG_CACHE_HOME", "netinfof").filter(|path| path.is_absolute());
    let usual = || match env::consts::OS {
        "macos" => at("HOME", "Library/Caches/netinfof"),
        "windows" => at("LOCALAPPDATA", "netinfof"),
        _ => at("HOME", ".cache/netinfof"),
    };
    variable(CACHE).map(PathBuf::from).or_else(xdg).or_else(usual).ok_or_else(|| Error::InvalidParam {
        name: CACHE,
        value: "not set".into(),
        need: "a folder for downloaded files".into(),
    })
}

/// Splits an address into scheme with host, and path.
fn split_address(address: &str) -> Option<(&str, &str)> {
    let host = ["https://", "http://"].iter().find_map(|scheme| address.strip_prefix(scheme))?;
    let slash = host.find('/').filter(|&at| at > 0)?;
    let plain = !address.contains(|c: char| c.is_whitespace() || c.is_control());
    plain.then(|| address.split_at(address.len() - host.len() + slash))
}

/// The address at the mirror, if one is set.
fn mirrored(address: &str) -> Result<String> {
    let Some(mirror) = variable(MIRROR) else { return Ok(address.into()) };
    let mirror = mirror.to_string_lossy();
    let base = mirror.trim_end_matches('/');
    let path = split_address(address).map_or("", |(_, path)| path);
    let there = format!("{base}{path}");
    if split_address(&there).is_none() {
        let need = "an address such as https://mirror.example.org".into();
        return Err(Error::InvalidParam { name: MIRROR, value: mirror.into(), need });
    }
    Ok(there)
}

/// Levenshtein distance of two words.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut corner = i;
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let change = corner + usize::from(x != y);
            corner = row[j + 1];
            row[j + 1] = change.min(corner + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

/// The name and path of the dataset that `source` names. `None` for files, folders and generated graphs, which take precedence.
pub(crate) fn resolve(source: &str) -> Result<Option<(String, PathBuf)>> {
    if source.starts_with("synth:") || Path::new(source).exists() {
        return Ok(None);
    }
    let catalogue = Catalogue::read()?;
    let Some(dataset) = catalogue.find(source) else { return Ok(None) };
    let cache = cache()?;
    if !dataset.complete(&cache) {
        let what = format!("not downloaded yet; run `netinfof datasets get {}`", dataset.name);
        return Err(dataset.fault(what));
    }
    Ok(Some((dataset.name.clone(), dataset.opened(&cache))))
}

/// Downloads the datasets of these names. Returns one line per dataset with the path to open.
pub(crate) fn get(names: &[String], progress: &TerminalProgress) -> Result<String> {
    let catalogue = Catalogue::read()?;
    // A wrong name is reported before anything is downloaded.
    let datasets: Vec<&Dataset> = names.iter().map(|name| catalogue.named(name)).collect::<Result<_>>()?;
    let cache = cache()?;
    let mut lines = Vec::new();
    for dataset in datasets {
        match dataset.get(&cache, progress) {
            Ok(()) => lines.push(format!("{}: {}", dataset.name, dataset.opened(&cache).display())),
            Err(error) => {
                if matches!(error, Error::Cancelled) {
                    progress.clear();
                    progress.notice(
                        "stopped; the downloaded part is kept, and the same command continues from there",
                    );
                }
                return Err(error);
            }
        }
    }
    Ok(lines.join("\n"))
}

/// All datasets, and which of them are in the cache.
pub(crate) struct DatasetList {
    catalogue: Catalogue,
    cache: PathBuf,
}

impl DatasetList {
    pub(crate) fn read() -> Result<Self> {
        Ok(DatasetList { catalogue: Catalogue::read()?, cache: cache()? })
    }

    pub(crate) fn json(&self) -> String {
        let datasets: Vec<serde_json::Value> = self
            .catalogue
            .datasets
            .iter()
            .map(|dataset| {
                let mut value =
                    serde_json::to_value(dataset).expect("a dataset holds nothing JSON cannot say");
                value["bytes"] = dataset.bytes().into();
                value["cached"] = dataset.complete(&self.cache).into();
                value["opened"] = dataset.opened(&self.cache).display().to_string().into();
                value
            })
            .collect();
        let value = serde_json::json!({
            "netinfof": env!("CARGO_PKG_VERSION"), "cache": self.cache.display().to_string(), "datasets": datasets
        });
        serde_json::to_string_pretty(&value).expect("a list holds nothing JSON cannot say")
    }

    pub(crate) fn table(&self) -> String {
        let count = |n: Option<u64>| n.map_or("?".into(), |n| n.to_string());
        let head = ["name", "nodes", "edges", "features", "classes", "size", "sha256", "cached"];
        let mut rows = vec![head.map(String::from)];
        for dataset in &self.catalogue.datasets {
            let sums = dataset.files.iter().filter(|file| file.sha256.is_some()).count();
            rows.push([
                dataset.name.clone(),
                count(dataset.nodes),
                count(dataset.edges),
                count(dataset.features),
                count(dataset.classes),
                dataset.bytes().map_or("not known".into(), |bytes| DecimalBytes(bytes).to_string()),
                match (sums, dataset.files.len()) {
                    (0, _) => "not known".into(),
                    (sums, all) if sums == all => "known".into(),
                    (sums, all) => format!("{sums} of {all}"),
                },
                if dataset.complete(&self.cache) { "yes" } else { "no" }.into(),
            ]);
        }
        let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
        let widths: Vec<usize> = (0..head.len()).map(width).collect();
        let mut text = String::new();
        for row in &rows {
            let mut line = String::new();
            for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
                // Numbers are aligned to the right.
                let _ = match column {
                    1..=5 => write!(line, "{cell:>width$}  "),
                    _ => write!(line, "{cell:width$}  "),
                };
            }
            let _ = writeln!(text, "{}", line.trim_end());
        }
        // Sources are listed below the table: they are too long for a column, and several datasets share one.
        let mut sources: Vec<(String, Vec<&str>)> = Vec::new();
        for dataset in &self.catalogue.datasets {
            let source = dataset.source.as_ref().unwrap_or(&dataset.files[0].address);
            let licence = dataset.licence.as_deref().unwrap_or("not stated");
            let from = format!("    {source}\n    licence: {licence}");
            match sources.iter_mut().find(|(known, _)| *known == from) {
                Some((_, names)) => names.push(&dataset.name),
                None => sources.push((from, vec![&dataset.name])),
            }
        }
        text.push('\n');
        for (from, names) in sources {
            let _ = writeln!(text, "{}\n{from}", names.join(", "));
        }
        text.push('\n');
        for dataset in &self.catalogue.datasets {
            if let Some(note) = &dataset.note {
                let _ = writeln!(text, "{}: {note}", dataset.name);
            }
        }
        let _ = write!(
            text,
            "\ncache: {}\n`netinfof datasets get NAME` downloads a dataset; NAME can then be used as GRAPH. --json shows addresses and checksums",
            self.cache.display()
        );
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_catalogue_is_valid() {
        let catalogue = Catalogue::parse(include_str!("datasets/catalogue.json")).unwrap();
        assert_eq!(catalogue.datasets.len(), 15);
        for dataset in &catalogue.datasets {
            assert!(dataset.nodes.is_some() && dataset.edges.is_some(), "{}", dataset.name);
            for file in &dataset.files {
                assert!(file.address.starts_with("https://"), "{}", file.address);
                assert_eq!(file.bytes.is_some(), file.sha256.is_some(), "{}", file.address);
            }
        }
    }

    #[test]
    fn catalogues_that_reach_outside_are_refused() {
        let with = |name: &str, path: &str, open: &str, address: &str| {
            let value = serde_json::json!({"datasets": [{
                "name": name, "open": open, "files": [{"address": address, "path": path}]
            }]});
            Catalogue::parse(&value.to_string())
        };
        assert!(with("a", "b/c", "b", "https://h/f").is_ok());
        for path in ["../b", "/b", "b/../../c", "", ".", "b/", "C:\\b", "..\\b"] {
            assert!(with("a", path, ".", "https://h/f").is_err(), "{path}");
            assert!(path == "." || with("a", "b", path, "https://h/f").is_err(), "{path}");
        }
        for name in ["", "..", "../a", "A", "a/b", ".a"] {
            assert!(with(name, "b", ".", "https://h/f").is_err(), "{name}");
        }
        for address in ["ftp://h/f", "file:///etc/passwd", "https://", "https:///f", "https://h/a b"] {
            assert!(with("a", "b", ".", address).is_err(), "{address}");
        }
    }

    #[test]
    fn distances_are_edits() {
        for (a, b, edits) in [("cora", "cora", 0), ("cora", "coar", 2), ("photo", "phot", 1), ("", "ab", 2)] {
            assert_eq!((distance(a, b), distance(b, a)), (edits, edits), "{a} {b}");
        }
    }
}
