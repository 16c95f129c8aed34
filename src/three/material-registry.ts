import type { Material } from 'three';
import type { MaterialModel } from '../character/model.ts';

/**
 * Maps a character's material to the three material that it was made from. Keys are the objects in `character.materials`. Packing,
 * `withController` and `addSockets` pass them on unchanged. Characters read from files are not in it.
 */
export const threeMaterials: WeakMap<MaterialModel, Material> = new WeakMap();
