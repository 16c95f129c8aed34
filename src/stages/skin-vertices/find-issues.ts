import { error, type Issue } from '../../errors.ts';
import { createStageLayout } from '../kernel.ts';
import { geometryBindings } from '../layout.ts';
import { kernels } from './kernel.gen.ts';
import { providerBindings, skinVerticesBindings } from './layout.ts';
import { listIssues } from './list-issues.ts';
import { linkProviders, type VertexProvider } from './providers.ts';

/** What is wrong with providers: in the list, else as the device's compiler finds. */
export async function findIssues(device: GPUDevice, providers: readonly VertexProvider[]): Promise<Issue[]> {
  const issues = listIssues(providers);
  return issues.length > 0 ? issues : compilerIssues(device, providers);
}

async function compilerIssues(device: GPUDevice, providers: readonly VertexProvider[]): Promise<Issue[]> {
  const { code, origins } = linkProviders(kernels.base, providers, 2 ** providers.length - 1);
  device.pushErrorScope('validation');
  const module = device.createShaderModule({ label: 'skin-vertices providers', code });
  const { messages } = await module.getCompilationInfo();
  const issues = messages
    .filter(({ type }) => type === 'error')
    .map(({ message, lineNum, linePos }) => {
      const origin = origins.get(lineNum);
      if (!origin) return error('PROVIDER_INVALID', 'providers', message, 'Look for unclosed brackets or comments.');
      const { provider, line } = origin;
      const source = line > 0 ? `: ${provider.code.split('\n')[line - 1]!.trim()}` : '';
      const path = line > 0 ? `provider ${provider.name}:${line}:${linePos}` : `provider ${provider.name}`;
      return error('PROVIDER_INVALID', path, `${message}${source}`);
    });
  if (issues.length === 0) issues.push(...(await pipelineIssues(device, module)));
  await device.popErrorScope();
  return issues;
}

/** What only a pipeline shows: bindings of its own, too much memory. */
async function pipelineIssues(device: GPUDevice, module: GPUShaderModule): Promise<Issue[]> {
  const groups = [skinVerticesBindings, geometryBindings, providerBindings];
  const { pipeline: layout } = createStageLayout(device, 'skin-vertices providers', groups);
  try {
    await device.createComputePipelineAsync({ layout, compute: { module, entryPoint: 'skinVertices' } });
    return [];
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return [error('PROVIDER_INVALID', 'providers', message, 'Providers have no bindings and overrides of their own.')];
  }
}
