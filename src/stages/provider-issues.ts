import { PROVIDER_LIMIT } from '../character/format/geometry-layout.ts';
import { error, type Issue, quoted } from '../errors.ts';
import { kernels as library } from '../vertex/vertex-loader.gen.ts';
import { declarationsOf, namesOf, namesUsed } from './declarations.ts';
import { TEXTURE } from './provider-resources.ts';
import { channelConstant, type VertexProvider } from './providers.ts';
import { kernels } from './skin-vertices/kernel.gen.ts';

/** Issues of a list of providers that can be found without compiling: names, numbers, count. */
export function providerIssues(providers: readonly VertexProvider[]): Issue[] {
  const issues: Issue[] = [];
  if (providers.length > PROVIDER_LIMIT) {
    const message = `${providers.length} providers; the limit is ${PROVIDER_LIMIT}.`;
    issues.push(error('PROVIDER_INVALID', 'providers', message, 'Join some of them.'));
  }
  const ofKernels = [...namesUsed(kernels.base), ...namesUsed(library.base), ...declarationsOf(library.base).keys()];
  const taken = new Set([...ofKernels, ...OWN_NAMES]);
  const channels = new Set(providers.flatMap((provider) => provider.channels?.map(channelConstant) ?? []));
  const takenChannels = new Set(Array.from(channels).filter((each) => taken.has(each)));
  for (const each of channels) taken.add(each);
  const takenByUpdates = new Set([...OWN_NAMES, ...UPDATE_NAMES]);
  for (const provider of providers) {
    if (!/^[A-Za-z]\w*$/.test(provider.name)) {
      const suggestion = 'Letters, digits and underscores, a letter first.';
      issues.push(issueOf(provider, 'The name is not a WGSL identifier.', suggestion));
      continue;
    }
    issues.push(...codeIssues(provider, takenChannels), ...resourceIssues(provider));
    const { update, code, resources = {} } = provider;
    const added = [...ownNames(provider.name), ...Object.keys(resources)];
    // the update texts are linked together, into a kernel of their own
    const updateNames = update ? [...namesOf(update.code), ...added] : [];
    issues.push(
      ...takeNames(provider, updateNames, takenByUpdates, 'the update kernel or another update'),
      ...takeNames(provider, [...namesOf(code), ...added], taken, 'the kernels or another provider'),
    );
  }
  return issues;
}

function issueOf({ name }: VertexProvider, message: string, suggestion: string): Issue {
  return error('PROVIDER_INVALID', `provider ${name}`, message, suggestion);
}

/** Issues of a provider's functions, channels and rows. */
function codeIssues(provider: VertexProvider, takenChannels: ReadonlySet<string>): Issue[] {
  const { name, code, update, channels = [], rowCount = 0, characterRowCount = 0, stateRowCount = 0 } = provider;
  const issues: Issue[] = [];
  const add = (message: string, suggestion: string) => issues.push(issueOf(provider, message, suggestion));
  if (!namesOf(code).includes(name)) {
    add(`The code declares no function ${quoted(name)}.`, `fn ${name}(site: VertexSite, surface: Surface) -> Surface`);
  }
  for (const channel of channels) {
    const constant = channelConstant(channel);
    if (!/^\w+$/.test(channel)) {
      add(`The channel ${quoted(channel)} cannot be part of a WGSL name.`, 'Use letters, digits and underscores.');
    } else if (takenChannels.has(constant)) {
      add(`${quoted(constant)}, for a channel, is taken by the kernels.`, 'Rename the channel.');
    }
  }
  for (const [key, count, limit] of [
    ['rowCount', rowCount, Number.MAX_SAFE_INTEGER],
    ['characterRowCount', characterRowCount, ROW_LIMIT],
    ['stateRowCount', stateRowCount, ROW_LIMIT],
  ] as const) {
    const isCount = Number.isSafeInteger(count) && count >= 0 && count <= limit;
    if (!isCount) add(`${key} is ${count}.`, `Give a count${limit === ROW_LIMIT ? ` up to ${limit}` : ''}.`);
  }
  if (update && !namesOf(update.code).includes(`${name}Update`)) {
    const suggestion = `fn ${name}Update(site: CharacterSite, state: array<vec4f, N>) -> array<vec4f, N>`;
    add(`the update code declares no function ${quoted(`${name}Update`)}.`, suggestion);
  }
  if (!update && stateRowCount) add('has state rows, but no update.', 'Only an update writes them.');
  return issues;
}

/** Takes names. Issues are those that are taken already. */
function takeNames(provider: VertexProvider, names: readonly string[], taken: Set<string>, by: string): Issue[] {
  return names.flatMap((name) => {
    const isTaken = taken.has(name);
    taken.add(name);
    return isTaken ? [issueOf(provider, `${quoted(name)} is taken, by ${by}.`, 'Rename it.')] : [];
  });
}

/** Rows per character of one provider. */
const ROW_LIMIT = 16;

/** Functions that linking adds for a provider. */
function ownNames(name: string): string[] {
  return [`${name}Row`, `${name}CharacterRow`, `${name}State`];
}

const OWN_NAMES = [
  'VertexSite',
  'ProviderFrame',
  'providerFrame',
  'providerRows',
  'providerCharacter',
  'providerState',
  'providersActive',
  'skinnedChannel',
];
const UPDATE_NAMES = ['CharacterSite', 'updateCharacters', 'updateProvided'];

/** Issues of a resource's declaration. */
function resourceIssues({ name: provider, resources = {} }: VertexProvider): Issue[] {
  return Object.entries(resources).flatMap(([name, { kind, type = 'sampler' }]) => {
    const path = `provider ${provider}/${name}`;
    if (!/^[A-Za-z]\w*$/.test(name)) {
      return error('PROVIDER_INVALID', path, 'The name is not a WGSL identifier.', 'Use letters, digits, underscores.');
    }
    const isTexture = TEXTURE.test(type) && type.includes('<') !== type.includes('depth');
    if (kind === 'texture' && !isTexture) {
      const message = `${quoted(type)} is not a sampled texture type.`;
      return error('PROVIDER_INVALID', path, message, 'Use texture_2d<f32>, say.');
    }
    return [];
  });
}
