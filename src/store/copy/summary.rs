//! What a whole copy came to.

use super::progress::Copied;

#[derive(Debug, Default)]
pub struct Summary {
    pub collections: Vec<Copied>,
    pub keys: usize,
}
