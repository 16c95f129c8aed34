// Restores the names of shortened kernels. The build bundles it with their names: see `ship-shaders.ts`.

/** Names that shortening has removed, in the order of the short ones. */
export interface ShaderNames {
  /** Of declarations of modules, without the `_` that all of them begin with. */
  readonly globals: string;
  readonly members: string;
  /** Of functions: `key:names`, separated by `;`. */
  readonly locals: string;
}

/** Words, numbers and operators, without space. */
export const TOKEN =
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

/**
 * Returns a function that gives a kernel's text the names of its source, one statement per line. Lines other than shortened
 * declarations, such as those of providers, do not change. Inlined constants stay numbers.
 */
export function reader(names: ShaderNames): (code: string) => string {
  const pairs = (list: string, short: (count: number) => string[], prefix: string) => {
    const listed = list.split(' ');
    const letters = short(listed.length);
    return new Map(listed.map((name, i) => [prefix + letters[i]!, prefix + name]));
  };
  const globals = pairs(names.globals, shortNames, '_');
  const members = pairs(names.members, memberNames, '');
  const locals = new Map(names.locals.split(';').map((entry) => entry.split(':') as [key: string, names: string]));
  const restored = (line: string): string => {
    const listed = locals.get(declarationKey(line));
    if (listed === undefined) return line;
    const own = listed === '' ? new Map<string, string>() : pairs(listed, shortNames, '');
    const tokens = tokensOf(line);
    const isStruct = tokens[0] === 'struct';
    const named = tokens.map((token, i) => {
      const isMember = tokens[i - 1] === '.' || (isStruct && tokens[i + 1] === ':');
      return (isMember ? members.get(token) : (own.get(token) ?? globals.get(token))) ?? token;
    });
    return indented(named);
  };
  return (code) => code.split('\n').map(restored).join('\n');
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
