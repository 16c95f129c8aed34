import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { pose, type Pose, type PoseOptions } from '../../src/cli/actions/pose.ts';
import { shared } from './shared.ts';

/** Independent float64 vertex positions of a file, as they stand in the shared data. */
export interface Reference {
  readonly file: string;
  readonly clips: readonly {
    readonly index: number;
    readonly name: string;
    readonly samples: readonly { readonly t: number; readonly points: readonly ReferencePoints[] }[];
  }[];
}

interface ReferencePoints {
  readonly node: string;
  readonly primitive: number;
  readonly vertices: readonly number[];
  readonly positions: readonly (readonly number[])[];
}

export interface ReferencedFile {
  readonly file: string;
  /** Diagonal of the rest bounds, in metres. */
  readonly size: number;
  /** Vertex data or keys are stored in fewer bits than floats. */
  readonly quantized: boolean;
}

/** All files of the shared assets that have reference positions. */
export function referencedFiles(): ReferencedFile[] {
  const index = path.join(shared, 'assets/assets.json');
  if (!existsSync(index)) return [];
  const assets = JSON.parse(readFileSync(index, 'utf8')) as {
    file: string;
    restBounds: number[];
    extensionsUsed: string[];
  }[];
  return assets
    .filter(({ file }) => existsSync(referencePath(file)))
    .map(({ file, restBounds: [a, b, c, d, e, f], extensionsUsed }) => ({
      file,
      size: Math.hypot(d! - a!, e! - b!, f! - c!),
      quantized: extensionsUsed.some((name) => /quantization|meshopt|draco/.test(name)),
    }));
}

function referencePath(file: string): string {
  return path.join(shared, 'assets/reference', `${file.replaceAll('/', '__')}.json`);
}

export function readReference(file: string): Reference {
  return JSON.parse(readFileSync(referencePath(file), 'utf8')) as Reference;
}

export interface PoseError {
  /** Distances as shares of the model's size: at worst, and on average. */
  readonly worst: number;
  readonly mean: number;
  readonly points: number;
}

/** Runs `maniple pose` at every moment of the reference and measures the distances. */
export async function poseError(
  file: string,
  size: number,
  options: Omit<PoseOptions, 'clip' | 'time'>,
  device?: GPUDevice,
): Promise<PoseError> {
  const { clips } = readReference(file);
  const moments = clips.flatMap(({ index, samples }) => samples.map((sample) => ({ index, sample })));
  const asked = {
    ...options,
    clip: moments.map(({ index }) => String(index)),
    time: moments.map(({ sample }) => sample.t),
  };
  const poses = await pose(path.join(shared, 'assets', file), asked, device);
  let [worst, sum, points] = [0, 0, 0];
  moments.forEach(({ sample }, i) => {
    for (const distance of distances(sample.points, poses[i]!)) {
      worst = Math.max(worst, distance / size);
      sum += distance / size;
      points++;
    }
  });
  return { worst, mean: sum / Math.max(1, points), points };
}

function* distances(expected: readonly ReferencePoints[], { meshes }: Pose): Generator<number> {
  // Node names may repeat: the reference lists nodes in file order, so the k-th mention of a name is its k-th node.
  const seen = new Map<string, number>();
  for (const { node, primitive, vertices, positions } of expected) {
    const key = `${node} ${primitive}`;
    const mention = seen.get(key) ?? 0;
    seen.set(key, mention + 1);
    const mesh = meshes.filter((m) => m.node === node && m.primitive === primitive)[mention];
    if (!mesh) throw new Error(`no mesh ${key} (${mention})`);
    for (const [i, vertex] of vertices.entries()) {
      yield Math.hypot(...[0, 1, 2].map((c) => mesh.positions[3 * vertex + c]! - positions[i]![c]!));
    }
  }
}
