//! Long work beside Python: in a thread of its own, without the interpreter's lock, while the caller's thread listens for Ctrl-C
//! and passes progress on.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use netinfof::{Error, Exec, Progress, Result};
use pyo3::exceptions::{
    PyFileNotFoundError, PyKeyboardInterrupt, PyOSError, PyPermissionError, PyRuntimeError, PyValueError,
};
use pyo3::prelude::*;

/// How long the caller's thread sleeps between two looks at signals.
const LOOK: Duration = Duration::from_millis(50);
/// How long work may take to stop before it is left to stop by itself.
const PATIENCE: Duration = Duration::from_millis(500);

enum Event {
    Start(String, usize),
    Advance(usize),
    Finish,
    Notice(String),
}

/// Receives progress from the worker and sends it to the caller's thread.
struct ProgressSender {
    events: Option<Sender<Event>>,
    stop: Arc<AtomicBool>,
}

impl ProgressSender {
    fn tell(&self, event: Event) {
        if let Some(events) = &self.events {
            // Nobody listens any more once the caller has gone.
            let _ = events.send(event);
        }
    }
}

impl Progress for ProgressSender {
    fn start(&self, stage: &str, total: usize) {
        self.tell(Event::Start(stage.into(), total));
    }
    fn advance(&self, steps: usize) {
        self.tell(Event::Advance(steps));
    }
    fn finish(&self) {
        self.tell(Event::Finish);
    }
    fn notice(&self, text: &str) {
        self.tell(Event::Notice(text.into()));
    }
    fn cancelled(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// How work is done: the number of threads (0: one for each core), who hears of progress, and who hears what users should know.
#[derive(FromPyObject)]
pub(crate) struct RunSettings<'py>(usize, Option<Bound<'py, PyAny>>, Option<Bound<'py, PyAny>>);

impl RunSettings<'_> {
    /// Short work on one thread, without progress.
    pub(crate) fn short() -> Self {
        RunSettings(1, None, None)
    }
}

/// Does some work. The listener is called with a stage, the steps done and the steps in all; what it raises stops the
/// work, as Ctrl-C does.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    how: RunSettings<'_>,
    work: impl FnOnce(&Exec) -> Result<T> + Send + 'static,
) -> PyResult<T> {
    let RunSettings(threads, progress, notices) = how;
    let stop = Arc::new(AtomicBool::new(false));
    let (events, heard) = channel();
    let (done, mut result) = channel();
    let ears = ProgressSender {
        events: (progress.is_some() || notices.is_some()).then_some(events),
        stop: Arc::clone(&stop),
    };
    let body = move || {
        let work = || Exec::with_progress(threads, Arc::new(ears)).and_then(|exec| work(&exec));
        let _ = done.send(catch_unwind(AssertUnwindSafe(work)));
    };
    // Stacks as deep as a main thread's.
    let thread = std::thread::Builder::new().name("netinfof".into()).stack_size(8 << 20).spawn(body)?;
    let mut told = CallerNews { progress, notices, stage: String::new(), done: 0, total: 0 };
    let mut waited = LOOK / 16;
    let fault = loop {
        let result = &mut result;
        match py.detach(move || result.recv_timeout(waited)) {
            Ok(result) => {
                let _ = thread.join();
                told.all(&heard)?;
                return match result {
                    Ok(result) => result.map_err(|error| raise(py, &error)),
                    Err(_) => Err(PyRuntimeError::new_err(
                        "netinfof is at fault: it panicked; please report it with the graph",
                    )),
                };
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("the working thread died"));
            }
        }
        // Short work is not kept waiting; long work is not asked too often.
        waited = (waited * 2).min(LOOK);
        if let Err(fault) = py.check_signals().and_then(|()| told.all(&heard)) {
            break fault;
        }
    };
    stop.store(true, Ordering::Relaxed);
    let until = Instant::now() + PATIENCE;
    py.detach(|| {
        while !thread.is_finished() && Instant::now() < until {
            std::thread::sleep(LOOK / 10);
        }
    });
    Err(fault)
}

/// What the caller has been told.
struct CallerNews<'py> {
    progress: Option<Bound<'py, PyAny>>,
    notices: Option<Bound<'py, PyAny>>,
    stage: String,
    done: usize,
    total: usize,
}

impl CallerNews<'_> {
    fn all(&mut self, heard: &Receiver<Event>) -> PyResult<()> {
        while let Ok(event) = heard.try_recv() {
            match event {
                Event::Notice(text) => {
                    if let Some(notices) = &self.notices {
                        notices.call1((text,))?;
                    }
                    continue;
                }
                Event::Start(stage, total) => (self.stage, self.done, self.total) = (stage, 0, total),
                Event::Advance(steps) => self.done += steps,
                Event::Finish => self.done = self.total,
            }
            if let Some(progress) = &self.progress {
                progress.call1((&self.stage, self.done, self.total))?;
            }
        }
        Ok(())
    }
}

/// The built-in exception for an error, with the command's text; the hint is a note where Python has notes.
pub(crate) fn raise(py: Python<'_>, error: &Error) -> PyErr {
    let text = error.to_string();
    let exception = match error {
        Error::Io { source, .. } => match source.kind() {
            std::io::ErrorKind::NotFound => PyFileNotFoundError::new_err(text),
            std::io::ErrorKind::PermissionDenied => PyPermissionError::new_err(text),
            _ => PyOSError::new_err(text),
        },
        Error::Dataset { .. } => PyFileNotFoundError::new_err(text),
        Error::Cancelled => PyKeyboardInterrupt::new_err(()),
        Error::Numerical { .. } => PyRuntimeError::new_err(text),
        _ => PyValueError::new_err(text),
    };
    if let Some(hint) = error.hint() {
        // Python 3.10 has no notes.
        let _ = exception.value(py).call_method1("add_note", (format!("hint: {hint}"),));
    }
    exception
}
