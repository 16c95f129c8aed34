import { fail, ManipleError, quoted } from '../errors.ts';
import type { VertexProvider } from './providers.ts';

/**
 * Has the device compile the providers, all together, so that mistakes come as coded errors with the compiler's words and
 * the place in the provider's own text. Pipelines that are made without this check fail silently, as WebGPU's do.
 *
 * @throws ManipleError PROVIDER_INVALID, with everything that was found
 */
export async function checkProviders(device: GPUDevice, providers: readonly VertexProvider[]): Promise<void> {
  if (typeof device?.createShaderModule !== 'function') {
    fail('CROWD_BAD_ARGUMENT', 'device', `Got ${quoted(device)} for device; expected a GPUDevice.`);
  }
  if (!Array.isArray(providers)) {
    fail('CROWD_BAD_ARGUMENT', 'providers', `Got ${quoted(providers)} for providers; expected a list.`);
  }
  const { findIssues } = await import('./find-issues.ts');
  const issues = await findIssues(device, providers);
  if (issues.length > 0) throw new ManipleError(issues);
}
