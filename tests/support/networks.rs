//! Networks with known answers: the paper's constructions, and disguises that change the weights
//! but not the function.

use gatelens::math::linear;
use gatelens::math::matrix::Matrix;
use gatelens::math::random::{normals, uniforms};
use gatelens::model::Network;
use gatelens::model::network::Gating;
use gatelens::task::Teacher;
use gatelens::task::attention::{Spectrum, TeacherKind};

/// Well-conditioned: all singular values 1.
pub fn teacher(d: usize, seed: u32) -> Teacher {
    Teacher::draw(
        TeacherKind { dim: d, ranks: [d; 3], spectrum: Spectrum::Orthogonal, gain: 1.0 },
        seed,
    )
}

pub fn numbers(seed: u32, name: &str, rows: usize, columns: usize) -> Matrix {
    Matrix::new(
        rows,
        columns,
        normals(seed, name, rows * columns).into_iter().map(f64::from).collect(),
    )
}

/// Untrained: the sizes and spread that training starts from.
pub fn random(seed: u32, d: usize, outputs: usize, n: usize, m: usize) -> Network {
    let scaled = |name: &str, rows: usize, columns: usize| {
        let scale = 1.0 / (columns as f64).sqrt();
        let mut matrix = numbers(seed, name, rows, columns);
        matrix.data.iter_mut().for_each(|v| *v *= scale);
        matrix
    };
    Network {
        input_m: scaled("input_m", n, d + 1),
        input_x: scaled("input_x", n, d + 1),
        lambda: uniforms(seed, "lambda", n)
            .into_iter()
            .map(|u| 0.01 + 0.98 * f64::from(u))
            .collect(),
        gating: Gating::Output { m: scaled("m", m, n), x: scaled("x", m, n) },
        readout: scaled("readout", outputs, m),
    }
}

/// A row of W_m^in and one of W_x^in.
type Rows = (Vec<f64>, Vec<f64>);
/// Memory row, query row, readout column.
type Gate = (Vec<f64>, Vec<f64>, Vec<f64>);

fn square(data: &[f64], d: usize) -> Matrix {
    Matrix::new(d, d, data.to_vec())
}

/// From its rows: memory neurons (m, x), query rows, gates (memory row, query row, readout column).
fn built(d: usize, memory: &[Rows], query: &Matrix, gates: &[Gate]) -> Network {
    let with = |row: &[f64], constant: f64| [row, &[constant]].concat();
    let linear_part = (0..d).map(|j| (with(query.row(j), 0.0), with(&vec![0.0; d], 1.0)));
    let rows: Vec<Rows> =
        memory.iter().map(|(m, x)| (with(m, 0.0), with(x, 0.0))).chain(linear_part).collect();
    let wide = |memory_row: &[f64], query_row: &[f64]| [memory_row, query_row].concat();
    Network {
        input_m: Matrix::from_rows(&rows.iter().map(|r| &r.0).collect::<Vec<_>>()),
        input_x: Matrix::from_rows(&rows.iter().map(|r| &r.1).collect::<Vec<_>>()),
        lambda: [vec![1.0; memory.len()], vec![0.0; d]].concat(),
        gating: Gating::Output {
            m: Matrix::from_rows(
                &gates.iter().map(|g| wide(&g.0, &vec![0.0; d])).collect::<Vec<_>>(),
            ),
            x: Matrix::from_rows(
                &gates.iter().map(|g| wide(&vec![0.0; memory.len()], &g.1)).collect::<Vec<_>>(),
            ),
        },
        readout: Matrix::from_rows(&gates.iter().map(|g| &g.2).collect::<Vec<_>>()).transpose(),
    }
}

fn unit(size: usize, i: usize) -> Vec<f64> {
    (0..size).map(|j| f64::from(u8::from(i == j))).collect()
}

/// Appendix A.1: d² + d neurons, d² gates.
pub fn naive(teacher: &Teacher) -> Network {
    let d = teacher.dim;
    let (v, k) = (square(&teacher.value, d), square(&teacher.key, d));
    let memory: Vec<_> =
        (0..d * d).map(|i| (v.row(i / d).to_vec(), k.row(i % d).to_vec())).collect();
    let gates: Vec<_> =
        (0..d * d).map(|i| (unit(d * d, i), unit(d, i % d), unit(d, i / d))).collect();
    built(d, &memory, &square(&teacher.query, d), &gates)
}

/// The symmetric query W_V^{-ᵀ} W_Kᵀ W_Q, and the neurons of the upper triangle.
fn symmetric_parts(teacher: &Teacher) -> (Matrix, Vec<(usize, usize)>, Vec<Rows>) {
    let d = teacher.dim;
    let v = square(&teacher.value, d);
    let query = linear::inverse(&v)
        .unwrap()
        .transpose()
        .times(&square(&teacher.key, d).transpose())
        .times(&square(&teacher.query, d));
    let pairs: Vec<(usize, usize)> = (0..d).flat_map(|r| (r..d).map(move |s| (r, s))).collect();
    let memory = pairs.iter().map(|&(r, s)| (v.row(r).to_vec(), v.row(s).to_vec())).collect();
    (query, pairs, memory)
}

/// Appendix A.3: d(d+1)/2 + d neurons, d² gates.
pub fn symmetric(teacher: &Teacher) -> Network {
    let d = teacher.dim;
    let (query, pairs, memory) = symmetric_parts(teacher);
    let place = |r: usize, s: usize| pairs.iter().position(|&p| p == (r.min(s), r.max(s))).unwrap();
    let gates: Vec<_> = (0..d * d)
        .map(|i| (unit(pairs.len(), place(i / d, i % d)), unit(d, i % d), unit(d, i / d)))
        .collect();
    built(d, &memory, &query, &gates)
}

/// The same with d(d+1)/2 gates: S_rs (q_r + q_s) for two outputs, and (S_rr − Σ_{s≠r} S_rs) q_r.
pub fn symmetric_shared(teacher: &Teacher) -> Network {
    let d = teacher.dim;
    let (query, pairs, memory) = symmetric_parts(teacher);
    let sum =
        |a: Vec<f64>, b: Vec<f64>| -> Vec<f64> { a.iter().zip(&b).map(|(a, b)| a + b).collect() };
    let gate = |(i, &(r, s)): (usize, &(usize, usize))| {
        if r < s {
            (unit(pairs.len(), i), sum(unit(d, r), unit(d, s)), sum(unit(d, r), unit(d, s)))
        } else {
            let row = pairs.iter().map(|&(a, b)| {
                if (a, b) == (r, r) { 1.0 } else { -f64::from(u8::from(a == r || b == r)) }
            });
            (row.collect(), unit(d, r), unit(d, r))
        }
    };
    let gates: Vec<_> = pairs.iter().enumerate().map(gate).collect();
    built(d, &memory, &query, &gates)
}

/// Appendix A.2: d² neurons, each with the query that it meets as its side row.
pub fn side(teacher: &Teacher) -> Network {
    let d = teacher.dim;
    let (v, k, q) = (square(&teacher.value, d), square(&teacher.key, d), square(&teacher.query, d));
    let rows = |f: &dyn Fn(usize) -> Vec<f64>| {
        Matrix::from_rows(&(0..d * d).map(|i| [f(i), vec![0.0]].concat()).collect::<Vec<_>>())
    };
    Network {
        input_m: rows(&|i| v.row(i / d).to_vec()),
        input_x: rows(&|i| k.row(i % d).to_vec()),
        lambda: vec![1.0; d * d],
        gating: Gating::Side(rows(&|i| q.row(i % d).to_vec())),
        readout: Matrix::from_fn(d, d * d, |k, i| f64::from(u8::from(k == i / d))),
    }
}

/// `symmetric_shared` in other weights, the same function: query neurons mixed, key-value neurons
/// replaced by `extra` more products than needed with the same span (and read with a random part of
/// what cancels), gates split in two three ways, everything rescaled and shuffled.
pub fn disguised(teacher: &Teacher, seed: u32, extra: usize) -> Network {
    let plain = symmetric_shared(teacher);
    let (d, n) = (teacher.dim, plain.hidden() - teacher.dim);
    let Gating::Output { m, x } = &plain.gating else { unreachable!() };
    // Key-value neurons: random products of two linear functions; products of x span the quadratic
    // forms.
    let (left, right) = (numbers(seed, "left", n + extra, d), numbers(seed, "right", n + extra, d));
    let form = |a: &[f64], b: &[f64]| -> Vec<f64> {
        (0..d)
            .flat_map(|r| (r..d).map(move |s| (r, s)))
            .map(|(r, s)| if r == s { a[r] * b[r] } else { a[r] * b[s] + a[s] * b[r] })
            .collect()
    };
    let forms = |a: &Matrix, b: &Matrix, rows: usize| {
        Matrix::from_rows(
            &(0..rows).map(|i| form(&a.row(i)[..d], &b.row(i)[..d])).collect::<Vec<_>>(),
        )
    };
    let new = forms(&left, &right, n + extra); // [n + extra, n]
    let old = forms(&plain.input_m, &plain.input_x, n);
    let onto = linear::least_squares(&new.transpose(), &old.transpose(), 1e-12).transpose(); // old = onto · new
    // Rows in the null space of the new forms read nothing.
    let silent = |name: &str, rows: usize| {
        let random = numbers(seed, name, rows, n + extra);
        let seen = linear::least_squares(&new.transpose(), &random.times(&new).transpose(), 1e-12)
            .transpose();
        Matrix::new(
            rows,
            n + extra,
            random.data.iter().zip(&seen.data).map(|(a, b)| a - b).collect(),
        )
    };
    let mix = numbers(seed, "mix", d, d);
    let unmix = linear::inverse(&mix).unwrap();
    let query = mix.times(&plain.input_m.select_rows(&(n..n + d).collect::<Vec<_>>()));
    let rewritten = |row: &Matrix, silent: &Matrix| {
        let memory = row.select_columns(&(0..n).collect::<Vec<_>>()).times(&onto);
        let queries = row.select_columns(&(n..n + d).collect::<Vec<_>>()).times(&unmix);
        Matrix::from_fn(row.rows, n + extra + d, |i, j| {
            if j < n + extra {
                memory.at(i, j) + silent.at(i, j)
            } else {
                queries.at(i, j - n - extra)
            }
        })
    };
    let gates = m.rows;
    let (m, x) =
        (rewritten(m, &silent("silent m", gates)), rewritten(x, &silent("silent x", gates)));
    // Splits: a random part of the memory factor apart; the readout in two; a factor of the query
    // apart.
    let parts = numbers(seed, "parts", gates, n + extra + d);
    let mut split: Vec<Gate> = vec![];
    let minus =
        |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a - b).collect() };
    for gate in 0..gates {
        let (a, b, out) = (
            m.row(gate).to_vec(),
            x.row(gate).to_vec(),
            plain.readout.column(gate).collect::<Vec<_>>(),
        );
        let part = parts.row(gate).to_vec();
        split.extend(match gate % 3 {
            0 => vec![(part.clone(), b.clone(), out.clone()), (minus(&a, &part), b, out)],
            1 => vec![(a.clone(), b.clone(), part[..d].to_vec()), (b, a, minus(&out, &part[..d]))],
            _ => vec![(a.clone(), part.clone(), out.clone()), (a, minus(&b, &part), out)],
        });
    }
    let column = |side: fn(&Gate) -> &Vec<f64>| {
        Matrix::from_rows(&split.iter().map(side).collect::<Vec<_>>())
    };
    let constant = |rows: usize| Matrix::zeros(rows, 1);
    let beside = |a: &Matrix, b: &Matrix| {
        Matrix::from_fn(a.rows, a.columns + b.columns, |i, j| {
            if j < a.columns { a.at(i, j) } else { b.at(i, j - a.columns) }
        })
    };
    let below = |a: &Matrix, b: &Matrix| {
        Matrix::new(a.rows + b.rows, a.columns, [a.data.clone(), b.data.clone()].concat())
    };
    let ones = Matrix::from_fn(d, d + 1, |_, j| f64::from(u8::from(j == d)));
    let network = Network {
        input_m: below(&beside(&left, &constant(n + extra)), &query),
        input_x: below(&beside(&right, &constant(n + extra)), &ones),
        lambda: [vec![1.0; n + extra], vec![0.0; d]].concat(),
        gating: Gating::Output { m: column(|gate| &gate.0), x: column(|gate| &gate.1) },
        readout: column(|gate| &gate.2).transpose(),
    };
    shuffled(&rescaled(network, seed), seed)
}

/// Rows multiplied by random numbers, undone behind them.
fn rescaled(mut network: Network, seed: u32) -> Network {
    let scales = |name: &str, count: usize| -> Vec<f64> {
        uniforms(seed, name, count).into_iter().map(|u| 0.3 + 3.0 * f64::from(u)).collect()
    };
    let (n, gates) = (network.hidden(), network.gates());
    let (p, q, r, s) = (scales("p", n), scales("q", n), scales("r", gates), scales("s", gates));
    network.input_m =
        Matrix::from_fn(n, network.input_m.columns, |i, j| network.input_m.at(i, j) * p[i]);
    network.input_x =
        Matrix::from_fn(n, network.input_x.columns, |i, j| network.input_x.at(i, j) * q[i]);
    if let Gating::Output { m, x } = &mut network.gating {
        *m = Matrix::from_fn(gates, n, |i, j| m.at(i, j) * r[i] / (p[j] * q[j]));
        *x = Matrix::from_fn(gates, n, |i, j| x.at(i, j) * s[i] / (p[j] * q[j]));
    }
    network.readout = Matrix::from_fn(network.readout.rows, gates, |k, i| {
        network.readout.at(k, i) / (r[i] * s[i])
    });
    network
}

fn shuffled(network: &Network, seed: u32) -> Network {
    let order = |name: &str, count: usize| {
        let keys = uniforms(seed, name, count);
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by(|&a, &b| keys[a].total_cmp(&keys[b]));
        order
    };
    network.select(&order("neurons", network.hidden()), &order("gates", network.gates()))
}
