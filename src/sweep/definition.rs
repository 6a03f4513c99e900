//! A sweep's file: `{ "title", "about", "preset", "settings": { key: value }, "variants": { name: {
//! key: value } }, "grid": { "hidden,gates": [8, "14..40/2"], "seed": "1..3" } }`.

use super::{Axis, LARGE, Sweep, Variant, is_variant};
use crate::recipe::preset;
use crate::recipe::settings::Setting;
use crate::{Error, Result};
use serde::de::{Error as _, MapAccess, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};
use std::fmt;
use std::marker::PhantomData;

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub(super) struct SweepFile {
    title: String,
    about: String,
    preset: Option<String>,
    settings: Members<Text>,
    variants: Members<Members<Text>>,
    grid: Members<Values>,
}

/// An object's members in their order; no key stands twice.
struct Members<T>(Vec<(String, T)>);

/// A value as text.
struct Text(String);

/// An axis's values.
enum Values {
    /// One number.
    Number(String),
    /// One text, for all of them.
    Line(String),
    /// One by one.
    List(Vec<String>),
}

impl Sweep {
    /// Reads the file `name`. Of a grid of up to [`LARGE`] runs each run is checked, of a larger
    /// one the axes alone.
    ///
    /// # Errors
    /// What is wrong with which member, and what is accepted.
    pub fn read(name: &str, text: &str) -> Result<Self> {
        let unlike =
            |problem: String| Error::file(name, format!("does not read as a sweep: {problem}"));
        let text = text.trim_start_matches('\u{feff}');
        if !text.trim_start().starts_with('{') {
            return Err(unlike(
                "expected { \"title\": ..., \"settings\": { ... }, \"grid\": { ... } }".into(),
            ));
        }
        let written: SweepFile = serde_json::from_str(text).map_err(|e| unlike(e.to_string()))?;
        Self::of(name, written)
    }

    /// The definition that was `written` in the file `name`.
    pub(super) fn of(name: &str, written: SweepFile) -> Result<Self> {
        let within = |part: &'static str| move |e: Error| Error::file(name, format!("{part}{e}"));
        let SweepFile { title, about, preset, settings, variants, grid } = written;
        let preset = preset.unwrap_or_else(|| preset::DEFAULT.into());
        let texts = |members: Members<Text>| {
            members.0.into_iter().map(|(key, Text(value))| (key, value)).collect()
        };
        let settings = texts(settings);
        let variants = variants
            .0
            .into_iter()
            .map(|(name, settings)| Variant { name, settings: texts(settings) })
            .collect();
        let mut sweep = Self {
            title: if title.is_empty() { name.into() } else { title },
            about,
            preset,
            settings,
            variants,
            axes: vec![],
        };
        let base = sweep.base().map_err(within(""))?;
        for (keys, values) in &grid.0 {
            let axis = match values {
                Values::Number(text) | Values::Line(text) => Axis::parse(keys, text),
                Values::List(list) => Axis::from_list(keys, list),
            };
            sweep.axes.push(axis.map_err(within("grid: "))?);
        }
        sweep = sweep.with_axis_of_variants();
        if sweep.axes.is_empty() {
            return Err(within("")(Error::setting(
                "grid",
                "no axis",
                "at least one setting with its values, like \"hidden\": [8, 16]",
            )));
        }
        sweep.check_axes(&base).map_err(within("grid: "))?;
        if sweep.count() <= LARGE {
            sweep.grid(&base).map_err(within(""))?;
        }
        Ok(sweep)
    }

    /// The file that [`Self::read`] reads.
    pub fn to_json(&self) -> String {
        let quoted = |text: &str| serde_json::Value::from(text).to_string();
        let value = |key: &str, text: &str| {
            let number = Setting::find(key).is_some_and(|setting| setting.kind.is_number());
            if number && text.parse::<serde_json::Number>().is_ok() {
                text.to_owned()
            } else {
                quoted(text)
            }
        };
        let settings = |settings: &[(String, String)]| -> Vec<String> {
            settings
                .iter()
                .map(|(key, text)| format!("{}: {}", quoted(key), value(key, text)))
                .collect()
        };
        let axis = |axis: &Axis| {
            let values: Vec<String> =
                axis.pieces().iter().map(|piece| value(&axis.keys[0], piece)).collect();
            format!("{}: [{}]", quoted(&axis.keys.join(",")), values.join(", "))
        };
        let object = |members: Vec<String>| {
            if members.is_empty() {
                "{}".into()
            } else {
                format!("{{\n    {}\n  }}", members.join(",\n    "))
            }
        };
        let Self { title, about, preset, axes, variants, .. } = self;
        let variant = |variant: &Variant| {
            format!("{}: {{ {} }}", quoted(&variant.name), settings(&variant.settings).join(", "))
        };
        let variants = if variants.is_empty() {
            String::new()
        } else {
            format!("\n  \"variants\": {},", object(variants.iter().map(variant).collect()))
        };
        format!(
            "{{\n  \"title\": {},\n  \"about\": {},\n  \"preset\": {},\n  \"settings\": {},{variants}\n  \"grid\": {}\n}}\n",
            quoted(title),
            quoted(about),
            quoted(preset),
            object(settings(&self.settings)),
            object(axes.iter().filter(|axis| !is_variant(axis)).map(axis).collect()),
        )
    }
}

impl<T> Default for Members<T> {
    fn default() -> Self {
        Self(vec![])
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Members<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        struct Object<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Object<T> {
            type Value = Members<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object { \"setting\": value }")
            }

            fn visit_map<A: MapAccess<'de>>(
                self,
                mut map: A,
            ) -> std::result::Result<Self::Value, A::Error> {
                let mut members: Vec<(String, T)> = vec![];
                while let Some(key) = map.next_key::<String>()? {
                    if members.iter().any(|(other, _)| *other == key) {
                        return Err(A::Error::custom(format!(
                            "{key} stands there twice, expected each once"
                        )));
                    }
                    let value =
                        map.next_value().map_err(|e| A::Error::custom(format!("{key}: {e}")))?;
                    members.push((key, value));
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Object(PhantomData))
    }
}

/// Reads values as they are written.
struct Reader {
    lists: bool,
}

impl<'de> Visitor<'de> for Reader {
    type Value = Values;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.lists {
            "a list of values, or a text like \"8, 10, 14..40/2\""
        } else {
            "a number or a text"
        })
    }

    fn visit_u64<E>(self, value: u64) -> std::result::Result<Values, E> {
        Ok(Values::Number(value.to_string()))
    }

    fn visit_i64<E>(self, value: i64) -> std::result::Result<Values, E> {
        Ok(Values::Number(value.to_string()))
    }

    fn visit_f64<E>(self, value: f64) -> std::result::Result<Values, E> {
        Ok(Values::Number(format!("{value:?}"))) // 1e300 in five characters
    }

    fn visit_str<E>(self, value: &str) -> std::result::Result<Values, E> {
        Ok(Values::Line(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> std::result::Result<Values, A::Error> {
        if !self.lists {
            return Err(A::Error::invalid_type(Unexpected::Seq, &self));
        }
        let mut values = vec![];
        while let Some(Text(value)) = list.next_element()? {
            values.push(value);
        }
        Ok(Values::List(values))
    }
}

impl<'de> Deserialize<'de> for Values {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_any(Reader { lists: true })
    }
}

impl<'de> Deserialize<'de> for Text {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_any(Reader { lists: false }).map(|values| match values {
            Values::Number(text) | Values::Line(text) => Self(text),
            Values::List(list) => Self(list.join(", ")),
        })
    }
}
