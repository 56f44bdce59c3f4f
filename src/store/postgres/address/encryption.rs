//! The parameters of the URL that are about TLS.

use std::path::PathBuf;

use super::super::tls::{Roots, TlsMode, TlsSettings};
use super::error::{AddressError, once};

#[derive(Default)]
pub(super) struct Encryption {
    mode: Option<TlsMode>,
    roots: Option<Roots>,
    certificate: Option<PathBuf>,
    key: Option<PathBuf>,
    is_direct: Option<bool>,
}

impl Encryption {
    /// Takes a parameter, and says whether it is one of these.
    pub(super) fn set(&mut self, name: &str, value: &str) -> Result<bool, AddressError> {
        match name {
            "sslmode" => {
                let mode = TlsMode::parse(value).ok_or(AddressError::Value {
                    name: "sslmode",
                    expected: "`disable`, `prefer`, `require`, `verify-ca` or `verify-full`",
                })?;
                once(&mut self.mode, "sslmode", mode)?;
            }
            "sslrootcert" => {
                let roots = match value {
                    "system" => Roots::System,
                    "" => Roots::Unsaid,
                    file => Roots::File(file.into()),
                };
                once(&mut self.roots, "sslrootcert", roots)?;
            }
            "sslcert" => once(&mut self.certificate, "sslcert", value.into())?,
            "sslkey" => once(&mut self.key, "sslkey", value.into())?,
            "sslnegotiation" => {
                let is_direct = match value {
                    "postgres" => false,
                    "direct" => true,
                    _ => {
                        let (name, expected) = ("sslnegotiation", "`postgres` or `direct`");
                        return Err(AddressError::Value { name, expected });
                    }
                };
                once(&mut self.is_direct, "sslnegotiation", is_direct)?;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// What they mean together.
    pub(super) fn settings(self) -> Result<TlsSettings, AddressError> {
        let roots = self.roots.unwrap_or(Roots::Unsaid);
        let mode = match (&roots, self.mode) {
            (Roots::System, None | Some(TlsMode::VerifyFull)) => TlsMode::VerifyFull,
            (Roots::System, Some(_)) => return Err(AddressError::SystemRoots),
            (_, mode) => mode.unwrap_or(TlsMode::Prefer),
        };
        let is_direct = self.is_direct.unwrap_or(false);
        if is_direct && matches!(mode, TlsMode::Disable | TlsMode::Prefer) {
            return Err(AddressError::Direct);
        }
        let said = |path: Option<PathBuf>| path.filter(|path| !path.as_os_str().is_empty());
        let identity = match (said(self.certificate), said(self.key)) {
            (Some(certificate), Some(key)) => Some((certificate, key)),
            (None, None) => None,
            _ => return Err(AddressError::HalfCertificate),
        };
        Ok(TlsSettings { mode, roots, identity, is_direct })
    }
}
