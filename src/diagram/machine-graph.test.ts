import { expect, test } from 'vitest';
import type { MachineModel, StateModel } from '../controller/model.ts';
import { machineGraph } from './machine-graph.ts';

const OPTIONS = { clipPrefix: '', stateLimit: 100 };
const notesOf = (machine: MachineModel) => machineGraph(machine, OPTIONS).notes;
const leaving = (count: number): StateModel => ({
  motion: 'a',
  transitions: Array.from({ length: count }, () => ({ to: 'B', exitTime: 1 })),
});

test('notes count the transitions of a state beyond 256', () => {
  const machine = (count: number) => ({ default: 'A', states: { A: leaving(count), B: { motion: 'b' } } });
  expect(notesOf(machine(256))).toEqual([]);
  expect(notesOf(machine(300))).toEqual(['44 more transitions of “A” are not shown']);
});

test('notes are 12 at most, and one that counts the others', () => {
  const busy = Object.fromEntries(Array.from({ length: 15 }, (_, i) => [`S${i}`, leaving(257)]));
  const notes = notesOf({ default: 'S0', states: { ...busy, B: { motion: 'b' } } });
  expect(notes).toHaveLength(13);
  expect(notes.at(-1)).toBe('… 3 more notes');
});
