import { expect, it } from 'vitest';
import { unity } from '../../../test/import/unity-yaml.ts';
import { ManipleError } from '../../errors.ts';
import { importUnityClip } from './clip.ts';
import { importUnityController } from './controller.ts';
import { importUnityMask } from './mask.ts';
import { importUnityOverride } from './override.ts';

const READERS = [importUnityController, importUnityClip, importUnityMask, importUnityOverride];

const text = unity.text(unity.controller([{ name: 'Base' }]), unity.clip({ curves: {} }));
const conflict = (...lines: string[]) => `${text.slice(0, text.indexOf('m_Animator') - 2)}${lines.join('\n')}\n${text}`;
const lineOf = (source: string, marker: string) => source.split('\n').findIndex((line) => line.startsWith(marker)) + 1;

const whole = conflict('<<<<<<< HEAD', '  a: 1', '=======', '  a: 2', '>>>>>>> other');
const half = conflict('  a: 1', '>>>>>>> other').replaceAll('\n', '\r\n');
const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 71234\n`;

it.each([
  ['binary files', '\0\0\u000f\u0014\0\0\0\u00118.2.1f1\0', '', /binary/, /Project Settings > Editor .* Force Text/],
  ['binary bundles', 'UnityFS\0\0\0\0\u00065.x.x\0', '', /binary/, /Force Text/],
  ['Git LFS pointers', pointer, 'line 1', /Git LFS pointer/, /`git lfs pull`/],
  ['conflicts in Git LFS pointers', `<<<<<<< HEAD\n${pointer}`, 'line 1', /merge conflict/, /Resolve/],
  ['merge conflicts', whole, `line ${lineOf(whole, '<')}`, /merge conflict.*<{7}/, /Resolve/],
  ['half resolved conflicts', half, `line ${lineOf(half, '>')}`, /merge conflict.*>{7}/, /Resolve/],
])('%s are refused as such by every reader', (_, source, place, message, suggestion) => {
  for (const read of READERS) {
    const thrown = (() => {
      try {
        return read(source);
      } catch (caught) {
        return caught;
      }
    })();
    expect(thrown).toBeInstanceOf(ManipleError);
    expect((thrown as ManipleError).issues).toEqual([
      {
        code: 'UNITY_INVALID',
        severity: 'error',
        path: place,
        message: expect.stringMatching(message),
        suggestion: expect.stringMatching(suggestion),
      },
    ]);
  }
});

it('names that look like markers are names', () => {
  const made = text.replace('m_Name: Made', `m_Name: "<<<<<<< a\n    ======="`);
  expect(importUnityController(made).controller.name).toBe('<<<<<<< a =======');
});
