import type { View } from '../../../layout/index.ts';
import { affineFromPose, multiplyAffine } from '../../../math/affine.ts';
import { VISIBLE_NEW, type Resident, type Transform, type VisibleCharacter } from '../../../stages/layout.ts';
import { INSTANCE_MIRRORED, type RunView, type TriangleView } from '../triangles.ts';

export interface InstanceInputs {
  readonly runs: RunView;
  readonly views: View<(typeof TriangleView)['fields']>;
  readonly visible: View<(typeof VisibleCharacter)['fields']>;
  readonly transforms: View<(typeof Transform)['fields']>;
  readonly previousTransforms: View<(typeof Transform)['fields']>;
  readonly residents: View<(typeof Resident)['fields']>;
  /** The list's runs, its first instance, and whether its rows are characters. */
  readonly firstRun: number;
  readonly runCount: number;
  readonly firstInstance: number;
  readonly isCrowd: boolean;
}

/** A DrawnInstance in double precision, and its matrix in every view. */
export interface PlacedInstance {
  readonly worldFromModel: readonly number[];
  readonly previousFromModel: readonly number[];
  readonly offsets: readonly [current: number, previous: number, runRow: number, geometryRow: number];
  readonly parts: readonly number[];
  /** By view. */
  readonly sizes: readonly InstanceSize[];
  readonly character: number;
  readonly tint: number;
  readonly attributeWord: number;
  readonly detail: number;
  /** By view: x and y in pixels, w, depth, times w; four numbers each. */
  readonly projections: readonly (readonly number[])[];
  /** The same sums of absolute terms: what rounding is relative to. */
  readonly terms: readonly (readonly number[])[];
}

/** How large an instance is in a view. */
export interface InstanceSize {
  /** Pixels across; 0 where it is not shown. */
  readonly size: number;
  readonly isShown: boolean;
  readonly byHardware: boolean;
  /** How far the nearest of all comparisons is from turning out otherwise, relative to what it compares. */
  readonly margin: number;
  /** How many times as much the size changes as the terms that its depth is the sum of, relative to each. */
  readonly sensitivity: number;
}

/** Rows of a TriangleRun. */
const RUN_ROWS = 4;
/** Pixels across of what has no size. */
const LARGE = 1e30;

/**
 * Twin of placeInstances, and of sizeInstances, which uses the same sizes. Returns a row of the list; undefined if it
 * is after those of its run. Runs have the rows of the list, also where only some of them are drawn.
 */
export function placeInstance(inputs: InstanceInputs, row: number): PlacedInstance | undefined {
  const { runs, views, visible, transforms, residents, firstRun, runCount } = inputs;
  const instance = inputs.firstInstance + row;
  const beginning = Array.from({ length: runCount }, (_, i) => firstRun + i).filter(
    (run) => runs.get(run, 'firstRow') <= instance,
  );
  const run = beginning.at(-1) ?? firstRun;
  if (runCount === 0 || instance - runs.get(run, 'firstRow') >= runs.get(run, 'rowCount')) return undefined;
  const { worldFromModel, previousFromModel } = placeRow(inputs, row);
  const character = visible.get(row, 'character');
  const mirrored = transforms.get(character, 'scale') < 0 ? INSTANCE_MIRRORED : 0;
  const detail = (visible.get(row, 'detail') | mirrored) >>> 0;
  const center = runs.get(run, 'center');
  const world = [0, 1, 2].map((r) => {
    const [a, b, c, d] = worldFromModel.slice(4 * r, 4 * r + 4) as [number, number, number, number];
    return a * center[0]! + b * center[1]! + c * center[2]! + d;
  });
  const radius = runs.get(run, 'radius') * Math.abs(transforms.get(character, 'scale'));
  const seen = visible.get(row, 'views');
  return {
    worldFromModel,
    previousFromModel,
    offsets: [
      visible.get(row, 'currentVertexOffset'),
      visible.get(row, 'previousVertexOffset'),
      run * RUN_ROWS,
      visible.get(row, 'geometryRow'),
    ],
    parts: visible.get(row, 'parts'),
    sizes: Array.from({ length: views.count }, (_, view) => {
      if ((seen & views.get(view, 'crowdViews')) === 0)
        return { size: 0, isShown: false, byHardware: false, margin: Infinity, sensitivity: 1 };
      return sizeIn(views, view, world, radius);
    }),
    character: inputs.isCrowd ? character + 1 : 0,
    tint: residents.get(character, 'tint'),
    attributeWord: visible.get(row, 'attributeWord'),
    detail,
    projections: Array.from({ length: views.count }, (_, view) => projectionOf(views, view, worldFromModel)),
    terms: Array.from({ length: views.count }, (_, view) => projectionOf(views, view, worldFromModel, Math.abs)),
  };
}

/** Matrices of a row of the list, in double precision; what is new to its views has not moved. */
export function placeRow(
  { visible, transforms, previousTransforms }: Pick<InstanceInputs, 'visible' | 'transforms' | 'previousTransforms'>,
  row: number,
): Pick<PlacedInstance, 'worldFromModel' | 'previousFromModel'> & { readonly isMirrored: boolean } {
  const character = visible.get(row, 'character');
  const isNew = (visible.get(row, 'detail') & VISIBLE_NEW) !== 0;
  const worldFromModel = affineOf(transforms, character);
  const previousFromModel = isNew ? worldFromModel : affineOf(previousTransforms, character);
  return { worldFromModel, previousFromModel, isMirrored: transforms.get(character, 'scale') < 0 };
}

function affineOf(transforms: View<(typeof Transform)['fields']>, character: number): number[] {
  const [position, rotation] = [transforms.get(character, 'position'), transforms.get(character, 'rotation')];
  const scale = transforms.get(character, 'scale');
  const matrix = new Float64Array(12);
  affineFromPose([...position, ...rotation, scale, scale, scale], 0, matrix, 0);
  return Array.from(matrix);
}

/** An instance's matrix in a view, row after row. @param of Math.abs: the sums of absolute terms instead. */
function projectionOf(
  views: InstanceInputs['views'],
  view: number,
  worldFromModel: readonly number[],
  of = (value: number): number => value,
): number[] {
  const [x, y, z, w] = [0, 1, 2, 3].map((r) => rowOf(views, view, r)) as [number[], number[], number[], number[]];
  const [width, height] = [views.get(view, 'width'), views.get(view, 'height')];
  const pixels = [
    w.map((value, c) => 0.5 * width * (of(value) + of(x[c]!))),
    w.map((value, c) => 0.5 * height * (of(value) + of(-y[c]!))),
  ];
  const matrix = worldFromModel.map(of);
  return [...pixels, w.map(of), z.map(of)].flatMap((row) => {
    const out = new Float64Array(12);
    multiplyAffine([...row, 0, 0, 0, 0, 0, 0, 0, 0], 0, matrix, 0, out, 0);
    return Array.from(out.subarray(0, 4));
  });
}

function rowOf(views: InstanceInputs['views'], view: number, row: number): number[] {
  const matrix = views.get(view, 'clipFromWorld') as unknown as number[];
  return [0, 1, 2, 3].map((c) => matrix[4 * c + row]!);
}

/** A sphere in a view: Gribb and Hartmann's planes at its sides and at the eye, and pixels across at its nearest depth. */
function sizeIn(views: InstanceInputs['views'], view: number, center: readonly number[], radius: number): InstanceSize {
  const hardwareSize = views.get(view, 'hardwareSize');
  if (radius < 0)
    return { size: LARGE, isShown: true, byHardware: LARGE >= hardwareSize, margin: Infinity, sensitivity: 1 };
  const [x, y, , w] = [0, 1, 2, 3].map((r) => rowOf(views, view, r)) as [number[], number[], number[], number[]];
  const at = (row: readonly number[]) => row[0]! * center[0]! + row[1]! * center[1]! + row[2]! * center[2]! + row[3]!;
  const length = (row: readonly number[]) => Math.hypot(row[0]!, row[1]!, row[2]!);
  const planes = [x, y].flatMap((row) => [1, -1].map((sign) => w.map((value, c) => value + sign * row[c]!)));
  // by how far it reaches into each half-space, next to what was added up
  const reaches = [...planes, w].map((plane) => {
    const terms = [0, 1, 2].reduce((sum, c) => sum + Math.abs(plane[c]! * center[c]!), Math.abs(plane[3]!));
    const reach = radius * length(plane);
    return { reach: at(plane) + reach, scale: terms + reach };
  });
  const isShown = reaches.every(({ reach }) => reach > 0);
  const nearest = at(w) - radius * length(w);
  const size = (2 * radius * views.get(view, 'pixelsPerMetre')) / nearest;
  const pixels = nearest <= 0 ? LARGE : size;
  const byHardware = isShown && pixels >= hardwareSize;
  const margin = Math.min(
    ...reaches.map(({ reach, scale }) => Math.abs(reach) / scale),
    Math.abs(nearest) / reaches[4]!.scale,
    nearest > 0 && hardwareSize > 0 ? Math.abs(size / hardwareSize - 1) : Infinity,
  );
  const sensitivity = nearest > 0 ? reaches[4]!.scale / nearest : 1;
  return { size: isShown ? pixels : 0, isShown, byHardware, margin, sensitivity };
}
