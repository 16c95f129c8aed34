import {
  BufferAttribute,
  BufferGeometry,
  Color,
  Group,
  InstancedMesh,
  LineBasicMaterial,
  LineSegments,
  Matrix4,
  MeshBasicMaterial,
  OctahedronGeometry,
} from 'three/webgpu';
import type { CharacterJoint } from '../../src/character/index.ts';
import { linearOf, type Rgb } from './colours.ts';

const LINE = linearOf('#f4f1e8');
const CHOSEN = linearOf('#ff9d3c');
/** Size of a joint mark, as a share of the character's size. */
const JOINT_SHARE = 0.005;

/** A skeleton over the model: a line from each joint to its parent, a mark on each joint. */
export class SkeletonLines {
  readonly object: Group = new Group();
  readonly #parents: readonly number[];
  readonly #positions: BufferAttribute;
  readonly #colors: BufferAttribute;
  readonly #marks: InstancedMesh;
  readonly #matrix = new Matrix4();
  readonly #color = new Color();
  readonly #radius: number;

  constructor(joints: readonly CharacterJoint[], size: number) {
    this.#parents = joints.map(({ parentIndex }) => parentIndex);
    this.#radius = size * JOINT_SHARE;
    const geometry = new BufferGeometry();
    this.#positions = new BufferAttribute(new Float32Array(6 * joints.length), 3);
    this.#colors = new BufferAttribute(new Float32Array(6 * joints.length), 3);
    geometry.setAttribute('position', this.#positions);
    geometry.setAttribute('color', this.#colors);
    // drawn over the model without a depth test
    const over = { depthTest: false, depthWrite: false, transparent: true };
    const lines = new LineSegments(geometry, new LineBasicMaterial({ ...over, vertexColors: true }));
    this.#marks = new InstancedMesh(new OctahedronGeometry(1), new MeshBasicMaterial(over), joints.length);
    for (const [order, object] of [lines, this.#marks].entries()) {
      object.renderOrder = 10 + order;
      object.frustumCulled = false;
      this.object.add(object);
    }
  }

  /** @param joints `modelFromJoint`, twelve numbers each. @param colours Per joint; default: all alike. */
  show(joints: Float32Array, chosen: number | undefined, colours?: readonly Rgb[]): void {
    this.#parents.forEach((parent, joint) => {
      const end = parent < 0 ? joint : parent;
      for (let c = 0; c < 3; c++) {
        this.#positions.array[6 * joint + c] = joints[12 * joint + 4 * c + 3]!;
        this.#positions.array[6 * joint + 3 + c] = joints[12 * end + 4 * c + 3]!;
      }
      const colour = joint === chosen ? CHOSEN : (colours?.[joint] ?? LINE);
      this.#colors.array.set(colour, 6 * joint);
      this.#colors.array.set(colours?.[end] ?? LINE, 6 * joint + 3);
      const radius = this.#radius * (joint === chosen ? 2 : 1);
      this.#matrix.makeScale(radius, radius, radius);
      this.#matrix.setPosition(joints[12 * joint + 3]!, joints[12 * joint + 7]!, joints[12 * joint + 11]!);
      this.#marks.setMatrixAt(joint, this.#matrix);
      this.#marks.setColorAt(joint, this.#color.setRGB(...colour));
    });
    this.#positions.needsUpdate = true;
    this.#colors.needsUpdate = true;
    this.#marks.instanceMatrix.needsUpdate = true;
    if (this.#marks.instanceColor) this.#marks.instanceColor.needsUpdate = true;
  }

  dispose(): void {
    for (const object of [...this.object.children] as (LineSegments | InstancedMesh)[]) {
      object.geometry.dispose();
      (object.material as MeshBasicMaterial).dispose();
    }
    this.#marks.dispose();
  }
}
