import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { compressionError } from '../../demo/inspector/compression-error.ts';
import { readPackedMesh } from '../../demo/inspector/packed-mesh.ts';
import { Poser } from '../../demo/inspector/packed-pose.ts';
import { packCharacter } from '../../src/character/index.ts';
import { importGltf } from '../../src/import/index.ts';

const bytes = readFileSync(fileURLToPath(new URL('../../characters/legionary.glb', import.meta.url)));
const all = await importGltf({ name: 'legionary', bytes });
/** A few clips are enough, and packed in a moment. */
const model = { ...all, clips: all.clips.slice(4, 6) };
/** Weights are kept in 16 bits: half a step of one moves a vertex by so much of the way between its joints. */
const WEIGHT_STEP = 2 / 65535;

describe('the error of a packed character', () => {
  test('stays within the error that packing measured, and is near it', async () => {
    const character = packCharacter(model);
    const poser = await Poser.open(character, undefined);
    for (const [clip, { duration, maxError }] of character.clips.entries()) {
      let most = 0;
      for (let i = 0; i <= 5; i++) {
        const moment = { clip, time: (duration * i) / 5 };
        const { largestVertex } = compressionError(character, model, moment, await poser.pose(moment));
        most = Math.max(most, largestVertex);
      }
      expect(most).toBeLessThan(maxError + WEIGHT_STEP * character.size);
      expect(most).toBeGreaterThan(maxError / 20);
    }
    poser.destroy();
  });

  test('shows what was changed: a clip of another length, a joint that turns', async () => {
    const character = packCharacter(model);
    const poser = await Poser.open(character, undefined);
    const { positions, joints } = await poser.pose({ clip: 0, time: 0.1 });
    const moved = { positions: positions.map((p, i) => p + (i === 3 * 7 ? 0.25 : 0)), joints: joints.slice() };
    moved.joints[12 * 5 + 7]! += 0.5;
    const error = compressionError(character, model, { clip: 0, time: 0.1 }, moved);
    expect(error.largestVertex).toBe(error.vertices[7]);
    expect(error.largestVertex).toBeCloseTo(0.25, 3);
    expect(error.largestJoint).toBe(error.joints[5]);
    expect(error.largestJoint).toBeCloseTo(0.5, 3);
    poser.destroy();
  });
});

test('influences read from packed tables are those of the model', () => {
  const character = packCharacter(model, { clips: [] });
  const { influenceOffsets, influenceJoints, influenceWeights } = readPackedMesh(character);
  model.meshes.forEach((own, index) => {
    const { firstVertex, vertexOfSource } = character.primitives[index]!;
    own.vertexOfSource.forEach((v, source) => {
      const packed = firstVertex + vertexOfSource[source]!;
      const expected = new Map<number, number>();
      for (let i = own.influences.offsets[v]!; i < own.influences.offsets[v + 1]!; i++) {
        const { jointIndex } = model.bindings[own.influences.bindings[i]!]!;
        expected.set(jointIndex, (expected.get(jointIndex) ?? 0) + own.influences.weights[i]!);
      }
      for (let i = influenceOffsets[packed]!; i < influenceOffsets[packed + 1]!; i++) {
        expected.set(influenceJoints[i]!, expected.get(influenceJoints[i]!)! - influenceWeights[i]!);
      }
      for (const left of expected.values()) expect(Math.abs(left)).toBeLessThan(1e-4);
    });
  });
});
