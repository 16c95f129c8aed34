import { pageLimitOf } from '../frame/tables/cull-tables.ts';
import type { StageName } from '../frame/stages.ts';
import type { SharingPlan } from '../frame/tables/crowd-layout.ts';
import { View, type Struct } from '../layout/index.ts';
import { CullParams, ShareParams } from '../stages/cull-characters/layout.ts';
import { GroundParams } from '../stages/ground-characters/layout.ts';
import { FrameParams, VisibleCharacter } from '../stages/layout.ts';
import { hasUpdates } from '../stages/update-characters/stage.ts';
import { StepParams } from '../stages/step-controllers/layout.ts';
import { arraysOf, isOutput, type CapturedSpace } from './arrays.ts';
import type { CapturedStage } from './capture.ts';
import { checkRows } from './check-rows.ts';
import { CaptureReport } from './form.ts';

/** Arrays that may be missing: twins of place-sockets omit theirs in frames without views, kernels omit empty ones. */
const OPTIONAL: Partial<Record<StageName, readonly string[]>> = {
  'place-sockets': ['slots', 'visible', 'palettes'],
  'cull-characters': ['grants'],
};

/** Returns true if such a crowd has anything for a stage to do. */
function canRun(stage: StageName, { controllers, tables, providers }: CapturedSpace['shape']): boolean {
  if (stage === 'step-controllers') return controllers !== undefined;
  if (stage === 'update-characters') return hasUpdates(providers);
  return stage !== 'keep-palettes' || tables.types.some(({ skin }) => skin === 'vertex');
}

/**
 * Checks that all arrays of the stage are present, with the lengths of such a crowd, both before and after the stage.
 * Also checks that loop counts are within them, and that their rows refer to existing records.
 * @throws ManipleError CAPTURE_INVALID
 */
// oxlint-disable-next-line max-lines-per-function
export function checkStage(captured: CapturedStage, space: CapturedSpace): void {
  const { stage, inputs, outputs } = captured;
  const report = new CaptureReport(stage);
  const { shape, numbers } = space;
  const atMost = (what: string, count: number, limit: number) => {
    if (count > limit) report.corrupt(what, `is ${count}; there is room for ${limit}.`);
  };
  if (!canRun(stage, shape)) report.corrupt('crowd', 'has nothing that this stage does.');
  atMost('pages', numbers.pageVertices.length, pageLimitOf(shape.tables.types));
  report.throwIfFailed();
  const forms = arraysOf(stage, space);
  for (const name of Object.keys(inputs)) if (!forms.has(name)) report.corrupt(name, 'is nothing that the stage has.');
  for (const [name, { row, words }] of forms) {
    const array = inputs[name];
    if (!array && OPTIONAL[stage]?.includes(name)) continue;
    if (!array) report.corrupt(name, 'is missing.');
    else if (isOutput(stage, name, space) && outputs[name]?.length !== array.length) {
      // without it nothing could be compared
      report.corrupt(
        `outputs/${name}`,
        `has ${outputs[name]?.length ?? 'no'} words; before the stage ${array.length}.`,
      );
    }
    for (const each of [array, outputs[name]]) {
      if (!each) continue;
      if (words && each.length !== words(space)) {
        report.corrupt(name, `has ${each.length} words; the crowd's have ${words(space)}.`);
      } else if (each.length % (row.size / 4) !== 0) {
        report.corrupt(name, `has ${each.length} words: no whole rows of ${row.size} bytes.`);
      }
    }
  }
  const sharedCount = shape.sharing?.count ?? 0;
  const living = shape.capacity - sharedCount;
  atMost('characterCount', numbers.characterCount, living);
  atMost('socketCount', numbers.socketCount, numbers.socketCapacity);
  report.throwIfFailed();
  const param = (struct: Struct, key: string) =>
    new View(struct, inputs.params!.slice().buffer).get(0, key as never) as unknown as number;
  if (stage === 'step-controllers') {
    atMost('params/characterCount', param(StepParams, 'characterCount'), shape.capacity);
    atMost('params/runCount', param(StepParams, 'runCount'), inputs.commands!.length / 4);
    atMost('params/eventCapacity', param(StepParams, 'eventCapacity'), shape.eventCapacity);
  } else if (stage === 'ground-characters') {
    atMost('params/characterCount', param(GroundParams, 'characterCount'), shape.capacity);
    const heights = param(GroundParams, 'columns') * param(GroundParams, 'rows');
    atMost('params/rows', heights, inputs.heights!.length);
  } else if (stage === 'cull-characters') {
    const room = {
      characterCount: shape.capacity,
      binCount: inputs.bins!.length / 8 - 2,
      classCount: shape.classes.capacities.length,
      grantCount: (inputs.grants?.length ?? 0) / 2,
      sharedCount,
    };
    for (const [key, limit] of Object.entries(room)) atMost(`params/${key}`, param(CullParams, key), limit);
    const clock = new View(FrameParams, inputs.clock!.slice().buffer);
    atMost('clock/playerCapacity', clock.get(0, 'playerCapacity'), shape.playerCapacity);
    atMost('clock/modifierCapacity', clock.get(0, 'modifierCapacity'), shape.modifierCapacity);
    if (shape.sharing) checkSharing(shape.sharing, new View(ShareParams, inputs.shareParams!.slice().buffer));
  } else if (inputs.params) {
    const rows = (inputs.visible?.length ?? 0) / (VisibleCharacter.size / 4);
    atMost('params/visibleCount', param(FrameParams, 'visibleCount'), rows);
    atMost('params/playerCapacity', param(FrameParams, 'playerCapacity'), shape.playerCapacity);
    atMost('params/motionCapacity', param(FrameParams, 'motionCapacity'), shape.motionCapacity);
    atMost('params/modifierCapacity', param(FrameParams, 'modifierCapacity'), shape.modifierCapacity);
  }
  report.throwIfFailed();
  checkRows(captured, space, report);
  report.throwIfFailed();

  function checkSharing({ phases, count }: SharingPlan, share: View<(typeof ShareParams)['fields']>): void {
    const { playerCapacity, modifierCapacity } = shape;
    const room = { characterCount: shape.capacity - count, playerCapacity, modifierCapacity } as const;
    for (const [key, limit] of Object.entries(room)) {
      atMost(`shareParams/${key}`, share.get(0, key as keyof typeof room), limit);
    }
    // both determine a row of a shared pose
    for (const [key, known] of [
      ['phases', phases],
      ['firstShared', shape.capacity - count],
    ] as const) {
      const value = share.get(0, key);
      if (value !== known) report.corrupt(`shareParams/${key}`, `is ${value}; the crowd's is ${known}.`);
    }
  }
}
