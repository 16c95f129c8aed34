import { controllerDiagram } from '../../diagram/index.ts';
import { counted } from '../../diagram/text.ts';
import { openFileMap } from '../load-clips.ts';
import { openController } from '../load-controller.ts';
import type { FileMapOptions } from '../options.ts';
import { bytes, print, printIssues, printJson } from '../output.ts';
import { checkOutputs, writeOut } from '../write.ts';

export interface GraphOptions extends FileMapOptions {
  readonly out: string;
  readonly json?: boolean;
}

export async function runGraph(file: string, options: GraphOptions): Promise<void> {
  await checkOutputs({ '--out': options.out }, [file, options.clips]);
  const { model, issues } = await openController(file, await openFileMap(options));
  const svg = controllerDiagram(model);
  await writeOut(options.out, svg);
  const size = Buffer.byteLength(svg);
  const layers = model.layers.map(({ name }) => ({ name }));
  const parameters = Object.keys(model.parameters).length;
  if (options.json) printJson({ file, out: options.out, bytes: size, layers, parameters, issues });
  else {
    print(`${options.out}: ${counted(layers.length, 'layer')}, ${counted(parameters, 'parameter')}, ${bytes(size)}`);
    printIssues(issues);
  }
}
