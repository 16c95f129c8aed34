import { describe, expect, test } from 'vitest';
import { reExported } from './package-code.ts';

describe('reExported', () => {
  test('writes a file that only passes on as one re-export for each file', () => {
    const built = 'import{a as b,c}from"./one.js";import"./two.js";\nimport{\nd}from"./three.js";export{b,c as e,d};\n';
    expect(reExported(built)).toBe("export { a as b, c as e } from './one.js';\nexport { d } from './three.js';\n");
  });

  test.each(['import{a}from"./one.js";var b=a;export{b};', 'var a=1;export{a};', 'import"./one.js";', 'export{a};'])(
    'leaves %s as it is',
    (text) => expect(reExported(text)).toBe(text),
  );
});
