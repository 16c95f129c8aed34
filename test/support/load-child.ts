// Imports, packs and bakes one file or address, and prints the result, the time and the peak memory: run by load.test.ts
// in a process of its own, because memory that a process has once had counts for the rest of its life.
import { readBaked, writeBaked } from '../../src/character/file/index.ts';
import { type Opened, openFile, packOpened } from '../../src/cli/load.ts';
import { ManipleError } from '../../src/errors.ts';
import { loadModel } from '../../src/import/index.ts';
import { stopwatch } from './stopwatch.ts';

const target = process.argv[2]!;
const open = async (): Promise<Opened> =>
  target.startsWith('http:')
    ? { file: target, kind: 'model', model: await loadModel(target), bytes: new Uint8Array() }
    : openFile(target);

async function outcomeOf(): Promise<string> {
  try {
    const character = await packOpened(await open(), { errorBudget: undefined });
    readBaked(writeBaked(character), target);
    return 'loaded';
  } catch (thrown) {
    if (thrown instanceof ManipleError) return `${thrown.code}: ${thrown.message.slice(0, 300)}`;
    throw thrown;
  }
}

const elapsed = stopwatch();
const outcome = await outcomeOf();
const milliseconds = elapsed();
console.log(JSON.stringify({ outcome, milliseconds, peakBytes: process.resourceUsage().maxRSS * 1024 }));
process.exit();
