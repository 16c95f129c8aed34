import type { Material, Node, NodeMaterial, WebGPURenderer } from 'three/webgpu';
import { crowdPosition, type PageAttributes } from './crowd-nodes.ts';
import { nodeMaterialOf } from './internals.ts';

type Values = Record<string, unknown>;

/** What a copy has for itself. */
const OWN = /^(id|uuid|version|userData|positionNode|_listeners)$/;

/**
 * A material as a crowd draws it: what it was made of, with positions of one page's characters. Colours and textures are shared
 * with the original; whatever else changes there is taken over by `follow`.
 */
export class CrowdMaterial {
  readonly material: NodeMaterial;
  readonly #source: Material;
  readonly #page: PageAttributes;
  #version: number;
  #positionNode: Node | null | undefined;

  constructor(renderer: WebGPURenderer, source: Material, page: PageAttributes) {
    this.#source = source;
    this.#page = page;
    const node = nodeMaterialOf(renderer, source);
    this.material = node === source ? node.clone() : node;
    copy(source, this.material);
    this.#version = source.version;
    this.#place();
  }

  /** Takes over what has changed in the original since the last frame; cheap where nothing has. */
  follow(): void {
    const hasChanged = copy(this.#source, this.material);
    if (this.#version !== this.#source.version || this.#positionNode !== this.#own().positionNode) {
      this.#version = this.#source.version;
      this.#place();
      this.material.needsUpdate = true;
    } else if (hasChanged) {
      this.material.needsUpdate = true;
    }
  }

  dispose(): void {
    this.material.dispose();
  }

  #own(): { readonly positionNode?: Node | null } {
    return this.#source as Material & { readonly positionNode?: Node | null };
  }

  #place(): void {
    this.#positionNode = this.#own().positionNode;
    this.material.positionNode = crowdPosition(this.#page, this.#positionNode);
  }
}

/** Copies fields, objects by reference. Whether shaders depend on any that has changed: nodes and textures do, numbers do not. */
function copy(from: Material, to: Material): boolean {
  const [source, target] = [from as unknown as Values, to as unknown as Values];
  let isStructural = false;
  for (const key of Object.keys(source)) {
    if (OWN.test(key) || source[key] === target[key]) continue;
    if (typeof source[key] !== 'number') isStructural = true;
    target[key] = source[key];
  }
  return isStructural;
}
