//! Which store a command used: a relative path leads to another one from another folder.

use super::terminal;
use crate::store::url::StorageUrl;

/// Says which store is used, or that there is none, on standard error. A password is never shown.
pub(super) fn name(storage: &StorageUrl, is_there: bool) {
    remark(
        storage,
        if is_there { "" } else { " (there is no store; --config or --database says where it is)" },
    );
}

/// Says which store is changed, and whether it was made for that.
pub(super) fn name_for_change(storage: &StorageUrl, was_there: bool) {
    remark(storage, if was_there { "" } else { " (new; --config or --database names another)" });
}

fn remark(storage: &StorageUrl, more: &str) {
    terminal::remark(&format!("store: {}{more}", storage.absolute()));
}
