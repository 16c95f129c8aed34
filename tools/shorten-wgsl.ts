// Shortens linked WGSL for the package: names, space, constants that are plain numbers. `readable-wgsl.ts` reverses it.
import { declarationKey, memberNames, shortNames, TOKEN, tokensOf, type ShaderNames } from './readable-wgsl.ts';

/**
 * Names that stay: what providers may call or write, what they are linked by (`link-providers.ts`), what an application's own
 * passes call, and what changes of surfaces read and write (`changed-surfaces.ts`).
 */
export const KEPT_NAMES: ReadonlySet<string> = new Set(
  'crowdCharacter crowdLevel crowdViews crowdShowsPart crowdTint crowdVertexOffset crowdPreviousVertexOffset crowdPosition crowdExactPosition crowdAttributeWord crowdWord crowdNormal crowdTangent crowdWorldFromModel crowdPreviousWorldFromModel crowdWorldDirection crowdIndex crowdTriangle Surface VertexLoader MorphDelta position normal tangent openVertices loadPosition loadNormal loadTangent loadTexcoord loadColor loadWind loadDelta provideBound provideSkinned paletteOf keepProvided updateProvided skinned kept visible character views detail loadChannel loadSecondTexcoord currentVertexOffset attributeWord storeAttribute keptRow LitSurface SurfaceSite changedSurface primitive texcoord world shadingNormal baseColor metallic roughness emissive occlusion unlit'.split(
    ' ',
  ),
);

const KEYWORDS = new Set(
  'alias break case const const_assert continue continuing default diagnostic discard else enable false fn for if let loop override requires return struct switch true var while'.split(
    ' ',
  ),
);
const DECLARATION = /\b(fn|struct|alias|const|override|var(?:\s*<[^>]*>)?)\s+([A-Za-z_]\w*)/;
const NUMBER = /^const ([A-Za-z_]\w*)(?:: (u32|i32|f32))? = ((?:0x[\da-f]+|[\d.]+)[iuf]?);$/;
const isWord = (token: string): boolean => /^[A-Za-z_]/.test(token);

/** Returns true for `enable`, `requires` and `diagnostic`, which come first in a text. */
export function isDirective(declaration: string): boolean {
  return /^(?:enable|requires|diagnostic)\b/.test(declaration);
}

/** The declarations of a linked text. The linker puts an empty line between them, and none inside. */
export function splitDeclarations(code: string): string[] {
  return code.trim().split(/\n\n+(?=\S)/);
}

/**
 * Declarations with `_` before every name that a module declares, except for `kept` names, overrides and entry points. So these
 * names never collide with names of an application's own code, and it cannot use them.
 */
export function marked(declarations: ReadonlySet<string>, kept: ReadonlySet<string>): Map<string, string> {
  const [names, stay] = [new Set<string>(), new Set(kept)];
  for (const declaration of declarations) {
    if (/\b_\w/.test(declaration))
      throw new Error(`a name begins with "_", which marks names of modules:\n${declaration}`);
    const [, kind, name] = DECLARATION.exec(declaration) ?? [];
    if (name === undefined) continue;
    names.add(name);
    if (kind === 'override' || /^@(?:compute|vertex|fragment)\b/.test(declaration)) stay.add(name);
  }
  for (const name of stay) names.delete(name);
  return new Map(
    Array.from(declarations, (declaration) => {
      const tokens = renamed(declaration, {
        global: (token) => (names.has(token) ? `_${token}` : undefined),
        member: () => undefined,
        local: (token) => token,
      });
      let i = 0;
      return [declaration, declaration.replaceAll(TOKEN, () => tokens[i++]!)];
    }),
  );
}

/** What becomes of the names in a declaration. Undefined: they stay; for a local: it may be one of the module's. */
interface Renaming {
  readonly global: (name: string) => string | undefined;
  readonly member: (name: string) => string | undefined;
  readonly local: (name: string) => string | undefined;
}

/** Tokens of a declaration with other names. */
function renamed(declaration: string, { global, member, local }: Renaming): string[] {
  const [, kind] = DECLARATION.exec(declaration) ?? [];
  const tokens = tokensOf(declaration);
  const locals = new Set(kind === 'fn' ? localsOf(tokens) : []);
  return tokens.map((token, i) => {
    if (!isWord(token) || KEYWORDS.has(token) || isOfAttribute(tokens, i)) return token;
    const isMember = tokens[i - 1] === '.' || (kind === 'struct' && tokens[i + 1] === ':');
    return (isMember ? member(token) : locals.has(token) ? local(token) : global(token)) ?? token;
  });
}

/** Shortens marked declarations. All texts share one mapping from names to short names. */
export class Shortener {
  readonly #globals: ReadonlyMap<string, string>;
  readonly #members: ReadonlyMap<string, string>;
  /** Constants that are numbers. The numbers replace their names. */
  readonly #numbers: ReadonlyMap<string, string>;
  readonly #locals = new Map<string, readonly string[]>();
  readonly #texts = new Map<string, string>();

  /** @param kept Names of members that stay. */
  constructor(declarations: ReadonlySet<string>, kept: ReadonlySet<string>) {
    const [globals, members] = [new Map<string, number>(), new Map<string, number>()];
    const [numbers, differ] = [new Map<string, string>(), new Set<string>()];
    for (const declaration of declarations) {
      const [, kind, name] = DECLARATION.exec(declaration) ?? [];
      if (name === undefined) continue;
      if (kind === 'struct') for (const member of membersOf(declaration)) members.set(member, 0);
      if (!name.startsWith('_')) continue;
      globals.set(name, 0);
      const [, constant, type, value] = NUMBER.exec(declaration) ?? [];
      const isTyped = type === undefined || value!.endsWith(type[0]!);
      const number = constant !== undefined && isTyped ? value! : '';
      if (number === '' || (numbers.get(name) ?? number) !== number) differ.add(name);
      else numbers.set(name, number);
    }
    // a name may be one thing in one text and another in the next
    for (const name of differ) numbers.delete(name);
    for (const name of numbers.keys()) globals.delete(name);
    for (const member of members.keys()) {
      if (kept.has(member) || /^(?:[xyzw]{1,4}|[rgba]{1,4})$/.test(member)) members.delete(member);
    }
    for (const declaration of declarations) {
      const tokens = tokensOf(declaration);
      // locals count for globals of the same name: pages are 0.1 kB larger in Brotli without it
      tokens.forEach((token, i) => {
        const [table, name] =
          tokens[i - 1] === '.' ? [members, token] : [globals, token.startsWith('_') ? token : `_${token}`];
        const count = table.get(name);
        if (count !== undefined) table.set(name, count + 1);
      });
    }
    this.#globals = named(globals, '_');
    this.#members = named(members, '');
    this.#numbers = numbers;
  }

  /** Returns undefined for a constant number, which replaces each use of its name. */
  shorten(declaration: string): string | undefined {
    const [, kind, name] = DECLARATION.exec(declaration) ?? [];
    if (kind === 'const' && this.#numbers.has(name!)) return undefined;
    const known = this.#texts.get(declaration);
    if (known !== undefined) return known;
    const names = kind === 'fn' ? localsOf(tokensOf(declaration)) : [];
    const locals = new Map(shortNames(names.length).map((short, i) => [names[i]!, short]));
    const text = joined(
      renamed(declaration, {
        global: (token) => this.#globals.get(token) ?? this.#numbers.get(token),
        member: (token) => this.#members.get(token),
        local: (token) => locals.get(token),
      }),
    );
    const key = declarationKey(text);
    const other = this.#locals.get(key);
    if (other && other.join() !== names.join())
      throw new Error(`two declarations with the key ${key}; change the hash`);
    this.#locals.set(key, names);
    this.#texts.set(declaration, text);
    return text;
  }

  /** Tokens of the declaration as they are restored: with all names, numbers in place of constants. */
  restored(declaration: string): string[] {
    const same = (token: string): string => token;
    return renamed(declaration, { global: (token) => this.#numbers.get(token), member: same, local: same });
  }

  /** The names, for the way back. */
  names(): ShaderNames {
    return {
      globals: Array.from(this.#globals.keys(), (name) => name.slice(1)).join(' '),
      members: [...this.#members.keys()].join(' '),
      locals: Array.from(this.#locals, ([key, names]) => `${key}:${names.join(' ')}`)
        .sort()
        .join(';'),
    };
  }
}

/** The shortest names to those that are used most. */
function named(counts: ReadonlyMap<string, number>, prefix: string): Map<string, string> {
  const order = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const short = prefix === '' ? memberNames(order.length) : shortNames(order.length);
  if (order.length > short.length) throw new Error(`${order.length} names; ${short.length} are short`);
  return new Map(order.map(([name], i) => [name, prefix + short[i]!]));
}

function membersOf(struct: string): string[] {
  const tokens = tokensOf(struct);
  return tokens.filter((token, i) => isWord(token) && tokens[i + 1] === ':');
}

/** Names that a function declares: its parameters and variables, in the order of the text; not those that it calls, too. */
function localsOf(tokens: readonly string[]): string[] {
  const names = new Set<string>();
  tokens.forEach((token, i) => {
    if (!isWord(token) || KEYWORDS.has(token)) return;
    // `let length = length(v);`
    if (tokens.some((other, j) => other === token && tokens[j + 1] === '(')) return;
    const before = tokens[i - 1] ?? '';
    const isParameter = tokens[i + 1] === ':' && ['(', ',', ')'].includes(before);
    if (isParameter || ['let', 'var', 'const'].includes(before)) names.add(token);
  });
  return [...names];
}

/** Returns true if a word belongs to the language at its position: `@builtin(position)`, `var<storage, read>`. */
function isOfAttribute(tokens: readonly string[], i: number): boolean {
  if (tokens[i - 1] === '@' || (tokens[i - 1] === '(' && ['builtin', 'interpolate'].includes(tokens[i - 2]!)))
    return true;
  const open = tokens.lastIndexOf('<', i);
  return open > 0 && tokens[open - 1] === 'var' && !tokens.slice(open, i).includes('>');
}

/** Two characters that mean something together. */
const OPERATOR = /^(?:&&|\|\||\+\+|--|->|<<|>>|[-+*/%&|^<>=!]=)$/;

/** With as little space as keeps tokens apart. */
function joined(tokens: readonly string[]): string {
  let text = '';
  for (const token of tokens) {
    const last = text.at(-1) ?? '';
    const wouldMerge = (/\w/.test(last) && /^\w/.test(token)) || OPERATOR.test(last + token[0]!);
    text += wouldMerge ? ` ${token}` : token;
  }
  return text.replaceAll(/,([)}])/g, '$1');
}
