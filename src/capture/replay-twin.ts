import { byGeometry } from '../frame/cpu/rows.ts';
import type { StageName } from '../frame/stages.ts';
import type { CrowdLayout } from '../frame/tables/crowd-layout.ts';
import { planFrame } from '../frame/tables/plan.ts';
import { View, type Fields, type Struct } from '../layout/index.ts';
import {
  BinRecord,
  CullParams,
  Decision,
  EXTRA_BINS,
  WriteRangesParams,
  ShareParams,
  SlotClass,
  SlotExtent,
  SlotMove,
} from '../stages/cull-characters/layout.ts';
import { writeDraws, writeRanges } from '../stages/cull-characters/write-ranges.ts';
import { cullCharacters } from '../stages/cull-characters/reference.ts';
import { Modifier, Player } from '../stages/gather-motions/layout.ts';
import { gatherMotions } from '../stages/gather-motions/reference.ts';
import { GroundParams } from '../stages/ground-characters/layout.ts';
import { groundCharacters } from '../stages/ground-characters/reference.ts';
import { keepPalettes } from '../stages/keep-palettes/reference.ts';
import { FrameParams, Resident, SlotState, Transform, VisibleCharacter } from '../stages/layout.ts';
import { Attachment, PreviousLocal, SocketJoint } from '../stages/place-sockets/layout.ts';
import { placeSockets } from '../stages/place-sockets/reference.ts';
import { poseOnCpu, preparePoses } from '../frame/cpu/pose-on-cpu.ts';
import { ProviderFrame } from '../stages/provider-layout.ts';
import { ProviderMemoryView } from '../stages/provider-twins.ts';
import { updateCharacters } from '../stages/update-characters/reference.ts';
import { skinVertices } from '../stages/skin-vertices/reference.ts';
import { StepParams } from '../stages/step-controllers/layout.ts';
import { stepControllers } from '../stages/step-controllers/reference.ts';
import { isOutput, type CapturedSpace } from './arrays.ts';
import type { CapturedArrays, CapturedStage } from './capture.ts';

type Words = Uint32Array<ArrayBuffer>;

/** Runs the twin of a stage on copies of the captured arrays. Returns the arrays that it may have written. */
export async function replayOnTwin({ stage, inputs }: CapturedStage, space: CapturedSpace): Promise<CapturedArrays> {
  await preparePoses();
  const copies = new Copies(inputs);
  TWINS[stage](copies, space);
  return Object.fromEntries(Array.from(copies.all).filter(([name]) => isOutput(stage, name, space)));
}

class Copies {
  readonly all: ReadonlyMap<string, Words>;

  constructor(inputs: CapturedArrays) {
    this.all = new Map(Object.entries(inputs).map(([name, words]) => [name, words.slice()]));
  }

  words(name: string): Words {
    return this.all.get(name) ?? new Uint32Array();
  }

  floats(name: string): Float32Array<ArrayBuffer> {
    return new Float32Array(this.words(name).buffer);
  }

  view<F extends Fields>(struct: Struct<F>, name: string): View<F> {
    return new View(struct, this.words(name).buffer);
  }
}

const TWINS: Readonly<Record<StageName, (copies: Copies, space: CapturedSpace) => void>> = {
  'step-controllers': (copies, { shape }) =>
    stepControllers({
      stepParams: copies.view(StepParams, 'params'),
      regions: shape.animators.regions,
      animators: copies.words('animators'),
      rig: shape.tables.rig,
      commands: copies.words('commands'),
      events: copies.words('events'),
      transforms: copies.view(Transform, 'transforms'),
      movesTransforms: shape.controllers?.movesTransforms ?? false,
    }),
  'ground-characters': (copies) =>
    groundCharacters({
      params: copies.view(GroundParams, 'params'),
      heights: copies.floats('heights'),
      grounded: copies.words('grounded'),
      transforms: copies.view(Transform, 'transforms'),
    }),
  'cull-characters': cull,
  'gather-motions': (copies, { shape }) =>
    gatherMotions({
      params: copies.view(FrameParams, 'params'),
      visible: copies.view(VisibleCharacter, 'visible'),
      ...playersIn(copies, shape),
      motions: copies.words('motions'),
    }),
  'pose-joints': (copies, { shape }) =>
    poseOnCpu({
      ...listIn(copies),
      motionCapacity: shape.motionCapacity,
      rig: shape.tables.rig,
      skeletons: byGeometry(shape.tables.types).skeletons,
      motions: copies.words('motions'),
      palettes: copies.floats('palettes'),
    }),
  'place-sockets': placeAttachments,
  'update-characters': (copies, { shape }) =>
    updateCharacters({
      ...listIn(copies),
      transforms: copies.view(Transform, 'transforms'),
      previousTransforms: copies.view(Transform, 'previousTransforms'),
      providers: providersIn(copies, shape),
    }),
  'keep-palettes': (copies, space) => {
    const { keptLevels } = byGeometry(space.shape.tables.types);
    for (const { page, ...rows } of pagesOf(copies, space)) {
      keepPalettes({ ...rows, keptLevels, kept: copies.words(`kept/${page}`) });
    }
  },
  'skin-vertices': (copies, space) => {
    const { geometry, types } = space.shape.tables;
    const { meshes } = byGeometry(types);
    for (const { page, ...rows } of pagesOf(copies, space)) {
      skinVertices({ ...rows, geometry, meshes, skinned: copies.words(`skinned/${page}`) });
    }
  },
};

/** The visible list, of stages that serve all of it. */
function listIn(copies: Copies) {
  const params = copies.view(FrameParams, 'params');
  return { visible: copies.view(VisibleCharacter, 'visible'), visibleCount: params.get(0, 'visibleCount') };
}

function playersIn(copies: Copies, { animators, tables }: CrowdLayout) {
  return {
    players: copies.view(Player, 'players'),
    modifiers: copies.view(Modifier, 'modifiers'),
    animators: copies.words('animators'),
    regions: animators.regions,
    rig: tables.rig,
  };
}

function cull(copies: Copies, { shape, numbers }: CapturedSpace): void {
  const bins = copies.view(BinRecord, 'bins');
  const played = playersIn(copies, shape);
  const views = {
    params: copies.view(CullParams, 'params'),
    residents: copies.view(Resident, 'residents'),
    transforms: copies.view(Transform, 'transforms'),
    kinds: shape.kinds,
    grants: copies.words('grants'),
    classes: copies.view(SlotClass, 'classes'),
    rings: copies.words('rings'),
    extents: copies.view(SlotExtent, 'extents'),
    moves: copies.view(SlotMove, 'moves'),
    slots: copies.view(SlotState, 'slots'),
    decisions: copies.view(Decision, 'decisions'),
    bins,
    visible: copies.view(VisibleCharacter, 'visible'),
    share: shape.sharing && {
      ...played,
      params: copies.view(ShareParams, 'shareParams'),
      sharers: copies.words('sharers'),
    },
  };
  cullCharacters(views, undefined, { ...played, clock: copies.view(FrameParams, 'clock') });
  const { tables, motionCapacity, kernels } = shape;
  const { targets: plans } = planFrame(tables.types, numbers.pageRows.length, motionCapacity, kernels);
  const { dispatches, ranges, draws } = plans;
  const params = new View(WriteRangesParams, 1);
  params.assign(0, { dispatchCount: dispatches.count, drawCount: draws.count });
  const place = { params, dispatches, plans: ranges, draws, bins, targets: copies.words('targets') };
  writeRanges(place);
  writeDraws(place);
}

function placeAttachments(copies: Copies, { numbers: { socketCapacity, socketCount } }: CapturedSpace): void {
  const { buffer } = copies.words('sockets');
  const firstLocal = socketCapacity * (Attachment.size + SocketJoint.size);
  placeSockets({
    count: socketCount,
    attachments: new View(Attachment, buffer, 0, socketCapacity),
    joints: new View(SocketJoint, buffer, socketCapacity * Attachment.size, socketCapacity),
    previousLocals: new View(PreviousLocal, buffer, firstLocal, socketCapacity),
    transforms: copies.view(Transform, 'transforms'),
    previousTransforms: copies.view(Transform, 'previousTransforms'),
    seen: {
      ...listIn(copies),
      slots: copies.view(SlotState, 'slots'),
      lastFrame: copies.view(FrameParams, 'params').get(0, 'lastFrame'),
      palettes: copies.floats('palettes'),
    },
    matrices: copies.floats('matrices'),
    previousMatrices: copies.floats('previousMatrices'),
  });
}

/** Each page's part of the visible list. */
function pagesOf(copies: Copies, { shape, numbers }: CapturedSpace) {
  const bins = copies.view(BinRecord, 'bins');
  const { buffer } = copies.words('visible');
  const runs = (bins.count - EXTRA_BINS) / Math.max(1, numbers.pageRows.length);
  const palettes = copies.floats('palettes');
  const providers = copies.all.has('providerRows') ? providersIn(copies, shape) : undefined;
  return numbers.pageRows.map((_, page) => {
    const first = bins.get(page * runs, 'first');
    const last = (page + 1) * runs - 1;
    const visibleCount = Math.max(0, bins.get(last, 'first') + bins.get(last, 'count') - first);
    const visible = new View(VisibleCharacter, buffer, first * VisibleCharacter.size, visibleCount);
    return { page, visible, visibleCount, palettes, providers };
  });
}

function providersIn(copies: Copies, { providers: list, capacity }: CrowdLayout): ProviderMemoryView {
  const frame = copies.view(ProviderFrame, 'providerFrame');
  const [time, dt] = [frame.get(0, 'time'), frame.get(0, 'dt')];
  const rows = copies.floats('providerRows');
  return new ProviderMemoryView({ list, time, frame: frame.get(0, 'frame'), dt, capacity, rows });
}
