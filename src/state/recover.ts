import { expectObject, refuseArgument } from '../crowd/arguments.ts';
import type { Crowd } from '../crowd/crowd.ts';
import { expectCrowd, internalsOf } from '../crowd/internals.ts';
import type { CrowdBudget } from '../crowd/options.ts';
import { lostIssue } from '../device/device-loss.ts';
import { ManipleError } from '../errors.ts';
import { rebuildCrowd, type RebuildOptions, type RebuiltCrowd } from './auto-snapshot.ts';

/** Options for a crowd that has lost its device. */
export interface RecoverOptions extends Omit<RebuildOptions, 'budget'> {
  /** Requests another device: `async () => (await requestDevice()).device`. Called once for each attempt. */
  readonly requestDevice: () => Promise<GPUDevice>;
}

/** A crowd that was rebuilt, and its new device. */
export interface RecoveredCrowd extends RebuiltCrowd {
  readonly device: GPUDevice;
  /** Its budget: that of the lost crowd, or fewer bytes. */
  readonly budget: CrowdBudget | undefined;
}

/** Attempts of one call. */
const ATTEMPTS = 5;
/** Milliseconds after a recovery in which another loss counts as a lack of memory. */
const UNSETTLED_MS = 60_000;

/** When crowds were recovered. */
const recoveries = new WeakMap<Crowd, number>();

/**
 * Rebuilds a crowd on another device after its own was lost: see `rebuildCrowd`. WebGPU does not say why a device is lost. A loss
 * within a minute of a recovery, a device that is lost meanwhile, and buffers that a device has no memory for count as a lack of
 * memory. Then the crowd gets a budget with half the bytes for poses and slots (`CrowdOptions.budget`), four times in one call.
 * Draws skin, far characters share poses, or fewer characters have slots. All of them live on.
 *
 * @throws ManipleError CROWD_FULL (the bytes hold no character), DEVICE_LOST (five devices were lost), and as `rebuildCrowd`
 *   and `requestDevice`. The lost crowd can be recovered again then.
 * @example
 *   void device.lost.then(async () => {
 *     ({ crowd, device } = await recoverCrowd(crowd, { requestDevice: async () => (await requestDevice()).device }));
 *   });
 */
export async function recoverCrowd(lost: Crowd, options: RecoverOptions): Promise<RecoveredCrowd> {
  expectCrowd(lost);
  expectObject('options', options);
  const { requestDevice, ...rebuild } = options;
  if (typeof requestDevice !== 'function') refuseArgument('requestDevice', requestDevice, 'a function');
  let crowd = lost;
  const { budget: given } = internalsOf(lost).options();
  let budget = given;
  const isUnsettled = performance.now() - (recoveries.get(lost) ?? -Infinity) < UNSETTLED_MS;
  if (isUnsettled) budget = await halved(crowd, budget);
  for (let attempt = 1; ; attempt++) {
    const device = await requestDevice();
    device.pushErrorScope('out-of-memory');
    let failed: unknown;
    const rebuilt = await rebuildCrowd(crowd, device, { ...rebuild, ...(budget && { budget }) }).catch(
      (thrown: unknown) => void (failed = thrown),
    );
    const isFull = (await device.popErrorScope().catch(() => null)) !== null;
    const loss = await Promise.race([device.lost, Promise.resolve(undefined)]);
    if (rebuilt && !isFull && !loss) {
      recoveries.set(rebuilt.crowd, performance.now());
      return { ...rebuilt, device, budget };
    }
    if (rebuilt) ({ crowd } = rebuilt);
    if (failed && !loss && !isFull) throw failed as Error;
    if (attempt === ATTEMPTS) throw failed instanceof ManipleError ? failed : exhausted(loss);
    budget = await halved(crowd, budget);
  }
}

/** A budget that keeps tables and columns, and half of what else a crowd may take. */
async function halved(crowd: Crowd, budget: CrowdBudget | undefined): Promise<CrowdBudget> {
  const { layoutBytes } = await import('../frame/tables/memory.ts');
  const { shape } = internalsOf(crowd).host;
  const { fixed, pose, finest } = layoutBytes(shape);
  const most = Math.min(fixed + shape.capacity * (pose + finest), budget?.bytes ?? Infinity);
  return { ...budget, bytes: Math.floor((fixed + most) / 2) };
}

function exhausted(loss: GPUDeviceLostInfo | undefined): ManipleError {
  const message = `${ATTEMPTS} devices had too little memory`;
  return new ManipleError(lostIssue(loss ?? ({ reason: 'unknown', message } as GPUDeviceLostInfo)));
}
