import type {
  BufferAttribute,
  Material,
  NodeMaterial,
  Object3D,
  Object3DEventMap,
  Scene,
  WebGPURenderer,
} from 'three/webgpu';
import { IndirectStorageBufferAttribute, StorageBufferAttribute } from 'three/webgpu';
import { fail } from '../errors.ts';

/**
 * All that this adapter takes of three.js beyond what it documents, seen in its revisions 187 on: the backend's device, how
 * attributes are told which GPUBuffer they are, and the library that makes node materials of others. `internals.gpu.test.ts`
 * fails where a revision changes any of it.
 */

interface Backend {
  readonly isWebGPUBackend?: boolean;
  readonly device?: GPUDevice | null;
  /** What the backend keeps of an object; it makes no buffer for attributes that have one. */
  get(object: object): { buffer?: GPUBuffer };
}

interface Library {
  fromMaterial(material: Material): NodeMaterial | null;
}

const backendOf = (renderer: WebGPURenderer): Backend => renderer.backend as unknown as Backend;

/**
 * The device that three.js draws with.
 * @throws ManipleError THREE_UNSUPPORTED (not initialised, or its WebGL 2 fallback)
 */
export function deviceOf(renderer: WebGPURenderer): GPUDevice {
  const { isWebGPUBackend, device } = backendOf(renderer);
  if (!isWebGPUBackend) {
    const suggestion = 'Crowds are computed on the GPU: use a browser with WebGPU, and no `forceWebGL`.';
    fail('THREE_UNSUPPORTED', 'renderer', 'draws with WebGL 2, not with WebGPU.', suggestion);
  }
  return device ?? fail('THREE_UNSUPPORTED', 'renderer', 'has no device yet.', 'Call `await renderer.init()` first.');
}

/** A buffer that shaders read: `itemSize` words of an array each. Never three's to write; `release` keeps it from being destroyed. */
export function sharedStorage(renderer: WebGPURenderer, buffer: GPUBuffer, itemSize: 1 | 4): StorageBufferAttribute {
  return shared(renderer, buffer, new StorageBufferAttribute(new Uint32Array(itemSize), itemSize));
}

/** A buffer that holds arguments of indexed indirect draws. */
export function sharedArguments(renderer: WebGPURenderer, buffer: GPUBuffer): IndirectStorageBufferAttribute {
  return shared(renderer, buffer, new IndirectStorageBufferAttribute(new Uint32Array(5), 5));
}

function shared<T extends object>(renderer: WebGPURenderer, buffer: GPUBuffer, attribute: T): T {
  backendOf(renderer).get(attribute).buffer = buffer;
  return attribute;
}

/** Has a renderer forget an attribute that draws no more. Otherwise its `dispose` would destroy the buffer, whose ever it is. */
export function release(renderer: WebGPURenderer, attribute: BufferAttribute): void {
  backendOf(renderer).get(attribute).buffer = NOTHING;
  attribute.dispose();
}

/** Where three.js has a buffer to destroy. */
const NOTHING = { destroy: () => undefined } as unknown as GPUBuffer;

/** The node material that the renderer draws a material as; itself where it is one. Shares colours and textures with it. */
export function nodeMaterialOf(renderer: WebGPURenderer, material: Material): NodeMaterial {
  const library = renderer.library as unknown as Library;
  const suggestion = 'Use a material of nodes, or one that three.js has a node form of.';
  return (
    library.fromMaterial(material) ??
    fail('THREE_UNSUPPORTED', 'materials', `${material.type} has no form for WebGPURenderer.`, suggestion)
  );
}

/** Pixels that what is being drawn now is high. */
export function drawnHeight(renderer: WebGPURenderer): number {
  const target = renderer.getRenderTarget();
  if (target) return target.height;
  const { height } = renderer.domElement;
  return height;
}

/** Whether a scene is being drawn into a shadow map. */
export function isShadowPass({ overrideMaterial }: Scene): boolean {
  return overrideMaterial !== null && 'isShadowPassMaterial' in overrideMaterial;
}

/** Lets renderers forget what they made to draw an object that is not drawn again, as `InstancedMesh.dispose` does. */
export function forget(object: Object3D): void {
  (object as Object3D<Object3DEventMap & { dispose: object }>).dispatchEvent({ type: 'dispose' });
}
