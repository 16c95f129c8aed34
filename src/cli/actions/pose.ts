import type { Character } from '../../character/character.ts';
import { addSockets } from '../../character/sockets.ts';
import { createCrowd } from '../../crowd/create-crowd.ts';
import type { CharacterPose } from '../../crowd/readings.ts';
import { fail } from '../../errors.ts';
import { openDevice } from '../device.ts';
import { clipNames, findClip, type Opened, openFile, packOpened } from '../load.ts';
import { jsonLine, print, printIssues, printJson } from '../output.ts';
import { checkOutputs, writeOut } from '../write.ts';

export interface PoseOptions {
  readonly clip?: readonly string[];
  readonly time?: readonly number[];
  readonly backend: 'gpu' | 'cpu';
  readonly errorBudget?: number;
  readonly bvhUnit?: number;
  readonly fbxUnit?: number;
  readonly out?: string;
  readonly json?: boolean;
}

export type Pose = Awaited<ReturnType<typeof poseAll>>[number];

export async function runPose(file: string, options: PoseOptions): Promise<void> {
  await checkOutputs({ '--out': options.out }, [file]);
  const poses = await pose(file, options);
  const repeated = (options.clip?.length ?? 0) > 1 || (options.time?.length ?? 0) > 1;
  const result = repeated ? poses : poses[0]!;
  if (options.out === undefined) return printJson(result);
  await writeOut(options.out, jsonLine(result));
  const { issues } = poses[0]!; // of the file: the same for all
  if (options.json) return printJson({ file, out: options.out, poses: poses.length, issues });
  print(`${options.out}: ${poses.length} pose${poses.length === 1 ? '' : 's'} of ${file}`);
  return printIssues(issues);
}

/**
 * Computes the poses that the subcommand prints, one entry per clip and time.
 * @param device Runs the kernels and stays open. By default they run on a device of their own.
 */
export async function pose(file: string, options: PoseOptions, device?: GPUDevice): Promise<Pose[]> {
  checkPairs(options);
  const opened = await openFile(file, options);
  return poseAll(opened, momentsOf(opened, options), options, device);
}

/** @throws ManipleError USAGE */
function checkPairs({ clip: { length: clips } = [], time: { length: times } = [0] }: PoseOptions): void {
  if (clips === times || clips <= 1 || times === 1) return;
  const suggestion = 'Give as many of each, or one of either.';
  fail('USAGE', 'pose', `${clips} clips and ${times} times do not pair up.`, suggestion);
}

/** Requested poses: a clip of the file (undefined: the rest pose) at a time. */
function momentsOf(opened: Opened, { clip: clips = [], time: times = [0] }: PoseOptions) {
  const names = clipNames(opened);
  const indices = clips.length > 0 ? clips.map((clip) => findClip(names, clip)) : [undefined];
  const count = Math.max(indices.length, times.length);
  const at = <T>(list: readonly T[], i: number) => list[list.length === 1 ? 0 : i]!;
  return Array.from({ length: count }, (_, i) => ({ clip: at(indices, i), time: at(times, i) }));
}

async function poseAll(
  opened: Opened,
  moments: ReturnType<typeof momentsOf>,
  { backend, errorBudget }: PoseOptions,
  given: GPUDevice | undefined,
) {
  // Only what is asked for is packed: clips in the order of their first mention.
  const wanted = [...new Set(moments.flatMap(({ clip }) => clip ?? []))];
  const packed = await packOpened(opened, { clips: wanted, errorBudget });
  const clipOf = (clip: number) => (opened.kind === 'baked' ? clip : wanted.indexOf(clip));
  const character = addSockets(packed, 'all');
  const own = backend === 'gpu' && !given ? (await openDevice()).device : undefined;
  const device = own ?? given;
  try {
    const crowd = await createCrowd(device, {
      characters: [character],
      capacity: moments.length,
      maxClips: 1,
      skinned: 'exact',
      backend,
    });
    const group = crowd.spawn(character, { count: moments.length });
    group.setClips((i) => {
      const { clip, time } = moments[i]!;
      return clip === undefined ? [] : [{ clip: clipOf(clip), time, speed: 0, loops: false }];
    });
    crowd.update({ dt: 0 });
    await crowd.workDone();
    const poses = [];
    for (const [i, { clip, time }] of moments.entries()) {
      const [pose, vertices] = [await crowd.readPose(group.id(i)), await crowd.readVertices(group.id(i))];
      checkFinite(opened.file, time, [...pose.modelFromJoint, vertices]);
      poses.push({
        file: opened.file,
        clip: clip === undefined ? null : character.clips[clipOf(clip)]!.name,
        time,
        backend,
        joints: listJoints(character, pose),
        meshes: listMeshes(character, vertices),
        issues: character.issues,
      });
    }
    crowd.destroy();
    return poses;
  } finally {
    own?.destroy(); // with all that is on it, whatever was thrown
  }
}

/** Clips may drive joints farther than 32-bit floats reach, also at times that packing did not look at. */
function checkFinite(file: string, time: number, parts: readonly Float32Array[]): void {
  if (parts.every((numbers) => numbers.every(Number.isFinite))) return;
  const message = `The pose at ${time} s is beyond what 32-bit floats hold.`;
  fail('CHARACTER_TOO_LARGE', file, message, 'Scale down the translations and scales of the clip or of the skeleton.');
}

/** Each skeleton node once, by ascending node index. */
function listJoints({ joints }: Character, { jointIndices, modelFromJoint }: CharacterPose) {
  return jointIndices
    .map((jointIndex, i) => ({ joint: joints[jointIndex]!, matrix: modelFromJoint[i]! }))
    .filter(({ joint }) => joint.nodeIndex >= 0)
    .sort((a, b) => a.joint.nodeIndex - b.joint.nodeIndex)
    .map(({ joint, matrix }) => ({
      node: joint.nodeIndex,
      name: joint.name,
      worldFromJoint: columnMajor(matrix).map(shortest),
    }));
}

function columnMajor(m: Float32Array): number[] {
  const column = (c: number) => [m[c]!, m[4 + c]!, m[8 + c]!, c === 3 ? 1 : 0];
  return [0, 1, 2, 3].flatMap(column);
}

/** Every (node, primitive), vertices in the source's order. */
function listMeshes({ primitives }: Character, vertices: Float32Array) {
  return primitives.map(({ nodeIndex, nodeName, primitiveIndex, firstVertex, vertexOfSource }) => {
    const positions: number[] = [];
    for (const vertex of vertexOfSource) {
      const at = 3 * (firstVertex + vertex);
      positions.push(shortest(vertices[at]!), shortest(vertices[at + 1]!), shortest(vertices[at + 2]!));
    }
    return { nodeIndex, node: nodeName, primitive: primitiveIndex, positions };
  });
}

/** Nine digits restore any 32-bit float. */
function shortest(value: number): number {
  return Number(value.toPrecision(9));
}
