import type { Group, SkinnedMesh } from 'three/webgpu';
import { clone } from 'three/addons/utils/SkeletonUtils.js';

/** A soldier with a skeleton of its own; geometry and material are shared. */
export function copyOf(original: Group): { readonly scene: Group; readonly mesh: SkinnedMesh } {
  const scene = clone(original) as Group;
  return { scene, mesh: scene.children.find((child) => 'isSkinnedMesh' in child) as SkinnedMesh };
}
