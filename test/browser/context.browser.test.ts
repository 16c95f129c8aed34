// Crowds in a renderer that loses its WebGL context.
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { noBrowser } from '../support/chromium.ts';
import { openPage, type TestPage } from '../support/page.ts';
import { noShared, testInTurn } from '../support/setup.ts';
import { farOff } from './far-off.ts';
import { sceneFiles } from './scene-files.ts';

describe.skipIf(noBrowser() || noShared())('a lost context', () => {
  let opened: TestPage;
  beforeAll(async () => {
    const entry = fileURLToPath(new URL('context.page.ts', import.meta.url));
    opened = await openPage({ entry, files: await sceneFiles() });
    await opened.page.waitForFunction(() => window.context !== undefined);
  });
  afterAll(() => opened?.close());

  testInTurn(1).each(['WebGLRenderer', 'nodes on WebGL'] as const)(
    'changes nothing: %s',
    { timeout: 300_000 },
    async (kind) => {
      const survive = (isLost: boolean) =>
        opened.page.evaluate((given) => window.context.survive(given), { kind, isLost });
      const [kept, lost] = [await survive(false), await survive(true)];
      expect(kept.pixels.filter((code, at) => at % 4 === 1 && code > 200).length).toBeGreaterThan(50);
      expect(farOff(kept.pixels, lost.pixels)).toBe(0);
      expect(kept.events.length).toBeGreaterThan(0);
      expect({ ...lost, pixels: [] }).toEqual({ ...kept, pixels: [] });
    },
  );
});
