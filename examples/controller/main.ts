// Sixty legionaries take orders: a controller decides what each of them plays, and the application only writes parameters.
// In your own project, import from 'maniple', 'maniple/character' and 'maniple/import'.
import { packCharacter } from '../../src/character/index.ts';
import { loadModel } from '../../src/import/index.ts';
import { blend1d, defineController, param, when } from '../../src/controller/index.ts';
import { createCrowd } from '../../src/index.ts';
import { createView, run } from '../page.ts';

const COUNT = 60;
const COLUMNS = 10;
const TOP_SPEED = 3.4; // metres per second in the clip 'run'

// TypeScript checks parameter names: `blend1d('sped', …)` is an error in the editor.
const soldier = defineController({
  name: 'soldier',
  parameters: { speed: param.float(), attack: param.trigger() },
  layers: [
    {
      name: 'Legs',
      machine: {
        default: 'Move',
        states: {
          // One state for all speeds. Between 1.4 and 3.4 it blends walk and run, with their steps synchronised.
          Move: {
            motion: blend1d('speed', [0, 'idle'], [1.4, 'walk'], [TOP_SPEED, 'run']),
            transitions: [{ to: 'Strike', when: [when.is('attack')], duration: 0.12 }],
          },
          // Returns to Move from `exitTime` on. A new order may interrupt that blend.
          Strike: {
            motion: 'attack_1',
            transitions: [{ to: 'Move', exitTime: 0.85, duration: 0.25, interruption: 'next' }],
          },
        },
      },
    },
    {
      // Affects only the spine and the joints above it: running legionaries hold their shields in front of them.
      name: 'Shield',
      mask: { 'pelvis/spine_1/**': 1 },
      machine: {
        default: 'Down',
        states: {
          Down: { transitions: [{ to: 'Up', when: [when.above('speed', 2.4)], duration: 0.3 }] },
          Up: {
            motion: 'block_idle',
            transitions: [
              { to: 'Down', when: [{ parameter: 'speed', atMost: 2.4 }], duration: 0.3 },
              { to: 'Down', when: [when.is('attack')], duration: 0.1 },
            ],
          },
        },
      },
    },
  ],
});

run(async (page) => {
  const legionary = packCharacter(await loadModel('/characters/legionary.glb'), { controller: soldier });
  const crowd = await createCrowd(page.device, { characters: [legionary], capacity: COUNT });
  const legion = crowd.spawn(legionary, {
    count: COUNT,
    place: (i, at) => at.position.set(((i % COLUMNS) - (COLUMNS - 1) / 2) * 1.5, 0, -Math.floor(i / COLUMNS) * 1.6),
  });
  legion.hideParts('Pilum');

  // The speed that the player has set. Until the player acts, the page plays automatically.
  let wanted = 0;
  let isPlayed = false;
  const orders: Record<string, () => void> = {
    faster: () => (wanted = Math.min(wanted + 0.7, TOP_SPEED)),
    slower: () => (wanted = Math.max(wanted - 0.7, 0)),
    // A trigger stays set until a transition uses it. The order travels rank by rank.
    attack: () =>
      legion.ids.forEach((id, i) => setTimeout(() => crowd.trigger(id, 'attack'), 90 * Math.floor(i / COLUMNS))),
  };
  const order = (name: string | undefined) => {
    if (name === undefined) return;
    isPlayed = true;
    orders[name]?.();
  };
  const KEYS: Record<string, string> = {
    ArrowUp: 'faster',
    w: 'faster',
    ArrowDown: 'slower',
    s: 'slower',
    ' ': 'attack',
  };
  addEventListener('keydown', ({ key }) => order(KEYS[key]));
  document.querySelectorAll('button').forEach((it) => it.addEventListener('click', () => order(it.value)));
  setInterval(() => isPlayed || orders.attack!(), 6000);

  const view = await createView(page, crowd, { min: [-9, 0, -11], max: [9, 2.5, 3] });
  const speed = legion.parameter('speed');
  page.everyFrame((dt, time) => {
    if (!isPlayed) wanted = TOP_SPEED * Math.min(1, Math.max(0, 0.5 - 0.8 * Math.cos(time / 2)));
    // Each legionary approaches the wanted speed at his own rate. Only changes are uploaded.
    for (let i = 0; i < COUNT; i++)
      speed.values[i]! += (wanted - speed.values[i]!) * (1 - Math.exp(-dt * (2 + (i % 7))));
    speed.changed();
    // The camera marches with them. In the picture they stay in place.
    view.draw(dt, { eye: [7 * Math.sin(time / 9), 3.2, 8], target: [0, 0.9, -4] });
  });
});
