import type { Bindings } from '../../layout/index.ts';
import { createKernelGroup, type BuffersOf, type Dispatch } from '../kernel.ts';
import { GROUP_THREADS, type KernelChoice } from '../kernel-choice.ts';
import { kernels as decideKernels } from './decide-characters.gen.ts';
import { kernels as grantKernels } from './grant-slots.gen.ts';
import {
  BINS_PER_CLASS,
  BIN_WORDS,
  cullGroups,
  decideBindings,
  EXTRA_BINS,
  grantSlotsBindings,
  listBindings,
  assignSlotsBindings,
  rebalanceBindings,
  scanBindings,
  takeSlotsBindings,
} from './layout.ts';
import { kernels as listKernels } from './list-characters.gen.ts';
import { kernels as serialListKernels } from './list-characters-serial.gen.ts';
import { kernels as rebalanceKernels } from './rebalance-slots.gen.ts';
import { kernels as scatterBinsKernels } from './scatter-bins.gen.ts';
import { kernels as assignSlotsKernels } from './assign-slots.gen.ts';
import { kernels as scanKernels } from './scan-bins.gen.ts';
import { kernels as serialTakeKernels } from './take-slots-serial.gen.ts';
import { kernels as laterKernels } from './later-rounds.gen.ts';
import { kernels as takeKernels } from './take-slots.gen.ts';

/**
 * `kinds` are the words of `Kinds`. `rings` has a word per slot that a class can have, and words for slots that leave
 * their class. `tally` has `tallyWords` words. After the stage it begins with a record per run of the visible list.
 */
type CullCharactersBuffers = BuffersOf<
  typeof grantSlotsBindings | typeof rebalanceBindings | typeof decideBindings | typeof listBindings
>;

/** Up to this number of characters, one workgroup does what else takes a dispatch for each round and for each scan. */
export const FEW_CHARACTERS = 2048;

/** Sizes that the stage's dispatches depend on. */
export interface CullSize {
  /** The most characters of a frame. */
  readonly capacity: number;
  readonly binCount: number;
  readonly classCount: number;
  /** The most levels that a type has. */
  readonly roundCount: number;
}

/** Values that differ from frame to frame, apart from the buffers' contents. */
export interface CullFrame {
  readonly characterCount: number;
  readonly hasGrants: boolean;
  /** Memory may move between size classes. */
  readonly hasMoves: boolean;
  /** Some character shows another one's pose, or may. */
  readonly hasFollowers: boolean;
  /** Takes characters out of views that their clip's box lies outside of. Runs after the first decisions. */
  readonly tighten?: Dispatch | undefined;
  /** Finds the poses that far characters share. Runs after `tighten`. */
  readonly share?: Dispatch | undefined;
}

export interface CullCharacters {
  /** Binds the buffers. The returned function makes the dispatches of a frame. */
  bind(buffers: CullCharactersBuffers, size: CullSize): (frame: CullFrame) => Dispatch[];
}

/** Words of `tally` for `characters` characters. Requests, returned slots and the list use it one after the other. */
export function tallyWords(
  characters: number,
  { binCount, classCount }: Pick<CullSize, 'binCount' | 'classCount'>,
  groupThreads?: number,
): number {
  const bins = Math.max(classCount * BINS_PER_CLASS, binCount + EXTRA_BINS);
  return bins * tallyWordsPerBin(characters, groupThreads);
}

/** A record of its own, and a count by workgroup. */
export function tallyWordsPerBin(characters: number, groupThreads?: number): number {
  return BIN_WORDS + cullGroups(characters, groupThreads);
}

/**
 * Finds which views see a character, its level of detail and its update rate. Assigns it a slot of vertex memory, or
 * takes it back. Lists the visible characters, run after run. The same crowd makes the same list, whatever the order of
 * threads.
 *
 * Reads residents, transforms, kinds. Reads and writes slots, classes, rings, extents, moves. Writes decisions, tally,
 * visible. A thread per character in each of eight kernels, and between them a workgroup per bin. Rounds of requests
 * after the first run only if it has left some. For few characters one workgroup scans, and one runs all those rounds.
 */
export function createCullCharacters(
  device: GPUDevice,
  {
    serialLists,
    fewCharacters = FEW_CHARACTERS,
    groupThreads = GROUP_THREADS,
  }: Pick<KernelChoice, 'serialLists' | 'fewCharacters' | 'groupThreads'>,
): CullCharacters {
  return {
    bind(buffers, size) {
      const partOf: BindPart = (part, bindings, code) => {
        const own = createKernelGroup(device, { label: 'cull-characters', part, code, groups: [bindings] });
        const groups = own.bind(buffers);
        return (entryPoint, groupCount, constants) => {
          return { kernel: own.kernel(entryPoint, constants), groups, groupCount };
        };
      };
      const decide = bindDecisions(partOf, serialLists, groupThreads);
      if (serialLists) {
        const lists = bindSerialLists(partOf);
        return (frame) => [...decide(frame), ...lists];
      }
      const list = bindLists(partOf, size, fewCharacters, groupThreads);
      return (frame) => [...decide(frame), ...list(frame)];
    },
  };
}

/** Makes dispatches of the kernels of one text. */
type Part = (entryPoint: string, groupCount: number, constants?: Readonly<Record<string, number>>) => Dispatch;
type BindPart = (part: string, bindings: Bindings, code: string) => Part;

/** The same part with workgroups of another size. */
function sized(part: Part, groupThreads: number): Part {
  if (groupThreads === GROUP_THREADS) return part;
  return (entryPoint, groupCount, constants) =>
    part(entryPoint, groupCount, { ...constants, GROUP_CHARACTERS: groupThreads });
}

function bindDecisions(partOf: BindPart, serial: boolean, groupThreads: number): (frame: CullFrame) => Dispatch[] {
  const THREADS = serial ? 1 : groupThreads;
  const grant = partOf('grant-slots', grantSlotsBindings, grantKernels.base)('grantSlots', 1, { THREADS });
  const rebalancing = partOf('rebalance-slots', rebalanceBindings, rebalanceKernels.base);
  const rebalance = rebalancing('rebalanceSlots', 1, { THREADS });
  const decide = sized(partOf('decide-characters', decideBindings, decideKernels.base), groupThreads);
  const [decisions, leaders] = [decide('decideCharacters', 0), decide('askLeaders', 0)];
  return ({ characterCount, hasGrants, hasMoves, hasFollowers, tighten, share }) => {
    const groupCount = cullGroups(characterCount, groupThreads);
    return [
      ...(hasGrants ? [grant] : []),
      ...(hasMoves ? [rebalance] : []),
      { ...decisions, groupCount },
      ...(tighten ? [tighten] : []),
      ...(share ? [share] : []),
      ...(hasFollowers ? [{ ...leaders, groupCount }] : []),
    ];
  };
}

function bindSerialLists(partOf: BindPart): readonly Dispatch[] {
  return [
    partOf('take-slots-serial', takeSlotsBindings, serialTakeKernels.base)('takeSlots', 1),
    partOf('list-characters-serial', listBindings, serialListKernels.base)('listCharacters', 1),
  ];
}

/** Dispatches after the decisions. */
function bindLists(
  partOf: BindPart,
  { capacity, binCount, classCount, roundCount }: CullSize,
  fewCharacters: number,
  groupThreads: number,
): (frame: CullFrame) => readonly Dispatch[] {
  const part: BindPart = (...text) => sized(partOf(...text), groupThreads);
  const take = part('take-slots', takeSlotsBindings, takeKernels.base);
  const later = part('later-rounds', takeSlotsBindings, laterKernels.base);
  const scan = part('scan-bins', scanBindings, scanKernels.base);
  const assign = part('assign-slots', assignSlotsBindings, assignSlotsKernels.base);
  const list = part('list-characters', listBindings, listKernels.base);
  const scatter = part('scatter-bins', listBindings, scatterBinsKernels.base);
  const roundOf = (ROUND: number, all: number, SCANS: number): Dispatch[] => [
    take('countRequests', all, { ROUND }),
    ...(SCANS ? [] : [scan('scanBins', classCount * BINS_PER_CLASS, { IS_LATER: Number(ROUND > 0) })]),
    assign('assignRequests', 1, { ROUND, SCANS }),
    take('serveRequests', all, { ROUND }),
  ];
  // later rounds check on the GPU if there is anything to do; indirect dispatches would cost more
  const laterOf = (all: number) =>
    Array.from({ length: roundCount - 1 }, (_, round) => roundOf(round + 1, all, 0)).flat();
  const listing = (all: number, isFew: boolean, hasFollowers: boolean): readonly Dispatch[] => {
    const SCANS = Number(isFew);
    return [
      ...roundOf(0, all, SCANS),
      ...(isFew ? (roundCount > 1 ? [later('laterRounds', 1)] : []) : laterOf(all)),
      take('countReturns', all),
      ...(isFew ? [] : [scan('scanBins', 2 * classCount, { TALLY: 1 })]),
      assign('assignReturns', 1, { SCANS }),
      take('giveBack', all),
      list('countVisible', all),
      ...(isFew ? [] : [scan('scanBins', binCount + EXTRA_BINS, { TALLY: 2 })]),
      scatter('scatterBins', 1, { SCANS }),
      list('listCharacters', all),
      ...(hasFollowers ? [list('listCharacters', all, { FOLLOWERS: 1 })] : []),
    ];
  };
  // all kernels are known before the first frame, and can be compiled
  listing(1, true, true);
  if (capacity > fewCharacters) listing(1, false, true);
  // it is the same from frame to frame as long as the count changes little; looking up all its kernels is one of the
  // CPU's slowest steps
  let last: { all: number; isFew: boolean; hasFollowers: boolean; dispatches: readonly Dispatch[] } | undefined;
  return ({ characterCount, hasFollowers }) => {
    const [all, isFew] = [cullGroups(characterCount, groupThreads), characterCount <= fewCharacters];
    if (last?.all !== all || last.isFew !== isFew || last.hasFollowers !== hasFollowers) {
      last = { all, isFew, hasFollowers, dispatches: listing(all, isFew, hasFollowers) };
    }
    return last.dispatches;
  };
}
