// The structs and constants that Rust and WGSL share: the same members in the same order as graph/dims.rs.
// Appended to every shader. The third coordinate of an invocation is its replica; each buffer but `dims` holds the
// replicas' parts one after another.

struct Dims {
    batch: u32,
    time: u32,
    width_in: u32,
    width_out: u32,
    constant: u32,
    splits: u32,
    weight: u32,
    parameters: u32,
    stream: u32,
    accumulate: u32,
    first: u32,
    half: u32,
    kind: u32,
}

struct Curve {
    count: u32,
    cosine: u32,
    at: array<f32, 8>,
    value: array<f32, 8>,
}

struct Clock {
    step: u32,
    halted_at: u32,
    seed: u32,
    warmup: u32,
    peak_rate: f32,
    base_decay: f32,
    one_minus_beta1: f32,
    epsilon: f32,
    rate: f32,
    decay: f32,
    one_minus_beta2: f32,
    correction1: f32,
    correction2: f32,
    clip: f32,
    excess: f32,
    rate_curve: Curve,
    decay_curve: Curve,
    beta2_curve: Curve,
}

const RING: u32 = 4096u;
const RUNNING: u32 = 0xffffffffu;

// Invocations in a full row of the dispatch: 32768 groups of 64. More of them wrap into the next row.
const ROW: u32 = 2097152u;

// The number of this invocation in the whole dispatch.
fn flat(id: vec3<u32>) -> u32 {
    return id.x + id.y * ROW;
}

// The number of this workgroup in the whole dispatch.
fn group_number(group: vec3<u32>) -> u32 {
    return group.x + group.y * (ROW / 64u);
}

// Whether x is neither infinite nor NaN; by its bits, because compilers may assume that x == x.
fn finite(x: f32) -> bool {
    return (bitcast<u32>(x) & 0x7f800000u) != 0x7f800000u;
}
