//! Parts of the window that more than one view shows, or could: each draws one thing where it is
//! told to. Knows no view.

pub mod banner;
pub mod context;
pub mod contributions;
pub mod controls;
pub mod guide;
pub mod insides;
pub mod lambdas;
pub mod loss;
pub mod network;
pub mod outputs;
mod schedule;
pub mod status;
pub mod sweep;
