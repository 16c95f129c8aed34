import { LOADER_PROVIDER_SHIFT, PROVIDER_LIMIT } from '../../asset/geometry-layout.ts';
import { error, type Issue } from '../../errors.ts';
import { kernels as library } from '../../shaders/vertex-loader.gen.ts';
import { channelKey } from '../../shaders/vertex-format.ts';
import { declarationsOf, namesOf } from './declarations.ts';
import { providerBindings, ProviderFrame, VertexSite } from './layout.ts';
import { skinnedChannelCode, type SkinnedChannel } from './skinned-channel.ts';

/** A vertex as providers see it. */
export interface ProvidedSurface {
  /** Metres. */
  readonly position: readonly number[];
  /** Of any length. */
  readonly normal: readonly number[];
  /** x, y, z of any length, and the handedness. */
  readonly tangent: readonly number[];
  /** WGSL: `skinnedChannel`. Four numbers of the crowd's `skinnedChannel`; a twin that leaves them out keeps them. */
  readonly skinnedChannel?: readonly number[];
}

/** Where a provider's twin is called; as the WGSL struct of that name, with the provider's rows. */
export interface ProviderSite {
  readonly character: number;
  readonly vertex: number;
  readonly geometryRow: number;
  readonly views: number;
  readonly time: number;
  readonly frame: number;
  /** Row i of this provider. */
  readonly row: (i: number) => ArrayLike<number>;
  /** WGSL: `loadChannel`. Four numbers that a vertex of the character (default: this one) has by name; 0 where it lacks them. */
  readonly channel: (name: string, vertex?: number) => readonly number[];
}

/**
 * A system that makes or changes vertices in skin-vertices: wind, cloth, a procedural mesh. It is registered once, and its
 * code runs for the meshes that name it (`packCharacter`, `providers`), on characters that one of its views sees.
 */
export interface VertexProvider {
  /** Of its WGSL function: letters, digits and underscores. Messages call it so, too. */
  readonly name: string;
  /**
   * WGSL that declares `fn name(site: VertexSite, surface: Surface) -> Surface`, and whatever it needs besides. It may call
   * `openVertices(site.geometryRow, vertex)` and `loadPosition(loader, vertex, set)` and its like for any vertex of the
   * character, and `nameRow(i)` for its rows. `loadChannel(loader, channel_WIND, vertex)` is what a vertex has by a name
   * that is among `channels`. `skinnedChannel`, a vec4f, is what later passes get of the crowd's `skinnedChannel`: assign
   * to it. No directives, no bindings, and no name that the kernels have.
   */
  readonly code: string;
  /** `mesh`: the stored vertex, ahead of morph targets and joints. `model`: what the joints made of it. */
  readonly space: 'mesh' | 'model';
  /**
   * A bit per view in which it is wanted, in the order of `update`'s views. Default: all of them. It runs once for all views
   * that see a character, and for who is posed for its followers alone whatever sees those.
   */
  readonly views?: number;
  /** Names of channels that its code reads: for each there is a constant, `channel` and the name. Default: none. */
  readonly channels?: readonly string[];
  /** Rows of four floats that it has. Default: none. */
  readonly rowCount?: number;
  /** The same in TypeScript, for the backend on the CPU. */
  readonly twin?: (site: ProviderSite, surface: ProvidedSurface) => ProvidedSurface;
}

/** A kernel with providers in it, and whose lines are whose. */
export interface ProvidedKernel {
  readonly code: string;
  /** By line of the code, from 1 on: which provider wrote it, and its line there (0: the line that calls it). */
  readonly origins: ReadonlyMap<number, { readonly provider: VertexProvider; readonly line: number }>;
}

/** Providers that a loader variant names, of so many that there are: a bit each. A mesh may name more than a game has. */
export function providersOf(variant: number, count: number): number {
  return (variant >>> LOADER_PROVIDER_SHIFT) & (2 ** Math.min(count, PROVIDER_LIMIT) - 1);
}

/** First row of each provider, and after the last. */
export function providerRows(providers: readonly VertexProvider[]): number[] {
  const rows = [0];
  for (const { rowCount = 0 } of providers) rows.push(rows.at(-1)! + rowCount);
  return rows;
}

/**
 * The kernel with its two places for providers filled: those whose bit is set, in the order of the list. What the vertex
 * loader has and the kernel lacks is added, so that providers can call it.
 *
 * @param channel What is stored with every vertex besides.
 */
export function linkProviders(
  kernel: string,
  providers: readonly VertexProvider[],
  mask: number,
  channel?: SkinnedChannel,
): ProvidedKernel {
  const chosen = [...providers.keys()].filter((index) => (mask >>> index) & 1);
  const rows = providerRows(providers);
  const own = declarationsOf(kernel);
  const lines: string[] = [];
  const origins = new Map<number, { provider: VertexProvider; line: number }>();
  const add = (text: string) => lines.push(...text.split('\n'));
  for (const [name, text] of own) if (!(name in PLACES)) add(`${text}\n`);
  for (const [name, text] of declarationsOf(library.base)) if (!own.has(name)) add(`${text}\n`);
  if (chosen.length > 0) add([ProviderFrame.wgsl, VertexSite.wgsl, providerBindings.wgsl].join('\n'));
  add('var<private> skinnedChannel: vec4f;');
  for (const name of new Set(chosen.flatMap((index) => providers[index]!.channels ?? []))) {
    add(`const channel${name}: u32 = ${channelKey(name)}u;`);
  }
  const stored = channel ? skinnedChannelCode(channel) : { load: 'skinnedChannel = vec4f(0.0);', store: '' };
  for (const [place, space] of Object.entries(PLACES)) {
    if (!own.has(place)) throw new Error(`the kernel has no place ${place}`);
    add(`fn ${place}(who: u32, vertex: u32, geometryRow: u32, surface: Surface) -> Surface {\n  var out = surface;`);
    if (place === FIRST_PLACE) add(`  ${stored.load}`);
    if (chosen.length > 0) add(`  let views = visible[who].views;\n  let site = ${SITE};`);
    for (const index of chosen.filter((i) => providers[i]!.space === space)) {
      const provider = providers[index]!;
      const { name, views = ALL_VIEWS } = provider;
      add(`  if ((site.views & ${views >>> 0}u) != 0u) { out = ${name}(site, out); }`);
      origins.set(lines.length, { provider, line: 0 });
    }
    if (place !== FIRST_PLACE) add(`  ${stored.store}`);
    add(`  return out;\n}`);
  }
  for (const index of chosen) {
    const provider = providers[index]!;
    add(`fn ${provider.name}Row(i: u32) -> vec4f { return providerRows[${rows[index]}u + i]; }`);
    const first = lines.length;
    add(provider.code);
    for (let line = first + 1; line <= lines.length; line++) origins.set(line, { provider, line: line - first });
  }
  return { code: `${lines.join('\n')}\n`, origins };
}

/** The functions of `providers.wesl`, and what space they are called in. */
const PLACES: Readonly<Record<string, VertexProvider['space']>> = { provideBound: 'mesh', provideSkinned: 'model' };
const FIRST_PLACE = 'provideBound';
export const ALL_VIEWS = 0xffffffff;
/** Whom no view sees is posed for its followers: whatever sees them wants it. */
const SITE_VIEWS = `select(views, ${ALL_VIEWS}u, views == 0u)`;
const SITE = `VertexSite(visible[who].character, vertex, geometryRow, ${SITE_VIEWS}, providerFrame.time, providerFrame.frame)`;

/** What can be seen without compiling: names and numbers. */
export function providerIssues(providers: readonly VertexProvider[], kernel: string): Issue[] {
  const issues: Issue[] = [];
  const add = ({ name }: VertexProvider, message: string, suggestion: string) =>
    issues.push(error('PROVIDER_INVALID', `provider ${name}`, message, suggestion));
  if (providers.length > PROVIDER_LIMIT) {
    const message = `${providers.length} providers; the limit is ${PROVIDER_LIMIT}.`;
    issues.push(error('PROVIDER_INVALID', 'providers', message, 'Join some of them.'));
  }
  const taken = new Set([...namesUsed(kernel), ...namesUsed(library.base), ...declarationsOf(library.base).keys()]);
  for (const name of OWN_NAMES) taken.add(name);
  for (const provider of providers) {
    const { name, code, rowCount = 0 } = provider;
    const declared = namesOf(code);
    if (!/^[A-Za-z]\w*$/.test(name)) {
      add(provider, 'the name is no WGSL identifier.', 'Letters, digits and underscores, a letter first.');
      continue;
    }
    if (!declared.includes(name)) {
      const message = `the code declares no function "${name}".`;
      add(provider, message, `fn ${name}(site: VertexSite, surface: Surface) -> Surface`);
    }
    for (const channel of provider.channels ?? []) {
      if (/^\w+$/.test(channel)) continue;
      add(provider, `the channel "${channel}" cannot be part of a WGSL name.`, 'Use letters, digits and underscores.');
    }
    if (!Number.isSafeInteger(rowCount) || rowCount < 0) add(provider, `rowCount is ${rowCount}.`, 'Give a count.');
    for (const each of [...declared, `${name}Row`]) {
      if (taken.has(each)) add(provider, `"${each}" is taken, by the kernels or another provider.`, 'Rename it.');
      taken.add(each);
    }
  }
  return issues;
}

const OWN_NAMES = ['VertexSite', 'ProviderFrame', 'providerFrame', 'providerRows', 'skinnedChannel'];

/** Whatever a kernel declares or calls: declaring it again would change what the kernel means. */
function namesUsed(code: string): string[] {
  return [...declarationsOf(code).keys(), ...Array.from(code.matchAll(/\b([A-Za-z]\w*)\s*[(<]/g), ([, name]) => name!)];
}
