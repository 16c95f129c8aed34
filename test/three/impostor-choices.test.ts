// Choices of impostors for cameras of three.js, and the materials that impostors hold.
import { describe, expect, test } from 'vitest';
import {
  type Camera,
  Color,
  type Material,
  MeshLambertMaterial,
  MeshPhysicalMaterial,
  MeshStandardMaterial,
  MeshStandardNodeMaterial,
  OrthographicCamera,
  PerspectiveCamera,
  Texture,
} from 'three/webgpu';
import { vec3 } from 'three/tsl';
import { addLook, materialRefusal } from '../../src/three/impostors/held-materials.ts';
import { sharedSights } from '../../src/three/impostors/sights.ts';
import type { CameraSight } from '../../src/three/views.ts';

/** What a camera sees, with depths of WebGPU. */
function sightOf(camera: Camera, more: Partial<CameraSight> & { height?: number } = {}): CameraSight {
  camera.coordinateSystem = 2001;
  (camera as PerspectiveCamera).updateProjectionMatrix();
  camera.updateMatrixWorld();
  const clipFromWorld = camera.projectionMatrix.clone().multiply(camera.matrixWorldInverse).elements;
  const looks = [{ clipFromWorld, height: more.height ?? 100, detail: 1 }];
  return { camera, isShadow: false, bits: 1, lists: 0, lenses: [], looks, ...more };
}

function perspective(x = 3): PerspectiveCamera {
  const camera = new PerspectiveCamera(90, 1, 0.1, 100);
  camera.position.set(x, 4, 5);
  camera.lookAt(0, 1, 0);
  return camera;
}

function sunCamera(size: number): OrthographicCamera {
  const camera = new OrthographicCamera(-size, size, size, -size, 1, 50);
  camera.position.set(6, 8, 0);
  camera.lookAt(0, 0, 0);
  return camera;
}

describe('choices of impostors', () => {
  test('are made from the eye, with sizes of its picture', () => {
    const [{ sight }] = sharedSights([sightOf(perspective())]) as [ReturnType<typeof sharedSights>[number]];
    expect(sight.isParallel).toBe(false);
    [3, 4, 5].forEach((value, i) => expect(sight.eye[i]).toBeCloseTo(value, 6));
    // a metre at depth 1 is half of the picture
    expect(sight.pixelsPerMetre).toBeCloseTo(50, 6);
    // the point that it looks at, (0, 1, 0)
    expect(sight.depth[1]! + sight.depth[3]!).toBeCloseTo(Math.hypot(3, 3, 5), 6);
  });

  test('are parallel for orthographic cameras, towards the viewer, and so with reversed depth', () => {
    const camera = sunCamera(5);
    for (const isReversed of [false, true]) {
      const sight = sightOf(camera);
      if (isReversed) {
        // depth is 1 − z
        const elements = Array.from(sight.looks[0]!.clipFromWorld);
        for (let c = 0; c < 16; c += 4) elements[c + 2] = elements[c + 3]! - elements[c + 2]!;
        Object.assign(sight, { camera: { reversedDepth: true }, looks: [{ clipFromWorld: elements, height: 100 }] });
      }
      const [found] = sharedSights([sight]);
      expect(found!.sight.isParallel).toBe(true);
      [0.6, 0.8, 0].forEach((value, i) => expect(found!.sight.eye[i]).toBeCloseTo(value, 6));
      expect(found!.sight.pixelsPerMetre).toBeCloseTo(10, 6);
      found!.sight.depth.forEach((value, i) => expect(value).toBeCloseTo(i === 3 ? 1 : 0, 6));
    }
  });

  test('are shared by shadow maps of one direction, with sizes of the largest picture, which is last', () => {
    const [small, large] = [sightOf(perspective(), { height: 50, bits: 1 }), sightOf(perspective(-9), { bits: 2 })];
    const [near, wide] = [sunCamera(3), sunCamera(9)].map((camera, i) =>
      sightOf(camera, { isShadow: true, bits: 4 << i }),
    );
    const found = sharedSights([large, near!, small, wide!]);
    expect(found.map(({ cameras }) => cameras)).toEqual([[small], [near, wide], [large]]);
    expect(found[1]!.sight).toMatchObject({
      isCaster: true,
      isParallel: true,
      views: 12,
      depth: found[2]!.sight.depth,
    });
    expect(found[2]!.sight).toMatchObject({ isCaster: false, views: 2 });
  });

  test('are not made for shadow maps alone, and not for cameras that drew from several places', () => {
    const lens = perspective().projectionMatrix;
    expect(sharedSights([sightOf(sunCamera(3), { isShadow: true })])).toEqual([]);
    expect(sharedSights([sightOf(perspective(), { lenses: [lens, lens] })])).toEqual([]);
  });
});

describe('impostors hold', () => {
  const withNode = new MeshStandardNodeMaterial();
  withNode.colorNode = vec3(1, 0, 0);

  test.each<[string, Material, RegExp | undefined]>([
    ['a plain material', new MeshStandardMaterial({ alphaTest: 0.5, map: new Texture() }), undefined],
    ['a plain node material', new MeshStandardNodeMaterial(), undefined],
    ['no Lambert material', new MeshLambertMaterial({ name: 'cloth' }), /'cloth' is a MeshLambertMaterial/],
    ['no physical material', new MeshPhysicalMaterial(), /is a MeshPhysicalMaterial/],
    ['no light', new MeshStandardMaterial({ emissive: new Color(1, 0, 0) }), /emits light/],
    ['nothing transparent', new MeshStandardMaterial({ transparent: true }), /has transparent/],
    ['no nodes', withNode, /has colorNode/],
  ])('%s', (_, material, reason) => {
    if (reason) expect(materialRefusal(material)).toMatch(reason);
    else expect(materialRefusal(material)).toBe(undefined);
  });

  test('what they look like: a change of a colour or a texture is another look', () => {
    const material = new MeshStandardMaterial({ map: new Texture() });
    const lookOf = () => {
      const look: unknown[] = [];
      addLook(material, look);
      return look;
    };
    const before = lookOf();
    expect(lookOf()).toEqual(before);
    material.color.r = 0.5;
    expect(lookOf()).not.toEqual(before);
    material.color.r = 1;
    material.map!.needsUpdate = true;
    expect(lookOf()).not.toEqual(before);
  });
});
