// Linear self-attention of a fixed teacher:
//   y_t = W_V Σ_{s≤t} x_s (x_s · W_Kᵀ W_Q x_t)
// teacher [2, d, d]: W_V, then W_Kᵀ W_Q. An invocation owns one row (sequence, t).

@group(0) @binding(0) var<uniform> dims: Dims;
@group(0) @binding(1) var<storage, read> x: array<f32>; // [batch, time, d]
@group(0) @binding(2) var<storage, read> teacher: array<f32>; // [2, d, d]
@group(0) @binding(3) var<storage, read_write> y: array<f32>; // [batch, time, d]

// Room for a query and a sum of values; backend/gpu refuses a larger d.
const MAX_DIM: u32 = 64u;

@compute @workgroup_size(64)
fn forward(@builtin(global_invocation_id) id: vec3<u32>) {
    let row = flat(id);
    if row >= dims.batch * dims.time {
        return;
    }
    let d = min(dims.width_in, MAX_DIM);
    let now = (id.z * dims.batch * dims.time + row) * d;
    let own = id.z * 2u * d * d;
    var query: array<f32, 64>; // W_Kᵀ W_Q x_t
    var read: array<f32, 64>; // Σ_{s≤t} x_s (x_s · query)
    for (var i = 0u; i < d; i++) {
        var sum = 0.0;
        for (var j = 0u; j < d; j++) {
            sum = fma(teacher[own + (d + i) * d + j], x[now + j], sum);
        }
        query[i] = sum;
        read[i] = 0.0;
    }
    for (var s = now - (row % dims.time) * d; s <= now; s += d) {
        var score = 0.0;
        for (var i = 0u; i < d; i++) {
            score = fma(x[s + i], query[i], score);
        }
        for (var i = 0u; i < d; i++) {
            read[i] = fma(x[s + i], score, read[i]);
        }
    }
    for (var i = 0u; i < d; i++) {
        var sum = 0.0;
        for (var j = 0u; j < d; j++) {
            sum = fma(teacher[own + i * d + j], read[j], sum);
        }
        y[now + i] = sum;
    }
}
