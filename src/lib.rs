//! carnet.
