import { fail, ManipleError } from '../errors.ts';

/** Frames that are submitted and still run, and callers of `workDone` that wait for them. */
export class RunningFrames {
  readonly #running = new Set<Promise<void>>();
  #waiting = 0;

  /** Lets `done` wait for a frame. */
  add(frame: Promise<void>): void {
    this.#running.add(frame);
    const end = () => void this.#running.delete(frame);
    frame.then(end, end);
  }

  /** Adds a frame, of which the caller does not have the promise. Unless `done` is being awaited, its errors are unhandled rejections. */
  report(frame: Promise<void>): void {
    this.add(frame);
    frame.catch((thrown: unknown) => {
      const isLost = thrown instanceof ManipleError && thrown.code === 'DEVICE_LOST';
      if (this.#waiting === 0 && !isLost) throw thrown;
    });
  }

  /** Resolves when all frames have run. @throws what a frame rejects with */
  async done(): Promise<void> {
    this.#waiting++;
    const frames = [...this.#running];
    await Promise.allSettled(frames);
    this.#waiting--;
    await Promise.all(frames);
  }
}

/**
 * A frame that WebGPU may have refused.
 * @param refused Resolves with the refusal.
 * @throws ManipleError PROVIDER_RESOURCE
 */
export async function unrefused(ran: Promise<void>, refused: Promise<GPUError | null>): Promise<void> {
  await ran;
  const refusal = await refused;
  if (!refusal) return;
  const suggestion = 'Bind buffers and textures that live, with setProviderResources.';
  fail('PROVIDER_RESOURCE', 'update', `WebGPU refused the frame: ${refusal.message}`, suggestion);
}
