import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { type PerspectiveCamera, Spherical, Vector3 } from 'three/webgpu';
import type { Box } from '../../src/asset/character.ts';

const TURN = Math.PI / 18;
const ZOOM = 1.15;
const FIT = 1.12;

/** Turning, moving and zooming a camera about a character: by mouse, touch, and the keys of a focused canvas. */
export class Orbit {
  readonly #controls: OrbitControls;
  #box: Box = { min: [-1, -1, -1], max: [1, 1, 1] };

  constructor(
    private readonly camera: PerspectiveCamera,
    private readonly canvas: HTMLCanvasElement,
    private readonly onChange: () => void,
  ) {
    this.#controls = new OrbitControls(camera, canvas);
    this.#controls.addEventListener('change', onChange);
    canvas.addEventListener('keydown', this.#onKey);
  }

  /** Puts the whole box in sight, seen from the front and a little above. */
  frame(box: Box): void {
    this.#box = box;
    const { camera } = this;
    const [low, high] = [new Vector3(...box.min), new Vector3(...box.max)];
    const size = high.clone().sub(low);
    const target = low.add(high).multiplyScalar(0.5);
    const half = Math.tan((camera.fov * Math.PI) / 360);
    const across = Math.max(size.x, size.z) / camera.aspect;
    const distance = (FIT * Math.max(size.y, across)) / (2 * half) + Math.max(size.x, size.z) / 2;
    const far = size.length() || 1;
    camera.near = far / 200;
    camera.far = distance + 40 * far;
    camera.position
      .copy(target)
      .add(new Vector3().setFromSpherical(new Spherical(distance, Math.PI / 2.25, Math.PI / 7)));
    camera.updateProjectionMatrix();
    this.#controls.target.copy(target);
    this.#controls.minDistance = far / 50;
    this.#controls.maxDistance = distance + 20 * far;
    this.#controls.update();
    this.onChange();
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
