//! What a whole copy came to.

use super::progress::Copied;

#[derive(Debug, Default)]
pub struct Summary {
    pub collections: Vec<Copied>,
    pub keys: usize,
    /// Tables with records that no collection is declared for, and how many they have. Only a look at a file knows.
    pub undeclared: Vec<(String, u64)>,
}
