/** Features that the controllers of a crowd use. Kernels are built without the others. */
export interface ControllerTraits {
  readonly events: boolean;
  readonly root: boolean;
  /** True if some motion is more than a clip, or than several clips under one 1D or freeform tree. */
  readonly trees: boolean;
  /** True if the samples of a layer, or the trees of a motion, can exceed the limits of the common kernels. */
  readonly large: boolean;
  /** True if exit times hold from their moment on. */
  readonly latched: boolean;
  /** True if root motion moves the characters' transforms. */
  readonly movesTransforms: boolean;
}

/** Features of a compiled controller. */
interface Abilities {
  readonly hasEvents: boolean;
  readonly hasRoot: boolean;
  readonly hasTrees: boolean;
  readonly hasLargeMotions: boolean;
  readonly hasLatchedExit: boolean;
}

/** @param reportsRoot True if root motion is only reported to the application, and moves no transforms. */
export function controllerTraits(controllers: readonly Abilities[], reportsRoot: boolean = false): ControllerTraits {
  const some = (has: (controller: Abilities) => boolean): boolean => controllers.some(has);
  const root = some(({ hasRoot }) => hasRoot);
  return {
    events: some(({ hasEvents }) => hasEvents),
    root,
    trees: some(({ hasTrees }) => hasTrees),
    large: some(({ hasLargeMotions }) => hasLargeMotions),
    latched: some(({ hasLatchedExit }) => hasLatchedExit),
    movesTransforms: root && !reportsRoot,
  };
}
