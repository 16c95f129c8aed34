import { describe, expect, test } from 'vitest';
import {
  BufferGeometry,
  Float32BufferAttribute,
  Mesh,
  MeshBasicNodeMaterial,
  MeshStandardMaterial,
  OrthographicCamera,
  REVISION,
  RenderTarget,
  ShaderMaterial,
  WebGPURenderer,
} from 'three/webgpu';
import { Fn, storage, uint, vec3, vertexIndex } from 'three/tsl';
import type { WebGLRenderer } from 'three';
import { bestTierOf, tierOf } from '../../src/three/tiers.ts';
import { deviceOf, nodeMaterialOf, release, sharedArguments, sharedStorage } from '../../src/three/internals.ts';
import { noGpu } from '../support/gpu.ts';
import { threePicture, threeRenderer } from '../support/three-renderer.ts';

/** Revisions that all of this has been seen with. A new one is added when these tests pass with it. */
const REVISIONS = ['187'];

describe.skipIf(noGpu())('what the adapter takes of three.js beyond its documentation', () => {
  test('is that of a revision that has been looked at', () => {
    expect(REVISIONS).toContain(REVISION);
  });

  test('draws from buffers and arguments that are not its own, and does not change them', async () => {
    const renderer = await threeRenderer(8, 8);
    const device = deviceOf(renderer);
    const { STORAGE, INDIRECT, COPY_DST, COPY_SRC } = GPUBufferUsage;
    const buffer = (words: Float32Array<ArrayBuffer> | Uint32Array<ArrayBuffer>) => {
      const made = device.createBuffer({ size: words.byteLength, usage: STORAGE | INDIRECT | COPY_DST | COPY_SRC });
      device.queue.writeBuffer(made, 0, words);
      return made;
    };
    // a triangle that covers the picture, whose draw is behind four words of something else
    const corners = buffer(new Float32Array([-1, -1, 0, 0, 3, -1, 0, 0, -1, 3, 0, 0]));
    const args = buffer(new Uint32Array([9, 9, 9, 9, 3, 1, 0, 0, 0]));
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new Float32BufferAttribute(9, 3));
    geometry.setIndex([0, 1, 2]);
    const shared = [sharedArguments(renderer, args), sharedStorage(renderer, corners, 4)] as const;
    geometry.setIndirect(shared[0], 16);
    const rows = storage(shared[1], 'vec4', 0).toReadOnly();
    const material = new MeshBasicNodeMaterial({ color: 0x00ff00 });
    material.positionNode = Fn(() => vec3((rows.element(vertexIndex.add(uint(0))) as never as { xyz: never }).xyz))();
    const mesh = new Mesh(geometry, material);
    mesh.frustumCulled = false;
    const target = new RenderTarget(8, 8);
    const picture = await threePicture(renderer, mesh, new OrthographicCamera(-1, 1, 1, -1, -1, 1), target);
    expect(Array.from(picture).slice(0, 3)).toEqual([0, 255, 0]);
    geometry.dispose();
    material.dispose();
    // all buffers that it knows of go with it
    for (const attribute of shared) release(renderer, attribute);
    await renderer.dispose();
    // validated when it is used: a destroyed buffer would be reported
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(corners, 0, args, 0, 16);
    device.queue.submit([encoder.finish()]);
    await device.queue.onSubmittedWorkDone();
    corners.destroy();
    args.destroy();
  });

  test('has a node form of materials, and none of others', async () => {
    const renderer = await threeRenderer(8, 8);
    const source = new MeshStandardMaterial({ color: 0x123456, roughness: 0.3 });
    const node = nodeMaterialOf(renderer, source) as unknown as MeshStandardMaterial & { isNodeMaterial: boolean };
    expect(node.isNodeMaterial).toBe(true);
    expect(node.color).toBe(source.color);
    expect(node.roughness).toBe(0.3);
    expect(() => nodeMaterialOf(renderer, new ShaderMaterial())).toThrow(
      /THREE_UNSUPPORTED at materials: ShaderMaterial/,
    );
    await renderer.dispose();
  });

  test('is refused where it does not draw with WebGPU, or not yet', async () => {
    const canvas = { width: 8, height: 8, style: {}, addEventListener() {} } as unknown as HTMLCanvasElement;
    const renderer = new WebGPURenderer({ canvas });
    expect(() => deviceOf(renderer)).toThrow(
      /THREE_UNSUPPORTED at renderer: The renderer has no device yet.*await renderer\.init\(\)/,
    );
    const webgl = new WebGPURenderer({ canvas, forceWebGL: true });
    expect(() => deviceOf(webgl)).toThrow(/THREE_UNSUPPORTED at renderer: The renderer has no device yet/);
    const classic = { isWebGLRenderer: true } as unknown as WebGLRenderer;
    expect(() => deviceOf(classic)).toThrow(/THREE_UNSUPPORTED at renderer: The renderer draws with WebGL 2.*cpu/);
    expect([bestTierOf(classic), tierOf(classic)]).toEqual(['webgl2', 'webgl2']);
    expect(() => tierOf(classic, 'core')).toThrow(/THREE_UNSUPPORTED at tier: .*'core'.*'webgl2'/);
  });
});
