const caches = new WeakMap<GPUDevice, Map<string, unknown>>();

/**
 * Makes a thing once per device: pipelines and layouts are the same for every crowd, and compiling them takes longer
 * than anything else at start-up.
 */
export function perDevice<T>(device: GPUDevice, key: string, create: () => T): T {
  let cache = caches.get(device);
  if (!cache) caches.set(device, (cache = new Map()));
  if (!cache.has(key)) cache.set(key, create());
  return cache.get(key) as T;
}
