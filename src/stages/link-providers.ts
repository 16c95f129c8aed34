import { LOADER_PROVIDER_SHIFT } from '../character/format/geometry-layout.ts';
import { channelKey } from '../vertex/vertex-format.ts';
import { kernels as library } from '../vertex/vertex-loader.gen.ts';
import { declarationsOf, withoutComments } from './declarations.ts';
import {
  KEPT_HEAD_ROWS,
  keptProviderBindings,
  keptProviderRows,
  providerBindings,
  ProviderFrame,
  providerLayout,
  updateProviderBindings,
  VertexSite,
  type ProviderLayout,
} from './provider-layout.ts';
import { resourcesWgsl, usedResources, type ProviderUse } from './provider-resources.ts';
import { channelConstant, type VertexProvider } from './providers.ts';
import { skinnedChannelCode, type SkinnedChannel } from './skinned-channel.ts';

/** A line of a provider's own text; 0: the line that calls it. */
export interface Origin {
  readonly provider: VertexProvider;
  readonly line: number;
  readonly use: ProviderUse;
}

/** A kernel with providers in it. */
export interface ProvidedKernel {
  readonly code: string;
  /** By line of the code, from 1 on: the provider that wrote it. */
  readonly origins: ReadonlyMap<number, Origin>;
}

/** Bind groups of the application's own resources: the last one of either kernel. */
const RESOURCE_GROUP = { vertex: 3, update: 2 } as const;
export const ALL_VIEWS = 0xffffffff;

/** The functions of `providers.wesl` and of `vertex-skin.wesl`, and what space they are called in. */
const SPACES: Readonly<Record<string, VertexProvider['space']>> = { provideBound: 'mesh', provideSkinned: 'model' };
const FIRST_PLACE = 'provideBound';

/** A character that no view sees is posed for its followers: it counts as seen by all views. */
const seenBy = (views: string) => `select(${views}, ${ALL_VIEWS}u, ${views} == 0u)`;

/** A linked text: a kernel without its places, and what is added line by line for the chosen providers. */
class LinkedText {
  readonly lines: string[] = [];
  readonly origins: Map<number, Origin> = new Map();
  readonly #layout: ProviderLayout;

  /** @param places Functions of the kernel that are replaced. */
  constructor(
    kernel: string,
    places: readonly string[],
    readonly providers: readonly VertexProvider[],
    /** Indices of those that are linked. */
    readonly chosen: readonly number[],
  ) {
    this.#layout = providerLayout(providers);
    const own = declarationsOf(kernel);
    for (const place of places) if (!own.has(place)) throw new Error(`the kernel has no place ${place}`);
    for (const [name, text] of own) if (!places.includes(name)) this.add(`${text}\n`);
  }

  add(...texts: readonly string[]): void {
    for (const text of texts) this.lines.push(...text.split('\n'));
  }

  /** Adds functions of the vertex loader that the kernel lacks. */
  addLibrary(kernel: string): void {
    const own = declarationsOf(kernel);
    for (const [name, text] of declarationsOf(library.base)) if (!own.has(name)) this.add(`${text}\n`);
  }

  addResources(use: ProviderUse, group: number, firstBinding?: number): void {
    const mask = this.chosen.reduce((bits, index) => bits | (1 << index), 0);
    this.add(resourcesWgsl(usedResources(this.providers, mask, use), group, firstBinding).join('\n'));
  }

  /** Adds the memory of providers, and a function that finds which of them run for a character. */
  addMemory(): void {
    const { maskRow, characterStride, stateStride } = this.#layout;
    this.add(`var<private> providerCharacter: u32;
var<private> providerState: u32;
fn providersActive(character: u32, views: u32) -> u32 {
  providerCharacter = providerFrame.characterRow + character * ${characterStride}u;
  providerState = providerFrame.stateRow + character * ${stateStride}u;
  let enabled = providerRows[providerCharacter].x;
  var running = 0u;`);
    for (const index of this.chosen) {
      const wanted = `providerRows[${maskRow + (index >> 2)}u].${'xyzw'[index & 3]!}`;
      this.add(`  if ((views & ${wanted}) != 0u) { running |= enabled & ${1 << index}u; }`);
    }
    this.add('  return running;\n}');
    this.addAccess({
      row: (row) => `providerRows[${row}]`,
      character: (row) => `providerRows[providerCharacter + ${row}]`,
      state: (row) => `providerRows[providerState + ${row}]`,
    });
  }

  /** Functions that read rows of providers; `row`: a row of all, `character` and `state`: one of the character at hand. */
  addAccess(from: Readonly<Record<'row' | 'character' | 'state', (row: string) => string>>): void {
    const { globals, characters, states } = this.#layout;
    for (const index of this.chosen) {
      const { name, characterRowCount = 0, stateRowCount = 0 } = this.providers[index]!;
      const add = (what: string, row: string) =>
        this.add(`fn ${name}${what}(i: u32) -> vec4f { return bitcast<vec4f>(${row}); }`);
      add('Row', from.row(`${globals[index]}u + i`));
      if (characterRowCount > 0) add('CharacterRow', from.character(`${characters[index]}u + i`));
      if (stateRowCount > 0) add('State', from.state(`${states[index]! + 1}u + i`));
    }
  }

  /** Adds named channels: constants for those that providers list, and the value that later passes get. */
  addChannels(): void {
    this.add('var<private> skinnedChannel: vec4f;');
    for (const name of new Set(this.chosen.flatMap((index) => this.providers[index]!.channels ?? []))) {
      this.add(`const ${channelConstant(name)}: u32 = ${channelKey(name)}u;`);
    }
  }

  call(text: string, provider: VertexProvider, use: ProviderUse): void {
    this.add(text);
    this.origins.set(this.lines.length, { provider, line: 0, use });
  }

  /** Calls in the body of a place: those of a space that are running, in the order of the list. */
  addCalls(space: VertexProvider['space']): void {
    for (const index of this.chosen.filter((i) => this.providers[i]!.space === space)) {
      const provider = this.providers[index]!;
      this.call(`  if ((running & ${1 << index}u) != 0u) { out = ${provider.name}(site, out); }`, provider, 'vertex');
    }
  }

  finish(use: ProviderUse): ProvidedKernel {
    for (const index of this.chosen) {
      const provider = this.providers[index]!;
      const first = this.lines.length;
      this.add(use === 'vertex' ? provider.code : provider.update!.code);
      for (let line = first + 1; line <= this.lines.length; line++) {
        this.origins.set(line, { provider, line: line - first, use });
      }
    }
    return this.kernel;
  }

  get kernel(): ProvidedKernel {
    return { code: `${this.lines.join('\n')}\n`, origins: this.origins };
  }
}

const chosenOf = (providers: readonly VertexProvider[], mask: number) =>
  [...providers.keys()].filter((index) => (mask >>> index) & 1);

/**
 * A kernel of skin-vertices with its two places for providers filled: the providers with their bit set, in the order of
 * the list. Functions of the vertex loader that the kernel lacks are added, so that providers can call them.
 * @param channel Channel that is stored with every vertex, with or without a chosen provider.
 */
export function linkProviders(
  kernel: string,
  providers: readonly VertexProvider[],
  mask: number,
  channel?: SkinnedChannel,
): ProvidedKernel {
  const chosen = chosenOf(providers, mask);
  const text = new LinkedText(kernel, Object.keys(SPACES), providers, chosen);
  text.addLibrary(kernel);
  if (chosen.length > 0) {
    text.add(VertexSite.wgsl, ProviderFrame.wgsl, providerBindings.wgsl);
    text.addResources('vertex', RESOURCE_GROUP.vertex);
    text.addMemory();
  }
  text.addChannels();
  const stored = skinnedChannelCode(channel);
  for (const [place, space] of Object.entries(SPACES)) {
    text.add(`fn ${place}(who: u32, vertex: u32, geometryRow: u32, surface: Surface) -> Surface {
  var out = surface;`);
    if (place === FIRST_PLACE) text.add(`  ${stored.load}`);
    if (chosen.length > 0) {
      text.add(`  let character = visible[who].character;
  let views = ${seenBy('visible[who].views')};
  let running = providersActive(character, views);
  let site = VertexSite(character, vertex, geometryRow, views, providerFrame.time, providerFrame.frame);`);
      text.addCalls(space);
    }
    if (place !== FIRST_PLACE) text.add(`  ${stored.store}`);
    text.add('  return out;\n}');
  }
  return text.finish('vertex');
}

/**
 * A shader that skins where vertices are drawn, with providers in it. `place` is the row of the page where the
 * character's slot begins. All provider data of the character was kept there, with its palette.
 * @param binding First binding of the application's resources in the group of the page.
 * @param channel Channel that providers read as `skinnedChannel`; draws do not store it.
 */
export function linkDraws(
  shader: string,
  providers: readonly VertexProvider[],
  mask: number,
  {
    group,
    binding,
    channel,
  }: { readonly group: number; readonly binding: number; readonly channel?: SkinnedChannel | undefined },
): ProvidedKernel {
  const chosen = chosenOf(providers, mask);
  const layout = providerLayout(providers);
  const text = new LinkedText(shader, [...Object.keys(SPACES), 'paletteOf'], providers, chosen);
  text.addLibrary(shader);
  text.add(VertexSite.wgsl);
  text.addResources('vertex', group, binding);
  text.add('var<private> providerPlace: u32;');
  text.addChannels();
  const mentioned = chosen.some((index) => /\bskinnedChannel\b/.test(withoutComments(providers[index]!.code)));
  const [characters, states] = [layout.globalCount, layout.globalCount + layout.characterStride];
  const kept = (first: number) => (row: string) => `keptRow(providerPlace + ${KEPT_HEAD_ROWS + first}u + ${row})`;
  text.addAccess({ row: kept(0), character: kept(characters), state: kept(states) });
  text.add(`fn paletteOf(place: u32) -> u32 { return place + ${keptProviderRows(layout)}u; }`);
  for (const [place, space] of Object.entries(SPACES)) {
    text.add(`fn ${place}(place: u32, variant: u32, vertex: u32, geometryRow: u32, surface: Surface) -> Surface {
  var out = surface;
  providerPlace = place;
  let head = keptRow(place);
  let running = keptRow(place + 1u).x & (variant >> ${LOADER_PROVIDER_SHIFT}u);
  let site = VertexSite(head.x, vertex, geometryRow, head.y, bitcast<f32>(head.z), head.w);`);
    if (place === FIRST_PLACE && mentioned) text.add(`  ${skinnedChannelCode(channel).load}`);
    text.addCalls(space);
    text.add('  return out;\n}');
  }
  return text.finish('vertex');
}

/** keep-palettes, which also keeps the provider data of a character, before its palette. */
export function linkKeeps(kernel: string, providers: readonly VertexProvider[]): ProvidedKernel {
  const layout = providerLayout(providers);
  const { globalCount, characterStride, stateStride } = layout;
  const text = new LinkedText(kernel, ['keepProvided'], providers, [...providers.keys()]);
  text.add(ProviderFrame.wgsl, keptProviderBindings.wgsl);
  text.addMemory();
  text.add(`fn keepProvided(who: u32, goal: u32, thread: u32) -> u32 {
  let character = visible[who].character;
  let views = ${seenBy('visible[who].views')};
  let running = providersActive(character, views);
  if (thread == 0u) {
    kept[goal] = vec4u(character, views, bitcast<u32>(providerFrame.time), providerFrame.frame);
    kept[goal + 1u] = vec4u(running, 0u, 0u, 0u);
  }
  for (var row = thread; row < ${globalCount + characterStride + stateStride}u; row += WORKGROUP_SIZE) {
    var source = row;
    if (row >= ${globalCount + characterStride}u) {
      source = providerState + row - ${globalCount + characterStride}u;
    } else if (row >= ${globalCount}u) {
      source = providerCharacter + row - ${globalCount}u;
    }
    kept[goal + ${KEPT_HEAD_ROWS}u + row] = providerRows[source];
  }
  return goal + ${keptProviderRows(layout)}u;
}`);
  return text.kernel;
}

/** Argument of update functions: `CharacterSite` in WGSL. */
const CHARACTER_SITE = `struct CharacterSite {
  character: u32, views: u32, frame: u32, time: f32, dt: f32, elapsed: f32, isNew: bool, scale: f32,
  position: vec3f, rotation: vec4f, previousPosition: vec3f, previousRotation: vec4f,
}`;

/** update-characters with the update functions of all providers. */
export function linkUpdates(kernel: string, providers: readonly VertexProvider[]): ProvidedKernel {
  const chosen = [...providers.keys()].filter((index) => providers[index]!.update);
  const { states } = providerLayout(providers);
  const text = new LinkedText(kernel, ['updateProvided'], providers, chosen);
  text.add(CHARACTER_SITE, ProviderFrame.wgsl, updateProviderBindings.wgsl);
  text.addResources('update', RESOURCE_GROUP.update);
  text.addMemory();
  text.add(`fn updateProvided(
  character: u32, views: u32, position: vec3f, rotation: vec4f, scale: f32, previousPosition: vec3f, previousRotation: vec4f,
) {
  let seen = ${seenBy('views')};
  let running = providersActive(character, seen);
  let bornFrame = providerRows[providerCharacter].y;
  let time = providerFrame.time;`);
  for (const index of chosen) {
    const provider = providers[index]!;
    const { name, stateRowCount: count = 0 } = provider;
    text.add(`  if ((running & ${1 << index}u) != 0u) {
    let first = providerState + ${states[index]}u;
    let last = providerRows[first];
    let isNew = last.x < bornFrame || last.x == 0u;
    let passed = time - bitcast<f32>(last.y);
    let elapsed = select(select(passed, passed + 4096.0, passed < 0.0), 0.0, isNew);
    let site = CharacterSite(character, seen, providerFrame.frame, time, providerFrame.dt, elapsed, isNew, scale,
      position, rotation, previousPosition, previousRotation);`);
    if (count > 0) {
      text.add(`    var state = array<vec4f, ${count}>();
    if (!isNew) { for (var i = 0u; i < ${count}u; i++) { state[i] = bitcast<vec4f>(providerRows[first + 1u + i]); } }`);
    }
    const call = count > 0 ? `state = ${name}Update(site, state);` : `${name}Update(site);`;
    text.call(`    ${call}`, provider, 'update');
    if (count > 0) {
      text.add(`    for (var i = 0u; i < ${count}u; i++) { providerRows[first + 1u + i] = bitcast<vec4u>(state[i]); }`);
    }
    text.add(`    providerRows[first] = vec4u(providerFrame.frame, bitcast<u32>(time), 0u, 0u);\n  }`);
  }
  text.add('}');
  return text.finish('update');
}
