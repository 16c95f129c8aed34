// Sixty legionaries as clouds of points: your own renderer that draws from the crowd's memory. In your own project,
// import from 'maniple', 'maniple/character', 'maniple/import' and 'maniple/render'.
import { packCharacter } from '../../src/character/index.ts';
import { loadModel } from '../../src/import/index.ts';
import { createCrowd } from '../../src/index.ts';
import { clipFromWorld, createCanvasTarget } from '../../src/render/index.ts';
import { run } from '../page.ts';
import { createPoints } from './points.ts';

const COUNT = 60;
const COLUMNS = 12;
const CLIPS = ['walk', 'attack_slash', 'idle', 'run', 'cheer'];

run(async (page) => {
  const legionary = packCharacter(await loadModel('/characters/legionary.glb'));
  const crowd = await createCrowd(page.device, { characters: [legionary], capacity: COUNT });
  const legion = crowd.spawn(legionary, {
    count: COUNT,
    place: (i, at) => at.position.set(((i % COLUMNS) - (COLUMNS - 1) / 2) * 1.4, 0, -Math.floor(i / COLUMNS) * 1.8),
  });
  const clips = CLIPS.filter((name) => legionary.clips.some((clip) => clip.name === name));
  legion.setClips((i) => [{ clip: clips[i % clips.length]!, phase: i / 7 }]);

  const target = createCanvasTarget(page.device, page.canvas);
  const points = createPoints(page.device, crowd, target.format);
  page.ready();
  page.everyFrame((dt, time) => {
    target.resize(page.canvas.clientWidth, page.canvas.clientHeight, devicePixelRatio);
    const camera = { eye: [6 * Math.sin(time / 6), 2.6, 7.5], target: [0, 0.9, -2] } as const;
    const matrix = clipFromWorld(camera, target.width / target.height);
    const encoder = page.device.createCommandEncoder();
    const animated = crowd.encode(encoder, { dt, views: [{ clipFromWorld: matrix, height: target.height }] });
    points.draw(encoder, target.view(), matrix, dt, true);
    page.device.queue.submit([encoder.finish()]);
    animated.submitted().catch(console.error);
  });
});
