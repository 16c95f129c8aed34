import { MeshoptEncoder } from 'meshoptimizer/encoder';
import type { TriangleOrder } from './geometry.ts';

// it fails as it loads where WebAssembly is forbidden, which `requireWasm` reports
MeshoptEncoder.ready.catch(() => undefined);

/** Orders triangles for the vertex cache, and vertices as they are first used: neighbours share joints and cache lines. */
export async function cacheOrder(): Promise<TriangleOrder> {
  await MeshoptEncoder.ready;
  return (indices) => MeshoptEncoder.reorderMesh(indices, true, false);
}
