//! The fuzzer: `CARNET_FUZZ_TARGET` says which target, the arguments are libFuzzer's.
#![no_main]

use std::sync::OnceLock;

use carnet_fuzz::{Target, find};

static TARGET: OnceLock<Target> = OnceLock::new();

libfuzzer_sys::fuzz_target!(init: {
    let name = std::env::var_os("CARNET_FUZZ_TARGET").unwrap_or_default();
    let target = name.to_str().and_then(find);
    let _ = TARGET.set(target.expect("CARNET_FUZZ_TARGET names a target"));
}, |input: &[u8]| {
    if let Some((_, run)) = TARGET.get() {
        run(input);
    }
});
