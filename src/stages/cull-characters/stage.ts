import { createBindGroup, type Bindings } from '../../layout/index.ts';
import { createKernel, createStageLayout, type Dispatch, type Kernel } from '../kernel.ts';
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
import { kernels as rebalanceKernels } from './rebalance-slots.gen.ts';
import { kernels as scatterBinsKernels } from './scatter-bins.gen.ts';
import { kernels as assignSlotsKernels } from './assign-slots.gen.ts';
import { kernels as scanKernels } from './scan-bins.gen.ts';
import { kernels as serialTakeKernels } from './take-slots-serial.gen.ts';
import { kernels as takeKernels } from './take-slots.gen.ts';

export interface CullCharactersBuffers {
  readonly params: GPUBuffer;
  readonly residents: GPUBuffer;
  readonly transforms: GPUBuffer;
  /** The words of `Kinds`. */
  readonly kinds: GPUBuffer;
  readonly grants: GPUBuffer;
  readonly classes: GPUBuffer;
  /** A word per slot that a class can have, and words for slots that leave their class. */
  readonly rings: GPUBuffer;
  readonly extents: GPUBuffer;
  readonly moves: GPUBuffer;
  readonly slots: GPUBuffer;
  readonly decisions: GPUBuffer;
  /** `tallyWords` words. After the stage it begins with a record per run of the visible list. */
  readonly tally: GPUBuffer;
  readonly visible: GPUBuffer;
}

/** Sizes that the stage's dispatches depend on. */
export interface CullSize {
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
export function tallyWords(characters: number, { binCount, classCount }: Omit<CullSize, 'roundCount'>): number {
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
 * after the first run only if it has left some.
 *
 * @param serial One thread does what needs ranks: adapters that are slow at barriers are faster so.
 */
// oxlint-disable-next-line max-lines-per-function
export function createCullCharacters(device: GPUDevice, serial: boolean): CullCharacters {
  const label = 'cull-characters';
  const part = (name: string, bindings: Bindings, code: string) => {
    const layout = createStageLayout(device, `${label} ${name}`, [bindings]);
    return {
      kernel: (entryPoint: string, constants: Readonly<Record<string, number>> = {}) =>
        createKernel(device, { label, variant: name, code, entryPoint, layout: layout.pipeline, constants }),
      group: (buffers: CullCharactersBuffers) => [
        createBindGroup(device, label, layout.groups[0]!, bindings, { ...buffers }),
      ],
    };
  };
  const grant = part('grant-slots', grantSlotsBindings, grantKernels.base);
  const rebalance = part('rebalance-slots', rebalanceBindings, rebalanceKernels.base);
  const decide = part('decide-characters', decideBindings, decideKernels.base);
  const scan = part('scan-bins', scanBindings, scanKernels.base);
  const assignSlots = part('assign-slots', assignSlotsBindings, assignSlotsKernels.base);
  const take = part('take-slots', takeSlotsBindings, takeKernels.base);
  const list = part('list-characters', listBindings, listKernels.base);
  const scatterBins = part('scatter-bins', listBindings, scatterBinsKernels.base);
  const serialTake = part('take-slots-serial', takeSlotsBindings, serialTakeKernels.base);
  const serialList = part('list-characters-serial', listBindings, serialListKernels.base);

  return {
    bind(buffers, { binCount, classCount, roundCount }) {
      const groups = {
        grant: grant.group(buffers),
        rebalance: rebalance.group(buffers),
        decide: decide.group(buffers),
        scan: scan.group(buffers),
        assignSlots: assignSlots.group(buffers),
        take: take.group(buffers),
        list: list.group(buffers),
      };
      const grantKernel = grant.kernel('grantSlots', { THREADS: serial ? 1 : GROUP_CHARACTERS });
      const rebalanceKernel = rebalance.kernel('rebalanceSlots', { THREADS: serial ? 1 : GROUP_CHARACTERS });
      const decideKernel = decide.kernel('decideCharacters');
      const leadersKernel = decide.kernel('askLeaders');
      const scanOf = (tally: number, groupCount: number, round = 0): Dispatch => ({
        kernel: scan.kernel('scanBins', { TALLY: tally, IS_LATER: Number(round > 0) }),
        groups: groups.scan,
        groupCount,
      });
      const takeOf = (entryPoint: string, groupCount: number, round = 0): Dispatch => ({
        kernel: take.kernel(entryPoint, { ROUND: round }),
        groups: groups.take,
        groupCount,
      });
      const placeOf = (entryPoint: string, round = 0): Dispatch => ({
        kernel: assignSlots.kernel(entryPoint, { ROUND: round }),
        groups: groups.assignSlots,
        groupCount: 1,
      });
      // later rounds check on the GPU if there is anything to do; indirect dispatches would cost more
      const roundOf = (round: number, all: number): Dispatch[] => [
        takeOf('countRequests', all, round),
        scanOf(0, classCount * BINS_PER_CLASS, round),
        placeOf('assignRequests', round),
        takeOf('serveRequests', all, round),
      ];
      const listOf = (entryPoint: string, groupCount: number, followers = false): Dispatch => ({
        kernel: list.kernel(entryPoint, { FOLLOWERS: Number(followers) }),
        groups: groups.list,
        groupCount,
      });
      const serially: Dispatch[] = [
        { kernel: serialTake.kernel('takeSlots'), groups: groups.take, groupCount: 1 },
        { kernel: serialList.kernel('listCharacters'), groups: groups.list, groupCount: 1 },
      ];
      const listing = (all: number, hasFollowers: boolean): readonly Dispatch[] => [
        ...Array.from({ length: roundCount }, (_, round) => roundOf(round, all)).flat(),
        takeOf('countReturns', all),
        scanOf(1, 2 * classCount),
        placeOf('assignReturns'),
        takeOf('giveBack', all),
        listOf('countVisible', all),
        scanOf(2, binCount + EXTRA_BINS),
        { kernel: scatterBins.kernel('scatterBins'), groups: groups.list, groupCount: 1 },
        listOf('listCharacters', all),
        ...(hasFollowers ? [listOf('listCharacters', all, true)] : []),
      ];
      // all of its kernels are known before the first frame, and can be compiled
      if (!serial) listing(1, true);
      // it is the same from frame to frame as long as the count changes little; looking up all its kernels is one of
      // the CPU's slowest steps
      let last: { all: number; hasFollowers: boolean; dispatches: readonly Dispatch[] } | undefined;
      return ({ characterCount, hasGrants, hasMoves, hasFollowers, tighten, share }) => {
        const all = cullGroups(characterCount);
        const decideOf = (kernel: Kernel): Dispatch => ({ kernel, groups: groups.decide, groupCount: all });
        const decisions = [
          ...(hasGrants ? [{ kernel: grantKernel, groups: groups.grant, groupCount: 1 }] : []),
          ...(hasMoves ? [{ kernel: rebalanceKernel, groups: groups.rebalance, groupCount: 1 }] : []),
          decideOf(decideKernel),
          ...(tighten ? [tighten] : []),
          ...(share ? [share] : []),
          ...(hasFollowers ? [decideOf(leadersKernel)] : []),
        ];
        if (serial) return [...decisions, ...serially];
        if (last?.all !== all || last.hasFollowers !== hasFollowers) {
          last = { all, hasFollowers, dispatches: listing(all, hasFollowers) };
        }
        return [...decisions, ...last.dispatches];
      };
    },
  };
}
