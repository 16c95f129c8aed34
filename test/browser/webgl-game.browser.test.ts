// Players of a game on WebGLRenderer: clones with mixers, and the crowd that replaces them.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { noBrowser } from '../support/chromium.ts';
import { openPage, type TestPage } from '../support/page.ts';
import { full, noShared, shared, testInTurn } from '../support/setup.ts';
import { farOff } from './far-off.ts';
import type { GameOptions } from './webgl-game.page.ts';

/** Time of the median frame. The first frames compile shaders. */
function typical(frameMs: readonly number[]): number {
  const steady = frameMs.slice(4).toSorted((a, b) => a - b);
  return steady[steady.length >> 1]!;
}

describe.skipIf(noBrowser() || noShared())('players of a WebGLRenderer game', () => {
  let opened: TestPage;
  beforeAll(async () => {
    const entry = fileURLToPath(new URL('webgl-game.page.ts', import.meta.url));
    const files = { '/knight.glb': path.join(shared, 'assets/characters/kaykit-knight.glb') };
    opened = await openPage({ entry, files });
    await opened.page.waitForFunction(() => window.game !== undefined);
  });
  afterAll(() => opened?.close());

  const play = async (options: Partial<GameOptions> & Pick<GameOptions, 'players'>) => {
    const all: GameOptions = { count: 12, size: [200, 150], frames: 3, ...options };
    const played = await opened.page.evaluate((given) => window.game.play(given), all);
    expect(played.errors).toEqual([]);
    return played;
  };

  testInTurn(1)('look the same as a crowd', { timeout: 300_000 }, async () => {
    const [before, after] = [await play({ players: 'clones' }), await play({ players: 'crowd' })];
    const share = farOff(before.pixels, after.pixels);
    console.log(
      `pixels that differ: ${(100 * share).toFixed(2)} %; draw calls ${before.drawCalls} → ${after.drawCalls}`,
    );
    expect(share).toBeLessThan(0.01);
    const plain = await play({ players: 'crowd', hasRim: false });
    expect(farOff(plain.pixels, after.pixels), 'the glow and the dyes').toBeGreaterThan(0.05);
    expect(farOff(plain.pixels, before.pixels)).toBeGreaterThan(0.05);
    expect(opened.errors).toEqual([]);
  });

  test.runIf(full)('take less CPU time as a crowd', { timeout: 600_000 }, async () => {
    for (const count of [60, 300]) {
      const options = { count, frames: 24, size: [320, 240] } as const;
      const [before, after] = [
        await play({ players: 'clones', ...options }),
        await play({ players: 'crowd', ...options }),
      ];
      const [was, is] = [typical(before.frameMs), typical(after.frameMs)];
      const share = farOff(before.pixels, after.pixels);
      console.log(
        `${count} players: ${was.toFixed(2)} ms → ${is.toFixed(2)} ms of CPU time (${(was / is).toFixed(1)} ×), ` +
          `${before.drawCalls} → ${after.drawCalls} draw calls; ${(100 * share).toFixed(2)} % of pixels differ`,
      );
      expect(share).toBeLessThan(0.01);
      expect(after.drawCalls).toBeLessThanOrEqual(4);
      expect(was / is).toBeGreaterThan(4);
    }
  });
});
