// No command replaces what it reads, and names of files cannot play with the terminal.
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { visible } from '../../src/cli/output.ts';
import { GltfBuilder } from '../import/build-gltf.ts';
import { editGlb, legionary, maniple, refusal, root } from './maniple.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const folder = temporaryFolder();
const file = (name: string) => path.join(folder, name);
/** Packing takes less time where it need not look for how little will do. */
const QUICKLY = ['--error-budget', '0'];

describe('a command refuses to replace its own source', () => {
  beforeAll(() => {
    for (const name of ['x.glb', 'x.json', 'clips.json', 'steps.json', '1.webm'])
      copyFileSync(path.join(root, legionary), file(name));
    symlinkSync(file('x.glb'), file('link.maniple'));
    mkdirSync(file('sub'));
    const triangle = new GltfBuilder();
    triangle.meshNode([triangle.triangle()]);
    const buffers = [{ byteLength: triangle.binary().length, uri: 'mesh.bin' }];
    writeFileSync(file('outside.gltf'), JSON.stringify({ ...triangle.json(), buffers }));
    writeFileSync(file('mesh.bin'), triangle.binary());
  });

  test.each([
    ['bake x.glb --out x.glb', 'x.glb'],
    ['bake x.glb --out sub/../x.glb', 'x.glb'],
    ['bake x.glb --out link.maniple', 'x.glb'],
    ['bake outside.gltf --out mesh.bin', 'mesh.bin'],
    ['convert x.json --out x.json', 'x.json'],
    ['convert x.json --clips clips.json --out clips.json', 'clips.json'],
    ['graph x.json --out x.json', 'x.json'],
    ['graph x.json --clips clips.json --out clips.json', 'clips.json'],
    ['pose x.glb --out x.glb', 'x.glb'],
    ['simulate x.json --script steps.json --out x.json', 'x.json'],
    ['simulate x.json --script steps.json --plot steps.json', 'steps.json'],
    ['simulate x.json --script steps.json --character x.glb --plot x.glb', 'x.glb'],
    ['simulate x.json --script steps.json --out new --plot new', 'x.json'],
    ['render x.glb --out x.glb', 'x.glb'],
    ['render x.glb --frames 2 --out a-%d.webm --video a-%d.webm', 'x.glb'],
    ['render x.glb --controller x.json --clips clips.json --out clips.json', 'clips.json'],
    ['encode %d.webm --out 1.webm', '1.webm'],
  ])('%s', async (line, source) => {
    const before = readFileSync(file(source));
    const quickly = line.startsWith('bake') ? QUICKLY : [];
    const [first] = await refusal([...line.split(' '), ...quickly], { code: 2, cwd: folder });
    expect(first).toMatchObject({
      code: 'USAGE',
      suggestion: expect.stringMatching(/^Name (another file|two files)\./),
    });
    expect(readFileSync(file(source)).equals(before)).toBe(true);
  });

  test('once it runs again, reads what it wrote, and writes that again', async () => {
    for (const args of [
      ['--out', file('new.maniple')],
      ['--out', file('new.maniple')],
    ]) {
      expect(await maniple(['bake', legionary, ...QUICKLY, ...args])).toMatchObject({ code: 0 });
      expect(await maniple(['inspect', file('new.maniple')])).toMatchObject({ code: 0 });
    }
  });
});

describe('names from files', () => {
  const NASTY = 'a\u001b[2J\u001b]0;x\u0007\rb\u009b31m\u202ec\u2066\u200f\u061c\nd\u007f\u2028';
  // eslint-disable-next-line no-control-regex
  const OBEYED = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;

  test('are shown with escapes, and other text as it is', () => {
    expect(visible('\u001b[31m\n\u009b\u202e')).toBe('\\u001b[31m\\n\\u009b\\u202e');
    expect(visible('Läufer 走る → 🏃 "x"')).toBe('Läufer 走る → 🏃 "x"');
  });

  test('reach the terminal escaped: of clips, joints, files, in answers and in errors', async () => {
    const nasty = file('nasty\u001b[2J\u202e.glb');
    const glb = readFileSync(path.join(root, legionary));
    writeFileSync(
      nasty,
      editGlb(glb, (json) => {
        json.nodes.forEach((node) => (node.name = `${NASTY}${node.name}`));
        json.animations.forEach((animation, i) => (animation.name = `${NASTY}${i}`));
      }),
    );
    const runs = [
      ['inspect', nasty, ...QUICKLY],
      ['pose', nasty, '--clip', `none${NASTY}`, '--backend', 'cpu'],
      ['bake', nasty, '--out', `${nasty}.maniple`, ...QUICKLY],
      ['inspect', `${nasty}.none`],
      ['render', '--count', NASTY],
    ];
    for (const args of runs) {
      const { stdout, stderr } = await maniple(args);
      expect(`${stdout}${stderr}`, args[0]).toContain('\\u001b[2J');
      expect(`${stdout}${stderr}`, args[0]).not.toMatch(OBEYED);
    }
    const { stdout } = await maniple(['inspect', nasty, ...QUICKLY]);
    expect(stdout).not.toMatch(/^d/m); // a name begins no line
    const json = await maniple(['inspect', nasty, ...QUICKLY, '--json']);
    expect((JSON.parse(json.stdout) as { clips: { name: string }[] }).clips[0]!.name).toBe(`${NASTY}0`);
  });
});
