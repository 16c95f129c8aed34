// The same scene in every tier: WebGPU, three's nodes on WebGL 2, and WebGLRenderer.
import path from 'node:path';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { addSockets } from '../../src/character/sockets.ts';
import { packCharacter } from '../../src/character/pack/index.ts';
import { writeBaked } from '../../src/character/file/index.ts';
import { importGltf } from '../../src/import/index.ts';
import { noBrowser } from '../support/chromium.ts';
import { openPage, type TestPage } from '../support/page.ts';
import { full, hasTurn, noShared, shared } from '../support/setup.ts';
import type { Drawn, Kind, SceneOptions } from './tiers.page.ts';

const SIZE = full ? ([320, 240] as const) : ([160, 120] as const);

/** A knight with a controller and events, and two other files. */
async function bake(): Promise<Record<string, Uint8Array>> {
  const open = async (file: string) =>
    importGltf({ name: path.basename(file), bytes: await readFile(path.join(shared, 'assets', file)) });
  const knight = await open('characters/kaykit-knight.glb');
  const some = knight.clips.flatMap(({ name }, i) => (['Idle', 'Walking_A'].includes(name) ? [i] : []));
  const types = [
    addSockets(packCharacter(knight, { clips: some }), ['hand.r']),
    packCharacter(await open('characters/cesium-man.glb')),
    packCharacter(await open('creatures/khronos-fox.glb')),
  ];
  return Object.fromEntries(types.map((type, i) => [`/${'abc'[i]!}.maniple`, writeBaked(type)]));
}

describe.skipIf(noBrowser() || noShared() || !hasTurn(2))('a scene in every tier', () => {
  let opened: TestPage;
  beforeAll(async () => {
    const entry = fileURLToPath(new URL('tiers.page.ts', import.meta.url));
    opened = await openPage({ entry, files: await bake() });
    await opened.page.waitForFunction(() => window.tiers !== undefined);
  });
  afterAll(() => opened?.close());

  const draw = (kind: Kind, options: Partial<SceneOptions> = {}) =>
    opened.page.evaluate((given) => window.tiers.draw(given), {
      kind,
      count: full ? 200 : 24,
      size: SIZE,
      frames: 4,
      materials: 'lambert',
      ...options,
    } satisfies SceneOptions);

  /** Share of pixels with a channel farther off than 2 codes. */
  const farOff = (one: Drawn, other: Drawn) => {
    let far = 0;
    for (let at = 0; at < one.pixels.length; at += 4) {
      if ([0, 1, 2].some((c) => Math.abs(one.pixels[at + c]! - other.pixels[at + c]!) > 2)) far++;
    }
    return far / (one.pixels.length / 4);
  };

  test('is the same', { timeout: 600_000 }, async () => {
    const core = await draw('core');
    expect([core.tier, core.errors]).toEqual(['core', []]);
    expect(core.events.length).toBeGreaterThan(0);
    expect(core.states.length).toBeGreaterThan(0);
    for (const kind of ['nodes on WebGL', 'WebGLRenderer'] as const) {
      const drawn = await draw(kind);
      expect([drawn.tier, drawn.errors], kind).toEqual(['webgl2', []]);
      expect(drawn.events, kind).toEqual(core.events);
      expect(drawn.states, kind).toEqual(core.states);
      expect(drawn.picked, kind).toBe(core.picked);
      // WebGLRenderer samples shadow maps in a way of its own: edges of shadows differ
      expect(farOff(core, drawn), kind).toBeLessThan(kind === 'nodes on WebGL' ? 0.01 : 0.04);
    }
    const [plain, classic] = [await draw('core', { shadows: false }), await draw('WebGLRenderer', { shadows: false })];
    expect(farOff(plain, classic), 'without shadows').toBeLessThan(0.01);
    expect(opened.errors).toEqual([]);
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
