import { planAnimators } from '../controller/eval/regions.ts';
import type { Character } from '../character/character.ts';
import { fail } from '../errors.ts';
import type { CrowdLayout } from '../frame/tables/crowd-layout.ts';
import { checkKinds, cullKinds, slotClasses } from '../frame/tables/cull-tables.ts';
import { planSharing } from '../frame/tables/sharing.ts';
import { attributeWords, joinTables, type CrowdTables, type TableOptions } from '../frame/tables/crowd-types.ts';
import type { KernelChoice } from '../stages/kernel-choice.ts';
import { NO_RESOURCES, type ResourceSource } from '../stages/provider-resources.ts';
import { controllerTraits } from '../stages/step-controllers/traits.ts';
import {
  DEFAULT_LEVEL_TOLERANCE,
  DEFAULT_MOTIONS,
  DEFAULT_VERTEX_MEMORY,
  MOTION_LIMIT,
  skinnedChannelOf,
  skinOf,
  sharingOf,
  type CrowdOptions,
} from './options.ts';
import { Decision } from '../stages/cull-characters/layout.ts';
import { Player } from '../stages/gather-motions/layout.ts';
import { Resident, SlotState, Transform, VERTEX_ROW_BYTES, VisibleCharacter } from '../stages/layout.ts';

/** Default number of events per frame: one for each character, within limits. */
const [LEAST_EVENTS, MOST_EVENTS] = [1024, 65536];
/** Shared poses of a crowd. */
const SHARED_LIMIT = 65536;

/** How a crowd's tables are joined. */
export function tableOptions(options: CrowdOptions, { serialPoses, groupThreads }: KernelChoice): TableOptions {
  const { maxModifiers: modifiers = 0, providers } = options;
  return { serialPoses, groupThreads, layers: modifiers > 0, skin: skinOf(options), providers };
}

/**
 * Everything of a crowd that changes only with its capacity or its types.
 * @param before Its tables until now: types keep their place.
 * @param resources What the application binds for providers.
 * @throws ManipleError CROWD_LIMIT
 */
export function crowdLayout(
  options: CrowdOptions,
  kernels: KernelChoice,
  before?: Pick<CrowdTables, 'types'>,
  resources: ResourceSource = NO_RESOURCES,
): CrowdLayout {
  const { characters, maxModifiers: modifiers = 0, providers = [] } = options;
  const controllers = characters.flatMap(({ controller }) => controller ?? []);
  const most = (pick: (character: Character) => number) => Math.max(0, ...characters.map(pick));
  const hasPlayers = controllers.length < characters.length;
  const motions = options.maxClips ?? DEFAULT_MOTIONS;
  const bound = Math.max(0, ...controllers.map(({ motionBound }) => motionBound));
  const traits = controllerTraits(controllers, options.rootMotion === 'report');
  const tables = joinTables(characters, tableOptions(options, kernels), before);
  checkKinds(tables.types);
  const skinnedChannel = skinnedChannelOf(options);
  const rowBudget = Math.floor((options.maxVertexBytes ?? DEFAULT_VERTEX_MEMORY) / VERTEX_ROW_BYTES);
  const rules = sharingOf(options);
  const sharing = rules && planSharing(tables.types, rules, providers.length);
  if (sharing && sharing.count > SHARED_LIMIT) {
    const message = `Shared poses need ${sharing.count} rows; the limit is ${SHARED_LIMIT}.`;
    fail('CROWD_LIMIT', 'poseSharing', message, 'Use fewer phases, or make several crowds.');
  }
  const capacity = options.capacity + (sharing?.count ?? 0);
  const words = attributeWords(tables.types, skinnedChannel !== undefined, options.skinned === 'exact');
  const classes = slotClasses(tables.types, capacity, rowBudget, { copies: options.copies, attributeWords: words });
  return {
    tables,
    capacity,
    sharing,
    classes,
    rowBudget,
    kinds: cullKinds(tables.types, classes, options.lodTolerancePx ?? DEFAULT_LEVEL_TOLERANCE, providers.length),
    poseLimit: options.maxPoses ?? capacity,
    playerCapacity: hasPlayers ? motions : sharing ? 1 : 0,
    motionCapacity: Math.min(MOTION_LIMIT, options.maxClips ?? Math.max(hasPlayers ? motions : 1, bound)) + modifiers,
    modifierCapacity: modifiers,
    animators: planAnimators({
      capacity,
      machines: most(({ controller }) => controller?.machines.length ?? 0),
      layers: most(({ controller }) => controller?.layers.length ?? 0),
      parameters: most(({ controller }) => controller?.parameters.length ?? 0),
      hasRoot: traits.root,
    }),
    controllers: controllers.length === 0 ? undefined : traits,
    eventCapacity: options.maxEvents ?? Math.max(LEAST_EVENTS, Math.min(MOST_EVENTS, options.capacity)),
    kernels,
    providers,
    resources,
    skinnedChannel,
  };
}

/** Bytes that the columns of a crowd with default options have for each character of this type, visible or not. */
export function columnBytes({ controller }: Character): number {
  const common = 2 * Transform.size + Resident.size + SlotState.size + Decision.size + VisibleCharacter.size;
  if (!controller) return common + DEFAULT_MOTIONS * Player.size;
  const rowsOf = (capacity: number): number =>
    planAnimators({
      capacity,
      machines: controller.machines.length,
      layers: controller.layers.length,
      parameters: controller.parameters.length,
      hasRoot: controllerTraits([controller]).root,
    }).rowCount;
  // columns are rounded up to four characters
  return common + (16 * (rowsOf(8) - rowsOf(4))) / 4;
}
