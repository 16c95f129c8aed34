// Replaces calls of accessors by what they do, so that the package does not ship a function per field that a kernel reads.

/** `fn name(row: u32) -> T { return …row…; }`, or `fn name(row: u32, value: T) { …row… = …value…; }`; each parameter once. */
const ACCESSOR = /^fn (\w+)\(row: u32(?:, value: \w+)?\)(?: -> \w+)? \{\n {2}(?:return )?(.+);\n\}$/;

const ENTRY_POINT = /@(compute|vertex|fragment)\b/;

interface Accessor {
  readonly name: string;
  readonly body: string;
}

/** Returns the declarations of a kernel without accessors of one field. A text without an entry point keeps them, for other callers. */
export function inlineAccessors(declarations: readonly string[]): string[] {
  const accessors = new Map<string, Accessor>();
  for (const declaration of declarations) {
    const [, name, body] = ACCESSOR.exec(declaration) ?? [];
    if (name !== undefined && body !== undefined && isSimple(body)) accessors.set(name, { name, body });
  }
  const isOther = (declaration: string): boolean => !accessors.has(/^fn (\w+)/.exec(declaration)?.[1] ?? '');
  const isKernel = declarations.some((declaration) => ENTRY_POINT.test(declaration));
  return declarations.flatMap((declaration) => {
    if (isOther(declaration)) return inlined(declaration, accessors);
    return isKernel ? [] : declaration;
  });
}

/** Returns true if each parameter is used once, and a table is all that is indexed. */
function isSimple(body: string): boolean {
  return [/\brow\b/g, /\bvalue\b/g].every((use, index) => {
    const count = body.match(use)?.length ?? 0;
    return index === 0 ? count === 1 && /\w\[row(?: \+ \d+u)?\]/.test(body) : count <= 1 && !/\bvalue\./.test(body);
  });
}

function inlined(text: string, accessors: ReadonlyMap<string, Accessor>): string {
  let result = '';
  let end = 0;
  for (const { 0: name, index } of text.matchAll(/(?<![\w.])\w+(?=\()/g)) {
    const accessor = accessors.get(name);
    if (!accessor || index < end) continue;
    const [row, value, after] = argumentsAt(text, index + name.length);
    const place = inlined(row, accessors);
    // sums bind as tightly as the offset that is added
    const isSum = !/[|&^<>=!]/.test(place.replaceAll(/\[[^\]]*\]|\([^()]*\)/g, ''));
    const body = accessor.body.replaceAll(/\[row\b( \+)?|\bvalue\b/g, (use, plus = '') => {
      if (use === 'value') return inlined(value, accessors);
      return `[${plus && !isSum ? `(${place})` : place}${plus}`;
    });
    result += text.slice(end, index) + body;
    end = after;
  }
  return result + text.slice(end);
}

/** The one or two arguments of a call with its parenthesis at `start`, and the index of what follows it. */
function argumentsAt(text: string, start: number): [first: string, second: string, after: number] {
  const cuts = [start];
  let [depth, at] = [0, start];
  do {
    const char = text[at]!;
    if ('([{'.includes(char)) depth++;
    else if (')]}'.includes(char)) depth--;
    else if (char === ',' && depth === 1) cuts.push(at);
    at++;
  } while (depth > 0);
  cuts.push(at - 1);
  const [first = '', second = ''] = cuts.slice(1).map((cut, i) => text.slice(cuts[i]! + 1, cut).trim());
  return [first, second, at];
}
