import { GLOBALS, LOCALS, MEMBERS } from './names.gen.ts';

/** Words, numbers and operators, without space. */
const TOKEN =
  /[A-Za-z_]\w*|(?:0[xX][\da-fA-F.]+(?:[pP][+-]?\d+)?|\d*\.\d+(?:[eE][+-]?\d+)?|\d+\.?\d*(?:[eE][+-]?\d+)?)[iufh]?|->|<<=|>>=|<<|>>|[-+*/%&|^<>=!]=|&&|\|\||\+\+|--|[^\s\w]/g;

export function tokensOf(code: string): string[] {
  return code.match(TOKEN) ?? [];
}

const LETTERS = Array.from('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ');
const REST = [...LETTERS, ...Array.from('0123456789')];
/** All names of one or two characters, except keywords and reserved words of WGSL. */
const SHORT = [...LETTERS, ...LETTERS.flatMap((first) => REST.map((rest) => first + rest))].filter(
  (name) => !['as', 'do', 'fn', 'if', 'of'].includes(name),
);

/** Short names for the declarations of a function, in their order. Names that a module declares begin with `_`. */
export function shortNames(count: number): string[] {
  return SHORT.slice(0, count);
}

/** Short names for members, the same in all structs. None of them is a component or swizzle of a vector. */
export function memberNames(count: number): string[] {
  return SHORT.filter((name) => !/^(?:[xyzw]+|[rgba]+)$/.test(name)).slice(0, count);
}

/** A hash that identifies a declaration, as a short word (FNV-1a). */
export function declarationKey(declaration: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < declaration.length; i++) {
    hash = Math.imul(hash ^ declaration.charCodeAt(i), 0x01000193);
  }
  return (hash >>> 0).toString(36);
}

let tables: Readonly<Record<'globals' | 'members' | 'locals', ReadonlyMap<string, string>>> | undefined;

function openTables(): NonNullable<typeof tables> {
  const pairs = (list: string, prefix: string): ReadonlyMap<string, string> => {
    const names = list.split(' ');
    const short = prefix === '' ? memberNames(names.length) : shortNames(names.length);
    return new Map(names.map((name, i) => [prefix + short[i]!, name]));
  };
  const locals = LOCALS.split(';').map((entry) => entry.split(':') as [key: string, names: string]);
  return { globals: pairs(GLOBALS, '_'), members: pairs(MEMBERS, ''), locals: new Map(locals) };
}

/**
 * The text of a kernel with the names of its sources, one statement per line. Lines other than shortened
 * declarations, such as those of providers, do not change. Inlined constants stay numbers.
 */
export function readable(code: string): string {
  tables ??= openTables();
  const { globals, members, locals } = tables;
  const lines = code.split('\n').map((line) => {
    const names = locals.get(declarationKey(line));
    if (names === undefined) return line;
    const listed = names === '' ? [] : names.split(' ');
    const own = new Map(shortNames(listed.length).map((short, i) => [short, listed[i]!]));
    const tokens = tokensOf(line);
    const isStruct = tokens[0] === 'struct';
    const named = tokens.map((token, i) => {
      const isMember = tokens[i - 1] === '.' || (isStruct && tokens[i + 1] === ':');
      return (isMember ? members.get(token) : (own.get(token) ?? globals.get(token))) ?? token;
    });
    return indented(named);
  });
  return lines.join('\n');
}

/** Tokens as text, with statements and members on lines of their own. */
function indented(tokens: readonly string[]): string {
  let [text, depth, brackets, angles] = ['', 0, 0, 0];
  tokens.forEach((token, i) => {
    const before = tokens[i - 1] ?? '';
    const opens = token === '<' && TEMPLATE.test(before);
    const isBehind = token === '}' || /^[{};]$/.test(before) || (before === ',' && tokens[0] === 'struct');
    if (token === '}') depth--;
    if (i > 0 && brackets + angles === 0 && isBehind && token !== ';') text += `\n${'  '.repeat(depth)}`;
    else if (!opens && angles === 0 && isSpaced(tokens[i - 2] ?? '', before, token)) text += ' ';
    else if (before === ',' || (angles === 0 && before === '>' && /^\w/.test(token))) text += ' ';
    text += token;
    if (token === '{') depth++;
    if (token === '(' || token === '[') brackets++;
    if (token === ')' || token === ']') brackets--;
    if (opens) angles++;
    else if (angles > 0 && /^>+$/.test(token)) angles -= token.length;
  });
  return `${text}\n`;
}

/** Words that a list in angle brackets may follow. */
const TEMPLATE = /^(?:var|ptr|array|atomic|bitcast|vec[234]|mat[234]x[234]|texture_\w+)$/;

function isSpaced(twoBefore: string, before: string, token: string): boolean {
  if (/^(?:[),;:.\]]|\+\+|--)$/.test(token) || /^[([.!~@]$/.test(before) || before === '') return false;
  const isUnary = /^[-&*]$/.test(before) && !/^[\w)\]]/.test(twoBefore.replace(/^return$/, ''));
  if (isUnary) return false;
  if (token === '(') return /^(?:if|for|while|switch|return)$/.test(before) || !/[\w>]$/.test(before);
  return token !== '[' || !/[\w\])]$/.test(before);
}
