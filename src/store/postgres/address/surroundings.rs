//! What libpq takes from its surroundings where a URL is silent: role, password, certificates.

use std::fmt;
use std::path::PathBuf;

use super::super::tls::{Roots, TlsMode};
use super::error::AddressError;
use super::{PostgresUrl, passfile};

/// What the environment says about connecting to PostgreSQL. Read by whoever may read it.
#[derive(Clone, Default)]
pub struct Surroundings {
    /// `PGUSER`, else who runs the program.
    pub user: Option<String>,
    /// `PGPASSWORD`.
    pub password: Option<String>,
    /// `PGPASSFILE`.
    pub passfile: Option<PathBuf>,
    /// Under which `.pgpass` and `.postgresql/` may be.
    pub home: Option<PathBuf>,
}

impl PostgresUrl {
    /// The address with everything that it does not say itself: the role, the database of the role's name, a
    /// password for each host, and the certificates in the home folder.
    pub fn within(mut self, surroundings: &Surroundings) -> Result<Self, AddressError> {
        self.user = self.user.or_else(|| surroundings.user.clone());
        self.database = self.database.or_else(|| self.user.clone());
        self.find_passwords(surroundings)?;
        self.find_certificates(surroundings);
        Ok(self)
    }

    fn find_passwords(&mut self, surroundings: &Surroundings) -> Result<(), AddressError> {
        if self.hosts.iter().all(|host| host.password.is_some()) {
            return Ok(());
        }
        if surroundings.password.is_some() {
            for host in &mut self.hosts {
                host.password.clone_from(&surroundings.password);
            }
            return Ok(());
        }
        let named = self.parameters.passfile.as_ref().or(surroundings.passfile.as_ref());
        let usual = surroundings.home.as_ref().map(|home| home.join(".pgpass"));
        let passfile = match (named, usual) {
            (Some(path), _) => passfile::read(path)?,
            (None, Some(path)) if path.is_file() => passfile::read(&path)?,
            _ => return Ok(()),
        };
        let database = self.database.as_deref().unwrap_or_default();
        let user = self.user.as_deref().unwrap_or_default();
        for host in &mut self.hosts {
            host.password = passfile.password(&host.name, host.port, database, user)?;
        }
        Ok(())
    }

    fn find_certificates(&mut self, surroundings: &Surroundings) {
        let Some(folder) = surroundings.home.as_ref().map(|home| home.join(".postgresql")) else {
            return;
        };
        if self.tls.mode == TlsMode::Disable {
            return;
        }
        let roots = folder.join("root.crt");
        if self.tls.roots == Roots::Unsaid && roots.is_file() {
            self.tls.roots = Roots::File(roots);
        }
        let (certificate, key) = (folder.join("postgresql.crt"), folder.join("postgresql.key"));
        if self.tls.identity.is_none() && certificate.is_file() && key.is_file() {
            self.tls.identity = Some((certificate, key));
        }
    }
}

impl fmt::Debug for Surroundings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { user, passfile, home, password: _ } = self;
        let mut text = f.debug_struct("Surroundings");
        text.field("user", user).field("passfile", passfile).field("home", home).finish_non_exhaustive()
    }
}
