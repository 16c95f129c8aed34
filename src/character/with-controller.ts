import type { Issue } from '../errors.ts';
import { View } from '../layout/index.ts';
import { type Binding, compileFor, type MissingOptions } from './bind-controller.ts';
import { type Character, expectCharacter } from './character.ts';
import type { ControllerModel } from '../controller/model.ts';
import { nameIndex } from './names.ts';
import { CharacterType, RestLane } from './format/rig-layout.ts';

/** Suffix of the name of a clip that holds the difference from its reference pose. */
const ADDITIVE = ' (additive)';

/**
 * A packed character that runs a controller. For baked characters. `packCharacter` with `controller` does more: it
 * packs the differences that additive layers need, and includes clips' events and root motion. Here additive layers
 * play clips that were baked with a controller.
 *
 * @param missing Policy for clips and joints that the controller names and the character lacks.
 * @throws ManipleError CROWD_BAD_ARGUMENT (no character), and as `compileController`
 */
export function withController(
  character: Character,
  controller: ControllerModel,
  missing: MissingOptions = {},
): Character {
  expectCharacter(character);
  const issues: Issue[] = [];
  const { clips } = character;
  const compiled = compileFor(bindingOf(character, issues, missing), controller, (reference, additive) => {
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

/** Joints with their rest rotations from the packed table. */
function bindingOf(
  { name, joints, rig, clips, unpackedClips = [] }: Character,
  issues: Issue[],
  missing: MissingOptions,
): Binding {
  const type = new View(CharacterType, rig.buffer, rig.byteOffset, 1);
  const laneCount = type.get(0, 'laneCount');
  const rest = new View(RestLane, rig.buffer, rig.byteOffset + 16 * type.get(0, 'restRow'), joints.length);
  return {
    name,
    joints: joints.map((joint, index) => ({ ...joint, rotation: rest.get(index, 'rotation') })),
    laneCount,
    issues,
    clips: [...clips.map((clip) => clip.name).filter((clip) => !clip.endsWith(ADDITIVE)), ...unpackedClips],
    missing,
  };
}
