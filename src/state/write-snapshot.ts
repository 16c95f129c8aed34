import { ANIMATOR_NONE, FROZEN_ROWS } from '../controller/eval/layout.ts';
import { AnimatorMemory } from '../controller/eval/memory.ts';
import type { CompiledController } from '../controller/compile.ts';
import { fail } from '../errors.ts';
import { emptyKernelState, type KernelState } from '../frame/tables/kernel-state.ts';
import type { CrowdLayout } from '../frame/tables/crowd-layout.ts';
import { View } from '../layout/index.ts';
import { splitSeconds } from '../math/fixed.ts';
import { shiftTransforms } from '../stages/shift-transforms/reference.ts';
import { COMMAND_START } from '../stages/step-controllers/layout.ts';
import type { CommandWords } from '../crowd/rows/controller-inputs.ts';
import type { ChangeWatcher } from '../crowd/changes.ts';
import type { Crowd } from '../crowd/crowd.ts';
import type { CrowdState } from '../crowd/crowd-state.ts';
import { expectCrowd, internalsOf } from '../crowd/internals.ts';
import { isStarted } from './check-rows.ts';
import { digestOf } from './digest.ts';
import {
  animatorsOf,
  type CrowdSnapshot,
  type HeaderView,
  LOOK_WORDS,
  ROW_FREE,
  ROW_IGNORES_GROUND,
  ROW_STEPPED,
  madeSnapshot,
  sectionsOf,
  type Sections,
  SNAPSHOT_CONTROLLERS,
  SNAPSHOT_GROUNDED,
  SNAPSHOT_MOVED,
  SNAPSHOT_ROOT,
  SnapshotHeader,
  snapshotSize,
  wideWords,
} from './snapshot.ts';
import { worldCounts, writeAttachments, writeNamedColumns, writeWorld } from './world.ts';

/** Commands of the next frame, by row. Only living rows have some. */
type Pending = ReadonlyMap<number, readonly CommandWords[]>;

/** Completes a snapshot with the kernels' state. */
export type HalfSnapshot = (state: KernelState) => CrowdSnapshot;

/**
 * Saves the whole state of a crowd, between two frames. Copies the CPU's part at the call. The GPU's part is read
 * meanwhile, and the crowd continues. `restoreCrowd` continues from there, with the same ids, on either backend. Bytes per
 * character and costs: docs/state.md.
 *
 * @param crowd Of a `ManipleCrowd`, its `core`.
 * @throws ManipleError CROWD_DESTROYED, CROWD_FRAME_OPEN (a frame is encoded, and `submitted` not called),
 *   CROWD_SWITCHING, CROWD_LIMIT (4 GiB or more), DEVICE_LOST
 */
export async function saveSnapshot(crowd: Crowd): Promise<CrowdSnapshot> {
  expectCrowd(crowd);
  const { host } = internalsOf(crowd);
  host.checkAlive();
  return takeSnapshot(host, (call) => host.tell(call));
}

/** @param forWatchers Visits the watchers that the snapshot concerns. */
export async function takeSnapshot(
  host: CrowdState,
  forWatchers: (visit: (watcher: ChangeWatcher) => void) => void,
): Promise<CrowdSnapshot> {
  host.expectClosed();
  const finish = writeHostState(host);
  const callbacks: ((snapshot: object) => void)[] = [];
  forWatchers((watcher) => {
    const done = watcher.saving?.();
    if (done) callbacks.push(done);
  });
  const snapshot = finish(await host.backend.saveState(host.ids.used, host.sockets.used));
  for (const done of callbacks) done(snapshot);
  return snapshot;
}

/**
 * Writes the current CPU-side state. The result does not depend on history: for free rows only generations are kept.
 *
 * @param restarts The kernels' state is missing. Controllers start again, and characters are where the CPU placed them.
 * @throws ManipleError CROWD_LIMIT (4 GiB or more)
 */
export function writeHostState(host: CrowdState, { restarts = false } = {}): HalfSnapshot {
  const { ids, shape, places } = host;
  const rowCount = ids.used;
  const pending = pendingOf(host, restarts);
  const header = headerOf(host, pending);
  const size = snapshotSize(header);
  if (size >= 2 ** 32) fail('CROWD_LIMIT', 'save', `${size} bytes; a snapshot has less than 4 GiB.`);
  const bytes = new ArrayBuffer(size);
  new Uint32Array(bytes).set(header.words);
  const sections = sectionsOf(bytes);
  sections.freed.set(ids.freed);
  shape.tables.types.forEach(({ character }, i) => sections.digests.set(digestOf(character), 4 * i));
  for (let row = 0; row < rowCount; row++) writeRow(host, sections, row, restarts);
  const copy = (section: Uint32Array, words: Uint32Array) => section.set(words.subarray(0, section.length));
  copy(sections.placed, host.transforms.view.words);
  copy(sections.players, host.playback.column.view.words);
  copy(sections.modifiers, host.modifiers.column.view.words);
  writeCommands(pending, sections);
  writeNamedColumns(host, sections);
  const finishProviders = writeWorld(host, sections);
  const finishAttachments = writeAttachments(host, sections, restarts);
  const finishAnimators = writeAnimators(host, header, sections, pending);
  const rows = Array.from({ length: rowCount }, (_, row) => row);
  const placed = rows.filter((row) => restarts || !ids.lives(row) || host.transforms.isChanged(row));
  const { moves } = places;
  return (state) => {
    finishAttachments(state.joints);
    finishProviders(state.providers);
    if (sections.moved.length > 0) {
      shiftTransforms(state.transforms, rowCount, moves); // no frame has sent these to kernels
      sections.moved.set(state.transforms.words);
      // transforms that the CPU has set since then; free rows keep nothing of their last character
      for (const row of placed) sections.moved.set(sections.placed.subarray(8 * row, 8 * row + 8), 8 * row);
    }
    finishAnimators(state.animators);
    return madeSnapshot(bytes);
  };
}

function headerOf(host: CrowdState, pending: Pending): HeaderView {
  const { ids, shape, events } = host;
  const { machines, layers, parameters, hasRoot } = shape.animators.shape;
  const [timeLow, timeHigh] = splitSeconds(host.time);
  const [timeScaleLow, timeScaleHigh] = wideWords(host.timeScale);
  const hasControllers = shape.controllers !== undefined;
  const header = new View(SnapshotHeader, 1);
  header.assign(0, {
    frameLow: host.frame % 2 ** 32,
    frameHigh: Math.floor(host.frame / 2 ** 32),
    timeLow,
    timeHigh,
    timeScaleLow,
    timeScaleHigh,
    lostEventsLow: events.droppedCount % 2 ** 32,
    lostEventsHigh: Math.floor(events.droppedCount / 2 ** 32),
    flags:
      (host.movesTransforms ? SNAPSHOT_MOVED : 0) |
      (host.places.hasGrounded ? SNAPSHOT_GROUNDED : 0) |
      (hasControllers ? SNAPSHOT_CONTROLLERS : 0) |
      (hasControllers && hasRoot ? SNAPSHOT_ROOT : 0),
    typeCount: shape.tables.types.length,
    rowCount: ids.used,
    freedCount: ids.freed.length,
    playerCapacity: shape.playerCapacity,
    modifierCapacity: shape.modifierCapacity,
    machineCapacity: machines,
    layerCapacity: layers,
    parameterCapacity: parameters,
    runCount: pending.size,
    commandCount: Array.from(pending.values()).reduce((sum, list) => sum + list.length, 0),
    ...worldCounts(host),
  });
  return header;
}

/** A snapshot of only the CPU-side state. */
export function writeWithoutKernels(host: CrowdState): CrowdSnapshot {
  const { shape, ids } = host;
  const state = emptyKernelState(shape, { characterCount: ids.used, attachmentCount: host.sockets.used });
  return writeHostState(host, { restarts: true })(state);
}

function writeRow(host: CrowdState, sections: Sections, row: number, restarts: boolean): void {
  const { ids, firstFrames } = host;
  const type = host.typeAt(row);
  sections.generations[row] = ids.generation(row);
  if (!type) {
    sections.rows[row] = ROW_FREE;
    return;
  }
  const stepped = firstFrames.isStepped(row) && !restarts;
  const ignores = !host.places.isGrounded(row);
  sections.rows[row] = (type.index | (stepped ? ROW_STEPPED : 0) | (ignores ? ROW_IGNORES_GROUND : 0)) >>> 0;
  const { view } = host.residents.column;
  const look = [...host.residents.parts(row), view.get(row, 'views'), view.get(row, 'tint')];
  sections.looks.set([host.residents.leader(row), ...look], LOOK_WORDS * row);
}

/** Commands of rows with a controller. The snapshot holds no commands for other rows. */
function pendingOf(host: CrowdState, restarts: boolean): Pending {
  const { commands } = host.inputs;
  const isControlled = (row: number) => host.typeAt(row)?.character.controller !== undefined;
  const pending = new Map(Array.from(commands).filter(([row]) => isControlled(row)));
  if (!restarts) return pending;
  for (let row = 0; row < host.ids.used; row++) {
    if (!isControlled(row)) continue;
    const commands = pending.get(row) ?? [];
    if (!isStarted(commands)) pending.set(row, [[COMMAND_START, 0, 0, 0], ...commands]);
  }
  return pending;
}

function writeCommands(pending: Pending, { runs, commands }: Sections): void {
  let [run, next] = [0, 0];
  for (const [row, list] of pending) {
    runs.set([row, list.length], 2 * run++);
    for (const command of list) {
      commands.set(command, 4 * next);
      if (isStarted([command])) commands[4 * next + 1] = 0; // the row's type implies it
      next++;
    }
  }
}

/** Keeps speeds and parameters. @returns A function to call with the kernels' state of controllers. */
function writeAnimators(
  host: CrowdState,
  header: HeaderView,
  { animators }: Sections,
  pending: Pending,
): (state: Uint32Array) => void {
  const { shape } = host.shape.animators;
  const starting = new Set(Array.from(pending).flatMap(([row, list]) => (isStarted(list) ? [row] : [])));
  const types = Array.from({ length: host.ids.used }, (_, row) => host.typeAt(row));
  const columns = host.inputs.columns.map(({ view }) => view.words.slice(0, types.length));
  return (state) => {
    if (animators.length === 0) return;
    animators.set(state);
    const memory = new AnimatorMemory(animators, animatorsOf(header).regions);
    types.forEach((type, row) => {
      const runs = type?.character.controller && memory.head(row, 'controllerRow') === type.controllerRow;
      keepAnimator(memory, row, runs && !starting.has(row) ? type.character.controller : undefined, shape);
    });
    columns.forEach((words, column) => memory.words.set(words, memory.columnWord(column, 0)));
  };
}

/** Keeps only the part of a row's state that its controller reads. Without a controller, clears the row. */
function keepAnimator(
  memory: AnimatorMemory,
  row: number,
  controller: CompiledController | undefined,
  shape: CrowdLayout['animators']['shape'],
): void {
  if (controller) {
    memory.setHead(row, 'controllerRow', 0); // the row's type implies it
    memory.setHead(row, 'commandRun', 0);
  } else memory.words.set([ANIMATOR_NONE, 0, 0, 0], 4 * row);
  for (let m = 0; m < shape.machines; m++) {
    if (!controller?.machines[m]) memory.setMachineWords(m, row, new Uint32Array(8));
  }
  for (let l = 0; l < shape.layers; l++) {
    const layer = controller?.layers[l];
    if (layer && memory.isFrozen(layer.machine, row)) continue;
    const first = memory.frozenWord(l, row);
    memory.words.fill(0, first, first + 4 * FROZEN_ROWS);
  }
  if (memory.hasRoot && !controller?.hasRoot) memory.words.fill(0, memory.rootWord(row), memory.rootWord(row) + 8);
}
