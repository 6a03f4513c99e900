//! The best of each layer.

use crate::sweep::contest::Contender;

/// The best contender of each variant that has something to show.
pub(super) fn leaders(contenders: &[Contender], variants: usize) -> Vec<&Contender> {
    let best = |variant: usize| {
        let known = contenders
            .iter()
            .filter(move |contender| contender.variant == variant)
            .filter_map(|contender| Some((contender, contender.value()?)));
        known.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(contender, _)| contender)
    };
    (0..variants).filter_map(best).collect()
}
