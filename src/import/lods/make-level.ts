import { type LodMeter, MARGIN } from '../../character/lods/index.ts';
import type { MeshModel } from '../../character/model.ts';
import type { Simplifier } from './simplifier.ts';

/** How often vertices are locked and a level is made again: for a number of triangles, for an error. */
const [COUNT_ROUNDS, ERROR_ROUNDS] = [8, 20];
/** Rounds without improvement that end the search for a number of triangles. */
const IDLE_ROUNDS = 3;
/** A round may have this many times the wanted triangles, or the best round's, if its error is smaller. */
const SLACK = 1.05;
/**
 * Limits for vertices: a multiple of the simplifier's own error, which is a mean, and a share of the worst vertex's
 * error.
 */
const TRUST = 1.5;
const WORST_SHARE = 0.6;
/** No level strays farther, as a share of the size: it would not look like the character any more. */
const MOST_STRAY = 0.1;

/** A requested level: no more triangles than this, or as few as an error limit allows. */
export interface LevelWish {
  readonly triangles: number;
  /** Metres; may be infinite. */
  readonly error: number;
}

export interface Level {
  readonly meshes: MeshModel[];
  /** Metres, as LodMeter measures it. */
  readonly error: number;
}

/**
 * One coarser level. The simplifier's error is a mean, so it does not notice a spear that gets shorter. So the result
 * is compared with the finest meshes. Vertices around places that are too far from them are locked, and the level is
 * made again.
 *
 * @returns About as many triangles as are wanted; or as few as the error limit allows, or a tenth of the character's
 *   size; undefined where nothing is within that.
 */
export function makeLevel(simplifier: Simplifier, meter: LodMeter, wish: LevelWish): Level | undefined {
  const most = Math.min(wish.error / MARGIN, MOST_STRAY * simplifier.size);
  const counted = wish.triangles > 0 ? bestOfCount(simplifier, meter, wish.triangles) : undefined;
  const level = counted && { meshes: counted, error: meter.measure(counted) };
  if (level && level.error <= MARGIN * most) return level;
  const meshes = fewestWithin(simplifier, meter, { triangles: wish.triangles, error: most });
  return meshes && { meshes, error: meter.measure(meshes) };
}

/** With a number of triangles: of several rounds the one in which the worst vertex strays least. */
function bestOfCount(simplifier: Simplifier, meter: LodMeter, wanted: number): MeshModel[] | undefined {
  const locked = new Uint8Array(simplifier.vertexCount);
  let best: { meshes: MeshModel[]; triangles: number; worst: number } | undefined;
  for (let [round, idle] = [0, 0]; round < COUNT_ROUNDS && idle < IDLE_ROUNDS; round++) {
    // what is locked has to be made up for elsewhere
    const error = simplifier.errorFor(wanted, locked);
    const trusted = TRUST * error;
    const kept = simplifier.simplify(wanted, error, locked);
    // everything may be small enough to vanish
    if (kept.length === 0) break;
    const meshes = simplifier.meshesOf(kept);
    const strays = meter.strays(meshes, { least: trusted, thorough: false });
    const worst = strays.reduce((most, stray) => Math.max(most, stray), trusted);
    const triangles = kept.length / 3;
    const fits = !best || triangles <= SLACK * Math.max(wanted, best.triangles);
    const isBetter = fits && !(best && worst >= best.worst);
    if (isBetter) best = { meshes, triangles, worst };
    if (worst <= trusted) break;
    idle = isBetter ? 0 : idle + 1;
    // the worst first: where they are right, others may be
    const tolerated = Math.max(trusted, WORST_SHARE * worst);
    strays.forEach((stray, v) => {
      if (stray > tolerated) locked[v] = 1;
    });
  }
  return best?.meshes;
}

/** As few triangles as can be, but no fewer than are wanted, without straying farther than the error in any pose. */
function fewestWithin(
  simplifier: Simplifier,
  meter: LodMeter,
  { triangles, error }: LevelWish,
): MeshModel[] | undefined {
  const locked = new Uint8Array(simplifier.vertexCount);
  let stuck: Uint8Array = new Uint8Array(simplifier.vertexCount);
  let thorough = false;
  for (let round = 0; round < ERROR_ROUNDS; round++) {
    const kept = simplifier.simplify(triangles, error / 2, locked);
    if (kept.length === 0) return undefined;
    const meshes = simplifier.meshesOf(kept);
    const strays = meter.strays(meshes, { least: error, thorough });
    if (!strays.some((stray) => stray > error)) {
      if (thorough) return meshes;
      thorough = true;
      continue;
    }
    // where something strays around a vertex that is locked already, its neighbours have to be, and theirs in turn
    strays.forEach((stray, v) => {
      if (stray > error && locked[v] === 1) stuck[v] = 1;
    });
    if (stuck.includes(1)) stuck = simplifier.withNeighbours(stuck);
    strays.forEach((stray, v) => {
      if (stray > error || stuck[v] === 1) locked[v] = 1;
    });
  }
  return undefined;
}
