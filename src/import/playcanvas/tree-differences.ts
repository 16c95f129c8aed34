import type { Differences } from './differences.ts';
import type { GraphState, GraphTree } from './graph.ts';

/** Reports what a state's motion does otherwise than in PlayCanvas 2.23. */
export function compareTree(state: GraphState, differences: Differences): void {
  const { tree, path, speed, loops } = state;
  if (!tree) return;
  if (speed !== 1) {
    const message = 'the speed counts for the clips of the tree; in PlayCanvas only for its exit times';
    differences.add('tree-speed', `${path}/speed`, message);
  }
  compareWeights(tree, differences);
  comparePhases(tree, loops, differences);
  for (const child of tree.children) {
    if (!child.tree) continue;
    const message = 'the tree inside the tree is imported; PlayCanvas stops with an error when it plays one';
    differences.add('nested', child.path, message);
  }
}

function compareWeights({ type, path, children }: GraphTree, differences: Differences): void {
  const points = children.map(({ point }) => point.join());
  const hasTwice = new Set(points).size < points.length;
  if (type === '1D') {
    const message =
      children.length === 1
        ? 'its only child always plays; in PlayCanvas it never has any weight'
        : `outside ${range(children.map(({ point }) => point[0]!))} the nearest child plays; in PlayCanvas all weights are 0`;
    differences.add('range', path, message);
  }
  if (type === '2D_DIRECTIONAL' && children.length > 1) {
    const message = 'weights are those of gradient bands with signed angles; PlayCanvas takes them unsigned';
    differences.add('directional', path, message);
  }
  if (type === 'DIRECT' || !hasTwice) return;
  const message =
    type === '1D'
      ? 'of children at one value the last counts; in PlayCanvas both have half of the weight, everywhere'
      : 'children at one point share their weight; in PlayCanvas they make the weights NaN';
  differences.add('duplicate', `${path}/children`, message);
}

function range(values: readonly number[]): string {
  return `${Math.min(...values)} … ${Math.max(...values)}`;
}

function comparePhases({ type, path, children, isSynced }: GraphTree, loops: boolean, differences: Differences): void {
  const add = (topic: string, message: string) => differences.add(topic, path, message);
  if (children.length > 1 && !isSynced) {
    add('unsynced', 'all clips run in one common phase; in PlayCanvas each has its own, as syncAnimations is off');
  }
  if (children.some(({ speed }) => speed < 0) && !loops) {
    add('reversed', 'clips of negative speed play from end to begin; in PlayCanvas, not looping, they do not move');
  }
  if (!isSynced) return;
  if (children.some(({ speed }) => speed === 0)) {
    add('held', 'clips of speed 0 do not move and do not count for the length; in PlayCanvas they make it infinite');
  }
  if (children.length > 1) {
    add(
      'phase',
      'all clips keep one common phase; in PlayCanvas a clip without weight is held and speeds are not matched ' +
        'during a transition, so that phases drift apart',
    );
  }
  if (type === 'DIRECT') add('matched', 'speeds follow the weights; in PlayCanvas those of the change before');
  if (type === '2D_CARTESIAN' && children.length > 2) {
    add('matched', 'speeds follow the weights; in PlayCanvas, the weights before they are scaled to sum 1');
  }
  if (type === '2D_DIRECTIONAL' && children.some(({ speed }) => Math.abs(speed) !== 1)) {
    add('matched', 'a child’s speed counts for the common length only; in PlayCanvas also for its own clip');
  }
}
