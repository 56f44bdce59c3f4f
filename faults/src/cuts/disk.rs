//! A disk in a file, with a file system on it that can be shut down as if the power had failed.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use crate::options::Options;
use crate::outcome::CannotRun;
use crate::tools::need;

/// Set in the process that has mounts of its own.
const OWN_MOUNTS: &str = "FAULTS_OWN_MOUNTS";
/// Room enough for twenty rounds; XFS takes no less than 300 MiB.
const BYTES: u64 = 400 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Ext4,
    Xfs,
}

/// It has a folder of its own to be mounted in: one that is removed with something else is still in use then, and
/// stays.
#[derive(Debug)]
pub(crate) struct Disk {
    image: PathBuf,
    /// None yet while it is made.
    device: String,
    folder: PathBuf,
}

/// Runs this very command again where no other process sees its mounts: a copy of a mount, in any namespace, keeps a
/// file system that was shut down alive, and it cannot be mounted again. Answers the exit status; none in that second
/// process.
pub(crate) fn in_own_mounts() -> anyhow::Result<Option<u8>> {
    if std::env::var_os(OWN_MOUNTS).is_some() {
        return Ok(None);
    }
    if !rustix::process::geteuid().is_root() {
        return Err(CannotRun("it mounts file systems, and wants to be root".into()).into());
    }
    for (tool, package) in [
        ("unshare", "util-linux"),
        ("losetup", "mount"),
        ("mkfs.ext4", "e2fsprogs"),
        ("mkfs.xfs", "xfsprogs"),
        ("xfs_io", "xfsprogs"),
        ("strace", "strace"),
    ] {
        need(tool, package)?;
    }
    if !Path::new("/dev/loop-control").exists() {
        return Err(CannotRun("there are no loop devices".into()).into());
    }
    let mut command = Command::new("unshare");
    command.args(["--mount", "--propagation", "private"]).arg(std::env::current_exe()?);
    let status = command.args(std::env::args_os().skip(1)).env(OWN_MOUNTS, "1").status()?;
    Ok(Some(status.code().and_then(|code| code.try_into().ok()).unwrap_or(4)))
}

impl Disk {
    /// In memory where there is room: what counts is what was handed to it, not how long it takes.
    pub(super) fn make(kind: Kind, options: &Options) -> anyhow::Result<Disk> {
        let name = format!("carnet-faults-disk.{}", std::process::id());
        let folder = options.scratch.join(&name);
        std::fs::create_dir_all(&folder)?;
        let folder = folder.canonicalize()?;
        let image = match Path::new("/dev/shm") {
            memory if memory.is_dir() => memory.join(name),
            _ => folder.with_extension("image"),
        };
        let mut disk = Disk { image, device: String::new(), folder };
        std::fs::File::create(&disk.image)?.set_len(BYTES)?;
        let made = match kind {
            Kind::Ext4 => run("mkfs.ext4", &["-q", "-F", path(&disk.image)?]),
            Kind::Xfs => run("mkfs.xfs", &["-q", "-f", path(&disk.image)?]),
        };
        made.context("cannot make a file system")?;
        let device = run("losetup", &["--find", "--show", path(&disk.image)?])
            .map_err(|error| CannotRun(format!("no loop device can be had: {error:#}")))?;
        device.trim().clone_into(&mut disk.device);
        disk.mount().map_err(|error| CannotRun(format!("no file system can be mounted: {error:#}")))?;
        Ok(disk)
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    fn mount(&self) -> anyhow::Result<String> {
        run("mount", &[&self.device, path(&self.folder)?])
    }

    /// What was written so far is not lost in the next cut.
    pub(crate) fn sync(&self) -> anyhow::Result<()> {
        run("sync", &["-f", path(&self.folder)?]).map(drop)
    }

    /// The power fails: nothing more reaches the disk, not even what waits in the file system's own log.
    pub(crate) fn cut(&self) -> anyhow::Result<()> {
        run("xfs_io", &["-x", "-c", "shutdown", path(&self.folder)?]).map(drop)
    }

    /// The power is back: the file system recovers by its log.
    pub(crate) fn again(&self) -> anyhow::Result<()> {
        let until = Instant::now() + Duration::from_secs(10);
        // A process that was killed may take a moment to let go of its files.
        while let Err(error) = run("umount", &[path(&self.folder)?]) {
            if Instant::now() > until {
                return Err(error);
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        self.mount().map(drop)
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = run("umount", &["-l", path(&self.folder).unwrap_or_default()]);
        if !self.device.is_empty() {
            let _ = run("losetup", &["--detach", &self.device]);
        }
        let _ = std::fs::remove_file(&self.image);
        let _ = std::fs::remove_dir(&self.folder);
    }
}

fn path(path: &Path) -> anyhow::Result<&str> {
    path.to_str().context("a path that is no text")
}

fn run(program: &str, arguments: &[&str]) -> anyhow::Result<String> {
    let output = Command::new(program).args(arguments).stdin(Stdio::null()).output();
    let output = output.with_context(|| format!("cannot run {program}"))?;
    if !output.status.success() {
        bail!("{program} {}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr).trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
