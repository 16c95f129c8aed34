import type { ControllerModel } from '../../controller/model.ts';
import { controllerDiagram } from '../../diagram/index.ts';
import { openFileMap } from '../load-clips.ts';
import { openController } from '../load-controller.ts';
import type { FileMapOptions } from '../options.ts';
import { bytes, print, printIssues, printJson } from '../output.ts';
import { checkOutputs, writeOut } from '../write.ts';

export interface GraphOptions extends FileMapOptions {
  readonly out: string;
  readonly json?: boolean;
}

/** `maniple graph CONTROLLER --out x.svg` */
export async function runGraph(file: string, options: GraphOptions): Promise<void> {
  await checkOutputs({ '--out': options.out }, [file, options.clips]);
  const { model, issues } = await openController(file, await openFileMap(options));
  const svg = controllerDiagram(model);
  await writeOut(options.out, svg);
  const size = Buffer.byteLength(svg);
  if (options.json) {
    printJson({ file, out: options.out, bytes: size, ...countsOf(model), issues });
  } else {
    const { layers, parameters } = countsOf(model);
    print(`${options.out}: ${counted(layers.length, 'layer')}, ${counted(parameters, 'parameter')}, ${bytes(size)}`);
    printIssues(issues);
  }
}

/** Counts of the picture's contents, for callers that check. */
function countsOf(model: ControllerModel): { layers: { name: string }[]; parameters: number } {
  return {
    layers: model.layers.map(({ name }) => ({ name })),
    parameters: Object.keys(model.parameters).length,
  };
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : 's'}`;
}
