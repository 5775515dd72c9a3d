//! One file over HTTP: into `FILE.part`, going on where an earlier download stopped, checked, then renamed into its place.

use std::fs::File;
use std::io::{ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use netinfof::{Error, Progress as _, Result};
use sha2::{Digest as _, Sha256};
use ureq::http::{Response, StatusCode, header};

use crate::printer::Bars;

/// Tries in a row that bring nothing new, before it is given up.
const TRIES: u32 = 4;
/// The wait before the second try; it doubles from try to try.
const PAUSE: Duration = Duration::from_millis(400);
/// How long a server may say nothing.
const SILENCE: Duration = Duration::from_secs(30);
/// The most that is written where nobody says how long a file is.
const LIMIT: u64 = 16 << 30;
const CHUNK: usize = 1 << 16;

/// A file to have, and how it is known to be the right one.
pub(super) struct Wanted<'a> {
    pub(super) dataset: &'a str,
    pub(super) address: String,
    pub(super) place: &'a Path,
    pub(super) bytes: Option<u64>,
    pub(super) sha256: Option<&'a str>,
}

/// Why a try came to nothing.
enum Fault {
    /// The next one may do better.
    Passing(String),
    Final(Error),
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        Fault::Final(error)
    }
}

impl Wanted<'_> {
    /// Whether the file is in its place and sound, however it came there.
    pub(super) fn is_here(&self, bars: &Bars) -> Result<bool> {
        if !self.place.is_file() {
            return Ok(false);
        }
        match self.check(self.place, bars)? {
            None => Ok(true),
            Some(wrong) => {
                bars.notice(&format!("{}: {wrong}; it is downloaded again", self.place.display()));
                Ok(false)
            }
        }
    }

    /// Downloads the file.
    pub(super) fn fetch(&self, bars: &Bars) -> Result<()> {
        let part = self.part();
        let done = self.bring(&part, bars);
        bars.finish();
        done?;
        if let Some(wrong) = self.check(&part, bars)? {
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

    /// Where the version that a part is of is noted.
    fn tag(&self) -> PathBuf {
        let mut name = self.part().into_os_string();
        name.push(".version");
        name.into()
    }

    /// Notes which version of the file has begun to come, as far as the server says.
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

    /// Fills the part, in as many tries as it pays.
    fn bring(&self, part: &Path, bars: &Bars) -> Result<()> {
        // A part that is longer than the file is none of it.
        if self.bytes.is_some_and(|bytes| length(part) > bytes) {
            remove(part)?;
        }
        let mut farthest = length(part);
        let mut failures = 0;
        while self.bytes != Some(length(part)) || !part.exists() {
            let why = match self.attempt(part, bars) {
                Ok(()) => break,
                Err(Fault::Final(error)) => return Err(error),
                Err(Fault::Passing(why)) => why,
            };
            let here = length(part);
            if here > farthest {
                (farthest, failures) = (here, 0);
            }
            failures += 1;
            if failures == TRIES {
                return Err(self.given_up(here, &why));
            }
            pause(PAUSE * 2u32.pow(failures - 1), bars)?;
        }
        Ok(())
    }

    fn given_up(&self, here: u64, why: &str) -> Error {
        if here > 0 {
            let of = self.bytes.map_or(String::new(), |bytes| format!(" of {bytes}"));
            return self.fault(format!(
                "broke off after {here}{of} bytes ({why}); run the same command again to go on from there"
            ));
        }
        self.fault(format!(
            "download failed ({why}); try again later, or download it by hand to {} and run the same command again",
            self.place.display()
        ))
    }

    /// One request for what is not here yet.
    fn attempt(&self, part: &Path, bars: &Bars) -> std::result::Result<(), Fault> {
        let mut here = length(part);
        let mut request = agent(&self.address).get(&self.address);
        if here > 0 {
            request = request.header(header::RANGE, format!("bytes={here}-"));
            // Of another version of the file the server then sends all.
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
                    return Err(Fault::Passing("the server sent another part than was asked for".into()));
                }
                total
            }
            StatusCode::RANGE_NOT_SATISFIABLE if here > 0 => {
                // Nothing is left to send: the part is the file, or was begun with another one.
                if self.bytes.is_none() && range(&response) == Some((None, Some(here))) {
                    return Ok(());
                }
                remove(part)?;
                return Err(Fault::Passing("the server has no more of the file".into()));
            }
            status => {
                let again = status.is_server_error()
                    || [StatusCode::REQUEST_TIMEOUT, StatusCode::TOO_MANY_REQUESTS].contains(&status);
                let what = format!("the server answered {status}");
                return Err(if again {
                    Fault::Passing(what)
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
                .fault(format!("{offered} bytes are offered where {wanted} were expected"))
                .into());
        }
        self.copy(response, part, here, self.bytes.or(total), bars)
    }

    /// Writes the answer to the part from `here` on, and no more than it should be.
    fn copy(
        &self,
        response: Response<ureq::Body>,
        part: &Path,
        mut here: u64,
        total: Option<u64>,
        bars: &Bars,
    ) -> std::result::Result<(), Fault> {
        let io = |source| Error::Io { path: part.to_path_buf(), source };
        let mut options = File::options();
        let mut file = match here {
            0 => options.write(true).create(true).truncate(true).open(part),
            _ => options.append(true).open(part),
        }
        .map_err(io)?;
        let name = self.place.file_name().unwrap_or_default().to_string_lossy();
        bars.transfer(&format!("{} {name}", self.dataset), here, total);
        let mut body = response.into_body().into_reader();
        let mut chunk = vec![0; CHUNK];
        let ended = loop {
            if bars.cancelled() {
                break Err(Error::Cancelled.into());
            }
            let read = match body.read(&mut chunk) {
                Ok(read) => read,
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                Err(error) => break Err(Fault::Passing(plain(&error.to_string()))),
            };
            if read == 0 {
                break match total {
                    Some(total) if here < total => Err(Fault::Passing("the transfer ended early".into())),
                    _ => Ok(()),
                };
            }
            let most = total.unwrap_or(LIMIT);
            if here + read as u64 > most {
                remove(part)?;
                break Err(self
                    .fault(format!("more than {most} bytes came; the download is removed"))
                    .into());
            }
            if let Err(error) = file.write_all(&chunk[..read]) {
                break Err(io(error).into());
            }
            here += read as u64;
            bars.advance(read);
        };
        // What has come is worth keeping, whatever ended it.
        file.sync_all().map_err(io)?;
        ended
    }

    /// What a request that got no answer means.
    fn no_answer(&self, error: ureq::Error) -> Fault {
        use ureq::Error as E;
        match error {
            E::BadUri(_) | E::Http(_) | E::InvalidProxyUrl | E::RequireHttpsOnly(_) | E::TooManyRedirects => {
                self.fault(plain(&error.to_string())).into()
            }
            // A certificate that is not trusted will not be the next time.
            E::Rustls(_) | E::Tls(_) => self.fault(plain(&error.to_string())).into(),
            E::Io(error) => Fault::Passing(plain(&error.to_string())),
            E::HostNotFound => Fault::Passing("the host is not known; is there a network?".into()),
            error => Fault::Passing(plain(&error.to_string())),
        }
    }

    /// What is wrong with a file, where something can be known to be.
    fn check(&self, path: &Path, bars: &Bars) -> Result<Option<String>> {
        let found = length(path);
        if let Some(bytes) = self.bytes.filter(|&bytes| bytes != found) {
            return Ok(Some(format!("wrong size: expected {bytes} bytes, found {found}")));
        }
        let Some(expected) = self.sha256 else { return Ok(None) };
        let found = sha256(path, bars)?;
        let wrong = !expected.eq_ignore_ascii_case(&found);
        Ok(wrong.then(|| format!("wrong checksum: expected sha256 {expected}, found {found}")))
    }
}

/// A client for this address. Proxies are taken from the environment; what begins with HTTPS stays there.
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

/// `Content-Range`: where the answer begins, and how long the whole file is. `bytes 5-9/10`, `bytes */10`.
fn range(response: &Response<ureq::Body>) -> Option<(Option<u64>, Option<u64>)> {
    let text = response.headers().get(header::CONTENT_RANGE)?.to_str().ok()?;
    let (place, total) = text.strip_prefix("bytes")?.trim().split_once('/')?;
    let start = place.split_once('-').and_then(|(start, _)| start.parse().ok());
    Some((start, total.parse().ok()))
}

/// The length of a file; 0 where there is none.
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

/// Waits, unless it is asked to stop.
fn pause(time: Duration, bars: &Bars) -> Result<()> {
    let end = Instant::now() + time;
    while Instant::now() < end {
        if bars.cancelled() {
            return Err(Error::Cancelled);
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    Ok(())
}

fn sha256(path: &Path, bars: &Bars) -> Result<String> {
    let io = |source| Error::Io { path: path.to_path_buf(), source };
    let mut file = File::open(path).map_err(io)?;
    let mut hasher = Sha256::new();
    let mut chunk = vec![0; CHUNK];
    loop {
        if bars.cancelled() {
            return Err(Error::Cancelled);
        }
        match file.read(&mut chunk).map_err(io)? {
            0 => return Ok(hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()),
            read => hasher.update(&chunk[..read]),
        }
    }
}

/// Somebody else's words on one line.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
