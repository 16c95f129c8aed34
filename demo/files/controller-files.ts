import { parseController } from '../../src/controller/index.ts';
import { importPlayCanvasGraph } from '../../src/import/playcanvas/import-graph.ts';
import { readText } from './dropped-file.ts';
import type { Dropped } from './load-dropped.ts';
import type { KnownFile } from './load-files.ts';
import { nameOf, stemOf } from './paths.ts';

/** Loads a controller in Maniple's format, or a PlayCanvas graph. @throws ManipleError CONTROLLER_…, PLAYCANVAS_…, FILE_… */
export async function loadControllerFile(file: KnownFile): Promise<Dropped> {
  const text = await readText(file);
  const stem = stemOf(file.path);
  const controller =
    file.kind === 'playcanvas' ? importPlayCanvasGraph(text, { name: stem }) : parseController(text, stem);
  return { kind: 'controller', name: nameOf(file.path), controller, clips: [], issues: controller.issues ?? [] };
}
