import type { Issue } from '../../errors.ts';
import { kernels } from './kernel.gen.ts';
import { type VertexProvider } from '../providers.ts';
import { providerIssues } from '../provider-issues.ts';

/** Problems of a list of providers that can be found without a compiler: names, numbers, count. */
export function listIssues(providers: readonly VertexProvider[]): Issue[] {
  return providerIssues(providers, kernels.base);
}
