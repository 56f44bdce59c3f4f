//! The stored access keys and the trail as the commands have them, on either engine, also beside a running server.

use super::audit::{Actor, Trail};
use super::keys::{Changed, KeyAdminError, KeyChange};
use super::url::StorageUrl;
use super::{OpenError, postgres, sqlite};
use crate::record::access_key::KeyEntry;

/// The stored access keys. Every change is in the trail, or is not made.
pub enum KeyAdmin {
    Sqlite(sqlite::key_table::KeyTable),
    Postgres(Box<postgres::key_table::KeyTable>),
}

impl KeyAdmin {
    /// Opens the stored keys to read them; `None` where there is no store. Nothing is changed or made.
    pub async fn inspect(url: &StorageUrl) -> Result<Option<Self>, OpenError> {
        Ok(match url {
            StorageUrl::Sqlite(path) => sqlite::key_table::KeyTable::inspect(path)?.map(Self::Sqlite),
            StorageUrl::Postgres(url) => {
                let table = postgres::key_table::KeyTable::inspect(url).await?;
                table.map(|table| Self::Postgres(Box::new(table)))
            }
        })
    }

    /// Opens the stored keys to change them, and makes the store where there is none.
    pub async fn open(url: &StorageUrl) -> Result<Self, OpenError> {
        Ok(match url {
            StorageUrl::Sqlite(path) => Self::Sqlite(sqlite::key_table::KeyTable::open(path)?),
            StorageUrl::Postgres(url) => {
                Self::Postgres(Box::new(postgres::key_table::KeyTable::open(url).await?))
            }
        })
    }

    /// The stored keys in the order of their names.
    pub async fn list(&self) -> Result<Vec<KeyEntry>, KeyAdminError> {
        match self {
            Self::Sqlite(table) => table.list(),
            Self::Postgres(table) => table.list().await,
        }
    }

    pub async fn change(&mut self, change: &KeyChange, by: &Actor) -> Result<Changed, KeyAdminError> {
        match self {
            Self::Sqlite(table) => table.change(change, by),
            Self::Postgres(table) => table.change(change, by).await,
        }
    }

    /// What was done with keys and tables, from the beginning.
    pub async fn trail(&self) -> Result<Trail, KeyAdminError> {
        match self {
            Self::Sqlite(table) => table.trail(),
            Self::Postgres(table) => table.trail().await,
        }
    }
}
