import type { Character, CharacterPrimitive } from '../../character/character.ts';
import type { Crowd } from '../../crowd/crowd.ts';
import { fail, quoted } from '../../errors.ts';
import type { DrawMemory as CrowdMemory } from '../../frame/backend.ts';
import type { NamedColumn } from '../../frame/tables/named-columns.ts';
import type { PlacedDraws } from '../../frame/tables/plan.ts';
import type { SkinStage } from '../../frame/tables/crowd-types.ts';
import { bindGroupEntries } from '../../layout/index.ts';
import { partBit } from '../materials/material-table.ts';
import { namedColumnCode } from '../named-column-code.ts';
import { kernels } from './functions.gen.ts';
import { drawMemoryBindings } from './layout.ts';
import { VERTEX_ROW_BYTES } from '../../stages/layout.ts';
import { expectCrowd, internalsOf } from '../../crowd/internals.ts';

/** Version of the memory. It increases when a buffer, stride, field or WGSL function changes its meaning. */
export const DRAW_MEMORY_VERSION = 2;

/** Buffers in the order of their WGSL bindings. */
const BUFFERS = ['visible', 'transforms', 'previousTransforms', 'residents', 'vertices', 'indices', 'columns'] as const;
/** Buffers that a pass can bind. A WGSL function names those that it reads: see `docs/draw-memory.md`. */
export type DrawBuffer = (typeof BUFFERS)[number];
const COLUMNS_BINDING = BUFFERS.indexOf('columns');

/** A primitive of a mesh, as an indexed draw. */
export interface DrawPrimitive {
  /** The primitive of the character: its material, part and node. */
  readonly primitive: CharacterPrimitive;
  /** Its part's bit, for `crowdShowsPart`. */
  readonly part: readonly [number, number];
  /** Byte of `indirect` where the five words of `drawIndexedIndirect` are. `firstInstance` is 0. */
  readonly indirectOffset: number;
  /** The same range for the application's own draws, counted from the crowd's first index. */
  readonly firstIndex: number;
  readonly indexCount: number;
}

/** Visible characters of one page, type and level: consecutive rows of the visible list. */
export interface CharacterDraw {
  readonly page: number;
  readonly character: Character;
  /** Level of detail, 0 the finest. */
  readonly level: number;
  /** With `'vertex'`, slots hold palettes, so `crowdPosition` and similar functions do not apply. */
  readonly skin: SkinStage;
  /** First index of the mesh, for `crowdTriangle`. Indices count from the mesh's first vertex. */
  readonly firstIndex: number;
  readonly vertexCount: number;
  /** First row and row count: two words that the GPU writes. Bind it as a uniform of 16 bytes or as storage. */
  readonly run: GPUBufferBinding;
  readonly primitives: readonly DrawPrimitive[];
}

/**
 * A crowd's GPU memory for the application's own passes, returned by `drawMemory`. The object stays the same while its buffers
 * do. Contents are those of the last encoded frame. Submit the pass after that frame.
 */
export interface DrawMemory {
  readonly version: typeof DRAW_MEMORY_VERSION;
  /** Bytes per row of these buffers. Rows of the visible list have 48 bytes. Everything else is found from such a row. */
  readonly rowBytes: { readonly vertices: number; readonly indices: number };
  /** Index buffer (`uint32`) of all meshes. */
  readonly indices: GPUBuffer;
  /** Indirect arguments: see `DrawPrimitive.indirectOffset`. */
  readonly indirect: GPUBuffer;
  readonly draws: readonly CharacterDraw[];
  /**
   * WGSL of the bindings and of the functions that read them. Named columns add a function each, such as `heatColumn(character)`.
   * @param group Index of the bind group in which the pass sets them.
   */
  wgsl(group: number): string;
  /**
   * Entries of the group's layout, one storage buffer each.
   * @param buffers Buffers that the pass reads. There are seven; a stage can have eight at default limits. At the compatibility level
   *   vertex stages may have none, and fragment stages four: there, read them in compute.
   * @throws ManipleError DEVICE_LIMIT (a stage of draws has fewer storage buffers)
   */
  layoutEntries(visibility: GPUShaderStageFlags, buffers: readonly DrawBuffer[]): GPUBindGroupLayoutEntry[];
  /**
   * Entries of the group for draws of one page.
   * @throws ManipleError RENDER_FAILED (`vertices` of a page on which all types have `skin: 'vertex'`), CROWD_BAD_ARGUMENT (no named columns)
   */
  groupEntries(page: number, buffers: readonly DrawBuffer[]): GPUBindGroupEntry[];
}

const known = new WeakMap<Crowd, { readonly identity: readonly unknown[]; readonly memory: DrawMemory }>();

/**
 * Returns the GPU memory of a crowd's frame, for an application's own renderer. It has the visible list, transforms, indices,
 * indirect arguments, and skinned vertices of this frame and the last one. Nothing is copied.
 *
 * Call it after each `encode`. If it returns a different object (pages were created or removed, `grow`, `addCharacter`,
 * `column`), create bind groups again. It costs nothing else.
 *
 * @throws ManipleError RENDER_FAILED (the crowd has no GPU memory), CROWD_DESTROYED
 */
export function drawMemory(crowd: Crowd): DrawMemory {
  expectCrowd(crowd);
  const { host, device } = internalsOf(crowd);
  host.checkAlive();
  const { memory, columns: named } = host.backend;
  if (!memory || !device) {
    return fail('RENDER_FAILED', 'crowd', 'The crowd has no device to draw from.', 'Create it with a device.');
  }
  const { targets, draws, crowd: columns } = memory;
  const identity = [targets, draws, columns, named.buffer];
  const last = known.get(crowd);
  if (last && identity.every((part, i) => part === last.identity[i])) return last.memory;
  const made = describe(device, memory, named.buffer, host.named.list);
  known.set(crowd, { identity, memory: made });
  return made;
}

function describe(
  device: GPUDevice,
  memory: CrowdMemory,
  named: GPUBuffer | undefined,
  columns: readonly Pick<NamedColumn, 'name' | 'size'>[],
): DrawMemory {
  const { crowd, targets, draws, page } = memory;
  const namedColumns = () =>
    named ?? fail('CROWD_BAD_ARGUMENT', 'columns', 'The crowd has no named columns.', 'Make one: crowd.column(…).');
  const resourceOf = (name: DrawBuffer, pageIndex: number): GPUBufferBinding => {
    if (name === 'vertices') {
      checkSlots(draws.filter((draw) => draw.pageIndex === pageIndex));
      return { buffer: page(pageIndex).vertices };
    }
    return { buffer: name === 'columns' ? namedColumns() : crowd[name] };
  };
  const names = columns.map(({ name }) => name);
  return {
    version: DRAW_MEMORY_VERSION,
    rowBytes: { vertices: VERTEX_ROW_BYTES, indices: 4 },
    indices: crowd.indices,
    indirect: targets,
    draws: draws.map((draw) => describeDraw(draw, targets)),
    wgsl(group) {
      const code = kernels.base.replaceAll('@group(0)', `@group(${group})`);
      return named ? `${code}\n${namedColumnCode(columns, names, { group, binding: COLUMNS_BINDING })}` : code;
    },
    layoutEntries(visibility, buffers) {
      checkStages(device.limits, visibility, buffers.length);
      const buffer = { type: 'read-only-storage' } as const;
      const all = [
        ...bindGroupEntries(drawMemoryBindings, visibility),
        { binding: COLUMNS_BINDING, visibility, buffer },
      ];
      return all.filter(({ binding }) => buffers.includes(BUFFERS[binding]!));
    },
    groupEntries: (pageIndex, buffers) =>
      BUFFERS.map((name, binding) => ({ name, binding }))
        .filter(({ name }) => buffers.includes(name))
        .map(({ name, binding }) => ({ binding, resource: resourceOf(name, pageIndex) })),
  };
}

/** @throws ManipleError DEVICE_LIMIT: stages of draws may have fewer storage buffers than others */
function checkStages(limits: GPUSupportedLimits, visibility: GPUShaderStageFlags, count: number): void {
  const stages = [
    [GPUShaderStage.VERTEX, 'maxStorageBuffersInVertexStage'],
    [GPUShaderStage.FRAGMENT, 'maxStorageBuffersInFragmentStage'],
  ] as const;
  for (const [stage, name] of stages) {
    // devices without these limits allow the same number in every stage
    const limit = (limits[name] as number | undefined) ?? limits.maxStorageBuffersPerShaderStage;
    if ((visibility & stage) === 0 || count <= limit) continue;
    const message = `The limit is ${limit}; the pass reads ${count} buffers.`;
    fail(
      'DEVICE_LIMIT',
      name,
      message,
      'Read them in a compute pass, and draw what it writes, as vertex buffers or textures.',
    );
  }
}

/** @throws ManipleError RENDER_FAILED: slots hold palettes, which `crowdPosition` would read as positions */
function checkSlots(draws: readonly PlacedDraws[]): void {
  if (draws.length === 0 || draws.some(({ type }) => type.skin === 'compute')) return;
  const message = `${quoted(draws[0]!.type.character.name)} is skinned where it is drawn, and leaves no vertices.`;
  fail('RENDER_FAILED', 'vertices', message, "Skin it in compute: skin: 'compute'.");
}

function describeDraw({ pageIndex, type, levelIndex, recordByte, primitiveBytes }: PlacedDraws, targets: GPUBuffer) {
  const { firstIndex, primitives, vertexCount } = type.levels[levelIndex]!;
  return {
    page: pageIndex,
    character: type.character,
    level: levelIndex,
    skin: type.skin,
    firstIndex,
    vertexCount,
    run: { buffer: targets, offset: recordByte, size: 16 },
    primitives: primitives.map((primitive, index) => ({
      primitive,
      part: partBit(primitive.part),
      indirectOffset: primitiveBytes[index]!,
      firstIndex: firstIndex + primitive.firstIndex,
      indexCount: primitive.indexCount,
    })),
  } satisfies CharacterDraw;
}
