//! Which network a file holds, from the names and shapes of its tensors.

use super::file::{File, MAX_WIDTH};
use crate::Result;
use crate::model::layer::layered;
use crate::model::shapes::Shapes;
use crate::model::{Architecture, LAYERS, Layer, Size, Sizes, every};

/// A network with its values per token and per output.
pub(super) type Signature = (Architecture, usize, usize);

/// A network in words, with its values per [token, output].
pub fn described(architecture: Architecture, [inputs, outputs]: [usize; 2]) -> String {
    let (title, sizes) = (architecture.layer.title, architecture.sizes_in_words());
    format!("{title} ({sizes}, {inputs} values in and {outputs} out)")
}

/// Whether some layer has a tensor of that name.
pub(super) fn is_part(tensor: &str) -> bool {
    let part = layered(tensor).map_or(tensor, |(_, part)| part);
    every(Sizes::ONE).iter().any(|architecture| architecture.table(1, 1).get(part).is_some())
}

impl File<'_> {
    /// What the file holds. Only a recipe can say which scores attention uses.
    pub(super) fn sizes(&self, told: Option<&Layer>) -> Result<Signature> {
        let names = self.tensors.names().into_iter();
        let shape = |name: &str| {
            let view = self.tensors.tensor(name).ok()?;
            Some((name.to_owned(), view.shape().to_vec()))
        };
        let shapes = Shapes::new(names.filter_map(shape), told.map(|layer| layer.word));
        let found = LAYERS.iter().find_map(|layer| Some((layer, (layer.read)(&shapes)?)));
        let Some((layer, sizes)) = found else { return Err(self.wrong(unknown(&shapes))) };
        let (sizes, inputs) = sizes.map_err(|problem| self.wrong(problem))?;
        let [outputs, _] = shapes.matrix("readout").map_err(|problem| self.wrong(problem))?;
        let architecture = layer.of(sizes);
        let large = |size: &&Size| architecture.sizes.get(**size) > size.most();
        if inputs > MAX_WIDTH || outputs > MAX_WIDTH || layer.sizes.iter().any(|size| large(&size))
        {
            let most =
                layer.sizes.iter().map(|size| format!("{} up to {}", size.symbol(), size.most()));
            return Err(self.wrong(format!(
                "is too large (d = {inputs}, outputs = {outputs}, {}); expected d and outputs up to {MAX_WIDTH}, {}",
                architecture.sizes_in_words(),
                most.collect::<Vec<_>>().join(", ")
            )));
        }
        Ok((architecture, inputs, outputs))
    }
}

/// What is wrong with a file that no layer takes for its own.
fn unknown(shapes: &Shapes) -> String {
    let signs = || LAYERS.iter().map(|layer| (layer.sign, layer.title));
    let near: Vec<_> = signs().filter(|([tensor, _], _)| shapes.has(tensor)).collect();
    if let Some(([tensor, _], _)) = near.first() {
        let expected = near.iter().map(|([_, shape], title)| format!("{shape} ({title})"));
        let expected = expected.collect::<Vec<_>>().join(" or ");
        return match shapes.matrix(tensor) {
            Ok(shape) => format!("{tensor} has shape {shape:?}; expected {expected}"),
            Err(problem) => problem,
        };
    }
    let embedded = LAYERS.iter().filter(|layer| layer.sizes.contains(&Size::Embed));
    let mut known: Vec<(&str, Vec<&str>)> = vec![];
    for layer in embedded {
        match known.iter_mut().find(|(tensor, _)| *tensor == layer.sign[0]) {
            Some((_, titles)) => titles.push(layer.title),
            None => known.push((layer.sign[0], vec![layer.title])),
        }
    }
    let known = known.iter().map(|(tensor, titles)| format!("{tensor} ({})", titles.join(", ")));
    let known = known.collect::<Vec<_>>().join(", ");
    format!("has an embedding but no layer that is known: {known}")
}
