import type { Vec3 } from '../../character/model.ts';
import { quoted } from '../../errors.ts';
import { type IssueList, refuse } from '../model-builder/issue-list.ts';
import { MAX_JOINTS } from '../model-builder/limits.ts';
import { type BvhLimits, FRAME_TIME } from './limits.ts';
import { Tokens } from './tokens.ts';

/** A joint as the file describes it: units and axes of the file. */
export interface BvhJoint {
  readonly name: string;
  readonly parentIndex: number;
  readonly offset: Vec3;
  readonly channels: readonly BvhChannel[];
}

/** One number of each frame. */
export interface BvhChannel {
  readonly kind: 'position' | 'rotation' | 'ignored';
  /** 0, 1, 2: x, y, z. */
  readonly axis: number;
  /** Its place in a frame. */
  readonly column: number;
}

/** A BVH file taken apart. */
export interface BvhFile {
  /** Parents before children, in file order; End Sites are joints without channels. */
  readonly joints: readonly BvhJoint[];
  readonly frameCount: number;
  /** Seconds. */
  readonly frameTime: number;
  /** Numbers of one frame. */
  readonly channelCount: number;
  /** Frame after frame, in the order of the channels. */
  readonly values: Float64Array;
}

const KINDS = { POSITION: 'position', ROTATION: 'rotation', SCALE: 'ignored' } as const;
const CHANNEL = /^([XYZ])(POSITION|ROTATION|SCALE)$/i;

/** The channel of a word such as `Xposition`. */
function channelOf(word: string): Omit<BvhChannel, 'column'> | undefined {
  const [, letter, kind] = CHANNEL.exec(word)?.map((part) => part.toUpperCase()) ?? [];
  return kind === undefined ? undefined : { kind: KINDS[kind as keyof typeof KINDS], axis: 'XYZ'.indexOf(letter!) };
}

/** Channels of one joint at most: nine are known. */
const MOST_CHANNELS = 9;

/** Reads the text. @throws ManipleError BVH_INVALID, BVH_LIMIT, FILE_TRUNCATED or CHARACTER_TOO_MANY_JOINTS */
export function parseBvh(text: string, limits: BvhLimits, issues: IssueList): BvhFile {
  const tokens = new Tokens(text);
  const { joints, channelCount } = parseHierarchy(tokens, issues);
  return { joints, channelCount, ...parseMotion(tokens, channelCount, limits, issues) };
}

/** Reads all joints up to the word MOTION. A loop, however deep they are nested. */
function parseHierarchy(tokens: Tokens, issues: IssueList): Pick<BvhFile, 'joints' | 'channelCount'> {
  const joints: BvhJoint[] = [];
  /** The open joints, outermost first. */
  const open: number[] = [];
  let channelCount = 0;
  tokens.expect('HIERARCHY');
  for (;;) {
    const token = tokens.next();
    const word = token.toUpperCase();
    if (word === '}' && open.length > 0) open.pop();
    else if (word === 'MOTION' && open.length === 0 && joints.length > 0) return { joints, channelCount };
    else if ((word === 'ROOT' && open.length === 0) || ((word === 'JOINT' || word === 'END') && open.length > 0)) {
      const joint = parseJoint(
        tokens,
        word === 'END' ? joints[open.at(-1)!]! : undefined,
        open.at(-1) ?? -1,
        channelCount,
      );
      if (joint.channels.some(({ kind }) => kind === 'ignored')) {
        issues.warn('BVH_REPAIRED', tokens.place, `the scale of joint ${quoted(joint.name)} is ignored`);
      }
      channelCount += joint.channels.length;
      open.push(joints.push(joint) - 1);
      if (joints.length > MAX_JOINTS) {
        const message = `the skeleton has more than ${MAX_JOINTS} joints, End Sites included`;
        refuse('CHARACTER_TOO_MANY_JOINTS', tokens.place, message);
      }
    } else tokens.unexpected(token, expectedAt(open.length, joints.length));
  }
}

function expectedAt(depth: number, count: number): string {
  if (depth > 0) return '“JOINT”, “End Site” or “}”';
  return count > 0 ? '“ROOT” or “MOTION”' : '“ROOT”';
}

/** Reads a joint to the end of its channels. An End Site is called like its joint, with `_end`. */
function parseJoint(tokens: Tokens, ended: BvhJoint | undefined, parentIndex: number, firstColumn: number): BvhJoint {
  const written = tokens.name();
  const name = ended ? `${ended.name}_end` : written;
  tokens.expect('{');
  tokens.expect('OFFSET');
  const coordinate = () => tokens.number('an offset');
  const offset = [coordinate(), coordinate(), coordinate()] as const;
  if (ended) return { name, parentIndex, offset, channels: [] };
  tokens.expect('CHANNELS');
  const count = tokens.count('a number of channels');
  if (count > MOST_CHANNELS) {
    refuse('BVH_LIMIT', tokens.place, `joint ${quoted(name)} has ${count} channels, the limit is ${MOST_CHANNELS}`);
  }
  const channels = Array.from({ length: count }, (_, i): BvhChannel => {
    const token = tokens.next();
    const channel = channelOf(token);
    return { ...(channel ?? tokens.unexpected(token, 'a channel, such as “Xposition”')), column: firstColumn + i };
  });
  return { name, parentIndex, offset, channels };
}

function parseMotion(
  tokens: Tokens,
  channelCount: number,
  limits: BvhLimits,
  issues: IssueList,
): Pick<BvhFile, 'frameCount' | 'frameTime' | 'values'> {
  tokens.expect('FRAMES:');
  const declared = tokens.count('a number of frames');
  tokens.expect('FRAME');
  tokens.expect('TIME:');
  const frameTime = tokens.number('seconds per frame');
  const { least, most } = FRAME_TIME;
  if (declared > 1 && !(frameTime >= least && frameTime <= most)) {
    refuse('BVH_INVALID', tokens.place, `a frame takes ${frameTime} s, must be ${least} to ${most}`);
  }
  const numbers = declared * channelCount;
  if (numbers > limits.numbers) {
    const message = `${declared} frames of ${channelCount} channels have ${numbers} numbers, the limit is ${limits.numbers}`;
    refuse('BVH_LIMIT', tokens.place, message, 'Split the motion among files.');
  }
  // a number and the space before it take two bytes at least: nothing is allocated for numbers that are not there
  const room = Math.min(numbers, Math.ceil(tokens.text.length / 2));
  const values = new Float64Array(room);
  let count = 0;
  while (count < room) {
    const token = tokens.next();
    if (token === '') break;
    const value = Number(token);
    if (!Number.isFinite(value)) tokens.unexpected(token, 'a number');
    values[count++] = value;
  }
  const frameCount = channelCount > 0 ? Math.floor(count / channelCount) : declared;
  if (count < numbers) {
    const message = `the motion has ${count} numbers, its ${declared} frames of ${channelCount} channels have ${numbers}`;
    if (count === 0 || count % channelCount !== 0) {
      refuse('FILE_TRUNCATED', tokens.place, message, 'Download or export it again.');
    }
    issues.warn('BVH_REPAIRED', tokens.place, `${message}; the ${frameCount} frames that are there were read`);
  } else if (tokens.next() !== '') {
    issues.warn('BVH_REPAIRED', tokens.place, `the file goes on after its ${declared} frames; the rest is ignored`);
  }
  return { frameCount, frameTime, values };
}
