// Boxes of clips hold levels that lack joints, too, wherever their vertices stand then.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { composeJoints, evaluateMorphWeights, evaluatePose, evaluateVertices } from '../../src/character/evaluate.ts';
import { packCharacter } from '../../src/character/index.ts';
import { cullKinds, slotClasses } from '../../src/frame/tables/cull-tables.ts';
import { joinTables } from '../../src/frame/tables/crowd-types.ts';
import { addLods, importGltf } from '../../src/import/index.ts';
import { withJoints } from '../support/lod-truth.ts';
import { outside } from '../support/posed-vertices.ts';
import { Random } from '../support/random.ts';
import { full, hasTurn, noShared, shared } from '../support/setup.ts';

const OWN = full ? ['legionary', 'raider'] : ['legionary'];
const FILES = OWN.map((name) => path.join('characters', `${name}.glb`));
if (full && !noShared()) FILES.push(path.join(shared, 'assets', 'characters/robot-expressive.glb'));
const MOMENTS = 40;

test.runIf(hasTurn(0)).each(FILES)('%s', { timeout: 120_000 }, async (file) => {
  // LODs take most of the time: the short run makes one, of some clips and a mesh
  const lods = full ? {} : { ratios: [0.25] };
  const whole = await importGltf({ name: file, bytes: readFileSync(file) });
  const some = { ...whole, clips: whole.clips.slice(0, 4), meshes: whole.meshes.slice(0, 1) };
  const model = await addLods(full ? whole : some, lods);
  const character = packCharacter(model);
  const { types } = joinTables([character], { serialPoses: false, layers: false });
  const kinds = cullKinds(types, slotClasses(types, 1, 1e6), 1);
  const random = new Random(9);
  const met = { levels: 0, poses: 0, outsideOfClip: 0, most: -Infinity };
  character.lods.forEach(({ posedJoints }, l) => {
    if (!posedJoints) return;
    met.levels++;
    const { meshes } = model.lods![l]!;
    character.clips.forEach(({ bounds }, c) => {
      const clip = model.clips[c]!;
      const [center, extent] = [kinds.boxes.get(c, 'center'), kinds.boxes.get(c, 'extent')];
      const box = { min: center.map((m, k) => m - extent[k]!), max: center.map((m, k) => m + extent[k]!) };
      for (let n = 0; n < MOMENTS / character.clips.length + 1; n++) {
        const time = random.range(0, clip.duration);
        const pose = withJoints(model, evaluatePose(model, clip, time), posedJoints);
        const [joints, weights] = [composeJoints(model, pose), evaluateMorphWeights(model, clip, time)];
        const vertices = meshes.map((mesh) => evaluateVertices(model, mesh, joints, weights));
        const distance = outside(box, vertices);
        met.poses++;
        if (outside(bounds!, vertices) > 0) met.outsideOfClip++;
        met.most = Math.max(met.most, distance);
        expect(distance, `level ${l + 1}, ${clip.name} at ${time} s`).toBeLessThan(0);
      }
    });
  });
  console.log(
    file,
    met,
    character.lods.map(({ error }) => error),
  );
  expect(met.levels).toBeGreaterThan(0);
});
