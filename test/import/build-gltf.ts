import type { CharacterModel } from '../../src/character/model.ts';
import { ManipleError } from '../../src/errors.ts';
import { importGltf, type ImportOptions } from '../../src/import/index.ts';

export type Entry = Record<string, unknown>;

const WIDTHS: Record<string, number> = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT4: 16 };
const ARRAYS = {
  5120: Int8Array,
  5121: Uint8Array,
  5122: Int16Array,
  5123: Uint16Array,
  5125: Uint32Array,
  5126: Float32Array,
} as const;

/** A glTF file made by hand: push entries to its lists, then take it as GLB. Every accessor gets a view of its own. */
export class GltfBuilder {
  readonly asset: Entry = { version: '2.0' };
  readonly scenes: Entry[] = [];
  readonly nodes: Entry[] = [];
  readonly meshes: Entry[] = [];
  readonly skins: Entry[] = [];
  readonly animations: Entry[] = [];
  readonly accessors: Entry[] = [];
  readonly bufferViews: Entry[] = [];
  readonly materials: Entry[] = [];
  readonly textures: Entry[] = [];
  readonly images: Entry[] = [];
  readonly samplers: Entry[] = [];
  /** Top-level properties that have no list here; they win over the lists. */
  readonly extra: Entry = {};
  #binary = new Uint8Array(1024);
  #length = 0;

  /** Appends bytes in a view of their own; returns the view's index. */
  view(data: ArrayBufferView, properties: Entry = {}): number {
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    this.#length = Math.ceil(this.#length / 4) * 4;
    while (this.#length + bytes.length > this.#binary.length) {
      const grown = new Uint8Array(2 * this.#binary.length);
      grown.set(this.#binary);
      this.#binary = grown;
    }
    this.#binary.set(bytes, this.#length);
    this.bufferViews.push({ buffer: 0, byteOffset: this.#length, byteLength: bytes.length, ...properties });
    this.#length += bytes.length;
    return this.bufferViews.length - 1;
  }

  /** Appends numbers; floats unless a component type is given. */
  accessor(values: ArrayLike<number>, type: string, properties: Entry = {}): number {
    const componentType = (properties.componentType ?? 5126) as keyof typeof ARRAYS;
    const bufferView = this.view(new ARRAYS[componentType](values));
    return (
      this.accessors.push({ bufferView, componentType, type, count: values.length / WIDTHS[type]!, ...properties }) - 1
    );
  }

  /** A triangle in the xy plane, facing +z, as a primitive; `attributes` adds to or replaces its own. */
  triangle(attributes: Record<string, number> = {}, properties: Entry = {}): Entry {
    const POSITION = this.accessor([0, 0, 0, 1, 0, 0, 0, 1, 0], 'VEC3');
    const NORMAL = this.accessor([0, 0, 1, 0, 0, 1, 0, 0, 1], 'VEC3');
    return { attributes: { POSITION, NORMAL, ...attributes }, ...properties };
  }

  /** A node that carries the primitives. */
  meshNode(primitives: Entry[], properties: Entry = {}): number {
    const mesh = this.meshes.push({ primitives }) - 1;
    return this.nodes.push({ mesh, ...properties }) - 1;
  }

  /** Joints and weights of the triangle's three vertices, one set. */
  influences(joints: number[], weights: number[]): Record<string, number> {
    return {
      JOINTS_0: this.accessor(joints, 'VEC4', { componentType: 5123 }),
      WEIGHTS_0: this.accessor(weights, 'VEC4'),
    };
  }

  /** A clip with one channel per entry. */
  clip(
    channels: {
      node?: number;
      path: string;
      times: number[];
      values: number[];
      type: string;
      interpolation?: string;
    }[],
    name = 'clip',
  ): void {
    const samplers = channels.map(({ times, values, type, interpolation }) => ({
      input: this.accessor(times, 'SCALAR'),
      output: this.accessor(values, type),
      ...(interpolation ? { interpolation } : {}),
    }));
    const targets = channels.map(({ node, path }, sampler) => ({
      sampler,
      target: node === undefined ? { path } : { node, path },
    }));
    this.animations.push({ name, samplers, channels: targets });
  }

  /** The JSON as an object; its one buffer has no URI. */
  json(): Entry {
    const lists = {
      scenes: this.scenes,
      nodes: this.nodes,
      meshes: this.meshes,
      skins: this.skins,
      animations: this.animations,
      accessors: this.accessors,
      bufferViews: this.bufferViews,
      materials: this.materials,
      textures: this.textures,
      images: this.images,
      samplers: this.samplers,
    };
    const used = Object.entries(lists).filter(([, entries]) => entries.length > 0);
    const scenes = this.scenes.length === 0 ? this.#defaultScene() : {};
    const buffers = this.#length > 0 ? { buffers: [{ byteLength: this.#length }] } : {};
    return { asset: this.asset, ...scenes, ...Object.fromEntries(used), ...buffers, ...this.extra };
  }

  /** A scene of all roots, as most files have it. */
  #defaultScene(): Entry {
    const held = new Set(this.nodes.flatMap(({ children }) => (children ?? []) as number[]));
    const nodes = this.nodes.flatMap((_, i) => (held.has(i) ? [] : [i]));
    return nodes.length > 0 && !('nodes' in this.extra) ? { scenes: [{ nodes }], scene: 0 } : {};
  }

  binary(): Uint8Array {
    return this.#binary.slice(0, this.#length);
  }

  glb(): Uint8Array {
    return toGlb(this.json(), this.binary());
  }
}

export function toGlb(json: unknown, binary: Uint8Array): Uint8Array {
  const text = new TextEncoder().encode(typeof json === 'string' ? json : JSON.stringify(json));
  const padded = (length: number): number => Math.ceil(length / 4) * 4;
  const total = 20 + padded(text.length) + (binary.length > 0 ? 8 + padded(binary.length) : 0);
  const out = new Uint8Array(total);
  const view = new DataView(out.buffer);
  view.setUint32(0, 0x46546c67, true);
  view.setUint32(4, 2, true);
  view.setUint32(8, total, true);
  view.setUint32(12, padded(text.length), true);
  view.setUint32(16, 0x4e4f534a, true);
  out.fill(0x20, 20, 20 + padded(text.length));
  out.set(text, 20);
  if (binary.length > 0) {
    const at = 20 + padded(text.length);
    view.setUint32(at, padded(binary.length), true);
    view.setUint32(at + 4, 0x004e4942, true);
    out.set(binary, at + 8);
  }
  return out;
}

/** Imports what a builder holds, or bytes. */
export function importBuilt(source: GltfBuilder | Uint8Array, options: ImportOptions = {}): Promise<CharacterModel> {
  return importGltf({ name: 'built', bytes: source instanceof Uint8Array ? source : source.glb() }, options);
}

/** The error that an import is refused with; fails the test if it is not. */
export async function refusalOf(source: GltfBuilder | Uint8Array, options: ImportOptions = {}): Promise<ManipleError> {
  try {
    await importBuilt(source, options);
  } catch (thrown) {
    if (thrown instanceof ManipleError) return thrown;
    throw thrown;
  }
  throw new Error('the file was accepted');
}

export function codesOf({ issues }: Pick<CharacterModel, 'issues'> | ManipleError): string[] {
  return issues.map((issue) => issue.code);
}
