// y = f(x), f chosen by `kind`; all [batch, time, width_out]. An invocation owns one number.

@group(0) @binding(0) var<uniform> dims: Dims;
@group(0) @binding(1) var<storage, read> x: array<f32>;
@group(0) @binding(2) var<storage, read_write> y: array<f32>;
@group(0) @binding(2) var<storage, read> dy: array<f32>;
@group(0) @binding(3) var<storage, read_write> dx: array<f32>;

const SIGMOID: u32 = 0u;
const GELU: u32 = 1u;
const SILU: u32 = 2u;
const SOFTPLUS: u32 = 3u;

// y = f(x)
@compute @workgroup_size(64)
fn forward(@builtin(global_invocation_id) id: vec3<u32>) {
    let count = dims.batch * dims.time * dims.width_out;
    let i = id.z * count + flat(id);
    if flat(id) >= count {
        return;
    }
    if dims.kind == SIGMOID {
        y[i] = sigmoid(x[i]);
    } else if dims.kind == GELU {
        y[i] = x[i] * sigmoid(gelu_argument(x[i]).x);
    } else if dims.kind == SILU {
        y[i] = x[i] * sigmoid(x[i]);
    } else if dims.kind == SOFTPLUS {
        y[i] = softplus(x[i]);
    }
}

// dx = dy ⊙ f′(x)
@compute @workgroup_size(64)
fn backward(@builtin(global_invocation_id) id: vec3<u32>) {
    let count = dims.batch * dims.time * dims.width_out;
    let i = id.z * count + flat(id);
    if flat(id) >= count {
        return;
    }
    if dims.kind == SIGMOID {
        dx[i] = dy[i] * sigmoid_slope(x[i]);
    } else if dims.kind == GELU {
        let argument = gelu_argument(x[i]);
        dx[i] = dy[i] * (sigmoid(argument.x) + x[i] * sigmoid_slope(argument.x) * argument.y);
    } else if dims.kind == SILU {
        dx[i] = dy[i] * (sigmoid(x[i]) + x[i] * sigmoid_slope(x[i]));
    } else if dims.kind == SOFTPLUS {
        dx[i] = dy[i] * sigmoid(x[i]);
    }
}

// GELU in its tanh form is x σ(2a): 2a = 2 √(2/π) (x + 0.044715 x³) and its slope; past ±20 as there, where σ is 0 or 1.
fn gelu_argument(value: f32) -> vec2<f32> {
    let x = clamp(value, -20.0, 20.0);
    let z = 0.044715 * x * x;
    return 1.5957691 * vec2<f32>(x + x * z, 1.0 + 3.0 * z);
}
