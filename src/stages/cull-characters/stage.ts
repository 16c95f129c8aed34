import type { Bindings } from '../../layout/index.ts';
import { createKernelGroup, type BuffersOf, type Dispatch } from '../kernel.ts';
import type { KernelChoice } from '../kernel-choice.ts';
import { kernels as decideKernels } from './decide-characters.gen.ts';
import { kernels as grantKernels } from './grant-slots.gen.ts';
import {
  BINS_PER_CLASS,
  BIN_WORDS,
  cullGroups,
  decideBindings,
  EXTRA_BINS,
  grantSlotsBindings,
  GROUP_CHARACTERS,
  listBindings,
  assignSlotsBindings,
  rebalanceBindings,
  scanBindings,
  takeSlotsBindings,
} from './layout.ts';
import { kernels as listKernels } from './list-characters.gen.ts';
import { kernels as serialListKernels } from './list-characters-serial.gen.ts';
import { kernels as workgroupListKernels } from './list-characters-workgroup.gen.ts';
import { kernels as rebalanceKernels } from './rebalance-slots.gen.ts';
import { kernels as scatterBinsKernels } from './scatter-bins.gen.ts';
import { kernels as assignSlotsKernels } from './assign-slots.gen.ts';
import { kernels as scanKernels } from './scan-bins.gen.ts';
import { kernels as serialTakeKernels } from './take-slots-serial.gen.ts';
import { kernels as workgroupTakeKernels } from './take-slots-workgroup.gen.ts';
import { kernels as takeKernels } from './take-slots.gen.ts';

/**
 * `kinds` are the words of `Kinds`. `rings` has a word per slot that a class can have, and words for slots that leave
 * their class. `tally` has `tallyWords` words. After the stage it begins with a record per run of the visible list.
 */
type CullCharactersBuffers = BuffersOf<
  typeof grantSlotsBindings | typeof rebalanceBindings | typeof decideBindings | typeof listBindings
>;

/** Up to this number of characters, one workgroup hands out slots and makes lists. */
export const FEW_CHARACTERS = 4096;

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
): number {
  const bins = Math.max(classCount * BINS_PER_CLASS, binCount + EXTRA_BINS);
  return bins * tallyWordsPerBin(characters);
}

/** A record of its own, and a count by workgroup. */
export function tallyWordsPerBin(characters: number): number {
  return BIN_WORDS + cullGroups(characters);
}

/**
 * Finds which views see a character, its level of detail and its update rate. Assigns it a slot of vertex memory, or
 * takes it back. Lists the visible characters, run after run. The same crowd makes the same list, whatever the order of
 * threads.
 *
 * Reads residents, transforms, kinds. Reads and writes slots, classes, rings, extents, moves. Writes decisions, tally,
 * visible. A thread per character in each of eight kernels, and between them a workgroup per bin. Rounds of requests
 * after the first run only if it has left some. For few characters all of it takes two kernels of one workgroup.
 */
export function createCullCharacters(
  device: GPUDevice,
  { serialLists, fewCharacters = FEW_CHARACTERS }: Pick<KernelChoice, 'serialLists' | 'fewCharacters'>,
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
      const decide = bindDecisions(partOf, serialLists);
      if (serialLists) {
        const lists = bindSerialLists(partOf);
        return (frame) => [...decide(frame), ...lists];
      }
      const listFew = bindWorkgroupLists(partOf);
      const listMany = size.capacity > fewCharacters ? bindLists(partOf, size) : undefined;
      return (frame) => {
        const { characterCount, hasFollowers } = frame;
        const many = characterCount > fewCharacters ? listMany : undefined;
        return [...decide(frame), ...(many?.(cullGroups(characterCount), hasFollowers) ?? listFew(hasFollowers))];
      };
    },
  };
}

/** Makes dispatches of the kernels of one text. */
type Part = (entryPoint: string, groupCount: number, constants?: Readonly<Record<string, number>>) => Dispatch;
type BindPart = (part: string, bindings: Bindings, code: string) => Part;
/** Dispatches after the decisions, for a number of workgroups. */
type Lists = (all: number, hasFollowers: boolean) => readonly Dispatch[];

function bindDecisions(partOf: BindPart, serial: boolean): (frame: CullFrame) => Dispatch[] {
  const THREADS = serial ? 1 : GROUP_CHARACTERS;
  const grant = partOf('grant-slots', grantSlotsBindings, grantKernels.base)('grantSlots', 1, { THREADS });
  const rebalancing = partOf('rebalance-slots', rebalanceBindings, rebalanceKernels.base);
  const rebalance = rebalancing('rebalanceSlots', 1, { THREADS });
  const decide = partOf('decide-characters', decideBindings, decideKernels.base);
  const [decisions, leaders] = [decide('decideCharacters', 0), decide('askLeaders', 0)];
  return ({ characterCount, hasGrants, hasMoves, hasFollowers, tighten, share }) => {
    const groupCount = cullGroups(characterCount);
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

function bindWorkgroupLists(partOf: BindPart): (hasFollowers: boolean) => readonly Dispatch[] {
  const THREADS = GROUP_CHARACTERS;
  const take = partOf('take-slots-workgroup', takeSlotsBindings, workgroupTakeKernels.base)('takeSlots', 1, {
    THREADS,
  });
  const list = partOf('list-characters-workgroup', listBindings, workgroupListKernels.base);
  const dispatchesOf = (HAS_FOLLOWERS: number) => [take, list('listCharacters', 1, { THREADS, HAS_FOLLOWERS })];
  const [alone, followed] = [dispatchesOf(0), dispatchesOf(1)];
  return (hasFollowers) => (hasFollowers ? followed : alone);
}

function bindLists(partOf: BindPart, { binCount, classCount, roundCount }: CullSize): Lists {
  const take = partOf('take-slots', takeSlotsBindings, takeKernels.base);
  const scan = partOf('scan-bins', scanBindings, scanKernels.base);
  const assign = partOf('assign-slots', assignSlotsBindings, assignSlotsKernels.base);
  const list = partOf('list-characters', listBindings, listKernels.base);
  const scatter = partOf('scatter-bins', listBindings, scatterBinsKernels.base);
  // later rounds check on the GPU if there is anything to do; indirect dispatches would cost more
  const roundOf = (ROUND: number, all: number): Dispatch[] => [
    take('countRequests', all, { ROUND }),
    scan('scanBins', classCount * BINS_PER_CLASS, { IS_LATER: Number(ROUND > 0) }),
    assign('assignRequests', 1, { ROUND }),
    take('serveRequests', all, { ROUND }),
  ];
  const listing: Lists = (all, hasFollowers) => [
    ...Array.from({ length: roundCount }, (_, round) => roundOf(round, all)).flat(),
    take('countReturns', all),
    scan('scanBins', 2 * classCount, { TALLY: 1 }),
    assign('assignReturns', 1),
    take('giveBack', all),
    list('countVisible', all),
    scan('scanBins', binCount + EXTRA_BINS, { TALLY: 2 }),
    scatter('scatterBins', 1),
    list('listCharacters', all),
    ...(hasFollowers ? [list('listCharacters', all, { FOLLOWERS: 1 })] : []),
  ];
  // all of its kernels are known before the first frame, and can be compiled
  listing(1, true);
  // it is the same from frame to frame as long as the count changes little; looking up all its kernels is one of the
  // CPU's slowest steps
  let last: { all: number; hasFollowers: boolean; dispatches: readonly Dispatch[] } | undefined;
  return (all, hasFollowers) => {
    if (last?.all !== all || last.hasFollowers !== hasFollowers) {
      last = { all, hasFollowers, dispatches: listing(all, hasFollowers) };
    }
    return last.dispatches;
  };
}
