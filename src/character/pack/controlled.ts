import type { Issue } from '../../errors.ts';
import { additiveClip } from '../additive-clip.ts';
import { compileFor } from '../bind-controller.ts';
import type { ResolvedClip } from '../../controller/clip-table.ts';
import { compileController, type CompiledController } from '../../controller/compile.ts';
import type { CharacterModel, ClipModel } from '../model.ts';
import { nameIndex } from '../names.ts';
import { extractRootMotion } from '../root-motion.ts';
import { laneCountOf } from './channels.ts';
import type { PackOptions } from './options.ts';

/** Clips to pack, and the controller that plays them. */
interface ControlledClips {
  /** Clips of the model, without the root motion that the options extract. */
  readonly own: readonly ClipModel[];
  /** The same, then the differences that additive layers play. */
  readonly clips: readonly ClipModel[];
  readonly controller?: CompiledController;
}

/** Prepares chosen clips of a model. @throws as `extractRootMotion` and `compileController` */
export function controlledClips(
  model: CharacterModel,
  source: readonly ClipModel[],
  options: PackOptions,
  issues: Issue[],
): ControlledClips {
  const { controller, rootMotion } = options;
  const own = rootMotion
    ? source.map((clip) => (clip.root ? clip : extractRootMotion(model, clip, { ...rootMotion, issues })))
    : source;
  if (!controller) return { own, clips: own };
  const indexOf = (name: string): number | undefined => {
    const index = nameIndex(own, name);
    return index < 0 ? undefined : index;
  };
  const clips = [...own];
  const differences = new Map<string, number>();
  // compiling asks for every reference that additive layers play
  compileController(
    { ...controller, issues: [] },
    {
      resolve(reference, additive) {
        const index = indexOf(reference);
        if (!additive || index === undefined || differences.has(reference)) return {};
        const clip = own[index]!;
        const wanted = controller.clips?.[reference]?.reference;
        const from = wanted === undefined ? undefined : indexOf(wanted.clip);
        const pose = from === undefined ? undefined : { clip: own[from]!, time: wanted?.time ?? 0 };
        const difference = additiveClip(clip, pose, model, issues);
        differences.set(reference, clips.push({ ...difference, name: `${clip.name} (additive)` }) - 1);
        return {};
      },
    },
  );
  const resolve = (reference: string, additive: boolean): ResolvedClip | undefined => {
    const index = additive ? differences.get(reference) : indexOf(reference);
    if (index === undefined) return undefined;
    const { duration, loops = true, events, root } = clips[index]!;
    return { rigClip: index, length: duration, loops, ...(events ? { events } : {}), ...(root ? { root } : {}) };
  };
  const { name, joints, humanoid, unreadClips = [] } = model;
  const names = [...model.clips.map((clip) => clip.name), ...unreadClips];
  const binding = { name, joints, humanoid, laneCount: laneCountOf(model), issues, clips: names, missing: options };
  return { own, clips, controller: compileFor(binding, controller, resolve) };
}
