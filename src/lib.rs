//! carnet.

pub mod observe;
