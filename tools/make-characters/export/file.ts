import type { Accessor, Buffer as GltfBuffer, Document, Material, Node as GltfNode, Scene } from '@gltf-transform/core';
import type { Design } from '../design.ts';
import type { MaterialName } from '../geometry/surface.ts';

/** A document being filled. */
export interface FileInProgress {
  readonly document: Document;
  readonly buffer: GltfBuffer;
  readonly materials: Record<MaterialName, Material>;
  readonly scene: Scene;
  /** One node per joint, in the rig's order. */
  readonly joints: readonly GltfNode[];
}

export function beginFile(document: Document, { name, rig }: Design): FileInProgress {
  const scene = document.createScene(name);
  document.getRoot().setDefaultScene(scene);
  const joints: GltfNode[] = [];
  for (const joint of rig.joints) {
    const node = document.createNode(joint.name).setTranslation([...joint.offset]);
    (joints[joint.parent] ?? scene).addChild(node);
    joints.push(node);
  }
  const materials = {
    matte: document.createMaterial('Matte').setMetallicFactor(0).setRoughnessFactor(0.85),
    // half a metal: without a surrounding to mirror, a whole one would be black
    metal: document.createMaterial('Metal').setMetallicFactor(0.35).setRoughnessFactor(0.42),
  };
  return { document, buffer: document.createBuffer(), materials, scene, joints };
}

type Numbers =
  | Float32Array<ArrayBuffer>
  | Int16Array<ArrayBuffer>
  | Int8Array<ArrayBuffer>
  | Uint8Array<ArrayBuffer>
  | Uint16Array<ArrayBuffer>;

export const makeAccessor = (
  { document, buffer }: FileInProgress,
  type: 'SCALAR' | 'VEC3' | 'VEC4' | 'MAT4',
  array: Numbers,
  normalized = false,
): Accessor => document.createAccessor().setType(type).setArray(array).setNormalized(normalized).setBuffer(buffer);
