//! A network of any kind by its parameters, in f64 and apart from any training: what files,
//! constructions and finished runs hold.

use super::run::ModelWeights;
use super::{Architecture, Network};
use crate::graph::params::ParamTable;
use serde::{Deserialize, Serialize};

/// An architecture and all its parameters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Model {
    /// Kind and sizes.
    pub architecture: Architecture,
    /// d, values per token.
    pub inputs: usize,
    /// d_out, values per output.
    pub outputs: usize,
    /// All parameters, flat, in the order of [`Architecture::table`].
    pub parameters: Vec<f64>,
}

impl Model {
    /// Of parameters in either precision, as many as the table has.
    pub fn new<F: Copy + Into<f64>>(
        architecture: Architecture,
        [inputs, outputs]: [usize; 2],
        parameters: &[F],
    ) -> Self {
        Self {
            architecture,
            inputs,
            outputs,
            parameters: parameters.iter().map(|&v| v.into()).collect(),
        }
    }

    /// What the engine runs.
    pub fn weighed(&self) -> ModelWeights<'_> {
        ModelWeights {
            architecture: self.architecture,
            inputs: self.inputs,
            outputs: self.outputs,
            parameters: &self.parameters,
        }
    }

    /// Names and places of the parameters.
    pub fn table(&self) -> ParamTable {
        self.architecture.table(self.inputs, self.outputs)
    }

    /// As a gated diagonal network; `None` if it is of another kind.
    pub fn gated(&self) -> Option<Network> {
        self.architecture
            .layer
            .reducible
            .then(|| Network::from_parameters(&self.table(), &self.parameters))
            .flatten()
    }

    /// All parameters rounded to the engine's precision.
    pub fn to_parameters(&self) -> Vec<f32> {
        self.parameters.iter().map(|&v| v as f32).collect()
    }

    /// Whether all parameters are numbers.
    pub fn is_finite(&self) -> bool {
        self.parameters.iter().all(|v| v.is_finite())
    }
}

impl From<&Network> for Model {
    fn from(network: &Network) -> Self {
        let flat = |name: &str| {
            network.parameter(name).unwrap_or_else(|| panic!("a gated network has no {name}"))
        };
        let parameters = network.table().iter().flat_map(|param| flat(&param.name)).collect();
        Self {
            architecture: network.architecture(),
            inputs: network.inputs(),
            outputs: network.outputs(),
            parameters,
        }
    }
}

impl From<Network> for Model {
    fn from(network: Network) -> Self {
        Self::from(&network)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Sizes;
    use super::super::gated_diagonal::GATED;
    use super::super::lstm::LSTM;
    use super::*;

    #[test]
    fn a_gated_network_goes_there_and_back_and_others_are_not_gated() {
        let architecture = GATED.of(Sizes { hidden: 5, gates: 3, ..Sizes::NONE });
        let table = architecture.table(2, 2);
        let network = Network::from_parameters(&table, &table.initial(4)).unwrap();
        let model = Model::from(&network);
        let back = model.gated().unwrap();
        assert!(back.lambda.iter().zip(&network.lambda).all(|(a, b)| (a - b).abs() < 1e-15));
        assert_eq!(Network { lambda: network.lambda.clone(), ..back }, network);
        assert_eq!(
            (model.to_parameters(), model.table(), model.is_finite()),
            (network.to_parameters(), table, true)
        );
        let lstm = LSTM.of(Sizes { hidden: 2, embed: 2, ..Sizes::NONE });
        let model = Model::new(lstm, [2, 2], &lstm.table(2, 2).initial(1));
        assert_eq!((model.gated(), model.parameters.len()), (None, lstm.table(2, 2).len()));
    }
}
