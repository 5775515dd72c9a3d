//! Execution: threads, fixed blocks, progress, cancellation. The only module that uses rayon.
//!
//! Determinism depends on two rules: every output row is written by one task, and every sum runs over blocks
//! whose borders depend only on the data, with partial results added in block order.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::matrix::Matrix;
use crate::memory;
use crate::work_folder::{RunIdentity, Stored, WorkFolder};

/// Receives the progress of a run and may cancel it. All methods have defaults; `()` ignores everything.
pub trait Progress: Send + Sync {
    /// A run begins; the stages of each of its splits are expected to take these seconds.
    fn planned(&self, stages: &[(String, f64)], splits: usize) {
        let _ = (stages, splits);
    }
    /// A stage of `total` steps begins.
    fn start(&self, stage: &str, total: usize) {
        let _ = (stage, total);
    }
    /// `steps` more steps of the current stage are done.
    fn advance(&self, steps: usize) {
        let _ = steps;
    }
    /// The current stage is done.
    fn finish(&self) {}
    /// A notice for the user, such as a changed parameter.
    fn notice(&self, text: &str) {
        let _ = text;
    }
    /// Whether the run should stop as soon as possible.
    fn cancelled(&self) -> bool {
        false
    }
}

impl Progress for () {}

/// Threads, progress and notices of a run. Passed by reference to every stage.
pub struct Exec {
    pool: rayon::ThreadPool,
    progress: Arc<dyn Progress>,
    notices: Mutex<Vec<String>>,
    memory_limit: Option<u64>,
    work_folder: Option<WorkFolder>,
    thrifty: AtomicBool,
}

impl std::fmt::Debug for Exec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Exec").field("threads", &self.threads()).finish_non_exhaustive()
    }
}

impl Exec {
    /// Runs on `threads` threads (0: one per core), without reporting progress.
    pub fn new(threads: usize) -> Result<Self> {
        Exec::with_progress(threads, Arc::new(()))
    }

    /// Runs on `threads` threads (0: one per core) and reports to `progress`.
    pub fn with_progress(threads: usize, progress: Arc<dyn Progress>) -> Result<Self> {
        if threads > 4096 {
            return Err(Error::param("threads", threads, "at most 4096"));
        }
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|e| Error::Numerical { solver: "thread pool", why: e.to_string() })?;
        let memory_limit = memory::default_limit();
        Ok(Exec {
            pool,
            progress,
            notices: Mutex::default(),
            memory_limit,
            work_folder: None,
            thrifty: AtomicBool::new(false),
        })
    }

    /// Sets the memory that a run may use (default: 80 % of that of the machine or its control group). A run
    /// whose plan needs more is refused before it begins.
    #[must_use]
    pub fn with_memory_limit(mut self, bytes: u64) -> Self {
        self.memory_limit = Some(bytes);
        self
    }

    /// The memory that a run may use; `None` if the system does not report how much there is.
    pub fn memory_limit(&self) -> Option<u64> {
        self.memory_limit
    }

    /// Whether stages take more time in order to need less memory.
    pub(crate) fn is_thrifty(&self) -> bool {
        self.thrifty.load(Ordering::Relaxed)
    }

    pub(crate) fn set_thrifty(&self, thrifty: bool) {
        self.thrifty.store(thrifty, Ordering::Relaxed);
    }

    /// Keeps finished stages of the run in a folder, so that a run that was ended continues there.
    #[must_use]
    pub fn with_work_folder(mut self, folder: WorkFolder) -> Self {
        self.work_folder = Some(folder);
        self
    }

    /// Deletes what the work folder keeps, when the results of the run are safe. Does nothing without such a folder.
    pub fn finish_work_folder(&self) -> Result<()> {
        self.work_folder.as_ref().map_or(Ok(()), WorkFolder::finish)
    }

    /// Begins or continues a run in the work folder, if there is one.
    pub(crate) fn begin_run(&self, identity: impl FnOnce() -> RunIdentity) -> Result<()> {
        let Some(folder) = &self.work_folder else { return Ok(()) };
        let finished = folder.begin(&identity())?;
        if finished > 0 {
            self.message(&format!(
                "continuing the run in {}: {finished} finished stage{}",
                folder.path().display(),
                if finished == 1 { "" } else { "s" }
            ));
        }
        Ok(())
    }

    /// The result of a stage: from the work folder if an earlier process finished it there, else computed and kept.
    /// The name must be unique in the run.
    pub(crate) fn kept<T: Stored, E>(
        &self,
        name: impl FnOnce() -> String,
        make: impl FnOnce() -> std::result::Result<T, E>,
    ) -> std::result::Result<T, E> {
        let Some(folder) = &self.work_folder else { return make() };
        let name = &name();
        if let Some((result, notices)) = folder.read(name) {
            for text in notices {
                self.notice(text);
            }
            return Ok(result);
        }
        let before = self.notices().len();
        let result = make()?;
        // What a stage computed before it was stopped may be incomplete.
        if !self.stopped()
            && let Err(error) = folder.write(name, &result, &self.notices()[before..])
        {
            // The run itself needs no disk.
            self.message(&format!("{error}; the run goes on, but would have to repeat this stage"));
        }
        Ok(result)
    }

    /// Number of threads in use.
    pub fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// Maps every block of `0..n` and returns the results in block order.
    pub fn map_blocks<T: Send>(
        &self,
        n: usize,
        block: usize,
        map: impl Fn(Range<usize>) -> T + Sync,
    ) -> Vec<T> {
        let blocks = n.div_ceil(block);
        let range = |b: usize| b * block..((b + 1) * block).min(n);
        if blocks <= 1 {
            return (0..blocks).map(|b| map(range(b))).collect();
        }
        self.pool.install(|| (0..blocks).into_par_iter().map(|b| map(range(b))).collect())
    }

    /// Maps every item as a separate task, several at a time, and returns the results in order.
    pub fn try_map<T: Sync, R: Send>(
        &self,
        items: &[T],
        map: impl Fn(&T) -> Result<R> + Sync,
    ) -> Result<Vec<R>> {
        self.map_blocks(items.len(), 1, |range| map(&items[range.start])).into_iter().collect()
    }

    /// As [`Exec::try_map`], with items that are released as soon as they are mapped.
    pub fn try_map_owned<T: Send, R: Send>(
        &self,
        items: Vec<T>,
        map: impl Fn(T) -> Result<R> + Sync + Send,
    ) -> Result<Vec<R>> {
        if items.len() <= 1 {
            return items.into_iter().map(map).collect();
        }
        let found: Vec<Result<R>> = self.pool.install(|| items.into_par_iter().map(map).collect());
        found.into_iter().collect()
    }

    /// Fills a slice of `width`-wide rows, `block` rows per task; `fill` gets the first row's number and the
    /// rows.
    pub fn fill_rows<T: Send>(
        &self,
        rows: &mut [T],
        width: usize,
        block: usize,
        fill: impl Fn(usize, &mut [T]) + Sync,
    ) {
        if rows.is_empty() || width == 0 {
            return;
        }
        let chunk = block * width;
        if rows.len() <= chunk {
            fill(0, rows);
            return;
        }
        self.pool
            .install(|| rows.par_chunks_mut(chunk).enumerate().for_each(|(b, rows)| fill(b * block, rows)));
    }

    /// Fills a matrix row by row; `fill` gets the row's number and the row.
    pub fn fill_matrix(&self, out: &mut Matrix, fill: impl Fn(usize, &mut [f32]) + Sync) {
        let width = out.cols();
        self.fill_rows(out.as_mut_slice(), width, 64, |first, rows| {
            for (offset, row) in rows.chunks_exact_mut(width).enumerate() {
                fill(first + offset, row);
            }
        });
    }

    /// Reports a stage to the progress listener while `work` runs; returns an error before it if the run was
    /// cancelled.
    pub fn stage<T>(&self, name: &str, total: usize, work: impl FnOnce() -> Result<T>) -> Result<T> {
        self.check()?;
        self.progress.start(name, total);
        let result = work();
        self.progress.finish();
        result
    }

    /// Reports one more step of the current stage; returns an error if the run was cancelled.
    pub fn step(&self) -> Result<()> {
        self.progress.advance(1);
        self.check()
    }

    /// Whether the run was cancelled: long loops that cannot fail end early, and their callers check.
    pub fn stopped(&self) -> bool {
        self.progress.cancelled()
    }

    /// Returns an error if the run was cancelled.
    pub fn check(&self) -> Result<()> {
        if self.progress.cancelled() { Err(Error::Cancelled) } else { Ok(()) }
    }

    /// Announces the expected seconds of the stages of a split, and the number of splits.
    pub(crate) fn planned(&self, stages: &[(String, f64)], splits: usize) {
        self.progress.planned(stages, splits);
    }

    /// Issues a notice once; the report keeps it too.
    pub fn notice(&self, text: impl Into<String>) {
        let text = text.into();
        let mut notices = self.notices.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if !notices.contains(&text) {
            self.progress.notice(&text);
            notices.push(text);
        }
    }

    /// Shows a line about this process to the user. It is no notice: the report does not keep it.
    pub fn message(&self, text: &str) {
        self.progress.notice(text);
    }

    /// The notices so far, oldest first.
    pub fn notices(&self) -> Vec<String> {
        self.notices.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }
}
