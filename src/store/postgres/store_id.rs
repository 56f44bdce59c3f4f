//! The id of the store, in the table `_carnet_store`.

use tokio_postgres::{Error, GenericClient};

use crate::store::StoreId;

pub(super) async fn read(client: &impl GenericClient) -> Result<StoreId, Error> {
    let row = client.query_one("SELECT id FROM _carnet_store", &[]).await?;
    // The table takes no other length.
    Ok(StoreId::new(row.try_get::<_, &[u8]>(0)?.try_into().unwrap_or_default()))
}

/// Takes over the id of the store that is copied.
pub(super) async fn replace(client: &impl GenericClient, id: StoreId) -> Result<(), Error> {
    client.execute("UPDATE _carnet_store SET id = $1", &[&id.bytes()]).await.map(|_| ())
}
