import type { StageName } from '../frame/stages.ts';
import { boundGroup } from '../layout/index.ts';
import { WriteRangesParams, ShareParams } from '../stages/cull-characters/layout.ts';
import type { Dispatch } from '../stages/kernel.ts';
import { arraysOf, isOfPage, type CapturedSpace } from './arrays.ts';

/** A range of a buffer, in bytes. */
export interface GpuRange {
  readonly buffer: GPUBuffer;
  readonly offset: number;
  readonly size: number;
}

/**
 * Bindings of kernels that have another name in captures, because they are part of the captured array, or contain it.
 */
const ALIASES: Readonly<Record<string, string>> = { tally: 'bins', dispatch: 'targets' };

/** Arrays that the dispatches of a stage bind, by the names of captures. Read from the bind groups themselves. */
export function gpuArrays(
  stage: StageName,
  dispatches: readonly Dispatch[],
  space: CapturedSpace,
): Map<string, GpuRange> {
  const forms = arraysOf(stage, space);
  const ranges = new Map<string, GpuRange>();
  const pages: GPUBuffer[] = [];
  const add = (name: string, buffer: GPUBuffer, offset = 0, bound = buffer.size - offset) => {
    const form = forms.get(name);
    if (!form || ranges.has(name)) return;
    const size = form.words ? Math.min(bound, 4 * form.words(space)) : bound;
    ranges.set(name, { buffer, offset, size });
  };
  for (const { groups, groupCount } of dispatches) {
    if (typeof groupCount !== 'number') add('targets', groupCount.buffer);
    for (const group of groups) {
      const known = boundGroup(group);
      if (!known) continue; // the application's own resources
      const { bindings, resources } = known;
      for (const [name, binding] of Object.entries(bindings.entries)) {
        const resource = resources[name]!;
        if (!('element' in binding) || binding.element === WriteRangesParams) continue;
        const { buffer, offset, size } = ('mapState' in resource ? { buffer: resource } : resource) as GPUBufferBinding;
        if (name === 'dispatch') add('targets', buffer);
        else if (isOfPage(stage, name)) {
          if (!pages.includes(buffer)) pages.push(buffer);
          add(`${name}/${pages.indexOf(buffer)}`, buffer, offset, size);
        } else add(binding.element === ShareParams ? 'shareParams' : (ALIASES[name] ?? name), buffer, offset, size);
      }
    }
  }
  return ranges;
}
