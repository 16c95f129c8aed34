import { ANIMATOR_NONE, AnimatorHead } from '../controller/eval/layout.ts';
import { View, type Fields, type Struct } from '../layout/index.ts';
import { FrameParams, VisibleCharacter } from '../stages/layout.ts';
import { BinRecord } from '../stages/cull-characters/layout.ts';
import { Command, COMMAND_START, CommandRun, StepParams } from '../stages/step-controllers/layout.ts';
import type { CapturedSpace } from './arrays.ts';
import type { CapturedStage } from './capture.ts';
import { checkMoves } from './check-moves.ts';
import { checkResidents, clipCheck } from './check-residents.ts';
import { checkTargets } from './check-targets.ts';
import type { CaptureReport } from './form.ts';

/** Checks that rows refer only to existing records: twins follow them into tables, and take loop counts from there. */
export function checkRows({ stage, inputs }: CapturedStage, space: CapturedSpace, report: CaptureReport): void {
  const { types } = space.shape.tables;
  const view = <F extends Fields>(struct: Struct<F>, name: string) => new View(struct, inputs[name]!.slice().buffer);
  const controllers = new Set(types.map(({ controllerRow }) => controllerRow).filter((row) => row >= 0));
  const expect = (holds: boolean, path: string, message: string) => {
    if (!holds) report.corrupt(path, message);
  };
  if (inputs.animators && space.shape.controllers) {
    const heads = view(AnimatorHead, 'animators');
    const isStep = stage === 'step-controllers';
    const runs = isStep ? view(StepParams, 'params').get(0, 'runCount') : 0;
    const commandRows = isStep ? view(CommandRun, 'commands').count : 0;
    for (let i = 0; i < space.shape.capacity; i++) {
      const row = heads.get(i, 'controllerRow');
      expect(row === ANIMATOR_NONE || controllers.has(row), `animators/${i}`, `row ${row} is no controller.`);
      // rows that never had a character have an index beyond all rows, which is valid
      const run = heads.get(i, 'commandRun');
      expect(run <= runs || run > commandRows, `animators/${i}`, `has command run ${run} of ${runs}.`);
    }
  }
  if (stage === 'step-controllers') checkCommands();
  if (stage === 'cull-characters') {
    checkResidents(inputs, space, report);
    checkMoves(inputs, space, report);
  }
  // twins and kernels receive the count in two ways
  const served = inputs.targets && stage !== 'cull-characters' ? checkTargets(stage, inputs.targets, space, report) : 0;
  report.throwIfFailed();
  if (stage === 'gather-motions' || stage === 'pose-joints' || stage === 'update-characters') {
    checkVisible(Math.max(served, view(FrameParams, 'params').get(0, 'visibleCount')));
  }
  if (stage === 'keep-palettes' || stage === 'skin-vertices') {
    const bins = view(BinRecord, 'bins');
    const ends = Array.from({ length: bins.count }, (_, bin) => bins.get(bin, 'first') + bins.get(bin, 'count'));
    const ended = Math.min(Math.max(0, ...ends.slice(0, -2)), view(VisibleCharacter, 'visible').count);
    checkVisible(Math.max(served, ended));
  }

  function checkCommands(): void {
    const [runs, commands] = [view(CommandRun, 'commands'), view(Command, 'commands')];
    const count = view(StepParams, 'params').get(0, 'runCount');
    for (let run = 0; run < count; run++) {
      const [character, first] = [runs.get(run, 'character'), count + runs.get(run, 'first')];
      const end = first + runs.get(run, 'count');
      expect(character < space.shape.capacity, `commands/${run}`, `is for character ${character}.`);
      expect(end <= commands.count, `commands/${run}`, `ends at row ${end} of ${commands.count}.`);
      for (let row = first; row < Math.min(end, commands.count); row++) {
        const starts = (commands.get(row, 'kind') & 0xff) === COMMAND_START;
        expect(!starts || controllers.has(commands.get(row, 'argument')), `commands/${row}`, 'starts no controller.');
      }
    }
  }

  function checkVisible(count: number): void {
    const visible = view(VisibleCharacter, 'visible');
    const clips = stage === 'gather-motions' ? clipCheck(inputs, space.shape, report) : undefined;
    const rows = new Set(types.map(({ typeRow }) => typeRow));
    const meshes = new Set(types.flatMap(({ levels }) => levels.map(({ geometryRow }) => geometryRow)));
    for (let i = 0; i < count; i++) {
      const known = rows.has(visible.get(i, 'typeRow')) && meshes.has(visible.get(i, 'geometryRow'));
      expect(known, `visible/${i}`, 'is of no type of the crowd.');
      const character = visible.get(i, 'character');
      expect(character < space.shape.capacity, `visible/${i}`, 'is no character.');
      if (known && character < space.shape.capacity) clips?.(character, visible.get(i, 'typeRow'));
    }
  }
}
