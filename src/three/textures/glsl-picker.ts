import {
  type Camera,
  Color,
  FloatType,
  Group,
  type Material,
  NearestFilter,
  NoToneMapping,
  RenderTarget,
  type Vector2Like,
} from 'three/webgpu';
import type { WebGLRenderer, WebGLRenderTarget } from 'three';
import { fail } from '../../errors.ts';
import type { PickedRow } from '../crowd-drawing.ts';
import type { CrowdPart } from '../crowd-mesh.ts';
import { onePixel, pickedRow } from '../pick.ts';
import type { CrowdViews } from '../views.ts';

/** A mesh, and the material that draws its rows. */
interface PickedMesh {
  readonly mesh: CrowdPart;
  readonly material: Material;
}

/** Finds the character in a pixel with `WebGLRenderer`, by drawing that one pixel, as `CrowdPicker` does. */
export class GlslPicker {
  readonly #renderer: WebGLRenderer;
  readonly #views: CrowdViews;
  readonly #target = Object.assign(
    new RenderTarget(1, 1, {
      type: FloatType,
      magFilter: NearestFilter,
      minFilter: NearestFilter,
      generateMipmaps: false,
    }),
    // all that three's own class adds, which its older renderer looks for
    { isWebGLRenderTarget: true },
  ) as unknown as WebGLRenderTarget;

  constructor(renderer: WebGLRenderer, views: CrowdViews) {
    this.#renderer = renderer;
    this.#views = views;
  }

  /** @throws ManipleError THREE_UNSUPPORTED (the device draws no floats) */
  async pick(
    drawn: readonly PickedMesh[],
    camera: Camera,
    point: Vector2Like,
    size: { readonly width: number; readonly height: number },
  ): Promise<PickedRow | undefined> {
    if (!this.#renderer.extensions.has('EXT_color_buffer_float')) {
      const suggestion = 'Use Raycaster, which tests bounds on the CPU.';
      fail('THREE_UNSUPPORTED', 'pick', 'The device cannot draw into a texture of floats.', suggestion);
    }
    camera.updateWorldMatrix(true, false);
    this.#draw(drawn, onePixel(camera, point, size));
    const read = new Float32Array(4);
    await this.#renderer.readRenderTargetPixelsAsync(this.#target, 0, 0, 1, 1, read);
    const [row, depth] = read;
    return row ? pickedRow(camera, point, row - 1, depth!) : undefined;
  }

  dispose(): void {
    this.#target.dispose();
  }

  #draw(drawn: readonly PickedMesh[], camera: Camera): void {
    const renderer = this.#renderer;
    const root = new Group();
    root.children = drawn.map(({ mesh }) => mesh);
    root.matrixWorldAutoUpdate = false;
    const materials = drawn.map(({ mesh }) => mesh.material);
    const [target, face, level] = [
      renderer.getRenderTarget(),
      renderer.getActiveCubeFace(),
      renderer.getActiveMipmapLevel(),
    ];
    const [color, alpha] = [renderer.getClearColor(new Color()), renderer.getClearAlpha()];
    const { autoClear, toneMapping } = renderer;
    const { enabled } = renderer.xr;
    for (const { mesh, material } of drawn) mesh.material = material;
    this.#views.isPicking = true;
    try {
      renderer.xr.enabled = false;
      renderer.setRenderTarget(this.#target);
      renderer.setClearColor(0, 0);
      Object.assign(renderer, { autoClear: true, toneMapping: NoToneMapping });
      renderer.render(root, camera);
    } finally {
      this.#views.isPicking = false;
      drawn.forEach(({ mesh }, i) => (mesh.material = materials[i]!));
      renderer.setRenderTarget(target, face, level);
      renderer.setClearColor(color, alpha);
      Object.assign(renderer, { autoClear, toneMapping });
      renderer.xr.enabled = enabled;
    }
  }
}
