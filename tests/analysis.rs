//! The analyses on networks with known answers.

use gatelens::analysis::contribution;
use gatelens::analysis::importance::{self, Role};
use gatelens::graph::params::ParamTable;
use gatelens::math::random;
use gatelens::model::Network;
use gatelens::model::{Sizes, gated_diagonal::GATED};
use gatelens::task::{
    Teacher,
    attention::{Spectrum, TeacherKind},
};

/// The naive construction (paper, appendix A.1): neuron (r, s) holds S[r, s], query neuron j holds
/// q_j, gate (r, s) is their product.
fn naive(teacher: &Teacher) -> (ParamTable, Vec<f32>) {
    let d = teacher.dim;
    let (n, m) = (d * d + d, d * d);
    let table = GATED.of(Sizes { hidden: n, gates: m, ..Sizes::NONE }).table(d, d);
    let mut flat = vec![0.0f32; table.len()];
    let mut set = |name: &str, row: usize, column: usize, value: f64| {
        let param = table.get(name).unwrap();
        let width = *param.shape.last().unwrap();
        let index = if param.shape.len() == 1 { column } else { row * width + column };
        flat[param.offset + index] = value as f32;
    };
    for r in 0..d {
        for s in 0..d {
            let i = r * d + s;
            for j in 0..d {
                set("input_gate.m", i, j, teacher.value[r * d + j]);
                set("input_gate.x", i, j, teacher.key[s * d + j]);
            }
            set("nu", 0, i, -40.0);
            set("output_gate.m", i, i, 1.0);
            set("output_gate.x", i, d * d + s, 1.0);
            set("readout", r, i, 1.0);
        }
    }
    for j in 0..d {
        for k in 0..d {
            set("input_gate.m", d * d + j, k, teacher.query[j * d + k]);
        }
        set("input_gate.x", d * d + j, d, 1.0);
        set("nu", 0, d * d + j, 8.0);
    }
    (table, flat)
}

fn teacher(d: usize) -> Teacher {
    Teacher::draw(TeacherKind { dim: d, ranks: [d; 3], spectrum: Spectrum::Gaussian, gain: 1.0 }, 5)
}

#[test]
fn the_construction_routes_information_as_attention_does() {
    let teacher = teacher(3);
    let (table, flat) = naive(&teacher);
    let probe =
        contribution::probe(&table, &flat, &teacher, &random::normals(9, "probe", 11 * 3), 0);
    assert_eq!(probe.student_shares.len(), 11 * 11 * 3);
    let largest = probe.teacher_shares.iter().fold(0.0f32, |a, b| a.max(b.abs()));
    for (i, (student, teacher)) in
        probe.student_shares.iter().zip(&probe.teacher_shares).enumerate()
    {
        assert!((student - teacher).abs() < 2e-5 * largest, "share {i}: {student} {teacher}");
    }
}

#[test]
fn shares_add_up_to_the_output() {
    let teacher = teacher(3);
    for architecture in [
        GATED.of(Sizes { hidden: 7, gates: 5, ..Sizes::NONE }),
        GATED.of(Sizes { hidden: 7, side: true, ..Sizes::NONE }),
    ] {
        let table = architecture.table(3, 3);
        let flat = table.initial(4);
        let x = random::normals(2, "probe", 9 * 3);
        let probe = contribution::probe(&table, &flat, &teacher, &x, 0);
        // The same network, run by the CPU engine.
        let mut graph = gatelens::graph::Graph::new(1, 9);
        let input = graph.input("x", 3);
        architecture.forward(&mut graph, input, 3, 9);
        let program = gatelens::graph::program::Program::forward(graph);
        let (input, output) = (program.find("x").unwrap(), program.find("readout").unwrap());
        let mut cpu = gatelens::backend::cpu::Cpu::<f32>::new(program, 1, u64::MAX).unwrap();
        cpu.write_exact(gatelens::graph::Graph::PARAMETERS, &flat);
        cpu.write_exact(input, &x);
        cpu.forward();
        for (share_sum, y) in probe.student.iter().zip(cpu.read_exact(output)) {
            assert!(
                (share_sum - y).abs() < 1e-5 * (1.0 + y.abs()),
                "{architecture:?}: {share_sum} {y}"
            );
        }
    }
}

#[test]
fn roles_and_importance_of_the_construction() {
    let (table, mut flat) = naive(&teacher(3));
    // One neuron is cut off: its outgoing column is zero.
    let out = table.get("output_gate.m").unwrap().range();
    flat[out].chunks_exact_mut(12).for_each(|row| row[4] = 0.0);
    let measured = importance::measure(
        &Network::from_parameters(&table, &flat).unwrap(),
        importance::THRESHOLD,
    );
    let census = measured.census(importance::THRESHOLD);
    assert_eq!((census.key_value, census.query, census.between, census.unused), (8, 3, 0, 1));
    assert_eq!(measured.roles[4], Role::Unused);
    assert_eq!(census.gates, 8, "the gate that read it is zero too");
    assert!((measured.lambda[0] - 1.0).abs() < 1e-6 && measured.lambda[11] < 1e-6);
    let order = measured.order();
    assert_eq!(order.last(), Some(&4), "unused neurons come last");
    assert!(order[..8].iter().all(|&i| measured.roles[i] == Role::KeyValue));
}
