//! The zoo of recurrent layers: each file is its equation and, at its end, what the layer says of
//! itself; [`LAYERS`] lists them. Imports `graph` and what is left of it.

pub mod attention;
pub mod gated_dense;
pub mod gated_diagonal;
pub mod gru;
pub mod layer;
pub mod list;
pub mod lru;
pub mod lstm;
pub mod mamba;
pub mod network;
pub mod owned;
pub mod run;
pub mod shapes;

pub use layer::{Architecture, Layer, Size, Sizes};
pub use list::{LAYERS, every};
pub use network::Network;
pub use owned::Model;
