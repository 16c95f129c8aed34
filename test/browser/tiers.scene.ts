// Runs in the browser: a scene that every renderer of three.js can draw, and the characters in it.
import {
  BasicShadowMap,
  Color,
  DirectionalLight,
  FrontSide,
  HemisphereLight,
  type Material,
  Mesh,
  MeshBasicMaterial,
  MeshLambertMaterial,
  type MeshStandardMaterial,
  PCFShadowMap,
  PerspectiveCamera,
  PlaneGeometry,
  PointLight,
  Scene,
  VSMShadowMap,
} from 'three/webgpu';
import { readBaked } from '../../src/character/file/index.ts';
import type { Character } from '../../src/character/character.ts';
import { withController } from '../../src/character/bind-controller.ts';
import { blend1d, defineController, param, when } from '../../src/controller/index.ts';
import type { AnyRenderer, Kind, Size } from './three-renderers.ts';

export interface SceneOptions {
  readonly kind: Kind;
  /** Characters of all types together. */
  readonly count: number;
  readonly size: Size;
  readonly frames: number;
  readonly materials: 'lambert' | 'white' | 'own' | 'basic';
  /** Default true. */
  readonly shadows?: boolean;
  /** 'point': six faces of a shadow map. */
  readonly light?: 'sun' | 'point';
  readonly shadow?: ShadowSettings;
}

/** Settings of three.js. */
export interface ShadowSettings {
  /** Default 'basic': one sample, without a filter. */
  readonly type?: keyof typeof SHADOWS;
  /** Width and height. Default 512. */
  readonly mapSize?: number;
  readonly radius?: number;
  /** Default −0.005. */
  readonly bias?: number;
  /** Default 0.05. */
  readonly normalBias?: number;
}

const SHADOWS = { basic: BasicShadowMap, pcf: PCFShadowMap, vsm: VSMShadowMap };

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

export const characters: Promise<Character[]> = Promise.all(
  ['/a.maniple', '/b.maniple', '/c.maniple'].map(async (url, i) => {
    const character = readBaked(new Uint8Array(await (await fetch(url)).arrayBuffer()));
    return i === 0 ? withController(character, controller) : character;
  }),
);

export function sceneOf(
  renderer: AnyRenderer,
  { light, shadows = true, shadow = {} }: SceneOptions,
): {
  readonly scene: Scene;
  readonly camera: PerspectiveCamera;
} {
  const { type = 'basic', mapSize = 512, radius = 1, bias = -0.005, normalBias = 0.05 } = shadow;
  renderer.shadowMap.enabled = true;
  renderer.shadowMap.type = SHADOWS[type];
  const scene = new Scene();
  scene.background = new Color(0.2, 0.3, 0.4);
  const camera = new PerspectiveCamera(40, 4 / 3, 0.1, 200);
  camera.position.set(0, 5, 14);
  camera.lookAt(0, 0.5, 0);
  const lamp = light === 'point' ? new PointLight(0xffffff, 400) : new DirectionalLight(0xffffff, 3);
  lamp.position.set(4, 9, 6);
  lamp.castShadow = shadows;
  // surfaces that shade themselves would show how each renderer rasterises
  Object.assign(lamp.shadow, { bias, normalBias, radius });
  lamp.shadow.mapSize.set(mapSize, mapSize);
  if (lamp instanceof DirectionalLight) {
    Object.assign(lamp.shadow.camera, { left: -12, right: 12, top: 12, bottom: -12, far: 40 });
  }
  const ground = new Mesh(new PlaneGeometry(40, 40).rotateX(-Math.PI / 2), new MeshLambertMaterial());
  ground.receiveShadow = true;
  scene.add(lamp, new HemisphereLight(0xffffff, 0x404040, 1), ground);
  return { scene, camera };
}

export const MATERIALS: Readonly<Record<SceneOptions['materials'], (own: Material) => Material>> = {
  own: (own) => own,
  lambert: (own) => {
    const { map, color, name } = own as MeshStandardMaterial;
    return (
      lamberts.get(own) ??
      lamberts.set(own, new MeshLambertMaterial({ map, color, name, shadowSide: FrontSide })).get(own)!
    );
  },
  white: () => white,
  basic: () => basic,
};
const lamberts = new Map<Material, Material>();
const white = new MeshLambertMaterial({ shadowSide: FrontSide });
export const basic = new MeshBasicMaterial({ color: 0xffffff, shadowSide: FrontSide });

/** Places the i-th of a type's characters in rows, at most 1 m high. */
export function placeOf(type: number, typeCount: number, i: number, height: number) {
  const [n, perRow] = [i * typeCount + type, 20];
  const position = [(n % perRow) - perRow / 2, 0, -Math.floor(n / perRow)] as const;
  return { position, scale: height > 3 ? 1 / height : 1 };
}
