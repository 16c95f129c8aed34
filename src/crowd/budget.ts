import { fail } from '../errors.ts';
import type { CrowdLayout } from '../frame/tables/crowd-layout.ts';
import { layoutBytes } from '../frame/tables/memory.ts';
import { type CrowdOptions, DEFAULT_VERTEX_MEMORY } from './options.ts';

/** Poses that far characters share where memory does not hold a pose for each. */
const SHARING = { belowPx: 64, phases: 8 } as const;

/** Options that a budget decides once, when the crowd is created. */
export interface BudgetDecision {
  readonly skin: CrowdOptions['skin'];
  readonly poseSharing: CrowdOptions['poseSharing'];
}

/** Ways to hold a crowd in memory, best first. Options that the application has set stay. */
function candidatesOf(options: CrowdOptions): readonly CrowdOptions[] {
  const skins = options.skin === undefined ? (['compute', 'vertex'] as const) : [options.skin];
  const shares = options.poseSharing === undefined ? [undefined, SHARING] : [options.poseSharing];
  return shares.flatMap((poseSharing) =>
    skins.map((skin) => ({ ...options, skin, ...(poseSharing && { poseSharing }) })),
  );
}

function decidedOptions(options: CrowdOptions, { skin, poseSharing }: BudgetDecision): CrowdOptions {
  return { ...options, ...(skin && { skin }), ...(poseSharing && { poseSharing }) };
}

/**
 * Options with which the crowd's memory stays within its budget. If the budget holds every character at its finest level, they are
 * the application's own. Otherwise draws skin, or far characters share poses, or fewer characters have slots: whichever shows the most.
 *
 * @param layoutOf Lays a crowd out; nothing is created.
 * @param decided Of a crowd that exists: types stay skinned where they are.
 * @throws ManipleError CROWD_FULL: not even one character fits
 */
export function budgetedOptions(
  options: CrowdOptions,
  layoutOf: (options: CrowdOptions) => CrowdLayout,
  decided?: BudgetDecision,
): CrowdOptions {
  const { bytes } = options.budget ?? {};
  if (bytes === undefined) return options;
  let [best, most, least] = [options, 0, Infinity];
  for (const candidate of decided ? [decidedOptions(options, decided)] : candidatesOf(options)) {
    const { fixed, pose, finest, coarsest } = layoutBytes(layoutOf(candidate));
    least = Math.min(least, fixed + pose + coarsest);
    const rest = bytes - fixed;
    const isWhole = rest >= options.capacity * (pose + finest);
    // a character without a pose of its own in a frame keeps the last one, so a slot is worth a pose
    const shown = isWhole ? options.capacity : Math.min(options.capacity, Math.floor(rest / (pose + coarsest)));
    if (shown <= most) continue;
    const maxPoses = Math.min(shown, options.maxPoses ?? shown);
    const maxVertexBytes = Math.min(rest - maxPoses * pose, options.maxVertexBytes ?? DEFAULT_VERTEX_MEMORY);
    [best, most] = [{ ...candidate, maxPoses, maxVertexBytes }, shown];
    if (isWhole) break;
  }
  if (most === 0) {
    const message = `Got ${bytes} bytes; the tables and columns of this crowd and one character take ${least}.`;
    fail('CROWD_FULL', 'budget.bytes', message, 'Give more bytes, or a smaller capacity.');
  }
  return best;
}

/** Frames between two changes of detail. */
export const FRAMES_PER_STEP = 8;
/** GPU time above which a frame is too long, and below which there is room, as shares of the budget. */
const [TOO_LONG, ROOM] = [1, 0.8];
/** Factors of detail per measured frame. It falls quickly, since frames are late already, and rises slowly. */
const [LOWER, HIGHER] = [0.85, 1.03];
/** Least factor of sizes: characters count as if they were sixteen times as far. */
export const LEAST_DETAIL: number = 1 / 16;

/**
 * Chooses how large characters count on the screen, so that a frame takes the milliseconds of a budget. Levels of detail, update rates
 * and shared poses follow from that size.
 */
export class DetailGovernor {
  readonly #milliseconds: number;
  /** Factor for the `detail` of all views: 1 while frames are quick enough. */
  detail = 1;
  /** GPU time of the last measured frame; undefined before the first, or where the device has no timestamps. */
  measured: number | undefined;

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  /** Takes the GPU time of a frame. It should be of a frame that was encoded after the last change of detail. */
  follow(milliseconds: number): void {
    this.measured = milliseconds;
    const share = milliseconds / this.#milliseconds;
    if (share > TOO_LONG) this.detail = Math.max(LEAST_DETAIL, this.detail * LOWER);
    else if (share < ROOM) this.detail = Math.min(1, this.detail * HIGHER);
  }
}
