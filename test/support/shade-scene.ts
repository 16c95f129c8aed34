// A made-up character whose primitives have materials of all kinds, as bytes for shade-pixels and its twin.
import { packCharacter, type Character } from '../../src/character/index.ts';
import type { CharacterModel, MaterialModel, MeshModel, TextureModel, Wrap } from '../../src/character/model.ts';
import type { Crowd } from '../../src/crowd/crowd.ts';
import { createCrowd } from './create-crowd.ts';
import { View } from '../../src/layout/index.ts';
import { encodePng } from '../../src/render/images/index.ts';
import { DEFAULT_MATERIAL } from '../../src/render/materials/material-table.ts';
import type { MaterialRow } from '../../src/render/materials/material.ts';
import type { DrawnThing } from '../../src/render/reference/drawn.ts';
import { filterView, rasterView, type FilledView, type Steps } from '../../src/render/reference/fill.ts';
import { maskOf } from '../../src/render/reference/picture.ts';
import { triangleViews } from '../../src/render/visibility/views.ts';
import { pixelsFromWorld } from '../../src/render/visibility/shown-triangle.ts';
import {
  DrawnInstance,
  INSTANCE_MIRRORED,
  PROJECTION_ROWS,
  TRIANGLE_BATCH,
  TRIANGLE_SHIFT,
  TrianglePrimitive,
  TriangleRun,
} from '../../src/render/visibility/triangles.ts';
import type { Random } from './random.ts';
import { meshOf, smallModel } from './small-model.ts';
import { updateAndWait } from './update-and-wait.ts';
import { VISIBLE_WORDS_SHIFT } from '../../src/stages/layout.ts';

const WRAPS: readonly Wrap[] = ['REPEAT', 'CLAMP', 'MIRROR'];
const [SIDE, PATCHES, IMAGES] = [5, 6, 4];

/**
 * Patches of a wavy sheet about the origin, half a metre each way; every one has a material of its own.
 * @param texcoordSets Two of them: every second texture is looked up by the second one.
 */
export async function randomLooks(random: Random, texcoordSets: 1 | 2): Promise<Character> {
  const images = await Promise.all(
    Array.from({ length: IMAGES }, async (_, index) => {
      const side = 2 ** random.integer(3, 6);
      const data = new Uint8Array(4 * side * side);
      // waves that repeat, so that filters, which adapters round as they like, matter little; blue is what normals have of z
      const waves = [0, 1, 2, 3].map((c) => ({
        turns: [random.integer(0, 2), random.integer(0, 2)] as const,
        phase: random.range(0, 7),
        low: c === 2 ? 180 : 0,
      }));
      for (let at = 0; at < data.length; at++) {
        const { turns, phase, low } = waves[at % 4]!;
        const [x, y] = [Math.floor(at / 4) % side, Math.floor(at / 4 / side)];
        const wave = Math.cos((2 * Math.PI * (turns[0] * x + turns[1] * y)) / side + phase);
        data[at] = Math.round(low + ((255 - low) * (wave + 1)) / 2);
      }
      return {
        name: `image ${index}`,
        mimeType: 'image/png' as const,
        bytes: await encodePng({ width: side, height: side, data }),
      };
    }),
  );
  let textureCount = 0;
  const texture = (): TextureModel | undefined =>
    random.chance(0.4)
      ? undefined
      : {
          imageIndex: random.integer(0, IMAGES - 1),
          offset: [random.range(-1, 1), random.range(-1, 1)],
          scale: [random.range(0.2, 2), random.range(0.2, 2)],
          rotation: random.range(-3, 3),
          wrapS: WRAPS[random.integer(0, 2)]!,
          wrapT: WRAPS[random.integer(0, 2)]!,
          texcoordSet: texcoordSets === 2 && textureCount++ % 2 === 0 ? 1 : 0,
        };
  const shares = (count: number) => Array.from({ length: count }, () => random.range(0.2, 1));
  const materials = Array.from({ length: PATCHES }, (_, index): MaterialModel => {
    return {
      ...DEFAULT_MATERIAL,
      baseColor: shares(4) as unknown as MaterialModel['baseColor'],
      baseColorTexture: texture(),
      metallic: random.range(0, 1),
      roughness: random.range(0, 1),
      metallicRoughnessTexture: texture(),
      // the first has one in any case, so that there are tangents
      normalTexture: index === 0 ? (texture() ?? texture() ?? texture()) : texture(),
      normalScale: random.range(0.3, 1.5),
      occlusionTexture: texture(),
      occlusionStrength: random.range(0, 1),
      emissive: [random.range(0, 0.3), 0, random.range(0, 0.3)],
      emissiveTexture: texture(),
      alphaMode: random.chance(0.4) ? 'MASK' : 'OPAQUE',
      alphaCutoff: 0.3,
      doubleSided: random.chance(0.5),
      unlit: random.chance(0.2),
    };
  });
  const meshes = materials.map((_, patch) => randomPatch(random, patch));
  const model: CharacterModel = { ...smallModel({ meshes }), materials, images };
  return packCharacter(model);
}

function randomPatch(random: Random, patch: number): MeshModel {
  const positions: number[][] = [];
  const values = {
    normals: [] as number[],
    tangents: [] as number[],
    texcoords: [] as number[],
    colors: [] as number[],
  };
  const indices: number[] = [];
  const unit = ([x, y, z]: readonly number[]) => {
    const length = Math.hypot(x!, y!, z!) || 1;
    return [x! / length, y! / length, z! / length];
  };
  for (let y = 0; y < SIDE; y++) {
    for (let x = 0; x < SIDE; x++) {
      const place = [
        (patch % 3) - 1.5 + x / (SIDE - 1),
        Math.floor(patch / 3) + y / (SIDE - 1),
        random.range(-0.1, 0.1),
      ];
      positions.push(place);
      values.normals.push(...unit([random.range(-0.5, 0.5), random.range(-0.5, 0.5), 1]));
      values.tangents.push(...unit([1, random.range(-0.3, 0.3), random.range(-0.3, 0.3)]), patch % 2 === 0 ? 1 : -1);
      values.texcoords.push(x / (SIDE - 1) + random.range(-0.1, 0.1), y / (SIDE - 1) + random.range(-0.1, 0.1));
      values.colors.push(...[0, 1, 2, 3].map(() => random.range(0.3, 1)));
      const at = SIDE * y + x;
      if (x < SIDE - 1 && y < SIDE - 1) indices.push(at, at + 1, at + SIDE + 1, at, at + SIDE + 1, at + SIDE);
    }
  }
  const floats = (name: keyof typeof values) => Float32Array.from(values[name]);
  // turned, and larger
  const second = floats('texcoords').map((_, i, all) => 1.5 * (i % 2 === 0 ? all[i + 1]! : -all[i - 1]!));
  return meshOf(positions, () => [[0, 1]], {
    channels: [{ name: 'TEXCOORD_1', width: 2, values: second }],
    normals: floats('normals'),
    tangents: floats('tangents'),
    texcoords: floats('texcoords'),
    colors: floats('colors'),
    indices: Uint32Array.from(indices),
    materialIndex: patch,
    primitiveIndex: patch,
  });
}

/** Some of them, one mirrored, that have moved since the frame before; on the CPU. */
export async function looksCrowd(random: Random, character: Character): Promise<Crowd> {
  const crowd = createCrowd(undefined, { characters: [character], capacity: 3, backend: 'cpu' });
  const group = crowd.spawn(character, {
    count: 3,
    place: (i, at) => {
      at.position.set(1.4 * i - 1.4, random.range(0, 0.4), -0.9 * i);
      at.rotation.set(...random.quaternion(0.8));
      at.scale = i === 1 ? -0.6 : 0.6;
    },
  });
  group.setTint([random.range(0.4, 1), random.range(0.4, 1), random.range(0.4, 1), 1], [0, 1]);
  await updateAndWait(crowd, { dt: 0.1 });
  group.setTransform((i, at) => {
    at.position.set(1.4 * i - 1.4 + random.range(-0.1, 0.1), random.range(0, 0.4), -0.9 * i);
  });
  await updateAndWait(crowd, { dt: 0.1 });
  return crowd;
}

/** `drawn` of these things, in a run each, and the uniform of the view that looks at them. */
export function drawnWords(things: readonly DrawnThing[], { gridSteps, ...view }: FilledView, indices: Uint32Array) {
  const rows = ({ size }: { readonly size: number }) => size / 16;
  const primitiveCount = things.reduce((sum, { primitives }) => sum + primitives.length, 0);
  const firstPrimitiveRow = things.length * rows(TriangleRun);
  const instanceRow = firstPrimitiveRow + primitiveCount * rows(TrianglePrimitive);
  const projectionRow = instanceRow + things.length * rows(DrawnInstance);
  const words = new Uint32Array(4 * (projectionRow + things.length * PROJECTION_ROWS));
  const runs = new View(TriangleRun, words.buffer, 0, things.length);
  const primitives = new View(TrianglePrimitive, words.buffer, 16 * firstPrimitiveRow, primitiveCount);
  const instances = new View(DrawnInstance, words.buffer, 16 * instanceRow, things.length);
  const projections = new Float32Array(words.buffer, 16 * projectionRow);
  const pixels = pixelsFromWorld(view.clipFromWorld, view.width, view.height);
  let [primitive, firstBatch] = [0, 0];
  things.forEach((thing, index) => {
    const triangleCount = thing.primitives.reduce((sum, { indexCount }) => sum + indexCount / 3, 0);
    const batchesPerRow = Math.ceil(triangleCount / TRIANGLE_BATCH);
    runs.assign(index, {
      firstRow: index,
      rowCount: 1,
      firstBatch,
      batchesPerRow,
      triangleCount,
      firstIndex: thing.indices.byteOffset / 4 - indices.byteOffset / 4,
      primitiveRow: firstPrimitiveRow + primitive * rows(TrianglePrimitive),
      primitiveCount: thing.primitives.length,
    });
    firstBatch += batchesPerRow;
    for (const { firstIndex, materialRow, primitiveIndex } of thing.primitives) {
      primitives.assign(primitive++, { firstTriangle: firstIndex / 3, materialRow, primitiveIndex });
    }
    const { worldFromModel: now, previousFromModel: before, ...rest } = thing;
    instances.assign(index, {
      worldFromModel: now,
      previousFromModel: before,
      currentVertexOffset: rest.currentVertexOffset,
      previousVertexOffset: rest.previousVertexOffset,
      runRow: index * rows(TriangleRun),
      geometryRow: rest.geometryRow,
      character: rest.character,
      tint: rest.tint,
      attributeWord: rest.attributeWord,
      detail: (rest.isMirrored ? INSTANCE_MIRRORED : 0) | (rest.attributeWords << VISIBLE_WORDS_SHIFT),
    });
    // x, y and w in pixels; the stage reads no depth
    [0, 1, 2].forEach((row) => {
      const [a, b, c, d] = pixels.slice(4 * row, 4 * row + 4) as [number, number, number, number];
      const product = [0, 1, 2, 3].map(
        (column) => a * now[column]! + b * now[4 + column]! + c * now[8 + column]! + (column === 3 ? d : 0),
      );
      projections.set(product, 4 * (PROJECTION_ROWS * index + row));
    });
  });
  const params = { runCount: things.length, instanceRow, projectionRow, listCapacity: 0, countsKept: false, gridSteps };
  return { words, views: triangleViews([{ ...view, hardwareSize: Infinity }], params) };
}

/** What covers each pixel, as raster-triangles would leave it: complement of an id, bits of a depth. */
export function visibilityOf(view: FilledView, things: readonly DrawnThing[], materials: readonly MaterialRow[]) {
  const kept = finish(filterView(view, things));
  const { depths, triangles } = finish(rasterView(view, kept, (row) => maskOf(materials[row]!)));
  const firstBatches: number[] = [];
  let batches = 0;
  for (const { primitives } of things) {
    firstBatches.push(batches);
    batches += Math.ceil(primitives.reduce((sum, { indexCount }) => sum + indexCount / 3, 0) / TRIANGLE_BATCH);
  }
  const numbers = kept.map(({ thing, shown }) => {
    const primitive = thing.primitives.find(({ primitiveIndex }) => primitiveIndex === shown.primitiveIndex)!;
    const corners = thing.indices.subarray(primitive.firstIndex, primitive.firstIndex + primitive.indexCount);
    for (let c = 0; c < corners.length; c += 3) {
      if (shown.corners.every((corner, i) => corners[c + i] === corner)) return (primitive.firstIndex + c) / 3;
    }
    throw new Error('a kept triangle is none of its primitive');
  });
  const ids = Array.from(triangles, (index) => {
    if (index < 0) return undefined;
    const number = numbers[index]!;
    const batch = firstBatches[things.indexOf(kept[index]!.thing)]! + Math.floor(number / TRIANGLE_BATCH);
    return ((batch << TRIANGLE_SHIFT) | (number % TRIANGLE_BATCH)) >>> 0;
  });
  return { depths, ids };
}

/** Runs all steps at once. */
export function finish<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
