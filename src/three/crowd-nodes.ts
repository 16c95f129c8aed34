import {
  type BufferGeometry,
  type MeshStandardNodeMaterial,
  type Node,
  type NodeBuilder,
  type NodeFrame,
  Vector3,
} from 'three/webgpu';
import {
  attribute,
  cross,
  Fn,
  If,
  instanceIndex,
  materialReference,
  normalLocal,
  positionLocal,
  positionPrevious,
  select,
  tangentLocal,
  uint,
  uniform,
  varyingProperty,
  vec3,
  vec4,
  vertexIndex,
} from 'three/tsl';
import type { Crowd } from '../crowd/crowd.ts';
import { internalsOf } from '../crowd/internals.ts';
import {
  Resident,
  Transform,
  VISIBLE_NEW,
  VISIBLE_WORDS,
  VISIBLE_WORDS_SHIFT,
  VisibleCharacter,
} from '../stages/layout.ts';
import type { CrowdViews } from './views.ts';
import { asFloats, readRows, type RowNode, type Table } from './rows.ts';
import { PART_ATTRIBUTE } from './vertex-attributes.ts';
import type { VertexSource } from './vertex-sources.ts';

/**
 * Tint of the drawn character, or of the carrier of a drawn attachment, for your own nodes. Linear RGBA, white unless `setTint`
 * changes it. Colours of characters are already multiplied by it, colours of attachments are not. 0 in meshes outside crowds.
 */
export const crowdTint: Node<'vec4'> = varyingProperty('vec4', 'vCrowdTint');

/**
 * Row of the drawn character, or of the carrier of a drawn attachment. It is below the crowd's capacity, and is reused after the
 * character despawns. 0 in meshes outside crowds.
 */
export const crowdId: Node<'uint'> = varyingProperty('uint', 'vCrowdId');

/**
 * Value of the crowd's `skinnedChannel`, after vertex providers, as skin-vertices stored it. Four numbers; components that its
 * format lacks are 0. All are 0 in crowds without the option, and in types with `skin: 'vertex'`.
 */
export const crowdChannel: Node<'vec4'> = varyingProperty('vec4', 'vCrowdChannel');

/** three's name of the varying for `InstancedMesh.instanceColor`. Materials multiply their colours with it. */
const instanceColor = varyingProperty('vec3', 'vInstanceColor');

/** The four bytes of a word, each as 0 … 1. */
function unpackColor(word: Node<'uint'>): Node<'vec4'> {
  const byte = (shift: number) => word.shiftRight(uint(shift)).bitAnd(uint(0xff)).toFloat();
  return vec4(byte(0), byte(8), byte(16), byte(24)).div(255) as unknown as Node<'vec4'>;
}

/**
 * Sets `crowdId` and `crowdTint` to the character in a row. Draws of characters and of attachments both use it. Call it in the
 * vertex stage, inside an `Fn`.
 */
export function assignCharacter(row: Node<'uint'>, residents: Table): void {
  crowdId.assign(row);
  crowdTint.assign(unpackColor(readRows(residents, Resident)(row).word('tint').toVar()));
}

/** The members used of three's node builder. */
interface Builder {
  readonly geometry: BufferGeometry;
  readonly material: MeshStandardNodeMaterial;
  /** True if motion vectors are drawn. */
  needsPreviousData(): boolean;
}

/** Defines the position node of a mesh by the draw that is built. */
export function positionBy(make: (builder: Builder) => Node): Node<'vec3'> {
  return Fn((builder: NodeBuilder) => make(builder as unknown as Builder))() as Node<'vec3'>;
}

/** A mesh of a crowd, as it is drawn next. */
export interface RunMesh {
  readonly views: CrowdViews;
  /** Word of the crowd's draw targets where its run begins. */
  readonly runWord: number;
  /** First row of the lists that it draws. */
  readonly firstRow: number;
  /** Sets these two, and the arguments of the draw, where they depend on the camera. */
  choose?(frame: NodeFrame): void;
}

/** Uniform of a mesh, set for each draw, so that all draws of a material share one shader. */
const ofMesh = (value: (mesh: RunMesh, frame: NodeFrame) => number): Node<'uint'> =>
  uniform(0, 'uint').onObjectUpdate((frame) => {
    const mesh = frame.object as unknown as RunMesh;
    // not in onBeforeRender: the first lit draw of a picture draws shadow maps after it
    mesh.choose?.(frame);
    return value(mesh, frame);
  }) as unknown as Node<'uint'>;

/** Word of the crowd's draw targets where the run of a mesh begins. */
export const runWord: Node<'uint'> = ofMesh((mesh) => mesh.runWord);
/** First row of the lists that a mesh draws. */
export const listRow: Node<'uint'> = ofMesh((mesh) => mesh.firstRow);
const viewBits = ofMesh((mesh, { camera }) => mesh.views.bitsOf(camera!));
/** Index of the character's part that a vertex belongs to. */
const part = attribute<'uint'>(PART_ATTRIBUTE, 'uint');

/** Tables of the crowd that its draws read. The last three have a row for every character. */
export interface CrowdTables extends Readonly<
  Record<'visible' | 'residents' | 'transforms' | 'previousTransforms', Table>
> {
  /** Row of the visible list where the drawn run begins. Called inside an `Fn`. */
  readonly firstRow: () => Node<'uint'>;
  /** Called with the row of each drawn character, in the vertex stage. */
  readonly listed?: (row: ListedRow) => void;
}

export type ListedRow = RowNode<(typeof VisibleCharacter)['fields']>;

/** The last frame, for motion vectors. */
export interface Past {
  readonly originShift: Node<'vec3'>;
  /** Called when a shader is built that reads last frame's positions. */
  readonly begin: () => void;
}

/**
 * Position node of a crowd's characters, in the crowd's own space. Sets position, normal and tangent, and the previous position if
 * motion vectors are drawn. The material's own `positionNode` is evaluated after it.
 */
export function crowdPosition(
  tables: CrowdTables,
  vertices: VertexSource,
  past: Past,
  ofMaterial: Node | null | undefined,
): Node<'vec3'> {
  const visible = readRows(tables.visible, VisibleCharacter);
  const transforms = readRows(tables.transforms, Transform);
  const previousTransforms = readRows(tables.previousTransforms, Transform);
  return positionBy((builder) => {
    const { geometry, material } = builder;
    const listed = visible(tables.firstRow().add(instanceIndex));
    const isDrawn = isShown(listed).toVar();
    const [hasNormals, hasTangents] = [geometry.hasAttribute('normal'), geometry.hasAttribute('tangent')];
    const hasPast = builder.needsPreviousData();
    if (hasPast) past.begin();
    // triangles without area are not drawn; variables first assigned inside a branch would be reset after it
    positionLocal.assign(vec3(0));
    if (hasNormals) normalLocal.assign(vec3(0, 1, 0));
    if (hasTangents) tangentLocal.assign(vec3(1, 0, 0));
    if (hasPast) positionPrevious.assign(vec3(0));
    If(isDrawn, () => {
      const character = listed.word('character').toVar();
      const attributeWord = attributeWordOf(listed);
      const vertex = vertices(listed.word('currentVertexOffset'), attributeWord);
      const now = transformBy(transforms(character));
      positionLocal.assign(now.placed(vertex.position()));
      if (hasNormals) normalLocal.assign(now.turned(vertex.normal()));
      if (hasTangents) tangentLocal.assign(now.turned(vertex.tangent()));
      if (hasPast) {
        const isNew = listed.word('detail').bitAnd(uint(VISIBLE_NEW)).notEqual(uint(0));
        const last = vertices(listed.word('previousVertexOffset'), attributeWord).position().toVar();
        const previous = select(isNew, now.placed(last), transformBy(previousTransforms(character)).placed(last));
        positionPrevious.assign(previous.add(past.originShift));
      }
      if (material.displacementMap) displace();
      assignCharacter(character, tables.residents);
      tables.listed?.(listed);
      instanceColor.assign(crowdTint.rgb);
      const channel = vertex.channel?.();
      if (channel) crowdChannel.assign(channel);
    });
    return ofMaterial ? select(isDrawn, ofMaterial as Node<'vec3'>, vec3(0)) : positionLocal;
  });
}

/** Word of its page where the attributes of the vertex begin. */
export function attributeWordOf(listed: ListedRow): Node<'uint'> {
  const words = listed.word('detail').shiftRight(uint(VISIBLE_WORDS_SHIFT)).bitAnd(uint(VISIBLE_WORDS));
  return listed.word('attributeWord').add(words.mul(vertexIndex)) as unknown as Node<'uint'>;
}

/** True if the camera sees the character. */
export function isSeen(listed: ListedRow): Node<'bool'> {
  return listed.word('views').bitAnd(viewBits).notEqual(uint(0)) as unknown as Node<'bool'>;
}

/** True if the camera sees the character, and the character shows the vertex's part. */
export function isShown(listed: ListedRow): Node<'bool'> {
  const parts = listed.quad('parts').toVar();
  const shown = select(part.lessThan(uint(32)), parts.x, parts.y)
    .shiftRight(part.bitAnd(uint(31)))
    .bitAnd(uint(1))
    .notEqual(uint(0));
  return isSeen(listed).and(shown);
}

/** v + 2 q × (q × v + q.w v) */
export function rotateByQuaternion(v: Node<'vec3'>, q: Node<'vec4'>): Node<'vec3'> {
  const turned = cross(q.xyz, cross(q.xyz, v).add(v.mul(q.w)));
  return v.add(turned.mul(2)) as unknown as Node<'vec3'>;
}

/** Turns directions, and places positions, by a character's transform. */
export function transformBy(transform: RowNode<(typeof Transform)['fields']>) {
  const positionAndScale = asFloats(transform.quad('position')).toVar();
  const rotation = asFloats(transform.quad('rotation')).toVar();
  const turned = (direction: Node<'vec3'>) => rotateByQuaternion(direction.toVar(), rotation);
  const placed = (position: Node<'vec3'>) => turned(position.mul(positionAndScale.w)).add(positionAndScale.xyz);
  return { turned, placed, rotation, scale: positionAndScale.w };
}

/** Applies the displacement map, as three.js does before the `positionNode`. */
function displace(): void {
  const ofMaterial = <T>(name: string, type: string) => materialReference(name, type) as unknown as Node<T>;
  const height = ofMaterial<'vec4'>('displacementMap', 'texture')
    .x.mul(ofMaterial<'float'>('displacementScale', 'float'))
    .add(ofMaterial<'float'>('displacementBias', 'float'));
  positionLocal.addAssign(normalLocal.normalize().mul(height));
}

/**
 * Movement of a crowd's origin between the last frame and this one, in metres. three.js multiplies previous positions by previous
 * matrices, which are relative to the previous origin. The crowd's own history is relative to the current origin.
 */
export class OriginShift {
  readonly #value = new Vector3();
  /** Add it to previous positions. */
  readonly node: Node<'vec3'> = uniform(this.#value) as unknown as Node<'vec3'>;

  /** Call it before the frame is recorded, because recording clears the moves. */
  take(crowd: Crowd): void {
    this.#value.set(0, 0, 0);
    for (const [x, y, z] of internalsOf(crowd).host.places.moves) this.#value.add({ x: x!, y: y!, z: z! });
  }
}
