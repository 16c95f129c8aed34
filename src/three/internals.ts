import type { BufferAttribute, Material, Object3D, Object3DEventMap, Scene, WebGPURenderer } from 'three/webgpu';
import { IndirectStorageBufferAttribute, NodeMaterial, Renderer, REVISION, StorageBufferAttribute } from 'three/webgpu';
import { fail, quoted, shortened } from '../errors.ts';

/**
 * All undocumented parts of three.js that this adapter uses, as of revision 187: the backend's device, the GPUBuffer of an attribute,
 * and the library that converts materials to node materials. `internals.gpu.test.ts` fails if a revision changes any of them.
 */

interface Backend {
  readonly isWebGPUBackend?: boolean;
  readonly device?: GPUDevice | null;
  /** The backend's data of an object. It does not create a buffer for an attribute that has one. */
  get(object: object): { buffer?: GPUBuffer };
}

interface Library {
  fromMaterial(material: Material): NodeMaterial | null;
}

const backendOf = (renderer: WebGPURenderer): Backend => renderer.backend as unknown as Backend;

const ONE_COPY =
  'Import three, three/webgpu and three/tsl from one installation: `npm ls three` lists them; in Vite set resolve.dedupe to ["three"]; ' +
  'in an import map, give all three entries one version.';

/**
 * The device that three.js draws with.
 * @throws ManipleError THREE_UNSUPPORTED (not a WebGPURenderer, not initialised, its WebGL 2 fallback, of another copy of three)
 */
export function deviceOf(renderer: WebGPURenderer): GPUDevice {
  const refuse = (message: string, suggestion: string) => fail('THREE_UNSUPPORTED', 'renderer', message, suggestion);
  const given = renderer as Partial<WebGPURenderer & { isWebGLRenderer: boolean }> | undefined | null;
  if (given?.isWebGLRenderer) {
    const suggestion = "Use WebGPURenderer: import { WebGPURenderer } from 'three/webgpu'.";
    refuse('WebGLRenderer has no compute shaders, which crowds run on.', suggestion);
  }
  if (!given?.backend) {
    refuse(`Got ${quoted(renderer)}; expected a WebGPURenderer.`, "Import it from 'three/webgpu'.");
  }
  if (!(renderer instanceof Renderer)) {
    refuse(`The renderer is of another copy of three.js than maniple/three, which has revision ${REVISION}.`, ONE_COPY);
  }
  const { isWebGPUBackend, device } = backendOf(renderer);
  if (!isWebGPUBackend) {
    const suggestion = 'Use a browser and a page with WebGPU (https or localhost), and no `forceWebGL`.';
    refuse('The renderer draws with WebGL 2, which has no compute shaders.', suggestion);
  }
  return device ?? refuse('The renderer has no device yet.', 'Call `await renderer.init()` before the crowd is made.');
}

/**
 * Attribute for a buffer that shaders read, with elements of `itemSize` words. three never writes it. Call `release` so that three
 * does not destroy it.
 */
export function sharedStorage(renderer: WebGPURenderer, buffer: GPUBuffer, itemSize: 1 | 4): StorageBufferAttribute {
  return shared(renderer, buffer, new StorageBufferAttribute(new Uint32Array(itemSize), itemSize));
}

/** Attribute for a buffer with arguments of indexed indirect draws. */
export function sharedArguments(renderer: WebGPURenderer, buffer: GPUBuffer): IndirectStorageBufferAttribute {
  return shared(renderer, buffer, new IndirectStorageBufferAttribute(new Uint32Array(5), 5));
}

function shared<T extends object>(renderer: WebGPURenderer, buffer: GPUBuffer, attribute: T): T {
  backendOf(renderer).get(attribute).buffer = buffer;
  return attribute;
}

/** Removes an unused attribute from a renderer. Without this, the renderer's `dispose` would destroy a buffer that it does not own. */
export function release(renderer: WebGPURenderer, attribute: BufferAttribute): void {
  backendOf(renderer).get(attribute).buffer = NOTHING;
  attribute.dispose();
}

/** Placeholder for the buffer that three.js destroys. */
const NOTHING = { destroy: () => undefined } as unknown as GPUBuffer;

/**
 * Returns the node material that the renderer uses for a material, or the material itself if it is one. They share colours and textures.
 * @throws ManipleError THREE_UNSUPPORTED
 */
export function nodeMaterialOf(renderer: WebGPURenderer, material: Material): NodeMaterial {
  const refuse = (message: string, suggestion: string) => fail('THREE_UNSUPPORTED', 'materials', message, suggestion);
  const given: unknown = material;
  if (Array.isArray(given)) {
    refuse(`Got a list of ${given.length} materials; a draw has one.`, 'Pass one of them, with a geometry of its own.');
  }
  if (!(given as Partial<Material> | undefined)?.isMaterial) {
    refuse(`Got ${quoted(given)}; expected a material of three.js.`, 'Return one from `materials` in every case.');
  }
  const name = `${material.type} ${quoted(material.name)}`;
  if ((material as Partial<NodeMaterial>).isNodeMaterial && !(material instanceof NodeMaterial)) {
    refuse(
      `${shortened(name)} is of another copy of three.js than the renderer, which has revision ${REVISION}.`,
      ONE_COPY,
    );
  }
  const library = renderer.library as unknown as Library;
  const suggestion =
    'WebGPURenderer has no GLSL. Use a node material, such as MeshBasicNodeMaterial with `colorNode`; WGSL goes into it by `wgslFn`.';
  return library.fromMaterial(material) ?? refuse(`${shortened(name)} has no form for WebGPURenderer.`, suggestion);
}

/** Height in pixels of the current render target or canvas. */
export function drawnHeight(renderer: WebGPURenderer): number {
  return (renderer.getRenderTarget() ?? renderer.domElement).height;
}

/** Returns true if a scene is being drawn into a shadow map. */
export function isShadowPass({ overrideMaterial }: Scene): boolean {
  return overrideMaterial !== null && 'isShadowPassMaterial' in overrideMaterial;
}

/** Frees the renderers' resources of an object that is not drawn again, as `InstancedMesh.dispose` does. */
export function forget(object: Object3D): void {
  (object as Object3D<Object3DEventMap & { dispose: object }>).dispatchEvent({ type: 'dispose' });
}
