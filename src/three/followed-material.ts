import { type Material, type Node, type NodeMaterial, NormalBlending, type WebGPURenderer } from 'three/webgpu';
import { float, materialOpacity } from 'three/tsl';
import { nodeMaterialOf } from './internals.ts';

type Values = Record<string, unknown>;

/** What a copy has for itself. */
const OWN = /^(id|uuid|type|version|userData|positionNode|opacityNode|_listeners)$/;

/** Where vertices are, given what the material itself says of that. */
export type PositionNode = (ofMaterial: Node | null | undefined) => Node<'vec3'>;

type Source = Material & { readonly positionNode?: Node | null; readonly opacityNode?: Node | null };

/**
 * A material as a crowd draws it: what it was made of, with positions of its own, and an opacity that `alpha` scales. Colours and textures are shared with the
 * original; whatever else changes there is taken over by `follow`.
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

  /** Takes over what has changed in the original since the last frame; cheap where nothing has. */
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

  /** Brings its nodes up to the original's. Whether they are others: new nodes are new shaders. */
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

/** Whether opacity changes what a material draws: three.js sets it to 1 in opaque ones. */
function showsOpacity({ transparent, blending, alphaTest, alphaHash, alphaToCoverage }: Material): boolean {
  return transparent || blending !== NormalBlending || alphaTest > 0 || alphaHash || alphaToCoverage;
}

/** Copies fields, objects by reference. Whether shaders depend on any that has changed: on nodes and textures, not on numbers. */
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
