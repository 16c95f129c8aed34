import { expect, test } from 'vitest';
import { Random } from '../../../test/support/random.ts';
import { runSeed } from '../../../test/support/setup.ts';
import type { ConditionModel } from '../../controller/model.ts';
import { canHoldTogether, rangesOf, translateCondition } from './ways.ts';
import { type GraphCondition, type GraphParameter, type GraphPredicate, PREDICATES } from './graph.ts';

type Value = number | boolean;

/** What PlayCanvas asks, in JavaScript's own operators. */
function asked(parameter: Value, predicate: GraphPredicate, value: Value): boolean {
  switch (predicate) {
    case 'GREATER_THAN':
      return parameter > value;
    case 'LESS_THAN':
      return parameter < value;
    case 'GREATER_THAN_EQUAL_TO':
      return parameter >= value;
    case 'LESS_THAN_EQUAL_TO':
      return parameter <= value;
    case 'EQUAL_TO':
      return parameter === value;
    case 'NOT_EQUAL_TO':
      return parameter !== value;
  }
}

function holds(condition: ConditionModel, parameter: number): boolean {
  if ('greater' in condition) return parameter > condition.greater;
  if ('less' in condition) return parameter < condition.less;
  if ('equals' in condition) return parameter === condition.equals;
  if ('notEquals' in condition) return parameter !== condition.notEquals;
  if ('atLeast' in condition) return parameter >= condition.atLeast;
  if ('atMost' in condition) return parameter <= condition.atMost;
  return (parameter !== 0) === (condition.is ?? true);
}

const LIMITS: readonly Value[] = [-1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2, true, false];
const VALUES: Readonly<Record<GraphParameter['type'], readonly Value[]>> = {
  FLOAT: [-2, -1.5, -1, -0.75, -0.5, 0, 0.5, 0.75, 1, 1.25, 1.5, 2, 3],
  INTEGER: [-3, -2, -1, 0, 1, 2, 3],
  BOOLEAN: [false, true],
  TRIGGER: [false, true],
};
const TYPES = Object.keys(VALUES) as GraphParameter['type'][];
const parametersOf = (type: GraphParameter['type']) => new Map([['p', { path: '', type, value: 0 }]]);

test.each(TYPES)('a condition on a %s holds for the values that PlayCanvas lets pass', (type) => {
  for (const predicate of PREDICATES) {
    for (const value of LIMITS) {
      const translated = translateCondition({ parameter: 'p', predicate, value }, parametersOf(type));
      for (const parameter of VALUES[type]) {
        const ours = typeof translated === 'string' ? translated === 'always' : holds(translated, Number(parameter));
        expect(ours, `${String(parameter)} ${predicate} ${String(value)}`).toBe(asked(parameter, predicate, value));
      }
    }
  }
});

test('a threshold of an integer is an integer', () => {
  const translate = (predicate: GraphPredicate, value: number) =>
    translateCondition({ parameter: 'p', predicate, value }, parametersOf('INTEGER'));
  expect(translate('GREATER_THAN', 1.5)).toEqual({ parameter: 'p', greater: 1 });
  expect(translate('LESS_THAN', 1.5)).toEqual({ parameter: 'p', less: 2 });
  expect(translate('GREATER_THAN_EQUAL_TO', 1.5)).toEqual({ parameter: 'p', atLeast: 2 });
  expect(translate('LESS_THAN_EQUAL_TO', 1.5)).toEqual({ parameter: 'p', atMost: 1 });
  expect(translate('EQUAL_TO', 1.5)).toBe('never');
});

test('conditions that some value meets are never said to exclude each other', () => {
  const random = new Random(runSeed);
  const values = Array.from({ length: 81 }, (_, index) => index / 8 - 5);
  let excluded = 0;
  for (let round = 0; round < 2000; round++) {
    const list = (): ConditionModel[] =>
      Array.from({ length: random.integer(0, 2) }, () => {
        const predicate = PREDICATES[random.integer(0, PREDICATES.length - 1)]!;
        const condition: GraphCondition = { parameter: 'p', predicate, value: random.integer(-8, 8) / 4 };
        return translateCondition(condition, parametersOf('FLOAT')) as ConditionModel;
      });
    const [a, b] = [list(), list()];
    const isMet = values.some((value) => [...a, ...b].every((condition) => holds(condition, value)));
    const can = canHoldTogether(rangesOf(a), rangesOf(b));
    // two lists of which one is never met by itself are not the question here
    const bothAlone = [a, b].every((one) => values.some((value) => one.every((condition) => holds(condition, value))));
    if (bothAlone) expect(can, `seed ${runSeed}, round ${round}: ${JSON.stringify([a, b])}`).toBe(isMet);
    if (!can) excluded++;
  }
  expect(excluded).toBeGreaterThan(100);
});
