//! The stored access keys: what is kept of each, what a change does to them, and what a server knows of them.

mod change;
mod row;
mod set;

pub(super) use change::Edit;
pub use change::{Changed, KeyAdminError, KeyChange, NewKey, Rotation};
pub(super) use row::{KEY_COLUMNS, KeyRow};
pub(super) use set::Use;
pub use set::{Credential, Holder, KeySet};
