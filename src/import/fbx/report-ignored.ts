import type { FbxDocument } from './document.ts';
import type { Rig } from './rig.ts';

/** Kinds and subtypes of objects that have no effect, in words. */
const IGNORED: readonly (readonly [kind: string, subtype: RegExp, what: string])[] = [
  ['NodeAttribute', /^Camera/, 'cameras'],
  ['NodeAttribute', /^Light$/, 'lights'],
  ['NodeAttribute', /^LodGroup$/, 'LOD groups, of which all levels are drawn'],
  ['Geometry', /^(?!Mesh$|Shape$)/, 'curves and other surfaces than meshes'],
  ['Constraint', /^/, 'constraints'],
  ['Deformer', /^(?!Skin$|Cluster$|BlendShape$|BlendShapeChannel$)/, 'deformers other than skins and blend shapes'],
  ['Character', /^/, 'characters of HumanIK'],
  ['ControlSetPlug', /^/, 'control sets'],
];

/** Reports everything in a file that has no effect on the model. */
export function reportIgnored({ objects, issues, root }: FbxDocument, rig: Rig): void {
  for (const [kind, subtype, what] of IGNORED) {
    const count = (objects.get(kind) ?? []).filter((object) => subtype.test(object.subtype)).length;
    if (count > 0) issues.info('FBX_IGNORED', `/${kind}`, `${count} ${what} have no effect`);
  }
  const skinned = (objects.get('Model') ?? []).filter((model) => !rig.nodeOf.has(model)).length;
  if (skinned > 0)
    issues.info('FBX_IGNORED', '/Model', `${skinned} nodes move no mesh and no joint; they were left out`);
  const loose = (objects.get('Geometry') ?? []).filter(
    (geometry) => geometry.subtype === 'Mesh' && geometry.targetsOf('Model').length === 0,
  ).length;
  if (loose > 0) issues.info('FBX_IGNORED', '/Geometry', `${loose} meshes are at no node; they are not drawn`);
  if (root.childrenNamed('Objects').length > 1) {
    issues.warn('FBX_IGNORED', '/Objects', 'the file has several lists of objects; only the first was read');
  }
}
