import { error, fail, type Issue, listed, quoted, warning } from '../errors.ts';
import {
  type CompiledController,
  compileController,
  type CompileOptions,
  expectController,
} from '../controller/compile.ts';
import { View } from '../layout/index.ts';
import type { ChildModel, ControllerModel, LayerModel, MachineModel, MotionModel } from '../controller/model.ts';
import { partOfMask } from './body-parts.ts';
import { type Character, expectCharacter } from './character.ts';
import { CharacterType, RestLane } from './format/rig-layout.ts';
import type { HumanoidMap } from './humanoid.ts';
import { jointOfMask, maskWeights } from './mask.ts';
import { mirrorPairs, mirrorTable } from './mirror.ts';
import type { JointModel } from './model.ts';
import { listedByNearness, nameIndex } from './names.ts';

/** A joint, with the fields that controllers need; `rotation` is the local one at rest. */
type BoundJoint = Pick<JointModel, 'name' | 'parentIndex'> & { readonly rotation: ArrayLike<number> };

/** Policy for names in a controller that the character lacks. */
export interface MissingOptions {
  /**
   * Clips that the controller plays, takes reference poses from, or has facts about. Default 'error': CLIP_NOT_FOUND,
   * with the names of existing clips. 'warn': CONTROLLER_CLIP_MISSING in `issues`; such a clip counts as one of 1 s
   * that moves nothing.
   */
  readonly missingClips?: 'error' | 'warn';
  /**
   * Joints that masks name. Default 'error': CONTROLLER_NAME_UNKNOWN. 'warn': the same in `issues`, and those names
   * have no effect.
   */
  readonly missingJoints?: 'error' | 'warn';
}

/** The character that a controller is bound to, and the list for warnings. */
interface Binding {
  readonly name: string;
  readonly joints: readonly BoundJoint[];
  /** Joints and morph lanes. */
  readonly laneCount: number;
  readonly humanoid: HumanoidMap | undefined;
  readonly issues: Issue[];
  /** Names of all clips. */
  readonly clips: readonly string[];
  readonly missing: MissingOptions;
}

/** Compiles a controller for a character. @throws as `compileController` */
export function compileFor(
  binding: Binding,
  controller: ControllerModel,
  resolve: CompileOptions['resolve'] & {},
): CompiledController {
  const { name, clips, missing } = binding;
  expectController(controller);
  for (const key of ['missingClips', 'missingJoints'] as const) {
    const value = missing[key] ?? 'error';
    if (value === 'error' || value === 'warn') continue;
    fail('CROWD_BAD_ARGUMENT', key, `Got ${quoted(value)} for ${key}.`, "Use 'error' or 'warn'.");
  }
  const mirror = bindMirror(controller, binding);
  return compileController(controller, {
    resolve,
    owner: { name, clips, missingClips: missing.missingClips ?? 'error' },
    mask: (layer, issues) => bindMask(layer, binding, issues),
    ...(mirror ? { mirrorTable: mirror } : {}),
  });
}

/** Bytes of a layer's mask. A name that matches no joint is an issue (CONTROLLER_NAME_UNKNOWN). */
function bindMask(
  layer: LayerModel,
  { name, joints, laneCount, humanoid, missing }: Binding,
  issues: Issue[],
): Uint8Array {
  const { bytes, unmatched } = maskWeights(layer.mask!, joints, laneCount, humanoid);
  const [first] = unmatched;
  if (first !== undefined) {
    const isRefused = (missing.missingJoints ?? 'error') === 'error';
    const message = `The mask names joints that ${quoted(name)} does not have: ${listed(unmatched)}.`;
    const hint = unmatched.some(partOfMask)
      ? 'Parts of a body need `humanoid`, as findHumanoid finds it.'
      : `The joints nearest to ${quoted(first)}: ${listedByNearness(joints, jointOfMask(first))}.`;
    const suggestion = isRefused ? `${hint} With missingJoints: 'warn' those names mean nothing.` : hint;
    const issue = isRefused ? error : warning;
    issues.push(issue('CONTROLLER_NAME_UNKNOWN', `${layer.name}/mask`, message, suggestion));
  }
  return bytes;
}

/** The mirror table, if one is needed. Joints that cannot be mirrored are a warning (CONTROLLER_SIMPLIFIED). */
function bindMirror(
  controller: ControllerModel,
  { joints, laneCount, issues }: Binding,
): Uint32Array<ArrayBuffer> | undefined {
  if (!mirrors(controller)) return undefined;
  const pairs = mirrorPairs(joints.map(({ name }) => name));
  const { words, unmirrored } = mirrorTable(joints, pairs, laneCount);
  if (unmirrored.length > 0) {
    const names = unmirrored.slice(0, 10).map((joint) => joints[joint]!.name);
    const message = `${unmirrored.length} joints have no counterpart to be mirrored with: ${names.join(', ')}.`;
    const suggestion = 'They, and all below them, keep their own motion.';
    issues.push(warning('CONTROLLER_SIMPLIFIED', 'mirror', message, suggestion));
  }
  return words;
}

/** Returns true if anything of a controller may play with left and right exchanged. */
function mirrors({ layers, clips = {} }: ControllerModel): boolean {
  const inMotion = (motion: MotionModel | undefined): boolean =>
    typeof motion === 'object' &&
    (motion.children as readonly ChildModel[]).some((child) => child.mirror === true || inMotion(child.motion));
  const inMachine = ({ states, machines = {} }: MachineModel): boolean =>
    Object.values(states).some(
      ({ mirror, mirrorParameter, motion }) => mirror === true || mirrorParameter !== undefined || inMotion(motion),
    ) || Object.values(machines).some(inMachine);
  return (
    Object.values(clips).some(({ mirror }) => mirror === true) ||
    layers.some(
      ({ machine, sync }) => (machine && inMachine(machine)) || (sync && Object.values(sync.motions).some(inMotion)),
    )
  );
}

/** Suffix of the name of a clip that holds the difference from its reference pose. */
const ADDITIVE = ' (additive)';

/**
 * A packed character that runs a controller. For baked characters. `packCharacter` with `controller` does more: it
 * packs the differences that additive layers need, and includes clips' events and root motion. Here additive layers
 * play clips that were baked with a controller.
 *
 * @param missing Policy for clips and joints that the controller names and the character lacks. `humanoid`: bones of the character, for
 *   masks of body parts.
 * @throws ManipleError CROWD_BAD_ARGUMENT (no character), and as `compileController`
 */
export function withController(
  character: Character,
  controller: ControllerModel,
  missing: MissingOptions & { readonly humanoid?: HumanoidMap } = {},
): Character {
  expectCharacter(character);
  const issues: Issue[] = [];
  const { name, rig, clips, unpackedClips = [] } = character;
  const type = new View(CharacterType, rig.buffer, rig.byteOffset, 1);
  const laneCount = type.get(0, 'laneCount');
  const lanes = new View(RestLane, rig.buffer, rig.byteOffset + 16 * type.get(0, 'restRow'), laneCount);
  const joints = character.joints.map((joint, index) => ({ ...joint, rotation: lanes.get(index, 'rotation') }));
  const own = clips.map((clip) => clip.name).filter((clip) => !clip.endsWith(ADDITIVE));
  const { humanoid } = missing;
  const binding = { name, joints, laneCount, humanoid, issues, clips: [...own, ...unpackedClips], missing };
  const compiled = compileFor(binding, controller, (reference, additive) => {
    const index = nameIndex(clips, additive ? `${reference}${ADDITIVE}` : reference);
    if (index < 0) return undefined;
    return { rigClip: index, length: clips[index]!.duration, loops: clips[index]!.loops };
  });
  // more additive layers may reach farther
  const { reach, ...rest } = character;
  const additiveLayers = compiled.layers.filter(({ additive }) => additive).length;
  const holds = reach && reach.additiveLayers >= additiveLayers;
  return {
    ...rest,
    ...(holds ? { reach } : {}),
    controller: compiled,
    issues: [...character.issues, ...issues, ...compiled.issues],
  };
}
