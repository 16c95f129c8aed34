// Runs in the browser: the same scene in every tier of maniple/three.
import {
  Color,
  BasicShadowMap,
  DirectionalLight,
  FrontSide,
  HemisphereLight,
  MeshBasicMaterial,
  BoxGeometry,
  MeshLambertMaterial,
  MeshNormalMaterial,
  type MeshStandardMaterial,
  PerspectiveCamera,
  PlaneGeometry,
  Mesh,
  PointLight,
  RenderTarget,
  Scene,
  ShaderMaterial,
  WebGPURenderer,
  type Material,
  type Object3D,
} from 'three/webgpu';
import { WebGLRenderer, type WebGLRenderTarget } from 'three';
import { readBaked } from '../../src/character/file/index.ts';
import type { Character } from '../../src/character/character.ts';
import type { CharacterId } from '../../src/crowd/rows/ids.ts';
import { withController } from '../../src/character/bind-controller.ts';
import { blend1d, defineController, param, when } from '../../src/controller/index.ts';
import { issuesOf } from '../../src/errors.ts';
import { ManipleCrowd, type CrowdTier } from '../../src/three/index.ts';

/** Renderers of three.js, and how they draw. */
export type Kind = 'core' | 'nodes on WebGL' | 'WebGLRenderer';

export interface SceneOptions {
  readonly kind: Kind;
  /** Characters of all types together. */
  readonly count: number;
  readonly size: readonly [width: number, height: number];
  readonly frames: number;
  readonly materials: 'lambert' | 'own' | 'basic';
  /** Default true. */
  readonly shadows?: boolean;
  /** 'point': six faces of a shadow map. */
  readonly light?: 'sun' | 'point';
}

export interface Drawn {
  readonly tier: CrowdTier;
  readonly pixels: readonly number[];
  readonly states: readonly unknown[];
  readonly events: readonly string[];
  readonly picked: number | undefined;
  readonly errors: readonly string[];
  readonly byteLength: number;
}

const controller = defineController({
  name: 'knight',
  parameters: { speed: param.float() },
  clips: { Idle: { events: [{ name: 'rest', time: 0.02 }] }, Walking_A: { events: [{ name: 'step', time: 0.05 }] } },
  layers: [
    {
      name: 'body',
      machine: {
        default: 'Rest',
        states: {
          Rest: { motion: 'Idle', transitions: [{ to: 'Move', when: [when.above('speed', 0.5)], duration: 0.1 }] },
          Move: { motion: blend1d('speed', [0, 'Idle'], [1.4, 'Walking_A']) },
        },
      },
    },
  ],
});

const characters: Promise<Character[]> = Promise.all(
  ['/a.maniple', '/b.maniple', '/c.maniple'].map(async (url, i) => {
    const character = readBaked(new Uint8Array(await (await fetch(url)).arrayBuffer()));
    return i === 0 ? withController(character, controller) : character;
  }),
);

async function rendererOf(kind: Kind, [width, height]: SceneOptions['size']) {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [width, height];
  if (kind === 'WebGLRenderer') return new WebGLRenderer({ canvas });
  const renderer = new WebGPURenderer({ canvas, forceWebGL: kind === 'nodes on WebGL' });
  await renderer.init();
  return renderer;
}

type AnyRenderer = Awaited<ReturnType<typeof rendererOf>>;

function sceneOf({ light, shadows = true }: SceneOptions): {
  readonly scene: Scene;
  readonly camera: PerspectiveCamera;
} {
  const scene = new Scene();
  scene.background = new Color(0.2, 0.3, 0.4);
  const camera = new PerspectiveCamera(40, 4 / 3, 0.1, 200);
  camera.position.set(0, 5, 14);
  camera.lookAt(0, 0.5, 0);
  const lamp = light === 'point' ? new PointLight(0xffffff, 400) : new DirectionalLight(0xffffff, 3);
  lamp.position.set(4, 9, 6);
  lamp.castShadow = shadows;
  // surfaces that shade themselves would show how each renderer rasterises
  Object.assign(lamp.shadow, { bias: -0.005, normalBias: 0.05 });
  lamp.shadow.mapSize.set(512, 512);
  if (lamp instanceof DirectionalLight) {
    Object.assign(lamp.shadow.camera, { left: -12, right: 12, top: 12, bottom: -12, far: 40 });
  }
  const ground = new Mesh(new PlaneGeometry(40, 40).rotateX(-Math.PI / 2), new MeshLambertMaterial());
  ground.receiveShadow = true;
  scene.add(lamp, new HemisphereLight(0xffffff, 0x404040, 1), ground);
  return { scene, camera };
}

const MATERIALS: Readonly<Record<SceneOptions['materials'], (own: Material) => Material>> = {
  own: (own) => own,
  lambert: (own) => {
    const { map, color, name } = own as MeshStandardMaterial;
    return (
      lamberts.get(own) ??
      lamberts.set(own, new MeshLambertMaterial({ map, color, name, shadowSide: FrontSide })).get(own)!
    );
  },
  basic: () => basic,
};
const lamberts = new Map<Material, Material>();
const basic = new MeshBasicMaterial({ color: 0xffffff, shadowSide: FrontSide });

/** A target for every renderer: the older one looks for its own class. */
function targetOf(size: SceneOptions['size']): RenderTarget {
  return Object.assign(new RenderTarget(...size), { isWebGLRenderTarget: true });
}

async function read(renderer: AnyRenderer, target: RenderTarget): Promise<number[]> {
  const { width, height } = target;
  if (renderer instanceof WebGLRenderer) {
    const pixels = new Uint8Array(4 * width * height);
    renderer.readRenderTargetPixels(target as unknown as WebGLRenderTarget, 0, 0, width, height, pixels);
    return upright([...pixels], width);
  }
  const pixels = [...((await renderer.readRenderTargetPixelsAsync(target, 0, 0, width, height)) as Uint8Array)];
  return 'isWebGLBackend' in renderer.backend ? upright(pixels, width) : pixels;
}

/** Puts the top row first. */
function upright(pixels: number[], width: number): number[] {
  const rows = Array.from({ length: pixels.length / (4 * width) }, (_, y) =>
    pixels.slice(4 * width * y, 4 * width * (y + 1)),
  );
  return rows.reverse().flat();
}

function render(renderer: AnyRenderer, scene: Scene, camera: PerspectiveCamera, target: RenderTarget): void {
  renderer.setRenderTarget(target as never);
  renderer.render(scene as Object3D, camera);
  renderer.setRenderTarget(null);
}

/** Draws the scene for some frames, and tells all that is to be the same in every tier. */
async function draw(options: SceneOptions): Promise<Drawn> {
  const { kind, count, size, frames, materials } = options;
  const renderer = await rendererOf(kind, size);
  renderer.shadowMap.enabled = true;
  renderer.shadowMap.type = BasicShadowMap;
  const { scene, camera } = sceneOf(options);
  const types = await characters;
  const crowd = await ManipleCrowd.create(renderer, {
    characters: types,
    capacity: count,
    updateRates: false,
    materials: (own) => MATERIALS[materials](own),
  });
  const errors: string[] = [];
  crowd.addEventListener('error', ({ error }) => errors.push(String(error)));
  const events: string[] = [];
  crowd.on('event', ({ name, character }) => events.push(`${name} ${character}`));
  const perRow = 20;
  const controlled: CharacterId[] = [];
  types.forEach((type, t) => {
    const group = crowd.spawn(type, {
      count: Math.floor(count / types.length),
      place: (i, at) => {
        const n = i * types.length + t;
        at.position.set((n % perRow) - perRow / 2, 0, -Math.floor(n / perRow));
        at.scale = type.bounds.max[1]! > 3 ? 1 / type.bounds.max[1]! : 1;
      },
    });
    if (type.clips.length > 0 && !type.controller) group.setClips((i) => [{ clip: 0, phase: (i * 0.37) % 1 }]);
    for (const [i, id] of group.ids.entries()) if (i % 5 === 0) crowd.setTint(id, [1, 0.4, 0.4]);
    if (type.controller) {
      group.parameter('speed').fill(1);
      controlled.push(...group.ids);
    }
    if (type.sockets.length > 0) {
      crowd.attachMesh(group, 'hand.r', new BoxGeometry(0.1, 0.1, 1), new MeshLambertMaterial({ color: 0x20ff20 }));
    }
  });
  scene.add(crowd);
  await crowd.ready();
  const target = targetOf(size);
  for (let i = 0; i < frames; i++) {
    crowd.update(1 / 30);
    render(renderer, scene, camera, target);
  }
  await crowd.workDone();
  const pixels = await read(renderer, target);
  const hit = await crowd.pick(camera, size[0] / 2, size[1] / 2, { width: size[0], height: size[1] });
  const states = await crowd.readControllers(controlled);
  const drawn = {
    tier: crowd.tier,
    pixels,
    states: JSON.parse(JSON.stringify(states)) as unknown[],
    events: events.toSorted(),
    picked: hit?.id,
    errors,
    byteLength: crowd.core.byteLength,
  };
  crowd.dispose();
  target.dispose();
  await renderer.dispose();
  return drawn;
}

/** Draws one character with a material of the application, and returns how many pixels have a colour. */
async function drawOwn(kind: 'shader' | 'changed' | 'normal override'): Promise<{ lit: number; errors: string[] }> {
  const size = [96, 72] as const;
  const renderer = await rendererOf('WebGLRenderer', size);
  const scene = new Scene();
  const camera = new PerspectiveCamera(30, 4 / 3, 0.1, 100);
  camera.position.set(0, 1, 6);
  const [type] = await characters;
  const shader = new ShaderMaterial({
    uniforms: { shade: { value: 1 } },
    vertexShader: `varying vec3 n; void main() { n = normal; gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0); }`,
    fragmentShader: `uniform float shade; varying vec3 n; void main() { gl_FragColor = vec4(0.0, shade, abs(n.z), 1.0); }`,
  });
  const changed = new MeshBasicMaterial({ color: 0x000000 });
  changed.onBeforeCompile = (compiled) => {
    compiled.uniforms.lift = { value: 0.2 };
    compiled.vertexShader = `uniform float lift;\n${compiled.vertexShader}`.replace(
      '#include <begin_vertex>',
      '#include <begin_vertex>\ntransformed.y += lift;',
    );
    compiled.fragmentShader = compiled.fragmentShader.replace(
      '#include <color_fragment>',
      '#include <color_fragment>\ndiffuseColor.g = crowdColumn_heat();',
    );
  };
  const crowd = await ManipleCrowd.create(renderer, {
    characters: [type!],
    capacity: 1,
    materials: () => (kind === 'shader' ? shader : kind === 'changed' ? changed : basic),
  });
  const errors: string[] = [];
  crowd.addEventListener('error', ({ error }) => errors.push(String(error)));
  const heat = crowd.column('heat', { size: 1 });
  crowd.spawn(type!);
  heat.fill(1);
  scene.add(crowd);
  if (kind === 'normal override') scene.overrideMaterial = new MeshNormalMaterial();
  const target = targetOf(size);
  for (let i = 0; i < 2; i++) {
    crowd.update(1 / 30);
    render(renderer, scene, camera, target);
  }
  const pixels = await read(renderer, target);
  crowd.dispose();
  await renderer.dispose();
  return { lit: pixels.filter((code, i) => i % 4 === 1 && code > 100).length, errors };
}

const coded = <A extends readonly unknown[], T>(run: (...args: A) => Promise<T>) => {
  return async (...args: A): Promise<T> => {
    try {
      return await run(...args);
    } catch (thrown) {
      const [issue] = issuesOf(thrown);
      throw issue ? new Error(`${issue.code} at ${issue.path}: ${issue.message}`) : thrown;
    }
  };
};

declare global {
  interface Window {
    tiers: { draw: typeof draw; drawOwn: typeof drawOwn };
  }
}
window.tiers = { draw: coded(draw), drawOwn: coded(drawOwn) };
