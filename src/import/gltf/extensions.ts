import { pointer, quote } from '../model-builder/issue-list.ts';
import type { GltfJson } from './schema.ts';

/** Extensions with effects on geometry and base look that are fully imported. */
const SUPPORTED: ReadonlySet<string> = new Set([
  'KHR_draco_mesh_compression',
  'EXT_meshopt_compression',
  'KHR_meshopt_compression',
  'KHR_mesh_quantization',
  'KHR_texture_transform',
  'KHR_texture_basisu',
  'EXT_texture_webp',
  'KHR_materials_unlit',
  'KHR_materials_emissive_strength',
  'MSFT_lod',
  // each material says what is left out
  'VRMC_materials_mtoon',
]);

/**
 * Extensions that only add to the look, or to the scene around the character. Without them every vertex still moves as
 * it should, so they are ignored even where a file requires them.
 */
const IGNORABLE: ReadonlySet<string> = new Set([
  'KHR_materials_pbrSpecularGlossiness',
  'KHR_materials_anisotropy',
  'KHR_materials_clearcoat',
  'KHR_materials_diffuse_transmission',
  'KHR_materials_dispersion',
  'KHR_materials_ior',
  'KHR_materials_iridescence',
  'KHR_materials_sheen',
  'KHR_materials_specular',
  'KHR_materials_transmission',
  'KHR_materials_variants',
  'KHR_materials_volume',
  'KHR_lights_punctual',
  'KHR_animation_pointer',
  'KHR_xmp',
  'KHR_xmp_json_ld',
  'EXT_lights_image_based',
  'EXT_texture_avif',
  'MSFT_texture_dds',
]);

/** Extensions that animate, and what does not move without them. */
const ANIMATING: ReadonlyMap<string, string> = new Map([
  ['KHR_animation_pointer', 'materials, lights and cameras keep the values that they begin with'],
  ['KHR_interactivity', 'its behaviours do not run'],
  ['KHR_physics_rigid_bodies', 'its bodies do not fall or swing'],
  ['MPEG_animation_timing', 'its clips are not started by a timeline'],
  ['AGI_articulations', 'its articulations keep their first values'],
]);

/** Extensions that are read, and the parts of them that have no effect. */
const PARTLY: ReadonlyMap<string, string> = new Map([
  ['VRM', 'its springs do not swing and its eyes follow nothing'],
  ['VRMC_vrm', 'its eyes follow nothing'],
  ['VRMC_vrm_animation', 'its expressions and gaze do not move'],
  ['VRMC_springBone', 'hair, clothes and tails do not swing'],
  ['VRMC_node_constraint', 'constrained nodes do not follow others'],
]);

/** Refuses what a file requires and Maniple cannot do, and says what is left out of the rest. */
export function checkExtensions({ json, issues }: GltfJson): void {
  const required = new Set(json.extensionsRequired);
  json.extensionsRequired?.forEach((name, i) => {
    if (SUPPORTED.has(name) || IGNORABLE.has(name) || PARTLY.has(name)) return;
    const message = `the file requires the extension ${quote(name)}, which Maniple does not know`;
    issues.error('GLTF_EXTENSION_REQUIRED', pointer('extensionsRequired', i), message, 'Export it without.');
  });
  json.extensionsUsed?.forEach((name, i) => {
    if (SUPPORTED.has(name)) return;
    const missing = PARTLY.get(name);
    if (missing !== undefined) {
      const partly = `The extension ${quote(name)} is read in part: ${missing}`;
      issues.warn('GLTF_EXTENSION_IGNORED', pointer('extensionsUsed', i), partly);
      return;
    }
    const lost = ANIMATING.get(name);
    const message = `The extension ${quote(name)} is ignored${lost === undefined ? '' : `: ${lost}`}`;
    const severity = lost !== undefined || required.has(name) ? 'warn' : 'info';
    issues[severity]('GLTF_EXTENSION_IGNORED', pointer('extensionsUsed', i), message);
  });
}
