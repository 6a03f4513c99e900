//! The paper's constructions: gated networks that are linear attention exactly. Imports `task` and what is left of it.
pub mod gradient_step;
