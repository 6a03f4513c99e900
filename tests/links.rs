//! Random links: reading one ends, gives a recipe that holds together, and keeps what was good.

use gatelens::recipe::settings::{Kind, SETTINGS, Setting};
use gatelens::recipe::{Recipe, preset};
use gatelens::train::schedule::Schedule;

/// SplitMix64: the same links in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn one_of<'a, T: ?Sized>(&mut self, list: &[&'a T]) -> &'a T {
        list[self.below(list.len() as u64) as usize]
    }

    fn below(&mut self, count: u64) -> u64 {
        self.roll() % count
    }

    /// From 0 to 1, both possible.
    fn part(&mut self) -> f64 {
        self.below(1001) as f64 / 1000.0
    }

    fn schedule(&mut self) -> String {
        let knots = 1 + self.below(9);
        let knot = |i| format!("{}:{}", i as f64 / 8.0, (self.part() * 2.0 - 0.2) as f32);
        (0..knots).map(knot).collect::<Vec<_>>().join(",")
    }

    /// A value that the setting may have, at its ends more often than not.
    fn value(&mut self, setting: &Setting) -> String {
        let end = self.below(3);
        match setting.kind {
            Kind::Integer { min, .. } if end == 0 => min.to_string(),
            Kind::Integer { max, .. } if end == 1 => max.to_string(),
            Kind::Integer { min, max } => (min + self.below(max - min + 1)).to_string(),
            Kind::Number { min, max } => (min + self.part() * (max - min)).to_string(),
            Kind::Choice(words) => self.one_of(words).to_owned(),
            Kind::Schedule(words) if end == 0 => self.one_of(words).to_owned(),
            Kind::Schedule(_) => self.schedule(),
        }
    }

    fn junk(&mut self) -> String {
        let texts =
            ["", "-1", "NaN", "inf", "1e300", "0.5", "many", "%ff", "🦀", "0:1,", "a=b", " 7 "];
        self.one_of(&texts).to_owned()
    }

    fn pair(&mut self) -> (String, String) {
        let setting = &SETTINGS[self.below(SETTINGS.len() as u64) as usize];
        match self.below(10) {
            0 => (setting.key.into(), self.junk()),
            1 => (self.junk(), self.junk()),
            2 => ("preset".into(), self.one_of(&preset::names()).to_owned()),
            3 => {
                ("task".into(), self.one_of(&["attention", "regression", "recall", "file"]).into())
            }
            _ => (setting.key.into(), self.value(setting)),
        }
    }
}

#[test]
fn any_link_is_read_to_a_recipe_that_holds_together() {
    let mut dice = Dice(1);
    let mut mended = 0;
    for _ in 0..4000 {
        let count = dice.below(12);
        let pairs: Vec<(String, String)> = (0..count).map(|_| dice.pair()).collect();
        let text: Vec<String> = pairs.iter().map(|(key, value)| format!("{key}={value}")).collect();
        let link = format!("#v=1&{}", text.join("&"));
        let (preset, recipe, problems) = Recipe::from_hash(&link);
        recipe.check().unwrap_or_else(|error| panic!("{link}: {error}"));

        // Each problem names its setting; any other one is what the link says last, or the preset's.
        let named = |key: &str| {
            problems.iter().any(|problem| problem.to_string().starts_with(&format!("{key}: ")))
        };
        let mut wanted = preset::find(&preset).unwrap().recipe;
        for (key, value) in &pairs {
            if let Some(setting) = Setting::find(key) {
                let _ = setting.set(&mut wanted, value); // what is refused is a problem above
            }
        }
        mended += usize::from(wanted.check().is_err());
        for setting in SETTINGS.iter().filter(|setting| !named(setting.key)) {
            assert_eq!((setting.get)(&recipe), (setting.get)(&wanted), "{link}: {}", setting.key);
        }

        // What was read is a link again.
        let again = Recipe::from_hash(&recipe.to_hash(&preset));
        assert_eq!((&again.0, &again.1, again.2.len()), (&preset, &recipe, 0), "{link}");
    }
    assert!((400..3600).contains(&mended), "{mended} of 4000 links did not hold together");
}

#[test]
fn every_row_reads_and_writes_its_own_field() {
    let mut dice = Dice(2);
    let default = Recipe::default();
    for setting in SETTINGS {
        for _ in 0..100 {
            let (mut recipe, text) = (default.clone(), dice.value(setting));
            if setting.set(&mut recipe, &text).is_err() {
                assert!(matches!(setting.kind, Kind::Schedule(_)), "{}: {text}", setting.key);
                continue;
            }
            let close = |value: String| match (value.parse::<f32>(), text.parse::<f32>()) {
                (Ok(value), Ok(text)) => value == text,
                _ => text.parse::<Schedule>().map_or(text.clone(), |s| s.to_string()) == value,
            };
            let json = serde_json::to_value(&recipe).unwrap()[setting.key].to_string();
            assert!(close((setting.get)(&recipe).to_string()), "{}: {text}", setting.key);
            assert!(close(json.trim_matches('"').into()), "{}: {text} is {json}", setting.key);
            let mut others = SETTINGS.iter().filter(|other| other.key != setting.key);
            assert!(others.all(|other| (other.get)(&recipe) == (other.get)(&default)));
        }
    }
}

#[test]
fn live_settings_are_those_that_change_while_it_trains() {
    let mut dice = Dice(3);
    let default = Recipe::default();
    for setting in SETTINGS {
        let mut other = default.clone();
        while (setting.get)(&other) == (setting.get)(&default) {
            let _ = setting.set(&mut other, &dice.value(setting)); // a schedule may be refused
        }
        let mut running = default.clone();
        running.set_rates(other.rates());
        assert_eq!(running == other, setting.live, "{}", setting.key);
    }
}
