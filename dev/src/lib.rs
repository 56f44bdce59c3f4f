//! What the tests (`tests/`) and the tools (`benches/`, `faults/`, `fuzz/`) have in common.
//!
//! None of it knows the code of the program. What cannot go on panics and says where: in a test that is enough.

pub mod answer;
pub mod client;
pub mod cluster;
pub mod configs;
pub mod dice;
pub mod file;
pub mod frame;
pub mod process;
pub mod request;
pub mod schema;
pub mod store;
pub mod waiting;
