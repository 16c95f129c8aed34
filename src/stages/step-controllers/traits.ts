/** What the controllers of a crowd can do; kernels are built without the rest. */
export interface ControllerTraits {
  readonly events: boolean;
  readonly root: boolean;
  /** Some motion is more than a clip, or several clips under one 1D or freeform tree. */
  readonly trees: boolean;
  /** Some layer can show more samples at once, or some motion has more trees, than the common kernels have room for. */
  readonly large: boolean;
  /** Exit times hold from their moment on. */
  readonly latched: boolean;
  /** Root motion moves the characters' transforms. */
  readonly movesTransforms: boolean;
}

/** What of a compiled controller counts. */
interface Abilities {
  readonly hasEvents: boolean;
  readonly hasRoot: boolean;
  readonly hasTrees: boolean;
  readonly hasLargeMotions: boolean;
  readonly hasLatchedExit: boolean;
}

/** @param reportsRoot Root motion is handed to the game, and moves nobody. */
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
