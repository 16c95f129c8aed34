import { createFilled } from '../../src/frame/tables/memory.ts';
import { View } from '../../src/layout/index.ts';
import { clipFromWorld } from '../../src/render/camera.ts';
import type { TriangleSource } from '../../src/render/visibility/source.ts';
import { Resident, Transform, VisibleCharacter } from '../../src/stages/layout.ts';
import { packedRows } from '../../test/support/triangle-sources.ts';

/** Ovals of 900 triangles in rows, each in a slot of its own, seen from a hill: the scene of the targets. */
export interface OvalScene {
  readonly source: TriangleSource;
  readonly instances: number;
  readonly triangles: number;
  readonly vertexCount: number;
  readonly clipFromWorld: Float32Array<ArrayBuffer>;
  readonly buffers: { readonly skinned: GPUBuffer; readonly indices: GPUBuffer; readonly transforms: GPUBuffer };
}

const [WIDTH, HEIGHT] = [30, 15];

/** @param instances Ovals; the vertices of all take 16 bytes each. */
export function ovalScene(device: GPUDevice, instances: number, aspect: number): OvalScene {
  const { positions, indices } = oval();
  const vertexCount = positions.length / 4;
  const side = Math.ceil(Math.sqrt(instances));
  const [transforms, visible, residents] = [
    new View(Transform, instances),
    new View(VisibleCharacter, instances),
    new View(Resident, instances),
  ];
  for (let i = 0; i < instances; i++) {
    const position = [((i % side) - side / 2) * 1.2, 0, -Math.floor(i / side) * 1.2 - 3];
    transforms.assign(i, { position, scale: 1, rotation: [0, 0, 0, 1] });
    residents.assign(i, { tint: 0xffffffff });
    const [currentVertexOffset, previousVertexOffset] = [i * vertexCount, i * vertexCount];
    visible.assign(i, { character: i, views: 1, currentVertexOffset, previousVertexOffset, parts: [1, 0] });
  }
  const { STORAGE, INDEX, COPY_DST, COPY_SRC } = GPUBufferUsage;
  const upload = (label: string, words: Uint32Array<ArrayBuffer>, usage: number = STORAGE) =>
    createFilled(device, label, usage | COPY_DST | COPY_SRC, words);
  const one = packedRows(positions);
  const skinned = device.createBuffer({ size: one.byteLength * instances, usage: STORAGE | COPY_DST });
  const some = 100;
  const block = new Uint32Array(one.length * some);
  for (let i = 0; i < some; i++) block.set(one, i * one.length);
  for (let i = 0; i < instances; i += some) {
    device.queue.writeBuffer(skinned, i * one.byteLength, block, 0, one.length * Math.min(some, instances - i));
  }
  const buffers = {
    skinned,
    indices: upload('indices', indices, STORAGE | INDEX),
    transforms: upload('transforms', transforms.words),
  };
  const primitive = { firstIndex: 0, indexCount: indices.length, part: 0, doubleSided: false, masked: false };
  const run = {
    rows: { firstRow: 0, rowCount: instances },
    firstIndex: 0,
    primitives: [{ ...primitive, materialRow: 0 }],
    sphere: { center: [0, 0, 0], radius: 0.9 },
    contactRadius: 0,
  };
  const source: TriangleSource = {
    visible: upload('visible', visible.words),
    transforms: buffers.transforms,
    previousTransforms: buffers.transforms,
    residents: upload('residents', residents.words),
    geometry: skinned,
    indices: buffers.indices,
    rowCapacity: instances,
    isCrowd: true,
    pages: [{ skinned, runs: [run] }],
  };
  const [sine, cosine] = [Math.sin(0.3), Math.cos(0.3)];
  const camera = { eye: [0, 8, 2], target: [0, 8 - sine, 2 - cosine], fovY: 1 } as const;
  return {
    source,
    instances,
    triangles: indices.length / 3,
    vertexCount,
    clipFromWorld: clipFromWorld(camera, aspect),
    buffers,
  };
}

function oval(): { positions: Float32Array<ArrayBuffer>; indices: Uint32Array<ArrayBuffer> } {
  const positions: number[] = [];
  for (let y = 0; y <= HEIGHT; y++) {
    for (let x = 0; x < WIDTH; x++) {
      const [down, around] = [(y / HEIGHT) * Math.PI, (x / WIDTH) * 2 * Math.PI];
      positions.push(
        Math.sin(down) * Math.cos(around) * 0.4,
        Math.cos(down) * 0.9,
        Math.sin(down) * Math.sin(around) * 0.4,
        0,
      );
    }
  }
  const indices: number[] = [];
  for (let y = 0; y < HEIGHT; y++) {
    for (let x = 0; x < WIDTH; x++) {
      const [a, b] = [y * WIDTH + x, y * WIDTH + ((x + 1) % WIDTH)];
      indices.push(a, b, a + WIDTH, b, b + WIDTH, a + WIDTH);
    }
  }
  return { positions: Float32Array.from(positions), indices: Uint32Array.from(indices) };
}
