//! A folder for one run: gone when all was well, kept when there is something to look at.

use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::options::Options;

#[derive(Debug)]
pub(crate) struct Scratch {
    folder: PathBuf,
    is_kept: bool,
}

impl Scratch {
    pub(crate) fn new(options: &Options) -> anyhow::Result<Scratch> {
        let name = format!("carnet-faults.{}", std::process::id());
        let folder = options.scratch.join(name);
        std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        Ok(Scratch { folder: folder.canonicalize()?, is_kept: false })
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Leaves everything where it is, and says where.
    pub(crate) fn keep(&mut self) {
        if !self.is_kept {
            println!("  kept to look at: {}", self.folder.display());
        }
        self.is_kept = true;
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if !self.is_kept {
            let _ = std::fs::remove_dir_all(&self.folder);
        }
    }
}
