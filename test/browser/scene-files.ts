import path from 'node:path';
import { readFile } from 'node:fs/promises';
import { addSockets } from '../../src/character/sockets.ts';
import { packCharacter } from '../../src/character/pack/index.ts';
import { writeBaked } from '../../src/character/file/index.ts';
import { importGltf } from '../../src/import/index.ts';
import { shared } from '../support/setup.ts';

const FILES = ['characters/kaykit-knight.glb', 'characters/cesium-man.glb', 'creatures/khronos-fox.glb'] as const;

/** Files of tiers.scene.ts by their addresses: a knight, which gets a controller with events, and two other characters. */
export async function sceneFiles(): Promise<Record<string, Uint8Array | string>> {
  const open = async (file: string) =>
    importGltf({ name: path.basename(file), bytes: await readFile(path.join(shared, 'assets', file)) });
  const [knight, man, fox] = await Promise.all([open(FILES[0]), open(FILES[1]), open(FILES[2])]);
  const some = knight.clips.flatMap(({ name }, i) => (['Idle', 'Walking_A'].includes(name) ? [i] : []));
  const types = [
    addSockets(packCharacter(knight, { clips: some }), ['hand.r']),
    packCharacter(man),
    packCharacter(fox),
  ];
  const baked = types.map((type, i) => [`/${'abc'[i]!}.maniple`, writeBaked(type)] as const);
  const files = FILES.map((file, i) => [`/${'abc'[i]!}.glb`, path.join(shared, 'assets', file)] as const);
  return Object.fromEntries([...baked, ...files]);
}
