import { AnimatorHead, FROZEN_ROWS, ROOT_ROWS } from '../controller/eval/layout.ts';
import type { StageName } from '../frame/stages.ts';
import { binCountOf, ringWords } from '../frame/tables/cull-tables.ts';
import { planFrame } from '../frame/tables/plan.ts';
import type { CrowdLayout } from '../frame/tables/crowd-layout.ts';
import { struct, type Struct } from '../layout/index.ts';
import {
  BinRecord,
  CullParams,
  Decision,
  EXTRA_BINS,
  ShareParams,
  SlotClass,
  SlotExtent,
  SlotMove,
} from '../stages/cull-characters/layout.ts';
import { Modifier, Player } from '../stages/gather-motions/layout.ts';
import { GroundParams } from '../stages/ground-characters/layout.ts';
import {
  FrameParams,
  Motion,
  Resident,
  SkinnedVertex,
  SlotState,
  Transform,
  VisibleCharacter,
} from '../stages/layout.ts';
import { MATRIX_BYTES, SOCKET_BYTES } from '../stages/place-sockets/layout.ts';
import { ProviderFrame, providerLayout, providerSections } from '../stages/provider-layout.ts';
import { EVENT_FIRST_WORD, EVENT_WORDS, StepParams } from '../stages/step-controllers/layout.ts';
import type { FrameNumbers } from './capture.ts';

/** The crowd and the frame of a capture: enough to compute the length of each array. */
export interface CapturedSpace {
  readonly shape: CrowdLayout;
  readonly numbers: FrameNumbers;
}

export const Word: Struct = /* @__PURE__ */ struct('Word', { word: 'u32' });
export const Row: Struct = /* @__PURE__ */ struct('Row', { row: 'vec4u' });
export const FloatRow: Struct = /* @__PURE__ */ struct('FloatRow', { row: 'vec4f' });
const Float: Struct = /* @__PURE__ */ struct('Float', { value: 'f32' });
const Matrix: Struct = /* @__PURE__ */ struct('Matrix', { matrix: 'mat4x4f' });

/** An array that stages bind: its row type, and its exact length, if that follows from the crowd. */
export interface ArrayForm {
  readonly row: Struct;
  readonly words?: (space: CapturedSpace) => number;
}

const column = (row: Struct, rows: (space: CapturedSpace) => number): ArrayForm => ({
  row,
  words: (space) => (rows(space) * row.size) / 4,
});
const perCharacter = (row: Struct, each: (shape: CrowdLayout) => number = () => 1): ArrayForm =>
  column(row, ({ shape }) => shape.capacity * each(shape));
const uniform = (row: Struct): ArrayForm => column(row, () => 1);

const transforms = perCharacter(Transform);
const visible = perCharacter(VisibleCharacter);
const slots = perCharacter(SlotState);
const params = uniform(FrameParams);
const animators = column(Row, ({ shape }) => (shape.controllers ? shape.animators.rowCount : 0));
const players = perCharacter(Player, ({ playerCapacity }) => playerCapacity);
const modifiers = perCharacter(Modifier, ({ modifierCapacity }) => modifierCapacity);
const motions: ArrayForm = { row: Motion };
const matrices = column(Matrix, ({ numbers }) => (numbers.socketCapacity * MATRIX_BYTES) / Matrix.size);
const palettes: ArrayForm = { row: FloatRow };
const bins = column(
  BinRecord,
  ({ shape, numbers }) => binCountOf(numbers.pageVertices.length, shape.tables.types) + EXTRA_BINS,
);
const targets: ArrayForm = {
  row: Word,
  words: ({ shape, numbers: { pageVertices } }) =>
    planFrame(shape.tables.types, pageVertices.length, shape.motionCapacity, shape.kernels).targets.words.length,
};
const providerFrame = uniform(ProviderFrame);
const providerMemory = column(
  FloatRow,
  ({ shape }) => providerSections(providerLayout(shape.providers), shape.capacity).rowCount,
);
const [reads, writes] = [false, true];

type Forms = Readonly<Record<string, readonly [form: ArrayForm, isWritten: boolean]>>;

/**
 * Arrays that captures contain for each stage, by the names of the stage's schema. The crowd's tables are not among
 * them, because they are stored once. Arrays that kernels use only between their own passes are left out, too.
 * `dispatch` is part of `targets`; `tally` is the start of `bins`; `shareParams` are the `params` of share-characters.
 * Twins of stages after cull-characters take from `params` and `bins` what kernels find in `targets`.
 */
const STAGE_ARRAYS: Readonly<Record<StageName, Forms>> = {
  'step-controllers': {
    params: [uniform(StepParams), reads],
    commands: [{ row: Row }, reads],
    animators: [animators, writes],
    events: [
      column(Word, ({ shape }) => (shape.controllers ? EVENT_FIRST_WORD + EVENT_WORDS * shape.eventCapacity : 0)),
      writes,
    ],
    transforms: [transforms, writes],
  },
  'ground-characters': {
    params: [uniform(GroundParams), reads],
    heights: [{ row: Float }, reads],
    grounded: [column(Word, ({ shape }) => Math.ceil(shape.capacity / 32)), reads],
    transforms: [transforms, writes],
  },
  'cull-characters': {
    params: [uniform(CullParams), reads],
    residents: [perCharacter(Resident), reads],
    transforms: [transforms, reads],
    grants: [{ row: Word }, reads],
    clock: [params, reads],
    players: [players, reads],
    modifiers: [modifiers, reads],
    animators: [animators, reads],
    classes: [column(SlotClass, ({ shape }) => shape.classes.capacities.length + 1), writes],
    rings: [column(Word, ({ shape }) => ringWords(shape.classes).words), writes],
    extents: [column(SlotExtent, ({ shape }) => shape.classes.extentLimit), writes],
    moves: [uniform(SlotMove), writes],
    slots: [slots, writes],
    decisions: [perCharacter(Decision), writes],
    bins: [bins, writes],
    visible: [visible, writes],
    targets: [targets, writes],
  },
  'gather-motions': {
    params: [params, reads],
    visible: [visible, reads],
    players: [players, reads],
    modifiers: [modifiers, reads],
    targets: [targets, reads],
    motions: [motions, writes],
    animators: [animators, writes],
  },
  'pose-joints': {
    params: [params, reads],
    visible: [visible, reads],
    targets: [targets, reads],
    motions: [motions, reads],
    palettes: [palettes, writes],
  },
  'place-sockets': {
    params: [params, reads],
    slots: [slots, reads],
    visible: [visible, reads],
    palettes: [palettes, reads],
    transforms: [transforms, reads],
    previousTransforms: [transforms, reads],
    sockets: [column(Word, ({ numbers }) => (numbers.socketCapacity * SOCKET_BYTES) / 4), writes],
    matrices: [matrices, writes],
    previousMatrices: [matrices, writes],
  },
  'update-characters': {
    params: [params, reads],
    visible: [visible, reads],
    targets: [targets, reads],
    transforms: [transforms, reads],
    previousTransforms: [transforms, reads],
    providerFrame: [providerFrame, reads],
    providerRows: [providerMemory, writes],
  },
  'keep-palettes': {
    visible: [visible, reads],
    bins: [bins, reads],
    targets: [targets, reads],
    palettes: [palettes, reads],
    providerFrame: [providerFrame, reads],
    providerRows: [providerMemory, reads],
  },
  'skin-vertices': {
    visible: [visible, reads],
    bins: [bins, reads],
    targets: [targets, reads],
    palettes: [palettes, reads],
    providerFrame: [providerFrame, reads],
    providerRows: [providerMemory, reads],
  },
};

/** Additional arrays of cull-characters, if far characters share poses. */
const SHARE_ARRAYS: Forms = {
  residents: [perCharacter(Resident), writes],
  shareParams: [uniform(ShareParams), reads],
  sharers: [perCharacter(Word), reads],
};

const formsOf = (stage: StageName, { sharing }: CrowdLayout): Forms =>
  stage === 'cull-characters' && sharing ? { ...STAGE_ARRAYS[stage], ...SHARE_ARRAYS } : STAGE_ARRAYS[stage];

/** Arrays of pages that stages write: a row for every vertex, or palette row, of the page. */
const PAGE_ARRAYS: Readonly<Partial<Record<StageName, Readonly<Record<string, Struct>>>>> = {
  'keep-palettes': { kept: FloatRow },
  'skin-vertices': {
    skinned: SkinnedVertex,
    skinnedTangents: struct('SkinnedTangent', { tangent: 'u32' }),
  },
};

/** Returns true if a name is that of a page's memory: captures have one array for each page. */
export function isOfPage(stage: StageName, name: string): boolean {
  return Object.hasOwn(PAGE_ARRAYS[stage] ?? {}, name);
}

/** The arrays of a stage; those of pages are named `skinned/0`, `skinnedTangents/0`, … */
export function arraysOf(stage: StageName, { numbers, shape }: CapturedSpace): ReadonlyMap<string, ArrayForm> {
  const forms = new Map(Object.entries(formsOf(stage, shape)).map(([name, [form]]) => [name, form]));
  if (!bindsProviders(stage, shape)) ['providerFrame', 'providerRows'].forEach((name) => forms.delete(name));
  // kernels bind them only where memory may move
  if (!numbers.hasMoves) forms.delete('extents');
  numbers.pageVertices.forEach((count, page) => {
    for (const [name, row] of Object.entries(PAGE_ARRAYS[stage] ?? {})) {
      forms.set(`${name}/${page}`, { row, words: () => (count * row.size) / 4 });
    }
  });
  return forms;
}

/** Returns true if some kernel of a stage binds the memory of providers. */
function bindsProviders(stage: StageName, { providers, tables }: CrowdLayout): boolean {
  if (stage === 'keep-palettes') return tables.types.some(({ keptProviderRows }) => keptProviderRows > 0);
  if (stage !== 'skin-vertices') return providers.length > 0;
  return tables.types.some((type) => type.skin !== 'vertex' && type.providers !== 0);
}

/** Returns true if a stage writes an array. */
export function isOutput(stage: StageName, name: string, { shape }: CapturedSpace): boolean {
  return formsOf(stage, shape)[name]?.[1] ?? isOfPage(stage, name.split('/')[0]!);
}

/** Regions of the animators: a struct and a range of words each. See `controller/eval/layout.ts`. */
export function animatorRegions({
  shape,
}: CapturedSpace): { label: string; row: Struct; first: number; end: number }[] {
  const { regions, rowCount } = shape.animators;
  const [machine, frozen, root, columns] = (['machineRow', 'frozenRow', 'rootRow', 'columnRow'] as const).map((key) =>
    regions.get(0, key),
  ) as [number, number, number, number];
  const region = (label: string, row: Struct, first: number, end: number) => ({
    label,
    row,
    first: 4 * first,
    end: 4 * end,
  });
  return [
    region('animators (heads)', AnimatorHead, 0, machine),
    region('animators (machines)', Row, machine, frozen),
    region('animators (frozen)', FROZEN_ROWS > 0 ? Frozen : Row, frozen, root),
    region('animators (root motion)', ROOT_ROWS > 0 ? FloatRow : Row, root, columns),
    region('animators (columns)', Float, columns, rowCount),
  ];
}

const Frozen: Struct = /* @__PURE__ */ struct('Frozen', { sample: 'u32', weight: 'f32' });
