/**
 * One problem found in an input, or one repair made to it.
 *
 * `code` is stable and listed in `docs/errors.md`. `path` names the position: a JSON pointer inside a glTF file, or
 * `section+offset` inside a baked file. `file:` precedes it if several files are possible. Else `path` is a file, an
 * option or an argument.
 */
export interface Issue {
  readonly code: IssueCode;
  readonly severity: 'error' | 'warning' | 'info';
  readonly path: string;
  /** Description of the problem, with the actual value and the limit that it exceeds. */
  readonly message: string;
  /** Advice for fixing it. */
  readonly suggestion?: string;
}

/** Every code that Maniple reports. `docs/errors.md` explains each; a test keeps the two lists equal. */
export const ISSUE_CODES = [
  // files
  'FILE_NOT_FOUND',
  'FILE_UNREADABLE',
  'FILE_TOO_LARGE',
  'FILE_NOT_A_MODEL',
  'FILE_TRUNCATED',
  'FILE_UNWRITABLE',
  // glTF
  'GLTF_INVALID',
  'GLTF_EXTENSION_REQUIRED',
  'GLTF_EXTENSION_IGNORED',
  'GLTF_RESOURCE_MISSING',
  'GLTF_RESOURCE_REFUSED',
  'GLTF_DECODE_FAILED',
  'GLTF_LIMIT',
  'GLTF_NO_MESH',
  'GLTF_SCENE_CHOSEN',
  'GLTF_JOINT_OUT_OF_RANGE',
  'GLTF_INDEX_OUT_OF_RANGE',
  'GLTF_WEIGHTS_REPAIRED',
  'GLTF_WEIGHTS_ZERO',
  'GLTF_NORMALS_GENERATED',
  'GLTF_TANGENTS_GENERATED',
  'GLTF_VALUES_REPAIRED',
  'GLTF_KEYS_REPAIRED',
  'GLTF_CHANNEL_IGNORED',
  'GLTF_MATRIX_SHEAR',
  'GLTF_MESH_WITHOUT_SKIN',
  'GLTF_LOD_IGNORED',
  'GLTF_PRIMITIVE_IGNORED',
  'GLTF_ATTRIBUTE_IGNORED',
  'GLTF_TEXTURE_IGNORED',
  'GLTF_MATERIAL_SIMPLIFIED',
  'GLTF_VALIDATOR',
  'WASM_BLOCKED',
  // BVH
  'BVH_INVALID',
  'BVH_LIMIT',
  'BVH_REPAIRED',
  'BVH_UNIT_GUESSED',
  'BVH_UP_GUESSED',
  // FBX
  'FBX_INVALID',
  'FBX_VERSION',
  'FBX_LIMIT',
  'FBX_SIMPLIFIED',
  'FBX_IGNORED',
  'FBX_SIZE_UNLIKELY',
  'FBX_UNIT_GIVEN',
  // three.js
  'THREE_SIMPLIFIED',
  // characters, packing, baked files
  'MODEL_NO_MESH',
  'CHARACTER_NO_JOINTS',
  'CHARACTER_TOO_MANY_JOINTS',
  'CHARACTER_TOO_MANY_MORPHS',
  'CHARACTER_MORPHS_UNMATCHED',
  'CHARACTER_TOO_MANY_PARTS',
  'CHARACTER_TOO_LARGE',
  'CHARACTER_VERTEX_FORMAT',
  'CHARACTER_LODS_UNMATCHED',
  'CHARACTER_CHANNELS',
  'CHARACTER_LOD_DROPPED',
  'WORKER_FAILED',
  'CLIP_NOT_FOUND',
  'CLIP_AMBIGUOUS',
  'CLIP_NONE',
  'CLIP_JOINTS_UNMATCHED',
  'CLIP_TOO_LONG',
  'CLIP_ROOT_JOINT',
  'CLIP_REST_DIFFERS',
  'CLIP_RETARGETED',
  'CLIP_APPROXIMATE',
  'HUMANOID_INVALID',
  'HUMANOID_NOT_FOUND',
  'BAKED_NOT_MANIPLE',
  'BAKED_VERSION',
  'BAKED_TRUNCATED',
  'BAKED_CORRUPT',
  'BAKED_UNKNOWN_ISSUE',
  // controllers
  'CONTROLLER_INVALID',
  'CONTROLLER_VERSION',
  'CONTROLLER_LIMIT',
  'CONTROLLER_NAME_UNKNOWN',
  'CONTROLLER_SIMPLIFIED',
  'CONTROLLER_CLIP_MISSING',
  'UNITY_INVALID',
  'UNITY_LIMIT',
  'UNITY_DANGLING',
  'UNITY_UNSUPPORTED',
  'PLAYCANVAS_INVALID',
  'PLAYCANVAS_DIFFERS',
  // crowds
  'CROWD_FULL',
  'CROWD_LIMIT',
  'CROWD_BAD_ID',
  'CROWD_BAD_ARGUMENT',
  'CROWD_DESTROYED',
  'CROWD_FRAME_OPEN',
  'CROWD_SWITCHING',
  'SNAPSHOT_INVALID',
  'SNAPSHOT_VERSION',
  'SNAPSHOT_MISMATCH',
  'LOG_INVALID',
  'LOG_VERSION',
  'LOG_MISMATCH',
  'LOG_OVERFLOW',
  'SOCKET_NOT_FOUND',
  'PROVIDER_INVALID',
  'PROVIDER_MISSING',
  'PROVIDER_RESOURCE',
  'CAPTURE_INVALID',
  'CAPTURE_TOO_LARGE',
  'CAPTURE_UNSUPPORTED',
  // devices
  'DEVICE_UNAVAILABLE',
  'DEVICE_LIMIT',
  'DEVICE_LOST',
  'TUNING_CACHE_UNUSABLE',
  // rendering and the command
  'IMAGE_UNDECODABLE',
  'RENDER_FAILED',
  'RENDER_TOO_LARGE',
  'SURFACE_INVALID',
  'IMPOSTOR_REFUSED',
  'THREE_UNSUPPORTED',
  'THREE_NOT_DRAWN',
  'VIDEO_FAILED',
  'USAGE',
  'INTERNAL',
] as const;

/** One of {@link ISSUE_CODES}. */
export type IssueCode = (typeof ISSUE_CODES)[number];

/**
 * Thrown once, with all problems: untrusted input is checked to the end before it is rejected. `message` contains the
 * first issues; `issues` all of them.
 */
export class ManipleError extends Error {
  override readonly name = 'ManipleError';
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[] | Issue) {
    const list = Array.isArray(issues) ? (issues as readonly Issue[]) : [issues as Issue];
    super(list.slice(0, 5).map(formatIssue).join('\n') + (list.length > 5 ? `\n… and ${list.length - 5} more` : ''));
    this.issues = list;
  }

  /** The code of the first error, for callers that handle a single one. */
  get code(): IssueCode {
    return (this.issues.find(({ severity }) => severity === 'error') ?? this.issues[0])?.code ?? 'INTERNAL';
  }
}

/** An issue as one line for logs and terminals: `CODE at path: message. suggestion`, without missing parts. */
export function formatIssue(issue: Issue): string {
  const at = issue.path ? ` at ${issue.path}` : '';
  return `${issue.code}${at}: ${issue.message}${issue.suggestion ? ` ${issue.suggestion}` : ''}`;
}

/** Shorthand for the common case: creates and throws one error. */
export function fail(code: IssueCode, path: string, message: string, suggestion?: string): never {
  throw new ManipleError(error(code, path, message, suggestion));
}

/** An issue of severity `error`: the input is rejected. */
export function error(code: IssueCode, path: string, message: string, suggestion?: string): Issue {
  return suggestion === undefined
    ? { code, severity: 'error', path, message }
    : { code, severity: 'error', path, message, suggestion };
}

/** An issue of severity `warning`: something was repaired or left out. */
export function warning(code: IssueCode, path: string, message: string, suggestion?: string): Issue {
  return { ...error(code, path, message, suggestion), severity: 'warning' };
}

/** Converts any thrown value to issues: a ManipleError's own issues, or an INTERNAL issue for any other value. */
export function issuesOf(thrown: unknown): readonly Issue[] {
  if (thrown instanceof ManipleError) return thrown.issues;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return [
    error('INTERNAL', '', message, 'This is a defect in Maniple: please report it with the file that caused it.'),
  ];
}

/** The most characters of one value that a message quotes. */
const QUOTED = 80;
/** The most names that a suggestion lists. */
const LISTED = 12;

/** A value from users or files, for a message: text in quotes, lists and objects shortened to their first parts. */
export function quoted(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(shortened(value)) : shortened(textOf(value));
}

/** Text from users or files, cut to the length that a message may quote. */
export function shortened(text: string): string {
  return text.length > QUOTED ? `${text.slice(0, QUOTED)}…` : text;
}

/** The first of the available names, for a suggestion. */
export function listed(names: readonly string[]): string {
  return names.slice(0, LISTED).map(shortened).join(', ') + (names.length > LISTED ? ', …' : '');
}

function textOf(value: unknown): string {
  if (typeof value === 'function') return 'a function';
  if (typeof value !== 'object' || value === null) return String(value);
  if (!Array.isArray(value) && !(ArrayBuffer.isView(value) && 'length' in value)) {
    const fields = Object.entries(value)
      .slice(0, QUOTED)
      .map(([key, field]) => (isPlain(field) ? `${key}: ${quoted(field)}` : key));
    return fields.length > 0 ? `{ ${fields.join(', ')} }` : '{}';
  }
  const list = value as ArrayLike<unknown>;
  const entries = Array.from({ length: Math.min(list.length, QUOTED) }, (_, i) => list[i]);
  return `[${entries.map((entry) => (isPlain(entry) ? quoted(entry) : '…')).join(', ')}]`;
}

function isPlain(value: unknown): boolean {
  return value === null || (typeof value !== 'object' && typeof value !== 'function');
}

/** The text of any thrown value, without a final period, for use within a sentence. */
export function reasonOf(thrown: unknown): string {
  return (thrown instanceof Error ? thrown.message : String(thrown)).trim().replace(/\.$/, '');
}
