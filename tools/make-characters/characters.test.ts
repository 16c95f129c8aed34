import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { full } from '../../test/support/setup.ts';
import { designs } from './designs.ts';
import { makeCharacter } from './export/character.ts';
import { inspectFile } from './inspect.ts';
import { faultsOf } from './validate.ts';

const folder = path.join(path.dirname(fileURLToPath(import.meta.url)), '../../characters');

const CLIPS = [
  'attack_1',
  'attack_2',
  'block',
  'block_idle',
  'cheer',
  'fall',
  'hit',
  'idle',
  'idle_variant',
  'run',
  'strafe_left',
  'strafe_right',
  'walk',
  'walk_back',
];
const LOOPS = [
  'block_idle',
  'cheer',
  'idle',
  'idle_variant',
  'run',
  'strafe_left',
  'strafe_right',
  'walk',
  'walk_back',
];

describe.each(designs())('$name', (design) => {
  const committed = new Uint8Array(readFileSync(path.join(folder, `${design.name.toLowerCase()}.glb`)));
  const facts = inspectFile(committed);

  it.runIf(full)('is what the tool writes, byte for byte', async () => {
    const made = await makeCharacter(design);
    expect(made.length).toBe(committed.length);
    expect(Buffer.compare(made, committed)).toBe(0);
  });

  it('keeps its limits', async () => {
    const { joints, vertices, triangles } = await facts;
    expect(committed.length).toBeLessThanOrEqual(300_000);
    expect(joints).toBeGreaterThanOrEqual(30);
    expect(joints).toBeLessThanOrEqual(50);
    expect(vertices).toBeLessThanOrEqual(2_900);
    expect(triangles).toBeLessThanOrEqual(2_600);
  });

  it('is valid glTF', async () => {
    expect(await faultsOf(committed)).toEqual([]);
  });

  it('has every clip, and loops that close', async () => {
    const { clips } = await facts;
    expect(clips.map((clip) => clip.name).sort()).toEqual(CLIPS);
    expect(
      clips
        .filter((clip) => clip.loop)
        .map((clip) => clip.name)
        .sort(),
    ).toEqual(LOOPS);
    for (const clip of clips.filter(({ loop }) => loop)) {
      expect(clip.seam, clip.name).toBeLessThan(0.0005);
      expect(clip.seamJolt, clip.name).toBeLessThan(1.3);
    }
  });

  it('stays above the ground', async () => {
    for (const clip of (await facts).clips) {
      const fallen = clip.name === 'fall';
      expect(clip.lowestBody, clip.name).toBeGreaterThan(fallen ? -0.06 : -0.01);
      expect(clip.lowestProp, clip.name).toBeGreaterThan(fallen ? -0.07 : 0.05);
    }
  });

  it('keeps its feet in place', async () => {
    for (const clip of (await facts).clips.filter(({ loop }) => loop)) {
      expect(clip.footSlide, clip.name).toBeLessThan(0.07);
    }
  });

  it('has its speed and the moments of its steps', async () => {
    const { clips } = await facts;
    for (const clip of clips.filter(({ speed }) => speed > 0)) {
      expect(clip.events.map(({ name }) => name)).toEqual(['step_left', 'step_right']);
      expect(Math.hypot(...clip.direction)).toBeCloseTo(1);
    }
    for (const clip of clips) {
      for (const event of clip.events) expect(event.time, event.name).toBeLessThanOrEqual(clip.duration);
    }
  });
});
