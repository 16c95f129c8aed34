import { HUMAN_BONES, type HumanBone } from '../../../character/humanoid.ts';
import { quoted } from '../../../errors.ts';
import { type Fields, indexOf, listOf, objectOf, textOf } from './fields.ts';
import type { IssueList } from '../../model-builder/issue-list.ts';

/** Bones of thumbs in VRM 0.x, which VRM 1.0 names by anatomy. */
const THUMBS: Readonly<Record<string, string>> = { Proximal: 'Metacarpal', Intermediate: 'Proximal' };

/** The node of each bone. Bones that VRM does not have, and nodes that the file does not have, are reported. */
export function readHumanBones(
  humanoid: Fields,
  isOld: boolean,
  { nodeCount, path, issues }: { readonly nodeCount: number; readonly path: string; readonly issues: IssueList },
): ReadonlyMap<HumanBone, number> {
  const written: (readonly [string, unknown])[] = isOld
    ? listOf(humanoid.humanBones).map((each) => [newName(textOf(objectOf(each).bone)), objectOf(each).node])
    : Object.entries(objectOf(humanoid.humanBones)).map(([bone, each]) => [bone, objectOf(each).node]);
  const known: ReadonlySet<string> = new Set(HUMAN_BONES);
  const nodes = new Map<HumanBone, number>();
  for (const [bone, node] of written) {
    const index = indexOf(node, nodeCount);
    if (known.has(bone) && index !== undefined) nodes.set(bone as HumanBone, index);
    else issues.warn('GLTF_VALUES_REPAIRED', path, `the bone ${quoted(bone)} of node ${quoted(node)} is ignored`);
  }
  return nodes;
}

function newName(bone: string): string {
  return bone.replace(/(?<=Thumb)(Proximal|Intermediate)$/, (part) => THUMBS[part]!);
}
