//! `carnet import --server`: the file goes to a server, and what becomes of it there is followed.

use std::fs::File;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use anyhow::{anyhow, bail};

use super::super::new_file::NewFile;
use super::super::{WrongUsage, environment, progress, terminal};
use super::outcome::{self, FaultyFile};
use super::passes::{Passes, tell};
use super::remote_report::{self, RemoteReport};
use super::{Arguments, open, said};
use crate::config;
use crate::http::client::{Answer, Client, ServerUrl, Upload};
use crate::http::{HeaderMap, HeaderName, HeaderValue, header, path, query};
use crate::store::copy::{CopyError, Progress, Watch};
use crate::transfer::format::Format;
use crate::transfer::import::{Report, Said, State};

/// How often a server is asked how far it is.
const PAUSE: Duration = Duration::from_millis(500);
/// The longest pause that a server may ask for.
const LONGEST_PAUSE: u64 = 60;
/// How often in a row a server may be away while it is followed.
const MOST_FAILURES: u32 = 20;

pub(super) fn run(url: &str, arguments: &Arguments) -> anyhow::Result<()> {
    let url = ServerUrl::parse(url).ok_or_else(|| {
        let shown = config::without_passwords(url);
        WrongUsage(format!("--server: {shown} is not the URL of a server; write it as http://127.0.0.1:8080"))
    })?;
    let (format, said) = said(arguments)?;
    let access = access()?;
    let file = open(&arguments.file, &environment::temporary_folder())?;
    let faults_file = arguments.faults.as_deref().map(NewFile::begin).transpose()?;
    let job = Job {
        client: Client::new(url)?,
        access,
        collection: &arguments.into,
        unsent: Arc::new(AtomicU64::new(u64::MAX)),
        report: OnceLock::new(),
    };
    let target = target(&arguments.into, &said);
    let report = progress::shown(async |watch| job.run(&target, format, file, watch).await)?;
    let report = report.map_err(|error| match error.downcast_ref() {
        Some(CopyError::Stopped) => anyhow!(job.last_words()),
        _ => error,
    })?;
    let (kept, count) = (report.faults.kept.len() as u64, report.faults.count);
    if faults_file.is_some() && kept < count {
        terminal::remark(&format!("the server keeps {kept} of the {count} faults; those are in the file"));
    }
    outcome::conclude(&report, said.dry_run, faults_file)
}

/// Who asks, for every request.
fn access() -> Result<HeaderMap, WrongUsage> {
    let mut headers = HeaderMap::new();
    if let Some(key) = environment::read("CARNET_KEY") {
        let mut value = HeaderValue::from_str(&format!("Bearer {key}"))
            .map_err(|_| WrongUsage("CARNET_KEY holds characters that no access key has".to_owned()))?;
        value.set_sensitive(true);
        headers.insert(header::AUTHORIZATION, value);
    }
    Ok(headers)
}

/// The path that takes imports into the collection, with everything that was said about the file.
fn target(collection: &str, said: &Said) -> String {
    let Said { matching, existing, map, ignore, fill, encoding, delimiter, .. } = said;
    let one = [("match", matching), ("existing", existing), ("encoding", encoding), ("delimiter", delimiter)];
    let many = [("map", map), ("ignore", ignore), ("fill", fill)];
    let flags =
        [("ignore_rest", said.ignore_rest), ("spreadsheet", said.spreadsheet), ("dry_run", said.dry_run)];
    let one = one.into_iter().filter_map(|(name, value)| Some((name, value.as_deref()?)));
    let many =
        many.into_iter().flat_map(|(name, values)| values.iter().map(move |value| (name, value.as_str())));
    let flags = flags.into_iter().filter(|(_, is_said)| *is_said).map(|(name, _)| (name, "true"));
    let mut target = "/_/import/".to_owned();
    path::push(&mut target, collection);
    target.push('/');
    for (number, (name, value)) in one.chain(many).chain(flags).enumerate() {
        target.push(if number == 0 { '?' } else { '&' });
        query::push_pair(&mut target, name, value);
    }
    target
}

/// One import at a server.
struct Job<'a> {
    client: Client,
    access: HeaderMap,
    collection: &'a str,
    /// How much of the file the server does not have.
    unsent: Arc<AtomicU64>,
    /// The path of its report, once that is known.
    report: OnceLock<String>,
}

impl Job<'_> {
    async fn run(&self, target: &str, format: Format, file: File, watch: &Watch) -> anyhow::Result<Report> {
        let mut headers = self.access.clone();
        // Which characters it is in is an option of the import, and not said twice.
        let content = format.media_type();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(content));
        headers.insert(HeaderName::from_static("prefer"), HeaderValue::from_static("wait=1"));
        let upload = self.upload(file, watch)?;
        let answer = self.client.post(target, headers, upload).await?;
        let mut passes = Passes::new(watch, self.collection);
        let remote = match answer.status.as_u16() {
            200 | 202 => self.followed(&answer, &mut passes).await?,
            400 => self.refused(&answer, &mut passes).await?,
            404 => bail!(
                "{} has no collection {}, or takes no imports into it",
                self.client.url(),
                self.collection
            ),
            _ => bail!(self.words(&answer)),
        };
        match remote.state {
            State::Stopped => {
                bail!(remote.error.unwrap_or_else(|| "the server stopped the import".to_owned()))
            }
            _ => Ok(remote.report),
        }
    }

    fn upload(&self, file: File, watch: &Watch) -> anyhow::Result<Upload> {
        let (unsent, watching, name) = (self.unsent.clone(), watch.clone(), self.collection.to_owned());
        let upload = Upload::new(file, move |bytes| {
            tell(&watching, Progress::Moved(bytes));
            if unsent.fetch_sub(bytes, Ordering::Relaxed) == bytes {
                tell(&watching, Progress::Judging { name: name.clone() });
            }
        })?;
        self.unsent.store(upload.length(), Ordering::Relaxed);
        tell(
            watch,
            match upload.length() {
                0 => Progress::Judging { name: self.collection.to_owned() },
                bytes => Progress::Sending { bytes },
            },
        );
        Ok(upload)
    }

    /// Asks again and again until the import is over.
    async fn followed(&self, first: &Answer, passes: &mut Passes<'_>) -> anyhow::Result<RemoteReport> {
        let mut remote = self.understood(first)?;
        let location = first.headers.get(header::LOCATION).and_then(|value| value.to_str().ok());
        if let Some(path) = location.and_then(remote_report::path_in) {
            self.report.get_or_init(|| path.to_owned());
        }
        passes.see(&remote);
        while !remote.is_over() {
            let path = self
                .report
                .get()
                .ok_or_else(|| anyhow!("{} does not say where its report is", self.client.url()))?;
            let report = format!("{}{path}", self.client.url());
            let lost = |error| anyhow!("{error:#}; the report of the import: {report}");
            remote = self.next(path).await.map_err(lost)?;
            passes.see(&remote);
        }
        Ok(remote)
    }

    /// The report a moment later. A server that is away for a moment, or is asked too often, is asked again.
    async fn next(&self, path: &str) -> anyhow::Result<RemoteReport> {
        let mut failures = 0;
        let mut pause = PAUSE;
        loop {
            tokio::time::sleep(pause).await;
            let failure = match self.client.get(path, self.access.clone()).await {
                Ok(answer) if matches!(answer.status.as_u16(), 429 | 502 | 503 | 504) => {
                    pause = wanted_pause(&answer);
                    anyhow!(self.words(&answer))
                }
                Ok(answer) if answer.status.as_u16() == 200 => return self.understood(&answer),
                Ok(answer) => bail!(self.words(&answer)),
                Err(error) => error.into(),
            };
            failures += 1;
            if failures == MOST_FAILURES {
                return Err(failure);
            }
        }
    }

    /// What a 400 means: faults in the file, which its report has, or an option that is wrong.
    async fn refused(&self, answer: &Answer, passes: &mut Passes<'_>) -> anyhow::Result<RemoteReport> {
        let words = self.words(answer);
        let Some(path) = remote_report::path_in(&words) else { return Err(WrongUsage(words).into()) };
        let report = self.client.get(path, self.access.clone()).await.ok();
        let report = report.and_then(|answer| RemoteReport::parse(&answer.body));
        // Without it the first fault is known, and how many there are.
        let report = report.filter(|remote| remote.state == State::Refused).ok_or(FaultyFile(words))?;
        passes.see(&report);
        Ok(report)
    }

    fn understood(&self, answer: &Answer) -> anyhow::Result<RemoteReport> {
        let no_report =
            || anyhow!("{} does not answer as a carnet server that takes imports", self.client.url());
        RemoteReport::parse(&answer.body).ok_or_else(no_report)
    }

    /// What the server says of an error.
    fn words(&self, answer: &Answer) -> String {
        let body: Option<serde_json::Value> = serde_json::from_slice(&answer.body).ok();
        match body.as_ref().and_then(|body| body["error"].as_str()) {
            Some(words) => words.to_owned(),
            None => {
                format!("{} answers {}, and not as a carnet server does", self.client.url(), answer.status)
            }
        }
    }

    /// What becomes of an import that is no longer followed.
    fn last_words(&self) -> String {
        match self.report.get() {
            Some(path) => {
                format!("the import goes on at the server; its report: {}{path}", self.client.url())
            }
            None if self.unsent.load(Ordering::Relaxed) == 0 => {
                "the server has the whole file and may import it; its answer was not waited for".to_owned()
            }
            None => {
                "the import was stopped before the server had the whole file; nothing was stored".to_owned()
            }
        }
    }
}

fn wanted_pause(answer: &Answer) -> Duration {
    let wanted = answer.headers.get(header::RETRY_AFTER).and_then(|value| value.to_str().ok()?.parse().ok());
    wanted.map_or(PAUSE, |seconds: u64| Duration::from_secs(seconds.clamp(1, LONGEST_PAUSE)))
}
