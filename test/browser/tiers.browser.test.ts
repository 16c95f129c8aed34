// The same scene in every tier: WebGPU, three's nodes on WebGL 2, and WebGLRenderer.
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { noBrowser } from '../support/chromium.ts';
import { openPage, type TestPage } from '../support/page.ts';
import { full, hasTurn, noShared, some } from '../support/setup.ts';
import { farOff } from './far-off.ts';
import { sceneFiles } from './scene-files.ts';
import type { SceneOptions } from './tiers.scene.ts';
import type { Kind } from './three-renderers.ts';

const SIZE = full ? ([320, 240] as const) : ([160, 120] as const);

describe.skipIf(noBrowser() || noShared() || !hasTurn(2))('a scene in every tier', () => {
  let opened: TestPage;
  beforeAll(async () => {
    const entry = fileURLToPath(new URL('tiers.page.ts', import.meta.url));
    opened = await openPage({ entry, files: await sceneFiles() });
    await opened.page.waitForFunction(() => window.tiers !== undefined);
  });
  afterAll(() => opened?.close());

  const draw = (kind: Kind, options: Partial<SceneOptions> = {}) =>
    opened.page.evaluate((given) => window.tiers.draw(given), {
      kind,
      count: full ? 200 : 24,
      size: SIZE,
      frames: 4,
      materials: 'white',
      ...options,
    } satisfies SceneOptions);

  test('is the same', { timeout: 600_000 }, async () => {
    const core = await draw('core');
    expect([core.tier, core.errors]).toEqual(['core', []]);
    expect(core.events.length).toBeGreaterThan(0);
    expect(core.states.length).toBeGreaterThan(0);
    for (const kind of some(['compatibility', 'nodes on WebGL', 'WebGLRenderer'] as const, 1)) {
      const drawn = await draw(kind);
      expect([drawn.tier, drawn.errors], kind).toEqual([kind === 'compatibility' ? kind : 'webgl2', []]);
      expect(drawn.events, kind).toEqual(core.events);
      expect(drawn.states, kind).toEqual(core.states);
      expect(drawn.picked, kind).toBe(core.picked);
      expect(farOff(core.pixels, drawn.pixels), kind).toBeLessThan(0.01);
    }
    expect(opened.errors).toEqual([]);
  });

  // PCF turns its samples by noise of the pixel's position. One renderer counts rows from above, the other from below.
  test.runIf(full).each<[name: string, isNoisy: boolean, options: Partial<SceneOptions>]>([
    ['one sample', false, {}],
    ['variance', false, { shadow: { type: 'vsm' } }],
    ['PCF, radius 0', false, { shadow: { type: 'pcf', radius: 0 } }],
    ['PCF', true, { shadow: { type: 'pcf' } }],
    ['PCF, 2048', false, { shadow: { type: 'pcf', mapSize: 2048 } }],
    ['point light', false, { light: 'point' }],
    ['point light, PCF', false, { light: 'point', shadow: { type: 'pcf' } }],
    ['textures', false, { materials: 'lambert' }],
  ])("is as much the same as three's own meshes: %s", { timeout: 300_000 }, async (name, isNoisy, options) => {
    const scene = { count: 24, size: SIZE, frames: 4, materials: 'white', ...options } as const;
    const meshes = (kind: Kind) =>
      opened.page.evaluate((given) => window.tiers.drawMeshes(given), { kind, ...scene } satisfies SceneOptions);
    const three = farOff(await meshes('core'), await meshes('WebGLRenderer'));
    const [core, classic] = [await draw('core', scene), await draw('WebGLRenderer', scene)];
    const ours = farOff(core.pixels, classic.pixels);
    console.log(`${name}: three's own ${(100 * three).toFixed(2)} %, crowd ${(100 * ours).toFixed(2)} %`);
    expect(ours).toBeLessThan(isNoisy ? Math.max(three + 0.003, 0.01) : 0.01);
  });

  test.each(['shader', 'changed', 'normal override'] as const)(
    'is drawn with a material of its own: %s',
    async (kind) => {
      const { lit, errors } = await opened.page.evaluate((given) => window.tiers.drawOwn(given), kind);
      expect([...errors, ...opened.errors]).toEqual([]);
      expect(lit).toBeGreaterThan(100);
    },
  );
});
