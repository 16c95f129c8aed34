import { controllerView } from '../../controller/eval/controller-view.ts';
import { ANIMATOR_NONE, type AnimatorRegions } from '../../controller/eval/layout.ts';
import { AnimatorMemory } from '../../controller/eval/memory.ts';
import { layerMotions } from '../../controller/eval/motion-list.ts';
import type { RigTable } from '../../character/format/clip-format.ts';
import type { View } from '../../layout/index.ts';
import { LIST_LAYER_SHIFT, listRows } from './layout.ts';

/** Twin of the kernel that lists what characters show, for the CPU: `listRows` rows each; `large` as there. */
export function listMotions(
  rig: RigTable,
  regions: View<(typeof AnimatorRegions)['fields']>,
  animators: Uint32Array<ArrayBuffer>,
  characters: readonly number[],
  large: boolean,
): Uint32Array<ArrayBuffer> {
  const machines = regions.get(0, 'machineCapacity');
  const rows = listRows(machines, regions.get(0, 'layerCapacity'), large);
  const lists = new Uint32Array(4 * rows * characters.length);
  const floats = new Float32Array(lists.buffer);
  const memory = new AnimatorMemory(animators, regions);
  characters.forEach((character, index) => {
    const first = 4 * rows * index;
    for (let m = 0; m < machines; m++) lists.set(memory.machineWords(m, character), first + 4 + 8 * m);
    const rootAt = first + 4 + 8 * machines;
    const rootWord = memory.rootWord(character);
    if (memory.hasRoot) lists.set(animators.subarray(rootWord, rootWord + 8), rootAt);
    const row = memory.head(character, 'controllerRow');
    let at = rootAt + 8;
    if (row !== ANIMATOR_NONE) {
      const controller = controllerView(rig, row);
      const parameters = memory.parameters(character);
      controller.layers.forEach((layer, l) => {
        const machine = memory.machine(layer.machine, character);
        const shown = layerMotions(controller, l, machine, memory.frozen(l, character), parameters);
        for (const { clip, rigClip, mirror, phase, weight } of shown) {
          lists.set([clip | (mirror ? 0x10000 : 0) | (l << LIST_LAYER_SHIFT), rigClip, phase], at);
          floats[at + 3] = weight;
          at += 4;
        }
      });
    }
    const count = (at - rootAt - 8) / 4;
    lists.set([count, row, memory.head(character, 'triggers'), memory.head(character, 'counters')], first);
  });
  return lists;
}
