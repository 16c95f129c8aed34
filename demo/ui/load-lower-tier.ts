/** Downloads what only pages without WebGPU's core level show. */
export const loadLowerTier = () => import('./lower-tier.tsx');
