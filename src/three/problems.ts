import type { Object3D } from 'three/webgpu';

/** What crowds in scenes do with problems of their pictures. */
export const problemListeners = new WeakMap<Object3D, (thrown: unknown) => void>();

/** Reports what is wrong with something that a crowd draws. @param object A child of the crowd. */
export function reportProblem(object: Object3D | null, thrown: unknown): void {
  if (object?.parent) problemListeners.get(object.parent)?.(thrown);
}
