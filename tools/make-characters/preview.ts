import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { openStage, type Shot } from './preview/stage.ts';

/**
 * Contact sheets of the characters, to be looked at: `npx tsx tools/make-characters/preview.ts legionary [what…]`.
 * `what` is `views`, `hero`, `face`, `kit`, `small`, `bind`, or clip names; everything when nothing is named.
 * The pictures go to the folder named in MANIPLE_PREVIEW, or to out/preview.
 */

const OUT = process.env.MANIPLE_PREVIEW ?? 'out/preview';
const [character = 'legionary', ...wanted] = process.argv.slice(2);
const here = path.dirname(fileURLToPath(import.meta.url));
const stage = await openStage(path.join(here, '../../characters', `${character}.glb`));
mkdirSync(OUT, { recursive: true });

/** Lays pictures out in a grid and writes the sheet. */
async function sheet(name: string, shots: readonly Shot[], columns: number): Promise<void> {
  const { width, height } = shots[0]!;
  const pictures = [];
  for (const [i, shot] of shots.entries()) {
    pictures.push({
      input: await stage.shoot(shot),
      left: (i % columns) * width,
      top: Math.floor(i / columns) * height,
    });
  }
  const rows = Math.ceil(shots.length / columns);
  const to = path.join(OUT, `${character}-${name}.png`);
  await sharp({ create: { width: width * columns, height: height * rows, channels: 3, background: '#888' } })
    .composite(pictures)
    .png()
    .toFile(to);
  console.log(to);
}

const asked = (name: string): boolean => wanted.length === 0 || wanted.includes(name);

/** The same shot from several sides. */
const around = (base: Omit<Shot, 'turn'>, turns: readonly number[]): Shot[] =>
  turns.map((turn) => Object.assign({ turn }, base));

const full = { clip: 'idle', time: 0, width: 400, height: 600, span: 2.35, middle: 0.98 };
const { clip: _, ...unposed } = full;
const weapons = ['Gladius', 'Axe'];

if (asked('views')) await sheet('views', around(full, [0, 40, 90, 140, 180, 220, 270, 320]), 4);
if (asked('bind')) {
  const hide = [...stage.alternatives, ...weapons, 'Shield'];
  await sheet('bind', around({ ...unposed, hide }, [0, 45, 90, 180]), 4);
}
if (asked('face')) {
  await sheet('face', around({ ...full, width: 500, height: 500, span: 0.8, middle: 1.62 }, [0, 40, 90, 200]), 2);
}
if (asked('kit')) {
  const hide = ['Helmet', 'Crest', ...weapons];
  await sheet('kit', around({ ...full, span: 2.9, middle: 1.15, hide }, [0, 40, 140, 320]), 4);
}
if (asked('small')) {
  const tiny = { ...full, width: 40, height: 48, span: 2.4, tilt: 25 };
  await sheet('small', around(tiny, [0, 40, 90, 180, 220, 320]), 6);
}
if (asked('hero')) {
  const large = { width: 600, height: 700, span: 2.5, middle: 1 };
  const moments: Pick<Shot, 'clip' | 'time' | 'turn'>[] = [
    { clip: 'idle', time: 0, turn: 325 },
    { clip: 'walk', time: 0.05, turn: 35 },
    { clip: 'run', time: 0.25, turn: 330 },
    { clip: 'attack_1', time: 0.4, turn: 320 },
    { clip: 'attack_2', time: 0.36, turn: 330 },
    { clip: 'cheer', time: 0.3, turn: 20 },
    { clip: 'block_idle', time: 0, turn: 30 },
    { clip: 'fall', time: 9, turn: 310 },
  ];
  const shots = moments.map((moment): Shot => Object.assign(moment, large));
  await sheet('hero', shots, 4);
}
for (const clip of stage.clips.filter(({ name }) => asked(name))) {
  const frames = 8;
  const last = clip.userData.loop === false ? frames - 1 : frames;
  const cell = { clip: clip.name, width: 280, height: 380, span: 2.6, middle: 0.95 };
  const row = (turn: number): Shot[] =>
    Array.from({ length: frames }, (_, i) => Object.assign({ turn, time: (clip.duration * i) / last }, cell));
  await sheet(`clip-${clip.name}`, [...row(320), ...row(90)], frames);
}
process.exit(0);
