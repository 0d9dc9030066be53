//! One line on standard error that says how far a run has come, when a person watches.

use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lockstep_report::Counts;

/// The line, or nothing when standard error is not a terminal.
pub(crate) struct Progress {
    bar: Option<ProgressBar>,
    start: Instant,
    last: Option<(Instant, u64)>,
    rate: f64,
}

impl Progress {
    /// Shows itself when standard error is a terminal and `wanted`.
    pub(crate) fn new(wanted: bool) -> Self {
        let bar = (wanted && std::io::stderr().is_terminal()).then(|| {
            let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(5));
            bar.set_style(
                ProgressStyle::with_template("{spinner} {elapsed} {msg}")
                    .unwrap_or_else(|_| ProgressStyle::default_spinner()),
            );
            bar.enable_steady_tick(Duration::from_millis(200));
            bar
        });
        Self { bar, start: Instant::now(), last: None, rate: 0.0 }
    }

    /// Shows the counts.
    pub(crate) fn show(&mut self, counts: &Counts) {
        let Some(bar) = &self.bar else { return };
        let now = Instant::now();
        let (since, before) = self.last.unwrap_or((self.start, 0));
        let passed = now.duration_since(since).as_secs_f64();
        if passed >= 0.5 {
            self.rate = counts.generated.saturating_sub(before) as f64 / passed;
            self.last = Some((now, counts.generated));
        }
        let rate = short(self.rate);
        bar.set_message(format!(
            "{} states, {} distinct, {} left, depth {}, {rate} states/s",
            short(counts.generated as f64),
            short(counts.distinct as f64),
            short(counts.queue as f64),
            counts.depth
        ));
    }

    /// Removes the line for as long as `print` writes.
    pub(crate) fn suspend(&self, print: impl FnOnce()) {
        match &self.bar {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// `1.2M`, `34.5k`, `678`.
fn short(it: f64) -> String {
    if it >= 1e9 {
        format!("{:.2}G", it / 1e9)
    } else if it >= 1e6 {
        format!("{:.1}M", it / 1e6)
    } else if it >= 1e4 {
        format!("{:.1}k", it / 1e3)
    } else {
        format!("{it:.0}")
    }
}
