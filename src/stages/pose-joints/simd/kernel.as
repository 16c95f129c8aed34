// AssemblyScript: `npm run simd` compiles it to code.gen.ts. Poses of one character after the other, four lanes at once.
//
// A group is four lanes. Their numbers lie by component: four x, four y and so on, 16 bytes each. A pose or a rest pose has the rotations of all
// groups (x y z w, 64 bytes each), then translations (48 bytes each), then scales (48). A row of a clip has rotations as a pose has, then 16
// bytes per vector that the clip moves: x, y, z, and 1 (0 in rows of rates). So the last component of a weighted sum is the weight that covers it.
//
// A list says what a motion moves: 16 bytes with the number of groups and of vectors; per group 32 bytes, four weights of 0 or 1 and the
// offset of its rotations; per vector 8 bytes, its offset in a row and its number: 2 × lane, and 1 more for a scale.

// the skeleton of `begin`, see SimdSkeleton
let groups: u32 = 0;
let jointCount: u32 = 0;
let entryCount: u32 = 0;
/** Offset of the parent's matrix, 4 bytes per joint. */
let parents: usize = 0;
/** Per entry of the palette 64 bytes: 48 of its matrix, then the offset of the joint's. */
let binds: usize = 0;
let pose: usize = 0;
/** Sums of a layer: rotations as a pose has them, then covered weights (16 bytes a group). */
let sums: usize = 0;
/** Sums of vectors, 16 bytes each: by number. Zero between layers. */
let vectorSums: usize = 0;
/** Numbers of the vectors that a layer has moved. */
let moved: usize = 0;
let movedEnd: usize = 0;
/** Matrices of three rows, 48 bytes each: the identity, which is the parent of roots, then joints. */
let models: usize = 0;
/** Matrices of four joints, relative to their parents. */
let locals: usize = 0;
/** True once the layer has sums. */
let isUsed: bool = false;

/** Begins a character at rest. */
export function begin(skeleton: usize): void {
  groups = load<u32>(skeleton);
  jointCount = load<u32>(skeleton, 4);
  entryCount = load<u32>(skeleton, 8);
  const rest: usize = load<u32>(skeleton, 12);
  parents = load<u32>(skeleton, 16);
  binds = load<u32>(skeleton, 20);
  pose = load<u32>(skeleton, 24);
  sums = load<u32>(skeleton, 28);
  vectorSums = load<u32>(skeleton, 32);
  moved = load<u32>(skeleton, 36);
  models = load<u32>(skeleton, 40);
  locals = load<u32>(skeleton, 44);
  movedEnd = moved;
  isUsed = false;
  memory.copy(pose, rest, groups * 160);
}

/** Adds a motion in sampled form. As `addBent` of layer-sums.ts. @param a Row before the phase. @param b Row after it. */
export function addSampled(list: usize, a: usize, b: usize, f: f32, bend: f32, weight: f32): void {
  use();
  const end = endOfGroups(list);
  const f4 = f32x4.splat(f);
  const bend4 = f32x4.splat(bend);
  const weight4 = f32x4.splat(weight);
  for (let entry = list + 16; entry < end; entry += 32) {
    const at: usize = load<u32>(entry, 16);
    const x0 = v128.load(a + at);
    const y0 = v128.load(a + at, 16);
    const z0 = v128.load(a + at, 32);
    const w0 = v128.load(a + at, 48);
    const dx = f32x4.sub(v128.load(b + at), x0);
    const dy = f32x4.sub(v128.load(b + at, 16), y0);
    const dz = f32x4.sub(v128.load(b + at, 32), z0);
    const dw = f32x4.sub(v128.load(b + at, 48), w0);
    const bent = f32x4.add(f4, f32x4.mul(bend4, dot(dx, dy, dz, dw, dx, dy, dz, dw)));
    const x = f32x4.add(x0, f32x4.mul(dx, bent));
    const y = f32x4.add(y0, f32x4.mul(dy, bent));
    const z = f32x4.add(z0, f32x4.mul(dz, bent));
    const w = f32x4.add(w0, f32x4.mul(dw, bent));
    addRotations(at, x, y, z, w, f32x4.mul(weight4, v128.load(entry)));
  }
  for (let entry = end, last = endOfVectors(list, end); entry < last; entry += 8) {
    const at: usize = load<u32>(entry);
    const v = v128.load(a + at);
    addVector(load<u32>(entry, 4), f32x4.add(v, f32x4.mul(f32x4.sub(v128.load(b + at), v), f4)), weight);
  }
}

/** Adds a motion in packed form, by Hermite's sum of values and rates. @param rateA Row of rates; 0: b2 and b3 are 0, too. */
export function addPacked(
  list: usize,
  a: usize,
  b: usize,
  rateA: usize,
  rateB: usize,
  b0: f32,
  b1: f32,
  b2: f32,
  b3: f32,
  weight: f32,
): void {
  use();
  const end = endOfGroups(list);
  const f0 = f32x4.splat(b0);
  const f1 = f32x4.splat(b1);
  const f2 = f32x4.splat(b2);
  const f3 = f32x4.splat(b3);
  const weight4 = f32x4.splat(weight);
  for (let entry = list + 16; entry < end; entry += 32) {
    const at: usize = load<u32>(entry, 16);
    const x0 = v128.load(a + at);
    const y0 = v128.load(a + at, 16);
    const z0 = v128.load(a + at, 32);
    const w0 = v128.load(a + at, 48);
    let x = f32x4.mul(x0, f0);
    let y = f32x4.mul(y0, f0);
    let z = f32x4.mul(z0, f0);
    let w = f32x4.mul(w0, f0);
    const x1 = v128.load(b + at);
    const y1 = v128.load(b + at, 16);
    const z1 = v128.load(b + at, 32);
    const w1 = v128.load(b + at, 48);
    const sign = signOf(dot(x0, y0, z0, w0, x1, y1, z1, w1));
    const near = v128.xor(f1, sign);
    x = f32x4.add(x, f32x4.mul(x1, near));
    y = f32x4.add(y, f32x4.mul(y1, near));
    z = f32x4.add(z, f32x4.mul(z1, near));
    w = f32x4.add(w, f32x4.mul(w1, near));
    if (rateA) {
      let ox = f32x4.mul(v128.load(rateA + at), f2);
      let oy = f32x4.mul(v128.load(rateA + at, 16), f2);
      let oz = f32x4.mul(v128.load(rateA + at, 32), f2);
      x = f32x4.add(x, across(w0, ox, y0, oz, z0, oy));
      y = f32x4.add(y, across(w0, oy, z0, ox, x0, oz));
      z = f32x4.add(z, across(w0, oz, x0, oy, y0, ox));
      w = f32x4.sub(w, dot3(x0, y0, z0, ox, oy, oz));
      const turn = v128.xor(f3, sign);
      ox = f32x4.mul(v128.load(rateB + at), turn);
      oy = f32x4.mul(v128.load(rateB + at, 16), turn);
      oz = f32x4.mul(v128.load(rateB + at, 32), turn);
      x = f32x4.add(x, across(w1, ox, y1, oz, z1, oy));
      y = f32x4.add(y, across(w1, oy, z1, ox, x1, oz));
      z = f32x4.add(z, across(w1, oz, x1, oy, y1, ox));
      w = f32x4.sub(w, dot3(x1, y1, z1, ox, oy, oz));
    }
    addRotations(at, x, y, z, w, f32x4.mul(weight4, v128.load(entry)));
  }
  for (let entry = end, last = endOfVectors(list, end); entry < last; entry += 8) {
    const at: usize = load<u32>(entry);
    let v = f32x4.add(f32x4.mul(v128.load(a + at), f0), f32x4.mul(v128.load(b + at), f1));
    if (rateA) v = f32x4.add(v, f32x4.add(f32x4.mul(v128.load(rateA + at), f2), f32x4.mul(v128.load(rateB + at), f3)));
    addVector(load<u32>(entry, 4), f32x4.replace_lane(v, 3, 1), weight);
  }
}

/** Applies the layer's sums to what lies below. @param mask Weights of lanes, 16 bytes a group; 0: none. */
export function finish(isAdditive: bool, weight: f32, mask: usize): void {
  if (!isUsed) return;
  isUsed = false;
  const covered = sums + groups * 64;
  for (let g: u32 = 0; g < groups; g++) {
    let share = f32x4.mul(f32x4.splat(weight), f32x4.min(f32x4.splat(1), v128.load(covered + g * 16)));
    if (mask) share = f32x4.mul(share, v128.load(mask + g * 16));
    if (v128.any_true(f32x4.gt(share, f32x4.splat(0)))) finishGroup(g * 64, share, isAdditive);
  }
  for (let at = moved; at < movedEnd; at += 4) finishVector(load<u32>(at), isAdditive, weight, mask);
  movedEnd = moved;
}

function finishGroup(at: usize, share: v128, isAdditive: bool): void {
  const s = sums + at;
  const p = pose + at;
  const one = f32x4.splat(1);
  let x = v128.load(s);
  let y = v128.load(s, 16);
  let z = v128.load(s, 32);
  let w = v128.load(s, 48);
  const square = dot(x, y, z, w, x, y, z, w);
  // rotations that cancel out become the identity
  const isNone = f32x4.lt(square, f32x4.splat(TINY));
  const scale = v128.andnot(f32x4.div(one, f32x4.sqrt(square)), isNone);
  x = f32x4.mul(x, scale);
  y = f32x4.mul(y, scale);
  z = f32x4.mul(z, scale);
  w = v128.bitselect(one, f32x4.mul(w, scale), isNone);
  const px = v128.load(p);
  const py = v128.load(p, 16);
  const pz = v128.load(p, 32);
  const pw = v128.load(p, 48);
  const left = f32x4.sub(one, share);
  if (isAdditive) {
    const factor = v128.xor(share, signOf(w));
    x = f32x4.mul(x, factor);
    y = f32x4.mul(y, factor);
    z = f32x4.mul(z, factor);
    w = f32x4.add(f32x4.mul(w, factor), left);
    const qx = f32x4.add(f32x4.mul(pw, x), across(px, w, py, z, pz, y));
    const qy = f32x4.add(f32x4.mul(pw, y), across(py, w, pz, x, px, z));
    const qz = f32x4.add(f32x4.mul(pw, z), across(pz, w, px, y, py, x));
    w = f32x4.sub(f32x4.mul(pw, w), dot3(px, py, pz, x, y, z));
    x = qx;
    y = qy;
    z = qz;
  } else {
    const kept = v128.xor(left, signOf(dot(px, py, pz, pw, x, y, z, w)));
    x = f32x4.add(f32x4.mul(px, kept), f32x4.mul(x, share));
    y = f32x4.add(f32x4.mul(py, kept), f32x4.mul(y, share));
    z = f32x4.add(f32x4.mul(pz, kept), f32x4.mul(z, share));
    w = f32x4.add(f32x4.mul(pw, kept), f32x4.mul(w, share));
  }
  const length = f32x4.sqrt(f32x4.max(dot(x, y, z, w, x, y, z, w), f32x4.splat(TINY)));
  const unit = f32x4.div(one, length);
  const isShown = f32x4.gt(share, f32x4.splat(0));
  v128.store(p, v128.bitselect(f32x4.mul(x, unit), px, isShown));
  v128.store(p, v128.bitselect(f32x4.mul(y, unit), py, isShown), 16);
  v128.store(p, v128.bitselect(f32x4.mul(z, unit), pz, isShown), 32);
  v128.store(p, v128.bitselect(f32x4.mul(w, unit), pw, isShown), 48);
}

function finishVector(number: u32, isAdditive: bool, weight: f32, mask: usize): void {
  const s = vectorSums + (number << 4);
  const sum = v128.load(s);
  v128.store(s, f32x4.splat(0));
  const lane: usize = number >> 1;
  const isScale = (number & 1) === 1;
  const covered = f32x4.extract_lane(sum, 3);
  const shown = weight * min<f32>(1, covered) * (mask ? load<f32>(mask + lane * 4) : 1);
  if (shown <= 0) return;
  const v = f32x4.div(sum, f32x4.splat(covered));
  const at = pose + groups * (isScale ? 112 : 64) + (lane >> 2) * 48 + (lane & 3) * 4;
  mix(at, f32x4.extract_lane(v, 0), shown, isAdditive, isScale);
  mix(at + 16, f32x4.extract_lane(v, 1), shown, isAdditive, isScale);
  mix(at + 32, f32x4.extract_lane(v, 2), shown, isAdditive, isScale);
}

function mix(at: usize, value: f32, shown: f32, isAdditive: bool, isScale: bool): void {
  const old = load<f32>(at);
  if (!isAdditive) store<f32>(at, old * (1 - shown) + value * shown);
  else if (isScale) store<f32>(at, old * (1 + (value - 1) * shown));
  else store<f32>(at, old + value * shown);
}

/** Composes the hierarchy, and writes the palette: 48 bytes per entry. */
export function write(palette: usize): void {
  let to = models + 48;
  let parent = parents;
  let left = jointCount;
  for (let g: u32 = 0; left > 0; g++) {
    writeLocals(pose + g * 64, pose + groups * 64 + g * 48, pose + groups * 112 + g * 48);
    const count = min<u32>(4, left);
    left -= count;
    for (let local = locals, end = locals + count * 48; local < end; local += 48, parent += 4, to += 48) {
      multiply(models + load<u32>(parent), local, to);
    }
  }
  for (let bind = binds, end = binds + entryCount * 64; bind < end; bind += 64, palette += 48) {
    multiply(models + load<u32>(bind, 48), bind, palette);
  }
}

/** Matrices of four joints from rotations, translations and scales. */
@inline function writeLocals(rotations: usize, translations: usize, scales: usize): void {
  const one = f32x4.splat(1);
  const x = v128.load(rotations);
  const y = v128.load(rotations, 16);
  const z = v128.load(rotations, 32);
  const w = v128.load(rotations, 48);
  const sx = v128.load(scales);
  const sy = v128.load(scales, 16);
  const sz = v128.load(scales, 32);
  const x2 = f32x4.add(x, x);
  const y2 = f32x4.add(y, y);
  const z2 = f32x4.add(z, z);
  const xx = f32x4.mul(x, x2);
  const yy = f32x4.mul(y, y2);
  const zz = f32x4.mul(z, z2);
  const xy = f32x4.mul(x, y2);
  const xz = f32x4.mul(x, z2);
  const yz = f32x4.mul(y, z2);
  const wx = f32x4.mul(w, x2);
  const wy = f32x4.mul(w, y2);
  const wz = f32x4.mul(w, z2);
  writeRows(
    locals,
    f32x4.mul(f32x4.sub(one, f32x4.add(yy, zz)), sx),
    f32x4.mul(f32x4.sub(xy, wz), sy),
    f32x4.mul(f32x4.add(xz, wy), sz),
    v128.load(translations),
  );
  writeRows(
    locals + 16,
    f32x4.mul(f32x4.add(xy, wz), sx),
    f32x4.mul(f32x4.sub(one, f32x4.add(xx, zz)), sy),
    f32x4.mul(f32x4.sub(yz, wx), sz),
    v128.load(translations, 16),
  );
  writeRows(
    locals + 32,
    f32x4.mul(f32x4.sub(xz, wy), sx),
    f32x4.mul(f32x4.add(yz, wx), sy),
    f32x4.mul(f32x4.sub(one, f32x4.add(xx, yy)), sz),
    v128.load(translations, 32),
  );
}

/** A row of four matrices, from its four columns. */
@inline function writeRows(to: usize, a: v128, b: v128, c: v128, d: v128): void {
  const ab01 = v128.shuffle<f32>(a, b, 0, 4, 1, 5);
  const ab23 = v128.shuffle<f32>(a, b, 2, 6, 3, 7);
  const cd01 = v128.shuffle<f32>(c, d, 0, 4, 1, 5);
  const cd23 = v128.shuffle<f32>(c, d, 2, 6, 3, 7);
  v128.store(to, v128.shuffle<f32>(ab01, cd01, 0, 1, 4, 5));
  v128.store(to, v128.shuffle<f32>(ab01, cd01, 2, 3, 6, 7), 48);
  v128.store(to, v128.shuffle<f32>(ab23, cd23, 0, 1, 4, 5), 96);
  v128.store(to, v128.shuffle<f32>(ab23, cd23, 2, 3, 6, 7), 144);
}

/** to = a × b: matrices of three rows. The fourth is 0 0 0 1. */
@inline function multiply(a: usize, b: usize, to: usize): void {
  const b0 = v128.load(b);
  const b1 = v128.load(b, 16);
  const b2 = v128.load(b, 32);
  v128.store(to, rowTimes(v128.load(a), b0, b1, b2));
  v128.store(to, rowTimes(v128.load(a, 16), b0, b1, b2), 16);
  v128.store(to, rowTimes(v128.load(a, 32), b0, b1, b2), 32);
}

@inline function rowTimes(a: v128, b0: v128, b1: v128, b2: v128): v128 {
  const first = f32x4.mul(v128.shuffle<f32>(a, a, 0, 0, 0, 0), b0);
  const second = f32x4.mul(v128.shuffle<f32>(a, a, 1, 1, 1, 1), b1);
  const third = f32x4.mul(v128.shuffle<f32>(a, a, 2, 2, 2, 2), b2);
  return f32x4.add(f32x4.add(first, second), f32x4.add(third, v128.and(a, i32x4(0, 0, 0, -1))));
}

/** Squares of lengths below it are those of numbers without meaning. */
const TINY: f32 = 1e-30;

/** Sums of the layer begin at zero. */
@inline function use(): void {
  if (!isUsed) memory.fill(sums, 0, groups * 80);
  isUsed = true;
}

@inline function endOfGroups(list: usize): usize {
  return list + 16 + load<u32>(list) * 32;
}

@inline function endOfVectors(list: usize, first: usize): usize {
  return first + load<u32>(list, 4) * 8;
}

/** Both signs are one rotation, and the one in the hemisphere of the sum counts. @param weight Of each lane. */
@inline function addRotations(at: usize, x: v128, y: v128, z: v128, w: v128, weight: v128): void {
  const s = sums + at;
  const sx = v128.load(s);
  const sy = v128.load(s, 16);
  const sz = v128.load(s, 32);
  const sw = v128.load(s, 48);
  const length = f32x4.sqrt(f32x4.max(dot(x, y, z, w, x, y, z, w), f32x4.splat(TINY)));
  const share = v128.xor(f32x4.div(weight, length), signOf(dot(x, y, z, w, sx, sy, sz, sw)));
  v128.store(s, f32x4.add(sx, f32x4.mul(x, share)));
  v128.store(s, f32x4.add(sy, f32x4.mul(y, share)), 16);
  v128.store(s, f32x4.add(sz, f32x4.mul(z, share)), 32);
  v128.store(s, f32x4.add(sw, f32x4.mul(w, share)), 48);
  const covered = sums + groups * 64 + (at >> 2);
  v128.store(covered, f32x4.add(v128.load(covered), weight));
}

@inline function addVector(number: u32, value: v128, weight: f32): void {
  const s = vectorSums + (number << 4);
  const sum = v128.load(s);
  if (f32x4.extract_lane(sum, 3) === 0 && weight > 0) {
    store<u32>(movedEnd, number);
    movedEnd += 4;
  }
  v128.store(s, f32x4.add(sum, f32x4.mul(value, f32x4.splat(weight))));
}

@inline function dot(x: v128, y: v128, z: v128, w: v128, a: v128, b: v128, c: v128, d: v128): v128 {
  return f32x4.add(f32x4.add(f32x4.mul(x, a), f32x4.mul(y, b)), f32x4.add(f32x4.mul(z, c), f32x4.mul(w, d)));
}

@inline function dot3(x: v128, y: v128, z: v128, a: v128, b: v128, c: v128): v128 {
  return f32x4.add(f32x4.add(f32x4.mul(x, a), f32x4.mul(y, b)), f32x4.mul(z, c));
}

/** a × b + c × d − e × f. */
@inline function across(a: v128, b: v128, c: v128, d: v128, e: v128, f: v128): v128 {
  return f32x4.sub(f32x4.add(f32x4.mul(a, b), f32x4.mul(c, d)), f32x4.mul(e, f));
}

/** The bits of four signs. */
@inline function signOf(v: v128): v128 {
  return v128.and(v, i32x4.splat(0x80000000));
}
