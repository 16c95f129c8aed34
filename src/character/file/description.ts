import { ISSUE_CODES, type Issue, type IssueCode } from '../../errors.ts';
import { type Character, LOD_LIMIT } from '../character.ts';
import { CHANNEL_NAME_LIMIT, LOADER_BITS, PART_LIMIT } from '../format/geometry-layout.ts';
import type { ImageModel, TextureModel, Wrap } from '../model.ts';
import { JOINT_LIMIT, MORPH_LIMIT } from '../format/rig-layout.ts';
import {
  INVALID,
  defaulted,
  flag,
  integer,
  list,
  number,
  oneOf,
  optional,
  record,
  text,
  vector,
  type Rule,
  type RuleValue,
} from '../../forms/rules.ts';

/**
 * The contents of the JSON section: everything about a character except the tables and the images' bytes. The order of
 * fields here is their order in the file. `check-….ts` check that the fields agree with the tables.
 */

/** Images of one character. */
export const IMAGE_LIMIT = 1024;
/** The count of a vertex's influences has 8 bits. */
const INFLUENCE_LIMIT = 255;

const count = integer(0);
/** An index, or −1 for none. */
const indexOrNone = integer(-1);
const wrap: Rule<Wrap> = oneOf('REPEAT', 'CLAMP', 'MIRROR');
const mimeType: Rule<ImageModel['mimeType']> = oneOf('image/png', 'image/jpeg', 'image/webp', 'image/ktx2');

const box = record({ min: vector(3), max: vector(3) });

const batchRuns = list(record({ variant: integer(0, LOADER_BITS), firstBatch: count, batchCount: integer(1) }));

const texture: Rule<TextureModel> = record({
  imageIndex: count,
  offset: vector(2),
  scale: vector(2),
  rotation: number(),
  wrapS: wrap,
  wrapT: wrap,
  /** Older files lack it, and it is left out where it is 0. */
  texcoordSet: optional(oneOf(0, 1)),
});

const issueFields = record({
  code: text,
  severity: oneOf('error', 'warning', 'info'),
  path: text,
  message: text,
  suggestion: optional(text),
});

/** Versions of Maniple differ in codes, without a new format: unknown ones move into the message. */
const issue: Rule<Issue> = (value, place) => {
  const read = issueFields(value, place);
  if (read === INVALID) return INVALID;
  const { code, severity, path, message, suggestion } = read;
  const known = (ISSUE_CODES as readonly string[]).includes(code);
  const named = known
    ? { code: code as IssueCode, severity, path, message }
    : { code: 'BAKED_UNKNOWN_ISSUE' as const, severity, path, message: `${code}: ${message}` };
  return suggestion === undefined ? named : { ...named, suggestion };
};

export const description = record({
  name: text,
  size: number(0),
  bounds: box,
  reach: optional(record({ center: vector(3), radius: number(0), additiveLayers: count })),
  vertexCount: count,
  joints: list(record({ name: text, parentIndex: indexOrNone, nodeIndex: indexOrNone }), JOINT_LIMIT),
  sockets: list(record({ jointIndex: count, entry: count })),
  clips: list(
    record({
      name: text,
      duration: number(0),
      tracks: count,
      keys: count,
      knots: count,
      channels: count,
      form: oneOf('linear', 'cubic', 'sampled', 'exact'),
      bytes: count,
      sourceBytes: count,
      maxError: number(0),
      loops: flag,
      bounds: optional(box),
    }),
  ),
  /** One per CLIP section, in their order. Files without any lack the field. */
  streamedClips: optional(list(record({ clip: count, row: count }))),
  unpackedClips: optional(list(text)),
  parts: list(text, PART_LIMIT),
  primitives: list(
    record({
      name: text,
      nodeIndex: indexOrNone,
      nodeName: text,
      primitiveIndex: count,
      part: count,
      materialIndex: indexOrNone,
      firstVertex: count,
      vertexCount: count,
      firstIndex: count,
      indexCount: count,
      /** Number of entries of the SRCV section that belong to this primitive. */
      sourceCount: count,
    }),
  ),
  batchRuns,
  /** Coarser meshes. Files without any lack the field. Names and materials of primitives are stored once, above. */
  lods: optional(
    list(
      record({
        error: number(0),
        posedJoints: optional(list(count, JOINT_LIMIT)),
        vertexCount: count,
        primitives: list(record({ firstVertex: count, vertexCount: count, firstIndex: count, indexCount: count })),
        batchRuns,
      }),
      LOD_LIMIT,
    ),
  ),
  /** Names of named channels. Files without any lack the field. */
  channels: optional(list(text, CHANNEL_NAME_LIMIT)),
  morphNames: list(text, MORPH_LIMIT),
  materials: list(
    record({
      name: text,
      baseColor: vector(4),
      baseColorTexture: optional(texture),
      metallic: number(),
      roughness: number(),
      // older files lack these fields
      metallicRoughnessTexture: optional(texture),
      normalTexture: optional(texture),
      normalScale: defaulted(number(), 1),
      occlusionTexture: optional(texture),
      occlusionStrength: defaulted(number(), 1),
      emissive: vector(3),
      emissiveTexture: optional(texture),
      alphaMode: oneOf('OPAQUE', 'MASK', 'BLEND'),
      alphaCutoff: number(),
      doubleSided: flag,
      unlit: flag,
    }),
  ),
  images: list(record({ name: text, mimeType }), IMAGE_LIMIT),
  influenceHistogram: list(count, INFLUENCE_LIMIT + 1),
  issues: list(issue),
});

export type Description = RuleValue<typeof description>;

/** The description of a character, before the rules have checked it. */
export function describe(
  character: Character,
  streamedClips?: readonly { readonly clip: number; readonly row: number }[],
): unknown {
  return {
    ...character,
    streamedClips,
    lods: character.lods.length > 0 ? character.lods : undefined,
    primitives: character.primitives.map((primitive) => ({
      ...primitive,
      sourceCount: primitive.vertexOfSource.length,
    })),
  };
}
