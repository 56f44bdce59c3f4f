//! Log lines on their way out: made by whoever reports, written by one thread.
//!
//! A standard error that nobody reads (a stuck pipe, a paused terminal) must not hold up an
//! answer, so reporting only appends to a bounded buffer. When it is full, lines are dropped,
//! counted, and the loss is told once there is room.

use std::cell::RefCell;
use std::io::{self, Write};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use parking_lot::{Condvar, Mutex};

use super::event::{Event, Level};
use super::line::{self, Clock, Style};

/// How much may wait to be written.
const BUFFER_BYTES: usize = 1024 * 1024;

/// How long the writing thread rests after a write, so that a busy server wakes it fifty times a
/// second and not for each line: waking a thread costs more than making the line.
const REST: Duration = Duration::from_millis(20);

thread_local! {
    /// The line being made and the second it is made in; kept to spare the allocation.
    static DRAFT: RefCell<(Vec<u8>, Clock)> = RefCell::default();
}

#[derive(Debug)]
pub(super) struct Log {
    level: Level,
    style: Style,
    shared: Arc<Shared>,
}

#[derive(Debug, Default)]
struct Shared {
    queue: Mutex<Queue>,
    /// Told when the writing thread should look.
    work: Condvar,
    /// Told when something was written.
    written: Condvar,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: Vec<u8>,
    dropped_lines: u64,
    /// The writing thread waits for work, however long it takes to come.
    is_asleep: bool,
    /// The writing thread should not rest before its next write.
    is_urgent: bool,
    is_closed: bool,
    /// Bytes taken in and bytes written since the start.
    taken_in: u64,
    written: u64,
}

impl Log {
    pub(super) fn start(level: Level, style: Style, output: Box<dyn Write + Send>) -> io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let theirs = Arc::clone(&shared);
        thread::Builder::new()
            .name("log".to_owned())
            .spawn(move || write_all_lines(&theirs, style, output))?;
        Ok(Log { level, style, shared })
    }

    pub(super) fn is_written(&self, level: Level) -> bool {
        level <= self.level
    }

    pub(super) fn write(&self, event: &Event<'_>) {
        let level = event.level();
        if !self.is_written(level) {
            return;
        }
        DRAFT.with_borrow_mut(|(draft, clock)| {
            draft.clear();
            line::push(event, self.style, SystemTime::now(), clock, draft);
            self.shared.append(draft, level <= Level::Warn);
        });
    }

    pub(super) fn flush(&self, patience: Duration) {
        let deadline = Instant::now() + patience;
        let mut queue = self.shared.queue.lock();
        let target = queue.taken_in;
        while queue.written < target {
            queue.is_urgent = true;
            self.shared.work.notify_one();
            let wait = self.shared.written.wait_until(&mut queue, deadline);
            if wait.timed_out() {
                return;
            }
        }
    }
}

impl Drop for Log {
    fn drop(&mut self) {
        let mut queue = self.shared.queue.lock();
        queue.is_closed = true;
        self.shared.work.notify_one();
    }
}

impl Shared {
    fn append(&self, line: &[u8], is_urgent: bool) {
        let mut queue = self.queue.lock();
        if queue.waiting.len() + line.len() > BUFFER_BYTES {
            queue.dropped_lines += 1;
            return;
        }
        queue.waiting.extend_from_slice(line);
        queue.taken_in += line.len() as u64;
        let is_pressing = is_urgent || queue.waiting.len() > BUFFER_BYTES / 2;
        let must_wake = queue.is_asleep || (is_pressing && !queue.is_urgent);
        queue.is_urgent |= is_pressing;
        queue.is_asleep = false;
        drop(queue);
        if must_wake {
            self.work.notify_one();
        }
    }
}

/// The writing thread: ends when the log is dropped and everything is written.
fn write_all_lines(shared: &Shared, style: Style, mut output: Box<dyn Write + Send>) {
    let mut batch = Vec::new();
    let mut queue = shared.queue.lock();
    loop {
        while queue.waiting.is_empty() {
            if queue.is_closed {
                return;
            }
            queue.is_asleep = true;
            shared.work.wait(&mut queue);
            queue.is_asleep = false;
        }
        std::mem::swap(&mut batch, &mut queue.waiting);
        let batch_bytes = batch.len() as u64;
        let dropped_lines = std::mem::take(&mut queue.dropped_lines);
        queue.is_urgent = false;
        drop(queue);

        if dropped_lines > 0 {
            let text = format!("{dropped_lines} log lines were dropped: nobody read them in time");
            let event = Event::Warning(&text);
            let mut clock = Clock::default();
            line::push(&event, style, SystemTime::now(), &mut clock, &mut batch);
        }
        // A closed standard error is no reason to stop serving, and there is nowhere to say it.
        let _ = output.write_all(&batch).and_then(|()| output.flush());
        batch.clear();

        queue = shared.queue.lock();
        queue.written += batch_bytes;
        shared.written.notify_all();
        if !queue.is_urgent && !queue.is_closed {
            shared.work.wait_for(&mut queue, REST);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// An output that hands on what it is given, one write at a time, when let.
    struct Gate {
        let_through: mpsc::Receiver<()>,
        written: mpsc::Sender<Vec<u8>>,
    }

    impl Write for Gate {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let _ = self.let_through.recv();
            let _ = self.written.send(bytes.to_vec());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    fn gated_log() -> (Log, mpsc::Sender<()>, mpsc::Receiver<Vec<u8>>) {
        let (open, let_through) = mpsc::channel();
        let (written, seen) = mpsc::channel();
        let gate = Gate { let_through, written };
        let log = Log::start(Level::Info, Style::Plain, Box::new(gate)).unwrap();
        (log, open, seen)
    }

    #[test]
    fn a_stuck_output_holds_up_nobody_and_the_loss_is_told() {
        let (log, open, seen) = gated_log();
        let long = "x".repeat(1000);
        let lines = 3 * BUFFER_BYTES / long.len();
        for _ in 0..lines {
            log.write(&Event::Notice(&long));
        }
        drop(open);
        log.flush(Duration::from_secs(60));
        drop(log);
        let text = String::from_utf8(seen.into_iter().flatten().collect()).unwrap();
        let kept = text.matches(&long).count();
        let told: usize = text
            .lines()
            .filter_map(|line| line.split_once(" WARN ")?.1.split_once(" log lines were"))
            .map(|(count, _)| count.parse::<usize>().unwrap())
            .sum();
        assert!(kept * long.len() <= 2 * BUFFER_BYTES + long.len());
        assert_eq!(kept + told, lines);
    }

    #[test]
    fn everything_said_before_a_flush_is_written_after_it() {
        let (log, open, seen) = gated_log();
        drop(open);
        for round in 0..20 {
            log.write(&Event::Notice(&format!("round {round}")));
            log.flush(Duration::from_secs(60));
            let written: Vec<u8> = seen.try_iter().flatten().collect();
            assert!(String::from_utf8(written).unwrap().ends_with(&format!("round {round}\n")));
        }
    }

    #[test]
    fn lines_below_the_level_are_not_written() {
        let (log, open, seen) = gated_log();
        drop(open);
        log.write(&Event::Detail("hidden"));
        log.write(&Event::Notice("shown"));
        drop(log);
        let text = String::from_utf8(seen.into_iter().flatten().collect()).unwrap();
        assert!(text.ends_with("INFO shown\n") && !text.contains("hidden"));
    }
}
