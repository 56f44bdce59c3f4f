//! Puts the console together and compresses it: Rust alone, no Node, no network.

#[path = "src/console/bundle.rs"]
mod bundle;

use std::io::Write;
use std::path::Path;
use std::{env, fs, io};

use flate2::Compression;
use flate2::write::GzEncoder;

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=console");
    println!("cargo:rerun-if-changed=src/console/bundle.rs");
    let bundle = bundle::bundle(Path::new("console"))
        .map_err(|error| io::Error::other(format!("the console cannot be put together: {error}")))?;
    println!("cargo:rustc-env=CONSOLE_BUILD={}", bundle.build);
    let out = env::var_os("OUT_DIR").ok_or_else(|| io::Error::other("cargo says where to write"))?;
    let out = Path::new(&out).join("console");
    fs::create_dir_all(&out)?;
    for (name, text) in
        [("index.html", bundle.page), ("app.js", bundle.script), ("licences.txt", bundle.licences)]
    {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::best());
        gzip.write_all(text.as_bytes())?;
        fs::write(out.join(name), text)?;
        fs::write(out.join(format!("{name}.gz")), gzip.finish()?)?;
    }
    Ok(())
}
