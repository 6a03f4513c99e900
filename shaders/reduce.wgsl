// Sums over the whole batch, in a fixed order. One workgroup a replica.

@group(0) @binding(0) var<uniform> dims: Dims;
@group(0) @binding(1) var<storage, read> rows: array<vec2<f32>>; // [batch, time]: Σ (ŷ − y)², Σ y²
@group(0) @binding(2) var<storage, read_write> clocks: array<Clock>;
@group(0) @binding(3) var<storage, read_write> ring: array<vec2<f32>>; // [RING]: loss, power

const LANES: u32 = 256u;
var<workgroup> partial: array<vec2<f32>, 256>;

// ring[step − 1 mod RING] = sums / (batch · time · width_out); the first that is not finite halts the clock.
@compute @workgroup_size(256)
fn loss(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3<u32>) {
    let count = dims.batch * dims.time;
    let clock = &clocks[group.z];
    var sum = vec2<f32>();
    for (var row = lane; row < count; row += LANES) {
        sum += rows[group.z * count + row];
    }
    partial[lane] = sum;
    workgroupBarrier();
    for (var width = LANES / 2u; width > 0u; width /= 2u) {
        if lane < width {
            partial[lane] += partial[lane + width];
        }
        workgroupBarrier();
    }
    if lane == 0u && (*clock).halted_at == RUNNING {
        let mean = partial[0] / (f32(dims.batch) * f32(dims.time) * f32(dims.width_out));
        ring[group.z * RING + ((*clock).step - 1u) % RING] = mean;
        if !(finite(mean.x) && finite(mean.y)) {
            (*clock).halted_at = (*clock).step;
        }
    }
}
