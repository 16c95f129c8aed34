import { type Issue, listed, quoted, warning } from '../errors.ts';
import type { ChildModel, ControllerModel, LayerModel, MachineModel, MotionModel } from './controller/model.ts';
import { jointOfMask, maskWeights } from './mask.ts';
import { mirrorPairs, mirrorTable } from './mirror.ts';
import { listedByNearness } from './names.ts';

/** A joint, as far as controllers care; `rotation` is the local one at rest. */
interface BoundJoint {
  readonly name: string;
  readonly parentIndex: number;
  readonly rotation: ArrayLike<number>;
}

/** Who a controller is bound to, and where warnings go. */
export interface Binding {
  readonly name: string;
  readonly joints: readonly BoundJoint[];
  /** Joints and morph lanes. */
  readonly laneCount: number;
  readonly issues: Issue[];
}

/** Bytes of a layer's mask; names of no joint are a warning (CONTROLLER_NAME_UNKNOWN). */
export function bindMask(layer: LayerModel, { name, joints, laneCount, issues }: Binding): Uint8Array {
  const { bytes, unmatched } = maskWeights(layer.mask!, joints, laneCount);
  if (unmatched.length > 0) {
    const message = `${unmatched.length} names are no joints of ${name}: ${listed(unmatched)}.`;
    const [first] = unmatched;
    const suggestion = `The joints nearest to ${quoted(first)}: ${listedByNearness(joints, jointOfMask(first!))}.`;
    issues.push(warning('CONTROLLER_NAME_UNKNOWN', `${layer.name}/mask`, message, suggestion));
  }
  return bytes;
}

/** The mirror table that a controller needs, if it mirrors anything; joints that stay are a warning (CONTROLLER_SIMPLIFIED). */
export function bindMirror(
  controller: ControllerModel,
  { joints, laneCount, issues }: Binding,
): Uint32Array<ArrayBuffer> | undefined {
  if (!mirrors(controller)) return undefined;
  const pairs = mirrorPairs(joints.map(({ name }) => name));
  const { words, unmirrored } = mirrorTable(joints, pairs, laneCount);
  if (unmirrored.length > 0) {
    const names = unmirrored.slice(0, 10).map((joint) => joints[joint]!.name);
    const message = `${unmirrored.length} joints have no counterpart to be mirrored with: ${names.join(', ')}.`;
    const suggestion = 'They, and all below them, keep their own motion.';
    issues.push(warning('CONTROLLER_SIMPLIFIED', 'mirror', message, suggestion));
  }
  return words;
}

/** Whether anything of a controller may play with left and right exchanged. */
function mirrors({ layers, clips = {} }: ControllerModel): boolean {
  const inMotion = (motion: MotionModel | undefined): boolean =>
    typeof motion === 'object' &&
    (motion.children as readonly ChildModel[]).some((child) => child.mirror === true || inMotion(child.motion));
  const inMachine = ({ states, machines = {} }: MachineModel): boolean =>
    Object.values(states).some(
      ({ mirror, mirrorParameter, motion }) => mirror === true || mirrorParameter !== undefined || inMotion(motion),
    ) || Object.values(machines).some(inMachine);
  return (
    Object.values(clips).some(({ mirror }) => mirror === true) ||
    layers.some(
      ({ machine, sync }) => (machine && inMachine(machine)) || (sync && Object.values(sync.motions).some(inMotion)),
    )
  );
}
