// AdamW with decoupled weight decay on the sum of the splits' gradients, all [parameters]:
//   g ← g / (1 + excess)
//   m ← m + (1 − β₁)(g − m),  v ← v + (1 − β₂)(g² − v),  m̂ = m / (1 − Π β₁),  v̂ = v / (1 − Π β₂)
//   p ← p − rate · (m̂ / (√v̂ + ε) + decay · mask · p)
// An invocation owns one parameter. A run that has halted keeps its parameters.

@group(0) @binding(0) var<uniform> dims: Dims;
@group(0) @binding(1) var<storage, read> clocks: array<Clock>;
@group(0) @binding(2) var<storage, read> decay_mask: array<f32>;
@group(0) @binding(3) var<storage, read> gradients: array<f32>; // [splits, parameters]
@group(0) @binding(4) var<storage, read_write> parameters: array<f32>;
@group(0) @binding(5) var<storage, read_write> first_moment: array<f32>;
@group(0) @binding(6) var<storage, read_write> second_moment: array<f32>;

@compute @workgroup_size(64)
fn update(@builtin(global_invocation_id) id: vec3<u32>) {
    let clock = &clocks[id.z];
    if flat(id) >= dims.parameters || (*clock).halted_at != RUNNING {
        return;
    }
    let i = id.z * dims.parameters + flat(id);
    var g = 0.0;
    for (var split = 0u; split < dims.splits; split++) {
        g += gradients[(id.z * dims.splits + split) * dims.parameters + flat(id)];
    }
    g /= 1.0 + (*clock).excess;
    let m = first_moment[i] + (*clock).one_minus_beta1 * (g - first_moment[i]);
    let v = second_moment[i] + (*clock).one_minus_beta2 * (g * g - second_moment[i]);
    let p = parameters[i];
    let step = (m / (*clock).correction1) / (sqrt(v / (*clock).correction2) + (*clock).epsilon);
    first_moment[i] = m;
    second_moment[i] = v;
    parameters[i] = p - (*clock).rate * (step + (*clock).decay * decay_mask[i] * p);
}
