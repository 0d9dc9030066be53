//! Frames in the trace-event format, which Perfetto and chrome://tracing open.
//!
//! Invariant: one complete event ("X") a run of a system; times are the schedule's clock's.

use super::{FrameReport, Schedule};
use std::fmt::Write;

/// Collects frames for export.
#[derive(Clone, Debug, Default)]
pub struct TraceLog {
    events: String,
    count: usize,
}

impl TraceLog {
    /// An empty log.
    #[must_use]
    pub fn new() -> Self {
        TraceLog::default()
    }
    /// Adds the timings of a frame.
    pub fn add(&mut self, schedule: &Schedule, report: &FrameReport) {
        for t in &report.timings {
            if self.count > 0 {
                self.events.push_str(",\n");
            }
            self.count += 1;
            let name = schedule.system_name(t.system).replace('\\', "\\\\").replace('"', "\\\"");
            let micros = |n: u64| format!("{}.{:03}", n / 1000, n % 1000);
            let _ = write!(
                self.events,
                "{{\"name\":\"{name}\",\"cat\":\"system\",\"ph\":\"X\",\"pid\":1,\"tid\":{},\"ts\":{},\"dur\":{},\"args\":{{\"frame\":{},\"wave\":{}}}}}",
                t.worker,
                micros(t.begin),
                micros(t.end.saturating_sub(t.begin)),
                report.frame,
                t.wave
            );
        }
    }
    /// The log as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        format!("{{\"traceEvents\":[\n{}\n]}}\n", self.events)
    }
}
