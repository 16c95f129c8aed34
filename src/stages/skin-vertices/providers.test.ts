import { describe, expect, it } from 'vitest';
import { LOADER_GENERAL, LOADER_PACKED } from '../../character/format/geometry-layout.ts';
import { kernels as library } from '../../vertex/vertex-loader.gen.ts';
import { declarationsOf, namesOf, namesUsed } from '../declarations.ts';
import { kernels } from './kernel.gen.ts';
import { kernels as drawn } from '../../render/forward/draw.gen.ts';
import { channelKey } from '../../vertex/vertex-format.ts';
import { linkDraws, linkProviders } from '../link-providers.ts';
import { providersOf, type VertexProvider } from '../providers.ts';
import { providerIssues } from '../provider-issues.ts';

const provider = (name: string, parts: Partial<VertexProvider> = {}): VertexProvider => ({
  name,
  code: `fn ${name}(site: VertexSite, surface: Surface) -> Surface {\n  return surface;\n}`,
  space: 'model',
  ...parts,
});

describe('every kernel', () => {
  it.each(Object.entries(kernels))('%s has the places for providers, and names as the loader has them', (_, code) => {
    const own = declarationsOf(code);
    for (const place of ['provideBound', 'provideSkinned']) {
      expect(own.get(place)).toMatch(
        /^fn \w+\(\w+: u32, \w+: u32, \w+: u32, (\w+): Surface\) -> Surface \{\n  return \1;\n\}$/,
      );
    }
    // what is in both is the same: one can stand for the other
    for (const [name, text] of declarationsOf(library.base)) {
      if (own.has(name)) expect(own.get(name), name).toBe(text);
    }
  });
});

describe('linking', () => {
  const list = [
    provider('wind', { views: 5, rowCount: 2 }),
    provider('cape', { space: 'mesh', rowCount: 3 }),
    provider('dust'),
  ];

  it('calls providers with a set bit, in their space, for their views', () => {
    const { code } = linkProviders(kernels.base, list, 0b011);
    const [bound, skinned] = ['provideBound', 'provideSkinned'].map((name) => code.slice(code.indexOf(`fn ${name}`)).split('\n}')[0]!);
    expect(bound).toContain('if ((running & 2u) != 0u) { out = cape(site, out); }');
    expect(bound).not.toContain('wind');
    expect(skinned).toContain('if ((running & 1u) != 0u) { out = wind(site, out); }');
    // masks stand behind the five rows: a word each
    expect(code).toContain('if ((views & providerRows[5u].x) != 0u) { running |= enabled & 1u; }');
    expect(code).not.toContain('dust');
  }); // prettier-ignore

  it('gives each its own rows, whichever are chosen', () => {
    expect(linkProviders(kernels.base, list, 0b010).code).toContain('capeRow(i: u32) -> vec4f { return bitcast<vec4f>(providerRows[2u + i]); }');
    expect(linkProviders(kernels.base, list, 0b100).code).toContain('dustRow(i: u32) -> vec4f { return bitcast<vec4f>(providerRows[5u + i]); }');
  }); // prettier-ignore

  it('maps each line to its provider', () => {
    const { code, origins } = linkProviders(kernels.base, list, 0b111);
    const lines = code.split('\n');
    for (const [number, { provider: { name }, line }] of origins) {
      if (line === 1) expect(lines[number - 1]).toBe(`fn ${name}(site: VertexSite, surface: Surface) -> Surface {`);
      if (line === 0) expect(lines[number - 1]).toContain(`out = ${name}(site, out)`);
    }
    expect(origins.size).toBe(12);
  }); // prettier-ignore

  const bodyOf = (code: string, name: string) => code.slice(code.indexOf(`fn ${name}`)).split('\n}')[0]!;

  it('stores a channel with every vertex, whether or not providers change it', () => {
    for (const mask of [0, 0b011]) {
      const { code } = linkProviders(kernels.base, list, mask, { name: '_heat', format: 'float32' });
      expect(bodyOf(code, 'provideBound')).toContain(`skinnedChannel = loadChannel(openVertices(geometryRow, vertex), ${channelKey('_HEAT')}u, vertex);`);
      expect(bodyOf(code, 'provideSkinned').trim()).toMatch(/storeAttribute\(.*, bitcast<u32>\(\(skinnedChannel\)\.x\)\);\n  return out;$/);
      // kernels without providers bind nothing of theirs
      expect(code.includes('providerRows')).toBe(mask !== 0);
      expect(code).toContain('fn loadChannel(');
    }
  }); // prettier-ignore

  it('gives names of channels to kernels and draws', () => {
    const reader = provider('flag', { channels: ['_WIND', '_HEAT'] });
    const constant = `const channel_WIND: u32 = ${channelKey('_WIND')}u;`;
    const draws = (own: VertexProvider) =>
      linkDraws(drawn.vertex, [own], 1, { group: 2, binding: 9, channel: { name: '_WIND' } }).code;
    for (const code of [linkProviders(kernels.base, [reader], 1).code, draws(reader)]) {
      expect(code).toContain(constant);
      expect(code).toContain('var<private> skinnedChannel: vec4f;');
      expect(code).toContain('fn loadChannel(');
    }
    // draws load the crowd's channel only for providers that name it
    expect(bodyOf(draws(reader), 'provideBound')).not.toContain('loadChannel');
    const writer = provider('flag', { code: 'fn flag(site: VertexSite, surface: Surface) -> Surface {\n  skinnedChannel.x *= 2.0;\n  return surface;\n}' });
    expect(bodyOf(draws(writer), 'provideBound')).toContain('skinnedChannel = loadChannel(');
  }); // prettier-ignore

  it('omits a provider that a mesh names and the crowd lacks', () => {
    expect(linkProviders(kernels.base, list, 0b1001).code).toBe(linkProviders(kernels.base, list, 0b0001).code);
    expect([providersOf(0x3fc, 3), providersOf(0x3fc | LOADER_GENERAL, 9), providersOf(LOADER_PACKED | 3, 8)]).toEqual([7, 255, 0]);
  }); // prettier-ignore
});

describe('providers that cannot be', () => {
  it.each([
    ['an invalid name', [provider('2nd', { code: '' })], /not a WGSL identifier/],
    ['no such function', [provider('wind', { code: '// fn wind()\nfn breeze() {}' })], /declares no function "wind"/],
    ['two of one name', [provider('wind'), provider('wind')], /"wind" is taken/],
    ['helpers of one name', ['a', 'b'].map((n) => provider(n, { code: `${provider(n).code} fn help() {}` })), /"help" is taken/],
    ['a name of the kernel', [provider('provideBound')], /"provideBound" is taken/],
    ['a name of the loader', [provider('loadPosition')], /"loadPosition" is taken/],
    ['a builtin that kernels call', [provider('w', { code: `${provider('w').code}\nfn abs(x: f32) -> f32 { return x; }` })], /"abs" is taken/],
    ['a channel that is no part of a name', [provider('wind', { channels: ['_A-B'] })], /The channel "_A-B" cannot be part/],
    ['a channel whose constant a helper has', [provider('wind', { channels: ['_A'], code: `${provider('wind').code} const channel_A = 1;` })], /"channel_A" is taken/],
    ['the name of the channel that is skinned', [provider('skinnedChannel')], /"skinnedChannel" is taken/],
    ['rows that are no count', [provider('wind', { rowCount: -1 })], /rowCount is -1/],
    ['too many', Array.from({ length: 9 }, (_, i) => provider(`p${i}`)), /9 providers; the limit is 8/],
  ])('%s', (_, list, message) => {
    const issues = providerIssues(list);
    expect(issues.map((issue) => issue.message).join('\n')).toMatch(message);
    expect(new Set(issues.map(({ code }) => code))).toEqual(new Set(['PROVIDER_INVALID']));
  }); // prettier-ignore

  it('are distinguished from those that can', () => {
    expect(providerIssues([provider('wind'), provider('cape'), provider('blendPalette')])).toEqual([]);
  });
});

describe('names that a text declares', () => {
  it('are those of its module, not of its blocks and comments', () => {
    const code = `
      // fn no() {}
      /* struct No {} */
      struct Yes { const: f32 } alias Too = vec3f;
      const three = 3; override four: f32 = 4.0;
      @group(0) @binding(0) var<storage, read> five: array<u32>;
      fn six() -> u32 { let no = 1; var never = 2u; if (true) { const none = 1; } return never; }
      var<private> seven: f32;`;
    expect(namesOf(code)).toEqual(['Yes', 'Too', 'three', 'four', 'five', 'six', 'seven']);
  });
});

describe('a linked text, readable or shortened,', () => {
  const readable = 'const _NONE = 0u;\nfn _isLow(low: u32, high: u32) -> bool {\n  return low < max(high, _NONE);\n}\nstruct _Row {\n  at: vec2<u32>,\n}';
  const short = 'const _a=0u;\nfn _b(a:u32,b:u32)->bool{return a<max(b,_a);}\nstruct _c{a:vec2<u32>}';

  it('is taken apart into declarations', () => {
    expect([...declarationsOf(readable)]).toEqual([
      ['_NONE', 'const _NONE = 0u;'],
      ['_isLow', 'fn _isLow(low: u32, high: u32) -> bool {\n  return low < max(high, _NONE);\n}'],
      ['_Row', 'struct _Row {\n  at: vec2<u32>,\n}'],
    ]);
    expect([...declarationsOf(short).keys()]).toEqual(['_a', '_b', '_c']);
  });

  it('uses what it declares and calls, not what it compares', () => {
    expect(namesUsed(readable)).toEqual(['_NONE', '_isLow', '_Row', 'max', 'vec2']);
  });
}); // prettier-ignore
