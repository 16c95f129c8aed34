// The node materials of the WebGL 2 tier, on a WebGPU device: the same shaders read textures instead of buffers.
import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  BoxGeometry,
  Color,
  DirectionalLight,
  HemisphereLight,
  Mesh,
  MeshStandardMaterial,
  PerspectiveCamera,
  PlaneGeometry,
  Raycaster,
  RenderTarget,
  Scene,
  Vector3,
  type WebGPURenderer,
} from 'three/webgpu';
import { mrt, output, velocity } from 'three/tsl';
import { addSockets } from '../../src/character/sockets.ts';
import { packCharacter } from '../../src/character/pack/index.ts';
import type { Character } from '../../src/character/character.ts';
import { importGltf } from '../../src/import/index.ts';
import type { ManipleCrowd } from '../../src/three/index.ts';
import { coded } from '../support/crowd-truth.ts';
import { noGpu } from '../support/gpu.ts';
import { disposedCrowds } from '../support/three-crowds.ts';
import { floatTarget, threePicture, threeRenderer } from '../support/three-renderer.ts';

const [WIDTH, HEIGHT] = [160, 120];
const TIERS = ['core', 'compatibility', 'webgl2'] as const;
const LOWER = ['compatibility', 'webgl2'] as const;
type Tier = (typeof TIERS)[number];

describe.skipIf(noGpu())('a crowd that draws from textures', () => {
  let renderer: WebGPURenderer;
  let soldier: Character;
  const createCrowd = disposedCrowds();

  beforeAll(async () => {
    const bytes = await readFile('characters/raider.glb');
    const model = await importGltf({ name: 'raider', bytes });
    const clips = [model.clips.findIndex(({ name }) => name === 'walk')];
    soldier = addSockets(packCharacter(model, { clips }), ['hand_r']);
    renderer = await threeRenderer(WIDTH, HEIGHT);
    renderer.shadowMap.enabled = true;
  });

  /** A lit scene with shadows, of one tier. */
  async function stage(tier: Tier, on = renderer) {
    const scene = new Scene();
    scene.background = new Color(0.2, 0.3, 0.4);
    const sun = new DirectionalLight(0xffffff, 3);
    sun.position.set(3, 6, 4);
    sun.castShadow = true;
    sun.shadow.mapSize.set(256, 256);
    const ground = new Mesh(new PlaneGeometry(20, 20).rotateX(-Math.PI / 2), new MeshStandardMaterial());
    ground.receiveShadow = true;
    const camera = new PerspectiveCamera(40, WIDTH / HEIGHT, 0.1, 100);
    camera.position.set(0, 2, 6);
    camera.lookAt(0, 0.8, 0);
    const crowd = await createCrowd(on, { characters: [soldier], capacity: 8, tier, updateRates: false });
    crowd.addEventListener('error', ({ error }) => expect.fail(String(error)));
    const group = crowd.spawn(soldier, { count: 5, place: (i, at) => at.position.set(i - 2, 0, -i) });
    group.setClips((i) => [{ clip: 'walk', phase: i / 5 }]);
    crowd.setTint(group.id(1), [1, 0.2, 0.2]);
    crowd.attachMesh(group, 'hand_r', new BoxGeometry(0.1, 0.1, 1), new MeshStandardMaterial({ color: 0x20ff20 }));
    scene.add(crowd, sun, new HemisphereLight(0xffffff, 0x404040, 1), ground);
    return { scene, camera, crowd, group };
  }
  type Stage = Awaited<ReturnType<typeof stage>>;

  const pictures = async (draw: (staged: Stage) => Promise<ArrayLike<number>>) => {
    const drawn: Partial<Record<Tier, ArrayLike<number>>> = {};
    for (const tier of TIERS) {
      const staged = await stage(tier);
      expect(staged.crowd.tier).toBe(tier);
      drawn[tier] = await draw(staged);
      staged.crowd.dispose();
    }
    return drawn as Record<Tier, ArrayLike<number>>;
  };

  async function frames(crowd: ManipleCrowd, draw: () => Promise<unknown>, count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      crowd.update(1 / 30);
      await draw();
    }
  }

  test('draws the same picture, with shadows, tints and attachments', async () => {
    const target = new RenderTarget(WIDTH, HEIGHT);
    const { core, ...lower } = await pictures(async ({ scene, camera, crowd }) => {
      let picture: ArrayLike<number> = [];
      await frames(crowd, async () => (picture = await threePicture(renderer, scene, camera, target)), 4);
      return picture;
    });
    for (const tier of LOWER) expectSame(lower[tier], core);
    // the same on a device that refuses what the compatibility level lacks
    const small = await threeRenderer(WIDTH, HEIGHT, 'compatibility');
    small.shadowMap.enabled = true;
    const { scene, camera, crowd } = await stage('compatibility', small);
    const own = new RenderTarget(WIDTH, HEIGHT);
    let picture: ArrayLike<number> = [];
    await frames(crowd, async () => (picture = await threePicture(small, scene, camera, own)), 4);
    expectSame(picture, core);
  });

  function expectSame(picture: ArrayLike<number>, core: ArrayLike<number>): void {
    let [shown, far] = [0, 0];
    const [r, g, b] = [core[0]!, core[1]!, core[2]!];
    for (let at = 0; at < core.length; at += 4) {
      if (core[at] !== r || core[at + 1] !== g || core[at + 2] !== b) shown++;
      if ([0, 1, 2].some((c) => Math.abs(core[at + c]! - picture[at + c]!) > 2)) far++;
    }
    expect(shown).toBeGreaterThan(2000);
    expect(far / (WIDTH * HEIGHT)).toBeLessThan(0.01);
  }

  test('draws the same motion vectors', async () => {
    const target = floatTarget(WIDTH, HEIGHT, ['output', 'velocity']);
    renderer.setMRT(mrt({ output, velocity }));
    try {
      const { core, ...lower } = await pictures(async ({ scene, camera, crowd }) => {
        const draw = async () => {
          await threePicture(renderer, scene, camera, target);
          return renderer.readRenderTargetPixelsAsync(target, 0, 0, WIDTH, HEIGHT, 1);
        };
        await frames(crowd, draw, 3);
        crowd.update(1 / 30);
        return draw();
      });
      for (const tier of LOWER) {
        let [moving, far] = [0, 0];
        for (let at = 0; at < core.length; at += 4) {
          if (Math.hypot(core[at]!, core[at + 1]!) > 1e-4) moving++;
          if ([0, 1].some((c) => !(Math.abs(core[at + c]! - lower[tier][at + c]!) <= 1e-3))) far++;
        }
        expect(moving).toBeGreaterThan(500);
        expect(far / (WIDTH * HEIGHT)).toBeLessThan(0.01);
      }
    } finally {
      renderer.setMRT(null);
    }
  });

  test('finds characters, and reads transforms without a device', async () => {
    const { scene, camera, crowd, group } = await stage('webgl2');
    const target = new RenderTarget(WIDTH, HEIGHT);
    await frames(crowd, () => threePicture(renderer, scene, camera, target), 2);
    const chest = new Vector3(0, 1.2, -2);
    const { x, y } = chest.clone().project(camera);
    const [left, top] = [(0.5 + 0.5 * x) * WIDTH, (0.5 - 0.5 * y) * HEIGHT];
    const hit = await crowd.pick(camera, left, top, { width: WIDTH, height: HEIGHT });
    expect(hit?.id).toBe(group.id(2));
    expect(hit!.point.distanceTo(chest)).toBeLessThan(0.3);
    await crowd.readBounds();
    const raycaster = new Raycaster(camera.position, chest.sub(camera.position).normalize());
    expect(raycaster.intersectObject(crowd)[0]).toMatchObject({ characterId: group.id(2) });
  });

  test('refuses a tier that there is not', async () => {
    const options = { characters: [soldier], capacity: 1 };
    await expect(createCrowd(renderer, { ...options, tier: 'best' as never })).rejects.toThrow(
      coded('CROWD_BAD_ARGUMENT') as Error,
    );
  });
});
