// The next step: its number, learning rate, weight decay, 1 − β₂ and AdamW's bias corrections.
//   rate  = peak_rate · min(step / warmup, 1) · rate_curve(steps done)
//   decay = base_decay · decay_curve(steps done)
//   c ← c β + (1 − β) for both moments: 1 − Π β without cancellation
// A run that has halted stays at its step. One invocation a replica.

@group(0) @binding(0) var<uniform> dims: Dims;
@group(0) @binding(1) var<storage, read_write> clocks: array<Clock>;

@compute @workgroup_size(1)
fn advance(@builtin(workgroup_id) group: vec3<u32>) {
    var clock = clocks[group.z];
    if clock.halted_at != RUNNING {
        return;
    }
    let done = f32(clock.step);
    let step = clock.step + 1u;
    clock.step = step;
    var warm = 1.0;
    if step < clock.warmup {
        warm = f32(step) / f32(clock.warmup);
    }
    clock.rate = clock.peak_rate * warm * curve_at(clock.rate_curve, done);
    clock.decay = clock.base_decay * curve_at(clock.decay_curve, done);
    let beta1 = 1.0 - clock.one_minus_beta1;
    let one_minus_beta2 = curve_at(clock.beta2_curve, done);
    clock.one_minus_beta2 = one_minus_beta2;
    clock.correction1 = clock.correction1 * beta1 + clock.one_minus_beta1;
    clock.correction2 = clock.correction2 * (1.0 - one_minus_beta2) + one_minus_beta2;
    clocks[group.z] = clock;
}

// The curve's value after `done` steps: linear between knots, or half a cosine.
fn curve_at(given: Curve, done: f32) -> f32 {
    var curve = given;
    var passed = 0u;
    while passed < min(curve.count, 8u) && curve.at[passed] <= done {
        passed += 1u;
    }
    if passed == 0u || passed == curve.count {
        return curve.value[max(passed, 1u) - 1u];
    }
    let start = curve.at[passed - 1u];
    let start_value = curve.value[passed - 1u];
    var part = (done - start) / (curve.at[passed] - start);
    if curve.cosine == 1u {
        part = 0.5 - 0.5 * sin_cos_turns(0.5 * part).y;
    }
    return start_value + (curve.value[passed] - start_value) * part;
}
