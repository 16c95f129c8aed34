import { afterEach } from 'vitest';
import type { WebGPURenderer } from 'three/webgpu';
import { ManipleCrowd, type ManipleCrowdOptions } from '../../src/three/index.ts';

/** Returns a function that creates crowds. They are disposed of after each test. */
export function disposedCrowds(): (renderer: WebGPURenderer, options: ManipleCrowdOptions) => Promise<ManipleCrowd> {
  const crowds: ManipleCrowd[] = [];
  afterEach(() => {
    for (const crowd of crowds.splice(0)) crowd.dispose();
  });
  return async (renderer, options) => {
    const crowd = await ManipleCrowd.create(renderer, options);
    crowds.push(crowd);
    return crowd;
  };
}
