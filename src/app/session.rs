//! Starting a training, and keeping the last one from visit to visit.

use crate::platform;
use crate::recipe::Recipe;
use crate::recipe::checkpoint;
use crate::run::live::Live;
use crate::run::runner::{Command, Start};
use crate::task::{Arrays, Teacher};
use crate::train::session::Snapshot;
use crate::ui::ResumeOffer;

/// The command that starts `recipe`.
pub fn start(
    run: u32,
    recipe: Recipe,
    from: Option<Snapshot>,
    teacher: Option<Teacher>,
    data: Option<Arrays>,
    running: bool,
) -> Command {
    let data = data.map(Box::new);
    let memory_limit = platform::memory_limit();
    Command::Start(Box::new(Start {
        run,
        recipe,
        from,
        teacher,
        data,
        running,
        threads: 0,
        memory_limit,
    }))
}

/// What is known of the next training before it answers. Going back within the same network keeps
/// the curves until then.
pub fn successor(old: &mut Live, run: u32, recipe: &Recipe, from: Option<&Snapshot>) -> Live {
    let mut live = Live::new(run, recipe.clone());
    if let Some(snapshot) = from {
        live.step = snapshot.step;
        (live.snapshot, live.good) = (Some(snapshot.clone()), Some(snapshot.clone()));
        if old.table == live.table && old.recipe.seed == recipe.seed && old.step >= snapshot.step {
            (live.history, live.lambdas) =
                (std::mem::take(&mut old.history), std::mem::take(&mut old.lambdas));
        }
    }
    live
}

/// A session larger than this is not kept: a browser's storage holds about 5 MB.
const STORED_BYTES: usize = 2_000_000;

/// A checkpoint as text for eframe's storage, if it is small enough.
pub fn to_store(bytes: &[u8]) -> Option<String> {
    (bytes.len() <= STORED_BYTES).then(|| bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// The last visit's session.
pub struct StoredSession {
    /// What the user is told of it.
    pub offer: ResumeOffer,
    pub recipe: Recipe,
    /// The checkpoint file.
    pub bytes: Vec<u8>,
}

/// The last visit's session, if there was one and it went anywhere.
///
/// # Errors
/// Why it does not read.
pub fn stored(text: &str) -> Result<Option<StoredSession>, String> {
    let bytes: Vec<u8> = (0..text.len() / 2)
        .map(|i| u8::from_str_radix(text.get(2 * i..2 * i + 2)?, 16).ok())
        .collect::<Option<_>>()
        .ok_or("it is not in hexadecimal digits")?;
    if bytes.is_empty() {
        return Ok(None);
    }
    let loaded = checkpoint::read("last session", &bytes).map_err(|error| error.to_string())?;
    let recipe = loaded.recipe.ok_or("it has no recipe")?;
    let step = loaded.snapshot.step;
    let sizes = recipe.architecture().sizes_in_words();
    let title =
        format!("{}, d = {}, {sizes}, seed {}", recipe.model.title, recipe.dim, recipe.seed);
    let offer = ResumeOffer { step, title, file: None };
    Ok((step > 0).then_some(StoredSession { offer, recipe, bytes }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{LAYERS, Size};
    use crate::train::session::Snapshot;

    /// What is told of a session has the sizes of its layer, and no n where there is none.
    #[test]
    fn an_offer_tells_the_sizes_that_the_layer_has() {
        for &model in LAYERS {
            let recipe = Recipe { model, mask_at: 0.0, hidden: 3, gates: 3, ..Recipe::default() };
            let parameters = recipe.plan().program().params.initial(1);
            let snapshot =
                Snapshot { step: 1, parameters, first_moment: vec![], second_moment: vec![] };
            let bytes = checkpoint::write(&recipe, &snapshot, recipe.plan().teacher().as_ref());
            let stored = stored(&to_store(&bytes.unwrap()).unwrap()).unwrap().unwrap();
            let tells = stored.offer.title.contains(" n = ");
            let title = &stored.offer.title;
            assert_eq!(tells, model.sizes.contains(&Size::Hidden), "{}: {title}", model.title);
        }
    }
}
