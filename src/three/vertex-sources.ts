import type { Node, StorageBufferAttribute } from 'three/webgpu';
import {
  cross,
  dot,
  float,
  If,
  Loop,
  normalGeometry,
  positionGeometry,
  sign,
  tangentGeometry,
  uint,
  vec3,
  vec4,
  vertexIndex,
  wgslFn,
} from 'three/tsl';
import type { BoundVertices } from './bound-vertices.ts';
import { asFloat, asFloats, quadsOf, wordsOf } from './rows.ts';

/** Reads a vertex of a character in model space, given the first row of its slot. Call it inside an `Fn`. */
export type VertexSource = (slotRow: Node<'uint'>) => {
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
const component = wgslFn<[Node, Node]>(/* wgsl */ `
  fn component(quad: vec4<u32>, index: u32) -> u32 { return quad[index]; }`);

/** Offsets of the words of a page that follow its vertices. */
export interface PageWords {
  readonly firstTangent: number;
  /** Index of the first word, and WGSL that unpacks one. */
  readonly channel?: { readonly firstWord: number; readonly unpacked: (word: string) => string } | undefined;
}

/** For slots with vertices, written by skin-vertices. */
export function skinnedSource(page: StorageBufferAttribute, { firstTangent, channel }: PageWords): VertexSource {
  const vertices = quadsOf(page);
  const unpackChannel =
    channel && wgslFn<[Node]>(`fn unpackChannel(word: u32) -> vec4<f32> { return ${channel.unpacked('word')}; }`);
  return (slotRow) => {
    const row = slotRow.add(vertexIndex).toVar();
    const vertex = vertices(row).toVar();
    const wordAt = (first: number) => {
      const word = row.add(uint(first)).toVar();
      return component(vertices(word.shiftRight(uint(2))), word.bitAnd(uint(3))) as Node<'uint'>;
    };
    return {
      position: () => asFloats(vertex).xyz,
      normal: () => unpackOctahedral(vertex.w) as Node<'vec3'>,
      // the lowest bit of y is the handedness
      tangent: () => unpackOctahedral(wordAt(firstTangent).bitAnd(uint(0xfffeffff))) as Node<'vec3'>,
      ...(channel && unpackChannel ? { channel: () => unpackChannel(wordAt(channel.firstWord)) as Node<'vec4'> } : {}),
    };
  };
}

/** For slots with palettes, where draws skin: `createCrowd({ skin: 'vertex' })`. */
export function boundSource(page: StorageBufferAttribute, bound: BoundVertices): VertexSource {
  const rows = quadsOf(page);
  const words = wordsOf(bound.table);
  return (slotRow) => {
    const slot = slotRow.toVar();
    const position = vec3(positionGeometry).toVar();
    const normal = vec3(normalGeometry).toVar();
    if (bound.hasMorphs) morph(slot, position, normal);
    const head = vertexIndex.mul(uint(2)).toVar();
    const first = words(head).toVar();
    const count = words(head.add(uint(1))).toVar();
    const matrix = [vec4(0).toVar(), vec4(0).toVar(), vec4(0).toVar()] as const;
    Loop({ start: uint(0), end: count, type: 'uint', condition: '<' }, ({ i }) => {
      const pair = first.add((i as unknown as Node<'uint'>).mul(uint(2)));
      const entry = slot.add(words(pair).mul(uint(3))).toVar();
      const weight = asFloat(words(pair.add(uint(1))));
      matrix.forEach((row, r) => row.addAssign(asFloats(rows(entry.add(uint(r)))).mul(weight)));
    });
    // vertices without influences keep their rest position
    If(count.equal(uint(0)), () => {
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

  function morph(slot: Node<'uint'>, position: Node<'vec3'>, normal: Node<'vec3'>): void {
    const record = words(vertexIndex.add(uint(2 * bound.vertexCount))).toVar();
    If(record.notEqual(uint(0)), () => {
      const first = words(record).toVar();
      const end = words(record.add(uint(1))).toVar();
      Loop({ start: uint(0), end, type: 'uint', condition: '<' }, ({ i }) => {
        const target = i as unknown as Node<'uint'>;
        const index = first.add(target).toVar();
        const row = rows(slot.add(uint(bound.morphWeightRow)).add(index.div(uint(3))));
        const weight = asFloat(component(row, index.mod(uint(3)))).toVar();
        const delta = record
          .add(uint(2))
          .add(target.mul(uint(6)))
          .toVar();
        const number = (at: number) => asFloat(words(delta.add(uint(at))));
        const three = (from: number) => vec3(number(from), number(from + 1), number(from + 2));
        If(weight.notEqual(float(0)), () => {
          position.addAssign(three(0).mul(weight));
          normal.addAssign(three(3).mul(weight));
        });
      });
    });
  }
}
