import type { CharacterModel, MeshModel } from '../../src/character/model.ts';

/** Small, fast, good enough for fuzzing (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Bytes with some of them changed. */
export function mutateBytes(bytes: Uint8Array, random: () => number): Uint8Array {
  const out = bytes.slice();
  for (let i = 0; i < 1 + random() * 20; i++) {
    // whole runs of ones make NaN, and joint and vertex indices out of range
    const at = Math.floor(random() * out.length);
    if (random() < 0.5) out.fill(0xff, at, at + 4);
    else out[at] = Math.floor(random() * 256);
  }
  return out;
}

const isFinite = (values: ArrayLike<number> | undefined): boolean => every(values, Number.isFinite);
const isBelow = (values: ArrayLike<number>, limit: number): boolean => every(values, (value) => value < limit);

function every(values: ArrayLike<number> | undefined, holds: (value: number, i: number) => boolean): boolean {
  for (let i = 0; i < (values?.length ?? 0); i++) if (!holds(values![i]!, i)) return false;
  return true;
}

/** What breaks the promises of `CharacterModel`, whatever the file was; empty if nothing does. */
export function brokenPromises(model: CharacterModel): string[] {
  const broken: string[] = [];
  const promise = (holds: boolean, what: string): void => {
    if (!holds) broken.push(what);
  };
  model.joints.forEach(({ parentIndex, translation, rotation, scale }, i) => {
    promise(parentIndex < i, `joint ${i} comes after its parent`);
    promise(isFinite([...translation, ...rotation, ...scale]), `joint ${i} is finite`);
    promise(Math.abs(Math.hypot(...rotation) - 1) < 1e-5, `joint ${i} has a unit rotation`);
  });
  for (const { jointIndex, jointFromMesh } of model.bindings) {
    promise(jointIndex < model.joints.length && isFinite(jointFromMesh), 'bindings are sound');
  }
  for (const mesh of model.meshes) brokenMesh(mesh, model, promise);
  for (const { duration, tracks } of model.clips) {
    promise(Number.isFinite(duration), 'clips have a duration');
    for (const { path, targetIndex, times, values, interpolation } of tracks) {
      promise(targetIndex < (path === 'weights' ? model.morphSets : model.joints).length, 'tracks have a target');
      const width = path === 'rotation' ? 4 : path === 'weights' ? model.morphSets[targetIndex]!.weights.length : 3;
      const perKey = width * (interpolation === 'CUBICSPLINE' ? 3 : 1);
      promise(values.length === times.length * perKey && isFinite(values), 'values fit their times');
      promise(
        every(times, (time, i) => time >= 0 && (i === 0 || time > times[i - 1]!)),
        'times increase',
      );
    }
  }
  return broken;
}

function brokenMesh(mesh: MeshModel, model: CharacterModel, promise: (holds: boolean, what: string) => void): void {
  const { vertexCount, positions, normals, tangents, texcoords, colors, influences } = mesh;
  for (const values of [positions, normals, tangents, texcoords, colors])
    promise(isFinite(values), 'attributes are finite');
  promise(positions.length === 3 * vertexCount, 'there are as many positions as vertices');
  for (const target of mesh.targets) {
    promise(target.positions.length === 3 * vertexCount, 'targets have as many deltas as vertices');
    promise(isFinite(target.positions) && isFinite(target.normals) && isFinite(target.tangents), 'deltas are finite');
  }
  promise(mesh.indices.length % 3 === 0 && isBelow(mesh.indices, vertexCount), 'indices name vertices');
  promise(isBelow(mesh.vertexOfSource, vertexCount), 'source vertices have a vertex');
  const { offsets, bindings, weights } = influences;
  promise(offsets.length === vertexCount + 1 && offsets.at(-1) === weights.length, 'offsets fit');
  promise(isBelow(bindings, model.bindings.length), 'influences name bindings');
  for (let v = 0; v < vertexCount; v++) {
    const run = weights.subarray(offsets[v], offsets[v + 1]);
    const sum = run.reduce((total, weight) => total + weight, 0);
    promise(run.length < 256, 'a vertex has at most 255 influences');
    promise(
      every(run, (weight, i) => weight > 0 && (i === 0 || weight <= run[i - 1]!)),
      'weights descend',
    );
    promise(run.length === 0 || Math.abs(sum - 1) < 1e-5, 'weights sum to 1');
  }
}
