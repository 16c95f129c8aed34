import type { ControllerView, LeafView, StateMoments, StateView } from '../../controller/eval/controller-view.ts';
import { LEAF_EVENTS, LEAF_HELD, LEAF_LOOPS, LEAF_REVERSED } from '../../controller/tables.ts';

const CYCLE = 2 ** 32;

/**
 * Phases of a state's clock at which an event of one of its clips may be due, from the clips themselves. Those that a clip really
 * passes are found by `fireEvents`: a clip that does not loop has them in one cycle only.
 *
 * @param machine Index of the machine; all layers that show it count.
 */
export function momentsOf(controller: ControllerView, machine: number, index: number, state: StateView): StateMoments {
  const [looped, held]: [Set<number>, Set<number>] = [new Set(), new Set()];
  const { layers } = controller.machines[machine]!;
  controller.layers.forEach((layer, l) => {
    if (!((layers >>> l) & 1)) return;
    for (const leaf of controller.motion(layer.motionRow(index))?.leaves ?? []) {
      if (!(leaf.flags & LEAF_EVENTS) || leaf.flags & LEAF_HELD) continue;
      const isLooped = (leaf.flags & LEAF_LOOPS) !== 0;
      for (const { at } of controller.clip(leaf.clip).events) (isLooped ? looped : held).add(momentOf(leaf, at.phase));
    }
  });
  state.moments = { looped: Float64Array.from(looped), held: Float64Array.from(held) };
  return state.moments;
}

/** The phase of the state's clock where a leaf's is the event's. */
function momentOf({ flags, offset }: LeafView, event: number): number {
  const target = flags & LEAF_REVERSED ? (CYCLE - event) % CYCLE : event;
  const own = (offset + CYCLE) % CYCLE;
  return (target - (flags & LEAF_LOOPS ? own : 0) + CYCLE) % CYCLE;
}
