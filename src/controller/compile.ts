import { error, fail, type Issue, ManipleError, quoted } from '../errors.ts';
import { type ClipOwner, ClipTable, type PlayedClip, type PlayedEvent, type ResolvedClip } from './clip-table.ts';
import { type CompiledParameter, compileParameters, ConditionTable, writeWatches } from './compile-conditions.ts';
import { type CompiledMachines, compileMachine } from './compile-machine.ts';
import { type MotionContext, parameterFinder } from './compile-motion.ts';
import { type ResolvedLayers, resolveLayers } from './flatten.ts';
import type { ControllerModel, LayerModel } from './model.ts';
import { Rows } from './rows.ts';
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
  /** True if some layer can show more than LAYER_SAMPLES at once. */
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
export function compileController(model: ControllerModel, options: CompileOptions = {}): CompiledController {
  expectController(model);
  const { resolve = () => undefined, owner } = options;
  const issues: Issue[] = [...(model.issues ?? [])];
  const rows = new Rows();
  rows.reserveFor(ControllerHeader, 1);
  const parameters = compileParameters(model, issues);
  const find = parameterFinder(parameters, issues);
  const clips = new ClipTable(rows, resolve, model.clips ?? {}, issues, owner);
  const conditions = new ConditionTable(parameters, issues);
  const layers = resolveLayers(model.layers, issues);
  throwErrors(issues);
  const { sources, flats, machineLayers } = layers;
  const layerRow = rows.reserveFor(ControllerLayer, model.layers.length);
  const machineRow = rows.reserveFor(ControllerMachine, machineLayers.length);
  const motions = model.layers.map((layer, index) => ({ layer, index, flat: flats[sources[index]!]! }));
  const firesOnce = model.blendedEvents === 'heaviest';
  const context: MotionContext = { rows, clips, parameter: find, issues, firesOnce };
  const compiled = compileMachine({ ...context, conditions, motions, ...layers, machineRow });
  const compiling = { model, options, rows, issues, parameters, find, clips, conditions, layers, compiled };
  writeLayers(compiling, layerRow);
  writeTables(compiling, layerRow, machineRow);
  return describe(compiling);
}

interface Compiling {
  readonly model: ControllerModel;
  readonly options: CompileOptions;
  readonly rows: Rows;
  readonly issues: Issue[];
  readonly parameters: readonly CompiledParameter[];
  readonly find: (name: string, where: string) => number;
  readonly clips: ClipTable;
  readonly conditions: ConditionTable;
  readonly layers: ResolvedLayers;
  readonly compiled: CompiledMachines;
}

function writeLayers({ model, options, rows, issues, find, layers, compiled }: Compiling, layerRow: number): void {
  model.layers.forEach((layer, index) => {
    const bytes = layer.mask && options.mask ? options.mask(layer, issues) : undefined;
    const maskRow = bytes ? rows.reserve(Math.ceil(bytes.length / 16)) : CONTROLLER_NONE;
    if (bytes) rows.setBytes(maskRow, bytes);
    const isSynced = layers.sources[index] !== index;
    rows.put(ControllerLayer, layerRow, index, {
      machineIndex: layers.machineOf[index]!,
      flags: (layer.blend === 'additive' ? LAYER_IS_ADDITIVE : 0) | (isSynced ? LAYER_SYNCED : 0),
      weight: index === 0 ? 1 : Math.max(0, Math.min(1, layer.weight ?? 1)),
      weightParameter:
        index > 0 && layer.weightParameter !== undefined
          ? find(layer.weightParameter, `${layer.name}/weightParameter`)
          : INDEX_NONE,
      maskRow,
      motionListRow: compiled.motionListRows[index]!,
    });
  });
}

function writeTables(compiling: Compiling, layerRow: number, machineRow: number): void {
  const { model, options, rows, issues, parameters, clips, conditions, layers, compiled } = compiling;
  const hasLatchedExit = model.latchedExit ?? false;
  const transitionRow = rows.add(ControllerTransition, compiled.transitions);
  const common = conditions.common(compiled.transitions.map((record) => record.conditions ?? 0));
  const watchRow = writeWatches(rows, compiled.transitions, common, hasLatchedExit);
  const entryRow = rows.add(ControllerEntry, compiled.entries);
  const stateRow = rows.add(ControllerState, compiled.states);
  const conditionRow = conditions.write(rows);
  const commonRow = common.write(rows);
  const clipRow = rows.addWords(clips.clips.map(({ row }) => row));
  const mirrorRow = options.mirrorTable ? rows.addWords(options.mirrorTable) : CONTROLLER_NONE;
  clips.checkFacts();
  checkCounts(compiling);
  throwErrors(issues);
  const triggers = parameters.reduce(
    (bits, { trigger, value }) => (trigger >= 0 && value ? bits | (1 << trigger) : bits),
    0,
  );
  rows.put(ControllerHeader, 0, 0, {
    layerCount: model.layers.length,
    machineCount: layers.machineLayers.length,
    flags:
      (model.triggerScope === 'first' ? CONTROLLER_FIRST_TRIGGER : 0) | (hasLatchedExit ? CONTROLLER_LATCHED_EXIT : 0),
    initialTriggers: triggers >>> 0,
    layerRow,
    machineRow,
    stateRow,
    transitionRow,
    conditionRow,
    entryRow,
    clipRow,
    mirrorRow,
    commonRow,
    ...common.fours,
    watchRow,
  });
}

function describe(compiling: Compiling): CompiledController {
  const { model, options, rows, issues, parameters, clips, layers, compiled } = compiling;
  return {
    name: model.name,
    table: rows.words,
    parameters,
    layers: model.layers.map((layer, index) => ({
      name: layer.name,
      machine: layers.machineOf[index]!,
      synced: layers.sources[index] !== index,
      additive: layer.blend === 'additive',
      masked: layer.mask !== undefined,
    })),
    machines: layers.machineLayers.map((layer) => {
      return { layer, states: layers.flats[layer]!.states.map(({ path }) => path) };
    }),
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
    hasLargeMotions: Math.max(...compiled.layerSamples) > LAYER_SAMPLES,
    hasLatchedExit: model.latchedExit ?? false,
    hasMirror: options.mirrorTable !== undefined,
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

function checkCounts({ compiled, parameters, clips, issues }: Compiling): void {
  const check = (what: string, { length }: ArrayLike<unknown>, limit: number, how = ''): void => {
    if (length <= limit) return;
    const message = `${length} ${what}${how}; the limit is ${limit}.`;
    issues.push(error('CONTROLLER_LIMIT', what, message, 'Split the controller.'));
  };
  const filledUp = `, those of each state filled up to a multiple of ${WATCHED}`;
  check('states', compiled.states, INDEX_LIMIT);
  check('transitions', compiled.transitions, INDEX_LIMIT, filledUp);
  check('parameters', parameters, PARAMETER_LIMIT);
  check('clips', clips.clips, CONTROLLER_CLIP_LIMIT);
}

function throwErrors(issues: readonly Issue[]): void {
  const errors = issues.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) throw new ManipleError(errors);
}
