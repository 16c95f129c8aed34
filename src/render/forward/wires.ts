import { fail } from '../../errors.ts';
import type { PlacedDraws } from '../../frame/tables/plan.ts';
import { DRAW_WORDS } from '../../frame/tables/targets.ts';
import type { Character } from '../../character/character.ts';
import { createBindGroup } from '../../layout/index.ts';
import { compileShader } from '../../wgsl/compile.ts';
import { bonesOf } from './bones.ts';
import { runOf, type DrawnCrowd } from './drawn-crowd.ts';
import { WIRE_FIRST_BONE, WIRE_SEGMENTS, wireBindings } from './layout.ts';
import { createDrawPipeline, type ForwardLayouts } from './pipelines.ts';
import { kernels as wiresCode } from './wires.gen.ts';

export type WireKind = 'bounds' | 'joints';

/** Spheres and bones, drawn over a picture. */
export interface Wires {
  /** Copies the instance counts of the draws. Call it before the pass begins. */
  prepare(encoder: GPUCommandEncoder, kind: WireKind): void;
  /** Group 0 has only the frame's uniforms. */
  draw(pass: GPURenderPassEncoder, kind: WireKind): void;
  /** Returns buffers that are no longer used. Destroy them once all recorded commands are submitted. */
  takeRetired(): GPUBuffer[];
  destroy(): void;
}

/** Vertices of a ribbon. */
const RIBBON = 6;
const DRAW_BYTES = 4 * DRAW_WORDS;

/** Buffer and vertex counts of a type's wires. */
interface TypeWires {
  readonly buffer: GPUBuffer;
  readonly vertexCount: Readonly<Record<WireKind, number>>;
}

// oxlint-disable-next-line max-lines-per-function
export function createWires(
  device: GPUDevice,
  layouts: ForwardLayouts,
  drawn: DrawnCrowd,
  { format, sampleCount }: { readonly format: GPUTextureFormat; readonly sampleCount: number },
): Wires {
  const module = compileShader(device, 'wires', wiresCode.base);
  const layout = device.createPipelineLayout({ bindGroupLayouts: [layouts.frame, layouts.wires] });
  const common = { module, layout, fragment: 'wireFragment', targets: [{ format }], sampleCount, depthWrite: false };
  const pipelines = {
    bounds: createDrawPipeline(device, {
      ...common,
      label: 'bounds',
      vertex: 'boundsVertex',
      depthCompare: 'greater',
    }),
    // in front of everything, because bones are inside of bodies
    joints: createDrawPipeline(device, {
      ...common,
      label: 'joints',
      vertex: 'jointsVertex',
      depthCompare: 'always',
    }),
  };
  const types = new Map<Character, TypeWires>();
  const groups = new WeakMap<PlacedDraws, { readonly palettes: GPUBuffer; readonly group: GPUBindGroup }>();
  /** Arguments of the draws of one plan, by kind. */
  const planned = new Map<WireKind, { readonly draws: readonly PlacedDraws[]; readonly buffer: GPUBuffer }>();
  const retired: GPUBuffer[] = [];

  return {
    prepare(encoder, kind) {
      const { draws, targets } = drawn.memory;
      if (draws.length === 0) return;
      const known = planned.get(kind);
      if (known && known.draws !== draws) retired.push(known.buffer);
      const buffer = known?.draws === draws ? known.buffer : createArguments(draws, kind);
      planned.set(kind, { draws, buffer });
      draws.forEach(({ quadByte }, i) => {
        encoder.copyBufferToBuffer(targets, quadByte + 4, buffer, i * DRAW_BYTES + 4, 4);
      });
    },
    draw(pass, kind) {
      pass.setPipeline(pipelines[kind].pipeline);
      drawn.memory.draws.forEach((draw, i) => {
        pass.setBindGroup(1, groupOf(draw));
        pass.drawIndirect(planned.get(kind)!.buffer, i * DRAW_BYTES);
      });
    },
    takeRetired: () => retired.splice(0),
    destroy() {
      for (const { buffer } of [...types.values(), ...planned.values()]) buffer.destroy();
      for (const buffer of retired.splice(0)) buffer.destroy();
    },
  };

  function createArguments(draws: readonly PlacedDraws[], kind: WireKind): GPUBuffer {
    const usage = GPUBufferUsage.INDIRECT | GPUBufferUsage.COPY_DST;
    const buffer = device.createBuffer({ label: 'wire draws', size: draws.length * DRAW_BYTES, usage });
    const words = draws.flatMap(({ type }) => [wiresOf(type.character).vertexCount[kind], 0, 0, 0]);
    device.queue.writeBuffer(buffer, 0, Uint32Array.from(words));
    return buffer;
  }

  function wiresOf(character: Character): TypeWires {
    let found = types.get(character);
    if (!found) {
      found = createTypeWires(device, character);
      types.set(character, found);
    }
    return found;
  }

  function groupOf(draw: PlacedDraws): GPUBindGroup {
    const { crowd, palettes } = drawn.memory;
    if (!palettes)
      return fail(
        'RENDER_FAILED',
        'debugView',
        'Joints need the poses of the last recorded frame.',
        'Leave out `frame`.',
      );
    const known = groups.get(draw);
    if (known?.palettes === palettes) return known.group;
    const { visible, transforms } = crowd;
    const group = createBindGroup(device, 'wires', layouts.wires, wireBindings, {
      run: runOf(drawn.memory, draw),
      visible,
      transforms,
      palettes,
      wires: wiresOf(draw.type.character).buffer,
    });
    groups.set(draw, { palettes, group });
    return group;
  }
}

function createTypeWires(device: GPUDevice, character: Character): TypeWires {
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
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_DST;
  const buffer = device.createBuffer({ label: 'wires', size: words.byteLength, usage });
  device.queue.writeBuffer(buffer, 0, words);
  return { buffer, vertexCount: { bounds: 2 * WIRE_SEGMENTS * RIBBON, joints: bones.length * RIBBON } };
}
