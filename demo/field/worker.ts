// The field in a worker. It computes and draws on a canvas that the page has transferred, without the page.
import { issuesOf } from '../../src/index.ts';
import type { Command, FieldStart, Told } from '../protocol.ts';
import { type Field, openField } from './field.ts';

export type WorkerMessage =
  | Command
  | { readonly kind: 'open'; readonly canvas: OffscreenCanvas; readonly start: FieldStart };

const tell = (told: Told) => postMessage(told);
const waiting: Command[] = [];
let field: Field | undefined;

addEventListener('message', ({ data }: MessageEvent<WorkerMessage>) => {
  if (data.kind !== 'open') {
    if (field) field.command(data);
    else waiting.push(data);
    return;
  }
  openField(data.canvas, data.start, tell)
    .then((opened) => {
      field = opened;
      for (const command of waiting.splice(0)) field.command(command);
    })
    .catch((thrown: unknown) => tell({ kind: 'failed', issues: issuesOf(thrown) }));
});
