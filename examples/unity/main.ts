// Sixty legionaries run Soldier.controller, a file as Unity's editor saves it. In your own project, import from
// 'maniple', 'maniple/character' and 'maniple/import'.
import { packCharacter } from '../../src/character/index.ts';
import { importUnityController, loadModel } from '../../src/import/index.ts';
import { createCrowd } from '../../src/index.ts';
import { createView, run } from '../page.ts';

const COUNT = 60;
const COLUMNS = 10;

// Unity names a clip by the guid of its file (from the .meta file next to it). This table maps each guid to the clip's
// name in the glTF file.
const CLIPS: Readonly<Record<string, string>> = {
  '1e610a4a0000000000000000000000a1': 'idle',
  '1e610a4a0000000000000000000000a2': 'walk',
  '1e610a4a0000000000000000000000a3': 'run',
  '1e610a4a0000000000000000000000a4': 'attack_1',
  '1e610a4a0000000000000000000000a5': 'attack_2',
  '1e610a4a0000000000000000000000a7': 'block_idle',
  '1e610a4a0000000000000000000000a8': 'hit',
};

run(async (page) => {
  const text = await (await fetch('/examples/unity/Soldier.controller')).text();
  const { controller } = importUnityController(text, { resolveMotion: (guid) => CLIPS[guid] });
  // Features that crowds do not support (scripts, IK …) are left out and reported here.
  for (const { code, path, message } of controller.issues ?? []) console.warn(code, path, message);

  const legionary = packCharacter(await loadModel('/characters/legionary.glb'), { controller });
  const crowd = await createCrowd(page.device, { characters: [legionary], capacity: COUNT });
  const legion = crowd.spawn(legionary, {
    count: COUNT,
    place: (i, at) => at.position.set(((i % COLUMNS) - (COLUMNS - 1) / 2) * 1.5, 0, -Math.floor(i / COLUMNS) * 1.8),
  });
  legion.hideParts('Pilum');

  // The names are from the file. Each rank in turn marches up, covers itself, strikes twice, and rests.
  const speed = legion.parameter('Speed');
  const guard = legion.parameter('Guard');
  const strike = (i: number) => {
    legion.trigger('Attack', [i]);
    setTimeout(() => legion.trigger('Attack', [i]), 600); // within the first strike: the second one
  };
  const PARTS: readonly ((i: number) => void)[] = [
    (i) => speed.set(i, 1.4 + (i % 5) / 2),
    (i) => (speed.set(i, 0), guard.set(i, true)),
    (i) => strike(i),
    (i) => guard.set(i, false),
    (i) => legion.trigger('Hit', [i]), // from any state
  ];
  let beat = 0;
  const everyone = Array.from({ length: COUNT }, (_, i) => i);
  const onBeat = () => {
    for (const i of everyone) {
      const part = PARTS[(beat + Math.floor(i / COLUMNS)) % PARTS.length]!;
      setTimeout(() => part(i), 40 * (i % COLUMNS));
    }
    beat++;
  };
  onBeat();
  setInterval(onBeat, 2200);

  const view = await createView(page, crowd, { min: [-9, 0, -11], max: [9, 2.5, 3] });
  page.everyFrame((dt, time) => {
    view.draw(dt, { eye: [6 * Math.sin(time / 8), 3.4, 8], target: [0, 0.8, -4] });
  });
});
