//! A network to look into that is not the live one, with what is known of its origin.

use crate::analysis::insides::Origin;
use crate::model::Model;
use crate::task::Teacher;
use crate::train::plan::Plan;
use serde::{Deserialize, Serialize};

/// A network from a file, a construction, or a training that is not the live one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Specimen {
    /// The file's name, or what else names it.
    pub name: String,
    /// Layer, sizes and weights.
    pub network: Model,
    /// What it imitates, if that is known.
    pub teacher: Option<Teacher>,
    /// How it was trained, if that is known.
    pub origin: Option<Origin>,
    /// Steps that it was trained for, where it is one of several states of a training.
    pub step: Option<u64>,
}

impl Specimen {
    /// A network of which no training is known.
    pub fn new(
        name: impl Into<String>,
        network: impl Into<Model>,
        teacher: Option<Teacher>,
    ) -> Self {
        Self { name: name.into(), network: network.into(), teacher, origin: None, step: None }
    }

    /// A network as `plan` trains it, with the plan's own teacher, after `step` steps.
    pub fn trained(name: impl Into<String>, plan: &Plan, step: u64, parameters: &[f32]) -> Self {
        let (inputs, outputs) = plan.task.widths();
        let network = Model::new(plan.architecture, [inputs, outputs], parameters);
        Self {
            name: name.into(),
            network,
            teacher: plan.teacher(),
            origin: Some(plan.into()),
            step: Some(step),
        }
    }
}
