// Packs the one model that is sent, in a worker of a browser or of Node. It imports only files of the package itself,
// because module workers do not support import maps. Further workers of this script pack clips for it.
import { issuesOf } from '../../errors.ts';
import type { Character } from '../character.ts';
import { packClipsInWorkers } from './clip-crew.ts';
import { Scratch } from './measure.ts';
import type { PackProgress } from './options.ts';
import { type ClipSetup, ClipWork, packClip, sentClip } from './pack-clip.ts';
import { type ClipTask, type PackAnswer, type PackRequest, ReceivedModel } from './pack-messages.ts';
import { packSteps } from './pack-steps.ts';
import { finish, inSlices } from './steps.ts';
import {
  connectThread,
  connectWorker,
  nodeThreads,
  type OnAnswer,
  type OnFailure,
  type WorkerPort,
} from './worker-port.ts';

/** The page, or another thread of Node. */
interface Parent {
  postMessage(answer: PackAnswer, transfer: ArrayBuffer[]): void;
}

const received = new ReceivedModel();
const threads = nodeThreads();
const nodeParent = threads?.parentPort;
const parent = (nodeParent ?? globalThis) as unknown as Parent;
const scratch = new Scratch();
let setup: ClipSetup | undefined;

function answer(message: PackAnswer, transfer: ArrayBuffer[] = []): void {
  parent.postMessage(message, transfer);
}

async function receive(request: PackRequest): Promise<void> {
  try {
    if (request.kind === 'setup' || request.kind === 'task') return receiveTask(request);
    const whole = received.receive(request);
    if (!whole) return;
    const onProgress = (progress: PackProgress) => answer({ kind: 'progress', progress });
    const packClips = packClipsInWorkers(startAnother, whole.maxWorkers);
    const character = await inSlices(packSteps(whole.model, { ...whole.options, onProgress }, packClips));
    answer({ kind: 'packed', character }, buffersOf(character));
  } catch (thrown) {
    answer({ kind: 'failed', issues: issuesOf(thrown) });
  }
}

function receiveTask(task: ClipTask): void {
  if (task.kind === 'setup') setup = task.setup;
  else {
    const packed = finish(packClip(setup!, task.clip, { work: new ClipWork(setup!.maxClipWork), scratch }));
    answer({ kind: 'clip', index: task.index, clip: sentClip(packed) }, [packed.words.buffer]);
  }
}

/** Starts a worker of this script. @throws where workers are unavailable, or may not be created */
function startAnother(onAnswer: OnAnswer, onFailure: OnFailure): WorkerPort {
  if (threads) return connectThread(new threads.Worker(new URL(import.meta.url)), onAnswer, onFailure);
  return connectWorker(new Worker(globalThis.location.href, { type: 'module' }), onAnswer, onFailure);
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

if (nodeParent) nodeParent.on('message', (request: PackRequest) => void receive(request));
// imported outside a worker, it does nothing
else globalThis.addEventListener?.('message', ({ data }: MessageEvent<PackRequest>) => void receive(data));
