import { readFileSync } from 'node:fs';
import path from 'node:path';
import { BaseSequencer } from 'vitest/node';

/** What files about state machines mention, or the cases and scenes that they take from others. */
const CONTROLLED = /controller|animator|packSoldiers|state-scene/i;
/** The command compiles its kernels in a process of its own. */
const ALONE = /^import .*\b(?:answer|maniple)\b.*'\.\/maniple\.ts';$/m;

/**
 * Splits GPU tests in two by what they compile: `--shard 1/2` those of state machines, whose kernels take a software adapter ten
 * seconds, `--shard 2/2` all others. Each with one worker, which compiles a kernel once for all of its files.
 */
export class KernelSequencer extends BaseSequencer {
  override shard(...[files]: Parameters<BaseSequencer['shard']>): ReturnType<BaseSequencer['shard']> {
    const { index, count } = this.ctx.config.shard!;
    if (count !== 2) return super.shard(files);
    return Promise.resolve(files.filter(({ moduleId }) => (index === 1) === stepsMachines(moduleId)));
  }
}

function stepsMachines(file: string): boolean {
  const text = readFileSync(file, 'utf8');
  if (ALONE.test(text)) return false;
  const cases = Array.from(text.matchAll(/from '(\.[^']*-(?:cases|crowd|scene)\.ts)'/g), ([, name]) =>
    readFileSync(path.resolve(path.dirname(file), name!), 'utf8'),
  );
  return [text, ...cases].some((each) => CONTROLLED.test(each));
}
