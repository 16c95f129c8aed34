import type {
  BufferGeometry,
  MeshStandardNodeMaterial,
  Node,
  NodeBuilder,
  NodeFrame,
  StorageBufferAttribute,
} from 'three/webgpu';
import {
  attribute,
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
  wgslFn,
} from 'three/tsl';
import { assignCharacter, crowdTint } from './character-nodes.ts';
import type { CrowdMesh } from './crowd-mesh.ts';
import { asFloats, readRows, wordsOf } from './rows.ts';
import { PART_ATTRIBUTE } from './vertex-attributes.ts';
import type { VertexSource } from './vertex-sources.ts';
import { Transform, VISIBLE_NEW, VisibleCharacter } from '../stages/layout.ts';

/** Buffers that draws of one page of vertices read. Three of them have a row for every character of the crowd. */
export interface PageAttributes {
  readonly targets: StorageBufferAttribute;
  readonly visible: StorageBufferAttribute;
  readonly residents: StorageBufferAttribute;
  readonly transforms: StorageBufferAttribute;
  readonly previousTransforms: StorageBufferAttribute;
}

/**
 * Value of the crowd's `skinnedChannel`, after vertex providers, as skin-vertices stored it. Four numbers; components that its
 * format lacks are 0. All are 0 in crowds without the option, and in types with `skin: 'vertex'`.
 */
export const crowdChannel: Node<'vec4'> = varyingProperty('vec4', 'vCrowdChannel');

/** three's name of the varying for `InstancedMesh.instanceColor`. Materials multiply their colours with it. */
const instanceColor = varyingProperty('vec3', 'vInstanceColor');

/** The members used of three's node builder. */
interface Builder {
  readonly geometry: BufferGeometry;
  readonly material: MeshStandardNodeMaterial;
  /** True if motion vectors are drawn. */
  needsPreviousData(): boolean;
}

/** Uniform of a mesh, set for each draw, so that all draws of a material share one shader. */
const ofMesh = (value: (mesh: CrowdMesh, frame: NodeFrame) => number): Node<'uint'> =>
  uniform(0, 'uint').onObjectUpdate((frame) => value(frame.object as CrowdMesh, frame)) as unknown as Node<'uint'>;

const runWord = ofMesh((mesh) => mesh.run.runWord);
/** Index of the character's part that a vertex belongs to. */
const part = attribute<'uint'>(PART_ATTRIBUTE, 'uint');
const viewBits = ofMesh((mesh, { camera }) => mesh.views.bitsOf(camera!));

const rotateByQuaternion = wgslFn<[Node, Node]>(/* wgsl */ `
  fn rotateByQuaternion(v: vec3<f32>, q: vec4<f32>) -> vec3<f32> {
    return v + 2.0 * cross(q.xyz, cross(q.xyz, v) + q.w * v);
  }`);

/**
 * Position node of a crowd's characters, in the crowd's own space. Sets position, normal and tangent, and the previous position if
 * motion vectors are drawn. The material's own `positionNode` is evaluated after it.
 */
export function crowdPosition(
  page: PageAttributes,
  vertices: VertexSource,
  originShift: Node<'vec3'>,
  ofMaterial: Node | null | undefined,
): Node<'vec3'> {
  const runs = wordsOf(page.targets);
  const visible = readRows(page.visible, VisibleCharacter);
  const transforms = readRows(page.transforms, Transform);
  const previousTransforms = readRows(page.previousTransforms, Transform);

  const place = (readTransforms: typeof transforms, character: Node<'uint'>) => {
    const transform = readTransforms(character);
    const positionAndScale = asFloats(transform.quad('position')).toVar();
    const rotation = asFloats(transform.quad('rotation')).toVar();
    return {
      turned: (direction: Node) => rotateByQuaternion(direction, rotation) as Node<'vec3'>,
      placed: (position: Node<'vec3'>) =>
        (rotateByQuaternion(position.mul(positionAndScale.w), rotation) as Node<'vec3'>).add(positionAndScale.xyz),
    };
  };

  return Fn((build: NodeBuilder) => {
    const builder = build as unknown as Builder;
    const { geometry, material } = builder;
    const who = visible(runs(runWord).add(instanceIndex));
    const seen = who.word('views').bitAnd(viewBits).notEqual(uint(0));
    const parts = who.quad('parts').toVar();
    const shown = select(part.lessThan(uint(32)), parts.x, parts.y)
      .shiftRight(part.bitAnd(uint(31)))
      .bitAnd(uint(1))
      .notEqual(uint(0));
    const isDrawn = seen.and(shown).toVar();
    const [hasNormals, hasTangents] = [geometry.hasAttribute('normal'), geometry.hasAttribute('tangent')];
    const hasPast = builder.needsPreviousData();
    // triangles without area are not drawn; variables first assigned inside a branch would be reset after it
    positionLocal.assign(vec3(0));
    if (hasNormals) normalLocal.assign(vec3(0, 1, 0));
    if (hasTangents) tangentLocal.assign(vec3(1, 0, 0));
    if (hasPast) positionPrevious.assign(vec3(0));
    If(isDrawn, () => {
      const character = who.word('character').toVar();
      const vertex = vertices(who.word('currentVertexOffset'));
      const now = place(transforms, character);
      positionLocal.assign(now.placed(vertex.position()));
      if (hasNormals) normalLocal.assign(now.turned(vertex.normal()));
      if (hasTangents) tangentLocal.assign(now.turned(vertex.tangent()));
      if (hasPast) {
        const isNew = who.word('detail').bitAnd(uint(VISIBLE_NEW)).notEqual(uint(0));
        const last = vertices(who.word('previousVertexOffset')).position().toVar();
        const previous = select(isNew, now.placed(last), place(previousTransforms, character).placed(last));
        positionPrevious.assign(previous.add(originShift));
      }
      if (material.displacementMap) displace();
      assignCharacter(character, page.residents);
      instanceColor.assign(crowdTint.rgb);
      const channel = vertex.channel?.();
      if (channel) crowdChannel.assign(channel);
    });
    return ofMaterial ? select(isDrawn, ofMaterial as Node<'vec3'>, vec3(0)) : positionLocal;
  })();
}

/** Applies the displacement map, as three.js does before the `positionNode`. */
function displace(): void {
  const ofMaterial = <T>(name: string, type: string) => materialReference(name, type) as unknown as Node<T>;
  const height = ofMaterial<'vec4'>('displacementMap', 'texture')
    .x.mul(ofMaterial<'float'>('displacementScale', 'float'))
    .add(ofMaterial<'float'>('displacementBias', 'float'));
  positionLocal.addAssign(normalLocal.normalize().mul(height));
}
