//! The tensors of a safetensors file, read with words for what is wrong.

use crate::graph::params::ParamTable;
use crate::model::network::nu;
use crate::task::Teacher;
use crate::{Error, Result};
use safetensors::{Dtype, SafeTensors};

/// Largest input and output width.
pub(super) const MAX_WIDTH: usize = 64;
/// The tensors of an attention layer.
pub(super) const TEACHER: [&str; 3] = ["teacher.value", "teacher.key", "teacher.query"];

/// A file that is being read.
pub(super) struct File<'a> {
    pub(super) name: &'a str,
    pub(super) tensors: SafeTensors<'a>,
}

impl File<'_> {
    pub(super) fn wrong(&self, problem: impl std::fmt::Display) -> Error {
        Error::file(self.name, problem)
    }

    /// All parameters of `table`, flat, from the tensors `prefix` + name.
    pub(super) fn flat(&self, table: &ParamTable, prefix: &str) -> Result<Vec<f64>> {
        let mut flat = vec![];
        for param in table.iter() {
            let tensor = format!("{prefix}{}", param.name);
            if tensor == "nu"
                && table.get("theta").is_none()
                && self.tensors.tensor("nu").is_err()
                && self.tensors.tensor("lambda").is_ok()
            {
                flat.extend(self.nu_from_lambda(&param.shape)?);
            } else {
                flat.extend(self.numbers(&tensor, &param.shape)?);
            }
        }
        Ok(flat)
    }

    fn nu_from_lambda(&self, shape: &[usize]) -> Result<Vec<f64>> {
        let lambda = self.numbers("lambda", shape)?;
        if let Some(i) = lambda.iter().position(|l| !(0.0..=1.0).contains(l)) {
            return Err(
                self.wrong(format!("lambda[{i}] is {}; expected values in [0, 1]", lambda[i]))
            );
        }
        Ok(lambda.into_iter().map(nu).collect())
    }

    pub(super) fn teacher(&self, inputs: usize) -> Result<Option<Teacher>> {
        if TEACHER.iter().all(|name| self.tensors.tensor(name).is_err()) {
            return Ok(None);
        }
        let dim = inputs;
        for name in TEACHER {
            let view = self.tensors.tensor(name).map_err(|_| {
                self.wrong(format!(
                    "has no tensor {name}; a teacher needs teacher.value, .key and .query"
                ))
            })?;
            if view.shape() != [dim, dim] {
                return Err(self.wrong(format!(
                    "{name} has shape {:?}; expected d = {dim}, what the network reads a token: [{dim}, {dim}]",
                    view.shape()
                )));
            }
        }
        let [value, key, query] = TEACHER.map(|name| self.numbers(name, &[dim, dim]));
        Ok(Some(Teacher { dim, value: value?, key: key?, query: query? }))
    }

    pub(super) fn numbers(&self, tensor: &str, shape: &[usize]) -> Result<Vec<f64>> {
        let view = self.tensors.tensor(tensor).map_err(|_| {
            self.wrong(format!("has no tensor {tensor} (expected shape {shape:?})"))
        })?;
        if view.shape() != shape {
            return Err(
                self.wrong(format!("{tensor} has shape {:?}; expected {shape:?}", view.shape()))
            );
        }
        let numbers: Vec<f64> = match view.dtype() {
            Dtype::F32 => view
                .data()
                .chunks_exact(4)
                .map(|b| f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]])))
                .collect(),
            Dtype::F64 => view
                .data()
                .chunks_exact(8)
                .map(|b| f64::from_le_bytes([b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7]]))
                .collect(),
            other => return Err(self.wrong(format!("{tensor} is {other:?}; expected F32 or F64"))),
        };
        match numbers.iter().position(|v| !narrow(*v).is_finite()) {
            Some(i) => Err(self.wrong(format!(
                "{tensor} holds {} at element {i}; expected finite float32 numbers",
                numbers[i]
            ))),
            None => Ok(numbers),
        }
    }
}

pub(super) fn narrow(value: f64) -> f32 {
    value as f32
}
