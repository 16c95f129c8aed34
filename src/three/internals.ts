import type { WebGLRenderer } from 'three';
import type {
  BufferAttribute,
  DataTexture,
  Material,
  Object3D,
  Object3DEventMap,
  Scene,
  Texture,
  WebGPURenderer,
} from 'three/webgpu';
import { IndirectStorageBufferAttribute, NodeMaterial, Renderer, REVISION, StorageBufferAttribute } from 'three/webgpu';
import { fail, quoted, shortened } from '../errors.ts';

/**
 * All undocumented parts of three.js that this adapter uses, as of revision 187: the backend's device, the GPUBuffer of an attribute,
 * and the library that converts materials to node materials. `internals.gpu.test.ts` fails if a revision changes any of them.
 */

interface Backend {
  readonly isWebGPUBackend?: boolean;
  readonly device?: GPUDevice | null;
  /** The context of the WebGL 2 backend. */
  readonly gl?: WebGL2RenderingContext | null;
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

/** A renderer that draws crowds. */
export type CrowdRenderer = WebGPURenderer | WebGLRenderer;

/** True for three's older renderer. Its materials have no nodes. */
export function isClassic(renderer: CrowdRenderer): renderer is WebGLRenderer {
  return (renderer as { readonly isWebGLRenderer?: boolean } | undefined)?.isWebGLRenderer === true;
}

/** True if a renderer draws with WebGPU. */
export function hasDevice(renderer: CrowdRenderer): renderer is WebGPURenderer {
  return !isClassic(renderer) && backendOf(renderer).isWebGPUBackend === true;
}

/** @throws ManipleError THREE_UNSUPPORTED (no renderer, not initialised, of another copy of three) */
export function expectRenderer(renderer: CrowdRenderer): void {
  if (isClassic(renderer)) return;
  const refuse = (message: string, suggestion: string) => fail('THREE_UNSUPPORTED', 'renderer', message, suggestion);
  if (!(renderer as Partial<WebGPURenderer> | undefined | null)?.backend) {
    const suggestion = "Import WebGPURenderer from 'three/webgpu', or WebGLRenderer from 'three'.";
    refuse(`Got ${quoted(renderer)}; expected a renderer of three.js.`, suggestion);
  }
  if (!(renderer instanceof Renderer)) {
    refuse(`The renderer is of another copy of three.js than maniple/three, which has revision ${REVISION}.`, ONE_COPY);
  }
  const { isWebGPUBackend, device, gl } = backendOf(renderer);
  if (!(isWebGPUBackend ? device : gl)) {
    const message = 'The renderer has no device yet.';
    refuse(message, 'Call `await renderer.init()` before the crowd is made.');
  }
}

/** The device that three.js draws with. @throws ManipleError as `expectRenderer`, THREE_UNSUPPORTED (it draws with WebGL) */
export function deviceOf(renderer: CrowdRenderer): GPUDevice {
  expectRenderer(renderer);
  if (hasDevice(renderer)) return backendOf(renderer).device!;
  const suggestion = "Such crowds have no device: createCrowd(undefined, { backend: 'cpu', skin: 'vertex', … }).";
  return fail(
    'THREE_UNSUPPORTED',
    'renderer',
    'The renderer draws with WebGL 2, which has no compute shaders.',
    suggestion,
  );
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

/** The GPU's texture that three.js has created for one: see `Renderer.initTexture` and `initRenderTarget`. */
export function gpuTextureOf(renderer: WebGPURenderer, texture: Texture): GPUTexture {
  return (backendOf(renderer).get(texture) as { readonly texture: GPUTexture }).texture;
}

/** A part of three's state of WebGL, which both of its renderers have. */
interface WebGLState {
  bindTexture(type: GLenum, texture: WebGLTexture): void;
  pixelStorei(name: GLenum, value: number | boolean): void;
}

/**
 * Uploads rows of a texture in format RGBA32UI from its image. Does nothing before three.js has created the texture: then it uploads
 * the whole image.
 */
export function writeTexels(renderer: CrowdRenderer, texture: DataTexture, firstRow: number, rowCount: number): void {
  const { data, width } = texture.image as { readonly data: Uint32Array<ArrayBuffer>; readonly width: number };
  if (hasDevice(renderer)) {
    const { texture: target } = backendOf(renderer).get(texture) as { texture?: GPUTexture };
    const layout = { offset: 16 * width * firstRow, bytesPerRow: 16 * width };
    if (target) {
      deviceOf(renderer).queue.writeTexture({ texture: target, origin: [0, firstRow] }, data, layout, [
        width,
        rowCount,
      ]);
    }
    return;
  }
  const { gl, state, handle } = isClassic(renderer)
    ? {
        gl: renderer.getContext() as WebGL2RenderingContext,
        state: renderer.state as unknown as WebGLState,
        handle: (renderer.properties.get(texture) as { __webglTexture?: WebGLTexture }).__webglTexture,
      }
    : {
        gl: backendOf(renderer).gl!,
        state: (backendOf(renderer) as unknown as { readonly state: WebGLState }).state,
        handle: (backendOf(renderer).get(texture) as { textureGPU?: WebGLTexture }).textureGPU,
      };
  if (!handle) return;
  state.bindTexture(gl.TEXTURE_2D, handle);
  for (const name of [gl.UNPACK_FLIP_Y_WEBGL, gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL]) state.pixelStorei(name, false);
  for (const name of [gl.UNPACK_ROW_LENGTH, gl.UNPACK_SKIP_ROWS, gl.UNPACK_SKIP_PIXELS]) state.pixelStorei(name, 0);
  const [format, type, offset] = [gl.RGBA_INTEGER, gl.UNSIGNED_INT, 4 * width * firstRow];
  gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, firstRow, width, rowCount, format, type, data, offset);
}

/** @throws ManipleError THREE_UNSUPPORTED (a list, or no material) */
export function expectOneMaterial(material: Material): void {
  const refuse = (message: string, suggestion: string) => fail('THREE_UNSUPPORTED', 'materials', message, suggestion);
  const given: unknown = material;
  if (Array.isArray(given)) {
    refuse(`Got a list of ${given.length} materials; a draw has one.`, 'Pass one of them, with a geometry of its own.');
  }
  if (!(given as Partial<Material> | undefined)?.isMaterial) {
    refuse(`Got ${quoted(given)}; expected a material of three.js.`, 'Return one from `materials` in every case.');
  }
}

/**
 * Returns the node material that the renderer uses for a material, or the material itself if it is one. They share colours and textures.
 * @throws ManipleError THREE_UNSUPPORTED
 */
export function nodeMaterialOf(renderer: WebGPURenderer, material: Material): NodeMaterial {
  const refuse = (message: string, suggestion: string) => fail('THREE_UNSUPPORTED', 'materials', message, suggestion);
  expectOneMaterial(material);
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
export function drawnHeight(renderer: CrowdRenderer): number {
  return (renderer.getRenderTarget() ?? renderer.domElement).height;
}

/** Returns true if a scene is being drawn into a shadow map. */
export function isShadowPass({ overrideMaterial }: Scene): boolean {
  // a scene may be any object
  return Boolean(overrideMaterial) && 'isShadowPassMaterial' in overrideMaterial!;
}

/** Frees the renderers' resources of an object that is not drawn again, as `InstancedMesh.dispose` does. */
export function forget(object: Object3D): void {
  (object as Object3D<Object3DEventMap & { dispose: object }>).dispatchEvent({ type: 'dispose' });
}
