import type { Material } from 'three';
import type { MaterialModel } from '../asset/model.ts';

/**
 * What three's material a character's stands for: asked with the objects in `character.materials`, which packing,
 * `withController` and `addSockets` hand on as they are. Characters that were read from files are not in it.
 */
export const threeMaterials: WeakMap<MaterialModel, Material> = new WeakMap();
