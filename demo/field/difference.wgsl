// How far apart two pictures are, in codes: as a picture, and in figures. Both hold sRGB codes, read as they are.
@group(0) @binding(0) var kernels: texture_2d<f32>;
@group(0) @binding(1) var twins: texture_2d<f32>;
@group(0) @binding(2) var<storage, read_write> sums: Sums;

struct Sums {
  differing: atomic<u32>,
  most: atomic<u32>,
  low: atomic<u32>,
  high: atomic<u32>,
}

/** Times which differences are shown. */
const GAIN = 8.0;

@vertex
fn corner(@builtin(vertex_index) index: u32) -> @builtin(position) vec4f {
  return vec4f(select(-1.0, 3.0, index == 1u), select(-1.0, 3.0, index == 2u), 0.0, 1.0);
}

fn linear(code: vec3f) -> vec3f {
  return select(pow((code + 0.055) / 1.055, vec3f(2.4)), code / 12.92, code <= vec3f(0.04045));
}

// True if the target stores codes of sRGB as they are.
override storesCodes: bool = false;

/** A faint grey picture, to know one's way about, and over it what differs, eightfold. */
@fragment
fn show(@builtin(position) at: vec4f) -> @location(0) vec4f {
  let a = textureLoad(kernels, vec2u(at.xy), 0).rgb;
  let b = textureLoad(twins, vec2u(at.xy), 0).rgb;
  let grey = 0.22 * dot(a, vec3f(0.3, 0.59, 0.11));
  let codes = min(vec3f(grey) + GAIN * abs(a - b), vec3f(1.0));
  return vec4f(select(linear(codes), codes, storesCodes), 1.0);
}

@compute @workgroup_size(8, 8)
fn measure(@builtin(global_invocation_id) id: vec3u) {
  if (any(id.xy >= textureDimensions(kernels))) {
    return;
  }
  let a = textureLoad(kernels, id.xy, 0).rgb;
  let b = textureLoad(twins, id.xy, 0).rgb;
  let codes = vec3u(round(255.0 * abs(a - b)));
  let sum = codes.x + codes.y + codes.z;
  if (sum == 0u) {
    return;
  }
  atomicAdd(&sums.differing, 1u);
  atomicMax(&sums.most, max(codes.x, max(codes.y, codes.z)));
  let before = atomicAdd(&sums.low, sum);
  if (before + sum < before) {
    atomicAdd(&sums.high, 1u);
  }
}
