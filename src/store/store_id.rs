//! Which store it is: 16 random bytes that are made with it and go with its records wherever they are copied.

use std::fmt;

/// The id of a store. By it a card that was exported is known again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoreId([u8; 16]);

impl StoreId {
    pub fn new(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// 32 hexadecimal digits.
impl fmt::Display for StoreId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
