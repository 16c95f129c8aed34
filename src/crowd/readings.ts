import { fail } from '../errors.ts';
import type { FrameStats } from '../frame/backend.ts';
import type { SkinStage } from '../frame/tables/crowd-types.ts';
import { viewOf } from '../frame/tables/column.ts';
import { listRows, LIST_LAYER_SHIFT } from '../stages/gather-motions/layout.ts';
import { VISIBLE_LEVEL } from '../stages/layout.ts';
import { AskedJoint, JOINT_KEPT, JOINT_POSED } from '../stages/read-joints/layout.ts';
import { expectList, refuseArgument } from './arguments.ts';
import { Attachment, Attachments } from './attachments.ts';
import { controllerOf, mostOf } from './rows/controller-inputs.ts';
import type { DroppedInstances } from './rows/events.ts';
import type { CrowdState } from './crowd-state.ts';
import type { Living, CharacterId } from './rows/ids.ts';
import { NOT_ATTACHED } from './not-attached.ts';
import { CharacterTransform, type Origin } from './placement.ts';
import { MACHINE_FROZEN, MACHINE_IN_TRANSITION, MACHINE_STARTED } from '../controller/eval/layout.ts';
import type { CompiledController } from '../controller/compile.ts';

/** Joints of a character at one moment. */
export interface CharacterPose {
  /** The frame that posed it. */
  readonly frame: number;
  /** Index into the character's `joints`, per socket. */
  readonly jointIndices: readonly number[];
  /** `modelFromJoint` per socket: three rows of four numbers, the last of each a translation in metres. */
  readonly modelFromJoint: readonly Float32Array[];
}

/** Answers in the order of the questions, all of one frame. */
export type Reading<T> = readonly T[] & { readonly frame: number };

/** Matrices of attachments, and the origin that they are relative to: metres in the world. */
export type SocketReading = Reading<Float32Array | undefined> & { readonly origin: Origin };

/** x, y, z of each vertex, and their level of detail: 0 is the character's own mesh, 1 the first of its `lods`. */
export type VertexReading = Float32Array & { readonly level: number };

/** Counts of the last frame that had views, and of its pictures. */
export interface CrowdStats extends FrameStats {
  /** Characters that the last pictures lack because memory ran out, of all renderers together. */
  readonly dropped: number;
  /** Clips of the crowd's characters that have not arrived, and hold the rest pose; undefined if all are there. */
  readonly pendingClips?: number | undefined;
  /** State of the crowd's `budget`; undefined without one. */
  readonly budget?: BudgetStats | undefined;
}

/** The state of a `budget`. */
export interface BudgetStats {
  /** GPU memory that the crowd holds, and the most that it may hold; undefined without that limit. */
  readonly byteLength: number;
  readonly maxBytes: number | undefined;
  /** Where each type is skinned, in the order of the crowd's characters. */
  readonly skin: readonly SkinStage[];
  /** True if far characters share poses. */
  readonly sharesPoses: boolean;
  /** Characters that can be posed in a frame. */
  readonly maxPoses: number;
  /** GPU time of the last measured frame; undefined before the first, and where the device has no timestamps. */
  readonly milliseconds: number | undefined;
  readonly maxMilliseconds: number | undefined;
  /** Factor of all sizes on the screen: 1 while frames are quick enough, 1/16 at least. */
  readonly detail: number;
}

/** Reads back from the backend. Each answer is of the last frame that was submitted, and arrives a few frames later. */
export class Readings {
  /** One reader per renderer that may drop characters. */
  readonly dropReaders: Set<() => Promise<DroppedInstances>> = new Set();
  readonly #host: CrowdState;

  constructor(host: CrowdState) {
    this.#host = host;
  }

  /** The pose of each character; undefined where the frame did not pose it. */
  async poses(characters: readonly Living[]): Promise<Reading<CharacterPose | undefined>> {
    return (await this.#poses(characters)).poses;
  }

  /** @throws ManipleError CROWD_BAD_ARGUMENT where the frame did not pose it */
  async pose(character: Living): Promise<CharacterPose> {
    this.#expectSockets(character);
    this.#expectSeen(character.row);
    const { poses, statuses } = await this.#poses([character]);
    if (poses[0]) return poses[0];
    if (statuses[0] !== JOINT_KEPT) return refuseUnseen();
    return fail('CROWD_BAD_ARGUMENT', 'readPose', 'The last frame did not pose the character: it kept its pose.');
  }

  async #poses(
    characters: readonly Living[],
  ): Promise<{ poses: Reading<CharacterPose | undefined>; statuses: (number | undefined)[] }> {
    const questions = characters.map((character) => {
      this.#expectSockets(character);
      return this.#host.firstFrames.isSeen(character.row) ? character.type.character.sockets : [];
    });
    const asked = questions.flatMap((sockets, i) =>
      sockets.map(({ entry }) => ({ character: characters[i]!.row, jointRow: 3 * entry })),
    );
    let end = 0;
    const firsts = questions.map(({ length }) => (end += length) - length);
    const { frame, value } = await this.#host.backend.readJoints(viewOf(AskedJoint, asked));
    const statuses = questions.map(({ length }, i) => (length > 0 ? value.get(firsts[i]!, 'status') : undefined));
    const poses = questions.map((sockets, i): CharacterPose | undefined => {
      if (statuses[i] !== JOINT_POSED) return undefined;
      const matrixAt = (s: number) => 16 * (firsts[i]! + s);
      return {
        frame,
        jointIndices: sockets.map(({ jointIndex }) => jointIndex),
        modelFromJoint: sockets.map((_, s) => value.floats.slice(matrixAt(s), matrixAt(s) + 12)),
      };
    });
    return { poses: reading(poses, frame), statuses };
  }

  async transforms(rows: readonly number[]): Promise<Reading<CharacterTransform>> {
    const { places, firstFrames, backend } = this.#host;
    const characters = rows.map((row) => ({ row, transform: new CharacterTransform() }));
    const stepped = characters.filter(({ row }) => firstFrames.isStepped(row));
    for (const { row, transform } of characters) places.read(row, transform);
    const { frame, origin, value } = await backend.readTransforms(stepped.map(({ row }) => row));
    stepped.forEach(({ transform }, i) => transform.read(value, i, origin));
    return reading(
      characters.map(({ transform }) => transform),
      frame,
    );
  }

  async vertices(row: number): Promise<VertexReading> {
    this.#expectSeen(row);
    const { row: drawn, vertices } = (await this.#host.backend.read(row)) ?? refuseUnseen();
    const rows = new Float32Array(vertices.buffer, vertices.byteOffset, vertices.length);
    const out = new Float32Array((rows.length / 4) * 3);
    for (let v = 0; v < rows.length / 4; v++) out.set(rows.subarray(4 * v, 4 * v + 3), 3 * v);
    return Object.assign(out, { level: drawn.get(0, 'detail') & VISIBLE_LEVEL });
  }

  async states(characters: readonly Living[]): Promise<ControllerState[]> {
    const { backend, firstFrames, shape } = this.#host;
    const controllers = characters.map(({ type }) => controllerOf(type));
    const rows = characters.map(({ row }) => row).filter((row) => firstFrames.isStepped(row));
    const indexOf = new Map(rows.map((row, i) => [row, i]));
    const lists = rows.length > 0 ? await backend.readAnimators(rows) : new Uint32Array();
    const stride = lists.length / rows.length;
    const machines = mostOf(shape.tables, ({ machines: { length } }) => length);
    // the GPU's row of a new character still holds the state of an earlier one
    const unstepped = new Uint32Array(4 * listRows(machines, 0, false));
    return characters.map(({ id, row }, i) => {
      const index = indexOf.get(row);
      const list = index === undefined ? unstepped : lists.slice(index * stride, (index + 1) * stride);
      return readAnimatorState(id, controllers[i]!, list, machines);
    });
  }

  async sockets(attachments: Attachments | readonly Attachment[]): Promise<SocketReading> {
    const { sockets, frame: lastFrame, backend } = this.#host;
    const indices = attachedIndices(attachments);
    // the buffer may still have to grow for new attachments
    const placed = indices.map((index) => index !== NOT_ATTACHED && sockets.firstFrame(index) <= lastFrame);
    const firstFrames = indices.map((index, i) => (placed[i] ? sockets.firstFrame(index) : 0));
    const { frame, origin, value } = await backend.readSockets(indices.filter((_, i) => placed[i]));
    let next = 0;
    const matrices = placed.map((isPlaced, i) => {
      if (!isPlaced) return undefined;
      const matrix = value.subarray(16 * next, 16 * ++next);
      return firstFrames[i]! <= frame ? matrix : undefined;
    });
    return Object.assign(reading(matrices, frame), { origin });
  }

  async stats(): Promise<CrowdStats> {
    const pictures = Promise.all(Array.from(this.dropReaders, (read) => read()));
    const [stats, drops] = await Promise.all([this.#host.backend.readStats(), pictures]);
    const dropped = drops.reduce((sum, { characters }) => sum + characters, 0);
    const { types } = this.#host.tables;
    const pending = types.reduce((sum, { character }) => sum + (character.arrivals?.pending.length ?? 0), 0);
    return { ...stats, dropped, pendingClips: pending || undefined, budget: this.#budget() };
  }

  #budget(): BudgetStats | undefined {
    const { backend, shape, budget, governor } = this.#host;
    if (!budget) return undefined;
    return {
      byteLength: backend.byteLength,
      maxBytes: budget.bytes,
      skin: shape.tables.types.map(({ skin }) => skin),
      sharesPoses: shape.sharing !== undefined,
      maxPoses: shape.poseLimit,
      milliseconds: governor?.measured,
      maxMilliseconds: budget.milliseconds,
      detail: governor?.detail ?? 1,
    };
  }

  #expectSockets({ type: { character } }: Living): void {
    if (character.sockets.length > 0) return;
    fail('CROWD_BAD_ARGUMENT', character.name, 'The character has no sockets.', 'Give it some with addSockets().');
  }

  #expectSeen(row: number): void {
    if (this.#host.firstFrames.isSeen(row)) return;
    const suggestion = 'Call update() first; with encode(), submit the frame and call submitted().';
    fail('CROWD_BAD_ARGUMENT', 'read', 'No frame has run with the character yet.', suggestion);
  }
}

function attachedIndices(attachments: Attachments | readonly Attachment[]): number[] {
  if (attachments instanceof Attachments) {
    return Array.from(attachments.indices, (index, i) => (attachments.isAttached(i) ? index : NOT_ATTACHED));
  }
  expectList('attachments', attachments);
  return attachments.map((attachment) => {
    if (!(attachment instanceof Attachment)) refuseArgument('attachments', attachment, 'what attach() returned');
    return attachment.isAttached ? attachment.index : NOT_ATTACHED;
  });
}

function reading<T>(answers: readonly T[], frame: number): Reading<T> {
  return Object.assign(answers, { frame });
}

function refuseUnseen(): never {
  const suggestion = 'Culled characters have no pose and no vertices.';
  fail('CROWD_BAD_ARGUMENT', 'read', 'The last frame did not show the character.', suggestion);
}

/** State of one character's controller after the last frame. */
export interface ControllerState {
  readonly character: CharacterId;
  readonly layers: readonly LayerState[];
  /** Triggers that are set. */
  readonly triggers: readonly string[];
  /** How far root motion has moved it since it was spawned: metres, and a rotation x, y, z, w. */
  readonly root: { readonly position: readonly number[]; readonly rotation: readonly number[] };
  /** Motions that its last motion list dropped because it was full, and freezes that dropped motions. */
  readonly droppedMotions: number;
  readonly truncatedFreezes: number;
}

export interface LayerState {
  readonly name: string;
  /** Path of the state; null before the first frame. */
  readonly state: string | null;
  /** Its clock: whole cycles and a fraction. */
  readonly cycles: number;
  readonly phase: number;
  /** The state that a transition leads to, or null, and its clock. */
  readonly next: string | null;
  readonly nextCycles: number;
  readonly nextPhase: number;
  /** Progress of the transition, 0 to 1. */
  readonly progress: number;
  /** True while an interrupted blend replaces the state. */
  readonly frozen: boolean;
  /** Clips that the layer shows, the heaviest first. */
  readonly motions: readonly LayerMotion[];
}

export interface LayerMotion {
  /** Its reference in the controller. */
  readonly clip: string;
  /** Where it is sampled: a fraction. */
  readonly phase: number;
  /** Weight from tree and transition, without the layer's own. */
  readonly weight: number;
  readonly mirror: boolean;
}

const CYCLE = 2 ** 32;

/** Decodes what `listMotions` wrote for one character. */
export function readAnimatorState(
  id: CharacterId,
  controller: CompiledController,
  list: Uint32Array<ArrayBuffer>,
  machineCapacity: number,
): ControllerState {
  const floats = new Float32Array(list.buffer, list.byteOffset, list.length);
  const ints = new Int32Array(list.buffer, list.byteOffset, list.length);
  const [count, , triggers, counters] = [list[0]!, list[1]!, list[2]!, list[3]!];
  const rootAt = 4 + 8 * machineCapacity;
  const samples = Array.from({ length: count }, (_, i) => rootAt + 8 + 4 * i);
  const turned = list.subarray(rootAt, rootAt + 8).some((bits) => bits !== 0);
  return {
    character: id,
    layers: controller.layers.map(({ name, machine }, l): LayerState => {
      const at = 4 + 8 * machine;
      const flags = list[at + 1]! >>> 16;
      const { states } = controller.machines[machine]!;
      const inTransition = (flags & MACHINE_IN_TRANSITION) !== 0;
      return {
        name,
        state: flags & MACHINE_STARTED ? states[list[at]! & 0xffff]! : null,
        cycles: ints[at + 3]!,
        phase: list[at + 2]! / CYCLE,
        next: inTransition ? states[list[at]! >>> 16]! : null,
        nextCycles: inTransition ? ints[at + 5]! : 0,
        nextPhase: inTransition ? list[at + 4]! / CYCLE : 0,
        progress: inTransition ? list[at + 6]! / CYCLE : 0,
        frozen: (flags & MACHINE_FROZEN) !== 0,
        motions: samples
          .filter((sample) => list[sample]! >>> LIST_LAYER_SHIFT === l)
          .map((sample): LayerMotion => ({
            clip: controller.clips[list[sample]! & 0xffff]!.reference,
            phase: list[sample + 2] === CYCLE - 1 ? 1 : list[sample + 2]! / CYCLE,
            weight: floats[sample + 3]!,
            mirror: (list[sample]! & 0x10000) !== 0,
          }))
          .sort((a, b) => b.weight - a.weight || (a.clip < b.clip ? -1 : a.clip > b.clip ? 1 : 0)),
      };
    }),
    triggers: controller.parameters
      .filter(({ trigger }) => trigger >= 0 && (triggers >>> trigger) & 1)
      .map(({ name }) => name),
    root: {
      position: Array.from(floats.subarray(rootAt, rootAt + 3)),
      rotation: turned ? Array.from(floats.subarray(rootAt + 4, rootAt + 8)) : [0, 0, 0, 1],
    },
    droppedMotions: counters >>> 16,
    truncatedFreezes: counters & 0xffff,
  };
}
