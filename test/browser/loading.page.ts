import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import type { PackProgress } from '../../src/character/index.ts';
import { characterFromGltf, characterFromGltfAsync } from '../../src/three/index.ts';

export type Way = 'at once' | 'in a worker' | 'in slices';

/** What has to be the same, whichever way a character is packed. */
export interface Packed {
  readonly clips: readonly string[];
  readonly sum: number;
  readonly progress: readonly PackProgress[];
}

declare global {
  interface Window {
    pack: (way: Way) => Promise<Packed>;
  }
}

const gltf = await new GLTFLoader().loadAsync('/model.glb');

window.pack = async (way) => {
  const progress: PackProgress[] = [];
  const options = { onProgress: (step: PackProgress) => progress.push(step) };
  // a task of its own, which the page's own calls are not in
  await new Promise((resolve) => setTimeout(resolve, 50));
  performance.mark('begin');
  const character =
    way === 'at once'
      ? characterFromGltf(gltf, options)
      : await characterFromGltfAsync(gltf, { ...options, ...(way === 'in slices' ? { worker: false } : {}) });
  performance.mark('end');
  const words = [character.rig, character.geometry];
  const sum = words.reduce((total, list) => list.reduce((part, word) => (part + word) % 2 ** 40, total), 0);
  return { clips: character.clips.map(({ name }) => name), sum, progress };
};
