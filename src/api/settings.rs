//! What an `App` is told besides the catalog and the store.

use std::path::PathBuf;
use std::time::Duration;

use crate::catalog::name::KEY_PARAMETER;

/// What an [`App`](super::App) is told besides the catalog and the store.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The beginning of every absolute URL, without a trailing slash; without it, the scheme and host of the request.
    pub base_url: Option<String>,
    /// The query parameter that carries an access key.
    pub access_parameter: String,
    /// How many unknown access keys one address may present in a minute; 0: any number.
    pub unknown_keys_per_minute: u32,
    /// Whether `/metrics` is there.
    pub shows_metrics: bool,
    /// Whether browsers find the console.
    pub has_console: bool,
    /// Whether answers carry `Server-Timing`.
    pub shows_server_timing: bool,
    /// The origins whose pages may read our answers and write, as browsers send them; `*` alone for all of them.
    pub cors_origins: Vec<String>,
    /// Whether only this machine can reach the server.
    pub is_local: bool,
    /// An export that takes longer is broken off: it keeps the log of the database from being cut.
    pub export_timeout: Duration,
    /// Where files are kept that are imported, without a name.
    pub temporary_folder: PathBuf,
    /// The longest file that may be imported, in bytes; 0 takes the path away.
    pub max_import: usize,
    /// For how many seconds browsers are to come with TLS only; 0 for nothing said.
    pub hsts: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            base_url: None,
            access_parameter: KEY_PARAMETER.to_owned(),
            unknown_keys_per_minute: 30,
            shows_metrics: true,
            has_console: true,
            shows_server_timing: false,
            cors_origins: Vec::new(),
            is_local: true,
            export_timeout: Duration::from_secs(900),
            temporary_folder: PathBuf::from("/tmp"),
            max_import: 256 << 20,
            hsts: 0,
        }
    }
}
