import {
  type Accessor,
  type Animation,
  type Document,
  type Node as GltfNode,
  NodeIO,
  type Primitive,
} from '@gltf-transform/core';
import { KHRMeshQuantization } from '@gltf-transform/extensions';
import { compose, type Quat, rotate, slerp, unit } from './math/quat.ts';
import { add, addScaled, distance, mix, type Vec3 } from './math/vec.ts';

/** Measurements of a clip in the file, read and posed without the code that made it. */
interface ClipFacts {
  readonly name: string;
  readonly duration: number;
  readonly loop: boolean;
  readonly speed: number;
  readonly direction: Vec3;
  readonly events: readonly { name: string; time: number }[];
  /** The lowest point of the body and of what it carries, metres. */
  readonly lowestBody: number;
  readonly lowestProp: number;
  /** The fastest that a sole on the ground moves against it, metres per second. */
  readonly footSlide: number;
  /** How far any point is from where it was, between the last key and the first, metres. */
  readonly seam: number;
  /** How much harder the motion jolts where the loop closes than at its hardest moment elsewhere: 1 is as hard. */
  readonly seamJolt: number;
}

export interface FileFacts {
  readonly joints: number;
  readonly vertices: number;
  readonly triangles: number;
  readonly clips: readonly ClipFacts[];
}

const FRAME = 1 / 30;
/** A sole vertex below this stands on the ground. */
const CONTACT = 0.006;

export async function inspectFile(bytes: Uint8Array): Promise<FileFacts> {
  const document = await new NodeIO().registerExtensions([KHRMeshQuantization]).readBinary(bytes);
  const root = document.getRoot();
  const vertices = readVertices(document);
  const primitives = root.listMeshes().flatMap((mesh) => mesh.listPrimitives());
  const sum = (count: (primitive: Primitive) => number): number => primitives.reduce((total, p) => total + count(p), 0);
  return {
    joints: root.listSkins()[0]!.listJoints().length,
    vertices: sum((p) => p.getAttribute('POSITION')!.getCount()),
    triangles: sum((p) => p.getIndices()!.getCount() / 3),
    clips: root.listAnimations().map((animation) => inspectClip(document, vertices, animation)),
  };
}

interface Placed {
  readonly at: Vec3;
  readonly turn: Quat;
}

/** Every node's place at a time; all scales in these files are 1. */
function poseNodes(document: Document, animation: Animation, time: number): Map<GltfNode, Placed> {
  const moved = new Map<GltfNode, { at?: Vec3; turn?: Quat }>();
  for (const channel of animation.listChannels()) {
    const sampler = channel.getSampler()!;
    const node = channel.getTargetNode()!;
    const value = sampleAt(sampler.getInput()!, sampler.getOutput()!, time);
    const known = moved.get(node) ?? {};
    moved.set(
      node,
      channel.getTargetPath() === 'rotation'
        ? { ...known, turn: value as unknown as Quat }
        : { ...known, at: value as unknown as Vec3 },
    );
  }
  const placed = new Map<GltfNode, Placed>();
  const visit = (node: GltfNode, parent: Placed): void => {
    const own = moved.get(node);
    const here = {
      at: add(parent.at, rotate(parent.turn, own?.at ?? node.getTranslation())),
      turn: compose(parent.turn, own?.turn ?? node.getRotation()),
    };
    placed.set(node, here);
    for (const child of node.listChildren()) visit(child, here);
  };
  for (const node of document.getRoot().listScenes()[0]!.listChildren())
    visit(node, { at: [0, 0, 0], turn: [0, 0, 0, 1] });
  return placed;
}

function sampleAt(input: Accessor, output: Accessor, time: number): number[] {
  const times = input.getArray()!;
  const at = (key: number): number[] => output.getElement(key, []);
  let key = 0;
  while (key + 1 < times.length && times[key + 1]! <= time) key++;
  if (key + 1 >= times.length || time <= times[0]!) return at(key);
  const t = (time - times[key]!) / (times[key + 1]! - times[key]!);
  if (output.getType() === 'VEC3') return [...mix(at(key) as unknown as Vec3, at(key + 1) as unknown as Vec3, t)];
  return [...slerp(unit(at(key) as unknown as Quat), unit(at(key + 1) as unknown as Quat), t)];
}

interface Shape {
  readonly body: Vec3[];
  readonly soles: Vec3[];
  readonly props: Vec3[];
}

/** A vertex as each node that carries it has it; `share` is how far it goes with that node. */
interface Vertex {
  readonly kind: 'body' | 'prop';
  readonly isSole: boolean;
  readonly shares: readonly { readonly node: GltfNode; readonly local: Vec3; readonly share: number }[];
}

/** Inverse binds are pure translations here, so a bind place minus a joint's is local. */
function readVertices(document: Document): Vertex[] {
  const skin = document.getRoot().listSkins()[0]!;
  const joints = skin.listJoints();
  const binds = joints.map((_, joint) => skin.getInverseBindMatrices()!.getElement(joint, []).slice(12));
  const meshNodes = document
    .getRoot()
    .listNodes()
    .filter((node) => node.getMesh());
  return meshNodes.flatMap((node) =>
    node
      .getMesh()!
      .listPrimitives()
      .flatMap((primitive) => {
        const read = (name: string) => {
          const accessor = primitive.getAttribute(name)!;
          return Array.from({ length: accessor.getCount() }, (_, i) => accessor.getElement(i, []));
        };
        const positions = read('POSITION') as unknown as Vec3[];
        if (!node.getSkin()) {
          return positions.map((local): Vertex => ({
            kind: 'prop',
            isSole: false,
            shares: [{ node, local, share: 1 }],
          }));
        }
        const [which, weights] = [read('JOINTS_0'), read('WEIGHTS_0')];
        return positions.map((p, i): Vertex => {
          const shares = which[i]!.map((joint, k) => {
            const [x = 0, y = 0, z = 0] = binds[joint]!;
            return { node: joints[joint]!, local: add(p, [x, y, z]), share: weights[i]![k]! };
          });
          const isSole = /^(foot|toe)_/.test(shares[0]!.node.getName()) && p[1] < 0.005;
          return { kind: 'body', isSole, shares: shares.filter(({ share }) => share > 0) };
        });
      }),
  );
}

function shapeAt(vertices: readonly Vertex[], placed: ReadonlyMap<GltfNode, Placed>): Shape {
  const shape: Shape = { body: [], soles: [], props: [] };
  for (const { kind, isSole, shares } of vertices) {
    let sum: Vec3 = [0, 0, 0];
    for (const { node, local, share } of shares) {
      const { at, turn } = placed.get(node)!;
      sum = addScaled(sum, add(at, rotate(turn, local)), share);
    }
    (kind === 'body' ? shape.body : shape.props).push(sum);
    if (isSole) shape.soles.push(sum);
  }
  return shape;
}

const lowest = (points: readonly Vec3[]): number => points.reduce((low, p) => Math.min(low, p[1]), Infinity);

function inspectClip(document: Document, vertices: readonly Vertex[], animation: Animation): ClipFacts {
  const extras = animation.getExtras() as {
    loop: boolean;
    speed?: number;
    direction?: Vec3;
    events: ClipFacts['events'];
  };
  const duration = Math.max(...animation.listSamplers().map((sampler) => sampler.getInput()!.getMax([])[0]!));
  const frames = Math.round(duration / FRAME);
  const shapes = Array.from({ length: frames + 1 }, (_, i) =>
    shapeAt(vertices, poseNodes(document, animation, Math.min(i * FRAME, duration))),
  );
  const speed = extras.speed ?? 0;
  const direction = extras.direction ?? [0, 0, 0];
  return {
    name: animation.getName(),
    duration,
    loop: extras.loop,
    speed,
    direction,
    events: extras.events,
    lowestBody: Math.min(...shapes.map(({ body }) => lowest(body))),
    lowestProp: Math.min(...shapes.map(({ props }) => lowest(props))),
    footSlide: slideOf(shapes, speed, direction),
    seam: furthest(shapes[0]!, shapes[frames]!, distance),
    seamJolt: seamJolt(shapes),
  };
}

const pointsOf = (shape: Shape): Vec3[] => [...shape.body, ...shape.props];

function furthest(a: Shape, b: Shape, measure: (p: Vec3, q: Vec3) => number): number {
  const others = pointsOf(b);
  return pointsOf(a).reduce((worst, p, i) => Math.max(worst, measure(p, others[i]!)), 0);
}

/** Compares the change of velocity at the seam with those at all other frames. */
function seamJolt(shapes: readonly Shape[]): number {
  const frames = shapes.slice(0, -1).map(pointsOf);
  const at = (frame: number): Vec3[] => frames[(frame + frames.length) % frames.length]!;
  const jolts = frames.map((points, frame) => {
    const [before, after] = [at(frame - 1), at(frame + 1)];
    return points.reduce((worst, p, i) => Math.max(worst, distance(mix(before[i]!, after[i]!, 0.5), p)), 0);
  });
  return jolts[0]! / Math.max(...jolts.slice(1));
}

/**
 * A sole that stands must go back exactly as fast as the body goes forward. It stands where it is on the ground for four
 * frames running: the frames around landing and leaving are part flight.
 */
function slideOf(shapes: readonly Shape[], speed: number, [dx, , dz]: Vec3): number {
  let worst = 0;
  for (let i = 1; i + 2 < shapes.length; i++) {
    shapes[i]!.soles.forEach((p, k) => {
      const q = shapes[i + 1]!.soles[k]!;
      if ([-1, 0, 1, 2].some((step) => shapes[i + step]!.soles[k]![1] > CONTACT)) return;
      worst = Math.max(worst, Math.hypot((q[0] - p[0]) / FRAME + dx * speed, (q[2] - p[2]) / FRAME + dz * speed));
    });
  }
  return worst;
}
