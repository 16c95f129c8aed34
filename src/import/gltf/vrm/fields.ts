import type { Vec3 } from '../../../character/model.ts';
import { isObject } from '../../../forms/rules.ts';
import { isUsable } from '../../model-builder/limits.ts';

/** Fields of VRM's objects, read leniently: none of them moves a vertex. */
export type Fields = Readonly<Record<string, unknown>>;

/** An object; empty if it is something else. */
export function objectOf(value: unknown): Fields {
  return isObject(value) ? value : {};
}

/** A list; empty if it is something else. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function numberOf(value: unknown, fallback = 0): number {
  return typeof value === 'number' && isUsable(value) ? value : fallback;
}

/** A whole number from 0 to below `count`; undefined for anything else. */
export function indexOf(value: unknown, count: number): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) < count
    ? (value as number)
    : undefined;
}

/** Three numbers, as a list. */
export function vectorOf(value: unknown, fallback: Vec3 = [0, 0, 0]): Vec3 {
  const list = listOf(value);
  return [numberOf(list[0], fallback[0]), numberOf(list[1], fallback[1]), numberOf(list[2], fallback[2])];
}

/**
 * Three numbers of VRM 0.x: an object in Unity's left-handed axes, of which glTF's turn the third.
 * https://github.com/vrm-c/vrm-specification/tree/master/specification/0.0
 */
export function unityVectorOf(value: unknown, fallback: Vec3 = [0, 0, 0]): Vec3 {
  const { x, y, z } = objectOf(value);
  return [numberOf(x, fallback[0]), numberOf(y, fallback[1]), -numberOf(z, -fallback[2])];
}
