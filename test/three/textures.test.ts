// Tables in textures, and the GLSL that reads them.
import { describe, expect, test } from 'vitest';
import { MeshDepthMaterial, MeshStandardMaterial, ShaderLib } from 'three';
import { type Material, MeshBasicNodeMaterial, RawShaderMaterial } from 'three/webgpu';
import { packCharacter } from '../../src/character/pack/index.ts';
import { createCrowd } from '../support/create-crowd.ts';
import { internalsOf } from '../../src/crowd/internals.ts';
import { ROW_NONE } from '../../src/stages/layout.ts';
import { carriedVertex, characterVertex, pickedFragment, tintedFragment } from '../../src/three/textures/crowd-glsl.ts';
import { crowdSections, CrowdTextures } from '../../src/three/textures/crowd-textures.ts';
import { ChangedMaterial, expectClassic } from '../../src/three/textures/glsl-materials.ts';
import { TableTexture, WORDS_PER_ROW, wholeRows } from '../../src/three/textures/table-texture.ts';
import { coded } from '../support/crowd-truth.ts';
import { smallModel } from '../support/small-model.ts';
import { updateAndWait } from '../support/update-and-wait.ts';

/** A renderer that notes uploads, as three's older one. */
function uploads() {
  const rows: [first: number, count: number][] = [];
  const gl = new Proxy(
    {},
    {
      get: (_, name) =>
        name === 'texSubImage2D' ? (...[, , , y, , height]: number[]) => rows.push([y!, height!]) : String(name).length,
    },
  );
  const renderer = {
    isWebGLRenderer: true,
    getContext: () => gl,
    state: { bindTexture: () => undefined, pixelStorei: () => undefined },
    properties: { get: () => ({ __webglTexture: {} }) },
  };
  return { renderer: renderer as never, rows };
}

describe('a table in a texture', () => {
  test('uploads the rows that have changed, one call for each run of them', () => {
    const table = new TableTexture(new Uint32Array(8 * WORDS_PER_ROW), 'test');
    const { renderer, rows } = uploads();
    table.upload(renderer);
    expect(rows).toEqual([]);
    table.changed(0, 1);
    table.changed(2047, 2); // the end of the first row, and the beginning of the second
    table.set(5 * 2048, new Uint32Array([1, 2, 3, 4]));
    table.changed(7 * 2048, 2048);
    table.upload(renderer);
    expect(rows.splice(0)).toEqual([
      [0, 2],
      [5, 1],
      [7, 1],
    ]);
    table.upload(renderer);
    expect(rows).toEqual([]);
    expect([...table.words.subarray(5 * WORDS_PER_ROW, 5 * WORDS_PER_ROW + 4)]).toEqual([1, 2, 3, 4]);
  });

  test('of a crowd begins each column with a row of texels', () => {
    const sections = crowdSections(1000);
    expect(sections.first('visible')).toBe(0);
    expect(sections.first('residents')).toBe(wholeRows(12 * 1000) / 4);
    expect(sections.first('transforms') % 2048).toBe(0);
    expect(() => crowdSections(2 ** 20)).toThrow(coded('DEVICE_LIMIT'));
  });
});

test('textures of a crowd have the bytes of its columns, and palettes of posed characters', async () => {
  const character = packCharacter(smallModel());
  const crowd = createCrowd(undefined, { characters: [character], capacity: 40, backend: 'cpu', skin: 'vertex' });
  const group = crowd.spawn(character, { count: 30, place: (i, at) => at.position.set(i, 0, 0) });
  await updateAndWait(crowd, { dt: 0.1 });
  const { backend, ids } = internalsOf(crowd).host;
  const arrays = () => backend.arrays!;
  const textures = new CrowdTextures(arrays());
  expect(textures.isOf(arrays())).toBe(true);
  const { renderer, rows } = uploads();
  textures.follow(arrays(), ids.used, renderer);
  const columns = textures.section('transforms');
  const words = (columns.texture.image as { data: Uint32Array }).data;
  const transforms = arrays().transforms.words;
  expect(words.subarray(4 * columns.firstTexel, 4 * columns.firstTexel + 8 * 30)).toEqual(
    transforms.subarray(0, 8 * 30),
  );
  expect(rows.length).toBeGreaterThan(0);
  // a page is the memory of the twins itself, in whole rows
  expect((textures.page(0).texture.image as { data: Uint32Array }).data).toBe(arrays().pages[0]!.skinned);
  expect(arrays().pages[0]!.skinned.length % WORDS_PER_ROW).toBe(0);
  // the next frame poses no other characters
  rows.splice(0);
  crowd.hide(group.ids);
  await updateAndWait(crowd, { dt: 0.1 });
  textures.follow(arrays(), ids.used, renderer);
  const { visible, targets, draws } = arrays();
  const listed = draws.reduce((sum, { recordByte }) => sum + targets[recordByte / 4 + 1]!, 0);
  expect([
    listed,
    Array.from({ length: listed }, (_, row) => visible.get(row, 'paletteRow')).every((row) => row === ROW_NONE),
  ]).toEqual([0, true]);
  crowd.grow(50);
  await updateAndWait(crowd, { dt: 0.1 });
  expect(textures.isOf(arrays())).toBe(false);
  crowd.destroy();
});

describe('GLSL of crowds', () => {
  const standard = ShaderLib.standard!;

  test('gives the posed vertex the names of the attributes, and runs the material after it', () => {
    const code = characterVertex(standard.vertexShader, { hasMorphs: true, isPicked: false });
    const own = code.indexOf(standard.vertexShader);
    expect(own).toBeGreaterThan(0);
    // its own code reads attributes before they have other names
    expect(code.indexOf('crowdPosition = position;')).toBeLessThan(code.indexOf('#define position crowdPosition'));
    expect(code.indexOf('#define main crowdMaterialMain')).toBeLessThan(own);
    expect(code.indexOf('#undef main')).toBeGreaterThan(own);
    expect(code).toContain('crowdMorph(slot, head.z);');
    expect(characterVertex('', { hasMorphs: false, isPicked: false })).not.toContain('crowdMorph(');
    expect(characterVertex('', { hasMorphs: false, isPicked: true })).toContain('vCrowdDepth =');
    expect(carriedVertex('')).toContain('4294967295u');
  });

  test.each(['basic', 'lambert', 'phong', 'standard', 'physical', 'toon', 'matcap'])(
    '%s materials are tinted',
    (name) => {
      expect(tintedFragment(ShaderLib[name]!.fragmentShader)).toContain('\tdiffuseColor *= vCrowdTint;');
    },
  );

  test.each(['depth', 'distance'])('%s has the opacity of the tint', (name) => {
    const key = name === 'distance' && !('distance' in ShaderLib) ? 'distanceRGBA' : name;
    expect(tintedFragment(ShaderLib[key]!.fragmentShader)).toContain(
      'diffuseColor.a *= vCrowdTint.a;\n\t#include <alphatest',
    );
  });

  test('a picked fragment ends with its row', () => {
    const code = pickedFragment(standard.fragmentShader);
    expect(code.indexOf('gl_FragColor = vec4(float(vCrowdId + 1u)')).toBeGreaterThan(
      code.indexOf(standard.fragmentShader),
    );
  });
});

describe('a changed material', () => {
  const change = { key: 'k', vertex: (code: string) => `V ${code}`, fragment: (code: string) => `F ${code}` };
  const compile = (material: Material) => {
    const shader = {
      vertexShader: 'v',
      fragmentShader: 'f',
      uniforms: { own: { value: 1 } } as Record<string, unknown>,
    };
    material.onBeforeCompile(shader as never, undefined as never);
    return shader;
  };

  test('keeps the change of the application, and shares the uniforms that it adds', () => {
    const source = new MeshStandardMaterial();
    source.onBeforeCompile = (shader) => {
      shader.vertexShader = shader.vertexShader.replace('v', 'w');
      shader.uniforms.time = { value: 0 };
    };
    const uniforms = { crowd: { value: 2 } };
    const [one, two] = [0, 1].map(() => new ChangedMaterial(source as unknown as Material, change, uniforms));
    const [first, second] = [compile(one!.material), compile(two!.material)];
    expect(first).toMatchObject({ vertexShader: 'V w', fragmentShader: 'F f' });
    expect(Object.keys(first.uniforms)).toEqual(['own', 'crowd', 'time']);
    expect(second.uniforms.time).toBe(first.uniforms.time);
    expect(one!.material.customProgramCacheKey()).toContain('crowd k');
    expect(one!.material.customProgramCacheKey()).toContain('time');
  });

  test('follows the original', () => {
    const source = new MeshStandardMaterial();
    const { material, ...changed } = new ChangedMaterial(source as unknown as Material, change, {});
    expect(changed).toEqual({});
    const copy = new ChangedMaterial(source as unknown as Material, change, {});
    const { version } = copy.material;
    source.roughness = 0.25;
    copy.follow();
    expect([copy.material, copy.material.version]).toMatchObject([{ roughness: 0.25 }, version]);
    source.flatShading = true;
    copy.follow();
    expect(copy.material.version).toBe(version + 1);
    expect((material as unknown as MeshStandardMaterial).color).toBe(source.color);
  });

  test('refuses nodes and raw shaders with a code', () => {
    expect(() => expectClassic(new MeshDepthMaterial() as unknown as Material)).not.toThrow();
    for (const wrong of [new MeshBasicNodeMaterial(), new RawShaderMaterial(), [], undefined]) {
      expect(() => expectClassic(wrong as Material)).toThrow(coded('THREE_UNSUPPORTED'));
    }
  });
});
