import type { Node } from 'three/webgpu';
import {
  cross,
  dot,
  float,
  If,
  Loop,
  normalGeometry,
  positionGeometry,
  select,
  sign,
  tangentGeometry,
  uint,
  vec3,
  vec4,
  vertexIndex,
  wgslFn,
} from 'three/tsl';
import type { CharacterMesh } from '../character/character.ts';
import { eachInfluence } from '../character/packed-vertices.ts';
import { fail } from '../errors.ts';
import { asFloat, asFloats, component, quadsOf, type Table } from './rows.ts';
import { openBatches } from './vertex-attributes.ts';

/**
 * Reads a vertex of a character in model space, given the first row of its slot and the word of the vertex's attributes. Call it
 * inside an `Fn`.
 */
export type VertexSource = (
  slotRow: Node<'uint'>,
  attributeWord: Node<'uint'>,
) => {
  position(): Node<'vec3'>;
  /** Not normalised. */
  normal(): Node<'vec3'>;
  /** Without handedness, which is constant and is read from the geometry. */
  tangent(): Node<'vec3'>;
  /** The crowd's `skinnedChannel`, if it has one. */
  channel?(): Node<'vec4'>;
};

const unpackOctahedral = wgslFn<[Node]>(/* wgsl */ `
  fn unpackOctahedral(word: u32) -> vec3<f32> {
    let p = unpack2x16snorm(word);
    let z = 1.0 - abs(p.x) - abs(p.y);
    let fold = max(-z, 0.0);
    return normalize(vec3<f32>(p + select(vec2<f32>(fold), vec2<f32>(-fold), p >= vec2<f32>(0.0)), z));
  }`);
const unpackPosition = wgslFn<[Node, Node]>(/* wgsl */ `
  fn unpackPosition(low: u32, high: u32) -> vec3<f32> {
    let unit = bitcast<f32>(((high & 0x7fu) + 47u) << 23u);
    return unit * vec3<f32>(vec3<i32>(
      i32(low << 13u) >> 13u,
      i32(((high << 19u) & 0xfc000000u) | ((low >> 19u) << 13u)) >> 13u,
      i32(high) >> 13u,
    ));
  }`);

/**
 * For slots with vertices, written by skin-vertices.
 * @param unpackedChannel WGSL that unpacks a word of the crowd's channel, if it has one.
 */
export function skinnedSource(page: Table, unpackedChannel?: (word: string) => string): VertexSource {
  const quads = quadsOf(page);
  const unpackChannel =
    unpackedChannel &&
    wgslFn<[Node]>(`fn unpackChannel(word: u32) -> vec4<f32> { return ${unpackedChannel('word')}; }`);
  return (slotRow, attributeWord) => {
    const wordAt = (index: number) => {
      const word = attributeWord.add(uint(index)).toVar();
      return component(quads(word.shiftRight(uint(2))).toVar(), word.bitAnd(uint(3)).toVar());
    };
    return {
      position() {
        const row = slotRow.add(vertexIndex).toVar();
        const quad = quads(row.shiftRight(uint(1))).toVar();
        const first = row.bitAnd(uint(1)).mul(uint(2)).toVar();
        return unpackPosition(component(quad, first), component(quad, first.add(uint(1)))) as Node<'vec3'>;
      },
      normal: () => unpackOctahedral(wordAt(0)) as Node<'vec3'>,
      // the lowest bit of y is the handedness
      tangent: () => unpackOctahedral(wordAt(1).bitAnd(uint(0xfffeffff))) as Node<'vec3'>,
      ...(unpackChannel ? { channel: () => unpackChannel(wordAt(2)) as Node<'vec4'> } : {}),
    };
  };
}

/**
 * For slots with palettes, where draws skin: `createCrowd({ skin: 'vertex' })`.
 * @param bound The influences and morph targets of the mesh's vertices.
 */
export function boundSource(page: Table, bound: BoundVertices & { readonly table: Table }): VertexSource {
  const rows = quadsOf(page);
  const quads = quadsOf(bound.table);
  return (slotRow) => {
    // a row of a palette takes two rows of the page
    const slot = slotRow.shiftRight(uint(1)).toVar();
    const position = vec3(positionGeometry).toVar();
    const normal = vec3(normalGeometry).toVar();
    const head = quads(vertexIndex).toVar();
    if (bound.hasMorphs) morph(slot, head.z, position, normal);
    const matrix = [vec4(0).toVar(), vec4(0).toVar(), vec4(0).toVar()] as const;
    Loop({ start: uint(0), end: head.y, type: 'uint', condition: '<' }, ({ i }) => {
      const pair = quads(head.x.add(i as unknown as Node<'uint'>)).toVar();
      for (const [index, bits] of [
        [pair.x, pair.y],
        [pair.z, pair.w],
      ] as const) {
        const entry = slot.add(index.mul(uint(3))).toVar();
        const weight = asFloat(bits).toVar();
        matrix.forEach((row, r) => row.addAssign(asFloats(rows(entry.add(uint(r)))).mul(weight)));
      }
    });
    // vertices without influences keep their rest position
    If(head.y.equal(uint(0)), () => {
      matrix.forEach((row, r) => row.assign(vec4(...[0, 1, 2, 3].map((c) => (c === r ? 1 : 0)))));
    });
    const [x, y, z] = matrix;
    const times = (v: Node<'vec3'>) => vec3(dot(x.xyz, v), dot(y.xyz, v), dot(z.xyz, v)) as unknown as Node<'vec3'>;
    return {
      position: () => times(position).add(vec3(x.w, y.w, z.w)) as Node<'vec3'>,
      normal: () => {
        // the inverse transpose, up to a factor
        const [a, b, c] = [cross(y.xyz, z.xyz), cross(z.xyz, x.xyz), cross(x.xyz, y.xyz)];
        const turned = vec3(dot(a, normal), dot(b, normal), dot(c, normal));
        return turned.mul(sign(dot(a, x.xyz))).normalize() as unknown as Node<'vec3'>;
      },
      tangent: () => times(tangentGeometry.xyz).normalize() as unknown as Node<'vec3'>,
    };
  };

  function morph(slot: Node<'uint'>, record: Node<'uint'>, position: Node<'vec3'>, normal: Node<'vec3'>): void {
    If(record.notEqual(uint(0)), () => {
      const { x: first, y: end } = quads(record).toVar();
      Loop({ start: uint(0), end, type: 'uint', condition: '<' }, ({ i }) => {
        const target = i as unknown as Node<'uint'>;
        const index = first.add(target).toVar();
        const row = asFloats(rows(slot.add(uint(bound.morphWeightRow)).add(index.div(uint(3))))).toVar();
        const axis = index.mod(uint(3)).toVar();
        const weight = select(axis.equal(uint(0)), row.x, select(axis.equal(uint(1)), row.y, row.z)).toVar();
        If(weight.notEqual(float(0)), () => {
          const delta = record
            .add(uint(1))
            .add(target.mul(uint(2)))
            .toVar();
          const [ofPosition, ofNormal] = [delta, delta.add(uint(1))].map((quad) => asFloats(quads(quad)).xyz);
          position.addAssign(ofPosition!.mul(weight));
          normal.addAssign(ofNormal!.mul(weight));
        });
      });
    });
  }
}

/** Influences and morph targets of one vertex. */
export interface BoundVertex {
  readonly influences: (readonly [entry: number, weight: number])[];
  morphs?: {
    readonly firstWeight: number;
    /** Six numbers per target, added to position and normal. */
    readonly deltas: ArrayLike<number>;
  };
}

/** Influences and morph targets of all vertices of a mesh, for draws that skin. */
export interface BoundVertices {
  /** See `boundTable`. */
  readonly words: Uint32Array<ArrayBuffer>;
  readonly hasMorphs: boolean;
  /** First row of the morph weights in a slot. */
  readonly morphWeightRow: number;
}

/**
 * Lists the influences and morph targets of each vertex of a mesh. About a microsecond per vertex, once.
 * @param byteLimit Largest size in bytes of a table that a draw can read.
 * @throws ManipleError DEVICE_LIMIT
 */
export function boundVertices(mesh: CharacterMesh, name: string, byteLimit: number): BoundVertices {
  const { vertexCount } = mesh;
  const vertices = Array.from({ length: vertexCount }, (): BoundVertex => ({ influences: [] }));
  eachInfluence(mesh, (vertex, entry, weight) => vertices[vertex]!.influences.push([entry, weight]));
  const { header, batches } = openBatches(mesh);
  for (const { firstVertex, endVertex, morphTargets, loader } of batches) {
    const targets = Array.from({ length: morphTargets >>> 16 }, (_, t) => t + 1);
    if (targets.length === 0) continue;
    for (let v = firstVertex; v < endVertex; v++) {
      const deltas = targets.flatMap((target) => [...loader.loadPosition(v, target), ...loader.loadNormal(v, target)]);
      vertices[v]!.morphs = { firstWeight: morphTargets & 0xffff, deltas };
    }
  }
  const hasMorphs = vertices.some(({ morphs }) => morphs !== undefined);
  const words = boundTable(vertices);
  if (words.byteLength > byteLimit) {
    const message = `Its draws read ${words.byteLength} bytes of influences and morph targets; the device binds ${byteLimit}.`;
    const suggestion = "Skin it with 'compute', or request the device with the limits of its adapter.";
    fail('DEVICE_LIMIT', name, message, suggestion);
  }
  return { words, hasMorphs, morphWeightRow: header.get(0, 'morphWeightRow') };
}

/**
 * Builds the table, in rows of four words. It begins with a row per vertex: the first row of its influences, the number of these rows,
 * and the row of its morph record, or 0. A row of influences has two palette entries, each with its weight; the second weight may
 * be 0. A morph record begins with a row of the index of the first morph weight, and the number of targets. Two rows per target
 * follow: the differences of position and normal.
 */
export function boundTable(vertices: readonly BoundVertex[]): Uint32Array<ArrayBuffer> {
  const pairs = ({ influences }: BoundVertex) => Math.ceil(influences.length / 2);
  const targets = ({ morphs }: BoundVertex) => (morphs ? morphs.deltas.length / 6 : 0);
  const length = vertices.reduce(
    (sum, vertex) => sum + pairs(vertex) + (vertex.morphs ? 1 + 2 * targets(vertex) : 0),
    vertices.length,
  );
  const words = new Uint32Array(4 * Math.max(length, 1));
  const floats = new Float32Array(words.buffer);
  let row = vertices.length;
  vertices.forEach((vertex, v) => {
    const { influences, morphs } = vertex;
    words.set([row, pairs(vertex), morphs ? row + pairs(vertex) : 0], 4 * v);
    influences.forEach(([entry, weight], i) => {
      words[4 * row + 2 * i] = entry;
      floats[4 * row + 2 * i + 1] = weight;
    });
    row += pairs(vertex);
    if (!morphs) return;
    words.set([morphs.firstWeight, targets(vertex)], 4 * row++);
    for (let i = 0; i < morphs.deltas.length; i++) floats[4 * (row + Math.floor(i / 3)) + (i % 3)] = morphs.deltas[i]!;
    row += 2 * targets(vertex);
  });
  return words;
}
