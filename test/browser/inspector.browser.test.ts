import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { noBrowser } from '../support/chromium.ts';
import { buildDemo, type BuiltDemo } from '../support/demo-page.ts';
import { openSite, type TestPage } from '../support/page.ts';
import { unity } from '../import/unity-yaml.ts';
import { full, noShared, shared, testInTurn } from '../support/setup.ts';

const OUT = 'out/inspector';
const LEGIONARY = 'characters/legionary.glb';

/** Gives the page files as its file input would. */
async function drop(
  page: Page,
  files: readonly (string | { name: string; mimeType: string; buffer: Buffer })[],
): Promise<void> {
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles(files as string[]);
}

/** Waits until the canvas shows what it has to: a part of its `data-shown`. */
async function expectShown(page: Page, what: string): Promise<void> {
  const canvas = page.locator('.picture canvas');
  await expect.poll(() => canvas.getAttribute('data-shown')).toContain(what);
}

/** Seeks in the clip, and waits until that is shown. */
async function scrub(page: Page, share: number): Promise<void> {
  const time = await page.getByLabel('Time in the clip').evaluate((input, to) => {
    const range = input as HTMLInputElement;
    range.value = String(Number(range.max) * to);
    range.dispatchEvent(new Event('input', { bubbles: true }));
    return Number(range.max) * to;
  }, share);
  await expectShown(page, ` ${time.toFixed(4)} `);
}

const picture = async (page: Page): Promise<string> =>
  (await page.locator('.picture canvas').screenshot()).toString('base64');

describe.skipIf(noBrowser())('the inspector', () => {
  let built: BuiltDemo;
  let opened: TestPage;
  beforeAll(async () => {
    built = await buildDemo();
    opened = await openSite(built.folder, { path: 'inspector.html' });
    mkdirSync(OUT, { recursive: true });
  });
  afterAll(() => opened?.close());

  test('shows a character, and another picture at another time', async () => {
    const { page } = opened;
    await page.setViewportSize({ width: 700, height: 500 });
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.getByRole('button', { name: 'Legionary' }).click();
    await page.getByLabel('Clip', { exact: true }).selectOption({ label: 'walk' });
    await expectShown(page, ' 0.0000 ');
    const begin = await picture(page);
    await scrub(page, 0.5);
    expect(await picture(page)).not.toBe(begin);
    expect(opened.errors).toEqual([]);
  });

  test('reports a broken file in a card, and keeps the model that it shows', async () => {
    const { page } = opened;
    const buffer = readFileSync(LEGIONARY).subarray(0, 9_000);
    await drop(page, [{ name: 'cut.glb', mimeType: 'model/gltf-binary', buffer }]);
    const card = page.getByRole('alert', { name: 'cut.glb cannot be shown' });
    await card.waitFor();
    expect(await card.textContent()).toMatch(/FILE_TRUNCATED.*Download it again/s);
    await card.getByRole('button', { name: /^Close/ }).click();
    expect(await card.count()).toBe(0);
    expect(await page.locator('.picture canvas').count()).toBe(1);
    expect(opened.errors).toEqual([]);
  });

  test('takes a folder that is dropped: clips of a controller by their .meta files', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'maniple-folder-'));
    const guid = '1'.repeat(32);
    const keys = [0, 1].map((time) => ({ time, value: [2 * time, 0, 0] }));
    const controller = unity.text(
      unity.controller([{ name: 'Base', machine: 1 }]),
      unity.machine(1, 'Root', { states: [101], start: 101 }),
      unity.state(101, 'Walk', { motion: `{fileID: 7400000, guid: ${guid}, type: 2}` }),
    );
    const clip = unity.text(unity.clip({ curves: { m_PositionCurves: [unity.curve(keys, 'path: Root')] } }));
    const files = { 'Hero.controller': controller, 'Clips/Stroll.anim': clip, 'Clips/Stroll.anim.meta': `fileFormatVersion: 2\nguid: ${guid}\n` }; // prettier-ignore
    await mkdir(path.join(folder, 'Clips'));
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
    const { page } = opened;
    // as a file manager does it
    const session = await page.context().newCDPSession(page);
    const data = { items: [], files: [folder], dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
      await session.send('Input.dispatchDragEvent', { type, x: 200, y: 200, data });
    }
    await page.locator('.drawing .is-active', { hasText: 'Made' }).waitFor();
    expect(opened.errors).toEqual([]);
    await rm(folder, { recursive: true });
  });

  test('says on a card that a security policy forbids WebAssembly', async () => {
    const other = await openSite(built.folder, {
      path: 'inspector.html',
      headers: { 'Content-Security-Policy': "script-src 'self'" },
    });
    const { page } = other;
    await drop(page, [LEGIONARY]);
    const card = page.getByRole('alert', { name: 'legionary.glb cannot be shown' });
    await card.waitFor();
    expect(await card.textContent()).toMatch(/WASM_BLOCKED.*Add 'wasm-unsafe-eval' to script-src/s);
    expect(await page.getByText('Loading the page').count()).toBe(0);
    expect(other.errors).toEqual([]);
    await other.close();
  });

  (noShared() ? test.skip : testInTurn(2))('shows a clip of another skeleton next to its source', async () => {
    const other = await openSite(built.folder, { path: 'inspector.html' });
    const { page } = other;
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.emulateMedia({ reducedMotion: 'reduce' });
    await page.getByRole('button', { name: 'Legionary' }).click();
    await expectShown(page, ' 0.0000 ');
    await drop(page, [path.join(shared, 'rigs/bvh/motionbuilder-walk01.bvh')]);
    const source = page.locator('.picture.source canvas');
    await source.waitFor();
    expect(await page.getByLabel('Clip', { exact: true }).locator('option:checked').textContent()).toBe(
      'motionbuilder-walk01',
    );
    expect(await page.locator('select.items option').count()).toBe(1);
    await page.getByRole('tab', { name: 'Bones' }).click();
    expect(await page.locator('[data-bone="leftUpperArm"] title').allTextContents()).toEqual([
      'leftUpperArm: upper_arm_l, 100 % sure',
      expect.stringMatching(/^leftUpperArm: LeftArm, \d+ % sure$/),
    ]);
    const now = page.locator('.chart .now').first();
    const before = Number(await now.getAttribute('x1'));
    await page.getByLabel('Time in the clip').fill('2');
    await expect.poll(() => source.getAttribute('data-shown')).toContain(' 2.0000 ');
    expect(Number(await now.getAttribute('x1'))).toBeGreaterThan(before + 50);
    await page.screenshot({ path: `${OUT}/source.png` });
    expect(other.errors).toEqual([]);
    await other.close();
  });

  const SIZES = [
    { name: 'desktop', width: 1280, height: 800 },
    { name: 'phone', width: 390, height: 844 },
  ];

  describe.skipIf(!full)('in full', () => {
    const shoot = async (name: string): Promise<void> => {
      const { page } = opened;
      await page.screenshot({ path: `${OUT}/${name}.png`, fullPage: (page.viewportSize()?.width ?? 0) < 800 });
    };

    test.each(SIZES)('every view and panel, $name', async ({ name, width, height }) => {
      const { page } = opened;
      await page.setViewportSize({ width, height });
      await page.goto(page.url());
      await page.getByRole('button', { name: 'Raider' }).waitFor();
      await shoot(`${name}-start`);
      await page.getByRole('button', { name: 'Legionary' }).click();
      await page.getByLabel('Clip', { exact: true }).selectOption({ label: 'walk' });
      await scrub(page, 0.3);
      const pictures = new Set<string>();
      for (const mode of ['Material', 'Error', 'Influences', 'Weight']) {
        await page.locator('.segments label', { hasText: mode }).click();
        if (mode === 'Weight') await page.getByRole('treeitem').nth(12).click();
        await expectShown(page, mode.toLowerCase());
        pictures.add(await picture(page));
        await shoot(`${name}-${mode.toLowerCase()}`);
      }
      expect(pictures.size).toBe(4);
      for (const tab of ['Bones', 'Clips', 'Facts', 'Repairs']) {
        await page.getByRole('tab', { name: tab }).click();
        await shoot(`${name}-${tab.toLowerCase()}`);
      }
      expect(opened.errors).toEqual([]);
    });

    test('with only the keyboard', async () => {
      const { page } = opened;
      await page.setViewportSize({ width: 1280, height: 800 });
      const canvas = page.locator('.picture canvas');
      const begin = await picture(page);
      await canvas.focus();
      for (const key of ['ArrowLeft', 'ArrowLeft', '+']) await page.keyboard.press(key);
      await expect.poll(() => picture(page)).not.toBe(begin);
      const time = await page.getByLabel('Time in the clip').inputValue();
      await page.keyboard.press('.');
      expect(Number(await page.getByLabel('Time in the clip').inputValue())).toBeCloseTo(Number(time) + 1 / 30, 5);
      await page.getByRole('tab', { selected: true }).focus();
      await page.keyboard.press('Home');
      await page.getByRole('treeitem').first().focus();
      await page.keyboard.press('ArrowDown');
      expect(await page.getByRole('treeitem', { selected: true }).count()).toBe(1);
    });

    test('poses on a GPU as the twins do', async () => {
      const { page } = opened;
      const told: number[][] = [];
      // the last one stays: software adapters are slower than the twins
      for (const pose of ['gpu', 'cpu']) {
        await page.goto(`${page.url().replace(/\?.*/, '')}?pose=${pose}`);
        await page.getByRole('button', { name: 'Raider' }).click();
        await page.locator('.segments label', { hasText: 'Error' }).click();
        await expectShown(page, 'error');
        await scrub(page, 0.5);
        // errors in millimetres: of a vertex, and of a joint
        const texts = await page.locator('.legend b').allInnerTexts();
        told.push(texts.map((text) => Number.parseFloat(text)));
        await shoot(`pose-${pose}`);
      }
      expect(told[0]).toHaveLength(2);
      told[0]!.forEach((millimetres, i) => expect(told[1]![i]).toBeCloseTo(millimetres, 3));
    });

    test('without WebGPU draws with WebGL', async () => {
      const before = 'Object.defineProperty(navigator, "gpu", { value: undefined })';
      const other = await openSite(built.folder, { path: 'inspector.html', before });
      const { page } = other;
      await page.emulateMedia({ reducedMotion: 'reduce' });
      await page.getByRole('button', { name: 'Legionary' }).click();
      await page.locator('.segments label', { hasText: 'Influences' }).click();
      await expectShown(page, 'influences');
      await page.screenshot({ path: `${OUT}/webgl.png` });
      expect(other.errors).toEqual([]);
      await other.close();
    });

    const assets = path.join(shared, 'assets');
    test.skipIf(noShared()).each([
      ['characters/kaykit-knight.glb', []],
      ['characters/astronaut-bee-draco.glb', []],
      ['basics/01_cs_morph/01_cs_morph.gltf', ['basics/01_cs_morph/01_cs_morph.bin']],
    ])('a character of others: %s', async (file, beside) => {
      const { page } = opened;
      const before = await page.locator('select.items option').count();
      await drop(
        page,
        [file, ...beside].map((each) => path.join(assets, each)),
      );
      await expect.poll(() => page.locator('select.items option').count()).toBe(before + 1);
      await expectShown(page, 'material');
      await shoot(`character-${path.basename(file)}`);
      await page.locator('.segments label', { hasText: 'Error' }).click();
      await expectShown(page, 'error');
      await shoot(`character-${path.basename(file)}-error`);
      expect(opened.errors).toEqual([]);
    });

    test.skipIf(noShared()).each(['naughty-EllenAnimatorController.controller', 'synthetic-all-features.controller'])(
      'a controller of Unity: %s',
      async (file) => {
        const { page } = opened;
        await drop(page, [path.join(shared, 'unity', file)]);
        await page
          .locator('.drawing svg title', { hasText: file.replace('.controller', '') })
          .first()
          .waitFor({ state: 'attached' });
        await expect.poll(() => page.locator('.drawing .is-active').count()).toBeGreaterThan(0);
        for (const { name, width, height } of SIZES) {
          await page.setViewportSize({ width, height });
          await shoot(`controller-${file}-${name}`);
        }
        expect(opened.errors).toEqual([]);
      },
    );

    test.skipIf(noShared())('every malformed file ends in cards or a character', async () => {
      const { page } = opened;
      await page.setViewportSize({ width: 1280, height: 800 });
      const folder = path.join(assets, 'malformed/edge-cases');
      const files = readdirSync(folder).filter((file) => /\.(glb|gltf)$/.test(file));
      const before = await page.locator('select.items option').count();
      await drop(
        page,
        files.map((file) => path.join(folder, file)),
      );
      await expect.poll(() => page.locator('.failures .issue-cards').count()).toBeGreaterThan(5);
      const failed = await page.locator('.failures .issue-cards').count();
      const opens = (await page.locator('select.items option').count()) - before;
      expect(failed + opens).toBe(files.length);
      await shoot('malformed');
      expect(opened.errors).toEqual([]);
    });
  });
});
