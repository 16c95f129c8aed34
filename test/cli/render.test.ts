// Pictures that no GPU is needed for.
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { decodeImage } from '../../src/render/images/index.ts';
import { colorShare, countColors } from '../support/pictures.ts';
import { answer, legionary, maniple, refusal } from './maniple.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
/** The null device runs nothing, and is refused by all that needs one. */
const NO_GPU = { env: { MANIPLE_GPU: 'null' } };
/** Packing takes less time where it need not look for how little will do. */
const ONE = [legionary, '--count', '1', '--error-budget', '0'];

describe('render --backend cpu', () => {
  test('draws the picture on twins, with shadows, where there is no GPU', async () => {
    const out = path.join(folder, 'legionary.png');
    const args = ['render', ...ONE, '--backend', 'cpu', '--size', '64x48', '--out', out];
    const said = await answer<{ stages: object }>(args, NO_GPU);
    expect(said).toMatchObject({ out, count: 1, backend: 'cpu', adapter: 'the CPU', frames: [out] });
    expect(Object.keys(said.stages)).toEqual([
      'cull-characters',
      'gather-motions',
      'pose-joints',
      'skin-vertices',
      'filter-triangles',
      'raster-triangles',
      'shade-pixels',
    ]);
    const image = await decodeImage(new Uint8Array(readFileSync(out)), 'image/png', out);
    expect([image.width, image.height]).toEqual([64, 48]);
    expect(countColors(image)).toBeGreaterThan(300);
    // his tunic, and the shade that he casts
    expect(colorShare(image, (r, g, b) => r > 2 * g && r > 2 * b)).toBeGreaterThan(0.01);
    expect(colorShare(image, (r, g, b) => r + g + b < 300)).toBeGreaterThan(0.03);
  });

  test('says in its help what it is for, and refuses what is too large before it draws', async () => {
    const { stdout } = await maniple(['render', '--help']);
    expect(stdout.replace(/\s+/g, ' ')).toContain('need no GPU and are for small pictures');
    const out = path.join(folder, 'never.png');
    const boulder = ['props/boulder.glb', '--count', '1'];
    const [issue] = await refusal(['render', ...boulder, '--backend', 'cpu', '--size', '4096x4096', '--out', out]);
    expect(issue).toMatchObject({ code: 'RENDER_TOO_LARGE', path: 'size' });
    expect(existsSync(out)).toBe(false);
  });
});
