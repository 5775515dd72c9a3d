//! Progress on standard error: a bar on a terminal, lines elsewhere, or lines of JSON for other programs.

use std::io::IsTerminal as _;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use indicatif::{ProgressBar, ProgressStyle};
use netinfof::{Progress, plan};

use crate::printer::err;

/// Runs that are expected to end sooner show no percentage.
const SHORT: f64 = 10.0;

/// How far a planned run is.
struct Course {
    /// Names of the stages of a split, with their expected seconds.
    stages: Vec<(String, f64)>,
    splits: usize,
    began: Instant,
    /// The current split and stage.
    at: (usize, usize),
}

impl Course {
    /// Notes that a stage begins. Stages that are not planned count as part of the one before.
    fn enter(&mut self, stage: &str) {
        let later = |from: usize| (from..self.stages.len()).find(|&at| self.stages[at].0 == stage);
        let (split, current) = self.at;
        if let Some(at) = later(current) {
            self.at = (split, at);
        } else if let Some(at) = later(0).filter(|_| split + 1 < self.splits) {
            self.at = (split + 1, at);
        }
    }

    /// The share that is done, and the seconds left, by the time that the stages so far took.
    fn estimate(&self) -> (f64, f64) {
        let seconds = |stages: &[(String, f64)]| stages.iter().map(|stage| stage.1).sum::<f64>();
        let all = seconds(&self.stages);
        let total = all * self.splits as f64;
        let done = all * self.at.0 as f64 + seconds(&self.stages[..self.at.1]);
        let elapsed = self.began.elapsed().as_secs_f64();
        // The first stages are too short to tell how fast this machine is.
        let pace = if done > 0.05 * total { elapsed / done } else { 1.0 };
        (done / total.max(f64::MIN_POSITIVE), (total - done) * pace)
    }
}

/// The form in which progress is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ProgressFormat {
    /// For people
    #[default]
    Text,
    /// One JSON object per line
    Json,
}

/// Shows progress as a bar on a terminal and as plain lines elsewhere.
pub(crate) struct TerminalProgress {
    quiet: bool,
    terminal: bool,
    json: bool,
    bar: Mutex<Option<ProgressBar>>,
    course: Mutex<Option<Course>>,
    interrupted: AtomicBool,
}

impl TerminalProgress {
    pub(crate) fn new(quiet: bool, format: ProgressFormat) -> Self {
        let json = format == ProgressFormat::Json;
        TerminalProgress {
            quiet,
            terminal: !json && std::io::stderr().is_terminal(),
            json,
            bar: Mutex::default(),
            course: Mutex::default(),
            interrupted: AtomicBool::new(false),
        }
    }

    /// The share of a planned run that is done when a stage begins, and the seconds left; `None` for short runs.
    fn enter(&self, stage: &str) -> Option<(f64, f64)> {
        let mut course = self.course.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let course = course.as_mut()?;
        course.enter(stage);
        Some(course.estimate())
    }

    /// Asks the run to stop. The second call ends the process at once.
    pub(crate) fn interrupt(&self) {
        if self.interrupted.swap(true, Ordering::SeqCst) {
            std::process::exit(130);
        }
    }

    pub(crate) fn clear(&self) {
        if let Some(bar) = self.slot().take() {
            bar.finish_and_clear();
        }
    }

    /// Shows the progress of a sequence of runs: `done` of `total`, the one that begins, and the seconds left.
    #[cfg(feature = "reproduce")]
    pub(crate) fn overall(&self, done: usize, total: usize, part: &str, left: f64) {
        if self.quiet {
            return;
        }
        let left = match left {
            left if left < 90.0 => format!("{left:.0} s"),
            left => format!("{:.0} min", left / 60.0),
        };
        if !self.terminal {
            return err(&format!("[{}/{total}] {part}, about {left} left", done + 1));
        }
        let mut slot = self.slot();
        let bar = slot.get_or_insert_with(|| {
            let style = ProgressStyle::with_template("{bar:30} {pos}/{len} {msg}")
                .expect("the template is a constant");
            ProgressBar::new(total as u64).with_style(style)
        });
        bar.set_position(done as u64);
        bar.set_message(format!("{part}, about {left} left"));
    }

    /// Shows a download at `done` bytes of `total`; [`Progress::advance`] continues from there.
    pub(crate) fn transfer(&self, file: &str, done: u64, total: Option<u64>) {
        if self.quiet {
            return;
        }
        if !self.terminal {
            return err(&format!("{file} …"));
        }
        let template = match total {
            Some(_) => "{msg} {bar:30} {bytes}/{total_bytes} {bytes_per_sec} {eta}",
            None => "{msg} {bytes} {bytes_per_sec}",
        };
        let style = ProgressStyle::with_template(template).expect("the template is a constant");
        let bar = ProgressBar::new(total.unwrap_or(0)).with_style(style).with_message(file.to_string());
        bar.set_position(done);
        bar.reset_eta();
        *self.slot() = Some(bar);
    }

    fn slot(&self) -> std::sync::MutexGuard<'_, Option<ProgressBar>> {
        self.bar.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl Progress for TerminalProgress {
    fn start(&self, stage: &str, total: usize) {
        if self.quiet {
            return;
        }
        let estimate = self.enter(stage);
        if self.json {
            let mut line = serde_json::json!({ "stage": stage });
            if let Some((done, left)) = estimate {
                line["percent"] = ((100.0 * done).round() as u64).into();
                line["seconds_left"] = (left.round() as u64).into();
            }
            return err(&line.to_string());
        }
        let left = estimate.map_or_else(String::new, |(done, left)| {
            format!("{:.0} %, about {} left", 100.0 * done, plan::duration(left))
        });
        if self.terminal {
            let style = ProgressStyle::with_template("{prefix:20} {bar:24} {pos}/{len} {elapsed} {msg}")
                .expect("the template is a constant");
            let bar = ProgressBar::new(total as u64).with_style(style).with_prefix(stage.to_string());
            bar.set_message(left);
            bar.tick();
            *self.slot() = Some(bar);
        } else if left.is_empty() {
            err(&format!("{stage} …"));
        } else {
            err(&format!("{stage} … ({left})"));
        }
    }

    fn planned(&self, stages: &[(String, f64)], splits: usize) {
        let total = splits as f64 * stages.iter().map(|stage| stage.1).sum::<f64>();
        let mut course = self.course.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        *course = (total >= SHORT).then(|| Course {
            stages: stages.to_vec(),
            splits: splits.max(1),
            began: Instant::now(),
            at: (0, 0),
        });
    }

    fn advance(&self, steps: usize) {
        if let Some(bar) = self.slot().as_ref() {
            bar.inc(steps as u64);
        }
    }

    fn finish(&self) {
        self.clear();
    }

    fn notice(&self, text: &str) {
        if self.quiet {
            return;
        }
        if self.json {
            return err(&serde_json::json!({ "notice": text }).to_string());
        }
        match self.slot().as_ref() {
            Some(bar) => bar.println(format!("note: {text}")),
            None => err(&format!("note: {text}")),
        }
    }

    fn cancelled(&self) -> bool {
        self.interrupted.load(Ordering::SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_course_follows_the_stages_of_every_split() {
        let stages = [("split", 1.0), ("component U", 3.0), ("information", 4.0)];
        let stages = stages.map(|(name, seconds)| (name.to_string(), seconds)).to_vec();
        let mut course = Course { stages, splits: 2, began: Instant::now(), at: (0, 0) };
        let mut shares = Vec::new();
        for stage in
            ["split", "component U", "compatibility of U", "information", "component U", "information"]
        {
            course.enter(stage);
            shares.push((100.0 * course.estimate().0).round());
        }
        assert_eq!(shares, [0.0, 6.0, 6.0, 25.0, 56.0, 75.0]);
    }
}
