import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { type PerspectiveCamera, Spherical, Vector3 } from 'three/webgpu';
import type { Box } from '../../src/character/character.ts';

const TURN = Math.PI / 18;
const ZOOM = 1.15;
/** Margin around the framed box, as a factor. */
const MARGIN = 1.15;

/** Turning, moving and zooming a camera about a character: by mouse, touch, and the keys of a focused canvas. */
export class Orbit {
  readonly #controls: OrbitControls;
  #box: Box = { min: [-1, -1, -1], max: [1, 1, 1] };
  /** Middle of the character that the camera follows, on the ground. */
  readonly #middle = new Vector3();

  constructor(
    private readonly camera: PerspectiveCamera,
    private readonly canvas: HTMLCanvasElement,
    private readonly onChange: () => void,
  ) {
    this.#controls = new OrbitControls(camera, canvas);
    this.#controls.addEventListener('change', onChange);
    canvas.addEventListener('keydown', this.#onKey);
  }

  /** Frames the whole box, from the front and slightly above. */
  frame(box: Box): void {
    this.#box = box;
    const { camera } = this;
    const [low, high] = [new Vector3(...box.min), new Vector3(...box.max)];
    const far = low.distanceTo(high) || 1;
    const target = low.clone().add(high).multiplyScalar(0.5);
    const back = new Vector3().setFromSpherical(new Spherical(1, Math.PI / 2.25, Math.PI / 7));
    const right = new Vector3().crossVectors(camera.up, back).normalize();
    const up = new Vector3().crossVectors(back, right);
    const half = Math.tan((camera.fov * Math.PI) / 360);
    const distances = cornersOf(low, high).map((corner) => {
      corner.sub(target);
      const beside = Math.max(Math.abs(corner.dot(right)) / camera.aspect, Math.abs(corner.dot(up)));
      return corner.dot(back) + (MARGIN * beside) / half;
    });
    const distance = Math.max(far / 10, ...distances);
    camera.near = far / 200;
    camera.far = distance + 40 * far;
    camera.position.copy(target).addScaledVector(back, distance);
    camera.updateProjectionMatrix();
    this.#controls.target.copy(target);
    this.#middle.set(target.x, 0, target.z);
    this.#controls.minDistance = far / 50;
    this.#controls.maxDistance = distance + 20 * far;
    this.#controls.update();
    this.onChange();
  }

  /**
   * Moves camera and target along the ground, after a character that has left the middle by more than the margin. Without it, a
   * character that walks up to the camera would outgrow the picture.
   */
  follow(box: Box): void {
    const { target } = this.#controls;
    const far = new Vector3(...this.#box.max).distanceTo(new Vector3(...this.#box.min));
    const away = new Vector3(...box.min)
      .add(new Vector3(...box.max))
      .multiplyScalar(0.5)
      .sub(this.#middle);
    away.y = 0;
    const left = away.length() - ((MARGIN - 1) / 2) * far;
    if (!(left > 0)) return;
    away.setLength(left);
    this.#middle.add(away);
    target.add(away);
    this.camera.position.add(away);
    this.#controls.update();
  }

  dispose(): void {
    this.#controls.dispose();
    this.canvas.removeEventListener('keydown', this.#onKey);
  }

  readonly #onKey = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const deeds: Readonly<Record<string, () => void>> = {
      ArrowLeft: () => this.#turn(-TURN, 0, 1),
      ArrowRight: () => this.#turn(TURN, 0, 1),
      ArrowUp: () => this.#turn(0, -TURN, 1),
      ArrowDown: () => this.#turn(0, TURN, 1),
      '+': () => this.#turn(0, 0, 1 / ZOOM),
      '=': () => this.#turn(0, 0, 1 / ZOOM),
      '-': () => this.#turn(0, 0, ZOOM),
      '0': () => this.frame(this.#box),
      Home: () => this.frame(this.#box),
    };
    const deed = deeds[event.key];
    if (!deed) return;
    event.preventDefault();
    deed();
  };

  #turn(around: number, down: number, farther: number): void {
    const { target } = this.#controls;
    const at = new Spherical().setFromVector3(this.camera.position.clone().sub(target));
    at.theta += around;
    at.phi += down;
    at.radius *= farther;
    at.makeSafe();
    this.camera.position.copy(target).add(new Vector3().setFromSpherical(at));
    this.#controls.update();
    this.onChange();
  }
}

function cornersOf(low: Vector3, high: Vector3): Vector3[] {
  const ends = [low, high];
  return ends.flatMap(({ x }) => ends.flatMap(({ y }) => ends.map(({ z }) => new Vector3(x, y, z))));
}
