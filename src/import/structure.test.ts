import { describe, expect, it } from 'vitest';
import { type Entry, GltfBuilder, importBuilt, refusalOf } from '../../test/import/build-gltf.ts';

function plain(): GltfBuilder {
  const gltf = new GltfBuilder();
  gltf.meshNode([gltf.triangle()]);
  return gltf;
}

describe('structure', () => {
  const refusals: [string, string, (gltf: GltfBuilder) => void][] = [
    ['no asset', '', (gltf) => Object.assign(gltf.extra, { asset: undefined })],
    ['glTF 1.0', '/asset', (gltf) => Object.assign(gltf.asset, { version: '1.0' })],
    ['a later glTF', '/asset', (gltf) => Object.assign(gltf.asset, { minVersion: '2.1' })],
    ['nodes that are no list', '/nodes', (gltf) => Object.assign(gltf.extra, { nodes: {} })],
    ['an invalid node', '/nodes/0', (gltf) => Object.assign(gltf.extra, { nodes: [null] })],
    ['a mesh that does not exist', '/nodes/0/mesh', (gltf) => Object.assign(gltf.nodes[0]!, { mesh: 1 })],
    ['a negative mesh', '/nodes/0/mesh', (gltf) => Object.assign(gltf.nodes[0]!, { mesh: -1 })],
    ['half a mesh', '/nodes/0/mesh', (gltf) => Object.assign(gltf.nodes[0]!, { mesh: 0.5 })],
    ['a skin without joints', '/skins/0/joints', (gltf) => gltf.skins.push({ joints: [] })],
    ['a matrix of 12', '/nodes/0/matrix', (gltf) => Object.assign(gltf.nodes[0]!, { matrix: Array(12).fill(0) })],
    [
      'an unknown component type',
      '/accessors/0/componentType',
      (gltf) => Object.assign(gltf.accessors[0]!, { componentType: 5130 }),
    ],
    ['an unknown type', '/accessors/0/type', (gltf) => Object.assign(gltf.accessors[0]!, { type: 'VEC5' })],
    ['a view past its buffer', '/bufferViews/0', (gltf) => Object.assign(gltf.bufferViews[0]!, { byteOffset: 1e6 })],
    ['a narrow stride', '/accessors/0', (gltf) => Object.assign(gltf.bufferViews[0]!, { byteStride: 4 })],
    [
      'a mode of 7',
      '/meshes/0/primitives/0/mode',
      (gltf) => Object.assign((gltf.meshes[0]!.primitives as Entry[])[0]!, { mode: 7 }),
    ],
    ['a node in two places', '/nodes/2/children/0', (gltf) => gltf.nodes.push({ children: [0] }, { children: [0] })],
    ['a node of its own', '/nodes/1', (gltf) => gltf.nodes.push({ children: [1] })],
    ['a scene that does not exist', '/scene', (gltf) => Object.assign(gltf.extra, { scene: 3 })],
  ];

  it.each(refusals)('with %s is refused at %s', async (_, at, damage) => {
    const gltf = plain();
    damage(gltf);
    const error = await refusalOf(gltf);
    expect(error.issues[0]).toMatchObject({ code: 'GLTF_INVALID', severity: 'error', path: at });
  });

  it('is checked to the end before it is refused', async () => {
    const gltf = plain();
    gltf.nodes.push({ mesh: 9 }, { skin: 9 }, { children: [9] });
    expect((await refusalOf(gltf)).issues.map((issue) => issue.path)).toEqual([
      '/nodes/1/mesh',
      '/nodes/2/skin',
      '/nodes/3/children/0',
    ]);
  });

  it('may name extensions that only add to the look, and no others', async () => {
    const gltf = plain();
    gltf.extra.extensionsUsed = ['KHR_materials_sheen', 'KHR_materials_variants', 'ACME_glitter'];
    gltf.extra.extensionsRequired = ['KHR_materials_sheen'];
    const { issues } = await importBuilt(gltf);
    expect(issues.map(({ code, severity }) => [code, severity])).toEqual([
      ['GLTF_EXTENSION_IGNORED', 'warning'],
      ['GLTF_EXTENSION_IGNORED', 'info'],
      ['GLTF_EXTENSION_IGNORED', 'info'],
    ]);
    gltf.extra.extensionsRequired = ['ACME_glitter'];
    expect((await refusalOf(gltf)).code).toBe('GLTF_EXTENSION_REQUIRED');
  });

  it('warns of extensions that animate: something does not move', async () => {
    const gltf = plain();
    gltf.extra.extensionsUsed = ['KHR_lights_punctual', 'VRMC_springBone', 'KHR_animation_pointer'];
    const { issues } = await importBuilt(gltf);
    expect(issues.map(({ severity, path }) => [severity, path])).toEqual([
      ['info', '/extensionsUsed/0'],
      ['warning', '/extensionsUsed/1'],
      ['warning', '/extensionsUsed/2'],
    ]);
    expect(issues[1]!.message).toBe(
      'The extension "VRMC_springBone" is read in part: hair, clothes and tails do not swing.',
    );
  });
});
