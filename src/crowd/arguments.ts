import { refuseArgument } from '../character/arguments.ts';
import { error, type Issue, listed, ManipleError, quoted } from '../errors.ts';

// Checks of arguments at the call, for callers without types: JavaScript passes anything.

export { refuseArgument };

/** An object of options; neither a list nor a number. @throws ManipleError CROWD_BAD_ARGUMENT */
export function expectObject(name: string, value: unknown, suggestion?: string): void {
  if (typeof value !== 'object' || value === null || isList(value))
    refuseArgument(name, value, 'an object', suggestion);
}

/** Every name of a type of options. The compiler compares both. */
export type Names<T> = Readonly<Record<keyof T, true>>;

/** Unknown names in an object of options: misspelt ones, and those of earlier versions. @param path Of the object, with a dot. */
export function nameIssues(options: object, names: Readonly<Record<string, unknown>>, path = ''): Issue[] {
  const unknown = Object.keys(options).filter((name) => !Object.hasOwn(names, name));
  return unknown.map((name) => {
    const pairs = (known: string) =>
      Array.from(name).filter((c, i) => i > 0 && known.includes(name[i - 1]! + c)).length;
    const nearest = Object.keys(names).sort((a, b) => pairs(b) - pairs(a));
    const suggestion = `Options: ${listed(nearest)}.`;
    return error('CROWD_BAD_ARGUMENT', path + name, `Unknown option ${quoted(name)}.`, suggestion);
  });
}

/** An object of options without unknown names. @throws ManipleError CROWD_BAD_ARGUMENT, with the nearest names */
export function expectOptions(
  name: string,
  value: object,
  names: Readonly<Record<string, unknown>>,
  suggestion?: string,
): void {
  expectObject(name, value, suggestion);
  const issues = nameIssues(value, names, name === 'options' ? '' : `${name}.`);
  if (issues.length > 0) throw new ManipleError(issues);
}

/** @throws ManipleError CROWD_BAD_ARGUMENT */
export function expectFunction(name: string, value: unknown): void {
  if (typeof value !== 'function') refuseArgument(name, value, 'a function');
}

/** @throws ManipleError CROWD_BAD_ARGUMENT */
export function expectFlag(name: string, value: unknown): void {
  if (typeof value !== 'boolean') refuseArgument(name, value, 'true or false');
}

/** @throws ManipleError CROWD_BAD_ARGUMENT */
export function expectDevice(value: unknown): void {
  const isDevice = typeof (value as { createBuffer?: unknown } | null | undefined)?.createBuffer === 'function';
  if (!isDevice) refuseArgument('device', value, 'a GPUDevice, as requestDevice has one');
}

/** Checks the encoder and the view of a renderer. @throws ManipleError CROWD_BAD_ARGUMENT */
export function expectDrawing(encoder: unknown, view: object, names: Readonly<Record<string, unknown>>): void {
  const isEncoder =
    typeof (encoder as { beginRenderPass?: unknown } | null | undefined)?.beginRenderPass === 'function';
  if (!isEncoder) refuseArgument('encoder', encoder, 'a GPUCommandEncoder');
  expectOptions('view', view, names);
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
