import { fail, quoted } from '../errors.ts';

// Checks of arguments at the call, for callers without types: JavaScript passes anything.

/** @throws ManipleError CROWD_BAD_ARGUMENT */
export function refuseArgument(name: string, value: unknown, expected: string, suggestion?: string): never {
  return fail('CROWD_BAD_ARGUMENT', name, `Got ${quoted(value)} for ${name}; expected ${expected}.`, suggestion);
}

/** An object of options; neither a list nor a number. @throws ManipleError CROWD_BAD_ARGUMENT */
export function expectObject(name: string, value: unknown, suggestion?: string): void {
  if (typeof value !== 'object' || value === null || isList(value))
    refuseArgument(name, value, 'an object', suggestion);
}

/** @throws ManipleError CROWD_BAD_ARGUMENT */
export function expectFunction(name: string, value: unknown): void {
  if (typeof value !== 'function') refuseArgument(name, value, 'a function');
}

/** @throws ManipleError CROWD_BAD_ARGUMENT */
export function expectFlag(name: string, value: unknown): void {
  if (typeof value !== 'boolean') refuseArgument(name, value, 'true or false');
}

export function isCrowd(value: unknown): boolean {
  return typeof (value as { checkAlive?: unknown } | null | undefined)?.checkAlive === 'function';
}

/** @throws ManipleError CROWD_BAD_ARGUMENT */
export function expectCrowd(value: unknown): void {
  if (!isCrowd(value))
    refuseArgument('crowd', value, 'a crowd, as createCrowd makes them; of a ManipleCrowd its `core`');
}

/** @throws ManipleError CROWD_BAD_ARGUMENT */
export function expectDevice(value: unknown): void {
  const isDevice = typeof (value as { createBuffer?: unknown } | null | undefined)?.createBuffer === 'function';
  if (!isDevice) refuseArgument('device', value, 'a GPUDevice, as requestDevice has one');
}

/** Checks the encoder and the view of a renderer. @throws ManipleError CROWD_BAD_ARGUMENT */
export function expectDrawing(encoder: unknown, view: unknown): void {
  const isEncoder =
    typeof (encoder as { beginRenderPass?: unknown } | null | undefined)?.beginRenderPass === 'function';
  if (!isEncoder) refuseArgument('encoder', encoder, 'a GPUCommandEncoder');
  expectObject('view', view);
}

/** An index of a list, from 0 on; indices beyond its end are ignored. @throws ManipleError CROWD_BAD_ARGUMENT */
export function expectPlace(name: string, value: unknown): void {
  if (!(typeof value === 'number' && value >= 0)) refuseArgument(name, value, 'a number of 0 or more');
}

/** Any array, of numbers or of whatever. @throws ManipleError CROWD_BAD_ARGUMENT */
export function expectList(name: string, value: unknown): void {
  if (!isList(value)) refuseArgument(name, value, 'a list');
}

/** A list of `count` numbers that 32-bit floats hold. @throws ManipleError CROWD_BAD_ARGUMENT */
export function expectFloats(name: string, value: unknown, count: number): readonly number[] {
  const list = isList(value) ? Array.from(value) : [];
  if (list.length === count && list.every(isFloat)) return list;
  return refuseArgument(name, value, `${count} numbers that 32-bit floats hold`);
}

/** A list of `count` finite numbers, in double precision. @throws ManipleError CROWD_BAD_ARGUMENT */
export function expectNumbers(name: string, value: unknown, count: number): readonly number[] {
  const list = isList(value) ? Array.from(value) : [];
  if (list.length === count && list.every(Number.isFinite)) return list as number[];
  return refuseArgument(name, value, `${count} finite numbers`);
}

function isList(value: unknown): value is ArrayLike<unknown> {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && 'length' in value);
}

/** Returns true for a number that is finite in single precision, as kernels need it: 1e39 is not. */
export function isFloat(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(Math.fround(value));
}
