import type { Object3D, WebGPURenderer } from 'three/webgpu';
import type { Plan } from './plan.ts';
import type { Soldier } from './soldier.ts';

/** One way of showing a crowd in three.js. */
export interface Subject {
  /** Object for the scene. */
  readonly object: Object3D;
  /** Does all work of a frame before `renderer.render`. */
  step(dt: number): void;
  /** GPU milliseconds of the last frame's passes that are not three's; undefined without such passes. */
  readonly ownPasses?: () => number;
  /** Bytes of GPU memory that three.js does not count; undefined without such memory. */
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

/** Error of a subject that cannot show this count of characters on the device. */
export class DoesNotFit extends Error {}

/** @throws DoesNotFit if shaders cannot bind a buffer of `bytes` bytes */
export function checkStorage(device: GPUDevice, what: string, bytes: number): void {
  const { maxStorageBufferBindingSize, maxBufferSize } = device.limits;
  const limit = Math.min(maxStorageBufferBindingSize, maxBufferSize);
  const mib = (size: number) => `${Math.round(size / 2 ** 20)} MiB`;
  if (bytes > limit) throw new DoesNotFit(`${what}: ${mib(bytes)}, and the device binds ${mib(limit)}`);
}
