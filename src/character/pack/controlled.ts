import type { Issue } from '../../errors.ts';
import { additiveClip } from '../additive-clip.ts';
import { compileFor, type MissingOptions } from '../bind-controller.ts';
import type { ResolvedClip } from '../../controller/clip-table.ts';
import { compileController, type CompiledController } from '../../controller/compile.ts';
import type { ControllerModel } from '../../controller/model.ts';
import type { CharacterModel, ClipModel } from '../model.ts';
import { nameIndex } from '../names.ts';
import { extractRootMotion, type RootMotionOptions } from '../root-motion.ts';

/** Clips to pack for a controller: those of the model, and those that additive layers need. */
export interface ControlledClips {
  readonly clips: readonly ClipModel[];
  /** Index in `clips` of the clip that a reference names. */
  readonly indexOf: (reference: string, additive: boolean) => number | undefined;
}

/** Takes root motion out of clips. @throws as `extractRootMotion` */
export function withoutRoot(
  model: CharacterModel,
  clips: readonly ClipModel[],
  options: RootMotionOptions | undefined,
  issues: Issue[],
): readonly ClipModel[] {
  if (!options) return clips;
  return clips.map((clip) => (clip.root ? clip : extractRootMotion(model, clip, { ...options, issues })));
}

/** Adds the differences that the controller's additive layers play to the clips. */
export function addDifferences(
  model: CharacterModel,
  clips: readonly ClipModel[],
  controller: ControllerModel,
  issues: Issue[],
): ControlledClips {
  const indexOf = (name: string): number | undefined => {
    const index = nameIndex(clips, name);
    return index < 0 ? undefined : index;
  };
  const all = [...clips];
  const differences = new Map<string, number>();
  // compiling asks for every reference that additive layers play
  compileController(
    { ...controller, issues: [] },
    {
      resolve(reference, additive) {
        const index = indexOf(reference);
        if (!additive || index === undefined || differences.has(reference)) return {};
        const clip = clips[index]!;
        const wanted = controller.clips?.[reference]?.reference;
        const from = wanted === undefined ? undefined : indexOf(wanted.clip);
        const pose = from === undefined ? undefined : { clip: clips[from]!, time: wanted?.time ?? 0 };
        const difference = additiveClip(clip, pose, model, issues);
        differences.set(reference, all.push({ ...difference, name: `${clip.name} (additive)` }) - 1);
        return {};
      },
    },
  );
  return {
    clips: all,
    indexOf: (reference, additive) => (additive ? differences.get(reference) : indexOf(reference)),
  };
}

/** Compiles a controller for a character before its clips are packed. @throws as `compileController` */
export function bindController(
  model: CharacterModel,
  { clips, indexOf }: ControlledClips,
  controller: ControllerModel,
  laneCount: number,
  issues: Issue[],
  missing: MissingOptions,
): CompiledController {
  const resolve = (reference: string, additive: boolean): ResolvedClip | undefined => {
    const index = indexOf(reference, additive);
    if (index === undefined) return undefined;
    const { duration, loops = true, events, root } = clips[index]!;
    return { rigClip: index, length: duration, loops, ...(events ? { events } : {}), ...(root ? { root } : {}) };
  };
  const names = [...model.clips.map(({ name }) => name), ...(model.unreadClips ?? [])];
  return compileFor(
    { name: model.name, joints: model.joints, laneCount, issues, clips: names, missing },
    controller,
    resolve,
  );
}
