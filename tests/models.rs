//! What holds of every layer in the zoo, so that a new one is not forgotten anywhere.

use gatelens::recipe::checkpoint;
use gatelens::recipe::settings::{Group, Kind, SETTINGS};
use gatelens::recipe::{ModelName, Recipe};
use gatelens::train::session::Snapshot;

fn with(model: ModelName) -> Recipe {
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
    for (model, word, title) in ModelName::ALL {
        assert_eq!(serde_json::to_value(model).unwrap(), *word, "serde's name of {title}");
        let (_, read, problems) = Recipe::from_hash(&with(*model).to_hash("discover"));
        assert_eq!((read.model, problems.len()), (*model, 0), "{title}");
        assert_eq!(
            with(*model).architecture().table(4, 4).len(),
            with(*model).parameters(),
            "{title}"
        );
    }
}

#[test]
fn a_size_counts_for_a_layer_exactly_when_it_changes_it() {
    for model in ModelName::MODELS {
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
                model.title()
            );
        }
    }
}

#[test]
fn its_checkpoint_reads_as_what_it_is() {
    for model in ModelName::MODELS {
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
            .unwrap_or_else(|error| panic!("{}: {error}", model.title()));
        assert_eq!(read.architecture, recipe.architecture(), "{}", model.title());
        assert_eq!(
            read.exact,
            parameters.iter().map(|&v| f64::from(v)).collect::<Vec<_>>(),
            "{}",
            model.title()
        );
    }
}
