import type { Object3D, WebGPURenderer } from 'three/webgpu';
import type { Plan } from './plan.ts';
import type { Soldier } from './soldier.ts';

/** One way of showing a crowd in three.js. */
export interface Subject {
  /** What goes into the scene. */
  readonly object: Object3D;
  /** All that a frame takes ahead of `renderer.render`. */
  step(dt: number): void;
  /** GPU milliseconds of passes that are not three's, of the last frame; default: there are none. */
  readonly ownPasses?: () => number;
  /** Bytes of GPU memory that three.js does not count; default: there are none. */
  readonly ownBytes?: () => number;
  dispose(): void;
}

export interface SubjectContext {
  readonly renderer: WebGPURenderer;
  readonly device: GPUDevice;
  readonly soldier: Soldier;
  readonly plan: Plan;
}

/** @throws DoesNotFit */
export type MakeSubject = (context: SubjectContext) => Subject | Promise<Subject>;

/** Why a subject cannot show so many characters on this device. */
export class DoesNotFit extends Error {}

/** @throws DoesNotFit where shaders cannot be given a buffer of so many bytes */
export function checkStorage(device: GPUDevice, what: string, bytes: number): void {
  const { maxStorageBufferBindingSize, maxBufferSize } = device.limits;
  const limit = Math.min(maxStorageBufferBindingSize, maxBufferSize);
  const mib = (size: number) => `${Math.round(size / 2 ** 20)} MiB`;
  if (bytes > limit) throw new DoesNotFit(`${what}: ${mib(bytes)}, and the device binds ${mib(limit)}`);
}
