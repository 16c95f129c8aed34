import type { Material } from 'three';
import type { MaterialModel } from '../asset/model.ts';

/** What three.js itself draws a material as, of characters that it has loaded. */
export const threeMaterials = new WeakMap<MaterialModel, Material>();
