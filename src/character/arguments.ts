import { fail, quoted } from '../errors.ts';
import type { CharacterModel, ClipModel } from './model.ts';

// Checks of arguments at the call, for callers without types: JavaScript passes anything.

/** Refuses an argument; a promise with the hint to await it. @throws ManipleError CROWD_BAD_ARGUMENT */
export function refuseArgument(name: string, value: unknown, expected: string, suggestion?: string): never {
  const isPromise = typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
  const message = `Got ${isPromise ? 'a promise' : quoted(value)} for ${name}; expected ${expected}.`;
  return fail('CROWD_BAD_ARGUMENT', name, message, isPromise ? 'Await it.' : suggestion);
}

/** @throws ManipleError CROWD_BAD_ARGUMENT */
export function expectText(name: string, value: unknown): void {
  const suggestion = 'Decode the bytes of a file: new TextDecoder().decode(bytes).';
  if (typeof value !== 'string') refuseArgument(name, value, 'text', suggestion);
}

/** @throws ManipleError CROWD_BAD_ARGUMENT */
export function expectBytes(name: string, value: unknown): void {
  if (ArrayBuffer.isView(value) && Object.prototype.toString.call(value) === '[object Uint8Array]') return;
  refuseArgument(name, value, 'a Uint8Array', 'Use new Uint8Array(await file.arrayBuffer()), or loadModel(address).');
}

/** @throws ManipleError CROWD_BAD_ARGUMENT */
export function expectOptions(value: unknown): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    refuseArgument('options', value, 'an object', 'Leave it out, or name options: { … }.');
}

/** @throws ManipleError CROWD_BAD_ARGUMENT */
export function expectModel(model: CharacterModel): void {
  const { joints, meshes, clips, morphSets } = ((model as unknown) ?? {}) as Partial<CharacterModel>;
  if ([joints, meshes, clips, morphSets].every(Array.isArray)) return;
  const suggestion = 'Use what loadModel or importGltf return; characterFromGltf takes what GLTFLoader has loaded.';
  refuseArgument('model', model, 'a model', suggestion);
}

/** @throws ManipleError CROWD_BAD_ARGUMENT */
export function expectClip(clip: ClipModel): void {
  if (Array.isArray((clip as ClipModel | undefined)?.tracks)) return;
  refuseArgument('clip', clip, 'a clip', 'Use one of a model’s `clips`.');
}

/** @throws ManipleError CROWD_BAD_ARGUMENT */
export function expectJoints(model: Pick<CharacterModel, 'joints'>): void {
  if (Array.isArray((model as CharacterModel | undefined)?.joints)) return;
  refuseArgument('model', model, 'a model', 'Use what loadModel or importGltf return.');
}
