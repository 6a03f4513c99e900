//! The paper's figures 3 and 4 as sweeps, in `assets/sweeps/`.

use super::Sweep;

const FILES: &[(&str, &str)] = &[
    ("fig3a", include_str!("../../assets/sweeps/fig3a.json")),
    ("fig3b", include_str!("../../assets/sweeps/fig3b.json")),
    ("fig3c", include_str!("../../assets/sweeps/fig3c.json")),
    ("fig4a", include_str!("../../assets/sweeps/fig4a.json")),
    ("fig4b", include_str!("../../assets/sweeps/fig4b.json")),
];

/// Every one, with its name.
pub fn all() -> Vec<(&'static str, Sweep)> {
    FILES.iter().map(|(name, text)| (*name, read(name, text))).collect()
}

/// The sweep of that name.
pub fn find(name: &str) -> Option<Sweep> {
    FILES.iter().find(|(file, _)| *file == name).map(|(name, text)| read(name, text))
}

/// All names.
pub fn names() -> Vec<&'static str> {
    FILES.iter().map(|(name, _)| *name).collect()
}

fn read(name: &str, text: &str) -> Sweep {
    Sweep::read(name, text).expect("these are checked by their test")
}
