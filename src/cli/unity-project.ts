import { constants } from 'node:fs';
import { type FileHandle, open, opendir, stat } from 'node:fs/promises';
import path from 'node:path';
import { fail, ManipleError, reasonOf, warning } from '../errors.ts';
import { decodeText } from '../import/decode-text.ts';
import { guidOf, readUnityMeta, type UnityMeta } from '../import/unity/meta.ts';
import { inFile, readText } from './read.ts';

/** Bounds of one project. A large game has some 100,000 files. */
export const PROJECT_LIMITS = {
  /** Files and folders that are looked at. */
  entries: 400_000,
  depth: 64,
  /** Bytes that are read. */
  bytes: 2 ** 29,
};
/** Bytes of one `.meta` file at most. */
const META = 2 ** 22;
/** The guid is in the second line. */
const HEAD = 512;
/** `.meta` files that are open at once. */
const OPEN = 32;

/** Files that controllers refer to: text assets, models with clips in them. */
const HOLDS =
  /\.(anim|asset|blend|c4d|controller|dae|fbx|glb|gltf|jas|lxo|ma|mask|max|mb|overridecontroller|prefab|vrm)$/i;
/** Folders that Unity does not import, and those next to `Assets` that it generates. */
const HIDDEN = /^(\..*|.*~|cvs)$/i;
const GENERATED = /^(library|logs|obj|temp)$/i;

export interface UnityAsset {
  readonly file: string;
  readonly meta: UnityMeta;
}

/** Assets of a folder by guid, as the `.meta` files in it say. Links are not followed. */
export class UnityProject {
  readonly #assets = new Map<string, Promise<UnityAsset>>();

  private constructor(
    private readonly files: ReadonlyMap<string, readonly string[]>,
    private readonly spend: Spend,
  ) {}

  /**
   * Looks through a folder. Takes some 50 µs per file in it.
   *
   * @param isWhole With all folders in it.
   * @throws ManipleError FILE_NOT_FOUND, FILE_UNREADABLE, UNITY_LIMIT
   */
  static async open(folder: string, isWhole: boolean, limits = PROJECT_LIMITS): Promise<UnityProject> {
    const spend = budget(folder, limits);
    const metas = await findMetas(folder, isWhole, limits);
    const files = new Map<string, string[]>();
    for (let at = 0; at < metas.length; at += OPEN) {
      const some = metas.slice(at, at + OPEN);
      const heads = await Promise.all(some.map((meta) => readStart(meta, HEAD, spend)));
      heads.forEach((head, i) => {
        const guid = guidOf(head);
        const file = some[i]!.slice(0, -'.meta'.length);
        if (guid !== undefined) files.set(guid, [...(files.get(guid) ?? []), file]);
      });
    }
    return new UnityProject(files, spend);
  }

  /** The file that has this guid; its `.meta` file is read now. @throws ManipleError FILE_UNREADABLE, UNITY_LIMIT */
  async asset(guid: string): Promise<UnityAsset | undefined> {
    const [file, other] = this.files.get(guid) ?? [];
    if (file === undefined) return undefined;
    const known = this.#assets.get(guid);
    if (known) return known;
    const read = this.#read(guid, file, other);
    this.#assets.set(guid, read);
    return read;
  }

  /** A text file of the project. @throws ManipleError FILE_…, UNITY_LIMIT */
  async readText(file: string): Promise<string> {
    const { size } = await stat(file).catch(() => ({ size: 0 }));
    this.spend(size);
    return readText(file);
  }

  async #read(guid: string, file: string, other: string | undefined): Promise<UnityAsset> {
    const metaFile = `${file}.meta`;
    const { clips, issues } = readUnityMeta(await readStart(metaFile, META, this.spend)) ?? NO_NAMES;
    const twice = other === undefined ? [] : [warning('UNITY_INVALID', file, `It has the guid of ${other}.`, REIMPORT)];
    return { file, meta: { guid, clips, issues: [...issues.map((issue) => inFile(metaFile, issue)), ...twice] } };
  }
}

const NO_NAMES = { clips: new Map<string, string>(), issues: [] };
const REIMPORT = 'Delete one of the two .meta files; Unity writes a new one.';

/** Takes bytes off what a project may cost. */
type Spend = (bytes: number) => void;

function budget(folder: string, { bytes }: typeof PROJECT_LIMITS): Spend {
  let left = bytes;
  return (count) => {
    left -= count;
    if (left < 0) tooMuch(folder, `Over ${bytes} bytes of its assets would be read`);
  };
}

function tooMuch(folder: string, message: string): never {
  return fail('UNITY_LIMIT', folder, `${message}.`, 'Name a folder inside it.');
}

/** `.meta` files of assets that controllers refer to, in an order that is always the same. */
async function findMetas(root: string, isWhole: boolean, limits: typeof PROJECT_LIMITS): Promise<string[]> {
  const metas: string[] = [];
  const folders = [{ folder: root, depth: 0 }];
  let seen = 0;
  for (let at = folders.pop(); at; at = folders.pop()) {
    const { folder, depth } = at;
    if (depth > limits.depth) tooMuch(root, `Folders are nested deeper than ${limits.depth}`);
    const found: string[] = [];
    const inner: string[] = [];
    /** Assets that are links or devices. */
    const strange = new Set<string>();
    for await (const entry of await openFolder(folder)) {
      if (++seen > limits.entries) tooMuch(root, `It holds over ${limits.entries} files`);
      const { name } = entry;
      if (entry.isDirectory()) inner.push(name);
      else if (!entry.isFile()) strange.add(name);
      else if (/\.meta$/i.test(name) && HOLDS.test(name.slice(0, -'.meta'.length))) found.push(name);
    }
    const isPlain = (name: string) => !strange.has(name.slice(0, -'.meta'.length));
    metas.push(...found.filter(isPlain).map((name) => path.join(folder, name)));
    if (!isWhole) continue;
    const isProject = inner.includes('Assets');
    for (const name of inner) {
      const isLeftOut = HIDDEN.test(name) || (isProject && GENERATED.test(name));
      if (!isLeftOut) folders.push({ folder: path.join(folder, name), depth: depth + 1 });
    }
  }
  return metas.sort();
}

async function openFolder(folder: string) {
  try {
    return await opendir(folder);
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException;
    if (code === 'ENOENT') return fail('FILE_NOT_FOUND', folder, 'There is no such folder.', 'Check the path.');
    if (code === 'ENOTDIR') return fail('FILE_UNREADABLE', folder, 'It is not a folder.', 'Name the Assets folder.');
    return fail('FILE_UNREADABLE', folder, `It cannot be read: ${reasonOf(thrown)}.`, 'Check its permissions.');
  }
}

/** The start of a text file; nothing of a link. */
async function readStart(file: string, most: number, spend: Spend): Promise<string> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(Math.min(most, (await handle.stat()).size)));
    spend(bytesRead);
    return decodeText(buffer.subarray(0, bytesRead));
  } catch (thrown) {
    if (thrown instanceof ManipleError) throw thrown;
    return fail('FILE_UNREADABLE', file, `It cannot be read: ${reasonOf(thrown)}.`, 'Check its permissions.');
  } finally {
    await handle?.close();
  }
}

/** Projects in which Unity files find others: the folder of each, and one with all its folders. */
export class UnityProjects {
  readonly #opened = new Map<string, Promise<UnityProject>>();

  private constructor(private readonly root: string | undefined) {}

  /** @param root The folder `Assets`, or any in it. @throws ManipleError FILE_NOT_FOUND, FILE_UNREADABLE */
  static async in(root: string | undefined): Promise<UnityProjects> {
    if (root !== undefined) await (await openFolder(root)).close();
    return new UnityProjects(root);
  }

  /** True if there is more than the folder of each file. */
  get hasRoot(): boolean {
    return this.root !== undefined;
  }

  /** Those of one file, in the order in which they are asked. @throws ManipleError as `UnityProject.open` */
  async near(file: string): Promise<readonly UnityProject[]> {
    const beside = await this.#open(path.dirname(file), false).catch(withoutProject);
    const root = this.root === undefined ? undefined : await this.#open(this.root, true);
    return [beside, root].filter((project) => project !== undefined);
  }

  #open(folder: string, isWhole: boolean): Promise<UnityProject> {
    const key = `${path.resolve(folder)} ${isWhole}`;
    const opened = this.#opened.get(key) ?? UnityProject.open(folder, isWhole);
    this.#opened.set(key, opened);
    return opened;
  }
}

/** Ignores a folder that cannot be read, if the user did not name it. */
function withoutProject(thrown: unknown): undefined {
  if (!(thrown instanceof ManipleError)) throw thrown;
}
