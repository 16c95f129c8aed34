import { type Material, type Node, type NodeMaterial, NormalBlending, type WebGPURenderer } from 'three/webgpu';
import { float, materialOpacity } from 'three/tsl';
import { nodeMaterialOf } from './internals.ts';

type Values = Record<string, unknown>;

/** Fields that are not copied. */
const OWN = /^(id|uuid|type|version|userData|positionNode|opacityNode|_listeners)$/;

/** Builds a position node from the material's own one. */
export type PositionNode = (ofMaterial: Node | null | undefined) => Node<'vec3'>;

type Source = Material & { readonly positionNode?: Node | null; readonly opacityNode?: Node | null };

/**
 * Copy of a material for a crowd, with its own position node, and opacity multiplied by `alpha`. It shares colours and textures with
 * the original. `follow` copies all other changes.
 */
export class FollowedMaterial {
  readonly material: NodeMaterial;
  readonly #source: Source;
  readonly #position: PositionNode;
  readonly #alpha: Node<'float'> | undefined;
  #version: number;
  #madeOf: readonly unknown[] | undefined;

  constructor(renderer: WebGPURenderer, source: Material, position: PositionNode, alpha?: Node<'float'>) {
    this.#source = source;
    this.#position = position;
    this.#alpha = alpha;
    const node = nodeMaterialOf(renderer, source);
    this.material = node === source ? node.clone() : node;
    copy(source, this.material);
    this.#version = source.version;
    this.#place();
  }

  /** Copies changes of the original since the last frame. Cheap if nothing has changed. */
  follow(): void {
    const isStructural = copy(this.#source, this.material);
    const { version } = this.#source;
    const isStale = isStructural || version !== this.#version;
    this.#version = version;
    if (this.#place() || isStale) this.material.needsUpdate = true;
  }

  dispose(): void {
    this.material.dispose();
  }

  /** Updates the nodes from the original's. Returns true if they have changed, which means new shaders. */
  #place(): boolean {
    const { positionNode, opacityNode } = this.#source;
    const isSeen = this.#alpha !== undefined && showsOpacity(this.#source);
    const madeOf = [positionNode, opacityNode, isSeen];
    if (madeOf.every((part, i) => part === this.#madeOf?.[i])) return false;
    this.#madeOf = madeOf;
    this.material.positionNode = this.#position(positionNode);
    const opacity = opacityNode ? float(opacityNode as Node<'float'>) : materialOpacity;
    this.material.opacityNode = isSeen ? opacity.mul(this.#alpha!) : (opacityNode ?? null);
    return true;
  }
}

/** Returns true if opacity has an effect. three.js sets it to 1 in opaque materials. */
function showsOpacity({ transparent, blending, alphaTest, alphaHash, alphaToCoverage }: Material): boolean {
  return transparent || blending !== NormalBlending || alphaTest > 0 || alphaHash || alphaToCoverage;
}

/** Copies fields, objects by reference. Returns true if a changed field may affect shaders: anything except a number. */
function copy(from: Material, to: Material): boolean {
  const [source, target] = [from as unknown as Values, to as unknown as Values];
  let isStructural = false;
  for (const key of Object.keys(source)) {
    if (source[key] === target[key] || OWN.test(key)) continue;
    if (typeof source[key] !== 'number') isStructural = true;
    target[key] = source[key];
  }
  return isStructural;
}
