import { MOST_VIEWS, type CrowdView } from '../frame/tables/crowd-view.ts';
import type { ByteReader, ByteWriter } from './byte-stream.ts';
import { VIEW_FLOATS, VIEW_WORDS } from './log-format.ts';

/** The numbers of views, one after the other: matrix, height, detail. */
const NUMBERS = 18;

/** Numbers that a log stores for views. */
export function viewNumbers(views: readonly CrowdView[]): number[] {
  return views.flatMap(({ clipFromWorld, height, detail = 1 }) => [...Array.from(clipFromWorld), height, detail]);
}

export function writeViews(out: ByteWriter, numbers: readonly number[]): void {
  out.count(numbers.length / NUMBERS);
  for (let first = 0; first < numbers.length; first += NUMBERS) {
    const view = numbers.slice(first, first + NUMBERS);
    const isNarrow = view.every((value) => Object.is(Math.fround(value), value));
    out.byte(isNarrow ? VIEW_WORDS : VIEW_FLOATS);
    if (isNarrow) for (const word of new Uint32Array(Float32Array.from(view).buffer)) out.word(word);
    else for (const value of view) out.float(value);
  }
}

/** Reads what `writeViews` wrote. `checkViews` checks the values. */
export function readViews(input: ByteReader, refuse: (message: string) => never): CrowdView[] {
  const count = input.length();
  if (count === 0 || count > MOST_VIEWS) refuse(`a frame has ${count} views`);
  return Array.from({ length: count }, (): CrowdView => {
    const numbers = readNumbers(input, refuse);
    return { clipFromWorld: numbers.slice(0, 16), height: numbers[16]!, detail: numbers[17]! };
  });
}

function readNumbers(input: ByteReader, refuse: (message: string) => never): number[] {
  const form = input.byte();
  if (form === VIEW_FLOATS) return Array.from({ length: NUMBERS }, () => input.float());
  if (form !== VIEW_WORDS) refuse(`a view is of form ${form}`);
  const words = Uint32Array.from({ length: NUMBERS }, () => input.word());
  return [...new Float32Array(words.buffer)];
}
