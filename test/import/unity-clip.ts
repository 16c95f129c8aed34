import { expect } from 'vitest';
import {
  importUnityClip,
  type UnityClip,
  type UnityClipOptions,
  type UnityTrack,
} from '../../src/import/unity/clip.ts';
import { type ClipText, unity } from './unity-yaml.ts';

/** Imports the clip of a made file. */
export function readClip(clip: ClipText, options?: UnityClipOptions): UnityClip {
  return importUnityClip(unity.text(unity.clip(clip)), options);
}

/** Code and path of what is said of a clip. */
export const codesOf = ({ issues }: Pick<UnityClip, 'issues'>): string[] =>
  issues.map(({ code, path }) => `${code} ${path}`);

/** The track of a clip that has but one. */
export function onlyTrack({ tracks }: UnityClip): UnityTrack {
  expect(tracks).toHaveLength(1);
  return tracks[0]!;
}

/** A second in steps of 5 ms. */
export const MOMENTS: readonly number[] = Array.from({ length: 201 }, (_, i) => i / 200);

export function expectClose(actual: readonly number[], expected: readonly number[], tolerance: number): void {
  const miss = Math.max(...expected.map((value, i) => Math.abs(value - actual[i]!)));
  if (!(miss <= tolerance)) expect.fail(`${actual.join(', ')} is ${miss} from ${expected.join(', ')}`);
}
