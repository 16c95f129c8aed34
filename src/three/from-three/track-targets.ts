import { quoted } from '../../errors.ts';
import { PropertyBinding } from 'three';
import type { Bone, KeyframeTrack, Mesh, Object3D, SkinnedMesh } from 'three';
import { quote } from '../../import/model-builder/issue-list.ts';
import { isMesh } from './kinds.ts';

/** The property that a track animates. */
export interface TrackTarget {
  /** `euler`: one of the angles of a rotation. */
  readonly path: 'translation' | 'rotation' | 'scale' | 'weights' | 'euler';
  readonly object: Object3D;
  /** Component of the value. Undefined for the whole value. */
  readonly component: number | undefined;
}

const PATHS: Readonly<Record<string, TrackTarget['path']>> = {
  position: 'translation',
  quaternion: 'rotation',
  scale: 'scale',
  rotation: 'euler',
  morphTargetInfluences: 'weights',
};

/** Finds the target of a track, as three's PropertyBinding does. Returns a reason if characters cannot play it. */
export function targetOf({ name }: KeyframeTrack, root: Object3D): TrackTarget | string {
  const parsed = parse(name);
  if (typeof parsed === 'string') return parsed;
  const { nodeName, objectName, objectIndex, propertyName, propertyIndex } = parsed;
  const node = PropertyBinding.findNode(root, nodeName ?? '') as Object3D | null;
  if (!node) return `there is no object ${quote(nodeName)}`;
  const object = objectName === 'bones' ? boneOf(node, objectIndex) : objectName === undefined ? node : undefined;
  const path = Object.hasOwn(PATHS, propertyName) ? PATHS[propertyName] : undefined;
  if (!path || (objectName !== undefined && objectName !== 'bones')) {
    return `${[objectName, propertyName].filter(Boolean).join('.')} is nothing that characters can play`;
  }
  if (!object) return `there is no bone ${quote(objectIndex)}`;
  if (path === 'weights') return weightsTarget(object, propertyIndex);
  const component = propertyIndex === undefined ? undefined : ['x', 'y', 'z'].indexOf(propertyIndex);
  const isWhole = component === undefined;
  if (path === 'euler' ? isWhole : !isWhole && path === 'rotation') {
    return 'three plays rotations as quaternions, or as angles x, y and z';
  }
  if (component === -1) return `${quoted(propertyName)} has no component ${quote(propertyIndex)}`;
  return { path, object, component };
}

/** Parts of a track's name. Missing parts are undefined, despite three's types. */
type Parsed = Partial<ReturnType<typeof PropertyBinding.parseTrackName>> & { readonly propertyName: string };

function parse(name: string): Parsed | string {
  try {
    return PropertyBinding.parseTrackName(name);
  } catch {
    return 'its name cannot be read';
  }
}

function boneOf(node: Object3D, index: string | undefined): Bone | undefined {
  const bones = (node as Partial<SkinnedMesh>).skeleton?.bones;
  return bones?.find(({ name }) => name === index) ?? bones?.[Number(index)];
}

function weightsTarget(object: Object3D, index: string | undefined): TrackTarget | string {
  const mesh: Mesh | undefined = isMesh(object) ? object : undefined;
  if (!mesh?.morphTargetInfluences) return 'the object has no morph targets';
  if (index === undefined) return { path: 'weights', object, component: undefined };
  const component = mesh.morphTargetDictionary?.[index] ?? Number(index);
  const isThere = Number.isInteger(component) && component >= 0 && component < mesh.morphTargetInfluences.length;
  return isThere ? { path: 'weights', object, component } : `there is no morph target ${quote(index)}`;
}
