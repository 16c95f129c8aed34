import type { RootMotionModel } from '../character/model.ts';
import { type ClipFacts, CONTROLLER_FORMAT, CONTROLLER_VERSION } from '../controller/model.ts';
import { parseController } from '../controller/parse.ts';
import { fail, ManipleError, quoted } from '../errors.ts';
import {
  anything,
  exact,
  flag,
  FLOAT_MAX,
  INVALID,
  isObject,
  list,
  number,
  oneOf,
  optional,
  type Rule,
  textUpTo,
} from '../forms/rules.ts';
import type { UnityClip, UnityTrack } from '../import/unity/clip.ts';
import { ISSUE_LIMIT, parseJson, readForm } from './read.ts';

export const CLIP_FORMAT = 'maniple-clip';
export const CLIP_VERSION = 1;

const SIZES = { translation: 3, rotation: 4, scale: 3, weights: 1 } as const;
/** Characters of a name or a path. */
const TEXT_LIMIT = 4096;
const OPTIONS = { code: 'CONTROLLER_INVALID', suggestion: 'Write the file again with `maniple convert`.' } as const;

/** A list of finite 32-bit numbers. */
const floats: Rule<Float32Array<ArrayBuffer>> = (value, place) => {
  if (!Array.isArray(value)) return place.expected('a list of numbers', value);
  const wrong = value.findIndex((each) => !(typeof each === 'number' && Math.abs(each) <= FLOAT_MAX));
  if (wrong < 0) return Float32Array.from(value as number[]);
  return place.inside(wrong).expected('a finite number', value[wrong]);
};

/** Seconds, each after the one before. */
const times: Rule<Float32Array<ArrayBuffer>> = (value, place) => {
  const read = floats(value, place);
  if (read === INVALID) return INVALID;
  if (read.length === 0) return place.expected('a list of at least one number', value);
  const wrong = read.findIndex((time, i) => !(time >= 0) || time <= read[i - 1]!);
  return wrong < 0 ? read : place.inside(wrong).expected('a time of 0 or more, after the time before it', read[wrong]);
};

/** Indices of components of a vector. */
const components: Rule<number[]> = (value, place) =>
  Array.isArray(value) && value.length <= 3 && value.every((c) => c === 0 || c === 1 || c === 2)
    ? (value as number[])
    : place.expected('a list of components, each 0, 1 or 2', value);

const trackFields = exact({
  path: textUpTo(TEXT_LIMIT),
  channel: oneOf('translation', 'rotation', 'scale', 'weights'),
  morph: optional(textUpTo(TEXT_LIMIT)),
  interpolation: oneOf('STEP', 'LINEAR', 'CUBICSPLINE'),
  times,
  values: floats,
  rest: optional(components),
});

const track: Rule<UnityTrack> = (value, place) => {
  const read = trackFields(value, place);
  if (read === INVALID) return INVALID;
  const { channel, interpolation, times: keys, values, morph, rest } = read;
  const count = (interpolation === 'CUBICSPLINE' ? 3 : 1) * keys.length * SIZES[channel];
  if (values.length !== count) {
    return place.inside('values').refuse(`Expected ${count} numbers, got ${values.length}.`);
  }
  if ((morph !== undefined) !== (channel === 'weights')) {
    const message = 'Expected the name of a morph target for weights, and none for other channels.';
    return place.inside('morph').refuse(message);
  }
  if (rest && channel !== 'translation' && channel !== 'scale') {
    return place.inside('rest').refuse('Only translations and scales may have components at rest.');
  }
  return read;
};

const rootFields = exact({ times, positions: floats, rotations: floats });

const root: Rule<RootMotionModel> = (value, place) => {
  const read = rootFields(value, place);
  if (read === INVALID) return INVALID;
  const { times: keys, positions, rotations } = read;
  if (positions.length !== 3 * keys.length || rotations.length !== 4 * keys.length) {
    const counts = `${positions.length} and ${rotations.length}`;
    return place.refuse(`Expected 3 and 4 numbers for each of ${keys.length} times, got ${counts}.`);
  }
  if (keys.length < 2 || keys[0] !== 0)
    return place.inside('times').refuse('Expected at least two times, the first 0.');
  if (positions[0] !== 0 || positions[1] !== 0 || positions[2] !== 0) {
    return place.inside('positions').refuse('Expected 0, 0, 0 as the first position.');
  }
  for (let key = 0; key < keys.length; key++) {
    const [x, y, z, w] = rotations.subarray(4 * key, 4 * key + 4);
    const isWrong = key === 0 ? Math.abs(w!) < 0.999 : Math.abs(Math.hypot(x!, y!, z!, w!) - 1) > 1e-3;
    const at = place.inside('rotations').inside(4 * key);
    if (isWrong) return at.refuse('Expected a unit quaternion, the first the identity.');
  }
  return read;
};

const clipFields = exact({
  format: oneOf(CLIP_FORMAT),
  version: oneOf(CLIP_VERSION),
  name: textUpTo(TEXT_LIMIT),
  duration: number(0),
  loops: flag,
  facts: anything,
  tracks: list(track),
  root: optional(root),
});

function areSame(a: Float32Array, b: Float32Array): boolean {
  return a.length === b.length && a.every((time, i) => time === b[i]);
}

/** A clip. Its tracks agree with its duration and with each other. */
const clip: Rule<Omit<UnityClip, 'facts' | 'issues'>> = (value, place) => {
  const read = clipFields(value, place);
  if (read === INVALID) return INVALID;
  const { name, duration, loops, tracks, root: motion } = read;
  const end = Math.fround(duration);
  /** The first track of each mesh's weights: binding takes them together. */
  const first = new Map<string, UnityTrack>();
  for (const [index, each] of tracks.entries()) {
    const at = place.inside('tracks').inside(index).inside('times');
    const late = each.times.findIndex((time) => time > end);
    if (late >= 0) return at.inside(late).expected(`a time of at most ${duration} s`, each.times[late]);
    if (each.channel !== 'weights') continue;
    const other = first.get(each.path) ?? each;
    first.set(each.path, other);
    if (other.interpolation !== each.interpolation || !areSame(other.times, each.times)) {
      return at.refuse('Expected the times of the other weights of this path.');
    }
  }
  if (motion && motion.times.at(-1) !== end) {
    return place.inside('root').inside('times').refuse(`Expected ${duration} s as the last time.`);
  }
  return { name, duration, loops, tracks, ...(motion && { root: motion }) };
};

/**
 * Reads the JSON form of a clip, as `maniple convert` writes it: what is read equals what was written.
 *
 * @throws ManipleError CONTROLLER_INVALID, CONTROLLER_VERSION, CONTROLLER_LIMIT (events), each with a JSON pointer as
 * its path; the first twenty problems
 */
export function parseClip(text: string): UnityClip {
  const form = parseJson(text, OPTIONS);
  const { format, version, facts } = isObject(form) ? form : {};
  if (isObject(form) && format === CLIP_FORMAT && Number.isInteger(version) && (version as number) > CLIP_VERSION) {
    const message = `The form has version ${quoted(version)}; this Maniple reads up to ${CLIP_VERSION}.`;
    fail('CONTROLLER_VERSION', '/version', message, 'Update Maniple.');
  }
  return { ...readForm(form, clip, OPTIONS), facts: readFacts(facts), issues: [] };
}

/**
 * Reads the facts that a controller needs about the clip. They are fields of a controller, so its reader checks them.
 */
function readFacts(value: unknown): ClipFacts {
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
    const issues = thrown.issues.map((issue) => ({ ...issue, path: issue.path.replace(/^\/clips\/clip/, '/facts') }));
    throw new ManipleError(issues.slice(0, ISSUE_LIMIT));
  }
}

/**
 * A clip that is not bound to a character yet, as JSON: tracks by the path of their joint, in glTF's axes and units.
 * `parseClip` reads the same clip from it; `issues` are left out.
 *
 * @throws ManipleError as `parseClip`, for a clip that its form cannot say
 */
export function clipJson({ name, duration, loops, facts, tracks, root }: UnityClip): string {
  const form = {
    format: CLIP_FORMAT,
    version: CLIP_VERSION,
    name,
    duration,
    loops,
    facts,
    tracks: tracks.map(({ times, values, ...track }) => ({ ...track, times: [...times], values: [...values] })),
    ...(root && { root: { times: [...root.times], positions: [...root.positions], rotations: [...root.rotations] } }),
  };
  const text = `${JSON.stringify(form)}\n`;
  parseClip(text);
  return text;
}
