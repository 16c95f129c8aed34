import type { CommonConditions } from './compile-conditions.ts';
import type { Rows } from './rows.ts';
import {
  CONTROLLER_NONE,
  ControllerWatch,
  NEEDS_EXIT,
  TRANSITION_ANY,
  TRANSITION_EXIT,
  TRANSITION_TO_SELF,
  WATCHED,
} from './tables.ts';

type Transition = Readonly<Record<string, number>>;

/** The first row of one record for every four transitions; those that only fill one up are never asked for. */
export function writeWatches(
  rows: Rows,
  transitions: readonly Transition[],
  common: CommonConditions,
  latchedExit: boolean,
): number {
  const count = Math.ceil(transitions.length / WATCHED);
  const row = rows.reserveFor(ControllerWatch, count);
  for (let i = 0; i < count; i++) {
    const watches = transitions.slice(WATCHED * i, WATCHED * (i + 1)).map((record) => {
      const { conditions = 0, destination = 0, exitCycles = 0, exitPhase = 0, flags = 0 } = record;
      const exits = (flags & TRANSITION_EXIT) !== 0;
      const avoids = (flags & TRANSITION_ANY) !== 0 && (flags & TRANSITION_TO_SELF) === 0;
      return {
        needs: (common.needsOf(conditions) | (exits ? NEEDS_EXIT : 0)) >>> 0,
        exitPhase: !latchedExit || exitCycles === 0 ? exitPhase : exitCycles > 0 ? 0xffffffff : 0,
        avoids: avoids ? destination : CONTROLLER_NONE,
      };
    });
    rows.put(ControllerWatch, row, i, {
      needs: watches.map(({ needs }) => needs),
      exitPhase: watches.map(({ exitPhase }) => exitPhase),
      avoids: watches.map(({ avoids }) => avoids),
    });
  }
  return row;
}
