import type { Character } from '../../character/character.ts';
import { GEOMETRY_TANGENTS, GeometryHeader } from '../../character/format/geometry-layout.ts';
import { expectOptions, type Names } from '../../crowd/arguments.ts';
import { fail } from '../../errors.ts';
import { joinTables, type CrowdTables, type CrowdType } from '../../frame/tables/crowd-types.ts';
import { View } from '../../layout/index.ts';
import { packPosition } from '../../math/packing.ts';
import {
  RESIDENT_NONE,
  Resident,
  ROW_NONE,
  Transform,
  VISIBLE_WORDS_SHIFT,
  VisibleCharacter,
} from '../../stages/layout.ts';
import { cross, type Vector } from '../camera.ts';
import type { Bounds } from '../lighting/cascades.ts';

/** Position, rotation and scale of one copy of a piece. */
export interface StaticPlace {
  /** Metres, in the space of the crowd's transforms. */
  readonly position: Vector;
  /** Unit quaternion x, y, z, w. */
  readonly rotation: readonly [number, number, number, number];
  readonly scale: number;
}

/** A piece of scenery, and the places of its copies. */
export interface StaticPiece {
  /** A character made by `packScenery`. */
  readonly character: Character;
  readonly places: readonly StaticPlace[];
}

const STATIC_PIECE: Names<StaticPiece> = { character: true, places: true };

/** Consecutive rows of the list that show the same piece. */
export interface StaticRun {
  readonly type: CrowdType;
  readonly firstRow: number;
  readonly rowCount: number;
}

/** Scenery in the form of a crowd's memory. */
export interface StaticLayout {
  readonly tables: CrowdTables;
  /** A row per place, in runs; `character` is the row itself. */
  readonly visible: View<(typeof VisibleCharacter)['fields']>;
  readonly transforms: View<(typeof Transform)['fields']>;
  /** Rows without a character: `typeIndex` is RESIDENT_NONE. White, with all parts. */
  readonly residents: View<(typeof Resident)['fields']>;
  /** Vertices of all types, once each, as a page of skin-vertices: positions, then a normal and a tangent each (0 without one). */
  readonly skinned: Uint32Array<ArrayBuffer>;
  readonly runs: readonly StaticRun[];
  /** Box around all scenery, in world space; undefined without scenery. */
  readonly bounds: Bounds | undefined;
}

/** @throws ManipleError CROWD_BAD_ARGUMENT: an invalid place, or a character that joints move */
export function layOutStatics(pieces: readonly StaticPiece[]): StaticLayout {
  pieces.forEach((piece, i) => expectOptions(`pieces[${i}]`, piece, STATIC_PIECE));
  const characters = [...new Set(pieces.map(({ character }) => character))];
  characters.forEach(checkStill);
  const tables = joinTables(characters, { serialPoses: false, layers: false });
  const placesOf = (wanted: Character) =>
    pieces.flatMap(({ character, places }) => (character === wanted ? places : []));
  const rows = tables.types.flatMap((type) => placesOf(type.character).map((place) => ({ type, place })));
  const vertexOf = firstVertices(tables.types);
  const vertexCount = vertexCountOf(tables.types);
  const [visible, transforms, residents] = [
    new View(VisibleCharacter, rows.length),
    new View(Transform, rows.length),
    new View(Resident, rows.length),
  ];
  rows.forEach(({ type, place }, row) => {
    checkPlace(type.character, place);
    const vertex = vertexOf.get(type)!;
    visible.assign(row, {
      character: row,
      typeRow: type.typeRow,
      geometryRow: type.levels[0]!.geometryRow,
      paletteRow: ROW_NONE,
      motionRow: ROW_NONE,
      views: 0xffffffff,
      currentVertexOffset: vertex,
      previousVertexOffset: vertex,
      parts: [0xffffffff, 0xffffffff],
      attributeWord: 2 * (vertexCount + vertex),
      detail: SCENERY_WORDS << VISIBLE_WORDS_SHIFT,
    });
    transforms.assign(row, place);
    residents.assign(row, {
      typeIndex: RESIDENT_NONE,
      leader: row,
      parts: [0xffffffff, 0xffffffff],
      views: 0xffffffff,
      tint: 0xffffffff,
    });
  });
  let firstRow = 0;
  const runs = tables.types.map((type): StaticRun => {
    const rowCount = placesOf(type.character).length;
    firstRow += rowCount;
    return { type, firstRow: firstRow - rowCount, rowCount };
  });
  return { tables, visible, transforms, residents, skinned: pageOf(tables.types), runs, bounds: boundsOf(rows) };
}

function checkStill({ name, influenceHistogram, lods, geometry }: Character): void {
  const isStandard = headerOf(geometry).get(0, 'channelRow') === 0;
  if (influenceHistogram.length <= 1 && lods.length === 0 && isStandard) return;
  const message = 'Not scenery: joints move it, or it has levels of detail or vertex formats of its own.';
  fail('CROWD_BAD_ARGUMENT', name, message, 'Use packScenery.');
}

function checkPlace({ name }: Character, { position, rotation, scale }: StaticPlace): void {
  const isTurn = Math.abs(Math.hypot(...rotation) - 1) < 1e-3;
  if (position.every(Number.isFinite) && isTurn && scale > 0 && scale < Infinity) return;
  const message = `The transform is invalid: position ${position.join(', ')}, rotation ${rotation.join(', ')}, scale ${scale}.`;
  fail('CROWD_BAD_ARGUMENT', name, message, 'Use metres, a unit quaternion, and a scale above 0.');
}

function headerOf({ buffer, byteOffset }: Uint32Array<ArrayBuffer>): View<(typeof GeometryHeader)['fields']> {
  return new View(GeometryHeader, buffer, byteOffset, 1);
}

/** First vertex of each type. */
function firstVertices(types: readonly CrowdType[]): ReadonlyMap<CrowdType, number> {
  let end = 0;
  return new Map(types.map((type) => [type, (end += type.character.vertexCount) - type.character.vertexCount]));
}

const vertexCountOf = (types: readonly CrowdType[]) =>
  types.reduce((sum, { character }) => sum + character.vertexCount, 0);

/** Words of attributes per vertex: normal and tangent. */
const SCENERY_WORDS = 2;

function pageOf(types: readonly CrowdType[]): Uint32Array<ArrayBuffer> {
  const count = vertexCountOf(types);
  const words = new Uint32Array(4 * count);
  for (const [type, first] of firstVertices(types)) {
    const { geometry, vertexCount } = type.character;
    const floats = new Float32Array(geometry.buffer, geometry.byteOffset, geometry.length);
    const header = headerOf(geometry);
    const hasTangents = (header.get(0, 'flags') & GEOMETRY_TANGENTS) !== 0;
    for (let v = 0; v < vertexCount; v++) {
      const at = 4 * (header.get(0, 'positionRow') + v);
      words.set(packPosition(floats, at), 2 * (first + v));
      const tangent = hasTangents ? geometry[header.get(0, 'tangentWord') + v]! : 0;
      words.set([geometry[at + 3]!, tangent], 2 * (count + first + v));
    }
  }
  return words;
}

/** Box around the turned boxes of all scenery. */
function boundsOf(rows: readonly { readonly type: CrowdType; readonly place: StaticPlace }[]): Bounds | undefined {
  const [min, max] = [Array(3).fill(Infinity), Array(3).fill(-Infinity)] as [number[], number[]];
  for (const { type, place } of rows) {
    const { bounds } = type.character;
    for (let corner = 0; corner < 8; corner++) {
      const local = [0, 1, 2].map((axis) => ((corner >> axis) & 1 ? bounds.max : bounds.min)[axis]!);
      placed(local, place).forEach((value, axis) => {
        min[axis] = Math.min(min[axis]!, value);
        max[axis] = Math.max(max[axis]!, value);
      });
    }
  }
  const vector = ([x, y, z]: readonly number[]): Vector => [x!, y!, z!];
  return rows.length === 0 ? undefined : { min: vector(min), max: vector(max) };
}

/** Moves a point of a piece to world space. */
function placed(point: readonly number[], { position, rotation: [x, y, z, w], scale }: StaticPlace): number[] {
  const p = point.map((value) => value * scale) as [number, number, number];
  const once = cross([x, y, z], p);
  const twice = cross([x, y, z], once);
  return p.map((value, c) => value + 2 * (w * once[c]! + twice[c]!) + position[c]!);
}
