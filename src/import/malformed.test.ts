import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { childScript } from '../../test/support/child.ts';
import { noShared, shared } from '../../test/support/setup.ts';

const SECONDS = 5;
const BYTES = 1e9;

interface Told {
  readonly outcomes: readonly { readonly file: string; readonly outcome: string; readonly seconds: number }[];
  readonly peakBytes: number;
}

describe.skipIf(noShared())('malformed files', () => {
  // one process for all of them: if together they stay below the limit, each does
  it(`end with a code or a character, each within ${SECONDS} s, all of them within 1 GB`, () => {
    const folder = path.join(shared, 'assets/malformed');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(glb|gltf)$/.test(file))
      .map((file) => path.join(folder, file));
    expect(files.length).toBeGreaterThan(20);
    const text = execFileSync(process.execPath, [childScript('malformed'), ...files], { encoding: 'utf8' });
    const { outcomes, peakBytes } = JSON.parse(text) as Told;
    expect(outcomes).toHaveLength(files.length);
    expect(outcomes.filter(({ outcome }) => !/^(loaded|(FILE|GLTF|CHARACTER)_[A-Z_]+)$/.test(outcome))).toEqual([]);
    expect(outcomes.filter(({ seconds }) => seconds > SECONDS)).toEqual([]);
    expect(peakBytes).toBeLessThan(BYTES);
  });
});
