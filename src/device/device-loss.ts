import { error, ManipleError, type Issue, reasonOf } from '../errors.ts';

/** A loss as an issue; its severity is `'info'` when the application destroyed the device itself. */
export function lostIssue({ reason, message }: GPUDeviceLostInfo): Issue {
  const detail = message ? `: ${reasonOf(message)}.` : '.';
  if (reason === 'destroyed') {
    return { ...error('DEVICE_LOST', 'device', `The device was destroyed${detail}`), severity: 'info' };
  }
  const suggestion = 'Request a new device and rebuild; a repeated loss is most often a driver that ran out of memory.';
  return error('DEVICE_LOST', 'device', `The device was lost${detail}`, suggestion);
}

/** Maximum milliseconds from a rejected mapping to the report that the device is lost. */
const NEWS_MS = 100;

/**
 * Maps a buffer for reading or writing.
 *
 * @returns false if the buffer was destroyed meanwhile
 * @throws ManipleError DEVICE_LOST
 */
export async function mapBuffer(device: GPUDevice, buffer: GPUBuffer, mode: GPUMapModeFlags): Promise<boolean> {
  try {
    await buffer.mapAsync(mode);
    return true;
  } catch (thrown) {
    const lost = await Promise.race([device.lost, new Promise<void>((resolve) => setTimeout(resolve, NEWS_MS))]);
    if (lost) throw new ManipleError(lostIssue(lost));
    if ((thrown as Error).name === 'AbortError') return false;
    throw thrown;
  }
}
