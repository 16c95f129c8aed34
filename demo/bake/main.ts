// Bakes the characters and props of the page's battle: `tsx demo/bake/main.ts FOLDER [--quick]`. Quick: without levels of detail.
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { addSockets } from '../../src/index.ts';
import { packCharacter, writeBaked } from '../../src/character/index.ts';
import { packScenery } from '../../src/character/index.ts';
import { addLods, importGltf } from '../../src/import/index.ts';
import { LEGIONARY, RAIDER, type SoldierFacts, soldierController } from '../../src/battle/soldier.ts';
import { PROPS } from '../../src/battle/scenery.ts';
import { inputsOf, levelsOf, root } from './inputs.ts';

const [folder = 'out/demo', ...flags] = process.argv.slice(2);
const quick = flags.includes('--quick');

await mkdir(folder, { recursive: true });
for (const facts of [LEGIONARY, RAIDER]) await bake(facts.name, await packSoldier(facts));
for (const prop of PROPS) await bake(prop, packScenery(await read(`props/${prop}.glb`, prop)));
await write('inputs.txt', await inputsOf(quick));

async function packSoldier(facts: SoldierFacts) {
  const model = await read(`characters/${facts.name}.glb`, facts.name);
  const ratios = levelsOf(quick);
  const levelled = ratios.length > 0 ? await addLods(model, { ratios }) : model;
  const packed = packCharacter(levelled, {
    controller: soldierController(facts),
    ...(quick ? { errorBudget: 0.002 } : {}),
  });
  return addSockets(packed, ['head']); // the camera looks there
}

async function read(file: string, name: string) {
  return importGltf({ name, bytes: new Uint8Array(await readFile(path.join(root, file))) });
}

async function bake(name: string, character: Parameters<typeof writeBaked>[0]): Promise<void> {
  await write(`${name}.maniple`, writeBaked(character));
}

/** Writes a file atomically, because parallel builds read each other's files. */
async function write(name: string, content: Uint8Array | string): Promise<void> {
  const file = path.join(folder, name);
  await writeFile(`${file}.${process.pid}`, content);
  await rename(`${file}.${process.pid}`, file);
}
