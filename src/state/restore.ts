import { ANIMATOR_NONE } from '../controller/eval/layout.ts';
import { AnimatorMemory } from '../controller/eval/memory.ts';
import { fail, quoted } from '../errors.ts';
import type { KernelState } from '../frame/tables/kernel-state.ts';
import type { CrowdType } from '../frame/tables/crowd-types.ts';
import { View } from '../layout/index.ts';
import { Transform } from '../stages/layout.ts';
import { COMMAND_START } from '../stages/step-controllers/layout.ts';
import type { CommandWords } from '../crowd/rows/controller-inputs.ts';
import { refuseArgument } from '../crowd/arguments.ts';
import { createCrowd } from '../crowd/create-crowd.ts';
import type { Crowd } from '../crowd/crowd.ts';
import type { CrowdState } from '../crowd/crowd-state.ts';
import { internalsOf } from '../crowd/internals.ts';
import type { CrowdOptions } from '../crowd/options.ts';
import { AnimatorCheck, isStarted, wrongCommand, wrongModifiers, wrongPlayers, wrongTransform } from './check-rows.ts';
import { digestOf, sameDigest } from './digest.ts';
import {
  animatorsOf,
  type CrowdSnapshot,
  type HeaderView,
  LOOK_WORDS,
  ROW_FREE,
  ROW_IGNORES_GROUND,
  ROW_STEPPED,
  refuseSnapshot,
  sectionsOf,
  type Sections,
  SNAPSHOT_CONTROLLERS,
  SNAPSHOT_GROUNDED,
  SNAPSHOT_MOVED,
  wideFloat,
} from './snapshot.ts';
import { checkAttachments, hasSameProviders, readNamedColumns, restoreNamedColumns, restoreWorld } from './world.ts';

type Words = Uint32Array<ArrayBuffer>;

/**
 * Creates a crowd that continues from a snapshot, with the same ids, on either backend. Its characters have to be among
 * `options.characters`, and fit into `capacity`, `maxClips` and `maxModifiers`. Everything that kernels would follow is
 * checked. Vertices are not part of a snapshot: in their first frame characters have no history, and all are posed.
 *
 * @param snapshot From `saveSnapshot` or `readSnapshot`.
 * @throws ManipleError What `createCrowd` throws, SNAPSHOT_MISMATCH, SNAPSHOT_INVALID, CROWD_FULL
 * @example const crowd = await restoreCrowd(device, { characters: [knight], capacity: 5000 }, readSnapshot(bytes));
 */
export async function restoreCrowd(
  device: GPUDevice | undefined,
  options: CrowdOptions,
  snapshot: CrowdSnapshot,
): Promise<Crowd> {
  // another copy of Maniple may have made it
  const { content } = (snapshot ?? {}) as { readonly content?: unknown };
  if (!(content instanceof ArrayBuffer))
    refuseArgument('snapshot', snapshot, 'what saveSnapshot or readSnapshot return');
  const crowd = await createCrowd(device, options);
  try {
    restoreSnapshot(internalsOf(crowd).host, snapshot);
  } catch (thrown) {
    crowd.destroy();
    throw thrown;
  }
  return crowd;
}

/**
 * Puts a new host, and the kernels' state, into the state of a snapshot. Skins are not in a snapshot, so characters
 * have no history in their first frame.
 *
 * @throws ManipleError SNAPSHOT_MISMATCH (other characters, too little room), SNAPSHOT_INVALID, CROWD_FULL,
 *   DEVICE_LIMIT
 */
export function restoreSnapshot(host: CrowdState, snapshot: CrowdSnapshot): void {
  const sections = sectionsOf(snapshot.content);
  expectRoom(host, snapshot);
  const types = typesOfRows(host, sections);
  checkShapes(snapshot, types);
  const commands = readCommands(sections, types);
  const memory = new AnimatorMemory(sections.animators.slice(), animatorsOf(snapshot.header).regions);
  const restoring = { host, header: snapshot.header, sections, types, memory, commands };
  checkRows(restoring);
  checkAttachments(host, sections, types);
  const plans = readNamedColumns(sections, snapshot.header.get(0, 'columnFloats'));
  restoreClock(host, snapshot);
  restoreWorld(host, snapshot.header, sections);
  host.ids.restore(sections.generations, sections.freed);
  settleRows(host, sections, types);
  host.sockets.restore(sections, host.frame + 1);
  restoreNamedColumns(host, plans, sections);
  restoreColumns(restoring);
  host.inputs.commands = commands;
  host.backend.restoreState(kernelState(restoring));
}

function mismatch(at: string, message: string, suggestion: string): never {
  fail('SNAPSHOT_MISMATCH', `snapshot/${at}`, message, suggestion);
}

function expectRoom(host: CrowdState, { header }: CrowdSnapshot): void {
  const { shape, ids } = host;
  if (!hasSameProviders(host, header)) {
    const message = 'The snapshot has other providers, or other numbers of their rows.';
    mismatch('header', message, 'Create the crowd with the same `providers`.');
  }
  const rowCount = header.get(0, 'rowCount');
  if (rowCount > ids.capacity) {
    const message = `The snapshot has ${rowCount} rows; the crowd's capacity is ${ids.capacity}.`;
    mismatch('rows', message, 'Create the crowd with a larger capacity.');
  }
  // shared poses use players, too, which belong to no character
  const isPlayed = shape.tables.types.some(({ character }) => !character.controller);
  for (const [key, room, option] of [
    ['playerCapacity', isPlayed ? shape.playerCapacity : 64, 'maxClips'],
    ['modifierCapacity', shape.modifierCapacity, 'maxModifiers'],
  ] as const) {
    const wanted = header.get(0, key);
    const message = `needs ${option}: ${wanted}; the crowd has ${room}.`;
    if (wanted > room) mismatch('header', message, `Create the crowd with larger \`${option}\`.`);
  }
}

function typesOfRows({ shape }: CrowdState, { digests, rows }: Sections): (CrowdType | undefined)[] {
  const known = Array.from({ length: digests.length / 4 }, (_, i) =>
    shape.tables.types.find(({ character }) => sameDigest(digestOf(character), digests.subarray(4 * i, 4 * i + 4))),
  );
  return Array.from(rows, (word, row) => {
    if (word === ROW_FREE) return undefined;
    const index = word & 0xffff;
    const suggestion = 'Pass the characters, with the controllers, that the crowd had when it was saved.';
    return (
      known[index] ?? mismatch('digests', `row ${row} is of a type that the crowd has not (${index}).`, suggestion)
    );
  });
}

/** A snapshot, and the host that it is restored to. */
interface Restoring {
  readonly host: CrowdState;
  readonly header: HeaderView;
  readonly sections: Sections;
  readonly types: readonly (CrowdType | undefined)[];
  readonly memory: AnimatorMemory;
  readonly commands: ReadonlyMap<number, readonly CommandWords[]>;
}

/** Checks that sections have what each living type needs. */
function checkShapes({ header }: CrowdSnapshot, types: Restoring['types']): void {
  const { machines, layers, parameters, hasRoot } = animatorsOf(header).shape;
  const isMissing = (header.get(0, 'flags') & SNAPSHOT_CONTROLLERS) === 0;
  for (const type of new Set(types)) {
    const controller = type?.character.controller;
    if (!controller) continue;
    const fits =
      controller.machines.length <= machines &&
      controller.layers.length <= layers &&
      controller.parameters.length <= parameters &&
      (hasRoot || !controller.hasRoot);
    if (isMissing || !fits)
      refuseSnapshot(
        'header',
        `has too few machines, layers or parameters for the controller ${quoted(controller.name)}.`,
      );
  }
}

function checkRows({ host, header, sections, types, memory, commands }: Restoring): void {
  const animators = new AnimatorCheck(host.shape.tables);
  const [playerWords, modifierWords] = [8 * header.get(0, 'playerCapacity'), 8 * header.get(0, 'modifierCapacity')];
  types.forEach((type, row) => {
    const at = (section: Words, count: number) => section.subarray(count * row, count * (row + 1));
    const hasAnimator = sections.animators.length > 0;
    const runs = hasAnimator && memory.head(row, 'controllerRow') !== ANIMATOR_NONE;
    if (runs && (!type || memory.head(row, 'controllerRow') !== 0))
      refuseSnapshot('animators', `row ${row} runs a controller that does not exist.`);
    if (!type) return;
    if (type.character.controller && !runs && !isStarted(commands.get(row))) {
      refuseSnapshot('animators', `in row ${row} no controller runs, and none is started.`);
    }
    const wrong =
      wrongLeader(sections, types, row) ??
      wrongTransform(at(sections.placed, 8)) ??
      (sections.moved.length > 0 ? wrongTransform(at(sections.moved, 8)) : undefined) ??
      wrongPlayers(at(sections.players, playerWords), type) ??
      wrongModifiers(at(sections.modifiers, modifierWords), type) ??
      (runs ? animators.wrong(memory, row, type) : undefined);
    if (wrong) refuseSnapshot('rows', `row ${row} ${wrong}.`);
  });
}

function readCommands({ runs, commands }: Sections, types: Restoring['types']): Map<number, CommandWords[]> {
  const pending = new Map<number, CommandWords[]>();
  let next = 0;
  for (let run = 0; run < runs.length / 2; run++) {
    const [row, count] = [runs[2 * run]!, runs[2 * run + 1]!];
    const type = types[row];
    if (!type || pending.has(row) || count > commands.length / 4 - next) {
      refuseSnapshot('runs', `row ${row} has ${count} commands: it is free, duplicated, or they are missing.`);
    }
    const list = Array.from({ length: count }, (_, i): CommandWords => {
      const words = Array.from(commands.subarray(4 * (next + i), 4 * (next + i + 1))) as unknown as CommandWords;
      const wrong = wrongCommand(words, type);
      if (wrong) refuseSnapshot('commands', `row ${row} ${wrong}.`);
      return startOf(words, type);
    });
    next += count;
    pending.set(row, list);
  }
  if (next !== commands.length / 4) refuseSnapshot('commands', 'there are more than the rows have.');
  return pending;
}

/** Puts this crowd's controller row into a start command, because that row differs between crowds. */
export function startOf(command: CommandWords, { controllerRow }: CrowdType): CommandWords {
  return (command[0] & 0xff) === COMMAND_START ? [command[0], controllerRow, 0, 0] : command;
}

function restoreClock(host: CrowdState, { header, frame, clock }: CrowdSnapshot): void {
  host.time = clock;
  host.timeScale = wideFloat(header.get(0, 'timeScaleLow'), header.get(0, 'timeScaleHigh'));
  host.frame = frame;
  if (header.get(0, 'flags') & SNAPSHOT_GROUNDED) host.places.groundedBefore();
  host.events.droppedCount = header.get(0, 'lostEventsHigh') * 2 ** 32 + header.get(0, 'lostEventsLow');
}

function settleRows(host: CrowdState, { rows, looks }: Sections, types: Restoring['types']): void {
  for (const type of new Set(types)) if (type) host.pages.expectFit(type);
  const look = (row: number) => looks.subarray(LOOK_WORDS * row, LOOK_WORDS * (row + 1)) as unknown as Look;
  types.forEach((type, row) => {
    if (!type) return;
    host.resettle(row, type, (rows[row]! & ROW_STEPPED) !== 0);
    if (rows[row]! & ROW_IGNORES_GROUND) host.places.setGrounded(row, false);
    const [, low, high, views, tint] = look(row);
    host.residents.set(row, { parts: [low, high], views, tint });
  });
  types.forEach((type, row) => {
    if (type) host.residents.follow(row, look(row)[0]);
  });
}

type Look = readonly [leader: number, low: number, high: number, views: number, tint: number];

/** Checks the pose source of a row: it lives, is of the same type, and follows no other row. */
function wrongLeader({ looks }: Sections, types: Restoring['types'], row: number): string | undefined {
  const leader = looks[LOOK_WORDS * row]!;
  const leads = types[leader] === types[row] && looks[LOOK_WORDS * leader] === leader;
  return leads ? undefined : `shows the pose of row ${leader}`;
}

function restoreColumns({ host, header, sections, types, memory }: Restoring): void {
  const { playback, modifiers, inputs, transforms, shape, providers } = host;
  // the crowd may have more room per row than the snapshot
  const parts = [
    [stands(host, header, sections), 8, transforms, 8],
    [sections.players, 8 * header.get(0, 'playerCapacity'), playback.column, 8 * shape.playerCapacity],
    [sections.modifiers, 8 * header.get(0, 'modifierCapacity'), modifiers.column, 8 * shape.modifierCapacity],
  ] as const;
  types.forEach((type, row) => {
    if (!type) return;
    for (const [section, perRow, column, room] of parts) {
      const first = perRow * row;
      column.view.words.set(section.subarray(first, first + Math.min(perRow, room)), room * row);
    }
    if (sections.animators.length === 0) return;
    inputs.columns.forEach(({ view }, column) => {
      const parameters = type.character.controller?.parameters.length ?? -1;
      if (column <= parameters) view.words[row] = memory.words[memory.columnWord(column, row)]!;
    });
  });
  playback.column.changed(0, types.length * shape.playerCapacity);
  modifiers.column.changed(0, types.length * shape.modifierCapacity);
  providers.characters.view.words.set(sections.providerCharacters);
  providers.characters.changed(0, sections.providerCharacters.length / 4);
}

/** CPU-side transforms. These are the moved ones if this crowd's kernels do not move characters. */
function stands({ movesTransforms }: CrowdState, header: HeaderView, { placed, moved }: Sections): Words {
  const hasMoved = (header.get(0, 'flags') & SNAPSHOT_MOVED) !== 0;
  return hasMoved && !movesTransforms ? moved : placed;
}

function kernelState({ host, header, sections, types, memory }: Restoring): KernelState {
  types.forEach((type, row) => {
    if (type && sections.animators.length > 0 && memory.head(row, 'controllerRow') !== ANIMATOR_NONE) {
      memory.setHead(row, 'controllerRow', type.controllerRow);
    }
  });
  const transforms = new View(Transform, types.length);
  transforms.words.set(sections.moved.length > 0 ? sections.moved : sections.placed);
  const animators = host.shape.controllers ? memory.words : new Uint32Array();
  // joints of attachments are uploaded with the CPU-side columns
  const providers = sections.providerStates.slice();
  return { plan: animatorsOf(header), animators, transforms, joints: new Uint32Array(), providers };
}
