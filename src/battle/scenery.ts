import { fieldOf, formBattle } from './formation.ts';
import type { Vector } from '../render/camera.ts';
import type { Bounds } from '../render/lighting/cascades.ts';
import { SeededRandom } from '../math/seeded-random.ts';
import type { StaticPlace } from '../render/scenery/lay-out.ts';

/** Props of this package for the battlefield: `props/<name>.glb`. */
export const PROPS = [
  'boulder',
  'slab',
  'stones',
  'pine',
  'cypress',
  'bush',
  'grass',
  'palisade',
  'tent',
  'vexillum',
  'cart',
] as const;

/** One of {@link PROPS}. */
export type Prop = (typeof PROPS)[number];

/** The scenery of a battle. */
export interface BattleScenery {
  /** Positions of all props, by prop. A prop may have none. */
  readonly places: Readonly<Record<Prop, readonly StaticPlace[]>>;
  /** Box around the soldiers and the nearer props, for shadow maps. */
  readonly bounds: Bounds;
}

export interface SceneryOptions {
  /** Soldiers of both sides, as in `stageBattle`. */
  readonly count: number;
  /** As in `stageBattle`; the same battle has the same scenery. Default 7. */
  readonly seed?: number;
  /** Position of the camera; strewn props keep away from it. Default: no camera. */
  readonly eye?: Vector;
}

/** Metres around soldiers that stay free. */
const CLEAR = 2.5;
/** Metres: from the legion back to its camp's palisade, length of a segment of the palisade, half of its gate. */
const [CAMP, SEGMENT, GATE] = [7, 3, 2.4];
/** Metres between tents of a row, and between rows. */
const [TENT_STEP, TENT_ROW] = [6, 6.5];
/** Metres around the field within which things cast shadows. */
const SHADOWED = 16;

type Field = ReturnType<typeof fieldOf>;

/** Strewn props: distance from the soldiers, number for each metre around them, and distance from each other. */
interface Strewn {
  readonly props: readonly Prop[];
  readonly from: number;
  readonly to: number;
  readonly each: number;
  readonly apart: number;
  readonly scale: readonly [number, number];
  /** How deep an uneven foot is sunk, metres at scale 1. */
  readonly sunk: number;
}

const STREWN: readonly Strewn[] = [
  { props: ['pine', 'cypress', 'pine'], from: 7, to: 42, each: 0.32, apart: 3.5, scale: [0.8, 1.25], sunk: 0 },
  { props: ['boulder', 'slab', 'boulder', 'stones'], from: 3, to: 32, each: 0.16, apart: 2.2, scale: [0.6, 1.35], sunk: 0.05 },
  { props: ['bush'], from: 2.8, to: 32, each: 0.9, apart: 1.2, scale: [0.7, 1.4], sunk: 0.02 },
  { props: ['stones'], from: 2.6, to: 24, each: 0.15, apart: 1.2, scale: [0.6, 1.1], sunk: 0 },
  { props: ['grass'], from: 0.6, to: 24, each: 3, apart: 0.4, scale: [0.7, 1.4], sunk: 0 },
]; // prettier-ignore

/**
 * Places props around the battle that `stageBattle` sets up for the same count and seed. The legion's camp is at its
 * back, with standards between. Trees, rocks and bushes are all around, but not among soldiers. There are some props
 * per metre around the field: 500 for a battle of 1,000.
 */
export function sceneryOf({ count, seed = 7, eye }: SceneryOptions): BattleScenery {
  const field = fieldOf(formBattle(count, new SeededRandom(seed)).flat());
  const random = new SeededRandom(seed ^ 0x5ce2e27);
  const places = Object.fromEntries(PROPS.map((prop) => [prop, [] as StaticPlace[]])) as Record<Prop, StaticPlace[]>;
  const taken: { readonly x: number; readonly z: number; readonly apart: number }[] = [];
  const put = (prop: Prop, [x, y, z]: Vector, yaw: number, scale = 1) => {
    const rotation = [0, Math.sin(yaw / 2), 0, Math.cos(yaw / 2)] as const;
    places[prop].push({ position: [x, y, z], rotation, scale });
  };
  pitchCamp(field, random, put);
  leaveCarts(field, random, (at, yaw) => {
    put('cart', at, yaw);
    taken.push({ x: at[0], z: at[2], apart: 3 });
  });
  const around = 2 * (field.right - field.left + field.far - field.near);
  for (const { props, from, to, each, apart, scale, sunk } of STREWN) {
    for (let left = Math.round(8 + each * around); left > 0; left--) {
      const x = random.range(field.left - to, field.right + to);
      const z = random.range(field.near - to, field.far + to);
      const [size, yaw, prop] = [random.range(...scale), random.range(0, 2 * Math.PI), random.pick(props)];
      if (distanceTo(field, x, z) < from || isCamp(field, x, z)) continue;
      if (eye && Math.hypot(x - eye[0], z - eye[2]) < 2 + 2 * apart) continue;
      if (taken.some((other) => Math.hypot(x - other.x, z - other.z) < Math.max(apart, other.apart))) continue;
      taken.push({ x, z, apart });
      put(prop, [x, -sunk * size, z], yaw, size);
    }
  }
  return {
    places,
    bounds: {
      min: [field.left - SHADOWED, 0, Math.min(field.near - SHADOWED, campEnd(field) - 3)],
      max: [field.right + SHADOWED, 7, field.far + SHADOWED],
    },
  };
}

/** Metres from the box around the soldiers; 0 inside. */
function distanceTo({ left, right, near, far }: Field, x: number, z: number): number {
  return Math.hypot(Math.max(left - x, 0, x - right), Math.max(near - z, 0, z - far));
}

const campHalf = ({ left, right }: Field) => SEGMENT * Math.ceil((Math.max(-left, right) + 4) / SEGMENT);
const campEnd = ({ near }: Field) => near - CAMP - 2 * TENT_ROW - 3;

function isCamp(field: Field, x: number, z: number): boolean {
  return Math.abs(x) < campHalf(field) + 2 && z < field.near - CAMP + 1.5 && z > campEnd(field) - 2;
}

type Put = (prop: Prop, at: Vector, yaw: number, scale?: number) => void;

/** A palisade with a gate, rows of tents inside, and standards outside. */
function pitchCamp(field: Field, random: SeededRandom, put: Put): void {
  const [half, z] = [campHalf(field), field.near - CAMP];
  for (let x = -half + SEGMENT / 2; x < half; x += SEGMENT) {
    if (Math.abs(x) < GATE) continue;
    put('palisade', [x, 0, z + random.range(-0.1, 0.1)], random.range(-0.05, 0.05), random.range(0.95, 1.05));
  }
  for (let row = 0; row < 2; row++) {
    for (let x = TENT_STEP * 0.75; x < half - 1; x += TENT_STEP) {
      for (const side of [-1, 1]) {
        const at: Vector = [side * x + random.range(-0.4, 0.4), 0, z - 5 - TENT_ROW * row + random.range(-0.4, 0.4)];
        put('tent', at, random.range(-0.08, 0.08), random.range(0.95, 1.1));
      }
    }
  }
  const standards = Math.max(2, Math.round((field.right - field.left) / 9));
  for (let i = 0; i < standards; i++) {
    const x = field.left + ((i + 0.5) / standards) * (field.right - field.left);
    put('vexillum', [x, 0, field.near - CLEAR - 0.4], random.range(-0.5, 0.5), random.range(1.05, 1.2));
  }
}

/** Places the carts that raiders have lost on their way. */
function leaveCarts(field: Field, random: SeededRandom, put: (at: Vector, yaw: number) => void): void {
  const { left, right, far } = field;
  put([right + 4.5, 0, far * 0.55], 0.6 + random.range(0, 1.2));
  const more = Math.floor((right - left) / 25);
  for (let i = 0; i < more; i++) put([random.range(left, right), 0, far + random.range(4, 9)], random.range(0, 6.2));
}
