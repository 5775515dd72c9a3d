//! Downloads one file over HTTP: into `FILE.part`, continuing an earlier download, then checked and renamed.

use std::fs::File;
use std::io::{ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use netinfof::{Error, Progress as _, Result};
use sha2::{Digest as _, Sha256};
use ureq::http::{Response, StatusCode, header};

use crate::progress::TerminalProgress;

/// Consecutive attempts without new data before the download fails.
const TRIES: u32 = 4;
/// Wait before the second attempt; it doubles with each further one.
const PAUSE: Duration = Duration::from_millis(400);
/// How long a server may send nothing.
const SILENCE: Duration = Duration::from_secs(30);
/// Largest download if neither the catalogue nor the server states a size.
const LIMIT: u64 = 16 << 30;
const CHUNK: usize = 1 << 16;

/// A file to download, with the size and checksum it must have.
pub(super) struct FileDownload<'a> {
    pub(super) dataset: &'a str,
    pub(super) address: String,
    pub(super) place: &'a Path,
    pub(super) bytes: Option<u64>,
    pub(super) sha256: Option<&'a str>,
}

/// Why an attempt failed.
enum AttemptFailure {
    /// Another attempt may succeed.
    Retryable(String),
    Final(Error),
}

impl From<Error> for AttemptFailure {
    fn from(error: Error) -> Self {
        AttemptFailure::Final(error)
    }
}

impl FileDownload<'_> {
    /// Whether the file exists and is valid, including one that was downloaded by hand.
    pub(super) fn is_here(&self, progress: &TerminalProgress) -> Result<bool> {
        if !self.place.is_file() {
            return Ok(false);
        }
        match self.check(self.place, progress)? {
            None => Ok(true),
            Some(wrong) => {
                progress.notice(&format!("{}: {wrong}; it is downloaded again", self.place.display()));
                Ok(false)
            }
        }
    }

    /// Downloads the file.
    pub(super) fn fetch(&self, progress: &TerminalProgress) -> Result<()> {
        let part = self.part();
        let done = self.bring(&part, progress);
        progress.finish();
        done?;
        if let Some(wrong) = self.check(&part, progress)? {
            remove(&part)?;
            return Err(self.fault(format!("{wrong}; the download is removed")));
        }
        remove(&self.tag())?;
        std::fs::rename(&part, self.place)
            .map_err(|source| Error::Io { path: self.place.to_path_buf(), source })
    }

    fn part(&self) -> PathBuf {
        let mut name = self.place.file_name().unwrap_or_default().to_os_string();
        name.push(".part");
        self.place.with_file_name(name)
    }

    /// The file that holds the version (`ETag` or date) of the partial download.
    fn tag(&self) -> PathBuf {
        let mut name = self.part().into_os_string();
        name.push(".version");
        name.into()
    }

    /// Stores the version of the file whose download begins, if the server states one.
    fn keep_tag(&self, response: &Response<ureq::Body>) -> Result<()> {
        let named = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
        let strong = named(header::ETAG).filter(|tag| !tag.starts_with("W/"));
        let place = self.tag();
        match strong.or_else(|| named(header::LAST_MODIFIED)) {
            Some(tag) => std::fs::write(&place, tag).map_err(|source| Error::Io { path: place, source }),
            None => remove(&place),
        }
    }

    fn fault(&self, what: String) -> Error {
        Error::Dataset { name: self.dataset.into(), what: format!("{}: {what}", self.address) }
    }

    /// Completes the partial file, with repeated attempts as long as they make progress.
    fn bring(&self, part: &Path, progress: &TerminalProgress) -> Result<()> {
        // A partial file that is longer than the file belongs to another version.
        if self.bytes.is_some_and(|bytes| length(part) > bytes) {
            remove(part)?;
        }
        let mut farthest = length(part);
        let mut failures = 0;
        while self.bytes != Some(length(part)) || !part.exists() {
            let why = match self.attempt(part, progress) {
                Ok(()) => break,
                Err(AttemptFailure::Final(error)) => return Err(error),
                Err(AttemptFailure::Retryable(why)) => why,
            };
            let here = length(part);
            if here > farthest {
                (farthest, failures) = (here, 0);
            }
            failures += 1;
            if failures == TRIES {
                return Err(self.given_up(here, &why));
            }
            pause(PAUSE * 2u32.pow(failures - 1), progress)?;
        }
        Ok(())
    }

    fn given_up(&self, here: u64, why: &str) -> Error {
        if here > 0 {
            let of = self.bytes.map_or(String::new(), |bytes| format!(" of {bytes}"));
            return self.fault(format!(
                "interrupted after {here}{of} bytes ({why}); run the same command again to continue"
            ));
        }
        self.fault(format!(
            "download failed ({why}); try again later, or download it by hand to {} and run the same command again",
            self.place.display()
        ))
    }

    /// Requests the missing rest of the file once.
    fn attempt(&self, part: &Path, progress: &TerminalProgress) -> std::result::Result<(), AttemptFailure> {
        let mut here = length(part);
        let mut request = agent(&self.address).get(&self.address);
        if here > 0 {
            request = request.header(header::RANGE, format!("bytes={here}-"));
            // If the file has changed, the server then sends all of it.
            if let Ok(tag) = std::fs::read_to_string(self.tag()) {
                request = request.header(header::IF_RANGE, tag);
            }
        }
        let response = request.call().map_err(|error| self.no_answer(error))?;
        let total = match response.status() {
            StatusCode::OK => {
                here = 0;
                self.keep_tag(&response)?;
                response.body().content_length()
            }
            StatusCode::PARTIAL_CONTENT => {
                let (start, total) = range(&response).unwrap_or((None, None));
                if here == 0 || start != Some(here) {
                    remove(part)?;
                    return Err(AttemptFailure::Retryable(
                        "the server sent another range than requested".into(),
                    ));
                }
                total
            }
            StatusCode::RANGE_NOT_SATISFIABLE if here > 0 => {
                // No bytes are left: either the partial file is complete, or it belongs to another version.
                if self.bytes.is_none() && range(&response) == Some((None, Some(here))) {
                    return Ok(());
                }
                remove(part)?;
                return Err(AttemptFailure::Retryable("the server has no further bytes of the file".into()));
            }
            status => {
                let again = status.is_server_error()
                    || [StatusCode::REQUEST_TIMEOUT, StatusCode::TOO_MANY_REQUESTS].contains(&status);
                let what = format!("the server answered {status}");
                return Err(if again {
                    AttemptFailure::Retryable(what)
                } else {
                    self.fault(format!("{what}; the file may have moved")).into()
                });
            }
        };
        if let (Some(wanted), Some(offered)) = (self.bytes, total)
            && wanted != offered
        {
            remove(part)?;
            return Err(self
                .fault(format!("expected {wanted} bytes, but the server offers {offered}"))
                .into());
        }
        self.copy(response, part, here, self.bytes.or(total), progress)
    }

    /// Writes the response to the partial file from offset `here` on, at most `total` bytes.
    fn copy(
        &self,
        response: Response<ureq::Body>,
        part: &Path,
        mut here: u64,
        total: Option<u64>,
        progress: &TerminalProgress,
    ) -> std::result::Result<(), AttemptFailure> {
        let io = |source| Error::Io { path: part.to_path_buf(), source };
        let mut options = File::options();
        let mut file = match here {
            0 => options.write(true).create(true).truncate(true).open(part),
            _ => options.append(true).open(part),
        }
        .map_err(io)?;
        let name = self.place.file_name().unwrap_or_default().to_string_lossy();
        progress.transfer(&format!("{} {name}", self.dataset), here, total);
        let mut body = response.into_body().into_reader();
        let mut chunk = vec![0; CHUNK];
        let ended = loop {
            if progress.cancelled() {
                break Err(Error::Cancelled.into());
            }
            let read = match body.read(&mut chunk) {
                Ok(read) => read,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => break Err(AttemptFailure::Retryable(plain(&error.to_string()))),
            };
            if read == 0 {
                break match total {
                    Some(total) if here < total => {
                        Err(AttemptFailure::Retryable("the transfer ended early".into()))
                    }
                    _ => Ok(()),
                };
            }
            let most = total.unwrap_or(LIMIT);
            if here + read as u64 > most {
                remove(part)?;
                break Err(self
                    .fault(format!("the server sent more than {most} bytes; the download is removed"))
                    .into());
            }
            if let Err(error) = file.write_all(&chunk[..read]) {
                break Err(io(error).into());
            }
            here += read as u64;
            progress.advance(read);
        };
        // Received data is kept even if the transfer failed, so that the next attempt can continue.
        file.sync_all().map_err(io)?;
        ended
    }

    /// Classifies the error of a request without a response.
    fn no_answer(&self, error: ureq::Error) -> AttemptFailure {
        use ureq::Error as E;
        match error {
            E::BadUri(_) | E::Http(_) | E::InvalidProxyUrl | E::RequireHttpsOnly(_) | E::TooManyRedirects => {
                self.fault(plain(&error.to_string())).into()
            }
            // A certificate that is not trusted now will not be trusted in another attempt.
            E::Rustls(_) | E::Tls(_) => self.fault(plain(&error.to_string())).into(),
            E::Io(error) => AttemptFailure::Retryable(plain(&error.to_string())),
            E::HostNotFound => AttemptFailure::Retryable("unknown host; check the network connection".into()),
            error => AttemptFailure::Retryable(plain(&error.to_string())),
        }
    }

    /// What is wrong with a file, by size and checksum; `None` if nothing is known to be.
    fn check(&self, path: &Path, progress: &TerminalProgress) -> Result<Option<String>> {
        let found = length(path);
        if let Some(bytes) = self.bytes.filter(|&bytes| bytes != found) {
            return Ok(Some(format!("wrong size: expected {bytes} bytes, found {found}")));
        }
        let Some(expected) = self.sha256 else { return Ok(None) };
        let found = sha256(path, progress)?;
        let wrong = !expected.eq_ignore_ascii_case(&found);
        Ok(wrong.then(|| format!("wrong checksum: expected sha256 {expected}, found {found}")))
    }
}

/// A client for this address. Proxies come from the environment; HTTPS is never redirected to HTTP.
fn agent(address: &str) -> ureq::Agent {
    ureq::Agent::config_builder()
        .http_status_as_error(false)
        .https_only(address.starts_with("https://"))
        .user_agent(concat!("netinfof/", env!("CARGO_PKG_VERSION")))
        .timeout_resolve(Some(SILENCE))
        .timeout_connect(Some(SILENCE))
        .timeout_per_read(Some(SILENCE))
        .build()
        .new_agent()
}

/// Start of the response and length of the whole file, from `Content-Range`: `bytes 5-9/10`, `bytes */10`.
fn range(response: &Response<ureq::Body>) -> Option<(Option<u64>, Option<u64>)> {
    let text = response.headers().get(header::CONTENT_RANGE)?.to_str().ok()?;
    let (place, total) = text.strip_prefix("bytes")?.trim().split_once('/')?;
    let start = place.split_once('-').and_then(|(start, _)| start.parse().ok());
    Some((start, total.parse().ok()))
}

/// The length of a file; 0 if it does not exist.
fn length(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |found| found.len())
}

fn remove(path: &Path) -> Result<()> {
    match std::fs::remove_file(path) {
        Err(source) if source.kind() != ErrorKind::NotFound => {
            Err(Error::Io { path: path.to_path_buf(), source })
        }
        _ => Ok(()),
    }
}

/// Waits, unless the user interrupts.
fn pause(time: Duration, progress: &TerminalProgress) -> Result<()> {
    let end = Instant::now() + time;
    while Instant::now() < end {
        if progress.cancelled() {
            return Err(Error::Cancelled);
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

fn sha256(path: &Path, progress: &TerminalProgress) -> Result<String> {
    let io = |source| Error::Io { path: path.to_path_buf(), source };
    let mut file = File::open(path).map_err(io)?;
    let mut hasher = Sha256::new();
    let mut chunk = vec![0; CHUNK];
    loop {
        if progress.cancelled() {
            return Err(Error::Cancelled);
        }
        match file.read(&mut chunk).map_err(io)? {
            0 => return Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()),
            read => hasher.update(&chunk[..read]),
        }
    }
}

/// A message of another library on one line.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
