//! The README's table of settings is the one that the code has. `UPDATE_README=1 cargo test --test
//! readme` writes it.

use gatelens::recipe::Recipe;
use gatelens::recipe::settings::SETTINGS;
use std::path::Path;

const MARKS: [&str; 2] = ["<!-- settings -->\n", "<!-- /settings -->"];

#[test]
fn the_table_of_settings_is_true() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = std::fs::read_to_string(&path).unwrap();
    let (before, rest) =
        readme.split_once(MARKS[0]).expect("the README marks where the table begins");
    let (table, after) = rest.split_once(MARKS[1]).expect("the README marks where the table ends");
    let default = Recipe::default();
    let rows: String = SETTINGS
        .iter()
        .map(|s| {
            format!(
                "| `{}` | {} | {} | `{}` | {} |\n",
                s.key,
                s.label,
                s.accepted(),
                (s.get)(&default),
                s.help
            )
        })
        .collect();
    let true_table = format!(
        "| key | setting | accepts | default | what it does |\n|---|---|---|---|---|\n{rows}"
    );
    if std::env::var_os("UPDATE_README").is_some() {
        std::fs::write(&path, [before, MARKS[0], &true_table, MARKS[1], after].concat()).unwrap();
    } else {
        assert_eq!(table, true_table, "run UPDATE_README=1 cargo test --test readme");
    }
}
