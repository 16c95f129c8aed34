import { afterEach, describe, expect, test, vi } from 'vitest';
import { ManipleError } from '../errors.ts';
import { FEATURES, LIMITS, meetsLimit } from './limits.ts';
import { adapterKind } from './adapter-kind.ts';
import { requestDevice } from './request-device.ts';

const standardLimits: Record<string, number> = Object.fromEntries(LIMITS.map(({ name, standard }) => [name, standard]));

interface FakeAdapter {
  limits?: Record<string, number | undefined>;
  features?: string[];
  info?: Partial<GPUAdapterInfo>;
  refuses?: Error;
  lost?: Promise<GPUDeviceLostInfo>;
  /** True if only the compatibility level has an adapter. */
  lacksCore?: boolean;
}

/** A GPU whose adapter records what it is asked for. */
function fakeGpu({
  limits = {},
  features = [],
  info = {},
  refuses,
  lost = new Promise(() => {}),
  lacksCore = false,
}: FakeAdapter = {}) {
  const requestedDevices: GPUDeviceDescriptor[] = [];
  const requestedAdapters: GPURequestAdapterOptions[] = [];
  const adapter = {
    limits: { ...standardLimits, ...limits },
    features: new Set(features),
    info,
    requestDevice: async (descriptor: GPUDeviceDescriptor) => {
      requestedDevices.push(descriptor);
      if (refuses) throw refuses;
      const granted = { ...standardLimits, ...descriptor.requiredLimits };
      return { limits: granted, features: new Set(descriptor.requiredFeatures), lost };
    },
  };
  const requestAdapter = async (options: GPURequestAdapterOptions & { readonly featureLevel?: string }) => {
    requestedAdapters.push(options);
    return lacksCore && options.featureLevel !== 'compatibility' ? null : adapter;
  };
  return { gpu: { requestAdapter } as unknown as GPU, requestedDevices, requestedAdapters };
}

const failure = async (work: Promise<unknown>): Promise<ManipleError> => {
  const thrown: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(thrown).toBeInstanceOf(ManipleError);
  return thrown as ManipleError;
};

describe('requestDevice', () => {
  test('asks for what the adapter grants, and only for features that it has', async () => {
    const limits = { maxStorageBuffersPerShaderStage: 64, maxBufferSize: 2 ** 31, maxTextureDimension1D: 16_384 };
    const { gpu, requestedDevices, requestedAdapters } = fakeGpu({
      limits,
      features: ['subgroups', 'shader-f16', 'x'],
    });
    const found = await requestDevice({ gpu });
    expect(requestedAdapters).toEqual([{ powerPreference: 'high-performance' }]);
    expect(requestedDevices[0]?.requiredFeatures).toEqual(['subgroups', 'shader-f16']);
    expect(requestedDevices[0]?.requiredLimits).toMatchObject({
      maxStorageBuffersPerShaderStage: 64,
      maxBufferSize: 2 ** 31,
      maxStorageBufferBindingSize: 128 * 2 ** 20,
    });
    expect(requestedDevices[0]?.requiredLimits).not.toHaveProperty('maxTextureDimension1D');
    expect(found).toMatchObject({ kind: 'hardware', features: ['shader-f16', 'subgroups'] });
    expect(found.limits.maxBufferSize).toBe(2 ** 31);
  });

  test('asks for nothing with default limits and no features', async () => {
    const { gpu, requestedDevices } = fakeGpu({ limits: { maxBufferSize: 2 ** 31 }, features: ['subgroups'] });
    await requestDevice({ gpu, limits: 'default', features: [], label: 'mine', powerPreference: 'low-power' });
    const expected = { label: 'mine', defaultQueue: { label: 'mine' }, requiredFeatures: [], requiredLimits: {} };
    expect(requestedDevices).toEqual([expected]);
  });

  test('leaves out limits that an older implementation does not know', async () => {
    const { gpu, requestedDevices } = fakeGpu({ limits: { maxStorageBuffersInVertexStage: undefined } });
    await requestDevice({ gpu });
    expect(requestedDevices[0]?.requiredLimits).not.toHaveProperty('maxStorageBuffersInVertexStage');
  });

  test('reports every limit that is too low, before it asks for a device', async () => {
    const limits = { maxStorageBuffersPerShaderStage: 4, minStorageBufferOffsetAlignment: 512 };
    const { gpu, requestedDevices } = fakeGpu({ limits });
    const { issues } = await failure(requestDevice({ gpu }));
    expect(issues.map(({ code, path }) => `${code} ${path}`)).toEqual([
      'DEVICE_LIMIT device.limits.maxStorageBuffersPerShaderStage',
      'DEVICE_LIMIT device.limits.minStorageBufferOffsetAlignment',
    ]);
    expect(issues[0]?.message).toContain('is 4, Maniple needs at least 8');
    expect(issues[1]?.message).toContain('is 512, Maniple needs at most 256');
    expect(requestedDevices).toEqual([]);
  });

  test('falls back to the compatibility level, unless one level is asked for', async () => {
    const smallest = Object.fromEntries(LIMITS.map(({ name, compatibility }) => [name, compatibility]));
    const small = fakeGpu({ limits: smallest, lacksCore: true });
    expect((await requestDevice({ gpu: small.gpu, limits: 'adapter' })).tier).toBe('compatibility');
    const [first, second] = [{ powerPreference: 'high-performance' }, { featureLevel: 'compatibility' }];
    expect(small.requestedAdapters).toEqual([first, { ...first, ...second }]);
    const { message } = await failure(requestDevice({ gpu: small.gpu, featureLevel: 'core' }));
    expect(message).toContain('found no adapter');
    const large = fakeGpu({ features: ['core-features-and-limits'] });
    expect((await requestDevice({ gpu: large.gpu, featureLevel: 'compatibility' })).tier).toBe('compatibility');
    expect(large.requestedAdapters).toEqual([{ ...first, ...second }]);
    const { issues } = await failure(requestDevice({ gpu: large.gpu, featureLevel: 'low' as never }));
    expect(issues[0]).toMatchObject({ code: 'USAGE', path: 'options.featureLevel' });
  });

  test('resolves lost, and never rejects', async () => {
    const message = 'driver reset';
    const later = new Promise<GPUDeviceLostInfo>((resolve) => {
      setTimeout(() => resolve({ reason: 'unknown', message }), 5);
    });
    const { lost } = await requestDevice({ gpu: fakeGpu({ lost: later }).gpu });
    expect(await lost).toMatchObject({ code: 'DEVICE_LOST', severity: 'error' });
    expect((await lost).message).toContain(message);
  });
});

describe('requestDevice without success', () => {
  afterEach(() => vi.unstubAllGlobals());

  test.each([
    ['no adapter', { requestAdapter: async () => null }, 'found no adapter'],
    ['a request that fails', { requestAdapter: () => Promise.reject(new Error('blocked')) }, 'blocked'],
    ['an adapter that refuses', fakeGpu({ refuses: new Error('out of memory') }).gpu, 'out of memory'],
    [
      'a device that is lost at once',
      fakeGpu({ lost: Promise.resolve({ reason: 'unknown', message: 'no context' } as GPUDeviceLostInfo) }).gpu,
      'no context',
    ],
  ])('%s', async (_, gpu, text) => {
    const { issues } = await failure(requestDevice({ gpu: gpu as unknown as GPU }));
    expect(issues).toMatchObject([{ code: 'DEVICE_UNAVAILABLE', message: expect.stringContaining(text) as string }]);
    expect(issues[0]?.suggestion).toBeTruthy();
  });

  test('says what is missing in Node, on an insecure page and in an old browser', async () => {
    expect((await failure(requestDevice())).message).toContain('nodeDevice()');
    vi.stubGlobal('process', undefined);
    vi.stubGlobal('isSecureContext', false);
    expect((await failure(requestDevice())).message).toContain('https');
    vi.stubGlobal('isSecureContext', true);
    expect((await failure(requestDevice())).message).toContain('no WebGPU');
  });
});

describe('adapterKind', () => {
  const kind = (info?: Partial<GPUAdapterInfo>) => adapterKind(info as GPUAdapterInfo | undefined);

  test('distinguishes software and hardware', () => {
    expect(kind({ vendor: 'nvidia', architecture: 'hopper' })).toBe('hardware');
    expect(kind({ vendor: 'intel', description: 'Warper 3' })).toBe('hardware');
    expect(kind({ architecture: 'swiftshader' })).toBe('software');
    expect(kind({ description: 'llvmpipe (LLVM 15.0.6, 256 bits)' })).toBe('software');
    expect(kind({ description: 'Microsoft Basic Render Driver' })).toBe('software');
    expect(kind({ vendor: '', isFallbackAdapter: true })).toBe('software');
    expect(kind({ device: 'null-backend' })).toBe('null');
    expect(kind()).toBe('hardware');
  });
});

describe('the tables', () => {
  test('never need more than every device has, and name nothing twice', () => {
    for (const { name, standard, compatibility, needed } of LIMITS) {
      expect([name, meetsLimit(name, compatibility, needed), meetsLimit(name, standard, compatibility)]).toEqual([
        name,
        true,
        true,
      ]);
    }
    expect(new Set(LIMITS.map(({ name }) => name)).size).toBe(LIMITS.length);
    expect(new Set(FEATURES.map(({ name }) => name)).size).toBe(FEATURES.length);
  });
});
