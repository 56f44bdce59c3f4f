//! What a start would change in the stored data, and what stands against it.

use std::fmt;

/// How the stored tables are brought in line with the catalog.
#[derive(Debug, Default)]
pub struct Plan {
    pub steps: Vec<Step>,
    pub obstacles: Vec<Obstacle>,
    /// What is worth knowing, and changes nothing.
    pub notes: Vec<String>,
}

/// One change, in words and as statements.
#[derive(Debug)]
pub struct Step {
    pub words: String,
    pub statements: Vec<String>,
}

/// Something in the stored data that contradicts the configuration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Obstacle {
    /// What is wrong.
    pub message: String,
    /// The records in the way, the first of them.
    pub ids: Vec<i64>,
    /// How many records are in the way.
    pub count: u64,
    pub remedy: String,
}

impl fmt::Display for Obstacle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        if !self.ids.is_empty() {
            let ids: Vec<String> = self.ids.iter().map(i64::to_string).collect();
            write!(f, " (records {}", ids.join(", "))?;
            match self.count.saturating_sub(self.ids.len() as u64) {
                0 => f.write_str(")")?,
                more => write!(f, " and {more} more)")?,
            }
        }
        write!(f, ". Remedy: {}", self.remedy)
    }
}
