import type { Character } from '../../asset/character.ts';
import { reportVertices } from '../../asset/vertex-report.ts';
import { meshesOf } from '../../frame/types.ts';
import { lodOf, memoryOf } from '../character-facts.ts';
import { openFile, packOpened, withLods } from '../load.ts';
import { Progress, bytes, print, printIssues, printJson, printTable } from '../output.ts';

export interface InspectOptions {
  readonly errorBudget?: number;
  readonly vertexFormat?: 'standard' | 'packed' | 'compact';
  readonly lods?: number;
  readonly json?: boolean;
}

/** `maniple inspect FILE` */
export async function runInspect(file: string, options: InspectOptions): Promise<void> {
  const progress = new Progress();
  const opened = await openFile(file);
  if (options.lods) progress.update('making coarser meshes');
  const character = packOpened(await withLods(opened, options.lods), {
    errorBudget: options.errorBudget,
    ...(options.vertexFormat ? { vertexFormat: options.vertexFormat } : {}),
    onProgress: progress.packing(),
  });
  progress.done();
  if (options.json) printJson(inspection(file, character));
  else printInspection(file, character);
}

function inspection(file: string, character: Character): object {
  const { joints, clips, influenceHistogram, issues } = character;
  const vertices = reportVertices(character);
  return {
    file,
    size: character.size,
    bounds: character.bounds,
    reach: character.reach ?? null,
    joints: joints.map(({ name, parentIndex, nodeIndex }) => ({ name, parent: parentIndex, node: nodeIndex })),
    meshes: character.primitives.map((primitive, index) => ({
      node: primitive.nodeName,
      nodeIndex: primitive.nodeIndex,
      primitive: primitive.primitiveIndex,
      part: character.parts[primitive.part],
      vertices: primitive.vertexCount,
      sourceVertices: primitive.vertexOfSource.length,
      triangles: primitive.indexCount / 3,
      material: character.materials[primitive.materialIndex]?.name ?? null,
      vertexFormat: vertices[index],
    })),
    lods: meshesOf(character).map((mesh) => lodOf(mesh, character.joints.length)),
    clips: clips.map(
      ({ name, duration, tracks, keys, knots, channels, form, loops, bytes: size, sourceBytes, maxError, bounds }) => ({
        name,
        duration,
        loops,
        tracks,
        keys,
        knots,
        channels,
        form,
        bytes: size,
        sourceBytes,
        ratio: size > 0 ? sourceBytes / size : 0,
        maxError,
        bounds: bounds ?? null,
      }),
    ),
    influences: { max: influenceHistogram.length - 1, histogram: influenceHistogram },
    morphs: character.morphNames,
    memory: memoryOf(character),
    issues,
  };
}

function printInspection(file: string, character: Character): void {
  const { joints, clips, primitives, influenceHistogram } = character;
  const memory = memoryOf(character);
  print(`${file}: ${character.name}, ${character.size.toPrecision(3)} m across`);
  print(
    `${joints.length} joints, ${primitives.length} primitives, ${character.vertexCount} vertices, ${character.indices.length / 3} triangles`,
  );
  if (character.reach) {
    const { center, radius } = character.reach;
    print(`never beyond ${radius.toPrecision(3)} m from ${center.map((c) => c.toPrecision(3)).join(', ')}`);
  }
  for (const line of vertexLines(character)) print(line);
  print(`influences: ${influenceHistogram.map((count, i) => `${count} × ${i}`).join(', ')}`);
  if (character.morphNames.length > 0) print(`morph targets: ${character.morphNames.join(', ')}`);
  print(
    `memory: rig ${bytes(memory.rig)}, geometry ${bytes(memory.geometry)}, images ${bytes(memory.images)}; each visible character ${bytes(memory.perVisibleCharacter)}`,
  );
  print();
  if (character.lods.length > 0) {
    const levels = meshesOf(character).map((mesh) => lodOf(mesh, joints.length));
    printTable([
      ['LOD', 'triangles', 'vertices', 'joints', 'error', 'bytes'],
      ...levels.map(({ triangles, vertices, joints: posed, error, bytes: size }, level) => [
        level,
        triangles,
        vertices,
        posed,
        `${(error * 1000).toFixed(2)} mm`,
        size,
      ]),
    ]);
    print();
  }
  printTable([
    ['clip', 'seconds', 'tracks', 'keys', 'knots', 'form', 'bytes', 'ratio', 'error'],
    ...clips.map((clip) => [
      clip.name,
      clip.duration.toFixed(3),
      clip.tracks,
      clip.keys,
      clip.knots,
      clip.form,
      clip.bytes,
      (clip.sourceBytes / clip.bytes).toFixed(1),
      `${(clip.maxError * 1000).toFixed(4)} mm`,
    ]),
  ]);
  print();
  printIssues(character.issues);
}

/** How vertices are packed: a line for each way that some primitive is. */
function vertexLines(character: Character): string[] {
  const counts = new Map<string, number>();
  reportVertices(character).forEach(({ layout, channels, influences, bytesPerVertex }, index) => {
    const formats = Object.entries(channels).map(([channel, format]) => `${channel} ${format}`);
    const each = bytesPerVertex.channels;
    const deltas = bytesPerVertex.perTarget > 0 ? ` + ${bytesPerVertex.perTarget} per morph target` : '';
    // variable ones differ from mesh to mesh
    const joints = influences === 'fixed' ? `${bytesPerVertex.influences} of influences` : '4 + 8 per influence';
    const way = `${layout} (${formats.join(', ')}): ${each} + ${joints}${deltas} bytes each`;
    counts.set(way, (counts.get(way) ?? 0) + character.primitives[index]!.vertexCount);
  });
  return Array.from(counts, ([way, count]) => `${count} vertices ${way}`);
}
