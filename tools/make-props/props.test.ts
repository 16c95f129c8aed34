import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { importGltf } from '../../src/import/gltf/import-gltf.ts';
import { PROPS } from '../../src/battle/scenery.ts';
import { packScenery } from '../../src/character/pack-scenery.ts';
import { full } from '../../test/support/setup.ts';
import { faultsOf } from '../make-characters/validate.ts';
import { makeProp } from './file.ts';
import { props } from './props.ts';

const folder = path.join(path.dirname(fileURLToPath(import.meta.url)), '../../props');

it('are the files that there are, and those that battles know', () => {
  const names = props().map(({ name }) => name);
  expect(names).toEqual([...PROPS]);
  expect(readdirSync(folder).sort()).toEqual(names.map((name) => `${name}.glb`).sort());
});

describe.each(props())('$name', (prop) => {
  const committed = new Uint8Array(readFileSync(path.join(folder, `${prop.name}.glb`)));

  // occlusion of the largest takes seconds
  it.runIf(full || committed.length < 30_000)('is what the tool writes, byte for byte', async () => {
    const made = await makeProp(prop);
    expect(made.length).toBe(committed.length);
    expect(Buffer.compare(made, committed)).toBe(0);
  });

  it('is valid glTF', async () => {
    expect(await faultsOf(committed)).toEqual([]);
  });

  it('keeps its limits, and is on the ground', async () => {
    expect(committed.length).toBeLessThanOrEqual(100_000);
    const resolve = () => Promise.reject(new Error('one file holds it all'));
    const model = await importGltf({ name: prop.name, bytes: committed, resolve });
    expect(model.issues.filter(({ severity }) => severity !== 'info')).toEqual([]);
    const { indices, bounds } = packScenery(model);
    expect(indices.length / 3).toBeGreaterThanOrEqual(80);
    expect(indices.length / 3).toBeLessThanOrEqual(1500);
    // it goes into the ground, where nothing is seen of its foot, and is within reach of its origin
    expect(bounds.min[1]).toBeGreaterThan(-0.5);
    expect(bounds.min[1]).toBeLessThan(0);
    expect(Math.max(...[0, 2].flatMap((c) => [-bounds.min[c]!, bounds.max[c]!]))).toBeLessThan(3.2);
  });
});
