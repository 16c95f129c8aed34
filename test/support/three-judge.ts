import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { MeshoptDecoder } from 'meshoptimizer/decoder';
import { AnimationMixer, LoopOnce, type Mesh, type Object3D, Texture, Vector3 } from 'three';
import { type GLTF, GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { pose, type PoseOptions } from '../../src/cli/actions/pose.ts';
import type { PoseError, ReferencedFile } from './references.ts';
import { shared } from './setup.ts';

/**
 * Files that three.js shows otherwise than glTF says, or cannot be asked about here. All others of the collection agree
 * with it.
 */
export const NOT_JUDGED: Readonly<Record<string, string>> = {
  'basics/SimpleSkin.gltf':
    'rotation keys have three digits (lengths 0.99985 and 1.00023); three.js normalises neither them nor what it ' +
    'interpolates between them, and makes a matrix of it that is no rotation',
  'characters/astronaut-bee-draco.glb': 'the Draco decoder of three.js runs in a browser’s worker',
  'creatures/bee.glb': 'twelve vertices have NaN weights, which three.js passes on to their positions',
  'derived/fox-joints1-split.glb': 'three.js reads no influences beyond JOINTS_0, and half of them stand in JOINTS_1',
  'derived/horse-8influences.glb': 'three.js reads no influences beyond JOINTS_0, and vertices have up to eight',
};

/** Shares of a clip's duration: its start, times that fall between keys, and its end. */
const MOMENTS = [0, 0.137, 0.413, 0.789, 1];

/** Clips that are played of a file that has more: the first, the middle and the last one. */
const CLIPS = 3;

/**
 * Plays a file in three.js and as `maniple pose`, and measures the distances of all vertices in glTF world space.
 * three.js computes in double precision, from the file's own keys.
 */
export async function judge(
  { file, size }: ReferencedFile,
  options: Omit<PoseOptions, 'clip' | 'time'>,
  device?: GPUDevice,
): Promise<PoseError> {
  const theirs = await loadWithThree(path.join(shared, 'assets', file));
  const last = theirs.animations.length - 1;
  const clips = new Set(Array.from({ length: CLIPS }, (_, i) => Math.round((last * i) / (CLIPS - 1))));
  const moments = Array.from(clips).flatMap((clip) =>
    MOMENTS.map((share) => ({ clip, time: share * theirs.animations[clip]!.duration })),
  );
  const asked = {
    ...options,
    clip: moments.map(({ clip }) => String(clip)),
    time: moments.map(({ time }) => time),
  };
  const poses = await pose(path.join(shared, 'assets', file), asked, device);
  const player = new Player(theirs);
  let [worst, sum, points] = [0, 0, 0];
  moments.forEach(({ clip, time }, i) => {
    player.show(clip, time);
    const { meshes } = poses[i]!;
    if (meshes.length !== player.meshCount)
      throw new Error(`${meshes.length} meshes, three.js has ${player.meshCount}`);
    for (const { nodeIndex, primitive, positions } of meshes) {
      const expected = player.positions(nodeIndex, primitive);
      if (expected.length !== positions.length) throw new Error(`node ${nodeIndex}: three.js has other vertices`);
      for (let at = 0; at < positions.length; at += 3) {
        const distance = Math.hypot(...[0, 1, 2].map((c) => positions[at + c]! - expected[at + c]!)) / size;
        worst = Math.max(worst, distance);
        sum += distance;
        points++;
      }
    }
  });
  return { worst, mean: sum / points, points };
}

/** Loads a file with three's own loader. Nothing is drawn here, so every texture is an empty one. */
export async function loadWithThree(file: string): Promise<GLTF> {
  const loader = new GLTFLoader();
  loader.setMeshoptDecoder(MeshoptDecoder);
  loader.register(() => ({ name: 'empty textures', loadTexture: () => Promise.resolve(new Texture()) }));
  const bytes = await readFile(file);
  return loader.parseAsync(
    file.endsWith('.gltf') ? await withBuffers(bytes, path.dirname(file)) : toArrayBuffer(bytes),
    '',
  );
}

/** A .gltf file with its buffers as data URIs: what three fetches in Node as it does in a browser. */
async function withBuffers(bytes: Buffer, folder: string): Promise<string> {
  // three reports the progress of what it fetches; Node has no such event
  (globalThis as { ProgressEvent?: unknown }).ProgressEvent ??= Event;
  const gltf = JSON.parse(bytes.toString()) as { buffers: { uri: string }[] };
  for (const buffer of gltf.buffers) {
    if (buffer.uri.startsWith('data:')) continue;
    const data = await readFile(path.join(folder, decodeURIComponent(buffer.uri)));
    buffer.uri = `data:application/octet-stream;base64,${data.toString('base64')}`;
  }
  return JSON.stringify(gltf);
}

function toArrayBuffer({ buffer, byteOffset, byteLength }: Buffer): ArrayBuffer {
  return (buffer as ArrayBuffer).slice(byteOffset, byteOffset + byteLength);
}

/** Shows a loaded file at any moment of any of its clips. */
class Player {
  readonly #gltf: GLTF;
  readonly #mixer: AnimationMixer;
  /** By node and primitive of the file. */
  readonly #meshes = new Map<string, Mesh>();

  constructor(gltf: GLTF) {
    this.#gltf = gltf;
    this.#mixer = new AnimationMixer(gltf.scene);
    gltf.scene.traverse((object) => {
      if (!isMesh(object)) return;
      const primitive = gltf.parser.associations.get(object)?.primitives ?? 0;
      this.#meshes.set(`${this.#nodeOf(object)} ${primitive}`, object);
    });
  }

  get meshCount(): number {
    return this.#meshes.size;
  }

  /** The file's node that an object stands for: a mesh of several primitives is a group with a child for each. */
  #nodeOf(object: Object3D): number {
    for (let o: Object3D | null = object; o; o = o.parent) {
      const node = this.#gltf.parser.associations.get(o)?.nodes;
      if (node !== undefined) return node;
    }
    throw new Error(`${object.name} belongs to no node`);
  }

  show(clip: number, time: number): void {
    this.#mixer.stopAllAction();
    // LoopOnce and clamped: a clip that loops shows its start at its end
    const action = this.#mixer.clipAction(this.#gltf.animations[clip]!).setLoop(LoopOnce, 1);
    action.clampWhenFinished = true;
    action.play();
    this.#mixer.setTime(time);
    this.#gltf.scene.updateMatrixWorld();
  }

  /** World positions in the order of the source's POSITION, morphed and skinned. */
  positions(nodeIndex: number, primitive: number): Float64Array {
    const mesh = this.#meshes.get(`${nodeIndex} ${primitive}`);
    if (!mesh) throw new Error(`three.js has no mesh for node ${nodeIndex}, primitive ${primitive}`);
    const { count } = mesh.geometry.getAttribute('position');
    const out = new Float64Array(3 * count);
    const point = new Vector3();
    for (let v = 0; v < count; v++) {
      mesh
        .getVertexPosition(v, point)
        .applyMatrix4(mesh.matrixWorld)
        .toArray(out, 3 * v);
    }
    return out;
  }
}

function isMesh(object: Object3D): object is Mesh {
  return 'isMesh' in object;
}
