// The LRU's recurrence: h_t = λ ⊙ h_{t−1} + γ ⊙ u_t, h_0 = 0, λ = exp(−exp(ν) + i exp(θ)), γ = exp(γ_log).
// u, h [batch, time, 2 n] hold complex numbers in halves [re, im]; ν, θ, γ_log [n] each, at dims.weight one after another.

@group(0) @binding(0) var<uniform> dims: Dims;
@group(0) @binding(1) var<storage, read> parameters: array<f32>;
@group(0) @binding(2) var<storage, read> u: array<f32>;
@group(0) @binding(3) var<storage, read_write> h: array<f32>;
@group(0) @binding(3) var<storage, read> past_h: array<f32>; // h, on the way back
@group(0) @binding(4) var<storage, read> dh: array<f32>;
@group(0) @binding(5) var<storage, read_write> du: array<f32>;
@group(0) @binding(6) var<storage, read_write> gradients: array<f32>; // [splits, parameters]

// An invocation owns a channel of a sequence.
@compute @workgroup_size(64)
fn forward(@builtin(global_invocation_id) id: vec3<u32>) {
    let n = dims.width_out;
    let sequence = flat(id) / n;
    let channel = flat(id) % n;
    if sequence >= dims.batch {
        return;
    }
    let own = channel_of(id.z * dims.parameters + dims.weight + channel);
    let first = (id.z * dims.batch + sequence) * dims.time * 2u * n;
    let end = first + dims.time * 2u * n;
    var state = vec2<f32>();
    for (var at = first + channel; at < end; at += 2u * n) {
        state = product(own.lambda, state) + own.gamma * vec2<f32>(u[at], u[at + n]);
        h[at] = state.x;
        h[at + n] = state.y;
    }
}

// s_t = dh_t + λ̄ s_{t+1}, du_t = γ s_t; dγ_log = γ Σ Re(s̄_t u_t), and with D = Σ s_{t+1} h̄_t: dν = −exp(ν) Re(D̄ λ), dθ = exp(θ) Im(D λ̄).
// An invocation owns a channel of a split's sequences.
@compute @workgroup_size(64)
fn backward(@builtin(global_invocation_id) id: vec3<u32>) {
    let n = dims.width_out;
    let split = flat(id) / n;
    let channel = flat(id) % n;
    if split >= dims.splits {
        return;
    }
    let own = channel_of(id.z * dims.parameters + dims.weight + channel);
    let first = id.z * dims.batch;
    let end = first + (split + 1u) * dims.batch / dims.splits;
    var outer = vec2<f32>();
    var inner = 0.0;
    for (var sequence = first + split * dims.batch / dims.splits; sequence < end; sequence++) {
        var later = vec2<f32>(); // s_{t+1}
        var at = (sequence + 1u) * dims.time * 2u * n + channel;
        for (var t = dims.time; t > 0u; t--) {
            at -= 2u * n;
            outer += product(later, vec2<f32>(past_h[at], -past_h[at + n]));
            later = vec2<f32>(dh[at], dh[at + n]) + product(vec2<f32>(own.lambda.x, -own.lambda.y), later);
            inner += dot(later, vec2<f32>(u[at], u[at + n]));
            du[at] = own.gamma * later.x;
            du[at + n] = own.gamma * later.y;
        }
    }
    let weight = (id.z * dims.splits + split) * dims.parameters + dims.weight + channel;
    gradients[weight] = -own.rate * dot(outer, own.lambda);
    gradients[weight + n] = own.phase * (outer.y * own.lambda.x - outer.x * own.lambda.y);
    gradients[weight + 2u * n] = own.gamma * inner;
}

struct Channel {
    lambda: vec2<f32>,
    rate: f32,
    phase: f32,
    gamma: f32,
}

fn channel_of(weight: u32) -> Channel {
    let rate = exp(parameters[weight]);
    let phase = exp(parameters[weight + dims.width_out]);
    let turned = sin_cos_turns(fract(phase * 0.15915494));
    return Channel(exp(-rate) * turned.yx, rate, phase, exp(parameters[weight + 2u * dims.width_out]));
}

fn product(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
    return vec2<f32>(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
