import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { writeBaked } from '../../src/character/file/index.ts';
import {
  GeometryHeader,
  MeshChannels,
  NamedChannel,
  NamedChannels,
  SkinBatch,
  VertexChannel,
} from '../../src/character/format/geometry-layout.ts';
import {
  CharacterType,
  ClipHeader,
  ClipInterval,
  RestLane,
  SampledChannel,
} from '../../src/character/format/rig-layout.ts';
import { jsonOf } from './edit.ts';
import { moteCharacter } from './mote.ts';

const document = readFileSync(new URL('../../src/character/file/FORMAT.md', import.meta.url), 'utf8');

/** Cells of the first table after a heading, without its head. */
function tableAfter(heading: string): string[][] {
  const [, after] = document.split(new RegExp(`^#+ ${heading}$`, 'm'));
  const lines = after!.split('\n');
  const start = lines.findIndex((line) => line.startsWith('|'));
  const rest = lines.slice(start + 2);
  const end = rest.findIndex((line) => !line.startsWith('|'));
  return rest.slice(0, end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

/** What the description has, and what the document says of it; `?` marks what may be missing. */
function describedFields(): (readonly [field: string, says: string])[] {
  return tableAfter('Description').map(([field, says]) => [field!.replace('?', ''), says!] as const);
}

/** A description with every field. */
const fullest = () =>
  jsonOf(writeBaked({ ...moteCharacter(), unpackedClips: ['rest'], channels: ['_WIND'] }, { first: [] }));

describe('FORMAT.md', () => {
  it.each([
    CharacterType,
    RestLane,
    ClipHeader,
    ClipInterval,
    SampledChannel,
    GeometryHeader,
    SkinBatch,
    MeshChannels,
    VertexChannel,
    NamedChannels,
    NamedChannel,
  ])('says what $name is', ({ name, fields, offsets }) => {
    const documented = tableAfter(name).map(([byte, field, type]) => [field, Number(byte), type]);
    const types: Record<string, unknown> = fields;
    expect(documented).toEqual(Object.entries(offsets).map(([field, byte]) => [field, byte, types[field]]));
  });

  it('names every field of the description', () => {
    const fields = describedFields().map(([field]) => field);
    expect(fields.filter((field) => !field.startsWith('…'))).toEqual(Object.keys(fullest()));
  });

  it('names the fields of what the description lists', () => {
    const json = fullest();
    for (const [field, says] of describedFields()) {
      const value = Array.isArray(json[field]) ? (json[field] as unknown[])[0] : json[field];
      const named = /`\{(.*?)\}`/
        .exec(says)?.[1]!
        .split(', ')
        .map((name) => name.replace(/\?|\[\d\]/, ''));
      if (named && !field.startsWith('…')) expect(named, field).toEqual(Object.keys(value as object));
    }
  });
});
