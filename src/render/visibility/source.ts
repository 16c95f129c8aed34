import type { Character } from '../../asset/character.ts';
import type { DrawnMemory } from '../../frame/backend.ts';
import { type CrowdType, meshesOf } from '../../frame/types.ts';
import { contactPointsOf } from '../contact-points.ts';
import { contactRadiusOf } from '../forward/primitives.ts';
import type { Statics } from '../statics/statics.ts';
import { isBlended, isMasked, materialOf } from '../materials/material-table.ts';

/** A visible list whose characters, or pieces of scenery, are drawn triangle by triangle, and the memory behind it. */
export interface TriangleSource {
  /** VisibleCharacter rows; what they name are rows of the next three. */
  readonly visible: GPUBuffer;
  readonly transforms: GPUBuffer;
  readonly previousTransforms: GPUBuffer;
  readonly residents: GPUBuffer;
  readonly geometry: GPUBuffer;
  readonly indices: GPUBuffer;
  /** Rows that the list has room for. */
  readonly rowCapacity: number;
  /** Rows are characters that have ids. */
  readonly isCrowd: boolean;
  /** Where the GPU writes which rows runs have; undefined where they never change. */
  readonly targets?: GPUBuffer | undefined;
  /** Vertices, page by page, and the runs that they belong to, in the order of the list. */
  readonly pages: readonly SourcePage[];
}

export interface SourcePage {
  readonly skinned: GPUBufferBinding;
  readonly skinnedTangents: GPUBufferBinding;
  readonly runs: readonly SourceRun[];
}

/** Rows of one mesh. */
export interface SourceRun {
  /** Byte of `targets` where first row and count stand, or those themselves. */
  readonly rows: { readonly recordByte: number } | { readonly firstRow: number; readonly rowCount: number };
  /** Where the mesh's indices begin. */
  readonly firstIndex: number;
  readonly primitives: readonly SourcePrimitive[];
  /** Of the soft shade that its body leaves on the ground, metres; 0: none. */
  readonly contactRadius: number;
  /** Vertices that tell where the body is: see `contact-points.ts`. */
  readonly contactPoints?: Uint32Array<ArrayBuffer>;
  /** Sphere that no pose leaves, in model space; undefined: none is known. */
  readonly sphere: { readonly center: readonly number[]; readonly radius: number } | undefined;
}

/** Consecutive indices of one material. */
export interface SourcePrimitive {
  /** From the mesh's first one. */
  readonly firstIndex: number;
  readonly indexCount: number;
  /** Of the 64 that can be hidden. */
  readonly part: number;
  readonly doubleSided: boolean;
  readonly masked: boolean;
  /** Pictures show what is behind it; default: no. */
  readonly blended?: boolean;
  readonly materialRow: number;
}

/** Row of the material of a primitive. */
export type MaterialRowOf = (character: Character, primitiveIndex: number) => number;

/**
 * What a crowd draws in one frame.
 * @param capacity Rows of its visible list.
 */
export function crowdSource(memory: DrawnMemory, capacity: number, materialRowOf: MaterialRowOf): TriangleSource {
  const { crowd, targets, draws } = memory;
  const pageCount = Math.max(0, ...draws.map(({ pageIndex }) => pageIndex + 1));
  const pages = Array.from({ length: pageCount }, (_, pageIndex): SourcePage => {
    const { skinned, skinnedTangents } = memory.page(pageIndex);
    const ofPage = draws.filter((draw) => draw.pageIndex === pageIndex);
    const runs = ofPage.map(({ type, levelIndex, recordByte }) =>
      crowdRun(type, levelIndex, { recordByte }, materialRowOf),
    );
    return { skinned, skinnedTangents, runs };
  });
  return { ...pickBuffers(crowd), rowCapacity: capacity, isCrowd: true, targets, pages };
}

/** What stands still. */
export function scenerySource(scenery: Statics, materialRowOf: MaterialRowOf): TriangleSource {
  const { skinned, skinnedTangents, runs } = scenery;
  const page: SourcePage = {
    skinned,
    skinnedTangents,
    runs: runs.map(({ type, firstRow, rowCount }) => ({
      ...meshRun(type, 0, { firstRow, rowCount }, materialRowOf),
      contactRadius: 0,
      sphere: sphereAround(type.character),
    })),
  };
  const rowCapacity = runs.reduce((sum, { rowCount }) => sum + rowCount, 0);
  return { ...pickBuffers(scenery), rowCapacity, isCrowd: false, pages: [page] };
}

function sphereAround({ bounds: { min, max }, size }: Character): SourceRun['sphere'] {
  return { center: [0, 1, 2].map((c) => (min[c]! + max[c]!) / 2), radius: size / 2 };
}

function pickBuffers({
  visible,
  transforms,
  previousTransforms,
  residents,
  geometry,
  indices,
}: Pick<TriangleSource, 'visible' | 'transforms' | 'previousTransforms' | 'residents' | 'geometry' | 'indices'>) {
  return { visible, transforms, previousTransforms, residents, geometry, indices };
}

/** A run of characters: of a type's level, whose contact points have been loaded. */
export function crowdRun(...of: Parameters<typeof meshRun>): SourceRun & Required<Pick<SourceRun, 'contactPoints'>> {
  const [{ character }, levelIndex] = of;
  return { ...meshRun(...of), contactPoints: contactPointsOf(meshesOf(character)[levelIndex]!) };
}

/** The run of a type's level. */
export function meshRun(
  { character, levels }: CrowdType,
  levelIndex: number,
  rows: SourceRun['rows'],
  materialRowOf: MaterialRowOf,
): SourceRun {
  const { primitives, firstIndex } = levels[levelIndex]!;
  return {
    rows,
    firstIndex,
    contactRadius: contactRadiusOf(character),
    sphere: character.reach,
    primitives: primitives.map(({ firstIndex: first, indexCount, part, materialIndex }, index) => {
      const material = materialOf(character, { materialIndex });
      return {
        firstIndex: first,
        indexCount,
        part,
        doubleSided: material.doubleSided,
        masked: isMasked(material),
        blended: isBlended(material),
        materialRow: materialRowOf(character, index),
      };
    }),
  };
}
