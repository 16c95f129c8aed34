/** Just enough of WGSL's syntax to take linked kernels apart, and to see what a text declares. */

const DECLARATION = /\b(?:(?:fn|struct|alias|const|override|var)\s+|var\s*<[^>]*>\s*)([A-Za-z_]\w*)/;

/** The declarations of a kernel's text, by name. Each begins a line; its further lines are indented, or a brace. */
export function declarationsOf(kernel: string): Map<string, string> {
  const declarations = new Map<string, string>();
  for (const text of kernel.trim().split(/\n(?![ }])/)) {
    const name = DECLARATION.exec(text)?.[1];
    if (name === undefined) throw new Error(`a declaration has no name: ${text}`);
    declarations.set(name, text);
  }
  return declarations;
}

/** Whatever a kernel declares or calls: declaring it again would change what the kernel means. */
export function namesUsed(code: string): string[] {
  return [...declarationsOf(code).keys(), ...Array.from(code.matchAll(/\b([A-Za-z]\w*)[(<]/g), ([, name]) => name!)];
}

/** Names that any WGSL declares for its whole module. */
export function namesOf(code: string): string[] {
  const names: string[] = [];
  let depth = 0;
  let level = '';
  for (const character of withoutComments(code)) {
    if (character === '{') depth++;
    if (depth === 0) level += character;
    if (character === '}') {
      depth--;
      // a declaration has ended
      level += ';';
    }
  }
  for (const statement of level.split(';')) {
    const name = DECLARATION.exec(statement)?.[1];
    if (name !== undefined) names.push(name);
  }
  return names;
}

export function withoutComments(code: string): string {
  return code.replace(/\/\*[\s\S]*?\*\//g, ' ').replace(/\/\/[^\n]*/g, '');
}
