import { describe, expect, test } from 'vitest';
import { error, ManipleError, warning, type Issue } from '../../errors.ts';
import { doctorReport, formatDoctorReport } from './doctor.ts';
import { LIMITS } from '../../device/limits.ts';
import type { RequestedDevice } from '../../device/request-device.ts';

const limits = Object.fromEntries(LIMITS.map(({ name, standard }) => [name, standard]));

function fakeDevice(changes: Partial<RequestedDevice> = {}): RequestedDevice {
  return {
    device: {} as GPUDevice,
    adapter: { limits: { ...limits, maxBufferSize: 2 ** 31 }, features: new Set(['subgroups', 'shader-f16']) } as never,
    info: { vendor: 'acme', architecture: 'rocket', device: '', description: '' },
    kind: 'hardware',
    tier: 'core',
    features: ['subgroups'],
    limits,
    lost: new Promise(() => {}),
    ...changes,
  };
}

describe('doctorReport', () => {
  test('shows the device’s limits next to those of the adapter, the defaults and the needs', () => {
    const report = doctorReport({
      device: fakeDevice(),
      variants: { 'pose-joints': 'workgroup' },
      uses: { maxStorageBuffersPerShaderStage: 6 },
      environment: { node: 'v20.19.0' },
    });
    expect(report).toMatchObject({ ok: true, kind: 'hardware', tier: 'core', advice: [], issues: [] });
    const find = (name: string) => report.limits.find((limit) => limit.name === name);
    expect(find('maxBufferSize')).toMatchObject({ device: 2 ** 28, adapter: 2 ** 31, standard: 2 ** 28, enough: true });
    expect(find('maxStorageBuffersPerShaderStage')).toMatchObject({ needed: 6, device: 8, standard: 8 });
    const states = Object.fromEntries(report.features.map(({ name, state }) => [name, state]));
    expect(states).toMatchObject({
      subgroups: 'enabled',
      'shader-f16': 'not enabled',
      'primitive-index': 'not available',
    });
    expect(JSON.parse(JSON.stringify(report))).toEqual(report);
  });

  test('says which limit is too low, and whether another request would help', () => {
    const device = fakeDevice({ limits: { ...limits, maxBufferSize: 1024, maxBindGroups: 2 } });
    const { ok, advice } = doctorReport({ device, uses: { maxBindGroups: 9 } });
    expect(ok).toBe(false);
    expect(advice.join('\n')).toMatch(/limits: 'adapter': maxBufferSize can be 2147483648/);
    expect(advice.join('\n')).toMatch(/cannot run Maniple: maxBindGroups is 4, and 9 is needed/);
  });

  test('says which tier runs and why', () => {
    const smallest = Object.fromEntries(LIMITS.map(({ name, compatibility }) => [name, compatibility]));
    const asked = { limits: smallest, features: new Set(['core-features-and-limits']) } as never;
    const small = { tier: 'compatibility', limits: smallest } as const;
    const reports = [fakeDevice(), fakeDevice(small), fakeDevice({ ...small, adapter: asked })].map((device) =>
      doctorReport({ device }),
    );
    expect(reports.map(({ ok, tier }) => [ok, tier])).toEqual([
      [true, 'core'],
      [true, 'compatibility'],
      [true, 'compatibility'],
    ]);
    const [core, lacking, forced] = reports.map(formatDoctorReport);
    expect(core).toContain('core: the adapter has all of WebGPU.');
    expect(lacking).toContain('compatibility: the adapter lacks the core level.');
    expect(forced).toContain('compatibility: it was asked for.');
    const threads = reports[1]!.limits.find(({ name }) => name === 'maxComputeInvocationsPerWorkgroup');
    expect(threads).toMatchObject({ standard: 128, needed: 128, device: 128, enough: true });
  });

  test('advises on adapters that are not a GPU', () => {
    expect(doctorReport({ device: fakeDevice({ kind: 'software' }) })).toMatchObject({ ok: true });
    expect(doctorReport({ device: fakeDevice({ kind: 'software' }) }).advice[0]).toContain('CPU');
    expect(doctorReport({ device: fakeDevice({ kind: 'null' }) })).toMatchObject({ ok: false });
  });

  test('turns what was thrown into advice, each once', () => {
    const issue = error('DEVICE_UNAVAILABLE', 'device', 'webgpu is not installed.', 'Run: npm install webgpu@0.6.2');
    const report = doctorReport({ device: { thrown: new ManipleError([issue, issue]) } });
    expect(report).toMatchObject({ ok: false, kind: 'none', adapter: null, advice: ['Run: npm install webgpu@0.6.2'] });
    expect(doctorReport({ device: { thrown: new TypeError('oops') } }).issues[0]?.code).toBe('INTERNAL');
  });
});

describe('what was tuned', () => {
  const mesh = {
    name: 'knight',
    level: 1,
    mesh: 'c0ffee',
    variant: 'palettes in storage, 2 characters',
    nanoseconds: 1250,
  };
  const report = (meshes: readonly (typeof mesh)[], issues: readonly Issue[] = []) =>
    doctorReport({ device: fakeDevice(), tuning: { from: '/c', meshes, issues } });

  test('is shown with where it is kept', () => {
    expect(report([mesh]).tuning).toEqual({ from: '/c', meshes: [mesh] });
    expect(formatDoctorReport(report([mesh]))).toContain(
      'Tuned skinning\n  from /c\n  knight, level 1  palettes in storage, 2 characters  1.250 µs per character\n',
    );
    expect(formatDoctorReport(report([]))).toContain('Tuned skinning\n  nothing yet in /c\n');
    expect(doctorReport({ device: fakeDevice() }).tuning).toBeNull();
  });

  test('is doubted with a warning, without effect on the device', () => {
    const doubted = report([], [warning('TUNING_CACHE_UNUSABLE', '/c', 'old')]);
    expect(doubted).toMatchObject({ ok: true, issues: [{ code: 'TUNING_CACHE_UNUSABLE' }] });
  });
});

describe('formatDoctorReport', () => {
  test('is a page of plain text', () => {
    const text = formatDoctorReport(doctorReport({ device: fakeDevice(), environment: { node: 'v20.19.0' } }));
    expect(text).toContain('Adapter\n  kind          GPU\n  vendor        acme\n');
    expect(text).toMatch(/maxBufferSize +268435456 +2147483648 +268435456 +268435456 {2}bytes of one buffer/);
    expect(text).toMatch(/shader-f16 +not enabled +half/);
    expect(text).toMatch(/Result\n {2}Maniple runs here\.\n$/);
    expect(text).not.toMatch(/Problems|What to do|[^\S\n]\n/);
  });

  test('names the problem where there is no device', () => {
    const thrown = new ManipleError(error('DEVICE_UNAVAILABLE', 'device', 'No adapter.', 'Update the driver.'));
    const text = formatDoctorReport(doctorReport({ device: { thrown } }));
    expect(text).toContain('Problems\n  DEVICE_UNAVAILABLE at device: No adapter. Update the driver.\n');
    expect(text).toContain('What to do\n  Update the driver.\n');
    expect(text).toContain('Maniple cannot run here.');
    expect(text).not.toContain('Limits');
  });
});
