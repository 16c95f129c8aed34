import { describe, expect, test } from 'vitest';
import { noGpu, readBuffer, testDevice, uploadBuffer } from '../../../test/support/gpu.ts';
import { Random } from '../../../test/support/random.ts';
import { someSeeds } from '../../../test/support/setup.ts';
import { View } from '../../layout/index.ts';
import { encodeDispatch, grid } from '../kernel.ts';
import { ROW_NONE, VisibleCharacter } from '../layout.ts';
import { KeepRange } from './layout.ts';
import { planKeeps } from './plan.ts';
import { keepPalettes } from './reference.ts';
import { createKeepPalettes } from './stage.ts';

describe.skipIf(noGpu())('keep-palettes against its twin (exact)', () => {
  test.each(someSeeds(3, 24))('random types, some of them not posed: seed %i', async (seed) => {
    const random = new Random(seed);
    const types = Array.from({ length: random.integer(1, 5) }, (_, type) => ({
      geometryRow: 10 * type,
      rowCount: random.integer(1, 200),
      posed: random.integer(0, 20),
      others: random.integer(0, 3),
    }));
    const count = types.reduce((sum, { posed, others }) => sum + posed + others, 0);
    const visible = new View(VisibleCharacter, Math.max(1, count));
    const [plan] = planKeeps(types.map(({ rowCount }, bin) => ({ bin, rowCount })));
    const words = new Uint32Array(plan!.ranges);
    const ranges = new View(KeepRange, plan!.ranges, plan!.bins[0]!.byteOffset, types.length);
    let [row, slot, paletteRow] = [0, 0, 0];
    let groupCount = 0;
    for (const [type, { geometryRow, rowCount, posed, others }] of types.entries()) {
      ranges.assign(type, { firstGroup: groupCount, firstVisible: row, visibleCount: posed });
      groupCount += posed;
      for (let i = 0; i < posed + others; i++) {
        const palette = i < posed ? paletteRow : ROW_NONE;
        visible.assign(row++, { geometryRow, paletteRow: palette, currentVertexOffset: 2 * slot });
        slot += rowCount + random.integer(0, 9);
        if (i < posed) paletteRow += rowCount + random.integer(0, 9);
      }
    }
    words[1] = groupCount;
    const palettes = Float32Array.from({ length: 4 * (paletteRow + 1) }, () => random.range(-2, 2));
    const kept = new Uint32Array(4 * (slot + 1)).fill(0x7f7f7f7f);
    const { device } = await testDevice();
    const storage = (array: Uint32Array | Float32Array) => uploadBuffer(device, array.slice(), GPUBufferUsage.STORAGE);
    const buffer = storage(kept);
    const args = uploadBuffer(device, Uint32Array.from([...grid(groupCount, 7), 1]), GPUBufferUsage.INDIRECT);
    const buffers = {
      dispatch: { buffer: uploadBuffer(device, words, GPUBufferUsage.UNIFORM) },
      visible: storage(visible.words),
      palettes: storage(palettes),
      kept: { buffer },
    };
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    encodeDispatch(pass, createKeepPalettes(device).bind(plan!, buffers, { buffer: args, byteOffset: 0 }));
    pass.end();
    device.queue.submit([encoder.finish()]);
    const keptLevels = new Map(types.map(({ geometryRow, rowCount }) => [geometryRow, { rowCount, provided: false }]));
    keepPalettes({ visible, visibleCount: count, keptLevels, palettes, kept });
    expect(new Uint32Array(await readBuffer(device, buffer)), `seed ${seed}`).toEqual(kept);
  });
});
