//! Caller: who sends a request, as far as HTTP knows them.

/// Who sends a request, once that is known.
pub trait Caller: Send + Sync {
    /// What log lines call them.
    fn name(&self) -> &str;

    /// Notes that they have sent the same request again, and had the same answer.
    fn repeats(&self);
}
