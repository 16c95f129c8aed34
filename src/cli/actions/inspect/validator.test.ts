import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { answer } from '../../../../test/cli/maniple.ts';
import { temporaryFolder } from '../../../../test/support/temporary-folder.ts';
import { codesOf, GltfBuilder, importBuilt } from '../../../../test/import/build-gltf.ts';
import type { Issue } from '../../../errors.ts';
import { IGNORED_CODES, validatorIssues } from './validator.ts';

function plain(): GltfBuilder {
  const gltf = new GltfBuilder();
  gltf.meshNode([gltf.triangle()]);
  return gltf;
}

describe('the Khronos validator', () => {
  it('knows every code that is ignored', () => {
    const require = createRequire(import.meta.url);
    const issues = readFileSync(path.join(path.dirname(require.resolve('gltf-validator')), 'ISSUES.md'), 'utf8');
    const known = new Set([...issues.matchAll(/^\|([A-Z_]+)\|/gm)].map(([, code]) => code));
    expect(IGNORED_CODES.filter((code) => !known.has(code))).toEqual([]);
  });

  it('reports what moves no vertex, with its pointer', async () => {
    const gltf = plain();
    gltf.materials.push({ normalTexture: { index: 5 } });
    const issues = await validatorIssues(gltf.glb());
    expect(issues).toMatchObject([
      { code: 'GLTF_VALIDATOR', severity: 'warning', path: '/materials/0/normalTexture/index' },
    ]);
    expect(issues[0]!.message).toContain('UNRESOLVED_REFERENCE');
  });

  it('is quiet about what real files are full of', async () => {
    const gltf = plain();
    gltf.nodes.push({ name: 'empty', children: [] });
    gltf.extra.animations = [];
    gltf.nodes[0]!.extras = 'a string';
    expect(await validatorIssues(gltf.glb())).toEqual([]);
  });

  it('says each thing three times at most', async () => {
    const gltf = plain();
    for (let i = 0; i < 10; i++) gltf.materials.push({ normalTexture: { index: 5 } });
    const issues = await validatorIssues(gltf.glb());
    expect(issues.map(({ severity }) => severity)).toEqual(['warning', 'warning', 'warning', 'info']);
    expect(issues.at(-1)!.message).toBe('7 more of UNRESOLVED_REFERENCE.');
  });

  it('is not run where it would recurse too deep, and a note says so', async () => {
    const gltf = plain();
    for (let i = 0; i < 5_000; i++) gltf.nodes.push(i < 4_999 ? { children: [gltf.nodes.length + 1] } : {});
    const issues = await validatorIssues(gltf.glb());
    expect(issues).toMatchObject([{ code: 'GLTF_VALIDATOR', severity: 'info' }]);
    expect(issues[0]!.message).toContain('not run');
  });

  it('does not receive clips, because the importer finds their faults itself', async () => {
    const gltf = plain();
    gltf.clip([{ node: 0, path: 'translation', times: [-1, 1], values: [0, 0, 0, 1, 0, 0], type: 'VEC3' }]);
    expect(await validatorIssues(gltf.glb())).toEqual([]);
    expect(codesOf(await importBuilt(gltf))).toEqual(['GLTF_KEYS_REPAIRED']);
  });

  it('is asked by `maniple inspect`, and by no import', async () => {
    const gltf = plain();
    gltf.materials.push({ normalTexture: { index: 5 } });
    expect(codesOf(await importBuilt(gltf))).not.toContain('GLTF_VALIDATOR');
    const file = path.join(temporaryFolder(), 'broken.glb');
    writeFileSync(file, gltf.glb());
    const { issues } = (await answer(['inspect', file])) as { readonly issues: readonly Issue[] };
    expect(issues.map(({ code }) => code)).toContain('GLTF_VALIDATOR');
  });
});
