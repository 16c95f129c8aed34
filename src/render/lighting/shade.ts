import { cross, dot, normalize, subtract, type Vector } from '../camera.ts';
import type { MaterialSample } from '../materials/material.ts';
import type { ShadedPoint } from '../visibility/shade-pixels/reference.ts';
import type { LitFrame } from './lit-frame.ts';
import { added, mixed, multiplied, saturate, scaled, smoothstep } from './numbers.ts';
import { throughAir } from './air.ts';
import { sunVisibility } from './shadow.ts';
import { ambientLight, mirroredLight } from './sky.ts';

/** A point of a surface to be lit: see `shade.wesl`. */
export interface Surface {
  readonly world: Vector;
  /** Normal of the mesh, on the eye's side, then the same with the normal map. */
  readonly normal: Vector;
  readonly shadingNormal: Vector;
  readonly baseColor: Vector;
  readonly metallic: number;
  readonly roughness: number;
  readonly emissive: Vector;
  readonly occlusion: number;
  readonly isUnlit: boolean;
}

/** Twin of `surfaceOf`. The frame of the normal map: tangent made square to the normal, bitangent = normal × tangent × sign. */
export function surfaceOf(
  { world, outward, tangent, isFront, color }: ShadedPoint,
  found: MaterialSample,
  isUnlit: boolean,
): Surface {
  const side = isFront ? 1 : -1;
  const normal = normalize(outward);
  let shading = normal;
  if (tangent && tangent.handedness !== 0) {
    const { direction, handedness } = tangent;
    const across = subtract(direction, scaled(normal, dot(normal, direction)));
    const u = scaled(across, 1 / Math.sqrt(Math.max(dot(across, across), 1e-12)));
    const v = scaled(cross(normal, u), Math.sign(handedness));
    const [x, y, z] = found.normal;
    shading = normalize(added(added(scaled(u, x), scaled(v, y)), scaled(normal, z)));
  }
  const [r, g, b] = found.baseColor;
  return {
    world,
    normal: scaled(normal, side),
    shadingNormal: scaled(shading, side),
    baseColor: multiplied([r, g, b], color),
    metallic: found.metallic,
    roughness: found.roughness,
    emissive: found.emissive,
    occlusion: found.occlusion,
    isUnlit,
  };
}

/** Twin of `shadeSurface`: linear light that reaches the eye, before exposure and curve. */
export function shadeSurface(frame: LitFrame, surface: Surface): Vector {
  const { world, shadingNormal, baseColor, metallic } = surface;
  if (surface.isUnlit) return throughAir(frame, baseColor, world);
  const toEye = normalize(subtract(frame.eye, world));
  const diffuse = scaled(baseColor, 1 - metallic);
  const reflectance = mixed([0.04, 0.04, 0.04], baseColor, metallic);
  const roughness = Math.min(1, Math.max(0.05, surface.roughness));
  const facing = saturate(dot(shadingNormal, frame.sunDirection));
  const eyeFacing = Math.max(Math.abs(dot(shadingNormal, toEye)), 1e-4);
  // a surface that is turned away from the sun needs no shadow map
  const turned = facing * smoothstep(0, 0.1, dot(surface.normal, frame.sunDirection));
  const sun = turned > 0 ? turned * sunVisibility(frame, world, surface.normal) : 0;
  const shine = highlight(frame.sunDirection, { normal: shadingNormal, toEye, facing, eyeFacing, roughness });
  const direct = scaled(multiplied(frame.sunColor, added(diffuse, shine(reflectance))), sun);
  const back = subtract(scaled(shadingNormal, 2 * dot(shadingNormal, toEye)), toEye);
  const mirrored = multiplied(
    mirroredLight(frame, back, roughness),
    environmentReflectance(reflectance, roughness, eyeFacing),
  );
  const around = added(multiplied(diffuse, ambientLight(frame, shadingNormal)), mirrored);
  const light = added(added(direct, scaled(around, surface.occlusion)), surface.emissive);
  return throughAir(frame, light, world);
}

interface Facing {
  readonly normal: Vector;
  readonly toEye: Vector;
  /** Cosines of the normal with the sun, and with the eye. */
  readonly facing: number;
  readonly eyeFacing: number;
  readonly roughness: number;
}

/**
 * π × D V F from glTF 2.0, appendix B, as a function of reflectance. D is GGX with α = roughness² (Walter and others,
 * 2007). V is height-correlated Smith (Heitz, 2014). F is Schlick (1994). π D = α² / ((n·h)² (α² − 1) + 1)².
 */
function highlight(
  sunDirection: Vector,
  { normal, toEye, facing, eyeFacing, roughness }: Facing,
): (reflectance: Vector) => Vector {
  const halfway = normalize(added(sunDirection, toEye));
  const squared = roughness ** 4;
  const distribution = squared / (saturate(dot(normal, halfway)) ** 2 * (squared - 1) + 1) ** 2;
  const lambda = (cosine: number) => Math.sqrt(cosine * cosine * (1 - squared) + squared);
  const visibility = 0.5 / Math.max(facing * lambda(eyeFacing) + eyeFacing * lambda(facing), 1e-5);
  const grazing = (1 - saturate(dot(toEye, halfway))) ** 5;
  return (reflectance) => scaled(mixed(reflectance, [1, 1, 1], grazing), distribution * visibility);
}

/** Karis, "Physically Based Shading on Mobile" (2014): reflectance × scale + bias of the light from all around. */
function environmentReflectance(reflectance: Vector, roughness: number, eyeFacing: number): Vector {
  const x = 1 - roughness;
  const y = 0.0425 - 0.0275 * roughness;
  const z = 1.04 - 0.572 * roughness;
  const w = 0.022 * roughness - 0.04;
  const a = Math.min(x * x, 2 ** (-9.28 * eyeFacing)) * x + y;
  const [scale, bias] = [z - 1.04 * a, w + 1.04 * a];
  return reflectance.map((value) => value * scale + bias) as unknown as Vector;
}
