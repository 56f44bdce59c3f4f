//! Rows of fixed length in a file that has no name: what must be remembered of every entry, out of memory.

use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

/// How many rows are read at a time.
const PIECE: usize = 4_096;

/// A file that nobody else can open, and that is gone with whoever has it.
pub fn nameless_file(folder: &Path) -> io::Result<fs::File> {
    let mut random = [0; 16];
    getrandom::fill(&mut random).map_err(io::Error::other)?;
    let path = folder.join(format!("carnet-{:032x}", u128::from_be_bytes(random)));
    let file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path)?;
    fs::remove_file(&path)?;
    Ok(file)
}

pub(super) struct Spool<const N: usize> {
    file: BufWriter<fs::File>,
    rows: u64,
}

impl<const N: usize> Spool<N> {
    /// Makes one in a folder for temporary files, for the owner alone.
    pub(super) fn new(folder: &Path) -> io::Result<Self> {
        Ok(Self { file: BufWriter::new(nameless_file(folder)?), rows: 0 })
    }

    pub(super) fn len(&self) -> u64 {
        self.rows
    }

    pub(super) fn push(&mut self, row: [u8; N]) -> io::Result<()> {
        self.rows += 1;
        self.file.write_all(&row)
    }

    /// Puts another row in the place of one that is there.
    pub(super) fn set(&mut self, at: u64, row: [u8; N]) -> io::Result<()> {
        self.file.flush()?;
        self.file.get_ref().write_all_at(&row, at * N as u64)
    }

    pub(super) fn get(&mut self, at: u64) -> io::Result<[u8; N]> {
        self.file.flush()?;
        let mut row = [0; N];
        self.file.get_ref().read_exact_at(&mut row, at * N as u64)?;
        Ok(row)
    }

    /// All rows in order, each with its number.
    pub(super) fn each(&mut self, mut visit: impl FnMut(u64, [u8; N])) -> io::Result<()> {
        self.file.flush()?;
        let mut buffer = vec![0; PIECE * N];
        let mut at = 0;
        while at < self.rows {
            let rows = (self.rows - at).min(PIECE as u64) as usize;
            let piece = &mut buffer[..rows * N];
            self.file.get_ref().read_exact_at(piece, at * N as u64)?;
            for (place, row) in piece.chunks_exact(N).enumerate() {
                let mut copy = [0; N];
                copy.copy_from_slice(row);
                visit(at + place as u64, copy);
            }
            at += rows as u64;
        }
        Ok(())
    }
}
