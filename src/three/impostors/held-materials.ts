import { type Material, type MeshStandardMaterial, NormalBlending, type Texture } from 'three/webgpu';

type Values = Readonly<Record<string, unknown>>;

/** Fields that impostors do not show, and the value with which they have no effect. */
const WITHOUT: Values = {
  transparent: false,
  blending: NormalBlending,
  alphaHash: false,
  alphaToCoverage: false,
  wireframe: false,
  fog: true,
  toneMapped: true,
  depthTest: true,
  depthWrite: true,
  colorWrite: true,
  visible: true,
  lightMap: null,
  envMap: null,
  emissiveMap: null,
  displacementMap: null,
  clippingPlanes: null,
};

/** Fields that tiles show. */
const NUMBERS = ['opacity', 'alphaTest', 'roughness', 'metalness', 'aoMapIntensity', 'bumpScale', 'side'] as const;
const MAPS = ['map', 'alphaMap', 'normalMap', 'bumpMap', 'roughnessMap', 'metalnessMap', 'aoMap'] as const;

/** The reason why impostors cannot hold a material; undefined if they can. */
export function materialRefusal(material: Material): string | undefined {
  const { type, name, isMeshPhysicalMaterial } = material as Material & { isMeshPhysicalMaterial?: boolean };
  const values = material as unknown as Values;
  const what = `Its material '${name}'`;
  const isStandard = values.isMeshStandardMaterial === true || values.isMeshStandardNodeMaterial === true;
  if (!isStandard || isMeshPhysicalMaterial || values.isMeshPhysicalNodeMaterial) {
    return `${what} is a ${type}; impostors hold MeshStandardMaterial.`;
  }
  const { emissive, emissiveIntensity } = material as MeshStandardMaterial;
  if (emissiveIntensity > 0 && emissive.r + emissive.g + emissive.b > 0) return `${what} emits light.`;
  const set = Object.keys(WITHOUT).find((key) => values[key] !== undefined && values[key] !== WITHOUT[key]);
  if (set) return `${what} has ${set}.`;
  const node = Object.keys(values).find(
    (key) => key.endsWith('Node') && (values[key] as Values | null)?.isNode === true,
  );
  return node && `${what} has ${node}, which may differ from character to character.`;
}

/** Adds what tiles show of a material, and whether they can, to a list. Two equal lists need no new tiles. */
export function addLook(material: Material, look: unknown[]): void {
  const values = material as unknown as Values;
  const { color, emissive, normalScale, version } = material as MeshStandardMaterial;
  look.push(material, version, color?.r, color?.g, color?.b, normalScale?.x, normalScale?.y);
  look.push(emissive && emissive.r + emissive.g + emissive.b > 0);
  for (const key of NUMBERS) look.push(values[key]);
  for (const key in WITHOUT) look.push(values[key]);
  for (const key of MAPS) {
    const map = values[key] as Texture | null | undefined;
    if (map) look.push(map, map.version, map.offset.x, map.offset.y, map.repeat.x, map.repeat.y, map.rotation);
  }
}
