import { describe, expect, test } from 'vitest';
import { noGpu, takeGpuErrors, testDevice } from '../../test/support/gpu.ts';
import { groupThreadsOf } from '../stages/kernel-choice.ts';
import { LIMITS } from './limits.ts';
import { checkLimits } from './request-device.ts';
import { CORE_FEATURE } from './tier.ts';

const FLAT = /* wgsl */ `
  struct Varyings { @builtin(position) clip: vec4f, @location(0) @interpolate(flat) number: u32 }
  @vertex fn corner() -> Varyings { return Varyings(); }
  @fragment fn pixel(varyings: Varyings) -> @location(0) vec4f { return vec4f(f32(varyings.number)); }`;

describe.skipIf(noGpu())('a device of the compatibility level', () => {
  const open = () => testDevice({ limits: 'compatibility' });

  test('has exactly the limits of that level, and they are enough', async () => {
    const { device, tier } = await open();
    expect(tier).toBe('compatibility');
    for (const { name, compatibility } of LIMITS) expect([name, device.limits[name]]).toEqual([name, compatibility]);
    expect(device.features.has(CORE_FEATURE)).toBe(false);
    expect(checkLimits(device.limits)).toEqual([]);
    expect(groupThreadsOf(device.limits)).toBe(128);
  });

  test('refuses what that level lacks', async () => {
    const { device } = await open();
    const module = device.createShaderModule({ code: FLAT });
    const vertex = { module, entryPoint: 'corner' };
    const fragment = { module, entryPoint: 'pixel', targets: [{ format: 'rgba8unorm' as const }] };
    device.createRenderPipeline({ layout: 'auto', vertex, fragment });
    const buffer = { type: 'read-only-storage' } as const;
    device.createBindGroupLayout({ entries: [{ binding: 0, visibility: GPUShaderStage.VERTEX, buffer }] });
    const errors = (await takeGpuErrors()).join('\n');
    expect(errors).toMatch(/not supported in compatibility mode/);
    expect(errors).toMatch(/storage buffers/);
  });
});
