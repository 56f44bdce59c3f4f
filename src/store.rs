//! Where records are kept: the one door to stored data.

pub mod url;
