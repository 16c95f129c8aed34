import { fail, quoted } from '../errors.ts';
import type { CharacterModel, ClipModel } from './model.ts';

// Checks of arguments at the call, for callers without types: JavaScript passes anything.

/** @throws ManipleError CROWD_BAD_ARGUMENT */
export function refuseArgument(name: string, value: unknown, expected: string, suggestion?: string): never {
  return fail('CROWD_BAD_ARGUMENT', name, `Got ${quoted(value)} for ${name}; expected ${expected}.`, suggestion);
}

/** @throws ManipleError CROWD_BAD_ARGUMENT */
export function expectText(name: string, value: unknown): void {
  if (typeof value !== 'string') refuseArgument(name, value, 'text', 'Decode bytes: new TextDecoder().decode(bytes).');
}

/** @throws ManipleError CROWD_BAD_ARGUMENT */
export function expectBytes(name: string, value: unknown): void {
  if (ArrayBuffer.isView(value) && Object.prototype.toString.call(value) === '[object Uint8Array]') return;
  refuseArgument(
    name,
    value,
    'a Uint8Array',
    'Await a promise; wrap a buffer: new Uint8Array(buffer). loadModel takes addresses.',
  );
}

/** @throws ManipleError CROWD_BAD_ARGUMENT */
export function expectOptions(value: unknown): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    refuseArgument('options', value, 'an object');
}

/** @param fields Lists that it must have. @throws ManipleError CROWD_BAD_ARGUMENT */
export function expectModel(
  model: Partial<CharacterModel>,
  fields: readonly (keyof CharacterModel)[] = ['joints', 'meshes', 'clips', 'morphSets'],
): void {
  if (fields.every((field) => Array.isArray((model as Partial<CharacterModel> | undefined)?.[field]))) return;
  const suggestion = 'Use what loadModel or importGltf return; characterFromGltf takes what GLTFLoader has loaded.';
  refuseArgument('model', model, 'a model', suggestion);
}

/** @throws ManipleError CROWD_BAD_ARGUMENT */
export function expectClip(clip: ClipModel): void {
  if (Array.isArray((clip as ClipModel | undefined)?.tracks)) return;
  refuseArgument('clip', clip, 'a clip');
}
