// Packs the one model that is sent, in a worker of a browser or of Node. It imports only files of the package itself,
// because module workers do not support import maps.
import { issuesOf } from '../../errors.ts';
import type { Character } from '../character.ts';
import type { PackProgress } from './options.ts';
import { type PackAnswer, type PackRequest, ReceivedModel } from './pack-messages.ts';
import { packSteps } from './pack-steps.ts';
import { finish } from './steps.ts';

/** The page, or Node's other thread. */
interface Parent {
  postMessage(answer: PackAnswer, transfer: ArrayBuffer[]): void;
}

const received = new ReceivedModel();
const nodeParent = globalThis.process?.getBuiltinModule?.('node:worker_threads').parentPort;
const parent = (nodeParent ?? globalThis) as unknown as Parent;

function answer(message: PackAnswer, transfer: ArrayBuffer[] = []): void {
  parent.postMessage(message, transfer);
}

function receive(request: PackRequest): void {
  try {
    const whole = received.receive(request);
    if (!whole) return;
    const onProgress = (progress: PackProgress) => answer({ kind: 'progress', progress });
    const character = finish(packSteps(whole.model, { ...whole.options, onProgress }));
    answer({ kind: 'packed', character }, buffersOf(character));
  } catch (thrown) {
    answer({ kind: 'failed', issues: issuesOf(thrown) });
  }
}

/** Buffers that are transferred instead of copied. */
function buffersOf(character: Character): ArrayBuffer[] {
  const meshes = [character, ...character.lods];
  const arrays = meshes.flatMap(({ geometry, indices, primitives }) => [
    geometry,
    indices,
    ...primitives.map(({ vertexOfSource }) => vertexOfSource),
  ]);
  return [...new Set([character.rig, ...arrays].map(({ buffer }) => buffer))];
}

if (nodeParent) nodeParent.on('message', receive);
// imported outside a worker, it does nothing
else globalThis.addEventListener?.('message', ({ data }: MessageEvent<PackRequest>) => receive(data));
