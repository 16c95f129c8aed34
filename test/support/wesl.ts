import { link } from 'wesl/core';
import { moduleName, weslSources } from '../../tools/shader-sources.ts';

/** Links a root module of the test's own with the project's shared modules, to plain WGSL; `conditions` are those of `@if`. */
export async function linkTestShader(code: string, conditions: Record<string, boolean> = {}): Promise<string> {
  const sources = { ...weslSources(), './test.wesl': code };
  const linked = await link({ weslSrc: sources, rootModuleName: moduleName('test'), keepComments: false, conditions });
  return linked.dest;
}
