import type { Material, Node, NodeMaterial, WebGPURenderer } from 'three/webgpu';
import { nodeMaterialOf } from './internals.ts';

type Values = Record<string, unknown>;

/** What a copy has for itself. */
const OWN = /^(id|uuid|version|userData|positionNode|_listeners)$/;

/** Where vertices are, given what the material itself says of that. */
export type PositionNode = (ofMaterial: Node | null | undefined) => Node<'vec3'>;

/**
 * A material as a crowd draws it: what it was made of, with positions of its own. Colours and textures are shared with the
 * original; whatever else changes there is taken over by `follow`.
 */
export class FollowedMaterial {
  readonly material: NodeMaterial;
  readonly #source: Material & { readonly positionNode?: Node | null };
  readonly #position: PositionNode;
  #version: number;
  #positionNode: Node | null | undefined;

  constructor(renderer: WebGPURenderer, source: Material, position: PositionNode) {
    this.#source = source;
    this.#position = position;
    const node = nodeMaterialOf(renderer, source);
    this.material = node === source ? node.clone() : node;
    copy(source, this.material);
    this.#version = source.version;
    this.#place();
  }

  /** Takes over what has changed in the original since the last frame; cheap where nothing has. */
  follow(): void {
    let isStale = copy(this.#source, this.material);
    if (this.#version !== this.#source.version || this.#positionNode !== this.#source.positionNode) {
      this.#version = this.#source.version;
      this.#place();
      isStale = true;
    }
    if (isStale) this.material.needsUpdate = true;
  }

  dispose(): void {
    this.material.dispose();
  }

  #place(): void {
    this.#positionNode = this.#source.positionNode;
    this.material.positionNode = this.#position(this.#positionNode);
  }
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
