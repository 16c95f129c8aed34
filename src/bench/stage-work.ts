import type { Crowd } from '../crowd/crowd.ts';
import { internalsOf } from '../crowd/internals.ts';
import { readRanges } from '../device/read-back.ts';
import type { CrowdLevel, CrowdType } from '../frame/tables/crowd-types.ts';
import { View } from '../layout/index.ts';
import type { KeptTriangles } from '../render/visibility/triangle-buffers.ts';
import {
  Motion,
  MOTION_END,
  MOTION_KIND,
  MOTION_ROWS,
  Player,
  Resident,
  SlotState,
  Transform,
  VERTEX_ROW_BYTES,
  VISIBLE_POSED,
  VisibleCharacter,
} from '../stages/layout.ts';
import type { Traffic } from './gpu/streams.ts';

/** Work of a stage in one frame, and the bytes that it moves at the least. */
export interface StageWork extends Traffic {
  readonly work: number;
  readonly unit: string;
}

/** Bytes of motion lists that are read back to find their mean length. */
const MOTION_SAMPLE_BYTES = 2 ** 22;
/** Bytes of a machine's state, and of one more row of a character with a controller: its head. */
const [MACHINE_BYTES, HEAD_BYTES] = [32, 16];
const ROW_BYTES = 16;

/** Counts of the last frame's visible list. */
interface Listed {
  readonly listed: number;
  readonly posed: number;
  /** Sums over posed characters. */
  readonly joints: number;
  readonly paletteBytes: number;
  readonly vertices: number;
  /** Rows that characters keep where draws skin. */
  readonly keptBytes: number;
  /** Sums over all listed characters. */
  readonly listedVertices: number;
  readonly listedTriangles: number;
  /** Motion records of posed characters. */
  readonly motions: number;
}

/**
 * Counts the work of the last frame's stages, from the lists that the GPU made. Bytes count values that a stage has to
 * read or write once. Clips, meshes and controllers, which characters share, do not count.
 */
export async function crowdWork(crowd: Crowd): Promise<StageWork[]> {
  const { host } = internalsOf(crowd);
  const { tables, controllers, playerCapacity, classes } = host.shape;
  const found = await readListed(crowd);
  const { listed, posed, joints, paletteBytes, vertices, keptBytes, motions } = found;
  const rows = crowd.count;
  const machines = machinesOf(tables.types);
  const motionBytes = motions * Motion.size;
  const stateBytes = controllers ? MACHINE_BYTES * machines + HEAD_BYTES : Player.size * playerCapacity;
  const stages: StageWork[] = [
    {
      stage: 'cull-characters',
      work: rows,
      unit: 'characters',
      read: rows * (Resident.size + Transform.size + SlotState.size),
      written: rows * SlotState.size + listed * VisibleCharacter.size,
    },
    {
      stage: 'gather-motions',
      work: posed,
      unit: 'characters',
      read: posed * (VisibleCharacter.size + stateBytes),
      written: motionBytes,
    },
    { stage: 'pose-joints', work: joints, unit: 'joints', read: motionBytes, written: paletteBytes },
    {
      stage: 'keep-palettes',
      work: keptBytes / ROW_BYTES,
      unit: 'rows',
      read: keptBytes,
      written: keptBytes,
    },
    {
      stage: 'skin-vertices',
      work: vertices,
      unit: 'vertices',
      read: paletteBytes,
      written: vertices * (VERTEX_ROW_BYTES + 4 * classes.attributeWords),
    },
  ];
  if (controllers) stages.unshift(stepWork(rows, machines, tables.types));
  return stages.filter(({ work }) => work > 0);
}

/** Every character has the machines of its type; types of a bench have equally many. */
function machinesOf(types: readonly CrowdType[]): number {
  return Math.max(0, ...types.map(({ character }) => character.controller?.machines.length ?? 0));
}

/** A machine's first row is read and written; parameters and the speed are a word each. */
function stepWork(rows: number, machines: number, types: readonly CrowdType[]): StageWork {
  const parameters = Math.max(...types.map(({ character }) => character.controller?.parameters.length ?? 0));
  return {
    stage: 'step-controllers',
    work: rows * machines,
    unit: 'machines',
    read: rows * (HEAD_BYTES + ROW_BYTES * machines + 4 * (1 + parameters)),
    written: rows * ROW_BYTES * machines,
  };
}

/**
 * Counts the work of the visibility renderer's stages for a picture of the last frame.
 *
 * @param kept Triangles of each view, from its `readStats`.
 * @param pixels Pixels of the picture, and of all shadow maps together.
 */
export async function pictureWork(
  crowd: Crowd,
  kept: readonly KeptTriangles[],
  pixels: { readonly picture: number; readonly shadows: number },
): Promise<StageWork[]> {
  const { listedVertices, listedTriangles } = await readListed(crowd);
  const triangles = kept.reduce((sum, { compute, hardware }) => sum + compute + hardware, 0);
  const listBytes = 4 * triangles;
  return [
    {
      stage: 'filter-triangles',
      work: listedTriangles,
      unit: 'triangles',
      read: listedVertices * VERTEX_ROW_BYTES,
      written: listBytes,
    },
    {
      stage: 'raster-triangles',
      work: triangles,
      unit: 'triangles',
      read: listBytes,
      // depth and id of a picture, depth of a shadow map
      written: 8 * pixels.picture + 4 * pixels.shadows,
    },
    {
      stage: 'shade-pixels',
      work: pixels.picture,
      unit: 'pixels',
      read: 8 * pixels.picture,
      written: 4 * pixels.picture,
    },
  ];
}

async function readListed(crowd: Crowd): Promise<Listed> {
  const { host } = internalsOf(crowd);
  const { crowd: memory, motions } = host.backend.memory!;
  const { listed, posed } = await crowd.readStats();
  const sampled = Math.min(motions!.size, MOTION_SAMPLE_BYTES);
  const [rows, lists] = await readRanges(memory.device, [
    [memory.visible, 0, listed * VisibleCharacter.size],
    [motions!, 0, sampled],
  ]);
  const visible = new View(VisibleCharacter, rows!);
  const { types } = host.shape.tables;
  const levels = new Map(types.flatMap((type) => type.levels.map((level) => [level.geometryRow, { type, level }])));
  const sums = { joints: 0, paletteBytes: 0, vertices: 0, keptBytes: 0, listedVertices: 0, listedTriangles: 0 };
  const sampler = new MotionSampler(new View(Motion, lists!), host.shape.motionCapacity);
  for (let v = 0; v < listed; v++) {
    const { type, level } = levels.get(visible.get(v, 'geometryRow'))!;
    sums.listedVertices += level.vertexCount;
    sums.listedTriangles += trianglesOf(level);
    if ((visible.get(v, 'detail') & VISIBLE_POSED) === 0) continue;
    sums.joints += level.laneCount;
    sums.paletteBytes += type.paletteStride * ROW_BYTES;
    if (type.skin === 'vertex') sums.keptBytes += type.keptRows * ROW_BYTES;
    else sums.vertices += level.vertexCount;
    sampler.add(visible.get(v, 'motionRow') / MOTION_ROWS);
  }
  return { listed, posed, ...sums, motions: posed * sampler.mean };
}

function trianglesOf({ primitives }: CrowdLevel): number {
  return primitives.reduce((sum, { indexCount }) => sum + indexCount / 3, 0);
}

/** Mean length of the motion lists that lie in a sample. */
class MotionSampler {
  #lists = 0;
  #records = 0;

  constructor(
    readonly motions: View<(typeof Motion)['fields']>,
    readonly capacity: number,
  ) {}

  /** @param first Index of the list's first record. */
  add(first: number): void {
    if (first + this.capacity > this.motions.count) return;
    this.#lists++;
    for (let at = first; at < first + this.capacity; at++) {
      this.#records++;
      if ((this.motions.get(at, 'kind') & MOTION_KIND) === MOTION_END) return;
    }
  }

  get mean(): number {
    return this.#lists === 0 ? 0 : this.#records / this.#lists;
  }
}
