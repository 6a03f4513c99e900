//! What a user should know of a training that goes on nevertheless.

use crate::Error;
use serde::{Deserialize, Serialize};
use std::fmt;

/// What happened to the device.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Notice {
    /// There is no GPU that it could use, for that reason: the CPU engine trains.
    OnCpu(Error),
    /// The device was lost; the training goes on from that step.
    TrainingResumed(Error, u64),
    /// The same of a sweep's runs.
    SweepResumed(Error, u64),
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OnCpu(error) => write!(f, "Training on the CPU engine: {error}."),
            Self::TrainingResumed(error, step) => {
                write!(f, "{error}. Training goes on from step {step}.")
            }
            Self::SweepResumed(error, step) => {
                write!(f, "{error}. The sweep goes on from step {step}.")
            }
        }
    }
}
