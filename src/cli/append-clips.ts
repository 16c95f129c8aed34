import type { CharacterModel, ClipModel, TrackModel } from '../character/model.ts';
import { fail, type Issue, listed, warning } from '../errors.ts';

type Json = Record<string, unknown>;
interface Gltf extends Json {
  animations?: Json[];
  accessors?: Json[];
  bufferViews?: Json[];
  buffers?: Json[];
}

const MAGIC = 0x46546c67;
const JSON_CHUNK = 0x4e4f534a;
const BIN_CHUNK = 0x004e4942;
const FLOAT = 5126;

/**
 * A GLB file with further clips: the file as it is, and animations of its nodes. Everything else stays byte by byte.
 * Joints that the importer added have no nodes: their tracks are left out, and reported.
 *
 * @param bytes The GLB that `model` was imported from: see {@link expectGlb}.
 */
export function appendClips(
  bytes: Uint8Array,
  model: CharacterModel,
  clips: readonly ClipModel[],
): { glb: Uint8Array; issues: readonly Issue[] } {
  const { json, bin } = readGlb(bytes);
  const writer = new ClipWriter(json, bin);
  const lost = new Set<string>();
  json.animations = [...(json.animations ?? []), ...clips.map((clip) => writer.animation(clip, model, lost))];
  const message = `Joints without a node of the file were left out: ${listed([...lost])}.`;
  const issues = lost.size > 0 ? [warning('CLIP_JOINTS_UNMATCHED', model.name, message)] : [];
  return { glb: writer.finish(), issues };
}

/** @throws ManipleError USAGE for a file that is not a GLB */
export function expectGlb(file: string, bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (bytes.byteLength >= 20 && view.getUint32(0, true) === MAGIC && view.getUint32(16, true) === JSON_CHUNK) return;
  const suggestion = 'Export it as GLB, or use `maniple bake --clips`, which takes every format.';
  fail('USAGE', file, 'Clips can only be written into GLB and VRM files.', suggestion);
}

function readGlb(bytes: Uint8Array): { json: Gltf; bin: Uint8Array } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const jsonBytes = view.getUint32(12, true);
  const json = JSON.parse(new TextDecoder().decode(bytes.subarray(20, 20 + jsonBytes))) as Gltf;
  const at = 20 + jsonBytes;
  const hasBin = bytes.byteLength >= at + 8 && view.getUint32(at + 4, true) === BIN_CHUNK;
  return { json, bin: hasBin ? bytes.subarray(at + 8, at + 8 + view.getUint32(at, true)) : new Uint8Array(0) };
}

class ClipWriter {
  readonly #parts: Uint8Array[];
  readonly #json: Gltf;
  #length: number;

  constructor(json: Gltf, bin: Uint8Array) {
    this.#json = json;
    this.#parts = [bin];
    this.#length = bin.byteLength;
    this.#pad();
  }

  animation(clip: ClipModel, model: CharacterModel, lost: Set<string>): Json {
    const samplers: Json[] = [];
    const channels: Json[] = [];
    const inputs = new Map<Float32Array, number>();
    for (const track of clip.tracks) {
      const node = nodeOf(track, model);
      if (node < 0) {
        lost.add(model.joints[track.targetIndex]?.name ?? '');
        continue;
      }
      const { times, values, interpolation, path } = track;
      let input = inputs.get(times);
      if (input === undefined) inputs.set(times, (input = this.#accessor(times, 'SCALAR')));
      const type = { translation: 'VEC3', rotation: 'VEC4', scale: 'VEC3', weights: 'SCALAR' }[path];
      samplers.push({ input, output: this.#accessor(values, type), interpolation });
      channels.push({ sampler: samplers.length - 1, target: { node, path } });
    }
    return { name: clip.name, samplers, channels, ...(clip.loops === false ? { extras: { loop: false } } : {}) };
  }

  finish(): Uint8Array {
    const { buffers } = this.#json;
    const first = { ...buffers?.[0], byteLength: this.#length };
    this.#json.buffers = [first, ...(buffers ?? []).slice(1)];
    const text = new TextEncoder().encode(JSON.stringify(this.#json));
    const jsonBytes = Math.ceil(text.byteLength / 4) * 4;
    const glb = new Uint8Array(28 + jsonBytes + this.#length);
    const view = new DataView(glb.buffer);
    const words = [MAGIC, 2, glb.byteLength, jsonBytes, JSON_CHUNK];
    words.forEach((word, i) => view.setUint32(4 * i, word, true));
    glb.fill(0x20, 20, 20 + jsonBytes);
    glb.set(text, 20);
    view.setUint32(20 + jsonBytes, this.#length, true);
    view.setUint32(24 + jsonBytes, BIN_CHUNK, true);
    let at = 28 + jsonBytes;
    for (const part of this.#parts) {
      glb.set(part, at);
      at += part.byteLength;
    }
    return glb;
  }

  #accessor(values: Float32Array, type: string): number {
    const { accessors = [], bufferViews = [] } = this.#json;
    const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength).slice();
    const width = { SCALAR: 1, VEC3: 3, VEC4: 4 }[type] ?? 1;
    const isTime = type === 'SCALAR';
    const range = isTime
      ? {
          min: [values.reduce((a, b) => Math.min(a, b), Infinity)],
          max: [values.reduce((a, b) => Math.max(a, b), -Infinity)],
        }
      : {};
    bufferViews.push({ buffer: 0, byteOffset: this.#length, byteLength: bytes.byteLength });
    accessors.push({
      bufferView: bufferViews.length - 1,
      componentType: FLOAT,
      count: values.length / width,
      type,
      ...range,
    });
    this.#json.accessors = accessors;
    this.#json.bufferViews = bufferViews;
    this.#parts.push(bytes);
    this.#length += bytes.byteLength;
    return accessors.length - 1;
  }

  #pad(): void {
    const missing = (4 - (this.#length % 4)) % 4;
    if (missing > 0) this.#parts.push(new Uint8Array(missing));
    this.#length += missing;
  }
}

function nodeOf({ path, targetIndex }: TrackModel, { joints, morphSets }: CharacterModel): number {
  return path === 'weights' ? morphSets[targetIndex]!.nodeIndex : joints[targetIndex]!.nodeIndex;
}
