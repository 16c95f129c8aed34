import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import * as animator from '../src/controller/eval/layout.ts';
import * as controller from '../src/controller/tables.ts';
import * as geometry from '../src/character/format/geometry-layout.ts';
import * as vertexFormat from '../src/vertex/vertex-format.ts';
import * as rig from '../src/character/format/rig-layout.ts';
import { layoutModule, type Bindings, type ModuleParts, type RecordTable, type Struct } from '../src/layout/index.ts';
import * as cullCharacters from '../src/stages/cull-characters/layout.ts';
import * as lighting from '../src/render/lighting/layout.ts';
import * as materials from '../src/render/materials/layout.ts';
import * as transparency from '../src/render/transparency/layout.ts';
import * as visibility from '../src/render/visibility/layout.ts';
import * as contact from '../src/render/contact-codes.ts';
import * as drawMemory from '../src/render/draw-memory/layout.ts';
import * as forward from '../src/render/forward/layout.ts';
import * as impostors from '../src/render/impostors/layout.ts';
import * as impostorPixels from '../src/render/impostors/pixel-layout.ts';
import * as gatherMotions from '../src/stages/gather-motions/layout.ts';
import * as filterTriangles from '../src/render/visibility/filter-triangles/layout.ts';
import * as stages from '../src/stages/layout.ts';
import * as triangles from '../src/render/visibility/triangles.ts';
import * as shadePixels from '../src/render/visibility/shade-pixels/layout.ts';
import * as rasterTriangles from '../src/render/visibility/raster-triangles/layout.ts';
import * as poseJoints from '../src/stages/pose-joints/layout.ts';
import * as groundCharacters from '../src/stages/ground-characters/layout.ts';
import * as keepPalettes from '../src/stages/keep-palettes/layout.ts';
import * as placeSockets from '../src/stages/place-sockets/layout.ts';
import * as shiftTransforms from '../src/stages/shift-transforms/layout.ts';
import * as readJoints from '../src/stages/read-joints/layout.ts';
import * as stepControllers from '../src/stages/step-controllers/layout.ts';
import * as updateCharacters from '../src/stages/update-characters/layout.ts';
import * as skinVertices from '../src/stages/skin-vertices/layout.ts';
import type { Group } from './kernel-files.ts';

export const root: string = path.resolve(import.meta.dirname, '..');

const PALETTE = { struct: stages.PaletteEntry, table: 'palettes' };
const BATCH_RANGE = { struct: triangles.BatchRange, table: 'ranges' };
const BIN_RECORD = { struct: cullCharacters.BinRecord, table: 'tally' };
const DRAW_RECORD = { struct: cullCharacters.DrawRecord, table: 'targets' };
const LIST_COUNTS = { struct: triangles.ListCounts, table: 'lists' };

/** Modules that exist only as TypeScript layouts. */
export const LAYOUTS: Record<string, ModuleParts> = {
  'layout/rig': {
    bindings: stages.rigBindings,
    records: [rig.CharacterType, rig.BindEntry, rig.RestLane, rig.ClipHeader, rig.ClipInterval, rig.MirrorLane].map(
      (struct) => ({
        struct,
        table: 'rig4',
      }),
    ),
    constants: numbers(rig),
  },
  'layout/controller': {
    imports: ['import package::layout::rig::rig4;'],
    records: [
      controller.ControllerHeader,
      controller.ControllerLayer,
      controller.ControllerMachine,
      controller.SyncedTiming,
      controller.ControllerState,
      controller.ControllerTransition,
      controller.ControllerWatch,
      controller.ControllerSelector,
      controller.ControllerEntry,
      controller.ControllerMotion,
      controller.ControllerTree,
      controller.ControllerChild,
      controller.ControllerBandChild,
      controller.ControllerBands,
      controller.ControllerSwitches,
      controller.ControllerComparisons,
      controller.ControllerMoment,
      controller.ControllerLeaf,
      controller.ControllerClip,
      controller.ControllerEvent,
      controller.RootKnot,
    ].map((struct) => ({ struct, table: 'rig4' })),
    constants: {
      ...numbers(controller),
      BANDS_AHEAD_ROW: controller.ControllerBands.offsets.ahead / 16,
      BANDS_BEHIND_ROW: controller.ControllerBands.offsets.behind / 16,
      BANDS_STILL_ROW: controller.ControllerBands.offsets.still / 16,
    },
  },
  'layout/animator': {
    structs: [animator.AnimatorRegions],
    records: [animator.AnimatorHead, animator.RootMotion].map((struct) => ({ struct, table: 'animators' })),
    bindings: animator.animatorBindings,
    constants: numbers(animator),
  },
  'layout/geometry': {
    bindings: stages.geometryBindings,
    records: [
      geometry.GeometryHeader,
      geometry.StandardVertex,
      geometry.SkinBatch,
      geometry.MeshChannels,
      geometry.VertexChannel,
      geometry.NamedChannels,
      geometry.NamedChannel,
    ].map((struct) => ({ struct, table: 'geometry4' })),
    constants: { ...numbers(geometry), ...numbers(vertexFormat) },
  },
  'layout/indices': {
    bindings: stages.indexBindings,
  },
  'layout/stages': {
    structs: [
      stages.Resident,
      stages.VisibleCharacter,
      stages.SlotState,
      stages.Transform,
      stages.FrameParams,
      stages.Player,
      stages.Modifier,
      stages.Motion,
    ],
    constants: numbers(stages),
  },
  'layout/triangles': {
    structs: [triangles.TriangleView, triangles.TriangleViews],
    constants: numbers(triangles),
  },
  'render/visibility/filter-triangles/count-layout': triangleModule(
    filterTriangles.countBindings,
    [filterTriangles.CountParams, filterTriangles.RunPlan, filterTriangles.PagePlan],
    numbers(filterTriangles),
  ),
  'render/visibility/filter-triangles/size-layout': triangleModule(
    filterTriangles.sizeBindings,
    [
      filterTriangles.InstanceParams,
      stages.VisibleCharacter,
      stages.Transform,
      filterTriangles.RunPlan,
      filterTriangles.InstanceCandidate,
    ],
    numbers(filterTriangles),
  ),
  'render/visibility/filter-triangles/select-layout': {
    structs: [filterTriangles.SelectParams, filterTriangles.InstanceCandidate],
    bindings: filterTriangles.selectBindings,
    constants: numbers(filterTriangles),
  },
  'render/visibility/filter-triangles/instance-layout': triangleModule(
    filterTriangles.instanceBindings,
    [
      filterTriangles.InstanceParams,
      stages.VisibleCharacter,
      stages.Transform,
      stages.Resident,
      filterTriangles.KeptInstance,
      impostors.ImpostorChoice,
    ],
    numbers(filterTriangles),
  ),
  'render/visibility/filter-triangles/plan-layout': {
    imports: ['import package::layout::triangles::TriangleViews;'],
    structs: [filterTriangles.DropParams, filterTriangles.PagePlan],
    records: [LIST_COUNTS, BATCH_RANGE],
    bindings: filterTriangles.planBindings,
    constants: numbers(filterTriangles),
  },
  'render/visibility/filter-triangles/drop-layout': triangleModule(
    filterTriangles.dropBindings,
    [filterTriangles.DropParams, filterTriangles.PagePlan, filterTriangles.KeptInstance],
    numbers(filterTriangles),
  ),
  'render/visibility/filter-triangles/filter-layout': triangleModule(filterTriangles.filterBindings, [
    triangles.BatchRange,
    filterTriangles.CountedInstance,
  ]),
  'render/visibility/filter-triangles/argument-layout': {
    imports: ['import package::layout::triangles::TriangleViews;'],
    structs: [filterTriangles.RasterArguments],
    records: [LIST_COUNTS],
    bindings: filterTriangles.argumentBindings,
  },
  'render/visibility/raster-triangles/layout': triangleModule(
    rasterTriangles.rasterBindings,
    [triangles.BatchRange, rasterTriangles.RasterParams],
    numbers(rasterTriangles),
  ),
  'render/visibility/raster-triangles/draw-layout': triangleModule(
    rasterTriangles.drawBindings,
    [triangles.BatchRange, rasterTriangles.RasterParams],
    numbers(rasterTriangles),
  ),
  'render/visibility/raster-triangles/pixel-layout': { bindings: rasterTriangles.drawnPixelBindings },
  'render/visibility/raster-triangles/wide-pixel-layout': { bindings: rasterTriangles.wideDrawnPixelBindings },
  'render/visibility/raster-triangles/wide-layout': triangleModule(
    rasterTriangles.wideRasterBindings,
    [triangles.BatchRange, rasterTriangles.RasterParams],
    numbers(rasterTriangles),
  ),
  'render/visibility/shade-pixels/layout': triangleModule(
    shadePixels.shadeBindings,
    [triangles.BatchRange, shadePixels.ShadeParams],
    numbers(shadePixels),
  ),
  'stages/cull-characters/grant-layout': cullModule(cullCharacters.grantSlotsBindings, [cullCharacters.SlotClass]),
  'stages/cull-characters/rebalance-layout': cullModule(cullCharacters.rebalanceBindings, [
    cullCharacters.SlotClass,
    cullCharacters.SlotExtent,
    cullCharacters.SlotMove,
  ]),
  'stages/cull-characters/decide-layout': cullModule(cullCharacters.decideBindings, [
    stages.Resident,
    stages.Transform,
    stages.SlotState,
    cullCharacters.AskedDecision,
  ]),
  'stages/cull-characters/tighten-layout': {
    ...cullModule(cullCharacters.tightenBindings, [
      stages.FrameParams,
      stages.Resident,
      stages.Transform,
      cullCharacters.Decision,
    ]),
    imports: ['import package::layout::stages::{Modifier, Player};'],
  },
  'stages/cull-characters/share-layout': {
    imports: ['import package::layout::stages::{Modifier, Player};'],
    structs: [cullCharacters.ShareParams, stages.Resident, stages.SlotState, cullCharacters.SharedDecision],
    bindings: cullCharacters.shareBindings,
    constants: numbers(cullCharacters),
  },
  'stages/cull-characters/take-layout': cullModule(cullCharacters.takeSlotsBindings, [
    stages.Resident,
    stages.SlotState,
    cullCharacters.SlotClass,
    cullCharacters.Decision,
    cullCharacters.SlotMove,
  ]),
  'stages/cull-characters/assign-slots-layout': cullModule(cullCharacters.assignSlotsBindings, [
    cullCharacters.SlotClass,
  ]),
  'stages/cull-characters/list-layout': cullModule(cullCharacters.listBindings, [
    stages.Resident,
    stages.SlotState,
    cullCharacters.SlotClass,
    cullCharacters.Decision,
    stages.VisibleCharacter,
  ]),
  'stages/cull-characters/scan-layout': {
    structs: [cullCharacters.CullParams, cullCharacters.SlotClass],
    records: [BIN_RECORD],
    bindings: cullCharacters.scanBindings,
    constants: numbers(cullCharacters),
  },
  'stages/cull-characters/write-layout': {
    structs: [
      cullCharacters.WriteRangesParams,
      cullCharacters.DispatchPlan,
      cullCharacters.RangePlan,
      cullCharacters.DrawPlan,
      cullCharacters.BinRecord,
      stages.FrameParams,
    ],
    records: [{ struct: cullCharacters.RangeRecord, table: 'targets' }, DRAW_RECORD],
    bindings: cullCharacters.writeRangesBindings,
  },
  'stages/step-controllers/layout': {
    structs: [stepControllers.StepParams, stages.Transform],
    records: [
      { struct: stepControllers.EventRecord, table: 'events' },
      { struct: stepControllers.CommandRun, table: 'commands' },
      { struct: stepControllers.Command, table: 'commands' },
    ],
    bindings: stepControllers.stepControllersBindings,
    constants: numbers(stepControllers),
  },
  'stages/gather-motions/layout': {
    imports: ['import package::layout::stages::{Modifier, Player};'],
    structs: [stages.FrameParams, stages.VisibleCharacter],
    records: [
      {
        struct: stages.Motion,
        table: 'motions',
        groups: { form: ['bases', 'unitExponents', 'scaleRateExponent', 'kind'] },
      },
    ],
    bindings: gatherMotions.gatherMotionsBindings,
    constants: numbers(gatherMotions),
  },
  'stages/gather-motions/list-layout': {
    structs: [gatherMotions.ListParams],
    records: [gatherMotions.ListHead, gatherMotions.ListSample].map((struct) => ({ struct, table: 'lists' })),
    bindings: gatherMotions.listMotionsBindings,
    constants: numbers(gatherMotions),
  },
  'stages/gather-motions/count-layout': {
    structs: [stages.FrameParams, stages.VisibleCharacter],
    records: [{ struct: animator.AnimatorHead, table: 'animators' }],
    bindings: gatherMotions.countDroppedBindings,
  },
  'stages/pose-joints/layout': {
    structs: [stages.VisibleCharacter, poseJoints.PoseRange, poseJoints.PoseRanges],
    records: [{ struct: stages.Motion, table: 'motions' }, PALETTE],
    bindings: poseJoints.poseJointsBindings,
  },
  'stages/keep-palettes/layout': {
    structs: [stages.VisibleCharacter, keepPalettes.KeepRange, keepPalettes.KeepRanges],
    bindings: keepPalettes.keepPalettesBindings,
  },
  'stages/update-characters/layout': {
    structs: [stages.FrameParams, stages.VisibleCharacter, stages.Transform],
    bindings: updateCharacters.updateCharactersBindings,
  },
  'stages/ground-characters/layout': {
    structs: [stages.Transform, groundCharacters.GroundParams],
    bindings: groundCharacters.groundCharactersBindings,
  },
  'stages/shift-transforms/layout': {
    structs: [stages.Transform, shiftTransforms.ShiftParams],
    bindings: shiftTransforms.shiftTransformsBindings,
  },
  'stages/place-sockets/layout': {
    structs: [stages.FrameParams, stages.SlotState, stages.VisibleCharacter, stages.Transform],
    records: [
      ...[placeSockets.Attachment, placeSockets.SocketJoint, placeSockets.PreviousLocal].map((struct) => ({
        struct,
        table: 'sockets',
      })),
      PALETTE,
    ],
    bindings: placeSockets.placeSocketsBindings,
    constants: numbers(placeSockets),
  },
  'stages/read-joints/layout': {
    structs: [
      stages.FrameParams,
      stages.SlotState,
      stages.VisibleCharacter,
      readJoints.AskedJoint,
      readJoints.JointAnswer,
    ],
    records: [PALETTE],
    bindings: readJoints.readJointsBindings,
    constants: numbers(readJoints),
  },
  'stages/read-joints/rows-layout': { bindings: readJoints.readRowsBindings },
  'stages/skin-vertices/layout': {
    structs: [stages.VisibleCharacter, skinVertices.SkinRange, skinVertices.SkinRanges],
    records: [PALETTE],
    bindings: skinVertices.skinVerticesBindings,
    constants: numbers(skinVertices),
  },
  'render/materials/layout': {
    structs: [materials.TextureRecord, materials.Material],
    bindings: materials.materialBindings,
    constants: numbers(materials),
  },
  'render/lighting/codes': { constants: numbers(lighting) },
  'render/lighting/view': { structs: [lighting.Cascade, lighting.FrameUniforms], bindings: lighting.viewBindings },
  'render/forward/shadow-view': {
    structs: [lighting.Cascade, lighting.FrameUniforms, forward.ShadowPass],
    bindings: forward.shadowBindings,
  },
  'render/contact': { constants: numbers(contact) },
  'render/visibility/splat-layout': triangleModule(
    visibility.splatBindings,
    [visibility.ContactParams, visibility.ContactPage],
    numbers(visibility),
  ),
  'render/visibility/copy-ids-layout': {
    bindings: visibility.copyIdsBindings,
    constants: numbers(rasterTriangles),
  },
  'render/visibility/copy-floats-layout': {
    bindings: visibility.copyFloatsBindings,
    constants: numbers(rasterTriangles),
  },
  'render/visibility/present-layout': { bindings: visibility.presentBindings },
  'render/compatibility/encode-layout': { bindings: visibility.presentBindings },
  'render/transparency/composite-layout': { bindings: transparency.compositeBindings },
  'render/transparency/depth-layout': { bindings: transparency.depthBindings },
  'render/visibility/surfaces-layout': { bindings: visibility.surfacesBindings },
  'render/visibility/probe-layout': { bindings: visibility.probeBindings, constants: numbers(visibility) },
  'render/visibility/temporal-layout': { structs: [visibility.TemporalParams], bindings: visibility.temporalBindings },
  'render/draw-memory/layout': {
    structs: [stages.Resident, stages.VisibleCharacter, stages.Transform],
    bindings: drawMemory.drawMemoryBindings,
  },
  'render/forward/page': {
    structs: [forward.DrawnRun, forward.DrawnPrimitive, stages.Resident, stages.VisibleCharacter, stages.Transform],
    bindings: forward.pageBindings,
  },
  'render/forward/surface-page': {
    structs: [forward.DrawnRun, forward.DrawnPrimitive, stages.Resident, stages.VisibleCharacter, stages.Transform],
    bindings: forward.surfaceBindings,
  },
  'render/forward/wire-layout': {
    structs: [forward.DrawnRun, stages.VisibleCharacter, stages.Transform],
    records: [PALETTE, { struct: forward.WireBone, table: 'wires' }],
    bindings: forward.wireBindings,
    constants: numbers(forward),
  },
  'render/forward/shown': { constants: numbers(forward) },
  'render/impostors/codes': { constants: numbers(impostors) },
  'render/impostors/choose-layout': {
    ...impostorModule(impostors.chooseBindings, [impostors.ImpostorChoice, impostors.ImpostorTile]),
    imports: ['import package::layout::stages::{Resident, Transform, VisibleCharacter};'],
  },
  'render/impostors/assign-layout': impostorModule(impostors.assignBindings, [
    impostors.ImpostorChoice,
    impostors.ImpostorTile,
  ]),
  'render/impostors/list-layout': {
    ...impostorModule(impostors.listBindings, [impostors.ImpostorChoice, impostors.Impostor]),
    imports: ['import package::layout::stages::VisibleCharacter;'],
  },
  'render/impostors/tile-layout': impostorModule(impostors.tileBindings),
  'render/impostors/store-layout': impostorModule(impostors.storeBindings, [
    impostors.StoreParams,
    impostors.AssignedTile,
  ]),
  'render/impostors/impostor-layout': {
    ...impostorModule(impostors.impostorBindings, [impostors.Impostor]),
    imports: ['import package::layout::stages::{Resident, Transform, VisibleCharacter};'],
  },
  'render/impostors/raster-layout': {
    imports: ['import package::layout::triangles::TriangleViews;'],
    structs: [lighting.Cascade, lighting.FrameUniforms, rasterTriangles.RasterParams, impostorPixels.ImpostorLayer],
    bindings: impostorPixels.rasterBindings,
    constants: { IMPOSTOR_ID: impostorPixels.IMPOSTOR_ID, ...numbers(rasterTriangles) },
  },
  'render/impostors/wide-raster-layout': {
    imports: ['import package::layout::triangles::TriangleViews;'],
    structs: [lighting.Cascade, lighting.FrameUniforms, rasterTriangles.RasterParams, impostorPixels.ImpostorLayer],
    bindings: impostorPixels.wideRasterBindings,
  },
  'render/impostors/shade-layout': {
    imports: ['import package::layout::triangles::TriangleViews;'],
    structs: [impostorPixels.ImpostorLayer],
    bindings: impostorPixels.shadeBindings,
    constants: { IMPOSTOR_ID: impostorPixels.IMPOSTOR_ID },
  },
};

/** Bindings of cull-characters' kernels, and the records of their tables. */
function cullModule(bindings: Bindings, structs: readonly Struct[] = []): ModuleParts {
  const kinds = [cullCharacters.CullType, cullCharacters.CullLevel, cullCharacters.CullClass, cullCharacters.ClipBox];
  return {
    structs: [cullCharacters.CullParams, ...structs],
    records: boundIn(bindings, [...kinds.map((struct) => ({ struct, table: 'kinds' })), BIN_RECORD]),
    bindings,
    constants: numbers(cullCharacters),
  };
}

/** Bindings of stages that draw triangles, and the records of their tables. */
function triangleModule(
  bindings: Bindings,
  structs: readonly Struct[] = [],
  constants: Record<string, number> = {},
): ModuleParts {
  return {
    imports: ['views' in bindings.entries ? 'import package::layout::triangles::TriangleViews;' : ''],
    structs,
    records: boundIn(bindings, [
      { struct: triangles.TriangleRun, table: 'drawn', groups: { rows: ['firstRow', 'rowCount'] } },
      { struct: triangles.TrianglePrimitive, table: 'drawn' },
      {
        struct: triangles.DrawnInstance,
        table: 'drawn',
        groups: {
          addresses: ['currentVertexOffset', 'previousVertexOffset', 'runRow', 'geometryRow'],
          shown: ['parts', 'views', 'hardwareViews'],
        },
      },
      { struct: triangles.Projection, table: 'drawn' },
      LIST_COUNTS,
      BATCH_RANGE,
      { struct: stages.DispatchArguments, table: 'ranges' },
      DRAW_RECORD,
      { struct: visibility.LargeDisc, table: 'large' },
    ]),
    bindings,
    constants,
  };
}

/** Bindings of impostors' shaders, and the records of their tables. */
function impostorModule(bindings: Bindings, structs: readonly Struct[] = []): ModuleParts {
  const records = [impostors.ImpostorType, impostors.ImpostorClip, impostors.ImpostorDraw].map((struct) => ({
    struct,
    table: 'plan',
  }));
  return {
    structs: [impostors.ImpostorParams, ...structs],
    records: boundIn(bindings, [...records, DRAW_RECORD]),
    bindings,
  };
}

/** The records whose tables a kernel binds. */
function boundIn({ entries }: Bindings, records: readonly RecordTable[]): RecordTable[] {
  return records.filter(({ table }) => table in entries);
}

function numbers(module: object): Record<string, number> {
  const entries = Object.entries(module) as [string, unknown][];
  return Object.fromEntries(
    entries.filter((entry): entry is [string, number] => typeof entry[1] === 'number' && /^[A-Z0-9_]+$/.test(entry[0])),
  );
}

/** One linked shader: its root module and what the conditions of each variant are. */
export interface ShaderEntry {
  /** Path of the generated file below src, without extension; of the root module as well, unless `root` names another. */
  readonly module: string;
  readonly root?: string;
  readonly group: Group;
  readonly variants: Readonly<Record<string, Readonly<Record<string, boolean>>>>;
}

/** Every kernel and every variant of it that the product can choose. */
const ALL_SHADERS: readonly Omit<ShaderEntry, 'group'>[] = [
  // no kernel: what providers may call
  { module: 'vertex/vertex-loader', variants: { base: {} } },
  // the variant for large motions has larger arrays
  { module: 'stages/step-controllers/kernel', variants: { base: {}, large: { large: true } } },
  ...[
    'grant-slots',
    'rebalance-slots',
    'decide-characters',
    'scan-bins',
    'assign-slots',
    'take-slots',
    'take-slots-serial',
    'later-rounds',
    'list-characters',
    'list-characters-serial',
    'tighten-characters',
    'share-characters',
    'write-ranges',
  ].map((name) => ({ module: `stages/cull-characters/${name}`, variants: { base: {} } })),
  { module: 'stages/cull-characters/scatter-bins', variants: { base: { listed: true } } },
  { module: 'stages/gather-motions/kernel', variants: { base: {} } },
  { module: 'stages/gather-motions/list', variants: { base: {} } },
  { module: 'stages/gather-motions/count-dropped', variants: { base: {} } },
  { module: 'stages/pose-joints/kernel', variants: { base: {} } },
  { module: 'stages/pose-joints/kernel-storage', variants: { base: {} } },
  { module: 'stages/pose-joints/kernel-serial', variants: { base: {} } },
  { module: 'stages/keep-palettes/kernel', variants: { base: { kept: true } } },
  { module: 'stages/update-characters/kernel', variants: { base: {} } },
  { module: 'stages/ground-characters/kernel', variants: { base: {} } },
  { module: 'stages/shift-transforms/kernel', variants: { base: {} } },
  { module: 'stages/place-sockets/kernel', variants: { base: {} } },
  { module: 'stages/read-joints/kernel', variants: { base: { joints: true } } },
  ...[
    'size-instances',
    'select-instances',
    'count-batches',
    'place-instances',
    'plan-lists',
    'drop-instances',
    'place-arguments',
  ].map((name) => ({
    module: `render/visibility/filter-triangles/${name}`,
    variants: { base: {} },
  })),
  {
    module: 'render/visibility/filter-triangles/kernel',
    variants: { base: { filter: true }, grouped: { filter: true, grouped: true } },
  },
  {
    module: 'render/visibility/raster-triangles/kernel',
    variants: alsoOn(combinations(['wide', 'masked']), 'raster'),
  },
  { module: 'render/visibility/raster-triangles/draw', variants: alsoOn(combinations(['wide', 'masked']), 'hardware') },
  {
    module: 'render/visibility/shade-pixels/kernel',
    variants: alsoOn(combinations(['standard', 'surfaces']), 'shade'),
  },
  // loaded where an application changes surfaces
  {
    module: 'render/visibility/shade-pixels/changed',
    root: 'render/visibility/shade-pixels/kernel',
    variants: alsoOn(alsoOn(combinations(['standard', 'surfaces']), 'shade'), 'changed'),
  },
  { module: 'render/visibility/copy-pixels', variants: { base: {}, ids: { ids: true } } },
  { module: 'render/visibility/splat-contact', variants: { base: { splat: true } } },
  { module: 'render/compatibility/encode-picture', variants: { base: {} } },
  { module: 'render/visibility/present', variants: { base: {} } },
  { module: 'render/visibility/surfaces', variants: { base: {} } },
  { module: 'render/visibility/temporal', variants: { base: {} } },
  { module: 'render/transparency/composite', variants: { base: {} } },
  { module: 'render/transparency/opaque-depth', variants: { base: {} } },
  { module: 'render/visibility/probe-grid', variants: { base: {} } },
  { module: 'stages/read-joints/rows', variants: { base: {} } },
  {
    module: 'render/forward/draw',
    variants: without(combinations(['shadow', 'standard', 'vertex']), 'standard+vertex'),
  },
  {
    module: 'render/forward/draw-changed',
    root: 'render/forward/draw',
    variants: alsoOn(without(combinations(['standard', 'vertex']), 'standard+vertex'), 'changed'),
  },
  // no kernel: what passes of one's own call
  { module: 'render/draw-memory/functions', variants: { base: { drawMemory: true } } },
  { module: 'render/forward/scene', variants: { base: {} } },
  { module: 'render/forward/contact', variants: { base: {}, vertex: { vertex: true } } },
  {
    module: 'render/forward/surface',
    variants: { base: {}, standard: { standard: true }, vertex: { vertex: true, surface: true } },
  },
  { module: 'render/forward/backdrop', variants: { base: {} } },
  // loaded where far characters are impostors
  {
    module: 'render/impostors/draw-faded',
    root: 'render/forward/draw',
    variants: alsoOn(without(combinations(['standard', 'vertex']), 'standard+vertex'), 'faded'),
  },
  ...['choose', 'assign', 'list', 'store'].map((name) => ({
    module: `render/impostors/${name}`,
    variants: { base: {} },
  })),
  {
    module: 'render/impostors/tile',
    variants: without(combinations(['standard', 'vertex']), 'standard+vertex'),
  },
  {
    module: 'render/impostors/impostor',
    variants: { base: {}, shadow: { shadow: true }, surface: { surface: true } },
  },
  { module: 'render/impostors/raster', variants: alsoOn(combinations(['wide']), 'impostor') },
  { module: 'render/impostors/shade', variants: combinations(['surfaces']) },
  { module: 'render/forward/wires', variants: { base: {} } },
  {
    module: 'stages/skin-vertices/kernel',
    variants: without(combinations(['cached', 'variable', 'morph', 'packed', 'general']), 'packed+general'),
  },
];

export const SHADERS: readonly ShaderEntry[] = ALL_SHADERS.map((shader) => {
  const draws = /^(?:render|stages\/(?:filter-triangles|raster-triangles|shade-pixels))\//.test(shader.module);
  return { ...shader, group: draws ? 'render' : 'frame' };
});

/** All subsets of the flags, named `a+b`, the empty one `base`. */
function combinations(flags: readonly string[]): Record<string, Record<string, boolean>> {
  return Object.fromEntries(
    Array.from({ length: 1 << flags.length }, (_, bits) => {
      const on = flags.filter((_, index) => (bits >> index) & 1);
      return [on.join('+') || 'base', Object.fromEntries(flags.map((flag) => [flag, on.includes(flag)]))];
    }),
  );
}

/** The same variants, with a condition that all of them have. */
function alsoOn(
  variants: Record<string, Record<string, boolean>>,
  flag: string,
): Record<string, Record<string, boolean>> {
  return Object.fromEntries(Object.entries(variants).map(([name, on]) => [name, { ...on, [flag]: true }]));
}

/** Returns the variants with names that do not end with `end`. */
function without<T>(variants: Record<string, T>, end: string): Record<string, T> {
  return Object.fromEntries(Object.entries(variants).filter(([name]) => !name.endsWith(end)));
}

/** All WESL sources by module path (`./stages/pose_joints/kernel.wesl`): files below src, and the layouts. */
export function weslSources(): Record<string, string> {
  const files = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.wesl'))
    .map((file): [string, string] => [file, readFileSync(path.join(root, 'src', file), 'utf8')]);
  const layouts = Object.entries(LAYOUTS).map(([name, parts]): [string, string] => [
    `${name}.wesl`,
    layoutModule(parts),
  ]);
  return Object.fromEntries([...files, ...layouts].map(([file, text]) => [`./${moduleName(file)}`, text]));
}

/** File names have hyphens, WESL identifiers do not. */
export function moduleName(file: string): string {
  return file.replaceAll('\\', '/').replaceAll('-', '_');
}
