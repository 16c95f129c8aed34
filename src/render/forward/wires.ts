import { fail } from '../../errors.ts';
import type { PlacedDraws } from '../../frame/tables/plan.ts';
import { createFilled } from '../../frame/tables/memory.ts';
import { DRAW_WORDS } from '../../frame/tables/targets.ts';
import type { Character } from '../../character/character.ts';
import { createBindGroup, View } from '../../layout/index.ts';
import { compileShader } from '../../wgsl/compile.ts';
import { cross, dot, subtract, type Vector } from '../camera.ts';
import { runOf, type DrawnCrowd } from './drawn-crowd.ts';
import { WIRE_FIRST_BONE, WIRE_SEGMENTS, wireBindings } from './layout.ts';
import { createDrawPipeline } from './pipelines.ts';
import { kernels as wiresCode } from './wires.gen.ts';
import { CharacterType } from '../../character/format/rig-layout.ts';

export type WireKind = 'bounds' | 'joints';

/** Vertices of a ribbon. */
const RIBBON = 6;
const DRAW_BYTES = 4 * DRAW_WORDS;

/** Spheres and bones, drawn over a picture. */
export class Wires {
  readonly #drawn: DrawnCrowd;
  readonly #pipelines: Readonly<Record<WireKind, ReturnType<typeof createDrawPipeline>>>;
  readonly #types = new Map<Character, ReturnType<typeof createTypeWires>>();
  readonly #groups = new WeakMap<PlacedDraws, { readonly palettes: GPUBuffer; readonly group: GPUBindGroup }>();
  /** Arguments of the draws of one plan, by kind. */
  readonly #planned = new Map<WireKind, { readonly draws: readonly PlacedDraws[]; readonly buffer: GPUBuffer }>();

  constructor(drawn: DrawnCrowd, format: GPUTextureFormat, sampleCount: number) {
    const { device, layouts, rewrite } = drawn;
    this.#drawn = drawn;
    const module = compileShader(device, 'wires', wiresCode.base, rewrite);
    const layout = device.createPipelineLayout({ bindGroupLayouts: [layouts.frame, layouts.wires] });
    const common = { module, layout, fragment: 'wireFragment', targets: [{ format }], sampleCount, depthWrite: false };
    const create = (label: WireKind, depthCompare: GPUCompareFunction) =>
      createDrawPipeline(device, { ...common, label, vertex: `${label}Vertex`, depthCompare });
    // joints are in front of everything, because bones are inside of bodies
    this.#pipelines = { bounds: create('bounds', 'greater'), joints: create('joints', 'always') };
  }

  /**
   * Copies the instance counts of the draws. Call it before the pass begins.
   * @param retired Receives buffers that are no longer used.
   */
  prepare(encoder: GPUCommandEncoder, kind: WireKind, retired: { destroy(): void }[]): void {
    const { draws, targets } = this.#drawn.memory;
    if (draws.length === 0) return;
    const existing = this.#planned.get(kind);
    if (existing && existing.draws !== draws) retired.push(existing.buffer);
    const buffer = existing?.draws === draws ? existing.buffer : this.#createArguments(draws, kind);
    this.#planned.set(kind, { draws, buffer });
    this.#fillRows(encoder);
    draws.forEach(({ quadByte }, i) => {
      encoder.copyBufferToBuffer(targets, quadByte + 4, buffer, i * DRAW_BYTES + 4, 4);
    });
  }

  /** Group 0 has only the frame's uniforms. */
  draw(pass: GPURenderPassEncoder, kind: WireKind): void {
    pass.setPipeline(this.#pipelines[kind].pipeline);
    this.#drawn.memory.draws.forEach((draw, i) => {
      pass.setBindGroup(1, this.#groupOf(draw));
      pass.drawIndirect(this.#planned.get(kind)!.buffer, i * DRAW_BYTES);
    });
  }

  destroy(): void {
    for (const { buffer } of [...this.#types.values(), ...this.#planned.values()]) buffer.destroy();
  }

  /** Copies what wires read in addition to the crowd's rows, where draws cannot read buffers. */
  #fillRows(encoder: GPUCommandEncoder): void {
    const { rows, memory } = this.#drawn;
    if (memory.palettes) rows?.fill(encoder, memory.palettes);
    for (const { type } of memory.draws) rows?.fill(encoder, this.#wiresOf(type.character).buffer, true);
  }

  #createArguments(draws: readonly PlacedDraws[], kind: WireKind): GPUBuffer {
    const usage = GPUBufferUsage.INDIRECT | GPUBufferUsage.COPY_DST;
    const words = draws.flatMap(({ type }) => [this.#wiresOf(type.character).vertexCount[kind], 0, 0, 0]);
    return createFilled(this.#drawn.device, 'wire draws', usage, Uint32Array.from(words));
  }

  #wiresOf(character: Character) {
    const wires = this.#types.get(character) ?? createTypeWires(this.#drawn.device, character);
    this.#types.set(character, wires);
    return wires;
  }

  #groupOf(draw: PlacedDraws): GPUBindGroup {
    const drawn = this.#drawn;
    const { memory, device, layouts } = drawn;
    const { crowd, palettes } = memory;
    if (!palettes) {
      const message = 'Joints need the poses of the last recorded frame.';
      return fail('RENDER_FAILED', 'debugView', message, 'Leave out `frame`.');
    }
    const existing = this.#groups.get(draw);
    if (existing?.palettes === palettes) return existing.group;
    const { visible, transforms } = crowd;
    const wires = this.#wiresOf(draw.type.character).buffer;
    const bound = { run: runOf(memory, draw), visible, transforms, palettes, wires };
    const group = createBindGroup(device, 'wires', layouts.wires, wireBindings, drawn.tables(bound));
    this.#groups.set(draw, { palettes, group });
    return group;
  }
}

/** Buffer and vertex counts of a type's wires. */
function createTypeWires(device: GPUDevice, character: Character) {
  const bones = bonesOf(character);
  const floats = new Float32Array(4 * (WIRE_FIRST_BONE + 2 * bones.length));
  const words = new Uint32Array(floats.buffer);
  const { reach } = character;
  floats.set([...(reach?.center ?? [0, 0, 0]), reach?.radius ?? -1]);
  bones.forEach(({ start, end }, bone) => {
    [start, end].forEach(({ at, entry }, side) => {
      const word = 4 * (WIRE_FIRST_BONE + 2 * bone + side);
      floats.set(at, word);
      words[word + 3] = entry;
    });
  });
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST | GPUBufferUsage.COPY_SRC;
  const buffer = createFilled(device, 'wires', usage, words);
  return { buffer, vertexCount: { bounds: 2 * WIRE_SEGMENTS * RIBBON, joints: bones.length * RIBBON } };
}

/** A joint that a palette entry moves. */
interface BoundJoint {
  readonly entry: number;
  /** Position of the joint at bind time, in the mesh's space. The entry moves it to its position in a pose. */
  readonly at: Vector;
}

/**
 * Returns the bones that palettes of a type can show, each from a joint to one of its descendants. Bones skip joints that
 * move no vertex.
 */
export function bonesOf({ rig, joints }: Character) {
  const bound = boundJoints(rig);
  return joints.flatMap(({ parentIndex }, index) => {
    const end = bound.get(index);
    let above = parentIndex;
    while (above >= 0 && !bound.has(above)) above = joints[above]!.parentIndex;
    const start = bound.get(above);
    return start && end ? [{ start, end }] : [];
  });
}

/** First invertible palette entry of each joint. */
function boundJoints(rig: Uint32Array<ArrayBuffer>): Map<number, BoundJoint> {
  const header = new View(CharacterType, rig.buffer, rig.byteOffset, 1);
  const floats = new Float32Array(rig.buffer, rig.byteOffset, rig.length);
  const jointWord = 2 * header.get(0, 'bindJointPair');
  const bindWord = 4 * header.get(0, 'bindRow');
  const joints = new Map<number, BoundJoint>();
  for (let entry = 0; entry < header.get(0, 'paletteCount'); entry++) {
    const joint = rig[jointWord + entry]!;
    const at = originOf(floats.subarray(bindWord + 12 * entry, bindWord + 12 * entry + 12));
    if (at && !joints.has(joint)) joints.set(joint, { entry, at });
  }
  return joints;
}

/** Point that an affine map, three rows of four, moves to 0: by Cramer's rule. */
function originOf(m: Float32Array): Vector | undefined {
  const column = (c: number): Vector => [m[c]!, m[4 + c]!, m[8 + c]!];
  const determinant = (a: Vector, b: Vector, c: Vector) => dot(a, cross(b, c));
  const [x, y, z, t] = [column(0), column(1), column(2), subtract([0, 0, 0], column(3))];
  const whole = determinant(x, y, z);
  if (!(Math.abs(whole) > 1e-30)) return undefined;
  return [determinant(t, y, z) / whole, determinant(x, t, z) / whole, determinant(x, y, t) / whole];
}
