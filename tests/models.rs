//! What holds of every layer in the zoo, so that a new one is not forgotten anywhere.

use gatelens::model::{Architecture, Size, Sizes, every};
use gatelens::model::{LAYERS, Layer};
use gatelens::recipe::Recipe;
use gatelens::recipe::checkpoint;
use gatelens::recipe::settings::{Group, Kind, SETTINGS};
use gatelens::train::session::Snapshot;
use std::collections::BTreeSet;

fn with(model: &'static Layer) -> Recipe {
    Recipe {
        model,
        hidden: 3,
        gates: 4,
        embed: 5,
        layers: 2,
        state: 2,
        mask_at: 0.0,
        ..Recipe::default()
    }
}

#[test]
fn its_word_is_the_same_in_files_links_and_on_the_command_line() {
    let words: BTreeSet<&str> = LAYERS.iter().map(|layer| layer.word).collect();
    assert_eq!(words.len(), LAYERS.len(), "two layers have one word");
    for &layer in LAYERS {
        let title = layer.title;
        assert_eq!(serde_json::to_value(layer).unwrap(), layer.word, "serde's name of {title}");
        assert_eq!(serde_json::from_str::<&Layer>(&format!("\"{}\"", layer.word)).unwrap(), layer);
        let (_, read, problems) = Recipe::from_hash(&with(layer).to_hash("discover"));
        assert_eq!((read.model, problems.len()), (layer, 0), "{title}");
        let recipe = with(layer);
        assert_eq!(recipe.architecture().table(4, 4).len(), recipe.parameters(), "{title}");
        let back = Recipe::default().with_architecture(recipe.architecture());
        assert_eq!(back.architecture(), recipe.architecture(), "{title}");
        let packed = postcard::to_stdvec(&recipe.architecture()).unwrap();
        assert_eq!(postcard::from_bytes::<Architecture>(&packed).unwrap(), recipe.architecture());
    }
    let unknown = serde_json::from_str::<&Layer>("\"rnn\"").unwrap_err().to_string();
    assert!(unknown.contains("no layer rnn; expected one of gated, dense"), "{unknown}");
}

/// A network that no recipe describes is not taken for another: one whose gates are all gone.
#[test]
fn a_recipe_has_the_sizes_of_the_network_or_is_refused() {
    for architecture in
        every(Sizes { hidden: 3, gates: 4, embed: 5, layers: 2, state: 2, width: 5, side: false })
    {
        let recipe = Recipe::default().with_architecture(architecture);
        assert_eq!(recipe.architecture(), architecture);
        recipe.check().unwrap();
    }
    for &layer in LAYERS.iter().filter(|layer| layer.sizes.contains(&Size::Gates)) {
        let bare = layer.of(Sizes { hidden: 3, ..Sizes::NONE });
        let recipe = Recipe::default().with_architecture(bare);
        assert_eq!(recipe.architecture(), bare, "{}", layer.title);
        assert!(recipe.check().unwrap_err().to_string().starts_with("gates: "), "{}", layer.title);
    }
}

/// n is told of those that have one, and of no other.
#[test]
fn its_sizes_are_told_and_no_others() {
    for &layer in LAYERS {
        let told = with(layer).architecture().sizes_in_words();
        for size in Size::ALL {
            let has = layer.sizes.contains(&size) && size != Size::Width;
            let tells =
                told.split(", ").any(|part| part.starts_with(&format!("{} =", size.symbol())));
            assert_eq!(tells, has, "{}: {told}, {size:?}", layer.title);
        }
    }
}

#[test]
fn a_size_counts_for_a_layer_exactly_when_it_changes_it() {
    for model in LAYERS.iter().copied() {
        let recipe = with(model);
        for setting in SETTINGS.iter().filter(|setting| {
            setting.group == Group::Network && matches!(setting.kind, Kind::Integer { .. })
        }) {
            let mut other = recipe.clone();
            setting.set(&mut other, "6").unwrap();
            assert_eq!(
                setting.counts_for(&recipe),
                other.architecture() != recipe.architecture(),
                "{} of {}",
                setting.key,
                model.title
            );
        }
    }
}

#[test]
fn its_checkpoint_reads_as_what_it_is() {
    for model in LAYERS.iter().copied() {
        let recipe = with(model);
        let plan = recipe.plan();
        let parameters = plan.program().params.initial(plan.seed);
        let snapshot = Snapshot {
            step: 3,
            parameters: parameters.clone(),
            first_moment: vec![],
            second_moment: vec![],
        };
        let file = checkpoint::write(&recipe, &snapshot, plan.teacher().as_ref()).unwrap();
        let read = checkpoint::read("file", &file)
            .unwrap_or_else(|error| panic!("{}: {error}", model.title));
        assert_eq!(read.architecture, recipe.architecture(), "{}", model.title);
        assert_eq!(
            read.exact,
            parameters.iter().map(|&v| f64::from(v)).collect::<Vec<_>>(),
            "{}",
            model.title
        );
    }
}
