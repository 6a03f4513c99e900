//! The tensors of a file by name and shape: what a layer recognises itself by.

use std::collections::BTreeMap;

/// Names and shapes, and what the file says of its layer.
#[derive(Debug, Clone, Default)]
pub struct Shapes {
    shapes: BTreeMap<String, Vec<usize>>,
    /// The layer that the file's recipe names, if it has one.
    pub told: Option<&'static str>,
}

impl Shapes {
    /// Of these tensors.
    pub fn new(
        shapes: impl IntoIterator<Item = (String, Vec<usize>)>,
        told: Option<&'static str>,
    ) -> Self {
        Self { shapes: shapes.into_iter().collect(), told }
    }

    /// Whether there is such a tensor.
    pub fn has(&self, tensor: &str) -> bool {
        self.shapes.contains_key(tensor)
    }

    /// All names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.shapes.keys().map(String::as_str)
    }

    /// A layer between a linear embedding and a readout.
    pub fn is_embedded(&self) -> bool {
        self.has("embed") && !self.has("input_gate.m")
    }

    /// Rows and columns of a matrix.
    ///
    /// # Errors
    /// It is not there, or no matrix.
    pub fn matrix(&self, tensor: &str) -> Result<[usize; 2], String> {
        let Some(shape) = self.shapes.get(tensor) else {
            let gated = "a gated network needs input_gate.m, input_gate.x, nu (or lambda), output_gate.m and .x (or side_gate), readout; any other layer embed and readout around it";
            return Err(if self.has("embed") {
                format!("has no tensor {tensor} (expected a matrix [out, in])")
            } else {
                format!("has no tensor {tensor}; {gated}")
            });
        };
        match shape[..] {
            [a, b] if a > 0 && b > 0 => Ok([a, b]),
            _ => Err(format!("{tensor} has shape {shape:?}; expected a matrix [out, in]")),
        }
    }
}
