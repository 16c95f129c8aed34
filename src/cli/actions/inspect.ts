import { formatOf } from '../../import/import-model.ts';
import { type Opened, openFile, packOpened, withLods } from '../load.ts';
import { Progress, printJson } from '../output.ts';
import { inspectCharacter } from './inspect/inspection.ts';
import { printInspection } from './inspect/print-inspection.ts';
import { checkOutputs, writeOut } from '../write.ts';

export interface InspectOptions {
  readonly errorBudget?: number;
  readonly bvhUnit?: number;
  readonly fbxUnit?: number;
  readonly vertexFormat?: 'standard' | 'packed' | 'compact';
  readonly lods?: number;
  readonly joints: 'some' | 'all';
  readonly plot?: string;
  readonly json?: boolean;
}

export async function runInspect(file: string, options: InspectOptions): Promise<void> {
  await checkOutputs({ '--plot': options.plot }, [file]);
  const progress = new Progress();
  const opened = await withValidation(await openFile(file, options));
  if (options.lods) progress.update('making coarser meshes');
  const character = await packOpened(await withLods(opened, options.lods), {
    errorBudget: options.errorBudget,
    ...(options.vertexFormat ? { vertexFormat: options.vertexFormat } : {}),
    onProgress: progress.packing(),
  });
  const model = opened.kind === 'model' ? opened.model : undefined;
  const inspection = inspectCharacter(file, character, model?.vrm, model?.humanoid);
  progress.done();
  if (options.plot !== undefined) {
    const { bodyChart } = await import('../../diagram/body-chart.ts');
    await writeOut(options.plot, bodyChart({ name: character.name, ...inspection.humanoid }));
  }
  if (options.json) printJson(inspection);
  else printInspection(inspection, options.joints === 'all');
}

/** An opened file with the findings of the Khronos validator, which other formats do not have. */
async function withValidation(opened: Opened): Promise<Opened> {
  if (opened.kind === 'baked' || formatOf(opened.bytes) !== 'glTF') return opened;
  const { validatorIssues } = await import('./inspect/validator.ts');
  const { model, bytes } = opened;
  return { ...opened, model: { ...model, issues: [...model.issues, ...(await validatorIssues(bytes))] } };
}
