import { execFile } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, vi } from 'vitest';
import { ISSUE_CODES } from '../../src/index.ts';
import { full } from '../support/setup.ts';

export const root: string = fileURLToPath(new URL('../..', import.meta.url));
export const legionary = 'characters/legionary.glb';

const ENTRY = path.join(root, 'src/cli/main.ts');
/** By address, so that it is found from any folder. */
const LOADER = import.meta.resolve('tsx');

export interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  /** Folder to run in; default: the repository. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** The built command, where it has just been built: it starts in a third of the time. Else the sources. */
const built = process.env.MANIPLE_CLI;

/** What Node is given to run the command. */
export const commandLine = (args: readonly string[]): string[] =>
  built ? [path.resolve(root, built), ...args] : ['--import', LOADER, ENTRY, ...args];

/**
 * Runs the command. In a process of its own, its output piped, as users do; but in short runs of the unit tests in this
 * one, where code is warm, which takes a third of the time.
 */
export function maniple(args: readonly string[], options: RunOptions = {}): Promise<Run> {
  const here = !full && process.env.MANIPLE_COMMAND === 'here' && !options.env;
  return here ? runHere(args, options) : runAlone(args, options);
}

/** One after the other: they share stdout. */
let turn: Promise<unknown> = Promise.resolve();

/** Runs the command in this process. */
function runHere(args: readonly string[], { cwd = root }: RunOptions): Promise<Run> {
  const run = turn.then(async () => {
    const { runProgram } = await import('../../src/cli/program.ts');
    const said = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
    const mocks = (['stdout', 'stderr'] as const).map((stream) =>
      vi.spyOn(process[stream], 'write').mockImplementation((chunk) => {
        said[stream].push(Buffer.from(chunk as string));
        return true;
      }),
    );
    const before = process.cwd();
    process.chdir(cwd);
    try {
      const code = await runProgram(args);
      const text = (stream: keyof typeof said) => Buffer.concat(said[stream]).toString();
      return { code, stdout: text('stdout'), stderr: text('stderr') };
    } finally {
      process.exitCode = undefined;
      process.chdir(before);
      for (const mock of mocks) mock.mockRestore();
    }
  });
  turn = run.catch(() => undefined);
  return run;
}

/** Runs the command in a process of its own. */
export function runAlone(args: readonly string[], { cwd = root, env = {} }: RunOptions = {}): Promise<Run> {
  const options = { cwd, env: { ...process.env, ...env }, maxBuffer: 2 ** 28 };
  return new Promise((resolve) => {
    execFile(process.execPath, commandLine(args), options, (failure, stdout, stderr) => {
      const code = failure ? (typeof failure.code === 'number' ? failure.code : -1) : 0;
      resolve({ code, stdout, stderr });
    });
  });
}

/**
 * Runs with --json and returns the answer. All of stdout has to be that answer, without a NaN in any disguise, and
 * stderr has to be empty: it is no terminal here.
 */
export async function answer<T = Record<string, unknown>>(
  args: readonly string[],
  { code = 0, ...options }: RunOptions & { readonly code?: number } = {},
): Promise<T> {
  const run = await maniple([...args, '--json'], options);
  expect(run, args.join(' ')).toMatchObject({ code, stderr: '' });
  const json = JSON.parse(run.stdout) as T;
  expect(findNaN(json), args.join(' ')).toBeUndefined();
  return json;
}

/** Where a list of numbers has a hole, or a string says NaN: JSON writes NaN as null. */
function findNaN(value: unknown, at = '$'): string | undefined {
  if (typeof value === 'string') return /^-?(NaN|Infinity)$/.test(value) ? at : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value) && value.some((v) => typeof v === 'number')) {
    const hole = value.findIndex((v) => typeof v !== 'number');
    return hole < 0 ? undefined : `${at}[${hole}]`;
  }
  for (const [key, inner] of Object.entries(value)) {
    const found = findNaN(inner, `${at}.${key}`);
    if (found !== undefined) return found;
  }
  return undefined;
}

export interface Refusal {
  readonly code: string;
  readonly severity: string;
  readonly path: string;
  readonly message: string;
  readonly suggestion?: string;
}

/** Runs with --json and returns the errors; each has the fields that errors have, and none says INTERNAL. */
export async function refusal(
  args: readonly string[],
  { code = 1, ...options }: RunOptions & { readonly code?: number } = {},
): Promise<Refusal[]> {
  const { errors, ...rest } = await answer<{ errors: Refusal[] }>(args, { code, ...options });
  expect(rest).toEqual({});
  expect(errors.length).toBeGreaterThan(0);
  for (const issue of errors) {
    expect(issue, args.join(' ')).toMatchObject({
      code: expect.toBeOneOf([...ISSUE_CODES]),
      severity: expect.toBeOneOf(['error', 'warning', 'info']),
      path: expect.any(String),
      message: expect.stringMatching(/\w/),
    });
    if (issue.suggestion !== undefined) expect(issue.suggestion).toMatch(/\w/);
    expect(issue.code, issue.message).not.toBe('INTERNAL');
  }
  return errors;
}

/** A GLB with its JSON changed. */
export function editGlb(bytes: Buffer, edit: (json: GltfJson) => void): Buffer {
  const jsonLength = bytes.readUInt32LE(12);
  const json = readGlb(bytes);
  edit(json);
  const text = Buffer.from(JSON.stringify(json));
  const padded = Buffer.concat([text, Buffer.alloc(-text.length & 3, ' ')]);
  const head = Buffer.from(bytes.subarray(0, 20));
  const out = Buffer.concat([head, padded, bytes.subarray(20 + jsonLength)]);
  out.writeUInt32LE(out.length, 8);
  out.writeUInt32LE(padded.length, 12);
  return out;
}

export interface GltfJson {
  readonly nodes: { name?: string; mesh?: number }[];
  readonly meshes: { primitives: { attributes: { POSITION: number } }[] }[];
  readonly accessors: { count: number }[];
  readonly animations: { name?: string }[];
}

export function readGlb(bytes: Buffer): GltfJson {
  return JSON.parse(bytes.toString('utf8', 20, 20 + bytes.readUInt32LE(12))) as GltfJson;
}
