import type { CharacterGroup } from '../crowd/group.ts';
import type { Vector } from '../render/camera.ts';
import { smoothstep } from '../render/lighting/numbers.ts';
import type { SurfaceChange } from '../render/lighting/surface-change.ts';
import { SeededRandom } from '../math/seeded-random.ts';

/** How the cloth of one soldier is dyed: a turn of its hue in radians, factors of its saturation and of its brightness. */
export type Dye = readonly [turn: number, saturation: number, brightness: number];

/** Dyes of a people: how often each is chosen, and how far one soldier's may be from it. */
interface Dyes {
  readonly share: number;
  readonly dye: Dye;
  readonly spread: Dye;
}

/** The legion's crimson, as it was issued, sun-bleached, or dyed again, darker. */
const LEGION: readonly Dyes[] = [
  { share: 0.6, dye: [0, 0.95, 1], spread: [0.03, 0.06, 0.14] },
  { share: 0.25, dye: [0.05, 0.78, 1.12], spread: [0.03, 0.08, 0.16] },
  { share: 0.15, dye: [-0.05, 0.9, 0.66], spread: [0.03, 0.08, 0.1] },
];

/** The raiders' teal, and woad, moss, weld, walnut and wool as it grows. */
const RAIDERS: readonly Dyes[] = [
  { share: 0.3, dye: [0, 0.95, 1], spread: [0.12, 0.12, 0.2] },
  { share: 0.2, dye: [0.55, 0.85, 0.85], spread: [0.15, 0.12, 0.2] },
  { share: 0.2, dye: [-0.95, 0.75, 0.8], spread: [0.2, 0.12, 0.2] },
  { share: 0.12, dye: [-2.1, 0.8, 1], spread: [0.15, 0.12, 0.15] },
  { share: 0.1, dye: [-2.75, 0.6, 0.6], spread: [0.12, 0.12, 0.15] },
  { share: 0.08, dye: [-2.4, 0.25, 1.1], spread: [0.2, 0.1, 0.3] },
];

/**
 * Gives every soldier a dye of its own, in the column `tunic` of the crowd. The same seed gives the same dyes.
 * @param groups The legion, then the raiders.
 */
export function dressSoldiers(groups: readonly CharacterGroup[], seed: number): void {
  const random = new SeededRandom(seed ^ 0x7a11c0);
  groups.forEach((group, people) => {
    const column = group.column('tunic', { size: 3, default: [0, 1, 1] });
    const dyes = [LEGION, RAIDERS][people] ?? LEGION;
    for (let i = 0; i < group.count; i++) column.values.set(chooseDye(dyes, random), 3 * i);
    column.changed();
  });
}

function chooseDye(dyes: readonly Dyes[], random: SeededRandom): number[] {
  let left = random.next();
  const { dye, spread } = dyes.find(({ share }) => (left -= share) < 0) ?? dyes[0]!;
  return dye.map((value, i) => value + spread[i]! * random.range(-1, 1));
}

/**
 * WGSL `fn dyed(color: vec3f, dye: vec3f) -> vec3f`: cloth of our characters in another dye. Cloth has vertex colours of crimson, or of
 * teal to blue. Skin, hair, leather and metal stay.
 */
export const DYED_CODE = `fn dyed(color: vec3<f32>, dye: vec3<f32>) -> vec3<f32> {
  let crimson = 1.0 - smoothstep(0.11, 0.16, max(color.g, color.b) / max(color.r, 1e-4));
  let paint = smoothstep(2.0, 2.4, color.b / max(color.g, 1e-4));
  let teal = (1.0 - smoothstep(0.3, 0.38, color.r / max(min(color.g, color.b), 1e-4))) * (1.0 - paint);
  let turned = color * cos(dye.x) + (color.brg - color.gbr) * (sin(dye.x) * 0.57735) + (color.r + color.g + color.b) * (1.0 - cos(dye.x)) / 3.0;
  let grey = dot(turned, vec3<f32>(0.2126, 0.7152, 0.0722));
  let other = max(mix(vec3<f32>(grey), turned, dye.y) * dye.z, vec3<f32>(0.0));
  return mix(color, other, max(crimson, teal));
}`;

/** The same in GLSL. */
export const DYED_GLSL: string = DYED_CODE.replace(/^fn dyed\(.*\{/, 'vec3 dyed(vec3 color, vec3 dye) {')
  .replaceAll('vec3<f32>', 'vec3')
  .replaceAll(/let (turned|other)/g, 'vec3 $1')
  .replaceAll('let ', 'float ');

/** Change of surfaces that a battle's renderers are created with. */
export const BATTLE_SURFACE: SurfaceChange = {
  columns: ['tunic'],
  code: `${DYED_CODE}

fn changeSurface(site: SurfaceSite, surface: LitSurface) -> LitSurface {
  var changed = surface;
  changed.baseColor = dyed(surface.baseColor, tunicColumn(site.character));
  return changed;
}`,
  twin: ({ column }, surface) => ({ ...surface, baseColor: dyed(surface.baseColor, column('tunic')) }),
};

/** Twin of `DYED_CODE`. The turn: Rodrigues' formula about the axis of greys. */
export function dyed(color: Vector, [turn, saturation, brightness]: readonly number[]): Vector {
  const [r, g, b] = color;
  const crimson = 1 - smoothstep(0.11, 0.16, Math.max(g, b) / Math.max(r, 1e-4));
  const paint = smoothstep(2, 2.4, b / Math.max(g, 1e-4));
  const teal = (1 - smoothstep(0.3, 0.38, r / Math.max(Math.min(g, b), 1e-4))) * (1 - paint);
  const [sine, cosine] = [Math.sin(turn!) / Math.sqrt(3), Math.cos(turn!)];
  const across = [b - g, r - b, g - r] as const;
  const turned = color.map((c, i) => c * cosine + across[i]! * sine + ((r + g + b) * (1 - cosine)) / 3);
  const grey = 0.2126 * turned[0]! + 0.7152 * turned[1]! + 0.0722 * turned[2]!;
  const cloth = Math.max(crimson, teal);
  return color.map((c, i) => {
    const other = Math.max(0, (grey + (turned[i]! - grey) * saturation!) * brightness!);
    return c + (other - c) * cloth;
  }) as unknown as Vector;
}
