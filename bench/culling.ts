// Measures cull-characters on characters that stand in a square, seen by views that turn in its middle.
import { AnimatorRegions } from '../src/controller/eval/layout.ts';
import { nodeDevice } from '../src/node/node-gpu.ts';
import { ringWords } from '../src/frame/tables/cull-tables.ts';
import { readRanges } from '../src/device/read-back.ts';
import { View } from '../src/layout/index.ts';
import {
  BinRecord,
  CullParams,
  Decision,
  EXTRA_BINS,
  WriteRangesParams,
  SlotClass,
  SlotExtent,
  SlotMove,
} from '../src/stages/cull-characters/layout.ts';
import { createWriteRanges } from '../src/stages/cull-characters/write-ranges.ts';
import { createCullCharacters, FEW_CHARACTERS, tallyWords } from '../src/stages/cull-characters/stage.ts';
import { createTightenCharacters } from '../src/stages/cull-characters/played-stage.ts';
import { encodeDispatch, type Dispatch } from '../src/stages/kernel.ts';
import { chooseKernels } from '../src/stages/kernel-choice.ts';
import { FrameParams, SlotState, VisibleCharacter } from '../src/stages/layout.ts';
import { ROUNDS, timePasses } from './tasks/controllers-timer.ts';
import { cullingScene, type CullingScene } from './tasks/culling-scene.ts';
import { readOptions } from './tasks/read-options.ts';

const values = readOptions(
  'Measures cull-characters on characters that stand in a square, seen by views that turn in its middle.',
  {
    characters: { type: 'string', value: 'N', help: 'characters', defaultText: '1000000; 10000 on a software adapter' },
    views: { type: 'string', value: 'N', default: '4', help: 'views that turn' },
    types: { type: 'string', value: 'N', default: '3', help: 'types of characters, of three levels each' },
    memory: {
      type: 'string',
      value: 'SHARE,…',
      default: '1,0.1',
      help: 'vertex memory: shares of what all would take at their finest level',
    },
    lists: {
      type: 'string',
      value: 'KIND',
      help: 'serial, parallel, few or many',
      defaultText: 'what suits the adapter',
    },
    'warm-up': { type: 'string', value: 'MS', default: '500', help: 'milliseconds of frames before any is measured' },
  },
);
const { device, info, kind } = await nodeDevice();
device.addEventListener('uncapturederror', (event) => console.error(event.error.message));
const characters = Number(values.characters ?? (kind === 'hardware' ? 1_000_000 : 10_000));
const [views, types, warmUp] = [Number(values.views), Number(values.types), Number(values['warm-up'])];
const chosen = chooseKernels(device);
const fewCharacters = { few: Infinity, many: 0 }[values.lists ?? ''];
const kernels = {
  ...chosen,
  serialLists: values.lists ? values.lists === 'serial' : chosen.serialLists,
  fewCharacters: fewCharacters ?? FEW_CHARACTERS,
};
const say = (text: string) => (values.json ? undefined : console.log(text));
say(info.description || info.vendor);
const results = [];
for (const memory of values.memory.split(',').map(Number)) results.push(await measure(memory));
if (values.json) console.log(JSON.stringify({ adapter: info, characters, views, types, kernels, results }));
process.exit(0);

async function measure(memory: number) {
  const pageRows = Math.floor(device.limits.maxStorageBufferBindingSize / 16);
  const scene = cullingScene({ characters, types, views, memory, pageRows, kernels });
  const { buffers, others, params, decide, tighten, slots, list, place, grantFrame } = bindScene(scene);
  let frame = 0;
  const rows = device.createBuffer({
    size: CullParams.size * ROUNDS,
    usage: GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST,
  });
  const nextFrame = (encoder: GPUCommandEncoder, round: number) => {
    device.queue.writeBuffer(rows, CullParams.size * round, scene.paramsOf(++frame).words);
    encoder.copyBufferToBuffer(rows, CullParams.size * round, params, 0, CullParams.size);
  };
  const first = device.createCommandEncoder();
  nextFrame(first, 0);
  const pass = first.beginComputePass();
  for (const dispatch of grantFrame) encodeDispatch(pass, dispatch);
  pass.end();
  device.queue.submit([first.finish()]);
  await device.queue.onSubmittedWorkDone();
  const parts = await timePasses(
    device,
    Object.entries({ decide, tighten, slots, list, place }).map(([name, dispatches]) => ({ name, dispatches })),
    warmUp,
    nextFrame,
  );
  const all = [...decide, ...tighten, ...slots, ...list, ...place];
  const times = { ...parts, ...(await timePasses(device, [{ name: 'all', dispatches: all }], warmUp, nextFrame)) };
  const { binCount } = scene.plan;
  const [records, classes] = await readRanges(device, [
    [buffers.tally, binCount * BinRecord.size, EXTRA_BINS * BinRecord.size],
    [buffers.classes, 0, buffers.classes.size],
  ]);
  const bins = new View(BinRecord, records!);
  const free = new View(SlotClass, classes!);
  const sum = (field: 'count' | 'wanted') =>
    Array.from({ length: free.count }, (_, c) => free.get(c, field)).reduce((a, b) => a + b, 0);
  const met = {
    listed: bins.get(1, 'count'),
    posed: bins.get(1, 'firstPosed'),
    undrawn: bins.get(0, 'count'),
    asking: sum('wanted'),
    free: sum('count'),
  };
  const found = { memory, slots: scene.grants.length / 2, pages: scene.pages.length, runs: binCount, ...met };
  for (const buffer of [...Object.values(buffers), ...others, rows]) buffer.destroy();
  say(`\n${characters} characters, ${views} views, ${types} types of 3 levels, memory for ${100 * memory} %`);
  say(`  ${found.slots} slots in ${found.pages} pages, ${binCount} runs; in the last frame ${met.listed} listed,`);
  say(
    `  ${met.posed} of them posed, ${met.undrawn} not drawn; ${met.asking} asked for a slot, ${met.free} were left free`,
  );
  for (const [name, milliseconds] of Object.entries(times)) say(`  ${name.padEnd(6)} ${milliseconds.toFixed(3)} ms`);
  return { ...found, times };
}

/** The stage on buffers of its own, in groups of kernels. */
function bindScene({ residents, transforms, players, clock, shape, plan, grants }: CullingScene) {
  const { STORAGE, UNIFORM, INDIRECT, COPY_DST, COPY_SRC } = GPUBufferUsage;
  const create = (byteLength: number, usage: number) =>
    device.createBuffer({ size: Math.max(64, byteLength), usage: usage | COPY_DST | COPY_SRC });
  const upload = (words: Uint32Array<ArrayBuffer>, usage: number = STORAGE): GPUBuffer => {
    const buffer = create(words.byteLength, usage);
    device.queue.writeBuffer(buffer, 0, words);
    return buffer;
  };
  const { kinds, classes } = shape;
  const [classCount, { binCount, targets }] = [classes.capacities.length, plan];
  const roundCount = Math.max(...shape.tables.types.map(({ levels }) => levels.length));
  const size = { capacity: characters, binCount, classCount, roundCount };
  const params = create(CullParams.size, UNIFORM);
  const buffers = {
    residents: upload(residents.words),
    transforms: upload(transforms.words),
    kinds: upload(kinds.words),
    grants: upload(grants),
    // a row of its own follows them
    classes: create((classCount + 1) * SlotClass.size, STORAGE),
    rings: create(4 * ringWords(classes).words, STORAGE),
    extents: create(classes.extentLimit * SlotExtent.size, STORAGE),
    moves: create(SlotMove.size, STORAGE),
    slots: create(characters * SlotState.size, STORAGE),
    decisions: create(characters * Decision.size, STORAGE),
    tally: create(4 * tallyWords(characters, size), STORAGE),
    visible: create(characters * VisibleCharacter.size, STORAGE),
  };
  const [dispatchCount, drawCount] = [targets.dispatches.count, targets.draws.count];
  const placeParams = new View(WriteRangesParams, 1);
  placeParams.assign(0, { dispatchCount, drawCount, listedBin: plan.binCount + 1 });
  const placing = {
    params: upload(placeParams.words, UNIFORM),
    dispatches: upload(targets.dispatches.words),
    plans: upload(targets.ranges.words),
    draws: upload(targets.draws.words),
    targets: upload(targets.words, STORAGE | INDIRECT),
    frame: create(FrameParams.size, STORAGE),
  };
  const played = {
    clock: upload(clock.words, UNIFORM),
    players: upload(players.words),
    modifiers: create(0, STORAGE),
    rig: create(0, STORAGE),
    regions: create(AnimatorRegions.size, UNIFORM),
    animators: create(0, STORAGE),
  };
  const tighten = createTightenCharacters(device, { controllers: false, trees: false });
  const cull = createCullCharacters(device, kernels).bind({ ...buffers, params }, size);
  const frame = { characterCount: characters, hasFollowers: false };
  const dispatches: Dispatch[] = cull({ ...frame, hasGrants: false, hasMoves: false });
  // see the stage: four kernels each for rounds and for what is given back; or without those that scan, and one for later rounds
  const few = roundCount > 1 ? 7 : 6;
  const slotKernels = kernels.serialLists ? 1 : characters <= kernels.fewCharacters ? few : 4 * roundCount + 4;
  return {
    buffers,
    others: [params, ...Object.values(placing), ...Object.values(played)],
    params,
    grantFrame: cull({ ...frame, hasGrants: true, hasMoves: false }),
    decide: dispatches.slice(0, 1),
    tighten: [tighten.bind({ ...buffers, ...played, params })(characters)],
    slots: dispatches.slice(1, 1 + slotKernels),
    list: dispatches.slice(1 + slotKernels),
    place: [createWriteRanges(device)({ ...placing, bins: buffers.tally }, dispatchCount, drawCount)],
  };
}
