//! What is said of networks that are easily misjudged.

#[path = "support/networks.rs"]
#[allow(dead_code, reason = "shared with other tests")]
mod networks;

use gatelens::analysis::dissection::{Dissection, Settings, dissect};
use gatelens::analysis::verdict;
use gatelens::math::matrix::Matrix;
use gatelens::model::Network;
use gatelens::model::network::Gating;
use gatelens::task::Teacher;
use gatelens::task::attention::{Spectrum, TeacherKind};
use gatelens::theory::{self, Variant};

fn gaussian(dim: usize, seed: u32) -> Teacher {
    Teacher::draw(
        TeacherKind { dim, ranks: [dim; 3], spectrum: Spectrum::Gaussian, gain: 1.0 },
        seed,
    )
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
    assert!(
        said.starts_with(
            "At the threshold 0.02 the reduced network no longer computes this function (the outputs change by 148 %)"
        ),
        "{said}"
    );
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
    assert!(
        exact.is_attention && exact.evidence.contains("any products of that form pass"),
        "{exact:?}"
    );
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
fn what_a_teacher_needs_is_counted() {
    let (memory, queries) = verdict::needed(&gaussian(64, 1));
    assert!(
        queries <= 64 && memory == 64 * queries - queries * (queries - 1) / 2
            || memory < 64 * 65 / 2,
        "{memory} {queries}"
    );
    let low = Teacher::draw(
        TeacherKind { dim: 4, ranks: [2; 3], spectrum: Spectrum::Orthogonal, gain: 1.0 },
        3,
    );
    assert_eq!(
        (verdict::needed(&networks::teacher(5, 1)), verdict::needed(&low)),
        ((15, 5), (4, 2))
    );
    let zero = Teacher { value: vec![0.0; 16], ..networks::teacher(4, 1) };
    assert_eq!(verdict::needed(&zero).0, 0);
}

/// Reading off almost as many neurons as there are tokens fits anything: that is no score.
#[test]
fn a_score_takes_more_tokens_than_neurons() {
    let teacher = networks::teacher(64, 1);
    let mut network = networks::random(1, 64, 64, 512, 16);
    network.lambda.fill(1.0);
    let found = at(&network, Some(&teacher), 0.0);
    assert_eq!(found.scores.unwrap().attention.key_value, None);
    assert!(
        found.notes.iter().any(|note| note.starts_with(
            "There is no Score KV: reading it off 512 neurons takes 2052 tokens, and 1024 were run"
        )),
        "{:?}",
        found.notes
    );
    assert!(!found.notes[0].contains("score"), "{}", found.notes[0]);
}

#[test]
fn many_gates_with_one_kernel_merge_into_one() {
    let mut network = networks::random(1, 8, 64, 16, 512);
    let Gating::Output { m, x } = &mut network.gating else { unreachable!() };
    for gate in 1..512 {
        let (first_m, first_x) = (m.row(0).to_vec(), x.row(0).to_vec());
        m.row_mut(gate).iter_mut().zip(first_m).for_each(|(to, from)| *to = 2.0 * from);
        x.row_mut(gate).copy_from_slice(&first_x);
    }
    let found = at(&network, None, 0.0);
    assert_eq!(found.stages[3].gates.len(), 1, "{}", found.stages[3].note);
    assert!(found.stages[3].change < 1e-9, "{:e}", found.stages[3].change);
}

#[test]
fn numbers_out_of_range_are_said_to_be() {
    let teacher = networks::teacher(3, 4);
    let mut tiny = networks::naive(&teacher);
    for matrix in [&mut tiny.input_m, &mut tiny.input_x, &mut tiny.readout] {
        matrix.data.iter_mut().for_each(|v| *v *= 1e-30);
    }
    let mut huge = networks::naive(&teacher);
    huge.readout.data.fill(1e40);
    for (network, headline) in
        [(tiny, "too small to take apart"), (huge, "too large to take apart")]
    {
        let found = at(&network, Some(&teacher), 0.01);
        let report = found.report();
        assert!(found.verdict.headline.contains(headline), "{:?}", found.verdict);
        assert!(
            report["output_change"].is_null()
                && report["snapping_change"].is_null()
                && report["kept_hidden"].is_null(),
            "{report}"
        );
        assert!(
            found.notes[0].starts_with("There are no scores and no changes"),
            "{:?}",
            found.notes
        );
    }
    let faint = Teacher {
        value: teacher.value.iter().map(|v| v * 1e-60).collect(),
        key: teacher.key.iter().map(|v| v * 1e-60).collect(),
        ..teacher.clone()
    };
    let found = at(&networks::naive(&teacher), Some(&faint), 0.01);
    assert!(
        found.verdict.evidence.contains("the teacher's outputs are too small or too large"),
        "{:?}",
        found.verdict
    );
}

#[test]
fn sentences_about_a_reduction_are_true() {
    let teacher = networks::teacher(3, 4);
    // λ in use is neither 1 nor 0, though no output hangs on it.
    let mut network = networks::naive(&teacher);
    network.lambda[0] = 0.95;
    network.readout.data.fill(0.0);
    let note = &at(&network, None, 0.0).stages[4].note;
    assert!(!note.contains("already"), "{note}");
    // One neuron, one gate.
    let one = networks::naive(&networks::teacher(1, 1));
    let note = &at(&one, None, 0.01).stages[3].note;
    assert_eq!(note, "There is one gate, and no other to merge it with.");
    // Gates whose neurons are gone add nothing: nothing cancels.
    let mut unread = networks::naive(&teacher);
    if let Gating::Output { m, .. } = &mut unread.gating {
        *m = Matrix::zeros(m.rows, m.columns);
        m.set(0, 0, 1e-9);
    }
    unread.input_m.row_mut(0).fill(0.0);
    let note = &at(&unread, None, 0.0).stages[3].note;
    assert!(!note.contains("cancel"), "{note}");
}

#[test]
fn gates_merged_by_hand_are_listed_once() {
    let shared = networks::symmetric_shared(&networks::teacher(3, 4));
    let mut network = shared.select(&(0..9).collect::<Vec<_>>(), &[0, 1, 2, 3, 4, 5, 2]);
    (0..3).for_each(|k| network.readout.set(k, 6, 0.5 + k as f64));
    let found = dissect(&network, None, &Settings { picked: vec![2, 6], ..Settings::default() });
    let lists: Vec<_> =
        found.groups.iter().map(|group| (group.gates.clone(), group.by_hand)).collect();
    assert_eq!(lists, [(vec![2, 6], true)]);
}
