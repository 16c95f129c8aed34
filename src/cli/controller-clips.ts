import type { MissingOptions } from '../character/bind-controller.ts';
import type { ControllerModel } from '../controller/model.ts';
import { clipReferences } from '../controller/references.ts';
import type { ClipModel } from '../character/model.ts';

/** How tools handle names that a character lacks: they run the controller and report what is missing. */
export const TOLERANT: Required<MissingOptions> = { missingClips: 'warn', missingJoints: 'warn' };

/** Clips that the controller describes well enough. Without a character their keys do not matter. */
export function clipsByFacts(model: ControllerModel, found: readonly { readonly name: string }[]): ClipModel[] {
  const names = new Set(found.map(({ name }) => name));
  return [...clipReferences(model)].flatMap((name): ClipModel | [] => {
    const { length, loops = true } = (Object.hasOwn(model.clips ?? {}, name) && model.clips?.[name]) || {};
    return length === undefined || names.has(name) ? [] : { name, duration: length, loops, tracks: [] };
  });
}

/** Removes masks. They name joints that this character lacks, and only change poses. */
export function withoutMasks(model: ControllerModel): ControllerModel {
  return { ...model, layers: model.layers.map((layer) => ({ ...layer, mask: {} })) };
}
