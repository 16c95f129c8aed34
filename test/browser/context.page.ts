// Runs in the browser: crowds of renderers that lose their WebGL context.
import { BoxGeometry, type Camera, MeshLambertMaterial, type Scene } from 'three/webgpu';
import { WebGLRenderer } from 'three';
import type { Character } from '../../src/character/character.ts';
import { createCrowd } from '../../src/crowd/create-crowd.ts';
import type { CharacterGroup } from '../../src/crowd/group.ts';
import { ManipleCrowd } from '../../src/three/index.ts';
import {
  type AnyRenderer,
  coded,
  type Kind,
  nextFrame,
  read,
  render,
  rendererOf,
  targetOf,
} from './three-renderers.ts';
import { characters, MATERIALS, sceneOf } from './tiers.scene.ts';

export interface LossOptions {
  readonly kind: Exclude<Kind, 'core' | 'compatibility'>;
  /** False plays the same frames without a loss. */
  readonly isLost: boolean;
}

export interface Survived {
  /** After the last frame. */
  readonly pixels: readonly number[];
  readonly states: readonly unknown[];
  readonly events: readonly string[];
  readonly picked: number | undefined;
  readonly errors: readonly string[];
}

const SIZE = [96, 72] as const;

function contextOf(renderer: AnyRenderer): WebGL2RenderingContext {
  if (renderer instanceof WebGLRenderer) return renderer.getContext() as WebGL2RenderingContext;
  return (renderer.backend as unknown as { readonly gl: WebGL2RenderingContext }).gl;
}

/** Loses the context, and waits until three.js knows it. Returns a function that restores it. */
async function lose(renderer: AnyRenderer): Promise<() => Promise<void>> {
  const { domElement } = renderer;
  const happened = (name: string) =>
    new Promise<void>((resolve) => {
      domElement.addEventListener(name, () => setTimeout(resolve), { once: true });
    });
  const extension = contextOf(renderer).getExtension('WEBGL_lose_context')!;
  const isLost = happened('webglcontextlost');
  extension.loseContext();
  await isLost;
  return async () => {
    const isRestored = happened('webglcontextrestored');
    extension.restoreContext();
    await isRestored;
  };
}

function populate(crowd: ManipleCrowd, knight: Character): CharacterGroup {
  crowd.column('heat', { size: 1 });
  const group = crowd.spawn(knight, { count: 8, place: (i, at) => at.position.set(i - 3.5, 0, 3 - (i % 3)) });
  group.parameter('speed').fill(1);
  crowd.attachMesh(group, 'hand.r', new BoxGeometry(0.1, 0.1, 1), new MeshLambertMaterial({ color: 0x20ff20 }));
  return group;
}

/** Plays ten frames, three of them without a context. */
async function survive({ kind, isLost }: LossOptions): Promise<Survived> {
  let renderer = await rendererOf(kind, SIZE);
  const options = { kind, count: 8, size: SIZE, frames: 0, materials: 'lambert' } as const;
  let stage = sceneOf(renderer, options);
  const [knight] = await characters;
  const core = await createCrowd(undefined, {
    characters: [knight!],
    capacity: 8,
    backend: 'cpu',
    skin: 'vertex',
    updateRates: false,
  });
  const errors: string[] = [];
  const events: string[] = [];
  const draws = async () => {
    const made = await ManipleCrowd.adopt(renderer, { core, materials: (own) => MATERIALS.lambert(own) });
    made.addEventListener('error', ({ error }) => errors.push(String(error)));
    stage.scene.add(made);
    return made;
  };
  let crowd = await draws();
  const group = populate(crowd, knight!);
  crowd.on('event', ({ name, character }) => events.push(`${name} ${character}`));
  let target = targetOf(SIZE);
  const frames = async (count: number, { scene, camera }: { scene: Scene; camera: Camera }) => {
    for (let i = 0; i < count; i++) {
      await nextFrame();
      crowd.update(1 / 30);
      render(renderer, scene, camera, target);
      await crowd.ready();
    }
  };
  await frames(4, stage);
  const restore = isLost ? await lose(renderer) : undefined;
  await frames(3, stage);
  if (kind === 'WebGLRenderer') await restore?.();
  else if (isLost) {
    // three.js does not restore this renderer, so the crowd continues in another one
    crowd.dispose();
    renderer = await rendererOf(kind, SIZE);
    stage = sceneOf(renderer, options);
    target = targetOf(SIZE);
    crowd = await draws();
    crowd.attachMesh(group, 'hand.r', new BoxGeometry(0.1, 0.1, 1), new MeshLambertMaterial({ color: 0x20ff20 }));
  }
  await frames(3, stage);
  const pixels = await read(renderer, target);
  const hit = await crowd.pick(stage.camera, SIZE[0] / 2, SIZE[1] / 2, { width: SIZE[0], height: SIZE[1] });
  const states = JSON.parse(JSON.stringify(await crowd.readControllers(group.ids))) as unknown[];
  crowd.dispose();
  core.destroy();
  target.dispose();
  await renderer.dispose();
  return { pixels, states, events: events.toSorted(), picked: hit?.id, errors };
}

declare global {
  interface Window {
    context: { survive: (options: LossOptions) => Promise<Survived> };
  }
}
window.context = { survive: coded(survive) };
