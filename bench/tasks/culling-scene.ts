import type { Character } from '../../src/character/character.ts';
import { packCharacter } from '../../src/character/pack/index.ts';
import { cullParams } from '../../src/frame/tables/parameters.ts';
import { cullKinds, pageLimitOf, SLOT_COPIES, slotClasses, sizeClass } from '../../src/frame/tables/cull-tables.ts';
import type { CrowdView } from '../../src/frame/tables/crowd-view.ts';
import { planFrame } from '../../src/frame/tables/plan.ts';
import { joinTables, type CrowdType } from '../../src/frame/tables/crowd-types.ts';
import { VertexPages } from '../../src/frame/tables/vertex-pages.ts';
import { View } from '../../src/layout/index.ts';
import { clipFromWorld } from '../../src/render/camera.ts';
import type { CullParams } from '../../src/stages/cull-characters/layout.ts';
import type { KernelChoice } from '../../src/stages/kernel-choice.ts';
import { FrameParams, Player, PLAYER_LOOPS, Resident, Transform } from '../../src/stages/layout.ts';
import { syntheticModel } from './scene.ts';

export interface CullingOptions {
  readonly characters: number;
  readonly types: number;
  readonly views: number;
  /** Share of the memory that all would take at their finest level. */
  readonly memory: number;
  /** Vertices that one page may have. */
  readonly pageRows: number;
  readonly kernels: KernelChoice;
}

/** Vertices of the three levels of the first type, the others have more; metres by which they are off. */
const LEVELS = [
  { vertexCount: 2000, error: 0 },
  { vertexCount: 600, error: 0.01 },
  { vertexCount: 150, error: 0.04 },
];
const MOTION_CAPACITY = 4;
/** Views turn by so much from frame to frame, so that some come and some go. */
const TURN = 0.005;

/**
 * Characters a metre apart in a square, seen from its middle to all sides by views 1080 pixels high: what the host brings to
 * cull-characters, made by the frame's own code.
 */
export function cullingScene({ characters, types: typeCount, views, memory, pageRows, kernels }: CullingOptions) {
  const types = levelledTypes(typeCount, kernels);
  const typeOf = (i: number) => (i * 7919) % typeCount;
  const living = types.map((_, t) => Math.floor(characters / typeCount) + Number(t < characters % typeCount));
  const finest = types.reduce(
    (sum, { levels }, t) => sum + living[t]! * SLOT_COPIES * sizeClass(levels[0]!.vertexCount),
    0,
  );
  const rowBudget = Math.ceil(memory * finest);
  const classes = slotClasses(types, characters, rowBudget);
  const limits = { rowBudget, pageRows, pageCount: pageLimitOf(types) };
  const unused = { create: () => undefined, remove: () => undefined };
  const pages = new VertexPages(types, classes, limits, unused);
  types.forEach((type, t) => pages.count(type, living[t]!));
  pages.provide();
  const slots = pages.take();
  const plan = planFrame(types, pages.list.length, MOTION_CAPACITY, kernels);
  const shape = { tables: { types }, kinds: cullKinds(types, classes, 1), classes, motionCapacity: MOTION_CAPACITY };
  const stride = Math.max(...types.map(({ paletteStride }) => paletteStride));

  /** Parameters of a frame; slots are granted in the first one. */
  const paramsOf = (frame: number): View<(typeof CullParams)['fields']> => {
    const seen = {
      views: Array.from({ length: views }, (_, v): CrowdView => lookTo((2 * Math.PI * v) / views + TURN * frame)),
      slots: frame === 1 ? slots : { ...slots, reset: false, grants: new Uint32Array() },
      rateSizes: [40, 20, 10] as const,
    };
    return cullParams(shape, seen, {
      frame,
      lastFrame: frame - 1,
      characterCount: characters,
      binCount: plan.binCount,
      posesAll: true,
      poseCapacity: characters,
      paletteCapacity: Math.min(characters * stride, 2 ** 27),
    });
  };
  return { ...columns(characters, typeOf), shape, plan, grants: slots.grants, pages: pages.list, paramsOf };
}

export type CullingScene = ReturnType<typeof cullingScene>;

function lookTo(angle: number): CrowdView {
  const target = [Math.cos(angle), 2, Math.sin(angle)] as const;
  return { clipFromWorld: clipFromWorld({ eye: [0, 2, 0], target, fovY: 0.5 }, 16 / 9), height: 1080 };
}

/** Characters of one skeleton of 41 joints, with levels that differ in how many vertices they have. */
function levelledTypes(count: number, { serialPoses }: KernelChoice): CrowdType[] {
  const model = syntheticModel({ joints: 41, clips: 1, keys: 4, vertices: 300, influences: 4 });
  const character: Character = {
    ...packCharacter(model),
    reach: { center: [0, 1, 0], radius: 1.5, additiveLayers: 0 },
  };
  const characters = Array.from({ length: count }, () => character);
  return joinTables(characters, { serialPoses, layers: false }).types.map((type, t): CrowdType => {
    const [level] = type.levels as [CrowdType['levels'][number]];
    const levels = LEVELS.map(({ vertexCount, error }) => {
      return { ...level, error, vertexCount: Math.round(vertexCount * (1 + t / 4)) };
    });
    return { ...type, firstLevel: t * LEVELS.length, levels };
  });
}

function columns(count: number, typeOf: (i: number) => number) {
  const side = Math.ceil(Math.sqrt(count));
  const residents = new View(Resident, count);
  const transforms = new View(Transform, count);
  const words = Resident.size / 4;
  for (let i = 0; i < count; i++) {
    // typeIndex, leader, parts, freshFrame, views, tint, bornFrame
    residents.words.set([typeOf(i), i, 0xffffffff, 0xffffffff, 1, 0xffffffff, 0xffffffff, 1], words * i);
    transforms.floats.set([(i % side) - side / 2, 0, Math.floor(i / side) - side / 2, 1, 0, 0, 0, 1], 8 * i);
  }
  // one clip each, which nothing fades
  const players = new View(Player, count);
  const clock = new View(FrameParams, 1);
  clock.assign(0, { playerCapacity: 1 });
  for (let i = 0; i < count; i++) players.assign(i, { clip: PLAYER_LOOPS, weightFrom: 1, weightTo: 1 });
  return { residents, transforms, players, clock };
}
