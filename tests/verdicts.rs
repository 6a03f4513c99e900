//! What is said of networks that are easily misjudged.

#[path = "support/networks.rs"]
#[allow(dead_code)] // shared with other tests
mod networks;

use gatelens::analysis::dissection::{Dissection, Settings, dissect};
use gatelens::analysis::verdict;
use gatelens::model::Network;
use gatelens::task::Teacher;
use gatelens::task::attention::{Spectrum, TeacherKind};
use gatelens::theory::{self, Variant};

fn gaussian(dim: usize, seed: u32) -> Teacher {
    Teacher::draw(TeacherKind { dim, rank: dim, spectrum: Spectrum::Gaussian }, seed)
}

fn built(teacher: &Teacher, variant: Variant) -> Network {
    theory::construct(teacher, variant).unwrap().network
}

fn at(network: &Network, teacher: Option<&Teacher>, threshold: f64) -> Dissection {
    dissect(network, teacher, &Settings { threshold, ..Settings::default() })
}

#[test]
fn outputs_that_no_gate_feeds_are_no_trouble() {
    for (seed, variant) in [(1, Variant::SymmetricShared), (4, Variant::Naive)] {
        let teacher = gaussian(3, seed);
        let network = built(&teacher, variant);
        for step in 1..20 {
            assert_eq!(at(&network, Some(&teacher), f64::from(step) * 0.05).stages.len(), 5);
        }
    }
}

#[test]
fn a_reduction_that_breaks_the_function_is_no_evidence() {
    let teacher = gaussian(3, 1);
    let network = built(&teacher, Variant::Symmetric);
    let found = at(&network, Some(&teacher), 0.02);
    assert!(found.stages[4].change > 1.0, "{}", found.stages[4].change);
    let said = &found.verdict.evidence;
    assert!(found.verdict.is_attention, "the raw network is");
    assert!(said.starts_with("At the threshold 0.02 the reduced network no longer computes this function (the outputs change by 148 %)"), "{said}");
    assert!(said.contains("the raw network is counted: 6 accumulators with λ = 1, 3 query neurons with λ = 0 and 9 gates; the outputs differ"), "{said}");
}

#[test]
fn the_form_without_a_teacher_includes_memory() {
    let teacher = networks::teacher(3, 4);
    let naive = networks::naive(&teacher);
    let with = |lambda: &dyn Fn(f64) -> f64| {
        let mut network = naive.clone();
        network.lambda.iter_mut().for_each(|l| *l = lambda(*l));
        at(&network, None, 0.01).verdict
    };
    let exact = with(&|l| l);
    assert!(exact.is_attention && exact.evidence.contains("any products of that form pass"), "{exact:?}");
    let none = with(&|_| 0.0);
    assert!(!none.is_attention && none.evidence.contains("does not accumulate"), "{none:?}");
    let leaky = with(&|l| 0.5 * l);
    assert!(!leaky.is_attention && leaky.headline.contains("not its memory"), "{leaky:?}");
    let nearly = with(&|l| 1e-12 + (1.0 - 2e-12) * l);
    assert!(nearly.is_attention, "{nearly:?}");
    let wide = networks::naive(&networks::teacher(9, 4));
    let wide = at(&wide, None, 0.01).verdict;
    assert!(!wide.is_attention && wide.evidence.contains("could not be tested"), "{wide:?}");
}

#[test]
fn what_a_teacher_needs_is_counted_at_once() {
    let start = std::time::Instant::now();
    let (memory, queries) = verdict::needed(&gaussian(64, 1));
    assert!(start.elapsed().as_secs_f64() < 2.0, "{:?}", start.elapsed());
    assert!(queries <= 64 && memory == 64 * queries - queries * (queries - 1) / 2 || memory < 64 * 65 / 2, "{memory} {queries}");
    let low = Teacher::draw(TeacherKind { dim: 4, rank: 2, spectrum: Spectrum::Orthogonal }, 3);
    assert_eq!((verdict::needed(&networks::teacher(5, 1)), verdict::needed(&low)), ((15, 5), (4, 2)));
    let zero = Teacher { value: vec![0.0; 16], ..networks::teacher(4, 1) };
    assert_eq!(verdict::needed(&zero).0, 0);
}
