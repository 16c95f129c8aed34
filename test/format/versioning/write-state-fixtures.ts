import { readFileSync, writeFileSync } from 'node:fs';
import { readBaked } from '../../../src/character/file/index.ts';
import { LOG_VERSION } from '../../../src/state/log-format.ts';
import { VERSION } from '../../../src/state/snapshot.ts';
import { createCrowd } from '../../../src/index.ts';
import { recordInputs, saveSnapshot } from '../../../src/state/index.ts';
import { updateAndWait } from '../../support/update-and-wait.ts';

/**
 * Writes a snapshot and an input log of the current versions, once: `npx tsx test/format/versioning/write-state-fixtures.ts`. A
 * fixture that exists is never written again: it stands for the files that are out there.
 */
const at = (name: string) => new URL(name, import.meta.url);
const mote = readBaked(new Uint8Array(readFileSync(at('character-v3.maniple'))));
const crowd = await createCrowd(undefined, { characters: [mote], capacity: 4, maxClips: 2, backend: 'cpu' });
const log = recordInputs(crowd);
const motes = crowd.spawn(mote, { count: 3, place: (i, place) => place.position.set(i, 0, -2 * i) });
motes.play('Wave');
await updateAndWait(crowd, { dt: 0.25 });
motes.setTint([1, 0.5, 0, 1], [2]);
motes.despawn([1]);
crowd.moveOrigin([16, 0, 0]);
await updateAndWait(crowd, { dt: 0.5 });
const snapshot = await saveSnapshot(crowd);
for (const [name, bytes] of [
  [`crowd-v${VERSION}.snapshot`, new Uint8Array(snapshot.bytes)],
  [`crowd-v${LOG_VERSION}.log`, log.since()],
] as const) {
  writeFileSync(at(name), bytes, { flag: 'wx' });
  console.log(`wrote ${at(name).pathname}`);
}
