// What is drawn: the same code on a page and in Node, so that nothing but the platform can differ.
import type { CharacterModel } from '../../src/character/model.ts';
import { packCharacter } from '../../src/character/pack/index.ts';
import { createCrowd } from '../../src/crowd/create-crowd.ts';
import type { Crowd } from '../../src/crowd/crowd.ts';
import { loadModel } from '../../src/import/index.ts';
import { createForwardRenderer } from '../../src/render/index.ts';
import { stageBattle } from '../../src/battle/battle.ts';
import { stageParade } from '../../src/battle/parade.ts';

export interface SceneOptions {
  /** Addresses of glTF files; a battle takes two. */
  readonly files: readonly string[];
  readonly staging: 'battle' | 'parade';
  readonly count: number;
  readonly seed: number;
  /** Names of the clips to pack; default all. */
  readonly clips?: readonly string[];
  readonly sampleCount: 1 | 4;
  /** Texels of the shadow map, squared. */
  readonly shadowResolution: number;
}

export interface SceneTarget {
  readonly format: GPUTextureFormat;
  readonly width: number;
  readonly height: number;
  view(): GPUTextureView;
}

export interface Scene {
  readonly crowd: Crowd;
  /** Milliseconds per stage and pass, where the device has timestamps. */
  timings(): ReadonlyMap<string, number>;
  /** Advances by `dt` seconds and draws, in one submission; resolves when it has been measured. */
  frame(dt: number): Promise<void>;
  destroy(): void;
}

export async function createScene(device: GPUDevice, target: SceneTarget, options: SceneOptions): Promise<Scene> {
  const models = await Promise.all(options.files.map((file) => loadModel(file)));
  const characters = models.map((model) => packCharacter(model, { clips: chosenClips(model, options.clips) }));
  const { count, seed, sampleCount, shadowResolution } = options;
  const crowd = await createCrowd(device, { characters, capacity: count, maxClips: 2 });
  const { camera, bounds } =
    options.staging === 'battle'
      ? stageBattle(crowd, characters[0]!, characters[1]!, { count, seed })
      : stageParade(crowd, characters, { count, seed });
  const renderer = await createForwardRenderer(device, crowd, {
    format: target.format,
    sampleCount,
    shadowResolution,
    cascadeCount: 1,
  });
  return {
    crowd,
    timings: () => new Map([...crowd.timings, ...renderer.timings]),
    async frame(dt) {
      const { width, height } = target;
      const encoder = device.createCommandEncoder();
      const animated = crowd.encode(encoder, { dt });
      const drawn = renderer.render(encoder, { camera, bounds, target: target.view(), width, height });
      device.queue.submit([encoder.finish()]);
      await Promise.all([animated.submitted(), drawn.submitted()]);
    },
    destroy() {
      renderer.destroy();
      crowd.destroy();
    },
  };
}

function chosenClips({ clips }: CharacterModel, names: readonly string[] | undefined): number[] {
  const indices = clips.map((_, index) => index);
  return names ? indices.filter((index) => names.includes(clips[index]!.name)) : indices;
}
