//! Planted bugs: with `CARNET_FUZZ_PLANTED` set, each target has one, and the fuzzer must find it.
//!
//! They are here and not in the product: a target changes what the product said before it judges it, as a wrong
//! product would have. A fuzzer that does not find them is blind.

use std::sync::OnceLock;

/// Whether the bugs are there.
pub fn is_planted() -> bool {
    static PLANTED: OnceLock<bool> = OnceLock::new();
    *PLANTED.get_or_init(|| std::env::var_os("CARNET_FUZZ_PLANTED").is_some())
}
