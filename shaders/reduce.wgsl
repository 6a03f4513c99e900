// Sums over the whole batch, in a fixed order. One workgroup a replica.

@group(0) @binding(0) var<uniform> dims: Dims;
@group(0) @binding(1) var<storage, read> rows: array<vec2<f32>>; // [batch, time]: Σ (ŷ − y)², Σ y²
@group(0) @binding(2) var<storage, read_write> clocks: array<Clock>;
@group(0) @binding(3) var<storage, read_write> ring: array<vec2<f32>>; // [RING]: loss, power
@group(0) @binding(1) var<storage, read> gradients: array<f32>; // [splits, parameters]

const LANES: u32 = 256u;
var<workgroup> partial: array<vec2<f32>, 256>;

// partial[0] = Σ over the lanes.
fn sum_up(lane: u32, own: vec2<f32>) {
    partial[lane] = own;
    workgroupBarrier();
    for (var width = LANES / 2u; width > 0u; width /= 2u) {
        if lane < width {
            partial[lane] += partial[lane + width];
        }
        workgroupBarrier();
    }
}

// ring[step − 1 mod RING] = sums / (batch · time · width_out); the first that is not finite halts the clock.
@compute @workgroup_size(256)
fn loss(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let count = dims.batch * dims.time;
    let clock = &clocks[group.z];
    var sum = vec2<f32>();
    for (var row = lane; row < count; row += LANES) {
        sum += rows[group.z * count + row];
    }
    sum_up(lane, sum);
    if lane == 0u && (*clock).halted_at == RUNNING {
        let mean = partial[0] / (f32(dims.batch) * f32(dims.time) * f32(dims.width_out));
        ring[group.z * RING + ((*clock).step - 1u) % RING] = mean;
        if !(finite(mean.x) && finite(mean.y)) {
            (*clock).halted_at = (*clock).step;
        }
    }
}

// excess = ‖gradients‖ / clip − 1, at least 0.
@compute @workgroup_size(256)
fn gradient(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let clock = &clocks[group.z];
    var squares = 0.0;
    for (var i = lane; i < dims.parameters; i += LANES) {
        var g = 0.0;
        for (var split = 0u; split < dims.splits; split++) {
            g += gradients[(group.z * dims.splits + split) * dims.parameters + i];
        }
        squares += g * g;
    }
    sum_up(lane, vec2(squares, 0.0));
    if lane == 0u {
        (*clock).excess = max(sqrt(partial[0].x) / (*clock).clip - 1.0, 0.0);
    }
}
