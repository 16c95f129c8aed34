import { describe, expect, it } from 'vitest';
import { readBaked, writeBaked } from '../../src/character/file/index.ts';
import { readBakedStream } from '../../src/character/file/read-stream.ts';
import { addSockets } from '../../src/character/sockets.ts';
import type { Character } from '../../src/character/character.ts';
import { ManipleError } from '../../src/errors.ts';
import { Random } from '../support/random.ts';
import { full, runSeed } from '../support/setup.ts';
import { manyClipsCharacter, Tap } from '../support/streamed-character.ts';
import { refusalOf, reseal, sectionPlaces, tryRead } from './damage.ts';
import { withDescription } from './edit.ts';
import { strayFetches } from './kernel-fetches.ts';
import { moteCharacter } from './mote.ts';

const character = manyClipsCharacter(12);
const file = writeBaked(character, { first: ['clip 3'] });
const LIMIT = 2 ** 24;

const chunksOf = (bytes: Uint8Array, piece: number) => {
  const tap = new Tap(bytes, piece);
  void tap.openTo(bytes.length);
  return tap.next;
};

/** What reading a file as it arrives comes to, once all of it is there. */
async function tryStream(bytes: Uint8Array, piece = 4096): Promise<{ character?: Character; code?: string }> {
  try {
    const read = await readBakedStream(chunksOf(bytes, piece), LIMIT, 'file');
    await read.arrivals?.ready;
    return { character: read };
  } catch (thrown) {
    if (!(thrown instanceof ManipleError)) throw thrown;
    return { code: thrown.code };
  }
}

describe('a file with streamed clips', () => {
  it('has the clips that are named with the rig, and a section for each of the others, last', () => {
    const kinds = sectionPlaces(file).map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'CLIP')).toHaveLength(character.clips.length - 1);
    expect(kinds.lastIndexOf('IMAG')).toBeLessThan(kinds.indexOf('CLIP'));
  });

  it('gives the same character when it is read whole', () => {
    expect(readBaked(file)).toEqual(character);
    expect(writeBaked(readBaked(file), { first: ['clip 3'] })).toEqual(file);
    const withSockets = addSockets(moteCharacter(), 'all');
    expect(readBaked(writeBaked(withSockets, { first: [] }))).toEqual(withSockets);
  });

  it.each([1, 97, 2 ** 20])('gives the same clips when it arrives in pieces of %i bytes', async (piece) => {
    const { character: read } = await tryStream(file, piece);
    expect(read!.rig.subarray(0, character.rig.length)).toEqual(character.rig);
    expect({ ...read, rig: character.rig, arrivals: undefined }).toEqual({ ...character, arrivals: undefined });
    expect(read!.arrivals!.pending).toEqual([]);
    expect(strayFetches(read!)).toEqual([]);
  });

  it('lets clips play one after the other, in copies too, and never reads outside its tables', async () => {
    const places = sectionPlaces(file).filter(({ kind }) => kind === 'CLIP');
    const tap = new Tap(file);
    await tap.openTo(places[0]!.offset);
    const read = await readBakedStream(tap.next, LIMIT);
    const carrying = addSockets(read, 'all');
    const told: string[] = [];
    read.arrivals!.onClip((name, index) => told.push(`${index} ${name}`));
    const names = read.clips.map(({ name }) => name).filter((name) => name !== 'clip 3');
    for (const [index, { offset, length }] of places.entries()) {
      expect(read.arrivals!.pending).toEqual(names.slice(index));
      expect(strayFetches(read)).toEqual([]);
      expect(strayFetches(carrying)).toEqual([]);
      await tap.openTo(offset + length);
    }
    await read.arrivals!.ready;
    expect(told).toHaveLength(places.length);
    expect(told[0]).toBe('0 clip 0');
    expect(writeBaked({ ...carrying, arrivals: undefined })).toEqual(
      writeBaked(addSockets({ ...read, arrivals: undefined }, 'all')),
    );
  });

  it('is not written while clips are on their way', async () => {
    const tap = new Tap(file);
    await tap.openTo(sectionPlaces(file).find(({ kind }) => kind === 'CLIP')!.offset);
    const read = await readBakedStream(tap.next, LIMIT);
    expect(() => writeBaked(read)).toThrow(/have not arrived/);
    await tap.openTo(file.length);
    await read.arrivals!.ready;
    expect(readBaked(writeBaked(read)).clips).toEqual(character.clips);
  });

  it('starts with the clips of the states that a controller begins in', () => {
    const first = {
      name: 'walker',
      parameters: [],
      layers: [
        {
          name: 'a',
          machine: { default: 'In.Side', states: {}, machines: { In: { states: { Side: { motion: 'clip 7' } } } } },
        },
        { name: 'b', machine: { default: 'Up', states: { Up: { motion: 'clip 2' }, Down: { motion: 'clip 1' } } } },
      ],
    } as never;
    const streamed = sectionPlaces(writeBaked(character, { first })).filter(({ kind }) => kind === 'CLIP');
    expect(streamed).toHaveLength(character.clips.length - 2);
    expect(() => writeBaked(character, { first: ['clip 99'] })).toThrow(/`first` names "clip 99"/);
  });
});

describe('a file with streamed clips that breaks off or is damaged', () => {
  it('is refused, or its clips are, with the code of the whole file', async () => {
    const random = new Random(runSeed);
    const places = sectionPlaces(file);
    for (let turn = 0; turn < (full ? 400 : 60); turn++) {
      const place = places[random.integer(0, places.length - 1)]!;
      if (place.length === 0) continue;
      const damaged = file.slice();
      const at = place.offset + random.integer(0, place.length - 1);
      damaged[at] = damaged[at]! ^ (1 << random.integer(0, 7));
      const bytes = random.next() < 0.2 ? damaged : reseal(damaged);
      const whole = tryRead(bytes);
      const streamed = await tryStream(bytes);
      expect(streamed.code, `byte ${at}, seed ${runSeed}, turn ${turn}`).toBe(whole.error?.code);
      if (whole.character)
        expect(streamed.character!.rig.subarray(0, character.rig.length)).toEqual(whole.character.rig);
    }
  });

  it('never gives clips that lack their end', async () => {
    for (let length = runSeed % 211; length < file.length; length += 211) {
      expect((await tryStream(file.subarray(0, length))).code, `${length} bytes`).toBe('BAKED_TRUNCATED');
    }
    const longer = new Uint8Array(file.length + 1);
    longer.set(file);
    expect((await tryStream(longer)).code).toBe('BAKED_CORRUPT');
  });

  it('a clip of a damaged section stays in the rest pose', async () => {
    const { offset } = sectionPlaces(file).filter(({ kind }) => kind === 'CLIP')[2]!;
    const damaged = file.slice();
    damaged[offset + 40] = damaged[offset + 40]! ^ 1;
    const read = await readBakedStream(chunksOf(damaged, 512), LIMIT);
    await expect(read.arrivals!.ready).rejects.toMatchObject({ code: 'BAKED_CORRUPT' });
    expect(read.arrivals!.pending[0]).toBe('clip 2');
    expect(strayFetches(read)).toEqual([]);
  });

  it('is refused where sections of clips overlap, leave the blob, or are not described', () => {
    type Streamed = { clip: number; row: number }[];
    const edit = (change: (list: Streamed) => unknown) =>
      refusalOf(withDescription(file, (json) => void change(json['streamedClips'] as Streamed))).message;
    expect(edit((list) => (list[1]!.row = list[0]!.row))).toMatch(/rows of another/);
    expect(edit((list) => (list[1]!.clip = list[0]!.clip))).toMatch(/twice/);
    expect(edit((list) => (list[1]!.clip = 1000))).toMatch(/names clip 1000/);
    expect(edit((list) => (list[1]!.row = 2 ** 30))).toMatch(/ends at row/);
    expect(edit((list) => list.pop())).toMatch(/entries for/);
    expect(edit((list) => ([list[0]!.clip, list[1]!.clip] = [list[1]!.clip, list[0]!.clip]))).toMatch(
      /outside its clip/,
    );
    expect(refusalOf(withDescription(file, (json) => delete json['streamedClips'])).message).toMatch(/0 entries for/);
  });

  it('takes no more bytes than it may', async () => {
    await expect(readBakedStream(chunksOf(file, 512), file.length - 1)).rejects.toMatchObject({
      code: 'FILE_TOO_LARGE',
    });
  });
});
