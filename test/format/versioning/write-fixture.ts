import { writeFileSync } from 'node:fs';
import { BAKED_VERSION, writeBaked } from '../../../src/character/file/index.ts';
import { recordedMote } from '../mote.ts';

/**
 * Writes the fixture of the current format version, once: `npx tsx test/format/versioning/write-fixture.ts`; with a word
 * behind it one that has what fields of that name brought later. A fixture that exists is never written again: it stands for
 * the files that are out there.
 */
const brought = process.argv[2] ? `-${process.argv[2]}` : '';
const file = new URL(`character-v${BAKED_VERSION}${brought}.maniple`, import.meta.url);
writeFileSync(file, writeBaked(recordedMote(), { first: ['Wave'] }), { flag: 'wx' });
console.log(`wrote ${file.pathname}`);
