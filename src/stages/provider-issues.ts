import { PROVIDER_LIMIT } from '../character/format/geometry-layout.ts';
import { error, type Issue, quoted } from '../errors.ts';
import { kernels as library } from '../vertex/vertex-loader.gen.ts';
import { declarationsOf, namesOf, namesUsed } from './declarations.ts';
import { TEXTURE } from './provider-resources.ts';
import { channelConstant, type VertexProvider } from './providers.ts';

/** Issues that can be found without compiling: names and numbers. */
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
  const channels = new Set(providers.flatMap((provider) => provider.channels?.map(channelConstant) ?? []));
  const alreadyTaken = new Set(Array.from(channels).filter((each) => taken.has(each)));
  for (const each of channels) taken.add(each);
  const takenByUpdates = new Set([...OWN_NAMES, ...UPDATE_NAMES]);
  for (const provider of providers) {
    const { name, code, rowCount = 0 } = provider;
    const declared = namesOf(code);
    if (!/^[A-Za-z]\w*$/.test(name)) {
      add(provider, 'The name is not a WGSL identifier.', 'Letters, digits and underscores, a letter first.');
      continue;
    }
    if (!declared.includes(name)) {
      const message = `The code declares no function ${quoted(name)}.`;
      add(provider, message, `fn ${name}(site: VertexSite, surface: Surface) -> Surface`);
    }
    for (const channel of provider.channels ?? []) {
      if (!/^\w+$/.test(channel)) {
        const message = `The channel ${quoted(channel)} cannot be part of a WGSL name.`;
        add(provider, message, 'Use letters, digits and underscores.');
      } else if (alreadyTaken.has(channelConstant(channel))) {
        const message = `${quoted(channelConstant(channel))}, for a channel, is taken by the kernels.`;
        add(provider, message, 'Rename the channel.');
      }
    }
    for (const [key, count, limit] of [
      ['rowCount', rowCount, Number.MAX_SAFE_INTEGER],
      ['characterRowCount', provider.characterRowCount ?? 0, ROW_LIMIT],
      ['stateRowCount', provider.stateRowCount ?? 0, ROW_LIMIT],
    ] as const) {
      const isCount = Number.isSafeInteger(count) && count >= 0 && count <= limit;
      if (!isCount)
        add(provider, `${key} is ${count}.`, `Give a count${limit === ROW_LIMIT ? ` up to ${limit}` : ''}.`);
    }
    const { update, resources = {} } = provider;
    if (update && !namesOf(update.code).includes(`${name}Update`)) {
      const suggestion = `fn ${name}Update(site: CharacterSite, state: array<vec4f, N>) -> array<vec4f, N>`;
      add(provider, `the update code declares no function ${quoted(`${name}Update`)}.`, suggestion);
    }
    if (!update && provider.stateRowCount)
      add(provider, 'has state rows, but no update.', 'Only an update writes them.');
    issues.push(...resourceIssues(provider));
    // the update texts are linked together, into a kernel of their own
    for (const each of update ? [...namesOf(update.code), ...ownNames(name), ...Object.keys(resources)] : []) {
      if (takenByUpdates.has(each))
        add(provider, `${quoted(each)} is taken, by the update kernel or another update.`, 'Rename it.');
      takenByUpdates.add(each);
    }
    for (const each of [...declared, ...ownNames(name), ...Object.keys(resources)]) {
      if (taken.has(each)) add(provider, `${quoted(each)} is taken, by the kernels or another provider.`, 'Rename it.');
      taken.add(each);
    }
  }
  return issues;
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
export function resourceIssues({ name: provider, resources = {} }: VertexProvider): Issue[] {
  return Object.entries(resources).flatMap(([name, { kind, type = 'sampler' }]) => {
    const path = `provider ${provider}/${name}`;
    if (!/^[A-Za-z]\w*$/.test(name)) {
      return error('PROVIDER_INVALID', path, 'The name is not a WGSL identifier.', 'Use letters, digits, underscores.');
    }
    const isTexture = TEXTURE.test(type) && type.includes('<') !== type.includes('depth');
    if (kind === 'texture' && !isTexture) {
      return error(
        'PROVIDER_INVALID',
        path,
        `${quoted(type)} is not a sampled texture type.`,
        'Use texture_2d<f32>, say.',
      );
    }
    return [];
  });
}
