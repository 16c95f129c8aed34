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
  readonly movesTransforms: boolean;
}

type Abilities = Readonly<Record<'hasEvents' | 'hasRoot' | 'hasTrees' | 'hasLargeMotions' | 'hasLatchedExit', boolean>>;

/** @param reportsRoot True if root motion is only reported to the application, and moves no transforms. */
export function controllerTraits(controllers: readonly Abilities[], reportsRoot: boolean = false): ControllerTraits {
  const some = (ability: keyof Abilities): boolean => controllers.some((controller) => controller[ability]);
  const root = some('hasRoot');
  return {
    events: some('hasEvents'),
    root,
    trees: some('hasTrees'),
    large: some('hasLargeMotions'),
    latched: some('hasLatchedExit'),
    movesTransforms: root && !reportsRoot,
  };
}
