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
  SlotState,
  Transform,
  VisibleCharacter,
  VERTEX_ROW_BYTES,
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

const Word: Struct = /* @__PURE__ */ struct('Word', { word: 'u32' });
const Row: Struct = /* @__PURE__ */ struct('Row', { row: 'vec4u' });
const FloatRow: Struct = /* @__PURE__ */ struct('FloatRow', { row: 'vec4f' });
const Float: Struct = /* @__PURE__ */ struct('Float', { value: 'f32' });
const Matrix: Struct = /* @__PURE__ */ struct('Matrix', { matrix: 'mat4x4f' });

/** An array that stages bind: its row type, and its exact length, if that follows from the crowd. */
interface ArrayForm {
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

const bytesPerSocket = (row: Struct, bytes: number): ArrayForm =>
  column(row, ({ numbers }) => (numbers.socketCapacity * bytes) / row.size);
const transforms = perCharacter(Transform);
const matrices = bytesPerSocket(Matrix, MATRIX_BYTES);

/**
 * Arrays of stages, by the names of the stages' schemas. The crowd's tables are not among them, because they are stored
 * once. Arrays that kernels use only between their own passes are left out, too. `dispatch` is part of `targets`;
 * `tally` is the start of `bins`; `shareParams` are the `params` of share-characters. Twins of stages after
 * cull-characters take from `params` and `bins` what kernels find in `targets`.
 */
const FORMS = {
  params: uniform(FrameParams),
  clock: uniform(FrameParams),
  commands: { row: Row },
  animators: column(Row, ({ shape }) => (shape.controllers ? shape.animators.rowCount : 0)),
  events: column(Word, ({ shape }) => (shape.controllers ? EVENT_FIRST_WORD + EVENT_WORDS * shape.eventCapacity : 0)),
  transforms,
  previousTransforms: transforms,
  heights: { row: Float },
  grounded: column(Word, ({ shape }) => Math.ceil(shape.capacity / 32)),
  residents: perCharacter(Resident),
  grants: { row: Word },
  players: perCharacter(Player, ({ playerCapacity }) => playerCapacity),
  modifiers: perCharacter(Modifier, ({ modifierCapacity }) => modifierCapacity),
  classes: column(SlotClass, ({ shape }) => shape.classes.capacities.length + 1),
  rings: column(Word, ({ shape }) => ringWords(shape.classes).words),
  extents: column(SlotExtent, ({ shape }) => shape.classes.extentLimit),
  moves: uniform(SlotMove),
  slots: perCharacter(SlotState),
  decisions: perCharacter(Decision),
  bins: column(BinRecord, ({ shape, numbers }) => binCountOf(numbers.pageRows.length, shape.tables.types) + EXTRA_BINS),
  visible: perCharacter(VisibleCharacter),
  targets: {
    row: Word,
    words: ({ shape, numbers: { pageRows } }) =>
      planFrame(shape.tables.types, pageRows.length, shape.motionCapacity, shape.kernels).targets.words.length,
  },
  shareParams: uniform(ShareParams),
  sharers: perCharacter(Word),
  motions: { row: Motion },
  palettes: { row: FloatRow },
  sockets: bytesPerSocket(Word, SOCKET_BYTES),
  matrices,
  previousMatrices: matrices,
  providerFrame: uniform(ProviderFrame),
  providerRows: column(
    FloatRow,
    ({ shape }) => providerSections(providerLayout(shape.providers), shape.capacity).rowCount,
  ),
} satisfies Readonly<Record<string, ArrayForm>>;

type ArrayName = keyof typeof FORMS;

interface StageArrays {
  /** Struct of `params`. Default: FrameParams. */
  readonly params?: Struct;
  readonly reads: readonly ArrayName[];
  readonly writes: readonly ArrayName[];
  /** Arrays of pages that it writes: a row for every vertex, or palette row, of the page. */
  readonly pages?: Readonly<Record<string, Struct>>;
}

const ofProviders = ['providerFrame', 'providerRows'] as const;
const bindsPages = ['visible', 'bins', 'targets', 'palettes', ...ofProviders] as const;
const bothTransforms = ['transforms', 'previousTransforms'] as const;
const CULLED = ['classes', 'rings', 'extents', 'moves', 'slots', 'decisions', 'bins', 'visible', 'targets'] as const;

/** Arrays that captures contain for each stage. */
const STAGE_ARRAYS: Readonly<Record<StageName, StageArrays>> = {
  'step-controllers': {
    params: StepParams,
    reads: ['params', 'commands'],
    writes: ['animators', 'events', 'transforms'],
  },
  'ground-characters': { params: GroundParams, reads: ['params', 'heights', 'grounded'], writes: ['transforms'] },
  'cull-characters': {
    params: CullParams,
    reads: ['params', 'residents', 'transforms', 'grants', 'clock', 'players', 'modifiers', 'animators'],
    writes: CULLED,
  },
  'gather-motions': {
    reads: ['params', 'visible', 'players', 'modifiers', 'targets'],
    writes: ['motions', 'animators'],
  },
  'pose-joints': { reads: ['params', 'visible', 'targets', 'motions'], writes: ['palettes'] },
  'place-sockets': {
    reads: ['params', 'slots', 'visible', 'palettes', ...bothTransforms],
    writes: ['sockets', 'matrices', 'previousMatrices'],
  },
  'update-characters': {
    reads: ['params', 'visible', 'targets', ...bothTransforms, 'providerFrame'],
    writes: ['providerRows'],
  },
  'keep-palettes': { reads: bindsPages, writes: [], pages: { kept: FloatRow } },
  'skin-vertices': {
    reads: bindsPages,
    writes: [],
    pages: { skinned: struct('SkinnedRow', { low: 'u32', high: 'u32' }) },
  },
};

/** Arrays of cull-characters, if far characters share poses. */
const SHARING: StageArrays = {
  params: CullParams,
  reads: ['params', 'transforms', 'grants', 'clock', 'players', 'modifiers', 'animators', 'shareParams', 'sharers'],
  writes: ['residents', ...CULLED],
};

const stageArrays = (stage: StageName, { sharing }: CrowdLayout): StageArrays =>
  stage === 'cull-characters' && sharing ? SHARING : STAGE_ARRAYS[stage];

/** Returns true if a name is that of a page's memory: captures have one array for each page. */
export function isOfPage(stage: StageName, name: string): boolean {
  return Object.hasOwn(STAGE_ARRAYS[stage].pages ?? {}, name);
}

/** The arrays of a stage; those of pages are named `skinned/0`, `skinned/1`, … */
export function arraysOf(stage: StageName, { numbers, shape }: CapturedSpace): ReadonlyMap<string, ArrayForm> {
  const { params, reads, writes, pages = {} } = stageArrays(stage, shape);
  const forms = new Map<string, ArrayForm>([...reads, ...writes].map((name) => [name, FORMS[name]]));
  if (params) forms.set('params', uniform(params));
  if (!bindsProviders(stage, shape)) ofProviders.forEach((name) => forms.delete(name));
  // kernels bind them only where memory may move
  if (!numbers.hasMoves) forms.delete('extents');
  numbers.pageRows.forEach((count, page) => {
    for (const [name, row] of Object.entries(pages)) {
      forms.set(`${name}/${page}`, { row, words: () => (count * VERTEX_ROW_BYTES) / 4 });
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

export function isOutput(stage: StageName, name: string, { shape }: CapturedSpace): boolean {
  const { writes }: { readonly writes: readonly string[] } = stageArrays(stage, shape);
  return writes.includes(name) || isOfPage(stage, name.split('/')[0]!);
}

/** Regions of the animators: a struct and a range of words each. See `controller/eval/layout.ts`. */
export function animatorRegions({
  shape,
}: CapturedSpace): { label: string; row: Struct; first: number; end: number }[] {
  const { regions, rowCount } = shape.animators;
  const at = (key: 'machineRow' | 'frozenRow' | 'rootRow' | 'columnRow') => 4 * regions.get(0, key);
  const [machines, frozen, root, columns] = [at('machineRow'), at('frozenRow'), at('rootRow'), at('columnRow')];
  return [
    { label: 'animators (heads)', row: AnimatorHead, first: 0, end: machines },
    { label: 'animators (machines)', row: Row, first: machines, end: frozen },
    { label: 'animators (frozen)', row: FROZEN_ROWS > 0 ? Frozen : Row, first: frozen, end: root },
    { label: 'animators (root motion)', row: ROOT_ROWS > 0 ? FloatRow : Row, first: root, end: columns },
    { label: 'animators (columns)', row: Float, first: columns, end: 4 * rowCount },
  ];
}

const Frozen: Struct = /* @__PURE__ */ struct('Frozen', { sample: 'u32', weight: 'f32' });
