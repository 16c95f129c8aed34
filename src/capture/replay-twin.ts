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
import { DIMENSION_LIMIT } from '../stages/kernel.ts';
import { FrameParams, Resident, SlotState, Transform, VisibleCharacter } from '../stages/layout.ts';
import { Attachment, PreviousLocal, SocketJoint } from '../stages/place-sockets/layout.ts';
import { placeSockets } from '../stages/place-sockets/reference.ts';
import { poseJoints } from '../stages/pose-joints/reference.ts';
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
// oxlint-disable-next-line max-lines-per-function
export function replayOnTwin({ stage, inputs }: CapturedStage, space: CapturedSpace): CapturedArrays {
  const copies = Object.fromEntries(Object.entries(inputs).map(([name, words]) => [name, words.slice()]));
  const words = (name: string): Words => copies[name] ?? new Uint32Array();
  const floats = (name: string) => new Float32Array(words(name).buffer);
  const view = <F extends Fields>(struct: Struct<F>, name: string) => new View(struct, words(name).buffer);
  const { shape, numbers } = space;
  const { tables, motionCapacity } = shape;
  const { rig } = tables;
  const { regions } = shape.animators;

  if (stage === 'step-controllers') {
    stepControllers({
      stepParams: view(StepParams, 'params'),
      regions,
      animators: words('animators'),
      rig,
      commands: words('commands'),
      events: words('events'),
      transforms: view(Transform, 'transforms'),
      movesTransforms: shape.controllers?.movesTransforms ?? false,
    });
  } else if (stage === 'ground-characters') {
    groundCharacters({
      params: view(GroundParams, 'params'),
      heights: floats('heights'),
      grounded: words('grounded'),
      transforms: view(Transform, 'transforms'),
    });
  } else if (stage === 'cull-characters') {
    const bins = view(BinRecord, 'bins');
    const plays = {
      players: view(Player, 'players'),
      modifiers: view(Modifier, 'modifiers'),
      animators: words('animators'),
      regions,
      rig,
    };
    const views = {
      params: view(CullParams, 'params'),
      residents: view(Resident, 'residents'),
      transforms: view(Transform, 'transforms'),
      kinds: shape.kinds,
      grants: words('grants'),
      classes: view(SlotClass, 'classes'),
      rings: words('rings'),
      extents: view(SlotExtent, 'extents'),
      moves: view(SlotMove, 'moves'),
      slots: view(SlotState, 'slots'),
      decisions: view(Decision, 'decisions'),
      bins,
      visible: view(VisibleCharacter, 'visible'),
      share: shape.sharing && {
        ...plays,
        params: view(ShareParams, 'shareParams'),
        sharers: words('sharers'),
      },
    };
    cullCharacters(views, undefined, { ...plays, clock: view(FrameParams, 'clock') });
    const { targets: plans } = planFrame(tables.types, numbers.pageVertices.length, motionCapacity, shape.kernels);
    const { dispatches, ranges, draws } = plans;
    const params = new View(WriteRangesParams, 1);
    params.assign(0, {
      dispatchCount: dispatches.count,
      drawCount: draws.count,
      dimensionLimit: DIMENSION_LIMIT,
    });
    const place = { params, dispatches, plans: ranges, draws, bins, targets: words('targets') };
    writeRanges(place);
    writeDraws(place);
  } else if (stage === 'gather-motions' || stage === 'pose-joints') {
    const params = view(FrameParams, 'params');
    const visible = view(VisibleCharacter, 'visible');
    const motions = words('motions');
    if (stage === 'pose-joints') {
      const visibleCount = params.get(0, 'visibleCount');
      const { skeletons } = byGeometry(tables.types);
      poseJoints({ visible, visibleCount, motionCapacity, rig, skeletons, motions, palettes: floats('palettes') });
    } else {
      const [players, modifiers] = [view(Player, 'players'), view(Modifier, 'modifiers')];
      gatherMotions({ params, visible, players, modifiers, regions, animators: words('animators'), rig, motions });
    }
  } else if (stage === 'update-characters') {
    updateCharacters({
      visible: view(VisibleCharacter, 'visible'),
      visibleCount: view(FrameParams, 'params').get(0, 'visibleCount'),
      transforms: view(Transform, 'transforms'),
      previousTransforms: view(Transform, 'previousTransforms'),
      providers: providersIn(copies, space.shape),
    });
  } else if (stage === 'place-sockets') {
    const { socketCapacity, socketCount } = numbers;
    const { buffer } = words('sockets');
    placeSockets({
      count: socketCount,
      attachments: new View(Attachment, buffer, 0, socketCapacity),
      joints: new View(SocketJoint, buffer, socketCapacity * Attachment.size, socketCapacity),
      previousLocals: new View(
        PreviousLocal,
        buffer,
        socketCapacity * (Attachment.size + SocketJoint.size),
        socketCapacity,
      ),
      transforms: view(Transform, 'transforms'),
      previousTransforms: view(Transform, 'previousTransforms'),
      seen: {
        slots: view(SlotState, 'slots'),
        visible: view(VisibleCharacter, 'visible'),
        visibleCount: view(FrameParams, 'params').get(0, 'visibleCount'),
        lastFrame: view(FrameParams, 'params').get(0, 'lastFrame'),
        palettes: floats('palettes'),
      },
      matrices: floats('matrices'),
      previousMatrices: floats('previousMatrices'),
    });
  } else {
    runPages(stage, copies, space);
  }
  return Object.fromEntries(Object.entries(copies).filter(([name]) => isOutput(stage, name, space)));
}

/** Runs a stage that writes pages: once per page, on the page's part of the visible list. */
function runPages(stage: StageName, copies: Readonly<Record<string, Words>>, { shape, numbers }: CapturedSpace): void {
  const { geometry, types } = shape.tables;
  const { meshes, keptLevels } = byGeometry(types);
  const palettes = new Float32Array(copies.palettes!.buffer);
  const bins = new View(BinRecord, copies.bins!.buffer);
  const runs = (bins.count - EXTRA_BINS) / Math.max(1, numbers.pageVertices.length);
  const providers = copies.providerRows && providersIn(copies, shape);
  numbers.pageVertices.forEach((_, page) => {
    const first = bins.get(page * runs, 'first');
    const last = (page + 1) * runs - 1;
    const visibleCount = Math.max(0, bins.get(last, 'first') + bins.get(last, 'count') - first);
    const from = first * VisibleCharacter.size;
    const visible = new View(VisibleCharacter, copies.visible!.buffer, from, visibleCount);
    const rows = { visible, visibleCount, palettes };
    if (stage === 'keep-palettes') {
      keepPalettes({ ...rows, keptLevels, providers, kept: copies[`kept/${page}`]! });
      return;
    }
    const [skinned, skinnedTangents] = [copies[`skinned/${page}`]!, copies[`skinnedTangents/${page}`]!];
    skinVertices({ ...rows, geometry, meshes, skinned, skinnedTangents, providers });
  });
}

function providersIn(
  { providerFrame, providerRows }: Readonly<Record<string, Words>>,
  { providers: list, capacity }: CrowdLayout,
): ProviderMemoryView {
  const frame = new View(ProviderFrame, providerFrame!.buffer);
  const rows = new Float32Array(providerRows!.buffer);
  const [time, dt] = [frame.get(0, 'time'), frame.get(0, 'dt')];
  return new ProviderMemoryView({ list, time, frame: frame.get(0, 'frame'), dt, capacity, rows });
}
