// Imports, packs and bakes every file that it is given, and says what each came to: run by malformed.test.ts, which
// looks at how long that took and how much memory the process has ever had.
import { readBaked, writeBaked } from '../../src/character/file/index.ts';
import { packCharacter } from '../../src/character/pack/index.ts';
import { ManipleError } from '../../src/errors.ts';
import { importFile } from '../import/pose-model.ts';

async function outcomeOf(file: string): Promise<string> {
  try {
    readBaked(writeBaked(packCharacter(await importFile(file))), file);
    return 'loaded';
  } catch (thrown) {
    if (thrown instanceof ManipleError) return thrown.code;
    throw thrown;
  }
}

const outcomes: { file: string; outcome: string; seconds: number }[] = [];
for (const file of process.argv.slice(2)) {
  const start = performance.now();
  const outcome = await outcomeOf(file);
  outcomes.push({ file, outcome, seconds: (performance.now() - start) / 1000 });
}
console.log(JSON.stringify({ outcomes, peakBytes: process.resourceUsage().maxRSS * 1024 }));
