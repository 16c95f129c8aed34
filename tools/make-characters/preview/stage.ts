import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import type { AnimationClip, Group, Object3D } from 'three/webgpu';
import { nodeDevice } from '../../../src/node/node-gpu.ts';

/** One picture of the character. */
export interface Shot {
  /** None: the bind pose. */
  readonly clip?: string;
  readonly time: number;
  /** Degrees around the character; 0 looks at its face, 90 at its left side. */
  readonly turn: number;
  readonly width: number;
  readonly height: number;
  /** Metres that fit the picture's height, and the height of its middle. */
  readonly span: number;
  readonly middle: number;
  /** Degrees from which the camera looks down. */
  readonly tilt?: number;
  /** Nodes not shown; the alternatives when nothing is said. */
  readonly hide?: readonly string[];
}

interface Stage {
  readonly clips: readonly AnimationClip[];
  readonly alternatives: readonly string[];
  /** A PNG. */
  shoot(shot: Shot): Promise<Buffer>;
}

const LENS_DEGREES = 28;

let frame: ((time: number) => void) | null = null;
Object.assign(globalThis, {
  // what three's renderer looks for in a browser
  self: globalThis,
  requestAnimationFrame: (callback: (time: number) => void) => ((frame = callback), 1),
  cancelAnimationFrame: () => (frame = null),
});

const THREE = await import('three/webgpu');
const { GLTFLoader } = await import('three/examples/jsm/loaders/GLTFLoader.js');
type Renderer = InstanceType<typeof THREE.WebGPURenderer>;

export async function openStage(glb: string): Promise<Stage> {
  const renderer = await makeRenderer();
  const bytes = Uint8Array.from(readFileSync(glb));
  const { scene: character, animations } = await new GLTFLoader().parseAsync(bytes.buffer, '');
  const alternatives: string[] = [];
  character.traverse((node) => {
    node.castShadow = node.receiveShadow = true;
    node.frustumCulled = false;
    if (node.userData.alternative) alternatives.push(node.name);
  });
  const scene = makeScene(character);
  const mixer = new THREE.AnimationMixer(character);
  const shoot = async (shot: Shot): Promise<Buffer> => {
    mixer.stopAllAction();
    const clip = animations.find(({ name }) => name === shot.clip);
    if (clip) {
      mixer.clipAction(clip).reset().play();
      mixer.setTime(Math.min(shot.time, clip.duration - 1e-4));
    }
    const hidden = shot.hide ?? alternatives;
    character.traverse((node) => (node.visible = !hidden.includes(node.name)));
    character.updateMatrixWorld(true);
    return render(renderer, { scene, character, shot });
  };
  return { clips: animations, alternatives, shoot };
}

async function makeRenderer(): Promise<Renderer> {
  const ignore = (): void => {};
  const canvas = { width: 8, height: 8, style: {}, addEventListener: ignore, removeEventListener: ignore };
  const renderer = new THREE.WebGPURenderer({
    canvas: { ...canvas, getContext: () => null } as unknown as HTMLCanvasElement,
    device: (await nodeDevice({ kind: 'software' })).device,
    antialias: true,
  });
  await renderer.init();
  renderer.shadowMap.enabled = true;
  renderer.toneMapping = THREE.ACESFilmicToneMapping;
  renderer.toneMappingExposure = 1.05;
  return renderer;
}

/** A low sun from the right, a cool light from behind, dusty ground. */
function makeScene(subject: Object3D): InstanceType<typeof THREE.Scene> {
  const scene = new THREE.Scene();
  scene.background = new THREE.Color('#aebccb');
  const sun = new THREE.DirectionalLight('#fff1dc', 3.2);
  sun.position.set(2.2, 4.5, 3);
  sun.castShadow = true;
  sun.shadow.mapSize.set(1024, 1024);
  Object.assign(sun.shadow.camera, { left: -2.2, right: 2.2, top: 2.6, bottom: -1.6, near: 0.5, far: 12 });
  sun.shadow.normalBias = 0.02;
  const rim = new THREE.DirectionalLight('#bcd4ff', 1.4);
  rim.position.set(-3, 2.5, -3);
  const ground = new THREE.Mesh(
    new THREE.CircleGeometry(6, 48).rotateX(-Math.PI / 2),
    new THREE.MeshStandardNodeMaterial({ color: '#9a9488', roughness: 1 }),
  );
  ground.receiveShadow = true;
  return scene.add(sun, rim, new THREE.HemisphereLight('#dfe9f5', '#8a7a66', 1.5), ground, subject);
}

interface Take {
  readonly scene: InstanceType<typeof THREE.Scene>;
  readonly character: Group;
  readonly shot: Shot;
}

async function render(renderer: Renderer, { scene, character, shot }: Take): Promise<Buffer> {
  const { width, height, span, middle, turn, tilt = 9 } = shot;
  const radians = THREE.MathUtils.degToRad;
  const distance = span / (2 * Math.tan(radians(LENS_DEGREES / 2)));
  const away = new THREE.Vector3().setFromSphericalCoords(distance, radians(90 - tilt), radians(turn));
  // a fall goes some way: follow the hips
  const { x, z } = character.getObjectByName('pelvis')!.getWorldPosition(new THREE.Vector3());
  const subject = new THREE.Vector3(x, middle, z);
  const camera = new THREE.PerspectiveCamera(LENS_DEGREES, width / height, 0.1, 40);
  camera.position.copy(subject).add(away);
  camera.lookAt(subject);

  const target = new THREE.RenderTarget(width, height, { samples: 4, colorSpace: THREE.SRGBColorSpace });
  frame?.(performance.now());
  renderer.setRenderTarget(target);
  renderer.setSize(width, height, false);
  renderer.render(scene, camera);
  const pixels = await renderer.readRenderTargetPixelsAsync(target, 0, 0, width, height);
  target.dispose();
  const raw = Buffer.from(pixels.buffer, pixels.byteOffset, pixels.byteLength);
  return sharp(raw, { raw: { width, height, channels: 4 } })
    .removeAlpha()
    .png()
    .toBuffer();
}
