import { nodeDevice } from './src/device/node.ts';
import { loadSoldiers } from './bench/tasks/controllers-scene.ts';
import { battleScene } from './bench/tasks/crowd-scenes.ts';
import { packCharacter } from './src/asset/pack/index.ts';
import { LEGIONARY, RAIDER, soldierController } from './src/render/soldier.ts';
import { subsetMesh } from './src/import/lods/subset-mesh.ts';
const { device } = await nodeDevice();
const levels = Number(process.argv[2]);
const models = await loadSoldiers('characters');
const characters = models.map((model, i) => packCharacter({ ...model, lods: Array.from({ length: levels - 1 }, () => ({ meshes: model.meshes.map((m) => subsetMesh(m, m.indices.filter((_, k) => k % 6 < 3))) })) }, { errorBudget: 0.01, controller: soldierController(i === 0 ? LEGIONARY : RAIDER) }));
const { crowd, views } = battleScene(device, characters, 20);
const times: number[] = [];
for (let f = 0; f < 400; f++) {
  const t = performance.now();
  const encoder = device.createCommandEncoder();
  const e = crowd.encode(encoder, { dt: 1 / 60, views });
  const c = encoder.finish();
  times.push(performance.now() - t);
  device.queue.submit([c]);
  await e.submitted();
}
console.log(levels, 'median', times.sort((a, b) => a - b)[200]!.toFixed(3));
process.exit(0);
