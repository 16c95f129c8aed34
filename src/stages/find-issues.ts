import { error, type Issue } from '../errors.ts';
import { createStageLayout } from './kernel.ts';
import { groupThreadsOf } from './kernel-choice.ts';
import type { Bindings } from '../layout/index.ts';
import { geometryBindings } from './layout.ts';
import { kernels as updateKernels } from './update-characters/kernel.gen.ts';
import { updateCharactersBindings } from './update-characters/layout.ts';
import { kernels } from './skin-vertices/kernel.gen.ts';
import { skinVerticesBindings } from './skin-vertices/layout.ts';
import { linkProviders, linkUpdates, type ProvidedKernel } from './link-providers.ts';
import { providerIssues } from './provider-issues.ts';
import { resourceLayoutOf, usedResources, type ProviderUse } from './provider-resources.ts';
import type { VertexProvider } from './providers.ts';
import { providerBindings, updateProviderBindings } from './provider-layout.ts';

/** Issues of providers: those in the list, otherwise those that the device's compiler finds. */
export async function findIssues(device: GPUDevice, providers: readonly VertexProvider[]): Promise<Issue[]> {
  const issues = providerIssues(providers);
  return issues.length > 0 ? issues : compilerIssues(device, providers);
}

interface Checked {
  readonly use: ProviderUse;
  readonly label: string;
  readonly entryPoint: string;
  readonly linked: ProvidedKernel;
  readonly groups: readonly Bindings[];
  readonly constants?: Readonly<Record<string, number>>;
}

async function compilerIssues(device: GPUDevice, providers: readonly VertexProvider[]): Promise<Issue[]> {
  const mask = 2 ** providers.length - 1;
  const vertex: Checked = {
    use: 'vertex',
    label: 'skin-vertices providers',
    entryPoint: 'skinVertices',
    linked: linkProviders(kernels.base, providers, mask),
    groups: [skinVerticesBindings, geometryBindings, providerBindings],
    // where workgroups are small, a thread has more vertices
    constants: { THREADS: groupThreadsOf(device.limits) },
  };
  const update: Checked = {
    use: 'update',
    label: 'update-characters',
    entryPoint: 'updateCharacters',
    linked: linkUpdates(updateKernels.base, providers),
    groups: [updateCharactersBindings, updateProviderBindings],
  };
  const checked = providers.some((provider) => provider.update) ? [vertex, update] : [vertex];
  return (await Promise.all(checked.map((kernel) => kernelIssues(device, providers, kernel)))).flat();
}

async function kernelIssues(
  device: GPUDevice,
  providers: readonly VertexProvider[],
  { use, label, entryPoint, linked, groups, constants = {} }: Checked,
): Promise<Issue[]> {
  device.pushErrorScope('validation');
  const module = device.createShaderModule({ label, code: linked.code });
  const used = usedResources(providers, 2 ** providers.length - 1, use);
  const { pipeline: layout } = createStageLayout(device, label, groups, resourceLayoutOf(device, label, used));
  const compiled = moduleIssues(module, linked).then(async (issues) =>
    issues.length > 0 ? issues : pipelineIssues(device, { layout, compute: { module, entryPoint, constants } }),
  );
  // scopes are a stack: this one has to close before another opens
  const [issues] = await Promise.all([compiled, device.popErrorScope()]);
  return issues;
}

/** Errors of the compiler, by the line of the provider's own text. */
export async function moduleIssues(module: GPUShaderModule, { origins }: ProvidedKernel): Promise<Issue[]> {
  const { messages } = await module.getCompilationInfo();
  return messages
    .filter(({ type }) => type === 'error')
    .map(({ message, lineNum, linePos }) => {
      const origin = origins.get(lineNum);
      if (!origin) return error('PROVIDER_INVALID', 'providers', message, 'Look for unclosed brackets or comments.');
      const { provider, line, use } = origin;
      const text = use === 'vertex' ? provider.code : provider.update!.code;
      const source = line > 0 ? `: ${text.split('\n')[line - 1]!.trim()}` : '';
      const name = use === 'vertex' ? provider.name : `${provider.name} update`;
      const path = line > 0 ? `provider ${name}:${line}:${linePos}` : `provider ${name}`;
      return error('PROVIDER_INVALID', path, `${message}${source}`);
    });
}

/** Errors that only a pipeline shows: undeclared bindings, too much memory. */
async function pipelineIssues(device: GPUDevice, descriptor: GPUComputePipelineDescriptor): Promise<Issue[]> {
  try {
    await device.createComputePipelineAsync(descriptor);
    return [];
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    const suggestion = 'Declare bindings as `resources`; providers have no overrides of their own.';
    return [error('PROVIDER_INVALID', 'providers', message, suggestion)];
  }
}
