//! Finished stages of a run, kept in a folder: a run that was ended continues after the last of them.
//!
//! In: the identity of a run, and the results of its stages. Out: the same results, bit for bit, in a later
//! process. A stage is one file, which is written as a whole or not at all and ends with a digest of its content.

use std::fs::{self, File};
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::atomic_file;
use crate::error::{Error, Result};
use crate::matrix::Matrix;

/// The file that says which run a folder belongs to.
const IDENTITY: &str = "netinfof-run.json";
/// The ending of the files of stages.
const STAGE: &str = "stage";
/// The first bytes of such a file, with the version of the format.
const MAGIC: &[u8; 8] = b"NIFSTG01";
/// Bytes of a digest.
const DIGEST: usize = 32;

/// What a run is determined by; its results are valid for no other run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunIdentity {
    /// The version of this library, and the kind of processor: floating-point results may depend on both.
    pub(crate) program: String,
    /// The task and whether Act is included.
    pub(crate) task: String,
    /// Digest of edges, features, targets and everything else that the graph carries.
    pub(crate) graph: String,
    /// Digest of a split supplied by the caller.
    pub(crate) split: String,
    /// The parameters as JSON.
    pub(crate) parameters: serde_json::Value,
}

impl RunIdentity {
    /// The first thing in which two runs differ.
    fn difference(&self, other: &RunIdentity) -> Option<&'static str> {
        let differences = [
            (self.program != other.program, "version of netinfof"),
            (self.task != other.task, "task"),
            (self.graph != other.graph, "graph"),
            (self.split != other.split, "split"),
            (self.parameters != other.parameters, "parameters"),
        ];
        differences.into_iter().find(|(differs, _)| *differs).map(|(_, name)| name)
    }
}

/// A folder in which finished stages of a run are kept until the run has ended.
///
/// ```
/// use netinfof::{Exec, Goal, LinkParams, Seed, WorkFolder, links, synth};
/// let path = std::env::temp_dir().join(format!("netinfof-doc-{}", std::process::id()));
/// let run = |exec: Exec| {
///     let graph = synth::named("demo", Seed(0), &exec)?;
///     let report = links(&graph, None, Goal::Probe, &LinkParams::default(), &exec)?;
///     exec.finish_work_folder()?;
///     Ok::<_, netinfof::Error>(report.mean.components)
/// };
/// let plain = run(Exec::new(0)?)?;
/// // Had this process been ended, another one would continue from the folder.
/// assert_eq!(run(Exec::new(0)?.with_work_folder(WorkFolder::open(&path)?))?, plain);
/// assert!(!path.exists());
/// # Ok::<(), netinfof::Error>(())
/// ```
#[derive(Debug)]
pub struct WorkFolder {
    path: PathBuf,
}

impl WorkFolder {
    /// Opens a folder, which is created if it does not exist. A folder that holds anything else is refused, because
    /// its files would be deleted at the end.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self> {
        let path = path.into();
        fs::create_dir_all(&path).map_err(|source| Error::io(&path, source))?;
        let folder = WorkFolder { path };
        let mut foreign = None;
        for name in folder.names()? {
            if let Some(process) = process_of_temporary(&name) {
                // Left behind by a process that was killed while it wrote.
                if !Path::new("/proc").join(process.to_string()).exists() {
                    let _ = fs::remove_file(folder.path.join(&name));
                }
            } else if name != IDENTITY && !is_stage(&name) {
                foreign = Some(name);
            }
        }
        match foreign {
            None => Ok(folder),
            Some(name) => Err(Error::Format {
                path: folder.path,
                what: format!("not a work folder: it holds `{name}`; give a new or an empty folder"),
            }),
        }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Begins or continues a run. A folder of another run is refused. Returns the number of stages that are finished.
    pub(crate) fn begin(&self, run: &RunIdentity) -> Result<usize> {
        let place = self.path.join(IDENTITY);
        match fs::read_to_string(&place) {
            Ok(text) => {
                let found: Option<RunIdentity> = serde_json::from_str(&text).ok();
                let difference = match &found {
                    Some(found) => found.difference(run),
                    None => Some("description"),
                };
                match difference {
                    None => Ok(self.stages()?.len()),
                    Some(what) => Err(Error::Format {
                        path: self.path.clone(),
                        what: format!(
                            "belongs to another run, with another {what}; repeat the command that began it, or give \
                             another folder"
                        ),
                    }),
                }
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                // Without an identity nothing is known about these stages.
                for stage in self.stages()? {
                    let _ = fs::remove_file(self.path.join(stage));
                }
                let text = serde_json::to_string_pretty(run).expect("an identity can be written as JSON");
                atomic_file::write(&place, |out| writeln!(out, "{text}"))?;
                Ok(0)
            }
            Err(source) => Err(Error::io(&place, source)),
        }
    }

    /// Deletes the files of the run, and the folder if it is empty then.
    pub(crate) fn finish(&self) -> Result<()> {
        // The identity last: a folder without it begins anew.
        for name in self.stages()?.into_iter().chain([IDENTITY.to_string()]) {
            let place = self.path.join(name);
            match fs::remove_file(&place) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                    return Err(Error::io(&place, error));
                }
                _ => {}
            }
        }
        let _ = fs::remove_dir(&self.path);
        Ok(())
    }

    /// Whether a folder keeps finished stages of a run.
    pub fn holds_stages(path: &Path) -> bool {
        let folder = WorkFolder { path: path.to_path_buf() };
        path.join(IDENTITY).is_file() && folder.stages().is_ok_and(|stages| !stages.is_empty())
    }

    /// The result of a stage and the notices that were issued in it, if it is finished and its file is intact.
    pub(crate) fn read<T: Stored>(&self, name: &str) -> Option<(T, Vec<String>)> {
        let place = self.place(name);
        if !is_intact(&place).unwrap_or(false) {
            return None;
        }
        let read = || -> Option<(T, Vec<String>)> {
            let mut input = BufReader::with_capacity(1 << 20, File::open(&place).ok()?);
            input.read_exact(&mut [0; MAGIC.len()]).ok()?;
            let mut reader = StageReader { input: &mut input };
            let notices = reader.value()?;
            Some((T::read(&mut reader)?, notices))
        };
        read()
    }

    /// Keeps the result of a stage.
    pub(crate) fn write<T: Stored>(&self, name: &str, result: &T, notices: &[String]) -> Result<()> {
        atomic_file::write(&self.place(name), |file| {
            let mut out = Hashed { out: BufWriter::with_capacity(1 << 20, file), sha: Sha256::new() };
            out.write_all(MAGIC)?;
            let mut writer = StageWriter { out: &mut out };
            writer.value(&notices)?;
            result.write(&mut writer)?;
            let Hashed { mut out, sha } = out;
            out.write_all(&sha.finalize())?;
            out.flush()
        })
    }

    fn place(&self, name: &str) -> PathBuf {
        let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
        self.path.join(format!("{}.{STAGE}", name.chars().map(plain).collect::<String>()))
    }

    fn stages(&self) -> Result<Vec<String>> {
        Ok(self.names()?.into_iter().filter(|name| is_stage(name)).collect())
    }

    fn names(&self) -> Result<Vec<String>> {
        let read = || -> std::io::Result<Vec<String>> {
            let entries = fs::read_dir(&self.path)?;
            let mut names: Vec<String> = entries
                .map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()))
                .collect::<std::io::Result<_>>()?;
            names.sort();
            Ok(names)
        };
        read().map_err(|source| Error::io(&self.path, source))
    }
}

fn is_stage(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|ending| ending == STAGE)
}

/// The process that wrote a temporary file, from its name: `NAME.PROCESS.tmp`.
fn process_of_temporary(name: &str) -> Option<u32> {
    let (rest, ending) = name.rsplit_once('.')?;
    let (own, process) = rest.rsplit_once('.')?;
    (ending == "tmp" && (own == IDENTITY || is_stage(own))).then(|| process.parse().ok()).flatten()
}

/// Whether a file of a stage is complete and unchanged.
fn is_intact(place: &Path) -> std::io::Result<bool> {
    let file = File::open(place)?;
    let Some(content) = file.metadata()?.len().checked_sub(DIGEST as u64) else { return Ok(false) };
    let mut input = BufReader::with_capacity(1 << 20, file);
    let mut first = [0; MAGIC.len()];
    if content < MAGIC.len() as u64 {
        return Ok(false);
    }
    input.read_exact(&mut first)?;
    let mut sha = Sha256::new();
    sha.update(first);
    let mut left = content - MAGIC.len() as u64;
    let mut block = vec![0; 1 << 20];
    while left > 0 {
        let size = block.len().min(usize::try_from(left).unwrap_or(usize::MAX));
        input.read_exact(&mut block[..size])?;
        sha.update(&block[..size]);
        left -= size as u64;
    }
    let mut digest = [0; DIGEST];
    input.read_exact(&mut digest)?;
    Ok(&first == MAGIC && sha.finalize()[..] == digest)
}

/// The result of a stage that can be kept in a file.
pub(crate) trait Stored: Sized {
    fn write(&self, out: &mut StageWriter<'_>) -> std::io::Result<()>;
    /// `None` if the content is something else.
    fn read(input: &mut StageReader<'_>) -> Option<Self>;
}

/// Writes parts of a result one after the other; they are read in the same order.
pub(crate) struct StageWriter<'a> {
    out: &'a mut dyn Write,
}

impl StageWriter<'_> {
    /// Anything small, as JSON: numbers are read back exactly, except for those that are not finite.
    pub(crate) fn value<T: Serialize + ?Sized>(&mut self, value: &T) -> std::io::Result<()> {
        let text = serde_json::to_vec(value)?;
        self.slice(&text)
    }

    /// An array of plain numbers.
    pub(crate) fn slice<T: bytemuck::NoUninit>(&mut self, values: &[T]) -> std::io::Result<()> {
        self.out.write_all(&(values.len() as u64).to_le_bytes())?;
        self.out.write_all(bytemuck::cast_slice(values))
    }
}

/// Reads the parts of a result in the order in which they were written.
pub(crate) struct StageReader<'a> {
    input: &'a mut dyn Read,
}

impl StageReader<'_> {
    pub(crate) fn value<T: DeserializeOwned>(&mut self) -> Option<T> {
        serde_json::from_slice(&self.slice::<u8>()?).ok()
    }

    pub(crate) fn slice<T: bytemuck::AnyBitPattern + bytemuck::NoUninit>(&mut self) -> Option<Vec<T>> {
        let count = self.count()?;
        let mut values = vec![T::zeroed(); count];
        self.input.read_exact(bytemuck::cast_slice_mut(&mut values)).ok()?;
        Some(values)
    }

    fn count(&mut self) -> Option<usize> {
        let mut count = [0; 8];
        self.input.read_exact(&mut count).ok()?;
        usize::try_from(u64::from_le_bytes(count)).ok()
    }
}

impl Stored for Matrix {
    fn write(&self, out: &mut StageWriter<'_>) -> std::io::Result<()> {
        out.value(&[self.rows(), self.cols()])?;
        out.slice(self.as_slice())
    }

    fn read(input: &mut StageReader<'_>) -> Option<Self> {
        let [rows, cols]: [usize; 2] = input.value()?;
        // Directly into the matrix: it may be large.
        let mut matrix = Matrix::zeros(rows, cols);
        (input.count()? == rows * cols).then_some(())?;
        input.input.read_exact(bytemuck::cast_slice_mut(matrix.as_mut_slice())).ok()?;
        Some(matrix)
    }
}

impl<T: Stored> Stored for Vec<T> {
    fn write(&self, out: &mut StageWriter<'_>) -> std::io::Result<()> {
        out.value(&self.len())?;
        self.iter().try_for_each(|item| item.write(out))
    }

    fn read(input: &mut StageReader<'_>) -> Option<Self> {
        let count: usize = input.value()?;
        (0..count).map(|_| T::read(input)).collect()
    }
}

impl<T: Stored> Stored for Option<T> {
    fn write(&self, out: &mut StageWriter<'_>) -> std::io::Result<()> {
        out.value(&self.is_some())?;
        self.iter().try_for_each(|item| item.write(out))
    }

    fn read(input: &mut StageReader<'_>) -> Option<Self> {
        let has: bool = input.value()?;
        if has { T::read(input).map(Some) } else { Some(None) }
    }
}

impl Stored for String {
    fn write(&self, out: &mut StageWriter<'_>) -> std::io::Result<()> {
        out.value(self)
    }

    fn read(input: &mut StageReader<'_>) -> Option<Self> {
        input.value()
    }
}

impl<A: Stored, B: Stored> Stored for (A, B) {
    fn write(&self, out: &mut StageWriter<'_>) -> std::io::Result<()> {
        self.0.write(out)?;
        self.1.write(out)
    }

    fn read(input: &mut StageReader<'_>) -> Option<Self> {
        Some((A::read(input)?, B::read(input)?))
    }
}

/// Passes on what is written, and hashes it.
struct Hashed<W> {
    out: W,
    sha: Sha256,
}

impl<W: Write> Write for Hashed<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.sha.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        self.out.flush()
    }
}

/// A digest of arrays, in hexadecimal digits.
#[derive(Default)]
pub(crate) struct ArrayDigest(Sha256);

impl ArrayDigest {
    /// Adds a named array.
    pub(crate) fn add<T: bytemuck::NoUninit>(&mut self, name: &str, values: &[T]) {
        self.0.update(format!("\n{name} {}\n", values.len()));
        self.0.update(bytemuck::cast_slice(values));
    }

    pub(crate) fn finish(self) -> String {
        self.0.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity() -> RunIdentity {
        RunIdentity {
            program: "0".into(),
            task: "links".into(),
            graph: "a".into(),
            split: String::new(),
            parameters: serde_json::json!({ "dim": 128 }),
        }
    }

    fn scratch(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("netinfof-work-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        path
    }

    #[test]
    fn stages_are_read_back_exactly_and_deleted_at_the_end() {
        let path = scratch("exact");
        let folder = WorkFolder::open(&path).unwrap();
        assert_eq!(folder.begin(&identity()).unwrap(), 0);
        let matrix = Matrix::from_vec(2, 2, vec![0.1, -0.0, f32::NAN, f32::INFINITY]);
        let result = vec![(String::from("U"), Some(matrix))];
        folder.write("0 component U", &result, &["a notice".into()]).unwrap();
        let again = WorkFolder::open(&path).unwrap();
        assert_eq!(again.begin(&identity()).unwrap(), 1);
        let (found, notices) = again.read::<Vec<(String, Option<Matrix>)>>("0 component U").unwrap();
        let bits = |m: &Matrix| m.as_slice().iter().map(|v| v.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(found[0].1.as_ref().unwrap()), bits(result[0].1.as_ref().unwrap()));
        assert_eq!((found[0].0.as_str(), notices), ("U", vec!["a notice".to_string()]));
        again.finish().unwrap();
        assert!(!path.exists());
    }

    #[test]
    fn other_runs_and_other_folders_are_refused() {
        let path = scratch("other");
        let folder = WorkFolder::open(&path).unwrap();
        folder.begin(&identity()).unwrap();
        let other = RunIdentity { parameters: serde_json::json!({ "dim": 64 }), ..identity() };
        let said = folder.begin(&other).unwrap_err().to_string();
        assert!(said.contains("another run, with another parameters"), "{said}");
        fs::write(path.join("thesis.tex"), "x").unwrap();
        let said = WorkFolder::open(&path).unwrap_err().to_string();
        assert!(said.contains("`thesis.tex`"), "{said}");
        fs::remove_dir_all(&path).unwrap();
    }

    /// Every change of a byte and every cut is noticed; the stage is computed again.
    #[test]
    fn damaged_stages_are_not_used() {
        let path = scratch("damaged");
        let folder = WorkFolder::open(&path).unwrap();
        folder.begin(&identity()).unwrap();
        folder.write("a", &Matrix::identity(3), &[]).unwrap();
        let place = folder.place("a");
        let whole = fs::read(&place).unwrap();
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            fs::write(&place, changed).unwrap();
            assert!(folder.read::<Matrix>("a").is_none(), "byte {at}");
            fs::write(&place, &whole[..at]).unwrap();
            assert!(folder.read::<Matrix>("a").is_none(), "cut at {at}");
        }
        fs::write(&place, &whole).unwrap();
        assert_eq!(folder.read::<Matrix>("a").unwrap().0, Matrix::identity(3));
        assert!(folder.read::<Vec<String>>("a").is_none() && folder.read::<Matrix>("b").is_none());
        fs::remove_dir_all(&path).unwrap();
    }

    #[test]
    fn temporary_files_of_dead_processes_are_deleted() {
        let path = scratch("temporary");
        fs::create_dir_all(&path).unwrap();
        let own = format!("a.{STAGE}.{}.tmp", std::process::id());
        for name in [format!("a.{STAGE}.4294967294.tmp"), own.clone()] {
            fs::write(path.join(name), "half").unwrap();
        }
        let folder = WorkFolder::open(&path).unwrap();
        assert_eq!(folder.names().unwrap(), [own]);
        fs::remove_dir_all(&path).unwrap();
    }
}
