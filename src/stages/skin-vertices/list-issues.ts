import type { Issue } from '../../errors.ts';
import { kernels } from './kernel.gen.ts';
import { type VertexProvider } from '../providers.ts';
import { providerIssues } from '../provider-issues.ts';

/** What is wrong with a list of providers, as far as can be told without a compiler: names, numbers, how many. */
export function listIssues(providers: readonly VertexProvider[]): Issue[] {
  return providerIssues(providers, kernels.base);
}
