//! carnet.

pub mod http;
pub mod observe;
