import {
  BufferAttribute,
  BufferGeometry,
  Color,
  DirectionalLight,
  DynamicDrawUsage,
  GridHelper,
  HemisphereLight,
  type Material,
  Mesh,
  MeshLambertMaterial,
  PerspectiveCamera,
  Scene,
  Vector3,
  WebGPURenderer,
} from 'three/webgpu';
import type { Box } from '../../src/character/character.ts';
import type { Character } from '../../src/character/index.ts';
import type { Rgb } from './colours.ts';
import { Orbit } from './orbit.ts';
import type { PackedMesh } from './packed-mesh.ts';
import type { PackedPose } from './packed-pose.ts';
import { SkeletonLines } from './skeleton-lines.ts';
import { SmoothNormals } from './smooth-normals.ts';

const BACKGROUND = '#1a1f26';
/** Most frames in flight. More would only delay the picture on adapters that are slower than the screen. */
const FRAMES_UNDERWAY = 2;
/** Pixels of CSS within which a click chooses a joint. */
const REACH = 22;

interface Light {
  readonly sky: string;
  readonly ground: string;
  readonly skyIntensity: number;
  readonly sunIntensity: number;
}

const LOOKING: Light = { sky: '#dfe9ff', ground: '#5a544c', skyIntensity: 1.4, sunIntensity: 2.8 };
/** Nearly the same from all sides, so that colours can be compared with the legend's. */
const MEASURING: Light = { sky: '#ffffff', ground: '#c4c8cc', skyIntensity: 2.5, sunIntensity: 0.8 };

/** Draws a character on a canvas with three.js. The caller sets positions and colours when they change. */
export class Viewport {
  readonly #renderer: WebGPURenderer;
  readonly #scene = new Scene();
  readonly #camera = new PerspectiveCamera(35, 1, 0.1, 100);
  readonly #sky = new HemisphereLight();
  readonly #sun = new DirectionalLight();
  readonly #orbit: Orbit;
  readonly #geometry = new BufferGeometry();
  readonly #mesh: Mesh;
  readonly #normals: SmoothNormals;
  readonly #skeleton: SkeletonLines;
  readonly #painted = new MeshLambertMaterial({ vertexColors: true });
  readonly #looks: readonly Material[];
  readonly #resized: ResizeObserver;
  #isChanged = true;
  #isFramed = false;
  /** Frames that the GPU has not finished yet. */
  #underway = 0;
  /** Box of the first pose, which the initial picture frames. */
  #first: Box;

  private constructor(
    renderer: WebGPURenderer,
    private readonly device: GPUDevice | undefined,
    readonly canvas: HTMLCanvasElement,
    character: Character,
    private readonly packed: PackedMesh,
    looks: readonly Material[],
  ) {
    this.#renderer = renderer;
    this.#looks = looks;
    this.#first = character.bounds;
    this.#normals = new SmoothNormals(packed);
    const dynamic = (): BufferAttribute => {
      const made = new BufferAttribute(new Float32Array(3 * Math.max(1, packed.vertexCount)), 3);
      made.setUsage(DynamicDrawUsage);
      return made;
    };
    for (const name of ['position', 'normal', 'color']) this.#geometry.setAttribute(name, dynamic());
    this.#geometry.setAttribute('uv', new BufferAttribute(packed.texcoords, 2));
    this.#geometry.setIndex(new BufferAttribute(packed.indices, 1));
    character.primitives.forEach(({ firstIndex, indexCount }, index) => {
      this.#geometry.addGroup(firstIndex, indexCount, index);
    });
    this.#mesh = new Mesh(this.#geometry, [...looks]);
    this.#mesh.frustumCulled = false;
    this.#skeleton = new SkeletonLines(character.joints, character.size);
    this.#scene.background = new Color(BACKGROUND);
    this.#sun.position.set(-0.5, 1, 0.9);
    this.#scene.add(this.#mesh, this.#skeleton.object, this.#sky, this.#sun, grid(character));
    this.#orbit = new Orbit(this.#camera, canvas, () => (this.#isChanged = true));
    this.#resized = new ResizeObserver(() => this.#resize());
    this.#resized.observe(canvas);
  }

  /** @throws whatever three.js throws if there is neither WebGPU nor WebGL 2 */
  static async open(
    canvas: HTMLCanvasElement,
    device: GPUDevice | undefined,
    character: Character,
    packed: PackedMesh,
    looks: readonly Material[],
  ): Promise<Viewport> {
    const renderer = new WebGPURenderer({ canvas, antialias: true, ...(device ? { device } : {}) });
    await renderer.init();
    return new Viewport(renderer, device, canvas, character, packed, looks);
  }

  pose({ positions, joints }: PackedPose, chosen: number | undefined, jointColours?: readonly Rgb[]): void {
    if (positions.length > 0) {
      const box = boxOf(positions);
      if (this.#isFramed) this.#orbit.follow(box);
      else this.#first = box;
    }
    const position = this.#attribute('position');
    position.array.set(positions);
    position.needsUpdate = true;
    const normal = this.#attribute('normal');
    this.#normals.compute(positions, normal.array as Float32Array);
    normal.needsUpdate = true;
    this.#skeleton.show(joints, chosen, jointColours);
    this.#isChanged = true;
  }

  /** Sets colours per vertex on a matt material; undefined restores the character's own materials. */
  paint(colours: Float32Array | undefined): void {
    const color = this.#attribute('color');
    color.array.set(colours ?? this.packed.colors);
    color.needsUpdate = true;
    this.#mesh.material = colours ? this.#painted : [...this.#looks];
    this.#light(colours ? MEASURING : LOOKING);
    this.#isChanged = true;
  }

  #light({ sky, ground, skyIntensity, sunIntensity }: Light): void {
    this.#sky.color.set(sky);
    this.#sky.groundColor.set(ground);
    this.#sky.intensity = skyIntensity;
    this.#sun.intensity = sunIntensity;
  }

  showSkeleton(isShown: boolean): void {
    this.#isChanged ||= this.#skeleton.object.visible !== isShown;
    this.#skeleton.object.visible = isShown;
  }

  /** Draws if anything has changed and the GPU has finished earlier frames. Returns true if it drew. */
  draw(): boolean {
    if (!this.#isChanged || this.#underway >= FRAMES_UNDERWAY || this.canvas.clientWidth === 0) return false;
    this.#isChanged = false;
    if (!this.#isFramed) this.#fit();
    this.#renderer.render(this.#scene, this.#camera);
    this.#underway++;
    const done = this.device?.queue.onSubmittedWorkDone() ?? Promise.resolve();
    void done.catch(() => undefined).then(() => this.#underway--);
    return true;
  }

  /** Finds the joint nearest to a place on the canvas, in CSS pixels; undefined if none is near. */
  jointAt(x: number, y: number, joints: Float32Array): number | undefined {
    const { clientWidth, clientHeight } = this.canvas;
    let found: number | undefined;
    let nearest = REACH;
    const at = new Vector3();
    for (let joint = 0; joint < joints.length / 12; joint++) {
      at.set(joints[12 * joint + 3]!, joints[12 * joint + 7]!, joints[12 * joint + 11]!).project(this.#camera);
      const distance = Math.hypot(((at.x + 1) / 2) * clientWidth - x, ((1 - at.y) / 2) * clientHeight - y);
      if (at.z < 1 && distance < nearest) [nearest, found] = [distance, joint];
    }
    return found;
  }

  dispose(): void {
    this.#resized.disconnect();
    this.#orbit.dispose();
    this.#skeleton.dispose();
    this.#geometry.dispose();
    this.#painted.dispose();
    void this.#renderer.dispose();
  }

  #attribute(name: string): BufferAttribute {
    return this.#geometry.getAttribute(name) as BufferAttribute;
  }

  #resize(): void {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    if (width === 0 || height === 0) return;
    this.#renderer.setPixelRatio(Math.min(2, globalThis.devicePixelRatio));
    this.#renderer.setSize(width, height, false);
    this.#camera.aspect = width / height;
    this.#camera.updateProjectionMatrix();
    this.#isChanged = true;
  }

  #fit(): void {
    this.#resize();
    this.#isFramed = true;
    this.#orbit.frame(this.#first);
    this.#isChanged = false;
  }
}

/** Returns the smallest box around all vertices. */
function boxOf(positions: Float32Array): Box {
  const [min, max] = [
    [Infinity, Infinity, Infinity],
    [-Infinity, -Infinity, -Infinity],
  ];
  positions.forEach((p, i) => {
    min[i % 3] = Math.min(min[i % 3]!, p);
    max[i % 3] = Math.max(max[i % 3]!, p);
  });
  return { min, max };
}

/** Ground, in squares of 1 m, or of the power of ten that suits the character. */
function grid({ bounds, size }: Character): GridHelper {
  const square = 10 ** Math.round(Math.log10(size / 2 || 1));
  const lines = new GridHelper(10 * square, 10, '#4a5566', '#2a313c');
  lines.position.y = bounds.min[1]!;
  return lines;
}
