// A pass that a user writes, from what `drawMemory` says alone: vertices by page, slot and index, triangles, indirect draws.
import { beforeAll, describe, expect, test } from 'vitest';
import { coded, largeActor, smallActor } from '../../../test/support/crowd-truth.ts';
import { lacks, noGpu, readBuffer, testDevice } from '../../../test/support/gpu.ts';
import type { CharacterId, Crowd, CrowdOptions } from '../../index.ts';
import { createCrowd } from '../../../test/support/create-crowd.ts';
import {
  type CharacterDraw,
  createIdTarget,
  createForwardRenderer,
  createReadableTarget,
  drawMemory,
} from '../index.ts';
import { clipFromWorld } from '../camera.ts';
import { updateAndWait } from '../../../test/support/update-and-wait.ts';
import { hasTurn } from '../../../test/support/setup.ts';

const small = smallActor();
const large = largeActor();
const READ = ['visible', 'transforms', 'previousTransforms', 'vertices', 'indices'] as const;
/** Words of a vertex as the pass writes it: position, previous position, normal, tangent. */
const WORDS = 16;

describe.skipIf(noGpu() || !hasTurn(1))('passes of one’s own', () => {
  let device: GPUDevice;
  beforeAll(async () => {
    ({ device } = await testDevice({ limits: 'default' }));
  });

  function newCrowd(options: Partial<CrowdOptions> = {}): Crowd {
    const shape = { characters: [small.character, large.character], capacity: 40, skin: 'compute' } as const;
    return createCrowd(device, { ...shape, ...options });
  }

  /** All vertices that a draw's mesh has, in the first characters of its run, and who they are. */
  async function readDraw(crowd: Crowd, draw: CharacterDraw) {
    const memory = drawMemory(crowd);
    const [first, count] = new Uint32Array(await readBuffer(device, memory.indirect), draw.run.offset!, 2);
    const pass = `${memory.wgsl(1)}
      @group(0) @binding(0) var<storage, read_write> out: array<vec4f>;
      @group(0) @binding(1) var<uniform> run: vec4u;
      @compute @workgroup_size(64) fn readVertices(@builtin(global_invocation_id) id: vec3u) {
        if (id.x >= ${draw.vertexCount}u || id.y >= run.y) { return; }
        let row = run.x + id.y;
        let at = 4u * (id.y * ${draw.vertexCount}u + id.x);
        let vertex = crowdVertexOffset(row) + id.x;
        out[at] = vec4f(crowdWorldFromModel(row, crowdPosition(vertex)), f32(crowdCharacter(row)));
        let previous = crowdPosition(crowdPreviousVertexOffset(row) + id.x);
        out[at + 1u] = vec4f(crowdPreviousWorldFromModel(row, previous), f32(crowdLevel(row)));
        let triangle = crowdTriangle(${draw.firstIndex}u, id.x % ${draw.primitives[0]!.indexCount / 3}u);
        out[at + 2u] = vec4f(crowdNormal(row, id.x), f32(triangle.x));
        out[at + 3u] = vec4f(vec3f(triangle), crowdTangent(row, id.x).w);
      }`;
    const module = device.createShaderModule({ code: pass });
    const own = device.createBindGroupLayout({
      entries: [
        { binding: 0, visibility: GPUShaderStage.COMPUTE, buffer: { type: 'storage' } },
        { binding: 1, visibility: GPUShaderStage.COMPUTE, buffer: { type: 'uniform' } },
      ],
    });
    const theirs = device.createBindGroupLayout({ entries: memory.layoutEntries(GPUShaderStage.COMPUTE, READ) });
    const layout = device.createPipelineLayout({ bindGroupLayouts: [own, theirs] });
    const pipeline = device.createComputePipeline({ layout, compute: { module } });
    const { STORAGE, COPY_SRC } = GPUBufferUsage;
    const out = device.createBuffer({
      size: 4 * WORDS * draw.vertexCount * Math.max(1, count!),
      usage: STORAGE | COPY_SRC,
    });
    const entries = [
      { binding: 0, resource: { buffer: out } },
      { binding: 1, resource: draw.run },
    ];
    const encoder = device.createCommandEncoder();
    const compute = encoder.beginComputePass();
    compute.setPipeline(pipeline);
    compute.setBindGroup(0, device.createBindGroup({ layout: own, entries }));
    compute.setBindGroup(1, device.createBindGroup({ layout: theirs, entries: memory.groupEntries(draw.page, READ) }));
    compute.dispatchWorkgroups(Math.ceil(draw.vertexCount / 64), Math.max(1, count!));
    compute.end();
    device.queue.submit([encoder.finish()]);
    const floats = new Float32Array(await readBuffer(device, out));
    return Array.from({ length: count! }, (_, row) => ({
      row: first! + row,
      character: floats[WORDS * row * draw.vertexCount + 3]!,
      vertex: (index: number) =>
        floats.subarray(WORDS * (row * draw.vertexCount + index), WORDS * (row * draw.vertexCount + index + 1)),
    }));
  }

  /** Checks every vertex of every draw against what the crowd reads back. */
  async function check(crowd: Crowd, ids: readonly CharacterId[], previous: ReadonlyMap<CharacterId, Float32Array>) {
    const seen = new Map<CharacterId, Float32Array>();
    for (const draw of drawMemory(crowd).draws) {
      const indices = draw.character.indices;
      for (const { character, vertex } of await readDraw(crowd, draw)) {
        const id = ids.find((each) => each % 2 ** 24 === character)!;
        const positions = await crowd.readVertices(id);
        const [at] = await crowd.readTransforms(id);
        const now: number[] = [];
        for (let v = 0; v < draw.vertexCount; v++) {
          const words = vertex(v);
          const expected = [0, 1, 2].map(
            (c) => positions[3 * v + c]! + [at!.position.x, at!.position.y, at!.position.z][c]!,
          );
          expected.forEach((value, c) =>
            expect(Math.abs(words[c]! - value)).toBeLessThan(1e-5 * (1 + Math.abs(value))),
          );
          now.push(...words.subarray(0, 3));
          const before = previous.get(id);
          const last = before ? [...before.subarray(3 * v, 3 * v + 3)] : [...words.subarray(0, 3)];
          last.forEach((value, c) =>
            expect(Math.abs(words[4 + c]! - value)).toBeLessThan(1e-5 * (1 + Math.abs(value))),
          );
          const triangle = v % (draw.primitives[0]!.indexCount / 3);
          expect([...words.subarray(12, 15)]).toEqual([...indices.subarray(3 * triangle, 3 * triangle + 3)]);
          expect(Math.hypot(words[8]!, words[9]!, words[10]!)).toBeCloseTo(1, 3);
        }
        seen.set(id, Float32Array.from(now));
      }
    }
    expect(seen.size).toBe(ids.length);
    return seen;
  }

  test('read exact positions where the crowd keeps them', async () => {
    const crowd = newCrowd({ skinned: 'exact' });
    const id = crowd.spawn(small.character, { place: (_, at) => at.position.set(0, 0, 0) }).id(0);
    crowd.play(id, 0, { time: 0.2 });
    await updateAndWait(crowd, { dt: 0 });
    const memory = drawMemory(crowd);
    const [draw] = memory.draws;
    const reads = ['visible', 'vertices'] as const;
    const module = device.createShaderModule({
      code: `${memory.wgsl(1)}
      @group(0) @binding(0) var<storage, read_write> out: array<vec4f>;
      @compute @workgroup_size(64) fn readExact(@builtin(global_invocation_id) id: vec3u) {
        if (id.x < ${draw!.vertexCount}u) { out[id.x] = vec4f(crowdExactPosition(0u, id.x), 1.0); }
      }`,
    });
    const theirs = device.createBindGroupLayout({ entries: memory.layoutEntries(GPUShaderStage.COMPUTE, reads) });
    const own = device.createBindGroupLayout({
      entries: [{ binding: 0, visibility: GPUShaderStage.COMPUTE, buffer: { type: 'storage' } }],
    });
    const layout = device.createPipelineLayout({ bindGroupLayouts: [own, theirs] });
    const pipeline = device.createComputePipeline({ layout, compute: { module } });
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC;
    const out = device.createBuffer({ size: 16 * draw!.vertexCount, usage });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    pass.setBindGroup(0, device.createBindGroup({ layout: own, entries: [{ binding: 0, resource: { buffer: out } }] }));
    pass.setBindGroup(1, device.createBindGroup({ layout: theirs, entries: memory.groupEntries(draw!.page, reads) }));
    pass.dispatchWorkgroups(Math.ceil(draw!.vertexCount / 64));
    pass.end();
    device.queue.submit([encoder.finish()]);
    const rows = new Float32Array(await readBuffer(device, out));
    const positions = await crowd.readVertices(id);
    expect(rows.filter((_, i) => i % 4 < 3)).toEqual(Float32Array.from(positions));
  });

  test('read vertices of this frame and the last one, and triangles, of several types and pages', async () => {
    const crowd = newCrowd({ capacity: 40 });
    const ids = [small, large].flatMap(({ character }, type) => {
      const group = crowd.spawn(character, { count: 3, place: (i, at) => at.position.set(2 * i, 0, 3 * type) });
      group.setClips((i) => [{ clip: 0, phase: i / 4 }]);
      return group.ids;
    });
    await updateAndWait(crowd, { dt: 0.1 });
    const first = drawMemory(crowd);
    expect(first.version).toBe(2);
    let last = await check(crowd, ids, new Map());
    crowd.setTransform(ids[0]!, (at) => void (at.position.x += 0.5));
    await updateAndWait(crowd, { dt: 0.1 });
    expect(drawMemory(crowd)).toBe(first);
    last = await check(crowd, ids, last);

    const more = crowd.spawn(small.character, { count: 20, place: (i, at) => at.position.set(i, 1, 9) });
    crowd.grow(60);
    await updateAndWait(crowd, { dt: 0.1 });
    expect(drawMemory(crowd)).not.toBe(first);
    const all = [...ids, ...more.ids];
    // growing gives slots anew: no history
    await check(crowd, all, new Map());
    expect(new Set(drawMemory(crowd).draws.map(({ page }) => page)).size).toBeGreaterThan(1);
    crowd.destroy();
    expect(() => drawMemory(crowd)).toThrow(/CROWD_DESTROYED/);
  });

  test('read named columns', async () => {
    const crowd = newCrowd();
    const group = crowd.spawn(small.character, { count: 3 });
    await updateAndWait(crowd, { dt: 0 });
    const before = drawMemory(crowd);
    expect(before.wgsl(0)).not.toContain('namedColumns');
    expect(() => before.groupEntries(0, ['columns'])).toThrow('no named columns');
    group.column('age', {}).set(2, 7);
    group.column('heat', { size: 3, default: [1, 2, 3] }).set(1, [4, 5, 6]);
    await updateAndWait(crowd, { dt: 0 });
    const memory = drawMemory(crowd);
    expect(memory).not.toBe(before);
    const code = `${memory.wgsl(1)}
      @group(0) @binding(0) var<storage, read_write> out: array<vec4f>;
      @compute @workgroup_size(3) fn readColumns(@builtin(global_invocation_id) id: vec3u) {
        out[id.x] = vec4f(heatColumn(id.x), ageColumn(id.x));
      }`;
    const own = device.createBindGroupLayout({
      entries: [{ binding: 0, visibility: GPUShaderStage.COMPUTE, buffer: { type: 'storage' } }],
    });
    const theirs = device.createBindGroupLayout({ entries: memory.layoutEntries(GPUShaderStage.COMPUTE, ['columns']) });
    const pipeline = device.createComputePipeline({
      layout: device.createPipelineLayout({ bindGroupLayouts: [own, theirs] }),
      compute: { module: device.createShaderModule({ code }) },
    });
    const out = device.createBuffer({ size: 48, usage: GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    pass.setPipeline(pipeline);
    const entries = [{ binding: 0, resource: { buffer: out } }];
    pass.setBindGroup(0, device.createBindGroup({ layout: own, entries }));
    pass.setBindGroup(1, device.createBindGroup({ layout: theirs, entries: memory.groupEntries(0, ['columns']) }));
    pass.dispatchWorkgroups(1);
    pass.end();
    device.queue.submit([encoder.finish()]);
    expect([...new Float32Array(await readBuffer(device, out))]).toEqual([1, 2, 3, 0, 4, 5, 6, 0, 1, 2, 3, 7]);
    out.destroy();
    crowd.destroy();
  });

  test.skipIf(lacks('storage buffers in draws'))(
    'draw by indirect arguments what the forward renderer draws',
    async () => {
      const size = 96;
      const crowd = newCrowd();
      const groups = [small, large].map(({ character }, type) =>
        crowd.spawn(character, { count: 2, place: (i, at) => at.position.set(1.5 * i, 4, 2 * type) }),
      );
      groups[0]!.hideParts('node 1', [0]);
      const camera = { eye: [1, 6, 8], target: [1, 4.5, 0], fovY: 0.8 } as const;
      const matrix = clipFromWorld(camera, 1);
      await updateAndWait(crowd, { dt: 0, views: [{ clipFromWorld: matrix, height: size }] });
      const memory = drawMemory(crowd);

      const renderer = await createForwardRenderer(device, crowd, { sampleCount: 1, cascadeCount: 1 });
      const picture = createReadableTarget(device, size, size);
      const ids = createIdTarget(device, size, size);
      const encoder = device.createCommandEncoder();
      const bounds = { min: [-5, -5, -5], max: [5, 5, 5] } as const;
      renderer.render(encoder, { camera, bounds, target: picture.view, width: size, height: size, ids: ids.view });

      const reads = ['visible', 'transforms', 'vertices'] as const;
      const module = device.createShaderModule({
        code: `${memory.wgsl(1)}
      struct Draw { run: vec4u }
      @group(0) @binding(0) var<uniform> clipFromWorld: mat4x4f;
      @group(2) @binding(0) var<uniform> run: vec4u;
      @group(2) @binding(1) var<uniform> part: vec4u;
      struct Out { @builtin(position) clip: vec4f, @location(0) @interpolate(flat) character: u32 }
      @vertex fn place(@builtin(vertex_index) index: u32, @builtin(instance_index) instance: u32) -> Out {
        let row = run.x + instance;
        if (!crowdShowsPart(row, part.xy) || crowdViews(row) == 0u) { return Out(vec4f(0, 0, -1, 0), 0u); }
        let at = crowdWorldFromModel(row, crowdPosition(crowdVertexOffset(row) + index));
        return Out(clipFromWorld * vec4f(at, 1), crowdCharacter(row) + 1u);
      }
      @fragment fn show(in: Out) -> @location(0) u32 { return in.character; }`,
      });
      const uniformLayout = (count: number, visibility: number) =>
        device.createBindGroupLayout({
          entries: Array.from({ length: count }, (_, binding) => ({
            binding,
            visibility,
            buffer: { type: 'uniform' as const },
          })),
        });
      const layouts = [
        uniformLayout(1, GPUShaderStage.VERTEX),
        device.createBindGroupLayout({ entries: memory.layoutEntries(GPUShaderStage.VERTEX, reads) }),
        uniformLayout(2, GPUShaderStage.VERTEX),
      ];
      const pipeline = device.createRenderPipeline({
        layout: device.createPipelineLayout({ bindGroupLayouts: layouts }),
        vertex: { module },
        fragment: { module, targets: [{ format: 'r32uint' }] },
        primitive: { cullMode: 'back' },
        depthStencil: { format: 'depth32float', depthWriteEnabled: true, depthCompare: 'greater' },
      });
      const texture = (format: GPUTextureFormat) =>
        device.createTexture({
          size: [size, size],
          format,
          usage: GPUTextureUsage.RENDER_ATTACHMENT | GPUTextureUsage.COPY_SRC,
        });
      const [shown, depth] = [texture('r32uint'), texture('depth32float')];
      const uniformOf = (words: ArrayBufferView<ArrayBuffer>) => {
        const buffer = device.createBuffer({
          size: words.byteLength,
          usage: GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST,
        });
        device.queue.writeBuffer(buffer, 0, words.buffer, words.byteOffset, words.byteLength);
        return { buffer };
      };
      const pass = encoder.beginRenderPass({
        colorAttachments: [{ view: shown.createView(), loadOp: 'clear', storeOp: 'store', clearValue: [0, 0, 0, 0] }],
        depthStencilAttachment: {
          view: depth.createView(),
          depthLoadOp: 'clear',
          depthStoreOp: 'store',
          depthClearValue: 0,
        },
      });
      pass.setPipeline(pipeline);
      pass.setIndexBuffer(memory.indices, 'uint32');
      const group = (index: number, resources: readonly GPUBufferBinding[]) =>
        pass.setBindGroup(
          index,
          device.createBindGroup({
            layout: layouts[index]!,
            entries: resources.map((resource, binding) => ({ binding, resource })),
          }),
        );
      group(0, [uniformOf(Float32Array.from(matrix))]);
      for (const draw of memory.draws) {
        pass.setBindGroup(
          1,
          device.createBindGroup({ layout: layouts[1]!, entries: memory.groupEntries(draw.page, reads) }),
        );
        for (const { part, indirectOffset } of draw.primitives) {
          group(2, [draw.run, uniformOf(Uint32Array.of(...part, 0, 0))]);
          pass.drawIndexedIndirect(memory.indirect, indirectOffset);
        }
      }
      pass.end();
      const { COPY_DST, COPY_SRC } = GPUBufferUsage;
      const bytesPerRow = 512;
      const bytes = device.createBuffer({ size: bytesPerRow * size, usage: COPY_DST | COPY_SRC });
      encoder.copyTextureToBuffer({ texture: shown }, { buffer: bytes, bytesPerRow }, [size, size]);
      device.queue.submit([encoder.finish()]);
      const [own, theirs] = [new Uint32Array(await readBuffer(device, bytes)), await ids.read()];
      let [covered, different] = [0, 0];
      for (let y = 0; y < size; y++) {
        for (let x = 0; x < size; x++) {
          const mine = own[(bytesPerRow / 4) * y + x]!;
          if (mine > 0) covered++;
          if (mine !== theirs[2 * (y * size + x)]!) different++;
        }
      }
      expect(covered).toBeGreaterThan(size);
      expect(different).toBe(0);
      for (const owned of [renderer, picture, ids, crowd]) owned.destroy();
    },
  );

  test('draw without storage buffers at the compatibility level, and read no palettes as vertices', async () => {
    const weak = await testDevice({ limits: 'compatibility' });
    const shape = { characters: [small.character], capacity: 1 };
    const crowd = createCrowd(weak.device, shape);
    crowd.spawn(small.character);
    await updateAndWait(crowd, { dt: 0 });
    const memory = drawMemory(crowd);
    const { COMPUTE, VERTEX, FRAGMENT } = GPUShaderStage;
    expect(() => memory.layoutEntries(VERTEX, ['visible'])).toThrow(coded('DEVICE_LIMIT') as Error);
    expect(() => memory.layoutEntries(FRAGMENT, READ)).toThrow(coded('DEVICE_LIMIT') as Error);
    expect(memory.layoutEntries(COMPUTE, READ)).toHaveLength(READ.length);
    expect(memory.layoutEntries(FRAGMENT, ['visible', 'transforms'])).toHaveLength(2);
    // draws skin by default there
    expect(() => memory.groupEntries(0, ['visible', 'vertices'])).toThrow(coded('RENDER_FAILED') as Error);
    expect(memory.groupEntries(0, ['visible'])).toHaveLength(1);
    crowd.destroy();
  });

  test('need a device', async () => {
    const crowd = createCrowd(undefined, { characters: [small.character], capacity: 1, backend: 'cpu' });
    expect(() => drawMemory(crowd)).toThrow(/RENDER_FAILED/);
    crowd.destroy();
  });
});
