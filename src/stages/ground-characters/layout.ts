import { bindings, reads, struct, uniform, writes } from '../../layout/index.ts';
import { Transform } from '../layout.ts';

export const GroundParams = /* @__PURE__ */ struct('GroundParams', {
  /** Where the field begins: x and z of its first height, and what is added to all heights; metres from the crowd's origin. */
  origin: 'vec3f',
  /** How far characters lean with the ground: 0 not at all, 1 with their feet flat on it. */
  lean: 'f32',
  /** Metres from one height to the next, along x and along z. */
  spacing: 'vec2f',
  /** Heights along x, and along z: at least 2. */
  columns: 'u32',
  rows: 'u32',
  characterCount: 'u32',
  pad0: 'u32',
  pad1: 'u32',
  pad2: 'u32',
});

export const groundCharactersBindings = /* @__PURE__ */ bindings(0, {
  params: uniform(GroundParams),
  /** Row after row, along x in each. */
  heights: reads('f32'),
  /** A bit per character that follows the ground. */
  grounded: reads('u32'),
  transforms: writes(Transform),
});
