//! Records that match, with those that they refer to, of one moment: read one after the other, and handed on as bytes.

mod pass;
mod reading;

pub(super) use pass::Pass;
pub use pass::{Extract, Form, Row};
pub use reading::{Beginning, Pieces, extract, extract_served, pieces};
