// Shortens linked WGSL for the package: names, space, constants that are plain numbers. Names that pipelines and
// providers use are kept. `src/wgsl/readable.ts` reverses it.
import { declarationKey, memberNames, shortNames, tokensOf } from '../src/wgsl/readable.ts';

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

/** Shortens declarations. All texts share one mapping from names to short names. */
export class Shortener {
  readonly #globals: ReadonlyMap<string, string>;
  readonly #members: ReadonlyMap<string, string>;
  /** Constants that are numbers. The numbers replace their names. */
  readonly #numbers: ReadonlyMap<string, string>;
  readonly #locals = new Map<string, readonly string[]>();
  readonly #texts = new Map<string, string>();

  /** @param kept Names, of whatever kind, that stay. */
  constructor(declarations: ReadonlySet<string>, kept: ReadonlySet<string>) {
    const [globals, members] = [new Map<string, number>(), new Map<string, number>()];
    const numbers = new Map<string, string>();
    const [stay, differ] = [new Set(kept), new Set<string>()];
    for (const declaration of declarations) {
      const [, kind, name] = DECLARATION.exec(declaration) ?? [];
      if (kind === undefined || name === undefined) continue;
      const [, constant, type, value] = NUMBER.exec(declaration) ?? [];
      const isTyped = type === undefined || value!.endsWith(type[0]!);
      const isEntry = /^@(?:compute|vertex|fragment)\b/.test(declaration);
      const number = constant !== undefined && isTyped ? value! : '';
      if (number === '' || (numbers.get(name) ?? number) !== number) differ.add(name);
      else numbers.set(name, number);
      if (kind === 'override' || isEntry) stay.add(name);
      globals.set(name, 0);
      if (kind === 'struct') for (const member of membersOf(declaration)) members.set(member, 0);
    }
    // a name may be one thing in one text and another in the next
    for (const name of numbers.keys()) if (stay.has(name) || differ.has(name)) numbers.delete(name);
    for (const name of globals.keys()) if (stay.has(name) || numbers.has(name)) globals.delete(name);
    for (const member of members.keys()) {
      if (kept.has(member) || /^(?:[xyzw]{1,4}|[rgba]{1,4})$/.test(member)) members.delete(member);
    }
    for (const declaration of declarations) {
      const tokens = tokensOf(declaration);
      tokens.forEach((token, i) => {
        const table = tokens[i - 1] === '.' ? members : globals;
        const count = table.get(token);
        if (count !== undefined) table.set(token, count + 1);
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
    const tokens = tokensOf(declaration);
    const names = kind === 'fn' ? localsOf(tokens) : [];
    const locals = new Map(shortNames(names.length).map((short, i) => [names[i]!, short]));
    const text = joined(
      tokens.map((token, i) => {
        if (!isWord(token) || KEYWORDS.has(token) || isOfAttribute(tokens, i)) return token;
        if (tokens[i - 1] === '.' || (kind === 'struct' && tokens[i + 1] === ':')) {
          return this.#members.get(token) ?? token;
        }
        return locals.get(token) ?? this.#globals.get(token) ?? this.#numbers.get(token) ?? token;
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

  /** The declaration as `readable` gives it back: with all names, numbers in the places of constants. */
  restored(declaration: string): string[] {
    const [, kind] = DECLARATION.exec(declaration) ?? [];
    const tokens = tokensOf(declaration);
    const locals = new Set(kind === 'fn' ? localsOf(tokens) : []);
    return tokens.map((token, i) => {
      const isNamed = tokens[i - 1] === '.' || (kind === 'struct' && tokens[i + 1] === ':') || locals.has(token);
      return isNamed || isOfAttribute(tokens, i) ? token : (this.#numbers.get(token) ?? token);
    });
  }

  /** Source of the names, for the way back. */
  names(): string {
    const locals = [...this.#locals].map(([key, names]) => `${key}:${names.join(' ')}`).sort();
    return [
      `export const GLOBALS = '${[...this.#globals.keys()].join(' ')}';`,
      `export const MEMBERS = '${[...this.#members.keys()].join(' ')}';`,
      `export const LOCALS =\n  '${locals.join(";' +\n  '")}';\n`,
    ].join('\n');
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
