//! A comparison as points of a picture: the measure over the number of parameters, each layer at
//! the best of its learning rates. Pure.

use super::plot::{Picture, Point, Series, reading, reference};
use crate::sweep::contest::Contender;
use crate::sweep::measure::Measure;
use crate::sweep::queue::Queue;
use crate::ui::kit::chart::scale;
use crate::ui::kit::chart::scale::Scale;

/// Draws up the picture. Runs at other rates than the best stand aside.
pub fn picture(queue: &Queue, contenders: &[Contender], measure: Measure) -> Picture {
    let sizes: Vec<f64> = contenders.iter().map(|contender| contender.parameters as f64).collect();
    let scale = Scale::numbers(&sizes);
    let mut names: Vec<String> =
        queue.sweep.variants.iter().map(|variant| variant.name.clone()).collect();
    if names.is_empty() {
        names.push(String::new());
    }
    let mut points = vec![];
    let mut medians = vec![vec![]; names.len()];
    for contender in contenders {
        let x = scale.place_of(contender.parameters as f64);
        let best = contender.best();
        for rate in &contender.rates {
            let aside = best.is_some_and(|best| best.rate != rate.rate);
            let found = rate.runs.iter().filter_map(|&run| {
                reading(queue, run, measure).map(|(level, kind)| Point {
                    run,
                    series: contender.variant,
                    x,
                    level,
                    kind,
                    aside,
                })
            });
            points.extend(found);
        }
        if let Some(median) = best.filter(|rate| rate.is_over).and_then(|rate| rate.median) {
            medians[contender.variant]
                .push((x, Some(median.log10()).filter(|level| level.is_finite())));
        }
    }
    points.sort_by_key(|point| !point.aside); // the best over the others
    medians
        .iter_mut()
        .for_each(|places| places.sort_by(|a: &(f64, Option<f64>), b| a.0.total_cmp(&b.0)));
    let series = names
        .into_iter()
        .zip(medians)
        .map(|(name, medians)| Series { name, medians, minimum: None })
        .collect();
    let reference = reference(queue.runs());
    let levels = scale::levels(
        points.iter().filter_map(|point| point.level).chain(reference.map(f64::log10)),
    );
    Picture {
        measure,
        x_axis: None,
        x_title: "Parameters".into(),
        scale,
        levels,
        points,
        series,
        reference,
    }
}
