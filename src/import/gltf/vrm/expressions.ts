import type { ClipModel, MorphSetModel, TrackModel } from '../../../character/model.ts';
import type { VrmExpression } from '../../../character/vrm.ts';
import { refuse } from '../../model-builder/issue-list.ts';
import { type Fields, indexOf, listOf, numberOf, objectOf, textOf } from './fields.ts';

/** Presets of VRM 0.x that VRM 1.0 names otherwise. */
const NEW_NAMES: ReadonlyMap<string, string> = new Map([
  ['joy', 'happy'],
  ['sorrow', 'sad'],
  ['fun', 'relaxed'],
  ['a', 'aa'],
  ['i', 'ih'],
  ['u', 'ou'],
  ['e', 'ee'],
  ['o', 'oh'],
  ['blink_l', 'blinkLeft'],
  ['blink_r', 'blinkRight'],
  ['lookup', 'lookUp'],
  ['lookdown', 'lookDown'],
  ['lookleft', 'lookLeft'],
  ['lookright', 'lookRight'],
]);

/** Morphs of all expressions at most. */
const MOST_MORPHS = 100_000;

/** Finds the morph sets that expressions move. */
export interface MorphLookup {
  readonly morphSets: readonly MorphSetModel[];
  /** Morph sets of a node (VRM 1.0), or of a mesh (0.x). */
  readonly setsOfNode: (node: unknown) => readonly number[];
  readonly setsOfMesh: (mesh: unknown) => readonly number[];
}

/** The expressions, and how many of them also change materials, which is not read. */
interface Expressions {
  readonly expressions: readonly VrmExpression[];
  readonly withMaterials: number;
}

/** Reads all expressions of VRM 1.0, or blend shape groups of 0.x. @throws ManipleError GLTF_LIMIT */
export function readExpressions(vrm: Fields, isOld: boolean, lookup: MorphLookup): Expressions {
  const written = isOld ? oldGroups(vrm) : newGroups(vrm);
  let [count, withMaterials] = [0, 0];
  const expressions = written.map(({ name, group }): VrmExpression => {
    const binds = listOf(isOld ? group.binds : group.morphTargetBinds).map(objectOf);
    const morphs = binds.flatMap(({ mesh, node, index, weight }) => {
      const sets = isOld ? lookup.setsOfMesh(mesh) : lookup.setsOfNode(node);
      const found = sets.flatMap((morphSetIndex) => {
        const targetIndex = indexOf(index, lookup.morphSets[morphSetIndex]!.weights.length);
        // percent in 0.x
        const value = numberOf(weight) / (isOld ? 100 : 1);
        return targetIndex === undefined ? [] : [{ morphSetIndex, targetIndex, weight: value }];
      });
      count += sets.length;
      if (count > MOST_MORPHS) {
        refuse('GLTF_LIMIT', '/extensions', `the expressions move more than ${MOST_MORPHS} morph targets`);
      }
      return found;
    });
    const materials = [group.materialValues, group.materialColorBinds, group.textureTransformBinds];
    if (materials.some((list) => listOf(list).length > 0)) withMaterials++;
    return { name, isBinary: group.isBinary === true, morphs };
  });
  return { expressions, withMaterials };
}

type Written = readonly { readonly name: string; readonly group: Fields }[];

function oldGroups(vrm: Fields): Written {
  return listOf(objectOf(vrm.blendShapeMaster).blendShapeGroups)
    .map(objectOf)
    .map((group) => {
      const preset = textOf(group.presetName).toLowerCase();
      const isPreset = preset !== '' && preset !== 'unknown';
      return { name: isPreset ? (NEW_NAMES.get(preset) ?? preset) : textOf(group.name), group };
    });
}

function newGroups(vrm: Fields): Written {
  const { preset, custom } = objectOf(vrm.expressions);
  return [preset, custom].flatMap((groups) =>
    Object.entries(objectOf(groups)).map(([name, group]) => ({ name, group: objectOf(group) })),
  );
}

/**
 * A clip of one pose for each expression that moves something: `expression:NAME`. Additive layers of a controller, or
 * a weight, blend it over any other motion.
 *
 * @param most Weights of all clips at most. @throws ManipleError GLTF_LIMIT
 */
export function expressionClips(
  expressions: readonly VrmExpression[],
  morphSets: readonly MorphSetModel[],
  most: number,
): ClipModel[] {
  let count = 0;
  return expressions.flatMap(({ name, morphs }): ClipModel[] => {
    const values = new Map<number, Float32Array>();
    for (const { morphSetIndex, targetIndex, weight } of morphs) {
      if (!values.has(morphSetIndex)) {
        const { weights } = morphSets[morphSetIndex]!;
        count += weights.length;
        if (count > most) refuse('GLTF_LIMIT', '/extensions', `the expressions have more than ${most} weights`);
        values.set(morphSetIndex, new Float32Array(weights));
      }
      values.get(morphSetIndex)![targetIndex]! += weight;
    }
    const tracks = Array.from(values, ([targetIndex, weights]): TrackModel => {
      return { path: 'weights', targetIndex, interpolation: 'LINEAR', times: Float32Array.of(0), values: weights };
    });
    return tracks.length > 0 ? [{ name: `expression:${name}`, duration: 0, tracks }] : [];
  });
}
