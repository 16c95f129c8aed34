// Named columns in nodes of three.js.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { Mesh, MeshBasicNodeMaterial, type Object3D, PlaneGeometry, type WebGPURenderer } from 'three/webgpu';
import { mix, positionLocal, vec3 } from 'three/tsl';
import { addSockets } from '../../src/character/sockets.ts';
import { packCharacter } from '../../src/character/index.ts';
import { crowdColumn, ManipleCrowd } from '../../src/three/index.ts';
import { noGpu } from '../support/gpu.ts';
import { meshOf, smallModel } from '../support/small-model.ts';
import { disposedCrowds } from '../support/three-crowds.ts';
import { browserFrame, frontPicture, threeRenderer } from '../support/three-renderer.ts';

const SIZE = 32;
/** A square a metre wide, on the ground. */
const corners = [[-0.5, 0, 0], [0.5, 0, 0], [0.5, 1, 0], [-0.5, 1, 0]]; // prettier-ignore
const square = packCharacter(
  smallModel({ meshes: [meshOf(corners, () => [[0, 1]], { indices: Uint32Array.of(0, 1, 2, 0, 2, 3) })] }),
);

describe.skipIf(noGpu())('named columns in three.js', () => {
  let renderer: WebGPURenderer;
  const createCrowd = disposedCrowds();
  beforeAll(async () => {
    renderer = await threeRenderer(SIZE, SIZE);
  });
  afterAll(() => renderer.dispose());

  /** Four metres of the scene, from x = −2 and y = 0 on. */
  async function draw(...subjects: readonly (Object3D | ManipleCrowd)[]): Promise<(x: number, y: number) => number[]> {
    for (const subject of subjects) if (subject instanceof ManipleCrowd) subject.update(0);
    browserFrame();
    const sides = { left: -2, right: 2, top: 4, bottom: 0 };
    const picture = await frontPicture(renderer, subjects as Object3D[], sides, SIZE);
    return (x, y) => {
      const at = 4 * (Math.floor((1 - y / 4) * SIZE) * SIZE + Math.floor(((x + 2) / 4) * SIZE));
      return [...picture.subarray(at, at + 3)].map((value) => Math.round(value * 100) / 100);
    };
  }

  /** Colours and heights by columns of three sizes. */
  const material = new MeshBasicNodeMaterial();
  material.colorNode = crowdColumn('heat', 'vec4').rgb.mul(crowdColumn('pair', 'vec2').y);
  material.positionNode = positionLocal.add(vec3(0, crowdColumn('lift'), 0));

  const squares = () => createCrowd(renderer, { characters: [square], capacity: 4, materials: () => material });

  test('are what the host has written, in fragments and in vertices', async () => {
    const crowd = await squares();
    const heat = crowd.column('heat', { size: 4, default: [0.5, 0.25, 0, 1] });
    crowd.column('pair', { size: 2, default: [0, 1] });
    const lift = crowd.column('lift', {});
    const pair = crowd.spawn(square, { count: 2, place: (i, at) => at.position.set(2 * i - 1, 0, 0) });
    let colorAt = await draw(crowd);
    expect([colorAt(-1, 0.5), colorAt(1, 0.5), colorAt(1, 1.5)]).toEqual([
      [0.5, 0.25, 0],
      [0.5, 0.25, 0],
      [0, 0, 0],
    ]);
    heat.set(pair.id(1), [0, 0.5, 1, 1]);
    lift.set(pair.id(1), 2);
    colorAt = await draw(crowd);
    expect([colorAt(-1, 0.5), colorAt(1, 0.5), colorAt(1, 2.5)]).toEqual([
      [0.5, 0.25, 0],
      [0, 0, 0],
      [0, 0.5, 1],
    ]);
    // in another buffer each
    crowd.column('other', { size: 3 });
    heat.set(pair.id(0), [1, 1, 0, 1]);
    colorAt = await draw(crowd);
    expect([colorAt(-1, 0.5), colorAt(1, 2.5)]).toEqual([
      [1, 1, 0],
      [0, 0.5, 1],
    ]);
    crowd.core.grow(9);
    crowd.column('pair').set(pair.id(1), [0, 0.5]);
    colorAt = await draw(crowd);
    expect([colorAt(-1, 0.5), colorAt(1, 2.5)]).toEqual([
      [1, 1, 0],
      [0, 0.25, 0.5],
    ]);
  });

  test('are each crowd’s own, where crowds share a material', async () => {
    const made = [0, 1].map(async (index) => {
      const crowd = await squares();
      const { core } = crowd;
      const make = [
        () => core.column('heat', { size: 4, default: index === 0 ? [1, 0, 0, 1] : [0, 0, 1, 1] }),
        () => core.column('pair', { size: 2, default: [0, 1] }),
        () => core.column('lift', { default: index }),
      ];
      for (const column of index === 0 ? make : make.toReversed()) column();
      crowd.spawn(square, { place: (_, at) => at.position.set(2 * index - 1, 0, 0) });
      return crowd;
    });
    const crowds = await Promise.all(made);
    const colorAt = await draw(...crowds);
    expect([colorAt(-1, 0.5), colorAt(1, 0.5), colorAt(1, 1.5)]).toEqual([
      [1, 0, 0],
      [0, 0, 0],
      [0, 0, 1],
    ]);
  });

  test('are the carrier’s, in meshes that characters carry', async () => {
    const bare = new MeshBasicNodeMaterial({ color: 'black' });
    const holder = addSockets(square, [0]);
    const crowd = await createCrowd(renderer, { characters: [holder], capacity: 4, materials: () => bare });
    const heat = crowd.column('heat', { size: 4, default: [0.5, 0.25, 0, 1] });
    crowd.column('pair', { size: 2, default: [0, 1] });
    const lift = crowd.column('lift', {});
    // the first row is given back, so that those of carriers and of carried things differ
    crowd.despawn(crowd.spawn(holder).ids);
    const pair = crowd.spawn(holder, { count: 2, place: (i, at) => at.position.set(2 * i - 1, 0, 0) });
    crowd.attachMesh([pair.id(1), pair.id(0)], 0, new PlaneGeometry(), material, { offset: { position: [0, 1, 0.1] } });
    heat.set(pair.id(0), [0, 0.5, 1, 1]);
    lift.set(pair.id(1), 2);
    const expectColors = async () => {
      const colorAt = await draw(crowd);
      expect([colorAt(-1, 1), colorAt(1, 1), colorAt(1, 3)]).toEqual([
        [0, 0.5, 1],
        [0, 0, 0],
        [0.5, 0.25, 0],
      ]);
    };
    await expectColors();
    // in other buffers each
    crowd.column('other', { size: 3 });
    await expectColors();
    crowd.grow(4000);
    await expectColors();
  });

  test('are 0 and a problem, where a crowd lacks them or they are of another size', async () => {
    const lacking = new MeshBasicNodeMaterial();
    // without a type it is a float, whatever is expected
    const read = () =>
      mix(vec3(1, 0, 0), vec3(1), crowdColumn('late', 'vec3').y.mul(0)).add(crowdColumn('late', 'vec3'));
    lacking.colorNode = read();
    lacking.positionNode = positionLocal.add(vec3(0, crowdColumn('heat', 'float'), 0));
    const crowd = await createCrowd(renderer, { characters: [square], capacity: 1, materials: () => lacking });
    const problems: string[] = [];
    crowd.addEventListener('error', (event) => problems.push(String(event.error)));
    crowd.column('heat', { size: 3 });
    crowd.spawn(square, { place: (_, at) => at.position.set(1, 1, 0) });
    for (let i = 0; i < 2; i++) expect((await draw(crowd))(1, 1.5)).toEqual([1, 0, 0]);
    expect(problems.sort()).toEqual([
      expect.stringMatching(/CROWD_BAD_ARGUMENT at crowdColumn: The column "heat" has 3 floats.*float/),
      expect.stringMatching(/no column "late"\. It has heat\. .*crowd\.column\("late", \{ size: 3 \}\)/),
    ]);
    // a new node finds it
    crowd.column('late', { size: 3, default: [0, 1, 0] });
    lacking.colorNode = read();
    lacking.needsUpdate = true;
    expect((await draw(crowd))(1, 1.5)).toEqual([1, 1, 0]);
    expect(problems.length).toBe(2);
    crowd.dispose();
    const told: string[] = [];
    const log = vi
      .spyOn(console, 'error')
      .mockImplementation((...texts) => void told.push(texts.map(String).join(' ')));
    const stray = new Mesh(new PlaneGeometry(), material);
    await draw(stray);
    log.mockRestore();
    expect(told.join('\n')).toMatch(/THREE_UNSUPPORTED/);
  });
});
