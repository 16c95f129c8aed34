import type { Crowd } from '../crowd/crowd.ts';
import { internalsOf } from '../crowd/internals.ts';
import { deviceTier } from '../device/tier.ts';
import { fail, quoted } from '../errors.ts';

// Checks that renderers share.

/** @throws ManipleError RENDER_FAILED where the crowd has no GPU memory */
export function checkMemory(crowd: Crowd): void {
  if (internalsOf(crowd).host.backend.memory) return;
  const suggestion = "Create it with a device; one on the CPU takes a device as well: { backend: 'cpu' }.";
  fail('RENDER_FAILED', 'crowd', 'The crowd has no device to draw from.', suggestion);
}

/** @throws ManipleError RENDER_FAILED where draws skin a type, so that it leaves no vertices */
export function checkVertices(crowd: Crowd, suggestion: string): void {
  const skinned = internalsOf(crowd).host.tables.types.find(({ skin }) => skin === 'vertex');
  if (!skinned) return;
  const message = `${quoted(skinned.character.name)} is skinned where it is drawn, and leaves no vertices.`;
  fail('RENDER_FAILED', 'crowd', message, suggestion);
}

/** @throws ManipleError RENDER_FAILED */
export function checkWhole(name: string, value: number, low: number, high: number): void {
  if (Number.isInteger(value) && value >= low && value <= high) return;
  fail('RENDER_FAILED', name, `is ${value}.`, `Give a whole number from ${low} to ${high}.`);
}

/** @throws ManipleError CROWD_BAD_ARGUMENT, DEVICE_LIMIT */
export function checkImpostors(device: GPUDevice, changesSurfaces: boolean): void {
  if (changesSurfaces) {
    const message = 'Tiles cannot hold what an application changes per character.';
    fail('CROWD_BAD_ARGUMENT', 'impostors', message, 'Leave out impostors or surface.');
  }
  if (deviceTier(device) === 'core') return;
  const message = "Impostors need WebGPU's core level; this device has the compatibility level.";
  const suggestion = 'Leave out impostors. Coarse levels of detail and shared poses work there.';
  fail('DEVICE_LIMIT', 'impostors', message, suggestion);
}

/** For a crowd that types were added to. @throws ManipleError RENDER_FAILED */
export function failUnknownTypes(): never {
  return fail('RENDER_FAILED', 'crowd', 'The crowd has types that this renderer lacks.', 'Create a new renderer.');
}
