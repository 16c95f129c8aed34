import { type ClipFacts, CONTROLLER_FORMAT, CONTROLLER_VERSION } from '../controller/model.ts';
import { parseController } from '../controller/parse.ts';
import type { RootMotionModel } from '../character/model.ts';
import { error, fail, type Issue, ManipleError } from '../errors.ts';
import type { UnityClip, UnityTrack } from '../import/unity/clip.ts';

export const CLIP_FORMAT = 'maniple-clip';
export const CLIP_VERSION = 1;

const SIZES: Readonly<Record<string, number>> = { translation: 3, rotation: 4, scale: 3, weights: 1 };
const FLOAT_LIMIT = 3.4028234663852886e38;
/** Characters of a name or a path. */
const TEXT_LIMIT = 4096;
/** Problems that are worth listing. */
const ISSUE_LIMIT = 20;
const SUGGESTION = 'Write the file again with `maniple convert`.';

type Form = Readonly<Record<string, unknown>>;
type Refuse = (path: string, message: string) => undefined;

/**
 * Reads the JSON form of a clip, as `maniple convert` writes it: what is read equals what was written.
 *
 * @throws ManipleError CONTROLLER_INVALID, CONTROLLER_VERSION, CONTROLLER_LIMIT (events), each with a JSON pointer as
 * its path; the first twenty problems
 */
export function parseClip(text: string): UnityClip {
  const form = readForm(text);
  const issues: Issue[] = [];
  const refuse: Refuse = (path, message) => {
    if (issues.length < ISSUE_LIMIT) issues.push(error('CONTROLLER_INVALID', path, message, SUGGESTION));
    return undefined;
  };
  checkFields(form, '', ['format', 'version', 'name', 'duration', 'loops', 'facts', 'tracks'], ['root'], refuse);
  const name = readText(form.name, '/name', refuse);
  const isLong = isFloat(form.duration) && form.duration >= 0;
  const duration = isLong ? (form.duration as number) : refuse('/duration', 'has to be seconds, 0 or more.');
  if (typeof form.loops !== 'boolean') refuse('/loops', 'has to be true or false.');
  const facts = readFacts(form.facts, issues);
  const tracks = readTracks(form.tracks, duration ?? 0, refuse);
  const root = form.root === undefined ? undefined : readRoot(form.root, duration ?? 0, refuse);
  if (issues.length > 0) throw new ManipleError(issues);
  const loops = form.loops as boolean;
  return { name: name!, duration: duration!, loops, facts: facts!, tracks, ...(root && { root }), issues: [] };
}

function readForm(text: string): Form {
  let form: unknown;
  try {
    form = JSON.parse(text);
  } catch {
    fail('CONTROLLER_INVALID', '', 'Not valid JSON.', SUGGESTION);
  }
  if (!isForm(form) || form.format !== CLIP_FORMAT) {
    fail('CONTROLLER_INVALID', isForm(form) ? '/format' : '', `Expected "${CLIP_FORMAT}".`, SUGGESTION);
  }
  const { version } = form;
  if (version === CLIP_VERSION) return form;
  if (typeof version === 'number' && version > CLIP_VERSION) {
    const message = `the version is ${version}; this Maniple reads up to ${CLIP_VERSION}.`;
    fail('CONTROLLER_VERSION', '/version', message, 'Update Maniple.');
  }
  return fail('CONTROLLER_INVALID', '/version', `Expected ${CLIP_VERSION}.`, SUGGESTION);
}

function isForm(value: unknown): value is Form {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isFloat(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= FLOAT_LIMIT;
}

function checkFields(
  form: Form,
  path: string,
  needed: readonly string[],
  allowed: readonly string[],
  refuse: Refuse,
): boolean {
  const missing = needed.filter((key) => !Object.hasOwn(form, key));
  const unknown = Object.keys(form).filter((key) => !needed.includes(key) && !allowed.includes(key));
  for (const key of missing) refuse(`${path}/${key}`, 'is missing.');
  for (const key of unknown.slice(0, ISSUE_LIMIT)) refuse(`${path}/${key.slice(0, 256)}`, 'is not known.');
  return missing.length + unknown.length === 0;
}

function readText(value: unknown, path: string, refuse: Refuse): string | undefined {
  if (typeof value === 'string' && value.length <= TEXT_LIMIT) return value;
  return refuse(path, `has to be a text of at most ${TEXT_LIMIT} characters.`);
}

/**
 * Reads the facts that a controller needs about the clip. They are fields of a controller, so its reader checks them.
 */
function readFacts(value: unknown, issues: Issue[]): ClipFacts | undefined {
  const form = {
    format: CONTROLLER_FORMAT,
    version: CONTROLLER_VERSION,
    name: '',
    parameters: {},
    layers: [{ name: '', machine: { states: {} } }],
    clips: { clip: value },
  };
  try {
    const { clips } = parseController(form);
    // plain objects: what is read equals what was written
    return structuredClone(clips!.clip!);
  } catch (thrown) {
    if (!(thrown instanceof ManipleError)) throw thrown;
    issues.push(...thrown.issues.map((issue) => ({ ...issue, path: issue.path.replace(/^\/clips\/clip/, '/facts') })));
    return undefined;
  }
}

function readTracks(value: unknown, duration: number, refuse: Refuse): UnityTrack[] {
  if (!Array.isArray(value)) {
    refuse('/tracks', 'has to be a list.');
    return [];
  }
  const tracks: UnityTrack[] = [];
  /** The first track of each mesh's weights: binding takes them together. */
  const first = new Map<string, UnityTrack>();
  for (const [index, form] of value.entries()) {
    const path = `/tracks/${index}`;
    const track = isForm(form) ? readTrack(form, path, duration, refuse) : refuse(path, 'has to be an object.');
    if (!track) {
      // from here on, one wrong track is enough to report
      if (index >= ISSUE_LIMIT) break;
      continue;
    }
    if (track.channel === 'weights') {
      const other = first.get(track.path) ?? track;
      first.set(track.path, other);
      if (other.interpolation !== track.interpolation || !sameTimes(other.times, track.times)) {
        refuse(`${path}/times`, 'have to be those of the other weights of this path.');
      }
    }
    tracks.push(track);
  }
  return tracks;
}

function sameTimes(a: Float32Array, b: Float32Array): boolean {
  return a.length === b.length && a.every((time, i) => time === b[i]);
}

function readTrack(form: Form, path: string, duration: number, refuse: Refuse): UnityTrack | undefined {
  const needed = ['path', 'channel', 'interpolation', 'times', 'values'];
  const isWhole = checkFields(form, path, needed, ['morph', 'rest'], refuse);
  const { channel, interpolation, morph, rest } = form;
  const size = typeof channel === 'string' && Object.hasOwn(SIZES, channel) ? SIZES[channel]! : 0;
  if (size === 0) refuse(`${path}/channel`, `has to be one of ${Object.keys(SIZES).join(', ')}.`);
  if (interpolation !== 'STEP' && interpolation !== 'LINEAR' && interpolation !== 'CUBICSPLINE') {
    return refuse(`${path}/interpolation`, 'has to be STEP, LINEAR or CUBICSPLINE.');
  }
  const joint = readText(form.path, `${path}/path`, refuse);
  const times = readTimes(form.times, `${path}/times`, duration, refuse);
  if (!isWhole || size === 0 || joint === undefined || !times) return undefined;
  const runs = (interpolation === 'CUBICSPLINE' ? 3 : 1) * times.length;
  const values = readFloats(form.values, `${path}/values`, runs * size, refuse);
  if (channel === 'weights' ? typeof morph !== 'string' || morph.length > TEXT_LIMIT : morph !== undefined) {
    return refuse(`${path}/morph`, 'has to be the name of the morph target, and only weights have one.');
  }
  if (rest !== undefined && !(channel !== 'weights' && channel !== 'rotation' && isRest(rest))) {
    return refuse(`${path}/rest`, 'has to be a list of components, and only translations and scales have one.');
  }
  if (!values) return undefined;
  return {
    path: joint,
    channel: channel as UnityTrack['channel'],
    ...(morph === undefined ? {} : { morph: morph as string }),
    interpolation,
    times,
    values,
    ...(rest === undefined ? {} : { rest: rest as number[] }),
  };
}

function isRest(value: unknown): boolean {
  return Array.isArray(value) && value.length <= 3 && value.every((c) => c === 0 || c === 1 || c === 2);
}

function readFloats(value: unknown, path: string, count: number, refuse: Refuse): Float32Array | undefined {
  if (!Array.isArray(value) || value.length !== count) return refuse(path, `has to be a list of ${count} numbers.`);
  const wrong = value.findIndex((number) => !isFloat(number));
  return wrong < 0 ? Float32Array.from(value as number[]) : refuse(`${path}/${wrong}`, 'has to be a finite number.');
}

function readTimes(value: unknown, path: string, duration: number, refuse: Refuse): Float32Array | undefined {
  if (!Array.isArray(value) || value.length === 0) return refuse(path, 'has to be a list of at least one number.');
  const times = readFloats(value, path, value.length, refuse);
  const wrong = times?.findIndex(
    (time, i) => !(time >= 0 && time <= Math.fround(duration) && !(time <= times[i - 1]!)),
  );
  if (times === undefined || wrong === -1) return times;
  return refuse(`${path}/${wrong}`, `has to be later than the previous time, and from 0 to ${duration} s.`);
}

function readRoot(form: unknown, duration: number, refuse: Refuse): RootMotionModel | undefined {
  if (!isForm(form)) return refuse('/root', 'has to be an object.');
  if (!checkFields(form, '/root', ['times', 'positions', 'rotations'], [], refuse)) return undefined;
  const times = readTimes(form.times, '/root/times', duration, refuse);
  if (!times) return undefined;
  const positions = readFloats(form.positions, '/root/positions', 3 * times.length, refuse);
  const rotations = readFloats(form.rotations, '/root/rotations', 4 * times.length, refuse);
  if (!positions || !rotations) return undefined;
  if (times.length < 2 || times[0] !== 0 || times.at(-1) !== Math.fround(duration)) {
    return refuse('/root/times', `have to go from 0 to ${duration} s.`);
  }
  if (positions[0] !== 0 || positions[1] !== 0 || positions[2] !== 0) {
    return refuse('/root/positions', 'have to begin with 0, 0, 0.');
  }
  for (let key = 0; key < times.length; key++) {
    const [x, y, z, w] = rotations.subarray(4 * key, 4 * key + 4);
    const isWrong = key === 0 ? Math.abs(w!) < 0.999 : Math.abs(Math.hypot(x!, y!, z!, w!) - 1) > 1e-3;
    if (isWrong) return refuse(`/root/rotations/${4 * key}`, 'has to be a unit quaternion, the first the identity.');
  }
  return { times, positions, rotations };
}
