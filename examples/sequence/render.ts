// Renders a sequence of pictures without a window: `npx tsx examples/sequence/render.ts --frames 48`. In your own project,
// import from 'maniple', 'maniple/character', 'maniple/import', 'maniple/node' and 'maniple/render'.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { packCharacter } from '../../src/character/index.ts';
import { nodeDevice } from '../../src/node/index.ts';
import { importGltf } from '../../src/import/index.ts';
import { createCrowd } from '../../src/index.ts';
import { createReadableTarget, createVisibilityRenderer, encodePng } from '../../src/render/index.ts';

const { values } = parseArgs({
  options: {
    frames: { type: 'string', default: '48' },
    fps: { type: 'string', default: '24' },
    width: { type: 'string', default: '960' },
    count: { type: 'string', default: '60' },
    out: { type: 'string', default: 'out/sequence' },
  },
});
const frames = Number(values.frames);
const dt = 1 / Number(values.fps);
const count = Number(values.count);
const width = Number(values.width);
const height = Math.round((width * 9) / 16);
const COLUMNS = 10;

// A GPU if there is one, otherwise a software adapter.
const { device, kind } = await nodeDevice();
const file = new URL('../../characters/legionary.glb', import.meta.url);
const legionary = packCharacter(await importGltf({ name: 'legionary', bytes: await readFile(file) }));

const crowd = await createCrowd(device, { characters: [legionary], capacity: count });
const legion = crowd.spawn(legionary, {
  count,
  place: (i, at) => at.position.set(((i % COLUMNS) - (COLUMNS - 1) / 2) * 1.4, 0, -Math.floor(i / COLUMNS) * 1.4),
});
legion.hideParts('Pilum');
legion.setClips((i) => [{ clip: 'idle', phase: i / 11 }]);

// Time does not matter here: a GPU draws many samples per pixel.
const isSoftware = kind === 'software';
const quality = isSoftware ? { sampleCount: 2, cascadeCount: 1, shadowResolution: 1024 } : { sampleCount: 16 };
const renderer = await createVisibilityRenderer(device, crowd, quality);
const picture = createReadableTarget(device, width, height);
await mkdir(values.out, { recursive: true });

let rank = 0;
for (let frame = 1; frame <= frames; frame++) {
  // Every 0.4 seconds one more rank begins to cheer.
  if (crowd.time >= 0.4 * rank && rank * COLUMNS < count) {
    const ofRank = [...legion.ids.keys()].filter((i) => Math.floor(i / COLUMNS) === rank);
    legion.play('cheer', { fade: 0.3 }, ofRank);
    rank++;
  }

  // Each frame is `dt` after the previous one, however long it takes to draw. Every run gives the same pictures.
  const encoder = device.createCommandEncoder();
  const animated = crowd.encode(encoder, { dt });
  const angle = 0.3 * crowd.time;
  const drawn = renderer.render(encoder, {
    camera: { eye: [9 * Math.sin(angle), 3.2, 9 * Math.cos(angle) - 2], target: [0, 0.9, -3] },
    bounds: { min: [-8, 0, -9], max: [8, 2.5, 2] },
    target: picture.view,
    width,
    height,
  });
  device.queue.submit([encoder.finish()]);
  await Promise.all([animated.submitted(), drawn.submitted()]);
  const name = path.join(values.out, `${String(frame).padStart(4, '0')}.png`);
  await writeFile(name, await encodePng(await picture.read()));
  console.log(name);
}
device.destroy();
