// Documents name files, identifiers and numbers of the code: each has to be there.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { BATCH_VERTICES, PART_LIMIT, PROVIDER_LIMIT } from '../src/character/format/geometry-layout.ts';
import { JOINT_LIMIT, MORPH_LIMIT } from '../src/character/format/rig-layout.ts';
import { MachineState } from '../src/controller/eval/layout.ts';
import { VERTEX_ROW_BYTES } from '../src/stages/layout.ts';
import { BIN_LIMIT, CLASS_LIMIT, Decision, LEVEL_LIMIT, VIEW_LIMIT } from '../src/stages/cull-characters/layout.ts';
import { MAX_INFLUENCES, MAX_JOINTS } from '../src/import/model-builder/limits.ts';
import { GROUP_THREADS } from '../src/stages/kernel-choice.ts';
import { DIMENSION_LIMIT } from '../src/stages/kernel.ts';
import { Resident, SlotState, Transform, VisibleCharacter } from '../src/stages/layout.ts';
import { SHADE_GROUP } from '../src/render/visibility/shade-pixels/layout.ts';
import { TRIANGLE_BATCH } from '../src/render/visibility/triangles.ts';
import { trackedFiles } from './support/tracked-files.ts';

const root = path.resolve(import.meta.dirname, '..');
const files = trackedFiles();
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
/** These name what is gone. */
const PAST = new Set(['CHANGELOG.md', 'docs/migrating.md']);
const documents = files.filter((file) => file.endsWith('.md') && !PAST.has(file));

/** Code within sentences; fenced blocks are compiled by docs-code.test.ts. */
const codeOf = (markdown: string): string[] =>
  Array.from(markdown.replace(/^(```|~~~)[^]*?^\1/gm, '').matchAll(/`([^`\n]+)`/g), ([, code]) => code!);

/** Names of files in code; patterns, as `.gen.ts` and `…-reference.ts`, are none. */
const filesIn = (code: string): string[] =>
  code.match(/(?<![\w./…*-])(?:\.{1,2}\/)*\w[\w./-]*\.(?:tsx?|wesl)(?!\w)/g) ?? [];

describe('files in documents', () => {
  test('are found', () => {
    expect(filesIn('src/a.ts, b-c.wesl and …-reference.ts, ../d.gen.ts')).toEqual([
      'src/a.ts',
      'b-c.wesl',
      '../d.gen.ts',
    ]);
    expect(filesIn('*.gen.ts, .test.ts, */layout.ts, a.tsv, b.json')).toEqual([]);
  });

  test.each(documents)('%s', (document) => {
    const isThere = (name: string) => {
      const beside = path.normalize(path.join(path.dirname(document), name));
      return files.some((file) => file === beside || file === name || file.endsWith(`/${name}`));
    };
    expect(
      codeOf(read(document))
        .flatMap(filesIn)
        .filter((name) => !isThere(name)),
    ).toEqual([]);
  });
});

/** Words in code of documents that are not ours: of other projects, and stand-ins for any name. */
const FOREIGN = new Set(
  [
    'bFromA verb nouns verb_nouns createVerbNouns StageScene MANIPLE_SHARED MANIPLE_REQUIRE MANIPLE_PROSE', // CONTRIBUTING
    'isolatedDeclarations Prune Permissive napi webcodecs mediabunny mangleProps tgz xargs', // other tools
    'effort _FOO windCharacterRow windState', // examples
    'tm_component_shader_system_i', // The Machinery
    'crossFadeTo', // three.js
    'SetFloat SetBool SetInteger SetTrigger ResetTrigger CrossFade CrossFadeInFixedTime SetLayerWeight SetLookAtPosition', // Unity
    'HumanPoseHandler GetHumanPose humanScale TDOF', // Unity
    'GetCurrentAnimatorStateInfo applyRootMotion cullingMode StateMachineBehaviour', // Unity
    'MSFT_screencoverage', // glTF
  ].flatMap((line) => line.split(' ')),
);

describe('identifiers in documents', () => {
  const code = files.filter(
    (file) => /\.(tsx?|wesl|m?js|json|css|html)$/.test(file) && !/^test\/|\.test\.|\.gen\.|package-lock/.test(file),
  );
  const words = new Set(code.flatMap((file) => read(file).match(/[A-Za-z_$][\w$]*/g) ?? []));
  // files are looked for above
  const withoutFiles = (text: string) => filesIn(text).reduce((rest, name) => rest.replaceAll(name, ''), text);
  const unknown = (document: string) =>
    codeOf(read(document))
      .flatMap((each) => withoutFiles(each).match(/[A-Za-z_$][\w$]{2,}/g) ?? [])
      .filter((word) => !words.has(word));

  test.each(documents)('%s', (document) => {
    expect([...new Set(unknown(document))].filter((word) => !FOREIGN.has(word))).toEqual([]);
  });

  test('are excused only where some document needs it', () => {
    const needed = new Set(documents.flatMap(unknown));
    expect([...FOREIGN].filter((word) => !needed.has(word))).toEqual([]);
  });
});

/** The first number that a source gives a name. */
function numberIn(file: string, name: string): string {
  return new RegExp(`const ${name}(?:: \\w+)? = ([\\d.]+)`).exec(read(file))![1]!;
}

const number = (value: number) => value.toLocaleString('en');
const CULL = 'src/stages/cull-characters/README.md';

test.each([
  ['docs/architecture.md', `_Batches_ of up to ${BATCH_VERTICES} vertices`],
  ['docs/architecture.md', `A machine is ${MachineState.size} bytes`],
  ['docs/architecture.md', `a position in ${VERTEX_ROW_BYTES} bytes`],
  ['src/stages/README.md', `at most ${number(DIMENSION_LIMIT)}`],
  [CULL, `${VIEW_LIMIT} views; ${LEVEL_LIMIT} levels of a type`],
  [CULL, `${CLASS_LIMIT} size classes; ${number(BIN_LIMIT)} bins`],
  [CULL, `${GROUP_THREADS} threads to a workgroup`],
  [CULL, `only from ${numberIn('src/stages/cull-characters/decide-characters.wesl', 'HYSTERESIS')} of its \`size\``],
  [
    CULL,
    `${Resident.size + 2 * Transform.size + SlotState.size + Decision.size + VisibleCharacter.size} bytes of GPU memory a character`,
  ],
  ['src/stages/pose-joints/README.md', `${number(JOINT_LIMIT)} joints and ${number(MORPH_LIMIT)} morph weights`],
  ['src/stages/skin-vertices/README.md', `${PART_LIMIT} parts; ${PROVIDER_LIMIT} providers`],
  ['src/stages/skin-vertices/README.md', `three 19-bit integers and their exponent | ${VERTEX_ROW_BYTES}`],
  ['src/render/visibility/filter-triangles/README.md', `_batches_ of ${TRIANGLE_BATCH}`],
  ['src/render/visibility/shade-pixels/README.md', `in squares of ${SHADE_GROUP} × ${SHADE_GROUP}`],
  ['src/import/README.md', `more than ${number(MAX_JOINTS)} joints`],
  ['src/import/README.md', `merged, sorted, at most ${MAX_INFLUENCES}`],
])('%s: %s', (document, phrase) => {
  expect(read(document).replace(/\s+/g, ' ')).toContain(phrase);
});
