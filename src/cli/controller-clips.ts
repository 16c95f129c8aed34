import type { MissingOptions } from '../asset/bind-controller.ts';
import type { ControllerModel } from '../asset/controller/model.ts';
import type { ClipModel } from '../asset/model.ts';
import { clipReferences } from './references.ts';

/** What tools do with names that a character lacks: they run the controller all the same, and show what is missing. */
export const TOLERANT: Required<MissingOptions> = { missingClips: 'warn', missingJoints: 'warn' };

/** Names of the clips that a controller plays, and of those that have their reference poses: packing more takes seconds. */
export function neededClips(model: ControllerModel): ReadonlySet<string> {
  const played = [...clipReferences(model)];
  return new Set([...played, ...played.flatMap((name) => model.clips?.[name]?.reference?.clip ?? [])]);
}

/** Clips that the controller itself tells enough of: without a character their keys matter to nobody. */
export function clipsByFacts(model: ControllerModel, found: readonly { readonly name: string }[]): ClipModel[] {
  const names = new Set(found.map(({ name }) => name));
  return [...clipReferences(model)].flatMap((name): ClipModel | [] => {
    const { length, loops = true } = (Object.hasOwn(model.clips ?? {}, name) && model.clips?.[name]) || {};
    return length === undefined || names.has(name) ? [] : { name, duration: length, loops, tracks: [] };
  });
}

/** Masks name joints, which nobody has here; they change poses alone. */
export function withoutMasks(model: ControllerModel): ControllerModel {
  return { ...model, layers: model.layers.map((layer) => ({ ...layer, mask: {} })) };
}
