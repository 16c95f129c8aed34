import type { FileForm } from '../character/file/container.ts';
import { Report } from '../character/file/report.ts';
import { flag, integer, list, number, oneOf, optional, record, text, type RuleValue } from '../character/file/rules.ts';
import { issuesOf, ManipleError, type IssueCode } from '../errors.ts';
import { CROWD_LEVEL_LIMIT } from '../frame/tables/cull-tables.ts';
import { STAGES } from '../frame/stages.ts';
import { SECTION_LIMIT } from '../character/file/container.ts';

/** The newest version of capture files. Bindings of stages change with Maniple, so other versions are rejected. */
export const CAPTURE_VERSION = 4;

/** The outer form of baked files (`character/file/FORMAT.md`) with other letters. Sections: JSON, CHAR, CTRL, ARRY. */
export const CAPTURE_FORM: FileForm = {
  letters: 'MNCP',
  newest: CAPTURE_VERSION,
  noun: 'frame capture',
  again: 'take the capture again',
  suffix: 'a file of writeCapture',
};

/** Reports every problem of a file with one code, because callers handle all of them alike. */
export class CaptureReport extends Report {
  protected override coded(_: IssueCode): IssueCode {
    return 'CAPTURE_INVALID';
  }

  override corrupt(path: string, message: string): void {
    this.add('CAPTURE_INVALID', path, message, 'Take the capture again.');
  }
}

/** Reports errors in a part of the file as errors of the file. @throws ManipleError CAPTURE_INVALID */
export function coded<T>(report: CaptureReport, path: string, run: () => T): T {
  try {
    return run();
  } catch (thrown) {
    if (!(thrown instanceof ManipleError)) throw thrown;
    for (const issue of issuesOf(thrown)) report.corrupt(`${path}/${issue.path}`, issue.message);
    return report.throwIfFailed() as never;
  }
}

const count = integer(0, 2 ** 32);
const section = integer(0, SECTION_LIMIT);
const arrays = list(record({ name: text, section }), 1024);
/** More than the pages that a slot's word can address. */
const PAGE_LIMIT = 256;

const controller = record({
  name: text,
  section,
  parameters: list(
    record({ name: text, type: oneOf('float', 'int', 'bool', 'trigger'), value: number(), trigger: integer(-1, 31) }),
    1024,
  ),
  layers: list(record({ name: text, machine: integer(0, 31), synced: flag, additive: flag, masked: flag }), 32),
  machines: list(record({ layer: integer(0, 31), states: list(text) }), 32),
  motionBound: integer(0, 2 ** 16),
  hasEvents: flag,
  hasRoot: flag,
  hasTrees: flag,
  hasLargeMotions: flag,
  hasLatchedExit: flag,
  hasMirror: flag,
});

/** Limits of table positions that can be bound. */
const [row, word] = [integer(0, 2 ** 28), integer(0, 2 ** 30)];
const place = record({
  typeRow: row,
  controllerRow: integer(-1, 2 ** 28),
  levels: list(record({ geometryRow: row, firstIndex: word, skeletonRow: row }), CROWD_LEVEL_LIMIT),
});

/** The JSON section: everything except tables and arrays, which it refers to by their section. */
export const captureRule = record({
  backend: oneOf('gpu', 'cpu'),
  adapter: text,
  frame: count,
  providers: list(text, 8),
  providerSizes: list(
    record({
      rowCount: integer(0, 2 ** 28),
      characterRowCount: integer(0, 16),
      stateRowCount: integer(0, 16),
      updates: flag,
    }),
    8,
  ),
  characters: list(
    record({ section, skin: oneOf('compute', 'vertex'), place, controller: optional(controller) }),
    CROWD_LEVEL_LIMIT,
  ),
  options: record({
    capacity: integer(1, 2 ** 24),
    maxClips: optional(count),
    maxModifiers: optional(count),
    maxEvents: optional(count),
    rootMotion: optional(oneOf('apply', 'report')),
    maxVertexBytes: optional(number(0)),
    copies: optional(integer(2, 3)),
    maxPoses: optional(count),
    lodTolerancePx: optional(number(0)),
    poseSharing: optional(record({ belowPx: number(0), phases: integer(1, 256), minWeight: number(0) })),
  }),
  kernels: record({
    serialPoses: flag,
    cachedPalettes: flag,
    serialLists: flag,
    wideSkins: optional(flag),
    meshes: list(
      record({
        character: integer(0, SECTION_LIMIT),
        level: integer(0, 7),
        variant: record({ cached: flag, sharers: integer(1, 4) }),
      }),
    ),
  }),
  numbers: record({
    characterCount: count,
    runCount: count,
    socketCount: count,
    socketCapacity: integer(0, 2 ** 24),
    hasGrants: flag,
    hasMoves: flag,
    hasFollowers: flag,
    isSeen: flag,
    pageVertices: list(integer(0, 2 ** 28), PAGE_LIMIT),
  }),
  stages: list(record({ stage: oneOf(...STAGES), inputs: arrays, outputs: arrays }), STAGES.length),
});

export type CaptureDescription = RuleValue<typeof captureRule>;
export type ControllerDescription = RuleValue<typeof controller>;
