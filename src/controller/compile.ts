import { error, fail, type Issue, ManipleError, quoted } from '../errors.ts';
import { type ClipOwner, ClipTable, type PlayedClip, type PlayedEvent, type ResolvedClip } from './clip-table.ts';
import { compileConditions, type CompiledParameter, compileParameters } from './compile-conditions.ts';
import { compileMachine, type LayerMotions } from './compile-machine.ts';
import { parameterFinder } from './compile-motion.ts';
import { flattenMachine } from './flatten.ts';
import type { ControllerModel, LayerModel } from './model.ts';
import { Rows } from './rows.ts';
import { writeWatches } from './watches.ts';
import {
  CONTROLLER_CLIP_LIMIT,
  CONTROLLER_FIRST_TRIGGER,
  CONTROLLER_LATCHED_EXIT,
  CONTROLLER_NONE,
  ControllerEntry,
  ControllerHeader,
  ControllerLayer,
  ControllerMachine,
  ControllerState,
  ControllerTransition,
  INDEX_LIMIT,
  INDEX_NONE,
  LAYER_IS_ADDITIVE,
  LAYER_SAMPLES,
  LAYER_SYNCED,
  MOTION_TREES,
  PARAMETER_LIMIT,
  WATCHED,
} from './tables.ts';

/** A controller ready to run: the table that kernels and twins read, and the names for its indices. */
export interface CompiledController {
  readonly name: string;
  /** Whole rows; see `tables.ts`. */
  readonly table: Uint32Array<ArrayBuffer>;
  readonly parameters: readonly CompiledParameter[];
  readonly layers: readonly CompiledLayer[];
  /** Machines in the order of their layers, with the paths of their states. */
  readonly machines: readonly { readonly layer: number; readonly states: readonly string[] }[];
  readonly clips: readonly PlayedClip[];
  readonly events: readonly PlayedEvent[];
  /** The most motion records that a character can need, layer records included. */
  readonly motionBound: number;
  readonly hasEvents: boolean;
  readonly hasRoot: boolean;
  /** True if some motion is neither one clip nor several clips under one 1D or freeform tree. */
  readonly hasTrees: boolean;
  /** True if some layer can show more than LAYER_SAMPLES at once, or some motion has more than MOTION_TREES. */
  readonly hasLargeMotions: boolean;
  /** True if exit times hold from their moment on. */
  readonly hasLatchedExit: boolean;
  /** True if some motion may play with left and right exchanged. */
  readonly hasMirror: boolean;
  readonly issues: readonly Issue[];
}

export interface CompiledLayer {
  readonly name: string;
  /** Index into `machines`. */
  readonly machine: number;
  readonly synced: boolean;
  readonly additive: boolean;
  readonly masked: boolean;
}

/** The character that a controller is compiled for. */
export interface CompileOptions {
  /**
   * Resolves a clip reference; `additive` asks for its difference from its reference pose. Undefined: nothing resolves
   * it, and it counts as a clip of 1 s that loops.
   */
  readonly resolve?: (reference: string, additive: boolean) => ResolvedClip | undefined;
  /** The available clips, and whether other clips are errors (CLIP_NOT_FOUND). Default: other clips are a warning. */
  readonly owner?: ClipOwner;
  /**
   * Returns a byte per lane of a layer's mask. Problems with it go to the issues. Left out if there is no character.
   */
  readonly mask?: (layer: LayerModel, issues: Issue[]) => Uint8Array;
  /** Mirror table of the character's joints (see `mirror.ts`). */
  readonly mirrorTable?: Uint32Array;
}

/**
 * Compiles a controller, and checks all of it. Unknown names of states, machines, layers and parameters, layers without
 * a machine, and exceeded limits are errors. Parts that can never take effect are warnings in `issues`.
 *
 * @throws ManipleError CONTROLLER_INVALID, CONTROLLER_NAME_UNKNOWN, CONTROLLER_LIMIT, CLIP_NOT_FOUND (with `owner`), with all
 *  that is wrong
 */
// oxlint-disable-next-line max-lines-per-function
export function compileController(model: ControllerModel, options: CompileOptions = {}): CompiledController {
  expectController(model);
  const { resolve = () => undefined, owner, mask, mirrorTable } = options;
  const hasLatchedExit = model.latchedExit ?? false;
  const issues: Issue[] = [...(model.issues ?? [])];
  const rows = new Rows();
  rows.reserveFor(ControllerHeader, 1);
  const parameters = compileParameters(model, issues);
  const indexOf = new Map(parameters.map(({ name }, index) => [name, index]));
  const find = parameterFinder(parameters, issues);
  const clips = new ClipTable(rows, resolve, model.clips ?? {}, issues, owner);
  const conditions = compileConditions(model, indexOf, issues);

  if (model.layers[0]?.sync) {
    issues.push(
      error('CONTROLLER_INVALID', `${model.layers[0].name}/sync`, 'The first layer needs a machine of its own.'),
    );
  }
  const sources = model.layers.map((layer, index) => sourceOf(model.layers, layer, index, issues));
  const flats = model.layers.map((layer, index) =>
    sources[index] === index && layer.machine ? flattenMachine(layer.machine, layer.name, issues) : undefined,
  );
  throwErrors(issues);
  const machineLayers = sources.flatMap((source, index) => (source === index ? [index] : []));
  const machineOf = sources.map((source) => machineLayers.indexOf(source));

  const layerRow = rows.reserveFor(ControllerLayer, model.layers.length);
  const machineRow = rows.reserveFor(ControllerMachine, machineLayers.length);
  const motions = model.layers.map((layer, index): LayerMotions => {
    const flat = flats[sources[index]!]!;
    return { layer, index, flat, rows, clips, find, issues, firesOnce: model.blendedEvents === 'heaviest' };
  });
  const compiled = compileMachine({
    rows,
    conditions,
    find,
    motions,
    flats,
    sources,
    machineLayers,
    machineRow,
    issues,
  });
  model.layers.forEach((layer, index) => {
    const bytes = layer.mask && mask ? mask(layer, issues) : undefined;
    const maskRow = bytes ? rows.reserve(Math.ceil(bytes.length / 16)) : CONTROLLER_NONE;
    if (bytes) rows.setBytes(maskRow, bytes);
    rows.put(ControllerLayer, layerRow, index, {
      machineIndex: machineOf[index]!,
      flags: (layer.blend === 'additive' ? LAYER_IS_ADDITIVE : 0) | (sources[index] === index ? 0 : LAYER_SYNCED),
      weight: index === 0 ? 1 : Math.max(0, Math.min(1, layer.weight ?? 1)),
      weightParameter:
        index > 0 && layer.weightParameter !== undefined
          ? find(layer.weightParameter, `${layer.name}/weightParameter`)
          : INDEX_NONE,
      maskRow,
      motionListRow: compiled.motionListRows[index]!,
    });
  });

  const transitionRow = rows.reserveFor(ControllerTransition, compiled.transitions.length);
  compiled.transitions.forEach((record, i) => rows.put(ControllerTransition, transitionRow, i, record));
  const common = conditions.common(compiled.transitions.map((record) => record.conditions ?? 0));
  const watchRow = writeWatches(rows, compiled.transitions, common, hasLatchedExit);
  const entryRow = rows.reserveFor(ControllerEntry, compiled.entries.length);
  compiled.entries.forEach((record, i) => rows.put(ControllerEntry, entryRow, i, record));
  const stateRow = rows.reserveFor(ControllerState, compiled.states.length);
  compiled.states.forEach((record, i) => rows.put(ControllerState, stateRow, i, record));
  const conditionRow = conditions.write(rows);
  const commonRow = common.write(rows);
  const clipRow = rows.reserve(Math.ceil(clips.clips.length / 4));
  clips.clips.forEach(({ row }, i) => rows.setWord(clipRow, i, row));
  const mirrorRow = mirrorTable ? rows.reserve(mirrorTable.length / 4) : CONTROLLER_NONE;
  mirrorTable?.forEach((word, i) => rows.setWord(mirrorRow, i, word));
  clips.checkFacts();
  checkCounts(compiled.states.length, compiled.transitions.length, parameters.length, clips, issues);
  throwErrors(issues);
  rows.put(ControllerHeader, 0, 0, {
    layerCount: model.layers.length,
    machineCount: machineLayers.length,
    flags:
      (model.triggerScope === 'first' ? CONTROLLER_FIRST_TRIGGER : 0) | (hasLatchedExit ? CONTROLLER_LATCHED_EXIT : 0),
    initialTriggers:
      parameters.reduce((bits, { trigger, value }) => (trigger >= 0 && value ? bits | (1 << trigger) : bits), 0) >>> 0,
    layerRow,
    machineRow,
    stateRow,
    transitionRow,
    conditionRow,
    entryRow,
    clipRow,
    mirrorRow,
    commonRow,
    triggerFours: common.triggerFours,
    boolFours: common.boolFours,
    comparisonFours: common.comparisonFours,
    watchRow,
  });
  return {
    name: model.name,
    table: rows.words,
    parameters,
    layers: model.layers.map((layer, index) => ({
      name: layer.name,
      machine: machineOf[index]!,
      synced: sources[index] !== index,
      additive: layer.blend === 'additive',
      masked: layer.mask !== undefined,
    })),
    machines: machineLayers.map((layer) => ({ layer, states: flats[layer]!.states.map(({ path }) => path) })),
    clips: clips.clips,
    events: clips.events,
    motionBound: compiled.layerSamples.reduce((sum, samples, index) => {
      const { mask, blend } = model.layers[index]!;
      const hasRecord = index > 0 || mask !== undefined || blend === 'additive';
      return sum + (hasRecord ? 1 : 0) + samples;
    }, 0),
    hasEvents: clips.events.length > 0,
    hasRoot: clips.clips.some(({ hasRoot }) => hasRoot),
    hasTrees: !compiled.isSimple,
    hasLargeMotions: Math.max(...compiled.layerSamples) > LAYER_SAMPLES || compiled.treeCount > MOTION_TREES,
    hasLatchedExit,
    hasMirror: mirrorTable !== undefined,
    issues,
  };
}

/**
 * Checks the fields that compiling reads first; `parseController` checks the whole form. @throws ManipleError
 * CONTROLLER_INVALID
 */
export function expectController(model: ControllerModel): void {
  const { layers, parameters } = ((model as unknown) ?? {}) as Partial<ControllerModel>;
  if (Array.isArray(layers) && typeof parameters === 'object' && parameters) return;
  const suggestion = 'Use what controller(), parseController() or an importer returns.';
  fail('CONTROLLER_INVALID', 'controller', `Got ${quoted(model)}; expected parameters and layers.`, suggestion);
}

/**
 * Index of the layer that owns a layer's machine: itself, or another layer, reached over any number of synced layers.
 */
function sourceOf(layers: readonly LayerModel[], layer: LayerModel, index: number, issues: Issue[]): number {
  let [at, current] = [index, layer];
  for (let hops = 0; hops <= layers.length; hops++) {
    if (current.sync === undefined) {
      if (current.machine) return at;
      issues.push(error('CONTROLLER_INVALID', `${layer.name}/machine`, 'The layer needs `machine` or `sync`.'));
      return index;
    }
    const { layer: name } = current.sync;
    const next = layers.findIndex((other) => other.name === name);
    if (next < 0) {
      issues.push(error('CONTROLLER_NAME_UNKNOWN', `${current.name}/sync`, `There is no layer ${quoted(name)}.`));
      return index;
    }
    [at, current] = [next, layers[next]!];
  }
  issues.push(error('CONTROLLER_INVALID', `${layer.name}/sync`, 'Synced layers form a circle.'));
  return index;
}

function checkCounts(
  states: number,
  transitions: number,
  parameters: number,
  { clips }: ClipTable,
  issues: Issue[],
): void {
  const check = (what: string, count: number, limit: number, how = ''): void => {
    if (count <= limit) return;
    const message = `${count} ${what}${how}; the limit is ${limit}.`;
    issues.push(error('CONTROLLER_LIMIT', what, message, 'Split the controller.'));
  };
  check('states', states, INDEX_LIMIT);
  check('transitions', transitions, INDEX_LIMIT, `, those of each state filled up to a multiple of ${WATCHED}`);
  check('parameters', parameters, PARAMETER_LIMIT);
  check('clips', clips.length, CONTROLLER_CLIP_LIMIT);
}

function throwErrors(issues: readonly Issue[]): void {
  const errors = issues.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new ManipleError(errors);
}
